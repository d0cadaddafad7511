//! HTTP archives (HAR 1.2): the requests of a browser session with their pauses.

mod correlate;
mod html;

use crate::error::{ImportError, Place};
use crate::recorded::{Body, Recorded, Recording};
use crate::text::Text;
use crate::{Options, REQUESTS_MAX, encode, url};
use base64::Engine as _;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Pauses below this are the time that a browser takes, not a user.
const THINK_MIN: Duration = Duration::from_millis(100);
/// Redirects that one step follows at the most.
const REDIRECTS_MAX: u32 = 20;

/// An entry of the archive.
pub(crate) struct Exchange {
    /// Its number in the archive, from 0.
    number: usize,
    page: String,
    at_ns: i64,
    end_ns: i64,
    entry: warwolf_accesslog::Entry,
    /// Redirects that led to the reply.
    redirects: u32,
    pub(crate) reply: Reply,
}

/// What is known of a reply.
#[derive(Default)]
pub(crate) struct Reply {
    status: u16,
    location: String,
    pub(crate) headers: Vec<(String, String)>,
    /// Names and values.
    pub(crate) cookies: Vec<(String, String)>,
    kind: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn is_json(&self) -> bool {
        self.kind.contains("json")
    }

    pub(crate) fn is_html(&self) -> bool {
        self.kind.contains("html")
    }
}

/// Reads the requests to the site of the first one.
///
/// # Errors
/// When the text is no archive, or has no request.
pub(crate) fn read(text: &str, options: &Options<'_>) -> Result<Recording, ImportError> {
    let archive: Value = serde_json::from_str(text).map_err(|error| ImportError::json(&error))?;
    let missing =
        || ImportError::new(Place::Value("log.entries".to_owned()), "an HTTP archive has a list there");
    let entries = archive.pointer("/log/entries").and_then(Value::as_array).ok_or_else(missing)?;
    if entries.len() > 4 * REQUESTS_MAX {
        return Err(ImportError::whole(format!("more than {} entries; import a part", 4 * REQUESTS_MAX)));
    }
    let mut recording = Recording::default();
    recording.settings.cookies = true;
    let mut exchanges: Vec<Exchange> = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        exchanges.extend(exchange(number, entry, &mut recording));
    }
    exchanges.sort_by_key(|exchange| (exchange.at_ns, exchange.number));
    if !options.third_parties {
        without_third_parties(&mut exchanges, &mut recording);
    }
    let exchanges = joined(exchanges);
    if exchanges.len() > REQUESTS_MAX {
        return Err(ImportError::whole(format!("more than {REQUESTS_MAX} requests; import a part")));
    }
    let titles = titles(&archive);
    let pages: BTreeSet<&str> = exchanges.iter().map(|exchange| exchange.page.as_str()).collect();
    let mut cookies = BTreeSet::new();
    let mut last_ns = i64::MAX;
    for exchange in &exchanges {
        let mut request = request(exchange, &cookies, &mut recording)?;
        if pages.len() > 1 {
            request.group = titles.get(&exchange.page).unwrap_or(&exchange.page).clone();
        }
        request.think = think(last_ns, exchange.at_ns);
        last_ns = if last_ns == i64::MAX { exchange.end_ns } else { last_ns.max(exchange.end_ns) };
        cookies.extend(exchange.reply.cookies.iter().map(|(name, _)| name.clone()));
        recording.requests.push(request);
    }
    correlate::correlate(&exchanges, &mut recording.requests);
    if recording.requests.is_empty() {
        return Err(ImportError::whole("the archive has no request that can be imported"));
    }
    Ok(recording)
}

/// The pause between a reply and a request, in hundredths of a second.
fn think(last_ns: i64, at_ns: i64) -> Duration {
    let pause = Duration::from_nanos(u64::try_from(at_ns.saturating_sub(last_ns)).unwrap_or(0));
    if pause < THINK_MIN { Duration::ZERO } else { Duration::from_millis(pause.as_millis() as u64 / 10 * 10) }
}

fn titles(archive: &Value) -> BTreeMap<String, String> {
    let pages = archive.pointer("/log/pages").and_then(Value::as_array).into_iter().flatten();
    let title = |page: &Value| Some((text(page, "id")?.to_owned(), text(page, "title")?.to_owned()));
    pages.filter_map(title).collect()
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str)
}

