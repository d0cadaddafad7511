//! The options of httperf, their defaults, and the parsers of their arguments.

use super::Usage;
use super::getopt::{Given, Word, sort};
use super::number::{Base, is_negative, real, whole};
use super::period::Period;
use std::net::{IpAddr, Ipv4Addr};

/// Which parts of requests or replies are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// The head.
    Header,
    /// The body.
    Body,
    /// Both.
    All,
}

impl Parts {
    /// Only the first letter counts.
    fn of(text: &str) -> Self {
        match text.as_bytes().first() {
            Some(b'h' | b'H') => Self::Header,
            Some(b'b' | b'B') => Self::Body,
            _ => Self::All,
        }
    }

    /// Returns whether heads are printed.
    #[must_use]
    pub const fn header(self) -> bool {
        matches!(self, Self::Header | Self::All)
    }

    /// Returns whether bodies are printed.
    #[must_use]
    pub const fn body(self) -> bool {
        matches!(self, Self::Body | Self::All)
    }
}

/// Sessions instead of plain connections.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sessions {
    /// `--wsess`: number of sessions, calls per session, and seconds between bursts.
    Calls { sessions: u32, calls: u32, think: f64 },
    /// `--wsesslog`: sessions from a file.
    Log { sessions: u32, think: f64, file: String },
    /// `--wsesspage`: pages with their embedded resources.
    Pages { sessions: u32, pages: u32, think: f64 },
}

impl Sessions {
    /// Returns the number of sessions.
    pub(super) const fn count(&self) -> u32 {
        match self {
            Self::Calls { sessions, .. } | Self::Log { sessions, .. } | Self::Pages { sessions, .. } => {
                *sessions
            }
        }
    }
}

/// `--ssl-protocol`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Auto,
    /// SSL 2 and 3, TLS 1.0 and 1.1: obsolete and unsupported.
    Dead(&'static str),
    Tls12,
    Tls13,
}

/// How workers wait (an addition).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiting {
    Block,
    Spin,
}

/// The parsed command line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Options {
    pub(super) program: String,
    pub(super) add_header: Option<String>,
    pub(super) header_file: Option<String>,
    pub(super) burst: u32,
    pub(super) client: (u32, u32),
    pub(super) close_with_reset: bool,
    pub(super) debug: bool,
    pub(super) failure_status: u32,
    pub(super) hog: bool,
    pub(super) http_version: (u32, u32),
    pub(super) max_connections: u32,
    pub(super) max_piped_calls: u32,
    pub(super) method: Option<String>,
    pub(super) my_addresses: Vec<IpAddr>,
    pub(super) no_host_header: bool,
    pub(super) calls: u32,
    pub(super) conns: u32,
    /// Whether `--num-conns` was given.
    pub(super) conns_given: bool,
    pub(super) period: Period,
    pub(super) periodic_stats: bool,
    pub(super) port: u16,
    pub(super) print_reply: Option<Parts>,
    pub(super) print_request: Option<Parts>,
    pub(super) recv_buffer: i32,
    pub(super) retry: bool,
    pub(super) runtime: Option<f64>,
    pub(super) send_buffer: i32,
    pub(super) server: String,
    pub(super) server_name: Option<String>,
    pub(super) servers: Option<String>,
    pub(super) cookies: bool,
    pub(super) tls: bool,
    pub(super) ca_file: Option<String>,
    pub(super) ca_path: Option<String>,
    pub(super) certificate: Option<String>,
    pub(super) key: Option<String>,
    pub(super) ciphers: Option<String>,
    pub(super) no_reuse: bool,
    pub(super) protocol: Protocol,
    pub(super) verify: bool,
    pub(super) tls_server_name: Option<String>,
    pub(super) think_timeout: f64,
    pub(super) timeout: f64,
    pub(super) timer_cache: bool,
    pub(super) uri: String,
    pub(super) user_agent: String,
    pub(super) verbose: u32,
    pub(super) waiting: Waiting,
    /// `--wlog`: whether to wrap at the end, and the file.
    pub(super) wlog: Option<(bool, String)>,
    pub(super) sessions: Option<Sessions>,
    /// Whether more than one kind of session was requested.
    pub(super) sessions_clash: bool,
    /// `--wset`: number of files, and how often the next one is selected.
    pub(super) wset: Option<(u32, f64)>,
    /// Arguments that are not options.
    pub(super) others: Vec<String>,
}

