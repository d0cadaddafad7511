//! The stored form of a tally: non-empty parts only, under names that do not change.
//!
//! Used for the packed intervals of a [`crate::Timeline`] and, with it, in the run file. Fields that a reader does not
//! know are skipped and fields that are missing are empty, so files outlive versions; an outcome or phase that a
//! reader does not know is refused, because leaving it out would falsify the sums.

use crate::tally::TargetTally;
use crate::{
    CheckTally, Counters, Digits, Distribution, GroupTally, Histogram, Moments, Outcome, Phase, Tally,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_bytes::ByteBuf;

/// Limit of the number of calls, above that of any run. Numbers in files stay below it, so that their sums cannot overflow.
const MOST_CALLS: u64 = 1 << 46;
/// The same limit for bytes and all other counts.
const MOST: u64 = 1 << 50;

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct TallyRecord {
    counters: Counters,
    phases: Vec<(String, DistributionRecord)>,
    outcomes: Vec<(String, u64)>,
    connection_failures: Vec<(String, u64)>,
    statuses: Vec<(u16, u64)>,
    targets: Vec<TargetRecord>,
    groups: Vec<GroupRecord>,
    /// Index, passed, failed.
    checks: Vec<(u16, u64, u64)>,
}

#[derive(Serialize, Deserialize)]
struct DistributionRecord {
    moments: Moments,
    /// Pairs of distance from the last non-empty bin and count, as variable-length integers.
    bins: ByteBuf,
}

#[derive(Serialize, Deserialize)]
struct TargetRecord {
    index: u16,
    completed: u64,
    errors: u64,
    unfinished: u64,
    body_bytes: u64,
    latency: DistributionRecord,
    #[serde(default)]
    check_failed: u64,
    #[serde(default)]
    failed: u64,
}

#[derive(Serialize, Deserialize)]
struct GroupRecord {
    index: u16,
    completed: u64,
    failed: u64,
    wall: DistributionRecord,
    requests: DistributionRecord,
}

impl From<&Distribution> for DistributionRecord {
    fn from(distribution: &Distribution) -> Self {
        let mut bins = Vec::new();
        let mut next = 0;
        for (bin, count) in distribution.histogram().filled() {
            put(&mut bins, (bin - next) as u64);
            put(&mut bins, count);
            next = bin + 1;
        }
        Self { moments: distribution.moments(), bins: ByteBuf::from(bins) }
    }
}

impl DistributionRecord {
    fn restore(&self, digits: Digits) -> Option<Distribution> {
        let bins = self.bins()?;
        if !self.moments.is_sound(MOST_CALLS) {
            return None;
        }
        let Some(ends) = self.moments.ends() else {
            return bins.is_empty().then(|| Distribution::new(digits));
        };
        let histogram = Histogram::restore(digits, ends, bins.into_iter())?;
        (histogram.count() == self.moments.count()).then(|| Distribution::from_parts(self.moments, histogram))
    }

    /// Non-empty bins as index and count, in rising order.
    fn bins(&self) -> Option<Vec<(usize, u64)>> {
        let mut bins = Vec::new();
        let mut rest = self.bins.as_slice();
        let mut next = 0usize;
        while !rest.is_empty() {
            let bin = next.checked_add(usize::try_from(take(&mut rest)?).ok()?)?;
            let count = take(&mut rest).filter(|count| *count <= MOST_CALLS)?;
            next = bin.checked_add(1)?;
            bins.push((bin, count));
        }
        Some(bins)
    }
}

/// Writes an integer in groups of seven bits, the lowest first, all but the last with the high bit set (LEB128).
fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads what [`put`] wrote; none when it is cut off or too large.
fn take(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (first, tail) = rest.split_first()?;
        *rest = tail;
        value |= u64::from(first & 0x7F).checked_mul(1 << shift)?;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

impl Serialize for Tally {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let named = |counts: &mut dyn Iterator<Item = (Outcome, u64)>| {
            counts.map(|(outcome, count)| (outcome.name().to_owned(), count)).collect()
        };
        let filled = |phase: &&Phase| self.phase(**phase).count() > 0;
        TallyRecord {
            counters: self.counters,
            phases: Phase::ALL
                .iter()
                .filter(filled)
                .map(|phase| (phase.name().to_owned(), self.phase(*phase).into()))
                .collect(),
            outcomes: named(&mut self.outcomes()),
            connection_failures: named(&mut self.connection_failures()),
            statuses: self.statuses().collect(),
            targets: self.targets().map(TargetRecord::from).collect(),
            groups: self.groups().map(GroupRecord::from).collect(),
            checks: self.checks().map(|(index, check)| (index, check.passed, check.failed)).collect(),
        }
        .serialize(to)
    }
}

impl From<(u16, &TargetTally)> for TargetRecord {
    fn from((index, row): (u16, &TargetTally)) -> Self {
        Self {
            index,
            completed: row.completed,
            errors: row.errors,
            unfinished: row.unfinished,
            body_bytes: row.body_bytes,
            latency: (&row.latency).into(),
            check_failed: row.check_failed,
            failed: row.failed,
        }
    }
}

impl TargetRecord {
    fn restore(&self) -> Option<TargetTally> {
        let counts = [self.completed, self.errors, self.unfinished, self.check_failed, self.failed];
        let is_plausible =
            counts.iter().all(|count| *count <= MOST_CALLS) && self.body_bytes >> 4 <= MOST_CALLS;
        Some(TargetTally {
            completed: self.completed,
            check_failed: self.check_failed,
            failed: self.failed,
            errors: self.errors,
            unfinished: self.unfinished,
            body_bytes: self.body_bytes,
            latency: self.latency.restore(Digits::Coarse).filter(|_| is_plausible)?,
        })
    }
}

impl From<(u16, &GroupTally)> for GroupRecord {
    fn from((index, group): (u16, &GroupTally)) -> Self {
        Self {
            index,
            completed: group.completed,
            failed: group.failed,
            wall: (&group.wall).into(),
            requests: (&group.requests).into(),
        }
    }
}

impl GroupRecord {
    fn restore(&self) -> Option<GroupTally> {
        let is_plausible = self.completed.max(self.failed) <= MOST_CALLS;
        Some(GroupTally {
            completed: self.completed,
            failed: self.failed,
            wall: self.wall.restore(Digits::Coarse).filter(|_| is_plausible)?,
            requests: self.requests.restore(Digits::Coarse)?,
        })
    }
}

impl<'de> Deserialize<'de> for Tally {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let record = TallyRecord::deserialize(from)?;
        let mut tally = Self::new();
        if !record.counters.all_below(MOST) {
            return Err(broken());
        }
        tally.counters = record.counters;
        for (name, distribution) in &record.phases {
            let phase = Phase::ALL.into_iter().find(|phase| phase.name() == name);
            let phase = phase.ok_or_else(|| D::Error::custom(format!("unknown phase `{name}`")))?;
            tally.phases[phase as usize] = distribution.restore(phase.digits()).ok_or_else(broken)?;
        }
        count_outcomes(&record.outcomes, &mut tally.outcomes)?;
        count_outcomes(&record.connection_failures, &mut tally.connection_failures)?;
        for (status, count) in record.statuses {
            plausible(count)?;
            *tally.statuses.get_mut(usize::from(status)).ok_or_else(broken)? = count;
        }
        for row in &record.targets {
            let index = usize::from(row.index).min(crate::TARGET_ROWS);
            tally.targets[index] = row.restore().ok_or_else(broken)?;
        }
        for group in &record.groups {
            *tally.groups.entry(group.index).ok_or_else(broken)? = group.restore().ok_or_else(broken)?;
        }
        for (index, passed, failed) in record.checks {
            plausible(passed.max(failed))?;
            *tally.checks.entry(index).ok_or_else(broken)? = CheckTally { passed, failed };
        }
        Ok(tally)
    }
}

