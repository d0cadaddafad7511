//! A second opinion: reads a whole stream of replies, one character after another, in the most obvious way, and writes
//! what a diary has to say. Shares no code with the product.

use std::fmt::Write as _;
use warwolf_http::{Limits, Violation};

/// Why reading stopped.
enum Stop {
    /// The bytes ended.
    Ended,
    /// The server broke the protocol.
    Broken(Violation),
}

use Stop::{Broken, Ended};

/// The bytes and how far they have been read.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Result<u8, Stop> {
        self.bytes.get(self.at).copied().ok_or(Ended)
    }
    fn next(&mut self) -> Result<u8, Stop> {
        let byte = self.peek()?;
        self.at += 1;
        Ok(byte)
    }
    fn expect(&mut self, wanted: &[u8], otherwise: Violation) -> Result<(), Stop> {
        wanted.iter().try_for_each(|byte| if self.next()? == *byte { Ok(()) } else { Err(Broken(otherwise)) })
    }
    /// Takes CR LF or LF if either is next. A lone CR is broken.
    fn took_line_end(&mut self, otherwise: Violation) -> Result<bool, Stop> {
        match self.peek()? {
            b'\n' => self.at += 1,
            b'\r' => {
                self.at += 1;
                self.expect(b"\n", otherwise)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
    fn skip(&mut self, some: &[u8]) -> Result<(), Stop> {
        while some.contains(&self.peek()?) {
            self.at += 1;
        }
        Ok(())
    }
}

struct ReadHead {
    minor: u8,
    status: u16,
    length: usize,
    fields: Vec<(Vec<u8>, Vec<u8>)>,
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn is_text(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}

fn head(bytes: &[u8], limits: &Limits) -> Result<ReadHead, Stop> {
    let window = &bytes[..bytes.len().min(limits.max_head)];
    let read = head_in(&mut Reader { bytes: window, at: 0 }, limits);
    match read {
        Err(Ended) if bytes.len() >= limits.max_head => Err(Broken(Violation::HeadTooLong)),
        other => other,
    }
}

fn head_in(reader: &mut Reader<'_>, limits: &Limits) -> Result<ReadHead, Stop> {
    let bad = Violation::BadStatusLine;
    while reader.took_line_end(bad)? {}
    reader.expect(b"HTTP/1.", bad)?;
    let minor = reader.next()?;
    if minor != b'0' && minor != b'1' {
        return Err(Broken(bad));
    }
    reader.expect(b" ", bad)?;
    reader.skip(b" ")?;
    let mut status = 0;
    for _ in 0..3 {
        let digit = reader.next()?;
        if !digit.is_ascii_digit() {
            return Err(Broken(bad));
        }
        status = status * 10 + u16::from(digit - b'0');
    }
    if !reader.took_line_end(bad)? {
        reader.expect(b" ", bad)?;
        while !reader.took_line_end(bad)? {
            if !is_text(reader.next()?) {
                return Err(Broken(bad));
            }
        }
    }
    let mut fields = Vec::new();
    while !reader.took_line_end(Violation::BadHeader)? {
        fields.push(field(reader)?);
        if fields.len() > limits.max_headers {
            return Err(Broken(Violation::TooManyHeaders));
        }
    }
    if status < 100 {
        return Err(Broken(bad));
    }
    Ok(ReadHead { minor: minor - b'0', status, length: reader.at, fields })
}

fn field(reader: &mut Reader<'_>) -> Result<(Vec<u8>, Vec<u8>), Stop> {
    let bad = Violation::BadHeader;
    let mut name = Vec::new();
    while is_token(reader.peek()?) {
        name.push(reader.next()?);
    }
    if name.is_empty() {
        return Err(Broken(bad));
    }
    reader.skip(b" \t")?;
    reader.expect(b":", bad)?;
    let mut value = Vec::new();
    loop {
        let before = reader.at;
        if reader.took_line_end(bad)? {
            value.extend_from_slice(&reader.bytes[before..reader.at]);
            if !b" \t".contains(&reader.peek()?) {
                return Ok((name, value.trim_ascii().to_vec()));
            }
        } else {
            let byte = reader.next()?;
            if !is_text(byte) {
                return Err(Broken(bad));
            }
            value.push(byte);
        }
    }
}

enum Body {
    Interim,
    None,
    Tunnel,
    Length(u64),
    Chunked,
    UntilClose,
}

/// All elements of all fields of a name, split at commas.
fn list(head: &ReadHead, wanted: &str) -> Vec<String> {
    head.fields
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case(wanted.as_bytes()))
        .flat_map(|(_, value)| value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii))
        .map(|element| String::from_utf8_lossy(element).to_ascii_lowercase())
        .collect()
}

fn body_of(head: &ReadHead, method: &str) -> Result<Body, Stop> {
    match head.status {
        101 => return Ok(Body::Tunnel),
        200..=299 if method == "CONNECT" => return Ok(Body::Tunnel),
        100..=199 => return Ok(Body::Interim),
        204 | 304 => return Ok(Body::None),
        _ if method == "HEAD" => return Ok(Body::None),
        _ => {}
    }
    let codings: Vec<String> = list(head, "transfer-encoding")
        .into_iter()
        .filter(|element| !element.is_empty())
        .map(|element| element.split(';').next().unwrap().trim_ascii_end().to_owned())
        .collect();
    let first_chunked = codings.iter().position(|coding| coding == "chunked");
    let well_formed = |coding: &String| !coding.is_empty() && coding.bytes().all(is_token);
    if first_chunked.is_some_and(|at| at + 1 != codings.len()) || !codings.iter().all(well_formed) {
        return Err(Broken(Violation::UnsupportedTransferCoding));
    }
    if first_chunked.is_some() {
        return Ok(Body::Chunked);
    }
    if codings.iter().any(|coding| coding != "identity") {
        return Ok(Body::UntilClose);
    }
    let mut length = None;
    for element in list(head, "content-length") {
        let digits = !element.is_empty() && element.bytes().all(|byte| byte.is_ascii_digit());
        let value = element.trim_start_matches('0');
        // Nineteen digits are up to 10^19, of which those below 2^63 are fine.
        let value = if value.is_empty() { Ok(0) } else { value.parse::<i64>() };
        match value {
            Ok(value) if digits && value >= 0 => {
                if length.is_some_and(|length| length != value) {
                    return Err(Broken(Violation::ConflictingLengths));
                }
                length = Some(value);
            }
            _ => return Err(Broken(Violation::BadContentLength)),
        }
    }
    Ok(length.map_or(Body::UntilClose, |length| Body::Length(length as u64)))
}

/// Reads a chunked body into `data`, as far as it goes.
fn chunked(reader: &mut Reader<'_>, data: &mut Vec<u8>, limits: &Limits) -> Result<(), Stop> {
    loop {
        let bad = Violation::BadChunkSize;
        let mut size: u128 = 0;
        let mut digits = 0;
        while let Some(digit) = char::from(reader.peek()?).to_digit(16) {
            size = size * 16 + u128::from(digit);
            if size >= 1 << 63 {
                return Err(Broken(bad));
            }
            digits += 1;
            reader.at += 1;
        }
        if digits == 0 {
            return Err(Broken(bad));
        }
        if !reader.took_line_end(bad)? {
            if !b"; \t".contains(&reader.next()?) {
                return Err(Broken(bad));
            }
            let mut length = 1;
            while !reader.took_line_end(bad)? {
                reader.next()?;
                length += 1;
                if length > 4096 {
                    return Err(Broken(bad));
                }
            }
        }
        if size == 0 {
            break;
        }
        for _ in 0..size {
            data.push(reader.next()?);
        }
        if !reader.took_line_end(Violation::BadChunkEnd)? {
            return Err(Broken(Violation::BadChunkEnd));
        }
    }
    let start = reader.at;
    let window = &reader.bytes[..reader.bytes.len().min(start + limits.max_head)];
    let mut within = Reader { bytes: window, at: start };
    match trailers(&mut within) {
        Err(Ended) if reader.bytes.len() > window.len() => Err(Broken(Violation::HeadTooLong)),
        result => {
            reader.at = within.at;
            result
        }
    }
}

fn trailers(reader: &mut Reader<'_>) -> Result<(), Stop> {
    let bad = Violation::BadHeader;
    while !reader.took_line_end(bad)? {
        if !is_token(reader.peek()?) {
            return Err(Broken(bad));
        }
        while is_token(reader.peek()?) {
            reader.at += 1;
        }
        reader.expect(b":", bad)?;
        loop {
            if reader.took_line_end(bad)? {
                if !b" \t".contains(&reader.peek()?) {
                    break;
                }
            } else if reader.next()? == 0 {
                return Err(Broken(bad));
            }
        }
    }
    Ok(())
}

/// What a diary has to say of calls with these methods when the server sends these bytes and closes.
pub(crate) fn expected(methods: &[&str], bytes: &[u8], limits: &Limits) -> String {
    let mut text = String::new();
    let mut reader = Reader { bytes, at: 0 };
    let mut keeps = !methods.contains(&"CONNECT");
    let mut call = 0;
    while call < methods.len() && reader.at < bytes.len() {
        let _ = writeln!(text, "{call} first byte");
        let result = reply(&mut reader, call, methods[call], limits, &mut text);
        keeps &= matches!(result, Ok(After::Kept) | Err((_, After::Kept)));
        match result {
            Ok(After::Kept) => call += 1,
            Ok(after) => {
                if after == After::Closed {
                    let _ = writeln!(text, "not kept\n{call} end Closed");
                }
                for retired in call + 1..methods.len() {
                    let _ = writeln!(text, "{retired} failed Retired");
                }
                if after == After::Closed {
                    return text;
                }
                call = methods.len();
            }
            Err((Broken(violation), _)) => {
                let _ = writeln!(text, "{call} failed Violation({violation:?})");
                for retired in call + 1..methods.len() {
                    let _ = writeln!(text, "{retired} failed Retired");
                }
                return text + "violation\n";
            }
            Err((Ended, _)) => {
                let _ = writeln!(text, "{}\n{call} failed ClosedMidReply", kept_or_not(keeps));
                for unanswered in call + 1..methods.len() {
                    let _ = writeln!(text, "{unanswered} failed ClosedBeforeReply");
                }
                return text;
            }
        }
    }
    if reader.at < bytes.len() {
        return text + "violation\n";
    }
    let _ = writeln!(text, "{}", kept_or_not(keeps));
    for unanswered in call..methods.len() {
        let _ = writeln!(text, "{unanswered} failed ClosedBeforeReply");
    }
    text
}

fn kept_or_not(keeps: bool) -> &'static str {
    if keeps { "kept" } else { "not kept" }
}

