//! Our client against rustls's server, in memory.

use super::*;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    date_time_ymd,
};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, SupportedProtocolVersion, version};
use std::io::{Read as _, Write as _};

const NAME: &str = "server.test";

/// One that issues certificates.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn pem(&self) -> Vec<u8> {
        self.0.pem().into_bytes()
    }

    /// A certificate for these names and its key, changed as the test needs.
    fn issue(&self, names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Identity {
        let key = KeyPair::generate().unwrap();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        change(&mut params);
        Identity { certificate: params.signed_by(&key, &self.0).unwrap(), key }
    }

    fn store(&self) -> RootCertStore {
        let mut store = RootCertStore::empty();
        store.add(self.0.der().clone()).unwrap();
        store
    }
}

struct Identity {
    certificate: rcgen::Certificate,
    key: KeyPair,
}

impl Identity {
    fn pem(&self) -> (Vec<u8>, Vec<u8>) {
        (self.certificate.pem().into_bytes(), self.key.serialize_pem().into_bytes())
    }
}

/// What a server is configured with.
struct Server<'a> {
    identity: &'a Identity,
    versions: &'a [&'static SupportedProtocolVersion],
    clients: Option<&'a Authority>,
    alpn: &'a [&'a [u8]],
}

impl<'a> Server<'a> {
    fn of(identity: &'a Identity) -> Self {
        Self { identity, versions: rustls::ALL_VERSIONS, clients: None, alpn: &[] }
    }

    fn config(&self) -> Arc<ServerConfig> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(self.versions)
            .unwrap();
        let builder = match self.clients {
            None => builder.with_no_client_auth(),
            Some(authority) => builder.with_client_cert_verifier(
                WebPkiClientVerifier::builder_with_provider(Arc::new(authority.store()), provider)
                    .build()
                    .unwrap(),
            ),
        };
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(self.identity.key.serialize_der()));
        let mut config =
            builder.with_single_cert(vec![self.identity.certificate.der().clone()], key).unwrap();
        config.ticketer = rustls::crypto::aws_lc_rs::Ticketer::new().unwrap();
        config.alpn_protocols = self.alpn.iter().map(|protocol| protocol.to_vec()).collect();
        Arc::new(config)
    }
}

fn trusting(authority: &Authority) -> TlsOptions {
    TlsOptions { verify: Verify::Roots(authority.pem()), ..TlsOptions::default() }
}

/// A client and a server with nothing between them but these bytes.
struct Pair {
    client: TlsClient,
    server: ServerConnection,
    /// What the client received, decrypted.
    plain: Vec<u8>,
    /// What the server received, decrypted.
    heard: Vec<u8>,
    /// In which pieces the client gets what the server sends.
    piece: usize,
}

impl Pair {
    fn new(config: &TlsConfig, server: &Arc<ServerConfig>) -> Self {
        let client = TlsClient::new(config, NAME).unwrap();
        Self {
            client,
            server: ServerConnection::new(Arc::clone(server)).unwrap(),
            plain: Vec::new(),
            heard: Vec::new(),
            piece: usize::MAX,
        }
    }

    /// Passes bytes to and fro, beginning with `out` from the client, until both are silent.
    fn exchange(&mut self, mut out: Vec<u8>) -> Result<(), TlsFailure> {
        loop {
            let mut sent = out.as_slice();
            while !sent.is_empty() {
                self.server.read_tls(&mut sent).unwrap();
                // An error here has its alert in what the server sends.
                if let Ok(state) = self.server.process_new_packets() {
                    let start = self.heard.len();
                    self.heard.resize(start + state.plaintext_bytes_to_read(), 0);
                    self.server.reader().read_exact(&mut self.heard[start..]).unwrap();
                }
            }
            out.clear();
            let mut answer = Vec::new();
            while self.server.wants_write() {
                self.server.write_tls(&mut answer).unwrap();
            }
            if answer.is_empty() {
                return Ok(());
            }
            for piece in answer.chunks(self.piece.min(answer.len())) {
                self.client.receive(piece, &mut self.plain, &mut out)?;
            }
        }
    }

    fn handshake(&mut self) -> Result<(), TlsFailure> {
        let mut out = Vec::new();
        self.client.start(&mut out);
        self.exchange(out)
    }