fn plausible<E: Error>(count: u64) -> Result<(), E> {
    if count <= MOST_CALLS { Ok(()) } else { Err(broken()) }
}

fn broken<E: Error>() -> E {
    E::custom("a tally that does not add up")
}

fn count_outcomes<E: Error>(from: &[(String, u64)], to: &mut [u64; Outcome::COUNT]) -> Result<(), E> {
    for (name, count) in from {
        let outcome =
            Outcome::from_name(name).ok_or_else(|| E::custom(format!("unknown outcome `{name}`")))?;
        to[outcome.index()] = *count;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn integers_read_back() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            put(&mut bytes, value);
            let mut rest = bytes.as_slice();
            assert_eq!(take(&mut rest), Some(value));
            assert!(rest.is_empty());
            assert_eq!(take(&mut &bytes[..bytes.len() - 1]), None, "cut off");
        }
        assert_eq!(take(&mut [0xFF; 11].as_slice()), None, "too large");
    }

    #[test]
    fn a_tally_reads_back() {
        let mut tally = Tally::new();
        tally.connection_opened(Duration::from_micros(70), Some(Duration::from_millis(2)), true);
        tally.connection_failed(Outcome::NoPorts);
        for nanos in (0..100_000_000).step_by(99_991) {
            tally.connection_closed(Duration::from_nanos(nanos));
        }
        let bytes = rmp_serde::to_vec_named(&tally).unwrap();
        assert!(bytes.len() < 5_000, "{} bytes", bytes.len());
        let back: Tally = rmp_serde::from_slice(&bytes).unwrap();
        assert_eq!(back, tally);
    }

    #[test]
    fn a_histogram_that_disagrees_with_its_count_is_refused() {
        let mut distribution = Distribution::new(Digits::Two);
        distribution.record(5);
        let mut record = DistributionRecord::from(&distribution);
        assert_eq!(record.restore(Digits::Two), Some(distribution));
        record.bins = ByteBuf::from(vec![5, 2]);
        assert_eq!(record.restore(Digits::Two), None);
        record.bins = ByteBuf::from(vec![0xFF, 0xFF, 0x7F, 1]);
        assert_eq!(record.restore(Digits::Two), None, "no such bin");
    }
}
