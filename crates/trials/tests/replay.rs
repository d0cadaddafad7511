//! Logs sent again: everything in them arrives, in order and in time, or is counted.
#![forbid(unsafe_code)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use warwolf_target::{Handle, Options};
use warwolf_trials::warwolf::program;
use warwolf_trials::{Warwolf, target};

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
        told.stderr.contains("the log has 41 lines: 36 to be sent, 4 filtered out, 1 not understood; no known format: 1, first in line 41"),
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
    assert!(Command::new("gzip").arg(&log).status().expect("gzip starts").success());
    let packed = std::fs::read(folder.path().join("access.log.gz")).expect("a packed log");
    let mut replay = Command::new(program())
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
        ("nothing\nof use\n", "nothing to send: the log has 2 lines: 0 to be sent"),
        (one.as_str(), "the log does not say where `/page/0` goes; use --to URL"),
    ];
    for (text, expected) in rows {
        let log = file(folder.path(), "log", text);
        let told = Warwolf::new(&["replay", word(&log)]).told();
        assert!(told.code == 2 && told.stderr.contains(expected), "{told:#?}");
    }
}
