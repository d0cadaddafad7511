//! Reads the file of URLs, one per line.

use crate::latin;
use warwolf_plan::{Endpoint, Hole, HoleValue, Request, RequestShape, Scheme};

/// The `User-Agent` of requests.
const USER_AGENT: &str = "http_load 12mar2006";

/// Returns the lines of a file without line ends. A carriage return before the line feed is part of the line end; the
/// original sent it to the server as part of the path.
pub(super) fn lines(file: &[u8]) -> impl Iterator<Item = &[u8]> {
    let none = file.is_empty();
    let file = file.strip_suffix(b"\n").unwrap_or(file);
    file.split(|byte| *byte == b'\n')
        .filter(move |_| !none)
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// Returns scheme, host and port of a URL, up to its path. `None` without a path.
pub(super) fn server(line: &[u8]) -> Option<&[u8]> {
    let slashes = line.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    slashes.map(|(at, _)| &line[..at]).nth(2)
}

/// Returns the path of a URL that begins with `server`.
pub(super) fn path_behind<'l>(line: &'l [u8], server: &[u8]) -> Option<&'l [u8]> {
    line.strip_prefix(server).filter(|path| path.starts_with(b"/"))
}

/// Returns the request of a line, or `None` without a lower-case `http://` or `https://`. The rest of the line is sent
/// byte for byte, blanks included.
pub(super) fn request(line: &[u8], proxy: Option<(&str, u16)>) -> Option<Request> {
    let line: &str = &latin(line);
    let (scheme, rest) = if let Some(rest) = line.strip_prefix("http://") {
        (Scheme::Http, rest)
    } else {
        (Scheme::Https, line.strip_prefix("https://")?)
    };
    let (host, port, path) = split(rest, scheme.default_port());
    let target = match proxy {
        None => path.to_owned(),
        // With the port even if it is the default of the scheme.
        Some(_) => {
            let scheme = if scheme == Scheme::Http { "http" } else { "https" };
            format!("{scheme}://{}:{port}{path}", bracketed(host))
        }
    };
    // The path goes in behind the method, so that the URLs of a server share the rest.
    let head = format!("GET  HTTP/1.0\r\nHost: {}\r\nUser-Agent: {USER_AGENT}\r\n", bracketed(host));
    let (to, at) = match proxy {
        Some((to, at)) => (to.to_owned(), at),
        None => (bytes(host), port),
    };
    let endpoint = Endpoint { scheme, host: to, port: at };
    let holes = vec![Hole { at: 4, value: HoleValue::Path }];
    Some(Request::new(target, RequestShape { head: Some(head), holes, ..RequestShape::get(endpoint) }))
}

/// Converts the characters of `latin` back to bytes, and these to text.
fn bytes(latin: &str) -> String {
    let bytes: Vec<u8> = latin.chars().map(|letter| letter as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns host, port and path of what follows the scheme. The default path is `/`; a non-numeric port counts as zero.
fn split(rest: &str, default_port: u16) -> (&str, u16, &str) {
    let (authority, path) = match rest.find('/') {
        Some(slash) => rest.split_at(slash),
        None => (rest, "/"),
    };
    let (host, port) = host_and_port(authority);
    (host, port.map_or(default_port, port_of), path)
}

/// Splits `host:port`, and `[address]:port`, which the original does not support.
pub(super) fn host_and_port(authority: &str) -> (&str, Option<&str>) {
    if let Some((address, rest)) = authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return (address, rest.strip_prefix(':'));
    }
    authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)))
}

/// Parses a port as C's `atoi` does.
pub(super) fn port_of(text: &str) -> u16 {
    u16::try_from(super::options::number(text)).unwrap_or(0)
}

fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> (String, u16, String) {
        let request = request(line.as_bytes(), None).unwrap();
        (request.endpoint.host.clone(), request.endpoint.port, sent(&request))
    }

    /// The head as the engine writes it.
    fn sent(request: &Request) -> String {
        let (method, rest) = request.head.as_ref().unwrap().split_at(request.holes[0].at as usize);
        format!("{method}{}{rest}", request.path)
    }

    #[test]
    fn a_url_is_host_port_and_path_as_they_stand() {
        let rows = [
            ("http://a.test", "a.test", 80, "/", "a.test"),
            ("http://a.test/", "a.test", 80, "/", "a.test"),
            ("http://a.test:8080", "a.test", 8080, "/", "a.test"),
            // The header lacks the port, a defect of the original that shows in server logs.
            ("http://a.test:8080/x", "a.test", 8080, "/x", "a.test"),
            ("http://127.0.0.1:18090/ok?a=b c#f", "127.0.0.1", 18090, "/ok?a=b c#f", "127.0.0.1"),
            ("http://a.test/x ", "a.test", 80, "/x ", "a.test"),
            ("https://a.test/x", "a.test", 443, "/x", "a.test"),
            ("http://[::1]:8080/x", "::1", 8080, "/x", "[::1]"),
            ("http://a.test:8x0/", "a.test", 8, "/", "a.test"),
            ("http://a.test/b:9/", "a.test", 80, "/b:9/", "a.test"),
        ];
        for (line, host, port, path, header) in rows {
            let head =
                format!("GET {path} HTTP/1.0\r\nHost: {header}\r\nUser-Agent: http_load 12mar2006\r\n");
            assert_eq!(of(line), (host.to_owned(), port, head), "{line}");
        }
    }

    #[test]
    fn a_path_is_sent_byte_for_byte() {
        let line = "http://a.test/\u{e9}".as_bytes();
        let head = sent(&request(line, None).unwrap());
        assert!(
            head.starts_with("GET /\u{c3}\u{a9} HTTP/1.0\r\n"),
            "each byte of UTF-8 is a character: {head}"
        );
        let host = request("http://\u{e9}.test/".as_bytes(), None).unwrap().endpoint.host.clone();
        assert_eq!(host, "\u{e9}.test", "and names are text again");
    }

    #[test]
    fn urls_of_one_server_differ_in_their_paths() {
        let of = |line: &'static str| server(line.as_bytes());
        assert_eq!(of("http://a.test:80/x/y"), Some(&b"http://a.test:80"[..]));
        assert_eq!((of("http://a.test"), of("x")), (None, None));
        let path = |line: &'static str| path_behind(line.as_bytes(), b"http://a.test");
        assert_eq!(path("http://a.test/x"), Some(&b"/x"[..]));
        assert_eq!(
            (path("http://a.test"), path("http://a.test:81/"), path("http://b.test/")),
            (None, None, None)
        );
    }

    #[test]
    fn anything_else_is_no_url() {
        for line in ["", "# c", "ftp://x/", "HTTP://a.test/", "a.test/", " http://a.test/"] {
            assert_eq!(request(line.as_bytes(), None), None, "{line}");
        }
    }

    #[test]
    fn through_a_proxy_the_target_is_the_whole_url_with_its_port() {
        let request = request(b"http://a.test/x", Some(("p.test", 3128))).unwrap();
        assert_eq!(request.endpoint.host, "p.test");
        assert_eq!(request.endpoint.port, 3128);
        assert_eq!(&*request.path, "http://a.test:80/x");
        let head = sent(&request);
        assert!(head.starts_with("GET http://a.test:80/x HTTP/1.0\r\nHost: a.test\r\n"), "{head}");
    }

    #[test]
    fn a_file_is_its_lines() {
        let rows: [(&[u8], &[&str]); 7] = [
            (b"", &[]),
            (b"\n", &[""]),
            (b"a", &["a"]),
            (b"a\n", &["a"]),
            (b"a\r\nb\r\n", &["a", "b"]),
            (b"a\n\nb", &["a", "", "b"]),
            (b"a\n\n", &["a", ""]),
        ];
        for (file, expected) in rows {
            let found: Vec<_> = lines(file).map(|line| std::str::from_utf8(line).unwrap()).collect();
            assert_eq!(found, expected, "{file:?}");
        }
    }
}
