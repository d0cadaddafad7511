//! Values that several commands read in the same way.

use crate::UsageError;
use std::time::Duration;
use warwolf_plan::Request;
use warwolf_plan::quantity::{parse_count, parse_duration};
use warwolf_plan::words::parse_header;

/// A number of any size.
///
/// # Errors
/// When it is not a number.
pub fn count(option: &str, text: &str) -> Result<u64, UsageError> {
    parse_count(option, text).map_err(UsageError::of_option)
}

/// A number from 1 to 4,294,967,295.
///
/// # Errors
/// When it is not such a number.
pub fn at_least_1(option: &str, text: &str) -> Result<u32, UsageError> {
    match count(option, text)? {
        0 => Err(UsageError::value(option, text, "use 1 or more")),
        number => small(option, text, number),
    }
}

/// A number from 0 to 4,294,967,295.
///
/// # Errors
/// When it is not such a number.
pub fn at_least_0(option: &str, text: &str) -> Result<u32, UsageError> {
    small(option, text, count(option, text)?)
}

fn small(option: &str, text: &str, number: u64) -> Result<u32, UsageError> {
    u32::try_from(number).map_err(|_| UsageError::value(option, text, "use a number below 4,294,967,296"))
}

/// A time above zero.
///
/// # Errors
/// When it is not such a time.
pub fn time_above_zero(option: &str, text: &str) -> Result<Duration, UsageError> {
    match parse_duration(option, text).map_err(UsageError::of_option)? {
        Duration::ZERO => Err(UsageError::value(option, text, "use a time above zero, such as 2s")),
        time => Ok(time),
    }
}

/// A share such as `5%` or `0.05`.
///
/// # Errors
/// When it is not between 0 and 1.
pub fn share(option: &str, text: Option<&str>, usual: f64) -> Result<f64, UsageError> {
    let Some(text) = text else { return Ok(usual) };
    let (number, scale) = match text.trim().strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text.trim(), 1.0),
    };
    let share = number.trim().parse::<f64>().ok().map(|number| number / scale);
    share
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| UsageError::value(option, text, "use a share, such as 5% or 0.05"))
}

/// A URL without credentials, for commands that send them only as a header field.
///
/// # Errors
/// When it is not a URL, or has credentials.
pub fn plain_url(text: &str) -> Result<Request, UsageError> {
    let request = Request::get(text).map_err(UsageError::of_option)?;
    match &request.basic_auth {
        None => Ok(request),
        Some(_) => {
            Err(UsageError::option("url", "it has a name and a password; use -H 'Authorization: …' instead"))
        }
    }
}

/// Header fields as lines of a request.
///
/// # Errors
/// When one is not a header field.
pub fn header_lines(fields: &[String]) -> Result<Vec<String>, UsageError> {
    let line = |field: &String| {
        let (name, value) = parse_header(field).map_err(UsageError::of_option)?;
        Ok(format!("{name}: {value}"))
    };
    fields.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_range_say_what_would_be_right() {
        let text = |error: UsageError| error.to_string();
        assert_eq!(at_least_1("tries", "3k"), Ok(3_000));
        assert_eq!(text(at_least_1("tries", "0").unwrap_err()), "--tries: `0`: use 1 or more");
        let large = "--depth: `5g`: use a number below 4,294,967,296";
        assert_eq!(text(at_least_0("depth", "5g").unwrap_err()), large);
        let zero = "--timeout: `0s`: use a time above zero, such as 2s";
        assert_eq!(text(time_above_zero("timeout", "0s").unwrap_err()), zero);
    }

    #[test]
    fn a_share_is_a_part_of_one_or_a_percentage() {
        assert_eq!((share("allow", Some("5%"), 0.1), share("allow", None, 0.1)), (Ok(0.05), Ok(0.1)));
        for wrong in ["", "101%", "2", "-1%", "some"] {
            assert!(share("allow", Some(wrong), 0.1).is_err(), "{wrong}");
        }
    }

    #[test]
    fn credentials_in_a_url_are_refused() {
        assert!(plain_url("http://a.test/x").is_ok());
        assert!(plain_url("http://ann:secret@a.test/x").is_err());
    }
}
