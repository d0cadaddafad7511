//! From words to a plan, with the files that the words name: the one place where they are read.

use crate::hurl;
use crate::streams;
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
    let mut plan = Plan::from(plan);
    if let Some(folder) = load.plan.as_deref().and_then(Path::parent) {
        plan.find_files_in(folder);
    }
    Ok(plan)
}

/// A usage error about what stands in a plan file.
pub(crate) fn in_plan_file(path: impl Display, error: PlanError) -> UsageError {
    let place = match error.position {
        Some(Position { line, column }) => format!("{path}:{line}:{column}"),
        None => path.to_string(),
    };
    UsageError::of(place, PlanError { position: None, ..error })
}

/// The load with `--plan FILE` where a URL is the name of a plan file.
fn plan_file(load: &Load) -> Option<Load> {
    let is_plan = |name: &String| {
        let path = Path::new(name);
        path.extension().is_some_and(|extension| extension == "toml" || extension == "json") && path.is_file()
    };
    let at = load.url.iter().position(is_plan).filter(|_| load.plan.is_none())?;
    let mut load = load.clone();
    load.plan = Some(load.url.remove(at).into());
    Some(load)
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
const REPLACING: [&str; 22] = [
    "url",
    "seed",
    "slo",
    "duration",
    "requests",
    "rate",
    "connections",
    "warmup",
    "grace",
    "data",
    "check",
    "label",
    "header",
    "timeout",
    "connect_timeout",
    "resolve",
    "proxy",
    "insecure",
    "cacert",
    "threads",
    "driver",
    "idle",
];

/// Returns the options that count beside a plan file: those of [`REPLACING`] that the command line has. Environment variables may
/// stay set beside it; they have no effect then.
///
/// # Errors
/// Another option is given: the file has its value.
fn beside_plan_file(load: &Load, matches: &ArgMatches) -> Result<Load, UsageError> {
    let is_given = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
    let words = Load::augment_args(clap::Command::new("load"));
    // The URL may be the name of the plan file.
    let given = words.get_arguments().filter(|arg| {
        let name = arg.get_id().as_str();
        name != "plan" && is_given(name) && (name != "url" || !load.url.is_empty())
    });
    let mut names = Vec::new();
    for arg in given {
        let name = arg.get_long().map_or_else(|| "the URL".to_owned(), |long| format!("--{long}"));
        if !REPLACING.contains(&arg.get_id().as_str()) {
            let remedy = format!("it holds the whole test; leave out {name}, or change it in the file");
            return Err(UsageError::option("plan", remedy));
        }
        names.push(name);
    }
    let is_quiet = matches.try_get_one::<bool>("quiet").ok().flatten().is_some_and(|quiet| *quiet);
    if !names.is_empty() && !is_quiet {
        streams::say(&format!("warwolf: {} of the command line counts, not the plan\n", names.join(", ")));
    }
    let mut beside = load.clone();
    let words = [
        ("seed", &mut beside.seed),
        ("duration", &mut beside.duration),
        ("requests", &mut beside.requests),
        ("rate", &mut beside.rate),
        ("connections", &mut beside.connections),
        ("warmup", &mut beside.warmup),
        ("grace", &mut beside.grace),
        ("timeout", &mut beside.connection.timeout),
        ("connect_timeout", &mut beside.connection.connect_timeout),
        ("proxy", &mut beside.connection.proxy),
        ("threads", &mut beside.machine.threads),
    ];
    words.into_iter().filter(|(name, _)| !is_given(name)).for_each(|(_, word)| *word = None);
    let lists = [
        ("slo", &mut beside.slo),
        ("data", &mut beside.data),
        ("check", &mut beside.check),
        ("label", &mut beside.label),
        ("header", &mut beside.request.header),
        ("resolve", &mut beside.connection.resolve),
    ];
    lists.into_iter().filter(|(name, _)| !is_given(name)).for_each(|(_, list)| list.clear());
    beside.tls.insecure &= is_given("insecure");
    beside.tls.cacert = beside.tls.cacert.take().filter(|_| is_given("cacert"));
    beside.machine.driver = beside.machine.driver.filter(|_| is_given("driver"));
    beside.machine.idle = beside.machine.idle.filter(|_| is_given("idle"));
    (beside.request.accept, beside.request.content_type) = (None, None);
    Ok(beside)
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
