//! Predicates: what is expected of a value.

use crate::Values;
use crate::filter::write_hex;
use crate::pattern::Pattern;
use crate::value::{Kind, Mismatch, Value, write_as_json};
use std::cmp::Ordering;
use std::net::{Ipv4Addr, Ipv6Addr};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use warwolf_plan::query::{Literal, Predicate, Query};
use warwolf_plan::template::{Template, is_template};

/// A value to compare with.
#[derive(Debug)]
pub(crate) enum Expected {
    Fixed {
        kind: Kind,
        bytes: Vec<u8>,
    },
    /// Filled in for each reply; a text of no known kind.
    Filled(Template),
}

/// A compiled predicate.
#[derive(Debug)]
pub(crate) enum Test {
    Equal(Expected),
    NotEqual(Expected),
    Same(Expected),
    Includes(Expected),
    Ordered(Expected, fn(Ordering) -> bool),
    Contains(Expected),
    StartsWith(Expected),
    EndsWith(Expected),
    Matches(Pattern),
    In(Vec<Expected>),
    Exists,
    IsEmpty,
    /// Whether a value is of a kind.
    Is(fn(Value<'_>) -> bool),
    /// Whether a text has a form.
    IsForm(fn(&str) -> bool),
}

impl Test {
    /// # Errors
    /// What would be right.
    pub(crate) fn new(query: &Query, has_filters: bool, predicate: &Predicate) -> Result<Self, String> {
        let is_digest = !has_filters && matches!(query, Query::Sha256 | Query::Md5);
        let expected = |literal: &Literal| Expected::new(literal, is_digest);
        Ok(match predicate {
            Predicate::Equal(literal) => Self::Equal(expected(literal)?),
            Predicate::NotEqual(literal) => Self::NotEqual(expected(literal)?),
            Predicate::Same(literal) => Self::Same(expected(literal)?),
            Predicate::Includes(literal) => Self::Includes(expected(literal)?),
            Predicate::Less(literal) => Self::Ordered(expected(literal)?, Ordering::is_lt),
            Predicate::AtMost(literal) => Self::Ordered(expected(literal)?, Ordering::is_le),
            Predicate::Greater(literal) => Self::Ordered(expected(literal)?, Ordering::is_gt),
            Predicate::AtLeast(literal) => Self::Ordered(expected(literal)?, Ordering::is_ge),
            Predicate::Contains(literal) => Self::Contains(expected(literal)?),
            Predicate::StartsWith(literal) => Self::StartsWith(expected(literal)?),
            Predicate::EndsWith(literal) => Self::EndsWith(expected(literal)?),
            Predicate::Matches(pattern) => Self::Matches(Pattern::new(pattern)?),
            Predicate::In(literals) => Self::In(literals.iter().map(expected).collect::<Result<_, _>>()?),
            Predicate::Exists => Self::Exists,
            Predicate::IsEmpty => Self::IsEmpty,
            Predicate::IsBoolean => Self::Is(|value| value.kind == Kind::Bool),
            Predicate::IsInteger => Self::Is(|value| value.is_integer()),
            Predicate::IsFloat => Self::Is(|value| value.kind == Kind::Number && !value.is_integer()),
            Predicate::IsNumber => Self::Is(|value| value.kind == Kind::Number),
            Predicate::IsText => Self::Is(|value| value.is_text()),
            Predicate::IsList => Self::Is(|value| value.kind == Kind::List),
            Predicate::IsObject => Self::Is(|value| value.kind == Kind::Object),
            Predicate::IsDate => Self::IsForm(|text| OffsetDateTime::parse(text, &Rfc3339).is_ok()),
            Predicate::IsUuid => Self::IsForm(is_uuid),
            Predicate::IsIpv4 => Self::IsForm(|text| text.parse::<Ipv4Addr>().is_ok()),
            Predicate::IsIpv6 => Self::IsForm(|text| text.parse::<Ipv6Addr>().is_ok()),
        })
    }

    /// The value that it compares with, if it is one.
    pub(crate) const fn expected(&self) -> Option<&Expected> {
        match self {
            Self::Equal(expected)
            | Self::NotEqual(expected)
            | Self::Same(expected)
            | Self::Includes(expected)
            | Self::Ordered(expected, _)
            | Self::Contains(expected)
            | Self::StartsWith(expected)
            | Self::EndsWith(expected) => Some(expected),
            _ => None,
        }
    }

    /// Whether it needs more of a value than its kind and its beginning.
    pub(crate) const fn needs_content(&self) -> bool {
        !matches!(self, Self::Exists | Self::IsEmpty | Self::Is(_))
    }

    /// Whether it holds for a value, or for none. `memory` is for texts that are filled in.
    pub(crate) fn holds(
        &self,
        value: Option<Value<'_>>,
        values: &dyn Values,
        memory: &mut Vec<u8>,
    ) -> Result<bool, Mismatch> {
        let Some(value) = value else { return Ok(false) };
        let mut with = |expected: &Expected, holds: &dyn Fn(Value<'_>) -> Result<bool, Mismatch>| {
            expected.with(values, memory, holds).unwrap_or(Err(Mismatch))
        };
        match self {
            Self::Equal(expected) => with(expected, &|expected| Ok(value.equals(expected))),
            Self::NotEqual(expected) => with(expected, &|expected| Ok(!value.equals(expected))),
            Self::Same(expected) => with(expected, &|expected| Ok(value.is_same(expected))),
            Self::Includes(expected) => with(expected, &|expected| Ok(value.includes(expected))),
            Self::Ordered(expected, is_wanted) => {
                with(expected, &|expected| value.compare(expected).map(is_wanted))
            }
            Self::Contains(expected) => with(expected, &|expected| value.contains(expected)),
            Self::StartsWith(expected) => with(expected, &|expected| value.starts_with(expected)),
            Self::EndsWith(expected) => with(expected, &|expected| value.ends_with(expected)),
            Self::In(all) => {
                for expected in all {
                    if with(expected, &|expected| Ok(value.equals(expected)))? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Self::Matches(pattern) if value.is_text() || value.kind == Kind::Bytes => {
                Ok(pattern.is_match(value.bytes))
            }
            Self::Exists => Ok(true),
            Self::IsEmpty => value.is_empty(),
            Self::Is(is_kind) => Ok(is_kind(value)),
            Self::IsForm(has_form) if value.is_text() => {
                Ok(std::str::from_utf8(value.bytes).is_ok_and(has_form))
            }
            Self::Matches(_) | Self::IsForm(_) => Err(Mismatch),
        }
    }
}

impl Expected {
    fn new(literal: &Literal, is_digest: bool) -> Result<Self, String> {
        let fixed = |kind, text: &str| Self::Fixed { kind, bytes: text.as_bytes().to_vec() };
        Ok(match literal {
            Literal::Null => fixed(Kind::Null, "null"),
            Literal::Bool(value) => fixed(Kind::Bool, if *value { "true" } else { "false" }),
            Literal::Integer(number) => fixed(Kind::Number, &number.to_string()),
            Literal::Float(number) => fixed(Kind::Number, &format!("{number:?}")),
            Literal::Text(text) if is_template(text) => {
                let template = Template::parse("", text).map_err(|error| error.remedy)?;
                match template.as_text() {
                    Some(text) => fixed(Kind::Text, text),
                    None => Self::Filled(template),
                }
            }
            Literal::Text(text) if is_digest => fixed(Kind::Text, &text.to_ascii_lowercase()),
            Literal::Text(text) => fixed(Kind::Text, text),
            // Digests are compared by their digits.
            Literal::Bytes(bytes) if is_digest => {
                let mut digits = Vec::new();
                write_hex(bytes, &mut digits);
                Self::Fixed { kind: Kind::Text, bytes: digits }
            }
            Literal::Bytes(bytes) => Self::Fixed { kind: Kind::Bytes, bytes: bytes.clone() },
            Literal::List(literals) => {
                let mut list = b"[".to_vec();
                for (index, literal) in literals.iter().enumerate() {
                    let Self::Fixed { kind, bytes } = Self::new(literal, false)? else {
                        return Err("use values without {{…}} in a list".to_owned());
                    };
                    if index > 0 {
                        list.push(b',');
                    }
                    write_as_json(Value::new(kind, &bytes), &mut list);
                }
                list.push(b']');
                Self::Fixed { kind: Kind::List, bytes: list }
            }
        })
    }

    /// Gives the value to `with`; `None` if one that is filled in is missing.
    pub(crate) fn with<R>(
        &self,
        values: &dyn Values,
        memory: &mut Vec<u8>,
        with: impl FnOnce(Value<'_>) -> R,
    ) -> Option<R> {
        match self {
            Self::Fixed { kind, bytes } => Some(with(Value::new(*kind, bytes))),
            Self::Filled(template) => {
                memory.clear();
                values.write(template, memory).then(|| with(Value::new(Kind::Loose, memory)))
            }
        }
    }
}

/// As in RFC 9562, also without hyphens, in braces, or as a URN.
fn is_uuid(text: &str) -> bool {
    let text = match text.strip_prefix("urn:uuid:") {
        Some(text) => text,
        None => text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text),
    };
    let is_hex =
        |part: &str, length: usize| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex(text, 32) || {
        let mut parts = text.split('-');
        let has_parts =
            [8, 4, 4, 4, 12].iter().all(|length| parts.next().is_some_and(|part| is_hex(part, *length)));
        has_parts && parts.next().is_none()
    }
}
