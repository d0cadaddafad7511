//! Parses Hurl files.
//!
//! Text in, syntax tree out; this crate opens no files. A Hurl file is a list of requests with the responses they expect.
#![forbid(unsafe_code)]

pub mod ast;
mod error;
mod parse;
#[cfg(test)]
mod tests;

pub use error::ParseError;
pub use parse::parse;
