//! Calls of a worker: how they start, and how they end.

use super::Worker;
use super::connections::encrypt;
use crate::call::{Call, Followed, NONE, What};
use crate::connection::Phase;
use crate::filling::{Filling, Upload, request, template};
use crate::setup::Prepared;
use crate::sink::{Ended, Ending};
use crate::translate;
use crate::witness::Seen;
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_driver::Driver;
use warwolf_http::{CallId, Cause};
use warwolf_measure::Outcome;
use warwolf_plan::RequestId;
use warwolf_workload::Reply;

/// A call is begun again on another connection this often before its failure counts.
const REPEATS: u8 = 3;
/// After a connection that could not be opened, its session waits this long: a port table that is full, or a server
/// that is down, is not hammered by users who have nothing to wait for.
const CONNECT_PAUSE: Duration = Duration::from_millis(10);

impl<D: Driver> Worker<'_, D> {
    pub(super) fn start(&mut self, session: u32, what: What, intended: Timestamp) {
        let started = self.now.max(intended);
        let keep = self.prepared.keeps_reply_fields;
        let index = self.calls.insert(Call::new(session, what, intended, started, keep)) as u32;
        self.sessions[session as usize].in_flight += 1;
        self.recorder.tally.planned(1);
        self.recorder.tally.started(1);
        self.recorder.tally.in_flight(self.calls.len() as u64);
        if let Some(limit) = self.prepared.timeouts.call {
            self.call_deadlines.set(index, self.now + limit);
        }
        if !self.dispatch(index) {
            self.recorder.tally.held_back(1);
            self.pool.wait(index);
        }
    }

    pub(super) fn follow(&mut self, session: u32, request: warwolf_plan::Request, intended: Timestamp) {
        let origin = self.sessions[session as usize].session.request().map_or(0, |id| id.0);
        let known = self.endpoints.len();
        let endpoint = self.endpoints.find_or_add(&request.endpoint, self.prepared);
        for _ in known..self.endpoints.len() {
            self.pool.add_endpoint();
        }
        let ready = self.prepared.encode(&request).and_then(|template| Ok((template, Upload::of(&request)?)));
        match ready {
            Ok((template, body)) => {
                let followed = Followed { request, template, endpoint, body, origin };
                self.start(session, What::Followed(Box::new(followed)), intended);
            }
            // A Location that makes no request: the redirect itself was the last reply.
            Err(_) => {
                self.sessions[session as usize].session.reply(&self.workload, &Reply::failed(&request));
            }
        }
    }

    pub(super) fn endpoint_of(&self, call: u32) -> u32 {
        match &self.calls[call as usize].what {
            What::Planned(request) => self.prepared.requests[*request as usize].endpoint,
            What::Followed(followed) => followed.endpoint,
        }
    }

    /// Finds a connection for a call: the session's own, a free one, or a new one. False when it must wait.
    pub(super) fn dispatch(&mut self, call: u32) -> bool {
        let endpoint = self.endpoint_of(call);
        let session = self.calls[call as usize].session;
        let own = self.sessions[session as usize].connection;
        if own != NONE && self.connections[own as usize].endpoint == endpoint {
            let connection = &mut self.connections[own as usize];
            if connection.has_room() {
                self.write(call, own);
                return true;
            }
            if connection.phase != Phase::Ready && self.prepared.pipeline > 1 {
                connection.waiting.push(&mut self.calls, call);
                self.calls[call as usize].connection = own;
                return true;
            }
        }
        if let Some(index) = self.pool.take(&mut self.connections, endpoint) {
            self.keep(session, index);
            self.write(call, index);
            return true;
        }
        if self.endpoints.addresses(endpoint).is_empty() {
            self.ended.push(Ended { call, ending: Ending::Failed(Outcome::Resolve) });
            return true;
        }
        if self.connections.len() - self.closed.len() >= self.pool.limit() {
            match self.pool.take_any_idle(&mut self.connections) {
                Some(idle) => self.close(idle),
                None => return false,
            }
        }
        let index = self.open(endpoint);
        self.connections[index as usize].waiting.push(&mut self.calls, call);
        self.calls[call as usize].connection = index;
        self.keep(session, index);
        true
    }

    /// Gives connections to the calls that wait for one, in order.
    pub(super) fn serve_queue(&mut self) {
        while self.pool.anyone_waits() {
            let Some(call) = self.pool.next_waiting() else { return };
            if !self.dispatch(call) {
                self.pool.wait_again(call);
                return;
            }
            self.settle();
        }
    }

    /// Encodes a call onto a ready connection.
    pub(super) fn write(&mut self, call: u32, connection: u32) {
        let Self { calls, connections, sessions, prepared, plain, recorder, workload, .. } = self;
        let live = &mut connections[connection as usize];
        let entry = &mut calls[call as usize];
        entry.connection = connection;
        entry.on_used = live.completed > 0 || live.protocol.in_flight() > 0;
        if entry.on_used {
            recorder.tally.connection_reused();
        }
        let session = &mut sessions[entry.session as usize].session;
        let template = template(prepared, &entry.what);
        let mut filling = Filling::head(request(prepared, &entry.what), session, workload);
        if live.out.capacity() == 0
            && let Some(spare) = self.buffers.pop()
        {
            live.out = spare;
        }
        if live.tls.is_some() {
            plain.clear();
            live.protocol.start(CallId(call), template, &mut filling, plain);
            entry.sent_bytes = plain.len() as u64;
            encrypt(live, plain);
        } else {
            let before = live.out.len();
            live.protocol.start(CallId(call), template, &mut filling, &mut live.out);
            entry.sent_bytes = (live.out.len() - before) as u64;
        }
        live.written.push(calls, call);
        self.mark(connection);
    }

    pub(super) fn mark(&mut self, connection: u32) {
        let live = &mut self.connections[connection as usize];
        if !live.dirty {
            live.dirty = true;
            self.dirty.push(connection);
        }
    }

    /// Closes the books on calls that ended, and lets their sessions go on.
    pub(super) fn settle(&mut self) {
        let mut next = 0;
        while let Some(&ended) = self.ended.get(next) {
            next += 1;
            self.end(ended);
        }
        self.ended.clear();
    }

    pub(super) fn end(&mut self, Ended { call, ending }: Ended) {
        let outcome = match ending {
            Ending::Complete => Outcome::Completed,
            Ending::Failed(outcome) => {
                self.record(call, self.now, outcome, CONNECT_PAUSE);
                return;
            }
            Ending::Broken { outcome, begun } => {
                if !begun && self.begin_again(call) {
                    return;
                }
                outcome
            }
            Ending::Cause(cause) => {
                let unanswered = matches!(cause, Cause::ClosedBeforeReply | Cause::Retired);
                if unanswered && self.begin_again(call) {
                    return;
                }
                translate::cause(cause)
            }
        };
        self.record(call, self.now, outcome, Duration::ZERO);
    }

    /// A kept-alive connection that the server closed costs a reconnect, not a failure, when no byte of the reply had
    /// come and the request may be repeated (RFC 9112 section 9.3.1). True when the call goes on.
    pub(super) fn begin_again(&mut self, index: u32) -> bool {
        let call = &mut self.calls[index as usize];
        let is_repeatable = template(self.prepared, &call.what).is_repeatable();
        if call.repeats >= REPEATS || !call.on_used || !is_repeatable {
            return false;
        }
        call.begin_again();
        self.recorder.tally.reconnected();
        if !self.dispatch(index) {
            self.pool.wait(index);
        }
        true
    }

    /// Counts a call that is over and tells its session, which goes on after `pause`.
    pub(super) fn record(&mut self, index: u32, finished: Timestamp, outcome: Outcome, pause: Duration) {
        self.call_deadlines.clear(index);
        let call = self.calls.remove(index as usize);
        if let Some(connection) = self.connections.get_mut(call.connection as usize) {
            connection.completed += u32::from(outcome == Outcome::Completed);
            if !call.sent.is_reached() {
                // A server may answer what it has not been sent yet; nothing may point to this call any longer.
                connection.written.remove(&mut self.calls, index);
            }
        }
        let live = &mut self.sessions[call.session as usize];
        live.in_flight -= 1;
        let is_continued = live.session.reply(&self.workload, &reply_to(&call, outcome, self.prepared));
        let session = live.session.number();
        self.count(&call, finished, outcome, session, is_continued);
        if pause.is_zero() {
            self.advance(call.session, finished);
        } else {
            self.pauses.set(call.session, finished + pause);
        }
    }

    /// Adds a call that is over to the tally, and shows it to the witness.
    pub(super) fn count(
        &mut self,
        call: &Call,
        finished: Timestamp,
        outcome: Outcome,
        session: u64,
        is_continued: bool,
    ) {
        let sample = call.sample(finished, outcome);
        self.recorder.tally.record(&sample);
        if let Some(witness) = &mut self.witness {
            let request = request(self.prepared, &call.what);
            let planned = match call.what {
                What::Planned(index) => Some(RequestId(index)),
                What::Followed(_) => None,
            };
            let version = call.version.unwrap_or_else(|| self.prepared.version());
            witness.call(&Seen { sample: &sample, session, request, planned, version, is_continued });
        }
    }

    pub(super) fn time_out(&mut self, index: u32) {
        let call = &self.calls[index as usize];
        let deadline = self.prepared.timeouts.call.map_or(self.now, |limit| call.started + limit);
        let connection = call.connection;
        if connection == NONE {
            self.pool.forget(index);
            self.record(index, deadline, Outcome::ConnectTimeout, Duration::ZERO);
            return;
        }
        let live = &mut self.connections[connection as usize];
        match live.phase {
            Phase::Ready => {
                live.protocol.abandon(CallId(index));
                self.break_off(connection, Outcome::ResponseTimeout);
                self.record(index, deadline, Outcome::ResponseTimeout, Duration::ZERO);
            }
            phase => {
                live.waiting.remove(&mut self.calls, index);
                let outcome =
                    if phase == Phase::Handshake { Outcome::TlsTimeout } else { Outcome::ConnectTimeout };
                if live.waiting.is_empty() {
                    self.fail(connection, outcome);
                }
                self.record(index, deadline, outcome, Duration::ZERO);
            }
        }
    }
}

/// What the session is told.
fn reply_to<'a>(call: &'a Call, outcome: Outcome, prepared: &'a Prepared) -> Reply<'a> {
    let kept = call.kept.as_deref();
    Reply {
        completed: outcome == Outcome::Completed,
        status: call.status,
        request: request(prepared, &call.what),
        location: kept.and_then(|kept| kept.location.as_deref()),
        cookies: kept.map_or(&[], |kept| &kept.cookies),
        challenges: kept.map_or(&[], |kept| &kept.challenges),
    }
}
