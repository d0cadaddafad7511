//! One worker: the loop that starts sessions, issues their calls, and waits.

mod calls;
mod companions;
mod connections;
mod dedicated;
mod events;
mod throttle;
mod timeouts;

use crate::accounting::{Accounting, Flow};
use crate::call::NONE;
use crate::control::Control;
use crate::network::{Buffers, Network};
use crate::pool::Calls;
use crate::recorder::Recorder;
use crate::resolve::Lookups;
use crate::sessions::{ActiveSession, Sessions};
use crate::setup::{Endpoints, Prepared, RequestRef};
use crate::sink::Ends;
use crate::timers::{Timer, Timers};
use crate::window::Window;
use calls::Part;
use slab::Slab;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_driver::{Completion, Driver, SocketId};
use warwolf_http::TlsConfig;
use warwolf_measure::{Examples, Outcome};
use warwolf_observe::{Event, Kept, Observer};
use warwolf_plan::{CheckedPlan, Ownership, Shard, Timeouts};
use warwolf_workload::{Arrival, Arrivals, CallRequest, Feed, GroupRecord, Interest, Step, Workload};

/// Whether the worker goes on after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    More,
    Finished,
}

/// What a worker runs, and what it reports to.
pub(crate) struct Task<'p> {
    pub(crate) plan: &'p CheckedPlan,
    /// The part of the plan that this worker runs.
    pub(crate) shard: Shard,
    pub(crate) prepared: &'p Prepared,
    pub(crate) endpoints: Endpoints,
    pub(crate) tls: Option<TlsConfig>,
    pub(crate) recorder: Recorder,
    pub(crate) control: Control,
    pub(crate) observer: Option<Box<dyn Observer + 'p>>,
    /// Where requests come from, instead of the plan.
    pub(crate) feed: Option<Feed>,
    /// Sessions that may be active at once.
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
    is_open: bool,
    /// The time of this turn: one reading of the clock for a whole batch of completions.
    now: Timestamp,
    window: Window,
    accounting: Accounting,
    /// Calls that ended and are not settled yet; empty between two events.
    ended: Ends,
    completions: Vec<Completion>,
    /// Time spent waiting for the kernel.
    waited: Duration,
}

/// The observer, and what it and the sessions want to see of calls.
struct Observation<'p> {
    observer: Option<Box<dyn Observer + 'p>>,
    /// Whether anything depends on the time at which the kernel has the whole request.
    follows_writes: bool,
    /// What calls keep, and whether they keep anything.
    interest: Interest,
    keeps: bool,
    /// Storage of calls that are over, to be used again.
    #[expect(clippy::vec_box, reason = "calls hold boxes, which move in and out of it")]
    spare: Vec<Box<Kept>>,
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
            keeps: !interest.is_empty() || workload.has_steps(),
            interest,
            spare: Vec::new(),
            observer,
        }
    }

    /// Storage for what a new call keeps; `None` if the run keeps nothing.
    #[inline]
    fn kept(&mut self) -> Option<Box<Kept>> {
        if self.keeps { Some(self.spare.pop().unwrap_or_default()) } else { None }
    }

    /// Takes back what a call kept that is over.
    #[inline]
    fn take_back(&mut self, mut kept: Box<Kept>) {
        if self.spare.len() < SPARE_KEPT && kept.body.capacity() <= SPARE_BODY {
            kept.clear();
            self.spare.push(kept);
        }
    }
}

