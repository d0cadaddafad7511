//! Paths that are followed while a document streams.

use super::{Mark, Slot};
use crate::path::Step;
use crate::value::{Kind, kind_of};

/// A path to follow, and what to keep of the values that it finds.
#[derive(Debug, PartialEq)]
pub(crate) struct Track {
    pub(crate) steps: Vec<Step>,
    pub(crate) pick: Pick,
    pub(crate) want: Want,
    /// Bytes of the value that are kept.
    pub(crate) room: usize,
}

/// Which of the values that a path finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pick {
    /// The only one.
    Single,
    /// A list of all.
    All,
    /// One of several, from 0.
    Nth(u64),
    /// The last of several.
    Last,
}

/// What is kept of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Want {
    /// Its kind, and the number of its elements or members.
    Count,
    /// All of it.
    Content,
}

/// Where a value stands.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    Root,
    Member(&'a [u8]),
    Element(u64),
}

impl Track {
    pub(super) fn names(&self) -> impl Iterator<Item = &Vec<u8>> {
        self.steps.iter().filter_map(|step| match step {
            Step::Name(name) => Some(name),
            _ => None,
        })
    }
}

impl Step {
    fn leads_to(&self, place: Place<'_>) -> bool {
        match (self, place) {
            (Self::Name(name), Place::Member(other)) => name == other,
            (Self::Index(index), Place::Element(at)) => *index == at,
            (Self::Wildcard, Place::Member(_) | Place::Element(_)) | (Self::Element, Place::Element(_)) => {
                true
            }
            _ => false,
        }
    }
}

/// What a track keeps at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keeping {
    Nothing,
    /// What streams, as it stands.
    Raw,
    /// A string without quotes and escapes.
    Text,
}

/// What has been found at a point to go back to.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    kind: Option<Kind>,
    base: Option<Kind>,
    count: u64,
    mark: Mark,
}

/// How far a track has come, and what it has found.
#[derive(Debug)]
pub(crate) struct TrackState {
    /// One more than the steps taken to the current node, which are as many as lists and objects around it; 0 before the
    /// document.
    level: usize,
    keeping: Keeping,
    /// Where in the current piece begins what is to be kept as it stands.
    pub(super) from: usize,
    slot: Slot,
    /// The kind of what was found.
    kind: Option<Kind>,
    /// The kind of what the last step is taken from.
    base: Option<Kind>,
    /// Nodes found, or elements or members of the only one.
    count: u64,
    /// The last value is no longer known: what followed it does not count, because its name is there twice.
    has_lost: bool,
    /// For each step the state when its object or list began: of members with the same name the last counts.
    before: Box<[Before]>,
}

impl TrackState {
    pub(super) fn new(track: &Track) -> Self {
        Self {
            level: 0,
            keeping: Keeping::Nothing,
            from: 0,
            slot: Slot::new(track.room),
            kind: None,
            base: None,
            count: 0,
            has_lost: false,
            before: vec![Before::default(); track.steps.len()].into_boxed_slice(),
        }
    }

    pub(super) fn begin(&mut self) {
        self.level = 0;
        self.keeping = Keeping::Nothing;
        self.has_lost = false;
        self.restore(Before::default());
    }

    /// The kind of what was found: a list for several nodes.
    pub(crate) const fn kind(&self) -> Option<Kind> {
        self.kind
    }

    /// The kind of what the last step is taken from, if it was found.
    pub(crate) const fn base(&self) -> Option<Kind> {
        self.base
    }

    /// Whether the value is not known although there is one.
    pub(crate) const fn has_lost(&self) -> bool {
        self.has_lost
    }

    /// Elements of a list, members of an object; nodes found by a path that may find several.
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    pub(crate) const fn slot(&self) -> &Slot {
        &self.slot
    }

    pub(super) fn is_raw(&self) -> bool {
        self.keeping == Keeping::Raw
    }

    pub(super) fn is_text(&self) -> bool {
        self.keeping == Keeping::Text
    }

