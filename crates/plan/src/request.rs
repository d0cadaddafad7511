use crate::PlanError;
use crate::template::{self, Piece, Template};
use crate::words::{check_header, check_path, is_token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Index of a request in [`crate::Plan::requests`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct RequestId(pub u32);

/// Which protocol, and whether over TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scheme {
    /// `http`, port 80.
    Http,
    /// `https`, port 443.
    Https,
    /// `ftp`, port 21: each call is a transfer on connections of its own, see [`Request::transfer`].
    Ftp,
}

impl Scheme {
    /// The port used when the URL names none.
    #[must_use]
    pub const fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
            Self::Ftp => 21,
        }
    }
}

/// Where a request goes: scheme, host and port (an origin, RFC 6454 section 4).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// Which protocol.
    pub scheme: Scheme,
    /// Name or address; an IPv6 address without brackets.
    pub host: String,
    /// TCP port.
    pub port: u16,
}

impl Endpoint {
    /// The value of the `Host` header: brackets round IPv6, the port only when it is not the default.
    #[must_use]
    pub fn host_header(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == self.scheme.default_port() { host } else { format!("{host}:{}", self.port) }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
            Scheme::Ftp => "ftp",
        };
        write!(f, "{scheme}://{}", self.host_header())
    }
}

/// What a request carries after its head.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Body {
    /// Nothing.
    #[default]
    None,
    /// These bytes, as text.
    Text(String),
    /// These bytes, whatever they are.
    Bytes(Vec<u8>),
    /// The content of a file, read while it is sent when it is large.
    File(PathBuf),
    /// Data drawn anew for each call, announced by a `Content-length` as the last line of the head. Needs [`RequestShape::head`].
    Random(RandomData),
    /// Fields of a form, as `application/x-www-form-urlencoded` (WHATWG URL section 5).
    Form(Vec<(String, String)>),
    /// A JSON text. Values in its strings are escaped as JSON needs.
    Json(String),
    /// The parts of a form, as `multipart/form-data` (RFC 7578).
    Multipart(Vec<Part>),
}

/// A part of a form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// The field's name.
    pub name: String,
    /// What it holds.
    pub content: PartContent,
    /// Its `Content-Type`; none for a text, and one that suits the name for a file, unless the plan has it.
    pub content_type: Option<String>,
}

impl Part {
    /// The media type of a file by the end of its name, as Hurl and curl have the most common ones.
    #[must_use]
    pub fn content_type_of(file: &Path) -> &'static str {
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("gif") => "image/gif",
            Some("jpg" | "jpeg") => "image/jpeg",
            Some("png") => "image/png",
            Some("svg") => "image/svg+xml",
            Some("txt") => "text/plain",
            Some("htm" | "html") => "text/html",
            Some("pdf") => "application/pdf",
            Some("xml") => "application/xml",
            _ => "application/octet-stream",
        }
    }
}

/// What a part of a form holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PartContent {
    /// A text.
    Text(String),
    /// The content of a file, sent with its name.
    File(PathBuf),
}

/// One request that sessions may send: its path, and what it shares with the requests that differ from it in their paths
/// only.
///
/// The fields of its [`RequestShape`] are read and set as if they were its own. Setting one takes a copy of the shape first
/// if other requests share it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    /// The request target as sent: path and query.
    pub path: Arc<str>,
    shape: Arc<RequestShape>,
}

/// What a request consists of besides its path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestShape {
    /// Where it goes.
    pub endpoint: Endpoint,
    /// The method, as sent.
    pub method: String,
    /// Header fields in the order sent, besides those the engine adds (`Host`, `Content-Length`, …) when they are not
    /// among them. A `Cookie` field without a value stands where the session's cookies go, beside any of the request's own;
    /// otherwise they come last, unless the request has its own.
    pub headers: Vec<(String, String)>,
    /// What follows the head.
    pub body: Body,
    /// Name and password for basic authentication (RFC 7617) or for FTP, as `name:password`.
    pub basic_auth: Option<String>,
    /// Parameters that are added to the query of the path, encoded as in forms.
    pub query: Vec<(String, String)>,
    /// Whether path, header values, `basic_auth`, query and body contain values in double braces ([`crate::template`]).
    /// Otherwise braces are sent as they are.
    pub is_template: bool,
    /// The whole head as it is sent, up to but without the empty line that ends it; each character up to U+00FF is one byte.
    /// Then nothing is added but the session's own lines at its end: no `Host`, no `Content-Length`. `path` and `headers`
    /// only name the request, and `method` determines whether its reply has a body.
    pub head: Option<String>,
    /// Values that are filled in for each call, in the order of their positions. Over HTTP they need `head`, and no body or
    /// one that is drawn; over FTP they are for files that are stored.
    pub holes: Vec<Hole>,
}

