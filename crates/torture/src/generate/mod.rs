//! Generates request `k` of a seed: a valid request that one to three traps have modified.

mod framing;
mod head;
mod target;

use crate::rng::{Rng, TRAP_CONTENT, TRAP_ORDER};
use std::time::Duration;
use warwolf_exchange::{Message, Step};

/// The request that all generated requests are based on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// Host and port as in the `Host` header.
    pub authority: String,
    /// Path and query of the given URL.
    pub target: String,
    /// Maximum length of a generated part in bytes, at least 16.
    pub longest: usize,
    /// Header lines of every request, without line ends: cookies, credentials.
    pub fields: Vec<String>,
}

/// A named modification of a request.
#[derive(Clone, Copy)]
pub struct Trap {
    /// The name, as shown in findings.
    pub name: &'static str,
    apply: fn(&mut Rng, &mut Parts, usize),
}

impl std::fmt::Debug for Trap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A generated request.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The bytes to send.
    pub message: Message,
    /// The names of the traps that modified it.
    pub traps: Vec<&'static str>,
}

/// The parts of a request, which traps modify.
#[derive(Clone, Debug)]
struct Parts {
    /// Bytes before the request line.
    before: Vec<u8>,
    method: Vec<u8>,
    target: Vec<u8>,
    version: Vec<u8>,
    /// Header lines without line ends.
    fields: Vec<Vec<u8>>,
    /// The line end of the head.
    line_end: Vec<u8>,
    body: Vec<u8>,
    authority: String,
    /// The part of the request that is sent, in thousandths.
    share: usize,
    /// The number of pieces that are sent with pauses between them.
    pieces: usize,
}

impl Parts {
    fn new(base: &Base) -> Self {
        let mut fields = vec![format!("Host: {}", base.authority), "Accept: */*".to_owned()];
        fields.extend(base.fields.iter().cloned());
        Self {
            before: Vec::new(),
            method: b"GET".to_vec(),
            target: base.target.clone().into_bytes(),
            version: b"HTTP/1.1".to_vec(),
            fields: fields.into_iter().map(String::into_bytes).collect(),
            line_end: b"\r\n".to_vec(),
            body: Vec::new(),
            authority: base.authority.clone(),
            share: 1_000,
            pieces: 1,
        }
    }

    /// Inserts a header line at a random position after the first.
    fn add(&mut self, rng: &mut Rng, line: Vec<u8>) {
        let at = rng.between(1.min(self.fields.len()), self.fields.len());
        self.fields.insert(at, line);
    }

    /// Sets the body and makes it a POST; does not add a length.
    fn carry(&mut self, body: Vec<u8>) {
        if self.method == b"GET" {
            self.method = b"POST".to_vec();
        }
        self.body = body;
    }

    /// Returns the path without the query.
    fn path(&self) -> &[u8] {
        self.target.split(|byte| *byte == b'?').next().unwrap_or_default()
    }

    fn message(&self) -> Message {
        let mut bytes = self.before.clone();
        for piece in [&self.method, b" ".as_slice(), &self.target, b" ", &self.version, &self.line_end] {
            bytes.extend_from_slice(piece);
        }
        for field in &self.fields {
            bytes.extend_from_slice(field);
            bytes.extend_from_slice(&self.line_end);
        }
        bytes.extend_from_slice(&self.line_end);
        bytes.extend_from_slice(&self.body);
        bytes.truncate((bytes.len() * self.share).div_ceil(1_000));
        let size = bytes.len().div_ceil(self.pieces).max(1);
        let mut steps = Vec::new();
        for piece in bytes.chunks(size) {
            if !steps.is_empty() {
                steps.push(Step::Pause(PAUSE));
            }
            steps.push(Step::Bytes(piece.to_vec()));
        }
        Message { steps }
    }
}

/// The pause between the pieces of a slow request.
const PAUSE: Duration = Duration::from_millis(5);

