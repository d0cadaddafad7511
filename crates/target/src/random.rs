//! One stream of random numbers per request and purpose.
//!
//! What happens to request 17 depends on the seed and on 17 alone: not on the thread that served it, nor on which other
//! behaviours are switched on.

use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};

/// A generator of random numbers.
pub(crate) type Stream = Xoshiro256PlusPlus;

/// What a stream is for. Each purpose has its own, so that switching one behaviour on leaves the others as they were.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Delay = 1,
    BodyDelay,
    Fault,
    Status,
    Service,
    Connection,
}

/// The stream of `purpose` for number `number` (a request, or a connection for [`Purpose::Connection`]).
pub(crate) fn stream(seed: u64, number: u64, purpose: Purpose) -> Stream {
    // `seed_from_u64` spreads its argument well; the odd constants only keep the three numbers apart.
    let mixed = seed
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(number.wrapping_mul(0xd134_2543_de82_ef95))
        .wrapping_add((purpose as u64).wrapping_mul(0xa076_1d64_78bd_642f));
    Stream::seed_from_u64(mixed)
}

/// A number in [0, 1).
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
