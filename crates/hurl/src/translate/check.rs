//! Captures and asserts.

use super::values::{Constant, Values};
use super::{Files, Refused, refuse};
use crate::ast::{
    Argument, Assert, Body, BodyKind, Expr, KeyValue, Number, Pattern, Pos, QueryKind, Response, Value,
    ValueKind, Version,
};
use crate::parse::query::check_pattern;
use crate::{ast, translate::request};
use std::iter;
use warwolf_plan::query::{Capture, Check, Filter, Literal, Predicate, Query};
use warwolf_plan::template::{Template, escape, is_name};

/// Bytes that a captured value may have.
const CAPTURE_MAX: u32 = 2_048;

/// What a response is expected to be.
pub(super) struct Checks<'a> {
    pub(super) values: &'a Values,
    pub(super) files: &'a Files<'a>,
    /// The captures of the same response.
    pub(super) captures: &'a [ast::Capture],
}

impl Checks<'_> {
    /// Version, status, header fields and body that a response must have.
    pub(super) fn implicit(&self, response: &Response, problems: &mut Vec<Refused>) -> Vec<Check> {
        let mut checks = Vec::new();
        let version = match response.version {
            Version::Any => None,
            Version::Http10 => Some("HTTP/1.0"),
            Version::Http11 => Some("HTTP/1.1"),
            Version::Http2 | Version::Http3 => {
                let reason = "requests are sent over HTTP/1.1: write HTTP to accept any version";
                problems.push(refuse(response.pos, "this version of HTTP", reason));
                None
            }
        };
        if let Some(version) = version {
            checks.push(Check::new(Query::Version, Predicate::Equal(Literal::Text(version.to_owned()))));
        }
        if let Some(status) = response.status {
            let status = i64::try_from(status).unwrap_or(i64::MAX);
            checks.push(Check::new(Query::Status, Predicate::Equal(Literal::Integer(status))));
        }
        for header in &response.headers {
            match self.header(header) {
                Ok(check) => checks.push(check),
                Err(problem) => problems.push(problem),
            }
        }
        if let Some(body) = &response.body {
            match self.body(body) {
                Ok(check) => checks.push(check),
                Err(problem) => problems.push(problem),
            }
        }
        checks
    }

    /// One of the header fields of this name has the value.
    fn header(&self, header: &KeyValue) -> Result<Check, Refused> {
        let name = self.values.text(&header.key, "the name of a header field")?;
        let value = self.values.template(&header.value)?;
        Ok(Check::new(Query::Header(name), Predicate::Includes(Literal::Text(value.to_string()))))
    }

    /// The body is this one.
    fn body(&self, body: &Body) -> Result<Check, Refused> {
        let literal = self.body_literal(&body.kind, body.pos)?;
        let query = if matches!(literal, Literal::Bytes(_)) { Query::Bytes } else { Query::Body };
        Ok(Check::new(query, Predicate::Same(literal)))
    }

    fn body_literal(&self, body: &BodyKind, pos: Pos) -> Result<Literal, Refused> {
        let template = match body {
            BodyKind::Base64(bytes) | BodyKind::Hex(bytes) => return Ok(Literal::Bytes(bytes.clone())),
            BodyKind::File(name) => return self.files.read(self.values, name).map(Literal::Bytes),
            BodyKind::Json(json) => {
                let template = self.values.json(json, true)?;
                let has_value = json.pieces.iter().any(|piece| matches!(piece, ast::JsonPiece::InString(_)));
                if has_value && template.as_text().is_none() {
                    let reason = "a captured value in a JSON string is not escaped here: compare it with jsonpath in [Asserts]";
                    return Err(refuse(pos, "the expected body", reason));
                }
                template
            }
            BodyKind::Xml(text) => Template::literal(text),
            BodyKind::Multiline { text, .. } | BodyKind::Oneline(text) => self.values.template(text)?,
            BodyKind::GraphQl { query, variables } => {
                let template = request::graphql(self.values, query, variables.as_ref())?;
                if template.as_text().is_none() {
                    return Err(refuse(
                        pos,
                        "the expected body",
                        "GraphQL with captured values is not compared",
                    ));
                }
                template
            }
        };
        Ok(Literal::Text(template.to_string()))
    }

    /// What is taken from a response. Returns the name and the capture.
    pub(super) fn capture(&self, capture: &ast::Capture) -> Result<Capture, Refused> {
        let name = self.values.text(&capture.name, "the name of a variable")?;
        if !is_name(&name) {
            let reason = "use a letter or _, then letters, digits, _ and -";
            return Err(refuse(capture.name.pos, format!("variable `{name}`"), reason));
        }
        let (query, kind, own) = self.query(&capture.query)?;
        let pos = capture.query.pos;
        match query {
            Query::Latency if capture.filters.is_empty() => {
                let reason = "the report has the latency of each step: compare it with a number instead";
                return Err(refuse(pos, "duration", reason));
            }
            Query::Version => {
                let reason = "only comparisons with a version, such as version == \"1.1\", are supported";
                return Err(refuse(pos, "version", reason));
            }
            _ => {}
        }
        let (filters, _) = self.filters(&capture.filters, kind)?;
        let filters = own.into_iter().chain(filters).collect();
        Ok(Capture { filters, max: CAPTURE_MAX, ..Capture::new(name, query) })
    }

    /// A condition on a response: one check, or two.
    pub(super) fn assert(&self, assert: &Assert) -> Result<Vec<Check>, Refused> {
        if let QueryKind::Variable(name) = &assert.query.kind {
            let name = self.values.text(name, "the name of a variable")?;
            if self.values.is_fresh(&name) {
                return self.fresh(&name, assert);
            }
            if self.values.constant(&name).is_some() {
                let reason = "its value is known before the run and does not depend on the response";
                return Err(refuse(assert.query.pos, format!("assert on variable `{name}`"), reason));
            }
        }
        let (query, kind, own) = self.query(&assert.query)?;
        let (filters, kind) = self.filters(&assert.filters, kind)?;
        let is_bare = filters.is_empty();
        let mut check = self.predicate(&assert.predicate, kind)?;
        if let Query::Variable(_) = query {
            untyped(&mut check, assert)?;
        }
        match query {
            Query::Latency if is_bare => milliseconds(&mut check, &assert.predicate)?,
            Query::Version if is_bare => version(&mut check, &assert.predicate)?,
            Query::Latency | Query::Version => {
                return Err(refuse(
                    assert.filters[0].pos,
                    assert.filters[0].name,
                    "use no filter with this query",
                ));
            }
            _ => {}
        }
        let mut checks = vec![Check { query, filters: own.into_iter().chain(filters).collect(), ..check }];
        // A filter of a value that is missing is an error in Hurl, whatever is asserted of its result.
        if checks[0].is_negated && !assert.filters.is_empty() {
            let mut input = checks[0].clone();
            input.filters.pop();
            checks.push(Check { is_negated: false, predicate: Predicate::Exists, ..input });
        }
        Ok(checks)
    }

    /// An assert on a variable that the same response sets: on what it is captured from.
    fn fresh(&self, name: &str, assert: &Assert) -> Result<Vec<Check>, Refused> {
        let is_it =
            |capture: &&ast::Capture| self.values.text(&capture.name, "").is_ok_and(|own| own == name);
        let Some(capture) = self.captures.iter().rev().find(is_it) else {
            return Err(refuse(assert.query.pos, format!("variable `{name}`"), "it is captured nowhere"));
        };
        let filters = capture.filters.iter().chain(&assert.filters).cloned().collect();
        self.assert(&Assert { query: capture.query.clone(), filters, predicate: assert.predicate.clone() })
    }

    /// A query, the kind of its value, and the filter that gives it the value that it has in Hurl.
    fn query(&self, query: &ast::Query) -> Result<(Query, Kind, Option<Filter>), Refused> {
        let (translated, kind) = self.plain_query(query)?;
        let own = match &translated {
            Query::Json(path) if finds_many(path) => Some(Filter::Unwrap),
            Query::Cookie { attribute: Some(attribute), .. } if attribute == "Max-Age" => Some(Filter::ToInt),
            _ => None,
        };
        Ok((translated, kind, own))
    }

    fn plain_query(&self, query: &ast::Query) -> Result<(Query, Kind), Refused> {
        let pos = query.pos;
        let later = |feature: &str, reason: &str| Err(refuse(pos, feature, reason));
        let text = |text: &ast::Template| self.values.text(text, "the argument of a query");
        Ok(match &query.kind {
            QueryKind::Status => (Query::Status, Kind::Number),
            QueryKind::Version => (Query::Version, Kind::Text),
            QueryKind::Url => (Query::Url, Kind::Text),
            QueryKind::Header(name) => (Query::Header(text(name)?), Kind::Any),
            QueryKind::Cookie(name, attribute) => {
                let attribute = match attribute.as_deref() {
                    None | Some("value") => None,
                    Some("expires") => return later("cookie attribute Expires", "dates are not supported"),
                    Some(other) => Some(attribute_name(other).to_owned()),
                };
                (Query::Cookie { name: text(name)?, attribute }, Kind::Any)
            }
            QueryKind::Body => (Query::Body, Kind::Text),
            QueryKind::Jsonpath(path) => (Query::Json(self.path(path)?), Kind::Any),
            QueryKind::Regex(pattern) => (Query::Regex(self.group(pattern)?), Kind::Text),
            QueryKind::Variable(name) => {
                let name = text(name)?;
                if self.values.is_fresh(&name) {
                    let reason = "it is captured from the same response: capture it from there again";
                    return later(&format!("variable `{name}`"), reason);
                }
                if !self.values.is_defined(&name) {
                    return later(&format!("variable `{name}`"), "it is captured nowhere before");
                }
                (Query::Variable(name), Kind::Any)
            }
            QueryKind::Duration => (Query::Latency, Kind::Number),
            QueryKind::Bytes => (Query::Bytes, Kind::Bytes),
            QueryKind::Sha256 => (Query::Sha256, Kind::Bytes),
            QueryKind::Md5 => (Query::Md5, Kind::Bytes),
            QueryKind::RawBytes => return later("rawbytes", "use bytes: bodies are not decompressed"),
            QueryKind::Xpath(_) => {
                return later("xpath", "it needs the whole document in memory; use regex or body contains");
            }
            QueryKind::Certificate(_) => {
                return later(
                    "certificate",
                    "connections are shared and kept, so a response has no certificate of its own",
                );
            }
            QueryKind::Ip => {
                return later("ip", "addresses are chosen before the run; the report names them");
            }
            QueryKind::Redirects => {
                return later("redirects", "only the last response is looked at; use url or header");
            }
        })
    }

    fn path(&self, path: &ast::Template) -> Result<String, Refused> {
        let text = self.values.text(path, "a JSON path")?;
        if text.starts_with('$') {
            return Ok(text);
        }
        Err(refuse(path.pos, format!("JSON path `{text}`"), "begin it with $"))
    }

    fn pattern(&self, pattern: &Pattern) -> Result<(Pos, String), Refused> {
        match pattern {
            Pattern::Literal(pos, text) => Ok((*pos, text.clone())),
            Pattern::Text(template) => {
                let text = self.values.text(template, "a regular expression")?;
                check_pattern(&text)
                    .map_err(|problem| refuse(template.pos, "a regular expression", problem))?;
                Ok((template.pos, text))
            }
        }
    }

    /// A pattern whose first group is the value.
    fn group(&self, pattern: &Pattern) -> Result<String, Refused> {
        let (pos, text) = self.pattern(pattern)?;
        let groups =
            regex_syntax::parse(&text).map_or(0, |parsed| parsed.properties().explicit_captures_len());
        if groups == 0 {
            let reason = "it finds nothing without a group: put ( ) around the part that is the value";
            return Err(refuse(pos, format!("regular expression `{text}`"), reason));
        }
        Ok(text)
    }

    fn filters(&self, filters: &[ast::Filter], mut kind: Kind) -> Result<(Vec<Filter>, Kind), Refused> {
        let mut all = Vec::new();
        for filter in filters {
            let (filter, next) = self.filter(filter, kind)?;
            all.extend(filter);
            kind = next;
        }
        Ok((all, kind))
    }

    fn filter(&self, filter: &ast::Filter, input: Kind) -> Result<(Vec<Filter>, Kind), Refused> {
        let text = |text: &ast::Template| self.values.text(text, "the argument of a filter");
        let later = |reason: &str| Err(refuse(filter.pos, filter.name, reason));
        if let Some((plain, kind)) = plain_filter(filter.name)
            && !(filter.name == "count" && matches!(input, Kind::Text | Kind::Number))
        {
            return Ok((vec![plain], kind));
        }
        Ok(match (filter.name, &filter.argument) {
            ("count", _) => {
                return later("it counts elements and bytes, not the characters of a text: use bytes count");
            }
            ("nth", Argument::Index(index)) => (vec![Filter::Nth(*index)], Kind::Any),
            ("nth", Argument::IndexValue(value)) => {
                let template = self.values.value(value)?;
                let index = template.as_text().and_then(|text| text.parse().ok());
                match index {
                    Some(index) => (vec![Filter::Nth(index)], Kind::Any),
                    None => return later("its position must be a number that is known before the run"),
                }
            }
            ("jsonpath", Argument::Text(path)) => {
                let path = self.path(path)?;
                let own = finds_many(&path).then_some(Filter::Unwrap);
                (iter::once(Filter::Json(path)).chain(own).collect(), Kind::Any)
            }
            ("regex", Argument::Pattern(pattern)) => (vec![Filter::Regex(self.group(pattern)?)], Kind::Text),
            ("replace", Argument::Replace(old, new)) => {
                (vec![Filter::Replace { old: text(old)?, new: text(new)? }], Kind::Text)
            }
            ("replaceRegex", Argument::ReplacePattern(old, new)) => {
                (vec![Filter::ReplaceRegex { pattern: self.pattern(old)?.1, new: text(new)? }], Kind::Text)
            }
            ("split", Argument::Text(by)) => (vec![Filter::Split(text(by)?)], Kind::Any),
            ("urlQueryParam", Argument::Text(name)) => (vec![Filter::UrlParam(text(name)?)], Kind::Text),
            ("decode" | "charsetDecode", Argument::Text(name)) => {
                let name = text(name)?;
                if !matches!(name.to_ascii_lowercase().as_str(), "utf-8" | "utf8") {
                    return later("only utf-8 is supported");
                }
                (vec![Filter::Utf8Decode], Kind::Text)
            }
            ("xpath", _) => return later("it needs the whole document in memory; use regex"),
            ("location", _) => return later("only the last response is looked at"),
            _ => {
                return later(
                    "dates are not supported: a run takes longer than the check of a date can wait",
                );
            }
        })
    }

    fn predicate(&self, predicate: &ast::Predicate, kind: Kind) -> Result<Check, Refused> {
        let mut is_negated = predicate.not;
        let value = || match &predicate.value {
            Some(value) => self.literal(value),
            None => Ok(Literal::Null),
        };
        let translated = match predicate.name {
            "==" | "!=" => {
                is_negated ^= predicate.name == "!=";
                let literal = value()?;
                self.never_equal(predicate, &literal, kind)?;
                let is_value = matches!(predicate.value, Some(Value { kind: ValueKind::Value(_), .. }));
                let is_typed = !is_value || !matches!(literal, Literal::Text(_));
                if is_typed { Predicate::Same(literal) } else { Predicate::Equal(literal) }
            }
            ">" => Predicate::Greater(value()?),
            ">=" => Predicate::AtLeast(value()?),
            "<" => Predicate::Less(value()?),
            "<=" => Predicate::AtMost(value()?),
            "startsWith" => Predicate::StartsWith(value()?),
            "endsWith" => Predicate::EndsWith(value()?),
            "contains" => Predicate::Contains(value()?),
            "includes" => Predicate::Includes(value()?),
            "matches" => Predicate::Matches(self.matched(predicate)?),
            "exists" => Predicate::Exists,
            "isEmpty" => Predicate::IsEmpty,
            "isBoolean" => Predicate::IsBoolean,
            "isInteger" => Predicate::IsInteger,
            "isFloat" => Predicate::IsFloat,
            "isNumber" => Predicate::IsNumber,
            "isString" => Predicate::IsText,
            "isList" => Predicate::IsList,
            "isObject" => Predicate::IsObject,
            "isIsoDate" => Predicate::IsDate,
            "isUuid" => Predicate::IsUuid,
            "isIpv4" => Predicate::IsIpv4,
            "isIpv6" => Predicate::IsIpv6,
            "isCollection" => {
                let reason = "it is a list or an object: write isList or isObject";
                return Err(refuse(predicate.pos, predicate.name, reason));
            }
            _ => {
                let reason = "only the filter toDate makes dates, and dates are not supported; use isIsoDate for a text";
                return Err(refuse(predicate.pos, predicate.name, reason));
            }
        };
        Ok(Check { query: Query::Status, filters: Vec::new(), is_negated, predicate: translated })
    }

    /// Refuses a comparison whose result is known before the run, because the kinds differ.
    fn never_equal(&self, predicate: &ast::Predicate, literal: &Literal, kind: Kind) -> Result<(), Refused> {
        let expected = match literal {
            Literal::Text(_) => Kind::Text,
            Literal::Integer(_) | Literal::Float(_) => Kind::Number,
            Literal::Bytes(_) => Kind::Bytes,
            Literal::Null | Literal::Bool(_) | Literal::List(_) => Kind::Other,
        };
        let is_value = matches!(predicate.value, Some(Value { kind: ValueKind::Value(_), .. }));
        if is_value || kind == Kind::Any || kind == expected {
            return Ok(());
        }
        let reason =
            format!("{} never equals {}: the result is known before the run", kind.name(), expected.name());
        Err(refuse(predicate.pos, predicate.name, reason))
    }

    fn matched(&self, predicate: &ast::Predicate) -> Result<String, Refused> {
        match predicate.value.as_ref().map(|value| (&value.kind, value.pos)) {
            Some((ValueKind::Pattern(text), _)) => Ok(text.clone()),
            Some((ValueKind::Text(text), _)) => {
                self.pattern(&Pattern::Text(text.clone())).map(|(_, text)| text)
            }
            Some((_, pos)) => Err(refuse(pos, "matches", "it needs a regular expression")),
            None => Err(refuse(predicate.pos, "matches", "it needs a regular expression")),
        }
    }

    fn literal(&self, value: &Value) -> Result<Literal, Refused> {
        Ok(match &value.kind {
            ValueKind::Null => Literal::Null,
            ValueKind::Bool(value) => Literal::Bool(*value),
            ValueKind::Number(Number { text, is_float }) => number(text, *is_float, value.pos)?,
            ValueKind::Text(text) => Literal::Text(self.values.template(text)?.to_string()),
            ValueKind::Body(body) => self.body_literal(body, value.pos)?,
            ValueKind::Pattern(_) => {
                return Err(refuse(value.pos, "a regular expression", "use it with the predicate matches"));
            }
            ValueKind::Value(placeholder) => {
                let constant = match &placeholder.expr {
                    Expr::Variable(name) => self.values.constant(name),
                    Expr::NewDate | Expr::NewUuid => {
                        let reason = "a value that is drawn when it is compared equals nothing";
                        return Err(refuse(value.pos, "a function", reason));
                    }
                };
                match constant {
                    Some(Constant::Null) => Literal::Null,
                    Some(Constant::Bool(value)) => Literal::Bool(*value),
                    Some(Constant::Number(text)) => number(text, text.contains('.'), value.pos)?,
                    Some(Constant::Text(text)) => Literal::Text(escape(text)),
                    None => Literal::Text(self.values.value(placeholder)?.to_string()),
                }
            }
        })
    }
}

