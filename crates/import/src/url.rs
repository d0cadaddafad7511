//! Absolute URLs.

use crate::encode;
use crate::error::{ImportError, Place};
use crate::text::Text;

/// A URL with scheme and host, of which only what cannot be sent is encoded. It has a path and no fragment.
///
/// # Errors
/// When there is no scheme or host, or another scheme than `http` and `https`.
pub(crate) fn absolute(text: &str, place: &Place) -> Result<Text, ImportError> {
    of_text(&Text::literal(text), place)
}

/// The same for a text with values behind the host.
pub(crate) fn of_text(url: &Text, place: &Place) -> Result<Text, ImportError> {
    let wrong = |message: String| Err(ImportError::new(place.clone(), message));
    let start = url.start();
    if start.is_empty() && !url.is_empty() {
        return wrong(format!("`{url}`: {}", crate::HOST_IS_VARIABLE));
    }
    let Some((scheme, rest)) = start.split_once("://") else {
        return wrong(format!("the URL `{url}` has no scheme and host; write http://HOST/…"));
    };
    let scheme = scheme.to_ascii_lowercase();
    if !matches!(scheme.as_str(), "http" | "https") {
        return wrong(format!("`{scheme}`: only http and https are imported"));
    }
    let host = match rest.find(['/', '?', '#']) {
        Some(end) => &rest[..end],
        None if url.pieces().len() > 1 => return wrong(format!("`{url}`: {}", crate::HOST_IS_VARIABLE)),
        None => rest,
    };
    if host.is_empty() || host.contains(|letter: char| letter.is_whitespace() || letter.is_control()) {
        return wrong(format!("the URL `{url}` has no valid host"));
    }
    let after = url.strip_prefix(&start[..start.len() - rest.len() + host.len()]).unwrap_or_default();
    let after = after.split_once(&['#']).map_or(after, |(before, _)| before);
    let slash = if after.start().starts_with('/') { "" } else { "/" };
    Ok(Text::literal(format!("{scheme}://{host}{slash}")).and(&after.map(encode::target)))
}

/// Name and password of a URL, and the URL without them.
pub(crate) fn without_user(url: &Text) -> (Text, Option<Text>) {
    let start = url.start();
    let host = start.find("://").map_or(0, |at| at + 3);
    let end = start[host..].find('/').map_or(start.len(), |length| host + length);
    let Some(at) = start[host..end].rfind('@').map(|length| host + length) else {
        return (url.clone(), None);
    };
    let (name, password) = start[host..at].split_once(':').unwrap_or((&start[host..at], ""));
    let user = format!("{}:{}", encode::decoded(name), encode::decoded(password));
    let rest = url.strip_prefix(&start[..=at]).unwrap_or_default();
    (Text::literal(&start[..host]).and(&rest), Some(Text::literal(user)))
}

/// Scheme, host and port, in lower case.
pub(crate) fn origin(url: &str) -> String {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find(['/', '?', '#']).map_or(url.len(), |length| host + length);
    url[..end].to_ascii_lowercase()
}
