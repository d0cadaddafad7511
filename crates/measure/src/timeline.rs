//! Tallies by interval, in memory that does not grow with the length of the run.
//!
//! Intervals are kept packed. When there are more than [`Timeline::MAX_ENTRIES`], neighbours are added up in pairs and
//! every entry covers twice the time.

use crate::Tally;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_bytes::ByteBuf;
use std::collections::VecDeque;
use std::time::Duration;
use warwolf_clock::Timestamp;

/// What all workers counted between two instants.
#[derive(Clone, Debug)]
pub struct Interval {
    /// Which, from zero.
    pub number: u64,
    /// Where it begins.
    pub start: Timestamp,
    /// Where it ends; the last one of a run may be shorter than the others.
    pub end: Timestamp,
    /// What was counted.
    pub tally: Tally,
}

impl Interval {
    /// How long it is.
    #[must_use]
    pub fn length(&self) -> Duration {
        self.end.since(self.start)
    }
}

/// The sum of the intervals between two instants, with the instants that were truly used.
#[derive(Clone, Debug)]
pub struct Window {
    /// Start of the first interval that counts.
    pub from: Timestamp,
    /// End of the last interval that counts.
    pub to: Timestamp,
    /// Their sum.
    pub tally: Tally,
}

/// Tallies by interval.
#[derive(Clone, Debug)]
pub struct Timeline {
    interval_ns: u64,
    /// Intervals in one entry: a power of two.
    span: u64,
    end_ns: u64,
    entries: Vec<ByteBuf>,
    /// The latest intervals, to which other workers usually still add.
    open: VecDeque<(u64, Tally)>,
    /// Intervals below this number are in `entries`.
    folded: u64,
}

impl Timeline {
    /// Entries, at most. A run of 17 minutes is kept by seconds, one of a day by two minutes.
    pub const MAX_ENTRIES: usize = 1_024;
    /// Intervals that are kept unpacked.
    const OPEN: usize = 3;

