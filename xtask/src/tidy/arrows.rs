//! Compares the dependencies in the manifests with the table of crate dependencies in ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, Metadata};

use super::table;

/// Crates that the tests of any crate may use: the simulator and the test server.
const FOR_TESTS: [&str; 2] = ["sim", "target"];

/// A dependency between two crates of the workspace, names without the `warwolf-` prefix.
struct Arrow {
    from: String,
    to: String,
    in_tests: bool,
}

/// Returns one sentence for each dependency that the table does not allow, and for each missing or extra row.
pub(super) fn check(metadata: &Metadata, architecture: &str) -> Vec<String> {
    let packages: Vec<_> = metadata.workspace_packages();
    let ours: BTreeSet<&str> = packages.iter().map(|package| short(&package.name)).collect();
    let mut arrows = Vec::new();
    for package in &packages {
        for dependency in package.dependencies.iter().filter(|d| d.path.is_some()) {
            arrows.push(Arrow {
                from: short(&package.name).to_owned(),
                to: short(&dependency.name).to_owned(),
                in_tests: dependency.kind == DependencyKind::Development,
            });
        }
    }
    compare(&ours, &arrows, &parse(architecture))
}

/// Returns a package's name as the table spells it.
fn short(name: &str) -> &str {
    name.strip_prefix("warwolf-").unwrap_or(name)
}

/// Parses the table: for each crate, the crates it may depend on.
fn parse(architecture: &str) -> BTreeMap<&str, BTreeSet<&str>> {
    let rows = table(architecture, "crate");
    let known: BTreeSet<&str> = rows.iter().map(|row| row[0].trim_matches('`')).collect();
    rows.iter()
        .filter(|row| row.len() >= 2)
        .map(|row| (row[0].trim_matches('`'), allowed(row[1], &known)))
        .collect()
}

/// Reads one cell: `–`, a list of names, or `all but a, b`.
fn allowed<'a>(cell: &'a str, known: &BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    let names =
        |text: &'a str| text.split(',').map(|name| name.trim().trim_matches('`')).filter(|name| *name != "–");
    match cell.strip_prefix("all but ") {
        Some(rest) => known.iter().copied().filter(|name| !names(rest).any(|not| not == *name)).collect(),
        None => names(cell).collect(),
    }
}

/// Checks that every crate has a row, every row a crate, and that the rows allow all dependencies.
fn compare(ours: &BTreeSet<&str>, arrows: &[Arrow], table: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<String> {
    let mut breaches = Vec::new();
    for name in ours.iter().filter(|name| !table.contains_key(**name)) {
        breaches.push(format!("ARCHITECTURE.md: the table of crate dependencies has no row for `{name}`"));
    }
    for name in table.keys().filter(|name| !ours.contains(**name)) {
        breaches.push(format!(
            "ARCHITECTURE.md: the table of crate dependencies has a row for `{name}`, which is not in the workspace"
        ));
    }
    for Arrow { from, to, in_tests } in arrows {
        let in_table = table.get(from.as_str()).is_some_and(|row| row.contains(to.as_str()));
        let for_tests = *in_tests && FOR_TESTS.contains(&to.as_str());
        if !in_table && !for_tests {
            let section = if *in_tests { "[dev-dependencies]" } else { "[dependencies]" };
            breaches.push(format!(
                "{from}/Cargo.toml: {section} names `{to}`, which the table of crate dependencies does not allow"
            ));
        }
    }
    for (from, to) in table.iter().flat_map(|(from, row)| row.iter().map(move |to| (from, to))) {
        if ours.contains(from) && !arrows.iter().any(|arrow| arrow.from == *from && arrow.to == *to) {
            breaches.push(format!(
                "ARCHITECTURE.md: the table of crate dependencies allows `{from}` to name `{to}`, which it does not"
            ));
        }
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "| crate | may name | note |\n|---|---|---|\n| `clock` | – | |\n| `http` | `clock` | |\n\
                         | `sim` | `clock`, `http` | |\n| `cli` | all but `sim` | |\n";

    fn arrow(from: &str, to: &str, in_tests: bool) -> Arrow {
        Arrow { from: from.into(), to: to.into(), in_tests }
    }

    /// Breaches of these arrows, beside all that the table allows.
    fn breaches(arrows: &[Arrow]) -> Vec<String> {
        let used = ["http clock", "sim clock", "sim http", "cli clock", "cli http", "cli cli"];
        let used = used.map(|pair| pair.split_once(' ').unwrap()).map(|(from, to)| arrow(from, to, false));
        let arrows: Vec<Arrow> =
            arrows.iter().map(|a| arrow(&a.from, &a.to, a.in_tests)).chain(used).collect();
        compare(&["clock", "http", "sim", "cli"].into(), &arrows, &parse(TABLE))
    }

    #[test]
    fn a_listed_dependency_that_nothing_uses_is_an_error() {
        let table = "| crate | may name |\n|---|---|\n| `clock` | – |\n| `http` | `clock` |\n";
        assert_eq!(
            compare(&["clock", "http"].into(), &[], &parse(table)),
            [
                "ARCHITECTURE.md: the table of crate dependencies allows `http` to name `clock`, which it does not"
            ]
        );
    }

    #[test]
    fn listed_dependencies_are_allowed() {
        assert_eq!(breaches(&[arrow("http", "clock", false), arrow("cli", "http", false)]), [""; 0]);
    }

    #[test]
    fn an_unlisted_dependency_is_an_error() {
        let expected = [
            "http/Cargo.toml: [dependencies] names `cli`, which the table of crate dependencies does not allow",
        ];
        assert_eq!(breaches(&[arrow("http", "cli", false)]), expected);
    }

    #[test]
    fn the_simulator_is_for_tests_only() {
        assert_eq!(breaches(&[arrow("http", "sim", true)]), [""; 0]);
        assert_eq!(breaches(&[arrow("cli", "sim", false)]).len(), 1);
    }

    #[test]
    fn every_crate_has_a_row_and_every_row_a_crate() {
        let found = compare(
            &["clock", "new"].into(),
            &[],
            &parse("| crate | may name |\n|---|---|\n| `clock` | – |\n| `cli` | `clock` |\n"),
        );
        assert_eq!(
            found,
            [
                "ARCHITECTURE.md: the table of crate dependencies has no row for `new`",
                "ARCHITECTURE.md: the table of crate dependencies has a row for `cli`, which is not in the workspace",
            ]
        );
    }
}
