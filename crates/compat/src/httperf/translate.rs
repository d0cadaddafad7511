//! Translates options into a plan.
//!
//! The plan has one worker, because the order of requests and the serial numbers follow the order of creation over the
//! whole run, as in the original.

use super::ciphers::{Chosen, choose};
use super::options::{Options, Protocol, Sessions, Waiting};
use super::period::Period;
use super::sessionlog::{self, Logged, LoggedSession};
use super::targets::{Sequence, Targets, entries, working_set, working_set_cursor};
use super::wire::{Stationery, Wire};
use super::{Read, escape};
use crate::HEAD_MAX;
use crate::latin;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use warwolf_plan::{
    ArrivalProcess, Body, Burst, CookiePolicy, Cursor, DriverChoice, Endpoint, Hole, HoleValue, HttpVersion,
    Idle, ListEnd, OnClose, Order, Ownership, Plan, Reconnect, Request, RequestId, RequestShape,
    ResourceKind, Resources, Resumption, Schedule, Scheme, Script, Shapes, Stop, Think, Timeouts, TlsVersion,
    Verify, WhenFull, Work,
};

/// A plan, and its messages for stderr.
pub(super) struct Translated {
    pub(super) plan: Plan,
    pub(super) notes: Vec<String>,
    /// Targets that differ from call to call, and their order.
    pub(super) visits: Option<Visits>,
}

/// Targets and their order.
#[derive(Clone, Debug)]
pub(super) struct Visits {
    pub(super) targets: Vec<String>,
    pub(super) sequence: Sequence,
}

/// Why there is no plan.
#[derive(Debug)]
pub(super) enum NoPlan {
    /// An error, with its message.
    Wrong(String),
    /// Nothing to do: no connections, no calls, or no sessions.
    Nothing,
}

impl From<String> for NoPlan {
    fn from(text: String) -> Self {
        Self::Wrong(text)
    }
}

/// Translates the options into a plan. Files are read through `read`.
///
/// # Errors
/// When a file cannot be read or is invalid, when options exclude each other, and when there is nothing to do.
pub(super) fn translate(options: &Options, read: Read<'_>) -> Result<Translated, NoPlan> {
    if options.sessions_clash {
        return Err("--wsess, --wsesslog and --wsesspage exclude each other".to_owned().into());
    }
    if matches!(options.sessions, Some(Sessions::Pages { .. })) && !options.uri.contains('/') {
        return Err("URI specified with --uri must be absolute".to_owned().into());
    }
    check_version(options)?;
    check_capacity(options)?;
    let mut notes = Vec::new();
    let extra = extra_headers(options, read, &mut notes);
    let servers = servers(options, read)?;
    let workload = workload(options, &Stationery::new(options, extra), &servers, read, &mut notes)?;
    let mut plan = Plan::new(workload.requests);
    plan.session.work = workload.work;
    plan.session.parts = workload.parts;
    plan.session.think = workload.think;
    plan.session.cookies = if options.cookies { CookiePolicy::LastValue } else { CookiePolicy::Off };
    if let Some(Sessions::Pages { .. }) = options.sessions {
        plan.session.redirects.limit = REDIRECTS;
        // Concurrently, once per reference, and from the page's server only.
        plan.session.resources = Some(Resources {
            kinds: vec![ResourceKind::Image, ResourceKind::Frame],
            repeats: true,
            same_server: true,
            concurrency: u32::MAX,
            ..Resources::up_to(PARTS)
        });
    }
    plan.threads = Some(1);
    plan.driver = DriverChoice::Auto;
    plan.idle = match options.waiting {
        Waiting::Block => Idle::Block,
        Waiting::Spin => Idle::Spin,
    };
    schedule(options, workload.sessions, &mut plan)?;
    connections(options, &mut plan);
    network(options, &mut plan);
    tls(options, &mut plan, &mut notes)?;
    if !options.others.is_empty() {
        let words = options.others.join("`, `");
        notes.push(format!("`{words}`: no option, ignored; the server is --server, the path is --uri"));
    }
    Ok(Translated { plan, notes, visits: workload.visits })
}

/// Redirects in a row that `--wsesspage` follows; the original has no limit.
const REDIRECTS: u32 = 20;
/// Maximum number of resources of a page that `--wsesspage` fetches.
const PARTS: u32 = 10_000;

