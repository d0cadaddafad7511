//! Axes: the position of each value, and the values that have a tick.

use crate::unit;

/// How values are spaced along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Evenly.
    Linear,
    /// By their logarithm.
    Log,
    /// Shares (0 to 1) by their nines: 90 %, 99 % and 99.9 % are equally spaced.
    Nines,
    /// Names in a row; a value is the index of a name.
    Names,
}

/// What the values of an axis measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Nanoseconds.
    Duration,
    /// Events a second.
    Rate,
    /// A number of items.
    Count,
    /// Shares (0 to 1).
    Share,
    /// Seconds since the start.
    Time,
    /// A number without a unit.
    Number,
}

/// An axis.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(crate) label: String,
    pub(crate) scale: Scale,
    pub(crate) unit: Unit,
    /// Least and greatest value.
    pub(crate) range: (f64, f64),
    /// The names of [`Scale::Names`].
    pub(crate) names: Vec<String>,
    /// Ticks at these values instead of round ones.
    pub(crate) at: Vec<f64>,
}

impl Axis {
    pub(crate) fn new(label: &str, scale: Scale, unit: Unit, values: impl Iterator<Item = f64>) -> Self {
        let usable = |value: &f64| value.is_finite() && (scale != Scale::Log || *value > 0.0);
        let (mut low, mut high) =
            values.filter(usable).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        if low > high {
            (low, high) = (1.0, 1.0);
        }
        let range = match scale {
            Scale::Linear if high > 0.0 => (low.min(0.0), high * 1.05),
            // An axis up to 100 % would suggest that there could be shares of that size.
            Scale::Linear => (low.min(0.0), if unit == Unit::Share { 0.01 } else { 1.0 }),
            // At least one decade, so that a small difference does not look like a large one.
            Scale::Log => {
                // A wider range leaves room for the marks at both ends.
                let spread = (10.0 / (high / low)).max(1.0).sqrt().max((high / low).powf(0.04));
                (low / spread, high * spread)
            }
            Scale::Nines => (0.0, high.clamp(0.9, 0.999_999)),
            Scale::Names => (-0.5, high + 0.5),
        };
        Self { label: label.to_owned(), scale, unit, range, names: Vec::new(), at: Vec::new() }
    }

    /// Returns an axis of names.
    pub(crate) fn named(label: &str, names: Vec<String>) -> Self {
        let places = (0..names.len().max(1)).map(|place| place as f64);
        Self { names, ..Self::new(label, Scale::Names, Unit::Number, places) }
    }

    /// Returns the same axis with room at its lower end: a linear one for marks at zero, a logarithmic one for bars.
    pub(crate) fn with_foot(&self) -> Self {
        let mut axis = self.clone();
        let (low, high) = self.range;
        axis.range.0 = match self.scale {
            Scale::Log => 10f64.powf((low * 0.8).log10().floor()),
            _ => low - 0.03 * (high - low),
        };
        axis
    }

    /// Returns the same axis with exactly this range.
    pub(crate) fn over(mut self, low: f64, high: f64) -> Self {
        self.range = (low, if high > low { high } else { low + 1.0 });
        self
    }

    /// Returns the position of a value: 0 for the least, 1 for the greatest.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        let (low, high, value) = match self.scale {
            Scale::Linear | Scale::Names => (low, high, value),
            Scale::Log => (low.ln(), high.ln(), value.max(low).ln()),
            Scale::Nines => (nines(low), nines(high), nines(value)),
        };
        let place = (value - low) / (high - low);
        if place.is_nan() { 0.0 } else { place.clamp(0.0, 1.0) }
    }

    /// Returns the values with a tick, and their labels.
    pub(crate) fn ticks(&self) -> Vec<(f64, String)> {
        let (low, high) = self.range;
        let values: Vec<f64> = match self.scale {
            Scale::Linear | Scale::Log if !self.at.is_empty() => self.at.clone(),
            Scale::Linear => linear(low, high),
            Scale::Log => logarithmic(low, high),
            Scale::Nines => [0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999]
                .into_iter()
                .filter(|share| *share <= high)
                .collect(),
            Scale::Names => {
                let every = self.names.len().div_ceil(12).max(1);
                (0..self.names.len()).step_by(every).map(|place| place as f64).collect()
            }
        };
        values.into_iter().map(|value| (value, self.text(value))).collect()
    }

    /// Formats a value with its unit. Works for every value, not only for round ones.
    pub(crate) fn value(&self, value: f64) -> String {
        match self.scale {
            _ if !value.is_finite() => "-".to_owned(),
            Scale::Names => self.names.get(value.max(0.0) as usize).cloned().unwrap_or_default(),
            Scale::Nines => unit::share(value),
            _ => match self.unit {
                Unit::Count | Unit::Number if value.abs() >= 100.0 => {
                    unit::count(value.max(0.0).round() as u64)
                }
                _ => self.text(value),
            },
        }
    }

    fn text(&self, value: f64) -> String {
        if self.scale == Scale::Nines {
            let percent = format!("{:.4}", value * 100.0);
            return format!("{} %", percent.trim_end_matches('0').trim_end_matches('.'));
        }
        if self.scale == Scale::Names {
            return self.names.get(value as usize).cloned().unwrap_or_default();
        }
        match self.unit {
            _ if value == 0.0 && self.unit != Unit::Time => "0".to_owned(),
            Unit::Duration => shorter(&unit::duration(value)),
            Unit::Rate => shorter(&unit::rate(value)),
            Unit::Share => shorter(&unit::share(value)),
            Unit::Time if value == 0.0 => "0 s".to_owned(),
            Unit::Time => shorter(&unit::duration(value * 1e9)),
            Unit::Count | Unit::Number if value.fract() == 0.0 => unit::count(value as u64),
            Unit::Count | Unit::Number => format!("{value:.2}").trim_end_matches('0').to_owned(),
        }
    }
}

