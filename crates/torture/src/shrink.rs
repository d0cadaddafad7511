//! Shrinks a request that triggers a failure to the smallest one that still does.
//!
//! Delta debugging (Zeller and Hildebrandt, 2002) over the structure of a request: header lines, words of the request line, then
//! bytes. Valid parts stay valid, so that a request that crashes a server through one bad header does not shrink to garbage that
//! the server rejects for another reason.

use crate::completeness::{is_plain, is_token};
use std::io;
use warwolf_exchange::{Message, Step};

/// Returns whether a request still triggers the failure.
pub type Oracle<'a> = dyn FnMut(&Message) -> io::Result<bool> + 'a;

/// Returns the smallest request found that still `reproduces`. `message` must. Calls the oracle at most `tries_max` times.
///
/// No single line, word or byte of the result can be removed, unless the tries were exhausted. The length of runs whose content
/// does not matter is found by bisection, on the assumption that longer runs trigger the failure, too.
///
/// # Errors
/// Errors of the oracle.
pub fn shrink(message: &Message, tries_max: u32, reproduces: &mut Oracle<'_>) -> io::Result<Message> {
    let mut search = Search { reproduces, tries_left: tries_max };
    let Some(bytes) = search.without_pauses(message)? else { return search.fewer_pauses(message.clone()) };
    let mut shape = Shape::of(&bytes);
    for _ in 0..ROUNDS_MAX {
        let before = shape.bytes();
        search.whole_parts(&mut shape)?;
        search.request_line(&mut shape)?;
        search.fields(&mut shape)?;
        search.body(&mut shape)?;
        if shape.bytes() == before {
            break;
        }
    }
    Ok(Message::of(shape.bytes()))
}

const ROUNDS_MAX: u32 = 5;

/// A request, split at line ends.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shape {
    /// Empty lines before the request line.
    before: Vec<u8>,
    /// The request line and its end.
    first: Vec<u8>,
    /// Header lines with their ends.
    fields: Vec<Vec<u8>>,
    /// The empty line; empty if the head is incomplete.
    blank: Vec<u8>,
    body: Vec<u8>,
    /// The index of the header line with the correct length of the body; it changes with the body.
    length_field: Option<usize>,
}

impl Shape {
    fn of(bytes: &[u8]) -> Self {
        let start = bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(bytes.len());
        let (before, mut rest) = bytes.split_at(start);
        let mut lines = Vec::new();
        let mut blank = Vec::new();
        while !rest.is_empty() && blank.is_empty() {
            let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
            let line = rest[..end].to_vec();
            rest = &rest[end..];
            if matches!(line.as_slice(), b"\r\n" | b"\n") { blank = line } else { lines.push(line) }
        }
        let first = if lines.is_empty() { Vec::new() } else { lines.remove(0) };
        let length_field = lines.iter().position(|line| says_length(line, rest.len()));
        Self { before: before.to_vec(), first, fields: lines, blank, body: rest.to_vec(), length_field }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = [self.before.as_slice(), &self.first].concat();
        for field in &self.fields {
            out.extend_from_slice(field);
        }
        out.extend_from_slice(&self.blank);
        out.extend_from_slice(&self.body);
        out
    }

    /// Returns a copy with another body and a matching length.
    fn with_body(&self, body: &[u8]) -> Self {
        let mut shape = Self { body: body.to_vec(), ..self.clone() };
        if let Some(at) = self.length_field {
            if body.is_empty() {
                shape.fields.remove(at);
                shape.length_field = None;
            } else {
                shape.fields[at] = format!("Content-Length:{}\r\n", body.len()).into_bytes();
            }
        }
        shape
    }

    fn with_fields(&self, fields: &[Vec<u8>]) -> Self {
        let length_field = fields.iter().position(|line| says_length(line, self.body.len()));
        Self { fields: fields.to_vec(), length_field, ..self.clone() }
    }

    fn with_field(&self, at: usize, line: Vec<u8>) -> Self {
        let mut shape = self.clone();
        shape.fields[at] = line;
        shape
    }
}

