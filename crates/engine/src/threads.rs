//! Prepares a run, starts its workers, adds up what they count, and returns a [`Run`].

use crate::accounting::Tallied;
use crate::capacity::Capacity;
use crate::health::{Between, Host, Spent, ephemeral_ports};
use crate::labels::{labels, shape};
use crate::recorder::Recorder;
use crate::setup::{Prepared, tls_config};
use crate::worker::{Finished, Task, Worker};
use crate::{Control, DriverError, SetupError};
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use warwolf_clock::{Clock, Timestamp};
use warwolf_driver::{Driver, Epoll, Monotonic, Uring, UringError, host, uring_supported};
use warwolf_measure::{
    Accounting, Aggregator, Environment, Examples, HostEvidence, Interval, IntervalBatch, Mismatch, Outcome,
    RowLabels, Run, Sample, Shape, TARGET_ROWS, Tally, Timeline, WorkerEvidence,
};
use warwolf_observe::ObserverSource;
use warwolf_plan::{CheckedPlan, DriverChoice, Idle, Plan, Request, Shard, text};
use warwolf_workload::{Feed, Feeder};

/// Time zero lies this far ahead when the workers are started, so that all of them are ready for it.
const LEAD: Duration = Duration::from_millis(3);
/// Descriptors besides the connections: rings, files, the terminal.
const OTHER_DESCRIPTORS: u64 = 64;
/// How long after the end of a run its workers may take to end.
const END_MAX: Duration = Duration::from_secs(2);
/// Tallies that travel between a worker and the aggregator, besides the one in use.
const SPARE_TALLIES: usize = 2;
/// Runs `shard` of `plan`, and calls `watch` with each interval once all workers are past it.
///
/// Blocks until the run is over: its time is up, its calls are made, or `control` stops it.
///
/// # Errors
/// When the run cannot start; nothing has been sent then. Later failures are counted in the run.
pub fn run(
    plan: &CheckedPlan,
    shard: Shard,
    control: &Control,
    watch: &mut dyn FnMut(&Interval),
) -> Result<Run, SetupError> {
    run_observed(plan, shard, control, watch, None)
}

/// Runs as [`run`] does, with one observer per worker. Nothing in the run describes the plan until [`describe`] is called:
/// for a long list of URLs that takes more memory than the run.
///
/// # Errors
/// As [`run`].
pub fn run_observed(
    plan: &CheckedPlan,
    shard: Shard,
    control: &Control,
    watch: &mut dyn FnMut(&Interval),
    observers: Option<&dyn ObserverSource>,
) -> Result<Run, SetupError> {
    PreparedRun::new(plan, shard)?.run_now(control, watch, observers)
}

/// Adds the text of its plan, the URLs of its targets and the names of its rows to `run`.
pub fn describe(run: &mut Run, plan: &Plan) {
    run.plan_text = text::to_text(plan);
    run.labels = labels(plan);
    run.targets = plan.requests.iter().map(Request::url).collect();
}

/// A run that is ready to start: names are resolved, requests are encoded, the descriptor limit is
/// raised and memory for the counts is allocated. Nothing has been sent.
pub struct PreparedRun<'p> {
    plan: &'p CheckedPlan,
    shard: Shard,
    capacity: Capacity,
    parts: Arc<Parts>,
    /// For each worker those that it uses in turn.
    tallies: Vec<Vec<Tally>>,
    descriptors_limit: u64,
}

/// What the workers of a run share.
struct Parts {
    prepared: Prepared,
    /// The part that each worker runs, and what it needs.
    shares: Vec<(Shard, Capacity)>,
    /// Where the requests of each worker come from, instead of the plan; taken when it starts.
    feeds: Mutex<Vec<Option<Feed>>>,
}

impl<'p> PreparedRun<'p> {
    /// Prepares `shard` of `plan`.
    ///
    /// # Errors
    /// When something that the plan names or needs is not available.
    pub fn new(plan: &'p CheckedPlan, shard: Shard) -> Result<Self, SetupError> {
        let prepared = Prepared::new(plan, plan.contents())?;
        let capacity = Capacity::of(plan, shard);
        let descriptors_limit = raise_descriptors(sockets(&prepared, capacity.connections))?;
        let threads = capacity.threads(host::available_cores().len()) as u32;
        let share = |number| {
            let shard = shard.split(number, threads).unwrap_or(shard);
            (shard, capacity.of_part(plan, shard))
        };
        let shares = (0..threads).map(share).collect();
        let tallies = |_| (0..=SPARE_TALLIES).map(|_| Tally::reserved(shape(plan))).collect();
        let tallies = (0..threads).map(tallies).collect();
        let parts = Arc::new(Parts { prepared, shares, feeds: Mutex::default() });
        Ok(Self { plan, shard, capacity, parts, tallies, descriptors_limit })
    }