impl<'p, D: Driver> Worker<'p, D> {
    pub(crate) fn new(driver: D, task: Task<'p>) -> Self {
        let sessions = task.sessions.min(65_536);
        let arrivals = match task.feed {
            Some(_) if task.plan.is_open() => Arrivals::fed(&task.shard),
            _ => Arrivals::new(task.plan, &task.shard),
        };
        let workload = Workload::of_shard(task.plan, task.shard).with_feed(task.feed);
        Self {
            now: driver.now(),
            driver,
            prepared: task.prepared,
            arrivals,
            sessions: Sessions::new(task.sessions, sessions),
            calls: Slab::with_capacity(sessions),
            created: 0,
            network: Network::new(
                task.endpoints,
                Lookups::new(Arc::clone(&task.prepared.resolver)),
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
            is_open: task.plan.is_open(),
            window: Window::new(&task.prepared.stop),
            accounting: Accounting::default(),
            ended: Ends::with_capacity(256),
            completions: Vec::with_capacity(1_024),
            waited: Duration::ZERO,
        }
    }

    /// Runs to the end and hands over the last tally. Accounting is not checked here.
    ///
    /// # Errors
    /// When waiting in the kernel fails.
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
            examples: std::mem::take(&mut self.recorder.examples),
        };
        self.recorder.close();
        Ok(finished)
    }

    /// The accounting of the whole run, including active sessions and the totals of the tallies.
    fn final_accounting(&self) -> Accounting {
        let mut accounting = self.accounting;
        for (index, active) in self.sessions.iter() {
            accounting.programmed += active.session.calls_asked();
            // Nothing would wake this session: it has no call in flight and no pause that ends later.
            let paused = self.timers.at(Timer::Pause, index);
            let is_stuck = active.in_flight == 0 && (!paused.is_reached() || paused < self.now);
            accounting.stuck += u64::from(is_stuck);
        }
        accounting.fed = self.fed();
        accounting.tallied = self.recorder.tallied();
        accounting.horizon = self.window.horizon();
        accounting
    }

    /// What the feed came to, where it determines when sessions begin.
    fn fed(&self) -> Option<Flow> {
        let feed = self.workload.feed().filter(|_| self.is_open)?;
        Some(Flow::of(feed.received() - self.arrivals.left(), feed.taken_ns()))
    }

    /// Takes requests from the feed.
    fn take_in(&mut self) {
        if let Some(feed) = self.workload.feed_mut() {
            feed.receive(|at| self.arrivals.add(at));
        }
    }

    /// Whether the feed has nothing now and is not over.
    fn is_behind(&self) -> bool {
        self.workload.feed().is_some_and(Feed::is_behind)
    }

    /// Waits for time zero, which all workers share. The clock shows zero until then.
    pub(crate) fn await_start(mut self) -> io::Result<Self> {
        while self.driver.now() == Timestamp::ZERO {
            self.driver.wait(Timestamp::from_nanos(1), &mut self.completions)?;
        }
        Ok(self)
    }

    /// One turn of the loop; the first thing to read in this crate.
    pub(crate) fn turn(&mut self) -> io::Result<Turn> {
        self.now = self.driver.now();
        self.take_in();
        self.expire();
        self.start_sessions();
        self.serve_queue();
        self.flush();
        self.end_interval();
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

    /// Hands over the tally of an interval that has ended.
    fn end_interval(&mut self) {
        if self.now >= self.recorder.next() {
            self.recorder.end_interval(self.now);
            // Calls and connections that last into the next interval count in both.
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
            // Arrivals due during the wait found no slot. Those due at this very moment may find one.
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
        let end = if self.is_behind() { end.min(self.now + FEED_PAUSE) } else { end };
        [arrival, self.timers.next(), self.recorder.next()].into_iter().fold(end, Timestamp::min)
    }

    fn cut_at(&self) -> Timestamp {
        let is_cut = self.control.is_aborted() || self.workload.is_exhausted();
        if is_cut { Timestamp::ZERO } else { self.window.cut_at() }
    }

    /// Whether the run is over for this worker. Closes the window when its stop has come.
    fn finished(&mut self) -> bool {
        if !self.window.is_closed() {
            if self.control.is_stopped() || self.workload.is_exhausted() {
                self.window.stop_early(self.now);
            }
            if !self.window.is_past(self.now) {
                let is_fed = self.workload.feed().is_none_or(Feed::is_over);
                let is_over = is_fed && self.sessions.is_empty() && self.arrivals.peek().is_none();
                if is_over {
                    self.window.run_out();
                }
                return is_over;
            }
            let horizon = self.window.close();
            let never_begun = self.arrivals.skip_until(horizon, |intended, sessions| {
                self.recorder.tally.unstarted_after(horizon.since(intended), sessions);
            });
            self.accounting.never_begun = never_begun;
            let unstarted = never_begun * self.prepared.calls_per_session;
            self.recorder.tally.planned(unstarted);
            self.recorder.tally.unstarted(unstarted);
        }
        self.calls.is_empty() || self.now >= self.cut_at()
    }

    /// Counts calls in flight as unfinished, with their age, and returns the time at which it did.
    fn cut(&mut self) -> Timestamp {
        let now = self.driver.now();
        for (_, call) in std::mem::take(&mut self.calls) {
            let session = &self.sessions[call.session as usize].session;
            let part = Part { session: session.number(), is_continued: false, is_setup: session.is_setup() };
            self.count(&call, now, Outcome::Unfinished, part, false);
        }
        if let Some(observer) = &mut self.observation.observer {
            observer.pause();
        }
        for (index, _) in &self.network.connections {
            self.driver.close(SocketId(index as u32));
        }
        now
    }

    /// Starts due sessions while there are slots. An arrival without a slot stays in the schedule and keeps its intended time.
    /// If the stop came while this worker was delayed, arrivals due before it are started late, so that a delayed machine makes
    /// the same calls. Arrivals that had no slot are not, nor are those of a worker that had no core at all before the stop.
    fn start_sessions(&mut self) {
        for _ in 0..RELEASES_MAX {
            let Some(arrival) = self.arrivals.peek().filter(|arrival| arrival.at <= self.now) else { return };
            let is_up = self.window.is_past(self.now);
            let is_too_late =
                is_up && (self.sessions.held_back(arrival.at) || self.accounting.begun.count == 0);
            if !self.window.admits(arrival.at) || is_too_late {
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

    /// Starts the session of an arrival that was taken from the schedule.
    fn begin(&mut self, arrival: Arrival) {
        if self.sessions.held_back(arrival.at) {
            self.recorder.tally.held_back(1);
        }
        self.accounting.begun.add(arrival.at);
        let session = self.workload.session(arrival.number);
        let index = self.sessions.insert(ActiveSession::new(session, arrival.at));
        self.handle(|worker| worker.advance(index, arrival.at));
    }

    /// Executes the next steps of a session until it waits, pauses or ends. Steps intended after the stop are not executed.
    fn advance(&mut self, index: u32, intended: Timestamp) {
        let active = &self.sessions[index as usize];
        let is_cut = !self.window.admits(intended);
        if is_cut || active.orphaned {
            if active.in_flight == 0 {
                self.end_session(index, !is_cut);
            }
            return;
        }
        loop {
            self.workload.set_now(intended);
            match self.sessions[index as usize].session.next(&mut self.workload) {
                Step::Send { token, request } => {
                    self.accounting.asked.add(intended);
                    match request {
                        CallRequest::Planned(request) => {
                            self.start(index, token, RequestRef::Planned(request.0), intended);
                        }
                        CallRequest::Unplanned(request) => self.follow(index, token, *request, intended),
                    }
                    if self.workload.has_steps() {
                        self.count_groups();
                    } else if self.sessions[index as usize].session.awaits_reply() {
                        return;
                    }
                }
                Step::Cached(request) => {
                    let number = self.sessions[index as usize].session.number();
                    if let Some(observer) = &mut self.observation.observer {
                        observer.event(&Event::Cached { session: number, request: &request }, self.now);
                    }
                }
                Step::Wait => return,
                Step::Starved => {
                    self.pause(index, self.now + FEED_PAUSE);
                    return;
                }
                Step::Think(time) => {
                    self.pause(index, intended + time);
                    return;
                }
                Step::Done => {
                    self.count_groups();
                    self.end_session(index, true);
                    return;
                }
            }
        }
    }

    /// Pauses a session.
    fn pause(&mut self, index: u32, until: Timestamp) {
        self.timers.set(Timer::Pause, index, until);
    }

    /// Ends a session. `is_reported`: the observer receives an event.
    fn end_session(&mut self, index: u32, is_reported: bool) {
        if self.prepared.ownership.dedicated() > 0 {
            self.close_dedicated(index);
        } else {
            self.release(index);
        }
        self.timers.clear(Timer::Pause, index);
        let active = self.sessions.remove(index);
        self.accounting.programmed += active.session.calls_asked();
        self.accounting.over += u64::from(!self.window.is_past(self.now));
        self.arrivals.session_over(self.now);
        if is_reported {
            self.notify_session_over(&active);
        }
        self.workload.recycle(active.session);
    }

    /// Counts the groups that sessions have ended.
    fn count_groups(&mut self) {
        for GroupRecord { group, wall, requests, is_failed } in self.workload.take_groups() {
            self.recorder.tally.group(group, wall, requests, is_failed);
        }
    }

    /// Returns the connection of a session to the pool.
    fn release(&mut self, session: u32) {
        let held = std::mem::replace(&mut self.sessions[session as usize].connection, NONE);
        if held != NONE {
            self.network.connections[held as usize].owner = NONE;
            self.network.place(held);
        }
    }

    /// Assigns a connection to a session that keeps its connection; otherwise the pool keeps it.
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

    /// Handles one event (a timer, an arrival, a completion, room for a call), then settles the calls that it ended. Everything
    /// in a turn that can end calls is called through this method, so that no end is forgotten.
    #[inline]
    fn handle<T>(&mut self, event: impl FnOnce(&mut Self) -> T) -> T {
        let result = event(self);
        self.settle();
        result
    }
}

/// How often a feed that has nothing is asked again.
const FEED_PAUSE: Duration = Duration::from_millis(1);
/// Storage of calls that is kept for others, and the size of a body beyond which it is freed.
const SPARE_KEPT: usize = 1_024;
const SPARE_BODY: usize = 65_536;
/// Sessions that may start in a turn. Back-to-back sessions that fail at once would otherwise never end the turn.
const RELEASES_MAX: usize = 65_536;

/// The results of a worker besides its tallies.
pub(crate) struct Finished {
    pub(crate) driver: &'static str,
    pub(crate) late_pages: u64,
    /// Time spent waiting for the kernel.
    pub(crate) waited: Duration,
    /// The largest number of connections open at once.
    pub(crate) held: u64,
    pub(crate) at: Timestamp,
    pub(crate) accounting: Accounting,
    pub(crate) examples: Examples,
}

#[cfg(test)]
mod tests;
