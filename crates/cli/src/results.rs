//! Where the result of a run goes, and the exit code it leads to.

use crate::exit::{Exit, Failure};
use crate::output::{Outputs, unknown_extension};
use crate::output_file::replace;
use crate::streams;
use std::io::IsTerminal;
use std::path::Path;
use warwolf_args::Output;
use warwolf_measure::{Grade, Run, Slo};
use warwolf_report::{Format, Report, wording};

/// What is written into a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The whole run.
    Run,
    /// A report.
    Report(Format),
}

const EXTENSIONS: &str = ".wwr (the whole run), .html, .json, .csv, .md, .xml (JUnit) or .txt";

/// Everything that waits for the result.
pub(crate) struct Results {
    outputs: Outputs<Kind>,
    strict: bool,
}

impl Results {
    /// Opens the files that the arguments name, before anything is run.
    ///
    /// # Errors
    /// When a file has an unknown extension, or cannot be written.
    pub(crate) fn open(args: &Output) -> Result<Self, Failure> {
        let stdout = Kind::Report(args.format.unwrap_or(Format::Text));
        let of = |extension: &str| kind(extension).ok_or_else(|| unknown_extension(EXTENSIONS));
        Ok(Self { outputs: Outputs::open(&args.output, stdout, of)?, strict: args.strict })
    }

    /// Prints and writes the result, and returns the exit code. SLOs other than the plan's may be given.
    ///
    /// # Errors
    /// When a file cannot be written; everything else has been then.
    pub(crate) fn deliver(self, run: &Run, slos: &[Slo]) -> Result<Exit, Failure> {
        let report = if slos.is_empty() { Report::of(run) } else { Report::with_slos(run, slos) };
        let colour = streams::is_coloured(std::io::stdout().is_terminal());
        self.outputs.deliver(|kind, to_stdout| render(kind, run, &report, to_stdout && colour))?;
        let (exit, reasons) = ending(&report, self.strict);
        for reason in reasons {
            streams::say(&format!("warwolf: {reason}\n"));
        }
        Ok(exit)
    }
}

/// Writes a report of `run` in the format of the file's extension; the whole run when it has none.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn keep(path: &Path, run: &Run) -> std::io::Result<()> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let kind = kind(&extension.to_ascii_lowercase()).unwrap_or(Kind::Run);
    replace(path, &render(kind, run, &Report::of(run), false))
}

fn render(kind: Kind, run: &Run, report: &Report<'_>, colour: bool) -> Vec<u8> {
    match kind {
        Kind::Run => run.encode(),
        Kind::Report(format) => report.render(format, colour).into_bytes(),
    }
}

fn kind(extension: &str) -> Option<Kind> {
    match extension {
        "wwr" => Some(Kind::Run),
        extension => {
            Format::of_extension(extension).filter(|format| *format != Format::Svg).map(Kind::Report)
        }
    }
}

/// The exit code and the reasons for it: nothing succeeded, a verdict that is not VALID with `--strict`, or a broken SLO.
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
