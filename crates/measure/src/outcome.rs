//! The closed list of how a call can end, with the attribution of each outcome.
//!
//! Calls are never counted under a string: an outcome that is not in this list cannot occur.

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The whole reply arrived, whatever its status.
    Completed,
    /// The reply was not complete at the call's deadline.
    ResponseTimeout,
    /// The connection was not open at its deadline.
    ConnectTimeout,
    /// The TLS handshake was not over at its deadline.
    TlsTimeout,
    /// The connection was refused.
    Refused,
    /// The connection was reset.
    Reset,
    /// The connection was closed before a byte of the reply came.
    Closed,
    /// The connection was closed within the reply.
    ClosedMidReply,
    /// The bytes received were not HTTP.
    Violation(ViolationKind),
    /// TLS failed.
    Tls(TlsKind),
    /// The proxy refused the tunnel to the target (RFC 9110 section 9.3.6).
    Proxy(ProxyKind),
    /// No route to the host or network.
    Unreachable,
    /// The name has no address.
    Resolve,
    /// This process may not open more descriptors.
    NoFiles,
    /// This machine has no local port left for the target.
    NoPorts,
    /// This machine has no memory for sockets left.
    NoBuffers,
    /// This machine does not allow the connection.
    Denied,
    /// Another error of this machine.
    LocalOther,
    /// The call was in flight when the run stopped.
    Unfinished,
    /// This side closed the connection, because another call on it timed out.
    Abandoned,
    /// The plan allowed no further connection, and the call was not to wait for one.
    ConnectionLimit,
}

/// How a reply broke the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViolationKind {
    /// The status line is not one (RFC 9112 section 4).
    BadStatusLine,
    /// A header line is not one (RFC 9112 section 5).
    BadHeader,
    /// The head is longer than the plan allows.
    HeadTooLong,
    /// The head has more header lines than the plan allows.
    TooManyHeaders,
    /// `Content-Length` is not a number (RFC 9112 section 6.3).
    BadContentLength,
    /// Several lengths that differ (RFC 9112 section 6.3).
    ConflictingLengths,
    /// A chunk's size is not a number (RFC 9112 section 7.1).
    BadChunkSize,
    /// A chunk does not end where it should (RFC 9112 section 7.1).
    BadChunkEnd,
    /// Bytes arrived that belong to no call.
    UnexpectedBytes,
    /// The body is in a transfer coding other than `chunked` (RFC 9112 section 6.1).
    UnsupportedTransferCoding,
}

/// Why TLS failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TlsKind {
    /// The certificate's issuer is not trusted.
    UnknownIssuer,
    /// The certificate is no longer valid.
    Expired,
    /// The certificate is not valid yet.
    NotYetValid,
    /// The certificate is for another name.
    NameMismatch,
    /// The certificate was revoked.
    Revoked,
    /// The certificate is malformed or not allowed for this use.
    BadCertificate,
    /// The server sent a fatal alert (RFC 8446 section 6.2).
    Alert,
    /// No protocol version in common.
    NoSharedVersion,
    /// No cipher suite, group or signature algorithm in common.
    NoSharedCipher,
    /// No application protocol in common (RFC 7301 section 3.2).
    NoSharedProtocol,
    /// The server does not speak TLS.
    NotTls,
    /// The server wants a client certificate.
    ClientCertRequired,
    /// The connection ended without a closing alert (RFC 8446 section 6.1).
    Truncated,
    /// Anything else.
    Other,
}

/// How a proxy refused a tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProxyKind {
    /// Status 407.
    AuthenticationRequired,
    /// Status 403.
    Forbidden,
    /// Status 502.
    BadGateway,
    /// Status 503.
    Unavailable,
    /// Status 504.
    GatewayTimeout,
    /// Another status, or a response that is not HTTP.
    Other,
}

/// Where the cause of an outcome lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Blame {
    /// Nowhere: the call completed, was cut off by the end of the run, or found the plan's own limit reached.
    Nobody,
    /// The server under test.
    Target,
    /// The network between.
    Network,
    /// The load generator's machine: the results are affected.
    ThisMachine,
}

impl Blame {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nobody => "nobody",
            Self::Target => "target",
            Self::Network => "network",
            Self::ThisMachine => "this machine",
        }
    }
}

use ViolationKind as V;

