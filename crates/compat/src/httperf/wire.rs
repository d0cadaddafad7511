//! Builds requests as they are sent.

use super::options::Options;

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wire {
    pub(super) method: String,
    pub(super) target: Vec<u8>,
    /// The head without the empty line that ends it.
    pub(super) head: Vec<u8>,
    pub(super) body: Vec<u8>,
}

/// What all requests of a run have in common.
pub(super) struct Stationery<'a> {
    options: &'a Options,
    /// What `--add-header` and `--add-header-file` add to each head.
    extra: Vec<u8>,
}

impl<'a> Stationery<'a> {
    pub(super) fn new(options: &'a Options, extra: Vec<u8>) -> Self {
        Self { options, extra }
    }

    /// Builds a request to `server`. `--server-name` replaces `server` in the head.
    pub(super) fn request(&self, server: &str, method: &str, target: &[u8], body: &[u8]) -> Wire {
        let options = self.options;
        let (major, minor) = options.http_version;
        let mut head = Vec::with_capacity(128 + target.len() + self.extra.len());
        head.extend_from_slice(method.as_bytes());
        head.push(b' ');
        head.extend_from_slice(target);
        head.extend_from_slice(format!(" HTTP/{major}.{minor}\r\n").as_bytes());
        head.extend_from_slice(format!("User-Agent: {}\r\n", options.user_agent).as_bytes());
        if (major, minor) == (1, 0) {
            head.extend_from_slice(b"Connection: keep-alive\r\n");
        }
        if !options.no_host_header {
            let name = options.server_name.as_deref().unwrap_or(server);
            let name = name.split(['\r', '\n']).next().unwrap_or_default();
            head.extend_from_slice(format!("Host: {name}\r\n").as_bytes());
        }
        head.extend_from_slice(&self.extra);
        if !body.is_empty() {
            head.extend_from_slice(format!("Content-length: {}\r\n", body.len()).as_bytes());
        }
        Wire { method: method.to_owned(), target: target.to_vec(), head, body: body.to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(line: &str, extra: &[u8], method: &str, body: &[u8]) -> String {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let options = Options::read(&words).unwrap();
        let wire = Stationery::new(&options, extra.to_vec()).request("127.0.0.1", method, b"/ok", body);
        String::from_utf8(wire.head).unwrap().replace("\r\n", "|")
    }

    #[test]
    fn heads_are_the_originals_to_the_byte() {
        let agent = "User-Agent: httperf/0.9.0|";
        let rows = [
            ("httperf", &b""[..], "GET", &b""[..], format!("GET /ok HTTP/1.1|{agent}Host: 127.0.0.1|")),
            (
                "httperf --http-version=1.0",
                b"",
                "GET",
                b"",
                format!("GET /ok HTTP/1.0|{agent}Connection: keep-alive|Host: 127.0.0.1|"),
            ),
            (
                "httperf --server-name=w.test\r\nx",
                b"",
                "GET",
                b"",
                format!("GET /ok HTTP/1.1|{agent}Host: w.test|"),
            ),
            ("httperf --no-host-hdr", b"X: b\r\n", "GET", b"", format!("GET /ok HTTP/1.1|{agent}X: b|")),
            (
                "httperf",
                b"X: b\r\n",
                "POST",
                b"123456789",
                format!("POST /ok HTTP/1.1|{agent}Host: 127.0.0.1|X: b|Content-length: 9|"),
            ),
            (
                "httperf --user-agent=me",
                b"",
                "GET",
                b"",
                "GET /ok HTTP/1.1|User-Agent: me|Host: 127.0.0.1|".to_owned(),
            ),
        ];
        for (line, extra, method, body, expected) in rows {
            assert_eq!(head(line, extra, method, body), expected, "{line}");
        }
    }
}
