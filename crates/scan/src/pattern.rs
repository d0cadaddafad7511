//! Regular expressions.

use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::meta;
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::{NonMaxUsize, StateID};
use regex_automata::{Anchored, Input, util::start};

/// A dense automaton may have this many bytes. A larger one would not stay in a core's cache.
pub(crate) const MAX_DENSE: usize = 1 << 20;
/// Memory for building an automaton.
pub(crate) const MAX_WORK: usize = 8 << 20;
/// Memory for a compiled regular expression.
const MAX_COMPILED: usize = 4 << 20;

/// A compiled regular expression, in the syntax of the `regex` crate.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: String,
    regex: meta::Regex,
    /// Needs no memory for a search, and can go on with a text that comes in pieces. Absent where it would be too large.
    dense: Option<Box<dense::DFA<Vec<u32>>>>,
}

/// The state of a search in a text that comes in pieces.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Search {
    state: StateID,
    pub(crate) has_matched: bool,
    is_over: bool,
}

impl Pattern {
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let config = meta::Config::new().nfa_size_limit(Some(MAX_COMPILED));
        let regex = meta::Builder::new().configure(config).build(text).map_err(|error| {
            match (error.size_limit(), error.syntax_error()) {
                (Some(_), _) => "use a smaller regular expression: its compiled form is too large".to_owned(),
                (_, Some(error)) => error.to_string(),
                _ => error.to_string(),
            }
        })?;
        let config = dense::Config::new()
            .start_kind(StartKind::Unanchored)
            .dfa_size_limit(Some(MAX_DENSE))
            .determinize_size_limit(Some(MAX_WORK));
        let nfa = thompson::Config::new().nfa_size_limit(Some(MAX_COMPILED));
        let dense = dense::Builder::new().configure(config).thompson(nfa).build(text).ok().map(Box::new);
        Ok(Self { text: text.to_owned(), regex, dense })
    }

    /// Whether a text in pieces can be searched.
    pub(crate) const fn streams(&self) -> bool {
        self.dense.is_some()
    }

    /// Whether it matches somewhere.
    pub(crate) fn is_match(&self, text: &[u8]) -> bool {
        match &self.dense {
            Some(dense) => {
                let input = Input::new(text).earliest(true);
                dense.try_search_fwd(&input).is_ok_and(|end| end.is_some())
            }
            None => self.regex.is_match(text),
        }
    }

    /// The first match: its first group, or all of it if the expression has no group.
    pub(crate) fn find<'a>(&self, text: &'a [u8]) -> Option<&'a [u8]> {
        let mut slots = [None::<NonMaxUsize>; 4];
        // More slots than groups would give wrong results.
        let first = if self.regex.captures_len() > 1 { 2 } else { 0 };
        self.regex.search_slots(&Input::new(text), &mut slots[..first + 2])?;
        Some(&text[slots[first]?.get()..slots[first + 1]?.get()])
    }

    /// Replaces all matches by a text in which `$1` is a group.
    pub(crate) fn replace_all(&self, text: &[u8], new: &str, out: &mut Vec<u8>) {
        let mut captures = self.regex.create_captures();
        let (mut at, mut copied) = (0, 0);
        while at <= text.len() {
            self.regex.search_captures(&Input::new(text).range(at..), &mut captures);
            let Some(found) = captures.get_match() else { break };
            out.extend_from_slice(&text[copied..found.start()]);
            captures.interpolate_bytes_into(text, new.as_bytes(), out);
            copied = found.end();
            at = found.end() + usize::from(found.is_empty());
        }
        out.extend_from_slice(&text[copied..]);
    }

    /// Begins to search a text that comes in pieces.
    pub(crate) fn begin(&self) -> Search {
        let start = start::Config::new().anchored(Anchored::No);
        let state = self.dense.as_ref().and_then(|dense| dense.start_state(&start).ok());
        Search { state: state.unwrap_or_default(), has_matched: false, is_over: state.is_none() }
    }

    /// Goes on with the next piece.
    pub(crate) fn advance(&self, search: &mut Search, piece: &[u8]) {
        let Some(dense) = self.dense.as_ref().filter(|_| !search.is_over) else { return };
        let mut state = search.state;
        for &byte in piece {
            state = dense.next_state(state, byte);
            if dense.is_special_state(state)
                && (dense.is_match_state(state) || dense.is_dead_state(state) || dense.is_quit_state(state))
            {
                search.has_matched = dense.is_match_state(state);
                search.is_over = true;
                return;
            }
        }
        search.state = state;
    }

    /// The text has ended.
    pub(crate) fn end(&self, search: &mut Search) {
        let Some(dense) = self.dense.as_ref().filter(|_| !search.is_over) else { return };
        search.has_matched = dense.is_match_state(dense.next_eoi_state(search.state));
        search.is_over = true;
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}
