//! Parses Hurl files, and translates them to scenarios of a plan.
//!
//! A Hurl file is a list of requests with the responses they expect. As a scenario, each session sends these requests in
//! their order, and the asserts are checks. What has no meaning under load is refused; nothing is ignored.
//!
//! Text in, scenario out; this crate opens no files.
#![forbid(unsafe_code)]

pub mod ast;
mod error;
mod parse;
#[cfg(test)]
mod tests;
mod translate;

pub use error::{HurlError, ParseError, Refusal};
pub use parse::parse;
pub use translate::{Constant, Options, Translation, scenario};
