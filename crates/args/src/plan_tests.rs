use super::{Inputs, plan};
use crate::environment::variable;
use crate::{Command, Load, Program, UsageError};
use clap::FromArgMatches;
use std::time::Duration;
use warwolf_plan::*;

const URL: &str = "http://a.test/";

/// The words of one command line, split at blanks; `_` stands for a blank inside a word.
fn read(line: &str) -> Result<(Load, clap::ArgMatches), UsageError> {
    let words = ["warwolf", "explain"].into_iter().map(str::to_owned);
    let words = words.chain(line.split_whitespace().map(|word| word.replace('_', " ")));
    let matches = crate::command()
        .try_get_matches_from(words)
        .map_err(|error| UsageError::from_clap(&error, |_| None))?;
    let program = Program::from_arg_matches(&matches).expect("clap checked it");
    let Command::Explain(explain) = program.command else { panic!("the words begin with explain") };
    Ok((explain.load, matches.subcommand().expect("there is one").1.clone()))
}

fn inputs() -> Inputs {
    Inputs {
        plan: None,
        urls: Some("# a list\n\nhttp://b.test/1\n  c.test:81/2  \n".into()),
        clicks: None,
        trace: Some("0\n10ms\n# half a second\n0.5\n".into()),
        suite: None,
        seed: 7,
    }
}

fn planned(line: &str) -> Result<Plan, String> {
    let (load, matches) = read(line).map_err(|error| error.to_string())?;
    let inputs = Inputs { urls: load.urls.as_ref().and(inputs().urls), ..inputs() };
    plan(&load, &inputs).map(Plan::from).map_err(|error| UsageError::about(&error, &matches).to_string())
}

/// What a bare URL means.
fn usual() -> Plan {
    let mut plan = Plan::new(vec![Request::get(URL).unwrap()]);
    plan.seed = 7;
    plan.connections.limit = 50;
    plan.connections.ownership = Ownership::Sticky;
    plan
}