impl Options {
    fn new(program: &str) -> Self {
        Self {
            program: program.to_owned(),
            add_header: None,
            header_file: None,
            burst: 1,
            client: (0, 1),
            close_with_reset: false,
            debug: false,
            failure_status: 0,
            hog: false,
            http_version: (1, 1),
            max_connections: 0,
            max_piped_calls: 0,
            method: None,
            my_addresses: Vec::new(),
            no_host_header: false,
            calls: 1,
            conns: 1,
            conns_given: false,
            period: Period::Deterministic(0.0),
            periodic_stats: false,
            port: 80,
            print_reply: None,
            print_request: None,
            recv_buffer: 16_384,
            retry: false,
            runtime: None,
            send_buffer: 4_096,
            server: "localhost".to_owned(),
            server_name: None,
            servers: None,
            cookies: false,
            tls: false,
            ca_file: None,
            ca_path: None,
            certificate: None,
            key: None,
            ciphers: None,
            no_reuse: false,
            protocol: Protocol::Auto,
            verify: false,
            tls_server_name: None,
            think_timeout: 0.0,
            timeout: 0.0,
            timer_cache: false,
            uri: "/".to_owned(),
            user_agent: USER_AGENT.to_owned(),
            verbose: 0,
            waiting: Waiting::Block,
            wlog: None,
            sessions: None,
            sessions_clash: false,
            wset: None,
            others: Vec::new(),
        }
    }

    /// Parses a command line, including the program's name.
    ///
    /// # Errors
    /// When an argument is invalid, and when help or the version is requested.
    pub(super) fn read(argv: &[String]) -> Result<Self, Usage> {
        let called = argv.first().map_or("httperf", String::as_str);
        let program = called.rsplit('/').next().unwrap_or(called);
        let (given, others) = sort(program, argv.get(1..).unwrap_or_default())?;
        let mut options = Self { others, ..Self::new(program) };
        let (mut port, mut server) = (None, None);
        for option in given {
            match option.name {
                Word::Help => return Err(Usage { stdout: help(program), stderr: String::new(), code: 0 }),
                Word::Version => {
                    return Err(Usage { stdout: version(program), stderr: String::new(), code: 0 });
                }
                Word::Port => port = Some(read_port(&option.value).map_err(|e| e.said_by(program))?),
                Word::Server => server = Some(option.value),
                _ => options.take(option).map_err(|error| error.said_by(program))?,
            }
        }
        if options.servers.is_some() && server.is_some() {
            return Err(Wrong::Fatal("--server S or --servers file".to_owned()).said_by(program));
        }
        if options.cookies && options.sessions.is_none() {
            let text = "--session-cookie requires session-oriented workload (e.g., --wsess)";
            return Err(Wrong::Fatal(text.to_owned()).said_by(program));
        }
        options.port = port.unwrap_or(if options.tls { 443 } else { 80 });
        options.server = server.unwrap_or(options.server);
        Ok(options)
    }

    fn take(&mut self, Given { name, value }: Given) -> Result<(), Wrong> {
        match name {
            Word::AddHeader => self.add_header = Some(value),
            Word::AddHeaderFile => self.header_file = Some(value),
            Word::BurstLength => self.burst = positive("burst-length", &value)?,
            Word::Client => self.client = read_client(&value)?,
            Word::CloseWithReset => self.close_with_reset = true,
            Word::Debug => self.debug = true,
            Word::FailureStatus => self.failure_status = positive("failure status", &value)?,
            Word::Help | Word::Version | Word::Port | Word::Server => {}
            Word::Hog => self.hog = true,
            Word::HttpVersion => self.http_version = read_version(&value)?,
            Word::Idle => self.waiting = read_waiting(&value)?,
            Word::MaxConnections => self.max_connections = count("max. # of connection", &value)?,
            Word::MaxPipedCalls => self.max_piped_calls = count("max. # of piped calls", &value)?,
            Word::Method => self.method = Some(value),
            Word::MyAddress => {
                let wrong = || Wrong::Value(format!("invalid address list {value}"));
                self.my_addresses.extend(addresses(&value).ok_or_else(wrong)?);
            }
            Word::NoHostHeader => self.no_host_header = true,
            Word::NumCalls => self.calls = count("number of calls", &value)?,
            Word::NumConns => {
                self.conns = count("number of connections", &value)?;
                self.conns_given = true;
            }
            Word::Period => self.period = Period::parse(&value).map_err(Wrong::Value)?,
            Word::PeriodicStats => self.periodic_stats = true,
            Word::PrintReply => self.print_reply = Some(Parts::of(&value)),
            Word::PrintRequest => self.print_request = Some(Parts::of(&value)),
            Word::Rate => self.period = Period::of_rate(seconds("request rate", &value)?),
            Word::RecvBuffer => self.recv_buffer = count("receive buffer size", &value)? as i32,
            Word::RetryOnFailure => self.retry = true,
            Word::Runtime => {
                let runtime = seconds("runtime value", &value)?;
                if runtime.is_nan() || runtime <= 0.0 {
                    return Err(Wrong::Value(format!("illegal runtime value {value}")));
                }
                self.runtime = Some(runtime);
            }
            Word::SendBuffer => self.send_buffer = count("send buffer size", &value)? as i32,
            Word::ServerName => self.server_name = Some(value),
            Word::Servers => self.servers = Some(value),
            Word::SessionCookies => self.cookies = true,
            Word::ThinkTimeout => self.think_timeout = seconds("think timeout value", &value)?,
            Word::Timeout => self.timeout = seconds("connect timeout", &value)?,
            Word::Uri => self.uri = value,
            Word::UseTimerCache => self.timer_cache = true,
            Word::UserAgent => self.user_agent = value,
            Word::Verbose => self.verbose += 1,
            Word::Wlog | Word::Wsess | Word::Wsesspage | Word::Wsesslog | Word::Wset => {
                self.take_work(name, &value)?;
            }
            _ => self.take_tls(name, value)?,
        }
        Ok(())
    }

