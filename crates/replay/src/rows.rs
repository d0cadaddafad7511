//! The rows of the table of targets: one for each of the most frequent paths.

use crate::Call;
use std::collections::HashMap;
use warwolf_measure::{OTHER_TARGETS, TARGET_ROWS};

/// Rows by their names, in the order in which they were given.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    rows: HashMap<String, u32>,
}

impl Rows {
    /// Gives the rows that are left to the most frequent paths of these requests.
    pub(crate) fn note(&mut self, calls: &[Call]) {
        if self.rows.len() >= TARGET_ROWS {
            return;
        }
        let mut times: HashMap<String, u64> = HashMap::new();
        for call in calls {
            *times.entry(name(call)).or_default() += 1;
        }
        let mut names: Vec<(String, u64)> =
            times.into_iter().filter(|(name, _)| !self.rows.contains_key(name)).collect();
        names.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        for (name, _) in names.into_iter().take(TARGET_ROWS - self.rows.len()) {
            let row = self.rows.len() as u32;
            self.rows.insert(name, row);
        }
    }

    /// The row of a request.
    pub(crate) fn row_of(&self, call: &Call) -> u32 {
        self.rows.get(&name(call)).copied().unwrap_or_else(|| OTHER_TARGETS.into())
    }

    /// The names of the rows, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<(&String, &u32)> = self.rows.iter().collect();
        names.sort_unstable_by_key(|(_, row)| **row);
        names.into_iter().map(|(name, _)| name.clone()).collect()
    }
}

/// Server and path. Queries differ from request to request, and may contain secrets.
fn name(call: &Call) -> String {
    let path = call.path.split('?').next().unwrap_or_default();
    format!("{}{path}", call.endpoint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_plan::Request;

    fn call(path: &str) -> Call {
        let request = Request::get("http://a.test/").unwrap();
        Call {
            at_ns: 0,
            whole_second: false,
            method: "GET".to_owned(),
            path: path.to_owned(),
            endpoint: request.endpoint.clone(),
            headers: Vec::new(),
            body: Vec::new(),
            is_from_log: false,
        }
    }

    #[test]
    fn the_most_frequent_paths_have_rows_and_queries_are_left_out() {
        let mut calls: Vec<Call> = (0..100).map(|number| call(&format!("/rare/{number:02}"))).collect();
        calls.extend((0..9).map(|number| call(&format!("/often?token={number}"))));
        let mut rows = Rows::default();
        rows.note(&calls);
        rows.note(&[call("/later")]);
        let names = rows.names();
        assert_eq!(
            (names.len(), names[0].as_str(), names[1].as_str()),
            (64, "http://a.test/often", "http://a.test/rare/00")
        );
        assert_eq!([rows.row_of(&call("/often?x")), rows.row_of(&call("/later"))], [0, OTHER_TARGETS.into()]);
    }
}
