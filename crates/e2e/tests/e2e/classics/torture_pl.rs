//! `torture.pl`, from its words to its report, against real servers.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::symlink;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use warwolf_e2e::peer::{Peer, drain, read_head};
use warwolf_e2e::process::{Ending, command, free_port};
use warwolf_e2e::server::Nginx;
use warwolf_e2e::{Told, Warwolf, target};
use warwolf_target::Options;

fn torture(words: &str, url: &str) -> Told {
    let words: Vec<&str> = words.split_whitespace().collect();
    Warwolf::new(&["torture.pl"]).and(&words).and(&[url]).told()
}

/// The number behind a label, and what follows it.
fn figure(told: &Told, label: &str) -> f64 {
    let line = told.stdout.lines().find_map(|line| line.strip_prefix(label));
    let number = line.and_then(|rest| rest.split_whitespace().next()).and_then(|word| word.parse().ok());
    number.unwrap_or_else(|| panic!("no number behind `{label}` in {told:#?}"))
}

/// Transactions by status, in the order printed.
fn statuses(told: &Told) -> Vec<(u16, u64)> {
    let lines = told.stdout.lines().filter_map(|line| line.strip_prefix("Status Code "));
    lines
        .map(|line| {
            let (status, number) = line.split_once(":        ").unwrap_or_else(|| panic!("{line}"));
            (status.parse().expect("a status"), number.parse().expect("a number"))
        })
        .collect()
}

/// The labels in their order, between the two banners; any other line is out of place.
fn has_the_shape(told: &Told) {
    let lines: Vec<&str> = told.stdout.lines().collect();
    let labels = [
        "** torture.pl version 1.05 starting at ",
        "Transactions:           ",
        "Elapsed time:           ",
        "Bytes Transferred:      ",
        "Response Time:          ",
        "Transaction Rate:       ",
        "Throughput:             ",
        "Concurrency:            ",
    ];
    for (line, label) in lines.iter().zip(labels) {
        assert!(line.starts_with(label), "`{line}` is not `{label}…`: {told:#?}");
    }
    let (last, middle) = lines[labels.len()..].split_last().expect("an end");
    assert!(last.starts_with("** torture.pl version 1.05 ending at "), "{told:#?}");
    assert!(middle.iter().all(|line| line.starts_with("Status Code ")), "{told:#?}");
}

#[test]
fn one_fetch_is_the_default() {
    let server = target::start(Options::default());
    let told = torture("", &target::url(&server, "/?size=204")).exits(0);
    has_the_shape(&told);
    assert_eq!(figure(&told, "Transactions:"), 1.0);
    assert_eq!(figure(&told, "Bytes Transferred:"), 204.0);
    assert_eq!(statuses(&told), [(200, 1)]);
    assert_eq!(told.stderr, "");
}

#[test]
fn copies_run_side_by_side() {
    let server = target::start(Options::default());
    let told = torture("-c 4 -t 5", &target::url(&server, "/?size=100&delay=200ms")).exits(0);
    has_the_shape(&told);
    assert_eq!(figure(&told, "Transactions:"), 20.0);
    assert_eq!(figure(&told, "Bytes Transferred:"), 2_000.0);
    assert!((1.0..1.3).contains(&figure(&told, "Elapsed time:")), "{told:#?}");
    assert!((0.19..=0.25).contains(&figure(&told, "Response Time:")), "{told:#?}");
    assert!((15.0..=20.0).contains(&figure(&told, "Transaction Rate:")), "{told:#?}");
    assert!((3.7..=4.0).contains(&figure(&told, "Concurrency:")), "{told:#?}");
}

/// The original printed 5184.00168180466 bytes, a concurrency of 3587.3 and statuses 4 and 24179.
#[test]
fn many_transactions_of_several_copies_are_counted_exactly() {
    let server = target::start(Options::default());
    let told = torture("-c 4 -t 300", &target::url(&server, "/?size=4")).exits(0);
    assert_eq!(figure(&told, "Transactions:"), 1_200.0);
    assert_eq!(figure(&told, "Bytes Transferred:"), 4_800.0);
    assert_eq!(statuses(&told), [(200, 1_200)]);
    assert!(figure(&told, "Concurrency:") <= 4.0, "{told:#?}");
}

