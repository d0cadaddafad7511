//! Requests as a server received them from the original, beside those of the plan.

use crate::captures::{Capture, body, text};
use warwolf_compat::siege::parse;
use warwolf_plan::{Body, HttpVersion, Plan, Request, Scheme};

/// The first requests of a capture, one for each connection.
fn received(name: &str) -> Vec<String> {
    text(&format!("{name}.wire.txt"))
        .split("=== conn")
        .skip(1)
        .map(|request| {
            let request = request.split_once('\n').unwrap().1;
            request.split("\n--- end").next().unwrap().to_owned()
        })
        .collect()
}

/// A request as the engine writes it: the plan's header fields, then the length of the body.
fn sent(plan: &Plan, request: &Request) -> String {
    let target = match &plan.network.proxy {
        Some(_) if request.endpoint.scheme == Scheme::Http => request.url(),
        _ => request.path.to_string(),
    };
    let version = if plan.connections.version == HttpVersion::Http10 { "1.0" } else { "1.1" };
    let mut head = format!("{} {target} HTTP/{version}\r\n", request.method);
    // A Cookie without a value only says where the cookies go, once there are any.
    for (name, value) in request.headers.iter().filter(|(_, value)| !value.is_empty()) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let content = match &request.body {
        Body::None => return head + "\r\n",
        Body::Text(text) => text.clone(),
        Body::File(path) => String::from_utf8(body(path)).unwrap(),
        Body::Bytes(bytes) => String::from_utf8(bytes.clone()).unwrap(),
        other => unreachable!("siege sends no {other:?}"),
    };
    format!("{head}Content-Length: {}\r\n\r\n{content}", content.len())
}

#[test]
fn requests_are_those_of_the_original() {
    // The capture, which of its connections, and which request of the plan.
    let rows = [
        ("30-req-get", 0, 0),
        ("31-req-post", 0, 0),
        ("32-req-postfile", 0, 0),
        ("33-req-postjson", 0, 0),
        ("82-headers", 0, 0),
        ("84-accept", 0, 0),
        ("85-keepalive", 0, 0),
        ("88-cookies", 0, 0),
        ("93-auth-basic", 0, 0),
        ("120-escape", 0, 0),
        ("171-json-urls", 0, 0),
        ("171-json-urls", 1, 1),
        ("171-json-urls", 2, 2),
        ("171-json-urls", 3, 3),
        ("174-307post", 0, 0),
    ];
    for (name, connection, request) in rows {
        let capture = Capture::read(name);
        let plan = parse(&capture.argv_of_old(), &capture.world()).unwrap().plan.unwrap();
        let ours = sent(&plan, &plan.requests[request]);
        let theirs = &received(name)[connection];
        assert_eq!(ours.trim_end(), theirs.trim_end(), "{name} {connection}");
    }
}

#[test]
fn a_proxy_is_asked_for_the_whole_url() {
    let capture = Capture::read("116-proxy");
    let plan = parse(&capture.argv_of_old(), &capture.world()).unwrap().plan.unwrap();
    // The original names port 80 too, which says the same (RFC 9110 section 4.2.1).
    let theirs = received("116-proxy")[0].replace("www.example.com:80/", "www.example.com/");
    assert_eq!(sent(&plan, &plan.requests[0]).trim_end(), theirs.trim_end());
}
