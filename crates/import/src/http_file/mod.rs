//! `.http` and `.rest` files of JetBrains IDEs and the REST client of VS Code.

mod body;
mod scripts;

use crate::error::{ImportError, Place};
use crate::recorded::{Recorded, Recording};
use crate::text::Text;
use crate::url;
use crate::variables::Variables;
use crate::{Options, REQUESTS_MAX, is_token};
use std::iter::Peekable;
use std::time::Duration;

/// Redirects that these clients follow in a row.
const REDIRECTS: u32 = 10;

/// A request of the file: the lines between two separators.
#[derive(Debug, Default)]
struct Block<'t> {
    name: String,
    /// Numbers and texts of lines.
    lines: Vec<(usize, &'t str)>,
}

/// Reads the requests of a file.
///
/// # Errors
/// The first line that is no part of a request.
pub(crate) fn read(text: &str, options: &Options<'_>) -> Result<Recording, ImportError> {
    let mut recording = Recording::default();
    recording.settings.cookies = true;
    recording.settings.redirects = REDIRECTS;
    let blocks = blocks(text);
    let mut variables = Variables::new(options.variables);
    for (_, line) in blocks.iter().flat_map(|block| &block.lines) {
        if let Some((name, value)) = variable(line) {
            variables.add(name, value);
        }
    }
    let blocks: Vec<Block<'_>> = blocks.into_iter().map(named).collect();
    let mut captures = scripts::references(text, &blocks);
    for block in &blocks {
        captures.extend(scripts::handlers(block));
    }
    captures.iter().for_each(|capture| variables.capture(&capture.variable));
    for block in &blocks {
        let reader = Reader { variables: &variables, options, captures: &captures };
        reader.request(block, &mut recording)?;
        if recording.requests.len() > REQUESTS_MAX {
            return Err(ImportError::whole(format!("more than {REQUESTS_MAX} requests; import a part")));
        }
    }
    if recording.requests.is_empty() {
        return Err(ImportError::whole(
            "no request; one begins with a line such as `GET http://127.0.0.1:8080/`",
        ));
    }
    Ok(recording)
}

/// The text behind a comment sign.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix('#').or_else(|| line.strip_prefix("//")).map(str::trim)
}

/// A line `@name = value`.
fn variable(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix('@')?.split_once('=')?;
    Some((name.trim(), value.trim()))
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = vec![Block::default()];
    for (number, line) in text.lines().enumerate() {
        if let Some(name) = line.strip_prefix("###") {
            let name = name.trim().trim_matches('#').trim().to_owned();
            blocks.push(Block { name, lines: Vec::new() });
        } else if let Some(block) = blocks.last_mut() {
            block.lines.push((number + 1, line));
        }
    }
    blocks
}

/// The block under the name that a line `# @name` gives it.
fn named(mut block: Block<'_>) -> Block<'_> {
    let name = block.lines.iter().find_map(|(_, line)| {
        let name = comment(line)?.strip_prefix("@name")?.trim_start_matches([' ', '\t', '=', ':']);
        (!name.is_empty()).then(|| name.trim().to_owned())
    });
    if let Some(name) = name {
        block.name = name;
    }
    block
}

/// Reads blocks, when all variables are known.
struct Reader<'a> {
    variables: &'a Variables,
    options: &'a Options<'a>,
    captures: &'a [scripts::Captured],
}

