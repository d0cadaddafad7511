//! Checks the Rust sources line by line: lengths, unsafe code, unfinished marks, names.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Lines a source file may have; `tests.rs` and integration tests are exempt.
const LINES_MAX: usize = 800;

/// Crate roots that may hold unsafe code, because each is a boundary with the kernel or the allocator.
const MAY_BE_UNSAFE: [&str; 2] = ["crates/driver/src/lib.rs", "crates/sim/src/lib.rs"];

/// Words that say nothing about what a thing is.
const EMPTY_WORDS: [&str; 7] = ["manager", "handler", "util", "utils", "helper", "helpers", "inner"];

/// Marks of unfinished work, and the attribute that silences a lint without a reason. Spelt in two pieces so that
/// this file does not contain them.
const MARKS: [(&str, &str); 6] =
    [("TO", "DO"), ("FIX", "ME"), ("dbg", "!("), ("todo", "!("), ("unimplemented", "!("), ("#[all", "ow(")];

/// Breaches in every Rust source of the workspace at `root`, one sentence each.
pub(super) fn check(root: &Path) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for folder in ["crates", "xtask", "fuzz"] {
        all.extend(files(&root.join(folder))?);
    }
    let mut breaches = Vec::new();
    for file in all {
        let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        breaches.extend(check_file(&name, &text));
    }
    Ok(breaches)
}

/// All `.rs` files below `folder`, in order of their names.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    Ok(files)
}

/// The sources of all crates without their tests: names relative to the workspace, and the text before the first
/// `#[cfg(test)]`.
pub(super) fn product(root: &Path) -> Result<Vec<(String, String)>> {
    let mut all = Vec::new();
    for file in files(&root.join("crates"))? {
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        let is_test = name.ends_with("tests.rs") || name.contains("/tests/") || name.contains("/benches/");
        if is_test || !name.contains("/src/") {
            continue;
        }
        let text = std::fs::read_to_string(&file).with_context(|| name.clone())?;
        let end = text.find("\n#[cfg(test)]\nmod ").map_or(text.len(), |end| end + 1);
        all.push((name, text[..end].to_owned()));
    }
    Ok(all)
}

/// Adds all `.rs` files below `folder`, build output left out.
fn collect(folder: &Path, into: &mut Vec<PathBuf>) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            if !path.ends_with("target") || path.join("Cargo.toml").exists() {
                collect(&path, into)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
    Ok(())
}

/// The rules for one file, named relative to the workspace.
fn check_file(name: &str, text: &str) -> Vec<String> {
    let mut breaches = Vec::new();
    let is_test = name.ends_with("/tests.rs") || name.contains("/tests/") || name.contains("/benches/");
    let lines = text.lines().count();
    if lines > LINES_MAX && !is_test {
        breaches.push(format!("{name}: {lines} lines, at most {LINES_MAX}: a file is one idea"));
    }
    let is_crate_root = name.ends_with("/src/lib.rs") || name.ends_with("/src/main.rs");
    if is_crate_root && !MAY_BE_UNSAFE.contains(&name) && !text.contains("#![forbid(unsafe_code)]") {
        breaches.push(format!("{name}: no `#![forbid(unsafe_code)]`"));
    }
    if name.split(['/', '.']).any(|part| EMPTY_WORDS.contains(&part)) {
        breaches.push(format!("{name}: the file's name says nothing about what is in it"));
    }
    for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line)) {
        for (first, second) in MARKS {
            let mark = format!("{first}{second}");
            if line.contains(&mark) {
                breaches.push(format!("{name}:{number}: `{mark}`"));
            }
        }
        if let Some(item) = defined(line) {
            breaches.extend(check_name(item).map(|what| format!("{name}:{number}: `{item}`: {what}")));
        }
    }
    breaches
}

/// The name a line defines, if it defines a function, type, trait or module.
fn defined(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|word| {
        word.starts_with("pub")
            || matches!(*word, "const" | "async" | "unsafe" | "extern")
            || word.ends_with(')')
    });
    if !matches!(words.next()?, "fn" | "struct" | "enum" | "trait" | "mod" | "type") {
        return None;
    }
    let name = words.next()?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    Some(&name[..end])
}

/// What is wrong with a name, if anything.
fn check_name(name: &str) -> Option<&'static str> {
    if name.starts_with("get_") {
        return Some("no `get_`: name what it returns");
    }
    // `into_inner` is std's word for taking a wrapper off.
    let empty = name != "into_inner" && words(name).iter().any(|word| EMPTY_WORDS.contains(&word.as_str()));
    empty.then_some("say what it is or does")
}

/// The words of a `snake_case` or `CamelCase` name, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if c == '_' || c.is_uppercase() {
            words.push(String::new());
        }
        if c != '_' {
            words.last_mut().into_iter().for_each(|word| word.extend(c.to_lowercase()));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_file_has_no_breach() {
        let text = "//! What it is.\n#![forbid(unsafe_code)]\npub fn handle_of(x: u8) -> u8 { x }\n";
        assert_eq!(check_file("crates/a/src/lib.rs", text), [""; 0]);
    }

    #[test]
    fn a_crate_root_forbids_unsafe_code_unless_it_is_a_boundary() {
        assert_eq!(
            check_file("crates/a/src/lib.rs", ""),
            ["crates/a/src/lib.rs: no `#![forbid(unsafe_code)]`"]
        );
        assert_eq!(check_file("crates/driver/src/lib.rs", ""), [""; 0]);
        assert_eq!(check_file("crates/a/src/part.rs", ""), [""; 0]);
    }

    #[test]
    fn long_files_are_a_breach_unless_they_are_tests() {
        let long = "//\n".repeat(801);
        assert_eq!(
            check_file("crates/a/src/b.rs", &long),
            ["crates/a/src/b.rs: 801 lines, at most 800: a file is one idea"]
        );
        assert_eq!(check_file("crates/a/src/b/tests.rs", &long), [""; 0]);
    }

    #[test]
    fn unfinished_marks_are_named_with_their_line() {
        let mark = format!("{}{}", "TO", "DO");
        assert_eq!(
            check_file("crates/a/src/b.rs", &format!("\n// {mark}: later")),
            [format!("crates/a/src/b.rs:2: `{mark}`")]
        );
    }

    #[test]
    fn empty_names_are_a_breach_where_they_are_defined() {
        let text = "pub(crate) struct PoolManager;\nfn get_size() {}\nfn into_inner() {}\nlet inner = 1;\n";
        assert_eq!(
            check_file("crates/a/src/b.rs", text),
            [
                "crates/a/src/b.rs:1: `PoolManager`: say what it is or does",
                "crates/a/src/b.rs:2: `get_size`: no `get_`: name what it returns",
            ]
        );
        assert_eq!(check_file("crates/a/src/util.rs", "").len(), 1);
    }
}
