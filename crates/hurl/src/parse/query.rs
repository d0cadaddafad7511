//! Queries, filters and predicates.

use super::body::bytes;
use super::cursor::{Cursor, error};
use super::text::{backticks, placeholder, quoted};
use crate::ast::{
    Argument, Filter, Number, Pattern, Piece, Predicate, Query, QueryKind, Template, Value, ValueKind,
};
use crate::error::ParseError;

const QUERIES: &[&str] = &[
    "status",
    "version",
    "url",
    "header",
    "cookie",
    "body",
    "xpath",
    "jsonpath",
    "regex",
    "variable",
    "duration",
    "bytes",
    "rawbytes",
    "sha256",
    "md5",
    "certificate",
    "ip",
    "redirects",
];

/// Attributes of a certificate.
const CERTIFICATE: &[&str] =
    &["Subject", "Issuer", "Start-Date", "Expire-Date", "Serial-Number", "Subject-Alt-Name", "Value"];

/// Attributes of a cookie.
const COOKIE: &[&str] = &["value", "expires", "max-age", "domain", "path", "secure", "httponly", "samesite"];

/// Filters without arguments.
const PLAIN: &[&str] = &[
    "base64Decode",
    "base64Encode",
    "base64UrlSafeDecode",
    "base64UrlSafeEncode",
    "count",
    "daysAfterNow",
    "daysBeforeNow",
    "first",
    "htmlEscape",
    "htmlUnescape",
    "last",
    "location",
    "toFloat",
    "toHex",
    "toInt",
    "toString",
    "urlDecode",
    "urlEncode",
    "utf8Decode",
    "utf8Encode",
];

/// Filters with one text.
const TEXTUAL: &[&str] = &[
    "charsetDecode",
    "dateFormat",
    "decode",
    "format",
    "jsonpath",
    "split",
    "toDate",
    "urlQueryParam",
    "xpath",
];

/// Predicates without a value.
const TESTS: &[&str] = &[
    "exists",
    "isBoolean",
    "isCollection",
    "isDate",
    "isEmpty",
    "isFloat",
    "isInteger",
    "isIpv4",
    "isIpv6",
    "isIsoDate",
    "isList",
    "isNumber",
    "isObject",
    "isString",
    "isUuid",
];

/// Predicates with a value. A symbol that begins with another comes before it.
const COMPARISONS: &[&str] =
    &["==", "!=", ">=", ">", "<=", "<", "startsWith", "endsWith", "contains", "includes", "matches"];

