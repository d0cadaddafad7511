//! Renders a search for capacity: the result, every rate that was tried, and the curve.

use crate::chart::{Axis, Chart, Dot, Layer, Scale, Series, Unit, escape};
use crate::html::page;
use crate::json::environment;
use crate::layout::optional;
use crate::rendered::{
    Rendered, markdown_table, push_origin, push_origin_block, seconds, started_line, started_paragraph,
    text_table,
};
use crate::unit::{moment, rate, share};
use crate::wording;
use serde_json::json;
use std::fmt::Write;
use warwolf_experiment::capacity::{Answer, RateSearch, Tried, Why};
use warwolf_measure::{Environment, Metric, Slo};

/// A search for capacity, with what is reported about it.
#[derive(Clone, Debug)]
pub struct CapacityReport {
    capacity: RateSearch,
    /// Program, machine, command and start of the first run; empty if unknown.
    environment: Environment,
}

const HEADINGS: [&str; 9] = ["asked", "came", "achieved", "mean", "p50", "p99", "errors", "<answer", "<why"];

/// What rates are about in plans with steps.
const SESSIONS: &str = "rates are of sessions: requests a second, divided by the requests of a session";

const LEGEND: &str = "asked: the rate that was tried; came: what arrived, which differs by chance if arrivals are random; \
                      achieved: replies, refusals included";

fn word(answer: Answer) -> &'static str {
    match answer {
        Answer::Held => "held",
        Answer::Broken => "BROKEN",
        Answer::Unsure => "borderline",
        Answer::ClientLimited => "rejected",
    }
}

/// Why a rate got its answer.
#[must_use]
pub fn why(why: &Why) -> String {
    match why {
        Why::ClientLimited(reason) => wording::doubt(reason),
        Why::RateNotReached { completed_share } => {
            format!("the server completed {} of the rate", share(*completed_share))
        }
        Why::Slos(results) => {
            let slos: Vec<String> = results
                .iter()
                .map(|result| format!("{}: {}", result.slo.text, wording::actual(result)))
                .collect();
            slos.join(", ")
        }
    }
}

impl CapacityReport {
    /// Creates the report of a search.
    #[must_use]
    pub fn new(capacity: RateSearch) -> Self {
        Self { capacity, environment: Environment::default() }
    }

    /// Sets program, machine and command, with the start of the first run.
    #[must_use]
    pub fn in_environment(self, environment: Environment) -> Self {
        Self { environment, ..self }
    }

    fn answer(&self) -> String {
        let slos = self.capacity.slos.join(" and ");
        let found = &self.capacity.found;
        match (found.held, found.broken) {
            (None, _) => format!("AT NO RATE tried does the server hold {slos}"),
            (Some(held), None) => {
                format!("At least {}: the server holds {slos} at every rate that was tried", rate(held))
            }
            (Some(held), Some(broken)) if found.client_limited => format!(
                "At least {}: the server holds {slos}; at {} the load generator was the limit",
                rate(held),
                rate(broken)
            ),
            (Some(held), Some(broken)) => {
                format!(
                    "{}: the server holds {slos} up to there, and no longer at {}",
                    rate(held),
                    rate(broken)
                )
            }
        }
    }

    fn facts(&self) -> Vec<String> {
        let knee = self.capacity.knee().map(|knee| {
            format!("knee: {}, where more rate begins to cost more in latency than it gives", rate(knee))
        });
        let saturation =
            self.capacity.saturation().map(|most| format!("most good replies at any rate: {}", rate(most)));
        let unit = self.capacity.of_sessions.then(|| SESSIONS.to_owned());
        knee.into_iter().chain(saturation).chain(unit).collect()
    }

    fn cells(&self) -> Vec<Vec<String>> {
        let cells = |one: &Tried| {
            vec![
                rate(one.rate),
                rate(one.came),
                rate(one.achieved),
                optional(one.mean_ns),
                optional(one.quantiles_ns[0]),
                optional(one.quantiles_ns[1]),
                share(one.error_share),
                word(one.answer).to_owned(),
                why(&one.why),
            ]
        };
        self.rising().into_iter().map(cells).collect()
    }

    fn rising(&self) -> Vec<&Tried> {
        let mut tried: Vec<&Tried> = self.capacity.tried.iter().collect();
        tried.sort_by(|a, b| a.rate.total_cmp(&b.rate));
        tried
    }
}

