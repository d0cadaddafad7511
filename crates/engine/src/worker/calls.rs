//! Calls of a worker: how they start, and how they end.

use super::Worker;
use super::connections::write_through;
use super::events::notify_request;
use crate::call::{Call, NONE};
use crate::connection::{Connection, Phase};
use crate::filling::Filling;
use crate::network::Network;
use crate::setup::{PathIs, Prepared, PreparedRequest, RequestRef};
use crate::sink::{Ended, Ending};
use crate::timers::Timer;
use crate::translate;
use std::sync::Arc;
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_driver::Driver;
use warwolf_http::{CallId, Cause};
use warwolf_measure::{CheckExample, Outcome, Sample};
use warwolf_observe::{CallRecord, Kept};
use warwolf_plan::{Endpoint, Reconnect, WhenFull};
use warwolf_scan::End;
use warwolf_workload::{Checked, Reply, Sequel, Session, Token, Workload};

/// How often a call is sent again on another connection before its failure counts.
const REPEATS: u8 = 3;
/// Pause of a session whose connection could not be opened, so that closed loops do not flood a server that is down or a full
/// port table.
const CONNECT_PAUSE: Duration = Duration::from_millis(10);
/// How often a call asks whether the name of its endpoint has been looked up.
const LOOKUP_PAUSE: Duration = Duration::from_millis(2);

