//! The walk: page after page, as fast as allowed.

use crate::frontier::{Frontier, Waiting};
use crate::links::links;
use crate::robots::Robots;
use std::collections::HashMap;
use std::io;
use std::time::Duration;
use url::Url;
use warwolf_clock::Timestamp;
use warwolf_driver::Driver;
use warwolf_exchange::{BodyLimits, Ending, Exchange, Exchanges, Message, Target, Timeouts};

/// How far a walk goes, and how fast.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Pages at the most, those that fail included.
    pub pages: u32,
    /// Clicks away from the start at the most.
    pub depth: u32,
    /// Requests a second, more than zero.
    pub rate: f64,
    /// Requests at once, at least 1.
    pub at_once: u32,
    /// For connecting, and for the next byte.
    pub patience: Duration,
    /// So much of a page is read for links.
    pub page_bytes: usize,
    /// Only addresses whose path begins so.
    pub under: String,
    /// Whether `robots.txt` counts.
    pub robots: bool,
    /// Whether what pages load (images, scripts, styles) is listed as well; it is not asked for.
    pub resources: bool,
    /// Header lines for every request, without their ends.
    pub fields: Vec<String>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pages: 10_000,
            depth: 20,
            rate: 50.0,
            at_once: 8,
            patience: Duration::from_secs(10),
            page_bytes: 1 << 20,
            under: "/".to_owned(),
            robots: true,
            resources: false,
            fields: Vec::new(),
        }
    }
}

/// A page that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its address.
    pub url: Url,
    /// How many clicks it is away from the start.
    pub depth: u32,
    /// What it was answered with, 0 when it was not, or not asked for.
    pub status: u16,
    /// Where it leads, by places in the list of pages, each once, in the order of the page.
    pub links: Vec<u32>,
    /// Whether it is loaded by pages and not clicked on.
    pub is_resource: bool,
}

/// A site, as far as it was walked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// The pages, the start first.
    pub pages: Vec<Page>,
    /// Requests sent, `robots.txt` included.
    pub requests: u64,
    /// Links left out because they lead to another origin, or another part of the site.
    pub outside: u64,
    /// Links left out because `robots.txt` forbids them.
    pub forbidden: u64,
    /// Whether a limit cut it short.
    pub is_cut: bool,
}

/// Why there was no walk.
#[derive(Debug)]
pub enum WalkError {
    /// The kernel refuses to wait.
    Machine(io::Error),
    /// `robots.txt` forbids the start, or cannot be had.
    Forbidden,
    /// The start is not answered: what came instead.
    NoStart(Ending),
}

impl From<io::Error> for WalkError {
    fn from(error: io::Error) -> Self {
        Self::Machine(error)
    }
}

/// How far a walk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Pages asked for.
    pub asked: u64,
    /// Pages found.
    pub found: u64,
}

/// What a crawler calls itself.
const NAME: &str = "warwolf";
/// The most links kept of one page.
const LINKS_KEPT: usize = 256;

/// A walk under way.
pub struct Walk<'a, D> {
    exchanges: Exchanges<D>,
    place: &'a Target,
    limits: &'a Limits,
    start: &'a Url,
    robots: Robots,
    frontier: Frontier,
    site: Site,
    under_way: HashMap<u64, Waiting>,
}

impl<D> std::fmt::Debug for Walk<'_, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Walk").field("start", &self.start.as_str()).finish_non_exhaustive()
    }
}

