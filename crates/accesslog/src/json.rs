//! JSON lines with the field names of common servers.

use crate::request_line::{Escapes, checked, split, unescape};
use crate::{Entry, Unreadable, date};
use serde_json::Value;

/// Names of the start of a request, and of times that may be its start or its end, the most specific first.
const START: [&str; 4] = ["StartUTC", "StartLocal", "start_time", "startTime"];
const TIME: [&str; 8] =
    ["time_iso8601", "@timestamp", "timestamp", "time", "ts", "msec", "time_local", "date"];
const METHOD: [&str; 5] = ["request_method", "method", "RequestMethod", "http_method", "verb"];
const TARGET: [&str; 7] = ["request_uri", "uri", "url", "RequestPath", "path", "target", "request_url"];
const HOST: [&str; 5] = ["http_host", "host", "RequestHost", "server_name", "vhost"];
const STATUS: [&str; 5] = ["status", "status_code", "DownstreamStatus", "response_status", "code"];
/// Header fields under the names of nginx, Traefik, Caddy (in an object) and others.
const FIELDS: [(&str, [&str; 5]); 2] = [
    ("Referer", ["http_referer", "request_Referer", "referer", "referrer", "Referer"]),
    ("User-Agent", ["http_user_agent", "request_User-Agent", "user_agent", "agent", "User-Agent"]),
];

pub(crate) fn read(line: &[u8]) -> Result<Entry, Unreadable> {
    let object = parse(line).filter(Value::is_object).ok_or(Unreadable::Format)?;
    let (at_ns, whole_second) = time(&object)?;
    let (method, target) = match object.get("request") {
        // The complete request line.
        Some(Value::String(line)) => split(&unescape(line.as_bytes(), Escapes::Hex))?,
        _ => {
            let (method, target) =
                text(&object, &METHOD).zip(text(&object, &TARGET)).ok_or(Unreadable::Request)?;
            checked(method.as_bytes(), &unescape(target.as_bytes(), Escapes::Hex))?
        }
    };
    let mut entry = Entry { at_ns, whole_second, method, target, ..Entry::default() };
    entry.status = find(&object, &STATUS).and_then(|value| match value {
        Value::String(text) => text.parse().ok(),
        value => value.as_u64().and_then(|status| u16::try_from(status).ok()),
    });
    entry.host = text(&object, &HOST).map(str::to_owned);
    for (name, names) in FIELDS {
        if let Some(value) = field(&object, &names).filter(|value| !value.is_empty() && *value != "-") {
            entry.add_header(name, value);
        }
    }
    Ok(entry)
}

/// Parses an object. In a format without `escape=json` nginx writes `\xHH`, which JSON does not know.
fn parse(line: &[u8]) -> Option<Value> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let text = String::from_utf8_lossy(line);
    let strict = serde_json::from_str(text.trim()).ok();
    strict.or_else(|| serde_json::from_str(&text.trim().replace("\\x", "\\\\x")).ok())
}

fn find<'v>(object: &'v Value, names: &[&str]) -> Option<&'v Value> {
    // Caddy and others nest the request in an object.
    let nested = object.get("request").filter(|request| request.is_object());
    names.iter().find_map(|name| object.get(name).or_else(|| nested?.get(name)))
}

fn text<'v>(object: &'v Value, names: &[&str]) -> Option<&'v str> {
    find(object, names).and_then(Value::as_str)
}

/// A header field by one of its names; Caddy has an object of lists.
fn field<'v>(object: &'v Value, names: &[&str]) -> Option<&'v str> {
    let listed = || {
        let headers = object.pointer("/request/headers")?;
        names.iter().find_map(|name| headers.get(name)?.get(0)?.as_str())
    };
    text(object, names).or_else(listed)
}

/// The start of the request, and whether the log has a resolution of one second.
fn time(object: &Value) -> Result<(i64, bool), Unreadable> {
    if let Some(start) = find(object, &START) {
        return instant(start);
    }
    let (at_ns, whole_second) = instant(find(object, &TIME).ok_or(Unreadable::Time)?)?;
    // nginx and Caddy write the line when the request is over.
    let lasted = object.get("request_time").or_else(|| object.get("ts").and(object.get("duration")));
    let lasted_s = lasted.and_then(|value| value.as_f64().or_else(|| value.as_str()?.parse().ok()));
    let lasted_s = lasted_s.filter(|seconds| seconds.is_finite() && *seconds > 0.0).unwrap_or(0.0);
    // Where only the second is known, so much is known of the start.
    let lasted_s = if whole_second { lasted_s.floor() } else { lasted_s };
    Ok((at_ns.saturating_sub((lasted_s * 1e9) as i64), whole_second))
}

fn instant(value: &Value) -> Result<(i64, bool), Unreadable> {
    let (at_ns, whole_second) = match value {
        Value::String(text) => (date::parse(text), !text.contains('.')),
        Value::Number(number) => {
            (date::seconds(&plain(number)), number.is_u64() && number.to_string().len() < 12)
        }
        _ => (None, false),
    };
    Ok((at_ns.ok_or(Unreadable::Time)?, whole_second))
}

/// Formats a number without an exponent.
fn plain(number: &serde_json::Number) -> String {
    let text = number.to_string();
    let too_fine =
        text.split_once('.').map(|(whole, part)| format!("{whole}.{}", &part[..part.len().min(9)]));
    too_fine.unwrap_or(text)
}
