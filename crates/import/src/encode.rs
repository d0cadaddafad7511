//! Percent-encoding of forms and paths.

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_encode, utf8_percent_encode};

/// What `--data-urlencode` and forms leave as it is.
const FORM: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// What a segment of a path leaves as it is.
const SEGMENT: &AsciiSet =
    &FORM.remove(b'!').remove(b'$').remove(b'\'').remove(b'(').remove(b')').remove(b'*');
/// What must not stand in a request line: spaces, controls, and bytes that are not ASCII.
const TARGET: &AsciiSet = &CONTROLS.add(b' ');

/// A name or value of a form; spaces become `+`.
pub(crate) fn form(text: &str) -> String {
    form_bytes(text.as_bytes())
}

/// The same for bytes.
pub(crate) fn form_bytes(bytes: &[u8]) -> String {
    percent_encode(bytes, FORM).to_string().replace("%20", "+")
}

/// A value of a query; spaces become `%20`.
pub(crate) fn query(text: &str) -> String {
    utf8_percent_encode(text, FORM).to_string()
}

/// A segment of a path.
pub(crate) fn segment(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// A path or query as written by people: only what cannot be sent is encoded.
pub(crate) fn target(text: &str) -> String {
    utf8_percent_encode(text, TARGET).to_string()
}

/// Decodes credentials and names in URLs.
pub(crate) fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}
