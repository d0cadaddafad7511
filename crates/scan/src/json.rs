//! Scans JSON as it streams: checks that it is valid and follows paths, in memory of fixed size.

mod slot;
mod string;
mod track;

pub(crate) use slot::{Mark, Slot};
pub(crate) use string::{Unescape, unescape};
pub(crate) use track::{Pick, Track, Want};

use string::Escape;
use track::TrackState;

/// Lists and objects may be nested this deep, as in most parsers.
pub(crate) const MAX_DEPTH: usize = 128;

/// Why a body is no JSON.
pub(crate) const NOT_JSON: &str = "the body is not JSON";
pub(crate) const TOO_DEEP: &str = "the body is JSON with more than 128 lists and objects in each other";

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A value.
    Value,
    /// A value or the end of the list.
    ValueOrEnd,
    /// A name or the end of the object.
    NameOrEnd,
    Name,
    Colon,
    /// A separator or the end of the list or object around.
    Next,
    /// The rest of a string, which may be a name.
    String {
        is_name: bool,
    },
    Escape {
        is_name: bool,
        escape: Escape,
    },
    /// The rest of `true`, `false` or `null`.
    Word(&'static [u8]),
    Number(Digits),
    /// Only blanks.
    End,
    Wrong(&'static str),
}

/// What part of a number has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Digits {
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    Exponent,
    Sign,
    Power,
}

impl Digits {
    const fn first(byte: u8) -> Self {
        match byte {
            b'-' => Self::Minus,
            b'0' => Self::Zero,
            _ => Self::Integer,
        }
    }

    /// After one more byte, if it belongs to the number.
    const fn next(self, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::Minus, b'0') => Some(Self::Zero),
            (Self::Minus, b'1'..=b'9') | (Self::Integer, b'0'..=b'9') => Some(Self::Integer),
            (Self::Zero | Self::Integer, b'.') => Some(Self::Point),
            (Self::Point | Self::Fraction, b'0'..=b'9') => Some(Self::Fraction),
            (Self::Zero | Self::Integer | Self::Fraction, b'e' | b'E') => Some(Self::Exponent),
            (Self::Exponent, b'+' | b'-') => Some(Self::Sign),
            (Self::Exponent | Self::Sign | Self::Power, b'0'..=b'9') => Some(Self::Power),
            _ => None,
        }
    }

    const fn may_end(self) -> bool {
        matches!(self, Self::Zero | Self::Integer | Self::Fraction | Self::Power)
    }
}

/// The state of one document.
#[derive(Debug)]
pub(crate) struct Scan {
    state: State,
    /// Lists and objects around the current position.
    depth: usize,
    /// A bit per depth: whether it is an object.
    objects: [u64; MAX_DEPTH / 64],
    /// Bytes of a character that the last piece began.
    utf8: Utf8,
    /// Values that begin at a greater depth concern no track.
    reach: usize,
    /// Values that end at this depth or a greater one concern no track.
    level: usize,
    /// The number of the current element at each depth that concerns a track, from 1; unused for objects.
    index: Box<[u64]>,
    /// The current name, unescaped, as far as names of tracks are long.
    name: Vec<u8>,
    /// One more than names of tracks are long.
    name_room: usize,
    tracks: Box<[TrackState]>,
    /// Tracks that keep what streams, as it stands.
    raw: usize,
    /// Tracks that keep the current string.
    texts: usize,
}

impl Scan {
    pub(crate) fn new(tracks: &[Track]) -> Self {
        let depth = tracks.iter().map(|track| track.steps.len()).max().unwrap_or(0);
        let name_room = 1 + tracks.iter().flat_map(Track::names).map(Vec::len).max().unwrap_or(0);
        Self {
            state: State::Value,
            depth: 0,
            objects: [0; MAX_DEPTH / 64],
            utf8: Utf8::default(),
            reach: 0,
            level: 0,
            index: vec![0; depth + 2].into_boxed_slice(),
            name: Vec::with_capacity(name_room),
            name_room,
            tracks: tracks.iter().map(TrackState::new).collect(),
            raw: 0,
            texts: 0,
        }
    }

    /// Begins another document.
    pub(crate) fn begin(&mut self) {
        self.state = State::Value;
        self.depth = 0;
        self.utf8 = Utf8::default();
        self.reach = 0;
        self.level = 0;
        self.raw = 0;
        self.texts = 0;
        self.tracks.iter_mut().for_each(TrackState::begin);
    }

