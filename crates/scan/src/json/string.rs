//! Strings of JSON.

/// An escape of which some bytes have been read, the backslash at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    /// Its letter comes next.
    Letter,
    /// Four hexadecimal digits, of which `count` have been read.
    Digits { count: u8, unit: u16 },
    /// The backslash of the second half of a surrogate pair.
    Backslash { high: u16 },
    /// Its `u`.
    U { high: u16 },
    /// Its digits.
    Low { high: u16, count: u8, unit: u16 },
}

impl Escape {
    /// After one more byte: the character that it stands for, or what has been read of it. `None` if this is no escape.
    pub(super) fn next(self, byte: u8) -> Option<Result<char, Self>> {
        let digit = || (byte as char).to_digit(16).map(|digit| digit as u16);
        match self {
            Self::Letter => Some(match byte {
                b'"' | b'\\' | b'/' => Ok(byte as char),
                b'b' => Ok('\u{8}'),
                b'f' => Ok('\u{c}'),
                b'n' => Ok('\n'),
                b'r' => Ok('\r'),
                b't' => Ok('\t'),
                b'u' => Err(Self::Digits { count: 0, unit: 0 }),
                _ => return None,
            }),
            Self::Digits { count, unit } => {
                let unit = unit << 4 | digit()?;
                match (count, unit) {
                    (0..3, _) => Some(Err(Self::Digits { count: count + 1, unit })),
                    (_, 0xD800..0xDC00) => Some(Err(Self::Backslash { high: unit })),
                    // The second half of a pair without the first is no character.
                    _ => char::from_u32(u32::from(unit)).map(Ok),
                }
            }
            Self::Backslash { high } => (byte == b'\\').then_some(Err(Self::U { high })),
            Self::U { high } => (byte == b'u').then_some(Err(Self::Low { high, count: 0, unit: 0 })),
            Self::Low { high, count, unit } => {
                let unit = unit << 4 | digit()?;
                if count < 3 {
                    return Some(Err(Self::Low { high, count: count + 1, unit }));
                }
                char::decode_utf16([high, unit]).next()?.ok().map(Ok)
            }
        }
    }
}

/// Where the bytes end, from `at` on, that stand for themselves in a string: at a quote, a backslash or a control character.
#[inline]
pub(super) fn plain_end(piece: &[u8], mut at: usize) -> usize {
    const LOW: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    // In eight bytes at once: which of them are zero.
    let zero = |word: u64| word.wrapping_sub(LOW) & !word & HIGH;
    while let Some(bytes) = piece.get(at..at + 8) {
        let word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        let control = word.wrapping_sub(LOW * 0x20) & !word & HIGH;
        let special = control | zero(word ^ (LOW * u64::from(b'"'))) | zero(word ^ (LOW * u64::from(b'\\')));
        if special != 0 {
            // A borrow may mark bytes after the first one that is special, never before it.
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while piece.get(at).is_some_and(|byte| *byte >= 0x20 && *byte != b'"' && *byte != b'\\') {
        at += 1;
    }
    at
}

/// The bytes of a valid JSON string, given without its quotes, with escapes resolved.
#[derive(Clone, Debug)]
pub(crate) struct Unescape<'a> {
    rest: &'a [u8],
    /// Bytes of the last character.
    ready: [u8; 4],
    count: usize,
    at: usize,
}

impl<'a> Unescape<'a> {
    pub(crate) const fn new(inside: &'a [u8]) -> Self {
        Self { rest: inside, ready: [0; 4], count: 0, at: 0 }
    }
}

impl Iterator for Unescape<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        if self.at < self.count {
            self.at += 1;
            return Some(self.ready[self.at - 1]);
        }
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        if byte != b'\\' {
            return Some(byte);
        }
        let mut escape = Escape::Letter;
        loop {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            match escape.next(byte)? {
                Err(next) => escape = next,
                Ok(letter) => {
                    self.count = letter.encode_utf8(&mut self.ready).len();
                    self.at = 1;
                    return Some(self.ready[0]);
                }
            }
        }
    }
}

/// Writes a valid JSON string, given without its quotes, with escapes resolved.
pub(crate) fn unescape(inside: &[u8], out: &mut Vec<u8>) {
    match memchr::memchr(b'\\', inside) {
        None => out.extend_from_slice(inside),
        Some(at) => {
            out.extend_from_slice(&inside[..at]);
            out.extend(Unescape::new(&inside[at..]));
        }
    }
}
