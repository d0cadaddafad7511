//! Documents the program writes about itself: the option reference, manual pages, completions, and the README's tour.
//!
//! `docs` writes them, `docs --check` compares what is there with what the program would write now.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cargo;

/// Shells a completion script is kept for.
const SHELLS: [(&str, &str); 3] = [("bash", "warwolf.bash"), ("zsh", "_warwolf"), ("fish", "warwolf.fish")];

/// What begins a line of the README that a reader is meant to type.
const PROMPT: &str = "$ warwolf ";

/// Writes or compares the documents of the workspace at `root`, with what `program` prints; true when nothing is out of
/// date.
pub(crate) fn run(root: &Path, program: &Path, check: bool) -> Result<bool> {
    let expected = documents(program)?;
    if !check {
        for (name, text) in &expected {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap_or(root))?;
            std::fs::write(&path, text).with_context(|| path.display().to_string())?;
        }
        return Ok(true);
    }
    let mut breaches = Vec::new();
    for (name, text) in &expected {
        if std::fs::read_to_string(root.join(name)).unwrap_or_default() != *text {
            breaches.push(format!("{name}: out of date: run `cargo xtask docs`"));
        }
    }
    let readme = std::fs::read_to_string(root.join("README.md")).context("README.md")?;
    for words in commands(&readme) {
        if !is_understood(program, &words)? {
            breaches.push(format!("README.md: `warwolf {}` is refused", words.join(" ")));
        }
    }
    for breach in &breaches {
        eprintln!("docs: {breach}");
    }
    Ok(breaches.is_empty())
}

/// Builds the program as the tests have it and returns its path.
pub(crate) fn build(root: &Path) -> Result<PathBuf> {
    let words = "build --quiet --workspace --bin warwolf";
    if !cargo().args(words.split(' ')).current_dir(root).status()?.success() {
        bail!("`cargo {words}` failed");
    }
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
    Ok(metadata.target_directory.join("debug/warwolf").into_std_path_buf())
}

/// What the program says to these words on its standard output.
fn said(program: &Path, words: &[&str]) -> Result<String> {
    let output = Command::new(program).args(words).env("COLUMNS", "120").env("NO_COLOR", "1").output()?;
    if !output.status.success() {
        bail!("`warwolf {}` failed: {}", words.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Every generated document by its path.
fn documents(program: &Path) -> Result<BTreeMap<String, String>> {
    let mut documents = BTreeMap::new();
    let page = said(program, &["man"])?;
    let names = subcommands(&page);
    documents.insert("docs/man/warwolf.1".to_owned(), page);
    let mut options = String::from(
        "# Options\n\nWritten by `cargo xtask docs` from the program's own help; do not edit.\n\n## warwolf\n",
    );
    add_help(&mut options, &said(program, &["--help"])?);
    for name in &names {
        documents.insert(format!("docs/man/warwolf-{name}.1"), said(program, &["man", name])?);
        let _ = write!(options, "\n## warwolf {name}\n");
        add_help(&mut options, &said(program, &[name, "--help"])?);
    }
    documents.insert("docs/options.md".to_owned(), options);
    for (shell, file) in SHELLS {
        documents.insert(format!("docs/completions/{file}"), said(program, &["completions", shell])?);
    }
    Ok(documents)
}

/// Adds a help text as a block, without the spaces at the ends of its lines.
fn add_help(page: &mut String, help: &str) {
    let lines: Vec<&str> = help.trim().lines().map(str::trim_end).collect();
    let _ = write!(page, "\n```text\n{}\n```\n", lines.join("\n"));
}

/// The commands a manual page in roff refers to as pages of their own.
fn subcommands(page: &str) -> Vec<String> {
    let names = page.lines().filter_map(|line| line.strip_prefix("warwolf\\-")?.strip_suffix("(1)"));
    names.filter(|name| *name != "help").map(|name| name.replace("\\-", "-")).collect()
}

/// The words of every command the README shows after a prompt, comments and redirections left out.
fn commands(readme: &str) -> Vec<Vec<String>> {
    readme.lines().filter_map(|line| line.trim_start().strip_prefix(PROMPT)).map(split).collect()
}

/// Splits a line at spaces, single quotes kept together.
fn split(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            _ => words.last_mut().into_iter().for_each(|word| word.push(c)),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether the program understands a shown command. Loads are only explained, everything else is only asked for help.
fn is_understood(program: &Path, words: &[String]) -> Result<bool> {
    let words: Vec<&str> =
        words.iter().map(String::as_str).take_while(|word| !matches!(*word, "#" | "|" | ">")).collect();
    let asked: Vec<&str> = match words[..] {
        // What belongs to the output is no part of a plan.
        ["run", ref load @ ..] => std::iter::once("explain").chain(without_output(load)).collect(),
        ["explain", ..] => words,
        [command, ..] => vec![command, "--help"],
        [] => return Ok(true),
    };
    Ok(Command::new(program).args(asked).output()?.status.success())
}

/// A load's words without the options that say where the result goes.
fn without_output<'a>(words: &'a [&'a str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "-o" | "--output" | "--format" => drop(rest.next()),
            "--strict" | "--quiet" | "--no-tui" => {}
            word => kept.push(word),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_after_the_prompt_with_their_quotes() {
        let readme = "text\n    $ warwolf run --slo 'p99 < 20ms' http://a/\n    $ curl http://a/\n";
        assert_eq!(commands(readme), [["run", "--slo", "p99 < 20ms", "http://a/"]]);
    }

    #[test]
    fn pages_of_commands_are_found_in_roff() {
        let page = ".SH SUBCOMMANDS\n.TP\nwarwolf\\-run(1)\nLoad a server\n.TP\nwarwolf\\-help(1)\nPrint\n";
        assert_eq!(subcommands(page), ["run"]);
    }

    #[test]
    fn where_the_result_goes_is_no_part_of_a_plan() {
        assert_eq!(
            without_output(&["-o", "a.json", "-c", "5", "--quiet", "http://a/"]),
            ["-c", "5", "http://a/"]
        );
    }
}
