//! What captures and checks have found.

use crate::Found;
use crate::filter::Filter;
use crate::scanner::{Item, Scanner};
use crate::select;
use crate::value::{Kind, Value, write_json_value};

/// Bytes of a value that are kept to describe it.
const DESCRIBED: usize = 128;

/// Why there is no value to look at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Failure {
    TooLong { length: u64, max: u32 },
    Unreadable(&'static str),
}

/// A value as far as it was kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read<'a> {
    pub(crate) value: Value<'a>,
    /// The length of the whole value.
    pub(crate) length: u64,
    /// How long it could have been.
    pub(crate) room: usize,
}

impl<'a> Read<'a> {
    pub(super) const fn whole(value: Value<'a>) -> Self {
        Self { value, length: value.bytes.len() as u64, room: value.bytes.len() }
    }

    pub(super) const fn replaced(self, value: Value<'_>) -> Read<'_> {
        Read::whole(value)
    }

    pub(super) const fn is_whole(&self) -> bool {
        self.length == self.value.bytes.len() as u64
    }

    pub(super) const fn too_long(&self) -> Failure {
        Failure::TooLong { length: self.length, max: self.room as u32 }
    }
}

#[derive(Clone, Copy, Debug)]
enum State {
    Missing,
    Value(Kind),
    Failed(Failure),
}

/// What one capture or check has found.
#[derive(Debug)]
pub(super) struct Outcome {
    state: State,
    /// The value of a capture; the beginning of that of a check.
    bytes: Vec<u8>,
    /// The length of the whole value.
    length: u64,
    pub(super) holds: bool,
}

impl Outcome {
    pub(super) fn new(item: &Item) -> Self {
        let room = if item.test.is_some() { DESCRIBED } else { item.max as usize };
        Self { state: State::Missing, bytes: Vec::with_capacity(room), length: 0, holds: false }
    }

    pub(super) fn begin(&mut self) {
        self.state = State::Missing;
        self.bytes.clear();
        self.holds = false;
    }

    pub(super) fn fails(&mut self, failure: Failure) {
        self.state = State::Failed(failure);
        self.holds = false;
    }

    /// Keeps the value of a capture.
    pub(super) fn keep(&mut self, item: &Item, read: Option<Read<'_>>) {
        let Some(read) = read else { return };
        let max = item.max;
        if item.is_path_list && read.is_whole() {
            let mut elements = select::elements(read.value.bytes);
            if let (Some(element), None) = (elements.next(), elements.next()) {
                // Without its escapes the element is no longer than it stands.
                if element.len() <= self.bytes.capacity() || unescaped_length(element) <= max as usize {
                    self.state = State::Value(write_json_value(element, &mut self.bytes));
                }
                let length = self.bytes.len();
                if length == 0 && element.len() > 2 || length > max as usize {
                    self.state = State::Failed(Failure::TooLong { length: element.len() as u64, max });
                }
                return;
            }
        }
        if read.length > u64::from(max) {
            self.state = State::Failed(Failure::TooLong { length: read.length, max });
        } else if !read.is_whole() {
            self.state = State::Failed(read.too_long());
        } else {
            self.bytes.extend_from_slice(read.value.bytes);
            self.state = State::Value(read.value.kind);
        }
    }

    /// Keeps what a check has found, to describe it.
    pub(super) fn notes(&mut self, read: Option<Read<'_>>) {
        if let Some(read) = read {
            self.note(read.value, read.length);
        }
    }

    /// Keeps the beginning of the body as what a check has found.
    pub(super) fn has_body(&mut self, beginning: &[u8], length: u64) {
        self.note(Value::new(Kind::Text, beginning), length);
    }

    fn note(&mut self, value: Value<'_>, length: u64) {
        self.state = State::Value(value.kind);
        self.length = length;
        self.bytes.extend_from_slice(&value.bytes[..value.bytes.len().min(DESCRIBED)]);
    }

    pub(super) fn found(&self) -> Found<'_> {
        match self.state {
            State::Missing => Found::Missing,
            State::Value(_) => Found::Value(&self.bytes),
            State::Failed(Failure::TooLong { length, max }) => Found::TooLong { length, max },
            State::Failed(Failure::Unreadable(why)) => Found::Unreadable(why),
        }
    }

    /// In at most 128 bytes: a text in quotes, any other value as it is.
    pub(super) fn describe(&self) -> String {
        let (kind, quotes) = match self.state {
            State::Missing => return "nothing".to_owned(),
            State::Failed(Failure::TooLong { length, max }) => {
                return format!("a value of {length} bytes, more than {max}");
            }
            State::Failed(Failure::Unreadable(why)) => return why.to_owned(),
            State::Value(kind @ (Kind::Text | Kind::Loose)) => (kind, "\""),
            State::Value(kind) => (kind, ""),
        };
        if kind == Kind::Bytes {
            return format!("{} bytes", self.length);
        }
        let text = String::from_utf8_lossy(&self.bytes);
        if text.len() + 2 * quotes.len() <= DESCRIBED && self.length <= self.bytes.len() as u64 {
            return format!("{quotes}{text}{quotes}");
        }
        let mut end = DESCRIBED - 2 * quotes.len() - "…".len();
        end = (0..=end.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        format!("{quotes}{}…{quotes}", &text[..end])
    }
}

fn unescaped_length(text: &[u8]) -> usize {
    match text {
        [b'"', inside @ .., b'"'] => crate::json::Unescape::new(inside).count(),
        _ => text.len(),
    }
}

/// Memory for filters. It grows to the longest value.
#[derive(Debug, Default)]
pub(crate) struct Work {
    one: Vec<u8>,
    other: Vec<u8>,
}

impl Work {
    pub(crate) fn new(scanner: &Scanner) -> Self {
        let has_filters = scanner.items.iter().any(|item| !item.filters.is_empty());
        let has_several = scanner.items.iter().any(|item| item.filters.len() > 1);
        let room = |is_used| if is_used { scanner.body_room.max(4096) } else { 0 };
        Self { one: Vec::with_capacity(room(has_filters)), other: Vec::with_capacity(room(has_several)) }
    }

    /// Applies filters in order; `None` if one finds nothing.
    ///
    /// # Errors
    /// Why one cannot be applied.
    pub(crate) fn filter<'a>(
        &'a mut self,
        filters: &[Filter],
        value: Value<'a>,
    ) -> Result<Option<Value<'a>>, &'static str> {
        // What is made of a text without a known kind has none either, except parts of JSON.
        let mut is_loose = value.kind == Kind::Loose;
        let Some((first, rest)) = filters.split_first() else { return Ok(Some(value)) };
        let mut kind_after = |filter: &Filter, kind: Kind| {
            is_loose &= !matches!(filter, Filter::Json(_) | Filter::ToText);
            if is_loose && kind == Kind::Text { Kind::Loose } else { kind }
        };
        self.one.clear();
        let Some(kind) = first.apply(value, &mut self.one)? else { return Ok(None) };
        let mut kind = kind_after(first, kind);
        for filter in rest {
            self.other.clear();
            let Some(next) = filter.apply(Value::new(kind, &self.one), &mut self.other)? else {
                return Ok(None);
            };
            kind = kind_after(filter, next);
            std::mem::swap(&mut self.one, &mut self.other);
        }
        Ok(Some(Value::new(kind, &self.one)))
    }
}
