//! Incremental parser of the body of a request: finds its end.

use crate::request::Incoming;

/// The state of an upload.
///
/// ```text
///             ┌──────────── data done ────────────┐
///             v                                   │
/// Chunked → Size ─ size>0 → Data(n) ─ n bytes → DataEnd
///             └─ size=0 → Trailer ─ blank line → Done ← n bytes ─ Length(n)
/// ```
#[derive(Debug)]
pub(crate) struct Upload {
    state: State,
    /// Bytes of the body so far, without framing.
    received: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Length(u64),
    /// The size parsed so far, the number of its digits, and whether an extension has begun.
    Size {
        size: u64,
        digits: u8,
        extension: bool,
    },
    Data(u64),
    DataEnd,
    /// Bytes of the current line and of the whole trailer section.
    Trailer {
        line: usize,
        total: usize,
    },
    Done,
}

/// A chunk that violates RFC 9112, section 7.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadChunk;

impl Upload {
    /// Creates a parser before the first byte.
    pub(crate) fn new(incoming: Incoming) -> Self {
        let state = match incoming {
            Incoming::Length(0) => State::Done,
            Incoming::Length(length) => State::Length(length),
            Incoming::Chunked => SIZE,
        };
        Self { state, received: 0 }
    }

    /// Returns whether the body is complete.
    pub(crate) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Returns the bytes of the body so far.
    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    /// Parses bytes of the upload at the start of `input` and passes body bytes to `body`. Returns the number of bytes consumed: all
    /// of them, unless the upload ends before.
    pub(crate) fn take(&mut self, input: &[u8], mut body: impl FnMut(&[u8])) -> Result<usize, BadChunk> {
        let mut at = 0;
        while at < input.len() && self.state != State::Done {
            match self.state {
                State::Length(left) | State::Data(left) => {
                    let length = usize::try_from(left).unwrap_or(usize::MAX).min(input.len() - at);
                    body(&input[at..at + length]);
                    self.received += length as u64;
                    at += length;
                    self.state = self.after_data(left - length as u64);
                }
                _ => {
                    self.state = self.after_byte(input[at])?;
                    at += 1;
                }
            }
        }
        Ok(at)
    }

    fn after_data(&self, left: u64) -> State {
        match (self.state, left) {
            (State::Length(_), 0) => State::Done,
            (State::Length(_), left) => State::Length(left),
            (_, 0) => State::DataEnd,
            (_, left) => State::Data(left),
        }
    }

    fn after_byte(&self, byte: u8) -> Result<State, BadChunk> {
        Ok(match (self.state, byte) {
            (State::Size { digits: 0, .. }, b'\r' | b'\n' | b';') => return Err(BadChunk),
            (State::Size { size: 0, .. }, b'\n') => State::Trailer { line: 0, total: 0 },
            (State::Size { size, .. }, b'\n') => State::Data(size),
            (State::Size { extension: true, .. }, _) | (State::Size { .. }, b'\r') => self.state,
            (State::Size { size, digits, .. }, b';' | b' ' | b'\t') => {
                State::Size { size, digits, extension: true }
            }
            (State::Size { size, digits, .. }, digit) => {
                let value = (digit as char).to_digit(16).ok_or(BadChunk)?;
                if digits == MOST_DIGITS {
                    return Err(BadChunk);
                }
                State::Size { size: size * 16 + u64::from(value), digits: digits + 1, extension: false }
            }
            (State::DataEnd, b'\r') => State::DataEnd,
            (State::DataEnd, b'\n') => SIZE,
            (State::Trailer { line: 0, .. }, b'\n') => State::Done,
            (State::Trailer { total, .. }, _) if total == LONGEST_TRAILER => return Err(BadChunk),
            (State::Trailer { total, .. }, b'\n') => State::Trailer { line: 0, total: total + 1 },
            (State::Trailer { line, total }, b'\r') => State::Trailer { line, total: total + 1 },
            (State::Trailer { line, total }, _) => State::Trailer { line: line + 1, total: total + 1 },
            _ => return Err(BadChunk),
        })
    }
}

const SIZE: State = State::Size { size: 0, digits: 0, extension: false };
/// Fifteen hexadecimal digits cannot overflow 64 bits.
const MOST_DIGITS: u8 = 15;
const LONGEST_TRAILER: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    const CHUNKED: &[u8] = b"5\r\nhello\r\n6;name=value\r\n world\r\n0\r\nTrailer: x\r\n\r\nGET";

    #[test]
    fn segmentation_does_not_change_the_end_of_an_upload() {
        for (incoming, input, expected, rest) in [
            (Incoming::Length(5), &b"helloGET"[..], &b"hello"[..], 3),
            (Incoming::Chunked, CHUNKED, b"hello world", 3),
            (Incoming::NONE, b"GET", b"", 3),
        ] {
            for cut in 0..input.len() {
                let (mut upload, mut body) = (Upload::new(incoming), Vec::new());
                let mut taken = 0;
                for piece in [&input[..cut], &input[cut..]] {
                    taken += upload.take(piece, |bytes| body.extend_from_slice(bytes)).unwrap();
                }
                assert!(upload.is_done());
                assert_eq!(body, expected, "cut at {cut}");
                assert_eq!(taken, input.len() - rest, "cut at {cut}");
                assert_eq!(upload.received(), expected.len() as u64);
            }
        }
    }

    #[test]
    fn an_invalid_chunk_is_an_error() {
        for input in ["x\r\n", "\r\n", ";a\r\n", "5x\r\n", "1\r\nab", "ffffffffffffffff\r\n", "-1\r\n"] {
            let result = Upload::new(Incoming::Chunked).take(input.as_bytes(), |_| ());
            assert_eq!(result, Err(BadChunk), "{input:?}");
        }
    }
}
