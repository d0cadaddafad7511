//! One worker: the loop that releases sessions, issues their calls, and waits.

mod calls;
mod connections;

use crate::call::{NONE, What};
use crate::connection::Phase;
use crate::control::Control;
use crate::deadline::{Deadlines, Pauses};
use crate::pool::{Calls, Connections, Pool};
use crate::recorder::Recorder;
use crate::setup::{Endpoints, Prepared};
use crate::sink::Ended;
use crate::witness::Witness;
use connections::SPARE_BUFFERS;
use slab::Slab;
use std::io;
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_driver::{Completion, Driver, SocketId};
use warwolf_http::TlsConfig;
use warwolf_measure::Outcome;
use warwolf_workload::{Arrivals, Session, Step, Workload};

/// A session under way.
struct Live {
    session: Session,
    /// The connection it keeps for itself, or [`NONE`].
    connection: u32,
    in_flight: u32,
}

/// Whether there is more to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    More,
    Finished,
}

/// What a worker is told before it begins.
pub(crate) struct Task<'p> {
    pub(crate) prepared: &'p Prepared,
    pub(crate) arrivals: Arrivals,
    pub(crate) workload: Workload,
    pub(crate) endpoints: Endpoints,
    pub(crate) tls: Option<TlsConfig>,
    pub(crate) recorder: Recorder,
    pub(crate) control: Control,
    pub(crate) witness: Option<Box<dyn Witness>>,
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
    session_limit: usize,
    sessions: Slab<Live>,
    calls: Calls,
    connections: Connections,
    pool: Pool,
    endpoints: Endpoints,
    tls: Option<TlsConfig>,
    call_deadlines: Deadlines,
    connect_deadlines: Deadlines,
    pauses: Pauses,
    recorder: Recorder,
    control: Control,
    witness: Option<Box<dyn Witness>>,
    /// The moment this turn goes by; one reading of the clock for all that a batch brings.
    now: Timestamp,
    /// No session and no call starts at or after this moment.
    stop_at: Timestamp,
    stopping: bool,
    dirty: Vec<u32>,
    ended: Vec<Ended>,
    /// Connections closed since the last wait.
    closed: Vec<u32>,
    plain: Vec<u8>,
    buffers: Vec<Vec<u8>>,
    completions: Vec<Completion>,
    opened: u64,
    /// Connections that carry calls, now and at the most.
    open: u64,
    held: u64,
    /// Arrivals due up to this moment found no slot.
    full_until: Timestamp,
    waited: Duration,
}

impl<'p, D: Driver> Worker<'p, D> {
    pub(crate) fn new(driver: D, task: Task<'p>) -> Self {
        let now = driver.now();
        let stop_at = task.prepared.stop.duration.map_or(Timestamp::NEVER, |d| Timestamp::ZERO + d);
        let sessions = task.sessions.min(65_536);
        Self {
            driver,
            prepared: task.prepared,
            arrivals: task.arrivals,
            workload: task.workload,
            session_limit: task.sessions,
            sessions: Slab::with_capacity(sessions),
            calls: Slab::with_capacity(sessions),
            connections: Slab::with_capacity(task.connections.min(sessions)),
            pool: Pool::new(task.endpoints.len(), task.connections),
            endpoints: task.endpoints,
            tls: task.tls,
            call_deadlines: Deadlines::with_capacity(sessions),
            connect_deadlines: Deadlines::with_capacity(sessions),
            pauses: Pauses::with_capacity(sessions),
            recorder: task.recorder,
            control: task.control,
            witness: task.witness,
            now,
            stop_at,
            stopping: false,
            dirty: Vec::with_capacity(sessions),
            ended: Vec::with_capacity(256),
            closed: Vec::with_capacity(64),
            plain: Vec::with_capacity(32_768),
            buffers: Vec::with_capacity(SPARE_BUFFERS),
            completions: Vec::with_capacity(1_024),
            opened: 0,
            open: 0,
            held: 0,
            full_until: Timestamp::ZERO,
            waited: Duration::ZERO,
        }
    }

    /// Runs to the end and hands over the last tally.
    ///
    /// # Errors
    /// When the kernel refuses to let us wait: this machine's fault.
    pub(crate) fn run(mut self) -> io::Result<Finished> {
        while self.turn()? == Turn::More {}
        self.cut();
        let now = self.driver.now();
        let finished = Finished {
            driver: self.driver.name(),
            late_pages: self.recorder.late_pages,
            waited: self.waited,
            held: self.held,
            at: now,
        };
        self.recorder.close();
        Ok(finished)
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
        self.release();
        self.serve_queue();
        self.flush();
        self.turn_page();
        if self.finished() {
            return Ok(Turn::Finished);
        }
        self.bury();
        if let Some(witness) = &mut self.witness {
            witness.pause();
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
            self.recorder.tally.connections_held(self.open);
        }
    }

    fn wait(&mut self) -> io::Result<()> {
        let until = self.next_wake();
        let before = self.driver.now();
        self.driver.wait(until, &mut self.completions)?;
        self.now = self.driver.now();
        self.waited += self.now.since(before);
        if self.sessions.len() >= self.session_limit {
            // Whatever has become due in the meantime waited for a slot.
            self.full_until = self.now;
        }
        Ok(())
    }

