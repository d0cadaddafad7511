//! The cookies of one session, in memory that servers can fill only up to the limits below.
//!
//! A subset of RFC 6265: name, value, domain, path and `Secure` decide which requests carry a cookie. A session is too
//! short for lifetimes to matter, and has no calendar: `Max-Age` and `Expires` only delete. The cookies are neither stored nor
//! shared; [`GivenCookie`] is for callers that store what servers set.

use crate::AddField;
use std::net::IpAddr;
use warwolf_plan::{Endpoint, InitialCookie, Request, Scheme};

/// Maximum number of cookies of a session; a further one replaces the oldest. (RFC 6265 section 6.1 asks for 50 a domain.)
pub const COOKIES_MAX: usize = 50;
/// Maximum bytes of name, value, domain and path of a cookie; a larger one is refused (RFC 6265 section 6.1).
pub const COOKIE_BYTES_MAX: usize = 4_096;
/// Maximum bytes of all cookies of a session; the oldest are dropped to make room.
pub const COOKIES_BYTES_MAX: usize = 16_384;

/// The cookies of one session, longest path first and then in the order they came: the order they are sent in
/// (RFC 6265 section 5.4).
#[derive(Clone, Debug, Default)]
pub(crate) struct Cookies {
    list: Vec<Cookie>,
    /// Number of cookies ever kept; identifies the oldest.
    kept: u64,
    /// Memory of cookies that were dropped.
    spare: Vec<Cookie>,
}

#[derive(Clone, Debug, Default)]
struct Cookie {
    /// `name=value`, as sent.
    pair: Vec<u8>,
    name_length: usize,
    /// Lower case.
    domain: String,
    /// Whether it is only sent to the exact host that set it.
    host_only: bool,
    path: Vec<u8>,
    secure: bool,
    age: u64,
}

impl Cookie {
    fn bytes(&self) -> usize {
        self.pair.len() + self.domain.len() + self.path.len()
    }
}

impl Cookies {
    /// Stores the cookie of one `Set-Cookie` field in the reply to a request for `path`, or drops the one it deletes. Ignores fields that
    /// break a rule, as browsers do.
    /// `date` is the `Date` of the reply; it determines whether a cookie has expired.
    pub(crate) fn set(&mut self, endpoint: &Endpoint, path: &str, field: &[u8], date: Option<&[u8]>) {
        let Some(said) = GivenCookie::of(endpoint, path, field) else { return };
        // Max-Age wins over Expires (RFC 6265 section 5.3).
        let deletes = match (said.max_age, said.expires) {
            (Some(seconds), _) => seconds == 0,
            (None, expires) => expires.is_some_and(|expires| is_past(expires, date)),
        };
        let GivenCookie { domain, path, .. } = said;
        // Plain replies can be forged: they must not replace a cookie that only TLS may carry (RFC 6265bis section 5.7).
        let is_protected = |cookie: &Cookie| {
            cookie.secure
                && cookie.pair[..cookie.name_length] == *said.name
                && (covers(domain, cookie.domain.as_bytes()) || covers(cookie.domain.as_bytes(), domain))
                && path_matches(path, &cookie.path)
        };
        if endpoint.scheme != Scheme::Https && self.list.iter().any(is_protected) {
            return;
        }
        let same = |cookie: &Cookie| {
            cookie.pair[..cookie.name_length] == *said.name
                && cookie.domain.as_bytes().eq_ignore_ascii_case(domain)
                && cookie.path == path
        };
        let known = self.list.iter().position(same);
        if deletes {
            if let Some(index) = known {
                self.drop_cookie(index);
            }
            return;
        }
        if said.name.len() + 1 + said.value.len() + domain.len() + path.len() > COOKIE_BYTES_MAX {
            return;
        }
        let Some(index) = known else {
            let Ok(domain) = std::str::from_utf8(domain) else { return };
            // The memory of a cookie that was dropped serves again.
            let mut cookie = self.spare.pop().unwrap_or_default();
            cookie.pair = pair(&said, cookie.pair);
            cookie.domain.clear();
            cookie.domain.push_str(domain);
            cookie.domain.make_ascii_lowercase();
            cookie.path.clear();
            cookie.path.extend_from_slice(path);
            (cookie.name_length, cookie.host_only, cookie.secure) =
                (said.name.len(), said.host_only, said.secure);
            self.add(cookie);
            return;
        };
        // Reuses the entry and its memory: a server that sets the same cookie with every reply costs no allocation.
        let cookie = &mut self.list[index];
        cookie.pair = pair(&said, std::mem::take(&mut cookie.pair));
        cookie.host_only = said.host_only;
        cookie.secure = said.secure;
        self.fit(0);
    }

