//! A grid of settings, the order in which its points are run, and what came of them.

use crate::Chance;
use warwolf_measure::{Cause, Figures, Grade, Reason, Summary, Verdict};

/// A parameter and the values it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vary {
    /// Its name: an option of `run`, `target`, or a field of the plan such as `session.redirects.limit`.
    pub name: String,
    /// What it is set to.
    pub values: Vec<Value>,
}

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// What tables and plots call it.
    pub label: String,
    /// What the parameter is set to.
    pub text: String,
}

/// Why a parameter cannot be varied as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VaryError {
    /// There is no name or no value.
    #[error("`{0}`: use NAME=VALUE,VALUE,… such as connections=10,100 or target=old:http://a/,new:http://b/")]
    Form(String),
    /// A value is there twice.
    #[error("`{0}` is there twice; once is enough")]
    Twice(String),
    /// A grid grows faster than one thinks.
    #[error("{points} points, {repeats} times each, are more than {STEPS_MAX} runs; vary less")]
    TooMany {
        /// Points of the grid.
        points: usize,
        /// Runs of each.
        repeats: usize,
    },
}

/// Maximum number of runs.
pub const STEPS_MAX: usize = 10_000;

/// The name under which targets are varied.
pub const TARGET: &str = "target";

impl Vary {
    /// Reads `NAME=VALUE,VALUE,…`; the values of `target` are `NAME:URL` or a URL.
    ///
    /// # Errors
    /// When there is no name or no value.
    pub fn parse(text: &str) -> Result<Self, VaryError> {
        let wrong = || VaryError::Form(text.to_owned());
        let (name, values) = text.split_once('=').ok_or_else(wrong)?;
        let name = name.trim().trim_start_matches("--").to_owned();
        let values: Vec<Value> = values
            .split(',')
            .map(str::trim)
            .map(|value| if name == TARGET { Value::target(value) } else { Value::plain(value) })
            .collect();
        if name.is_empty() || values.iter().any(|value| value.text.is_empty() || value.label.is_empty()) {
            return Err(wrong());
        }
        Ok(Self { name, values })
    }

    /// Reads several, and puts the values of one name together: a value with a comma in it needs a word of its own.
    ///
    /// # Errors
    /// When one of them cannot be read, or a value is there twice.
    pub fn parse_all(texts: &[String]) -> Result<Vec<Self>, VaryError> {
        let mut all: Vec<Self> = Vec::new();
        for text in texts {
            let vary = Self::parse(text)?;
            match all.iter_mut().find(|other| other.name == vary.name) {
                Some(other) => other.values.extend(vary.values),
                None => all.push(vary),
            }
        }
        for vary in &all {
            for (place, value) in vary.values.iter().enumerate() {
                if vary.values[..place].iter().any(|other| other.label == value.label) {
                    return Err(VaryError::Twice(format!("{}={}", vary.name, value.label)));
                }
            }
        }
        Ok(all)
    }
}

impl Value {
    fn plain(text: &str) -> Self {
        Self { label: text.to_owned(), text: text.to_owned() }
    }

    fn target(text: &str) -> Self {
        match text.split_once(':') {
            Some((name, url)) if !url.starts_with("//") && url.contains(['/', ':', '.']) => {
                Self { label: name.to_owned(), text: url.to_owned() }
            }
            _ => Self::plain(text),
        }
    }
}

/// A point of the grid: for each parameter, which of its values.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(pub Vec<usize>);

impl Point {
    /// Its settings as `connections=10, target=old`.
    #[must_use]
    pub fn label(&self, of: &[Vary]) -> String {
        let settings =
            self.0.iter().zip(of).map(|(&value, vary)| format!("{}={}", vary.name, vary.values[value].label));
        settings.collect::<Vec<_>>().join(", ")
    }
}

/// Every combination of the values, the last parameter changing fastest.
#[must_use]
pub fn grid(of: &[Vary]) -> Vec<Point> {
    let mut points = vec![Point(Vec::new())];
    for vary in of {
        points = points
            .into_iter()
            .flat_map(|Point(settings)| {
                (0..vary.values.len()).map(move |value| Point([settings.clone(), vec![value]].concat()))
            })
            .collect();
    }
    points
}

/// In which order the points of a repeat are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As they are in the grid.
    Given,
    /// Every second repeat backwards: an even drift cancels out.
    Balanced,
    /// Each repeat in an order of its own.
    Random,
}

