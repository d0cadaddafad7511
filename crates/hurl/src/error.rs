use crate::ast::Pos;

/// The text is no Hurl file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pos}: {message}")]
pub struct ParseError {
    /// Where.
    pub pos: Pos,
    /// What was expected there, and what was found.
    pub message: String,
}
