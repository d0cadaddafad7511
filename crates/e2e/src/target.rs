//! The built-in target in this process, whose log tells what really happened.

use warwolf_target::{Handle, Options};

/// Starts one on a free loopback port, with its log kept.
pub fn start(options: Options) -> Handle {
    let options = Options { keep_log: true, ..options };
    warwolf_target::start(options).unwrap_or_else(|error| panic!("the target does not start: {error}"))
}

/// Starts one that takes so long for each reply, in the words of `--delay`.
pub fn delayed(delay: &str) -> Handle {
    start(Options { delay: delay.parse().expect("a delay"), ..Options::default() })
}

/// The address of a path and query.
pub fn url(target: &Handle, path: &str) -> String {
    format!("http://{}{path}", target.addr())
}
