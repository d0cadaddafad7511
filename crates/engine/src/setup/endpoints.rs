//! The endpoints of a run: names resolved, tunnels encoded.

use super::Prepared;
use super::request::basic;
use crate::SetupError;
use crate::resolve::{Lookups, is_immediate, resolve};
use std::collections::HashMap;
use std::sync::Arc;
use warwolf_driver::Address;
use warwolf_http::{ProtocolKind, Template, TemplateBuilder, Version};
use warwolf_plan::{Endpoint, Proxy, Scheme, Unresolved};

/// Endpoints that replies may add to those of the plan, in each worker. Without a limit a target that redirects to ever new
/// hosts would fill this machine's memory.
pub(crate) const ADDED_MAX: usize = 4_096;

/// The protocol of a scheme.
fn protocol_of(scheme: Scheme) -> ProtocolKind {
    match scheme {
        Scheme::Http | Scheme::Https => ProtocolKind::Http,
        Scheme::Ftp => ProtocolKind::Ftp,
    }
}

/// The proxy that connections to `endpoint` go through. Proxies forward HTTP only.
fn proxy_of<'a>(endpoint: &Endpoint, prepared: &'a Prepared) -> Option<&'a Proxy> {
    prepared.network.proxy.as_ref().filter(|_| protocol_of(endpoint.scheme) == ProtocolKind::Http)
}

/// Where connections to an endpoint go.
#[derive(Clone)]
struct Resolved {
    addresses: Vec<Address>,
    /// Whether the name is being looked up.
    is_pending: bool,
    server_name: Option<String>,
    tunnel: Option<Arc<Template>>,
    protocol: ProtocolKind,
}

/// The endpoints of a run, by number. Each worker has its own copy: redirects may add to it.
#[derive(Clone, Default)]
pub(crate) struct Endpoints {
    numbers: HashMap<Endpoint, u32>,
    resolved: Vec<Resolved>,
    /// How many replies added.
    added: usize,
}

impl Endpoints {
    pub(crate) fn len(&self) -> usize {
        self.resolved.len()
    }

    pub(crate) fn addresses(&self, endpoint: u32) -> &[Address] {
        &self.resolved[endpoint as usize].addresses
    }

    /// Whether the name of the endpoint is being looked up.
    pub(crate) fn is_pending(&self, endpoint: u32) -> bool {
        self.resolved[endpoint as usize].is_pending
    }

    /// Sets the addresses of an endpoint whose name has been looked up.
    pub(crate) fn settle(&mut self, endpoint: u32, addresses: Vec<Address>) {
        let resolved = &mut self.resolved[endpoint as usize];
        (resolved.addresses, resolved.is_pending) = (addresses, false);
    }

    /// The name for SNI and the certificate; none for plain endpoints.
    pub(crate) fn server_name(&self, endpoint: u32) -> Option<&str> {
        self.resolved[endpoint as usize].server_name.as_deref()
    }

    /// The protocol of the endpoint.
    pub(crate) fn protocol(&self, endpoint: u32) -> ProtocolKind {
        self.resolved[endpoint as usize].protocol
    }

    /// Whether connections to the endpoint carry HTTP without TLS.
    pub(crate) fn is_plain(&self, endpoint: u32) -> bool {
        let resolved = &self.resolved[endpoint as usize];
        resolved.server_name.is_none() && resolved.protocol == ProtocolKind::Http
    }

    /// Whether connections to any endpoint may need companions.
    pub(crate) fn have_companions(&self) -> bool {
        self.resolved.iter().any(|endpoint| endpoint.protocol.has_companions())
    }

    /// The request to the proxy for a tunnel to the endpoint, if one is needed.
    pub(crate) fn tunnel(&self, endpoint: u32) -> Option<&Template> {
        self.resolved[endpoint as usize].tunnel.as_deref()
    }

    pub(super) fn add(&mut self, endpoint: &Endpoint, prepared: &Prepared) -> Result<u32, SetupError> {
        if let Some(&number) = self.numbers.get(endpoint) {
            return Ok(number);
        }
        let to = proxy_of(endpoint, prepared).map_or(endpoint, |proxy| &proxy.endpoint);
        let addresses = match (resolve(&to.host, to.port, &prepared.network), prepared.network.unresolved) {
            (Ok(addresses), _) => addresses,
            (Err(_), Unresolved::Count) => Vec::new(),
            (Err(error), Unresolved::Refuse) => {
                return Err(SetupError::Resolve { host: to.host.clone(), error });
            }
        };
        Ok(self.insert(endpoint, addresses, prepared))
    }

    /// The number of an endpoint that a reply leads to; none for a new one when [`ADDED_MAX`] is reached. A new name is given
    /// to `lookups`. An endpoint whose name cannot be resolved gets no addresses, and its calls fail for that reason.
    pub(crate) fn find_or_add(
        &mut self,
        endpoint: &Endpoint,
        prepared: &Prepared,
        lookups: &mut Lookups,
    ) -> Option<u32> {
        if let Some(&number) = self.numbers.get(endpoint) {
            return Some(number);
        }
        if self.added >= ADDED_MAX {
            return None;
        }
        self.added += 1;
        let to = proxy_of(endpoint, prepared).map_or(endpoint, |proxy| &proxy.endpoint);
        let network = &prepared.network;
        if is_immediate(&to.host, to.port, network) {
            let addresses = resolve(&to.host, to.port, network).unwrap_or_default();
            return Some(self.insert(endpoint, addresses, prepared));
        }
        let number = self.insert(endpoint, Vec::new(), prepared);
        self.resolved[number as usize].is_pending = true;
        lookups.start(number, &to.host, to.port);
        Some(number)
    }

    fn insert(&mut self, endpoint: &Endpoint, addresses: Vec<Address>, prepared: &Prepared) -> u32 {
        let secure = endpoint.scheme == Scheme::Https;
        let tunnel = prepared.network.proxy.as_ref().filter(|_| secure).map(|p| tunnel_to(endpoint, p));
        let server_name =
            secure.then(|| prepared.server_name.clone().unwrap_or_else(|| endpoint.host.clone()));
        let number = self.resolved.len() as u32;
        self.resolved.push(Resolved {
            addresses,
            is_pending: false,
            server_name,
            tunnel: tunnel.flatten().map(Into::into),
            protocol: protocol_of(endpoint.scheme),
        });
        self.numbers.insert(endpoint.clone(), number);
        number
    }
}

fn tunnel_to(endpoint: &Endpoint, proxy: &Proxy) -> Option<Template> {
    let host =
        if endpoint.host.contains(':') { format!("[{}]", endpoint.host) } else { endpoint.host.clone() };
    let authority = format!("{host}:{}", endpoint.port);
    let mut builder = TemplateBuilder::new("CONNECT", &authority, Version::Http11).header("Host", &authority);
    if let Some(credentials) = &proxy.basic_auth {
        builder = builder.header("Proxy-Authorization", &basic(credentials));
    }
    builder.build().ok()
}
