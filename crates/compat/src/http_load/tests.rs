use super::*;
use std::io;
use std::path::Path;
use std::time::Duration;
use warwolf_plan::{ArrivalProcess, HttpVersion, Order, ReplyEnd, Schedule, Verify, Work};

fn read(path: &Path) -> io::Result<Vec<u8>> {
    match path.to_str() {
        Some("urls") => Ok(b"http://a.test/x\nhttp://b.test:81/y\nhttp://a.test/x\n".to_vec()),
        Some("secure") => Ok(b"https://a.test/x\n".to_vec()),
        Some("sources") => Ok(b"127.0.0.1\n127.0.0.2\n".to_vec()),
        Some("names") => Ok(b"localhost\n".to_vec()),
        Some("empty") => Ok(Vec::new()),
        _ => Err(io::Error::from_raw_os_error(13)),
    }
}

fn given(words: &str) -> Result<Classic, Usage> {
    let words: Vec<String> = format!("http_load {words}").split_whitespace().map(str::to_owned).collect();
    parse(&words, Machine { connections: 1_000, seed: 7 }, &read)
}

fn meant(words: &str) -> Classic {
    let classic = given(words).unwrap_or_else(|usage| panic!("{words}: {}", usage.stderr));
    classic.plan.clone().check().unwrap_or_else(|error| panic!("{words}: {error}"));
    classic
}

fn refused(words: &str) -> String {
    given(words).map_or_else(|usage| usage.stderr, |_| panic!("{words} was taken"))
}

fn closed(plan: &Plan) -> Option<u32> {
    match plan.schedule {
        Schedule::Closed { users, .. } => Some(users),
        Schedule::Open { .. } | Schedule::Turns { .. } => None,
    }
}

#[test]
fn a_parallel_run_is_a_closed_loop_that_draws_urls_at_random() {
    let Classic { plan, style } = meant("-parallel 5 -fetches 100 urls");
    assert_eq!(closed(&plan), Some(5));
    assert_eq!((plan.stop.calls, plan.stop.duration), (Some(100), None));
    assert_eq!(
        plan.session.work,
        Work::Draw { calls: None, burst: 1, first_alone: false, order: Order::Random }
    );
    assert_eq!(plan.connections.version, HttpVersion::Http10);
    assert!(!plan.connections.keep_alive);
    assert_eq!(plan.seed, 7);
    assert_eq!(style.fetches, Some(100));
    assert_eq!(style.check, Check::Bytes);
    assert_eq!(style.name, "http_load");
    // A duplicate line is drawn twice as often.
    assert_eq!(style.urls, ["http://a.test/x", "http://b.test:81/y", "http://a.test/x"]);
    assert_eq!(plan.requests.len(), 3);
}

#[test]
fn no_more_fetches_are_under_way_than_are_wanted() {
    assert_eq!(closed(&meant("-p 900 -f 1 urls").plan), Some(1));
    assert_eq!(closed(&meant("-p 900 -s 1 urls").plan), Some(900));
}

#[test]
fn a_rate_is_an_open_loop_of_exactly_that_rate() {
    for rate in [1, 3, 400, 600, 1_000] {
        let plan = meant(&format!("-rate {rate} -seconds 2 urls")).plan;
        let arrivals = ArrivalProcess::Constant { rate: f64::from(rate) };
        assert_eq!(plan.schedule, Schedule::Open { arrivals, burst: 1 });
        assert_eq!(
            plan.session.work,
            Work::Draw { calls: Some(1), burst: 1, first_alone: false, order: Order::Random }
        );
        assert_eq!(plan.stop.duration, Some(Duration::from_secs(2)));
    }
}

#[test]
fn jitter_is_a_tenth_to_either_side() {
    let plan = meant("-r 20 -j -s 3 urls").plan;
    let arrivals = ArrivalProcess::Uniform { min: Duration::from_millis(45), max: Duration::from_millis(55) };
    assert_eq!(plan.schedule, Schedule::Open { arrivals, burst: 1 });
}

#[test]
fn at_a_rate_fetches_are_started_until_enough_are_over() {
    let Classic { plan, style } = meant("-rate 50 -fetches 30 urls");
    assert_eq!((plan.stop.calls, plan.stop.duration), (None, None));
    let period = Duration::from_millis(20);
    let arrivals = ArrivalProcess::Uniform { min: period, max: period };
    assert_eq!(plan.schedule, Schedule::Open { arrivals, burst: 1 }, "the first one period after the start");
    assert_eq!(style.fetches, Some(30));
}

