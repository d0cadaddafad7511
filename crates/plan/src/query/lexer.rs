//! The words of a check: bare words, quoted texts, operators.

/// Takes words off the beginning of a text.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    rest: &'a str,
}

/// One word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// It was written in quotes, so it is a text and no number or name.
    pub(super) is_quoted: bool,
}

impl<'a> Lexer<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// The text that is left, without the blanks around it.
    pub(super) fn rest(&self) -> &'a str {
        self.rest.trim()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    /// Takes this bare word or operator if it comes next.
    pub(super) fn take(&mut self, wanted: &str) -> bool {
        let mut ahead = self.clone();
        let is_next = matches!(ahead.next(), Ok(Some(word)) if !word.is_quoted && word.text == wanted);
        if is_next {
            *self = ahead;
        }
        is_next
    }

    /// Takes the next word: a quoted text, `|`, `,`, or what stands up to the next blank outside of quotes, brackets and
    /// braces. `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Word>, String> {
        self.rest = self.rest.trim_start();
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        if first == '"' || first == '\'' {
            return self.quoted(first).map(Some);
        }
        if first == '|' || first == ',' {
            self.rest = &self.rest[1..];
            return Ok(Some(Word { text: first.to_string(), is_quoted: false }));
        }
        let (word, rest) = self.rest.split_at(bare_end(self.rest));
        self.rest = rest;
        Ok(Some(Word { text: word.to_owned(), is_quoted: false }))
    }

    /// Takes a quoted text. In double quotes a backslash escapes a quote or a backslash, or names `\n`, `\r`, `\t`; before
    /// anything else it stays, so that regular expressions need no doubled ones. In single quotes nothing is escaped.
    fn quoted(&mut self, quote: char) -> Result<Word, String> {
        let mut text = String::new();
        let mut letters = self.rest.char_indices().skip(1).peekable();
        while let Some((at, letter)) = letters.next() {
            if letter == quote {
                self.rest = &self.rest[at + 1..];
                return Ok(Word { text, is_quoted: true });
            }
            let next = letters.peek().filter(|_| letter == '\\' && quote == '"').map(|(_, next)| *next);
            let replaced = match next {
                Some(next @ ('"' | '\\')) => Some(next),
                Some('n') => Some('\n'),
                Some('r') => Some('\r'),
                Some('t') => Some('\t'),
                _ => None,
            };
            if replaced.is_some() {
                letters.next();
            }
            text.push(replaced.unwrap_or(letter));
        }
        Err(format!("close the quote: {}", self.rest))
    }
}

/// Where a bare word ends: at a blank or comma outside of brackets and quotes in them.
fn bare_end(text: &str) -> usize {
    let (mut depth, mut quote) = (0_u32, None);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if depth > 0 => quote = Some(letter),
            (None, '[' | '(' | '{') => depth += 1,
            (None, ']' | ')' | '}') => depth = depth.saturating_sub(1),
            (None, _) if depth == 0 && (letter == ',' || letter.is_whitespace()) => return at,
            _ => {}
        }
    }
    text.len()
}

/// A name as a word: bare where that reads back as the same, else in quotes.
pub(super) fn word(text: &str) -> String {
    let is_bare = !text.is_empty()
        && text.chars().all(|letter| letter.is_ascii_graphic() && !"\"'|,[](){}\\".contains(letter));
    if is_bare { text.to_owned() } else { quoted(text) }
}

/// A text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // A backslash stays alone where what follows does not make an escape of it.
            '\\' if letters.peek().is_some_and(|next| !"\"\\nrt\n\r\t".contains(*next)) => out.push('\\'),
            '\\' => out.push_str("\\\\"),
            _ => out.push(letter),
        }
    }
    out.push('"');
    out
}
