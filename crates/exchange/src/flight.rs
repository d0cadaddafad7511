//! One exchange in flight, as a state machine: events in, actions out.

use crate::reply::{Reader, State};
use crate::{BodyLimits, Ending, Exchange, Message, Step, Target, Timeouts};
use std::collections::VecDeque;
use std::fmt;
use warwolf_clock::Timestamp;
use warwolf_driver::SocketError;
use warwolf_http::{TlsClient, TlsFailure};

/// The action that the caller has to perform.
#[derive(Debug)]
pub(crate) enum Action {
    /// Nothing.
    Wait,
    /// Send these bytes.
    Send(Vec<u8>),
    /// The exchange is finished.
    Finish(Ending),
}

/// An exchange from connect to end.
pub(crate) struct Flight {
    tag: u64,
    steps: VecDeque<Step>,
    tls: Option<TlsClient>,
    /// The reason why TLS cannot start.
    tls_error: Option<TlsFailure>,
    timeouts: Timeouts,
    reader: Reader,
    started: Timestamp,
    is_connected: bool,
    /// The kernel is sending a buffer.
    is_sending: bool,
    /// TLS output that is sent when the kernel has finished the previous buffer.
    tls_output: Vec<u8>,
    /// Nothing is sent before this time.
    paused_until: Option<Timestamp>,
    sent: Timestamp,
    /// Deadline of the current phase.
    deadline: Timestamp,
    /// Deadline of the complete response.
    last: Timestamp,
}

impl fmt::Debug for Flight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flight")
            .field("tag", &self.tag)
            .field("started", &self.started)
            .finish_non_exhaustive()
    }
}

impl Flight {
    /// Creates an exchange; the caller starts to connect.
    pub(crate) fn new(
        tag: u64,
        message: Message,
        target: &Target,
        timeouts: Timeouts,
        limits: BodyLimits,
        now: Timestamp,
    ) -> Self {
        let first = message.steps.iter().find_map(|step| match step {
            Step::Bytes(bytes) => Some(bytes.as_slice()),
            Step::Pause(_) => None,
        });
        let reader = Reader::new(first.unwrap_or_default(), limits);
        let (tls, tls_error) = match target.tls.as_ref().map(|(config, name)| TlsClient::new(config, name)) {
            None => (None, None),
            Some(Ok(client)) => (Some(client), None),
            Some(Err(failure)) => (None, Some(failure)),
        };
        Self {
            tag,
            steps: message.steps.into(),
            tls,
            tls_error,
            timeouts,
            reader,
            started: now,
            is_connected: false,
            is_sending: false,
            tls_output: Vec::new(),
            paused_until: None,
            sent: Timestamp::NEVER,
            deadline: now + timeouts.connect,
            last: Timestamp::NEVER,
        }
    }

    /// Returns the number given by the caller.
    pub(crate) fn tag(&self) -> u64 {
        self.tag
    }

    /// Returns when [`woken`](Self::woken) must be called.
    pub(crate) fn wake(&self) -> Timestamp {
        self.paused_until.unwrap_or(Timestamp::NEVER).min(self.deadline).min(self.last)
    }

    /// Handles the end of the connect.
    pub(crate) fn connected(&mut self, result: Result<(), SocketError>, now: Timestamp) -> Action {
        match result {
            Err(SocketError::Refused | SocketError::NoSuchPath) => return Action::Finish(Ending::Refused),
            Err(SocketError::TimedOut) => return Action::Finish(Ending::ConnectTimeout),
            Err(SocketError::Reset) => return Action::Finish(Ending::Reset),
            Err(error) => return Action::Finish(Ending::Local(error)),
            Ok(()) => self.is_connected = true,
        }
        if let Some(failure) = self.tls_error {
            return Action::Finish(Ending::Tls(failure));
        }
        match &mut self.tls {
            Some(client) => {
                client.start(&mut self.tls_output);
                self.advance(now)
            }
            None => self.advance(now),
        }
    }

