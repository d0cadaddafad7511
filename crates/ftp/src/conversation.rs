//! The dialog on a control connection, from the greeting to the goodbye.

use crate::Violation;
use crate::order::{Action, Order};
use crate::reply::{Replies, decimal, extended_port, passive_port};
use std::sync::Arc;

/// What the owner of a [`Conversation`] has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Send what was written, nothing else.
    Quiet,
    /// Open a data connection to this port of the server, and call [`Conversation::connected`] when it is open.
    Connect(u16),
    /// The server has accepted the transfer: send the file to be stored over the data connection now.
    Begun,
    /// The transfer is over or was refused: close the data connection, if there is one.
    Settled,
    /// The server has replied to `QUIT`, or closes by itself: close the control connection.
    Over,
}

/// How a conversation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a final reply, whether success or refusal.
    Answered,
    /// Without a final reply, before the transfer began.
    Unanswered,
    /// In the middle of the transfer: without a final reply, or the data was cut short and the server did not notice.
    Cut,
}

/// The subject of the server's next reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaits {
    Greeting,
    Name,
    Password,
    Port,
    /// None is expected: the data connection is being opened.
    Connected,
    Type,
    Size,
    /// The start of the transfer.
    Beginning,
    /// The end of the transfer.
    Completion,
    /// None is expected: the transfer is complete, and the rest of the data has not arrived yet.
    Data,
    Goodbye,
}

/// One transfer on a control connection of its own: greeting, `USER`, `PASS`, `PASV` or `EPSV`, `TYPE`, `SIZE` where a file
/// is fetched as it is, the transfer, `QUIT` (RFC 959 section 5.4, RFC 2428 section 3, RFC 3659 section 4).
#[derive(Debug)]
pub struct Conversation {
    order: Arc<Order>,
    number: Vec<u8>,
    /// Sends `EPSV` instead of `PASV`: the server has an IPv6 address.
    is_extended: bool,
    awaits: Awaits,
    replies: Replies,
    /// The size of the file, as the server reports it.
    size: Option<u64>,
    received: u64,
    /// Whether the data connection ended as it should, once it has ended.
    data: Option<bool>,
    /// The reply that the last bytes completed.
    code: Option<u16>,
    /// The final reply.
    status: u16,
}

impl Conversation {
    /// Awaits the greeting of the server. `number` goes into the name of a numbered order.
    #[must_use]
    pub fn new(order: Arc<Order>, number: Vec<u8>, is_extended: bool) -> Self {
        Self {
            order,
            number,
            is_extended,
            awaits: Awaits::Greeting,
            replies: Replies::default(),
            size: None,
            received: 0,
            data: None,
            code: None,
            status: 0,
        }
    }

    /// What the transfer does.
    #[must_use]
    pub fn action(&self) -> Action {
        self.order.action()
    }

    /// Takes bytes off `input` up to the end of a reply, and appends the next command to `out`.
    ///
    /// # Errors
    /// The server broke the protocol: the connection can carry nothing more.
    pub fn receive(&mut self, input: &mut &[u8], out: &mut Vec<u8>) -> Result<Event, Violation> {
        self.code = None;
        let Some(code) = self.replies.take(input)? else { return Ok(Event::Quiet) };
        self.code = Some(code);
        self.take(code, out)
    }

