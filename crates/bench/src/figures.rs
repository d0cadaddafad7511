//! Figures of one comparison: medians, and ratios within each round with their spread.

use serde_json::{Value, json};

use crate::tool::Tool;

/// One run of one tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Round {
    /// Microseconds of CPU time per completed request.
    pub(crate) cpu_us: f64,
    /// Requests completed a second.
    pub(crate) rate_per_s: f64,
}

/// All rounds of all tools, with the targets.
#[derive(Debug)]
pub(crate) struct Figures {
    /// Rounds by tool, in the order measured.
    pub(crate) tools: Vec<(Tool, Vec<Round>)>,
    /// Ratios that must hold.
    pub(crate) targets: Vec<Target>,
}

/// A ratio of CPU time per request, and the most it may be.
#[derive(Debug)]
pub(crate) struct Target {
    /// The tool, and the tool it is compared with.
    pub(crate) between: (Tool, Tool),
    /// Median, minimum and maximum of the ratios of all rounds.
    pub(crate) ratio: [f64; 3],
    /// The upper limit of the median.
    pub(crate) most: f64,
    /// The median is within the limit.
    pub(crate) met: bool,
}

impl Target {
    pub(crate) fn new(tools: &[(Tool, Vec<Round>)], tool: Tool, peer: Tool, most: f64) -> Self {
        let rounds =
            |of: Tool| tools.iter().filter(move |(tool, _)| *tool == of).flat_map(|(_, rounds)| rounds);
        let ratios: Vec<f64> =
            rounds(tool).zip(rounds(peer)).map(|(ours, theirs)| ours.cpu_us / theirs.cpu_us).collect();
        let ratio = spread(&ratios);
        Self { between: (tool, peer), ratio, most, met: ratio[0] <= most }
    }
}

impl Figures {
    /// Returns the JSON that is stored in `bench/`.
    pub(crate) fn json(&self, scenario: &str) -> Value {
        let tools: Vec<Value> = self
            .tools
            .iter()
            .map(|(tool, rounds)| {
                json!({
                    "tool": tool.name(),
                    "cpu_us_per_request": rounds.iter().map(|round| rounded(round.cpu_us)).collect::<Vec<_>>(),
                    "requests_per_s": rounds.iter().map(|round| round.rate_per_s.round()).collect::<Vec<_>>(),
                })
            })
            .collect();
        let targets: Vec<Value> = self
            .targets
            .iter()
            .map(|target| {
                let [median, least, most] = target.ratio.map(rounded);
                json!({ "tool": target.between.0.name(), "peer": target.between.1.name(), "median": median,
                        "min": least, "max": most, "at_most": target.most, "met": target.met })
            })
            .collect();
        json!({ "scenario": scenario, "tools": tools, "targets": targets })
    }
}

/// Rounds to three decimals; more would be noise.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Returns median, minimum and maximum; all NaN without values.
pub(crate) fn spread(values: &[f64]) -> [f64; 3] {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (Some(&least), Some(&most)) = (sorted.first(), sorted.last()) else { return [f64::NAN; 3] };
    let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
    [f64::midpoint(low, high), least, most]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(cpu_us: &[f64]) -> Vec<Round> {
        cpu_us.iter().map(|cpu_us| Round { cpu_us: *cpu_us, rate_per_s: 1.0 }).collect()
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!(spread(&[4.0, 1.0, 2.0, 3.0]), [2.5, 1.0, 4.0]);
        assert_eq!(spread(&[2.0]), [2.0; 3]);
        assert!(spread(&[])[0].is_nan());
    }

    #[test]
    fn ratios_are_taken_within_a_round() {
        // A slow second round affects both and must not change the ratio.
        let tools = [(Tool::Uring, rounds(&[3.0, 6.0])), (Tool::Wrk, rounds(&[6.0, 12.0]))];
        let target = Target::new(&tools, Tool::Uring, Tool::Wrk, 0.5);
        assert_eq!(target.ratio, [0.5; 3]);
        assert!(target.met);
        assert!(!Target::new(&tools, Tool::Uring, Tool::Wrk, 0.4).met);
    }
}
