//! OpenAPI documents, versions 3.0 and 3.1, in JSON and YAML: a step for each operation.

mod body;
mod document;
mod parameters;
mod schema;
mod security;

use crate::error::{ImportError, Place};
use crate::recorded::{Recorded, Recording};
use crate::text::Text;
use crate::{Options, REQUESTS_MAX, url, yaml};
use document::Document;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::fmt;

/// The methods that an operation may have, in the order of the specification.
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Reads the operations of a document.
///
/// # Errors
/// When the text is no such document, or names no server.
pub(crate) fn read(text: &str, options: &Options<'_>) -> Result<Recording, ImportError> {
    let is_json = text.trim_start().starts_with('{');
    let (root, order) = if is_json {
        let root: Value = serde_json::from_str(text).map_err(|error| ImportError::json(&error))?;
        (root, serde_json::from_str::<Order>(text).map_or_else(|_| Vec::new(), |order| order.paths.0))
    } else {
        yaml::read(text)?
    };
    let version = root.get("openapi").and_then(Value::as_str).unwrap_or_default();
    if root.get("swagger").is_some() {
        return Err(ImportError::whole("this is Swagger 2.0; convert it to OpenAPI 3"));
    }
    if !version.starts_with("3.") {
        let message = "an OpenAPI document names its version: `openapi: 3.0.3`";
        return Err(ImportError::new(Place::Value("openapi".to_owned()), message));
    }
    let document = Document::new(&root);
    let mut recording = Recording::default();
    if root.get("webhooks").is_some() {
        recording.drop(Place::Whole, "webhooks", "they are requests of the server");
    }
    let paths = root.get("paths").and_then(Value::as_object);
    for path in &order {
        let Some(item) = paths.and_then(|paths| paths.get(path)) else { continue };
        let item = document.resolved(item);
        for method in METHODS {
            let Some(operation) = item.get(method) else { continue };
            let operation = Operation { document: &document, path, method, item, value: operation };
            let request = operation.request(options, &mut recording)?;
            recording.requests.extend(request);
            if recording.requests.len() > REQUESTS_MAX {
                return Err(ImportError::whole(format!(
                    "more than {REQUESTS_MAX} operations; import a part"
                )));
            }
        }
    }
    if recording.requests.is_empty() {
        return Err(ImportError::new(Place::Value("paths".to_owned()), "the document has no operation"));
    }
    document.note(&mut recording);
    Ok(recording)
}

/// The order of the paths: a [`Value`] has its keys in alphabetical order.
#[derive(Default, Deserialize)]
struct Order {
    #[serde(default)]
    paths: Keys,
}

/// The keys of an object.
#[derive(Default)]
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Keys;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, IgnoredAny)) = map.next_entry()? {
                    keys.push(key);
                }
                Ok(Keys(keys))
            }
        }

        from.deserialize_map(Object)
    }
}

/// An operation of the document.
struct Operation<'v> {
    document: &'v Document<'v>,
    path: &'v str,
    method: &'static str,
    /// The path item.
    item: &'v Value,
    value: &'v Value,
}

impl<'v> Operation<'v> {
    fn place(&self) -> Place {
        Place::Value(format!("paths.{}.{}", self.path, self.method))
    }

    /// The request; `None` if the operation is deprecated.
    fn request(
        &self,
        options: &Options<'_>,
        recording: &mut Recording,
    ) -> Result<Option<Recorded>, ImportError> {
        let place = self.place();
        if self.value.get("deprecated") == Some(&Value::Bool(true)) {
            recording.drop(place, "the operation", "it is deprecated");
            return Ok(None);
        }
        if self.value.get("callbacks").is_some() {
            recording.drop(place.clone(), "callbacks", "they are requests of the server");
        }
        let mut request = Recorded::new(self.method.to_ascii_uppercase(), Text::default());
        request.name = match self.value.get("operationId").and_then(Value::as_str) {
            Some(name) => name.to_owned(),
            None => format!("{} {}", request.method, self.path),
        };
        let server = self.server(options)?;
        let mut parts = parameters::Parts::new(self.path);
        for parameter in self.parameters() {
            parts.add(self, parameter, &mut request, recording);
        }
        self.body(&mut request, recording);
        self.security(&mut request, &mut parts, recording);
        let target = parts.target(self, recording);
        let url = Text::literal(server.trim_end_matches('/')).and(&target);
        request.url = url::of_text(&url, &place)?;
        request.checks.push(self.check());
        Ok(Some(request))
    }

    /// Parameters of the operation, and those of its path that it does not replace.
    fn parameters(&self) -> Vec<&'v Value> {
        let list = |value: &'v Value| value.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let key = |value: &Value| {
            let field = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            (field("name"), field("in"))
        };
        let own: Vec<&Value> = list(self.value).map(|value| self.document.resolved(value)).collect();
        let common = list(self.item).map(|value| self.document.resolved(value));
        let inherited = common.filter(|value| own.iter().all(|other| key(other) != key(value)));
        let mut all: Vec<&Value> = inherited.collect();
        all.extend(own);
        all
    }

    /// The URL of the server: that of the user, or the first that the operation, its path or the document names.
    fn server(&self, options: &Options<'_>) -> Result<String, ImportError> {
        if let Some(server) = options.server {
            return Ok(server.to_owned());
        }
        let place = Place::Value("servers".to_owned());
        let holders = [self.value, self.item, self.document.root];
        let servers = holders.iter().find_map(|value| value.pointer("/servers/0"));
        let missing = "the document names no server; give it with --server URL";
        let Some(server) = servers else { return Err(ImportError::new(place, missing)) };
        let mut url = server.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
        for (name, variable) in server.get("variables").and_then(Value::as_object).into_iter().flatten() {
            let default = variable.get("default").and_then(Value::as_str).unwrap_or_default();
            let value = options.variables.get(name).map_or(default, String::as_str);
            url = url.replace(&format!("{{{name}}}"), value);
        }
        if url.contains("://") { Ok(url) } else { Err(ImportError::new(place, missing)) }
    }

    /// A check of the status: the only success that the operation documents, or any.
    fn check(&self) -> String {
        let responses = self.value.get("responses").and_then(Value::as_object);
        let statuses = responses.into_iter().flatten().filter_map(|(status, _)| status.parse::<u16>().ok());
        let successes: Vec<u16> = statuses.filter(|status| (200..300).contains(status)).collect();
        match successes.as_slice() {
            [status] => format!("status == {status}"),
            _ => "status < 400".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
