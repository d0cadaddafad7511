//! What names in double braces stand for.

use super::text::{Escape, Text, Value};
use crate::seed::{Purpose, Stream, Streams};
use std::sync::Arc;
use warwolf_plan::template::{Template, ValueSource};
use warwolf_plan::{Contents, Plan, Table, Take, VariableValue};

/// The captures, variables and data tables of a plan.
#[derive(Clone, Debug, Default)]
pub struct Names {
    captures: Vec<CaptureSlot>,
    variables: Vec<(String, Text)>,
    tables: Vec<Rows>,
    contents: Arc<Contents>,
}

/// Where the value of a capture is kept in the memory of a session.
#[derive(Clone, Debug)]
struct CaptureSlot {
    name: String,
    max: usize,
}

/// The rows of a data table, and which one a session takes.
#[derive(Clone, Debug)]
struct Rows {
    name: String,
    take: Take,
    table: Arc<Table>,
    stream: Stream,
}

impl Names {
    /// The names of a plan. Those that nothing defines stand for an empty text: no checked plan has any.
    #[must_use]
    pub fn new(plan: &Plan, contents: &Arc<Contents>) -> Self {
        let mut names = Self { contents: Arc::clone(contents), ..Self::default() };
        // Steps that come once are run as a scenario of their own.
        for capture in plan.steps().flat_map(|(_, step)| &step.captures) {
            match names.captures.iter_mut().find(|slot| slot.name == capture.name) {
                Some(slot) => slot.max = slot.max.max(capture.max as usize),
                None => {
                    names.captures.push(CaptureSlot { name: capture.name.clone(), max: capture.max as usize })
                }
            }
        }
        let rows = Streams::new(plan.seed, Purpose::ROWS);
        for (number, (data, table)) in (0..).zip(plan.data.iter().zip(&names.contents.tables)) {
            names.tables.push(Rows {
                name: data.name.clone(),
                take: data.take,
                table: Arc::clone(table),
                stream: rows.stream(number),
            });
        }
        // Variables may name each other in any order, so all names are known before the first text is compiled.
        names.variables =
            plan.variables.iter().map(|variable| (variable.name.clone(), Text::default())).collect();
        for (index, variable) in plan.variables.iter().enumerate() {
            names.variables[index].1 = names.variable_text(&variable.value, (index as u64 + 1) << 32);
        }
        names
    }

    /// `first_draw` keeps what a variable draws apart from what requests and other variables do.
    fn variable_text(&self, value: &VariableValue, first_draw: u64) -> Text {
        let mut draws = first_draw;
        let mut text = Text::default();
        match value {
            VariableValue::Text(value) => {
                let template =
                    Template::parse("variables", value).unwrap_or_else(|_| Template::literal(value));
                return Text::compile(&template, self, Escape::None, false, &mut draws);
            }
            VariableValue::Environment(name) => {
                text.push(self.contents.environment.get(name).map_or(&[], |value| value.as_bytes()));
            }
            VariableValue::File(path) => {
                let content = self.contents.files.get(path).map_or(&[][..], |content| content);
                let content = content.strip_suffix(b"\n").unwrap_or(content);
                text.push(content.strip_suffix(b"\r").unwrap_or(content));
            }
        }
        text
    }

    /// What `source` stands for.
    pub(crate) fn value(&self, source: &ValueSource) -> Value {
        match source {
            ValueSource::Name(name) => self.named(name),
            ValueSource::Column { table, column } => self.column(table, column),
            ValueSource::Int { min, max } => Value::Int { min: *min, max: *max },
            ValueSource::Sequence => Value::Sequence,
            ValueSource::Uuid => Value::Uuid,
            ValueSource::Now(format) => Value::Now(*format),
            ValueSource::Base64(name) => Value::Base64(Box::new(self.named(name))),
            ValueSource::HmacSha256 { key, text } => {
                Value::HmacSha256 { key: Box::new(self.named(key)), text: Box::new(self.named(text)) }
            }
            ValueSource::Environment(name) => {
                let value = self.contents.environment.get(name);
                Value::Constant(value.map_or(&[][..], |value| value.as_bytes()).into())
            }
        }
    }

