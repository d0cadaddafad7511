//! The figures of blocks drawn with replacement, without adding up histograms for each draw.

use super::{Figure, Portion};
use crate::Chance;

/// How often each block is taken.
#[derive(Clone, Debug)]
pub(super) struct Draw(Vec<u32>);

impl Draw {
    /// Each once.
    pub(super) fn whole(blocks: usize) -> Self {
        Self(vec![1; blocks])
    }

    /// As many as there are, with replacement.
    pub(super) fn random(blocks: usize, chance: &mut Chance) -> Self {
        let mut times = vec![0; blocks];
        (0..blocks).for_each(|_| times[chance.below(blocks)] += 1);
        Self(times)
    }

    fn sum(&self, of: impl Fn(usize) -> f64) -> f64 {
        self.0.iter().enumerate().map(|(block, &times)| f64::from(times) * of(block)).sum()
    }
}

/// The blocks of one side, with their latencies counted up to every value that came.
pub(super) struct Blocks {
    seconds: Vec<f64>,
    completed: Vec<f64>,
    errors: Vec<f64>,
    finished: Vec<f64>,
    /// Values that came, rising.
    values: Vec<f64>,
    /// By value and block: how many latencies are not above the value.
    up_to: Vec<f64>,
}

impl Blocks {
    pub(super) fn new(portions: &[Portion]) -> Self {
        let column = |of: fn(&Portion) -> f64| portions.iter().map(of).collect();
        let mut values: Vec<u64> =
            portions.iter().flat_map(|portion| portion.latency.bins().map(|(first, ..)| first)).collect();
        values.sort_unstable();
        values.dedup();
        let blocks = portions.len();
        let mut up_to = vec![0.0; values.len() * blocks];
        let mut middles: Vec<f64> = vec![0.0; values.len()];
        for (block, portion) in portions.iter().enumerate() {
            for (first, last, count) in portion.latency.bins() {
                let place = values.binary_search(&first).unwrap_or(0);
                up_to[place * blocks + block] = count as f64;
                middles[place] = first as f64 + (last - first) as f64 / 2.0;
            }
        }
        for at in blocks..up_to.len() {
            up_to[at] += up_to[at - blocks];
        }
        Self {
            seconds: column(|portion| portion.seconds),
            completed: column(|portion| portion.completed as f64),
            errors: column(|portion| portion.errors as f64),
            finished: column(|portion| portion.finished as f64),
            values: middles,
            up_to,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.seconds.len()
    }

    /// A figure of the blocks drawn; none where there is nothing to divide by.
    pub(super) fn figure(&self, figure: Figure, draw: &Draw) -> Option<f64> {
        let ratio = |above: &[f64], below: &[f64]| {
            let below = draw.sum(|block| below[block]);
            (below > 0.0).then(|| draw.sum(|block| above[block]) / below)
        };
        match (figure, figure.quantile()) {
            (_, Some(quantile)) => self.quantile(quantile, draw),
            (Figure::Errors, _) => ratio(&self.errors, &self.finished),
            _ => ratio(&self.completed, &self.seconds),
        }
    }

    /// The smallest value that at least this share of all latencies drawn do not exceed.
    fn quantile(&self, quantile: f64, draw: &Draw) -> Option<f64> {
        let blocks = self.len();
        let up_to = |place: usize| draw.sum(|block| self.up_to[place * blocks + block]);
        let last = self.values.len().checked_sub(1)?;
        let rank = (quantile * up_to(last)).ceil().max(1.0);
        let (mut low, mut high) = (0, last);
        while low < high {
            let middle = (low + high) / 2;
            if up_to(middle) >= rank { high = middle } else { low = middle + 1 }
        }
        (up_to(low) >= rank).then(|| self.values[low])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_measure::{Digits, Histogram};

    fn portion(latencies: &[u64]) -> Portion {
        let mut latency = Histogram::new(Digits::Three);
        latencies.iter().for_each(|value| latency.record(*value));
        let calls = latencies.len() as u64;
        Portion { seconds: 2.0, completed: calls, errors: 1, finished: calls + 1, latency }
    }

    #[test]
    fn the_figures_of_a_draw_are_those_of_the_blocks_added_up() {
        let portions = [portion(&[1, 5, 9]), portion(&[2, 2, 300]), portion(&[7])];
        let blocks = Blocks::new(&portions);
        let twice_the_first = Draw(vec![2, 0, 1]);
        let mut sum = portions[0].clone();
        sum.add(&portions[0]);
        sum.add(&portions[2]);
        for quantile in [0.1, 0.5, 0.9, 0.99, 1.0] {
            let expected = sum.latency.quantile(quantile).map(|value| value as f64);
            assert_eq!(blocks.quantile(quantile, &twice_the_first), expected, "{quantile}");
        }
        assert_eq!(blocks.figure(Figure::Rate, &twice_the_first), Some(7.0 / 6.0));
        assert_eq!(blocks.figure(Figure::Errors, &twice_the_first), Some(0.3));
    }

    #[test]
    fn blocks_without_calls_have_no_quantile() {
        assert_eq!(Blocks::new(&[portion(&[])]).figure(Figure::P50, &Draw::whole(1)), None);
        let one_of_two = Blocks::new(&[portion(&[]), portion(&[5])]);
        assert_eq!(one_of_two.figure(Figure::P50, &Draw(vec![2, 0])), None);
    }
}
