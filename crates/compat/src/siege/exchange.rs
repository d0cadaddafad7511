//! Output of `-g`, `-p` and `-D` about a call: the bytes of the exchange and how the connection was made.

use super::notices::{Level, notice, printable};
use super::settings::Login;
use super::style::Style;
use warwolf_measure::Outcome;
use warwolf_workload::Captured;

/// The header fields of challenges: of a 401, and of a 407.
pub(super) const CHALLENGES: [&str; 2] = ["www-authenticate", "proxy-authenticate"];

/// The bytes sent and received by a call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exchange<'a> {
    /// The host and port of the URL, as `host:port`.
    pub place: &'a str,
    /// The connection was opened for this call.
    pub opened: bool,
    /// The request as sent, head and body; empty if it was not sent.
    pub request: &'a [u8],
    /// The response head; empty if none was received.
    pub head: &'a [u8],
    /// The response body, decoded.
    pub body: &'a [u8],
}

impl Style {
    /// Whether requests or responses are shown.
    #[must_use]
    pub const fn shows_exchanges(&self) -> bool {
        self.print || (!self.quiet && (self.get || self.debug))
    }

    /// Whether a line is printed for each response.
    #[must_use]
    pub const fn shows_lines(&self) -> bool {
        self.verbose && !self.get && !self.print && !self.debug
    }
}

/// Formats standard output: the request, the response head except for `-p` alone, and the body for `-p`, each with a line
/// end.
#[must_use]
pub fn exchange(style: &Style, exchange: &Exchange<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut show = |wanted: bool, bytes: &[u8], end: &[u8]| {
        if wanted {
            out.extend_from_slice(bytes);
            out.extend_from_slice(end);
        }
    };
    let shows_request = !style.quiet && !exchange.request.is_empty();
    let end_of_body: &[u8] = if exchange.request.ends_with(b"\r\n\r\n") { b"" } else { b"\n" };
    show(shows_request, exchange.request, b"\n");
    show(shows_request, b"", end_of_body);
    let has_reply = !exchange.head.is_empty();
    // The line end belongs to the body; the original omits it if there is no body.
    let end_of_head: &[u8] = if announces_nothing(exchange.head) { b"" } else { b"\n" };
    show(has_reply && !style.quiet && (style.get || style.debug), exchange.head, end_of_head);
    show(has_reply && style.print, exchange.body, b"\n");
    out
}

/// Whether a head contains `Content-Length: 0`.
fn announces_nothing(head: &[u8]) -> bool {
    let mut fields = head.split(|byte| *byte == b'\n').filter_map(|line| {
        let colon = line.iter().position(|byte| *byte == b':')?;
        Some((&line[..colon], line[colon + 1..].trim_ascii()))
    });
    fields.any(|(name, value)| name.eq_ignore_ascii_case(b"content-length") && value == b"0")
}

/// Formats standard error for `-D`: how the connection was made, before any error.
#[must_use]
pub fn connecting(style: &Style, exchange: &Exchange<'_>) -> String {
    if !style.debug {
        return String::new();
    }
    let (place, source) = match &style.proxy {
        Some(proxy) => (proxy.as_str(), 883),
        None => (exchange.place, 889),
    };
    let connected = !exchange.request.is_empty();
    let mut out = debug(&format!("browser.c:874 attempting connection to {place}"));
    if exchange.opened || !connected {
        out += &debug(&format!("browser.c:{source} creating new socket:     {place}"));
    }
    if connected {
        out += &debug(&format!("browser.c:909 good socket connection:  {place}"));
    }
    out
}

/// Formats standard error for `-D` after the notice of a failed connection.
#[must_use]
pub fn not_connected(style: &Style, exchange: &Exchange<'_>, outcome: Outcome) -> String {
    if !style.debug || !exchange.request.is_empty() {
        return String::new();
    }
    // Numbers and texts of the C library.
    let error = match outcome {
        Outcome::Refused => "111(Connection refused)",
        Outcome::Unreachable => "113(No route to host)",
        Outcome::ConnectTimeout => "110(Connection timed out)",
        Outcome::NoPorts => "99(Cannot assign requested address)",
        Outcome::NoFiles => "24(Too many open files)",
        _ => "0(Success)",
    };
    debug(&format!("browser.c:901 connection failed. error {error}"))
}

fn debug(text: &str) -> String {
    notice(Level::Debug, text)
}

/// Returns the notice of a Digest challenge for whose realm there is no login: the user gives up. `None` for everything
/// else.
#[must_use]
pub fn unanswerable(style: &Style, status: u16, headers: &Captured) -> Option<String> {
    let (logins, field) = match status {
        401 => (&style.logins, CHALLENGES[0]),
        407 => (&style.proxy_logins, CHALLENGES[1]),
        _ => return None,
    };
    let realm = headers.all(field).find_map(digest_realm)?;
    let is_for = |login: &Login| login.realm.as_ref().is_none_or(|of| of.eq_ignore_ascii_case(&realm));
    if logins.iter().any(is_for) {
        return None;
    }
    let realm = printable(&realm);
    Some(if status == 407 {
        format!(
            "ERROR: Unable to respond to a proxy authorization challenge\n       \
             in the following HTTP realm: '{realm}'\n       \
             Did you set proxy-login credentials in the conf file?\n"
        )
    } else {
        format!(
            "ERROR: Unable to respond to an authorization challenge\n       \
             in the following realm: '{realm}'\n       \
             Did you set login credentials in the conf file?\n"
        )
    })
}

