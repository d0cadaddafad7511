//! The plan as TOML and JSON. Unknown keys are refused; what is printed reads back as the same plan.

use crate::{CheckedPlan, Plan, PlanError};

/// Reads a plan from TOML, or from JSON when the text begins with a brace, and checks it.
///
/// # Errors
/// Where the text is wrong, or which field is.
pub fn parse(text: &str) -> Result<CheckedPlan, PlanError> {
    let plan: Plan = if text.trim_start().starts_with('{') {
        serde_json::from_str(text).map_err(|error| syntax(&error.to_string()))?
    } else {
        toml::from_str(text).map_err(|error| syntax(error.to_string().trim_end()))?
    };
    plan.check()
}

fn syntax(message: &str) -> PlanError {
    PlanError::new("plan", message, "`warwolf explain …` prints a plan that is right, to start from")
}

/// Writes the plan as TOML.
///
/// # Panics
/// Never for a plan that [`Plan::check`] passes: every value has a TOML form.
#[must_use]
pub fn to_toml(plan: &Plan) -> String {
    toml::to_string(plan).expect("every plan has a TOML form")
}

/// The longest list of requests that [`to_text`] writes as TOML.
const TABLES_MAX: usize = 1_000;

/// Writes the plan for a run file: as TOML, or with a long list of requests as JSON, which takes a tenth of the memory to read.
///
/// # Panics
/// Never for a plan that [`Plan::check`] passes: every value has both forms.
#[must_use]
pub fn to_text(plan: &Plan) -> String {
    if plan.requests.len() <= TABLES_MAX {
        return to_toml(plan);
    }
    serde_json::to_string(plan).expect("every plan has a JSON form")
}

/// Writes the plan as JSON.
///
/// # Panics
/// Never: every value has a JSON form.
#[must_use]
pub fn to_json(plan: &Plan) -> String {
    serde_json::to_string_pretty(plan).expect("every plan has a JSON form")
}

#[cfg(test)]
mod tests;
