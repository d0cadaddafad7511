//! Errors that the user has to correct, each in one line: where, what, and what would be right.

use crate::environment::variable;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use warwolf_plan::PlanError;

const PROGRAM: &str = "warwolf";

/// Bad input. Printed after `warwolf: `, and the exit code is 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UsageError {
    /// A value is wrong.
    Value {
        /// Option, environment variable, command, or field of a plan, as the user wrote it.
        place: String,
        /// The value.
        value: String,
        /// What would be right.
        remedy: String,
    },
    /// An argument is missing, or cannot be used with the others.
    Argument {
        /// Option, environment variable, command, file, or field of a plan, as the user wrote it.
        place: String,
        /// What is wrong, and what would be right.
        remedy: String,
    },
    /// A file that an argument names cannot be used.
    File(FileError),
    /// The arguments do not follow the syntax of the command line: the message that clap's error amounts to.
    Syntax(String),
}

impl UsageError {
    /// A wrong value of `--option`.
    pub fn value(option: &str, value: impl fmt::Display, remedy: impl Into<String>) -> Self {
        Self::Value { place: named(option), value: value.to_string(), remedy: remedy.into() }
    }

    /// `--option` is missing, or cannot be used here.
    pub fn option(option: &str, remedy: impl Into<String>) -> Self {
        Self::Argument { place: named(option), remedy: remedy.into() }
    }

    /// `--option` cannot be used here: the reason why.
    pub fn superfluous(option: &str, reason: &str) -> Self {
        Self::option(option, format!("{reason}; leave it out"))
    }

    /// The arguments of a command, or the content of a file, are wrong as a whole.
    pub fn of(place: impl fmt::Display, remedy: impl fmt::Display) -> Self {
        Self::Argument { place: place.to_string(), remedy: remedy.to_string() }
    }

    /// An error in a field of the plan, which is named as the user wrote it: as an option, as an environment variable, or as
    /// it is called in a plan file.
    pub fn about(error: &PlanError, matches: &clap::ArgMatches) -> Self {
        let PlanError { value, remedy, .. } = error.clone();
        Self::with_value(source(&error.field, matches), value, remedy)
    }

    /// An error in the value of an option that is not part of a plan.
    pub fn of_option(error: PlanError) -> Self {
        Self::with_value(named(&error.field), error.value, error.remedy)
    }

    /// An error in a field of the plan, which is named as in a plan file.
    pub fn of_field(error: PlanError) -> Self {
        Self::with_value(error.field, error.value, error.remedy)
    }

    fn with_value(place: String, value: String, remedy: String) -> Self {
        if value.is_empty() { Self::Argument { place, remedy } } else { Self::Value { place, value, remedy } }
    }

    /// The error that clap found. `environment` reads a variable of the environment.
    pub fn from_clap(error: &clap::Error, environment: impl Fn(&str) -> Option<String>) -> Self {
        Self::Syntax(explain(error, environment))
    }
}

impl From<FileError> for UsageError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value { place, value, remedy } => write!(f, "{place}: `{value}`: {remedy}"),
            Self::Argument { place, remedy } => write!(f, "{place}: {remedy}"),
            Self::File(error) => error.fmt(f),
            Self::Syntax(text) => f.write_str(text),
        }
    }
}

/// A file or folder that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    option: Option<String>,
    path: PathBuf,
    act: Act,
    reason: String,
    remedy: Option<&'static str>,
}

/// What a file cannot be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Read,
    Write,
    Create,
}

impl FileError {
    /// The file cannot be read.
    #[must_use]
    pub fn reading(path: &Path, error: &io::Error) -> Self {
        Self::new(path, Act::Read, error)
    }

    /// The file cannot be written.
    #[must_use]
    pub fn writing(path: &Path, error: &io::Error) -> Self {
        Self::new(path, Act::Write, error)
    }

    /// The folder cannot be created.
    #[must_use]
    pub fn creating(path: &Path, error: &io::Error) -> Self {
        Self::new(path, Act::Create, error)
    }

    fn new(path: &Path, act: Act, error: &io::Error) -> Self {
        Self { option: None, path: path.to_owned(), act, reason: reason(error), remedy: None }
    }

    /// The same file as the value of `--option`.
    #[must_use]
    pub fn of_option(self, option: &str) -> Self {
        Self { option: Some(option.to_owned()), ..self }
    }

