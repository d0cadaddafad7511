//! Random data that is sent with a call: in its head or as its body.

use crate::seed::Stream;
use warwolf_plan::RandomData;

/// Appends random data to a head: up to its first line feed, after which another line would begin. Returns the length of
/// the data that was drawn and escaped.
pub(crate) fn write_line(stream: Stream, data: RandomData, out: &mut Vec<u8>) -> u64 {
    let drawn = draw(stream, data);
    let end = drawn.iter().position(|byte| *byte == b'\n').unwrap_or(drawn.len());
    out.extend_from_slice(&drawn[..end]);
    drawn.len() as u64
}

/// Appends the end of a head, beginning with `Content-length`, and random data as the body. Returns the length of the body.
pub(crate) fn write_body(stream: Stream, data: RandomData, out: &mut Vec<u8>) -> u64 {
    let drawn = draw(stream, data);
    out.extend_from_slice(format!("Content-length: {}\r\n\r\n", drawn.len()).as_bytes());
    out.extend_from_slice(&drawn);
    drawn.len() as u64
}

/// Returns one to `max` bytes of any value, escaped if requested.
fn draw(stream: Stream, data: RandomData) -> Vec<u8> {
    let length = 1 + stream.below(0, data.max);
    let whole = usize::try_from(length).unwrap_or(0);
    let mut drawn = Vec::with_capacity(if data.escaped { whole * 5 / 2 } else { whole });
    for place in 0..length.div_ceil(8) {
        let bytes = stream.bits(1 + place).to_le_bytes();
        let wanted = (length - place * 8).min(8) as usize;
        if data.escaped {
            bytes[..wanted].iter().for_each(|byte| escape(*byte, &mut drawn));
        } else {
            drawn.extend_from_slice(&bytes[..wanted]);
        }
    }
    drawn
}

/// Appends a byte in the form that URLs allow: RFC 2396 sections 2.2 and 2.3, reserved and unreserved characters.
fn escape(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    if byte.is_ascii_alphanumeric() || b";/?:@&=+$,-_.!~*'()".contains(&byte) {
        out.push(byte);
    } else {
        out.extend_from_slice(&[b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Purpose, Streams};

    fn stream(number: u64) -> Stream {
        Streams::new(7, Purpose::DATA).stream(number)
    }

    #[test]
    fn lengths_and_bytes_are_even() {
        let data = RandomData { max: 20, escaped: false };
        let (mut lengths, mut values) = ([0; 21], [0; 256]);
        for number in 0..20_000 {
            let drawn = draw(stream(number), data);
            lengths[drawn.len()] += 1;
            drawn.iter().for_each(|byte| values[usize::from(*byte)] += 1);
        }
        assert_eq!(lengths[0], 0);
        assert!(lengths[1..].iter().all(|count| (800..1_200).contains(count)), "{lengths:?}");
        let mean = values.iter().sum::<u32>() / 256;
        assert!(values.iter().all(|count| count.abs_diff(mean) < mean / 5), "{values:?}");
    }

    #[test]
    fn eighty_one_values_are_sent_as_they_are() {
        let mut kept = 0;
        for byte in 0..=255 {
            let mut out = Vec::new();
            escape(byte, &mut out);
            kept += usize::from(out == [byte]);
            assert!(
                out.iter().all(u8::is_ascii_graphic) && (out.len() == 1 || out.len() == 3),
                "{byte}: {out:?}"
            );
        }
        assert_eq!(kept, 81);
        let mut out = Vec::new();
        b" /\xff\n".iter().for_each(|byte| escape(*byte, &mut out));
        assert_eq!(out, b"%20/%FF%0A");
    }

    #[test]
    fn data_stands_where_it_should() {
        let data = |escaped| RandomData { max: 3_000, escaped };
        let line = |escaped| {
            let mut out = Vec::new();
            let length = write_line(stream(3), data(escaped), &mut out);
            (length as usize, out)
        };
        let (length, escaped) = line(true);
        assert_eq!(escaped.len(), length);
        let mut body = Vec::new();
        let length = write_body(stream(3), data(false), &mut body) as usize;
        let head = format!("Content-length: {length}\r\n\r\n");
        assert!(body.starts_with(head.as_bytes()) && body.len() == head.len() + length);
        let (counted, raw) = line(false);
        let line_feed = body[head.len()..].iter().position(|byte| *byte == b'\n').unwrap();
        assert_eq!((counted, raw.len()), (length, line_feed), "sent up to a line feed, and counted whole");
    }
}
