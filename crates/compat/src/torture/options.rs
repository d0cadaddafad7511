//! Parses the command line by the rules of Perl's `Getopt::Std`.

use super::{Classic, Style};
use crate::HEAD_MAX;
use crate::latin;
use std::time::Duration;
use warwolf_plan::{
    Body, Connections, Endpoint, Hole, HoleValue, HttpVersion, Network, Order, Plan, RandomData, ReplyEnd,
    Request, RequestShape, Schedule, Scheme, SessionShape, Stop, Think, ThinkAt, Timeouts, Unresolved, Work,
};

/// A usage error. The exit code is 255.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The text for stderr, with line ends.
    pub stderr: String,
}

/// Options with a value, and flags. `s`, `w` and `v` are additions: seed, timeout in seconds, and verbosity.
const VALUED: &str = "tcdlsw";
const FLAGS: &str = "pPrxv";

/// Longest pause between two requests and longest timeout: a year, in seconds.
const LONGEST: f64 = 31_536_000.0;

#[derive(Default)]
struct Options<'a> {
    times: Option<&'a str>,
    copies: Option<&'a str>,
    delay: f64,
    length: f64,
    path: bool,
    post: bool,
    raw: bool,
    seed: Option<u64>,
    patience: f64,
    verbose: bool,
}

/// Translates a command line, including the program's name, into a plan. Random choices use `seed` unless `-s` is
/// given.
///
/// # Errors
/// The original's message for arguments it does not accept.
pub fn parse(argv: &[String], seed: u64) -> Result<Classic, Usage> {
    let name = argv.first().map_or("torture.pl", String::as_str);
    let (options, rest) = words(name, argv.get(1..).unwrap_or_default())?;
    let Some(url) = rest.first().filter(|url| !url.is_empty() && *url != "0") else {
        return Err(Usage { stderr: usage(name) });
    };
    // Zero and non-numbers select the default. Copies are rounded up and times truncated, as in the original.
    let copies = options.copies.map_or(0.0, number).ceil();
    let times = options.times.map_or(0.0, number);
    let (copies, times) =
        (if copies == 0.0 { 1.0 } else { copies }, if times == 0.0 { 1.0 } else { times.trunc() });
    if copies < 1.0 || times < 1.0 || copies > f64::from(u32::MAX) {
        return Err(Usage { stderr: format!("{name}: {copies} copies of {times} fetches make no test\n") });
    }
    let style = Style {
        name: name.to_owned(),
        copies: copies as u32,
        times: times as u64,
        seed: options.seed.unwrap_or(seed),
        verbose: options.verbose,
        patience: seconds(options.patience),
    };
    Ok(Classic { plan: plan(url, &options, &style), style })
}

fn plan(url: &str, options: &Options<'_>, style: &Style) -> Plan {
    // An invalid URL has no host, and the empty name has no address: every transaction fails, as in the original.
    let (host, port, target) = split(url).unwrap_or(("", 80, "/"));
    let max = (options.length.ceil() as u64).min(RandomData::LONGEST);
    let data = (options.length > 0.0).then_some(RandomData { max, escaped: !options.raw });
    // With both body and path selected, data goes into the path; with neither, into the query.
    let posted = data.filter(|_| options.post && !options.path);
    let added = data.filter(|_| posted.is_none());
    let mut target = if target.is_empty() { "/".to_owned() } else { target.to_owned() };
    if added.is_some() && options.path && !target.ends_with('/') {
        target.push('/');
    }
    let mark = if added.is_some() && !options.path { "?" } else { "" };
    let (method, kind) = match posted {
        Some(_) => ("POST", "Content-type: application/octet-stream\r\n"),
        None => ("GET", ""),
    };
    let before = format!("{method} {}{mark}", latin(target.as_bytes()));
    let at = u32::try_from(before.chars().count()).unwrap_or(u32::MAX);
    let endpoint = Endpoint { scheme: Scheme::Http, host: host.to_owned(), port };
    let shape = RequestShape {
        method: method.to_owned(),
        body: posted.map_or(Body::None, Body::Random),
        head: Some(format!("{before} HTTP/1.0\r\n{kind}")),
        holes: added.map(|data| Hole { at, value: HoleValue::Random(data) }).into_iter().collect(),
        ..RequestShape::get(endpoint)
    };
    let request = Request::new(target, shape);
    Plan {
        seed: style.seed,
        stop: Stop { duration: None, calls: None, grace: Duration::ZERO },
        schedule: Schedule::Closed { users: style.copies, ramp: Duration::ZERO },
        session: SessionShape {
            work: Work::Draw {
                calls: Some(style.times),
                burst: 1,
                first_alone: false,
                order: Order::Sequential,
            },
            think: seconds(options.delay).map_or(Think::None, up_to),
            think_at: ThinkAt::Before,
            ..SessionShape::default()
        },
        connections: Connections {
            version: HttpVersion::Http10,
            keep_alive: false,
            max_head: HEAD_MAX,
            limit: style.copies,
            // The original reads to the end of the connection and ignores the declared length.
            reply_end: ReplyEnd::Close,
            ..Connections::default()
        },
        timeouts: Timeouts { connect: None, call: None, idle: style.patience, ..Timeouts::default() },
        network: Network { unresolved: Unresolved::Count, ..Network::default() },
        ..Plan::new(vec![request])
    }
}

