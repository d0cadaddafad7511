//! JSON paths (RFC 9535).

mod parse;

use crate::pattern::Pattern;

/// A path from the root of a document.
#[derive(Debug)]
pub(crate) struct Path {
    pub(crate) segments: Vec<Segment>,
}

#[derive(Debug)]
pub(crate) struct Segment {
    /// `..`: of the node and of all nodes below it.
    pub(crate) is_descendant: bool,
    pub(crate) selectors: Vec<Selector>,
}

#[derive(Debug)]
pub(crate) enum Selector {
    Name(Vec<u8>),
    Index(i64),
    Wildcard,
    Slice { start: Option<i64>, end: Option<i64>, step: i64 },
    Filter(Condition),
}

/// What is in `[?…]`.
#[derive(Debug)]
pub(crate) enum Condition {
    Any(Vec<Self>),
    All(Vec<Self>),
    Not(Box<Self>),
    Exists(Query),
    Compare(Operand, Operator, Operand),
    /// `match(…)` and `search(…)`.
    Matches(Operand, Pattern),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

#[derive(Debug)]
pub(crate) enum Operand {
    /// A JSON text.
    Literal(Vec<u8>),
    /// A node, if the query finds exactly one; also `value(…)`.
    Node(Query),
    /// `count(…)`
    Count(Query),
    /// `length(…)`
    Length(Box<Self>),
}

/// A path in a condition.
#[derive(Debug)]
pub(crate) struct Query {
    /// From `@` instead of `$`.
    pub(crate) is_relative: bool,
    pub(crate) segments: Vec<Segment>,
}

/// A part of a path that is followed while the document streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The member of an object.
    Name(Vec<u8>),
    /// The element of a list.
    Index(u64),
    /// Every element of a list and every member of an object.
    Wildcard,
    /// Every element of a list.
    Element,
}

impl Path {
    /// Whether it finds at most one node, whatever the document.
    pub(crate) fn is_single(&self) -> bool {
        is_single(&self.segments)
    }

    /// The steps to follow, if the path needs no more than the nodes above a node to tell whether it finds it.
    pub(crate) fn steps(&self) -> Option<Vec<Step>> {
        let step = |segment: &Segment| match &segment.selectors[..] {
            _ if segment.is_descendant => None,
            [Selector::Name(name)] => Some(Step::Name(name.clone())),
            [Selector::Index(index)] => u64::try_from(*index).ok().map(Step::Index),
            [Selector::Wildcard] => Some(Step::Wildcard),
            _ => None,
        };
        self.segments.iter().map(step).collect()
    }
}

pub(crate) fn is_single(segments: &[Segment]) -> bool {
    segments.iter().all(|segment| {
        !segment.is_descendant && matches!(&segment.selectors[..], [Selector::Name(_) | Selector::Index(_)])
    })
}
