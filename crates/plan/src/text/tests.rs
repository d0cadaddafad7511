use super::*;
use crate::quantity::{parse_count, parse_duration, parse_rate, parse_size, print_duration, print_rate};
use crate::*;
use proptest::prelude::*;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

fn duration() -> impl Strategy<Value = Duration> {
    prop_oneof![
        (0..10_000_000_000_u64).prop_map(Duration::from_nanos),
        (0..100_000_u64).prop_map(Duration::from_secs),
        (0..100_000_u64).prop_map(Duration::from_micros),
    ]
}

fn some_duration() -> impl Strategy<Value = Duration> {
    duration().prop_map(|duration| duration + Duration::from_nanos(1))
}

fn rate() -> impl Strategy<Value = f64> {
    prop_oneof![(1..1_000_000_u32).prop_map(f64::from), 1e-6..1e9_f64]
}

/// Any text, so that quoting is tried hard.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::collection::vec(any::<char>(), 0..20).prop_map(String::from_iter),
        Just("'''\"\"\"\\\n".to_owned())
    ]
}

fn path() -> impl Strategy<Value = PathBuf> {
    any_text().prop_map(PathBuf::from)
}

#[test]
fn only_requests_need_to_be_written() {
    let short = "requests = [\"http://a.test/\"]\n";
    let expected = Plan::new(vec![Request::get("http://a.test/").unwrap()]);
    assert_eq!(parse(short).map(Plan::from), Ok(expected.clone()));

    let open = format!("{short}[load]\nrate = \"30/m\"\nrequests = 5\n[connections]\npipeline = 2\n");
    let plan = Plan::from(parse(&open).unwrap());
    assert_eq!(plan.stop, Stop::after_calls(5));
    let arrivals = ArrivalProcess::Constant { rate: 0.5 };
    assert_eq!(plan.schedule, Schedule::Open { arrivals, burst: 1 });
    assert!(matches!(plan.session.work, Work::Draw { calls: Some(1), .. }));
    assert_eq!(plan.connections, Connections { pipeline: 2, ..Connections::default() });
    let error = parse("seed = 1\n").unwrap_err().to_string();
    assert_eq!(error, "requests: `none`: give at least one URL, such as http://127.0.0.1:8080/");
}

#[test]
fn long_lists_are_written_as_json_and_share_their_shapes() {
    let plan = |count: usize| {
        let urls: String = (0..count).map(|number| format!("http://a.test/{number}\n")).collect();
        Plan::new(words::parse_urls(&urls).unwrap())
    };
    let (short, long) = (plan(TABLES_MAX), plan(TABLES_MAX + 1));
    assert!(to_text(&short).contains("requests = [\n    \"GET http://a.test/0\",\n    \"GET /1\",\n"));
    let back = Plan::from(parse(&to_text(&long)).unwrap());
    assert!(to_text(&long).starts_with('{') && back == long);
    for plan in [&short, &long, &back] {
        let first = plan.requests[0].shape();
        assert!(plan.requests.iter().all(|request| Arc::ptr_eq(request.shape(), first)));
    }
}

#[test]
fn a_shape_that_changes_is_changed_for_one_request_or_for_all() {
    let mut requests = words::parse_urls("http://a.test/1\nhttp://a.test/2\nhttp://b.test/1").unwrap();
    Shapes::change(&mut requests, |shape| shape.method = "PUT".to_owned());
    assert!(requests.iter().all(|request| request.method == "PUT"));
    assert!(Arc::ptr_eq(requests[0].shape(), requests[1].shape()));
    requests[0].body = Body::Text("x".to_owned());
    assert_eq!((&requests[1].body, requests[0].method.as_str()), (&Body::None, "PUT"));
}

fn endpoint() -> impl Strategy<Value = Endpoint> {
    let host = prop_oneof![Just("a.test"), Just("::1"), Just("127.0.0.1")].prop_map(str::to_owned);
    let scheme = prop_oneof![Just(Scheme::Http), Just(Scheme::Https)];
    (scheme, host, 1..u16::MAX).prop_map(|(scheme, host, port)| Endpoint { scheme, host, port })
}

