//! Times between arrivals: the syntax of `--period`, and the original's deterministic sequences.
//!
//! The gaps equal those of 0.9.0 (`v`: of its successor) to the last bit, so that either program can repeat a run.

use super::number::{general, is_negative, real};

/// The distribution of gaps between arrivals.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Period {
    /// A constant gap, in seconds.
    Deterministic(f64),
    /// Exponentially distributed with this mean.
    Exponential(f64),
    /// Uniformly distributed from the first to below the second.
    Uniform(f64, f64),
    /// Pairs of a gap and a duration: gaps of the first for the second, then the next pair, in a cycle.
    Variable(Vec<(f64, f64)>),
}

/// Maximum number of pairs of `v`.
const MOST_PAIRS: usize = 16;

impl Period {
    /// Parses the argument of `--period`.
    ///
    /// # Errors
    /// The original's message.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let letter = match text.as_bytes().first() {
            Some(digit) if digit.is_ascii_digit() => 'd',
            Some(_) => text.chars().next().map_or('\0', |c| c.to_ascii_lowercase()),
            None => '\0',
        };
        let rest = if text.as_bytes().first().is_some_and(u8::is_ascii_digit) {
            text
        } else {
            text.char_indices().nth(1).map_or("", |(at, _)| &text[at..])
        };
        match letter {
            'd' => mean(rest).map(Self::Deterministic),
            'e' => mean(rest).map(Self::Exponential),
            'u' => Self::uniform(rest),
            'v' => Self::variable(rest),
            _ => {
                let typed = text.chars().next().unwrap_or('\0');
                Err(format!("illegal interarrival distribution '{typed}' in {text}"))
            }
        }
    }

    fn uniform(text: &str) -> Result<Self, String> {
        let Some((min, rest)) = time(text) else {
            return Err(format!("illegal minimum interarrival time {text}"));
        };
        let Some(after) = rest.strip_prefix(',') else {
            return Err(format!("minimum interarrival time not followed by `,MAX_IAT' (rest: `{rest}')"));
        };
        match time(after) {
            Some((max, "")) => Ok(Self::Uniform(min, max)),
            _ => Err(format!("illegal request period {after}")),
        }
    }

    fn variable(text: &str) -> Result<Self, String> {
        let mut pairs = Vec::new();
        let mut left = text;
        loop {
            let Some((gap, rest)) = time(left) else {
                return Err(format!("illegal mean interarrival time {left}"));
            };
            let Some(after) = rest.strip_prefix(',') else {
                return Err(format!("interarrival time not followed by `,duration' (rest: `{rest}')"));
            };
            let Some((lasts, rest)) = time(after) else {
                return Err(format!("illegal duration {after}"));
            };
            if pairs.len() == MOST_PAIRS {
                return Err("too many rates".to_owned());
            }
            pairs.push((gap, lasts));
            match rest.strip_prefix(',') {
                Some(more) => left = more,
                None => return Ok(Self::Variable(pairs)),
            }
        }
    }

    /// Converts the argument of `--rate`: zero and negative rates are sequential.
    pub(super) fn of_rate(rate: f64) -> Self {
        Self::Deterministic(if rate > 0.0 { 1.0 / rate } else { 0.0 })
    }

    /// Returns the mean gap in seconds.
    pub(super) fn mean(&self) -> f64 {
        match self {
            Self::Deterministic(mean) | Self::Exponential(mean) => *mean,
            Self::Uniform(min, max) => (min + max) / 2.0,
            Self::Variable(pairs) => pairs.iter().map(|pair| pair.0).sum::<f64>() / pairs.len() as f64,
        }
    }

    /// Returns whether each session waits for the end of the one before.
    pub(super) fn is_sequential(&self) -> bool {
        // NaN is sequential too.
        !matches!(self.mean().partial_cmp(&0.0), Some(std::cmp::Ordering::Greater))
    }

    /// Formats the option for the echo line.
    pub(super) fn echo(&self) -> String {
        match self {
            Self::Deterministic(mean) => format!(" --rate={}", general(1.0 / mean)),
            Self::Exponential(mean) => format!(" --period=e{}", general(*mean)),
            Self::Uniform(min, max) => format!(" --period=u{},{}", general(*min), general(*max)),
            Self::Variable(pairs) => {
                let pairs: Vec<_> = pairs
                    .iter()
                    .map(|(gap, lasts)| format!("{},{}", general(*gap), general(*lasts)))
                    .collect();
                format!(" --period=v{}", pairs.join(","))
            }
        }
    }

    /// Returns the endless sequence of gaps of client `id`, in seconds.
    pub(super) fn gaps(&self, id: u32) -> Gaps {
        Gaps { period: self.clone(), random: Random::of_client(id), pair: 0, spent: 0.0 }
    }

    /// Returns the endless sequence of arrivals of client `id`, in nanoseconds from the first, which is due at once.
    pub(super) fn arrivals_ns(&self, id: u32) -> impl Iterator<Item = u64> {
        let mut due = 0.0;
        self.gaps(id).map(move |gap| {
            let now = due;
            due += gap;
            // The cast saturates, at more than five centuries.
            (now * 1e9_f64).round() as u64
        })
    }
}

