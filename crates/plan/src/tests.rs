use crate::quantity::*;
use crate::*;
use std::time::Duration;

#[test]
fn durations_read_back_as_printed() {
    for nanos in [0, 1, 999, 1_000, 1_500_000, 250_000_000, 1_000_000_000, 90_000_000_000, 3_600_000_000_001]
    {
        let duration = Duration::from_nanos(nanos);
        assert_eq!(parse_duration("x", &print_duration(duration)), Ok(duration), "{nanos}");
    }
    for (text, nanos) in [
        ("10", 10_000_000_000),
        ("1.5m", 90_000_000_000),
        ("250ms", 250_000_000),
        ("2e-3", 2_000_000),
        ("7 us", 7_000),
    ] {
        assert_eq!(parse_duration("x", text).unwrap().as_nanos(), nanos, "{text}");
    }
    for text in ["", "s", "-1s", "1x", "1e99h", "nan"] {
        assert!(parse_duration("x", text).is_err(), "{text}");
    }
}

#[test]
fn rates_sizes_and_counts() {
    assert_eq!(parse_rate("rate", "500/s"), Ok(500.0));
    assert_eq!(parse_rate("rate", "10/ms"), Ok(10_000.0));
    assert_eq!(parse_rate("rate", "30/m"), Ok(0.5));
    assert_eq!(parse_rate("rate", "20k"), Ok(20_000.0));
    let error = parse_rate("rate", "500/day").unwrap_err().to_string();
    assert_eq!(error, "rate: `500/day`: use a positive rate, such as 500/s, 10/ms or 30/m");
    assert!(parse_rate("rate", "0").is_err());
    assert_eq!(parse_count("requests", "10k"), Ok(10_000));
    assert_eq!(parse_count("requests", "1.5m"), Ok(1_500_000));
    assert!(parse_count("requests", "1.5").is_err());
    assert_eq!(parse_size("size", "64KiB"), Ok(65_536));
    assert_eq!(parse_size("size", "512b"), Ok(512));
}

#[test]
fn urls_become_requests() {
    let request = Request::get("https://user:pw@[::1]:8443/a b?q=1").unwrap();
    assert_eq!(request.endpoint, Endpoint { scheme: Scheme::Https, host: "::1".into(), port: 8443 });
    assert_eq!(&*request.path, "/a%20b?q=1");
    assert_eq!(request.basic_auth.as_deref(), Some("user:pw"));
    assert_eq!(request.url(), "https://[::1]:8443/a%20b?q=1");
    assert_eq!(Request::get("localhost:81").unwrap().url(), "http://localhost:81/");
    assert_eq!(Request::get("http:/a.test/").unwrap().url(), "http://a.test/");
    let next = Request::get("a.test:81/?next=http://b.test/").unwrap();
    assert_eq!(next.url(), "http://a.test:81/?next=http://b.test/");
    for wrong in ["", "ftp://x/", "http://", "http://x:0/", "http://x:99999/"] {
        assert!(Request::get(wrong).is_err(), "{wrong}");
    }
}

fn plans() -> Vec<Plan> {
    let plan = Plan::new(vec![Request::get("http://a.test/").unwrap()]);
    let open = |arrivals| Plan { schedule: Schedule::Open { arrivals, burst: 1 }, ..plan.clone() };
    let mut rich = plan.clone();
    rich.requests[0].body = Body::Text("x=1\ny=\"2\"".into());
    rich.requests[0].headers = vec![("A".into(), "b, c".into())];
    rich.tls.client_certificate = Some(("c.pem".into(), "k.pem".into()));
    rich.network.bind = vec!["127.0.0.2".parse().unwrap()];
    rich.timeouts =
        Timeouts { connect: None, call: None, idle: Some(Duration::from_secs(60)), ..Timeouts::default() };
    let (min, max) = (Duration::from_millis(1), Duration::from_millis(2));
    rich.session.think = Think::Uniform { min, max, granularity: Duration::ZERO };
    let mut scripted = plan.clone();
    scripted.session.work = Work::Scripts {
        scripts: vec![Script {
            bursts: vec![Burst {
                first: RequestId(0),
                then: vec![RequestId(0)],
                think: Duration::from_millis(3),
            }],
        }],
    };
    vec![
        plan.clone(),
        rich,
        scripted,
        open(ArrivalProcess::Poisson { rate: 0.1 + 0.2 }),
        open(ArrivalProcess::Steps { steps: vec![RateStep { rate: 5.0, lasts: Duration::from_secs(1) }] }),
        open(ArrivalProcess::Trace { at_ns: vec![1, 2, 2] }),
        open(ArrivalProcess::Uniform { min: Duration::ZERO, max: Duration::from_millis(5) }),
    ]
}