    fn next_wake(&self) -> Timestamp {
        let arrival = match self.arrivals.peek() {
            Some(arrival) if !self.stopping && self.sessions.len() < self.session_limit => arrival.at,
            _ => Timestamp::NEVER,
        };
        let end = if self.stopping { self.cut_at() } else { self.stop_at };
        [
            arrival,
            self.call_deadlines.next(),
            self.connect_deadlines.next(),
            self.pauses.next(),
            self.recorder.next(),
        ]
        .into_iter()
        .fold(end, Timestamp::min)
    }

    fn cut_at(&self) -> Timestamp {
        if self.control.is_aborted() { Timestamp::ZERO } else { self.stop_at + self.prepared.stop.grace }
    }

    /// Whether the run is over for this worker; notices that its time is up.
    fn finished(&mut self) -> bool {
        if !self.stopping {
            if self.control.is_stopped() {
                self.stop_at = self.stop_at.min(self.now);
            }
            if self.now < self.stop_at {
                return self.sessions.is_empty() && self.arrivals.peek().is_none();
            }
            self.stopping = true;
            let unstarted = self.arrivals.skip_until(self.stop_at) * self.prepared.calls_per_session;
            self.recorder.tally.planned(unstarted);
            self.recorder.tally.unstarted(unstarted);
        }
        self.calls.is_empty() || self.now >= self.cut_at()
    }

    /// Counts what is still in flight, with its age.
    fn cut(&mut self) {
        let now = self.driver.now();
        for (_, call) in std::mem::take(&mut self.calls) {
            let session = self.sessions[call.session as usize].session.number();
            self.count(&call, now, Outcome::Unfinished, session, false);
        }
        if let Some(witness) = &mut self.witness {
            witness.pause();
        }
        for (index, _) in &self.connections {
            self.driver.close(SocketId(index as u32));
        }
    }
    /// Starts the sessions that are due, as long as there are slots. One that finds none stays on the schedule and
    /// keeps its intended time.
    fn release(&mut self) {
        while let Some(arrival) = self.arrivals.peek().filter(|arrival| arrival.at <= self.now)
            && self.now < self.stop_at
            && !self.stopping
        {
            if self.sessions.len() >= self.session_limit {
                self.full_until = self.now;
                return;
            }
            self.arrivals.take();
            if arrival.at <= self.full_until && self.full_until > Timestamp::ZERO {
                self.recorder.tally.held_back(1);
            }
            let session = self.workload.session(arrival.number);
            let index = self.sessions.insert(Live { session, connection: NONE, in_flight: 0 }) as u32;
            self.advance(index, arrival.at);
            self.settle();
        }
    }

    /// Asks a session what is next until it waits, pauses or ends.
    fn advance(&mut self, index: u32, intended: Timestamp) {
        if self.stopping || self.now >= self.stop_at {
            if self.sessions[index as usize].in_flight == 0 {
                self.end_session(index);
            }
            return;
        }
        loop {
            match self.sessions[index as usize].session.next(&self.workload) {
                Step::Send { request } => self.start(index, What::Planned(request.0), intended),
                Step::Follow(request) => self.follow(index, *request, intended),
                Step::Wait => return,
                Step::Think(time) => {
                    if !self.prepared.per_session {
                        self.let_go(index);
                    }
                    self.pauses.set(index, intended + time);
                    return;
                }
                Step::Done => {
                    self.end_session(index);
                    return;
                }
            }
        }
    }

    fn end_session(&mut self, index: u32) {
        self.let_go(index);
        self.sessions.remove(index as usize);
    }

    /// A session's connection goes back to the pool.
    fn let_go(&mut self, session: u32) {
        let held = std::mem::replace(&mut self.sessions[session as usize].connection, NONE);
        if held != NONE {
            self.connections[held as usize].owner = NONE;
            self.pool.place(&mut self.connections, held);
        }
    }

    fn keep(&mut self, session: u32, connection: u32) {
        if self.sessions[session as usize].connection == connection {
            return;
        }
        self.let_go(session);
        self.sessions[session as usize].connection = connection;
        self.connections[connection as usize].owner = session;
    }

    fn complete(&mut self) {
        let mut completions = std::mem::take(&mut self.completions);
        for completion in completions.drain(..) {
            if !self.is_alive(completion.socket().0) {
                continue;
            }
            match completion {
                Completion::Connected { socket, result } => self.connected(socket.0, result),
                Completion::Received { socket, bytes } => self.received(socket.0, bytes),
                Completion::Sent { socket, buffer, .. } => self.sent(socket.0, buffer),
                Completion::Ended { socket, result } => self.peer_ended(socket.0, result),
            }
            self.settle();
        }
        self.completions = completions;
    }

    /// Ends what has lasted too long, and pauses that are over.
    fn expire(&mut self) {
        while let Some(call) = self.call_deadlines.take_due(self.now) {
            self.time_out(call);
            self.settle();
        }
        while let Some(connection) = self.connect_deadlines.take_due(self.now) {
            let outcome = match self.connections[connection as usize].phase {
                Phase::Handshake => Outcome::TlsTimeout,
                _ => Outcome::ConnectTimeout,
            };
            self.fail(connection, outcome);
            self.settle();
        }
        while let Some((due, session)) = self.pauses.take_due(self.now) {
            self.advance(session, due);
            self.settle();
        }
    }
}

/// How a worker ended.
pub(crate) struct Finished {
    pub(crate) driver: &'static str,
    pub(crate) late_pages: u64,
    /// Time spent waiting for the kernel, not working.
    pub(crate) waited: Duration,
    /// Connections open at once, at the most.
    pub(crate) held: u64,
    pub(crate) at: Timestamp,
}

#[cfg(test)]
mod tests;
