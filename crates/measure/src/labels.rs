//! Names of the rows, groups and checks that tallies count by index.

use crate::{MAX_GROUPS, TARGET_ROWS, bounded};
use serde::{Deserialize, Serialize};

/// How many rows, groups and checks a run counts, so that its tallies can allocate them before the first call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Rows, one for each request of the plan; those beyond [`TARGET_ROWS`] share one more.
    pub rows: usize,
    /// Groups, at most [`crate::MAX_GROUPS`].
    pub groups: usize,
    /// Checks, at most [`crate::MAX_CHECKS`].
    pub checks: usize,
}

impl Shape {
    /// Returns the shape of a run with that many rows and neither groups nor checks.
    #[must_use]
    pub const fn of_rows(rows: usize) -> Self {
        Self { rows, groups: 0, checks: 0 }
    }
}

/// The name of a row, and what it belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RowLabel {
    /// Name of the step, or the label or URL of a request.
    pub name: String,
    /// Name of the group that the step belongs to.
    pub group: Option<String>,
    /// Name of the scenario that the step belongs to.
    pub scenario: Option<String>,
}

impl RowLabel {
    /// Returns the name after that of the scenario, such as `buyer: login`, if it belongs to one.
    fn full_name(&self) -> Option<String> {
        self.scenario.as_ref().map(|scenario| format!("{scenario}: {}", self.name))
    }
}

/// A check, and the row that it belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CheckLabel {
    /// Index of its row.
    pub row: u16,
    /// The check as it was written.
    pub text: String,
}

/// The names of everything that a run counts by index. Empty for a run of plain requests, whose rows go by URL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RowLabels {
    /// The rows, by the index in samples.
    #[serde(deserialize_with = "bounded::list")]
    pub rows: Vec<RowLabel>,
    /// The groups, by the index in [`crate::Tally::group`].
    #[serde(deserialize_with = "bounded::list")]
    pub groups: Vec<String>,
    /// The checks, by the index in [`crate::Tally::check`].
    #[serde(deserialize_with = "bounded::list")]
    pub checks: Vec<CheckLabel>,
}

/// What a name in an SLO stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Rows, whose figures are added up.
    Rows(Vec<u16>),
    /// A group.
    Group(u16),
}

impl RowLabels {
    /// Returns whether there are none, because the run has plain requests only.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.groups.is_empty() && self.checks.is_empty()
    }

    /// Returns the shape of a run with these labels.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        Shape { rows: self.rows.len(), groups: self.groups.len(), checks: self.checks.len() }
    }

    /// Names the rows by URL if they have no labels; URLs without a row of their own are left out.
    #[must_use]
    pub fn or_urls(mut self, urls: impl IntoIterator<Item = String>) -> Self {
        if self.rows.is_empty() {
            let named = |name| RowLabel { name, group: None, scenario: None };
            self.rows = urls.into_iter().take(TARGET_ROWS).map(named).collect();
        }
        self
    }

    /// Returns the names that an SLO may use: of rows, groups and scenarios, each once. Rows
    /// and groups beyond the tables have no figures of their own.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let rows = self.rows.iter().take(TARGET_ROWS).map(|row| row.name.as_str());
        let groups = self.groups.iter().take(MAX_GROUPS).map(String::as_str);
        let mut names = Vec::new();
        for name in rows.chain(groups).chain(self.scenarios()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Returns the names of the scenarios, in the order of their rows.
    #[must_use]
    pub fn scenarios(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let rows = self.rows.iter().take(TARGET_ROWS);
        for name in rows.filter_map(|row| row.scenario.as_deref()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Returns the indices of the rows of a scenario.
    pub(crate) fn rows_of(&self, scenario: &str) -> Vec<u16> {
        self.rows_where(|row| row.scenario.as_deref() == Some(scenario))
    }

    fn rows_where(&self, fits: impl Fn(&RowLabel) -> bool) -> Vec<u16> {
        let rows = (0..).zip(&self.rows).take(TARGET_ROWS);
        rows.filter(|(_, row)| fits(row)).map(|(index, _)| index).collect()
    }

    /// Returns whether an SLO may use the name: one of [`Self::names`], or that of a step after its scenario, such as
    /// `buyer: login`.
    #[must_use]
    pub fn has_name(&self, name: &str) -> bool {
        self.scope(name).is_some()
    }

    /// Returns what a name stands for: the rows of that name, otherwise the group, otherwise the scenario.
    pub(crate) fn scope(&self, name: &str) -> Option<Scope> {
        let rows =
            self.rows_where(|row| row.name == name || row.full_name().is_some_and(|full| full == name));
        if !rows.is_empty() {
            return Some(Scope::Rows(rows));
        }
        if let Some(group) = self.groups.iter().take(MAX_GROUPS).position(|group| group == name) {
            return Some(Scope::Group(u16::try_from(group).ok()?));
        }
        Some(self.rows_of(name)).filter(|rows| !rows.is_empty()).map(Scope::Rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, scenario: Option<&str>) -> RowLabel {
        RowLabel { name: name.into(), group: None, scenario: scenario.map(Into::into) }
    }

    fn labels() -> RowLabels {
        RowLabels {
            rows: vec![
                row("login", Some("buyer")),
                row("item", Some("buyer")),
                row("login", Some("visitor")),
                row("plain", None),
            ],
            groups: vec!["checkout".into(), "item".into()],
            checks: Vec::new(),
        }
    }

    #[test]
    fn a_name_stands_for_rows_before_groups_and_scenarios() {
        let labels = labels();
        for (name, expected) in [
            ("login", Some(Scope::Rows(vec![0, 2]))),
            ("item", Some(Scope::Rows(vec![1]))),
            ("checkout", Some(Scope::Group(0))),
            ("buyer", Some(Scope::Rows(vec![0, 1]))),
            ("visitor: login", Some(Scope::Rows(vec![2]))),
            ("nobody", None),
        ] {
            assert_eq!(labels.has_name(name), expected.is_some());
            assert_eq!(labels.scope(name), expected, "{name}");
        }
        assert_eq!(labels.names(), ["login", "item", "plain", "checkout", "buyer", "visitor"]);
        assert_eq!(labels.scenarios(), ["buyer", "visitor"]);
    }

    #[test]
    fn urls_name_rows_without_labels_only() {
        let urls = || (0..100).map(|number| format!("http://a.test/{number}"));
        let plain = RowLabels::default().or_urls(urls());
        assert_eq!((plain.rows.len(), plain.rows[1].name.as_str()), (TARGET_ROWS, "http://a.test/1"));
        assert_eq!(labels().or_urls(urls()), labels());
        assert!(RowLabels::default().is_empty() && !labels().is_empty());
    }
}
