//! Requests, ready to be sent.

use super::{Endpoints, Prepared};
use crate::SetupError;
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use warwolf_http::{Action, Hole, Order, RequestBody, Template, TemplateBuilder, Version};
use warwolf_plan::{Body, HoleValue, Request, RequestId, RequestShape, Scheme, Transfer, TransferKind};
use warwolf_workload::{RequestPart, RequestTexts};

/// A body up to this size is part of its template; a larger one is read while it is sent.
const INLINE_BODY: u64 = 65_536;

/// Each request of a list of up to this many has a template of its own. Those of a longer list share templates, and their
/// paths are filled in for each call: one more copy, and 50,000 URLs take some megabytes and not a hundred.
const DEDICATED_TEMPLATES: usize = 64;

/// Whether the path of a request is part of its template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathIs {
    /// It is.
    Given,
    /// It is filled in for each call.
    Open,
}

/// An encoded request with a resolved endpoint: one of the plan, or one that a reply led to.
pub(crate) struct PreparedRequest {
    pub(crate) request: Request,
    encoded: Arc<Encoded>,
    pub(crate) endpoint: u32,
    /// The row that it is counted in: that of its step, or of the request of the plan that this is or that led here.
    pub(crate) target: u32,
    /// Whether it is in the plan.
    pub(crate) is_planned: bool,
}

impl PreparedRequest {
    /// Its number in the plan; `None` if it is not in the plan.
    pub(crate) fn planned(&self) -> Option<RequestId> {
        self.is_planned.then_some(RequestId(self.target))
    }

    #[inline]
    pub(crate) fn template(&self) -> &Template {
        &self.encoded.template
    }

    /// The parts that are made for each call, if any are.
    #[inline]
    pub(crate) fn texts(&self) -> Option<&RequestTexts> {
        self.encoded.texts.as_deref()
    }

    /// The file that a streamed body is read from.
    pub(crate) fn body(&self) -> Option<&Upload> {
        self.encoded.body.as_ref()
    }
}

/// The encoded form of a request, or of all requests with the same shape.
pub(crate) struct Encoded {
    template: Template,
    body: Option<Upload>,
    texts: Option<Box<RequestTexts>>,
}

impl Encoded {
    /// Joins it with the `request` it was made from. `target` is the request of the plan that it is or that led to it.
    pub(crate) fn of(
        self: &Arc<Self>,
        request: Request,
        endpoint: u32,
        target: u32,
        is_planned: bool,
    ) -> PreparedRequest {
        PreparedRequest { request, encoded: Arc::clone(self), endpoint, target, is_planned }
    }
}

/// The request that a call makes.
pub(crate) enum RequestRef {
    /// One of the plan's.
    Planned(u32),
    /// One that a reply led to.
    Followed(Box<PreparedRequest>),
}

impl Prepared {
    /// The request that a reference stands for.
    #[inline]
    pub(crate) fn request<'a>(&'a self, reference: &'a RequestRef) -> &'a PreparedRequest {
        match reference {
            RequestRef::Planned(index) => &self.requests[*index as usize],
            RequestRef::Followed(followed) => followed,
        }
    }

    /// Encodes the requests of a plan and adds their endpoints to `endpoints`. The requests of a long list whose shapes are
    /// the same share a template, which leaves the path open.
    pub(super) fn encode_all(
        &self,
        requests: &[Request],
        rows: &[u32],
        endpoints: &mut Endpoints,
    ) -> Result<Vec<PreparedRequest>, SetupError> {
        let is_long = requests.len() > DEDICATED_TEMPLATES;
        let mut shared: HashMap<*const RequestShape, (Arc<Encoded>, u32)> = HashMap::new();
        let mut prepared = Vec::with_capacity(requests.len());
        for (request, row) in requests.iter().zip(rows) {
            let shape = Arc::as_ptr(request.shape());
            // The name of a file is part of the commands of FTP, and `*` is not always a path.
            let is_shared = is_long && request.endpoint.scheme != Scheme::Ftp && *request.path != *"*";
            let (encoded, endpoint) = match shared.get(&shape).filter(|_| is_shared) {
                Some((encoded, endpoint)) => (Arc::clone(encoded), *endpoint),
                None => {
                    let endpoint = endpoints.add(&request.endpoint, self)?;
                    let path = if is_shared { PathIs::Open } else { PathIs::Given };
                    let encoded = Arc::new(self.encode(request, path)?);
                    if is_shared {
                        shared.insert(shape, (Arc::clone(&encoded), endpoint));
                    }
                    (encoded, endpoint)
                }
            };
            prepared.push(encoded.of(request.clone(), endpoint, *row, true));
        }
        Ok(prepared)
    }

    /// Encodes `request` and opens the file that its body is read from.
    pub(crate) fn encode(&self, request: &Request, path: PathIs) -> Result<Encoded, SetupError> {
        let texts = RequestTexts::compile(request, &self.names).map(Box::new);
        let template = match &texts {
            Some(texts) => self.made_template(request, texts)?,
            None => self.template(request, path)?,
        };
        Ok(Encoded { template, body: Upload::of(request)?, texts })
    }