/// The original printed -0.128 seconds: it took off what another run had slept.
#[test]
fn pauses_are_part_of_the_time_that_passed() {
    let server = target::start(Options::default());
    let began = Instant::now();
    let told = torture("-c 3 -t 5 -d 0.3", &target::url(&server, "/?size=204")).exits(0);
    let wall = began.elapsed().as_secs_f64();
    let elapsed = figure(&told, "Elapsed time:");
    assert_eq!(figure(&told, "Transactions:"), 15.0);
    assert!(elapsed > 0.3 && elapsed <= wall, "{elapsed} of {wall}: {told:#?}");
    assert!(figure(&told, "Response Time:") < 0.1, "pauses are not part of a transaction: {told:#?}");
}

#[test]
fn no_connection_counts_as_503_and_is_said_each_time() {
    for url in [format!("http://127.0.0.1:{}/", free_port()), "http://nosuch.invalid/".to_owned()] {
        let told = torture("-t 2", &url).exits(0);
        has_the_shape(&told);
        assert_eq!((figure(&told, "Bytes Transferred:"), statuses(&told)), (0.0, vec![(503, 2)]), "{url}");
        let lines: Vec<&str> = told.stderr.lines().collect();
        assert_eq!(lines.len(), 2, "{told:#?}");
        for line in lines {
            let (process, message) = line.split_once(": ").unwrap_or_else(|| panic!("{line}"));
            assert!(process.parse::<u32>().is_ok() && message == "Connection refused", "{line}");
        }
    }
    // What is no URL is no connection either.
    for url in ["https://127.0.0.1/", "127.0.0.1/"] {
        assert_eq!(statuses(&torture("", url).exits(0)), [(503, 1)], "{url}");
    }
}

#[test]
fn replies_that_are_none_count_as_400_and_are_no_trouble() {
    let eof = Peer::start(|_, mut connection| drop(read_head(&mut connection)));
    let bad = Peer::replying_once(b"SSH-2.0-OpenSSH_9.2p1\r\n\r\n");
    for server in [eof, bad] {
        let told = torture("-t 2", &server.url("/")).exits(0);
        assert_eq!(
            (figure(&told, "Bytes Transferred:"), statuses(&told)),
            (0.0, vec![(400, 2)]),
            "{told:#?}"
        );
        assert_eq!(told.stderr, "");
    }
}

#[test]
fn redirects_are_counted_and_not_followed() {
    let server = Nginx::start("");
    let told = torture("-t 2", &server.url("/moved")).exits(0);
    assert_eq!(statuses(&told), [(302, 2)]);
    let hits = server.hits();
    assert_eq!(hits.len(), 2);
    assert!(hits.iter().all(|hit| hit.version == "HTTP/1.0" && hit.connection.1 == 1), "{hits:#?}");
}

#[test]
fn a_hang_is_counted_when_there_is_an_end_to_patience() {
    let server = Peer::start(|_, mut connection| drain(&mut connection));
    let told = torture("-w 0.5 -c 2 -t 1", &server.url("/")).exits(0);
    assert_eq!(statuses(&told), [(504, 2)], "{told:#?}");
    assert!(told.stderr.lines().all(|line| line.ends_with(": No sign of the server")), "{told:#?}");
    assert!((0.5..0.8).contains(&figure(&told, "Elapsed time:")), "{told:#?}");
}

#[test]
fn an_interrupt_ends_a_hang_with_a_report() {
    let server = Peer::start(|number, mut connection| {
        if number == 0 && read_head(&mut connection).is_some() {
            let _ = connection.write_all(b"HTTP/1.0 200 OK\r\n\r\nbody");
            return;
        }
        drain(&mut connection);
    });
    let running = Warwolf::new(&["torture.pl", "-t", "2", &server.url("/")]).start();
    let until = Instant::now() + Duration::from_secs(30);
    while server.accepted() < 2 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    running.signal(Ending::Interrupt);
    let told = running.told().exits(130);
    has_the_shape(&told);
    assert_eq!(statuses(&told), [(200, 1)], "{told:#?}");
}

#[test]
fn more_is_said_only_where_it_is_asked_for() {
    let server = Peer::start(|number, mut connection| {
        if read_head(&mut connection).is_some() && number > 0 {
            let _ = connection.write_all(b"HTTP/1.0 200 OK\r\n\r\nbody");
        }
    });
    let told = torture("-v -s 11 -t 3", &server.url("/")).exits(0);
    assert_eq!(statuses(&told), [(200, 2), (400, 1)], "{told:#?}");
    let lines: Vec<&str> = told.stderr.lines().collect();
    assert_eq!(lines[0], "torture.pl: seed 11");
    assert_eq!(lines[1], "torture.pl: status 400 stands 1 times for: connection closed before the reply");
    assert!(lines[2].starts_with("torture.pl: own overhead "), "{told:#?}");
    assert_eq!(lines.len(), 3, "{told:#?}");
}

