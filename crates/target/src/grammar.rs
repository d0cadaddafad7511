//! Parses values of options and query strings: durations, byte counts, throttles, rates, probabilities.
//!
//! Both use the same grammar, so that a setting tested with `?delay=exp:10ms` can be copied to `--delay exp:10ms`.

use std::str::FromStr;
use std::time::Duration;

/// A value that could not be parsed. The message describes valid values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not {wanted}")]
pub struct GrammarError {
    word: Box<str>,
    wanted: &'static str,
}

impl GrammarError {
    /// Creates an error for `word`; `wanted` completes the sentence "`word` is not …".
    pub(crate) fn new(word: &str, wanted: &'static str) -> Self {
        Self { word: word.into(), wanted }
    }
}

const DURATION: &str = "a duration such as `250us`, `10ms`, `1.5s` or `2m` (a bare number is seconds)";
const BYTES: &str = "a byte count such as `0`, `512`, `75k` or `100m` (k, m and g are powers of 1024)";
const PACE: &str = "a throttle such as `1/s`, `10/100ms` or `64k/s` (bytes per interval)";
const FIELD: &str = "a header such as `Location:/elsewhere` or `Set-Cookie:a=b`";
const RATE: &str = "a rate such as `5000/s`, `5/ms` or `300/m` (a bare number is per second)";
const PROBABILITY: &str = "a probability between 0 and 1";
const COUNT: &str = "a whole number";

/// Parses a duration with a unit: `ns`, `us`, `ms`, `s`, `m`, `h`. A bare number is in seconds. At most a year.
///
/// # Errors
/// When the text is not a number with a known unit, or is negative or longer than a year.
pub(crate) fn duration(word: &str) -> Result<Duration, GrammarError> {
    let wrong = || GrammarError::new(word, DURATION);
    let digits = word.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(word.len());
    let number = decimal(&word[..digits]).ok_or_else(wrong)?;
    let seconds = match &word[digits..] {
        "" | "s" => number,
        "ns" => number / 1e9,
        "us" | "µs" => number / 1e6,
        "ms" => number / 1e3,
        "m" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(wrong()),
    };
    if seconds > YEAR_S {
        return Err(wrong());
    }
    Ok(Duration::from_nanos((seconds * 1e9).round() as u64))
}

/// Parses a byte count: a number, with `k`, `m` or `g` (optionally followed by `b` or `ib`) for powers of 1024. At most 1 TiB.
///
/// # Errors
/// When the text is not a number with a known unit, or exceeds the limit.
pub(crate) fn bytes(word: &str) -> Result<u64, GrammarError> {
    let wrong = || GrammarError::new(word, BYTES);
    let digits = word.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(word.len());
    let number = decimal(&word[..digits]).ok_or_else(wrong)?;
    let unit = match word[digits..].to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" | "kib" => 1024.0,
        "m" | "mb" | "mib" => 1024.0 * 1024.0,
        "g" | "gb" | "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(wrong()),
    };
    let total = number * unit;
    if total > LARGEST_BODY || total.fract() != 0.0 {
        return Err(wrong());
    }
    Ok(total as u64)
}

/// A limit of the send rate: some bytes, then a pause, then the next bytes. Written as `1/s`, `10/100ms`, `64k/s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Bytes per interval; not zero.
    pub bytes: u64,
    /// The pause between them.
    pub interval: Duration,
}

impl FromStr for Pace {
    type Err = GrammarError;

    fn from_str(word: &str) -> Result<Self, GrammarError> {
        let wrong = || GrammarError::new(word, PACE);
        let (number, interval) = word.split_once('/').ok_or_else(wrong)?;
        let pace = Self {
            bytes: bytes(number).map_err(|_| wrong())?,
            interval: per(interval).map_err(|_| wrong())?,
        };
        if pace.bytes == 0 { Err(wrong()) } else { Ok(pace) }
    }
}

/// Parses the time after the slash of `5/s` or `10/100ms`: a duration, or a unit alone.
fn per(word: &str) -> Result<Duration, GrammarError> {
    if word.starts_with(char::is_alphabetic) { duration(&format!("1{word}")) } else { duration(word) }
}

/// An additional header line, written as `NAME:VALUE`, for example `Location:/elsewhere`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Includes the line end.
    line: Box<str>,
}

impl Field {
    /// Returns the line with its line end.
    pub(crate) fn line(&self) -> &str {
        &self.line
    }
}

impl FromStr for Field {
    type Err = GrammarError;

    fn from_str(word: &str) -> Result<Self, GrammarError> {
        let wrong = || GrammarError::new(word, FIELD);
        let (name, value) = word.split_once(':').ok_or_else(wrong)?;
        // RFC 9110, sections 5.1 and 5.5.
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if name.is_empty() || !name.chars().all(is_token) || value.contains(char::is_control) {
            return Err(wrong());
        }
        Ok(Self { line: format!("{name}: {}\r\n", value.trim()).into() })
    }
}