    /// Encodes a request of which parts are made for each call.
    fn made_template(&self, request: &Request, texts: &RequestTexts) -> Result<Template, SetupError> {
        let plain_proxy = self.network.proxy.as_ref().filter(|_| request.endpoint.scheme == Scheme::Http);
        let mut target = plain_proxy.map_or_else(String::new, |_| request.endpoint.to_string());
        let constant = |part: &RequestPart| match part {
            RequestPart::Constant(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            RequestPart::Filled(_) => None,
        };
        let path = constant(&texts.target);
        target.extend(path.iter().map(String::as_str));
        let mut builder = TemplateBuilder::new(&request.method, &target, self.version());
        if path.is_none() {
            builder = builder.target_hole(PATH_HOLE);
        }
        builder = self.with_defaults(builder, request, &|name| {
            texts.fields.iter().any(|(field, _)| field.eq_ignore_ascii_case(name))
        });
        if let Some(credentials) = plain_proxy.and_then(|proxy| proxy.basic_auth.as_ref()) {
            builder = builder.header("Proxy-Authorization", &basic(credentials));
        }
        let mut fields_to_come = self.session_fields;
        for (hole, (name, value)) in (FIRST_VALUE..).zip(&texts.fields) {
            builder = match constant(value) {
                Some(value) if value.is_empty() && name.eq_ignore_ascii_case("cookie") => {
                    if !std::mem::take(&mut fields_to_come) {
                        continue;
                    }
                    builder.hole(SESSION_HOLE)
                }
                Some(value) => builder.header(name, &value),
                None => builder.header_hole(name, hole),
            };
        }
        if fields_to_come {
            builder = builder.hole(SESSION_HOLE);
        }
        builder = match &texts.body {
            Some(RequestPart::Constant(body)) => builder.body(RequestBody::Inline(body.clone())),
            Some(RequestPart::Filled(_)) => builder.body_hole(BODY_HOLE),
            None => builder.body(body(request)?),
        };
        builder.build().map_err(|error| SetupError::request(request, error))
    }

    /// Encodes a request for this plan's version, proxy and connection rules.
    fn template(&self, request: &Request, path: PathIs) -> Result<Template, SetupError> {
        if let Some(transfer) = request.transfer() {
            return encode_transfer(request, &transfer);
        }
        if let Some(head) = &request.head {
            return self.encode_raw(request, head, path);
        }
        let plain_proxy = self.network.proxy.as_ref().filter(|_| request.endpoint.scheme == Scheme::Http);
        let mut target = plain_proxy.map_or_else(String::new, |_| request.endpoint.to_string());
        // A proxy makes `*` of the absolute form without a path (RFC 9112 section 3.2.4).
        let is_left_out = plain_proxy.is_some() && *request.path == *"*";
        if path == PathIs::Given && !is_left_out {
            target.push_str(&request.path);
        }
        let mut builder = TemplateBuilder::new(&request.method, &target, self.version());
        if path == PathIs::Open {
            builder = builder.target_hole(PATH_HOLE);
        }
        builder = self.with_defaults(builder, request, &|name| has_field(request, name));
        if let Some(credentials) = plain_proxy.and_then(|proxy| proxy.basic_auth.as_ref()) {
            builder = builder.header("Proxy-Authorization", &basic(credentials));
        }
        let mut fields_to_come = self.session_fields;
        for (name, value) in &request.headers {
            if value.is_empty() && name.eq_ignore_ascii_case("cookie") {
                if std::mem::take(&mut fields_to_come) {
                    builder = builder.hole(SESSION_HOLE);
                }
            } else {
                builder = builder.header(name, value);
            }
        }
        if fields_to_come {
            builder = builder.hole(SESSION_HOLE);
        }
        let encoded = builder.body(body(request)?).build();
        encoded.map_err(|error| SetupError::request(request, error))
    }

    /// Encodes a request whose head the plan gives as it is sent.
    fn encode_raw(&self, request: &Request, head: &str, path: PathIs) -> Result<Template, SetupError> {
        // Characters up to U+00FF are bytes; a checked plan has no others.
        let latin = |text: &str| text.chars().map(|letter| letter as u8).collect::<Vec<u8>>();
        let head = latin(head);
        let closes = !self.keep_alive;
        let hole = self.session_fields.then_some(SESSION_HOLE);
        let is_random = matches!(request.body, Body::Random(_));
        let (mut bytes, mut holes, mut done) = (Vec::with_capacity(head.len()), Vec::new(), 0);
        for (number, hole) in (FIRST_VALUE..).zip(&request.holes) {
            let at = hole.at as usize;
            bytes.extend_from_slice(&head[done..at]);
            done = at;
            if hole.value == HoleValue::Path && path == PathIs::Given {
                bytes.extend_from_slice(&latin(&request.path));
            } else {
                holes.push((bytes.len(), Hole::Value(number)));
            }
        }
        bytes.extend_from_slice(&head[done..]);
        if holes.is_empty() && !is_random {
            return Ok(Template::raw(&request.method, &bytes, hole, closes, body(request)?));
        }
        let end = bytes.len();
        holes.extend(hole.map(|hole| (end, Hole::Fields(hole))));
        if is_random {
            // The hole brings the line that announces the data, and the empty line.
            holes.push((end, Hole::Value(BODY_HOLE)));
        } else {
            bytes.extend_from_slice(b"\r\n");
        }
        Ok(Template::exact(&request.method, bytes, holes, closes))
    }

    /// Adds the fields that a request has unless the plan gives them.
    fn with_defaults(
        &self,
        mut builder: TemplateBuilder,
        request: &Request,
        has: &dyn Fn(&str) -> bool,
    ) -> TemplateBuilder {
        if !has("host") {
            builder = builder.header("Host", &request.endpoint.host_header());
        }
        if !has("user-agent") {
            builder = builder.header("User-Agent", concat!("warwolf/", env!("CARGO_PKG_VERSION")));
        }
        if !has("accept") {
            builder = builder.header("Accept", "*/*");
        }
        if !has("connection") {
            match (self.version(), self.keep_alive) {
                (Version::Http11, false) => builder = builder.header("Connection", "close"),
                (Version::Http10, true) => builder = builder.header("Connection", "keep-alive"),
                _ => {}
            }
        }
        if let Some(credentials) = request.basic_auth.as_ref().filter(|_| !has("authorization")) {
            builder = builder.header("Authorization", &basic(credentials));
        }
        builder
    }
}

fn has_field(request: &Request, name: &str) -> bool {
    request.headers.iter().any(|(field, _)| field.eq_ignore_ascii_case(name))
}

/// A file whose content is sent as a body, read while it is sent.
pub(crate) struct Upload(File);

impl Upload {
    /// Opens the file that `request` streams, if it streams one.
    fn of(request: &Request) -> Result<Option<Self>, SetupError> {
        match &request.body {
            Body::File(path) => {
                let file = File::open(path).map_err(|error| SetupError::file(path, error))?;
                Ok(Some(Self(file)))
            }
            _ => Ok(None),
        }
    }

