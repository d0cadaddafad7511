//! The program as a user meets it: words in; text, files and an exit code out. The server is the built-in target, in this
//! process.
#![forbid(unsafe_code)]

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tempfile::TempDir;
use warwolf_target::{Handle, Options};

/// What a finished run of the program left.
#[derive(Debug)]
struct Told {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// The program, independent of how the tests were started: with the environment given here, default signal dispositions (a
/// shell starts background jobs with SIGINT ignored) and a umask of 022.
fn program(words: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", r#"umask 022; exec env --default-signal "$0" "$@""#, env!("CARGO_BIN_EXE_warwolf")]);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    for (name, value) in [("HOME", "/nonexistent"), ("LC_ALL", "C.UTF-8"), ("TZ", "UTC"), ("TERM", "xterm")] {
        command.env(name, value);
    }
    command
        .args(words)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn told(mut command: Command) -> Told {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Told { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn warwolf(words: &[&str]) -> Told {
    told(program(words))
}

fn target() -> (Handle, String) {
    target_with(Options::default())
}

fn target_with(options: Options) -> (Handle, String) {
    let handle = warwolf_target::start(options).unwrap();
    let url = format!("http://{}/", handle.addr());
    (handle, url)
}

fn path_in(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

/// Speech with what differs from run to run made the same: the port, the seed, the threads and the driver.
fn filtered(speech: &str, url: &str) -> String {
    let text = speech.replace(url, "URL");
    let mut words = Vec::new();
    for word in text.split(' ') {
        let after_seed = words.last() == Some(&"seed");
        let number = word.trim_end().bytes().all(|byte| byte.is_ascii_digit());
        words.push(match word {
            "uring," | "epoll," => "DRIVER,",
            "threads," | "thread," => "THREADS,",
            _ if after_seed && number => "SEED\n",
            _ => word,
        });
    }
    words.join(" ")
}

#[test]
fn without_arguments_it_prints_an_overview() {
    let screen = warwolf(&[]);
    assert_eq!(screen.code, Some(0));
    assert!(screen.stdout.starts_with("warwolf loads HTTP servers"), "{screen:#?}");
    for words in [["-h"], ["--help"]] {
        assert_eq!(warwolf(&words).stdout, screen.stdout);
    }
    assert_eq!(warwolf(&["--version"]).stdout, concat!("warwolf ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn every_command_has_its_help() {
    for command in ["run", "explain", "report", "merge", "target", "completions", "man"] {
        let (short, full) = (warwolf(&[command, "-h"]), warwolf(&[command, "--help"]));
        assert_eq!((short.code, full.code), (Some(0), Some(0)), "{command}");
        assert!(full.stdout.contains(&format!("Usage: warwolf {command}")), "{command}: {}", full.stdout);
        assert_eq!(warwolf(&["man", command]).code, Some(0), "{command}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = warwolf(&["completions", shell]);
        assert_eq!(script.code, Some(0));
        assert!(script.stdout.contains("connect-timeout"), "{shell}");
    }
    assert!(warwolf(&["man"]).stdout.contains("warwolf\\-run(1)"));
}

/// Every row: the words, and the whole of what is said.
#[test]
fn help_that_cannot_be_written_is_an_error() {
    for words in [&["--help"][..], &["run", "--help"], &["--version"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a device");
        let mut command = program(words);
        command.stdout(full);
        let told = told(command);
        assert_eq!(told.code, Some(1), "{words:?}: {told:?}");
        assert_eq!(told.stderr, "warwolf: stdout: cannot be written: no space left on device\n");
    }
}

#[test]
fn bad_words_get_one_line_and_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let missing = path_in(&folder, "missing/x.json");
    let missing_says = format!("--output: `{missing}`: cannot be written: no such file or directory");
    let rows: [(&[&str], &str); 19] = [
        (&["run"], "url: none is given; use one such as http://127.0.0.1:8080/, or --urls FILE"),
        (&["-t", "5", "a.test"], "-t: it could mean --timeout, --threads or --duration; use one of these"),
        (&["--requets", "5", "a.test"], "--requets: no such option; did you mean `--requests`?"),
        (&["expalin", "a.test"], "expalin: no such command; did you mean `explain`?"),
        (
            &["server7"],
            "server7: no such command; `warwolf --help` lists them; to load a host of this name, use `http://server7/`",
        ),
        (
            &["run", "--http2", "a.test"],
            "--http2: HTTP/2 and HTTP/3 are not available yet; leave it out, or use --http1",
        ),
        (&["-d", "soon", "a.test"], "--duration: `soon`: use a number with a unit, such as 250ms, 10s or 5m"),
        (&["--urls", "no/such/list"], "--urls: `no/such/list`: cannot be read: no such file or directory"),
        (
            &["-b", "@no/such/body", "a.test"],
            "--body: `no/such/body`: cannot be read: no such file or directory",
        ),
        (&["-b", "@", "a.test"], "--body: `@`: use the path of a file, such as @order.json"),
        (&["--cacert", "no/ca", "a.test"], "--cacert: `no/ca`: cannot be read: no such file or directory"),
        (&["-o", &missing, "a.test"], &missing_says),
        (
            &["-o", "result", "a.test"],
            "--output: `result`: use an extension that says what it is: .wwr (the whole run), .html, .json, .csv, .md, .xml \
             (JUnit) or .txt",
        ),
        (
            &["report", "missing.wwr", "--chart", "rate", "--format", "json"],
            "--chart: it cannot be used together with --format",
        ),
        (
            &["--slo", "p99<fast", "a.test"],
            "--slo: `p99<fast`: `fast`: use a duration with its unit, such as 200ms or 1.5s",
        ),
        (
            &["--slo", "http://a.test/itm: p99<1s", "http://a.test/item"],
            "--slo: `http://a.test/itm: p99<1s`: nothing is named `http://a.test/itm`; did you mean `http://a.test/item`?",
        ),
        (
            &["--shard", "3/2", "a.test"],
            "--shard: `3/2`: use a part and the number of parts, 1/5 to 5/5 for five",
        ),
        (
            &["--shard", "1/2", "a.test"],
            "--shard: the parts of a run have one seed; give each the same --seed N",
        ),
        (
            &["report", "no/such/run"],
            "no/such/run: cannot be read: no such file or directory; give a file of `warwolf run -o FILE.wwr`",
        ),
    ];
    for (words, expected) in rows {
        let told = warwolf(words);
        assert_eq!(told.stderr, format!("warwolf: {expected}\n"), "{words:?}");
        assert_eq!((told.code, told.stdout.as_str()), (Some(2), ""), "{words:?}");
    }
}

#[test]
fn a_bare_url_is_run() {
    let (target, url) = target();
    let run = warwolf(&["-n", "200", "-c", "4", &url]);
    assert_eq!(run.code, Some(0), "{run:#?}");
    assert_eq!(target.requests(), 200);
    assert_eq!(
        filtered(&run.stderr, &url),
        "warwolf: closed loop, 4 users for 200 requests: GET URL; 1 THREADS, DRIVER, seed SEED\n"
    );
    let quiet = warwolf(&["run", "--quiet", "-n", "10", &url]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(0), ""));
}

#[test]
fn an_open_loop_says_its_limit_and_makes_its_calls() {
    let (target, url) = target();
    let run = warwolf(&["-r", "500/s", "-n", "300", "-c", "20", &url]);
    assert_eq!(run.code, Some(0), "{run:#?}");
    assert_eq!(target.requests(), 300);
    assert_eq!(
        filtered(&run.stderr, &url),
        "warwolf: open loop, 500/s for 300 arrivals: GET URL; at most 20 connections, 1 THREADS, DRIVER, seed SEED\n"
    );
}

#[test]
fn a_trace_is_followed_to_its_end() {
    let (target, url) = target();
    let folder = tempfile::tempdir().unwrap();
    let times = path_in(&folder, "times");
    std::fs::write(&times, "0\n50ms\n0.1 # a comment\n150ms\n").unwrap();
    let run = warwolf(&["--arrivals", &format!("trace:{times}"), &url]);
    assert_eq!((run.code, target.requests()), (Some(0), 4), "{run:#?}");
    assert!(run.stderr.contains("open loop, 4 given times for 150ms"), "{}", run.stderr);
    let steps = warwolf(&["--steps", "100x100ms,200x100ms", &url]);
    assert_eq!((steps.code, target.requests()), (Some(0), 34), "{steps:#?}");
}

#[test]
fn options_are_environment_variables_and_words_win() {
    let (target, url) = target();
    let mut command = program(&["run", "-c", "2", &url]);
    command.env("WARWOLF_REQUESTS", "30").env("WARWOLF_CONNECTIONS", "9").env("WARWOLF_QUIET", "yes");
    let run = told(command);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:#?}");
    assert_eq!((target.requests(), target.connections()), (30, 2));
    let rows = [
        ("RATE", "many", "use a positive rate, such as 500/s, 10/ms or 30/m"),
        ("QUIET", "perhaps", "use true or false"),
        ("DRIVER", "kqueue", "use one of uring, epoll"),
    ];
    for (name, value, remedy) in rows {
        let mut command = program(&["run", &url]);
        command.env(format!("WARWOLF_{name}"), value);
        assert_eq!(told(command).stderr, format!("warwolf: WARWOLF_{name}: `{value}`: {remedy}\n"));
    }
}

#[test]
fn an_explained_plan_runs_as_the_words_would() {
    let (target, url) = target();
    let folder = tempfile::tempdir().unwrap();
    for format in ["toml", "json"] {
        let words = ["explain", "--format", format, "-n", "40", "-c", "2", "--seed", "7", url.as_str()];
        let explained = warwolf(&words);
        assert_eq!(explained.code, Some(0));
        assert!(explained.stderr.contains("Closed loop: 2 users"), "{}", explained.stderr);
        let file = path_in(&folder, "plan");
        std::fs::write(&file, &explained.stdout).unwrap();
        let again = warwolf(&["explain", "--quiet", "--format", format, "--plan", &file]);
        assert_eq!((again.stdout, again.stderr.as_str()), (explained.stdout, ""));
        let before = target.requests();
        assert_eq!(warwolf(&["run", "--plan", &file]).code, Some(0));
        assert_eq!(target.requests() - before, 40);
    }
    let before = target.requests();
    let fewer = warwolf(&["run", "--plan", &path_in(&folder, "plan"), "-n", "6", "--slo", "p99<1ns"]);
    assert_eq!((target.requests() - before, fewer.code), (6, Some(99)), "{}", fewer.stderr);
    let said = warwolf(&["run", "--plan", &path_in(&folder, "plan"), "-c", "5"]).stderr;
    assert!(said.starts_with("warwolf: --connections of the command line counts, not the plan\n"), "{said}");
    assert!(said.contains("5 users for 40 requests"), "{said}");
    let both = warwolf(&["run", "--plan", &path_in(&folder, "plan"), "-m", "PUT"]);
    assert_eq!(
        both.stderr,
        "warwolf: --plan: it holds the whole test; leave out --method, or change it in the file\n"
    );
}

#[test]
fn capacity_takes_a_plan_whose_sessions_arrive_at_one_rate() {
    let (_target, url) = target();
    let folder = tempfile::tempdir().unwrap();
    let file = path_in(&folder, "plan.toml");
    let search = |load: &[&str], slo: &[&str]| {
        let plan = warwolf(&[&["explain", "--quiet", &url], load, slo].concat()).stdout;
        std::fs::write(&file, plan).unwrap();
        let words = ["-d", "200ms", "--most", "50/s", "--retests", "0", "--rest", "1ms", "--format", "json"];
        warwolf(&[&["capacity", "--quiet", "--plan", &file], &words[..]].concat())
    };
    let found = search(&["-r", "9/s"], &["--slo", "p50<10s"]);
    assert!(found.stdout.contains("\"p50<10s\""), "{found:#?}");
    let closed = search(&["-c", "2"], &["--slo", "p50<10s"]);
    assert_eq!(
        (closed.code, closed.stderr.as_str()),
        (
            Some(2),
            "warwolf: --plan: its sessions do not arrive at one rate; use a plan with rate = \"50/s\"\n"
        )
    );
    let without = search(&["-r", "9/s"], &[]);
    assert!(without.code == Some(2) && without.stderr.contains("no SLO is given"), "{without:#?}");
}

#[test]
fn a_kept_run_is_reported_again_word_for_word() {
    let (_target, url) = target();
    let folder = tempfile::tempdir().unwrap();
    let file = path_in(&folder, "run.wwr");
    let run = warwolf(&["-n", "100", "-c", "2", "-o", &file, &url]);
    assert_eq!(run.code, Some(0), "{run:#?}");
    let report = warwolf(&["report", &file]);
    assert_eq!((report.code, report.stdout), (Some(0), run.stdout));
    std::fs::write(&file, "something else").unwrap();
    let damaged = warwolf(&["report", &file]);
    assert_eq!(damaged.code, Some(2));
    assert!(damaged.stderr.contains("not a run file"), "{}", damaged.stderr);
}

#[test]
fn a_result_is_written_in_every_form() {
    let (_target, url) = target();
    let folder = tempfile::tempdir().unwrap();
    let rows = [
        ("json", "json", "{\n  \"schema_version\": 1,"),
        ("csv", "csv", "start_ns,end_ns,"),
        ("md", "markdown", "## "),
        ("xml", "junit", "<?xml version="),
        ("txt", "text", ""),
    ];
    let kept = path_in(&folder, "run.wwr");
    let files = rows.map(|(extension, ..)| path_in(&folder, &format!("result.{extension}")));
    let mut words = vec!["--quiet", "-n", "100", "-c", "2", "-o", &kept];
    files.iter().for_each(|file| words.extend(["-o", file]));
    words.push(&url);
    assert_eq!(warwolf(&words).code, Some(0));
    for ((_, format, beginning), file) in rows.iter().zip(&files) {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.starts_with(beginning) && text.ends_with('\n'), "{format}: {text}");
        assert_eq!(warwolf(&["report", "--format", format, &kept]).stdout, text, "{format}");
    }
    let slo = warwolf(&["report", "--slo", "errors>50%", &kept]);
    assert_eq!(slo.code, Some(99), "{slo:#?}");
}

#[test]
fn an_output_keeps_what_it_had_until_there_is_a_result() {
    let folder = tempfile::tempdir().unwrap();
    let file = path_in(&folder, "run.wwr");
    std::fs::write(&file, "the last run").unwrap();
    let run = warwolf(&["-n", "1", "-o", &file, "http://no-such-name.invalid/"]);
    assert_eq!(run.code, Some(1), "{run:#?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "the last run");
}

#[test]
fn parts_of_a_run_add_up() {
    let (target, url) = target();
    let folder = tempfile::tempdir().unwrap();
    let parts = ["1/2", "2/2"].map(|shard| {
        let file = path_in(&folder, &format!("{}.wwr", &shard[..1]));
        let words = ["-n", "100", "-c", "4", "--seed", "5", "--shard", shard, "-o", &file, &url];
        assert_eq!(warwolf(&words).code, Some(0));
        file
    });
    assert_eq!(target.requests(), 100);
    let whole = path_in(&folder, "whole.wwr");
    let merged = warwolf(&["merge", &parts[1], &parts[0], "-o", &whole]);
    assert_eq!((merged.code, merged.stderr.as_str()), (Some(0), ""));
    let figures = |file: &str| {
        let report = warwolf(&["report", "--format", "json", file]);
        assert_eq!(report.code, Some(0), "{report:#?}");
        let json: serde_json::Value = serde_json::from_str(&report.stdout).unwrap();
        let number = |at: &str| json.pointer(at).and_then(serde_json::Value::as_u64).unwrap();
        let connections = (number("/target/connections"), number("/health/in_flight_limit"));
        (connections, ["planned", "started", "completed"].map(|name| number(&format!("/accounting/{name}"))))
    };
    assert_eq!(figures(&whole), ((4, 4), [100; 3]));
    assert_eq!(parts.each_ref().map(|part| figures(part).0), [(2, 2), (2, 2)]);
    let half = warwolf(&["merge", &parts[0], "-o", &whole]);
    assert_eq!((half.code, half.stderr.as_str()), (Some(0), "warwolf: parts are missing: 2\n"));
    assert_eq!(warwolf(&["report", &whole]).code, Some(0));
    let strict = warwolf(&["report", "--strict", &whole]);
    assert_eq!(strict.code, Some(96), "{strict:#?}");
    let twice = warwolf(&["merge", &parts[0], &parts[0], "-o", &whole]);
    assert_eq!(twice.code, Some(2), "{twice:#?}");
}

#[test]
fn nothing_that_succeeded_is_exit_code_1() {
    let (target, url) = target();
    let told = warwolf(&["--quiet", "-n", "20", "-c", "2", &format!("{url}?status=503")]);
    assert_eq!(told.code, Some(1));
    let said = "warwolf: no request succeeded; the report says what happened to them\n";
    assert_eq!(told.stderr, said);
    target.stop().unwrap();
    let refused = warwolf(&["--quiet", "-n", "20", "-c", "2", &url]);
    assert_eq!((refused.code, refused.stderr.as_str()), (Some(1), said));
}

#[test]
fn an_slo_that_does_not_hold_is_exit_code_99() {
    let (_target, url) = target();
    let words = ["--quiet", "-n", "500", "-c", "2", "--slo", "errors<1%", "--slo", "p50<1ns", &url];
    let told = warwolf(&words);
    assert_eq!(told.code, Some(99), "{told:#?}");
    assert!(told.stderr.starts_with("warwolf: `p50<1ns` does not hold: "), "{}", told.stderr);
    assert_eq!(told.stderr.lines().count(), 1);
    assert_eq!(warwolf(&["--quiet", "-n", "500", "-c", "2", "--slo", "errors<1%", &url]).code, Some(0));
}

/// Starts the program and waits until it has said what it runs.
fn started(words: &[&str]) -> (Child, BufReader<std::process::ChildStderr>) {
    let mut child = program(words).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert!(line.starts_with("warwolf: "), "{line}");
    (child, stderr)
}

fn signal(child: &Child, signal: Signal) {
    let id = Pid::from_child(child);
    kill_process(id, signal).unwrap();
}

/// Waits until the target has been asked `count` times; a run that does not get there fails the test.
fn asked(target: &Handle, count: u64) {
    let began = Instant::now();
    while target.requests() < count {
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "the target was asked {} times",
            target.requests()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_first_signal_stops_and_reports() {
    for what in [Signal::INT, Signal::TERM] {
        let (target, url) = target();
        let (mut child, mut stderr) = started(&["-d", "60s", "-c", "2", &url]);
        asked(&target, 100);
        signal(&child, what);
        let mut stdout = String::new();
        child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        let mut speech = String::new();
        stderr.read_to_string(&mut speech).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(speech.contains("warwolf: stopping"), "{speech}");
        assert!(stdout.contains("started"), "{stdout}");
    }
}

#[test]
fn the_second_signal_does_not_wait_for_calls_in_flight() {
    let (target, url) = target();
    let slow = format!("{url}?delay=50s");
    let began = Instant::now();
    let (mut child, _stderr) = started(&["-d", "60s", "-c", "2", "--grace", "50s", &slow]);
    asked(&target, 2);
    signal(&child, Signal::INT);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(child.try_wait().unwrap(), None, "calls in flight have their grace");
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_reader_who_goes_away_is_no_error() {
    let (_target, url) = target();
    let rows: [&[&str]; 4] =
        [&["completions", "bash"], &["explain", &url], &["--help"], &["--quiet", "-n", "50", &url]];
    for words in rows {
        let mut child = program(words).spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{words:?}: {stderr}");
        assert!(!stderr.contains("panicked"), "{words:?}: {stderr}");
    }
}

#[test]
fn progress_is_a_line_every_few_seconds_where_there_is_no_terminal() {
    let (_target, url) = target();
    let run = warwolf(&["-d", "2500ms", "-r", "200", &url]);
    let lines: Vec<&str> = run.stderr.lines().skip(1).collect();
    assert_eq!(lines.len(), 1, "{run:#?}");
    assert!(lines[0].starts_with("warwolf:     2s  "), "{}", lines[0]);
    for part in ["/s  p50 ", "  p99 ", " in flight", "  0 errors"] {
        assert!(lines[0].contains(part), "{}", lines[0]);
    }
}

#[test]
fn a_terminal_gets_a_panel_that_goes_away_again() {
    let (_target, url) = target();
    let (mut terminal, name) = terminal();
    let slave = std::fs::OpenOptions::new().read(true).write(true).open(name).unwrap();
    let mut command = program(&["-d", "1500ms", "-r", "200", &url]);
    command.env("TERM", "xterm").env("LC_ALL", "C").stderr(Stdio::from(slave));
    let run = told(command);
    assert_eq!(run.code, Some(0), "{run:#?}");
    let mut bytes = [0; 65_536];
    let count = terminal.read(&mut bytes).unwrap();
    let shown = String::from_utf8_lossy(&bytes[..count]);
    for part in ["latency  p50 ", "in flight ", " of 1500ms", "\x1b[11A\r"] {
        assert!(shown.contains(part), "{part:?} in {shown:?}");
    }
    assert!(shown.ends_with("\x1b[11A\r\x1b[J"), "{shown:?}");
    assert!(!shown.contains("\x1b[31m"), "NO_COLOR is set: {shown:?}");
}

/// A terminal of 100 columns and 40 rows: the end that a person sees, and the name of the other.
fn terminal() -> (std::fs::File, String) {
    let seen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&seen).unwrap();
    unlockpt(&seen).unwrap();
    tcsetwinsize(&seen, Winsize { ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let name = ptsname(&seen, Vec::new()).unwrap().into_string().unwrap();
    (seen.into(), name)
}

#[test]
fn the_target_prints_where_it_listens_and_ends_well_when_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let log = path_in(&folder, "log.csv");
    let mut child = program(&["target", "--listen", "127.0.0.1:0", "--log", &log]).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let run = warwolf(&["--quiet", "-n", "10", "-c", "1", url.trim()]);
    assert_eq!(run.code, Some(0), "{run:#?}");
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(std::fs::read_to_string(Path::new(&log)).unwrap().lines().count(), 11);
    let busy = warwolf(&["target", "--listen", "127.0.0.1:99999"]);
    assert_eq!(busy.code, Some(1), "{busy:#?}");
    assert!(busy.stderr.starts_with("warwolf: "), "{busy:#?}");
}

#[test]
fn one_folder_is_for_one_sweep_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let held = std::fs::File::open(folder.path()).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let words = ["sweep", "--vary", "connections=1,2", "-n", "1", "--folder", path, "http://127.0.0.1:1/"];
    let refused = warwolf(&words);
    let expected = format!(
        "warwolf: --folder: `{path}`: another sweep is using it; wait until it ends, or use another folder\n"
    );
    assert_eq!((refused.code, refused.stderr), (Some(2), expected));
    drop(held);
    assert_eq!(warwolf(&words).code, Some(1), "nothing listens there");
}

#[test]
fn own_options_come_before_those_of_the_load() {
    for (command, usage, own) in [
        ("replay", "Usage: warwolf replay [OPTIONS] LOG", "--to <URL>"),
        ("compare", "Usage: warwolf compare [OPTIONS] A B", "--slice <TIME>"),
        ("sweep", "Usage: warwolf sweep ", "--vary <NAME=VALUES>"),
        ("capacity", "Usage: warwolf capacity ", "--start <RATE>"),
    ] {
        let help = warwolf(&[command, "--help"]).stdout;
        assert!(help.contains(usage), "{help}");
        assert!(help.find(own).unwrap() < help.find("--connections <N>").unwrap(), "{help}");
    }
    let help = warwolf(&["replay", "--help"]).stdout;
    assert!(help.contains("[LOG]") && !help.contains("--urls") && !help.contains("--clicks"), "{help}");
    assert!(help.contains("--no-tui"), "{help}");
}
