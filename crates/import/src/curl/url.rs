//! URLs as curl reads them.

use super::command::wrong;
use super::shell::Word;
use crate::encode;
use crate::error::ImportError;
use crate::text::{Piece, Text};

/// Limit of the URLs that `{…}` and `[…]` expand to.
const EXPANDED_MAX: usize = 1_000;

/// A URL of a command.
pub(super) struct Parsed {
    /// Scheme, host, port, path and query.
    pub(super) url: Text,
    /// Name and password of the URL.
    pub(super) user: Option<Text>,
}

/// Reads a URL, and adds `more` to its query.
pub(super) fn parse(word: &Word, more: &[Text], path_as_is: bool) -> Result<Parsed, ImportError> {
    let Authority { scheme, user, host, end } = authority(word)?;
    let start = word.text.start();
    let rest = word.text.strip_prefix(&start[..end]).unwrap_or_default();
    let rest = rest.split_once(&['#']).map_or(rest, |(before, _)| before);
    let (path, mut query) = match rest.split_once(&['?']) {
        Some((path, query)) => (path, Some(query)),
        None => (rest, None),
    };
    for more in more {
        query = Some(match query {
            Some(query) if !query.is_empty() => query.and(&Text::literal("&")).and(more),
            _ => more.clone(),
        });
    }
    let has_space = |text: &Text| text.split_once(&[' ', '\t', '\n', '\r']).is_some();
    if has_space(&path) || query.as_ref().is_some_and(has_space) {
        return wrong(word, format!("the URL `{}` has a space, which curl refuses; write %20", word.text));
    }
    let mut path = path.map(encode::target);
    if !path_as_is && let Some(plain) = path.plain() {
        path = Text::literal(without_dots(plain));
    }
    if path.is_empty() {
        path = Text::literal("/");
    }
    let mut url = Text::literal(format!("{scheme}://{host}")).and(&path);
    if let Some(query) = query {
        url = url.and(&Text::literal("?")).and(&query.map(encode::target));
    }
    let user = user.map(|user| {
        let (name, password) = user.split_once(':').unwrap_or((user, ""));
        Text::literal(format!("{}:{}", encode::decoded(name), encode::decoded(password)))
    });
    Ok(Parsed { url, user })
}

/// Scheme, credentials and host of a URL, and where they end.
struct Authority<'w> {
    scheme: String,
    user: Option<&'w str>,
    host: &'w str,
    end: usize,
}

fn authority(word: &Word) -> Result<Authority<'_>, ImportError> {
    let start = word.text.start();
    if start.is_empty() && !word.text.is_empty() {
        return wrong(word, crate::HOST_IS_VARIABLE);
    }
    let (scheme, after) = match start.split_once("://") {
        Some((scheme, _)) if is_scheme(scheme) => (scheme.to_ascii_lowercase(), scheme.len() + 3),
        _ if start.to_ascii_lowercase().starts_with("ftp.") => {
            return wrong(word, "curl reads this name as FTP; write `http://` before it");
        }
        _ => ("http".to_owned(), 0),
    };
    if !matches!(scheme.as_str(), "http" | "https") {
        return wrong(word, format!("`{scheme}`: only http and https are imported"));
    }
    let end = start[after..].find(['/', '?', '#']).map(|length| after + length);
    let end = match end {
        Some(end) => end,
        None if word.text.pieces().len() > 1 => return wrong(word, crate::HOST_IS_VARIABLE),
        None => start.len(),
    };
    let authority = &start[after..end];
    let (user, host) =
        authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    let is_host_letter = |letter: char| !letter.is_whitespace() && !letter.is_control() && letter != '\\';
    if host.is_empty() || !host.chars().all(is_host_letter) {
        return wrong(word, format!("the URL `{}` has no valid host", word.text));
    }
    Ok(Authority { scheme, user, host, end })
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// Removes dot segments (RFC 3986 section 5.2.4).
fn without_dots(path: &str) -> String {
    if !path.contains("/.") {
        return path.to_owned();
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match segment {
            "." if is_last => kept.push(""),
            "." => {}
            ".." => {
                kept.pop();
                if is_last {
                    kept.push("");
                }
            }
            segment => kept.push(segment),
        }
    }
    format!("/{}", kept.join("/"))
}

/// Adds the name of an uploaded file to a URL that ends with a slash.
pub(super) fn with_file_name(url: &Text, file: &str) -> Text {
    let Some(plain) = url.plain().filter(|url| url.ends_with('/') && !url.contains('?')) else {
        return url.clone();
    };
    let name = file.rsplit('/').next().unwrap_or_default();
    Text::literal(format!("{plain}{}", encode::query(name)))
}