    /// The same with advice on what to use instead.
    #[must_use]
    pub fn with_remedy(self, remedy: &'static str) -> Self {
        Self { remedy: Some(remedy), ..self }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.option {
            Some(option) => write!(f, "--{option}: `{path}`")?,
            None => write!(f, "{path}")?,
        }
        let act = match self.act {
            Act::Read => "read",
            Act::Write => "written",
            Act::Create => "created",
        };
        write!(f, ": cannot be {act}: {}", self.reason)?;
        self.remedy.map_or(Ok(()), |remedy| write!(f, "; {remedy}"))
    }
}

/// An option as users write it. The URL has no option.
fn named(option: &str) -> String {
    if option == "url" { option.to_owned() } else { format!("--{option}") }
}

/// Where the value of a field came from.
fn source(field: &str, matches: &clap::ArgMatches) -> String {
    let id = match field {
        "http1.0" => "http10".to_owned(),
        _ => field.replace('-', "_"),
    };
    match matches.try_contains_id(&id) {
        Ok(_) if id == "url" || matches.value_source(&id).is_none() => field.to_owned(),
        Ok(_) if matches.value_source(&id) == Some(clap::parser::ValueSource::EnvVariable) => variable(field),
        Ok(_) => format!("--{field}"),
        Err(_) => field.to_owned(),
    }
}

/// The command whose words were read, with those it is under, such as `warwolf history list`: what its usage begins with.
fn command(error: &clap::Error) -> String {
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => String::new(),
    };
    let words = usage.trim_start_matches("Usage:").split_whitespace();
    let words: Vec<&str> = words.take_while(|word| !word.starts_with(['[', '<', '-'])).collect();
    if words.is_empty() { PROGRAM.to_owned() } else { words.join(" ") }
}

fn explain(error: &clap::Error, environment: impl Fn(&str) -> Option<String>) -> String {
    let word = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) if !texts.is_empty() => Some(texts.join(", ")),
        _ => None,
    };
    let arg = word(ContextKind::InvalidArg).unwrap_or_default();
    let value = word(ContextKind::InvalidValue).unwrap_or_default();
    let option = arg.split_whitespace().next().unwrap_or_default();
    // A value that stands in the option's variable has most likely come from there.
    let from = option.strip_prefix("--").map(variable);
    let option = match &from {
        Some(name) if !value.is_empty() && environment(name).as_ref() == Some(&value) => name,
        _ => option,
    };
    match error.kind() {
        ErrorKind::UnknownArgument if arg == "-t" => {
            "-t: it could mean --timeout, --threads or --duration; use one of these".to_owned()
        }
        ErrorKind::UnknownArgument => match word(ContextKind::SuggestedArg) {
            Some(likely) => format!("{arg}: no such option; did you mean `{likely}`?"),
            None => format!("{arg}: no such option; `{} --help` lists them", command(error)),
        },
        ErrorKind::InvalidSubcommand => {
            let unknown = word(ContextKind::InvalidSubcommand).unwrap_or_default();
            match word(ContextKind::SuggestedSubcommand) {
                Some(likely) => format!("{unknown}: no such command; did you mean `{likely}`?"),
                None if command(error) == PROGRAM => format!(
                    "{unknown}: no such command; `{PROGRAM} --help` lists them; to load a host of this name, use \
                     `http://{unknown}/`"
                ),
                None => format!("{unknown}: no such command; `{} --help` lists them", command(error)),
            }
        }
        ErrorKind::InvalidValue if value.is_empty() => match word(ContextKind::ValidValue) {
            Some(valid) => format!("{option}: it needs a value: {valid}"),
            None => format!("{option}: it needs a value; write `{arg}`"),
        },
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => match word(ContextKind::ValidValue) {
            Some(valid) => format!("{option}: `{value}`: use one of {valid}"),
            None => {
                let why = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
                let remedy = if why.contains("boolean") { "use true or false" } else { &why };
                format!("{option}: `{value}`: {remedy}")
            }
        },
        ErrorKind::ArgumentConflict => {
            let other = word(ContextKind::PriorArg).unwrap_or_default();
            if other == arg || other.is_empty() {
                format!("{option}: it is given twice; once is enough")
            } else {
                let other = other.split_whitespace().next().unwrap_or_default();
                format!("{option}: it cannot be used together with {other}")
            }
        }
        ErrorKind::MissingRequiredArgument => format!("{arg}: missing; see `{} --help`", command(error)),
        _ => error.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned(),
    }
}

/// The system's text of an error as our messages have it: lower case, without its number.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
