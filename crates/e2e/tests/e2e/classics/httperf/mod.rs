//! `httperf` beside the real one, on the same server: what does not depend on time must be the same to the byte, and the
//! rest must stand in the same places.

mod golden;
mod limits;
mod servers;

use std::io::Write as _;
use std::net::Shutdown;
use std::time::{Duration, Instant};

use warwolf_e2e::certificate::{Authority, Validity};
use warwolf_e2e::peer::{Peer, drain, read_head};
use warwolf_e2e::process::{Ending, command, free_port};
use warwolf_e2e::server::Nginx;
use warwolf_e2e::{Told, Warwolf, target};
use warwolf_target::Options;

/// What one of the two said.
#[derive(Debug)]
struct Said {
    stdout: String,
    stderr: String,
    code: i32,
}

fn theirs(words: &[String]) -> Said {
    let output = command("timeout")
        .args(["--signal=INT", "--kill-after=5", "30", "httperf"])
        .args(words)
        .output()
        .unwrap_or_else(|error| panic!("cannot start `httperf`: {error}"));
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let stderr = text(output.stderr);
    // It says on each run of a machine of today that it takes only 1,024 descriptors.
    let stderr = stderr.lines().filter(|line| !line.contains("FD_SETSIZE")).flat_map(|line| [line, "\n"]);
    Said { stdout: text(output.stdout), stderr: stderr.collect(), code: output.status.code().unwrap_or(-1) }
}

fn ours(words: &[String]) -> Said {
    let Told { stdout, stderr, code, .. } = Warwolf::new(&["httperf"]).and(words).told();
    Said { stdout, stderr, code }
}

/// Words for both: a tilde stands for a blank.
fn words(port: u16, words: &str) -> Vec<String> {
    let words = format!("--server 127.0.0.1 --port {port} {words}");
    words.split(' ').map(|word| word.replace('~', " ")).collect()
}

/// Each number as `#`.
fn mask(text: &str) -> String {
    let mut masked = String::new();
    for letter in text.chars() {
        let is_number = letter.is_ascii_digit() || (letter == '.' && masked.ends_with('#'));
        match (is_number, masked.ends_with('#')) {
            (true, true) => {}
            (true, false) => masked.push('#'),
            (false, _) => masked.push(letter),
        }
    }
    masked
}

/// Lines in which no number depends on time, by how they begin.
const EXACT: [&str; 15] = [
    "httperf --",
    "httperf: accessing",
    "Connection length",
    "Request size",
    "Reply size",
    "Reply status",
    "Errors:",
    "Session: avg",
    "Session length histogram",
    "SH",
    "SB",
    "SS",
    "RH",
    "RB",
    "RS",
];

