//! Renders a sweep as one table and its charts.

use crate::chart::{Axis, Chart, Dot, Layer, Scale, Series, Unit, escape};
use crate::html::page;
use crate::json::environment;
use crate::layout::{UNKNOWN, optional, printable};
use crate::rendered::{
    Rendered, markdown_table, push_origin, push_origin_block, quoted, seconds, started_line,
    started_paragraph, text_table,
};
use crate::unit::{count, moment, rate, share};
use crate::wording;
use serde_json::{Value, json};
use std::fmt::Write;
use warwolf_experiment::sweep::{Point, Row, Spread, Sweep, TARGET};
use warwolf_measure::{Environment, Grade, Reason};

/// A sweep with its rows.
#[derive(Clone, Debug)]
pub struct SweepReport {
    sweep: Sweep,
    points: Vec<Point>,
    rows: Vec<Row>,
    /// Name of the main chart.
    chief: &'static str,
    /// Program, machine, command and start of the first run; empty if unknown.
    environment: Environment,
}

/// The name of a chart, what it shows, its unit, and its figure for a row.
type Shown = (&'static str, &'static str, Unit, fn(&Row) -> Option<Spread>);

const SHOWN: [Shown; 4] = [
    ("response", "mean response time", Unit::Duration, |row| row.mean_ns),
    ("rate", "completed a second", Unit::Rate, |row| row.rate_per_s),
    ("p99", "p99 of latency", Unit::Duration, |row| row.quantiles_ns[2]),
    ("errors", "share of errors", Unit::Share, |row| row.error_share),
];

impl SweepReport {
    /// Adds up the measurements of a sweep.
    #[must_use]
    pub fn new(mut sweep: Sweep) -> Self {
        for vary in &mut sweep.vary {
            vary.name = printable(&vary.name);
            vary.values.iter_mut().for_each(|value| value.label = printable(&value.label));
        }
        Self {
            points: sweep.points(),
            rows: sweep.rows(),
            sweep,
            chief: SHOWN[0].0,
            environment: Environment::default(),
        }
    }

    /// Selects another main chart: `response`, `rate`, `p99` or `errors`.
    #[must_use]
    pub fn showing(self, chart: &'static str) -> Self {
        Self { chief: chart, ..self }
    }

    /// Sets program, machine and command, with the start of the first run.
    #[must_use]
    pub fn in_environment(self, environment: Environment) -> Self {
        Self { environment, ..self }
    }

    /// Returns the sweep itself.
    #[must_use]
    pub const fn sweep(&self) -> &Sweep {
        &self.sweep
    }

    fn headings(&self) -> Vec<String> {
        // Settings are left-aligned, figures right-aligned.
        let settings = self.sweep.vary.iter().map(|vary| format!("<{}", vary.name));
        settings
            .chain(["rate", "mean", "p50", "p90", "p99", "errors", "runs", "<verdict"].map(str::to_owned))
            .collect()
    }

    fn table(&self, draw: impl Fn(&mut String, &[&str], &[Vec<String>]), out: &mut String) {
        let headings = self.headings();
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        draw(out, &headings, &self.cells());
    }

    fn cells(&self) -> Vec<Vec<String>> {
        let time = |spread: Option<Spread>| optional(spread.map(|spread| spread.mean));
        let cells = |(point, row): (&Point, &Row)| {
            let settings =
                point.0.iter().zip(&self.sweep.vary).map(|(&value, vary)| vary.values[value].label.clone());
            let rate = row.rate_per_s.map_or_else(
                || UNKNOWN.to_owned(),
                |spread| {
                    let half = (spread.most - spread.least) / 2.0;
                    if row.runs > 1 && spread.mean > 0.0 {
                        format!("{} ± {}", rate(spread.mean), share(half / spread.mean))
                    } else {
                        rate(spread.mean)
                    }
                },
            );
            let errors = match row.errors {
                0 if row.runs > 0 => "0".to_owned(),
                0 => UNKNOWN.to_owned(),
                errors => count(errors),
            };
            let [p50, p90, p99] = row.quantiles_ns;
            let verdict = row.grade.map_or_else(|| "not run".to_owned(), |grade| grade.name().to_owned());
            settings
                .chain([
                    rate,
                    time(row.mean_ns),
                    time(p50),
                    time(p90),
                    time(p99),
                    errors,
                    row.runs.to_string(),
                    verdict,
                ])
                .collect()
        };
        self.points.iter().zip(&self.rows).map(cells).collect()
    }