    /// The plan.
    #[must_use]
    pub const fn plan(&self) -> &'p CheckedPlan {
        self.plan
    }

    /// Lets planned calls take their requests from outside, and returns what they are given to. In an open loop the given
    /// times are the arrivals, instead of those of the plan; each session makes one call. The run ends after the last request,
    /// and the feeder when the run is over. Requests can be given before the run starts and while it lasts.
    #[must_use]
    pub fn feed(&mut self) -> Feeder {
        let (feeder, feeds) = Feeder::new(self.threads());
        *self.parts.feeds.lock().unwrap_or_else(PoisonError::into_inner) =
            feeds.into_iter().map(Some).collect();
        let shape = Shape { rows: TARGET_ROWS + 1, ..shape(self.plan) };
        for tallies in &mut self.tallies {
            *tallies = (0..=SPARE_TALLIES).map(|_| Tally::reserved(shape)).collect();
        }
        feeder
    }

    /// What the run needs and may use.
    #[must_use]
    pub const fn capacity(&self) -> &Capacity {
        &self.capacity
    }

    /// Worker threads of the run.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.parts.shares.len()
    }

    /// Runs as [`Self::run`] does, as soon as the threads can be ready.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_now(
        self,
        control: &Control,
        watch: &mut dyn FnMut(&Interval),
        observers: Option<&dyn ObserverSource>,
    ) -> Result<Run, SetupError> {
        self.run(Monotonic::start_at(LEAD), control, watch, observers)
    }

    /// Runs with `start` as time zero and blocks until the run is over. Threads are started now, so `start` should lie
    /// some milliseconds ahead. See [`run`] for `watch`.
    ///
    /// # Errors
    /// When a worker cannot start or its driver fails.
    pub fn run(
        mut self,
        start: Monotonic,
        control: &Control,
        watch: &mut dyn FnMut(&Interval),
        observers: Option<&dyn ObserverSource>,
    ) -> Result<Run, SetupError> {
        let before = Host::read();
        let tallies = std::mem::take(&mut self.tallies);
        let mut supervisor = Supervisor::new(self.capacity.interval, tallies.len(), control);
        let results = match observers {
            // Their workers borrow from the caller, who has to wait for all of them.
            Some(observers) => thread::scope(|scope| {
                supervisor.supervise(tallies, watch, &|| None, |number, recorder, results| {
                    let spec = WorkerSpec::new(self.plan, &self.parts, number, start, Some(observers));
                    spec.named()
                        .spawn_scoped(scope, move || spec.work_for(recorder, control, &results))
                        .map(drop)
                })
            }),
            None => {
                let plan = Arc::new(self.plan.clone());
                let left = || self.time_left(start);
                supervisor.supervise(tallies, watch, &left, |number, recorder, results| {
                    let (plan, parts, control) =
                        (Arc::clone(&plan), Arc::clone(&self.parts), control.clone());
                    let spec = WorkerSpec::new(self.plan, &self.parts, number, start, None);
                    let work = move || {
                        let spec = WorkerSpec::new(&plan, &parts, number, start, None);
                        spec.work_for(recorder, &control, &results);
                    };
                    spec.named().spawn(work).map(drop)
                })
            }
        }?;
        let host = Host::read().since(before);
        let ended =
            results.iter().flatten().map(|(finished, _)| finished.at).fold(Timestamp::ZERO, Timestamp::max);
        let is_whole = results.iter().all(Option::is_some);
        let end = if is_whole { ended } else { ended.max(start.now()) };
        let Supervisor { aggregator, begun, was_stopped, .. } = supervisor;
        let mut timeline = aggregator.finish(end, watch);
        if !is_whole {
            settle_lost(&mut timeline, self.capacity.interval, end);
        }
        let mismatch = if is_whole { self.check_accounting(&results, &timeline).err() } else { None };
        debug_assert_eq!(mismatch, None, "the accounting must add up");
        let mut examples = Examples::default();
        results.iter().flatten().for_each(|(finished, _)| examples.merge(&finished.examples));
        examples.change_texts(|text| self.plan.hide_secrets(text));
        let mut evidence = self.evidence(results, &begun, end, &host);
        (evidence.mismatch, evidence.interrupted) = (mismatch, was_stopped);
        let mut run = Run { examples, ..self.record(end, timeline, evidence) };
        if observers.is_none() {
            describe(&mut run, self.plan);
        }
        Ok(run)
    }

    /// How long the end of the workers may be waited for: a worker without a core must not hold up the report. `None` if the
    /// run has no fixed end.
    fn time_left(&self, start: Monotonic) -> Option<Duration> {
        let stop = &self.plan.stop;
        let deadline = Timestamp::ZERO + stop.duration? + stop.grace + END_MAX;
        Some(deadline.since(start.now()))
    }

    /// Checks the accounting of each worker, and compares what their tallies came to with what arrived in the timeline.
    /// May take a second, so it runs after the evidence has been read.
    fn check_accounting(&self, results: &[Option<Ended>], timeline: &Timeline) -> Result<(), Mismatch> {
        let mut sent = Tallied::default();
        for ((shard, _), (finished, _)) in self.parts.shares.iter().zip(results.iter().flatten()) {
            finished.accounting.check(self.plan, *shard, self.parts.prepared.calls_per_session)?;
            sent = sent.plus(finished.accounting.tallied);
        }
        sent.check_arrived(Tallied::of(&timeline.whole().tally), self.plan, self.shard)
    }

    /// What was observed. `begun`: which workers were heard of.
    fn evidence(
        &self,
        results: Vec<Option<Ended>>,
        begun: &[bool],
        end: Timestamp,
        host: &Between,
    ) -> HostEvidence {
        let driver = results.iter().flatten().map(|(finished, _)| finished.driver).next();
        let held = results.iter().flatten().map(|(finished, _)| finished.held).sum();
        let worker = |(number, result): (usize, Option<Ended>)| match result {
            Some((_, evidence)) => evidence,
            None => {
                let is_without_users = self.plan.is_open() || begun[number];
                let users = self.parts.shares[number].1.sessions as u64;
                let starved = if is_without_users { 0 } else { users };
                WorkerEvidence {
                    wall: end.since(Timestamp::ZERO),
                    starved,
                    is_lost: true,
                    ..Default::default()
                }
            }
        };
        let workers: Vec<_> = results.into_iter().enumerate().map(worker).collect();
        let source_addresses = self.plan.network.bind.len().max(1) as u64;
        let unix = self.plan.network.unix_socket.is_some();
        HostEvidence {
            shard: Some((self.shard.index(), self.shard.count())),
            environment: Environment::default(),
            threads: workers.len() as u32,
            driver: driver.unwrap_or_default().to_owned(),
            idle: match self.plan.idle {
                Idle::Block => warwolf_measure::Idle::Block,
                Idle::Spin => warwolf_measure::Idle::Spin,
            },
            host_cpu_busy_share: host.busy,
            steal_share: host.steal,
            cgroup_throttled: host.throttled,
            descriptors_limit: self.descriptors_limit,
            descriptors_peak: held + OTHER_DESCRIPTORS,
            ports_available: if unix { 0 } else { ephemeral_ports() * source_addresses },
            connections_asked: self.capacity.connections_asked.into(),
            connections_held: held,
            in_flight_limit: self.capacity.in_flight_limit,
            is_capped: false,
            users: if self.plan.is_open() { 0 } else { self.capacity.sessions as u64 },
            cpu_user: workers.iter().map(|worker| worker.cpu_user).sum(),
            cpu_system: workers.iter().map(|worker| worker.cpu_system).sum(),
            interrupted: false,
            mismatch: None,
            workers,
        }
    }

    fn record(&self, end: Timestamp, timeline: Timeline, host: HostEvidence) -> Run {
        let plan = self.plan;
        Run {
            plan_text: String::new(),
            seed: plan.seed,
            open: plan.is_open(),
            target_rate: self.capacity.target_rate,
            nominal: self.capacity.nominal,
            wall: end.since(Timestamp::ZERO),
            warmup: plan.warmup,
            targets: Vec::new(),
            labels: RowLabels::default(),
            examples: Examples::default(),
            timeline,
            hosts: vec![host],
            shards: vec![(self.shard.index(), self.shard.count())],
            replay: None,
        }
    }
}

