//! Reads queries, filters and predicates.

use super::lexer::{Lexer, Word};
use super::{Capture, Check, Filter, Literal, Predicate, Query};
use crate::PlanError;
use crate::nearest::nearest;
use crate::quantity::{parse_duration, parse_size};

const QUERIES: [&str; 14] = [
    "status", "version", "url", "header", "cookie", "body", "bytes", "json", "regex", "variable", "latency",
    "size", "sha256", "md5",
];

const FILTERS: [&str; 25] = [
    "count",
    "nth",
    "first",
    "last",
    "unwrap",
    "json",
    "regex",
    "replace",
    "replace_regex",
    "split",
    "to_int",
    "to_float",
    "to_text",
    "to_hex",
    "url_encode",
    "url_decode",
    "url_param",
    "html_escape",
    "html_unescape",
    "base64_encode",
    "base64_decode",
    "base64url_encode",
    "base64url_decode",
    "utf8_decode",
    "utf8_encode",
];

const PREDICATES: [&str; 26] = [
    "==",
    "!=",
    "===",
    "<",
    "<=",
    ">",
    ">=",
    "contains",
    "includes",
    "starts_with",
    "ends_with",
    "matches",
    "in",
    "exists",
    "is_empty",
    "is_boolean",
    "is_integer",
    "is_float",
    "is_number",
    "is_text",
    "is_list",
    "is_object",
    "is_date",
    "is_uuid",
    "is_ipv4",
    "is_ipv6",
];

impl Check {
    /// Reads a check such as `status == 200`, `header X-Id exists` or `json $.items | count >= 3`.
    ///
    /// # Errors
    /// `field` and the text, with what is expected where it stops making sense.
    pub fn parse(field: &str, text: &str) -> Result<Self, PlanError> {
        let wrong = |remedy: String| PlanError::new(field, text, remedy);
        let mut lexer = Lexer::new(text);
        let query = query(&mut lexer).map_err(wrong)?;
        let filters = filters(&mut lexer).map_err(wrong)?;
        let is_negated = lexer.take("not");
        let predicate = predicate(&mut lexer, &query, &filters).map_err(wrong)?;
        if !lexer.is_at_end() {
            return Err(wrong(format!("leave out what follows: {}", lexer.rest())));
        }
        Ok(Self { query, filters, is_negated, predicate })
    }
}

impl Capture {
    /// Reads what a capture called `name` takes, such as `json $.token` or `header Location | url_param id`.
    ///
    /// # Errors
    /// `field` and the text, with what is expected where it stops making sense.
    pub fn parse(field: &str, name: &str, text: &str) -> Result<Self, PlanError> {
        let wrong = |remedy: String| PlanError::new(field, text, remedy);
        let mut lexer = Lexer::new(text);
        let query = query(&mut lexer).map_err(wrong)?;
        let filters = filters(&mut lexer).map_err(wrong)?;
        if !lexer.is_at_end() {
            return Err(wrong(format!("a capture has no condition: leave out {}", lexer.rest())));
        }
        Ok(Self { filters, ..Self::new(name, query) })
    }
}

/// What to write instead of an unknown word.
fn instead(what: &str, word: &str, known: &[&'static str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(nearest) => format!("{what} `{word}` is not known; did you mean `{nearest}`?"),
        None => format!("{what} `{word}` is not known; use one of {}", known.join(", ")),
    }
}

/// The next word, as the argument of `name`.
fn argument(lexer: &mut Lexer<'_>, name: &str) -> Result<String, String> {
    let word = lexer.next()?.ok_or_else(|| format!("give a value after `{name}`"))?;
    Ok(word.text)
}

