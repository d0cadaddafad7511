//! What counts as trouble.

use crate::sense::{is_versioned, owes_reply};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;
use warwolf_exchange::{Ending, Exchange, Message};
use warwolf_http::{TlsFailure, Violation};

/// A way for a server to fail.
///
/// Refusals are not among them: 400, 404, 405, 413, 414, 431 and the like are what a sound server says to unsound requests, and
/// so are 501 and 505.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// A status of 500 or more, other than 501 and 505.
    ServerError(u16),
    /// No answer to a complete request for as long as patience lasted.
    Hang,
    /// The connection ended, or was reset, before anything was said to a complete request.
    Dropped,
    /// An answer began and was never finished.
    HalfReply,
    /// What came is not HTTP.
    Malformed(String),
    /// TLS ended in an alert, or broke.
    Tls(String),
    /// The server takes no more connections.
    Down,
    /// Sound requests take much longer than before, and it stays so.
    Slower,
}

impl Trouble {
    /// A short name without details, for rules and tests.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::ServerError(_) => "server-error",
            Self::Hang => "hang",
            Self::Dropped => "dropped",
            Self::HalfReply => "half-reply",
            Self::Malformed(_) => "malformed-reply",
            Self::Tls(_) => "tls",
            Self::Down => "down",
            Self::Slower => "slower",
        }
    }

    /// Whether sending the request again can show it: what stays after a request cannot be shown twice.
    #[must_use]
    pub const fn can_be_replayed(&self) -> bool {
        !matches!(self, Self::Down | Self::Slower)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ServerError(status) => write!(f, "status {status}"),
            Self::Hang => f.write_str("no answer"),
            Self::Dropped => f.write_str("connection dropped without an answer"),
            Self::HalfReply => f.write_str("half an answer"),
            Self::Malformed(why) => write!(f, "malformed answer: {why}"),
            Self::Tls(why) => write!(f, "TLS: {why}"),
            Self::Down => f.write_str("server takes no more connections"),
            Self::Slower => f.write_str("server stays slow"),
        }
    }
}

/// What is wrong with what came back for `message`, if anything is.
///
/// A failed connect is not judged here: what it means shows in the health probe.
#[must_use]
pub fn judge(message: &Message, exchange: &Exchange) -> Option<Trouble> {
    let reply = &exchange.reply;
    let is_sent = exchange.sent.is_reached();
    let is_owed = || is_sent && owes_reply(&message.bytes());
    match exchange.ending {
        Ending::Complete if is_server_error(reply.status) => Some(Trouble::ServerError(reply.status)),
        Ending::NoResponse if is_owed() => Some(Trouble::Hang),
        Ending::Closed | Ending::Reset if is_owed() => Some(Trouble::Dropped),
        Ending::Stalled | Ending::ClosedMidReply | Ending::ResetMidReply
            if reply.status != 0 || is_owed() =>
        {
            if is_server_error(reply.status) {
                return Some(Trouble::ServerError(reply.status));
            }
            Some(Trouble::HalfReply)
        }
        Ending::Malformed(violation) => {
            let may_be_old = violation == Violation::BadStatusLine && !is_versioned(&message.bytes());
            (!may_be_old).then(|| Trouble::Malformed(violation.to_string()))
        }
        // A connection that just ends inside TLS is dropped like any other.
        Ending::Tls(TlsFailure::Truncated) => is_owed().then_some(Trouble::Dropped),
        Ending::Tls(failure) => Some(Trouble::Tls(failure.to_string())),
        _ => None,
    }
}

/// 501 and 505 are refusals: the method or version is not one the server knows.
fn is_server_error(status: u16) -> bool {
    status >= 500 && !matches!(status, 501 | 505)
}

/// Whether sound requests have become slow: ten times what they took, and 50 ms more.
#[must_use]
pub fn is_slower(before: Duration, now: Duration) -> bool {
    now > before * 10 && now > before + Duration::from_millis(50)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_clock::Timestamp;
    use warwolf_exchange::Reply;

    fn judged(request: &[u8], ending: Ending, status: u16) -> Option<Trouble> {
        let exchange = Exchange {
            tag: 0,
            started: Timestamp::ZERO,
            sent: Timestamp::ZERO,
            finished: Timestamp::ZERO,
            ending,
            reply: Reply { status, ..Reply::default() },
        };
        judge(&Message::of(request), &exchange)
    }

    #[test]
    fn a_refusal_is_no_trouble_and_a_failure_is() {
        let whole = b"GET / HTTP/1.1\r\n\r\n";
        let half = b"GET / HT";
        let rows = [
            (&whole[..], Ending::Complete, 200, None),
            (whole, Ending::Complete, 414, None),
            (whole, Ending::Complete, 501, None),
            (whole, Ending::Complete, 505, None),
            (whole, Ending::Complete, 500, Some(Trouble::ServerError(500))),
            (half, Ending::Complete, 502, Some(Trouble::ServerError(502))),
            (whole, Ending::NoResponse, 0, Some(Trouble::Hang)),
            (half, Ending::NoResponse, 0, None),
            (whole, Ending::Closed, 0, Some(Trouble::Dropped)),
            (half, Ending::Closed, 0, None),
            (half, Ending::Stalled, 0, None),
            (half, Ending::Stalled, 200, Some(Trouble::HalfReply)),
            (whole, Ending::ClosedMidReply, 0, Some(Trouble::HalfReply)),
            (whole, Ending::ClosedMidReply, 500, Some(Trouble::ServerError(500))),
            (b"GET /\r\n\r\n", Ending::Malformed(Violation::BadStatusLine), 0, None),
            (whole, Ending::Refused, 0, None),
        ];
        for (request, ending, status, expected) in rows {
            assert_eq!(judged(request, ending, status), expected, "{} {ending:?}", request.escape_ascii());
        }
        let malformed = judged(whole, Ending::Malformed(Violation::BadStatusLine), 0).unwrap();
        assert_eq!(malformed.name(), "malformed-reply");
    }

    #[test]
    fn slow_is_much_slower_than_before() {
        let ms = Duration::from_millis;
        assert!(!is_slower(ms(1), ms(40)) && !is_slower(ms(100), ms(900)));
        assert!(is_slower(ms(1), ms(60)) && is_slower(ms(100), ms(1_001)));
    }
}
