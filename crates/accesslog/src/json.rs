//! JSON lines with the field names of common servers, and HTTP archives (HAR 1.2).

use crate::{Entry, Unreadable, date, plausible};
use serde_json::Value;

/// Names of each field, the most specific first.
const TIME: [&str; 10] = [
    "time_iso8601",
    "@timestamp",
    "timestamp",
    "time",
    "ts",
    "msec",
    "start_time",
    "StartUTC",
    "time_local",
    "date",
];
const METHOD: [&str; 5] = ["request_method", "method", "RequestMethod", "http_method", "verb"];
const TARGET: [&str; 7] = ["request_uri", "uri", "url", "RequestPath", "path", "target", "request_url"];
const HOST: [&str; 5] = ["http_host", "host", "RequestHost", "server_name", "vhost"];
const STATUS: [&str; 5] = ["status", "status_code", "DownstreamStatus", "response_status", "code"];

fn find<'v>(object: &'v Value, names: &[&str]) -> Option<&'v Value> {
    // Caddy and others nest the request in an object.
    let nested = object.get("request").filter(|request| request.is_object());
    names.iter().find_map(|name| object.get(name).or_else(|| nested?.get(name)))
}

fn text(object: &Value, names: &[&str]) -> Option<String> {
    find(object, names).and_then(Value::as_str).map(str::to_owned)
}

pub(crate) fn read(line: &str) -> Result<Entry, Unreadable> {
    let object: Value = serde_json::from_str(line.trim()).map_err(|_| Unreadable::Format)?;
    if !object.is_object() {
        return Err(Unreadable::Format);
    }
    let time = find(&object, &TIME).ok_or(Unreadable::Time)?;
    let (at_ns, whole_second) = match time {
        Value::String(text) => (date::parse(text), !text.contains('.')),
        Value::Number(number) => {
            (date::seconds(&plain(number)), number.is_u64() && number.to_string().len() < 12)
        }
        _ => (None, false),
    };
    let (method, target) = match object.get("request") {
        // The complete request line.
        Some(Value::String(line)) => {
            let mut words = line.split(' ').map(str::to_owned);
            (words.next(), words.next())
        }
        _ => (text(&object, &METHOD), text(&object, &TARGET)),
    };
    let (method, target) = method.zip(target).ok_or(Unreadable::Request)?;
    plausible(&method, &target)?;
    let status = find(&object, &STATUS).and_then(|value| match value {
        Value::String(text) => text.parse().ok(),
        value => value.as_u64().and_then(|status| u16::try_from(status).ok()),
    });
    let host = text(&object, &HOST);
    Ok(Entry { at_ns: at_ns.ok_or(Unreadable::Time)?, whole_second, method, target, host, status })
}

/// Formats a number without an exponent.
fn plain(number: &serde_json::Number) -> String {
    let text = number.to_string();
    let too_fine =
        text.split_once('.').map(|(whole, part)| format!("{whole}.{}", &part[..part.len().min(9)]));
    too_fine.unwrap_or(text)
}

/// Parses an HTTP archive; each entry yields a request or the reason why not.
///
/// # Errors
/// When the text is not an archive.
pub fn har(text: &str) -> Result<Vec<Result<Entry, Unreadable>>, Unreadable> {
    let archive: Value =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|_| Unreadable::Format)?;
    let entries = archive.pointer("/log/entries").and_then(Value::as_array).ok_or(Unreadable::Format)?;
    let read = |entry: &Value| {
        let at = |pointer: &str| entry.pointer(pointer).and_then(Value::as_str);
        let at_ns = at("/startedDateTime").and_then(date::parse).ok_or(Unreadable::Time)?;
        let (method, url) = at("/request/method").zip(at("/request/url")).ok_or(Unreadable::Request)?;
        plausible(method, url)?;
        let status = entry.pointer("/response/status").and_then(Value::as_u64);
        Ok(Entry {
            at_ns,
            whole_second: false,
            method: method.to_owned(),
            target: url.to_owned(),
            host: None,
            status: status.and_then(|status| u16::try_from(status).ok()).filter(|status| *status > 0),
        })
    };
    Ok(entries.iter().map(read).collect())
}
