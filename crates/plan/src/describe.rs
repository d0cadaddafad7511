//! A plan in a few English sentences, for `warwolf explain` and the head of a report.

use crate::quantity::{print_duration, print_rate};
use crate::{
    ArrivalProcess, Body, CookiePolicy, Cursor, HoleValue, HttpVersion, Idle, ListEnd, OnClose, Order,
    Ownership, Plan, RandomData, Repeat, Request, Resumption, Schedule, SessionShape, Step, Take, Think,
    ThinkAt, Verify, Work,
};
use std::fmt::Write as _;

/// What `plan` will send, where, how and for how long: one sentence a line.
#[must_use]
pub fn describe(plan: &Plan) -> String {
    let mut lines = if plan.scenarios.is_empty() { vec![requests(plan)] } else { scenarios(plan) };
    lines.extend([schedule(plan), session(plan), connections(plan)]);
    lines.extend(network(plan));
    lines.extend(tls(plan));
    lines.push(limits(plan));
    lines.push(end(plan));
    lines.push(chance(plan));
    if !plan.slos.is_empty() {
        lines.push(format!("Passes if {}.", plan.slos.join(" and ")));
    }
    lines.join("\n") + "\n"
}

/// Requests named one by one; more are counted.
const NAMED_MAX: usize = 5;

fn requests(plan: &Plan) -> String {
    let mut text = match (plan.requests.len(), &plan.session.work) {
        (1, _) => "Sends ".to_owned(),
        (count, Work::Draw { .. }) if plan.session.parts > 1 => {
            format!("Sends {count} requests, each session those of one of {} parts: ", plan.session.parts)
        }
        (count, Work::Draw { order: Order::Sequential, .. }) => format!("Sends {count} requests in turn: "),
        (count, Work::Draw { order: Order::Random, .. }) => format!("Sends {count} requests at random: "),
        (count, Work::Draw { order: Order::PerSession, .. }) => {
            format!("Sends {count} requests in turn, each user from another one on: ")
        }
        (count, Work::Draw { order: Order::Shared(cursor), .. }) => match cursor {
            Cursor { end: ListEnd::Stop, .. } => format!("Sends {count} requests once: "),
            Cursor { advance, .. } if *advance < 1.0 => {
                let share = advance * 100.0;
                format!("Sends {count} requests in turn, going on to the next after {share} % of calls: ")
            }
            Cursor { .. } => format!("Sends {count} requests in turn over all sessions: "),
        },
        (count, Work::Draw { order: Order::Links, .. }) => format!("Follows links through {count} pages: "),
        (count, Work::Scripts { scripts }) => {
            format!("Follows {} over {count} requests: ", counted(scripts.len() as u64, "script"))
        }
    };
    let named: Vec<String> = plan.requests.iter().take(NAMED_MAX).map(request).collect();
    text += &named.join(", ");
    if plan.requests.len() > NAMED_MAX {
        let _ = write!(text, " and {} more", plan.requests.len() - NAMED_MAX);
    }
    text + "."
}

/// What sessions do, step by step: a sentence for each scenario, and one each for data and for the steps of the run.
fn scenarios(plan: &Plan) -> Vec<String> {
    let whole: f64 = plan.scenarios.iter().map(|scenario| scenario.weight).sum();
    let listed = |steps: &mut dyn Iterator<Item = &Step>| {
        steps.map(|each| step(plan, each)).collect::<Vec<_>>().join(", ")
    };
    let mut lines: Vec<String> = plan
        .scenarios
        .iter()
        .map(|scenario| {
            let who = match plan.scenarios.len() {
                1 => "Sends".to_owned(),
                _ => format!(
                    "{:.0} % of sessions are `{}` and send",
                    scenario.weight / whole * 100.0,
                    scenario.name
                ),
            };
            let again = times(scenario.repeat);
            format!("{who} {}{again}.", listed(&mut scenario.all_steps()))
        })
        .collect();
    for (when, steps) in [("Before the run, sends", &plan.setup), ("After the run, sends", &plan.teardown)] {
        if !steps.is_empty() {
            lines.push(format!("{when} {}.", listed(&mut steps.iter())));
        }
    }
    let data = plan.data.iter().map(|data| {
        let take = match data.take {
            Take::InOrder => "in order",
            Take::Random => "at random",
            Take::Shuffled => "shuffled",
            Take::Unique => "each once",
        };
        format!("`{}` from the rows of {}, {take}", data.name, data.file.display())
    });
    let data: Vec<String> = data.collect();
    if !data.is_empty() {
        lines.push(format!("Each session takes {}.", data.join(", ")));
    }
    lines
}

