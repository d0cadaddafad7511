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
    /// Only the log names the server. Clients choose what is in a log, so such a server receives no credentials.
    pub is_from_log: bool,
}

/// The servers that requests are sent to, instead of those that the log names.
#[derive(Clone, Debug, Default)]
pub struct Destinations {
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
        let to = url.map(Request::get).transpose()?.map(|request| request.endpoint);
        Ok(Self { to, hosts: HashMap::new() })
    }

    /// Sends requests for a host of the log to another server, as in `a.test=http://127.0.0.1:81/`.
    ///
    /// # Errors
    /// When the text is not `HOST=URL`.
    pub fn map(&mut self, text: &str) -> Result<(), MapError> {
        let (host, url) = text.split_once('=').ok_or(MapError::Form)?;
        let request = Request::get(url).map_err(MapError::Url)?;
        self.hosts.insert(host.to_ascii_lowercase(), request.endpoint);
        Ok(())
    }

    /// The request of an entry, with its server.
    pub(crate) fn call(&self, entry: Entry) -> Result<Call, Skipped> {
        let (path, own) = if entry.target.starts_with('/') {
            let host = entry.host.as_deref().and_then(|host| Request::get(host).ok());
            (entry.target, host.map(|request| request.endpoint))
        } else if entry.target.contains("://") {
            let url = Request::get(&entry.target).map_err(|_| Skipped::Unreadable(Unreadable::Request))?;
            (url.path, Some(url.endpoint))
        } else {
            return Err(Skipped::Unreadable(Unreadable::Request));
        };
        let mapped = own.as_ref().and_then(|own| self.hosts.get(&own.host)).or(self.to.as_ref());
        let is_from_log = mapped.is_none();
        let endpoint = mapped.or(own.as_ref()).ok_or(Skipped::NoServer)?.clone();
        Ok(Call {
            at_ns: entry.at_ns,
            whole_second: entry.whole_second,
            method: entry.method,
            path,
            endpoint,
            is_from_log,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(target: &str, host: Option<&str>) -> Entry {
        Entry {
            at_ns: 0,
            whole_second: false,
            method: "GET".to_owned(),
            target: target.to_owned(),
            host: host.map(str::to_owned),
            status: None,
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
        let to = Destinations::new(Some("http://to.test/")).unwrap();
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
            "*",
        ];
        for target in targets {
            assert_eq!(
                to.call(entry(target, None)),
                Err(Skipped::Unreadable(Unreadable::Request)),
                "{target}"
            );
        }
    }

    #[test]
    fn a_map_is_a_host_and_a_url() {
        let mut map = Destinations::default();
        assert_eq!(map.map("a.test"), Err(MapError::Form));
        assert!(matches!(map.map("a.test=http://["), Err(MapError::Url(_))));
    }
}
