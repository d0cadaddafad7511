//! Bodies of curl: data that is joined, and parts of forms.

use super::command::{plain, wrong};
use super::options::Meaning;
use super::shell::Word;
use crate::error::ImportError;
use crate::recorded::{Body, Content, Part};
use crate::text::Text;
use crate::{Options, encode};

/// One of the `-d` options of a command.
#[derive(Clone, Debug)]
pub(super) struct Data {
    content: Source,
    /// Whether `&` stands between it and the data before it; not so with `--json`.
    is_separated: bool,
}

#[derive(Clone, Debug)]
enum Source {
    Text(Text),
    Bytes(Vec<u8>),
    File(Word),
}

impl Data {
    pub(super) fn read(meaning: Meaning, value: &Word, options: &Options<'_>) -> Result<Self, ImportError> {
        let named = value.text.strip_prefix("@").filter(|_| meaning != Meaning::DataRaw);
        let content = match (meaning, named) {
            (Meaning::DataUrlencode, _) => Source::Text(query(value, options)?),
            (Meaning::DataBinary | Meaning::Json, Some(path)) => {
                let path = Word { text: path, at: value.at };
                stdin(&path)?;
                Source::File(path)
            }
            (_, Some(path)) => {
                let mut bytes = file(&Word { text: path, at: value.at }, options)?;
                // What `-d` makes of a file.
                bytes.retain(|byte| !matches!(byte, b'\r' | b'\n' | 0));
                text_or_bytes(bytes)
            }
            (_, None) => Source::Text(value.text.clone()),
        };
        Ok(Self { content, is_separated: meaning != Meaning::Json })
    }
}

fn text_or_bytes(bytes: Vec<u8>) -> Source {
    match String::from_utf8(bytes) {
        Ok(text) => Source::Text(Text::literal(text)),
        Err(error) => Source::Bytes(error.into_bytes()),
    }
}

fn stdin(path: &Word) -> Result<(), ImportError> {
    if path.text.plain() == Some("-") { wrong(path, "stdin is not known; name a file") } else { Ok(()) }
}

/// The content of a file that the command names.
pub(super) fn file(path: &Word, options: &Options<'_>) -> Result<Vec<u8>, ImportError> {
    stdin(path)?;
    let name = plain(path)?;
    (options.read)(name).map_err(|reason| {
        ImportError::new(path.place(), format!("the file `{name}` cannot be read: {reason}"))
    })
}

/// The body that data options make together.
pub(super) fn of(data: &[Data], url: &Word) -> Result<Body, ImportError> {
    if let [Data { content: Source::File(path), .. }] = data {
        return Ok(Body::File(plain(path)?.to_owned()));
    }
    let has_bytes = data.iter().any(|data| !matches!(data.content, Source::Text(_)));
    if !has_bytes {
        return joined(data, url).map(Body::Text);
    }
    let mut bytes = Vec::new();
    for (index, data) in data.iter().enumerate() {
        if index > 0 && data.is_separated {
            bytes.push(b'&');
        }
        match &data.content {
            Source::Bytes(more) => bytes.extend_from_slice(more),
            Source::Text(text) => match text.plain() {
                Some(text) => bytes.extend_from_slice(text.as_bytes()),
                None => {
                    return wrong(url, "a body that has bytes of a file cannot have variables; write them");
                }
            },
            Source::File(path) => {
                return wrong(
                    path,
                    "a file joined with other data is not supported; put all data in the file",
                );
            }
        }
    }
    Ok(Body::Bytes(bytes))
}

/// The text that data options make together, as in a query.
pub(super) fn joined(data: &[Data], url: &Word) -> Result<Text, ImportError> {
    let mut whole = Text::default();
    for (index, data) in data.iter().enumerate() {
        if index > 0 && data.is_separated {
            whole.push_str("&");
        }
        match &data.content {
            Source::Text(text) => whole.push(text),
            Source::Bytes(_) => return wrong(url, "a query cannot have these bytes; percent-encode them"),
            Source::File(path) => {
                return wrong(path, "use -d instead to put the content of a file in a query");
            }
        }
    }
    Ok(whole)
}

/// Data of `--data-urlencode` and `--url-query`: `content`, `=content`, `name=content`, `@file`, `name@file`.
pub(super) fn query(value: &Word, options: &Options<'_>) -> Result<Text, ImportError> {
    let encoded = |text: &Text| text.map(encode::form);
    let (name, content) = if let Some((name, content)) = value.text.split_once(&['=']) {
        (name, encoded(&content))
    } else if let Some((name, path)) = value.text.split_once(&['@']) {
        let bytes = file(&Word { text: path, at: value.at }, options)?;
        (name, Text::literal(encode::form_bytes(&bytes)))
    } else {
        (Text::default(), encoded(&value.text))
    };
    Ok(if name.is_empty() { content } else { name.and(&Text::literal("=")).and(&content) })
}

