//! Credentials: variables of the environment, named after their schemes.

use super::Operation;
use super::parameters::Parts;
use crate::is_token;
use crate::recorded::{Recorded, Recording};
use crate::text::Text;
use serde_json::Value;

impl Operation<'_> {
    /// Adds the credentials of the first alternative, and the cookies.
    pub(super) fn security(&self, request: &mut Recorded, parts: &mut Parts, recording: &mut Recording) {
        let root = self.document.root;
        let requirements =
            self.value.get("security").or_else(|| root.get("security")).and_then(Value::as_array);
        // An empty alternative means that none is needed.
        let first = requirements.and_then(|list| list.first()).and_then(Value::as_object);
        for name in first.into_iter().flatten().map(|(name, _)| name) {
            let schemes = root.pointer("/components/securitySchemes");
            match schemes.and_then(|schemes| schemes.get(name)) {
                Some(scheme) => self.scheme(name, self.document.resolve(scheme), request, parts, recording),
                None => recording.drop(
                    self.place(),
                    format!("the security `{name}`"),
                    "the document has no such scheme",
                ),
            }
        }
        if let Some(cookies) = parts.cookies() {
            request.add_header("Cookie", cookies);
        }
    }

    fn scheme(
        &self,
        name: &str,
        scheme: &Value,
        request: &mut Recorded,
        parts: &mut Parts,
        recording: &mut Recording,
    ) {
        let field = |name: &str| scheme.get(name).and_then(Value::as_str).unwrap_or_default();
        let variable = variable(name);
        let value = |end: &str| Text::value(format!("env:{variable}{end}"));
        let kind = field("scheme").to_ascii_lowercase();
        match (field("type"), kind.as_str()) {
            ("http", "basic") => {
                request.basic_auth = Some(value("_USER").and(&Text::literal(":")).and(&value("_PASSWORD")));
            }
            ("http", "bearer") | ("oauth2" | "openIdConnect", _) => {
                request.add_header("Authorization", Text::literal("Bearer ").and(&value("")));
            }
            ("apiKey", _) => match (field("in"), field("name")) {
                ("header", name) if is_token(name) => request.add_header(name, value("")),
                ("query", name) => parts.add_query(name, &value("")),
                ("cookie", name) => parts.add_cookie(name, &value("")),
                _ => {}
            },
            (kind, _) => {
                let what = format!("the security `{name}` ({kind})");
                recording.drop(self.place(), what, "only Basic, bearer tokens and API keys are known");
            }
        }
    }
}

/// The name of a variable of the environment: `bearerAuth` is `BEARER_AUTH`.
fn variable(name: &str) -> String {
    let mut variable = String::new();
    let mut was_small = false;
    for letter in name.chars().take(64) {
        if letter.is_ascii_uppercase() && was_small {
            variable.push('_');
        }
        was_small = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        variable.push(if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' });
    }
    if variable.starts_with(|first: char| first.is_ascii_digit()) { format!("_{variable}") } else { variable }
}
