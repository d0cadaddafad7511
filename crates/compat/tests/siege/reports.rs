//! Every captured report, printed again from the counts in it.

use crate::captures::{Capture, all};
use std::time::Duration;
use warwolf_compat::siege::{Counts, Era, Finish, Moment, banner, log_notice, parse, report};

const MEGABYTE: f64 = 1_048_576.0;

/// The number after a label, where it stands; both layouts and JSON.
fn number(text: &str, label: &str) -> f64 {
    let rest = text.split_once(label).unwrap_or_else(|| panic!("no `{label}` in {text}")).1;
    let rest = rest.trim_start_matches(['"', ':', '\t', ' ']);
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
    rest[..end].parse().unwrap_or_else(|error| panic!("{label}: {error} in {text}"))
}

/// A value of which two printed figures are quotients; each is exact to half its last digit.
fn between(first: (f64, f64), second: (f64, f64), step: f64) -> f64 {
    let interval =
        |(printed, factor): (f64, f64)| ((printed - 0.004_99) * factor, (printed + 0.004_99) * factor);
    let (a, b) = (interval(first), interval(second));
    let (low, high) = (a.0.max(b.0).max(0.0), a.1.min(b.1));
    let value = ((low + high) / 2.0 / step).round() * step;
    if value >= low && value <= high { value } else { (low / step).ceil() * step }
}

/// Counts from which the printed figures follow.
fn counts(text: &str, milliseconds: bool, json: bool) -> Counts {
    let label = |classic: &'static str, key: &'static str| if json { key } else { classic };
    let get = |classic: &'static str, key: &'static str| number(text, label(classic, key));
    let unit = if milliseconds { 1_000.0 } else { 1.0 };
    let elapsed = get("Elapsed time:", "elapsed_time");
    let hits = get("Transactions:", "transactions\"");
    let none = (0.0, f64::MAX);
    let rated = |printed: f64, factor: f64| if factor > 0.0 { (printed, factor) } else { none };
    let response = get("Response time:", "response_time");
    let concurrency = get("Concurrency:", "concurrency");
    // A run that ended in less than one tick prints no rates, and its time can only be told from its replies.
    let total = between(rated(response, hits / unit), rated(concurrency, elapsed), 0.000_001);
    let megabytes = get("Data transferred:", "data_transferred");
    let throughput = get("Throughput:", "throughput");
    let bytes = between((megabytes, MEGABYTE), rated(throughput, elapsed * MEGABYTE), 1.0);
    let seconds = |value: f64| Duration::from_secs_f64(value);
    Counts {
        hits: hits as u64,
        successful: get("Successful transactions:", "successful_transactions") as u64,
        failed: get("Failed transactions:", "failed_transactions") as u64,
        ok: 1,
        bytes: bytes as u64,
        head_bytes: 0,
        total: seconds(total),
        longest: seconds(get("Longest transaction:", "longest_transaction") / unit),
        shortest: seconds(get("Shortest transaction:", "shortest_transaction") / unit),
        elapsed: Duration::from_millis((elapsed * 100.0).round() as u64 * 10),
    }
}

/// The text without notices, which come in no order.
fn without_notices(text: &str) -> String {
    let mut rest = text.to_owned();
    while let Some(start) = rest.find("[\u{1b}[1;3") {
        let end = rest[start..].find('\n').map_or(rest.len(), |at| start + at + 1);
        // One sort ends with an empty line, one begins on the line of the text before it.
        let end = if rest[start..end].contains("UNSPPRTD") { end + 1 } else { end };
        rest.replace_range(start..end, "");
    }
    let lines = ["ERROR: Unable", "       in the following realm", "       Did you set login"];
    rest.split_inclusive('\n').filter(|line| !lines.iter().any(|begin| line.starts_with(begin))).collect()
}

fn finish(capture: &Capture) -> Finish {
    if capture.stderr.contains("Lifting") {
        Finish::Lifted
    } else if capture.stderr.contains("aborted") {
        Finish::Aborted
    } else {
        Finish::Done
    }
}

#[test]
fn every_captured_report_is_printed_byte_for_byte() {
    let mut printed = 0;
    for capture in all().iter().filter(|capture| capture.stderr.contains("Transactions:")) {
        let name = &capture.name;
        let classic = parse(&capture.argv_of_old(), &capture.world()).unwrap();
        let style = &classic.style;
        let counts = counts(&capture.stderr, style.era == Era::V417, false);
        let begun = banner(style, &Moment::default());
        let ended = report(style, &counts, finish(capture));
        let text = [classic.before.stderr, begun.stderr, ended.stderr].concat();
        assert_eq!(without_notices(&text), without_notices(&capture.stderr), "{name}");
        assert_eq!((begun.stdout.as_str(), ended.stdout.as_str()), ("", ""), "{name}");
        printed += 1;
    }
    assert!(printed > 120, "{printed}");
}

