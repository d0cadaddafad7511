//! Conditions on variables, without a reply.

use crate::Values;
use crate::filter::Filter;
use crate::predicate::Test;
use crate::scan::Work;
use crate::value::{Kind, Value};
use warwolf_plan::PlanError;
use warwolf_plan::query::{Check, Query};

/// A check about a variable, compiled: the `when` of a step.
#[derive(Debug)]
pub struct Condition {
    name: String,
    filters: Vec<Filter>,
    is_negated: bool,
    test: Test,
}

/// Memory for evaluating conditions. It grows to the longest value.
#[derive(Debug, Default)]
pub struct ConditionMemory {
    value: Vec<u8>,
    expected: Vec<u8>,
    work: Work,
}

impl Condition {
    /// Compiles a check.
    ///
    /// # Errors
    /// It is about something else than a variable, or a path, regular expression or text in it is wrong: an error about the
    /// field `when`.
    pub fn new(check: &Check) -> Result<Self, PlanError> {
        let wrong = |remedy: String| PlanError::new("when", check.to_string(), remedy);
        let Query::Variable(name) = &check.query else {
            return Err(wrong(
                "use a condition on a variable or a capture, such as {{token}} exists".to_owned(),
            ));
        };
        let filters = check.filters.iter().map(Filter::new).collect::<Result<Vec<_>, _>>().map_err(wrong)?;
        let test = Test::new(&check.query, !filters.is_empty(), &check.predicate).map_err(wrong)?;
        Ok(Self { name: name.clone(), filters, is_negated: check.is_negated, test })
    }

    /// Whether it holds.
    pub fn holds(&self, values: &dyn Values, memory: &mut ConditionMemory) -> bool {
        memory.value.clear();
        let is_there = values.variable(&self.name, &mut memory.value);
        let value = is_there.then(|| Value::new(Kind::Loose, &memory.value));
        let value = match value {
            Some(value) => memory.work.filter(&self.filters, value),
            None => Ok(None),
        };
        value.is_ok_and(|value| {
            let result = self.test.holds(value, values, &mut memory.expected);
            result.is_ok_and(|holds| holds != self.is_negated)
        })
    }
}
