//! Tracks which replies are fresh, so that page resources are not fetched again.

use super::Extras;
use crate::page::good_for;
use crate::session::Reply;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use warwolf_clock::Timestamp;
use warwolf_plan::Request;

/// The header fields that say until when a reply is fresh.
pub(super) const HEADERS: [&str; 2] = ["expires", "date"];
/// Maximum number of fresh replies that a session remembers.
const FRESH_MAX: usize = 10_000;

/// Until when replies are fresh, by the fingerprint of their request.
#[derive(Clone, Debug, Default)]
pub(crate) struct State(HashMap<u64, Timestamp>);

impl State {
    pub(crate) fn is_fresh(&self, request: &Request, at: Timestamp) -> bool {
        self.0.get(&fingerprint(request)).is_some_and(|until| *until > at)
    }
}

/// Stores how long a reply is fresh.
pub(super) fn note(extras: &mut Option<Box<Extras>>, reply: &Reply<'_>) {
    let [expires, date] = HEADERS.map(|name| reply.headers.get(name));
    let (Some(0..300), Some(good_for)) = (reply.status(), good_for(expires, date)) else { return };
    let State(fresh) = &mut extras.get_or_insert_default().cache;
    if fresh.len() < FRESH_MAX {
        fresh.insert(fingerprint(&reply.sent()), reply.at + good_for);
    }
}

fn fingerprint(request: &Request) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&request.method, &request.endpoint, &request.path).hash(&mut hasher);
    hasher.finish()
}