#[test]
fn every_captured_json_report_is_printed_byte_for_byte() {
    let mut printed = 0;
    for capture in all().iter().filter(|capture| capture.stdout.starts_with('{')) {
        let classic = parse(&capture.argv_of_old(), &capture.world()).unwrap();
        let style = &classic.style;
        let ended = report(style, &counts(&capture.stdout, false, true), Finish::Done);
        let notice = style.log.as_ref().map(|log| log_notice(style, log).stdout).unwrap_or_default();
        assert_eq!(ended.stdout + &notice, capture.stdout, "{}", capture.name);
        assert_eq!(ended.stderr, capture.stderr, "{}", capture.name);
        printed += 1;
    }
    assert!(printed >= 7, "{printed}");
}

#[test]
fn quiet_runs_print_nothing() {
    for name in ["06-quiet", "22-get-quiet-404"] {
        let capture = Capture::read(name);
        let style = parse(&capture.argv_of_old(), &capture.world()).unwrap().style;
        let begun = banner(&style, &Moment::default());
        let ended = report(&style, &Counts::default(), Finish::Done);
        for text in [begun.stdout, begun.stderr, ended.stdout, ended.stderr] {
            assert_eq!(text, "", "{name}");
        }
    }
}

#[test]
fn notices_of_an_ended_log_are_those_of_the_original() {
    let mut read = 0;
    for capture in all().iter().filter(|capture| capture.stdout.contains("LOG FILE")) {
        let style = parse(&capture.argv_of_old(), &capture.world()).unwrap().style;
        let notice = log_notice(&style, style.log.as_ref().unwrap()).stdout;
        assert!(capture.stdout.ends_with(&notice) && !notice.is_empty(), "{}: {notice}", capture.name);
        read += 1;
    }
    assert!(read >= 8, "{read}");
}

#[test]
fn the_limit_is_said_as_it_was() {
    let capture = Capture::read("52-limit");
    let classic = parse(&capture.argv_of_old(), &capture.world()).unwrap();
    assert_eq!(classic.before.stdout, capture.stdout);
    assert_eq!(classic.style.users, 255);
}

#[test]
fn the_manuals_report_of_1_00_has_eight_lines() {
    let capture = Capture::read("06-quiet");
    let argv: Vec<String> =
        "siege -u shemp.whoohoo.com/howto/Admin.html -d1 -t10 -c25".split(' ').map(str::to_owned).collect();
    let style = parse(&argv, &capture.world()).unwrap().style;
    let counts = Counts {
        hits: 250,
        successful: 250,
        ok: 250,
        bytes: 398_000,
        head_bytes: 50_000,
        total: Duration::from_millis(108_260),
        elapsed: Duration::from_millis(14_670),
        ..Counts::default()
    };
    let at = Moment { year: 2000, month: 12, day: 13, weekday: 3, hour: 23, minute: 42, second: 16 };
    let text = banner(&style, &at).stdout + &report(&style, &counts, Finish::Done).stdout;
    assert_eq!(
        text,
        "** Siege 1.00 2000/12/13 23:42:16\n\
         ** Preparing 25 concurrent users for battle.\n\
         The server is now under siege...done\n\
         Transactions:                   250 hits\n\
         Elapsed time:                 14.67 secs\n\
         Data transferred:            448000 bytes\n\
         Response time:                 0.43 secs\n\
         Transaction rate:             17.04 trans/sec\n\
         Throughput:                30538.51 bytes/sec\n\
         Concurrency:                   7.38\n\
         Status code 200:                250\n"
    );
}

#[test]
fn the_report_of_a_story_from_2010_is_printed_again() {
    // squid under `siege -b -c 500 -t 60s`, as published: 653,212 successful transactions of 653,211.
    let capture = Capture::read("190-realistic");
    let style = parse(&capture.argv_of_old(), &capture.world()).unwrap().style;
    let counts = Counts {
        hits: 653_211,
        successful: 653_212,
        bytes: (1_238.43 * MEGABYTE) as u64,
        total: Duration::from_millis(29_607_341),
        longest: Duration::from_millis(3_010),
        elapsed: Duration::from_millis(59_350),
        ..Counts::default()
    };
    assert_eq!(
        report(&style, &counts, Finish::Lifted).stderr,
        "\nLifting the server siege...\n\
         Transactions:\t\t      653211 hits\n\
         Availability:\t\t      100.00 %\n\
         Elapsed time:\t\t       59.35 secs\n\
         Data transferred:\t     1238.43 MB\n\
         Response time:\t\t        0.05 secs\n\
         Transaction rate:\t    11006.08 trans/sec\n\
         Throughput:\t\t       20.87 MB/sec\n\
         Concurrency:\t\t      498.86\n\
         Successful transactions:      653212\n\
         Failed transactions:\t           0\n\
         Longest transaction:\t        3.01\n\
         Shortest transaction:\t        0.00\n \n"
    );
}
