//! The syntax tree of a Hurl file. Each element has the position of its first character.

use std::fmt;

/// A position in a file. Both numbers start at 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pos {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl fmt::Display for Pos {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.line, self.column)
    }
}

/// The requests of a file with the responses they expect.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The request.
    pub request: Request,
    /// The expected response, if the entry has one.
    pub response: Option<Response>,
}

/// A comment without its `#`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The position of the `#`.
    pub pos: Pos,
    /// The text after it.
    pub text: String,
}

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The position of the method.
    pub pos: Pos,
    /// The comments on lines of their own before the request.
    pub comments: Vec<Comment>,
    /// The method, in capitals.
    pub method: String,
    /// The URL.
    pub url: Template,
    /// Header fields.
    pub headers: Vec<KeyValue>,
    /// `[Query]`.
    pub query: Vec<KeyValue>,
    /// `[Form]`.
    pub form: Option<Vec<KeyValue>>,
    /// `[Multipart]`.
    pub multipart: Option<Vec<Part>>,
    /// `[Cookies]`.
    pub cookies: Vec<KeyValue>,
    /// `[BasicAuth]`: user and password.
    pub basic_auth: Option<KeyValue>,
    /// `[Options]`.
    pub options: Vec<EntryOption>,
    /// The body.
    pub body: Option<Body>,
}

/// An expected response.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The position of the version.
    pub pos: Pos,
    /// The version.
    pub version: Version,
    /// The position of the status.
    pub status_pos: Pos,
    /// The status; `None` stands for any (`*`).
    pub status: Option<u64>,
    /// Header fields the response must have.
    pub headers: Vec<KeyValue>,
    /// `[Captures]`.
    pub captures: Vec<Capture>,
    /// `[Asserts]`.
    pub asserts: Vec<Assert>,
    /// The body the response must have.
    pub body: Option<Body>,
}

/// The version of HTTP of an expected response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// `HTTP`
    Any,
    /// `HTTP/1.0`
    Http10,
    /// `HTTP/1.1`
    Http11,
    /// `HTTP/2`
    Http2,
    /// `HTTP/3`
    Http3,
}

/// A text with values in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The first character.
    pub pos: Pos,
    /// Texts and values in their order; adjacent texts are one.
    pub pieces: Vec<Piece>,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text, with escapes replaced.
    Text(String),
    /// `{{…}}`
    Value(Placeholder),
}

/// An expression in `{{…}}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// The position of the expression.
    pub pos: Pos,
    /// The expression.
    pub expr: Expr,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// The value of a variable.
    Variable(String),
    /// `newDate`: the current date.
    NewDate,
    /// `newUuid`: a random UUID.
    NewUuid,
}

/// `key: value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyValue {
    /// The key.
    pub key: Template,
    /// The value.
    pub value: Template,
}

/// A part of `[Multipart]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The name of the field.
    pub key: Template,
    /// Its value.
    pub value: PartValue,
}

/// The value of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartValue {
    /// A text.
    Text(Template),
    /// `file,name; type`
    File {
        /// The name of the file.
        name: Template,
        /// Its media type.
        content_type: Option<Template>,
    },
}

/// A body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The first character.
    pub pos: Pos,
    /// The body.
    pub kind: BodyKind,
}

/// The spellings of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyKind {
    /// JSON as it is.
    Json(Json),
    /// XML as it is. Values are not replaced in it.
    Xml(String),
    /// A text between lines of three backticks.
    Multiline {
        /// The word after the first backticks.
        language: Language,
        /// The text, which ends with a line end.
        text: Template,
    },
    /// A query and its variables between lines of three backticks.
    GraphQl {
        /// The query.
        query: Template,
        /// Its variables: a JSON object.
        variables: Option<Json>,
    },
    /// A text between backticks.
    Oneline(Template),
    /// `base64,…;`
    Base64(Vec<u8>),
    /// `hex,…;`
    Hex(Vec<u8>),
    /// `file,…;`
    File(Template),
}

/// The language of a text in three backticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// None given.
    Plain,
    /// `raw`: `{{…}}` is text.
    Raw,
    /// `json`
    Json,
    /// `xml`
    Xml,
}

/// A JSON value as written, with values in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Json {
    /// The first character.
    pub pos: Pos,
    /// Its pieces in their order.
    pub pieces: Vec<JsonPiece>,
}

