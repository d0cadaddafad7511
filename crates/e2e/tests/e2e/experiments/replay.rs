//! Logs sent again: everything in them arrives, in order and in time, or is counted.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use warwolf_e2e::process::{Ending, Process, command};
use warwolf_e2e::warwolf::program;
use warwolf_e2e::{Warwolf, target};
use warwolf_target::{Handle, Options};

/// A combined log of `seconds` seconds with ten requests in each, one of them a POST, and a line that is nothing.
fn combined(seconds: u32) -> String {
    let line = |number: u32| {
        let method = if number % 10 == 9 { "POST" } else { "GET" };
        let status = if number.is_multiple_of(5) { 404 } else { 200 };
        format!(
            "10.0.0.1 - - [10/Oct/2026:13:00:{:02} +0000] \"{method} /page/{number} HTTP/1.1\" {status} 5 \"-\" \"x\"\n",
            number / 10
        )
    };
    (0..seconds * 10).map(line).collect::<String>() + "what is this\n"
}

fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

fn word(path: &Path) -> &str {
    path.to_str().expect("a path without odd bytes")
}

fn server() -> Handle {
    target::start(Options::default())
}

#[test]
fn a_log_arrives_at_its_own_times_and_what_is_left_out_is_said() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), server());
    let log = file(folder.path(), "access.log", &combined(4));
    let to = target::url(&server, "/");
    let told = Warwolf::new(&["replay", word(&log), "--to", &to, "--speed", "2x", "--format", "json"])
        .told()
        .exits(0);
    assert_eq!(told.completed(), 36, "{told:#?}");
    assert!(
        told.stderr.contains("the log has 41 lines: 36 sent, 4 filtered out, 1 not understood; unknown format: 1, first in line 41"),
        "{told:#?}"
    );
    assert!(told.stderr.contains("timing: half of the starts within "), "{told:#?}");
    let lasted = told.number("/duration_ns");
    assert!(
        (1_500_000_000..3_000_000_000).contains(&lasted),
        "four seconds at twice the speed took {lasted} ns"
    );
}

#[test]
fn filters_and_paces_do_what_they_say() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), server());
    let log = file(folder.path(), "access.log", &combined(3));
    let to = target::url(&server, "/");
    let replay = |words: &[&str]| {
        Warwolf::new(&["replay", word(&log), "--to", &to, "--format", "json"]).and(words).told().exits(0)
    };
    assert_eq!(replay(&["--closed", "-c", "3"]).completed(), 27);
    assert_eq!(replay(&["--closed", "--only-methods", "all"]).completed(), 30);
    assert_eq!(replay(&["--closed", "--only-status", "4xx"]).completed(), 6);
    assert_eq!(replay(&["--closed", "--since", "2026-10-10T13:00:02Z"]).completed(), 9);
    assert_eq!(replay(&["-r", "1000/s", "--until", "2026-10-10T13:00:01Z"]).completed(), 9);
}

#[test]
fn a_log_is_read_from_a_pipe_and_unpacked() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), server());
    let log = file(folder.path(), "access.log", &combined(2));
    assert!(command("gzip").arg(&log).status().expect("gzip starts").success());
    let packed = std::fs::read(folder.path().join("access.log.gz")).expect("a packed log");
    let mut replay = command(program())
        .args(["replay", "-", "--to", &target::url(&server, "/"), "--closed", "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("warwolf starts");
    replay.stdin.take().expect("a pipe").write_all(&packed).expect("it reads");
    let output = replay.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("\"completed\": 18,"), "{text}");
}

#[test]
fn what_cannot_be_sent_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let one = combined(1);
    let rows = [
        ("", "the log is empty"),
        ("nothing\nof use\n", "nothing to send: the log has 2 lines: 0 sent"),
        (one.as_str(), "the log does not say where `/page/0` goes; use --to URL"),
    ];
    for (text, expected) in rows {
        let log = file(folder.path(), "log", text);
        let told = Warwolf::new(&["replay", word(&log)]).told();
        assert!(told.code == 2 && told.stderr.contains(expected), "{told:#?}");
    }
}

