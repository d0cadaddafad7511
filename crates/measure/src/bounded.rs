//! Reads lists in run files, with limits: a list of a million empty texts takes one byte each in the file and 24 in memory.

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// Maximum number of targets. Each is a URL of the plan.
const TARGETS_MAX: usize = 4 << 20;
/// Maximum number of hosts, shards, workers of a host, and words of a command.
const OTHERS_MAX: usize = 65_536;

/// Reads a list of targets.
pub(crate) fn targets<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    deserializer.deserialize_seq(Bounded { max: TARGETS_MAX, of: PhantomData })
}

/// Reads any other list.
pub(crate) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_seq(Bounded { max: OTHERS_MAX, of: PhantomData })
}

struct Bounded<T> {
    max: usize,
    of: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Bounded<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {} elements", self.max)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            if list.len() == self.max {
                return Err(A::Error::invalid_length(self.max + 1, &self));
            }
            list.push(element);
        }
        Ok(list)
    }
}
