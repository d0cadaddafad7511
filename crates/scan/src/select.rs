//! JSON texts that are kept whole: their parts, and what a path finds in them.
//!
//! All functions expect a text that [`json::is_valid`](crate::json::is_valid) accepts. They return parts of it as they stand.

use crate::json::Unescape;
use crate::path::{Condition, Operand, Operator, Query, Segment, Selector};
use crate::value::{Kind, Number, Value, kind_of};
use std::borrow::Cow;
use std::cmp::Ordering;

/// The elements of a list, or nothing for another text.
pub(crate) fn elements(text: &[u8]) -> Parts<'_> {
    let is_list = text.first() == Some(&b'[');
    Parts { text: if is_list { text } else { b"" }, at: 1 }
}

/// The names, as JSON strings, and values of an object, or nothing for another text.
pub(crate) fn members(text: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let is_object = text.first() == Some(&b'{');
    let mut parts = Parts { text: if is_object { text } else { b"" }, at: 1 };
    std::iter::from_fn(move || Some((parts.next()?, parts.next()?)))
}

/// The elements of a list and the values of an object.
fn children(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    elements(text).chain(members(text).map(|(_, value)| value))
}

/// The values between the separators of a list or an object.
pub(crate) struct Parts<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let is_gap = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b':');
        while self.text.get(self.at).is_some_and(is_gap) {
            self.at += 1;
        }
        let start = self.at;
        if matches!(self.text.get(start)?, b']' | b'}') {
            return None;
        }
        self.at = value_end(self.text, start);
        Some(&self.text[start..self.at])
    }
}

/// Where the value ends that begins at `at`.
fn value_end(text: &[u8], mut at: usize) -> usize {
    let mut depth = 0;
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            b'"' => {
                at = string_end(text, at);
                if depth == 0 {
                    return at;
                }
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ if depth == 0 => {
                let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r');
                let length = text[at..].iter().position(ends);
                return length.map_or(text.len(), |length| at + length);
            }
            _ => {}
        }
    }
    text.len()
}

/// After the quote that ends the string.
fn string_end(text: &[u8], mut at: usize) -> usize {
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// The letters of a JSON string, without escapes.
fn letters(string: &[u8]) -> Unescape<'_> {
    Unescape::new(&string[1..string.len() - 1])
}

