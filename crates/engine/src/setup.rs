//! Everything a run needs that can be made before it begins: requests encoded, names resolved, limits computed.

use crate::SetupError;
use crate::call::Keeps;
use crate::filling::{DATA_HOLE, SESSION_HOLE, Upload};
use crate::resolve::resolve;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use warwolf_driver::{Address, SocketOptions};
use warwolf_ftp::{Action, Order};
use warwolf_http::{
    Hole, Limits, RequestBody, Template, TemplateBuilder, TemplateError, TlsConfig, TlsOptions, Verify,
    Version,
};
use warwolf_plan::{
    Body, CookiePolicy, DataPlace, Endpoint, HttpVersion, Network, Plan, Proxy, Reconnect, ReplyEnd, Request,
    Scheme, Stop, Timeouts, TlsVersion, TransferKind, Unresolved, WhenFull, Work,
};

/// A body up to this size is kept with its template; a larger one is read while it is sent.
const INLINE_BODY: u64 = 65_536;
/// The kernel's receive buffer of a connection with a receive rate holds a second's worth within these bounds: what it holds
/// the peer takes for received, and when it is too small a distant peer cannot keep up.
const PACED_BUFFER: (u64, u64) = (4_096, 1 << 20);
/// One receive of such a connection brings half a second's worth, and not more than this.
const PACED_MAX: u64 = 16_384;

/// A request of the plan, ready to be sent.
pub(crate) struct PreparedRequest {
    pub(crate) request: Request,
    pub(crate) template: Template,
    pub(crate) endpoint: u32,
    /// The file that a streamed body is read from.
    pub(crate) body: Option<Upload>,
    /// What is asked of an FTP server.
    pub(crate) order: Option<Arc<Order>>,
}

/// What all workers share.
pub(crate) struct Prepared {
    pub(crate) requests: Vec<PreparedRequest>,
    pub(crate) endpoints: Endpoints,
    pub(crate) stop: Stop,
    pub(crate) timeouts: Timeouts,
    pub(crate) network: Network,
    pub(crate) limits: Limits,
    pub(crate) pipeline: usize,
    /// Sessions keep their connection while they pause.
    pub(crate) per_session: bool,
    /// Connections that a session opens for itself; zero: it takes them from the pool.
    pub(crate) own: u32,
    pub(crate) reconnect: Reconnect,
    pub(crate) when_full: WhenFull,
    /// What sessions want to see of replies.
    pub(crate) keeps: Keeps,
    /// Whether any request goes to an FTP server.
    pub(crate) has_ftp: bool,
    /// Whether connections resume only TLS sessions that others of the same session have left.
    pub(crate) resume_own: bool,
    /// Calls that a session makes, where that is known: what an arrival that never started stands for.
    pub(crate) calls_per_session: u64,
    version: HttpVersion,
    keep_alive: bool,
    /// Sessions add header lines of their own.
    session_lines: bool,
    server_name: Option<String>,
}

impl Prepared {
    /// Resolves, reads and encodes what `plan` names.
    pub(crate) fn new(plan: &Plan) -> Result<Self, SetupError> {
        let (calls_per_session, per_session_calls) = match &plan.session.work {
            Work::Draw { calls, .. } => (calls.unwrap_or(1), *calls),
            Work::Scripts { .. } => (1, None),
        };
        let single = plan.is_open() && per_session_calls == Some(1);
        let has_ftp = plan.has_ftp();
        let keeps_cookies = plan.session.cookies != CookiePolicy::Off;
        let mut prepared = Self {
            requests: Vec::with_capacity(plan.requests.len()),
            endpoints: Endpoints::default(),
            stop: plan.stop.clone(),
            timeouts: plan.timeouts.clone(),
            network: plan.network.clone(),
            limits: Limits {
                max_head: plan.connections.max_head as usize,
                reply_end: match plan.connections.reply_end {
                    ReplyEnd::Framed => warwolf_http::ReplyEnd::Framed,
                    ReplyEnd::Length => warwolf_http::ReplyEnd::Length,
                    ReplyEnd::Close => warwolf_http::ReplyEnd::Close,
                },
                ..Limits::default()
            },
            pipeline: plan.connections.pipeline as usize,
            per_session: plan.connections.per_session,
            own: plan.connections.own,
            resume_own: plan.tls.resumption && plan.tls.resume_own && plan.connections.own > 0,
            reconnect: plan.connections.reconnect,
            when_full: plan.connections.when_full,
            keeps: Keeps {
                fields: plan.session.redirects.limit > 0
                    || plan.session.auth.is_some()
                    || (keeps_cookies && !single),
                pages: plan.session.resources.is_some(),
                lifetimes: plan.session.resources.as_ref().is_some_and(|wanted| wanted.cache),
                exchange: false,
                checksum: plan.session.checksum,
                reason: false,
                data: plan.all_requests().any(|r| r.random.is_some()),
                previous: has_ftp,
            },
            has_ftp,
            calls_per_session,
            version: plan.connections.version,
            keep_alive: plan.connections.keep_alive,
            session_lines: keeps_cookies || plan.session.auth.is_some(),
            server_name: plan.tls.server_name.clone(),
        };
        let mut endpoints = Endpoints::default();
        for request in &plan.requests {
            let endpoint = endpoints.add(&request.endpoint, &prepared)?;
            let template = prepared
                .encode(request)
                .map_err(|error| SetupError::Request { url: request.url(), error: error.to_string() })?;
            let body = Upload::of(request)?;
            let order = order(request)?;
            let request = request.clone();
            prepared.requests.push(PreparedRequest { request, template, endpoint, body, order });
        }
        for request in plan.session.setup.iter().chain(plan.session.recovery_requests()) {
            endpoints.add(&request.endpoint, &prepared)?;
        }
        prepared.endpoints = endpoints;
        Ok(prepared)
    }

