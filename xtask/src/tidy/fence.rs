//! Restricted APIs: reading the clock, opening files, starting threads and printing are allowed only in the modules that the
//! table of ARCHITECTURE.md lists.
//!
//! A text search instead of a lint, so that one table lists the exceptions, and macros are covered too.

use std::path::Path;

use anyhow::{Context, Result};

use super::{sources, table};

/// Exempt crates: programs for developers, and the target, which shares nothing with the program it tests.
const EXEMPT: [&str; 3] = ["crates/target/", "crates/e2e/", "crates/bench/"];

/// A row of the table: names, and the files or folders below `crates/` that may use them.
struct Row<'a> {
    names: Vec<&'a str>,
    files: Vec<&'a str>,
}

/// Returns one sentence for each use of a restricted API in the sources of the workspace at `root`.
pub(super) fn check(root: &Path, architecture: &str) -> Result<Vec<String>> {
    let rows = parse(architecture);
    let mut breaches = Vec::new();
    if rows.is_empty() {
        breaches.push("ARCHITECTURE.md: no table of restricted APIs".to_owned());
    }
    for file in sources::files(&root.join("crates"))? {
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        if EXEMPT.iter().any(|exempt| name.starts_with(exempt)) || !name.contains("/src/") {
            continue;
        }
        let text = std::fs::read_to_string(&file).with_context(|| name.clone())?;
        breaches.extend(check_file(&name, &text, &rows));
    }
    Ok(breaches)
}

fn parse(architecture: &str) -> Vec<Row<'_>> {
    table(architecture, "restricted")
        .into_iter()
        .filter(|row| row.len() >= 2)
        .map(|row| Row { names: names(row[0]), files: names(row[1]) })
        .collect()
}

/// Returns the names in one cell; `–` means an empty list.
fn names(cell: &str) -> Vec<&str> {
    cell.split(", ").map(|name| name.trim().trim_matches('`')).filter(|name| *name != "–").collect()
}

fn check_file(name: &str, text: &str, rows: &[Row<'_>]) -> Vec<String> {
    // Test modules (`tests.rs`, `cfg(test)`) may create the files they read.
    if name.ends_with("tests.rs") || name.contains("/tests/") {
        return Vec::new();
    }
    let path = name.strip_prefix("crates/").unwrap_or(name);
    let mut breaches = Vec::new();
    let lines = text.lines().take_while(|line| line.trim() != "#[cfg(test)]").enumerate();
    for (index, line) in lines.filter(|(_, line)| !line.trim_start().starts_with("//")) {
        for row in rows {
            let Some(used) = row.names.iter().find(|name| line.contains(**name)) else { continue };
            if !row.files.iter().any(|allowed| path.starts_with(allowed)) {
                breaches.push(format!("{name}:{}: `{used}` is restricted, see ARCHITECTURE.md", index + 1));
            }
        }
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "| restricted | only in | why |\n|---|---|---|\n| `Instant::now`, `SystemTime::now` | `driver/` | |\n\
                         | `println!` | – | |\n";

    fn breaches(name: &str, text: &str) -> Vec<String> {
        check_file(name, text, &parse(TABLE))
    }

    #[test]
    fn a_restricted_name_is_allowed_only_in_the_listed_files() {
        let text = "let now = Instant::now();\n";
        assert_eq!(breaches("crates/driver/src/clock.rs", text), [""; 0]);
        assert_eq!(
            breaches("crates/engine/src/worker.rs", text),
            ["crates/engine/src/worker.rs:1: `Instant::now` is restricted, see ARCHITECTURE.md"]
        );
        assert_eq!(breaches("crates/driver/src/a.rs", "println!()").len(), 1);
    }

    #[test]
    fn comments_and_tests_are_exempt() {
        assert_eq!(breaches("crates/engine/src/a.rs", "/// not println!\n#[cfg(test)]\nprintln!()"), [""; 0]);
        assert_eq!(breaches("crates/engine/src/a/tests.rs", "println!()"), [""; 0]);
    }
}
