//! Turns the options of a load into a plan. A pure function: nothing is opened, resolved or read from the environment; the
//! texts of the files that the options name are passed in.

mod beside;
mod steps;

use crate::load::{ConnectionWords, DriverWord, IdleWord, Load, OrderWord, TlsWords};
use std::net::IpAddr;
use std::time::Duration;
use warwolf_plan::quantity::{parse_count, parse_duration, parse_rate, parse_size};
use warwolf_plan::words::{parse_body, parse_header, parse_urls};
use warwolf_plan::{
    ArrivalProcess, ArrivalWords, Body, CheckedPlan, ClickModel, Connections, CookiePolicy, DriverChoice,
    HttpVersion, Idle, Label, Links, Network, Order, Ownership, Plan, PlanError, Proxy, Request, Resolve,
    Resumption, Scenario, Schedule, Shapes, Shard, Stop, Think, Timeouts, Tls, TlsVersion, Verify, Work,
};

/// Inputs the arguments only refer to: file contents and a fallback seed.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Text of `--plan`.
    pub plan: Option<String>,
    /// Text of `--urls`.
    pub urls: Option<String>,
    /// Text of `--clicks`.
    pub clicks: Option<String>,
    /// Text of the file in `--arrivals trace:FILE`.
    pub trace: Option<String>,
    /// What the Hurl files among the URLs mean. They are not in the list of URLs then.
    pub suite: Option<Suite>,
    /// Seed for when none is given.
    pub seed: u64,
}

/// Sessions as files describe them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suite {
    /// What sessions do. Steps name `requests` by their index.
    pub scenarios: Vec<Scenario>,
    /// The requests.
    pub requests: Vec<Request>,
    /// Certificates of servers are not checked.
    pub insecure: bool,
    /// Requests are sent over HTTP/1.0.
    pub http10: bool,
}

/// The plan that the arguments mean.
///
/// # Errors
/// The first argument that is wrong, under the name of its option; of a plan file, the field.
pub fn plan(args: &Load, inputs: &Inputs) -> Result<CheckedPlan, PlanError> {
    if let Some(text) = &inputs.plan {
        return beside::overridden(warwolf_plan::text::parse(text)?, args);
    }
    if args.connection.http2 {
        let remedy = "HTTP/2 and HTTP/3 are not available yet; leave it out, or use --http1";
        return Err(wrong("http2", "", remedy));
    }
    let (pages, links) = inputs.clicks.as_deref().map(ClickModel::parse).transpose()?.unzip();
    let mut plan = Plan::new(requests(args, inputs, pages)?);
    plan.seed = match &args.seed {
        Some(text) => seed(text)?,
        None => inputs.seed,
    };
    plan.slos.clone_from(&args.slo);
    plan.warmup = optional(&args.warmup, |text| parse_duration("warmup", text))?.unwrap_or_default();
    plan.stop = stop(args)?;
    plan.timeouts = timeouts(&args.connection)?;
    plan.network = network(&args.connection)?;
    plan.tls = tls(&args.tls)?;
    let think = optional(&args.think, Think::parse)?;
    plan.session.think = think.filter(|_| links.is_none()).unwrap_or_default();
    plan.session.cookies = if args.request.cookies { CookiePolicy::Jar } else { CookiePolicy::Off };
    let follow = optional(&args.request.follow, |text| number("follow", text))?;
    plan.session.redirects.limit = follow.unwrap_or(0);
    schedule(args, inputs, &mut plan)?;
    match links {
        Some(links) => follow_links(args, links, think, &mut plan)?,
        None if args.visit.is_some() => return Err(wrong("visit", "", "it is for --clicks FILE")),
        None => {}
    }
    plan.labels = args.label.iter().map(|text| Label::parse(text)).collect::<Result<_, _>>()?;
    if inputs.suite.is_none() {
        steps::add(args, &mut plan)?;
    }
    plan.threads = optional(&args.machine.threads, |text| number("threads", text))?;
    plan.driver = args.machine.driver.map_or(DriverChoice::Auto, |driver| match driver {
        DriverWord::Uring => DriverChoice::Uring,
        DriverWord::Epoll => DriverChoice::Epoll,
    });
    plan.idle = args.machine.idle.map_or(Idle::Block, |idle| match idle {
        IdleWord::Block => Idle::Block,
        IdleWord::Spin => Idle::Spin,
    });
    if let Some(suite) = &inputs.suite {
        follow_suite(args, suite, &mut plan)?;
    }
    plan.check().map_err(by_option)
}