impl<D: Driver> Worker<'_, D> {
    pub(super) fn start(&mut self, session: u32, token: Token, request: RequestRef, intended: Timestamp) {
        let serial = self.created;
        self.created += 1;
        self.issue(Call::new(serial, session, token, request, intended, self.now.max(intended)));
    }

    /// Counts a new call and finds it a connection.
    fn issue(&mut self, mut call: Call) {
        let (session, started) = (call.session, call.started);
        call.kept = self.observation.kept();
        let timeout = self.prepare_steps(&mut call);
        let index = self.calls.insert(call) as u32;
        self.sessions[session as usize].in_flight += 1;
        self.recorder.tally.planned(1);
        self.recorder.tally.started(1);
        self.recorder.tally.in_flight(self.calls.len() as u64);
        if let Some(limit) = timeout {
            self.timers.set(Timer::Call, index, started + limit);
        }
        if !self.find_connection(index) {
            self.recorder.tally.held_back(1);
        }
    }

    /// Gives a call what its step needs. Returns the limit on its time.
    fn prepare_steps(&mut self, call: &mut Call) -> Option<Duration> {
        let limit = self.prepared.timeouts.call;
        if !self.workload.has_steps() {
            return limit;
        }
        let session = &self.sessions[call.session as usize].session;
        if let Some(kept) = &mut call.kept
            && let Some(step) = session.scanned_step(&self.workload, call.token)
        {
            kept.scan = Some((step, self.workload.take_scan(step)));
        }
        session.timeout(&self.workload).or(limit)
    }

    /// Finds a connection for a call or queues it. Returns false if it waits until another call releases a connection.
    pub(super) fn find_connection(&mut self, index: u32) -> bool {
        let is_found = self.dispatch(index);
        if !is_found {
            self.network.pool.wait(index);
        }
        is_found
    }

    pub(super) fn follow(
        &mut self,
        session: u32,
        token: Token,
        request: warwolf_plan::Request,
        intended: Timestamp,
    ) {
        let origin = self.sessions[session as usize].session.request().map_or(0, |id| id.0);
        let encoded = self.prepared.encode(&request, PathIs::Given).ok().map(Arc::new);
        match encoded.and_then(|encoded| Some((encoded, self.follow_to(&request.endpoint)?))) {
            Some((encoded, endpoint)) => {
                let followed = Box::new(encoded.of(request, endpoint, origin, false));
                self.start(session, token, RequestRef::Followed(followed), intended);
            }
            // The Location is no valid request, or leads to one host too many. The redirect was the last reply.
            None => {
                self.accounting.refused.add(intended);
                let failed = Reply::failed(token, &request);
                self.sessions[session as usize].session.reply(&self.workload, &failed);
            }
        }
    }

    /// The number of an endpoint that a reply leads to; `None` if there are too many.
    fn follow_to(&mut self, endpoint: &Endpoint) -> Option<u32> {
        let known = self.network.endpoints.len();
        let Network { endpoints, lookups, .. } = &mut self.network;
        let number = endpoints.find_or_add(endpoint, self.prepared, lookups);
        for _ in known..self.network.endpoints.len() {
            self.network.pool.add_endpoint();
        }
        number
    }

    pub(super) fn endpoint_of(&self, call: u32) -> u32 {
        self.prepared.request(&self.calls[call as usize].request).endpoint
    }

    /// Finds a connection for a call: that of its session, one with room, or a new one. Returns false if the call must wait.
    pub(super) fn dispatch(&mut self, call: u32) -> bool {
        if self.prepared.ownership.dedicated() > 0 {
            return self.dispatch_dedicated(call);
        }
        let endpoint = self.endpoint_of(call);
        let session = self.calls[call as usize].session;
        let own = self.sessions[session as usize].connection;
        if own != NONE && self.network.connections[own as usize].endpoint == endpoint {
            let connection = &mut self.network.connections[own as usize];
            if connection.has_room() {
                self.write(call, own);
                return true;
            }
            if connection.phase != Phase::Ready && self.prepared.pipeline > 1 {
                self.await_opening(call, own);
                return true;
            }
        }
        let found = self.network.pool.find(endpoint);
        let index = match found {
            Some(index) => index,
            None => {
                if let Some(refused) = self.refusal(call, endpoint) {
                    return refused;
                }
                self.open(endpoint)
            }
        };
        if self.network.connections[index as usize].phase == Phase::Ready {
            self.write(call, index);
        } else {
            self.await_opening(call, index);
        }
        self.assign(session, index);
        if found.is_none() {
            self.notify_connecting(index, session);
        }
        true
    }

    /// Checks whether a connection to `endpoint` may be opened for a call. `None` if it may; otherwise whether the call has
    /// ended or will be tried again (true), or must wait (false).
    pub(super) fn refusal(&mut self, call: u32, endpoint: u32) -> Option<bool> {
        if self.network.endpoints.addresses(endpoint).is_empty() {
            if self.network.is_pending(endpoint) {
                self.timers.set(Timer::Retry, call, self.now + LOOKUP_PAUSE);
                return Some(true);
            }
            // The name may have been looked up just now.
            if self.network.endpoints.addresses(endpoint).is_empty() {
                return self.refuse(call, Outcome::Resolve);
            }
        }
        if !self.network.is_full() {
            return None;
        }
        match self.idle_connection_for(call) {
            Some(idle) => {
                self.close(idle);
                None
            }
            None if self.prepared.when_full == WhenFull::Fail => self.refuse(call, Outcome::ConnectionLimit),
            None => Some(false),
        }
    }

    fn refuse(&mut self, call: u32, outcome: Outcome) -> Option<bool> {
        self.ended.push(Ended { call, ending: Ending::Failed(outcome) });
        Some(true)
    }

    /// An idle connection to close in favour of `call`, which needs one to another endpoint: one that no session holds, else
    /// the one that the call's own session holds. Otherwise a session whose redirect leads elsewhere would wait for itself.
    fn idle_connection_for(&mut self, call: u32) -> Option<u32> {
        if let Some(idle) = self.network.pool.take_any_idle(&mut self.network.connections) {
            return Some(idle);
        }
        let session = self.calls[call as usize].session;
        let held = self.sessions[session as usize].connection;
        if held == NONE || !self.network.connections[held as usize].is_unused() {
            return None;
        }
        self.release(session);
        self.network.pool.take_any_idle(&mut self.network.connections)
    }

    /// Queues a call on a connection that is being opened.
    pub(super) fn await_opening(&mut self, call: u32, connection: u32) {
        self.network.connections[connection as usize].waiting.push(&mut self.calls, call);
        self.calls[call as usize].connection = connection;
        self.restart_idle_timer(connection);
    }

    /// Finds connections for queued calls, in order.
    pub(super) fn serve_queue(&mut self) {
        while self.network.pool.anyone_waits() {
            let Some(call) = self.network.pool.next_waiting() else { return };
            if !self.handle(|worker| worker.dispatch(call)) {
                self.network.pool.wait_again(call);
                return;
            }
        }
    }

    /// Starts a call on a ready connection.
    pub(super) fn write(&mut self, call: u32, connection: u32) {
        let Self { calls, network, sessions, prepared, buffers, recorder, workload, observation, .. } = self;
        let carrier = &mut network.connections[connection as usize];
        let entry = &mut calls[call as usize];
        entry.connection = connection;
        entry.on_used = carrier.completed > 0 || carrier.in_flight() > 0;
        if entry.on_used {
            recorder.tally.connection_reused();
        }
        let session = &mut sessions[entry.session as usize].session;
        let asked = prepared.request(&entry.request);
        let (request, template) = (&asked.request, asked.template());
        let kept = entry.kept.as_mut().filter(|_| workload.has_steps());
        let made = kept.and_then(|kept| begin_request(kept, asked, session, workload));
        let path = made.as_deref().unwrap_or(&request.path);
        let began =
            (observation.interest.random_data && request.has_random_data()).then(|| self.driver.now());
        let mut filling = Filling::head(asked, path, session, workload);
        buffers.lend(carrier);
        let Connection { protocol: Some(protocol), tls, out, .. } = carrier else {
            unreachable!("a connection with room has a protocol")
        };
        let ((), sent) = write_through(tls, &mut buffers.plain, out, |out| {
            protocol.start(CallId(call), template, &mut filling, out)
        });
        let needs = protocol.needs();
        entry.sent_bytes = sent.len() as u64;
        if observation.interest.exchange
            && let Some(kept) = &mut entry.kept
        {
            kept.request.extend_from_slice(sent);
        }
        if observation.interest.requests {
            notify_request(&mut observation.observer, self.now, entry.serial, sent, template);
        }
        let drawn = filling.drawn();
        if let (Some(made), Some(kept)) = (made, &mut entry.kept) {
            kept.path = made;
        }
        if let (Some(began), Some(kept)) = (began, &mut entry.kept) {
            kept.drawn_bytes = drawn;
            kept.preparing = self.driver.now().since(began);
        }
        carrier.written.push(calls, call);
        self.network.mark(connection);
        if let Some(needs) = needs {
            self.meet(connection, needs);
        }
        self.restart_idle_timer(connection);
    }

    /// Settles the calls that ended: counts them, sends them again, or continues their sessions. Called by [`Self::handle`] only.
    pub(super) fn settle(&mut self) {
        while let Some(ended) = self.ended.take_next() {
            self.end(ended);
        }
        self.end_orphaned();
        self.notify_gone();
    }

    pub(super) fn end(&mut self, Ended { call, ending }: Ended) {
        let outcome = match ending {
            Ending::Complete => Outcome::Completed,
            Ending::Failed(outcome) => {
                if self.begin_again(call, false, outcome) {
                    return;
                }
                self.record(call, self.now, outcome, CONNECT_PAUSE);
                return;
            }
            Ending::TimedOut(deadline) => {
                self.record(call, deadline, Outcome::ResponseTimeout, Duration::ZERO);
                return;
            }
            Ending::Broken { outcome, begun } => {
                if self.begin_again(call, !begun, outcome) {
                    return;
                }
                outcome
            }
            Ending::Cause(cause) => {
                let unanswered = matches!(cause, Cause::ClosedBeforeReply | Cause::Retired);
                let outcome = translate::cause(cause);
                if self.begin_again(call, unanswered, outcome) {
                    return;
                }
                outcome
            }
        };
        self.record(call, self.now, outcome, Duration::ZERO);
    }

    /// Sends a call again after its connection closed, broke or did not open, if the plan allows it. Returns whether it did.
    pub(super) fn begin_again(&mut self, index: u32, unanswered: bool, outcome: Outcome) -> bool {
        if !self.may_begin_again(index, unanswered, outcome) {
            return false;
        }
        let call = &mut self.calls[index as usize];
        let was_open = self.network.connections.get(call.connection as usize).is_some_and(|c| c.opened);
        if call.sent.is_reached() {
            self.recorder.tally.resent();
        }
        call.begin_again();
        self.timers.clear(Timer::Reply, index);
        self.recorder.tally.reconnected();
        if was_open {
            self.find_connection(index);
        } else {
            self.timers.set(Timer::Retry, index, self.now + CONNECT_PAUSE);
        }
        true
    }

    fn may_begin_again(&self, index: u32, unanswered: bool, outcome: Outcome) -> bool {
        let call = &self.calls[index as usize];
        let active = &self.sessions[call.session as usize];
        let connection = self.network.connections.get(call.connection as usize);
        // Another connection does not help against timeouts, unknown names or protocol violations.
        let is_hopeless = matches!(
            outcome,
            Outcome::ResponseTimeout
                | Outcome::ConnectTimeout
                | Outcome::TlsTimeout
                | Outcome::Resolve
                | Outcome::Violation(_)
        );
        let is_over = active.session.is_failed() || active.orphaned || self.window.is_closed();
        let is_severed = !is_hopeless && !is_over;
        match self.prepared.reconnect {
            // If the server closed a kept-alive connection before the first byte of the reply, a repeatable request is sent
            // again and counts as a reconnect, not a failure (RFC 9112 section 9.3.1).
            Reconnect::Safe => {
                let is_repeatable = self.prepared.request(&call.request).template().is_repeatable();
                unanswered && call.repeats < REPEATS && call.on_used && is_repeatable
            }
            Reconnect::Never => false,
            Reconnect::AfterReply => {
                is_severed && connection.is_some_and(|connection| connection.completed > 0)
            }
            Reconnect::Always => is_severed,
        }
    }

    /// Counts a call that is over, passes the reply to its session, and continues the session after `pause`.
    pub(super) fn record(&mut self, index: u32, finished: Timestamp, outcome: Outcome, pause: Duration) {
        let mut call = self.take_call(index);
        if let Some(connection) = self.network.connections.get_mut(call.connection as usize) {
            connection.completed += u32::from(outcome == Outcome::Completed);
        }
        let active = &mut self.sessions[call.session as usize];
        let is_setup = active.session.is_setup();
        if outcome == Outcome::Completed && self.workload.has_steps() {
            end_scan(&mut call, finished, &active.session, &self.workload, self.prepared);
        }
        let sequel = active.session.reply(&self.workload, &reply_to(&call, finished, outcome, self.prepared));
        let is_continued = sequel != Sequel::AsPlanned;
        let part = Part { session: active.session.number(), is_continued, is_setup };
        let session = call.session;
        let checked = self.take_checks(&call);
        self.count(&call, finished, outcome, part, checked.failed != 0);
        if let Some(kept) = call.kept.take() {
            self.take_back(kept);
        }
        if self.prepared.ownership.dedicated() > 0 {
            if self.sessions[session as usize].session.is_failed() {
                self.drop_session(session);
                return;
            }
            self.serve_dedicated(session);
        }
        if sequel == Sequel::Again {
            self.make_again(call, finished);
        } else if pause.is_zero() {
            self.advance(session, finished);
        } else {
            self.pause(session, finished + pause);
        }
    }

    /// Takes back what a call kept.
    fn take_back(&mut self, mut kept: Box<Kept>) {
        if let Some((step, scan)) = kept.scan.take() {
            self.workload.return_scan(step, scan);
        }
        self.observation.take_back(kept);
    }

    /// Counts the captures and checks of a call that is over. Returns what they came to.
    fn take_checks(&mut self, call: &Call) -> Checked {
        if !self.workload.has_steps() {
            return Checked::default();
        }
        let session = &self.sessions[call.session as usize].session;
        let checked = session.checked(&self.workload);
        if session.stops_run() {
            self.control.stop();
        }
        for number in 0..checked.count {
            let is_passed = checked.failed & (1 << number) == 0;
            self.recorder.tally.check(checked.first + number, is_passed);
            if !is_passed {
                self.keep_example(call, checked, number);
            }
        }
        checked
    }

    /// Keeps a call as an example of a check that failed, if there are too few yet.
    fn keep_example(&mut self, call: &Call, checked: Checked, number: u16) {
        let check = checked.first + number;
        if !self.recorder.examples.wants(check) {
            return;
        }
        let kept = call.kept.as_deref().unwrap_or(Kept::NONE);
        let Some((step, scan)) = &kept.scan else { return };
        let request = &self.prepared.request(&call.request).request;
        let path = if kept.path.is_empty() { &request.path } else { kept.path.as_str() };
        let url = format!("{} {}{path}", request.method, request.endpoint);
        let found = self.workload.found(*step, scan, checked, number);
        let example = CheckExample::new(check, self.now, &url, call.status, &found, scan.beginning());
        self.recorder.examples.add(example);
    }

    /// Makes the same call again from its start, unless the stop has come.
    fn make_again(&mut self, call: Call, intended: Timestamp) {
        if !self.window.admits(self.now) {
            let active = &mut self.sessions[call.session as usize];
            let request = &self.prepared.request(&call.request).request;
            active.session.give_up();
            active.session.reply(&self.workload, &Reply::failed(call.token, request));
            self.advance(call.session, intended);
            return;
        }
        self.accounting.asked.add(intended);
        self.accounting.again += 1;
        let started = self.now.max(intended);
        self.issue(Call::new(call.serial, call.session, call.token, call.request, intended, started));
    }

    /// Removes a call from all tables and lists.
    pub(super) fn take_call(&mut self, index: u32) -> Call {
        for timer in [Timer::Call, Timer::Reply, Timer::Retry] {
            self.timers.clear(timer, index);
        }
        let call = &mut self.calls[index as usize];
        self.sessions[call.session as usize].in_flight -= 1;
        if let Some(connection) = self.network.connections.get_mut(call.connection as usize) {
            // A server may reply before the request was sent. The lists are walked while the call is still in the table.
            if !call.sent.is_reached() {
                call.sent = call.first_byte;
                connection.written.remove(&mut self.calls, index);
            } else if self.observation.follows_writes && !call.written {
                connection.handed.remove(&mut self.calls, index);
            }
        }
        self.calls.remove(index as usize)
    }

    /// Adds a call that is over to the tally and passes it to the observer.
    pub(super) fn count(
        &mut self,
        call: &Call,
        finished: Timestamp,
        outcome: Outcome,
        part: Part,
        check_failed: bool,
    ) {
        let prepared = self.prepared.request(&call.request);
        let sample = Sample { check_failed, ..call.sample(prepared.target, finished, outcome) };
        self.recorder.tally.record(&sample);
        self.accounting.recorded.add(call.intended);
        if let Some(observer) = &mut self.observation.observer {
            let version = translate::version(call.version.unwrap_or_else(|| self.prepared.version()));
            observer.call(&CallRecord {
                sample: &sample,
                session: part.session,
                request: &prepared.request,
                planned: prepared.planned(),
                version,
                is_continued: part.is_continued,
                call: call.serial,
                connection: call.connection,
                footer_bytes: call.footer_bytes,
                is_setup: part.is_setup,
                connected: call.connected,
                kept: call.kept.as_deref().unwrap_or(Kept::NONE),
            });
        }
    }
}

