//! Values of header fields and cookies.

use crate::json::Slot;
use crate::scanner::Field;
use crate::value::{Kind, write_json_string};

/// The value of a field, or a list where it occurs several times; that of a cookie where it occurs first.
#[derive(Debug)]
pub(super) struct FieldState {
    slot: Slot,
    kind: Option<Kind>,
    memory: Vec<u8>,
}

impl FieldState {
    pub(super) fn new(field: &Field) -> Self {
        Self { slot: Slot::new(field.room), kind: None, memory: Vec::with_capacity(2 * field.room) }
    }

    pub(super) fn begin(&mut self) {
        self.slot.clear();
        self.kind = None;
    }

    pub(super) const fn kind(&self) -> Option<Kind> {
        self.kind
    }

    pub(super) const fn slot(&self) -> &Slot {
        &self.slot
    }

    /// Takes a field of this name.
    pub(super) fn add(&mut self, field: &Field, value: &[u8]) {
        let value = value.trim_ascii();
        match (&field.cookie, self.kind) {
            (Some((name, attribute)), None) => {
                if let Some((kind, value)) = cookie(value, name, attribute.as_deref()) {
                    self.kind = Some(kind);
                    self.slot.push(value);
                }
            }
            (Some(_), Some(_)) => {}
            (None, None) => {
                self.kind = Some(Kind::Loose);
                self.slot.push(value);
            }
            (None, Some(kind)) => {
                if kind != Kind::List {
                    self.kind = Some(Kind::List);
                    self.memory.clear();
                    write_json_string(self.slot.bytes(), &mut self.memory);
                    let surplus = self.slot.length() - self.slot.bytes().len() as u64;
                    self.slot.clear();
                    self.slot.push(b"[");
                    self.slot.push(&self.memory);
                    self.slot.lengthen(surplus);
                }
                self.memory.clear();
                write_json_string(value, &mut self.memory);
                self.slot.push(b",");
                self.slot.push(&self.memory);
            }
        }
    }

    /// The head is over.
    pub(super) fn end(&mut self) {
        if self.kind == Some(Kind::List) {
            self.slot.push(b"]");
        }
    }
}

/// The value of a cookie, or one of its attributes, if the field is about it.
fn cookie<'a>(field: &'a [u8], name: &str, attribute: Option<&str>) -> Option<(Kind, &'a [u8])> {
    let mut parts = field.split(|byte| *byte == b';').map(|part| {
        let end = memchr::memchr(b'=', part).unwrap_or(part.len());
        (part[..end].trim_ascii(), part.get(end + 1..).unwrap_or_default().trim_ascii())
    });
    let (own_name, value) = parts.next()?;
    if own_name != name.as_bytes() {
        return None;
    }
    let Some(attribute) = attribute.filter(|attribute| !attribute.eq_ignore_ascii_case("value")) else {
        return Some((Kind::Loose, value));
    };
    let (_, value) = parts.find(|(name, _)| name.eq_ignore_ascii_case(attribute.as_bytes()))?;
    Some((Kind::Loose, value))
}
