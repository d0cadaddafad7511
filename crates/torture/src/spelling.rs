//! Converts requests to one line of text and back, for command lines, reports and files.
//!
//! Printable ASCII is literal. `\r`, `\n`, `\t`, `\\` and `\xHH` are bytes, `\{a*8193}` is `a` repeated 8,193 times, and
//! `\{pause 100ms}` is a pause. A single quote is written as `\x27`, so that the text can be put in single quotes.

use std::fmt::Write as _;
use std::time::Duration;
use warwolf_exchange::{Message, Step};

/// Minimum length of a run that is written with its length.
const RUN_MIN: usize = 12;
/// Maximum number of bytes of a request, and so of one run.
const BYTES_MAX: usize = 64 << 20;

/// Returns the spelling of `message`.
#[must_use]
pub fn spell(message: &Message) -> String {
    let mut text = String::new();
    for step in &message.steps {
        match step {
            Step::Bytes(bytes) => spell_bytes(bytes, &mut text),
            // Writing to a string cannot fail.
            Step::Pause(time) => drop(write!(text, "\\{{pause {}us}}", time.as_micros())),
        }
    }
    text
}

fn spell_bytes(bytes: &[u8], text: &mut String) {
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        let run = rest.iter().take_while(|byte| **byte == first).count();
        let (length, is_run) = if run >= RUN_MIN { (run, true) } else { (1, false) };
        if is_run {
            text.push_str("\\{");
        }
        match first {
            b'\r' => text.push_str("\\r"),
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            b'\\' => text.push_str("\\\\"),
            b'\'' => text.push_str("\\x27"),
            b'}' if is_run => text.push_str("\\x7d"),
            b' '..=b'~' => text.push(char::from(first)),
            _ => drop(write!(text, "\\x{first:02x}")),
        }
        if is_run {
            let _ = write!(text, "*{run}}}");
        }
        rest = &rest[length..];
    }
}

/// Parses a spelling.
///
/// # Errors
/// A message with the error and a valid alternative.
pub fn read(text: &str) -> Result<Message, String> {
    let mut steps = Vec::new();
    let mut bytes = Vec::new();
    let mut room = BYTES_MAX;
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix("\\{") {
            let (inside, behind) = inside.split_once('}').ok_or("`\\{` is not closed; use `\\{a*100}`")?;
            rest = behind;
            if let Some(time) = inside.strip_prefix("pause ") {
                if !bytes.is_empty() {
                    steps.push(Step::Bytes(std::mem::take(&mut bytes)));
                }
                steps.push(Step::Pause(pause(time)?));
                continue;
            }
            let (what, times) =
                inside.rsplit_once('*').ok_or_else(|| format!("`\\{{{inside}}}`: use `\\{{a*100}}`"))?;
            let times: usize = times.parse().map_err(|_| format!("`{times}`: use a number of times"))?;
            let (byte, left) = one(what)?;
            if !left.is_empty() || times > BYTES_MAX {
                return Err(format!("`\\{{{inside}}}`: use one byte, at most {BYTES_MAX} times"));
            }
            room = room.checked_sub(times).ok_or_else(|| format!("use at most {BYTES_MAX} bytes in all"))?;
            bytes.resize(bytes.len() + times, byte);
        } else {
            let (byte, left) = one(rest)?;
            bytes.push(byte);
            rest = left;
        }
    }
    if !bytes.is_empty() {
        steps.push(Step::Bytes(bytes));
    }
    Ok(Message { steps })
}

/// Parses the first byte of `text` and returns it with the rest.
fn one(text: &str) -> Result<(u8, &str), String> {
    let wrong = || format!("`{text}`: use printable ASCII, \\r, \\n, \\t, \\\\ or \\xHH");
    let mut letters = text.chars();
    let first = letters.next().ok_or_else(wrong)?;
    if first != '\\' {
        let byte = u8::try_from(first).ok().filter(u8::is_ascii).ok_or_else(wrong)?;
        return Ok((byte, letters.as_str()));
    }
    let byte = match letters.next().ok_or_else(wrong)? {
        'r' => b'\r',
        'n' => b'\n',
        't' => b'\t',
        '\\' => b'\\',
        'x' => {
            let digits = letters.as_str().get(..2).ok_or_else(wrong)?;
            let byte = u8::from_str_radix(digits, 16).map_err(|_| wrong())?;
            return Ok((byte, &letters.as_str()[2..]));
        }
        _ => return Err(wrong()),
    };
    Ok((byte, letters.as_str()))
}

fn pause(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}`: use a time such as 100ms");
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    match &text[digits.len()..] {
        "us" => Ok(Duration::from_micros(number)),
        "ms" => Ok(Duration::from_millis(number)),
        "s" => Ok(Duration::from_secs(number)),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Rng, TRAP_CONTENT};

    #[test]
    fn spellings_round_trip() {
        let mut rng = Rng::new(3, 0, TRAP_CONTENT);
        for _ in 0..300 {
            let mut steps = Vec::new();
            for _ in 0..rng.between(1, 3) {
                let length = rng.between(1, 40);
                let mut bytes = rng.bytes(length);
                let byte = rng.byte();
                bytes.extend(std::iter::repeat_n(byte, rng.below(40)));
                steps.push(Step::Bytes(bytes));
                steps.push(Step::Pause(Duration::from_micros(rng.bits() >> 40)));
            }
            let message = Message { steps };
            let text = spell(&message);
            assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'\''), "{text}");
            assert_eq!(read(&text).as_ref(), Ok(&message), "{text}");
        }
    }

    #[test]
    fn spellings_are_short_and_can_be_written_by_hand() {
        let mut bytes = b"GET /?".to_vec();
        bytes.resize(6 + 8193, b'a');
        bytes.extend(b" HTTP/1.0\r\n\r\n");
        let text = r"GET /?\{a*8193} HTTP/1.0\r\n\r\n";
        assert_eq!(spell(&Message::of(bytes.clone())), text);
        assert_eq!(read(text), Ok(Message::of(bytes)));
        assert_eq!(read(r"a\{pause 2s}b").unwrap().pauses(), Duration::from_secs(2));
        for wrong in
            [r"\", r"\q", r"\x4", r"\{a*", r"\{a}", r"\{ab*3}", r"\{a*x}", r"\{pause 3}", "\u{e4}", "a\\"]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        let sum = r"\{a*60000000}".repeat(2);
        assert_eq!(read(&sum), Err("use at most 67108864 bytes in all".to_owned()));
    }
}
