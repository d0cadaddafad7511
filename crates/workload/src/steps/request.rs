//! Requests that contain values, compiled.

use super::names::Names;
use super::text::{Context, Escape, Text};
use warwolf_plan::template::Template;
use warwolf_plan::{Body, Part, PartContent, Request};

/// A part of a request: the same bytes each time, or a text with values.
#[derive(Clone, Debug)]
pub enum RequestPart {
    /// Bytes that are the same for all calls.
    Constant(Vec<u8>),
    /// Filled in for each call.
    Filled(PartText),
}

/// A text with values.
#[derive(Clone, Debug)]
pub struct PartText(Text);

/// A request whose path, fields or body are made for each call.
#[derive(Clone, Debug)]
pub struct RequestTexts {
    /// Path and query.
    pub target: RequestPart,
    /// The plan's header fields in order, and those that its login and its body add: `Authorization`, `Content-Type`.
    pub fields: Vec<(String, RequestPart)>,
    /// The body; none where it is not made here, as that of a file.
    pub body: Option<RequestPart>,
}

/// Separates the parts of a form (RFC 2046 section 5.1.1). Unlikely in any content, and the same in each run.
const BOUNDARY: &str = "----warwolf-4c7be1d0f52a9e36";

impl RequestTexts {
    /// Compiles `request`; none if it is sent as the plan has it.
    #[must_use]
    pub fn compile(request: &Request, names: &Names) -> Option<Self> {
        let is_made = matches!(request.body, Body::Form(_) | Body::Json(_) | Body::Multipart(_));
        if request.head.is_some() || !(request.is_template || is_made || !request.query.is_empty()) {
            return None;
        }
        let mut compiler = Compiler { names, is_template: request.is_template, draws: 0 };
        let target = compiler.target(request);
        let mut fields: Vec<(String, RequestPart)> = Vec::new();
        for (name, value) in &request.headers {
            let value = compiler.text(value, Escape::Field, false);
            fields.push((name.clone(), part(value)));
        }
        let has = |fields: &[(String, RequestPart)], wanted: &str| {
            fields.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted))
        };
        if let Some(login) = request.basic_auth.as_ref().filter(|_| !has(&fields, "authorization")) {
            let login = compiler.text(login, Escape::None, false);
            fields.push(("Authorization".to_owned(), part(login.into_basic())));
        }
        let (body, kind) = compiler.body(&request.body);
        if let Some(kind) = kind.filter(|_| !has(&fields, "content-type")) {
            fields.push(("Content-Type".to_owned(), RequestPart::Constant(kind.into_bytes())));
        }
        Some(Self { target: part(target), fields, body: body.map(part) })
    }
}

fn part(text: Text) -> RequestPart {
    match text.as_constant() {
        Some(bytes) => RequestPart::Constant(bytes.to_vec()),
        None => RequestPart::Filled(PartText(text)),
    }
}

impl RequestPart {
    /// Appends it to `out`. Returns false if a capture in it has no value.
    pub(crate) fn write(&self, context: &Context<'_>, out: &mut Vec<u8>) -> bool {
        match self {
            Self::Constant(bytes) => {
                out.extend_from_slice(bytes);
                true
            }
            Self::Filled(PartText(text)) => text.write(context, out),
        }
    }
}

struct Compiler<'a> {
    names: &'a Names,
    is_template: bool,
    /// Values so far.
    draws: u64,
}

impl Compiler<'_> {
    fn text(&mut self, text: &str, escape: Escape, escapes_all: bool) -> Text {
        // A checked plan has no template that cannot be read.
        let template = match self.is_template {
            true => Template::parse("request", text).unwrap_or_else(|_| Template::literal(text)),
            false => Template::literal(text),
        };
        Text::compile(&template, self.names, escape, escapes_all, &mut self.draws)
    }

    fn target(&mut self, request: &Request) -> Text {
        let mut target = self.text(&request.path, Escape::Path, false);
        let mut separator = if request.path.contains('?') { "&" } else { "?" };
        for (name, value) in &request.query {
            target.push(separator.as_bytes());
            target.append(self.text(name, Escape::Form, true));
            target.push(b"=");
            target.append(self.text(value, Escape::Form, true));
            separator = "&";
        }
        target
    }

    /// The body, and its `Content-Type`.
    fn body(&mut self, body: &Body) -> (Option<Text>, Option<String>) {
        match body {
            Body::Text(text) => (Some(self.text(text, Escape::None, false)), None),
            Body::Json(text) => {
                (Some(self.text(text, Escape::Json, false)), Some("application/json".to_owned()))
            }
            Body::Form(fields) => {
                let mut form = Text::default();
                for (number, (name, value)) in fields.iter().enumerate() {
                    form.push(if number == 0 { b"" } else { b"&" });
                    form.append(self.text(name, Escape::Form, true));
                    form.push(b"=");
                    form.append(self.text(value, Escape::Form, true));
                }
                (Some(form), Some("application/x-www-form-urlencoded".to_owned()))
            }
            Body::Multipart(parts) => {
                let mut form = Text::default();
                parts.iter().for_each(|part| self.part(part, &mut form));
                form.push(format!("--{BOUNDARY}--\r\n").as_bytes());
                (Some(form), Some(format!("multipart/form-data; boundary={BOUNDARY}")))
            }
            Body::Bytes(bytes) => {
                let mut text = Text::default();
                text.push(bytes);
                (Some(text), None)
            }
            Body::None | Body::File(_) | Body::Random(_) => (None, None),
        }
    }

    /// Appends a part of a form (RFC 7578 section 4).
    fn part(&mut self, part: &Part, form: &mut Text) {
        let quoted = |name: &str| name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
        form.push(
            format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{}\"", quoted(&part.name))
                .as_bytes(),
        );
        let mut kind = part.content_type.clone();
        if let PartContent::File(path) = &part.content {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            form.push(format!("; filename=\"{}\"", quoted(&name)).as_bytes());
            kind = kind.or_else(|| Some(Part::content_type_of(path).to_owned()));
        }
        if let Some(kind) = kind {
            form.push(format!("\r\nContent-Type: {kind}").as_bytes());
        }
        form.push(b"\r\n\r\n");
        match &part.content {
            PartContent::Text(text) => form.append(self.text(text, Escape::None, false)),
            PartContent::File(path) => {
                form.push(self.names.contents().files.get(path).map_or(&[][..], |content| content));
            }
        }
        form.push(b"\r\n");
    }
}

impl Text {
    /// The value of an `Authorization` field for a login `name:password` (RFC 7617).
    fn into_basic(self) -> Self {
        let mut basic = Self::default();
        basic.push(b"Basic ");
        basic.append(self.into_base64());
        basic
    }
}
