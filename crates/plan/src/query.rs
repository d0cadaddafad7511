//! What a step reads from its reply, and what it expects to find there.
//!
//! One grammar serves captures, checks and conditions:
//!
//! ```text
//! check   = query { "|" filter } [ "not" ] predicate
//! capture = query { "|" filter }
//! query   = "status" | "header" NAME | "json" PATH | "body" | …
//! ```
//!
//! The text of a check and its parsed form say the same: [`Check::parse`] and its `Display` are inverse to each other up
//! to blanks and quotes.

mod display;
mod lexer;
mod parse;
#[cfg(test)]
mod tests;

pub(crate) use lexer::quoted;

/// A value of a reply, a variable, or a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// The status: a whole number.
    Status,
    /// The version in the status line, such as `HTTP/1.1`.
    Version,
    /// The URL of the reply: that of the last request where redirects were followed.
    Url,
    /// A header field, by name in any case; a list where it occurs several times.
    Header(String),
    /// A cookie that the reply sets, by name, or one of its attributes.
    Cookie {
        /// Its name.
        name: String,
        /// An attribute such as `Path` instead of the value.
        attribute: Option<String>,
    },
    /// The body as text.
    Body,
    /// The body as bytes.
    Bytes,
    /// A value in a JSON body, by path (RFC 9535).
    Json(String),
    /// The first match of a regular expression in the body: its first group, or all of it.
    Regex(String),
    /// A variable or an earlier capture.
    Variable(String),
    /// From the request to the end of the reply, in nanoseconds.
    Latency,
    /// Length of the body in bytes, without transfer coding.
    Size,
    /// SHA-256 of the body.
    Sha256,
    /// MD5 of the body.
    Md5,
}

/// Changes a value before it is stored or compared.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// The number of elements of a list, or of bytes or characters.
    Count,
    /// An element of a list, from 0; from the end if negative.
    Nth(i64),
    /// The first element.
    First,
    /// The last element.
    Last,
    /// The element of a list with one; nothing, if the list is empty. Other values stay as they are.
    Unwrap,
    /// A value in a JSON text, by path.
    Json(String),
    /// The first match of a regular expression.
    Regex(String),
    /// All occurrences of a text replaced by another.
    Replace {
        /// What is replaced.
        old: String,
        /// What replaces it.
        new: String,
    },
    /// All matches of a regular expression replaced by a text.
    ReplaceRegex {
        /// What is replaced.
        pattern: String,
        /// What replaces it.
        new: String,
    },
    /// A list of the parts between separators.
    Split(String),
    /// A whole number.
    ToInt,
    /// A number.
    ToFloat,
    /// A text.
    ToText,
    /// Lower-case hexadecimal digits of bytes.
    ToHex,
    /// Percent-encoding (RFC 3986).
    UrlEncode,
    /// The reverse.
    UrlDecode,
    /// The value of a parameter of a URL's query.
    UrlParam(String),
    /// Escapes of HTML.
    HtmlEscape,
    /// The reverse.
    HtmlUnescape,
    /// Base64 (RFC 4648 section 4).
    Base64Encode,
    /// The reverse: bytes.
    Base64Decode,
    /// Base64 with the alphabet for URLs (RFC 4648 section 5).
    Base64UrlEncode,
    /// The reverse: bytes.
    Base64UrlDecode,
    /// Text from bytes in UTF-8.
    Utf8Decode,
    /// Bytes from a text.
    Utf8Encode,
}

/// A value that a check compares with.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number. Durations are nanoseconds, sizes bytes.
    Integer(i64),
    /// A number.
    Float(f64),
    /// A text, which may contain `{{…}}`.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A list, for `in`.
    List(Vec<Self>),
}

/// What is expected of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// `==`: the same kind and value. A text that is a number equals that number.
    Equal(Literal),
    /// `!=`
    NotEqual(Literal),
    /// `===`: the same kind and value. A text never equals a number.
    Same(Literal),
    /// `<`
    Less(Literal),
    /// `<=`
    AtMost(Literal),
    /// `>`
    Greater(Literal),
    /// `>=`
    AtLeast(Literal),
    /// `contains`: a text contains a text, bytes contain bytes, a list contains a value.
    Contains(Literal),
    /// `includes`: an element of a list is the [`Predicate::Same`] as the value. What is no list counts as a list of one.
    Includes(Literal),
    /// `starts_with`
    StartsWith(Literal),
    /// `ends_with`
    EndsWith(Literal),
    /// `matches`: a regular expression matches somewhere in the text.
    Matches(String),
    /// `in`: one of a list of values.
    In(Vec<Literal>),
    /// `exists`
    Exists,
    /// `is_empty`: a text, list or object without content.
    IsEmpty,
    /// `is_boolean`
    IsBoolean,
    /// `is_integer`
    IsInteger,
    /// `is_float`
    IsFloat,
    /// `is_number`
    IsNumber,
    /// `is_text`
    IsText,
    /// `is_list`
    IsList,
    /// `is_object`
    IsObject,
    /// `is_date`: a date and time as in RFC 3339.
    IsDate,
    /// `is_uuid`
    IsUuid,
    /// `is_ipv4`
    IsIpv4,
    /// `is_ipv6`
    IsIpv6,
}

/// What a reply must satisfy, or a condition on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What is looked at.
    pub query: Query,
    /// Applied to it in order.
    pub filters: Vec<Filter>,
    /// Whether the opposite of the predicate is expected.
    pub is_negated: bool,
    /// What is expected.
    pub predicate: Predicate,
}

/// A value of a reply that later requests of the session use.
#[derive(Clone, Debug, PartialEq)]
pub struct Capture {
    /// The name for `{{name}}`.
    pub name: String,
    /// What is taken.
    pub query: Query,
    /// Applied to it in order.
    pub filters: Vec<Filter>,
    /// Its length at the most, in bytes. A longer value is a failed check, and nothing is stored.
    pub max: u32,
}

impl Capture {
    /// The length at the most unless a plan names another.
    pub const MAX: u32 = 256;

    /// A capture of at most [`Capture::MAX`] bytes, without filters.
    #[must_use]
    pub fn new(name: impl Into<String>, query: Query) -> Self {
        Self { name: name.into(), query, filters: Vec::new(), max: Self::MAX }
    }
}

impl Check {
    /// A check without filters.
    #[must_use]
    pub const fn new(query: Query, predicate: Predicate) -> Self {
        Self { query, filters: Vec::new(), is_negated: false, predicate }
    }

    /// Calls `see` with each text that it compares with, which may contain values in double braces.
    pub(crate) fn each_text(&self, see: &mut dyn FnMut(&str)) {
        fn literal(value: &Literal, see: &mut dyn FnMut(&str)) {
            match value {
                Literal::Text(text) => see(text),
                Literal::List(values) => values.iter().for_each(|value| literal(value, see)),
                _ => {}
            }
        }
        match &self.predicate {
            Predicate::Equal(value)
            | Predicate::NotEqual(value)
            | Predicate::Less(value)
            | Predicate::AtMost(value)
            | Predicate::Greater(value)
            | Predicate::AtLeast(value)
            | Predicate::Contains(value)
            | Predicate::StartsWith(value)
            | Predicate::EndsWith(value) => literal(value, see),
            Predicate::In(values) => values.iter().for_each(|value| literal(value, see)),
            _ => {}
        }
    }
}
