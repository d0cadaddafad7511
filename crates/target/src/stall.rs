//! Stalls: time intervals in which no response is sent.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::grammar::{GrammarError, duration};

/// Holds all responses for `length`, starting `at` after the first request or after the start. Written as `AT+FOR`, for example
/// `5s+1s`: from the fifth second to the sixth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// When it begins.
    pub at: Duration,
    /// How long it lasts.
    pub length: Duration,
}

impl FromStr for Stall {
    type Err = GrammarError;

    fn from_str(word: &str) -> Result<Self, GrammarError> {
        let (at, length) = word
            .split_once('+')
            .ok_or_else(|| GrammarError::new(word, "a stall written `AT+FOR`, such as `5s+1s`"))?;
        Ok(Self { at: duration(at)?, length: duration(length)? })
    }
}

impl fmt::Display for Stall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}+{:?}", self.at, self.length)
    }
}

/// Returns when a response that is due at `due_ns` may be sent; both times are relative to the zero of the stalls. A response that
/// is released by one stall may fall into the next.
pub(crate) fn held_until(stalls: &[Stall], due_ns: u64) -> u64 {
    let mut until = due_ns;
    loop {
        let holding = stalls.iter().find_map(|stall| {
            let from = stall.at.as_nanos() as u64;
            let to = from + stall.length.as_nanos() as u64;
            (from..to).contains(&until).then_some(to)
        });
        match holding {
            Some(to) => until = to,
            None => return until,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_is_two_durations() {
        let stall: Stall = "5s+250ms".parse().unwrap();
        assert_eq!(stall, Stall { at: Duration::from_secs(5), length: Duration::from_millis(250) });
        assert_eq!(stall.to_string().parse(), Ok(stall));
        for word in ["", "5s", "5s+", "+1s", "a+b", "5s:1s"] {
            assert!(word.parse::<Stall>().is_err(), "{word}");
        }
    }

    #[test]
    fn a_response_due_in_a_stall_is_sent_at_its_end() {
        let stalls: Vec<Stall> = ["1s+1s", "2s+500ms", "10s+1s"].iter().map(|s| s.parse().unwrap()).collect();
        for (due_ms, leaves_ms) in [
            (0, 0),
            (999, 999),
            (1000, 2500), // the first stall ends where the second begins
            (2400, 2500),
            (2500, 2500), // the end is outside
            (10_500, 11_000),
            (11_000, 11_000),
        ] {
            assert_eq!(held_until(&stalls, due_ms * 1_000_000), leaves_ms * 1_000_000, "{due_ms} ms");
        }
    }
}
