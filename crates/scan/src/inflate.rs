//! Undoes the content coding of a body as it streams: gzip (RFC 1952) and deflate (RFC 1950, or RFC 1951 alone).

use flate2::{Decompress, FlushDecompress, Status};

/// Bytes that are decompressed at once.
const OUTPUT: usize = 32 * 1024;

pub(crate) const CORRUPT: &str = "the compressed body is corrupt";
pub(crate) const CUT: &str = "the compressed body ends too early";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The first byte of a body with deflate.
    First,
    /// The header of gzip, of which so many bytes have been read.
    Fixed(u8),
    /// The length of the extra field: bytes read, and the length from them.
    ExtraLength(u8, u16),
    Extra(u16),
    Name,
    Comment,
    Checksum(u8),
    Data,
    /// Checksum and length after the data: bytes that are left.
    Trailer(u8),
    End,
}

/// Decompresses one body after the other.
#[derive(Debug)]
pub(crate) struct Inflate {
    engine: Decompress,
    coding: Coding,
    state: State,
    flags: u8,
    output: Box<[u8]>,
}

impl Inflate {
    pub(crate) fn new() -> Self {
        Self {
            engine: Decompress::new(false),
            coding: Coding::Gzip,
            state: State::End,
            flags: 0,
            output: vec![0; OUTPUT].into_boxed_slice(),
        }
    }

    pub(crate) fn begin(&mut self, coding: Coding) {
        self.coding = coding;
        self.flags = 0;
        self.state = match coding {
            Coding::Gzip => State::Fixed(0),
            Coding::Deflate => State::First,
        };
        self.engine.reset(false);
    }

    /// Gives the content of the next piece to `sink`.
    ///
    /// # Errors
    /// The body is not what its coding says.
    pub(crate) fn advance(
        &mut self,
        mut piece: &[u8],
        mut sink: impl FnMut(&[u8]),
    ) -> Result<(), &'static str> {
        while let Some((&byte, rest)) = piece.split_first() {
            match self.state {
                State::First => {
                    self.engine.reset(byte & 0x0F == 8);
                    self.state = State::Data;
                }
                State::Data => piece = self.data(piece, &mut sink)?,
                State::End if self.coding == Coding::Deflate => return Ok(()),
                State::End => {
                    // Another member follows.
                    self.begin(Coding::Gzip);
                }
                _ => {
                    self.header(byte)?;
                    piece = rest;
                }
            }
        }
        Ok(())
    }

    /// # Errors
    /// The body was cut.
    pub(crate) fn end(&self) -> Result<(), &'static str> {
        match self.state {
            // An empty body is as good as a compressed one without content, as in replies to HEAD.
            State::End | State::First | State::Fixed(0) => Ok(()),
            _ => Err(CUT),
        }
    }

    fn data<'a>(&mut self, piece: &'a [u8], sink: &mut impl FnMut(&[u8])) -> Result<&'a [u8], &'static str> {
        let (read, written) = (self.engine.total_in(), self.engine.total_out());
        let status =
            self.engine.decompress(piece, &mut self.output, FlushDecompress::None).map_err(|_| CORRUPT)?;
        let read = (self.engine.total_in() - read) as usize;
        let written = (self.engine.total_out() - written) as usize;
        if written > 0 {
            sink(&self.output[..written]);
        }
        if status == Status::StreamEnd {
            self.state = match self.coding {
                Coding::Gzip => State::Trailer(8),
                Coding::Deflate => State::End,
            };
        } else if read == 0 && written == 0 {
            return Err(CORRUPT);
        }
        let mut rest = &piece[read..];
        // Output that did not fit has no input any more.
        while rest.is_empty() && written == self.output.len() && self.state == State::Data {
            let before = self.engine.total_out();
            let status =
                self.engine.decompress(&[], &mut self.output, FlushDecompress::None).map_err(|_| CORRUPT)?;
            let more = (self.engine.total_out() - before) as usize;
            if more > 0 {
                sink(&self.output[..more]);
            }
            if status == Status::StreamEnd {
                self.state = if self.coding == Coding::Gzip { State::Trailer(8) } else { State::End };
            }
            if more < self.output.len() {
                rest = &piece[read..];
                break;
            }
        }
        Ok(rest)
    }

    /// The next byte around the data of gzip.
    fn header(&mut self, byte: u8) -> Result<(), &'static str> {
        self.state = match self.state {
            State::Fixed(at) => {
                let expected = [0x1F, 0x8B, 8].get(usize::from(at));
                if expected.is_some_and(|expected| *expected != byte) {
                    return Err(CORRUPT);
                }
                if at == 3 {
                    self.flags = byte;
                }
                if at < 9 { State::Fixed(at + 1) } else { self.after(2) }
            }
            State::ExtraLength(0, _) => State::ExtraLength(1, u16::from(byte)),
            State::ExtraLength(_, low) => match low | u16::from(byte) << 8 {
                0 => self.after(3),
                length => State::Extra(length),
            },
            State::Extra(1) => self.after(3),
            State::Extra(left) => State::Extra(left - 1),
            State::Name if byte == 0 => self.after(4),
            State::Comment if byte == 0 => self.after(5),
            State::Checksum(1) => self.after(6),
            State::Checksum(left) => State::Checksum(left - 1),
            State::Trailer(1) => State::End,
            State::Trailer(left) => State::Trailer(left - 1),
            other => other,
        };
        Ok(())
    }

    /// The next part of the header whose flag is set, from the given one on: extra field (2), name (3), comment (4),
    /// checksum (5).
    fn after(&mut self, from: u8) -> State {
        let has = |part: u8, bit: u8| from <= part && self.flags & bit != 0;
        if has(2, 4) {
            State::ExtraLength(0, 0)
        } else if has(3, 8) {
            State::Name
        } else if has(4, 16) {
            State::Comment
        } else if has(5, 2) {
            State::Checksum(2)
        } else {
            self.engine.reset(false);
            State::Data
        }
    }
}
