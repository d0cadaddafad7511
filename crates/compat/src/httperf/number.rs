//! Parses and formats numbers like the C library.

/// An unsigned number at the start of a text, as parsed by `strtoul`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Whole<'a> {
    /// The number; a leading minus wraps, as in C.
    pub(super) value: u64,
    /// Whether the number does not fit; `value` is then the maximum.
    pub(super) too_great: bool,
    /// The text after the number.
    pub(super) rest: &'a str,
}

/// Base of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// Ten.
    Ten,
    /// Sixteen after `0x`, eight after `0`, else ten.
    Any,
}

/// C's `isspace` in the locale "C".
const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Parses an unsigned number at the start of `text`. Returns `None` without a digit.
pub(super) fn whole(text: &str, base: Base) -> Option<Whole<'_>> {
    let trimmed = text.trim_start_matches(|c: char| c.is_ascii() && is_space(c as u8));
    let (negative, digits) = match trimmed.as_bytes().first() {
        Some(b'-') => (true, &trimmed[1..]),
        Some(b'+') => (false, &trimmed[1..]),
        _ => (false, trimmed),
    };
    let is_hex = |digits: &str| digits.as_bytes().get(2).is_some_and(u8::is_ascii_hexdigit);
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") if base == Base::Any && is_hex(digits) => (16, &digits[2..]),
        _ if base == Base::Any && digits.starts_with('0') => (8, digits),
        _ => (10, digits),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    if end == 0 {
        return None;
    }
    let (value, too_great) = match u64::from_str_radix(&digits[..end], radix) {
        Ok(value) => (if negative { value.wrapping_neg() } else { value }, false),
        Err(_) => (u64::MAX, true),
    };
    Some(Whole { value, too_great, rest: &digits[end..] })
}

/// Parses a real number at the start of `text`, as `strtod` does. Returns the number, whether it is out of range, and
/// the remaining text.
pub(super) fn real(text: &str) -> Option<(f64, bool, &str)> {
    let trimmed = text.trim_start_matches(|c: char| c.is_ascii() && is_space(c as u8));
    let unsigned = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
    let sign = if trimmed.starts_with('-') { -1.0 } else { 1.0 };
    let lower = unsigned.to_ascii_lowercase();
    for (word, value) in [("infinity", f64::INFINITY), ("inf", f64::INFINITY), ("nan", f64::NAN)] {
        if lower.starts_with(word) {
            return Some((sign * value, false, &unsigned[word.len()..]));
        }
    }
    if lower.starts_with("0x")
        && let Some((value, rest)) = hexadecimal(&unsigned[2..])
    {
        return Some((sign * value, false, rest));
    }
    let end = decimal_end(unsigned.as_bytes())?;
    let value: f64 = unsigned[..end].parse().ok()?;
    let vanished = value == 0.0
        && unsigned[..end]
            .bytes()
            .take_while(|b| !matches!(b, b'e' | b'E'))
            .any(|b| (b'1'..=b'9').contains(&b));
    Some((sign * value, value.is_infinite() || value.is_subnormal() || vanished, &unsigned[end..]))
}

/// Returns whether a number is less than zero; NaN is not.
pub(super) fn is_negative(value: f64) -> bool {
    value < 0.0
}

/// Returns where a decimal number at the start ends, or `None` without a digit.
fn decimal_end(bytes: &[u8]) -> Option<usize> {
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let before = digits(0);
    let mut end = before;
    let mut after = 0;
    if bytes.get(end) == Some(&b'.') {
        after = digits(end + 1);
        end += 1 + after;
    }
    if before + after == 0 {
        return None;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let power = if end + 1 + sign <= bytes.len() { digits(end + 1 + sign) } else { 0 };
        if power > 0 {
            end += 1 + sign + power;
        }
    }
    Some(end)
}

/// Parses a hexadecimal real after its `0x`: digits, a point, a power of two after `p`.
fn hexadecimal(text: &str) -> Option<(f64, &str)> {
    let (mut value, mut seen, mut scale, mut after_point) = (0.0_f64, 0, 0_i32, false);
    let mut end = 0;
    for (at, c) in text.char_indices() {
        match c.to_digit(16) {
            Some(digit) => {
                value = value * 16.0 + f64::from(digit);
                seen += 1;
                scale -= if after_point { 4 } else { 0 };
            }
            None if c == '.' && !after_point => after_point = true,
            None => break,
        }
        end = at + 1;
    }
    if seen == 0 {
        return None;
    }
    let rest = &text[end..];
    let (power, rest) =
        match rest.strip_prefix(['p', 'P']).map(|tail| (tail, tail.strip_prefix(['+', '-']).unwrap_or(tail)))
        {
            Some((tail, digits)) if digits.starts_with(|c: char| c.is_ascii_digit()) => {
                let length = digits.bytes().take_while(u8::is_ascii_digit).count();
                let power = digits[..length].parse().unwrap_or(9_999).min(9_999);
                (if tail.starts_with('-') { -power } else { power }, &digits[length..])
            }
            _ => (0, rest),
        };
    Some((value * 2_f64.powi(scale.saturating_add(power)), rest))
}