fn request() -> impl Strategy<Value = Request> {
    let body = prop_oneof![
        Just(Body::None),
        any_text().prop_map(Body::Text),
        path().prop_map(Body::File),
        prop::collection::vec(any::<u8>(), 0..9).prop_map(Body::Bytes),
    ];
    let head = prop::option::of(prop::collection::vec(0..0x100_u32, 0..9))
        .prop_map(|head| head.map(|bytes| bytes.into_iter().filter_map(char::from_u32).collect::<String>()));
    let value = any_text().prop_map(|text| text.replace(|c: char| c.is_control(), " "));
    let headers = prop::collection::vec((Just("X-Field".to_owned()), value), 0..4);
    (
        endpoint(),
        Just("/a?b=c".to_owned()),
        Just("POST".to_owned()),
        headers,
        body,
        prop::option::of(any_text()),
        (head, prop::option::of(random()), prop::collection::vec(hole(), 0..3)),
    )
        .prop_map(|(endpoint, path, method, headers, body, basic_auth, (head, random, holes))| {
            // Data goes into a request that is given as it is sent.
            let body = random.filter(|_| head.is_some()).map_or(body, Body::Random);
            let is_open = head.is_some() && matches!(body, Body::None | Body::Random(_));
            let holes = if is_open { holes } else { Vec::new() };
            let shape = RequestShape::get(endpoint);
            Request::new(path, RequestShape { method, headers, basic_auth, head, body, holes, ..shape })
        })
}

fn random() -> impl Strategy<Value = RandomData> {
    (1..=RandomData::LONGEST, any::<bool>()).prop_map(|(max, escaped)| RandomData { max, escaped })
}

/// At the beginning, which every head has.
fn hole() -> impl Strategy<Value = Hole> {
    let value =
        prop_oneof![Just(HoleValue::Session), Just(HoleValue::Path), random().prop_map(HoleValue::Random)];
    value.prop_map(|value| Hole { at: 0, value })
}

fn arrivals() -> impl Strategy<Value = ArrivalProcess> {
    prop_oneof![
        rate().prop_map(|rate| ArrivalProcess::Constant { rate }),
        rate().prop_map(|rate| ArrivalProcess::Poisson { rate }),
        (duration(), some_duration())
            .prop_map(|(min, span)| ArrivalProcess::Uniform { min, max: min + span }),
        (rate(), rate(), duration()).prop_map(|(from, to, over)| ArrivalProcess::Ramp { from, to, over }),
        prop::collection::vec(
            (rate(), some_duration()).prop_map(|(rate, lasts)| RateStep { rate, lasts }),
            1..4
        )
        .prop_map(|steps| ArrivalProcess::Steps { steps }),
        prop::collection::vec(0..u64::MAX / 2, 1..9).prop_map(|mut at_ns| {
            at_ns.sort_unstable();
            ArrivalProcess::Trace { at_ns }
        }),
    ]
}

fn schedule() -> impl Strategy<Value = Schedule> {
    prop_oneof![
        (1..u32::MAX, duration()).prop_map(|(users, ramp)| Schedule::Closed { users, ramp }),
        (1..u32::MAX).prop_map(|users| Schedule::Turns { users }),
        (arrivals(), 1..u32::MAX).prop_map(|(arrivals, burst)| Schedule::Open { arrivals, burst }),
    ]
}

fn cursor() -> impl Strategy<Value = Cursor> {
    let end = prop_oneof![Just(ListEnd::Wrap), Just(ListEnd::Stop)];
    (any::<u32>(), any::<u32>(), 0.0..=1.0, 0.0..1.0, end)
        .prop_map(|(first, step, advance, phase, end)| Cursor { first, step, advance, phase, end })
}

fn redirects() -> impl Strategy<Value = RedirectPolicy> {
    (any::<u32>(), prop::collection::vec(any::<u16>(), 0..3), any::<bool>())
        .prop_map(|(limit, statuses, with_get)| RedirectPolicy { limit, statuses, with_get })
}

fn resources() -> impl Strategy<Value = Resources> {
    let kind = prop_oneof![Just(ResourceKind::Image), Just(ResourceKind::Style), Just(ResourceKind::Frame)];
    let kinds = prop_oneof![Just(Resources::up_to(1).kinds), prop::collection::vec(kind, 1..3)];
    let order = prop_oneof![Just(ResourceOrder::Document), Just(ResourceOrder::LastFirst)];
    let skip_hosts = prop::collection::vec(any_text(), 0..3);
    (kinds, skip_hosts, any::<u32>(), order, 1..u32::MAX, any::<[bool; 4]>()).prop_map(
        |(kinds, skip_hosts, limit, order, concurrency, [same_server, repeats, cache, refresh])| Resources {
            kinds,
            skip_hosts,
            same_server,
            limit,
            repeats,
            order,
            concurrency,
            cache,
            refresh,
        },
    )
}