/// The filters without arguments, with the kind of their results.
fn plain_filter(name: &str) -> Option<(Filter, Kind)> {
    Some(match name {
        "count" => (Filter::Count, Kind::Number),
        "first" => (Filter::First, Kind::Any),
        "last" => (Filter::Last, Kind::Any),
        "toInt" => (Filter::ToInt, Kind::Number),
        "toFloat" => (Filter::ToFloat, Kind::Number),
        "toString" => (Filter::ToText, Kind::Text),
        "toHex" => (Filter::ToHex, Kind::Text),
        "urlEncode" => (Filter::UrlEncode, Kind::Text),
        "urlDecode" => (Filter::UrlDecode, Kind::Text),
        "htmlEscape" => (Filter::HtmlEscape, Kind::Text),
        "htmlUnescape" => (Filter::HtmlUnescape, Kind::Text),
        "base64Encode" => (Filter::Base64Encode, Kind::Text),
        "base64Decode" => (Filter::Base64Decode, Kind::Bytes),
        "base64UrlSafeEncode" => (Filter::Base64UrlEncode, Kind::Text),
        "base64UrlSafeDecode" => (Filter::Base64UrlDecode, Kind::Bytes),
        "utf8Decode" => (Filter::Utf8Decode, Kind::Text),
        "utf8Encode" => (Filter::Utf8Encode, Kind::Bytes),
        _ => return None,
    })
}

