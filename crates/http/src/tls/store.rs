//! The store of sessions to be resumed.
//!
//! A TLS 1.3 ticket serves once (RFC 8446 appendix C.4), so a load of many short connections needs many at a time:
//! rustls's own store keeps eight per server, this one as many as connections may be opened together.

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Tickets kept per server; the oldest are dropped.
const TICKETS_MAX: usize = 1024;

/// Most servers in the store. One more clears it: that costs handshakes, not correctness, and a plan with so many servers
/// resumes little.
const SERVERS_MAX: usize = 1024;

/// The sessions of one server.
#[derive(Default)]
struct Known {
    group: Option<NamedGroup>,
    session: Option<Tls12ClientSessionValue>,
    tickets: VecDeque<Tls13ClientSessionValue>,
}

/// Sessions by server, for all connections of one configuration.
#[derive(Default)]
pub(super) struct Sessions(Mutex<HashMap<ServerName<'static>, Known>>);

impl Sessions {
    fn servers(&self) -> MutexGuard<'_, HashMap<ServerName<'static>, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, name: ServerName<'static>, change: impl FnOnce(&mut Known)) {
        let mut servers = self.servers();
        if servers.len() >= SERVERS_MAX && !servers.contains_key(&name) {
            servers.clear();
        }
        change(servers.entry(name).or_default());
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").field("servers", &self.servers().len()).finish()
    }
}

impl ClientSessionStore for Sessions {
    fn set_kx_hint(&self, server_name: ServerName<'static>, group: NamedGroup) {
        self.change(server_name, |known| known.group = Some(group));
    }

    fn kx_hint(&self, server_name: &ServerName<'_>) -> Option<NamedGroup> {
        self.servers().get(server_name)?.group
    }

    fn set_tls12_session(&self, server_name: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.change(server_name, |known| known.session = Some(value));
    }

    fn tls12_session(&self, server_name: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.servers().get(server_name)?.session.clone()
    }

    fn remove_tls12_session(&self, server_name: &ServerName<'static>) {
        if let Some(known) = self.servers().get_mut(server_name) {
            known.session = None;
        }
    }

    fn insert_tls13_ticket(&self, server_name: ServerName<'static>, value: Tls13ClientSessionValue) {
        self.change(server_name, |known| {
            if known.tickets.len() == TICKETS_MAX {
                known.tickets.pop_front();
            }
            known.tickets.push_back(value);
        });
    }

    fn take_tls13_ticket(&self, server_name: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.servers().get_mut(server_name)?.tickets.pop_back()
    }
}
