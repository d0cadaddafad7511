use super::*;
use crate::siege::getopt::getopt;

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

fn set(line: &str) -> Settings {
    let read = getopt(&MODERN, &words(line));
    assert_eq!(read.errors, [""; 0], "{line}");
    let mut settings = Settings::shipped();
    for (means, value) in &read.options {
        apply(*means, value.as_deref(), &mut settings).unwrap();
    }
    settle(&mut settings, &read.options);
    settings
}

fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

#[test]
fn every_option_sets_what_it_says() {
    let none = Settings::shipped;
    let header = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
    let rows: Vec<(&str, Settings)> = vec![
        ("-C", Settings { config: true, ..none() }),
        ("--config", Settings { config: true, ..none() }),
        ("-g -C", Settings { config: true, ..none() }),
        ("-v", Settings { verbose: true, ..none() }),
        ("--verbose", Settings { verbose: true, ..none() }),
        ("-q", Settings { quiet: true, ..none() }),
        ("-v -q", Settings { quiet: true, ..none() }),
        ("-D", Settings { debug: true, ..none() }),
        ("--debug", Settings { debug: true, ..none() }),
        ("-D -q", Settings { quiet: true, ..none() }),
        ("-j", Settings { json: true, quiet: true, ..none() }),
        ("--json-output", Settings { json: true, quiet: true, ..none() }),
        ("-j -v", Settings { json: true, quiet: true, ..none() }),
        ("-g", Settings { get: true, concurrent: 1, reps: Reps::Times(1), benchmark: true, ..none() }),
        ("--get", Settings { get: true, concurrent: 1, reps: Reps::Times(1), benchmark: true, ..none() }),
        ("-p", Settings { print: true, concurrent: 1, reps: Reps::Times(1), ..none() }),
        ("-c25", Settings { concurrent: 25, ..none() }),
        ("--concurrent=25", Settings { concurrent: 25, ..none() }),
        ("-r 3", Settings { reps: Reps::Times(3), ..none() }),
        ("--reps=once", Settings { reps: Reps::Once, ..none() }),
        ("-r ONCE", Settings { reps: Reps::Once, ..none() }),
        ("-r -1", Settings { reps: Reps::Forever, ..none() }),
        ("-r -5", Settings { reps: Reps::Times(-5), ..none() }),
        ("-t10S", Settings { time: Some(10), ..none() }),
        ("--time=1H", Settings { time: Some(3_600), ..none() }),
        ("-t10", Settings { time: Some(600), ..none() }),
        ("-d0.5", Settings { delay: 0.5, ..none() }),
        ("--delay=2", Settings { delay: 2.0, ..none() }),
        ("-d -2", none()),
        ("-b -d5", Settings { benchmark: true, ..none() }),
        ("--benchmark", Settings { benchmark: true, ..none() }),
        ("-i", Settings { internet: true, ..none() }),
        ("--internet", Settings { internet: true, ..none() }),
        ("-f list", Settings { file: text("list"), ..none() }),
        ("--file=list", Settings { file: text("list"), ..none() }),
        ("-l", Settings { logging: true, ..none() }),
        ("-lfoo", Settings { logging: true, logfile: text("foo"), ..none() }),
        ("--log=foo", Settings { logging: true, logfile: text("foo"), ..none() }),
        ("-m text", Settings { logging: true, mark: text("text"), ..none() }),
        ("--mark=text", Settings { logging: true, mark: text("text"), ..none() }),
        ("-H X-A:1", Settings { headers: header("X-A", "1"), ..none() }),
        ("--header=X-A:b:c", Settings { headers: header("X-A", "b:c"), ..none() }),
        ("-A me", Settings { user_agent: text("me"), ..none() }),
        ("--user-agent=me", Settings { user_agent: text("me"), ..none() }),
        ("-T a/b", Settings { content_type: text("a/b"), ..none() }),
        ("--content-type=a/b", Settings { content_type: text("a/b"), ..none() }),
        ("-N", none()),
        ("-F", Settings { follow: false, ..none() }),
        ("--no-follow", Settings { follow: false, ..none() }),
        ("--quirks", Settings { quirks: true, ..none() }),
        ("--warwolf-report f", Settings { full_report: text("f"), ..none() }),
        ("--no-verdict", Settings { verdict: Some(false), ..none() }),
        ("--verdict", Settings { verdict: Some(true), ..none() }),
        ("--verdict --no-verdict", Settings { verdict: Some(false), ..none() }),
    ];
    for (line, expected) in rows {
        assert_eq!(set(&format!("siege {line}")), expected, "{line}");
    }
}

#[test]
fn no_parser_turns_it_off() {
    for name in ["-N", "--no-parser"] {
        let mut settings = Settings { parser: true, ..Settings::shipped() };
        let read = getopt(&MODERN, &words(&format!("siege {name}")));
        apply(read.options[0].0, None, &mut settings).unwrap();
        assert!(!settings.parser, "{name}");
    }
}

#[test]
fn lines_asked_for_beat_the_rc_file() {
    let rc = || Settings { json: true, ..Settings::shipped() };
    let verbose = [(Means::Verbose, None)];
    let mut sane = Settings { verbose: true, ..rc() };
    settle(&mut sane, &verbose);
    assert!(sane.verbose && !sane.json && !sane.quiet);
    let mut quiet = Settings { verbose: true, quiet: true, ..rc() };
    settle(&mut quiet, &verbose);
    assert!(quiet.quiet && !quiet.verbose, "the original is quiet all the same");
    let mut of_old = Settings { verbose: true, quirks: true, ..rc() };
    settle(&mut of_old, &verbose);
    assert!(!of_old.verbose && of_old.json && of_old.quiet);
}

#[test]
fn a_header_needs_a_colon() {
    let mut settings = Settings::shipped();
    assert_eq!(apply(Means::Header, Some("NoColon"), &mut settings), Err("no ':' in http-header"));
}

#[test]
fn the_dialect_is_1_00_only_when_it_can_be_no_other() {
    let rows = [
        ("siege -u shemp -d1 -t10 -c25", Era::V100),
        ("siege --url=shemp", Era::V100),
        ("siege --times=10 -f list", Era::V100),
        ("siege -t 10 -c 5", Era::V407),
        ("siege -t 10 http://a/", Era::V407),
        ("siege -u shemp -t10M", Era::V407),
        ("siege -u shemp -b", Era::V407),
        ("siege -u shemp -r 5", Era::V407),
        ("siege http://a/ -u shemp", Era::V407),
        ("siege -c 5", Era::V407),
        ("siege --as 1.00 -t 10", Era::V100),
        ("siege --as=4.1.7 -u shemp", Era::V417),
        ("siege --as=4.1.7", Era::V417),
        ("siege --as=0.9", Era::V407),
    ];
    for (line, expected) in rows {
        assert_eq!(era(&words(line)), expected, "{line}");
    }
}
