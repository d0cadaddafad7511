//! Renders a comparison of two sides: what differs, by how much, and how certain that is.

mod steps;

use crate::Format;
use crate::chart::{Axis, Chart, Dot, Layer, Scale, Series, Unit, escape};
use crate::html::page;
use crate::json::environment;
use crate::layout::{UNKNOWN, printable};
use crate::rendered::{Rendered, push_origin, push_origin_block};
use crate::unit::{duration, moment, rate, share};
use crate::wording;
use serde_json::{Value, json};
use std::fmt::Write;
use warwolf_experiment::compare::{Allowance, Comparison, Effect, Figure, Finding, Refusal, StepPair};
use warwolf_measure::{Environment, Grade, Verdict};

/// One side of a comparison.
#[derive(Clone, Debug)]
pub struct Side {
    /// What was measured: a URL, a plan or a run file.
    pub name: String,
    /// Whether its numbers can be trusted.
    pub verdict: Verdict,
    /// Where it was measured, and when its first run began; empty if unknown.
    pub environment: Environment,
}

impl Side {
    /// Returns the name as one line without control characters.
    fn label(&self) -> String {
        printable(&self.name)
    }

    /// Returns the start as the end of a line; empty if unknown.
    fn started(&self) -> String {
        moment(self.environment.started_unix_ns)
            .map_or_else(String::new, |moment| format!(", started {moment}"))
    }
}

/// A comparison with what is reported about it.
#[derive(Clone, Debug)]
pub struct ComparisonReport {
    /// A and B.
    pub sides: [Side; 2],
    /// How it was measured, in a sentence.
    pub manner: String,
    /// The answer, or why there is none.
    pub answer: Result<Comparison, Refusal>,
    /// The figures if there is no answer.
    pub figures: Vec<Effect>,
    /// The steps that both sides have; empty for plain requests.
    pub steps: Vec<StepPair>,
    /// Slices that were measured and slices in all, if the comparison was interrupted.
    pub partial: Option<(usize, usize)>,
    /// Program, machine and command of the comparison; empty if unknown.
    pub environment: Environment,
}

impl ComparisonReport {
    /// Returns whether the results of a side reflect the load generator, not the server, so that nothing follows from them.
    #[must_use]
    pub fn is_spoilt(&self) -> bool {
        self.sides.iter().any(|side| side.verdict.grade == Grade::Invalid)
    }

    /// Returns the answer if it is reliable.
    #[must_use]
    pub fn reliable(&self) -> Option<&Comparison> {
        self.answer.as_ref().ok().filter(|_| !self.is_spoilt())
    }

    /// Returns the answer in one sentence.
    #[must_use]
    pub fn answer(&self) -> String {
        match self.partial {
            Some((done, all)) => {
                format!("PARTIAL, interrupted after {done} of {all} slices: {}", self.whole_answer())
            }
            None => self.whole_answer(),
        }
    }

    fn whole_answer(&self) -> String {
        if self.is_spoilt() {
            return "NO ANSWER: the results of one side reflect the load generator, not its server"
                .to_owned();
        }
        match &self.answer {
            Err(refusal) => format!("NO ANSWER: {refusal}"),
            Ok(comparison) => format!("{}{}", sentence(comparison), self.degraded()),
        }
    }

    /// Returns the rows of the table: those of the answer, or the figures alone.
    fn rows(&self) -> Vec<[String; 6]> {
        match &self.answer {
            Ok(comparison) => rows(&comparison.effects, comparison.allowance),
            Err(_) => rows(&self.figures, Allowance::default()),
        }
    }

    /// Returns the sides whose verdict is DEGRADED, as the end of the answer; empty if there are none.
    fn degraded(&self) -> String {
        let sides: Vec<&str> = ["A", "B"]
            .into_iter()
            .zip(&self.sides)
            .filter(|(_, side)| side.verdict.grade == Grade::Degraded)
            .map(|(letter, _)| letter)
            .collect();
        match sides.as_slice() {
            [] => String::new(),
            [one] => format!("; but {one} is DEGRADED: the load generator may be the cause"),
            _ => "; but A and B are DEGRADED: the load generator may be the cause".to_owned(),
        }
    }

    /// Returns whether the load generator may have affected a side.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        self.sides.iter().any(|side| side.verdict.grade != Grade::Valid)
    }
}

impl Rendered for ComparisonReport {
    const FORMATS: &'static [Format] =
        &[Format::Text, Format::Json, Format::Markdown, Format::Html, Format::Svg];