    /// Returns the doubts about rows, by point.
    fn doubts(&self) -> Vec<String> {
        let doubt = |(point, row): (&Point, &Row)| {
            let grade = row.grade.filter(|grade| *grade > Grade::Valid)?;
            let doubts = row.doubts.iter().map(|(doubt, runs)| in_runs(doubt, *runs, row.runs));
            let label = point.label(&self.sweep.vary);
            Some(format!("{}: {label}: {}", grade.name(), doubts.collect::<Vec<_>>().join("; ")))
        };
        self.points.iter().zip(&self.rows).filter_map(doubt).collect()
    }

    /// Returns the notes about rows, which are not doubts, by point.
    fn notes(&self) -> Vec<String> {
        let rows = self.points.iter().zip(&self.rows);
        rows.flat_map(|(point, row)| {
            let label = point.label(&self.sweep.vary);
            row.notes
                .iter()
                .map(move |(note, runs)| format!("note: {label}: {}", in_runs(note, *runs, row.runs)))
        })
        .collect()
    }

    /// Returns what stands below the table.
    fn remarks(&self) -> Vec<String> {
        let legend = self.legend().map(str::to_owned);
        legend.into_iter().chain(self.doubts()).chain(self.notes()).collect()
    }

    /// Explains the sign `±`, if the table contains it.
    fn legend(&self) -> Option<&'static str> {
        let is_there = self.rows.iter().any(|row| row.runs > 1 && row.rate_per_s.is_some());
        is_there.then_some("±: half the distance from the slowest to the fastest of the repeats")
    }

    fn answer(&self) -> String {
        let (done, all) = (self.sweep.measured.len(), self.sweep.steps);
        let doubtful =
            self.rows.iter().filter(|row| row.grade.is_some_and(|grade| grade > Grade::Valid)).count();
        let whole =
            if done < all { format!("NOT FINISHED: {done} of {all} runs") } else { format!("{all} runs") };
        match doubtful {
            0 => format!("{whole}; no sign that the load generator affected the results"),
            1 => format!("{whole}; 1 point is not VALID: see below the table"),
            many => format!("{whole}; {many} points are not VALID: see below the table"),
        }
    }

    /// Returns a chart by name; the first one for any other name.
    fn chart_of(&self, name: &str) -> Chart {
        let shown = SHOWN.iter().find(|shown| shown.0 == name).unwrap_or(&SHOWN[0]);
        let &(name, title, unit, figure) = shown;
        // The horizontal axis shows the first parameter that is not the target; each combination of other settings is a line.
        let across = self.sweep.vary.iter().position(|vary| vary.name != TARGET).unwrap_or(0);
        let (labels, parameter): (Vec<String>, &str) =
            self.sweep.vary.get(across).map_or((Vec::new(), ""), |vary| {
                (vary.values.iter().map(|value| value.label.clone()).collect(), vary.name.as_str())
            });
        let numbers: Option<Vec<f64>> = labels.iter().map(|label| number(label)).collect();
        let series = self.lines(across, numbers.as_deref(), figure);
        let ys = || {
            series.iter().flat_map(|line| &line.points).flat_map(|dot| {
                let (low, high) = dot.range.unwrap_or((dot.y, dot.y));
                [low, high]
            })
        };
        let scale = if unit == Unit::Duration && spread_of(ys()) > 20.0 { Scale::Log } else { Scale::Linear };
        let y = Axis::new(title, scale, unit, ys());
        let mut notes = vec![
            "Hollow: the numbers are not VALID. Upright lines: from the least to the greatest of the repeats.",
        ];
        if unit == Unit::Share && ys().all(|share| share == 0.0 || share.is_nan()) {
            notes.push("There were none.");
        }
        let (x, y) = match &numbers {
            Some(numbers) => (numeric_axis(parameter, numbers), y),
            None if scale == Scale::Log => {
                notes.push("The axis is logarithmic: compare the ends of the bars, not their lengths.");
                let (low, high) = y.with_foot().range;
                (Axis::named(parameter, labels), Axis { range: (low, high * 1.5), ..y })
            }
            // Values stand above the bars.
            None => (Axis::named(parameter, labels), Axis { range: (y.range.0, y.range.1 * 1.08), ..y }),
        };
        Chart {
            name,
            title: format!("{}{} against {parameter}", title[..1].to_uppercase(), &title[1..]),
            x,
            y,
            // Names have no order, so no line joins them.
            layers: series
                .into_iter()
                .map(if numbers.is_some() { Layer::Line } else { Layer::Bars })
                .collect(),
            note: notes.join(" "),
        }
    }

    fn lines(
        &self,
        across: usize,
        numbers: Option<&[f64]>,
        figure: fn(&Row) -> Option<Spread>,
    ) -> Vec<Series> {
        let mut series: Vec<Series> = Vec::new();
        for (point, row) in self.points.iter().zip(&self.rows) {
            let others: Vec<String> = point
                .0
                .iter()
                .zip(&self.sweep.vary)
                .enumerate()
                .filter(|(place, _)| *place != across)
                .map(|(_, (&value, vary))| vary.values[value].label.clone())
                .collect();
            let name = others.join(", ");
            let look = series.len();
            let place = series.iter().position(|line| line.name == name).unwrap_or_else(|| {
                series.push(Series { name, look, points: Vec::new(), marked: true });
                look
            });
            let value = point.0.get(across).copied().unwrap_or(0);
            let x = numbers.map_or(value as f64, |numbers| numbers[value]);
            let spread = figure(row);
            series[place].points.push(Dot {
                x,
                y: spread.map_or(f64::NAN, |spread| spread.mean),
                range: spread.filter(|_| row.runs > 1).map(|spread| (spread.least, spread.most)),
                doubtful: row.grade.is_some_and(|grade| grade > Grade::Valid),
            });
        }
        for line in &mut series {
            line.points.sort_by(|a, b| a.x.total_cmp(&b.x));
        }
        series
    }
}

