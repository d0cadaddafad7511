//! Classifies responses as failures of the server.

use crate::completeness::{is_versioned, requires_response};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;
use warwolf_exchange::{Ending, Exchange, Message};
use warwolf_http::{TlsFailure, Violation};

/// A kind of server failure.
///
/// Rejections are not failures: 400, 404, 405, 413, 414, 431 and the like are correct responses to invalid requests, and so are
/// 501 and 505.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// A status of 500 or more, other than 501 and 505.
    ServerError(u16),
    /// No response to a complete request within the timeout.
    Hang,
    /// The connection was closed or reset before a response to a complete request.
    Dropped,
    /// A response began and was not finished.
    HalfReply,
    /// The response is not HTTP.
    Malformed(String),
    /// TLS failed or ended with an alert.
    Tls(String),
    /// The server does not accept connections.
    Down,
    /// Valid requests take much longer than before, permanently.
    Slower,
}

impl Failure {
    /// Returns a short name without details, for rules and tests.
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
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ServerError(status) => write!(f, "status {status}"),
            Self::Hang => f.write_str("no response"),
            Self::Dropped => f.write_str("connection closed without a response"),
            Self::HalfReply => f.write_str("incomplete response"),
            Self::Malformed(why) => write!(f, "malformed response: {why}"),
            Self::Tls(why) => write!(f, "TLS: {why}"),
            Self::Down => f.write_str("server does not accept connections"),
            Self::Slower => f.write_str("server remains slow"),
        }
    }
}

/// Returns the failure that the response to `message` shows, if any.
///
/// Failed connects are not classified here: the health probe decides whether the server is down.
#[must_use]
pub fn classify(message: &Message, exchange: &Exchange) -> Option<Failure> {
    let reply = &exchange.reply;
    let is_sent = exchange.sent.is_reached();
    let is_required = || is_sent && requires_response(&message.bytes());
    match exchange.ending {
        Ending::Complete if is_server_error(reply.status) => Some(Failure::ServerError(reply.status)),
        Ending::NoResponse if is_required() => Some(Failure::Hang),
        Ending::Closed | Ending::Reset if is_required() => Some(Failure::Dropped),
        Ending::ResetMidReply if is_reset_refusal(exchange) => None,
        Ending::Stalled | Ending::ClosedMidReply | Ending::ResetMidReply
            if reply.status != 0 || is_required() =>
        {
            if is_server_error(reply.status) {
                return Some(Failure::ServerError(reply.status));
            }
            Some(Failure::HalfReply)
        }
        Ending::Malformed(violation) => {
            let may_be_old = violation == Violation::BadStatusLine && !is_versioned(&message.bytes());
            (!may_be_old).then(|| Failure::Malformed(violation.to_string()))
        }
        // A TLS connection that ends without close_notify counts as dropped.
        Ending::Tls(TlsFailure::Truncated) => is_required().then_some(Failure::Dropped),
        Ending::Tls(failure) => Some(Failure::Tls(failure.to_string())),
        _ => None,
    }
}

/// Returns whether the response is a refusal with a complete head and without a length, after which the connection was reset. The
/// server closed it to end the response, and the kernel reset it because bytes of the request were not read: the client may lose the
/// end of the response, and no other client is affected.
#[must_use]
pub fn is_reset_refusal(exchange: &Exchange) -> bool {
    let reply = &exchange.reply;
    let is_refusal = (400..500).contains(&reply.status) || matches!(reply.status, 501 | 505);
    let has_length = reply.field("content-length").is_some() || reply.field("transfer-encoding").is_some();
    exchange.ending == Ending::ResetMidReply && is_refusal && !has_length
}

/// Returns whether a status is a server failure. 501 and 505 are rejections of an unknown method or version.
fn is_server_error(status: u16) -> bool {
    status >= 500 && !matches!(status, 501 | 505)
}

/// Returns whether valid requests have become slow: more than ten times the time before, and more than 50 ms above it.
#[must_use]
pub fn is_slower(before: Duration, now: Duration) -> bool {
    now > before * 10 && now > before + Duration::from_millis(50)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_clock::Timestamp;
    use warwolf_exchange::Reply;

    fn classified(request: &[u8], ending: Ending, status: u16) -> Option<Failure> {
        let exchange = Exchange {
            tag: 0,
            started: Timestamp::ZERO,
            sent: Timestamp::ZERO,
            finished: Timestamp::ZERO,
            ending,
            reply: Reply { status, ..Reply::default() },
        };
        classify(&Message::of(request), &exchange)
    }

    #[test]
    fn rejections_are_not_failures() {
        let whole = b"GET / HTTP/1.1\r\n\r\n";
        let half = b"GET / HT";
        let rows = [
            (&whole[..], Ending::Complete, 200, None),
            (whole, Ending::Complete, 414, None),
            (whole, Ending::Complete, 501, None),
            (whole, Ending::Complete, 505, None),
            (whole, Ending::Complete, 500, Some(Failure::ServerError(500))),
            (half, Ending::Complete, 502, Some(Failure::ServerError(502))),
            (whole, Ending::NoResponse, 0, Some(Failure::Hang)),
            (half, Ending::NoResponse, 0, None),
            (whole, Ending::Closed, 0, Some(Failure::Dropped)),
            (half, Ending::Closed, 0, None),
            (half, Ending::Stalled, 0, None),
            (half, Ending::Stalled, 200, Some(Failure::HalfReply)),
            (whole, Ending::ClosedMidReply, 0, Some(Failure::HalfReply)),
            (whole, Ending::ClosedMidReply, 500, Some(Failure::ServerError(500))),
            (b"GET /\r\n\r\n", Ending::Malformed(Violation::BadStatusLine), 0, None),
            (whole, Ending::Refused, 0, None),
        ];
        for (request, ending, status, expected) in rows {
            assert_eq!(
                classified(request, ending, status),
                expected,
                "{} {ending:?}",
                request.escape_ascii()
            );
        }
        let malformed = classified(whole, Ending::Malformed(Violation::BadStatusLine), 0).unwrap();
        assert_eq!(malformed.name(), "malformed-reply");
    }

    #[test]
    fn a_refusal_without_a_length_that_ends_with_a_reset_is_a_note() {
        let exchange = |status, ending, field: Option<&str>| Exchange {
            tag: 0,
            started: Timestamp::ZERO,
            sent: Timestamp::ZERO,
            finished: Timestamp::ZERO,
            ending,
            reply: Reply {
                status,
                fields: field.map(|name| (name.as_bytes().to_vec(), b"9".to_vec())).into_iter().collect(),
                ..Reply::default()
            },
        };
        let message = Message::of(*b"GET / HTTP/1.1\r\n\r\n");
        for status in [400, 431, 501] {
            let reset = exchange(status, Ending::ResetMidReply, None);
            assert!(is_reset_refusal(&reset) && classify(&message, &reset).is_none(), "{status}");
        }
        for failed in [
            exchange(200, Ending::ResetMidReply, None),
            exchange(400, Ending::ResetMidReply, Some("Content-Length")),
            exchange(400, Ending::Stalled, None),
        ] {
            assert_eq!(classify(&message, &failed), Some(Failure::HalfReply), "{failed:?}");
        }
    }

    #[test]
    fn slow_means_ten_times_and_50_ms_more() {
        let ms = Duration::from_millis;
        assert!(!is_slower(ms(1), ms(40)) && !is_slower(ms(100), ms(900)));
        assert!(is_slower(ms(1), ms(60)) && is_slower(ms(100), ms(1_001)));
    }
}