/// A line with the numbers masked that depend on time.
fn masked(line: &str) -> String {
    if line.starts_with("RH") && line.contains("Date:") {
        return mask(line);
    }
    if EXACT.iter().any(|label| line.starts_with(label)) {
        return line.to_owned();
    }
    match (line.split_once(" test-duration "), line.split_once(" (")) {
        (Some((counts, time)), _) => format!("{counts} test-duration {}", mask(time)),
        (None, Some((rates, sessions))) if line.starts_with("Session rate") => {
            format!("{} ({sessions}", mask(rates))
        }
        _ => mask(line),
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(masked).collect()
}

/// Both programs say the same to these words, but for times.
#[track_caller]
fn same(port: u16, text: &str) {
    same_but(port, text, "nothing");
}

/// The same, but for lines that begin like this, which the original gets wrong.
#[track_caller]
fn same_but(port: u16, text: &str, wrong: &str) {
    let words = words(port, text);
    let (theirs, ours) = (theirs(&words), ours(&words));
    let right = |said: &Said| {
        let all = lines(&said.stdout);
        all.into_iter().filter(|line| !line.starts_with(wrong)).collect::<Vec<_>>()
    };
    assert_eq!(right(&ours), right(&theirs), "{text}\n{theirs:#?}\n{ours:#?}");
    assert_eq!((&ours.stderr, ours.code), (&theirs.stderr, theirs.code), "{text}");
}

#[test]
fn connections_and_calls_are_the_same() {
    let nginx = Nginx::start("");
    for words in [
        "--uri /page",
        "--uri /page --num-conns 20",
        "--uri /page --num-conns 10 --rate 50",
        "--uri /page --num-conns 3 --num-calls 5",
        "--uri /page --num-conns 2 --num-calls 6 --burst-length 3",
        "--uri /page --num-calls 2 --burst-length 5",
        "--uri /page --num-calls 2 --http-version=1.0",
        "--uri /page --method HEAD --num-calls 2",
        "--uri /none --num-calls 2",
        "--uri /error --num-conns 2 --failure-status=500",
        "--uri /moved --num-conns 2",
        "--uri /page --num-conns 4 --period=u0.01,0.03",
        "--uri /page --num-conns 5 --rate 50 --hog --close-with-reset --timeout 5",
        "--uri /nothing --num-conns 2 --server-name other.test",
        "--uri /huge --num-conns 3 --send-buffer 8192 --recv-buffer 8192",
    ] {
        same(nginx.port(), words);
    }
}

#[test]
fn targets_that_change_are_the_same() {
    let nginx = Nginx::start("");
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list");
    std::fs::write(&list, b"/page\0/none\0/small\0").unwrap();
    let list = list.display();
    for words in [
        "--wset=10,1 --uri=/wset10 --num-conns 12".to_owned(),
        "--wset=100,0.25 --uri=/wset100 --num-conns 12 --client=3/7".to_owned(),
        "--wset=1024,0.5 --uri=/w --num-calls 6 --client=103/200".to_owned(),
        format!("--wlog=y,{list} --num-conns 7"),
        format!("--wlog=n,{list} --num-conns 2"),
        format!("--wlog=y,{list} --num-conns 2 --num-calls 4"),
        format!("--wsess=2,2,0.05 --wlog=y,{list} --rate 20 --timeout 2"),
    ] {
        same(nginx.port(), &words);
    }
    // What was asked for, in order: the log of the server is the judge.
    let before = nginx.hits().len();
    let asked = |run: &dyn Fn()| {
        let before = nginx.hits().len();
        run();
        nginx.hits()[before..].iter().map(|hit| hit.target.clone()).collect::<Vec<_>>()
    };
    assert!(before > 40);
    let words = words(nginx.port(), "--wset=100,0.3 --uri=/wset100 --num-conns 25 --client=3/7");
    let theirs = asked(&|| drop(theirs(&words)));
    let ours = asked(&|| drop(ours(&words)));
    assert_eq!((ours.len(), &ours), (25, &theirs));
}

/// Of the successor, which no distribution has: connections take servers in turn, calls take entries in turn.
#[test]
fn servers_and_targets_turn_on_their_own() {
    let target = target::start(Options {
        listen: vec!["0.0.0.0:0".parse().expect("an address")],
        ..Options::default()
    });
    let folder = tempfile::tempdir().unwrap();
    let (servers, list) = (folder.path().join("servers"), folder.path().join("list"));
    std::fs::write(&servers, b"127.0.0.1\x00127.0.0.2\0").unwrap();
    std::fs::write(&list, b"/a\0/b\0/c\0").unwrap();
    let said = ours(
        &format!(
            "--servers={} --port {} --wlog=y,{} --num-conns 4 --num-calls 2 --print-request=header",
            servers.display(),
            target.addr().port(),
            list.display()
        )
        .split(' ')
        .map(str::to_owned)
        .collect::<Vec<_>>(),
    );
    let asked: Vec<_> = said.stdout.lines().filter_map(|line| line.split(" /").nth(1)?.get(..1)).collect();
    assert_eq!(asked, ["a", "b", "c", "a", "b", "c", "a", "b"], "{said:#?}");
    let hosts: Vec<_> = said.stdout.lines().filter_map(|line| line.split("Host: ").nth(1)).collect();
    let [one, two] = ["127.0.0.1", "127.0.0.2"];
    assert_eq!(hosts, [one, one, two, two, one, one, two, two], "{said:#?}");
    assert_eq!((said.code, target.log().len()), (0, 8));
}

#[test]
fn sessions_are_the_same() {
    let nginx = Nginx::start("");
    for words in [
        "--uri /page --wsess=3,4,0.02 --rate 10 --timeout 2",
        "--uri /page --wsess=2,6,0.05 --burst-length 3 --rate 4 --timeout 2",
        "--uri /page --wsess=2,3,0.02 --http-version=1.0 --rate 10 --timeout 2",
        "--uri /page --wsess=3,2,0.02 --timeout 2",
        "--uri /page --wsess=2,1,5 --burst-length 4 --rate 20 --timeout 1",
        "--uri /error --wsess=3,4,0.02 --failure-status=500 --rate 10 --timeout 2",
        "--uri /error --wsess=3,4,0.02 --rate 10 --timeout 2",
        "--uri /page --wsess=2,4,0.02 --burst-length 4 --max-piped-calls 1 --max-connections 2 --rate 5",
        "--uri /page --wsess=2,8,0.02 --burst-length 4 --max-piped-calls 1 --rate 4 --timeout 2",
    ] {
        same(nginx.port(), words);
    }
}

#[test]
fn session_logs_are_the_same() {
    let nginx = Nginx::start("");
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let text = "# one\n/page think=0.05\n\t/small\n\t/none\n/upload method=POST contents='Post data\\n'\n\t/page\n\n\
                /upload method=PUT contents=\"two\\nlines\\n\" think=0\n/page method=HEAD\n";
    std::fs::write(&log, text).unwrap();
    let log = log.display();
    for words in [
        format!("--wsesslog=3,0.02,{log} --timeout 2 --print-request"),
        format!("--wsesslog=3,0.02,{log} --rate 5 --timeout 2"),
        format!("--wsesslog=2,0,{log} --timeout 2 --max-piped-calls 1 --max-connections 2 --rate 2"),
    ] {
        same(nginx.port(), &words);
    }
}

#[test]
fn heads_on_the_wire_are_the_same() {
    let nginx = Nginx::start("");
    for words in [
        r"--uri /echo --print-request --num-calls 2",
        r"--uri /echo --print-reply --num-calls 2",
        r"--uri /nothing --print-request=header --print-reply=header",
        r"--uri /echo --print-request=header --add-header Referer:~foo\nAuth:~secret\n",
        r"--uri /echo --print-request=header --add-header X-A:~a\\b\101\r\aX-B:~y\n",
        r"--uri /echo --print-request=header --http-version=1.0",
        r"--uri /echo --print-request=header --server-name other.test --method OPTIONS",
        r"--uri http://127.0.0.1/echo --print-request=header",
        r"--uri /echo --print-request=header --add-header X-A:~b --timeout 0.2",
    ] {
        same(nginx.port(), words);
    }
}

#[test]
fn cookies_come_back_with_the_session() {
    let server = Peer::start(|number, mut connection| {
        let mut call = 0;
        while let Some(head) = read_head(&mut connection) {
            let text = String::from_utf8_lossy(&head);
            let cookie = text.lines().find_map(|line| line.strip_prefix("Cookie: ")).unwrap_or("none");
            let reply = format!(
                "HTTP/1.1 200 OK\r\nSet-Cookie: a={number}.{call}; path=/never\r\nContent-Length: {}\r\n\r\n{cookie}\n",
                cookie.len() + 1
            );
            call += 1;
            if connection.write_all(reply.as_bytes()).is_err() {
                return;
            }
        }
    });
    let words = words(
        server.address().port(),
        "--wsess=2,3,0.02 --session-cookies --print-request=header --timeout 2",
    );
    let told = ours(&words);
    let sent: Vec<&str> = told.stdout.lines().filter(|line| line.contains("Cookie: ")).collect();
    let expected = ["SH1:Cookie: a=0.0", "SH2:Cookie: a=0.1", "SH4:Cookie: a=1.0", "SH5:Cookie: a=1.1"];
    assert_eq!(sent, expected);
    assert!(told.stdout.contains("(2/2)"), "{told:#?}");
}

#[test]
fn what_goes_wrong_is_counted_the_same() {
    let server = target::start(Options::default());
    for words in [
        "--uri /?delay=1s --num-conns 3 --rate 20 --timeout 0.2",
        "--uri /?delay=300ms --num-conns 3 --rate 20 --timeout 0.1 --think-timeout 1",
        "--uri /?chunked=4&size=10 --num-conns 2",
        "--uri /?until-close=1&size=10 --num-conns 2",
        "--uri /?delay=200ms --num-calls 3 --burst-length 3 --timeout 0.3",
        "--uri /?delay=1s --wsess=2,2,0.05 --timeout 0.2 --rate 10",
        "--uri /?delay=300ms --wsess=2,2,0.05 --timeout 0.1 --think-timeout 2 --rate 10",
    ] {
        same(server.addr().port(), words);
    }
}

/// A server that answers so many requests of a connection and then closes without a word when one more has come.
fn closing_after(requests: u32) -> Peer {
    Peer::start(move |_, mut connection| {
        for _ in 0..requests {
            if read_head(&mut connection).is_none()
                || connection.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").is_err()
            {
                return;
            }
        }
        if read_head(&mut connection).is_some() {
            let _ = connection.shutdown(Shutdown::Write);
            drain(&mut connection);
        }
    })
}

#[test]
fn connections_that_close_are_counted_the_same() {
    for (requests, text) in [
        (0, "--num-conns 3 --timeout 2"),
        (0, "--wsess=2,2,0.05 --timeout 2 --rate 10"),
        (1, "--num-conns 2 --num-calls 4 --timeout 2"),
        (2, "--num-conns 2 --num-calls 4 --timeout 2"),
        (2, "--wsess=2,4,0.05 --timeout 2 --rate 5"),
        (2, "--wsess=2,6,0.05 --burst-length 3 --timeout 2 --rate 3"),
    ] {
        let server = closing_after(requests);
        // It adds up the bytes of all attempts at a call.
        same_but(server.address().port(), text, "Request size");
    }
}

#[test]
fn nobody_listening_is_counted_the_same() {
    let port = free_port();
    for words in
        ["--num-conns 5 --timeout 1", "--num-conns 5 --rate 50 --timeout 1", "--wsess=3,2,0.1 --rate 20"]
    {
        same(port, words);
    }
    // The original dies of this one.
    let told = ours(&words(port, "--wsess=2,6,0.2 --burst-length 3 --rate 20"));
    assert!(told.stdout.contains("connrefused 2 ") && told.stdout.contains("(0/2)"), "{told:#?}");
}

#[test]
fn tls_is_the_same() {
    let authority = Authority::new();
    let pair = authority.issue("localhost", Validity::Now);
    let nginx = Nginx::start_tls(&pair.certificate, &pair.key, "");
    for words in [
        "--ssl --uri /small --num-conns 3 --timeout 2",
        "--ssl --uri /small --num-conns 2 --num-calls 3 --timeout 2",
        "--ssl --uri /small --wsess=2,3,0.02 --http-version=1.0 --timeout 2",
    ] {
        same(nginx.port(), words);
    }
    // The original waits for ever for the rest of a record it has read.
    let told = ours(&words(nginx.port(), "--ssl --uri /huge --timeout 60"));
    assert!(told.stdout.contains("replies 1 ") && told.stdout.contains("Errors: total 0 "), "{told:#?}");
}

#[test]
fn who_is_trusted_may_be_a_folder_of_files() {
    let authority = Authority::new();
    let pair = authority.issue("localhost", Validity::Now);
    let nginx = Nginx::start_tls(&pair.certificate, &pair.key, "");
    let folder = tempfile::tempdir().unwrap();
    let asked = |path: &std::path::Path| {
        let load =
            format!("--server localhost --port {} --uri /small --ssl --ssl-verify --timeout 5", nginx.port());
        let words: Vec<String> = load.split(' ').map(str::to_owned).collect();
        ours(&[words, vec![format!("--ssl-ca-path={}", path.display())]].concat())
    };
    std::fs::write(folder.path().join("other.pem"), Authority::new().pem()).unwrap();
    let unknown = asked(folder.path());
    assert!(unknown.stdout.contains("replies 0 ") && unknown.stdout.contains("other 1\n"), "{unknown:#?}");
    std::fs::write(folder.path().join("ours.0"), authority.pem()).unwrap();
    let known = asked(folder.path());
    assert!(known.stdout.contains("replies 1 ") && known.stdout.contains("Errors: total 0 "), "{known:#?}");
}

#[test]
fn usage_errors_are_the_same() {
    for text in [
        "--num-conns=10x",
        "--ser x",
        "--period=u1",
        "--wset=10",
        "--session-cookie",
        "--wsesslog=1,0,missing",
    ] {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let (theirs, ours) = (theirs(&words), ours(&words));
        assert_eq!(
            (&ours.stdout, &ours.stderr, ours.code),
            (&theirs.stdout, &theirs.stderr, theirs.code),
            "{text}"
        );
    }
}

#[test]
fn a_run_that_is_interrupted_reports() {
    let server = target::start(Options::default());
    let words = words(server.addr().port(), "--num-conns 100 --rate 10");
    let running = Warwolf::new(&["httperf"]).and(&words).start();
    std::thread::sleep(Duration::from_millis(1_000));
    running.signal(Ending::Interrupt);
    let told = running.told().exits(0);
    let total =
        told.stdout.lines().find(|line| line.starts_with("Total: ")).unwrap_or_else(|| panic!("{told:#?}"));
    let connections: u32 = total.split(' ').nth(2).and_then(|word| word.parse().ok()).unwrap();
    assert!((5..=15).contains(&connections), "{told:#?}");
}

/// The classic generator of 48 bits, as httperf seeds it for a client.
fn numbers(client: u64) -> impl Iterator<Item = f64> {
    let low = 0x1234 ^ client;
    let middle = 0x5678 ^ (client << 8 & 0xffff);
    let high = 0x9abc ^ (!client & 0xffff);
    let mut state = high << 32 | middle << 16 | low;
    std::iter::from_fn(move || {
        state = state.wrapping_mul(0x5DEE_CE66D).wrapping_add(0xB) & ((1 << 48) - 1);
        Some(state as f64 / (1_u64 << 48) as f64)
    })
}

/// Compares moments, which a loaded machine moves.
mod quiet {
    use super::*;

    #[test]
    fn arrivals_come_when_the_original_would_send_them() {
        let exponential = |r: f64| -0.02 * (1.0 - r).ln();
        let uniform = |r: f64| 0.01 + 0.03 * r;
        type Gap<'a> = &'a dyn Fn(f64) -> f64;
        let cases: [(&str, u64, Gap<'_>); 3] =
            [("e0.02", 2, &exponential), ("u0.01,0.04", 7, &uniform), ("d0.025", 0, &|_| 0.025)];
        for (period, client, gap) in cases {
            // A busy machine disturbs one attempt or another; a schedule that is wrong is wrong in all.
            let attempts: Vec<f64> = (0..6).map(|_| lateness(period, client, gap)).collect();
            assert!(attempts.iter().any(|late| *late < 0.005), "{period}: {attempts:?}");
        }
    }
}

/// How late the middle one of forty arrivals was behind the one that was most in time, in seconds. Had the schedule been
/// another, it would be the width of several gaps.
fn lateness(period: &str, client: u64, gap: &dyn Fn(f64) -> f64) -> f64 {
    let server = target::start(Options::default());
    let text = format!("--num-conns 40 --period={period} --client={client}/9");
    let told = ours(&words(server.addr().port(), &text));
    // The server logs a request after its reply, so the client may be first to end.
    let until = Instant::now() + Duration::from_secs(2);
    while server.log().len() < 40 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut at: Vec<u64> = server.log().iter().map(|entry| entry.arrived_ns).collect();
    at.sort_unstable();
    assert_eq!(at.len(), 40, "{told:#?}");
    let mut due = 0.0;
    let mut late: Vec<f64> = at
        .iter()
        .zip(numbers(client))
        .map(|(arrived, number)| {
            let late = *arrived as f64 / 1e9 - due;
            due += gap(number);
            late
        })
        .collect();
    late.sort_by(f64::total_cmp);
    late[20] - late[0]
}
