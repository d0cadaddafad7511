//! Fetches the resources of pages before the session continues.

use super::{Extras, Provenance, Unplanned};
use crate::page;
use crate::session::Reply;
use warwolf_plan::{Request, ResourceOrder, Resources};

/// Maximum depth of nested pages, so that two pages that contain each other come to an end.
const DEPTH_MAX: u32 = 8;
/// Maximum number of page refreshes, where redirects have a lower limit.
pub(super) const REFRESHES: u32 = 20;

/// Maximum bytes of a page that are kept for parsing.
pub(super) const PAGE_BYTES: usize = 1 << 20;

/// The resources that are still to be fetched.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// The next one is last.
    parts: Vec<Part>,
    /// A resource is fetched when the session has fewer calls in flight.
    concurrency: u32,
}

/// A resource of a page.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(super) request: Request,
    /// Whether the copy of the session is fresh.
    pub(super) is_fresh: bool,
    /// Number of pages it is nested in.
    pub(super) depth: u32,
}

impl State {
    pub(super) fn pop(&mut self, in_flight: u32) -> Option<Part> {
        if in_flight < self.concurrency { self.parts.pop() } else { None }
    }

    pub(super) fn clear(&mut self) {
        self.parts.clear();
    }
}

/// Stores the resources of a page, and returns the page that it refreshes to.
pub(super) fn reply(
    wanted: &Resources,
    refreshes: u32,
    extras: &mut Option<Box<Extras>>,
    reply: &Reply<'_>,
    from: Provenance,
) -> Option<Unplanned> {
    let page = reply.page().filter(|_| reply.completed && from.depth < DEPTH_MAX)?;
    let mut found = page::read(page, &reply.sent(), wanted);
    if wanted.order == ResourceOrder::Document {
        found.resources.reverse();
    }
    if !found.resources.is_empty() {
        let Extras { resources, cache, .. } = &mut **extras.get_or_insert_default();
        resources.concurrency = wanted.concurrency;
        resources.parts.extend(found.resources.into_iter().map(|request| Part {
            is_fresh: cache.is_fresh(&request, reply.at),
            request,
            depth: from.depth + 1,
        }));
    }
    let request = found.refresh.filter(|_| from.redirects < refreshes)?;
    Some(Unplanned { request, from: Provenance { redirects: from.redirects + 1, attempts: 1, ..from } })
}
