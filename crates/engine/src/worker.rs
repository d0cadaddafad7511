//! One worker: the loop that releases sessions, issues their calls, and waits.

mod calls;
mod companions;
mod connections;
mod dedicated;
mod events;
mod throttle;
mod timeouts;

use crate::accounting::Accounting;
use crate::call::NONE;
use crate::control::Control;
use crate::network::{Buffers, Network};
use crate::pool::Calls;
use crate::recorder::Recorder;
use crate::sessions::{ActiveSession, Sessions};
use crate::setup::{Endpoints, Prepared, RequestRef};
use crate::sink::Ends;
use crate::timers::{Timer, Timers};
use crate::window::Window;
use calls::Part;
use slab::Slab;
use std::io;
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_driver::{Completion, Driver, SocketId};
use warwolf_http::TlsConfig;
use warwolf_measure::Outcome;
use warwolf_observe::{Event, Kept, Observer};
use warwolf_plan::{CheckedPlan, Ownership, Shard, Timeouts};
use warwolf_workload::{Arrival, Arrivals, CallRequest, Interest, Step, Workload};

/// Whether there is more to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    More,
    Finished,
}

/// What a worker needs to begin.
pub(crate) struct Task<'p> {
    pub(crate) plan: &'p CheckedPlan,
    /// The part of the plan that is this worker's.
    pub(crate) shard: Shard,
    pub(crate) prepared: &'p Prepared,
    pub(crate) endpoints: Endpoints,
    pub(crate) tls: Option<TlsConfig>,
    pub(crate) recorder: Recorder,
    pub(crate) control: Control,
    pub(crate) observer: Option<Box<dyn Observer + 'p>>,
    /// Sessions that may be under way at once.
    pub(crate) sessions: usize,
    /// Connections that may be open at once.
    pub(crate) connections: usize,
}

pub(crate) struct Worker<'p, D: Driver> {
    driver: D,
    prepared: &'p Prepared,
    arrivals: Arrivals,
    workload: Workload,
    sessions: Sessions,
    calls: Calls,
    /// Calls created so far.
    created: u64,
    network: Network,
    buffers: Buffers,
    timers: Timers,
    recorder: Recorder,
    control: Control,
    observation: Observation<'p>,
    /// The moment this turn goes by; one reading of the clock for all that a batch brings.
    now: Timestamp,
    window: Window,
    accounting: Accounting,
    /// Calls that ended in what is being handled.
    ended: Ends,
    completions: Vec<Completion>,
    /// Time spent waiting for the kernel.
    waited: Duration,
}

/// What an observer and the plan want to know about calls.
struct Observation<'p> {
    observer: Option<Box<dyn Observer + 'p>>,
    /// Whether anything depends on when the kernel has all of a request.
    follows_writes: bool,
    /// What calls keep.
    interest: Interest,
}

impl<'p> Observation<'p> {
    fn new(prepared: &Prepared, workload: &Workload, observer: Option<Box<dyn Observer + 'p>>) -> Self {
        let Timeouts { send, reply, .. } = &prepared.timeouts;
        let mut interest = workload.interest();
        observer.iter().for_each(|observer| observer.add_interest(&mut interest));
        Self {
            follows_writes: observer.is_some()
                || send.is_some()
                || reply.is_some()
                || prepared.has_companions,
            interest,
            observer,
        }
    }

    /// What a call that begins keeps; none where nobody wants anything.
    fn kept(&self) -> Option<Box<Kept>> {
        if self.interest.is_empty() { None } else { Some(Box::default()) }
    }
}

impl<'p, D: Driver> Worker<'p, D> {
    pub(crate) fn new(driver: D, task: Task<'p>) -> Self {
        let sessions = task.sessions.min(65_536);
        let workload = Workload::new(task.plan);
        Self {
            now: driver.now(),
            driver,
            prepared: task.prepared,
            arrivals: Arrivals::new(task.plan, &task.shard),
            sessions: Sessions::new(task.sessions, sessions),
            calls: Slab::with_capacity(sessions),
            created: 0,
            network: Network::new(
                task.endpoints,
                task.tls,
                task.connections,
                sessions,
                task.prepared.pipeline,
            ),
            buffers: Buffers::new(),
            timers: Timers::with_capacity(sessions),
            recorder: task.recorder,
            control: task.control,
            observation: Observation::new(task.prepared, &workload, task.observer),
            workload,
            window: Window::new(&task.prepared.stop),
            accounting: Accounting::default(),
            ended: Ends::with_capacity(256),
            completions: Vec::with_capacity(1_024),
            waited: Duration::ZERO,
        }
    }

    /// Runs to the end and hands over the last tally.
    ///
    /// # Errors
    /// When the kernel refuses to let us wait: this machine's fault.
    pub(crate) fn run(mut self) -> io::Result<Finished> {
        while self.turn()? == Turn::More {}
        let now = self.cut();
        let finished = Finished {
            driver: self.driver.name(),
            late_pages: self.recorder.late_pages,
            waited: self.waited,
            held: self.network.held,
            at: now,
            accounting: self.final_accounting(),
        };
        self.recorder.close();
        Ok(finished)
    }

