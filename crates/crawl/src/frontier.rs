//! The bounded queue of pages to request, and the set of known URLs.

use std::collections::{HashMap, VecDeque};
use url::Url;

/// A URL in the queue, with its distance from the start in clicks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Queued {
    pub(crate) url: Url,
    pub(crate) depth: u32,
    /// Its index in the list of pages.
    pub(crate) page: u32,
}

/// A breadth-first queue, so that a limit cuts off the most distant pages.
#[derive(Debug, Default)]
pub(crate) struct Frontier {
    queue: VecDeque<Queued>,
    /// Known URLs, with their index in the list of pages.
    seen: HashMap<Url, u32>,
    /// Maximum number of pages.
    most: u32,
}

impl Frontier {
    pub(crate) fn new(most: u32) -> Self {
        Self { most, ..Self::default() }
    }

    /// Returns the index of a URL in the list of pages, and queues it if it is new. Returns `None` at the limit of pages.
    pub(crate) fn add(&mut self, url: &Url, depth: u32) -> Option<u32> {
        let known = self.seen.len();
        let page = self.note(url)?;
        if page as usize == known {
            self.queue.push_back(Queued { url: url.clone(), depth, page });
        }
        Some(page)
    }

    /// Returns the index of a URL that is listed but not requested, or `None` at the limit of pages.
    pub(crate) fn note(&mut self, url: &Url) -> Option<u32> {
        if let Some(page) = self.seen.get(url) {
            return Some(*page);
        }
        let page = u32::try_from(self.seen.len()).ok().filter(|page| *page < self.most)?;
        self.seen.insert(url.clone(), page);
        Some(page)
    }

    pub(crate) fn next(&mut self) -> Option<Queued> {
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
    fn each_url_is_queued_once_and_the_limit_holds() {
        let url = |path: &str| Url::parse(&format!("http://a.test/{path}")).unwrap();
        let mut frontier = Frontier::new(2);
        assert_eq!(
            [frontier.add(&url("a"), 0), frontier.add(&url("b"), 1), frontier.add(&url("a"), 2)],
            [Some(0), Some(1), Some(0)]
        );
        assert_eq!(frontier.add(&url("c"), 1), None);
        assert_eq!(frontier.next().map(|queued| queued.depth), Some(0));
        assert!(!frontier.is_empty());
        assert_eq!(frontier.next().map(|queued| queued.page), Some(1));
        assert_eq!(frontier.next(), None);
    }
}
