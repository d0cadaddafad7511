//! Captured lines, printed again from what they say.

use crate::captures::Capture;
use std::time::Duration;
use warwolf_compat::siege::{Line, Moment, Shown, line, parse};

const AT: Moment = Moment { year: 2026, month: 11, day: 21, weekday: 6, hour: 1, minute: 34, second: 48 };

struct Reply {
    user: u64,
    status: u16,
    millis: u64,
    bytes: u64,
    method: &'static str,
    path: &'static str,
    cached: bool,
}

const fn reply(status: u16, bytes: u64, path: &'static str) -> Reply {
    Reply { user: 0, status, millis: 0, bytes, method: "GET", path, cached: false }
}

/// The capture's lines, and the replies they are about.
fn check(name: &str, replies: &[Reply]) {
    let capture = Capture::read(name);
    let style = parse(&capture.argv_of_old(), &capture.world()).unwrap().style;
    let port = if capture.argv.iter().any(|word| word.contains(":18090")) { 18_090 } else { 18_080 };
    let text: String = replies
        .iter()
        .map(|reply| {
            let shown = Shown {
                method: reply.method.to_owned(),
                path: reply.path.to_owned(),
                url: format!("http://127.0.0.1:{port}{}", reply.path),
                place: 0,
                unsupported: false,
            };
            let seen = Line {
                user: reply.user,
                protocol: "HTTP/1.1",
                status: reply.status,
                time: Duration::from_millis(reply.millis),
                bytes: reply.bytes,
                shown: &shown,
                cached: reply.cached,
            };
            line(&style, &seen, &AT)
        })
        .collect();
    assert!(capture.stdout.starts_with(&text), "{name}\n{text}\n{}", capture.stdout);
}

#[test]
fn lines_are_those_of_the_original() {
    let small = || reply(200, 100, "/small.txt");
    let slow = |reply: Reply| Reply { millis: 10, ..reply };
    let second = |reply: Reply| Reply { user: 1, ..reply };
    check("04-classic-verbose", &[small(), small(), small(), small(), small(), small()]);
    check("10-color", &[small()]);
    check("11-color404", &[reply(404, 2, "/e404")]);
    check("12-color302", &[reply(302, 145, "/r302"), small()]);
    check("13-color500", &[reply(500, 3, "/e500")]);
    check("40-srv-garbage", &[reply(418, 0, "/garbage"), slow(reply(418, 0, "/garbage"))]);
    check("76-csv", &[small(), small()]);
    check("77-csv-mark", &[small(), small()]);
    check("78-csv-id", &[small(), second(small())]);
    check("79-id", &[small(), second(small())]);
    check("80-ts", &[small()]);
    check("81-fullurl", &[small()]);
    check("31-req-post", &[Reply { method: "POST", ..reply(200, 7, "/ok") }]);
    check("34-req-PUT", &[Reply { method: "PUT", ..reply(200, 7, "/ok") }]);
    check("34-req-DELETE", &[slow(Reply { method: "DELETE", ..reply(200, 7, "/ok") })]);
    let page = |millis| Reply { millis, ..reply(200, 44, "/exp.html") };
    let part = |cached, bytes| Reply { cached, ..reply(200, bytes, "/expires/small.txt") };
    check("92-cache-parts", &[page(10), part(false, 100), page(0), part(true, 0)]);
}

#[test]
fn version_1_00_shows_code_reason_and_path() {
    let argv: Vec<String> = "siege -v -u homer.whoohoo.com".split(' ').map(str::to_owned).collect();
    let style = parse(&argv, &Capture::read("06-quiet").world()).unwrap().style;
    let shown = Shown {
        method: "GET".to_owned(),
        path: "/cgi-bin/whoohoo.cgi?first=Homer&last=simpson".to_owned(),
        url: String::new(),
        place: 0,
        unsupported: false,
    };
    let seen = Line {
        user: 0,
        protocol: "HTTP/1.1",
        status: 200,
        time: Duration::ZERO,
        bytes: 0,
        shown: &shown,
        cached: false,
    };
    assert_eq!(line(&style, &seen, &AT), "HTTP/1.1 200 OK: /cgi-bin/whoohoo.cgi?first=Homer&last=simpson\n");
}
