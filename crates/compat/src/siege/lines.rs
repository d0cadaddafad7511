//! Formats the line that siege prints for each reply, and the notice of each call without a reply.

use super::notices::{Level, notice};
use super::settings::Era;
use super::style::{Shown, Style};
use super::time::Moment;
use std::time::Duration;
use warwolf_measure::Outcome;

/// The values of a reply's line.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Number of the user, from 0.
    pub user: u64,
    /// The protocol from the status line, such as `HTTP/1.1`.
    pub protocol: &'a str,
    /// The status returned by [`super::CallCounter::take`].
    pub status: u16,
    /// From before connecting to the end of the body.
    pub time: Duration,
    /// Bytes of the body that arrived.
    pub bytes: u64,
    /// The request.
    pub shown: &'a Shown,
    /// The request was not repeated, because the cached copy is fresh.
    pub cached: bool,
}

/// Formats the line with its line end. `now` is local time.
#[must_use]
pub fn line(style: &Style, reply: &Line<'_>, now: &Moment) -> String {
    let shown = reply.shown;
    let place = if shown.method == "GET" && !style.full_url { &shown.path } else { &shown.url };
    if style.era == Era::V100 {
        return format!("{} {} {}: {}\n", reply.protocol, reply.status, phrase(reply.status), shown.path);
    }
    let seconds = reply.time.as_secs_f64();
    let (protocol, status, bytes) = (reply.protocol, reply.status, reply.bytes);
    let time = if style.timestamp { now.bracketed() } else { String::new() };
    let text = if style.csv {
        let mark = style.mark.as_ref().map(|mark| format!("{mark},")).unwrap_or_default();
        let user = if style.display_id { format!("{:4},", reply.user) } else { String::new() };
        format!(
            "{time}{mark}{user}{protocol},{status},{seconds:6.2},{bytes:7},{place},{},{}",
            shown.place,
            now.dashed()
        )
    } else if style.display_id {
        let user = reply.user;
        let method = &shown.method;
        format!("{user:4}) {protocol} {status} {seconds:6.2} secs: {bytes:7} bytes ==> {method:<4} {place}")
    } else {
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

/// Returns the colour digit of a line.
pub(super) const fn colour(status: u16, cached: bool) -> u8 {
    match status {
        _ if cached => 2,
        150 | 200..=206 | 226 => 4,
        300..=307 => 6,
        400..=417 => 5,
        _ => 1,
    }
}

/// Returns the usual reason phrase of a status. Only 1.00 shows it.
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

/// Formats the notice of a call without a reply, for standard error; empty where siege prints none.
#[must_use]
pub fn trouble(style: &Style, shown: Option<&Shown>, outcome: Outcome) -> String {
    let error = |text: &str| notice(Level::Error, text);
    match outcome {
        Outcome::Resolve if shown.is_some_and(|shown| shown.unsupported) => {
            // An empty line follows. All of it is printed only if lines are printed.
            let text = "UNSPPRTD 501   0.00 secs:       0 bytes ==> PROTOCOL NOT SUPPORTED BY SIEGE\n";
            if style.verbose && !style.get && !style.print { error(text) } else { String::new() }
        }
        Outcome::Resolve => match shown.and_then(|shown| impossible_port(&shown.url)) {
            Some(port) => error(&format!("invalid port number {port} in sock.c:142")),
            None => {
                error("Address resolution failed at sock.c:158 with the following error:")
                    + &error("Name or service not known")
            }
        },
        Outcome::Refused => error("socket: unable to connect sock.c:282: Connection refused"),
        Outcome::Unreachable => error("socket: unable to connect sock.c:282: No route to host"),
        Outcome::Reset => error("socket: read error: Connection reset by peer"),
        Outcome::NoPorts => error("socket: address is unavailable.: Cannot assign requested address"),
        Outcome::NoFiles => error("socket: descriptor table full: Too many open files"),
        // The original waits without limit here too: its own timeout only applies to resumed sessions.
        Outcome::TlsTimeout => error("Failed to make an SSL connection: Connection timed out"),
        Outcome::ConnectTimeout => {
            let alert = |text: &str| notice(Level::Alert, text);
            let seconds = style.timeout;
            alert("socket: select and discovered it's not ready sock.c:384: Connection timed out")
                + &alert(&format!("socket: read check timed out({seconds}) sock.c:273: Connection timed out"))
        }
        // The original waits without limit.
        Outcome::ResponseTimeout => notice(Level::Alert, "socket: read timed out: Connection timed out"),
        Outcome::Tls(_) => error("Failed to make an SSL connection"),
        _ => String::new(),
    }
}

/// Returns the port of a URL if it is a number outside the range of ports.
fn impossible_port(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (_, port) = rest.split(['/', '?', '#', ' ']).next()?.rsplit_once(':')?;
    let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !port.parse::<u16>().is_ok_and(|port| port > 0)).then_some(port)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::siege::parse;
    use crate::siege::testing::Paper;

    #[test]
    fn notices_are_those_of_the_original() {
        let world = Paper::default().with_file("rc", "timeout = 2\nverbose = true\n");
        let style = |line: &str| {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            parse(&argv, &world).unwrap().style
        };
        let verbose = style("siege -R rc gopher://a/");
        let quiet = style("siege -R rc -q gopher://a/");
        let shown = verbose.shown.first();
        let error = "[\u{1b}[1;33merror\u{1b}[0m] ";
        let alert = "[\u{1b}[1;32malert\u{1b}[0m] ";
        let refused = format!("{error}socket: unable to connect sock.c:282: Connection refused\n");
        assert_eq!(trouble(&verbose, None, Outcome::Refused), refused);
        assert_eq!(trouble(&quiet, None, Outcome::Refused), refused, "quiet or not");
        assert_eq!(
            trouble(&verbose, None, Outcome::Resolve),
            format!(
                "{error}Address resolution failed at sock.c:158 with the following error:\n\
                 {error}Name or service not known\n"
            )
        );
        assert_eq!(
            trouble(&verbose, shown, Outcome::Resolve),
            format!("{error}UNSPPRTD 501   0.00 secs:       0 bytes ==> PROTOCOL NOT SUPPORTED BY SIEGE\n\n")
        );
        assert_eq!(trouble(&quiet, shown, Outcome::Resolve), "");
        assert_eq!(
            trouble(&verbose, None, Outcome::ConnectTimeout),
            format!(
                "{alert}socket: select and discovered it's not ready sock.c:384: Connection timed out\n\
                 {alert}socket: read check timed out(2) sock.c:273: Connection timed out\n"
            )
        );
        assert_eq!(trouble(&verbose, None, Outcome::Closed), "", "nothing is said of those");
    }

    #[test]
    fn comma_separated_lines_begin_with_the_time_as_well() {
        let world =
            Paper::default().with_file("rc", "verbose = true\ncolor = off\ncsv = true\ntimestamp = true\n");
        let moment = Moment { year: 2026, month: 11, day: 22, weekday: 0, hour: 11, minute: 22, second: 43 };
        let of = |line_of_words: &str| {
            let argv: Vec<String> = line_of_words.split(' ').map(str::to_owned).collect();
            let style = parse(&argv, &world).unwrap().style;
            let reply = Line {
                user: 0,
                protocol: "HTTP/1.1",
                status: 200,
                time: Duration::ZERO,
                bytes: 2,
                shown: &style.shown[0],
                cached: false,
            };
            line(&style, &reply, &moment)
        };
        let rest = "HTTP/1.1,200,  0.00,      2,/two,0,2026-11-22 11:22:43\n";
        assert_eq!(of("siege -R rc a.test/two"), format!("[Sun, 2026-11-22 11:22:43] {rest}"));
        assert_eq!(of("siege -R rc -m MARK a.test/two"), format!("[Sun, 2026-11-22 11:22:43] MARK,{rest}"));
    }

    #[test]
    fn a_port_that_none_has_is_named() {
        let rows = [
            ("http://a.test:99999/x", Some("99999")),
            ("a.test:0", Some("0")),
            ("http://u:p@a.test:65536/x:1", Some("65536")),
            ("http://[::1]:70000?q", Some("70000")),
            ("http://a.test:70000 POST a:b", Some("70000")),
            ("http://a.test:65535/", None),
            ("http://a.test:x99999/", None),
            ("http://a.test:/99999", None),
            ("http://a.test/:99999", None),
        ];
        for (url, port) in rows {
            assert_eq!(impossible_port(url), port, "{url}");
        }
    }
}
