//! Mutated seeds: thousands in every test run, a million in `cargo xtask nightly`.
#![forbid(unsafe_code)]

use std::path::Path;

/// A small generator of random numbers (xorshift64), seeded so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Bytes that mean something in some format.
const ODD: &[u8] = b"\"\\[]{}:, \n\r\t\0%*/?#-+.0x\x7f\xc3\xff";

/// Changes a few places of `seed`: bytes are replaced, inserted and removed, pieces repeated and exchanged.
fn mutated(seed: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        let end = (at + random.below(40)).min(bytes.len());
        match random.below(6) {
            0 => bytes[at..].iter_mut().take(1).for_each(|byte| *byte = ODD[random.below(ODD.len())]),
            1 => bytes.insert(at, ODD[random.below(ODD.len())]),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
            4 => bytes.truncate(at),
            _ => bytes.splice(at..end, random.below(usize::MAX).to_string().into_bytes()).for_each(drop),
        }
        if bytes.is_empty() {
            return seed.to_vec();
        }
    }
    bytes
}

/// Calls `check` with so many mutations of the seeds of this name.
fn mutate(name: &str, count: u64, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
    let mut seeds: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| std::fs::read(entry.expect("an entry").path()).expect("a seed"))
        .collect();
    seeds.sort();
    for number in 0..count {
        let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let seed = &seeds[random.below(seeds.len())];
        let bytes = mutated(seed, &mut random);
        // Printed if the check fails.
        println!("mutation {number}: {}", bytes.escape_ascii());
        check(&bytes);
    }
}

#[test]
fn mutated_logs_are_counted_line_by_line() {
    mutate("log", 5_000, warwolf_fuzz::log);
}

#[test]
#[ignore = "a million mutations take minutes"]
fn a_million_mutated_logs_are_counted_line_by_line() {
    mutate("log", 1_000_000, warwolf_fuzz::log);
}