fn query(lexer: &mut Lexer<'_>) -> Result<Query, String> {
    let word = lexer.next()?.ok_or_else(|| format!("begin with one of {}", QUERIES.join(", ")))?;
    if let Some(name) = variable(&word) {
        return Ok(Query::Variable(name));
    }
    let name = word.text.as_str();
    Ok(match name {
        "status" => Query::Status,
        "version" => Query::Version,
        "url" => Query::Url,
        "header" => Query::Header(argument(lexer, name)?),
        "cookie" => cookie(&argument(lexer, name)?),
        "body" => Query::Body,
        "bytes" => Query::Bytes,
        "json" => Query::Json(argument(lexer, name)?),
        "regex" => Query::Regex(argument(lexer, name)?),
        "variable" => Query::Variable(argument(lexer, name)?),
        "latency" => Query::Latency,
        "size" => Query::Size,
        "sha256" => Query::Sha256,
        "md5" => Query::Md5,
        other => return Err(instead("the query", other, &QUERIES)),
    })
}

/// `{{name}}` as a word of its own.
fn variable(word: &Word) -> Option<String> {
    let name = word.text.strip_prefix("{{")?.strip_suffix("}}")?.trim();
    (!word.is_quoted && !name.is_empty()).then(|| name.to_owned())
}

/// `name` or `name[Attribute]`.
fn cookie(text: &str) -> Query {
    let parts = text.strip_suffix(']').and_then(|text| text.split_once('['));
    let (name, attribute) =
        parts.map_or((text, None), |(name, attribute)| (name, Some(attribute.trim().to_owned())));
    Query::Cookie { name: name.to_owned(), attribute }
}

fn filters(lexer: &mut Lexer<'_>) -> Result<Vec<Filter>, String> {
    let mut filters = Vec::new();
    while lexer.take("|") {
        filters.push(filter(lexer)?);
    }
    Ok(filters)
}

fn filter(lexer: &mut Lexer<'_>) -> Result<Filter, String> {
    let name = argument(lexer, "|")?;
    let mut argument = || argument(lexer, &name);
    Ok(match name.as_str() {
        "count" => Filter::Count,
        "nth" => {
            let index = argument()?;
            Filter::Nth(index.parse().map_err(|_| format!("`nth {index}`: use a whole number, from 0"))?)
        }
        "first" => Filter::First,
        "last" => Filter::Last,
        "unwrap" => Filter::Unwrap,
        "json" => Filter::Json(argument()?),
        "regex" => Filter::Regex(argument()?),
        "replace" => Filter::Replace { old: argument()?, new: argument()? },
        "replace_regex" => Filter::ReplaceRegex { pattern: argument()?, new: argument()? },
        "split" => Filter::Split(argument()?),
        "to_int" => Filter::ToInt,
        "to_float" => Filter::ToFloat,
        "to_text" => Filter::ToText,
        "to_hex" => Filter::ToHex,
        "url_encode" => Filter::UrlEncode,
        "url_decode" => Filter::UrlDecode,
        "url_param" => Filter::UrlParam(argument()?),
        "html_escape" => Filter::HtmlEscape,
        "html_unescape" => Filter::HtmlUnescape,
        "base64_encode" => Filter::Base64Encode,
        "base64_decode" => Filter::Base64Decode,
        "base64url_encode" => Filter::Base64UrlEncode,
        "base64url_decode" => Filter::Base64UrlDecode,
        "utf8_decode" => Filter::Utf8Decode,
        "utf8_encode" => Filter::Utf8Encode,
        other => return Err(instead("the filter", other, &FILTERS)),
    })
}

