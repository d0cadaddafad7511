//! Writes requests: a copy of the template, its holes filled.

use crate::fields::FieldWriter;
use crate::template::{Fill, Hole, Template};

/// Appends the request to `out`. A streamed body is not part of it.
#[inline]
pub(crate) fn encode(template: &Template, fill: &mut (impl Fill + ?Sized), out: &mut Vec<u8>) {
    let mut done = 0;
    for &(position, hole) in &template.holes {
        out.extend_from_slice(&template.bytes[done..position]);
        match hole {
            Hole::Fields(hole) => fill.fields(hole, &mut FieldWriter::lines(out)),
            Hole::Value(hole) => fill.value(hole, out),
        }
        done = position;
    }
    out.extend_from_slice(&template.bytes[done..]);
}
