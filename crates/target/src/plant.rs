//! Simulated bugs: the server fails on certain requests, to test whether a fuzzer finds them.

use std::fmt;
use std::str::FromStr;

use crate::grammar::{GrammarError, bytes};

/// A simulated bug. A crash acts like that of a process with a supervisor: all connections are closed, and new connections are
/// served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// `query-overflow:BYTES`: returns 500 for a query string of at least this length.
    QueryOverflow(u64),
    /// `line-overflow:BYTES`: crashes on a request line or header line of at least this length.
    LineOverflow(u64),
    /// `nul-header`: crashes on a zero byte anywhere in the head.
    NulHeader,
    /// `negative-length`: crashes on a `Content-Length` that begins with a minus sign.
    NegativeLength,
    /// `bad-chunk`: never responds and keeps the connection open if a chunk size of an upload is invalid.
    BadChunk,
}

impl FromStr for Plant {
    type Err = GrammarError;

    fn from_str(word: &str) -> Result<Self, GrammarError> {
        match word.split_once(':') {
            Some(("query-overflow", size)) => Ok(Self::QueryOverflow(bytes(size)?)),
            Some(("line-overflow", size)) => Ok(Self::LineOverflow(bytes(size)?)),
            None if word == "nul-header" => Ok(Self::NulHeader),
            None if word == "negative-length" => Ok(Self::NegativeLength),
            None if word == "bad-chunk" => Ok(Self::BadChunk),
            _ => Err(GrammarError::new(word, WANTED)),
        }
    }
}

const WANTED: &str = "a simulated bug: `query-overflow:BYTES`, `line-overflow:BYTES`, `nul-header`, `negative-length` or `bad-chunk`";

impl fmt::Display for Plant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::QueryOverflow(size) => write!(f, "query-overflow:{size}"),
            Self::LineOverflow(size) => write!(f, "line-overflow:{size}"),
            Self::NulHeader => f.write_str("nul-header"),
            Self::NegativeLength => f.write_str("negative-length"),
            Self::BadChunk => f.write_str("bad-chunk"),
        }
    }
}

/// Returns whether a complete or partial head crashes the server. Checks raw bytes, because such heads are often invalid.
pub(crate) fn crashes(plants: &[Plant], input: &[u8]) -> bool {
    if plants.is_empty() {
        return false;
    }
    let head = &input[..end_of_head(input)];
    plants.iter().any(|plant| match *plant {
        Plant::LineOverflow(size) => head.split(|b| *b == b'\n').any(|line| line.len() as u64 >= size),
        Plant::NulHeader => head.contains(&0),
        Plant::NegativeLength => head.split(|b| *b == b'\n').any(has_negative_length),
        Plant::QueryOverflow(_) | Plant::BadChunk => false,
    })
}

/// Returns whether a query string triggers a simulated overflow.
pub(crate) fn overflows(plants: &[Plant], query: &str) -> bool {
    plants.iter().any(|plant| matches!(*plant, Plant::QueryOverflow(size) if query.len() as u64 >= size))
}

/// Returns the end of the first blank line of `input`, or its length without one.
fn end_of_head(input: &[u8]) -> usize {
    let blank =
        |end: &[u8]| input.windows(end.len()).position(|window| window == end).map(|at| at + end.len());
    let lengths = [blank(b"\r\n\r\n"), blank(b"\n\n")];
    lengths.into_iter().flatten().min().unwrap_or(input.len())
}

fn has_negative_length(line: &[u8]) -> bool {
    let name = b"content-length:";
    line.len() > name.len()
        && line[..name.len()].eq_ignore_ascii_case(name)
        && line[name.len()..].trim_ascii_start().starts_with(b"-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bug_is_parsed_and_printed() {
        for word in
            ["query-overflow:8193", "line-overflow:2048", "nul-header", "negative-length", "bad-chunk"]
        {
            assert_eq!(word.parse::<Plant>().unwrap().to_string(), word);
        }
        for word in ["", "line-overflow", "line-overflow:x", "bad-chunk:1"] {
            assert!(word.parse::<Plant>().is_err(), "{word}");
        }
    }

    #[test]
    fn a_crash_needs_its_trigger() {
        let all = [Plant::LineOverflow(30), Plant::QueryOverflow(2), Plant::NulHeader, Plant::NegativeLength];
        for (head, crash) in [
            (&b"GET /?abc HTTP/1.1\r\nHost: a\r\n\r\n"[..], false),
            (b"GET / HTTP/1.1\r\nX: 0123456789012345678901234567890\r\n\r\n", true),
            (b"GET / HTTP/1.1\r\nX: a\0b\r\n", true),
            (b"POST / HTTP/1.1\r\nX: a\r\n\r\n\0", false),
            (b"GET / HTTP/1.1\r\ncontent-LENGTH: -1\r\n", true),
        ] {
            assert_eq!(crashes(&all, head), crash, "{}", head.escape_ascii());
        }
        assert!(!crashes(&[], b"\0"));
    }

    #[test]
    fn a_query_overflows_at_the_given_length() {
        let planted = [Plant::QueryOverflow(3)];
        assert!(!overflows(&planted, "ab"));
        assert!(overflows(&planted, "abc"));
    }
}
