//! Resolves names: those of the plan before the run, and those that replies name on threads of their own.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use warwolf_driver::Address;
use warwolf_plan::{Network, Resolve};

/// Returns all addresses of `host`: those that the plan gives, otherwise those of the system's resolver, filtered by the address
/// family and source addresses of `network`.
///
/// # Errors
/// The error of the resolver, or that no address of the wanted family was found.
pub fn resolve(host: &str, port: u16, network: &Network) -> std::io::Result<Vec<Address>> {
    if let Some(given) = given(host, port, network) {
        return Ok(given);
    }
    let wanted = |address: &SocketAddr| {
        let family = network.ipv6.is_none_or(|v6| v6 == address.is_ipv6());
        let bound = network.bind.is_empty()
            || network.bind.iter().any(|source: &IpAddr| source.is_ipv6() == address.is_ipv6());
        family && bound
    };
    let mut found: Vec<Address> = Vec::new();
    for address in (host, port).to_socket_addrs()?.filter(wanted) {
        let address = Address::Ip(address);
        if !found.contains(&address) {
            found.push(address);
        }
    }
    if found.is_empty() {
        return Err(std::io::Error::other("the name has no address of the family asked for"));
    }
    Ok(found)
}

/// The addresses that the plan itself gives for `host`, if any.
fn given(host: &str, port: u16, network: &Network) -> Option<Vec<Address>> {
    if let Some(path) = &network.unix_socket {
        return Some(vec![Address::Unix(path.clone())]);
    }
    let is_this = |given: &&Resolve| given.host.eq_ignore_ascii_case(host) && given.port == port;
    let given: Vec<Address> = (network.resolve.iter().filter(is_this))
        .map(|given| Address::Ip(SocketAddr::new(given.address, port)))
        .collect();
    (!given.is_empty()).then_some(given)
}

/// Whether the addresses of `host` are known without asking a name server.
pub(crate) fn is_immediate(host: &str, port: u16, network: &Network) -> bool {
    host.parse::<IpAddr>().is_ok() || given(host, port, network).is_some()
}

/// Names that are looked up at once.
const LOOKUPS_MAX: usize = 16;

/// A name to look up: the number of its endpoint, host and port.
type Name = (u32, String, u16);
/// The number of an endpoint and its addresses.
type Found = (u32, Vec<Address>);
/// Returns the addresses of a host, none if it has none.
pub(crate) type Resolver = Arc<dyn Fn(&str, u16) -> Vec<Address> + Send + Sync>;

/// Looks names up without keeping the worker waiting. A name server may take seconds, and a target may name ever new hosts.
pub(crate) struct Lookups {
    resolver: Resolver,
    sender: Sender<Found>,
    receiver: Receiver<Found>,
    running: usize,
    waiting: VecDeque<Name>,
}

impl Lookups {
    pub(crate) fn new(resolver: Resolver) -> Self {
        let (sender, receiver) = channel();
        Self { resolver, sender, receiver, running: 0, waiting: VecDeque::new() }
    }

    /// Looks a name up; [`Self::next`] returns the result later.
    pub(crate) fn start(&mut self, endpoint: u32, host: &str, port: u16) {
        self.waiting.push_back((endpoint, host.to_owned(), port));
        self.fill();
    }

    /// The next endpoint whose name has been looked up, with its addresses.
    pub(crate) fn next(&mut self) -> Option<Found> {
        let found = self.receiver.try_recv().ok()?;
        self.running -= 1;
        self.fill();
        Some(found)
    }

    fn fill(&mut self) {
        while self.running < LOOKUPS_MAX
            && let Some((endpoint, host, port)) = self.waiting.pop_front()
        {
            let (resolver, found) = (Arc::clone(&self.resolver), self.sender.clone());
            // The thread is left to itself: at the end of the run nobody waits for the name server.
            let lookup = move || drop(found.send((endpoint, resolver(&host, port))));
            self.running += 1;
            if thread::Builder::new().name("lookup".to_owned()).spawn(lookup).is_err() {
                let _ = self.sender.send((endpoint, Vec::new()));
            }
        }
    }
}
