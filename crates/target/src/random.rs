//! One random stream per request and purpose.
//!
//! The behavior for request 17 depends only on the seed and the number 17, not on the thread that serves it or on other options.

use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};

/// A random number generator.
pub(crate) type Stream = Xoshiro256PlusPlus;

/// The purpose of a stream. Each purpose has its own stream, so that an additional option does not change the others.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Delay = 1,
    BodyDelay,
    Fault,
    Status,
    Service,
    Connection,
}

/// Returns the stream of `purpose` for request (or connection, for [`Purpose::Connection`]) `number`.
pub(crate) fn stream(seed: u64, number: u64, purpose: Purpose) -> Stream {
    // `seed_from_u64` mixes its argument well; the odd constants only separate the three numbers.
    let mixed = seed
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(number.wrapping_mul(0xd134_2543_de82_ef95))
        .wrapping_add((purpose as u64).wrapping_mul(0xa076_1d64_78bd_642f));
    Stream::seed_from_u64(mixed)
}

/// Draws a number in [0, 1).
pub(crate) fn unit(stream: &mut Stream) -> f64 {
    stream.random()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_on_seed_number_and_purpose_only() {
        let first = |seed, number, purpose| unit(&mut stream(seed, number, purpose));
        assert_eq!(first(1, 2, Purpose::Delay), first(1, 2, Purpose::Delay));
        assert_ne!(first(1, 2, Purpose::Delay), first(1, 3, Purpose::Delay));
        assert_ne!(first(1, 2, Purpose::Delay), first(2, 2, Purpose::Delay));
        assert_ne!(first(1, 2, Purpose::Delay), first(1, 2, Purpose::Fault));
    }
}
