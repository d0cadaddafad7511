//! The rate that a plan asks for over time, and what was achieved at each of its steps.

use crate::Report;
use crate::chart::Dot;
use crate::layout::UNKNOWN;
use crate::unit::{count, duration, rate};
use serde_json::{Value, json};
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_measure::{Latency, LatencyQuantile, is_known};
use warwolf_plan::{ArrivalProcess, Plan, Schedule};

/// Maximum number of steps shown; JSON has all of them.
pub(crate) const SHOWN: usize = 50;

pub(crate) const HEADINGS: [&str; 6] = ["from", "asked", "achieved", "p50", "p99", "errors"];

/// A step of the plan, with the figures of the intervals that lie entirely in it.
pub(crate) struct StepFigures {
    from: Duration,
    to: Duration,
    asked_per_s: f64,
    achieved_per_s: Option<f64>,
    /// Quantiles 0.5 and 0.99, where there are enough samples.
    quantiles: [Option<LatencyQuantile>; 2],
    completed: u64,
    errors: u64,
}

/// Returns the arrival process of a run, and the factor from its rate to requests per second of the shards in the run.
fn arrivals<'r>(report: &'r Report<'_>) -> Option<(&'r ArrivalProcess, f64)> {
    let Schedule::Open { arrivals, .. } = &report.plan.as_ref()?.schedule else { return None };
    let mean = arrivals.mean_rate(report.run.nominal.unwrap_or(Duration::from_secs(1)))?;
    let target = report.summary.target_rate?;
    (mean > 0.0).then_some((arrivals, target / mean))
}

/// Returns whether a plan asks for different loads at different times. A change of the figures is then expected.
pub(crate) fn changes(plan: &Plan) -> bool {
    match &plan.schedule {
        Schedule::Open { arrivals, .. } => matches!(
            arrivals,
            ArrivalProcess::Ramp { .. } | ArrivalProcess::Steps { .. } | ArrivalProcess::Trace { .. }
        ),
        Schedule::Closed { ramp, .. } => !ramp.is_zero(),
        Schedule::Turns { .. } => false,
    }
}

/// Returns the requested rate over time, in seconds and requests per second; empty if there is none.
pub(crate) fn line(report: &Report<'_>, end: f64) -> Vec<Dot> {
    let flat = |rate: f64| vec![Dot::new(0.0, rate), Dot::new(end, rate)];
    let points: Vec<(f64, f64)> = match arrivals(report) {
        Some((ArrivalProcess::Steps { steps }, scale)) => {
            let mut from = 0.0;
            let corners = steps.iter().flat_map(|step| {
                let start = from;
                from += step.lasts.as_secs_f64();
                [(start, step.rate * scale), (from, step.rate * scale)]
            });
            corners.collect()
        }
        Some((ArrivalProcess::Ramp { from, to, over }, scale)) => {
            let over = over.as_secs_f64();
            vec![(0.0, from * scale), (over, to * scale), (end.max(over), to * scale)]
        }
        _ => return report.summary.target_rate.map_or_else(Vec::new, flat),
    };
    cut(&points, end)
}

/// Returns the part of a line before `end`.
fn cut(points: &[(f64, f64)], end: f64) -> Vec<Dot> {
    let mut dots: Vec<Dot> = Vec::new();
    for (place, &(x, y)) in points.iter().enumerate() {
        if x <= end {
            dots.push(Dot::new(x, y));
            continue;
        }
        if let Some(&(before, from)) = place.checked_sub(1).and_then(|place| points.get(place)) {
            dots.push(Dot::new(end, from + (y - from) * (end - before) / (x - before)));
        }
        break;
    }
    dots
}

/// Describes the requested rate: `100/s`, `100/s, 300/s, 500/s (mean 300/s)`, `100/s to 500/s over 10.0 s (mean 300/s)`.
/// None if the plan requests no rate.
pub(crate) fn words(report: &Report<'_>) -> Option<String> {
    let mean = report.summary.target_rate?;
    let changing = match arrivals(report) {
        Some((ArrivalProcess::Steps { steps }, scale)) => match steps.as_slice() {
            [first, .., last] if steps.len() > 4 => {
                format!(
                    "{} to {} in {} steps",
                    rate(first.rate * scale),
                    rate(last.rate * scale),
                    steps.len()
                )
            }
            steps => steps.iter().map(|step| rate(step.rate * scale)).collect::<Vec<_>>().join(", "),
        },
        Some((ArrivalProcess::Ramp { from, to, over }, scale)) => {
            let over = duration(over.as_nanos() as f64);
            format!("{} to {} over {over}", rate(from * scale), rate(to * scale))
        }
        _ => return Some(rate(mean)),
    };
    Some(format!("{changing} (mean {})", rate(mean)))
}

