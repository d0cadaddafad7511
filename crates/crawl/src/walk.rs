//! The crawl: requests page after page at the allowed rate.

use crate::frontier::{Frontier, Queued};
use crate::links::{self, links};
use crate::robots::Robots;
use std::collections::HashMap;
use std::io;
use std::time::Duration;
use url::Url;
use warwolf_clock::Timestamp;
use warwolf_driver::Driver;
use warwolf_exchange::{BodyLimits, Ending, Exchange, Exchanges, Message, Target, Timeouts};

/// Limits of a crawl.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Maximum number of pages, including those that fail.
    pub pages: u32,
    /// Maximum distance from the start in clicks.
    pub depth: u32,
    /// Requests per second, greater than zero.
    pub rate: f64,
    /// Maximum concurrent requests, at least 1.
    pub at_once: u32,
    /// Timeout for connecting and for the next byte.
    pub timeout: Duration,
    /// Maximum bytes of a page that are searched for links.
    pub page_bytes: usize,
    /// Only URLs whose path has this prefix are followed.
    pub under: String,
    /// Obey `robots.txt`.
    pub robots: bool,
    /// Also list the resources of pages (images, scripts, styles), without requesting them.
    pub resources: bool,
    /// Header lines for every request, without line ends.
    pub fields: Vec<String>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pages: 10_000,
            depth: 20,
            rate: 50.0,
            at_once: 8,
            timeout: Duration::from_secs(10),
            page_bytes: 1 << 20,
            under: "/".to_owned(),
            robots: true,
            resources: false,
            fields: Vec::new(),
        }
    }
}

/// A page of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its URL.
    pub url: Url,
    /// Its distance from the start in clicks.
    pub depth: u32,
    /// The status of the response; 0 if there was none or the page was not requested.
    pub status: u16,
    /// How the exchange ended; `None` if the page was not requested.
    pub ending: Option<Ending>,
    /// The first page that links to it, as an index in the list of pages; `None` for the start.
    pub referrer: Option<u32>,
    /// Its links as indices in the list of pages, in document order, without duplicates.
    pub links: Vec<u32>,
    /// It is a resource of pages, not a link.
    pub is_resource: bool,
}

impl Page {
    /// A page that was not requested.
    fn at(url: &Url) -> Self {
        Self {
            url: url.clone(),
            depth: 0,
            status: 0,
            ending: None,
            referrer: None,
            links: Vec::new(),
            is_resource: false,
        }
    }
}

/// The result of a crawl.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// The pages, the start first.
    pub pages: Vec<Page>,
    /// Requests sent, `robots.txt` included.
    pub requests: u64,
    /// Links ignored because they lead to another origin or another part of the site.
    pub outside: u64,
    /// Links ignored because `robots.txt` forbids them.
    pub forbidden: u64,
    /// A limit ended the crawl early.
    pub is_cut: bool,
}

/// Why a crawl failed.
#[derive(Debug)]
pub enum WalkError {
    /// Queued for events failed in the kernel.
    Machine(io::Error),
    /// `robots.txt` forbids the start URL, or could not be read.
    Forbidden,
    /// The start URL could not be loaded.
    NoStart(Ending),
}

impl From<io::Error> for WalkError {
    fn from(error: io::Error) -> Self {
        Self::Machine(error)
    }
}

/// The progress of a crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Pages requested.
    pub asked: u64,
    /// Pages found.
    pub found: u64,
}

/// The name of this crawler in `robots.txt` and `User-Agent`.
const NAME: &str = "warwolf";
/// Maximum number of links stored per page.
const LINKS_KEPT: usize = 256;

/// A crawl in progress.
pub struct Walk<'a, D> {
    exchanges: Exchanges<D>,
    server: &'a Target,
    limits: &'a Limits,
    start: &'a Url,
    robots: Robots,
    frontier: Frontier,
    site: Site,
    in_flight: HashMap<u64, Queued>,
}

impl<D> std::fmt::Debug for Walk<'_, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Walk").field("start", &self.start.as_str()).finish_non_exhaustive()
    }
}

