//! Requests, ready to be sent.

use super::Prepared;
use crate::SetupError;
use std::fs::File;
use std::os::unix::fs::FileExt;
use warwolf_http::{Action, Hole, Order, RequestBody, Template, TemplateBuilder, Version};
use warwolf_plan::{Body, Request, RequestId, Scheme, Transfer, TransferKind};

/// A body up to this size is part of its template; a larger one is read while it is sent.
const INLINE_BODY: u64 = 65_536;

/// An encoded request with a resolved endpoint: one of the plan, or one that a reply led to.
pub(crate) struct PreparedRequest {
    pub(crate) request: Request,
    pub(crate) template: Template,
    pub(crate) endpoint: u32,
    /// The file that a streamed body is read from.
    pub(crate) body: Option<Upload>,
    /// The request of the plan that this is or that led here: the row of the table of targets.
    pub(crate) target: u32,
    /// Whether it is in the plan.
    pub(crate) is_planned: bool,
}

impl PreparedRequest {
    /// Its number in the plan; `None` if it is not in the plan.
    pub(crate) fn planned(&self) -> Option<RequestId> {
        self.is_planned.then_some(RequestId(self.target))
    }
}

/// The encoded form of a request.
pub(crate) struct Encoded {
    template: Template,
    body: Option<Upload>,
}

impl Encoded {
    /// Joins it with the `request` it was made from. `target` is the request of the plan that it is or that led to it.
    pub(crate) fn of(
        self,
        request: Request,
        endpoint: u32,
        target: u32,
        is_planned: bool,
    ) -> PreparedRequest {
        let Self { template, body } = self;
        PreparedRequest { request, template, endpoint, body, target, is_planned }
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

    /// Encodes `request` and opens the file that its body is read from.
    pub(crate) fn encode(&self, request: &Request) -> Result<Encoded, SetupError> {
        Ok(Encoded { template: self.template(request)?, body: Upload::of(request)? })
    }

    /// Encodes a request for this plan's version, proxy and connection rules.
    fn template(&self, request: &Request) -> Result<Template, SetupError> {
        if let Some(transfer) = request.transfer() {
            return encode_transfer(request, &transfer);
        }
        if let Some(head) = &request.head {
            return self.encode_raw(request, head);
        }
        let plain_proxy = self.network.proxy.as_ref().filter(|_| request.endpoint.scheme == Scheme::Http);
        let target = match plain_proxy {
            // A proxy makes `*` of the absolute form without a path (RFC 9112 section 3.2.4).
            Some(_) if request.path == "*" => request.endpoint.to_string(),
            Some(_) => request.url(),
            None => request.path.clone(),
        };
        let mut builder =
            self.with_defaults(TemplateBuilder::new(&request.method, &target, self.version()), request);
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
    fn encode_raw(&self, request: &Request, head: &str) -> Result<Template, SetupError> {
        // Characters up to U+00FF are bytes; a checked plan has no others.
        let head: Vec<u8> = head.chars().map(|letter| letter as u8).collect();
        let closes = !self.keep_alive;
        let hole = self.session_fields.then_some(SESSION_HOLE);
        let is_random = matches!(request.body, Body::Random(_));
        if request.holes.is_empty() && !is_random {
            return Ok(Template::raw(&request.method, &head, hole, closes, body(request)?));
        }
        let end = head.len();
        let mut bytes = head;
        let values = (FIRST_VALUE..).zip(&request.holes);
        let mut holes: Vec<_> =
            values.map(|(number, hole)| (hole.at as usize, Hole::Value(number))).collect();
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
    fn with_defaults(&self, mut builder: TemplateBuilder, request: &Request) -> TemplateBuilder {
        let has = |name: &str| request.headers.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
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
            Body::None | Body::Text(_) | Body::Bytes(_) | Body::Random(_) => Ok(None),
        }
    }

    /// Fills `into` with what the file has at `offset`. A file that became shorter since the run began leaves zeros.
    pub(crate) fn read(&self, into: &mut [u8], offset: u64) {
        let _ = self.0.read_exact_at(into, offset);
    }
}

/// The hole of a template for the header fields that the session adds.
pub(super) const SESSION_HOLE: u16 = 0;

/// The hole for the first of [`Request::holes`]; the others follow.
pub(crate) const FIRST_VALUE: u16 = 1;

/// The hole for a body that is drawn, with the end of the head before it.
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
