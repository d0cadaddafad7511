//! pyftpdlib, an FTP server in Python.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::folder;
use crate::process::{Process, free_port};

/// `user`, whose password is `pass`, may do everything, anybody may read. Wrong passwords are refused without a pause.
const PYFTPDLIB: &str = "
import sys
from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler
from pyftpdlib.servers import FTPServer
folder, port = sys.argv[1], int(sys.argv[2])
FTPHandler.authorizer = DummyAuthorizer()
FTPHandler.authorizer.add_user('user', 'pass', folder, perm='elradfmwMT')
FTPHandler.authorizer.add_anonymous(folder)
FTPHandler.auth_failed_timeout = 0
FTPServer((sys.argv[3], port), FTPHandler).serve_forever()
";

/// pyftpdlib over a folder of its own with the trial files.
#[derive(Debug)]
pub struct Ftp {
    _process: Process,
    folder: TempDir,
    port: u16,
}

impl Ftp {
    /// Serves at this address of the loopback interface, `127.0.0.1` or `::1`.
    pub fn start(host: &str) -> Self {
        let folder = folder();
        let port = free_port();
        // Debian's Python: its packages are not seen by others.
        let process = Process::start("/usr/bin/python3", |command| {
            command.args(["-c", PYFTPDLIB]).arg(folder.path().join("www")).args([&port.to_string(), host]);
        });
        let address = host.parse().expect("an address");
        Self { _process: process.ready_at(std::net::SocketAddr::new(address, port)), folder, port }
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The folder that everybody sees.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("www")
    }

    /// The names in that folder that were not there at the beginning, in order, with their content.
    pub fn stored(&self) -> Vec<(String, Vec<u8>)> {
        let own = ["small", "page", "huge", "empty"];
        let entries = std::fs::read_dir(self.root()).expect("the folder that is served");
        let paths = entries.map(|entry| entry.expect("a file in it").path()).filter(|path| path.is_file());
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut stored: Vec<_> = paths
            .map(|path| (name(&path), path))
            .filter(|(name, _)| !own.contains(&name.as_str()))
            .map(|(name, path)| (name, std::fs::read(path).expect("a file that is served")))
            .collect();
        stored.sort();
        stored
    }

    /// Forgets what was stored.
    pub fn clear(&self) {
        for (name, _) in self.stored() {
            std::fs::remove_file(self.root().join(name)).expect("a file that was stored");
        }
    }
}