/// What is known of the kind of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Bytes,
    /// Any of them.
    Any,
    /// None of them.
    Other,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Number => "a number",
            Self::Bytes => "a sequence of bytes",
            Self::Any | Self::Other => "such a value",
        }
    }
}

fn number(text: &str, is_float: bool, pos: Pos) -> Result<Literal, Refused> {
    if !is_float && let Ok(integer) = text.parse() {
        return Ok(Literal::Integer(integer));
    }
    match text.parse() {
        Ok(float) if is_float => Ok(Literal::Float(float)),
        _ => Err(refuse(
            pos,
            format!("number {text}"),
            "whole numbers have 64 bits: compare it as a text with toString",
        )),
    }
}

/// Whether a JSON path may find several values: it has `*`, `..`, a condition, a slice, or several selectors.
fn finds_many(path: &str) -> bool {
    let mut quote = None;
    let mut depth = 0;
    let mut last = ' ';
    for letter in path.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open && last != '\\' => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[') => depth += 1,
            (None, ']') => depth -= 1,
            (None, '*' | '?') => return true,
            (None, ':' | ',') if depth > 0 => return true,
            (None, '.') if last == '.' => return true,
            _ => {}
        }
        last = letter;
    }
    false
}

/// Captured values are texts: numbers are compared with what they spell, and their kind is not known.
fn untyped(check: &mut Check, assert: &Assert) -> Result<(), Refused> {
    let name = assert.predicate.name;
    let reason = "captured values are kept as texts: assert it where it is captured";
    if name.starts_with("is") && !matches!(name, "isEmpty" | "isIsoDate" | "isUuid" | "isIpv4" | "isIpv6") {
        return Err(refuse(assert.predicate.pos, name, reason));
    }
    if let Some(filter) =
        assert.filters.iter().find(|filter| matches!(filter.name, "count" | "nth" | "first" | "last"))
    {
        return Err(refuse(filter.pos, filter.name, reason));
    }
    if let Predicate::Same(literal) = &check.predicate {
        check.predicate = Predicate::Equal(literal.clone());
    }
    Ok(())
}

