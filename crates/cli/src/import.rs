//! `import`: a plan from curl commands, HTTP archives, API documents and collections.

use crate::exit::Failure;
use crate::output_file::OutputFile;
use crate::streams;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use warwolf_args::import::Import;
use warwolf_args::{FileError, UsageError, reason};
use warwolf_import::{Format, INPUT_BYTES_MAX, Options, Recording};
use warwolf_plan::text;
use warwolf_report::printable;

/// Writes the plan, and on stderr what it does not contain.
///
/// # Errors
/// When the file cannot be imported, or the plan cannot be written.
pub(crate) fn import(args: &Import) -> Result<(), Failure> {
    let output = args.output.as_deref().map(|path| OutputFile::open("output", path)).transpose()?;
    let (name, bytes) = input(&args.file)?;
    let format = format(args, &name, &bytes)?;
    let variables = variables(&args.variables)?;
    // Paths of `.http` files are relative to the file, those of curl to the current folder.
    let folder = Path::new(&name).parent().and_then(Path::to_str).unwrap_or_default();
    let options = Options {
        third_parties: args.third_parties,
        variables: &variables,
        server: args.server.as_deref(),
        folder,
        read: &|path| read(Path::new(path)).map_err(|error| reason(&error)),
    };
    let wrong = |error: warwolf_import::ImportError| UsageError::of(&name, error);
    let recording = warwolf_import::read(format, &bytes, &options).map_err(wrong)?;
    let plan = warwolf_import::plan(&recording).map_err(wrong)?;
    let printed = text::to_toml(&plan);
    match output {
        Some(file) => file.write(printed.as_bytes())?,
        None => streams::print(printed.as_bytes())?,
    }
    if !args.quiet {
        streams::say(&summary(format, &recording));
    }
    Ok(())
}

/// The name and content of what is imported: a file, stdin, or a command line itself.
fn input(file: &str) -> Result<(String, Vec<u8>), UsageError> {
    let is_command = file.trim_start().starts_with("curl ");
    if is_command {
        return Ok(("command line".to_owned(), file.as_bytes().to_vec()));
    }
    if file == "-" {
        let bytes =
            limited(io::stdin().lock()).map_err(|error| FileError::reading(Path::new("stdin"), &error))?;
        return Ok(("stdin".to_owned(), bytes));
    }
    let path = Path::new(file);
    Ok((file.to_owned(), read(path).map_err(|error| FileError::reading(path, &error))?))
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    limited(File::open(path)?)
}

/// All that a reader has, up to one byte more than what can be imported.
fn limited(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(INPUT_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn format(args: &Import, name: &str, bytes: &[u8]) -> Result<Format, UsageError> {
    let given =
        args.from.as_deref().and_then(|from| Format::ALL.into_iter().find(|format| format.name() == from));
    given.or_else(|| Format::of(name, bytes)).ok_or_else(|| {
        let names = Format::ALL.map(Format::name).join(", ");
        UsageError::of(name, format!("the format is not known; give it with --from: {names}"))
    })
}

fn variables(list: &[String]) -> Result<BTreeMap<String, String>, UsageError> {
    let pair = |text: &String| match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(UsageError::value("var", text, "use NAME=VALUE")),
    };
    list.iter().map(pair).collect()
}

/// Lines that are printed for what is left out; the last one has the number of the others.
const DROPPED_SHOWN: usize = 50;

fn summary(format: Format, recording: &Recording) -> String {
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let captures = recording.requests.iter().map(|request| request.captures.len()).sum();
    let dropped = recording.dropped.len();
    let mut text = String::new();
    for dropped in recording.dropped.iter().take(DROPPED_SHOWN) {
        text += &format!("warwolf: left out: {}\n", printable(&dropped.to_string()));
    }
    if dropped > DROPPED_SHOWN {
        text += &format!("warwolf: left out: {} more\n", dropped - DROPPED_SHOWN);
    }
    text += &format!(
        "warwolf: {format}: {}, {}; left out: {dropped}\n",
        count(recording.requests.len(), "request"),
        count(captures, "capture")
    );
    text
}
