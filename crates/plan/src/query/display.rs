//! Writes queries, filters and predicates so that they read back as the same.

use super::lexer::{quoted, word};
use super::parse::Unit;
use super::{Capture, Check, Filter, Literal, Predicate, Query};
use crate::quantity::print_duration;
use std::fmt::{self, Display, Write as _};
use std::time::Duration;

impl Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status => f.write_str("status"),
            Self::Version => f.write_str("version"),
            Self::Url => f.write_str("url"),
            Self::Header(name) => write!(f, "header {}", word(name)),
            Self::Cookie { name, attribute: None } => write!(f, "cookie {}", word(name)),
            Self::Cookie { name, attribute: Some(attribute) } => {
                write!(f, "cookie {}", quoted(&format!("{name}[{attribute}]")))
            }
            Self::Body => f.write_str("body"),
            Self::Bytes => f.write_str("bytes"),
            Self::Json(path) => write!(f, "json {}", json_path(path)),
            Self::Regex(pattern) => write!(f, "regex {}", quoted(pattern)),
            Self::Variable(name) => write!(f, "{{{{{name}}}}}"),
            Self::Latency => f.write_str("latency"),
            Self::Size => f.write_str("size"),
            Self::Sha256 => f.write_str("sha256"),
            Self::Md5 => f.write_str("md5"),
        }
    }
}

impl Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count => f.write_str("count"),
            Self::Nth(index) => write!(f, "nth {index}"),
            Self::First => f.write_str("first"),
            Self::Last => f.write_str("last"),
            Self::Unwrap => f.write_str("unwrap"),
            Self::Json(path) => write!(f, "json {}", json_path(path)),
            Self::Regex(pattern) => write!(f, "regex {}", quoted(pattern)),
            Self::Replace { old, new } => write!(f, "replace {} {}", quoted(old), quoted(new)),
            Self::ReplaceRegex { pattern, new } => {
                write!(f, "replace_regex {} {}", quoted(pattern), quoted(new))
            }
            Self::Split(separator) => write!(f, "split {}", quoted(separator)),
            Self::ToInt => f.write_str("to_int"),
            Self::ToFloat => f.write_str("to_float"),
            Self::ToText => f.write_str("to_text"),
            Self::ToHex => f.write_str("to_hex"),
            Self::UrlEncode => f.write_str("url_encode"),
            Self::UrlDecode => f.write_str("url_decode"),
            Self::UrlParam(name) => write!(f, "url_param {}", word(name)),
            Self::HtmlEscape => f.write_str("html_escape"),
            Self::HtmlUnescape => f.write_str("html_unescape"),
            Self::Base64Encode => f.write_str("base64_encode"),
            Self::Base64Decode => f.write_str("base64_decode"),
            Self::Base64UrlEncode => f.write_str("base64url_encode"),
            Self::Base64UrlDecode => f.write_str("base64url_decode"),
            Self::Utf8Decode => f.write_str("utf8_decode"),
            Self::Utf8Encode => f.write_str("utf8_encode"),
        }
    }
}

impl Display for Capture {
    /// What is taken, without the name and the limit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.query)?;
        self.filters.iter().try_for_each(|filter| write!(f, " | {filter}"))
    }
}

impl Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.query)?;
        self.filters.iter().try_for_each(|filter| write!(f, " | {filter}"))?;
        if self.is_negated {
            f.write_str(" not")?;
        }
        let unit = if self.filters.is_empty() { Unit::of(&self.query) } else { Unit::None };
        let mut compared = |operator, value| write!(f, " {operator} {}", literal(value, unit));
        match &self.predicate {
            Predicate::Equal(value) => compared("==", value),
            Predicate::NotEqual(value) => compared("!=", value),
            Predicate::Same(value) => compared("===", value),
            Predicate::Less(value) => compared("<", value),
            Predicate::AtMost(value) => compared("<=", value),
            Predicate::Greater(value) => compared(">", value),
            Predicate::AtLeast(value) => compared(">=", value),
            Predicate::Contains(value) => compared("contains", value),
            Predicate::Includes(value) => compared("includes", value),
            Predicate::StartsWith(value) => compared("starts_with", value),
            Predicate::EndsWith(value) => compared("ends_with", value),
            Predicate::Matches(pattern) => write!(f, " matches {}", quoted(pattern)),
            Predicate::In(values) => {
                let values: Vec<String> = values.iter().map(|value| literal(value, unit)).collect();
                write!(f, " in [{}]", values.join(", "))
            }
            Predicate::Exists => f.write_str(" exists"),
            Predicate::IsEmpty => f.write_str(" is_empty"),
            Predicate::IsBoolean => f.write_str(" is_boolean"),
            Predicate::IsInteger => f.write_str(" is_integer"),
            Predicate::IsFloat => f.write_str(" is_float"),
            Predicate::IsNumber => f.write_str(" is_number"),
            Predicate::IsText => f.write_str(" is_text"),
            Predicate::IsList => f.write_str(" is_list"),
            Predicate::IsObject => f.write_str(" is_object"),
            Predicate::IsDate => f.write_str(" is_date"),
            Predicate::IsUuid => f.write_str(" is_uuid"),
            Predicate::IsIpv4 => f.write_str(" is_ipv4"),
            Predicate::IsIpv6 => f.write_str(" is_ipv6"),
        }
    }
}

/// A path is written bare unless it holds what would end a bare word.
fn json_path(path: &str) -> String {
    let is_bare = path.starts_with('$')
        && !path.contains([' ', ',', '|', '"', '\\', '\'', '{', '(', ')', '}', '\t', '\n']);
    if is_bare { path.to_owned() } else { quoted(path) }
}

fn literal(value: &Literal, unit: Unit) -> String {
    match value {
        Literal::Null => "null".to_owned(),
        Literal::Bool(value) => value.to_string(),
        Literal::Integer(nanos) if unit == Unit::Time && *nanos >= 0 => {
            print_duration(Duration::from_nanos(nanos.unsigned_abs()))
        }
        Literal::Integer(number) => number.to_string(),
        Literal::Float(number) => format!("{number:?}"),
        Literal::Text(value) => quoted(value),
        Literal::Bytes(bytes) => bytes.iter().fold("hex:".to_owned(), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        }),
        Literal::List(values) => {
            let values: Vec<String> = values.iter().map(|value| literal(value, unit)).collect();
            format!("[{}]", values.join(", "))
        }
    }
}
