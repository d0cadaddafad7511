//! Texts of requests: recorded characters, and values that the plan fills in.

use std::fmt;

/// A text of a request. Recorded characters are never taken as a template, whatever braces they contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(Vec<Piece>);

/// A part of a [`Text`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Characters as recorded; never empty, and never beside each other.
    Literal(String),
    /// What stands between the braces of a template: `token`, `env:KEY`, `uuid`.
    Value(String),
}

impl Text {
    /// A text without values.
    pub fn literal(text: impl Into<String>) -> Self {
        let text = text.into();
        Self(if text.is_empty() { Vec::new() } else { vec![Piece::Literal(text)] })
    }

    /// A text that is one value.
    pub fn value(name: impl Into<String>) -> Self {
        Self(vec![Piece::Value(name.into())])
    }

    /// Reads a text in which `{{name}}` is what `resolve` makes of the name. Braces that do not close are characters.
    pub fn with_braces(text: &str, resolve: &mut dyn FnMut(&str) -> Self) -> Self {
        let mut whole = Self::default();
        let mut rest = text;
        while let Some(start) = rest.find("{{") {
            let Some(length) = rest[start..].find("}}") else { break };
            whole.push_str(&rest[..start]);
            whole.push(&resolve(rest[start + 2..start + length].trim()));
            rest = &rest[start + length + 2..];
        }
        whole.push_str(rest);
        whole
    }

    /// Adds characters.
    pub fn push_str(&mut self, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Literal(last)) => last.push_str(text),
            _ => self.0.push(Piece::Literal(text.to_owned())),
        }
    }

    /// Adds a value.
    pub fn push_value(&mut self, name: &str) {
        self.0.push(Piece::Value(name.to_owned()));
    }

    /// Adds another text.
    pub fn push(&mut self, other: &Self) {
        for piece in &other.0 {
            match piece {
                Piece::Literal(text) => self.push_str(text),
                Piece::Value(name) => self.push_value(name),
            }
        }
    }

    /// This text and another.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.push(other);
        self
    }

    /// Its parts.
    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// Whether it has no parts.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Its characters, if it has no values.
    pub fn plain(&self) -> Option<&str> {
        match self.0.as_slice() {
            [] => Some(""),
            [Piece::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// The characters at its beginning.
    pub fn start(&self) -> &str {
        match self.0.first() {
            Some(Piece::Literal(text)) => text,
            _ => "",
        }
    }

    /// Its length in bytes, values not counted.
    pub fn len(&self) -> usize {
        let length = |piece: &Piece| match piece {
            Piece::Literal(text) => text.len(),
            Piece::Value(_) => 0,
        };
        self.0.iter().map(length).sum()
    }

    /// The text before and after the first of these characters.
    pub fn split_once(&self, separator: &[char]) -> Option<(Self, Self)> {
        for (index, piece) in self.0.iter().enumerate() {
            let Piece::Literal(text) = piece else { continue };
            let Some(at) = text.find(separator) else { continue };
            let width = text[at..].chars().next().map_or(0, char::len_utf8);
            let mut before = Self(self.0[..index].to_vec());
            before.push_str(&text[..at]);
            let mut after = Self::literal(&text[at + width..]);
            after.push(&Self(self.0[index + 1..].to_vec()));
            return Some((before, after));
        }
        None
    }

    /// The text without these characters at its beginning.
    pub fn strip_prefix(&self, prefix: &str) -> Option<Self> {
        let rest = self.start().strip_prefix(prefix)?;
        let mut text = Self::literal(rest);
        text.push(&Self(self.0.get(1..).unwrap_or_default().to_vec()));
        Some(text)
    }

    /// The text without white space at both ends.
    #[must_use]
    pub fn trim(&self) -> Self {
        let mut pieces = self.0.clone();
        if let Some(Piece::Literal(text)) = pieces.first_mut() {
            *text = text.trim_start().to_owned();
        }
        if let Some(Piece::Literal(text)) = pieces.last_mut() {
            *text = text.trim_end().to_owned();
        }
        pieces.retain(|piece| !matches!(piece, Piece::Literal(text) if text.is_empty()));
        Self(pieces)
    }

    /// The text with its characters changed; values stay.
    #[must_use]
    pub fn map(&self, change: impl Fn(&str) -> String) -> Self {
        let mut text = Self::default();
        for piece in &self.0 {
            match piece {
                Piece::Literal(literal) => text.push_str(&change(literal)),
                Piece::Value(name) => text.push_value(name),
            }
        }
        text
    }

    /// Replaces a word of its characters by a value: where no letter, digit, `_` or `-` stands beside it. Returns whether there
    /// was one.
    pub fn replace_word(&mut self, word: &str, name: &str) -> bool {
        if word.is_empty()
            || !self.0.iter().any(|piece| matches!(piece, Piece::Literal(text) if text.contains(word)))
        {
            return false;
        }
        let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
        let mut text = Self::default();
        let mut is_changed = false;
        for piece in std::mem::take(&mut self.0) {
            let literal = match piece {
                Piece::Literal(literal) => literal,
                Piece::Value(name) => {
                    text.push_value(&name);
                    continue;
                }
            };
            let mut done = 0;
            for (at, _) in literal.match_indices(word) {
                let after = &literal[at + word.len()..];
                let is_part = literal[..at].ends_with(is_letter) || after.starts_with(is_letter);
                // A brace before a value would be read as a part of its braces.
                if is_part || literal[..at].ends_with(['{', '\\']) {
                    continue;
                }
                text.push_str(&literal[done..at]);
                text.push_value(name);
                done = at + word.len();
                is_changed = true;
            }
            text.push_str(&literal[done..]);
        }
        *self = text;
        is_changed
    }
}

/// As people read it, for names and messages; not the syntax of plans.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.0 {
            match piece {
                Piece::Literal(text) => f.write_str(text)?,
                Piece::Value(name) => write!(f, "{{{{{name}}}}}")?,
            }
        }
        Ok(())
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::literal(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_become_values() {
        let text = Text::with_braces("a {{ b }}{{c}} {{d", &mut |name| Text::value(name));
        let expected = [
            Piece::Literal("a ".into()),
            Piece::Value("b".into()),
            Piece::Value("c".into()),
            Piece::Literal(" {{d".into()),
        ];
        assert_eq!((text.pieces(), text.to_string().as_str()), (&expected[..], "a {{b}}{{c}} {{d"));
    }

    #[test]
    fn texts_are_cut_in_their_characters_only() {
        let text = Text::literal("n").and(&Text::value("a=b")).and(&Text::literal(" = x=y "));
        let (name, value) = text.split_once(&['=']).unwrap();
        assert_eq!((name.to_string(), value.trim().plain()), ("n{{a=b}} ".to_owned(), Some("x=y")));
        assert_eq!(text.strip_prefix("n").unwrap().start(), "");
        let mut text = Text::literal("a/tok/tokb atok?tok");
        assert!(text.replace_word("tok", "t") && !text.replace_word("tok", "t"));
        assert_eq!(text.to_string(), "a/{{t}}/tokb atok?{{t}}");
    }
}