/// Has sessions do what files describe.
fn follow_suite(args: &Load, suite: &Suite, plan: &mut Plan) -> Result<(), PlanError> {
    let request = &args.request;
    for (field, is_given) in [
        ("method", request.method.is_some()),
        ("body", request.body.is_some()),
        ("content-type", request.content_type.is_some()),
        ("follow", request.follow.is_some()),
        ("order", args.order.is_some()),
        ("think", args.think.is_some()),
        ("pipeline", args.connection.pipeline.is_some()),
        ("data", !args.data.is_empty()),
        ("check", !args.check.is_empty()),
        ("label", !args.label.is_empty()),
    ] {
        if is_given {
            return Err(wrong(field, "", "the Hurl files have it for each request; leave it out"));
        }
    }
    if let Schedule::Closed { users, ramp } = plan.schedule {
        if !ramp.is_zero() {
            let remedy =
                "sessions of Hurl files start all at once; use --rate for those that arrive one by one";
            return Err(wrong("ramp", "", remedy));
        }
        plan.schedule = Schedule::Turns { users };
    }
    plan.scenarios.clone_from(&suite.scenarios);
    plan.session.cookies = CookiePolicy::Jar;
    if suite.insecure {
        plan.tls.verify = Verify::Off;
    }
    if suite.http10 {
        plan.connections.version = HttpVersion::Http10;
    }
    Ok(())
}

fn seed(text: &str) -> Result<u64, PlanError> {
    text.parse().map_err(|_| wrong("seed", text, "use a whole number, such as 42"))
}

/// An error of a plan that was made from options, with the option in place of the field.
fn by_option(error: PlanError) -> PlanError {
    let field = match error.field.split_once('.') {
        Some(("requests", rest)) => rest.trim_start_matches(|letter: char| letter.is_ascii_digit()),
        _ => &error.field,
    };
    let option = match field {
        "load.requests" | "load.sessions" => "requests",
        "load.duration" => "duration",
        "load.warmup" => "warmup",
        "load.threads" => "threads",
        "load.driver" => "driver",
        "load.users" | "connections.limit" => "connections",
        "load.burst" => "burst",
        "connections.pipeline" | "session.burst" => "pipeline",
        "network.unix_socket" => "unix-socket",
        "tls.verify" => "cacert",
        "tls.client_certificate" => "cert",
        ".method" => "method",
        ".headers" => "header",
        ".body" => "body",
        ".path" => "url",
        _ => return error,
    };
    PlanError { field: option.to_owned(), ..error }
}

/// Part I of N, as `--shard` has it, counted from 1.
///
/// # Errors
/// When the text is not two numbers, the first of them 1 to the second.
pub fn shard(text: &str) -> Result<Shard, PlanError> {
    let parts =
        text.split_once('/').and_then(|(i, n)| Some((i.trim().parse().ok()?, n.trim().parse().ok()?)));
    parts
        .and_then(|(index, count): (u32, u32)| Shard::new(index.checked_sub(1)?, count))
        .ok_or_else(|| wrong("shard", text, "use a part and the number of parts, 1/5 to 5/5 for five"))
}

fn wrong(field: &str, value: &str, remedy: &str) -> PlanError {
    PlanError::new(field, value, remedy)
}

fn optional<T>(
    word: &Option<String>,
    read: impl Fn(&str) -> Result<T, PlanError>,
) -> Result<Option<T>, PlanError> {
    word.as_deref().map(read).transpose()
}

fn number(field: &str, text: &str) -> Result<u32, PlanError> {
    let number = parse_count(field, text)?;
    u32::try_from(number).map_err(|_| wrong(field, text, "use a number below 4,294,967,296"))
}

