//! The charts of one run.

use crate::Report;
use crate::chart::{Axis, Chart, Dot, Layer, Scale, Series, Unit};
use warwolf_measure::{Distribution, IntervalFigures, Phase, Summary};

/// Returns every chart of a run, in the order of the page.
pub(crate) fn all(report: &Report<'_>) -> Vec<Chart> {
    let summary = &report.summary;
    let charts = [
        Some(percentiles(summary)).filter(|_| summary.latency.count > 0),
        Some(histogram(summary)).filter(|_| summary.latency.count > 0),
        Some(latency(report)).filter(|_| summary.latency.count > 0),
        Some(rate(report)),
        Some(errors(summary)),
        Some(phases(summary)).filter(|_| summary.latency.count > 0),
        Some(lag(summary)),
        Some(in_flight(summary)),
    ];
    charts.into_iter().flatten().collect()
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
    let mut columns: Vec<(f64, f64, f64)> =
        (0..BARS as i32).map(|bar| (low * step.powi(bar), low * step.powi(bar + 1), 0.0)).collect();
    for (first, last, count) in latency.histogram().bins() {
        let middle = first as f64 + (last - first) as f64 / 2.0;
        let bar = ((middle / low).ln() / step.ln()).max(0.0) as usize;
        columns[bar.min(BARS - 1)].2 += count as f64;
    }
    let y = Axis::new("calls", Scale::Linear, Unit::Count, columns.iter().map(|column| column.2));
    Chart {
        name: "histogram",
        title: format!("Latency histogram ({})", loop_words(summary)),
        x: Axis::new("latency", Scale::Log, Unit::Duration, [low, high].into_iter()),
        y,
        layers: vec![Layer::Columns { columns }],
        note: String::new(),
    }
}

fn seconds(interval: &IntervalFigures) -> (f64, f64) {
    (interval.start.as_nanos() as f64 / 1e9, interval.end.as_nanos() as f64 / 1e9)
}

/// Returns the time axis of a run.
fn time(summary: &Summary) -> Axis {
    let end = summary.intervals.last().map_or(1.0, |interval| seconds(interval).1);
    Axis::new("time since the start", Scale::Linear, Unit::Time, [end].into_iter()).over(0.0, end)
}

/// Returns shades for the warm-up and all other times that are excluded from the figures.
fn shades(summary: &Summary) -> Vec<Layer> {
    let apart = summary.intervals.iter().filter(|interval| !interval.measured).map(seconds);
    apart.map(|(from, to)| Layer::Shade { from, to }).collect()
}

/// Returns a figure of each interval, at the middle of the interval.
fn over_time(
    summary: &Summary,
    name: &str,
    look: usize,
    of: impl Fn(&IntervalFigures) -> Option<f64>,
) -> Series {
    let dot = |interval: &IntervalFigures| {
        let (from, to) = seconds(interval);
        Dot::new((from + to) / 2.0, of(interval).unwrap_or(f64::NAN))
    };
    Series { name: name.to_owned(), look, points: summary.intervals.iter().map(dot).collect(), marked: false }
}

/// Maximum number of columns and rows of the heat map.
const HEAT: (usize, i32) = (100, 32);

fn latency(report: &Report<'_>) -> Chart {
    let summary = &report.summary;
    let latency = summary.tally.phase(Phase::Latency);
    let low = latency.quantile(0.0).unwrap_or(1).max(1_000) as f64;
    let high = latency.quantile(1.0).unwrap_or(1) as f64;
    let y = Axis::new("latency", Scale::Log, Unit::Duration, [low, high].into_iter());
    let lines = [("p50", 0), ("p90", 1), ("p99", 2)].map(|(name, place)| {
        over_time(summary, name, place + 1, move |interval| {
            interval.latency_ns.map(|l| l[place].max(1) as f64)
        })
    });
    let mut layers = shades(summary);
    layers.push(Layer::Heat { cells: heat(report, y.range) });
    layers.extend(lines.into_iter().map(Layer::Line));
    Chart {
        name: "latency",
        title: format!("Latency over time ({})", loop_words(summary)),
        x: time(summary),
        y,
        layers,
        note: "The stronger the colour of a cell, the more of the calls that ended then took so long."
            .to_owned(),
    }
}

