//! Variables of rc files and URL lists: `NAME=value` defines one; `$(NAME)`, `${NAME}` and `$NAME` refer to it.

use super::World;
use std::collections::HashMap;

/// The number of replacements after which expansion stops, for a text that refers to itself.
const REPLACEMENTS: usize = 1_000;

/// The maximum length of an expanded text in bytes. Longer lines are dropped, so the rest can stay unexpanded.
const EXPANDED_MAX: usize = 64 << 10;

/// The variables defined so far. An undefined name is looked up in the environment.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables(HashMap<String, String>);

impl Variables {
    pub(super) fn define(&mut self, name: &str, value: &str) {
        self.0.insert(name.to_owned(), value.to_owned());
    }

    /// Replaces every variable in the text. An unknown name is replaced by nothing.
    ///
    /// `quirks` selects the behaviour of 4.0.7: everything after a `$` is a name, up to the next `)`, `}` or `/`, which
    /// damages a price in a JSON text. Otherwise a name consists of letters, digits and underscores. A `$` without a name
    /// stands for itself, and so does `\$`.
    pub(super) fn expand(&self, text: &str, world: &dyn World, quirks: bool) -> String {
        let mut done = String::new();
        let mut rest = text.to_owned();
        for _ in 0..REPLACEMENTS {
            let Some(dollar) = rest.find('$') else { break };
            if !quirks && rest[..dollar].ends_with('\\') {
                done.push_str(&rest[..dollar - 1]);
                done.push('$');
                rest.drain(..=dollar);
                continue;
            }
            let after = &rest[dollar + 1..];
            let Some((name, length)) = (if quirks { name_as_of_old(after) } else { name(after) }) else {
                done.push_str(&rest[..=dollar]);
                rest.drain(..=dollar);
                continue;
            };
            let value = match self.0.get(name) {
                Some(value) => value.clone(),
                None => world.variable(name).unwrap_or_default(),
            };
            if done.len() + rest.len() + value.len() > EXPANDED_MAX {
                break;
            }
            done.push_str(&rest[..dollar]);
            // A value may itself refer to variables.
            rest = value + &after[length..];
        }
        done + &rest
    }
}

/// Returns the name at the beginning of the text after a `$`, and the length it takes up.
fn name(text: &str) -> Option<(&str, usize)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (open, close) = match text.chars().next()? {
        '(' => (1, Some(')')),
        '{' => (1, Some('}')),
        c if c.is_ascii_alphabetic() || c == '_' => (0, None),
        _ => return None,
    };
    let length = text[open..].len() - text[open..].trim_start_matches(is_part).len();
    let name = &text[open..open + length];
    match close {
        None => Some((name, length)),
        Some(close) => (length > 0 && text[open + length..].starts_with(close)).then_some((name, length + 2)),
    }
}

fn name_as_of_old(text: &str) -> Option<(&str, usize)> {
    let open = usize::from(text.starts_with(['(', '{']));
    let end = text.find([')', '}', '/']).unwrap_or(text.len()).max(open);
    let closes = text[end..].starts_with([')', '}']);
    Some((&text[open..end], end + usize::from(closes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::siege::testing::Paper;

    #[test]
    fn names_stand_for_their_values() {
        let mut variables = Variables::default();
        variables.define("HOST", "a.test:81");
        variables.define("SELF", "$(HOST)/self");
        let world = Paper::default().with_variable("HOME", "/home/jeff");
        // Text, expansion, expansion by 4.0.7.
        let rows = [
            ("http://$(HOST)/one", "http://a.test:81/one", "http://a.test:81/one"),
            ("http://${HOST}/two", "http://a.test:81/two", "http://a.test:81/two"),
            ("$HOST/four", "a.test:81/four", "a.test:81/four"),
            ("$(SELF)", "a.test:81/self", "a.test:81/self"),
            ("/$(NOPE)eight", "/eight", "/eight"),
            ("$(HOME)/nine", "/home/jeff/nine", "/home/jeff/nine"),
            ("no dollar", "no dollar", "no dollar"),
            (r#"{"s": "costs $10 per mile"}"#, r#"{"s": "costs $10 per mile"}"#, r#"{"s": "costs "#),
            (r"a\$HOST", "a$HOST", r"a\a.test:81"),
            ("$HOST:x", "a.test:81:x", ""),
            ("cost: 5$", "cost: 5$", "cost: 5"),
        ];
        for (text, expected, of_old) in rows {
            assert_eq!(variables.expand(text, &world, false), expected, "{text}");
            assert_eq!(variables.expand(text, &world, true), of_old, "{text}, as of old");
        }
    }

    #[test]
    fn variables_of_variables_end_at_a_length() {
        let world = Paper::default();
        for quirks in [false, true] {
            let mut variables = Variables::default();
            variables.define("A0", &"x".repeat(30_000));
            for number in 1..40 {
                let value = variables.expand(&format!("$(A{0})$(A{0})", number - 1), &world, quirks);
                assert!(value.len() <= EXPANDED_MAX, "{number}: {}", value.len());
                variables.define(&format!("A{number}"), &value);
            }
        }
    }

    #[test]
    fn a_variable_that_names_itself_comes_to_an_end() {
        let mut variables = Variables::default();
        variables.define("A", "x$(A)");
        assert!(variables.expand("$(A)", &Paper::default(), false).starts_with("xxx"));
    }
}