/// Reads an entry, or notes why it is left out.
fn exchange(number: usize, value: &Value, recording: &mut Recording) -> Option<Exchange> {
    let url = value.pointer("/request/url").and_then(Value::as_str).unwrap_or_default();
    let place = Place::Value(format!("log.entries[{number}]"));
    let shown: String = url.chars().take(100).collect();
    if !url.starts_with("http://") && !url.starts_with("https://") {
        recording.drop(place, format!("`{shown}`"), "only http and https are imported");
        return None;
    }
    let status = value.pointer("/response/status").and_then(Value::as_u64).unwrap_or(0);
    if status == 0 {
        recording.drop(place, format!("`{shown}`"), "the request had no reply");
        return None;
    }
    // The request alone; its reply may be long.
    let mut part = serde_json::Map::new();
    for name in ["startedDateTime", "request"] {
        part.insert(name.to_owned(), value.get(name)?.clone());
    }
    let bytes = serde_json::to_vec(&part).unwrap_or_default();
    let entry = match warwolf_accesslog::archived(&bytes) {
        Ok(entry) => entry,
        Err(error) => {
            recording.drop(place, format!("`{shown}`"), error.to_string());
            return None;
        }
    };
    let time_ms = value.get("time").and_then(Value::as_f64).filter(|time| (0.0..1e9).contains(time));
    let page = text(value, "pageref").unwrap_or_default().to_owned();
    let end_ns = entry.at_ns.saturating_add((time_ms.unwrap_or(0.0) * 1e6) as i64);
    let reply = reply(value.get("response")?, status as u16);
    Some(Exchange { number, page, at_ns: entry.at_ns, end_ns, entry, redirects: 0, reply })
}

fn reply(value: &Value, status: u16) -> Reply {
    let list = |name: &str| value.get(name).and_then(Value::as_array).into_iter().flatten();
    let pair = |value: &Value| Some((text(value, "name")?.to_owned(), text(value, "value")?.to_owned()));
    let headers: Vec<(String, String)> = list("headers").filter_map(pair).collect();
    let mut cookies: Vec<(String, String)> = list("cookies").filter_map(pair).collect();
    for (_, value) in headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie")) {
        // Several fields may stand in one, one a line.
        for line in value.lines() {
            let first = line.split(';').next().unwrap_or_default();
            let Some((name, value)) = first.split_once('=') else { continue };
            let cookie = (name.trim().to_owned(), value.trim().to_owned());
            if !cookies.iter().any(|(name, _)| *name == cookie.0) {
                cookies.push(cookie);
            }
        }
    }
    let content = value.get("content").unwrap_or(&Value::Null);
    let body = text(content, "text").unwrap_or_default();
    let body = if text(content, "encoding") == Some("base64") {
        let bytes = base64::engine::general_purpose::STANDARD.decode(body).unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default()
    } else {
        body.to_owned()
    };
    let located = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("location"));
    let location =
        located.map(|(_, value)| value.as_str()).or(text(value, "redirectURL")).unwrap_or_default();
    let kind = text(content, "mimeType").unwrap_or_default().to_ascii_lowercase();
    Reply { status, location: location.to_owned(), headers, cookies, kind, body }
}

/// Leaves out requests to other sites than that of the first request.
fn without_third_parties(exchanges: &mut Vec<Exchange>, recording: &mut Recording) {
    let Some(first) = exchanges.first() else { return };
    let own = site(&first.entry.target);
    let mut others: BTreeMap<String, usize> = BTreeMap::new();
    exchanges.retain(|exchange| {
        let is_own = site(&exchange.entry.target) == own;
        if !is_own {
            *others.entry(host(&exchange.entry.target)).or_default() += 1;
        }
        is_own
    });
    for (host, count) in others {
        let requests = if count == 1 { "request" } else { "requests" };
        let why = "third party; --third-parties keeps them";
        recording.drop(Place::Whole, format!("{count} {requests} to {host}"), why);
    }
}

fn host(url: &str) -> String {
    let origin = url::origin(url);
    let host = origin.split_once("://").map_or(origin.as_str(), |(_, host)| host);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name.to_owned(),
        _ => host.to_owned(),
    }
}

