//! `http_load`, from its words to its report, against real servers.

use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use warwolf_e2e::peer::{Peer, drain, read_head};
use warwolf_e2e::process::{Ending, command, free_port};
use warwolf_e2e::server::Nginx;
use warwolf_e2e::{Told, Warwolf, target};
use warwolf_target::Options;

/// A folder with a file of URLs.
struct Urls(TempDir);

impl Urls {
    fn new<S: AsRef<str>>(urls: &[S]) -> Self {
        let folder = tempfile::tempdir().expect("a new folder");
        let text: String = urls.iter().map(|url| format!("{}\n", url.as_ref())).collect();
        std::fs::write(folder.path().join("urls"), text).expect("a new file");
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("urls")
    }

    fn load(&self, words: &str) -> Told {
        self.start(words).told()
    }

    fn start(&self, words: &str) -> Warwolf {
        let words: Vec<&str> = words.split_whitespace().collect();
        Warwolf::new(&["http_load"]).and(&words).and(&[self.path().to_str().expect("a plain path")])
    }
}

/// The number before `what` in the report.
fn before(told: &Told, what: &str) -> f64 {
    let found = told.stdout.split_once(what).and_then(|(text, _)| text.split_whitespace().last());
    let number = found.and_then(|word| word.parse().ok());
    number.unwrap_or_else(|| panic!("no number before `{what}` in {told:#?}"))
}

fn fetches(told: &Told) -> u64 {
    before(told, " fetches,") as u64
}

fn seconds(told: &Told) -> f64 {
    before(told, " seconds\n")
}

/// Replies by status.
fn codes(told: &Told) -> Vec<(u16, u64)> {
    let lines = told.stdout.lines().filter_map(|line| line.strip_prefix("  code "));
    lines
        .map(|line| {
            let (code, number) = line.split_once(" -- ").unwrap_or_else(|| panic!("{line}"));
            (code.parse().expect("a status"), number.parse().expect("a number"))
        })
        .collect()
}

/// A server that answers the n-th request with what `reply` makes of n, and closes.
fn answering(reply: impl Fn(usize) -> Option<Vec<u8>> + Send + Sync + 'static) -> Peer {
    let count = AtomicUsize::new(0);
    Peer::start(move |_, mut connection| {
        if read_head(&mut connection).is_some()
            && let Some(reply) = reply(count.fetch_add(1, Ordering::SeqCst))
        {
            let _ = connection.write_all(&reply);
            drain(&mut connection);
        }
    })
}

