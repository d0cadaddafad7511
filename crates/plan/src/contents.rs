//! What a plan names and others read for it: data files, secrets, files that are sent as parts of forms.

use crate::query::Query;
use crate::secrets::MASK;
use crate::template::{Template, ValueSource, is_template};
use crate::{
    Body, CheckedPlan, DataTable, Part, PartContent, Plan, PlanError, Schedule, Shapes, Table, Take,
    VariableValue, nearest,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Shorter secrets are not looked for in texts, which contain them by chance.
const SECRET_MIN: usize = 3;

/// The contents of what a plan names. Not a part of its text, so no secret is written with it.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// The variables of the environment that the plan names.
    pub environment: BTreeMap<String, String>,
    /// The files of secrets and of parts of forms.
    pub files: BTreeMap<PathBuf, Arc<[u8]>>,
    /// The data tables, in the order of [`Plan::data`].
    pub tables: Vec<Arc<Table>>,
    /// What the steps that come once before the run have captured, by name.
    pub captured: BTreeMap<String, String>,
    /// When the run begins, from 1970 in UTC; the origin of `{{now}}`.
    pub began: Duration,
}

/// What a plan needs to be read before it can run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Variables of the environment.
    pub environment: BTreeSet<String>,
    /// Files of secrets and of parts of forms.
    pub files: BTreeSet<PathBuf>,
    /// Data files.
    pub data: Vec<DataTable>,
}

impl Needs {
    /// Whether nothing is needed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.environment.is_empty() && self.files.is_empty() && self.data.is_empty()
    }
}

impl Plan {
    /// What has to be read before the plan can run.
    #[must_use]
    pub fn needs(&self) -> Needs {
        let mut needs = Needs { data: self.data.clone(), ..Needs::default() };
        for variable in &self.variables {
            match &variable.value {
                VariableValue::Environment(name) => {
                    needs.environment.insert(name.clone());
                }
                VariableValue::File(path) => {
                    needs.files.insert(path.clone());
                }
                VariableValue::Text(_) => {}
            }
        }
        for request in self.all_requests() {
            if let Body::Multipart(parts) = &request.body {
                needs.files.extend(parts.iter().filter_map(file_of));
            }
        }
        self.each_value(&mut |_, value| {
            if let ValueSource::Environment(name) = value {
                needs.environment.insert(name.clone());
            }
        });
        needs
    }

    /// Makes the relative paths of files start in `folder`: data files, secrets, and bodies.
    pub fn find_files_in(&mut self, folder: &Path) {
        let locate = |path: &mut PathBuf| *path = folder.join(&*path);
        self.data.iter_mut().for_each(|data| locate(&mut data.file));
        for variable in &mut self.variables {
            if let VariableValue::File(path) = &mut variable.value {
                locate(path);
            }
        }
        Shapes::change(&mut self.requests, |shape| match &mut shape.body {
            Body::File(path) => locate(path),
            Body::Multipart(parts) => {
                for part in parts {
                    if let PartContent::File(path) = &mut part.content {
                        locate(path);
                    }
                }
            }
            _ => {}
        });
    }

    /// The names of captures and variables.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let steps = self.setup.iter().chain(&self.teardown);
        let steps = steps.chain(self.scenarios.iter().flat_map(crate::Scenario::all_steps));
        let captures = steps.flat_map(|step| &step.captures).map(|capture| capture.name.as_str());
        self.variables.iter().map(|variable| variable.name.as_str()).chain(captures)
    }

    /// Calls `see` with each value in double braces of the plan, and the name of the field that it is in.
    pub(crate) fn each_value(&self, see: &mut dyn FnMut(&str, &ValueSource)) {
        let mut text = |field: &str, text: &str| {
            if is_template(text)
                && let Ok(template) = Template::parse(field, text)
            {
                template.values().for_each(|value| see(field, value));
            }
        };
        for variable in &self.variables {
            if let VariableValue::Text(value) = &variable.value {
                text(&format!("variables.{}", variable.name), value);
            }
        }
        for request in self.all_requests().filter(|request| request.is_template) {
            request.each_text(&mut text);
        }
        let steps = self.setup.iter().chain(&self.teardown);
        for step in steps.chain(self.scenarios.iter().flat_map(crate::Scenario::all_steps)) {
            let conditions = step.when.iter().chain(step.again.iter().flat_map(|again| &again.condition));
            for check in step.checks.iter().chain(conditions) {
                check.each_text(&mut |value| text(&format!("step.{}", step.name), value));
                if let Query::Variable(name) = &check.query
                    && let Some(value) = ValueSource::named(name)
                {
                    see_variable(&mut text, &value);
                }
            }
        }
    }
}

fn see_variable(text: &mut dyn FnMut(&str, &str), value: &ValueSource) {
    text("check", &format!("{{{{{value}}}}}"));
}

