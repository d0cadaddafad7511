//! The run file: a run as bytes and back, and several parts of a run as one.
//!
//! ```text
//! "WWR2"  4 bytes   what it is, and the version of this layout
//! length  8 bytes   of the payload, little-endian
//! crc32   4 bytes   of the payload, little-endian
//! payload           the run as MessagePack with named fields, deflated (RFC 1951)
//! ```
//! Named fields let old files be read by new versions and new files, mostly, by old ones. Layout 1, which knew one host
//! only, is still read.

use crate::{Accounting, Environment, Examples, HostEvidence, RowLabels, Run, Timeline, bounded};
use flate2::{Compression, Crc, read::DeflateDecoder, write::DeflateEncoder};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::time::Duration;

const MAGIC: [u8; 4] = *b"WWR2";
/// The last byte of the layout before, which is still read.
const OLD_LAYOUT: u8 = b'1';
const HEADER: usize = 16;
/// A run unpacks to a few tens of megabytes at most; data far beyond that are not a run.
const LIMIT_BYTES: u64 = 256 << 20;

/// Maximum number of shards in a file: a machine each.
const SHARDS_MAX: u32 = 65_536;

/// Why bytes are not a run.
#[derive(Debug, thiserror::Error)]
pub enum RunFileError {
    /// The bytes do not begin like a run file.
    #[error("not a run file: it does not begin with `WWR`; give a file written by `warwolf run -o FILE`")]
    NotARunFile,
    /// The bytes are in the layout of another version.
    #[error(
        "run file of layout `{0}`, and this version reads layouts `1` and `2`; use the version that wrote it"
    )]
    OtherLayout(char),
    /// The bytes end too early.
    #[error("run file cut short: {have} of {need} bytes; copy it again, or write it to a disk with room")]
    Truncated {
        /// Bytes present.
        have: u64,
        /// Bytes expected.
        need: u64,
    },
    /// The bytes changed after writing.
    #[error("run file damaged: its checksum does not match; copy it again")]
    Damaged,
    /// The run in the file cannot be read.
    #[error("run file whose contents cannot be read; use the version that wrote it")]
    Contents(#[source] Option<rmp_serde::decode::Error>),
}

/// Why runs are not parts of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There are no runs.
    #[error("nothing to merge: give the run files of all shards")]
    Nothing,
    /// Two runs have different plans. The number is the place of the second in the list, from zero.
    #[error("run {0} has another plan than the first: only shards of one plan can be merged")]
    OtherPlan(usize),
    /// Two runs count by different intervals.
    #[error("run {0} counts by other intervals than the first: only shards of one plan can be merged")]
    OtherInterval(usize),
    /// Two runs are the same part, or belong to different divisions.
    #[error("run {0} is a part that another run already has: give each shard once")]
    SamePart(usize),
}