/// Returns the realm of a Digest challenge.
fn digest_realm(challenge: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(challenge);
    let (scheme, parameters) = text.trim().split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("digest") {
        return None;
    }
    let start = parameters.to_ascii_lowercase().find("realm=\"")? + "realm=\"".len();
    parameters.get(start..)?.split('"').next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::siege::parse;
    use crate::siege::testing::Paper;

    fn style(line: &str) -> Style {
        let world = Paper::default().with_file("rc", "verbose = true\nlogin = a:b:Mine\n");
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        parse(&argv, &world).unwrap().style
    }

    fn found(line: &str) -> String {
        let call = Exchange {
            place: "a.test:80",
            opened: true,
            request: b"Q\r\n\r\n",
            head: b"H\r\n\r\n",
            body: b"B",
        };
        let style = style(line);
        assert_eq!(style.shows_exchanges(), !exchange(&style, &call).is_empty() || !style.shows_lines());
        String::from_utf8(exchange(&style, &call)).unwrap()
    }

    #[test]
    fn every_option_shows_its_own_part() {
        let rows = [
            ("siege -R rc -g a.test", "Q\r\n\r\n\nH\r\n\r\n\n"),
            ("siege -R rc -p a.test", "Q\r\n\r\n\nB\n"),
            ("siege -R rc -D a.test", "Q\r\n\r\n\nH\r\n\r\n\n"),
            ("siege -R rc -p -g a.test", "Q\r\n\r\n\nH\r\n\r\n\nB\n"),
            ("siege -R rc -p -q a.test", "B\n"),
        ];
        for (line, expected) in rows {
            assert_eq!(found(line), expected, "{line}");
        }
        let sending = Exchange { request: b"Q\r\n\r\nbody", ..Exchange::default() };
        assert_eq!(exchange(&style("siege -R rc -g a.test"), &sending), b"Q\r\n\r\nbody\n\n");
        let empty = b"HTTP/1.1 301 Moved\r\nContent-Length: 0\r\n\r\n";
        let moved = Exchange { head: empty, ..Exchange::default() };
        assert_eq!(exchange(&style("siege -R rc -g a.test"), &moved), empty, "no line end without a body");
        for quiet in ["siege -R rc -g -q a.test", "siege -R rc -D -j a.test"] {
            assert!(!style(quiet).shows_exchanges(), "{quiet}");
        }
        assert!(style("siege -R rc a.test").shows_lines());
    }

    #[test]
    fn debugging_says_how_a_connection_came_to_be() {
        let style = style("siege -R rc -D a.test");
        let debug = "[\u{1b}[1;34mdebug\u{1b}[0m] browser.c:";
        let attempt = format!("{debug}874 attempting connection to a.test:80\n");
        let creating = format!("{debug}889 creating new socket:     a.test:80\n");
        let good = format!("{debug}909 good socket connection:  a.test:80\n");
        let reused = Exchange { place: "a.test:80", request: b"Q", ..Exchange::default() };
        let opened = Exchange { opened: true, ..reused };
        let failed = Exchange { place: "a.test:80", ..Exchange::default() };
        assert_eq!(connecting(&style, &opened), [&*attempt, &creating, &good].concat());
        assert_eq!(connecting(&style, &reused), [&*attempt, &good].concat());
        assert_eq!(connecting(&style, &failed), [&*attempt, &creating].concat());
        assert_eq!(
            not_connected(&style, &failed, Outcome::Refused),
            format!("{debug}901 connection failed. error 111(Connection refused)\n")
        );
        assert_eq!(not_connected(&style, &opened, Outcome::Closed), "");
    }

    #[test]
    fn a_digest_without_a_login_cannot_be_answered() {
        let style = style("siege -R rc a.test");
        let of = |status, challenge: &str| {
            let headers = CHALLENGES.map(|name| (name, challenge.as_bytes())).into_iter().collect();
            unanswerable(&style, status, &headers)
        };
        let text = of(401, "Digest realm=\"Admin\", nonce=\"n\"").unwrap();
        assert!(text.contains("in the following realm: 'Admin'\n"), "{text}");
        let text = of(407, "DIGEST nonce=\"n\", Realm=\"Mine\"").unwrap();
        assert!(text.contains("in the following HTTP realm: 'Mine'\n"), "{text}");
        let text = of(401, "Digest realm=\"\u{1b}[2J\r\n \u{9b}1m\", nonce=\"n\"").unwrap();
        assert!(text.contains(r"in the following realm: '\u{1b}[2J\u{d}\u{a} \u{9b}1m'"), "{text}");
        for (status, challenge) in
            [(401, "Digest realm=\"mine\""), (401, "Basic realm=\"Admin\""), (200, "Digest realm=\"x\"")]
        {
            assert_eq!(of(status, challenge), None, "{status} {challenge}");
        }
    }
}
