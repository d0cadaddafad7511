//! Parses the file of `--wsesslog`: sessions of bursts of requests.
//!
//! ```text
//! file     := { line }
//! line     := "#" anything                        in the first column: a comment
//!           | blanks                              ends the session
//!           | [ blank ] uri { blanks arg }        without the blank, or first in its session: begins a burst
//! arg      := "method=" NAME | "think=" REAL | "contents=" STRING
//! ```

use super::number::real;

/// One request of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Logged {
    pub(super) target: Vec<u8>,
    pub(super) method: &'static str,
    /// The body; empty means none.
    pub(super) contents: Vec<u8>,
}

/// A burst: the first request alone, the others once it is answered, then a pause.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LoggedBurst {
    pub(super) calls: Vec<Logged>,
    pub(super) think: f64,
}

/// The bursts of one session.
pub(super) type LoggedSession = Vec<LoggedBurst>;

/// The known methods. Any text that begins with one of them counts as that method.
const METHODS: [&str; 9] = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT", "TRACE", "PROPFIND", "REPORT"];

/// Parses a session file. Messages use `name` for the file; `think` is the default pause after a burst.
///
/// # Errors
/// The error in the file, with the original's message where it has one.
pub(super) fn parse(text: &[u8], name: &str, think: f64) -> Result<Vec<LoggedSession>, String> {
    let mut sessions: Vec<LoggedSession> = Vec::new();
    let mut open = false;
    let mut reader = Reader { text, at: 0 };
    while let Some(first) = reader.peek() {
        if first == b'#' {
            reader.skip_line();
            continue;
        }
        let indented = is_blank(first);
        let target = reader.word();
        if target.is_empty() {
            reader.skip_line();
            open = false;
            continue;
        }
        let mut logged = Logged { target: target.to_vec(), method: "GET", contents: Vec::new() };
        let own_think = reader.arguments(&mut logged, name)?;
        if !open {
            sessions.push(Vec::new());
        }
        let Some(session) = sessions.last_mut() else { continue };
        if !open || !indented {
            session.push(LoggedBurst { calls: Vec::new(), think });
        }
        open = true;
        if let Some(burst) = session.last_mut() {
            burst.calls.push(logged);
            burst.think = own_think.unwrap_or(burst.think);
        }
    }
    if sessions.is_empty() { Err(format!("no session definitions in {name}")) } else { Ok(sessions) }
}

