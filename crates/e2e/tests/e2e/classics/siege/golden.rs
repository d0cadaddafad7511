//! The runs that everybody who replaces siege is measured by, in the order of the specification: what must be true of each.
//! Those where the original is beside are in the other modules as well.

use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Home, Nginx, Said, Scripted, masked, program};
use warwolf_e2e::process::{command, free_port};

/// The number behind a label of the report.
fn figure(said: &Said, label: &str) -> f64 {
    let rest = said.stderr.split_once(label).unwrap_or_else(|| panic!("no {label} in {said:#?}")).1;
    rest.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{said:#?}"))
}

/// Transactions, successful ones, failed ones, and the availability.
fn counts(said: &Said) -> (u64, u64, u64, f64) {
    let count = |label| figure(said, label) as u64;
    (
        count("Transactions:"),
        count("Successful transactions:"),
        count("Failed transactions:"),
        figure(said, "Availability:"),
    )
}

fn lines(said: &Said, status: u16) -> usize {
    said.stdout.lines().filter(|line| line.starts_with(&format!("HTTP/1.1 {status} "))).count()
}

#[test]
fn runs_1_to_4_say_as_much_as_they_should() {
    let server = Scripted::start();
    let url = server.url("/small.txt");
    let home = Home::new("", &[]);
    let verbose = home.ours(&["-c2", "-r3", &url]);
    assert_eq!((verbose.stdout.lines().count(), lines(&verbose, 200)), (6, 6), "{verbose:#?}");
    assert!(verbose.stdout.lines().all(|line| line.ends_with("bytes ==> GET  /small.txt")), "{verbose:#?}");
    assert_eq!(counts(&verbose), (6, 6, 0, 100.0));
    assert!(verbose.stderr.contains("siege...\n\nTransactions:"), "{verbose:#?}");
    let plain = Home::new("verbose = false\n", &[]);
    let silent = plain.ours(&["-c2", "-r3", &url]);
    assert_eq!((silent.stdout.as_str(), silent.stderr.lines().count()), ("", 3 + 12 + 1), "{silent:#?}");
    assert!(
        silent.stderr.contains("siege...\nTransactions:") && silent.stderr.ends_with("\n \n"),
        "{silent:#?}"
    );
    let quiet = home.ours(&["-q", "-c2", "-r3", &url]);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
    let json = home.ours(&["-j", "-c2", "-r3", &url]);
    assert_eq!((json.stdout.matches("\":").count(), json.stderr.as_str()), (12, "\n"));
    assert!(json.stdout.contains("\"transactions\":\t\t\t           6,"), "{json:#?}");
}

#[test]
fn run_5_lasts_as_long_as_it_should() {
    let server = Scripted::start();
    let home = Home::new("verbose = false\n", &[]);
    let said = home.ours(&["-b", "-c3", "-t3S", &server.url("/sleep")]);
    let (elapsed, concurrency) = (figure(&said, "Elapsed time:"), figure(&said, "Concurrency:"));
    assert!((2.99..3.3).contains(&elapsed) && (2.5..=3.0).contains(&concurrency), "{said:#?}");
    assert!((0.09..0.2).contains(&figure(&said, "Response time:")), "{said:#?}");
    // Divided by the measured time, which is printed without what is left of its last hundredth.
    let (hits, rate) = (figure(&said, "Transactions:"), figure(&said, "Transaction rate:"));
    assert!((hits / (elapsed + 0.01) - 0.01..=hits / elapsed + 0.01).contains(&rate), "{said:#?}");
}

#[test]
fn runs_6_to_10_count_as_they_should() {
    let server = Scripted::start();
    let home = Home::new("", &[]);
    let of = |words: &[&str], path: &str| {
        let url = server.url(path);
        home.ours(&[words, &[url.as_str()]].concat())
    };
    let once = ["-c1", "-r2"];
    assert_eq!(counts(&of(&once, "/s404")), (2, 0, 0, 100.0));
    let failing = of(&once, "/s500");
    assert_eq!((counts(&failing), lines(&failing, 500)), ((0, 0, 2, 0.0), 2));
    let moved = of(&once, "/r301");
    assert_eq!((counts(&moved), lines(&moved, 301), lines(&moved, 200)), ((4, 4, 0, 100.0), 2, 2));
    assert_eq!(of(&["--no-follow", "-c1", "-r2"], "/r301").stdout.lines().count(), 2);
    assert_eq!(counts(&of(&once, "/rerr")), (0, 2, 2, 0.0));
    let refused = home.ours(&["-c2", "-r2", &format!("http://127.0.0.1:{}/", free_port())]);
    assert_eq!((counts(&refused), refused.code), ((0, 0, 4, 0.0), Some(0)));
    assert_eq!(refused.stderr.matches("Connection refused").count(), 4, "{refused:#?}");
}

#[test]
fn runs_11_to_13_end_and_are_noted_down() {
    let server = Scripted::start();
    let home = Home::new("failures = 5\nverbose = false\n", &[]);
    let closed = format!("http://127.0.0.1:{}/", free_port());
    let said = home.ours(&["-c2", "-r50", "-labort.log", &closed]);
    assert!(said.stderr.contains("siege aborted due to excessive socket failure; you\n"), "{said:#?}");
    assert!((5..=6).contains(&counts(&said).2), "{said:#?}");
    let log = std::fs::read_to_string(home.path().join("abort.log")).expect("a log");
    assert_eq!(log.lines().last(), Some("**** siege aborted due to excessive socket failure. ****"), "{log}");
    assert!(!log.contains("nan"), "{log}");
    let url = server.url("/sleep");
    let both = home.ours(&["-c1", "-t1S", "-r2", &url]);
    assert!(both.stderr.contains("defaulting to time-based testing: 1 seconds\n"), "{both:#?}");
    assert!(counts(&both).0 > 5, "{both:#?}");
    for _ in 0..2 {
        home.ours(&["-c2", "-r3", "-lown.log", "-m", "x y", &server.url("/ok")]);
    }
    std::fs::write(home.path().join("empty.log"), "").expect("a file");
    home.ours(&["-c1", "-r1", "-lempty.log", &server.url("/ok")]);
    let log = std::fs::read_to_string(home.path().join("empty.log")).expect("a log");
    assert_eq!(log.lines().count(), 1, "no header in a file that exists: {log}");
    let log = std::fs::read_to_string(home.path().join("own.log")).expect("a log");
    let rows: Vec<&str> = log.lines().collect();
    assert_eq!((rows.len(), rows[1], rows[3]), (5, "**** x y ****", "**** x y ****"), "{log}");
    assert!(
        rows[0].starts_with("      Date & Time,  Trans,") && rows[2].ends_with("       6,       0"),
        "{log}"
    );
}

#[test]
fn runs_14_to_16_go_through_the_list() {
    let server = Scripted::start();
    let list = ["/1", "/2", "/3", "/4"].map(|path| server.url(path) + "\n").concat();
    let home = Home::new("display-id = true\n", &[("list", list)]);
    let said = home.ours(&["-c2", "-r3", "-d0.2", "-f", "list"]);
    let of = |said: &Said, user: &str| {
        let mine = said.stdout.lines().filter(|line| line.trim_start().starts_with(user));
        mine.map(|line| line.rsplit('/').next().unwrap_or_default().to_owned()).collect::<String>()
    };
    assert_eq!((of(&said, "0)").as_str(), of(&said, "1)").as_str()), ("123", "341"), "{said:#?}");
    let words = ["-c2", "-r", "once", "-f", "list"];
    for said in [home.ours(&words), home.theirs(&words)] {
        let users = (of(&said, "0)"), of(&said, "1)"));
        assert_eq!((users.0.as_str(), users.1.as_str()), ("1234", "1234"), "{said:#?}");
    }
    let divided = home.ours(&["--as", "4.1.7", "-c2", "-r", "once", "-f", "list"]);
    let users = (of(&divided, "0)"), of(&divided, "1)"));
    assert_eq!((users.0.as_str(), users.1.as_str()), ("12", "34"), "{divided:#?}");
    server.asked();
    let shares = |words: &[&str]| {
        home.ours(&[words, &["-q", "-c2", "-r400", "-i", "-f", "list"]].concat());
        let asked = server.asked();
        [1, 2, 3, 4]
            .map(|n| asked.iter().filter(|request| request.starts_with(&format!("GET /{n} "))).count())
    };
    // Of 800 draws, a share of a quarter is within 60 of 200 but once in a million.
    let fair = shares(&[]);
    assert!(fair.iter().all(|count| (140..=260).contains(count)), "{fair:?}");
    let skewed = shares(&["--quirks"]);
    assert!((60..=140).contains(&skewed[0]) && (240..=360).contains(&skewed[3]), "{skewed:?}");
}

#[test]
fn runs_17_and_18_send_and_show_one_request() {
    let server = Scripted::start();
    let home = Home::new("gmethod = HEAD\n", &[]);
    let post = home.ours(&["-c1", "-r1", &(server.url("/ok") + " POST a=1&b=two words")]);
    assert!(post.stdout.contains(&format!("==> POST {}", server.url("/ok"))), "{post:#?}");
    let sent = server.asked().concat();
    assert!(sent.contains("Content-Length: 15\r\n\r\na=1&b=two words"), "{sent}");
    let head = home.ours(&["-g", &server.url("/ok")]);
    assert!(head.stdout.starts_with("HEAD /ok HTTP/1.0\r\n"), "{head:#?}");
    assert!(head.stdout.contains("\r\n\r\n\nHTTP/1.1 200 OK\r\n"), "{head:#?}");
    let get = Home::new("gmethod = GET\n", &[]).ours(&["-g", &server.url("/ok")]);
    assert!(get.stdout.starts_with("GET /ok HTTP/1.0\r\n") && get.stdout.ends_with("\r\n\r\n\n"), "{get:#?}");
}

#[test]
fn run_19_is_interrupted_and_reports() {
    let server = Scripted::start();
    for signal in ["-INT", "-TERM", "-HUP"] {
        let home = Home::new("verbose = false\n", &[]);
        let child = command(program())
            .args(["siege", "--no-verdict", "-c2", "-t30S", &server.url("/sleep")])
            .env("SIEGERC", home.path().join("rc"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        std::thread::sleep(Duration::from_secs(1));
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(killed.is_ok_and(|status| status.success()), "{signal}");
        let output = child.wait_with_output().expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("\nLifting the server siege...\nTransactions:"), "{signal}: {stderr}");
        assert_eq!(output.status.code(), Some(0), "{signal}: {stderr}");
    }
}

#[test]
fn run_20_takes_as_many_users_as_asked_for() {
    let server = Nginx::start("");
    let home = Home::new("verbose = false\nlimit = 255\n", &[]);
    let said = home.ours(&["-c300", "-r1", &server.url("/small")]);
    assert!(said.stderr.contains("** Preparing 300 concurrent users"), "{said:#?}");
    assert_eq!((said.stdout.as_str(), counts(&said).0), ("", 300), "{said:#?}");
    let capped =
        Home::new("verbose = false\nlimit = 50\n", &[]).ours(&["-c300", "-r1", &server.url("/small")]);
    assert!(capped.stdout.contains("WARNING: The number of users is capped at 50."), "{capped:#?}");
    assert_eq!(counts(&capped).0, 50, "{capped:#?}");
}

#[test]
fn runs_21_and_22_fetch_and_ask_again() {
    let server = Scripted::start();
    let page = Home::new("parser = true\n", &[]).ours(&["-c1", "-r1", &server.url("/page")]);
    assert_eq!(counts(&page), (6, 6, 0, 100.0), "{page:#?}");
    let asked = Home::new("", &[]).ours(&["-c1", "-r1", &server.url("/basic")]);
    assert_eq!((counts(&asked), lines(&asked, 401)), ((5, 5, 0, 100.0), 5), "{asked:#?}");
}

#[test]
fn runs_23_and_24_do_not_begin() {
    let home = Home::new("", &[("a", String::new()), ("b", "timeout = 7\n".to_owned())]);
    let help = home.ours(&["-f", "nothing"]);
    assert!(help.stdout.starts_with("Usage: siege [options]\n") && help.code == Some(0), "{help:#?}");
    let config = home.ours(&["-R", "b", "-C"]);
    assert!(config.stdout.contains("\nresource file:                  b\n"), "{config:#?}");
    assert!(config.stdout.contains("\nsocket timeout:                 7\n"), "{config:#?}");
}

#[test]
fn run_25_is_that_of_the_first_version() {
    let server = Scripted::start();
    let home = Home::new("", &[]);
    let url = server.url("/s200");
    let said = home.ours(&["-u", &url, "-d1", "-t2", "-c25"]);
    fn labels(said: &Said) -> Vec<&str> {
        said.stdout.lines().filter_map(|line| line.split_once(':')).map(|(label, _)| label).collect()
    }
    let expected = [
        "Transactions",
        "Elapsed time",
        "Data transferred",
        "Response time",
        "Transaction rate",
        "Throughput",
        "Concurrency",
        "Status code 200",
    ];
    assert_eq!(labels(&said)[labels(&said).len() - 8..], expected, "{said:#?}");
    let row = |label: &str| {
        let rest = said.stdout.split_once(label).map(|(_, rest)| rest.split_whitespace().next());
        rest.flatten().and_then(|word| word.parse::<u64>().ok())
    };
    assert_eq!((row("Transactions:"), row("Status code 200:")), (Some(50), Some(50)), "{said:#?}");
    assert!(said.stdout.starts_with("** Siege 1.00 ") && said.code == Some(0), "{said:#?}");
    let chosen = home.ours(&["--as", "1.00", "-u", &url, "-d1", "-t2", "-c25"]);
    assert_eq!(labels(&chosen), labels(&said), "{chosen:#?}");
    assert!(chosen.stdout.starts_with("** Siege 1.00 ") && chosen.code == Some(0), "{chosen:#?}");
}

#[test]
fn the_layout_of_4_1_7_is_a_switch_away() {
    let server = Scripted::start();
    let home = Home::new("verbose = false\n", &[]);
    let said = home.ours(&["--as", "4.1.7", "-c1", "-r3", &server.url("/sleep")]);
    assert!(said.stderr.starts_with("** SIEGE 4.1.7\n"), "{said:#?}");
    assert!(said.stderr.contains("Transactions:\t\t        3    hits\n"), "{said:#?}");
    let response = figure(&said, "Response time:");
    assert!((95.0..200.0).contains(&response) && said.stderr.contains(" ms\n"), "{said:#?}");
    let get = home.ours(&["--as", "4.1.7", "-g", &server.url("/ok")]);
    assert_eq!(get.stderr, "", "heads and nothing else");
}

#[test]
fn five_thousand_users_come() {
    let server = Nginx::start("");
    let home = Home::new("verbose = false\n", &[]);
    let said = home.ours(&["-b", "-c5000", "-r2", &server.url("/small")]);
    assert_eq!(counts(&said), (10_000, 10_000, 0, 100.0), "{said:#?}");
    assert_eq!(said.code, Some(0));
    let kept = Home::new("verbose = false\nconnection = keep-alive\n", &[]);
    let said = kept.ours(&["-b", "-c5000", "-r2", &server.url("/small")]);
    assert_eq!(counts(&said), (10_000, 10_000, 0, 100.0), "{said:#?}");
}

#[test]
fn a_verdict_is_one_line_and_only_where_it_is_asked_for() {
    let server = Nginx::start("");
    let url = server.url("/small");
    let mut command = command("timeout");
    command.arg("60").arg("taskset").arg("-c").arg("0").arg(program()).args(["siege", "--verdict"]);
    let home = Home::new("verbose = false\n", &[]);
    let said = home.say(command, &["-b", "-c50", "-t2S", &url]);
    let ours: Vec<&str> = said.stderr.lines().filter(|line| line.starts_with("warwolf: ")).collect();
    assert!(ours.len() <= 1, "{said:#?}");
    let mut command = Command::new("timeout");
    command.arg("60").arg("taskset").arg("-c").arg("0").arg(program()).arg("siege");
    let silenced = home.say(command, &["-b", "-c50", "-t2S", &url]);
    assert!(!silenced.stderr.contains("warwolf: "), "{silenced:#?}");
    // What scripts read of the report is the same with and without.
    let rows = |said: &Said| masked(&said.stderr).lines().filter(|line| line.contains(":\t")).count();
    assert_eq!(rows(&said), rows(&silenced));
}
