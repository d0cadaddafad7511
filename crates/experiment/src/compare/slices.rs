//! How runs are cut up for a comparison.

use super::{FEWEST_BLOCKS, Portion};
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_measure::Run;

/// A slice is at least this long.
pub const SLICE_MIN: Duration = Duration::from_millis(100);
/// Blocks that a finished run is cut into (Schmeiser, 1982: 10 to 30).
const BLOCKS: usize = 20;
/// The warm-up is this part of a slice, if the user did not choose one.
const WARMUP_PART: u32 = 5;

/// Slices of a live comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slicing {
    /// Length of a slice.
    pub slice: Duration,
    /// Beginning of each slice that is left out.
    pub warmup: Duration,
    /// Number of slices, a multiple of four.
    pub slices: usize,
}

/// Why a comparison cannot be cut into slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlicingError {
    /// A slice is shorter than [`SLICE_MIN`].
    Slice,
    /// All slices together are too short; this is the least.
    Total(Duration),
    /// The warm-up leaves nothing of a slice.
    Warmup,
}

impl Slicing {
    /// Cuts `total` into slices. Without a warm-up, a fifth of each is left out.
    ///
    /// # Errors
    /// When a length is too short for the others.
    pub fn new(total: Duration, slice: Duration, warmup: Duration) -> Result<Self, SlicingError> {
        if slice < SLICE_MIN {
            return Err(SlicingError::Slice);
        }
        let slices = (total.as_secs_f64() / slice.as_secs_f64()).round() as usize / 4 * 4;
        if slices < 4 * FEWEST_BLOCKS {
            return Err(SlicingError::Total(slice * 4 * FEWEST_BLOCKS as u32));
        }
        let warmup = if warmup.is_zero() { slice / WARMUP_PART } else { warmup };
        if warmup >= slice {
            return Err(SlicingError::Warmup);
        }
        Ok(Self { slice, warmup, slices })
    }

    /// What a slice counted after its warm-up.
    #[must_use]
    pub fn portion(&self, run: &Run) -> Portion {
        let window = run.timeline.window(Timestamp::ZERO + self.warmup, Timestamp::ZERO + self.slice);
        Portion::of(&window.tally, window.to.since(window.from).as_secs_f64())
    }

    /// The median latency of a portion whose calls are too long for these slices, in nanoseconds. A call that takes as long as a
    /// slice is seen only in part.
    #[must_use]
    pub fn too_slow(&self, portions: &[Portion]) -> Option<u64> {
        let limit_ns = self.slice.as_nanos() as f64 / 4.0;
        let slowest = portions.iter().filter_map(|portion| portion.latency.quantile(0.5)).max();
        slowest.filter(|median| *median as f64 > limit_ns)
    }
}

/// The measured window of a finished run in blocks of equal length.
#[must_use]
pub fn blocks(run: &Run) -> Vec<Portion> {
    let end = run.nominal.map_or(Timestamp::NEVER, |nominal| Timestamp::ZERO + nominal);
    let start = Timestamp::ZERO + run.warmup;
    let intervals: Vec<Portion> = run
        .timeline
        .intervals()
        .filter(|interval| interval.start >= start && interval.end <= end)
        .map(|interval| Portion::of(&interval.tally, interval.length().as_secs_f64()))
        .collect();
    let each = (intervals.len() / BLOCKS).max(1);
    intervals.chunks_exact(each).filter_map(Portion::sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_measure::Tally;

    const fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    #[test]
    fn slices_are_whole_turns_of_four() {
        let slicing = Slicing::new(seconds(123), seconds(1), Duration::ZERO).unwrap();
        assert_eq!((slicing.slices, slicing.warmup), (120, Duration::from_millis(200)));
        let rows = [
            (120, Duration::from_millis(99), Duration::ZERO, SlicingError::Slice),
            (3, seconds(1), Duration::ZERO, SlicingError::Total(seconds(4 * FEWEST_BLOCKS as u64))),
            (120, seconds(1), seconds(1), SlicingError::Warmup),
        ];
        for (total, slice, warmup, expected) in rows {
            assert_eq!(Slicing::new(seconds(total), slice, warmup), Err(expected));
        }
    }

    #[test]
    fn blocks_are_of_equal_length_and_leave_out_the_warm_up() {
        let mut run = Run::new(seconds(1));
        for number in 0..45 {
            let mut tally = Tally::new();
            tally.planned(number);
            run.timeline.add(number, &tally);
        }
        run.warmup = seconds(3);
        run.nominal = Some(seconds(44));
        let blocks = blocks(&run);
        assert_eq!(blocks.len(), 20);
        assert!(blocks.iter().all(|block| (block.seconds - 2.0).abs() < 1e-9), "{blocks:?}");
    }

    #[test]
    fn calls_as_long_as_a_quarter_of_a_slice_are_too_slow() {
        let slicing = Slicing::new(seconds(120), seconds(1), Duration::ZERO).unwrap();
        let mut portion = Portion::of(&Tally::new(), 1.0);
        portion.latency.record(200_000_000);
        assert_eq!(slicing.too_slow(&[portion.clone()]), None);
        portion.latency.clear();
        portion.latency.record(400_000_000);
        assert!(slicing.too_slow(&[portion]).is_some());
    }
}
