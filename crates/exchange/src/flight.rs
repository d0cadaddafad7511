//! One exchange under way, as a state machine that is told what happened and says what to do.

use crate::reply::{Reader, Standing};
use crate::{BodyLimits, Ending, Exchange, Message, Patience, Place, Step};
use std::collections::VecDeque;
use std::fmt;
use warwolf_clock::Timestamp;
use warwolf_driver::SocketError;
use warwolf_http::{TlsClient, TlsFailure};

/// What is to be done.
#[derive(Debug)]
pub(crate) enum Next {
    /// Nothing.
    Wait,
    /// These bytes are to be sent.
    Send(Vec<u8>),
    /// It is over.
    Over(Ending),
}

/// An exchange from its connect to its end.
pub(crate) struct Flight {
    tag: u64,
    steps: VecDeque<Step>,
    tls: Option<TlsClient>,
    /// Why TLS cannot begin.
    hopeless: Option<TlsFailure>,
    patience: Patience,
    reader: Reader,
    started: Timestamp,
    is_connected: bool,
    /// A buffer is with the kernel.
    is_sending: bool,
    /// What TLS wants to say as soon as the kernel has the buffer before.
    waiting: Vec<u8>,
    /// Nothing is sent before this.
    paused_until: Option<Timestamp>,
    sent: Timestamp,
    /// When patience ends with what is going on.
    deadline: Timestamp,
    /// When patience ends with all of it.
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
    /// An exchange whose connect is about to begin.
    pub(crate) fn new(
        tag: u64,
        message: Message,
        place: &Place,
        patience: Patience,
        limits: BodyLimits,
        now: Timestamp,
    ) -> Self {
        let first = message.steps.iter().find_map(|step| match step {
            Step::Bytes(bytes) => Some(bytes.as_slice()),
            Step::Pause(_) => None,
        });
        let reader = Reader::new(first.unwrap_or_default(), limits);
        let (tls, hopeless) = match place.tls.as_ref().map(|(config, name)| TlsClient::new(config, name)) {
            None => (None, None),
            Some(Ok(client)) => (Some(client), None),
            Some(Err(failure)) => (None, Some(failure)),
        };
        Self {
            tag,
            steps: message.steps.into(),
            tls,
            hopeless,
            patience,
            reader,
            started: now,
            is_connected: false,
            is_sending: false,
            waiting: Vec::new(),
            paused_until: None,
            sent: Timestamp::NEVER,
            deadline: now + patience.connect,
            last: Timestamp::NEVER,
        }
    }

    /// The number it was started under.
    pub(crate) fn tag(&self) -> u64 {
        self.tag
    }

    /// When it wants to be [`woken`](Self::woken).
    pub(crate) fn wake(&self) -> Timestamp {
        self.paused_until.unwrap_or(Timestamp::NEVER).min(self.deadline).min(self.last)
    }

    /// The connect came to an end.
    pub(crate) fn connected(&mut self, result: Result<(), SocketError>, now: Timestamp) -> Next {
        match result {
            Err(SocketError::Refused | SocketError::NoSuchPath) => return Next::Over(Ending::Refused),
            Err(SocketError::TimedOut) => return Next::Over(Ending::NotConnected),
            Err(SocketError::Reset) => return Next::Over(Ending::Reset),
            Err(error) => return Next::Over(Ending::Local(error)),
            Ok(()) => self.is_connected = true,
        }
        if let Some(failure) = self.hopeless {
            return Next::Over(Ending::Tls(failure));
        }
        match &mut self.tls {
            Some(client) => {
                client.start(&mut self.waiting);
                self.speak(now)
            }
            None => self.speak(now),
        }
    }

