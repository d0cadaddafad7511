//! Resource limits of this process, the cores it may use, and CPU usage.

use std::io;
use std::net::{IpAddr, UdpSocket};
use std::time::Duration;

/// Raises the soft limit of open descriptors to the hard limit and returns it.
///
/// # Errors
/// When `getrlimit` or `setrlimit` fails, for example in a sandbox.
pub fn raise_descriptor_limit() -> io::Result<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: fills the live struct it is given.
    check(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) })?;
    if limit.rlim_cur < limit.rlim_max {
        limit.rlim_cur = limit.rlim_max;
        // SAFETY: reads the live struct it is given.
        check(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) })?;
    }
    Ok(limit.rlim_cur)
}

/// Checks that connections can use `address` as their source.
///
/// # Errors
/// `AddrNotAvailable` when no interface has the address; other errors of the kernel.
pub fn take_address(address: IpAddr) -> io::Result<()> {
    UdpSocket::bind((address, 0)).map(drop)
}

/// Returns the cores that this process may use, in ascending order; `[0]` if the kernel does not report them.
#[must_use]
pub fn available_cores() -> Vec<usize> {
    // SAFETY: a cpu_set_t of all zero bits is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: fills the live set, whose size is given; 0 is the calling thread.
    if check(unsafe { libc::sched_getaffinity(0, size_of_val(&set), &raw mut set) }).is_err() {
        return vec![0];
    }
    // SAFETY: only numbers below CPU_SETSIZE are queried.
    (0..libc::CPU_SETSIZE as usize).filter(|&core| unsafe { libc::CPU_ISSET(core, &set) }).collect()
}

/// Returns the user and system CPU time of the calling thread.
#[must_use]
pub fn thread_cpu_time() -> (Duration, Duration) {
    usage(libc::RUSAGE_THREAD)
}

/// Returns the user and system CPU time of all threads of this process.
#[must_use]
pub fn process_cpu() -> (Duration, Duration) {
    usage(libc::RUSAGE_SELF)
}

/// Reads the monotonic clock of the system in nanoseconds. [`std::time::Instant`] reads the same clock; the arithmetic on it costs
/// several times as many instructions, and workers read the clock for each call.
#[inline]
pub(crate) fn monotonic_clock() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: fills the live struct it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Returns the CPU time of the calling thread with nanosecond resolution.
pub(crate) fn thread_cpu_clock() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: fills the live struct it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_nanos(time.tv_nsec.unsigned_abs())
}

/// Returns user and system time of `who`; zero if the kernel does not report them.
fn usage(who: libc::c_int) -> (Duration, Duration) {
    // SAFETY: an rusage holds only numbers, for which zero bits are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: fills the live struct it is given.
    unsafe { libc::getrusage(who, &raw mut usage) };
    (duration(usage.ru_utime), duration(usage.ru_stime))
}

/// Converts a kernel time, which is never negative here.
fn duration(time: libc::timeval) -> Duration {
    Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_micros(time.tv_usec.unsigned_abs())
}

/// Sets the timer slack of the calling thread to the minimum, so that sleeps do not end up to 50 us late.
pub(crate) fn sleep_precisely() {
    // SAFETY: takes numbers only.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1u64, 0u64, 0u64, 0u64) };
}

/// Returns the last OS error if a call returned a negative number.
fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_may_use_a_core() {
        assert!(!available_cores().is_empty());
    }

    #[test]
    fn the_descriptor_limit_is_raised_to_the_hard_limit() {
        let limit = raise_descriptor_limit().unwrap();
        assert!(limit >= 64);
        assert_eq!(raise_descriptor_limit().unwrap(), limit);
    }

    #[test]
    fn cpu_time_does_not_decrease() {
        let before = thread_cpu_time();
        let sum: u64 = (0..100_000u64).map(std::hint::black_box).sum();
        assert!(sum > 0);
        let after = thread_cpu_time();
        assert!(after.0 >= before.0 && after.1 >= before.1);
        let process = process_cpu();
        assert!(process.0 + process.1 > Duration::ZERO);
    }
}
