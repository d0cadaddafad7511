//! The language of plan files: its tables, and how they become a [`Plan`] and are made from one.

mod convert;
mod de;
mod input;
mod load;
mod node;
mod print;
mod requests;
mod ser;
mod tables;
mod texts;
mod words;

use crate::{CheckedPlan, Plan, PlanError};
use node::Node;
use serde::Deserialize as _;
use tables::PlanTable;

/// Reads and checks a plan. Errors have the position of what they are about.
pub(crate) fn read(text: &str) -> Result<CheckedPlan, PlanError> {
    let node = input::read(text).map_err(|input::Unreadable { at, message }| PlanError {
        position: Some(node::position(text, at)),
        ..PlanError::new("", "", message)
    })?;
    let at = |error: PlanError| {
        let position = node.find(&error.field).map(|at| node::position(text, at));
        PlanError { position: error.position.or(position), ..error }
    };
    former(&node).map_or(Ok(()), Err).map_err(at)?;
    let file = PlanTable::deserialize(&node).map_err(|wrong| of_value(text, wrong))?;
    file.into_plan().and_then(Plan::check).map_err(at)
}

fn of_value(text: &str, wrong: de::Wrong) -> PlanError {
    let field: Vec<String> = wrong.path.into_iter().rev().collect();
    let position = wrong.at.map(|at| node::position(text, at));
    PlanError { position, ..PlanError::new(field.join("."), wrong.value.unwrap_or_default(), wrong.remedy) }
}

/// Keys that plans had before they had steps, and what is written instead.
const FORMER: [(&str, &str); 25] = [
    ("schedule.open.arrivals.constant", "use [load] rate"),
    ("schedule.open.arrivals.poisson", "use [load] rate with arrivals = \"poisson\""),
    ("schedule.open.arrivals.uniform", "use [load] arrivals = \"uniform:5ms,15ms\""),
    ("schedule.open.arrivals.ramp", "use [load] ramp = { from = \"10/s\", to = \"500/s\", over = \"60s\" }"),
    ("schedule.open.arrivals.steps", "use [load] steps"),
    ("schedule.open.arrivals.trace", "use [load] trace"),
    ("schedule.open.burst", "use [load] burst"),
    ("schedule.closed.users", "use [load] users"),
    ("schedule.closed.ramp", "use [load] ramp"),
    ("schedule.turns.users", "use [load] users with back_to_back = true"),
    ("schedule", "use [load]"),
    ("stop.duration", "use [load] duration"),
    ("stop.calls", "use [load] requests or sessions"),
    ("stop.grace", "use [load] grace"),
    ("stop", "use [load]"),
    ("threads", "use [load] threads"),
    ("driver", "use [load] driver"),
    ("idle", "use [load] idle"),
    ("warmup", "use [load] warmup"),
    ("slos", "use slo"),
    ("session.work.draw.calls", "use [session] calls"),
    ("session.work.draw.burst", "use [session] burst"),
    ("session.work.draw.order", "use [session] order"),
    ("session.work.draw", "use [session] calls, burst, first_alone and order"),
    ("session.work.scripts", "use [session] scripts"),
];

/// The first key that plans no longer have.
fn former(node: &Node<'_>) -> Option<PlanError> {
    let has = |field: &str| {
        field.split('.').try_fold(node, |node, name| match (&node.value, name.parse::<usize>()) {
            (node::Value::List(list), Ok(index)) => list.get(index),
            _ => node.get(name),
        })
    };
    let found = FORMER.iter().find(|(field, _)| has(field).is_some());
    found.map(|(field, remedy)| PlanError::new(*field, "", *remedy))
}

/// Writes a plan as TOML.
pub(crate) fn to_toml(plan: &Plan) -> String {
    print::toml(&ser::node(&PlanTable::of(plan)))
}

/// Writes a plan as JSON, on one line or many.
pub(crate) fn to_json(plan: &Plan, is_pretty: bool) -> String {
    let node = ser::node(&PlanTable::of(plan));
    let json = if is_pretty { serde_json::to_string_pretty(&node) } else { serde_json::to_string(&node) };
    // Nodes have texts as keys, and can always be written.
    json.unwrap_or_default()
}

/// The tree of a plan's keys.
pub(crate) fn to_value(plan: &Plan) -> serde_json::Value {
    serde_json::to_value(ser::node(&PlanTable::of(plan))).unwrap_or_default()
}

/// The JSON Schema of plan files.
pub(crate) fn schema() -> String {
    let schema = schemars::schema_for!(PlanTable);
    let mut text = serde_json::to_string_pretty(&sorted(schema.to_value())).unwrap_or_default();
    text.push('\n');
    // Doc comments name items of the code in brackets.
    text.replace("[`", "`").replace("`]", "`")
}

/// The same value with all keys in order, whatever order the maps of JSON keep.
fn sorted(value: serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Object(fields) => {
            let fields: std::collections::BTreeMap<_, _> =
                fields.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            fields.into_iter().collect()
        }
        serde_json::Value::Array(list) => list.into_iter().map(sorted).collect(),
        value => value,
    }
}

#[cfg(test)]
mod tests;
