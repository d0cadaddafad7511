//! Command lines that end without a run.

use crate::captures::{Capture, all};
use warwolf_compat::siege::parse;

#[test]
fn endings_are_those_of_the_original() {
    let names = [
        "01-version",
        "02-help",
        "25-get-nourl",
        "27-config",
        "28-config-default",
        "53-nourls",
        "54-emptyurls",
        "55-badrc",
        "57-badheader",
        "59-time-nounit",
        "60-time-lower",
        "61-time-frac",
        "62-reps-once",
        "170-empty-rc-C",
        "176-longline",
        "200-v417-V",
    ];
    for name in names {
        let capture = Capture::read(name);
        let ending = parse(&capture.argv_of_old(), &capture.world()).unwrap_err();
        assert_eq!(ending.output.stdout, capture.stdout, "{name}: stdout");
        assert_eq!(ending.output.stderr, capture.stderr, "{name}: stderr");
        assert_eq!(ending.code, capture.code, "{name}: exit code");
    }
}

#[test]
fn the_rest_of_the_captured_command_lines_make_a_run() {
    let mut runs = 0;
    for capture in all().iter().filter(|capture| capture.stderr.contains("** SIEGE")) {
        let classic = parse(&capture.argv_of_old(), &capture.world());
        let classic = classic.unwrap_or_else(|ending| panic!("{}: {ending:?}", capture.name));
        if let Some(plan) = &classic.plan {
            plan.clone().check().unwrap_or_else(|error| panic!("{}: {error}", capture.name));
        }
        runs += 1;
    }
    assert!(runs > 120, "{runs}");
}

#[test]
fn complaints_come_once_unless_all_is_to_be_as_it_was() {
    for name in ["56-badopt", "58-uopt", "163-times", "164-agent"] {
        let capture = Capture::read(name);
        let twice = parse(&capture.argv_of_old(), &capture.world()).unwrap().before.stderr;
        assert!(capture.stderr.starts_with(&twice), "{name}: {twice}");
        let mut argv = capture.argv.clone();
        argv.extend(["--as".to_owned(), "4.0.7".to_owned()]);
        let once = parse(&argv, &capture.world()).unwrap().before.stderr;
        assert_eq!(once.repeat(2), twice, "{name}");
    }
}
