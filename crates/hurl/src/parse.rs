//! The parser: text in, syntax tree out.

mod body;
pub(crate) mod cursor;
mod json;
mod option;
pub(crate) mod query;
mod text;
mod xml;

use crate::ast::{Assert, Capture, Comment, Entry, KeyValue, Part, PartValue, Request, Response, Version};
use crate::error::ParseError;
use cursor::{Cursor, error};
use text::{file_name, key_colon, key_comes, unquoted};

/// Parses a Hurl file.
///
/// # Errors
/// The text is no Hurl file.
pub fn parse(text: &str) -> Result<Vec<Entry>, ParseError> {
    let mut cursor = Cursor::new(text.strip_prefix('\u{feff}').unwrap_or(text));
    let mut entries = Vec::new();
    loop {
        let mut comments = Vec::new();
        cursor.skip_blank(|pos, text| comments.push(Comment { pos, text: text.to_owned() }));
        if cursor.at_end() {
            return Ok(entries);
        }
        let request = request(&mut cursor, comments)?;
        blank(&mut cursor);
        let response = if cursor.starts_with("HTTP") { Some(response(&mut cursor)?) } else { None };
        entries.push(Entry { request, response });
    }
}

/// Skips blank lines and comments, unless a request follows: its comments belong to it.
fn blank(cursor: &mut Cursor<'_>) {
    let before = *cursor;
    cursor.skip_blank(|_, _| {});
    let method = cursor.word();
    let is_request = method.starts_with(|letter: char| letter.is_ascii_uppercase()) && method != "HTTP";
    if is_request && !key_comes(*cursor) {
        *cursor = before;
    }
}

fn request(cursor: &mut Cursor<'_>, comments: Vec<Comment>) -> Result<Request, ParseError> {
    let pos = cursor.pos();
    let before = *cursor;
    let method = cursor.take_while(|letter| letter.is_ascii_alphabetic());
    if method.is_empty() || method.bytes().any(|letter| letter.is_ascii_lowercase()) {
        return Err(before.expected("a request (a method in capitals and a URL)"));
    }
    cursor.expect_space()?;
    let url = unquoted(cursor)?;
    if url.pieces.is_empty() {
        return Err(cursor.expected("a URL"));
    }
    cursor.end_line()?;
    let mut request = Request {
        pos,
        comments,
        method: method.to_owned(),
        url,
        headers: key_values(cursor)?,
        query: Vec::new(),
        form: None,
        multipart: None,
        cookies: Vec::new(),
        basic_auth: None,
        options: Vec::new(),
        body: None,
    };
    let mut seen = Vec::new();
    while let Some(section) = section(cursor, &mut seen)? {
        request_section(cursor, &mut request, section)?;
    }
    request.body = body::body(cursor)?;
    Ok(request)
}

fn request_section(
    cursor: &mut Cursor<'_>,
    request: &mut Request,
    section: Section<'_>,
) -> Result<(), ParseError> {
    match section.name {
        "Query" => request.query = key_values(cursor)?,
        "Form" => request.form = Some(key_values(cursor)?),
        "Multipart" => request.multipart = Some(parts(cursor)?),
        "Cookies" => request.cookies = key_values(cursor)?,
        "BasicAuth" => {
            blank(cursor);
            if key_comes(*cursor) {
                request.basic_auth = Some(key_value(cursor)?);
            }
        }
        "Options" => loop {
            blank(cursor);
            if !option::comes(*cursor) {
                break;
            }
            request.options.push(option::option(cursor)?);
        },
        "Captures" | "Asserts" => {
            let message = format!("[{}] belongs to a response: put it after a line `HTTP 200`", section.name);
            return Err(error(section.start.pos(), message));
        }
        _ => {
            return Err(section.start.expected(
                "a section of a request ([Query], [Form], [Multipart], [Cookies], [BasicAuth], [Options])",
            ));
        }
    }
    Ok(())
}

fn response(cursor: &mut Cursor<'_>) -> Result<Response, ParseError> {
    let pos = cursor.pos();
    cursor.expect("HTTP")?;
    let versions = [
        ("/1.0", Version::Http10),
        ("/1.1", Version::Http11),
        ("/2", Version::Http2),
        ("/3", Version::Http3),
    ];
    let version =
        versions.into_iter().find(|(text, _)| cursor.eat(text)).map_or(Version::Any, |(_, version)| version);
    if !cursor.spaces() {
        return Err(error(pos, "expected HTTP, HTTP/1.0, HTTP/1.1, HTTP/2 or HTTP/3 and a space"));
    }
    let status_pos = cursor.pos();
    let status = if cursor.eat("*") {
        None
    } else {
        let before = *cursor;
        let status = cursor.take_while(|letter| letter.is_ascii_digit()).parse();
        Some(status.map_err(|_| before.expected("a status or `*`"))?)
    };
    cursor.end_line()?;
    let mut response = Response {
        pos,
        version,
        status_pos,
        status,
        headers: key_values(cursor)?,
        captures: Vec::new(),
        asserts: Vec::new(),
        body: None,
    };
    let mut seen = Vec::new();
    while let Some(section) = section(cursor, &mut seen)? {
        response_section(cursor, &mut response, section)?;
    }
    response.body = body::body(cursor)?;
    Ok(response)
}

