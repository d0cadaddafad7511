//! Texts with values in double braces: `Bearer {{token}}`, `/item/{{int:1,1000}}`.
//!
//! Inside the braces stands the name of a capture or variable, `table.column` of a data table, or a generator with its
//! arguments after a colon. `\{{` is `{{` as it is.

use crate::PlanError;
use crate::nearest::nearest;
use std::fmt;

/// A text with values that are filled in for each request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Template {
    /// Texts and values in order. No two texts follow each other, and none is empty.
    pub pieces: Vec<Piece>,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// A text as it is.
    Text(String),
    /// A value.
    Value(ValueSource),
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ValueSource {
    /// A capture or a variable.
    Name(String),
    /// A column of the session's row of a data table.
    Column {
        /// The table.
        table: String,
        /// The column.
        column: String,
    },
    /// `int:a,b`: a whole number from `min` to `max`, all alike, drawn for each request.
    Int {
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// `seq`: the number of the session, from 0. No two sessions of a run have the same.
    Sequence,
    /// `uuid`: a random UUID (RFC 9562, version 4), drawn for each request.
    Uuid,
    /// `now`: the time at which the request is made.
    Now(TimeFormat),
    /// `base64:name`: a value in Base64.
    Base64(String),
    /// `hmac_sha256:key,name`: the HMAC (RFC 2104) of a value with the value `key` as its key, in hexadecimal digits.
    HmacSha256 {
        /// The value that is the key.
        key: String,
        /// The value that is signed.
        text: String,
    },
    /// `env:NAME`: a variable of the environment, which counts as a secret.
    Environment(String),
}

/// How a time is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimeFormat {
    /// As in RFC 3339, in UTC with microseconds: `2026-01-02T03:04:05.678901Z`.
    #[default]
    Rfc3339,
    /// Seconds since 1970.
    Unix,
    /// Milliseconds since 1970.
    UnixMs,
}

const GENERATORS: [&str; 7] = ["int", "seq", "uuid", "now", "base64", "hmac_sha256", "env"];

impl Template {
    /// Reads a text with values.
    ///
    /// # Errors
    /// `field` and the value that is wrong, with what would be right.
    pub fn parse(field: &str, text: &str) -> Result<Self, PlanError> {
        let mut template = Self::default();
        let mut rest = text;
        while let Some(at) = rest.find("{{") {
            if let Some(before) = rest[..at].strip_suffix('\\') {
                template.push_text(before);
                template.push_text("{{");
                rest = &rest[at + 2..];
                continue;
            }
            template.push_text(&rest[..at]);
            let inside = &rest[at + 2..];
            let end = inside.find("}}").ok_or_else(|| {
                PlanError::new(field, text, "close it with }}, or write \\{{ for two braces as they are")
            })?;
            template.pieces.push(Piece::Value(ValueSource::parse(field, inside[..end].trim())?));
            rest = &inside[end + 2..];
        }
        template.push_text(rest);
        Ok(template)
    }

    /// A text without values.
    #[must_use]
    pub fn literal(text: &str) -> Self {
        let mut template = Self::default();
        template.push_text(text);
        template
    }

    fn push_text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    /// The text, if it has no values.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match &self.pieces[..] {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Its values.
    pub fn values(&self) -> impl Iterator<Item = &ValueSource> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Value(value) => Some(value),
        })
    }
}

/// Writes a text so that [`Template::parse`] takes it as it is.
#[must_use]
pub fn escape(text: &str) -> String {
    text.replace("{{", "\\{{")
}

/// Whether a text has values in double braces.
#[must_use]
pub fn is_template(text: &str) -> bool {
    text.contains("{{")
}