    /// Stores a cookie that the plan gives, unless it exceeds the maximum size.
    pub(crate) fn begin_with(&mut self, given: &InitialCookie) {
        let cookie = Cookie {
            pair: format!("{}={}", given.name, given.value).into_bytes(),
            name_length: given.name.len(),
            domain: given.domain.to_ascii_lowercase(),
            host_only: false,
            path: given.path.clone().into_bytes(),
            secure: given.secure,
            age: 0,
        };
        if cookie.bytes() <= COOKIE_BYTES_MAX {
            self.add(cookie);
        }
    }

    /// Adds the `Cookie` field that a request for `path` carries, if any.
    pub(crate) fn write(&self, endpoint: &Endpoint, path: &str, add: AddField<'_>) {
        let path = path.as_bytes();
        let sent = || self.list.iter().filter(|cookie| cookie.goes_to(endpoint, path));
        if sent().next().is_none() {
            return;
        }
        add("Cookie", &|out| {
            for (number, cookie) in sent().enumerate() {
                if number > 0 {
                    out.extend_from_slice(b"; ");
                }
                out.extend_from_slice(&cookie.pair);
            }
        });
    }

    /// Drops all cookies, and keeps their memory for others.
    pub(crate) fn clear(&mut self) {
        self.spare.append(&mut self.list);
        self.kept = 0;
    }

    fn drop_cookie(&mut self, index: usize) {
        let dropped = self.list.remove(index);
        self.spare.push(dropped);
    }

    /// Returns whether there are no cookies.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    fn add(&mut self, mut cookie: Cookie) {
        self.fit(cookie.bytes());
        self.kept += 1;
        cookie.age = self.kept;
        let place = self.list.partition_point(|other| other.path.len() >= cookie.path.len());
        self.list.insert(place, cookie);
    }

    /// Drops the oldest until one more cookie of `bytes` fits. Zero bytes means that none is added.
    fn fit(&mut self, bytes: usize) {
        let places = if bytes == 0 { COOKIES_MAX } else { COOKIES_MAX - 1 };
        while self.list.len() > places
            || self.list.iter().map(Cookie::bytes).sum::<usize>() + bytes > COOKIES_BYTES_MAX
        {
            let oldest = (0..self.list.len()).min_by_key(|&index| self.list[index].age);
            let Some(oldest) = oldest else { return };
            self.drop_cookie(oldest);
        }
    }
}

impl Cookie {
    fn goes_to(&self, endpoint: &Endpoint, path: &[u8]) -> bool {
        let host = endpoint.host.as_bytes();
        let domain = self.domain.as_bytes();
        (host.eq_ignore_ascii_case(domain) || (!self.host_only && is_below(host, domain)))
            && (!self.secure || endpoint.scheme == Scheme::Https)
            && path_matches(path, &self.path)
    }
}