    /// The value called `name`: a capture, a variable, `table.column`, or a column of any table.
    pub(crate) fn named(&self, name: &str) -> Value {
        if let Some(index) = self.capture(name) {
            return Value::Capture(index);
        }
        if let Some(index) = self.variables.iter().position(|(variable, _)| variable == name) {
            return Value::Variable(index);
        }
        if let Some(captured) = self.contents.captured.get(name) {
            return Value::Constant(captured.as_bytes().into());
        }
        if let Some((table, column)) = name.split_once('.') {
            return self.column(table, column);
        }
        let column = |(table, rows): (usize, &Rows)| {
            rows.table.column(name).map(|column| Value::Cell { table, column })
        };
        self.tables.iter().enumerate().find_map(column).unwrap_or(Value::Constant([].into()))
    }

    fn column(&self, table: &str, column: &str) -> Value {
        let found = self.tables.iter().position(|rows| rows.name == table);
        let found = found.and_then(|table| Some((table, self.tables[table].table.column(column)?)));
        found.map_or(Value::Constant([].into()), |(table, column)| Value::Cell { table, column })
    }

    /// The number of the capture called `name`.
    pub(crate) fn capture(&self, name: &str) -> Option<usize> {
        self.captures.iter().position(|slot| slot.name == name)
    }

    /// How long the value of each capture may be.
    pub(crate) fn capture_sizes(&self) -> impl Iterator<Item = usize> {
        self.captures.iter().map(|slot| slot.max)
    }

    pub(crate) fn variable(&self, index: usize) -> &Text {
        &self.variables[index].1
    }

    /// The cell that session `number` has of a table.
    pub(crate) fn cell(&self, table: usize, column: usize, number: u64) -> &[u8] {
        let Rows { take, table, stream, .. } = &self.tables[table];
        table.cell(row(*take, *stream, table.rows(), number), column)
    }

    /// The files that the plan names, and other contents.
    pub(crate) fn contents(&self) -> &Contents {
        &self.contents
    }
}

/// The row that session `number` takes of `rows`.
fn row(take: Take, stream: Stream, rows: u64, number: u64) -> u64 {
    match take {
        Take::InOrder | Take::Unique => number % rows,
        Take::Random => stream.below(number, rows),
        Take::Shuffled => shuffled(stream.branch(number / rows), rows, number % rows),
    }
}

/// Element `at` of a permutation of `0..count` that `stream` determines, without a table: a Feistel network over the next
/// power of four, walked until the result is in range (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002).
fn shuffled(stream: Stream, count: u64, at: u64) -> u64 {
    let half_bits = (64 - count.saturating_sub(1).leading_zeros()).div_ceil(2).max(1);
    let mask = (1_u64 << half_bits) - 1;
    let mut value = at;
    loop {
        let (mut left, mut right) = (value >> half_bits, value & mask);
        for round in 0..4 {
            let mixed = stream.branch(round).bits(right) & mask;
            (left, right) = (right, left ^ mixed);
        }
        value = left << half_bits | right;
        if value < count {
            return value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream() -> Stream {
        Streams::new(3, Purpose::ROWS).stream(0)
    }

    #[test]
    fn a_shuffle_takes_each_row_once_and_then_in_another_order() {
        for rows in [1, 2, 3, 10, 100, 1_000] {
            let pass = |pass: u64| -> Vec<u64> {
                (0..rows).map(|at| row(Take::Shuffled, stream(), rows, pass * rows + at)).collect()
            };
            for number in 0..3 {
                let mut taken = pass(number);
                taken.sort_unstable();
                assert_eq!(taken, (0..rows).collect::<Vec<_>>(), "pass {number} of {rows}");
            }
            assert!(rows < 10 || (pass(0) != pass(1) && pass(0) != (0..rows).collect::<Vec<_>>()));
        }
    }

    #[test]
    fn rows_are_taken_in_order_or_at_random() {
        let taken = |take| (0..7).map(|number| row(take, stream(), 3, number)).collect::<Vec<_>>();
        assert_eq!(taken(Take::InOrder), [0, 1, 2, 0, 1, 2, 0]);
        assert_eq!(taken(Take::Unique)[..3], [0, 1, 2]);
        let counts = (0..3_000).fold([0; 3], |mut counts, number| {
            counts[row(Take::Random, stream(), 3, number) as usize] += 1;
            counts
        });
        assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
    }
}
