//! The body of a reply, without its content coding.

use crate::inflate::{Coding, Inflate};
use crate::scanner::{BEGINNING, Digests, Scanner};
use md5::Md5;
use sha2::{Digest as _, Sha256};

const UNKNOWN_CODING: &str = "the content coding of the body is neither gzip nor deflate";
const UNKNOWN_CHARSET: &str = "the body has characters in another charset than UTF-8";

/// What is kept of the body, for all items together.
#[derive(Debug)]
pub(super) struct Body {
    coding: Option<Coding>,
    /// Made for the first compressed body.
    inflate: Option<Box<Inflate>>,
    trouble: Option<&'static str>,
    /// Only characters of ASCII can be read as UTF-8.
    is_other_charset: bool,
    has_other_characters: bool,
    length: u64,
    /// What is kept, as far as there is room.
    bytes: Vec<u8>,
    room: usize,
    digests: Digests,
    sha256: Sha256,
    md5: Md5,
}

impl Body {
    pub(super) fn new(scanner: &Scanner) -> Self {
        let has_checks = scanner.items.len() > scanner.captures;
        let room = scanner.body_room.max(if has_checks { BEGINNING } else { 0 });
        Self {
            coding: None,
            inflate: None,
            trouble: None,
            is_other_charset: false,
            has_other_characters: false,
            length: 0,
            bytes: Vec::with_capacity(room),
            room,
            digests: scanner.digests,
            sha256: Sha256::new(),
            md5: Md5::new(),
        }
    }

    pub(super) fn begin(&mut self) {
        self.coding = None;
        self.trouble = None;
        self.is_other_charset = false;
        self.has_other_characters = false;
        self.length = 0;
        self.bytes.clear();
        if self.digests.sha256 {
            self.sha256.reset();
        }
        if self.digests.md5 {
            self.md5.reset();
        }
    }

    /// Takes a header field.
    pub(super) fn field(&mut self, name: &[u8], value: &[u8]) {
        if name.eq_ignore_ascii_case(b"content-encoding") {
            self.content_encoding(value.trim_ascii());
        } else if name.eq_ignore_ascii_case(b"content-type") {
            self.is_other_charset = charset(value).is_some_and(|charset| {
                ![&b"utf-8"[..], b"utf8", b"us-ascii"].iter().any(|known| charset.eq_ignore_ascii_case(known))
            });
        }
    }

    fn content_encoding(&mut self, value: &[u8]) {
        if value.is_empty() || value.eq_ignore_ascii_case(b"identity") {
            return;
        }
        let coding = match () {
            () if value.eq_ignore_ascii_case(b"gzip") || value.eq_ignore_ascii_case(b"x-gzip") => {
                Coding::Gzip
            }
            () if value.eq_ignore_ascii_case(b"deflate") => Coding::Deflate,
            () => return self.trouble = Some(UNKNOWN_CODING),
        };
        if self.coding.replace(coding).is_some() {
            self.trouble = Some(UNKNOWN_CODING);
        }
        self.inflate.get_or_insert_with(|| Box::new(Inflate::new())).begin(coding);
    }

    /// Takes the next piece, and gives it to `sink` without its content coding.
    pub(super) fn advance(&mut self, piece: &[u8], mut sink: impl FnMut(&[u8])) {
        if self.trouble.is_some() {
            return;
        }
        if self.coding.is_none() {
            self.keep(piece);
            return sink(piece);
        }
        let Some(mut inflate) = self.inflate.take() else { return };
        let result = inflate.advance(piece, |piece| {
            self.keep(piece);
            sink(piece);
        });
        self.trouble = result.err();
        self.inflate = Some(inflate);
    }

    fn keep(&mut self, piece: &[u8]) {
        self.length += piece.len() as u64;
        let room = self.room - self.bytes.len();
        self.bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        if self.digests.sha256 {
            self.sha256.update(piece);
        }
        if self.digests.md5 {
            self.md5.update(piece);
        }
        self.has_other_characters |= self.is_other_charset && !piece.is_ascii();
    }

    pub(super) fn end(&mut self) {
        if let (Some(_), Some(inflate), None) = (self.coding, &self.inflate, self.trouble) {
            self.trouble = inflate.end().err();
        }
    }

    /// Why the body cannot be looked at, as bytes or as a text.
    pub(super) const fn trouble(&self, as_text: bool) -> Option<&'static str> {
        match self.trouble {
            None if as_text && self.has_other_characters => Some(UNKNOWN_CHARSET),
            trouble => trouble,
        }
    }

    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    /// As much of it as is kept.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn sha256(&self) -> [u8; 32] {
        self.sha256.clone().finalize().into()
    }

    pub(super) fn md5(&self) -> [u8; 16] {
        self.md5.clone().finalize().into()
    }
}

/// The charset of a content type.
fn charset(content_type: &[u8]) -> Option<&[u8]> {
    content_type.split(|byte| *byte == b';').skip(1).find_map(|parameter| {
        let parameter = parameter.trim_ascii();
        let (name, value) = parameter.split_at(memchr::memchr(b'=', parameter)?);
        let value = value[1..].trim_ascii();
        let value = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value);
        name.trim_ascii().eq_ignore_ascii_case(b"charset").then_some(value)
    })
}