impl RequestShape {
    /// A GET without further header fields.
    #[must_use]
    pub fn get(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            method: "GET".to_owned(),
            headers: Vec::new(),
            body: Body::None,
            basic_auth: None,
            query: Vec::new(),
            is_template: false,
            head: None,
            holes: Vec::new(),
        }
    }
}

/// The different shapes of a list of requests, which all requests of the same shape share: a long list of URLs then takes
/// little more memory than their paths.
#[derive(Debug, Default)]
pub struct Shapes {
    known: HashSet<Arc<RequestShape>>,
    last: Option<Arc<RequestShape>>,
}

impl Shapes {
    /// Replaces the shape of `request` by the one that earlier requests have, if it is the same.
    pub fn share(&mut self, request: &mut Request) {
        if self.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, &request.shape)) {
            return;
        }
        match self.known.get(&request.shape) {
            Some(known) => request.shape = Arc::clone(known),
            None => {
                self.known.insert(Arc::clone(&request.shape));
            }
        }
        self.last = Some(Arc::clone(&request.shape));
    }

    /// Changes the shapes of `requests`, each once. Requests that shared one still do.
    pub fn change(requests: &mut [Request], mut change: impl FnMut(&mut RequestShape)) {
        // Former shapes are kept, so that no address is that of two shapes.
        let mut changed: HashMap<*const RequestShape, [Arc<RequestShape>; 2]> = HashMap::new();
        for request in requests {
            let [_, new] = changed.entry(Arc::as_ptr(&request.shape)).or_insert_with(|| {
                let mut new = RequestShape::clone(&request.shape);
                change(&mut new);
                [Arc::clone(&request.shape), Arc::new(new)]
            });
            request.shape = Arc::clone(new);
        }
    }
}

impl Deref for Request {
    type Target = RequestShape;

    fn deref(&self) -> &RequestShape {
        &self.shape
    }
}

impl DerefMut for Request {
    fn deref_mut(&mut self) -> &mut RequestShape {
        Arc::make_mut(&mut self.shape)
    }
}

/// A value that is filled into a request for each call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hole {
    /// Where it goes: so many bytes of `head` come before it, over FTP of `path`.
    pub at: u32,
    /// The value.
    pub value: HoleValue,
}

/// What a hole is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HoleValue {
    /// The number of the session, from 0.
    Session,
    /// Random data up to its first line feed, which would end the line that it is in. Not over FTP.
    Random(RandomData),
    /// The path of the request, each character one byte, so that requests share the rest of their heads. Not over FTP.
    Path,
}

/// Data drawn anew for each call: bytes of any value, from the session's own stream of random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomData {
    /// Its length at the most, in bytes before they are escaped: 1 to `max`, all alike. At most [`RandomData::LONGEST`].
    pub max: u64,
    /// Whether bytes that mean nothing in a URL are sent as `%XX`: all but letters, digits and `;/?:@&=+$,-_.!~*'()`. Otherwise
    /// they are sent as they are.
    pub escaped: bool,
}

impl RandomData {
    /// The most that may be drawn for a call, in bytes: 64 MiB. All of it is in memory at once.
    pub const LONGEST: u64 = 64 << 20;

    fn check(&self, field: &str) -> Result<(), PlanError> {
        if (1..=Self::LONGEST).contains(&self.max) {
            return Ok(());
        }
        Err(PlanError::new(field, self.max.to_string(), format!("use 1 to {}", Self::LONGEST)))
    }
}

impl Request {
    /// A request for `path`.
    #[must_use]
    pub fn new(path: impl Into<Arc<str>>, shape: RequestShape) -> Self {
        Self { path: path.into(), shape: Arc::new(shape) }
    }

    /// The request for another path that is otherwise the same.
    #[must_use]
    pub fn beside(&self, path: impl Into<Arc<str>>) -> Self {
        Self { path: path.into(), shape: Arc::clone(&self.shape) }
    }