/// Checks the HTTP version: only 1.0 and 1.1 are supported.
fn check_version(options: &Options) -> Result<(), String> {
    match options.http_version {
        (1, 0 | 1) => Ok(()),
        (major, minor) => {
            let code = major.wrapping_shl(16) | minor;
            Err(format!("unexpected version code {code:x}"))
        }
    }
}

/// Checks that the concurrent calls of a burst fit into the session's connections.
fn check_capacity(options: &Options) -> Result<(), NoPlan> {
    let Some(Sessions::Calls { calls, .. }) = options.sessions else { return Ok(()) };
    let together = u64::from(options.burst.min(calls).saturating_sub(1));
    if together > u64::from(slots(options)) * u64::from(piped(options)) {
        return Err(NoPlan::Wrong(TOO_MANY.to_owned()));
    }
    Ok(())
}

/// The error for a burst that does not fit. It follows the program's name without a colon.
pub(super) const TOO_MANY: &str = ".session_issue_call: too many calls pending!\n\tIncrease --max-connections and/or \
                                   --max-piped-calls.";

/// Returns the maximum number of connections of a session.
fn slots(options: &Options) -> u32 {
    if options.max_connections == 0 { 4 } else { options.max_connections }
}

/// Returns the maximum number of calls in flight per connection of a session.
fn piped(options: &Options) -> u32 {
    match (options.max_piped_calls, options.http_version) {
        (0, (1, 0)) => 1,
        (0, _) => 32,
        (calls, _) => calls,
    }
}

fn extra_headers(options: &Options, read: Read<'_>, notes: &mut Vec<String>) -> Vec<u8> {
    let mut extra = Vec::new();
    if let Some(text) = &options.add_header {
        let (bytes, unknown) = escape::unescape(text);
        extra.extend(bytes);
        notes.extend(
            unknown
                .iter()
                .map(|letter| format!("ignoring unknown escape sequence `\\{letter}' in --add-header")),
        );
    }
    if let Some(file) = &options.header_file {
        match read(Path::new(file)) {
            Ok(bytes) => extra.extend(bytes),
            Err(_) => notes.push("failed to open header file".to_owned()),
        }
    }
    extra
}

fn open(name: &str, read: Read<'_>) -> Result<Vec<u8>, String> {
    read(Path::new(name)).map_err(|_| format!("can't open {name}"))
}

/// Reads a list of entries that each end with NUL.
fn list(name: &str, read: Read<'_>) -> Result<Vec<u8>, String> {
    let bytes = open(name, read)?;
    if bytes.is_empty() { Err(format!("file {name} is empty")) } else { Ok(bytes) }
}

fn servers(options: &Options, read: Read<'_>) -> Result<Vec<String>, String> {
    let Some(file) = &options.servers else { return Ok(vec![options.server.clone()]) };
    let bytes = list(file, read)?;
    let names: Vec<_> =
        entries(&bytes).0.into_iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    if names.is_empty() { Err(format!("{file} does not contain any valid names")) } else { Ok(names) }
}

/// The work of sessions, and their number.
struct Workload {
    requests: Vec<Request>,
    /// Number of equal parts of the requests, one per server.
    parts: u32,
    work: Work,
    think: Think,
    sessions: Option<u64>,
    visits: Option<Visits>,
}

fn workload(
    options: &Options,
    stationery: &Stationery<'_>,
    servers: &[String],
    read: Read<'_>,
    notes: &mut Vec<String>,
) -> Result<Workload, NoPlan> {
    if let Some(Sessions::Log { sessions, think, file }) = &options.sessions {
        if *sessions == 0 {
            return Err(NoPlan::Nothing);
        }
        let bytes = open(file, read)?;
        let logged = sessionlog::parse(&bytes, file, *think)?;
        return Ok(scripted(options, stationery, servers, &logged, *sessions));
    }
    if let Some(Sessions::Pages { sessions, pages, think }) = options.sessions {
        return paged(options, stationery, servers, [sessions, pages], think);
    }
    let (sessions, calls, think) = match options.sessions {
        Some(Sessions::Calls { sessions, calls, think }) => (Some(sessions), calls, think),
        // With a duration, the number of sessions is optional.
        _ if options.runtime.is_some() && !options.conns_given => (None, options.calls, 0.0),
        _ => (Some(options.conns), options.calls, 0.0),
    };
    if sessions == Some(0) || calls == 0 {
        return Err(NoPlan::Nothing);
    }
    let targets = targets(options, read, notes)?;
    let requests = listed(options, stationery, servers, &targets);
    let think = constant(think);
    let order = order(options, targets.len());
    let first_alone = options.sessions.is_some();
    let work = Work::Draw { calls: Some(calls.into()), burst: options.burst, first_alone, order };
    // Only the messages of `--verbose` name them.
    let sequence = sequence(options, targets.len()).filter(|_| options.verbose > 0);
    let visits = sequence.map(|sequence| Visits {
        targets: targets.iter().map(|target| String::from_utf8_lossy(target).into_owned()).collect(),
        sequence,
    });
    let parts = servers.len() as u32;
    Ok(Workload { requests, parts, work, think, sessions: sessions.map(u64::from), visits })
}

