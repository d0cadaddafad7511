//! The few statements of test scripts that captures and checks can express.

use crate::is_token;
use crate::recorded::Source;

/// What a line of a script means for a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Statement {
    /// Nothing by itself: brackets, comments, the name of a test.
    Nothing,
    /// The JSON of the reply gets a name.
    Reply(String),
    /// A variable gets a value of the reply.
    Capture(String, Source),
    /// A check of the reply.
    Check(String),
}

/// Functions that set variables.
const SETTERS: [&str; 8] = [
    "client.global.set(",
    "pm.environment.set(",
    "pm.collectionVariables.set(",
    "pm.globals.set(",
    "pm.variables.set(",
    "postman.setEnvironmentVariable(",
    "postman.setGlobalVariable(",
    "bru.setVar(",
];

/// Reads a line. `replies` are the names that earlier lines gave to the JSON of the reply.
pub(crate) fn statement(line: &str, replies: &[String]) -> Option<Statement> {
    let line = line.trim().trim_end_matches(';').trim();
    let is_bracket = |letter: char| matches!(letter, '{' | '}' | '(' | ')' | ';' | ' ');
    let opens_test =
        ["pm.test(", "client.test("].iter().any(|name| line.starts_with(name)) && line.ends_with('{');
    if line.chars().all(is_bracket) || line.starts_with("//") || opens_test {
        return Some(Statement::Nothing);
    }
    if let Some(name) = reply_name(line) {
        return Some(Statement::Reply(name));
    }
    captured(line, replies)
        .map(|(name, from)| Statement::Capture(name, from))
        .or_else(|| check(line).map(Statement::Check))
}

/// `const body = pm.response.json()`, `var body = JSON.parse(responseBody)`.
fn reply_name(line: &str) -> Option<String> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let name = ["const ", "let ", "var "].iter().find_map(|word| name.strip_prefix(word))?.trim();
    is_reply(value.trim()).then(|| name.to_owned())
}

fn is_reply(value: &str) -> bool {
    matches!(value, "pm.response.json()" | "JSON.parse(responseBody)" | "JSON.parse(pm.response.text())")
}

fn captured(line: &str, replies: &[String]) -> Option<(String, Source)> {
    let arguments = SETTERS.iter().find_map(|setter| line.strip_prefix(setter))?;
    let (name, value) = arguments.strip_suffix(')')?.split_once(',')?;
    let from = source(value.trim(), replies)?;
    Some((unquoted(name)?.to_owned(), from))
}

fn source(value: &str, replies: &[String]) -> Option<Source> {
    let headers = ["pm.response.headers.get(", "response.headers.valueOf("];
    if let Some(name) = headers.iter().find_map(|get| value.strip_prefix(get)) {
        return Some(Source::Header(unquoted(name.strip_suffix(')')?)?.to_owned()));
    }
    if let Some(name) = value.strip_prefix("pm.cookies.get(") {
        return Some(Source::Cookie(unquoted(name.strip_suffix(')')?)?.to_owned()));
    }
    let whole = ["response.body", "pm.response.json()", "JSON.parse(responseBody)"];
    let path = whole.iter().find_map(|whole| value.strip_prefix(whole)).or_else(|| {
        let rest = replies.iter().find_map(|name| value.strip_prefix(name.as_str()))?;
        rest.starts_with(['.', '[', '?']).then_some(rest)
    })?;
    json_path(path).map(Source::Json)
}

/// A check that a statement makes.
fn check(line: &str) -> Option<String> {
    let argument = |start: &str| line.strip_prefix(start)?.split(')').next().map(str::trim);
    let status = ["pm.response.to.have.status(", "pm.expect(pm.response.code).to.equal("]
        .iter()
        .chain(&["pm.expect(pm.response.code).to.eql(", "pm.expect(pm.response.code).to.be.equal("])
        .find_map(|start| argument(start))
        .or_else(|| compared(line));
    if let Some(status) = status {
        let status: u16 = status.parse().ok().filter(|status| (100..1_000).contains(status))?;
        return Some(format!("status == {status}"));
    }
    if let Some(time) = argument("pm.expect(pm.response.responseTime).to.be.below(") {
        let time: u32 = time.parse().ok()?;
        return Some(format!("latency < {time}ms"));
    }
    if let Some(name) = argument("pm.response.to.have.header(") {
        let name = unquoted(name).filter(|name| is_token(name))?;
        return Some(format!("header {name} exists"));
    }
    matches!(line, "pm.response.to.be.ok" | "pm.response.to.be.success").then(|| "status < 300".to_owned())
}

