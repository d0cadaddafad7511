//! Is B different from A, by how much, and how sure is that.
//!
//! Calls are never compared one by one: neighbours are alike, and thousands of them would make chance look like proof.
//! What is compared is blocks of slices. In a live comparison a block is one turn A B B A, so that what drifts while it
//! lasts hits both; of two kept runs each is cut into blocks of its own. The blocks are drawn again and again with
//! replacement (block bootstrap: Künsch, "The jackknife and the bootstrap for general stationary observations", 1989);
//! how much a figure varies over the draws is its standard error, and Student's distribution with as many degrees of
//! freedom as there are blocks, less one, makes the interval.
//!
//! Five figures are looked at, and a false alarm in any of them is a false alarm. So all intervals together hold the
//! truth with 95 % (Bonferroni: each alone with 99 %).

mod resampling;
mod slices;
mod steps;

pub use slices::{SLICE_MIN, Slicing, SlicingError, blocks};
pub use steps::{StepPair, steps};

use resampling::{Blocks, Draw};
use warwolf_measure::{Histogram, Phase, Tally};

/// What was counted in a slice, or in several of one side together.
#[derive(Clone, Debug)]
pub struct Portion {
    /// How long it lasted.
    pub seconds: f64,
    /// Calls whose whole reply arrived.
    pub completed: u64,
    /// Calls without the reply that was asked for.
    pub errors: u64,
    /// Calls that are over.
    pub finished: u64,
    /// Latencies.
    pub latency: Histogram,
}

/// Latencies, and the ages of calls without an end that had waited longer than all that ended: those had a latency greater
/// than that. Leaving them out would let a side that stops answering look like the other.
fn latency(tally: &Tally) -> Histogram {
    let ended = tally.phase(Phase::Latency);
    let slowest = ended.moments().max_ns().unwrap_or(0);
    let mut latency = ended.histogram().clone();
    for ages in [Phase::UnfinishedAge, Phase::UnstartedAge] {
        let older = tally.phase(ages).histogram().bins().filter(|(first, _, _)| *first > slowest);
        older.for_each(|(first, last, count)| latency.record_many(first + (last - first) / 2, count));
    }
    latency
}

impl Portion {
    /// What a tally of this many seconds counted.
    #[must_use]
    pub fn of(tally: &Tally, seconds: f64) -> Self {
        Self {
            seconds,
            completed: tally.completed(),
            errors: tally.errors(),
            finished: tally.finished(),
            latency: latency(tally),
        }
    }

    /// Adds another portion of the same side.
    pub fn add(&mut self, other: &Self) {
        self.seconds += other.seconds;
        self.completed += other.completed;
        self.errors += other.errors;
        self.finished += other.finished;
        self.latency.merge(&other.latency);
    }

    fn sum(portions: &[Self]) -> Option<Self> {
        let (first, rest) = portions.split_first()?;
        let mut sum = first.clone();
        rest.iter().for_each(|portion| sum.add(portion));
        Some(sum)
    }
}

/// Which side of turn `number` is A, when slices follow each other as A B B A: what drifts evenly hits both alike.
#[must_use]
pub const fn is_a(number: usize) -> bool {
    matches!(number % 4, 0 | 3)
}

/// How the portions came about.
#[derive(Clone, Debug)]
pub enum Design {
    /// Block by block, both sides of a block at the same time: what disturbs one disturbs the other.
    Paired(Vec<(Portion, Portion)>),
    /// Two runs, each in its own blocks.
    Apart(Vec<Portion>, Vec<Portion>),
}

impl Design {
    /// Pairs the portions of slices that followed each other as A B B A; slices of an unfinished turn are left out.
    #[must_use]
    pub fn of_turns(slices: &[Portion]) -> Self {
        let pair = |turn: &[Portion]| {
            let both = |one: &Portion, other: &Portion| {
                let mut sum = one.clone();
                sum.add(other);
                sum
            };
            (both(&turn[0], &turn[3]), both(&turn[1], &turn[2]))
        };
        Self::Paired(slices.chunks_exact(4).map(pair).collect())
    }

    fn sides(&self) -> (Vec<Portion>, Vec<Portion>) {
        match self {
            Self::Paired(blocks) => blocks.iter().cloned().unzip(),
            Self::Apart(a, b) => (a.clone(), b.clone()),
        }
    }
}

/// A figure that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Completed calls a second.
    Rate,
    /// Median latency.
    P50,
    /// Latency that nine of ten calls did not exceed.
    P90,
    /// Latency that 99 of 100 calls did not exceed.
    P99,
    /// Share of calls without the reply that was asked for.
    Errors,
}