/// Returns whether a header line announces a body of `length` bytes, and `length` is not zero.
fn says_length(line: &[u8], length: usize) -> bool {
    let Some(at) = line.iter().position(|byte| *byte == b':') else { return false };
    let (name, value) = line.split_at(at);
    length > 0
        && name.eq_ignore_ascii_case(b"content-length")
        && value[1..].trim_ascii() == length.to_string().as_bytes()
}

/// Splits a line into content and line end.
fn split_end(line: &[u8]) -> (&[u8], &[u8]) {
    let end = if line.ends_with(b"\r\n") { 2 } else { usize::from(line.ends_with(b"\n")) };
    line.split_at(line.len() - end)
}

struct Search<'a, 'b> {
    reproduces: &'a mut Oracle<'b>,
    tries_left: u32,
}

impl Search<'_, '_> {
    fn ask(&mut self, message: &Message) -> io::Result<bool> {
        if self.tries_left == 0 {
            return Ok(false);
        }
        self.tries_left -= 1;
        (self.reproduces)(message)
    }

    /// Replaces `shape` by `changed` if it differs and still triggers the failure.
    fn adopt(&mut self, shape: &mut Shape, changed: Shape) -> io::Result<bool> {
        let bytes = changed.bytes();
        if bytes == shape.bytes() || !self.ask(&Message::of(bytes))? {
            return Ok(false);
        }
        *shape = changed;
        Ok(true)
    }

    /// Returns the bytes if the failure also occurs without pauses.
    fn without_pauses(&mut self, message: &Message) -> io::Result<Option<Vec<u8>>> {
        let bytes = message.bytes();
        let is_whole = message.pauses().is_zero();
        Ok((is_whole || self.ask(&Message::of(bytes.clone()))?).then_some(bytes))
    }

    /// Removes pauses that do not matter, and nothing else.
    fn fewer_pauses(&mut self, mut message: Message) -> io::Result<Message> {
        let mut at = 0;
        while at < message.steps.len() {
            if matches!(message.steps[at], Step::Pause(_)) {
                let mut fewer = message.clone();
                fewer.steps.remove(at);
                if self.ask(&fewer)? {
                    message = fewer;
                    continue;
                }
            }
            at += 1;
        }
        Ok(message)
    }

    /// Removes whole parts.
    fn whole_parts(&mut self, shape: &mut Shape) -> io::Result<()> {
        self.adopt(shape, Shape { before: Vec::new(), ..shape.clone() })?;
        self.adopt(shape, shape.with_body(b""))?;
        let whole = shape.clone();
        let fields = minimized(&whole.fields, &mut |fields| {
            self.ask(&Message::of(whole.with_fields(fields).bytes()))
        })?;
        *shape = whole.with_fields(&fields);
        let before = shape.before.clone();
        let whole = shape.clone();
        shape.before = minimized(&before, &mut |before| {
            self.ask(&Message::of(Shape { before: before.to_vec(), ..whole.clone() }.bytes()))
        })?;
        Ok(())
    }

    fn request_line(&mut self, shape: &mut Shape) -> io::Result<()> {
        let (line, end) = split_end(&shape.first);
        let (line, end) = (line.to_vec(), end.to_vec());
        if line.is_empty() {
            return Ok(());
        }
        let with = |line: &[u8]| [line, &end].concat();
        for simple in [&b"GET / HTTP/1.0"[..], b"GET / HTTP/1.1"] {
            let is_shorter = simple.len() < line.len() || simple.ends_with(b"1.0") && line.ends_with(b"1.1");
            if is_shorter && self.adopt(shape, Shape { first: with(simple), ..shape.clone() })? {
                return Ok(());
            }
        }
        let (line, _) = split_end(&shape.first);
        let words: Vec<Vec<u8>> = line.split(|byte| *byte == b' ').map(<[u8]>::to_vec).collect();
        match <[Vec<u8>; 3]>::try_from(words) {
            Ok(words) => self.words(shape, words, &end),
            Err(_) => {
                let line = line.to_vec();
                self.token(shape, &line, 1, &|shape, line| Shape {
                    first: [line, &end].concat(),
                    ..shape.clone()
                })
            }
        }
    }

