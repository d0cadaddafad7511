//! Injected faults of responses and connections.

use std::fmt;
use std::str::FromStr;

use crate::grammar::{GrammarError, probability};

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// The connection is reset instead of a response.
    Reset,
    /// The connection is reset in the middle of the body.
    ResetBody,
    /// The connection is closed instead of a response.
    Close,
    /// The connection is closed in the middle of the head.
    ShortHead,
    /// The connection is closed in the middle of the body.
    Short,
    /// Bytes that are not HTTP, then the connection is closed.
    Garbage,
    /// A status line with a status that is not a number.
    BadStatus,
    /// A header line without a colon.
    BadHeader,
    /// A `Content-Length` that is not a number.
    BadLength,
    /// A chunked body with a chunk size that is not a number.
    BadChunk,
    /// Two `Content-Length` headers that differ (RFC 9112, section 6.3).
    Conflict,
    /// `Content-Length` and `Transfer-Encoding` in one head (RFC 9112, section 6.1).
    Smuggle,
    /// More body than `Content-Length` announces.
    Excess,
    /// A head of a mebibyte.
    LongHead,
    /// No response, and the connection stays open.
    Hang,
    /// Half a body, and the connection stays open.
    HangBody,
    /// The connection is accepted and never read.
    Deaf,
    /// The connection is accepted and reset immediately.
    Drop,
    /// No connection is accepted; the backlog fills.
    NoAccept,
}

impl FaultKind {
    /// All kinds with their names, in the order of [`crate::GRAMMAR`].
    pub const ALL: [(&'static str, Self); 19] = [
        ("reset", Self::Reset),
        ("reset-body", Self::ResetBody),
        ("close", Self::Close),
        ("short-head", Self::ShortHead),
        ("short", Self::Short),
        ("garbage", Self::Garbage),
        ("badstatus", Self::BadStatus),
        ("badheader", Self::BadHeader),
        ("badlength", Self::BadLength),
        ("badchunk", Self::BadChunk),
        ("conflict", Self::Conflict),
        ("smuggle", Self::Smuggle),
        ("excess", Self::Excess),
        ("longhead", Self::LongHead),
        ("hang", Self::Hang),
        ("hang-body", Self::HangBody),
        ("deaf", Self::Deaf),
        ("drop", Self::Drop),
        ("noaccept", Self::NoAccept),
    ];

    /// Returns the name of this kind.
    #[must_use]
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(word, _)| word)
    }

    /// Returns whether the fault affects a connection before any request, so that no query string can request it.
    #[must_use]
    pub fn is_of_connection(self) -> bool {
        matches!(self, Self::Deaf | Self::Drop | Self::NoAccept)
    }
}

/// A fault with its probability, written as `KIND` (always) or `KIND:PROBABILITY`, for example `reset:0.01`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    /// The kind.
    pub kind: FaultKind,
    /// The probability per response, or per connection for [`FaultKind::is_of_connection`]; 0 to 1.
    pub probability: f64,
}

impl FromStr for Fault {
    type Err = GrammarError;

    fn from_str(word: &str) -> Result<Self, GrammarError> {
        let (name, share) = match word.split_once(':') {
            Some((name, share)) => (name, probability(share)?),
            None => (word, 1.0),
        };
        let known = FaultKind::ALL.iter().find(|(word, _)| *word == name);
        let (_, kind) = known.ok_or_else(|| GrammarError::new(word, WANTED))?;
        if *kind == FaultKind::NoAccept && share < 1.0 {
            return Err(GrammarError::new(
                word,
                "possible: `noaccept` affects the whole server and has no probability",
            ));
        }
        Ok(Self { kind: *kind, probability: share })
    }
}

const WANTED: &str = "a fault: reset, reset-body, close, short-head, short, garbage, badstatus, badheader, badlength, badchunk, \
     conflict, smuggle, excess, longhead, hang, hang-body, deaf, drop or noaccept, optionally with `:PROBABILITY`";

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.word(), self.probability)
    }
}

/// Returns the fault for `draw`, a random number in [0, 1). The probabilities of several faults add up; if the sum exceeds 1, the
/// last ones never occur.
pub(crate) fn fallen_on(faults: &[Fault], draw: f64) -> Option<FaultKind> {
    let mut sum = 0.0;
    faults.iter().find_map(|fault| {
        sum += fault.probability;
        (draw < sum).then_some(fault.kind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_name() {
        for (word, kind) in FaultKind::ALL {
            assert_eq!(word.parse(), Ok(Fault { kind, probability: 1.0 }), "{word}");
            assert_eq!(kind.word(), word);
            assert!(WANTED.contains(word), "{word} is listed in the message");
        }
        assert_eq!("reset:0.01".parse(), Ok(Fault { kind: FaultKind::Reset, probability: 0.01 }));
        for word in ["", "explode", "reset:", "reset:2", "noaccept:0.5"] {
            assert!(word.parse::<Fault>().is_err(), "{word}");
        }
    }

    #[test]
    fn a_draw_selects_at_most_one_fault() {
        let faults = ["reset:0.1", "short:0.2"].map(|word| word.parse().unwrap());
        for (draw, kind) in [
            (0.0, Some(FaultKind::Reset)),
            (0.099, Some(FaultKind::Reset)),
            (0.1, Some(FaultKind::Short)),
            (0.29, Some(FaultKind::Short)),
            (0.31, None),
        ] {
            assert_eq!(fallen_on(&faults, draw), kind, "{draw}");
        }
    }
}
