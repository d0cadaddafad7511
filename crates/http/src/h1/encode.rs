//! Writes requests: a copy of the template, its holes filled.

use crate::template::{Fill, Template};

/// Appends the request to `out`. A streamed body is not part of it.
#[inline]
pub(crate) fn encode(template: &Template, fill: &mut (impl Fill + ?Sized), out: &mut Vec<u8>) {
    let mut done = 0;
    for &(position, hole) in &template.holes {
        out.extend_from_slice(&template.bytes[done..position]);
        fill.fill(hole, out);
        done = position;
    }
    out.extend_from_slice(&template.bytes[done..]);
}
