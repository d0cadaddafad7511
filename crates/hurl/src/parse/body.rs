//! Bodies of requests and responses.

use super::cursor::{Cursor, error};
use super::text::{backticks, file_name, plain_template};
use super::{json, xml};
use crate::ast::{Body, BodyKind, Json, Language, Piece, Template};
use crate::error::ParseError;
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

const FENCE: &str = "```";

/// Accepts texts with and without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// A body and the rest of its last line, if a body comes next.
pub(super) fn body(cursor: &mut Cursor<'_>) -> Result<Option<Body>, ParseError> {
    let pos = cursor.pos();
    let kind = if let Some(kind) = bytes(cursor)? {
        kind
    } else if cursor.starts_with("`") {
        BodyKind::Oneline(backticks(cursor)?)
    } else if json::comes(cursor) {
        BodyKind::Json(json::value(cursor)?)
    } else if cursor.starts_with("<") {
        BodyKind::Xml(xml::document(cursor)?)
    } else {
        return Ok(None);
    };
    cursor.end_line()?;
    Ok(Some(Body { pos, kind }))
}

/// A text in three backticks, base64, hex, or a file, if one comes next.
pub(super) fn bytes(cursor: &mut Cursor<'_>) -> Result<Option<BodyKind>, ParseError> {
    Ok(Some(if cursor.eat(FENCE) {
        multiline(cursor)?
    } else if cursor.eat("base64,") {
        base64(cursor)?
    } else if cursor.eat("hex,") {
        hex(cursor)?
    } else if cursor.eat("file,") {
        cursor.spaces();
        let name = file_name(cursor, false)?;
        cursor.spaces();
        cursor.expect(";")?;
        BodyKind::File(name)
    } else {
        return Ok(None);
    }))
}

/// The rest of a text in three backticks.
fn multiline(cursor: &mut Cursor<'_>) -> Result<BodyKind, ParseError> {
    let before = *cursor;
    let hint = cursor.take_while(|letter| !matches!(letter, '\n' | '\r' | '`'));
    let language = match hint.trim_end_matches([' ', '\t']) {
        "" => Some(Language::Plain),
        "raw" => Some(Language::Raw),
        "json" => Some(Language::Json),
        "xml" => Some(Language::Xml),
        "graphql" | "graphql," => None,
        _ => return Err(before.expected("`json`, `xml`, `graphql`, `raw`, or the end of the line")),
    };
    if !cursor.newline() {
        return Err(cursor.expected("the end of the line"));
    }
    match language {
        None => graphql(cursor),
        Some(Language::Raw) => {
            let pos = cursor.pos();
            let pieces = vec![Piece::Text(fenced(cursor)?.1.to_owned())];
            Ok(BodyKind::Multiline { language: Language::Raw, text: Template { pos, pieces } })
        }
        Some(language) => {
            let (start, text) = fenced(cursor)?;
            Ok(BodyKind::Multiline { language, text: plain_template(start, text.len())? })
        }
    }
}

/// The text up to the three backticks at its end, which are taken.
fn fenced<'a>(cursor: &mut Cursor<'a>) -> Result<(Cursor<'a>, &'a str), ParseError> {
    let start = *cursor;
    while !cursor.starts_with(FENCE) {
        if cursor.bump().is_none() {
            return Err(cursor.expected("three backticks"));
        }
    }
    let text = &start.rest()[..start.rest().len() - cursor.rest().len()];
    cursor.expect(FENCE)?;
    Ok((start, text))
}

/// A query, then perhaps a line that starts with `variables` and a JSON object.
fn graphql(cursor: &mut Cursor<'_>) -> Result<BodyKind, ParseError> {
    let start = *cursor;
    let mut line_start = false;
    let mut variables: Option<Json> = None;
    let mut length = None;
    while !cursor.starts_with(FENCE) {
        let taken = start.rest().len() - cursor.rest().len();
        if line_start && cursor.eat("variables") {
            cursor.spaces();
            if !cursor.starts_with("{") || cursor.starts_with("{{") {
                return Err(cursor.expected("a JSON object with the variables"));
            }
            variables = Some(json::value(cursor)?);
            length = Some(taken);
            cursor.take_while(|letter| matches!(letter, ' ' | '\t' | '\n' | '\r'));
            break;
        }
        match cursor.bump() {
            Some(letter) => line_start = letter == '\n',
            None => return Err(cursor.expected("three backticks")),
        }
    }
    let length = length.unwrap_or(start.rest().len() - cursor.rest().len());
    cursor.expect(FENCE)?;
    Ok(BodyKind::GraphQl { query: plain_template(start, length)?, variables })
}

/// The rest of `base64,…;`. White space in it is skipped.
fn base64(cursor: &mut Cursor<'_>) -> Result<BodyKind, ParseError> {
    let before = *cursor;
    let text = cursor.take_while(|letter| {
        letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/' | '=' | ' ' | '\t' | '\n' | '\r')
    });
    cursor.expect(";")?;
    let letters: String = text.chars().filter(|letter| !letter.is_ascii_whitespace()).collect();
    let bytes = BASE64.decode(letters);
    bytes
        .map(BodyKind::Base64)
        .map_err(|problem| error(before.pos(), format!("this is not base64: {problem}")))
}

/// The rest of `hex,…;`.
fn hex(cursor: &mut Cursor<'_>) -> Result<BodyKind, ParseError> {
    cursor.spaces();
    let digits = cursor.take_while(|letter| letter.is_ascii_hexdigit());
    if !digits.len().is_multiple_of(2) {
        return Err(error(cursor.pos(), "expected an even number of hexadecimal digits"));
    }
    cursor.spaces();
    cursor.expect(";")?;
    let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or_default() as u8;
    let bytes = digits.as_bytes().chunks_exact(2).map(|pair| value(pair[0]) << 4 | value(pair[1]));
    Ok(BodyKind::Hex(bytes.collect()))
}