impl Run {
    /// The run as the bytes of a run file.
    ///
    /// # Panics
    /// Never: writing to memory cannot fail.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let plain = rmp_serde::to_vec_named(self).expect("a run has a MessagePack form; please report");
        wrap(&plain)
    }

    /// Reads the bytes of a run file.
    ///
    /// # Errors
    /// When they are not a run file, of another layout, cut short, or damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self, RunFileError> {
        let payload = payload(bytes)?;
        let mut plain = Vec::new();
        DeflateDecoder::new(payload)
            .take(LIMIT_BYTES)
            .read_to_end(&mut plain)
            .map_err(|_| RunFileError::Contents(None))?;
        let read = match bytes[3] {
            OLD_LAYOUT => rmp_serde::from_slice(&plain).map(|old: OldRun| old.into_run()),
            _ => rmp_serde::from_slice(&plain),
        };
        let run: Self = read.map_err(|error| RunFileError::Contents(Some(error)))?;
        let are_shards = run.shards.iter().all(|(index, count)| index < count && *count <= SHARDS_MAX);
        if are_shards && Accounting::of(&run.timeline.whole().tally).adds_up() {
            Ok(run)
        } else {
            Err(RunFileError::Contents(None))
        }
    }

    /// Adds up the parts of one test, which ran at the same time, whatever their order.
    ///
    /// # Errors
    /// When there is none, or they are not parts of one plan.
    pub fn merge(runs: Vec<Self>) -> Result<Self, MergeError> {
        let mut runs = runs.into_iter();
        let mut sum = runs.next().ok_or(MergeError::Nothing)?;
        for (place, run) in (1..).zip(runs) {
            let has_same_rows = run.targets == sum.targets && run.labels == sum.labels;
            if run.plan_text != sum.plan_text || run.seed != sum.seed || !has_same_rows {
                return Err(MergeError::OtherPlan(place));
            }
            if run.timeline.recorded_interval() != sum.timeline.recorded_interval() {
                return Err(MergeError::OtherInterval(place));
            }
            let fits = |(index, count): &(u32, u32)| sum.shards.iter().all(|(i, c)| c == count && i != index);
            if !run.shards.iter().all(fits) {
                return Err(MergeError::SamePart(place));
            }
            sum.timeline.merge(&run.timeline);
            sum.examples.merge(&run.examples);
            sum.wall = sum.wall.max(run.wall);
            sum.target_rate = sum.target_rate.zip(run.target_rate).map(|(sum, part)| sum + part);
            sum.shards.extend(run.shards);
            sum.hosts.extend(run.hosts);
        }
        sum.shards.sort_unstable();
        sum.hosts.sort_by_key(|host| host.shard);
        Ok(sum)
    }

    /// Parts of the plan that are not in this run, by index.
    #[must_use]
    pub fn missing_shards(&self) -> Vec<u32> {
        let count = self.shards.iter().map(|shard| shard.1).max().unwrap_or(0);
        let present: BTreeSet<u32> = self.shards.iter().map(|shard| shard.0).collect();
        (0..count).filter(|index| !present.contains(index)).collect()
    }
}

/// Deflates, and puts the header before.
fn wrap(plain: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).expect("writing to memory cannot fail; please report");
    let payload = encoder.finish().expect("writing to memory cannot fail; please report");
    let mut file = Vec::with_capacity(HEADER + payload.len());
    file.extend_from_slice(&MAGIC);
    file.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    file.extend_from_slice(&checksum(&payload).to_le_bytes());
    file.extend_from_slice(&payload);
    file
}