    fn text(&self) -> String {
        let mut out = format!("{}\n\n", self.answer());
        for (letter, side) in ['A', 'B'].iter().zip(&self.sides) {
            let _ =
                writeln!(out, "{letter}  {}  {}{}", side.verdict.grade.name(), side.label(), side.started());
            for reason in side.verdict.doubts() {
                let (doubt, remedy) = (wording::doubt(reason), wording::remedy(reason));
                let _ = writeln!(out, "     {doubt}\n     to do: {remedy}");
            }
        }
        let _ = writeln!(out, "{}\n", self.manner);
        let rows = self.rows();
        if !rows.is_empty() {
            let _ = writeln!(out, "{:<8}{:>12}{:>12}{:>11}   {:<22}", "", "A", "B", "change", "between");
            for row in rows {
                let [name, a, b, change, between, finding] = row;
                let line = format!("{name:<8}{a:>12}{b:>12}{change:>11}   {between:<22}  {finding}");
                let _ = writeln!(out, "{}", line.trim_end());
            }
        }
        if self.answer.is_ok() {
            let _ = writeln!(out, "\n{CERTAINTY}");
        }
        steps::push_text(&mut out, &self.steps);
        push_origin(&mut out, &self.environment);
        out
    }

    fn markdown(&self) -> String {
        let mut out = format!("**{}**\n\n", self.answer());
        for (letter, side) in ['A', 'B'].iter().zip(&self.sides) {
            let _ = writeln!(
                out,
                "- {letter}: `{}` ({}{})",
                side.label().replace('`', "'"),
                side.verdict.grade.name(),
                side.started()
            );
        }
        let rows = self.rows();
        if !rows.is_empty() {
            let _ = writeln!(out, "\n| | A | B | change | between | |\n|---|---:|---:|---:|---|---|");
            for row in rows {
                let _ = writeln!(out, "| {} |", row.join(" | "));
            }
        }
        let certainty = if self.answer.is_ok() { CERTAINTY } else { "" };
        let _ = writeln!(out, "\n{}", format!("{}. {certainty}", self.manner).trim_end());
        steps::push_markdown(&mut out, &self.steps);
        push_origin_block(&mut out, &self.environment);
        out
    }

    fn html(&self) -> String {
        let mut out = String::new();
        let class = match self.reliable() {
            Some(comparison) if comparison.is_regression() => "failed",
            Some(comparison) if comparison.unknown().next().is_none() => "passed",
            _ => "degraded",
        };
        let _ = writeln!(
            out,
            "<h1>Comparison</h1><div class=\"verdict {class}\"><b>{}</b></div>",
            escape(&self.answer())
        );
        let sides = ['A', 'B'].iter().zip(&self.sides).map(|(letter, side)| {
            let doubts: Vec<String> = side.verdict.doubts().map(wording::doubt).collect();
            vec![
                letter.to_string(),
                side.label(),
                moment(side.environment.started_unix_ns).unwrap_or_default(),
                side.verdict.grade.name().to_owned(),
                doubts.join("; "),
            ]
        });
        page::table(&mut out, &["", "<what", "<started", "<verdict", "<why"], sides);
        if let Some(chart) = self.chart() {
            let _ = writeln!(out, "<div class=\"charts\">{}</div>", chart.inline());
        }
        let rows = self.rows();
        if !rows.is_empty() {
            page::part(&mut out, "figures", "Figures");
            let cells = rows.into_iter().map(|row| row.to_vec());
            page::table(&mut out, &["", "A", "B", "change", "between", "<"], cells);
        }
        let certainty = if self.answer.is_ok() { CERTAINTY } else { "" };
        let _ = writeln!(out, "<p class=\"note\">{}. {certainty}</p>", escape(&self.manner));
        steps::push_html(&mut out, &self.steps);
        let [a, b] = self.sides.each_ref().map(|side| &side.environment);
        page::environments(&mut out, &[("A", a), ("B", b)]);
        page::command(&mut out, &self.environment);
        let [a, b] = self.sides.each_ref().map(Side::label);
        page::page(&format!("{}: {a} and {b}", self.answer()), &out)
    }

    fn chart(&self) -> Option<Chart> {
        self.answer.as_ref().ok().and_then(chart)
    }