/// Parses a mean and nothing after it.
fn mean(text: &str) -> Result<f64, String> {
    match time(text) {
        Some((value, "")) => Ok(value),
        _ => Err(format!("illegal mean interarrival time {text}")),
    }
}

/// Parses a time of zero or more at the start of `text`. Returns it and the remaining text.
fn time(text: &str) -> Option<(f64, &str)> {
    real(text)
        .filter(|(value, out_of_range, _)| !out_of_range && !is_negative(*value))
        .map(|(value, _, rest)| (value, rest))
}

/// The sequence of times from one arrival to the next.
#[derive(Clone, Debug)]
pub(super) struct Gaps {
    period: Period,
    random: Random,
    /// The current pair of [`Period::Variable`], and how much of its duration is used up.
    pair: usize,
    spent: f64,
}

impl Iterator for Gaps {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        Some(match &self.period {
            Period::Deterministic(mean) => *mean,
            Period::Exponential(mean) => -mean * libm::log(1.0 - self.random.next()),
            Period::Uniform(min, max) => min + (max - min) * self.random.next(),
            Period::Variable(pairs) => {
                let (gap, lasts) = pairs[self.pair];
                self.spent += gap;
                if self.spent >= lasts {
                    self.pair = (self.pair + 1) % pairs.len();
                    self.spent = 0.0;
                }
                gap
            }
        })
    }
}

