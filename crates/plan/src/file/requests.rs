//! Requests as people write them: method and URL in one text, and what is sent with them.

use super::tables::{PartTable, RequestEntry, RequestTable, RequestsTable};
use super::texts::{BodyValue, JsonText};
use super::words::Pairs;
use crate::template::{Template, escape, is_template};
use crate::words::is_token;
use crate::{Body, Endpoint, Part, PartContent, PlanError, Request, RequestShape, Scheme, Shapes};
use std::borrow::Cow;
use std::sync::Arc;

/// Reads requests in the order of the file: one without scheme and host goes where the one before it goes.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub(super) origin: Option<Endpoint>,
    pub(super) requests: Vec<Request>,
    pub(super) shapes: Shapes,
}

impl Reader {
    /// Reads a list of requests; `field` is its name.
    pub(super) fn list(
        &mut self,
        field: &str,
        entries: Vec<RequestEntry>,
    ) -> Result<Vec<Request>, PlanError> {
        let mut requests = Vec::with_capacity(entries.len());
        for (index, entry) in entries.into_iter().enumerate() {
            let field = || format!("{field}.{index}");
            match entry {
                RequestEntry::Text(text) => {
                    requests.push(self.request(&field, &text, &RequestTable::default())?)
                }
                RequestEntry::Table(mut table) => {
                    requests.extend(self.table(&field(), table.take_request())?)
                }
            }
        }
        Ok(requests)
    }

    /// Reads the requests of a table; `field` is its name.
    pub(super) fn table(&mut self, field: &str, mut table: RequestTable) -> Result<Vec<Request>, PlanError> {
        let texts = std::mem::take(&mut table.requests);
        let Some(text) = table.request.take() else {
            if texts.is_empty() {
                let remedy =
                    "`request` is missing; use method and URL, such as request = \"GET https://a.test/\"";
                return Err(PlanError::new(field, "", remedy));
            }
            return self.alike(field, texts, &table);
        };
        if !texts.is_empty() {
            return Err(PlanError::new(format!("{field}.requests"), "", "use either request or requests"));
        }
        Ok(vec![self.request(&|| format!("{field}.request"), &text, &table)?])
    }

    /// Reads requests that share all but method and URL.
    fn alike(
        &mut self,
        field: &str,
        entries: Vec<RequestEntry>,
        table: &RequestTable,
    ) -> Result<Vec<Request>, PlanError> {
        let mut requests = Vec::with_capacity(entries.len());
        for (index, entry) in entries.into_iter().enumerate() {
            let field = || format!("{field}.requests.{index}");
            match entry {
                RequestEntry::Text(text) => requests.push(self.request(&field, &text, table)?),
                RequestEntry::Table(_) if *table != RequestTable::default() => {
                    let remedy = "give headers and bodies either to each request or to all of them";
                    return Err(PlanError::new(field(), "", remedy));
                }
                RequestEntry::Table(mut entry) => {
                    requests.extend(self.table(&field(), entry.take_request())?)
                }
            }
        }
        Ok(requests)
    }

    fn request(
        &mut self,
        field: &dyn Fn() -> String,
        text: &str,
        table: &RequestTable,
    ) -> Result<Request, PlanError> {
        let wrong = |remedy: &str| PlanError::new(field(), text, remedy);
        let (method, url) = method_and_url(text);
        let (endpoint, login, path) = if let Some(endpoint) = &table.endpoint {
            (endpoint.clone(), None, url)
        } else if url.starts_with('/') || url.starts_with("{{") || url.is_empty() {
            let origin = self.origin.clone().ok_or_else(|| {
                wrong("begin the URL with scheme and host, such as https://a.test, or give the plan a `url`")
            })?;
            (origin, None, url)
        } else {
            split_url(url).map_err(wrong)?
        };
        if self.origin.as_ref() != Some(&endpoint) {
            self.origin = Some(endpoint.clone());
        }
        let mut shape = RequestShape {
            method: method.to_owned(),
            headers: table.headers.0.clone(),
            body: body(table).map_err(|remedy| wrong_body(field, remedy))?,
            basic_auth: table.basic_auth.clone().or(login),
            query: table.query.0.clone(),
            head: table.head.clone(),
            holes: table.holes.clone(),
            ..RequestShape::get(endpoint)
        };
        let mut path = match &table.path {
            Some(path) => path.clone(),
            None => encoded(path),
        };
        read_values(&mut path, &mut shape).map_err(|error| PlanError { field: field(), ..error })?;
        let mut request = Request::new(path, shape);
        self.shapes.share(&mut request);
        Ok(request)
    }
}

