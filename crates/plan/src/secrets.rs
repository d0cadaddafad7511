//! What of a plan must not be shown: passwords, cookies and tokens.

use crate::Plan;
use serde_json::Value;

/// Stands for a secret.
pub const MASK: &str = "***";
/// Header fields that are credentials, and words in the names of those that are most likely credentials.
const FIELDS: [&str; 4] = ["authorization", "proxy-authorization", "cookie", "set-cookie"];
const WORDS: [&str; 6] = ["token", "secret", "password", "api-key", "apikey", "auth"];

/// Returns whether the value of a header field must not be shown.
#[must_use]
pub fn is_secret_field(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    FIELDS.contains(&name.as_str()) || WORDS.iter().any(|word| name.contains(word))
}

/// Masks the value of a header line `NAME: VALUE` if it must not be shown. Any other text is returned as it is.
#[must_use]
pub fn masked_line(line: &str) -> String {
    match line.split_once(':') {
        Some((name, _)) if is_secret_field(name) => format!("{name}: {MASK}"),
        _ => line.to_owned(),
    }
}

impl Plan {
    /// The plan for reports: passwords, and the values of cookies and of header fields with credentials, are replaced by `***`. It
    /// can be read and compared, but not run.
    #[must_use]
    pub fn masked(&self) -> Self {
        let Ok(mut whole) = serde_json::to_value(self) else { return Self::new(Vec::new()) };
        mask(&mut whole);
        // Texts stay texts, so the value has the form of a plan.
        serde_json::from_value(whole).unwrap_or_else(|_| Self::new(Vec::new()))
    }
}

fn mask(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match (name.as_str(), &mut *value) {
                    ("basic_auth", Value::String(text)) => {
                        *text = format!("{}:{MASK}", text.split(':').next().unwrap_or_default());
                    }
                    ("password", Value::String(text)) => MASK.clone_into(text),
                    ("head", Value::String(text)) => {
                        *text = text.split("\r\n").map(masked_line).collect::<Vec<_>>().join("\r\n");
                    }
                    ("initial_cookies", Value::Array(cookies)) => cookies.iter_mut().for_each(mask_cookie),
                    _ => mask(value),
                }
            }
        }
        Value::Array(list) => match list.as_mut_slice() {
            [Value::String(name), Value::String(text)] if is_secret_field(name) => MASK.clone_into(text),
            list => list.iter_mut().for_each(mask),
        },
        _ => {}
    }
}

fn mask_cookie(cookie: &mut Value) {
    if let Some(Value::String(text)) = cookie.get_mut("value") {
        MASK.clone_into(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Proxy, Request, text};

    #[test]
    fn no_secret_of_a_plan_is_shown() {
        let mut request = Request::get("http://bob:hunter2@a.test/").unwrap();
        for (name, value) in [
            ("X-Api-Key", "SECRET1"),
            ("cookie", "sid=SECRET2"),
            ("Authorization", "Bearer SECRET3"),
            ("Accept", "text/html"),
        ] {
            request.headers.push((name.to_owned(), value.to_owned()));
        }
        request.head = Some("GET / HTTP/1.0\r\nCookie: a=SECRET4\r\nHost: a.test".to_owned());
        let mut plan = Plan::new(vec![request]);
        plan.network.proxy = Some(Proxy::parse("http://pu:SECRET5@p.test:1").unwrap());
        plan.session.setup = plan.requests.clone();
        let shown = text::to_toml(&plan.masked());
        for secret in ["hunter2", "SECRET"] {
            assert!(!shown.contains(secret), "{secret} in {shown}");
        }
        for open in ["bob:***", "pu:***", "text/html", "Host: a.test", "X-Api-Key"] {
            assert!(shown.contains(open), "{open} not in {shown}");
        }
    }

    #[test]
    fn a_plan_without_secrets_is_shown_as_it_is() {
        let plan = Plan::new(vec![Request::get("http://a.test/?token=1").unwrap()]);
        assert_eq!(plan.masked(), plan);
    }
}