#[test]
fn the_last_of_two_starts_and_of_two_ends_counts() {
    let Classic { plan, style } = meant("-p 1 -r 10 -f 1 -s 1 urls");
    assert_eq!(plan, meant("-r 10 -s 1 urls").plan);
    assert_eq!(style.fetches, None);
    assert_eq!(meant("-r 10 -s 1 -p 1 -f 1 urls").plan, meant("-p 1 -f 1 urls").plan);
}

#[test]
fn the_first_name_in_the_order_of_the_original_that_begins_with_a_word_is_meant() {
    let start = "-p 1 -f 1";
    let rows = [
        ("-c", "-checksum", "checksum, not cipher"),
        ("-t", "-throttle", "throttle, not timeout: what follows is no value"),
        ("-ti 5", "-timeout 5", "timeout"),
        ("-T 100", "-Throttle 100", "its value form"),
        ("-v", "-verbose", "verbose"),
        ("-si sources", "-sip sources", "sip, not seconds"),
        ("-ci x", "-cipher x", "cipher"),
        ("-pr p.test:1", "-proxy p.test:1", "proxy, not parallel"),
        ("-see 3", "-seed 3", "ours: `-se` stays what it was"),
        ("-n", "-nocheck", "ours"),
    ];
    for (short, long, reason) in rows {
        assert_eq!(
            meant(&format!("{short} {start} urls")),
            meant(&format!("{long} {start} urls")),
            "{reason}"
        );
    }
    assert_eq!(meant("-p 1 -se 4 urls"), meant("-p 1 -seconds 4 urls"));
    assert!(refused("-t 5 -p 1 -f 1 urls").starts_with("usage:"), "5 is then the file, and too much follows");
}

#[test]
fn a_value_that_is_missing_is_answered_with_the_usage() {
    for words in
        ["-p", "-p 1 -f", "-p 1 -f 1 -si", "-p 1 -f 1 urls -p", "-p 1 -f 1", "-p 1 urls", "-f 1 urls"]
    {
        assert!(refused(words).starts_with("usage:  http_load "), "{words}");
    }
}

#[test]
fn values_that_are_out_of_range_are_named_in_the_order_in_which_they_are_read() {
    let rows = [
        ("-p 0", "http_load: parallel must be at least 1\n"),
        ("-p 1001 -r 0 urls", "http_load: parallel may be at most 1000\n"),
        ("-r 0 -p 0", "http_load: rate must be at least 1\n"),
        ("-f -3", "http_load: fetches must be at least 1\n"),
        ("-s x", "http_load: seconds must be at least 1\n"),
        ("-p 1 -f 1 secret", "secret: Permission denied\n"),
        ("-p 1 -f 1 empty", "http_load: no URLs in empty\n"),
        ("-p 1 -f 1 -sip names urls", "http_load: cannot convert source IP address localhost\n"),
    ];
    for (words, text) in rows {
        assert_eq!(refused(words), text, "{words}");
    }
}

#[test]
fn a_lone_dash_ends_the_options_and_is_the_file() {
    assert_eq!(refused("-p 1 -f 1 -"), "-: Permission denied\n");
}

#[test]
fn numbers_are_read_as_c_reads_them() {
    let rows =
        [("5", 5), (" 5", 5), ("5x", 5), ("x", 0), ("", 0), ("-2", -2), ("+2", 2), ("99999999999", i32::MAX)];
    for (text, value) in rows {
        assert_eq!(options::number(text), value, "{text}");
    }
}

#[test]
fn a_proxy_is_connected_to_and_sees_whole_urls() {
    let plan = meant("-proxy p.test -p 1 -f 1 urls").plan;
    let endpoint = &plan.requests[0].endpoint;
    assert_eq!((endpoint.host.as_str(), endpoint.port), ("p.test", 80));
    assert_eq!(&*plan.requests[1].path, "http://b.test:81/y");
}

#[test]
fn tls_takes_any_certificate_and_the_old_words_for_ciphers() {
    let plan = meant("-ci PARANOID -p 1 -f 1 secure").plan;
    assert_eq!(plan.tls.verify, Verify::Off);
    assert_eq!(plan.tls.ciphers[0], "TLS_AES_256_GCM_SHA384");
    assert_eq!(meant("-ci a:b -p 1 -f 1 secure").plan.tls.ciphers, ["a", "b"]);
}

