//! Builds the release and the measuring program, and has the one measured by the other.

use std::path::Path;

use anyhow::{Context, Result};

use crate::{cargo, demo};

/// Runs the measurements with these further words; true when every target is met. Without `--quick` and `--only` the
/// figures are kept in `bench/`, named for the day.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<bool> {
    let warwolf = demo::build(root, "release")?;
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "--package", "warwolf-bench", "--"]).current_dir(root);
    command.arg("--warwolf").arg(warwolf).args(words);
    let is_whole = words.is_empty();
    if is_whole {
        let today = std::process::Command::new("date").arg("+%F").output().context("cannot run `date`")?;
        let name = format!("{}.json", String::from_utf8_lossy(&today.stdout).trim());
        command.arg("--json").arg(root.join("bench").join(name));
    }
    Ok(command.status().context("cannot run cargo")?.success())
}
