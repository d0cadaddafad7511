//! Resolves names before the run.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use warwolf_driver::Address;
use warwolf_plan::Network;

/// Returns all addresses of `host`: those that the plan gives, otherwise those of the system's resolver, filtered by the address
/// family and source addresses of `network`.
///
/// # Errors
/// The error of the resolver, or that no address of the wanted family was found.
pub fn resolve(host: &str, port: u16, network: &Network) -> std::io::Result<Vec<Address>> {
    if let Some(path) = &network.unix_socket {
        return Ok(vec![Address::Unix(path.clone())]);
    }
    let given: Vec<Address> = network
        .resolve
        .iter()
        .filter(|r| r.host.eq_ignore_ascii_case(host) && r.port == port)
        .map(|r| Address::Ip(SocketAddr::new(r.address, port)))
        .collect();
    if !given.is_empty() {
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