    /// Bytes came.
    pub(crate) fn received(&mut self, bytes: &[u8], now: Timestamp) -> Next {
        if self.sent.is_reached() {
            self.deadline = now + self.patience.silence;
        }
        let Some(client) = &mut self.tls else { return self.read(bytes) };
        let was_handshaking = client.handshaking();
        let mut plain = Vec::new();
        let result = client.receive(bytes, &mut plain, &mut self.waiting);
        let is_open = was_handshaking && !client.handshaking();
        let has_ended = client.peer_closed();
        if !plain.is_empty()
            && let Next::Over(ending) = self.read(&plain)
        {
            return Next::Over(ending);
        }
        if let Err(failure) = result {
            return Next::Over(Ending::Tls(failure));
        }
        if has_ended {
            return self.ended(Ok(()));
        }
        if is_open || !self.waiting.is_empty() { self.speak(now) } else { Next::Wait }
    }

    fn read(&mut self, bytes: &[u8]) -> Next {
        match self.reader.receive(bytes) {
            Standing::Complete => Next::Over(Ending::Complete),
            Standing::Malformed(violation) => Next::Over(Ending::Malformed(violation)),
            Standing::Nothing | Standing::Begun | Standing::Cut => Next::Wait,
        }
    }

    /// The kernel took a buffer, or will take no more.
    pub(crate) fn sent(&mut self, result: Result<(), SocketError>, now: Timestamp) -> Next {
        self.is_sending = false;
        if result.is_err() {
            // What the peer said before it closed may still come, and its end will.
            self.steps.clear();
            return Next::Wait;
        }
        self.speak(now)
    }

    /// The peer has no more to say.
    pub(crate) fn ended(&mut self, result: Result<(), SocketError>) -> Next {
        let before = self.reader.standing();
        let ending = match result {
            Ok(()) => match self.reader.finish() {
                Standing::Complete => Ending::Complete,
                Standing::Malformed(violation) => Ending::Malformed(violation),
                Standing::Nothing => Ending::Closed,
                Standing::Begun | Standing::Cut => Ending::ClosedMidReply,
            },
            Err(_) if before == Standing::Nothing => Ending::Reset,
            Err(_) => Ending::ResetMidReply,
        };
        Next::Over(ending)
    }

    /// A pause or patience came to its end.
    pub(crate) fn woken(&mut self, now: Timestamp) -> Next {
        if now >= self.deadline.min(self.last) {
            return Next::Over(match self.reader.standing() {
                _ if !self.is_connected || self.is_handshaking() => Ending::NotConnected,
                Standing::Nothing => Ending::Silent,
                _ => Ending::Stalled,
            });
        }
        if self.paused_until.is_some_and(|until| until <= now) {
            self.paused_until = None;
            return self.speak(now);
        }
        Next::Wait
    }

    fn is_handshaking(&self) -> bool {
        self.tls.as_ref().is_some_and(TlsClient::handshaking)
    }

    /// Sends what is next, when the kernel has room for it.
    fn speak(&mut self, now: Timestamp) -> Next {
        if self.is_sending {
            return Next::Wait;
        }
        if !self.waiting.is_empty() {
            self.is_sending = true;
            return Next::Send(std::mem::take(&mut self.waiting));
        }
        if self.is_handshaking() || self.paused_until.is_some() {
            return Next::Wait;
        }
        self.deadline = now + self.patience.whole;
        match self.steps.pop_front() {
            Some(Step::Pause(time)) => {
                self.paused_until = Some(now + time);
                Next::Wait
            }
            Some(Step::Bytes(bytes)) if bytes.is_empty() => self.speak(now),
            Some(Step::Bytes(bytes)) => self.send(bytes),
            None => {
                if !self.sent.is_reached() {
                    self.sent = now;
                    self.last = now + self.patience.whole;
                }
                self.deadline = now + self.patience.silence;
                Next::Wait
            }
        }
    }

    fn send(&mut self, bytes: Vec<u8>) -> Next {
        let mut out = bytes;
        if let Some(client) = &mut self.tls {
            let plain = std::mem::take(&mut out);
            if let Err(failure) = client.send(&plain, &mut out) {
                return Next::Over(Ending::Tls(failure));
            }
        }
        self.is_sending = true;
        Next::Send(out)
    }

    /// What there is to say about it when it is over.
    pub(crate) fn over(self, ending: Ending, now: Timestamp) -> Exchange {
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
