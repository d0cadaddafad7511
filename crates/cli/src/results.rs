//! Where a result goes: a report on stdout, files by their extension, and the exit code.

use crate::args::{FormatWord, Output};
use crate::complaint::Complaint;
use crate::exit::{Exit, Failure};
use crate::files::reason;
use crate::streams;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use warwolf_measure::{Grade, Reason, Run, Slo, Summary, judge};

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
        built(stdout).map_err(|why| Complaint::new(format!("--format: `html`: {why}")))?;
        let files = words.output.iter().map(|path| open(path)).collect::<Result<_, _>>()?;
        Ok(Self { files, stdout, strict: words.strict })
    }
}

fn open(path: &Path) -> Result<Waiting, Complaint> {
    let wrong = |why: &str| Complaint::new(format!("--output: `{}`: {why}", path.display()));
    let kind = kind(path).ok_or_else(|| {
        wrong("use an extension that says what it is: .wwr (the whole run), .json, .csv, .md, .xml (JUnit) or .txt")
    })?;
    if let Kind::Report(format) = kind {
        built(format).map_err(wrong)?;
    }
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

fn built(format: FormatWord) -> Result<(), &'static str> {
    if format == FormatWord::Html {
        Err("it is not built yet; use text, json, csv, markdown or junit")
    } else {
        Ok(())
    }
}

impl Results {
    /// Prints and writes the result, and says how the program is to end.
    ///
    /// # Errors
    /// When a file cannot be written; everything else has been then.
    pub(crate) fn deliver(self, run: &Run) -> Result<Exit, Failure> {
        let mut failure = streams::print(&render(self.stdout, run)).err();
        for waiting in &self.files {
            let bytes = match waiting.kind {
                Kind::Run => run.encode(),
                Kind::Report(format) => render(format, run),
            };
            if let Err(error) = write(&waiting.file, &bytes) {
                let path = waiting.path.display();
                failure = Some(Failure::new(format!("{path}: cannot be written: {}", reason(&error))));
            }
        }
        match failure {
            Some(failure) => Err(failure),
            None => Ok(self.ending(run)),
        }
    }

    /// How the program ends; when that is not well, the reason is said.
    fn ending(&self, run: &Run) -> Exit {
        let (exit, reasons) = ending(run, self.strict);
        for reason in reasons {
            streams::say(&format!("warwolf: {reason}\n"));
        }
        exit
    }
}

/// Replaces what is in a file. Only a plain file has a length to set.
fn write(mut file: &File, bytes: &[u8]) -> std::io::Result<()> {
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    file.write_all(bytes)?;
    file.flush()
}

/// The first of these that is so, and why: interrupted, nothing succeeded, not to be trusted, an SLO does not hold.
fn ending(run: &Run, strict: bool) -> (Exit, Vec<String>) {
    let summary = Summary::of(run);
    let whole = run.timeline.whole().tally;
    if run.evidence.interrupted {
        return (Exit::Interrupted, Vec::new());
    }
    if whole.completed() <= whole.error_statuses() {
        return (
            Exit::Failed,
            vec!["no request succeeded; the report says what happened to them".to_owned()],
        );
    }
    let verdict = judge(&summary);
    if strict && verdict.grade != Grade::Valid {
        let reason = |reason: &Reason| {
            format!(
                "{}: {}: {}; {}",
                reason.grade.name(),
                reason.cause.text(),
                reason.evidence,
                reason.remedy
            )
        };
        return (Exit::Doubtful, verdict.doubts().map(reason).collect());
    }
    let broken: Vec<String> = slos(run)
        .iter()
        .map(|slo| slo.judge(&summary))
        .filter(|result| !result.is_held())
        .map(|result| format!("`{}` does not hold: {}", result.slo.text, result.actual_text()))
        .collect();
    (if broken.is_empty() { Exit::Well } else { Exit::Broken }, broken)
}

/// The SLOs of the plan; they were checked when the plan was made.
fn slos(run: &Run) -> Vec<Slo> {
    let plan = warwolf_plan::text::parse(&run.plan_text);
    plan.iter().flat_map(|plan| &plan.slos).filter_map(|text| Slo::parse(text).ok()).collect()
}

/// The accounts of the run as text.
fn render(_format: FormatWord, run: &Run) -> Vec<u8> {
    let accounts = warwolf_measure::Accounting::of(&run.timeline.whole().tally);
    format!(
        "planned {} = started {} + unstarted {}\nstarted = completed {} + failed {} + timed out {} + unfinished {}\n",
        accounts.planned,
        accounts.started,
        accounts.unstarted,
        accounts.completed,
        accounts.failed,
        accounts.timed_out,
        accounts.unfinished
    )
    .into_bytes()
}