    /// Parses an option that selects the requests or sessions to make.
    fn take_work(&mut self, name: Word, value: &str) -> Result<(), Wrong> {
        match name {
            Word::Wlog => self.wlog = Some(read_wlog(value)),
            Word::Wsess => {
                let [sessions, calls] = &["number of sessions", "number of calls per session"];
                let (sessions, calls, think) = read_sessions("wsess", [sessions, calls], value)?;
                self.take_sessions(Sessions::Calls { sessions, calls, think });
            }
            Word::Wsesspage => {
                let [sessions, pages] = &["number of sessions", "number of user requests per session"];
                let (sessions, pages, think) = read_sessions("wsesspage", [sessions, pages], value)?;
                self.take_sessions(Sessions::Pages { sessions, pages, think });
            }
            Word::Wsesslog => {
                let log = read_log(value)?;
                self.take_sessions(log);
            }
            Word::Wset => self.wset = Some(read_wset(value)?).filter(|(files, _)| *files > 0),
            _ => {}
        }
        Ok(())
    }

    fn take_tls(&mut self, name: Word, value: String) -> Result<(), Wrong> {
        match name {
            Word::Ssl => self.tls = true,
            Word::SslCaFile => self.ca_file = Some(value),
            Word::SslCaPath => self.ca_path = Some(value),
            Word::SslCertificate => self.certificate = Some(value),
            Word::SslKey => self.key = Some(value),
            Word::SslCiphers => self.ciphers = Some(value),
            Word::SslNoReuse => self.no_reuse = true,
            Word::SslProtocol => {
                self.protocol = read_protocol(&value)?;
                self.tls = true;
            }
            Word::SslVerify => self.verify = value.is_empty() || value.starts_with(['y', 'Y']),
            Word::TlsServerName => self.tls_server_name = Some(value),
            _ => {}
        }
        Ok(())
    }

    fn take_sessions(&mut self, sessions: Sessions) {
        let same = |before: &Sessions| std::mem::discriminant(before) == std::mem::discriminant(&sessions);
        self.sessions_clash |= self.sessions.as_ref().is_some_and(|before| !same(before));
        self.sessions = Some(sessions);
    }
}

/// The default `User-Agent`, which keeps request sizes and logs as in the original.
const USER_AGENT: &str = "httperf/0.9.0";

/// Why a command line is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wrong {
    /// An invalid value: exit code 1.
    Value(String),
    /// An invalid combination, for which the original exits with -1.
    Fatal(String),
}

impl Wrong {
    fn said_by(self, program: &str) -> Usage {
        let (text, code) = match self {
            Self::Value(text) => (text, 1),
            Self::Fatal(text) => (text, 255),
        };
        Usage { stdout: String::new(), stderr: format!("{program}: {text}\n"), code }
    }
}

/// Parses an unsigned number that is the whole argument. It is truncated to 32 bits, as in the original.
fn count(what: &str, text: &str) -> Result<u32, Wrong> {
    match whole(text, Base::Ten) {
        Some(number) if number.rest.is_empty() && !number.too_great => Ok(number.value as u32),
        _ => Err(Wrong::Value(format!("illegal {what} {text}"))),
    }
}

fn positive(what: &str, text: &str) -> Result<u32, Wrong> {
    match whole(text, Base::Ten) {
        Some(number) if number.rest.is_empty() && (1..=u64::from(u32::MAX)).contains(&number.value) => {
            Ok(number.value as u32)
        }
        _ => Err(Wrong::Value(format!("illegal {what} {text}"))),
    }
}