/// A part of a form: `name=content`, `name=@file` or `name=<file`, each with `;type=…` and `;filename=…`.
pub(super) fn part(value: &Word, is_parsed: bool, options: &Options<'_>) -> Result<Part, ImportError> {
    let Some((name, content)) = value.text.split_once(&['=']) else {
        return wrong(value, "use NAME=CONTENT");
    };
    let name = plain(&Word { text: name, at: value.at })?.to_owned();
    if !is_parsed {
        return Ok(Part { name, content: Content::Text(content), filename: None, content_type: None });
    }
    if let Some(path) = content.strip_prefix("@") {
        let parsed = parsed(&Word { text: path, at: value.at })?;
        let Some(path) = parsed.content.plain() else {
            return wrong(value, "the name of a file cannot come from a variable; write it");
        };
        if path.contains(',') {
            return wrong(value, "several files in one part are not supported; use one -F for each");
        }
        stdin(&Word { text: Text::literal(path), at: value.at })?;
        let base = path.rsplit('/').next().unwrap_or_default().to_owned();
        let filename = parsed.filename.unwrap_or(base);
        let guessed = type_of(&filename).or_else(|| type_of(path)).unwrap_or("application/octet-stream");
        // A plan sends a file with its own name.
        let content = if path.rsplit('/').next() == Some(filename.as_str()) {
            Content::File(path.to_owned())
        } else {
            let bytes = file(&Word { text: Text::literal(path), at: value.at }, options)?;
            let text = String::from_utf8(bytes).or_else(|_| wrong(value, RENAMED))?;
            Content::Text(Text::literal(text))
        };
        return Ok(Part {
            name,
            content,
            filename: Some(filename),
            content_type: Some(parsed.content_type.unwrap_or_else(|| guessed.to_owned())),
        });
    }
    if let Some(path) = content.strip_prefix("<") {
        let parsed = parsed(&Word { text: path, at: value.at })?;
        let bytes = file(&Word { text: parsed.content.clone(), at: value.at }, options)?;
        let guessed = parsed.content.plain().and_then(type_of).filter(|kind| *kind != "text/plain");
        let content = match String::from_utf8(bytes) {
            Ok(text) => Content::Text(Text::literal(text)),
            Err(_) => return wrong(value, "the file is not UTF-8; send it with `@`"),
        };
        let content_type = parsed.content_type.or_else(|| guessed.map(str::to_owned));
        return Ok(Part { name, content, filename: parsed.filename, content_type });
    }
    let parsed = parsed(&Word { text: content, at: value.at })?;
    let guessed = parsed.filename.as_deref().and_then(type_of).map(str::to_owned);
    Ok(Part {
        name,
        content: Content::Text(parsed.content),
        content_type: parsed.content_type.or(guessed),
        filename: parsed.filename,
    })
}

const RENAMED: &str = "a file that is not UTF-8 is sent with its own name; leave out `filename`";

/// The content of a part and what follows it.
struct Parsed {
    content: Text,
    content_type: Option<String>,
    filename: Option<String>,
}

fn parsed(value: &Word) -> Result<Parsed, ImportError> {
    if let Some(quoted) = value.text.trim().strip_prefix("\"") {
        let quoted = plain(&Word { text: quoted, at: value.at })?.to_owned();
        let (content, rest) = unquoted(&quoted);
        let rest = rest.trim_start().strip_prefix(';').unwrap_or_default();
        return with_parameters(Text::literal(content), rest, value);
    }
    match value.text.split_once(&[';']) {
        None => with_parameters(value.text.trim(), "", value),
        Some((content, rest)) => {
            let rest = plain(&Word { text: rest, at: value.at })?.to_owned();
            with_parameters(content.trim(), &rest, value)
        }
    }
}

fn with_parameters(content: Text, rest: &str, value: &Word) -> Result<Parsed, ImportError> {
    let mut parsed = Parsed { content, content_type: None, filename: None };
    let mut rest = rest.trim_start();
    while !rest.is_empty() {
        if let Some(kind) = rest.strip_prefix("type=") {
            // A type has parameters of its own.
            let is_end = |at: &usize| {
                let next = kind[at + 1..].trim_start();
                ["filename=", "headers=", "encoder="].iter().any(|name| next.starts_with(name))
            };
            let end = kind.match_indices(';').map(|(at, _)| at).find(is_end).unwrap_or(kind.len());
            parsed.content_type = Some(kind[..end].trim().to_owned());
            rest = kind.get(end + 1..).unwrap_or_default().trim_start();
        } else if let Some(name) = rest.strip_prefix("filename=") {
            let (name, after) = match name.strip_prefix('"') {
                Some(quoted) => {
                    let (name, after) = unquoted(quoted);
                    (name, after.trim_start().strip_prefix(';').unwrap_or_default())
                }
                None => {
                    let (name, after) = name.split_once(';').unwrap_or((name, ""));
                    (name.trim().to_owned(), after)
                }
            };
            parsed.filename = Some(name);
            rest = after.trim_start();
        } else if rest.starts_with("headers=") || rest.starts_with("encoder=") {
            return wrong(value, "header fields and encodings of parts are not supported");
        } else {
            // curl warns and goes on.
            rest = rest.split_once(';').map_or("", |(_, rest)| rest).trim_start();
        }
    }
    Ok(parsed)
}

/// The text up to a quote, and what follows it.
fn unquoted(text: &str) -> (String, &str) {
    let mut content = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (content, &text[at + 1..]),
            '\\' => match letters.next() {
                Some((_, letter @ ('"' | '\\'))) => content.push(letter),
                Some((_, letter)) => content.extend(['\\', letter]),
                None => content.push('\\'),
            },
            letter => content.push(letter),
        }
    }
    (content, "")
}

/// The types that curl knows by the ends of names.
fn type_of(name: &str) -> Option<&'static str> {
    const TYPES: [(&str, &str); 10] = [
        (".gif", "image/gif"),
        (".jpg", "image/jpeg"),
        (".jpeg", "image/jpeg"),
        (".png", "image/png"),
        (".svg", "image/svg+xml"),
        (".txt", "text/plain"),
        (".htm", "text/html"),
        (".html", "text/html"),
        (".pdf", "application/pdf"),
        (".xml", "application/xml"),
    ];
    let name = name.to_ascii_lowercase();
    TYPES.iter().find(|(end, _)| name.ends_with(end)).map(|(_, kind)| *kind)
}