/// Gives the value of a JSON text to `with`. It allocates for a string with escapes.
pub(crate) fn with_value(text: &[u8], with: impl FnOnce(Value<'_>)) {
    let kind = kind_of(text);
    if kind != Kind::Text {
        return with(Value::new(kind, text));
    }
    let inside = &text[1..text.len() - 1];
    if memchr::memchr(b'\\', inside).is_none() {
        return with(Value::new(kind, inside));
    }
    let unescaped: Vec<u8> = Unescape::new(inside).collect();
    with(Value::new(kind, &unescaped));
}

/// Whether two JSON texts have the same value. The order of members does not matter, the last of members with the same name
/// counts.
pub(crate) fn is_same(one: &[u8], other: &[u8]) -> bool {
    let kind = kind_of(one);
    if kind != kind_of(other) {
        return false;
    }
    match kind {
        Kind::Text => letters(one).eq(letters(other)),
        Kind::Number => Value::new(kind, one).equals(Value::new(kind, other)),
        Kind::List => {
            let mut others = elements(other);
            elements(one).all(|element| others.next().is_some_and(|other| is_same(element, other)))
                && others.next().is_none()
        }
        Kind::Object => {
            let has_all = |object: &[u8], of: &[u8]| {
                members(of).all(|(name, _)| {
                    let (found, wanted) = (member(object, letters(name)), member(of, letters(name)));
                    found.zip(wanted).is_some_and(|(found, wanted)| is_same(found, wanted))
                })
            };
            has_all(one, other) && has_all(other, one)
        }
        _ => one == other,
    }
}

/// The member called `name`, the last if there are several.
fn member(object: &[u8], name: impl Iterator<Item = u8> + Clone) -> Option<&[u8]> {
    members(object).filter(|(other, _)| letters(other).eq(name.clone())).last().map(|(_, value)| value)
}

/// Gives each node that the segments find below `node` to `found`.
pub(crate) fn select<'a>(
    root: &'a [u8],
    node: &'a [u8],
    segments: &[Segment],
    found: &mut dyn FnMut(&'a [u8]),
) {
    let Some((segment, rest)) = segments.split_first() else { return found(node) };
    apply(root, node, segment, rest, found);
    if segment.is_descendant {
        descend(root, node, segment, rest, found);
    }
}

fn descend<'a>(
    root: &'a [u8],
    node: &'a [u8],
    segment: &Segment,
    rest: &[Segment],
    found: &mut dyn FnMut(&'a [u8]),
) {
    for child in children(node) {
        apply(root, child, segment, rest, found);
        descend(root, child, segment, rest, found);
    }
}

fn apply<'a>(
    root: &'a [u8],
    node: &'a [u8],
    segment: &Segment,
    rest: &[Segment],
    found: &mut dyn FnMut(&'a [u8]),
) {
    let mut next = |child| select(root, child, rest, found);
    for selector in &segment.selectors {
        match selector {
            Selector::Name(name) => {
                if let Some(child) = member(node, name.iter().copied()) {
                    next(child);
                }
            }
            Selector::Index(index) => {
                if let Some(child) = nth(node, *index) {
                    next(child);
                }
            }
            Selector::Wildcard => children(node).for_each(&mut next),
            Selector::Slice { start, end, step } => slice(node, *start, *end, *step, &mut next),
            Selector::Filter(condition) => {
                children(node).filter(|child| holds(condition, root, child)).for_each(&mut next);
            }
        }
    }
}

/// The element of a list, from its end if `index` is negative.
pub(crate) fn nth(list: &[u8], index: i64) -> Option<&[u8]> {
    let index = match index < 0 {
        true => (elements(list).count() as i64).checked_add(index)?,
        false => index,
    };
    elements(list).nth(usize::try_from(index).ok()?)
}

/// As RFC 9535 section 2.3.4.2.2.
fn slice<'a>(
    list: &'a [u8],
    start: Option<i64>,
    end: Option<i64>,
    step: i64,
    next: &mut dyn FnMut(&'a [u8]),
) {
    let length = elements(list).count() as i64;
    let from_end = |index: i64| if index < 0 { length + index } else { index };
    if step > 0 {
        let lower = from_end(start.unwrap_or(0)).clamp(0, length);
        let upper = from_end(end.unwrap_or(length)).clamp(0, length);
        let range = elements(list).take(upper as usize).skip(lower as usize);
        return range.step_by(step as usize).for_each(next);
    }
    let upper = start.map_or(length - 1, |start| from_end(start).clamp(-1, length - 1));
    let lower = end.map_or(-1, |end| from_end(end).clamp(-1, length - 1));
    let mut at = upper;
    while step < 0 && at > lower {
        if let Some(element) = nth(list, at) {
            next(element);
        }
        at += step;
    }
}

fn holds(condition: &Condition, root: &[u8], node: &[u8]) -> bool {
    match condition {
        Condition::Any(conditions) => conditions.iter().any(|condition| holds(condition, root, node)),
        Condition::All(conditions) => conditions.iter().all(|condition| holds(condition, root, node)),
        Condition::Not(condition) => !holds(condition, root, node),
        Condition::Exists(query) => count(query, root, node) > 0,
        Condition::Matches(operand, pattern) => operand_value(operand, root, node).is_some_and(|text| {
            let mut matches = false;
            with_value(&text, |value| matches = value.kind == Kind::Text && pattern.is_match(value.bytes));
            matches
        }),
        Condition::Compare(left, operator, right) => {
            compare(operand_value(left, root, node), *operator, operand_value(right, root, node))
        }
    }
}

fn count(query: &Query, root: &[u8], node: &[u8]) -> usize {
    let mut count = 0;
    select(root, if query.is_relative { node } else { root }, &query.segments, &mut |_| count += 1);
    count
}

/// The JSON text of an operand, if it has a value.
fn operand_value<'a>(operand: &'a Operand, root: &'a [u8], node: &'a [u8]) -> Option<Cow<'a, [u8]>> {
    let number = |number: usize| Some(Cow::Owned(number.to_string().into_bytes()));
    match operand {
        Operand::Literal(literal) => Some(Cow::Borrowed(literal)),
        Operand::Node(query) => {
            let mut found = None;
            let mut count = 0;
            let from = if query.is_relative { node } else { root };
            select(root, from, &query.segments, &mut |node| {
                found = Some(node);
                count += 1;
            });
            found.filter(|_| count == 1).map(Cow::Borrowed)
        }
        Operand::Count(query) => number(count(query, root, node)),
        Operand::Length(operand) => {
            let text = operand_value(operand, root, node)?;
            match kind_of(&text) {
                // A byte that goes on with a character is no further one.
                Kind::Text => number(letters(&text).filter(|byte| byte & 0xC0 != 0x80).count()),
                Kind::List => number(elements(&text).count()),
                Kind::Object => number(members(&text).count()),
                _ => None,
            }
        }
    }
}

fn compare(left: Option<Cow<'_, [u8]>>, operator: Operator, right: Option<Cow<'_, [u8]>>) -> bool {
    let is_equal = match (&left, &right) {
        (None, None) => true,
        (Some(left), Some(right)) => is_same(left, right),
        _ => false,
    };
    let order = left.zip(right).and_then(|(left, right)| order(&left, &right));
    match operator {
        Operator::Equal => is_equal,
        Operator::NotEqual => !is_equal,
        Operator::Less => order == Some(Ordering::Less),
        Operator::Greater => order == Some(Ordering::Greater),
        Operator::AtMost => is_equal || order == Some(Ordering::Less),
        Operator::AtLeast => is_equal || order == Some(Ordering::Greater),
    }
}

fn order(left: &[u8], right: &[u8]) -> Option<Ordering> {
    match (kind_of(left), kind_of(right)) {
        (Kind::Number, Kind::Number) => Number::parse(left)?.compare(Number::parse(right)?),
        (Kind::Text, Kind::Text) => Some(letters(left).cmp(letters(right))),
        _ => None,
    }
}
