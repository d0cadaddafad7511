//! The plan as text: the language of plan files, in TOML or JSON. Unknown keys are refused; what is printed reads back as the
//! same plan.

use crate::{CheckedPlan, Plan, PlanError, file};

/// Reads a plan from TOML, or from JSON when the text begins with a brace, and checks it.
///
/// # Errors
/// What is wrong, with line and column.
pub fn parse(text: &str) -> Result<CheckedPlan, PlanError> {
    file::read(text)
}

/// Writes the plan as TOML, with a comment for each table and without what has its default.
#[must_use]
pub fn to_toml(plan: &Plan) -> String {
    file::to_toml(plan)
}

/// The longest list of requests that [`to_text`] writes as TOML.
const TABLES_MAX: usize = 1_000;

/// Writes the plan for a run file: as TOML, or with a long list of requests as JSON, which takes less memory to read.
#[must_use]
pub fn to_text(plan: &Plan) -> String {
    if plan.requests.len() <= TABLES_MAX { file::to_toml(plan) } else { file::to_json(plan, false) }
}

/// Writes the plan as JSON.
#[must_use]
pub fn to_json(plan: &Plan) -> String {
    file::to_json(plan, true)
}

/// The plan as a tree of the keys of its JSON form.
#[must_use]
pub fn to_value(plan: &Plan) -> serde_json::Value {
    file::to_value(plan)
}

/// The JSON Schema of plans, for editors.
#[must_use]
pub fn schema() -> String {
    file::schema()
}

#[cfg(test)]
mod tests;
