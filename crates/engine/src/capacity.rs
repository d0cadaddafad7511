//! How much of everything a plan needs: threads, sessions, connections, intervals.

use std::collections::HashSet;
use std::time::Duration;
use warwolf_plan::{CheckedPlan, Endpoint, Plan, Request, Schedule, Shard, WhenFull, Work};

/// Users that one more thread is worth starting for, and arrivals per second likewise.
const USERS_PER_THREAD: u32 = 16;
const RATE_PER_THREAD: f64 = 25_000.0;
/// An interval is a fiftieth of the run, within these bounds.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(100);
const LONGEST_INTERVAL: Duration = Duration::from_secs(1);

/// What one shard of a plan needs and may use. Computed from the plan and the shard alone, so the capacities of all
/// shards add up to those of the whole plan.
///
/// A worker is a shard of its process's shard ([`Shard::split`]), so this is also what one worker needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Capacity {
    /// How long the plan wants the run to last; none when it ends for another reason.
    pub nominal: Option<Duration>,
    /// Requested calls per second; none in a closed loop or when the calls of a session are not known.
    pub target_rate: Option<f64>,
    /// Sessions that may be active at once, at least 1; `usize::MAX` when sessions fail instead of waiting.
    pub sessions: usize,
    /// Connections that may be open at once, at least 1. Companions come on top.
    pub connections: u32,
    /// Connections that the users of a closed loop hold if the server accepts all of them; zero in an open loop.
    pub connections_asked: u32,
    /// Calls that may be in flight at once.
    pub in_flight_limit: u64,
    /// Length of an interval. A warm-up is a whole number of them.
    pub interval: Duration,
    /// Different endpoints that the plan's requests go to.
    endpoints: u32,
    /// Threads that the plan asks for.
    threads: Option<u32>,
    /// Threads that the load is worth.
    threads_worth: usize,
}

impl Capacity {
    /// Computes what `shard` of `plan` needs.
    #[must_use]
    pub fn of(plan: &CheckedPlan, shard: Shard) -> Self {
        Self::with_endpoints(plan, shard, endpoints(plan))
    }

    /// Computes what `part` of the same plan needs: a worker's share.
    pub(crate) fn of_part(&self, plan: &Plan, part: Shard) -> Self {
        Self::with_endpoints(plan, part, self.endpoints)
    }

    fn with_endpoints(plan: &Plan, shard: Shard, endpoints: u32) -> Self {
        let share = |whole: u32| shard.share(whole.into()) as u32;
        let limit = share(plan.connections.limit);
        let users = match plan.schedule {
            Schedule::Closed { users, .. } | Schedule::Turns { users } => Some(share(users)),
            Schedule::Open { .. } => None,
        };
        let connections_asked = users.map_or(0, |users| {
            let each = plan.connections.ownership.dedicated().max(endpoints);
            limit.min(users.saturating_mul(each))
        });
        // A redirect or a page may lead to one more endpoint: a user can hold a connection to it as well.
        let followed = users.filter(|_| leads_elsewhere(plan)).unwrap_or(0);
        let connections = match users {
            Some(_) => limit.min(connections_asked.saturating_add(followed)),
            None => limit,
        };
        let connections = connections.max(1);
        let pipeline = plan.connections.pipeline;
        let sessions = match users {
            Some(users) => users.max(1) as usize,
            // A session that finds no connection fails at once and delays no other.
            None if plan.connections.when_full == WhenFull::Fail => usize::MAX,
            None => (connections as usize).saturating_mul(pipeline as usize),
        };
        let in_flight_limit = match users {
            Some(users) => u64::from(users) * calls_at_once(plan),
            None => u64::from(limit) * u64::from(pipeline),
        };
        Self {
            nominal: nominal(plan),
            target_rate: target_rate(plan).map(|rate| rate / f64::from(shard.count())),
            sessions,
            connections,
            connections_asked,
            in_flight_limit,
            interval: interval(plan),
            endpoints,
            threads: plan.threads,
            threads_worth: threads_worth(plan, users, shard),
        }
    }

    /// Threads to run on when `cores` are available: as many as the plan asks for, otherwise as many as the load is worth.
    #[must_use]
    pub fn threads(&self, cores: usize) -> usize {
        match self.threads {
            Some(threads) => threads as usize,
            None => self.threads_worth.clamp(1, cores.max(1)),
        }
    }
}

/// Whether replies can lead to endpoints that the plan does not name.
fn leads_elsewhere(plan: &Plan) -> bool {
    plan.session.redirects.limit > 0 || plan.session.resources.is_some()
}

/// How many different endpoints the plan's requests go to. Hashes each of them.
fn endpoints(plan: &Plan) -> u32 {
    let endpoints: HashSet<&Endpoint> =
        plan.all_requests().map(|request: &Request| &request.endpoint).collect();
    u32::try_from(endpoints.len()).unwrap_or(u32::MAX)
}

