//! Example values from schemas.

use super::document::{Document, reference};
use serde_json::{Map, Number, Value, json};

/// Levels of a built value at the most.
const DEPTH_MAX: usize = 12;
/// Values that one example is built of at the most.
const BUILT_MAX: usize = 5_000;
/// Items of a built list at the most.
const ITEMS_MAX: u64 = 10;
/// Characters of a built text at the most.
const LENGTH_MAX: usize = 1_024;

/// A value that fits a schema: its own example if it has one. Properties that only replies have are left out.
pub(super) fn example(document: &Document<'_>, schema: &Value) -> Value {
    Builder { document, open: Vec::new(), built: 0 }.value(schema, 0).unwrap_or(Value::Null)
}

struct Builder<'a, 'v> {
    document: &'a Document<'v>,
    /// References that are being followed: a schema may contain itself.
    open: Vec<String>,
    built: usize,
}

impl Builder<'_, '_> {
    /// `None` where a schema contains itself, or there is too much.
    fn value(&mut self, schema: &Value, depth: usize) -> Option<Value> {
        self.built += 1;
        if depth > DEPTH_MAX || self.built > BUILT_MAX || !self.document.count() {
            return None;
        }
        if let Some(reference) = reference(schema) {
            if self.open.iter().any(|open| open == reference) {
                return None;
            }
            self.open.push(reference.to_owned());
            let target = self.document.target_of(reference);
            let value = target.and_then(|target| self.value(target, depth + 1));
            self.open.pop();
            return value;
        }
        let given = ["example", "const", "default"].iter().find_map(|name| schema.get(name));
        let listed = ["/examples/0", "/enum/0"].iter().find_map(|pointer| schema.pointer(pointer));
        if let Some(value) = given.or(listed) {
            return Some(value.clone());
        }
        if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
            return Some(self.all_of(schema, parts, depth));
        }
        for name in ["oneOf", "anyOf"] {
            let Some(choices) = schema.get(name).and_then(Value::as_array) else { continue };
            let found = choices
                .iter()
                .find_map(|choice| self.value(choice, depth + 1).filter(|value| !value.is_null()));
            if found.is_some() && schema.get("properties").is_none() {
                return found;
            }
        }
        self.of_type(schema, depth)
    }

    fn of_type(&mut self, schema: &Value, depth: usize) -> Option<Value> {
        match kind(schema) {
            "object" => Some(self.object(schema, depth)),
            "array" => self.list(schema, depth),
            "integer" => Some(json!(whole(schema))),
            "number" => Number::from_f64(number(schema)).map(Value::Number),
            "boolean" => Some(Value::Bool(true)),
            "null" => Some(Value::Null),
            _ => Some(Value::String(self.text(schema))),
        }
    }

    fn object(&mut self, schema: &Value, depth: usize) -> Value {
        let mut fields = Map::new();
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let is_read_only = self.document.resolve(property).get("readOnly") == Some(&Value::Bool(true));
            if is_read_only || property.get("readOnly") == Some(&Value::Bool(true)) {
                continue;
            }
            if let Some(value) = self.value(property, depth + 1) {
                fields.insert(name.clone(), value);
            }
        }
        if let Some(more) =
            schema.get("additionalProperties").filter(|more| more.is_object() && fields.is_empty())
            && let Some(value) = self.value(more, depth + 1)
        {
            fields.insert("key".to_owned(), value);
        }
        Value::Object(fields)
    }

    fn list(&mut self, schema: &Value, depth: usize) -> Option<Value> {
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(1).clamp(1, ITEMS_MAX);
        let most = schema.get("maxItems").and_then(Value::as_u64).unwrap_or(least);
        let Some(items) = schema.get("items") else { return Some(json!([])) };
        let item = self.value(items, depth + 1);
        let count = least.min(most) as usize;
        Some(item.map_or_else(|| json!([]), |item| Value::Array(vec![item; count])))
    }

    /// The properties of all parts together.
    fn all_of(&mut self, schema: &Value, parts: &[Value], depth: usize) -> Value {
        let mut whole =
            if schema.get("properties").is_some() { self.object(schema, depth) } else { Value::Null };
        for part in parts {
            match (self.value(part, depth + 1), &mut whole) {
                (Some(Value::Object(more)), Value::Object(fields)) => fields.extend(more),
                (Some(value), whole) if whole.is_null() => *whole = value,
                _ => {}
            }
        }
        whole
    }

    fn text(&self, schema: &Value) -> String {
        let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
        let text = match format {
            "date-time" => "2026-01-02T03:04:05Z",
            "date" => "2026-01-02",
            "time" => "03:04:05Z",
            "duration" => "PT1H",
            "email" | "idn-email" => "user@example.com",
            "uuid" => "123e4567-e89b-42d3-a456-426614174000",
            "uri" | "url" | "iri" => "https://example.com/",
            "uri-reference" => "/example",
            "hostname" => "example.com",
            "ipv4" => "192.0.2.1",
            "ipv6" => "2001:db8::1",
            "byte" => "ZXhhbXBsZQ==",
            "password" => "password",
            _ => "example",
        };
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
            && text == "example"
        {
            self.document.note_pattern(pattern);
        }
        let length = |name: &str| schema.get(name).and_then(Value::as_u64).map(|length| length as usize);
        let mut text = text.to_owned();
        let least = length("minLength").unwrap_or(0).min(LENGTH_MAX);
        while text.len() < least {
            text.push('a');
        }
        if let Some(most) = length("maxLength") {
            text.truncate(most);
        }
        text
    }
}

/// The type of a schema: the first that is not `null`, or what its keywords suggest.
fn kind(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str);
            kinds.find(|kind| *kind != "null").unwrap_or("null")
        }
        _ if schema.get("properties").is_some() || schema.get("additionalProperties").is_some() => "object",
        _ if schema.get("items").is_some() => "array",
        _ if schema.get("minimum").is_some() || schema.get("maximum").is_some() => "number",
        _ => "string",
    }
}

/// A number within the limits of a schema, 1 if that fits.
fn number(schema: &Value) -> f64 {
    let limit = |name: &str| schema.get(name).and_then(Value::as_f64);
    // Version 3.0 has flags beside the limits, version 3.1 limits of their own.
    let is_flagged = |name: &str| schema.get(name) == Some(&Value::Bool(true));
    let step = limit("multipleOf").filter(|step| *step > 0.0);
    let above = limit("exclusiveMinimum").or(limit("minimum").filter(|_| is_flagged("exclusiveMinimum")));
    let below = limit("exclusiveMaximum").or(limit("maximum").filter(|_| is_flagged("exclusiveMaximum")));
    let gap = step.unwrap_or(if kind(schema) == "integer" { 1.0 } else { 0.5 });
    let least = above.map(|limit| limit + gap).or(limit("minimum"));
    let most = below.map(|limit| limit - gap).or(limit("maximum"));
    let mut number = step.unwrap_or(1.0);
    if let Some(least) = least.filter(|least| number < *least) {
        number = least;
    }
    if let Some(most) = most.filter(|most| number > *most) {
        number = most;
    }
    match step {
        Some(step) if most.is_none_or(|most| (number / step).ceil() * step <= most) => {
            (number / step).ceil() * step
        }
        Some(step) => (number / step).floor() * step,
        None => number,
    }
}

fn whole(schema: &Value) -> i64 {
    number(schema).ceil().clamp(-9.0e15, 9.0e15) as i64
}
