//! Where a result goes: a report on stdout, files by their extension, and the exit code.

use crate::args::{FormatWord, Output};
use crate::complaint::Complaint;
use crate::exit::{Exit, Failure};
use crate::files::reason;
use crate::streams;
use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use warwolf_measure::{Grade, Run, Slo};
use warwolf_report::{Format, Report, wording};

/// What is written into a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The whole run.
    Run,
    /// A report.
    Report(FormatWord),
}

/// A file that is open and waits for the result.
struct Waiting {
    path: PathBuf,
    kind: Kind,
    file: File,
}

/// Everything that waits for the result.
pub(crate) struct Results {
    files: Vec<Waiting>,
    stdout: FormatWord,
    strict: bool,
}

impl Results {
    /// Opens what the words name, before anything is run. What is in the files stays there until there is a result.
    ///
    /// # Errors
    /// When a file has an extension that says nothing, or cannot be written.
    pub(crate) fn open(words: &Output) -> Result<Self, Failure> {
        let stdout = words.format.unwrap_or(FormatWord::Text);
        let files = words.output.iter().map(|path| open(path)).collect::<Result<_, _>>()?;
        Ok(Self { files, stdout, strict: words.strict })
    }
}

/// Writes a report of `run` in the format that the file's extension names; the whole run when it names none.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn keep(path: &Path, run: &Run) -> std::io::Result<()> {
    let bytes = match kind(path) {
        Some(Kind::Report(word)) => Report::of(run).render(format(word), false).into_bytes(),
        _ => run.encode(),
    };
    std::fs::write(path, bytes)
}

fn open(path: &Path) -> Result<Waiting, Complaint> {
    let wrong = |why: &str| Complaint::new(format!("--output: `{}`: {why}", path.display()));
    let kind = kind(path).ok_or_else(|| {
        wrong("use an extension that says what it is: .wwr (the whole run), .html, .json, .csv, .md, .xml (JUnit) or .txt")
    })?;
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(|error| wrong(&format!("cannot be written: {}", reason(&error))))?;
    Ok(Waiting { path: path.to_owned(), kind, file })
}

fn kind(path: &Path) -> Option<Kind> {
    Some(match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "wwr" => Kind::Run,
        "json" => Kind::Report(FormatWord::Json),
        "csv" => Kind::Report(FormatWord::Csv),
        "md" | "markdown" => Kind::Report(FormatWord::Markdown),
        "xml" => Kind::Report(FormatWord::Junit),
        "txt" => Kind::Report(FormatWord::Text),
        "html" | "htm" => Kind::Report(FormatWord::Html),
        _ => return None,
    })
}

impl Results {
    /// Prints and writes the result, and says how the program is to end. SLOs that are not the plan's own may be given.
    ///
    /// # Errors
    /// When a file cannot be written; everything else has been then.
    pub(crate) fn deliver(self, run: &Run, slos: &[Slo]) -> Result<Exit, Failure> {
        let report = if slos.is_empty() { Report::of(run) } else { Report::with_slos(run, slos) };
        let colour = streams::is_coloured(std::io::stdout().is_terminal());
        let mut failure = streams::print(report.render(format(self.stdout), colour).as_bytes()).err();
        for waiting in &self.files {
            let bytes = match waiting.kind {
                Kind::Run => run.encode(),
                Kind::Report(word) => report.render(format(word), false).into_bytes(),
            };
            if let Err(error) = write(&waiting.file, &bytes) {
                let path = waiting.path.display();
                failure = Some(Failure::new(format!("{path}: cannot be written: {}", reason(&error))));
            }
        }
        if let Some(failure) = failure {
            return Err(failure);
        }
        let (exit, reasons) = ending(&report, self.strict);
        for reason in reasons {
            streams::say(&format!("warwolf: {reason}\n"));
        }
        Ok(exit)
    }
}

/// Replaces what is in a file. Only a plain file has a length to set.
pub(crate) fn write(mut file: &File, bytes: &[u8]) -> std::io::Result<()> {
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    file.write_all(bytes)?;
    file.flush()
}

/// The first of these that is so, and why: nothing succeeded, not to be trusted, an SLO does not hold.
fn ending(report: &Report<'_>, strict: bool) -> (Exit, Vec<String>) {
    let whole = report.run.timeline.whole().tally;
    if whole.completed() <= whole.error_statuses() {
        return (
            Exit::Failed,
            vec!["no request succeeded; the report says what happened to them".to_owned()],
        );
    }
    if strict && report.verdict.grade != Grade::Valid {
        return (Exit::Doubtful, report.verdict.doubts().map(wording::sentence).collect());
    }
    if report.all_held() {
        return (Exit::Well, Vec::new());
    }
    let broken = report.slos.iter().filter(|result| !result.is_held());
    let reasons =
        broken.map(|result| format!("`{}` does not hold: {}", result.slo.text, wording::actual(result)));
    (Exit::Broken, reasons.collect())
}

fn format(word: FormatWord) -> Format {
    match word {
        FormatWord::Text => Format::Text,
        FormatWord::Html => Format::Html,
        FormatWord::Json => Format::Json,
        FormatWord::Csv => Format::Csv,
        FormatWord::Markdown => Format::Markdown,
        FormatWord::Junit => Format::Junit,
    }
}