/// One run of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Which point of the grid.
    pub point: usize,
    /// Which of its repeats, from zero.
    pub repeat: usize,
}

/// Every point `repeats` times: one repeat of all points after the other.
#[must_use]
pub fn steps(points: usize, repeats: usize, order: Order, seed: u64) -> Vec<Step> {
    let mut chance = Chance::new(seed);
    let mut steps = Vec::with_capacity(points * repeats);
    for repeat in 0..repeats {
        let mut turn: Vec<usize> = (0..points).collect();
        match order {
            Order::Given => {}
            Order::Balanced if repeat % 2 == 1 => turn.reverse(),
            Order::Balanced => {}
            Order::Random => chance.shuffle(&mut turn),
        }
        steps.extend(turn.into_iter().map(|point| Step { point, repeat }));
    }
    steps
}

impl Step {
    /// The name of the file that a folder keeps the run in.
    #[must_use]
    pub fn file_name(self) -> String {
        format!("point-{:04}-run-{:03}.wwr", self.point + 1, self.repeat + 1)
    }

    /// The settings of this step as environment variables: `SWEEP_CONNECTIONS=10`, and `SWEEP_REPEAT`.
    #[must_use]
    pub fn variables(self, vary: &[Vary], points: &[Point]) -> Vec<(String, String)> {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
        let settings = vary.iter().zip(&points[self.point].0).map(|(vary, &value)| {
            let name: String = vary.name.chars().map(letter).collect();
            (format!("SWEEP_{name}"), vary.values[value].label.clone())
        });
        settings.chain([("SWEEP_REPEAT".to_owned(), (self.repeat + 1).to_string())]).collect()
    }
}

/// Checks that a sweep has at most [`STEPS_MAX`] runs.
///
/// # Errors
/// When it has more.
pub const fn check_size(points: usize, repeats: usize) -> Result<(), VaryError> {
    if points.saturating_mul(repeats) > STEPS_MAX {
        return Err(VaryError::TooMany { points, repeats });
    }
    Ok(())
}

/// The text by which a sweep is recognized when it is resumed: its points, and the plan of each without its seed.
#[must_use]
pub fn definition(points: &[Point], vary: &[Vary], plans: impl Iterator<Item = String>) -> String {
    points.iter().zip(plans).map(|(point, plan)| format!("# {}\n{plan}\n", point.label(vary))).collect()
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Which step.
    pub step: Step,
    /// Whether its numbers can be believed.
    pub grade: Grade,
    /// Why not.
    pub doubts: Vec<Reason>,
    /// What should be known about the numbers but is no doubt.
    pub notes: Vec<Reason>,
    /// Completed calls a second.
    pub rate_per_s: f64,
    /// Bytes of replies a second.
    pub bytes_per_s: f64,
    /// Mean latency in nanoseconds.
    pub mean_ns: Option<f64>,
    /// Latency quantiles 0.5, 0.9, 0.99 in nanoseconds, where known.
    pub quantiles_ns: [Option<f64>; 3],
    /// Calls without the reply that was asked for, as a share (0 to 1).
    pub error_share: Option<f64>,
    /// Completed calls.
    pub completed: u64,
    /// Calls without the reply that was asked for.
    pub errors: u64,
}

impl Measured {
    /// The figures of a run.
    #[must_use]
    pub fn of(step: Step, summary: &Summary, verdict: &Verdict) -> Self {
        let quantile = |of: &Figures, name| of.quantile_ns(name).map(|ns| ns as f64);
        Self {
            step,
            grade: verdict.grade,
            doubts: verdict.doubts().cloned().collect(),
            // Percentiles without enough samples are left out of the table.
            notes: verdict.notes().filter(|note| note.cause != Cause::FewSamples).cloned().collect(),
            rate_per_s: summary.achieved.rate_per_s.value,
            bytes_per_s: summary.achieved.bytes_per_s,
            mean_ns: summary.latency.mean_ns,
            quantiles_ns: ["p50", "p90", "p99"].map(|name| quantile(&summary.latency, name)),
            error_share: summary.error_share,
            completed: summary.accounting.completed,
            errors: summary.errors,
        }
    }
}

/// A figure over the repeats of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Mean of the repeats.
    pub mean: f64,
    /// The least of them.
    pub least: f64,
    /// The greatest.
    pub most: f64,
}

