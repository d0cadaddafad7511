//! The house rules as checks: what ARCHITECTURE.md says must be so, and what CONTRIBUTING.md asks of the sources.
//!
//! Not a linter for what clippy and rustc already know. `cargo xtask ci` calls it; so may anyone, it takes a second.

mod arrows;
mod circles;
mod documents;
mod fence;
mod functions;
mod places;
mod sources;
mod words;

use std::path::Path;

use anyhow::{Context, Result};
use cargo_metadata::MetadataCommand;

/// Checks the workspace at `root`, prints every breach on stderr; true when there is none.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let metadata = MetadataCommand::new().current_dir(root).no_deps().exec()?;
    let architecture = std::fs::read_to_string(root.join("ARCHITECTURE.md")).context("ARCHITECTURE.md")?;
    let mut breaches = arrows::check(&metadata, &architecture);
    breaches.extend(documents::check(root, &metadata, &architecture));
    breaches.extend(sources::check(root)?);
    breaches.extend(fence::check(root, &architecture)?);
    breaches.extend(places::check(root)?);
    breaches.extend(functions::check(root)?);
    breaches.extend(circles::check(root)?);
    breaches.extend(words::check(root)?);
    for breach in &breaches {
        eprintln!("tidy: {breach}");
    }
    Ok(breaches.is_empty())
}

/// The rows of the first Markdown table in `text` whose first header cell is `header`, without header and rule.
fn table<'a>(text: &'a str, header: &str) -> Vec<Vec<&'a str>> {
    let cells =
        |line: &'a str| -> Vec<&'a str> { line.trim().trim_matches('|').split('|').map(str::trim).collect() };
    text.lines()
        .skip_while(|line| !line.starts_with('|') || cells(line).first() != Some(&header))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(cells)
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_table_is_found_by_its_first_header_and_ends_at_the_first_other_line() {
        let text = "| a | b |\n|---|---|\n| 1 | 2 |\n\n| crate | may name |\n|---|---|\n| x | y, z |\n| w | – |\nend\n";
        assert_eq!(super::table(text, "crate"), [["x", "y, z"], ["w", "–"]]);
        assert!(super::table(text, "missing").is_empty());
    }
}
