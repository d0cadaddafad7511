//! Translates a request to a `curl` command, if curl can send it.

use crate::completeness::{find, is_plain, is_token, is_versioned};
use warwolf_exchange::Message;

/// Minimum length of a run that the shell generates.
const RUN_MIN: usize = 100;

/// Returns a POSIX shell command that sends the bytes of `message` to `origin` (scheme, host and port without a final slash), or
/// `None` if curl would send something else. `authority` is the value that curl sets as `Host` by default.
#[must_use]
pub fn command(message: &Message, origin: &str, authority: &str) -> Option<String> {
    let bytes = message.bytes();
    if !message.pauses().is_zero() || !is_versioned(&bytes) {
        return None;
    }
    let head_end = find(&bytes, b"\r\n\r\n")? + 2;
    let (head, body) = (&bytes[..head_end], &bytes[head_end + 2..]);
    let head = std::str::from_utf8(head).ok()?;
    let mut lines = head.split_terminator("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if !target.starts_with('/') || target.contains('#') {
        return None;
    }
    let mut command = String::from("curl -sSig --path-as-is");
    command += if version == "HTTP/1.0" { " --http1.0" } else { " --http1.1" };
    match method {
        "GET" if body.is_empty() => {}
        "HEAD" => command += " --head",
        method => command += &format!(" -X {}", quoted(method)),
    }
    command += &fields(lines, authority, body.len())?;
    command += &format!(" {}", quoted(&format!("{origin}{target}")));
    if body.is_empty() {
        return Some(command);
    }
    Some(format!("printf '{}' | {command} --data-binary @-", octal(body)))
}

/// Returns the options that make curl send exactly these header lines.
fn fields<'a>(lines: impl Iterator<Item = &'a str>, authority: &str, body: usize) -> Option<String> {
    let mut options = String::new();
    let mut seen: Vec<String> = Vec::new();
    let mut has_length = false;
    for line in lines {
        let (name, value) = line.split_once(':')?;
        let value = value.trim_matches([' ', '\t']);
        if !is_token(name.as_bytes()) || !value.bytes().all(|byte| is_plain(&[byte]) || byte == b' ') {
            return None;
        }
        let lower = name.to_ascii_lowercase();
        let is_again = seen.contains(&lower);
        match lower.as_str() {
            // curl cannot send fields that it sets itself a second time.
            "host" | "content-length" | "transfer-encoding" if is_again => return None,
            "host" if value == authority => {}
            "content-length" if body > 0 => {
                if value != body.to_string() {
                    return None;
                }
                has_length = true;
            }
            "transfer-encoding" => return None,
            _ if value.is_empty() => options += &format!(" -H {}", quoted(&format!("{name};"))),
            _ => options += &format!(" -H {}", quoted(&format!("{name}: {value}"))),
        }
        seen.push(lower);
    }
    if body > 0 && !has_length {
        return None;
    }
    for (name, lower) in [("Host", "host"), ("User-Agent", "user-agent"), ("Accept", "accept")] {
        if !seen.iter().any(|name| name == lower) {
            options += &format!(" -H '{name}:'");
        }
    }
    if body > 0 && !seen.iter().any(|name| name == "content-type") {
        options += " -H 'Content-Type:'";
    }
    Some(options)
}

/// Quotes one word for a POSIX shell.
#[must_use]
pub fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Quotes one word for a shell; the shell generates long runs of a letter.
fn quoted(text: &str) -> String {
    let mut out = String::from("'");
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = rest.len() - rest.trim_start_matches(first).len();
        let times = length / first.len_utf8();
        if times >= RUN_MIN && first.is_ascii_alphanumeric() {
            out += &format!("'\"$(head -c {times} /dev/zero | tr '\\0' {first})\"'");
            rest = &rest[length..];
        } else {
            if first == '\'' {
                out += "'\\''"
            } else {
                out.push(first)
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    out + "'"
}

/// Formats bytes for `printf`.
fn octal(bytes: &[u8]) -> String {
    let mut out = String::new();
    for byte in bytes {
        match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b' '
            | b'.'
            | b','
            | b':'
            | b'{'
            | b'}'
            | b'['
            | b']' => {
                out.push(char::from(*byte));
            }
            _ => out += &format!("\\{byte:03o}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spelling::read;

    #[test]
    fn only_requests_that_curl_can_send_become_commands() {
        let rows = [
            (
                r"GET /?a HTTP/1.0\r\n\r\n",
                Some("curl -sSig --path-as-is --http1.0 -H 'Host:' -H 'User-Agent:' -H 'Accept:' 'http://a.test/?a'"),
            ),
            (
                r"PUT / HTTP/1.1\r\nHost: a.test\r\nAccept: x\r\nUser-Agent:\r\nContent-Length: 3\r\n\r\na\x00'".trim_end_matches('\''),
                None,
            ),
            (
                r"PUT / HTTP/1.1\r\nHost: a.test\r\nAccept: x\r\nContent-Length: 2\r\n\r\na\x00",
                Some(
                    "printf 'a\\000' | curl -sSig --path-as-is --http1.1 -X 'PUT' -H 'Accept: x' -H 'User-Agent:' -H \
                     'Content-Type:' 'http://a.test/' --data-binary @-",
                ),
            ),
            (r"GET / HTTP/1.0\r\n\x00\r\n\r\n", None),
            (r"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\n", None),
            (r"GET /\{pause 1ms} HTTP/1.0\r\n\r\n", None),
            (r"GET / HTTP/1.0\n\n", None),
        ];
        for (text, expected) in rows {
            let found = command(&read(text).unwrap(), "http://a.test", "a.test");
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_shell_generates_long_runs() {
        assert_eq!(
            quoted(&format!("/?{}b'c", "a".repeat(8_193))),
            "'/?'\"$(head -c 8193 /dev/zero | tr '\\0' a)\"'b'\\''c'"
        );
    }
}