fn page(body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

#[test]
fn a_parallel_run_makes_exactly_the_fetches_wanted() {
    let server = target::start(Options::default());
    let urls = Urls::new(&[target::url(&server, "/?size=10240")]);
    let told = urls.load("-parallel 5 -fetches 100").exits(0);
    let first = told.stdout.lines().next().unwrap_or_default();
    assert!(first.starts_with("100 fetches, 5 max parallel, 1.024e+06 bytes, in "), "{told:#?}");
    assert_eq!(told.stdout.lines().nth(1), Some("10240 mean bytes/connection"), "{told:#?}");
    assert_eq!(codes(&told), [(200, 100)]);
    assert_eq!(told.stderr, "");
    let log = server.log();
    assert_eq!(log.len(), 100);
    let connections: std::collections::HashSet<_> = log.iter().map(|entry| entry.connection).collect();
    assert_eq!(connections.len(), 100, "each fetch has a connection of its own");
}

#[test]
fn a_timed_run_lasts_as_long_and_draws_each_url_as_often() {
    let server = target::start(Options::default());
    let urls = Urls::new(&[1, 2, 3].map(|size| target::url(&server, &format!("/?size={size}"))));
    let told = urls.load("-p 3 -s 2").exits(0);
    assert!((2.0..2.3).contains(&seconds(&told)), "{told:#?}");
    assert_eq!(before(&told, " max parallel"), 3.0, "{told:#?}");
    let rate = before(&told, " fetches/sec");
    assert!((rate * seconds(&told) / fetches(&told) as f64 - 1.0).abs() < 1e-4, "{told:#?}");
    assert_eq!(codes(&told), [(200, fetches(&told))]);
    let mean = before(&told, " mean bytes/connection");
    assert!((1.8..2.2).contains(&mean), "a third each: {told:#?}");
}

#[test]
fn rates_are_as_asked() {
    let server = target::start(Options::default());
    let urls = Urls::new(&[target::url(&server, "/?size=100")]);
    for (words, expected) in [
        ("-rate 20 -seconds 3", 58..=60),
        ("-r 20 -j -s 3", 54..=66),
        // The original made 500 and 1,000 a second of these.
        ("-rate 400 -seconds 2", 780..=800),
        ("-rate 600 -seconds 2", 1_170..=1_200),
        // The last of two starts and of two ends counts.
        ("-p 1 -r 10 -f 1 -s 1", 9..=10),
    ] {
        let told = urls.load(words).exits(0);
        assert!(expected.contains(&fetches(&told)), "{words}: {told:#?}");
    }
    let told = urls.load("-rate 50 -fetches 30").exits(0);
    assert_eq!(fetches(&told), 30);
    assert!((0.59..0.8).contains(&seconds(&told)), "{told:#?}");
}

#[test]
fn replies_of_every_status_are_replies_and_redirects_are_not_followed() {
    let server = Nginx::start("");
    let urls = Urls::new(&["/small", "/moved", "/nothing-here", "/error"].map(|path| server.url(path)));
    let told = urls.load("-p 4 -f 200").exits(0);
    let codes = codes(&told);
    assert_eq!(codes.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [200, 302, 404, 500], "{told:#?}");
    assert_eq!(codes.iter().map(|(_, number)| number).sum::<u64>(), 200);
    assert!(!told.stdout.contains("bad byte counts"), "{told:#?}");
    let hits = server.hits();
    assert_eq!(hits.len(), 200);
    assert!(hits.iter().all(|hit| hit.version == "HTTP/1.0" && hit.method == "GET"), "{hits:#?}");
}

#[test]
fn a_page_that_grows_is_found_out() {
    let server = answering(|number| Some(page(if number < 4 { b"twenty bytes........" } else { b"more" })));
    let urls = Urls::new(&[server.url("/var.txt")]);
    let told = urls.load("-p 1 -f 14").exits(0);
    assert_eq!(before(&told, " bad byte counts"), 10.0, "{told:#?}");
    assert_eq!(told.stderr, format!("{}: byte count wrong\n", server.url("/var.txt")).repeat(10));
    // Whoever knows that pages differ can say so.
    let told = urls.load("-nocheck -p 1 -f 14").exits(0);
    assert_eq!(told.stderr, "");
}

#[test]
fn a_page_that_changes_and_keeps_its_length_is_found_out_by_its_checksum() {
    let bodies: [&[u8]; 2] = [b"twenty bytes, first.", b"twenty bytes, other."];
    let server = move || answering(move |number| Some(page(bodies[usize::from(number >= 4)])));
    let (first, second) = (server(), server());
    let told = Urls::new(&[first.url("/var.txt")]).load("-checksum -p 1 -f 14").exits(0);
    assert_eq!(before(&told, " bad checksums"), 10.0, "{told:#?}");
    assert_eq!(told.stderr, format!("{}: checksum wrong\n", first.url("/var.txt")).repeat(10));
    // By its length alone it looks the same.
    let told = Urls::new(&[second.url("/var.txt")]).load("-p 1 -f 14").exits(0);
    assert!(!told.stdout.contains("bad"), "{told:#?}");
    assert_eq!(told.stderr, "");
}

#[test]
fn a_throttled_connection_is_as_slow_as_it_should_be() {
    let server = target::start(Options::default());
    let urls = Urls::new(&[target::url(&server, "/?size=10240")]);
    // Ten bits a byte: 4,000 bytes a second. What is read last, at most half a second's worth, nobody waits for.
    let told = urls.load("-Throttle 40000 -p 2 -f 2").exits(0);
    assert!((2.0..2.9).contains(&seconds(&told)), "{told:#?}");
    assert_eq!(codes(&told), [(200, 2)]);
    assert!(told.stdout.contains("\n10240 mean bytes/connection\n"), "{told:#?}");
    let rate = before(&told, " bytes/sec");
    assert!((7_000.0..10_300.0).contains(&rate), "two connections at 4,000 each: {told:#?}");
    // A pause is no silence of the server's.
    let told = urls.load("-Throttle 10000 -timeout 1 -p 1 -s 2").exits(0);
    assert!(!told.stdout.contains("timeouts"), "{told:#?}");
    // 3,360 bytes a second, as of a modem.
    let told = Urls::new(&[target::url(&server, "/?size=5000")]).load("-throttle -p 1 -f 1").exits(0);
    assert!((0.9..1.7).contains(&seconds(&told)), "{told:#?}");
}

#[test]
fn a_server_that_trickles_is_not_timed_out_and_one_that_stalls_is() {
    let server = answering(|_| Some(b"HTTP/1.0 200 OK\r\nContent-Length: 99\r\n\r\nsome of it".to_vec()));
    let told = Urls::new(&[server.url("/stall")]).load("-timeout 1 -p 1 -f 2").exits(0);
    // What came of it counts.
    assert!(told.stdout.starts_with("2 fetches, 1 max parallel, 20 bytes, in 2."), "{told:#?}");
    assert!(told.stdout.contains("\n2 timeouts\n") && codes(&told) == [(200, 2)], "{told:#?}");

    let server = Peer::start(|_, mut connection| {
        if read_head(&mut connection).is_some() {
            let _ = connection.write_all(b"HTTP/1.0 200 OK\r\nContent-Length: 6\r\n\r\n");
            for _ in 0..6 {
                std::thread::sleep(Duration::from_millis(400));
                let _ = connection.write_all(b"x");
            }
            drain(&mut connection);
        }
    });
    let told = Urls::new(&[server.url("/")]).load("-timeout 1 -p 1 -f 1").exits(0);
    assert!(seconds(&told) > 2.3 && !told.stdout.contains("timeouts"), "{told:#?}");
}

#[test]
fn a_request_is_byte_for_byte_the_originals() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let heads = Arc::clone(&seen);
    let server = Peer::start(move |_, mut connection| {
        if let Some(head) = read_head(&mut connection) {
            heads.lock().expect("nobody panicked").push(head);
            let _ = connection.write_all(&page(b"five."));
            drain(&mut connection);
        }
    });
    for path in ["/ok?a=b c#f", "", "/trailing ", "/\u{e9}"] {
        Urls::new(&[server.url(path)]).load("-p 1 -f 1").exits(0);
        let path = if path.is_empty() { "/" } else { path };
        let expected =
            format!("GET {path} HTTP/1.0\r\nHost: 127.0.0.1\r\nUser-Agent: http_load 12mar2006\r\n\r\n");
        let head = seen.lock().expect("nobody panicked").pop().expect("a request");
        assert_eq!(String::from_utf8_lossy(&head), expected);
    }
    let proxy = format!("-proxy {} -p 1 -f 1", server.address());
    Urls::new(&["http://nosuch.invalid:18080/10k.bin"]).load(&proxy).exits(0);
    let head = seen.lock().expect("nobody panicked").pop().expect("a request");
    assert!(
        head.starts_with(b"GET http://nosuch.invalid:18080/10k.bin HTTP/1.0\r\nHost: nosuch.invalid\r\n")
    );
}