    /// Encodes a request for this plan's version, proxy and connection rules; of what is stored over FTP the content.
    pub(crate) fn encode(&self, request: &Request) -> Result<Template, SetupError> {
        if request.endpoint.scheme == Scheme::Ftp {
            return Ok(Template::body(body(request)?));
        }
        if let Some(head) = &request.head {
            // Characters up to U+00FF are bytes; the plan has been checked for others.
            let head: Vec<u8> = head.chars().map(|letter| letter as u8).collect();
            let hole = self.session_lines.then_some(SESSION_HOLE);
            if let Some(data) = &request.random {
                return Ok(with_data(&request.method, head, hole, !self.keep_alive, data.place));
            }
            return Ok(Template::raw(&request.method, &head, hole, !self.keep_alive, body(request)?));
        }
        let wrong =
            |error: TemplateError| SetupError::Request { url: request.url(), error: error.to_string() };
        let plain_proxy = self.network.proxy.as_ref().filter(|_| request.endpoint.scheme == Scheme::Http);
        let target = match plain_proxy {
            Some(_) => request.url(),
            None => request.path.clone(),
        };
        let version = self.version();
        let has = |name: &str| request.headers.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
        let mut builder = TemplateBuilder::new(&request.method, &target, version);
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
            match (version, self.keep_alive) {
                (Version::Http11, false) => builder = builder.header("Connection", "close"),
                (Version::Http10, true) => builder = builder.header("Connection", "keep-alive"),
                _ => {}
            }
        }
        if let Some(credentials) = request.basic_auth.as_ref().filter(|_| !has("authorization")) {
            builder = builder.header("Authorization", &basic(credentials));
        }
        if let Some(credentials) = plain_proxy.and_then(|proxy| proxy.basic_auth.as_ref()) {
            builder = builder.header("Proxy-Authorization", &basic(credentials));
        }
        let mut lines_to_come = self.session_lines;
        for (name, value) in &request.headers {
            if value.is_empty() && name.eq_ignore_ascii_case("cookie") {
                if std::mem::take(&mut lines_to_come) {
                    builder = builder.hole(SESSION_HOLE);
                }
            } else {
                builder = builder.header(name, value);
            }
        }
        if lines_to_come {
            builder = builder.hole(SESSION_HOLE);
        }
        builder.body(body(request)?).build().map_err(wrong)
    }

    /// The version of our requests.
    pub(crate) fn version(&self) -> Version {
        match self.version {
            HttpVersion::Http10 => Version::Http10,
            HttpVersion::Http11 => Version::Http11,
        }
    }

    /// Socket options for the `number`-th connection, counted from one, which goes to `address`.
    pub(crate) fn socket_options(&self, number: u64, address: &Address) -> SocketOptions {
        let bind = match address {
            Address::Unix(_) => None,
            Address::Ip(to) => {
                let sources = || self.network.bind.iter().filter(|source| source.is_ipv6() == to.is_ipv6());
                let count = sources().count() as u64;
                (count > 0).then(|| number % count).and_then(|turn| sources().nth(turn as usize))
            }
        };
        let port = self.network.bind_ports.map_or(0, |(first, last)| {
            let ports = u64::from(last - first) + 1;
            first + (number.saturating_sub(1) % ports) as u16
        });
        let any = match address {
            Address::Ip(SocketAddr::V6(_)) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
            _ => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        };
        let bind = bind.copied().or_else(|| (port > 0).then_some(any));
        let pace = self.network.receive_rate;
        SocketOptions {
            nodelay: self.network.nodelay,
            send_buffer: self.network.send_buffer,
            receive_buffer: self
                .network
                .receive_buffer
                .or_else(|| pace.map(|rate| rate.clamp(PACED_BUFFER.0, PACED_BUFFER.1) as u32)),
            receive_max: pace.map(|rate| (rate / 2).clamp(1, PACED_MAX) as u32),
            bind: bind.map(|source| SocketAddr::new(source, port)),
            reset_on_close: self.network.close_with_reset,
        }
    }
}

