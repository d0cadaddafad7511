//! The program against real servers: starts both, reads what the program says, ends both.
//!
//! For tests only. It sees the program as a user does: words in, text and an exit code out. Everything here panics
//! with a sentence when it cannot do what it is for, because every caller is a test.
#![forbid(unsafe_code)]

pub mod certificate;
pub mod chance;
pub mod peer;
pub mod process;
pub mod quiet;
pub mod server;
pub mod target;
pub mod told;
pub mod warwolf;

pub use told::Told;
pub use warwolf::Warwolf;

/// The name of a file in `folder`, as a word of a command line.
pub fn path(folder: &std::path::Path, name: &str) -> String {
    folder.join(name).to_str().expect("a path without odd bytes").to_owned()
}
