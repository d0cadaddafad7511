//! Parses SLOs as people write them, and checks whether a run met them.

use crate::estimate::is_known;
use crate::labels::Scope;
use crate::{Distribution, Latency, LatencyQuantile, Phase, RowLabels, Summary, Tally};
use std::fmt;

/// The figure that an SLO limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Metric {
    /// A quantile of latency (between 0 and 1), in nanoseconds.
    Quantile(f64),
    /// The mean of latency, in nanoseconds.
    Mean,
    /// The least latency, in nanoseconds.
    Min,
    /// The greatest latency, in nanoseconds.
    Max,
    /// The share of calls that did not get the requested reply (0 to 1).
    Errors,
    /// Completed calls a second.
    Rate,
}

/// How the figure and the limit must compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Comparison {
    /// The sign.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        }
    }

    fn holds(self, figure: f64, limit: f64) -> bool {
        match self {
            Self::Less => figure < limit,
            Self::AtMost => figure <= limit,
            Self::Greater => figure > limit,
            Self::AtLeast => figure >= limit,
        }
    }
}

/// One SLO, such as `p99<200ms`, `p(95)<200`, `errors<0.1%`, `rps>=4900` or `login: p99<200ms`.
#[derive(Clone, Debug, PartialEq)]
pub struct Slo {
    /// The SLO as it was written.
    pub text: String,
    /// Name of the row, group or scenario that it is about; none if it is about the whole run.
    pub name: Option<String>,
    /// The figure that it limits.
    pub metric: Metric,
    /// How the figure must compare.
    pub comparison: Comparison,
    /// The limit, in the unit of the metric.
    pub limit: f64,
}

/// The error in the text of an SLO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SloError {
    /// The wrong part: `slo`, `slo metric` or `slo limit`.
    pub field: &'static str,
    /// What that part contains.
    pub value: String,
    /// A correct form.
    pub remedy: &'static str,
}

