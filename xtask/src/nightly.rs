//! What `ci` leaves out because it takes long and a change seldom breaks it: tests with thousands of draws and long
//! fuzzing.

use std::path::Path;

use anyhow::Result;

use crate::fuzz;
use crate::suite::{self, Sum};

/// Runs every test marked `ignored` and fuzzes each target for `seconds`; true when nothing failed. The last line printed
/// is the sum of the tests, `N passed, N failed`.
pub(crate) fn run(root: &Path, seconds: u32) -> Result<bool> {
    let Some(binaries) = suite::build(root)? else { return Ok(false) };
    let mut sum = Sum::default();
    eprintln!("==> ignored tests");
    let units = binaries.run_units(&mut sum, &["--ignored"])?;
    let e2e = binaries.run_e2e(&mut sum, &["--ignored", "--test-threads", "1"])?;
    eprintln!("==> fuzz");
    let fuzzed = fuzz::run(root, seconds, None)?;
    println!("{} passed, {} failed", sum.passed, sum.failed);
    Ok(units && e2e && fuzzed)
}