/// Returns the number of nines of a share: the negative logarithm of its distance from one.
fn nines(share: f64) -> f64 {
    -(1.0 - share).max(1e-9).log10()
}

/// Shortens `1.00 ms` to `1 ms`, because a tick is exact.
fn shorter(text: &str) -> String {
    let end = text.find([' ', '/']).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    if number.contains('.') {
        format!("{}{unit}", number.trim_end_matches('0').trim_end_matches('.'))
    } else {
        text.to_owned()
    }
}

/// Returns about five round values.
fn linear(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 6.0;
    let decade = 10f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * decade).find(|step| *step >= rough).unwrap_or(rough);
    let first = (low / step).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|k| k as f64 * step).collect()
}

/// Returns powers of ten, with 2 and 5 between them where there is room.
fn logarithmic(low: f64, high: f64) -> Vec<f64> {
    let decades = (high / low).log10();
    let between: &[f64] = if decades < 3.2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let every = if decades > 8.0 { 2 } else { 1 };
    (first..=last)
        .filter(|power| power % every == 0)
        .flat_map(|power| between.iter().map(move |m| m * 10f64.powi(power)))
        .filter(|value| (low * 0.999..=high * 1.001).contains(value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<String> {
        axis.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_and_carry_their_unit() {
        let seconds = Axis::new("time", Scale::Linear, Unit::Time, [0.0, 9.5].into_iter()).over(0.0, 9.5);
        assert_eq!(texts(&seconds), ["0 s", "2 s", "4 s", "6 s", "8 s"]);
        let latency = Axis::new("latency", Scale::Log, Unit::Duration, [1e6, 1e8].into_iter());
        assert_eq!(texts(&latency), ["1 ms", "2 ms", "5 ms", "10 ms", "20 ms", "50 ms", "100 ms"]);
        let nines = Axis::new("share", Scale::Nines, Unit::Share, [0.9999].into_iter());
        assert_eq!(texts(&nines), ["0 %", "50 %", "90 %", "99 %", "99.9 %", "99.99 %"]);
    }

    #[test]
    fn nines_are_equally_far_from_each_other() {
        let axis = Axis::new("share", Scale::Nines, Unit::Share, [0.9999].into_iter());
        let place = |share| axis.place(share);
        assert!((place(0.99) - place(0.9) - (place(0.999) - place(0.99))).abs() < 1e-9);
        assert_eq!((place(0.0), place(0.9999)), (0.0, 1.0));
    }

    #[test]
    fn marks_of_the_ends_do_not_stand_on_the_frame() {
        let axis = Axis::new("", Scale::Log, Unit::Duration, [1e3, 1e9].into_iter());
        assert!(axis.place(1e3) > 0.02 && axis.place(1e9) < 0.98, "{axis:?}");
    }

    #[test]
    fn shares_that_are_all_zero_do_not_reach_to_100_percent() {
        let axis = Axis::new("errors", Scale::Linear, Unit::Share, [0.0, 0.0].into_iter());
        assert_eq!(axis.range, (0.0, 0.01));
    }

    #[test]
    fn a_foot_leaves_room_for_what_stands_at_the_lower_end() {
        let linear = Axis::new("", Scale::Linear, Unit::Number, [0.0, 20.0].into_iter()).with_foot();
        assert!(linear.place(0.0) > 0.02 && linear.ticks()[0].0 == 0.0, "{linear:?}");
        let log = Axis::new("", Scale::Log, Unit::Duration, [1.3e6, 1e8].into_iter()).with_foot();
        assert!(log.range.0 == 1e5 || log.range.0 == 1e6, "{log:?}");
        assert!(log.place(1.3e6) > 0.03, "{log:?}");
    }

    #[test]
    fn an_axis_without_values_is_still_one() {
        for scale in [Scale::Linear, Scale::Log, Scale::Nines, Scale::Names] {
            let axis = Axis::new("", scale, Unit::Number, [f64::NAN].into_iter());
            assert!(axis.place(1.0).is_finite() && axis.range.0 < axis.range.1, "{axis:?}");
            assert!(axis.ticks().iter().all(|(value, _)| value.is_finite()));
        }
    }
}
