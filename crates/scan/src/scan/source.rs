//! What queries read.

use super::body::Body;
use super::field::FieldState;
use super::outcome::{Failure, Read};
use crate::filter::{NO_ELEMENT, NO_LIST, write_hex, write_number};
use crate::find::FindState;
use crate::json::{self, Slot};
use crate::scanner::{BEGINNING, Item, Scanner, Source, Take};
use crate::value::{Kind, Value};
use crate::{End, Values};

/// What is kept of a reply.
#[derive(Debug)]
pub(super) struct Sources {
    status: u16,
    version: &'static str,
    fields: Box<[FieldState]>,
    body: Body,
    json: json::Scan,
    finds: Box<[FindState]>,
    keeps_beginning: bool,
}

impl Sources {
    pub(super) fn new(scanner: &Scanner) -> Self {
        Self {
            status: 0,
            version: "",
            fields: scanner.fields.iter().map(FieldState::new).collect(),
            body: Body::new(scanner),
            json: json::Scan::new(&scanner.tracks),
            finds: scanner.finds.iter().map(FindState::new).collect(),
            keeps_beginning: scanner.items.len() > scanner.captures,
        }
    }

    pub(super) fn begin(&mut self, scanner: &Scanner) {
        self.status = 0;
        self.version = "";
        self.fields.iter_mut().for_each(FieldState::begin);
        self.body.begin();
        self.json.begin();
        self.finds.iter_mut().zip(&scanner.finds).for_each(|(state, find)| state.begin(find));
    }

    pub(super) fn head<'a>(
        &mut self,
        scanner: &Scanner,
        status: u16,
        version: &'static str,
        fields: &mut dyn Iterator<Item = (&'a [u8], &'a [u8])>,
    ) {
        self.status = status;
        self.version = version;
        for (name, value) in fields {
            for (state, field) in self.fields.iter_mut().zip(&scanner.fields) {
                if name.eq_ignore_ascii_case(field.name.as_bytes()) {
                    state.add(field, value);
                }
            }
            if scanner.needs_body() {
                self.body.field(name, value);
            }
        }
    }

    /// Takes the next piece of the body; gives it to `watch` without its content coding.
    pub(super) fn body(&mut self, scanner: &Scanner, bytes: &[u8], mut watch: impl FnMut(&[u8])) {
        let (json, finds) = (&mut self.json, &mut self.finds);
        self.body.advance(bytes, |piece| {
            if !scanner.tracks.is_empty() {
                json.advance(&scanner.tracks, piece);
            }
            finds.iter_mut().zip(&scanner.finds).for_each(|(state, find)| state.advance(find, piece));
            watch(piece);
        });
    }

    pub(super) fn end(&mut self, scanner: &Scanner) {
        self.body.end();
        if !scanner.tracks.is_empty() {
            self.json.end(&scanner.tracks);
        }
        self.finds.iter_mut().zip(&scanner.finds).for_each(|(state, find)| state.end(find));
        self.fields.iter_mut().for_each(FieldState::end);
    }

    pub(super) fn beginning(&self) -> &[u8] {
        let bytes = if self.keeps_beginning { self.body.bytes() } else { b"" };
        &bytes[..bytes.len().min(BEGINNING)]
    }

    pub(super) const fn length(&self) -> u64 {
        self.body.length()
    }

    /// Why the body cannot be looked at.
    pub(super) fn trouble(&self, item: &Item) -> Option<&'static str> {
        self.body.trouble(item.is_of_text)
    }

    /// Reads the value of an item, before filters. `written` is memory for values that are not kept as they are.
    pub(super) fn read<'a>(
        &'a self,
        item: &Item,
        end: &End<'a>,
        values: &dyn Values,
        written: &'a mut Vec<u8>,
    ) -> Result<Option<Read<'a>>, Failure> {
        let number = |number: u128, written: &'a mut Vec<u8>| {
            write_number(number, written);
            Ok(Some(Read::whole(Value::new(Kind::Number, written))))
        };
        if item.is_of_body()
            && let Some(why) = self.trouble(item)
        {
            return Err(Failure::Unreadable(why));
        }
        match &item.source {
            Source::Status => number(u128::from(self.status), written),
            Source::Latency => number(end.latency.as_nanos(), written),
            Source::Size => number(u128::from(end.body_bytes), written),
            Source::Length => number(u128::from(self.body.length()), written),
            Source::Version => Ok(Some(Read::whole(Value::new(Kind::Text, self.version.as_bytes())))),
            Source::Url => Ok(Some(Read::whole(Value::new(Kind::Text, end.url.as_bytes())))),
            Source::Field(index) => {
                let field = &self.fields[*index];
                Ok(field.kind().map(|kind| read_slot(kind, field.slot())))
            }
            Source::Variable(name) => {
                let is_there = values.variable(name, written);
                Ok(is_there.then(|| Read::whole(Value::new(Kind::Loose, written))))
            }
            Source::Track { index, take } => self.track(*index, *take, written),
            Source::Find(index) => self.finds[*index].read(),
            Source::Sha256 => Ok(Some(digest(item, &self.body.sha256(), written))),
            Source::Md5 => Ok(Some(digest(item, &self.body.md5(), written))),
            Source::Body | Source::Watch => Ok(Some(Read {
                value: Value::new(item.kind(), self.body.bytes()),
                length: self.body.length(),
                room: self.body.bytes().len(),
            })),
        }
    }

    fn track<'a>(
        &'a self,
        index: usize,
        take: Take,
        written: &'a mut Vec<u8>,
    ) -> Result<Option<Read<'a>>, Failure> {
        let track = self.json.found(index).map_err(Failure::Unreadable)?;
        if track.has_lost() {
            return Err(Failure::Unreadable("the body has several members with the same name"));
        }
        let Some(kind) = track.kind() else {
            return match (take, track.base()) {
                (Take::Node, _) => Err(Failure::Unreadable(NO_ELEMENT)),
                (Take::Element, Some(Kind::List)) => Err(Failure::Unreadable(NO_ELEMENT)),
                (Take::Element, Some(_)) => Err(Failure::Unreadable(NO_LIST)),
                _ => Ok(None),
            };
        };
        let read = read_slot(kind, track.slot());
        if take != Take::Count {
            return Ok(Some(read));
        }
        let count = match kind {
            Kind::List => track.count(),
            Kind::Text if read.is_whole() => String::from_utf8_lossy(read.value.bytes).chars().count() as u64,
            Kind::Text => return Err(read.too_long()),
            _ => return Err(Failure::Unreadable("`count` takes a list, a text or bytes")),
        };
        write_number(count, written);
        Ok(Some(Read::whole(Value::new(Kind::Number, written))))
    }
}

fn read_slot(kind: Kind, slot: &Slot) -> Read<'_> {
    Read { value: Value::new(kind, slot.bytes()), length: slot.length(), room: slot.room() }
}

/// A digest: its digits, or bytes for filters.
fn digest<'a>(item: &Item, bytes: &[u8], written: &'a mut Vec<u8>) -> Read<'a> {
    if item.filters.is_empty() {
        write_hex(bytes, written);
        return Read::whole(Value::new(Kind::Text, written));
    }
    written.extend_from_slice(bytes);
    Read::whole(Value::new(Kind::Bytes, written))
}