fn session() -> impl Strategy<Value = SessionShape> {
    let order = prop_oneof![
        Just(Order::Sequential),
        Just(Order::Random),
        Just(Order::PerSession),
        cursor().prop_map(Order::Shared),
    ];
    let burst = (0..3_u32, prop::collection::vec((0..3_u32).prop_map(RequestId), 0..3), duration())
        .prop_map(|(first, then, think)| Burst { first: RequestId(first), then, think });
    let script = prop::collection::vec(burst, 0..3).prop_map(|bursts| Script { bursts });
    let work = prop_oneof![
        (prop::option::of(1..u64::MAX / 2), 1..u32::MAX, any::<bool>(), order)
            .prop_map(|(calls, burst, first_alone, order)| Work::Draw { calls, burst, first_alone, order }),
        prop::collection::vec(script, 1..3).prop_map(|scripts| Work::Scripts { scripts }),
    ];
    let think = prop_oneof![
        Just(Think::None),
        some_duration().prop_map(|time| Think::Constant { time }),
        (duration(), duration(), duration()).prop_map(|(min, span, granularity)| Think::Uniform {
            min,
            max: min + span,
            granularity
        }),
        duration().prop_map(|mean| Think::Exponential { mean }),
    ];
    let think_at = prop_oneof![Just(ThinkAt::Between), Just(ThinkAt::Before), Just(ThinkAt::After)];
    let unplanned = (redirects(), prop::collection::vec(request(), 0..2), prop::option::of(resources()));
    let failure = (prop::collection::vec(any::<u16>(), 0..3), any::<bool>(), any::<bool>())
        .prop_map(|(statuses, on_error, retry)| FailureRule { statuses, on_error, retry });
    let credentials = || {
        let one = (any_text(), any_text(), prop::option::of(any_text()))
            .prop_map(|(name, password, realm)| Credentials { name, password, realm });
        prop::collection::vec(one, 0..3)
    };
    let auth = (credentials(), credentials(), any::<u32>(), any::<bool>()).prop_map(
        |(server, proxy, attempts, retry_without_credentials)| Auth {
            server,
            proxy,
            attempts,
            retry_without_credentials,
        },
    );
    let auth = prop::option::of(auth);
    let policy = prop_oneof![Just(CookiePolicy::Off), Just(CookiePolicy::Jar), Just(CookiePolicy::LastValue)];
    let cookie = (any::<u64>(), "[a-z]{1,3}", "[ -:<-~]{0,5}", "[a-z.]{1,9}", any::<bool>()).prop_map(
        |(session, name, value, domain, secure)| {
            let (domain, path) = (format!("a{domain}"), format!("/{name}"));
            InitialCookie { session, name, value, domain, path, secure }
        },
    );
    let cookies = (policy, prop::collection::vec(cookie, 0..3), prop::option::of(1..u64::MAX / 2));
    let recovery = (any::<u16>(), prop::collection::vec(request(), 0..2))
        .prop_map(|(status, requests)| Recovery { status, requests });
    let recovery = prop::option::of(recovery);
    (work, think, think_at, cookies, unplanned, (auth, recovery), failure).prop_map(
        |(work, think, think_at, cookies, unplanned, (auth, recovery), failure)| {
            let (cookies, initial_cookies, forget_cookies_after) = cookies;
            let cookies = if initial_cookies.is_empty() { cookies } else { CookiePolicy::Jar };
            let (redirects, setup, resources) = unplanned;
            SessionShape {
                work,
                think,
                think_at,
                cookies,
                initial_cookies,
                forget_cookies_after,
                redirects,
                setup,
                parts: 1,
                links: Some(Links { pages: vec![vec![0], vec![]], visit: Some(9) }),
                resources,
                recovery,
                auth,
                failure,
            }
        },
    )
}