/// Returns whether a byte separates words. A carriage return does.
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_line(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    /// Returns the next word of this line; empty at its end.
    fn word(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let from = self.at;
        while self.peek().is_some_and(|byte| !is_blank(byte) && byte != b'\n') {
            self.at += 1;
        }
        &self.text[from..self.at]
    }

    /// Parses what follows a URI, up to and including the end of the line. Returns its think time, if any.
    fn arguments(&mut self, logged: &mut Logged, name: &str) -> Result<Option<f64>, String> {
        let mut think = None;
        loop {
            self.skip_blanks();
            let from = self.at;
            let word = self.word();
            if word.is_empty() {
                self.skip_line();
                return Ok(think);
            }
            let shown = || String::from_utf8_lossy(word).into_owned();
            if let Some(method) = word.strip_prefix(b"method=").filter(|method| !method.is_empty()) {
                let known = METHODS.iter().find(|known| method.starts_with(known.as_bytes()));
                let Some(known) = known else {
                    let method = String::from_utf8_lossy(method);
                    return Err(format!("did not recognize method '{method}' in {name}"));
                };
                logged.method = known;
            } else if let Some(time) = word.strip_prefix(b"think=") {
                let time = std::str::from_utf8(time).ok().and_then(real);
                let Some((time, ..)) = time else {
                    return Err(format!("did not recognize arg '{}' in {name}", shown()));
                };
                think = Some(time.max(0.0));
            } else if word.strip_prefix(b"contents=").is_some_and(|contents| !contents.is_empty()) {
                self.at = from + b"contents=".len();
                logged.contents = self.contents(name)?;
            } else {
                return Err(format!("did not recognize arg '{}' in {name}", shown()));
            }
        }
    }

    /// Parses a string by the rules of a shell, plus a few escapes of C everywhere.
    fn contents(&mut self, name: &str) -> Result<Vec<u8>, String> {
        let (mut contents, mut quote) = (Vec::new(), None);
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' if quote.is_none() => break,
                b'\'' | b'"' if quote == Some(byte) => quote = None,
                b'\'' | b'"' if quote.is_none() => quote = Some(byte),
                b'\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some(b'n') => contents.push(b'\n'),
                        Some(b'r') => contents.push(b'\r'),
                        Some(b't') => contents.push(b'\t'),
                        Some(b'\n') if self.at + 1 == self.text.len() => {
                            return Err(format!("premature EOF seen in '{name}'"));
                        }
                        Some(other) => contents.push(other),
                        None => break,
                    }
                }
                b'\n' => {
                    // An unterminated quote extends to the end of its line.
                    contents.push(byte);
                    break;
                }
                other => contents.push(other),
            }
            self.at += 1;
        }
        Ok(contents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sessions(text: &str) -> Vec<LoggedSession> {
        parse(text.as_bytes(), "f", 1.0).unwrap_or_else(|error| panic!("{text:?}: {error}"))
    }

    /// Formats sessions as one line of text: bursts in brackets, each followed by its pause.
    fn shape(text: &str) -> String {
        let call = |logged: &Logged| {
            let contents = String::from_utf8_lossy(&logged.contents).escape_debug().to_string();
            let body = if contents.is_empty() { String::new() } else { format!("<{contents}>") };
            let method = if logged.method == "GET" { "" } else { logged.method };
            format!("{method}{}{body}", String::from_utf8_lossy(&logged.target))
        };
        let burst = |burst: &LoggedBurst| {
            let calls: Vec<_> = burst.calls.iter().map(call).collect();
            format!("[{}]{}", calls.join(" "), burst.think)
        };
        let session = |session: &LoggedSession| session.iter().map(burst).collect::<Vec<_>>().join(" ");
        sessions(text).iter().map(session).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn lines_make_bursts_and_sessions() {
        let rows = [
            ("/a", "[/a]1", "no line end"),
            ("/a\n/b\n", "[/a]1 [/b]1", "two bursts"),
            ("/a\n /b\n\t/c\n/d\n", "[/a /b /c]1 [/d]1", "indented lines join the burst"),
            ("  /a\n /b\n", "[/a /b]1", "the first of a session begins a burst, indented or not"),
            ("/a\n\n \t\n\n/b\n", "[/a]1 | [/b]1", "several empty lines are one"),
            ("\n\n/a\n\n", "[/a]1", "empty lines at the ends are none"),
            ("/a\r\n /b\r\n\r\n/c\r\n", "[/a /b]1 | [/c]1", "a carriage return is a blank"),
            ("#x\n/a\n# y\n /b\n", "[/a /b]1", "comments end nothing"),
            (" #a\n", "[#a]1", "a comment begins in the first column"),
            ("/a#b\n", "[/a#b]1", "a fragment is part of the URI"),
            ("/a think=2\n /b\n/c\n", "[/a /b]2 [/c]1", "a burst's own pause"),
            ("/a think=2\n /b think=.5\n", "[/a /b]0.5", "of several pauses the last counts"),
            ("/a think=3x\n", "[/a]3", "what follows a number is ignored"),
            ("/a think=-1\n", "[/a]0", "no pause is shorter than none"),
        ];
        for (text, expected, why) in rows {
            assert_eq!(shape(text), expected, "{why}: {text:?}");
        }
    }

    #[test]
    fn methods_and_contents_are_read_as_the_original_reads_them() {
        let rows = [
            ("/a method=POST", "[POST/a]1", "a method"),
            ("/a method=PUTX", "[PUT/a]1", "what begins with a method is one"),
            ("/a method=REPORT", "[REPORT/a]1", "one of the later ones"),
            ("/a contents=x", "[/a<x>]1", "any method may have a body"),
            ("/a contents='a b' think=2", "[/a<a b>]2", "quotes keep blanks"),
            ("/a contents=a\"b c\"d", "[/a<ab cd>]1", "adjacent parts join"),
            (
                r#"/a contents="it's \"q\" \x""#,
                r#"[/a<it\'s \"q\" x>]1"#,
                "the other quote is an ordinary character",
            ),
            (r"/a contents='\'\n\r\t\\'", r"[/a<\'\n\r\t\\>]1", "escapes work in single quotes too"),
            (r"/a contents=un\ quoted\tx think=0", r"[/a<un quoted\tx>]0", "and outside quotes"),
            ("/a contents='1\\\n2'\n/b", r"[/a<1\n2>]1 [/b]1", "a line end behind a backslash goes on"),
            ("/a contents=1\\\n2\n/b", r"[/a<1\n2>]1 [/b]1", "outside quotes as well"),
            ("/a contents=\"x\n/b", r"[/a<x\n>]1 [/b]1", "an open quote takes its line"),
            ("/a contents=\"x", "[/a<x>]1", "an open quote at the end of the file"),
            ("/a contents=\"\"\n/b", "[/a]1 [/b]1", "an empty string is no body"),
            ("/a contents=q\r\n", r"[/a<q\r>]1", "a carriage return belongs to unquoted contents"),
            ("/a contents=x\\", "[/a<x>]1", "a backslash at the end of the file"),
            ("/a contents=x contents=y", "[/a<y>]1", "the last counts"),
        ];
        for (text, expected, why) in rows {
            assert_eq!(shape(text), expected, "{why}: {text:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_the_originals_words() {
        let rows = [
            ("/a bogus=1", "did not recognize arg 'bogus=1' in f"),
            ("/a contents= think=1", "did not recognize arg 'contents=' in f"),
            ("/a contents", "did not recognize arg 'contents' in f"),
            ("/a think=x", "did not recognize arg 'think=x' in f"),
            ("/a method=", "did not recognize arg 'method=' in f"),
            ("/a method=FOO", "did not recognize method 'FOO' in f"),
            ("/a method=get", "did not recognize method 'get' in f"),
            ("/a method=GETX foo", "did not recognize arg 'foo' in f"),
            ("/a contents=x\\\n", "premature EOF seen in 'f'"),
            ("", "no session definitions in f"),
            ("# nothing\n\n", "no session definitions in f"),
        ];
        for (text, expected) in rows {
            assert_eq!(parse(text.as_bytes(), "f", 0.0), Err(expected.to_owned()), "{text:?}");
        }
    }

    #[test]
    fn long_files_and_lines_are_taken_whole() {
        let text = "/a\n\n".repeat(1_500);
        assert_eq!(sessions(&text).len(), 1_500);
        let text = format!("/a contents={}\n", "x".repeat(600_000));
        assert_eq!(sessions(&text)[0][0].calls[0].contents.len(), 600_000);
    }

    /// Generates pieces of a file, both valid and invalid.
    fn pieces() -> impl Strategy<Value = Vec<u8>> {
        let words: Vec<&[u8]> = vec![
            b"/a",
            b"/b?c=d",
            b"method=",
            b"POST",
            b"think=",
            b"1.5",
            b"contents=",
            b"\n",
            b"\n",
            b"\r\n",
            b" ",
            b"\t",
            b"#",
            b"'",
            b"\"",
            b"\\",
            b"\\\n",
            b"=",
        ];
        let word = prop_oneof![
            9 => prop::sample::select(words).prop_map(<[u8]>::to_vec),
            1 => any::<u8>().prop_map(|byte| vec![byte]),
        ];
        prop::collection::vec(word, 0..80).prop_map(|words| words.concat())
    }

    fn logged() -> impl Strategy<Value = Logged> {
        let contents = prop::collection::vec(any::<u8>(), 0..30);
        ("/[a-z#?=%]{0,8}", prop::sample::select(METHODS.to_vec()), contents)
            .prop_map(|(target, method, contents)| Logged { target: target.into_bytes(), method, contents })
    }

    fn sessions_of_bursts() -> impl Strategy<Value = Vec<LoggedSession>> {
        let think = (0..9_000_u32).prop_map(|eighths| f64::from(eighths) / 8.0);
        let burst = (prop::collection::vec(logged(), 1..4), think)
            .prop_map(|(calls, think)| LoggedBurst { calls, think });
        prop::collection::vec(prop::collection::vec(burst, 1..4), 1..4)
    }

    /// Returns a file that encodes these sessions.
    fn written(sessions: &[LoggedSession]) -> Vec<u8> {
        let mut text = Vec::new();
        for burst in sessions.iter().flat_map(|session| session.iter().map(Some).chain([None])) {
            for (place, call) in burst.iter().flat_map(|burst| burst.calls.iter().enumerate()) {
                text.extend_from_slice(if place > 0 { b" " } else { b"" });
                text.extend_from_slice(&call.target);
                text.extend_from_slice(format!(" method={}", call.method).as_bytes());
                if !call.contents.is_empty() {
                    text.extend_from_slice(b" contents='");
                    for byte in &call.contents {
                        match byte {
                            b'\n' => text.extend_from_slice(b"\\n"),
                            b'\'' | b'\\' => text.extend_from_slice(&[b'\\', *byte]),
                            _ => text.push(*byte),
                        }
                    }
                    text.push(b'\'');
                }
                text.extend_from_slice(
                    format!(" think={}\n", burst.map_or(0.0, |burst| burst.think)).as_bytes(),
                );
            }
            if burst.is_none() {
                text.push(b'\n');
            }
        }
        text
    }

    proptest! {
        #[test]
        fn whatever_a_file_says_is_sessions_or_an_error(text in pieces()) {
            if let Ok(sessions) = parse(&text, "f", 1.0) {
                let lines = text.split(|byte| *byte == b'\n').count();
                let calls: Vec<_> = sessions.iter().flatten().flat_map(|burst| &burst.calls).collect();
                prop_assert!((1..=lines).contains(&calls.len()));
                prop_assert!(sessions.iter().all(|session| !session.is_empty()));
                prop_assert!(sessions.iter().flatten().all(|burst| !burst.calls.is_empty() && burst.think >= 0.0));
                let is_word = |call: &&Logged| !call.target.iter().any(|byte| is_blank(*byte) || *byte == b'\n');
                prop_assert!(calls.iter().all(|call| !call.target.is_empty() && is_word(call)));
            }
        }

        #[test]
        fn sessions_that_are_written_down_are_read_again(sessions in sessions_of_bursts()) {
            prop_assert_eq!(parse(&written(&sessions), "f", 1.0), Ok(sessions));
        }
    }
}
