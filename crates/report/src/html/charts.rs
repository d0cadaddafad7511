//! The charts of one run.

use crate::Report;
use crate::chart::{Axis, Chart, Column, Columns, Dot, Layer, Scale, Series, Unit};
use std::collections::BTreeMap;
use warwolf_measure::{Distribution, Interval, IntervalFigures, Outcome, Phase, Summary, Tally};

/// Returns every chart of a run, in the order of the page.
pub(crate) fn all(report: &Report<'_>) -> Vec<Chart> {
    let summary = &report.summary;
    let moments = Moment::all(report);
    let charts = [
        Some(percentiles(summary)).filter(|_| summary.latency.count > 0),
        Some(histogram(summary)).filter(|_| summary.latency.count > 0),
        Some(latency(summary, &moments)).filter(|_| summary.latency.count > 0),
        Some(rate(report, &moments)),
        Some(errors(&moments)),
        Some(phases(summary)).filter(|_| summary.latency.count > 0),
        Some(lag(&moments)),
        Some(in_flight(&moments)),
    ];
    charts.into_iter().flatten().collect()
}

/// Approximate maximum number of points of a line over time. More would be a scribble.
const POINTS: usize = 120;

/// Neighbouring intervals of a run, added up.
struct Moment {
    tally: Tally,
    figures: IntervalFigures,
}

impl Moment {
    /// Returns the intervals of a run, as many together as give at most about [`POINTS`] moments. No moment contains both
    /// measured and excluded intervals.
    fn all(report: &Report<'_>) -> Vec<Self> {
        let measured: Vec<bool> = report.summary.intervals.iter().map(|interval| interval.measured).collect();
        let together = measured.len().div_ceil(POINTS).max(1);
        let mut groups: Vec<(Interval, bool, usize)> = Vec::new();
        for (interval, measured) in report.run.timeline.intervals().zip(measured) {
            match groups.last_mut() {
                Some((group, of, size)) if *of == measured && *size < together => {
                    group.end = interval.end;
                    group.tally.follow(&interval.tally);
                    *size += 1;
                }
                _ => groups.push((interval, measured, 1)),
            }
        }
        let moment = |(group, measured, _): (Interval, bool, usize)| Self {
            figures: IntervalFigures::of(&group, measured),
            tally: group.tally,
        };
        groups.into_iter().map(moment).collect()
    }

    /// Returns start and end in seconds.
    fn seconds(&self) -> (f64, f64) {
        (self.figures.start.as_nanos() as f64 / 1e9, self.figures.end.as_nanos() as f64 / 1e9)
    }
}

fn loop_words(summary: &Summary) -> &'static str {
    crate::layout::loop_name(summary)
}

/// Returns quantile against value, for each rank where the curve bends; equal values form one step.
fn curve(name: &str, look: usize, of: &Distribution) -> Series {
    let total = of.count();
    let mut passed = 0;
    let mut points: Vec<Dot> = Vec::new();
    for (first, last, count) in of.histogram().bins() {
        passed += count;
        let share = (passed as f64 - 0.5) / total as f64;
        let value = (first as f64 + (last - first) as f64 / 2.0).max(1.0);
        // A chart is about 400 points wide.
        let far = points.last().is_none_or(|dot| {
            let nines = |share: f64| -(1.0 - share).log10();
            nines(share) - nines(dot.x) > 0.01 || passed == total
        });
        if far {
            points.push(Dot::new(share, value));
        }
    }
    Series { name: name.to_owned(), look, points, marked: false }
}

fn percentiles(summary: &Summary) -> Chart {
    let curves = [("latency", Phase::Latency), ("service", Phase::Service), ("lag", Phase::Lag)];
    let series: Vec<Series> = curves
        .into_iter()
        .enumerate()
        .filter(|(_, (_, phase))| summary.tally.phase(*phase).count() > 0)
        .map(|(look, (name, phase))| curve(name, look, summary.tally.phase(phase)))
        .collect();
    let xs = series.iter().flat_map(|line| line.points.iter().map(|dot| dot.x));
    let ys = series.iter().flat_map(|line| line.points.iter().map(|dot| dot.y.max(1_000.0)));
    Chart {
        name: "percentiles",
        title: format!("Percentiles ({})", loop_words(summary)),
        x: Axis::new("share of calls that took no longer", Scale::Nines, Unit::Share, xs),
        y: Axis::new("time", Scale::Log, Unit::Duration, ys),
        layers: series.into_iter().map(Layer::Line).collect(),
        note: "Each nine to the right is ten times rarer. Latency counts from when a call was due, service from when it was \
               sent, lag is what lies before."
            .to_owned(),
    }
}

