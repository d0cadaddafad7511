//! The entries of an HTTP archive, one at a time: memory does not grow with the archive.

use crate::{Entry, Unreadable, har};
use std::io::{self, BufRead};

/// Limit of an entry in bytes, its response included; a longer one is skipped.
pub const ENTRY_BYTES_MAX: usize = 16 << 20;
/// Limit of the name of a field that is looked for.
const NAME_BYTES_MAX: usize = 16;

/// Reads the entries of an archive: the list `log.entries` of one JSON object.
#[derive(Debug, Default)]
pub struct Archive {
    /// How many objects and lists are open.
    depth: usize,
    is_string: bool,
    is_escaped: bool,
    /// The last string, which is the name of a field when a colon follows.
    string: Vec<u8>,
    /// The names of the fields that are open at depths 1 and 2.
    names: [Vec<u8>; 2],
    state: State,
    entry: Vec<u8>,
    is_too_long: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Before the list of entries.
    #[default]
    Before,
    /// In the list.
    Within,
    /// Behind it.
    Behind,
}

/// Depth of the values in the list: the archive, its log, the list.
const DEPTH: usize = 3;

impl Archive {
    /// Reads the next entry; `None` behind the last one. Once `None`, always `None`. A text without a list of entries is one that
    /// cannot be read.
    ///
    /// # Errors
    /// When reading fails, or the text ends within the archive.
    pub fn next(&mut self, input: &mut dyn BufRead) -> io::Result<Option<Result<Entry, Unreadable>>> {
        while self.state != State::Behind {
            let bytes = input.fill_buf()?;
            if bytes.is_empty() {
                self.state = State::Behind;
                if self.depth > 0 || self.is_string {
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the archive ends too early"));
                }
                return Ok(Some(Err(Unreadable::Format)));
            }
            let mut taken = 0;
            let mut is_whole = false;
            while taken < bytes.len() && !is_whole && self.state != State::Behind {
                if self.is_string && !self.is_escaped {
                    let rest = &bytes[taken..];
                    let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(rest.len());
                    self.take_plain(&rest[..end]);
                    taken += end;
                }
                if let Some(byte) = bytes.get(taken) {
                    is_whole = self.take(*byte);
                    taken += 1;
                }
            }
            input.consume(taken);
            if is_whole {
                let is_too_long = std::mem::take(&mut self.is_too_long);
                let entry = if is_too_long { Err(Unreadable::Format) } else { har::read(&self.entry) };
                self.entry.clear();
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// Takes bytes within a string, none of which ends it or is an escape.
    fn take_plain(&mut self, bytes: &[u8]) {
        let room = NAME_BYTES_MAX.saturating_sub(self.string.len());
        self.string.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if self.state == State::Within {
            let room = ENTRY_BYTES_MAX.saturating_sub(self.entry.len());
            self.is_too_long |= bytes.len() > room;
            self.entry.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    /// Takes a byte; returns whether it completes an entry.
    fn take(&mut self, byte: u8) -> bool {
        let was_within = self.state == State::Within;
        let depth = self.depth;
        if was_within && (depth > DEPTH || self.is_string || !matches!(byte, b',' | b']')) {
            self.keep(byte);
        }
        self.scan(byte);
        if !was_within {
            return false;
        }
        let is_end = depth == DEPTH && !self.is_string && matches!(byte, b',' | b']');
        if is_end && self.depth < DEPTH {
            self.state = State::Behind;
        }
        // Values that are no objects end at the comma; objects end there as well, which makes both one rule.
        is_end && !self.entry.is_empty()
    }

    fn keep(&mut self, byte: u8) {
        if self.entry.is_empty() && byte.is_ascii_whitespace() {
            return;
        }
        if self.entry.len() < ENTRY_BYTES_MAX {
            self.entry.push(byte);
        } else {
            self.is_too_long = true;
        }
    }

    /// Follows strings, depth, and the names of the outer fields.
    fn scan(&mut self, byte: u8) {
        if self.is_string {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.is_string = false,
                _ if self.string.len() < NAME_BYTES_MAX => self.string.push(byte),
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.is_string = true;
                self.string.clear();
            }
            b':' if (1..DEPTH).contains(&self.depth) => {
                self.names[self.depth - 1].clone_from(&self.string);
            }
            b'{' | b'[' => {
                self.depth += 1;
                let is_list = byte == b'[' && self.depth == DEPTH;
                if is_list && self.state == State::Before && self.names == [&b"log"[..], b"entries"] {
                    self.state = State::Within;
                }
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}