fn up_to(max: Duration) -> Think {
    Think::Uniform { min: Duration::ZERO, max, granularity: Duration::ZERO }
}

/// Returns host, port and request target. Returns `None` without a lower-case `http://` or without a host.
pub(super) fn split(url: &str) -> Option<(&str, u16, &str)> {
    let rest = url.strip_prefix("http://")?;
    let line = rest.split('\n').next().unwrap_or_default();
    let (authority, target) = line.find('/').map_or((line, ""), |slash| line.split_at(slash));
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, digits)) if !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            (host, digits.parse().ok()?)
        }
        _ => (authority, 80),
    };
    (!host.is_empty()).then_some((host, port, target))
}

/// Reads options up to the first other argument. Returns them and the remaining arguments.
fn words<'a>(name: &str, argv: &'a [String]) -> Result<(Options<'a>, &'a [String]), Usage> {
    let mut options = Options::default();
    let mut errors = String::new();
    let mut valueless = false;
    let mut words = argv;
    while let [word, rest @ ..] = words
        && let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty())
    {
        words = rest;
        if word == "--" {
            break;
        }
        let mut letters = letters;
        while let Some(letter) = letters.chars().next() {
            letters = &letters[letter.len_utf8()..];
            if VALUED.contains(letter) {
                let value = if !letters.is_empty() {
                    letters
                } else if let [value, rest @ ..] = words {
                    words = rest;
                    value
                } else {
                    valueless = true;
                    ""
                };
                options.set(letter, value);
                break;
            }
            if FLAGS.contains(letter) {
                options.raise(letter);
            } else {
                errors.push_str(&format!("Unknown option: {letter}\n"));
            }
        }
    }
    if valueless || !errors.is_empty() {
        return Err(Usage { stderr: errors + &usage(name) });
    }
    Ok((options, words))
}

impl<'a> Options<'a> {
    fn set(&mut self, letter: char, value: &'a str) {
        match letter {
            't' => self.times = Some(value),
            'c' => self.copies = Some(value),
            'd' => self.delay = number(value),
            'l' => self.length = number(value),
            's' => self.seed = Some(value.parse().unwrap_or(0)),
            _ => self.patience = number(value),
        }
    }

    fn raise(&mut self, letter: char) {
        match letter {
            'p' => self.path = true,
            'P' => self.post = true,
            'r' => self.raw = true,
            'v' => self.verbose = true,
            // The original accepts `x` and ignores it.
            _ => {}
        }
    }
}

/// Parses a number as Perl does: the longest numeric prefix, else zero. Infinity is not a number here.
pub(super) fn number(text: &str) -> f64 {
    let text = text.trim_start();
    let mut end = usize::from(text.starts_with(['-', '+']));
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    end += digits(end);
    if text[end..].starts_with('.') {
        end += 1 + digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = end + 1 + usize::from(text[end + 1..].starts_with(['-', '+']));
        let exponent = digits(sign);
        end = if exponent > 0 { sign + exponent } else { end };
    }
    text[..end].parse().ok().filter(|value: &f64| value.is_finite()).unwrap_or(0.0)
}

fn seconds(value: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(value.min(LONGEST)).ok().filter(|time| !time.is_zero())
}

fn usage(name: &str) -> String {
    format!(
        " Usage: {name} -[options] URL
    Torture-test Web servers and CGI scripts
    {nothing}
  Options:
    -l <integer>  Max length of random URL to send       [0 bytes]
    -t <integer>  Number of times to run the test        [1]
    -c <integer>  Number of copies of program to run     [1]
    -d <float>    Mean delay between serial accesses     [0 sec]
    -P            Use POST method rather than GET method
    -p            Attach random data to path rather than query string
    -r            Send raw (non-escaped) data
",
        nothing = ""
    )
}
