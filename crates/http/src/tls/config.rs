//! The configuration of TLS, made once per worker from the options of the plan.

use super::cipher;
use super::store::Sessions;
use super::verify::{Unverified, Verified};
use rustls::client::danger::ServerCertVerifier;
use rustls::client::{ResolvesClientCert, Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, RootCertStore, SignatureScheme, SupportedProtocolVersion, version};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A version of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TlsVersion {
    /// TLS 1.2 (RFC 5246).
    V12,
    /// TLS 1.3 (RFC 8446).
    V13,
}

/// How the server's certificate is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verify {
    /// Against the roots that this machine trusts.
    System,
    /// Against these roots and no others, as PEM.
    Roots(Vec<u8>),
    /// Not at all.
    None,
}

/// The options of TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsOptions {
    /// How the server's certificate is verified.
    pub verify: Verify,
    /// Our certificate, with its chain, and its key, both as PEM; sent to servers that ask for one.
    pub client_cert: Option<(Vec<u8>, Vec<u8>)>,
    /// The lowest version offered.
    pub min: TlsVersion,
    /// The highest version offered.
    pub max: TlsVersion,
    /// The cipher suites offered, by IANA or OpenSSL name, preferred ones first; none for all.
    pub ciphers: Vec<String>,
    /// Whether connections resume earlier sessions.
    pub resumption: bool,
    /// The application protocols offered, preferred ones first; none for no offer (RFC 7301).
    pub alpn: Vec<Vec<u8>>,
}

impl Default for TlsOptions {
    /// Verified against the system's roots, TLS 1.2 and 1.3, all suites, resumption, no application protocol.
    fn default() -> Self {
        Self {
            verify: Verify::System,
            client_cert: None,
            min: TlsVersion::V12,
            max: TlsVersion::V13,
            ciphers: Vec::new(),
            resumption: true,
            alpn: Vec::new(),
        }
    }
}

/// A valid configuration, with the sessions that its connections can resume. Clones share the sessions.
#[derive(Clone, Debug)]
pub struct TlsConfig {
    pub(super) rustls: Arc<ClientConfig>,
    pub(super) asked: Arc<Asked>,
}

impl TlsConfig {
    /// Makes a configuration. Reads the system's roots from disk when they are asked for.
    ///
    /// # Errors
    /// When options contradict each other, name something unknown, or cannot be parsed.
    pub fn new(options: &TlsOptions) -> Result<Self, TlsConfigError> {
        let mut provider = ring::default_provider();
        if !options.ciphers.is_empty() {
            provider.cipher_suites = chosen(&options.ciphers, &provider)?;
        }
        let versions: Vec<_> = [(TlsVersion::V12, &version::TLS12), (TlsVersion::V13, &version::TLS13)]
            .into_iter()
            .filter(|(version, _)| (options.min..=options.max).contains(version))
            .map(|(_, known)| known)
            .filter(|known| options.ciphers.is_empty() || serves(&provider, known))
            .collect();
        if versions.is_empty() {
            return Err(match options.ciphers.is_empty() {
                true => TlsConfigError::NoVersion,
                false => TlsConfigError::NoCipherForVersion,
            });
        }
        let asked = Arc::new(Asked::default());
        let provider = Arc::new(provider);
        let verifier: Arc<dyn ServerCertVerifier> = match &options.verify {
            Verify::System => verifier(rustls_native_certs::load_native_certs().certs, &provider)
                .ok_or(TlsConfigError::NoSystemRoots)?,
            Verify::Roots(pem) => {
                certificates(pem).and_then(|roots| verifier(roots, &provider)).ok_or(TlsConfigError::Roots)?
            }
            Verify::None => Arc::new(Unverified(provider.signature_verification_algorithms)),
        };
        let builder = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&versions)
            .map_err(|_| TlsConfigError::NoCipherForVersion)?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let mut rustls = match &options.client_cert {
            None => builder.with_client_cert_resolver(Arc::<Asked>::clone(&asked)),
            Some((certificate, key)) => {
                let chain = certificates(certificate).ok_or(TlsConfigError::ClientCertificate)?;
                let key = private_key(key)?;
                builder.with_client_auth_cert(chain, key).map_err(|_| TlsConfigError::ClientPair)?
            }
        };
        rustls.alpn_protocols.clone_from(&options.alpn);
        rustls.resumption = match options.resumption {
            true => Resumption::store(Arc::new(Sessions::default())),
            false => Resumption::disabled(),
        };
        Ok(Self { rustls: Arc::new(rustls), asked })
    }

    /// The same configuration with sessions of its own, none so far.
    #[must_use]
    pub fn apart(&self) -> Self {
        let mut rustls = ClientConfig::clone(&self.rustls);
        rustls.resumption = Resumption::store(Arc::new(Sessions::default()));
        Self { rustls: Arc::new(rustls), asked: Arc::clone(&self.asked) }
    }
}