/// Builds the requests for each server and target. Those that differ in their paths only share the rest.
fn listed(
    options: &Options,
    stationery: &Stationery<'_>,
    servers: &[String],
    targets: &Targets,
) -> Vec<Request> {
    let mut shapes = Shapes::default();
    let mut last: Option<(&String, Request)> = None;
    let method = options.method.as_deref().unwrap_or("GET");
    // Connections rotate over the servers, calls over the targets.
    servers
        .iter()
        .flat_map(|server| targets.iter().map(move |target| (server, target)))
        .map(|(server, target)| {
            let alike = last.as_ref().filter(|(of, _)| *of == server).map(|(_, request)| request);
            if let (Some(request), Ok(path)) = (alike, std::str::from_utf8(target))
                && path.is_ascii()
            {
                return request.beside(path);
            }
            let mut request = planned(options, server, stationery.request(server, method, target, b""));
            shapes.share(&mut request);
            // Only the head of such a request leaves its path open.
            last = (!request.holes.is_empty()).then(|| (server, request.clone()));
            request
        })
        .collect()
}

/// Returns the workload of `--wsesspage`, which overrides `--wset` and `--wlog`.
fn paged(
    options: &Options,
    stationery: &Stationery<'_>,
    servers: &[String],
    [sessions, pages]: [u32; 2],
    think: f64,
) -> Result<Workload, NoPlan> {
    if sessions == 0 || pages == 0 {
        return Err(NoPlan::Nothing);
    }
    let method = options.method.as_deref().unwrap_or("GET");
    let page = |server: &String| {
        planned(options, server, stationery.request(server, method, options.uri.as_bytes(), b""))
    };
    Ok(Workload {
        requests: servers.iter().map(page).collect(),
        parts: servers.len() as u32,
        work: Work::Draw {
            calls: Some(pages.into()),
            burst: 1,
            first_alone: false,
            order: Order::Sequential,
        },
        think: constant(think),
        sessions: Some(sessions.into()),
        visits: None,
    })
}

/// Returns a constant pause.
fn constant(think: f64) -> Think {
    match seconds(think) {
        Duration::ZERO => Think::None,
        time => Think::Constant { time },
    }
}

/// Returns the targets, in order.
fn targets(options: &Options, read: Read<'_>, notes: &mut Vec<String>) -> Result<Targets, String> {
    if let Some((_, file)) = &options.wlog {
        let bytes = list(file, read)?;
        let (targets, by_lines) = entries(&bytes);
        let targets: Targets = targets.into_iter().collect();
        if targets.len() == 0 {
            return Err(format!("{file} does not contain any valid URIs"));
        }
        if by_lines {
            notes.push(format!("{file} has lines instead of entries that end with NUL: taken by lines"));
        }
        return Ok(targets);
    }
    Ok(match options.wset {
        Some((files, _)) => working_set(&options.uri, files).iter().map(String::as_bytes).collect(),
        None => std::iter::once(options.uri.as_bytes()).collect(),
    })
}

/// Returns the order of targets as a plan expresses it.
fn order(options: &Options, count: usize) -> Order {
    match (&options.wlog, options.wset) {
        (Some((true, _)), _) => Order::Shared(Cursor::default()),
        (Some((false, _)), _) => Order::Shared(Cursor { end: ListEnd::Stop, ..Cursor::default() }),
        (None, Some((_, miss))) => Order::Shared(working_set_cursor(miss, options.client, count)),
        (None, None) => Order::Sequential,
    }
}

