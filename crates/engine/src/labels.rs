//! Names of the rows, groups and checks of a plan.

use warwolf_measure::{RowLabels, Shape};
use warwolf_plan::{Plan, Request};

/// Returns the names of the rows, groups and checks that a run of this plan counts by index. Plain requests have no names.
#[must_use]
pub fn labels(_plan: &Plan) -> RowLabels {
    RowLabels::default()
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