#[test]
fn words_that_mean_nothing_are_answered_with_the_usage() {
    let none: [&str; 0] = [];
    let told = Warwolf::new(&["torture.pl"]).and(&none).told().exits(255);
    assert!(told.stderr.starts_with(" Usage: torture.pl -[options] URL\n"), "{told:#?}");
    let told = torture("-z", "http://127.0.0.1/").exits(255);
    assert!(told.stderr.starts_with("Unknown option: z\n Usage: torture.pl -[options] URL\n"), "{told:#?}");
    assert_eq!(told.stdout, "");

    let server = target::start(Options::default());
    let told = Warwolf::new(&["torture.pl", &target::url(&server, "/"), "-t", "5"]).told().exits(0);
    assert_eq!(figure(&told, "Transactions:"), 1.0, "what follows the URL is not read: {told:#?}");
}

#[test]
fn a_link_of_that_name_is_torture_pl() {
    let server = target::start(Options::default());
    let folder = tempfile::tempdir().expect("a new folder");
    let link = folder.path().join("torture.pl");
    symlink(warwolf_e2e::warwolf::program(), &link).expect("a new link");
    let output = command(&link).arg(target::url(&server, "/?size=7")).output().expect("it starts");
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("\nBytes Transferred:      7 bytes\n"), "{text}");
}

/// A request as it came: its head and its body.
type Came = (Vec<u8>, Vec<u8>);

/// A server that keeps what it is sent, and answers with four bytes.
fn keeping() -> (Peer, Arc<Mutex<Vec<Came>>>) {
    let came = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&came);
    let peer = Peer::start(move |_, mut connection| {
        let Some(head) = read_head(&mut connection) else { return };
        let text = String::from_utf8_lossy(&head).to_ascii_lowercase();
        let length =
            text.split_once("content-length: ").and_then(|(_, rest)| rest.lines().next()?.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        if connection.read_exact(&mut body).is_ok() {
            list.lock().expect("nobody panicked").push((head, body));
            let _ = connection.write_all(b"HTTP/1.0 200 OK\r\n\r\nbody");
        }
    });
    (peer, came)
}

fn taken(came: &Mutex<Vec<Came>>) -> Vec<Came> {
    std::mem::take(&mut came.lock().expect("nobody panicked"))
}

#[test]
fn the_query_is_random_and_counts_as_sent() {
    let (server, came) = keeping();
    let told = torture("-t 30 -l 300 -s 5", &server.url("/index.html")).exits(0);
    let requests = taken(&came);
    let mut data = 0;
    for (head, _) in &requests {
        let head = std::str::from_utf8(head).expect("escaped");
        let query =
            head.strip_prefix("GET /index.html?").and_then(|rest| rest.strip_suffix(" HTTP/1.0\r\n\r\n"));
        data += query.unwrap_or_else(|| panic!("{head}")).len();
    }
    assert!(data > 30 * 150, "half of 300 on average, and more by escaping: {data}");
    assert_eq!(figure(&told, "Bytes Transferred:"), (data + 30 * 4) as f64, "{told:#?}");
    assert_eq!(statuses(&told), [(200, 30)]);
    torture("-t 30 -l 300 -s 5", &server.url("/index.html")).exits(0);
    assert_eq!(taken(&came), requests, "the same seed, the same data");
    torture("-t 30 -l 300 -s 6", &server.url("/index.html")).exits(0);
    assert_ne!(taken(&came), requests);
}

#[test]
fn data_is_posted_unchanged_with_its_length() {
    let (server, came) = keeping();
    for (words, is_raw) in [("-t 10 -l 2000 -P", false), ("-t 10 -l 2000 -P -r", true)] {
        let told = torture(words, &server.url("/post")).exits(0);
        let requests = taken(&came);
        let sent: usize = requests.iter().map(|(_, body)| body.len()).sum();
        for (head, body) in &requests {
            let expected = format!(
                "POST /post HTTP/1.0\r\nContent-type: application/octet-stream\r\nContent-length: {}\r\n\r\n",
                body.len()
            );
            assert_eq!(String::from_utf8_lossy(head), expected);
        }
        let odd = requests.iter().flat_map(|(_, body)| body).filter(|byte| !byte.is_ascii_graphic()).count();
        assert_eq!(odd > 0, is_raw, "{words}");
        assert_eq!(figure(&told, "Bytes Transferred:"), (sent + 40) as f64, "{told:#?}");
        assert_eq!(statuses(&told), [(200, 10)]);
    }
}