/// On the heap: a whole plan's strategies would not fit on the stack of a test thread.
fn connections() -> BoxedStrategy<Connections> {
    let version = prop_oneof![Just(HttpVersion::Http10), Just(HttpVersion::Http11)];
    let reconnect = prop_oneof![
        Just(Reconnect::Safe),
        Just(Reconnect::Never),
        Just(Reconnect::AfterReply),
        Just(Reconnect::Always),
    ];
    let when_full = prop_oneof![Just(WhenFull::Wait), Just(WhenFull::Fail)];
    let reply_end = prop_oneof![Just(ReplyEnd::Framed), Just(ReplyEnd::Length), Just(ReplyEnd::Close)];
    let ownership = prop_oneof![
        Just(Ownership::Shared),
        Just(Ownership::Sticky),
        (1..u32::MAX).prop_map(Ownership::Dedicated),
    ];
    let on_close = prop_oneof![Just(OnClose::Continue), Just(OnClose::EndSession)];
    let rules = (ownership, on_close, reconnect, when_full, reply_end);
    (version, any::<bool>(), 1..u32::MAX, 1..u32::MAX, 1..u32::MAX, rules)
        .prop_map(
            |(
                version,
                keep_alive,
                pipeline,
                limit,
                max_head,
                (ownership, on_close, reconnect, when_full, reply_end),
            )| {
                let never = ownership.dedicated() > 0 && reconnect == Reconnect::Never;
                Connections {
                    version,
                    keep_alive,
                    pipeline,
                    limit,
                    ownership,
                    max_head,
                    reconnect,
                    on_close: if never { on_close } else { OnClose::Continue },
                    when_full,
                    reply_end: if keep_alive { ReplyEnd::Length } else { reply_end },
                }
            },
        )
        .boxed()
}

fn network() -> impl Strategy<Value = Network> {
    let resolve = (any_text(), any::<u16>(), any::<IpAddr>()).prop_map(|(host, port, address)| Resolve {
        host,
        port,
        address,
    });
    let proxy =
        (endpoint().prop_map(|to| Endpoint { scheme: Scheme::Http, ..to }), prop::option::of(any_text()))
            .prop_map(|(endpoint, basic_auth)| Proxy { endpoint, basic_auth });
    let size = || prop::option::of(any::<u32>());
    (
        (prop::collection::vec(resolve, 0..3), prop::collection::vec(any::<IpAddr>(), 0..3)),
        (prop::option::of(path()), prop::option::of(proxy)),
        (any::<bool>(), size(), size(), any::<bool>(), prop::option::of(any::<bool>())),
        (prop::option::of((1..9_u16, 9..99_u16)), prop::option::of(1..u64::MAX / 2)),
    )
        .prop_map(|((resolve, bind), (unix_socket, proxy), sockets, (bind_ports, receive_rate))| {
            let (nodelay, send_buffer, receive_buffer, reset, ipv6) = sockets;
            Network {
                resolve,
                bind,
                bind_ports,
                unix_socket,
                proxy,
                nodelay,
                send_buffer,
                receive_buffer,
                receive_rate,
                close_with_reset: reset,
                ipv6,
                unresolved: if reset { Unresolved::Count } else { Unresolved::Refuse },
            }
        })
}

fn tls() -> impl Strategy<Value = Tls> {
    let verify = prop_oneof![Just(Verify::System), Just(Verify::Off), path().prop_map(Verify::File)];
    let versions = prop_oneof![
        Just((TlsVersion::V12, TlsVersion::V12)),
        Just((TlsVersion::V12, TlsVersion::V13)),
        Just((TlsVersion::V13, TlsVersion::V13)),
    ];
    let ciphers = prop::collection::vec(any_text(), 0..3);
    (
        verify,
        prop::option::of((path(), path())),
        versions,
        ciphers,
        prop_oneof![Just(Resumption::Off), Just(Resumption::Shared), Just(Resumption::Session)],
        prop::option::of(any_text()),
    )
        .prop_map(|(verify, client_certificate, (min, max), ciphers, resumption, server_name)| Tls {
            verify,
            client_certificate,
            min,
            max,
            ciphers,
            resumption,
            server_name,
        })
}