fn response_section(
    cursor: &mut Cursor<'_>,
    response: &mut Response,
    section: Section<'_>,
) -> Result<(), ParseError> {
    match section.name {
        "Captures" => loop {
            blank(cursor);
            if !key_comes(*cursor) {
                return Ok(());
            }
            response.captures.push(capture(cursor)?);
        },
        "Asserts" => loop {
            blank(cursor);
            if !query::query_comes(cursor) {
                let body = ["true", "false", "null", "base64,", "hex,", "file,"];
                let is_word = cursor.peek().is_some_and(|letter| letter.is_ascii_lowercase());
                if is_word && !body.iter().any(|start| cursor.starts_with(start)) {
                    query::query(cursor)?;
                }
                return Ok(());
            }
            response.asserts.push(assert(cursor)?);
        },
        _ => Err(section.start.expected("a section of a response ([Captures], [Asserts])")),
    }
}

/// The head of a section.
struct Section<'a> {
    /// Its name, the short one if it has two.
    name: &'a str,
    start: Cursor<'a>,
}

/// The head of a section, if one comes next. A name may come once.
fn section<'a>(cursor: &mut Cursor<'a>, seen: &mut Vec<&'a str>) -> Result<Option<Section<'a>>, ParseError> {
    blank(cursor);
    let start = *cursor;
    if !cursor.eat("[") {
        return Ok(None);
    }
    let word = cursor.take_while(char::is_alphanumeric);
    if word.is_empty() || !cursor.eat("]") {
        // An array: the body.
        *cursor = start;
        return Ok(None);
    }
    let name = match word {
        "QueryStringParams" => "Query",
        "FormParams" => "Form",
        "MultipartFormData" => "Multipart",
        other => other,
    };
    if seen.contains(&name) {
        return Err(error(start.pos(), format!("a second section [{word}]")));
    }
    seen.push(name);
    let mut after = *cursor;
    let ends = after.end_line();
    let known = ["Query", "Form", "Multipart", "Cookies", "BasicAuth", "Options", "Captures", "Asserts"];
    if known.contains(&name) {
        ends?;
    }
    *cursor = after;
    Ok(Some(Section { name, start }))
}

/// The lines `key: value` that come next.
fn key_values(cursor: &mut Cursor<'_>) -> Result<Vec<KeyValue>, ParseError> {
    let mut all = Vec::new();
    loop {
        blank(cursor);
        if !key_comes(*cursor) {
            return Ok(all);
        }
        all.push(key_value(cursor)?);
    }
}

fn key_value(cursor: &mut Cursor<'_>) -> Result<KeyValue, ParseError> {
    let key = key_colon(cursor)?;
    let value = unquoted(cursor)?;
    cursor.end_line()?;
    Ok(KeyValue { key, value })
}

/// The parts of `[Multipart]`.
fn parts(cursor: &mut Cursor<'_>) -> Result<Vec<Part>, ParseError> {
    let mut parts = Vec::new();
    loop {
        blank(cursor);
        if !key_comes(*cursor) {
            return Ok(parts);
        }
        let key = key_colon(cursor)?;
        let value = if cursor.eat("file,") {
            cursor.spaces();
            let name = file_name(cursor, false)?;
            cursor.spaces();
            cursor.expect(";")?;
            cursor.spaces();
            let content_type = unquoted(cursor)?;
            PartValue::File { name, content_type: Some(content_type).filter(|text| !text.pieces.is_empty()) }
        } else {
            PartValue::Text(unquoted(cursor)?)
        };
        cursor.end_line()?;
        parts.push(Part { key, value });
    }
}

fn capture(cursor: &mut Cursor<'_>) -> Result<Capture, ParseError> {
    let name = key_colon(cursor)?;
    let query = query::query(cursor)?;
    let filters = query::filters(cursor)?;
    cursor.spaces();
    let redact = cursor.word() == "redact" && cursor.eat("redact");
    cursor.end_line()?;
    Ok(Capture { name, query, filters, redact })
}

fn assert(cursor: &mut Cursor<'_>) -> Result<Assert, ParseError> {
    let query = query::query(cursor)?;
    let filters = query::filters(cursor)?;
    cursor.expect_space()?;
    let predicate = query::predicate(cursor)?;
    cursor.end_line()?;
    Ok(Assert { query, filters, predicate })
}
