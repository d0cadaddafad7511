//! Formats the figures as text.

use std::fmt::Write as _;

use crate::figures::{Figures, spread};
use crate::once::Measured;
use crate::scenario::Scenario;

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}

/// Formats a comparison: one line per tool and one per target.
pub(crate) fn comparison(scenario: &Scenario, figures: &Figures) -> String {
    let mut text =
        format!("\n{}\n  {:<16} {:>22} {:>12}\n", scenario.name, "", "CPU us/request", "requests/s");
    for (tool, rounds) in &figures.tools {
        let cpu = spread(&rounds.iter().map(|round| round.cpu_us).collect::<Vec<_>>());
        let rate = spread(&rounds.iter().map(|round| round.rate_per_s).collect::<Vec<_>>());
        let range = format!("({:.2}-{:.2})", cpu[1], cpu[2]);
        let _ = writeln!(text, "  {:<16} {:>7.2} {range:>14} {:>12.0}", tool.name(), cpu[0], rate[0]);
    }
    for target in &figures.targets {
        let [median, least, most] = target.ratio;
        let names = format!("{} / {}", target.between.0.name(), target.between.1.name());
        let range = format!("({least:.2}-{most:.2})");
        let _ = writeln!(
            text,
            "  {names:<28} {median:.2} {range:<12} at most {:.2}: {}",
            target.most,
            verdict(target.met)
        );
    }
    text
}

/// Formats figures without a comparison, one per line.
pub(crate) fn single(name: &str, results: &[Measured]) -> String {
    let mut text = format!("\n{name}\n");
    for result in results {
        let [median, least, most] = result.value;
        let unit = result.unit;
        let _ = writeln!(
            text,
            "  {:<48} {median:.2} {unit} ({least:.2}-{most:.2}) at most {} {unit}: {}",
            result.what,
            result.most,
            verdict(result.met)
        );
    }
    text
}
