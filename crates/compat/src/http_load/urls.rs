//! The file of URLs: one a line, nothing else.

use warwolf_plan::{Body, Endpoint, Request, Scheme};

/// What the program calls itself in requests.
const USER_AGENT: &str = "http_load 12mar2006";

/// The lines of a file, each without its line end. A carriage return before the line feed belongs to the line end: the
/// original sent it to the server as part of the path.
pub(super) fn lines(file: &[u8]) -> impl Iterator<Item = &[u8]> {
    let none = file.is_empty();
    let file = file.strip_suffix(b"\n").unwrap_or(file);
    file.split(|byte| *byte == b'\n')
        .filter(move |_| !none)
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// What a line stands for; none when it begins with neither `http://` nor `https://`, in small letters.
pub(super) fn request(line: &str, proxy: Option<(&str, u16)>) -> Option<Request> {
    let (scheme, rest) = if let Some(rest) = line.strip_prefix("http://") {
        (Scheme::Http, rest)
    } else {
        (Scheme::Https, line.strip_prefix("https://")?)
    };
    let (host, port, path) = split(rest, scheme.default_port());
    let target = match proxy {
        None => path.to_owned(),
        // With the port even where it is the scheme's own.
        Some(_) => {
            let scheme = if scheme == Scheme::Http { "http" } else { "https" };
            format!("{scheme}://{}:{port}{path}", bracketed(host))
        }
    };
    let (to, at) = proxy.unwrap_or((host, port));
    Some(Request {
        endpoint: Endpoint { scheme, host: to.to_owned(), port: at },
        path: target,
        method: "GET".to_owned(),
        headers: vec![("Host".to_owned(), bracketed(host)), ("User-Agent".to_owned(), USER_AGENT.to_owned())],
        body: Body::None,
        basic_auth: None,
        head: None,
    })
}

/// Host, port and path of what follows the scheme. Without a path it is `/`; what is no number counts as port zero.
fn split(rest: &str, default_port: u16) -> (&str, u16, &str) {
    let (authority, path) = match rest.find('/') {
        Some(slash) => rest.split_at(slash),
        None => (rest, "/"),
    };
    let (host, port) = host_and_port(authority);
    (host, port.map_or(default_port, port_of), path)
}

/// The parts of `host:port`, and of `[address]:port`, which the original did not know.
pub(super) fn host_and_port(authority: &str) -> (&str, Option<&str>) {
    if let Some((address, rest)) = authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return (address, rest.strip_prefix(':'));
    }
    authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)))
}

/// A port as C's `atoi` reads it.
pub(super) fn port_of(text: &str) -> u16 {
    u16::try_from(super::options::number(text)).unwrap_or(0)
}

fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> (String, u16, String, String) {
        let request = request(line, None).unwrap();
        let host = request.headers[0].1.clone();
        (request.endpoint.host, request.endpoint.port, request.path, host)
    }

    #[test]
    fn a_url_is_host_port_and_path_as_they_stand() {
        let rows = [
            ("http://a.test", "a.test", 80, "/", "a.test"),
            ("http://a.test/", "a.test", 80, "/", "a.test"),
            ("http://a.test:8080", "a.test", 8080, "/", "a.test"),
            // The header has no port, a defect that servers' logs show.
            ("http://a.test:8080/x", "a.test", 8080, "/x", "a.test"),
            ("http://127.0.0.1:18090/ok?a=b c#f", "127.0.0.1", 18090, "/ok?a=b c#f", "127.0.0.1"),
            ("http://a.test/x ", "a.test", 80, "/x ", "a.test"),
            ("https://a.test/x", "a.test", 443, "/x", "a.test"),
            ("http://[::1]:8080/x", "::1", 8080, "/x", "[::1]"),
            ("http://a.test:8x0/", "a.test", 8, "/", "a.test"),
            ("http://a.test/b:9/", "a.test", 80, "/b:9/", "a.test"),
        ];
        for (line, host, port, path, header) in rows {
            assert_eq!(of(line), (host.to_owned(), port, path.to_owned(), header.to_owned()), "{line}");
        }
    }

    #[test]
    fn anything_else_is_no_url() {
        for line in ["", "# c", "ftp://x/", "HTTP://a.test/", "a.test/", " http://a.test/"] {
            assert_eq!(request(line, None), None, "{line}");
        }
    }

    #[test]
    fn through_a_proxy_the_target_is_the_whole_url_with_its_port() {
        let request = request("http://a.test/x", Some(("p.test", 3128))).unwrap();
        assert_eq!(request.endpoint.host, "p.test");
        assert_eq!(request.endpoint.port, 3128);
        assert_eq!(request.path, "http://a.test:80/x");
        assert_eq!(request.headers[0].1, "a.test");
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
