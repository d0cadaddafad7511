//! The harness itself: every server starts, answers, and is gone afterwards.

use std::io::{Read, Write};
use std::net::TcpStream;

use warwolf_e2e::certificate::{Authority, Validity};
use warwolf_e2e::peer::{Peer, tunnel};
use warwolf_e2e::server::{Apache, Nginx, Node, OpenSsl, PAGE, Python};

/// The whole reply to one GET, over a connection of its own.
fn get(url: &str) -> String {
    let (authority, path) = url.strip_prefix("http://").expect("plain").split_once('/').expect("a path");
    let mut stream = TcpStream::connect(authority).expect("the server listens");
    write!(stream, "GET /{path} HTTP/1.0\r\nHost: {authority}\r\n\r\n").expect("the server reads");
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).expect("the server answers and closes");
    String::from_utf8_lossy(&reply).into_owned()
}

#[test]
fn nginx_serves_and_logs() {
    let server = Nginx::start("");
    let reply = get(&server.url("/page"));
    assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
    assert!(reply.len() as u64 > PAGE);
    assert_eq!(
        get(&server.url("/echo")).lines().last(),
        Some(&*format!("127.0.0.1:{}|||HTTP/1.0|127.0.0.1", server.port()))
    );
    assert_eq!(server.hits().len(), 2);
}

#[test]
fn apache_serves() {
    let server = Apache::start("");
    assert!(get(&server.url("/small")).starts_with("HTTP/1.1 200"));
}

#[test]
fn python_serves_http_1_0() {
    let server = Python::start();
    assert!(get(&server.url("/small")).starts_with("HTTP/1.0 200"));
}

#[test]
fn node_serves() {
    let server = Node::start();
    assert!(get(&server.url("/")).ends_with("hello"));
}

#[test]
fn openssl_listens_with_a_certificate_of_our_own() {
    let pair = Authority::new().issue("localhost", Validity::Now);
    let server = OpenSsl::start(&pair.certificate, &pair.key, &[]);
    assert!(server.https("/small").starts_with("https://localhost:"));
}

#[test]
fn a_peer_answers_and_a_tunnel_refuses_what_is_no_tunnel() {
    let peer = Peer::replying_once(b"HTTP/1.0 200 OK\r\n\r\nyes");
    assert!(get(&peer.url("/")).ends_with("yes"));
    assert_eq!(peer.accepted(), 1);
    assert!(get(&tunnel().url("/")).starts_with("HTTP/1.1 405"));
}
