//! Parses a URL in siege's notation: it may be incomplete, and a method and data may follow it.

use super::World;
use super::notices::{Level, notice};
use super::world::reason;

use percent_encoding::percent_decode_str;
use std::path::{Path, PathBuf};
use warwolf_plan::{Endpoint, Scheme};

/// Methods that may follow a URL, in the order in which they are searched.
const METHODS: [&str; 5] = ["POST", "PUT", "PATCH", "OPTIONS", "DELETE"];
/// Words after a URL that prevent escaping, although they are not supported as methods.
const UNESCAPED: [&str; 3] = ["HEAD", "TRACE", "CONNECT"];
/// Extensions of files that are sent unchanged. Other files are sent without surrounding white space if they are UTF-8.
const BINARY: [&str; 40] = [
    "ai", "au", "avi", "bin", "bmp", "bz2", "class", "doc", "docx", "dvi", "eps", "exe", "gif", "gz", "ico",
    "jar", "jpe", "jpeg", "jpg", "js", "json", "mov", "mp3", "mpeg", "mpg", "pdf", "png", "ppt", "ps", "rtf",
    "swf", "tar", "tgz", "tif", "tiff", "wav", "xls", "xlsx", "z", "zip",
];

/// The body of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Payload {
    #[default]
    None,
    Text(String),
    File(PathBuf),
}

/// A parsed URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) endpoint: Endpoint,
    /// The request target as sent.
    pub(super) path: String,
    pub(super) method: &'static str,
    pub(super) payload: Payload,
    /// The payload's own content type, from `-T TYPE;` before it.
    pub(super) content_type: Option<String>,
    /// The path as shown in lines.
    pub(super) shown_path: String,
    /// The whole URL as shown in lines.
    pub(super) shown_url: String,
    /// The scheme is none of http, https and ftp.
    pub(super) unsupported: bool,
    /// Name and password from the URL; only FTP uses them.
    pub(super) login: Option<(String, String)>,
}

/// An impossible host name: its label is too long (RFC 1035 section 2.3.4), so no resolver is queried. Requests to URLs
/// that siege cannot parse go there and fail.
const NOWHERE: &str = "no-such-host-because-no-label-of-a-name-may-be-longer-than-63-bytes";

impl Target {
    fn nowhere(text: &str, unsupported: bool) -> Self {
        Self {
            endpoint: Endpoint { scheme: Scheme::Http, host: NOWHERE.to_owned(), port: 80 },
            path: "/".to_owned(),
            method: "GET",
            payload: Payload::None,
            content_type: None,
            shown_path: text.to_owned(),
            shown_url: text.to_owned(),
            unsupported,
            login: None,
        }
    }
}

/// Options of URL parsing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// Whether bytes that are not valid in a URL are escaped.
    pub(super) escapes: bool,
    /// Whether `localhost:8080` is a scheme and a path, as in 4.x.
    pub(super) quirks: bool,
}

/// Parses a URL; appends notices to `said`.
pub(super) fn read(text: &str, manner: Manner, world: &dyn World, said: &mut String) -> Target {
    let text = text.trim_start();
    // Lists are long, and few of their URLs have anything behind them.
    let has_blank = text.contains(' ');
    let (url, method, data) = if has_blank { split_method(text) } else { (text, "GET", None) };
    let (content_type, data) = match data {
        Some(data) if !manner.quirks => split_type(data),
        _ => (None, data.unwrap_or_default()),
    };
    let payload = match data.strip_prefix('<') {
        _ if method == "GET" => Payload::None,
        Some(file) => from_file(file.trim(), world, said),
        None => Payload::Text(data.to_owned()),
    };
    let has_word =
        method != "GET" || has_blank && UNESCAPED.iter().any(|word| find_word(text, word).is_some());
    let url = if manner.escapes && !has_word { escape(url) } else { url.to_owned() };
    let (scheme, rest) = match split_scheme(&url, manner.quirks) {
        Ok(split) => split,
        Err(Unsupported) => return Target::nowhere(text, true),
    };
    let slashes = rest.strip_prefix("//").unwrap_or(rest);
    let end = slashes.find(['/', '?', '#']).unwrap_or(slashes.len());
    let (authority, path) = slashes.split_at(end);
    let (login, host_and_port) = match authority.rsplit_once('@') {
        Some((login, host)) => (Some(split_login(login)), host),
        None => (None, authority),
    };
    let Some((host, port)) = split_port(host_and_port) else {
        return Target::nowhere(text, false);
    };
    let shown_path = path.split('#').next().unwrap_or_default();
    let shown_path = match shown_path.starts_with('/') {
        true => shown_path.to_owned(),
        false => format!("/{shown_path}"),
    };
    let name = match scheme {
        Scheme::Http => "http",
        Scheme::Https => "https",
        Scheme::Ftp => "ftp",
    };
    if scheme == Scheme::Ftp && ends_a_line(&url) {
        return Target::nowhere(text, false);
    }
    let shown_url = [name, "://", authority, if path.is_empty() { "/" } else { path }].concat();
    let port = port.unwrap_or(scheme.default_port());
    Target {
        endpoint: Endpoint { scheme, host: host.to_owned(), port },
        path: blanks_escaped(&shown_path),
        method,
        payload,
        content_type,
        shown_path,
        shown_url,
        unsupported: false,
        login,
    }
}

