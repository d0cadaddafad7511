//! An entry of an HTTP archive (HAR 1.2): a whole request with header fields, cookies and body.

use crate::request_line::checked;
use crate::{Entry, Unreadable, date};
use base64::Engine as _;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

#[derive(Deserialize)]
struct Archived {
    #[serde(rename = "startedDateTime")]
    started: Option<String>,
    request: Option<Request>,
    response: Option<Response>,
}

#[derive(Deserialize)]
struct Request {
    method: String,
    url: String,
    headers: Option<Vec<Named>>,
    cookies: Option<Vec<Named>>,
    #[serde(rename = "postData")]
    post: Option<Post>,
}

/// A header field, a cookie, or a part of a form.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    name: String,
    value: Option<String>,
    #[serde(rename = "fileName")]
    file: Option<String>,
    #[serde(rename = "contentType")]
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Post {
    #[serde(rename = "mimeType")]
    kind: Option<String>,
    text: Option<String>,
    params: Option<Vec<Named>>,
    encoding: Option<String>,
}

#[derive(Deserialize)]
struct Response {
    status: Option<i64>,
}

/// Fields that belong to a connection, to its proxy or to the framing, which are those of the replay.
const OF_CONNECTION: [&str; 11] = [
    "host",
    "content-length",
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authorization",
    "transfer-encoding",
    "te",
    "trailer",
    "upgrade",
    "expect",
];

/// What a form leaves as it is.
const FORM: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'*');
/// Separates the parts of a form whose archive names no boundary.
const BOUNDARY: &str = "warwolf-form-boundary";

pub(crate) fn read(text: &[u8]) -> Result<Entry, Unreadable> {
    let archived: Archived = serde_json::from_slice(text).map_err(|_| Unreadable::Format)?;
    let at_ns = archived.started.as_deref().and_then(date::parse).ok_or(Unreadable::Time)?;
    let request = archived.request.ok_or(Unreadable::Request)?;
    let (method, target) = checked(request.method.as_bytes(), request.url.as_bytes())?;
    if !target.contains("://") {
        return Err(Unreadable::Request);
    }
    let status = archived.response.and_then(|response| response.status);
    let status = status.and_then(|status| u16::try_from(status).ok());
    let status = status.filter(|status| *status > 0);
    let mut entry = Entry { at_ns, method, target, status, is_whole: true, ..Entry::default() };
    for field in request.headers.iter().flatten() {
        let name = field.name.to_ascii_lowercase();
        // `:authority` and the like are the request line of HTTP/2.
        if !name.starts_with(':') && !OF_CONNECTION.contains(&name.as_str()) {
            entry.add_header(&field.name, field.value.as_deref().unwrap_or_default());
        }
    }
    add_cookies(&mut entry, request.cookies.as_deref().unwrap_or_default());
    if let Some(post) = &request.post {
        add_body(&mut entry, post)?;
    }
    Ok(entry)
}

/// Adds the cookies, unless they are among the header fields.
fn add_cookies(entry: &mut Entry, cookies: &[Named]) {
    if cookies.is_empty() || has(entry, "cookie") {
        return;
    }
    let pair = |cookie: &Named| format!("{}={}", cookie.name, cookie.value.as_deref().unwrap_or_default());
    let pairs: Vec<String> = cookies.iter().map(pair).collect();
    entry.add_header("Cookie", &pairs.join("; "));
}

/// Adds the body: its text, or else the parts of its form.
fn add_body(entry: &mut Entry, post: &Post) -> Result<(), Unreadable> {
    let params = post.params.as_deref().unwrap_or_default();
    let mut kind = post.kind.clone().unwrap_or_default();
    entry.body = match post.text.as_deref() {
        Some(text) if !text.is_empty() => {
            if post.encoding.as_deref().is_some_and(|encoding| encoding.eq_ignore_ascii_case("base64")) {
                let decoded = base64::engine::general_purpose::STANDARD.decode(text);
                decoded.map_err(|_| Unreadable::Request)?
            } else {
                text.as_bytes().to_vec()
            }
        }
        _ if params.is_empty() => return Ok(()),
        _ if kind.starts_with("multipart/") => {
            let given = kind.split(';').find_map(|part| part.trim().strip_prefix("boundary="));
            let boundary = given.map_or(BOUNDARY, |text| text.trim_matches('"')).to_owned();
            if given.is_none() {
                kind = format!("multipart/form-data; boundary={BOUNDARY}");
                entry.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
            }
            multipart(params, &boundary)
        }
        _ => {
            let encode = |text: &str| utf8_percent_encode(text, FORM).to_string();
            let pair = |part: &Named| {
                format!("{}={}", encode(&part.name), encode(part.value.as_deref().unwrap_or_default()))
            };
            params.iter().map(pair).collect::<Vec<_>>().join("&").into_bytes()
        }
    };
    if !kind.is_empty() && !has(entry, "content-type") {
        entry.add_header("Content-Type", &kind);
    }
    Ok(())
}

/// The parts of a form as `multipart/form-data` (RFC 7578).
fn multipart(parts: &[Named], boundary: &str) -> Vec<u8> {
    let mut text = String::new();
    for part in parts {
        text += &format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"", quoted(&part.name));
        if let Some(file) = &part.file {
            text += &format!("; filename=\"{}\"", quoted(file));
        }
        if let Some(kind) = &part.kind {
            text += &format!("\r\nContent-Type: {}", kind.replace(['\r', '\n'], " "));
        }
        text += &format!("\r\n\r\n{}\r\n", part.value.as_deref().unwrap_or_default());
    }
    text += &format!("--{boundary}--\r\n");
    text.into_bytes()
}

fn quoted(text: &str) -> String {
    text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

fn has(entry: &Entry, name: &str) -> bool {
    entry.headers.iter().any(|(field, _)| field.eq_ignore_ascii_case(name))
}
