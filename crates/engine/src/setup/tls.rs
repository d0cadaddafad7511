//! The TLS configuration of a run.

use crate::SetupError;
use warwolf_http::{TlsConfig, TlsConfigError, TlsOptions, Verify};
use warwolf_plan::{HttpVersion, Plan, Resumption, Scheme, TlsVersion};

/// All files of a folder, one after the other, in the order of their names.
fn read_all(folder: &std::path::Path) -> Result<Vec<u8>, SetupError> {
    let failed = |error| SetupError::file(folder, error);
    let entries =
        std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(failed)?;
    let mut files: Vec<_> =
        entries.iter().map(std::fs::DirEntry::path).filter(|path| path.is_file()).collect();
    files.sort();
    let mut all = Vec::new();
    for path in files {
        all.extend(std::fs::read(&path).map_err(|error| SetupError::file(&path, error))?);
        all.push(b'\n');
    }
    Ok(all)
}

/// The TLS configuration of one worker; none for a plan without https requests. Requests from a feed may need it. Workers share
/// no session store.
pub(crate) fn tls_config(plan: &Plan, is_fed: bool) -> Result<Option<TlsConfig>, SetupError> {
    let secure = is_fed
        || plan.session.redirects.limit > 0
        || plan.session.resources.is_some()
        || plan.all_requests().any(|r| r.endpoint.scheme == Scheme::Https);
    if !secure {
        return Ok(None);
    }
    let read = |path: &std::path::Path| std::fs::read(path).map_err(|error| SetupError::file(path, error));
    let version = |version| match version {
        TlsVersion::V12 => warwolf_http::TlsVersion::V12,
        TlsVersion::V13 => warwolf_http::TlsVersion::V13,
    };
    let options = TlsOptions {
        verify: match &plan.tls.verify {
            warwolf_plan::Verify::System => Verify::System,
            warwolf_plan::Verify::File(path) if path.is_dir() => Verify::Roots(read_all(path)?),
            warwolf_plan::Verify::File(path) => Verify::Roots(read(path)?),
            warwolf_plan::Verify::Off => Verify::None,
        },
        client_cert: match &plan.tls.client_certificate {
            Some((certificate, key)) => Some((read(certificate)?, read(key)?)),
            None => None,
        },
        min: version(plan.tls.min),
        max: version(plan.tls.max),
        ciphers: plan.tls.ciphers.clone(),
        resumption: plan.tls.resumption != Resumption::Off,
        alpn: match plan.connections.version {
            HttpVersion::Http10 => Vec::new(),
            HttpVersion::Http11 => vec![b"http/1.1".to_vec()],
        },
    };
    TlsConfig::new(&options).map(Some).map_err(|error| SetupError::Tls { path: blamed(plan, &error), error })
}

/// The file that makes a configuration invalid, if it is one.
fn blamed(plan: &Plan, error: &TlsConfigError) -> Option<std::path::PathBuf> {
    let client = plan.tls.client_certificate.clone();
    match error {
        TlsConfigError::Roots => match &plan.tls.verify {
            warwolf_plan::Verify::File(path) => Some(path.clone()),
            _ => None,
        },
        TlsConfigError::ClientCertificate => client.map(|(certificate, _)| certificate),
        TlsConfigError::ClientKey | TlsConfigError::EncryptedKey | TlsConfigError::ClientPair => {
            client.map(|(_, key)| key)
        }
        _ => None,
    }
}