/// A piece of a JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonPiece {
    /// Text as written, with escapes.
    Text(String),
    /// White space between tokens.
    Space(String),
    /// A value inside a string.
    InString(Placeholder),
    /// A value in place of a JSON value.
    Bare(Placeholder),
}

/// An option of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryOption {
    /// The position of the name.
    pub pos: Pos,
    /// The name.
    pub name: &'static str,
    /// The value.
    pub value: OptionValue,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    /// A text or the name of a file.
    Text(Template),
    /// True or false.
    Bool(bool),
    /// A number; `None` stands for -1, no limit.
    Count(Option<u64>),
    /// A number with its unit (`ms`, `s`, `m`, `h`), if one is given.
    Duration(u64, Option<Unit>),
    /// `{{…}}` in place of any of these.
    Value(Placeholder),
    /// `name=value`
    Variable(String, VariableValue),
    /// `brief`, `verbose`, or `debug`.
    Word(&'static str),
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// `ms`
    Milliseconds,
    /// `s`
    Seconds,
    /// `m`
    Minutes,
    /// `h`
    Hours,
}

/// The value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum VariableValue {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(Template),
}

/// A number as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// Its digits, with sign and fraction.
    pub text: String,
    /// It has a fraction.
    pub is_float: bool,
}

/// A value taken from the response.
#[derive(Clone, Debug, PartialEq)]
pub struct Capture {
    /// The name of the variable.
    pub name: Template,
    /// Where the value is.
    pub query: Query,
    /// What is done with it.
    pub filters: Vec<Filter>,
    /// It must not be printed.
    pub redact: bool,
}

/// A condition on the response.
#[derive(Clone, Debug, PartialEq)]
pub struct Assert {
    /// Where the value is.
    pub query: Query,
    /// What is done with it.
    pub filters: Vec<Filter>,
    /// What must hold for it.
    pub predicate: Predicate,
}

/// Where a value is.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The first character.
    pub pos: Pos,
    /// The query.
    pub kind: QueryKind,
}

/// The queries.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryKind {
    /// The status.
    Status,
    /// The version of HTTP.
    Version,
    /// The URL of the last request.
    Url,
    /// The values of a header field.
    Header(Template),
    /// A cookie, or an attribute of it (in small letters).
    Cookie(Template, Option<String>),
    /// The body as text.
    Body,
    /// An XPath over the body.
    Xpath(Template),
    /// A JSON path over the body.
    Jsonpath(Template),
    /// The first group of a regular expression over the body.
    Regex(Pattern),
    /// A variable.
    Variable(Template),
    /// Milliseconds from the request to the end of the response.
    Duration,
    /// The body, decoded.
    Bytes,
    /// The body as it came.
    RawBytes,
    /// The SHA-256 of the body.
    Sha256,
    /// The MD5 of the body.
    Md5,
    /// An attribute of the server's certificate.
    Certificate(&'static str),
    /// The address of the server.
    Ip,
    /// The redirects followed.
    Redirects,
}

/// A regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// In quotes, with values.
    Text(Template),
    /// Between slashes.
    Literal(Pos, String),
}

/// A step that turns a value into another.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// The first character.
    pub pos: Pos,
    /// The name.
    pub name: &'static str,
    /// The arguments.
    pub argument: Argument,
}

/// The arguments of a filter.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// None.
    None,
    /// One text.
    Text(Template),
    /// A position in a list; negative from its end.
    Index(i64),
    /// `{{…}}` in place of a position.
    IndexValue(Placeholder),
    /// A regular expression.
    Pattern(Pattern),
    /// `replace`: old and new text.
    Replace(Template, Template),
    /// `replaceRegex`: a pattern and the new text.
    ReplacePattern(Pattern, Template),
}

/// What must hold for a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    /// The first character, of `not` if there is one.
    pub pos: Pos,
    /// The opposite must hold.
    pub not: bool,
    /// The name.
    pub name: &'static str,
    /// What the value is compared with.
    pub value: Option<Value>,
}

/// What a value is compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The first character.
    pub pos: Pos,
    /// The value.
    pub kind: ValueKind,
}

/// The kinds of values.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text in quotes or backticks.
    Text(Template),
    /// A text between lines of three backticks, bytes, or a file.
    Body(BodyKind),
    /// `{{…}}`
    Value(Placeholder),
    /// A regular expression between slashes.
    Pattern(String),
}
