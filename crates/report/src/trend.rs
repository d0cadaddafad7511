//! Runs of one name over time: a table and two charts.

use crate::chart::{Axis, Chart, Dot, Layer, Scale, Series, Unit, escape};
use crate::html::page;
use crate::layout::{UNKNOWN, optional, printable};
use crate::rendered::{Rendered, markdown_table, quoted, seconds, text_table};
use crate::unit::{counted, rate, share};
use serde_json::json;
use std::fmt::Write;
use warwolf_measure::Environment;

/// One run of a trend.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendPoint {
    /// Its number.
    pub id: i64,
    /// The name it is stored under.
    pub name: String,
    /// When it began, as text.
    pub date: String,
    /// Its verdict.
    pub verdict: String,
    /// Its target.
    pub target: String,
    /// Completed calls a second.
    pub rate_per_s: f64,
    /// Latency quantiles 0.5, 0.9 and 0.99 in nanoseconds, where known.
    pub quantiles_ns: [Option<f64>; 3],
    /// Share of calls that did not get the requested reply (0 to 1).
    pub error_share: Option<f64>,
    /// Its tags.
    pub tags: Vec<String>,
}

/// Runs over time.
#[derive(Clone, Debug)]
pub struct TrendReport {
    points: Vec<TrendPoint>,
    /// Program, machine and command of this report; empty if unknown.
    environment: Environment,
}

const HEADINGS: [&str; 10] =
    ["run", "<name", "<began", "rate", "p50", "p90", "p99", "errors", "<verdict", "<tags"];

impl TrendReport {
    /// Creates a report of these runs, the oldest first.
    #[must_use]
    pub fn new(mut points: Vec<TrendPoint>) -> Self {
        for point in &mut points {
            for text in [&mut point.name, &mut point.date, &mut point.verdict, &mut point.target] {
                *text = printable(text);
            }
            point.tags.iter_mut().for_each(|tag| *tag = printable(tag));
        }
        Self { points, environment: Environment::default() }
    }

    /// Sets program, machine and command of the report.
    #[must_use]
    pub fn in_environment(self, environment: Environment) -> Self {
        Self { environment, ..self }
    }

    fn cells(&self) -> Vec<Vec<String>> {
        let cells = |point: &TrendPoint| {
            let [p50, p90, p99] = point.quantiles_ns.map(optional);
            vec![
                point.id.to_string(),
                point.name.clone(),
                point.date.clone(),
                rate(point.rate_per_s),
                p50,
                p90,
                p99,
                point.error_share.map_or_else(|| UNKNOWN.to_owned(), share),
                point.verdict.clone(),
                point.tags.join(", "),
            ]
        };
        self.points.iter().map(cells).collect()
    }

    fn chart_of(&self, latency: bool) -> Chart {
        let line = |name: &str, look, of: fn(&TrendPoint) -> Option<f64>| Series {
            name: name.to_owned(),
            look,
            points: (0u32..)
                .zip(&self.points)
                .map(|(place, point)| Dot {
                    doubtful: point.verdict != "VALID",
                    ..Dot::new(f64::from(place), of(point).unwrap_or(f64::NAN))
                })
                .collect(),
            marked: true,
        };
        let series = if latency {
            vec![line("p50", 0, |point| point.quantiles_ns[0]), line("p99", 1, |point| point.quantiles_ns[2])]
        } else {
            vec![line("rate", 0, |point| Some(point.rate_per_s))]
        };
        let ys = series.iter().flat_map(|line| line.points.iter().map(|dot| dot.y));
        let (label, scale, unit) = if latency {
            ("latency", Scale::Log, Unit::Duration)
        } else {
            ("completed a second", Scale::Linear, Unit::Rate)
        };
        let names = self.points.iter().map(|point| {
            let tags =
                if point.tags.is_empty() { String::new() } else { format!(" {}", point.tags.join(" ")) };
            format!("{}{tags}", point.id)
        });
        Chart {
            name: if latency { "latency" } else { "rate" },
            title: if latency { "Latency from run to run" } else { "Rate from run to run" }.to_owned(),
            y: Axis::new(label, scale, unit, ys),
            x: Axis::named("run", names.collect()),
            layers: series.into_iter().map(Layer::Line).collect(),
            note: "Hollow marks: the numbers are not VALID.".to_owned(),
        }
    }
}