fn step(plan: &Plan, step: &Step) -> String {
    let first = plan.requests.get(step.request.0 as usize);
    let target = first.map(|request| format!("{} {}", request.method, request.url())).unwrap_or_default();
    let is_usual = first.is_some_and(|request| format!("{} {}", request.method, request.path) == step.name);
    let mut text = if is_usual { target } else { format!("`{}` ({target})", step.name) };
    if step.choices > 1 {
        let _ = write!(text, " or one of {} more", step.choices - 1);
    }
    text += &times(step.repeat);
    if let Some(again) = &step.again {
        let word = if again.until { "until" } else { "while" };
        let condition =
            again.condition.as_ref().map_or_else(|| "its checks hold".to_owned(), ToString::to_string);
        let _ = write!(text, " again {word} {condition}");
    }
    if let Some(when) = &step.when {
        let _ = write!(text, " if {when}");
    }
    if step.share < 1.0 {
        let _ = write!(text, " in {} % of sessions", (step.share * 1e6).round() / 1e4);
    }
    text
}

/// How often something is done, unless once.
fn times(repeat: Repeat) -> String {
    match repeat {
        Repeat::ONCE => String::new(),
        Repeat::Forever => " until the run ends".to_owned(),
        Repeat::Times { min, max } if min == max => format!(" {max} times"),
        Repeat::Times { min, max } => format!(" {min} to {max} times"),
    }
}

fn request(request: &Request) -> String {
    let body = match &request.body {
        Body::None => String::new(),
        Body::Text(text) => format!(" with {}", counted(text.len() as u64, "byte")),
        Body::Bytes(bytes) => format!(" with {}", counted(bytes.len() as u64, "byte")),
        Body::File(file) => format!(" with the content of {}", file.display()),
        Body::Random(data) => random(*data),
        Body::Form(fields) => format!(" with {} of a form", counted(fields.len() as u64, "field")),
        Body::Json(_) => " with JSON".to_owned(),
        Body::Multipart(parts) => format!(" with {} of a form", counted(parts.len() as u64, "part")),
    };
    let fields = match request.headers.len() as u64 {
        0 => String::new(),
        fields => format!(" and {}", counted(fields, "header field")),
    };
    let filled = request.holes.iter().map(|hole| match hole.value {
        HoleValue::Session => " with the number of its session".to_owned(),
        HoleValue::Random(data) => random(data),
        HoleValue::Path => String::new(),
    });
    let holes: String = filled.collect();
    format!("{} {}{holes}{body}{fields}", request.method, request.url())
}

fn random(data: RandomData) -> String {
    format!(" with up to {} of random data", counted(data.max, "byte"))
}

fn schedule(plan: &Plan) -> String {
    match &plan.schedule {
        Schedule::Closed { users, ramp } => {
            let over = if ramp.is_zero() {
                "all at once".to_owned()
            } else {
                format!("evenly over {}", print_duration(*ramp))
            };
            let (users, start) =
                (counted(u64::from(*users), "user"), if *users == 1 { "starts" } else { "start" });
            format!("Closed loop: {users} {start} {over}; each waits for a reply before going on.")
        }
        Schedule::Turns { users } => {
            format!(
                "In turns: {} at a time; the next starts when one has ended.",
                counted(u64::from(*users), "session")
            )
        }
        Schedule::Open { arrivals, burst } => {
            let groups = if *burst > 1 { format!(", in groups of {burst}") } else { String::new() };
            format!("Open loop: {}{groups}; nothing waits for the server.", process(arrivals))
        }
    }
}