impl ValueSource {
    fn parse(field: &str, text: &str) -> Result<Self, PlanError> {
        let wrong = |remedy: &str| PlanError::new(field, format!("{{{{{text}}}}}"), remedy);
        let (name, arguments) = match text.split_once(':') {
            Some((name, arguments)) => (name.trim(), Some(arguments.trim())),
            None => (text, None),
        };
        let alone = |value: Self| match arguments {
            None => Ok(value),
            Some(_) => Err(wrong("leave out what follows the colon")),
        };
        let named = |what: &str| {
            let named = arguments.filter(|argument| is_name(argument) || is_column(argument));
            named.map(str::to_owned).ok_or_else(|| wrong(what))
        };
        match name {
            "int" => {
                let bounds = arguments.and_then(|bounds| bounds.split_once(','));
                let bounds =
                    bounds.and_then(|(min, max)| Some((min.trim().parse().ok()?, max.trim().parse().ok()?)));
                let remedy = "use two whole numbers, the smaller one first, such as {{int:1,1000}}";
                let (min, max) = bounds.filter(|(min, max)| min <= max).ok_or_else(|| wrong(remedy))?;
                Ok(Self::Int { min, max })
            }
            "seq" => alone(Self::Sequence),
            "uuid" => alone(Self::Uuid),
            "now" => match arguments {
                None => Ok(Self::Now(TimeFormat::Rfc3339)),
                Some("unix") => Ok(Self::Now(TimeFormat::Unix)),
                Some("unix_ms") => Ok(Self::Now(TimeFormat::UnixMs)),
                Some(_) => Err(wrong("use {{now}}, {{now:unix}} or {{now:unix_ms}}")),
            },
            "base64" => Ok(Self::Base64(named("name the value, such as {{base64:login}}")?)),
            "hmac_sha256" => {
                let names = arguments.and_then(|names| names.split_once(','));
                let names = names.map(|(key, text)| (key.trim(), text.trim()));
                let is_value = |name: &str| is_name(name) || is_column(name);
                let remedy = "name the values that are key and text, such as {{hmac_sha256:key,text}}";
                let (key, text) = names
                    .filter(|(key, text)| is_value(key) && is_value(text))
                    .ok_or_else(|| wrong(remedy))?;
                Ok(Self::HmacSha256 { key: key.to_owned(), text: text.to_owned() })
            }
            "env" => Ok(Self::Environment(named("name the variable, such as {{env:API_KEY}}")?)),
            _ if arguments.is_some() => Err(match nearest(name, GENERATORS) {
                Some(nearest) => wrong(&format!("`{name}` is not known; did you mean `{nearest}`?")),
                None => wrong(&format!("`{name}` is not known; use one of {}", GENERATORS.join(", "))),
            }),
            _ => Self::named(name).ok_or_else(|| {
                wrong(
                    "use a name of letters, digits, _ and -, or table.column; \\{{ is two braces as they are",
                )
            }),
        }
    }

    /// The value called `name`, or `table.column`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        if is_name(name) {
            return Some(Self::Name(name.to_owned()));
        }
        let (table, column) = name.split_once('.').filter(|_| is_column(name))?;
        Some(Self::Column { table: table.to_owned(), column: column.to_owned() })
    }
}

/// Whether this may be the name of a capture, a variable or a table: a letter or `_`, then letters, digits, `_` and `-`.
#[must_use]
pub fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '-')
}

fn is_column(text: &str) -> bool {
    text.split_once('.').is_some_and(|(table, column)| {
        is_name(table) && !column.is_empty() && !column.contains(['{', '}', ',', '"', '\\'])
    })
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => f.write_str(&escape(text)),
            Piece::Value(value) => write!(f, "{{{{{value}}}}}"),
        })
    }
}

impl fmt::Display for ValueSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Column { table, column } => write!(f, "{table}.{column}"),
            Self::Int { min, max } => write!(f, "int:{min},{max}"),
            Self::Sequence => f.write_str("seq"),
            Self::Uuid => f.write_str("uuid"),
            Self::Now(TimeFormat::Rfc3339) => f.write_str("now"),
            Self::Now(TimeFormat::Unix) => f.write_str("now:unix"),
            Self::Now(TimeFormat::UnixMs) => f.write_str("now:unix_ms"),
            Self::Base64(name) => write!(f, "base64:{name}"),
            Self::HmacSha256 { key, text } => write!(f, "hmac_sha256:{key},{text}"),
            Self::Environment(name) => write!(f, "env:{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_reads_back_as_it_is_printed() {
        for text in [
            "",
            "/plain",
            "Bearer {{token}}",
            "{{user.name}}:{{user.pass word}}",
            "/item/{{int:-5,1000}}?n={{seq}}&u={{uuid}}",
            "{{now}} {{now:unix}} {{now:unix_ms}}",
            "{{base64:user.name}} {{hmac_sha256:key,body}} {{env:API_KEY}}",
            "\\{{ as it is }} {{a}}",
        ] {
            let template = Template::parse("path", text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(template.to_string(), text);
        }
        let literal = Template::literal("{{x}}");
        assert_eq!(literal.as_text(), Some("{{x}}"));
        assert_eq!(Template::parse("path", &literal.to_string()).unwrap(), literal);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, remedy) in [
            ("/a/{{id", "close it with }}"),
            ("{{int:5}}", "two whole numbers"),
            ("{{int:5,1}}", "two whole numbers"),
            ("{{ints:1,5}}", "did you mean `int`?"),
            ("{{seq:1}}", "leave out"),
            ("{{}}", "use a name"),
            ("{{a b}}", "use a name"),
            ("{{base64:}}", "name the value"),
            ("{{hmac_sha256:key}}", "key and text"),
            ("{{now:utc}}", "{{now:unix}}"),
        ] {
            let error = Template::parse("path", text).unwrap_err();
            assert!(error.remedy.contains(remedy), "{text}: {error}");
        }
    }
}