    /// A timeline of intervals of this length, which must not be zero.
    #[must_use]
    pub fn new(interval: Duration) -> Self {
        let interval_ns = u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX);
        assert!(interval_ns > 0, "an interval has a length");
        Self { interval_ns, span: 1, end_ns: 0, entries: Vec::new(), open: VecDeque::new(), folded: 0 }
    }

    /// Adds what a worker counted in interval `number`. Batches may arrive in any order; several of the same interval
    /// are taken to be from different workers.
    pub fn add(&mut self, number: u64, tally: &Tally) {
        self.end_ns = self.end_ns.max((number + 1).saturating_mul(self.interval_ns));
        if number < self.folded {
            return self.fold(number, tally);
        }
        let found = self.open.binary_search_by_key(&number, |open| open.0);
        let place = found.unwrap_or_else(|place| {
            // Not a clone of `tally`, which would take along the memory that a worker keeps for all it could count.
            self.open.insert(place, (number, Tally::new()));
            place
        });
        self.open[place].1.merge(tally);
        while self.open.len() > Self::OPEN
            && let Some((first, tally)) = self.open.pop_front()
        {
            self.folded = first + 1;
            self.fold(first, &tally);
        }
    }

    /// Adds a whole interval.
    pub fn push(&mut self, interval: &Interval) {
        self.add(interval.number, &interval.tally);
        let starts = interval.number.saturating_mul(self.interval_ns);
        if self.end_ns == starts.saturating_add(self.interval_ns) && interval.end.as_nanos() > starts {
            self.end_ns = interval.end.as_nanos().min(self.end_ns);
        }
    }

    /// Sets when the run ended, within or after the last interval.
    pub fn finish(&mut self, end: Timestamp) {
        let last = self.entry_count().saturating_sub(1) as u64 * self.span * self.interval_ns;
        if end.as_nanos() > last {
            self.end_ns = end.as_nanos();
        }
    }

    /// Adds the timeline of another shard of the same plan, which ran at the same time.
    ///
    /// # Panics
    /// When the intervals have different lengths.
    pub fn merge(&mut self, other: &Self) {
        assert!(self.interval_ns == other.interval_ns, "timelines of different intervals cannot be added up");
        let end = self.end_ns.max(other.end_ns);
        self.close();
        let mut other = other.clone();
        other.close();
        while self.span < other.span {
            self.coarsen();
        }
        while other.span < self.span {
            other.coarsen();
        }
        self.entries.resize_with(self.entries.len().max(other.entries.len()), ByteBuf::new);
        for (entry, packed) in self.entries.iter_mut().zip(&other.entries) {
            match (unpack(entry), unpack(packed)) {
                (Some(mut sum), Some(tally)) => {
                    sum.merge(&tally);
                    *entry = pack(&sum);
                }
                (None, Some(_)) => *entry = packed.clone(),
                (_, None) => {}
            }
        }
        self.end_ns = end;
    }

    /// Length of an entry as it is now.
    #[must_use]
    pub const fn interval(&self) -> Duration {
        Duration::from_nanos(self.interval_ns * self.span)
    }

    /// Length of an interval as the engine counted them.
    #[must_use]
    pub const fn recorded_interval(&self) -> Duration {
        Duration::from_nanos(self.interval_ns)
    }

    /// When the run ended.
    #[must_use]
    pub const fn end(&self) -> Timestamp {
        Timestamp::from_nanos(self.end_ns)
    }

    /// Whether nothing was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entry_count() == 0
    }

    /// The intervals in order, each of length [`Timeline::interval`]; one in which nothing was counted is there, empty.
    pub fn intervals(&self) -> impl Iterator<Item = Interval> {
        let length = self.interval_ns * self.span;
        (0..self.entry_count()).map(move |place| {
            let number = place as u64;
            let start = number * length;
            Interval {
                number,
                start: Timestamp::from_nanos(start),
                end: Timestamp::from_nanos((start + length).min(self.end_ns).max(start)),
                tally: self.entry(place),
            }
        })
    }

    /// The sum of the whole intervals between two instants. The window begins at the first boundary that is not before
    /// `from`, so nothing from before `from` is in it, and ends at the last that is not after `to`; the end of the run
    /// is a boundary.
    #[must_use]
    pub fn window(&self, from: Timestamp, to: Timestamp) -> Window {
        let [window] = self.windows([(from, to)]);
        window
    }

    /// Several windows, as [`Timeline::window`] defines them, for which every interval is unpacked once.
    #[must_use]
    pub fn windows<const N: usize>(&self, bounds: [(Timestamp, Timestamp); N]) -> [Window; N] {
        let mut windows = bounds.map(|(from, _)| Window { from, to: from, tally: Tally::new() });
        for interval in self.intervals() {
            for (window, (from, to)) in windows.iter_mut().zip(bounds) {
                if interval.start < from || interval.end > to {
                    continue;
                }
                if window.to <= window.from {
                    window.from = interval.start;
                }
                window.to = interval.end;
                window.tally.follow(&interval.tally);
            }
        }
        windows
    }

    /// Where each of [`Timeline::intervals`] begins.
    pub fn starts(&self) -> impl Iterator<Item = Timestamp> {
        let length = self.interval_ns * self.span;
        (0..self.entry_count() as u64).map(move |number| Timestamp::from_nanos(number * length))
    }

    /// The sum of everything.
    #[must_use]
    pub fn whole(&self) -> Window {
        self.window(Timestamp::ZERO, Timestamp::NEVER)
    }

    fn entry_count(&self) -> usize {
        let open = self.open.back().map_or(0, |(number, _)| (number / self.span) as usize + 1);
        open.max(self.entries.len())
    }

    fn entry(&self, place: usize) -> Tally {
        let mut sum = self.entries.get(place).and_then(unpack).unwrap_or_default();
        let open = self.open.iter().filter(|(number, _)| number / self.span == place as u64);
        open.for_each(|(_, tally)| sum.follow(tally));
        sum
    }

    /// Adds a tally to its entry: as another source of the same interval if an entry is one interval, otherwise as another
    /// interval, since the two can no longer be distinguished.
    fn fold(&mut self, number: u64, tally: &Tally) {
        while number / self.span >= Self::MAX_ENTRIES as u64 {
            self.coarsen();
        }
        let place = (number / self.span) as usize;
        if place >= self.entries.len() {
            self.entries.resize_with(place + 1, ByteBuf::new);
        }
        let entry = &mut self.entries[place];
        *entry = match unpack(entry) {
            Some(mut sum) => {
                if self.span == 1 {
                    sum.merge(tally);
                } else {
                    sum.follow(tally);
                }
                pack(&sum)
            }
            None => pack(tally),
        };
    }

    /// Packs all that is open.
    fn close(&mut self) {
        while let Some((number, tally)) = self.open.pop_front() {
            self.folded = number + 1;
            self.fold(number, &tally);
        }
    }

    /// Adds up neighbours in pairs.
    fn coarsen(&mut self) {
        self.span *= 2;
        let pairs = std::mem::take(&mut self.entries);
        self.entries = pairs
            .chunks(2)
            .map(|pair| match pair {
                [left, right] if !right.is_empty() => {
                    let mut sum = Tally::new();
                    pair.iter().filter_map(unpack).for_each(|tally| sum.follow(&tally));
                    if left.is_empty() { right.clone() } else { pack(&sum) }
                }
                [left, ..] => left.clone(),
                [] => ByteBuf::new(),
            })
            .collect();
    }
}

/// The stored form of a timeline: all entries packed.
#[derive(Serialize, Deserialize)]
struct TimelineRecord {
    interval_ns: u64,
    span: u64,
    end_ns: u64,
    entries: Vec<ByteBuf>,
}

