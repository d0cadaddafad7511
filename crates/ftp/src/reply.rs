//! Replies: lines with a code, and several lines that belong together (RFC 959 section 4.2).

use crate::Violation;

/// Longest line of a reply in bytes. RFC 959 names no limit; real servers stay far below.
pub(crate) const LINE_MAX: usize = 4_096;
/// Longest reply in bytes, all its lines together.
pub(crate) const REPLY_MAX: usize = 65_536;

/// Assembles replies from bytes in pieces of any size.
#[derive(Debug, Default)]
pub(crate) struct Replies {
    /// The line being read; when a reply is complete, its last line without the line end.
    line: Vec<u8>,
    is_complete: bool,
    /// The code of the reply of several lines that is being read.
    open: Option<u16>,
    /// Length of the reply so far.
    length: usize,
    /// Bytes of all replies.
    total: u64,
}

impl Replies {
    /// Takes bytes off `input` up to the end of a reply, and returns its code once it is complete.
    pub(crate) fn take(&mut self, input: &mut &[u8]) -> Result<Option<u16>, Violation> {
        while !input.is_empty() {
            if std::mem::take(&mut self.is_complete) {
                self.line.clear();
            }
            let end = input.iter().position(|&byte| byte == b'\n');
            let (piece, rest) = input.split_at(end.map_or(input.len(), |end| end + 1));
            *input = rest;
            self.total += piece.len() as u64;
            self.length += piece.len();
            if self.line.len() + piece.len() > LINE_MAX || self.length > REPLY_MAX {
                return Err(Violation::ReplyTooLong);
            }
            self.line.extend_from_slice(piece);
            if end.is_none() {
                return Ok(None);
            }
            while matches!(self.line.last(), Some(b'\r' | b'\n')) {
                self.line.pop();
            }
            self.is_complete = true;
            if let Some(code) = self.end_line()? {
                self.length = 0;
                return Ok(Some(code));
            }
        }
        Ok(None)
    }

    /// The code, when the line just read is the last of its reply.
    fn end_line(&mut self) -> Result<Option<u16>, Violation> {
        let code = code(&self.line);
        let is_last = matches!(self.line.get(3), None | Some(b' '));
        match (self.open, code) {
            (Some(open), Some(code)) if open == code && is_last => {
                self.open = None;
                Ok(Some(code))
            }
            (Some(_), _) => Ok(None),
            (None, Some(code)) if is_last => Ok(Some(code)),
            (None, Some(code)) if self.line[3] == b'-' => {
                self.open = Some(code);
                Ok(None)
            }
            (None, _) => Err(Violation::BadReply),
        }
    }

    /// The last line of the reply that was completed last, without its line end.
    pub(crate) fn line(&self) -> &[u8] {
        &self.line
    }

    /// Bytes of all replies so far.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }
}

fn code(line: &[u8]) -> Option<u16> {
    let [first @ b'1'..=b'5', second @ b'0'..=b'9', third @ b'0'..=b'9', ..] = line else { return None };
    Some(u16::from(first - b'0') * 100 + u16::from(second - b'0') * 10 + u16::from(third - b'0'))
}

/// The port of a reply to `PASV`: the last two of six numbers, wherever they stand (RFC 1123 section 4.1.2.6). The address
/// before them is ignored: data connections go to the address of the control connection.
pub(crate) fn passive_port(line: &[u8]) -> Result<u16, Violation> {
    let text = line.get(4..).unwrap_or_default();
    let start = text.iter().position(u8::is_ascii_digit).ok_or(Violation::BadPort)?;
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b',';
    let end = text[start..].iter().position(|byte| !is_part(byte)).map_or(text.len(), |end| start + end);
    let mut numbers = [0_u8; 6];
    let mut parts = text[start..end].split(|&byte| byte == b',');
    for number in &mut numbers {
        *number = parts.next().and_then(decimal).ok_or(Violation::BadPort)?;
    }
    match (parts.next(), u16::from_be_bytes([numbers[4], numbers[5]])) {
        (None, port @ 1..) => Ok(port),
        _ => Err(Violation::BadPort),
    }
}

/// The port of a reply to `EPSV`: `(|||port|)` with any delimiter (RFC 2428 section 3).
pub(crate) fn extended_port(line: &[u8]) -> Result<u16, Violation> {
    let start = line.iter().position(|&byte| byte == b'(').ok_or(Violation::BadPort)? + 1;
    let end = line.iter().rposition(|&byte| byte == b')').filter(|&end| end > start);
    let inside = &line[start..end.ok_or(Violation::BadPort)?];
    let mut parts = inside.split(|&byte| byte == inside[0]);
    match (parts.next(), parts.next(), parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some([]), Some([]), Some([]), Some(port), Some([]), None) => {
            decimal(port).filter(|&port: &u16| port > 0).ok_or(Violation::BadPort)
        }
        _ => Err(Violation::BadPort),
    }
}

