//! TLS 1.2 and 1.3 for one client connection: bytes of records in, plain bytes out, and the other way round.
//!
//! rustls implements the protocol; this module wraps its buffers and translates its errors. It opens no socket. From the
//! machine it takes only the date, against which rustls checks certificates.

mod cipher;
mod config;
mod failure;
mod store;
#[cfg(test)]
mod tests;
mod verify;

pub use config::{TlsConfig, TlsConfigError, TlsOptions, TlsVersion, Verify};
pub use failure::TlsFailure;

use config::Asked;
use rustls::client::UnbufferedClientConnection;
use rustls::pki_types::ServerName;
use rustls::unbuffered::{ConnectionState, EncodeError, EncryptError, InsufficientSizeError};
use rustls::{Error, HandshakeKind};
use std::fmt;
use std::sync::Arc;

/// The client's side of one TLS connection.
pub struct TlsClient {
    connection: UnbufferedClientConnection,
    asked: Arc<Asked>,
    /// Records that are not complete.
    incoming: Vec<u8>,
    /// A TLS record of the server was received.
    begun: bool,
    /// The server requested a certificate and none is configured.
    unidentified: bool,
    peer_closed: bool,
    /// Why the connection cannot go on.
    failure: Option<TlsFailure>,
}

impl TlsClient {
    /// A connection to the server of this name, which is sent as SNI and must be in the certificate. IP addresses, with or
    /// without brackets, are not sent.
    ///
    /// # Errors
    /// [`TlsFailure::NameMismatch`] for a name that no certificate can contain; [`TlsFailure::Other`] when this machine has no
    /// randomness.
    pub fn new(config: &TlsConfig, name: &str) -> Result<Self, TlsFailure> {
        let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let name = ServerName::try_from(name).map_err(|_| TlsFailure::NameMismatch)?.to_owned();
        let connection = UnbufferedClientConnection::new(Arc::clone(&config.rustls), name)
            .map_err(|_| TlsFailure::Other)?;
        Ok(Self {
            connection,
            asked: Arc::clone(&config.asked),
            incoming: Vec::new(),
            begun: false,
            unidentified: false,
            peer_closed: false,
            failure: None,
        })
    }

    /// Appends the first message of the handshake to `out`.
    pub fn start(&mut self, out: &mut Vec<u8>) {
        // Nothing of the server is read, so that only our own encoding could fail, which does not.
        let _ = self.turn(&mut Vec::new(), out);
    }

    /// Takes bytes from the server, and appends decrypted bytes to `plain` and responses to `out`.
    ///
    /// # Errors
    /// The connection cannot continue. An alert for the server may have been appended to `out`, and bytes received before the
    /// failure to `plain`.
    pub fn receive(
        &mut self,
        cipher: &[u8],
        plain: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<(), TlsFailure> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if self.peer_closed {
            return Ok(());
        }
        if !self.begun {
            // The first record of a server is a handshake record or an alert (RFC 8446 section 5.1).
            match cipher.first() {
                Some(0x15 | 0x16) => self.begun = true,
                Some(_) => {
                    self.failure = Some(TlsFailure::NotTls);
                    return Err(TlsFailure::NotTls);
                }
                None => return Ok(()),
            }
        }
        self.incoming.extend_from_slice(cipher);
        let handshaking = self.handshaking();
        let asked = self.asked.count();
        let result = self.turn(plain, out);
        if handshaking && self.asked.count() != asked {
            self.unidentified = true;
        }
        if self.incoming.is_empty() && self.incoming.capacity() > INCOMING_KEPT {
            self.incoming = Vec::new();
        }
        result.map_err(|error| {
            let failure = failure::of(&error, self.version().is_some(), self.unidentified);
            self.failure = Some(failure);
            self.incoming = Vec::new();
            self.last_words(out);
            failure
        })
    }

    /// Appends `plain`, encrypted, to `out`.
    ///
    /// # Errors
    /// [`TlsFailure::Other`] while the handshake is under way, after [`close_notify`](Self::close_notify), and when the
    /// keys are used up.
    pub fn send(&mut self, plain: &[u8], out: &mut Vec<u8>) -> Result<(), TlsFailure> {
        self.write(plain.len(), out, |traffic, space| traffic.encrypt(plain, space))
    }

    /// Appends a `close_notify` to `out`; nothing when it cannot be sent any more.
    pub fn close_notify(&mut self, out: &mut Vec<u8>) {
        let _ = self.write(2, out, |traffic, space| traffic.queue_close_notify(space));
    }

    /// Whether the handshake is still under way. Afterwards application data may be sent.
    #[must_use]
    pub fn handshaking(&self) -> bool {
        self.connection.is_handshaking()
    }

    /// Whether the handshake resumed an earlier session.
    #[must_use]
    pub fn resumed(&self) -> bool {
        self.connection.handshake_kind() == Some(HandshakeKind::Resumed)
    }

    /// The version agreed on, once it is.
    #[must_use]
    pub fn version(&self) -> Option<TlsVersion> {
        match self.connection.protocol_version()? {
            rustls::ProtocolVersion::TLSv1_2 => Some(TlsVersion::V12),
            rustls::ProtocolVersion::TLSv1_3 => Some(TlsVersion::V13),
            _ => None,
        }
    }

