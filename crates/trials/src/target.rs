//! The built-in target in this process, whose log tells what really happened.

use warwolf_target::{Handle, Options};

/// Starts one on a free loopback port, with its log kept.
pub fn start(options: Options) -> Handle {
    let options = Options { keep_log: true, ..options };
    warwolf_target::start(options).unwrap_or_else(|error| panic!("the target does not start: {error}"))
}

/// The address of a path and query.
pub fn url(target: &Handle, path: &str) -> String {
    format!("http://{}{path}", target.addr())
}
