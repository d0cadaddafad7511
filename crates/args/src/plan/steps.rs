//! Requests with values, data files and checks on the command line: a scenario of one step.

use super::wrong;
use crate::load::Load;
use std::path::Path;
use warwolf_plan::query::Check;
use warwolf_plan::template::{self, is_template};
use warwolf_plan::{
    Body, DataTable, Order, Plan, PlanError, Request, RequestId, Scenario, Schedule, Step, Take, Think, Work,
};

/// A GET of a URL, which may contain values.
pub(super) fn request(url: &str) -> Result<Request, PlanError> {
    if is_template(url) { Request::template(url) } else { Request::get(url) }
}

/// Makes sessions of one step each where the arguments need steps: for values, data files or checks. Each request is a session of
/// its own, which takes a row of its own.
pub(super) fn add(args: &Load, plan: &mut Plan) -> Result<(), PlanError> {
    plan.data = args.data.iter().map(|text| data(text)).collect::<Result<_, _>>()?;
    let checks = args.check.iter().map(|text| Check::parse("check", text)).collect::<Result<Vec<_>, _>>()?;
    if !plan.scenarios.is_empty() {
        check_all(plan, &checks);
        return Ok(());
    }
    let has_values = plan.requests.iter().any(contains_values);
    if !has_values && checks.is_empty() && plan.data.is_empty() {
        return Ok(());
    }
    if let Some((option, remedy)) = unfit(args) {
        return Err(wrong(option, "", remedy));
    }
    if has_values {
        plan.requests.iter_mut().for_each(|request| make_template(request, args));
    }
    let order = match plan.session.work {
        Work::Draw { order: Order::Random, .. } => Order::Random,
        _ => Order::Sequential,
    };
    let think = std::mem::replace(&mut plan.session.think, Think::None);
    let choices = plan.requests.len() as u32;
    let name = if choices == 1 { plan.requests[0].url() } else { "requests".to_owned() };
    let step = Step { choices, order, think, checks, ..Step::new(name, RequestId(0)) };
    plan.scenarios = vec![Scenario::new("", vec![step])];
    if let Schedule::Closed { users, .. } = plan.schedule {
        plan.schedule = Schedule::Turns { users };
    }
    Ok(())
}

/// Adds data files and checks to a plan that has steps. A data file replaces the one of the same name.
pub(super) fn add_beside(args: &Load, plan: &mut Plan) -> Result<(), PlanError> {
    for text in &args.data {
        let data = data(text)?;
        plan.data.retain(|other| other.name != data.name);
        plan.data.push(data);
    }
    let checks = args.check.iter().map(|text| Check::parse("check", text)).collect::<Result<Vec<_>, _>>()?;
    if !checks.is_empty() && plan.scenarios.is_empty() {
        return Err(wrong("check", "", "the plan has no steps; write its requests as steps"));
    }
    check_all(plan, &checks);
    Ok(())
}

/// Adds checks to all steps.
fn check_all(plan: &mut Plan, checks: &[Check]) {
    for scenario in &mut plan.scenarios {
        let steps = scenario.setup.iter_mut().chain(&mut scenario.steps).chain(&mut scenario.teardown);
        steps.for_each(|step| step.checks.extend(checks.iter().cloned()));
    }
}

/// An argument that cannot be used with steps, and what to do instead.
fn unfit(args: &Load) -> Option<(&'static str, &'static str)> {
    let with = "it cannot be used with --data, --check and values in double braces";
    let is_users_ramp = args.ramp.as_ref().is_some_and(|ramp| !ramp.contains(':'));
    if args.clicks.is_some() {
        Some(("clicks", with))
    } else if args.request.cookies {
        Some(("cookies", "each request is a session of its own here; use a plan with steps (docs/plan.md)"))
    } else if is_users_ramp {
        Some(("ramp", with))
    } else {
        None
    }
}

fn contains_values(request: &Request) -> bool {
    let text = match &request.body {
        Body::Text(text) => Some(text),
        _ => None,
    };
    let texts = request.headers.iter().map(|(_, value)| value).chain(text).chain(&request.basic_auth);
    request.is_template || texts.into_iter().any(|text| is_template(text))
}

/// Makes a template of a request. What is no template in it stays as it is.
fn make_template(request: &mut Request, args: &Load) {
    if !request.is_template {
        request.path = template::escape(&request.path).into();
        request.is_template = true;
    }
    let is_json = args.request.content_type.as_ref().is_some_and(|kind| kind.contains("json"));
    if let (Body::Text(text), true) = (&request.body, is_json) {
        request.body = Body::Json(text.clone());
    }
}

/// Reads `FILE` or `FILE:TAKE`. The table has the name of the file.
fn data(text: &str) -> Result<DataTable, PlanError> {
    let take = |word: &str| match word {
        "in_order" => Some(Take::InOrder),
        "random" => Some(Take::Random),
        "shuffled" => Some(Take::Shuffled),
        "unique" => Some(Take::Unique),
        _ => None,
    };
    let split = text.rsplit_once(':').and_then(|(file, word)| Some((file, take(word)?)));
    let (file, take) = split.unwrap_or((text, Take::InOrder));
    let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
    let name: String = stem
        .chars()
        .map(|letter| if letter.is_alphanumeric() || letter == '-' { letter } else { '_' })
        .collect();
    let is_named = template::is_name(&name);
    match is_named || !name.is_empty() {
        true => {
            let name = if is_named { name } else { format!("_{name}") };
            Ok(DataTable { name, file: file.into(), take })
        }
        false => Err(wrong("data", text, "use the path of a file, such as users.csv or users.csv:unique")),
    }
}
