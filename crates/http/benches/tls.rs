//! What TLS costs the client per small call and per handshake. `cargo bench -p warwolf-http --bench tls`.
//!
//! The server is rustls in memory and is not on the clock. Figures are the best of many rounds, as in `h1`.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection};
use std::io::{Read as _, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};
use warwolf_http::{TlsClient, TlsConfig, TlsOptions, TlsVersion, Verify};

const NAME: &str = "server.test";

fn main() {
    let mut params = CertificateParams::new([]).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority =
        CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a root");
    let key = KeyPair::generate().expect("a key");
    let leaf = CertificateParams::new([NAME.to_owned()]).expect("a name").signed_by(&key, &authority);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut server = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the usual versions")
        .with_no_client_auth()
        .with_single_cert(
            vec![leaf.expect("a certificate").der().clone()],
            PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())),
        )
        .expect("certificate and key belong together");
    server.ticketer = rustls::crypto::ring::Ticketer::new().expect("randomness");
    let server = Arc::new(server);

    for version in [TlsVersion::V12, TlsVersion::V13] {
        for cipher in [None, Some("TLS_AES_128_GCM_SHA256"), Some("ECDHE-ECDSA-AES128-GCM-SHA256")] {
            let options = TlsOptions {
                verify: Verify::Roots(authority.pem().into_bytes()),
                min: version,
                max: version,
                ciphers: cipher.into_iter().map(str::to_owned).collect(),
                ..TlsOptions::default()
            };
            let Ok(config) = TlsConfig::new(&options) else { continue };
            let alone = TlsConfig::new(&TlsOptions { resumption: false, ..options }).expect("as before");
            run(version, &config, &alone, &server);
        }
    }
}

/// Prints what connections of `config` cost, which resume sessions, and handshakes of `alone`, which do not.
fn run(version: TlsVersion, config: &TlsConfig, alone: &TlsConfig, server: &Arc<ServerConfig>) {
    let handshake = |config: &TlsConfig| {
        let connections = (0..200).map(|_| Pair::connect(config, server)).skip(1);
        connections.map(|(_, spent)| spent).min().unwrap_or_default()
    };
    let (full, resumed) = (handshake(alone), handshake(config));
    let (mut pair, _) = Pair::connect(config, server);
    println!("{version:?} {}", pair.client.cipher().unwrap_or_default());
    println!("  handshake, full {full:?}, resumed {resumed:?}");
    for (request, reply) in [(90, 250), (90, 75_000)] {
        let (sending, receiving) = pair.calls(request, reply);
        println!("  request of {request} bytes {sending:.0} ns, reply of {reply} bytes {receiving:.0} ns");
    }
}

struct Pair {
    client: TlsClient,
    server: ServerConnection,
}

impl Pair {
    /// A connection and the time the client spent on its handshake.
    fn connect(config: &TlsConfig, server: &Arc<ServerConfig>) -> (Self, Duration) {
        let began = Instant::now();
        let client = TlsClient::new(config, NAME).expect("a good name");
        let mut pair = Self { client, server: ServerConnection::new(Arc::clone(server)).expect("a server") };
        let mut out = Vec::new();
        pair.client.start(&mut out);
        let mut spent = began.elapsed();
        loop {
            pair.hear(&mut out);
            let answer = pair.said();
            if answer.is_empty() {
                return (pair, spent);
            }
            let began = Instant::now();
            pair.client.receive(&answer, &mut Vec::new(), &mut out).expect("a good handshake");
            spent += began.elapsed();
        }
    }

    fn hear(&mut self, out: &mut Vec<u8>) {
        let mut rest = out.as_slice();
        while !rest.is_empty() {
            self.server.read_tls(&mut rest).expect("memory");
            self.server.process_new_packets().expect("a good client");
        }
        out.clear();
    }

    fn said(&mut self) -> Vec<u8> {
        let mut answer = Vec::new();
        while self.server.wants_write() {
            self.server.write_tls(&mut answer).expect("memory");
        }
        answer
    }

    /// Nanoseconds that the client spends to encrypt a request and to decrypt a reply. Replies come in pieces of 64 KiB.
    fn calls(&mut self, request: usize, reply: usize) -> (f64, f64) {
        let (request, reply) = (vec![b'q'; request], vec![b'r'; reply]);
        let (mut out, mut plain) = (Vec::new(), Vec::new());
        let (mut sending, mut receiving) = (f64::INFINITY, f64::INFINITY);
        self.server.set_buffer_limit(None);
        for _ in 0..300 {
            let mut sent = Duration::ZERO;
            let mut received = Duration::ZERO;
            for _ in 0..20 {
                let began = Instant::now();
                self.client.send(&request, &mut out).expect("the handshake is over");
                sent += began.elapsed();
                self.hear(&mut out);
                let mut heard = vec![0; request.len()];
                self.server.reader().read_exact(&mut heard).expect("a whole request");
                self.server.writer().write_all(&reply).expect("memory");
                let answer = self.said();
                plain.clear();
                let began = Instant::now();
                for piece in answer.chunks(65_536) {
                    self.client.receive(piece, &mut plain, &mut out).expect("a good record");
                }
                received += began.elapsed();
                assert_eq!(plain.len(), reply.len(), "all of the reply has come");
            }
            sending = sending.min(sent.as_nanos() as f64 / 20.0);
            receiving = receiving.min(received.as_nanos() as f64 / 20.0);
        }
        (sending, receiving)
    }
}