/// The name of a cookie's attribute as it is usually written.
fn attribute_name(name: &str) -> &str {
    match name {
        "max-age" => "Max-Age",
        "domain" => "Domain",
        "path" => "Path",
        "secure" => "Secure",
        "httponly" => "HttpOnly",
        "samesite" => "SameSite",
        other => other,
    }
}

/// Hurl counts milliseconds, the plan nanoseconds.
fn milliseconds(check: &mut Check, predicate: &ast::Predicate) -> Result<(), Refused> {
    let scale = |literal: &mut Literal| match literal {
        Literal::Integer(number) => number.checked_mul(1_000_000).map(|scaled| *number = scaled),
        Literal::Float(number) => {
            *literal = Literal::Integer((*number * 1e6) as i64);
            Some(())
        }
        _ => None,
    };
    let scaled = match &mut check.predicate {
        Predicate::Less(value)
        | Predicate::AtMost(value)
        | Predicate::Greater(value)
        | Predicate::AtLeast(value) => scale(value),
        _ => None,
    };
    let reason = "compare it with a number of milliseconds by <, <=, > or >=";
    scaled.ok_or_else(|| refuse(predicate.pos, format!("duration {}", predicate.name), reason))
}

/// Hurl writes `1.1`, the plan `HTTP/1.1`.
fn version(check: &mut Check, predicate: &ast::Predicate) -> Result<(), Refused> {
    match &mut check.predicate {
        Predicate::Same(Literal::Text(text)) => {
            *text = format!("HTTP/{text}");
            Ok(())
        }
        _ => {
            let reason = "only comparisons with a version, such as version == \"1.1\", are supported";
            Err(refuse(predicate.pos, format!("version {}", predicate.name), reason))
        }
    }
}
