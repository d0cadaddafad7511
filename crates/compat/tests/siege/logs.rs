//! The log file, row by row.

use crate::captures::{Capture, text};
use std::time::Duration;
use warwolf_compat::siege::{Counts, Finish, Moment, Style, log_header, log_rows, log_trouble, parse};

const AT: Moment = Moment { year: 2026, month: 11, day: 21, weekday: 6, hour: 1, minute: 34, second: 48 };

fn style(name: &str, quirks: bool) -> Style {
    let capture = Capture::read(name);
    let argv = if quirks { capture.argv_of_old() } else { capture.argv.clone() };
    parse(&argv, &capture.world()).unwrap().style
}

fn hits(hits: u64, elapsed_ms: u64, total_ms: u64) -> Counts {
    Counts {
        hits,
        successful: hits,
        bytes: hits * 10_240,
        elapsed: Duration::from_millis(elapsed_ms),
        total: Duration::from_millis(total_ms),
        ..Counts::default()
    }
}

#[test]
fn the_captured_log_is_written_again() {
    let failed = Counts { failed: 1, ..Counts::default() };
    let log = [
        log_header(&style("70-log", true)).to_owned(),
        log_rows(&style("70-log", true), &hits(31, 810, 0), Finish::Lifted, &AT),
        log_rows(&style("71-log-append", true), &hits(6, 10, 10), Finish::Done, &AT),
        log_rows(&style("70-log", true), &failed, Finish::Done, &AT),
    ];
    assert_eq!(log.concat(), text("72-logfile.txt"));
}

#[test]
fn an_aborted_run_is_marked() {
    let style = style("110-abort", true);
    let failed = Counts { failed: 6, ..Counts::default() };
    let at = Moment { minute: 36, second: 22, ..AT };
    let log = log_header(&style).to_owned() + &log_rows(&style, &failed, Finish::Aborted, &at);
    assert_eq!(log, text("110-abort.logfile.txt"));
}

#[test]
fn nothing_is_divided_by_nothing() {
    let counts = Counts { bytes: 3 * 1_048_576 / 2, ..hits(6, 1_000, 0) };
    let row = log_rows(&style("70-log", false), &counts, Finish::Done, &AT);
    assert_eq!(
        row,
        "2026-11-21 01:34:48,      6,       1.00,           1,       0.00,        6.00,        1.50,        0.00,       6,       0\n",
        "whole megabytes in their column, all of them in the throughput"
    );
    let nothing = log_rows(&style("70-log", false), &Counts::default(), Finish::Done, &AT);
    assert!(!nothing.contains("nan"), "{nothing}");
}

#[test]
fn a_log_that_cannot_be_written_is_told_of() {
    let capture = Capture::read("75-log-unwritable");
    let style = style("75-log-unwritable", true);
    let text = log_trouble(style.log.as_ref().unwrap(), "No such file or directory");
    assert!(capture.stderr.ends_with(&text), "{text}");
}

#[test]
fn the_log_of_1_00_has_nine_columns() {
    let capture = Capture::read("06-quiet");
    let argv: Vec<String> = ["siege", "-u", "shemp", "-m", "start HTTPS testing"].map(str::to_owned).to_vec();
    let style = parse(&argv, &capture.world()).unwrap().style;
    let counts = Counts {
        hits: 250,
        ok: 230,
        bytes: 5_000_000,
        head_bytes: 24_760,
        elapsed: Duration::from_millis(61_860),
        total: Duration::from_millis(337_500),
        ..Counts::default()
    };
    let at = Moment { year: 2001, month: 2, day: 27, weekday: 2, hour: 0, minute: 40, second: 1 };
    let rows = log_rows(&style, &counts, Finish::Done, &at);
    let (mark, row) = rows.split_once('\n').unwrap();
    assert_eq!(mark, "**** start HTTPS testing ****");
    let columns: Vec<&str> = row.trim_end().split(',').map(str::trim).collect();
    assert_eq!(
        columns,
        ["02/27/01 00:40:01", "250", "61.86", "5024760", "1.35", "4.04", "81227.93", "5.46", "230"],
        "the manual's sample"
    );
    let header: Vec<&str> = log_header(&style).lines().nth(1).unwrap().split(',').map(str::trim).collect();
    assert_eq!(
        header,
        ["Date & Time", "Trans", "Time", "Trans", "Time", "Rate", "Thruput", "Concur", "OKAY"]
    );
}