fn nominal(plan: &Plan) -> Option<Duration> {
    let ends = match &plan.schedule {
        Schedule::Open { arrivals, .. } => arrivals.ends_after(),
        Schedule::Closed { .. } | Schedule::Turns { .. } => None,
    };
    [plan.stop.duration, ends].into_iter().flatten().min()
}

/// Calls per second over all shards.
fn target_rate(plan: &Plan) -> Option<f64> {
    if !plan.scenarios.is_empty() {
        // Sessions make as many calls as their steps come to.
        return None;
    }
    let (Schedule::Open { arrivals, .. }, Work::Draw { calls: Some(calls), .. }) =
        (&plan.schedule, &plan.session.work)
    else {
        return None;
    };
    let rate = arrivals.mean_rate(nominal(plan).unwrap_or(Duration::from_secs(1)))?;
    Some(rate * *calls as f64)
}

/// Calls that one session may have in flight.
fn calls_at_once(plan: &Plan) -> u64 {
    if !plan.scenarios.is_empty() {
        return 1;
    }
    match &plan.session.work {
        Work::Draw { burst, .. } => u64::from(*burst),
        Work::Scripts { scripts } => {
            scripts.iter().flat_map(|s| &s.bursts).map(|b| b.then.len() as u64).max().unwrap_or(0).max(1)
        }
    }
}

fn threads_worth(plan: &Plan, users: Option<u32>, shard: Shard) -> usize {
    match (&plan.schedule, users) {
        (Schedule::Open { arrivals, .. }, _) => {
            let rate = arrivals.mean_rate(plan.stop.duration.unwrap_or(Duration::from_secs(1)));
            let rate = rate.unwrap_or(RATE_PER_THREAD) / f64::from(shard.count());
            (rate / RATE_PER_THREAD).ceil() as usize
        }
        (_, users) => users.unwrap_or(0).div_ceil(USERS_PER_THREAD) as usize,
    }
}

