//! Checks that every value in double braces has been made where it is used, and that steps fit together.

use crate::query::{Check, Query};
use crate::template::{Template, ValueSource, is_name, is_template};
use crate::{Plan, PlanError, Scenario, Step, VariableValue, nearest};
use std::collections::BTreeSet;

/// Captures and checks of a plan, and groups, at the most: as many as tallies count.
const CHECKS_MAX: usize = 256;
const GROUPS_MAX: usize = 64;

impl Plan {
    /// Checks names and their use, and what steps expect of each other.
    pub(crate) fn check_names(&self) -> Result<(), PlanError> {
        self.check_declared()?;
        self.check_cycles()?;
        self.check_counts()?;
        let mut names = Names { plan: self, known: BTreeSet::new() };
        if self.scenarios.is_empty() {
            return self.all_requests().try_for_each(|request| names.check_request("requests", request));
        }
        names.check_steps("setup", &self.setup)?;
        let known = names.known;
        for (index, scenario) in self.scenarios.iter().enumerate() {
            let within = |part: &str| match (scenario.name.as_str(), self.scenarios.len()) {
                ("", 1) => part.to_owned(),
                ("", _) => format!("scenario.{index}.{part}"),
                (name, _) => format!("scenario.{name}.{part}"),
            };
            self.check_scenario(scenario, index)?;
            let mut names = Names { plan: self, known: known.clone() };
            for (part, steps) in
                [("setup", &scenario.setup), ("step", &scenario.steps), ("teardown", &scenario.teardown)]
            {
                check_groups(&within(part), steps)?;
                check_branches(&within(part), steps)?;
                names.check_steps(&within(part), steps)?;
            }
        }
        Names { plan: self, known }.check_steps("teardown", &self.teardown)?;
        let names = Names { plan: self, known: BTreeSet::new() };
        self.session
            .recovery_requests()
            .try_for_each(|request| names.check_request("session.recovery", request))
    }

    fn check_scenario(&self, scenario: &Scenario, index: usize) -> Result<(), PlanError> {
        if self.scenarios.len() > 1 {
            let field = format!("scenario.{index}.name");
            if scenario.name.is_empty() {
                return Err(PlanError::new(field, "", "give each of several scenarios a name"));
            }
            if self.scenarios[..index].iter().any(|other| other.name == scenario.name) {
                return Err(PlanError::new(field, &scenario.name, "another scenario has this name"));
            }
        }
        if scenario.steps.is_empty() {
            return Err(PlanError::new(
                format!("scenario.{index}.step"),
                "none",
                "give it at least one step",
            ));
        }
        Ok(())
    }

    /// What reports count has tables of fixed length.
    fn check_counts(&self) -> Result<(), PlanError> {
        let checks: usize = self.steps().map(|(_, step)| step.check_texts().len()).sum();
        if checks > CHECKS_MAX {
            let remedy = format!("all captures and checks of a plan are counted: use at most {CHECKS_MAX}");
            return Err(PlanError::new("step.check", checks.to_string(), remedy));
        }
        let groups: BTreeSet<&str> = self.steps().filter_map(|(_, step)| step.group.as_deref()).collect();
        if groups.len() > GROUPS_MAX {
            let remedy = format!("use at most {GROUPS_MAX} groups");
            return Err(PlanError::new("step.group", groups.len().to_string(), remedy));
        }
        Ok(())
    }

    /// Names of variables and tables: what they consist of, and that no two are the same.
    fn check_declared(&self) -> Result<(), PlanError> {
        let mut known = BTreeSet::new();
        let variables = self.variables.iter().map(|variable| ("variables", &variable.name));
        for (key, name) in variables.chain(self.data.iter().map(|data| ("data", &data.name))) {
            let field = format!("{key}.{name}");
            if !is_name(name) {
                return Err(PlanError::new(
                    field,
                    name,
                    "begin a name with a letter, and use letters, digits, _ and -",
                ));
            }
            if !known.insert(name) {
                return Err(PlanError::new(field, name, "another variable or table has this name"));
            }
        }
        Ok(())
    }

