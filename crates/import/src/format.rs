//! Which format a text has.

use std::fmt;

/// A format that is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Command lines of curl.
    Curl,
    /// HTTP archives.
    Har,
    /// `.http` and `.rest` files of JetBrains IDEs and VS Code.
    HttpFile,
    /// OpenAPI documents.
    OpenApi,
    /// Postman collections.
    Postman,
    /// Targets of vegeta.
    Vegeta,
}

/// Bytes of a text that are looked at.
const START: usize = 64 << 10;

impl Format {
    /// All formats.
    pub const ALL: [Self; 6] =
        [Self::Curl, Self::Har, Self::HttpFile, Self::OpenApi, Self::Postman, Self::Vegeta];

    /// The name that users give it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Curl => "curl",
            Self::Har => "har",
            Self::HttpFile => "http",
            Self::OpenApi => "openapi",
            Self::Postman => "postman",
            Self::Vegeta => "vegeta",
        }
    }

    /// Detects the format from the name of a file, which may be empty, and from the beginning of its text.
    #[must_use]
    pub fn of(file: &str, bytes: &[u8]) -> Option<Self> {
        let end = file.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).unwrap_or_default();
        match end.as_str() {
            "http" | "rest" => return Some(Self::HttpFile),
            "har" => return Some(Self::Har),
            "curl" => return Some(Self::Curl),
            _ => {}
        }
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(START)]);
        let start = start.trim_start_matches('\u{feff}').trim_start();
        if start.starts_with('{') { Self::of_json(start) } else { Self::of_lines(start) }
    }

    /// The format of JSON: by the names of the first fields.
    fn of_json(start: &str) -> Option<Self> {
        let first = start[1..].trim_start();
        let has = |name: &str| start.contains(name);
        let line = start.lines().next().unwrap_or_default();
        if first.starts_with("\"log\"") {
            Some(Self::Har)
        } else if has("\"openapi\"") || has("\"swagger\"") {
            Some(Self::OpenApi)
        } else if has("_postman_id") || has("getpostman.com") || (has("\"info\"") && has("\"item\"")) {
            Some(Self::Postman)
        } else if line.contains("\"method\"") && line.contains("\"url\"") && line.trim_end().ends_with('}') {
            Some(Self::Vegeta)
        } else if has("\"log\"") && has("\"entries\"") {
            Some(Self::Har)
        } else {
            None
        }
    }

    /// The format of lines: by the first that tells.
    fn of_lines(start: &str) -> Option<Self> {
        for line in start.lines().map(str::trim) {
            let word = line
                .split([' ', '\t', '='])
                .find(|word| !matches!(*word, "" | "$" | "%"))
                .unwrap_or_default();
            if word == "curl" || word.ends_with("/curl") {
                return Some(Self::Curl);
            }
            if line.starts_with("openapi:")
                || line.starts_with("swagger:")
                || line.starts_with("\"openapi\":")
            {
                return Some(Self::OpenApi);
            }
            if line.starts_with("###") || line.starts_with('@') {
                return Some(Self::HttpFile);
            }
            let is_method = word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_uppercase());
            if is_method && (line.contains("://") || line.contains("{{")) {
                let is_http_file = start.lines().any(|line| line.starts_with("###") || line.contains("{{"));
                return Some(if is_http_file { Self::HttpFile } else { Self::Vegeta });
            }
        }
        None
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn formats_are_detected() {
        for (file, text, expected) in [
            ("a.http", "", Some(Format::HttpFile)),
            ("a.har", "{", Some(Format::Har)),
            ("login.sh", "#!/bin/sh\nTOKEN=1\ncurl http://a/", Some(Format::Curl)),
            ("", "$ curl http://a/", Some(Format::Curl)),
            ("a.json", "{\"log\": {", Some(Format::Har)),
            ("a.json", "\u{feff}{\n \"info\": {}, \"openapi\": \"3.0.0\"", Some(Format::OpenApi)),
            (
                "a.json",
                "{\"info\": {}, \"item\": [{\"request\": {\"method\": \"GET\", \"url\": \"x\"}}]}",
                Some(Format::Postman),
            ),
            ("a.yaml", "# x\nopenapi: 3.1.0", Some(Format::OpenApi)),
            ("a.json", "{\"info\": {\"_postman_id\": \"x\"}}", Some(Format::Postman)),
            ("targets.txt", "GET http://a/\nX: y\n", Some(Format::Vegeta)),
            ("targets.json", "{\"method\":\"GET\",\"url\":\"http://a/\"}\n", Some(Format::Vegeta)),
            ("requests.txt", "### one\nGET http://a/", Some(Format::HttpFile)),
            ("requests.txt", "GET {{host}}/", Some(Format::HttpFile)),
            ("a.txt", "hello", None),
            ("a.json", "{}", None),
        ] {
            assert_eq!(Format::of(file, text.as_bytes()), expected, "{file}: {text}");
        }
    }
}
