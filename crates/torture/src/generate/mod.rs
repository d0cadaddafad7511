//! Request `k` of a seed: a sound request with one trap in it, or a few.

mod framing;
mod head;
mod target;

use crate::chance::Chance;
use std::time::Duration;
use warwolf_exchange::{Message, Step};
use warwolf_workload::seed::Purpose;

/// What requests are made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// Host and port, as `Host` has it.
    pub authority: String,
    /// Path and query of the address that was given.
    pub target: String,
    /// The longest thing put into a request, in bytes; at least 16.
    pub longest: usize,
    /// Header lines that go into every request, without their ends: cookies, credentials.
    pub fields: Vec<String>,
}

/// A trap, by the name that findings show.
#[derive(Clone, Copy)]
pub struct Trap {
    /// The name.
    pub name: &'static str,
    spring: fn(&mut Chance, &mut Parts, usize),
}

impl std::fmt::Debug for Trap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A request that was made.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Its bytes.
    pub message: Message,
    /// The names of its traps.
    pub traps: Vec<&'static str>,
}

/// A request in parts, which traps change.
#[derive(Clone, Debug)]
struct Parts {
    /// What comes before the request line.
    before: Vec<u8>,
    method: Vec<u8>,
    target: Vec<u8>,
    version: Vec<u8>,
    /// Header lines without their ends.
    fields: Vec<Vec<u8>>,
    /// What ends lines of the head.
    line_end: Vec<u8>,
    body: Vec<u8>,
    authority: String,
    /// Only so much of it is sent, of 1,000.
    share: usize,
    /// It is sent in so many pieces with a pause between.
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

    /// Adds a header line somewhere behind the first.
    fn add(&mut self, chance: &mut Chance, line: Vec<u8>) {
        let at = chance.between(1.min(self.fields.len()), self.fields.len());
        self.fields.insert(at, line);
    }

    /// Makes it a request with this body; its length is not announced.
    fn carry(&mut self, body: Vec<u8>) {
        if self.method == b"GET" {
            self.method = b"POST".to_vec();
        }
        self.body = body;
    }

    /// The path, without a query.
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

/// Between the pieces of a slow request.
const PAUSE: Duration = Duration::from_millis(5);

/// All traps, in an order that is part of what a seed means: new ones go to the end.
#[must_use]
pub fn traps() -> Vec<Trap> {
    [target::TRAPS, head::TRAPS, framing::TRAPS].concat()
}

/// Makes requests.
#[derive(Clone, Debug)]
pub struct Generator {
    seed: u64,
    base: Base,
    traps: Vec<Trap>,
}

impl Generator {
    /// What `seed` makes of `base`.
    #[must_use]
    pub fn new(seed: u64, base: Base) -> Self {
        Self { seed, base, traps: traps() }
    }

    /// The request that everything else is a variation of: no trap in it.
    #[must_use]
    pub fn sound(&self) -> Message {
        Parts::new(&self.base).message()
    }

    /// Request `number`. Every block of as many requests as there are traps has each trap once, in an order of its own,
    /// so that none has to wait long for its turn; one request in four has one or two more.
    #[must_use]
    pub fn request(&self, number: u64) -> Generated {
        let count = self.traps.len();
        let mut order: Vec<usize> = (0..count).collect();
        let mut shuffle = Chance::new(self.seed, number / count as u64, Purpose::TrapOrder);
        for last in (1..count).rev() {
            order.swap(last, shuffle.below(last + 1));
        }
        let mut chance = Chance::new(self.seed, number, Purpose::TrapContent);
        let mut chosen = vec![order[(number % count as u64) as usize]];
        if chance.once_in(4) {
            for _ in 0..chance.between(1, 2) {
                let other = chance.below(count);
                if !chosen.contains(&other) {
                    chosen.push(other);
                }
            }
        }
        // In the order of the table: what is about framing comes last and sees the body that others made.
        chosen.sort_unstable();
        let mut parts = Parts::new(&self.base);
        for index in &chosen {
            (self.traps[*index].spring)(&mut chance, &mut parts, self.base.longest.max(16));
        }
        let traps = chosen.iter().map(|index| self.traps[*index].name).collect();
        Generated { message: parts.message(), traps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sense::owes_reply;

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
    fn the_same_seed_makes_the_same_requests() {
        let (a, b, other) = (generator(5), generator(5), generator(6));
        for number in [0, 1, 77, 1_000_000] {
            assert_eq!(a.request(number).message, b.request(number).message);
            assert_ne!(a.request(number).message, other.request(number).message, "{number}");
        }
    }

    #[test]
    fn the_sound_request_is_sound() {
        let text = String::from_utf8(generator(1).sound().bytes()).unwrap();
        assert_eq!(text, "GET /x?y=1 HTTP/1.1\r\nHost: a.test\r\nAccept: */*\r\nX-Key: 1\r\n\r\n");
    }

    #[test]
    fn every_trap_has_a_turn_in_every_block() {
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
        assert_eq!(names.len(), count, "names are different");
    }

    #[test]
    fn requests_keep_within_bounds_and_most_are_owed_an_answer() {
        let generator = generator(2);
        let made: Vec<Generated> = (0..3_000).map(|number| generator.request(number)).collect();
        let owed = made.iter().filter(|made| owes_reply(&made.message.bytes())).count();
        assert!((2_000..2_950).contains(&owed), "{owed} of 3000");
        let largest = made.iter().map(|made| made.message.size_bytes()).max().unwrap();
        assert!((65_536..1_000_000).contains(&largest), "{largest}");
        assert!(made.iter().all(|made| made.message.pauses() < Duration::from_millis(200)));
    }
}
