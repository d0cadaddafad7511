//! The same load by tools people have trusted for twenty years, beside ours, on one server: the counts must agree.

use warwolf_e2e::Warwolf;
use warwolf_e2e::process::command;
use warwolf_e2e::server::{Nginx, PAGE};

/// What a tool says, on both streams.
fn said(program: &str, words: &[&str], home: &std::path::Path) -> String {
    let output = command("timeout")
        .args(["60", program])
        .args(words)
        .env("HOME", home)
        .output()
        .unwrap_or_else(|error| panic!("cannot start `{program}`: {error}"));
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&text).into_owned()
}

/// The first number after `label`.
fn number(text: &str, label: &str) -> f64 {
    let rest = text.split_once(label).unwrap_or_else(|| panic!("no `{label}` in: {text}")).1;
    let digits: String = rest
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    digits.parse().unwrap_or_else(|_| panic!("no number after `{label}` in: {text}"))
}

#[test]
fn siege_hits_as_often_and_gets_as_much() {
    let home = tempfile::tempdir().unwrap();
    let theirs = Nginx::start("");
    let text =
        said("siege", &["-b", "-c", "10", "-r", "50", "--no-parser", &theirs.url("/page")], home.path());
    let ours = Nginx::start("");
    let told = Warwolf::run(&["-n", "500", "-c", "10", &ours.url("/page")]).all_well(500);

    assert_eq!(theirs.hits().len(), 500, "{text}");
    assert_eq!(ours.hits().len(), 500);
    let label = if text.contains("\"transactions\"") { "\"transactions\"" } else { "Transactions:" };
    assert_eq!(number(&text, label), 500.0, "{text}");
    assert_eq!(told.number("/bytes/body"), 500 * PAGE);
    let bytes = |server: &Nginx| server.hits().iter().map(|hit| hit.body_bytes).sum::<u64>();
    assert_eq!(bytes(&theirs), bytes(&ours));
}

#[test]
fn httperf_makes_as_many_calls_and_gets_as_much() {
    let home = tempfile::tempdir().unwrap();
    let server = Nginx::start("");
    let port = server.port().to_string();
    let words = [
        "--hog",
        "--server",
        "127.0.0.1",
        "--port",
        &port,
        "--uri",
        "/page",
        "--num-conns",
        "20",
        "--num-calls",
        "25",
    ];
    let text = said("httperf", &words, home.path());
    assert_eq!(server.hits().len(), 500, "{text}");
    assert_eq!(number(&text, "replies"), 500.0, "{text}");

    let told = Warwolf::run(&["-n", "500", "-c", "1", &server.url("/page")]).all_well(500);
    assert_eq!(server.hits().len(), 1000);
    assert_eq!(told.number("/bytes/body"), 500 * PAGE);
    // Both count the head's bytes: nginx sends the same head to both but for the connection's fate.
    let theirs = number(&text, "Reply size [B]: header ") * 500.0;
    let ours = told.number("/bytes/header") as f64;
    assert!((theirs - ours).abs() / theirs < 0.05, "header bytes: httperf {theirs}, warwolf {ours}");
}

#[test]
fn an_open_loop_of_httperf_and_ours_make_the_same_rate() {
    let home = tempfile::tempdir().unwrap();
    let server = Nginx::start("");
    let port = server.port().to_string();
    let words = [
        "--hog",
        "--server",
        "127.0.0.1",
        "--port",
        &port,
        "--uri",
        "/small",
        "--rate",
        "200",
        "--num-conns",
        "400",
    ];
    let text = said("httperf", &words, home.path());
    let theirs = number(&text, "Connection rate:");
    let told = Warwolf::run(&["-r", "200/s", "-d", "2s", &server.url("/small")]).exits(0);
    let ours = told.fraction("/achieved/rate_per_s");
    assert!((theirs - 200.0).abs() < 10.0, "{text}");
    assert!((ours - 200.0).abs() < 10.0, "{told:#?}");
    assert_eq!(told.account("planned"), 400);
}