fn wrong_body(field: &dyn Fn() -> String, remedy: &str) -> PlanError {
    PlanError::new(field(), "", remedy)
}

fn body(table: &RequestTable) -> Result<Body, &'static str> {
    let given = [
        table.body.as_ref().map(|body| {
            Ok(match body {
                BodyValue::Text(text) => Body::Text(text.clone()),
                BodyValue::Bytes(bytes) => Body::Bytes(bytes.clone()),
                BodyValue::Random(data) => Body::Random(*data),
            })
        }),
        table.file.as_ref().map(|file| Ok(Body::File(file.clone()))),
        table.form.as_ref().map(|fields| Ok(Body::Form(fields.0.clone()))),
        table.json.as_ref().map(|JsonText(text)| Ok(Body::Json(text.clone()))),
        table
            .multipart
            .as_ref()
            .map(|parts| parts.iter().map(part).collect::<Result<_, _>>().map(Body::Multipart)),
    ];
    let mut given = given.into_iter().flatten();
    match (given.next(), given.next()) {
        (None, _) => Ok(Body::None),
        (Some(body), None) => body,
        _ => Err("use one of body, file, form, json and multipart"),
    }
}

fn part(table: &PartTable) -> Result<Part, &'static str> {
    let content = match (&table.text, &table.file) {
        (Some(text), None) => PartContent::Text(text.clone()),
        (None, Some(file)) => PartContent::File(file.clone()),
        _ => return Err("give each part of multipart a text or a file"),
    };
    Ok(Part { name: table.name.clone(), content, content_type: table.content_type.clone() })
}

/// Splits `METHOD URL`; without a method it is a GET.
fn method_and_url(text: &str) -> (&str, &str) {
    let text = text.trim();
    match text.split_once([' ', '\t']) {
        Some((method, url)) if method.bytes().all(is_token) => (method, url.trim_start()),
        _ => ("GET", text),
    }
}

/// Splits a URL into its endpoint, the name and password in it, and its path, which may be empty.
fn split_url(url: &str) -> Result<(Endpoint, Option<String>, &str), &'static str> {
    let (scheme, rest) = url
        .split_once("://")
        .ok_or("begin the URL with scheme and host, such as https://a.test, or with a slash")?;
    let scheme = match scheme {
        "http" => Scheme::Http,
        "https" => Scheme::Https,
        "ftp" => Scheme::Ftp,
        _ => return Err("use a scheme that is known: http, https or ftp"),
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    if is_template(authority) {
        return Err("use no value in the host: connections are prepared before the run");
    }
    let (login, place) = match authority.rsplit_once('@') {
        Some((login, place)) => (Some(login), place),
        None => (None, authority),
    };
    let endpoint = endpoint(scheme, place)?;
    let decode = |text| percent_encoding::percent_decode_str(text).decode_utf8_lossy();
    let login = login.map(|login| {
        let (name, password) = login.split_once(':').unwrap_or((login, ""));
        format!("{}:{}", escape(&decode(name)), escape(&decode(password)))
    });
    Ok((endpoint, login, path))
}

fn endpoint(scheme: Scheme, place: &str) -> Result<Endpoint, &'static str> {
    let wrong = "use a host and perhaps a port, such as a.test:8080";
    let (host, port) = match place.strip_prefix('[') {
        Some(bracketed) => {
            let (host, rest) = bracketed.split_once(']').ok_or(wrong)?;
            if !host.contains(':') {
                return Err(wrong);
            }
            (Cow::Borrowed(host), rest.strip_prefix(':').or(rest.is_empty().then_some("")).ok_or(wrong)?)
        }
        None => {
            let (host, port) = place.rsplit_once(':').unwrap_or((place, ""));
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
            let host = match host.bytes().all(is_plain) {
                true => Cow::Borrowed(host),
                false => Cow::Owned(url::Host::parse(host).map_err(|_| wrong)?.to_string()),
            };
            (host, port)
        }
    };
    let port = match port {
        "" => scheme.default_port(),
        port => port.parse().ok().filter(|port| *port != 0).ok_or("use a port from 1 to 65535")?,
    };
    if host.is_empty() {
        return Err(wrong);
    }
    Ok(Endpoint { scheme, host: host.into_owned(), port })
}