#[test]
fn odd_lines_and_unknown_hosts_are_counted_and_the_rest_is_sent() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), server());
    let line = |minute: u32, target: &str| {
        format!("1.1.1.1 - - [10/Oct/2000:13:{minute:02}:36 -0700] \"GET {target} HTTP/1.1\" 200 5\n")
    };
    let odd: String =
        ["http://[", "?x", "http://%/", "http://h:99999/x", "ftp://x/"].iter().map(|t| line(51, t)).collect();
    let here = |path: &str| target::url(&server, path);
    let log = file(folder.path(), "odd", &[line(50, "/first"), odd, line(52, "/last")].concat());
    let told =
        Warwolf::new(&["replay", word(&log), "--to", &here("/"), "--speed", "1000x", "--format", "json"])
            .told()
            .exits(0);
    assert_eq!(told.completed(), 2, "{told:#?}");
    assert!(told.stderr.contains("5 not understood; no valid request: 5, first in line 2"), "{told:#?}");

    let hosts =
        [line(50, &here("/first")), line(51, "http://nosuch.invalid/"), line(52, &here("/last"))].concat();
    let log = file(folder.path(), "hosts", &hosts);
    let words = ["replay", word(&log), "--speed", "1000x", "--format", "json", "-H", "Authorization: secret"];
    let told = Warwolf::new(&words).told().exits(0);
    assert_eq!(told.completed(), 2, "{told:#?}");
    assert!(told.stderr.contains("`nosuch.invalid`: has no address; 1 request not sent"), "{told:#?}");
    assert!(told.stderr.contains("2 requests sent without credentials"), "{told:#?}");
}

#[test]
fn a_packed_log_that_is_cut_short_is_sent_as_far_as_it_goes_and_fails() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), server());
    let log = file(folder.path(), "access.log", &combined(59).repeat(20));
    let packed = command("gzip").arg("-1").arg("-c").arg(&log).output().expect("gzip starts").stdout;
    let cut = folder.path().join("cut.gz");
    std::fs::write(&cut, &packed[..packed.len() * 3 / 4]).expect("a file");
    let to = target::url(&server, "/");
    let told =
        Warwolf::new(&["replay", word(&cut), "--to", &to, "--closed", "--format", "json"]).told().exits(1);
    assert!(told.completed() > 0 && told.stderr.contains("the rest could not be read"), "{told:#?}");
}

#[test]
fn ctrl_c_ends_a_replay_that_waits_for_its_pipe() {
    let server = server();
    let mut replay = Process::start(word(program()), |command| {
        command.args([
            "replay",
            "-",
            "--to",
            &target::url(&server, "/"),
            "--speed",
            "1000x",
            "--format",
            "json",
        ]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
    });
    let mut pipe = replay.child().stdin.take().expect("a pipe");
    // More than a part, so that the first is sent before the pipe is silent.
    let lines: String = (0..3)
        .map(|minute| format!("1.1.1.1 - - [10/Oct/2000:13:5{minute}:36 -0700] \"GET / HTTP/1.1\" 200 5\n"))
        .collect();
    pipe.write_all(lines.as_bytes()).expect("it reads");
    pipe.flush().expect("it reads");
    let start = std::time::Instant::now();
    while server.log().len() < 2 && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    replay.signal(Ending::Interrupt);
    let mut text = String::new();
    replay.child().stdout.take().expect("a pipe").read_to_string(&mut text).expect("it prints");
    assert_eq!(replay.wait(Duration::from_secs(5)).and_then(|status| status.code()), Some(130), "{text}");
    assert!(text.contains("\"completed\": 2,"), "{text}");
}

/// Three requests in a format, and what of it cannot be understood.
struct Written {
    name: &'static str,
    text: String,
    unreadable: &'static str,
}

fn in_every_format() -> Vec<Written> {
    let lines = |line: &dyn Fn(u32) -> String| {
        let mut lines: Vec<String> = (0..3).map(line).collect();
        lines.insert(1, "what is this".to_owned());
        lines.join("\n") + "\n"
    };
    let clf = |before: &'static str, behind: &'static str| {
        lines(&|n| {
            format!(
                "{before}10.0.0.1 - - [10/Oct/2026:13:00:0{n} +0000] \"GET /page/{n} HTTP/1.1\" 200 5{behind}"
            )
        })
    };
    let entry = |n: u32, at: &str| {
        format!(
            "{{\"startedDateTime\":\"{at}\",\"request\":{{\"method\":\"GET\",\"url\":\"http://a.test/page/{n}\"}},\
             \"response\":{{\"status\":200}}}}"
        )
    };
    let archive = [
        entry(0, "2026-10-10T13:00:00.5Z"),
        entry(9, "soon"),
        entry(1, "2026-10-10T13:00:01Z"),
        entry(2, "2026-10-10T13:00:02Z"),
    ];
    let unreadable = "unknown format: 1, first in line 2";
    vec![
        Written { name: "common", text: clf("", ""), unreadable },
        Written { name: "combined", text: clf("", " \"http://a.test/\" \"Mozilla/5.0\""), unreadable },
        Written { name: "virtual host", text: clf("a.test:80 ", " \"-\" \"x\""), unreadable },
        Written {
            name: "squid",
            text: lines(&|n| {
                format!(
                    "179163720{n}.310 31 10.0.0.1 TCP_MISS/200 154 GET http://a.test/page/{n} - DIRECT/10.0.0.2 text/html"
                )
            }),
            unreadable,
        },
        Written {
            name: "json",
            text: lines(&|n| {
                format!(
                    "{{\"time\":\"2026-10-10T13:00:0{n}Z\",\"request\":\"GET /page/{n} HTTP/1.1\",\"status\":200}}"
                )
            }),
            unreadable,
        },
        Written {
            name: "har",
            text: format!("{{\"log\":{{\"version\":\"1.2\",\"entries\":[{}]}}}}", archive.join(",\n")),
            unreadable: "no valid time: 1, first in line 2",
        },
    ]
}

#[test]
fn every_format_is_sent_from_a_file_from_a_pipe_and_packed() {
    let folder = tempfile::tempdir().expect("a folder");
    for Written { name, text, unreadable } in in_every_format() {
        let log = file(folder.path(), name, &text);
        let packed = command("gzip").arg("-c").arg(&log).output().expect("gzip starts").stdout;
        for (how, bytes) in [("a file", None), ("a pipe", Some(text.into_bytes())), ("packed", Some(packed))]
        {
            let server = server();
            let to = target::url(&server, "/");
            let mut replay = command(program());
            replay.args(["replay", if bytes.is_some() { "-" } else { word(&log) }, "--to", &to]);
            replay
                .args(["--closed", "-c", "1"])
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::piped());
            let mut replay = replay.spawn().expect("warwolf starts");
            replay.stdin.take().expect("a pipe").write_all(&bytes.unwrap_or_default()).expect("it reads");
            let output = replay.wait_with_output().expect("it ends");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name} from {how}: {said}");
            // The server logs a request after its reply was read.
            let start = std::time::Instant::now();
            while server.log().len() < 3 && start.elapsed() < Duration::from_secs(5) {
                std::thread::sleep(Duration::from_millis(10));
            }
            let paths: Vec<String> = server.log().into_iter().map(|entry| entry.path.into()).collect();
            assert_eq!(paths, ["/page/0", "/page/1", "/page/2"], "{name} from {how}");
            let counts =
                format!("the log has 4 lines: 3 sent, 0 filtered out, 1 not understood; {unreadable}");
            assert!(said.contains(&counts), "{name} from {how}: {said}");
        }
    }
}

