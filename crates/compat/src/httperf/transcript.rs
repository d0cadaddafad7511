//! Formats the lines of `--print-request` and `--print-reply`.
//!
//! Each line begins with its kind: `S` for sent or `R` for received, `H` for head, `B` for body or `S` for sizes, and
//! the number of the call. A line without its end is buffered, separately for each body. (The original has one buffer
//! for all that a call sends and receives, so that its lines run into each other.)

use super::options::Parts;
use std::collections::HashMap;

/// Formats requests and replies.
#[derive(Clone, Debug, Default)]
pub(super) struct Transcript {
    request: Option<Parts>,
    reply: Option<Parts>,
    /// The program's name in a line about the target of each request, if that line is printed.
    fetching: Option<String>,
    /// Bytes of reply bodies whose line has not ended, by call.
    waiting: HashMap<u64, Vec<u8>>,
}

impl Transcript {
    pub(super) fn new(request: Option<Parts>, reply: Option<Parts>) -> Self {
        Self { request, reply, ..Self::default() }
    }

    /// Adds a line about the target of each request, prefixed with `program`.
    pub(super) fn with_fetching(self, program: &str) -> Self {
        Self { fetching: Some(program.to_owned()), ..self }
    }

    /// Returns whether requests are printed.
    #[must_use]
    pub(super) const fn wants_requests(&self) -> bool {
        self.request.is_some() || self.fetching.is_some()
    }

    /// Returns whether replies are printed.
    #[must_use]
    pub(super) const fn wants_replies(&self) -> bool {
        self.reply.is_some()
    }

    /// Writes a request that is sent, for the first time or again. `head` includes its empty line.
    pub(super) fn request(&mut self, call: u64, head: &[u8], body: &[u8], out: &mut Vec<u8>) {
        if let Some(program) = &self.fetching {
            let target = head.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
            out.extend_from_slice(format!("{program}: fetching `").as_bytes());
            out.extend_from_slice(target);
            out.extend_from_slice(b"'\n");
        }
        let Some(parts) = self.request else { return };
        if parts.header() {
            lines(b'S', b'H', call, head, out);
        }
        if parts.body() {
            lines(b'S', b'B', call, body, out);
        }
        out.extend_from_slice(format!("SS{call}: header {} content {}\n", head.len(), body.len()).as_bytes());
    }

    /// Writes the complete head of a reply. `head` includes its empty line.
    pub(super) fn head(&mut self, call: u64, head: &[u8], out: &mut Vec<u8>) {
        if self.reply.is_some_and(Parts::header) {
            lines(b'R', b'H', call, head, out);
        }
    }

    /// Writes the next part of the body of a reply.
    pub(super) fn body(&mut self, call: u64, bytes: &[u8], out: &mut Vec<u8>) {
        if !self.reply.is_some_and(Parts::body) {
            return;
        }
        let waiting = self.waiting.entry(call).or_default();
        waiting.extend_from_slice(bytes);
        if let Some(end) = waiting.iter().rposition(|byte| *byte == b'\n') {
            lines(b'R', b'B', call, &waiting[..=end], out);
            waiting.drain(..=end);
        }
    }

    /// Writes the end of a reply: bytes of its head, of its body, and after the last chunk.
    pub(super) fn end(&mut self, call: u64, sizes: [u64; 3], out: &mut Vec<u8>) {
        let Some(_) = self.reply else { return };
        if let Some(rest) = self.waiting.remove(&call) {
            lines(b'R', b'B', call, &rest, out);
        }
        let [header, content, footer] = sizes;
        let text = format!("RS{call}: header {header} content {content} footer {footer}\n");
        out.extend_from_slice(text.as_bytes());
    }
}

/// Writes each line of `text` after its prefix; the last one may lack its end.
fn lines(direction: u8, part: u8, call: u64, text: &[u8], out: &mut Vec<u8>) {
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        out.extend_from_slice(&[direction, part]);
        out.extend_from_slice(format!("{call}:").as_bytes());
        out.extend_from_slice(line.strip_suffix(b"\n").unwrap_or(line));
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats one call with its request and reply, the reply's body in two pieces.
    fn written(request: Option<Parts>, reply: Option<Parts>, body: [&str; 2]) -> String {
        let mut transcript = Transcript::new(request, reply);
        let mut out = Vec::new();
        transcript.request(3, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"x\ny", &mut out);
        transcript.head(3, b"HTTP/1.1 200 OK\r\n\r\n", &mut out);
        body.iter().for_each(|piece| transcript.body(3, piece.as_bytes(), &mut out));
        transcript.end(3, [19, 5, 2], &mut out);
        assert!(transcript.waiting.is_empty());
        String::from_utf8(out).unwrap().replace('\r', "\\r")
    }

    #[test]
    fn lines_have_the_form_of_the_original() {
        assert_eq!(
            written(Some(Parts::All), Some(Parts::All), ["one\ntw", "o\n"]),
            "SH3:GET / HTTP/1.1\\r\nSH3:Host: a\\r\nSH3:\\r\nSB3:x\nSB3:y\nSS3: header 27 content 3\n\
             RH3:HTTP/1.1 200 OK\\r\nRH3:\\r\nRB3:one\nRB3:two\nRS3: header 19 content 5 footer 2\n"
        );
    }

    #[test]
    fn parts_that_are_not_wanted_leave_the_sizes() {
        assert_eq!(
            written(Some(Parts::Header), None, ["", ""]),
            "SH3:GET / HTTP/1.1\\r\nSH3:Host: a\\r\nSH3:\\r\nSS3: header 27 content 3\n"
        );
        assert_eq!(
            written(None, Some(Parts::Header), ["a", ""]),
            "RH3:HTTP/1.1 200 OK\\r\nRH3:\\r\nRS3: header 19 content 5 footer 2\n"
        );
        assert_eq!(
            written(None, Some(Parts::Body), ["a", "b"]),
            "RB3:ab\nRS3: header 19 content 5 footer 2\n"
        );
        let mut out = Vec::new();
        let mut fetching = Transcript::new(None, None).with_fetching("httperf");
        assert!(fetching.wants_requests() && !fetching.wants_replies());
        fetching.request(3, b"GET /x HTTP/1.1\r\n\r\n", b"", &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "httperf: fetching `/x'\n");
        let none = Transcript::default();
        assert!(!none.wants_requests() && !none.wants_replies());
        assert_eq!(written(None, None, ["a", "b"]), "");
    }

    #[test]
    fn bodies_of_calls_that_are_under_way_together_do_not_mix() {
        let mut transcript = Transcript::new(None, Some(Parts::Body));
        let mut out = Vec::new();
        transcript.body(0, b"ok", &mut out);
        transcript.body(1, b"no", &mut out);
        transcript.end(0, [38, 2, 0], &mut out);
        transcript.end(1, [38, 0, 0], &mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "RB0:ok\nRS0: header 38 content 2 footer 0\nRB1:no\nRS1: header 38 content 0 footer 0\n"
        );
    }
}
