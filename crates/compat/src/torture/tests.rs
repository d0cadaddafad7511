use super::*;
use std::time::Duration;
use warwolf_measure::Outcome;
use warwolf_plan::{
    Body, HoleValue, Order, RandomData, ReplyEnd, Schedule, Think, ThinkAt, Unresolved, Work,
};

/// Reads a captured run of the original: command, stdout, stderr and exit code.
fn captured(name: &str) -> String {
    let path: std::path::PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "tests/data/torture", &format!("{name}.txt")].iter().collect();
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the text between two marks of a captured run.
fn between(name: &str, from: &str, to: &str) -> String {
    let text = captured(name);
    let text = text.split_once(from).and_then(|(_, rest)| rest.split_once(to)).map(|(text, _)| text);
    text.unwrap_or_else(|| panic!("{name} has no {from}")).to_owned()
}

fn stdout(name: &str) -> String {
    between(name, "--- stdout\n", "--- stderr\n")
}

fn stderr(name: &str) -> String {
    between(name, "--- stderr\n", "--- exit status")
}

fn given(words: &str) -> Result<Classic, Usage> {
    let words: Vec<String> = format!("torture.pl {words}").split_whitespace().map(str::to_owned).collect();
    parse(&words, 7)
}

fn meant(words: &str) -> Classic {
    given(words).unwrap_or_else(|usage| panic!("{words}: {}", usage.stderr))
}

fn plan(words: &str) -> Plan {
    let plan = meant(words).plan;
    plan.clone().check().unwrap_or_else(|error| panic!("{words}: {error}"));
    plan
}

fn transaction(status: u16, outcome: Outcome) -> Transaction<'static> {
    Transaction {
        took_ns: 0,
        making_ns: 0,
        finished_ns: 0,
        drawn_bytes: 0,
        body_bytes: 0,
        status,
        reason: b"",
        outcome,
    }
}

/// Name of the capture; transactions, seconds, nanoseconds of all transactions together, bytes; statuses.
type Row = (&'static str, u64, f64, u64, u64, &'static [(u16, u64)]);

const ROWS: [Row; 27] = [
    ("t01_default", 1, 0.0005779266361, 1_098_060, 204, &[(200, 1)]),
    ("t02_c5t10", 50, 0.0062856674267, 35_199_737, 10_200, &[(200, 50)]),
    ("t05_l", 10, 0.0057117939007, 5_140_614, 125_286, &[(200, 3), (414, 7)]),
    ("t06_refused", 2, 0.0007960801016, 1_034_904, 0, &[(503, 2)]),
    ("t08_path", 20, 0.0038919449032, 3_891_944, 3_578, &[(400, 1), (404, 19)]),
    ("t09_post", 10, 0.0030672550199, 2_453_804, 30_751, &[(405, 10)]),
    ("t10_raw", 20, 0.0023081302672, 3_000_569, 3_613, &[(200, 5), (400, 15)]),
    ("t11_raw_post", 10, 0.0051019191813, 4_591_727, 10_362, &[(200, 10)]),
    ("t12_status5xx", 2, 0.0010631082308, 1_275_729, 10, &[(503, 2)]),
    ("t13_malformed", 2, 0.0011050700614, 1_657_605, 0, &[(400, 2)]),
    ("t14_eof", 2, 0.0009951585536, 1_691_769, 0, &[(400, 2)]),
    ("t15_nopath_l", 3, 0.0004041194898, 606_179, 186, &[(503, 3)]),
    ("t16_slash_p", 2, 0.0005970001203, 1_074_600, 325, &[(404, 2)]),
    ("t17_https", 1, 0.0003957747092, 554_084, 0, &[(503, 1)]),
    ("t18_nourl_scheme", 1, 0.0004441739918, 533_008, 0, &[(503, 1)]),
    ("t19_bundle", 4, 0.0014588832816, 2_625_989, 635, &[(400, 2), (404, 2)]),
    ("t20_pP", 2, 0.0007090568607, 921_773, 339, &[(400, 1), (404, 1)]),
    ("t21_zero", 1, 0.0004549026464, 773_334, 204, &[(200, 1)]),
    ("t22_args_after", 1, 0.000597000127, 835_800, 204, &[(200, 1)]),
    ("t25_close", 2, 0.0011510857616, 1_726_628, 6, &[(200, 2)]),
    ("t26_chunk", 2, 0.0015590185978, 1_714_920, 12, &[(200, 2)]),
    ("t27_dns", 1, 0.0020098886522, 1_607_910, 0, &[(503, 1)]),
    ("t28_301", 2, 0.0005640983605, 1_015_377, 290, &[(302, 2)]),
    ("t30_c75", 100, 0.0193660259888, 265_314_556, 20_400, &[(200, 100)]),
    ("t33_slow", 5, 1.009998990001, 1_000_000_000, 500, &[(200, 5)]),
    ("t34_slow_c4", 20, 1.00469695828, 4_018_787_833, 2_000, &[(200, 20)]),
    ("t35_slow_c8", 40, 1.0306383000652, 8_142_042_570, 4_000, &[(200, 40)]),
];