/// The status in `response.status === 200`.
fn compared(line: &str) -> Option<&str> {
    let starts = ["response.status", "responseCode.code"];
    let after = starts.iter().find_map(|start| line.split_once(start).map(|(_, after)| after))?.trim_start();
    let number = after.strip_prefix("===").or_else(|| after.strip_prefix("=="))?.trim_start();
    let end = number.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(number.len());
    Some(&number[..end])
}

fn unquoted(text: &str) -> Option<&str> {
    let text = text.trim();
    let text = ['"', '\'', '`'].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))?;
    (!text.is_empty()).then_some(text)
}

/// The JSON path of a JavaScript property path: `.a.b[0]["c d"]`; `None` for anything else.
fn json_path(expression: &str) -> Option<String> {
    let mut path = "$".to_owned();
    let mut rest = expression.trim();
    while !rest.is_empty() {
        rest = rest.strip_prefix('?').unwrap_or(rest);
        if let Some(after) = rest.strip_prefix('.') {
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let end = after.find(|letter| !is_part(letter)).unwrap_or(after.len());
            if end == 0 || after.starts_with(|first: char| first.is_ascii_digit()) {
                return None;
            }
            path.push('.');
            path.push_str(&after[..end]);
            rest = &after[end..];
        } else {
            let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
            path.push_str(&selector(index.trim())?);
            rest = after;
        }
    }
    Some(path)
}

/// A number or a quoted name in brackets.
fn selector(text: &str) -> Option<String> {
    if !text.is_empty() && text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(format!("[{text}]"));
    }
    let name = unquoted(text)?;
    let is_plain = !name.contains(['"', '\'', '\\']) && !name.contains(char::is_control);
    is_plain.then(|| format!("['{name}']"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn property_paths_become_json_paths() {
        for (expression, path) in [
            ("", Some("$")),
            (".token", Some("$.token")),
            (".a_1?.b[0]['c d'][\"e\"]", Some("$.a_1.b[0]['c d']['e']")),
            (".length()", None),
            (".a + 1", None),
            ("[x]", None),
            ("[", None),
            (".", None),
        ] {
            assert_eq!(json_path(expression).as_deref(), path, "{expression}");
        }
    }

    #[test]
    fn statements_become_captures_and_checks() {
        let json = |name: &str, path: &str| Some(Statement::Capture(name.into(), Source::Json(path.into())));
        let check = |text: &str| Some(Statement::Check(text.to_owned()));
        for (line, expected) in [
            ("const data = pm.response.json();", Some(Statement::Reply("data".into()))),
            ("pm.environment.set(\"token\", data.auth.token);", json("token", "$.auth.token")),
            ("pm.collectionVariables.set('id', pm.response.json().items[0].id)", json("id", "$.items[0].id")),
            ("pm.globals.set('x', other.y)", None),
            ("pm.globals.set('x', data.y + 1)", None),
            ("pm.response.to.have.status(201);", check("status == 201")),
            ("pm.expect(pm.response.responseTime).to.be.below(200);", check("latency < 200ms")),
            ("pm.response.to.have.header(\"X-Id\");", check("header X-Id exists")),
            ("tests[\"ok\"] = responseCode.code === 200;", check("status == 200")),
            ("pm.test(\"ok\", function () {", Some(Statement::Nothing)),
            ("});", Some(Statement::Nothing)),
            ("console.log(1)", None),
        ] {
            assert_eq!(statement(line, &["data".to_owned()]), expected, "{line}");
        }
        let header = Statement::Capture("h".into(), Source::Header("X-A".into()));
        assert_eq!(statement("pm.environment.set('h', pm.response.headers.get('X-A'))", &[]), Some(header));
    }
}