#[test]
fn a_plan_reads_back_as_printed() {
    for plan in plans() {
        let toml = text::to_toml(&plan);
        assert_eq!(text::parse(&toml).map(Plan::from).as_ref(), Ok(&plan), "{toml}");
        assert_eq!(text::parse(&text::to_json(&plan)).map(Plan::from), Ok(plan));
    }
}

#[test]
fn unknown_keys_are_refused() {
    let toml = format!("colour = 1\n{}", text::to_toml(&plans()[0]));
    assert!(text::parse(&toml).unwrap_err().to_string().contains("colour"));
}

#[test]
fn what_is_wrong_is_named() {
    let base = &plans()[0];
    let tls = |limit| Timeouts { tls: Some(limit), ..Timeouts::default() };
    assert_eq!(Plan { timeouts: tls(Duration::from_nanos(1)), ..base.clone() }.check().map(|_| ()), Ok(()));
    let cases: [(Plan, &str); 6] = [
        (Plan { timeouts: tls(Duration::ZERO), ..base.clone() }, "timeouts.tls"),
        (Plan { requests: vec![], ..base.clone() }, "requests"),
        (Plan { threads: Some(0), ..base.clone() }, "load.threads"),
        (Plan { warmup: Duration::from_secs(10), ..base.clone() }, "load.warmup"),
        (
            Plan { schedule: Schedule::Closed { users: 0, ramp: Duration::ZERO }, ..base.clone() },
            "load.users",
        ),
        (Plan { stop: Stop::after_calls(0), ..base.clone() }, "load.requests"),
    ];
    for (plan, field) in cases {
        assert_eq!(plan.check().unwrap_err().field, field);
    }
}

#[test]
fn what_needs_dedicated_connections_is_refused_without() {
    let field = |ownership, change: &dyn Fn(&mut Plan)| {
        let mut plan = plans()[0].clone();
        plan.connections.ownership = ownership;
        change(&mut plan);
        plan.check().map(|_| ()).map_err(|error| error.field)
    };
    let (dedicated, shared) = (Ownership::Dedicated(1), Ownership::Shared);
    let resumes = |plan: &mut Plan| plan.tls.resumption = Resumption::Session;
    assert_eq!(field(dedicated, &resumes), Ok(()));
    assert_eq!(field(shared, &resumes), Err("tls.resumption".into()));
    let ends = |reconnect| {
        move |plan: &mut Plan| {
            plan.connections.reconnect = reconnect;
            plan.connections.on_close = OnClose::EndSession;
        }
    };
    assert_eq!(field(dedicated, &ends(Reconnect::Never)), Ok(()));
    assert_eq!(field(shared, &ends(Reconnect::Never)), Err("connections.on_close".into()));
    assert_eq!(field(dedicated, &ends(Reconnect::Always)), Err("connections.on_close".into()));
}

#[test]
fn initial_cookies_can_be_sent() {
    let good = InitialCookie {
        session: 3,
        name: "a".into(),
        value: "b c".into(),
        domain: "a.test".into(),
        path: "/".into(),
        secure: true,
    };
    let with = |cookie: InitialCookie, cookies| {
        let mut plan = plans()[0].clone();
        (plan.session.initial_cookies, plan.session.cookies) = (vec![cookie], cookies);
        plan.check().map(|_| ()).map_err(|error| error.field)
    };
    assert_eq!(with(good.clone(), CookiePolicy::Jar), Ok(()));
    for policy in [CookiePolicy::Off, CookiePolicy::LastValue] {
        assert_eq!(with(good.clone(), policy), Err("session.initial_cookies".into()));
    }
    let rows = [
        (InitialCookie { name: String::new(), ..good.clone() }, "name"),
        (InitialCookie { name: "a=b".into(), ..good.clone() }, "name"),
        (InitialCookie { value: "b; c=d".into(), ..good.clone() }, "value"),
        (InitialCookie { value: "b\r\nX: 1".into(), ..good.clone() }, "value"),
        (InitialCookie { domain: ".a.test".into(), ..good.clone() }, "domain"),
        (InitialCookie { path: "x".into(), ..good }, "path"),
    ];
    for (cookie, field) in rows {
        assert_eq!(
            with(cookie, CookiePolicy::Jar),
            Err(format!("session.initial_cookies.{field}")),
            "{field}"
        );
    }
}

