//! Converts settings and URLs into a plan.

use super::ftp;
use super::settings::{Era, Login, Reps, Settings};
use super::url::{Payload, Target};
use crate::HEAD_MAX;
use std::path::PathBuf;
use std::time::Duration;
use warwolf_plan::{
    Auth, Body, Burst, Connections, CookiePolicy, Credentials, Endpoint, Hole, HoleValue, HttpVersion,
    InitialCookie, Network, Order, Ownership, Plan, Proxy, Recovery, RedirectPolicy, Request, RequestId,
    RequestShape, ResourceOrder, Resources, Schedule, Scheme, Script, SessionShape, Shapes, Stop, Think,
    ThinkAt, Timeouts, Tls, Unresolved, Verify, Work,
};

/// The limit of consecutive redirects. The original has none and crashes.
const REDIRECTS_IN_A_ROW: u32 = 20;
const SECOND: Duration = Duration::from_secs(1);
/// The response timeout. The original has none.
const PATIENCE: Duration = Duration::from_secs(300);
/// The maximum number of resources of a page.
const RESOURCES: u32 = 1_000;
/// The status to which siege responds with a login.
const FORBIDDEN: u16 = 403;
/// The redirects that siege follows.
const REDIRECTS: [u16; 4] = [301, 302, 303, 307];

/// The redirects that 4.1.7 follows, including that of a 201.
const LATER_REDIRECTS: [u16; 5] = [201, 301, 302, 303, 307];

/// The requests and cookies of users beside the list.
#[derive(Default)]
pub(super) struct Besides<'a> {
    /// Setup requests.
    pub(super) setup: &'a [Target],
    /// Requests that follow a 403.
    pub(super) recovery: &'a [Target],
    /// Initial cookies.
    pub(super) cookies: Vec<InitialCookie>,
}

/// Returns the plan of a run on `targets`, and the list index of the URL of each request. `None` if no request would be
/// sent.
pub(super) fn plan(
    settings: &Settings,
    targets: &[Target],
    besides: Besides<'_>,
) -> Option<(Plan, Vec<u32>)> {
    let users = settings.users();
    let (work, places) = work(settings, targets.len(), users);
    let stop = stop(settings, users, targets.len())?;
    if targets.is_empty() {
        return None;
    }
    let handshake = seconds(settings.ssl_timeout).unwrap_or(PATIENCE);
    let requests = listed(settings, targets, &places);
    let others = |list: &[Target]| list.iter().map(|target| request(settings, target)).collect();
    let plan = Plan {
        stop,
        schedule: Schedule::Closed { users, ramp: Duration::ZERO },
        session: SessionShape {
            work,
            think: think(settings),
            // 1.00 pauses before each request, 4.x after each.
            think_at: if settings.era == Era::V100 { ThinkAt::Before } else { ThinkAt::After },
            cookies: if settings.era == Era::V100 { CookiePolicy::Off } else { CookiePolicy::Jar },
            forget_cookies_after: settings.expire_session.then_some(places.len() as u64),
            redirects: redirects(settings),
            setup: others(besides.setup),
            recovery: (!besides.recovery.is_empty())
                .then(|| Recovery { status: FORBIDDEN, requests: others(besides.recovery) }),
            initial_cookies: besides.cookies,
            resources: settings.parser.then(|| resources(settings)),
            auth: (settings.era != Era::V100).then(|| auth(settings)),
            ..SessionShape::default()
        },
        connections: Connections {
            version: if settings.http11 { HttpVersion::Http11 } else { HttpVersion::Http10 },
            keep_alive: settings.keep_alive,
            limit: users,
            ownership: Ownership::Sticky,
            max_head: HEAD_MAX,
            ..Connections::default()
        },
        timeouts: Timeouts {
            connect: seconds(settings.timeout),
            tls: Some(handshake),
            call: None,
            idle: Some(PATIENCE.max(handshake).max(seconds(settings.timeout).unwrap_or_default())),
            ..Timeouts::default()
        },
        network: Network {
            proxy: proxy(settings, targets),
            unresolved: Unresolved::Count,
            ..Network::default()
        },
        tls: tls(settings),
        ..Plan::new(requests)
    };
    Some((plan, places))
}

fn redirects(settings: &Settings) -> RedirectPolicy {
    let statuses = if settings.era == Era::V417 { &LATER_REDIRECTS[..] } else { &REDIRECTS[..] };
    let limit = if settings.follow { REDIRECTS_IN_A_ROW } else { 0 };
    RedirectPolicy { limit, statuses: statuses.to_vec(), with_get: true }
}

fn seconds(count: i64) -> Option<Duration> {
    u64::try_from(count).ok().filter(|count| *count > 0).map(Duration::from_secs)
}