fn process(arrivals: &ArrivalProcess) -> String {
    match arrivals {
        ArrivalProcess::Constant { rate } => format!("sessions start at {}, evenly", print_rate(*rate)),
        ArrivalProcess::Poisson { rate } => {
            format!("sessions start at {} on average, independently (Poisson)", print_rate(*rate))
        }
        ArrivalProcess::Uniform { min, max } => {
            format!("sessions start {} to {} apart", print_duration(*min), print_duration(*max))
        }
        ArrivalProcess::Ramp { from, to, over } => format!(
            "sessions start at {}, changing to {} over {}",
            print_rate(*from),
            print_rate(*to),
            print_duration(*over)
        ),
        ArrivalProcess::Steps { steps } => {
            let steps: Vec<String> = steps
                .iter()
                .map(|step| format!("{} for {}", print_rate(step.rate), print_duration(step.lasts)))
                .collect();
            format!("sessions start at {}", steps.join(", then "))
        }
        ArrivalProcess::Trace { at_ns } => {
            format!("{} at the times of a trace", counted(at_ns.len() as u64, "session start"))
        }
    }
}

/// Appends where and how long a session pauses.
fn add_think(shape: &SessionShape, text: &mut String) {
    match shape.think {
        Think::None => {}
        Think::Constant { time } => {
            let _ = write!(text, ", pauses {} between", print_duration(time));
        }
        Think::Uniform { min, max, granularity } => {
            let _ = write!(text, ", pauses {} to {}", print_duration(min), print_duration(max));
            if !granularity.is_zero() {
                let _ = write!(text, " in steps of {}", print_duration(granularity));
            }
            text.push_str(" between");
        }
        Think::Exponential { mean } => {
            let _ = write!(text, ", pauses {} on average between (exponential)", print_duration(mean));
        }
    }
    match shape.think_at {
        _ if shape.think == Think::None => {}
        ThinkAt::Between => {}
        ThinkAt::Before => text.push_str(" and before the first"),
        ThinkAt::After => text.push_str(" and after the last"),
    }
}

/// What a session does, as the beginning of a sentence.
fn work(plan: &Plan) -> String {
    if !plan.scenarios.is_empty() {
        return "Each session runs its steps".to_owned();
    }
    match &plan.session.work {
        Work::Draw { calls, burst, first_alone, .. } => {
            let calls = match calls {
                Some(calls) => format!("makes {}", counted(*calls, "call")),
                None => "makes calls until the run ends".to_owned(),
            };
            let bursts = match (*burst, *first_alone) {
                (1, _) => String::new(),
                (burst, false) => format!(", {burst} at a time"),
                (burst, true) => format!(", {burst} at a time, the first of them alone"),
            };
            format!("Each session {calls}{bursts}")
        }
        Work::Scripts { .. } => "Each session follows one script".to_owned(),
    }
}