/// Every outcome with its name in data and its description. The order is that of [`Outcome::index`].
const TABLE: [(Outcome, &str, &str); Outcome::COUNT] = [
    (Outcome::Completed, "completed", "completed"),
    (Outcome::ResponseTimeout, "response_timeout", "no complete reply before the deadline"),
    (Outcome::ConnectTimeout, "connect_timeout", "connecting took too long"),
    (Outcome::TlsTimeout, "tls_timeout", "TLS handshake took too long"),
    (Outcome::Refused, "refused", "connection refused"),
    (Outcome::Reset, "reset", "connection reset"),
    (Outcome::Closed, "closed", "connection closed before the reply"),
    (Outcome::ClosedMidReply, "closed_mid_reply", "connection closed within the reply"),
    (Outcome::Unreachable, "unreachable", "host or network unreachable"),
    (Outcome::Resolve, "resolve", "name has no address"),
    (Outcome::NoFiles, "no_files", "out of file descriptors"),
    (Outcome::NoPorts, "no_ports", "out of local ports"),
    (Outcome::NoBuffers, "no_buffers", "out of socket memory"),
    (Outcome::Denied, "denied", "connection not permitted on this machine"),
    (Outcome::LocalOther, "local_other", "other error on this machine"),
    (Outcome::Unfinished, "unfinished", "in flight at the stop"),
    (Outcome::Abandoned, "abandoned", "connection given up after another request on it timed out"),
    (Outcome::ConnectionLimit, "connection_limit", "connection limit of the plan reached"),
    (Outcome::Violation(V::BadStatusLine), "violation_bad_status_line", "HTTP: bad status line"),
    (Outcome::Violation(V::BadHeader), "violation_bad_header", "HTTP: bad header line"),
    (Outcome::Violation(V::HeadTooLong), "violation_head_too_long", "HTTP: head too long"),
    (Outcome::Violation(V::TooManyHeaders), "violation_too_many_headers", "HTTP: too many header lines"),
    (Outcome::Violation(V::BadContentLength), "violation_bad_content_length", "HTTP: bad Content-Length"),
    (Outcome::Violation(V::ConflictingLengths), "violation_conflicting_lengths", "HTTP: conflicting lengths"),
    (Outcome::Violation(V::BadChunkSize), "violation_bad_chunk_size", "HTTP: bad chunk size"),
    (Outcome::Violation(V::BadChunkEnd), "violation_bad_chunk_end", "HTTP: bad end of chunk"),
    (Outcome::Violation(V::UnexpectedBytes), "violation_unexpected_bytes", "HTTP: unexpected bytes"),
    (
        Outcome::Violation(V::UnsupportedTransferCoding),
        "violation_unsupported_transfer_coding",
        "HTTP: transfer coding not supported",
    ),
    (Outcome::Tls(TlsKind::UnknownIssuer), "tls_unknown_issuer", "TLS: issuer not trusted"),
    (Outcome::Tls(TlsKind::Expired), "tls_expired", "TLS: certificate expired"),
    (Outcome::Tls(TlsKind::NotYetValid), "tls_not_yet_valid", "TLS: certificate not valid yet"),
    (Outcome::Tls(TlsKind::NameMismatch), "tls_name_mismatch", "TLS: certificate for another name"),
    (Outcome::Tls(TlsKind::Revoked), "tls_revoked", "TLS: certificate revoked"),
    (Outcome::Tls(TlsKind::BadCertificate), "tls_bad_certificate", "TLS: bad certificate"),
    (Outcome::Tls(TlsKind::Alert), "tls_alert", "TLS: fatal alert from the server"),
    (Outcome::Tls(TlsKind::NoSharedVersion), "tls_no_shared_version", "TLS: no version in common"),
    (
        Outcome::Tls(TlsKind::NoSharedCipher),
        "tls_no_shared_cipher",
        "TLS: no cipher suite or signature algorithm in common",
    ),
    (
        Outcome::Tls(TlsKind::NoSharedProtocol),
        "tls_no_shared_protocol",
        "TLS: the server accepts none of the protocols offered (ALPN http/1.1)",
    ),
    (Outcome::Tls(TlsKind::NotTls), "tls_not_tls", "TLS: the server does not speak TLS"),
    (
        Outcome::Tls(TlsKind::ClientCertRequired),
        "tls_client_cert_required",
        "TLS: client certificate required",
    ),
    (Outcome::Tls(TlsKind::Truncated), "tls_truncated", "TLS: ended without a closing alert"),
    (Outcome::Tls(TlsKind::Other), "tls_other", "TLS: other failure"),
    (
        Outcome::Proxy(ProxyKind::AuthenticationRequired),
        "proxy_authentication_required",
        "the proxy refused the tunnel with 407 (authentication required)",
    ),
    (
        Outcome::Proxy(ProxyKind::Forbidden),
        "proxy_forbidden",
        "the proxy refused the tunnel with 403 (forbidden)",
    ),
    (
        Outcome::Proxy(ProxyKind::BadGateway),
        "proxy_bad_gateway",
        "the proxy refused the tunnel with 502 (bad gateway)",
    ),
    (
        Outcome::Proxy(ProxyKind::Unavailable),
        "proxy_unavailable",
        "the proxy refused the tunnel with 503 (unavailable)",
    ),
    (
        Outcome::Proxy(ProxyKind::GatewayTimeout),
        "proxy_gateway_timeout",
        "the proxy refused the tunnel with 504 (gateway timeout)",
    ),
    (Outcome::Proxy(ProxyKind::Other), "proxy_other", "the proxy refused the tunnel"),
];