/// What becomes of the connection after a reply.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Kept,
    NotKept,
    /// It ended with the reply.
    Closed,
}

/// Reads the replies to one call: any interim ones and the final one. Says what becomes of the connection; on failure
/// also what of that was already known.
fn reply(
    reader: &mut Reader<'_>,
    call: usize,
    method: &str,
    limits: &Limits,
    text: &mut String,
) -> Result<After, (Stop, After)> {
    loop {
        let head = head(&reader.bytes[reader.at..], limits).map_err(|stop| (stop, After::Kept))?;
        let body = body_of(&head, method).map_err(|stop| (stop, After::Kept))?;
        reader.at += head.length;
        let kind = if matches!(body, Body::Interim) { "interim" } else { "head" };
        let _ = writeln!(text, "{call} {kind} HTTP/1.{} {} {}", head.minor, head.status, head.length);
        for (name, value) in &head.fields {
            let _ = writeln!(text, "  {}: {}", name.escape_ascii(), value.escape_ascii());
        }
        let options = list(&head, "connection");
        let says = |option: &str| options.iter().any(|said| said == option);
        let kept = !says("close") && (head.minor == 1 || says("keep-alive"));
        let after = if kept { After::Kept } else { After::NotKept };
        let mut data = Vec::new();
        let (end, after) = match body {
            Body::Interim => continue,
            Body::None => (Ok("NoBody"), after),
            Body::Tunnel => (Ok("NoBody"), After::NotKept),
            Body::UntilClose => {
                data.extend_from_slice(&reader.bytes[reader.at..]);
                reader.at = reader.bytes.len();
                (Ok("Closed"), After::Closed)
            }
            Body::Length(length) => {
                let left = &reader.bytes[reader.at..];
                let taken = left.len().min(usize::try_from(length).unwrap_or(usize::MAX));
                data.extend_from_slice(&left[..taken]);
                reader.at += taken;
                (if taken as u64 == length { Ok("Length") } else { Err(Ended) }, after)
            }
            Body::Chunked => (chunked(reader, &mut data, limits).map(|()| "Chunked"), after),
        };
        if !data.is_empty() {
            let _ = writeln!(text, "{call} body {}", data.escape_ascii());
        }
        let end = end.map_err(|stop| (stop, after))?;
        if after != After::Closed {
            let _ = writeln!(text, "{call} end {end}");
        }
        return Ok(after);
    }
}
