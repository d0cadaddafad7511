//! Prepares a run, starts its workers, adds up what they count, and returns a [`Run`].

use crate::accounting::Tallied;
use crate::capacity::Capacity;
use crate::health::{Between, Host, Spent, ephemeral_ports};
use crate::recorder::Recorder;
use crate::setup::{Prepared, tls_config};
use crate::worker::{Finished, Task, Worker};
use crate::{Control, DriverError, SetupError};
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_driver::{Driver, Epoll, Monotonic, Uring, UringError, host, uring_supported};
use warwolf_measure::{
    Aggregator, Environment, HostEvidence, Interval, IntervalBatch, Mismatch, Run, Tally, Timeline,
    WorkerEvidence,
};
use warwolf_observe::ObserverSource;
use warwolf_plan::{CheckedPlan, DriverChoice, Idle, Plan, Request, Shard, text};

/// Time zero lies this far ahead when the workers are started, so that all of them are ready for it.
const LEAD: Duration = Duration::from_millis(3);
/// Descriptors besides the connections: rings, files, the terminal.
const OTHER_DESCRIPTORS: u64 = 64;
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

/// Adds the text of its plan and the URLs of its targets to `run`.
pub fn describe(run: &mut Run, plan: &Plan) {
    run.plan_text = text::to_toml(plan);
    run.targets = plan.requests.iter().map(Request::url).collect();
}

/// A run that is ready to start: names are resolved, requests are encoded, the descriptor limit is
/// raised and memory for the counts is allocated. Nothing has been sent.
pub struct PreparedRun<'p> {
    plan: &'p CheckedPlan,
    shard: Shard,
    prepared: Prepared,
    capacity: Capacity,
    workers: Vec<WorkerShare>,
    descriptors_limit: u64,
}

/// The part of a run that one worker gets.
struct WorkerShare {
    shard: Shard,
    capacity: Capacity,
    /// The tallies it uses in turn; taken when it starts.
    tallies: Vec<Tally>,
}

impl<'p> PreparedRun<'p> {
    /// Prepares `shard` of `plan`.
    ///
    /// # Errors
    /// When something that the plan names or needs is not available.
    pub fn new(plan: &'p CheckedPlan, shard: Shard) -> Result<Self, SetupError> {
        let prepared = Prepared::new(plan)?;
        let capacity = Capacity::of(plan, shard);
        let descriptors_limit = raise_descriptors(sockets(&prepared, capacity.connections))?;
        let threads = capacity.threads(host::available_cores().len()) as u32;
        let workers = (0..threads)
            .map(|number| {
                let shard = shard.split(number, threads).unwrap_or(shard);
                let tallies = (0..=SPARE_TALLIES).map(|_| Tally::reserved(plan.requests.len())).collect();
                WorkerShare { shard, capacity: capacity.of_part(plan, shard), tallies }
            })
            .collect();
        Ok(Self { plan, shard, prepared, capacity, workers, descriptors_limit })
    }

