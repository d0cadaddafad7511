//! Chance as torture's generators ask for it: one number after the other, from the seed's streams.

use warwolf_workload::seed::{Purpose, Stream, Streams};

/// One stream of random numbers, read from its beginning.
#[derive(Clone, Debug)]
pub(crate) struct Chance {
    stream: Stream,
    next: u64,
}

impl Chance {
    /// Stream `number` that `seed` gives for `purpose`.
    pub(crate) const fn new(seed: u64, number: u64, purpose: Purpose) -> Self {
        Self { stream: Streams::new(seed, purpose).stream(number), next: 0 }
    }

    /// The next 64 bits.
    pub(crate) const fn bits(&mut self) -> u64 {
        let bits = self.stream.bits(self.next);
        self.next += 1;
        bits
    }

    /// A whole number below `bound`; zero when `bound` is zero.
    pub(crate) const fn below(&mut self, bound: usize) -> usize {
        let number = self.stream.below(self.next, bound as u64);
        self.next += 1;
        number as usize
    }

    /// A whole number from `least` to `most`.
    pub(crate) const fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// True once in `times`.
    pub(crate) const fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    /// One byte.
    pub(crate) const fn byte(&mut self) -> u8 {
        (self.bits() >> 56) as u8
    }

    /// Bytes of any value.
    pub(crate) fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.byte()).collect()
    }

    /// Letters and digits.
    pub(crate) fn word(&mut self, length: usize) -> Vec<u8> {
        const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
        (0..length).map(|_| LETTERS[self.below(LETTERS.len())]).collect()
    }

    /// A length up to `longest` that crowds the places where buffers end: powers of two and sizes programs are known to
    /// use, and their neighbours; one in four anywhere, small ones as likely as large.
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
        // What is too long by far would all end up at the same length.
        if length > longest { longest - self.below(longest / 8 + 1) } else { length }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_each_other_in_their_stream() {
        let stream = Streams::new(1, Purpose::TrapContent).stream(2);
        let mut chance = Chance::new(1, 2, Purpose::TrapContent);
        assert_eq!([chance.bits(), chance.bits()], [stream.bits(0), stream.bits(1)]);
        assert_ne!(Chance::new(1, 2, Purpose::TrapOrder).bits(), stream.bits(0));
    }

    #[test]
    fn lengths_crowd_the_ends_of_buffers_and_keep_their_limit() {
        let mut chance = Chance::new(7, 0, Purpose::TrapContent);
        let lengths: Vec<usize> = (0..20_000).map(|_| chance.length(20_000)).collect();
        assert!(lengths.iter().all(|length| *length <= 20_000));
        for near in [255, 1_024, 4_096, 8_192] {
            let hits = lengths.iter().filter(|length| length.abs_diff(near) <= 2).count();
            assert!(hits > 400, "{near}: {hits}");
        }
        assert!(lengths.iter().any(|length| *length < 4));
    }
}