#[test]
fn what_is_asked_of_a_fetch_is_in_the_plan() {
    let plan = meant("-p 1 -f 1 urls").plan;
    assert_eq!(plan.network.receive_rate, None);
    assert_eq!(plan.timeouts.idle, Some(Duration::from_secs(60)));
    assert_eq!((plan.timeouts.connect, plan.timeouts.call), (None, None), "a fetch that goes on may go on");
    assert_eq!(plan.connections.reply_end, ReplyEnd::Length);
    assert_eq!(meant("-c -p 1 -f 1 urls").style.check, Check::Checksum);
    assert_eq!(meant("-ti 5 -p 1 -f 1 urls").plan.timeouts.idle, Some(Duration::from_secs(5)));
    for (words, rate) in [("-t", 3_360), ("-T 33600", 3_360), ("-T 20", 2), ("-T 9", 1), ("-T -1", 1)] {
        let plan = meant(&format!("{words} -p 1 -f 1 urls")).plan;
        assert_eq!(plan.network.receive_rate, Some(rate), "{words}");
    }
}

#[test]
fn sources_are_the_addresses_of_their_file() {
    let plan = meant("-sip sources -p 1 -f 1 urls").plan;
    let addresses: Vec<_> = plan.network.bind.iter().map(ToString::to_string).collect();
    assert_eq!(addresses, ["127.0.0.1", "127.0.0.2"]);
}

#[test]
fn a_run_is_over_when_enough_fetches_are_and_what_ends_later_counts_for_nothing() {
    let style = meant("-r 5 -f 2 urls").style;
    let mut count = Count::new(&style);
    let fetch = Fetch {
        url: 0,
        started_ns: 0,
        connected_ns: Some(1_000),
        answered_ns: Some(2_000),
        finished_ns: 3_000,
        body_bytes: 10,
        status: 200,
        checksum: 0,
        ending: Ending::Whole,
    };
    let mut said = String::new();
    for (finished_ns, over) in [(3_000, false), (4_000, true), (5_000, true)] {
        count.add(&Fetch { finished_ns, ..fetch }, &mut said);
        assert_eq!(count.is_done(), over);
    }
    assert_eq!((count.completed(), count.last_ns()), (2, 4_000));
    assert_eq!(count.body_bytes, 20);
}

#[test]
fn fetches_without_a_connection_are_no_wrong_byte_counts_and_errors_of_the_server_no_reference() {
    let style = meant("-p 1 -f 100 urls").style;
    let fetch = |status, body_bytes, ending| Fetch {
        url: 0,
        started_ns: 0,
        connected_ns: None,
        answered_ns: None,
        finished_ns: 0,
        body_bytes,
        status,
        checksum: 0,
        ending,
    };
    let refused = Ending::from(warwolf_measure::Outcome::Refused);
    let rows = [
        (fetch(500, 7, Ending::Whole), 0, "an error page is not what others are compared with"),
        (fetch(0, 0, refused), 0, "nothing was fetched"),
        (fetch(200, 5, Ending::Whole), 0, "the first whole reply"),
        (fetch(0, 0, refused), 0, "still nothing fetched"),
        (fetch(200, 5, Ending::Whole), 0, "the same"),
        (fetch(500, 7, Ending::Whole), 1, "an error page among good ones"),
        (fetch(200, 3, Ending::Cut), 2, "a reply cut short"),
        (fetch(200, 3, Ending::TimedOut), 3, "and one that stalled"),
        (fetch(0, 0, Ending::Cut), 4, "and a connection closed without a reply"),
    ];
    let mut count = Count::new(&style);
    for (fetch, bad, reason) in rows {
        count.add(&fetch, &mut String::new());
        assert_eq!(count.bad, bad, "{reason}");
    }
}

#[test]
fn a_hundred_thousand_urls_are_read() {
    let file: String = (0..100_000).map(|number| format!("http://a.test/{number}\n")).collect();
    let words = ["http_load", "-p", "10", "-s", "1", "urls"].map(str::to_owned);
    let read = |_: &Path| Ok(file.clone().into_bytes());
    let classic = parse(&words, Machine { connections: 1_000, seed: 0 }, &read).unwrap();
    assert_eq!(classic.plan.requests.len(), 100_000);
    assert_eq!(&*classic.plan.requests[99_999].path, "/99999");
    classic.plan.check().unwrap();
}
