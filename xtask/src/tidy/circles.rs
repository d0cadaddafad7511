//! Refuses import circles between the modules of a crate: two modules that import each other are one module.
//!
//! A module here is a file or folder directly below `src`; what is inside a folder may look at its parent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;

use super::sources;

/// Crates that are large enough for circles to matter.
const CHECKED: [&str; 4] = ["args", "cli", "compat", "engine"];

/// Which modules each module imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Breaches in the sources of the workspace at `root`, one sentence for each pair of modules.
pub(super) fn check(root: &Path) -> Result<Vec<String>> {
    let all = sources::product(root)?;
    let mut breaches = Vec::new();
    for name in CHECKED {
        let prefix = format!("crates/{name}/src/");
        let files: Vec<_> = all
            .iter()
            .filter_map(|(path, text)| Some((path.strip_prefix(&prefix)?, text.as_str())))
            .collect();
        for circle in circles(&imports(&files)) {
            breaches.push(format!("{prefix}: an import circle: {circle}"));
        }
    }
    Ok(breaches)
}

/// What the modules of one crate import, its files given by their paths below `src`.
fn imports(files: &[(&str, &str)]) -> Imports {
    let module = |path: &str| path.split(['/', '.']).next().unwrap_or(path).to_owned();
    let modules: BTreeSet<String> = files.iter().map(|(path, _)| module(path)).collect();
    let root = files.iter().find(|(path, _)| *path == "lib.rs").map_or("", |(_, text)| text);
    let exported = exports(root, &modules);
    let mut imports = Imports::new();
    for (path, text) in files.iter().filter(|(path, _)| !matches!(*path, "lib.rs" | "main.rs")) {
        let from = module(path);
        let to = imports.entry(from.clone()).or_default();
        for name in names(text, "crate::") {
            let target = if modules.contains(&name) { Some(&name) } else { exported.get(&name) };
            to.extend(target.filter(|target| **target != from).cloned());
        }
    }
    imports
}

/// Which module a name at the root comes from.
fn exports(root: &str, modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for module in modules {
        for name in names(root, &format!("use {module}::")) {
            exports.insert(name, module.clone());
        }
    }
    exports
}

/// The names that directly follow each `prefix` in a text, comments left out: one, or all of a group in braces.
fn names(text: &str, prefix: &str) -> Vec<String> {
    let code: String =
        text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut names = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        if code[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_') {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(group) => names.extend(group_names(group)),
            None => names.extend(first_name(rest)),
        }
    }
    names
}

/// The first name of each entry of a group, up to its closing brace.
fn group_names(group: &str) -> Vec<String> {
    let (mut depth, mut begin, mut names) = (0, 0, Vec::new());
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.extend(first_name(group[begin..at].trim_start()));
                begin = at + 1;
                if letter == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names
}

fn first_name(text: &str) -> Option<String> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

/// The circles, each with the modules in it: modules that reach each other.
fn circles(imports: &Imports) -> Vec<String> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        imports.keys().map(|from| (from, reach(imports, from))).collect();
    let mut circles = BTreeSet::new();
    for (from, to) in &reached {
        let circle: Vec<&str> = to
            .iter()
            .filter(|other| reached.get(**other).is_some_and(|back| back.contains(*from)))
            .map(|other| other.as_str())
            .collect();
        if to.contains(*from) {
            circles.insert(circle.join(", "));
        }
    }
    circles.into_iter().collect()
}

/// All modules that `from` imports, directly or through others.
fn reach<'a>(imports: &'a Imports, from: &str) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&String> = imports.get(from).into_iter().flatten().collect();
    while let Some(module) = open.pop() {
        if reached.insert(module) {
            open.extend(imports.get(module).into_iter().flatten());
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::{circles, imports};

    #[test]
    fn modules_that_reach_each_other_are_a_circle() {
        let files = [
            ("lib.rs", "mod a;\npub use b::{Bee, Hive};\n"),
            ("a.rs", "use crate::{Bee, c::See};\n"),
            ("b/mod.rs", "fn x() { crate::c::see() }\n"),
            ("c.rs", "use crate::a;\n"),
            ("d.rs", "// use crate::d\nuse crate::a::{self, e};\n"),
        ];
        assert_eq!(circles(&imports(&files)), ["a, b, c"]);
    }

    #[test]
    fn a_folder_is_one_module() {
        let files = [("a/mod.rs", "use crate::b;"), ("a/part.rs", "use crate::a::x;"), ("b.rs", "")];
        assert!(circles(&imports(&files)).is_empty());
    }
}
