//! Formats numbers like C's `%g`.

/// Formats six significant digits without trailing zeros, with an exponent below 0.0001 and from a million on.
pub(super) fn general(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value.is_nan() { "nan".to_owned() } else { format!("{value}") };
    }
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let decimals = usize::try_from(5 - exponent).unwrap_or(0);
        return trimmed(&format!("{value:.decimals$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
}

/// Removes trailing zeros of a fraction, and its point when nothing follows.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::general;

    #[test]
    fn numbers_look_as_c_prints_them() {
        // Each line was printed by C's printf.
        let rows = [
            (0.0, "0"),
            (1.0, "1"),
            (100.0, "100"),
            (10_240.0, "10240"),
            (999_999.0, "999999"),
            (999_999.4, "999999"),
            (999_999.5, "1e+06"),
            (1_024_000.0, "1.024e+06"),
            (8_570_650_000.0, "8.57065e+09"),
            (0.003_22, "0.00322"),
            (0.000_211, "0.000211"),
            (0.000_1, "0.0001"),
            (0.000_099_999_96, "0.0001"),
            (0.000_012_345_67, "1.23457e-05"),
            (2.000_015, "2.00001"),
            (2.000_024, "2.00002"),
            (3.0, "3"),
            (499.489_49, "499.489"),
            (-1.5, "-1.5"),
            (1e100, "1e+100"),
        ];
        for (value, text) in rows {
            assert_eq!(general(value), text, "{value}");
        }
    }
}
