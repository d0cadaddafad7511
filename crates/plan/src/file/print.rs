//! Prints a node as TOML as a person would write it: values first, then tables with a comment each.

use super::node::{Entry, Node, Value};
use std::fmt::Write as _;

/// Letters of a line that are not exceeded where a list or table can be broken.
const WIDTH: usize = 110;

/// What each table is, for the line above it.
const COMMENTS: [(&str, &str); 13] = [
    ("load", "When sessions start, and when the run ends."),
    ("variables", "Values for {{name}}."),
    ("data", "Rows for {{table.column}}: each session takes one."),
    ("setup", "Before the steps."),
    ("step", "What a session does, in this order."),
    ("scenario", "What the sessions do: each runs one scenario."),
    ("teardown", "After the steps."),
    ("requests", "Requests that sessions choose from."),
    ("session", "How sessions behave."),
    ("connections", "How connections are used."),
    ("timeouts", "How long things may take."),
    ("network", "Addresses, proxies, socket options."),
    ("tls", "TLS options."),
];

/// Lists that are written as `[[name]]`.
const REPEATED: [&str; 6] = ["data", "setup", "step", "scenario", "teardown", "requests"];

/// The whole text of a file.
pub(super) fn toml(file: &Node<'_>) -> String {
    let mut out = String::new();
    write_table(&mut out, "", file.entries());
    out
}

/// What becomes of an entry of a table.
enum Form<'n, 'a> {
    Line(String),
    Table,
    Tables(&'n [Node<'a>]),
}

fn form<'n, 'a>(entry: &'n Entry<'a>, is_top: bool) -> Form<'n, 'a> {
    if let Value::List(list) = &entry.node.value
        && REPEATED.contains(&entry.key.as_ref())
        && list.iter().any(Node::is_table)
        && (is_top || entry.key != "requests")
    {
        return Form::Tables(list);
    }
    if is_top && entry.node.is_table() {
        return Form::Table;
    }
    let key = key(&entry.key);
    let line = format!("{key} = {}", inline(&entry.node));
    if line.chars().count() <= WIDTH {
        return Form::Line(line);
    }
    match &entry.node.value {
        Value::List(list) => {
            let elements: String = list.iter().fold(String::new(), |mut text, node| {
                let _ = writeln!(text, "    {},", inline(node));
                text
            });
            Form::Line(format!("{key} = [\n{elements}]"))
        }
        Value::Table(_) => Form::Table,
        _ => Form::Line(line),
    }
}

/// Writes the entries of the table at `path`: values, then tables.
fn write_table(out: &mut String, path: &str, entries: &[Entry<'_>]) {
    let is_top = path.is_empty();
    let mut tables = Vec::new();
    for entry in entries {
        match form(entry, is_top) {
            Form::Line(line) => {
                out.push_str(&line);
                out.push('\n');
            }
            table => tables.push((entry, table)),
        }
    }
    for (entry, form) in tables {
        let name = if is_top { key(&entry.key) } else { format!("{path}.{}", key(&entry.key)) };
        let comment = if is_top { comment(&entry.key) } else { String::new() };
        match form {
            Form::Tables(list) => {
                for (index, node) in list.iter().enumerate() {
                    let comment = if index == 0 { comment.as_str() } else { "" };
                    begin(out, &format!("{comment}[[{name}]]\n"));
                    match &node.value {
                        Value::Table(entries) => write_table(out, &name, entries),
                        _ => {
                            let _ = writeln!(out, "request = {}", inline(node));
                        }
                    }
                }
            }
            _ => {
                begin(out, &format!("{comment}[{name}]\n"));
                write_table(out, &name, entry.node.entries());
            }
        }
    }
}

/// Begins a table, after an empty line unless it is the first.
fn begin(out: &mut String, header: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(header);
}

fn comment(key: &str) -> String {
    let found = COMMENTS.iter().find(|(name, _)| *name == key);
    found.map_or_else(String::new, |(_, comment)| format!("# {comment}\n"))
}

/// A value on one line, unless it is a text of several lines.
fn inline(node: &Node<'_>) -> String {
    match &node.value {
        Value::Null => "\"\"".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Float(value) => float(*value),
        Value::Text(value) => text(value),
        Value::List(list) => {
            let list: Vec<String> = list.iter().map(inline_within).collect();
            format!("[{}]", list.join(", "))
        }
        Value::Table(entries) if entries.is_empty() => "{}".to_owned(),
        Value::Table(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|entry| format!("{} = {}", key(&entry.key), inline_within(&entry.node)))
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}

/// A value in a list or table of one line.
fn inline_within(node: &Node<'_>) -> String {
    match &node.value {
        Value::Text(value) if value.contains('\n') => basic(value),
        _ => inline(node),
    }
}

fn float(value: f64) -> String {
    // As in JSON, but for what JSON does not have.
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf".to_owned() } else { "-inf".to_owned() };
    }
    format!("{value:?}")
}

/// A key, bare where it can be.
fn key(key: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !key.is_empty() && key.bytes().all(is_bare) { key.to_owned() } else { basic(key) }
}

/// A text in the quotes that need the fewest escapes.
fn text(value: &str) -> String {
    let is_plain = |c: char| !c.is_control() || c == '\t';
    let needs_escapes = value.contains(['"', '\\']);
    if value.contains('\n')
        && value.chars().all(|c| is_plain(c) || c == '\n')
        && !value.contains("'''")
        && !value.ends_with('\'')
    {
        return format!("'''\n{value}'''");
    }
    if needs_escapes && !value.contains('\'') && value.chars().all(is_plain) {
        return format!("'{value}'");
    }
    basic(value)
}

/// A text in double quotes, with escapes.
fn basic(value: &str) -> String {
    let mut out = String::from("\"");
    for letter in value.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter if letter.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}
