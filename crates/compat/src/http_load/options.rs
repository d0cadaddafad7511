//! Parses the command line.

use super::{Check, Classic, Style, urls};
use crate::{HEAD_MAX, latin};
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::time::Duration;
use warwolf_plan::{
    ArrivalProcess, Connections, HttpVersion, Network, Order, Plan, ReplyEnd, Request, Schedule,
    SessionShape, Shapes, Stop, Think, Timeouts, Tls, Verify, Work,
};

/// Inputs to a plan that depend on the machine and the invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Maximum number of open connections.
    pub connections: u32,
    /// Seed of random choices, unless `-seed` is given.
    pub seed: u64,
}

/// A usage error. The exit code is 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The text for stderr, with line ends.
    pub stderr: String,
}

/// An option. An abbreviation selects the first name in this order that begins with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Checksum,
    Throttle,
    ThrottleAt,
    Verbose,
    Timeout,
    Jitter,
    Parallel,
    Rate,
    Fetches,
    Seconds,
    Sip,
    Cipher,
    Proxy,
    NoCheck,
    Seed,
}

/// Name, option, and whether it takes a value. The last two are additions, placed last to preserve the original's
/// abbreviations.
const NAMES: [(&str, Name, bool); 15] = [
    ("-checksum", Name::Checksum, false),
    ("-throttle", Name::Throttle, false),
    ("-Throttle", Name::ThrottleAt, true),
    ("-verbose", Name::Verbose, false),
    ("-timeout", Name::Timeout, true),
    ("-jitter", Name::Jitter, false),
    ("-parallel", Name::Parallel, true),
    ("-rate", Name::Rate, true),
    ("-fetches", Name::Fetches, true),
    ("-seconds", Name::Seconds, true),
    ("-sip", Name::Sip, true),
    ("-cipher", Name::Cipher, true),
    ("-proxy", Name::Proxy, true),
    ("-nocheck", Name::NoCheck, false),
    ("-seed", Name::Seed, true),
];

/// Receive rate of a throttled connection, in bytes per second: 33.6 kbit/s at ten bits per byte.
const MODEM: u64 = 3_360;
const MOST_RATE: i32 = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Parallel(u32),
    Rate(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Fetches(u64),
    Seconds(u64),
}

struct Options<'a> {
    name: &'a str,
    check: Check,
    throttle: Option<u64>,
    verbose: bool,
    timeout: Duration,
    jitter: bool,
    start: Option<Start>,
    end: Option<End>,
    sip: Option<&'a str>,
    ciphers: Vec<String>,
    proxy: Option<(&'a str, u16)>,
    seed: u64,
}

/// Translates a command line, including the program's name, into a plan. `read` returns the content of a file.
///
/// # Errors
/// The original's message for arguments it does not accept.
pub fn parse(
    argv: &[String],
    machine: Machine,
    read: &dyn Fn(&Path) -> io::Result<Vec<u8>>,
) -> Result<Classic, Usage> {
    let (options, file) = words(argv, machine)?;
    let (Some(start), Some(end)) = (options.start, options.end) else { return Err(usage(options.name)) };
    if options.jitter && !matches!(start, Start::Rate(_)) {
        return Err(usage(options.name));
    }
    let content = read(Path::new(file)).map_err(|error| unreadable(file, &error))?;
    let (requests, lines) = requests(&content, &options, file)?;
    let bind = match options.sip {
        None => Vec::new(),
        Some(path) => sources(options.name, path, &read(Path::new(path)).map_err(|e| unreadable(path, &e))?)?,
    };
    let style = Style {
        name: options.name.to_owned(),
        check: options.check,
        verbose: options.verbose,
        fetches: match end {
            End::Fetches(fetches) => Some(fetches),
            End::Seconds(_) => None,
        },
        urls: lines,
    };
    let plan = Plan {
        seed: options.seed,
        stop: stop(start, end),
        schedule: schedule(start, end, options.jitter),
        session: session(start),
        connections: Connections {
            version: HttpVersion::Http10,
            keep_alive: false,
            max_head: HEAD_MAX,
            limit: match start {
                Start::Parallel(parallel) => parallel,
                Start::Rate(_) => machine.connections,
            },
            // The original sends HTTP/1.0 and does not decode chunks: they count as bytes of the page.
            reply_end: ReplyEnd::Length,
            ..Connections::default()
        },
        timeouts: Timeouts { connect: None, call: None, idle: Some(options.timeout), ..Timeouts::default() },
        network: Network { bind, receive_rate: options.throttle, ..Network::default() },
        tls: Tls { verify: Verify::Off, ciphers: options.ciphers, ..Tls::default() },
        ..Plan::new(requests)
    };
    Ok(Classic { plan, style })
}

