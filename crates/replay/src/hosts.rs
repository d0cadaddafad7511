//! The servers that only the log names, and whether they have an address.

use crate::Call;
use std::collections::{BTreeMap, HashSet};
use warwolf_plan::Endpoint;

/// Servers that the log may name; each takes memory in every worker.
const HOSTS_MAX: usize = 4_000;

/// Servers that only the log names.
#[derive(Debug, Default)]
pub struct Hosts {
    resolved: HashSet<Endpoint>,
    /// Hosts of the log without an address, and their requests.
    unresolved: BTreeMap<String, u64>,
    /// Requests to servers beyond the limit.
    too_many: u64,
}

impl Hosts {
    /// Leaves out the requests to servers that only the log names and that have no address. Each host is resolved once.
    pub fn leave_out_unresolved(
        &mut self,
        calls: &mut Vec<Call>,
        mut has_address: impl FnMut(&Endpoint) -> bool,
    ) {
        calls.retain(|call| {
            if !call.is_from_log || self.resolved.contains(&call.endpoint) {
                return true;
            }
            let host = &call.endpoint.host;
            if let Some(count) = self.unresolved.get_mut(host) {
                *count += 1;
                return false;
            }
            if self.resolved.len() + self.unresolved.len() >= HOSTS_MAX {
                self.too_many += 1;
                return false;
            }
            if has_address(&call.endpoint) {
                self.resolved.insert(call.endpoint.clone());
                return true;
            }
            self.unresolved.insert(host.clone(), 1);
            false
        });
    }

    /// Hosts without an address, and the number of requests to each that were left out.
    #[must_use]
    pub const fn unresolved(&self) -> &BTreeMap<String, u64> {
        &self.unresolved
    }

    /// Requests that were left out because the log names more servers than a replay can have.
    #[must_use]
    pub const fn too_many(&self) -> u64 {
        self.too_many
    }

    /// Requests that were left out.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.too_many + self.unresolved.values().sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_plan::Request;

    fn call(url: &str, is_from_log: bool) -> Call {
        let request = Request::get(url).unwrap();
        Call {
            at_ns: 0,
            whole_second: false,
            method: "GET".to_owned(),
            path: request.path.to_string(),
            endpoint: request.endpoint.clone(),
            headers: Vec::new(),
            body: Vec::new(),
            is_from_log,
        }
    }

    #[test]
    fn a_host_without_an_address_is_asked_for_once_and_its_requests_are_counted() {
        let mut hosts = Hosts::default();
        let mut asked = Vec::new();
        for _ in 0..2 {
            let mut part = vec![
                call("http://gone.test/1", true),
                call("http://there.test/2", true),
                call("http://gone.test/3", true),
                call("http://given.test/4", false),
            ];
            hosts.leave_out_unresolved(&mut part, |endpoint| {
                asked.push(endpoint.host.clone());
                endpoint.host == "there.test"
            });
            let left: Vec<&str> = part.iter().map(|call| call.path.as_str()).collect();
            assert_eq!(left, ["/2", "/4"]);
        }
        assert_eq!(asked, ["gone.test", "there.test"]);
        assert_eq!((hosts.unresolved()["gone.test"], hosts.left_out()), (4, 4));
    }

    #[test]
    fn a_log_may_name_many_servers_but_not_any_number() {
        let mut hosts = Hosts::default();
        let mut calls: Vec<Call> =
            (0..HOSTS_MAX + 5).map(|number| call(&format!("http://h{number}.test/"), true)).collect();
        hosts.leave_out_unresolved(&mut calls, |_| true);
        assert_eq!((calls.len(), hosts.too_many(), hosts.left_out()), (HOSTS_MAX, 5, 5));
    }
}