    /// The IANA name of the cipher suite agreed on, once it is.
    #[must_use]
    pub fn cipher(&self) -> Option<&'static str> {
        cipher::name(self.connection.negotiated_cipher_suite()?.suite())
    }

    /// The application protocol agreed on (RFC 7301).
    #[must_use]
    pub fn alpn(&self) -> Option<&[u8]> {
        self.connection.alpn_protocol()
    }

    /// Whether the server sent `close_notify`. Bytes behind that are ignored.
    #[must_use]
    pub fn peer_closed(&self) -> bool {
        self.peer_closed
    }

    /// Notes that the TCP connection ended. Without a `close_notify` the received bytes may be incomplete (RFC 8446 section
    /// 6.1), but many servers send none.
    ///
    /// # Errors
    /// [`TlsFailure::Truncated`].
    pub fn finish(&self) -> Result<(), TlsFailure> {
        if self.peer_closed { Ok(()) } else { Err(TlsFailure::Truncated) }
    }

    /// Processes the received records until more bytes are needed.
    fn turn(&mut self, plain: &mut Vec<u8>, out: &mut Vec<u8>) -> Result<(), Error> {
        let mut used = 0;
        let result = loop {
            let status = self.connection.process_tls_records(&mut self.incoming[used..]);
            let mut discard = status.discard;
            let more = match status.state {
                Err(error) => Err(error),
                Ok(ConnectionState::ReadTraffic(mut traffic)) => loop {
                    match traffic.next_record() {
                        Some(Ok(record)) => {
                            discard += record.discard;
                            plain.extend_from_slice(record.payload);
                        }
                        Some(Err(error)) => break Err(error),
                        None => break Ok(true),
                    }
                },
                Ok(ConnectionState::EncodeTlsData(mut message)) => {
                    append(out, 0, |space| message.encode(space).map_err(missing)).map(|()| true)
                }
                Ok(ConnectionState::TransmitTlsData(message)) => {
                    message.done();
                    Ok(true)
                }
                Ok(ConnectionState::PeerClosed) => {
                    self.peer_closed = true;
                    Ok(true)
                }
                Ok(_) => Ok(false),
            };
            used += discard;
            match more {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.incoming.drain(..used);
        result
    }

    /// Appends the alert that a failure left, if there is one. Received records are not read again: rustls encodes its alert
    /// before that.
    fn last_words(&mut self, out: &mut Vec<u8>) {
        while self.connection.wants_write() {
            match self.connection.process_tls_records(&mut []).state {
                Ok(ConnectionState::EncodeTlsData(mut message)) => {
                    let _ = append(out, 0, |space| message.encode(space).map_err(missing));
                }
                _ => return,
            }
        }
    }

    /// Lets `encode` write application data or an alert with `size` bytes of content.
    fn write(
        &mut self,
        size: usize,
        out: &mut Vec<u8>,
        mut encode: impl FnMut(&mut Traffic<'_>, &mut [u8]) -> Result<usize, EncryptError>,
    ) -> Result<(), TlsFailure> {
        if self.failure.is_some() {
            return Err(TlsFailure::Other);
        }
        loop {
            match self.connection.process_tls_records(&mut self.incoming).state {
                Ok(ConnectionState::WriteTraffic(mut traffic)) => {
                    let expected = size + (size / RECORD_MAX + 1) * RECORD_OVERHEAD;
                    return append(out, expected, |space| encode(&mut traffic, space).map_err(exhausted))
                        .map_err(|_| TlsFailure::Other);
                }
                Ok(ConnectionState::EncodeTlsData(mut message)) => {
                    append(out, 0, |space| message.encode(space).map_err(missing))
                        .map_err(|_| TlsFailure::Other)?;
                }
                Ok(ConnectionState::TransmitTlsData(message)) => message.done(),
                _ => return Err(TlsFailure::Other),
            }
        }
    }
}

impl fmt::Debug for TlsClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsClient")
            .field("version", &self.version())
            .field("cipher", &self.cipher())
            .field("handshaking", &self.handshaking())
            .field("peer_closed", &self.peer_closed)
            .finish_non_exhaustive()
    }
}

/// The state in which application data can be written.
type Traffic<'c> = rustls::unbuffered::WriteTraffic<'c, rustls::client::ClientConnectionData>;

/// The most content of one record, in bytes (RFC 8446 section 5.1).
const RECORD_MAX: usize = 16_384;

/// The most bytes a record has besides its content: header, explicit nonce, content type, tag.
const RECORD_OVERHEAD: usize = 5 + 8 + 1 + 16;

/// Memory that a connection keeps for the next incomplete record, in bytes.
const INCOMING_KEPT: usize = 4096;

/// Appends to `out` what `encode` writes. `expected` is an estimate of its size; when the space is too small, `encode` returns
/// the size it needs and is called again.
fn append(
    out: &mut Vec<u8>,
    expected: usize,
    mut encode: impl FnMut(&mut [u8]) -> Result<usize, Short>,
) -> Result<(), Error> {
    let start = out.len();
    out.resize(start + expected, 0);
    loop {
        match encode(&mut out[start..]) {
            Ok(size) => {
                out.truncate(start + size);
                return Ok(());
            }
            Err(Short::Needs(size)) if size > out.len() - start => out.resize(start + size, 0),
            Err(_) => {
                out.truncate(start);
                return Err(Error::EncryptError);
            }
        }
    }
}

/// Why something could not be written.
enum Short {
    /// The space was too small; this many bytes are needed.
    Needs(usize),
    /// It cannot be written.
    Never,
}

fn missing(error: EncodeError) -> Short {
    match error {
        EncodeError::InsufficientSize(InsufficientSizeError { required_size }) => Short::Needs(required_size),
        EncodeError::AlreadyEncoded => Short::Never,
    }
}

fn exhausted(error: EncryptError) -> Short {
    match error {
        EncryptError::InsufficientSize(InsufficientSizeError { required_size }) => {
            Short::Needs(required_size)
        }
        EncryptError::EncryptExhausted => Short::Never,
    }
}