/// Returns the requests of a list of URLs, and its lines.
fn requests(content: &[u8], options: &Options<'_>, file: &str) -> Result<(Vec<Request>, Vec<String>), Usage> {
    let (mut requests, mut lines, mut shapes) = (Vec::new(), Vec::new(), Shapes::default());
    // The beginning of the last URL that was read in full, up to its path, and its request.
    let mut last: Option<(&[u8], Request)> = None;
    for line in urls::lines(content) {
        let text = String::from_utf8_lossy(line).into_owned();
        let path = |(server, request)| Some((urls::path_behind(line, server)?, request));
        let known = last.as_ref().map(|(server, request)| (*server, request)).and_then(path);
        if let Some((path, request)) = known {
            requests.push(request.beside(latin(path)));
            lines.push(text);
            continue;
        }
        match urls::request(line, options.proxy) {
            Some(mut request) => {
                shapes.share(&mut request);
                // Through a proxy the server is a part of the path.
                let server = urls::server(line).filter(|_| options.proxy.is_none());
                last = server.map(|server| (server, request.clone()));
                requests.push(request);
            }
            None => return Err(said(options.name, &format!("unknown protocol - {text}"))),
        }
        lines.push(text);
    }
    if requests.is_empty() {
        return Err(said(options.name, &format!("no URLs in {file}")));
    }
    Ok((requests, lines))
}

/// Returns the shape of sessions: with a rate each makes one fetch, otherwise each makes fetches one after the other.
fn session(start: Start) -> SessionShape {
    SessionShape {
        work: Work::Draw {
            calls: matches!(start, Start::Rate(_)).then_some(1),
            burst: 1,
            first_alone: false,
            order: Order::Random,
        },
        think: Think::None,
        ..SessionShape::default()
    }
}

/// Returns when the run stops. With a rate and a number of fetches, the observer ends the run instead.
fn stop(start: Start, end: End) -> Stop {
    match (start, end) {
        (_, End::Seconds(seconds)) => Stop::after(Duration::from_secs(seconds)),
        (Start::Parallel(_), End::Fetches(fetches)) => Stop::after_calls(fetches),
        (Start::Rate(_), End::Fetches(_)) => Stop { duration: None, calls: None, grace: Duration::ZERO },
    }
}

fn schedule(start: Start, end: End, jitter: bool) -> Schedule {
    match start {
        Start::Parallel(parallel) => {
            let users = match end {
                End::Fetches(fetches) => u32::try_from(fetches).unwrap_or(u32::MAX).min(parallel),
                End::Seconds(_) => parallel,
            };
            Schedule::Closed { users, ramp: Duration::ZERO }
        }
        Start::Rate(rate) => {
            let period = Duration::from_secs(1) / rate;
            let arrivals = match end {
                _ if jitter => ArrivalProcess::Uniform { min: period * 9 / 10, max: period * 11 / 10 },
                // From time zero on: exactly as many as the rate yields in this time.
                End::Seconds(_) => ArrivalProcess::Constant { rate: f64::from(rate) },
                // After the first period, as in the original: N fetches take N periods.
                End::Fetches(_) => ArrivalProcess::Uniform { min: period, max: period },
            };
            Schedule::Open { arrivals, burst: 1 }
        }
    }
}

/// Reads the options. Returns them and the one required argument.
fn words(argv: &[String], machine: Machine) -> Result<(Options<'_>, &str), Usage> {
    let name = argv.first().map_or("http_load", String::as_str);
    let mut options = Options {
        name,
        check: Check::Bytes,
        throttle: None,
        verbose: false,
        timeout: Duration::from_secs(60),
        jitter: false,
        start: None,
        end: None,
        sip: None,
        ciphers: Vec::new(),
        proxy: None,
        seed: machine.seed,
    };
    let mut words = argv.get(1..).unwrap_or_default();
    while let [word, rest @ ..] = words
        && word.len() > 1
        && word.starts_with('-')
    {
        // An option with a value is skipped when no argument follows.
        let meant =
            NAMES.iter().find(|(name, _, valued)| name.starts_with(word) && !(*valued && rest.is_empty()));
        let Some(&(_, option, valued)) = meant else { return Err(usage(name)) };
        let value = if valued { rest[0].as_str() } else { "" };
        words = &rest[usize::from(valued)..];
        options.take(option, value, machine)?;
    }
    match words {
        [file] => Ok((options, file)),
        _ => Err(usage(name)),
    }
}