impl Endpoint {
    /// Reads scheme, host and port, such as `https://a.test:8443`.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        match split_url(text)? {
            (endpoint, None, "" | "/") => Ok(endpoint),
            _ => Err("use scheme, host and port only, such as https://a.test"),
        }
    }

    /// Whether it can be written as a URL and read back as the same.
    pub(crate) fn is_url(&self) -> bool {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        let is_name = !self.host.is_empty() && self.host.bytes().all(is_plain);
        let is_address = |byte: u8| byte.is_ascii_alphanumeric() || b":.%".contains(&byte);
        let is_bracketed = self.host.contains(':') && self.host.bytes().all(is_address);
        self.port != 0 && (is_name || is_bracketed)
    }
}

/// The path with what cannot stand in one encoded, up to values in double braces.
fn encoded(path: &str) -> String {
    let is_right = |byte: u8| byte.is_ascii_graphic();
    // A value may hold a path with its slash, as that of a Location.
    let is_whole = path.starts_with('/') || path.starts_with("{{");
    let path = if is_whole { Cow::Borrowed(path) } else { Cow::Owned(format!("/{path}")) };
    if path.bytes().all(is_right) {
        return path.into_owned();
    }
    let mut out = String::new();
    let mut rest = &*path;
    while !rest.is_empty() {
        let value = if rest.starts_with("{{") { rest.find("}}").map(|end| end + 2) } else { None };
        if let Some(end) = value {
            out.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        let letter = rest.chars().next().unwrap_or_default();
        let (one, after) = rest.split_at(letter.len_utf8());
        for byte in one.bytes() {
            if is_right(byte) { out.push(char::from(byte)) } else { out.push_str(&format!("%{byte:02X}")) }
        }
        rest = after;
    }
    out
}

/// Calls `see` with each text of a request that may contain values in double braces.
fn each_text(path: &mut String, shape: &mut RequestShape, see: &mut dyn FnMut(&mut String)) {
    see(path);
    shape.headers.iter_mut().for_each(|(_, value)| see(value));
    shape.basic_auth.iter_mut().for_each(&mut *see);
    shape.query.iter_mut().for_each(|(name, value)| {
        see(name);
        see(value);
    });
    match &mut shape.body {
        Body::Text(text) | Body::Json(text) => see(text),
        Body::Form(fields) => fields.iter_mut().for_each(|(name, value)| {
            see(name);
            see(value);
        }),
        Body::Multipart(parts) => parts.iter_mut().for_each(|part| {
            if let PartContent::Text(text) = &mut part.content {
                see(text);
            }
        }),
        Body::None | Body::Bytes(_) | Body::File(_) | Body::Random(_) => {}
    }
}

/// Finds out whether a request contains values. Where it has none, escaped braces become braces.
fn read_values(path: &mut String, shape: &mut RequestShape) -> Result<(), PlanError> {
    let (mut has_braces, mut has_values, mut wrong) = (false, false, None);
    each_text(path, shape, &mut |text| {
        if is_template(text) {
            has_braces = true;
            match Template::parse("", text) {
                Ok(template) => has_values |= template.as_text().is_none(),
                Err(error) => wrong = wrong.take().or(Some(error)),
            }
        }
    });
    if let Some(error) = wrong {
        return Err(error);
    }
    shape.is_template = has_values;
    if has_braces && !has_values {
        each_text(path, shape, &mut |text| {
            if let Ok(template) = Template::parse("", text) {
                template.as_text().unwrap_or_default().clone_into(text);
            }
        });
    }
    Ok(())
}

/// Writes requests in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Writer {
    origin: Option<Endpoint>,
}

