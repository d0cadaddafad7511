//! `1066036250.603 310 192.168.0.227 TCP_MISS/200 1540 GET http://a.test/ - DIRECT/1.2.3.4 text/html`
//!
//! The time is the end of the request; the second word is its duration in milliseconds.

use crate::{Entry, Unreadable, date, plausible};

pub(crate) fn read(line: &str) -> Result<Entry, Unreadable> {
    let words: Vec<&str> = line.split_whitespace().take(7).collect();
    let [time, elapsed, _, code, _, method, target] = words.as_slice() else {
        return Err(Unreadable::Format);
    };
    let ended = date::seconds(time).filter(|_| time.contains('.')).ok_or(Unreadable::Time)?;
    let elapsed_ms: i64 = elapsed.parse().map_err(|_| Unreadable::Format)?;
    let (_, status) = code.split_once('/').ok_or(Unreadable::Format)?;
    plausible(method, target)?;
    Ok(Entry {
        at_ns: ended.saturating_sub(elapsed_ms.max(0).saturating_mul(1_000_000)),
        whole_second: false,
        method: (*method).to_owned(),
        target: (*target).to_owned(),
        host: None,
        status: status.parse().ok().filter(|status| *status > 0),
    })
}
