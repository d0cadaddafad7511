//! Runs every fuzz target for a while, on the stable compiler: libFuzzer needs only the coverage pass, which
//! `cargo fuzz` would switch on in the same way.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::cargo;

/// What makes the compiler count which edges a run takes.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
                        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
                        -Cllvm-args=-sanitizer-coverage-pc-table --cfg fuzzing";

/// Runs each target for `seconds`, or those whose name contains `only`; true when none found anything.
pub(crate) fn run(root: &Path, seconds: u32, only: Option<&str>) -> Result<bool> {
    let folder = root.join("fuzz");
    // Naming the target keeps the flags from build scripts, which would not link with them.
    let host = host()?;
    let words = ["build", "--quiet", "--release", "--bins", "--target", &host];
    let built = cargo().args(words).current_dir(&folder).env("RUSTFLAGS", COVERAGE).status();
    if !built.context("cannot run cargo")?.success() {
        bail!("the fuzz targets do not build");
    }
    let mut passed = true;
    for target in targets(&folder)?.iter().filter(|name| only.is_none_or(|only| name.contains(only))) {
        eprintln!("==> fuzz {target}, {seconds} s");
        let corpus = folder.join("corpus").join(target);
        let artifacts = folder.join("artifacts").join(target);
        std::fs::create_dir_all(&corpus)?;
        std::fs::create_dir_all(&artifacts)?;
        let mut command =
            std::process::Command::new(folder.join("target").join(&host).join("release").join(target));
        command.arg(&corpus).arg(root.join("crates/fuzz/seeds").join(target));
        command.args([
            format!("-max_total_time={seconds}"),
            format!("-artifact_prefix={}/", artifacts.display()),
        ]);
        command.args([
            "-max_len=4096",
            "-timeout=10",
            "-rss_limit_mb=2048",
            "-verbosity=0",
            "-print_final_stats=0",
        ]);
        // The fuzzer talks a lot while nothing is wrong; what it said matters when something was.
        let output = command.output().with_context(|| target.clone())?;
        if !output.status.success() {
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
            eprintln!("fuzz: {target}: failed; the input is in fuzz/artifacts/{target}");
            passed = false;
        }
    }
    Ok(passed)
}

/// The targets: one file each.
fn targets(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder.join("targets")).context("fuzz/targets")? {
        names.extend(entry?.path().file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

/// The triple of this machine, as the compiler has it.
fn host() -> Result<String> {
    let output = std::process::Command::new("rustc").arg("-vV").output().context("cannot run `rustc`")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("`rustc -vV` names no host")?.to_owned())
}
