//! FTP, against pyftpdlib and beside the original.

use super::*;
use warwolf_e2e::server::Ftp;

/// What both say about transfers. Whether 125 or 150 begins one depends on which of two connections the server saw first.
fn masked_ftp(text: &str) -> String {
    masked(text).replace("FTP/125", "FTP/1xx").replace("FTP/150", "FTP/1xx")
}

/// A server, and a home whose files name it as `@`.
fn home(server: &Ftp, rc: &str) -> Home {
    let host = format!("127.0.0.1:{}", server.port());
    let mixed = "ftp://user:pass@HOST/small\nftp://user:no@HOST/small\nftp://user:pass@HOST/page\n\
                 ftp://user:pass@HOST/empty\nftp://user:pass@HOST/small;type=i\n";
    let files = [("up.txt", "what is stored\n".to_owned()), ("mixed", mixed.replace("HOST", &host))];
    Home::new(rc, &files)
}

fn words(server: &Ftp, line: &str) -> Vec<String> {
    let (host, closed) = (format!("127.0.0.1:{}", server.port()), free_port().to_string());
    // A blank inside a word is written as `~`.
    line.split(' ')
        .map(|word| word.replace("HOST", &host).replace("CLOSED", &closed).replace('~', " "))
        .collect()
}

/// Both with the same words; ours with its quirks too when `quirks` says so. Both streams and the exit code must agree.
fn beside_ftp(server: &Ftp, rc: &str, line: &str, quirks: &str) {
    let home = home(server, rc);
    let words = words(server, line);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let theirs = home.theirs(&words);
    let their_files = contents(server);
    server.clear();
    let quirky: Vec<&str> = quirks.split_whitespace().chain(words.iter().copied()).collect();
    let ours = home.ours(&quirky);
    let our_files = contents(server);
    server.clear();
    let said = format!("siege {words:?} with `{rc}`\ntheirs: {theirs:#?}\nours: {ours:#?}");
    assert_eq!(masked_ftp(&ours.stdout), masked_ftp(&theirs.stdout), "standard output of {said}");
    assert_eq!(masked_ftp(&ours.stderr), masked_ftp(&theirs.stderr), "standard error of {said}");
    assert_eq!(ours.code, theirs.code, "exit code of {said}");
    assert_eq!(our_files, their_files, "files of {said}");
}

/// What was stored. Under which names is another matter: the original makes them from whatever follows the last slash of the
/// line, the name of the file on this side included.
fn contents(server: &Ftp) -> Vec<Vec<u8>> {
    server.stored().into_iter().map(|(_, content)| content).collect()
}

#[test]
fn files_are_fetched_as_the_original_does() {
    let server = Ftp::start("127.0.0.1");
    for path in ["small", "page", "empty", "small;type=i"] {
        beside_ftp(&server, "", &format!("-c1 -r2 ftp://user:pass@HOST/{path}"), "");
    }
    beside_ftp(&server, "", "-b -c3 -r4 ftp://user:pass@HOST/page", "");
    beside_ftp(&server, "", "-c1 -r1 ftp://anonymous:me@HOST/small", "");
    beside_ftp(&server, "ftp-login = user:pass\n", "-c1 -r1 ftp://HOST/small", "");
    beside_ftp(
        &server,
        "ftp-login = user:pass:127.0.0.1\nftp-login = user:no\n",
        "-c1 -r1 ftp://HOST/small",
        "",
    );
    beside_ftp(&server, "json_output = true\n", "-c2 -r2 ftp://user:pass@HOST/small", "");
    let odd = "csv = true\ntimestamp = true\ndisplay-id = true\nfullurl = true\n";
    beside_ftp(&server, odd, "-c1 -r1 ftp://user:pass@HOST/small", "");
    beside_ftp(&server, "", "-q -c1 -r1 ftp://user:pass@HOST/small", "");
}

#[test]
fn what_is_refused_counts_as_in_the_original() {
    let server = Ftp::start("127.0.0.1");
    beside_ftp(&server, "", "-c1 -r2 ftp://127.0.0.1:CLOSED/x", "");
    beside_ftp(&server, "", "-c1 -r1 ftp://no-such-host.invalid/x", "");
    beside_ftp(&server, "color = on\n", "-c1 -r2 ftp://user:no@HOST/small", "");
    beside_ftp(&server, "", "-c1 -r2 ftp://user:no@HOST/small", "--quirks");
    beside_ftp(&server, "", "-c1 -r5 -f mixed", "--quirks");
    beside_ftp(&server, "", "-c1 -r2 ftp://user:pass@HOST/missing", "--quirks");
    beside_ftp(&server, "verbose = false\n", "-c1 -r2 ftp://user:pass@HOST/missing", "--quirks");
}

#[test]
fn files_are_stored_as_the_original_does() {
    let server = Ftp::start("127.0.0.1");
    for rc in ["unique = true\n", "unique = false\n"] {
        for method in ["POST", "PUT"] {
            let line = format!("-c1 -r2 ftp://user:pass@HOST/up.txt~{method}~<up.txt");
            beside_ftp(&server, rc, &line, "--quirks");
        }
    }
    beside_ftp(&server, "unique = false\n", "-c1 -r1 ftp://user:pass@HOST/text~PUT~a=b", "--quirks");
    beside_ftp(&server, "unique = true\n", "-c3 -r2 ftp://user:pass@HOST/up.txt~PUT~<up.txt", "--quirks");
}

