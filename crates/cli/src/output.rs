//! Writes a result to stdout and into files, each in a format of its own.

use crate::exit::Failure;
use crate::streams;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use warwolf_args::{UsageError, Written, reason};
use warwolf_report::{Form, Rendered};

/// A file that waits for a result. It is opened before the run, so that nothing is lost to a mistyped path, and keeps its old
/// content until there is a new one.
pub(crate) struct OutputFile {
    path: PathBuf,
    file: File,
}

impl OutputFile {
    /// Opens the file that `--option` names.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn open(option: &str, path: &Path) -> Result<Self, UsageError> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|error| UsageError::of_file(option, path, "written", &error))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Replaces the content of the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        replace(&self.file, bytes).map_err(|error| unwritable(&self.path, &error))
    }
}

/// Only a plain file has a length to set.
fn replace(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    file.write_all(bytes)?;
    file.flush()
}

/// A file could not be written.
pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("{}: cannot be written: {}", path.display(), reason(error)))
}

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
                .map_err(|why| UsageError::new(format!("--output: `{}`: {why}", path.display())))?;
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

/// Opens the outputs of an experiment, which can be written in `forms`.
///
/// # Errors
/// When a format is not among them, or a file cannot be written.
pub(crate) fn of_experiment(args: &Written, forms: &[Form]) -> Result<Outputs<Form>, UsageError> {
    let stdout = args.format.map_or(Form::Text, Form::from);
    let names: Vec<String> = forms.iter().map(|form| format!("{form:?}").to_lowercase()).collect();
    if !forms.contains(&stdout) {
        let word = format!("{stdout:?}").to_lowercase();
        return Err(UsageError::new(format!("--format: `{word}`: use one of {}", names.join(", "))));
    }
    let form = |extension: &str| {
        let form = match extension {
            "txt" => Form::Text,
            "json" => Form::Json,
            "csv" => Form::Csv,
            "md" | "markdown" => Form::Markdown,
            "html" | "htm" => Form::Html,
            "svg" => Form::Svg,
            _ => return Err(unknown_extension(".txt, .json, .csv, .md, .html or .svg")),
        };
        if !forms.contains(&form) {
            return Err(format!("this result is written as one of {}", names.join(", ")));
        }
        Ok(form)
    };
    Outputs::open(&args.output, stdout, form)
}

/// Writes the result of an experiment.
///
/// # Errors
/// As [`Outputs::deliver`].
pub(crate) fn deliver(outputs: &Outputs<Form>, report: &impl Rendered) -> Result<(), Failure> {
    outputs.deliver(|form, _| report.render(form).into_bytes())
}
