//! Requests of a collection: URL, header fields, body and credentials.

use super::{Item, list, plain, text};
use crate::error::{ImportError, Place};
use crate::recorded::{Body, Content, Part, Recorded, Recording};
use crate::text::Text;
use crate::variables::Variables;
use crate::{is_token, url};
use serde_json::Value;

/// Reads requests, when all variables are known.
pub(super) struct Reader<'a> {
    pub(super) variables: &'a Variables,
}

fn is_enabled(value: &&Value) -> bool {
    value.get("disabled") != Some(&Value::Bool(true))
}

impl Reader<'_> {
    /// Reads a request; `None` for what is left out.
    pub(super) fn request(
        &self,
        item: &Item<'_>,
        recording: &mut Recording,
    ) -> Result<Option<Recorded>, ImportError> {
        let place = Place::Value(format!("`{}`", item.name));
        let method = text(item.request, "method");
        let method = if method.is_empty() { "GET" } else { method };
        let written = match item.request {
            Value::String(url) => url.clone(),
            request => address(request.get("url").unwrap_or(&Value::Null)),
        };
        if written.is_empty() {
            recording.drop(place, "the request", "it has no URL");
            return Ok(None);
        }
        let mut address = self.variables.url(&written, &place, recording);
        if !address.start().is_empty() && !address.start().contains("://") {
            address = Text::literal("http://").and(&address);
        }
        let mut request = Recorded::new(method, url::of_text(&address, &place)?);
        (request.url, request.basic_auth) = url::without_user(&request.url);
        request.name.clone_from(&item.name);
        request.group.clone_from(&item.group);
        self.headers(item.request, &place, &mut request, recording)?;
        self.body(item.request.get("body").unwrap_or(&Value::Null), &place, &mut request, recording);
        self.auth(item.auth, &place, &mut request, recording);
        let behavior = item.value.get("protocolProfileBehavior");
        if behavior.and_then(|behavior| behavior.get("followRedirects")) == Some(&Value::Bool(false)) {
            request.redirects = Some(0);
        }
        Ok(Some(request))
    }

    fn headers(
        &self,
        value: &Value,
        place: &Place,
        request: &mut Recorded,
        recording: &mut Recording,
    ) -> Result<(), ImportError> {
        let mut fields: Vec<(String, String)> = list(value, "header")
            .filter(is_enabled)
            .map(|field| (text(field, "key").trim().to_owned(), plain(field.get("value"))))
            .collect();
        // Version 2.0 allows one text.
        for line in text(value, "header").lines() {
            fields.extend(
                line.split_once(':').map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())),
            );
        }
        for (name, value) in fields.into_iter().filter(|(name, _)| !name.is_empty()) {
            if !is_token(&name) {
                let message = format!("`{name}`: the name of a header field has letters, digits and hyphens");
                return Err(ImportError::new(place.clone(), message));
            }
            if matches!(name.to_ascii_lowercase().as_str(), "content-length" | "postman-token") {
                continue;
            }
            let value = self.variables.text(value.trim(), place, recording);
            request.headers.push((name, value));
        }
        Ok(())
    }

    fn body(&self, body: &Value, place: &Place, request: &mut Recorded, recording: &mut Recording) {
        if body.get("disabled") == Some(&Value::Bool(true)) {
            return;
        }
        match text(body, "mode") {
            "raw" => {
                let raw = text(body, "raw");
                if raw.is_empty() {
                    return;
                }
                request.body = Body::Text(self.variables.text(raw, place, recording));
                let language = body.pointer("/options/raw/language").and_then(Value::as_str);
                let kind = match language {
                    Some("json") => "application/json",
                    Some("xml") => "application/xml",
                    Some("html") => "text/html",
                    Some("javascript") => "application/javascript",
                    _ => "text/plain",
                };
                request.add_header("Content-Type", Text::literal(kind));
            }
            "urlencoded" => {
                let mut text =
                    |value: &Value, name| self.variables.text(&plain(value.get(name)), place, recording);
                let pair = |field: &Value| (text(field, "key"), text(field, "value"));
                request.body = Body::Form(list(body, "urlencoded").filter(is_enabled).map(pair).collect());
            }
            "formdata" => {
                let fields = list(body, "formdata").filter(is_enabled);
                let parts = fields.filter_map(|field| self.part(field, place, recording));
                request.body = Body::Multipart(parts.collect());
                request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
            }
            "file" => match body.pointer("/file/src").and_then(Value::as_str) {
                Some(path) => request.body = Body::File(path.to_owned()),
                None => recording.drop(place.clone(), "the body", "the collection names no file"),
            },
            "graphql" => {
                let query = text(body.get("graphql").unwrap_or(&Value::Null), "query");
                let variables = text(body.get("graphql").unwrap_or(&Value::Null), "variables");
                let variables =
                    serde_json::from_str(variables).unwrap_or(Value::Object(serde_json::Map::new()));
                let json = serde_json::json!({ "query": query, "variables": variables });
                request.body = Body::Text(self.variables.text(&json.to_string(), place, recording));
                request.add_header("Content-Type", Text::literal("application/json"));
            }
            _ => {}
        }
    }

    fn part(&self, field: &Value, place: &Place, recording: &mut Recording) -> Option<Part> {
        let name = text(field, "key").to_owned();
        let content_type = field.get("contentType").and_then(Value::as_str).map(str::to_owned);
        if text(field, "type") != "file" {
            let content = Content::Text(self.variables.text(&plain(field.get("value")), place, recording));
            return Some(Part { name, content, filename: None, content_type });
        }
        let source = field.get("src");
        let source = source.and_then(|src| src.as_str().or_else(|| src.get(0).and_then(Value::as_str)));
        let Some(path) = source else {
            recording.drop(place.clone(), format!("the part `{name}`"), "the collection names no file");
            return None;
        };
        let filename = path.rsplit('/').next().map(str::to_owned);
        Some(Part { name, content: Content::File(path.to_owned()), filename, content_type })
    }

    /// Adds credentials. A header field of the request has precedence.
    fn auth(&self, auth: &Value, place: &Place, request: &mut Recorded, recording: &mut Recording) {
        let kind = text(auth, "type");
        let parameters = auth.get(kind).unwrap_or(&Value::Null);
        let parameter = |name: &str, recording: &mut Recording| {
            // A list of keys and values in version 2.1, an object in version 2.0.
            let listed = parameters.as_array().into_iter().flatten().find(|value| text(value, "key") == name);
            let value = listed.map_or_else(|| parameters.get(name), |value| value.get("value"));
            self.variables.text(&plain(value), place, recording)
        };
        match kind {
            "" | "noauth" => {}
            "bearer" => {
                let token = parameter("token", recording);
                request.add_header("Authorization", Text::literal("Bearer ").and(&token));
            }
            "oauth2" => {
                let token = parameter("accessToken", recording);
                if token.is_empty() {
                    recording.drop(
                        place.clone(),
                        "oauth2",
                        "the collection has no token; add a step that gets one",
                    );
                } else {
                    request.add_header("Authorization", Text::literal("Bearer ").and(&token));
                }
            }
            "basic" => {
                let (name, password) = (parameter("username", recording), parameter("password", recording));
                if request.header("authorization").is_none() {
                    request.basic_auth = Some(name.and(&Text::literal(":")).and(&password));
                }
            }
            "digest" => {
                let (name, password) = (parameter("username", recording), parameter("password", recording));
                recording.settings.digest = Some(format!("{name}:{password}"));
            }
            "apikey" => {
                let (name, value) = (parameter("key", recording), parameter("value", recording));
                let name = name.to_string();
                if parameter("in", recording).plain() == Some("query") {
                    let sign = if request.url.split_once(&['?']).is_some() { "&" } else { "?" };
                    request.url.push_str(&format!("{sign}{}=", crate::encode::query(&name)));
                    request.url.push(&value.map(crate::encode::query));
                } else if is_token(&name) {
                    request.add_header(&name, value);
                }
            }
            other => {
                recording.drop(
                    place.clone(),
                    format!("authentication `{other}`"),
                    "only Basic, Digest, bearer tokens and API keys are known",
                );
            }
        }
    }
}

