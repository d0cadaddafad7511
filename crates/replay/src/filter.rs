//! Which requests of a log are sent.

use warwolf_accesslog::Entry;

/// Selects requests of a log by method, status and time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Methods in capitals; `None` for all.
    pub methods: Option<Vec<String>>,
    /// Statuses in the log; empty for all.
    pub statuses: Vec<StatusRange>,
    /// Nanoseconds since 1970 (UTC) from which on requests are sent.
    pub since_ns: i64,
    /// Nanoseconds since 1970 (UTC) before which requests are sent.
    pub until_ns: i64,
}

impl Filter {
    /// All requests with these methods: GET and HEAD if none is given, every method for `all`.
    #[must_use]
    pub fn of_methods(methods: &[String]) -> Self {
        let methods: Vec<String> = methods.iter().map(|method| method.to_ascii_uppercase()).collect();
        let methods = match methods.as_slice() {
            [all] if all == "ALL" => None,
            [] => Some(vec!["GET".to_owned(), "HEAD".to_owned()]),
            _ => Some(methods),
        };
        Self { methods, statuses: Vec::new(), since_ns: i64::MIN, until_ns: i64::MAX }
    }

    pub(crate) fn passes(&self, entry: &Entry) -> bool {
        let status = entry.status.unwrap_or(0);
        self.methods.as_ref().is_none_or(|methods| methods.contains(&entry.method))
            && (self.statuses.is_empty() || self.statuses.iter().any(|range| range.contains(status)))
            && (self.since_ns..self.until_ns).contains(&entry.at_ns)
    }
}

/// A status such as `404`, or a class such as `2xx`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusRange {
    first: u16,
    last: u16,
}

impl StatusRange {
    /// Parses a status or a class.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(class) = text.strip_suffix("xx") {
            let class = class.parse::<u16>().ok().filter(|class| *class < 10)?;
            return Some(Self { first: class * 100, last: class * 100 + 99 });
        }
        let status = text.parse::<u16>().ok()?;
        Some(Self { first: status, last: status })
    }

    fn contains(self, status: u16) -> bool {
        (self.first..=self.last).contains(&status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_numbers_or_classes() {
        for (text, first, last) in [("404", 404, 404), ("2xx", 200, 299)] {
            assert_eq!(StatusRange::parse(text), Some(StatusRange { first, last }), "{text}");
        }
        for text in ["", "xx", "99xx", "many", "-1"] {
            assert_eq!(StatusRange::parse(text), None, "{text}");
        }
    }

    #[test]
    fn without_methods_only_requests_that_change_nothing_are_sent() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let methods = |given: &[&str]| Filter::of_methods(&words(given)).methods;
        assert_eq!(methods(&[]), Some(words(&["GET", "HEAD"])));
        assert_eq!(methods(&["all"]), None);
        assert_eq!(methods(&["post", "all"]), Some(words(&["POST", "ALL"])));
    }
}