    /// The request as it was sent with this path: where it is a template, its path is not one, and its query is in the path.
    #[must_use]
    pub fn sent_as(&self, path: &str) -> Self {
        if !self.is_template {
            return self.beside(path);
        }
        let mut sent = self.beside(template::escape(path));
        sent.query.clear();
        sent
    }

    /// Calls `see` with the name of each field that may contain values in double braces, and its text.
    pub(crate) fn each_text(&self, see: &mut dyn FnMut(&str, &str)) {
        see("path", &self.path);
        self.headers.iter().for_each(|(name, value)| see(&format!("headers.{name}"), value));
        self.basic_auth.iter().for_each(|login| see("basic_auth", login));
        for (name, value) in &self.query {
            see("query", name);
            see(&format!("query.{name}"), value);
        }
        match &self.body {
            Body::Text(text) => see("body", text),
            Body::Json(text) => see("json", text),
            Body::Form(fields) => {
                for (name, value) in fields {
                    see("form", name);
                    see(&format!("form.{name}"), value);
                }
            }
            Body::Multipart(parts) => {
                for part in parts {
                    if let PartContent::Text(text) = &part.content {
                        see(&format!("multipart.{}", part.name), text);
                    }
                }
            }
            Body::None | Body::Bytes(_) | Body::File(_) | Body::Random(_) => {}
        }
    }

    /// Checks the texts of a template: each must read as one, and what is not a value must be right in its field.
    fn check_template(&self) -> Result<(), PlanError> {
        let mut found = Ok(());
        self.each_text(&mut |field, text| {
            if found.is_ok() {
                found = Template::parse(field, text).and_then(|template| check_texts(field, &template));
            }
        });
        found
    }

    /// What it consists of besides its path. Requests joined by [`Shapes`] have the same one.
    #[must_use]
    pub const fn shape(&self) -> &Arc<RequestShape> {
        &self.shape
    }

