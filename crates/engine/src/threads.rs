//! The thread that starts the workers, sums up what they count, and ends with a [`Run`].

use crate::capacity::Capacity;
use crate::health::{Host, Spent, ephemeral_ports};
use crate::recorder::{Page, Recorder};
use crate::setup::{Prepared, tls_config};
use crate::worker::{Finished, Task, Worker};
use crate::{Control, SetupError};
use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_driver::{Driver, Epoll, Monotonic, Uring, host, uring_supported};
use warwolf_measure::{Environment, Evidence, Interval, Run, Tally, Timeline, WorkerEvidence};
use warwolf_observe::Observers;
use warwolf_plan::{DriverChoice, Idle, Plan, Shard, text};
use warwolf_workload::{Arrivals, Workload};

/// Time zero lies this far ahead when the workers are started, so that all of them are there for it.
const LEAD: Duration = Duration::from_millis(3);
/// Descriptors besides the connections: rings, files, the terminal.
const OTHER_DESCRIPTORS: u64 = 64;
/// Tallies that travel between a worker and the thread that sums up, besides the one in use.
const SPARE_TALLIES: usize = 2;
/// Runs the part of `plan` that is `shard`, and tells `watch` about each interval once all workers are past it.
///
/// Blocks until the run is over: its time is up, its calls are made, or `control` stops it.
///
/// # Errors
/// When the run could not begin; nothing has been sent then. What goes wrong later is counted in the run.
pub fn run(
    plan: &Plan,
    shard: Shard,
    control: &Control,
    watch: &mut dyn FnMut(&Interval),
) -> Result<Run, SetupError> {
    run_observed(plan, shard, control, watch, None)
}

/// Runs a plan as [`run`] does, with one observer per worker.
///
/// # Errors
/// As [`run`].
pub fn run_observed(
    plan: &Plan,
    shard: Shard,
    control: &Control,
    watch: &mut dyn FnMut(&Interval),
    observers: Option<Observers<'_>>,
) -> Result<Run, SetupError> {
    plan.check()?;
    let prepared = Prepared::new(plan)?;
    let cores = host::available_cores();
    let capacity = Capacity::of(plan, shard);
    let threads = capacity.threads(cores.len());
    let descriptors = raise_descriptors(sockets(&prepared, capacity.connections))?;
    let length = capacity.interval;

    let before = Host::read();
    let (pages, arriving) = sync_channel(threads * 4);
    let mut desk = Desk::new(length, threads);
    let tally = || Box::new(Tally::reserved(plan.requests.len()));
    let start = Monotonic::start_at(LEAD);
    let results = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|number| {
                let (give, empties) = sync_channel(SPARE_TALLIES);
                desk.equip(give, tally);
                let seat = Seat {
                    plan,
                    prepared: &prepared,
                    shard: shard.split(number as u32, threads as u32).unwrap_or(shard),
                    number,
                    core: cores.get(number).copied().filter(|_| threads <= cores.len()),
                    start,
                    observers,
                };
                let recorder = Recorder::new(number, tally(), length, pages.clone(), empties);
                thread::Builder::new()
                    .name(format!("worker-{number}"))
                    .spawn_scoped(scope, move || {
                        let result = seat.work(recorder, control);
                        if result.is_err() {
                            control.abort();
                        }
                        result
                    })
                    .map_err(|error| SetupError::Thread(error.to_string()))
            })
            .collect();
        drop(pages);
        desk.sum_up(&arriving, watch);
        workers
            .into_iter()
            .map(|worker| worker?.join().unwrap_or_else(|_| Err(SetupError::Thread("it panicked".into()))))
            .collect::<Result<Vec<_>, _>>()
    })?;
    let host = Host::read().since(before);
    let end = results.iter().map(|(finished, _)| finished.at).fold(Timestamp::ZERO, Timestamp::max);
    let (cpu_user, cpu_system) =
        results.iter().fold((Duration::ZERO, Duration::ZERO), |(user, system), (_, w)| {
            (user + w.cpu_user, system + w.cpu_system)
        });
    let held = results.iter().map(|(finished, _)| finished.held).sum();
    let sources = plan.network.bind.len().max(1) as u64;
    let evidence = Evidence {
        threads: threads as u32,
        driver: results.first().map(|(finished, _)| finished.driver.to_owned()).unwrap_or_default(),
        idle: match plan.idle {
            Idle::Block => "block".to_owned(),
            Idle::Spin => "spin".to_owned(),
        },
        host_cpu_busy_share: host.busy,
        steal_share: host.steal,
        cgroup_throttled: host.throttled,
        descriptors_limit: descriptors,
        descriptors_peak: held + OTHER_DESCRIPTORS,
        ports_available: if plan.network.unix_socket.is_some() { 0 } else { ephemeral_ports() * sources },
        connections_asked: capacity.connections_asked.into(),
        connections_held: held,
        in_flight_limit: capacity.in_flight_limit,
        cpu_user,
        cpu_system,
        interrupted: control.is_stopped(),
        workers: results.into_iter().map(|(_, worker)| worker).collect(),
    };
    let mut timeline = desk.timeline;
    timeline.finish(end);
    Ok(Run {
        plan_text: text::to_toml(plan),
        seed: plan.seed,
        open: plan.is_open(),
        target_rate: capacity.target_rate,
        nominal: capacity.nominal,
        wall: end.since(Timestamp::ZERO),
        warmup: plan.warmup,
        targets: plan.requests.iter().map(warwolf_plan::Request::url).collect(),
        timeline,
        evidence,
        environment: Environment::default(),
        shards: vec![(shard.index(), shard.count())],
    })
}