/// A recorder that uses `tallies` in turn, and the channel on which it gets them back.
fn recorder(
    source: u32,
    mut tallies: Vec<Tally>,
    interval: Duration,
    batches: SyncSender<IntervalBatch>,
) -> (Recorder, SyncSender<Box<Tally>>) {
    let (give_back, empties) = sync_channel(SPARE_TALLIES);
    let current = Box::new(tallies.pop().unwrap_or_default());
    for tally in tallies {
        // The channel holds exactly these.
        let _ = give_back.try_send(Box::new(tally));
    }
    (Recorder::new(source, current, interval, batches, empties), give_back)
}

/// What a worker leaves.
type Ended = (Finished, WorkerEvidence);
type Results = Sender<(usize, Result<Ended, SetupError>)>;

/// Starts workers, and adds up what they count until they end.
struct Supervisor<'c> {
    control: &'c Control,
    interval: Duration,
    aggregator: Aggregator,
    /// Which workers have handed over an interval with calls.
    begun: Vec<bool>,
    /// Whether the run was stopped before its end.
    was_stopped: bool,
}

impl<'c> Supervisor<'c> {
    fn new(interval: Duration, workers: usize, control: &'c Control) -> Self {
        let aggregator = Aggregator::new(interval, workers);
        Self { control, interval, aggregator, begun: vec![false; workers], was_stopped: false }
    }

