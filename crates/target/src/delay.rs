//! Delay distributions: parsing, printing and sampling.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use rand_distr::{Distribution, Exp1, StandardNormal};

use crate::grammar::{GrammarError, decimal, duration, probability};
use crate::random::{Stream, unit};

/// A distribution of delays, written as `10ms` or `constant:10ms`, `uniform:A,B`, `exponential:MEAN` (`exp` for short), `lognormal:MEDIAN,SIGMA`,
/// `bimodal:P,A,B`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Delay {
    /// Constant.
    Constant(Duration),
    /// Uniform between the two durations.
    Uniform(Duration, Duration),
    /// Exponential with this mean, as in queueing theory.
    Exponential(Duration),
    /// Lognormal: the median, and the standard deviation of the logarithm. Heavy-tailed like many real services.
    Lognormal(Duration, f64),
    /// The first duration with this probability, otherwise the second: a cache with its hits and misses.
    Bimodal(f64, Duration, Duration),
}

impl Delay {
    /// No delay.
    pub const NONE: Self = Self::Constant(Duration::ZERO);

    /// Returns whether every sample is zero.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    /// Draws a sample, at most [`LONGEST`].
    pub(crate) fn sample(&self, stream: &mut Stream) -> Duration {
        match *self {
            Self::Constant(always) => always,
            Self::Uniform(from, to) => from + (to - from).mul_f64(unit(stream)),
            Self::Exponential(mean) => scaled(mean, Exp1.sample(stream)),
            Self::Lognormal(median, sigma) => {
                let normal: f64 = StandardNormal.sample(stream);
                scaled(median, (sigma * normal).exp())
            }
            Self::Bimodal(probability, first, second) => {
                if unit(stream) < probability {
                    first
                } else {
                    second
                }
            }
        }
    }

    /// Returns the mean of the distribution.
    #[must_use]
    pub fn mean(&self) -> Duration {
        match *self {
            Self::Constant(always) => always,
            Self::Uniform(from, to) => (from + to) / 2,
            Self::Exponential(mean) => mean,
            Self::Lognormal(median, sigma) => scaled(median, (sigma * sigma / 2.0).exp()),
            Self::Bimodal(p, first, second) => first.mul_f64(p) + second.mul_f64(1.0 - p),
        }
    }
}

/// The longest sample: longer than any run.
pub const LONGEST: Duration = Duration::from_secs(86_400);

fn scaled(unit: Duration, factor: f64) -> Duration {
    let seconds = unit.as_secs_f64() * factor;
    Duration::from_secs_f64(seconds.min(LONGEST.as_secs_f64()))
}

const WANTED: &str = "a delay: `10ms`, `uniform:A,B`, `exponential:MEAN`, `lognormal:MEDIAN,SIGMA` or `bimodal:P,A,B` (A with probability P, else B)";

impl FromStr for Delay {
    type Err = GrammarError;

    fn from_str(word: &str) -> Result<Self, GrammarError> {
        let wrong = || GrammarError::new(word, WANTED);
        let Some((name, rest)) = word.split_once(':') else {
            return duration(word).map(Self::Constant).map_err(|_| wrong());
        };
        let parts: Vec<&str> = rest.split(',').collect();
        let delay = match (name, parts.as_slice()) {
            ("constant", [always]) => Self::Constant(duration(always)?),
            ("uniform", [from, to]) => Self::Uniform(duration(from)?, duration(to)?),
            ("exp" | "exponential", [mean]) => Self::Exponential(duration(mean)?),
            ("lognormal", [median, sigma]) => {
                let sigma = decimal(sigma).filter(|s| *s <= WIDEST_SIGMA).ok_or_else(wrong)?;
                Self::Lognormal(duration(median)?, sigma)
            }
            ("bimodal", [p, first, second]) => {
                Self::Bimodal(probability(p)?, duration(first)?, duration(second)?)
            }
            _ => return Err(wrong()),
        };
        match delay {
            Self::Uniform(from, to) if from > to => Err(wrong()),
            _ => Ok(delay),
        }
    }
}

/// The largest useful sigma; beyond it samples span dozens of orders of magnitude.
const WIDEST_SIGMA: f64 = 10.0;

impl fmt::Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Constant(always) => write!(f, "{always:?}"),
            Self::Uniform(from, to) => write!(f, "uniform:{from:?},{to:?}"),
            Self::Exponential(mean) => write!(f, "exponential:{mean:?}"),
            Self::Lognormal(median, sigma) => write!(f, "lognormal:{median:?},{sigma}"),
            Self::Bimodal(p, first, second) => write!(f, "bimodal:{p},{first:?},{second:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn every_distribution_is_parsed_and_printed() {
        for (word, delay) in [
            ("10ms", Delay::Constant(MS * 10)),
            ("uniform:1ms,3ms", Delay::Uniform(MS, MS * 3)),
            ("exponential:10ms", Delay::Exponential(MS * 10)),
            ("lognormal:10ms,1.5", Delay::Lognormal(MS * 10, 1.5)),
            ("bimodal:0.95,1ms,100ms", Delay::Bimodal(0.95, MS, MS * 100)),
        ] {
            assert_eq!(word.parse(), Ok(delay), "{word}");
            assert_eq!(delay.to_string(), word);
        }
        assert_eq!("constant:1ms".parse(), Ok(Delay::Constant(MS)));
        for word in [
            "",
            "exp",
            "exp:",
            "exp:1ms,2ms",
            "uniform:3ms,1ms",
            "bimodal:2,1s,3s",
            "gamma:1ms",
            "lognormal:1ms,11",
        ] {
            assert!(word.parse::<Delay>().is_err(), "{word}");
        }
    }

    #[test]
    fn the_mean_of_samples_is_the_mean_of_the_distribution() {
        for word in ["10ms", "uniform:1ms,3ms", "exp:10ms", "lognormal:10ms,0.5", "bimodal:0.95,1ms,100ms"] {
            let delay: Delay = word.parse().unwrap();
            let samples = 20_000;
            let sum: f64 = (0..samples)
                .map(|number| delay.sample(&mut stream(7, number, Purpose::Delay)).as_secs_f64())
                .sum();
            let ratio = sum / samples as f64 / delay.mean().as_secs_f64();
            assert!((ratio - 1.0).abs() < 0.05, "{word}: seed 7 gives {ratio} of the mean");
        }
    }

    #[test]
    fn samples_are_at_most_a_day() {
        let delay = Delay::Lognormal(Duration::from_secs(3600), 10.0);
        let longest = (0..1000).map(|n| delay.sample(&mut stream(1, n, Purpose::Delay))).max();
        assert_eq!(longest, Some(LONGEST));
    }
}
