//! Variables of collections and `.http` files: what `{{name}}` means there and in a plan.

use crate::error::Place;
use crate::recorded::Recording;
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet};

/// How often the host of a URL is expanded at the most: variables may contain variables.
const DEPTH_MAX: usize = 16;
/// Limit of a URL that variables expand to, in bytes.
const URL_BYTES_MAX: usize = 64 << 10;

/// The variables of a file.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    /// Their texts, in which `{{name}}` stands for others.
    values: BTreeMap<String, String>,
    /// Names of values that come from replies.
    captured: BTreeSet<String>,
}

impl Variables {
    /// The variables that the user gives.
    pub(crate) fn new(given: &BTreeMap<String, String>) -> Self {
        Self { values: given.clone(), captured: BTreeSet::new() }
    }

    /// Adds a variable unless there is one of this name.
    pub(crate) fn add(&mut self, name: &str, value: &str) {
        self.values.entry(name.to_owned()).or_insert_with(|| value.to_owned());
    }

    /// Notes that a reply sets the variable.
    pub(crate) fn capture(&mut self, name: &str) {
        self.captured.insert(name.to_owned());
    }

    /// What a text of the file is in a plan.
    pub(crate) fn text(&self, text: &str, place: &Place, recording: &mut Recording) -> Text {
        Text::with_braces(text, &mut |name| self.value(name, place, recording))
    }

    /// A URL, of which scheme and host are expanded: they are fixed in a plan.
    pub(crate) fn url(&self, text: &str, place: &Place, recording: &mut Recording) -> Text {
        let mut text = text.to_owned();
        for _ in 0..DEPTH_MAX {
            let Some(at) = text.find("{{") else { break };
            let host = text.find("://").map_or(0, |at| at + 3);
            if text[host.min(at)..at].contains('/') && at > host {
                break;
            }
            let Some(end) = text[at..].find("}}").map(|length| at + length) else { break };
            let Some(value) = self.values.get(text[at + 2..end].trim()) else { break };
            if text.len() + value.len() > URL_BYTES_MAX {
                break;
            }
            text = format!("{}{}{}", &text[..at], value, &text[end + 2..]);
        }
        self.text(&text, place, recording)
    }

    fn value(&self, name: &str, place: &Place, recording: &mut Recording) -> Text {
        if let Some(dynamic) = name.strip_prefix('$') {
            return Text::value(generator(dynamic, place, recording));
        }
        let plan_name = identifier(name);
        if !self.captured.contains(name) {
            match self.values.get(name) {
                None => return Text::value(format!("env:{plan_name}")),
                Some(value) => self.declare(&plan_name, value, place, recording),
            }
        }
        Text::value(plan_name)
    }

    /// Adds the variable to those of the plan, and those in its text.
    fn declare(&self, plan_name: &str, value: &str, place: &Place, recording: &mut Recording) {
        if recording.variables.iter().any(|(known, _)| known == plan_name) {
            return;
        }
        // Before its text: variables may refer to each other in a circle, which the plan refuses.
        recording.variables.push((plan_name.to_owned(), Text::default()));
        let index = recording.variables.len() - 1;
        let depth = recording.variables.len();
        let text = if depth > 1_000 { Text::literal(value) } else { self.text(value, place, recording) };
        recording.variables[index].1 = text;
    }
}

/// The generator for a dynamic variable of Postman, JetBrains or VS Code.
fn generator(name: &str, place: &Place, recording: &mut Recording) -> String {
    let mut words = name.split([' ', '(', ')', ',']).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let numbers: Vec<i64> = words.clone().filter_map(|word| word.parse().ok()).collect();
    match first {
        "guid" | "uuid" | "randomUUID" | "random.uuid" => "uuid".to_owned(),
        "timestamp" => "now:unix".to_owned(),
        "isoTimestamp" | "datetime" | "localDatetime" => "now".to_owned(),
        "randomInt" | "random.integer" => match numbers.as_slice() {
            [min, end, ..] if min < end => format!("int:{min},{}", end - 1),
            _ => "int:0,1000".to_owned(),
        },
        "processEnv" | "dotenv" => {
            format!("env:{}", identifier(words.next().unwrap_or_default().trim_start_matches('%')))
        }
        other => {
            let why = "a plan has no generator for it; a UUID takes its place";
            recording.drop(place.clone(), format!("the values of `${other}`"), why);
            "uuid".to_owned()
        }
    }
}

/// The name as plans have it: letters, digits, `_` and `-`, the first no digit.
pub(crate) fn identifier(name: &str) -> String {
    let letter = |letter: char| if letter.is_alphanumeric() || letter == '-' { letter } else { '_' };
    let name: String = name.trim().chars().take(64).map(letter).collect();
    if name.starts_with(|first: char| first.is_alphabetic() || first == '_') {
        name
    } else {
        format!("_{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_become_values_generators_and_variables_of_the_environment() {
        let mut variables = Variables::new(&BTreeMap::from([("given".to_owned(), "1".to_owned())]));
        variables.add("given", "2");
        variables.add("base url", "http://{{host}}/v1");
        variables.add("host", "a.test");
        variables.capture("token");
        let mut recording = Recording::default();
        let place = Place::Line(1);
        let text = "{{given}} {{token}} {{KEY}} {{$guid}} {{$randomInt 1 10}} {{$randomCity}}";
        let text = variables.text(text, &place, &mut recording).to_string();
        assert_eq!(text, "{{given}} {{token}} {{env:KEY}} {{uuid}} {{int:1,9}} {{uuid}}");
        assert_eq!(recording.variables, [("given".to_owned(), Text::literal("1"))]);
        assert_eq!(recording.dropped.len(), 1);
        let url = variables.url("{{base url}}/{{token}}/{{host}}", &place, &mut recording).to_string();
        assert_eq!(url, "http://a.test/v1/{{token}}/{{host}}");
        let url = variables.url("{{unknown}}/a", &place, &mut recording).to_string();
        assert_eq!(url, "{{env:unknown}}/a");
    }

    #[test]
    fn circles_of_variables_end() {
        let mut variables = Variables::default();
        variables.add("a", "{{b}}{{b}}");
        variables.add("b", "{{a}}{{a}}");
        let mut recording = Recording::default();
        assert!(variables.url("{{a}}", &Place::Whole, &mut recording).pieces().len() < 1_000_000);
        assert_eq!(recording.variables.len(), 2);
    }
}
