//! Refuses words that the glossary replaces, and in the core the words of single front ends.
//!
//! This is the only list of them. A word counts wherever it stands as a whole: in prose, and as a part of a name such as
//! `give_witness` or `WitnessOf`.

use std::path::Path;

use anyhow::{Context, Result};

use super::sources;

/// A word, and what to write instead.
type Replaced = (&'static str, &'static str);

/// Words that are replaced everywhere in the product and its documents.
const REPLACED: [Replaced; 18] = [
    ("admission", "setup login, or what the rule does"),
    ("bereft", "orphaned"),
    ("bury", "reap"),
    ("buried", "reaped"),
    ("complaint", "usage error"),
    ("complaints", "usage errors"),
    ("glance", "snapshot"),
    ("headline", "run banner, or answer"),
    ("ledger", "accounting, counts"),
    ("lull", "throttle"),
    ("objective", "SLO"),
    ("panel", "dashboard"),
    ("promise", "SLO"),
    ("promises", "SLOs"),
    ("told", "output, or an active verb"),
    ("trials", "end-to-end tests"),
    ("whoever", "name who it is"),
    ("witness", "observer"),
];

/// Words of one front end that a plan, a session and the engine must not know.
const FRONT_ENDS: [Replaced; 13] = [
    ("admission", "a rule of the plan"),
    ("checksum", "a hash that an observer asks for"),
    ("classic", "what the plan asks for"),
    ("data_place", "a hole, or a drawn body"),
    ("fetch_together", "the concurrency of resources"),
    ("http_load", "what the plan asks for"),
    ("httperf", "what the plan asks for"),
    ("one_cookie", "a cookie policy"),
    ("resume_own", "a scope of resumption"),
    ("siege", "what the plan asks for"),
    ("staggered", "an order of the plan"),
    ("torture", "a purpose its owner numbers"),
    ("working_set", "a list of indices"),
];

/// The crates that know no front end.
const CORE: [&str; 3] = ["crates/plan/", "crates/workload/", "crates/engine/"];

/// Crates that are no part of the product.
const OUTSIDE: [&str; 5] =
    ["crates/e2e/", "crates/sim/", "crates/bench/", "crates/fuzz/", "crates/cli/src/classics/siege_tools.rs"];

/// Breaches in the product's sources and documents at `root`, one sentence each.
pub(super) fn check(root: &Path) -> Result<Vec<String>> {
    let mut texts = sources::product(root)?;
    for entry in std::fs::read_dir(root.join("docs")).context("docs")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            texts.push((name, std::fs::read_to_string(&path)?));
        }
    }
    texts.push((
        "README.md".to_owned(),
        std::fs::read_to_string(root.join("README.md")).context("README.md")?,
    ));
    let mut breaches = Vec::new();
    for (name, text) in &texts {
        if OUTSIDE.iter().any(|outside| name.starts_with(outside)) {
            continue;
        }
        breaches.extend(refused(name, text, &REPLACED));
        if CORE.iter().any(|core| name.starts_with(core)) {
            breaches.extend(refused(name, text, &FRONT_ENDS));
        }
    }
    Ok(breaches)
}

/// Breaches in one text.
fn refused(name: &str, text: &str, list: &[Replaced]) -> Vec<String> {
    let mut breaches = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let words = format!("_{}_", words(line));
        for (word, instead) in list {
            if words.contains(&format!("_{word}_")) {
                breaches.push(format!("{name}:{}: `{word}`: write {instead}", index + 1));
            }
        }
    }
    breaches
}

/// The words of a line in lower case, joined by underscores: `aWitness of_it` is `a_witness_of_it`.
fn words(line: &str) -> String {
    let mut words = String::new();
    let mut before_is_small = false;
    for letter in line.chars() {
        let is_letter = letter.is_ascii_alphanumeric();
        if (letter.is_ascii_uppercase() && before_is_small) || (!is_letter && !words.ends_with('_')) {
            words.push('_');
        }
        if is_letter {
            words.push(letter.to_ascii_lowercase());
        }
        before_is_small = letter.is_ascii_lowercase() || letter.is_ascii_digit();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::refused;

    #[test]
    fn a_word_is_refused_in_prose_and_in_names_and_not_inside_another() {
        let list = [("witness", "observer"), ("work_set", "a list")];
        let lines = ["// A witness.", "struct LateWitness;", "eyewitnesses", "let work_set = 1;"];
        let found = refused("a.rs", &lines.join("\n"), &list);
        let expected = [
            "a.rs:1: `witness`: write observer",
            "a.rs:2: `witness`: write observer",
            "a.rs:4: `work_set`: write a list",
        ];
        assert_eq!(found, expected);
    }
}
