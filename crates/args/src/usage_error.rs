//! What is wrong with an argument, in one line: what, where, and what would be right.

use crate::environment::variable;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::fmt;
use std::io;
use std::path::Path;
use warwolf_plan::PlanError;

const PROGRAM: &str = "warwolf";

/// Bad input. Printed after `warwolf: `, and the exit code is 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageError(String);

impl UsageError {
    /// An error with this text: lower case, no full stop, literal values in backticks.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// An error in a field of the plan, which is named as the user wrote it: as an option, as an environment variable, or as
    /// it is called in a plan file.
    pub fn about(error: &PlanError, matches: &clap::ArgMatches) -> Self {
        let PlanError { value, remedy, .. } = error;
        let field = source(&error.field, matches);
        Self(if value.is_empty() {
            format!("{field}: {remedy}")
        } else {
            format!("{field}: `{value}`: {remedy}")
        })
    }

    /// An error in the value of an option that is not part of a plan.
    pub fn of_option(error: PlanError) -> Self {
        let PlanError { field, value, remedy } = error;
        let field = if field == "url" { field } else { format!("--{field}") };
        Self(format!("{field}: `{value}`: {remedy}"))
    }

    /// A file that the option `option` names cannot be read or written: `what` says which.
    pub fn of_file(option: &str, path: &Path, what: &str, error: &io::Error) -> Self {
        Self(format!("--{option}: `{}`: cannot be {what}: {}", path.display(), reason(error)))
    }

    /// What clap found wrong, in one line. `environment` reads a variable of the environment.
    pub fn from_clap(error: &clap::Error, environment: impl Fn(&str) -> Option<String>) -> Self {
        Self(explain(error, environment))
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
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
