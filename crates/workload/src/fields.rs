//! Header fields that a session adds to a request.

/// Receives a field: its name, and a function that appends its value to the given buffer.
pub type AddField<'a> = &'a mut dyn FnMut(&str, &dyn Fn(&mut Vec<u8>));

/// Returns the fields that `write` adds, as lines of HTTP/1.
#[cfg(test)]
pub(crate) fn lines(write: impl FnOnce(AddField<'_>)) -> Vec<u8> {
    let mut lines = Vec::new();
    write(&mut |name, value| {
        lines.extend_from_slice(format!("{name}: ").as_bytes());
        value(&mut lines);
        lines.extend_from_slice(b"\r\n");
    });
    lines
}