    /// The accounting of the whole run, with what the sessions that are not over and the tallies have counted.
    fn final_accounting(&self) -> Accounting {
        let mut accounting = self.accounting;
        for (index, live) in self.sessions.iter() {
            accounting.programmed += live.session.calls_asked();
            // Nothing would ever wake it: no call is in flight and no pause ends after this moment.
            let paused = self.timers.at(Timer::Pause, index);
            let is_stuck = live.in_flight == 0 && (!paused.is_reached() || paused < self.now);
            accounting.stuck += u64::from(is_stuck);
        }
        accounting.tallied = self.recorder.tallied();
        accounting.horizon = self.window.horizon();
        accounting
    }

    /// Lets time zero come, which all workers share: before it, the clock stands still.
    pub(crate) fn await_start(mut self) -> io::Result<Self> {
        while self.driver.now() == Timestamp::ZERO {
            self.driver.wait(Timestamp::from_nanos(1), &mut self.completions)?;
        }
        Ok(self)
    }

    /// One turn of the loop; the first thing to read in this crate.
    pub(crate) fn turn(&mut self) -> io::Result<Turn> {
        self.now = self.driver.now();
        self.expire();
        self.start_sessions();
        self.serve_queue();
        self.flush();
        self.turn_page();
        if self.finished() {
            return Ok(Turn::Finished);
        }
        self.network.reap();
        if let Some(observer) = &mut self.observation.observer {
            observer.pause();
        }
        self.wait()?;
        self.complete();
        self.flush();
        Ok(Turn::More)
    }

    /// Hands over what an interval that is past has counted.
    fn turn_page(&mut self) {
        if self.now >= self.recorder.next() {
            self.recorder.turn_page(self.now);
            // What lasts from one interval into the next was there in both.
            self.recorder.tally.in_flight(self.calls.len() as u64);
            self.recorder.tally.connections_held(self.network.open);
        }
    }

    fn wait(&mut self) -> io::Result<()> {
        debug_assert!(self.ended.is_empty(), "calls that ended are settled before the worker waits");
        let until = self.next_wake();
        let before = self.driver.now();
        self.driver.wait(until, &mut self.completions)?;
        self.now = self.driver.now();
        self.waited += self.now.since(before);
        if self.sessions.is_full() {
            // Whatever became due in the meantime waited for a slot; what becomes due now, as a slot is given back, does not.
            self.sessions.note_full(Timestamp::from_nanos(self.now.as_nanos().saturating_sub(1)));
        }
        Ok(())
    }

    fn next_wake(&self) -> Timestamp {
        let arrival = match self.arrivals.peek() {
            Some(arrival) if !self.window.is_closed() && !self.sessions.is_full() => arrival.at,
            _ => Timestamp::NEVER,
        };
        let end = if self.window.is_closed() { self.cut_at() } else { self.window.stop_at() };
        [arrival, self.timers.next(), self.recorder.next()].into_iter().fold(end, Timestamp::min)
    }

    fn cut_at(&self) -> Timestamp {
        let is_cut = self.control.is_aborted() || self.workload.is_exhausted();
        if is_cut { Timestamp::ZERO } else { self.window.cut_at() }
    }

    /// Whether the run is over for this worker; notices that its time is up.
    fn finished(&mut self) -> bool {
        if !self.window.is_closed() {
            if self.control.is_stopped() || self.workload.is_exhausted() {
                self.window.stop_early(self.now);
            }
            if !self.window.is_past(self.now) {
                let is_over = self.sessions.is_empty() && self.arrivals.peek().is_none();
                if is_over {
                    self.window.run_out();
                }
                return is_over;
            }
            let horizon = self.window.close();
            let never_begun = self.arrivals.skip_until(horizon);
            self.accounting.never_begun = never_begun;
            let unstarted = never_begun * self.prepared.calls_per_session;
            self.recorder.tally.planned(unstarted);
            self.recorder.tally.unstarted(unstarted);
        }
        self.calls.is_empty() || self.now >= self.cut_at()
    }

    /// Counts what is still in flight, with its age, and gives the moment of that.
    fn cut(&mut self) -> Timestamp {
        let now = self.driver.now();
        for (_, call) in std::mem::take(&mut self.calls) {
            let session = &self.sessions[call.session as usize].session;
            let part = Part { session: session.number(), is_continued: false, is_setup: session.is_setup() };
            self.count(&call, now, Outcome::Unfinished, part);
        }
        if let Some(observer) = &mut self.observation.observer {
            observer.pause();
        }
        for (index, _) in &self.network.connections {
            self.driver.close(SocketId(index as u32));
        }
        now
    }

    /// Starts the sessions that are due, as long as there are slots. One that finds none stays on the schedule and
    /// keeps its intended time. Where the time was up while this worker slept, those due before are started late: the
    /// same plan makes the same calls on a machine that is held up. Those held back by slots are not.
    fn start_sessions(&mut self) {
        for _ in 0..RELEASES_MAX {
            let Some(arrival) = self.arrivals.peek().filter(|arrival| arrival.at <= self.now) else { return };
            let is_up = self.window.is_past(self.now);
            if !self.window.admits(arrival.at) || is_up && self.sessions.held_back(arrival.at) {
                return;
            }
            if self.sessions.is_full() {
                self.sessions.note_full(self.now);
                return;
            }
            self.arrivals.take();
            self.begin(arrival);
        }
    }

