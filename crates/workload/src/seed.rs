//! The only source of randomness: numbers derived from the plan's seed, a purpose and a position.
//!
//! A random number depends on its position, not on a thread: draw `i` of stream `k` is the same for every thread and in any
//! order. A stream also costs nothing to create, so a session stores none.

/// The purpose of a stream, as a number. No two purposes of a run share one. Those of this crate are named here; other users
/// of [`Streams`] use the numbers from 6 to 1,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purpose(pub u64);

impl Purpose {
    /// Gaps between arrivals; one stream for the whole run.
    pub const ARRIVALS: Self = Self(1);
    /// Order of requests; one stream a session.
    pub const REQUESTS: Self = Self(2);
    /// Pauses of a user; one stream a session.
    pub const THINK: Self = Self(3);
    /// Client nonces of digest authentication; one stream a session.
    pub const NONCES: Self = Self(4);
    /// Data generated for calls; one stream a session, and another made from it for each call.
    pub const DATA: Self = Self(5);
    /// Scenarios, branches and repetitions; one stream a session.
    pub const CHOICES: Self = Self(1_001);
    /// Rows of data tables; one stream a table.
    pub const ROWS: Self = Self(1_002);
}

/// The streams of one purpose.
#[derive(Clone, Copy, Debug)]
pub struct Streams(u64);

impl Streams {
    /// The streams that `seed` gives for `purpose`.
    #[must_use]
    pub const fn new(seed: u64, purpose: Purpose) -> Self {
        Self(mix(mix(seed.wrapping_add(STEP)).wrapping_add(purpose.0.wrapping_mul(STEP))))
    }

    /// Stream `number`.
    #[must_use]
    pub const fn stream(self, number: u64) -> Stream {
        Stream(mix(self.0 ^ mix(number.wrapping_add(STEP))))
    }
}

/// An endless list of independent random numbers, read at any position. Eight bytes and no state.
#[derive(Clone, Copy, Debug)]
pub struct Stream(u64);

impl Stream {
    /// 64 random bits: number `position` of this stream.
    #[must_use]
    pub const fn bits(self, position: u64) -> u64 {
        mix(self.0.wrapping_add(position.wrapping_add(1).wrapping_mul(STEP)))
    }

    /// Returns a separate stream, derived from number `position` of this one.
    #[must_use]
    pub const fn branch(self, position: u64) -> Self {
        Self(self.bits(position))
    }

    /// A number above 0 and up to 1, in steps of 2^-53.
    #[must_use]
    pub fn unit(self, position: u64) -> f64 {
        ((self.bits(position) >> 11) + 1) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A whole number below `bound`, evenly (to within `bound` / 2^64); zero when `bound` is zero.
    #[must_use]
    pub const fn below(self, position: u64, bound: u64) -> u64 {
        ((self.bits(position) as u128 * bound as u128) >> 64) as u64
    }

    /// A number from the exponential distribution of mean 1. Never negative, at most about 37.
    ///
    /// The logarithm is not the platform's, whose last bit varies, so that a seed means the same everywhere.
    #[must_use]
    pub fn exponential(self, position: u64) -> f64 {
        -libm::log(self.unit(position))
    }
}

/// The odd number nearest 2^64 divided by the golden ratio: the step of SplitMix64.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014), so that
/// a [`Stream`] is that generator started at the stream's key.
const fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_splitmix64() {
        let stream = Stream(1_234_567);
        let drawn: Vec<u64> = (0..3).map(|i| stream.bits(i)).collect();
        assert_eq!(drawn, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn seeds_purposes_and_numbers_each_give_another_stream() {
        let mut first = Vec::new();
        for seed in [0, 1, u64::MAX] {
            for purpose in [Purpose::ARRIVALS, Purpose::REQUESTS, Purpose::THINK] {
                first.extend((0..50).map(|n| Streams::new(seed, purpose).stream(n).bits(0)));
            }
        }
        let drawn = first.len();
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), drawn);
    }

    #[test]
    fn draws_keep_to_their_range() {
        let stream = Streams::new(7, Purpose::THINK).stream(0);
        for i in 0..10_000 {
            assert!(stream.unit(i) > 0.0 && stream.unit(i) <= 1.0);
            assert!(stream.below(i, 7) < 7);
            assert!(stream.exponential(i) >= 0.0 && stream.exponential(i) < 37.0);
        }
        assert_eq!(stream.below(0, 0), 0);
    }
}
