//! Real servers, each with a small configuration of its own in a temporary folder, on a free loopback port.

mod apache;
mod ftp;
mod nginx;
mod small;

use std::path::Path;

pub use apache::Apache;
pub use ftp::Ftp;
pub use nginx::{Hit, Nginx};
pub use small::{Node, OpenSsl, Python};
use tempfile::TempDir;

/// Bytes of the reply most tests ask for.
pub const SMALL: u64 = 100;
/// Bytes of the reply that does not fit any buffer of one read.
pub const PAGE: u64 = 75_000;
/// Bytes of the reply that does not fit the memory a careful program would use.
pub const HUGE: u64 = 100_000_000;

/// A folder with the files every server of these tests serves: `small`, `page`, `huge`, and an empty one.
/// Readable by everyone, because servers started by root serve as somebody else.
fn folder() -> TempDir {
    let folder = tempfile::Builder::new().prefix("warwolf-trial-").tempdir().expect("a temporary folder");
    open_to_all(folder.path());
    let www = folder.path().join("www");
    std::fs::create_dir(&www).expect("a folder in a new folder");
    for (name, bytes) in [("small", SMALL), ("page", PAGE), ("huge", HUGE), ("empty", 0)] {
        // A file with a hole: no disk is used, and zeros are as good as anything.
        let file = std::fs::File::create(www.join(name)).expect("a file in a new folder");
        file.set_len(bytes).expect("the length of a new file");
    }
    folder
}

fn open_to_all(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).expect("rights on our own folder");
}

/// Whether this process is root, in which case nginx and Apache must be told whom to become.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