/// The URL as it is written, with the values of its path variables.
fn address(url: &Value) -> String {
    if let Value::String(url) = url {
        return url.clone();
    }
    let mut address = text(url, "raw").to_owned();
    if address.is_empty() {
        address = assembled(url);
    }
    for variable in list(url, "variable") {
        let (name, value) = (text(variable, "key"), plain(variable.get("value")));
        if !name.is_empty() && !value.is_empty() {
            let segments: Vec<&str> = address.split('/').collect();
            let replaced = segments.iter().map(|segment| match segment.strip_prefix(':') {
                Some(rest) => match rest.strip_prefix(name) {
                    Some(end) if end.is_empty() || end.starts_with(['?', '#']) => format!("{value}{end}"),
                    _ => (*segment).to_owned(),
                },
                None => (*segment).to_owned(),
            });
            address = replaced.collect::<Vec<_>>().join("/");
        }
    }
    address
}

fn assembled(url: &Value) -> String {
    let joined = |name: &str, separator: &str| match url.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(list)) => {
            let part = |value: &Value| {
                if value.is_object() { text(value, "value").to_owned() } else { plain(Some(value)) }
            };
            list.iter().map(part).collect::<Vec<_>>().join(separator)
        }
        _ => String::new(),
    };
    let host = joined("host", ".");
    if host.is_empty() {
        return String::new();
    }
    let protocol = text(url, "protocol");
    let mut address = if protocol.is_empty() { host } else { format!("{protocol}://{host}") };
    let port = plain(url.get("port"));
    if !port.is_empty() {
        address = format!("{address}:{port}");
    }
    address = format!("{address}/{}", joined("path", "/").trim_start_matches('/'));
    let pair = |field: &Value| format!("{}={}", text(field, "key"), plain(field.get("value")));
    let query: Vec<String> = list(url, "query").filter(is_enabled).map(pair).collect();
    if query.is_empty() { address } else { format!("{address}?{}", query.join("&")) }
}
