//! What the user got wrong, in one line: what, where, and what would be right.

use crate::args;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::fmt;
use warwolf_plan::PlanError;

const PROGRAM: &str = "warwolf";

/// Bad input. Printed after `warwolf: `, and the exit code is 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint(String);

impl Complaint {
    /// A complaint in these words: lower case, no full stop, literal values in backticks.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// A complaint about a field of the plan, which is named as the user wrote it: as an option, as an environment
    /// variable, or as it is called in a plan file.
    pub(crate) fn about(error: &PlanError, matches: &clap::ArgMatches) -> Self {
        let PlanError { value, remedy, .. } = error;
        let field = place(&error.field, matches);
        Self(if value.is_empty() {
            format!("{field}: {remedy}")
        } else {
            format!("{field}: `{value}`: {remedy}")
        })
    }

    /// What clap found wrong, in one line.
    pub(crate) fn from_clap(error: &clap::Error) -> Self {
        Self(explain(error))
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where the value of a field came from.
fn place(field: &str, matches: &clap::ArgMatches) -> String {
    let id = match field {
        "http1.0" => "http10".to_owned(),
        _ => field.replace('-', "_"),
    };
    match matches.try_contains_id(&id) {
        Ok(_) if id == "url" => field.to_owned(),
        Ok(_) if matches.value_source(&id) == Some(clap::parser::ValueSource::EnvVariable) => {
            args::variable(field)
        }
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

fn explain(error: &clap::Error) -> String {
    let word = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) if !texts.is_empty() => Some(texts.join(", ")),
        _ => None,
    };
    let arg = word(ContextKind::InvalidArg).unwrap_or_default();
    let value = word(ContextKind::InvalidValue).unwrap_or_default();
    let option = arg.split_whitespace().next().unwrap_or_default();
    // A value that stands in the option's variable has most likely come from there.
    let variable = option.strip_prefix("--").map(args::variable);
    let option = match &variable {
        Some(name) if !value.is_empty() && std::env::var(name).as_ref() == Ok(&value) => name,
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