fn session(plan: &Plan) -> String {
    let shape = &plan.session;
    let mut text = work(plan);
    add_think(shape, &mut text);
    match shape.cookies {
        CookiePolicy::Off => {}
        CookiePolicy::LastValue => text += ", keeps the last cookie it received",
        CookiePolicy::Jar => text += ", keeps its cookies",
    }
    if !shape.initial_cookies.is_empty() {
        let count = shape.initial_cookies.len() as u64;
        let _ = write!(text, " ({} from the start)", counted(count, "cookie"));
    }
    if let Some(calls) = shape.forget_cookies_after {
        let _ = write!(text, ", forgets them after every {}", counted(calls, "call"));
    }
    if shape.redirects.limit > 0 {
        let _ = write!(text, ", follows up to {}", counted(u64::from(shape.redirects.limit), "redirect"));
    }
    if shape.resources.is_some() {
        text.push_str(", fetches what pages are made of");
    }
    if shape.auth.is_some() {
        text += ", answers challenges";
    }
    if let Some(recovery) = &shape.recovery {
        let requests = counted(recovery.requests.len() as u64, "recovery request");
        let _ = write!(text, ", sends up to {requests} after status {}", recovery.status);
    }
    if shape.failure.on_error || !shape.failure.statuses.is_empty() {
        let mut causes: Vec<String> = shape.failure.statuses.iter().map(|s| format!("status {s}")).collect();
        if shape.failure.on_error {
            causes.push("a failed call".to_owned());
        }
        if shape.failure.retry && !shape.failure.statuses.is_empty() {
            let statuses = causes.drain(..shape.failure.statuses.len()).collect::<Vec<_>>().join(" or ");
            let _ = write!(text, ", makes a call again at {statuses}");
        }
        if !causes.is_empty() {
            let _ = write!(text, ", ends at {}", causes.join(" or "));
        }
    }
    text + "."
}

fn connections(plan: &Plan) -> String {
    let connections = &plan.connections;
    let version = match connections.version {
        HttpVersion::Http10 => "HTTP/1.0",
        HttpVersion::Http11 => "HTTP/1.1",
    };
    let reuse = match (connections.keep_alive, connections.ownership) {
        (false, Ownership::Dedicated(count)) => {
            format!("a new connection for every call, {count} at a time for each session")
        }
        (true, Ownership::Dedicated(count)) => {
            format!("{} for each session and closed with it", counted(count.into(), "connection"))
        }
        (false, _) => "a new connection for every call".to_owned(),
        (true, Ownership::Shared) => "connections kept and shared".to_owned(),
        (true, Ownership::Sticky) => "connections kept, each session its own".to_owned(),
    };
    let pipeline = match connections.pipeline {
        1 => String::new(),
        depth => format!(", {depth} calls in flight on each"),
    };
    let end = match connections.on_close {
        OnClose::Continue => "",
        OnClose::EndSession => "; a session ends with its connection",
    };
    format!("{version}, {reuse}{pipeline}, {} at the most{end}.", connections.limit)
}

fn network(plan: &Plan) -> Option<String> {
    let network = &plan.network;
    let mut parts = Vec::new();
    if let Some(path) = &network.unix_socket {
        parts.push(format!("through the Unix socket {}", path.display()));
    }
    if let Some(proxy) = &network.proxy {
        parts.push(format!("through the proxy {}", proxy.endpoint));
    }
    for resolve in &network.resolve {
        parts.push(format!("to {} for {}:{}", resolve.address, resolve.host, resolve.port));
    }
    if !network.bind.is_empty() {
        let from: Vec<String> = network.bind.iter().map(ToString::to_string).collect();
        parts.push(format!("from {} in turn", from.join(", ")));
    }
    match network.ipv6 {
        Some(true) => parts.push("over IPv6 only".to_owned()),
        Some(false) => parts.push("over IPv4 only".to_owned()),
        None => {}
    }
    if let Some(rate) = network.receive_rate {
        parts.push(format!("each taking {} a second at the most", counted(rate, "byte")));
    }
    if network.close_with_reset {
        parts.push("closed with a reset".to_owned());
    }
    (!parts.is_empty()).then(|| format!("Connects {}.", parts.join(", ")))
}

