//! Servers that come with a language or a library: Python (HTTP/1.0), Node (chunks, trailers), OpenSSL (TLS, one
//! connection at a time).

use tempfile::TempDir;

use super::folder;
use crate::process::{Process, free_port};

/// `python3 -m http.server`: HTTP/1.0, one connection per reply.
#[derive(Debug)]
pub struct Python {
    _process: Process,
    _folder: TempDir,
    port: u16,
}

impl Python {
    /// Serves the trial files.
    pub fn start() -> Self {
        let folder = folder();
        let port = free_port();
        let process = Process::start("python3", |command| {
            command.args(["-m", "http.server", "--bind", "127.0.0.1", &port.to_string()]);
            command.current_dir(folder.path().join("www"));
        });
        let process = process.ready_at(([127, 0, 0, 1], port).into());
        Self { _process: process, _folder: folder, port }
    }

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

/// What Node answers: chunks with a trailer, interim replies, an echo of what was uploaded.
const NODE: &str = "
const http = require('http');
http.createServer((request, reply) => {
  let bytes = 0;
  request.on('data', piece => bytes += piece.length);
  request.on('end', () => {
    if (request.url === '/chunks') {
      reply.writeHead(200, { 'Trailer': 'X-Sum' });
      for (let i = 0; i < 10; i++) reply.write('x'.repeat(1000));
      reply.addTrailers({ 'X-Sum': '10000' });
      reply.end();
    } else if (request.url === '/hints') {
      reply.writeEarlyHints({ link: '</style.css>; rel=preload' });
      reply.end('after hints');
    } else if (request.url === '/upload') {
      reply.end(String(bytes).padStart(12, '0'));
    } else {
      reply.end('hello');
    }
  });
}).listen(Number(process.argv[1]), '127.0.0.1');
";

/// A Node server: `/chunks` (10,000 bytes in chunks, a trailer), `/hints` (103, then 11 bytes), `/upload` (the number
/// of bytes it got, in 12 digits), anything else (5 bytes).
#[derive(Debug)]
pub struct Node {
    _process: Process,
    port: u16,
}

impl Node {
    /// Starts it.
    pub fn start() -> Self {
        let port = free_port();
        let process = Process::start("node", |command| {
            command.args(["-e", NODE, &port.to_string()]);
        });
        Self { _process: process.ready_at(([127, 0, 0, 1], port).into()), port }
    }

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

/// `openssl s_server -WWW`: serves files over TLS, one connection at a time, closed after each reply.
#[derive(Debug)]
pub struct OpenSsl {
    _process: Process,
    _folder: TempDir,
    port: u16,
}

impl OpenSsl {
    /// Serves the trial files with this certificate and key, in PEM, and these extra options.
    pub fn start(certificate: &str, key: &str, extra: &[&str]) -> Self {
        let folder = folder();
        let port = free_port();
        let (cert_file, key_file) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
        std::fs::write(&cert_file, certificate).expect("a file in a new folder");
        std::fs::write(&key_file, key).expect("a file in a new folder");
        let process = Process::start("openssl", |command| {
            command.args(["s_server", "-WWW", "-quiet", "-accept", &format!("127.0.0.1:{port}"), "-cert"]);
            command.arg(&cert_file).arg("-key").arg(&key_file).args(extra);
            command.current_dir(folder.path().join("www"));
        });
        let process = process.ready_at(([127, 0, 0, 1], port).into());
        Self { _process: process, _folder: folder, port }
    }

    /// The address of a path.
    pub fn https(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.port)
    }
}
