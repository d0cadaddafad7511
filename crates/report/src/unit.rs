//! Formats quantities: durations, rates, sizes, shares, counts and dates.

use time::{OffsetDateTime, UtcOffset};

/// Formats a duration in nanoseconds with three digits and a suitable unit, such as `1.23 ms`.
#[must_use]
pub fn duration(nanos: f64) -> String {
    for (unit, size) in [("ns", 1.0), ("us", 1e3), ("ms", 1e6)] {
        // A value that rounds up to a thousand of a unit is written in the next unit.
        if nanos.abs() < size * 999.5 {
            let value = nanos / size;
            return if size > 1.0 {
                format!("{} {unit}", three_digits(value))
            } else {
                format!("{value:.0} {unit}")
            };
        }
    }
    let seconds = nanos / 1e9;
    if seconds.abs() < 1000.0 { format!("{} s", three_digits(seconds)) } else { format!("{seconds:.0} s") }
}

/// Formats a number below a thousand with three digits in total.
fn three_digits(value: f64) -> String {
    match value.abs() {
        v if v < 9.995 => format!("{value:.2}"),
        v if v < 99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// Formats a whole number with commas between its thousands.
#[must_use]
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count with its noun, such as `1 call` or `2,000 calls`; `what` takes an `s` for more than one.
#[must_use]
pub fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Formats a rate in events per second, such as `12,345/s` or `4.50/s`.
#[must_use]
pub fn rate(per_second: f64) -> String {
    if per_second < 999.5 {
        format!("{}/s", three_digits(per_second))
    } else {
        format!("{}/s", count(per_second.round() as u64))
    }
}

/// Formats a size in bytes with its binary unit, such as `1.50 MiB`.
#[must_use]
pub fn size(bytes: f64) -> String {
    let mut value = bytes;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if value < 1023.5 {
            return match unit {
                "B" => format!("{value:.0} B"),
                _ if value < 999.5 => format!("{} {unit}", three_digits(value)),
                _ => format!("{value:.0} {unit}"),
            };
        }
        value /= 1024.0;
    }
    format!("{value:.2} TiB")
}

/// Formats a share (0 to 1) in per cent, such as `12.3 %`; a share above zero never looks like zero.
#[must_use]
pub fn share(of_one: f64) -> String {
    let percent = of_one * 100.0;
    match percent.abs() {
        0.0 => "0 %".to_owned(),
        p if p < 0.001 => "<0.001 %".to_owned(),
        p if p < 0.1 => format!("{percent:.3} %"),
        p if p < 10.0 => format!("{percent:.2} %"),
        _ => format!("{percent:.1} %"),
    }
}

/// Formats nanoseconds since 1970 in UTC, such as `2026-11-22 11:17:37 UTC`; none for zero, which means unknown.
///
/// Reports can be moved between machines, so the zone of the reader's machine would be misleading.
#[must_use]
pub fn moment(unix_ns: u64) -> Option<String> {
    moment_in(unix_ns, UtcOffset::UTC)
}

/// Formats nanoseconds since 1970 in a time zone, such as `2026-11-22 12:17:37 +01:00`; none for zero.
#[must_use]
pub fn moment_in(unix_ns: u64, zone: UtcOffset) -> Option<String> {
    let seconds = i64::try_from(unix_ns / 1_000_000_000).ok().filter(|seconds| *seconds > 0)?;
    let date = OffsetDateTime::from_unix_timestamp(seconds).ok()?.to_offset(zone);
    let (hour, minute, second) = date.to_hms();
    let day = format!("{}-{:02}-{:02}", date.year(), u8::from(date.month()), date.day());
    Some(format!("{day} {hour:02}:{minute:02}:{second:02} {}", zone_name(zone)))
}

fn zone_name(zone: UtcOffset) -> String {
    let (hours, minutes, _) = zone.as_hms();
    match (hours, minutes) {
        (0, 0) => "UTC".to_owned(),
        _ => {
            let sign = if zone.is_negative() { '-' } else { '+' };
            format!("{sign}{:02}:{:02}", hours.unsigned_abs(), minutes.unsigned_abs())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_a_time_zone() {
        let at = 1_795_225_438_999_999_999;
        assert_eq!(moment(at).as_deref(), Some("2026-11-21 01:43:58 UTC"));
        for (hours, minutes, expected) in [
            (1, 0, "2026-11-21 02:43:58 +01:00"),
            (-3, -30, "2026-11-20 22:13:58 -03:30"),
            (0, -30, "2026-11-21 01:13:58 -00:30"),
        ] {
            let zone = UtcOffset::from_hms(hours, minutes, 0).unwrap();
            assert_eq!(moment_in(at, zone).as_deref(), Some(expected));
        }
        assert_eq!(moment(0), None);
    }

    #[test]
    fn durations_have_three_digits_and_a_unit_that_suits() {
        for (nanos, text) in [
            (0.0, "0 ns"),
            (999.0, "999 ns"),
            (1_000.0, "1.00 us"),
            (999_499.0, "999 us"),
            (999_600.0, "1.00 ms"),
            (9_994_000.0, "9.99 ms"),
            (9_996_000.0, "10.0 ms"),
            (123_456_789.0, "123 ms"),
            (1.5e9, "1.50 s"),
            (75.25e9, "75.2 s"),
            (7200e9, "7200 s"),
        ] {
            assert_eq!(duration(nanos), text);
        }
    }

    #[test]
    fn counts_and_rates_have_commas() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(number), text);
        }
        assert_eq!((counted(1, "call"), counted(2_000, "call")), ("1 call".into(), "2,000 calls".into()));
        for (per_second, text) in [(0.5, "0.50/s"), (99.96, "100/s"), (12_345.6, "12,346/s")] {
            assert_eq!(rate(per_second), text);
        }
    }

    #[test]
    fn sizes_are_binary() {
        for (bytes, text) in
            [(0.0, "0 B"), (1023.0, "1023 B"), (1536.0, "1.50 KiB"), (1e9, "954 MiB"), (5e12, "4.55 TiB")]
        {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn a_share_that_is_not_zero_does_not_look_like_zero() {
        for (of_one, text) in [
            (0.0, "0 %"),
            (1e-9, "<0.001 %"),
            (0.0005, "0.050 %"),
            (0.0123, "1.23 %"),
            (0.5, "50.0 %"),
            (1.0, "100.0 %"),
        ] {
            assert_eq!(share(of_one), text);
        }
    }
}
