//! `[Options]`.

use super::cursor::{Cursor, error};
use super::query::number;
use super::text::{file_name, placeholder, quoted, unquoted, variable_name};
use crate::ast::{EntryOption, OptionValue, Unit, VariableValue};
use crate::error::ParseError;

/// What an option takes.
#[derive(Clone, Copy)]
enum Takes {
    Bool,
    Count,
    Natural,
    Duration,
    Text,
    File,
    FilePassword,
    Variable,
    Verbosity,
}

const OPTIONS: &[(&str, Takes)] = &[
    ("aws-sigv4", Takes::Text),
    ("cacert", Takes::File),
    ("cert", Takes::FilePassword),
    ("compressed", Takes::Bool),
    ("connect-timeout", Takes::Duration),
    ("connect-to", Takes::Text),
    ("delay", Takes::Duration),
    ("digest", Takes::Bool),
    ("fail-with-body", Takes::Bool),
    ("header", Takes::Text),
    ("http1.0", Takes::Bool),
    ("http1.1", Takes::Bool),
    ("http2", Takes::Bool),
    ("http2-prior-knowledge", Takes::Bool),
    ("http3", Takes::Bool),
    ("insecure", Takes::Bool),
    ("ipv4", Takes::Bool),
    ("ipv6", Takes::Bool),
    ("key", Takes::File),
    ("limit-rate", Takes::Natural),
    ("location", Takes::Bool),
    ("location-trusted", Takes::Bool),
    ("max-redirs", Takes::Count),
    ("max-time", Takes::Duration),
    ("negotiate", Takes::Bool),
    ("netrc", Takes::Bool),
    ("netrc-file", Takes::Text),
    ("netrc-optional", Takes::Bool),
    ("no-header", Takes::Text),
    ("no-jsonpath-coercion", Takes::Bool),
    ("ntlm", Takes::Bool),
    ("output", Takes::File),
    ("path-as-is", Takes::Bool),
    ("pinnedpubkey", Takes::Text),
    ("proxy", Takes::Text),
    ("repeat", Takes::Count),
    ("resolve", Takes::Text),
    ("retry", Takes::Count),
    ("retry-interval", Takes::Duration),
    ("skip", Takes::Bool),
    ("tls-max", Takes::Text),
    ("tls-min", Takes::Text),
    ("unix-socket", Takes::Text),
    ("user", Takes::Text),
    ("variable", Takes::Variable),
    ("verbose", Takes::Bool),
    ("verbosity", Takes::Verbosity),
    ("very-verbose", Takes::Bool),
];

fn is_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '_')
}

/// Whether a name and a colon come next.
pub(super) fn comes(mut cursor: Cursor<'_>) -> bool {
    let found = !cursor.take_while(is_name).is_empty();
    cursor.spaces();
    found && cursor.starts_with(":")
}

/// An option and the rest of its line.
pub(super) fn option(cursor: &mut Cursor<'_>) -> Result<EntryOption, ParseError> {
    let pos = cursor.pos();
    let word = cursor.take_while(is_name);
    let Some((name, takes)) = OPTIONS.iter().copied().find(|(name, _)| *name == word) else {
        let near = word.replace('_', "-").to_ascii_lowercase();
        let near = OPTIONS.iter().find(|(name, _)| *name == near || name.starts_with(&near));
        let near = near.map(|(name, _)| format!("; did you mean `{name}`?")).unwrap_or_default();
        return Err(error(pos, format!("unknown option `{word}`{near}")));
    };
    cursor.spaces();
    cursor.expect(":")?;
    cursor.spaces();
    let value = value(cursor, takes)?;
    cursor.end_line()?;
    Ok(EntryOption { pos, name, value })
}

