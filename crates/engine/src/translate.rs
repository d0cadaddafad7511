//! Translates errors of driver, protocol and TLS to outcomes.

use warwolf_driver::SocketError;
use warwolf_http::{Cause, TlsFailure, Version, Violation};
use warwolf_measure::{Outcome, ProxyKind, TlsKind, ViolationKind};
use warwolf_plan::HttpVersion;

/// Whether the cause of an error is on this machine, so that another address would not help.
pub(crate) fn is_local(error: SocketError) -> bool {
    matches!(
        error,
        SocketError::NoFiles | SocketError::NoPorts | SocketError::NoBuffers | SocketError::Denied
    )
}

/// The HTTP version of a status line.
pub(crate) fn version(version: Version) -> HttpVersion {
    match version {
        Version::Http10 => HttpVersion::Http10,
        Version::Http11 => HttpVersion::Http11,
    }
}

/// The outcome of calls whose connection did not open.
pub(crate) fn connect_error(error: SocketError) -> Outcome {
    match error {
        SocketError::Refused | SocketError::NoSuchPath => Outcome::Refused,
        SocketError::Reset => Outcome::Reset,
        SocketError::Unreachable => Outcome::Unreachable,
        SocketError::TimedOut => Outcome::ConnectTimeout,
        SocketError::NoFiles => Outcome::NoFiles,
        SocketError::NoPorts => Outcome::NoPorts,
        SocketError::NoBuffers => Outcome::NoBuffers,
        SocketError::Denied => Outcome::Denied,
        SocketError::Other(_) => Outcome::LocalOther,
    }
}

/// The outcome of a call that the protocol gave up.
pub(crate) fn cause(cause: Cause) -> Outcome {
    match cause {
        Cause::ClosedBeforeReply | Cause::Retired => Outcome::Closed,
        Cause::ClosedMidReply => Outcome::ClosedMidReply,
        Cause::Violation(violation) => Outcome::Violation(kind(violation)),
    }
}

fn kind(violation: Violation) -> ViolationKind {
    match violation {
        Violation::BadStatusLine => ViolationKind::BadStatusLine,
        Violation::BadHeader => ViolationKind::BadHeader,
        Violation::HeadTooLong => ViolationKind::HeadTooLong,
        Violation::TooManyHeaders => ViolationKind::TooManyHeaders,
        Violation::BadContentLength => ViolationKind::BadContentLength,
        Violation::ConflictingLengths => ViolationKind::ConflictingLengths,
        Violation::BadChunkSize => ViolationKind::BadChunkSize,
        Violation::BadChunkEnd => ViolationKind::BadChunkEnd,
        Violation::UnexpectedBytes => ViolationKind::UnexpectedBytes,
        Violation::UnsupportedTransferCoding => ViolationKind::UnsupportedTransferCoding,
    }
}

/// The outcome of calls whose tunnel the proxy refused with `status`.
pub(crate) fn proxy_refusal(status: u16) -> Outcome {
    Outcome::Proxy(match status {
        403 => ProxyKind::Forbidden,
        407 => ProxyKind::AuthenticationRequired,
        502 => ProxyKind::BadGateway,
        503 => ProxyKind::Unavailable,
        504 => ProxyKind::GatewayTimeout,
        _ => ProxyKind::Other,
    })
}

/// The outcome of calls whose TLS session failed.
pub(crate) fn tls_failure(failure: TlsFailure) -> Outcome {
    Outcome::Tls(match failure {
        TlsFailure::UnknownIssuer => TlsKind::UnknownIssuer,
        TlsFailure::Expired => TlsKind::Expired,
        TlsFailure::NotYetValid => TlsKind::NotYetValid,
        TlsFailure::NameMismatch => TlsKind::NameMismatch,
        TlsFailure::Revoked => TlsKind::Revoked,
        TlsFailure::BadCertificate => TlsKind::BadCertificate,
        TlsFailure::AlertReceived(_) => TlsKind::Alert,
        TlsFailure::NoSharedVersion => TlsKind::NoSharedVersion,
        TlsFailure::NoSharedCipher => TlsKind::NoSharedCipher,
        TlsFailure::NoSharedProtocol => TlsKind::NoSharedProtocol,
        TlsFailure::NotTls => TlsKind::NotTls,
        TlsFailure::ClientCertRequired => TlsKind::ClientCertRequired,
        TlsFailure::Truncated => TlsKind::Truncated,
        TlsFailure::Other => TlsKind::Other,
    })
}
