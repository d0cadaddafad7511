//! Writes a result to stdout and into files, each in a format of its own.

use crate::exit::Failure;
use crate::output_file::OutputFile;
use crate::streams;
use std::path::PathBuf;
use warwolf_args::{UsageError, Written};
use warwolf_report::{Format, Rendered};

/// Everything that waits for one result: stdout, and files by their extensions.
pub(crate) struct Outputs<F> {
    files: Vec<(OutputFile, F)>,
    stdout: F,
}

impl<F: Copy> Outputs<F> {
    /// Opens the files that `--output` names. `format` returns the format of a file extension, or what is wrong with it.
    ///
    /// # Errors
    /// When an extension has no format, or a file cannot be written.
    pub(crate) fn open(
        paths: &[PathBuf],
        stdout: F,
        format: impl Fn(&str) -> Result<F, String>,
    ) -> Result<Self, UsageError> {
        let open = |path: &PathBuf| {
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            let format = format(&extension.to_ascii_lowercase())
                .map_err(|why| UsageError::value("output", path.display(), why))?;
            Ok((OutputFile::open("output", path)?, format))
        };
        Ok(Self { files: paths.iter().map(open).collect::<Result<_, UsageError>>()?, stdout })
    }

    /// Writes the result, which `render` returns in a format; to stdout with `true`, where colours may be used.
    ///
    /// # Errors
    /// When stdout or a file cannot be written. Everything else has been written then.
    pub(crate) fn deliver(&self, render: impl Fn(F, bool) -> Vec<u8>) -> Result<(), Failure> {
        let mut result = streams::print(&render(self.stdout, true));
        for (file, format) in &self.files {
            let written = file.write(&render(*format, false));
            result = written.and(result);
        }
        result
    }
}

/// What is wrong with an extension that has no format.
pub(crate) fn unknown_extension(known: &str) -> String {
    format!("use an extension that says what it is: {known}")
}

/// Opens the outputs of an experiment, which can be written in `formats`.
///
/// # Errors
/// When a format is not among them, or a file cannot be written.
pub(crate) fn of_experiment(args: &Written, formats: &[Format]) -> Result<Outputs<Format>, UsageError> {
    let stdout = args.format.unwrap_or(Format::Text);
    let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
    if !formats.contains(&stdout) {
        return Err(UsageError::value("format", stdout.name(), format!("use one of {}", names.join(", "))));
    }
    let of = |extension: &str| match Format::of_extension(extension) {
        Some(format) if formats.contains(&format) => Ok(format),
        Some(_) => Err(format!("this result is written as one of {}", names.join(", "))),
        None => Err(unknown_extension(".txt, .json, .csv, .md, .html or .svg")),
    };
    Outputs::open(&args.output, stdout, of)
}

/// Writes the result of an experiment.
///
/// # Errors
/// As [`Outputs::deliver`].
pub(crate) fn deliver(outputs: &Outputs<Format>, report: &impl Rendered) -> Result<(), Failure> {
    outputs.deliver(|format, _| report.render(format).into_bytes())
}