/// Has users follow links.
fn follow_links(
    args: &Load,
    pages: Vec<Vec<u32>>,
    think: Option<Think>,
    plan: &mut Plan,
) -> Result<(), PlanError> {
    let visit = match optional(&args.visit, |text| number("visit", text))? {
        Some(0) => return Err(wrong("visit", "0", "use 1 or more")),
        visit => visit.unwrap_or(VISIT_USUAL),
    };
    if args.order.is_some() {
        return Err(wrong("order", "", "with --clicks, links say which URL comes next"));
    }
    let order = Order::Links;
    plan.session.think = think.unwrap_or(Think::Exponential { mean: THINK_USUAL });
    if plan.is_open() {
        plan.session.work = Work::Draw { calls: Some(visit.into()), burst: 1, first_alone: false, order };
        plan.session.links = Some(Links { pages, visit: None });
    } else {
        plan.session.work = Work::Draw { calls: None, burst: 1, first_alone: false, order };
        plan.session.links = Some(Links { pages, visit: Some(visit) });
    }
    Ok(())
}

const VISIT_USUAL: u32 = 10;
const THINK_USUAL: Duration = Duration::from_secs(3);

fn requests(args: &Load, inputs: &Inputs, pages: Option<Vec<Request>>) -> Result<Vec<Request>, PlanError> {
    if pages.is_some() && (!args.url.is_empty() || inputs.urls.is_some()) {
        return Err(wrong("clicks", "", "it names the pages itself; leave out the URL and --urls"));
    }
    let mut requests = args.url.iter().map(|url| steps::request(url)).collect::<Result<Vec<_>, _>>()?;
    if let Some(suite) = &inputs.suite {
        if !requests.is_empty() || pages.is_some() || inputs.urls.is_some() {
            return Err(wrong("url", "", "Hurl files cannot be mixed with URLs; leave one of them out"));
        }
        requests.clone_from(&suite.requests);
    }
    requests.extend(pages.into_iter().flatten());
    if let Some(text) = &inputs.urls {
        requests.extend(parse_urls(text)?);
    }
    if requests.is_empty() {
        // A URL behind `-q`, which elsewhere means quiet, was taken for the rate.
        optional(&args.rate, |text| parse_rate("rate", text))?;
        return Err(wrong(
            "url",
            "",
            "none is given; use one such as http://127.0.0.1:8080/, or --urls FILE",
        ));
    }
    let (headers, body) = (headers(args)?, body(args)?);
    let auth = args.request.auth.as_deref().map(credentials).transpose()?;
    Shapes::change(&mut requests, |shape| {
        match &args.request.method {
            Some(method) => shape.method.clone_from(method),
            None if body != Body::None && shape.method == "GET" => shape.method = "POST".to_owned(),
            None => {}
        }
        shape.headers.extend(headers.iter().cloned());
        if body != Body::None {
            shape.body = body.clone();
        }
        if auth.is_some() {
            shape.basic_auth.clone_from(&auth);
        }
    });
    Ok(requests)
}

fn headers(args: &Load) -> Result<Vec<(String, String)>, PlanError> {
    let mut headers = Vec::new();
    for (name, field, value) in [
        ("Accept", "accept", &args.request.accept),
        ("Content-Type", "content-type", &args.request.content_type),
    ] {
        if let Some(value) = value {
            let header = parse_header(&format!("{name}: {value}"));
            headers.push(header.map_err(|error| wrong(field, value, &error.remedy))?);
        }
    }
    for line in &args.request.header {
        headers.push(parse_header(line)?);
    }
    Ok(headers)
}

fn body(args: &Load) -> Result<Body, PlanError> {
    let text = args.request.body.as_deref().unwrap_or_default();
    match text {
        "@" | "@-" => Err(wrong("body", text, "use the path of a file, such as @order.json")),
        // `<` is for lists of URLs; on a command line it is how XML begins.
        text if text.starts_with('<') => Ok(Body::Text(text.to_owned())),
        text => Ok(parse_body(text)),
    }
}

fn credentials(text: &str) -> Result<String, PlanError> {
    if text.contains(':') {
        Ok(text.to_owned())
    } else {
        Err(wrong("auth", text, "use a name and a password, such as ann:secret"))
    }
}

fn stop(args: &Load) -> Result<Stop, PlanError> {
    let calls = optional(&args.requests, |text| parse_count("requests", text))?;
    let duration = optional(&args.duration, |text| parse_duration("duration", text))?;
    let mut stop = match (calls, duration) {
        (None, None) => Stop::after(DURATION_USUAL),
        (calls, duration) => Stop { duration, calls, grace: Duration::ZERO },
    };
    if let Some(text) = &args.grace {
        stop.grace = parse_duration("grace", text)?;
    }
    Ok(stop)
}

