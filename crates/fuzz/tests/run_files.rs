//! Run files with changed contents, through every report: whatever is accepted is rendered without a panic, and no text in it
//! reaches a terminal, a page, a chart or a spreadsheet as anything but text.
#![forbid(unsafe_code)]

use serde_json::Value;
use std::path::Path;
use warwolf_clock::Timestamp;
use warwolf_experiment::Chance;
use warwolf_experiment::compare::{Allowance, Design, blocks, compare, figures, steps};
use warwolf_experiment::sweep::{Measured, Step, Sweep, Vary};
use warwolf_measure::{
    CheckExample, CheckLabel, LogReplay, LogTiming, NotUnderstood, RowLabel, RowLabels, Run,
};
use warwolf_report::{
    ComparisonReport, Format, Rendered, Report, Side, SweepReport, TrendPoint, TrendReport,
};

/// Markup, the end of an attribute, terminal codes of seven and eight bits, a formula, the end of a table cell, line ends, and a
/// mark that reverses the direction of writing.
const HOSTILE: &str = "=<i>&\"'>\u{1b}]0;x\u{7}\u{1b}[31m\u{9b}2J`|\\|\r\n@[a](b)\u{202e}\0";

fn seeds() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/run_file");
    let files = std::fs::read_dir(folder).expect("the folder of seeds");
    let runs = files.filter_map(|file| Run::decode(&std::fs::read(file.ok()?.path()).ok()?).ok());
    let runs = runs.flat_map(|run| {
        let replay = LogReplay {
            name: "access.log".into(),
            lines: 9,
            not_understood: vec![NotUnderstood { reason: "no request".into(), lines: 2, first: 3 }],
            broken: Some("unexpected end".into()),
            timing: Some(LogTiming { half_ns: 1_000, most_ns: 2_000, all_ns: 3_000 }),
            ..LogReplay::default()
        };
        [run.clone(), Run { replay: Some(replay), ..run.clone() }, with_steps(run)]
    });
    let values: Vec<Value> = runs.map(|run| serde_json::to_value(run).expect("a run is a value")).collect();
    assert!(!values.is_empty(), "no seed is a run");
    values
}

/// Gives a run the names of steps, and a reply that did not pass a check.
fn with_steps(mut run: Run) -> Run {
    let row = |name: &str| RowLabel {
        name: name.into(),
        group: Some("checkout".into()),
        scenario: Some(format!("{name} scenario")),
    };
    run.labels = RowLabels {
        rows: vec![row("login"), row("buy")],
        groups: vec!["checkout".into()],
        checks: vec![CheckLabel { row: 0, text: "status == 200".into() }],
    };
    run.examples.add(CheckExample::new(0, Timestamp::ZERO, "GET /", 500, "500", b"error"));
    run
}

/// Calls `visit` with every value in a tree, the tree itself first.
fn walk<'v>(value: &'v mut Value, visit: &mut dyn FnMut(&mut Value)) {
    visit(value);
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, visit)),
        Value::Object(fields) => fields.values_mut().for_each(|field| walk(field, visit)),
        _ => {}
    }
}

/// Changes one value of a tree, which is drawn by chance.
fn mutate(value: &mut Value, chance: &mut Chance) {
    let mut count = 0;
    walk(value, &mut |_| count += 1);
    let chosen = chance.below(count);
    let (mut place, way) = (0, chance.below(8));
    let random = chance.below(1 << 40) as u64;
    walk(value, &mut |value| {
        if place == chosen {
            change(value, way, random);
        }
        place += 1;
    });
}

fn change(value: &mut Value, way: usize, random: u64) {
    match value {
        Value::Number(_) => {
            let numbers = [0, 1, u64::MAX, u64::MAX / 2, 1 << 32, random, random % 1_000, 4_294_967_295];
            *value = if way == 6 { (-1).into() } else { numbers[way].into() };
        }
        Value::String(_) => *value = if way == 7 { String::new() } else { HOSTILE.to_owned() }.into(),
        Value::Bool(flag) => *flag = !*flag,
        Value::Null => *value = [Value::from(random), 0.into(), HOSTILE.into(), true.into()][way % 4].clone(),
        Value::Array(items) => match way {
            0 => items.clear(),
            1 | 2 => items.truncate(random as usize % (items.len() + 1)),
            3 => items.reverse(),
            4 | 5 if items.len() < 200 => items.extend(items.clone()),
            _ => {
                items.pop();
            }
        },
        Value::Object(fields) => {
            let names: Vec<String> = fields.keys().cloned().collect();
            if let Some(name) = names.get(random as usize % names.len().max(1)) {
                fields.remove(name);
            }
        }
    }
}

/// Asserts that a text for people has no control character but line ends, and no mark of direction.
fn assert_printable(what: &str, text: &str) {
    let bad = text.chars().find(|c| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    });
    assert_eq!(bad, None, "{what}: {text:?}");
}

fn assert_no_markup(what: &str, text: &str) {
    assert!(!text.contains("<i>") && !text.contains("=\"\"'"), "{what}: {text}");
    assert!(!text.contains("NaN") || what == "json", "{what}: {text}");
}