/// Formats like C's `%g`: six significant digits, no trailing zeros.
pub(super) fn general(value: f64) -> String {
    if value.is_nan() {
        return if value.is_sign_negative() { "-nan".to_owned() } else { "nan".to_owned() };
    }
    if value.is_infinite() {
        return if value < 0.0 { "-inf".to_owned() } else { "inf".to_owned() };
    }
    if value == 0.0 {
        return if value.is_sign_negative() { "-0".to_owned() } else { "0".to_owned() };
    }
    // Rounding to six digits decides the exponent: 999999.5 is 1e+06.
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..6).contains(&exponent) {
        let places = usize::try_from(5 - exponent).unwrap_or(0);
        trim(&format!("{value:.places$}"))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trim(digits), exponent.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_read_as_strtoul_does() {
        let rows = [
            ("10", Base::Ten, Some((10, false, ""))),
            (" +5,x", Base::Ten, Some((5, false, ",x"))),
            ("0x1f", Base::Any, Some((31, false, ""))),
            ("0x", Base::Any, Some((0, false, "x"))),
            ("0xg", Base::Any, Some((0, false, "xg"))),
            ("010", Base::Any, Some((8, false, ""))),
            ("08", Base::Any, Some((0, false, "8"))),
            ("010", Base::Ten, Some((10, false, ""))),
            ("0x50", Base::Ten, Some((0, false, "x50"))),
            ("-1", Base::Ten, Some((u64::MAX, false, ""))),
            ("99999999999999999999", Base::Ten, Some((u64::MAX, true, ""))),
            ("", Base::Ten, None),
            ("x", Base::Any, None),
            ("-", Base::Any, None),
        ];
        for (text, base, expected) in rows {
            let read = whole(text, base).map(|w| (w.value, w.too_great, w.rest));
            assert_eq!(read, expected, "{text:?} {base:?}");
        }
    }

    #[test]
    fn reals_are_read_as_strtod_does() {
        let rows = [
            ("1e2", Some((100.0, ""))),
            (".5x", Some((0.5, "x"))),
            ("5.", Some((5.0, ""))),
            ("1e", Some((1.0, "e"))),
            ("1e+", Some((1.0, "e+"))),
            ("-0.25,", Some((-0.25, ","))),
            ("0x10", Some((16.0, ""))),
            ("0x1.8p1z", Some((3.0, "z"))),
            ("0x.8p", Some((0.5, "p"))),
            ("0xz", Some((0.0, "xz"))),
            ("inf", Some((f64::INFINITY, ""))),
            ("Infinityx", Some((f64::INFINITY, "x"))),
            ("", None),
            (".", None),
            ("e5", None),
        ];
        for (text, expected) in rows {
            assert_eq!(real(text).map(|(value, _, rest)| (value, rest)), expected, "{text:?}");
        }
        assert!(real("nan").is_some_and(|(value, ..)| value.is_nan()));
        assert!(real("1e400").is_some_and(|(_, out_of_range, _)| out_of_range));
        assert!(real("1e-999").is_some_and(|(_, out_of_range, _)| out_of_range));
        assert!(real("0e5").is_some_and(|(_, out_of_range, _)| !out_of_range));
    }

    #[test]
    fn six_digits_are_printed_as_percent_g_does() {
        let rows = [
            (0.0, "0"),
            (5.0, "5"),
            (0.1, "0.1"),
            (1.0 / 3.0, "0.333333"),
            (100.0, "100"),
            (123_456.0, "123456"),
            (999_999.5, "1e+06"),
            (1_234_567.0, "1.23457e+06"),
            (0.0001, "0.0001"),
            (0.000_012_34, "1.234e-05"),
            (-2.5, "-2.5"),
            (1.0 / 0.1, "10"),
            (f64::INFINITY, "inf"),
        ];
        for (value, expected) in rows {
            assert_eq!(general(value), expected, "{value:?}");
        }
    }

    #[test]
    fn numbers_are_rounded_as_printf_does() {
        // Ties of the binary value round to even; values that are ties only in decimal do not.
        let printed = [0.25, 0.75, 0.05, 0.35, 2.45].map(|value| format!("{value:.1}"));
        assert_eq!(printed, ["0.2", "0.8", "0.1", "0.3", "2.5"]);
    }
}