    /// Starts a worker for each set of tallies and waits for their ends while time is `left`. A worker that has not ended
    /// then leaves nothing, and ends when it gets a core.
    fn supervise(
        &mut self,
        tallies: Vec<Vec<Tally>>,
        watch: &mut dyn FnMut(&Interval),
        left: &dyn Fn() -> Option<Duration>,
        mut spawn: impl FnMut(usize, Recorder, Results) -> io::Result<()>,
    ) -> Result<Vec<Option<Ended>>, SetupError> {
        let (batches, arriving) = sync_channel(tallies.len() * 4);
        let (results, ending) = channel();
        let mut ended: Vec<Option<Ended>> = tallies.iter().map(|_| None).collect();
        let (mut returns, mut failure) = (Vec::new(), None);
        for (number, tallies) in tallies.into_iter().enumerate() {
            let (recorder, give_back) = recorder(number as u32, tallies, self.interval, batches.clone());
            returns.push(give_back);
            if let Err(error) = spawn(number, recorder, results.clone()) {
                failure = Some(worker_failed(error));
                self.control.abort();
            }
        }
        drop((batches, results));
        self.add_up(&arriving, &returns, watch, left);
        let is_late = loop {
            match receive(&ending, left) {
                Ok((number, Ok(result))) => ended[number] = Some(result),
                Ok((_, Err(error))) => failure = failure.or(Some(error)),
                Err(RecvTimeoutError::Disconnected) => break false,
                Err(RecvTimeoutError::Timeout) => break true,
            }
        };
        self.was_stopped = self.control.is_stopped();
        match failure {
            Some(failure) => Err(failure),
            None if is_late => {
                self.control.abort();
                Ok(ended)
            }
            None if ended.iter().any(Option::is_none) => Err(SetupError::Panic),
            None => Ok(ended),
        }
    }

    /// Adds up interval batches until all workers have finished or no time is left, and returns the emptied tallies to them.
    fn add_up(
        &mut self,
        arriving: &Receiver<IntervalBatch>,
        returns: &[SyncSender<Box<Tally>>],
        watch: &mut dyn FnMut(&Interval),
        left: &dyn Fn() -> Option<Duration>,
    ) {
        while let Ok(mut batch) = receive(arriving, left) {
            self.begun[batch.source as usize] |= batch.tally.counters().started > 0;
            self.aggregator.add(&batch);
            batch.tally.reset();
            // The channel of a worker that has finished is closed.
            let _ = returns[batch.source as usize].try_send(batch.tally);
            self.aggregator.complete(watch);
        }
    }
}