fn assert_harmless(format: Format, text: &str) {
    let name = format.name();
    assert_printable(name, text);
    match format {
        Format::Html | Format::Svg | Format::Junit => assert_no_markup(name, text),
        Format::Json => {
            serde_json::from_str::<Value>(text).expect("valid JSON");
        }
        Format::Csv => assert!(!text.contains(",=<i>"), "{text}"),
        Format::Text | Format::Markdown => {}
    }
}

const FORMATS: [Format; 7] =
    [Format::Text, Format::Json, Format::Csv, Format::Markdown, Format::Html, Format::Junit, Format::Svg];

/// Renders a run, and the experiments and the history that contain it, in every format.
fn render(run: &Run) {
    let report = Report::of(run);
    for format in FORMATS {
        assert_harmless(format, &report.render(format, false));
    }
    for chart in report.charts() {
        assert_harmless(Format::Svg, &chart.to_svg());
    }
    let environment = run.hosts.first().map(|host| host.environment.clone()).unwrap_or_default();
    let portions = blocks(run);
    let side = |name: &str| Side {
        name: name.to_owned(),
        verdict: report.verdict.clone(),
        environment: environment.clone(),
    };
    render_experiment(&ComparisonReport {
        sides: [side(HOSTILE), side(run.targets.first().map_or("", String::as_str))],
        manner: "two runs".into(),
        answer: compare(&Design::Apart(portions.clone(), portions.clone()), Allowance::default(), 1),
        figures: figures(&portions, &portions),
        steps: steps([std::slice::from_ref(run), std::slice::from_ref(run)], run.warmup),
        partial: None,
        environment: environment.clone(),
    });
    let step = Step { point: 0, repeat: 0 };
    let sweep = Sweep {
        vary: vec![Vary::parse(&format!("target={}", HOSTILE.replace(',', ""))).expect("a target")],
        measured: vec![Measured::of(step, &report.summary, &report.verdict); 2],
        steps: 2,
    };
    render_experiment(&SweepReport::new(sweep).in_environment(environment.clone()));
    let point = TrendPoint {
        id: 1,
        name: HOSTILE.into(),
        date: "2026-11-22".into(),
        verdict: HOSTILE.into(),
        target: HOSTILE.into(),
        rate_per_s: report.summary.achieved.rate_per_s.value,
        quantiles_ns: [report.summary.latency.mean_ns, None, Some(0.0)],
        error_share: report.summary.error_share,
        tags: vec![HOSTILE.into()],
    };
    render_experiment(&TrendReport::new(vec![point.clone(), point]).in_environment(environment));
    let _ = Run::merge(vec![run.clone(), run.clone()]);
}

fn render_experiment<R: Rendered>(report: &R) {
    for format in R::FORMATS {
        assert_harmless(*format, &report.render(*format));
    }
}

/// Renders what is accepted of so many changed runs; returns how many were.
fn mutations(number: usize, seed: u64) -> usize {
    let seeds = seeds();
    let mut chance = Chance::new(seed);
    let mut accepted = 0;
    for _ in 0..number {
        let mut value = seeds[chance.below(seeds.len())].clone();
        // Most files with several changes are refused.
        for _ in 0..=chance.below(4) / 3 {
            mutate(&mut value, &mut chance);
        }
        let Ok(run) = serde_json::from_value::<Run>(value) else { continue };
        // A run file has more rules than its parts.
        let Ok(run) = Run::decode(&run.encode()) else { continue };
        render(&run);
        accepted += 1;
    }
    accepted
}

#[test]
fn hostile_text_in_every_field_stays_text() {
    for mut value in seeds() {
        walk(&mut value, &mut |value| {
            if let Value::String(text) = value {
                HOSTILE.clone_into(text);
            }
        });
        // This text is from a closed list.
        walk(&mut value, &mut |value| {
            if let Some(idle) = value.get_mut("idle").filter(|idle| idle.is_string()) {
                *idle = "block".into();
            }
        });
        let run: Run = serde_json::from_value(value).expect("texts may be anything");
        render(&run);
    }
}

#[test]
fn rates_that_are_no_numbers_are_rendered() {
    for value in seeds() {
        let mut run: Run = serde_json::from_value(value).expect("a seed");
        for rate in [f64::NAN, f64::INFINITY, -1.0, 1e308] {
            run.target_rate = Some(rate);
            for host in &mut run.hosts {
                host.steal_share = Some(rate);
                host.host_cpu_busy_share = Some(rate);
            }
            let report = Report::of(&run);
            for format in FORMATS {
                assert_printable(format.name(), &report.render(format, false));
            }
        }
    }
}

#[test]
fn changed_run_files_are_refused_or_rendered() {
    let accepted = mutations(4_000, 12);
    assert!(accepted > 200, "{accepted} were accepted: too few to show anything");
}

#[test]
#[ignore = "takes long: part of `cargo xtask nightly`"]
fn a_million_changed_run_files_are_refused_or_rendered() {
    assert!(mutations(1_000_000, 34) > 100_000);
}
