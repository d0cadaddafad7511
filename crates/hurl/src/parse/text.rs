//! Texts: keys, values, quoted strings, names of files, and the values in them.

use super::cursor::{Cursor, error};
use crate::ast::{Expr, Piece, Placeholder, Pos, Template};
use crate::error::ParseError;

/// Collects the pieces of a template.
#[derive(Default)]
pub(super) struct Pieces(Vec<Piece>);

impl Pieces {
    pub(super) fn letter(&mut self, letter: char) {
        match self.0.last_mut() {
            Some(Piece::Text(text)) => text.push(letter),
            _ => self.0.push(Piece::Text(letter.into())),
        }
    }

    fn text(&mut self, text: &str) {
        text.chars().for_each(|letter| self.letter(letter));
    }

    pub(super) fn value(&mut self, value: Placeholder) {
        self.0.push(Piece::Value(value));
    }

    pub(super) fn at(self, pos: Pos) -> Template {
        Template { pos, pieces: self.0 }
    }
}

/// A character that may stand in the name of a variable.
fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-')
}

/// `{{…}}`, if it comes next.
pub(super) fn placeholder(cursor: &mut Cursor<'_>) -> Result<Option<Placeholder>, ParseError> {
    if !cursor.eat("{{") {
        return Ok(None);
    }
    cursor.spaces();
    let pos = cursor.pos();
    let expr = match cursor.take_while(is_name) {
        "" => return Err(cursor.expected("the name of a variable or a function")),
        "newDate" => Expr::NewDate,
        "newUuid" => Expr::NewUuid,
        name => Expr::Variable(name.to_owned()),
    };
    cursor.spaces();
    cursor.expect("}}")?;
    Ok(Some(Placeholder { pos, expr }))
}

/// The name of a variable that is defined, not used.
pub(super) fn variable_name(cursor: &mut Cursor<'_>) -> Result<String, ParseError> {
    let pos = cursor.pos();
    match cursor.take_while(is_name) {
        "" => Err(cursor.expected("the name of a variable")),
        name @ ("newDate" | "newUuid") => {
            Err(error(pos, format!("`{name}` is a function; give the variable another name")))
        }
        name => Ok(name.to_owned()),
    }
}

/// The character after a backslash, of which `also` may stand for themselves.
fn escaped(cursor: &mut Cursor<'_>, also: &str) -> Result<char, ParseError> {
    cursor.expect("\\")?;
    let before = *cursor;
    Ok(match cursor.bump() {
        Some('\\') => '\\',
        Some('b') => '\x08',
        Some('f') => '\x0c',
        Some('n') => '\n',
        Some('r') => '\r',
        Some('t') => '\t',
        Some('u') => unicode(cursor)?,
        Some(letter) if also.contains(letter) => letter,
        _ => return Err(before.expected("a character that can be escaped")),
    })
}

/// `{…}` after `\u`: a code point in hexadecimal.
fn unicode(cursor: &mut Cursor<'_>) -> Result<char, ParseError> {
    cursor.expect("{")?;
    let before = *cursor;
    let digits = cursor.take_while(|letter| letter.is_ascii_hexdigit());
    let letter = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    let letter = letter.ok_or_else(|| before.expected("the code point of a character in hexadecimal"))?;
    cursor.expect("}")?;
    Ok(letter)
}

/// A text up to the end of the line or a comment, without the spaces at its end.
pub(super) fn unquoted(cursor: &mut Cursor<'_>) -> Result<Template, ParseError> {
    let pos = cursor.pos();
    let mut pieces = Pieces::default();
    let mut end = *cursor;
    let mut blanks = 0;
    while let Some(letter) = cursor.peek() {
        if letter == ' ' {
            cursor.bump();
            blanks += 1;
            continue;
        }
        if letter == '#' || (letter.is_ascii_control() && letter != '\x7f') {
            break;
        }
        (0..blanks).for_each(|_| pieces.letter(' '));
        blanks = 0;
        piece(cursor, &mut pieces, "#\"`/")?;
        end = *cursor;
    }
    *cursor = end;
    Ok(pieces.at(pos))
}