/// Parses a rate of requests greater than zero: `5000/s`, `5/ms`, `300/m`. A bare number is per second.
///
/// # Errors
/// When the text is not a number, optionally followed by a slash and a time, or is zero.
pub(crate) fn rate(word: &str) -> Result<f64, GrammarError> {
    let wrong = || GrammarError::new(word, RATE);
    let (number, time) = word.split_once('/').unwrap_or((word, "s"));
    let number = decimal(number).ok_or_else(wrong)?;
    let rate = number / per(time).map_err(|_| wrong())?.as_secs_f64();
    if rate.is_finite() && rate > 0.0 { Ok(rate) } else { Err(wrong()) }
}

/// Parses a probability, 0 to 1.
///
/// # Errors
/// When the text is not a number, or is out of range.
pub(crate) fn probability(word: &str) -> Result<f64, GrammarError> {
    decimal(word).filter(|p| *p <= 1.0).ok_or_else(|| GrammarError::new(word, PROBABILITY))
}

/// Parses an integer.
///
/// # Errors
/// When the text is not an integer, or is out of range.
pub(crate) fn count<N: FromStr>(word: &str) -> Result<N, GrammarError> {
    word.parse().map_err(|_| GrammarError::new(word, COUNT))
}

/// Parses a plain decimal number: digits with at most one point. `f64::from_str` also accepts `inf`, `nan`, `1e9` and signs.
pub(crate) fn decimal(word: &str) -> Option<f64> {
    let plain = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if plain { word.parse().ok() } else { None }
}

const YEAR_S: f64 = 365.0 * 86_400.0;
/// 1 TiB: enough for any response, and far below the range of the counters.
const LARGEST_BODY: f64 = (1u64 << 40) as f64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units_and_a_bare_number_is_in_seconds() {
        for (word, nanos) in [
            ("0", 0),
            ("1", 1_000_000_000),
            ("1.5s", 1_500_000_000),
            ("250us", 250_000),
            ("250µs", 250_000),
            ("10ms", 10_000_000),
            ("7ns", 7),
            ("2m", 120_000_000_000),
            ("1h", 3_600_000_000_000),
        ] {
            assert_eq!(duration(word).map(|d| d.as_nanos()), Ok(nanos), "{word}");
        }
        for word in ["", "s", "-1s", "1d", "1e3", "inf", "nan", "1.2.3", "9000h10", "999999h", "1 s"] {
            assert!(duration(word).is_err(), "{word}");
        }
    }

    #[test]
    fn byte_counts_are_powers_of_1024() {
        for (word, count) in
            [("0", 0), ("75k", 76_800), ("100m", 104_857_600), ("1.5K", 1536), ("2GiB", 2 << 30)]
        {
            assert_eq!(bytes(word), Ok(count), "{word}");
        }
        for word in ["", "k", "-1", "1x", "0.3", "9999g"] {
            assert!(bytes(word).is_err(), "{word}");
        }
    }

    #[test]
    fn a_throttle_is_bytes_per_interval() {
        for (word, bytes, interval) in [("1/s", 1, 1000), ("10/100ms", 10, 100), ("64k/ms", 65_536, 1)] {
            let interval = Duration::from_millis(interval);
            assert_eq!(word.parse(), Ok(Pace { bytes, interval }), "{word}");
        }
        for word in ["", "1", "0/s", "1/", "/s", "1/x"] {
            assert!(word.parse::<Pace>().is_err(), "{word}");
        }
    }

    #[test]
    fn a_field_is_a_header_line() {
        for (word, line) in
            [("Location:/a:b", "Location: /a:b\r\n"), ("X: y ", "X: y\r\n"), ("X:", "X: \r\n")]
        {
            assert_eq!(word.parse::<Field>().unwrap().line(), line, "{word}");
        }
        for word in ["", "X", ":y", "a b:c", "X:\r\nY:z"] {
            assert!(word.parse::<Field>().is_err(), "{word:?}");
        }
    }

    #[test]
    fn rates_are_per_second_and_not_zero() {
        for (word, expected) in
            [("5000/s", 5000.0), ("5/ms", 5000.0), ("300/m", 5.0), ("7", 7.0), ("1/10s", 0.1)]
        {
            assert_eq!(rate(word), Ok(expected), "{word}");
        }
        for word in ["", "0", "x/s", "1/0s", "1/"] {
            assert!(rate(word).is_err(), "{word}");
        }
    }

    #[test]
    fn an_error_names_the_value_and_valid_values() {
        assert_eq!(probability("1.5").unwrap_err().to_string(), "`1.5` is not a probability between 0 and 1");
    }
}
