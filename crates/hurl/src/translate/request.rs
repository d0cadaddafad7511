//! The request of an entry.

use super::options::Choices;
use super::values::{Values, json_escaped, push_text};
use super::{Files, Refused, refuse};
use crate::ast::{self, Body as HurlBody, BodyKind, Json, KeyValue, Language, PartValue, Request as Source};
use warwolf_plan::template::{Piece, Template};
use warwolf_plan::{Body, Endpoint, Part, PartContent, Request, RequestShape};

/// A request before it is known whether it has values in it.
struct Draft {
    endpoint: Endpoint,
    path: Template,
    headers: Vec<(Template, Template)>,
    basic_auth: Option<Template>,
    query: Vec<(Template, Template)>,
    body: DraftBody,
}

enum DraftBody {
    None,
    Text(Template),
    Json(Template),
    Bytes(Vec<u8>),
    File(std::path::PathBuf),
    Form(Vec<(Template, Template)>),
    Multipart(Vec<(Template, DraftPart, Option<String>)>),
}

enum DraftPart {
    Text(Template),
    File(std::path::PathBuf),
}

/// Translates the request of an entry.
pub(super) fn request(
    values: &Values,
    files: &Files<'_>,
    source: &Source,
    choices: &Choices,
) -> Result<Request, Refused> {
    let (endpoint, path, url_auth) = url(values, &source.url, choices.path_as_is)?;
    let pairs = |list: &[KeyValue]| -> Result<Vec<_>, Refused> {
        list.iter().map(|pair| Ok((values.template(&pair.key)?, values.template(&pair.value)?))).collect()
    };
    let mut headers = pairs(&source.headers)?;
    for option in &choices.headers {
        headers.push(header_line(values, option)?);
    }
    if choices.compressed && !has(&headers, "accept-encoding") {
        headers.push((Template::literal("Accept-Encoding"), Template::literal("gzip, deflate")));
    }
    if let Some(cookies) = cookies(values, &source.cookies)? {
        // The session's own cookies come beside these.
        headers.push((Template::literal("Cookie"), cookies));
        headers.push((Template::literal("Cookie"), Template::default()));
    }
    let basic_auth = credentials(values, source, choices, url_auth)?;
    let query = pairs(&source.query)?;
    let (body, content_type) = body(values, files, source)?;
    if let Some(content_type) = content_type.filter(|_| !has(&headers, "content-type")) {
        headers.push((Template::literal("Content-Type"), Template::literal(content_type)));
    }
    let draft = Draft { endpoint, path, headers, basic_auth, query, body };
    draft.finish(&source.method, source)
}

fn has(headers: &[(Template, Template)], wanted: &str) -> bool {
    headers.iter().any(|(name, _)| name.as_text().is_some_and(|name| name.eq_ignore_ascii_case(wanted)))
}

/// `name: value` of the option `header`.
fn header_line(values: &Values, line: &ast::Template) -> Result<(Template, Template), Refused> {
    let template = values.template(line)?;
    let Some(Piece::Text(first)) = template.pieces.first() else {
        return Err(refuse(line.pos, "header", "begin it with the name of the field"));
    };
    let Some((name, rest)) = first.split_once(':') else {
        return Err(refuse(line.pos, "header", "write name: value"));
    };
    let name = Template::literal(name.trim());
    let mut value = Template::literal(rest.trim_start());
    for piece in &template.pieces[1..] {
        match piece {
            Piece::Text(text) => push_text(&mut value, text),
            Piece::Value(_) => value.pieces.push(piece.clone()),
        }
    }
    Ok((name, value))
}

/// The value of the field `Cookie`.
fn cookies(values: &Values, cookies: &[KeyValue]) -> Result<Option<Template>, Refused> {
    let mut all = Template::default();
    for (index, cookie) in cookies.iter().enumerate() {
        push_text(&mut all, if index == 0 { "" } else { "; " });
        append(&mut all, values.template(&cookie.key)?);
        push_text(&mut all, "=");
        append(&mut all, values.template(&cookie.value)?);
    }
    Ok((!cookies.is_empty()).then_some(all))
}

fn append(template: &mut Template, other: Template) {
    for piece in other.pieces {
        match piece {
            Piece::Text(text) => push_text(template, &text),
            Piece::Value(_) => template.pieces.push(piece),
        }
    }
}