/// Returns the order of targets, if there is more than one.
fn sequence(options: &Options, count: usize) -> Option<Sequence> {
    match (&options.wlog, options.wset) {
        (Some((true, _)), _) => Some(Sequence::Round { next: 0, count }),
        (Some((false, _)), _) => Some(Sequence::Once { next: 0, count }),
        (None, Some((files, rate))) => Some(Sequence::working_set(files, rate, options.client)),
        (None, None) => None,
    }
}

fn scripted(
    options: &Options,
    stationery: &Stationery<'_>,
    servers: &[String],
    logged: &[LoggedSession],
    sessions: u32,
) -> Workload {
    let (mut requests, mut shapes) = (Vec::new(), Shapes::default());
    let mut numbers: HashMap<Request, RequestId> = HashMap::new();
    let mut place = |server: &str, call: &Logged| {
        let wire = stationery.request(server, call.method, &call.target, &call.contents);
        let mut request = planned(options, server, wire);
        shapes.share(&mut request);
        *numbers.entry(request).or_insert_with_key(|request| {
            requests.push(request.clone());
            RequestId(requests.len() as u32 - 1)
        })
    };
    // Session k runs script k: with several servers each of them needs every script.
    let rounds = if servers.len() == 1 { 1 } else { servers.len() };
    let scripts = (0..logged.len() * rounds)
        .map(|number| {
            let server = &servers[number % servers.len()];
            let bursts = logged[number % logged.len()].iter().filter_map(|burst| {
                let mut ids: Vec<_> = burst.calls.iter().map(|call| place(server, call)).collect();
                let then = ids.split_off(1.min(ids.len()));
                ids.first().map(|first| Burst { first: *first, then, think: seconds(burst.think) })
            });
            Script { bursts: bursts.collect() }
        })
        .collect();
    Workload {
        requests,
        parts: 1,
        work: Work::Scripts { scripts },
        think: Think::None,
        sessions: Some(sessions.into()),
        visits: None,
    }
}

fn planned(options: &Options, server: &str, wire: Wire) -> Request {
    let scheme = if options.tls { Scheme::Https } else { Scheme::Http };
    let endpoint = Endpoint { scheme, host: server.to_owned(), port: options.port };
    let mut head = latin(&wire.head);
    let path = String::from_utf8_lossy(&wire.target).into_owned();
    let mut holes = Vec::new();
    // The path goes in behind the method, so that the URIs of a server share the rest.
    if wire.body.is_empty() && wire.method.is_ascii() && path.is_ascii() {
        let at = wire.method.len() + 1;
        head.replace_range(at..at + path.len(), "");
        holes.push(Hole { at: at as u32, value: HoleValue::Path });
    }
    let body = if wire.body.is_empty() { Body::None } else { Body::Bytes(wire.body) };
    let shape =
        RequestShape { method: wire.method, body, head: Some(head), holes, ..RequestShape::get(endpoint) };
    Request::new(path, shape)
}

fn schedule(options: &Options, sessions: Option<u64>, plan: &mut Plan) -> Result<(), String> {
    plan.stop = Stop { duration: options.runtime.map(seconds), calls: sessions, grace: Duration::ZERO };
    if options.period.is_sequential() {
        plan.schedule = Schedule::Turns { users: 1 };
        return Ok(());
    }
    let arrivals = match &options.period {
        Period::Deterministic(gap) => ArrivalProcess::Constant { rate: 1.0 / gap },
        period => {
            let end_ns = options.runtime.map_or(u64::MAX, |runtime| seconds(runtime).as_nanos() as u64);
            let many = sessions.unwrap_or(u64::MAX);
            let wanted = period.arrivals_ns(options.client.0).take_while(|at| *at < end_ns);
            let at_ns: Vec<u64> =
                wanted.take(usize::try_from(many).unwrap_or(usize::MAX).min(MOST_ARRIVALS + 1)).collect();
            if at_ns.len() > MOST_ARRIVALS {
                return Err(format!("more than {MOST_ARRIVALS} arrivals that are not evenly spaced"));
            }
            ArrivalProcess::Trace { at_ns }
        }
    };
    plan.schedule = Schedule::Open { arrivals, burst: 1 };
    Ok(())
}

/// Maximum number of precomputed arrivals: 128 MiB.
const MOST_ARRIVALS: usize = 1 << 24;