/// A request with a hole for random data: before the version of its first line, or behind its head.
fn with_data(
    method: &str,
    mut bytes: Vec<u8>,
    hole: Option<u16>,
    closes: bool,
    place: DataPlace,
) -> Template {
    let end = bytes.len();
    let session = hole.map(|hole| (end, Hole::Fields(hole)));
    let holes = match place {
        DataPlace::Query | DataPlace::Path => {
            let line = bytes.iter().position(|byte| *byte == b'\r').unwrap_or(end);
            let version = bytes[..line].windows(6).rposition(|word| word == b" HTTP/").unwrap_or(line);
            bytes.extend_from_slice(b"\r\n");
            [Some((version, Hole::Value(DATA_HOLE))), session]
        }
        // The hole brings the line that announces the data, and the empty line.
        DataPlace::Body => [session, Some((end, Hole::Value(DATA_HOLE)))],
    };
    Template::exact(method, bytes, holes.into_iter().flatten().collect(), closes)
}

/// What `request` asks of an FTP server; none when it goes to none.
pub(crate) fn order(request: &Request) -> Result<Option<Arc<Order>>, SetupError> {
    let Some(transfer) = request.transfer() else { return Ok(None) };
    let action = match (&request.body, transfer.kind) {
        (Body::None, TransferKind::Names) => Action::List,
        (Body::None, _) => Action::Retrieve,
        _ => Action::Store,
    };
    let is_text = transfer.kind == TransferKind::Text;
    let order = Order::new(&transfer.name, &transfer.password, action, &transfer.path, is_text)
        .map_err(|error| SetupError::Request { url: request.url(), error: error.to_string() })?;
    let is_numbered = request.unique && action == Action::Store;
    Ok(Some(Arc::new(if is_numbered { order.numbered() } else { order })))
}

/// The proxy that connections to `endpoint` go through: none knows FTP.
fn proxy_of<'a>(endpoint: &Endpoint, prepared: &'a Prepared) -> Option<&'a Proxy> {
    prepared.network.proxy.as_ref().filter(|_| endpoint.scheme != Scheme::Ftp)
}

