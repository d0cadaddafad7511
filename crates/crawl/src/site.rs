//! What a crawled site amounts to: a list of URLs, and the links between its pages.

use crate::{Page, Site};
use std::fmt;
use warwolf_exchange::Ending;

/// Maximum number of redirects in a row.
const REDIRECTS_MAX: u32 = 5;

/// How many pages a crawl found, by what came of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageCounts {
    /// Pages with status 200.
    pub loaded: usize,
    /// Pages with any other result.
    pub other: usize,
    /// Resources, which are not requested.
    pub resources: usize,
}

/// A link that leads to no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenLink<'a> {
    /// Where it leads.
    pub page: &'a Page,
    /// The first page with such a link; `None` for the start of the crawl.
    pub referrer: Option<&'a Page>,
}

impl BrokenLink<'_> {
    /// The status, or why there was none.
    #[must_use]
    pub fn reason(&self) -> String {
        match self.page.ending {
            Some(ending) if ending != Ending::Complete => ending.to_string(),
            _ => self.page.status.to_string(),
        }
    }
}

impl fmt::Display for BrokenLink<'_> {
    /// Status or failure, URL and referrer, separated by tabs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let referrer = self.referrer.map_or("-", |page| page.url.as_str());
        write!(f, "{}\t{}\t{referrer}", self.reason(), self.page.url)
    }
}

impl Site {
    /// The links whose pages could not be loaded or had a status of 400 or more, in the order of discovery.
    pub fn broken_links(&self) -> impl Iterator<Item = BrokenLink<'_>> {
        let is_broken =
            |page: &&Page| page.ending.is_some_and(|ending| ending != Ending::Complete || page.status >= 400);
        self.pages.iter().filter(is_broken).map(|page| BrokenLink {
            page,
            referrer: page.referrer.and_then(|number| self.pages.get(number as usize)),
        })
    }

    /// Counts the pages.
    #[must_use]
    pub fn counts(&self) -> PageCounts {
        let loaded = self.pages.iter().filter(|page| page.status == 200).count();
        let resources = self.pages.iter().filter(|page| page.is_resource).count();
        PageCounts { loaded, other: self.pages.len() - loaded - resources, resources }
    }

    /// The pages with status 200 and the resources, one URL per line. `$` is written as `%24`, because siege replaces `$(NAME)` in
    /// a list by an environment variable, and the site must not receive it.
    #[must_use]
    pub fn urls(&self) -> String {
        let listed = self.pages.iter().filter(|page| page.status == 200 || page.is_resource);
        listed.map(|page| format!("{}\n", page.url.as_str().replace('$', "%24"))).collect()
    }

    /// The pages with status 200, each with the indices of those it links to. Redirects are followed; links to other pages are left
    /// out.
    #[must_use]
    pub fn clicks(&self) -> Vec<(String, Vec<u32>)> {
        let mut indices = vec![None; self.pages.len()];
        let loaded: Vec<&Page> = self.pages.iter().filter(|page| page.status == 200).collect();
        let numbers = (0..self.pages.len()).filter(|page| self.pages[*page].status == 200);
        for (index, page) in (0..).zip(numbers) {
            indices[page] = Some(index);
        }
        let landing = |mut page: usize| {
            for _ in 0..REDIRECTS_MAX {
                if indices[page].is_some() {
                    return indices[page];
                }
                page = *self.pages[page].links.first()? as usize;
            }
            None
        };
        let clicks = loaded.into_iter().map(|page| {
            let mut links: Vec<u32> = Vec::new();
            for link in page.links.iter().filter_map(|page| landing(*page as usize)) {
                if !links.contains(&link) {
                    links.push(link);
                }
            }
            (page.url.to_string(), links)
        });
        clicks.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn page(path: &str, status: u16, links: &[u32]) -> Page {
        let url = Url::parse("http://a.test/").unwrap().join(path).unwrap();
        Page {
            url,
            depth: 0,
            status,
            ending: None,
            referrer: None,
            links: links.to_vec(),
            is_resource: status == 0,
        }
    }

    #[test]
    fn redirects_are_followed_and_failed_pages_left_out() {
        let pages = vec![
            page("/", 200, &[1, 3, 2, 0]),
            page("/old", 301, &[2]),
            page("/new", 200, &[0]),
            page("/gone", 404, &[]),
            page("/style.css", 0, &[]),
        ];
        let site = Site { pages, ..Site::default() };
        let clicks: Vec<Vec<u32>> = site.clicks().into_iter().map(|(_, links)| links).collect();
        assert_eq!(clicks, [vec![1, 0], vec![0]]);
        assert_eq!(site.counts(), PageCounts { loaded: 2, other: 2, resources: 1 });
        assert_eq!(site.urls(), "http://a.test/\nhttp://a.test/new\nhttp://a.test/style.css\n");
    }

    #[test]
    fn a_loop_of_redirects_ends() {
        let pages = vec![page("/", 200, &[1]), page("/a", 302, &[2]), page("/b", 302, &[1])];
        assert_eq!(Site { pages, ..Site::default() }.clicks()[0].1, [0_u32; 0]);
    }

    #[test]
    fn a_list_of_urls_expands_no_variables() {
        let site = Site { pages: vec![page("/$(AWS_SECRET_ACCESS_KEY)", 200, &[])], ..Site::default() };
        assert_eq!(site.urls(), "http://a.test/%24(AWS_SECRET_ACCESS_KEY)\n");
    }
}
