//! nginx: one worker, what it serves written down here.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::{folder, is_root};
use crate::process::{Process, free_port};

/// A running nginx. Beside the files it serves `/moved` (302 to `/small`), `/set` (sets a cookie and redirects to
/// `/see`), `/see` (200 with the cookie, 403 without), `/upload` (reads everything, answers 200), `/error` (500),
/// `/none` (204) and `/echo` (the request's headers of interest, in the body).
#[derive(Debug)]
pub struct Nginx {
    // Before the folder: fields are dropped in order, and a server should not outlive its files.
    _process: Process,
    folder: TempDir,
    port: u16,
}

impl Nginx {
    /// Plain HTTP on 127.0.0.1 and ::1, and on a Unix socket, with these extra lines in the `server` block.
    pub fn start(extra: &str) -> Self {
        Self::start_with(&[], "", extra)
    }

    /// HTTPS with a certificate and key in PEM, with these extra lines in the `server` block.
    pub fn start_tls(certificate: &str, key: &str, extra: &str) -> Self {
        let files = [("cert.pem", certificate), ("key.pem", key)];
        Self::start_with(
            &files,
            "ssl",
            &format!("ssl_certificate cert.pem; ssl_certificate_key key.pem; {extra}"),
        )
    }

    /// Starts with files beside the configuration, a word after the port, and extra lines in the `server` block.
    pub fn start_with(files: &[(&str, &str)], listen: &str, extra: &str) -> Self {
        let folder = folder();
        let port = free_port();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file in a new folder");
        }
        let conf = folder.path().join("nginx.conf");
        std::fs::write(&conf, configuration(folder.path(), port, listen, extra)).expect("a new file");
        let errors = std::fs::File::create(folder.path().join("stderr")).expect("a new file");
        let process = Process::start("nginx", |command| {
            command
                .arg("-p")
                .arg(folder.path())
                .arg("-c")
                .arg(&conf)
                .arg("-e")
                .arg(folder.path().join("error.log"));
            command.stderr(errors);
        });
        let process = process.ready_at(([127, 0, 0, 1], port).into());
        Self { _process: process, folder, port }
    }

    /// The port, on 127.0.0.1 and on ::1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address of a path over plain HTTP.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The address of a path over HTTPS, by the name the trial's certificates carry.
    pub fn https(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.port)
    }

    /// The Unix socket it listens on too.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    /// Requests served so far. nginx writes a line when a reply is over, which can be a moment after the client has it,
    /// so this waits until the number of lines has not changed for a while.
    pub fn hits(&self) -> Vec<Hit> {
        let read = || std::fs::read_to_string(self.folder.path().join("access.log")).unwrap_or_default();
        let mut text = read();
        loop {
            std::thread::sleep(Duration::from_millis(100));
            let again = read();
            if again.len() == text.len() {
                return text.lines().map(Hit::parse).collect();
            }
            text = again;
        }
    }
}

/// One line of the access log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Method.
    pub method: String,
    /// Target, as sent.
    pub target: String,
    /// `HTTP/1.1` and so on.
    pub version: String,
    /// Status of the reply; 499 when the client went away first.
    pub status: u16,
    /// Bytes of the reply's body.
    pub body_bytes: u64,
    /// Bytes of the request, head and body.
    pub request_bytes: u64,
    /// Number of the connection, and of the request on it, from 1.
    pub connection: (u64, u64),
    /// The client's address.
    pub remote: String,
    /// The `Host` field.
    pub host: String,
    /// `TLSv1.3` and so on, or `-`.
    pub tls: String,
    /// Whether the TLS session was resumed.
    pub resumed: bool,
}

impl Hit {
    fn parse(line: &str) -> Self {
        let fields: Vec<&str> = line.split('|').collect();
        let [method, target, version, status, body, request, connection, nth, remote, host, tls, resumed] =
            fields[..]
        else {
            panic!("not a line of the access log: `{line}`")
        };
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("not a number in `{line}`"));
        Self {
            method: method.to_owned(),
            target: target.to_owned(),
            version: version.to_owned(),
            status: number(status) as u16,
            body_bytes: number(body),
            request_bytes: number(request),
            connection: (number(connection), number(nth)),
            remote: remote.to_owned(),
            host: host.to_owned(),
            tls: tls.to_owned(),
            resumed: resumed == "r",
        }
    }
}

fn configuration(folder: &Path, port: u16, listen: &str, extra: &str) -> String {
    let folder = folder.display();
    let user = if is_root() { "user root;" } else { "" };
    let sink = free_port();
    format!(
        r#"{user}
daemon off; worker_processes 1; pid {folder}/pid;
worker_rlimit_nofile 30000;
events {{ worker_connections 12000; }}
http {{
  log_format trial '$request_method|$request_uri|$server_protocol|$status|$body_bytes_sent|$request_length|$connection|$connection_requests|$remote_addr|$http_host|$ssl_protocol|$ssl_session_reused';
  access_log {folder}/access.log trial;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  client_max_body_size 0; keepalive_requests 1000000; sendfile on; tcp_nopush on;
  ssl_protocols TLSv1.2 TLSv1.3;
  server {{
    listen 127.0.0.1:{port} {listen} backlog=8192; listen [::1]:{port} {listen}; listen unix:{folder}/socket;
    root {folder}/www;
    location = /moved {{ return 302 /small; }}
    location = /set {{ add_header Set-Cookie "taste=sweet; Path=/"; return 302 /see; }}
    location = /see {{ if ($cookie_taste != sweet) {{ return 403 no; }} return 200 yes; }}
    # Only a proxy reads a whole body before it answers; what it asks for then is not ours to count.
    location = /upload {{
      proxy_method GET; proxy_pass_request_body off; proxy_set_header Content-Length "";
      proxy_pass http://127.0.0.1:{sink}/small;
    }}
    location = /error {{ return 500 broken; }}
    location = /none {{ return 204; }}
    location = /echo {{ return 200 "$http_host|$http_authorization|$http_x_trial|$server_protocol|$remote_addr"; }}
    location / {{ error_page 405 =200 $uri; }}
    {extra}
  }}
  server {{ listen 127.0.0.1:{sink}; root {folder}/www; access_log off; }}
}}
"#
    )
}
