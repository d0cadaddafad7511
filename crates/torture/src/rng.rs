//! A random number generator that reads a seeded stream sequentially.

use warwolf_workload::seed::{Purpose, Stream, Streams};

/// The order of traps; one stream for each round of them.
pub(crate) const TRAP_ORDER: Purpose = Purpose(6);
/// The content of requests; one stream each.
pub(crate) const TRAP_CONTENT: Purpose = Purpose(7);

/// A stream of random numbers, read from its beginning.
#[derive(Clone, Debug)]
pub(crate) struct Rng {
    stream: Stream,
    next: u64,
}

impl Rng {
    /// Creates stream `number` of `seed` for `purpose`.
    pub(crate) const fn new(seed: u64, number: u64, purpose: Purpose) -> Self {
        Self { stream: Streams::new(seed, purpose).stream(number), next: 0 }
    }

    /// Returns the next 64 bits.
    pub(crate) const fn bits(&mut self) -> u64 {
        let bits = self.stream.bits(self.next);
        self.next += 1;
        bits
    }

    /// Returns an integer below `bound`; zero if `bound` is zero.
    pub(crate) const fn below(&mut self, bound: usize) -> usize {
        let number = self.stream.below(self.next, bound as u64);
        self.next += 1;
        number as usize
    }

    /// Returns an integer from `least` to `most`, both included.
    pub(crate) const fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// Returns true with probability 1/`times`.
    pub(crate) const fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns one of the given items.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    /// Returns a random byte.
    pub(crate) const fn byte(&mut self) -> u8 {
        (self.bits() >> 56) as u8
    }

    /// Returns random bytes.
    pub(crate) fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.byte()).collect()
    }

    /// Returns random lower-case letters and digits.
    pub(crate) fn word(&mut self, length: usize) -> Vec<u8> {
        const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
        (0..length).map(|_| LETTERS[self.below(LETTERS.len())]).collect()
    }

    /// Returns a length up to `longest`, usually within two bytes of a typical buffer size: a power of two or another common
    /// size. One length in four is distributed evenly over all magnitudes.
    pub(crate) fn length(&mut self, longest: usize) -> usize {
        const SIZES: [usize; 10] = [100, 255, 1_000, 1_500, 2_000, 4_000, 8_000, 8_190, 10_000, 65_535];
        let length = if self.once_in(4) {
            let bits = self.between(1, longest.max(2).ilog2() as usize);
            self.below(2 << bits)
        } else {
            let size =
                if self.once_in(3) { SIZES[self.below(SIZES.len())] } else { 1 << self.between(6, 16) };
            (size + self.below(5)).saturating_sub(2)
        };
        // Lengths that are far too long are spread, so that they do not all become the same.
        if length > longest { longest - self.below(longest / 8 + 1) } else { length }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_read_in_order() {
        let stream = Streams::new(1, TRAP_CONTENT).stream(2);
        let mut rng = Rng::new(1, 2, TRAP_CONTENT);
        assert_eq!([rng.bits(), rng.bits()], [stream.bits(0), stream.bits(1)]);
        assert_ne!(Rng::new(1, 2, TRAP_ORDER).bits(), stream.bits(0));
    }

    #[test]
    fn lengths_cluster_at_buffer_sizes_and_respect_the_limit() {
        let mut rng = Rng::new(7, 0, TRAP_CONTENT);
        let lengths: Vec<usize> = (0..20_000).map(|_| rng.length(20_000)).collect();
        assert!(lengths.iter().all(|length| *length <= 20_000));
        for near in [255, 1_024, 4_096, 8_192] {
            let hits = lengths.iter().filter(|length| length.abs_diff(near) <= 2).count();
            assert!(hits > 400, "{near}: {hits}");
        }
        assert!(lengths.iter().any(|length| *length < 4));
    }
}