/// `name:password`, from whichever place has them.
fn credentials(
    values: &Values,
    source: &Source,
    choices: &Choices,
    url_auth: Option<String>,
) -> Result<Option<Template>, Refused> {
    let mut found: Vec<Template> = url_auth.as_deref().map(Template::literal).into_iter().collect();
    if let Some(pair) = &source.basic_auth {
        let mut both = values.template(&pair.key)?;
        push_text(&mut both, ":");
        append(&mut both, values.template(&pair.value)?);
        found.push(both);
    }
    if let Some(user) = &choices.user {
        found.push(values.template(user)?);
    }
    if found.len() > 1 {
        let reason = "it has several of [BasicAuth], the option user, and a name in the URL: keep one";
        return Err(refuse(source.pos, "credentials", reason));
    }
    Ok(found.pop())
}

/// Where a request goes, its path, and the credentials in its URL.
fn url(
    values: &Values,
    url: &ast::Template,
    path_as_is: bool,
) -> Result<(Endpoint, Template, Option<String>), Refused> {
    let template = values.template(url)?;
    let wrong = |reason: &str| refuse(url.pos, "URL", reason);
    let first = match template.pieces.first() {
        Some(Piece::Text(text)) => text.as_str(),
        _ => return Err(wrong("its host must be known before the run: give its variable with --variable")),
    };
    let Some(start) = first.find("://").map(|at| at + 3) else {
        return Err(wrong("begin it with http:// or https://"));
    };
    let end = first[start..].find(['/', '?', '#']).map(|at| start + at);
    if end.is_none() && template.pieces.len() > 1 {
        return Err(wrong("its host must be known before the run: give its variable with --variable"));
    }
    let has_space = |piece: &Piece| matches!(piece, Piece::Text(text) if text.contains([' ', '\t', '\n']));
    if template.pieces.iter().any(has_space) {
        return Err(wrong("it contains a space: write %20"));
    }
    let (origin, rest) = first.split_at(end.unwrap_or(first.len()));
    let whole = template.as_text().filter(|_| !path_as_is);
    let parsed = Request::get(whole.unwrap_or(origin)).map_err(|error| wrong(&error.to_string()))?;
    let shape = RequestShape::clone(parsed.shape());
    if whole.is_some() {
        return Ok((shape.endpoint, Template::literal(&parsed.path), shape.basic_auth));
    }
    let mut path = Template::default();
    push_text(&mut path, if rest.starts_with('/') { "" } else { "/" });
    let rest = std::iter::once(Piece::Text(rest.to_owned())).chain(template.pieces[1..].iter().cloned());
    for piece in rest {
        match piece {
            Piece::Text(text) => match text.split_once('#') {
                Some((before, _)) => {
                    push_text(&mut path, &encoded(before));
                    break;
                }
                None => push_text(&mut path, &encoded(&text)),
            },
            Piece::Value(_) => path.pieces.push(piece),
        }
    }
    Ok((shape.endpoint, path, shape.basic_auth))
}

/// Encodes what no request line may contain.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_graphic() {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// The body, and the media type that it has unless the request names another.
fn body(
    values: &Values,
    files: &Files<'_>,
    source: &Source,
) -> Result<(DraftBody, Option<&'static str>), Refused> {
    let given = [source.form.is_some(), source.multipart.is_some(), source.body.is_some()];
    if given.iter().filter(|given| **given).count() > 1 {
        return Err(refuse(source.pos, "body", "it has several of [Form], [Multipart] and a body: keep one"));
    }
    if let Some(form) = &source.form {
        let pairs: Result<Vec<_>, Refused> = form
            .iter()
            .map(|pair| Ok((values.template(&pair.key)?, values.template(&pair.value)?)))
            .collect();
        return Ok((DraftBody::Form(pairs?), None));
    }
    if let Some(parts) = &source.multipart {
        let parts: Result<Vec<_>, Refused> =
            parts.iter().map(|part| self::part(values, files, part)).collect();
        return Ok((DraftBody::Multipart(parts?), None));
    }
    let Some(HurlBody { kind, .. }) = &source.body else { return Ok((DraftBody::None, None)) };
    Ok(match kind {
        BodyKind::Json(json) => (DraftBody::Json(values.json(json, true)?), None),
        BodyKind::GraphQl { query, variables } => {
            (DraftBody::Json(graphql(values, query, variables.as_ref())?), None)
        }
        BodyKind::Xml(text) => (DraftBody::Text(Template::literal(text)), Some("application/xml")),
        BodyKind::Multiline { language, text } => {
            let content_type = match language {
                Language::Plain | Language::Raw => None,
                Language::Json => Some("application/json"),
                Language::Xml => Some("application/xml"),
            };
            (DraftBody::Text(values.template(text)?), content_type)
        }
        BodyKind::Oneline(text) => (DraftBody::Text(values.template(text)?), None),
        BodyKind::Base64(bytes) | BodyKind::Hex(bytes) => (DraftBody::Bytes(bytes.clone()), None),
        BodyKind::File(name) => (DraftBody::File(files.path(values, name)?), None),
    })
}