/// Returns the heading of the table of [`steps`]. Plans may also have steps that are requests.
pub(crate) fn heading(report: &Report<'_>) -> &'static str {
    if report.summary.steps.is_empty() { "Steps:" } else { "Steps of the rate:" }
}

/// Returns the figures of each step that began; empty if the plan has no steps.
pub(crate) fn steps(report: &Report<'_>) -> Vec<StepFigures> {
    let Some((ArrivalProcess::Steps { steps }, scale)) = arrivals(report) else { return Vec::new() };
    let mut from = Duration::ZERO;
    let mut figures = Vec::new();
    for step in steps {
        let to = from + step.lasts;
        if from >= report.run.wall {
            break;
        }
        figures.push(step_figures(report, (from, to), step.rate * scale));
        from = to;
    }
    figures
}

fn step_figures(report: &Report<'_>, (from, to): (Duration, Duration), asked_per_s: f64) -> StepFigures {
    let window = report.run.timeline.window(Timestamp::ZERO + from, Timestamp::ZERO + to);
    let seconds = window.to.since(window.from).as_secs_f64();
    let latency = Latency::of(&window.tally);
    let quantile = |q| latency.quantile(q).filter(|_| is_known(q, latency.count()));
    StepFigures {
        from,
        to,
        asked_per_s,
        achieved_per_s: (seconds > 0.0).then(|| window.tally.completed() as f64 / seconds),
        quantiles: [quantile(0.5), quantile(0.99)],
        completed: window.tally.completed(),
        errors: window.tally.errors(),
    }
}

impl StepFigures {
    /// Returns the cells below [`HEADINGS`].
    pub(crate) fn cells(&self) -> Vec<String> {
        let [p50, p99] = self.quantiles.map(|quantile| {
            quantile.map_or_else(
                || UNKNOWN.to_owned(),
                |quantile| {
                    let sign = if quantile.is_at_least { ">" } else { "" };
                    format!("{sign}{}", duration(quantile.value_ns as f64))
                },
            )
        });
        vec![
            duration(self.from.as_nanos() as f64),
            rate(self.asked_per_s),
            self.achieved_per_s.map_or_else(|| UNKNOWN.to_owned(), rate),
            p50,
            p99,
            count(self.errors),
        ]
    }

    pub(crate) fn json(&self) -> Value {
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let value = |quantile: Option<LatencyQuantile>| quantile.map(|quantile| quantile.value_ns);
        json!({
            "from_ns": nanos(self.from),
            "to_ns": nanos(self.to),
            "asked_per_s": self.asked_per_s,
            "achieved_per_s": self.achieved_per_s,
            "latency_p50_ns": value(self.quantiles[0]),
            "latency_p99_ns": value(self.quantiles[1]),
            "completed": self.completed,
            "errors": self.errors,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, fixture};
    use warwolf_plan::RateStep;

    fn step(rate: f64, seconds: u64) -> RateStep {
        RateStep { rate, lasts: Duration::from_secs(seconds) }
    }

    fn stepped() -> ArrivalProcess {
        ArrivalProcess::Steps { steps: vec![step(50.0, 4), step(150.0, 4), step(100.0, 4)] }
    }

    fn points(dots: &[Dot]) -> Vec<(f64, f64)> {
        dots.iter().map(|dot| (dot.x, dot.y)).collect()
    }

    #[test]
    fn steps_and_ramps_are_drawn_as_asked() {
        let run = fixture::arriving(stepped());
        let expected = [(0.0, 50.0), (4.0, 50.0), (4.0, 150.0), (8.0, 150.0), (8.0, 100.0), (10.0, 100.0)];
        assert_eq!(points(&line(&Report::of(&run), 10.0)), expected);
        let ramp = |over| ArrivalProcess::Ramp { from: 0.0, to: 200.0, over: Duration::from_secs(over) };
        let run = fixture::arriving(ramp(5));
        assert_eq!(points(&line(&Report::of(&run), 10.0)), [(0.0, 0.0), (5.0, 200.0), (10.0, 200.0)]);
        let run = fixture::arriving(ramp(20));
        assert_eq!(points(&line(&Report::of(&run), 10.0)), [(0.0, 0.0), (10.0, 100.0)]);
    }

    #[test]
    fn figures_that_follow_the_asked_rate_are_not_noted() {
        let has_note = |run: &warwolf_measure::Run| {
            Report::of(run).verdict.notes().any(|note| note.cause == warwolf_measure::Cause::Trend)
        };
        let constant = fixture::growing(ArrivalProcess::Constant { rate: 300.0 });
        assert!(has_note(&constant));
        for arrivals in [
            ArrivalProcess::Steps { steps: vec![step(100.0, 10), step(500.0, 10)] },
            ArrivalProcess::Ramp { from: 100.0, to: 500.0, over: Duration::from_secs(20) },
        ] {
            assert!(!has_note(&fixture::growing(arrivals)));
        }
    }

    #[test]
    fn every_step_has_a_row_in_every_form() {
        let run = fixture::arriving(stepped());
        let report = Report::of(&run);
        let rows: Vec<Vec<String>> = steps(&report).iter().map(StepFigures::cells).collect();
        assert_eq!(rows[0], ["0 ns", "50.0/s", "99.2/s", "1.50 ms", "2.00 ms", "7"]);
        assert_eq!(rows[1][..3], ["4.00 s", "150/s", "100/s"]);
        assert_eq!(rows[2][4], "-", "two seconds are too few samples for p99");
        assert_eq!(words(&report).as_deref(), Some("50.0/s, 150/s, 100/s (mean 100/s)"));
        for format in [Format::Text, Format::Markdown, Format::Html] {
            let text = report.render(format, false);
            assert!(text.contains("4.00 s") && text.contains("150/s"), "{text}");
        }
        let json: Value = serde_json::from_str(&report.render(Format::Json, false)).unwrap();
        assert_eq!(json["steps"][1]["asked_per_s"], 150.0);
    }
}