impl Figure {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 5] = [Self::Rate, Self::P50, Self::P90, Self::P99, Self::Errors];

    /// The name in reports and data.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P99 => "p99",
            Self::Errors => "errors",
        }
    }

    /// Which latency quantile it is.
    #[must_use]
    pub const fn quantile(self) -> Option<f64> {
        match self {
            Self::P50 => Some(0.5),
            Self::P90 => Some(0.9),
            Self::P99 => Some(0.99),
            Self::Rate | Self::Errors => None,
        }
    }
}

/// What the data say about a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Finding {
    /// B is worse, and by more than is allowed.
    Regression,
    /// B is worse; whether by more than is allowed is not known, or it is not.
    Worse,
    /// B is better.
    Better,
    /// No difference was found, and none larger than this is there.
    NoLargerThan(f64),
    /// The data do not say: a difference larger than is allowed may or may not be there.
    Unknown,
}

/// A figure of both sides and the difference between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// Which.
    pub figure: Figure,
    /// Of A, in calls a second, nanoseconds or as a share (0 to 1); none without calls.
    pub a: Option<f64>,
    /// Of B.
    pub b: Option<f64>,
    /// From A to B: relative (0.1 is ten per cent more), of error shares the difference of the shares.
    pub change: Option<f64>,
    /// Between these the change lies; all five intervals together hold the truth with 95 %.
    pub interval: Option<(f64, f64)>,
    /// What the data say.
    pub finding: Finding,
}

/// How much worse B may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowance {
    /// Rate and latency: 0.05 is five per cent.
    pub relative: f64,
    /// Error share: 0.001 is one call more in a thousand.
    pub errors: f64,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { relative: 0.05, errors: 0.001 }
    }
}

/// The answer of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// One for each of [`Figure::ALL`].
    pub effects: Vec<Effect>,
    /// Blocks of A and of B.
    pub blocks: (usize, usize),
    /// Whether both sides of a block were measured at the same time.
    pub paired: bool,
    /// What was allowed.
    pub allowance: Allowance,
}

impl Comparison {
    /// Whether B is worse than allowed.
    #[must_use]
    pub fn is_regression(&self) -> bool {
        self.effects.iter().any(|effect| effect.finding == Finding::Regression)
    }

    /// Whether any figure differs.
    #[must_use]
    pub fn differs(&self) -> bool {
        let differs = |finding| matches!(finding, Finding::Regression | Finding::Worse | Finding::Better);
        self.effects.iter().any(|effect| differs(effect.finding))
    }

    /// Figures about which the data do not say enough.
    pub fn unknown(&self) -> impl Iterator<Item = &Effect> {
        self.effects.iter().filter(|effect| effect.finding == Finding::Unknown)
    }
}

/// Returns the figures of both sides and the change between them, without intervals: what is known of a comparison that is too
/// short for an answer.
#[must_use]
pub fn figures(a: &[Portion], b: &[Portion]) -> Vec<Effect> {
    let sides = [a, b].map(|side| if side.is_empty() { None } else { Some(Blocks::new(side)) });
    let figure = |figure: Figure| {
        let [of_a, of_b] = sides.each_ref().map(|side| {
            let blocks = side.as_ref()?;
            blocks.figure(figure, &Draw::whole(blocks.len()))
        });
        let nothing_allowed = Allowance { relative: 0.0, errors: 0.0 };
        effect(figure, (of_a, of_b), None, nothing_allowed)
    };
    Figure::ALL.map(figure).to_vec()
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Too few blocks to know how much chance does.
    #[error(
        "too few blocks of slices to tell a difference from chance: {have} of {FEWEST_BLOCKS}; measure for longer"
    )]
    TooFewBlocks {
        /// How many there are.
        have: usize,
    },
    /// No call of a side was completed.
    #[error("{side} completed no call, so there is nothing to compare; look at it alone with `warwolf run`")]
    NothingMeasured {
        /// `A` or `B`.
        side: char,
    },
}

/// Blocks at the least.
pub const FEWEST_BLOCKS: usize = 6;
/// Draws of the bootstrap: a standard error is known to 2 %.
const DRAWS: usize = 1_000;
/// 99.5 % point of the standard normal distribution: two-sided 5 % shared by five figures.
const NORMAL: f64 = 2.575_829_304;
/// Histograms keep values to a thousandth; no interval is narrower than two such steps.
const RESOLUTION: f64 = 0.002;

