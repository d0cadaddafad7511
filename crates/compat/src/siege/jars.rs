//! Reads and writes `cookies.txt`, which stores cookies from one run to the next.
//!
//! A line has the form `ID | name=value; domain=.a.test; path=/; expires=1988150399`. The IDs of 4.0 are numbers of
//! finished threads; those of 4.2 are `siege-1`, `siege-2`, … for its users. Up to 4.1.7 the n-th distinct ID belongs to
//! the n-th user, regardless of its text. warwolf writes the IDs of 4.2, which all versions can read.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use time::{Date, Month, PrimitiveDateTime, Time};
use warwolf_plan::InitialCookie;
use warwolf_workload::{COOKIE_BYTES_MAX, GivenCookie};

/// The beginning of the file, as in the original.
const HEAD: &str = "#\n\
    # Siege cookies file. You may edit this file to add cookies\n\
    # manually but comments and formatting will be removed.    \n\
    # All cookies that expire in the future will be preserved. \n\
    # ---------------------------------------------------------\n";

/// The maximum number of cookies of one user, the same as for a session; a further one replaces the oldest.
const COOKIES_MAX: usize = warwolf_workload::COOKIES_MAX;

/// A cookie that a user received from a server.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Its value.
    pub value: &'a [u8],
    /// The host that receives it.
    pub domain: &'a [u8],
    /// Whether subdomains of the host are excluded.
    pub host_only: bool,
    /// The prefix of the paths that receive it.
    pub path: &'a [u8],
    /// Whether it is sent over TLS only.
    pub secure: bool,
    /// Its lifetime.
    pub until: Until<'a>,
}

/// The lifetime of a cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until<'a> {
    /// Expired: the server deletes the cookie.
    Gone,
    /// Until the run ends.
    Session,
    /// For this number of seconds.
    Seconds(u64),
    /// Until a date, in the server's notation.
    Date(&'a [u8]),
}

impl<'a> Until<'a> {
    /// Returns the lifetime that the server gave. [`Jars::give`] compares a date with its clock.
    #[must_use]
    pub fn of(cookie: &GivenCookie<'a>) -> Self {
        match (cookie.max_age, cookie.expires) {
            (Some(0), _) => Self::Gone,
            (Some(seconds), _) => Self::Seconds(seconds),
            (None, Some(date)) => Self::Date(date),
            (None, None) => Self::Session,
        }
    }
}

/// The cookies of all users.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Jars(BTreeMap<u64, Vec<Entry>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    name: String,
    value: String,
    /// A leading dot includes all subdomains.
    domain: String,
    path: String,
    secure: bool,
    /// In seconds since 1970; 0 means that the cookie is not stored.
    expires: u64,
}

impl Entry {
    fn is_same(&self, other: &Self) -> bool {
        self.name == other.name && self.domain.eq_ignore_ascii_case(&other.domain) && self.path == other.path
    }

    /// Parses `name=value; domain=…; path=…; expires=…`, in any order.
    fn parse(text: &str) -> Option<Self> {
        let mut entry = Self {
            name: String::new(),
            value: String::new(),
            domain: String::new(),
            path: "/".to_owned(),
            secure: false,
            expires: 0,
        };
        for part in text.split(';') {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let (key, value) = (key.trim(), value.trim());
            match key.to_ascii_lowercase().as_str() {
                "domain" => value.clone_into(&mut entry.domain),
                "path" if value.starts_with('/') => value.clone_into(&mut entry.path),
                "path" | "persistent" => {}
                "secure" => entry.secure = true,
                "expires" => {
                    entry.expires = value.parse().ok().or_else(|| date(value.as_bytes())).unwrap_or(0)
                }
                _ if part.contains('=') => (entry.name, entry.value) = (key.to_owned(), value.to_owned()),
                _ => {}
            }
        }
        let is_plain = |text: &str| !text.chars().any(char::is_control);
        let is_one = !entry.name.is_empty() && !entry.domain.is_empty();
        (is_one && [&entry.name, &entry.value, &entry.domain, &entry.path].iter().all(|text| is_plain(text)))
            .then_some(entry)
    }

    /// Restores the hosts of a cookie stored by the original, which drops the first label of a host: `a.test` becomes
    /// `.test`, `127.0.0.1` becomes `.0.0.1`, and `localhost` becomes `.`. The cookie is assigned to those of `hosts` that
    /// end with the rest.
    fn find_hosts(self, hosts: &[String]) -> Vec<Self> {
        let ends = |host: &&String| match self.domain.as_str() {
            "." => !host.contains('.'),
            domain => host.to_ascii_lowercase().ends_with(&domain.to_ascii_lowercase()),
        };
        let known: Vec<&String> = hosts.iter().filter(ends).collect();
        if !is_rest(&self.domain) || known.is_empty() {
            return vec![self];
        }
        known.into_iter().map(|host| Self { domain: host.clone(), ..self.clone() }).collect()
    }
}