#[test]
fn what_cannot_be_sent_or_written_down_is_refused() {
    use std::os::unix::ffi::OsStringExt as _;
    let file = || std::path::PathBuf::from(std::ffi::OsString::from_vec(vec![b'a', 0xff]));
    let changed = |change: &dyn Fn(&mut Plan)| {
        let mut plan = plans()[0].clone();
        change(&mut plan);
        plan.check().map(|_| ()).map_err(|error| error.field)
    };
    let open = |arrivals: ArrivalProcess| {
        changed(&move |plan| plan.schedule = Schedule::Open { arrivals: arrivals.clone(), burst: 1 })
    };
    let second = Duration::from_secs(1);
    let step = |rate, lasts| ArrivalProcess::Steps { steps: vec![RateStep { rate, lasts }] };
    let cases = [
        (
            changed(&|plan| plan.requests[0].headers = vec![("A".into(), "b\r\nC: d".into())]),
            "requests.0.headers",
        ),
        (changed(&|plan| plan.requests[0].headers = vec![("A b".into(), "c".into())]), "requests.0.headers"),
        (changed(&|plan| plan.requests[0].method = "GET /".into()), "requests.0.method"),
        (changed(&|plan| plan.requests[0].path = "/a b".into()), "requests.0.path"),
        (changed(&|plan| plan.requests[0].body = Body::File(file())), "requests.0.body"),
        (changed(&|plan| plan.tls.verify = Verify::File(file())), "tls.verify"),
        (changed(&|plan| plan.tls.client_certificate = Some((file(), file()))), "tls.client_certificate"),
        (changed(&|plan| (plan.tls.min, plan.tls.max) = (TlsVersion::V13, TlsVersion::V12)), "tls.min"),
        (changed(&|plan| plan.network.unix_socket = Some(file())), "network.unix_socket"),
        (open(ArrivalProcess::Ramp { from: -1.0, to: 5.0, over: second }), "load.ramp"),
        (open(ArrivalProcess::Ramp { from: 0.0, to: 0.0, over: second }), "load.ramp"),
        (open(ArrivalProcess::Ramp { from: 1.0, to: f64::NAN, over: second }), "load.ramp"),
        (open(step(f64::INFINITY, second)), "load.steps"),
        (open(step(-1.0, second)), "load.steps"),
        (open(step(1.0, Duration::ZERO)), "load.steps"),
        (open(ArrivalProcess::Constant { rate: f64::NAN }), "load.rate"),
        (open(ArrivalProcess::Trace { at_ns: vec![] }), "load.trace"),
        (open(ArrivalProcess::Trace { at_ns: vec![2, 1] }), "load.trace"),
    ];
    for (index, (result, field)) in cases.into_iter().enumerate() {
        assert_eq!(result, Err(field.to_owned()), "case {index}");
    }
}

#[test]
fn names_and_passwords_in_a_url_are_decoded() {
    let request = Request::get("http://me%40home:p%3Aw%C3%A9@a.test/").unwrap();
    assert_eq!(request.basic_auth.as_deref(), Some("me@home:p:wé"));
}

#[test]
fn durations_are_exact_for_their_whole_range() {
    for (text, nanos) in [
        ("123456789.123456789", 123_456_789_123_456_789),
        ("18446744073.709551615s", u64::MAX),
        ("18446744073709551615ns", u64::MAX),
        ("0.5ns", 1),
        ("1.", 1_000_000_000),
        ("1.0000000000000000000000001", 1_000_000_000),
    ] {
        assert_eq!(parse_duration("x", text), Ok(Duration::from_nanos(nanos)), "{text}");
    }
    assert!(parse_duration("x", "18446744073709551616ns").is_err());
}

#[test]
fn shards_of_shards_cover_everything_once() {
    for (machines, threads) in [(1, 1), (1, 3), (2, 2), (5, 4)] {
        for number in 0..200 {
            let owners = (0..machines)
                .flat_map(|m| {
                    (0..threads).map(move |t| Shard::new(m, machines).unwrap().split(t, threads).unwrap())
                })
                .filter(|shard| shard.owns(number))
                .count();
            assert_eq!(owners, 1, "{machines} {threads} {number}");
        }
    }
}

