//! Values of replies that later requests send back: they become captures.

use super::{Exchange, html, spellings};
use crate::recorded::{Body, Capture, Content, Recorded, Source};
use crate::text::Text;
use crate::variables::identifier;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Limits of the values that are looked for, in bytes.
const VALUE_MIN: usize = 6;
const VALUE_MAX: usize = 16 << 10;
/// Values of one reply at the most, and levels of its JSON.
const VALUES_MAX: usize = 20_000;
const DEPTH_MAX: usize = 64;
/// Captures of a recording at the most.
const CAPTURES_MAX: usize = 500;

/// Fields of replies that no request repeats on purpose.
const NOT_CAPTURED: [&str; 14] = [
    "age",
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "date",
    "expires",
    "last-modified",
    "server",
    "set-cookie",
    "strict-transport-security",
    "content-security-policy",
    "vary",
    "alt-svc",
];

/// A value of a reply.
struct Found {
    exchange: usize,
    name: String,
    from: Source,
}

/// Replaces values that come from earlier replies by captures of those.
pub(super) fn correlate(exchanges: &[Exchange], requests: &mut [Recorded]) {
    let mut found: HashMap<String, Found> = HashMap::new();
    // Values that requests had before any reply: the user's own.
    let mut sent: HashSet<String> = HashSet::new();
    let mut names: HashMap<(usize, String, bool), String> = HashMap::new();
    let mut used: HashSet<String> = HashSet::new();
    for (index, exchange) in exchanges.iter().enumerate() {
        let tokens = tokens(&requests[index]);
        let mut matches: Vec<&str> =
            tokens.iter().map(String::as_str).filter(|t| found.contains_key(*t)).collect();
        // Long values first: others may be parts of them.
        matches.sort_by_key(|token| std::cmp::Reverse(token.len()));
        for token in matches {
            let Some(source) = found.get(token) else { continue };
            for (is_encoded, spelling) in spellings(token).iter().enumerate().map(|(i, s)| (i > 0, s)) {
                if is_encoded && spelling == token || names.len() >= CAPTURES_MAX {
                    continue;
                }
                let key = (source.exchange, token.to_owned(), is_encoded);
                let name =
                    names.get(&key).cloned().unwrap_or_else(|| new_name(&source.name, is_encoded, &used));
                if !replace(&mut requests[index], spelling, &name) {
                    continue;
                }
                if names.insert(key, name.clone()).is_none() {
                    used.insert(name.clone());
                    let from = source.from.clone();
                    let capture = Capture { name, from, bytes: spelling.len(), is_encoded };
                    requests[source.exchange].captures.push(capture);
                }
            }
        }
        sent.extend(tokens);
        for (value, name, from) in values(exchange) {
            if !sent.contains(&value) {
                found.entry(value).or_insert(Found { exchange: index, name, from });
            }
        }
    }
}

fn new_name(base: &str, is_encoded: bool, used: &HashSet<String>) -> String {
    let base = if is_encoded { format!("{base}_encoded") } else { base.to_owned() };
    let numbered = (2..).map(|number| format!("{base}_{number}"));
    std::iter::once(base.clone()).chain(numbered).find(|name| !used.contains(name)).unwrap_or(base)
}

/// Whether a value is likely to be from this reply alone.
fn is_telling(value: &str) -> bool {
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let is_token = value.len() >= VALUE_MIN && (has_digit || value.len() >= 16);
    let is_one = !value.contains(|letter: char| letter.is_whitespace() || letter.is_control());
    value.len() <= VALUE_MAX && is_one && ((is_number && value.len() >= 3) || is_token)
}