    /// What track `index` has found; `Err` if the document is not valid.
    pub(crate) fn found(&self, index: usize) -> Result<&TrackState, &'static str> {
        match self.state {
            State::Wrong(why) => Err(why),
            _ => Ok(&self.tracks[index]),
        }
    }

    /// Goes on with the next piece of the document.
    pub(crate) fn advance(&mut self, tracks: &[Track], piece: &[u8]) {
        if matches!(self.state, State::Wrong(_)) {
            return;
        }
        if !self.utf8.advance(piece) {
            self.state = State::Wrong(NOT_JSON);
            return;
        }
        self.tracks.iter_mut().for_each(|track| track.from = 0);
        let mut at = 0;
        while at < piece.len() {
            at = match self.state {
                State::String { is_name } => self.string(tracks, piece, at, is_name),
                State::Escape { is_name, escape } => self.escape(piece[at], is_name, escape, at),
                State::Number(digits) => self.number(tracks, piece, at, digits),
                State::Word(rest) => self.word(tracks, piece, at, rest),
                State::Wrong(_) => return,
                _ => self.structure(tracks, piece, at),
            };
        }
        if self.raw > 0 {
            self.tracks.iter_mut().for_each(|track| track.keep_raw(piece, piece.len()));
        }
    }

    /// The document has ended.
    pub(crate) fn end(&mut self, tracks: &[Track]) {
        self.tracks.iter_mut().for_each(|track| track.from = 0);
        if let State::Number(digits) = self.state
            && self.depth == 0
            && digits.may_end()
        {
            self.value_ends(tracks, &[], 0);
        }
        if !matches!(self.state, State::End | State::Wrong(_)) || !self.utf8.is_whole() {
            self.state = State::Wrong(match self.state {
                State::Wrong(why) => why,
                _ => NOT_JSON,
            });
        }
        self.tracks.iter_mut().zip(tracks).for_each(|(state, track)| state.end(track));
    }

    fn wrong(&mut self, piece: &[u8], why: &'static str) -> usize {
        self.state = State::Wrong(why);
        self.raw = 0;
        piece.len()
    }

    fn is_in_object(&self) -> bool {
        let level = self.depth - 1;
        self.objects[level / 64] & 1 << (level % 64) != 0
    }

    /// Blanks, separators, and the beginnings and ends of values.
    fn structure(&mut self, tracks: &[Track], piece: &[u8], mut at: usize) -> usize {
        while let Some(&byte) = piece.get(at) {
            if matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                at += 1;
                continue;
            }
            self.state = match (self.state, byte) {
                (State::Colon, b':') => State::Value,
                (State::Next, b',') if self.is_in_object() => State::Name,
                (State::Next, b',') => State::Value,
                (State::Name | State::NameOrEnd, b'"') => {
                    self.name.clear();
                    self.state = State::String { is_name: true };
                    return at + 1;
                }
                (State::Value | State::ValueOrEnd, b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                    return self.scalar(tracks, byte, at);
                }
                (State::Value | State::ValueOrEnd, b'[' | b'{') => {
                    if self.depth == MAX_DEPTH {
                        return self.wrong(piece, TOO_DEEP);
                    }
                    self.open(tracks, byte == b'{', at)
                }
                (State::Next | State::NameOrEnd, b'}') if self.is_in_object() => {
                    self.close(tracks, piece, at + 1);
                    self.state
                }
                (State::Next | State::ValueOrEnd, b']') if !self.is_in_object() => {
                    self.close(tracks, piece, at + 1);
                    self.state
                }
                _ => return self.wrong(piece, NOT_JSON),
            };
            at += 1;
        }
        at
    }

    /// A string, number or word begins at `at`.
    fn scalar(&mut self, tracks: &[Track], first: u8, at: usize) -> usize {
        self.value_begins(tracks, first, at);
        self.state = match first {
            b'"' => State::String { is_name: false },
            b't' => State::Word(b"rue"),
            b'f' => State::Word(b"alse"),
            b'n' => State::Word(b"ull"),
            _ => State::Number(Digits::first(first)),
        };
        at + 1
    }

    fn open(&mut self, tracks: &[Track], is_object: bool, at: usize) -> State {
        self.value_begins(tracks, if is_object { b'{' } else { b'[' }, at);
        let bit = 1 << (self.depth % 64);
        let word = &mut self.objects[self.depth / 64];
        *word = if is_object { *word | bit } else { *word & !bit };
        self.depth += 1;
        if let Some(index) = self.index.get_mut(self.depth) {
            *index = 0;
        }
        if is_object { State::NameOrEnd } else { State::ValueOrEnd }
    }

    fn close(&mut self, tracks: &[Track], piece: &[u8], after: usize) {
        self.depth -= 1;
        self.value_ends(tracks, piece, after);
    }

    #[inline]
    fn value_begins(&mut self, tracks: &[Track], first: u8, at: usize) {
        if self.depth <= self.reach {
            self.value_that_counts(tracks, first, at);
        }
    }

    /// A value begins that may be on the way of a track.
    #[inline(never)]
    fn value_that_counts(&mut self, tracks: &[Track], first: u8, at: usize) {
        let place = if self.depth == 0 {
            track::Place::Root
        } else if self.is_in_object() {
            track::Place::Member(&self.name)
        } else {
            self.index[self.depth] += 1;
            track::Place::Element(self.index[self.depth] - 1)
        };
        let mut changes = false;
        for (state, track) in self.tracks.iter_mut().zip(tracks) {
            changes |= state.value(track, place, self.depth, first, at);
        }
        if changes {
            self.sum_up(tracks);
        }
    }

    /// What concerns any of the tracks.
    fn sum_up(&mut self, tracks: &[Track]) {
        (self.reach, self.level, self.raw, self.texts) = (0, 0, 0, 0);
        for (state, track) in self.tracks.iter().zip(tracks) {
            self.reach = self.reach.max(state.reach(track));
            self.level = self.level.max(state.level());
            self.raw += usize::from(state.is_raw());
            self.texts += usize::from(state.is_text());
        }
    }

    /// A value ends before `after`.
    #[inline]
    fn value_ends(&mut self, tracks: &[Track], piece: &[u8], after: usize) {
        self.state = if self.depth == 0 { State::End } else { State::Next };
        if self.depth < self.level {
            for (state, track) in self.tracks.iter_mut().zip(tracks) {
                state.value_ends(track, self.depth, piece, after);
            }
            self.sum_up(tracks);
        }
    }

    /// Goes on in a string up to its end, an escape, or the end of the piece.
    fn string(&mut self, tracks: &[Track], piece: &[u8], at: usize, is_name: bool) -> usize {
        let end = string::plain_end(piece, at);
        if is_name {
            if self.depth <= self.reach {
                self.keep_name(&piece[at..end]);
            }
        } else if self.texts > 0 {
            self.tracks.iter_mut().for_each(|track| track.keep_text(&piece[at..end]));
        }
        match piece.get(end) {
            None => end,
            Some(b'"') => {
                match is_name {
                    true => self.state = State::Colon,
                    false => self.value_ends(tracks, piece, end + 1),
                }
                end + 1
            }
            Some(b'\\') => {
                self.state = State::Escape { is_name, escape: Escape::Letter };
                end + 1
            }
            Some(_) => self.wrong(piece, NOT_JSON),
        }
    }

    fn keep_name(&mut self, part: &[u8]) {
        let room = self.name_room - self.name.len();
        self.name.extend_from_slice(&part[..part.len().min(room)]);
    }

    fn escape(&mut self, byte: u8, is_name: bool, escape: Escape, at: usize) -> usize {
        match escape.next(byte) {
            None => self.state = State::Wrong(NOT_JSON),
            Some(Ok(letter)) => {
                let mut bytes = [0; 4];
                let bytes = letter.encode_utf8(&mut bytes).as_bytes();
                if is_name {
                    self.keep_name(bytes);
                } else if self.texts > 0 {
                    self.tracks.iter_mut().for_each(|track| track.keep_text(bytes));
                }
                self.state = State::String { is_name };
            }
            Some(Err(escape)) => self.state = State::Escape { is_name, escape },
        }
        at + 1
    }

    fn number(&mut self, tracks: &[Track], piece: &[u8], mut at: usize, mut digits: Digits) -> usize {
        while let Some(&byte) = piece.get(at) {
            match digits.next(byte) {
                Some(next) => digits = next,
                None if digits.may_end() => {
                    self.value_ends(tracks, piece, at);
                    return at;
                }
                None => return self.wrong(piece, NOT_JSON),
            }
            at += 1;
        }
        self.state = State::Number(digits);
        at
    }

    fn word(&mut self, tracks: &[Track], piece: &[u8], at: usize, rest: &'static [u8]) -> usize {
        let length = rest.len().min(piece.len() - at);
        if piece[at..at + length] != rest[..length] {
            return self.wrong(piece, NOT_JSON);
        }
        match &rest[length..] {
            [] => self.value_ends(tracks, piece, at + length),
            rest => self.state = State::Word(rest),
        }
        at + length
    }
}

