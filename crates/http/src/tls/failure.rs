//! Why TLS failed, as a closed list, and the translation of the errors of rustls.

use rustls::{AlertDescription, CertificateError, Error, PeerIncompatible};
use std::fmt;

/// Why a TLS connection failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TlsFailure {
    /// The certificate of the server was not issued by a trusted root.
    UnknownIssuer,
    /// The server's certificate is no longer valid.
    Expired,
    /// The server's certificate is not yet valid.
    NotYetValid,
    /// The server's certificate is for another name.
    NameMismatch,
    /// The server's certificate was revoked.
    Revoked,
    /// The server's certificate is unusable for another reason: malformed, badly signed, for another purpose.
    BadCertificate,
    /// The server ended the connection with this alert (RFC 8446 section 6).
    AlertReceived(u8),
    /// The server supports none of the TLS versions that were offered.
    NoSharedVersion,
    /// The server supports none of the cipher suites, groups or signatures that were offered.
    NoSharedCipher,
    /// The server accepts none of the application protocols that were offered (RFC 7301 section 3.2).
    NoSharedProtocol,
    /// The bytes received are not TLS.
    NotTls,
    /// The server requires a client certificate, and none was sent.
    ClientCertRequired,
    /// The connection ended in the middle.
    Truncated,
    /// Anything else that breaks the protocol, such as a record that does not decrypt.
    Other,
}

impl fmt::Display for TlsFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownIssuer => "the certificate's issuer is not trusted",
            Self::Expired => "the certificate has expired",
            Self::NotYetValid => "the certificate is not yet valid",
            Self::NameMismatch => "the certificate is for another name",
            Self::Revoked => "the certificate was revoked",
            Self::BadCertificate => "the certificate is unusable",
            Self::AlertReceived(code) => return write!(f, "the server sent alert {code}"),
            Self::NoSharedVersion => "no TLS version in common",
            Self::NoSharedCipher => {
                "no cipher suite or signature algorithm in common (keys on P-521 are not supported)"
            }
            Self::NoSharedProtocol => "no application protocol in common",
            Self::NotTls => "the server does not speak TLS",
            Self::ClientCertRequired => "the server requires a client certificate",
            Self::Truncated => "the connection ended in the middle",
            Self::Other => "TLS protocol error",
        })
    }
}

impl std::error::Error for TlsFailure {}

/// Translates an error of rustls. `agreed`: the version had been agreed on. `unidentified`: the server had requested a
/// certificate and none was sent.
pub(super) fn of(error: &Error, agreed: bool, unidentified: bool) -> TlsFailure {
    match error {
        Error::InvalidCertificate(error) => certificate(error),
        Error::NoCertificatesPresented => TlsFailure::BadCertificate,
        Error::AlertReceived(alert) => received(*alert, agreed, unidentified),
        Error::PeerIncompatible(reason) => match reason {
            PeerIncompatible::ServerDoesNotSupportTls12Or13
            | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig
            | PeerIncompatible::SupportedVersionsExtensionRequired
            | PeerIncompatible::Tls12NotOffered
            | PeerIncompatible::Tls12NotOfferedOrEnabled => TlsFailure::NoSharedVersion,
            PeerIncompatible::NoCipherSuitesInCommon
            | PeerIncompatible::NoKxGroupsInCommon
            | PeerIncompatible::NoSignatureSchemesInCommon
            | PeerIncompatible::NoEcPointFormatsInCommon => TlsFailure::NoSharedCipher,
            _ => TlsFailure::Other,
        },
        _ => TlsFailure::Other,
    }
}

fn certificate(error: &CertificateError) -> TlsFailure {
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => TlsFailure::Expired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            TlsFailure::NotYetValid
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            TlsFailure::NameMismatch
        }
        CertificateError::UnknownIssuer => TlsFailure::UnknownIssuer,
        CertificateError::Revoked => TlsFailure::Revoked,
        // Such as a certificate with a key on P-521, which `ring` does not support.
        CertificateError::UnsupportedSignatureAlgorithmContext { .. }
        | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            TlsFailure::NoSharedCipher
        }
        _ => TlsFailure::BadCertificate,
    }
}

/// Translates an alert. Servers send `handshake_failure` both for a missing certificate in TLS 1.2 and when no cipher suite is
/// shared, so the course of the handshake decides.
fn received(alert: AlertDescription, agreed: bool, unidentified: bool) -> TlsFailure {
    match alert {
        AlertDescription::CertificateRequired => TlsFailure::ClientCertRequired,
        AlertDescription::HandshakeFailure | AlertDescription::BadCertificate if unidentified => {
            TlsFailure::ClientCertRequired
        }
        AlertDescription::HandshakeFailure if !agreed => TlsFailure::NoSharedCipher,
        AlertDescription::InsufficientSecurity => TlsFailure::NoSharedCipher,
        AlertDescription::NoApplicationProtocol => TlsFailure::NoSharedProtocol,
        AlertDescription::ProtocolVersion => TlsFailure::NoSharedVersion,
        other => TlsFailure::AlertReceived(other.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_not_supported_is_nothing_in_common() {
        let (signature_algorithm_id, public_key_algorithm_id) = (Vec::new(), Vec::new());
        let error = CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext {
            signature_algorithm_id,
            public_key_algorithm_id,
        };
        assert_eq!(of(&Error::InvalidCertificate(error), true, false), TlsFailure::NoSharedCipher);
    }
}