impl Rendered for TrendReport {
    fn text(&self) -> String {
        let mut out = String::new();
        text_table(&mut out, &HEADINGS, &self.cells());
        out
    }

    fn markdown(&self) -> String {
        let mut out = String::new();
        markdown_table(&mut out, &HEADINGS, &self.cells());
        out
    }

    fn csv(&self) -> String {
        let mut out = "run,name,began,rate_per_s,p50_s,p90_s,p99_s,error_share,verdict,tags\n".to_owned();
        for point in &self.points {
            let [p50, p90, p99] = point.quantiles_ns.map(seconds);
            let errors = point.error_share.map_or_else(String::new, |share| format!("{share:.6}"));
            let _ = writeln!(
                out,
                "{},{},{},{:.3},{p50},{p90},{p99},{errors},{},{}",
                point.id,
                quoted(&point.name),
                quoted(&point.date),
                point.rate_per_s,
                quoted(&point.verdict),
                quoted(&point.tags.join(" "))
            );
        }
        out
    }

    fn json(&self) -> serde_json::Value {
        let run = |point: &TrendPoint| {
            json!({
                "run": point.id,
                "name": point.name,
                "began": point.date,
                "verdict": point.verdict,
                "target": point.target,
                "rate_per_s": point.rate_per_s,
                "latency_p50_ns": point.quantiles_ns[0],
                "latency_p90_ns": point.quantiles_ns[1],
                "latency_p99_ns": point.quantiles_ns[2],
                "error_share": point.error_share,
                "tags": point.tags,
            })
        };
        json!({ "schema_version": 1, "runs": self.points.iter().map(run).collect::<Vec<_>>() })
    }

    fn chart(&self) -> Option<Chart> {
        Some(self.chart_of(true))
    }

    fn html(&self) -> String {
        let name = self.points.first().map_or("nothing", |point| point.name.as_str());
        let mut out = format!("<h1>{} from run to run</h1>\n<div class=\"charts\">\n", escape(name));
        out += &self.chart_of(true).inline();
        out += &self.chart_of(false).inline();
        out += "</div>\n";
        page::table(&mut out, &HEADINGS, self.cells().into_iter());
        page::environments(&mut out, &[("this page was made on", &self.environment)]);
        page::command(&mut out, &self.environment);
        page::page(&format!("{name}: {} from run to run", counted(self.points.len() as u64, "run")), &out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> TrendReport {
        let point = |id: i64| TrendPoint {
            id,
            name: "shop".into(),
            date: format!("2026-11-{id:02} 10:00"),
            verdict: if id == 2 { "DEGRADED" } else { "VALID" }.into(),
            target: "http://a.test/".into(),
            rate_per_s: 100.0 * id as f64,
            quantiles_ns: [Some(1e6), Some(2e6), (id > 1).then_some(3e6)],
            error_share: Some(0.0),
            tags: if id == 3 { vec!["baseline".into()] } else { Vec::new() },
        };
        TrendReport::new((1..=3).map(point).collect())
    }

    #[test]
    fn every_form_has_every_run() {
        let report = report();
        let text = report.text();
        assert_eq!(text.lines().count(), 4);
        assert!(
            text.lines()
                .nth(3)
                .is_some_and(|line| line.starts_with("  3  shop  2026-11-03 10:00  300/s")
                    && line.ends_with("baseline")),
            "{text}"
        );
        assert_eq!((report.csv().lines().count(), report.markdown().lines().count()), (4, 5));
        assert_eq!(report.json()["runs"][2]["tags"][0], "baseline");
        assert!(report.html().contains("id=\"chart-rate\"") && !report.html().contains("NaN"));
        let html = report.in_environment(crate::fixture::environment()).html();
        assert!(html.contains("<title>shop: 3 runs from run to run</title>"), "{html}");
        assert!(html.contains("A CPU (2 cores)") && html.contains("-r 100/s"), "{html}");
    }

    #[test]
    fn no_runs_are_no_mistake() {
        let none = TrendReport::new(Vec::new());
        assert_eq!(none.text().lines().count(), 1);
        assert!(!none.html().contains("NaN"));
    }
}
