//! From a request that does harm to the smallest one that still does.
//!
//! Delta debugging (Zeller and Hildebrandt, 2002) over what a request is made of: lines of the head, words of the request line,
//! bytes of what is left. What was sound stays sound, so that a request that crashes a server through one bad header does
//! not shrink to garbage that the server refuses for another reason.

use crate::sense::{is_plain, is_token};
use std::io;
use warwolf_exchange::{Message, Step};

/// Asks whether a request still does the harm.
pub type Oracle<'a> = dyn FnMut(&Message) -> io::Result<bool> + 'a;

/// The smallest request found that `harms`, beginning with `message`, which does. Asks `tries_max` times at the most.
///
/// No single line, word or byte of the result can be left out, unless the tries did not suffice. Long runs whose content does not
/// matter are found by bisection, as if longer always did what shorter does.
///
/// # Errors
/// What the oracle says.
pub fn shrink(message: &Message, tries_max: u32, harms: &mut Oracle<'_>) -> io::Result<Message> {
    let mut search = Search { harms, tries_left: tries_max };
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

/// A request, taken apart at the ends of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shape {
    /// Empty lines before the request line.
    before: Vec<u8>,
    /// The request line and its end.
    first: Vec<u8>,
    /// Header lines with their ends.
    fields: Vec<Vec<u8>>,
    /// The empty line; none when the head is not complete.
    blank: Vec<u8>,
    body: Vec<u8>,
    /// The header line that says the body's length, rightly; it goes with the body.
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

    /// With another body, the length said as before.
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

/// Whether a header line says that the body has `length` bytes, more than none.
fn says_length(line: &[u8], length: usize) -> bool {
    let Some(at) = line.iter().position(|byte| *byte == b':') else { return false };
    let (name, value) = line.split_at(at);
    length > 0
        && name.eq_ignore_ascii_case(b"content-length")
        && value[1..].trim_ascii() == length.to_string().as_bytes()
}

/// A line without its end, and its end.
fn split_end(line: &[u8]) -> (&[u8], &[u8]) {
    let end = if line.ends_with(b"\r\n") { 2 } else { usize::from(line.ends_with(b"\n")) };
    line.split_at(line.len() - end)
}

struct Search<'a, 'b> {
    harms: &'a mut Oracle<'b>,
    tries_left: u32,
}

impl Search<'_, '_> {
    fn ask(&mut self, message: &Message) -> io::Result<bool> {
        if self.tries_left == 0 {
            return Ok(false);
        }
        self.tries_left -= 1;
        (self.harms)(message)
    }

    /// Takes `changed` for `shape` if it is another and still does harm.
    fn adopt(&mut self, shape: &mut Shape, changed: Shape) -> io::Result<bool> {
        let bytes = changed.bytes();
        if bytes == shape.bytes() || !self.ask(&Message::of(bytes))? {
            return Ok(false);
        }
        *shape = changed;
        Ok(true)
    }

    /// The bytes, if sending them at once does the same.
    fn without_pauses(&mut self, message: &Message) -> io::Result<Option<Vec<u8>>> {
        let bytes = message.bytes();
        let is_whole = message.pauses().is_zero();
        Ok((is_whole || self.ask(&Message::of(bytes.clone()))?).then_some(bytes))
    }

    /// Where pauses matter, only they are left out.
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

    /// Leaves out what can be left out as a whole.
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

    /// The three words of a request line, each by itself.
    fn words(&mut self, shape: &mut Shape, words: [Vec<u8>; 3], end: &[u8]) -> io::Result<()> {
        let mut words = words;
        let line = |words: &[Vec<u8>; 3]| [words.join(&b' '), end.to_vec()].concat();
        let simple: [&[&[u8]]; 3] = [&[b"GET"], &[b"/"], &[b"HTTP/1.0", b"HTTP/1.1"]];
        for place in 0..3 {
            let mut is_simple = false;
            for word in simple[place] {
                // HTTP/1.1 is not simpler than HTTP/1.0.
                if is_simple || words[place].as_slice() == *word || words[place] == b"HTTP/1.0" {
                    continue;
                }
                let mut changed = words.clone();
                changed[place] = word.to_vec();
                is_simple = self.adopt(shape, Shape { first: line(&changed), ..shape.clone() })?;
                if is_simple {
                    words = changed;
                }
            }
            let is_sound = match place {
                0 => words[0] == b"GET",
                1 => words[1] == b"/",
                _ => matches!(words[2].as_slice(), b"HTTP/1.0" | b"HTTP/1.1"),
            };
            if is_sound {
                continue;
            }
            self.word(shape, &mut words, place, end)?;
        }
        Ok(())
    }

    /// One word of a request line; a target is its path and its query.
    fn word(
        &mut self,
        shape: &mut Shape,
        words: &mut [Vec<u8>; 3],
        place: usize,
        end: &[u8],
    ) -> io::Result<()> {
        let mut parts = vec![(0, words[place].len(), 1)];
        if place == 1 && words[1].starts_with(b"/") {
            let query = words[1].iter().position(|byte| *byte == b'?');
            let path_end = query.unwrap_or(words[1].len());
            // The query first, then the path before it, so that places stay what they are.
            parts = query.map(|at| (at, words[1].len(), 0)).into_iter().collect();
            if let Some(at) = query {
                parts.push((at + 1, words[1].len(), 0));
            }
            parts.push((1, path_end, 0));
        }
        for (from, to, least) in parts {
            let (from, to) = (from.min(words[place].len()), to.min(words[place].len()));
            if from >= to {
                continue;
            }
            let (head, tail) = (words[place][..from].to_vec(), words[place][to..].to_vec());
            let part = words[place][from..to].to_vec();
            // A question mark is left out with all that follows, or stays.
            if part.starts_with(b"?") {
                let mut changed = words.clone();
                changed[place] = [head, tail].concat();
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
                words[place] = [&head, part, &tail].concat();
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
            // Where only the length counts, it is the value's.
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

    /// The body: line by line first, then byte by byte.
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

    /// Makes one part smaller: nothing, or as few `a` as do, or as few of its own bytes; those that do not matter become `a`.
    fn token(
        &mut self,
        shape: &mut Shape,
        part: &[u8],
        least: usize,
        put: &dyn Fn(&Shape, &[u8]) -> Shape,
    ) -> io::Result<()> {
        let whole = shape.clone();
        let mut harms = |part: &[u8]| -> io::Result<bool> {
            Ok(part.len() >= least && self.ask(&Message::of(put(&whole, part).bytes()))?)
        };
        let found = smaller(part, least, &mut harms)?;
        *shape = put(&whole, &found);
        Ok(())
    }
}

/// A smaller `part` for which `harms` still holds.
fn smaller(
    part: &[u8],
    least: usize,
    harms: &mut dyn FnMut(&[u8]) -> io::Result<bool>,
) -> io::Result<Vec<u8>> {
    const SIMPLIFIED_MAX: usize = 64;
    if part.len() <= least {
        return Ok(part.to_vec());
    }
    let plain = |length: usize| vec![b'a'; length];
    if harms(&plain(least))? {
        return Ok(plain(least));
    }
    if harms(&plain(part.len()))? {
        let (mut harmless, mut harmful) = (least, part.len());
        while harmless + 1 < harmful {
            let middle = harmless + (harmful - harmless) / 2;
            if harms(&plain(middle))? { harmful = middle } else { harmless = middle }
        }
        return Ok(plain(harmful));
    }
    let mut part = minimized(part, harms)?;
    for at in 0..part.len() {
        if part.len() <= SIMPLIFIED_MAX && part[at] != b'a' && !matches!(part[at], b'\r' | b'\n') {
            let mut simpler = part.clone();
            simpler[at] = b'a';
            if harms(&simpler)? {
                part = simpler;
            }
        }
    }
    Ok(part)
}

/// As few of `items` as still do harm: leaves out halves, quarters and so on, down to single ones.
fn minimized<T: Clone>(items: &[T], harms: &mut dyn FnMut(&[T]) -> io::Result<bool>) -> io::Result<Vec<T>> {
    let mut items = items.to_vec();
    let mut size = items.len();
    while size > 0 {
        let mut has_shrunk = false;
        let mut at = 0;
        while at < items.len() {
            let mut fewer = items[..at].to_vec();
            fewer.extend_from_slice(&items[(at + size).min(items.len())..]);
            if harms(&fewer)? {
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
