//! Reads chunked bodies (RFC 9112 section 7.1), received in pieces of any size.
//!
//! ```text
//!        digits         ;ext          CR LF            data           CR LF
//! Size ──────────► Size ────► Extension ────► Data ──────────► DataEnd ────► Size
//!                                      └ size 0 ► LineStart ─► Name ─► Value ─► LineStart … empty line ► end
//! ```

use super::Limits;
use crate::Violation;
use crate::template::is_token_byte;

/// Most bytes of extensions and padding in the size line of one chunk.
const EXTENSION_MAX: u32 = 4096;

/// The position of the reader in a chunked body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chunked {
    /// In the size line, before any digit.
    SizeStart,
    /// In the digits of the size.
    Size(u64),
    /// Behind the digits.
    Extension { size: u64, length: u32 },
    /// Behind the carriage return of a size line.
    SizeLineFeed(u64),
    /// In the data of a chunk.
    Data(u64),
    /// Behind the data.
    DataEnd,
    /// Behind the carriage return after the data.
    DataLineFeed,
    /// In the trailer section, of which `length` bytes were read.
    Trailer { length: usize, place: Place },
}

/// The position of the reader in the trailer section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// At the start of a line; `first` when it is the first one, which cannot continue another.
    LineStart { first: bool },
    /// In a field's name.
    Name,
    /// In a field's value.
    Value,
    /// In a value, behind a carriage return.
    ValueLineFeed,
    /// At the start of a line, behind a carriage return.
    LastLineFeed,
}

/// The result of reading.
pub(crate) enum Step<'a> {
    /// Data of the body, never empty.
    Data(&'a [u8]),
    /// The body is complete; this many bytes followed the line of its last chunk.
    End(usize),
    /// All input was used up.
    Hungry,
}

impl Chunked {
    /// A reader at the start of a body.
    pub(crate) const fn new() -> Self {
        Self::SizeStart
    }

    /// Reads until there is something to report, and moves `input` past what was read. Appends trailer fields to `trailers`.
    #[inline]
    pub(crate) fn step<'a>(
        &mut self,
        input: &mut &'a [u8],
        limits: &Limits,
        trailers: &mut Vec<u8>,
    ) -> Result<Step<'a>, Violation> {
        loop {
            if let Self::Data(left) = self {
                let size = usize::try_from(*left).unwrap_or(usize::MAX).min(input.len());
                if size == 0 {
                    return Ok(Step::Hungry);
                }
                let (data, rest) = input.split_at(size);
                *input = rest;
                *left -= size as u64;
                if *left == 0 {
                    *self = Self::DataEnd;
                }
                return Ok(Step::Data(data));
            }
            let Some((&byte, rest)) = input.split_first() else { return Ok(Step::Hungry) };
            *input = rest;
            match self.next(byte, limits)? {
                Some(next) => {
                    // The empty line is not kept: most trailer sections consist of it alone.
                    if let Self::Trailer { length: 1.., place } = next
                        && place != Place::LastLineFeed
                    {
                        trailers.push(byte);
                    }
                    *self = next;
                }
                None => {
                    let before = if let Self::Trailer { length, .. } = self { *length } else { 0 };
                    return Ok(Step::End(before + 1));
                }
            }
        }
    }

    /// The position after one byte outside of data; `None` when it ends the body.
    #[inline]
    fn next(self, byte: u8, limits: &Limits) -> Result<Option<Self>, Violation> {
        let next = match (self, byte) {
            (Self::SizeStart, _) => Self::Size(digit(byte).ok_or(Violation::BadChunkSize)?),
            (Self::Size(size), b'\r') => Self::SizeLineFeed(size),
            (Self::Size(size) | Self::SizeLineFeed(size) | Self::Extension { size, .. }, b'\n') => {
                Self::after_size(size)
            }
            (Self::Size(size), b';' | b' ' | b'\t') => Self::Extension { size, length: 1 },
            (Self::Size(size), _) => {
                let digit = digit(byte).ok_or(Violation::BadChunkSize)?;
                // Below 2^59 before the digit is below 2^63 after it.
                if size >= 1 << 59 {
                    return Err(Violation::BadChunkSize);
                }
                Self::Size(size << 4 | digit)
            }
            (Self::Extension { size, .. }, b'\r') => Self::SizeLineFeed(size),
            (Self::Extension { size, length }, _) if length < EXTENSION_MAX => {
                Self::Extension { size, length: length + 1 }
            }
            (Self::Extension { .. } | Self::SizeLineFeed(_), _) => return Err(Violation::BadChunkSize),
            (Self::DataEnd, b'\r') => Self::DataLineFeed,
            (Self::DataEnd | Self::DataLineFeed, b'\n') => Self::SizeStart,
            (Self::DataEnd | Self::DataLineFeed | Self::Data(_), _) => return Err(Violation::BadChunkEnd),
            (Self::Trailer { length, place }, _) => {
                if length >= limits.max_head {
                    return Err(Violation::HeadTooLong);
                }
                let Some(place) = place.next(byte)? else { return Ok(None) };
                Self::Trailer { length: length + 1, place }
            }
        };
        Ok(Some(next))
    }

    fn after_size(size: u64) -> Self {
        match size {
            0 => Self::Trailer { length: 0, place: Place::LineStart { first: true } },
            _ => Self::Data(size),
        }
    }
}

impl Place {
    /// The position after one byte; `None` when it ends the trailer section.
    fn next(self, byte: u8) -> Result<Option<Self>, Violation> {
        let next = match (self, byte) {
            (Self::LineStart { .. } | Self::LastLineFeed, b'\n') => return Ok(None),
            (Self::LineStart { .. }, b'\r') => Self::LastLineFeed,
            (Self::LineStart { first: false }, b' ' | b'\t') => Self::Value,
            (Self::LineStart { .. } | Self::Name, _) if is_token_byte(byte) => Self::Name,
            (Self::Name, b':') => Self::Value,
            (Self::Value, b'\r') => Self::ValueLineFeed,
            (Self::Value | Self::ValueLineFeed, b'\n') => Self::LineStart { first: false },
            (Self::Value, 1..) => Self::Value,
            _ => return Err(Violation::BadHeader),
        };
        Ok(Some(next))
    }
}

/// The value of a hexadecimal digit.
#[inline]
fn digit(byte: u8) -> Option<u64> {
    (byte as char).to_digit(16).map(u64::from)
}