impl Rendered for CapacityReport {
    fn text(&self) -> String {
        let mut out = format!("{}\n", self.answer());
        self.facts().iter().for_each(|fact| {
            let _ = writeln!(out, "  {fact}");
        });
        let _ = writeln!(out, "{}", started_line(self.environment.started_unix_ns));
        text_table(&mut out, &HEADINGS, &self.cells());
        let _ = writeln!(out, "\n{LEGEND}");
        push_origin(&mut out, &self.environment);
        out
    }

    fn markdown(&self) -> String {
        let mut out =
            format!("**{}**\n\n{}", self.answer(), started_paragraph(self.environment.started_unix_ns));
        self.facts().iter().for_each(|fact| {
            let _ = writeln!(out, "- {fact}");
        });
        out.push('\n');
        markdown_table(&mut out, &HEADINGS, &self.cells());
        let _ = writeln!(out, "\n{LEGEND}");
        push_origin_block(&mut out, &self.environment);
        out
    }

    fn csv(&self) -> String {
        let mut out = "asked_per_s,achieved_per_s,mean_s,p50_s,p99_s,error_share,answer\n".to_owned();
        for one in &self.capacity.tried {
            let _ = writeln!(
                out,
                "{:.3},{:.3},{},{},{},{:.6},{}",
                one.rate,
                one.achieved,
                seconds(one.mean_ns),
                seconds(one.quantiles_ns[0]),
                seconds(one.quantiles_ns[1]),
                one.error_share,
                word(one.answer).to_lowercase()
            );
        }
        out
    }

    fn json(&self) -> serde_json::Value {
        let tried = |one: &Tried| {
            json!({
                "asked_per_s": one.rate,
                "came_per_s": one.came,
                "achieved_per_s": one.achieved,
                "good_per_s": one.good,
                "latency_mean_ns": one.mean_ns,
                "latency_p50_ns": one.quantiles_ns[0],
                "latency_p99_ns": one.quantiles_ns[1],
                "error_share": one.error_share,
                "answer": word(one.answer).to_lowercase(),
                "why": why(&one.why),
            })
        };
        let found = &self.capacity.found;
        json!({
            "schema_version": 1,
            "started_unix_ns": Some(self.environment.started_unix_ns).filter(|at| *at > 0),
            "environment": environment(&self.environment),
            "slo": self.capacity.slos,
            "of_sessions": self.capacity.of_sessions,
            "held_per_s": found.held,
            "broken_per_s": found.broken,
            "client_limited": found.client_limited,
            "knee_per_s": self.capacity.knee(),
            "saturation_per_s": self.capacity.saturation(),
            "tried": self.capacity.tried.iter().map(tried).collect::<Vec<_>>(),
        })
    }

    fn chart(&self) -> Option<Chart> {
        let tried = self.rising();
        let line = |name: &str, look, of: fn(&Tried) -> Option<f64>| Series {
            name: name.to_owned(),
            look,
            points: tried
                .iter()
                .map(|one| Dot {
                    doubtful: one.answer != Answer::Held,
                    ..Dot::new(one.rate, of(one).unwrap_or(f64::NAN))
                })
                .collect(),
            marked: true,
        };
        let series = [
            line("p50", 0, |one| one.quantiles_ns[0]),
            line("mean", 1, |one| one.mean_ns),
            line("p99", 2, |one| one.quantiles_ns[1]),
        ];
        let ys = series.iter().flat_map(|line| line.points.iter().map(|dot| dot.y));
        let limits: Vec<(String, f64)> = self
            .capacity
            .slos
            .iter()
            .filter_map(|text| Slo::parse(text).ok())
            .filter(|slo| !matches!(slo.metric, Metric::Errors | Metric::Rate))
            .map(|slo| (slo.text, slo.limit))
            .collect();
        let y =
            Axis::new("latency", Scale::Log, Unit::Duration, ys.chain(limits.iter().map(|limit| limit.1)));
        let answer = self.capacity.found.held.map(|x| Layer::Upright { name: rate(x), x });
        let limits = limits.into_iter().map(|(name, y)| Layer::Level { name, y });
        Some(Chart {
            name: "capacity",
            title: "Latency against load".into(),
            x: Axis::new(
                "calls a second asked for",
                Scale::Linear,
                Unit::Rate,
                tried.iter().map(|one| one.rate),
            ),
            y,
            layers: limits.chain(answer).chain(series.into_iter().map(Layer::Marks)).collect(),
            note: "Hollow marks: the SLOs were not shown to hold there. Dotted lines: the limits of the SLOs, and the \
                   greatest rate that held."
                .into(),
        })
    }

