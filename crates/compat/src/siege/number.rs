//! Parses numbers as the C library does: the readable beginning counts, the rest is ignored.

/// Parses the integer at the beginning of `text`, after blanks; 0 if there is none.
pub(super) fn whole(text: &str) -> i64 {
    let text = text.trim_start();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = &digits[..digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len()];
    let size =
        digits.bytes().fold(0_i64, |n, digit| n.saturating_mul(10).saturating_add((digit - b'0').into()));
    if negative { -size } else { size }
}

/// Parses the decimal number at the beginning of `text`, after blanks; 0 if there is none.
pub(super) fn decimal(text: &str) -> f64 {
    let text = text.trim_start();
    let longest = |length: &usize| text.is_char_boundary(*length) && text[..*length].parse::<f64>().is_ok();
    let length = (1..=text.len().min(32)).rev().find(longest).unwrap_or(0);
    text[..length].parse().ok().filter(|number: &f64| number.is_finite()).unwrap_or(0.0)
}

/// Parses the value of `-t` into seconds: digits, then the first of the letters s, m and h anywhere after them; minutes
/// without a letter. No limit without digits or for zero.
pub(super) fn time(text: &str) -> Option<u64> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let count = u64::try_from(whole(&text[..digits])).unwrap_or(0);
    let unit = text[digits..].chars().find_map(|letter| match letter.to_ascii_lowercase() {
        's' => Some(1),
        'm' => Some(60),
        'h' => Some(3600),
        _ => None,
    });
    Some(count.saturating_mul(unit.unwrap_or(60))).filter(|seconds| *seconds > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_they_stop_making_sense() {
        let wholes = [("7x", 7), ("-3", -3), (" 12", 12), ("+4", 4), ("x", 0), ("", 0), ("-", 0)];
        for (text, expected) in wholes {
            assert_eq!(whole(text), expected, "`{text}`");
        }
        assert_eq!(whole("99999999999999999999"), i64::MAX);
        let decimals = [("0.5", 0.5), ("2.5s", 2.5), (".5", 0.5), ("x", 0.0), ("-3", -3.0), ("1e1", 10.0)];
        for (text, expected) in decimals {
            assert_eq!(decimal(text), expected, "`{text}`");
        }
        assert_eq!((decimal("inf"), decimal("nan"), decimal("")), (0.0, 0.0, 0.0));
    }

    #[test]
    fn a_time_without_a_unit_is_minutes() {
        let rows = [
            ("5", Some(300)),
            ("5x", Some(300)),
            ("90s", Some(90)),
            ("90 S", Some(90)),
            ("10M", Some(600)),
            ("2h", Some(7200)),
            ("1.5m", Some(60)),
            ("5ms", Some(300)),
            ("3hs", Some(10_800)),
            ("0", None),
            ("S5", None),
            ("-5s", None),
            (" 5 s", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(time(text), expected, "`{text}`");
        }
    }
}