impl fmt::Display for SloError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}`: {}", self.field, self.value, self.remedy)
    }
}

impl std::error::Error for SloError {}

/// Whether an SLO was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SloState {
    /// The figure is on the right side of the limit.
    Held,
    /// It is on the wrong side.
    Broken,
    /// There are not enough samples, or not enough calls had an end. Not met.
    Unknown,
}

/// An SLO with the result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct SloResult {
    /// The SLO.
    pub slo: Slo,
    /// The figure, in the unit of the metric; none when there are not enough samples for it.
    pub actual: Option<f64>,
    /// Whether it is greater than `actual`, by an unknown amount, because too many calls had no end.
    pub is_at_least: bool,
    /// Whether it was met.
    pub state: SloState,
}

impl SloResult {
    /// Returns whether the SLO was met. Without enough samples it is not: a gate must not open by itself.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.state == SloState::Held
    }
}

impl Metric {
    fn parse(text: &str) -> Option<Self> {
        let metric = match text.to_ascii_lowercase().as_str() {
            "mean" | "avg" | "average" => Self::Mean,
            "med" | "median" => Self::Quantile(0.5),
            "min" => Self::Min,
            "max" => Self::Max,
            "errors" | "error" | "error_rate" | "http_req_failed" => Self::Errors,
            "rps" | "rate" => Self::Rate,
            name => {
                let percent = name.strip_prefix('p')?;
                let percent =
                    percent.strip_prefix('(').map_or(Some(percent), |rest| rest.strip_suffix(')'))?;
                let percent: f64 = percent.parse().ok()?;
                (percent > 0.0 && percent < 100.0).then(|| Self::Quantile((percent * 1e7).round() / 1e9))?
            }
        };
        Some(metric)
    }

    fn parse_limit(self, text: &str, as_k6: bool) -> Result<f64, &'static str> {
        match self {
            Self::Errors => {
                let (number, scale) = match text.strip_suffix('%') {
                    Some(percent) => (percent, 0.01),
                    None => (text, 1.0),
                };
                let share = positive(number).map(|number| number * scale).filter(|share| *share <= 1.0);
                share.ok_or("use a share, such as 0.1% or 0.001")
            }
            Self::Rate => {
                let number = text.strip_suffix("/s").unwrap_or(text);
                positive(number).ok_or("use calls a second, such as 4900 or 4900/s")
            }
            _ => nanos(text, as_k6).ok_or("use a duration with its unit, such as 200ms or 1.5s"),
        }
    }
}

fn positive(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)
}

/// A duration in nanoseconds. A bare number is milliseconds in k6's own notation, and nothing elsewhere.
fn nanos(text: &str, as_k6: bool) -> Option<f64> {
    let units = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9)];
    let with_unit = units.iter().find_map(|(unit, scale)| Some(positive(text.strip_suffix(unit)?)? * scale));
    with_unit.or_else(|| as_k6.then(|| positive(text)).flatten().map(|millis| millis * 1e6))
}

impl Slo {
    /// Reads an SLO: a metric (`p99`, `p(99.9)`, `median`, `mean`, `min`, `max`, `errors`, `rps`), one of `<`, `<=`,
    /// `>`, `>=`, and a limit. The name of a row, group or scenario and a colon may stand before the metric. Latencies need a unit, except after `p(95)`, where a bare number is milliseconds as in k6.
    ///
    /// # Errors
    /// Which part is wrong and what would be right.
    pub fn parse(text: &str) -> Result<Self, SloError> {
        let wrong = |field, value: &str, remedy| SloError { field, value: value.to_owned(), remedy };
        let shape = || wrong("slo", text, "use a metric, a comparison and a limit, such as p99<200ms");
        let (name, condition) = match text.rsplit_once(':') {
            Some((name, condition)) => (Some(name.trim()), condition),
            None => (None, text),
        };
        if name.is_some_and(str::is_empty) {
            return Err(wrong("slo", text, "put the name of a step, group or scenario before the colon"));
        }
        let place = condition.find(['<', '>']).ok_or_else(shape)?;
        let (metric_text, rest) = condition.split_at(place);
        let (comparison, limit_text) = match rest.strip_prefix('<') {
            Some(rest) => match rest.strip_prefix('=') {
                Some(limit) => (Comparison::AtMost, limit),
                None => (Comparison::Less, rest),
            },
            None => match rest[1..].strip_prefix('=') {
                Some(limit) => (Comparison::AtLeast, limit),
                None => (Comparison::Greater, &rest[1..]),
            },
        };
        let (metric_text, limit_text) = (metric_text.trim(), limit_text.trim());
        if metric_text.is_empty() || limit_text.is_empty() {
            return Err(shape());
        }
        let names = "use p50, p99, p(99.9), median, mean, min, max, errors or rps";
        let metric = Metric::parse(metric_text).ok_or_else(|| wrong("slo metric", metric_text, names))?;
        let limit = metric
            .parse_limit(limit_text, metric_text.contains('('))
            .map_err(|remedy| wrong("slo limit", limit_text, remedy))?;
        Ok(Self { text: text.to_owned(), name: name.map(str::to_owned), metric, comparison, limit })
    }

    /// Compares the run's figure with the limit.
    #[must_use]
    pub fn judge(&self, summary: &Summary) -> SloResult {
        if let Some(name) = &self.name {
            let seconds = summary.window.1.since(summary.window.0).as_secs_f64();
            return self.judge_part(name, &summary.tally, &summary.labels, seconds);
        }
        let mut is_at_least = false;
        let actual = match self.metric {
            Metric::Quantile(quantile) => {
                let value = known_quantile(&summary.tally, quantile);
                is_at_least = value.is_some_and(|value| value.is_at_least);
                value.map(|value| value.value_ns as f64)
            }
            Metric::Mean => summary.latency.mean_ns,
            Metric::Min => summary.latency.min_ns.map(|nanos| nanos as f64),
            Metric::Max => summary.latency.max_ns.map(|nanos| nanos as f64),
            Metric::Errors => summary.error_share,
            Metric::Rate => Some(summary.achieved.rate_per_s.value),
        };
        self.result(actual, is_at_least)
    }

    /// Compares the figure of a run that goes on with the limit. `tally` is what was counted in `seconds` after the warm-up;
    /// calls in flight are not in it. `labels` are the names of its rows.
    #[must_use]
    pub fn judge_so_far(&self, tally: &Tally, labels: &RowLabels, seconds: f64) -> SloResult {
        if let Some(name) = &self.name {
            return self.judge_part(name, tally, labels, seconds);
        }
        let moments = tally.phase(Phase::Latency).moments();
        let share = |part: u64, of: u64| (of > 0).then(|| part as f64 / of as f64);
        let actual = match self.metric {
            Metric::Quantile(quantile) => known_quantile(tally, quantile).map(|value| value.value_ns as f64),
            Metric::Mean => moments.mean_ns(),
            Metric::Min => moments.min_ns().map(|nanos| nanos as f64),
            Metric::Max => moments.max_ns().map(|nanos| nanos as f64),
            Metric::Errors => share(tally.errors(), tally.finished()),
            Metric::Rate => (seconds > 0.0).then(|| tally.completed() as f64 / seconds),
        };
        self.result(actual, false)
    }

    /// Compares the figure of a row, group or scenario with the limit. Only requests that ended are in it. Unknown if nothing has
    /// the name.
    fn judge_part(&self, name: &str, tally: &Tally, labels: &RowLabels, seconds: f64) -> SloResult {
        let actual = match labels.scope(name) {
            Some(Scope::Rows(rows)) => {
                let row = tally.rows_together(&rows);
                let finished = row.completed + row.failed;
                self.part_figure(&row.latency, row.errors, finished, row.completed, seconds)
            }
            Some(Scope::Group(group)) => tally.group_results(group).and_then(|group| {
                let finished = group.completed + group.failed;
                self.part_figure(&group.wall, group.failed, finished, group.completed, seconds)
            }),
            None => None,
        };
        self.result(actual, false)
    }

    fn part_figure(
        &self,
        latency: &Distribution,
        errors: u64,
        finished: u64,
        completed: u64,
        seconds: f64,
    ) -> Option<f64> {
        let moments = latency.moments();
        match self.metric {
            Metric::Quantile(quantile) => latency
                .quantile(quantile)
                .filter(|_| is_known(quantile, latency.count()))
                .map(|nanos| nanos as f64),
            Metric::Mean => moments.mean_ns(),
            Metric::Min => moments.min_ns().map(|nanos| nanos as f64),
            Metric::Max => moments.max_ns().map(|nanos| nanos as f64),
            Metric::Errors => (finished > 0).then(|| errors as f64 / finished as f64),
            Metric::Rate => (seconds > 0.0).then(|| completed as f64 / seconds),
        }
    }

    fn result(&self, actual: Option<f64>, is_at_least: bool) -> SloResult {
        let is_upper_limit = matches!(self.comparison, Comparison::Less | Comparison::AtMost);
        let state = match actual {
            // The true value is greater than the figure, which may be on either side of the limit.
            Some(figure) if is_at_least && (figure < self.limit) => SloState::Unknown,
            Some(_) if is_at_least => {
                if is_upper_limit {
                    SloState::Broken
                } else {
                    SloState::Held
                }
            }
            Some(figure) if self.comparison.holds(figure, self.limit) => SloState::Held,
            Some(_) => SloState::Broken,
            None => SloState::Unknown,
        };
        SloResult { slo: self.clone(), actual, is_at_least, state }
    }
}

/// Returns a quantile of the latency, if there are enough values for it.
fn known_quantile(tally: &Tally, quantile: f64) -> Option<LatencyQuantile> {
    let latency = Latency::of(tally);
    latency.quantile(quantile).filter(|_| is_known(quantile, latency.count()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, Run, Sample};
    use std::time::Duration;
    use warwolf_clock::Timestamp;

    #[test]
    fn slos_are_judged_while_the_run_goes_on() {
        let mut tally = Tally::new();
        for number in 0..400 {
            let at = |us: u64| Timestamp::from_nanos(us * 1_000);
            tally.record(&Sample {
                intended: at(0),
                started: at(0),
                sent: at(0),
                first_byte: at(500),
                finished: at(1_000),
                body_bytes: 0,
                header_bytes: 0,
                sent_bytes: 0,
                status: if number < 4 { 503 } else { 200 },
                target: 0,
                outcome: Outcome::Completed,
                check_failed: false,
            });
        }
        for (slo, expected) in [
            ("p99<2ms", SloState::Held),
            ("p99<500us", SloState::Broken),
            ("p99.99<2ms", SloState::Unknown),
            ("avg<2ms", SloState::Held),
            ("max<1ms", SloState::Broken),
            ("errors<0.5%", SloState::Broken),
            ("rps>=200", SloState::Held),
        ] {
            assert_eq!(
                Slo::parse(slo).unwrap().judge_so_far(&tally, &RowLabels::default(), 2.0).state,
                expected,
                "{slo}"
            );
        }
        let nothing = Slo::parse("p99<2ms").unwrap().judge_so_far(&Tally::new(), &RowLabels::default(), 0.0);
        assert_eq!(nothing.state, SloState::Unknown);
    }

    #[test]
    fn slos_are_read_as_people_write_them() {
        use Comparison::{AtLeast, AtMost, Greater, Less};
        for (text, metric, comparison, limit) in [
            ("p99<200ms", Metric::Quantile(0.99), Less, 200e6),
            ("p99.9 <= 1.5s", Metric::Quantile(0.999), AtMost, 1.5e9),
            ("p(95)<200", Metric::Quantile(0.95), Less, 200e6),
            ("p(95)<200us", Metric::Quantile(0.95), Less, 200e3),
            ("median<5ms", Metric::Quantile(0.5), Less, 5e6),
            ("avg<2m", Metric::Mean, Less, 120e9),
            ("min>10µs", Metric::Min, Greater, 10e3),
            ("max<=3s", Metric::Max, AtMost, 3e9),
            ("errors<0.1%", Metric::Errors, Less, 0.001),
            ("errors<=0.02", Metric::Errors, AtMost, 0.02),
            ("rps>=4900", Metric::Rate, AtLeast, 4900.0),
            ("RPS>12.5/s", Metric::Rate, Greater, 12.5),
        ] {
            let slo = Slo::parse(text).unwrap();
            assert_eq!((slo.metric, slo.comparison, slo.text.as_str()), (metric, comparison, text));
            assert!((slo.limit / limit - 1.0).abs() < 1e-12, "{text}: {}", slo.limit);
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_what_would_be_right() {
        for (text, message) in [
            ("", "slo: ``: use a metric, a comparison and a limit, such as p99<200ms"),
            ("p99", "slo: `p99`: use a metric, a comparison and a limit, such as p99<200ms"),
            ("p99<", "slo: `p99<`: use a metric, a comparison and a limit, such as p99<200ms"),
            ("p99=5ms", "slo: `p99=5ms`: use a metric, a comparison and a limit, such as p99<200ms"),
            ("p100<5ms", "slo metric: `p100`: use p50, p99, p(99.9), median, mean, min, max, errors or rps"),
            ("p(99<5ms", "slo metric: `p(99`: use p50, p99, p(99.9), median, mean, min, max, errors or rps"),
            ("speed>3", "slo metric: `speed`: use p50, p99, p(99.9), median, mean, min, max, errors or rps"),
            (": p99<5ms", "slo: `: p99<5ms`: put the name of a step, group or scenario before the colon"),
            (
                "item: speed>3",
                "slo metric: `speed`: use p50, p99, p(99.9), median, mean, min, max, errors or rps",
            ),
            ("p99<200", "slo limit: `200`: use a duration with its unit, such as 200ms or 1.5s"),
            ("p99<-1ms", "slo limit: `-1ms`: use a duration with its unit, such as 200ms or 1.5s"),
            ("errors<101%", "slo limit: `101%`: use a share, such as 0.1% or 0.001"),
            ("rps>fast", "slo limit: `fast`: use calls a second, such as 4900 or 4900/s"),
        ] {
            assert_eq!(Slo::parse(text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn an_slo_may_name_a_row() {
        for (text, name, metric) in [
            ("item: p99<200ms", Some("item"), Metric::Quantile(0.99)),
            (" my step :errors<1%", Some("my step"), Metric::Errors),
            ("http://a.test/x: rps>5/s", Some("http://a.test/x"), Metric::Rate),
            ("p99<200ms", None, Metric::Quantile(0.99)),
        ] {
            let slo = Slo::parse(text).unwrap();
            assert_eq!((slo.name.as_deref(), slo.metric, slo.text.as_str()), (name, metric, text));
        }
    }

    /// A second with a hundred calls of 1 to 100 ms, five of which were answered with 500.
    fn summary() -> Summary {
        let mut run = Run::new(Duration::from_secs(1));
        run.wall = Duration::from_secs(1);
        let mut tally = Tally::new();
        tally.planned(100);
        tally.started(100);
        for number in 1..=100u64 {
            let finished = Timestamp::from_nanos(number * 1_000_000);
            tally.record(&Sample {
                intended: Timestamp::ZERO,
                started: Timestamp::ZERO,
                sent: Timestamp::ZERO,
                first_byte: finished,
                finished,
                body_bytes: 0,
                header_bytes: 0,
                sent_bytes: 0,
                status: if number % 20 == 0 { 500 } else { 200 },
                target: 0,
                outcome: Outcome::Completed,
                check_failed: false,
            });
        }
        run.timeline.add(0, &tally);
        Summary::of(&run)
    }

    #[test]
    fn slos_are_judged_by_the_figures() {
        use SloState::{Broken, Held, Unknown};
        let summary = summary();
        for (text, state, actual) in [
            ("p90<91ms", Held, Some(90e6)),
            ("p90<89ms", Broken, Some(90e6)),
            ("p99<1s", Unknown, None),
            ("mean<=50.5ms", Held, Some(50.5e6)),
            ("max<100ms", Broken, Some(100e6)),
            ("min>=1ms", Held, Some(1e6)),
            ("errors<5%", Broken, Some(0.05)),
            ("errors<=5%", Held, Some(0.05)),
            ("rps>=100", Held, Some(100.0)),
            ("rps>100", Broken, Some(100.0)),
        ] {
            let result = Slo::parse(text).unwrap().judge(&summary);
            let is_near = |(found, expected): (f64, f64)| (found - expected).abs() < expected * 0.001;
            assert_eq!(result.state, state, "{text}");
            assert_eq!(result.actual.is_none(), actual.is_none(), "{text}");
            assert!(result.actual.zip(actual).is_none_or(is_near), "{text}: {:?}", result.actual);
            assert_eq!(result.is_held(), state == Held);
        }
    }
}