fn open(arrivals: ArrivalProcess) -> Plan {
    let mut plan = usual();
    plan.schedule = Schedule::Open { arrivals, burst: 1 };
    plan.session.work = Work::Draw { calls: Some(1), burst: 1, first_alone: false, order: Order::Sequential };
    plan.connections = Connections::default();
    plan
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn with(mut plan: Plan, change: impl FnOnce(&mut Plan)) -> Plan {
    change(&mut plan);
    plan
}

fn check(rows: Vec<(&str, Plan)>) {
    for (line, expected) in rows {
        let line = format!("{line} {URL}");
        assert_eq!(planned(&line), Ok(expected), "{line}");
    }
}

#[test]
fn a_bare_url_is_fifty_users_for_ten_seconds() {
    check(vec![("", usual())]);
    assert_eq!(usual().stop, Stop::after(seconds(10)));
    assert_eq!(usual().schedule, Schedule::Closed { users: 50, ramp: Duration::ZERO });
}

#[test]
fn closed_loops() {
    let users = |users, plan: Plan| {
        with(plan, |plan| {
            plan.schedule = Schedule::Closed { users, ramp: Duration::ZERO };
            plan.connections.limit = users;
        })
    };
    let stop =
        |calls, duration| with(usual(), |plan| plan.stop = Stop { calls, duration, grace: Duration::ZERO });
    check(vec![
        ("-c 10", users(10, usual())),
        ("--connections 1k", users(1_000, usual())),
        ("-n 200", stop(Some(200), None)),
        ("-n 1.5m", stop(Some(1_500_000), None)),
        ("-d 250ms", stop(None, Some(Duration::from_millis(250)))),
        ("-z 5", stop(None, Some(seconds(5)))),
        ("-n 10k -d 1m", stop(Some(10_000), Some(seconds(60)))),
        ("-n 7 -c 3", users(3, stop(Some(7), None))),
        ("--grace 2s", with(usual(), |plan| plan.stop.grace = seconds(2))),
        ("--warmup 2s", with(usual(), |plan| plan.warmup = seconds(2))),
        ("--ramp 3s", with(usual(), |plan| plan.schedule = Schedule::Closed { users: 50, ramp: seconds(3) })),
        (
            "--pipeline 16 -c 4",
            users(
                4,
                with(usual(), |plan| {
                    plan.session.work =
                        Work::Draw { calls: None, burst: 16, first_alone: false, order: Order::Sequential };
                    plan.connections.pipeline = 16;
                }),
            ),
        ),
        ("--think 1s", with(usual(), |plan| plan.session.think = Think::Constant { time: seconds(1) })),
        (
            "--think uniform:1s,3s",
            with(usual(), |plan| {
                plan.session.think =
                    Think::Uniform { min: seconds(1), max: seconds(3), granularity: Duration::ZERO }
            }),
        ),
        (
            "--think exponential:2s",
            with(usual(), |plan| plan.session.think = Think::Exponential { mean: seconds(2) }),
        ),
        (
            "--cookies --follow 3",
            with(usual(), |plan| {
                plan.session.cookies = CookiePolicy::Jar;
                plan.session.redirects.limit = 3;
            }),
        ),
        ("--seed 42", with(usual(), |plan| plan.seed = 42)),
    ]);
}

#[test]
fn open_loops() {
    let constant = || open(ArrivalProcess::Constant { rate: 500.0 });
    let step = |rate, lasts| RateStep { rate, lasts: seconds(lasts) };
    check(vec![
        ("-r 500", constant()),
        ("-r 500/s", constant()),
        ("-q 500", constant()),
        ("-r 30k/s --arrivals constant", open(ArrivalProcess::Constant { rate: 30_000.0 })),
        ("-r 30/m --arrivals poisson", open(ArrivalProcess::Poisson { rate: 0.5 })),
        (
            "--arrivals uniform:5ms,15ms",
            open(ArrivalProcess::Uniform { min: Duration::from_millis(5), max: Duration::from_millis(15) }),
        ),
        (
            "--arrivals trace:times",
            with(open(ArrivalProcess::Trace { at_ns: vec![0, 10_000_000, 500_000_000] }), |plan| {
                plan.stop.duration = None;
            }),
        ),
        ("--ramp 100:2k/s:30s", open(ArrivalProcess::Ramp { from: 100.0, to: 2_000.0, over: seconds(30) })),
        (
            "--steps 500x10s,1000x20s",
            with(open(ArrivalProcess::Steps { steps: vec![step(500.0, 10), step(1_000.0, 20)] }), |plan| {
                plan.stop.duration = None;
            }),
        ),
        (
            "-r 500 --burst 10",
            with(constant(), |plan| {
                plan.schedule =
                    Schedule::Open { arrivals: ArrivalProcess::Constant { rate: 500.0 }, burst: 10 };
            }),
        ),
        ("-r 500 -c 20", with(constant(), |plan| plan.connections.limit = 20)),
        ("-r 500 -n 1k", with(constant(), |plan| plan.stop = Stop::after_calls(1_000))),
        ("-r 500 -d 1m", with(constant(), |plan| plan.stop = Stop::after(seconds(60)))),
    ]);
}

#[test]
fn requests() {
    let request = |change: &dyn Fn(&mut Request)| with(usual(), |plan| change(&mut plan.requests[0]));
    let header = |name: &str, value: &str| {
        request(&|request| request.headers = vec![(name.to_owned(), value.to_owned())])
    };
    check(vec![
        ("-m DELETE", request(&|request| request.method = "DELETE".into())),
        ("-H X-A:_b,_c", header("X-A", "b, c")),
        ("-T application/json", header("Content-Type", "application/json")),
        ("-A text/html", header("Accept", "text/html")),
        ("-a ann:pw", request(&|request| request.basic_auth = Some("ann:pw".into()))),
        (
            "-b x=1",
            request(&|request| {
                request.body = Body::Text("x=1".into());
                request.method = "POST".into();
            }),
        ),
        (
            "-m PUT -b @some/file",
            request(&|request| {
                request.body = Body::File("some/file".into());
                request.method = "PUT".into();
            }),
        ),
        (
            "-H A:1 -H B:2",
            request(&|request| request.headers = vec![("A".into(), "1".into()), ("B".into(), "2".into())]),
        ),
    ]);
    let listed = planned(&format!("{URL} --urls list --order random")).unwrap();
    let urls: Vec<String> = listed.requests.iter().map(Request::url).collect();
    assert_eq!(urls, ["http://a.test/", "http://b.test/1", "http://c.test:81/2"]);
    assert_eq!(
        listed.session.work,
        Work::Draw { calls: None, burst: 1, first_alone: false, order: Order::Random }
    );
}

#[test]
fn connections_network_and_tls() {
    let network = |change: &dyn Fn(&mut Network)| with(usual(), |plan| change(&mut plan.network));
    let tls = |change: &dyn Fn(&mut Tls)| with(usual(), |plan| change(&mut plan.tls));
    let times = |connect, call| {
        with(usual(), |plan| plan.timeouts = Timeouts { connect, call, ..Timeouts::default() })
    };
    let proxy = |host: &str, port| Endpoint { scheme: Scheme::Http, host: host.into(), port };
    let resolved = Resolve { host: "a.test".into(), port: 80, address: "127.0.0.1".parse().unwrap() };
    let bound = vec!["127.0.0.2".parse().unwrap(), "127.0.0.3".parse().unwrap()];
    check(vec![
        ("--http1", usual()),
        ("--http1.0", with(usual(), |plan| plan.connections.version = HttpVersion::Http10)),
        ("--disable-keepalive", with(usual(), |plan| plan.connections.keep_alive = false)),
        ("--timeout 1s --connect-timeout 250ms", times(Some(Duration::from_millis(250)), Some(seconds(1)))),
        ("--timeout 0 --connect-timeout 0", times(None, None)),
        ("--bind 127.0.0.2,127.0.0.3", network(&|network| network.bind.clone_from(&bound))),
        ("--bind 127.0.0.2 --bind 127.0.0.3", network(&|network| network.bind.clone_from(&bound))),
        ("--resolve a.test:80:127.0.0.1", network(&|network| network.resolve = vec![resolved.clone()])),
        ("--unix-socket /run/s", network(&|network| network.unix_socket = Some("/run/s".into()))),
        (
            "-x http://ann:pw@p.test:3128",
            network(&|network| {
                network.proxy =
                    Some(Proxy { endpoint: proxy("p.test", 3128), basic_auth: Some("ann:pw".into()) });
            }),
        ),
        ("-4", network(&|network| network.ipv6 = Some(false))),
        ("-6", network(&|network| network.ipv6 = Some(true))),
        ("--nagle", network(&|network| network.nodelay = false)),
        ("--send-buffer 64k", network(&|network| network.send_buffer = Some(65_536))),
        ("--receive-buffer 4096", network(&|network| network.receive_buffer = Some(4_096))),
        ("--close-with-reset", network(&|network| network.close_with_reset = true)),
        ("-k", tls(&|tls| tls.verify = Verify::Off)),
        ("--cacert ca.pem", tls(&|tls| tls.verify = Verify::File("ca.pem".into()))),
        ("--cert c --key k", tls(&|tls| tls.client_certificate = Some(("c".into(), "k".into())))),
        ("--tls-max 1.2", tls(&|tls| tls.max = TlsVersion::V12)),
        ("--tls-min 1.3", tls(&|tls| tls.min = TlsVersion::V13)),
        ("--ciphers A,B", tls(&|tls| tls.ciphers = vec!["A".into(), "B".into()])),
        ("--no-resumption", tls(&|tls| tls.resumption = Resumption::Off)),
        ("--server-name b.test", tls(&|tls| tls.server_name = Some("b.test".into()))),
    ]);
}

#[test]
fn machine_and_promises() {
    check(vec![
        ("--threads 2", with(usual(), |plan| plan.threads = Some(2))),
        ("--driver epoll", with(usual(), |plan| plan.driver = DriverChoice::Epoll)),
        ("--driver uring", with(usual(), |plan| plan.driver = DriverChoice::Uring)),
        ("--idle spin", with(usual(), |plan| plan.idle = Idle::Spin)),
        (
            "--slo p99<200ms --slo errors<0.1%",
            with(usual(), |plan| plan.slos = vec!["p99<200ms".into(), "errors<0.1%".into()]),
        ),
    ]);
}

#[test]
fn a_plan_file_is_the_whole_plan() {
    let text = text::to_toml(&usual());
    let inputs = Inputs { plan: Some(text), seed: 99, ..Inputs::default() };
    assert_eq!(plan(&Load::default(), &inputs).map(Plan::from), Ok(usual()));
}

#[test]
fn options_beside_a_plan_file_replace_its_values() {
    let open = with(usual(), |plan| {
        let arrivals = ArrivalProcess::Poisson { rate: 10.0 };
        plan.schedule = Schedule::Open { arrivals, burst: 1 };
    });
    let made = |from: &Plan, line: &str| {
        let inputs = Inputs { plan: Some(text::to_toml(from)), ..Inputs::default() };
        plan(&read(line).unwrap().0, &inputs).map(Plan::from).map_err(|error| error.to_string())
    };
    let expected = with(open.clone(), |plan| {
        plan.seed = 7;
        plan.slos = vec!["p99<1s".into()];
        plan.stop = Stop::after(Duration::from_secs(3));
        plan.schedule = Schedule::Open { arrivals: ArrivalProcess::Poisson { rate: 50.0 }, burst: 1 };
    });
    assert_eq!(made(&open, "-d 3s -r 50/s --slo p99<1s --seed 7"), Ok(expected));
    let refused = made(&usual(), "-r 50/s").unwrap_err();
    assert_eq!(refused, "rate: `50/s`: the plan has no single rate; leave it out");
}

#[test]
fn an_error_in_a_plan_file_names_the_field() {
    let (load, matches) = read(URL).unwrap();
    for (change, expected) in [
        (with(usual(), |plan| plan.stop = Stop::after_calls(0)), "load.requests: `0`: use 1 or more"),
        (with(usual(), |plan| plan.threads = Some(0)), "load.threads: `0`: use 1 or more"),
        (
            with(usual(), |plan| plan.threads = Some(100_000)),
            "load.threads: `100000`: use at most 1024; more than one for each core makes nothing faster",
        ),
    ] {
        let inputs = Inputs { plan: Some(text::to_toml(&change)), ..Inputs::default() };
        let error = plan(&load, &inputs).unwrap_err();
        assert_eq!(UsageError::about(&error, &matches).to_string(), expected);
    }
}

#[test]
fn what_is_not_known_is_looked_up_in_the_help_of_the_command_it_was_given_to() {
    let said = |line: &str| {
        let words = ["warwolf"].into_iter().chain(line.split_whitespace());
        crate::command()
            .try_get_matches_from(words)
            .map_err(|error| UsageError::from_clap(&error, |_| None).to_string())
    };
    for (line, expected) in [
        ("target --xyzzy", "--xyzzy: no such option; `warwolf target --help` lists them"),
        ("history import --xyzzy", "--xyzzy: no such option; `warwolf history import --help` lists them"),
        ("history import", "<NAME>, <FILE>: missing; see `warwolf history import --help`"),
        ("history list --database", "--database: it needs a value; write `--database <FILE>`"),
        ("history xyzzy", "xyzzy: no such command; `warwolf history --help` lists them"),
        (
            "xyzzy",
            "xyzzy: no such command; `warwolf --help` lists them; to load a host of this name, use `http://xyzzy/`",
        ),
    ] {
        assert_eq!(said(line).unwrap_err(), expected, "{line}");
    }
}

/// Every row is a way to go wrong, and the whole of what is said about it.
#[test]
fn bad_words_are_named_with_what_would_be_right() {
    let rows = [
        ("", "url: none is given; use one such as http://127.0.0.1:8080/, or --urls FILE"),
        (
            "ftp://a.test/",
            "url: `ftp://a.test/`: scheme `ftp` is not known; use one such as http://127.0.0.1:8080/",
        ),
        ("-t 3 a.test", "-t: it could mean --timeout, --threads or --duration; use one of these"),
        ("-t3 a.test", "-t: it could mean --timeout, --threads or --duration; use one of these"),
        ("--conections 3 a.test", "--conections: no such option; did you mean `--connections`?"),
        ("--xyzzy a.test", "--xyzzy: no such option; `warwolf explain --help` lists them"),
        ("a.test --rate", "--rate: it needs a value; write `--rate <RATE>`"),
        ("a.test --order", "--order: it needs a value: sequential, random"),
        ("--order by-size a.test", "--order: `by-size`: use one of sequential, random"),
        ("--driver kqueue a.test", "--driver: `kqueue`: use one of uring, epoll"),
        ("-c 1 -c 2 a.test", "--connections: it is given twice; once is enough"),
        ("-c 0 a.test", "--connections: `0`: use 1 or more users"),
        ("-c x a.test", "--connections: `x`: use a whole number, such as 200, 10k or 2m"),
        ("-c 5000m a.test", "--connections: `5000m`: use a number below 4,294,967,296"),
        ("-b x -m POST --pipeline 0 a.test", "--pipeline: `0`: use 1 or more"),
        ("-r 5 --burst 0 a.test", "--burst: `0`: use 1 or more"),
        ("-n 0 a.test", "--requests: `0`: use 1 or more"),
        ("-n 1.5 a.test", "--requests: `1.5`: use a whole number, such as 200, 10k or 2m"),
        ("-d 0 a.test", "--duration: `0s`: use more than zero"),
        ("-d 5d a.test", "--duration: `5d`: use a number with a unit, such as 250ms, 10s or 5m"),
        ("-q http://a.test/", "--rate: `http://a.test/`: use a positive rate, such as 500/s, 10/ms or 30/m"),
        ("-r 0 a.test", "--rate: `0`: use a positive rate, such as 500/s, 10/ms or 30/m"),
        ("-r 500/day a.test", "--rate: `500/day`: use a positive rate, such as 500/s, 10/ms or 30/m"),
        ("--warmup 10s a.test", "--warmup: `10s`: use less than the duration, 10s"),
        ("--threads 0 a.test", "--threads: `0`: use 1 or more"),
        ("--seed red a.test", "--seed: `red`: use a whole number, such as 42"),
        ("--arrivals poisson a.test", "--arrivals: `poisson`: give a rate as well, such as --rate 500/s"),
        (
            "--arrivals random -r 5 a.test",
            "--arrivals: `random`: use constant, poisson, uniform:5ms,15ms or trace:FILE with one time a line",
        ),
        (
            "--arrivals uniform:1s,2s -r 5 a.test",
            "--rate: `5/s`: leave it out: uniform arrivals say by themselves when they come",
        ),
        ("--ramp 1:2:3 -r 5 a.test", "--ramp: it sets the rate itself; leave out --rate"),
        ("--steps 1x2s -r 5 a.test", "--steps: it sets the rate itself; leave out --rate"),
        ("--steps 1x2s --ramp 1:2:3 a.test", "--steps: it sets the rate itself; leave out --ramp"),
        (
            "-r 5 --ramp 3s a.test",
            "--ramp: in an open loop, use two rates and a time, such as 100/s:2k/s:30s, instead of --rate",
        ),
        (
            "-r 5 --think 1s a.test",
            "--think: it is for the users of a closed loop; leave it out, or leave out --rate",
        ),
        ("-r 5 --pipeline 2 a.test", "--pipeline: it is for closed loops; leave it out, or leave out --rate"),
        ("--burst 2 a.test", "--burst: it is for open loops; give --rate as well, or use --pipeline N"),
        ("--http2 a.test", "--http2: HTTP/2 and HTTP/3 are not available yet; leave it out, or use --http1"),
        ("--http3 a.test", "--http2: HTTP/2 and HTTP/3 are not available yet; leave it out, or use --http1"),
        ("--http1 --http1.0 a.test", "--http1.0: it cannot be used together with --http1"),
        ("-4 -6 a.test", "--ipv6: it cannot be used together with --ipv4; leave both out to use both"),
        ("-a ann a.test", "--auth: `ann`: use a name and a password, such as ann:secret"),
        ("-b @ a.test", "--body: `@`: use the path of a file, such as @order.json"),
        ("-H nonsense a.test", "--header: `nonsense`: use `Name: value`, such as `Accept: text/html`"),
        ("-m G_T a.test", "--method: `G T`: use a method such as GET or POST"),
        ("--bind here a.test", "--bind: `here`: use addresses of this machine, such as 127.0.0.2"),
        ("--tls-min 1.1 a.test", "--tls-min: `1.1`: use 1.2 or 1.3"),
        ("--tls-min 1.3 --tls-max 1.2 a.test", "--tls-min: `1.3`: use at most --tls-max, 1.2"),
        ("--cert c a.test", "--cert: `c`: give its key as well, with --key FILE"),
        ("--key k a.test", "--key: `k`: give its certificate as well, with --cert FILE"),
        ("-k --cacert c a.test", "--cacert: it cannot be used together with --insecure"),
    ];
    for (line, expected) in rows {
        assert_eq!(planned(line).err().as_deref(), Some(expected), "{line}");
    }
}

#[test]
fn the_help_fits_its_purpose() {
    crate::command().debug_assert();
    let lines: Vec<&str> = crate::short_help::TEXT.lines().collect();
    assert!(lines.len() <= 40, "one screen is 40 lines, not {}", lines.len());
    for line in lines {
        assert!(line.chars().count() <= 110, "too wide: {line}");
    }
}

#[test]
fn every_option_is_an_environment_variable() {
    let command = crate::command();
    let explain = command.find_subcommand("explain").unwrap();
    for arg in explain.get_arguments() {
        let Some(long) = arg.get_long().filter(|long| *long != "help") else { continue };
        let expected = variable(long);
        assert_eq!(arg.get_env().and_then(|name| name.to_str()), Some(expected.as_str()));
    }
    assert_eq!(variable("http1.0"), "WARWOLF_HTTP1_0");
}

#[test]
fn words_without_a_command_mean_run_unless_they_look_like_a_mistyped_one() {
    let rows = [
        ("http://a/", "run http://a/"),
        ("-c 5 a.test", "run -c 5 a.test"),
        ("a.test", "run a.test"),
        ("localhost", "run localhost"),
        ("rnu http://a/", "rnu http://a/"),
        ("explain a", "explain a"),
        ("--help", "--help"),
        ("help", "--help"),
        ("help run", "run --help"),
        ("-V", "-V"),
    ];
    for (line, expected) in rows {
        let words = std::iter::once("warwolf").chain(line.split_whitespace());
        let words = crate::with_command(words);
        let words: Vec<&str> = words[1..].iter().filter_map(|word| word.to_str()).collect();
        assert_eq!(words.join(" "), expected);
    }
}

#[test]
fn values_data_and_checks_make_steps_of_requests() {
    let words = "--data my_users.csv:unique -H X-Token:_{{token}} -b {\"id\":{{seq}}} -T application/json \
                 --check status_==_200 --label /item/*=item -c 7 http://a.test/item/{{int:1,9}}";
    let plan = planned(words).unwrap();
    assert_eq!(plan.schedule, Schedule::Turns { users: 7 });
    let step = &plan.scenarios[0].steps[0];
    assert_eq!(step.checks[0].to_string(), "status == 200");
    let request = &plan.requests[0];
    assert!(request.is_template && *request.path == *"/item/{{int:1,9}}");
    assert_eq!(request.body, Body::Json("{\"id\":{{seq}}}".to_owned()));
    assert_eq!((plan.data[0].name.as_str(), plan.data[0].take), ("my_users", Take::Unique));
    assert_eq!(plan.rows().rows[0].name, "item");
    let plain = planned("http://a.test/ --label /=home").unwrap();
    assert!(plain.scenarios.is_empty() && plain.labels.len() == 1);
    for (words, expected) in [
        ("http://{{host}}/", "path and query may contain values"),
        ("http://a.test/ --check statsu_==_1", "did you mean `status`?"),
        ("http://a.test/ --check status_==_200 --cookies", "use a plan with steps"),
        ("http://a.test/ --label item", "use a path and a name"),
        ("http://a.test/{{x", "close it with }}"),
    ] {
        let error = planned(words).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}
