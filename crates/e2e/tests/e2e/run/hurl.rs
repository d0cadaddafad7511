//! Hurl files as load: every check and request as the original has it.

use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use warwolf_e2e::peer::{Peer, read_head};
use warwolf_e2e::{Told, Warwolf};

/// The files of this project that both programs run.
fn suite() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/run/suite")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.extension().is_some_and(|extension| extension == "hurl") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// A small API that writes down what it is sent.
struct Api {
    peer: Peer,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Api {
    fn start() -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&seen);
        let peer = Peer::start(move |_, mut connection| {
            while let Some(request) = Received::read(&mut connection) {
                let polls = {
                    let mut seen = noted.lock().expect("no test panics here");
                    seen.push(request.line());
                    seen.iter().filter(|line| line.starts_with("GET /poll")).count()
                };
                if connection.write_all(&request.reply(polls)).is_err() {
                    return;
                }
            }
        });
        Self { peer, seen }
    }

    /// What it was sent since the last call.
    fn seen(&self) -> Vec<String> {
        std::mem::take(&mut self.seen.lock().expect("no test panics here"))
    }
}

struct Received {
    method: String,
    target: String,
    fields: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl Received {
    fn read(connection: &mut TcpStream) -> Option<Self> {
        let head = String::from_utf8(read_head(connection)?).ok()?;
        let mut lines = head.lines();
        let mut words = lines.next()?.split(' ').map(str::to_owned);
        let (method, target) = (words.next()?, words.next()?);
        let pair = |line: &str| {
            Some((line.split_once(':')?.0.to_lowercase(), line.split_once(':')?.1.trim().to_owned()))
        };
        let fields: BTreeMap<String, String> = lines.filter_map(pair).collect();
        let length = fields.get("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        connection.read_exact(&mut body).ok()?;
        Some(Self { method, target, fields, body })
    }

    fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    /// What of a request must be the same. Boundaries of forms are drawn, and spaces may be written in two ways.
    fn line(&self) -> String {
        let kind = self.field("content-type").split(';').next().unwrap_or_default();
        let boundary = self.field("content-type").split("boundary=").nth(1).unwrap_or("no boundary");
        let body = String::from_utf8_lossy(&self.body).replace(boundary.trim_matches('"'), "BOUNDARY");
        let body =
            body.trim_start_matches('-').replace("--BOUNDARY", "BOUNDARY").replace("-BOUNDARY", "BOUNDARY");
        let body = if kind.ends_with("urlencoded") { body.replace('+', "%20") } else { body };
        let mut cookies: Vec<&str> = self.field("cookie").split("; ").collect();
        cookies.sort_unstable();
        format!(
            "{} {} | {} | {} | {} | {kind} | {body}",
            self.method,
            self.target.replace('+', "%20"),
            cookies.join("; "),
            self.field("authorization"),
            self.field("x-test"),
        )
    }

    fn reply(&self, polls: usize) -> Vec<u8> {
        let path = self.target.split('?').next().unwrap_or_default();
        let json = "Content-Type: application/json\r\n";
        let document = concat!(
            "{\"id\": 7, \"price\": 1.5, \"name\": \"Ann \\\"A\\\"\", \"none\": null, \"ok\": true, \"text\": \"7\", ",
            "\"day\": \"2026-01-02T03:04:05Z\", \"uuid\": \"123e4567-e89b-12d3-a456-426614174000\", \"ip\": \"10.0.0.1\", ",
            "\"empty\": [], \"pairs\": [[1, 2]], \"tags\": [\"a\", \"b\", \"c\"], \"encoded\": \"aGk=\", ",
            "\"items\": [{\"n\": 1, \"t\": \"x\"}, {\"n\": 2, \"t\": \"y\"}, {\"n\": 3, \"t\": \"y\"}]}",
        );
        let (status, fields, body): (&str, String, Vec<u8>) = match path {
            "/login" => (
                "200 OK",
                format!("{json}Set-Cookie: sid=s1; Path=/; Max-Age=60; HttpOnly\r\n"),
                b"{\"token\": \"t-42\", \"n\": 5}".to_vec(),
            ),
            "/json" => ("200 OK", json.to_owned(), document.into()),
            "/text" => (
                "200 OK",
                "X-One: 1\r\nX-Two: a\r\nX-Two: b\r\nContent-Type: text/plain\r\n".to_owned(),
                b"Hello <b>World</b>\nid=17;\n".to_vec(),
            ),
            "/moved" => ("302 Found", "Location: /json\r\n".to_owned(), Vec::new()),
            "/missing" => ("404 Not Found", String::new(), b"nothing".to_vec()),
            "/bytes" => ("200 OK", "Content-Type: application/octet-stream\r\n".to_owned(), vec![0, 255, 10]),
            "/poll" if !polls.is_multiple_of(3) => {
                ("202 Accepted", json.to_owned(), b"{\"state\": \"busy\"}".to_vec())
            }
            "/poll" => ("200 OK", json.to_owned(), b"{\"state\": \"done\"}".to_vec()),
            "/echo" => ("200 OK", String::new(), self.body.clone()),
            _ => ("200 OK", String::new(), b"ok".to_vec()),
        };
        let mut reply =
            format!("HTTP/1.1 {status}\r\n{fields}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        reply.extend(body);
        reply
    }
}

/// The variables of the suite.
fn variables(api: &Api) -> [String; 4] {
    [
        "--variable".to_owned(),
        format!("host={}", api.peer.url("")),
        "--variable".to_owned(),
        "number=5".to_owned(),
    ]
}

/// One session of a file.
fn session(api: &Api, file: &Path) -> Told {
    let name = file.to_str().expect("a path without odd bytes");
    let words = ["run", "--format", "json", "--quiet", "-c", "1", "-n", "1", "--threads", "1", name];
    Warwolf::new(&words).and(&variables(api)).told()
}

/// The checks of a run that failed, with their texts.
fn failed_checks(report: &Value) -> Vec<String> {
    let steps = report["steps"].as_array().into_iter().flatten();
    let checks = steps.flat_map(|step| step["checks"].as_array().into_iter().flatten());
    let failed = checks.filter(|check| check["failed"].as_u64() > Some(0));
    failed.map(|check| check["text"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_suite_runs_as_load() {
    let api = Api::start();
    let files = ["login.hurl", "json.hurl", "options.hurl", "requests.hurl"].map(|name| suite().join(name));
    let mut words = vec!["run", "--format", "json", "--quiet", "-c", "1", "-n", "40"];
    words.extend(files.iter().map(|file| file.to_str().expect("a path without odd bytes")));
    let told = Warwolf::new(&words).and(&variables(&api)).told().exits(0);
    assert_eq!(told.account("check_failed"), 0, "{told:#?}");
    let steps = told.report()["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 3 + 1 + 5 + 10, "{told:#?}");
    let scenarios: Vec<_> = steps.iter().filter_map(|step| step["scenario"].as_str()).collect();
    assert!(["login", "json", "options"].iter().all(|name| scenarios.contains(name)), "{scenarios:?}");
    let seen = api.seen();
    for expected in [
        "GET /echo/t-42/42?n=5 | sid=s1 | Bearer t-42 | s1 5",
        "GET /ok?a=1&b=x%20y&c=5 | lang=en; theme=dark | Basic YW5uOnMzY3JldA==",
    ] {
        assert!(seen.iter().any(|line| line.starts_with(expected)), "{expected}: {seen:#?}");
    }
}

#[test]
fn what_load_cannot_mean_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.hurl");
    std::fs::write(
        &file,
        "GET http://127.0.0.1:1/\n[Options]\noutput: b\nHTTP 200\n[Asserts]\nxpath \"//a\" exists\n",
    )
    .unwrap();
    let name = file.to_str().unwrap();
    let told = Warwolf::new(&["run", name]).told().exits(2);
    let expected = [
        format!("warwolf: {name}:3:1: option output: load writes no files"),
        format!(
            "warwolf: {name}:6:1: xpath: it needs the whole document in memory; use regex or body contains"
        ),
    ];
    assert_eq!(told.stderr.lines().collect::<Vec<_>>(), expected);
    let told = Warwolf::new(&["run", "--variable", "a=b", "http://127.0.0.1:1/"]).told().exits(2);
    assert!(told.stderr.contains("--variable: it is for Hurl files; leave it out"), "{told:#?}");
}

/// What the original made of a file.
struct Original {
    success: bool,
    /// Asserts that failed, or 1 for another failure; `None` if it stopped at version or status.
    failed: Option<usize>,
}

/// The original, if it is installed: where `WARWOLF_HURL` says, or on the path.
fn original() -> Option<String> {
    let program = std::env::var("WARWOLF_HURL").unwrap_or_else(|_| "hurl".to_owned());
    Command::new(&program).arg("--version").output().is_ok().then_some(program)
}

fn run_original(program: &str, api: &Api, file: &Path) -> Original {
    let output =
        Command::new(program).arg("--json").args(variables(api)).arg(file).output().expect("hurl runs");
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}: {}", file.display(), String::from_utf8_lossy(&output.stderr)));
    let success = report["success"].as_bool().expect("success");
    let last = report["entries"].as_array().and_then(|entries| entries.last()).expect("an entry");
    let asserts = last["asserts"].as_array().expect("asserts");
    let failed = asserts.iter().filter(|assert| assert["success"] == false).count();
    let stopped = failed > 0 && asserts.len() <= 2;
    Original { success, failed: (!stopped).then_some(failed.max(usize::from(!success))) }
}

/// Compares sessions of files with what the original does. Returns (same, refused), and what differs.
fn compare(program: &str, files: &[PathBuf]) -> ([usize; 2], Vec<String>) {
    let (mut counts, mut differences) = ([0, 0], Vec::new());
    for file in files {
        let api = Api::start();
        let original = run_original(program, &api, file);
        let expected = api.seen();
        let told = session(&api, file);
        if told.code == 2 {
            println!("refused: {}", told.stderr);
            counts[1] += 1;
            continue;
        }
        let (seen, failed) = (api.seen(), failed_checks(told.report()));
        let name = file.display();
        if failed.is_empty() != original.success || original.failed.is_some_and(|count| count != failed.len())
        {
            let theirs = (original.success, original.failed);
            differences.push(format!(
                "{name}: hurl (success, failed asserts) {theirs:?}, failed checks {failed:#?}"
            ));
        } else if seen != expected {
            differences.push(format!("{name}: requests differ\nhurl {expected:#?}\nwarwolf {seen:#?}"));
        } else {
            counts[0] += 1;
        }
    }
    (counts, differences)
}

#[test]
#[ignore = "needs the original: `cargo install hurl`, and WARWOLF_HURL with its path"]
fn files_mean_what_they_mean_to_the_original() {
    let Some(program) = original() else {
        println!("skipped: there is no hurl on the path, and WARWOLF_HURL names none");
        return;
    };
    let files = files(&suite());
    let ([same, refused], differences) = compare(&program, &files);
    println!("{} files: {same} the same, {refused} refused, {} different", files.len(), differences.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