/// Splits and percent-decodes name and password.
fn split_login(login: &str) -> (String, String) {
    let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let (name, password) = login.split_once(':').unwrap_or((login, ""));
    (plain(name), plain(password))
}

/// Whether the decoded URL contains a line end or NUL, which would split an FTP command.
fn ends_a_line(url: &str) -> bool {
    percent_decode_str(url).any(|byte| b"\r\n\0".contains(&byte))
}

/// Splits a text into URL, method and data. The method may stand anywhere, after a blank, in capitals.
fn split_method(text: &str) -> (&str, &'static str, Option<&str>) {
    let found = METHODS.iter().find_map(|method| find_word(text, method).map(|at| (at, *method)));
    let Some((at, method)) = found else { return (text, "GET", None) };
    (text[..at].trim_end(), method, Some(text[at + 1 + method.len()..].trim_start()))
}

/// Returns where a blank stands before a word, or before one that begins like it.
fn find_word(text: &str, word: &str) -> Option<usize> {
    text.match_indices(' ').map(|(at, _)| at).find(|at| text[at + 1..].starts_with(word))
}

/// Parses `-T TYPE; data` as the beta of 4.2 does: the type ends at a semicolon or a blank, and the last one applies.
fn split_type(mut data: &str) -> (Option<String>, &str) {
    let mut content_type = None;
    while let Some(rest) = data.strip_prefix("-T").filter(|rest| rest.starts_with(char::is_whitespace)) {
        let rest = rest.trim_start();
        let end = rest.find(|c: char| c == ';' || c.is_whitespace()).unwrap_or(rest.len());
        content_type = Some(rest[..end].to_owned()).filter(|text| !text.is_empty()).or(content_type);
        let behind = rest[end..].trim_start();
        data = behind.strip_prefix(';').unwrap_or(behind).trim_start();
    }
    (content_type, data)
}

fn from_file(file: &str, world: &dyn World, said: &mut String) -> Payload {
    let path = Path::new(file);
    let content = match world.read(path) {
        Ok(content) => content,
        Err(error) => {
            let text = format!("unable to open file: {file}: {}", reason(&error));
            said.push_str(&notice(Level::Error, &text));
            return Payload::Text(String::new());
        }
    };
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if BINARY.contains(&extension.to_ascii_lowercase().as_str()) {
        return Payload::File(path.to_owned());
    }
    match String::from_utf8(content) {
        Ok(text) => Payload::Text(text.trim().to_owned()),
        Err(_) => Payload::File(path.to_owned()),
    }
}

struct Unsupported;

/// Splits off the scheme at its colon. Letters, digits, `-` and `+` before a colon are a scheme.
fn split_scheme(url: &str, quirks: bool) -> Result<(Scheme, &str), Unsupported> {
    let end = url.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '+')).unwrap_or(url.len());
    let (Some(rest), 1..) = (url[end..].strip_prefix(':'), end) else { return Ok((Scheme::Http, url)) };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let is_port = digits > 0 && (rest.len() == digits || rest[digits..].starts_with(['/', '?', '#']));
    match url[..end].to_ascii_lowercase().as_str() {
        "http" => Ok((Scheme::Http, rest)),
        "https" => Ok((Scheme::Https, rest)),
        "ftp" => Ok((Scheme::Ftp, rest)),
        _ if is_port && !quirks => Ok((Scheme::Http, url)),
        _ => Err(Unsupported),
    }
}

/// Splits host and port; `None` if the host is invalid.
fn split_port(authority: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']')?;
            (host, after.strip_prefix(':'))
        }
        None => match authority.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    let in_brackets = authority.starts_with('[');
    let is_part = |c: char| c.is_alphanumeric() || ".-_".contains(c) || (in_brackets && ":%".contains(c));
    if host.is_empty() || !host.chars().all(is_part) {
        return None;
    }
    match port {
        None | Some("") => Some((host, None)),
        Some(port) => Some((host, Some(port.parse().ok().filter(|port| *port > 0)?))),
    }
}

/// Escapes the path after its first slash, and undoes unnecessary escapes.
fn escape(url: &str) -> String {
    let after_scheme = url.find("//").map_or(0, |at| at + 2);
    let Some(slash) = url[after_scheme..].find('/').map(|at| at + after_scheme) else {
        return url.to_owned();
    };
    let mut out = url[..=slash].to_owned();
    let mut bytes = url.as_bytes()[slash + 1..].iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            push_escaped(byte, &mut out);
            continue;
        }
        let mut ahead = bytes.clone();
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        let (high, low) = (ahead.next(), ahead.next());
        let Some(value) = digit(high).zip(digit(low)).map(|(high, low)| (high * 16 + low) as u8) else {
            out.push_str("%25");
            continue;
        };
        bytes = ahead;
        if is_harmless(value) {
            out.push(char::from(value));
        } else {
            out.push('%');
            out.extend([high, low].into_iter().flatten().map(char::from));
        }
    }
    out
}

/// Letters, digits, and marks without a meaning in a URL.
fn is_harmless(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!$'()*,-._".contains(&byte)
}

fn push_escaped(byte: u8, out: &mut String) {
    if is_harmless(byte) || b"[]:;/?@=&#+".contains(&byte) {
        out.push(char::from(byte));
    } else {
        out.push_str(&format!("%{byte:02X}"));
    }
}

/// Escapes the bytes of a path that would break the request line.
fn blanks_escaped(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_graphic() {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
#[path = "url_tests.rs"]
mod tests;
