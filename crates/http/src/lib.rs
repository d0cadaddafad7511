//! Protocols as state machines: bytes in, bytes out. One value of a protocol type is one connection.
//!
//! Knows calls and bytes; does not know sockets, clocks, sessions or counters. The engine drives a [`Protocol`], sends what
//! its methods append to `out`, and learns what happened to each call through a [`ResponseSink`].
#![forbid(unsafe_code)]

mod fields;
mod ftp;
mod h1;
mod protocol;
mod sink;
mod template;
#[cfg(feature = "tls")]
mod tls;
mod tunnel;
mod violation;

pub use fields::{FieldWriter, Fields};
pub use ftp::Ftp;
pub use h1::{Heads, Http1, Limits, ReplyEnd};
pub use protocol::{Alive, Companion, CompanionEvent, Needs, Protocol, ProtocolKind};
pub use sink::{Cause, End, Head, ResponseSink};
pub use template::{Fill, Hole, RequestBody, Template, TemplateBuilder, TemplateError};
#[cfg(feature = "tls")]
pub use tls::{TlsClient, TlsConfig, TlsConfigError, TlsFailure, TlsOptions, TlsVersion, Verify};
pub use tunnel::{Tunnel, TunnelReply};
pub use violation::Violation;
pub use warwolf_ftp::{Action, Order, OrderError};

/// A call on a connection: a number its caller chose, unique among the calls in flight there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u32);

/// A version of HTTP/1 as start lines name it (RFC 9112 section 2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// `HTTP/1.0`: one call per connection unless both sides say `keep-alive`.
    Http10,
    /// `HTTP/1.1`: a connection is kept unless one side says `close`.
    Http11,
}

impl Version {
    /// The version as start lines spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Http10 => "HTTP/1.0",
            Self::Http11 => "HTTP/1.1",
        }
    }
}
