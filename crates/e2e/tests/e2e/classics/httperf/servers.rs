//! The servers that the captured runs were made against: nginx in four ways, one that answers each path in its own way,
//! and one that accepts nobody.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::net::{AddressFamily, SocketType, bind, getsockname, listen, socket};
use tempfile::TempDir;
use warwolf_e2e::certificate::{Authority, Validity};
use warwolf_e2e::peer::{Peer, read_head};
use warwolf_e2e::process::{Process, free_port};

/// nginx as it was when the runs were captured: plain, with TLS 1.2 and 1.3, with TLS 1.2 only, and with one request for
/// each connection.
pub(crate) struct Served {
    // Before the folder: fields are dropped in order, and a server should not outlive its files.
    _process: Process,
    folder: TempDir,
    /// The port of each of the four, in this order.
    pub(crate) ports: [u16; 4],
}

impl Served {
    /// Starts it.
    pub(crate) fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("warwolf-trial-").tempdir().expect("a new folder");
        let path = |name: &str| folder.path().join(name);
        let pair = Authority::new().issue("localhost", Validity::Now);
        for (name, text) in [("cert.pem", &pair.certificate), ("key.pem", &pair.key)] {
            std::fs::write(path(name), text).expect("a file in a new folder");
        }
        std::fs::create_dir(path("html")).expect("a folder in a new folder");
        for (name, bytes) in pages() {
            let file = path("html").join(name);
            std::fs::create_dir_all(file.parent().expect("a file is in a folder")).expect("a new folder");
            std::fs::write(file, bytes).expect("a file in a new folder");
        }
        let ports = [free_port(), free_port(), free_port(), free_port()];
        std::fs::write(path("nginx.conf"), configuration(&folder, ports)).expect("a new file");
        let process = Process::start("nginx", |command| {
            command.arg("-p").arg(folder.path()).arg("-c").arg(path("nginx.conf"));
            command.arg("-e").arg(path("error.log"));
        });
        let process = process.ready_at(([127, 0, 0, 1], ports[3]).into());
        Self { _process: process, folder, ports }
    }

    /// Of each request so far the client's port, and whether its TLS session was resumed. nginx writes a line when a
    /// reply is over, so this waits until there are as many as there should be.
    pub(crate) fn log(&self, expected: usize) -> Vec<(u16, bool)> {
        for _ in 0..50 {
            let text = std::fs::read_to_string(self.folder.path().join("access.log")).unwrap_or_default();
            let lines: Vec<_> = text.lines().filter_map(|line| line.split_once(' ')).collect();
            if lines.len() >= expected {
                let port = |text: &str| text.parse().expect("a port in the log");
                return lines.iter().map(|(from, resumed)| (port(from), *resumed == "r")).collect();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the server's log has no {expected} lines after a second");
    }
}

/// Files by name, as long as they were.
fn pages() -> Vec<(String, Vec<u8>)> {
    let filled = [("index.html", 204), ("foo.html", 256), ("mid.bin", 12_000), ("big.bin", 100_000)]
        .into_iter()
        .chain(["pict1.gif", "pict2.gif", "pict3.gif", "pict4.gif"].map(|name| (name, 106)));
    let mut pages: Vec<(String, Vec<u8>)> =
        filled.map(|(name, length)| (name.to_owned(), vec![b'x'; length])).collect();
    pages.push(("foo2.html".to_owned(), b"foo2".to_vec()));
    let page = "<html><img src=\"/pict1.gif\"> <img src=\"pict2.gif\"></html>\n";
    pages.push(("p1.html".to_owned(), page.into()));
    let page = "<!-- c --><IMG SRC=\"/pict1.gif\"> <img alt=\"a\" src=pict2.gif > <frame src=\"foo.html\" > <iframe \
                src=\"foo2.html\">\n";
    pages.push(("page.html".to_owned(), page.into()));
    pages.extend((0..10).map(|n| (format!("wset10/{n}.html"), format!("w{n}\n").into_bytes())));
    pages.extend((0..100).map(|n| (format!("wset100/{}/{}.html", n / 10, n % 10), b"w0\n".to_vec())));
    pages
}

fn configuration(folder: &TempDir, [plain, tls, old_tls, once]: [u16; 4]) -> String {
    let folder = folder.path().display();
    let user = if rustix::process::geteuid().is_root() { "user root;" } else { "" };
    let pair = "ssl_certificate cert.pem; ssl_certificate_key key.pem;";
    format!(
        r#"{user}
daemon off; worker_processes 1; pid {folder}/pid;
events {{ worker_connections 256; }}
http {{
  types {{ text/html html; image/gif gif; }}
  log_format trial '$remote_port $ssl_session_reused';
  access_log {folder}/access.log trial;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  root {folder}/html;
  server {{
    listen 127.0.0.1:{plain}; listen 127.0.0.1:{tls} ssl; {pair} ssl_protocols TLSv1.2 TLSv1.3;
    location = /503 {{ return 503 "busy\n"; }}
    location = /204 {{ return 204; }}
    location = /cookie {{
      add_header Set-Cookie "sid=abc123; path=/"; add_header Set-Cookie "two=2; path=/"; return 200 "ok\n";
    }}
  }}
  server {{ listen 127.0.0.1:{old_tls} ssl; {pair} ssl_protocols TLSv1.2; ssl_session_cache shared:S:1m; }}
  server {{ listen 127.0.0.1:{once}; keepalive_requests 1; }}
}}
"#
    )
}

/// A server that answers each path in its own way, and writes down what it was asked.
pub(crate) struct Scripted {
    peer: Peer,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    /// Starts it; nothing has been counted yet.
    pub(crate) fn start() -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (book, counts) = (Arc::clone(&asked), Mutex::new(HashMap::new()));
        let peer = Peer::start(move |_, mut connection| {
            while let Some((line, body)) = read(&mut connection) {
                let mut words = line.split(' ');
                let (_, target) = (words.next(), words.next().unwrap_or_default().to_owned());
                book.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{line} {body}"));
                let again = {
                    let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
                    let count = counts.entry(target.clone()).or_insert(0_u32);
                    *count += 1;
                    *count
                };
                if answer(&mut connection, &target, again).is_none() {
                    return;
                }
            }
        });
        Self { peer, asked }
    }

    /// The port it listens on.
    pub(crate) fn port(&self) -> u16 {
        self.peer.address().port()
    }

    /// What it was asked: request lines, each with its body behind it.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The first line of a request, and its body.
fn read(connection: &mut TcpStream) -> Option<(String, String)> {
    let head = String::from_utf8_lossy(&read_head(connection)?).into_owned();
    let length = head.lines().find_map(|line| line.strip_prefix("Content-length: ")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    connection.read_exact(&mut body).ok()?;
    Some((head.lines().next()?.to_owned(), String::from_utf8_lossy(&body).into_owned()))
}

/// Answers what was asked the `again`th time; `None` closes the connection.
fn answer(connection: &mut TcpStream, target: &str, again: u32) -> Option<()> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let value = |name: &str| {
        let value = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        value.and_then(|text| text.parse::<f64>().ok()).unwrap_or(1.0)
    };
    let pause = || std::thread::sleep(Duration::from_secs_f64(value("t")));
    let mut say = |text: &str| connection.write_all(text.as_bytes()).ok();
    let ok = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n";
    match path {
        "/ok" => say(ok),
        "/delay" => {
            pause();
            say(ok)
        }
        "/slowbody" => {
            say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")?;
            (0..10).try_for_each(|_| {
                pause();
                say("x")
            })
        }
        "/chunk" => say(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\n\r\n",
        ),
        "/cookie" => say(&format!(
            "HTTP/1.1 200 OK\r\nSet-Cookie: sid={again}; path=/\r\nContent-Length: 3\r\n\r\nok\n"
        )),
        "/flaky0" if f64::from(again) <= value("n") => say("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"),
        "/flaky0" => say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        "/flakyconn" if f64::from(again) <= value("n") => None,
        "/flakyconn" => say(ok),
        "/eof" => None,
        // Until the other side has had enough.
        "/hang" => read_head(connection).and(None),
        "/lf" => say("HTTP/1.1 200 OK\nContent-Length: 3\n\nok\n"),
        "/nonl" => say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
        "/nolen" => say("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nhello\n").and(None),
        _ => say("HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nno\n"),
    }
}

/// A socket that listens for the least that the kernel allows, and accepts nobody.
pub(crate) struct Deaf {
    _socket: OwnedFd,
    /// Where it listens.
    pub(crate) port: u16,
}

impl Deaf {
    /// Starts to listen.
    pub(crate) fn start() -> Self {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
        bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)).expect("a loopback port");
        listen(&socket, 0).expect("a socket that listens");
        let address = SocketAddrV4::try_from(getsockname(&socket).expect("the address of a listener"));
        Self { _socket: socket, port: address.expect("an address as it was bound").port() }
    }
}