fn predicate(lexer: &mut Lexer<'_>, query: &Query, filters: &[Filter]) -> Result<Predicate, String> {
    let Some(Word { text: name, .. }) = lexer.next()? else {
        // A variable alone is a condition: it is there.
        let is_condition = matches!(query, Query::Variable(_)) && filters.is_empty();
        return match is_condition {
            true => Ok(Predicate::Exists),
            false => Err(format!("continue with one of {}", PREDICATES.join(" "))),
        };
    };
    let unit = if filters.is_empty() { Unit::of(query) } else { Unit::None };
    let mut value = || literal(lexer, unit, &name);
    Ok(match name.as_str() {
        "==" => Predicate::Equal(value()?),
        "!=" => Predicate::NotEqual(value()?),
        "===" => Predicate::Same(value()?),
        "<" => Predicate::Less(value()?),
        "<=" => Predicate::AtMost(value()?),
        ">" => Predicate::Greater(value()?),
        ">=" => Predicate::AtLeast(value()?),
        "contains" => Predicate::Contains(value()?),
        "includes" => Predicate::Includes(value()?),
        "starts_with" => Predicate::StartsWith(value()?),
        "ends_with" => Predicate::EndsWith(value()?),
        "matches" => Predicate::Matches(argument(lexer, &name)?),
        "in" => Predicate::In(one_of(lexer, unit)?),
        "exists" => Predicate::Exists,
        "is_empty" => Predicate::IsEmpty,
        "is_boolean" => Predicate::IsBoolean,
        "is_integer" => Predicate::IsInteger,
        "is_float" => Predicate::IsFloat,
        "is_number" => Predicate::IsNumber,
        "is_text" => Predicate::IsText,
        "is_list" => Predicate::IsList,
        "is_object" => Predicate::IsObject,
        "is_date" => Predicate::IsDate,
        "is_uuid" => Predicate::IsUuid,
        "is_ipv4" => Predicate::IsIpv4,
        "is_ipv6" => Predicate::IsIpv6,
        other => return Err(instead("the condition", other, &PREDICATES)),
    })
}

/// Values with commas between them, with or without brackets around them.
fn one_of(lexer: &mut Lexer<'_>, unit: Unit) -> Result<Vec<Literal>, String> {
    let first = literal(lexer, unit, "in")?;
    if let Literal::List(values) = first {
        return Ok(values);
    }
    let mut values = vec![first];
    while lexer.take(",") {
        values.push(literal(lexer, unit, ",")?);
    }
    Ok(values)
}

/// What the numbers of a query are written with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    None,
    /// `800ms`, stored in nanoseconds.
    Time,
    /// `10k`, stored in bytes.
    Bytes,
}

impl Unit {
    pub(super) const fn of(query: &Query) -> Self {
        match query {
            Query::Latency => Self::Time,
            Query::Size => Self::Bytes,
            _ => Self::None,
        }
    }
}

fn literal(lexer: &mut Lexer<'_>, unit: Unit, after: &str) -> Result<Literal, String> {
    let word = lexer.next()?.ok_or_else(|| format!("give a value after `{after}`"))?;
    if word.is_quoted {
        return Ok(Literal::Text(word.text));
    }
    if let Some(list) = word.text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        return list_of(list, unit);
    }
    let number = match unit {
        Unit::None => return Ok(bare(word.text)),
        Unit::Time => parse_duration("latency", &word.text).map(|time| time.as_nanos()),
        Unit::Bytes => parse_size("size", &word.text).map(u128::from),
    };
    let number = number.map_err(|error| error.remedy)?;
    i64::try_from(number).map(Literal::Integer).map_err(|_| format!("{}: use a smaller value", word.text))
}

fn list_of(text: &str, unit: Unit) -> Result<Literal, String> {
    let mut lexer = Lexer::new(text);
    let mut values = Vec::new();
    while !lexer.is_at_end() {
        values.push(literal(&mut lexer, unit, "[")?);
        if !lexer.take(",") && !lexer.is_at_end() {
            return Err(format!("put commas between the values of the list [{text}]"));
        }
    }
    Ok(Literal::List(values))
}

/// A bare word as a value: a number, a truth value, `null`, bytes in hexadecimal, or else a text.
fn bare(text: String) -> Literal {
    match text.as_str() {
        "null" => return Literal::Null,
        "true" => return Literal::Bool(true),
        "false" => return Literal::Bool(false),
        _ => {}
    }
    if let Ok(number) = text.parse::<i64>() {
        return Literal::Integer(number);
    }
    let is_number = text.starts_with(|first: char| first.is_ascii_digit() || first == '-' || first == '.');
    if let Some(number) = text.parse::<f64>().ok().filter(|number| is_number && number.is_finite()) {
        return Literal::Float(number);
    }
    match text.strip_prefix("hex:").and_then(bytes) {
        Some(bytes) => Literal::Bytes(bytes),
        None => Literal::Text(text),
    }
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let is_hex = digits.len().is_multiple_of(2) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let pair = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
    is_hex.then(|| (0..digits.len()).step_by(2).map(pair).collect()).flatten()
}