/// Counts the calls that were in flight when the last batches of lost workers were handed over, so that the accounting adds up.
/// Their ages are unknown.
fn settle_lost(timeline: &mut Timeline, interval: Duration, end: Timestamp) {
    let counts = Accounting::of(&timeline.whole().tally);
    let ended = counts.completed + counts.failed + counts.timed_out + counts.unfinished;
    let mut tally = Tally::new();
    let sample = Sample {
        intended: end,
        started: end,
        sent: Timestamp::NEVER,
        first_byte: Timestamp::NEVER,
        finished: end,
        body_bytes: 0,
        header_bytes: 0,
        sent_bytes: 0,
        status: 0,
        target: u16::MAX,
        outcome: Outcome::Unfinished,
        check_failed: false,
    };
    (ended..counts.started).for_each(|_| tally.record(&sample));
    tally.unstarted(counts.planned - counts.started - counts.unstarted);
    let last = u128::from(end.as_nanos().saturating_sub(1)) / interval.as_nanos();
    timeline.add(u64::try_from(last).unwrap_or(0), &tally);
}

/// Waits for a value while time is `left`; without a limit if that is `None`.
fn receive<T>(from: &Receiver<T>, left: &dyn Fn() -> Option<Duration>) -> Result<T, RecvTimeoutError> {
    match left() {
        Some(left) => from.recv_timeout(left),
        None => from.recv().map_err(|_| RecvTimeoutError::Disconnected),
    }
}

/// How many sockets these connections and their companions need.
fn sockets(prepared: &Prepared, connections: u32) -> u32 {
    if prepared.has_companions { connections.saturating_mul(2) } else { connections }
}

/// Raises the descriptor limit so that `connections` can be open at once, and returns the limit.
fn raise_descriptors(connections: u32) -> Result<u64, SetupError> {
    let needed = u64::from(connections) + OTHER_DESCRIPTORS;
    let limit = host::raise_descriptor_limit().unwrap_or(0);
    if limit < needed { Err(SetupError::Descriptors { needed, limit }) } else { Ok(limit) }
}

/// What a worker needs to start.
struct WorkerSpec<'r> {
    plan: &'r CheckedPlan,
    parts: &'r Parts,
    prepared: &'r Prepared,
    shard: Shard,
    capacity: &'r Capacity,
    number: usize,
    start: Monotonic,
    observers: Option<&'r dyn ObserverSource>,
}

impl<'r> WorkerSpec<'r> {
    fn new(
        plan: &'r CheckedPlan,
        parts: &'r Parts,
        number: usize,
        start: Monotonic,
        observers: Option<&'r dyn ObserverSource>,
    ) -> Self {
        let (shard, capacity) = &parts.shares[number];
        Self { plan, parts, prepared: &parts.prepared, shard: *shard, capacity, number, start, observers }
    }

    /// What its thread starts with.
    fn named(&self) -> thread::Builder {
        thread::Builder::new().name(format!("worker-{}", self.number))
    }

    /// Runs the worker and sends its result. A worker that fails aborts the run.
    fn work_for(&self, recorder: Recorder, control: &Control, results: &Results) {
        let result = self.work(recorder, control);
        if result.is_err() {
            control.abort();
        }
        // The receiver is gone if this worker was not waited for.
        let _ = results.send((self.number, result));
    }

    /// Builds the driver on this thread, as io_uring requires, and runs the worker to its end. The thread may run on any
    /// core: one that is pinned gets no core while something else uses its own, although others are free.
    fn work(&self, recorder: Recorder, control: &Control) -> Result<Ended, SetupError> {
        let task = self.task(recorder, control)?;
        let (finished, spent) =
            match self.driver(sockets(self.prepared, task.connections as u32) as usize)? {
                Kernel::Uring(driver) => {
                    control.register(driver.waker().map_err(worker_failed)?);
                    run_from_zero(*driver, task)
                }
                Kernel::Epoll(driver) => {
                    control.register(driver.waker().map_err(worker_failed)?);
                    run_from_zero(*driver, task)
                }
            }
            .map_err(worker_failed)?;
        let wall = finished.at.since(Timestamp::ZERO);
        let evidence = WorkerEvidence {
            busy: wall.saturating_sub(finished.waited),
            wall,
            cpu_user: spent.user,
            cpu_system: spent.system,
            core: None,
            starved: finished.accounting.starved(),
            is_lost: false,
            late_pages: finished.late_pages,
            run_delay: spent.delay,
        };
        Ok((finished, evidence))
    }

