//! Checks that a function of the product fits on a screen.

use std::path::Path;

use anyhow::Result;

use super::sources;

/// Lines a function may have, from its `fn` to its closing brace.
const LINES_MAX: usize = 60;

/// Crates that are no part of the product.
const OUTSIDE: [&str; 4] = ["crates/e2e/", "crates/sim/", "crates/bench/", "crates/fuzz/"];

/// Breaches in the sources of the product at `root`, one sentence each.
pub(super) fn check(root: &Path) -> Result<Vec<String>> {
    let mut breaches = Vec::new();
    for (name, text) in sources::product(root)? {
        if OUTSIDE.iter().any(|outside| name.starts_with(outside)) {
            continue;
        }
        for (line, function, lines) in long(&text) {
            breaches.push(format!("{name}:{line}: `{function}` has {lines} lines, at most {LINES_MAX}"));
        }
    }
    Ok(breaches)
}

/// Functions that are too long: the line they begin in, their name, and how many lines they have. The sources are
/// formatted, so a function ends with the first brace that stands alone at its indentation.
fn long(text: &str) -> Vec<(usize, &str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(name) = begun(line) else { continue };
        let indentation = &line[..line.len() - line.trim_start().len()];
        let end = lines[index..].iter().position(|line| line.strip_prefix(indentation) == Some("}"));
        // A declaration without a body ends before any brace does.
        let declared = lines[index..].iter().position(|line| line.ends_with(';')).unwrap_or(usize::MAX);
        let body = lines[index..].iter().position(|line| line.ends_with('{')).unwrap_or(usize::MAX);
        let is_one_line = line.ends_with('}');
        if let Some(end) = end.filter(|end| end + 1 > LINES_MAX && body < declared && !is_one_line) {
            found.push((index + 1, name, end + 1));
        }
    }
    found
}

/// The name of the function that a line begins, if it begins one.
fn begun(line: &str) -> Option<&str> {
    let mut words = line.trim_start().split(' ').skip_while(|word| {
        word.starts_with("pub") || matches!(*word, "const" | "async" | "unsafe") || word.ends_with(')')
    });
    let rest = (words.next()? == "fn").then(|| words.next())??;
    Some(&rest[..rest.find(['(', '<']).unwrap_or(rest.len())])
}

#[cfg(test)]
mod tests {
    use super::long;

    #[test]
    fn a_function_is_counted_from_its_name_to_its_brace() {
        let fits = format!("fn fits() {{\n{}}}\n", "    a();\n".repeat(58));
        assert!(long(&fits).is_empty());
        let method = format!(
            "impl A {{\n    pub(crate) fn long<T>(\n        a: T,\n    ) {{\n{}    }}\n}}\n",
            "        a();\n".repeat(57)
        );
        assert_eq!(long(&method), [(2, "long", 61)]);
    }

    #[test]
    fn declarations_and_functions_of_one_line_end_where_they_begin() {
        let text =
            format!("trait A {{\n    fn a();\n    fn b() {{}}\n{}}}\n", "    const C: u8;\n".repeat(80));
        assert!(long(&text).is_empty());
    }
}
