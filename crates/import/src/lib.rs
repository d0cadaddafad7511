//! Turns curl command lines, HTTP archives, OpenAPI documents, Postman collections, `.http` files and vegeta targets into plans.
//!
//! Each format is read into a [`Recording`]: requests, settings, and a list of what was left out. [`plan()`] makes a plan of it. Text in,
//! plan out: files that a text names are read by the caller.
#![forbid(unsafe_code)]

mod curl;
mod encode;
mod error;
mod format;
mod har;
mod http_file;
mod multipart;
mod openapi;
mod plan;
mod postman;
mod recorded;
mod script;
mod text;
mod url;
mod variables;
mod vegeta;
mod yaml;

pub use error::{ImportError, Place};
pub use format::Format;
pub use plan::plan;
pub use recorded::{Body, Capture, Content, Dropped, Part, Recorded, Recording, Settings, Source};
pub use text::{Piece, Text};

use std::collections::BTreeMap;

/// Limit of an imported text in bytes.
pub const INPUT_BYTES_MAX: usize = 64 << 20;
/// Limit of the requests of an imported text.
pub const REQUESTS_MAX: usize = 10_000;

/// Reads a file that the text names; an error is the reason.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// What is imported, and how.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Whether requests to other sites than that of the first page are imported (HTTP archives).
    pub third_parties: bool,
    /// Values of variables, which replace those of the file.
    pub variables: &'a BTreeMap<String, String>,
    /// Scheme, host and path that operations of an API are below, instead of the server that the document names.
    pub server: Option<&'a str>,
    /// The folder that paths of `.http` files are relative to; may be empty.
    pub folder: &'a str,
    /// Reads a file that the text names and that must be known now.
    pub read: ReadFile<'a>,
}

/// Reads a text of this format.
///
/// # Errors
/// The first thing that cannot be imported, and where it stands.
pub fn read(format: Format, bytes: &[u8], options: &Options<'_>) -> Result<Recording, ImportError> {
    if bytes.len() > INPUT_BYTES_MAX {
        return Err(ImportError::whole(format!("more than {} MiB; import a part", INPUT_BYTES_MAX >> 20)));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
        ImportError::new(Place::Line(line), "this is not UTF-8 text")
    })?;
    match format {
        Format::Curl => curl::read(text, options),
        Format::Har => har::read(text, options),
        Format::HttpFile => http_file::read(text, options),
        Format::OpenApi => openapi::read(text, options),
        Format::Postman => postman::read(text, options),
        Format::Vegeta => vegeta::read(text),
    }
}

/// What to do about a host that is not known.
pub(crate) const HOST_IS_VARIABLE: &str =
    "the scheme and host of the URL come from a variable; give its value with --var NAME=VALUE";

/// Whether a text may be the name of a header field (RFC 9110 section 5.6.2).
pub(crate) fn is_token(text: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_token)
}