fn tls(plan: &Plan) -> Option<String> {
    plan.requests.iter().find(|request| request.endpoint.scheme == crate::Scheme::Https)?;
    let tls = &plan.tls;
    let verify = match &tls.verify {
        Verify::System => "certificates checked against the system's roots".to_owned(),
        Verify::File(file) => format!("certificates checked against {}", file.display()),
        Verify::Off => "certificates not checked".to_owned(),
    };
    let resumption = match tls.resumption {
        Resumption::Off => "a full handshake each time",
        Resumption::Shared => "sessions resumed",
        Resumption::Session => "sessions resumed by the user that began them",
    };
    let versions =
        if tls.min == tls.max { tls.min.to_string() } else { format!("{} to {}", tls.min, tls.max) };
    Some(format!("TLS {versions}, {verify}, {resumption}."))
}

fn limits(plan: &Plan) -> String {
    let limit = |name: &str, limit| match limit {
        Some(time) => format!("{name} after {}", print_duration(time)),
        None => format!("{name} never"),
    };
    let timeouts = &plan.timeouts;
    let mut text = limit("Gives up connecting", timeouts.connect);
    if timeouts.tls.is_some() {
        text = format!("{text}, {}", limit("a TLS handshake", timeouts.tls));
    }
    text = format!("{text}, {}", limit("a call", timeouts.call));
    for (name, time) in [
        ("sending", timeouts.send),
        ("a silent server, or a slow one,", timeouts.reply),
        ("silence of any kind", timeouts.idle),
    ] {
        if time.is_some() {
            text = format!("{text}, {}", limit(name, time));
        }
    }
    text + "."
}

fn end(plan: &Plan) -> String {
    let mut when = Vec::new();
    if let Some(duration) = plan.stop.duration {
        when.push(format!("after {}", print_duration(duration)));
    }
    if let Some(calls) = plan.stop.calls {
        when.push(format!(
            "after {}",
            counted(calls, if matches!(plan.schedule, Schedule::Closed { .. }) { "call" } else { "session" })
        ));
    }
    if let Schedule::Open { arrivals, .. } = &plan.schedule
        && let Some(duration) = arrivals.ends_after()
    {
        when.push(format!("after the last arrival, at {} at the latest", print_duration(duration)));
    }
    let mut text = match when.len() {
        0 => "Ends when it is interrupted".to_owned(),
        1 => format!("Ends {}", when[0]),
        _ => format!("Ends {}, whichever comes first", when.join(" or ")),
    };
    if !plan.stop.grace.is_zero() {
        let _ = write!(text, ", leaving calls in flight {} to finish", print_duration(plan.stop.grace));
    }
    if !plan.warmup.is_zero() {
        let _ =
            write!(text, "; the first {} are warm-up and not in the figures", print_duration(plan.warmup));
    }
    text + "."
}

fn chance(plan: &Plan) -> String {
    let threads = match plan.threads {
        Some(threads) => counted(u64::from(threads), "thread"),
        None => "As many threads as suit the machine".to_owned(),
    };
    let idle = match plan.idle {
        Idle::Block => "",
        Idle::Spin => ", polling without sleep",
    };
    format!("Seed {}. {threads}{idle}.", plan.seed)
}