#[test]
fn chunks_are_bytes_like_any_other() {
    let server = Peer::replying_once(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\n\r\n",
    );
    let told = Urls::new(&[server.url("/chunk")]).load("-p 1 -f 3").exits(0);
    assert_eq!(told.stdout.lines().nth(1), Some("32 mean bytes/connection"), "{told:#?}");
    assert_eq!(codes(&told), [(200, 3)]);
}

#[test]
fn a_first_fetch_that_is_closed_poisons_nothing() {
    let server = answering(|number| (number > 0).then(|| page(b"five.")));
    let urls = Urls::new(&[server.url("/")]);
    let told = urls.load("-p 1 -f 5").exits(0);
    assert_eq!((fetches(&told), codes(&told)), (5, vec![(200, 4)]), "{told:#?}");
    assert!(!told.stdout.contains("bad"), "{told:#?}");
    assert_eq!(told.stderr, "");
}

#[test]
fn a_server_that_says_nothing_times_out() {
    let server = Peer::start(|_, mut connection| drain(&mut connection));
    let urls = Urls::new(&[server.url("/hang")]);
    let told = urls.load("-timeout 1 -p 2 -f 4").exits(0);
    assert!((2.0..2.5).contains(&seconds(&told)), "{told:#?}");
    assert!(told.stdout.starts_with("4 fetches, 2 max parallel, 0 bytes, in "), "{told:#?}");
    assert!(told.stdout.contains("\n4 timeouts\nHTTP response codes:\n"), "{told:#?}");
    assert!(!told.stdout.contains("msecs/first-response"), "{told:#?}");
    assert_eq!(told.stderr, format!("{}: timed out\n", server.url("/hang")).repeat(4));
}

