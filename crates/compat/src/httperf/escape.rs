//! Parses backslashes in the argument of `--add-header`.

/// Returns the bytes that `text` encodes, and the letters of unknown escapes, one per occurrence.
pub(super) fn unescape(text: &str) -> (Vec<u8>, Vec<char>) {
    let (mut bytes, mut unknown) = (Vec::with_capacity(text.len()), Vec::new());
    let mut letters = text.chars().peekable();
    let mut utf8 = [0; 4];
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            bytes.extend_from_slice(letter.encode_utf8(&mut utf8).as_bytes());
            continue;
        }
        match letters.next() {
            Some('n') => bytes.extend_from_slice(b"\r\n"),
            Some('r') => bytes.push(b'\r'),
            Some('a') => bytes.push(b'\n'),
            Some('\\') | None => bytes.push(b'\\'),
            Some(first) if first.is_ascii_digit() => {
                let mut value = first.to_digit(8).unwrap_or(0);
                if first.is_digit(8) {
                    while let Some(digit) = letters.peek().and_then(|c| c.to_digit(8)) {
                        value = value << 3 | digit;
                        letters.next();
                    }
                }
                bytes.push((value & 0xff) as u8);
                if !first.is_digit(8) {
                    bytes.push(first as u8);
                }
            }
            Some(other) => {
                unknown.push(other);
                bytes.extend_from_slice(other.encode_utf8(&mut utf8).as_bytes());
            }
        }
    }
    (bytes, unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_the_original() {
        let rows: [(&str, &[u8], &str); 9] = [
            (r"Referer: foo\nAuth: secret\n", b"Referer: foo\r\nAuth: secret\r\n", ""),
            (r"X-A: a\\b\101\r\aX-B: \x\n", b"X-A: a\\bA\r\nX-B: x\r\n", "x"),
            (r"\8z", b"\x008z", ""),
            (r"\1012", b"\n", ""),
            (r"\0", b"\0", ""),
            (r"\18", b"\x018", ""),
            (r"end\", b"end\\", ""),
            (r"\q\q", b"qq", "qq"),
            ("ä", "ä".as_bytes(), ""),
        ];
        for (text, expected, unknown) in rows {
            let (bytes, letters) = unescape(text);
            assert_eq!(
                (bytes.as_slice(), letters.iter().collect::<String>().as_str()),
                (expected, unknown),
                "{text}"
            );
        }
    }
}
