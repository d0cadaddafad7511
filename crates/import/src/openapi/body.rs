//! Bodies of operations.

use super::Operation;
use super::parameters::plain;
use super::schema::example;
use crate::recorded::{Body, Content, Part, Recorded, Recording};
use crate::text::Text;
use serde_json::Value;

/// How well a type suits: the less the better.
fn rank(kind: &str) -> usize {
    match kind {
        "application/json" => 0,
        kind if kind.ends_with("+json") => 1,
        "application/x-www-form-urlencoded" => 2,
        kind if kind.starts_with("multipart/") => 3,
        "text/plain" => 4,
        _ => 5,
    }
}

impl Operation<'_> {
    /// Adds a body of the type that suits best.
    pub(super) fn body(&self, request: &mut Recorded, recording: &mut Recording) {
        let Some(body) = self.value.get("requestBody") else { return };
        let body = self.document.resolve(body);
        let content = body.get("content").and_then(Value::as_object);
        let Some((kind, media)) = content.into_iter().flatten().min_by_key(|(kind, _)| rank(kind)) else {
            return;
        };
        let value = self.media_example(media);
        match rank(kind) {
            2 => {
                let fields = value.as_object().into_iter().flatten();
                let pair = |(name, value): (&String, &Value)| {
                    (Text::literal(name.as_str()), Text::literal(plain(value)))
                };
                request.body = Body::Form(fields.map(pair).collect());
            }
            3 => request.body = Body::Multipart(self.parts(media, &value)),
            0 | 1 => {
                request.add_header("Content-Type", Text::literal(kind.as_str()));
                request.body = Body::Text(Text::literal(value.to_string()));
            }
            _ => {
                let is_structured = value.is_object() || value.is_array();
                if is_structured {
                    let what = format!("the body `{kind}`");
                    recording.drop(self.place(), what, "only JSON and forms are built; write an example");
                    return;
                }
                let kind = if kind.contains('*') { "application/octet-stream" } else { kind };
                request.add_header("Content-Type", Text::literal(kind));
                request.body = Body::Text(Text::literal(plain(&value)));
            }
        }
    }

    /// The example of a type, or one built from its schema.
    fn media_example(&self, media: &Value) -> Value {
        if let Some(value) = media.get("example") {
            return value.clone();
        }
        let named =
            media.get("examples").and_then(Value::as_object).and_then(|examples| examples.values().next());
        if let Some(value) = named.and_then(|named| self.document.resolve(named).get("value")) {
            return value.clone();
        }
        media.get("schema").map_or(Value::Null, |schema| example(self.document, schema))
    }

    /// The parts of a form. A binary property becomes a small text with a file name.
    fn parts(&self, media: &Value, value: &Value) -> Vec<Part> {
        let schema = media.get("schema").map(|schema| self.document.resolve(schema));
        let part = |(name, value): (&String, &Value)| {
            let property = schema.and_then(|schema| schema.get("properties")?.get(name));
            let property = property.map(|property| self.document.resolve(property));
            let is_file = property.is_some_and(|property| {
                property.get("format").and_then(Value::as_str) == Some("binary")
                    || property.get("contentMediaType").is_some()
            });
            let encoding =
                media.get("encoding").and_then(|encoding| encoding.get(name)?.get("contentType")?.as_str());
            let is_structured = value.is_object() || value.is_array();
            let default = if is_structured { Some("application/json") } else { None };
            Part {
                name: name.clone(),
                content: Content::Text(Text::literal(plain(value))),
                filename: is_file.then(|| name.clone()),
                content_type: encoding.or(default).map(str::to_owned),
            }
        };
        value.as_object().into_iter().flatten().map(part).collect()
    }
}
