//! Splits a text into commands and words as a POSIX shell does, `$'…'` of bash included.

use crate::error::{ImportError, Place};
use crate::recorded::Recording;
use crate::text::Text;
use std::collections::{BTreeMap, HashMap};
use std::iter::Peekable;
use std::str::Chars;

/// Limit of what variables of the text expand to, in bytes, over the whole text: a few lines could double it each.
const EXPANDED_BYTES_MAX: usize = 1 << 20;

/// A word of a command line.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) text: Text,
    /// Line and column of its first character.
    pub(super) at: (usize, usize),
}

impl Word {
    pub(super) fn place(&self) -> Place {
        Place::Column(self.at.0, self.at.1)
    }
}

/// Splits a text into commands, none of them empty. Notes what comes behind pipes and redirections.
///
/// # Errors
/// A quote that does not close, and what only a shell can evaluate.
pub(super) fn commands(
    text: &str,
    variables: &BTreeMap<String, String>,
    recording: &mut Recording,
) -> Result<Vec<Vec<Word>>, ImportError> {
    let mut shell = Shell {
        chars: text.chars().peekable(),
        line: 1,
        column: 1,
        at: (1, 1),
        word: None,
        words: Vec::new(),
        commands: Vec::new(),
        variables: variables
            .iter()
            .map(|(name, value)| (name.clone(), Text::literal(value.as_str())))
            .collect(),
        given: variables,
        expanded: 0,
        is_piped: false,
        is_redirected: false,
        recording,
    };
    shell.run()?;
    Ok(shell.commands)
}

struct Shell<'t> {
    chars: Peekable<Chars<'t>>,
    line: usize,
    column: usize,
    /// Where the word begins.
    at: (usize, usize),
    /// The word so far; a pair of quotes begins an empty one.
    word: Option<Text>,
    words: Vec<Word>,
    commands: Vec<Vec<Word>>,
    variables: HashMap<String, Text>,
    /// Those that the text does not replace.
    given: &'t BTreeMap<String, String>,
    /// Bytes that variables expanded to.
    expanded: usize,
    /// Whether the command reads the output of the one before it.
    is_piped: bool,
    /// Whether the next word is the file of a redirection.
    is_redirected: bool,
    recording: &'t mut Recording,
}