const DURATION_USUAL: Duration = Duration::from_secs(10);

/// A limit on a time; zero means none.
fn limit(field: &str, word: &Option<String>, usual: Option<Duration>) -> Result<Option<Duration>, PlanError> {
    match word {
        None => Ok(usual),
        Some(text) => parse_duration(field, text).map(|time| Some(time).filter(|time| !time.is_zero())),
    }
}

fn timeouts(args: &ConnectionWords) -> Result<Timeouts, PlanError> {
    let usual = Timeouts::default();
    Ok(Timeouts {
        connect: limit("connect-timeout", &args.connect_timeout, usual.connect)?,
        call: limit("timeout", &args.timeout, usual.call)?,
        ..usual
    })
}

fn network(args: &ConnectionWords) -> Result<Network, PlanError> {
    let size = |field: &str, word: &Option<String>| {
        optional(word, |text| {
            let size = parse_size(field, text)?;
            u32::try_from(size).map_err(|_| wrong(field, text, "use less than 4g"))
        })
    };
    let address = |text: &String| {
        text.trim()
            .parse::<IpAddr>()
            .map_err(|_| wrong("bind", text, "use addresses of this machine, such as 127.0.0.2"))
    };
    if args.ipv4 && args.ipv6 {
        return Err(wrong("ipv6", "", "it cannot be used together with --ipv4; leave both out to use both"));
    }
    let mut network = Network {
        resolve: args.resolve.iter().map(|text| Resolve::parse(text)).collect::<Result<_, _>>()?,
        bind: args.bind.iter().map(address).collect::<Result<_, _>>()?,
        unix_socket: args.unix_socket.clone(),
        proxy: optional(&args.proxy, Proxy::parse)?,
        send_buffer: size("send-buffer", &args.send_buffer)?,
        receive_buffer: size("receive-buffer", &args.receive_buffer)?,
        close_with_reset: args.close_with_reset,
        ipv6: if args.ipv4 || args.ipv6 { Some(args.ipv6) } else { None },
        ..Network::default()
    };
    if args.nagle {
        network.nodelay = false;
    }
    Ok(network)
}

fn tls(args: &TlsWords) -> Result<Tls, PlanError> {
    let version = |field: &str, word: &Option<String>, usual| match word.as_deref() {
        None => Ok(usual),
        Some("1.2") => Ok(TlsVersion::V12),
        Some("1.3") => Ok(TlsVersion::V13),
        Some(other) => Err(wrong(field, other, "use 1.2 or 1.3")),
    };
    let usual = Tls::default();
    let (min, max) =
        (version("tls-min", &args.tls_min, usual.min)?, version("tls-max", &args.tls_max, usual.max)?);
    if min > max {
        return Err(wrong("tls-min", "1.3", "use at most --tls-max, 1.2"));
    }
    let client_certificate = match (&args.cert, &args.key) {
        (Some(cert), Some(key)) => Some((cert.clone(), key.clone())),
        (None, None) => None,
        (Some(cert), None) => {
            return Err(wrong("cert", &cert.to_string_lossy(), "give its key as well, with --key FILE"));
        }
        (None, Some(key)) => {
            return Err(wrong(
                "key",
                &key.to_string_lossy(),
                "give its certificate as well, with --cert FILE",
            ));
        }
    };
    let verify = match (&args.cacert, args.insecure) {
        (Some(_), true) => return Err(wrong("cacert", "", "it cannot be used together with --insecure")),
        (Some(file), false) => Verify::File(file.clone()),
        (None, true) => Verify::Off,
        (None, false) => Verify::System,
    };
    Ok(Tls {
        verify,
        client_certificate,
        min,
        max,
        ciphers: args.ciphers.clone(),
        resumption: if args.no_resumption { Resumption::Off } else { Resumption::Shared },
        server_name: args.server_name.clone(),
    })
}

