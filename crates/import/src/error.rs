use std::fmt;

/// A text that cannot be imported: where, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// Where in the text.
    pub place: Place,
    /// What is wrong, and what would be right.
    pub message: String,
}

/// A position in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// The text as a whole.
    #[default]
    Whole,
    /// A line, from 1.
    Line(usize),
    /// A line and a column in characters, both from 1.
    Column(usize, usize),
    /// A value of a document, such as `paths./items.get`.
    Value(String),
}

impl ImportError {
    /// An error at a position.
    pub(crate) fn new(place: Place, message: impl Into<String>) -> Self {
        Self { place, message: message.into() }
    }

    /// An error about the text as a whole.
    pub(crate) fn whole(message: impl Into<String>) -> Self {
        Self::new(Place::Whole, message)
    }

    /// A syntax error that `serde_json` found.
    pub(crate) fn json(error: &serde_json::Error) -> Self {
        let text = error.to_string();
        let text = text.split(" at line ").next().unwrap_or(&text);
        Self::new(Place::Column(error.line(), error.column()), format!("invalid JSON: {text}"))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Column(line, column) => write!(f, "line {line}, column {column}"),
            Self::Value(path) => f.write_str(path),
        }
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Whole => f.write_str(&self.message),
            place => write!(f, "{place}: {}", self.message),
        }
    }
}

impl std::error::Error for ImportError {}