/// Long enough to cost nothing, short enough to show a stall.
fn interval(plan: &Plan) -> Duration {
    let length = match plan.stop.duration {
        Some(duration) => (duration / 50).clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL),
        None => SHORTEST_INTERVAL,
    };
    if plan.warmup.is_zero() {
        return length;
    }
    let intervals = (plan.warmup.as_nanos() / length.as_nanos()).max(1) as u32;
    // Rounded up: intervals that end before the warm-up would leave out one more.
    Duration::from_nanos((plan.warmup.as_nanos() as u64).div_ceil(u64::from(intervals)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_plan::{ArrivalProcess, Ownership, Stop};

    fn capacity(plan: &Plan, shard: Shard) -> Capacity {
        Capacity::of(&plan.clone().check().unwrap(), shard)
    }

    fn closed(users: u32) -> Plan {
        let mut plan = Plan::new(vec![Request::get("http://a.test/").unwrap()]);
        plan.schedule = Schedule::Closed { users, ramp: Duration::ZERO };
        plan
    }

    fn open(rate: f64, limit: u32) -> Plan {
        let mut plan = Plan::new(vec![Request::get("http://a.test/").unwrap()]);
        plan.schedule = Schedule::Open { arrivals: ArrivalProcess::Constant { rate }, burst: 1 };
        plan.session.work = Work::Draw {
            order: warwolf_plan::Order::Sequential,
            calls: Some(1),
            burst: 1,
            first_alone: false,
        };
        plan.connections.limit = limit;
        plan
    }

    fn changed(mut plan: Plan, change: impl FnOnce(&mut Plan)) -> Plan {
        change(&mut plan);
        plan
    }

    #[test]
    fn sessions_and_connections_of_each_shard() {
        let two_hosts = |users| {
            changed(closed(users), |plan| plan.requests.push(Request::get("http://b.test/").unwrap()))
        };
        // Plan; shard; sessions, connections, connections asked, calls in flight.
        let rows = [
            ("a connection per user", closed(100), (0, 1), (100, 100, 100, 100)),
            ("half of the users, half of the connections", closed(100), (1, 2), (50, 50, 50, 50)),
            ("the first shards take the rest", closed(10), (0, 4), (3, 3, 3, 3)),
            ("the last shards have fewer", closed(10), (3, 4), (2, 2, 2, 2)),
            ("more shards than users", closed(2), (3, 4), (1, 1, 0, 0)),
            ("a user may hold a connection to each endpoint", two_hosts(3), (0, 1), (3, 6, 6, 3)),
            (
                "dedicated connections",
                changed(closed(3), |plan| plan.connections.ownership = Ownership::Dedicated(4)),
                (0, 1),
                (3, 12, 12, 3),
            ),
            (
                "the larger of endpoints and dedicated connections counts",
                changed(two_hosts(3), |plan| plan.connections.ownership = Ownership::Dedicated(1)),
                (0, 1),
                (3, 6, 6, 3),
            ),
            (
                "never more than the limit",
                changed(closed(100), |plan| plan.connections.limit = 30),
                (0, 2),
                (50, 15, 15, 50),
            ),
            (
                "a redirect may lead to one more endpoint",
                changed(closed(100), |plan| plan.session.redirects.limit = 1),
                (0, 1),
                (100, 200, 100, 100),
            ),
            (
                "it does so within the limit",
                changed(closed(100), |plan| {
                    plan.session.redirects.limit = 1;
                    plan.connections.limit = 120;
                }),
                (0, 1),
                (100, 120, 100, 100),
            ),
            ("an open loop: all that is allowed, none asked", open(500.0, 200), (0, 1), (200, 200, 0, 200)),
            ("the limit is that of the whole plan", open(500.0, 200), (1, 2), (100, 100, 0, 100)),
            (
                "a slot for each pipelined call",
                changed(open(500.0, 10), |plan| plan.connections.pipeline = 4),
                (0, 1),
                (40, 10, 0, 40),
            ),
            (
                "calls that fail without a connection need no slot",
                changed(open(500.0, 10), |plan| plan.connections.when_full = WhenFull::Fail),
                (0, 1),
                (usize::MAX, 10, 0, 10),
            ),
        ];
        for (why, plan, (index, count), expected) in rows {
            let found = capacity(&plan, Shard::new(index, count).unwrap());
            let found = (found.sessions, found.connections, found.connections_asked, found.in_flight_limit);
            assert_eq!(found, expected, "{why}");
        }
    }

    #[test]
    fn shards_and_their_workers_add_up_to_the_plan() {
        for plan in [closed(103), open(500.0, 77)] {
            let whole = capacity(&plan, Shard::WHOLE);
            let parts: Vec<Capacity> = (0..3)
                .filter_map(|index| Shard::new(index, 3))
                .flat_map(|shard| (0..2).filter_map(move |worker| shard.split(worker, 2)))
                .map(|shard| capacity(&plan, shard))
                .collect();
            assert_eq!(parts.iter().map(|part| part.sessions).sum::<usize>(), whole.sessions);
            assert_eq!(parts.iter().map(|part| part.connections).sum::<u32>(), whole.connections);
            assert_eq!(parts.iter().map(|part| part.connections_asked).sum::<u32>(), whole.connections_asked);
            assert_eq!(parts.iter().map(|part| part.in_flight_limit).sum::<u64>(), whole.in_flight_limit);
            let rates: Option<f64> = parts.iter().map(|part| part.target_rate).sum();
            assert_eq!(rates.map(f64::round), whole.target_rate);
        }
    }

    #[test]
    fn threads_by_load_and_cores() {
        // Plan, shards, cores, threads.
        let rows = [
            (closed(1), 1, 8, 1),
            (closed(17), 1, 8, 2),
            (closed(17), 2, 8, 1),
            (closed(10_000), 1, 8, 8),
            (open(60_000.0, 10), 1, 8, 3),
            (open(60_000.0, 10), 3, 8, 1),
            (open(60_000.0, 10), 1, 0, 1),
            (changed(closed(1), |plan| plan.threads = Some(5)), 1, 2, 5),
        ];
        for (plan, shards, cores, expected) in rows {
            let capacity = capacity(&plan, Shard::new(0, shards).unwrap());
            assert_eq!(capacity.threads(cores), expected, "{:?} / {shards} on {cores} cores", plan.schedule);
        }
    }

    #[test]
    fn intervals_divide_the_warm_up() {
        let seconds = Duration::from_secs;
        let millis = Duration::from_millis;
        // Duration, warm-up, interval.
        for (duration, warmup, interval) in [
            (Some(seconds(10)), millis(0), millis(200)),
            (Some(seconds(1)), millis(0), millis(100)),
            (Some(seconds(3_600)), millis(0), seconds(1)),
            (None, millis(0), millis(100)),
            (Some(seconds(10)), millis(500), millis(250)),
            (Some(seconds(10)), millis(50), millis(50)),
            (Some(seconds(15)), seconds(2), Duration::from_nanos(333_333_334)),
        ] {
            let plan = changed(closed(1), |plan| {
                plan.stop = Stop { duration, ..plan.stop.clone() };
                plan.warmup = warmup;
            });
            assert_eq!(capacity(&plan, Shard::WHOLE).interval, interval, "{duration:?}, {warmup:?}");
        }
    }

    #[test]
    fn the_target_rate_is_that_of_the_shard() {
        let rate = |plan: &Plan, count| capacity(plan, Shard::new(0, count).unwrap()).target_rate;
        assert_eq!(rate(&open(500.0, 10), 1), Some(500.0));
        assert_eq!(rate(&open(500.0, 10), 2), Some(250.0));
        assert_eq!(rate(&closed(10), 2), None);
    }
}
