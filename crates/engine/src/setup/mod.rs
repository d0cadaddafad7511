//! Everything a run needs that can be made before it begins: requests encoded, names resolved, limits computed.

mod endpoints;
mod request;
mod tls;

use crate::SetupError;
use crate::resolve::{Resolver, resolve};
#[cfg(test)]
pub(crate) use endpoints::ADDED_MAX;
pub(crate) use endpoints::Endpoints;
pub(crate) use request::{BODY_HOLE, FIRST_VALUE, PATH_HOLE, PathIs, PreparedRequest, RequestRef, Upload};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
pub(crate) use tls::tls_config;
use warwolf_driver::{Address, SocketOptions};
use warwolf_http::{Limits, Version};
use warwolf_plan::query::Check;
use warwolf_plan::{
    Body, Contents, CookiePolicy, HttpVersion, Network, OnClose, Ownership, Plan, PlanError, Reconnect,
    ReplyEnd, Resumption, Stop, Timeouts, WhenFull, Work,
};
use warwolf_scan::{Condition, Scanner};
use warwolf_workload::Names;

/// Bounds of the kernel's receive buffer of a throttled connection, which holds one second's worth. The peer takes what is in
/// it for received; if it is too small, a distant peer cannot reach the rate.
const PACED_BUFFER: (u64, u64) = (4_096, 1 << 20);
/// Limit of one receive on such a connection, which returns half a second's worth.
const PACED_MAX: u64 = 16_384;

/// Resolves names as the plan says.
fn resolver(network: &Network) -> Resolver {
    let network = network.clone();
    Arc::new(move |host, port| resolve(host, port, &network).unwrap_or_default())
}

/// What all workers share.
pub(crate) struct Prepared {
    pub(crate) requests: Vec<PreparedRequest>,
    pub(crate) endpoints: Endpoints,
    pub(crate) stop: Stop,
    pub(crate) timeouts: Timeouts,
    pub(crate) network: Network,
    /// Resolves the names that replies lead to.
    pub(crate) resolver: Resolver,
    pub(crate) limits: Limits,
    pub(crate) pipeline: usize,
    pub(crate) ownership: Ownership,
    pub(crate) reconnect: Reconnect,
    pub(crate) on_close: OnClose,
    pub(crate) when_full: WhenFull,
    /// Whether any connection may need a companion.
    pub(crate) has_companions: bool,
    pub(crate) resumption: Resumption,
    /// Calls that a session makes, or 1 if that is not known. An arrival that never started counts as so many.
    pub(crate) calls_per_session: u64,
    /// Whether each connection carries one request, which is sent whole.
    pub(crate) sends_once: bool,
    version: HttpVersion,
    keep_alive: bool,
    /// Sessions add header fields of their own.
    session_fields: bool,
    /// What names in requests stand for.
    names: Names,
    server_name: Option<String>,
}

impl Prepared {
    /// Resolves, reads and encodes what `plan` names. `contents` are the contents of what others have read for it.
    pub(crate) fn new(plan: &Plan, contents: &Arc<Contents>) -> Result<Self, SetupError> {
        check_queries(plan)?;
        let calls_per_session = match &plan.session.work {
            _ if !plan.scenarios.is_empty() => 1,
            Work::Draw { calls, .. } => calls.unwrap_or(1),
            Work::Scripts { .. } => 1,
        };
        let mut prepared = Self {
            requests: Vec::new(),
            endpoints: Endpoints::default(),
            stop: plan.stop.clone(),
            timeouts: plan.timeouts.clone(),
            network: plan.network.clone(),
            resolver: resolver(&plan.network),
            limits: Limits {
                max_head: plan.connections.max_head as usize,
                reply_end: match plan.connections.reply_end {
                    ReplyEnd::Framed => warwolf_http::ReplyEnd::Framed,
                    ReplyEnd::Length => warwolf_http::ReplyEnd::Length,
                    ReplyEnd::Close => warwolf_http::ReplyEnd::Close,
                },
                ..Limits::default()
            },
            pipeline: plan.connections.pipeline as usize,
            ownership: plan.connections.ownership,
            resumption: plan.tls.resumption,
            reconnect: plan.connections.reconnect,
            on_close: plan.connections.on_close,
            when_full: plan.connections.when_full,
            has_companions: false,
            calls_per_session,
            sends_once: !plan.connections.keep_alive
                && !plan.all_requests().any(|request| matches!(request.body, Body::File(_))),
            version: plan.connections.version,
            keep_alive: plan.connections.keep_alive,
            session_fields: plan.session.cookies != CookiePolicy::Off || plan.session.auth.is_some(),
            server_name: plan.tls.server_name.clone(),
            names: Names::new(plan, contents),
        };
        let mut endpoints = Endpoints::default();
        prepared.requests = prepared.encode_all(&plan.requests, &plan.rows().of_requests, &mut endpoints)?;
        for request in plan.session.setup.iter().chain(plan.session.recovery_requests()) {
            endpoints.add(&request.endpoint, &prepared)?;
        }
        prepared.has_companions = endpoints.have_companions();
        prepared.endpoints = endpoints;
        Ok(prepared)
    }

    /// The version of our requests.
    pub(crate) fn version(&self) -> Version {
        match self.version {
            HttpVersion::Http10 => Version::Http10,
            HttpVersion::Http11 => Version::Http11,
        }
    }

    /// Socket options for the `number`-th connection, counted from one, which goes to `address`.
    pub(crate) fn socket_options(&self, number: u64, address: &Address) -> SocketOptions {
        let bind = match address {
            Address::Unix(_) => None,
            Address::Ip(to) => {
                let sources = || self.network.bind.iter().filter(|source| source.is_ipv6() == to.is_ipv6());
                let count = sources().count() as u64;
                (count > 0).then(|| number % count).and_then(|turn| sources().nth(turn as usize))
            }
        };
        let port = self.network.bind_ports.map_or(0, |(first, last)| {
            let ports = u64::from(last - first) + 1;
            first + (number.saturating_sub(1) % ports) as u16
        });
        let any = match address {
            Address::Ip(SocketAddr::V6(_)) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
            _ => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        };
        let bind = bind.copied().or_else(|| (port > 0).then_some(any));
        let pace = self.network.receive_rate;
        SocketOptions {
            nodelay: self.network.nodelay,
            send_buffer: self.network.send_buffer,
            receive_buffer: self
                .network
                .receive_buffer
                .or_else(|| pace.map(|rate| rate.clamp(PACED_BUFFER.0, PACED_BUFFER.1) as u32)),
            receive_max: pace.map(|rate| (rate / 2).clamp(1, PACED_MAX) as u32),
            bind: bind.map(|source| SocketAddr::new(source, port)),
            reset_on_close: self.network.close_with_reset,
        }
    }
}

/// Checks that the captures, checks and conditions of steps can be compiled: paths and regular expressions.
fn check_queries(plan: &Plan) -> Result<(), PlanError> {
    for (_, step) in plan.steps() {
        let within =
            |error: PlanError| PlanError { field: format!("step.{}.{}", step.name, error.field), ..error };
        let own = step.again.iter().filter_map(|again| again.condition.as_ref());
        let checks: Vec<Check> = step.checks.iter().chain(own).cloned().collect();
        Scanner::new(&step.captures, &checks).map_err(within)?;
        step.when.as_ref().map(Condition::new).transpose().map_err(within)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
