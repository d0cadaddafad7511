//! Local time in siege's formats; the caller reads the clock.

/// A moment of local time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The year.
    pub year: i32,
    /// The month, 1 to 12.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
    /// The day of the week, 0 for Sunday to 6.
    pub weekday: u8,
    /// Hours, 0 to 23.
    pub hour: u8,
    /// Minutes.
    pub minute: u8,
    /// Seconds.
    pub second: u8,
}

const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

impl Moment {
    fn clock(&self) -> String {
        format!("{:02}:{:02}:{:02}", self.hour, self.minute, self.second)
    }

    /// Formats `2026-11-21 01:34:48`.
    pub(super) fn dashed(&self) -> String {
        format!("{:04}-{:02}-{:02} {}", self.year, self.month, self.day, self.clock())
    }

    /// Formats `2000/12/13 23:42:16`, for 1.00's banner.
    pub(super) fn slashed(&self) -> String {
        format!("{:04}/{:02}/{:02} {}", self.year, self.month, self.day, self.clock())
    }

    /// Formats `02/22/01 08:05:47`, for 1.00's log.
    pub(super) fn short(&self) -> String {
        format!("{:02}/{:02}/{:02} {}", self.month, self.day, self.year.rem_euclid(100), self.clock())
    }

    /// Formats `[Sat, 2026-11-21 01:34:48] `, the beginning of a line with a timestamp.
    pub(super) fn bracketed(&self) -> String {
        let day = DAYS[usize::from(self.weekday % 7)];
        format!("[{day}, {}] ", self.dashed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_in_four_ways() {
        let moment = Moment { year: 2001, month: 2, day: 3, weekday: 6, hour: 8, minute: 5, second: 7 };
        assert_eq!(moment.dashed(), "2001-02-03 08:05:07");
        assert_eq!(moment.slashed(), "2001/02/03 08:05:07");
        assert_eq!(moment.short(), "02/03/01 08:05:07");
        assert_eq!(moment.bracketed(), "[Sat, 2001-02-03 08:05:07] ");
    }
}