impl Shell<'_> {
    fn next(&mut self) -> Option<char> {
        let letter = self.chars.next()?;
        if letter == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        Some(letter)
    }

    fn take(&mut self, expected: char) -> bool {
        let is_next = self.chars.peek() == Some(&expected);
        if is_next {
            self.next();
        }
        is_next
    }

    fn wrong<T>(&self, at: (usize, usize), message: &str) -> Result<T, ImportError> {
        Err(ImportError::new(Place::Column(at.0, at.1), message))
    }

    fn text(&mut self) -> &mut Text {
        self.word.get_or_insert_default()
    }

    fn push(&mut self, letter: char) {
        self.text().push_str(letter.encode_utf8(&mut [0; 4]));
    }

    fn run(&mut self) -> Result<(), ImportError> {
        loop {
            let at = (self.line, self.column);
            if self.word.is_none() {
                self.at = at;
            }
            let Some(letter) = self.next() else { break };
            match letter {
                ' ' | '\t' | '\r' => self.end_word(),
                '\n' | ';' => self.end_command(false),
                '&' if self.take('>') => self.redirect(at)?,
                '&' | '|' => {
                    let is_pipe = !self.take(letter) && letter == '|';
                    self.end_command(is_pipe);
                }
                '>' => self.redirect(at)?,
                '<' => return self.wrong(at, "input from a file or text: give it with `-d @FILE` instead"),
                '#' if self.word.is_none() => {
                    while self.chars.peek().is_some_and(|letter| *letter != '\n') {
                        self.next();
                    }
                }
                '\\' => self.escape(),
                '\'' => self.single(at)?,
                '"' => self.double(at)?,
                '$' => self.dollar(at, false)?,
                '`' => return self.wrong(at, COMMAND),
                '^' if matches!(self.chars.peek(), Some('\r' | '\n' | '"')) => return self.wrong(at, CMD),
                letter => self.push(letter),
            }
        }
        self.end_command(false);
        Ok(())
    }

    fn end_word(&mut self) {
        let Some(text) = self.word.take() else { return };
        let at = self.at;
        if std::mem::take(&mut self.is_redirected) {
            self.recording.drop(
                Place::Line(at.0),
                format!("output to {text}"),
                "the report is the result of a load test",
            );
            return;
        }
        let is_first = match self.words.as_slice() {
            [] => true,
            [word] => word.text.plain() == Some("export"),
            _ => false,
        };
        let assigned = text.split_once(&['=']).filter(|_| is_first);
        if let Some((name, value)) = assigned
            && let Some(name) = name.plain().filter(|name| is_name(name))
        {
            if !self.given.contains_key(name) {
                self.variables.insert(name.to_owned(), value);
            }
            return;
        }
        self.words.push(Word { text, at });
    }

    fn end_command(&mut self, is_pipe: bool) {
        self.end_word();
        let words = std::mem::take(&mut self.words);
        let was_piped = std::mem::replace(&mut self.is_piped, is_pipe);
        let Some(first) = words.first() else { return };
        if was_piped {
            let what = format!("| {}", first.text);
            self.recording.drop(Place::Line(first.at.0), what, "programs behind a pipe are not run");
        } else if words.len() > 1 || first.text.plain() != Some("export") {
            self.commands.push(words);
        }
    }

    /// A redirection of output; `>` is read. A number before it is that of a descriptor.
    fn redirect(&mut self, at: (usize, usize)) -> Result<(), ImportError> {
        let is_number =
            |text: &Text| text.plain().is_some_and(|text| text.bytes().all(|b| b.is_ascii_digit()));
        if self.word.as_ref().is_some_and(is_number) {
            self.word = None;
        }
        self.end_word();
        self.take('>');
        self.take('|');
        if self.take('&') {
            while self.chars.peek().is_some_and(char::is_ascii_digit) {
                self.next();
            }
            return Ok(());
        }
        if self.take('(') {
            return self.wrong(at, COMMAND);
        }
        self.is_redirected = true;
        Ok(())
    }

    /// A backslash outside of quotes; at the end of a line it continues the line.
    fn escape(&mut self) {
        match self.next() {
            None => self.push('\\'),
            Some('\n') => {}
            Some('\r') if self.take('\n') => {}
            Some(letter) => self.push(letter),
        }
    }

    fn single(&mut self, at: (usize, usize)) -> Result<(), ImportError> {
        self.text();
        loop {
            match self.next() {
                None => return self.wrong(at, "the quote `'` does not close"),
                Some('\'') => return Ok(()),
                Some(letter) => self.push(letter),
            }
        }
    }

    fn double(&mut self, at: (usize, usize)) -> Result<(), ImportError> {
        self.text();
        loop {
            let here = (self.line, self.column);
            match self.next() {
                None => return self.wrong(at, "the quote `\"` does not close"),
                Some('"') => return Ok(()),
                Some('`') => return self.wrong(here, COMMAND),
                Some('$') => self.dollar(here, true)?,
                Some('\\') => match self.next() {
                    Some('\n') | None => {}
                    Some('\r') if self.take('\n') => {}
                    Some(letter @ ('"' | '\\' | '$' | '`')) => self.push(letter),
                    Some(letter) => {
                        self.push('\\');
                        self.push(letter);
                    }
                },
                Some(letter) => self.push(letter),
            }
        }
    }

    /// What follows a dollar sign: a variable, or outside of quotes a text with escapes.
    fn dollar(&mut self, at: (usize, usize), is_quoted: bool) -> Result<(), ImportError> {
        match self.chars.peek() {
            Some('\'') if !is_quoted => {
                self.next();
                self.ansi(at)
            }
            Some('"') if !is_quoted => {
                self.next();
                self.double(at)
            }
            Some('(') => self.wrong(at, COMMAND),
            Some('{') => {
                self.next();
                let mut name = String::new();
                loop {
                    match self.next() {
                        Some('}') if is_name(&name) => return self.variable(&name, at),
                        Some(letter) if letter.is_ascii_alphanumeric() || letter == '_' => name.push(letter),
                        _ => return self.wrong(at, "only `$NAME` and `${NAME}` are known; write the value"),
                    }
                }
            }
            Some(letter) if letter.is_ascii_alphabetic() || *letter == '_' => {
                let mut name = String::new();
                while let Some(letter) = self.chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    self.column += 1;
                    name.push(letter);
                }
                self.variable(&name, at)
            }
            _ => {
                self.push('$');
                Ok(())
            }
        }
    }

    /// The value that the text gives to a variable; any other is one of the environment.
    fn variable(&mut self, name: &str, at: (usize, usize)) -> Result<(), ImportError> {
        let Some(value) = self.variables.get(name).cloned() else {
            self.text().push_value(&format!("env:{name}"));
            return Ok(());
        };
        self.expanded += value.len() + value.pieces().len();
        if self.expanded > EXPANDED_BYTES_MAX {
            return self.wrong(at, "the variables of this text expand to more than 1 MiB; write the values");
        }
        self.text().push(&value);
        Ok(())
    }

    /// A text `$'…'` of bash: escapes as in C. Escaped bytes must be UTF-8 together.
    fn ansi(&mut self, at: (usize, usize)) -> Result<(), ImportError> {
        let mut bytes = Vec::new();
        loop {
            let Some(letter) = self.next() else { return self.wrong(at, "the quote `$'` does not close") };
            match letter {
                '\'' => break,
                '\\' => {
                    let Some(letter) = self.next() else { continue };
                    self.ansi_escape(letter, &mut bytes);
                }
                letter => bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        match String::from_utf8(bytes) {
            Ok(text) => self.text().push_str(&text),
            Err(_) => {
                return self.wrong(at, "these bytes are not UTF-8: put them in a file, and use `@FILE`");
            }
        }
        Ok(())
    }

    fn ansi_escape(&mut self, letter: char, bytes: &mut Vec<u8>) {
        let plain = match letter {
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'v' => 11,
            'x' => {
                match self.number(16, 2) {
                    Some(byte) => bytes.push(byte as u8),
                    None => bytes.extend(b"\\x"),
                }
                return;
            }
            'u' | 'U' => {
                let code = self.number(16, if letter == 'u' { 4 } else { 8 });
                let letter = code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
                return bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
            '0'..='7' => {
                let first = letter.to_digit(8).unwrap_or_default();
                let mut value = first;
                for _ in 0..2 {
                    let Some(digit) = self.chars.peek().and_then(|letter| letter.to_digit(8)) else { break };
                    self.next();
                    value = value * 8 + digit;
                }
                value as u8
            }
            '\\' | '\'' | '"' | '?' => letter as u8,
            other => {
                bytes.push(b'\\');
                return bytes.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
            }
        };
        bytes.push(plain);
    }

    /// A number of at most so many digits.
    fn number(&mut self, radix: u32, digits: usize) -> Option<u32> {
        let mut value = None;
        for _ in 0..digits {
            let Some(digit) = self.chars.peek().and_then(|letter| letter.to_digit(radix)) else { break };
            self.next();
            value = Some(value.unwrap_or(0) * radix + digit);
        }
        value
    }
}

const COMMAND: &str =
    "the output of another command is not known; write the value, or a variable such as `$TOKEN`";
const CMD: &str = "this is a command line of Windows (`^`); copy it as cURL (bash)";

/// Whether a text may be the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|letter: char| letter.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<Vec<String>> {
        let commands = commands(text, &BTreeMap::new(), &mut Recording::default()).unwrap();
        commands.iter().map(|words| words.iter().map(|word| word.text.to_string()).collect()).collect()
    }

    #[test]
    fn words_are_split_as_in_bash() {
        for (text, words) in [
            ("a  b\tc", vec!["a", "b", "c"]),
            ("a \\\n  b\\\r\n c", vec!["a", "b", "c"]),
            ("'a b'\"c d\"e", vec!["a bc de"]),
            ("a '' \"\"", vec!["a", "", ""]),
            (r#""\"\\\$\`\n""#, vec!["\"\\$`\\n"]),
            (r"a\ b\'c", vec!["a b'c"]),
            (r"$'a\n\t\x41\u00e9\101\'\q\e'", vec!["a\n\tA\u{e9}A'\\q\u{1b}"]),
            (r"$'\xc3\xa9'", vec!["\u{e9}"]),
            ("a#b # c", vec!["a#b"]),
            ("\"$A-${B_1}\"$C '$D' $ 5$", vec!["{{env:A}}-{{env:B_1}}{{env:C}}", "$D", "$", "5$"]),
            ("{\"a\":1} [1-2]", vec!["{a:1}", "[1-2]"]),
            ("a 2>&1 2>/dev/null >x", vec!["a"]),
        ] {
            assert_eq!(split(text), [words], "{text}");
        }
    }

    #[test]
    fn commands_end_at_lines_and_operators() {
        assert_eq!(split("a; b && c || d\n\n# e\nf & g"), [["a"], ["b"], ["c"], ["d"], ["f"], ["g"]]);
        assert_eq!(split("T='x y'\nexport U=$T/u\ncurl $T \"$U\""), [["curl", "x y", "x y/u"]]);
        let mut recording = Recording::default();
        assert_eq!(commands("curl a | jq . > b\nc", &BTreeMap::new(), &mut recording).unwrap().len(), 2);
        let dropped: Vec<String> = recording.dropped.iter().map(ToString::to_string).collect();
        assert_eq!(dropped.len(), 2, "{dropped:?}");
    }

    #[test]
    fn what_only_a_shell_knows_is_refused_with_its_position() {
        for (text, expected) in [
            ("a\n 'b", "line 2, column 2: the quote `'` does not close"),
            ("a \"b", "line 1, column 3: the quote"),
            ("a $'b", "line 1, column 3: the quote"),
            ("a \"$(b)\"", "line 1, column 4: the output of another command"),
            ("a `b`", "line 1, column 3: the output of another command"),
            ("a ${b:-c}", "line 1, column 3: only `$NAME`"),
            ("a <b", "line 1, column 3: input"),
            (r"a $'\xff'", "line 1, column 3: these bytes are not UTF-8"),
            ("curl ^\"http://a/^\" ^\r\n -X", "line 1, column 6: this is a command line of Windows"),
        ] {
            let error = commands(text, &BTreeMap::new(), &mut Recording::default()).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
        let bomb: String = (0..40).map(|_| "A=x$A$A\n".to_owned()).collect();
        assert!(
            commands(&bomb, &BTreeMap::new(), &mut Recording::default())
                .unwrap_err()
                .to_string()
                .contains("1 MiB")
        );
    }
}
