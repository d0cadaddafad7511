//! Character references of HTML.

/// Names of characters that pages and APIs use. Others stay as they are.
const NAMES: [(&str, char); 32] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{a0}'),
    ("copy", '©'),
    ("reg", '®'),
    ("trade", '™'),
    ("deg", '°'),
    ("middot", '·'),
    ("bull", '•'),
    ("hellip", '…'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("euro", '€'),
    ("pound", '£'),
    ("cent", '¢'),
    ("yen", '¥'),
    ("sect", '§'),
    ("para", '¶'),
    ("times", '×'),
    ("divide", '÷'),
    ("larr", '←'),
    ("rarr", '→'),
    ("check", '✓'),
];

/// Longest text between `&` and `;` that is looked at.
const MAX_NAME: usize = 10;

pub(super) fn escape(text: &[u8], out: &mut Vec<u8>) {
    for byte in text {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            b'\'' => out.extend_from_slice(b"&#x27;"),
            _ => out.push(*byte),
        }
    }
}

pub(super) fn unescape(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'&', rest) {
        out.extend_from_slice(&rest[..at]);
        let after = &rest[at + 1..];
        let name = memchr::memchr(b';', &after[..after.len().min(MAX_NAME + 1)]).map(|end| &after[..end]);
        match name.and_then(|name| Some((name, character(name)?))) {
            Some((name, character)) => {
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &after[name.len() + 1..];
            }
            None => {
                out.push(b'&');
                rest = after;
            }
        }
    }
    out.extend_from_slice(rest);
}

fn character(name: &[u8]) -> Option<char> {
    let name = std::str::from_utf8(name).ok()?;
    let Some(number) = name.strip_prefix('#') else {
        return NAMES.iter().find(|(known, _)| *known == name).map(|(_, character)| *character);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?).filter(|character| *character != '\0')
}
