//! Parses the time formats of logs and users.

use time::format_description::well_known::{Iso8601, Rfc3339};
use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Parses `10/Oct/2000:13:55:36 -0700`, `2000-10-10T13:55:36.5Z`, the same without a zone (UTC), or seconds since 1970. Returns
/// nanoseconds since 1970, or `None` for any other text.
#[must_use]
pub fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    seconds(text)
        .or_else(|| common(text))
        .or_else(|| nanos(OffsetDateTime::parse(text, &Rfc3339).ok()?))
        .or_else(|| nanos(OffsetDateTime::parse(text, &Iso8601::DEFAULT).ok()?))
        .or_else(|| {
            nanos(PrimitiveDateTime::parse(&text.replacen(' ', "T", 1), &Iso8601::DEFAULT).ok()?.assume_utc())
        })
}

fn nanos(time: OffsetDateTime) -> Option<i64> {
    i64::try_from(time.unix_timestamp_nanos()).ok()
}

/// Parses seconds since 1970 with up to nine decimals. Numbers of more than eleven digits are milliseconds.
pub(crate) fn seconds(text: &str) -> Option<i64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(part) || part.len() > 9 {
        return None;
    }
    let whole_units: i64 = whole.parse().ok()?;
    if whole.len() > 11 {
        return whole_units.checked_mul(1_000_000);
    }
    let part: i64 = format!("{part:0<9}").parse().ok()?;
    whole_units.checked_mul(1_000_000_000)?.checked_add(part)
}

/// Parses `10/Oct/2000:13:55:36 -0700`.
pub(crate) fn common(text: &str) -> Option<i64> {
    let (time, zone) = text.split_once(' ').unwrap_or((text, "+0000"));
    let mut parts = time.split(['/', ':']);
    let mut next = || parts.next();
    let (day, month, year) = (next()?.parse().ok()?, next()?, next()?.parse().ok()?);
    let month = MONTHS.iter().position(|name| *name == month)? as u8 + 1;
    let (hour, minute, second) = (next()?.parse().ok()?, next()?.parse().ok()?, next()?.parse::<u8>().ok()?);
    let date = Date::from_calendar_date(year, Month::try_from(month).ok()?, day).ok()?;
    // A leap second is written as 60.
    let time = Time::from_hms(hour, minute, second.min(59)).ok()?;
    let (sign, zone) = zone.split_at_checked(1)?;
    let sign = if sign == "-" { -1 } else { 1 };
    let (hours, minutes): (i8, i8) = (zone.get(..2)?.parse().ok()?, zone.get(2..4)?.parse().ok()?);
    let offset = UtcOffset::from_hms(sign * hours, sign * minutes, 0).ok()?;
    nanos(PrimitiveDateTime::new(date, time).assume_offset(offset))
}