/// Whether a domain is the rest of a host without its first label. A cookie cannot be valid for such a domain.
fn is_rest(domain: &str) -> bool {
    let Some(rest) = domain.strip_prefix('.') else { return false };
    let last = rest.rsplit('.').next().unwrap_or(rest);
    !rest.contains('.') || (!last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()))
}

impl Jars {
    /// Parses a file. `hosts` are the hosts of the run.
    pub(super) fn read(text: &str, hosts: &[String]) -> Self {
        let mut jars = Self::default();
        let mut ids: Vec<&str> = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
            let Some((id, cookie)) = line.split_once('|') else { continue };
            let id = id.trim();
            let own = id.strip_prefix("siege-").and_then(|number| number.parse::<u64>().ok()?.checked_sub(1));
            let user = own.unwrap_or_else(|| {
                let known = ids.iter().position(|other| *other == id);
                known.unwrap_or_else(|| {
                    ids.push(id);
                    ids.len() - 1
                }) as u64
            });
            for entry in Entry::parse(cookie).into_iter().flat_map(|entry| entry.find_hosts(hosts)) {
                jars.put(user, entry);
            }
        }
        jars
    }

    fn put(&mut self, user: u64, entry: Entry) {
        let jar = self.0.entry(user).or_default();
        match jar.iter_mut().find(|other| other.is_same(&entry)) {
            Some(other) => *other = entry,
            None => {
                if jar.len() >= COOKIES_MAX {
                    jar.remove(0);
                }
                jar.push(entry);
            }
        }
    }

    fn has(&self, user: u64, entry: &Entry) -> bool {
        self.0.get(&user).is_some_and(|jar| jar.iter().any(|other| other.is_same(entry)))
    }

    /// Adds a cookie that a user received at `now`, in seconds since 1970. A cookie that is not stored is only added if it
    /// replaces another, here or in `known`, the cookies before the run.
    pub fn give(&mut self, known: &Self, user: u64, given: &Given<'_>, now: u64) {
        let expires = match given.until {
            Until::Gone | Until::Session => 0,
            Until::Seconds(seconds) => now.saturating_add(seconds),
            Until::Date(text) => date(text).filter(|date| *date > now).unwrap_or(0),
        };
        // Most servers set such cookies with every reply.
        if expires == 0 && !self.0.contains_key(&user) && !known.0.contains_key(&user) {
            return;
        }
        let parts = [given.name, given.value, given.domain, given.path];
        if parts.iter().map(|part| part.len()).sum::<usize>() > COOKIE_BYTES_MAX {
            return;
        }
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        let (Some(name), Some(value), Some(domain), Some(path)) =
            (text(given.name), text(given.value), text(given.domain), text(given.path))
        else {
            return;
        };
        let domain = if given.host_only { domain } else { format!(".{domain}") };
        let entry = Entry { name, value, domain, path, secure: given.secure, expires };
        if expires > 0 || self.has(user, &entry) || known.has(user, &entry) {
            self.put(user, entry);
        }
    }

    /// Adds the later cookies of another set.
    pub fn merge(&mut self, other: Self) {
        for (user, jar) in other.0 {
            jar.into_iter().for_each(|entry| self.put(user, entry));
        }
    }

    /// Whether no cookie would be stored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.values().flatten().all(|entry| entry.expires == 0)
    }

    /// Formats the file with all cookies that are valid at `now`; `quirks` drops the first label of their hosts.
    #[must_use]
    pub fn text(&self, now: u64, quirks: bool) -> String {
        let mut out = HEAD.to_owned();
        for (user, jar) in &self.0 {
            for entry in jar.iter().filter(|entry| entry.expires >= now.max(1)) {
                let Entry { name, value, domain, path, expires, .. } = entry;
                let domain = match domain.find('.') {
                    Some(0) => domain,
                    Some(dot) if quirks => &domain[dot..],
                    None if quirks => ".",
                    _ => domain,
                };
                let secure = if entry.secure { "; secure=true" } else { "" };
                // Writing to a String cannot fail.
                let _ = writeln!(
                    out,
                    "siege-{} | {name}={value}; domain={domain}; path={path}; expires={expires}{secure}",
                    user + 1
                );
            }
        }
        out
    }

    /// Returns the initial cookies of the first `users` for a run at `now`.
    pub(super) fn planned(&self, users: u32, now: u64) -> Vec<InitialCookie> {
        let cookie = |session: u64, entry: &Entry| InitialCookie {
            session,
            name: entry.name.clone(),
            value: entry.value.clone(),
            domain: entry.domain.trim_start_matches('.').to_owned(),
            path: entry.path.clone(),
            secure: entry.secure,
        };
        let is_good = |entry: &&Entry| (entry.expires == 0 || entry.expires > now) && !is_rest(&entry.domain);
        self.0
            .range(..u64::from(users))
            .flat_map(|(user, jar)| jar.iter().filter(is_good).map(|entry| cookie(*user, entry)))
            .collect()
    }
}

