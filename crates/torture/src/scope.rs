//! Which addresses may be tested without an explicit permission.

use std::net::IpAddr;

/// Returns whether an address is a loopback address or in a private network (RFC 1918, RFC 4193). Link-local addresses do not
/// count, because cloud providers use them for services that return credentials.
fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.is_loopback() || v4.is_private(),
        IpAddr::V6(v6) => v6.is_loopback() || v6.segments()[0] & 0xfe00 == 0xfc00,
    }
}

/// Returns whether a host with these addresses may be tested: all of them are private, or the user named the host in `permitted`.
/// `None` stands for a Unix socket.
#[must_use]
pub fn may_test(host: &str, addresses: &[Option<IpAddr>], permitted: &[String]) -> bool {
    permitted.iter().any(|name| name.eq_ignore_ascii_case(host))
        || addresses.iter().all(|address| address.is_none_or(is_private))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_host_needs_permission() {
        let (own, public) = (Some(IpAddr::from([127, 0, 0, 1])), Some(IpAddr::from([8, 8, 8, 8])));
        let permitted = ["A.test".to_owned()];
        assert!(may_test("a.test", &[own, None], &[]));
        assert!(!may_test("a.test", &[own, public], &[]));
        assert!(may_test("a.test", &[public], &permitted));
        assert!(!may_test("b.a.test", &[public], &permitted));
    }

    #[test]
    fn only_loopback_and_private_networks_are_private() {
        let private = [
            "127.0.0.1",
            "127.9.9.9",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "::1",
            "fd00::1",
            "::ffff:10.0.0.1",
        ];
        let public = [
            "8.8.8.8",
            "172.32.0.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "2001:db8::1",
            "fe80::1",
            "::ffff:8.8.8.8",
            "::",
        ];
        assert!(private.iter().all(|text| is_private(text.parse().unwrap())));
        assert!(public.iter().all(|text| !is_private(text.parse().unwrap())));
    }
}