#[test]
fn a_path_wins_over_a_post_and_flags_may_stand_in_one_word() {
    let (server, came) = keeping();
    for words in ["-Pprx -t2 -c2 -l 10", "-P -p -t 4 -l 10"] {
        let told = torture(words, &server.url("/dir/")).exits(0);
        assert_eq!(figure(&told, "Transactions:"), 4.0);
    }
    let requests = taken(&came);
    // Raw data may hold anything, the end of a head too.
    assert!(requests.iter().all(|(head, _)| !head.starts_with(b"GET /dir/ HTTP")), "{requests:?}");
    assert!(requests.len() >= 6, "{requests:?}");
    assert!(requests.iter().all(|(head, _)| !head.starts_with(b"POST")), "{requests:?}");
    // One of 256 begins with a slash of its own.
    assert!(
        requests.iter().any(|(head, _)| head.starts_with(b"GET /dir/") && !head.starts_with(b"GET /dir//"))
    );
}

#[test]
fn nginx_answers_random_data_as_it_answered_the_original() {
    let server = Nginx::start("");
    let codes = |words: &str, path: &str| {
        let told = torture(words, &server.url(path)).exits(0);
        assert_eq!(told.stderr, "", "what random data provokes is no trouble: {told:#?}");
        statuses(&told)
    };
    let long = codes("-t 10 -l 9000 -s 1", "/small");
    assert!(long.iter().all(|(code, _)| matches!(code, 200 | 414)) && long.len() == 2, "{long:?}");
    let path = codes("-t 20 -l 20 -p -s 1", "/small");
    assert!(path.iter().all(|(code, _)| matches!(code, 400 | 404)), "{path:?}");
    let raw = codes("-t 40 -l 20 -r -s 1", "/small");
    assert!(raw.iter().all(|(code, _)| matches!(code, 200 | 400)) && raw.len() == 2, "{raw:?}");
    assert_eq!(codes("-t 10 -l 2000 -P -r -s 1", "/upload"), [(200, 10)]);
}

#[test]
fn trouble_is_said_with_the_servers_own_reason() {
    let server = Peer::replying_once(
        b"HTTP/1.0 503 Service Temporarily Unavailable\r\nContent-Length: 5\r\n\r\nbusy\n",
    );
    let told = torture("-t 2", &server.url("/503")).exits(0);
    assert_eq!((figure(&told, "Bytes Transferred:"), statuses(&told)), (10.0, vec![(503, 2)]));
    let lines: Vec<&str> = told.stderr.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 2, "{told:#?}");
    for line in lines {
        let message = line.split_once(": ").map(|(_, message)| message);
        assert_eq!(message, Some("Service Temporarily Unavailable\r\n"));
    }
}

/// The original's copies died of that one after the other, and it divided by zero.
#[test]
fn a_server_that_closes_while_it_is_sent_to_costs_transactions_and_no_more() {
    let server = Peer::start(|_, mut connection| {
        let mut some = [0; 1_000];
        let _ = connection.read(&mut some);
    });
    let told = torture("-t 5 -c 2 -P -r -l 3000000", &server.url("/x")).exits(0);
    has_the_shape(&told);
    assert_eq!(statuses(&told), [(400, 10)], "{told:#?}");
    assert!(figure(&told, "Bytes Transferred:") > 1e6, "{told:#?}");
}

/// `Content-Length` is not looked at: a body is what comes before the end.
#[test]
fn a_body_ends_with_the_connection() {
    let server = Peer::replying_once(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\nEXTRA");
    let told = torture("", &server.url("/extra")).exits(0);
    assert_eq!((figure(&told, "Bytes Transferred:"), statuses(&told)), (8.0, vec![(200, 1)]));
}

#[test]
fn making_data_is_in_no_response_time() {
    let (server, _) = keeping();
    let told = torture("-v -t 2 -P -r -l 60000000 -s 4", &server.url("/")).exits(0);
    let making =
        told.stderr.lines().find_map(|line| line.strip_prefix("torture.pl: making random data took "));
    let making: f64 = making.and_then(|rest| rest.split(' ').next()?.parse().ok()).expect("a figure");
    let elapsed = figure(&told, "Elapsed time:");
    assert!(making > 0.01 && making < elapsed, "{told:#?}");
    assert!(2.0 * figure(&told, "Response Time:") <= elapsed - making + 0.02, "{told:#?}");
}