fn value(cursor: &mut Cursor<'_>, takes: Takes) -> Result<OptionValue, ParseError> {
    match takes {
        Takes::Text => return Ok(OptionValue::Text(unquoted(cursor)?)),
        Takes::File => return Ok(OptionValue::Text(file_name(cursor, false)?)),
        Takes::FilePassword => return Ok(OptionValue::Text(file_name(cursor, true)?)),
        Takes::Variable => return variable(cursor),
        Takes::Verbosity => {
            let word = ["brief", "verbose", "debug"].into_iter().find(|word| cursor.word() == *word);
            let word = word.ok_or_else(|| cursor.expected("`brief`, `verbose` or `debug`"))?;
            cursor.eat(word);
            return Ok(OptionValue::Word(word));
        }
        Takes::Bool | Takes::Count | Takes::Natural | Takes::Duration => {}
    }
    if let Some(value) = placeholder(cursor)? {
        return Ok(OptionValue::Value(value));
    }
    let before = *cursor;
    match takes {
        Takes::Bool if cursor.eat("true") => Ok(OptionValue::Bool(true)),
        Takes::Bool if cursor.eat("false") => Ok(OptionValue::Bool(false)),
        Takes::Bool => Err(cursor.expected("`true` or `false`")),
        Takes::Count if cursor.eat("-1") => Ok(OptionValue::Count(None)),
        Takes::Count => match natural(cursor)? {
            Some(count) => Ok(OptionValue::Count(Some(count))),
            None => Err(before.expected("an integer of at least -1")),
        },
        Takes::Natural => match natural(cursor)? {
            Some(count) => Ok(OptionValue::Count(Some(count))),
            None => Err(before.expected("an integer of at least 0")),
        },
        _ => {
            let count = natural(cursor)?.ok_or_else(|| before.expected("a duration such as 500ms or 2s"))?;
            Ok(OptionValue::Duration(count, unit(cursor)?))
        }
    }
}

fn natural(cursor: &mut Cursor<'_>) -> Result<Option<u64>, ParseError> {
    let before = *cursor;
    match number(cursor)? {
        Some(number) if !number.is_float => {
            number.text.parse().map(Some).map_err(|_| before.expected("an integer that is not negative"))
        }
        Some(_) => Err(before.expected("an integer")),
        None => Ok(None),
    }
}

fn unit(cursor: &mut Cursor<'_>) -> Result<Option<Unit>, ParseError> {
    let before = *cursor;
    Ok(Some(match cursor.take_while(|letter| letter.is_ascii_alphabetic()) {
        "" => return Ok(None),
        "ms" => Unit::Milliseconds,
        "s" => Unit::Seconds,
        "m" => Unit::Minutes,
        "h" => Unit::Hours,
        _ => return Err(before.expected("a unit of time (ms, s, m, h)")),
    }))
}

/// `name=value`
fn variable(cursor: &mut Cursor<'_>) -> Result<OptionValue, ParseError> {
    let name = variable_name(cursor)?;
    cursor.spaces();
    cursor.expect("=")?;
    cursor.spaces();
    Ok(OptionValue::Variable(name, variable_value(cursor)?))
}

/// A value, typed by how it looks.
pub(super) fn variable_value(cursor: &mut Cursor<'_>) -> Result<VariableValue, ParseError> {
    if cursor.starts_with("\"") {
        return Ok(VariableValue::Text(quoted(cursor)?));
    }
    let start = *cursor;
    // A word or number is one only if nothing follows it.
    let ends = |cursor: &Cursor<'_>| matches!(cursor.peek(), None | Some(' ' | '\t' | '\r' | '\n' | '#'));
    for (word, value) in [
        ("null", VariableValue::Null),
        ("true", VariableValue::Bool(true)),
        ("false", VariableValue::Bool(false)),
    ] {
        if cursor.eat(word) {
            if ends(cursor) {
                return Ok(value);
            }
            *cursor = start;
        }
    }
    if let Ok(Some(number)) = number(cursor)
        && ends(cursor)
    {
        return Ok(VariableValue::Number(number));
    }
    *cursor = start;
    Ok(VariableValue::Text(unquoted(cursor)?))
}