/// Returns the end of the run; `None` if no request would be sent.
fn stop(settings: &Settings, users: u32, urls: usize) -> Option<Stop> {
    if let Some(time) = settings.time {
        return Some(Stop::after(Duration::from_secs(time)));
    }
    let calls = match settings.reps {
        Reps::Forever => return Some(Stop { duration: None, calls: None, grace: Duration::ZERO }),
        Reps::Times(times) => u64::try_from(times).unwrap_or(0).saturating_mul(users.into()),
        Reps::Once if settings.era == Era::V417 => urls as u64,
        Reps::Once => (urls as u64).saturating_mul(users.into()),
    };
    (calls > 0).then(|| Stop::after_calls(calls))
}

/// Returns the order in which users request the list, and the list index of each request's URL.
fn work(settings: &Settings, urls: usize, users: u32) -> (Work, Vec<u32>) {
    let count = u32::try_from(urls).unwrap_or(u32::MAX);
    let places: Vec<u32> = (0..count).collect();
    let draw = |order| Work::Draw { calls: None, burst: 1, first_alone: false, order };
    if settings.internet && settings.quirks && urls > 1 {
        // The original rounds its random number, which gives the first URL a weight of one half and the last one a weight
        // of one and a half.
        let weights = |place: &u32| match *place {
            0 => 1,
            place if place == count - 1 => 3,
            _ => 2,
        };
        let skewed = places.iter().flat_map(|place| std::iter::repeat_n(*place, weights(place))).collect();
        return (draw(Order::Random), skewed);
    }
    if settings.internet {
        return (draw(Order::Random), places);
    }
    if settings.reps == Reps::Once && settings.time.is_none() {
        let scripts = if settings.era == Era::V417 { divided(count, users) } else { vec![script(0..count)] };
        return (Work::Scripts { scripts }, places);
    }
    if settings.era == Era::V100 {
        // All its users begin at the first URL; from 3.0.1 on they begin at different ones.
        return (Work::Scripts { scripts: vec![script(0..count)] }, places);
    }
    (draw(Order::PerSession), places)
}

/// Divides the list among the users, as from 4.1.1 on. If it does not divide evenly, the first users get one URL more.
fn divided(urls: u32, users: u32) -> Vec<Script> {
    let (share, more) = (urls / users, urls % users);
    let start = |user: u32| user * share + user.min(more);
    (0..users).map(|user| script(start(user)..start(user + 1))).collect()
}

fn script(places: impl Iterator<Item = u32>) -> Script {
    let burst = |place| Burst { first: RequestId(place), then: Vec::new(), think: Duration::ZERO };
    Script { bursts: places.map(burst).collect() }
}

/// Returns the pause of each iteration: whole seconds if the maximum is a second or more, otherwise any duration.
fn think(settings: &Settings) -> Think {
    let max = Duration::try_from_secs_f64(settings.delay).unwrap_or_default();
    if max < Duration::from_millis(1) {
        return Think::None;
    }
    match settings.era {
        Era::V100 => Think::Uniform { min: SECOND, max: max.max(SECOND), granularity: Duration::ZERO },
        _ if max < SECOND => Think::Uniform { min: Duration::ZERO, max, granularity: Duration::ZERO },
        _ => Think::Uniform { min: Duration::ZERO, max, granularity: SECOND },
    }
}

/// Returns the page resources to fetch. A host of fewer than four letters is not skipped.
fn resources(settings: &Settings) -> Resources {
    let hosts = settings.nofollow.iter().filter(|host| host.len() > 3);
    Resources {
        skip_hosts: hosts.cloned().collect(),
        cache: settings.cache,
        order: ResourceOrder::LastFirst,
        refresh: true,
        ..Resources::up_to(RESOURCES)
    }
}

/// Builds the requests of these places of the list. URLs that differ in their paths only share the rest.
fn listed(settings: &Settings, targets: &[Target], places: &[u32]) -> Vec<Request> {
    let mut shapes = Shapes::default();
    let mut last: Option<(&Target, Request)> = None;
    let one = |place: &u32| {
        let target = &targets[*place as usize];
        let alike = last.as_ref().filter(|(last, _)| are_alike(last, target));
        if let Some((_, request)) = alike {
            return request.beside(&*target.path);
        }
        let mut request = request(settings, target);
        shapes.share(&mut request);
        last = Some((target, request.clone()));
        request
    };
    places.iter().map(one).collect()
}

/// Returns whether two URLs without data differ at most in their paths.
fn are_alike(one: &Target, other: &Target) -> bool {
    let is_plain = |target: &Target| target.payload == Payload::None && target.endpoint.scheme != Scheme::Ftp;
    is_plain(one) && is_plain(other) && one.method == other.method && one.endpoint == other.endpoint
}

