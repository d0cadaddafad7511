//! Random data that goes out with a call: for queries, header fields and bodies.

use crate::seed::Stream;
use warwolf_plan::{DataPlace, RandomData};

/// Appends what `data` puts into a request, drawn from `stream`: for a query with its question mark, for a body with the
/// `Content-length` line and the empty line before it. Gives the length of the data itself as it was drawn and escaped.
pub(crate) fn write(stream: Stream, data: &RandomData, out: &mut Vec<u8>) -> u64 {
    let drawn = draw(stream, data);
    match data.place {
        DataPlace::Query | DataPlace::Path => {
            if data.place == DataPlace::Query {
                out.push(b'?');
            }
            // A line feed ends the request line: what is behind it would be another line.
            let end = drawn.iter().position(|byte| *byte == b'\n').unwrap_or(drawn.len());
            out.extend_from_slice(&drawn[..end]);
        }
        DataPlace::Body => {
            out.extend_from_slice(format!("Content-length: {}\r\n\r\n", drawn.len()).as_bytes());
            out.extend_from_slice(&drawn);
        }
    }
    drawn.len() as u64
}

/// One to `max` bytes, each of any value, escaped where that is wanted.
fn draw(stream: Stream, data: &RandomData) -> Vec<u8> {
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

/// Appends a byte as URLs may have it: RFC 2396 sections 2.2 and 2.3, reserved and unreserved characters.
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
        let data = RandomData { max: 20, place: DataPlace::Body, escaped: false };
        let (mut lengths, mut values) = ([0; 21], [0; 256]);
        for number in 0..20_000 {
            let drawn = draw(stream(number), &data);
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
        let of = |place, escaped| {
            let mut out = Vec::new();
            let length = write(stream(3), &RandomData { max: 3_000, place, escaped }, &mut out);
            (length as usize, out)
        };
        let (length, query) = of(DataPlace::Query, true);
        assert_eq!((query[0], query.len()), (b'?', length + 1));
        let (_, path) = of(DataPlace::Path, true);
        assert_eq!(path, query[1..]);
        let (length, body) = of(DataPlace::Body, false);
        let head = format!("Content-length: {length}\r\n\r\n");
        assert!(body.starts_with(head.as_bytes()) && body.len() == head.len() + length);
        let (counted, raw) = of(DataPlace::Path, false);
        let line_feed = body[head.len()..].iter().position(|byte| *byte == b'\n').unwrap();
        assert_eq!((counted, raw.len()), (length, line_feed), "sent up to a line feed, and counted whole");
    }
}