impl<'a, D: Driver> Walk<'a, D> {
    /// Crawls the site of `start`, which is served by `server`. The driver needs room for `limits.at_once` sockets. `watch` receives
    /// the progress and returns false to end the crawl early. If waiting is interrupted, the site is as far as it was crawled.
    ///
    /// # Errors
    /// When the start URL is forbidden or cannot be loaded, or when queued fails in the kernel.
    pub fn run(
        driver: D,
        server: &'a Target,
        start: &'a Url,
        limits: &'a Limits,
        watch: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Site, WalkError> {
        let body = BodyLimits { kept: limits.page_bytes, awaited: limits.page_bytes as u64 };
        let mut walk = Self {
            exchanges: Exchanges::new(driver, limits.at_once, body),
            server,
            limits,
            start,
            robots: Robots::everything(),
            frontier: Frontier::new(limits.pages),
            site: Site::default(),
            in_flight: HashMap::new(),
        };
        match walk.crawl_site(watch) {
            Err(WalkError::Machine(error)) if error.kind() == io::ErrorKind::Interrupted => {
                walk.site.is_cut = true;
            }
            result => result?,
        }
        Ok(walk.site)
    }

    fn crawl_site(&mut self, watch: &mut dyn FnMut(Progress) -> bool) -> Result<(), WalkError> {
        if self.limits.robots {
            self.read_robots()?;
        }
        if !self.robots.allows(target(self.start)) {
            return Err(WalkError::Forbidden);
        }
        self.add_page(self.start, 0, None);
        self.crawl(watch)
    }

    /// Requests `robots.txt`. If it does not exist, everything is allowed; if the server fails, nothing (RFC 9309 section 2.3.1).
    fn read_robots(&mut self) -> Result<(), WalkError> {
        let mut url = self.start.clone();
        url.set_path("/robots.txt");
        url.set_query(None);
        self.site.requests += 1;
        let exchange = self.exchanges.alone(self.message(&url), self.server, self.timeouts())?;
        self.robots = match (exchange.ending, exchange.reply.status) {
            (Ending::Complete, 200..=299) => Robots::parse(&exchange.reply.body, NAME),
            // Redirects are not followed; most lead to an HTML page.
            (Ending::Complete, 300..=499) => Robots::everything(),
            (Ending::Complete, _) => Robots::nothing(),
            (ending, _) => return Err(WalkError::NoStart(ending)),
        };
        Ok(())
    }

    fn crawl(&mut self, watch: &mut dyn FnMut(Progress) -> bool) -> Result<(), WalkError> {
        let gap = Duration::from_secs_f64(1.0 / self.limits.rate).max(self.robots.delay.unwrap_or_default());
        let mut next_at = self.exchanges.now();
        let mut number = 0;
        let mut done = Vec::new();
        while !self.frontier.is_empty() || self.exchanges.in_flight() > 0 {
            let now = self.exchanges.now();
            if self.exchanges.room() > 0
                && now >= next_at
                && let Some(queued) = self.frontier.next()
            {
                self.exchanges.start(number, self.message(&queued.url), self.server, self.timeouts());
                self.in_flight.insert(number, queued);
                self.site.requests += 1;
                number += 1;
                // Missed requests are not sent later in a burst, because that would overload a slow site.
                next_at = (next_at + gap).max(now);
                if !watch(Progress { asked: number, found: self.site.pages.len() as u64 }) {
                    self.site.is_cut = true;
                    self.exchanges.cut();
                    return Ok(());
                }
                continue;
            }
            let may_start = self.exchanges.room() > 0 && !self.frontier.is_empty();
            self.exchanges.wait(if may_start { next_at } else { Timestamp::NEVER }, &mut done)?;
            for exchange in done.drain(..) {
                self.handle_response(exchange)?;
            }
        }
        Ok(())
    }

    fn timeouts(&self) -> Timeouts {
        let idle = self.limits.timeout;
        Timeouts { connect: idle, idle, total: idle * 3 }
    }

    fn message(&self, url: &Url) -> Message {
        let host = match (url.host_str(), url.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (host, _) => host.unwrap_or_default().to_owned(),
        };
        let mut head = format!("GET {} HTTP/1.1\r\nHost: {host}\r\n", target(url));
        head +=
            &format!("User-Agent: {NAME}/{}\r\nAccept: text/html, */*;q=0.5\r\n", env!("CARGO_PKG_VERSION"));
        for field in &self.limits.fields {
            head += &format!("{field}\r\n");
        }
        Message::of(head + "Connection: close\r\n\r\n")
    }

    /// Handles the response for a page.
    fn handle_response(&mut self, exchange: Exchange) -> Result<(), WalkError> {
        let Some(Queued { url, depth, page }) = self.in_flight.remove(&exchange.tag) else { return Ok(()) };
        if page == 0 && exchange.ending != Ending::Complete {
            return Err(WalkError::NoStart(exchange.ending));
        }
        let reply = exchange.reply;
        self.site.pages[page as usize].status = reply.status;
        self.site.pages[page as usize].ending = Some(exchange.ending);
        let mut targets = Vec::new();
        let location = reply.field("location").and_then(|text| std::str::from_utf8(text).ok());
        if (300..400).contains(&reply.status)
            && let Some(mut to) = location.and_then(|text| links::join(&url, text))
        {
            to.set_fragment(None);
            targets.push(to);
        }
        let kind = reply.field("content-type").unwrap_or_default().to_ascii_lowercase();
        if (200..300).contains(&reply.status)
            && (kind.starts_with(b"text/html") || kind.starts_with(b"application/xhtml"))
        {
            let found = links(&reply.body, &url);
            targets.extend(found.pages);
            if self.limits.resources {
                found.resources.iter().for_each(|url| self.add_resource(url, depth, page));
            }
        }
        let mut links_here = Vec::new();
        for url in &targets {
            if let Some(linked) = self.add_page(url, depth + 1, Some(page))
                && !links_here.contains(&linked)
                && links_here.len() < LINKS_KEPT
            {
                links_here.push(linked);
            }
        }
        self.site.pages[page as usize].links = links_here;
        Ok(())
    }

    /// Returns whether a URL belongs to the site and is allowed; counts it otherwise.
    fn is_inside(&mut self, url: &Url) -> bool {
        let is_inside = url.origin() == self.start.origin() && url.path().starts_with(&self.limits.under);
        self.site.outside += u64::from(!is_inside);
        let is_allowed = !is_inside || self.robots.allows(target(url));
        self.site.forbidden += u64::from(!is_allowed);
        is_inside && is_allowed
    }

    /// Returns the index of the page at `url` if it belongs to the site, and queues it if it is new.
    fn add_page(&mut self, url: &Url, depth: u32, referrer: Option<u32>) -> Option<u32> {
        if depth > 0 && !self.is_inside(url) {
            return None;
        }
        if depth > self.limits.depth {
            self.site.is_cut = true;
            return None;
        }
        let page = self.frontier.add(url, depth);
        self.site.is_cut |= page.is_none();
        let page = page?;
        if page as usize == self.site.pages.len() {
            self.site.pages.push(Page { depth, referrer, ..Page::at(url) });
        }
        Some(page)
    }

    /// Lists a resource without requesting it.
    fn add_resource(&mut self, url: &Url, depth: u32, referrer: u32) {
        if !self.is_inside(url) {
            return;
        }
        match self.frontier.note(url) {
            Some(page) if page as usize == self.site.pages.len() => {
                let referrer = Some(referrer);
                self.site.pages.push(Page { depth, referrer, is_resource: true, ..Page::at(url) });
            }
            Some(_) => {}
            None => self.site.is_cut = true,
        }
    }
}

/// Returns path and query of a URL.
fn target(url: &Url) -> &str {
    &url[url::Position::BeforePath..url::Position::AfterQuery]
}

#[cfg(test)]
mod tests;
