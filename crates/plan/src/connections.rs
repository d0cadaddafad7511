use crate::words::check_path;
use crate::{Endpoint, PlanError, Scheme};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Protocol version asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HttpVersion {
    /// HTTP/1.0.
    Http10,
    /// HTTP/1.1.
    #[default]
    Http11,
}

/// How connections are used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Connections {
    /// Protocol version.
    pub version: HttpVersion,
    /// Whether a connection carries more than one call. Over HTTP/1.0 it is asked for with `Connection: keep-alive`.
    pub keep_alive: bool,
    /// Calls that may be in flight on one connection.
    pub pipeline: u32,
    /// Connections at the most, over all targets; data connections of FTP come on top, one for each call.
    pub limit: u32,
    /// Which sessions may use a connection.
    pub ownership: Ownership,
    /// Bytes of a reply's head at the most.
    pub max_head: u32,
    /// Which calls are sent again when their connection closes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reconnect: Reconnect,
    /// Whether a session goes on when a connection closes that is dedicated to it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on_close: OnClose,
    /// What a call does that needs a connection when `limit` are open.
    #[serde(default, skip_serializing_if = "is_default")]
    pub when_full: WhenFull,
    /// What tells where the body of a reply ends.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reply_end: ReplyEnd,
}

/// Which sessions may use a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ownership {
    /// All of them: a session takes any connection that has room, like a client with a pool.
    #[default]
    Shared,
    /// The session that took it, until the session ends, like a browser. Then another session may take it.
    Sticky,
    /// The session that opened it. A session opens at most this many connections, which are closed when it ends; a call goes
    /// to the first of them that has room or can be opened.
    Dedicated(u32),
}

impl Ownership {
    /// Connections that a session opens for itself; zero unless they are dedicated.
    #[must_use]
    pub const fn dedicated(self) -> u32 {
        match self {
            Self::Shared | Self::Sticky => 0,
            Self::Dedicated(count) => count,
        }
    }
}

/// What tells where the body of a reply ends, for users who know less than HTTP/1.1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplyEnd {
    /// What the protocol says (RFC 9112 section 6.3).
    #[default]
    Framed,
    /// `Content-Length`, or else the close of the connection. The framing of chunks counts as body.
    Length,
    /// The close of the connection alone.
    Close,
}

/// Which calls are sent again on another connection when theirs closes or breaks. The others fail, and so does a call that
/// times out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reconnect {
    /// Calls that the server need not have acted on (RFC 9112 section 9.3.1), up to three times.
    #[default]
    Safe,
    /// None.
    Never,
    /// All of them in order, whatever their method and without a limit, if the connection had delivered a reply.
    AfterReply,
    /// All of them in order, whatever their method and without a limit, also when the connection never opened.
    Always,
}

/// What a session does when a connection closes that is dedicated to it, also between calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnClose {
    /// It goes on, and opens another when it needs one.
    #[default]
    Continue,
    /// It ends. Needs [`Ownership::Dedicated`] and [`Reconnect::Never`].
    EndSession,
}

/// What a call does that needs a connection when none may be opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhenFull {
    /// It waits for one.
    #[default]
    Wait,
    /// It fails, with an outcome of its own.
    Fail,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Default for Connections {
    fn default() -> Self {
        Self {
            version: HttpVersion::Http11,
            keep_alive: true,
            pipeline: 1,
            limit: 10_000,
            ownership: Ownership::Shared,
            max_head: 65_536,
            reconnect: Reconnect::Safe,
            on_close: OnClose::Continue,
            when_full: WhenFull::Wait,
            reply_end: ReplyEnd::Framed,
        }
    }
}

impl Connections {
    pub(crate) fn check(&self) -> Result<(), PlanError> {
        let positive = |field: &str, value: u32| {
            if value == 0 { Err(PlanError::new(field, "0", "use 1 or more")) } else { Ok(()) }
        };
        positive("connections.pipeline", self.pipeline)?;
        if self.reply_end == ReplyEnd::Close && self.keep_alive {
            return Err(PlanError::new(
                "connections.reply_end",
                "close",
                "a reply that ends with its connection is the only one on it: use connections.keep_alive = false",
            ));
        }
        positive("connections.limit", self.limit)?;
        if self.ownership == Ownership::Dedicated(0) {
            return Err(PlanError::new("connections.ownership", "dedicated = 0", "use 1 or more"));
        }
        if self.on_close == OnClose::EndSession
            && (self.ownership.dedicated() == 0 || self.reconnect != Reconnect::Never)
        {
            return Err(PlanError::new(
                "connections.on_close",
                "end_session",
                "use connections.ownership = { dedicated = 1 } and connections.reconnect = \"never\" with it",
            ));
        }
        positive("connections.max_head", self.max_head)
    }
}