impl<'a> Options<'a> {
    fn take(&mut self, option: Name, value: &'a str, machine: Machine) -> Result<(), Usage> {
        match option {
            Name::Checksum => self.check = Check::Checksum,
            Name::NoCheck => self.check = Check::Nothing,
            Name::Throttle => self.throttle = Some(MODEM),
            Name::ThrottleAt => self.throttle = Some((number(value).max(0) as u64 / 10).max(1)),
            Name::Verbose => self.verbose = true,
            Name::Timeout => self.timeout = Duration::from_secs(number(value).max(0) as u64),
            Name::Jitter => self.jitter = true,
            Name::Parallel => {
                let most = i32::try_from(machine.connections).unwrap_or(i32::MAX);
                self.start = Some(Start::Parallel(self.within("parallel", value, most)?));
            }
            Name::Rate => self.start = Some(Start::Rate(self.within("rate", value, MOST_RATE)?)),
            Name::Fetches => self.end = Some(End::Fetches(self.within("fetches", value, i32::MAX)?.into())),
            Name::Seconds => self.end = Some(End::Seconds(self.within("seconds", value, i32::MAX)?.into())),
            Name::Sip => self.sip = Some(value),
            Name::Cipher => self.ciphers = ciphers(value),
            Name::Proxy => {
                let (host, port) = urls::host_and_port(value);
                self.proxy = Some((host, port.map_or(80, urls::port_of)));
            }
            Name::Seed => self.seed = value.parse().unwrap_or(0),
        }
        Ok(())
    }

    /// Parses a number from 1 to `most`.
    fn within(&self, what: &str, value: &str, most: i32) -> Result<u32, Usage> {
        match number(value) {
            ..1 => Err(said(self.name, &format!("{what} must be at least 1"))),
            value if value > most => Err(said(self.name, &format!("{what} may be at most {most}"))),
            value => Ok(value.unsigned_abs()),
        }
    }
}

/// Parses a number as C's `atoi` does: blanks, a sign, digits, then anything.
pub(super) fn number(text: &str) -> i32 {
    let text = text.trim_start_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut value: i64 = 0;
    for digit in digits.bytes().take_while(u8::is_ascii_digit) {
        value = (value * 10 + i64::from(digit - b'0')).min(i64::from(i32::MAX));
    }
    (if negative { -value } else { value }) as i32
}

/// Returns the suites of a cipher list. The original's three keywords selected ciphers that are now obsolete; each
/// selects their replacements.
fn ciphers(value: &str) -> Vec<String> {
    let of = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    match value.to_ascii_lowercase().as_str() {
        "fastsec" => {
            of(&["TLS_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"])
        }
        "highsec" => of(&[
            "TLS_CHACHA20_POLY1305_SHA256",
            "ECDHE-ECDSA-CHACHA20-POLY1305",
            "ECDHE-RSA-CHACHA20-POLY1305",
        ]),
        "paranoid" => {
            of(&["TLS_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384"])
        }
        _ => value.split([':', ',', ' ']).filter(|name| !name.is_empty()).map(str::to_owned).collect(),
    }
}

/// Reads the source addresses of a file, one per line.
fn sources(name: &str, path: &str, content: &[u8]) -> Result<Vec<IpAddr>, Usage> {
    let mut found = Vec::new();
    for line in urls::lines(content) {
        let text = String::from_utf8_lossy(line);
        match text.trim().parse::<Ipv4Addr>() {
            Ok(address) => found.push(address.into()),
            Err(_) => return Err(said(name, &format!("cannot convert source IP address {text}"))),
        }
    }
    if found.is_empty() { Err(said(name, &format!("no addresses in {path}"))) } else { Ok(found) }
}

fn said(name: &str, what: &str) -> Usage {
    Usage { stderr: format!("{name}: {what}\n") }
}

fn unreadable(path: &str, error: &io::Error) -> Usage {
    let text = error.to_string();
    let reason = text.split(" (os error").next().unwrap_or(&text);
    Usage { stderr: format!("{path}: {reason}\n") }
}

fn usage(name: &str) -> Usage {
    Usage {
        stderr: format!(
            "usage:  {name} [-checksum] [-throttle] [-proxy host:port] [-verbose] [-timeout secs] [-sip sip_file]
            [-cipher str]
            -parallel N | -rate N [-jitter]
            -fetches N | -seconds N
            url_file
One start specifier, either -parallel or -rate, is required.
One end specifier, either -fetches or -seconds, is required.
"
        ),
    }
}