impl Spread {
    /// Of these values; none when one of them is not known, or there are none.
    #[must_use]
    pub fn of(values: impl Iterator<Item = Option<f64>>) -> Option<Self> {
        let values: Vec<f64> = values.collect::<Option<_>>()?;
        let least = values.iter().copied().reduce(f64::min)?;
        let most = values.iter().copied().reduce(f64::max)?;
        Some(Self { mean: values.iter().sum::<f64>() / values.len() as f64, least, most })
    }
}

/// All that is known about a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Which point of the grid.
    pub point: usize,
    /// How many runs were made of it.
    pub runs: usize,
    /// The worst verdict among them; none without runs.
    pub grade: Option<Grade>,
    /// Reasons against the grade VALID: the worst of each cause, and the number of runs with that cause.
    pub doubts: Vec<(Reason, usize)>,
    /// Other remarks on the runs, in the same form.
    pub notes: Vec<(Reason, usize)>,
    /// Completed calls a second.
    pub rate_per_s: Option<Spread>,
    /// Bytes of replies a second.
    pub bytes_per_s: Option<Spread>,
    /// Mean latency in nanoseconds.
    pub mean_ns: Option<Spread>,
    /// Latency quantiles 0.5, 0.9, 0.99 in nanoseconds.
    pub quantiles_ns: [Option<Spread>; 3],
    /// Share of calls without the reply that was asked for (0 to 1).
    pub error_share: Option<Spread>,
    /// Completed calls in all.
    pub completed: u64,
    /// Calls without the reply that was asked for in all.
    pub errors: u64,
}

/// The rows of a table, one for each of `points` points in order, of what was measured so far.
#[must_use]
pub fn rows(points: usize, measured: &[Measured]) -> Vec<Row> {
    let row = |point| {
        let runs: Vec<&Measured> = measured.iter().filter(|one| one.step.point == point).collect();
        let spread = |of: &dyn Fn(&Measured) -> Option<f64>| Spread::of(runs.iter().map(|one| of(one)));
        Row {
            point,
            runs: runs.len(),
            grade: runs.iter().map(|one| one.grade).max(),
            rate_per_s: spread(&|one| Some(one.rate_per_s)),
            bytes_per_s: spread(&|one| Some(one.bytes_per_s)),
            mean_ns: spread(&|one| one.mean_ns),
            quantiles_ns: [0, 1, 2].map(|place| spread(&|one| one.quantiles_ns[place])),
            error_share: spread(&|one| one.error_share),
            completed: runs.iter().map(|one| one.completed).sum(),
            errors: runs.iter().map(|one| one.errors).sum(),
            doubts: by_cause(runs.iter().map(|one| one.doubts.as_slice())),
            notes: by_cause(runs.iter().map(|one| one.notes.as_slice())),
        }
    };
    (0..points).map(row).collect()
}

/// Returns the worst reason of each cause, and the number of runs with that cause.
fn by_cause<'r>(runs: impl Iterator<Item = &'r [Reason]>) -> Vec<(Reason, usize)> {
    let mut causes: Vec<(Reason, usize)> = Vec::new();
    for reasons in runs {
        for (place, reason) in reasons.iter().enumerate() {
            let is_again = reasons[..place].iter().any(|other| other.cause == reason.cause);
            match causes.iter_mut().find(|(other, _)| other.cause == reason.cause) {
                Some((worst, runs)) => {
                    *runs += usize::from(!is_again);
                    if reason.grade > worst.grade {
                        *worst = reason.clone();
                    }
                }
                None => causes.push((reason.clone(), 1)),
            }
        }
    }
    causes
}

/// A sweep and what came of it so far.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// What is varied.
    pub vary: Vec<Vary>,
    /// What was measured.
    pub measured: Vec<Measured>,
    /// Steps there are in all.
    pub steps: usize,
}

impl Sweep {
    /// Its points.
    #[must_use]
    pub fn points(&self) -> Vec<Point> {
        grid(&self.vary)
    }

    /// A row for each point.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        rows(self.points().len(), &self.measured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_measure::ReasonFigures;

    fn vary(text: &str) -> Vary {
        Vary::parse(text).unwrap()
    }

    #[test]
    fn parameters_are_read_with_the_names_of_targets() {
        let targets = vary("target=nginx:http://127.0.0.1:1/,http://b.test/x,c:127.0.0.1:80/y");
        let labels: Vec<&str> = targets.values.iter().map(|value| value.label.as_str()).collect();
        assert_eq!(labels, ["nginx", "http://b.test/x", "c"]);
        assert_eq!(targets.values[2].text, "127.0.0.1:80/y");
        assert_eq!(vary("--connections=10, 100").values[1].text, "100");
        for wrong in ["", "connections", "=1", "connections=", "connections=1,,2", "target=:http://a/"] {
            assert!(Vary::parse(wrong).is_err(), "`{wrong}`");
        }
    }

