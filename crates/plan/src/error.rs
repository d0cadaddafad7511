use std::fmt;

/// A field of the plan that is wrong: its name, its value, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    /// The field, by its name in the plan's text, such as `stop.calls`. Functions that read what people write take the name
    /// from their caller.
    pub field: String,
    /// Its value.
    pub value: String,
    /// What would be right.
    pub remedy: String,
}

impl PlanError {
    /// An error about `field`, which has `value`, where `remedy` would be right.
    pub fn new(field: impl Into<String>, value: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { field: field.into(), value: value.into(), remedy: remedy.into() }
    }

    /// The same error about a field of a part, named from the whole: `part` and a dot come before the field.
    pub(crate) fn within(self, part: &str) -> Self {
        Self { field: format!("{part}.{}", self.field), ..self }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}`: {}", self.field, self.value, self.remedy)
    }
}

impl std::error::Error for PlanError {}
