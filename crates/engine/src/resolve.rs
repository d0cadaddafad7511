//! Names become addresses before the run.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use warwolf_driver::Address;
use warwolf_plan::Network;

/// All addresses of `host`, as the plan's network wants them: those given by hand, else what the system's resolver says.
///
/// # Errors
/// What the resolver says.
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