/// Returns all traps. The order determines the requests of a seed, so new traps are appended.
#[must_use]
pub fn traps() -> Vec<Trap> {
    [target::TRAPS, head::TRAPS, framing::TRAPS].concat()
}

/// Generates requests.
#[derive(Clone, Debug)]
pub struct Generator {
    seed: u64,
    base: Base,
    traps: Vec<Trap>,
}

impl Generator {
    /// Creates a generator of variations of `base`.
    #[must_use]
    pub fn new(seed: u64, base: Base) -> Self {
        Self { seed, base, traps: traps() }
    }

    /// Returns the valid request without any trap.
    #[must_use]
    pub fn baseline(&self) -> Message {
        Parts::new(&self.base).message()
    }

    /// Generates request `number`. With n traps, every block of n requests contains each trap once, in random order, so that no
    /// trap is missing for long; one request in four has one or two additional traps.
    #[must_use]
    pub fn request(&self, number: u64) -> Generated {
        let count = self.traps.len();
        let mut order: Vec<usize> = (0..count).collect();
        let mut shuffle = Rng::new(self.seed, number / count as u64, TRAP_ORDER);
        for last in (1..count).rev() {
            order.swap(last, shuffle.below(last + 1));
        }
        let mut rng = Rng::new(self.seed, number, TRAP_CONTENT);
        let mut chosen = vec![order[(number % count as u64) as usize]];
        if rng.once_in(4) {
            for _ in 0..rng.between(1, 2) {
                let other = rng.below(count);
                if !chosen.contains(&other) {
                    chosen.push(other);
                }
            }
        }
        // In the order of the table: traps of the framing come last and see the final body.
        chosen.sort_unstable();
        let mut parts = Parts::new(&self.base);
        for index in &chosen {
            (self.traps[*index].apply)(&mut rng, &mut parts, self.base.longest.max(16));
        }
        let traps = chosen.iter().map(|index| self.traps[*index].name).collect();
        Generated { message: parts.message(), traps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::completeness::requires_response;

    fn generator(seed: u64) -> Generator {
        let base = Base {
            authority: "a.test".to_owned(),
            target: "/x?y=1".to_owned(),
            longest: 65_536,
            fields: vec!["X-Key: 1".to_owned()],
        };
        Generator::new(seed, base)
    }

    #[test]
    fn the_same_seed_generates_the_same_requests() {
        let (a, b, other) = (generator(5), generator(5), generator(6));
        for number in [0, 1, 77, 1_000_000] {
            assert_eq!(a.request(number).message, b.request(number).message);
            assert_ne!(a.request(number).message, other.request(number).message, "{number}");
        }
    }

    #[test]
    fn the_baseline_request_is_valid() {
        let text = String::from_utf8(generator(1).baseline().bytes()).unwrap();
        assert_eq!(text, "GET /x?y=1 HTTP/1.1\r\nHost: a.test\r\nAccept: */*\r\nX-Key: 1\r\n\r\n");
    }

    #[test]
    fn every_block_contains_every_trap() {
        let generator = generator(9);
        let count = generator.traps.len();
        for block in 0..3 {
            let mut seen: Vec<&str> =
                (0..count).flat_map(|k| generator.request((block * count + k) as u64).traps).collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), count);
        }
        let mut names: Vec<&str> = generator.traps.iter().map(|trap| trap.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "names are unique");
    }

    #[test]
    fn requests_have_bounded_size_and_most_require_a_response() {
        let generator = generator(2);
        let made: Vec<Generated> = (0..3_000).map(|number| generator.request(number)).collect();
        let required = made.iter().filter(|made| requires_response(&made.message.bytes())).count();
        assert!((2_000..2_950).contains(&required), "{required} of 3000");
        let largest = made.iter().map(|made| made.message.size_bytes()).max().unwrap();
        assert!((65_536..1_000_000).contains(&largest), "{largest}");
        assert!(made.iter().all(|made| made.message.pauses() < Duration::from_millis(200)));
    }
}