#[test]
fn every_captured_report_comes_out_byte_for_byte() {
    for (name, transactions, seconds, took_ns, bytes, statuses) in ROWS {
        let mut count = Count::default();
        for &(status, number) in statuses {
            for _ in 0..number {
                count.add(&transaction(status, Outcome::Completed), 1, &mut Vec::new());
            }
        }
        assert_eq!(count.transactions(), transactions, "{name}");
        (count.took_ns, count.bytes) = (took_ns.into(), bytes);
        let theirs = stdout(name);
        let dates: Vec<_> =
            theirs.lines().filter_map(|line| line.split_once("ing at ")).map(|(_, date)| date).collect();
        let ours = starting(dates[0]) + &report::report_on(&count, seconds) + &ending(dates[1]);
        assert_eq!(ours, theirs, "{name}");
    }
}

#[test]
fn trouble_is_said_in_one_line_each() {
    let said = |times: usize, transaction: &Transaction<'_>, process: u32| {
        let mut count = Count::default();
        let mut said = Vec::new();
        (0..times).for_each(|_| count.add(transaction, process, &mut said));
        // The capture shows a carriage return as two characters.
        String::from_utf8(said).unwrap().replace('\r', "^M")
    };
    let refused = transaction(0, Outcome::Refused);
    assert_eq!(said(2, &refused, 23_839), stderr("t06_refused"));
    let nameless = transaction(0, Outcome::Resolve);
    assert_eq!(said(1, &nameless, 24_754), stderr("t27_dns"));
    let busy =
        Transaction { reason: b"Service Temporarily Unavailable", ..transaction(503, Outcome::Completed) };
    assert_eq!(said(2, &busy, 23_981), stderr("t12_status5xx"));
}

#[test]
fn what_random_data_provokes_is_no_trouble() {
    let expected = [
        transaction(400, Outcome::Completed),
        transaction(404, Outcome::Completed),
        transaction(414, Outcome::Completed),
        transaction(0, Outcome::Closed),
        transaction(0, Outcome::Reset),
    ];
    let mut count = Count::default();
    let mut said = Vec::new();
    expected.iter().for_each(|transaction| count.add(transaction, 1, &mut said));
    assert_eq!(said, b"");
    assert_eq!(count.statuses.into_iter().collect::<Vec<_>>(), [(400, 3), (404, 1), (414, 1)]);
}