impl Rendered for SweepReport {
    fn text(&self) -> String {
        let mut out = format!("{}\n{}\n", self.answer(), started_line(self.environment.started_unix_ns));
        self.table(text_table, &mut out);
        let remarks = self.remarks();
        if !remarks.is_empty() {
            out.push('\n');
            remarks.iter().for_each(|doubt| {
                let _ = writeln!(out, "{doubt}");
            });
        }
        push_origin(&mut out, &self.environment);
        out
    }

    fn markdown(&self) -> String {
        let mut out = format!("{}\n\n{}", self.answer(), started_paragraph(self.environment.started_unix_ns));
        self.table(markdown_table, &mut out);
        self.remarks().iter().for_each(|remark| {
            let _ = writeln!(out, "\n- {remark}");
        });
        push_origin_block(&mut out, &self.environment);
        out
    }

    fn csv(&self) -> String {
        let mut names: Vec<String> = self.sweep.vary.iter().map(|vary| quoted(&vary.name)).collect();
        names.extend(
            [
                "runs",
                "verdict",
                "rate_per_s",
                "rate_least",
                "rate_most",
                "mean_s",
                "p50_s",
                "p90_s",
                "p99_s",
                "error_share",
                "completed",
                "errors",
                "bytes_per_s",
            ]
            .map(str::to_owned),
        );
        let mut out = names.join(",") + "\n";
        for (point, row) in self.points.iter().zip(&self.rows) {
            let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.9}"));
            let mean = |spread: Option<Spread>| spread.map(|spread| spread.mean);
            let time = |spread: Option<Spread>| seconds(mean(spread));
            let mut cells: Vec<String> = point
                .0
                .iter()
                .zip(&self.sweep.vary)
                .map(|(&value, vary)| quoted(&vary.values[value].label))
                .collect();
            cells.extend([
                row.runs.to_string(),
                row.grade.map_or_else(String::new, |grade| grade.name().to_owned()),
                number(mean(row.rate_per_s)),
                number(row.rate_per_s.map(|spread| spread.least)),
                number(row.rate_per_s.map(|spread| spread.most)),
                time(row.mean_ns),
                time(row.quantiles_ns[0]),
                time(row.quantiles_ns[1]),
                time(row.quantiles_ns[2]),
                number(mean(row.error_share)),
                row.completed.to_string(),
                row.errors.to_string(),
                number(mean(row.bytes_per_s)),
            ]);
            out += &(cells.join(",") + "\n");
        }
        out
    }

    fn json(&self) -> Value {
        let spread = |spread: Option<Spread>| {
            spread.map(|spread| json!({ "mean": spread.mean, "least": spread.least, "most": spread.most }))
        };
        let point = |(point, row): (&Point, &Row)| {
            let settings: serde_json::Map<String, Value> = point
                .0
                .iter()
                .zip(&self.sweep.vary)
                .map(|(&value, vary)| (vary.name.clone(), vary.values[value].label.clone().into()))
                .collect();
            json!({
                "settings": settings,
                "runs": row.runs,
                "verdict": row.grade.map(|grade| grade.name()),
                "doubts": row.doubts.iter().map(|(doubt, _)| wording::doubt(doubt)).collect::<Vec<_>>(),
                "notes": row.notes.iter().map(|(note, _)| wording::doubt(note)).collect::<Vec<_>>(),
                "rate_per_s": spread(row.rate_per_s),
                "bytes_per_s": spread(row.bytes_per_s),
                "latency_mean_ns": spread(row.mean_ns),
                "latency_p50_ns": spread(row.quantiles_ns[0]),
                "latency_p90_ns": spread(row.quantiles_ns[1]),
                "latency_p99_ns": spread(row.quantiles_ns[2]),
                "error_share": spread(row.error_share),
                "completed": row.completed,
                "errors": row.errors,
            })
        };
        let points: Vec<Value> = self.points.iter().zip(&self.rows).map(point).collect();
        json!({
            "schema_version": 1,
            "started_unix_ns": Some(self.environment.started_unix_ns).filter(|at| *at > 0),
            "environment": environment(&self.environment),
            "finished": self.sweep.measured.len() == self.sweep.steps,
            "points": points,
        })
    }

    fn chart(&self) -> Option<Chart> {
        Some(self.chart_of(self.chief))
    }

    fn html(&self) -> String {
        let doubts = self.doubts();
        let class = if doubts.is_empty() { "valid" } else { "degraded" };
        let names: Vec<&str> = self.sweep.vary.iter().map(|vary| vary.name.as_str()).collect();
        let mut out = String::new();
        let _ = writeln!(
            out,
            "<h1>Sweep of {}</h1><div class=\"verdict {class}\"><b>{}</b></div>",
            escape(&names.join(", ")),
            escape(&self.answer())
        );
        page::started(&mut out, moment(self.environment.started_unix_ns));
        page::part(&mut out, "charts", "Charts");
        out.push_str("<div class=\"charts\">\n");
        SHOWN.iter().for_each(|shown| out.push_str(&self.chart_of(shown.0).inline()));
        out.push_str("</div>\n");
        page::part(&mut out, "table", "Table");
        self.table(|out, headings, rows| page::table(out, headings, rows.iter().cloned()), &mut out);
        for remark in self.remarks() {
            let _ = writeln!(out, "<p class=\"note\">{}</p>", escape(&remark));
        }
        page::environments(&mut out, &[("", &self.environment)]);
        page::command(&mut out, &self.environment);
        page::page(&format!("Sweep of {}: {}", names.join(", "), self.answer()), &out)
    }
}

