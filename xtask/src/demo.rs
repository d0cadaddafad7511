//! The README's first command: a quickly built program loads the built-in target for ten seconds and prints the report.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::cargo;

/// A child process that ends, at the latest, with this value.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to kill and nothing to say.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Builds `warwolf` in this profile, other than `dev`, and returns its path.
pub(crate) fn build(root: &Path, profile: &str) -> Result<PathBuf> {
    let arguments = format!("build --profile {profile} --package warwolf-cli --bin warwolf");
    let status = cargo().args(arguments.split(' ')).current_dir(root).status().context("cannot run cargo")?;
    if !status.success() {
        bail!("`cargo {arguments}` failed");
    }
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
    Ok(metadata.target_directory.join(profile).join("warwolf").into_std_path_buf())
}

/// Builds, starts the target on a free port, runs ten seconds of closed loop against it, stops it.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let warwolf = build(root, "demo")?;
    let mut target = Command::new(&warwolf);
    target.args(["target", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped());
    let mut target = Ended(target.spawn().context("cannot start the target")?);
    let output = target.0.stdout.take().context("the target has no output")?;
    let Some(url) = first_url(BufReader::new(output)) else {
        bail!("the target did not say where it listens")
    };
    eprintln!("$ warwolf run --duration 10s {url}");
    let status = Command::new(&warwolf).args(["run", "--duration", "10s", &url]).status()?;
    Ok(status.success())
}

/// The first `http://` address in what the target prints.
fn first_url(output: impl BufRead) -> Option<String> {
    output.lines().map_while(Result::ok).find_map(|line| {
        let start = line.find("http://")?;
        let url = line[start..].split_whitespace().next()?;
        Some(url.trim_end_matches(['`', ',', '.', ';']).to_owned())
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_address_is_found_among_other_words() {
        let said = b"target: ready\nlistening on http://127.0.0.1:8080/, ctrl-c stops it\n";
        assert_eq!(super::first_url(&said[..]).as_deref(), Some("http://127.0.0.1:8080/"));
    }
}