/// The payload of a run file whose header and checksum are right.
fn payload(bytes: &[u8]) -> Result<&[u8], RunFileError> {
    if bytes.len() < 4 || bytes[..3] != MAGIC[..3] {
        return Err(RunFileError::NotARunFile);
    }
    if bytes[3] != MAGIC[3] && bytes[3] != OLD_LAYOUT {
        return Err(RunFileError::OtherLayout(char::from(bytes[3])));
    }
    let have = bytes.len() as u64;
    let Some((header, rest)) = bytes.split_at_checked(HEADER) else {
        return Err(RunFileError::Truncated { have, need: HEADER as u64 });
    };
    let length = u64::from_le_bytes(std::array::from_fn(|i| header[4 + i]));
    let crc = u32::from_le_bytes(std::array::from_fn(|i| header[12 + i]));
    let payload = usize::try_from(length).ok().and_then(|length| rest.get(..length));
    let Some(payload) = payload else {
        return Err(RunFileError::Truncated { have, need: length.saturating_add(HEADER as u64) });
    };
    if checksum(payload) == crc { Ok(payload) } else { Err(RunFileError::Damaged) }
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// A run as layout 1 kept it: one host, and the target rate of the whole plan even in a shard.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
struct OldRun<E = HostEvidence> {
    plan_text: String,
    seed: u64,
    open: bool,
    target_rate: Option<f64>,
    nominal: Option<Duration>,
    wall: Duration,
    warmup: Duration,
    #[serde(deserialize_with = "bounded::targets")]
    targets: Vec<String>,
    timeline: Timeline,
    evidence: E,
    #[serde(default)]
    environment: Environment,
    #[serde(deserialize_with = "bounded::list")]
    shards: Vec<(u32, u32)>,
}

impl OldRun {
    fn into_run(self) -> Run {
        let count = self.shards.first().map_or(1, |shard| shard.1).max(1);
        let part = self.shards.len() as f64 / f64::from(count);
        Run {
            plan_text: self.plan_text,
            seed: self.seed,
            open: self.open,
            target_rate: self.target_rate.map(|rate| rate * part),
            nominal: self.nominal,
            wall: self.wall,
            warmup: self.warmup,
            targets: self.targets,
            labels: RowLabels::default(),
            examples: Examples::default(),
            timeline: self.timeline,
            hosts: vec![HostEvidence { environment: self.environment, ..self.evidence }],
            shards: self.shards,
            replay: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Summary, Tally};

    fn run(index: u32, count: u32) -> Run {
        let mut run = Run::new(Duration::from_secs(1));
        run.plan_text = "seed = 7\n".into();
        run.seed = 7;
        run.shards = vec![(index, count)];
        for number in 0..10 {
            let mut tally = Tally::new();
            tally.planned(10 + u64::from(index));
            tally.unstarted(10 + u64::from(index));
            tally.connection_opened(Duration::from_micros(50 + number), None, false);
            run.timeline.add(number, &tally);
        }
        run.target_rate = Some(10.0);
        run.hosts[0].shard = Some((index, count));
        run.hosts[0].environment.host = format!("box{index}");
        run.hosts[0].descriptors_limit = 1_000 + u64::from(index);
        run
    }

    #[test]
    fn a_run_reads_back() {
        let bytes = run(0, 1).encode();
        let back = Run::decode(&bytes).unwrap();
        assert_eq!(back.plan_text, "seed = 7\n");
        assert_eq!(back.timeline.whole().tally, run(0, 1).timeline.whole().tally);
        assert_eq!(back.encode(), bytes);
    }

    #[test]
    fn a_file_that_is_cut_anywhere_says_so() {
        let bytes = run(0, 1).encode();
        for length in 4..bytes.len() {
            let error = Run::decode(&bytes[..length]).unwrap_err();
            assert!(matches!(error, RunFileError::Truncated { .. }), "{length}: {error}");
        }
        let text = Run::decode(&bytes[..100]).unwrap_err().to_string();
        let expected = format!(
            "run file cut short: 100 of {} bytes; copy it again, or write it to a disk with room",
            bytes.len()
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let good = run(0, 1).encode();
        for place in HEADER..good.len() {
            let mut bytes = good.clone();
            bytes[place] ^= 0x10;
            assert!(matches!(Run::decode(&bytes).unwrap_err(), RunFileError::Damaged));
        }
    }

    #[test]
    fn contents_of_whatever_kind_are_a_run_or_an_error() {
        let good = rmp_serde::to_vec_named(&run(0, 1)).unwrap();
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut runs = 0;
        for _ in 0..2_000 {
            let mut plain = good.clone();
            for _ in 0..3 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let place = (state >> 32) as usize % plain.len();
                plain[place] = if state & 0x100 == 0 { 0xFF } else { state as u8 };
            }
            if let Ok(run) = Run::decode(&wrap(&plain)) {
                let summary = Summary::of(&run);
                let _ = crate::judge(&summary);
                runs += 1;
            }
        }
        assert!(runs > 100, "{runs}: some changes are harmless");
    }

    #[test]
    fn other_files_are_refused() {
        assert!(matches!(Run::decode(b"").unwrap_err(), RunFileError::NotARunFile));
        assert!(matches!(Run::decode(b"{\"plan\":1}").unwrap_err(), RunFileError::NotARunFile));
        assert!(matches!(Run::decode(b"WWR3abc").unwrap_err(), RunFileError::OtherLayout('3')));
    }

    #[test]
    fn a_small_file_that_unpacks_to_a_large_list_is_refused() {
        let many = |run: Run| Run::decode(&run.encode()).is_err();
        assert!(many(Run { shards: vec![(0, u32::MAX)], ..run(0, 1) }), "a list of missing shards");
        assert!(many(Run { shards: vec![(1, 1)], ..run(0, 1) }), "a shard that cannot be");
        assert!(many(Run { shards: vec![(0, 1); 70_000], ..run(0, 1) }), "shards");
        assert!(many(Run { targets: vec![String::new(); 5 << 20], ..run(0, 1) }), "targets");
        let environment = Environment { command: vec![String::new(); 70_000], ..Environment::default() };
        assert!(many(run(0, 1).in_environment(&environment)), "words of the command");
    }

    #[test]
    fn a_file_of_layout_1_is_read() {
        #[derive(serde::Serialize)]
        struct OldEvidence {
            threads: u32,
            driver: String,
            idle: String,
            descriptors_limit: u64,
        }
        let new = run(1, 2);
        let old = OldRun {
            plan_text: new.plan_text.clone(),
            seed: new.seed,
            open: true,
            target_rate: Some(20.0),
            nominal: None,
            wall: Duration::from_secs(10),
            warmup: Duration::ZERO,
            targets: Vec::new(),
            timeline: new.timeline.clone(),
            evidence: OldEvidence {
                threads: 2,
                driver: "uring".into(),
                idle: "block+spin".into(),
                descriptors_limit: 1_024,
            },
            environment: Environment { host: "box".into(), ..Environment::default() },
            shards: vec![(1, 2)],
        };
        let mut bytes = wrap(&rmp_serde::to_vec_named(&old).unwrap());
        bytes[3] = OLD_LAYOUT;
        let run = Run::decode(&bytes).unwrap();
        assert_eq!(run.timeline.whole().tally, new.timeline.whole().tally);
        assert_eq!((run.target_rate, run.hosts.len()), (Some(10.0), 1), "the rate is that of the shard");
        let host = &run.hosts[0];
        assert_eq!((host.threads, host.idle, host.descriptors_limit), (2, crate::Idle::Spin, 1_024));
        assert_eq!(host.environment.host, "box");
    }

    #[test]
    fn shards_merge_in_any_order() {
        let forward = Run::merge(vec![run(0, 3), run(2, 3), run(1, 3)]).unwrap();
        let backward = Run::merge(vec![run(1, 3), run(2, 3), run(0, 3)]).unwrap();
        assert_eq!(forward.timeline.whole().tally, backward.timeline.whole().tally);
        assert_eq!(forward.timeline.whole().tally.counters().planned, 330);
        assert_eq!((forward.shards.clone(), backward.shards), (vec![(0, 3), (1, 3), (2, 3)], forward.shards));
        assert_eq!(forward.target_rate, Some(30.0));
        assert_eq!(forward.hosts, backward.hosts);
        let limits: Vec<u64> = forward.hosts.iter().map(|host| host.descriptors_limit).collect();
        assert_eq!(limits, [1_000, 1_001, 1_002], "each host has its own limits");
    }

    #[test]
    fn shards_have_their_examples_together_and_the_same_names() {
        let with = |index: u32, name: &str| {
            let mut run = run(index, 2);
            run.labels.groups = vec![name.into()];
            let at = warwolf_clock::Timestamp::from_nanos(9 - u64::from(index));
            run.examples.add(crate::CheckExample::new(0, at, "GET /", 500, "500", b""));
            run
        };
        let forward = Run::merge(vec![with(0, "a"), with(1, "a")]).unwrap();
        let backward = Run::merge(vec![with(1, "a"), with(0, "a")]).unwrap();
        assert_eq!(forward.examples, backward.examples);
        assert_eq!(forward.examples.of(0).map(|example| example.at_ns).collect::<Vec<_>>(), [8, 9]);
        let other = Run::merge(vec![with(0, "a"), with(1, "b")]).unwrap_err();
        assert_eq!(other, MergeError::OtherPlan(1));
    }

    #[test]
    fn a_missing_shard_is_named() {
        let run = Run::merge(vec![run(0, 4), run(3, 4)]).unwrap();
        assert_eq!(run.missing_shards(), [1, 2]);
    }

    #[test]
    fn what_are_not_parts_of_one_test_is_refused() {
        let other_plan = Run { plan_text: "seed = 8\n".into(), ..run(1, 2) };
        let other_interval =
            Run { shards: vec![(1, 2)], timeline: Run::new(Duration::from_secs(2)).timeline, ..run(1, 2) };
        for (runs, expected) in [
            (vec![], MergeError::Nothing),
            (vec![run(0, 2), other_plan], MergeError::OtherPlan(1)),
            (vec![run(0, 2), other_interval], MergeError::OtherInterval(1)),
            (vec![run(0, 2), run(1, 2), run(0, 2)], MergeError::SamePart(2)),
            (vec![run(0, 2), run(1, 3)], MergeError::SamePart(1)),
        ] {
            assert_eq!(Run::merge(runs).unwrap_err(), expected);
        }
    }
}