    /// The plan.
    #[must_use]
    pub const fn plan(&self) -> &'p CheckedPlan {
        self.plan
    }

    /// What the run needs and may use.
    #[must_use]
    pub const fn capacity(&self) -> &Capacity {
        &self.capacity
    }

    /// Worker threads of the run.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.workers.len()
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
        let tallies: Vec<_> =
            self.workers.iter_mut().map(|share| std::mem::take(&mut share.tallies)).collect();
        let threads = tallies.len();
        let (batches, arriving) = sync_channel(threads * 4);
        let mut aggregator = Aggregator::new(self.capacity.interval, threads);
        let results = thread::scope(|scope| {
            let (workers, returns): (Vec<_>, Vec<_>) = (0..)
                .zip(tallies)
                .map(|(number, tallies)| {
                    let (recorder, give_back) =
                        recorder(number, tallies, self.capacity.interval, batches.clone());
                    let worker = self.worker_spec(number as usize, start, observers);
                    (worker.spawn(scope, recorder, control), give_back)
                })
                .unzip();
            drop(batches);
            add_up(&mut aggregator, &arriving, &returns, watch);
            workers
                .into_iter()
                .map(|worker| worker?.join().unwrap_or(Err(SetupError::Panic)))
                .collect::<Result<Vec<_>, _>>()
        })?;
        let host = Host::read().since(before);
        let end = results.iter().map(|(finished, _)| finished.at).fold(Timestamp::ZERO, Timestamp::max);
        let timeline = aggregator.finish(end, watch);
        let mismatch = self.check_accounting(&results, &timeline).err();
        debug_assert_eq!(mismatch, None, "the accounting must add up");
        let mut evidence = self.evidence(results, &host, control.is_stopped());
        evidence.mismatch = mismatch;
        let mut run = self.record(end, timeline, evidence);
        if observers.is_none() {
            describe(&mut run, self.plan);
        }
        Ok(run)
    }

    fn worker_spec<'r>(
        &'r self,
        number: usize,
        start: Monotonic,
        observers: Option<&'r dyn ObserverSource>,
    ) -> WorkerSpec<'r> {
        let WorkerShare { shard, capacity, .. } = &self.workers[number];
        WorkerSpec {
            plan: self.plan,
            prepared: &self.prepared,
            shard: *shard,
            capacity,
            number,
            start,
            observers,
        }
    }

    /// Checks the accounting of each worker, and compares what their tallies came to with what arrived in the timeline.
    /// May take a second, so it runs after the evidence has been read.
    fn check_accounting(
        &self,
        results: &[(Finished, WorkerEvidence)],
        timeline: &Timeline,
    ) -> Result<(), Mismatch> {
        let mut sent = Tallied::default();
        for (worker, (finished, _)) in self.workers.iter().zip(results) {
            finished.accounting.check(self.plan, worker.shard, self.prepared.calls_per_session)?;
            sent = sent.plus(finished.accounting.tallied);
        }
        sent.check_arrived(Tallied::of(&timeline.whole().tally), self.plan, self.shard)
    }

    fn evidence(
        &self,
        results: Vec<(Finished, WorkerEvidence)>,
        host: &Between,
        interrupted: bool,
    ) -> HostEvidence {
        let held = results.iter().map(|(finished, _)| finished.held).sum();
        let source_addresses = self.plan.network.bind.len().max(1) as u64;
        let unix = self.plan.network.unix_socket.is_some();
        HostEvidence {
            shard: Some((self.shard.index(), self.shard.count())),
            environment: Environment::default(),
            threads: results.len() as u32,
            driver: results.first().map(|(finished, _)| finished.driver.to_owned()).unwrap_or_default(),
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
            cpu_user: results.iter().map(|(_, worker)| worker.cpu_user).sum(),
            cpu_system: results.iter().map(|(_, worker)| worker.cpu_system).sum(),
            interrupted,
            mismatch: None,
            workers: results.into_iter().map(|(_, worker)| worker).collect(),
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
            timeline,
            hosts: vec![host],
            shards: vec![(self.shard.index(), self.shard.count())],
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

/// Adds up interval batches until all workers have finished, and returns the emptied tallies to them.
fn add_up(
    aggregator: &mut Aggregator,
    arriving: &Receiver<IntervalBatch>,
    returns: &[SyncSender<Box<Tally>>],
    watch: &mut dyn FnMut(&Interval),
) {
    while let Ok(mut batch) = arriving.recv() {
        aggregator.add(&batch);
        batch.tally.reset();
        // The channel of a worker that has finished is closed.
        let _ = returns[batch.source as usize].try_send(batch.tally);
        aggregator.complete(watch);
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
    prepared: &'r Prepared,
    shard: Shard,
    capacity: &'r Capacity,
    number: usize,
    start: Monotonic,
    observers: Option<&'r dyn ObserverSource>,
}

type WorkerResult = Result<(Finished, WorkerEvidence), SetupError>;

impl<'r> WorkerSpec<'r> {
    /// Starts the worker on a thread of its own. A worker that fails aborts the run.
    fn spawn<'s>(
        self,
        scope: &'s Scope<'s, '_>,
        recorder: Recorder,
        control: &'r Control,
    ) -> Result<ScopedJoinHandle<'s, WorkerResult>, SetupError>
    where
        'r: 's,
    {
        thread::Builder::new()
            .name(format!("worker-{}", self.number))
            .spawn_scoped(scope, move || {
                let result = self.work(recorder, control);
                if result.is_err() {
                    control.abort();
                }
                result
            })
            .map_err(worker_failed)
    }

    /// Builds the driver on this thread, as io_uring requires, and runs the worker to its end. The thread may run on any
    /// core: one that is pinned gets no core while something else uses its own, although others are free.
    fn work(&self, recorder: Recorder, control: &Control) -> WorkerResult {
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
            late_pages: finished.late_pages,
            run_delay: spent.delay,
        };
        Ok((finished, evidence))
    }

    fn task(&self, recorder: Recorder, control: &Control) -> Result<Task<'_>, SetupError> {
        let plan = self.plan;
        Ok(Task {
            plan,
            shard: self.shard,
            prepared: self.prepared,
            endpoints: self.prepared.endpoints.clone(),
            tls: tls_config(plan)?,
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