/// The most memory a process has had so far, in bytes.
fn peak(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).expect("the process is there");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("the kernel says it");
    line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).expect("in kB") * 1024
}

#[test]
fn memory_does_not_grow_with_the_log() {
    const LINES: u32 = 300_000;
    const EARLY: u32 = 100_000;
    // The log is some 100 MB; all of it held in memory would be more than that.
    const GROWTH: u64 = 16 << 20;
    let server = warwolf_target::start(Options::default()).expect("the target starts");
    let mut replay = Process::start(word(program()), |command| {
        command.args([
            "replay",
            "-",
            "--to",
            &target::url(&server, "/"),
            "--closed",
            "-c",
            "64",
            "--format",
            "json",
        ]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
    });
    let mut pipe = std::io::BufWriter::new(replay.child().stdin.take().expect("a pipe"));
    let padding = "x".repeat(240);
    let mut early = 0;
    for number in 0..LINES {
        let (minute, second) = (number / 6_000, number / 100 % 60);
        let line = format!(
            "10.0.0.1 - - [10/Oct/2026:13:{minute:02}:{second:02} +0000] \"GET /{number}?{padding} HTTP/1.1\" 200 5 \"-\" \"x\"\n"
        );
        pipe.write_all(line.as_bytes()).expect("it reads");
        if number == EARLY {
            early = peak(replay.id());
        }
    }
    pipe.flush().expect("it reads");
    // It waits for the end of the pipe; some 40,000 of the lines are still to be sent, which takes no more memory.
    let late = peak(replay.id());
    drop(pipe);
    let mut text = String::new();
    replay.child().stdout.take().expect("a pipe").read_to_string(&mut text).expect("it speaks");
    assert!(replay.wait(Duration::from_secs(60)).is_some_and(|status| status.success()), "{text}");
    assert!(text.contains(&format!("\"completed\": {LINES},")), "{text}");
    println!("{EARLY} lines: {} MB; {LINES} lines: {} MB at the most", early >> 20, late >> 20);
    assert!(early > 0 && late <= early + GROWTH, "{early} bytes at {EARLY} lines, {late} at {LINES}");
}
