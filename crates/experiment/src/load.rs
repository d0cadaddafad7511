//! Whether two runs had the same load, and whether a load can be cut into slices.

use serde_json::Value;
use std::collections::BTreeSet;
use warwolf_plan::{ArrivalProcess, Endpoint, Plan, Schedule, Scheme, Shapes, text};

/// Returns the first field in which the loads of two plans differ; none if they are alike.
///
/// Where the requests go may differ, and so may the seed and the SLOs. The path may differ if there is one request.
#[must_use]
pub fn first_difference(a: &Plan, b: &Plan) -> Option<String> {
    difference(&without_target(a.clone()), &without_target(b.clone()))
}

/// Returns a plan without its target, as a tree of its fields.
fn without_target(mut plan: Plan) -> Value {
    plan.seed = 0;
    plan.slos.clear();
    plan.network.resolve.clear();
    plan.network.unix_socket = None;
    let target = Endpoint { scheme: Scheme::Http, host: "target".to_owned(), port: 80 };
    Shapes::change(&mut plan.requests, |shape| shape.endpoint.clone_from(&target));
    if let [only] = plan.requests.as_mut_slice()
        && plan.scenarios.is_empty()
    {
        only.path = "/".into();
    }
    text::to_value(&plan)
}

/// Returns the path of the first field in which two values differ; empty if the values themselves differ.
fn difference(a: &Value, b: &Value) -> Option<String> {
    match (a, b) {
        // A table that has only defaults is left out.
        (Value::Object(_), Value::Null) => difference(a, &Value::Object(serde_json::Map::new())),
        (Value::Null, Value::Object(_)) => difference(&Value::Object(serde_json::Map::new()), b),
        (Value::Object(a), Value::Object(b)) => {
            let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            names.into_iter().find_map(|name| {
                let below =
                    difference(a.get(name).unwrap_or(&Value::Null), b.get(name).unwrap_or(&Value::Null))?;
                Some(if below.is_empty() { name.clone() } else { format!("{name}.{below}") })
            })
        }
        (a, b) => (a != b).then(String::new),
    }
}

/// Returns what makes the slices of a load differ from each other; none if all are alike.
#[must_use]
pub fn hindrance_to_slices(plan: &Plan) -> Option<&'static str> {
    match &plan.schedule {
        Schedule::Open { arrivals: ArrivalProcess::Ramp { .. }, .. } => Some("a ramp"),
        Schedule::Open { arrivals: ArrivalProcess::Steps { .. }, .. } => Some("steps"),
        Schedule::Open { arrivals: ArrivalProcess::Trace { .. }, .. } => Some("a trace"),
        _ if plan.stop.calls.is_some() => Some("a number of requests"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use warwolf_plan::{RateStep, Request, Stop};

    fn plan(urls: &[&str]) -> Plan {
        Plan::new(urls.iter().map(|url| Request::get(url).unwrap()).collect())
    }

    #[test]
    fn the_target_the_seed_and_the_slos_may_differ() {
        let a = plan(&["http://a.test/old"]);
        let mut b = Plan { seed: 9, slos: vec!["p99<1s".into()], ..plan(&["https://b.test:8443/new"]) };
        b.network.unix_socket = Some("/run/x".into());
        assert_eq!(first_difference(&a, &b), None);
        let servers =
            [plan(&["http://a.test/1", "http://a.test/2"]), plan(&["http://b.test/1", "http://b.test/2"])];
        assert_eq!(first_difference(&servers[0], &servers[1]), None);
    }

    #[test]
    fn any_other_field_makes_another_load() {
        let a = plan(&["http://a.test/1", "http://a.test/2"]);
        let mut b = plan(&["http://a.test/1", "http://a.test/3"]);
        assert_eq!(first_difference(&a, &b).as_deref(), Some("requests"));
        b = a.clone();
        b.connections.keep_alive = !b.connections.keep_alive;
        assert_eq!(first_difference(&a, &b).as_deref(), Some("connections.keep_alive"));
        b = Plan { schedule: Schedule::Closed { users: 3, ramp: Duration::ZERO }, ..a.clone() };
        assert!(first_difference(&a, &b).unwrap().starts_with("load"));
        b = Plan { stop: Stop::after(Duration::from_secs(77)), ..a.clone() };
        assert_eq!(first_difference(&a, &b).as_deref(), Some("load.duration"));
    }

    #[test]
    fn only_a_constant_load_has_slices_that_are_alike() {
        let constant = plan(&["http://a.test/"]);
        assert_eq!(hindrance_to_slices(&constant), None);
        let steps = vec![RateStep { rate: 1.0, lasts: Duration::from_secs(1) }];
        let open = |arrivals| Schedule::Open { arrivals, burst: 1 };
        for (plan, expected) in [
            (Plan { schedule: open(ArrivalProcess::Steps { steps }), ..constant.clone() }, "steps"),
            (
                Plan { schedule: open(ArrivalProcess::Trace { at_ns: vec![0] }), ..constant.clone() },
                "a trace",
            ),
            (Plan { stop: Stop::after_calls(5), ..constant.clone() }, "a number of requests"),
        ] {
            assert_eq!(hindrance_to_slices(&plan), Some(expected));
        }
    }
}