    /// The depth up to which values that begin concern it.
    pub(super) fn reach(&self, track: &Track) -> usize {
        // The elements of what was found are counted.
        let goes_on = self.level <= track.steps.len() || track.pick == Pick::Single;
        self.level - usize::from(!goes_on)
    }

    /// The depth up to which values that end concern it, and one more.
    pub(super) const fn level(&self) -> usize {
        self.level
    }

    /// A value begins with the byte `first` at `at`, inside `depth` lists and objects: whether the track goes on to it.
    #[inline]
    pub(super) fn value(
        &mut self,
        track: &Track,
        place: Place<'_>,
        depth: usize,
        first: u8,
        at: usize,
    ) -> bool {
        if self.level != depth {
            return false;
        }
        let whole = track.steps.len();
        if depth > whole {
            self.count += u64::from(track.pick == Pick::Single);
            return false;
        }
        if depth > 0 {
            if !track.steps[depth - 1].leads_to(place) {
                return false;
            }
            // A member whose name is there twice: what the first one led to does not count.
            if matches!(track.steps[depth - 1], Step::Name(_)) {
                let before = self.before[depth - 1];
                self.has_lost |= track.pick == Pick::Last && self.count > before.count && before.count > 0;
                self.restore(before);
            }
        }
        self.level = depth + 1;
        if depth + 1 == whole {
            self.base = Some(kind_of(&[first]));
        }
        match depth == whole {
            true => self.finds(track, first, at),
            false => self.before[depth] = self.now(),
        }
        true
    }

    const fn now(&self) -> Before {
        Before { kind: self.kind, base: self.base, count: self.count, mark: self.slot.mark() }
    }

    fn restore(&mut self, before: Before) {
        self.kind = before.kind;
        self.base = before.base;
        self.count = before.count;
        self.slot.restore(before.mark);
    }

    /// The value that begins is one that the path leads to.
    fn finds(&mut self, track: &Track, first: u8, at: usize) {
        let number = self.count;
        let is_kept = match track.pick {
            Pick::Single | Pick::Last => true,
            Pick::All => track.want == Want::Content,
            Pick::Nth(wanted) => wanted == number,
        };
        match track.pick {
            Pick::Single => self.count = 0,
            _ => self.count += 1,
        }
        if !is_kept {
            return;
        }
        let is_text = first == b'"';
        match track.pick {
            Pick::All => self.slot.push(if number == 0 { b"[" } else { b"," }),
            _ => {
                self.has_lost = false;
                self.slot.clear();
                self.kind = Some(kind_of(&[first]));
            }
        }
        if track.want == Want::Content {
            self.keeping = if is_text && track.pick != Pick::All { Keeping::Text } else { Keeping::Raw };
            self.from = at;
        }
    }

    /// A value ends before `after` of the piece, inside `depth` lists and objects.
    pub(super) fn value_ends(&mut self, track: &Track, depth: usize, piece: &[u8], after: usize) {
        if self.level != depth + 1 {
            return;
        }
        if depth == track.steps.len() {
            self.keep_raw(piece, after);
            self.keeping = Keeping::Nothing;
        }
        self.level = depth;
    }

    /// Keeps what stands as it is before `end`.
    pub(super) fn keep_raw(&mut self, piece: &[u8], end: usize) {
        if self.keeping == Keeping::Raw {
            self.slot.push(&piece[self.from..end]);
            self.from = end;
        }
    }

    #[inline]
    pub(super) fn keep_text(&mut self, text: &[u8]) {
        if self.keeping == Keeping::Text {
            self.slot.push(text);
        }
    }

    /// The document has ended.
    pub(super) fn end(&mut self, track: &Track) {
        if track.pick == Pick::All {
            self.kind = Some(Kind::List);
            if track.want == Want::Content {
                self.slot.push(if self.count == 0 { b"[]" } else { b"]" });
            }
        }
    }
}
