//! Durations, rates, sizes and counts as people write them.
//!
//! A duration carries its unit (`250ms`, `1.5m`); a bare number is seconds. A rate is per second unless it says
//! otherwise (`500`, `500/s`, `10/ms`, `30/m`). Sizes and counts take `k` and `m` (1,000 for counts, 1,024 for sizes).

use crate::PlanError;
use std::time::Duration;

const DURATION_UNITS: [(&str, u64); 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND_NS),
    ("m", 60 * SECOND_NS),
    ("h", 3_600 * SECOND_NS),
];
const SECOND_NS: u64 = 1_000_000_000;

fn split_number(text: &str) -> Option<(f64, &str)> {
    let end = text
        .char_indices()
        .find(|&(i, c)| {
            let exponent = (c == 'e' || c == 'E')
                && text[i + 1..].starts_with(|d: char| d.is_ascii_digit() || d == '-' || d == '+');
            let sign = (c == '-' || c == '+') && (i == 0 || text[..i].ends_with(['e', 'E']));
            !(c.is_ascii_digit() || c == '.' || exponent || sign)
        })
        .map_or(text.len(), |(i, _)| i);
    let number: f64 = text[..end].parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some((number, text[end..].trim()))
}

/// Reads a duration; a bare number is seconds.
///
/// # Errors
/// `field` and the text, when it is not a number with a known unit or is longer than about 584 years.
pub fn parse_duration(field: &str, text: &str) -> Result<Duration, PlanError> {
    let wrong = || PlanError::new(field, text, "use a number with a unit, such as 250ms, 10s or 5m");
    let text = text.trim();
    let (number, unit) = split_number(text).ok_or_else(wrong)?;
    let unit_ns = if unit.is_empty() {
        SECOND_NS
    } else {
        DURATION_UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?.1
    };
    let digits = text.strip_suffix(unit).unwrap_or(text).trim_end();
    if let Some(nanos) = exact_nanos(digits, unit_ns) {
        return Ok(Duration::from_nanos(nanos));
    }
    let nanos = (number * unit_ns as f64).round();
    if nanos >= u64::MAX as f64 {
        return Err(wrong());
    }
    Ok(Duration::from_nanos(nanos as u64))
}

/// A decimal number of units in nanoseconds, without a floating-point number between, which would lose nanoseconds beyond
/// 104 days. None for numbers that are not plain or too long.
fn exact_nanos(digits: &str, unit_ns: u64) -> Option<u64> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let scale = 10_u128.pow(u32::try_from(fraction.len()).ok().filter(|length| *length <= 18)?);
    let fraction: u64 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
    let part = (u128::from(fraction) * u128::from(unit_ns) + scale / 2) / scale;
    whole.checked_mul(unit_ns)?.checked_add(u64::try_from(part).ok()?)
}

/// Writes a duration so that [`parse_duration`] reads back exactly the same.
#[must_use]
pub fn print_duration(duration: Duration) -> String {
    let nanos = duration.as_nanos();
    for (name, unit) in [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)] {
        if nanos.is_multiple_of(unit) {
            return format!("{}{name}", nanos / unit);
        }
    }
    format!("{nanos}ns")
}

/// Reads a rate in events per second.
///
/// # Errors
/// `field` and the text, when it is not a positive number with a known unit, or more than 1e9 a second.
pub fn parse_rate(field: &str, text: &str) -> Result<f64, PlanError> {
    parse_rate_or_zero(field, text)
        .ok()
        .filter(|rate| *rate > 0.0)
        .ok_or_else(|| PlanError::new(field, text, "use a positive rate, such as 500/s, 10/ms or 30/m"))
}

/// Reads a rate that may be zero.
///
/// # Errors
/// `field` and the text, when it is not a number with a known unit, or more than 1e9 a second.
pub fn parse_rate_or_zero(field: &str, text: &str) -> Result<f64, PlanError> {
    let wrong = || PlanError::new(field, text, "use a rate, such as 500/s, 10/ms or 30/m");
    let (number, unit) = split_number(text.trim()).ok_or_else(wrong)?;
    // Multiplied where it can be: 1.1/ms is 1,100 a second, while 1.1 / 0.001 is a little more.
    let rate = match unit {
        "" | "/s" | "/sec" => number,
        "/ms" | "k" | "k/s" => number * 1e3,
        "/us" | "m" | "m/s" => number * 1e6,
        "/m" | "/min" => number / 60.0,
        "/h" => number / 3600.0,
        _ => return Err(wrong()),
    };
    if rate <= 1e9 { Ok(rate) } else { Err(wrong()) }
}

/// Writes a rate so that [`parse_rate`] reads back exactly the same.
#[must_use]
pub fn print_rate(rate: f64) -> String {
    format!("{rate}/s")
}

/// Reads a count, with `k` for thousands and `m` for millions.
///
/// # Errors
/// `field` and the text, when it is not a whole number.
pub fn parse_count(field: &str, text: &str) -> Result<u64, PlanError> {
    scaled(field, text, 1_000.0, "use a whole number, such as 200, 10k or 2m")
}

/// Reads a size in bytes, with `k`, `m` and `g` as powers of 1,024.
///
/// # Errors
/// `field` and the text, when it is not a whole number of bytes.
pub fn parse_size(field: &str, text: &str) -> Result<u64, PlanError> {
    let bare = text.trim().trim_end_matches(['b', 'B']);
    let bare = bare.strip_suffix(['i']).unwrap_or(bare);
    scaled(field, bare, 1_024.0, "use a number of bytes, such as 512, 64k or 2m")
}

fn scaled(field: &str, text: &str, step: f64, remedy: &str) -> Result<u64, PlanError> {
    let wrong = || PlanError::new(field, text, remedy);
    let (number, unit) = split_number(text.trim()).ok_or_else(wrong)?;
    let value = match unit {
        "" => number,
        "k" | "K" => number * step,
        "m" | "M" => number * step * step,
        "g" | "G" => number * step * step * step,
        _ => return Err(wrong()),
    };
    if value.fract() == 0.0 && value < 9e15 { Ok(value as u64) } else { Err(wrong()) }
}

/// Durations in the plan's text, written as by [`print_duration`].
pub mod duration_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use std::time::Duration;

    /// Writes a duration as text.
    ///
    /// # Errors
    /// Those of the serialiser.
    pub fn serialize<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&super::print_duration(*duration))
    }

    /// Reads a duration from text.
    ///
    /// # Errors
    /// When the text is no duration.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let text = String::deserialize(from)?;
        super::parse_duration("duration", &text).map_err(D::Error::custom)
    }
}
