//! The server over loopback sockets, with a minimal client.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use warwolf_target::{Handle, Listen, Options, StartError, start};

fn server(change: impl FnOnce(&mut Options)) -> Handle {
    let mut options = Options { keep_log: true, ..Options::default() };
    change(&mut options);
    start(options).unwrap()
}

fn connect(server: &Handle) -> TcpStream {
    let stream = TcpStream::connect(server.addr()).unwrap();
    stream.set_read_timeout(Some(TIME_LIMIT)).unwrap();
    stream
}

/// Sends `request` and returns the response until the end of the stream, with `<reset>` appended after a reset.
fn say(mut stream: impl Read + Write, request: &[u8]) -> String {
    stream.write_all(request).unwrap();
    let mut reply = Vec::new();
    let is_reset = match stream.read_to_end(&mut reply) {
        Ok(_) => "",
        Err(error) if error.kind() == ErrorKind::ConnectionReset => "<reset>",
        Err(error) => panic!("{error} after `{}`", reply.escape_ascii()),
    };
    String::from_utf8_lossy(&reply).into_owned() + is_reset
}

fn get(server: &Handle, target: &str) -> String {
    say(connect(server), format!("GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").as_bytes())
}

/// Reads exactly `length` bytes.
fn read(stream: &mut impl Read, length: usize) -> String {
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn read_until(stream: &mut impl Read, end: &str) -> String {
    let mut text = String::new();
    while !text.ends_with(end) {
        text += &read(stream, 1);
    }
    text
}

const TIME_LIMIT: Duration = Duration::from_secs(20);
const PLAIN: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const REPLY: &str = "HTTP/1.1 200 OK\r\nServer: warwolf-target\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\n\
                     0123456789abc";

#[test]
fn responses_are_complete_for_every_version_and_method() {
    let server = server(|_| ());
    for (request, expected) in [
        ("GET / HTTP/1.0\r\n\r\n", "Content-Length: 13\r\nConnection: close\r\n\r\n0123456789abc"),
        (
            "HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            "Content-Length: 13\r\nConnection: close\r\n\r\n",
        ),
        (
            "GET /?chunked=5 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            "Connection: close\r\n\r\n5\r\n01234\r\n5\r\n56789\r\n3\r\nabc\r\n0\r\n\r\n",
        ),
        ("nonsense\r\n\r\n", "Content-Length: 0\r\nConnection: close\r\n\r\n"),
    ] {
        let reply = say(connect(&server), request.as_bytes());
        assert!(reply.ends_with(expected), "{request:?} gave {reply:?}");
    }
    assert_eq!((server.requests(), server.connections()), (4, 4));
}

#[test]
fn responses_to_pipelined_requests_are_in_order_and_in_one_write() {
    let server = server(|_| ());
    let mut stream = connect(&server);
    let replies = 100;
    stream.write_all(&PLAIN.repeat(replies)).unwrap();
    assert_eq!(read(&mut stream, REPLY.len() * replies), REPLY.repeat(replies));
    drop(stream);
    let log = server.stop().unwrap();
    assert_eq!(log.len(), replies);
    assert!(
        log.iter()
            .all(|entry| entry.arrived_ns <= entry.first_byte_ns && entry.first_byte_ns <= entry.left_ns)
    );
    let mut writes: Vec<_> = log.iter().map(|entry| entry.left_ns).collect();
    writes.dedup();
    assert!(writes.len() < replies, "{} writes", writes.len());
}

#[test]
fn a_request_during_another_response_is_logged_with_its_arrival() {
    let server = server(|options| options.delay = "500ms".parse().unwrap());
    let mut stream = connect(&server);
    stream.write_all(PLAIN).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    stream.write_all(PLAIN).unwrap();
    read(&mut stream, 2 * REPLY.len());
    drop(stream);
    let log = server.stop().unwrap();
    let gap_ms = (log[1].arrived_ns - log[0].arrived_ns) / 1_000_000;
    assert!((40..490).contains(&gap_ms), "{gap_ms} ms");
    for entry in &log {
        let taken_ns = entry.first_byte_ns - entry.arrived_ns;
        assert!(taken_ns >= 500_000_000, "{taken_ns} ns");
    }
}

#[test]
fn uploads_are_counted_and_echoed() {
    let server = server(|_| ());
    let mut stream = connect(&server);
    let head = "POST /count HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(read_until(&mut stream, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(&vec![b'x'; 1_000_000]).unwrap();
    assert!(read_until(&mut stream, "\r\n\r\n1000000\n").starts_with("HTTP/1.1 200 OK\r\n"));

    let chunked = "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    stream.write_all(chunked.as_bytes()).unwrap();
    let echoed = read_until(&mut stream, "abcde");
    assert!(
        echoed.ends_with("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nabcde"),
        "{echoed:?}"
    );
    drop(stream);
    let received: Vec<_> = server.stop().unwrap().iter().map(|entry| entry.received).collect();
    assert_eq!(received, [1_000_000, 5]);
}

#[test]
fn an_early_response_precedes_the_upload() {
    let server = server(|_| ());
    let mut stream = connect(&server);
    stream.write_all(b"POST /?early=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n").unwrap();
    assert_eq!(read(&mut stream, REPLY.len()), REPLY);
    stream.write_all(b"hello").unwrap();
    stream.write_all(PLAIN).unwrap();
    assert_eq!(read(&mut stream, REPLY.len()), REPLY, "the connection continues");

    let mut unread = b"POST /?early=close HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n".to_vec();
    unread.resize(1_000_000, b'x');
    let reply = say(connect(&server), &unread);
    assert!(reply.ends_with("Connection: close\r\n\r\n0123456789abc"), "no reset overtakes it: {reply:?}");
}

#[test]
fn clients_observe_the_injected_faults() {
    let server = server(|options| options.size = 1000);
    for (fault, ends_with) in
        [("reset", "<reset>"), ("close", ""), ("reset-body", "<reset>"), ("garbage", "\u{fffd}\u{fffd}")]
    {
        let reply = get(&server, &format!("/?fault={fault}"));
        assert!(reply.ends_with(ends_with), "{fault}: {reply:?}");
        assert!(reply.len() < 800, "{fault}: {reply:?}");
    }
    let short = get(&server, "/?fault=short");
    let (head, body) = short.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("Content-Length: 1000\r\n"), "{head}");
    assert_eq!(body.len(), 500);
    let mut held = connect(&server);
    held.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    held.write_all(b"GET /?fault=hang HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    assert_eq!(held.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn connection_faults_occur_before_any_request() {
    let faulty = |word: &str| server(|options| options.faults = vec![word.parse().unwrap()]);
    for word in ["deaf", "noaccept"] {
        let server = faulty(word);
        let mut held = connect(&server);
        held.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        held.write_all(PLAIN).unwrap();
        assert_eq!(held.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock, "{word}");
        assert_eq!(server.requests(), 0);
    }
    let server = faulty("drop");
    assert_eq!(connect(&server).read(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert_eq!(server.connections(), 1);
}

#[test]
fn throttled_responses_are_slow_and_large_bodies_fast() {
    let server = server(|_| ());
    let began = Instant::now();
    let slow = get(&server, "/?slow=100/50ms&size=300");
    assert!(slow.len() > 400 && began.elapsed() >= Duration::from_millis(200), "{:?}", began.elapsed());
    let mut large = connect(&server);
    large.write_all(b"GET /?size=100m HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let length = std::io::copy(&mut large, &mut std::io::sink()).unwrap();
    assert!(length > 100 << 20, "{length}");
}

#[test]
fn a_stall_delays_requests_that_arrive_in_it() {
    let server = server(|options| options.stalls = vec!["0s+500ms".parse().unwrap()]);
    let began = Instant::now();
    get(&server, "/");
    let (stalled, began) = (began.elapsed(), Instant::now());
    get(&server, "/");
    assert!(stalled >= Duration::from_millis(495), "{stalled:?}");
    assert!(began.elapsed() < Duration::from_millis(495), "{:?}", began.elapsed());
}

#[test]
fn connections_close_after_their_last_request_or_idle_timeout() {
    let server = server(|options| {
        options.max_requests = Some(2);
        options.idle_timeout = Some(Duration::from_millis(100));
    });
    let both = say(connect(&server), &PLAIN.repeat(3));
    assert_eq!(both.matches("HTTP/1.1 200 OK").count(), 2);
    assert_eq!(both.matches("Connection: close").count(), 1);
    assert_eq!(say(connect(&server), PLAIN), REPLY, "closed by the idle timeout");
}

#[test]
fn a_simulated_crash_closes_all_connections_and_the_server_recovers() {
    let server = server(|options| options.plants = vec!["nul-header".parse().unwrap()]);
    let mut bystander = connect(&server);
    bystander.write_all(PLAIN).unwrap();
    read(&mut bystander, REPLY.len());
    assert_eq!(say(connect(&server), b"GET / HTTP/1.1\r\nX: \0\r\n\r\n").replace("<reset>", ""), "");
    assert_eq!(bystander.read(&mut [0]).unwrap(), 0);
    assert!(get(&server, "/").starts_with("HTTP/1.1 200 OK"));
}

#[test]
fn the_tls_certificate_is_signed_by_its_authority() {
    for version in ["1.2", "1.3"] {
        let server = server(|options| {
            options.listen.clear();
            options.listen_tls = vec![Listen::Tcp("localhost:0".to_owned())];
            options.tls_max = version.to_owned();
        });
        let ca_pem = server.listening().ca_pem.clone().unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(ca_pem.as_bytes()).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("localhost").unwrap();
        let session = ClientConnection::new(Arc::new(config), name).unwrap();
        let stream = TcpStream::connect(server.tls_addr()).unwrap();
        stream.set_read_timeout(Some(TIME_LIMIT)).unwrap();
        let mut stream = StreamOwned::new(session, stream);
        stream.write_all(PLAIN).unwrap();
        assert_eq!(read(&mut stream, REPLY.len()), REPLY);
        let spoken = format!("{:?}", stream.conn.protocol_version().unwrap());
        assert_eq!(spoken, format!("TLSv1_{}", &version[2..]));
        let closing = b"GET /?size=1m HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        assert!(say(stream, closing).len() > 1 << 20, "closed with close_notify");
    }
}

#[test]
fn unix_sockets_and_ipv6_are_served_together() {
    let path = std::env::temp_dir().join(format!("warwolf-target-{}", std::process::id()));
    let server = server(|options| {
        options.listen = vec![Listen::Unix(path.clone()), Listen::Tcp("[::1]:0".to_owned())];
        options.threads = 2;
    });
    let mut unix = UnixStream::connect(&path).unwrap();
    unix.set_read_timeout(Some(TIME_LIMIT)).unwrap();
    unix.write_all(PLAIN).unwrap();
    assert_eq!(read(&mut unix, REPLY.len()), REPLY);
    assert!(server.addr().is_ipv6());
    assert!(get(&server, "/").contains("200 OK"));
    server.stop().unwrap();
    assert!(!path.exists());
}

#[test]
fn tunnels_are_limited_to_loopback_addresses() {
    let origin = server(|_| ());
    let proxy = server(|options| options.proxy = true);
    let mut stream = connect(&proxy);
    write!(stream, "CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n\r\n", origin.addr()).unwrap();
    assert_eq!(read_until(&mut stream, "\r\n\r\n"), "HTTP/1.1 200 Connection established\r\n\r\n");
    stream.write_all(PLAIN).unwrap();
    assert_eq!(read(&mut stream, REPLY.len()), REPLY);
    let elsewhere = b"CONNECT 192.0.2.1:80 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    assert!(say(connect(&proxy), elsewhere).starts_with("HTTP/1.1 403 "));
    assert!(say(connect(&origin), elsewhere).starts_with("HTTP/1.1 405 "), "not a proxy");
}

#[test]
fn an_address_in_use_is_named_in_the_error() {
    let first = server(|_| ());
    let address = first.addr().to_string();
    let second = start(Options { listen: vec![Listen::Tcp(address.clone())], ..Options::default() });
    let error = second.unwrap_err();
    assert!(matches!(error, StartError::Listen { .. }));
    assert!(error.to_string().starts_with(&format!("cannot listen on `{address}`: ")), "{error}");
}

#[test]
fn the_log_file_has_one_line_per_request() {
    let path = std::env::temp_dir().join(format!("warwolf-target-{}.csv", std::process::id()));
    let server = server(|options| options.log = Some(path.clone()));
    get(&server, "/a?b=c");
    get(&server, "/d");
    server.stop().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], warwolf_target::CSV_HEADER);
    assert!(lines[1].starts_with("1,1,GET,/a?b=c,"), "{}", lines[1]);
    assert_eq!(lines.len(), 3);
}
