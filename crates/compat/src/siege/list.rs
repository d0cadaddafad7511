//! The URL list: one URL a line, with comments and variables.

use super::World;
use super::url::{Manner, Target, read};
use super::variables::Variables;

/// The maximum length of a line; longer lines are dropped, as in the original.
const LONGEST_LINE: usize = 40_000;

/// Parses the URLs of a list; appends notices to `said`.
pub(super) fn urls(text: &str, manner: Manner, world: &dyn World, said: &mut String) -> Vec<Target> {
    let mut variables = Variables::default();
    let mut urls = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line.len() >= LONGEST_LINE {
            continue;
        }
        let line = variables.expand(line, world, manner.quirks);
        if line.len() >= LONGEST_LINE {
            continue;
        }
        match assignment(&line) {
            Some((name, value)) => variables.define(name, value),
            None => urls.push(read(&line, manner, world, said)),
        }
    }
    urls
}

/// Parses `NAME=value`, with no blank before the equals sign.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_name.then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::siege::testing::Paper;

    #[test]
    fn a_list_is_read_as_siege_reads_it() {
        let list = include_str!("../../tests/data/siege/100-urls.txt");
        let mut said = String::new();
        let world = Paper::default().with_variable("HOME", "/home/jeff");
        let manner = Manner { escapes: true, quirks: true };
        let found: Vec<String> = urls(list, manner, &world, &mut said)
            .into_iter()
            .map(|target| format!("{} {}", target.method, target.shown_path))
            .collect();
        let expected = [
            "GET PATHX = hello",
            "GET /one",
            "GET /two?x=1",
            "GET /three",
            "GET /four",
            "GET //five",
            "GET /six",
            "GET /seven%20",
            "GET /eight",
            "GET //home/jeff/nine",
            "GET /q?a=b",
            "GET \"http://127.0.0.1:18090/quoted\"",
            "POST /post",
        ];
        assert_eq!(found, expected);
        assert_eq!(said, "");
    }

    #[test]
    fn a_line_too_long_is_dropped() {
        let list = format!("http://a.test/{}\na.test/short\n", "x".repeat(LONGEST_LINE));
        let manner = Manner { escapes: true, quirks: false };
        assert_eq!(urls(&list, manner, &Paper::default(), &mut String::new()).len(), 1);
    }
}
