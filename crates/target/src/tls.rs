//! The certificate and TLS configuration of the server.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use tokio_rustls::rustls::{self, RootCertStore, ServerConfig, version};

use crate::options::Options;
use crate::serving::StartError;

/// A TLS configuration and the root certificate that clients have to trust.
pub(crate) struct Identity {
    pub(crate) config: Arc<ServerConfig>,
    /// PEM: the authority of the generated certificate, or the given chain.
    pub(crate) ca_pem: String,
}

struct Certificate {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    ca_pem: String,
}

/// Loads the certificate of `options`, or generates one for `localhost` and the loopback addresses.
pub(crate) fn identity(options: &Options) -> Result<Identity, StartError> {
    let certificate = match (&options.cert, &options.key) {
        (Some(chain), Some(key)) => read(chain, key)?,
        _ => make()?,
    };
    let versions: &[_] = if options.tls_max == "1.2" { &[&version::TLS12] } else { rustls::ALL_VERSIONS };
    let provider = Arc::new(ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(Arc::clone(&provider)).with_protocol_versions(versions)?;
    let builder = match &options.client_ca {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let mut roots = RootCertStore::empty();
            for authority in read_certificates(path)? {
                roots.add(authority)?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            builder.with_client_cert_verifier(verifier.map_err(StartError::ClientAuthority)?)
        }
    };
    let mut config = builder.with_single_cert(certificate.chain, certificate.key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    if options.no_resumption {
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
    } else {
        config.ticketer = ring::Ticketer::new()?;
    }
    Ok(Identity { config: Arc::new(config), ca_pem: certificate.ca_pem })
}

fn make() -> Result<Certificate, StartError> {
    let mut authority = CertificateParams::default();
    authority.distinguished_name.push(DnType::CommonName, "warwolf target authority");
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    let authority_key = KeyPair::generate()?;
    let ca_pem = authority.self_signed(&authority_key)?.pem();
    let issuer = Issuer::new(authority, authority_key);

    let mut leaf = CertificateParams::new(NAMES.map(String::from))?;
    leaf.distinguished_name.push(DnType::CommonName, "warwolf target");
    let key = KeyPair::generate()?;
    let certificate = leaf.signed_by(&key, &issuer)?;
    let key =
        PrivateKeyDer::try_from(key.serialize_der()).map_err(|_| rustls::Error::General("key".into()))?;
    Ok(Certificate { chain: vec![certificate.der().clone()], key, ca_pem })
}

fn read(chain: &Path, key: &Path) -> Result<Certificate, StartError> {
    let ca_pem = std::fs::read_to_string(chain).map_err(|error| StartError::file(chain, error))?;
    let invalid = |error| StartError::file(key, io::Error::new(io::ErrorKind::InvalidData, error));
    Ok(Certificate {
        chain: read_certificates(chain)?,
        key: PrivateKeyDer::from_pem_file(key).map_err(invalid)?,
        ca_pem,
    })
}

fn read_certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, StartError> {
    let invalid = |error| StartError::file(path, io::Error::new(io::ErrorKind::InvalidData, error));
    CertificateDer::pem_file_iter(path).map_err(invalid)?.collect::<Result<_, _>>().map_err(invalid)
}

const NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
