//! Where the result of an experiment goes: files that are opened before anything is run, and stdout.

use super::words::Written;
use crate::complaint::Complaint;
use crate::exit::Failure;
use crate::files::reason;
use crate::streams;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use warwolf_report::{Form, Rendered};

/// Everything that waits for the result.
pub(crate) struct Waiting {
    files: Vec<(PathBuf, Form, File)>,
    stdout: Form,
}

impl Waiting {
    /// Opens what the words name. `forms` are those that the experiment has.
    ///
    /// # Errors
    /// When a form is not among them, or a file cannot be written.
    pub(crate) fn open(words: &Written, forms: &[Form]) -> Result<Self, Complaint> {
        let stdout = words.format.map_or(Form::Text, Form::from);
        let names: Vec<String> = forms.iter().map(|form| format!("{form:?}").to_lowercase()).collect();
        if !forms.contains(&stdout) {
            let word = format!("{stdout:?}").to_lowercase();
            return Err(Complaint::new(format!("--format: `{word}`: use one of {}", names.join(", "))));
        }
        let open = |path: &PathBuf| open(path, forms, &names.join(", "));
        Ok(Self { files: words.output.iter().map(open).collect::<Result<_, _>>()?, stdout })
    }

    /// Writes the result in every form that is waited for.
    ///
    /// # Errors
    /// When a file or stdout cannot be written; everything else has been then.
    pub(crate) fn deliver(self, report: &impl Rendered) -> Result<(), Failure> {
        let mut failure = streams::print(report.render(self.stdout).as_bytes()).err();
        for (path, form, mut file) in self.files {
            let plain = file.metadata().is_ok_and(|data| data.is_file());
            let emptied = if plain { file.set_len(0) } else { Ok(()) };
            if let Err(error) = emptied.and_then(|()| file.write_all(report.render(form).as_bytes())) {
                failure =
                    Some(Failure::new(format!("{}: cannot be written: {}", path.display(), reason(&error))));
            }
        }
        failure.map_or(Ok(()), Err)
    }
}

fn open(path: &Path, forms: &[Form], names: &str) -> Result<(PathBuf, Form, File), Complaint> {
    let wrong = |why: &str| Complaint::new(format!("--output: `{}`: {why}", path.display()));
    let form = match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "txt" => Form::Text,
        "json" => Form::Json,
        "csv" => Form::Csv,
        "md" | "markdown" => Form::Markdown,
        "html" | "htm" => Form::Html,
        "svg" => Form::Svg,
        _ => {
            return Err(wrong(
                "use an extension that says what it is: .txt, .json, .csv, .md, .html or .svg",
            ));
        }
    };
    if !forms.contains(&form) {
        return Err(wrong(&format!("this result is written as one of {names}")));
    }
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    let file = file.map_err(|error| wrong(&format!("cannot be written: {}", reason(&error))))?;
    Ok((path.to_owned(), form, file))
}
