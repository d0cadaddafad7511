use std::fmt;

/// A field of the plan that is wrong: which, what it says, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    /// The field, by its name in the plan's text.
    pub field: String,
    /// What it says.
    pub value: String,
    /// What would be right.
    pub remedy: String,
}

impl PlanError {
    /// An error about `field`, which says `value`, where `remedy` would be right.
    pub fn new(field: impl Into<String>, value: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { field: field.into(), value: value.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}`: {}", self.field, self.value, self.remedy)
    }
}

impl std::error::Error for PlanError {}
