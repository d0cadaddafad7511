//! Renders a run as text, JSON, CSV, Markdown, JUnit XML and one HTML page; several runs as tables and charts.
//!
//! Every function is pure: it turns numbers that `measure` has derived into text. Nothing is printed here, and only
//! layout is computed. The caller chooses the colour and the destination.
#![forbid(unsafe_code)]

mod asked;
mod capacity;
mod chart;
mod comparison;
mod csv;
#[cfg(test)]
mod fixture;
mod format;
mod html;
mod json;
mod junit;
mod layout;
mod markdown;
mod rendered;
pub mod replayed;
mod steps;
mod sweep;
mod text;
mod trend;
pub mod unit;
pub mod wording;

pub use capacity::{CapacityReport, why};
pub use chart::Chart;
pub use comparison::{ComparisonReport, Side};
pub use format::Format;
pub use layout::printable;
pub use rendered::Rendered;
pub use sweep::SweepReport;
pub use trend::{TrendPoint, TrendReport};

use warwolf_measure::{Cause, Run, Slo, SloResult, Summary, Verdict, judge};
use warwolf_plan::Plan;

/// A run with everything that is reported about it.
#[derive(Clone, Debug)]
pub struct Report<'r> {
    /// The run.
    pub run: &'r Run,
    /// The plan without secrets; none if this version cannot read its text.
    pub plan: Option<Plan>,
    /// Every derived number.
    pub summary: Summary,
    /// Whether the results can be trusted.
    pub verdict: Verdict,
    /// The SLOs, and whether each was met.
    pub slos: Vec<SloResult>,
}

impl<'r> Report<'r> {
    /// Derives the numbers and the verdict, and checks the SLOs in the run's own plan. Skips an SLO that cannot be read:
    /// it was checked when the plan was made.
    #[must_use]
    pub fn of(run: &'r Run) -> Self {
        let plan = warwolf_plan::text::parse(&run.plan_text).ok().map(Plan::from);
        let texts = plan.as_ref().map(Plan::all_slos).unwrap_or_default();
        let slos: Vec<Slo> = texts.iter().filter_map(|text| Slo::parse(text).ok()).collect();
        Self::judged(run, plan, &slos)
    }

    /// Does the same with other SLOs than the plan's.
    #[must_use]
    pub fn with_slos(run: &'r Run, slos: &[Slo]) -> Self {
        Self::judged(run, warwolf_plan::text::parse(&run.plan_text).ok().map(Plan::from), slos)
    }

    fn judged(run: &'r Run, plan: Option<Plan>, slos: &[Slo]) -> Self {
        let mut summary = Summary::of(run);
        for target in &mut summary.targets {
            target.url = target.url.as_deref().map(printable);
        }
        printable_names(&mut summary);
        for host in &mut summary.hosts {
            host.environment.host = printable(&host.environment.host);
        }
        let mut verdict = judge(&summary);
        if plan.as_ref().is_some_and(asked::changes) {
            verdict.reasons.retain(|reason| reason.cause != Cause::Trend);
        }
        Self {
            run,
            plan: plan.map(|plan| plan.masked()),
            verdict,
            slos: slos.iter().map(|slo| slo.judge(&summary)).collect(),
            summary,
        }
    }

    /// Returns every chart of the page; each can be drawn alone.
    #[must_use]
    pub fn charts(&self) -> Vec<Chart> {
        html::charts::all(self)
    }

    /// Returns when the run began, in UTC; none if the run does not contain it.
    pub(crate) fn started(&self) -> Option<String> {
        unit::moment(self.run.started_unix_ns())
    }

    /// Returns whether every SLO was met.
    #[must_use]
    pub fn all_held(&self) -> bool {
        self.slos.iter().all(SloResult::is_held)
    }

    /// Renders the report in a format; [`Format::Svg`] gives an empty text. `colour` applies to [`Format::Text`] only.
    #[must_use]
    pub fn render(&self, format: Format, colour: bool) -> String {
        match format {
            Format::Text => text::render(self, colour),
            Format::Json => json::render(self),
            Format::Csv => csv::render(self),
            Format::Markdown => markdown::render(self),
            Format::Html => html::render(self),
            Format::Junit => junit::render(self),
            Format::Svg => String::new(),
        }
    }
}

/// Writes names and checks as [`printable`] does. Examples keep their texts, which JSON contains as they are.
fn printable_names(summary: &mut Summary) {
    let optional = |text: &mut Option<String>| *text = text.as_deref().map(printable);
    for step in &mut summary.steps {
        [&mut step.name, &mut step.group, &mut step.scenario].into_iter().for_each(optional);
        step.checks.iter_mut().for_each(|check| check.text = printable(&check.text));
    }
    summary.groups.iter_mut().for_each(|group| group.name = printable(&group.name));
    summary.scenarios.iter_mut().for_each(|scenario| scenario.name = printable(&scenario.name));
}
