//! Checks that the documents keep up: every dependency has its reason, the changelog has a place for the next change.

use std::collections::BTreeSet;
use std::path::Path;

use cargo_metadata::Metadata;

use super::table;

/// Breaches in ARCHITECTURE.md's dependency table and in CHANGELOG.md, one sentence each.
pub(super) fn check(root: &Path, metadata: &Metadata, architecture: &str) -> Vec<String> {
    let used: BTreeSet<String> = metadata
        .workspace_packages()
        .iter()
        .flat_map(|package| &package.dependencies)
        .filter(|dependency| dependency.path.is_none())
        .map(|dependency| dependency.name.to_string())
        .collect();
    let mut breaches = dependencies(&used, architecture);
    let changelog = std::fs::read_to_string(root.join("CHANGELOG.md")).unwrap_or_default();
    if !changelog.lines().any(|line| line.starts_with("## ") && line.contains("Unreleased")) {
        breaches.push("CHANGELOG.md: no `## Unreleased` section".into());
    }
    breaches.extend(metadata.workspace_packages().iter().flat_map(|package| {
        let manifest = std::fs::read_to_string(&package.manifest_path).unwrap_or_default();
        own_versions(&package.name, &manifest)
    }));
    breaches
}

/// Dependencies that a crate's manifest gives a version of its own: all versions stand in the root manifest.
fn own_versions(package: &str, manifest: &str) -> Vec<String> {
    let mut breaches = Vec::new();
    let mut in_dependencies = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = line.contains("dependencies");
        } else if in_dependencies && line.contains('=') && !line.contains("workspace = true") {
            let name = line.split([' ', '=', '.']).next().unwrap_or(line);
            breaches.push(format!(
                "{package}: `{name}` has a version or path of its own; use `{name}.workspace = true`"
            ));
        }
    }
    breaches
}

/// Every dependency has a row with a reason, every row a dependency.
fn dependencies(used: &BTreeSet<String>, architecture: &str) -> Vec<String> {
    let rows = table(architecture, "dependency");
    let listed: BTreeSet<&str> = rows
        .iter()
        .filter(|row| row.len() >= 2 && !row[1].is_empty())
        .map(|row| row[0].trim_matches('`'))
        .collect();
    let unlisted = used
        .iter()
        .filter(|name| !listed.contains(name.as_str()))
        .map(|name| format!("ARCHITECTURE.md: the dependency table gives no reason for `{name}`"));
    let unused = listed
        .iter()
        .filter(|name| !used.contains(**name))
        .map(|name| format!("ARCHITECTURE.md: the dependency table lists `{name}`, which nothing uses"));
    unlisted.chain(unused).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn versions_stand_in_the_root_manifest() {
        let manifest = "[package]\nname = \"a\"\n[dependencies]\nurl.workspace = true\nserde = { workspace = true }\n\
                        time = \"0.3\"\n";
        assert_eq!(
            super::own_versions("a", manifest),
            ["a: `time` has a version or path of its own; use `time.workspace = true`"]
        );
    }

    #[test]
    fn a_dependency_needs_a_reason_and_a_reason_needs_a_dependency() {
        let text = "| dependency | reason |\n|---|---|\n| `serde` | plans as text |\n| `old` | was needed |\n| `bare` | |\n";
        let used = ["serde".to_owned(), "bare".to_owned()].into();
        assert_eq!(
            super::dependencies(&used, text),
            [
                "ARCHITECTURE.md: the dependency table gives no reason for `bare`",
                "ARCHITECTURE.md: the dependency table lists `old`, which nothing uses",
            ]
        );
    }
}