/// Sockets for so many connections: an FTP call has two.
fn sockets(prepared: &Prepared, connections: u32) -> u32 {
    if prepared.has_ftp { connections.saturating_mul(2) } else { connections }
}

/// Sees to it that `connections` can be open at once; gives the limit on descriptors.
fn raise_descriptors(connections: u32) -> Result<u64, SetupError> {
    let needed = u64::from(connections) + OTHER_DESCRIPTORS;
    let limit = host::raise_descriptor_limit().unwrap_or(0);
    if limit < needed { Err(SetupError::Descriptors { needed, limit }) } else { Ok(limit) }
}

/// What a worker is given.
struct Seat<'p> {
    plan: &'p Plan,
    prepared: &'p Prepared,
    shard: Shard,
    number: usize,
    core: Option<usize>,
    start: Monotonic,
    observers: Option<Observers<'p>>,
}

impl Seat<'_> {
    /// Builds the driver on its own thread, as a ring wants it, and runs the worker to its end.
    fn work(&self, recorder: Recorder, control: &Control) -> Result<(Finished, WorkerEvidence), SetupError> {
        if let Some(core) = self.core {
            // Not being pinned costs a little speed; the evidence shows where the worker ran.
            let _ = host::pin_to_core(core);
        }
        let task = self.task(recorder, control)?;
        let failed = |error: io::Error| SetupError::Thread(error.to_string());
        let (finished, spent) =
            match self.driver(sockets(self.prepared, task.connections as u32) as usize)? {
                Kernel::Uring(driver) => {
                    control.register(driver.waker().map_err(failed)?);
                    run_from_zero(*driver, task)
                }
                Kernel::Epoll(driver) => {
                    control.register(driver.waker().map_err(failed)?);
                    run_from_zero(*driver, task)
                }
            }
            .map_err(failed)?;
        let wall = finished.at.since(Timestamp::ZERO);
        let evidence = WorkerEvidence {
            busy: wall.saturating_sub(finished.waited),
            wall,
            cpu_user: spent.user,
            cpu_system: spent.system,
            core: self.core.map(|core| core as u32),
            late_pages: finished.late_pages,
            run_delay: spent.delay,
        };
        Ok((finished, evidence))
    }

    fn task(&self, recorder: Recorder, control: &Control) -> Result<Task<'_>, SetupError> {
        let plan = self.plan;
        let Capacity { sessions, connections, .. } = Capacity::of(plan, self.shard);
        Ok(Task {
            prepared: self.prepared,
            arrivals: Arrivals::new(plan, &self.shard),
            workload: Workload::new(plan),
            endpoints: self.prepared.endpoints.clone(),
            tls: tls_config(plan)?,
            recorder,
            control: control.clone(),
            observer: self.observers.map(|observer| observer(self.number)),
            sessions,
            connections: connections as usize,
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
                .map_err(|error| SetupError::Driver { name: "epoll", error: error.to_string() })
        };
        let uring = || {
            uring_supported().and_then(|()| {
                Uring::new(self.start, idle, sockets)
                    .map(|driver| Kernel::Uring(Box::new(driver)))
                    .map_err(|error| error.to_string())
            })
        };
        match self.plan.driver {
            DriverChoice::Epoll => epoll(),
            // The ring cannot let a connection wait.
            DriverChoice::Auto if self.plan.network.receive_rate.is_some() => epoll(),
            DriverChoice::Auto => uring().or_else(|_| epoll()),
            DriverChoice::Uring => uring().map_err(|error| SetupError::Driver { name: "uring", error }),
        }
    }
}