impl Writer {
    /// Writes a list: a text where that is all, a table for those that follow each other and have the rest in common.
    pub(super) fn list(&mut self, requests: &[Request]) -> Vec<RequestEntry> {
        let mut entries = Vec::new();
        for alike in requests.chunk_by(are_alike) {
            let mut table = shared(&alike[0]);
            let is_plain = table == RequestTable::default();
            match alike {
                _ if is_plain => {
                    entries.extend(alike.iter().map(|request| RequestEntry::Text(self.target(request))))
                }
                [request] => {
                    table.request = Some(self.target(request));
                    entries.push(RequestEntry::Table(Box::new(RequestsTable::from(table))));
                }
                _ => {
                    table.requests =
                        alike.iter().map(|request| RequestEntry::Text(self.target(request))).collect();
                    entries.push(RequestEntry::Table(Box::new(RequestsTable::from(table))));
                }
            }
        }
        entries
    }

    /// Writes the requests of a step.
    pub(super) fn table(&mut self, requests: &[Request]) -> RequestTable {
        let [first, others @ ..] = requests else { return RequestTable::default() };
        if others.is_empty() {
            return RequestTable { request: Some(self.target(first)), ..shared(first) };
        }
        if requests.chunk_by(are_alike).nth(1).is_none() {
            let requests = requests.iter().map(|request| RequestEntry::Text(self.target(request))).collect();
            return RequestTable { requests, ..shared(first) };
        }
        RequestTable { requests: self.list(requests), ..RequestTable::default() }
    }

    /// Method and URL; scheme and host only where they differ from those of the request before.
    fn target(&mut self, request: &Request) -> String {
        let is_known = self.origin.as_ref() == Some(&request.endpoint);
        let path = written_path(request).unwrap_or_default();
        let needs_host = request.endpoint.is_url() && (!is_known || path.is_empty());
        let host = if needs_host { request.endpoint.to_string() } else { String::new() };
        if !is_known {
            self.origin = Some(request.endpoint.clone());
        }
        format!("{} {host}{path}", request.method).trim_end().to_owned()
    }
}

/// The path as it stands in a URL; none if it cannot stand in one.
fn written_path(request: &Request) -> Option<String> {
    let path = if request.is_template { request.path.to_string() } else { escape(&request.path) };
    let is_path = path.starts_with('/') || (request.is_template && path.starts_with("{{"));
    (is_path && encoded(&path) == path).then_some(path)
}

/// Whether two requests differ in method and URL at the most.
fn are_alike(a: &Request, b: &Request) -> bool {
    let in_url = |request: &Request| request.endpoint.is_url() && written_path(request).is_some();
    let same = |a: &RequestShape, b: &RequestShape| {
        a.headers == b.headers
            && a.body == b.body
            && a.basic_auth == b.basic_auth
            && a.query == b.query
            && a.head == b.head
            && a.holes == b.holes
            && a.is_template == b.is_template
    };
    in_url(a) && in_url(b) && (Arc::ptr_eq(a.shape(), b.shape()) || same(a.shape(), b.shape()))
}

/// What a request has besides method and URL.
fn shared(request: &Request) -> RequestTable {
    let mut shape = RequestShape::clone(request.shape());
    let mut path = String::new();
    if !shape.is_template {
        each_text(&mut path, &mut shape, &mut |text| {
            if is_template(text) {
                *text = escape(text);
            }
        });
    }
    let mut table = RequestTable {
        headers: Pairs(shape.headers),
        query: Pairs(shape.query),
        basic_auth: shape.basic_auth,
        head: shape.head,
        holes: shape.holes,
        ..RequestTable::default()
    };
    if !request.endpoint.is_url() {
        table.endpoint = Some(request.endpoint.clone());
    }
    if written_path(request).is_none() {
        table.path = Some(if request.is_template { request.path.to_string() } else { escape(&request.path) });
    }
    match shape.body {
        Body::None => {}
        Body::Text(text) => table.body = Some(BodyValue::Text(text)),
        Body::Bytes(bytes) => table.body = Some(BodyValue::Bytes(bytes)),
        Body::Random(data) => table.body = Some(BodyValue::Random(data)),
        Body::File(file) => table.file = Some(file),
        Body::Form(fields) => table.form = Some(Pairs(fields)),
        Body::Json(text) => table.json = Some(JsonText(text)),
        Body::Multipart(parts) => table.multipart = Some(parts.into_iter().map(part_table).collect()),
    }
    table
}

fn part_table(part: Part) -> PartTable {
    let (text, file) = match part.content {
        PartContent::Text(text) => (Some(text), None),
        PartContent::File(file) => (None, Some(file)),
    };
    PartTable { name: part.name, text, file, content_type: part.content_type }
}
