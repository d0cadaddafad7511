//! Checks of the body itself, while it streams.

use crate::Values;
use crate::pattern::Search;
use crate::predicate::{Expected, Test};
use crate::value::{Kind, Mismatch, Value};

/// Room for texts with `{{…}}`; it grows if one is longer.
const ROOM: usize = 1024;

/// The state of a check of the body.
#[derive(Debug)]
pub(crate) struct Watch {
    /// The text to look for.
    expected: Vec<u8>,
    /// Whether its values were there.
    is_known: bool,
    /// Bytes of the body so far.
    length: u64,
    has_matched: bool,
    differs: bool,
    /// The last bytes of the body, as many as a match may have in the next piece and before.
    tail: Vec<u8>,
    search: Search,
}

impl Watch {
    /// Whether the test can be evaluated while the body streams.
    pub(crate) fn is_possible(test: &Test, kind: Kind) -> bool {
        match test {
            Test::Same(Expected::Fixed { kind: Kind::Text, .. } | Expected::Filled(_)) => kind != Kind::Bytes,
            Test::Same(Expected::Fixed { kind: Kind::Bytes, .. }) => kind == Kind::Bytes,
            Test::Equal(Expected::Fixed { kind, .. }) | Test::NotEqual(Expected::Fixed { kind, .. }) => {
                matches!(kind, Kind::Text | Kind::Bytes)
            }
            Test::Equal(_) | Test::NotEqual(_) | Test::Exists | Test::IsEmpty | Test::Is(_) => true,
            Test::Contains(expected) | Test::StartsWith(expected) | Test::EndsWith(expected) => {
                !matches!(expected, Expected::Fixed { kind: Kind::Null | Kind::List | Kind::Object, .. })
            }
            Test::Matches(pattern) => pattern.streams(),
            Test::Same(_) | Test::Includes(_) | Test::Ordered(..) | Test::In(_) | Test::IsForm(_) => false,
        }
    }

    pub(crate) fn new(test: &Test) -> Self {
        let room = match test.expected() {
            Some(Expected::Fixed { bytes, .. }) => bytes.len(),
            Some(Expected::Filled(_)) => ROOM,
            None => 0,
        };
        let tail = if matches!(test, Test::Contains(_) | Test::EndsWith(_)) { 2 * room } else { 0 };
        Self {
            expected: Vec::with_capacity(room),
            is_known: false,
            length: 0,
            has_matched: false,
            differs: false,
            tail: Vec::with_capacity(tail),
            search: Search::default(),
        }
    }

    pub(crate) fn begin(&mut self, test: &Test, values: &dyn Values) {
        self.length = 0;
        self.has_matched = false;
        self.differs = false;
        self.tail.clear();
        self.expected.clear();
        self.is_known = match test.expected() {
            Some(Expected::Fixed { bytes, .. }) => {
                self.expected.extend_from_slice(bytes);
                true
            }
            Some(Expected::Filled(template)) => values.write(template, &mut self.expected),
            None => true,
        };
        if let Test::Matches(pattern) = test {
            self.search = pattern.begin();
        }
    }

    pub(crate) fn advance(&mut self, test: &Test, piece: &[u8]) {
        match test {
            Test::Equal(_) | Test::Same(_) | Test::NotEqual(_) | Test::StartsWith(_) => self.compare(piece),
            Test::Contains(_) => self.find(piece),
            Test::EndsWith(_) => self.keep_tail(piece, self.expected.len()),
            Test::Matches(pattern) => pattern.advance(&mut self.search, piece),
            _ => {}
        }
        self.length += piece.len() as u64;
    }

    fn compare(&mut self, piece: &[u8]) {
        let at = usize::try_from(self.length).unwrap_or(usize::MAX);
        let expected = self.expected.get(at..).unwrap_or_default();
        let length = expected.len().min(piece.len());
        self.differs |= expected[..length] != piece[..length];
    }

    fn find(&mut self, piece: &[u8]) {
        if self.has_matched || !self.is_known {
            return;
        }
        let Some(overlap) = self.expected.len().checked_sub(1) else {
            self.has_matched = true;
            return;
        };
        let kept = self.tail.len();
        self.tail.extend_from_slice(&piece[..piece.len().min(overlap)]);
        let is_across = kept > 0 && memchr::memmem::find(&self.tail, &self.expected).is_some();
        self.has_matched = is_across || memchr::memmem::find(piece, &self.expected).is_some();
        self.tail.truncate(kept);
        self.keep_tail(piece, overlap);
    }

    /// Keeps the last `length` bytes.
    fn keep_tail(&mut self, piece: &[u8], length: usize) {
        let from_piece = piece.len().min(length);
        let surplus = (self.tail.len() + from_piece).saturating_sub(length);
        self.tail.drain(..surplus);
        self.tail.extend_from_slice(&piece[piece.len() - from_piece..]);
    }

    /// Whether the test holds for the body, which has ended.
    pub(crate) fn end(&mut self, test: &Test, kind: Kind) -> Result<bool, Mismatch> {
        if !self.is_known {
            return Err(Mismatch);
        }
        let length = self.expected.len() as u64;
        Ok(match test {
            Test::Equal(_) | Test::Same(_) => !self.differs && self.length == length,
            Test::NotEqual(_) => self.differs || self.length != length,
            Test::StartsWith(_) => !self.differs && self.length >= length,
            Test::EndsWith(_) => self.tail == self.expected,
            Test::Contains(_) => self.has_matched || self.expected.is_empty(),
            Test::Matches(pattern) => {
                pattern.end(&mut self.search);
                self.search.has_matched
            }
            Test::IsEmpty => self.length == 0,
            Test::Is(is_kind) => is_kind(Value::new(kind, b"")),
            _ => true,
        })
    }
}
