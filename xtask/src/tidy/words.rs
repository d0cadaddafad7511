//! Refuses words that the glossary replaces, and in the core the words of single front ends.
//!
//! This is the only list of them. A word counts wherever it stands as a whole: in prose, and as a part of a name such as
//! `give_witness` or `WitnessOf`.

use std::path::Path;

use anyhow::{Context, Result};

use super::sources;

/// A word, what to write instead, and whether it still stands somewhere and is therefore not refused yet.
type Replaced = (&'static str, &'static str, bool);

/// Words that are replaced everywhere in the product and its documents.
const REPLACED: [Replaced; 18] = [
    ("admission", "setup login, or what the rule does", false),
    ("bereft", "orphaned", false),
    ("bury", "reap", false),
    ("buried", "reaped", false),
    ("complaint", "usage error", false),
    ("complaints", "usage errors", false),
    ("glance", "snapshot", false),
    ("headline", "run banner, or answer", false),
    ("ledger", "accounting, counts", false),
    ("lull", "throttle", false),
    ("objective", "SLO", false),
    ("panel", "dashboard", false),
    ("promise", "SLO", false),
    ("promises", "SLOs", false),
    ("told", "output, or an active verb", false),
    ("trials", "end-to-end tests", false),
    ("whoever", "name who it is", false),
    ("witness", "observer", false),
];

/// Words of one front end that a plan, a session and the engine must not know.
const FRONT_ENDS: [Replaced; 9] = [
    ("admission", "a rule of the plan", false),
    ("classic", "what the plan asks for", false),
    ("http_load", "what the plan asks for", false),
    ("httperf", "what the plan asks for", false),
    ("one_cookie", "a cookie policy", false),
    ("siege", "what the plan asks for", false),
    ("staggered", "an order of the plan", false),
    ("torture", "a purpose its owner numbers", false),
    ("working_set", "a list of indices", false),
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
        for (word, instead, _) in list.iter().filter(|(_, _, is_open)| !is_open) {
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
        let list = [("witness", "observer", false), ("work_set", "a list", false), ("open", "closed", true)];
        let lines = ["// A witness.", "struct LateWitness;", "eyewitnesses", "let work_set = 1;", "open"];
        let found = refused("a.rs", &lines.join("\n"), &list);
        let expected = [
            "a.rs:1: `witness`: write observer",
            "a.rs:2: `witness`: write observer",
            "a.rs:4: `work_set`: write a list",
        ];
        assert_eq!(found, expected);
    }
}
