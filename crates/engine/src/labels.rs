//! Names of the rows, groups and checks of a plan.

use warwolf_measure::{CheckLabel, OTHER_TARGETS, RowLabel, RowLabels, Shape};
use warwolf_plan::{Plan, Request, Row};

/// Returns the names of the rows, groups and checks that a run of this plan counts by index. Plain requests have no names.
#[must_use]
pub fn labels(plan: &Plan) -> RowLabels {
    let mut labels = RowLabels::default();
    if plan.scenarios.is_empty() && plan.labels.is_empty() {
        return labels;
    }
    let rows = plan.rows();
    for (row, (_, step)) in rows.of_steps.iter().zip(plan.steps()) {
        if let Some(group) = step.group.as_ref().filter(|group| !labels.groups.contains(group)) {
            labels.groups.push(group.clone());
        }
        let row = u16::try_from(*row).unwrap_or(OTHER_TARGETS);
        labels.checks.extend(step.check_texts().into_iter().map(|text| CheckLabel { row, text }));
    }
    labels.rows = rows
        .rows
        .into_iter()
        .map(|Row { name, group, scenario }| RowLabel { name, group, scenario })
        .collect();
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
