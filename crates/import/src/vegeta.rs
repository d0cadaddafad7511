//! Targets of vegeta, as text and as JSON lines.

use crate::error::{ImportError, Place};
use crate::recorded::{Body, Recorded, Recording};
use crate::text::Text;
use crate::{REQUESTS_MAX, is_token};
use base64::Engine as _;
use serde_json::Value;

/// Reads targets, one after the other.
///
/// # Errors
/// The first line that is no part of a target.
pub(crate) fn read(text: &str) -> Result<Recording, ImportError> {
    let is_json = text.trim_start().starts_with('{');
    let requests = if is_json { json(text)? } else { plain(text)? };
    if requests.is_empty() {
        return Err(ImportError::whole("no target; one is a line such as `GET http://127.0.0.1:8080/`"));
    }
    Ok(Recording { requests, ..Recording::default() })
}

fn wrong<T>(line: usize, message: &str) -> Result<T, ImportError> {
    Err(ImportError::new(Place::Line(line), message))
}

/// Whether a line begins a target: a method in capitals and a URL.
fn begins(line: &str) -> bool {
    let method = line.split([' ', '\t']).next().unwrap_or_default();
    method.len() < line.len() && !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn plain(text: &str) -> Result<Vec<Recorded>, ImportError> {
    let mut requests: Vec<Recorded> = Vec::new();
    let mut is_open = false;
    for (number, line) in text.lines().enumerate() {
        let (number, line) = (number + 1, line.trim());
        if line.is_empty() {
            is_open = false;
        } else if line.starts_with('#') {
        } else if begins(line) {
            let (method, url) = line.split_once([' ', '\t']).unwrap_or((line, ""));
            let url = url.trim();
            if url.contains([' ', '\t']) {
                return wrong(number, "a target is a method and a URL; percent-encode blanks");
            }
            requests.push(Recorded::new(method, crate::url::absolute(url, &Place::Line(number))?));
            is_open = true;
            if requests.len() > REQUESTS_MAX {
                return wrong(number, "more than 10,000 targets; import a part, or use `warwolf run --urls`");
            }
        } else if let Some(request) = requests.last_mut().filter(|_| is_open) {
            if let Some(path) = line.strip_prefix('@') {
                request.body = Body::File(path.trim().to_owned());
            } else if let Some((name, value)) = line.split_once(':').filter(|(name, _)| is_token(name.trim()))
            {
                request.headers.push((name.trim().to_owned(), Text::literal(value.trim())));
            } else {
                return wrong(number, "this is no header field (`Name: value`) and no body (`@FILE`)");
            }
        } else {
            return wrong(number, "a target begins with a method and a URL: GET http://127.0.0.1:8080/");
        }
    }
    Ok(requests)
}

fn json(text: &str) -> Result<Vec<Recorded>, ImportError> {
    let mut requests = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let number = number + 1;
        let value: Value = serde_json::from_str(line).map_err(|error| {
            let ImportError { message, .. } = ImportError::json(&error);
            ImportError::new(Place::Column(number, error.column()), message)
        })?;
        let field = |name: &str| value.get(name).and_then(Value::as_str);
        let (Some(method), Some(url)) = (field("method"), field("url")) else {
            return wrong(number, "a target needs `method` and `url`");
        };
        let mut request = Recorded::new(method, crate::url::absolute(url, &Place::Line(number))?);
        for (name, values) in value.get("header").and_then(Value::as_object).into_iter().flatten() {
            if !is_token(name) {
                return wrong(number, "the name of a header field has letters, digits and hyphens");
            }
            for value in values.as_array().into_iter().flatten().filter_map(Value::as_str) {
                request.headers.push((name.clone(), Text::literal(value)));
            }
        }
        if let Some(body) = field("body").filter(|body| !body.is_empty()) {
            let bytes = base64::engine::general_purpose::STANDARD.decode(body);
            let Ok(bytes) = bytes else { return wrong(number, "`body` is not Base64") };
            request.body = Body::of_bytes(bytes);
        }
        requests.push(request);
        if requests.len() > REQUESTS_MAX {
            return wrong(number, "more than 10,000 targets; import a part");
        }
    }
    Ok(requests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_text_have_header_fields_and_files() {
        let text = "# first\nGET http://a.test/?x={{y}}\nX-A: b: c\nX-A: d\n\nPOST http://a.test/p\nContent-Type: text/plain\n\
                    @body.txt\nDELETE http://a.test/d\n";
        let recording = read(text).unwrap();
        let [get, post, delete] = recording.requests.as_slice() else { panic!("{recording:?}") };
        assert_eq!((get.method.as_str(), get.url.plain()), ("GET", Some("http://a.test/?x={{y}}")));
        assert_eq!(get.headers.len(), 2);
        assert_eq!((post.body.clone(), delete.method.as_str()), (Body::File("body.txt".into()), "DELETE"));
        let plan = crate::plan(&recording).unwrap();
        assert_eq!((plan.requests.len(), plan.requests[0].is_template), (3, false));
    }

    #[test]
    fn targets_of_json_have_bodies_in_base64() {
        let text = "{\"method\":\"POST\",\"url\":\"http://a.test\",\"body\":\"aGk=\",\"header\":{\"X-A\":[\"1\",\"2\"]}}\n\
                    {\"method\":\"PUT\",\"url\":\"http://a.test/\",\"body\":\"/w==\"}\n";
        let recording = read(text).unwrap();
        assert_eq!(recording.requests[0].body, Body::Text(Text::literal("hi")));
        assert_eq!(recording.requests[0].url.plain(), Some("http://a.test/"));
        assert_eq!(recording.requests[1].body, Body::Bytes(vec![255]));
    }

    #[test]
    fn bad_targets_are_named_by_line() {
        for (text, expected) in [
            ("", "no target"),
            ("X-A: b", "line 1: a target begins"),
            ("GET http://a/\n\nX: y", "line 3: a target begins"),
            ("GET http://a/\nhello", "line 2: this is no header field"),
            ("GET ftp://a/", "line 1: `ftp`"),
            ("GET /a", "line 1: the URL"),
            ("GET http://a/ b", "line 1: a target is a method"),
            ("{\"method\":\"GET\",\"url\":\"http://a\"}\n{\"method\":", "line 2, column 10: invalid JSON"),
            ("{\"method\":\"GET\"}", "line 1: a target needs"),
            ("{\"method\":\"GET\",\"url\":\"http://a\",\"body\":\"!\"}", "line 1: `body`"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
