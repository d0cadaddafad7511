//! What response handlers and references take from replies.

use super::{Block, block_key, is_reaction};
use crate::recorded::{Capture, Source};
use crate::script::{Statement, statement};
use crate::variables::identifier;

/// A variable that a reply sets.
#[derive(Debug)]
pub(super) struct Captured {
    /// The first line of the request's block.
    pub(super) request: usize,
    /// Its name in the file.
    pub(super) variable: String,
    pub(super) capture: Capture,
}

/// References such as `{{login.response.body.$.token}}` of VS Code.
pub(super) fn references(text: &str, blocks: &[Block<'_>]) -> Vec<Captured> {
    let mut found: Vec<Captured> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        rest = &rest[start + 2..];
        let Some(end) = rest.find("}}") else { break };
        let variable = rest[..end].trim();
        let parts = variable.split_once(".response.").map(|(name, rest)| (name, rest.split_once('.')));
        let Some((name, Some((part, path)))) = parts else { continue };
        let from = match part {
            "body" => Source::Json(if path.starts_with('$') { path.to_owned() } else { format!("$.{path}") }),
            "headers" => Source::Header(path.to_owned()),
            _ => continue,
        };
        let Some(block) = blocks.iter().find(|block| block.name == name) else { continue };
        if found.iter().all(|known| known.variable != variable) {
            let capture = Capture { name: identifier(variable), from, bytes: 0, is_encoded: false };
            found.push(Captured { request: block_key(block), variable: variable.to_owned(), capture });
        }
    }
    found
}

/// The variables that the handlers of a block set: `client.global.set("token", response.body.token)`.
pub(super) fn handlers(block: &Block<'_>) -> Vec<Captured> {
    let mut captured: Vec<Captured> = Vec::new();
    let lines = block.lines.iter().skip_while(|(_, line)| !is_reaction(line));
    for (_, line) in lines {
        let Some(Statement::Capture(variable, from)) = statement(bare(line), &[]) else { continue };
        let capture = Capture { name: identifier(&variable), from, bytes: 0, is_encoded: false };
        if captured.iter().all(|known| known.variable != variable) {
            captured.push(Captured { request: block_key(block), variable, capture });
        }
    }
    captured
}

/// A line without the signs that begin and end a handler.
pub(super) fn bare(line: &str) -> &str {
    line.trim().trim_start_matches("> {%").trim_start_matches(">{%").trim_end_matches("%}").trim()
}
