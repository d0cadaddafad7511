//! Finds a match of a regular expression in a body that streams, with its first group.
//!
//! A first automaton follows the body until it is certain where the first match ends; a second one goes back from there to where it
//! begins; a third one finds the group in between. Only the end of the body so far is kept.

use crate::json::Slot;
use crate::scan::{Failure, Read};
use crate::value::{Kind, Value};
use regex_automata::dfa::{Automaton as _, StartKind, dense, onepass};
use regex_automata::nfa::thompson::{self, pikevm::PikeVM};
use regex_automata::util::primitives::{NonMaxUsize, StateID};
use regex_automata::{Anchored, Input, MatchKind, util::start};

/// The longest match that is found, in bytes.
const WINDOW: usize = 16 * 1024;
/// Bytes that are followed at once.
const BLOCK: usize = 4 * 1024;

const TOO_LONG: &str = "the match of the regular expression is longer than 16 KiB";

/// A regular expression to look for.
#[derive(Debug)]
pub(crate) struct Find {
    text: String,
    forward: dense::DFA<Vec<u32>>,
    backward: dense::DFA<Vec<u32>>,
    groups: Groups,
    /// Bytes of the value that are kept.
    room: usize,
}

#[derive(Debug)]
enum Groups {
    None,
    /// Needs no memory but for the groups.
    Simple(Box<onepass::DFA>),
    Any(PikeVM),
}

/// Memory for finding groups.
#[derive(Debug)]
enum Memory {
    None,
    Simple(Box<onepass::Cache>),
    Any(Box<thompson::pikevm::Cache>),
}

/// How far the search has come.
#[derive(Debug)]
pub(crate) struct FindState {
    state: StateID,
    is_over: bool,
    /// Bytes of the body so far.
    length: u64,
    /// Where the match ends, as far as is known.
    end: Option<u64>,
    /// The end of the body so far.
    window: Vec<u8>,
    memory: Memory,
    has_value: bool,
    slot: Slot,
    trouble: Option<&'static str>,
}

impl Find {
    /// `None` if the automata would be too large. The expression must be right.
    pub(crate) fn new(text: &str, room: usize) -> Option<Self> {
        let limits = dense::Config::new()
            .dfa_size_limit(Some(crate::pattern::MAX_DENSE))
            .determinize_size_limit(Some(crate::pattern::MAX_WORK));
        let forward = limits.clone().start_kind(StartKind::Unanchored);
        let forward = dense::Builder::new().configure(forward).build(text).ok()?;
        let backward = limits.start_kind(StartKind::Anchored).match_kind(MatchKind::All);
        let reverse = thompson::Config::new().reverse(true);
        let backward = dense::Builder::new().configure(backward).thompson(reverse).build(text).ok()?;
        let vm = PikeVM::new(text).ok()?;
        let groups = if vm.get_nfa().group_info().all_group_len() == 1 {
            Groups::None
        } else {
            match onepass::DFA::new(text) {
                Ok(dfa) => Groups::Simple(Box::new(dfa)),
                Err(_) => Groups::Any(vm),
            }
        };
        Some(Self { text: text.to_owned(), forward, backward, groups, room })
    }

    /// The expression.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Keeps values of this length at least.
    pub(crate) fn widen(&mut self, room: usize) {
        self.room = self.room.max(room);
    }
}

impl FindState {
    pub(crate) fn new(find: &Find) -> Self {
        let memory = match &find.groups {
            Groups::None => Memory::None,
            Groups::Simple(dfa) => Memory::Simple(Box::new(dfa.create_cache())),
            Groups::Any(vm) => Memory::Any(Box::new(vm.create_cache())),
        };
        Self {
            state: StateID::default(),
            is_over: true,
            length: 0,
            end: None,
            window: Vec::with_capacity(2 * WINDOW),
            memory,
            has_value: false,
            slot: Slot::new(find.room),
            trouble: None,
        }
    }

    pub(crate) fn begin(&mut self, find: &Find) {
        let start = find.forward.start_state(&start::Config::new().anchored(Anchored::No));
        self.is_over = start.is_err();
        self.state = start.unwrap_or_default();
        self.length = 0;
        self.end = None;
        self.window.clear();
        self.has_value = false;
        self.slot.clear();
        self.trouble = None;
    }

    /// Goes on with the next piece of the body.
    pub(crate) fn advance(&mut self, find: &Find, piece: &[u8]) {
        for block in piece.chunks(BLOCK) {
            if self.is_over {
                return;
            }
            self.follow(find, block);
        }
    }

    fn follow(&mut self, find: &Find, block: &[u8]) {
        let mut state = self.state;
        for (at, &byte) in block.iter().enumerate() {
            state = find.forward.next_state(state, byte);
            if !find.forward.is_special_state(state) {
                continue;
            }
            if find.forward.is_match_state(state) {
                // A match is known one byte after its end.
                self.end = Some(self.length + at as u64);
            } else if find.forward.is_dead_state(state) || find.forward.is_quit_state(state) {
                self.is_over = true;
                self.keep(&block[..=at]);
                self.resolve(find);
                return;
            }
        }
        self.state = state;
        self.keep(block);
    }

    fn keep(&mut self, block: &[u8]) {
        if self.window.len() + block.len() > 2 * WINDOW {
            let surplus = self.window.len() - WINDOW;
            self.window.drain(..surplus);
        }
        self.window.extend_from_slice(block);
        self.length += block.len() as u64;
    }

    /// The body has ended.
    pub(crate) fn end(&mut self, find: &Find) {
        if self.is_over {
            return;
        }
        self.is_over = true;
        if find.forward.is_match_state(find.forward.next_eoi_state(self.state)) {
            self.end = Some(self.length);
        }
        self.resolve(find);
    }

    /// Finds the beginning and the group of the match whose end is known.
    fn resolve(&mut self, find: &Find) {
        let Some(end) = self.end else { return };
        let before = self.length - self.window.len() as u64;
        let Some(end) = end.checked_sub(before).and_then(|end| usize::try_from(end).ok()) else {
            self.trouble = Some(TOO_LONG);
            return;
        };
        let input = Input::new(&self.window).range(..end).anchored(Anchored::Yes);
        let start = find.backward.try_search_rev(&input).ok().flatten().map(|found| found.offset());
        // A match from the beginning of what is kept may begin before.
        let Some(start) = start.filter(|start| *start > 0 || before == 0) else {
            self.trouble = Some(TOO_LONG);
            return;
        };
        let input = Input::new(&self.window).range(start..end).anchored(Anchored::Yes);
        let mut slots = [None::<NonMaxUsize>; 4];
        let first = match (&find.groups, &mut self.memory) {
            (Groups::Simple(dfa), Memory::Simple(memory)) => {
                let _ = dfa.try_search_slots(memory, &input, &mut slots);
                2
            }
            (Groups::Any(vm), Memory::Any(memory)) => {
                vm.search_slots(memory, &input, &mut slots);
                2
            }
            _ => {
                slots = [NonMaxUsize::new(start), NonMaxUsize::new(end), None, None];
                0
            }
        };
        if let (Some(start), Some(end)) = (slots[first], slots[first + 1]) {
            self.has_value = true;
            self.slot.push(&self.window[start.get()..end.get()]);
        }
    }

    /// What was found.
    pub(crate) fn read(&self) -> Result<Option<Read<'_>>, Failure> {
        if let Some(why) = self.trouble {
            return Err(Failure::Unreadable(why));
        }
        let value = Value::new(Kind::Loose, self.slot.bytes());
        let read = Read { value, length: self.slot.length(), room: self.slot.room() };
        Ok(self.has_value.then_some(read))
    }
}
