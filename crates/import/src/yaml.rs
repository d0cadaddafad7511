//! YAML documents as JSON values, with limits on nesting and on what aliases expand to.

use crate::error::{ImportError, Place};
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, Tag};
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::collections::HashMap;

/// Levels of nesting at the most, as many as `serde_json` allows.
const DEPTH_MAX: usize = 128;
/// Limit of a document, those values included that aliases repeat: each counts 1, and 1 more for each 64 bytes of a text.
const WEIGHT_MAX: usize = 2_000_000;

/// Reads the first document of a text, and the keys of its mapping `paths` in their order. Keys are texts; `<<` merges a mapping
/// into another.
///
/// # Errors
/// The line and column where the text is no YAML, or exceeds a limit.
pub(crate) fn read(text: &str) -> Result<(Value, Vec<String>), ImportError> {
    let mut parser = Parser::new_from_str(text);
    let mut loader = Loader::default();
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| syntax(&error))?;
        if matches!(event, Event::DocumentEnd) {
            break;
        }
        loader.take(event, span)?;
    }
    Ok((loader.root.unwrap_or(Value::Null), loader.paths))
}

fn syntax(error: &ScanError) -> ImportError {
    let place = Place::Column(error.marker().line(), error.marker().col() + 1);
    ImportError::new(place, format!("invalid YAML: {}", error.info()))
}

/// An open list or mapping.
enum Open {
    List(Vec<Value>),
    /// The key whose value comes next, if it was read.
    Mapping(Map<String, Value>, Option<String>),
}

#[derive(Default)]
struct Loader {
    /// Those that are open, with the anchor of each and the weight before it.
    open: Vec<(Open, usize, usize)>,
    /// Values and their weights, by anchor.
    anchors: HashMap<usize, (Value, usize)>,
    weight: usize,
    /// The weight of what anchors keep.
    kept: usize,
    root: Option<Value>,
    paths: Vec<String>,
}

impl Loader {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), ImportError> {
        let wrong = |message: &str| {
            Err(ImportError::new(Place::Column(span.start.line(), span.start.col() + 1), message))
        };
        let before = self.weight;
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.weight += 1 + text.len() / 64;
                let is_key = matches!(self.open.last(), Some((Open::Mapping(_, None), _, _)));
                let value = if is_key { Value::String(text.into_owned()) } else { scalar(&text, style, tag) };
                self.add(value, anchor, before);
            }
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                self.weight += 1;
                if self.open.len() >= DEPTH_MAX {
                    return wrong("more than 128 levels");
                }
                if matches!(self.open.last(), Some((Open::Mapping(_, None), _, _))) {
                    return wrong("a key of a mapping is a text");
                }
                let open = match event {
                    Event::SequenceStart(..) => Open::List(Vec::new()),
                    _ => Open::Mapping(Map::new(), None),
                };
                self.open.push((open, anchor, before));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some((open, anchor, before)) = self.open.pop() else {
                    return wrong("nothing is open here");
                };
                let value = match open {
                    Open::List(items) => Value::Array(items),
                    Open::Mapping(fields, _) => Value::Object(fields),
                };
                self.add(value, anchor, before);
            }
            Event::Alias(anchor) => {
                let Some((value, weight)) = self.anchors.get(&anchor).cloned() else {
                    return wrong("the alias has no anchor before it");
                };
                self.weight += weight;
                if self.weight <= WEIGHT_MAX {
                    self.add(value, 0, before);
                }
            }
            _ => {}
        }
        if self.weight.max(self.kept) > WEIGHT_MAX {
            wrong("more than two million values; aliases count as what they repeat")
        } else {
            Ok(())
        }
    }

    /// Adds a complete value to what is open. Anchors are numbered from 1.
    fn add(&mut self, value: Value, anchor: usize, before: usize) {
        if anchor > 0 {
            let weight = self.weight - before;
            // Anchors in anchors: each keeps what is in it.
            self.kept += weight;
            if self.kept <= WEIGHT_MAX {
                self.anchors.insert(anchor, (value.clone(), weight));
            }
        }
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some((Open::List(items), _, _)) => items.push(value),
            Some((Open::Mapping(fields, key), _, _)) => match key.take() {
                None => *key = Some(text_of(value)),
                Some(key) if key == "<<" => merge(fields, value),
                Some(key) => {
                    fields.insert(key.clone(), value);
                    if let [(Open::Mapping(_, Some(name)), _, _), _] = self.open.as_slice()
                        && name == "paths"
                    {
                        self.paths.push(key);
                    }
                }
            },
        }
    }
}

fn text_of(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Adds what a mapping does not have: of a mapping, or of several.
fn merge(fields: &mut Map<String, Value>, value: Value) {
    match value {
        Value::Object(others) => {
            for (key, value) in others {
                fields.entry(key).or_insert(value);
            }
        }
        Value::Array(list) => list.into_iter().for_each(|value| merge(fields, value)),
        _ => {}
    }
}

/// A scalar by the core schema (YAML 1.2.2 section 10.3.2).
fn scalar(text: &str, style: ScalarStyle, tag: Option<Cow<'_, Tag>>) -> Value {
    let is_text = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
    if style != ScalarStyle::Plain || is_text {
        return Value::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let hexadecimal = text.strip_prefix("0x").and_then(|digits| i64::from_str_radix(digits, 16).ok());
    let octal = text.strip_prefix("0o").and_then(|digits| i64::from_str_radix(digits, 8).ok());
    if let Some(number) = hexadecimal.or(octal) {
        return number.into();
    }
    if digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        if let Ok(number) = text.trim_start_matches('+').parse::<i64>() {
            return number.into();
        }
        if let Some(number) = text.parse().ok().and_then(Number::from_f64) {
            return Value::Number(number);
        }
    }
    Value::String(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn documents_become_json() {
        let text = "# comment\na: &x\n  - 1\n  - '1'\n  - 1.5\n  - ~\n  - true\n  - yes\n  - 2026-01-02\n200: {b: *x}\nc: |\n  l1\n  l2\n\
                    d: >-\n  f1\n  f2\nbase: &base {p: 1, q: 2}\nmore:\n  <<: *base\n  q: 3\ne: !!str 5\nf: 0x1F\n--- second\n";
        let expected = json!({
            "a": [1, "1", 1.5, null, true, "yes", "2026-01-02"],
            "200": {"b": [1, "1", 1.5, null, true, "yes", "2026-01-02"]},
            "c": "l1\nl2\n", "d": "f1 f2", "base": {"p": 1, "q": 2}, "more": {"p": 1, "q": 3}, "e": "5", "f": 31
        });
        assert_eq!(read(text).unwrap().0, expected);
        assert_eq!(read("").unwrap().0, Value::Null);
        assert_eq!(read("paths: {b: {x: 1}, a: 2}").unwrap().1, ["b", "a"]);
    }

    #[test]
    fn bad_and_hostile_documents_are_refused() {
        for (text, expected) in [
            ("a: [1\nb: 2", "line 2, column"),
            ("a: 'b", "line 1, column"),
            ("a: *x", "line 1, column 4: "),
            ("? [a]\n: b", "line 1, column 3: a key of a mapping is a text"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
        let deep = "[".repeat(10_000);
        assert!(read(&deep).is_err());
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let list = vec![format!("*a{}", level - 1); 10].join(", ");
            bomb.push_str(&format!("a{level}: &a{level} [{list}]\n"));
        }
        let error = read(&bomb).unwrap_err().to_string();
        assert!(error.contains("more than two million values"), "{error}");
    }
}