    /// Handles received bytes.
    pub(crate) fn received(&mut self, bytes: &[u8], now: Timestamp) -> Action {
        if self.sent.is_reached() {
            self.deadline = now + self.timeouts.idle;
        }
        let Some(client) = &mut self.tls else { return self.read(bytes) };
        let was_handshaking = client.handshaking();
        let mut plain = Vec::new();
        let result = client.receive(bytes, &mut plain, &mut self.tls_output);
        let is_open = was_handshaking && !client.handshaking();
        let has_ended = client.peer_closed();
        if !plain.is_empty()
            && let Action::Finish(ending) = self.read(&plain)
        {
            return Action::Finish(ending);
        }
        if let Err(failure) = result {
            return Action::Finish(Ending::Tls(failure));
        }
        if has_ended {
            return self.ended(Ok(()));
        }
        if is_open || !self.tls_output.is_empty() { self.advance(now) } else { Action::Wait }
    }

    fn read(&mut self, bytes: &[u8]) -> Action {
        match self.reader.receive(bytes) {
            State::Complete => Action::Finish(Ending::Complete),
            State::Malformed(violation) => Action::Finish(Ending::Malformed(violation)),
            State::Empty | State::Partial | State::Truncated => Action::Wait,
        }
    }

    /// Handles the end of a send.
    pub(crate) fn sent(&mut self, result: Result<(), SocketError>, now: Timestamp) -> Action {
        self.is_sending = false;
        if result.is_err() {
            // A response that the peer sent before it closed may still arrive, followed by the end of the connection.
            self.steps.clear();
            return Action::Wait;
        }
        self.advance(now)
    }

    /// The peer has no more to say.
    pub(crate) fn ended(&mut self, result: Result<(), SocketError>) -> Action {
        let before = self.reader.state();
        let ending = match result {
            Ok(()) => match self.reader.finish() {
                State::Complete => Ending::Complete,
                State::Malformed(violation) => Ending::Malformed(violation),
                State::Empty => Ending::Closed,
                State::Partial | State::Truncated => Ending::ClosedMidReply,
            },
            Err(_) if before == State::Empty => Ending::Reset,
            Err(_) => Ending::ResetMidReply,
        };
        Action::Finish(ending)
    }

    /// Handles the end of a pause or a deadline.
    pub(crate) fn woken(&mut self, now: Timestamp) -> Action {
        if now >= self.deadline.min(self.last) {
            return Action::Finish(match self.reader.state() {
                _ if !self.is_connected || self.is_handshaking() => Ending::ConnectTimeout,
                State::Empty => Ending::NoResponse,
                _ => Ending::Stalled,
            });
        }
        if self.paused_until.is_some_and(|until| until <= now) {
            self.paused_until = None;
            return self.advance(now);
        }
        Action::Wait
    }

    fn is_handshaking(&self) -> bool {
        self.tls.as_ref().is_some_and(TlsClient::handshaking)
    }

    /// Performs the next step, unless the kernel is still sending.
    fn advance(&mut self, now: Timestamp) -> Action {
        if self.is_sending {
            return Action::Wait;
        }
        if !self.tls_output.is_empty() {
            self.is_sending = true;
            return Action::Send(std::mem::take(&mut self.tls_output));
        }
        if self.is_handshaking() || self.paused_until.is_some() {
            return Action::Wait;
        }
        self.deadline = now + self.timeouts.total;
        match self.steps.pop_front() {
            Some(Step::Pause(time)) => {
                self.paused_until = Some(now + time);
                Action::Wait
            }
            Some(Step::Bytes(bytes)) if bytes.is_empty() => self.advance(now),
            Some(Step::Bytes(bytes)) => self.send(bytes),
            None => {
                if !self.sent.is_reached() {
                    self.sent = now;
                    self.last = now + self.timeouts.total;
                }
                self.deadline = now + self.timeouts.idle;
                Action::Wait
            }
        }
    }

    fn send(&mut self, bytes: Vec<u8>) -> Action {
        let mut out = bytes;
        if let Some(client) = &mut self.tls {
            let plain = std::mem::take(&mut out);
            if let Err(failure) = client.send(&plain, &mut out) {
                return Action::Finish(Ending::Tls(failure));
            }
        }
        self.is_sending = true;
        Action::Send(out)
    }

    /// Returns the finished exchange.
    pub(crate) fn finish(self, ending: Ending, now: Timestamp) -> Exchange {
        Exchange {
            tag: self.tag,
            started: self.started,
            sent: self.sent,
            finished: now,
            ending,
            reply: self.reader.into_reply(),
        }
    }
}
