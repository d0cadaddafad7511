//! Pages and what they are made of, pages that send their reader on, and what users begin with.

use super::{Home, Scripted, beside};
use std::io::Write;
use warwolf_e2e::peer::{Peer, drain, read_head};

/// The page of this name.
pub(crate) fn page(name: &str) -> Option<&'static str> {
    Some(match name {
        "page" => {
            "<html><head><link rel=\"stylesheet\" href=\"s.css\"><link rel=\"icon\" href=\"i.ico\">\
             <link rel=\"alternate\" href=\"alt\"></head><body background=\"bg.png\"><!-- <img src=\"c.png\"> -->\
             <img src=\"a.png\"><IMG SRC=b.png><img src=\"a.png\"><script src=\"/js/app.js\"></script>\
             <img src=\"data:image/png;base64,AA\"><a href=\"link\">x</a><iframe src=\"frame\"></iframe></body></html>"
        }
        "onward" => {
            "<html><head><meta http-equiv=\"refresh\" content=\"0; url=/onward2\"><link rel=\"stylesheet\" \
             href=\"s.css\"></head><img src=\"a.png\"></html>"
        }
        "onward2" => "<html><head><META HTTP-EQUIV=Refresh CONTENT=\"3;URL=landed\"></head></html>",
        "waits" => "<html><head><meta http-equiv=\"refresh\" content=\"5\"></head></html>",
        "nested" => "<html><img src=\"/page\"></html>",
        "broken" => {
            "<html><img src=\"/s404\"><img src=\"/s500\"><img src=\"/close\"><img src=\"/r302\"></html>"
        }
        "amp" => "<html><img src=\"/q?a=1&amp;b=2\"><img src=\"/r?a=1&b=2\"><img src=\" sp.png \"></html>",
        "keeping" => "<html><img src=\"/a.png\"><img src=\"/kept.png\"></html>",
        _ => return None,
    })
}

/// A page with a style sheet and an image, compressed.
pub(crate) fn zipped() -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        ZIPPED.len()
    );
    [head.as_bytes(), &ZIPPED].concat()
}

#[rustfmt::skip]
const ZIPPED: [u8; 79] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 179, 201, 40, 201, 205, 177, 179, 201, 201, 204, 203, 86, 40, 74, 205,
    177, 85, 42, 46, 169, 204, 73, 45, 206, 72, 77, 45, 81, 82, 200, 40, 74, 77, 179, 85, 170, 210, 75, 46,
    46, 86, 178, 179, 201, 204, 77, 87, 40, 46, 74, 6, 9, 20, 228, 165, 3, 5, 244, 193, 122, 1, 141, 189,
    252, 224, 66, 0, 0, 0,
];

#[test]
fn pages_bring_the_same() {
    let server = Scripted::start();
    for name in ["page", "onward", "waits", "nested", "broken", "amp", "zipped"] {
        beside(&server, "parser = true\n", &format!("-c1 -r2 http://@/{name}"));
        beside(&server, "parser = true\n", &format!("--no-parser -c1 -r1 http://@/{name}"));
    }
    beside(&server, "parser = true\n", "--no-follow -c1 -r1 http://@/onward");
    beside(&server, "parser = true\nnofollow = 127.0.0\n", "-c1 -r1 http://@/page");
    beside(&server, "parser = true\nnofollow = 127\n", "-c1 -r1 http://@/page");
    beside(&server, "parser = true\nfullurl = true\n", "-c1 -r1 http://@/page");
    beside(&server, "parser = true\ndisplay-id = true\n", "-c2 -r1 http://@/page");
    beside(&server, "parser = true\ncache = true\n", "-c1 -r3 http://@/keeping");
    beside(&server, "parser = true\nconnection = keep-alive\n", "-c1 -r2 http://@/page");
}

#[test]
fn users_log_in_alike() {
    let server = Scripted::start();
    for url in [
        "http://@/in",
        "http://@/in POST name=jeff&pass=foo",
        "http://@/s500",
        "http://@/r302",
        "http://@/s401",
        "http://@/setck",
        "http://127.0.0.1:1/",
        "http://@/s418",
    ] {
        beside(&server, &format!("login-url = {url}\n"), "-c1 -r2 http://@/ok");
    }
    beside(&server, "login-url = http://@/one\nlogin-url = http://@/two\n", "-c3 -r1 http://@/ok");
    beside(&server, "parser = true\nlogin-url = http://@/page\n", "-c1 -r1 http://@/ok");
}

#[test]
fn the_login_stays_with_the_hosts_of_the_list() {
    let (sender, heads) = std::sync::mpsc::channel();
    let stranger = Peer::start(move |_, mut connection| {
        while let Some(head) = read_head(&mut connection) {
            let _ = sender.send(String::from_utf8_lossy(&head).into_owned());
            let ask = "HTTP/1.1 401 X\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n";
            if connection.write_all(ask.as_bytes()).is_err() {
                break;
            }
        }
    });
    let image = format!("http://localhost:{}/pixel.png", stranger.address().port());
    let server = Peer::start(move |_, mut connection| {
        let page = format!("<img src=\"{image}\">");
        while let Some(head) = read_head(&mut connection) {
            let has_login =
                String::from_utf8_lossy(&head).contains("Authorization: Basic YWRtaW46aHVudGVyMg==");
            let (status, ask) = match has_login {
                true => ("200 OK", ""),
                false => ("401 Unauthorized", "WWW-Authenticate: Basic realm=\"y\"\r\n"),
            };
            let reply = format!(
                "HTTP/1.1 {status}\r\n{ask}Content-Type: text/html\r\nContent-Length: {}\r\n\r\n{page}",
                page.len()
            );
            if connection.write_all(reply.as_bytes()).is_err() {
                break;
            }
        }
    });
    let home = Home::new("parser = true\nlogin = admin:hunter2\n", &[]);
    let output = home.ours(&["-c1", "-r1", &server.url("/")]);
    let heads: Vec<String> = heads.try_iter().collect();
    assert!(!heads.is_empty(), "the image is fetched: {output:#?}");
    assert!(heads.iter().all(|head| !head.contains("uthorization")), "{heads:#?}");
    assert!(output.stdout.contains("HTTP/1.1 200"), "the listed host gets it: {output:#?}");
}

#[test]
fn a_reply_that_cannot_be_read_is_named_once_a_run() {
    let server = Peer::start(move |_, mut connection| {
        let reply = format!("HTTP/1.1 200 OK\r\n{}\r\nok", "X: y\r\n".repeat(1_001));
        if read_head(&mut connection).is_some() {
            let _ = connection.write_all(reply.as_bytes());
        }
        drain(&mut connection);
    });
    let output = Home::new("", &[]).ours(&["-c1", "-r3", &server.url("/")]);
    let notice = "socket: cannot read a reply: HTTP: too many header lines\n";
    assert_eq!(output.stderr.matches(notice).count(), 1, "{output:#?}");
    let failed = output.stderr.lines().find(|line| line.starts_with("Failed transactions:"));
    assert_eq!(failed.and_then(|line| line.split_whitespace().last()), Some("3"), "{output:#?}");
}
