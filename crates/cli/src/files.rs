//! From words to a plan, with the files that the words name: the one place where they are read.

use crate::hurl;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use std::fmt::Display;
use std::io::Read;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use warwolf_args::{FileError, Inputs, Load, UsageError};
use warwolf_measure::{RowLabels, Slo, SloError};
use warwolf_plan::{ArrivalWords, Plan, PlanError, Position, nearest};

/// The plan that the words and their files mean.
///
/// # Errors
/// A usage error about the first word or file that is wrong.
pub(crate) fn plan(load: &Load, matches: &ArgMatches) -> Result<Plan, UsageError> {
    let plan = plan_with_any_rows(load, matches)?;
    let slos = slos(&plan.all_slos())?;
    if slos.iter().any(|slo| slo.name.is_some()) {
        check_names(&slos, &warwolf_engine::row_labels(&plan))?;
    }
    Ok(plan)
}

/// As [`plan`], but SLOs may name any row: the requests are not known yet.
///
/// # Errors
/// As [`plan`].
pub(crate) fn plan_with_any_rows(load: &Load, matches: &ArgMatches) -> Result<Plan, UsageError> {
    let (beside_plan, named);
    let load = match plan_file(load) {
        Some(load) => {
            named = load;
            &named
        }
        None => load,
    };
    let load = if load.plan.is_some() {
        beside_plan = beside_plan_file(load, matches)?;
        &beside_plan
    } else {
        load
    };
    let suite = hurl::suite(load)?;
    let (suite, load) = match &suite {
        Some((suite, load)) => (Some(suite.clone()), load),
        None => (None, load),
    };
    let inputs = Inputs { suite, ..inputs(load)? };
    let plan = warwolf_args::plan(load, &inputs).map_err(|error| match &load.plan {
        Some(path) if error.position.is_some() => in_plan_file(path.display(), error),
        _ => UsageError::about(&error, matches),
    })?;
    slos(&plan.slos)?;
    Ok(plan.into())
}

/// A usage error about what stands in a plan file.
pub(crate) fn in_plan_file(path: impl Display, error: PlanError) -> UsageError {
    let place = match error.position {
        Some(Position { line, column }) => format!("{path}:{line}:{column}"),
        None => path.to_string(),
    };
    UsageError::of(place, PlanError { position: None, ..error })
}

/// The load with `--plan FILE` where the only URL is the name of a plan file.
fn plan_file(load: &Load) -> Option<Load> {
    let [name] = &load.url[..] else { return None };
    let path = Path::new(name);
    let is_plan = path.extension().is_some_and(|extension| extension == "toml" || extension == "json");
    let is_named = is_plan && load.plan.is_none() && path.is_file();
    is_named.then(|| Load { url: Vec::new(), plan: Some(path.into()), ..load.clone() })
}

/// Checks that the SLOs name rows, groups and scenarios that exist.
///
/// # Errors
/// A usage error about the first that does not, with the nearest name.
pub(crate) fn check_names(slos: &[Slo], labels: &RowLabels) -> Result<(), UsageError> {
    let names = labels.names();
    for slo in slos {
        let Some(name) = slo.name.as_deref().filter(|name| !labels.has_name(name)) else { continue };
        let remedy = match (nearest(name, names.iter().copied()), names.as_slice()) {
            (Some(nearest), _) => format!("did you mean `{nearest}`?"),
            (None, [first, ..]) => {
                format!(
                    "put the name of a step, group, scenario or URL before the colon, such as `{first}: p99<200ms`"
                )
            }
            (None, []) => "leave the name out".to_owned(),
        };
        return Err(UsageError::value("slo", &slo.text, format!("nothing is named `{name}`; {remedy}")));
    }
    Ok(())
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

/// The options that replace values of a plan file.
const REPLACING: [&str; 5] = ["seed", "slo", "duration", "requests", "rate"];

/// Returns the options that count beside a plan file: those of [`REPLACING`] that the command line has. Environment variables may
/// stay set beside it; they have no effect then.
///
/// # Errors
/// Another option is given: the file has its value.
fn beside_plan_file(load: &Load, matches: &ArgMatches) -> Result<Load, UsageError> {
    let is_given = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
    let words = Load::augment_args(clap::Command::new("load"));
    let given = words.get_arguments().find(|arg| {
        let name = arg.get_id().as_str();
        // The URL may be the name of the plan file.
        let is_name = name == "url" && load.url.is_empty();
        name != "plan" && !is_name && !REPLACING.contains(&name) && is_given(name)
    });
    let kept = |name: &str, value: &Option<String>| value.clone().filter(|_| is_given(name));
    match given {
        None => Ok(Load {
            plan: load.plan.clone(),
            seed: kept("seed", &load.seed),
            slo: if is_given("slo") { load.slo.clone() } else { Vec::new() },
            duration: kept("duration", &load.duration),
            requests: kept("requests", &load.requests),
            rate: kept("rate", &load.rate),
            ..Load::default()
        }),
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
        suite: None,
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