    /// Begins the session of an arrival that was taken off the schedule.
    fn begin(&mut self, arrival: Arrival) {
        if self.sessions.held_back(arrival.at) {
            self.recorder.tally.held_back(1);
        }
        self.accounting.begun.add(arrival.at);
        let session = self.workload.session(arrival.number);
        let index = self.sessions.insert(ActiveSession::new(session, arrival.at));
        self.handle(|worker| worker.advance(index, arrival.at));
    }

    /// Asks a session what is next until it waits, pauses or ends; nothing that is intended when the time is up.
    fn advance(&mut self, index: u32, intended: Timestamp) {
        let live = &self.sessions[index as usize];
        let is_cut = !self.window.admits(intended);
        if is_cut || live.orphaned {
            if live.in_flight == 0 {
                self.end_session(index, !is_cut);
            }
            return;
        }
        loop {
            match self.sessions[index as usize].session.next(&mut self.workload) {
                Step::Send { token, request } => {
                    self.accounting.asked.add(intended);
                    match request {
                        CallRequest::Planned(request) => {
                            self.start(index, token, RequestRef::Planned(request.0), intended);
                        }
                        CallRequest::Unplanned(request) => self.follow(index, token, *request, intended),
                    }
                }
                Step::Cached(request) => {
                    let number = self.sessions[index as usize].session.number();
                    if let Some(observer) = &mut self.observation.observer {
                        observer.event(&Event::Cached { session: number, request: &request }, self.now);
                    }
                }
                Step::Wait => return,
                Step::Think(time) => {
                    self.pause(index, intended + time);
                    return;
                }
                Step::Done => {
                    self.end_session(index, true);
                    return;
                }
            }
        }
    }

    /// Lets a session do nothing until then.
    fn pause(&mut self, index: u32, until: Timestamp) {
        self.timers.set(Timer::Pause, index, until);
    }

    /// Ends a session. `is_reported` is whether the observer gets an event.
    fn end_session(&mut self, index: u32, is_reported: bool) {
        if self.prepared.ownership.dedicated() > 0 {
            self.close_dedicated(index);
        } else {
            self.release(index);
        }
        self.timers.clear(Timer::Pause, index);
        let live = self.sessions.remove(index);
        self.accounting.programmed += live.session.calls_asked();
        self.accounting.over += u64::from(!self.window.is_past(self.now));
        self.arrivals.session_over(self.now);
        if is_reported {
            self.notify_session_over(&live);
        }
    }

    /// A session's connection goes back to the pool.
    fn release(&mut self, session: u32) {
        let held = std::mem::replace(&mut self.sessions[session as usize].connection, NONE);
        if held != NONE {
            self.network.connections[held as usize].owner = NONE;
            self.network.place(held);
        }
    }

    /// Gives a session the connection that it uses, where sessions keep theirs; otherwise the pool keeps it.
    fn assign(&mut self, session: u32, connection: u32) {
        if self.prepared.ownership == Ownership::Sticky {
            if self.sessions[session as usize].connection == connection {
                return;
            }
            self.release(session);
            self.sessions[session as usize].connection = connection;
            self.network.connections[connection as usize].owner = session;
        }
        self.network.place(connection);
    }

    fn complete(&mut self) {
        let mut completions = std::mem::take(&mut self.completions);
        for completion in completions.drain(..) {
            if self.network.is_alive(completion.socket().0) {
                self.handle(|worker| worker.take_completion(completion));
            }
        }
        self.completions = completions;
    }

    fn take_completion(&mut self, completion: Completion) {
        let socket = completion.socket().0;
        match completion {
            Completion::Connected { socket, result } => self.connected(socket.0, result),
            Completion::Received { socket, bytes } => self.received(socket.0, bytes),
            Completion::Sent { socket, buffer, result } => self.sent(socket.0, buffer, result),
            Completion::Ended { socket, result } => self.peer_ended(socket.0, result),
        }
        self.restart_idle_timer(socket);
    }

    /// Handles one thing that happened (a timer, an arrival, a completion, room for a call), then settles the calls that
    /// ended with it. Whatever a turn does that may end calls goes through here.
    #[inline]
    fn handle<T>(&mut self, event: impl FnOnce(&mut Self) -> T) -> T {
        let result = event(self);
        self.settle();
        result
    }
}

/// Sessions that may start in a turn: where they follow each other and fail at once, they would otherwise never let go.
const RELEASES_MAX: usize = 65_536;

/// How a worker ended.
pub(crate) struct Finished {
    pub(crate) driver: &'static str,
    pub(crate) late_pages: u64,
    /// Time spent waiting for the kernel, not working.
    pub(crate) waited: Duration,
    /// Connections open at once, at the most.
    pub(crate) held: u64,
    pub(crate) at: Timestamp,
    pub(crate) accounting: Accounting,
}

#[cfg(test)]
mod tests;