    /// Shrinks each of the three words of the request line.
    fn words(&mut self, shape: &mut Shape, words: [Vec<u8>; 3], end: &[u8]) -> io::Result<()> {
        let mut words = words;
        let line = |words: &[Vec<u8>; 3]| [words.join(&b' '), end.to_vec()].concat();
        let simple: [&[&[u8]]; 3] = [&[b"GET"], &[b"/"], &[b"HTTP/1.0", b"HTTP/1.1"]];
        for index in 0..3 {
            let mut is_simple = false;
            for word in simple[index] {
                // HTTP/1.1 is not simpler than HTTP/1.0.
                if is_simple || words[index].as_slice() == *word || words[index] == b"HTTP/1.0" {
                    continue;
                }
                let mut changed = words.clone();
                changed[index] = word.to_vec();
                is_simple = self.adopt(shape, Shape { first: line(&changed), ..shape.clone() })?;
                if is_simple {
                    words = changed;
                }
            }
            let is_valid = match index {
                0 => words[0] == b"GET",
                1 => words[1] == b"/",
                _ => matches!(words[2].as_slice(), b"HTTP/1.0" | b"HTTP/1.1"),
            };
            if is_valid {
                continue;
            }
            self.word(shape, &mut words, index, end)?;
        }
        Ok(())
    }

    /// Shrinks one word of the request line; path and query of a target separately.
    fn word(
        &mut self,
        shape: &mut Shape,
        words: &mut [Vec<u8>; 3],
        index: usize,
        end: &[u8],
    ) -> io::Result<()> {
        let mut parts = vec![(0, words[index].len(), 1)];
        if index == 1 && words[1].starts_with(b"/") {
            let query = words[1].iter().position(|byte| *byte == b'?');
            let path_end = query.unwrap_or(words[1].len());
            // The query first, then the path before it, so that indices stay valid.
            parts = query.map(|at| (at, words[1].len(), 0)).into_iter().collect();
            if let Some(at) = query {
                parts.push((at + 1, words[1].len(), 0));
            }
            parts.push((1, path_end, 0));
        }
        for (from, to, least) in parts {
            let (from, to) = (from.min(words[index].len()), to.min(words[index].len()));
            if from >= to {
                continue;
            }
            let (head, tail) = (words[index][..from].to_vec(), words[index][to..].to_vec());
            let part = words[index][from..to].to_vec();
            // A question mark is removed together with the query, or kept.
            if part.starts_with(b"?") {
                let mut changed = words.clone();
                changed[index] = [head, tail].concat();
                if self.adopt(
                    shape,
                    Shape { first: [changed.join(&b' '), end.to_vec()].concat(), ..shape.clone() },
                )? {
                    *words = changed;
                }
                continue;
            }
            let frame = words.clone();
            self.token(shape, &part, least, &|shape, part| {
                let mut words = frame.clone();
                words[index] = [&head, part, &tail].concat();
                Shape { first: [words.join(&b' '), end.to_vec()].concat(), ..shape.clone() }
            })?;
            let (line, _) = split_end(&shape.first);
            let found: Vec<Vec<u8>> = line.split(|byte| *byte == b' ').map(<[u8]>::to_vec).collect();
            if let Ok(found) = <[Vec<u8>; 3]>::try_from(found) {
                *words = found;
            }
        }
        Ok(())
    }

    fn fields(&mut self, shape: &mut Shape) -> io::Result<()> {
        for at in 0..shape.fields.len() {
            if shape.length_field == Some(at) {
                continue;
            }
            let (line, end) = split_end(&shape.fields[at]);
            let (line, end) = (line.to_vec(), end.to_vec());
            let colon = line.iter().position(|byte| *byte == b':');
            let (name, value) = line.split_at(colon.unwrap_or(0));
            let value = value.get(1..).unwrap_or_default().trim_ascii();
            if !is_token(name) || !value.iter().all(|byte| is_plain(&[*byte]) || matches!(byte, b' ' | b'\t'))
            {
                self.token(shape, &line, 1, &|shape, line| shape.with_field(at, [line, &end].concat()))?;
                continue;
            }
            let tight = [name, b":", value, &end].concat();
            self.adopt(shape, shape.with_field(at, tight))?;
            // If only the length matters, it moves to the value.
            let moved =
                [b"a:".as_slice(), &vec![b'a'; (name.len() + value.len()).saturating_sub(1)], &end].concat();
            let (name, value) = if name != b"a" && self.adopt(shape, shape.with_field(at, moved))? {
                (b"a".to_vec(), vec![b'a'; name.len() + value.len() - 1])
            } else {
                (name.to_vec(), value.to_vec())
            };
            let gap = if shape.fields[at].len() == name.len() + value.len() + 1 + end.len() {
                &b":"[..]
            } else {
                b": "
            };
            self.token(shape, &value, 0, &|shape, value| {
                shape.with_field(at, [&name, gap, value, &end].concat())
            })?;
            let behind = shape.fields[at][name.len()..].to_vec();
            self.token(shape, &name, 1, &|shape, name| shape.with_field(at, [name, &behind].concat()))?;
        }
        Ok(())
    }