/// Number of bars of the histogram.
const BARS: usize = 48;

fn histogram(summary: &Summary) -> Chart {
    let latency = summary.tally.phase(Phase::Latency);
    let low = latency.quantile(0.0).unwrap_or(1).max(1) as f64;
    let high = (latency.quantile(1.0).unwrap_or(1) as f64).max(low * 1.1);
    let step = (high / low).powf(1.0 / BARS as f64);
    let column =
        |bar| Column { from: low * step.powi(bar), to: low * step.powi(bar + 1), low: 0.0, high: 0.0 };
    let mut columns: Vec<Column> = (0..BARS as i32).map(column).collect();
    for (first, last, count) in latency.histogram().bins() {
        let middle = first as f64 + (last - first) as f64 / 2.0;
        let bar = ((middle / low).ln() / step.ln()).max(0.0) as usize;
        columns[bar.min(BARS - 1)].high += count as f64;
    }
    let y = Axis::new("calls", Scale::Linear, Unit::Count, columns.iter().map(|column| column.high));
    Chart {
        name: "histogram",
        title: format!("Latency histogram ({})", loop_words(summary)),
        x: Axis::new("latency", Scale::Log, Unit::Duration, [low, high].into_iter()),
        y,
        layers: vec![Layer::Columns(Columns { columns, ..Columns::default() })],
        note: String::new(),
    }
}

/// Returns the time axis of a run.
fn time(moments: &[Moment]) -> Axis {
    let end = moments.last().map_or(1.0, |moment| moment.seconds().1);
    Axis::new("time since the start", Scale::Linear, Unit::Time, [end].into_iter()).over(0.0, end)
}

/// Returns shades for the warm-up and all other times that are excluded from the figures.
fn shades(moments: &[Moment]) -> Vec<Layer> {
    let apart = moments.iter().filter(|moment| !moment.figures.measured).map(Moment::seconds);
    apart.map(|(from, to)| Layer::Shade { from, to }).collect()
}

/// Returns a figure of each moment, at its middle.
fn over_time(
    moments: &[Moment],
    name: &str,
    look: usize,
    of: impl Fn(&IntervalFigures) -> Option<f64>,
) -> Series {
    let dot = |moment: &Moment| {
        let (from, to) = moment.seconds();
        Dot::new(f64::midpoint(from, to), of(&moment.figures).unwrap_or(f64::NAN))
    };
    Series { name: name.to_owned(), look, points: moments.iter().map(dot).collect(), marked: false }
}

/// Number of rows of the heat map.
const HEAT: i32 = 32;

fn latency(summary: &Summary, moments: &[Moment]) -> Chart {
    let latency = summary.tally.phase(Phase::Latency);
    let low = latency.quantile(0.0).unwrap_or(1).max(1_000) as f64;
    let high = latency.quantile(1.0).unwrap_or(1) as f64;
    let y = Axis::new("latency", Scale::Log, Unit::Duration, [low, high].into_iter());
    let lines = [("p50", 0), ("p90", 1), ("p99", 2)].map(|(name, place)| {
        over_time(moments, name, place + 1, move |interval| {
            interval.latency_ns.map(|l| l[place].max(1) as f64)
        })
    });
    let mut layers = shades(moments);
    layers.push(Layer::Heat { cells: heat(moments, y.range) });
    layers.extend(lines.into_iter().map(Layer::Line));
    Chart {
        name: "latency",
        title: format!("Latency over time ({})", loop_words(summary)),
        x: time(moments),
        y,
        layers,
        note: "The stronger the colour of a cell, the more of the calls that ended then took so long."
            .to_owned(),
    }
}

/// Returns the cells of the heat map: how the latencies of each moment are distributed.
fn heat(moments: &[Moment], (low, high): (f64, f64)) -> Vec<([f64; 4], f64)> {
    let step = (high / low).powf(1.0 / f64::from(HEAT));
    let column = |moment: &Moment| {
        let mut rows = vec![0.0; HEAT as usize];
        for (first, last, calls) in moment.tally.phase(Phase::Latency).histogram().bins() {
            let middle = first as f64 + (last - first) as f64 / 2.0;
            let row = ((middle / low).ln() / step.ln()).clamp(0.0, f64::from(HEAT - 1)) as usize;
            rows[row] += calls as f64;
        }
        (moment.seconds(), rows)
    };
    let cells = moments.iter().map(column).flat_map(|((from, to), rows)| {
        let sum: f64 = rows.iter().sum();
        rows.into_iter().enumerate().filter(|(_, calls)| *calls > 0.0).map(move |(row, calls)| {
            let (bottom, top) = (low * step.powi(row as i32), low * step.powi(row as i32 + 1));
            // The square root keeps rare calls visible next to frequent ones.
            ([from, to, bottom, top], 0.75 * (calls / sum).sqrt())
        })
    });
    cells.collect()
}