/// The domain that a host belongs to: two labels, or three below endings such as `co.uk`. A guess: the list of public suffixes
/// would be needed to know.
fn site(url: &str) -> String {
    let host = host(url);
    let labels: Vec<&str> = host.split('.').collect();
    let is_address =
        host.contains(':') || labels.iter().all(|label| label.bytes().all(|b| b.is_ascii_digit()));
    let count = match labels.as_slice() {
        _ if is_address => return host,
        [.., second, last] if last.len() == 2 && second.len() <= 3 => 3,
        _ => 2,
    };
    labels[labels.len().saturating_sub(count)..].join(".")
}

/// Joins redirects with the requests that follow them: a step follows redirects by itself.
fn joined(exchanges: Vec<Exchange>) -> Vec<Exchange> {
    let mut kept: Vec<Exchange> = Vec::new();
    for exchange in exchanges {
        // The redirect is among the last requests; others may have been made meanwhile.
        let redirected = kept.iter_mut().rev().take(20).find(|earlier| leads_to(earlier, &exchange));
        match redirected {
            Some(earlier) => {
                earlier.redirects += 1;
                earlier.end_ns = exchange.end_ns;
                let cookies = std::mem::take(&mut earlier.reply.cookies);
                earlier.reply = exchange.reply;
                earlier.reply.cookies.extend(cookies);
            }
            None => kept.push(exchange),
        }
    }
    kept
}

fn leads_to(earlier: &Exchange, later: &Exchange) -> bool {
    let reply = &earlier.reply;
    let is_redirect = matches!(reply.status, 301 | 302 | 303 | 307 | 308) && !reply.location.is_empty();
    if !is_redirect || earlier.redirects >= REDIRECTS_MAX {
        return false;
    }
    let base = earlier.entry.target.as_str();
    let location = if reply.location.starts_with('/') && !reply.location.starts_with("//") {
        format!("{}{}", url::origin(base), reply.location)
    } else {
        reply.location.clone()
    };
    location.split('#').next() == later.entry.target.split('#').next()
}

/// Fields that a browser sets for itself.
fn is_browsers(name: &str) -> bool {
    name.starts_with("sec-") || matches!(name, "priority" | "upgrade-insecure-requests" | "dnt")
}

fn request(
    exchange: &Exchange,
    cookies: &BTreeSet<String>,
    recording: &mut Recording,
) -> Result<Recorded, ImportError> {
    let place = Place::Value(format!("log.entries[{}]", exchange.number));
    let entry = &exchange.entry;
    let mut request = Recorded::new(entry.method.as_str(), url::absolute(&entry.target, &place)?);
    (request.url, request.basic_auth) = url::without_user(&request.url);
    for (name, value) in &entry.headers {
        let lower = name.to_ascii_lowercase();
        match lower.as_str() {
            "cookie" => cookie(value, cookies, &mut request),
            "accept-encoding" => {
                recording.drop(Place::Whole, "Accept-Encoding", "captures and checks read plain bodies");
            }
            "if-none-match" | "if-modified-since" => {
                recording.drop(Place::Whole, name, "sessions begin without a cache");
            }
            name if is_browsers(name) => {
                recording.drop(
                    Place::Whole,
                    "fields such as Sec-Fetch-Mode",
                    "browsers set them for themselves",
                );
            }
            _ => request.headers.push((name.clone(), Text::literal(value.as_str()))),
        }
    }
    if !entry.body.is_empty() {
        request.body = Body::of_bytes(entry.body.clone());
    }
    if exchange.redirects > 0 {
        request.redirects = Some(exchange.redirects.max(5));
    }
    if exchange.reply.status != 304 {
        request.checks.push(format!("status == {}", exchange.reply.status));
    }
    Ok(request)
}

/// Adds the cookies that no reply has set: those that the browser had before.
fn cookie(value: &str, set: &BTreeSet<String>, request: &mut Recorded) {
    let own = value.split(';').map(str::trim).filter(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        !pair.is_empty() && !set.contains(name)
    });
    let own: Vec<&str> = own.collect();
    if !own.is_empty() {
        request.headers.push(("Cookie".to_owned(), Text::literal(own.join("; "))));
        // The session's own cookies go beside them.
        request.headers.push(("Cookie".to_owned(), Text::default()));
    }
}

/// The texts of a value as a URL may have them: as it is, and percent-encoded.
pub(crate) fn spellings(value: &str) -> [String; 3] {
    [value.to_owned(), encode::query(value), encode::form(value)]
}

#[cfg(test)]
mod tests;
