//! What is recorded about a call, how records add up, and what may be concluded from them.
//!
//! A worker makes a [`Sample`] of each call and adds it to its [`Tally`]; tallies add up by [`Interval`] in a
//! [`Timeline`]; a [`Run`] keeps the timeline with the plan's text and the [`HostEvidence`] of each machine.
//! Nothing here reads a clock, opens anything or prints.
#![forbid(unsafe_code)]

mod accounting;
mod aggregator;
mod bounded;
mod distribution;
mod estimate;
mod evidence;
mod examples;
mod histogram;
mod labels;
mod latency;
mod log_replay;
mod moments;
mod outcome;
mod reason;
mod record;
mod run;
mod run_file;
mod sample;
mod slo;
mod step_figures;
mod steps;
mod summary;
mod tally;
mod timeline;
mod verdict;

pub use accounting::{HandOver, Mismatch};
pub use aggregator::{Aggregator, IntervalBatch};
pub use distribution::Distribution;
pub use estimate::{is_known, samples_needed, student_point};
pub use evidence::{Environment, HostEvidence, Idle, WorkerEvidence};
pub use examples::{CheckExample, EXAMPLES, Examples};
pub use histogram::{Digits, Histogram};
pub use labels::{CheckLabel, RowLabel, RowLabels, Shape};
pub use latency::{Latency, LatencyQuantile};
pub use log_replay::{LogReplay, LogTiming, NotUnderstood};
pub use moments::Moments;
pub use outcome::{Blame, Outcome, ProxyKind, TlsKind, ViolationKind};
pub use reason::{Cause, Explanation, Lateness, Reason, ReasonFigures};
pub use run::Run;
pub use run_file::{MergeError, RunFileError};
pub use sample::Sample;
pub use slo::{Comparison, Metric, Slo, SloError, SloResult, SloState};
pub use step_figures::{CheckFigures, GroupFigures, RowFigures, ScenarioFigures, StepFigures};
pub use steps::{CheckTally, GroupTally, MAX_CHECKS, MAX_GROUPS};
pub use summary::{
    Accounting, Achieved, Bar, Estimate, Figures, IntervalFigures, MissingQuantile, QUANTILES,
    QuantileFigure, Summary, TargetFigures, Trend,
};
pub use tally::{Counters, OTHER_TARGETS, Phase, TARGET_ROWS, Tally, TargetTally};
pub use timeline::{Interval, Timeline, Window};
pub use verdict::{Grade, Verdict, judge};