    fn task(&self, recorder: Recorder, control: &Control) -> Result<Task<'_>, SetupError> {
        let plan = self.plan;
        let mut feeds = self.parts.feeds.lock().unwrap_or_else(PoisonError::into_inner);
        let feed = feeds.get_mut(self.number).and_then(Option::take);
        Ok(Task {
            plan,
            shard: self.shard,
            prepared: self.prepared,
            endpoints: self.prepared.endpoints.clone(),
            tls: tls_config(plan, feed.is_some())?,
            feed,
            recorder,
            control: control.clone(),
            observer: self.observers.map(ObserverSource::observer),
            sessions: self.capacity.sessions,
            connections: self.capacity.connections as usize,
        })
    }

    fn driver(&self, sockets: usize) -> Result<Kernel, SetupError> {
        let idle = match self.plan.idle {
            Idle::Block => warwolf_driver::Idle::Block,
            Idle::Spin => warwolf_driver::Idle::Spin,
        };
        let epoll = || {
            Epoll::new(self.start, idle, sockets)
                .map(|driver| Kernel::Epoll(Box::new(driver)))
                .map_err(|error| SetupError::Driver(DriverError::Epoll(error)))
        };
        let uring = || {
            uring_supported()
                .and_then(|()| Uring::new(self.start, idle, sockets).map_err(UringError::Setup))
                .map(|driver| Kernel::Uring(Box::new(driver)))
        };
        match self.plan.driver {
            DriverChoice::Epoll => epoll(),
            // io_uring cannot pause reading from a connection.
            DriverChoice::Auto if self.plan.network.receive_rate.is_some() => epoll(),
            DriverChoice::Auto => uring().or_else(|_| epoll()),
            DriverChoice::Uring => uring().map_err(|error| SetupError::Driver(DriverError::Uring(error))),
        }
    }
}

/// Runs a worker to its end, and returns what its thread has spent since time zero. Delay counts from the moment at which
/// the worker began to wait for time zero: one that had no core then noticed time zero late.
fn run_from_zero<D: Driver>(driver: D, task: Task<'_>) -> io::Result<(Finished, Spent)> {
    let worker = Worker::new(driver, task);
    let ready = Spent::read();
    let worker = worker.await_start()?;
    let before = Spent { delay: ready.delay, ..Spent::read() };
    Ok((worker.run()?, Spent::read().since(before)))
}

fn worker_failed(error: io::Error) -> SetupError {
    SetupError::Thread { name: "worker", error }
}

enum Kernel {
    Uring(Box<Uring>),
    Epoll(Box<Epoll>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_without_a_core_does_not_hold_up_the_report() {
        let control = Control::new();
        let mut supervisor = Supervisor::new(Duration::from_secs(1), 2, &control);
        // The first worker hands over a batch and ends; the second never gets a core.
        let mut waiting = Vec::new();
        let spawn = |number, mut recorder: Recorder, results: Results| {
            if number == 1 {
                waiting.push((recorder, results));
                return Ok(());
            }
            recorder.tally.planned(3);
            recorder.tally.started(2);
            recorder.close();
            let accounting = crate::accounting::Accounting::default();
            let (at, waited) = (Timestamp::from_nanos(1), Duration::ZERO);
            let finished = Finished {
                driver: "sim",
                late_pages: 0,
                waited,
                held: 0,
                at,
                accounting,
                examples: Examples::default(),
            };
            results.send((number, Ok((finished, WorkerEvidence::default())))).unwrap();
            Ok(())
        };
        let tallies = vec![vec![Tally::new()], vec![Tally::new()]];
        let ended = supervisor.supervise(tallies, &mut |_| {}, &|| Some(Duration::ZERO), spawn);
        assert_eq!(ended.unwrap().iter().map(Option::is_some).collect::<Vec<_>>(), [true, false]);
        assert_eq!((&supervisor.begun, control.is_stopped()), (&vec![true, false], true));
        let (second, end) = (Duration::from_secs(1), Timestamp::from_nanos(1_500_000_000));
        let mut timeline = supervisor.aggregator.finish(end, &mut |_| {});
        settle_lost(&mut timeline, second, end);
        let counts = Accounting::of(&timeline.whole().tally);
        assert!(counts.adds_up() && (counts.unfinished, counts.unstarted) == (2, 1), "{counts:?}");
    }
}