/// A cookie that a server set with a reply, by the rules of RFC 6265.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenCookie<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Its value.
    pub value: &'a [u8],
    /// The host it is sent to, as the server or the request spells it.
    pub domain: &'a [u8],
    /// Whether it is sent to this host only, and not to its subdomains.
    pub host_only: bool,
    /// The prefix of the paths it is sent for.
    pub path: &'a [u8],
    /// Whether it is sent over TLS only.
    pub secure: bool,
    /// Its lifetime in seconds, from `Max-Age`; zero deletes it.
    pub max_age: Option<u64>,
    /// The end of its lifetime, from `Expires`, as the server spells it.
    pub expires: Option<&'a [u8]>,
}

impl<'a> GivenCookie<'a> {
    /// Parses one `Set-Cookie` field in the reply to `request`; none when it breaks a rule.
    #[must_use]
    pub fn read(request: &'a Request, field: &'a [u8]) -> Option<Self> {
        Self::of(&request.endpoint, &request.path, field)
    }

    /// Parses one `Set-Cookie` field in the reply to a request for `path`.
    fn of(endpoint: &'a Endpoint, path: &'a str, field: &'a [u8]) -> Option<Self> {
        let said = SetCookie::parse(field)?;
        let (domain, host_only) = scope(endpoint.host.as_bytes(), said.domain)?;
        if said.secure && endpoint.scheme == Scheme::Http {
            return None;
        }
        Some(Self {
            name: said.name,
            value: said.value,
            domain,
            host_only,
            path: said.path.unwrap_or_else(|| default_path(path.as_bytes())),
            secure: said.secure,
            max_age: said.max_age,
            expires: said.expires,
        })
    }
}

/// The contents of a `Set-Cookie` field (RFC 6265 section 5.2).
struct SetCookie<'a> {
    name: &'a [u8],
    value: &'a [u8],
    /// Without a leading dot; absent and empty are the same.
    domain: Option<&'a [u8]>,
    path: Option<&'a [u8]>,
    secure: bool,
    max_age: Option<u64>,
    expires: Option<&'a [u8]>,
}

impl<'a> SetCookie<'a> {
    fn parse(field: &'a [u8]) -> Option<Self> {
        // A control character would end the header line it is sent back in, or worse.
        if field.iter().any(|&byte| byte.is_ascii_control() && byte != b'\t') {
            return None;
        }
        let mut parts = field.split(|&byte| byte == b';');
        let (name, value) = split_pair(parts.next()?);
        let (name, value) = (name, value?);
        if name.is_empty() {
            return None;
        }
        let mut said =
            Self { name, value, domain: None, path: None, secure: false, max_age: None, expires: None };
        for part in parts {
            let (attribute, value) = split_pair(part);
            let value = value.unwrap_or_default();
            if attribute.eq_ignore_ascii_case(b"domain") {
                let bare = value.strip_prefix(b".").unwrap_or(value);
                said.domain = (!bare.is_empty()).then_some(bare);
            } else if attribute.eq_ignore_ascii_case(b"path") {
                said.path = value.starts_with(b"/").then_some(value);
            } else if attribute.eq_ignore_ascii_case(b"secure") {
                said.secure = true;
            } else if attribute.eq_ignore_ascii_case(b"max-age") {
                said.max_age = seconds(value).or(said.max_age);
            } else if attribute.eq_ignore_ascii_case(b"expires") {
                said.expires = Some(value);
            }
        }
        Some(said)
    }
}

/// Splits `name=value` and trims the blanks.
fn split_pair(part: &[u8]) -> (&[u8], Option<&[u8]>) {
    match part.iter().position(|&byte| byte == b'=') {
        Some(at) => (part[..at].trim_ascii(), Some(part[at + 1..].trim_ascii())),
        None => (part.trim_ascii(), None),
    }
}

fn pair(said: &GivenCookie<'_>, mut memory: Vec<u8>) -> Vec<u8> {
    memory.clear();
    memory.extend_from_slice(said.name);
    memory.push(b'=');
    memory.extend_from_slice(said.value);
    memory
}