/// The values of a reply, with a name and how to find them.
fn values(exchange: &Exchange) -> Vec<(String, String, Source)> {
    let reply = &exchange.reply;
    let mut values = Vec::new();
    if reply.is_json()
        && let Ok(json) = serde_json::from_str::<Value>(&reply.body)
    {
        leaves(&json, "$", "value", 0, &mut values);
    }
    for (name, value) in &reply.headers {
        let lower = name.to_ascii_lowercase();
        if !NOT_CAPTURED.contains(&lower.as_str()) && is_telling(value) {
            values.push((value.clone(), identifier(&lower), Source::Header(name.clone())));
        }
    }
    for (name, value) in &reply.cookies {
        if is_telling(value) {
            values.push((value.clone(), identifier(name), Source::Cookie(name.clone())));
        }
    }
    if reply.is_html() {
        for field in html::fields(&reply.body) {
            if is_telling(&field.value) {
                values.push((field.value, identifier(&field.name), Source::Regex(field.pattern)));
            }
        }
    }
    values
}

/// Collects the texts and numbers of a document.
fn leaves(value: &Value, path: &str, name: &str, depth: usize, values: &mut Vec<(String, String, Source)>) {
    if depth > DEPTH_MAX || values.len() >= VALUES_MAX {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let is_plain = key.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
                    && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                let path = match is_plain {
                    true => format!("{path}.{key}"),
                    false if key.contains(['\'', '"', '\\']) || key.contains(char::is_control) => continue,
                    false => format!("{path}['{key}']"),
                };
                leaves(value, &path, key, depth + 1, values);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                leaves(item, &format!("{path}[{index}]"), name, depth + 1, values);
            }
        }
        Value::String(text) if is_telling(text) => {
            values.push((text.clone(), identifier(name), Source::Json(path.to_owned())));
        }
        Value::Number(number) => {
            let text = number.to_string();
            if number.is_u64() && is_telling(&text) {
                values.push((text, identifier(name), Source::Json(path.to_owned())));
            }
        }
        _ => {}
    }
}

/// The texts of a request in which values are looked for.
fn texts(request: &mut Recorded) -> Vec<&mut Text> {
    let mut texts = vec![&mut request.url];
    let is_own = |name: &str| {
        let name = name.to_ascii_lowercase();
        !matches!(name.as_str(), "user-agent" | "accept" | "accept-language" | "referer" | "origin" | "host")
    };
    texts.extend(request.headers.iter_mut().filter(|(name, _)| is_own(name)).map(|(_, value)| value));
    match &mut request.body {
        Body::Text(text) => texts.push(text),
        Body::Form(pairs) => texts.extend(pairs.iter_mut().map(|(_, value)| value)),
        Body::Multipart(parts) => texts.extend(parts.iter_mut().filter_map(|part| match &mut part.content {
            Content::Text(text) => Some(text),
            Content::File(_) => None,
        })),
        Body::None | Body::Bytes(_) | Body::File(_) => {}
    }
    texts
}

/// The words of a request that may be values: of its path, query, header fields and body.
fn tokens(request: &Recorded) -> HashSet<String> {
    let mut request = request.clone();
    let mut tokens = HashSet::new();
    for text in texts(&mut request) {
        let text = text.to_string();
        let text = text.find("://").map_or(text.as_str(), |at| &text[at + 3..]);
        let separators: [&[char]; 3] = [
            &['/', '?', '&', '=', '#', ';', ',', ' ', '"', '\r', '\n', ':', '{', '}', '[', ']'],
            &['?', '&', '=', ';', ' ', '"', '\r', '\n'],
            &['&', ';', ' ', '"', '\r', '\n'],
        ];
        for separators in separators {
            for word in text.split(separators).filter(|word| is_telling(word)) {
                tokens.insert(word.to_owned());
                let decoded = crate::encode::decoded(&word.replace('+', " "));
                if decoded != word && is_telling(&decoded) {
                    tokens.insert(decoded);
                }
            }
        }
        // A value may contain separators itself: `name=value==`.
        for word in text.split(['&', ';', ' ']).filter_map(|word| word.split_once('=')) {
            if is_telling(word.1) {
                tokens.insert(word.1.to_owned());
            }
        }
    }
    tokens
}

/// Replaces a value where it stands as a whole word.
fn replace(request: &mut Recorded, value: &str, name: &str) -> bool {
    let mut is_changed = false;
    for text in texts(request) {
        is_changed |= text.replace_word(value, name);
    }
    is_changed
}
