//! A text as a tree of values that remember where they were written. TOML and JSON are both read into it and printed from
//! it.

use crate::error::Position;
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use std::borrow::Cow;

/// A value, and where it begins in the text: bytes from its start.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node<'a> {
    pub(super) at: usize,
    pub(super) value: Value<'a>,
}

/// A value of TOML or JSON.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(Cow<'a, str>),
    List(Vec<Node<'a>>),
    Table(Vec<Entry<'a>>),
}

/// A key of a table and its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry<'a> {
    /// Where the key begins.
    pub(super) at: usize,
    pub(super) key: Cow<'a, str>,
    pub(super) node: Node<'a>,
}

impl<'a> Node<'a> {
    /// A value that is to be printed.
    pub(super) const fn new(value: Value<'a>) -> Self {
        Self { at: 0, value }
    }

    /// The value of a key, if this is a table that has it.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The keys and values of a table; none of anything else.
    pub(super) fn entries(&self) -> &[Entry<'a>] {
        match &self.value {
            Value::Table(entries) => entries,
            _ => &[],
        }
    }

    pub(super) const fn is_table(&self) -> bool {
        matches!(self.value, Value::Table(_))
    }

    /// What an element of a list is called in errors: its name, if it is a table with one.
    pub(super) fn name(&self) -> Option<&str> {
        match &self.get("name")?.value {
            Value::Text(name) => Some(name),
            _ => None,
        }
    }

    /// A scalar as it is shown in an error; of lists and tables, what they are.
    pub(super) fn shown(&self) -> String {
        match &self.value {
            Value::Null => "null".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Integer(value) => value.to_string(),
            Value::Float(value) => value.to_string(),
            Value::Text(value) => value.to_string(),
            Value::List(_) => "a list".to_owned(),
            Value::Table(_) => "a table".to_owned(),
        }
    }

    /// Where a field such as `step.login.check.1` begins, or as much of it as there is; none where even its first name is
    /// not found. Tables of a list are found by their names or numbers.
    pub(super) fn find(&self, field: &str) -> Option<usize> {
        let below = |length: usize, at: usize, node: &Self, rest: &str| {
            (length, if rest.is_empty() { at } else { node.find(rest).unwrap_or(at) })
        };
        let found = match &self.value {
            Value::Table(entries) => entries
                .iter()
                .filter_map(|entry| {
                    Some(below(entry.key.len(), entry.at, &entry.node, after(field, &entry.key)?))
                })
                .max_by_key(|(length, _)| *length),
            Value::List(list) => list
                .iter()
                .enumerate()
                .filter_map(|(index, node)| {
                    let (index, name) = (index.to_string(), node.name().unwrap_or_default());
                    match after(field, name).filter(|_| !name.is_empty()) {
                        Some(rest) => Some(below(name.len(), node.at, node, rest)),
                        None => Some(below(0, node.at, node, after(field, &index)?)),
                    }
                })
                .max_by_key(|(length, _)| *length),
            _ => None,
        };
        found.map(|(_, at)| at)
    }

    /// Removes from a table what a table of defaults has as well, down to the tables in it.
    pub(super) fn without(self, defaults: &Self) -> Option<Self> {
        match (self.value, &defaults.value) {
            (Value::Table(entries), Value::Table(_)) => {
                let entries: Vec<Entry<'a>> = entries
                    .into_iter()
                    .filter(|entry| {
                        defaults.get(&entry.key).is_none_or(|default| entry.node.value != default.value)
                    })
                    .collect();
                (!entries.is_empty()).then(|| Self::new(Value::Table(entries)))
            }
            (value, default) => (value != *default).then(|| Self::new(value)),
        }
    }
}

/// What follows `name` and a dot in `field`; an empty text if nothing does.
fn after<'f>(field: &'f str, name: &str) -> Option<&'f str> {
    let rest = field.strip_prefix(name)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
}

/// Line and column of a place in a text, from 1; columns are characters.
pub(super) fn position(text: &str, at: usize) -> Position {
    let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let before = &text[..at];
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Position { line, column }
}

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.value {
            Value::Null => to.serialize_none(),
            Value::Bool(value) => to.serialize_bool(*value),
            Value::Integer(value) => match u64::try_from(*value) {
                Ok(value) => to.serialize_u64(value),
                Err(_) => to.serialize_i64(i64::try_from(*value).unwrap_or(i64::MIN)),
            },
            Value::Float(value) => to.serialize_f64(*value),
            Value::Text(value) => to.serialize_str(value),
            Value::List(list) => {
                let mut seq = to.serialize_seq(Some(list.len()))?;
                list.iter().try_for_each(|node| seq.serialize_element(node))?;
                seq.end()
            }
            Value::Table(entries) => {
                let mut map = to.serialize_map(Some(entries.len()))?;
                entries.iter().try_for_each(|entry| map.serialize_entry(&entry.key, &entry.node))?;
                map.end()
            }
        }
    }
}
