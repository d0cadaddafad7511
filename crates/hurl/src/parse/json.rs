//! JSON as it is written, with values in it.

use super::cursor::{Cursor, error};
use super::text::placeholder;
use crate::ast::{Json, JsonPiece};
use crate::error::ParseError;

/// Nesting beyond this is refused.
const DEPTH_MAX: usize = 128;

#[derive(Default)]
struct Pieces(Vec<JsonPiece>);

impl Pieces {
    fn text(&mut self, text: &str) {
        match self.0.last_mut() {
            Some(JsonPiece::Text(last)) => last.push_str(text),
            _ => self.0.push(JsonPiece::Text(text.to_owned())),
        }
    }

    fn space(&mut self, cursor: &mut Cursor<'_>) {
        let space = cursor.take_while(|letter| matches!(letter, ' ' | '\t' | '\n' | '\r'));
        if !space.is_empty() {
            self.0.push(JsonPiece::Space(space.to_owned()));
        }
    }
}

/// Whether a JSON value may come next.
pub(super) fn comes(cursor: &Cursor<'_>) -> bool {
    match cursor.peek() {
        Some('{' | '[' | '"' | '-') => true,
        Some(letter) => {
            letter.is_ascii_digit() || ["true", "false", "null"].iter().any(|word| cursor.starts_with(word))
        }
        None => false,
    }
}

/// A JSON value.
pub(super) fn value(cursor: &mut Cursor<'_>) -> Result<Json, ParseError> {
    let pos = cursor.pos();
    let mut pieces = Pieces::default();
    element(cursor, &mut pieces, 0)?;
    Ok(Json { pos, pieces: pieces.0 })
}

fn element(cursor: &mut Cursor<'_>, pieces: &mut Pieces, depth: usize) -> Result<(), ParseError> {
    if let Some(value) = placeholder(cursor)? {
        pieces.0.push(JsonPiece::Bare(value));
        return Ok(());
    }
    match cursor.peek() {
        Some('"') => string(cursor, pieces),
        Some('{') => list(cursor, pieces, depth, '}'),
        Some('[') => list(cursor, pieces, depth, ']'),
        Some(letter) if letter == '-' || letter.is_ascii_digit() => number(cursor, pieces),
        _ => {
            let word = ["true", "false", "null"].into_iter().find(|word| cursor.eat(word));
            word.map(|word| pieces.text(word)).ok_or_else(|| cursor.expected("a JSON value"))
        }
    }
}

/// An array or an object, which ends with `close`.
fn list(cursor: &mut Cursor<'_>, pieces: &mut Pieces, depth: usize, close: char) -> Result<(), ParseError> {
    if depth >= DEPTH_MAX {
        return Err(error(cursor.pos(), format!("JSON is nested more than {DEPTH_MAX} deep")));
    }
    let mut letters = [0; 4];
    let close = &*close.encode_utf8(&mut letters);
    cursor.bump();
    pieces.text(if close == "}" { "{" } else { "[" });
    pieces.space(cursor);
    while !cursor.eat(close) {
        if close == "}" {
            if cursor.peek() != Some('"') {
                return Err(cursor.expected("a key in `\"`"));
            }
            string(cursor, pieces)?;
            pieces.space(cursor);
            cursor.expect(":")?;
            pieces.text(":");
            pieces.space(cursor);
        }
        element(cursor, pieces, depth + 1)?;
        pieces.space(cursor);
        let comma = *cursor;
        if cursor.eat(",") {
            pieces.text(",");
            pieces.space(cursor);
            if cursor.starts_with(close) {
                return Err(error(comma.pos(), format!("remove the comma before `{close}`")));
            }
        } else if !cursor.starts_with(close) {
            return Err(cursor.expected(&format!("`,` or `{close}`")));
        }
    }
    pieces.text(close);
    Ok(())
}

fn string(cursor: &mut Cursor<'_>, pieces: &mut Pieces) -> Result<(), ParseError> {
    cursor.expect("\"")?;
    pieces.text("\"");
    loop {
        if let Some(value) = placeholder(cursor)? {
            pieces.0.push(JsonPiece::InString(value));
            continue;
        }
        let before = *cursor;
        match cursor.bump() {
            Some('"') => {
                pieces.text("\"");
                return Ok(());
            }
            Some('\\') => {
                escape(cursor)?;
                pieces.text(&before.rest()[..before.rest().len() - cursor.rest().len()]);
            }
            Some(letter) if !matches!(letter, '\x08' | '\n' | '\x0c' | '\r' | '\t') => {
                pieces.text(letter.encode_utf8(&mut [0; 4]));
            }
            _ => return Err(before.expected("`\"`")),
        }
    }
}

/// The rest of an escape, after its backslash.
fn escape(cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
    let before = *cursor;
    match cursor.bump() {
        Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => Ok(()),
        Some('u') => {
            let first = unit(cursor)?;
            match first {
                0xd800..0xdc00 => {
                    cursor.expect("\\u")?;
                    let low = *cursor;
                    let found = (0xdc00..0xe000).contains(&unit(cursor)?);
                    if found { Ok(()) } else { Err(low.expected("the second half of a surrogate pair")) }
                }
                0xdc00..0xe000 => Err(before.expected("the first half of a surrogate pair")),
                _ => Ok(()),
            }
        }
        _ => Err(before.expected("a character that can be escaped in JSON")),
    }
}

/// Four hexadecimal digits.
fn unit(cursor: &mut Cursor<'_>) -> Result<u32, ParseError> {
    let mut unit = 0;
    for _ in 0..4 {
        let before = *cursor;
        let digit = cursor.bump().and_then(|letter| letter.to_digit(16));
        unit = unit * 16 + digit.ok_or_else(|| before.expected("a hexadecimal digit"))?;
    }
    Ok(unit)
}

fn number(cursor: &mut Cursor<'_>, pieces: &mut Pieces) -> Result<(), ParseError> {
    let digits = |cursor: &mut Cursor<'_>| cursor.take_while(|letter| letter.is_ascii_digit()).to_owned();
    let mut text = String::new();
    if cursor.eat("-") {
        text.push('-');
    }
    let whole = if cursor.eat("0") { "0".to_owned() } else { digits(cursor) };
    if whole.is_empty() {
        return Err(cursor.expected("a digit"));
    }
    text.push_str(&whole);
    if cursor.eat(".") {
        let fraction = digits(cursor);
        if fraction.is_empty() {
            return Err(cursor.expected("a digit"));
        }
        text.push('.');
        text.push_str(&fraction);
    }
    if cursor.eat("e") || cursor.eat("E") {
        text.push('e');
        for sign in ["-", "+"] {
            if cursor.eat(sign) {
                text.push_str(sign);
                break;
            }
        }
        let exponent = digits(cursor);
        if exponent.is_empty() {
            return Err(cursor.expected("a digit"));
        }
        text.push_str(&exponent);
    }
    pieces.text(&text);
    Ok(())
}
