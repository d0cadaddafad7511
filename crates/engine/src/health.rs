//! Reads what the kernel counts about this machine and this process: evidence, without judging it.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use warwolf_driver::host;

/// Counters of the host and of this process's control group at one moment; each may be hidden.
#[derive(Clone, Copy, Default)]
pub(crate) struct Host {
    ticks: Option<Ticks>,
    throttled: Option<Duration>,
}

/// The first line of `/proc/stat`, in ticks (proc_stat(5)).
#[derive(Clone, Copy)]
struct Ticks {
    idle: u64,
    steal: u64,
    all: u64,
}

/// What happened between two readings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Between {
    /// Share of all cores' time that was not idle, 0 to 1.
    pub(crate) busy: Option<f64>,
    /// Share that a hypervisor took away, 0 to 1.
    pub(crate) steal: Option<f64>,
    /// How long the control group throttled this process.
    pub(crate) throttled: Option<Duration>,
}

impl Host {
    pub(crate) fn read() -> Self {
        let stat = fs::read_to_string("/proc/stat").ok();
        let cpu = cpu_stat_path().and_then(|path| fs::read_to_string(path).ok());
        Self { ticks: stat.as_deref().and_then(ticks), throttled: cpu.as_deref().and_then(throttled) }
    }

    pub(crate) fn since(self, before: Self) -> Between {
        let shares = self.ticks.zip(before.ticks).and_then(|(now, then)| {
            let all = now.all.checked_sub(then.all).filter(|all| *all > 0)? as f64;
            let idle = now.idle.saturating_sub(then.idle) as f64;
            let steal = now.steal.saturating_sub(then.steal) as f64;
            Some((1.0 - idle / all, steal / all))
        });
        Between {
            busy: shares.map(|(busy, _)| busy),
            steal: shares.map(|(_, steal)| steal),
            throttled: self.throttled.zip(before.throttled).map(|(now, then)| now.saturating_sub(then)),
        }
    }
}

fn ticks(stat: &str) -> Option<Ticks> {
    let mut line = stat.lines().next()?.split_ascii_whitespace();
    if line.next() != Some("cpu") {
        return None;
    }
    // user nice system idle iowait irq softirq steal; what guests use is in user already.
    let fields: Vec<u64> = line.take(8).map_while(|field| field.parse().ok()).collect();
    let [.., idle, waiting, _, _, steal] = fields[..] else { return None };
    Some(Ticks { idle: idle + waiting, steal, all: fields.iter().sum() })
}

/// Where the control group of this process counts its processor time (cgroup v2).
fn cpu_stat_path() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    Some(PathBuf::from("/sys/fs/cgroup").join(group).join("cpu.stat"))
}

fn throttled(cpu_stat: &str) -> Option<Duration> {
    cpu_stat
        .lines()
        .find_map(|line| line.strip_prefix("throttled_usec "))
        .and_then(|micros| micros.trim().parse().ok())
        .map(Duration::from_micros)
}

/// What the calling thread has spent so far.
#[derive(Clone, Copy)]
pub(crate) struct Spent {
    /// Time in its own code.
    pub(crate) user: Duration,
    /// Time in the kernel.
    pub(crate) system: Duration,
    /// Time for which it was ready to run and had no core, if the kernel reports it.
    pub(crate) delay: Option<Duration>,
}

impl Spent {
    pub(crate) fn read() -> Self {
        let (user, system) = host::thread_cpu_time();
        Self { user, system, delay: run_delay() }
    }

    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            user: self.user.saturating_sub(before.user),
            system: self.system.saturating_sub(before.system),
            delay: self.delay.zip(before.delay).map(|(now, then)| now.saturating_sub(then)),
        }
    }
}

/// How long the calling thread was ready to run and had no core (the second field of schedstat).
fn run_delay() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split_ascii_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

/// Local ports that one source address may use towards one target; zero when unknown.
pub(crate) fn ephemeral_ports() -> u64 {
    let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    ports(&range).unwrap_or(0)
}

fn ports(range: &str) -> Option<u64> {
    let mut bounds = range.split_ascii_whitespace().map_while(|bound| bound.parse::<u64>().ok());
    let (first, last) = (bounds.next()?, bounds.next()?);
    Some((last + 1).saturating_sub(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_come_from_the_difference_of_two_readings() {
        let read = |stat, cpu| Host { ticks: ticks(stat), throttled: throttled(cpu) };
        let before = read("cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 …", "usage_usec 9\nthrottled_usec 1000\n");
        let after = read("cpu  130 0 120 740 100 0 0 10 0 0\ncpu0 …", "usage_usec 10\nthrottled_usec 3500\n");
        let between = after.since(before);
        assert_eq!(between.busy.map(|b| (b * 100.0).round()), Some(60.0));
        assert_eq!(between.steal, Some(0.1));
        assert_eq!(between.throttled, Some(Duration::from_micros(2500)));
    }

    #[test]
    fn values_the_kernel_hides_stay_unknown() {
        let nothing = Host { ticks: ticks("intr 5"), throttled: throttled("") };
        assert_eq!(nothing.since(nothing), Between::default());
        assert!(ticks("cpu 1 2 3").is_none());
        assert_eq!(ports("32768\t60999\n"), Some(28_232));
        assert_eq!(ports("32768"), None);
    }
}