fn part(
    values: &Values,
    files: &Files<'_>,
    part: &ast::Part,
) -> Result<(Template, DraftPart, Option<String>), Refused> {
    let name = values.template(&part.key)?;
    Ok(match &part.value {
        PartValue::Text(text) => (name, DraftPart::Text(values.template(text)?), None),
        PartValue::File { name: file, content_type } => {
            let path = files.path(values, file)?;
            let content_type = match content_type {
                Some(text) => values.text(text, "the type of a file")?,
                None => Part::content_type_of(&path).to_owned(),
            };
            (name, DraftPart::File(path), Some(content_type))
        }
    })
}

/// A GraphQL request as JSON. The query loses the white space around it.
pub(super) fn graphql(
    values: &Values,
    query: &ast::Template,
    variables: Option<&Json>,
) -> Result<Template, Refused> {
    let mut pieces = values.template(query)?.pieces;
    if let Some(Piece::Text(first)) = pieces.first_mut() {
        *first = first.trim_start().to_owned();
    }
    if let Some(Piece::Text(last)) = pieces.last_mut() {
        *last = last.trim_end().to_owned();
    }
    let mut body = Template::literal("{\"query\":\"");
    for piece in pieces {
        match piece {
            Piece::Text(text) => push_text(&mut body, &json_escaped(&text)),
            Piece::Value(_) => body.pieces.push(piece),
        }
    }
    push_text(&mut body, "\"");
    if let Some(variables) = variables {
        push_text(&mut body, ",\"variables\":");
        append(&mut body, values.json(variables, false)?);
    }
    push_text(&mut body, "}");
    Ok(body)
}

impl Draft {
    /// Every text that may have values.
    fn texts(&self) -> Vec<&Template> {
        let mut all = vec![&self.path];
        all.extend(self.headers.iter().chain(&self.query).flat_map(|(name, value)| [name, value]));
        all.extend(&self.basic_auth);
        match &self.body {
            DraftBody::None | DraftBody::Bytes(_) | DraftBody::File(_) => {}
            DraftBody::Text(text) | DraftBody::Json(text) => all.push(text),
            DraftBody::Form(pairs) => all.extend(pairs.iter().flat_map(|(name, value)| [name, value])),
            DraftBody::Multipart(parts) => {
                for (name, part, _) in parts {
                    all.push(name);
                    if let DraftPart::Text(text) = part {
                        all.push(text);
                    }
                }
            }
        }
        all
    }

    fn finish(self, method: &str, source: &Source) -> Result<Request, Refused> {
        let is_template = self.texts().iter().any(|text| text.as_text().is_none());
        let text = |template: &Template| match template.as_text() {
            Some(text) if !is_template => text.to_owned(),
            _ => template.to_string(),
        };
        let pairs = |pairs: &[(Template, Template)]| {
            pairs.iter().map(|(name, value)| (text(name), text(value))).collect::<Vec<_>>()
        };
        for (name, _) in &self.headers {
            if name.as_text().is_none() {
                let reason = "it must be known before the run";
                return Err(refuse(source.pos, "the name of a header field", reason));
            }
        }
        let body = match &self.body {
            DraftBody::None => Body::None,
            DraftBody::Text(body) => Body::Text(text(body)),
            DraftBody::Json(body) => Body::Json(text(body)),
            DraftBody::Bytes(bytes) => Body::Bytes(bytes.clone()),
            DraftBody::File(path) => Body::File(path.clone()),
            DraftBody::Form(form) => Body::Form(pairs(form)),
            DraftBody::Multipart(parts) => Body::Multipart(
                parts
                    .iter()
                    .map(|(name, part, content_type)| Part {
                        name: text(name),
                        content: match part {
                            DraftPart::Text(part) => PartContent::Text(text(part)),
                            DraftPart::File(path) => PartContent::File(path.clone()),
                        },
                        content_type: content_type.clone(),
                    })
                    .collect(),
            ),
        };
        let shape = RequestShape {
            method: method.to_owned(),
            headers: pairs(&self.headers),
            body,
            basic_auth: self.basic_auth.as_ref().map(text),
            query: pairs(&self.query),
            is_template,
            ..RequestShape::get(self.endpoint.clone())
        };
        Ok(Request::new(text(&self.path), shape))
    }
}
