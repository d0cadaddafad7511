//! Adds up the counts of several sources in the same run: the threads of a process, or machines.

use crate::{Interval, Tally, Timeline};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
use warwolf_clock::Timestamp;

/// What one source counted in one interval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntervalBatch {
    /// Number of the source, from zero.
    pub source: u32,
    /// Number of the interval: the one that ends at `(number + 1) * length`.
    pub number: u64,
    /// What was counted.
    pub tally: Box<Tally>,
    /// Whether the source sends nothing after this.
    pub last: bool,
}

/// Adds up the interval batches of a fixed number of sources.
///
/// Each pair of source and number counts once: a batch that arrives again is ignored. Batches may arrive in any order and
/// a source may leave out numbers, but an interval is complete once every source has sent a batch of a later one.
#[derive(Debug)]
pub struct Aggregator {
    timeline: Timeline,
    length_ns: u64,
    sources: Vec<Source>,
    /// Intervals to which some source may still add.
    open: BTreeMap<u64, Tally>,
    /// Empty tallies that keep their memory.
    spare: Vec<Tally>,
}

/// What was received from one source.
#[derive(Clone, Debug, Default)]
struct Source {
    received: Numbers,
    is_over: bool,
}

impl Source {
    /// Returns the first interval that the source is expected to add to.
    fn frontier(&self) -> u64 {
        if self.is_over { u64::MAX } else { self.received.end() }
    }
}

impl Aggregator {
    /// Creates an aggregator for intervals of this length.
    #[must_use]
    pub fn new(interval: Duration, sources: usize) -> Self {
        Self {
            timeline: Timeline::new(interval),
            length_ns: u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX),
            sources: vec![Source::default(); sources],
            open: BTreeMap::new(),
            spare: Vec::new(),
        }
    }

    /// Adds a batch. Returns false, and changes nothing, if it was added before or its source does not exist.
    pub fn add(&mut self, batch: &IntervalBatch) -> bool {
        let closed = self.frontier();
        let Some(source) = self.sources.get_mut(batch.source as usize) else { return false };
        if !source.received.insert(batch.number) {
            return false;
        }
        source.is_over |= batch.last;
        if batch.number < closed {
            // Its interval was complete and has been passed on.
            self.timeline.add(batch.number, &batch.tally);
        } else {
            let spare = &mut self.spare;
            let interval = self.open.entry(batch.number).or_insert_with(|| spare.pop().unwrap_or_default());
            interval.merge(&batch.tally);
        }
        true
    }

    /// Calls `watch` with each interval that has become complete, in order.
    pub fn complete(&mut self, watch: &mut dyn FnMut(&Interval)) {
        let frontier = self.frontier();
        while let Some(entry) = self.open.first_entry().filter(|entry| *entry.key() < frontier) {
            let (number, tally) = entry.remove_entry();
            let start = Timestamp::from_nanos(self.length_ns.saturating_mul(number));
            let end = Timestamp::from_nanos(self.length_ns.saturating_mul(number + 1));
            let mut interval = Interval { number, start, end, tally };
            watch(&interval);
            self.timeline.push(&interval);
            interval.tally.reset();
            self.spare.push(interval.tally);
        }
    }

    /// Completes the open intervals, even if batches are missing, and returns the timeline of a run that ended at `end`.
    #[must_use]
    pub fn finish(mut self, end: Timestamp, watch: &mut dyn FnMut(&Interval)) -> Timeline {
        self.sources.iter_mut().for_each(|source| source.is_over = true);
        self.complete(watch);
        self.timeline.finish(end);
        self.timeline
    }

    /// Returns the first interval that is not complete.
    fn frontier(&self) -> u64 {
        self.sources.iter().map(Source::frontier).min().unwrap_or(u64::MAX)
    }
}

/// A set of numbers as sorted, separate ranges; the numbers of one source are nearly always one range.
#[derive(Clone, Debug, Default)]
struct Numbers(Vec<std::ops::Range<u64>>);

impl Numbers {
    /// Adds a number. Returns false if it was already there.
    fn insert(&mut self, number: u64) -> bool {
        let Self(ranges) = self;
        // The first range that ends after the number.
        let at = ranges.partition_point(|range| range.end <= number);
        if ranges.get(at).is_some_and(|range| range.contains(&number)) {
            return false;
        }
        let extends_left = at > 0 && ranges[at - 1].end == number;
        let extends_right = ranges.get(at).is_some_and(|range| range.start == number + 1);
        match (extends_left, extends_right) {
            (true, true) => ranges[at - 1].end = ranges.remove(at).end,
            (true, false) => ranges[at - 1].end = number + 1,
            (false, true) => ranges[at].start = number,
            (false, false) => ranges.insert(at, number..number + 1),
        }
        true
    }