    /// No variable may need itself.
    fn check_cycles(&self) -> Result<(), PlanError> {
        for variable in &self.variables {
            let mut path = vec![variable.name.as_str()];
            self.follow(&variable.name, &mut path)?;
        }
        Ok(())
    }

    fn follow<'p>(&'p self, name: &'p str, path: &mut Vec<&'p str>) -> Result<(), PlanError> {
        let Some(variable) = self.variables.iter().find(|variable| variable.name == name) else {
            return Ok(());
        };
        let VariableValue::Text(text) = &variable.value else { return Ok(()) };
        let field = format!("variables.{name}");
        for value in Template::parse(&field, text)?.values() {
            for used in names_of(value) {
                let Some(next) = self.variables.iter().find(|variable| variable.name == used) else {
                    continue;
                };
                if path.contains(&next.name.as_str()) {
                    let way =
                        path.iter().chain([&next.name.as_str()]).copied().collect::<Vec<_>>().join(", ");
                    return Err(PlanError::new(field, text, format!("it needs itself: {way}")));
                }
                path.push(&next.name);
                self.follow(&next.name, path)?;
                path.pop();
            }
        }
        Ok(())
    }

    /// The step that makes a capture, anywhere in the plan.
    fn step_that_captures(&self, name: &str) -> Option<&Step> {
        let steps = self.setup.iter().chain(self.steps().map(|(_, step)| step)).chain(&self.teardown);
        let mut steps = steps.filter(|step| step.captures.iter().any(|capture| capture.name == name));
        steps.next()
    }
}

/// The names in a value: of captures, variables, or `table.column`.
fn names_of(value: &ValueSource) -> Vec<String> {
    match value {
        ValueSource::Name(name) | ValueSource::Base64(name) => vec![name.clone()],
        ValueSource::Column { table, column } => vec![format!("{table}.{column}")],
        ValueSource::HmacSha256 { key, text } => vec![key.clone(), text.clone()],
        _ => Vec::new(),
    }
}

/// The steps of a group follow each other.
fn check_groups(part: &str, steps: &[Step]) -> Result<(), PlanError> {
    let mut ended: BTreeSet<&str> = BTreeSet::new();
    let mut current: Option<&str> = None;
    for step in steps {
        if step.group.as_deref() == current {
            continue;
        }
        ended.extend(current);
        current = step.group.as_deref();
        if let Some(group) = current.filter(|group| ended.contains(group)) {
            let remedy = "put the steps of a group one after the other";
            return Err(PlanError::new(format!("{part}.{}.group", step.name), group, remedy));
        }
    }
    Ok(())
}

/// What floating-point numbers may add to a sum of shares.
const ROUNDING: f64 = 1e-9;

/// The shares of a branch add up to the whole at the most.
fn check_branches(part: &str, steps: &[Step]) -> Result<(), PlanError> {
    for (index, step) in steps.iter().enumerate() {
        let Some(branch) = &step.branch else { continue };
        let same = steps[..=index].iter().filter(|other| other.branch.as_ref() == Some(branch));
        let sum: f64 = same.map(|step| step.share).sum();
        if sum > 1.0 + ROUNDING {
            let remedy =
                format!("the shares of branch `{branch}` add up to {}%: use at most 100%", sum * 100.0);
            return Err(PlanError::new(format!("{part}.{}.share", step.name), "", remedy));
        }
    }
    Ok(())
}

/// What is known at a point of a session.
struct Names<'p> {
    plan: &'p Plan,
    /// Captures that were made.
    known: BTreeSet<String>,
}

