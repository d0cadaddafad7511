//! Evaluates the captures and checks of a step over one reply as it streams.
//!
//! A [`Scanner`] is compiled once from the [captures](Capture) and [checks](Check) of a step. A [`Scan`] is the memory for one
//! reply at a time: status, header fields and pieces of the body go in as they arrive, and the values of the captures and the
//! results of the checks come out at the end. It is used again for other replies.
//!
//! # Memory
//! A scan does not keep the body. It keeps the values that it looks for, each in memory of fixed size, so that a reply of any
//! length takes the same memory. These are evaluated while the body streams:
//! - JSON paths of names, indices and wildcards, also with `count`, `nth`, `first` and `last` right after them;
//! - `body` and `bytes` with any predicate but an order, `in`, or a comparison with a number, `true`, `false` or `null`;
//! - the first match of a regular expression and its first group, if they have at most 16 KiB;
//! - digests and sizes.
//!
//! Everything else keeps the body in a buffer of [`Scanner::buffered`] bytes: other JSON paths (`..`, slices, conditions, negative
//! indices), `body` with filters, and regular expressions whose automaton would be too large. A longer body is a failure that
//! names both lengths.
//!
//! Nothing is allocated after construction, with these exceptions: the first compressed body of a scan (its decoder is kept),
//! values that outgrow memory for filters and for texts with `{{…}}` (which is kept too), conditions in JSON paths with
//! functions, and regular expressions that are large or applied by filters.
//!
//! # Kinds
//! Values of JSON have the kind that they have there: `json $.n == "3"` does not hold for the number 3. Values of header fields,
//! cookies, variables and the body are texts without a known kind: they equal the number that they spell. The same goes for
//! expected texts with `{{…}}`, so that `json $.id == {{id}}` holds for a number and for a text.
//!
//! A predicate that cannot be applied to a value (`contains` on a number) does not hold, and neither does its opposite. A value
//! that is missing satisfies no predicate, and the opposite of each.
//!
//! # JSON
//! The whole body is checked as RFC 8259 has it, in UTF-8, with at most 128 lists and objects in each other. Of members with the
//! same name the last counts. Numbers are captured as they are written, lists and objects as they stand. A path that may find several
//! values (`[*]`, `..`, slices, conditions, several selectors) has a list as its value, also if it finds none; a capture of such
//! a list with one element is that element.
#![forbid(unsafe_code)]

mod condition;
mod filter;
mod find;
mod inflate;
mod json;
mod path;
mod pattern;
mod predicate;
mod scan;
mod scanner;
mod select;
#[cfg(test)]
mod tests;
mod value;
mod watch;

pub use condition::{Condition, ConditionMemory};
pub use scan::Scan;
pub use scanner::Scanner;

use std::time::Duration;
use warwolf_plan::template::Template;

#[cfg(doc)]
use warwolf_plan::query::{Capture, Check};

/// Supplies the values of texts with `{{…}}` and of `variable` queries.
pub trait Values {
    /// Appends a text with its values filled in; false if a value is missing.
    fn write(&self, template: &Template, out: &mut Vec<u8>) -> bool;

    /// Appends the value of a variable or capture; false if it has none.
    fn variable(&self, name: &str, out: &mut Vec<u8>) -> bool;
}

/// What is known when a reply is whole.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    /// From the request to the end of the reply.
    pub latency: Duration,
    /// The URL of the reply's request.
    pub url: &'a str,
    /// The length of the body as it was sent, without transfer coding.
    pub body_bytes: u64,
}

/// What a capture has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// Nothing.
    Missing,
    /// A value, as text that `{{…}}` inserts.
    Value(&'a [u8]),
    /// A value of more bytes than there is room for.
    TooLong {
        /// Its length in bytes.
        length: u64,
        /// The room in bytes.
        max: u32,
    },
    /// Something that the query or a filter cannot read, such as a body that is not JSON.
    Unreadable(&'static str),
}