fn line_of(said: &Said, label: &str) -> String {
    let line = said.stderr.lines().find(|line| line.starts_with(label));
    line.unwrap_or_else(|| panic!("no `{label}` in {said:#?}"))
        .split_whitespace()
        .nth(2)
        .unwrap_or_default()
        .to_owned()
}

/// Transactions, successful, failed; and the lines.
fn ours(server: &Ftp, rc: &str, line: &str) -> ([String; 3], String) {
    let words = words(server, line);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let said = home(server, rc).ours(&words);
    let transactions = said.stderr.lines().find_map(|line| line.strip_prefix("Transactions:"));
    let transactions = transactions.and_then(|line| line.split_whitespace().next()).unwrap_or_default();
    let counts = [
        transactions.to_owned(),
        line_of(&said, "Successful transactions:"),
        line_of(&said, "Failed transactions:"),
    ];
    (counts, masked_ftp(&said.stdout))
}

#[test]
fn what_the_original_counts_for_nothing_counts() {
    let server = Ftp::start("127.0.0.1");
    std::fs::create_dir(server.root().join("sub")).expect("a new folder");
    std::fs::write(server.root().join("sub/lines"), "a\nb\n").expect("a new file");
    let counted = |line: &str| ours(&server, "", line);
    let rows = [
        ("ftp://HOST/small", ["2", "2", "0"], "FTP/1xx-.-- secs:     100 bytes ==> GET    /small\n"),
        (
            "ftp://HOST/sub;type=d",
            ["2", "2", "0"],
            "FTP/1xx-.-- secs:       7 bytes ==> GET    /sub;type=d\n",
        ),
        (
            "ftp://HOST/sub/lines;type=a",
            ["2", "2", "0"],
            "FTP/1xx-.-- secs:       6 bytes ==> GET    /sub/lines;type=a\n",
        ),
        (
            "ftp://HOST/missing",
            ["2", "0", "0"],
            "550 /missing is not retrievable.\r\nFTP/550-.-- secs:       0 bytes ==> GET    /missing\n",
        ),
        (
            "ftp://HOST/up~PUT~x",
            ["2", "0", "0"],
            "550 Not enough privileges.\r\nFTP/550-.-- secs:       0 bytes ==> PUT    /up\n",
        ),
        (
            "ftp://user:pass@HOST/sub/up~PUT~xyz",
            ["2", "2", "0"],
            "FTP/1xx-.-- secs:       3 bytes ==> PUT    /sub/up\n",
        ),
    ];
    for (url, counts, line) in rows {
        let expected = (counts.map(str::to_owned), line.repeat(2));
        assert_eq!(counted(&format!("-c1 -r2 {url}")), expected, "{url}");
    }
    assert_eq!(
        std::fs::read(server.root().join("sub/up-0")).ok().as_deref(),
        Some(&b"xyz"[..]),
        "in its folder"
    );
}

#[test]
fn a_large_file_is_stored_whole_by_each_of_many_users() {
    let server = Ftp::start("127.0.0.1");
    let home = home(&server, "");
    let content: Vec<u8> = (0..3_000_000_u32).map(|n| (n * 7 % 251) as u8).collect();
    std::fs::write(home.path().join("big.bin"), &content).expect("a new file");
    let url = format!("ftp://user:pass@127.0.0.1:{}/big.bin PUT <big.bin", server.port());
    let said = home.ours(&["-b", "-c8", "-r2", &url]);
    assert_eq!(line_of(&said, "Successful transactions:"), "16", "{said:#?}");
    let stored = server.stored();
    let names: Vec<String> = (0..8).map(|user| format!("big-{user}.bin")).collect();
    assert_eq!(stored.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), names);
    assert!(stored.iter().all(|(_, stored)| *stored == content));
}

#[test]
fn over_ipv6_the_port_is_asked_for_as_rfc_2428_has_it() {
    let server = Ftp::start("::1");
    let home = home(&server, "");
    let said = home.ours(&["-c2", "-r3", &format!("ftp://user:pass@[::1]:{}/page", server.port())]);
    assert_eq!(line_of(&said, "Successful transactions:"), "6", "{said:#?}");
}

#[test]
fn a_run_by_the_clock_accounts_for_every_transfer() {
    let server = Ftp::start("127.0.0.1");
    let home = home(&server, "verbose = false\n");
    let url = format!("ftp://user:pass@127.0.0.1:{}/page", server.port());
    let said = home.ours(&["-b", "-c20", "-t2S", "--warwolf-report", "run.json", &url]);
    let report = std::fs::read_to_string(home.path().join("run.json")).expect("the report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let transactions = said.stderr.lines().find_map(|line| line.strip_prefix("Transactions:"));
    let transactions: u64 =
        transactions.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0);
    assert!(transactions > 20, "{said:#?}");
    assert_eq!(report["status"]["226"].as_u64(), Some(transactions), "{report:#}");
}