fn file_of(part: &Part) -> Option<PathBuf> {
    match &part.content {
        PartContent::File(path) => Some(path.clone()),
        PartContent::Text(_) => None,
    }
}

impl CheckedPlan {
    /// The same plan with the contents of what it names.
    ///
    /// # Errors
    /// When something it names is not among them, a column does not exist, or a table has no row for the first session.
    pub fn with_contents(mut self, contents: Contents) -> Result<Self, PlanError> {
        let needs = self.needs();
        for name in &needs.environment {
            if !contents.environment.contains_key(name) {
                return Err(PlanError::new("environment", name, "set this variable before the run"));
            }
        }
        for path in &needs.files {
            if !contents.files.contains_key(path) {
                return Err(PlanError::new("file", path.display().to_string(), "the file was not read"));
            }
        }
        self.check_columns(&contents)?;
        // Each session takes a row of its own, so as many sessions may begin as there are rows.
        let unique =
            |(data, table): (&DataTable, &Arc<Table>)| (data.take == Take::Unique).then(|| table.rows());
        let rows = self.data.iter().zip(&contents.tables).filter_map(unique).min();
        if let Some(rows) = rows {
            if matches!(self.schedule, Schedule::Closed { .. }) {
                let remedy = "use sessions that follow each other: a user of a closed loop has one row for the whole run";
                return Err(PlanError::new("data.take", "unique", remedy));
            }
            self.plan.stop.calls = Some(self.stop.calls.unwrap_or(u64::MAX).min(rows));
        }
        self.contents = Arc::new(contents);
        Ok(self)
    }

    /// The same plan, with what the steps that come once before the run have captured.
    #[must_use]
    pub fn with_captured(mut self, captured: BTreeMap<String, String>) -> Self {
        self.contents = Arc::new(Contents { captured, ..Contents::clone(&self.contents) });
        self
    }

    /// Replaces the values of secrets in `text`: of variables of the environment, of the files of variables, and of what was
    /// captured before the run.
    #[must_use]
    pub fn hide_secrets(&self, text: &str) -> String {
        let files = self.variables.iter().filter_map(|variable| match &variable.value {
            VariableValue::File(path) => self.contents.files.get(path),
            _ => None,
        });
        let files = files.filter_map(|content| std::str::from_utf8(content).ok()).map(str::trim_end);
        let captured = self.contents.captured.values();
        let all = self.contents.environment.values().chain(captured).map(String::as_str).chain(files);
        let mut hidden = text.to_owned();
        for secret in all.filter(|secret| secret.len() >= SECRET_MIN) {
            hidden = hidden.replace(secret, MASK);
        }
        hidden
    }

    fn check_columns(&self, contents: &Contents) -> Result<(), PlanError> {
        if contents.tables.len() != self.data.len() {
            return Err(PlanError::new(
                "data",
                contents.tables.len().to_string(),
                "the data files were not read",
            ));
        }
        let mut wrong = None;
        let known: Vec<&str> = self.names().collect();
        let is_unknown = |name: &str| {
            !known.contains(&name) && !contents.tables.iter().any(|table| table.column(name).is_some())
        };
        self.each_value(&mut |field, value| {
            if let ValueSource::Name(name) = value
                && is_unknown(name)
                && wrong.is_none()
            {
                let columns = contents.tables.iter().flat_map(|table| table.columns()).map(String::as_str);
                let remedy = match nearest(name, known.iter().copied().chain(columns)) {
                    Some(nearest) => format!("nothing has this name; did you mean {{{{{nearest}}}}}?"),
                    None => "nothing has this name: add a capture, a variable or a data file".to_owned(),
                };
                wrong = Some(PlanError::new(field, format!("{{{{{name}}}}}"), remedy));
            }
            let mut see = |table: &str, column: &str| {
                let found = self.data.iter().position(|data| data.name == table);
                let Some(found) = found.and_then(|index| contents.tables.get(index)) else { return };
                if found.column(column).is_none() && wrong.is_none() {
                    let columns = found.columns().iter().map(String::as_str);
                    let remedy = match nearest(column, columns.clone()) {
                        Some(nearest) => format!("did you mean {{{{{table}.{nearest}}}}}?"),
                        None => format!("its columns are {}", columns.collect::<Vec<_>>().join(", ")),
                    };
                    wrong = Some(PlanError::new(field, format!("{{{{{table}.{column}}}}}"), remedy));
                }
            };
            match value {
                ValueSource::Column { table, column } => see(table, column),
                ValueSource::Base64(name) => column_of(name).into_iter().for_each(|(t, c)| see(t, c)),
                ValueSource::HmacSha256 { key, text } => {
                    column_of(key).into_iter().chain(column_of(text)).for_each(|(t, c)| see(t, c));
                }
                _ => {}
            }
        });
        wrong.map_or(Ok(()), Err)
    }
}

fn column_of(name: &str) -> Option<(&str, &str)> {
    name.split_once('.')
}
