//! Names of the rows, groups and checks of a plan.

use warwolf_measure::{CheckLabel, RowLabel, RowLabels, Shape};
use warwolf_plan::{Plan, Request};

/// Returns the names of the rows, groups and checks that a run of this plan counts by index. Plain requests have no names.
#[must_use]
pub fn labels(plan: &Plan) -> RowLabels {
    let mut labels = RowLabels::default();
    let has_scenarios = plan.scenarios.len() > 1;
    for (row, (scenario, step)) in (0..).zip(plan.steps()) {
        if let Some(group) = step.group.as_ref().filter(|group| !labels.groups.contains(group)) {
            labels.groups.push(group.clone());
        }
        labels.checks.extend(step.check_texts().into_iter().map(|text| CheckLabel { row, text }));
        labels.rows.push(RowLabel {
            name: step.name.clone(),
            group: step.group.clone(),
            scenario: has_scenarios.then(|| scenario.name.clone()),
        });
    }
    labels
}

/// Returns the same with the rows of plain requests named by URL, as SLOs name them.
#[must_use]
pub fn row_labels(plan: &Plan) -> RowLabels {
    labels(plan).or_urls(plan.requests.iter().map(Request::url))
}

/// Returns what the tallies of a run of this plan have to count.
pub(crate) fn shape(plan: &Plan) -> Shape {
    let labels = labels(plan);
    if labels.is_empty() { Shape::of_rows(plan.requests.len()) } else { labels.shape() }
}
