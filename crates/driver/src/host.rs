//! What the machine allows this process, and what the process has used.

use std::io;
use std::net::{IpAddr, UdpSocket};
use std::time::Duration;

/// Raises the number of descriptors this process may hold to its hard limit, and returns that.
///
/// # Errors
/// When the kernel refuses, which it does not for a process that may see its own limits.
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

/// Whether a connection may come from `address`.
///
/// # Errors
/// `AddrNotAvailable` when no interface has it; what the kernel says otherwise.
pub fn take_address(address: IpAddr) -> io::Result<()> {
    UdpSocket::bind((address, 0)).map(drop)
}

/// Keeps the calling thread on `core` (numbered as in [`available_cores`]).
///
/// # Errors
/// When there is no such core or the process may not use it.
pub fn pin_to_core(core: usize) -> io::Result<()> {
    if core >= libc::CPU_SETSIZE as usize {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    // SAFETY: a cpu_set_t of all zero bits is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `core` is below CPU_SETSIZE, so the bit lies within the set.
    unsafe { libc::CPU_SET(core, &mut set) };
    // SAFETY: reads the live set, whose size is given; 0 is the calling thread.
    check(unsafe { libc::sched_setaffinity(0, size_of_val(&set), &raw const set) })
}

/// The cores this process may use, in order; `[0]` when the kernel does not say.
#[must_use]
pub fn available_cores() -> Vec<usize> {
    // SAFETY: a cpu_set_t of all zero bits is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: fills the live set, whose size is given; 0 is the calling thread.
    if check(unsafe { libc::sched_getaffinity(0, size_of_val(&set), &raw mut set) }).is_err() {
        return vec![0];
    }
    // SAFETY: only numbers below CPU_SETSIZE are asked for.
    (0..libc::CPU_SETSIZE as usize).filter(|&core| unsafe { libc::CPU_ISSET(core, &set) }).collect()
}

/// Time the calling thread has spent in its own code and in the kernel.
#[must_use]
pub fn thread_cpu_time() -> (Duration, Duration) {
    usage(libc::RUSAGE_THREAD)
}

/// Time all threads of this process have spent in their own code and in the kernel.
#[must_use]
pub fn process_cpu() -> (Duration, Duration) {
    usage(libc::RUSAGE_SELF)
}

/// CPU time of the calling thread, to the nanosecond.
pub(crate) fn thread_cpu_clock() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: fills the live struct it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_nanos(time.tv_nsec.unsigned_abs())
}

/// User and system time of `who`; zero when the kernel does not say.
fn usage(who: libc::c_int) -> (Duration, Duration) {
    // SAFETY: an rusage holds only numbers, for which zero bits are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: fills the live struct it is given.
    unsafe { libc::getrusage(who, &raw mut usage) };
    (duration(usage.ru_utime), duration(usage.ru_stime))
}

/// A kernel time as a duration; times used are never negative.
fn duration(time: libc::timeval) -> Duration {
    Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_micros(time.tv_usec.unsigned_abs())
}

/// Lets the calling thread's sleeps end on time instead of up to 50 us later.
pub(crate) fn sleep_precisely() {
    // SAFETY: takes numbers only.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1u64, 0u64, 0u64, 0u64) };
}

/// The last error when a call returned a negative number.
fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_can_be_pinned_to_a_core_it_may_use() {
        let cores = available_cores();
        assert!(!cores.is_empty());
        std::thread::spawn(move || {
            pin_to_core(cores[0]).unwrap();
            assert_eq!(available_cores(), [cores[0]]);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_core_that_does_not_exist_is_an_error() {
        assert!(pin_to_core(1023).is_err());
        assert!(pin_to_core(1 << 20).is_err());
    }

    #[test]
    fn the_descriptor_limit_is_the_hard_one() {
        let limit = raise_descriptor_limit().unwrap();
        assert!(limit >= 64);
        assert_eq!(raise_descriptor_limit().unwrap(), limit);
    }

    #[test]
    fn cpu_time_does_not_go_back() {
        let before = thread_cpu_time();
        let sum: u64 = (0..100_000u64).map(std::hint::black_box).sum();
        assert!(sum > 0);
        let after = thread_cpu_time();
        assert!(after.0 >= before.0 && after.1 >= before.1);
        let process = process_cpu();
        assert!(process.0 + process.1 > Duration::ZERO);
    }
}
