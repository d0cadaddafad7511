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
        let provider = Arc::new(rustls::crypto::ring::default_provider());
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
        config.ticketer = rustls::crypto::ring::Ticketer::new().unwrap();
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
fn an_authority_that_is_its_own_server_is_trusted_when_it_is_named_and_has_the_right_name() {
    let of = |name: &str| {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Identity { certificate: params.self_signed(&key).unwrap(), key }
    };
    let roots =
        |identity: &Identity| TlsOptions { verify: Verify::Roots(identity.pem().0), ..TlsOptions::default() };
    let (good, other) = (of(NAME), of("other.test"));
    assert_eq!(outcome(&roots(&good), &good), Ok(()));
    assert_eq!(outcome(&roots(&other), &good), Err(TlsFailure::UnknownIssuer));
    assert_eq!(outcome(&roots(&other), &other), Err(TlsFailure::NameMismatch));
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

#[test]
fn a_client_certificate_is_not_sent_to_a_server_that_does_not_ask() {
    let authority = Authority::new("a");
    let options =
        TlsOptions { client_cert: Some(authority.issue(&[], |_| {}).pem()), ..trusting(&authority) };
    assert_eq!(outcome(&options, &authority.issue(&[NAME], |_| {})), Ok(()));
}

#[test]
fn an_address_is_a_name_too() {
    let authority = Authority::new("a");
    let config = TlsConfig::new(&trusting(&authority)).unwrap();
    let server = Server::of(&authority.issue(&["127.0.0.1", "::1"], |_| {})).config();
    for (name, expected) in [
        ("127.0.0.1", Ok(())),
        ("::1", Ok(())),
        ("[::1]", Ok(())),
        ("127.0.0.2", Err(TlsFailure::NameMismatch)),
        (NAME, Err(TlsFailure::NameMismatch)),
    ] {
        let mut pair = Pair::new(&config, &server);
        pair.client = TlsClient::new(&config, name).unwrap();
        assert_eq!(pair.handshake(), expected, "{name}");
    }
    assert_eq!(TlsClient::new(&config, "no name").err(), Some(TlsFailure::NameMismatch));
}

#[test]
fn versions_and_suites_that_do_not_meet_are_told_apart() {
    let authority = Authority::new("a");
    let identity = authority.issue(&[NAME], |_| {});
    let table: [(&[&SupportedProtocolVersion], TlsVersion, TlsFailure); 2] = [
        (&[&version::TLS12], TlsVersion::V13, TlsFailure::NoSharedVersion),
        (&[&version::TLS13], TlsVersion::V12, TlsFailure::NoSharedVersion),
    ];
    for (versions, ours, failure) in table {
        let server = Server { versions, ..Server::of(&identity) }.config();
        let options = TlsOptions { min: ours, max: ours, ..trusting(&authority) };
        assert_eq!(
            Pair::new(&TlsConfig::new(&options).unwrap(), &server).handshake(),
            Err(failure),
            "{ours:?}"
        );
    }
    // The server's key is ECDSA; a suite for RSA alone cannot be agreed on.
    let options =
        TlsOptions { ciphers: vec!["ECDHE-RSA-AES128-GCM-SHA256".to_owned()], ..trusting(&authority) };
    assert_eq!(outcome(&options, &identity), Err(TlsFailure::NoSharedCipher));
}

#[test]
fn the_suite_asked_for_is_the_one_used_by_either_name() {
    let authority = Authority::new("a");
    let server = Server::of(&authority.issue(&[NAME], |_| {})).config();
    for (name, iana) in [
        ("tls_chacha20_poly1305_sha256", "TLS_CHACHA20_POLY1305_SHA256"),
        ("TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256"),
        ("ECDHE-ECDSA-AES256-GCM-SHA384", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
        ("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
    ] {
        let options = TlsOptions { ciphers: vec![name.to_owned()], ..trusting(&authority) };
        let mut pair = Pair::new(&TlsConfig::new(&options).unwrap(), &server);
        assert_eq!(pair.client.cipher(), None);
        pair.handshake().unwrap();
        assert_eq!(pair.client.cipher(), Some(iana));
        pair.echo(b"hello");
    }
}

#[test]
fn what_is_not_tls_is_said_to_be_so_at_once() {
    let authority = Authority::new("a");
    let config = TlsConfig::new(&trusting(&authority)).unwrap();
    for bytes in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"H", b"SSH-2.0-x\r\n", b"\x00\x00", b"\x80\x2e"]
    {
        let mut client = TlsClient::new(&config, NAME).unwrap();
        let (mut plain, mut out) = (Vec::new(), Vec::new());
        client.start(&mut out);
        assert_eq!(client.receive(bytes, &mut plain, &mut out), Err(TlsFailure::NotTls));
    }
}

#[test]
fn an_alert_is_reported_by_its_number_unless_it_has_a_name() {
    let authority = Authority::new("a");
    let config = TlsConfig::new(&trusting(&authority)).unwrap();
    for (code, failure) in [
        (40, TlsFailure::NoSharedCipher),
        (70, TlsFailure::NoSharedVersion),
        (71, TlsFailure::NoSharedCipher),
        (80, TlsFailure::AlertReceived(80)),
        (112, TlsFailure::AlertReceived(112)),
        (120, TlsFailure::NoSharedProtocol),
        (116, TlsFailure::ClientCertRequired),
    ] {
        for piece in [1, 7] {
            let mut client = TlsClient::new(&config, NAME).unwrap();
            let (mut plain, mut out) = (Vec::new(), Vec::new());
            client.start(&mut out);
            let record = [0x15, 3, 3, 0, 2, 2, code];
            let result =
                record.chunks(piece).try_for_each(|piece| client.receive(piece, &mut plain, &mut out));
            assert_eq!(result, Err(failure), "{code}");
        }
    }
}

#[test]
fn records_that_were_tampered_with_fail_and_tell_the_server_why() {
    let authority = Authority::new("a");
    let server = Server::of(&authority.issue(&[NAME], |_| {})).config();
    for version in [TlsVersion::V12, TlsVersion::V13] {
        let options = TlsOptions { min: version, max: version, ..trusting(&authority) };
        let mut pair = Pair::new(&TlsConfig::new(&options).unwrap(), &server);
        pair.handshake().unwrap();
        pair.server.writer().write_all(b"hello").unwrap();
        let mut answer = Vec::new();
        pair.server.write_tls(&mut answer).unwrap();
        *answer.last_mut().unwrap() ^= 1;
        let mut out = Vec::new();
        assert_eq!(pair.client.receive(&answer, &mut pair.plain, &mut out), Err(TlsFailure::Other));
        assert_eq!(pair.plain, b"");
        assert!(!out.is_empty(), "an alert is owed");
        assert_eq!(pair.client.receive(&answer, &mut pair.plain, &mut out), Err(TlsFailure::Other));
        assert_eq!(pair.client.send(b"x", &mut out), Err(TlsFailure::Other));
    }
}

#[test]
fn random_bytes_in_place_of_the_servers_never_do_more_than_fail() {
    let authority = Authority::new("a");
    let config = TlsConfig::new(&trusting(&authority)).unwrap();
    let server = Server::of(&authority.issue(&[NAME], |_| {})).config();
    for seed in 0..400_u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = |bound: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % bound as u64) as usize
        };
        let mut pair = Pair::new(&config, &server);
        let mut out = Vec::new();
        pair.client.start(&mut out);
        pair.server.read_tls(&mut out.as_slice()).unwrap();
        pair.server.process_new_packets().unwrap();
        let mut answer = Vec::new();
        while pair.server.wants_write() {
            pair.server.write_tls(&mut answer).unwrap();
        }
        let sent = answer.clone();
        // The version in the header of a record means nothing (RFC 8446 section 5.1).
        let mut versions = Vec::new();
        let mut at = 0;
        while at < sent.len() {
            versions.extend([at + 1, at + 2]);
            at += 5 + usize::from(u16::from_be_bytes([sent[at + 3], sent[at + 4]]));
        }
        for _ in 0..=random(3) {
            let at = random(answer.len());
            answer[at] = random(256) as u8;
        }
        let piece = 1 + random(answer.len());
        let result =
            answer.chunks(piece).try_for_each(|piece| pair.client.receive(piece, &mut pair.plain, &mut out));
        let changed: Vec<usize> = (0..sent.len()).filter(|at| sent[*at] != answer[*at]).collect();
        let is_complete = result.is_ok() && !pair.client.handshaking();
        let may_be_complete = changed.iter().all(|at| versions.contains(at));
        assert!(may_be_complete || !is_complete, "seed {seed}: {changed:?}");
        assert!(is_complete || !changed.is_empty(), "seed {seed}");
        assert_eq!(pair.plain, b"", "seed {seed}");
    }
}

