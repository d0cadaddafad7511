//! What a replay sends of each line: the target as the client sent it, header fields, cookies and bodies.

use std::io::{Read, Write};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use warwolf_e2e::peer::{Peer, read_head};
use warwolf_e2e::process::{Ending, Process};
use warwolf_e2e::warwolf::program;
use warwolf_e2e::{Told, Warwolf, path};

/// The requests that a server received, head and body each.
type Received = Arc<Mutex<Vec<String>>>;

/// A server that records requests and answers each with an empty 200.
fn recorder() -> (Peer, Received) {
    let received = Received::default();
    let list = Arc::clone(&received);
    let peer = Peer::start(move |_, mut connection| {
        while let Some(head) = read_head(&mut connection) {
            let mut text = String::from_utf8_lossy(&head).into_owned();
            let length = text.lines().find_map(|line| line.strip_prefix("Content-Length: ")?.parse().ok());
            let mut body = vec![0; length.unwrap_or(0)];
            if connection.read_exact(&mut body).is_err() {
                return;
            }
            text += &String::from_utf8_lossy(&body);
            list.lock().expect("nobody panicked").push(text);
            if connection.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").is_err() {
                return;
            }
        }
    });
    (peer, received)
}

/// Replays `log` in order, as fast as one user can.
fn replay(log: &str, words: &[&str]) -> (Told, Vec<String>) {
    let (peer, received) = recorder();
    let folder = tempfile::tempdir().expect("a folder");
    let name = path(folder.path(), "log");
    std::fs::write(&name, log).expect("a file");
    let told = Warwolf::new(&["replay", &name, "--to", &peer.url("/"), "--closed", "-c", "1"])
        .and(&["--format", "json"])
        .and(words)
        .told()
        .exits(0);
    let received = received.lock().expect("nobody panicked").clone();
    (told, received)
}

#[test]
fn targets_arrive_as_the_clients_sent_them() {
    let line = |request: &str| {
        format!(
            "a.test 1.2.3.4 - - [10/Oct/2026:13:00:00 +0000] \"{request}\" 200 5 \"http://r/\" \"Mozilla\"\n"
        )
    };
    let log = [
        line(r"GET /quote\x22 HTTP/1.1"),
        line("GET /a b HTTP/1.1"),
        line("GET /é HTTP/1.1"),
        line("OPTIONS * HTTP/1.1"),
        line("GET * HTTP/1.1"),
        "\n".to_owned(),
        line("GET error:invalid-request HTTP/1.1"),
    ];
    let (told, received) = replay(&log.concat(), &["--only-methods", "all"]);
    let lines: Vec<&str> = received.iter().map(|text| text.lines().next().unwrap_or_default()).collect();
    let expected =
        [r#"GET /quote" HTTP/1.1"#, "GET /a%20b HTTP/1.1", "GET /%C3%A9 HTTP/1.1", "OPTIONS * HTTP/1.1"];
    assert_eq!(lines, expected);
    assert!(
        received.iter().all(|text| !text.contains("Mozilla") && !text.contains("a.test")),
        "{received:?}"
    );
    let counts = "the log has 7 lines: 4 sent, 0 filtered out, 2 not understood, 1 blank";
    assert!(told.stderr.contains(counts), "{told:#?}");

    let (_, received) = replay(&log[0], &["--keep-host", "--keep-agent", "-H", "Referer: mine"]);
    for field in ["Host: a.test\r\n", "User-Agent: Mozilla\r\n", "Referer: mine\r\n"] {
        assert!(received[0].contains(field), "{received:?}");
    }
    assert!(!received[0].contains("http://r/"), "{received:?}");
}

#[test]
fn an_archive_is_sent_whole_and_its_secrets_are_in_no_report() {
    let log = r#"{"log":{"entries":[{"startedDateTime":"2026-10-10T13:00:00Z","request":{"method":"POST",
        "url":"http://a.test/form?token=hunter2","headers":[{"name":":method","value":"POST"},{"name":"Host","value":"a.test"},
        {"name":"X-Api-Key","value":"hunter3"},{"name":"Content-Length","value":"99"}],
        "cookies":[{"name":"sid","value":"hunter4"}],
        "postData":{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"password","value":"hunter5"}]}},
        "response":{"status":200}}]}}"#;
    let folder = tempfile::tempdir().expect("a folder");
    let page = path(folder.path(), "report.html");
    let (told, received) = replay(log, &["--only-methods", "all", "-o", &page]);
    for text in [
        "POST /form?token=hunter2 HTTP/1.1\r\n",
        "X-Api-Key: hunter3\r\n",
        "Cookie: sid=hunter4\r\n",
        "Content-Type: application/x-www-form-urlencoded\r\n",
        "Content-Length: 16\r\n",
        "\r\n\r\npassword=hunter5",
    ] {
        assert!(received[0].contains(text), "{received:?}");
    }
    let page = std::fs::read_to_string(&page).expect("a report");
    for report in [&page, &told.stdout, &told.stderr] {
        assert!(!report.contains("hunter"), "{report}");
    }
}

/// A log with a request every 20 ms for `seconds` seconds, as Squid writes it.
fn squid(seconds: u32) -> String {
    let line = |number: u32| {
        format!(
            "{}.{:03} 0 10.0.0.1 TCP_MISS/200 1 GET http://a.test/p/{}?{number} - DIRECT/- -\n",
            1_791_637_200 + number / 50,
            number % 50 * 20,
            number % 3
        )
    };
    (0..seconds * 50).map(line).collect()
}

