//! The highest rate at which SLOs hold: which rate to try next, and what the answers mean.
//!
//! ```text
//!          held                    broken                  near enough
//! growing ------> growing  growing ------> halving  halving -----------> confirming
//!    | first one broken                                      held again: done
//!    v                                                       broken: halving below
//! shrinking --held--> halving
//! ```

mod criterion;
mod recovery;

pub use criterion::Criterion;
pub use recovery::Recovery;

use warwolf_measure::{Metric, Reason, SloResult};

/// Whether the SLOs held in a run at one rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// They hold.
    Held,
    /// At least one does not.
    Broken,
    /// The interval of the figure has the limit in it: borderline.
    Unsure,
    /// The results reflect the load generator, not the server.
    ClientLimited,
}

/// Where to search, and how exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The first rate, in calls a second.
    pub start: f64,
    /// No rate above this is tried.
    pub most: f64,
    /// The search ends when the lowest broken rate is at most this share above the highest held (0.02).
    pub precision: f64,
    /// How often a borderline rate is tried again, each time for longer.
    pub retests: u32,
}

impl Default for Range {
    fn default() -> Self {
        Self { start: 50.0, most: 1e6, precision: 0.02, retests: 2 }
    }
}

/// A rate to try.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Calls a second.
    pub rate: f64,
    /// How often this rate was tried before in a row: a borderline rate deserves a longer look.
    pub attempt: u32,
}

impl Probe {
    /// The seed of the run, given that of the search. Each probe has its own.
    #[must_use]
    pub const fn seed(self, base: u64) -> u64 {
        base.wrapping_add(self.rate.to_bits()).wrapping_add(self.attempt as u64) >> 1
    }
}

/// What the search has found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The highest rate at which the SLOs held; none when they held at no rate.
    pub held: Option<f64>,
    /// The lowest rate above it at which they did not; none when no rate was too high.
    pub broken: Option<f64>,
    /// Whether above `held` the load generator, and not the server, was the limit.
    pub client_limited: bool,
}

/// A search, which chooses each probe from the answers to those before.
#[derive(Clone, Debug)]
pub struct Search {
    range: Range,
    /// Rates that held, rising.
    held: Vec<f64>,
    broken: Option<f64>,
    client_limited: bool,
    probe: Probe,
    /// Whether the probe is a rate that held already.
    confirming: bool,
    done: bool,
}

/// Below this rate nothing is tried: a call in a hundred seconds.
const LEAST_RATE: f64 = 0.01;

impl Search {
    /// A search that has not begun.
    #[must_use]
    pub fn new(range: Range) -> Self {
        let probe = Probe { rate: range.start.min(range.most), attempt: 0 };
        Self {
            range,
            held: Vec::new(),
            broken: None,
            client_limited: false,
            probe,
            confirming: false,
            done: false,
        }
    }

    /// The rate to try next; none when the search is over.
    #[must_use]
    pub fn next_probe(&self) -> Option<Probe> {
        (!self.done).then_some(self.probe)
    }

    /// Returns about how many rates are still to be tried, the next one included; none while no rate has held or none was too
    /// high.
    #[must_use]
    pub fn rates_left(&self) -> Option<u32> {
        let (held, broken) = (self.held.last().copied()?, self.broken?);
        let halvings = ((broken / held).ln() / self.range.precision.ln_1p()).log2().ceil().max(0.0);
        Some(halvings as u32 + 1)
    }

    /// What is known so far.
    #[must_use]
    pub fn found(&self) -> Found {
        Found { held: self.held.last().copied(), broken: self.broken, client_limited: self.client_limited }
    }