/// Fills in what depends on the loop being open or closed: schedule, work and connections.
fn schedule(args: &Load, inputs: &Inputs, plan: &mut Plan) -> Result<(), PlanError> {
    let connections = optional(&args.connections, |text| number("connections", text))?;
    let pipeline = optional(&args.connection.pipeline, |text| number("pipeline", text))?;
    let order = match args.order {
        Some(OrderWord::Random) => Order::Random,
        Some(OrderWord::Sequential) | None => Order::Sequential,
    };
    plan.connections = Connections {
        version: version(&args.connection)?,
        keep_alive: !args.connection.disable_keepalive,
        ..Connections::default()
    };
    match arrivals(args, inputs)? {
        Some(arrivals) => {
            if pipeline.is_some_and(|depth| depth > 1) {
                return Err(wrong(
                    "pipeline",
                    "",
                    "it is for closed loops; leave it out, or leave out --rate",
                ));
            }
            let burst = optional(&args.burst, |text| number("burst", text))?.unwrap_or(1);
            plan.schedule = Schedule::Open { arrivals, burst };
            plan.session.work = Work::Draw { calls: Some(1), burst: 1, first_alone: false, order };
            plan.connections.limit = connections.unwrap_or(plan.connections.limit);
            if plan.session.think != Think::None {
                return Err(wrong(
                    "think",
                    "",
                    "it is for the users of a closed loop; leave it out, or leave out --rate",
                ));
            }
            // Steps and traces end by themselves.
            if args.duration.is_none() && arrivals_end(&plan.schedule) {
                plan.stop.duration = None;
            }
        }
        None => {
            if args.burst.is_some() {
                return Err(wrong(
                    "burst",
                    "",
                    "it is for open loops; give --rate as well, or use --pipeline N",
                ));
            }
            let users = connections.unwrap_or(USERS_USUAL);
            let depth = pipeline.unwrap_or(1);
            let ramp = optional(&args.ramp, |text| parse_duration("ramp", text))?.unwrap_or_default();
            plan.schedule = Schedule::Closed { users, ramp };
            plan.session.work = Work::Draw { calls: None, burst: depth, first_alone: false, order };
            plan.connections.limit = users;
            plan.connections.pipeline = depth;
            plan.connections.ownership = Ownership::Sticky;
        }
    }
    Ok(())
}

const USERS_USUAL: u32 = 50;

/// Whether the arrivals end by themselves.
fn arrivals_end(schedule: &Schedule) -> bool {
    matches!(schedule, Schedule::Open { arrivals, .. } if arrivals.ends_after().is_some())
}

/// The arrival process of an open loop, or none in a closed one.
fn arrivals(args: &Load, inputs: &Inputs) -> Result<Option<ArrivalProcess>, PlanError> {
    let rate = optional(&args.rate, |text| parse_rate("rate", text))?;
    let how = args.arrivals.as_deref();
    let ramp = args.ramp.as_deref().filter(|text| text.contains(':'));
    let alone = |field: &str, beside: &[(&str, bool)]| match beside.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((other, _)) => Err(wrong(field, "", &format!("it sets the rate itself; leave out --{other}"))),
    };
    let others = [("rate", rate.is_some()), ("arrivals", how.is_some()), ("ramp", args.ramp.is_some())];
    if let Some(text) = &args.steps {
        alone("steps", &others)?;
        return ArrivalProcess::parse_steps(text).map(Some);
    }
    if let Some(text) = ramp {
        alone("ramp", &others[..2])?;
        return ArrivalProcess::parse_ramp(text).map(Some);
    }
    if args.ramp.is_some() && (rate.is_some() || how.is_some()) {
        return Err(wrong(
            "ramp",
            "",
            "in an open loop, use two rates and a time, such as 100/s:2k/s:30s, instead of --rate",
        ));
    }
    match how {
        None => Ok(rate.map(|rate| ArrivalProcess::Constant { rate })),
        Some(how) => ArrivalWords::parse(how)?.process(rate, inputs.trace.as_deref()).map(Some),
    }
}

fn version(args: &ConnectionWords) -> Result<HttpVersion, PlanError> {
    match (args.http10, args.http1) {
        (true, true) => Err(wrong("http1.0", "", "it cannot be used together with --http1")),
        (true, false) => Ok(HttpVersion::Http10),
        (false, _) => Ok(HttpVersion::Http11),
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
