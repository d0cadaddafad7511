//! What is still to be asked for, and what was seen: a queue and a set, both bounded.

use std::collections::{HashMap, VecDeque};
use url::Url;

/// An address that waits, with how many clicks it is away from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) url: Url,
    pub(crate) depth: u32,
    /// Its place in the list of pages.
    pub(crate) page: u32,
}

/// Breadth first: what is near comes first, so that a limit cuts off what is far.
#[derive(Debug, Default)]
pub(crate) struct Frontier {
    queue: VecDeque<Waiting>,
    /// Addresses that have a place in the list of pages.
    seen: HashMap<Url, u32>,
    most: u32,
}

impl Frontier {
    pub(crate) fn new(most: u32) -> Self {
        Self { most, ..Self::default() }
    }

    /// The place of an address in the list of pages; a new one waits from now on. None when there are too many.
    pub(crate) fn add(&mut self, url: &Url, depth: u32) -> Option<u32> {
        let known = self.seen.len();
        let page = self.note(url)?;
        if page as usize == known {
            self.queue.push_back(Waiting { url: url.clone(), depth, page });
        }
        Some(page)
    }

    /// The place of an address that is listed and never asked for.
    pub(crate) fn note(&mut self, url: &Url) -> Option<u32> {
        if let Some(page) = self.seen.get(url) {
            return Some(*page);
        }
        let page = u32::try_from(self.seen.len()).ok().filter(|page| *page < self.most)?;
        self.seen.insert(url.clone(), page);
        Some(page)
    }

    pub(crate) fn next(&mut self) -> Option<Waiting> {
        self.queue.pop_front()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_waits_once_and_there_is_a_limit() {
        let url = |path: &str| Url::parse(&format!("http://a.test/{path}")).unwrap();
        let mut frontier = Frontier::new(2);
        assert_eq!(
            [frontier.add(&url("a"), 0), frontier.add(&url("b"), 1), frontier.add(&url("a"), 2)],
            [Some(0), Some(1), Some(0)]
        );
        assert_eq!(frontier.add(&url("c"), 1), None);
        assert_eq!(frontier.next().map(|waiting| waiting.depth), Some(0));
        assert!(!frontier.is_empty());
        assert_eq!(frontier.next().map(|waiting| waiting.page), Some(1));
        assert_eq!(frontier.next(), None);
    }
}
