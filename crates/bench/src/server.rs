//! The server under test: one nginx worker on a separate core, without a log, that never closes connections.

use anyhow::Result;
use tempfile::TempDir;
use warwolf_e2e::certificate::{Authority, Validity};
use warwolf_e2e::process::{Process, free_port};

use crate::spent::SERVER_CORE;

/// Size of the larger response in bytes.
const PAGE_BYTES: u64 = 75_000;

/// The response to all steps of sessions.
const STEPS: &str = r#"{"ok":true,"token":"0123456789abcdef","user":{"id":7,"name":"Ann","mail":"ann@a.test"},"items":[{"id":7,"price":9.5},{"id":8,"price":19.0},{"id":9,"price":0.99}],"next":"/steps/next"}"#;

/// A running nginx: `/` is a small response from memory, `/steps/` a JSON document, `/page` has 75,000 bytes from a file.
pub(crate) struct Server {
    _process: Process,
    folder: TempDir,
    port: u16,
    tls_port: u16,
}

impl Server {
    /// Starts nginx.
    pub(crate) fn start() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let at = folder.path().display();
        std::fs::write(folder.path().join("page"), vec![b'x'; PAGE_BYTES as usize])?;
        std::fs::write(folder.path().join("pipelined.lua"), PIPELINED)?;
        for connection in ["keep-alive", "close"] {
            std::fs::write(folder.path().join(connection), format!("{SIEGE_RC}connection = {connection}\n"))?;
        }
        let pair = Authority::new().issue("localhost", Validity::Now);
        std::fs::write(folder.path().join("cert.pem"), &pair.certificate)?;
        std::fs::write(folder.path().join("key.pem"), &pair.key)?;
        let (port, tls_port) = (free_port(), free_port());
        // Only the current user may read the folder, so the worker has to run as this user.
        let user = if is_root() { "user root;" } else { "" };
        let conf = format!(
            "{user} daemon off; worker_processes 1; pid {at}/pid; worker_rlimit_nofile 30000;\n\
             events {{ worker_connections 15000; multi_accept on; }}\n\
             http {{ access_log off; keepalive_requests 1000000000; keepalive_timeout 1h; sendfile on; tcp_nopush on;\n\
             open_file_cache max=10 inactive=1h; client_body_temp_path {at}/b; proxy_temp_path {at}/p;\n\
             fastcgi_temp_path {at}/f; uwsgi_temp_path {at}/u; scgi_temp_path {at}/s;\n\
             server {{ listen 127.0.0.1:{port} backlog=16384; listen 127.0.0.1:{tls_port} ssl backlog=16384;\n\
             ssl_certificate {at}/cert.pem; ssl_certificate_key {at}/key.pem; root {at};\n\
             location = / {{ default_type text/plain; return 200 \"hello, warwolf\"; }}\n\
             location /steps/ {{ default_type application/json; return 200 '{STEPS}'; }} location / {{ }} }} }}\n"
        );
        std::fs::write(folder.path().join("nginx.conf"), conf)?;
        let process = Process::start("taskset", |command| {
            command.args(["-c", SERVER_CORE, "nginx", "-p"]).arg(folder.path());
            command
                .arg("-c")
                .arg(folder.path().join("nginx.conf"))
                .arg("-e")
                .arg(folder.path().join("errors"));
        });
        let process = process.ready_at(([127, 0, 0, 1], port).into());
        Ok(Self { _process: process, folder, port, tls_port })
    }

    /// Returns the URL of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Returns the URL of a path with TLS.
    pub(crate) fn https(&self, path: &str) -> String {
        format!("https://127.0.0.1:{}{path}", self.tls_port)
    }

    /// Returns address and port.
    pub(crate) fn authority(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Returns the rc file of siege for persistent or closed connections.
    pub(crate) fn siege_rc(&self, keep_alive: bool) -> String {
        let name = if keep_alive { "keep-alive" } else { "close" };
        self.folder.path().join(name).display().to_string()
    }

    /// Returns the wrk script that sends 16 requests at once.
    pub(crate) fn pipelined_script(&self) -> String {
        self.folder.path().join("pipelined.lua").display().to_string()
    }
}

/// Settings that make siege only send requests.
const SIEGE_RC: &str = "protocol = HTTP/1.1\nparser = false\nverbose = false\nlogging = false\n";

/// wrk builds the whole burst once and counts each response.
const PIPELINED: &str = "init = function(args)
  local requests = {}
  for i = 1, 16 do requests[i] = wrk.format(nil, \"/\") end
  burst = table.concat(requests)
end
request = function() return burst end
";

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
}
