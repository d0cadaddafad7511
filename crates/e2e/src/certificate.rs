//! A certificate authority of the test's own, and the good and bad certificates it issues.

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};
use time::{Duration, OffsetDateTime};

/// A certificate and its private key, both in PEM.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The certificate.
    pub certificate: String,
    /// Its private key.
    pub key: String,
}

/// When a certificate is valid, relative to now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validity {
    /// Since yesterday, until tomorrow.
    Now,
    /// Until yesterday.
    Past,
    /// From tomorrow.
    Future,
}

/// An authority nobody trusts unless told to.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    /// Makes a new authority with a new key.
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names are valid names");
        params.distinguished_name.push(DnType::CommonName, "warwolf trial authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate().expect("a new key");
        Self {
            issuer: CertifiedIssuer::self_signed(params, key).expect("a certificate signed by its own key"),
        }
    }

    /// The authority's certificate in PEM, as `--cacert` wants it.
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// A server's certificate for one name.
    pub fn issue(&self, name: &str, validity: Validity) -> Pair {
        self.sign(name, validity, ExtendedKeyUsagePurpose::ServerAuth)
    }

    /// A client's certificate.
    pub fn issue_client(&self, name: &str) -> Pair {
        self.sign(name, Validity::Now, ExtendedKeyUsagePurpose::ClientAuth)
    }

    fn sign(&self, name: &str, validity: Validity, usage: ExtendedKeyUsagePurpose) -> Pair {
        let mut params = CertificateParams::new(vec![name.to_owned()]).expect("a host name");
        params.distinguished_name.push(DnType::CommonName, name);
        params.extended_key_usages = vec![usage];
        let (now, day) = (OffsetDateTime::now_utc(), Duration::days(1));
        (params.not_before, params.not_after) = match validity {
            Validity::Now => (now - day, now + day),
            Validity::Past => (now - day * 3, now - day),
            Validity::Future => (now + day, now + day * 3),
        };
        let key = KeyPair::generate().expect("a new key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a signature by our own authority");
        Pair { certificate: certificate.pem(), key: key.serialize_pem() }
    }
}

impl Default for Authority {
    fn default() -> Self {
        Self::new()
    }
}
