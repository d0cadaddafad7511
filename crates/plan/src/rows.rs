//! The rows of reports: which requests are counted together, and under which name.

use crate::{Plan, PlanError, Request};
use std::collections::{BTreeSet, HashMap};
use std::fmt;

/// A name for the requests whose path matches a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// A path in which `*` stands for any text, such as `/item/*`. The query of a request is part of what it is compared with.
    pub pattern: String,
    /// The name of the row.
    pub name: String,
}

/// A row of a report.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// A label, the name of a step, or a URL.
    pub name: String,
    /// The group of the step.
    pub group: Option<String>,
    /// The scenario of the step, if the plan has several.
    pub scenario: Option<String>,
}

/// The rows of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The rows in order.
    pub rows: Vec<Row>,
    /// For each request of the plan, its row.
    pub of_requests: Vec<u32>,
    /// For each step, that of its first request.
    pub of_steps: Vec<u32>,
}

impl Label {
    /// Reads `PATTERN=NAME`.
    ///
    /// # Errors
    /// When there is no name or no pattern.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let parts = text.rsplit_once('=').map(|(pattern, name)| (pattern.trim(), name.trim()));
        match parts.filter(|(pattern, name)| pattern.starts_with(['/', '*']) && !name.is_empty()) {
            Some((pattern, name)) => Ok(Self { pattern: pattern.to_owned(), name: name.to_owned() }),
            None => Err(PlanError::new("label", text, "use a path and a name, such as /item/*=item")),
        }
    }

    /// Whether the path of a request matches the pattern.
    fn matches(&self, request: &Request) -> bool {
        let mut rest = &*request.path;
        let mut parts = self.pattern.split('*');
        let Some(after) = rest.strip_prefix(parts.next().unwrap_or_default()) else { return false };
        rest = after;
        let Some(last) = parts.next_back() else { return rest.is_empty() };
        for part in parts {
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
        rest.ends_with(last)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.pattern, self.name)
    }
}

impl Plan {
    /// The rows that requests are counted in: those of labels, of steps, or of the requests themselves.
    #[must_use]
    pub fn rows(&self) -> Rows {
        let own = |index: usize| Row { name: self.requests[index].url(), group: None, scenario: None };
        let mut numbers = HashMap::new();
        let mut rows = Rows { of_requests: (0..self.requests.len() as u32).collect(), ..Rows::default() };
        if self.scenarios.is_empty() && self.labels.is_empty() {
            rows.rows = (0..self.requests.len()).map(own).collect();
            return rows;
        }
        let mut left: BTreeSet<usize> = (0..self.requests.len()).collect();
        for (scenario, step) in self.steps() {
            let scenario = (self.scenarios.len() > 1).then(|| scenario.name.clone());
            let row = Row { name: step.name.clone(), group: step.group.clone(), scenario };
            let first = step.request.0 as usize;
            for index in first..(first + step.choices as usize).min(self.requests.len()) {
                left.remove(&index);
                rows.of_requests[index] = rows.number(&mut numbers, self.labelled(index, row.clone()));
            }
            rows.of_steps.push(rows.of_requests.get(first).copied().unwrap_or_default());
        }
        // What comes once, before or after the run, is not counted with it.
        for step in self.setup.iter().chain(&self.teardown) {
            let first = step.request.0;
            left.retain(|index| !(first..first + step.choices).contains(&(*index as u32)));
        }
        for index in left {
            rows.of_requests[index] = rows.number(&mut numbers, self.labelled(index, own(index)));
        }
        rows
    }

    /// The row of a request that is in `row` unless it has a label.
    fn labelled(&self, index: usize, row: Row) -> Row {
        match self.labels.iter().find(|label| label.matches(&self.requests[index])) {
            Some(label) => Row { name: label.name.clone(), ..row },
            None => row,
        }
    }
}

impl Rows {
    /// The number of a row, which is added unless it is known.
    fn number(&mut self, numbers: &mut HashMap<Row, u32>, row: Row) -> u32 {
        let next = self.rows.len() as u32;
        *numbers.entry(row).or_insert_with_key(|row| {
            self.rows.push(row.clone());
            next
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RequestId, Scenario, Step};

    fn plan(paths: &[&str]) -> Plan {
        Plan::new(paths.iter().map(|path| Request::get(&format!("http://a.test{path}")).unwrap()).collect())
    }

    fn names(rows: &Rows) -> Vec<&str> {
        rows.of_requests.iter().map(|row| rows.rows[*row as usize].name.as_str()).collect()
    }

    #[test]
    fn requests_are_counted_by_url_label_or_step() {
        let mut plan = plan(&["/item/1", "/item/2?q=1", "/other", "/cart"]);
        let urls: Vec<String> = plan.requests.iter().map(Request::url).collect();
        assert_eq!(names(&plan.rows()), urls);
        plan.labels = vec![Label::parse("/item/*=item").unwrap()];
        assert_eq!(names(&plan.rows()), ["item", "item", &urls[2], &urls[3]]);
        let list = Step { choices: 3, ..Step::new("list", RequestId(0)) };
        plan.scenarios = vec![Scenario::new("s", vec![list, Step::new("buy", RequestId(3))])];
        let rows = plan.rows();
        assert_eq!((names(&rows), &rows.of_steps[..]), (vec!["item", "item", "list", "buy"], &[0, 2][..]));
    }

    #[test]
    fn a_pattern_matches_whole_paths() {
        let matches = |pattern: &str, path: &str| {
            let label = Label::parse(&format!("{pattern}=x")).unwrap();
            label.matches(&plan(&[path]).requests[0])
        };
        for (pattern, path, expected) in [
            ("/a", "/a", true),
            ("/a", "/ab", false),
            ("/a*", "/ab", true),
            ("*b", "/ab", true),
            ("/a/*/c", "/a/b/c", true),
            ("/a/*/c", "/a/c", false),
            ("/*/*/x*", "/1/2/x?y=3", true),
            ("*", "/", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
        assert!(
            Label::parse("item").is_err() && Label::parse("/a=").is_err() && Label::parse("a=b").is_err()
        );
    }
}
