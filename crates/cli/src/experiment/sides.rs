//! What `compare A B` means: two URLs, two plans, or two run files.

use crate::exit::Failure;
use crate::files;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use std::path::Path;
use warwolf_args::experiment::Compare;
use warwolf_args::{FileError, Load, UsageError};
use warwolf_experiment::{first_difference, hindrance_to_slices};
use warwolf_measure::Run;
use warwolf_plan::{Plan, text};

/// Both sides.
pub(super) enum Sides {
    /// To be measured now.
    Live(Box<[(String, Plan); 2]>),
    /// Measured already.
    Kept(Box<[(String, Run); 2]>),
}

/// What a word names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Url,
    Plan,
    Run,
}

impl Sides {
    /// Reads both sides.
    ///
    /// # Errors
    /// When there are not two of one kind, or one cannot be read.
    pub(super) fn of(args: &Compare, matches: &ArgMatches) -> Result<Self, Failure> {
        let [a, b] = args.load.url.as_slice() else {
            let given = args.load.url.len();
            return Err(UsageError::of(
                "compare",
                format!("it takes A and B, two URLs, plans or run files; {given} given"),
            )
            .into());
        };
        if kind(a) != kind(b) {
            let what = format!(
                "`{a}` and `{b}` are of two kinds; give two URLs, two plans (.toml, .json) or two run files (.wwr)"
            );
            return Err(UsageError::of("compare", what).into());
        }
        match kind(a) {
            Kind::Run => {
                refuse_load(matches, "run files were measured already", &[])?;
                let sides = [
                    (a.clone(), crate::run_files::read(Path::new(a))?),
                    (b.clone(), crate::run_files::read(Path::new(b))?),
                ];
                if !args.different {
                    alike(&sides)?;
                }
                Ok(Self::Kept(Box::new(sides)))
            }
            Kind::Plan => {
                refuse_load(matches, "a plan holds the whole load", &["duration", "seed"])?;
                Ok(Self::Live(Box::new([(a.clone(), plan(a)?), (b.clone(), plan(b)?)])))
            }
            Kind::Url => {
                let side = |url: &String| {
                    let load = Load { url: vec![url.clone()], ..args.load.clone() };
                    Ok::<_, Failure>((url.clone(), files::plan(&load, matches)?))
                };
                Ok(Self::Live(Box::new([side(a)?, side(b)?])))
            }
        }
    }
}

fn kind(word: &str) -> Kind {
    match Path::new(word).extension().and_then(|extension| extension.to_str()) {
        Some("wwr") => Kind::Run,
        Some("toml" | "json") if !word.contains("://") => Kind::Plan,
        _ => Kind::Url,
    }
}

fn plan(path: &str) -> Result<Plan, UsageError> {
    let args = std::fs::read_to_string(path).map_err(|error| FileError::reading(Path::new(path), &error))?;
    text::parse(&args).map(Plan::from).map_err(|error| files::in_plan_file(path, error))
}

/// Options of the load mean nothing where the load is given already.
fn refuse_load(matches: &ArgMatches, why: &str, but: &[&str]) -> Result<(), UsageError> {
    let load = Load::augment_args(clap::Command::new("load"));
    let given = load.get_arguments().find(|arg| {
        let id = arg.get_id().as_str();
        id != "url" && !but.contains(&id) && matches.value_source(id) == Some(ValueSource::CommandLine)
    });
    match given.and_then(clap::Arg::get_long) {
        None => Ok(()),
        Some(name) => Err(UsageError::superfluous(name, why)),
    }
}

/// Checks that two run files had the same load.
pub(super) fn alike(sides: &[(String, Run); 2]) -> Result<(), UsageError> {
    let plans = sides.each_ref().map(|(_, run)| text::parse(&run.plan_text).ok().map(Plan::from));
    let [Some(a), Some(b)] = plans else {
        return Err(UsageError::of(
            "compare",
            "a run file's plan cannot be read by this version, so it is not known whether the loads are alike; to compare \
             them all the same, add --different",
        ));
    };
    match first_difference(&a, &b) {
        None => Ok(()),
        Some(field) => Err(UsageError::of(
            "compare",
            format!(
                "`{}` and `{}` are different loads: `{field}` differs; to compare them all the same, add --different",
                sides[0].0, sides[1].0
            ),
        )),
    }
}

/// Checks that a slice of `plan` is like any other slice of it.
pub(super) fn sliceable(plan: &Plan) -> Result<(), UsageError> {
    hindrance_to_slices(plan).map_or(Ok(()), |hindrance| {
        let what = format!(
            "{hindrance} cannot be cut into slices that are alike; use a constant load and --duration, or make two runs \
             and compare their files"
        );
        Err(UsageError::of("compare", what))
    })
}