/// Limits on how long things may take; none means no limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// TCP connect, a proxy's tunnel with it, and the TLS handshake too unless that has a limit of its own.
    pub connect: Option<Duration>,
    /// The TLS handshake alone, more than zero, counted from its first byte: `connect` ends where it begins. None means that
    /// `connect` covers both.
    pub tls: Option<Duration>,
    /// A whole call, from its start to the last byte of its reply; waiting for a connection and opening it included.
    pub call: Option<Duration>,
    /// From the moment a request is handed to the kernel until the kernel has all of it.
    pub send: Option<Duration>,
    /// From the moment the kernel has all of a request to the first byte of the reply, and again from there to the last.
    pub reply: Option<Duration>,
    /// Silence: when no byte came from the peer for this long, the call ends, or the connect. Counted from the call's start
    /// on a connection, and begun again by each receive and by each piece of a body that the kernel takes.
    pub idle: Option<Duration>,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Some(Duration::from_secs(10)),
            tls: None,
            call: Some(Duration::from_secs(30)),
            send: None,
            reply: None,
            idle: None,
        }
    }
}

impl Timeouts {
    pub(crate) fn check(&self) -> Result<(), PlanError> {
        if self.tls == Some(Duration::ZERO) {
            let remedy = "use more than zero, or leave it out: then timeouts.connect covers the handshake";
            return Err(PlanError::new("timeouts.tls", "0s", remedy));
        }
        Ok(())
    }
}

/// What is right for the scheme of a proxy.
pub(crate) const PROXY_SCHEME: &str = "use http: TLS to the proxy is not supported";

/// An HTTP proxy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proxy {
    /// Where it listens. Plain requests go to it in absolute form, TLS through CONNECT (RFC 9112 section 3.2).
    pub endpoint: Endpoint,
    /// Name and password for the proxy, as `name:password`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basic_auth: Option<String>,
}

/// An address to use for a host and port instead of what resolving would give.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resolve {
    /// The host as in the URL.
    pub host: String,
    /// The port as in the URL.
    pub port: u16,
    /// The address to connect to.
    pub address: IpAddr,
}

/// Addresses, proxies and socket options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Network {
    /// Addresses given by hand.
    #[serde(default)]
    pub resolve: Vec<Resolve>,
    /// Source addresses, taken in turn.
    #[serde(default)]
    pub bind: Vec<IpAddr>,
    /// First and last of the local ports that connections take in turn; none means that the kernel chooses. One that is in use
    /// is passed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bind_ports: Option<(u16, u16)>,
    /// A Unix socket to connect to, whatever the URL's host says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unix_socket: Option<PathBuf>,
    /// An HTTP proxy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<Proxy>,
    /// Send at once (`TCP_NODELAY`).
    pub nodelay: bool,
    /// Kernel send buffer in bytes; none means the system's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_buffer: Option<u32>,
    /// Kernel receive buffer in bytes; none means the system's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_buffer: Option<u32>,
    /// Bytes a second that each connection takes from the peer at the most, whatever they mean, 1 or more; none means no limit.
    /// What comes faster waits in the kernel and with the peer, for which a small `receive_buffer` is used unless one is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_rate: Option<u64>,
    /// Close with a reset, which leaves no port in TIME_WAIT.
    #[serde(default)]
    pub close_with_reset: bool,
    /// Use only IPv4 or only IPv6 addresses of a name; none means both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ipv6: Option<bool>,
    /// What a name without an address means.
    #[serde(default, skip_serializing_if = "Unresolved::is_refused")]
    pub unresolved: Unresolved,
}

/// What a name without an address means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unresolved {
    /// The run does not begin.
    #[default]
    Refuse,
    /// Calls to it fail.
    Count,
}