/// Parses the date of a cookie into seconds since 1970, as in RFC 6265 section 5.1.1; `None` for earlier dates.
fn date(text: &[u8]) -> Option<u64> {
    let (mut clock, mut day, mut month, mut year) = (None, None, None, None);
    let is_between = |byte: &u8| !byte.is_ascii_alphanumeric() && *byte != b':';
    for token in text.split(is_between).filter(|token| !token.is_empty()) {
        let token = std::str::from_utf8(token).ok()?;
        if clock.is_none() && token.contains(':') {
            clock = Some(time_of_day(token)?);
            continue;
        }
        match (token.len(), token.parse::<i32>()) {
            (1 | 2, Ok(number)) if day.is_none() => day = Some(u8::try_from(number).ok()?),
            (2, Ok(number)) if year.is_none() => year = Some(if number < 70 { 2000 } else { 1900 } + number),
            (4, Ok(number)) if year.is_none() => year = Some(number),
            (3.., Err(_)) if month.is_none() => {
                let names =
                    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
                let beginning = token.get(..3).unwrap_or_default().to_ascii_lowercase();
                let place = names.iter().position(|name| *name == beginning);
                month = place.and_then(|place| Month::try_from(place as u8 + 1).ok());
            }
            _ => {}
        }
    }
    let date = Date::from_calendar_date(year?, month?, day?).ok()?;
    u64::try_from(PrimitiveDateTime::new(date, clock?).assume_utc().unix_timestamp()).ok()
}