/// Why TLS cannot be configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TlsConfigError {
    /// The lowest version is above the highest.
    NoVersion,
    /// There is no cipher suite of this name.
    UnknownCipher(String),
    /// None of the cipher suites belongs to the versions offered.
    NoCipherForVersion,
    /// The roots of this machine cannot be read.
    NoSystemRoots,
    /// The roots are not PEM certificates.
    Roots,
    /// The client certificate is not a PEM certificate.
    ClientCertificate,
    /// The key of the client is not a PEM key.
    ClientKey,
    /// The key of the client is protected by a password.
    EncryptedKey,
    /// The client certificate and the key do not belong together, or are of a kind that is not supported.
    ClientPair,
}

impl fmt::Display for TlsConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoVersion => f.write_str("no TLS version left: the lowest asked for is above the highest"),
            Self::UnknownCipher(name) => {
                write!(f, "unknown cipher suite `{name}`: use one of")?;
                cipher::names().try_for_each(|name| write!(f, " `{name}`"))
            }
            Self::NoCipherForVersion => f.write_str(
                "no cipher suite left for the TLS versions asked for: names with `_WITH_` are TLS 1.2's, others TLS 1.3's",
            ),
            Self::NoSystemRoots => f.write_str(
                "this machine has no trusted certificates: install `ca-certificates`, name a file with `--cacert`, or use `--insecure`",
            ),
            Self::Roots => f.write_str("the trusted certificates are not PEM: the file needs `BEGIN CERTIFICATE`"),
            Self::ClientCertificate => {
                f.write_str("the client certificate is not PEM: the file needs `BEGIN CERTIFICATE`")
            }
            Self::ClientKey => {
                f.write_str("the client's key is not PEM: the file needs `BEGIN PRIVATE KEY`, without a password")
            }
            Self::EncryptedKey => {
                f.write_str("the client's key is encrypted; decrypt it with `openssl pkey -in KEY -out NEW`")
            }
            Self::ClientPair => f.write_str("the client certificate and its key do not belong together"),
        }
    }
}

impl std::error::Error for TlsConfigError {}

/// Counts the servers that asked for a client certificate where there was none to send.
#[derive(Debug, Default)]
pub(super) struct Asked(AtomicU64);

impl Asked {
    pub(super) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl ResolvesClientCert for Asked {
    fn resolve(&self, _hints: &[&[u8]], _schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        None
    }

    fn has_certs(&self) -> bool {
        false
    }
}

/// The suites of these names, in this order.
fn chosen(
    names: &[String],
    provider: &CryptoProvider,
) -> Result<Vec<rustls::SupportedCipherSuite>, TlsConfigError> {
    let find = |name: &String| {
        let wanted = cipher::find(name)?;
        provider.cipher_suites.iter().copied().find(|suite| suite.suite() == wanted)
    };
    names.iter().map(|name| find(name).ok_or_else(|| TlsConfigError::UnknownCipher(name.clone()))).collect()
}

fn serves(provider: &CryptoProvider, version: &SupportedProtocolVersion) -> bool {
    provider.cipher_suites.iter().any(|suite| suite.version() == version)
}

/// A verifier with these roots; `None` when none of them can be used.
fn verifier(
    roots: Vec<CertificateDer<'static>>,
    provider: &Arc<CryptoProvider>,
) -> Option<Arc<dyn ServerCertVerifier>> {
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(roots.iter().cloned());
    let webpki = WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(provider));
    Some(Arc::new(Verified { webpki: webpki.build().ok()?, roots }))
}

/// The private key in a PEM text.
fn private_key(pem: &[u8]) -> Result<PrivateKeyDer<'static>, TlsConfigError> {
    let has = |text: &str| pem.windows(text.len()).any(|part| part == text.as_bytes());
    if has("BEGIN ENCRYPTED PRIVATE KEY") || has("Proc-Type: 4,ENCRYPTED") {
        return Err(TlsConfigError::EncryptedKey);
    }
    PrivateKeyDer::from_pem_slice(pem).map_err(|_| TlsConfigError::ClientKey)
}

/// The certificates in a PEM text; `None` when there are none or one is malformed.
fn certificates(pem: &[u8]) -> Option<Vec<CertificateDer<'static>>> {
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>().ok()?;
    (!certificates.is_empty()).then_some(certificates)
}