/// Describes a reason that stands for several runs of a point.
fn in_runs(reason: &Reason, runs: usize, of: usize) -> String {
    let text = wording::doubt(reason);
    if of > 1 { format!("{text} (in {runs} of {of} runs)") } else { text }
}

/// Returns the horizontal axis of a parameter whose values are numbers.
fn numeric_axis(parameter: &str, numbers: &[f64]) -> Axis {
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(0.0, f64::max);
    let wide = spread_of(numbers.iter().copied()) > 20.0;
    let scale = if wide && low > 0.0 { Scale::Log } else { Scale::Linear };
    let axis = Axis::new(parameter, scale, Unit::Number, numbers.iter().copied());
    let axis = if scale == Scale::Log { axis.over(low / 1.15, high * 1.15) } else { axis.with_foot() };
    Axis { at: numbers.to_vec(), ..axis }
}

/// Returns the ratio of the greatest value to the least.
fn spread_of(values: impl Iterator<Item = f64>) -> f64 {
    let positive = values.filter(|value| value.is_finite() && *value > 0.0);
    let (low, high) =
        positive.fold((f64::INFINITY, 0.0f64), |(low, high), value| (low.min(value), high.max(value)));
    if low.is_finite() { high / low } else { 1.0 }
}

/// Parses a label that is a number, with or without a unit: `10`, `500/s`, `10k`, `250ms`.
fn number(label: &str) -> Option<f64> {
    let digits = label.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(label.len());
    let value: f64 = label[..digits].parse().ok()?;
    let scale = match &label[digits..] {
        "" | "/s" | "s" => 1.0,
        "k" | "k/s" => 1e3,
        "m" | "m/s" => 1e6,
        "ms" => 1e-3,
        "us" => 1e-6,
        _ => return None,
    };
    Some(value * scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_experiment::sweep::{Measured, Step, Vary};
    use warwolf_measure::{Cause, ReasonFigures};

    fn late() -> Reason {
        Reason::new(Grade::Degraded, Cause::LatePages, ReasonFigures::LatePages { late_pages: 9 })
    }

    fn report(measured: usize) -> SweepReport {
        let vary = ["target=old:http://a/,new:http://b/", "connections=10,100,1000"];
        let vary: Vec<Vary> = vary.iter().map(|text| Vary::parse(text).unwrap()).collect();
        let one = |place: usize| Measured {
            step: Step { point: place % 6, repeat: place / 6 },
            grade: if place == 4 { Grade::Degraded } else { Grade::Valid },
            doubts: if place == 4 { vec![late()] } else { Vec::new() },
            notes: if place == 5 { vec![Reason { grade: Grade::Valid, ..late() }] } else { Vec::new() },
            rate_per_s: 1_000.0 + place as f64,
            bytes_per_s: 1e6,
            mean_ns: Some(1e6 * (place + 1) as f64),
            quantiles_ns: [Some(1e6), Some(2e6), None],
            error_share: Some(0.0),
            completed: 1_000,
            errors: 0,
        };
        SweepReport::new(Sweep { vary, measured: (0..measured).map(one).collect(), steps: 12 })
    }

    #[test]
    fn the_table_has_a_line_for_each_point_and_marks_the_doubtful() {
        let text = report(12).text();
        assert!(text.starts_with("12 runs; 1 point is not VALID"), "{text}");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[2].split_whitespace().next(), Some("target"));
        assert!(lines[7].starts_with("new     100 ") && lines[7].ends_with("DEGRADED"), "{text}");
        assert!(text.contains("DEGRADED: target=new, connections=100: the timeline is less exact than its intervals: workers handed over 9 intervals late (in 1 of 2 runs)"), "{text}");
        assert!(text.contains("±: half the distance"), "{text}");
        assert!(!report(6).text().contains('±'), "one run has no spread");
    }

    #[test]
    fn runs_that_were_not_made_are_listed() {
        let text = report(3).text();
        assert!(text.starts_with("NOT FINISHED: 3 of 12 runs") && text.contains("not run"), "{text}");
        assert!(!report(0).html().contains("NaN"));
    }

    #[test]
    fn a_line_for_each_target_goes_over_the_other_parameter() {
        let chart = report(12).chart_of("response");
        assert_eq!(chart.layers.len(), 2);
        let Layer::Line(new) = &chart.layers[1] else { panic!("a line") };
        assert_eq!((new.name.as_str(), new.points.len()), ("new", 3));
        assert_eq!((new.points[1].x, new.points[1].doubtful), (100.0, true));
        assert_eq!(new.points[0].range, Some((4e6, 10e6)));
        assert_eq!(chart.x.scale, Scale::Log);
    }

    #[test]
    fn spreadsheets_and_programs_get_every_point() {
        let csv = report(12).csv();
        assert_eq!(csv.lines().count(), 7);
        assert!(csv.lines().nth(1).unwrap().starts_with("old,10,2,VALID,1003.000000000,1000.0"), "{csv}");
        let value = report(3).json();
        assert_eq!((&value["finished"], value["points"].as_array().unwrap().len()), (&Value::Bool(false), 6));
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    }

    #[test]
    fn every_form_has_the_notes() {
        let report = report(12);
        let note = "note: target=new, connections=1000: the timeline is less exact";
        for form in [report.text(), report.markdown(), report.html()] {
            assert!(form.contains(note), "{form}");
        }
        assert_eq!(report.json()["points"][5]["notes"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn no_line_joins_names() {
        let mut report = report(12);
        for (value, label) in report.sweep.vary[1].values.iter_mut().zip(["tea", "coffee", "milk"]) {
            value.label = label.to_owned();
        }
        let chart = report.chart_of("response");
        assert!(chart.layers.iter().all(|layer| matches!(layer, Layer::Bars(_))), "{chart:?}");
    }

    #[test]
    fn whiskers_stay_in_the_frame() {
        for shown in &SHOWN {
            let chart = report(12).chart_of(shown.0);
            for layer in &chart.layers {
                let Layer::Line(series) = layer else { panic!("a line") };
                for (low, high) in series.points.iter().filter_map(|dot| dot.range) {
                    assert!(chart.y.range.0 <= low && high <= chart.y.range.1, "{chart:?}");
                }
            }
        }
    }

    #[test]
    fn without_errors_the_axis_of_errors_is_short() {
        let chart = report(12).chart_of("errors");
        assert!(chart.y.range.1 <= 0.01 && chart.note.ends_with("There were none."), "{chart:?}");
    }

    #[test]
    fn every_form_has_environment_command_date_and_time() {
        let report = report(12).in_environment(crate::fixture::environment());
        for form in [report.text(), report.markdown(), report.html()] {
            assert!(form.contains("2023-11-14 22:13:20 UTC"), "{form}");
            assert!(form.contains("A CPU (2 cores)") && form.contains("-r 100/s"), "{form}");
        }
        assert!(report.html().contains("<title>Sweep of target, connections: 12 runs; "));
        assert_eq!(report.json()["environment"]["cpu"], "A CPU");
        assert_eq!(report.json()["started_unix_ns"], 1_700_000_000_000_000_000_u64);
    }

    #[test]
    fn numbers_with_units_are_numbers() {
        for (label, value) in [
            ("10", Some(10.0)),
            ("500/s", Some(500.0)),
            ("2k", Some(2e3)),
            ("250ms", Some(0.25)),
            ("old", None),
        ] {
            assert_eq!(number(label), value, "{label}");
        }
    }
}
