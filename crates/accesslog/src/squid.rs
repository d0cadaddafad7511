//! `1066036250.603 310 192.168.0.227 TCP_MISS/200 1540 GET http://a.test/ - DIRECT/1.2.3.4 text/html`
//!
//! The time is the end of the request; the second word is its duration in milliseconds.

use crate::request_line::checked;
use crate::{Entry, Unreadable, date};

pub(crate) fn read(line: &[u8]) -> Result<Entry, Unreadable> {
    let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let words: Vec<&[u8]> = words.take(7).collect();
    let [time, elapsed, _, code, _, method, target] = words.as_slice() else {
        return Err(Unreadable::Format);
    };
    let text = |word| std::str::from_utf8(word).map_err(|_| Unreadable::Format);
    let time = text(time)?;
    let ended = date::seconds(time).filter(|_| time.contains('.')).ok_or(Unreadable::Time)?;
    let elapsed_ms: i64 = text(elapsed)?.parse().map_err(|_| Unreadable::Format)?;
    let (_, status) = text(code)?.split_once('/').ok_or(Unreadable::Format)?;
    let (method, target) = checked(method, target)?;
    Ok(Entry {
        at_ns: ended.saturating_sub(elapsed_ms.max(0).saturating_mul(1_000_000)),
        method,
        target,
        status: status.parse().ok().filter(|status| *status > 0),
        ..Entry::default()
    })
}