/// `1 call`, `2 calls`.
fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RateStep, Stop, text};
    use std::time::Duration;

    #[test]
    fn steps_are_told_in_order() {
        let plan = text::parse(include_str!("file/shop.toml")).unwrap();
        assert!(
            describe(&plan).starts_with(
                "Sends `login` (POST https://shop.test/login), `browse` (GET https://shop.test/item/{{int:1,100000}}) 1 to 5 \
                 times, `buy` (POST https://shop.test/cart) if {{token}} exists in 30 % of sessions.\nEach session takes \
                 `user` from the rows of users.csv, each once.\nOpen loop: sessions start at 50/s, evenly;"
            ),
            "{}",
            describe(&plan)
        );
    }

    fn plan(urls: &[&str]) -> Plan {
        Plan::new(urls.iter().map(|url| Request::get(url).unwrap()).collect())
    }

    #[test]
    fn what_a_bare_url_means() {
        assert_eq!(
            describe(&plan(&["a.test"])),
            "Sends GET http://a.test/.\n\
             Closed loop: 50 users start all at once; each waits for a reply before going on.\n\
             Each session makes calls until the run ends.\n\
             HTTP/1.1, connections kept and shared, 10000 at the most.\n\
             Gives up connecting after 10s, a call after 30s.\n\
             Ends after 10s.\n\
             Seed 0. As many threads as suit the machine.\n"
        );
    }

    #[test]
    fn a_plan_with_everything() {
        let mut plan = plan(&["https://a.test/", "a.test/2", "a.test/3", "a.test/4", "a.test/5", "a.test/6"]);
        plan.requests[0].body = Body::Text("x=1".into());
        plan.requests[0].method = "POST".into();
        plan.requests[0].headers = vec![("A".into(), "b".into())];
        let steps = [(100.0, 10), (0.0, 5)]
            .map(|(rate, seconds)| RateStep { rate, lasts: Duration::from_secs(seconds) })
            .to_vec();
        plan.schedule = Schedule::Open { arrivals: ArrivalProcess::Steps { steps }, burst: 3 };
        plan.session.work = Work::Draw { calls: Some(4), burst: 2, first_alone: false, order: Order::Random };
        plan.session.think = Think::Exponential { mean: Duration::from_millis(500) };
        plan.session.cookies = CookiePolicy::Jar;
        plan.session.initial_cookies = vec![crate::InitialCookie {
            session: 0,
            name: "a".into(),
            value: "b".into(),
            domain: "a.test".into(),
            path: "/".into(),
            secure: false,
        }];
        plan.session.recovery =
            Some(crate::Recovery { status: 403, requests: vec![Request::get("a.test/in").unwrap()] });
        plan.session.redirects.limit = 1;
        plan.session.failure.statuses = vec![503];
        plan.session.failure.on_error = true;
        plan.connections.pipeline = 4;
        plan.connections.ownership = Ownership::Sticky;
        plan.network.bind = vec!["127.0.0.2".parse().unwrap()];
        plan.network.proxy = Some(crate::Proxy::parse("proxy.test:3128").unwrap());
        plan.timeouts.call = None;
        plan.timeouts.tls = Some(Duration::from_secs(300));
        plan.stop =
            Stop { duration: Some(Duration::from_secs(60)), calls: None, grace: Duration::from_secs(1) };
        plan.warmup = Duration::from_secs(2);
        plan.threads = Some(2);
        plan.idle = Idle::Spin;
        plan.slos = vec!["p99<200ms".into(), "errors<0.1%".into()];
        assert_eq!(
            describe(&plan),
            "Sends 6 requests at random: POST https://a.test/ with 3 bytes and 1 header field, GET http://a.test/2, \
             GET http://a.test/3, GET http://a.test/4, GET http://a.test/5 and 1 more.\n\
             Open loop: sessions start at 100/s for 10s, then 0/s for 5s, in groups of 3; nothing waits for the server.\n\
             Each session makes 4 calls, 2 at a time, pauses 500ms on average between (exponential), keeps its cookies \
             (1 cookie from the start), follows up to 1 redirect, sends up to 1 recovery request after status 403, ends at status 503 or a failed call.\n\
             HTTP/1.1, connections kept, each session its own, 4 calls in flight on each, 10000 at the most.\n\
             Connects through the proxy http://proxy.test:3128, from 127.0.0.2 in turn.\n\
             TLS 1.2 to 1.3, certificates checked against the system's roots, sessions resumed.\n\
             Gives up connecting after 10s, a TLS handshake after 300s, a call never.\n\
             Ends after 60s or after the last arrival, at 15s at the latest, whichever comes first, leaving calls in \
             flight 1s to finish; the first 2s are warm-up and not in the figures.\n\
             Seed 0. 2 threads, polling without sleep.\n\
             Passes if p99<200ms and errors<0.1%.\n"
        );
        assert_eq!(text::parse(&text::to_toml(&plan)).map(Plan::from), Ok(plan));
    }
}