/// Whether a text that comes in pieces is UTF-8.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Utf8 {
    /// The first bytes of a character that is not whole.
    begun: [u8; 4],
    length: usize,
}

impl Utf8 {
    /// Goes on with the next piece; false if it cannot be part of a text in UTF-8.
    pub(crate) fn advance(&mut self, mut piece: &[u8]) -> bool {
        while self.length > 0 {
            let Some((&byte, rest)) = piece.split_first() else { return true };
            self.begun[self.length] = byte;
            self.length += 1;
            piece = rest;
            match std::str::from_utf8(&self.begun[..self.length]) {
                Ok(_) => self.length = 0,
                Err(error) if error.error_len().is_none() => {}
                Err(_) => return false,
            }
        }
        match std::str::from_utf8(piece) {
            Ok(_) => true,
            Err(error) if error.error_len().is_none() => {
                let rest = &piece[error.valid_up_to()..];
                self.begun[..rest.len()].copy_from_slice(rest);
                self.length = rest.len();
                true
            }
            Err(_) => false,
        }
    }

    pub(crate) const fn is_whole(&self) -> bool {
        self.length == 0
    }
}

/// Whether this is a JSON document, without more than [`MAX_DEPTH`] lists and objects in each other.
pub(crate) fn is_valid(text: &[u8]) -> bool {
    let mut scan = Scan::new(&[]);
    scan.advance(&[], text);
    scan.end(&[]);
    scan.state == State::End
}