    #[test]
    fn words_about_one_parameter_belong_together() {
        let texts = ["body=a,b", "connections=1", "body=c"].map(str::to_owned);
        let all = Vary::parse_all(&texts).unwrap();
        assert_eq!((all.len(), all[0].values.len()), (2, 3));
        let twice = ["connections=1,2,1".to_owned()];
        assert_eq!(Vary::parse_all(&twice), Err(VaryError::Twice("connections=1".into())));
    }

    #[test]
    fn a_grid_has_every_combination_once() {
        let of = [vary("target=a:http://a/,b:http://b/"), vary("connections=1,2,3")];
        let points = grid(&of);
        assert_eq!(points.len(), 6);
        assert_eq!(points[4].label(&of), "target=b, connections=2");
        assert_eq!(grid(&[]).len(), 1);
    }

    #[test]
    fn every_order_runs_every_point_once_in_each_repeat() {
        for order in [Order::Given, Order::Balanced, Order::Random] {
            let steps = steps(5, 4, order, 3);
            for repeat in 0..4 {
                let mut turn: Vec<usize> = steps[repeat * 5..][..5].iter().map(|step| step.point).collect();
                assert!(steps[repeat * 5..][..5].iter().all(|step| step.repeat == repeat));
                match order {
                    Order::Given => assert!(turn.is_sorted()),
                    Order::Balanced => assert_eq!(turn[0], if repeat % 2 == 0 { 0 } else { 4 }),
                    Order::Random => {}
                }
                turn.sort_unstable();
                assert_eq!(turn, [0, 1, 2, 3, 4]);
            }
        }
        assert_ne!(steps(9, 1, Order::Random, 1), steps(9, 1, Order::Given, 1));
    }

    #[test]
    fn a_step_has_a_file_and_variables() {
        let of = [vary("connections=10,100"), vary("timeouts.call=1s,2s")];
        let points = grid(&of);
        let step = Step { point: 2, repeat: 1 };
        assert_eq!(step.file_name(), "point-0003-run-002.wwr");
        let variables = step.variables(&of, &points);
        let expected = [("SWEEP_CONNECTIONS", "100"), ("SWEEP_TIMEOUTS_CALL", "1s"), ("SWEEP_REPEAT", "2")];
        assert_eq!(variables, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn a_sweep_is_recognized_by_its_points_and_plans() {
        let of = [vary("connections=1,2")];
        let plans = ["a\n", "b\n"].map(str::to_owned);
        let text = definition(&grid(&of), &of, plans.into_iter());
        assert_eq!(text, "# connections=1\na\n\n# connections=2\nb\n\n");
    }

    #[test]
    fn a_grid_that_is_too_large_is_refused() {
        assert_eq!(check_size(100, 100), Ok(()));
        assert!(check_size(101, 100).is_err() && check_size(usize::MAX, 2).is_err());
    }

    #[test]
    fn a_row_says_how_far_the_repeats_are_apart_and_takes_the_worst_verdict() {
        let figures = ReasonFigures::LatePages { late_pages: 9 };
        let noisy = Reason::new(Grade::Degraded, Cause::LatePages, figures);
        let one = |repeat, rate_per_s, grade| Measured {
            step: Step { point: 1, repeat },
            grade,
            doubts: vec![noisy.clone()],
            notes: vec![noisy.clone()],
            rate_per_s,
            bytes_per_s: 0.0,
            mean_ns: (repeat == 0).then_some(5.0),
            quantiles_ns: [Some(rate_per_s), None, None],
            error_share: Some(0.0),
            completed: 10,
            errors: 0,
        };
        let rows = rows(2, &[one(0, 100.0, Grade::Valid), one(1, 200.0, Grade::Degraded)]);
        assert_eq!((rows[0].runs, rows[0].grade), (0, None));
        assert_eq!(rows[1].rate_per_s, Some(Spread { mean: 150.0, least: 100.0, most: 200.0 }));
        assert_eq!((rows[1].grade, rows[1].mean_ns, rows[1].completed), (Some(Grade::Degraded), None, 20));
        // The same cause in both runs is one entry.
        assert_eq!((&rows[1].doubts, &rows[1].notes), (&vec![(noisy.clone(), 2)], &vec![(noisy, 2)]));
    }
}
