//! Command lines of curl, one or several.

mod body;
mod command;
mod options;
mod shell;
mod url;

use crate::error::{ImportError, Place};
use crate::recorded::Recording;
use crate::text::Text;
use crate::{Options, REQUESTS_MAX};
use command::Command;
use options::{Known, Meaning};
use shell::Word;
use std::time::Duration;

/// Reads the curl commands of a text. Other commands are left out; `sleep` is a pause.
///
/// # Errors
/// The first option or value that cannot be expressed, with its line and column.
pub(crate) fn read(text: &str, options: &Options<'_>) -> Result<Recording, ImportError> {
    let mut recording = Recording::default();
    let commands = shell::commands(text, options.variables, &mut recording)?;
    let mut think = Duration::ZERO;
    for words in &commands {
        let mut words = words.as_slice();
        // A prompt, as in documentation.
        if let [prompt, rest @ ..] = words
            && matches!(prompt.text.plain(), Some("$" | "%"))
        {
            words = rest;
        }
        let [first, rest @ ..] = words else { continue };
        let name = first.text.to_string();
        let name = name.rsplit('/').next().unwrap_or_default();
        if matches!(name, "curl" | "curl.exe") {
            let count = recording.requests.len();
            command(first, rest, options, &mut recording)?;
            if let Some(request) = recording.requests.get_mut(count) {
                request.think = std::mem::take(&mut think);
            }
        } else if let ("sleep", [time]) = (name, rest) {
            let seconds: Option<f64> =
                time.text.plain().and_then(|text| text.trim_end_matches('s').parse().ok());
            think += seconds.and_then(|time| Duration::try_from_secs_f64(time).ok()).unwrap_or_default();
        } else {
            recording.drop(Place::Line(first.at.0), format!("the command `{name}`"), "only curl is imported");
        }
        if recording.requests.len() > REQUESTS_MAX {
            return Err(ImportError::new(
                first.place(),
                format!("more than {REQUESTS_MAX} requests; import a part"),
            ));
        }
    }
    if recording.requests.is_empty() {
        return Err(ImportError::whole("no curl command; one begins with `curl` and has a URL"));
    }
    Ok(recording)
}

/// Reads one command; `--next` separates several in it.
fn command(
    first: &Word,
    words: &[Word],
    options: &Options<'_>,
    recording: &mut Recording,
) -> Result<(), ImportError> {
    let mut command = Command::default();
    let mut words = words.iter();
    let mut is_rest = false;
    while let Some(word) = words.next() {
        let start = word.text.start();
        if is_rest || !start.starts_with('-') || word.text.plain() == Some("-") {
            command.urls.push(word.clone());
            continue;
        }
        if word.text.plain() == Some("--") {
            is_rest = true;
            continue;
        }
        if let Some(name) = start.strip_prefix("--") {
            let (known, is_on) = options::long(name).ok_or_else(|| unknown(word, &word.text.to_string()))?;
            let value = if known.takes_value { Some(following(&mut words, word, known)?) } else { None };
            apply(&mut command, known, is_on, word, value, (first, options, recording))?;
            continue;
        }
        let mut letters = word.text.strip_prefix("-").unwrap_or_default();
        while let Some(letter) = letters.start().chars().next() {
            letters = letters.strip_prefix(letter.encode_utf8(&mut [0; 4])).unwrap_or_default();
            let known = options::short(letter).ok_or_else(|| unknown(word, &format!("-{letter}")))?;
            let value = match known.takes_value {
                false => None,
                true if letters.is_empty() => Some(following(&mut words, word, known)?),
                true => Some(Word { text: std::mem::take(&mut letters), at: word.at }),
            };
            apply(&mut command, known, true, word, value, (first, options, recording))?;
        }
        if !letters.is_empty() {
            return Err(ImportError::new(word.place(), "options cannot come from a variable; write them"));
        }
    }
    command.finish(first, recording)
}

/// The value of an option: the next word.
fn following<'w>(
    words: &mut impl Iterator<Item = &'w Word>,
    word: &Word,
    known: Known,
) -> Result<Word, ImportError> {
    let missing = || ImportError::new(word.place(), format!("`--{}` needs a value", known.long));
    words.next().cloned().ok_or_else(missing)
}

fn unknown(word: &Word, name: &str) -> ImportError {
    ImportError::new(word.place(), format!("curl has no option `{name}`, or it is newer than this program"))
}

fn apply(
    command: &mut Command,
    known: Known,
    is_on: bool,
    word: &Word,
    value: Option<Word>,
    (first, options, recording): (&Word, &Options<'_>, &mut Recording),
) -> Result<(), ImportError> {
    let name = || known.short.map_or_else(|| format!("--{}", known.long), |letter| format!("-{letter}"));
    match known.meaning {
        Meaning::Dropped(why) => {
            recording.drop(Place::Line(word.at.0), name(), why);
            Ok(())
        }
        Meaning::Refused(_) if !is_on => Ok(()),
        Meaning::Refused(why) => Err(ImportError::new(word.place(), format!("`{}`: {why}", name()))),
        Meaning::Next => std::mem::take(command).finish(first, recording),
        meaning => {
            let value = value.unwrap_or_else(|| Word { text: Text::default(), at: word.at });
            command.set(meaning, is_on, value, options, recording)
        }
    }
}

#[cfg(test)]
mod tests;