#[test]
fn every_end_of_a_transaction_has_a_status() {
    let rows = [
        (200, Outcome::Completed, Some(200), "a reply"),
        (200, Outcome::ClosedMidReply, Some(200), "a body that ends early is a body"),
        (200, Outcome::Reset, Some(200), "so is one that ends with a reset"),
        (0, Outcome::Closed, Some(400), "closed without a byte"),
        (0, Outcome::Reset, Some(400), "or reset: the original died of that when it was sending"),
        (0, Outcome::Unreachable, Some(503), "no connection"),
        (0, Outcome::NoFiles, Some(503), "for whatever reason"),
        (0, Outcome::ConnectTimeout, Some(503), "even when it took too long"),
        (0, Outcome::ResponseTimeout, Some(504), "a hang, with -w"),
        (0, Outcome::Unfinished, None, "cut off by the end of the run"),
    ];
    for (status, outcome, counted, reason) in rows {
        let mut count = Count::default();
        count.add(&transaction(status, outcome), 1, &mut Vec::new());
        assert_eq!(count.statuses.keys().next().copied(), counted, "{reason}");
    }
    for outcome in Outcome::all() {
        let mut count = Count::default();
        count.add(&transaction(0, outcome), 1, &mut Vec::new());
        assert_eq!(count.transactions, u64::from(outcome != Outcome::Unfinished), "{}", outcome.name());
    }
}

/// The original printed 5184.00168180466 bytes, a concurrency of 3587.3 and statuses 4 and 24179.
#[test]
fn many_copies_do_not_mix_their_results() {
    let mut count = Count::default();
    let one = Transaction { body_bytes: 4, took_ns: 1_000_000, ..transaction(200, Outcome::Completed) };
    (0..1_200).for_each(|_| count.add(&one, 1, &mut Vec::new()));
    let text = report(&count, Duration::from_millis(300));
    let expected = "\
Transactions:           1200
Elapsed time:           0.300 sec
Bytes Transferred:      4800 bytes
Response Time:          0.00 sec
Transaction Rate:       4000.00 trans/sec
Throughput:             16000.00 bytes/sec
Concurrency:            4.0
Status Code 200:        1200
";
    assert_eq!(text, expected);
}

#[test]
fn a_run_without_transactions_divides_nothing_by_zero() {
    let text = report(&Count::default(), Duration::ZERO);
    assert!(text.starts_with("Transactions:           0\nElapsed time:           0.000 sec\n"), "{text}");
    assert!(text.ends_with("Concurrency:            0.0\n"), "{text}");
}

#[test]
fn words_that_mean_nothing_are_answered_as_the_original_does() {
    let rows = [("t03_usage", ""), ("t04_badopt", "-z http://127.0.0.1:28080/")];
    for (name, words) in rows {
        assert_eq!(given(words).unwrap_err().stderr, stderr(name), "{name}");
    }
    let usage = stderr("t03_usage");
    let rows = [
        ("0", "", "zero is no URL"),
        ("-t 5", "", "no URL"),
        ("http://a.test/ -t", "", ""),
        ("-t", "", "a value is missing"),
        ("-zq u", "Unknown option: z\nUnknown option: q\n", "each is named"),
        ("-zt5 u", "Unknown option: z\n", "and the rest of the word is read"),
        ("-P5 u", "Unknown option: 5\n", "flags have no values"),
        (
            "--foo u",
            "Unknown option: -\nUnknown option: f\nUnknown option: o\nUnknown option: o\n",
            "no long names",
        ),
    ];
    for (words, before, reason) in rows.into_iter().filter(|(_, _, reason)| !reason.is_empty()) {
        assert_eq!(given(words).unwrap_err().stderr, format!("{before}{usage}"), "{reason}");
    }
    assert_eq!(given("-t -5 u").unwrap_err().stderr, "torture.pl: 1 copies of -5 fetches make no test\n");
}

