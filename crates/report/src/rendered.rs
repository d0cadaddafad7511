//! Results of experiments, and the formats of each.

use crate::layout::{is_unprintable, origin};
use crate::{Chart, Format, unit};
use std::fmt::Write;
use warwolf_measure::Environment;

/// The result of an experiment, which can be written in several formats.
pub trait Rendered {
    /// The supported formats; the others are empty.
    const FORMATS: &'static [Format] =
        &[Format::Text, Format::Json, Format::Csv, Format::Markdown, Format::Html, Format::Svg];

    /// Renders it for people.
    fn text(&self) -> String;

    /// Renders it for pull requests.
    fn markdown(&self) -> String;

    /// Renders it as one page.
    fn html(&self) -> String;

    /// Returns it as JSON for programs.
    fn json(&self) -> serde_json::Value;

    /// Renders it for spreadsheets, with times in seconds; empty if there is no such table.
    fn csv(&self) -> String {
        String::new()
    }

    /// Returns the main chart, if there is one.
    fn chart(&self) -> Option<Chart> {
        None
    }

    /// Renders it in a format.
    fn render(&self, format: Format) -> String {
        match format {
            Format::Text => self.text(),
            Format::Json => json_text(&self.json()),
            Format::Csv => self.csv(),
            Format::Markdown => self.markdown(),
            Format::Html => self.html(),
            Format::Junit => String::new(),
            Format::Svg => self.chart().map_or_else(String::new, |chart| chart.to_svg()),
        }
    }
}

/// Formats JSON for a file or a terminal. JSON itself requires only some of the control characters to be escaped.
pub(crate) fn json_text(value: &serde_json::Value) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    let mut out = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        // These are in strings only: the text has no others than spaces and line ends between its values.
        if c != '\n' && is_unprintable(c) {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out.push('\n');
    out
}

/// Returns the start of an experiment as a line of text; empty if unknown.
pub(crate) fn started_line(unix_ns: u64) -> String {
    unit::moment(unix_ns).map_or_else(String::new, |moment| format!("started {moment}\n"))
}

/// Returns the same as a paragraph of Markdown.
pub(crate) fn started_paragraph(unix_ns: u64) -> String {
    unit::moment(unix_ns).map_or_else(String::new, |moment| format!("Started {moment}\n\n"))
}

/// Appends program, machine and command of an experiment, if they are known.
pub(crate) fn push_origin(out: &mut String, environment: &Environment) {
    let origin = origin(environment);
    if !origin.is_empty() {
        let _ = write!(out, "\n{origin}");
    }
}

/// Appends the same as a block of Markdown.
pub(crate) fn push_origin_block(out: &mut String, environment: &Environment) {
    let origin = origin(environment).replace('`', "'");
    if !origin.is_empty() {
        let _ = write!(out, "\n```text\n{origin}```\n");
    }
}

/// Returns whether a column holds text, and its heading without the mark `<`.
fn column(heading: &str) -> (bool, &str) {
    heading.strip_prefix('<').map_or((false, heading), |heading| (true, heading))
}

/// Writes a table for people. Columns whose heading begins with `<` hold text and are left-aligned.
pub(crate) fn text_table(out: &mut String, headings: &[&str], rows: &[Vec<String>]) {
    let names = headings.iter().map(|heading| column(heading).1.to_owned()).collect();
    let lines: Vec<&Vec<String>> = std::iter::once(&names).chain(rows).collect();
    for row in &lines {
        let mut line = String::new();
        for (place, cell) in row.iter().enumerate() {
            let width = lines.iter().map(|row| row[place].chars().count()).max().unwrap_or(0);
            let _ = if column(headings[place]).0 {
                write!(line, "{cell:<width$}  ")
            } else {
                write!(line, "{cell:>width$}  ")
            };
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// Writes the same table for pull requests.
pub(crate) fn markdown_table(out: &mut String, headings: &[&str], rows: &[Vec<String>]) {
    let names: Vec<&str> = headings.iter().map(|heading| column(heading).1).collect();
    let sides: String =
        headings.iter().map(|heading| if column(heading).0 { "---|" } else { "---:|" }).collect();
    let _ = writeln!(out, "| {} |\n|{sides}", names.join(" | "));
    for row in rows {
        let cell = |cell: &String| cell.replace('\\', "\\\\").replace('|', "\\|").replace(['\n', '\r'], " ");
        let row: Vec<String> = row.iter().map(cell).collect();
        let _ = writeln!(out, "| {} |", row.join(" | "));
    }
}

/// Quotes a cell of a CSV table (RFC 4180). A text that spreadsheets would read as a formula gets a leading apostrophe.
pub(crate) fn quoted(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
    let text = if is_formula { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// Formats a time in seconds as a cell of a CSV table; empty if unknown.
pub(crate) fn seconds(ns: Option<f64>) -> String {
    ns.map_or_else(String::new, |ns| format!("{:.9}", ns / 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_neither_a_formula_nor_the_end_of_a_row() {
        let rows = [
            ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
            ("@x,y", "\"'@x,y\""),
            ("-5.5", "-5.5"),
            ("a\rb", "\"a\rb\""),
            ("a=b", "a=b"),
        ];
        for (text, expected) in rows {
            assert_eq!(quoted(text), expected);
        }
        let mut markdown = String::new();
        markdown_table(&mut markdown, &["<name"], &[vec!["a\\| b\nc".to_owned()]]);
        assert_eq!(markdown, "| name |\n|---|\n| a\\\\\\| b c |\n");
    }

    #[test]
    fn json_escapes_what_a_terminal_would_obey() {
        let value = serde_json::json!({ "a": "\u{9b}2J\u{202e}\u{1b}" });
        let text = json_text(&value);
        assert_eq!(text, "{\n  \"a\": \"\\u009b2J\\u202e\\u001b\"\n}\n");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn figures_stand_right_and_words_left() {
        let rows = [vec!["1".to_owned(), "a|b".to_owned()], vec!["100".to_owned(), "c".to_owned()]];
        let (mut text, mut markdown) = (String::new(), String::new());
        text_table(&mut text, &["run", "<name"], &rows);
        markdown_table(&mut markdown, &["run", "<name"], &rows);
        assert_eq!(text, "run  name\n  1  a|b\n100  c\n");
        assert_eq!(markdown, "| run | name |\n|---:|---|\n| 1 | a\\|b |\n| 100 | c |\n");
    }
}