    /// Returns the number after the greatest; zero if the set is empty.
    fn end(&self) -> u64 {
        self.0.last().map_or(0, |range| range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const SECOND: Duration = Duration::from_secs(1);

    fn batch(source: u32, number: u64) -> IntervalBatch {
        let mut tally = Box::new(Tally::new());
        tally.planned(1 + u64::from(source) + 10 * number);
        tally.unstarted(1 + u64::from(source) + 10 * number);
        tally.in_flight(3 + number % 5);
        IntervalBatch { source, number, tally, last: false }
    }

    fn end(seconds: u64) -> Timestamp {
        Timestamp::ZERO + SECOND * seconds as u32
    }

    fn counted(timeline: &Timeline) -> Vec<Tally> {
        timeline.intervals().map(|interval| interval.tally).collect()
    }

    #[test]
    fn an_interval_is_complete_when_every_source_is_past_it() {
        let mut aggregator = Aggregator::new(SECOND, 2);
        let mut seen = Vec::new();
        for (source, number, complete) in
            [(0, 0, &[][..]), (0, 1, &[]), (1, 0, &[(0, 3)]), (1, 2, &[(1, 11)]), (0, 3, &[(2, 22)])]
        {
            assert!(aggregator.add(&batch(source, number)));
            seen.clear();
            aggregator.complete(&mut |interval| {
                seen.push((interval.number, interval.tally.counters().planned));
            });
            assert_eq!(seen, complete, "source {source}, interval {number}");
        }
        seen.clear();
        let timeline = aggregator
            .finish(end(4), &mut |interval| seen.push((interval.number, interval.tally.counters().planned)));
        assert_eq!(seen, [(3, 31)]);
        assert_eq!(timeline.whole().tally.counters().planned, 67);
        assert_eq!(timeline.end(), end(4));
    }

    #[test]
    fn a_source_that_is_over_delays_no_interval() {
        let mut aggregator = Aggregator::new(SECOND, 2);
        assert!(aggregator.add(&IntervalBatch { last: true, ..batch(0, 0) }));
        assert!(aggregator.add(&batch(1, 7)));
        let mut seen = Vec::new();
        aggregator.complete(&mut |interval| seen.push(interval.number));
        assert_eq!(seen, [0, 7]);
    }

    #[test]
    fn a_batch_of_an_unknown_source_is_refused() {
        assert!(!Aggregator::new(SECOND, 2).add(&batch(2, 0)));
    }

    #[test]
    fn a_batch_reads_back() {
        let batch = batch(3, 17);
        let bytes = rmp_serde::to_vec_named(&batch).unwrap();
        assert_eq!(rmp_serde::from_slice::<IntervalBatch>(&bytes).unwrap(), batch);
    }

    proptest! {
        #[test]
        fn numbers_are_a_set(numbers in prop::collection::vec(0..40_u64, 0..80)) {
            let (mut ours, mut theirs) = (Numbers::default(), BTreeSet::new());
            for number in numbers {
                prop_assert_eq!(ours.insert(number), theirs.insert(number), "{} into {:?}", number, ours);
            }
            prop_assert_eq!(ours.0.iter().cloned().flatten().collect::<Vec<_>>(), theirs.iter().copied().collect::<Vec<_>>());
            prop_assert!(ours.0.windows(2).all(|pair| pair[0].end < pair[1].start), "{:?}", ours);
            prop_assert_eq!(ours.end(), theirs.last().map_or(0, |last| last + 1));
        }

        #[test]
        fn neither_order_nor_duplicates_change_the_sum(
            order in Just((0..3).flat_map(|source| (0..12).map(move |number| (source, number))).collect::<Vec<_>>())
                .prop_shuffle(),
            again in prop::collection::vec(0..36_usize, 0..20),
            is_read in prop::collection::vec(any::<bool>(), 56),
        ) {
            let mut expected = Aggregator::new(SECOND, 3);
            for number in 0..12 {
                (0..3).for_each(|source| assert!(expected.add(&batch(source, number))));
            }
            let expected = expected.finish(end(12), &mut |_| ());

            let mut aggregator = Aggregator::new(SECOND, 3);
            let repeated = again.iter().map(|place| &order[*place]);
            let mut sent = BTreeSet::new();
            for ((source, number), is_read) in order.iter().take(20).chain(repeated).chain(&order).zip(is_read) {
                let is_new = sent.insert((*source, *number));
                prop_assert_eq!(aggregator.add(&batch(*source, *number)), is_new);
                if is_read {
                    aggregator.complete(&mut |_| ());
                }
            }
            for (source, number) in &order {
                aggregator.add(&batch(*source, *number));
            }
            prop_assert_eq!(counted(&aggregator.finish(end(12), &mut |_| ())), counted(&expected));
        }
    }
}