#[test]
fn options_are_read_by_the_rules_of_getopt_std() {
    let rows = [
        ("-t5 u", "-t 5 u", "attached or not"),
        ("-Pt5 u", "-P -t 5 u", "a value after flags in one word"),
        ("-Pprx -t2 -c2 -l 10 u", "-P -p -r -t 2 -c 2 -l 10 u", "flags in one word"),
        ("-t 5 -t 3 u", "-t 3 u", "the last counts"),
        ("-t 3 -- u", "-t 3 u", "two dashes end the options"),
        ("u -t 5", "u", "so does the first word that is none"),
        ("-t 0 -c 0 u", "u", "zero is the default"),
        ("-t abc u", "u", "so is what is no number"),
        ("-t 2.9 -c 1.5 u", "-t 2 -c 2 u", "fractions of fetches are cut, of copies filled up"),
        ("-t 1e2 u", "-t 100 u", "numbers are Perl's"),
        ("-l -5 u", "u", "a negative length is none"),
        ("-x u", "u", "accepted, and nothing more"),
    ];
    for (one, other, reason) in rows {
        let url = |words: &str| words.replace('u', "http://a.test/");
        assert_eq!(meant(&url(one)), meant(&url(other)), "{reason}");
    }
    let plan = meant("- http://a.test/").plan;
    assert_eq!(plan.requests[0].endpoint.host, "", "a dash alone is a URL, though a bad one");
    assert_eq!(plan.network.unresolved, Unresolved::Count);
}

#[test]
fn copies_are_users_of_a_closed_loop() {
    let plan = plan("-c 4 -t 5 -d 0.3 -s 99 http://a.test:81/x?y");
    assert_eq!(plan.schedule, Schedule::Closed { users: 4, ramp: Duration::ZERO });
    assert_eq!(
        plan.session.work,
        Work::Draw { calls: Some(5), burst: 1, first_alone: false, order: Order::Sequential }
    );
    assert_eq!(
        plan.session.think,
        Think::Uniform { min: Duration::ZERO, max: Duration::from_millis(300), granularity: Duration::ZERO }
    );
    assert_eq!(plan.session.think_at, ThinkAt::Before);
    assert_eq!((plan.stop.duration, plan.stop.calls), (None, None));
    assert_eq!((plan.timeouts.connect, plan.timeouts.call), (None, None));
    assert_eq!(plan.seed, 99);
    let request = &plan.requests[0];
    assert_eq!((request.method.as_str(), &*request.path), ("GET", "/x?y"));
    assert_eq!((request.endpoint.host.as_str(), request.endpoint.port), ("a.test", 81));
    assert_eq!(meant("-c 4 -t 5 http://a.test/").style.transactions(), 20);
}

#[test]
fn a_request_is_its_request_line_alone() {
    let plan = plan("http://a.test/x");
    assert_eq!(plan.requests[0].head.as_deref(), Some("GET /x HTTP/1.0\r\n"));
    assert_eq!((&plan.requests[0].holes[..], &plan.requests[0].body), (&[][..], &Body::None));
    assert_eq!(plan.connections.reply_end, ReplyEnd::Close);
}

#[test]
fn random_data_goes_into_query_path_or_body() {
    let data = |max, escaped| RandomData { max, escaped };
    let post = "POST /x HTTP/1.0\r\nContent-type: application/octet-stream\r\n";
    // The head, with a star in place of the data, and the data.
    let rows = [
        ("-l 20 http://a.test/x", "GET /x?* HTTP/1.0\r\n", Some(data(20, true))),
        ("-l 20 http://a.test", "GET /?* HTTP/1.0\r\n", Some(data(20, true))),
        ("-l 20 -p http://a.test/x", "GET /x/* HTTP/1.0\r\n", Some(data(20, true))),
        ("-l 20 -p http://a.test/x/", "GET /x/* HTTP/1.0\r\n", Some(data(20, true))),
        ("-l 20 -P http://a.test/x", post, Some(data(20, true))),
        ("-l 20 -Pr http://a.test/x", post, Some(data(20, false))),
        ("-l 20 -pPr http://a.test/x", "GET /x/* HTTP/1.0\r\n", Some(data(20, false))),
        ("-l 0.5 http://a.test/x", "GET /x?* HTTP/1.0\r\n", Some(data(1, true))),
        ("-l 20 http://a.test/\u{e9}", "GET /\u{c3}\u{a9}?* HTTP/1.0\r\n", Some(data(20, true))),
        // Without data the request is not a POST and contains no data.
        ("-P -p -r http://a.test/x", "GET /x HTTP/1.0\r\n", None),
        ("-l -5 -P http://a.test/x", "GET /x HTTP/1.0\r\n", None),
    ];
    for (words, expected, data) in rows {
        let request = &plan(words).requests[0];
        let mut head: Vec<char> = request.head.as_deref().unwrap().chars().collect();
        let mut drawn = match request.body {
            Body::Random(data) => Some(data),
            _ => None,
        };
        for hole in &request.holes {
            let HoleValue::Random(data) = hole.value else { panic!("{words}: {hole:?}") };
            drawn = Some(data);
            head.insert(hole.at as usize, '*');
        }
        assert_eq!((String::from_iter(head).as_str(), drawn), (expected, data), "{words}");
    }
}

