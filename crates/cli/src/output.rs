//! Writes a result to stdout and into files, each in a format of its own.

use crate::exit::Failure;
use crate::output_file::OutputFile;
use crate::streams;
use std::path::PathBuf;
use warwolf_args::{UsageError, Written};
use warwolf_report::{Form, Rendered};

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

/// Opens the outputs of an experiment, which can be written in `forms`.
///
/// # Errors
/// When a format is not among them, or a file cannot be written.
pub(crate) fn of_experiment(args: &Written, forms: &[Form]) -> Result<Outputs<Form>, UsageError> {
    let stdout = args.format.map_or(Form::Text, Form::from);
    let names: Vec<String> = forms.iter().map(|form| format!("{form:?}").to_lowercase()).collect();
    if !forms.contains(&stdout) {
        let word = format!("{stdout:?}").to_lowercase();
        return Err(UsageError::value("format", word, format!("use one of {}", names.join(", "))));
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