fn connections(options: &Options, plan: &mut Plan) {
    let connections = &mut plan.connections;
    connections.version =
        if options.http_version == (1, 0) { HttpVersion::Http10 } else { HttpVersion::Http11 };
    connections.limit = u32::MAX;
    connections.max_head = HEAD_MAX;
    connections.when_full = WhenFull::Fail;
    plan.session.failure.on_error = true;
    if options.sessions.is_some() {
        connections.ownership = Ownership::Dedicated(slots(options));
        connections.reconnect = if options.retry { Reconnect::Always } else { Reconnect::AfterReply };
        connections.pipeline = piped(options);
        connections.keep_alive = options.http_version != (1, 0);
        plan.session.failure.statuses = status(options).into_iter().collect();
        plan.session.failure.retry = options.retry;
    } else {
        connections.ownership = Ownership::Dedicated(1);
        connections.reconnect = Reconnect::Never;
        connections.on_close = OnClose::EndSession;
        connections.pipeline = options.burst.min(options.calls);
    }
    plan.timeouts = Timeouts {
        connect: limit(options.timeout),
        tls: None,
        call: None,
        send: limit(options.timeout),
        reply: limit(options.timeout.max(0.0) + options.think_timeout.max(0.0)),
        idle: None,
    };
}

/// Returns the status that fails a session, if it is one that a reply can have.
fn status(options: &Options) -> Option<u16> {
    u16::try_from(options.failure_status).ok().filter(|status| *status > 0)
}

/// Converts a limit in seconds. Zero, negative and non-finite values mean no limit.
fn limit(value: f64) -> Option<Duration> {
    (value > 0.0 && value.is_finite()).then(|| seconds(value))
}

fn seconds(value: f64) -> Duration {
    if value > 0.0 { Duration::try_from_secs_f64(value).unwrap_or(Duration::MAX) } else { Duration::ZERO }
}

fn network(options: &Options, plan: &mut Plan) {
    let network = &mut plan.network;
    network.nodelay = true;
    // The kernel takes the number as signed and doubles it; zero and negative values select its minimum.
    let size = |bytes: i32| u32::try_from(bytes).unwrap_or(0);
    network.send_buffer = Some(size(options.send_buffer));
    network.receive_buffer = Some(size(options.recv_buffer));
    network.close_with_reset = options.close_with_reset;
    network.bind.clone_from(&options.my_addresses);
    network.bind_ports = options.hog.then_some((1_024, u16::MAX));
    // As in the original; an IPv6 address has to be given literally.
    network.ipv6 = Some(options.server.contains(':'));
}

fn tls(options: &Options, plan: &mut Plan, notes: &mut Vec<String>) -> Result<(), String> {
    let path = |name: &String| PathBuf::from(name);
    let tls = &mut plan.tls;
    tls.verify = match (&options.ca_file, &options.ca_path) {
        _ if !options.verify => Verify::Off,
        (Some(_), Some(_)) => return Err("--ssl-ca-file and --ssl-ca-path exclude each other".to_owned()),
        (Some(place), None) | (None, Some(place)) => Verify::File(path(place)),
        (None, None) => Verify::System,
    };
    tls.client_certificate = match (&options.certificate, &options.key) {
        (Some(certificate), Some(key)) => Some((path(certificate), path(key))),
        (None, None) => None,
        _ => return Err("--ssl-certificate and --ssl-key go together".to_owned()),
    };
    (tls.min, tls.max) = match options.protocol {
        Protocol::Auto => (TlsVersion::V12, TlsVersion::V13),
        Protocol::Tls12 => (TlsVersion::V12, TlsVersion::V12),
        Protocol::Tls13 => (TlsVersion::V13, TlsVersion::V13),
        Protocol::Dead(name) => {
            return Err(format!("{name} is not spoken any more (RFC 8996): use TLSv1.2, TLSv1.3 or auto"));
        }
    };
    // In a plain run each connection is its own session, and no TLS session is resumed.
    tls.resumption = match options.sessions {
        Some(_) if !options.no_reuse => Resumption::Session,
        _ => Resumption::Off,
    };
    tls.server_name.clone_from(&options.tls_server_name);
    if let Some(list) = &options.ciphers {
        match choose(list) {
            Chosen::Suites(suites) => {
                if suites.is_empty() {
                    notes.push(format!("no suite of --ssl-ciphers={list} can be chosen: all are offered"));
                }
                tls.ciphers = suites;
            }
            Chosen::Dead(name) => {
                return Err(format!(
                    "--ssl-ciphers: `{name}` is not spoken any more: use one such as ECDHE-RSA-AES128-GCM-SHA256"
                ));
            }
        }
    }
    Ok(())
}