    fn html(&self) -> String {
        let class = match self.capacity.found.held {
            None => "failed",
            Some(_) if self.capacity.found.client_limited => "degraded",
            Some(_) => "passed",
        };
        let mut out = String::new();
        let _ = writeln!(
            out,
            "<h1>Capacity</h1><div class=\"verdict {class}\"><b>{}</b></div>",
            escape(&self.answer())
        );
        page::started(&mut out, moment(self.environment.started_unix_ns));
        self.facts().iter().for_each(|fact| {
            let _ = writeln!(out, "<p>{}</p>", escape(fact));
        });
        if let Some(chart) = self.chart() {
            let _ = writeln!(out, "<div class=\"charts\">{}</div>", chart.inline());
        }
        page::part(&mut out, "table", "Every rate that was tried");
        page::table(&mut out, &HEADINGS, self.cells().into_iter());
        let _ = writeln!(out, "<p class=\"note\">{LEGEND}</p>");
        page::environments(&mut out, &[("", &self.environment)]);
        page::command(&mut out, &self.environment);
        page::page(&format!("Capacity: {}", self.answer()), &out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_experiment::capacity::Found;
    use warwolf_measure::{SloResult, SloState};

    fn report(held: Option<f64>, broken: Option<f64>, client_limited: bool) -> CapacityReport {
        let tried = |(rate, answer): (f64, Answer)| Tried {
            rate,
            came: rate,
            achieved: rate,
            good: rate,
            mean_ns: Some(1e9 / (1_000.0 - rate)),
            quantiles_ns: [Some(7e8 / (1_000.0 - rate)), None],
            error_share: 0.0,
            answer,
            why: Why::Slos(vec![SloResult {
                is_at_least: false,
                slo: Slo::parse("p99<50ms").unwrap(),
                actual: Some(12e6),
                state: SloState::Held,
            }]),
        };
        let rates =
            [(100.0, Answer::Held), (400.0, Answer::Held), (900.0, Answer::Held), (950.0, Answer::Broken)];
        CapacityReport::new(RateSearch {
            of_sessions: false,
            slos: vec!["p99<50ms".into()],
            tried: rates.map(tried).to_vec(),
            found: Found { held, broken, client_limited },
        })
    }

    #[test]
    fn the_first_line_is_the_answer() {
        let rows = [
            (
                report(Some(900.0), Some(950.0), false),
                "900/s: the server holds p99<50ms up to there, and no longer at 950/s",
            ),
            (
                report(Some(900.0), Some(950.0), true),
                "At least 900/s: the server holds p99<50ms; at 950/s the load generator",
            ),
            (report(Some(900.0), None, false), "At least 900/s"),
            (report(None, Some(1.0), false), "AT NO RATE"),
        ];
        for (report, expected) in rows {
            assert!(report.text().starts_with(expected), "{}", report.text());
        }
    }

    #[test]
    fn the_chart_has_lines_for_slo_and_answer() {
        let chart = report(Some(900.0), Some(950.0), false).chart().unwrap();
        let is = |wanted: &str| {
            chart.layers.iter().any(|layer| match layer {
                Layer::Level { name, y } => name == wanted && *y == 50e6,
                Layer::Upright { name, x } => name == wanted && *x == 900.0,
                _ => false,
            })
        };
        assert!(is("p99<50ms") && is("900/s"), "{chart:?}");
        assert!(chart.y.range.1 > 50e6, "the limit is in the picture");
    }

    #[test]
    fn every_form_has_date_and_time() {
        let report = report(Some(900.0), Some(950.0), false).in_environment(crate::fixture::environment());
        for form in [report.text(), report.markdown(), report.html()] {
            assert!(form.contains("2023-11-14 22:13:20 UTC"), "{form}");
            assert!(form.contains("A CPU (2 cores)") && form.contains("-r 100/s"), "{form}");
        }
        assert!(report.html().contains("<title>Capacity: 900/s"));
        assert_eq!(report.json()["environment"]["cpu"], "A CPU");
        assert_eq!(report.json()["started_unix_ns"], 1_700_000_000_000_000_000_u64);
    }

    #[test]
    fn every_form_has_every_rate() {
        let report = report(Some(900.0), Some(950.0), false);
        assert!(
            report.text().contains("knee: 400/s")
                && report.text().contains("most good replies at any rate: 950/s")
        );
        assert_eq!(report.csv().lines().count(), 5);
        assert_eq!(report.markdown().matches("| held |").count(), 3);
        assert!(report.html().contains("id=\"chart-capacity\"") && !report.html().contains("NaN"));
        assert_eq!(report.json()["tried"].as_array().unwrap().len(), 4);
    }
}
