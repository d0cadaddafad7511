//! Reads TOML and JSON into nodes.

use super::node::{Entry, Node, Value};
use std::borrow::Cow;
use toml::de::{DeTable, DeValue};

/// What is wrong with the text, and where.
pub(super) struct Unreadable {
    pub(super) at: usize,
    pub(super) message: String,
}

/// Reads JSON if the text begins with a brace, otherwise TOML.
pub(super) fn read(text: &str) -> Result<Node<'_>, Unreadable> {
    if text.trim_start().starts_with('{') { json(text) } else { toml(text) }
}

fn toml(text: &str) -> Result<Node<'_>, Unreadable> {
    let table = DeTable::parse(text).map_err(|error| Unreadable {
        at: error.span().map_or(0, |span| span.start),
        message: error.message().to_owned(),
    })?;
    let at = table.span().start;
    Ok(Node { at, value: toml_table(table.into_inner())? })
}

fn toml_table(table: DeTable<'_>) -> Result<Value<'_>, Unreadable> {
    let mut entries = table
        .into_iter()
        .map(|(key, node)| {
            let (key_at, at) = (key.span().start, node.span().start);
            let node = Node { at, value: toml_value(node.into_inner(), at)? };
            Ok(Entry { at: key_at, key: key.into_inner(), node })
        })
        .collect::<Result<Vec<_>, Unreadable>>()?;
    entries.sort_by_key(|entry| entry.at);
    Ok(Value::Table(entries))
}

fn toml_value(value: DeValue<'_>, at: usize) -> Result<Value<'_>, Unreadable> {
    let wrong = |message: &str| Unreadable { at, message: message.to_owned() };
    Ok(match value {
        DeValue::String(text) => Value::Text(text),
        DeValue::Boolean(value) => Value::Bool(value),
        DeValue::Integer(integer) => Value::Integer(
            i128::from_str_radix(integer.as_str(), integer.radix())
                .map_err(|_| wrong("use a smaller number"))?,
        ),
        DeValue::Float(float) => Value::Float(float.as_str().parse().map_err(|_| wrong("use a number"))?),
        DeValue::Datetime(_) => return Err(wrong("put dates in quotes")),
        DeValue::Array(list) => Value::List(
            list.into_iter()
                .map(|node| {
                    let at = node.span().start;
                    Ok(Node { at, value: toml_value(node.into_inner(), at)? })
                })
                .collect::<Result<_, Unreadable>>()?,
        ),
        DeValue::Table(table) => toml_table(table)?,
    })
}

/// Lists and tables within each other at the most.
const DEPTH_MAX: usize = 100;

pub(super) fn json(text: &str) -> Result<Node<'_>, Unreadable> {
    let mut reader = Json { text, at: 0 };
    let node = reader.node(0)?;
    reader.skip_blanks();
    if reader.at < text.len() { Err(reader.wrong("leave out what follows the plan")) } else { Ok(node) }
}

/// A reader of JSON, which keeps where each value stands.
struct Json<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Json<'a> {
    fn wrong(&self, message: &str) -> Unreadable {
        Unreadable { at: self.at, message: message.to_owned() }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    /// Takes this character if it comes next.
    fn take(&mut self, wanted: char) -> bool {
        self.skip_blanks();
        let is_next = self.rest().starts_with(wanted);
        self.at += if is_next { wanted.len_utf8() } else { 0 };
        is_next
    }

    fn node(&mut self, depth: usize) -> Result<Node<'a>, Unreadable> {
        self.skip_blanks();
        let at = self.at;
        if depth > DEPTH_MAX {
            return Err(self.wrong("use fewer lists and tables within each other"));
        }
        let value = match self.rest().bytes().next() {
            Some(b'{') => self.table(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            _ => self.word()?,
        };
        Ok(Node { at, value })
    }

    fn table(&mut self, depth: usize) -> Result<Value<'a>, Unreadable> {
        self.at += 1;
        let mut entries: Vec<Entry<'a>> = Vec::new();
        if self.take('}') {
            return Ok(Value::Table(entries));
        }
        loop {
            self.skip_blanks();
            let at = self.at;
            if !self.rest().starts_with('"') {
                return Err(self.wrong("give a key in double quotes"));
            }
            let key = self.string()?;
            if entries.iter().any(|entry| entry.key == key) {
                return Err(Unreadable { at, message: format!("`{key}` is given twice") });
            }
            if !self.take(':') {
                return Err(self.wrong("put a colon after the key"));
            }
            entries.push(Entry { at, key, node: self.node(depth + 1)? });
            if self.take('}') {
                return Ok(Value::Table(entries));
            }
            if !self.take(',') {
                return Err(self.wrong("put a comma or } after the value"));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value<'a>, Unreadable> {
        self.at += 1;
        let mut list = Vec::new();
        if self.take(']') {
            return Ok(Value::List(list));
        }
        loop {
            list.push(self.node(depth + 1)?);
            if self.take(']') {
                return Ok(Value::List(list));
            }
            if !self.take(',') {
                return Err(self.wrong("put a comma or ] after the value"));
            }
        }
    }

    fn string(&mut self) -> Result<Cow<'a, str>, Unreadable> {
        let bytes = self.rest().as_bytes();
        let mut end = 1;
        loop {
            match bytes.get(end) {
                None => return Err(self.wrong("close the quote")),
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
            }
        }
        let token = &self.rest()[..=end];
        let inside = &token[1..end];
        // What needs no escapes stays in the text.
        let read = if inside.bytes().all(|byte| byte != b'\\' && byte >= b' ') {
            Ok(Cow::Borrowed(inside))
        } else {
            serde_json::from_str(token).map(Cow::Owned).map_err(|_| self.wrong("use a text as in JSON"))
        };
        self.at += token.len();
        read
    }

    fn word(&mut self) -> Result<Value<'a>, Unreadable> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let word = &self.rest()[..self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len())];
        let value = match word {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => match (word.parse::<i128>(), serde_json::from_str::<f64>(word)) {
                (Ok(integer), Ok(_)) => Value::Integer(integer),
                (_, Ok(float)) => Value::Float(float),
                _ => return Err(self.wrong("give a value as in JSON")),
            },
        };
        self.at += word.len();
        Ok(value)
    }
}