/// Prepares a call to be written: begins to scan its reply, and makes its path in the memory of the last one. None if the path
/// is that of the plan.
fn begin_request(
    kept: &mut Kept,
    asked: &PreparedRequest,
    session: &Session,
    workload: &Workload,
) -> Option<String> {
    if let Some((step, scan)) = &mut kept.scan {
        session.begin_scan(workload, *step, scan);
    }
    let texts = asked.texts()?;
    let mut path = std::mem::take(&mut kept.path).into_bytes();
    path.clear();
    session.write_target(workload, texts, &mut path);
    // Values in paths are escaped, so the path is ASCII.
    Some(String::from_utf8(path).unwrap_or_default())
}

/// Ends the scan of a whole reply.
fn end_scan(
    call: &mut Call,
    finished: Timestamp,
    session: &Session,
    workload: &Workload,
    prepared: &Prepared,
) {
    let Some(kept) = &mut call.kept else { return };
    let Some((step, scan)) = &mut kept.scan else { return };
    let request = &prepared.request(&call.request).request;
    let path = if kept.path.is_empty() { &request.path } else { kept.path.as_str() };
    let url = workload.scanner(*step).needs_url().then(|| format!("{}{path}", request.endpoint));
    let latency = finished.since(call.intended);
    let end = End { latency, body_bytes: call.body_bytes, url: url.as_deref().unwrap_or_default() };
    session.end_scan(workload, *step, scan, &end);
}

/// The role of a call in its session.
pub(super) struct Part {
    /// The session's number.
    pub(super) session: u64,
    pub(super) is_continued: bool,
    pub(super) is_setup: bool,
}

/// The reply in the form that sessions take.
fn reply_to<'a>(call: &'a Call, at: Timestamp, outcome: Outcome, prepared: &'a Prepared) -> Reply<'a> {
    let kept = call.kept.as_deref().unwrap_or(Kept::NONE);
    let request = &prepared.request(&call.request).request;
    Reply {
        token: call.token,
        completed: outcome == Outcome::Completed,
        status: call.status,
        request,
        path: if kept.path.is_empty() { &request.path } else { &kept.path },
        headers: &kept.headers,
        body: &kept.body,
        intended: call.intended,
        at,
        scan: kept.scan.as_ref().map(|(_, scan)| &**scan),
    }
}