fn rate(report: &Report<'_>, moments: &[Moment]) -> Chart {
    // The last moment may be too short for a meaningful rate.
    let usual = moments.first().map_or(0.0, |moment| moment.seconds().1 - moment.seconds().0);
    let done = over_time(moments, "completed", 0, |interval| {
        let length = interval.end.since(interval.start).as_secs_f64();
        Some(interval.rate_per_s).filter(|_| length > 0.5 * usual)
    });
    let x = time(moments);
    let asked = crate::asked::line(report, x.range.1);
    let values = done.points.iter().chain(&asked).map(|dot| dot.y);
    let y = Axis::new("calls a second", Scale::Linear, Unit::Rate, values);
    let mut layers = shades(moments);
    layers.push(Layer::Line(done));
    if !asked.is_empty() {
        layers.push(Layer::Line(Series { name: "asked for".into(), look: 1, points: asked, marked: false }));
    }
    Chart { name: "rate", title: "Rate over time".into(), x, y, layers, note: String::new() }
}

/// Kinds of errors with a colour of their own; all others together have one more.
const KINDS: usize = 4;

/// Returns the errors of a tally by kind: each status of 400 and above, and each way to end without a reply.
fn kinds(tally: &Tally) -> impl Iterator<Item = (String, u64)> {
    let statuses = tally.statuses().filter(|(status, _)| *status >= 400);
    let endings =
        tally.outcomes().filter(|(outcome, _)| !matches!(outcome, Outcome::Completed | Outcome::Unfinished));
    let statuses = statuses.map(|(status, calls)| (format!("status {status}"), calls));
    statuses.chain(endings.map(|(outcome, calls)| (outcome.text().to_owned(), calls)))
}

/// Returns the chart of errors over time, stacked by kind.
fn errors(moments: &[Moment]) -> Chart {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for (kind, calls) in moments.iter().flat_map(|moment| kinds(&moment.tally)) {
        *sums.entry(kind).or_default() += calls;
    }
    let mut names: Vec<(String, u64)> = sums.into_iter().collect();
    names.sort_by_key(|(_, calls)| std::cmp::Reverse(*calls));
    let has_others = names.len() > KINDS + 1;
    names.truncate(if has_others { KINDS } else { KINDS + 1 });
    let mut names: Vec<String> = names.into_iter().map(|(kind, _)| kind).collect();
    if has_others {
        names.push("others".to_owned());
    }
    let mut stacks: Vec<Columns> = (0..)
        .zip(&names)
        .map(|(look, name)| Columns { name: name.clone(), look, columns: Vec::new() })
        .collect();
    for moment in moments {
        let (from, to) = moment.seconds();
        let mut calls = vec![0; names.len()];
        for (kind, number) in kinds(&moment.tally) {
            let place = names.iter().position(|name| *name == kind).unwrap_or(names.len() - 1);
            calls[place] += number;
        }
        let mut low = 0.0;
        for (stack, calls) in stacks.iter_mut().zip(calls) {
            let high = low + calls as f64 / (to - from).max(1e-9);
            stack.columns.push(Column { from, to, low, high });
            low = high;
        }
    }
    let tops = stacks.iter().flat_map(|stack| stack.columns.iter().map(|column| column.high));
    let y = Axis::new("errors a second", Scale::Linear, Unit::Rate, tops);
    let mut layers = shades(moments);
    let note = match stacks.len() {
        0 => "There were none.",
        1 => "",
        _ => "Stacked in the order of the names, the first at the bottom.",
    };
    layers.extend(stacks.into_iter().map(Layer::Columns));
    Chart { name: "errors", title: "Errors over time".into(), x: time(moments), y, layers, note: note.into() }
}