/// Returns the seconds of a `Max-Age`, zero for less; none when it is not a number (RFC 6265 section 5.2.2).
fn seconds(value: &[u8]) -> Option<u64> {
    let (negative, digits) = match value.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, value),
    };
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let add = |sum: u64, digit: &u8| sum.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
    is_number.then(|| if negative { 0 } else { digits.iter().fold(0, add) })
}

/// The year of an `Expires` date: its first token of four digits, or of two that is not the day (RFC 6265 section 5.1.1,
/// of which nothing else is needed to tell a date in the past from one to come).
fn year(date: &[u8]) -> Option<u32> {
    let tokens = date.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b':').filter(|t| !t.is_empty());
    let mut day_seen = false;
    for token in tokens.filter(|token| token.iter().all(u8::is_ascii_digit)) {
        let number = token.iter().take(5).fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
        match token.len() {
            4 => return Some(number),
            1 | 2 if !day_seen => day_seen = true,
            2 => return Some(if number >= 70 { 1900 + number } else { 2000 + number }),
            _ => {}
        }
    }
    None
}

/// The domain a cookie of `host` is kept under, and whether for that host alone; none when `domain` is not the host's to
/// set. Only a name without a dot counts as a public suffix: a list of them is 2.6 MB of source that changes every week, and
/// a session only meets the hosts that a plan, its pages and its redirects name.
fn scope<'a>(host: &'a [u8], domain: Option<&'a [u8]>) -> Option<(&'a [u8], bool)> {
    let Some(domain) = domain else { return Some((host, true)) };
    if host.eq_ignore_ascii_case(domain) {
        let alone = is_address(host) || !host.contains(&b'.');
        return Some((host, alone));
    }
    (domain.contains(&b'.') && is_below(host, domain)).then_some((domain, false))
}

/// Whether `host` is `domain` or a name below it.
fn covers(domain: &[u8], host: &[u8]) -> bool {
    host.eq_ignore_ascii_case(domain) || is_below(host, domain)
}

/// Whether `host` is a name below `domain` (RFC 6265 section 5.1.3).
fn is_below(host: &[u8], domain: &[u8]) -> bool {
    host.len() > domain.len()
        && host[host.len() - domain.len()..].eq_ignore_ascii_case(domain)
        && host[host.len() - domain.len() - 1] == b'.'
        && !is_address(host)
}

fn is_address(host: &[u8]) -> bool {
    std::str::from_utf8(host).is_ok_and(|host| host.parse::<IpAddr>().is_ok())
}

/// The path of a cookie that names none: up to the last slash but one (RFC 6265 section 5.1.4).
fn default_path(target: &[u8]) -> &[u8] {
    let path = without_query(target);
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(last) if last > 0 && path[0] == b'/' => &path[..last],
        _ => b"/",
    }
}

/// Whether a request for `target` carries a cookie of `path` (RFC 6265 section 5.1.4).
fn path_matches(target: &[u8], path: &[u8]) -> bool {
    let target = without_query(target);
    target.starts_with(path)
        && (target.len() == path.len() || path.ends_with(b"/") || target[path.len()] == b'/')
}

fn without_query(target: &[u8]) -> &[u8] {
    target.split(|&byte| byte == b'?').next().unwrap_or(target)
}

/// Whether an `Expires` date is not after `date`. Where one of them is in none of the forms of RFC 9110 the years are
/// compared, and without a `date` that of the expiry with [`YEAR_WRITTEN`].
fn is_past(expires: &[u8], date: Option<&[u8]>) -> bool {
    let time = |field: &[u8]| httpdate::parse_http_date(std::str::from_utf8(field).ok()?.trim()).ok();
    match (time(expires), date.and_then(time)) {
        (Some(expires), Some(now)) => expires <= now,
        _ => {
            let this_year = date.and_then(year).unwrap_or(YEAR_WRITTEN);
            year(expires).is_some_and(|year| year < this_year)
        }
    }
}

/// The year this was written. Runs happen later: an earlier year is past.
const YEAR_WRITTEN: u32 = 2025;

#[cfg(test)]
mod tests;