    /// The client says something and hears what the server makes of it: the same twice.
    fn echo(&mut self, text: &[u8]) {
        let mut out = Vec::new();
        self.client.send(text, &mut out).unwrap();
        self.exchange(out).unwrap();
        assert_eq!(self.heard, text);
        self.server.set_buffer_limit(None);
        self.server.writer().write_all(&[text, text].concat()).unwrap();
        self.exchange(Vec::new()).unwrap();
        assert_eq!(self.plain, [text, text].concat());
        self.plain.clear();
        self.heard.clear();
    }
}

#[test]
fn a_handshake_then_data_both_ways_for_each_version_whatever_the_pieces() {
    let authority = Authority::new("a");
    let identity = authority.issue(&[NAME], |_| {});
    let server = Server { alpn: &[b"http/1.1"], ..Server::of(&identity) }.config();
    for version in [TlsVersion::V12, TlsVersion::V13] {
        for piece in [usize::MAX, 1, 2, 7, 1000] {
            let options = TlsOptions {
                min: version,
                max: version,
                alpn: vec![b"h2".to_vec(), b"http/1.1".to_vec()],
                ..trusting(&authority)
            };
            let mut pair = Pair::new(&TlsConfig::new(&options).unwrap(), &server);
            pair.piece = piece;
            assert!(pair.client.handshaking());
            pair.handshake().unwrap();
            assert!(!pair.client.handshaking());
            assert_eq!(pair.client.version(), Some(version));
            assert_eq!(pair.client.alpn(), Some(&b"http/1.1"[..]));
            assert!(!pair.client.resumed());
            pair.echo(b"hello");
            pair.echo(&[7; 50_000]);
        }
    }
}

#[test]
fn a_second_connection_resumes_the_first_unless_told_not_to() {
    let authority = Authority::new("a");
    let identity = authority.issue(&[NAME], |_| {});
    for version in [TlsVersion::V12, TlsVersion::V13] {
        for resumption in [true, false] {
            let server = Server::of(&identity).config();
            let options = TlsOptions { min: version, max: version, resumption, ..trusting(&authority) };
            let config = TlsConfig::new(&options).unwrap();
            let resumed: Vec<bool> = (0..3)
                .map(|_| {
                    let mut pair = Pair::new(&config, &server);
                    pair.handshake().unwrap();
                    pair.echo(b"x");
                    pair.client.resumed()
                })
                .collect();
            assert_eq!(resumed, [false, resumption, resumption], "{version:?}");
        }
    }
}

/// What comes of a handshake with a server that has this identity.
fn outcome(options: &TlsOptions, identity: &Identity) -> Result<(), TlsFailure> {
    Pair::new(&TlsConfig::new(options).unwrap(), &Server::of(identity).config()).handshake()
}

#[test]
fn a_bad_certificate_is_named_for_what_is_bad_about_it() {
    let authority = Authority::new("a");
    let options = trusting(&authority);
    let bad = [
        (authority.issue(&["other.test"], |_| {}), TlsFailure::NameMismatch),
        (
            authority.issue(&[NAME], |params| params.not_after = date_time_ymd(2001, 1, 1)),
            TlsFailure::Expired,
        ),
        (
            authority.issue(&[NAME], |params| params.not_before = date_time_ymd(2999, 1, 1)),
            TlsFailure::NotYetValid,
        ),
        (Authority::new("b").issue(&[NAME], |_| {}), TlsFailure::UnknownIssuer),
        (
            authority.issue(&[NAME], |params| {
                params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
            }),
            TlsFailure::BadCertificate,
        ),
    ];
    for (identity, failure) in bad {
        assert_eq!(outcome(&options, &identity), Err(failure));
        assert_eq!(outcome(&TlsOptions { verify: Verify::None, ..TlsOptions::default() }, &identity), Ok(()));
    }
}

#[test]
fn a_server_that_wants_a_certificate_gets_ours_or_fails_for_it() {
    let authority = Authority::new("a");
    let server_identity = authority.issue(&[NAME], |_| {});
    let client_identity =
        authority.issue(&[], |params| params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth]);
    for versions in [&[&version::TLS12], &[&version::TLS13]] {
        let server = Server { clients: Some(&authority), versions, ..Server::of(&server_identity) }.config();
        let without = TlsConfig::new(&trusting(&authority)).unwrap();
        assert_eq!(Pair::new(&without, &server).handshake(), Err(TlsFailure::ClientCertRequired));
        let options = TlsOptions { client_cert: Some(client_identity.pem()), ..trusting(&authority) };
        let mut pair = Pair::new(&TlsConfig::new(&options).unwrap(), &server);
        pair.handshake().unwrap();
        pair.echo(b"hello");
    }
}