#[test]
fn connections_are_carried_over_the_whole_log() {
    let (peer, received) = recorder();
    let folder = tempfile::tempdir().expect("a folder");
    let name = path(folder.path(), "log");
    // Parts of the log span half a minute.
    std::fs::write(&name, squid(100)).expect("a file");
    let told = Warwolf::new(&["replay", &name, "--to", &peer.url("/"), "--speed", "20x", "-c", "8"])
        .and(&["--format", "json"])
        .told()
        .exits(0);
    assert_eq!((told.completed(), received.lock().expect("nobody panicked").len()), (5_000, 5_000));
    assert!(peer.accepted() <= 8, "{} connections", peer.accepted());
    assert!((4_900_000_000..8_000_000_000).contains(&told.number("/duration_ns")), "{told:#?}");
    // Without a pause between parts, starts are close to the times of the log.
    assert!(told.number("/replay/timing/p50_ns") < 20_000_000, "{told:#?}");
}

#[test]
fn the_report_contains_the_lines_the_timing_and_a_row_for_each_path() {
    let (peer, _) = recorder();
    let folder = tempfile::tempdir().expect("a folder");
    let (name, page) = (path(folder.path(), "log"), path(folder.path(), "page.html"));
    std::fs::write(&name, squid(2) + "nonsense\n\n").expect("a file");
    let replay = |format: &str| {
        Warwolf::new(&["replay", &name, "--to", &peer.url("/"), "--speed", "10x", "--no-tui", "-o", &page])
            .and(&["--quiet", "--format", format])
            .told()
            .exits(0)
    };
    let told = replay("json");
    let report = told.report();
    let number = |field: &str| told.number(&format!("/replay/{field}"));
    assert_eq!(["lines", "sent", "filtered", "not_understood", "blank"].map(number), [102, 100, 0, 1, 1]);
    assert_eq!(report["replay"]["reasons"][0]["first"], 101);
    let urls: Vec<&str> =
        report["targets"].as_array().expect("rows").iter().filter_map(|row| row["url"].as_str()).collect();
    assert_eq!(urls.len(), 3, "{urls:?}");
    assert!(urls.iter().all(|url| url.contains("/p/") && !url.contains('?')), "{urls:?}");

    let text = replay("text").stdout;
    for part in ["102 lines: 100 sent, 0 filtered out, 1 not understood, 1 blank", "timing: half", "/p/1"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let page = std::fs::read_to_string(&page).expect("a report");
    let again = page.split("To do it again").nth(1).expect("a part");
    assert!(
        again.contains(" replay ") && again.contains("--speed 10x") && !again.contains("run --plan"),
        "{again}"
    );
    assert!(page.contains("Lines of the log") && page.contains("timing: half"), "{page}");
}

#[test]
fn every_line_is_in_exactly_one_count_also_after_a_stop() {
    let (peer, _) = recorder();
    let folder = tempfile::tempdir().expect("a folder");
    let name = path(folder.path(), "log");
    std::fs::write(&name, squid(60)).expect("a file");
    let mut process = Process::start(&program().display().to_string(), |command| {
        command.args(["replay", &name, "--to", &peer.url("/"), "--format", "json"]);
        command.stdout(Stdio::piped());
    });
    std::thread::sleep(Duration::from_millis(1_500));
    process.signal(Ending::Interrupt);
    let mut text = String::new();
    process.child().stdout.take().expect("a pipe").read_to_string(&mut text).expect("it prints");
    assert_eq!(process.wait(Duration::from_secs(5)).and_then(|status| status.code()), Some(130), "{text}");
    let report: serde_json::Value = serde_json::from_str(&text).expect("a report");
    let number = |field: &str| report["replay"][field].as_u64().expect("a number");
    let counts = ["sent", "filtered", "not_understood", "blank", "without_address", "not_sent"].map(number);
    assert_eq!(counts.iter().sum::<u64>(), number("lines"), "{counts:?}");
    assert_eq!(report["accounting"]["planned"], counts[0], "{counts:?}");
    assert!(counts[0] > 0 && counts[5] > 0, "{counts:?}");
}

#[test]
fn a_line_from_another_century_is_announced_and_does_not_hold_up_a_stop() {
    let (peer, received) = recorder();
    let folder = tempfile::tempdir().expect("a folder");
    let name = path(folder.path(), "log");
    let line =
        |year: u32| format!("1.1.1.1 - - [10/Oct/{year}:13:00:00 +0000] \"GET /{year} HTTP/1.1\" 200 5\n");
    std::fs::write(&name, [line(2026), line(2200)].concat()).expect("a file");
    let mut process = Process::start(&program().display().to_string(), |command| {
        command.args(["replay", &name, "--to", &peer.url("/")]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
    });
    let start = std::time::Instant::now();
    while received.lock().expect("nobody panicked").is_empty() && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    process.signal(Ending::Interrupt);
    let mut text = String::new();
    process.child().stderr.take().expect("a pipe").read_to_string(&mut text).expect("it prints");
    assert_eq!(process.wait(Duration::from_secs(5)).and_then(|status| status.code()), Some(130), "{text}");
    assert!(text.contains("the log has a pause of "), "{text}");
    assert!(text.contains("2 lines: 1 sent, 0 filtered out, 0 not understood, 1 not sent"), "{text}");
}