impl Serialize for Timeline {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut closed = self.clone();
        closed.close();
        let Self { interval_ns, span, end_ns, entries, .. } = closed;
        TimelineRecord { interval_ns, span, end_ns, entries }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Timeline {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let TimelineRecord { interval_ns, span, end_ns, entries } = TimelineRecord::deserialize(from)?;
        let entry_ns = interval_ns.checked_mul(span).filter(|ns| *ns > 0 && span.is_power_of_two());
        // Four times what can be there, so that no sum of instants overflows.
        let sizes = entry_ns.and_then(|ns| ns.checked_mul(4 * Self::MAX_ENTRIES as u64)).is_some()
            && entries.len() <= Self::MAX_ENTRIES;
        let readable = |entry: &ByteBuf| entry.is_empty() || rmp_serde::from_slice::<Tally>(entry).is_ok();
        if !sizes || !entries.iter().all(readable) {
            return Err(D::Error::custom("a timeline that cannot be"));
        }
        let folded = entries.len() as u64 * span;
        Ok(Self { interval_ns, span, end_ns, entries, open: VecDeque::new(), folded })
    }
}

fn pack(tally: &Tally) -> ByteBuf {
    ByteBuf::from(rmp_serde::to_vec_named(tally).expect("writing to memory cannot fail; please report"))
}

fn unpack(packed: &ByteBuf) -> Option<Tally> {
    (!packed.is_empty())
        .then(|| rmp_serde::from_slice(packed).expect("what was packed or checked unpacks; please report"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(count: u64) -> Timestamp {
        Timestamp::from_nanos(count * 1_000_000_000)
    }

    fn batch(calls: u64) -> Tally {
        let mut tally = Tally::new();
        tally.planned(calls);
        tally.in_flight(calls);
        tally
    }

    fn planned(timeline: &Timeline) -> Vec<u64> {
        timeline.intervals().map(|interval| interval.tally.counters().planned).collect()
    }

    #[test]
    fn batches_add_up_in_any_order_even_when_late() {
        let mut timeline = Timeline::new(Duration::from_secs(1));
        for number in [1, 0, 2, 3, 1, 6, 0, 5] {
            timeline.add(number, &batch(number + 1));
        }
        assert_eq!(planned(&timeline), [2, 4, 3, 4, 0, 6, 7]);
    }

    #[test]
    fn workers_of_the_same_interval_are_in_flight_together() {
        let mut timeline = Timeline::new(Duration::from_secs(1));
        for number in 0..5 {
            timeline.add(number, &batch(3));
            timeline.add(number, &batch(4));
        }
        assert_eq!(timeline.whole().tally.counters().max_in_flight, 7);
        assert_eq!(timeline.whole().tally.counters().planned, 35);
    }

    #[test]
    fn a_window_excludes_the_warm_up_and_says_what_it_is() {
        let mut timeline = Timeline::new(Duration::from_secs(2));
        (0..5).for_each(|number| timeline.add(number, &batch(1 << number)));
        timeline.finish(Timestamp::from_nanos(9_500_000_000));
        let window = timeline.window(seconds(4), Timestamp::NEVER);
        assert_eq!((window.from, window.to.as_nanos()), (seconds(4), 9_500_000_000));
        assert_eq!(window.tally.counters().planned, 0b11100);
        let unaligned = timeline.window(seconds(3), seconds(7));
        assert_eq!((unaligned.from, unaligned.to), (seconds(4), seconds(6)));
    }

    #[test]
    fn a_long_run_is_kept_in_as_many_entries() {
        let mut timeline = Timeline::new(Duration::from_millis(500));
        for number in 0..5_000 {
            timeline.add(number, &batch(1));
        }
        timeline.add(17, &batch(1));
        timeline.close();
        assert!(timeline.entries.len() <= Timeline::MAX_ENTRIES);
        assert_eq!(timeline.interval(), Duration::from_secs(4));
        assert_eq!(timeline.recorded_interval(), Duration::from_millis(500));
        assert_eq!(timeline.whole().tally.counters().planned, 5_001);
        assert_eq!(timeline.whole().tally.counters().max_in_flight, 1);
        assert_eq!(planned(&timeline)[..4], [8, 8, 9, 8]);
    }

    #[test]
    fn timelines_of_shards_add_up_whatever_their_lengths() {
        let (mut long, mut short) =
            (Timeline::new(Duration::from_secs(1)), Timeline::new(Duration::from_secs(1)));
        (0..2_000).for_each(|number| long.add(number, &batch(2)));
        (0..7).for_each(|number| short.add(number, &batch(3)));
        let (mut one, mut other) = (long.clone(), short.clone());
        one.merge(&short);
        other.merge(&long);
        assert_eq!(planned(&one), planned(&other));
        assert_eq!(one.whole().tally.counters().planned, 4_021);
        assert_eq!(one.whole().tally.counters().max_in_flight, 5);
        assert_eq!(one.end(), seconds(2_000));
    }

    #[test]
    fn an_empty_timeline_has_an_empty_window() {
        let timeline = Timeline::new(Duration::from_secs(1));
        assert!(timeline.is_empty());
        assert_eq!(timeline.whole().to, Timestamp::ZERO);
    }
}