/// The 48-bit linear congruential generator of POSIX's `erand48`, seeded as in the original.
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    fn of_client(id: u32) -> Self {
        let id = u64::from(id);
        let low = (0x1234 ^ id) & 0xffff;
        let middle = 0x5678 ^ (id << 8 & 0xffff);
        let high = 0x9abc ^ (!id & 0xffff);
        Self(high << 32 | middle << 16 | low)
    }

    /// Returns the next number, from 0 to below 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(0x5_DEEC_E66D).wrapping_add(0xB) & ((1 << 48) - 1);
        self.0 as f64 / (1_u64 << 48) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn four_digits(period: &str, client: u32, count: usize) -> String {
        let gaps = Period::parse(period).unwrap().gaps(client);
        gaps.take(count).map(|gap| format!("{gap:.4}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_first_numbers_of_each_client_are_the_originals() {
        let rows = [
            (
                0,
                "0.808007325 0.275682428 0.087791393 0.432083931 0.640397997 0.269946867 0.158259676 0.321867639",
            ),
            (
                1,
                "0.833387216 0.341144384 0.191924167 0.432961798 0.294759362 0.174338173 0.966647660 0.305369082",
            ),
            (
                2,
                "0.157203035 0.905970954 0.127800897 0.740537273 0.046762435 0.927852242 0.490183378 0.701033068",
            ),
            (
                7,
                "0.081063359 0.709585086 0.815402575 0.737903670 0.083678337 0.214678324 0.065019426 0.750528738",
            ),
        ];
        for (client, expected) in rows {
            let mut random = Random::of_client(client);
            let numbers: Vec<_> = (0..8).map(|_| format!("{:.9}", random.next())).collect();
            assert_eq!(numbers.join(" "), expected, "client {client}");
        }
    }

    #[test]
    fn the_gaps_are_those_seen_in_runs_of_the_original() {
        let exponential = "0.1650 0.0323 0.0092 0.0566 0.1023 0.0315 0.0172 0.0388";
        assert_eq!(four_digits("e0.1", 0, 8), exponential);
        assert_eq!(four_digits("E0.1", 0, 8), exponential);
        let uniform = "0.1333 0.0841 0.0692 0.0933 0.0795 0.0674 0.1467 0.0805";
        assert_eq!(four_digits("u0.05,0.15", 1, 8), uniform);
        assert_eq!(four_digits("d0.1", 3, 3), "0.1000 0.1000 0.1000");
    }

    #[test]
    fn steps_of_a_variable_period_hold_until_their_time_is_spent() {
        let gaps: Vec<_> = Period::parse("v1,2,0.5,4").unwrap().gaps(0).take(12).collect();
        assert_eq!(gaps, [1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.0, 1.0]);
        // Ten times 0.05 is a little less than 0.5 in binary, so that the step has eleven gaps, as in the original.
        let gaps: Vec<_> = Period::parse("v0.1,0.5,0.05,0.5").unwrap().gaps(0).take(17).collect();
        assert_eq!(gaps.iter().filter(|gap| **gap == 0.05).count(), 11, "{gaps:?}");
    }

    #[test]
    fn arrivals_begin_at_once_and_add_up() {
        let at: Vec<_> =
            Period::parse("e0.1").unwrap().arrivals_ns(0).take(8).map(|ns| ns / 1_000_000).collect();
        assert_eq!(at, [0, 165, 197, 206, 263, 365, 396, 414]);
        let at: Vec<_> = Period::of_rate(20.0).arrivals_ns(0).take(3).collect();
        assert_eq!(at, [0, 50_000_000, 100_000_000]);
    }

    #[test]
    fn a_period_is_echoed_as_the_original_does() {
        let rows = [
            ("d0.1", " --rate=10"),
            ("3", " --rate=0.333333"),
            ("e0.1", " --period=e0.1"),
            ("u0.05,0.15", " --period=u0.05,0.15"),
            ("V0.1,0.5,0.05,0.5", " --period=v0.1,0.5,0.05,0.5"),
        ];
        for (text, expected) in rows {
            assert_eq!(Period::parse(text).unwrap().echo(), expected);
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_the_originals_words() {
        let rows = [
            ("x1", "illegal interarrival distribution 'x' in x1"),
            (" 0.1", "illegal interarrival distribution ' ' in  0.1"),
            (".5", "illegal interarrival distribution '.' in .5"),
            ("", "illegal interarrival distribution '\0' in "),
            ("d-1", "illegal mean interarrival time -1"),
            ("d", "illegal mean interarrival time "),
            ("0.1x", "illegal mean interarrival time 0.1x"),
            ("e0.1x", "illegal mean interarrival time 0.1x"),
            ("u1", "minimum interarrival time not followed by `,MAX_IAT' (rest: `')"),
            ("ux,1", "illegal minimum interarrival time x,1"),
            ("u0.1,x", "illegal request period x"),
            ("u0.1,0.2,3", "illegal request period 0.2,3"),
            ("v1", "interarrival time not followed by `,duration' (rest: `')"),
            ("v1,x", "illegal duration x"),
        ];
        for (text, expected) in rows {
            assert_eq!(Period::parse(text), Err(expected.to_owned()), "{text:?}");
        }
        let many = vec!["1,1"; 17].join(",");
        assert_eq!(Period::parse(&format!("v{many}")), Err("too many rates".to_owned()));
    }

    #[test]
    fn what_has_no_positive_mean_is_sequential() {
        let sequential = |text: &str| Period::parse(text).unwrap().is_sequential();
        assert!(sequential("0") && sequential("e0") && sequential("u0,0"));
        assert!(!sequential("0.001") && !sequential("u0,1"));
        assert!(Period::of_rate(-5.0).is_sequential() && Period::of_rate(f64::NAN).is_sequential());
    }
}
