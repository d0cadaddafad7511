//! `127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200 2326 "referer" "agent"`

use crate::{Entry, Unreadable, date, plausible};

pub(crate) fn read(line: &str) -> Result<Entry, Unreadable> {
    let (before, rest) = line.split_once('[').ok_or(Unreadable::Format)?;
    let (time, rest) = rest.split_once(']').ok_or(Unreadable::Format)?;
    let at_ns = date::common(time).ok_or(Unreadable::Time)?;
    let rest = rest.trim_start().strip_prefix('"').ok_or(Unreadable::Format)?;
    let (request, rest) = quoted(rest).ok_or(Unreadable::Format)?;
    let mut words = request.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    plausible(method, target)?;
    let status = rest.split_whitespace().next().and_then(|word| word.parse().ok());
    // Four words before the time: the first is a virtual host.
    let host = before.split_whitespace().next().filter(|_| before.split_whitespace().count() == 4);
    Ok(Entry {
        at_ns,
        whole_second: true,
        method: method.to_owned(),
        target: target.to_owned(),
        host: host.map(str::to_owned),
        status,
    })
}

/// Splits at the closing quote. Quotes inside are escaped with a backslash.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some((&text[..at], &text[at + 1..])),
            _ => {}
        }
    }
    None
}