    /// Records the answer to the probe.
    pub fn tell(&mut self, answer: Answer) {
        let rate = self.probe.rate;
        match answer {
            Answer::Unsure if self.probe.attempt < self.range.retests => {
                self.probe.attempt += 1;
                return;
            }
            Answer::Held => {
                if self.confirming {
                    self.done = true;
                    return;
                }
                self.held.retain(|other| *other < rate);
                self.held.push(rate);
            }
            // An SLO that was not shown to hold after all retests counts as broken.
            Answer::Broken | Answer::Unsure | Answer::ClientLimited => {
                self.held.retain(|other| *other < rate);
                self.broken = Some(self.broken.map_or(rate, |other| other.min(rate)));
                self.client_limited = answer == Answer::ClientLimited;
            }
        }
        self.confirming = false;
        self.choose(rate);
    }

    /// Takes the answer that this rate and all lower ones break the SLOs. The search ends if no rate has held.
    pub fn tell_hopeless(&mut self) {
        self.tell(Answer::Broken);
        self.done |= self.held.is_empty();
    }

    fn choose(&mut self, last: f64) {
        let next = match (self.held.last().copied(), self.broken) {
            (Some(held), None) if held >= self.range.most => None,
            (Some(held), None) => Some((held * 2.0).min(self.range.most)),
            (None, _) => Some(last / 2.0).filter(|rate| *rate >= LEAST_RATE),
            (Some(held), Some(broken)) if broken / held <= 1.0 + self.range.precision => {
                self.confirming = true;
                Some(held)
            }
            (Some(held), Some(broken)) => Some((held * broken).sqrt()),
        };
        match next {
            Some(rate) => self.probe = Probe { rate, attempt: 0 },
            None => self.done = true,
        }
    }
}

/// Why a rate got its answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// The load generator was the limit.
    ClientLimited(Reason),
    /// The server completed only this share of the rate (0 to 1).
    RateNotReached {
        /// Completed calls as a share of the rate.
        completed_share: f64,
    },
    /// The SLOs decided.
    Slos(Vec<SloResult>),
}

/// A rate that was tried, with its results.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// Calls a second asked for.
    pub rate: f64,
    /// Calls a second that came due, which differs from `rate` by chance if arrivals are random.
    pub came: f64,
    /// Calls a second completed.
    pub achieved: f64,
    /// Calls a second completed with a status below 400.
    pub good: f64,
    /// Mean latency in nanoseconds.
    pub mean_ns: Option<f64>,
    /// Latency quantiles 0.5 and 0.99 in nanoseconds, where known.
    pub quantiles_ns: [Option<f64>; 2],
    /// Share of calls without the reply that was asked for (0 to 1).
    pub error_share: f64,
    /// Whether the SLOs held.
    pub answer: Answer,
    /// Why.
    pub why: Why,
}

/// A search for the highest rate, with its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct RateSearch {
    /// The SLOs, as written.
    pub slos: Vec<String>,
    /// Whether the rates are of sessions, which make several calls, instead of calls.
    pub of_sessions: bool,
    /// Every rate that was tried, in order.
    pub tried: Vec<Tried>,
    /// The answer.
    pub found: Found,
}

impl RateSearch {
    /// Returns the most good replies a second at any rate, where the load generator was not the limit. A refusal costs a server
    /// little, so its rate says nothing about capacity.
    #[must_use]
    pub fn saturation(&self) -> Option<f64> {
        let clean = self.tried.iter().filter(|one| one.answer != Answer::ClientLimited);
        clean.map(|one| one.good).reduce(f64::max)
    }