/// Compares. The same portions, allowance and seed give the same answer.
///
/// # Errors
/// When there is no answer.
pub fn compare(design: &Design, allowance: Allowance, seed: u64) -> Result<Comparison, Refusal> {
    let (a, b) = design.sides();
    let paired = matches!(design, Design::Paired(_));
    let fewest = a.len().min(b.len());
    if fewest < FEWEST_BLOCKS {
        return Err(Refusal::TooFewBlocks { have: fewest });
    }
    let (Some(sum_a), Some(sum_b)) = (Portion::sum(&a), Portion::sum(&b)) else {
        return Err(Refusal::TooFewBlocks { have: fewest });
    };
    for (side, sum) in [('A', &sum_a), ('B', &sum_b)] {
        if sum.completed == 0 {
            return Err(Refusal::NothingMeasured { side });
        }
    }
    let blocks = [Blocks::new(&a), Blocks::new(&b)];
    let whole = blocks.each_ref().map(|blocks| Draw::whole(blocks.len()));
    let differences = draws(&blocks, paired, seed);
    let freedom = fewest - 1;
    let effects = Figure::ALL.iter().enumerate().map(|(place, &figure)| {
        let [of_a, of_b] = [0, 1].map(|side| blocks[side].figure(figure, &whole[side]));
        let difference = difference(figure, of_a, of_b);
        let known = figure.quantile().is_none_or(|quantile| {
            warwolf_measure::is_known(quantile, sum_a.latency.count().min(sum_b.latency.count()))
        });
        let spread = deviation(&differences, place).filter(|_| known);
        let half = spread.map(|error| {
            let scale = (fewest as f64 / freedom as f64).sqrt();
            warwolf_measure::student_point(NORMAL, freedom) * scale * error
                + floor(figure, [&sum_a, &sum_b], &blocks)
        });
        effect(figure, (of_a, of_b), difference.zip(half), allowance)
    });
    Ok(Comparison { effects: effects.collect(), blocks: (a.len(), b.len()), paired, allowance })
}

/// The difference of each figure in each draw.
fn draws(blocks: &[Blocks; 2], paired: bool, seed: u64) -> Vec<[Option<f64>; 5]> {
    let mut chance = crate::Chance::new(seed);
    let draw = |_| {
        let a = Draw::random(blocks[0].len(), &mut chance);
        let b = if paired { a.clone() } else { Draw::random(blocks[1].len(), &mut chance) };
        Figure::ALL
            .map(|figure| difference(figure, blocks[0].figure(figure, &a), blocks[1].figure(figure, &b)))
    };
    (0..DRAWS).map(draw).collect()
}

/// From A to B on the scale on which it is about normal: the logarithm of the ratio, of error shares the difference.
fn difference(figure: Figure, a: Option<f64>, b: Option<f64>) -> Option<f64> {
    let (a, b) = a.zip(b)?;
    match figure {
        Figure::Errors => Some(b - a),
        _ => (a > 0.0 && b > 0.0).then(|| (b / a).ln()),
    }
}

/// Standard deviation over the draws; none when some draw has no value.
fn deviation(differences: &[[Option<f64>; 5]], place: usize) -> Option<f64> {
    let values: Vec<f64> = differences.iter().map(|draw| draw[place]).collect::<Option<_>>()?;
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// What an interval is wide at least to each side, because counting itself is no finer: a call more or less at the edge of
/// each block, a step of the histogram, the errors that may hide among calls that all went well (three in their number:
/// Hanley and Lippman-Hand, "If nothing goes wrong, is everything all right?", 1983).
fn floor(figure: Figure, sums: [&Portion; 2], blocks: &[Blocks; 2]) -> f64 {
    match figure {
        Figure::Rate => {
            let edge = |side: usize| blocks[side].len() as f64 / sums[side].completed.max(1) as f64;
            edge(0).max(edge(1))
        }
        Figure::Errors => 3.0 / sums[0].finished.min(sums[1].finished).max(1) as f64,
        _ => RESOLUTION,
    }
}

fn effect(
    figure: Figure,
    (a, b): (Option<f64>, Option<f64>),
    found: Option<(f64, f64)>,
    allowance: Allowance,
) -> Effect {
    let plain = |difference: f64| if figure == Figure::Errors { difference } else { difference.exp() - 1.0 };
    let change = difference(figure, a, b).map(plain);
    let interval = found.map(|(difference, half)| (plain(difference - half), plain(difference + half)));
    let allowed = if figure == Figure::Errors { allowance.errors } else { allowance.relative };
    let finding = interval.map_or(Finding::Unknown, |(low, high)| {
        // How much worse: a rate gets worse by falling, everything else by rising.
        let (least, most) = if figure == Figure::Rate { (-high, -low) } else { (low, high) };
        match () {
            () if least > allowed => Finding::Regression,
            () if least > 0.0 => Finding::Worse,
            () if most < 0.0 => Finding::Better,
            () if most <= allowed && least >= -allowed => Finding::NoLargerThan(most.max(-least)),
            () => Finding::Unknown,
        }
    });
    Effect { figure, a, b, change, interval, finding }
}

#[cfg(test)]
mod tests;