    /// Shrinks the body, first by lines, then by bytes.
    fn body(&mut self, shape: &mut Shape) -> io::Result<()> {
        if shape.body.is_empty() {
            return Ok(());
        }
        let whole = shape.clone();
        let lines: Vec<Vec<u8>> =
            shape.body.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        let lines =
            minimized(&lines, &mut |lines| self.ask(&Message::of(whole.with_body(&lines.concat()).bytes())))?;
        *shape = whole.with_body(&lines.concat());
        let body = shape.body.clone();
        self.token(shape, &body, 0, &|shape, body| shape.with_body(body))
    }

    /// Shrinks one part to nothing, to as few `a` as possible, or to as few of its own bytes; irrelevant bytes become `a`.
    fn token(
        &mut self,
        shape: &mut Shape,
        part: &[u8],
        least: usize,
        put: &dyn Fn(&Shape, &[u8]) -> Shape,
    ) -> io::Result<()> {
        let whole = shape.clone();
        let mut reproduces = |part: &[u8]| -> io::Result<bool> {
            Ok(part.len() >= least && self.ask(&Message::of(put(&whole, part).bytes()))?)
        };
        let found = smaller(part, least, &mut reproduces)?;
        *shape = put(&whole, &found);
        Ok(())
    }
}

/// Returns a smaller `part` for which `reproduces` still returns true.
fn smaller(
    part: &[u8],
    least: usize,
    reproduces: &mut dyn FnMut(&[u8]) -> io::Result<bool>,
) -> io::Result<Vec<u8>> {
    const SIMPLIFIED_MAX: usize = 64;
    if part.len() <= least {
        return Ok(part.to_vec());
    }
    let plain = |length: usize| vec![b'a'; length];
    if reproduces(&plain(least))? {
        return Ok(plain(least));
    }
    if reproduces(&plain(part.len()))? {
        let (mut too_short, mut long_enough) = (least, part.len());
        while too_short + 1 < long_enough {
            let middle = too_short + (long_enough - too_short) / 2;
            if reproduces(&plain(middle))? { long_enough = middle } else { too_short = middle }
        }
        return Ok(plain(long_enough));
    }
    let mut part = minimized(part, reproduces)?;
    for at in 0..part.len() {
        if part.len() <= SIMPLIFIED_MAX && part[at] != b'a' && !matches!(part[at], b'\r' | b'\n') {
            let mut simpler = part.clone();
            simpler[at] = b'a';
            if reproduces(&simpler)? {
                part = simpler;
            }
        }
    }
    Ok(part)
}

/// Returns as few of `items` as possible: removes halves, quarters and so on, down to single items.
fn minimized<T: Clone>(
    items: &[T],
    reproduces: &mut dyn FnMut(&[T]) -> io::Result<bool>,
) -> io::Result<Vec<T>> {
    let mut items = items.to_vec();
    let mut size = items.len();
    while size > 0 {
        let mut has_shrunk = false;
        let mut at = 0;
        while at < items.len() {
            let mut fewer = items[..at].to_vec();
            fewer.extend_from_slice(&items[(at + size).min(items.len())..]);
            if reproduces(&fewer)? {
                items = fewer;
                has_shrunk = true;
            } else {
                at += size;
            }
        }
        if size > 1 || !has_shrunk {
            size /= 2;
        }
    }
    Ok(items)
}

#[cfg(test)]
mod tests;
