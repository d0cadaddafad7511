//! From a point of a sweep to its plan: options are put beside the others, fields are put into the plan.

use crate::files;
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Args, FromArgMatches};
use serde_json::Value;
use std::ffi::OsString;
use warwolf_args::{Load, UsageError};
use warwolf_experiment::sweep::{Point, TARGET, Vary};
use warwolf_plan::{Plan, PlanError, Request, Shapes, nearest, text};

/// What a parameter is.
enum Parameter {
    /// Where requests go.
    Target,
    /// An option of `run`; whether it takes a value.
    Option(bool),
    /// A key of the plan.
    Field,
}

fn parameter(name: &str) -> Result<Parameter, UsageError> {
    if name == TARGET {
        return Ok(Parameter::Target);
    }
    let load = Load::augment_args(clap::Command::new("load"));
    if let Some(arg) = load.get_arguments().find(|arg| arg.get_long() == Some(name)) {
        return Ok(Parameter::Option(!matches!(arg.get_action(), ArgAction::SetTrue)));
    }
    if name.contains('.') {
        return Ok(Parameter::Field);
    }
    let names = load.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(clap::Arg::get_long);
    let remedy = match nearest(name, names.chain([TARGET])) {
        Some(likely) => format!("no such parameter; did you mean `{likely}`?"),
        None => "no such parameter; use `target`, a long option of `warwolf run`, or a key of the plan as `warwolf explain` \
                 prints it, such as timeouts.call"
            .to_owned(),
    };
    Err(UsageError::value("vary", name, remedy))
}

/// The plan of a point: the words that were given, and the point's settings.
///
/// # Errors
/// When a parameter is not known, or a setting makes no plan.
pub(super) fn plan(matches: &ArgMatches, vary: &[Vary], point: &Point) -> Result<Plan, UsageError> {
    let mut args = given(matches, vary);
    let (mut targets, mut fields) = (Vec::new(), Vec::new());
    for (vary, &value) in vary.iter().zip(&point.0) {
        let text = vary.values[value].text.as_str();
        match parameter(&vary.name)? {
            Parameter::Target => targets.push(text),
            Parameter::Option(true) => args.push(format!("--{}={text}", vary.name).into()),
            Parameter::Option(false) if matches!(text, "true" | "1" | "yes" | "on") => {
                args.push(format!("--{}", vary.name).into());
            }
            Parameter::Option(false) => {}
            Parameter::Field => fields.push((vary.name.as_str(), text)),
        }
    }
    let has_requests =
        ["url", "urls", "plan"].iter().any(|id| matches.value_source(id).is_some_and(is_given))
            || vary.iter().any(|vary| matches!(vary.name.as_str(), "urls" | "plan"));
    if !has_requests {
        args.extend(targets.iter().map(OsString::from));
    }
    let command = Load::augment_args(clap::Command::new("sweep").no_binary_name(true));
    let matches = command
        .try_get_matches_from(args)
        .map_err(|error| UsageError::from_clap(&error, crate::environment::variable))?;
    let load = Load::from_arg_matches(&matches)
        .map_err(|error| UsageError::from_clap(&error, crate::environment::variable))?;
    let mut plan = files::plan(&load, &matches)?;
    if has_requests {
        for target in targets {
            redirect(&mut plan, target)?;
        }
    }
    for (name, text) in fields {
        plan = with_field(&plan, name, text)?;
    }
    Ok(plan)
}

fn is_given(source: ValueSource) -> bool {
    source != ValueSource::DefaultValue
}

/// The words of the load as they were given, without those that are varied.
fn given(matches: &ArgMatches, vary: &[Vary]) -> Vec<OsString> {
    let load = Load::augment_args(clap::Command::new("load"));
    let mut args = Vec::new();
    for arg in load.get_arguments() {
        let id = arg.get_id().as_str();
        if !matches.value_source(id).is_some_and(is_given)
            || vary.iter().any(|v| Some(v.name.as_str()) == arg.get_long())
        {
            continue;
        }
        match (arg.get_long(), arg.get_action()) {
            (Some(name), ArgAction::SetTrue) if matches.get_flag(id) => args.push(format!("--{name}").into()),
            (Some(_), ArgAction::SetTrue) => {}
            (long, _) => {
                for value in matches.get_raw(id).into_iter().flatten() {
                    let mut word = long.map_or_else(OsString::new, |name| format!("--{name}=").into());
                    word.push(value);
                    args.push(word);
                }
            }
        }
    }
    args
}

/// Sends every request to another server.
fn redirect(plan: &mut Plan, target: &str) -> Result<(), UsageError> {
    let to = Request::get(target).map_err(|error| UsageError::option("vary", format!("target: {error}")))?;
    Shapes::change(&mut plan.requests, |shape| shape.endpoint.clone_from(&to.endpoint));
    Ok(())
}