/// Returns the chart of where the time of a call goes: mean, p50 and p99 of each phase.
fn phases(summary: &Summary) -> Chart {
    let phases: Vec<_> =
        crate::layout::phases(summary).into_iter().filter(|(_, figures)| figures.count > 0).collect();
    let series = [("mean", 0), ("p50", 1), ("p99", 2)].map(|(name, look)| {
        let value = |figures: &warwolf_measure::Figures| match name {
            "mean" => figures.mean_ns,
            name => figures.quantile_ns(name).map(|ns| ns as f64),
        };
        let dots = phases.iter().enumerate().map(|(place, (_, figures))| {
            Dot::new(place as f64, value(figures).filter(|ns| *ns > 0.0).unwrap_or(f64::NAN))
        });
        Series { name: name.to_owned(), look, points: dots.collect(), marked: true }
    });
    let ys = series.iter().flat_map(|line| line.points.iter().map(|dot| dot.y));
    let y = Axis::new("time", Scale::Log, Unit::Duration, ys);
    Chart {
        name: "phases",
        title: "Phases of a call".into(),
        x: Axis::named(
            "phase, in the order of time",
            phases.iter().map(|(name, _)| (*name).to_owned()).collect(),
        ),
        y,
        layers: series.into_iter().map(Layer::Marks).collect(),
        note: "A phase that took no time has no mark.".into(),
    }
}

fn lag(moments: &[Moment]) -> Chart {
    let lag = over_time(moments, "lag, p99", 0, |interval| interval.lag_p99_ns.map(|ns| ns as f64));
    let y = Axis::new("p99 of lag", Scale::Linear, Unit::Duration, lag.points.iter().map(|dot| dot.y));
    let mut layers = shades(moments);
    layers.push(Layer::Line(lag));
    Chart {
        name: "lag",
        title: "Health of the load generator: lag".into(),
        x: time(moments),
        y,
        layers,
        note: "Lag is how much later than due calls were begun.".into(),
    }
}

fn in_flight(moments: &[Moment]) -> Chart {
    let calls = over_time(moments, "in flight", 0, |interval| Some(interval.max_in_flight as f64));
    let y = Axis::new(
        "calls in flight, at most",
        Scale::Linear,
        Unit::Count,
        calls.points.iter().map(|dot| dot.y),
    );
    let mut layers = shades(moments);
    layers.push(Layer::Line(calls));
    Chart {
        name: "in-flight",
        title: "Calls in flight".into(),
        x: time(moments),
        y,
        layers,
        note: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn chart(report: &Report<'_>, name: &str) -> Chart {
        all(report).into_iter().find(|chart| chart.name == name).unwrap()
    }

    #[test]
    fn long_runs_have_about_120_points() {
        let run = fixture::long(516);
        let report = Report::of(&run);
        assert_eq!(report.summary.intervals.len(), 516);
        for name in ["latency", "rate", "lag", "in-flight"] {
            for layer in chart(&report, name).layers {
                if let Layer::Line(series) = layer {
                    assert!(series.points.len() <= POINTS + 2, "{name}: {}", series.points.len());
                }
            }
        }
        // What is merged is a rate, not a sum.
        let Some(Layer::Line(done)) = chart(&report, "rate").layers.pop() else { panic!("a line") };
        assert!(done.points.iter().all(|dot| dot.y.is_nan() || (dot.y - 10.0).abs() < 1e-6), "{done:?}");
        assert!(run.warmup.is_zero() || report.summary.intervals.iter().any(|interval| !interval.measured));
    }

    #[test]
    fn a_moment_is_measured_or_excluded() {
        let mut run = fixture::long(600);
        run.warmup = std::time::Duration::from_secs(7);
        let report = Report::of(&run);
        let moments = Moment::all(&report);
        let excluded = moments.iter().filter(|moment| !moment.figures.measured);
        assert_eq!(excluded.map(|moment| moment.seconds()).next_back().map(|(_, to)| to), Some(7.0));
        assert_eq!(moments.iter().map(|moment| moment.figures.accounting.planned).sum::<u64>(), 6_000);
    }

    #[test]
    fn errors_are_stacked_by_kind() {
        let run = fixture::steady();
        let layers = chart(&Report::of(&run), "errors").layers;
        let stacks: Vec<&Columns> = layers
            .iter()
            .filter_map(|layer| if let Layer::Columns(columns) = layer { Some(columns) } else { None })
            .collect();
        assert_eq!(stacks.len(), 2, "{stacks:?}");
        assert_eq!((stacks[0].name.as_str(), stacks[0].look), ("status 503", 0));
        assert_eq!(stacks[1].name, Outcome::Reset.text());
        // One 503 in each second, and one reset on top in the first.
        let ends = |stack: &Columns, place: usize| (stack.columns[place].low, stack.columns[place].high);
        assert_eq!(
            (ends(stacks[0], 0), ends(stacks[1], 0), ends(stacks[1], 5)),
            ((0.0, 1.0), (1.0, 2.0), (1.0, 1.0))
        );
    }
}