    /// A GET of `url`. A text without a scheme is taken as `http`.
    ///
    /// # Errors
    /// When the text is no URL, or one whose scheme is neither `http` nor `https`.
    pub fn get(url: &str) -> Result<Self, PlanError> {
        let wrong =
            |why: &str| PlanError::new("url", url, format!("{why}; use one such as http://127.0.0.1:8080/"));
        let text = url.trim();
        // A query may hold another URL, and the parser forgives `http:/host` what it forgives in browsers.
        let is_scheme_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        let names_scheme =
            text.split_once(":/").is_some_and(|(before, _)| before.bytes().all(is_scheme_byte));
        let parsed =
            if names_scheme { url::Url::parse(text) } else { url::Url::parse(&format!("http://{text}")) };
        let parsed = parsed.map_err(|error| wrong(&error.to_string()))?;
        let scheme = match parsed.scheme() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            other => return Err(wrong(&format!("scheme `{other}` is not known"))),
        };
        let host = match parsed.host() {
            Some(url::Host::Ipv6(address)) => address.to_string(),
            Some(host) => host.to_string(),
            None => return Err(wrong("it has no host")),
        };
        let port = parsed.port().unwrap_or(scheme.default_port());
        if port == 0 {
            return Err(wrong("port 0 cannot be connected to"));
        }
        let path = match parsed.query() {
            Some(query) => format!("{}?{query}", parsed.path()),
            None => parsed.path().to_owned(),
        };
        let decode = |text| percent_encoding::percent_decode_str(text).decode_utf8_lossy();
        let basic_auth = (!parsed.username().is_empty()).then(|| {
            format!("{}:{}", decode(parsed.username()), decode(parsed.password().unwrap_or_default()))
        });
        let endpoint = Endpoint { scheme, host, port };
        Ok(Self::new(path, RequestShape { basic_auth, ..RequestShape::get(endpoint) }))
    }

    /// A GET of `url`, whose path and query may contain values in double braces.
    ///
    /// # Errors
    /// As [`Request::get`], and when the host or the port contains a value.
    pub fn template(url: &str) -> Result<Self, PlanError> {
        let text = url.trim();
        let authority = text.find("://").map_or(0, |at| at + 3);
        let end = text[authority..].find(['/', '?', '#']).map_or(text.len(), |at| authority + at);
        let (origin, rest) = text.split_at(end);
        if template::is_template(origin) {
            let remedy = "give scheme, host and port as they are; path and query may contain values";
            return Err(PlanError::new("url", url, remedy));
        }
        let mut request = Self::get(origin)?;
        let path = rest.split('#').next().unwrap_or_default();
        request.path = if path.starts_with('/') { path.into() } else { format!("/{path}").into() };
        request.is_template = true;
        request.check_template()?;
        Ok(request)
    }

    /// The URL, for tables and messages.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}{}", self.endpoint, self.path)
    }

    /// Whether random data is drawn for each call.
    #[must_use]
    pub fn has_random_data(&self) -> bool {
        matches!(self.body, Body::Random(_))
            || self.holes.iter().any(|hole| matches!(hole.value, HoleValue::Random(_)))
    }

    /// Checks what is filled in for each call over HTTP.
    fn check_holes(&self, head: Option<&str>) -> Result<(), PlanError> {
        if let Body::Random(data) = &self.body {
            data.check("body.random.max")?;
            if head.is_none() {
                return Err(PlanError::new("body", "random", "give the request as it is sent, `head`"));
            }
        }
        let Some(last) = self.holes.last() else { return Ok(()) };
        let wrong = |value: String, remedy: &str| Err(PlanError::new("holes", value, remedy));
        let Some(head) = head else {
            return wrong(format!("{}", self.holes.len()), "give the request as it is sent, `head`");
        };
        if !matches!(self.body, Body::None | Body::Random(_)) {
            return wrong(format!("{}", self.holes.len()), "use no body, or one that is drawn");
        }
        if last.at as usize > head.chars().count() || !self.holes.is_sorted_by_key(|hole| hole.at) {
            return wrong(format!("at {}", last.at), "use positions within `head`, in order");
        }
        for hole in &self.holes {
            match &hole.value {
                HoleValue::Random(data) => data.check("holes.value.random.max")?,
                HoleValue::Path => check_latin("path", &self.path)?,
                HoleValue::Session => {}
            }
        }
        Ok(())
    }

    /// Checks what [`Request::check`] would find wrong in a request whose shape has been checked with another path.
    pub(crate) fn check_beside(&self) -> Result<(), PlanError> {
        match &self.head {
            _ if self.endpoint.scheme == Scheme::Ftp => self.check(),
            None if self.is_template => self.check_template(),
            None => self.check_target(),
            Some(_) if self.holes.iter().any(|hole| hole.value == HoleValue::Path) => {
                check_latin("path", &self.path)
            }
            Some(_) => Ok(()),
        }
    }

    fn check_target(&self) -> Result<(), PlanError> {
        if self.path.is_empty() || !self.path.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(PlanError::new(
                "path",
                &*self.path,
                "use a path without blanks, such as /index.html?q=1",
            ));
        }
        Ok(())
    }

    pub(crate) fn check(&self) -> Result<(), PlanError> {
        if let Body::File(path) = &self.body {
            check_path("body", path)?;
        }
        match self.transfer() {
            Some(transfer) => self.check_transfer(&transfer)?,
            None => self.check_holes(self.head.as_deref())?,
        }
        if let Some(head) = &self.head {
            return check_latin("head", head);
        }
        if self.method.is_empty() || !self.method.bytes().all(is_token) {
            return Err(PlanError::new("method", &self.method, "use a method such as GET or POST"));
        }
        if self.is_template {
            self.check_template()?;
        } else {
            self.check_target()?;
        }
        for (name, value) in &self.headers {
            check_header(name, value).map_err(|remedy| {
                PlanError::new("headers", format!("{name}: {value}").escape_debug().to_string(), remedy)
            })?;
        }
        Ok(())
    }
}

/// Checks what is not a value in a template of a path.
fn check_texts(field: &str, template: &Template) -> Result<(), PlanError> {
    let is_path = field == "path";
    let is_wrong = |piece: &&Piece| matches!(piece, Piece::Text(text) if is_path && !text.bytes().all(|byte| byte.is_ascii_graphic()));
    match template.pieces.iter().find(is_wrong) {
        Some(_) => Err(PlanError::new(
            field,
            template.to_string(),
            "use a path without blanks, such as /item/{{int:1,1000}}",
        )),
        None => Ok(()),
    }
}

/// Checks a text of which each character is sent as one byte.
fn check_latin(field: &str, text: &str) -> Result<(), PlanError> {
    match text.chars().find(|letter| *letter > '\u{ff}') {
        Some(letter) => Err(PlanError::new(
            field,
            letter,
            "each character is one byte: use characters up to U+00FF, such as those of UTF-8 one by one",
        )),
        None => Ok(()),
    }
}