/// Builds the request for a URL, with header fields in the original's order.
fn request(settings: &Settings, target: &Target) -> Request {
    let is_ftp = target.endpoint.scheme == Scheme::Ftp;
    let is_numbered = is_ftp && target.payload != Payload::None && settings.unique;
    let (path, holes) = if is_numbered { numbered(&target.path) } else { (target.path.clone(), Vec::new()) };
    let shape = RequestShape {
        method: if is_ftp { target.method.to_owned() } else { method(settings, target) },
        headers: if is_ftp { Vec::new() } else { headers(settings, target) },
        body: match &target.payload {
            Payload::None => Body::None,
            Payload::Text(text) => Body::Text(text.clone()),
            Payload::File(path) => Body::File(path.clone()),
        },
        basic_auth: ftp::login(settings, target),
        holes,
        ..RequestShape::get(target.endpoint.clone())
    };
    Request::new(path, shape)
}

/// Inserts a hole for the user's number before the extension of a file's path, after a dash.
pub(super) fn numbered(path: &str) -> (String, Vec<Hole>) {
    let end = path.rfind(";type=").unwrap_or(path.len());
    let name = path[..end].rfind('/').map_or(0, |slash| slash + 1);
    let dot = path[name..end].rfind('.').filter(|dot| *dot > 0);
    let (before, behind) = path.split_at(dot.map_or(end, |dot| name + dot));
    let at = u32::try_from(before.len() + 1).unwrap_or(u32::MAX);
    (format!("{before}-{behind}"), vec![Hole { at, value: HoleValue::Session }])
}

fn headers(settings: &Settings, target: &Target) -> Vec<(String, String)> {
    let extras = &settings.headers;
    let mut headers = Vec::new();
    let mut add = |name: &str, value: &str| headers.push((name.to_owned(), value.to_owned()));
    if !extras.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        add("Host", &target.endpoint.host_header());
    }
    if settings.era != Era::V100 {
        // An empty value marks the position of the cookies.
        add("Cookie", "");
    }
    // The original only checks whether its text of additional fields begins with this name.
    if !extras.first().is_some_and(|(name, _)| name.eq_ignore_ascii_case("accept")) {
        add("Accept", "*/*");
    }
    // Both together print a page in readable form.
    if !(settings.get && settings.print) {
        add("Accept-Encoding", &settings.accept_encoding);
    }
    add("User-Agent", &settings.agent());
    for (name, value) in extras {
        add(name, value);
    }
    add("Connection", if settings.keep_alive { "keep-alive" } else { "close" });
    if target.payload != Payload::None {
        let own = target.content_type.as_ref().or(settings.content_type.as_ref());
        add("Content-Type", own.map_or("application/x-www-form-urlencoded", String::as_str));
    }
    headers
}

/// Returns the method. `-g` uses that of the rc file unless the URL has one.
fn method(settings: &Settings, target: &Target) -> String {
    match (&settings.get_method, target.method) {
        (Some(method), "GET") if settings.get => method.clone(),
        (_, method) => method.to_owned(),
    }
}

/// Returns the credentials for challenges. siege repeats the request even without credentials.
fn auth(settings: &Settings) -> Auth {
    let credentials = |login: &Login| Credentials {
        name: login.name.clone(),
        password: login.password.clone(),
        realm: login.realm.clone(),
    };
    Auth {
        server: settings.logins.iter().map(credentials).collect(),
        proxy: settings.proxy_logins.iter().map(credentials).collect(),
        attempts: settings.attempts(),
        retry_without_credentials: true,
    }
}

/// Returns the proxy. A CONNECT request carries the credentials at once, without waiting for a challenge.
fn proxy(settings: &Settings, targets: &[Target]) -> Option<Proxy> {
    let host = settings.proxy_host.clone()?;
    let port = u16::try_from(settings.proxy_port).ok().filter(|port| *port > 0).unwrap_or(3128);
    let tunnels = targets.iter().any(|target| target.endpoint.scheme == Scheme::Https);
    let login = settings.proxy_logins.first().filter(|_| tunnels);
    Some(Proxy {
        endpoint: Endpoint { scheme: Scheme::Http, host, port },
        basic_auth: login.map(|login| format!("{}:{}", login.name, login.password)),
    })
}

/// Returns the TLS options. siege verifies no certificate.
fn tls(settings: &Settings) -> Tls {
    let certificate = settings.ssl_cert.as_ref().map(|certificate| {
        let key = settings.ssl_key.as_ref().unwrap_or(certificate);
        (PathBuf::from(certificate), PathBuf::from(key))
    });
    let ciphers = settings.ssl_ciphers.iter().flat_map(|list| list.split([':', ',']));
    Tls {
        verify: Verify::Off,
        client_certificate: certificate,
        ciphers: ciphers.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect(),
        ..Tls::default()
    }
}

#[cfg(test)]
#[path = "planning_tests.rs"]
mod tests;
