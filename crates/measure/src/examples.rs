//! Examples of failed checks, of which a run keeps a few.

use crate::{MAX_CHECKS, bounded};
use serde::{Deserialize, Serialize};
use warwolf_clock::Timestamp;

/// Examples kept of each check.
pub const EXAMPLES: usize = 5;

/// Bytes kept of each text of an example.
const TEXT_MAX: usize = 256;

/// A reply that did not pass a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct CheckExample {
    /// Index of the check.
    pub check: u16,
    /// When the reply ended, in nanoseconds from the start of the run.
    pub at_ns: u64,
    /// Method and URL of the request.
    pub request: String,
    /// Status of the reply.
    pub status: u16,
    /// What the check found instead.
    pub found: String,
    /// The beginning of the body.
    pub body: String,
}

impl CheckExample {
    /// Creates an example. Keeps the first 256 bytes of each text, and replaces what is not UTF-8.
    #[must_use]
    pub fn new(check: u16, at: Timestamp, request: &str, status: u16, found: &str, body: &[u8]) -> Self {
        Self {
            check,
            at_ns: at.as_nanos(),
            request: beginning(request.as_bytes()),
            status,
            found: beginning(found.as_bytes()),
            body: beginning(body),
        }
    }
}

/// Returns the first bytes as text, without a character that was cut.
fn beginning(bytes: &[u8]) -> String {
    let Some(cut) = bytes.get(..TEXT_MAX) else { return String::from_utf8_lossy(bytes).into_owned() };
    let is_cut = |error: &std::str::Utf8Error| error.error_len().is_none();
    let end = match std::str::from_utf8(cut) {
        Err(error) if is_cut(&error) => error.valid_up_to(),
        _ => TEXT_MAX,
    };
    String::from_utf8_lossy(&cut[..end]).into_owned()
}

/// The earliest [`EXAMPLES`] of each check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Examples {
    /// In order of check and time.
    #[serde(deserialize_with = "bounded::list")]
    kept: Vec<CheckExample>,
}

impl Examples {
    /// Returns whether another example of this check would be kept, given that it is later than all others.
    #[must_use]
    pub fn wants(&self, check: u16) -> bool {
        usize::from(check) < MAX_CHECKS && self.of(check).count() < EXAMPLES
    }

    /// Adds an example, if it is among the earliest of its check.
    pub fn add(&mut self, example: CheckExample) {
        if usize::from(example.check) >= MAX_CHECKS {
            return;
        }
        let check = example.check;
        let at = self.kept.partition_point(|kept| *kept <= example);
        self.kept.insert(at, example);
        if self.of(check).count() > EXAMPLES {
            let end = self.kept.partition_point(|kept| kept.check <= check);
            self.kept.remove(end - 1);
        }
    }

    /// Adds the examples of another worker or machine, in whatever order.
    pub fn merge(&mut self, other: &Self) {
        other.kept.iter().cloned().for_each(|example| self.add(example));
    }

    /// Returns the examples of a check, the earliest first.
    pub fn of(&self, check: u16) -> impl Iterator<Item = &CheckExample> {
        let from = self.kept.partition_point(|kept| kept.check < check);
        self.kept[from..].iter().take_while(move |kept| kept.check == check)
    }

    /// Replaces the texts of each example by what `change` makes of them.
    pub fn change_texts(&mut self, change: impl Fn(&str) -> String) {
        for CheckExample { request, found, body, .. } in &mut self.kept {
            [request, found, body].into_iter().for_each(|text| *text = change(text));
        }
    }

    /// Returns whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(check: u16, at_ns: u64) -> CheckExample {
        CheckExample::new(check, Timestamp::from_nanos(at_ns), "GET /", 200, "500", b"body")
    }

    fn times(examples: &Examples, check: u16) -> Vec<u64> {
        examples.of(check).map(|example| example.at_ns).collect()
    }

    #[test]
    fn the_earliest_of_each_check_are_kept_in_any_order_of_merging() {
        let of = |times: &[(u16, u64)]| {
            let mut examples = Examples::default();
            times.iter().for_each(|(check, at)| examples.add(example(*check, *at)));
            examples
        };
        let one = of(&[(0, 10), (1, 11), (0, 20), (0, 30), (0, 40), (0, 50), (0, 60)]);
        let two = of(&[(0, 15), (0, 25), (2, 7)]);
        assert_eq!(times(&one, 0), [10, 20, 30, 40, 50]);
        assert!(!one.wants(0) && one.wants(1) && !one.wants(256));
        let (mut ab, mut ba) = (one.clone(), two.clone());
        ab.merge(&two);
        ba.merge(&one);
        assert_eq!(ab, ba);
        assert_eq!(
            (times(&ab, 0), times(&ab, 1), times(&ab, 2)),
            (vec![10, 15, 20, 25, 30], vec![11], vec![7])
        );
    }

    #[test]
    fn texts_are_cut_between_characters() {
        let body = ["x".repeat(255).as_bytes(), "é".as_bytes(), b"rest"].concat();
        let cut = CheckExample::new(0, Timestamp::ZERO, "GET /", 200, "", &body);
        assert_eq!(cut.body, "x".repeat(255));
        let broken = CheckExample::new(0, Timestamp::ZERO, "GET /", 200, "", b"a\xFFb");
        assert_eq!(broken.body, "a\u{FFFD}b");
    }
}