impl Names<'_> {
    fn check_steps(&mut self, part: &str, steps: &[Step]) -> Result<(), PlanError> {
        for (index, step) in steps.iter().enumerate() {
            let field = format!("{part}.{}", step.name);
            if steps[..index].iter().any(|other| other.name == step.name) {
                return Err(PlanError::new(
                    format!("{field}.name"),
                    &step.name,
                    "another step has this name",
                ));
            }
            self.check_step(&field, step)?;
        }
        Ok(())
    }

    fn check_step(&mut self, field: &str, step: &Step) -> Result<(), PlanError> {
        if let Some(when) = &step.when {
            let field = format!("{field}.when");
            if !matches!(when.query, Query::Variable(_)) {
                let remedy = "the step is not sent yet: use a capture or variable, such as {{token}}";
                return Err(PlanError::new(field, when.to_string(), remedy));
            }
            self.check_condition(&field, when)?;
        }
        let first = step.request.0 as usize;
        for request in self.plan.requests.iter().skip(first).take(step.choices as usize) {
            self.check_request(field, request)?;
        }
        for (index, capture) in step.captures.iter().enumerate() {
            let field = format!("{field}.capture.{}", capture.name);
            if !is_name(&capture.name) {
                let remedy = "begin a name with a letter, and use letters, digits, _ and -";
                return Err(PlanError::new(field, &capture.name, remedy));
            }
            if step.captures[..index].iter().any(|other| other.name == capture.name) {
                return Err(PlanError::new(field, &capture.name, "the step captures it twice"));
            }
            self.known.insert(capture.name.clone());
        }
        for (index, check) in step.checks.iter().enumerate() {
            self.check_condition(&format!("{field}.check.{index}"), check)?;
        }
        match step.again.as_ref().and_then(|again| Some((again.condition.as_ref()?, again.until))) {
            Some((check, true)) => self.check_condition(&format!("{field}.until"), check),
            Some((check, false)) => self.check_condition(&format!("{field}.while"), check),
            None => Ok(()),
        }
    }

    fn check_condition(&self, field: &str, check: &Check) -> Result<(), PlanError> {
        if let Query::Variable(name) = &check.query {
            self.check_name(field, name)?;
        }
        let mut found = Ok(());
        check.each_text(&mut |text| {
            if found.is_ok() {
                found = self.check_text(field, text);
            }
        });
        found
    }

    fn check_request(&self, field: &str, request: &crate::Request) -> Result<(), PlanError> {
        if !request.is_template {
            return Ok(());
        }
        let mut found = Ok(());
        request.each_text(&mut |key, text| {
            if found.is_ok() && is_template(text) {
                let key = if key == "path" { "request" } else { key };
                found = self.check_text(&format!("{field}.{key}"), text);
            }
        });
        found
    }

    fn check_text(&self, field: &str, text: &str) -> Result<(), PlanError> {
        if !is_template(text) {
            return Ok(());
        }
        let template = Template::parse(field, text)?;
        let mut names = template.values().flat_map(names_of);
        names.try_for_each(|name| self.check_name(field, &name))
    }

    /// Checks that a name has a value here.
    fn check_name(&self, field: &str, name: &str) -> Result<(), PlanError> {
        let wrong = |remedy: String| Err(PlanError::new(field, format!("{{{{{name}}}}}"), remedy));
        if self.known.contains(name) {
            return Ok(());
        }
        if let Some(variable) = self.plan.variables.iter().find(|variable| variable.name == name) {
            return match &variable.value {
                VariableValue::Text(text) => self.check_text(field, text),
                _ => Ok(()),
            };
        }
        if let Some((table, _)) = name.split_once('.') {
            let tables = || self.plan.data.iter().map(|data| data.name.as_str());
            if tables().any(|known| known == table) {
                return Ok(());
            }
            return wrong(match nearest(table, tables()) {
                Some(nearest) => format!("no table has this name; did you mean `{nearest}`?"),
                None => format!("no table has this name: give it with [[data]] name = \"{table}\""),
            });
        }
        if let Some(step) = self.plan.step_that_captures(name) {
            return wrong(format!("it is captured later, or elsewhere, by the step `{}`", step.name));
        }
        if !self.plan.data.is_empty() {
            // It may be a column, which is known when the data files are read: `CheckedPlan::with_contents` checks it.
            return Ok(());
        }
        let variables = self.plan.variables.iter().map(|variable| variable.name.as_str());
        let known = self.known.iter().map(String::as_str).chain(variables);
        wrong(match nearest(name, known) {
            Some(nearest) => format!("no capture or variable has this name; did you mean `{nearest}`?"),
            None => "no capture or variable has this name: capture it in an earlier step, or give it in [variables]"
                .to_owned(),
        })
    }
}