fn plan() -> impl Strategy<Value = Plan> {
    let driver = prop_oneof![Just(DriverChoice::Auto), Just(DriverChoice::Uring), Just(DriverChoice::Epoll)];
    let idle = prop_oneof![Just(Idle::Block), Just(Idle::Spin)];
    let stop = (prop::option::of(some_duration()), prop::option::of(1..u64::MAX / 2), duration())
        .prop_map(|(duration, calls, grace)| Stop { duration, calls, grace });
    let limit = || prop::option::of(duration());
    let handshake = prop::option::of(some_duration());
    let timeouts = (limit(), handshake, limit(), limit(), limit(), limit()).prop_map(
        |(connect, tls, call, send, reply, idle)| Timeouts { connect, tls, call, send, reply, idle },
    );
    (
        (
            any::<u64>(),
            prop::option::of(1..=1_024_u32),
            driver,
            idle,
            prop::collection::vec(any_text(), 0..3),
            stop,
        ),
        (schedule(), session(), connections(), timeouts, network(), tls()),
        prop::collection::vec(request(), 3..6),
    )
        .prop_map(
            |(
                (seed, threads, driver, idle, slos, stop),
                (schedule, mut session, connections, timeouts, network, mut tls),
                requests,
            )| {
                if tls.resumption == Resumption::Session && connections.ownership.dedicated() == 0 {
                    tls.resumption = Resumption::Shared;
                }
                if matches!(&session.work, Work::Draw { .. }) && session.redirects.limit % 2 == 1 {
                    session.parts = requests.len() as u32;
                }
                let counts = matches!(&session.work, Work::Draw { order, .. } if order.is_shared());
                let driver = if network.receive_rate.is_some() { DriverChoice::Epoll } else { driver };
                let in_turns = matches!(schedule, Schedule::Turns { .. });
                let threads = if counts || in_turns { Some(1) } else { threads };
                let warmup = stop.duration.map_or(Duration::from_secs(3), |duration| duration / 2);
                Plan {
                    seed,
                    threads,
                    driver,
                    idle,
                    slos,
                    warmup,
                    stop,
                    schedule,
                    session,
                    connections,
                    timeouts,
                    network,
                    tls,
                    ..Plan::new(requests)
                }
            },
        )
}

fn think() -> impl Strategy<Value = Think> {
    prop_oneof![
        Just(Think::None),
        some_duration().prop_map(|time| Think::Constant { time }),
        (duration(), duration()).prop_map(|(min, span)| Think::Uniform {
            min,
            max: min + span,
            granularity: Duration::ZERO
        }),
        duration().prop_map(|mean| Think::Exponential { mean }),
    ]
}

fn repeat() -> impl Strategy<Value = Repeat> {
    prop_oneof![
        Just(Repeat::ONCE),
        Just(Repeat::Forever),
        (1..9_u32, 0..9_u32).prop_map(|(min, more)| Repeat::Times { min, max: min + more }),
    ]
}

fn check() -> impl Strategy<Value = query::Check> {
    let texts =
        ["status == 200", "json $.a[0].b | count >= 3", "latency < 800ms", "body not contains \"a \\\"b\""];
    prop::sample::select(texts.to_vec()).prop_map(|text| query::Check::parse("check", text).unwrap())
}

/// A step of one request or two, with a name of its own from `number`.
fn step(number: u32) -> BoxedStrategy<(Step, Vec<Request>)> {
    let capture =
        (prop::sample::select(vec!["json $.t", "header X-A | first", "cookie c", "status"]), 1..999_u32);
    let captures = prop::option::of(capture).prop_map(move |capture| {
        let capture = capture.map(|(text, max)| {
            let read = query::Capture::parse("capture", &format!("c{number}"), text).unwrap();
            query::Capture { max, ..read }
        });
        capture.into_iter().collect::<Vec<_>>()
    });
    let again = (prop::option::of(check()), any::<bool>(), 1..200_u32)
        .prop_map(|(condition, until, limit)| Again { condition, until, limit });
    let on_fail = prop_oneof![Just(OnFail::GoOn), Just(OnFail::EndSession), Just(OnFail::StopRun)];
    let limits = (
        prop::option::of(some_duration()),
        prop::option::of(rate()),
        prop::option::of(some_duration()),
        prop::option::of(0..9_u32),
    );
    let body = prop_oneof![
        Just(Body::Form(vec![("a".to_owned(), "{{seq}}".to_owned()), ("b".to_owned(), "\\{{".to_owned())])),
        Just(Body::Json("{\"a\":[1,2.5],\"b\":{\"c\":\"{{uuid}}\"}}".to_owned())),
        Just(Body::Json("{\"a\": {{seq}}}".to_owned())),
        Just(Body::Text("{{int:1,9}}\n".to_owned())),
    ];
    let requests = prop_oneof![
        prop::collection::vec(request(), 1..3),
        (endpoint(), body).prop_map(|(endpoint, body)| {
            let shape = RequestShape {
                body,
                is_template: true,
                method: "PUT".to_owned(),
                ..RequestShape::get(endpoint)
            };
            vec![Request::new("/{{now}}", shape)]
        }),
    ];
    let share = prop_oneof![Just(1.0), Just(0.3), 0.001..1.0_f64];
    (
        (requests, repeat(), think(), share),
        (captures, prop::collection::vec(check(), 0..3), prop::option::of(again)),
        on_fail,
        limits,
    )
        .prop_map(move |((requests, repeat, think, share), (captures, checks, again), on_fail, limits)| {
            let (pace, rate_limit, timeout, redirects) = limits;
            let name = format!("step {number}");
            let step = Step {
                choices: requests.len() as u32,
                repeat,
                think,
                share,
                captures,
                checks,
                again,
                on_fail,
                pace,
                rate_limit,
                timeout,
                redirects,
                group: on_fail.eq(&OnFail::StopRun).then(|| format!("group {number}")),
                slos: vec!["p99<1s".to_owned()],
                ..Step::new(name, RequestId(0))
            };
            (step, requests)
        })
        .boxed()
}