fn seconds(what: &str, text: &str) -> Result<f64, Wrong> {
    match real(text) {
        Some((value, false, "")) => Ok(value),
        _ => Err(Wrong::Value(format!("illegal {what} {text}"))),
    }
}

fn read_port(text: &str) -> Result<u16, Wrong> {
    let number = whole(text, Base::Ten).filter(|number| number.rest.is_empty());
    number
        .and_then(|number| u16::try_from(number.value).ok())
        .ok_or_else(|| Wrong::Value(format!("illegal port number {text}")))
}

/// Parses `A.B`; anything after it is ignored.
fn read_version(text: &str) -> Result<(u32, u32), Wrong> {
    let wrong = || Wrong::Value(format!("illegal version number {text}"));
    let major = whole(text, Base::Ten).ok_or_else(wrong)?;
    let minor = major.rest.strip_prefix('.').and_then(|rest| whole(rest, Base::Ten)).ok_or_else(wrong)?;
    Ok((major.value as u32, minor.value as u32))
}

/// Parses how to wait for events.
fn read_waiting(value: &str) -> Result<Waiting, Wrong> {
    match value {
        "block" => Ok(Waiting::Block),
        "spin" => Ok(Waiting::Spin),
        _ => Err(Wrong::Value(format!("illegal way to wait {value} (block or spin)"))),
    }
}

fn read_client(text: &str) -> Result<(u32, u32), Wrong> {
    let Some(id) = whole(text, Base::Any).filter(|id| !id.too_great) else {
        return Err(Wrong::Value(format!("bad client id (rest: `{text}')")));
    };
    let Some(rest) = id.rest.strip_prefix('/') else {
        return Err(Wrong::Value(format!("client id not followed by `/' (rest: `{}')", id.rest)));
    };
    match whole(rest, Base::Any) {
        Some(clients) if !clients.too_great && (id.value as u32) < clients.value as u32 => {
            Ok((id.value as u32, clients.value as u32))
        }
        _ => Err(Wrong::Value(format!("bad number of clients (rest: `{rest}')"))),
    }
}

/// Parses the argument of `--wlog`: the first letter is the flag, and the file's name begins at the third.
fn read_wlog(text: &str) -> (bool, String) {
    let name = text.char_indices().nth(2).map_or("", |(at, _)| &text[at..]);
    (text.starts_with(['y', 'Y']), name.to_owned())
}

fn read_protocol(text: &str) -> Result<Protocol, Wrong> {
    Ok(match text.to_ascii_lowercase().replace('_', ".").as_str() {
        "auto" => Protocol::Auto,
        "sslv2" => Protocol::Dead("SSLv2"),
        "sslv3" => Protocol::Dead("SSLv3"),
        "tlsv1" | "tlsv1.0" => Protocol::Dead("TLSv1.0"),
        "tlsv1.1" => Protocol::Dead("TLSv1.1"),
        "tlsv1.2" => Protocol::Tls12,
        "tlsv1.3" => Protocol::Tls13,
        _ => return Err(Wrong::Value(format!("illegal SSL protocol {text}"))),
    })
}

/// Parses one address, or an inclusive range of them.
fn addresses(text: &str) -> Option<Vec<IpAddr>> {
    if let Ok(address) = text.parse() {
        return Some(vec![address]);
    }
    let (first, last) = text.split_once('-')?;
    let (first, last): (Ipv4Addr, Ipv4Addr) = (first.parse().ok()?, last.parse().ok()?);
    let (first, last) = (u32::from(first), u32::from(last));
    let count = last.checked_sub(first)?;
    (count < 65_536).then(|| (first..=last).map(|address| Ipv4Addr::from(address).into()).collect())
}

/// Returns the error for a parameter of a compound argument.
fn parameter(option: &str, what: &str, rest: &str, out_of_range: bool) -> Wrong {
    let errno = if out_of_range { ": Numerical result out of range" } else { "" };
    Wrong::Value(format!("{what} in --{option} arg (rest: `{rest}'){errno}"))
}

/// Parses a number of sessions or calls. Returns it and the remaining text.
fn session_count<'a>(option: &str, what: &str, text: &'a str) -> Result<(u32, &'a str), Wrong> {
    let wrong = |rest, out_of_range| parameter(option, &format!("bad {what}"), rest, out_of_range);
    match whole(text, Base::Any) {
        Some(number) if !number.too_great => Ok((number.value as u32, number.rest)),
        Some(number) => Err(wrong(number.rest, true)),
        None => Err(wrong(text, false)),
    }
}