    fn json(&self) -> Value {
        let comparison = self.answer.as_ref().ok();
        let side = |side: &Side| {
            json!({
                "name": side.name,
                "verdict": side.verdict.grade.name(),
                "started_unix_ns": Some(side.environment.started_unix_ns).filter(|at| *at > 0),
                "environment": environment(&side.environment),
            })
        };
        json!({
            "schema_version": 1,
            "environment": environment(&self.environment),
            "partial": self.partial.map(|(done, all)| json!({ "slices": done, "planned": all })),
            "answer": self.answer(),
            "regression": self.reliable().is_some_and(Comparison::is_regression),
            "reliable": self.reliable().is_some(),
            "refusal": self.answer.as_ref().err().map(ToString::to_string),
            "a": side(&self.sides[0]),
            "b": side(&self.sides[1]),
            "manner": self.manner,
            "paired": comparison.map(|comparison| comparison.paired),
            "blocks": comparison.map(|comparison| [comparison.blocks.0, comparison.blocks.1]),
            "allow": comparison.map(|comparison| comparison.allowance.relative),
            "allow_errors": comparison.map(|comparison| comparison.allowance.errors),
            "steps": self.steps.iter().map(steps::json).collect::<Vec<_>>(),
            "figures": comparison.map_or(&self.figures, |comparison| &comparison.effects).iter().map(effect).collect::<Vec<_>>(),
        })
    }
}

/// Returns the chart of relative changes with intervals, no change and the allowed change; none if no change is known.
fn chart(comparison: &Comparison) -> Option<Chart> {
    let effects: Vec<(&Effect, f64)> = comparison
        .effects
        .iter()
        .filter(|effect| effect.figure != Figure::Errors)
        .filter_map(|effect| Some((effect, effect.change?)))
        .collect();
    if effects.is_empty() {
        return None;
    }
    let names = effects.iter().map(|(effect, _)| effect.figure.name().to_owned()).collect();
    let points: Vec<Dot> = (0u8..)
        .zip(&effects)
        .map(|(place, (effect, change))| Dot {
            range: effect.interval,
            doubtful: effect.finding == Finding::Unknown,
            ..Dot::new(f64::from(place), *change)
        })
        .collect();
    let allowed = comparison.allowance.relative;
    let ends = points.iter().flat_map(|dot| dot.range.map_or([dot.y, dot.y], |(low, high)| [low, high]));
    let (low, high) = ends.fold((-allowed, allowed), |(low, high), end| (low.min(end), high.max(end)));
    let level = |y: f64| Layer::Level { name: format!("allowed: {}", signed(Figure::Rate, y)), y };
    let series = Series { name: "change, 95 % of all five".into(), look: 0, points, marked: true };
    Some(Chart {
        name: "changes",
        title: "Change from A to B".into(),
        x: Axis::named("figure", names),
        y: Axis::new("change", Scale::Linear, Unit::Share, [low, high].into_iter())
            .over(low * 1.1, high * 1.1),
        layers: vec![
            Layer::Level { name: "no change".into(), y: 0.0 },
            level(allowed),
            level(-allowed),
            Layer::Marks(series),
        ],
        note: "A greater rate is better, a greater latency worse. Hollow marks: nothing can be said.".into(),
    })
}

const CERTAINTY: &str = "All five intervals together hold the truth with 95 %.";

fn effect(effect: &Effect) -> Value {
    let name = match effect.finding {
        Finding::Regression => "regression",
        Finding::Worse => "worse",
        Finding::Better => "better",
        Finding::NoLargerThan(_) => "no_difference",
        Finding::Unknown => "unknown",
    };
    json!({
        "figure": effect.figure.name(),
        "a": effect.a,
        "b": effect.b,
        "change": effect.change,
        "interval": effect.interval.map(|(low, high)| [low, high]),
        "finding": name,
    })
}

fn value(figure: Figure, value: Option<f64>) -> String {
    value.map_or_else(
        || UNKNOWN.to_owned(),
        |value| match figure {
            Figure::Rate => rate(value),
            Figure::Errors => share(value),
            _ => duration(value),
        },
    )
}

/// Formats a change with its sign; changes of error shares are in percentage points.
fn signed(figure: Figure, change: f64) -> String {
    let unit = if figure == Figure::Errors { " pp" } else { " %" };
    let digits = if figure == Figure::Errors { 3 } else { 1 };
    format!("{:+.digits$}{unit}", change * 100.0)
}

fn rows(effects: &[Effect], allowance: Allowance) -> Vec<[String; 6]> {
    let row = |effect: &Effect| {
        let figure = effect.figure;
        let between = effect.interval.map_or_else(String::new, |(low, high)| {
            format!("{} to {}", signed(figure, low), signed(figure, high))
        });
        [
            figure.name().to_owned(),
            value(figure, effect.a),
            value(figure, effect.b),
            effect.change.map_or_else(|| UNKNOWN.to_owned(), |change| signed(figure, change)),
            between,
            finding(allowance, effect),
        ]
    };
    effects.iter().map(row).collect()
}

