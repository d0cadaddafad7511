//! The date and time of day for people, in the time zone of the machine.

use std::time::SystemTime;
use time::{OffsetDateTime, UtcOffset};

/// The time zone of this machine as it is now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Zone(UtcOffset);

impl Zone {
    /// To be asked for before there are threads: afterwards the environment, where it may be set, cannot be read safely.
    pub(crate) fn here() -> Self {
        Self(UtcOffset::current_local_offset().unwrap_or(UtcOffset::UTC))
    }

    /// This moment as C's `ctime` writes it, without its line end: `Wed Sep  1 08:00:00 1999`.
    pub(crate) fn now(self) -> String {
        ctime(self.date())
    }

    /// This moment.
    pub(crate) fn date(self) -> OffsetDateTime {
        OffsetDateTime::from(SystemTime::now()).to_offset(self.0)
    }
}

fn ctime(date: OffsetDateTime) -> String {
    let (weekday, month) = (date.weekday().to_string(), date.month().to_string());
    let (hour, minute, second) = date.to_hms();
    format!(
        "{} {} {:2} {hour:02}:{minute:02}:{second:02} {}",
        &weekday[..3],
        &month[..3],
        date.day(),
        date.year()
    )
}

#[cfg(test)]
mod tests {
    use super::ctime;
    use time::OffsetDateTime;

    #[test]
    fn dates_are_as_c_writes_them() {
        let rows = [
            (936_172_800, "Wed Sep  1 08:00:00 1999"),
            (0, "Thu Jan  1 00:00:00 1970"),
            (1_795_225_438, "Sat Nov 21 01:43:58 2026"),
        ];
        for (seconds, text) in rows {
            assert_eq!(ctime(OffsetDateTime::from_unix_timestamp(seconds).unwrap()), text);
        }
    }
}