impl<'a, D: Driver> Walk<'a, D> {
    /// Walks the site of `start`, which is at `place`; the driver needs room for `limits.at_once` sockets. `watch` is told how it goes and
    /// ends it early by saying false.
    ///
    /// # Errors
    /// When the start may not be asked for or is not answered, or this machine cannot go on.
    pub fn run(
        driver: D,
        place: &'a Target,
        start: &'a Url,
        limits: &'a Limits,
        watch: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Site, WalkError> {
        let body = BodyLimits { kept: limits.page_bytes, awaited: limits.page_bytes as u64 };
        let mut walk = Self {
            exchanges: Exchanges::new(driver, limits.at_once, body),
            place,
            limits,
            start,
            robots: Robots::everything(),
            frontier: Frontier::new(limits.pages),
            site: Site::default(),
            under_way: HashMap::new(),
        };
        if limits.robots {
            walk.read_robots()?;
        }
        if !walk.robots.allows(target(start)) {
            return Err(WalkError::Forbidden);
        }
        walk.find(start, 0);
        walk.go(watch)?;
        Ok(walk.site)
    }

    /// Asks for `robots.txt`: without one everything is allowed, with one that cannot be had nothing (RFC 9309 section 2.3.1).
    fn read_robots(&mut self) -> Result<(), WalkError> {
        let mut url = self.start.clone();
        url.set_path("/robots.txt");
        url.set_query(None);
        self.site.requests += 1;
        let exchange = self.exchanges.alone(self.message(&url), self.place, self.patience())?;
        self.robots = match (exchange.ending, exchange.reply.status) {
            (Ending::Complete, 200..=299) => Robots::parse(&exchange.reply.body, NAME),
            // Redirects are not followed; most lead to a page that is no such file.
            (Ending::Complete, 300..=499) => Robots::everything(),
            (Ending::Complete, _) => Robots::nothing(),
            (ending, _) => return Err(WalkError::NoStart(ending)),
        };
        Ok(())
    }

    fn go(&mut self, watch: &mut dyn FnMut(Progress) -> bool) -> Result<(), WalkError> {
        let gap = Duration::from_secs_f64(1.0 / self.limits.rate).max(self.robots.delay.unwrap_or_default());
        let mut next_at = self.exchanges.now();
        let mut number = 0;
        let mut done = Vec::new();
        while !self.frontier.is_empty() || self.exchanges.in_flight() > 0 {
            let now = self.exchanges.now();
            if self.exchanges.room() > 0
                && now >= next_at
                && let Some(waiting) = self.frontier.next()
            {
                self.exchanges.start(number, self.message(&waiting.url), self.place, self.patience());
                self.under_way.insert(number, waiting);
                self.site.requests += 1;
                number += 1;
                // What was missed is not made up for: a site that was slow is not to be hurried.
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
                self.take(exchange)?;
            }
        }
        Ok(())
    }

    fn patience(&self) -> Timeouts {
        let idle = self.limits.patience;
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

    /// Looks at what came for a page.
    fn take(&mut self, exchange: Exchange) -> Result<(), WalkError> {
        let Some(Waiting { url, depth, page }) = self.under_way.remove(&exchange.tag) else { return Ok(()) };
        if page == 0 && exchange.ending != Ending::Complete {
            return Err(WalkError::NoStart(exchange.ending));
        }
        let reply = exchange.reply;
        self.site.pages[page as usize].status = reply.status;
        let mut there = Vec::new();
        let location = reply.field("location").and_then(|text| std::str::from_utf8(text).ok());
        if (300..400).contains(&reply.status)
            && let Some(Ok(mut to)) = location.map(|text| url.join(text.trim()))
        {
            to.set_fragment(None);
            there.push(to);
        }
        let kind = reply.field("content-type").unwrap_or_default().to_ascii_lowercase();
        if (200..300).contains(&reply.status)
            && (kind.starts_with(b"text/html") || kind.starts_with(b"application/xhtml"))
        {
            let found = links(&reply.body, &url);
            there.extend(found.pages);
            if self.limits.resources {
                found.resources.iter().for_each(|url| self.list(url, depth));
            }
        }
        let mut leads = Vec::new();
        for url in &there {
            if let Some(page) = self.find(url, depth + 1)
                && !leads.contains(&page)
                && leads.len() < LINKS_KEPT
            {
                leads.push(page);
            }
        }
        self.site.pages[page as usize].links = leads;
        Ok(())
    }

    /// Whether an address is of this site.
    fn is_inside(&mut self, url: &Url) -> bool {
        let is_inside = url.origin() == self.start.origin() && url.path().starts_with(&self.limits.under);
        self.site.outside += u64::from(!is_inside);
        let is_allowed = !is_inside || self.robots.allows(target(url));
        self.site.forbidden += u64::from(!is_allowed);
        is_inside && is_allowed
    }

    /// The page at `url`, if it is one of this site; a new one is going to be asked for.
    fn find(&mut self, url: &Url, depth: u32) -> Option<u32> {
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
            let url = url.clone();
            self.site.pages.push(Page { url, depth, status: 0, links: Vec::new(), is_resource: false });
        }
        Some(page)
    }

    /// Lists what a page loads, without asking for it.
    fn list(&mut self, url: &Url, depth: u32) {
        if !self.is_inside(url) {
            return;
        }
        match self.frontier.note(url) {
            Some(page) if page as usize == self.site.pages.len() => {
                let url = url.clone();
                self.site.pages.push(Page { url, depth, status: 0, links: Vec::new(), is_resource: true });
            }
            Some(_) => {}
            None => self.site.is_cut = true,
        }
    }
}

/// Path and query of an address.
fn target(url: &Url) -> &str {
    &url[url::Position::BeforePath..url::Position::AfterQuery]
}

#[cfg(test)]
mod tests;