    fn take(&mut self, code: u16, out: &mut Vec<u8>) -> Result<Event, Violation> {
        let next = match (self.awaits, code) {
            (Awaits::Goodbye, _) => return Ok(Event::Over),
            // 120 announces when the server will be ready.
            (Awaits::Greeting, 100..=199) => Awaits::Greeting,
            (Awaits::Greeting, 200..=299) => {
                self.order.write_user(out);
                Awaits::Name
            }
            (Awaits::Name, 331) => {
                self.order.write_pass(out);
                Awaits::Password
            }
            (Awaits::Name | Awaits::Password, 200..=299) => {
                out.extend_from_slice(if self.is_extended { b"EPSV\r\n" } else { b"PASV\r\n" });
                Awaits::Port
            }
            (Awaits::Port, 200..=299) => {
                let line = self.replies.line();
                let port = if self.is_extended { extended_port(line) } else { passive_port(line) };
                self.awaits = Awaits::Connected;
                return port.map(Event::Connect);
            }
            (Awaits::Type, 200..=299) if self.order.asks_size() => {
                self.order.write_size(out);
                Awaits::Size
            }
            (Awaits::Size, 200..=299) => {
                self.size = self.replies.line().get(4..).and_then(decimal);
                self.ask(out)
            }
            // A server without SIZE may still serve the file.
            (Awaits::Type, 200..=299) | (Awaits::Size, 500 | 502 | 504) => self.ask(out),
            (Awaits::Beginning, 100..=199) => {
                self.awaits = Awaits::Completion;
                return Ok(Event::Begun);
            }
            (Awaits::Completion, 100..=199) => Awaits::Completion,
            (Awaits::Beginning | Awaits::Completion, 200..=299) => return Ok(self.complete(code, out)),
            // No order has an account (332).
            (Awaits::Name | Awaits::Password, 332) | (_, 400..) => return Ok(self.refused(code, out)),
            _ => return Err(Violation::UnexpectedReply),
        };
        self.awaits = next;
        Ok(Event::Quiet)
    }

    fn ask(&self, out: &mut Vec<u8>) -> Awaits {
        self.order.write_transfer(&self.number, out);
        Awaits::Beginning
    }

    /// Takes the final reply. It may precede the last of the data that is fetched, not the last of the data that is stored.
    fn complete(&mut self, code: u16, out: &mut Vec<u8>) -> Event {
        self.status = code;
        if self.data.is_none() && self.action() != Action::Store {
            self.awaits = Awaits::Data;
            return Event::Quiet;
        }
        self.leave(out)
    }

    fn refused(&mut self, code: u16, out: &mut Vec<u8>) -> Event {
        self.status = code;
        // A server that replies 421 closes the connection (RFC 959 section 5.4).
        if code == 421 { Event::Over } else { self.leave(out) }
    }

    fn leave(&mut self, out: &mut Vec<u8>) -> Event {
        out.extend_from_slice(b"QUIT\r\n");
        self.awaits = Awaits::Goodbye;
        Event::Settled
    }

    /// Notes that the data connection is open, and appends the next command.
    pub fn connected(&mut self, out: &mut Vec<u8>) {
        if self.awaits == Awaits::Connected {
            self.order.write_type(out);
            self.awaits = Awaits::Type;
        }
    }

    /// Notes that this many bytes were received over the data connection.
    pub fn received(&mut self, bytes: usize) {
        self.received += bytes as u64;
    }

    /// Notes that the data connection ended, or that all of the file to be stored was handed over. `is_whole` is false when it
    /// was broken off.
    pub fn data_ended(&mut self, is_whole: bool, out: &mut Vec<u8>) -> Event {
        self.data = Some(is_whole);
        if self.awaits == Awaits::Data { self.leave(out) } else { Event::Quiet }
    }

    /// How the conversation ended. To be asked when it is over or the server has closed the control connection.
    #[must_use]
    pub fn ending(&self) -> Ending {
        match self.status {
            0 if matches!(self.awaits, Awaits::Completion) => Ending::Cut,
            0 => Ending::Unanswered,
            // Data without a known end counts as cut.
            200..=299 if self.data != Some(true) || self.is_short() => Ending::Cut,
            _ => Ending::Answered,
        }
    }

    /// Whether fewer bytes were received than the server had announced.
    fn is_short(&self) -> bool {
        self.size.is_some_and(|size| self.received < size)
    }

    /// The reply that the last call of [`receive`](Self::receive) completed, if it completed one: its code and its last line,
    /// without the line end.
    #[must_use]
    pub fn reply(&self) -> Option<(u16, &[u8])> {
        self.code.map(|code| (code, self.replies.line()))
    }

    /// The code of the final reply; zero when there was none.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Bytes of all replies so far, line ends included.
    #[must_use]
    pub fn reply_bytes(&self) -> u64 {
        self.replies.total()
    }
}

#[cfg(test)]
mod tests;