/// Setup of the run, then one scenario or two of two steps each.
fn plan_of_steps() -> BoxedStrategy<Plan> {
    (step(0), [step(1), step(2), step(3), step(4)], any::<bool>(), repeat(), any::<bool>())
        .prop_map(|(setup, [a, b, c, d], is_single, repeat, is_open)| {
            let mut plan = Plan::new(Vec::new());
            let mut add = |(mut step, requests): (Step, Vec<Request>)| {
                step.request = RequestId(plan.requests.len() as u32);
                plan.requests.extend(requests);
                step
            };
            let setup = add(setup);
            plan.scenarios = if is_single {
                vec![Scenario::new("", vec![add(a), add(b), add(c), add(d)])]
            } else {
                let first = Scenario { repeat, ..Scenario::new("first", vec![add(a), add(b)]) };
                vec![first, Scenario { weight: 2.5, ..Scenario::new("second", vec![add(c), add(d)]) }]
            };
            plan.setup = vec![setup];
            plan.schedule = if is_open {
                Schedule::Open { arrivals: ArrivalProcess::Poisson { rate: 5.0 }, burst: 1 }
            } else {
                Schedule::Turns { users: 9 }
            };
            plan.data = vec![DataTable { name: "t".to_owned(), file: "t.csv".into(), take: Take::Unique }];
            let value = VariableValue::Environment("KEY".to_owned());
            plan.variables = vec![Variable { name: "key".to_owned(), value }];
            plan
        })
        .boxed()
}

proptest! {
    #[test]
    fn a_plan_of_steps_reads_back_as_printed(plan in plan_of_steps()) {
        let toml = to_toml(&plan);
        prop_assert_eq!(parse(&toml).map(Plan::from), Ok(plan.clone()), "{}", toml);
        prop_assert_eq!(parse(&to_json(&plan)).map(Plan::from), Ok(plan.clone()));
        prop_assert!(describe(&plan).lines().count() >= 6);
        prop_assert!(parse(&to_toml(&plan.masked())).is_ok());
    }

    #[test]
    fn a_plan_reads_back_as_printed(plan in plan()) {
        let toml = to_toml(&plan);
        prop_assert_eq!(parse(&toml).map(Plan::from), Ok(plan.clone()), "{}", toml);
        prop_assert_eq!(parse(&to_json(&plan)).map(Plan::from), Ok(plan.clone()));
        prop_assert!(describe(&plan).lines().count() >= 7);
    }

    #[test]
    fn durations_and_rates_read_back_as_printed(nanos: u64, rate in rate()) {
        let duration = Duration::from_nanos(nanos);
        prop_assert_eq!(parse_duration("x", &print_duration(duration)), Ok(duration));
        prop_assert_eq!(parse_rate("x", &print_rate(rate)), Ok(rate));
    }

    #[test]
    fn no_text_is_too_strange_to_refuse(text in any_text()) {
        let _ = parse(&text);
        let _ = (parse_duration("x", &text), parse_rate("x", &text), parse_count("x", &text), parse_size("x", &text));
        let _ = (Think::parse(&text), ArrivalWords::parse(&text), ArrivalProcess::parse_ramp(&text));
        let _ = (ArrivalProcess::parse_steps(&text), Resolve::parse(&text), Proxy::parse(&text), Request::get(&text));
        let _ = (words::parse_trace(&text), words::parse_urls(&text));
        if let Ok((name, value)) = words::parse_header(&text) {
            let line = format!("{name}: {value}");
            prop_assert!(!line.contains(['\r', '\n', '\0']));
        }
    }
}
