//! What of a plan must not be shown: passwords, cookies and tokens.

use crate::template::{Piece, Template};
use crate::{Body, PartContent, Plan, RequestShape, Shapes, VariableValue};

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
    /// The plan for reports: passwords, and the values of cookies and of fields with credentials, are replaced by `***`. Values
    /// in double braces stay, and so do the names of variables and files that secrets come from. It can be read and compared,
    /// but not run.
    #[must_use]
    pub fn masked(&self) -> Self {
        let mut plan = self.clone();
        for requests in [&mut plan.requests, &mut plan.session.setup] {
            Shapes::change(requests, mask_shape);
        }
        if let Some(recovery) = &mut plan.session.recovery {
            Shapes::change(&mut recovery.requests, mask_shape);
        }
        plan.session.initial_cookies.iter_mut().for_each(|cookie| MASK.clone_into(&mut cookie.value));
        if let Some(auth) = &mut plan.session.auth {
            let credentials = auth.server.iter_mut().chain(&mut auth.proxy);
            credentials.for_each(|credentials| MASK.clone_into(&mut credentials.password));
        }
        if let Some(login) = plan.network.proxy.as_mut().and_then(|proxy| proxy.basic_auth.as_mut()) {
            mask_login(login, false);
        }
        for variable in &mut plan.variables {
            if let VariableValue::Text(text) = &mut variable.value
                && is_secret_field(&variable.name)
            {
                mask_text(text, true);
            }
        }
        plan
    }
}

fn mask_shape(shape: &mut RequestShape) {
    let is_template = shape.is_template;
    let mask = |fields: &mut Vec<(String, String)>| {
        let secrets = fields.iter_mut().filter(|(name, _)| is_secret_field(name));
        secrets.for_each(|(_, value)| mask_text(value, is_template));
    };
    mask(&mut shape.headers);
    mask(&mut shape.query);
    if let Some(login) = &mut shape.basic_auth {
        mask_login(login, is_template);
    }
    if let Some(head) = &mut shape.head {
        *head = head.split("\r\n").map(masked_line).collect::<Vec<_>>().join("\r\n");
    }
    match &mut shape.body {
        Body::Form(fields) => mask(fields),
        Body::Json(text) => mask_json(text, is_template),
        Body::Multipart(parts) => {
            for part in parts.iter_mut().filter(|part| is_secret_field(&part.name)) {
                if let PartContent::Text(text) = &mut part.content {
                    mask_text(text, is_template);
                }
            }
        }
        Body::None | Body::Text(_) | Body::Bytes(_) | Body::File(_) | Body::Random(_) => {}
    }
}

/// Words before credentials that are no secrets.
const SCHEMES: [&str; 3] = ["bearer", "basic", "token"];

/// Masks a text, up to the values in double braces and the words before them.
fn mask_text(text: &mut String, is_template: bool) {
    let template =
        Template::parse("", text).ok().filter(|template| is_template && template.as_text().is_none());
    *text = match template {
        None => MASK.to_owned(),
        Some(template) => template.pieces.into_iter().map(masked_piece).collect(),
    };
}

fn masked_piece(piece: Piece) -> String {
    let text = match piece {
        Piece::Value(value) => return format!("{{{{{value}}}}}"),
        Piece::Text(text) => text,
    };
    let mut words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    if words.all(|word| SCHEMES.contains(&word.to_ascii_lowercase().as_str())) {
        text
    } else {
        MASK.to_owned()
    }
}

/// Masks the password of `name:password`.
fn mask_login(login: &mut String, is_template: bool) {
    let end = if login.starts_with("{{") { login.find("}}").map_or(0, |end| end + 2) } else { 0 };
    let name = match login[end..].find(':') {
        Some(colon) => end + colon,
        None => login.len(),
    };
    let mut password = login.get(name + 1..).unwrap_or_default().to_owned();
    mask_text(&mut password, is_template);
    login.truncate(name);
    login.push(':');
    login.push_str(&password);
}

/// Masks the texts of secret fields in JSON, also where values in double braces make it no JSON.
fn mask_json(text: &mut String, is_template: bool) {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    let mut is_secret = false;
    while let Some(start) = rest.find('"') {
        let between = &rest[..start];
        // A value follows its name after a colon alone.
        is_secret &= between.trim() == ":";
        out.push_str(between);
        let string = &rest[start + 1..];
        let end = string_end(string);
        let inside = &string[..end];
        out.push('"');
        if is_secret {
            let mut value = inside.to_owned();
            mask_text(&mut value, is_template);
            out.push_str(&value);
        } else {
            out.push_str(inside);
        }
        rest = &string[end..];
        if let Some(after) = rest.strip_prefix('"') {
            out.push('"');
            rest = after;
        }
        is_secret = !is_secret && is_secret_field(inside);
    }
    out.push_str(rest);
    *text = out;
}

/// Where a JSON string ends, without its first quote.
fn string_end(string: &str) -> usize {
    let mut is_escaped = false;
    let end = string.find(|letter| {
        let ends = letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        ends
    });
    end.unwrap_or(string.len())
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
    fn references_to_secrets_are_kept() {
        let text = r#"
            [variables]
            password = { env = "SHOP_PW" }
            token_suffix = "SECRET1"
            [[step]]
            request = "POST http://a.test/"
            headers = { Authorization = "Bearer {{password}}", X-Token = "SECRET2-{{seq}}" }
            basic_auth = "bob:{{password}}"
            json = { user = "ann", password = "SECRET3", n = { token = "{{password}}" } }
            [[step]]
            request = "POST http://a.test/form"
            form = { name = "ann", password = "SECRET4" }
        "#;
        let plan = text::parse(text).unwrap_or_else(|error| panic!("{error}"));
        let shown = text::to_toml(&plan.masked());
        assert!(!shown.contains("SECRET"), "{shown}");
        for open in [
            "env = \"SHOP_PW\"",
            "Bearer {{password}}",
            "***{{seq}}",
            "bob:{{password}}",
            "token = \"{{password}}\"",
            "user = \"ann\"",
            "name = \"ann\"",
        ] {
            assert!(shown.contains(open), "{open} not in {shown}");
        }
        assert!(text::parse(&shown).is_ok(), "{shown}");
    }

    #[test]
    fn a_plan_without_secrets_is_shown_as_it_is() {
        let plan = Plan::new(vec![Request::get("http://a.test/?token=1").unwrap()]);
        assert_eq!(plan.masked(), plan);
    }
}
