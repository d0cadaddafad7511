//! Finds the end of an XML document in a text.

use super::cursor::{Cursor, error};
use crate::error::ParseError;

/// An XML document: up to the end of its outermost element.
pub(super) fn document(cursor: &mut Cursor<'_>) -> Result<String, ParseError> {
    let all = cursor.rest();
    let mut open: Vec<&str> = Vec::new();
    loop {
        if cursor.eat("<?") {
            name(cursor)?;
            skip_past(cursor, "?>")?;
        } else if cursor.eat("<!--") {
            skip_past(cursor, "-->")?;
        } else if cursor.starts_with("<![CDATA[") && !open.is_empty() {
            skip_past(cursor, "]]>")?;
        } else if cursor.starts_with("<!DOCTYPE") && open.is_empty() {
            doctype(cursor)?;
        } else if cursor.eat("</") {
            close(cursor, &mut open)?;
        } else if cursor.starts_with("<") {
            start(cursor, &mut open)?;
        } else {
            text(cursor, open.last().copied())?;
            continue;
        }
        let ended = all.len() - cursor.rest().len();
        if open.is_empty() && is_element_end(&all[..ended]) {
            return Ok(all[..ended].to_owned());
        }
    }
}

/// The last markup was a tag, not a comment, instruction or declaration.
fn is_element_end(taken: &str) -> bool {
    let start = taken.rfind('<').map_or("", |at| &taken[at..]);
    !(start.starts_with("<?") || start.starts_with("<!") || taken.ends_with("-->"))
}

fn skip_past(cursor: &mut Cursor<'_>, end: &str) -> Result<(), ParseError> {
    while !cursor.eat(end) {
        if cursor.bump().is_none() {
            return Err(cursor.expected(&format!("`{end}`")));
        }
    }
    Ok(())
}

/// A document type declaration, with its internal subset.
fn doctype(cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
    let mut depth = 0;
    loop {
        match cursor.bump() {
            Some('<' | '[') => depth += 1,
            Some('>') if depth == 1 => return Ok(()),
            Some('>' | ']') => depth -= 1,
            Some(_) => {}
            None => return Err(cursor.expected("`>`")),
        }
    }
}

fn name<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, ParseError> {
    let letters = |letter: char| letter.is_alphanumeric() || "_:-.·".contains(letter);
    let found = cursor.take_while(letters);
    match found.chars().next() {
        Some(first) if first.is_alphabetic() || first == '_' || first == ':' => Ok(found),
        _ => Err(cursor.expected("the name of an XML element or attribute")),
    }
}

fn white(cursor: &mut Cursor<'_>) -> bool {
    !cursor.take_while(|letter| matches!(letter, ' ' | '\t' | '\r' | '\n')).is_empty()
}

/// A start tag, or the tag of an empty element.
fn start<'a>(cursor: &mut Cursor<'a>, open: &mut Vec<&'a str>) -> Result<(), ParseError> {
    cursor.bump();
    let element = name(cursor)?;
    loop {
        let spaced = white(cursor);
        if cursor.eat("/>") {
            return Ok(());
        }
        if cursor.eat(">") {
            open.push(element);
            return Ok(());
        }
        if !spaced {
            return Err(cursor.expected("a space, `>` or `/>`"));
        }
        name(cursor)?;
        white(cursor);
        cursor.expect("=")?;
        white(cursor);
        let quote = if cursor.starts_with("'") { "'" } else { "\"" };
        cursor.expect(quote)?;
        while !cursor.eat(quote) {
            match cursor.peek() {
                None | Some('<') => return Err(cursor.expected(&format!("`{quote}`"))),
                Some('&') => reference(cursor)?,
                Some(_) => drop(cursor.bump()),
            }
        }
    }
}

fn close(cursor: &mut Cursor<'_>, open: &mut Vec<&str>) -> Result<(), ParseError> {
    let pos = cursor.pos();
    let element = name(cursor)?;
    match open.pop() {
        Some(last) if last == element => {}
        Some(last) => return Err(error(pos, format!("expected `</{last}>`, found `</{element}>`"))),
        None => return Err(error(pos, format!("`</{element}>` ends no element"))),
    }
    white(cursor);
    cursor.expect(">")
}

/// Characters between tags; outside of elements only white space.
fn text(cursor: &mut Cursor<'_>, element: Option<&str>) -> Result<(), ParseError> {
    match (cursor.peek(), element) {
        (Some('&'), Some(_)) => reference(cursor),
        (Some(_), Some(_)) => {
            cursor.bump();
            Ok(())
        }
        (None, Some(element)) => Err(cursor.expected(&format!("`</{element}>`"))),
        (_, None) if white(cursor) => Ok(()),
        (_, None) => Err(cursor.expected("an XML element")),
    }
}

/// `&name;`
fn reference(cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
    cursor.expect("&")?;
    cursor.eat("#");
    if cursor.take_while(|letter| letter.is_alphanumeric() || "_:-.".contains(letter)).is_empty() {
        return Err(cursor.expected("the name of an XML entity"));
    }
    cursor.expect(";")
}
