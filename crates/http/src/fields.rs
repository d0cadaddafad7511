//! Header and trailer fields: read from replies, written into requests.

/// The fields of a header or trailer section, in order.
///
/// Fields are searched on demand, because most calls need none. A value that was folded over several lines contains
/// the line ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fields<'a> {
    /// Whole lines of HTTP/1, already found to be well-formed.
    lines: &'a [u8],
}

impl<'a> Fields<'a> {
    /// The fields of a section of HTTP/1: whole lines, up to the empty line that may follow them.
    pub(crate) const fn of_lines(lines: &'a [u8]) -> Self {
        Self { lines }
    }

    /// The fields: names as the server spelled them, values without surrounding white space.
    pub fn iter(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        let mut rest = self.lines;
        std::iter::from_fn(move || {
            let start = rest;
            let mut length = line(&mut rest).len();
            while matches!(rest.first(), Some(b' ' | b'\t')) {
                length += line(&mut rest).len();
            }
            let field = start[..length].trim_ascii_end();
            let colon = field.iter().position(|&byte| byte == b':')?;
            Some((field[..colon].trim_ascii_end(), field[colon + 1..].trim_ascii()))
        })
    }

    /// The value of the first field with this name. Names are compared without case.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'a [u8]> {
        self.all(name).next()
    }

    /// The values of all fields with this name, in order. Names are compared without case.
    pub fn all<'n>(&self, name: &'n str) -> impl Iterator<Item = &'a [u8]> + use<'a, 'n> {
        self.iter().filter(move |(of, _)| of.eq_ignore_ascii_case(name.as_bytes())).map(|(_, value)| value)
    }
}

/// Takes the first line, its end included, off `text`.
pub(crate) fn line<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let length = text.iter().position(|&byte| byte == b'\n').map_or(text.len(), |end| end + 1);
    let (line, rest) = text.split_at(length);
    *text = rest;
    line
}

/// Takes the fields that fill a hole of a template and writes them in the encoding of the protocol.
#[derive(Debug)]
pub struct FieldWriter<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> FieldWriter<'a> {
    /// Writes lines of HTTP/1 to `out`.
    pub(crate) const fn lines(out: &'a mut Vec<u8>) -> Self {
        Self { out }
    }

    /// Adds a field. `value` appends its value to the buffer it is given and does not change what it contains; neither
    /// name nor value may contain an end of line.
    pub fn add(&mut self, name: &str, value: impl FnOnce(&mut Vec<u8>)) {
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b": ");
        value(self.out);
        self.out.extend_from_slice(b"\r\n");
    }
}
