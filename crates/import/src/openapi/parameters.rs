//! Parameters in path, query, header fields and cookies.

use super::Operation;
use super::schema::example;
use crate::recorded::{Recorded, Recording};
use crate::text::Text;
use crate::{encode, is_token};
use serde_json::Value;

/// What parameters add to a request.
pub(super) struct Parts {
    path: String,
    query: Text,
    cookies: Text,
    /// Parameters that are left out.
    optional: Vec<String>,
}

impl Parts {
    pub(super) fn new(path: &str) -> Self {
        Self { path: path.to_owned(), query: Text::default(), cookies: Text::default(), optional: Vec::new() }
    }

    /// Adds a parameter: one that is required, or has an example.
    pub(super) fn add(
        &mut self,
        operation: &Operation<'_>,
        parameter: &Value,
        request: &mut Recorded,
        recording: &mut Recording,
    ) {
        let field = |name: &str| parameter.get(name).and_then(Value::as_str).unwrap_or_default();
        let (name, place) = (field("name"), field("in"));
        let is_required = parameter.get("required") == Some(&Value::Bool(true)) || place == "path";
        let given = given(operation, parameter);
        if given.is_none() && !is_required {
            self.optional.push(name.to_owned());
            return;
        }
        let value = given.unwrap_or_else(|| {
            let schema = parameter.get("schema").or_else(|| media(parameter)?.get("schema"));
            schema.map_or(Value::Null, |schema| example(operation.document, schema))
        });
        // A parameter with `content` is a text in that format.
        let value = if media(parameter).is_some() { Value::String(value.to_string()) } else { value };
        let explodes = parameter.get("explode").and_then(Value::as_bool);
        match place {
            "path" => self.path = self.path.replace(&format!("{{{name}}}"), &segment(&value, explodes)),
            "query" => {
                let style = field("style");
                for (name, value) in pairs(name, &value, style, explodes.unwrap_or(true)) {
                    self.add_query(&name, &Text::literal(encode::query(&value)));
                }
            }
            "header"
                if matches!(
                    name.to_ascii_lowercase().as_str(),
                    "accept" | "content-type" | "authorization"
                ) => {}
            "header" if is_token(name) => request.add_header(name, Text::literal(joined(&value))),
            "cookie" => self.add_cookie(name, &Text::literal(joined(&value))),
            _ => recording.drop(
                operation.place(),
                format!("the parameter `{name}`"),
                "it has no place in a request",
            ),
        }
    }

    pub(super) fn add_query(&mut self, name: &str, value: &Text) {
        let sign = if self.query.is_empty() { "?" } else { "&" };
        self.query.push_str(&format!("{sign}{}=", encode::query(name)));
        self.query.push(value);
    }

    pub(super) fn add_cookie(&mut self, name: &str, value: &Text) {
        let sign = if self.cookies.is_empty() { "" } else { "; " };
        self.cookies.push_str(&format!("{sign}{name}="));
        self.cookies.push(value);
    }

    /// The cookies as the value of a header field.
    pub(super) fn cookies(&self) -> Option<Text> {
        (!self.cookies.is_empty()).then(|| self.cookies.clone())
    }

    /// Path and query. Notes the parameters that are left out.
    pub(super) fn target(self, operation: &Operation<'_>, recording: &mut Recording) -> Text {
        if !self.optional.is_empty() {
            let shown =
                self.optional.iter().take(10).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let what = format!("the parameters {shown}");
            recording.drop(operation.place(), what, "they are optional and have no example");
        }
        Text::literal(self.path).and(&self.query)
    }
}

/// The format of a parameter with `content`.
fn media(parameter: &Value) -> Option<&Value> {
    parameter.get("content")?.as_object()?.values().next()
}

/// The example or default of a parameter.
fn given(operation: &Operation<'_>, parameter: &Value) -> Option<Value> {
    let document = operation.document;
    let named = |value: &Value| -> Option<Value> {
        let examples = value.get("examples")?.as_object()?;
        document.resolve(examples.values().next()?).get("value").cloned()
    };
    let own = parameter.get("example").cloned().or_else(|| named(parameter));
    let of_media =
        || media(parameter).and_then(|media| media.get("example").cloned().or_else(|| named(media)));
    let of_schema = || {
        let schema = document.resolve(parameter.get("schema")?);
        let given = ["example", "default"].iter().find_map(|name| schema.get(name));
        given.or_else(|| schema.pointer("/examples/0")).cloned()
    };
    own.or_else(of_media).or_else(of_schema)
}

/// A value without structure as text.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        value => value.to_string(),
    }
}

/// A value in the style `simple` without encoding.
fn joined(value: &Value) -> String {
    match value {
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| format!("{name},{}", plain(value)))
            .collect::<Vec<_>>()
            .join(","),
        value => plain(value),
    }
}

/// A value in a path, in the style `simple`.
fn segment(value: &Value, explodes: Option<bool>) -> String {
    let encoded = |value: &Value| encode::segment(&plain(value));
    let text = match value {
        Value::Array(items) => items.iter().map(encoded).collect::<Vec<_>>().join(","),
        Value::Object(fields) => {
            let sign = if explodes == Some(true) { '=' } else { ',' };
            let pairs = fields
                .iter()
                .map(|(name, value)| format!("{}{sign}{}", encode::segment(name), encoded(value)));
            pairs.collect::<Vec<_>>().join(",")
        }
        value => encoded(value),
    };
    // An empty segment would be another path.
    if text.is_empty() { "1".to_owned() } else { text }
}

/// The pairs of a query that a value is.
fn pairs(name: &str, value: &Value, style: &str, explodes: bool) -> Vec<(String, String)> {
    match value {
        Value::Array(items) if explodes && !matches!(style, "spaceDelimited" | "pipeDelimited") => {
            items.iter().map(|item| (name.to_owned(), plain(item))).collect()
        }
        Value::Array(items) => {
            let sign = match style {
                "spaceDelimited" => " ",
                "pipeDelimited" => "|",
                _ => ",",
            };
            vec![(name.to_owned(), items.iter().map(plain).collect::<Vec<_>>().join(sign))]
        }
        Value::Object(fields) if style == "deepObject" => {
            fields.iter().map(|(key, value)| (format!("{name}[{key}]"), plain(value))).collect()
        }
        Value::Object(fields) if explodes => {
            fields.iter().map(|(key, value)| (key.clone(), plain(value))).collect()
        }
        value => vec![(name.to_owned(), joined(value))],
    }
}