#[test]
fn random_data_needs_a_request_that_is_given_as_it_is_sent() {
    let mut request = Request::get("http://a.test/").unwrap();
    let data = RandomData { max: 10, escaped: true };
    let hole = |at, max| Hole { at, value: HoleValue::Random(RandomData { max, ..data }) };
    request.holes = vec![hole(5, 10)];
    let field = |request: &Request| Plan::new(vec![request.clone()]).check().err().map(|error| error.field);
    assert_eq!(field(&request).as_deref(), Some("requests.0.holes"));
    request.head = Some("GET / HTTP/1.0\r\n".to_owned());
    assert_eq!(field(&request), None);
    for max in [0, RandomData::LONGEST + 1] {
        request.holes = vec![hole(5, max)];
        assert_eq!(field(&request).as_deref(), Some("requests.0.holes.value.random.max"));
        request.holes.clear();
        request.body = Body::Random(RandomData { max, ..data });
        assert_eq!(field(&request).as_deref(), Some("requests.0.body.random.max"));
        request.body = Body::None;
    }
    for holes in [vec![hole(17, 10)], vec![hole(5, 10), hole(4, 10)]] {
        request.holes = holes;
        assert_eq!(field(&request).as_deref(), Some("requests.0.holes"));
    }
    request.holes = vec![hole(4, 10), hole(5, 10)];
    request.body = Body::Random(data);
    assert_eq!(field(&request), None);
    request.body = Body::Text("x".into());
    assert_eq!(field(&request).as_deref(), Some("requests.0.holes"), "a body of a fixed length");
}

#[test]
fn a_proxy_is_spoken_to_without_tls() {
    let mut plan = Plan::new(vec![Request::get("http://a.test/").unwrap()]);
    plan.network.proxy = Some(Proxy { endpoint: plan.requests[0].endpoint.clone(), basic_auth: None });
    plan.clone().check().unwrap();
    plan.network.proxy.as_mut().unwrap().endpoint.scheme = Scheme::Https;
    assert_eq!(plan.check().unwrap_err().field, "network.proxy.endpoint");
}

#[test]
fn a_receive_rate_needs_a_driver_that_can_let_a_connection_wait() {
    let mut plan = Plan::new(vec![Request::get("http://a.test/").unwrap()]);
    plan.network.receive_rate = Some(3_360);
    plan.clone().check().unwrap();
    plan.driver = DriverChoice::Uring;
    assert!(plan.clone().check().is_err());
    plan.driver = DriverChoice::Epoll;
    plan.network.receive_rate = Some(0);
    assert!(plan.check().is_err());
}

#[test]
fn a_path_is_checked_in_each_request_that_shares_the_rest() {
    let first = Request::get("http://a.test/").unwrap();
    let refused = |second: Request| {
        let error = Plan::new(vec![first.clone(), second]).check().unwrap_err();
        error.field
    };
    assert_eq!(refused(first.beside("/a b")), "requests.1.path");
    let mut raw = first.beside("/");
    raw.head = Some("GET  HTTP/1.0\r\n".to_owned());
    raw.holes = vec![Hole { at: 4, value: HoleValue::Path }];
    let plan = |path: &str| Plan::new(vec![raw.clone(), raw.beside(path)]).check();
    assert!(plan("/a b\u{e9}").is_ok());
    assert_eq!(plan("/\u{20ac}").unwrap_err().field, "requests.1.path");
}

#[test]
fn slos_of_steps_have_their_names() {
    let mut plan = Plan::new(vec![Request::get("http://a.test/").unwrap()]);
    plan.slos = vec!["errors<1%".into()];
    let step = |name: &str, slo: &str| Step { slos: vec![slo.into()], ..Step::new(name, RequestId(0)) };
    plan.scenarios = vec![
        Scenario::new("buyer", vec![step("login", "p99<300ms"), step("buy", "p50<1s")]),
        Scenario::new("visitor", vec![step("login", "p99<300ms")]),
    ];
    assert_eq!(
        plan.all_slos(),
        ["errors<1%", "buyer: login: p99<300ms", "buyer: buy: p50<1s", "visitor: login: p99<300ms"]
    );
    plan.scenarios.truncate(1);
    assert_eq!(plan.all_slos(), ["errors<1%", "login: p99<300ms", "buy: p50<1s"]);
}
