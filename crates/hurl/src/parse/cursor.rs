use crate::ast::Pos;
use crate::error::ParseError;

/// A position in a text. Copies are bookmarks: assigning one goes back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a str,
    pos: Pos,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { rest: text, pos: Pos { line: 1, column: 1 } }
    }

    pub(crate) fn pos(&self) -> Pos {
        self.pos
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.rest
    }

    pub(crate) fn at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(crate) fn starts_with(&self, text: &str) -> bool {
        self.rest.starts_with(text)
    }

    /// Takes the next character.
    pub(crate) fn bump(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.rest = &self.rest[letter.len_utf8()..];
        if letter == '\n' {
            self.pos = Pos { line: self.pos.line + 1, column: 1 };
        } else {
            self.pos.column += 1;
        }
        Some(letter)
    }

    /// Takes `text` if it comes next.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let comes = self.starts_with(text);
        if comes {
            for _ in text.chars() {
                self.bump();
            }
        }
        comes
    }

    /// Takes `text`, which must come next.
    pub(crate) fn expect(&mut self, text: &str) -> Result<(), ParseError> {
        if self.eat(text) { Ok(()) } else { Err(self.expected(&format!("`{text}`"))) }
    }

    /// Takes characters as long as `wanted` accepts them.
    pub(crate) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let all = self.rest;
        while self.peek().is_some_and(&wanted) {
            self.bump();
        }
        &all[..all.len() - self.rest.len()]
    }

    /// The letters, digits and hyphens that come next, without taking them.
    pub(crate) fn word(&self) -> &'a str {
        let end = self.rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
        &self.rest[..end.unwrap_or(self.rest.len())]
    }

    /// Takes spaces and tabs, and returns whether there were any.
    pub(crate) fn spaces(&mut self) -> bool {
        !self.take_while(|letter| matches!(letter, ' ' | '\t')).is_empty()
    }

    /// Takes at least one space.
    pub(crate) fn expect_space(&mut self) -> Result<(), ParseError> {
        if self.spaces() { Ok(()) } else { Err(self.expected("a space")) }
    }

    /// Takes a line end, if one comes next.
    pub(crate) fn newline(&mut self) -> bool {
        self.eat("\r\n") || self.eat("\n")
    }

    /// Takes the text up to the line end, which stays.
    pub(crate) fn line(&mut self) -> &'a str {
        let all = self.rest;
        while !self.at_end() && !self.starts_with("\n") && !self.starts_with("\r\n") {
            self.bump();
        }
        &all[..all.len() - self.rest.len()]
    }

    /// Takes the rest of a line, in which only a comment may be left.
    pub(crate) fn end_line(&mut self) -> Result<(), ParseError> {
        self.spaces();
        if self.starts_with("#") {
            self.line();
        }
        if self.newline() || self.at_end() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }

    /// Takes blank lines, comments, and the spaces of the next line. Comments are passed to `comment`.
    pub(crate) fn skip_blank(&mut self, mut comment: impl FnMut(Pos, &'a str)) {
        loop {
            self.spaces();
            if self.starts_with("#") {
                let pos = self.pos;
                self.bump();
                comment(pos, self.line());
            }
            if !self.newline() {
                return;
            }
        }
    }

    /// An error: something else should stand here.
    pub(crate) fn expected(&self, what: &str) -> ParseError {
        let found = match self.peek() {
            None => "the end of the file".to_owned(),
            Some('\n' | '\r') => "the end of the line".to_owned(),
            Some(letter) if letter.is_ascii_alphanumeric() => format!("`{}`", self.word()),
            Some(letter) => format!("`{}`", letter.escape_debug()),
        };
        ParseError { pos: self.pos, message: format!("expected {what}, found {found}") }
    }
}

/// An error at `pos`.
pub(crate) fn error(pos: Pos, message: impl Into<String>) -> ParseError {
    ParseError { pos, message: message.into() }
}