    /// Returns the rate at which rate divided by mean latency is greatest: beyond it more load costs more in latency than it
    /// gives in rate (Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in computer
    /// communications", 1979; half of capacity for M/M/1).
    ///
    /// None with fewer than three rates that held, if the ratio still rises at the highest of them, and if errors were the
    /// limit: latency then does not show the load.
    #[must_use]
    pub fn knee(&self) -> Option<f64> {
        let power =
            |one: &Tried| one.mean_ns.filter(|mean| *mean > 0.0).map(|mean| (one.good / mean, one.good));
        let held: Vec<(f64, f64)> =
            self.tried.iter().filter(|one| one.answer == Answer::Held).filter_map(power).collect();
        if held.len() < 3 || self.is_limited_by_errors() {
            return None;
        }
        let highest = held.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
        let knee = held.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, rate)| rate);
        knee.filter(|knee| *knee < highest)
    }

    /// Returns whether an SLO about errors was broken at the lowest rate that was too high.
    fn is_limited_by_errors(&self) -> bool {
        let broken = self.tried.iter().filter(|one| Some(one.rate) == self.found.broken);
        broken.filter(|one| one.answer == Answer::Broken).any(|one| match &one.why {
            Why::Slos(results) => {
                results.iter().any(|result| result.slo.metric == Metric::Errors && !result.is_held())
            }
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chance;

    /// Searches with a server that answers as `answer` does; returns the result and the number of runs.
    fn search(range: Range, mut answer: impl FnMut(Probe) -> Answer) -> (Found, usize) {
        let mut search = Search::new(range);
        let mut runs = 0;
        while let Some(probe) = search.next_probe() {
            search.tell(answer(probe));
            runs += 1;
            assert!(runs < 200, "it does not end");
        }
        (search.found(), runs)
    }

    #[test]
    fn a_known_limit_is_found_from_above_and_below() {
        for limit in [0.5, 7.0, 50.0, 777.0, 123_456.0] {
            let (found, runs) =
                search(
                    Range::default(),
                    |probe| {
                        if probe.rate <= limit { Answer::Held } else { Answer::Broken }
                    },
                );
            let (held, broken) = (found.held.unwrap(), found.broken.unwrap());
            assert!(held <= limit && limit < broken && broken / held <= 1.02, "{limit}: {found:?}");
            assert!(runs <= 24, "{limit}: {runs} runs");
        }
    }

    #[test]
    fn the_rates_left_are_about_right() {
        let mut search = Search::new(Range::default());
        assert_eq!(search.rates_left(), None);
        let mut left = Vec::new();
        while let Some(probe) = search.next_probe() {
            left.push(search.rates_left());
            search.tell(if probe.rate <= 777.0 { Answer::Held } else { Answer::Broken });
        }
        let first = left.iter().position(Option::is_some).unwrap();
        let known: Vec<u32> = left[first..].iter().copied().flatten().collect();
        assert_eq!(known.len(), known[0] as usize, "{known:?}");
        assert_eq!(known.last(), Some(&1));
    }

    #[test]
    fn a_borderline_rate_is_tried_again_and_not_relied_on_while_it_stays_so() {
        let mut attempts = Vec::new();
        let (found, _) = search(Range::default(), |probe| match probe.rate {
            rate if rate < 90.0 => Answer::Held,
            rate if rate < 110.0 => {
                attempts.push(probe.attempt);
                Answer::Unsure
            }
            _ => Answer::Broken,
        });
        assert!(found.held.unwrap() < 90.0 && found.broken.unwrap() < 92.0, "{found:?}");
        assert_eq!(attempts[..3], [0, 1, 2]);
    }

    #[test]
    fn a_rate_that_held_by_chance_is_found_out() {
        let mut first = true;
        let (found, _) = search(Range::default(), |probe| {
            if probe.rate > 100.0 && probe.rate < 150.0 && std::mem::take(&mut first) {
                return Answer::Held;
            }
            if probe.rate <= 100.0 { Answer::Held } else { Answer::Broken }
        });
        assert!((98.0..=100.0).contains(&found.held.unwrap()), "{found:?}");
    }

    #[test]
    fn noise_near_the_limit_moves_the_answer_little() {
        for seed in 1..=200 {
            let mut chance = Chance::new(seed);
            let (found, runs) = search(Range::default(), |probe| {
                // At the limit either answer is as likely; 5 % from it, one in fifty is wrong.
                let edge = (probe.rate / 1_000.0 - 1.0) * 80.0 + 0.0;
                if chance.unit() < 1.0 / (1.0 + edge.exp()) { Answer::Held } else { Answer::Broken }
            });
            let held = found.held.unwrap();
            assert!((900.0..=1_060.0).contains(&held) && runs < 60, "seed {seed}: {found:?}, {runs} runs");
        }
    }

    #[test]
    fn where_nothing_holds_or_nothing_breaks_the_search_ends() {
        let (nothing, _) = search(Range::default(), |_| Answer::Broken);
        assert_eq!(nothing.held, None);
        let (all, _) = search(Range { most: 1_000.0, ..Range::default() }, |_| Answer::Held);
        assert_eq!((all.held, all.broken), (Some(1_000.0), None));
    }

    #[test]
    fn a_search_without_hope_ends_at_once() {
        let mut search = Search::new(Range::default());
        search.tell_hopeless();
        assert_eq!(search.next_probe(), None);
        assert_eq!(search.found(), Found { held: None, broken: Some(50.0), client_limited: false });
        let mut search = Search::new(Range::default());
        search.tell(Answer::Held);
        search.tell_hopeless();
        assert!(search.next_probe().is_some(), "a rate held: the limit lies above it");
    }

    #[test]
    fn a_limit_of_the_client_is_named_as_such() {
        let (found, _) =
            search(
                Range::default(),
                |probe| {
                    if probe.rate < 5_000.0 { Answer::Held } else { Answer::ClientLimited }
                },
            );
        assert!(found.client_limited && found.held.unwrap() >= 4_900.0, "{found:?}");
    }

    #[test]
    fn knee_and_saturation_are_those_of_the_textbook_for_mm1() {
        let tried = |rate: f64| Tried {
            rate,
            came: rate,
            achieved: rate.min(1_000.0),
            good: rate.min(1_000.0),
            mean_ns: Some(if rate < 1_000.0 { 1e9 / (1_000.0 - rate) } else { 1e12 }),
            quantiles_ns: [None; 2],
            error_share: 0.0,
            answer: if rate < 900.0 { Answer::Held } else { Answer::Broken },
            why: Why::Slos(Vec::new()),
        };
        let capacity = RateSearch {
            of_sessions: false,
            slos: Vec::new(),
            tried: [100.0, 300.0, 500.0, 700.0, 850.0, 1_500.0].map(tried).to_vec(),
            found: Found { held: None, broken: None, client_limited: false },
        };
        assert_eq!((capacity.knee(), capacity.saturation()), (Some(500.0), Some(1_000.0)));
    }

    /// A search of a server that answers 429 to all above 200/s, at once.
    fn limited(slo: &str) -> RateSearch {
        let slo = warwolf_measure::Slo::parse(slo).unwrap();
        let tried = |rate: f64| {
            let good = rate.min(200.0);
            let is_held = rate <= 200.0;
            let state =
                if is_held { warwolf_measure::SloState::Held } else { warwolf_measure::SloState::Broken };
            let result =
                SloResult { slo: slo.clone(), actual: Some(1.0 - good / rate), is_at_least: false, state };
            Tried {
                rate,
                came: rate,
                achieved: rate,
                good,
                // A little slower at the highest rate that holds.
                mean_ns: Some(if rate == 200.0 { 3e6 } else { 1e6 }),
                quantiles_ns: [None; 2],
                error_share: 1.0 - good / rate,
                answer: if is_held { Answer::Held } else { Answer::Broken },
                why: Why::Slos(vec![result]),
            }
        };
        RateSearch {
            of_sessions: false,
            slos: vec![slo.text.clone()],
            tried: [50.0, 100.0, 150.0, 200.0, 204.0, 400.0].map(tried).to_vec(),
            found: Found { held: Some(200.0), broken: Some(204.0), client_limited: false },
        }
    }

    #[test]
    fn refusals_are_not_capacity_and_errors_have_no_knee() {
        let search = limited("errors<0.1%");
        assert_eq!((search.saturation(), search.knee()), (Some(200.0), None));
        assert_eq!(limited("p99<5ms").knee(), Some(150.0));
    }

    #[test]
    fn a_ratio_that_still_rises_has_no_knee() {
        let mut search = limited("p99<5ms");
        search.tried.iter_mut().for_each(|one| one.mean_ns = Some(1e6));
        assert_eq!(search.knee(), None);
    }
}