#[test]
fn urls_are_taken_apart_as_the_original_does() {
    let rows = [
        ("http://a.test", Some(("a.test", 80, ""))),
        ("http://a.test/", Some(("a.test", 80, "/"))),
        ("http://a.test:81", Some(("a.test", 81, ""))),
        ("http://a.test:81/x#y z", Some(("a.test", 81, "/x#y z"))),
        ("http://a.test/x\ny", Some(("a.test", 80, "/x"))),
        ("http://a.test:x/", Some(("a.test:x", 80, "/"))),
        ("http://a.test:/", Some(("a.test:", 80, "/"))),
        ("http://a.test:99999/", None),
        ("https://a.test/", None),
        ("HTTP://a.test/", None),
        ("a.test/", None),
        ("http:///x", None),
    ];
    for (url, parts) in rows {
        assert_eq!(options::split(url), parts, "{url}");
    }
}

#[test]
fn numbers_are_read_as_perl_reads_them() {
    // Each line was printed by Perl.
    let rows = [
        ("2.9", 2.9),
        ("abc", 0.0),
        ("0x10", 0.0),
        ("1e2", 100.0),
        (" 5", 5.0),
        ("-3", -3.0),
        ("5abc", 5.0),
        (".5", 0.5),
        ("1_000", 1.0),
        ("+4", 4.0),
        ("1e", 1.0),
        ("5.", 5.0),
        ("", 0.0),
        ("-", 0.0),
        (".", 0.0),
    ];
    for (text, value) in rows {
        assert_eq!(options::number(text), value, "{text}");
    }
}

#[test]
fn the_dates_are_ctimes() {
    assert_eq!(
        starting("Wed Sep  1 08:00:00 1999"),
        "** torture.pl version 1.05 starting at Wed Sep  1 08:00:00 1999\n"
    );
}

#[test]
fn details_tell_made_up_statuses_and_the_program_s_own_share() {
    let style = meant("-v -c 2 -t 2 http://a.test/").style;
    let mut count = Count::default();
    for outcome in [Outcome::Refused, Outcome::Refused, Outcome::Closed] {
        let made = Transaction { making_ns: 4_000_000, ..transaction(0, outcome) };
        count.add(&made, 1, &mut Vec::new());
    }
    let own = Own { cpu: Duration::from_millis(3), threads: 2 };
    let expected = "\
torture.pl: seed 7
torture.pl: status 400 stands 1 times for: connection closed before the reply
torture.pl: status 503 stands 2 times for: connection refused
torture.pl: 1 transactions were not made
torture.pl: making random data took 0.012 sec, which is in no response time
torture.pl: own overhead 0.003 sec of CPU, 1000.0 microseconds a transaction, 15 % of the time there was
";
    assert_eq!(details(&style, &count, Duration::from_millis(10), own), expected);
}