fn finding(allowance: Allowance, effect: &Effect) -> String {
    let errors = effect.figure == Figure::Errors;
    let allowed = if errors { allowance.errors } else { allowance.relative };
    let limit = |limit: f64| signed(effect.figure, limit).trim_start_matches('+').to_owned();
    match effect.finding {
        Finding::Regression => format!("worse, beyond the {} allowed", limit(allowed)),
        Finding::Worse => "worse".to_owned(),
        Finding::Better => "better".to_owned(),
        Finding::NoLargerThan(most) => format!("no difference larger than {}", limit(most)),
        Finding::Unknown if effect.interval.is_none() => "not enough samples".to_owned(),
        Finding::Unknown => format!("cannot say: a difference beyond {} may be there", limit(allowed)),
    }
}

fn sentence(comparison: &Comparison) -> String {
    let named = |wanted: fn(Finding) -> bool| {
        let effects = comparison.effects.iter().filter(|effect| wanted(effect.finding));
        let texts: Vec<String> = effects
            .filter_map(|effect| {
                Some(format!("{} {}", effect.figure.name(), signed(effect.figure, effect.change?)))
            })
            .collect();
        texts.join(", ")
    };
    let beyond = named(|finding| finding == Finding::Regression);
    let worse = named(|finding| matches!(finding, Finding::Regression | Finding::Worse));
    let better = named(|finding| finding == Finding::Better);
    if !beyond.is_empty() {
        return format!("B IS WORSE THAN A, beyond what is allowed: {beyond}");
    }
    match (worse.is_empty(), better.is_empty()) {
        (false, true) => return format!("B is worse than A, not surely beyond what is allowed: {worse}"),
        (true, false) => return format!("B is better than A: {better}"),
        (false, false) => {
            return format!("B is worse than A in some ways ({worse}), better in others ({better})");
        }
        (true, true) => {}
    }
    if comparison.unknown().next().is_some() {
        return "No difference was found, but one may be there: measure for longer".to_owned();
    }
    let largest =
        comparison.effects.iter().filter(|effect| effect.figure != Figure::Errors).filter_map(|effect| {
            if let Finding::NoLargerThan(most) = effect.finding { Some(most) } else { None }
        });
    format!("No difference larger than {:.1} %", largest.fold(0.0, f64::max) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use warwolf_experiment::compare::FEWEST_BLOCKS;

    fn report(findings: [Finding; 5]) -> ComparisonReport {
        let effect = |(figure, finding)| Effect {
            figure,
            a: Some(0.001),
            b: Some(0.0012),
            change: Some(0.2),
            interval: Some((0.1, 0.3)),
            finding,
        };
        let side = |name: &str| Side {
            name: name.to_owned(),
            verdict: Verdict { grade: Grade::Valid, reasons: Vec::new() },
            environment: fixture::environment(),
        };
        ComparisonReport {
            sides: [side("http://a.test/"), side("http://b.test/")],
            manner: "120 slices".into(),
            answer: Ok(Comparison {
                effects: Figure::ALL.into_iter().zip(findings).map(effect).collect(),
                blocks: (30, 30),
                paired: true,
                allowance: Allowance::default(),
            }),
            figures: Vec::new(),
            steps: Vec::new(),
            partial: None,
            environment: fixture::environment(),
        }
    }

    #[test]
    fn an_interrupted_comparison_reports_what_was_measured() {
        let whole = report([Finding::Better; 5]);
        let Ok(comparison) = whole.answer.clone() else { panic!("an answer") };
        let effects = comparison.effects.into_iter();
        let partial = ComparisonReport {
            answer: Err(Refusal::TooFewBlocks { have: 2 }),
            figures: effects
                .map(|effect| Effect { interval: None, finding: Finding::Unknown, ..effect })
                .collect(),
            partial: Some((9, 120)),
            ..whole
        };
        assert!(
            partial
                .answer()
                .starts_with("PARTIAL, interrupted after 9 of 120 slices: NO ANSWER: too few blocks")
        );
        for form in [partial.text(), partial.markdown(), partial.html()] {
            assert!(form.contains("PARTIAL") && form.contains("+20.0 %") && form.contains("p99"), "{form}");
            assert!(!form.contains(CERTAINTY), "{form}");
        }
        let json = partial.json();
        assert_eq!((&json["partial"]["slices"], json["figures"].as_array().unwrap().len()), (&json!(9), 5));
        let enough = ComparisonReport { partial: Some((60, 120)), ..report([Finding::Better; 5]) };
        assert!(enough.answer().contains("60 of 120 slices: B is better than A"), "{}", enough.answer());
    }

    #[test]
    fn every_form_has_environment_and_command() {
        let report = report([Finding::Better; 5]);
        for form in [report.text(), report.markdown(), report.html()] {
            assert!(form.contains("A CPU (2 cores)") && form.contains("-r 100/s"), "{form}");
        }
        let title = "<title>B is better than A: rate +20.0 %, p50 +20.0 %, p90 +20.0 %, p99 +20.0 %, errors +20.000 pp: http://a.test/ and";
        assert!(report.html().contains(title), "{}", report.html());
        assert_eq!(report.json()["a"]["environment"]["cpu"], "A CPU");
    }

    #[test]
    fn the_first_line_says_what_the_data_say() {
        let same = Finding::NoLargerThan(0.012);
        let rows = [
            ([same; 5], "No difference larger than 1.2 %"),
            ([same, Finding::Unknown, same, same, same], "No difference was found, but one may be there"),
            (
                [same, Finding::Worse, same, same, same],
                "B is worse than A, not surely beyond what is allowed: p50 +20.0 %",
            ),
            (
                [same, Finding::Regression, Finding::Worse, same, same],
                "B IS WORSE THAN A, beyond what is allowed: p50 +20.0 %",
            ),
            ([Finding::Better, same, same, same, same], "B is better than A: rate +20.0 %"),
            (
                [Finding::Better, Finding::Worse, same, same, same],
                "B is worse than A in some ways (p50 +20.0 %), better",
            ),
        ];
        for (findings, expected) in rows {
            let answer = report(findings).answer();
            assert!(answer.starts_with(expected), "{answer}");
        }
    }

    #[test]
    fn a_degraded_side_is_in_the_answer() {
        let mut report = report([Finding::Regression; 5]);
        assert!(!report.is_doubtful());
        report.sides[0].verdict.grade = Grade::Degraded;
        let answer = report.answer();
        assert!(answer.starts_with("B IS WORSE THAN A"), "{answer}");
        assert!(answer.ends_with("; but A is DEGRADED: the load generator may be the cause"), "{answer}");
        assert!(report.is_doubtful());
    }

    #[test]
    fn nothing_follows_from_numbers_of_the_wrong_machine() {
        let mut spoilt = report([Finding::Regression; 5]);
        spoilt.sides[1].verdict.grade = Grade::Invalid;
        assert!(spoilt.reliable().is_none() && spoilt.text().starts_with("NO ANSWER"));
        let refused = ComparisonReport {
            answer: Err(Refusal::TooFewBlocks { have: 2 }),
            ..report([Finding::Better; 5])
        };
        assert!(refused.answer().contains(&format!(
            "too few blocks of slices to tell a difference from chance: 2 of {FEWEST_BLOCKS}"
        )));
    }

    #[test]
    fn the_chart_shows_intervals_and_what_is_allowed() {
        let chart = report([Finding::Better; 5]).chart().unwrap();
        let levels = chart.layers.iter().filter(|layer| matches!(layer, Layer::Level { .. })).count();
        let Some(Layer::Marks(series)) = chart.layers.last() else { panic!("marks") };
        assert_eq!((levels, series.points.len()), (3, 4));
        assert!(series.points.iter().all(|dot| dot.range == Some((0.1, 0.3)) && dot.y == 0.2));
        assert!(report([Finding::Better; 5]).html().contains("id=\"chart-changes\""));
    }

    #[test]
    fn every_form_has_date_and_time_of_the_sides() {
        let report = report([Finding::Better; 5]);
        for form in [report.text(), report.markdown(), report.html()] {
            assert_eq!(form.matches("2023-11-14 22:13:20 UTC").count(), 2, "{form}");
        }
        assert_eq!(report.json()["a"]["started_unix_ns"], 1_700_000_000_000_000_000_u64);
    }

    #[test]
    fn every_form_has_every_figure() {
        let report = report([
            Finding::Regression,
            Finding::Worse,
            Finding::Better,
            Finding::Unknown,
            Finding::NoLargerThan(0.0004),
        ]);
        for form in [report.text(), report.markdown(), report.html(), report.json().to_string()] {
            for name in ["rate", "p50", "p90", "p99", "errors", "http://a.test/", "http://b.test/"] {
                assert!(form.contains(name), "{name}: {form}");
            }
        }
        assert!(report.text().contains("no difference larger than 0.040 pp"), "{}", report.text());
        let value = report.json();
        assert_eq!(value["regression"], true);
    }
}