impl Outcome {
    /// How many different outcomes there are.
    pub const COUNT: usize = 48;

    /// Every outcome, in the order of [`Outcome::index`].
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.0)
    }

    /// Place in a table of [`Outcome::COUNT`] entries. Not for files: there outcomes go by [`Outcome::name`].
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        match self {
            Self::Completed => 0,
            Self::ResponseTimeout => 1,
            Self::ConnectTimeout => 2,
            Self::TlsTimeout => 3,
            Self::Refused => 4,
            Self::Reset => 5,
            Self::Closed => 6,
            Self::ClosedMidReply => 7,
            Self::Unreachable => 8,
            Self::Resolve => 9,
            Self::NoFiles => 10,
            Self::NoPorts => 11,
            Self::NoBuffers => 12,
            Self::Denied => 13,
            Self::LocalOther => 14,
            Self::Unfinished => 15,
            Self::Abandoned => 16,
            Self::ConnectionLimit => 17,
            Self::Violation(kind) => 18 + kind as usize,
            Self::Tls(kind) => 28 + kind as usize,
            Self::Proxy(kind) => 42 + kind as usize,
        }
    }

    /// The name in JSON and in run files: lower case with underscores, never changed once given.
    #[must_use]
    pub const fn name(self) -> &'static str {
        TABLE[self.index()].1
    }

    /// The outcome with this name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// A description in a few words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        TABLE[self.index()].2
    }

    /// Where its cause lies. An outcome that the target may have caused is attributed to it.
    #[must_use]
    pub const fn blame(self) -> Blame {
        match self {
            Self::Completed | Self::Unfinished | Self::ConnectionLimit => Blame::Nobody,
            Self::ResponseTimeout
            | Self::ConnectTimeout
            | Self::TlsTimeout
            | Self::Refused
            | Self::Reset
            | Self::Closed
            | Self::ClosedMidReply
            | Self::Abandoned
            | Self::Violation(_)
            | Self::Tls(_)
            | Self::Proxy(ProxyKind::BadGateway | ProxyKind::Unavailable | ProxyKind::GatewayTimeout) => {
                Blame::Target
            }
            Self::Unreachable | Self::Resolve | Self::Proxy(_) => Blame::Network,
            Self::NoFiles | Self::NoPorts | Self::NoBuffers | Self::Denied | Self::LocalOther => {
                Blame::ThisMachine
            }
        }
    }

    /// Whether the call ended at a deadline of its own.
    #[must_use]
    #[inline]
    pub const fn is_timeout(self) -> bool {
        matches!(self, Self::ResponseTimeout | Self::ConnectTimeout | Self::TlsTimeout)
    }

    /// Whether the call ended without a complete reply, neither at its deadline nor by the end of the run.
    #[must_use]
    #[inline]
    pub const fn is_failure(self) -> bool {
        !matches!(self, Self::Completed | Self::Unfinished) && !self.is_timeout()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_index() {
        for (place, (outcome, name, _)) in TABLE.iter().enumerate() {
            assert_eq!(outcome.index(), place, "{name}");
            assert_eq!(Outcome::from_name(name), Some(*outcome));
        }
    }

    #[test]
    fn every_outcome_is_exactly_one_of_completed_failed_timed_out_and_unfinished() {
        for outcome in Outcome::all() {
            let kinds = [
                outcome == Outcome::Completed,
                outcome.is_failure(),
                outcome.is_timeout(),
                outcome == Outcome::Unfinished,
            ];
            assert_eq!(kinds.iter().filter(|yes| **yes).count(), 1, "{}", outcome.name());
        }
    }

    #[test]
    fn a_name_that_is_not_in_the_list_is_no_outcome() {
        assert_eq!(Outcome::from_name("exploded"), None);
    }
}