impl Unresolved {
    fn is_refused(&self) -> bool {
        *self == Self::Refuse
    }
}

impl Default for Network {
    fn default() -> Self {
        Self {
            resolve: Vec::new(),
            bind: Vec::new(),
            bind_ports: None,
            unix_socket: None,
            proxy: None,
            nodelay: true,
            send_buffer: None,
            receive_buffer: None,
            receive_rate: None,
            close_with_reset: false,
            ipv6: None,
            unresolved: Unresolved::Refuse,
        }
    }
}

impl Network {
    pub(crate) fn check(&self) -> Result<(), PlanError> {
        if let Some((first, last)) = self.bind_ports
            && (first == 0 || last < first)
        {
            return Err(PlanError::new(
                "network.bind_ports",
                format!("[{first}, {last}]"),
                "give the first and the last port, such as [1024, 65535]",
            ));
        }
        if self.receive_rate == Some(0) {
            return Err(PlanError::new("network.receive_rate", "0", "use 1 or more bytes a second"));
        }
        if let Some(Proxy { endpoint, .. }) = &self.proxy
            && endpoint.scheme != Scheme::Http
        {
            return Err(PlanError::new("network.proxy.endpoint", endpoint.to_string(), PROXY_SCHEME));
        }
        self.unix_socket.as_deref().map_or(Ok(()), |path| check_path("network.unix_socket", path))
    }
}

/// A TLS protocol version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum TlsVersion {
    /// TLS 1.2 (RFC 5246).
    #[serde(rename = "1.2")]
    V12,
    /// TLS 1.3 (RFC 8446).
    #[serde(rename = "1.3")]
    V13,
}

impl fmt::Display for TlsVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V12 => "1.2",
            Self::V13 => "1.3",
        })
    }
}

/// What the server's certificate is checked against.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verify {
    /// The system's roots.
    #[default]
    System,
    /// The certificates in a PEM file, or in all files of a folder.
    File(PathBuf),
    /// Nothing: any certificate will do.
    Off,
}

/// Which TLS sessions a connection resumes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resumption {
    /// None: each connection makes a full handshake.
    Off,
    /// Those of all connections.
    #[default]
    Shared,
    /// Those of earlier connections of the same session of the load. Needs [`Ownership::Dedicated`].
    Session,
}

/// TLS options, for `https` requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Tls {
    /// What the server's certificate is checked against.
    pub verify: Verify,
    /// PEM files of our certificate chain and its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_certificate: Option<(PathBuf, PathBuf)>,
    /// Lowest version offered.
    pub min: TlsVersion,
    /// Highest version offered.
    pub max: TlsVersion,
    /// Cipher suites offered, by IANA or OpenSSL name; empty means all that are known.
    #[serde(default)]
    pub ciphers: Vec<String>,
    /// Which TLS sessions a connection resumes.
    pub resumption: Resumption,
    /// Name sent as SNI and checked in the certificate; none means the URL's host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_name: Option<String>,
}

impl Default for Tls {
    fn default() -> Self {
        Self {
            verify: Verify::System,
            client_certificate: None,
            min: TlsVersion::V12,
            max: TlsVersion::V13,
            ciphers: Vec::new(),
            resumption: Resumption::Shared,
            server_name: None,
        }
    }
}

impl Tls {
    pub(crate) fn check(&self) -> Result<(), PlanError> {
        if self.min > self.max {
            return Err(PlanError::new(
                "tls.min",
                self.min.to_string(),
                format!("use at most the highest version, {}", self.max),
            ));
        }
        if let Verify::File(path) = &self.verify {
            check_path("tls.verify", path)?;
        }
        match &self.client_certificate {
            Some((chain, key)) => check_path("tls.client_certificate", chain)
                .and_then(|()| check_path("tls.client_certificate", key)),
            None => Ok(()),
        }
    }
}

/// Which kernel interface carries the load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DriverChoice {
    /// The ring where the kernel allows it, else epoll.
    #[default]
    Auto,
    /// io_uring, or an error where it cannot be had.
    Uring,
    /// epoll.
    Epoll,
}

/// How a worker waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Idle {
    /// Sleep in the kernel until something is due.
    #[default]
    Block,
    /// Poll without sleeping: a core each, for lag in microseconds.
    Spin,
}
