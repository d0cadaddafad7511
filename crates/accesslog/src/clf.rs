//! `127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200 2326 "referer" "agent"`

use crate::request_line::{Escapes, split, unescape};
use crate::{Entry, Unreadable, date};

pub(crate) fn read(line: &[u8]) -> Result<Entry, Unreadable> {
    let (before, at_ns, rest) = time(line)?;
    let (request, rest) = quoted(rest).ok_or(Unreadable::Format)?;
    let (method, target) = split(&unescape(request, Escapes::All))?;
    let mut entry = Entry { at_ns, whole_second: true, method, target, ..Entry::default() };
    let status = rest.split(|byte| *byte == b' ').find(|word| !word.is_empty());
    entry.status = status.and_then(|word| std::str::from_utf8(word).ok()?.parse().ok());
    entry.host = virtual_host(before);
    let mut rest = rest;
    for name in ["Referer", "User-Agent"] {
        let Some((value, behind)) = quoted(rest) else { break };
        rest = behind;
        if value != b"-" && !value.is_empty() {
            entry.add_header(name, &String::from_utf8_lossy(&unescape(value, Escapes::All)));
        }
    }
    Ok(entry)
}

/// Splits at the time in brackets. The name of a user before it may contain brackets as well.
fn time(line: &[u8]) -> Result<(&[u8], i64, &[u8]), Unreadable> {
    let mut why = Unreadable::Format;
    for open in (0..line.len()).filter(|at| line[*at] == b'[') {
        let rest = &line[open + 1..];
        let Some(close) = rest.iter().position(|byte| *byte == b']') else { break };
        why = Unreadable::Time;
        if let Some(at_ns) = std::str::from_utf8(&rest[..close]).ok().and_then(date::common) {
            return Ok((&line[..open], at_ns, &rest[close + 1..]));
        }
        // What is in quotes is from the client.
        if line[..open].contains(&b'"') {
            break;
        }
    }
    Err(why)
}

/// The virtual host before the client's address. After the address the second word is the identity, which is `-`.
fn virtual_host(before: &[u8]) -> Option<String> {
    let words: Vec<&[u8]> = before.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let is_there = words.len() >= 4 && words[1] != b"-";
    is_there.then(|| String::from_utf8_lossy(words[0]).into_owned())
}

/// The next text in quotes, and what is behind it. Quotes inside are escaped with a backslash.
fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let open = text.iter().position(|byte| *byte == b'"')?;
    let text = &text[open + 1..];
    let mut escaped = false;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some((&text[..at], &text[at + 1..])),
            _ => {}
        }
    }
    None
}