/// Replaces path and query.
pub(super) fn with_target(url: &Text, target: &Text, word: &Word) -> Result<Text, ImportError> {
    if !target.start().starts_with('/') {
        return wrong(word, "only a path can be requested from a server; begin it with `/`");
    }
    let start = url.start();
    let host = start.find("://").map_or(0, |at| at + 3);
    let end = start[host..].find(['/', '?']).map_or(start.len(), |length| host + length);
    Ok(Text::literal(&start[..end]).and(target))
}

/// The URLs that `{a,b}` and `[1-3]` stand for.
pub(super) fn expand(word: &Word) -> Result<Vec<Text>, ImportError> {
    let mut urls = vec![Text::default()];
    for piece in word.text.pieces() {
        let Piece::Literal(text) = piece else {
            urls.iter_mut().for_each(|url| url.push(&Text::value(piece_name(piece))));
            continue;
        };
        let mut rest = text.as_str();
        while let Some(at) = rest.find(['{', '[', '\\', '}', ']']) {
            let (before, special) = rest.split_at(at);
            let (choices, after) = choices(word, special)?;
            let choices: Vec<String> = choices.iter().map(|choice| format!("{before}{choice}")).collect();
            if urls.len() * choices.len() > EXPANDED_MAX {
                return wrong(word, format!("the URL expands to more than {EXPANDED_MAX}; name fewer"));
            }
            // The first pattern varies slowest, as in curl.
            urls = urls
                .iter()
                .flat_map(|url| choices.iter().map(|choice| url.clone().and(&Text::literal(choice.as_str()))))
                .collect();
            rest = after;
        }
        urls.iter_mut().for_each(|url| url.push_str(rest));
    }
    Ok(urls)
}

fn piece_name(piece: &Piece) -> &str {
    match piece {
        Piece::Value(name) | Piece::Literal(name) => name,
    }
}

/// What a text that begins with a special character stands for, and what follows.
fn choices<'t>(word: &Word, text: &'t str) -> Result<(Vec<String>, &'t str), ImportError> {
    let bad = || wrong(word, format!("`{text}` is no list or range of URLs; use -g to send it as it is"));
    let mut letters = text.chars();
    match letters.next() {
        Some('\\') => {
            let rest = letters.as_str();
            let is_escape = rest.starts_with(['{', '}', '[', ']']);
            let length = usize::from(is_escape);
            let escaped = if is_escape { &rest[..1] } else { "\\" };
            Ok((vec![escaped.to_owned()], &rest[length..]))
        }
        Some('{') => match letters.as_str().split_once('}') {
            Some((list, rest)) if !list.contains(['{', '[']) && !list.is_empty() => {
                Ok((list.split(',').map(str::to_owned).collect(), rest))
            }
            _ => bad(),
        },
        Some('[') => match letters.as_str().split_once(']') {
            Some((address, rest))
                if address.contains(':') && address.parse::<std::net::Ipv6Addr>().is_ok() =>
            {
                Ok((vec![format!("[{address}]")], rest))
            }
            Some((range, rest)) => match expanded(range) {
                Some(list) => Ok((list, rest)),
                None => bad(),
            },
            None => bad(),
        },
        _ => bad(),
    }
}

/// A range: `1-10`, `001-100:5`, `a-z`.
fn expanded(range: &str) -> Option<Vec<String>> {
    let (ends, step) = range.split_once(':').unwrap_or((range, "1"));
    let (first, last) = ends.split_once('-')?;
    let step = step.parse::<usize>().ok().filter(|step| *step > 0)?;
    let is_letter = |text: &str| text.len() == 1 && text.as_bytes()[0].is_ascii_alphabetic();
    if is_letter(first) && is_letter(last) {
        let list = (first.as_bytes()[0]..=last.as_bytes()[0]).step_by(step);
        let list: Vec<String> = list.map(|letter| char::from(letter).to_string()).collect();
        return (!list.is_empty()).then_some(list);
    }
    let is_number =
        |text: &str| !text.is_empty() && text.len() < 16 && text.bytes().all(|b| b.is_ascii_digit());
    if !is_number(first) || !is_number(last) {
        return None;
    }
    let (from, to): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
    let width = if first.starts_with('0') { first.len() } else { 0 };
    let list = (from..=to).step_by(step).take(EXPANDED_MAX + 1);
    let list: Vec<String> = list.map(|number| format!("{number:0width$}")).collect();
    (!list.is_empty()).then_some(list)
}
