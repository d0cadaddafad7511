//! From words to a plan, with the files that the words name: the one place where they are read.

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use std::io::Read;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use warwolf_args::{FileError, Inputs, Load, UsageError};
use warwolf_measure::{Slo, SloError};
use warwolf_plan::{ArrivalWords, Plan};

/// The plan that the words and their files mean.
///
/// # Errors
/// A usage error about the first word or file that is wrong.
pub(crate) fn plan(load: &Load, matches: &ArgMatches) -> Result<Plan, UsageError> {
    if load.plan.is_some() {
        refuse_beside_plan(matches)?;
    }
    let inputs = inputs(load)?;
    let plan = warwolf_args::plan(load, &inputs).map_err(|error| UsageError::about(&error, matches))?;
    slos(&plan.slos)?;
    Ok(plan.into())
}

/// Reads SLOs.
///
/// # Errors
/// A usage error about the first that is none.
pub(crate) fn slos(texts: &[String]) -> Result<Vec<Slo>, UsageError> {
    let read = |text: &String| {
        Slo::parse(text).map_err(|SloError { value, remedy, .. }| {
            let part = if value == *text { String::new() } else { format!("`{value}`: ") };
            UsageError::value("slo", text, format!("{part}{remedy}"))
        })
    };
    texts.iter().map(read).collect()
}

/// A plan file holds the whole test. Environment variables may stay set beside it; they count for nothing then.
fn refuse_beside_plan(matches: &ArgMatches) -> Result<(), UsageError> {
    let load = Load::augment_args(clap::Command::new("load"));
    let given = load.get_arguments().find(|arg| {
        arg.get_id() != "plan"
            && matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
    });
    match given {
        None => Ok(()),
        Some(arg) => {
            let name = arg.get_long().map_or_else(|| "the URL".to_owned(), |long| format!("--{long}"));
            Err(UsageError::option(
                "plan",
                format!("it holds the whole test; leave out {name}, or change it in the file"),
            ))
        }
    }
}

fn inputs(load: &Load) -> Result<Inputs, UsageError> {
    let read = |option: &str, path: Option<&Path>| path.map(|path| text(option, path)).transpose();
    // A word that is wrong is named when the plan is made.
    let trace = match load.arrivals.as_deref().map(ArrivalWords::parse) {
        Some(Ok(ArrivalWords::Trace { file })) => Some(file),
        _ => None,
    };
    let body = load.request.body.as_deref().and_then(|body| body.strip_prefix('@'));
    // The engine reads these; that they can be read is seen here, where they have the names of their options.
    for (option, path) in [
        ("body", body.filter(|path| !matches!(*path, "" | "-")).map(Path::new)),
        ("cacert", load.tls.cacert.as_deref()),
        ("cert", load.tls.cert.as_deref()),
        ("key", load.tls.key.as_deref()),
    ] {
        if let Some(path) = path {
            std::fs::File::open(path).map_err(|error| FileError::reading(path, &error).of_option(option))?;
        }
    }
    Ok(Inputs {
        plan: read("plan", load.plan.as_deref())?,
        urls: read("urls", load.urls.as_deref())?,
        clicks: read("clicks", load.clicks.as_deref())?,
        trace: read("arrivals", trace.as_deref())?,
        seed: seed_of_now(),
    })
}

/// The text of a file; `-` is stdin.
fn text(option: &str, path: &Path) -> Result<String, UsageError> {
    let wrong = |error: std::io::Error| FileError::reading(path, &error).of_option(option);
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map_err(wrong)?;
        return Ok(text);
    }
    Ok(std::fs::read_to_string(path).map_err(wrong)?)
}

/// A seed that differs from run to run, short enough to be typed.
pub(crate) fn seed_of_now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::from(now.subsec_nanos()) ^ (now.as_secs() & 0xffff_ffff)
}
