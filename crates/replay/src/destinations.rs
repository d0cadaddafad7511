//! Where the requests of a log are sent.

use crate::Skipped;
use std::collections::HashMap;
use warwolf_accesslog::{Entry, Unreadable};
use warwolf_plan::{Endpoint, PlanError, Request};

/// A request of the log, and the server it is sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Start of the request in nanoseconds since 1970 (UTC).
    pub at_ns: i64,
    /// The log has a resolution of one second.
    pub whole_second: bool,
    /// The method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// The server.
    pub endpoint: Endpoint,
    /// Header fields of the log that are sent.
    pub headers: Vec<(String, String)>,
    /// The body, which only archives contain.
    pub body: Vec<u8>,
    /// Only the log names the server. Clients choose what is in a log, so such a server receives no credentials.
    pub is_from_log: bool,
}

impl Call {
    /// About how many bytes it takes in memory.
    pub(crate) fn size_bytes(&self) -> usize {
        let fields = self.headers.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>();
        size_of::<Self>() + self.path.len() + fields + self.body.len()
    }
}

/// Header fields of a log that are sent. An archive contains whole requests, of which all but `Host` is always sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// The host that the log names, as `Host`.
    pub host: bool,
    /// `User-Agent` and `Referer`.
    pub agent: bool,
}

/// The servers that requests are sent to, instead of those that the log names.
#[derive(Clone, Debug, Default)]
pub struct Destinations {
    /// Header fields of the log that are sent.
    pub keep: Keep,
    to: Option<Endpoint>,
    hosts: HashMap<String, Endpoint>,
}

/// Why `HOST=URL` is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapError {
    /// There is no `=`.
    Form,
    /// The URL is invalid.
    Url(PlanError),
}

impl Destinations {
    /// Sends the requests that no host is mapped for to the server of `url`; otherwise to the server that the log names.
    ///
    /// # Errors
    /// When the URL is invalid.
    pub fn new(url: Option<&str>) -> Result<Self, PlanError> {
        let to = url.map(Request::get).transpose()?.map(|request| request.endpoint.clone());
        Ok(Self { to, ..Self::default() })
    }

    /// Sends requests for a host of the log to another server, as in `a.test=http://127.0.0.1:81/`.
    ///
    /// # Errors
    /// When the text is not `HOST=URL`.
    pub fn map(&mut self, text: &str) -> Result<(), MapError> {
        let (host, url) = text.split_once('=').ok_or(MapError::Form)?;
        let request = Request::get(url).map_err(MapError::Url)?;
        self.hosts.insert(host.to_ascii_lowercase(), request.endpoint.clone());
        Ok(())
    }

    /// The request of an entry, with its server.
    pub(crate) fn call(&self, entry: Entry) -> Result<Call, Skipped> {
        let (path, own) = if entry.target.starts_with('/') || entry.target == "*" {
            let host = entry.host.as_deref().and_then(|host| Request::get(host).ok());
            (entry.target, host.map(|request| request.endpoint.clone()))
        } else if is_http(&entry.target) {
            let url = Request::get(&entry.target).map_err(|_| Skipped::Unreadable(Unreadable::Request))?;
            (url.path.to_string(), Some(url.endpoint.clone()))
        } else {
            return Err(Skipped::Unreadable(Unreadable::Request));
        };
        let mapped = own.as_ref().and_then(|own| self.hosts.get(&own.host)).or(self.to.as_ref());
        let is_from_log = mapped.is_none();
        let endpoint = mapped.or(own.as_ref()).ok_or(Skipped::NoServer)?.clone();
        let mut headers = entry.headers;
        if !entry.is_whole && !self.keep.agent {
            headers.clear();
        }
        if let Some(own) = own.filter(|_| self.keep.host) {
            headers.insert(0, ("Host".to_owned(), own.host_header()));
        }
        Ok(Call {
            at_ns: entry.at_ns,
            whole_second: entry.whole_second,
            method: entry.method,
            path,
            endpoint,
            headers,
            body: entry.body,
            is_from_log,
        })
    }
}

/// Whether a target is a URL of HTTP. Logs of proxies and browsers contain others, such as `error:…`, `ws://…`, `data:…`.
fn is_http(target: &str) -> bool {
    let scheme = target.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(target: &str, host: Option<&str>) -> Entry {
        Entry {
            method: "GET".to_owned(),
            target: target.to_owned(),
            host: host.map(str::to_owned),
            ..Entry::default()
        }
    }

    #[test]
    fn a_mapped_host_comes_before_to_and_to_before_the_log() {
        let mut map = Destinations::new(Some("http://to.test:81/ignored")).unwrap();
        map.map("A.test=http://b.test:82/").unwrap();
        let none = Destinations::default();
        let rows = [
            (&map, "/x", None, Ok("http://to.test:81 /x false")),
            (&map, "/x", Some("a.test"), Ok("http://b.test:82 /x false")),
            (&map, "http://a.test/y?z", None, Ok("http://b.test:82 /y?z false")),
            (&map, "http://c.test/", Some("a.test"), Ok("http://to.test:81 / false")),
            (&none, "/x", Some("c.test:8080"), Ok("http://c.test:8080 /x true")),
            (&none, "https://c.test/", None, Ok("https://c.test / true")),
            (&none, "/x", None, Err(Skipped::NoServer)),
            (&none, "/x", Some("%"), Err(Skipped::NoServer)),
        ];
        for (destinations, target, host, expected) in rows {
            let call = destinations.call(entry(target, host));
            let call = call.map(|call| format!("{} {} {}", call.endpoint, call.path, call.is_from_log));
            assert_eq!(call, expected.map(str::to_owned), "{target} {host:?}");
        }
    }

    #[test]
    fn a_target_that_is_no_url_is_no_request_even_where_all_go_to_one_server() {
        let (to, none) = (Destinations::new(Some("http://to.test/")).unwrap(), Destinations::default());
        let targets = [
            "http://[",
            "?x",
            "http:///%zz",
            "http://%/",
            "http://h:0/",
            "http://h:99999/x",
            "file:///x",
            "ftp://x/",
            "x.php",
            "error:invalid-request",
            "error:transaction-end-before-headers",
            "foo:bar",
            "cache_object://x",
            "ws://x/",
            "data:,x",
            "blob:http://x/1",
            "chrome-extension://x/",
        ];
        for target in targets {
            for destinations in [&to, &none] {
                let call = destinations.call(entry(target, None));
                assert_eq!(call, Err(Skipped::Unreadable(Unreadable::Request)), "{target}");
            }
        }
    }

    #[test]
    fn fields_of_the_log_are_sent_as_asked_and_those_of_an_archive_always() {
        let fields = |keep: Keep, is_whole: bool| {
            let destinations = Destinations { keep, ..Destinations::new(Some("http://to.test/")).unwrap() };
            let headers = vec![("User-Agent".to_owned(), "x".to_owned())];
            let entry = Entry { headers, is_whole, ..entry("/", Some("a.test:81")) };
            let call = destinations.call(entry).unwrap();
            call.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>()
        };
        let (none, all) = (Keep::default(), Keep { host: true, agent: true });
        assert_eq!(fields(none, false), [""; 0]);
        assert_eq!(fields(none, true), ["User-Agent: x"]);
        assert_eq!(fields(all, false), ["Host: a.test:81", "User-Agent: x"]);
    }

    #[test]
    fn a_map_is_a_host_and_a_url() {
        let mut map = Destinations::default();
        assert_eq!(map.map("a.test"), Err(MapError::Form));
        assert!(matches!(map.map("a.test=http://["), Err(MapError::Url(_))));
    }
}