#[test]
fn fetches_in_flight_at_the_end_of_the_time_are_thrown_away() {
    let server = Peer::start(|_, mut connection| drain(&mut connection));
    let urls = Urls::new(&[server.url("/hang")]);
    let told = urls.load("-p 20 -s 1").exits(0);
    assert!(told.stdout.starts_with("0 fetches, 20 max parallel, 0 bytes, in 1"), "{told:#?}");
    assert!(
        told.stdout.ends_with(" seconds\n0 fetches/sec, 0 bytes/sec\nHTTP response codes:\n"),
        "{told:#?}"
    );
    assert_eq!(told.stderr, "");
}

#[test]
fn refused_connections_are_counted_as_such() {
    let url = format!("http://127.0.0.1:{}/x", free_port());
    let told = Urls::new(&[&url]).load("-p 2 -f 6").exits(0);
    assert!(told.stdout.starts_with("6 fetches, 2 max parallel, 0 bytes, in "), "{told:#?}");
    assert!(!told.stdout.contains("msecs/"), "{told:#?}");
    let lines = format!("{url}: Connection refused\n").repeat(6);
    let last = "http_load: 6 of 6 fetches had no connection: 6 connection refused\n";
    assert_eq!(told.stderr, lines + last);
}

#[test]
fn a_rate_goes_on_past_fetches_that_hang() {
    // Every other connection hangs; the run is over when ten fetches are, not when ten that were started are.
    let server = Peer::start(|number, mut connection| {
        if number % 2 == 0 && read_head(&mut connection).is_some() {
            let _ = connection.write_all(&page(b"five."));
        }
        drain(&mut connection);
    });
    let began = Instant::now();
    let told = Urls::new(&[server.url("/")]).load("-rate 50 -fetches 10").exits(0);
    assert_eq!((fetches(&told), codes(&told)), (10, vec![(200, 10)]), "{told:#?}");
    assert!(server.accepted() >= 19, "{}", server.accepted());
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn words_that_mean_nothing_are_refused_as_ever() {
    let urls = Urls::new(&["http://127.0.0.1:1/"]);
    let rows = [
        ("-p 0 -f 1", "http_load: parallel must be at least 1\n"),
        ("-r 1001 -f 1", "http_load: rate may be at most 1000\n"),
        ("-p 1 -f 0", "http_load: fetches must be at least 1\n"),
        ("-p 1 -s 0", "http_load: seconds must be at least 1\n"),
    ];
    for (words, text) in rows {
        let told = urls.load(words).exits(1);
        assert_eq!((told.stdout.as_str(), told.stderr.as_str()), ("", text), "{words}");
    }
    for words in ["-p 1 -j -f 1", "-p 1", "-V", "-p 1 -f 1 extra"] {
        let told = urls.load(words).exits(1);
        assert!(told.stdout.is_empty() && told.stderr.starts_with("usage:  http_load "), "{words}");
    }
    for (line, text) in [("ftp://x/", "unknown protocol - ftp://x/"), ("", "unknown protocol - ")] {
        let told = Urls::new(&[line]).load("-p 1 -f 1").exits(1);
        assert_eq!(told.stderr, format!("http_load: {text}\n"));
    }
    let told = Urls::new(&["http://nosuch.invalid/"]).load("-p 1 -f 1").exits(1);
    assert!(told.stderr.starts_with("http_load: getaddrinfo nosuch.invalid - "), "{told:#?}");
}

#[test]
fn an_interrupt_ends_it_without_a_report() {
    let server = target::start(Options::default());
    let urls = Urls::new(&[target::url(&server, "/")]);
    let running = urls.start("-p 2 -s 20").start();
    std::thread::sleep(Duration::from_millis(800));
    running.signal(Ending::Interrupt);
    let told = running.told().exits(130);
    assert_eq!((told.stdout.as_str(), told.stderr.as_str()), ("", ""));
}

#[test]
fn a_hundred_thousand_urls_are_no_burden() {
    let server = target::start(Options::default());
    let urls: Vec<String> = (0..100_000)
        .map(|number| target::url(&server, &format!("/?size={}&n={number}", number % 50)))
        .collect();
    let urls = Urls::new(&urls);
    // Building the program is not what is timed.
    warwolf_e2e::warwolf::program();
    let began = Instant::now();
    let told = urls.load("-p 10 -f 5000").exits(0);
    assert_eq!(codes(&told), [(200, 5_000)], "{told:#?}");
    assert!(!told.stdout.contains("bad"), "{told:#?}");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    println!("100,000 URLs, 5,000 fetches: {:?}", began.elapsed());
    let targets: std::collections::HashSet<_> = server.log().into_iter().map(|entry| entry.path).collect();
    // 5,000 drawn of 100,000 with replacement: about 4,877 different ones.
    assert!((4_750..=5_000).contains(&targets.len()), "{}", targets.len());
}

#[test]
fn the_same_seed_draws_the_same_urls() {
    let server = target::start(Options::default());
    let urls: Vec<String> = (0..50).map(|number| target::url(&server, &format!("/?n={number}"))).collect();
    let urls = Urls::new(&urls);
    let drawn = |before: usize| {
        urls.load("-seed 42 -p 1 -f 30").exits(0);
        // The server logs a request after its reply, so the client may be first to end.
        let until = Instant::now() + Duration::from_secs(5);
        while server.log().len() < before + 30 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        server.log().into_iter().skip(before).map(|entry| entry.path).collect::<Vec<_>>()
    };
    let (first, second) = (drawn(0), drawn(30));
    assert_eq!((first.len(), &first), (30, &second));
}

#[test]
fn a_link_of_that_name_is_http_load() {
    let server = target::start(Options::default());
    let urls = Urls::new(&[target::url(&server, "/?size=7")]);
    let link = urls.0.path().join("http_load");
    symlink(warwolf_e2e::warwolf::program(), &link).expect("a new link");
    let output = command(&link).args(["-p", "1", "-f", "3"]).arg(urls.path()).output().expect("it starts");
    assert!(output.status.success());
    assert!(output.stdout.starts_with(b"3 fetches, 1 max parallel, 21 bytes, in "), "{output:?}");

    let output = command(&link).output().expect("it starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.starts_with(format!("usage:  {} [", link.display()).as_bytes()), "{output:?}");
}

#[test]
fn replies_that_cannot_be_read_have_a_reason() {
    let reply = format!("HTTP/1.0 200 OK\r\n{}\r\nok", "X: y\r\n".repeat(1_001)).into_bytes();
    let server = answering(move |_| Some(reply.clone()));
    let told = Urls::new(&[server.url("/")]).load("-p 1 -f 3").exits(0);
    assert_eq!((fetches(&told), codes(&told)), (3, vec![]), "{told:#?}");
    let expected = "http_load: 3 of 3 replies could not be read: 3 HTTP: too many header lines\n";
    assert_eq!(told.stderr, expected);
}
