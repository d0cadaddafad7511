//! The line that siege prints for each reply, and its notice of each call without one.

use super::notices::{Level, notice};
use super::settings::Era;
use super::style::{Shown, Style};
use super::time::Moment;
use std::time::Duration;
use warwolf_measure::Outcome;

/// A reply as a line shows it.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Number of the user, from 0.
    pub user: u64,
    /// `HTTP/1.1`, as the server says.
    pub protocol: &'a str,
    /// The status, as [`super::Ledger::take`] gives it.
    pub status: u16,
    /// From before connecting to the end of the body.
    pub time: Duration,
    /// Bytes of the body that arrived.
    pub bytes: u64,
    /// What was asked for.
    pub shown: &'a Shown,
    /// It was not asked for again, because the copy at hand is still good.
    pub cached: bool,
}

/// The line, with its line end. `now` is local time.
#[must_use]
pub fn line(style: &Style, reply: &Line<'_>, now: &Moment) -> String {
    let shown = reply.shown;
    let place = if shown.method == "GET" && !style.full_url { &shown.path } else { &shown.url };
    if style.era == Era::V100 {
        return format!("{} {} {}: {}\n", reply.protocol, reply.status, phrase(reply.status), shown.path);
    }
    let seconds = reply.time.as_secs_f64();
    let (protocol, status, bytes) = (reply.protocol, reply.status, reply.bytes);
    let text = if style.csv {
        let mark = style.mark.as_ref().map(|mark| format!("{mark},")).unwrap_or_default();
        let user = if style.display_id { format!("{:4},", reply.user) } else { String::new() };
        format!(
            "{mark}{user}{protocol},{status},{seconds:6.2},{bytes:7},{place},{},{}",
            shown.place,
            now.dashed()
        )
    } else if style.display_id {
        let user = reply.user;
        let method = &shown.method;
        format!("{user:4}) {protocol} {status} {seconds:6.2} secs: {bytes:7} bytes ==> {method:<4} {place}")
    } else {
        let time = if style.timestamp { now.bracketed() } else { String::new() };
        let cache = if reply.cached { "(C)" } else { "   " };
        let method = &shown.method;
        format!(
            "{time}{protocol} {status}{cache} {seconds:5.2} secs: {bytes:7} bytes ==> {method:<4} {place}"
        )
    };
    if style.color {
        format!("\u{1b}[0;3{}m{text}\u{1b}[0m\n", colour(status, reply.cached))
    } else {
        text + "\n"
    }
}

/// The digit of a line's colour.
const fn colour(status: u16, cached: bool) -> u8 {
    match status {
        _ if cached => 2,
        150 | 200..=206 | 226 => 4,
        300..=307 => 6,
        400..=417 => 5,
        _ => 1,
    }
}

/// What servers used to say beside the status; 1.00 shows it, and nobody keeps it any more.
const fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        304 => "Not Modified",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        408 => "Request Timeout",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Unknown",
    }
}

/// The notice of a call without a reply, for standard error; nothing where siege says nothing.
#[must_use]
pub fn trouble(outcome: Outcome, timeout: Option<Duration>) -> String {
    let error = |text: &str| notice(Level::Error, text);
    match outcome {
        Outcome::Refused => error("socket: unable to connect sock.c:282: Connection refused"),
        Outcome::Unreachable => error("socket: unable to connect sock.c:282: No route to host"),
        Outcome::Reset => {
            error("socket: read error Connection reset by peer sock.c:539: Connection reset by peer")
        }
        Outcome::Resolve => {
            error("Address resolution failed at sock.c:158 with the following error:")
                + &error("Name or service not known")
        }
        Outcome::NoPorts => {
            error("socket: address is unavailable. sock.c:282: Cannot assign requested address")
        }
        Outcome::NoFiles => error("socket: descriptor table full sock.c:119: Too many open files"),
        Outcome::ConnectTimeout | Outcome::TlsTimeout => {
            let seconds = timeout.unwrap_or_default().as_secs();
            let alert = |text: &str| notice(Level::Alert, text);
            alert("socket: select and discovered it's not ready sock.c:384: Connection timed out")
                + &alert(&format!("socket: read check timed out({seconds}) sock.c:273: Connection timed out"))
        }
        Outcome::ResponseTimeout => error("socket: read timed out: Connection timed out"),
        Outcome::Tls(_) => error("Failed to make an SSL connection: 5"),
        _ => String::new(),
    }
}