#[test]
fn each_side_can_say_that_it_is_done() {
    let authority = Authority::new("a");
    let server = Server::of(&authority.issue(&[NAME], |_| {})).config();
    for version in [TlsVersion::V12, TlsVersion::V13] {
        let options = TlsOptions { min: version, max: version, ..trusting(&authority) };
        let mut pair = Pair::new(&TlsConfig::new(&options).unwrap(), &server);
        pair.handshake().unwrap();
        assert_eq!(pair.client.finish(), Err(TlsFailure::Truncated));
        pair.server.writer().write_all(b"last words").unwrap();
        pair.server.send_close_notify();
        assert!(!pair.client.peer_closed());
        pair.exchange(Vec::new()).unwrap();
        assert_eq!(pair.plain, b"last words");
        assert!(pair.client.peer_closed());
        assert_eq!(pair.client.finish(), Ok(()));
        assert_eq!(pair.client.receive(b"whatever", &mut pair.plain, &mut Vec::new()), Ok(()));
        let mut out = Vec::new();
        pair.client.close_notify(&mut out);
        pair.server.read_tls(&mut out.as_slice()).unwrap();
        assert!(pair.server.process_new_packets().unwrap().peer_has_closed());
        assert_eq!(pair.client.send(b"x", &mut out), Err(TlsFailure::Other));
    }
}

