use crate::ast::Pos;
use std::fmt;

/// The text is no Hurl file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pos}: {message}")]
pub struct ParseError {
    /// Where.
    pub pos: Pos,
    /// What was expected there, and what was found.
    pub message: String,
}

/// Something in a file that has no meaning under load, or none yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Where.
    pub pos: Pos,
    /// What, as it is called in Hurl.
    pub feature: String,
    /// Why, and what to do instead.
    pub reason: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}: {}", self.pos, self.feature, self.reason)
    }
}

/// A Hurl file that cannot be run as load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HurlError {
    /// It cannot be parsed.
    Parse {
        /// Its name.
        file: String,
        /// What is wrong.
        error: ParseError,
    },
    /// Something in it is refused.
    Refused {
        /// Its name.
        file: String,
        /// All of what is refused, in the order of the file; at least one.
        refusals: Vec<Refusal>,
    },
}

impl std::error::Error for HurlError {}

impl fmt::Display for HurlError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parse { file, error } => write!(out, "{file}:{error}"),
            Self::Refused { file, refusals } => {
                for (index, refusal) in refusals.iter().enumerate() {
                    let gap = if index == 0 { "" } else { "\n" };
                    write!(out, "{gap}{file}:{refusal}")?;
                }
                Ok(())
            }
        }
    }
}
