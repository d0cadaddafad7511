use crate::{Format, Report, fixture};
use serde_json::Value;
use warwolf_measure::{Run, Slo};
use warwolf_plan::{ArrivalProcess, RateStep};

fn json(run: &Run) -> Value {
    let slos = ["p99<200ms", "errors<0.1%", "p99.99<1s", "rps>=1"].map(|text| Slo::parse(text).unwrap());
    serde_json::from_str(&Report::with_slos(run, &slos).render(Format::Json, false)).unwrap()
}

#[test]
fn every_report_matches_the_schema() {
    let schema: Value = serde_json::from_str(include_str!("../schema/report-1.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut plain = fixture::steady();
    plain.plan_text.clear();
    let lasts = std::time::Duration::from_secs(5);
    let steps = [50.0, 150.0].map(|rate| RateStep { rate, lasts }).to_vec();
    let stepped = ArrivalProcess::Steps { steps };
    for run in [
        fixture::steady(),
        fixture::small(),
        fixture::unreachable(),
        plain,
        fixture::arriving(stepped),
        fixture::shop(),
    ] {
        let report = json(&run);
        let errors: Vec<_> =
            validator.iter_errors(&report).map(|error| format!("{}: {error}", error.instance_path)).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}

#[test]
fn the_schema_knows_and_requires_every_field() {
    let schema: Value = serde_json::from_str(include_str!("../schema/report-1.json")).unwrap();
    let report = json(&fixture::steady());
    let fields: Vec<_> = report.as_object().unwrap().keys().collect();
    let known: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(fields, known);
    let validator = jsonschema::validator_for(&schema).unwrap();
    for field in fields {
        let mut without = report.clone();
        without.as_object_mut().unwrap().remove(field);
        assert!(!validator.is_valid(&without), "{field} may be missing");
    }
}

#[test]
fn figures_are_whole_nanoseconds_with_their_intervals() {
    let report = json(&fixture::steady());
    let latency = &report["latency_ns"];
    assert_eq!(
        (&latency["count"], &latency["min"], &latency["max"]),
        (&997.into(), &1_010_000.into(), &2_000_000.into())
    );
    assert!(latency["mean"].is_u64() && latency["stddev"].is_u64());
    assert_eq!(latency["p99_9"], Value::Null);
    let (low, p50, high) = (&latency["ci95"]["p50"][0], &latency["p50"], &latency["ci95"]["p50"][1]);
    assert!(low.as_u64() <= p50.as_u64() && p50.as_u64() <= high.as_u64());
}

#[test]
fn the_accounting_adds_up_in_the_report() {
    let report = json(&fixture::small());
    let account = |name: &str| report["accounting"][name].as_u64().unwrap();
    assert_eq!(account("planned"), account("started") + account("unstarted"));
    let ended = ["completed", "failed", "timed_out", "unfinished"].map(account);
    assert_eq!(account("started"), ended.iter().sum::<u64>());
}

#[test]
fn what_went_wrong_is_counted_by_name() {
    let report = json(&fixture::steady());
    assert_eq!(report["status"], serde_json::json!({ "200": 987, "503": 10 }));
    assert_eq!(report["outcomes"], serde_json::json!({ "completed": 997, "reset": 3 }));
    assert_eq!(report["errors"], serde_json::json!({ "count": 13, "share": 0.013 }));
    let states: Vec<_> = report["slo"].as_array().unwrap().iter().map(|slo| slo["state"].clone()).collect();
    assert_eq!(states, ["held", "broken", "unknown", "held"]);
}

#[test]
fn the_plan_is_data_and_the_loop_is_named() {
    let report = json(&fixture::steady());
    assert_eq!(report["plan"]["seed"], 7);
    assert_eq!((&report["loop"], &report["target"]["rate_per_s"]), (&"open".into(), &100.0.into()));
    assert_eq!(json(&fixture::small())["loop"], "closed");
}