impl Reader<'_> {
    fn request(&self, block: &Block<'_>, recording: &mut Recording) -> Result<(), ImportError> {
        let mut lines = block.lines.iter().copied().peekable();
        let mut redirects = None;
        let (mut script, mut first) = (false, None);
        for (number, line) in lines.by_ref() {
            let trimmed = line.trim();
            if script {
                script = !trimmed.ends_with("%}");
            } else if let Some(text) = comment(line) {
                note(text, number, &mut redirects, recording);
            } else if trimmed.starts_with("< ") && !trimmed.contains("://") {
                script = trimmed.contains("{%") && !trimmed.ends_with("%}");
                recording.drop(Place::Line(number), "a script before the request", "a plan runs no scripts");
            } else if !trimmed.is_empty() && variable(line).is_none() {
                first = Some((number, trimmed));
                break;
            }
        }
        let Some((number, first)) = first else { return Ok(()) };
        let place = Place::Line(number);
        let mut target = first.to_owned();
        // A query may go on in the next lines.
        while let Some((_, line)) = lines.next_if(|(_, line)| is_continued(line)) {
            target.push_str(line.trim());
        }
        let Some((method, target)) = self.method(&target, &place, recording)? else { return Ok(()) };
        let mut headers = self.headers(&mut lines, recording)?;
        let mut request = Recorded::new(method, self.url(target, &mut headers, &place, recording)?);
        (request.url, request.basic_auth) = url::without_user(&request.url);
        self.credentials(&mut request, &mut headers, recording);
        request.headers = headers;
        request.name.clone_from(&block.name);
        request.redirects = redirects;
        let rest: Vec<(usize, &str)> = lines.skip(1).collect();
        self.body(&rest, &mut request, recording)?;
        let captures = self.captures.iter().filter(|captured| captured.request == block_key(block));
        request.captures = captures.map(|captured| captured.capture.clone()).collect();
        if let Some(time) = timeout(block) {
            request.timeout = Some(time);
        }
        recording.requests.push(request);
        Ok(())
    }

    /// The header fields, up to an empty line.
    fn headers<'t>(
        &self,
        lines: &mut Peekable<impl Iterator<Item = (usize, &'t str)>>,
        recording: &mut Recording,
    ) -> Result<Vec<(String, Text)>, ImportError> {
        let mut headers = Vec::new();
        while let Some((number, line)) = lines.next_if(|(_, line)| !line.trim().is_empty()) {
            if comment(line).is_some() {
                continue;
            }
            if is_reaction(line) {
                recording.drop(
                    Place::Line(number),
                    "a response handler without an empty line before it",
                    "see there",
                );
                break;
            }
            let Some((name, value)) = line.split_once(':').filter(|(name, _)| is_token(name.trim())) else {
                let message = format!("`{}` is no header field (`Name: value`)", line.trim());
                return Err(ImportError::new(Place::Line(number), message));
            };
            let value = self.variables.text(value.trim(), &Place::Line(number), recording);
            headers.push((name.trim().to_owned(), value));
        }
        Ok(headers)
    }

    /// The method and the URL of a request line; `None` for what is not HTTP.
    fn method<'t>(
        &self,
        line: &'t str,
        place: &Place,
        recording: &mut Recording,
    ) -> Result<Option<(&'t str, &'t str)>, ImportError> {
        let is_method = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase());
        let (method, rest) = match line.split_once([' ', '\t']) {
            Some((method, rest)) if is_method(method) => (method, rest.trim()),
            _ => ("GET", line),
        };
        if matches!(method, "WEBSOCKET" | "GRPC" | "GRAPHQL" | "RSOCKET") {
            recording.drop(
                place.clone(),
                format!("{method} {rest}"),
                "only plain HTTP requests are imported",
            );
            return Ok(None);
        }
        let url = match rest.rsplit_once([' ', '\t']) {
            Some((url, version)) if version.starts_with("HTTP/") => {
                if !version.starts_with("HTTP/1.1") {
                    recording.drop(place.clone(), version, "requests are sent over HTTP/1.1");
                }
                url.trim()
            }
            _ => rest,
        };
        if url.is_empty() {
            return Err(ImportError::new(place.clone(), "the request has no URL"));
        }
        Ok(Some((method, url)))
    }

    /// The URL; a path alone belongs to the `Host` field.
    fn url(
        &self,
        target: &str,
        headers: &mut Vec<(String, Text)>,
        place: &Place,
        recording: &mut Recording,
    ) -> Result<Text, ImportError> {
        let host = headers.iter().position(|(name, _)| name.eq_ignore_ascii_case("host"));
        let target = match host.filter(|_| target.starts_with('/')) {
            Some(index) => format!("http://{}{target}", headers.remove(index).1),
            None => target.to_owned(),
        };
        let mut url = self.variables.url(&target, place, recording);
        if !url.is_empty() && !url.start().is_empty() && !url.start().contains("://") {
            url = Text::literal("http://").and(&url);
        }
        url::of_text(&url, place)
    }

    /// Credentials as these clients write them: `Basic name password`, `Digest name password`.
    fn credentials(
        &self,
        request: &mut Recorded,
        headers: &mut Vec<(String, Text)>,
        recording: &mut Recording,
    ) {
        let Some(index) = headers.iter().position(|(name, _)| name.eq_ignore_ascii_case("authorization"))
        else {
            return;
        };
        let Some((scheme, rest)) = headers[index].1.split_once(&[' ']) else { return };
        let scheme = scheme.to_string().to_ascii_lowercase();
        let rest = rest.trim();
        let pair = rest
            .split_once(&[' ', ':'])
            .map(|(name, password)| name.and(&Text::literal(":")).and(&password.trim()));
        match (scheme.as_str(), pair) {
            ("basic", Some(pair)) => request.basic_auth = Some(pair),
            ("digest", Some(pair)) => recording.settings.digest = Some(pair.to_string()),
            _ => return,
        }
        headers.remove(index);
    }
}

/// The number of the first line of a block, which identifies it.
fn block_key(block: &Block<'_>) -> usize {
    block.lines.first().map_or(0, |(number, _)| *number)
}

fn is_continued(line: &str) -> bool {
    line.starts_with([' ', '\t']) && line.trim_start().starts_with(['?', '&', '/'])
}

/// Whether a line begins what is done with the reply.
fn is_reaction(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("> ") || line.starts_with(">{%") || line.starts_with("<> ") || line.starts_with(">>")
}

/// Reads what a comment asks for.
fn note(text: &str, number: usize, redirects: &mut Option<u32>, recording: &mut Recording) {
    let Some(tag) = text.strip_prefix('@') else { return };
    let word = tag.split([' ', '=', '\t']).next().unwrap_or_default();
    match word {
        "no-redirect" => *redirects = Some(0),
        "name" | "note" | "timeout" => {}
        "no-cookie-jar" => {
            recording.drop(
                Place::Line(number),
                "# @no-cookie-jar",
                "cookies are kept for all steps of a session",
            );
        }
        "prompt" => {
            recording.drop(
                Place::Line(number),
                format!("# @{tag}"),
                "nobody answers during a test; use --var",
            );
        }
        _ => recording.drop(Place::Line(number), format!("# @{word}"), "a plan has nothing like it"),
    }
}

/// The limit that a line `# @timeout` sets, in seconds unless it has a unit.
fn timeout(block: &Block<'_>) -> Option<Duration> {
    let text = block.lines.iter().find_map(|(_, line)| comment(line)?.strip_prefix("@timeout"))?.trim();
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..digits].parse().ok().filter(|number| (1..1_000_000).contains(number))?;
    match text[digits..].trim() {
        "" | "s" => Some(Duration::from_secs(number)),
        "ms" => Some(Duration::from_millis(number)),
        "m" => Some(Duration::from_secs(number * 60)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