/// What follows the head of `request`. The content of a small file is read here.
fn body(request: &Request) -> Result<RequestBody, SetupError> {
    Ok(match &request.body {
        Body::None => RequestBody::None,
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

fn basic(credentials: &str) -> String {
    use base64::Engine as _;
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(credentials))
}

/// Where connections go to.
#[derive(Clone)]
struct Place {
    addresses: Vec<Address>,
    server_name: Option<String>,
    tunnel: Option<Arc<Template>>,
    is_ftp: bool,
}

/// The endpoints of a run, by number. Each worker has its own copy: redirects may add to it.
#[derive(Clone, Default)]
pub(crate) struct Endpoints {
    numbers: HashMap<Endpoint, u32>,
    places: Vec<Place>,
}

impl Endpoints {
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn addresses(&self, endpoint: u32) -> &[Address] {
        &self.places[endpoint as usize].addresses
    }

    /// The name for SNI and the certificate; none for plain endpoints.
    pub(crate) fn server_name(&self, endpoint: u32) -> Option<&str> {
        self.places[endpoint as usize].server_name.as_deref()
    }

    /// Whether an FTP server is there.
    pub(crate) fn is_ftp(&self, endpoint: u32) -> bool {
        self.places[endpoint as usize].is_ftp
    }

    /// What asks the proxy for a tunnel to the endpoint, if one is needed.
    pub(crate) fn tunnel(&self, endpoint: u32) -> Option<&Template> {
        self.places[endpoint as usize].tunnel.as_deref()
    }

    fn add(&mut self, endpoint: &Endpoint, prepared: &Prepared) -> Result<u32, SetupError> {
        if let Some(&number) = self.numbers.get(endpoint) {
            return Ok(number);
        }
        let to = proxy_of(endpoint, prepared).map_or(endpoint, |proxy| &proxy.endpoint);
        let addresses = match (resolve(&to.host, to.port, &prepared.network), prepared.network.unresolved) {
            (Ok(addresses), _) => addresses,
            (Err(_), Unresolved::Count) => Vec::new(),
            (Err(error), Unresolved::Refuse) => {
                return Err(SetupError::Resolve { host: to.host.clone(), error: error.to_string() });
            }
        };
        Ok(self.insert(endpoint, addresses, prepared))
    }

    /// The number of an endpoint that a redirect leads to. A new name is resolved on the spot, which holds this worker
    /// up once; one that cannot be resolved gets no addresses, and its calls fail as such.
    pub(crate) fn find_or_add(&mut self, endpoint: &Endpoint, prepared: &Prepared) -> u32 {
        if let Some(&number) = self.numbers.get(endpoint) {
            return number;
        }
        let to = proxy_of(endpoint, prepared).map_or(endpoint, |proxy| &proxy.endpoint);
        let addresses = resolve(&to.host, to.port, &prepared.network).unwrap_or_default();
        self.insert(endpoint, addresses, prepared)
    }

    fn insert(&mut self, endpoint: &Endpoint, addresses: Vec<Address>, prepared: &Prepared) -> u32 {
        let secure = endpoint.scheme == Scheme::Https;
        let tunnel = prepared.network.proxy.as_ref().filter(|_| secure).map(|p| tunnel_to(endpoint, p));
        let server_name =
            secure.then(|| prepared.server_name.clone().unwrap_or_else(|| endpoint.host.clone()));
        let number = self.places.len() as u32;
        let is_ftp = endpoint.scheme == Scheme::Ftp;
        self.places.push(Place { addresses, server_name, tunnel: tunnel.flatten().map(Into::into), is_ftp });
        self.numbers.insert(endpoint.clone(), number);
        number
    }
}

fn tunnel_to(endpoint: &Endpoint, proxy: &Proxy) -> Option<Template> {
    let host =
        if endpoint.host.contains(':') { format!("[{}]", endpoint.host) } else { endpoint.host.clone() };
    let authority = format!("{host}:{}", endpoint.port);
    let mut builder = TemplateBuilder::new("CONNECT", &authority, Version::Http11).header("Host", &authority);
    if let Some(credentials) = &proxy.basic_auth {
        builder = builder.header("Proxy-Authorization", &basic(credentials));
    }
    builder.build().ok()
}

/// All files of a folder, one after the other, in the order of their names.
fn read_all(folder: &std::path::Path) -> Result<Vec<u8>, SetupError> {
    let failed = |error| SetupError::file(folder, error);
    let entries =
        std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(failed)?;
    let mut files: Vec<_> =
        entries.iter().map(std::fs::DirEntry::path).filter(|path| path.is_file()).collect();
    files.sort();
    let mut all = Vec::new();
    for path in files {
        all.extend(std::fs::read(&path).map_err(|error| SetupError::file(&path, error))?);
        all.push(b'\n');
    }
    Ok(all)
}

/// The TLS configuration of one worker; none for a plan without https requests. Workers share no session store.
pub(crate) fn tls_config(plan: &Plan) -> Result<Option<TlsConfig>, SetupError> {
    let secure = plan.session.redirects.limit > 0
        || plan.session.resources.is_some()
        || plan.all_requests().any(|r| r.endpoint.scheme == Scheme::Https);
    if !secure {
        return Ok(None);
    }
    let read = |path: &std::path::Path| std::fs::read(path).map_err(|error| SetupError::file(path, error));
    let version = |version| match version {
        TlsVersion::V12 => warwolf_http::TlsVersion::V12,
        TlsVersion::V13 => warwolf_http::TlsVersion::V13,
    };
    let options = TlsOptions {
        verify: match &plan.tls.verify {
            warwolf_plan::Verify::System => Verify::System,
            warwolf_plan::Verify::File(path) if path.is_dir() => Verify::Roots(read_all(path)?),
            warwolf_plan::Verify::File(path) => Verify::Roots(read(path)?),
            warwolf_plan::Verify::Off => Verify::None,
        },
        client_cert: match &plan.tls.client_certificate {
            Some((certificate, key)) => Some((read(certificate)?, read(key)?)),
            None => None,
        },
        min: version(plan.tls.min),
        max: version(plan.tls.max),
        ciphers: plan.tls.ciphers.clone(),
        resumption: plan.tls.resumption,
        alpn: match plan.connections.version {
            HttpVersion::Http10 => Vec::new(),
            HttpVersion::Http11 => vec![b"http/1.1".to_vec()],
        },
    };
    TlsConfig::new(&options).map(Some).map_err(|error| SetupError::Tls(error.to_string()))
}
