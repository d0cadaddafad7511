use std::fmt;

/// A field of the plan that is wrong: its name, its value, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    /// The field, by its name in the plan's text, such as `load.users`. Functions that read what people write take the name
    /// from their caller.
    pub field: String,
    /// Its value; empty where it has none.
    pub value: String,
    /// What would be right.
    pub remedy: String,
    /// Where it stands in the text; none unless a text was read.
    pub position: Option<Position>,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Character of the line, from 1.
    pub column: usize,
}

impl PlanError {
    /// An error about `field`, which has `value`, where `remedy` would be right.
    pub fn new(field: impl Into<String>, value: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { field: field.into(), value: value.into(), remedy: remedy.into(), position: None }
    }

    /// The same error about a field of a part, named from the whole: `part` and a dot come before the field.
    pub(crate) fn within(self, part: &str) -> Self {
        Self { field: format!("{part}.{}", self.field), ..self }
    }

    /// The error in a file, with line and column as compilers print them: `plan.toml:12:1: step.login: …`.
    #[must_use]
    pub fn in_file(&self, file: impl fmt::Display) -> String {
        match self.position {
            Some(_) => format!("{file}:{self}"),
            None => format!("{file}: {self}"),
        }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { line, column }) = self.position {
            write!(f, "{line}:{column}: ")?;
        }
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        if !self.value.is_empty() {
            write!(f, "`{}`: ", self.value)?;
        }
        f.write_str(&self.remedy)
    }
}

impl std::error::Error for PlanError {}