/// The same plan with another value in one of its keys. Steps and other tables of a list are found by name or number.
fn with_field(plan: &Plan, name: &str, setting: &str) -> Result<Plan, UsageError> {
    let wrong = |why: &str| UsageError::value("vary", name, why);
    let mut whole = text::to_value(plan);
    let mut rest = name;
    let mut place = &mut whole;
    while !rest.is_empty() {
        (place, rest) = below(place, rest)
            .ok_or_else(|| wrong("no such key; `warwolf explain` prints the plan with its keys"))?;
    }
    *place = serde_json::from_str(setting).unwrap_or_else(|_| setting.into());
    let read = text::parse(&whole.to_string()).map(Plan::from);
    read.map_err(|error| wrong(&format!("`{setting}`: {}", PlanError { position: None, ..error })))
}

/// The value of the first name of `path` in a table or list, and the rest of the path.
fn below<'v, 'p>(value: &'v mut Value, path: &'p str) -> Option<(&'v mut Value, &'p str)> {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    if value.is_null() {
        *value = Value::Object(serde_json::Map::new());
    }
    match value {
        Value::Object(keys) => Some((keys.entry(first).or_insert(Value::Null), rest)),
        Value::Array(list) => {
            // Names may have dots in them.
            let named = list.iter().enumerate().filter_map(|(index, table)| {
                let name = table.get("name")?.as_str()?;
                let rest = path.strip_prefix(name)?;
                Some((index, if rest.is_empty() { rest } else { rest.strip_prefix('.')? }))
            });
            let by_number = || Some((first.parse().ok()?, rest));
            let (index, rest) = named.min_by_key(|(_, rest)| rest.len()).or_else(by_number)?;
            Some((list.get_mut(index)?, rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_plan::{Schedule, Timeouts};

    fn matches(args: &str) -> ArgMatches {
        let command = Load::augment_args(clap::Command::new("sweep").no_binary_name(true));
        command.try_get_matches_from(args.split_whitespace()).unwrap()
    }

    fn made(args: &str, vary: &[&str], point: &[usize]) -> Result<Plan, String> {
        let vary: Vec<Vary> = vary.iter().map(|text| Vary::parse(text).unwrap()).collect();
        plan(&matches(args), &vary, &Point(point.to_vec())).map_err(|error| error.to_string())
    }

    #[test]
    fn options_are_put_beside_the_others() {
        let plan = made("-d 2s --seed 3 http://a.test/x", &["connections=10,75"], &[1]).unwrap();
        assert!(matches!(plan.schedule, Schedule::Closed { users: 75, .. }));
        assert_eq!((plan.seed, plan.requests[0].url().as_str()), (3, "http://a.test/x"));
        let flag = made("http://a.test/", &["disable-keepalive=true,false"], &[0]).unwrap();
        assert!(!flag.connections.keep_alive);
        let replaced = made("-c 5 http://a.test/", &["connections=9"], &[0]).unwrap();
        assert!(matches!(replaced.schedule, Schedule::Closed { users: 9, .. }));
    }

    #[test]
    fn a_target_is_the_url_or_takes_the_place_of_the_server() {
        let vary = ["target=one:http://b.test:81/y"];
        assert_eq!(made("-d 1s", &vary, &[0]).unwrap().requests[0].url(), "http://b.test:81/y");
        assert_eq!(made("http://a.test/x", &vary, &[0]).unwrap().requests[0].url(), "http://b.test:81/x");
    }

    #[test]
    fn fields_of_the_plan_can_be_set() {
        let plan =
            made("http://a.test/", &["timeouts.call=250ms", "connections.max_head=100"], &[0, 0]).unwrap();
        assert_eq!(plan.timeouts.call, Some(std::time::Duration::from_millis(250)));
        assert_eq!(plan.connections.max_head, 100);
        assert_eq!(Timeouts::default().connect, plan.timeouts.connect);
    }

    #[test]
    fn what_is_not_known_is_named() {
        let rows = [
            (
                made("http://a.test/", &["colour=red"], &[0]),
                "--vary: `colour`: no such parameter; use `target`, a long option of `warwolf run`, or a key",
            ),
            (
                made("http://a.test/", &["conections=1"], &[0]),
                "--vary: `conections`: no such parameter; did you mean `connections`?",
            ),
            (
                made("http://a.test/", &["timeouts.colour=red"], &[0]),
                "--vary: `timeouts.colour`: `red`: timeouts: `colour`: not known",
            ),
            (made("http://a.test/", &["connections=many"], &[0]), "--connections: `many`:"),
            (made("-d 1s", &["connections=1"], &[0]), "url: none is given"),
        ];
        for (plan, expected) in rows {
            let error = plan.unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