#[test]
fn keys_are_updated_when_the_server_wants_it() {
    let authority = Authority::new("a");
    let mut pair = Pair::new(
        &TlsConfig::new(&trusting(&authority)).unwrap(),
        &Server::of(&authority.issue(&[NAME], |_| {})).config(),
    );
    pair.handshake().unwrap();
    for _ in 0..3 {
        pair.server.refresh_traffic_keys().unwrap();
        pair.echo(b"hello");
    }
}

#[test]
fn before_the_handshake_is_over_nothing_can_be_sent() {
    let authority = Authority::new("a");
    let mut client = TlsClient::new(&TlsConfig::new(&trusting(&authority)).unwrap(), NAME).unwrap();
    let mut out = Vec::new();
    client.start(&mut out);
    let hello = out.clone();
    assert_eq!(client.send(b"x", &mut out), Err(TlsFailure::Other));
    client.close_notify(&mut out);
    assert_eq!(out, hello);
}

#[test]
fn many_connections_at_once_leave_enough_tickets_for_as_many_more() {
    let authority = Authority::new("a");
    let config = TlsConfig::new(&trusting(&authority)).unwrap();
    let server = Server::of(&authority.issue(&[NAME], |_| {})).config();
    let connect = || {
        let mut pair = Pair::new(&config, &server);
        pair.handshake().unwrap();
        pair
    };
    let first: Vec<Pair> = (0..20).map(|_| connect()).collect();
    assert_eq!(first.iter().filter(|pair| !pair.client.resumed()).count(), 1);
    let mut fresh = (0..20).map(|_| Pair::new(&config, &server)).collect::<Vec<_>>();
    let hellos: Vec<Vec<u8>> = fresh
        .iter_mut()
        .map(|pair| {
            let mut out = Vec::new();
            pair.client.start(&mut out);
            out
        })
        .collect();
    for (pair, hello) in fresh.iter_mut().zip(hellos) {
        pair.exchange(hello).unwrap();
        assert!(pair.client.resumed());
    }
}

#[test]
fn options_that_cannot_be_met_are_refused_in_words() {
    let authority = Authority::new("a");
    let error = |change: fn(&mut TlsOptions)| {
        let mut options = trusting(&authority);
        change(&mut options);
        TlsConfig::new(&options).unwrap_err().to_string()
    };
    assert_eq!(
        error(|options| (options.min, options.max) = (TlsVersion::V13, TlsVersion::V12)),
        "no TLS version left: the lowest asked for is above the highest"
    );
    assert_eq!(
        error(|options| options.verify = Verify::Roots(b"nothing".to_vec())),
        "the trusted certificates are not PEM: the file needs `BEGIN CERTIFICATE`"
    );
    assert_eq!(
        error(|options| options.client_cert = Some((Vec::new(), Vec::new()))),
        "the client certificate is not PEM: the file needs `BEGIN CERTIFICATE`"
    );
    assert_eq!(
        error(|options| {
            options.min = TlsVersion::V13;
            options.ciphers = vec!["ECDHE-RSA-AES128-GCM-SHA256".to_owned()];
        }),
        "no cipher suite left for the TLS versions asked for: names with `_WITH_` are TLS 1.2's, others TLS 1.3's"
    );
    let unknown = error(|options| options.ciphers = vec!["RC4".to_owned()]);
    assert!(
        unknown.starts_with("unknown cipher suite `RC4`: use one of `TLS_AES_128_GCM_SHA256`"),
        "{unknown}"
    );
    let (certificate, key) = (authority.issue(&[], |_| {}).pem().0, authority.issue(&[], |_| {}).pem().1);
    let options = TlsOptions { client_cert: Some((certificate.clone(), key)), ..trusting(&authority) };
    assert_eq!(
        TlsConfig::new(&options).unwrap_err().to_string(),
        "the client certificate and its key do not belong together"
    );
    let options = TlsOptions { client_cert: Some((certificate, b"no key".to_vec())), ..trusting(&authority) };
    assert_eq!(TlsConfig::new(&options).unwrap_err(), TlsConfigError::ClientKey);
    for encrypted in [
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGb\n-----END ENCRYPTED PRIVATE KEY-----\n",
        "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIGb\n-----END EC PRIVATE KEY-----\n",
    ] {
        let client_cert = options.client_cert.as_ref().map(|(chain, _)| (chain.clone(), encrypted.into()));
        let options = TlsOptions { client_cert, ..options.clone() };
        assert_eq!(TlsConfig::new(&options).unwrap_err(), TlsConfigError::EncryptedKey);
    }
}
