//! The document: references, and notes about what examples could not follow.

use crate::encode;
use crate::error::Place;
use crate::recorded::Recording;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// References to references at the most.
const REFERENCES_MAX: usize = 32;
/// Values that the examples of a whole document are built of at the most: schemas that name each other multiply.
const VALUES_MAX: usize = 200_000;

/// A document with references.
pub(super) struct Document<'v> {
    pub(super) root: &'v Value,
    /// References that were not followed.
    unresolved: RefCell<BTreeSet<String>>,
    /// Patterns that built texts need not match.
    patterns: RefCell<BTreeSet<String>>,
    built: Cell<usize>,
}

impl<'v> Document<'v> {
    pub(super) fn new(root: &'v Value) -> Self {
        Self { root, unresolved: RefCell::default(), patterns: RefCell::default(), built: Cell::new(0) }
    }

    /// The value that a reference leads to, or the value itself. A reference that leads nowhere yields `null`.
    pub(super) fn resolved(&self, value: &'v Value) -> &'v Value {
        let mut value = value;
        for _ in 0..REFERENCES_MAX {
            let Some(reference) = reference(value) else { return value };
            match self.target(reference) {
                Some(target) => value = target,
                None => {
                    self.unresolved.borrow_mut().insert(reference.to_owned());
                    return &Value::Null;
                }
            }
        }
        &Value::Null
    }

    fn target(&self, reference: &str) -> Option<&'v Value> {
        let pointer = encode::decoded(reference.strip_prefix('#')?);
        self.root.pointer(&pointer)
    }

    /// The value that a reference leads to, references in turn included; `None` and a note if it leads nowhere.
    pub(super) fn target_of(&self, reference: &str) -> Option<&'v Value> {
        let target = self.target(reference);
        if target.is_none() {
            self.unresolved.borrow_mut().insert(reference.to_owned());
        }
        target
    }

    /// A value of another lifetime than that of the document, or what its reference leads to.
    pub(super) fn resolve<'s>(&'s self, value: &'s Value) -> &'s Value {
        reference(value).and_then(|reference| self.target(reference)).unwrap_or(value)
    }

    /// Counts a value that is built; false when there are too many.
    pub(super) fn count(&self) -> bool {
        self.built.set(self.built.get() + 1);
        self.built.get() <= VALUES_MAX
    }

    /// Notes that a text is built without regard to a pattern.
    pub(super) fn note_pattern(&self, pattern: &str) {
        if self.patterns.borrow().len() < 20 {
            self.patterns.borrow_mut().insert(pattern.chars().take(60).collect());
        }
    }

    /// Adds the notes to those of the import.
    pub(super) fn note(&self, recording: &mut Recording) {
        for reference in self.unresolved.borrow().iter().take(100) {
            recording.drop(
                Place::Value(reference.clone()),
                "the reference",
                "it leads to nothing in this document",
            );
        }
        for pattern in self.patterns.borrow().iter() {
            let what = format!("the pattern `{pattern}`");
            recording.drop(
                Place::Whole,
                what,
                "texts are built without regard to patterns; write an example",
            );
        }
        if self.built.get() > VALUES_MAX {
            recording.drop(Place::Whole, "parts of examples", "their schemas are too large");
        }
    }
}

/// The text of a reference.
pub(super) fn reference(value: &Value) -> Option<&str> {
    value.get("$ref").and_then(Value::as_str)
}