fn entry(list: &[&'static str], word: &str) -> Option<&'static str> {
    list.iter().find(|known| **known == word).copied()
}

/// Whether a query comes next.
pub(super) fn query_comes(cursor: &Cursor<'_>) -> bool {
    entry(QUERIES, cursor.word()).is_some()
}

/// A query.
pub(super) fn query(cursor: &mut Cursor<'_>) -> Result<Query, ParseError> {
    let pos = cursor.pos();
    let word = cursor.word();
    if !query_comes(cursor) {
        return Err(cursor.expected(&format!("a query ({})", QUERIES.join(", "))));
    }
    cursor.eat(word);
    let kind = match word {
        "status" => QueryKind::Status,
        "version" => QueryKind::Version,
        "url" => QueryKind::Url,
        "body" => QueryKind::Body,
        "duration" => QueryKind::Duration,
        "bytes" => QueryKind::Bytes,
        "rawbytes" => QueryKind::RawBytes,
        "sha256" => QueryKind::Sha256,
        "md5" => QueryKind::Md5,
        "ip" => QueryKind::Ip,
        "redirects" => QueryKind::Redirects,
        _ => {
            cursor.expect_space()?;
            match word {
                "header" => QueryKind::Header(quoted(cursor)?),
                "xpath" => QueryKind::Xpath(quoted(cursor)?),
                "jsonpath" => QueryKind::Jsonpath(quoted(cursor)?),
                "variable" => QueryKind::Variable(quoted(cursor)?),
                "regex" => QueryKind::Regex(pattern(cursor)?),
                "cookie" => cookie(cursor)?,
                _ => certificate(cursor)?,
            }
        }
    };
    Ok(Query { pos, kind })
}

/// `"name"` or `"name[Attribute]"`.
fn cookie(cursor: &mut Cursor<'_>) -> Result<QueryKind, ParseError> {
    let before = *cursor;
    let Template { pos, mut pieces } = quoted(cursor)?;
    let Some(Piece::Text(last)) = pieces.last_mut() else {
        return Ok(QueryKind::Cookie(Template { pos, pieces }, None));
    };
    let Some((name, attribute)) = last.clone().split_once('[').map(|(a, b)| (a.to_owned(), b.to_owned()))
    else {
        return Ok(QueryKind::Cookie(Template { pos, pieces }, None));
    };
    let attribute = attribute.strip_suffix(']').map(|text| text.trim().to_ascii_lowercase());
    let attribute = attribute.filter(|text| COOKIE.contains(&text.as_str()));
    let Some(attribute) = attribute else {
        return Err(error(
            before.pos(),
            format!("expected an attribute of a cookie ({})", COOKIE.join(", ")),
        ));
    };
    if name.is_empty() {
        pieces.pop();
    } else {
        *last = name;
    }
    Ok(QueryKind::Cookie(Template { pos, pieces }, Some(attribute)))
}

fn certificate(cursor: &mut Cursor<'_>) -> Result<QueryKind, ParseError> {
    cursor.expect("\"")?;
    let before = *cursor;
    let name = cursor.take_while(|letter| letter.is_ascii_alphabetic() || letter == '-');
    let name = entry(CERTIFICATE, name).ok_or_else(|| {
        before.expected(&format!("an attribute of a certificate ({})", CERTIFICATE.join(", ")))
    })?;
    cursor.expect("\"")?;
    Ok(QueryKind::Certificate(name))
}

/// A regular expression in quotes or between slashes.
fn pattern(cursor: &mut Cursor<'_>) -> Result<Pattern, ParseError> {
    let pos = cursor.pos();
    match cursor.peek() {
        Some('"') => Ok(Pattern::Text(quoted(cursor)?)),
        Some('/') => Ok(Pattern::Literal(pos, slashed(cursor)?)),
        _ => Err(cursor.expected("a regular expression in `\"` or `/`")),
    }
}

/// A regular expression between slashes. A slash in it is escaped with a backslash.
fn slashed(cursor: &mut Cursor<'_>) -> Result<String, ParseError> {
    let pos = cursor.pos();
    cursor.expect("/")?;
    let mut text = String::new();
    loop {
        if cursor.eat("\\/") {
            text.push('/');
            continue;
        }
        match cursor.bump() {
            Some('/') => break,
            Some(letter) => text.push(letter),
            None => return Err(cursor.expected("`/`")),
        }
    }
    check_pattern(&text).map_err(|problem| error(pos, problem))?;
    Ok(text)
}

/// Refuses what is no regular expression.
pub(crate) fn check_pattern(text: &str) -> Result<(), String> {
    let problem = match regex_syntax::parse(text) {
        Ok(_) => return Ok(()),
        Err(regex_syntax::Error::Parse(problem)) => problem.kind().to_string(),
        Err(regex_syntax::Error::Translate(problem)) => problem.kind().to_string(),
        Err(problem) => problem.to_string(),
    };
    Err(format!("`{text}` is no regular expression: {problem}"))
}

/// The filters that come next.
pub(super) fn filters(cursor: &mut Cursor<'_>) -> Result<Vec<Filter>, ParseError> {
    let mut filters = Vec::new();
    loop {
        let before = *cursor;
        cursor.spaces();
        let pos = cursor.pos();
        let word = cursor.word();
        let known = [PLAIN, TEXTUAL, &["nth", "regex", "replace", "replaceRegex"]];
        let Some(name) = known.iter().find_map(|list| entry(list, word)) else {
            *cursor = before;
            return Ok(filters);
        };
        cursor.eat(word);
        let argument = if PLAIN.contains(&name) { Argument::None } else { argument(cursor, name)? };
        filters.push(Filter { pos, name, argument });
    }
}

fn argument(cursor: &mut Cursor<'_>, name: &str) -> Result<Argument, ParseError> {
    cursor.expect_space()?;
    Ok(match name {
        "nth" => match placeholder(cursor)? {
            Some(value) => Argument::IndexValue(value),
            None => Argument::Index(index(cursor)?),
        },
        "regex" => Argument::Pattern(pattern(cursor)?),
        "replace" => {
            let old = quoted(cursor)?;
            cursor.expect_space()?;
            Argument::Replace(old, quoted(cursor)?)
        }
        "replaceRegex" => {
            let old = pattern(cursor)?;
            cursor.expect_space()?;
            Argument::ReplacePattern(old, quoted(cursor)?)
        }
        _ => Argument::Text(quoted(cursor)?),
    })
}

fn index(cursor: &mut Cursor<'_>) -> Result<i64, ParseError> {
    let before = *cursor;
    let number = number(cursor)?.filter(|number| !number.is_float);
    let index = number.and_then(|number| number.text.parse().ok());
    index.ok_or_else(|| before.expected("an integer"))
}

/// A number, if one comes next.
pub(super) fn number(cursor: &mut Cursor<'_>) -> Result<Option<Number>, ParseError> {
    let digits = |cursor: &mut Cursor<'_>| cursor.take_while(|letter| letter.is_ascii_digit()).to_owned();
    let sign = if cursor.rest().starts_with('-') { "-" } else { "" };
    if !cursor.rest()[sign.len()..].starts_with(|letter: char| letter.is_ascii_digit()) {
        return Ok(None);
    }
    let before = *cursor;
    cursor.eat(sign);
    let whole = digits(cursor);
    if whole.len() > 1 && whole.starts_with('0') {
        return Err(before.expected("a number without leading zeros"));
    }
    if !cursor.eat(".") {
        return Ok(Some(Number { text: format!("{sign}{whole}"), is_float: false }));
    }
    let fraction = digits(cursor);
    if fraction.is_empty() {
        return Err(cursor.expected("a digit"));
    }
    Ok(Some(Number { text: format!("{sign}{whole}.{fraction}"), is_float: true }))
}

/// A predicate.
pub(super) fn predicate(cursor: &mut Cursor<'_>) -> Result<Predicate, ParseError> {
    let pos = cursor.pos();
    let not = cursor.word() == "not" && cursor.eat("not");
    if not {
        cursor.expect_space()?;
    }
    let word = cursor.word();
    if let Some(name) = entry(TESTS, word) {
        cursor.eat(word);
        return Ok(Predicate { pos, not, name, value: None });
    }
    let symbol = COMPARISONS
        .iter()
        .find(|known| if word.is_empty() { cursor.starts_with(known) } else { **known == word });
    let Some(name) = symbol.copied() else {
        let known = [COMPARISONS, TESTS].concat().join(", ");
        return Err(cursor.expected(&format!("a predicate ({known})")));
    };
    cursor.eat(name);
    if word.is_empty() {
        cursor.spaces();
    } else {
        cursor.expect_space()?;
    }
    let value = value(cursor)?;
    let (fits, what) = match (name, &value.kind) {
        ("==" | "!=" | "contains" | "includes", _) => (true, ""),
        (">" | ">=" | "<" | "<=", ValueKind::Number(_) | ValueKind::Text(_) | ValueKind::Value(_)) => {
            (true, "")
        }
        (">" | ">=" | "<" | "<=", _) => (false, "a number or a text"),
        ("matches", ValueKind::Text(_) | ValueKind::Pattern(_)) => (true, ""),
        ("matches", _) => (false, "a regular expression in `\"` or `/`"),
        (_, ValueKind::Text(_)) => (true, ""),
        (_, ValueKind::Body(crate::ast::BodyKind::Base64(_) | crate::ast::BodyKind::Hex(_))) => (true, ""),
        (_, _) => (false, "a text, `hex,…;` or `base64,…;`"),
    };
    if !fits {
        return Err(error(value.pos, format!("`{name}` needs {what}")));
    }
    Ok(Predicate { pos, not, name, value: Some(value) })
}

/// What a value is compared with.
fn value(cursor: &mut Cursor<'_>) -> Result<Value, ParseError> {
    let pos = cursor.pos();
    let kind = if let Some(body) = bytes(cursor)? {
        ValueKind::Body(body)
    } else if let Some(value) = placeholder(cursor)? {
        ValueKind::Value(value)
    } else if let Some(number) = number(cursor)? {
        ValueKind::Number(number)
    } else if cursor.eat("null") {
        ValueKind::Null
    } else if cursor.eat("true") {
        ValueKind::Bool(true)
    } else if cursor.eat("false") {
        ValueKind::Bool(false)
    } else {
        match cursor.peek() {
            Some('"') => ValueKind::Text(quoted(cursor)?),
            Some('`') => ValueKind::Text(backticks(cursor)?),
            Some('/') => ValueKind::Pattern(slashed(cursor)?),
            _ => {
                return Err(
                    cursor.expected("a value (a text in `\"`, a number, true, false, null, bytes, a file)")
                );
            }
        }
    };
    Ok(Value { pos, kind })
}
