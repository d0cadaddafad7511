//! What all formats are read into.

use crate::error::Place;
use crate::text::Text;
use std::fmt;
use std::time::Duration;
use warwolf_plan::{HttpVersion, Network, Tls};

/// A request as a file describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// Name of the step; empty if the file has none.
    pub name: String,
    /// Name of the group; empty if it belongs to none.
    pub group: String,
    /// The method.
    pub method: String,
    /// The whole URL, with scheme and host, without a fragment.
    pub url: Text,
    /// Header fields in their order, without those that the connection sets.
    pub headers: Vec<(String, Text)>,
    /// The body.
    pub body: Body,
    /// Name and password for basic authentication, as `name:password`.
    pub basic_auth: Option<Text>,
    /// Pause before the request.
    pub think: Duration,
    /// Values that later requests take from the reply.
    pub captures: Vec<Capture>,
    /// Checks of the reply, in the words of plans: `status == 200`.
    pub checks: Vec<String>,
    /// Redirects that are followed in a row, instead of those of the plan.
    pub redirects: Option<u32>,
    /// Limit of the whole call.
    pub timeout: Option<Duration>,
}

impl Recorded {
    /// A request without header fields.
    pub(crate) fn new(method: impl Into<String>, url: Text) -> Self {
        Self { method: method.into(), url, ..Self::default() }
    }

    /// The first header field of this name.
    pub(crate) fn header(&self, name: &str) -> Option<&Text> {
        self.headers.iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Adds a header field unless there is one of this name.
    pub(crate) fn add_header(&mut self, name: &str, value: Text) {
        if self.header(name).is_none() {
            self.headers.push((name.to_owned(), value));
        }
    }
}

/// The body of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Body {
    /// None.
    #[default]
    None,
    /// Text as it is sent.
    Text(Text),
    /// Bytes that are no text.
    Bytes(Vec<u8>),
    /// The content of a file.
    File(String),
    /// Names and values of a form, not encoded.
    Form(Vec<(Text, Text)>),
    /// Parts of a `multipart/form-data` body.
    Multipart(Vec<Part>),
}

impl Body {
    /// These bytes, as text if they are text.
    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::Text(Text::literal(text)),
            Err(error) => Self::Bytes(error.into_bytes()),
        }
    }
}

/// A part of a form.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Text, or the path of a file.
    pub content: Content,
    /// The file name that is sent.
    pub filename: Option<String>,
    /// The type that is sent.
    pub content_type: Option<String>,
}

/// What a part consists of.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Text.
    Text(Text),
    /// The content of a file.
    File(String),
}

/// A value that is taken from a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// Its name.
    pub name: String,
    /// Where it is found.
    pub from: Source,
    /// Its length in the recording, in bytes.
    pub bytes: usize,
    /// Whether it is percent-encoded before it is stored.
    pub is_encoded: bool,
}

/// Where a captured value is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A JSON path.
    Json(String),
    /// A header field.
    Header(String),
    /// A cookie that the reply sets.
    Cookie(String),
    /// The first group of a regular expression.
    Regex(String),
}

/// What a file says about the run as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Addresses and proxies.
    pub network: Network,
    /// TLS.
    pub tls: Tls,
    /// The version, if it is not HTTP/1.1.
    pub version: HttpVersion,
    /// Limit of connecting.
    pub connect_timeout: Option<Duration>,
    /// Redirects that are followed in a row.
    pub redirects: u32,
    /// Whether sessions keep cookies.
    pub cookies: bool,
    /// Name and password for Digest challenges, as `name:password`.
    pub digest: Option<String>,
}

/// Something that the plan does not contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Where it stands.
    pub place: Place,
    /// What it is.
    pub what: String,
    /// Why it is left out.
    pub why: String,
}

impl Dropped {
    pub(crate) fn new(place: Place, what: impl Into<String>, why: impl Into<String>) -> Self {
        Self { place, what: what.into(), why: why.into() }
    }
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Whole => write!(f, "{}: {}", self.what, self.why),
            place => write!(f, "{place}: {}: {}", self.what, self.why),
        }
    }
}

/// What a file contains.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// The requests in their order.
    pub requests: Vec<Recorded>,
    /// Values with names, which requests may use.
    pub variables: Vec<(String, Text)>,
    /// What applies to all of them.
    pub settings: Settings,
    /// What the plan does not contain.
    pub dropped: Vec<Dropped>,
}

impl Recording {
    /// Notes that something is left out.
    pub(crate) fn drop(&mut self, place: Place, what: impl Into<String>, why: impl Into<String>) {
        let dropped = Dropped::new(place, what, why);
        if !self.dropped.contains(&dropped) {
            self.dropped.push(dropped);
        }
    }
}