/// A number of digits alone.
pub(crate) fn decimal<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    is_number.then(|| std::str::from_utf8(text).ok()?.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Result<Vec<(u16, String)>, Violation> {
        let (mut replies, mut input, mut found) = (Replies::default(), bytes, Vec::new());
        while let Some(code) = replies.take(&mut input)? {
            found.push((code, String::from_utf8_lossy(replies.line()).into_owned()));
        }
        Ok(found)
    }

    #[test]
    fn replies_have_one_line_or_several() {
        let rows: [(&str, &[(u16, &str)]); 6] = [
            ("220 ready\r\n", &[(220, "220 ready")]),
            ("220\n", &[(220, "220")]),
            ("230-hello\r\n 230 no\r\n231 no\r\n230-no\r\n230 yes\r\n", &[(230, "230 yes")]),
            ("150 go\r\n226 done\r\n", &[(150, "150 go"), (226, "226 done")]),
            ("226-\r\n226\r\n", &[(226, "226")]),
            ("226 no end", &[]),
        ];
        for (text, expected) in rows {
            let found = all(text.as_bytes()).unwrap();
            let found: Vec<_> = found.iter().map(|(code, line)| (*code, line.as_str())).collect();
            assert_eq!(found, expected, "{text:?}");
        }
        for wrong in ["hello\r\n", "\r\n", "22\r\n", "620 x\r\n", "020 x\r\n", "220x\r\n", "2 20\r\n"] {
            assert_eq!(all(wrong.as_bytes()), Err(Violation::BadReply), "{wrong:?}");
        }
    }

    #[test]
    fn replies_have_a_limit() {
        let line = |length: usize| [b"220 ".to_vec(), vec![b'x'; length - 6], b"\r\n".to_vec()].concat();
        assert_eq!(all(&line(LINE_MAX)).unwrap().len(), 1);
        assert_eq!(all(&line(LINE_MAX + 1)), Err(Violation::ReplyTooLong));
        assert_eq!(all(&vec![b'2'; LINE_MAX + 1]), Err(Violation::ReplyTooLong), "without a line end too");
        let other = [b"333 ".to_vec(), vec![b'x'; 994], b"\r\n".to_vec()].concat();
        let endless = [b"220-\r\n".to_vec(), other.repeat(66)].concat();
        assert_eq!(all(&endless), Err(Violation::ReplyTooLong));
    }

    #[test]
    fn ports_are_found_where_servers_put_them() {
        let passive = [
            ("227 Entering passive mode (127,0,0,1,197,241).", Ok(50_673)),
            ("227 Entering Passive Mode 10,0,0,1,0,21", Ok(21)),
            ("227 =1,2,3,4,255,255 ok", Ok(65_535)),
            ("227 (1,2,3,4,0,0)", Err(Violation::BadPort)),
            ("227 (1,2,3,4,5)", Err(Violation::BadPort)),
            ("227 (1,2,3,4,5,6,7)", Err(Violation::BadPort)),
            ("227 (1,2,3,4,256,6)", Err(Violation::BadPort)),
            ("227 (1,2,,4,5,6)", Err(Violation::BadPort)),
            ("227 nothing", Err(Violation::BadPort)),
            ("227", Err(Violation::BadPort)),
        ];
        for (line, expected) in passive {
            assert_eq!(passive_port(line.as_bytes()), expected, "{line}");
        }
        let extended = [
            ("229 Entering Extended Passive Mode (|||6446|)", Ok(6_446)),
            ("229 ok (!!!21!)", Ok(21)),
            ("229 (|||0|)", Err(Violation::BadPort)),
            ("229 (|||65536|)", Err(Violation::BadPort)),
            ("229 (|1|127.0.0.1|21|)", Err(Violation::BadPort)),
            ("229 (|||21|", Err(Violation::BadPort)),
            ("229 ()", Err(Violation::BadPort)),
            ("229 )(", Err(Violation::BadPort)),
            ("229", Err(Violation::BadPort)),
        ];
        for (line, expected) in extended {
            assert_eq!(extended_port(line.as_bytes()), expected, "{line}");
        }
    }
}
