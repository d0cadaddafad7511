//! Postman collections, versions 2.0 and 2.1.

mod request;

use crate::error::{ImportError, Place};
use crate::recorded::{Capture, Recording};
use crate::script::{Statement, statement};
use crate::variables::{Variables, identifier};
use crate::{Options, REQUESTS_MAX};
use serde_json::Value;

/// Redirects that Postman follows in a row.
const REDIRECTS: u32 = 10;
/// Levels of folders at the most.
const DEPTH_MAX: usize = 64;

/// A request of the collection with what it inherits.
struct Item<'v> {
    name: String,
    group: String,
    request: &'v Value,
    /// The nearest `auth`.
    auth: &'v Value,
    /// Lines of its scripts, those of its folders first.
    scripts: Vec<&'v Value>,
    value: &'v Value,
}

/// Reads the requests of a collection in their order; folders are groups.
///
/// # Errors
/// When the text is no collection, or a request has no valid URL.
pub(crate) fn read(text: &str, options: &Options<'_>) -> Result<Recording, ImportError> {
    let collection: Value = serde_json::from_str(text).map_err(|error| ImportError::json(&error))?;
    // An export of the API has one more level.
    let collection = collection.get("collection").unwrap_or(&collection);
    if collection.get("requests").is_some() && collection.get("item").is_none() {
        return Err(ImportError::whole("this is a collection of version 1; export it as version 2.1"));
    }
    let mut items = Vec::new();
    collect(collection, "", &Value::Null, &[], 0, &mut items)?;
    let mut recording = Recording::default();
    recording.settings.cookies = true;
    recording.settings.redirects = REDIRECTS;
    let mut variables = Variables::new(options.variables);
    declare(collection, &mut variables);
    let scripts: Vec<Script> = items.iter().map(|item| script(item, &mut recording)).collect();
    let captures = scripts.iter().flat_map(|script| &script.captures);
    captures.for_each(|(variable, _)| variables.capture(variable));
    for (item, script) in items.iter().zip(scripts) {
        let reader = request::Reader { variables: &variables };
        let Some(mut request) = reader.request(item, &mut recording)? else { continue };
        request.captures = script.captures.into_iter().map(|(_, capture)| capture).collect();
        request.checks = script.checks;
        recording.requests.push(request);
    }
    if recording.requests.is_empty() {
        return Err(ImportError::whole("the collection has no request"));
    }
    Ok(recording)
}

fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Numbers and booleans as texts too.
fn plain(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}

fn declare(value: &Value, variables: &mut Variables) {
    for variable in
        list(value, "variable").filter(|variable| variable.get("disabled") != Some(&Value::Bool(true)))
    {
        let name =
            if text(variable, "key").is_empty() { text(variable, "id") } else { text(variable, "key") };
        variables.add(name, &plain(variable.get("value")));
    }
}

/// Collects the requests below a folder.
fn collect<'v>(
    folder: &'v Value,
    group: &str,
    auth: &'v Value,
    scripts: &[&'v Value],
    depth: usize,
    items: &mut Vec<Item<'v>>,
) -> Result<(), ImportError> {
    if depth > DEPTH_MAX {
        return Err(ImportError::whole(format!("more than {DEPTH_MAX} levels of folders")));
    }
    let auth = folder.get("auth").filter(|auth| !auth.is_null()).unwrap_or(auth);
    let mut scripts = scripts.to_vec();
    scripts.extend(folder.get("event"));
    for value in list(folder, "item") {
        let name = text(value, "name").to_owned();
        if value.get("item").is_some() {
            let group = if group.is_empty() { name } else { format!("{group} / {name}") };
            collect(value, &group, auth, &scripts, depth + 1, items)?;
        } else if let Some(request) = value.get("request") {
            let auth = request.get("auth").filter(|auth| !auth.is_null()).unwrap_or(auth);
            let mut scripts = scripts.clone();
            scripts.extend(value.get("event"));
            items.push(Item { name, group: group.to_owned(), request, auth, scripts, value });
            if items.len() > REQUESTS_MAX {
                return Err(ImportError::whole(format!("more than {REQUESTS_MAX} requests; import a part")));
            }
        }
    }
    Ok(())
}

/// What the scripts of a request amount to.
#[derive(Default)]
struct Script {
    /// Variables as the collection calls them.
    captures: Vec<(String, Capture)>,
    checks: Vec<String>,
}

/// Reads the scripts of a request; what a plan cannot express is left out by name.
fn script(item: &Item<'_>, recording: &mut Recording) -> Script {
    let mut script = Script::default();
    let mut replies = Vec::new();
    let mut left = Vec::new();
    for event in item.scripts.iter().filter_map(|events| events.as_array()).flatten() {
        let Some(source) = event.get("script") else { continue };
        let is_test = text(event, "listen") == "test";
        let lines: Vec<&str> = match source.get("exec") {
            Some(Value::String(text)) => text.lines().collect(),
            Some(Value::Array(lines)) => {
                lines.iter().filter_map(Value::as_str).flat_map(str::lines).collect()
            }
            _ => continue,
        };
        for line in lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()) {
            match statement(line, &replies) {
                Some(Statement::Nothing) => {}
                Some(Statement::Reply(name)) => replies.push(name),
                Some(Statement::Check(check)) if is_test && !script.checks.contains(&check) => {
                    script.checks.push(check);
                }
                Some(Statement::Capture(variable, from)) if is_test => {
                    let capture = Capture { name: identifier(&variable), from, bytes: 0, is_encoded: false };
                    if script.captures.iter().all(|(known, _)| *known != variable) {
                        script.captures.push((variable, capture));
                    }
                }
                _ => left.push(line),
            }
        }
    }
    if let Some(first) = left.first() {
        let first: String = first.chars().take(60).collect();
        let more = if left.len() > 1 { format!(" and {} more lines", left.len() - 1) } else { String::new() };
        let place = Place::Value(format!("`{}`", item.name));
        recording.drop(place, format!("the script `{first}`{more}"), "a plan runs no scripts");
    }
    script
}

#[cfg(test)]
mod tests;