/// Runs a worker to its end, and says what its thread has spent since time zero.
fn run_from_zero<D: Driver>(driver: D, task: Task<'_>) -> io::Result<(Finished, Spent)> {
    let worker = Worker::new(driver, task).await_start()?;
    let before = Spent::read();
    Ok((worker.run()?, Spent::read().since(before)))
}

enum Kernel {
    Uring(Box<Uring>),
    Epoll(Box<Epoll>),
}

/// Where pages arrive and are put together, interval by interval.
struct Desk {
    timeline: Timeline,
    length: Duration,
    /// By worker: where to send tallies back, and the first interval it may still add to.
    workers: Vec<(Option<SyncSender<Box<Tally>>>, u64)>,
    /// Intervals that some worker is not past yet.
    open: BTreeMap<u64, Tally>,
    spare: Vec<Tally>,
}

impl Desk {
    fn new(length: Duration, threads: usize) -> Self {
        Self {
            timeline: Timeline::new(length),
            length,
            workers: Vec::with_capacity(threads),
            open: BTreeMap::new(),
            spare: Vec::new(),
        }
    }

    fn equip(&mut self, give: SyncSender<Box<Tally>>, tally: impl Fn() -> Box<Tally>) {
        for _ in 0..SPARE_TALLIES {
            // The channel holds exactly these.
            let _ = give.try_send(tally());
        }
        self.workers.push((Some(give), 0));
    }

    /// Takes pages until all workers have finished.
    fn sum_up(&mut self, arriving: &Receiver<Page>, watch: &mut dyn FnMut(&Interval)) {
        while let Ok(page) = arriving.recv() {
            self.take(page);
            self.close_intervals(watch);
        }
        self.workers.iter_mut().for_each(|(_, past)| *past = u64::MAX);
        self.close_intervals(watch);
    }

    fn take(&mut self, mut page: Page) {
        let Self { open, spare, workers, .. } = self;
        let interval = open.entry(page.number).or_insert_with(|| spare.pop().unwrap_or_default());
        interval.merge(&page.tally);
        let (back, past) = &mut workers[page.worker];
        *past = if page.last { u64::MAX } else { page.number + 1 };
        page.tally.reset();
        if let Some(sender) = back {
            // A worker that has finished takes nothing back.
            let _ = sender.try_send(page.tally);
        }
    }

    fn close_intervals(&mut self, watch: &mut dyn FnMut(&Interval)) {
        let past = self.workers.iter().map(|(_, past)| *past).min().unwrap_or(u64::MAX);
        let length = u64::try_from(self.length.as_nanos()).unwrap_or(u64::MAX);
        let at = |number: u64| Timestamp::from_nanos(length.saturating_mul(number));
        while let Some(entry) = self.open.first_entry().filter(|entry| *entry.key() < past) {
            let (number, tally) = entry.remove_entry();
            let mut interval = Interval { number, start: at(number), end: at(number + 1), tally };
            watch(&interval);
            self.timeline.push(&interval);
            interval.tally.reset();
            self.spare.push(interval.tally);
        }
    }
}