/// Parses a think time. Returns it and the remaining text.
fn think_time<'a>(option: &str, place: &str, text: &'a str) -> Result<(f64, &'a str), Wrong> {
    let wrong = |rest, out_of_range| {
        parameter(option, &format!("bad user think time ({place} param)"), rest, out_of_range)
    };
    match real(text) {
        Some((value, false, rest)) if !is_negative(value) => Ok((value, rest)),
        Some((_, out_of_range, rest)) => Err(wrong(rest, out_of_range)),
        None => Err(wrong(text, false)),
    }
}

/// Parses `N1,N2,X`.
fn read_sessions(option: &str, what: [&str; 2], text: &str) -> Result<(u32, u32, f64), Wrong> {
    let [first, second] = [format!("{} (1st param)", what[0]), format!("{} (2nd param)", what[1])];
    let (sessions, rest) = session_count(option, &first, text)?;
    let Some(rest) = rest.strip_prefix(',') else {
        return Err(parameter(option, &format!("bad {second}"), rest, false));
    };
    let (calls, rest) = session_count(option, &second, rest)?;
    let Some(rest) = rest.strip_prefix(',') else {
        return Err(parameter(option, "bad user think time (3rd param)", rest, false));
    };
    let (think, rest) = think_time(option, "3rd", rest)?;
    if rest.is_empty() {
        Ok((sessions, calls, think))
    } else {
        Err(parameter(option, "extraneous parameter", rest, false))
    }
}

/// Parses `N,X,F`.
fn read_log(text: &str) -> Result<Sessions, Wrong> {
    let option = "wsesslog";
    let (sessions, rest) = session_count(option, "number of sessions (1st param)", text)?;
    let Some(rest) = rest.strip_prefix(',') else {
        return Err(parameter(option, "bad user think time (2nd param)", rest, false));
    };
    let (think, rest) = think_time(option, "2nd", rest)?;
    let Some(rest) = rest.strip_prefix(',') else {
        return Err(parameter(option, "bad session filename (3rd param)", rest, false));
    };
    let (file, rest) = rest.split_once(',').unwrap_or((rest, ""));
    if !rest.is_empty() {
        return Err(parameter(option, "extraneous parameter", rest, false));
    }
    Ok(Sessions::Log { sessions, think, file: file.to_owned() })
}

/// Parses `N,X`. Errors quote the text from the number before the invalid part.
fn read_wset(text: &str) -> Result<(u32, f64), Wrong> {
    let option = "wset";
    let files = match whole(text, Base::Any) {
        Some(files) if !files.too_great => files,
        number => {
            let what = "bad working set size (1st parameter)";
            return Err(parameter(option, what, text, number.is_some()));
        }
    };
    let bad_rate = |rest, out_of_range| {
        Err(parameter(option, "bad target miss rate (2nd parameter)", rest, out_of_range))
    };
    let Some(after) = files.rest.strip_prefix(',') else { return bad_rate(text, false) };
    match real(after) {
        Some((rate, false, rest)) if (0.0..=1.0).contains(&rate) => {
            if rest.is_empty() {
                Ok((files.value as u32, rate))
            } else {
                Err(parameter(option, "extraneous parameter", after, false))
            }
        }
        number => bad_rate(after, number.is_some_and(|(_, out_of_range, _)| out_of_range)),
    }
}

fn version(program: &str) -> String {
    format!("{program}: httperf-0.9.0 compiled without DEBUG without TIME_SYSCALLS.\n")
}

fn help(program: &str) -> String {
    format!(
        "Usage: {program} [-hdvV] [--add-header S] [--burst-length N] [--client N/N]
\t[--close-with-reset] [--debug N] [--failure-status N]
\t[--help] [--hog] [--http-version S] [--max-connections N]
\t[--max-piped-calls N] [--method S] [--no-host-hdr]
\t[--num-calls N] [--num-conns N] [--period [d|u|e]T1[,T2]]
\t[--port N] [--print-reply [header|body]] [--print-request [header|body]]
\t[--rate X] [--recv-buffer N] [--retry-on-failure] [--send-buffer N]
\t[--server S] [--server-name S] [--session-cookies]
\t[--ssl] [--ssl-ciphers L] [--ssl-no-reuse]
\t[--think-timeout X] [--timeout X] [--uri S] [--verbose] [--version]
\t[--wlog y|n,file] [--wsess N,N,X] [--wsesslog N,X,file]
\t[--wset N,X]
"
    )
}

#[cfg(test)]
#[path = "options_tests.rs"]
mod tests;