/// Takes one character, escape, or value.
fn piece(cursor: &mut Cursor<'_>, pieces: &mut Pieces, also: &str) -> Result<(), ParseError> {
    if cursor.starts_with("\\") {
        pieces.letter(escaped(cursor, also)?);
    } else if let Some(value) = placeholder(cursor)? {
        pieces.value(value);
    } else if let Some(letter) = cursor.bump() {
        pieces.letter(letter);
    }
    Ok(())
}

/// A text between two `quote`s on one line.
fn delimited(cursor: &mut Cursor<'_>, quote: char) -> Result<Template, ParseError> {
    let pos = cursor.pos();
    let mark = quote.to_string();
    if !cursor.eat(&mark) {
        return Err(cursor.expected(&format!("a text in `{quote}`")));
    }
    let mut pieces = Pieces::default();
    while !cursor.eat(&mark) {
        match cursor.peek() {
            Some(letter) if !letter.is_ascii_control() => piece(cursor, &mut pieces, "#\"`/")?,
            _ => return Err(cursor.expected(&format!("`{quote}`"))),
        }
    }
    Ok(pieces.at(pos))
}

/// A text in double quotes.
pub(super) fn quoted(cursor: &mut Cursor<'_>) -> Result<Template, ParseError> {
    delimited(cursor, '"')
}

/// A text in backticks.
pub(super) fn backticks(cursor: &mut Cursor<'_>) -> Result<Template, ParseError> {
    delimited(cursor, '`')
}

/// A key, which ends before the first character that it cannot contain. Empty if there is none.
pub(super) fn key(cursor: &mut Cursor<'_>) -> Result<Template, ParseError> {
    let pos = cursor.pos();
    let mut pieces = Pieces::default();
    if cursor.starts_with("[") {
        return Ok(pieces.at(pos));
    }
    while let Some(letter) = cursor.peek() {
        let plain = letter.is_alphanumeric() || "_-.[]@$".contains(letter);
        if !plain && letter != '\\' && !cursor.starts_with("{{") {
            break;
        }
        piece(cursor, &mut pieces, "#:/")?;
    }
    Ok(pieces.at(pos))
}

/// Whether a key and a colon come next.
pub(super) fn key_comes(mut cursor: Cursor<'_>) -> bool {
    let found = key(&mut cursor).is_ok_and(|key| !key.pieces.is_empty());
    cursor.spaces();
    found && cursor.starts_with(":")
}

/// `key:` and the spaces after it.
pub(super) fn key_colon(cursor: &mut Cursor<'_>) -> Result<Template, ParseError> {
    let key = key(cursor)?;
    if key.pieces.is_empty() {
        return Err(cursor.expected("a key"));
    }
    cursor.spaces();
    cursor.expect(":")?;
    cursor.spaces();
    Ok(key)
}

/// The name of a file. `:` can be escaped where a password may follow.
pub(super) fn file_name(cursor: &mut Cursor<'_>, with_password: bool) -> Result<Template, ParseError> {
    let before = *cursor;
    let mut pieces = Pieces::default();
    while let Some(letter) = cursor.peek() {
        if cursor.starts_with("{{") || letter == '\\' {
            let colon = with_password && cursor.starts_with("\\:");
            if colon {
                pieces.letter('\\');
            }
            piece(cursor, &mut pieces, if with_password { "#; {}:" } else { "#; {}" })?;
        } else if "#;{} \n\r".contains(letter) {
            break;
        } else {
            cursor.bump();
            pieces.letter(letter);
        }
    }
    let name = pieces.at(before.pos());
    if name.pieces.is_empty() || before.starts_with("[") {
        return Err(before.expected("the name of a file"));
    }
    Ok(name)
}

/// The values in a text that has no escapes, from `start` to before `end`.
pub(super) fn plain_template(start: Cursor<'_>, length: usize) -> Result<Template, ParseError> {
    let mut cursor = start;
    let mut pieces = Pieces::default();
    let end = start.rest().len() - length;
    while cursor.rest().len() > end {
        match placeholder(&mut cursor)? {
            Some(value) => pieces.value(value),
            None => pieces.text(&cursor.bump().map(String::from).unwrap_or_default()),
        }
    }
    if cursor.rest().len() < end {
        return Err(error(start.pos(), "`}}` is missing in this text"));
    }
    Ok(pieces.at(start.pos()))
}
