//! Apache: an origin, and a forward proxy for `http:` and `CONNECT`.

use tempfile::TempDir;

use super::{folder, is_root};
use crate::process::{Process, free_port};

/// A running Apache httpd.
#[derive(Debug)]
pub struct Apache {
    _process: Process,
    _folder: TempDir,
    port: u16,
    log: std::path::PathBuf,
}

impl Apache {
    /// Serves the trial files; `extra` goes to the end of the configuration.
    pub fn start(extra: &str) -> Self {
        let folder = folder();
        let port = free_port();
        let path = folder.path().display();
        let user = if is_root() { "User www-data\nGroup www-data" } else { "" };
        let conf = format!(
            "ServerRoot {path}\nServerName localhost\nPidFile {path}/pid\nErrorLog {path}/error.log\n{user}\n\
             Mutex file:{path}\nListen 127.0.0.1:{port}\nDocumentRoot {path}/www\n\
             LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so\n\
             LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so\n\
             LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so\n\
             LoadModule proxy_http_module /usr/lib/apache2/modules/mod_proxy_http.so\n\
             LoadModule proxy_connect_module /usr/lib/apache2/modules/mod_proxy_connect.so\n\
             LogFormat \"%r %>s %B\" trial\nCustomLog {path}/access.log trial\n\
             StartServers 1\nServerLimit 2\nThreadsPerChild 64\nMaxRequestWorkers 128\n\
             KeepAlive On\nMaxKeepAliveRequests 0\n<Directory {path}/www>\nRequire all granted\n</Directory>\n{extra}\n"
        );
        let file = folder.path().join("apache.conf");
        std::fs::write(&file, conf).expect("a file in a new folder");
        let process = Process::start("apache2", |command| {
            command.arg("-f").arg(&file).arg("-DFOREGROUND");
        });
        let process = process.ready_at(([127, 0, 0, 1], port).into());
        let log = folder.path().join("access.log");
        Self { _process: process, _folder: folder, port, log }
    }

    /// A forward proxy that may open tunnels to `port`.
    pub fn start_proxy(port: u16) -> Self {
        Self::start(&format!("ProxyRequests On\nProxyVia Off\nAllowCONNECT {port}\n"))
    }

    /// The address of a path, or of the proxy.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Requests served so far: request line, status, body bytes.
    pub fn log(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}