    /// Fills `into` with what the file has at `offset`. A file that became shorter since the run began leaves zeros.
    pub(crate) fn read(&self, into: &mut [u8], offset: u64) {
        let _ = self.0.read_exact_at(into, offset);
    }
}

/// The hole of a template for the header fields that the session adds.
pub(super) const SESSION_HOLE: u16 = 0;

/// The hole for the first of [`warwolf_plan::RequestShape::holes`], or of the fields that are made for each call; the others
/// follow.
pub(crate) const FIRST_VALUE: u16 = 1;

/// The hole for a path that is not part of the template: others share it, or the path is made for each call.
pub(crate) const PATH_HOLE: u16 = u16::MAX - 1;

/// The hole for a body that is drawn or made for each call, with the end of the head before it.
pub(crate) const BODY_HOLE: u16 = u16::MAX;

/// Encodes a request that transfers a file.
fn encode_transfer(request: &Request, transfer: &Transfer) -> Result<Template, SetupError> {
    let action = match (&request.body, transfer.kind) {
        (Body::None, TransferKind::Names) => Action::List,
        (Body::None, _) => Action::Retrieve,
        _ => Action::Store,
    };
    let is_text = transfer.kind == TransferKind::Text;
    let order = Order::new(&transfer.name, &transfer.password, action, &transfer.path, is_text)
        .map_err(|error| SetupError::request(request, error.into()))?;
    let order = match transfer.number_at {
        Some(at) => order.numbered(at),
        None => order,
    };
    Ok(Template::transfer(order, FIRST_VALUE, body(request)?))
}

/// What follows the head of `request`. The content of a small file is read here.
fn body(request: &Request) -> Result<RequestBody, SetupError> {
    Ok(match &request.body {
        Body::None | Body::Random(_) => RequestBody::None,
        Body::Text(text) => RequestBody::Inline(text.clone().into_bytes()),
        Body::Bytes(bytes) => RequestBody::Inline(bytes.clone()),
        Body::Form(_) | Body::Json(_) | Body::Multipart(_) => RequestBody::None,
        Body::File(path) => {
            let length = std::fs::metadata(path).map_err(|error| SetupError::file(path, error))?.len();
            if length <= INLINE_BODY {
                RequestBody::Inline(std::fs::read(path).map_err(|error| SetupError::file(path, error))?)
            } else {
                RequestBody::Streamed { length }
            }
        }
    })
}

pub(super) fn basic(credentials: &str) -> String {
    use base64::Engine as _;
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(credentials))
}