/// Returns the cells of the heat map: how the latencies of each moment are distributed.
fn heat(report: &Report<'_>, (low, high): (f64, f64)) -> Vec<([f64; 4], f64)> {
    let count = report.summary.intervals.len();
    let together = count.div_ceil(HEAT.0).max(1);
    let step = (high / low).powf(1.0 / f64::from(HEAT.1));
    let mut columns: Vec<(f64, f64, Vec<f64>)> = Vec::new();
    for (place, interval) in report.run.timeline.intervals().enumerate() {
        let (from, to) = (interval.start.as_nanos() as f64 / 1e9, interval.end.as_nanos() as f64 / 1e9);
        if place % together == 0 {
            columns.push((from, to, vec![0.0; HEAT.1 as usize]));
        }
        let Some(column) = columns.last_mut() else { continue };
        column.1 = to;
        for (first, last, calls) in interval.tally.phase(Phase::Latency).histogram().bins() {
            let middle = first as f64 + (last - first) as f64 / 2.0;
            let row = ((middle / low).ln() / step.ln()).clamp(0.0, f64::from(HEAT.1 - 1)) as usize;
            column.2[row] += calls as f64;
        }
    }
    let cells = columns.iter().flat_map(|(from, to, rows)| {
        let sum: f64 = rows.iter().sum();
        rows.iter().enumerate().filter(|(_, calls)| **calls > 0.0).map(move |(row, calls)| {
            let (bottom, top) = (low * step.powi(row as i32), low * step.powi(row as i32 + 1));
            // The square root keeps rare calls visible next to frequent ones.
            ([*from, *to, bottom, top], 0.75 * (calls / sum).sqrt())
        })
    });
    cells.collect()
}

fn rate(report: &Report<'_>) -> Chart {
    let summary = &report.summary;
    // The last interval may be too short for a meaningful rate.
    let usual = summary.intervals.first().map_or(0.0, |interval| seconds(interval).1 - seconds(interval).0);
    let done = over_time(summary, "completed", 0, |interval| {
        let (from, to) = seconds(interval);
        Some(interval.rate_per_s).filter(|_| to - from > 0.5 * usual)
    });
    let x = time(summary);
    let asked = crate::asked::line(report, x.range.1);
    let values = done.points.iter().chain(&asked).map(|dot| dot.y);
    let y = Axis::new("calls a second", Scale::Linear, Unit::Rate, values);
    let mut layers = shades(summary);
    layers.push(Layer::Line(done));
    if !asked.is_empty() {
        layers.push(Layer::Line(Series { name: "asked for".into(), look: 1, points: asked, marked: false }));
    }
    Chart { name: "rate", title: "Rate over time".into(), x, y, layers, note: String::new() }
}

fn errors(summary: &Summary) -> Chart {
    let columns: Vec<(f64, f64, f64)> = summary
        .intervals
        .iter()
        .map(|interval| {
            let (from, to) = seconds(interval);
            (from, to, interval.errors as f64 / (to - from).max(1e-9))
        })
        .collect();
    let mut layers = shades(summary);
    let y = Axis::new("errors a second", Scale::Linear, Unit::Rate, columns.iter().map(|column| column.2));
    let none = columns.iter().all(|column| column.2 == 0.0);
    layers.push(Layer::Columns { columns });
    Chart {
        name: "errors",
        title: "Errors over time".into(),
        x: time(summary),
        y,
        layers,
        note: if none { "There were none.".into() } else { String::new() },
    }
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

fn lag(summary: &Summary) -> Chart {
    let lag = over_time(summary, "lag, p99", 0, |interval| interval.lag_p99_ns.map(|ns| ns as f64));
    let y = Axis::new("p99 of lag", Scale::Linear, Unit::Duration, lag.points.iter().map(|dot| dot.y));
    let mut layers = shades(summary);
    layers.push(Layer::Line(lag));
    Chart {
        name: "lag",
        title: "Health of the load generator: lag".into(),
        x: time(summary),
        y,
        layers,
        note: "Lag is how much later than due calls were begun.".into(),
    }
}

fn in_flight(summary: &Summary) -> Chart {
    let calls = over_time(summary, "in flight", 0, |interval| Some(interval.max_in_flight as f64));
    let y = Axis::new(
        "calls in flight, at most",
        Scale::Linear,
        Unit::Count,
        calls.points.iter().map(|dot| dot.y),
    );
    let mut layers = shades(summary);
    layers.push(Layer::Line(calls));
    Chart {
        name: "in-flight",
        title: "Calls in flight".into(),
        x: time(summary),
        y,
        layers,
        note: String::new(),
    }
}
