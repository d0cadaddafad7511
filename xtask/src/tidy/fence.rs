//! The fence: what only certain modules may do (read the clock, open files, start threads, print), as ARCHITECTURE.md's
//! table has it.
//!
//! A text search and not a lint, so that the table says in one place who may, and test code and macros are covered too.

use std::path::Path;

use anyhow::{Context, Result};

use super::{sources, table};

/// Crates outside the fence: they are programs for developers, or must share nothing with the program they judge.
const OUTSIDE: [&str; 3] = ["crates/target/", "crates/e2e/", "crates/bench/"];

/// A row of the table: words, and the files or folders below `crates/` they may stand in.
struct Row<'a> {
    words: Vec<&'a str>,
    places: Vec<&'a str>,
}

/// Breaches in the sources of the workspace at `root`, one sentence each.
pub(super) fn check(root: &Path, architecture: &str) -> Result<Vec<String>> {
    let rows = parse(architecture);
    let mut breaches = Vec::new();
    if rows.is_empty() {
        breaches.push("ARCHITECTURE.md: no table of fenced words".to_owned());
    }
    for file in sources::files(&root.join("crates"))? {
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        if OUTSIDE.iter().any(|outside| name.starts_with(outside)) || !name.contains("/src/") {
            continue;
        }
        let text = std::fs::read_to_string(&file).with_context(|| name.clone())?;
        breaches.extend(check_file(&name, &text, &rows));
    }
    Ok(breaches)
}

fn parse(architecture: &str) -> Vec<Row<'_>> {
    table(architecture, "fenced")
        .into_iter()
        .filter(|row| row.len() >= 2)
        .map(|row| Row { words: names(row[0]), places: names(row[1]) })
        .collect()
}

/// The names of one cell; a dash is none.
fn names(cell: &str) -> Vec<&str> {
    cell.split(", ").map(|name| name.trim().trim_matches('`')).filter(|name| *name != "–").collect()
}

fn check_file(name: &str, text: &str, rows: &[Row<'_>]) -> Vec<String> {
    // A module in `tests.rs` or under `cfg(test)` is a test of its crate, and may make files to read.
    if name.ends_with("tests.rs") || name.contains("/tests/") {
        return Vec::new();
    }
    let place = name.strip_prefix("crates/").unwrap_or(name);
    let mut breaches = Vec::new();
    let lines = text.lines().take_while(|line| line.trim() != "#[cfg(test)]").enumerate();
    for (index, line) in lines.filter(|(_, line)| !line.trim_start().starts_with("//")) {
        for row in rows {
            let Some(word) = row.words.iter().find(|word| line.contains(**word)) else { continue };
            if !row.places.iter().any(|allowed| place.starts_with(allowed)) {
                breaches.push(format!("{name}:{}: `{word}` is fenced, see ARCHITECTURE.md", index + 1));
            }
        }
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "| fenced | only in | why |\n|---|---|---|\n| `Instant::now`, `SystemTime::now` | `driver/` | |\n\
                         | `println!` | – | |\n";

    fn breaches(name: &str, text: &str) -> Vec<String> {
        check_file(name, text, &parse(TABLE))
    }

    #[test]
    fn a_fenced_word_may_stand_only_where_the_table_says() {
        let text = "let now = Instant::now();\n";
        assert_eq!(breaches("crates/driver/src/clock.rs", text), [""; 0]);
        assert_eq!(
            breaches("crates/engine/src/worker.rs", text),
            ["crates/engine/src/worker.rs:1: `Instant::now` is fenced, see ARCHITECTURE.md"]
        );
        assert_eq!(breaches("crates/driver/src/a.rs", "println!()").len(), 1);
    }

    #[test]
    fn comments_and_tests_are_free() {
        assert_eq!(breaches("crates/engine/src/a.rs", "/// not println!\n#[cfg(test)]\nprintln!()"), [""; 0]);
        assert_eq!(breaches("crates/engine/src/a/tests.rs", "println!()"), [""; 0]);
    }
}