/// Parses a time such as `12:51:25`.
fn time_of_day(text: &str) -> Option<Time> {
    let mut parts = text.split(':').map(|part| part.parse::<u8>().ok());
    let mut next = || parts.next().flatten();
    Time::from_hms(next()?, next()?, next()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_795_225_438;
    const LATER: u64 = 1_988_150_399;

    fn given(text: &'static str, until: Until<'static>) -> Given<'static> {
        let (name, value) = text.split_once('=').unwrap();
        Given {
            name: name.as_bytes(),
            value: value.as_bytes(),
            domain: b"127.0.0.1",
            host_only: true,
            path: b"/sub",
            secure: false,
            until,
        }
    }

    fn lines(jars: &Jars, quirks: bool) -> Vec<String> {
        let text = jars.text(NOW, quirks);
        text.strip_prefix(HEAD).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn dates_are_read_as_browsers_read_them() {
        let rows = [
            ("Sun, 01 Jan 2033 00:59:59 GMT", Some(1_988_153_999)),
            ("Thu, 01-Jan-1970 00:00:01 GMT", Some(1)),
            ("Sat Nov 21 01:43:58 2026", Some(1_795_225_438)),
            ("Wednesday, 01-Sep-99 08:00:00 GMT", Some(936_172_800)),
            ("29 Feb 2028 12:00:00", Some(1_835_438_400)),
            ("1 Mar 2000 00:00:00 GMT", Some(951_868_800)),
            ("31 Dec 2031 23:59:59", Some(1_956_527_999)),
            ("Thu, 01 Jan 1960 00:00:00 GMT", None),
            ("Sun, 01 Jan 2033 GMT", None),
            ("01 2033 00:00:00", None),
            ("99 Jan 2033 00:00:00", None),
            ("1 Jan 2033 25:00:00", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(date(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn whether_a_date_has_passed_depends_on_the_clock() {
        let request = warwolf_plan::Request::get("http://a.test/").unwrap();
        let field = b"a=b; Expires=Sat, 05 Nov 2022 00:00:00 GMT";
        let cookie = GivenCookie::read(&request, field).unwrap();
        let given = Given { until: Until::of(&cookie), ..given("a=b", Until::Session) };
        for (now, is_kept) in [(1_600_000_000, true), (NOW, false)] {
            let mut jars = Jars::default();
            jars.give(&Jars::default(), 0, &given, now);
            assert_eq!(!jars.is_empty(), is_kept, "{now}");
        }
    }

    #[test]
    fn a_server_cannot_fill_a_jar() {
        let (mut jars, none) = (Jars::default(), Jars::default());
        for number in 0..COOKIES_MAX + 9 {
            let name = format!("c{number}");
            let cookie = Given { name: name.as_bytes(), ..given("c=1", Until::Seconds(60)) };
            jars.give(&none, 0, &cookie, NOW);
        }
        let kept = lines(&jars, false);
        assert_eq!(kept.len(), COOKIES_MAX);
        assert!(kept[0].starts_with("siege-1 | c9="), "the oldest make room: {}", kept[0]);
        let long = vec![b'x'; COOKIE_BYTES_MAX];
        jars.give(&none, 1, &Given { value: &long, ..given("c=1", Until::Seconds(60)) }, NOW);
        assert_eq!(jars.0.len(), 1, "no larger than a session has them");
    }

    #[test]
    fn what_is_given_is_kept_while_it_is_good() {
        let mut jars = Jars::default();
        let none = Jars::default();
        jars.give(&none, 1, &given("sid=1", Until::Session), NOW);
        assert_eq!((jars.is_empty(), jars.0.len()), (true, 0), "nothing to remember");
        jars.give(&none, 1, &given("p=1", Until::Date(b"Sun, 01 Jan 2033 00:00:00 GMT")), NOW);
        jars.give(&none, 0, &given("m=2", Until::Seconds(60)), NOW);
        jars.give(
            &none,
            0,
            &Given { host_only: false, domain: b"a.test", secure: true, ..given("d=3", Until::Seconds(9)) },
            NOW,
        );
        jars.give(&none, 0, &given("old=4", Until::Date(b"Thu, 01 Jan 2026 00:00:00 GMT")), NOW);
        let own = [
            "siege-1 | m=2; domain=127.0.0.1; path=/sub; expires=1795225498",
            "siege-1 | d=3; domain=.a.test; path=/sub; expires=1795225447; secure=true",
            "siege-2 | p=1; domain=127.0.0.1; path=/sub; expires=1988150400",
        ];
        assert_eq!(lines(&jars, false), own);
        assert!(lines(&jars, true)[2].contains("domain=.0.0.1;"), "{:?}", lines(&jars, true));
        assert_eq!(Jars::read(&jars.text(NOW, false), &[]).text(NOW, false), jars.text(NOW, false));
        let mut later = Jars::default();
        later.give(&jars, 0, &given("m=", Until::Gone), NOW);
        later.give(&jars, 1, &given("p=2", Until::Session), NOW);
        jars.merge(later);
        assert_eq!(lines(&jars, false), own[1..2], "taken back, or no longer to be kept");
        assert_eq!(jars.text(NOW + 10, false), HEAD, "nothing is for ever");
    }

    #[test]
    fn users_get_what_is_theirs_whatever_wrote_it() {
        let text = "#\n# by hand\n140719067092672 | perm=p; domain=.0.0.1; path=/sub; expires=1988150399\n\
                    140719067092999 | x=1|2; domain=www.a.test; path=/; expires=1988150399; persistent=true\n\
                    140719067092672 | top=1; domain=.test; path=/; expires=1988150399\n\
                    140719067092672 | here=1; domain=.; path=/; expires=1988150399\n\
                    siege-7 | seven=7; domain=a.test; secure=true\n\
                    mine | hand=1; expires=Sun, 01 Jan 2033 00:00:00 GMT; domain=.a.test\n\
                    mine | old=1; domain=.a.test; path=/; expires=1700000000\n\
                    mine | nowhere=1; path=/\nno cookie\nmine | =; domain=a.test\n";
        let hosts = ["127.0.0.1", "b.test", "localhost"].map(str::to_owned);
        let jars = Jars::read(text, &hosts);
        let found = |users| -> Vec<String> {
            let text = |cookie: &InitialCookie| {
                let secure = if cookie.secure { " secure" } else { "" };
                format!(
                    "{} {}={} {}{}{secure}",
                    cookie.session, cookie.name, cookie.value, cookie.domain, cookie.path
                )
            };
            jars.planned(users, NOW).iter().map(text).collect()
        };
        let all = [
            "0 perm=p 127.0.0.1/sub",
            "0 top=1 b.test/",
            "0 here=1 localhost/",
            "1 x=1|2 www.a.test/",
            "2 hand=1 a.test/",
            "6 seven=7 a.test/ secure",
        ];
        assert_eq!(found(9), all);
        assert_eq!(found(2), all[..4]);
        assert!(Jars::read(text, &[]).planned(1, NOW).is_empty(), "of hosts that nobody goes to");
        let kept = lines(&Jars::read(text, &[]), false);
        assert_eq!(kept.len(), 5, "what does not expire is not kept, what nobody used is: {kept:?}");
        assert!(kept[0].ends_with(&format!("perm=p; domain=.0.0.1; path=/sub; expires={LATER}")), "{kept:?}");
    }
}
