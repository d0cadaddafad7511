//! Crawls of generated sites in virtual time.

use super::*;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use warwolf_driver::Address;
use warwolf_sim::{Ending as Then, Reply, Request, Scenario, Server, SimDriver};

fn place() -> Target {
    Target { address: Address::Ip(([127, 0, 0, 1], 80).into()), tls: None }
}

/// Returns a server that answers each target with a status, a type and a text, and the list of requested targets.
fn site(
    answer: impl Fn(&str) -> (u16, &'static str, String) + Send + 'static,
) -> (Scenario, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&asked);
    let server = Server::new(move |request: &Request<'_>| {
        list.lock().unwrap().push(request.target.to_owned());
        let (status, kind, text) = answer(request.target);
        let field = if (300..400).contains(&status) { "Location" } else { "Content-Type" };
        let length = text.len();
        let reply =
            format!("HTTP/1.1 {status} X\r\n{field}: {kind}\r\nContent-Length: {length}\r\n\r\n{text}");
        Reply::raw(reply).then(Then::Close)
    });
    (Scenario::new(1, server), asked)
}

fn walked(scenario: Scenario, limits: &Limits) -> Result<Site, WalkError> {
    let start = Url::parse("http://a.test/").unwrap();
    Walk::run(SimDriver::new(scenario), &place(), &start, limits, &mut |_| true)
}

fn paths(site: &Site) -> Vec<&str> {
    site.pages.iter().map(|page| target(&page.url)).collect()
}

/// A site of a thousand pages: page n links to 2n + 1, 2n + 2 and the start.
fn thousand(target: &str) -> (u16, &'static str, String) {
    let number =
        if target == "/" { Some(0) } else { target.strip_prefix("/p").and_then(|n| n.parse::<u32>().ok()) };
    match number {
        Some(n) if n < 1_000 => {
            let next: String = [2 * n + 1, 2 * n + 2]
                .iter()
                .filter(|n| **n < 1_000)
                .map(|n| format!("<a href=/p{n}>{n}</a>"))
                .collect();
            (
                200,
                "text/html; charset=utf-8",
                format!("{next}<a href='/#top'>home</a><form action=/buy></form>"),
            )
        }
        _ => (404, "text/html", String::new()),
    }
}

#[test]
fn a_site_of_a_thousand_pages_is_crawled_completely() {
    let (scenario, asked) = site(thousand);
    let site = walked(scenario, &Limits { rate: 1_000.0, ..Limits::default() }).unwrap();
    assert_eq!((site.pages.len(), site.requests, site.is_cut), (1_000, 1_001, false));
    assert!(site.pages.iter().all(|page| page.status == 200));
    assert_eq!(site.pages.iter().map(|page| page.depth).max(), Some(9));
    let asked = asked.lock().unwrap();
    assert_eq!(asked.iter().collect::<BTreeSet<_>>().len(), asked.len(), "no target was requested twice");
    assert!(!asked.iter().any(|target| target == "/buy"));
    // Page n links to its two children and to the start.
    let three = site.pages.iter().find(|page| target(&page.url) == "/p3").unwrap();
    let leads: Vec<&str> = three.links.iter().map(|page| target(&site.pages[*page as usize].url)).collect();
    assert_eq!(leads, ["/p7", "/p8", "/"]);
}

#[test]
fn an_endless_site_is_limited_by_pages_and_by_depth() {
    let endless = |target: &str| {
        let links: String = (0..50).map(|n| format!("<a href='{target}x{n}'>")).collect();
        (if target == "/robots.txt" { 404 } else { 200 }, "text/html", links)
    };
    let limits = Limits { pages: 300, rate: 1e4, ..Limits::default() };
    let cut = walked(site(endless).0, &limits).unwrap();
    assert_eq!((cut.pages.len(), cut.is_cut), (300, true));
    let limits = Limits { depth: 1, rate: 1e4, ..Limits::default() };
    let cut = walked(site(endless).0, &limits).unwrap();
    assert_eq!((cut.pages.len(), cut.is_cut), (51, true));
}

#[test]
fn robots_scope_and_redirects_are_obeyed() {
    let answer = |target: &str| match target {
        "/robots.txt" => (200, "text/plain", "User-agent: *\nDisallow: /private\n".to_owned()),
        "/" => {
            let text = "<a href=/private/x><a href=http://b.test/><a href=/moved><a href=/image.png><img src=/i.png><a href=https://a.test/>";
            (200, "text/html", text.to_owned())
        }
        "/moved" => (302, "/new?x=1#part", String::new()),
        "/image.png" => (200, "image/png", "<a href=/never>".to_owned()),
        _ => (200, "text/html", String::new()),
    };
    let (scenario, asked) = site(answer);
    let limits = Limits { resources: true, ..Limits::default() };
    let site = walked(scenario, &limits).unwrap();
    assert_eq!(paths(&site), ["/", "/i.png", "/moved", "/image.png", "/new?x=1"]);
    assert_eq!((site.outside, site.forbidden), (2, 1));
    assert!(site.pages[1].is_resource && site.pages[1].status == 0);
    assert!(!asked.lock().unwrap().iter().any(|target| target == "/i.png"));
}

#[test]
fn the_rate_and_crawl_delay_are_obeyed() {
    for (robots, gap_ms) in [("", 100), ("User-agent: *\nCrawl-delay: 2\n", 2_000)] {
        let times = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&times);
        let server = Server::new(move |request: &Request<'_>| {
            list.lock().unwrap().push(request.at);
            let text =
                if request.target == "/robots.txt" { robots.to_owned() } else { thousand(request.target).2 };
            let length = text.len();
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n");
            Reply::raw(head + &text).then(Then::Close)
        });
        let limits = Limits { rate: 10.0, pages: 20, ..Limits::default() };
        walked(Scenario::new(1, server), &limits).unwrap();
        let times = times.lock().unwrap();
        assert_eq!(times.len(), 21);
        let least = times[1..].windows(2).map(|two| two[1].since(two[0])).min().unwrap();
        assert!(least >= Duration::from_millis(gap_ms) - Duration::from_millis(1), "{least:?}");
    }
}

#[test]
fn a_forbidden_or_silent_start_is_an_error() {
    let forbidding = |_: &str| (200, "text/plain", "User-agent: warwolf\nDisallow: /\n".to_owned());
    assert!(matches!(walked(site(forbidding).0, &Limits::default()), Err(WalkError::Forbidden)));
    let broken = |target: &str| (if target == "/robots.txt" { 503 } else { 200 }, "text/html", String::new());
    assert!(matches!(walked(site(broken).0, &Limits::default()), Err(WalkError::Forbidden)));
    let limits = Limits { robots: false, ..Limits::default() };
    assert_eq!(walked(site(broken).0, &limits).unwrap().pages.len(), 1);
    let silent = Scenario::new(1, Server::constant(Reply::never()));
    assert!(matches!(walked(silent, &limits), Err(WalkError::NoStart(Ending::NoResponse))));
}

#[test]
fn a_stop_ends_a_long_crawl_delay_and_keeps_the_pages() {
    use std::cell::Cell;
    use warwolf_exchange::Interruptible;
    let (scenario, _) = site(|target| match target {
        "/robots.txt" => (200, "text/plain", "User-agent: *\nCrawl-delay: 3600\n".to_owned()),
        target => thousand(target),
    });
    let looks = Cell::new(0);
    let is_stopped = || {
        looks.set(looks.get() + 1);
        looks.get() > 50
    };
    let driver = Interruptible::new(SimDriver::new(scenario), is_stopped);
    let start = Url::parse("http://a.test/").unwrap();
    let site = Walk::run(driver, &place(), &start, &Limits::default(), &mut |_| true).unwrap();
    assert!(site.is_cut && site.counts().loaded == 1, "{site:?}");
}

#[test]
fn broken_links_are_listed_with_status_and_referrer() {
    let (scenario, _) = site(|target| match target {
        "/" => (200, "text/html", "<a href=/a><a href=/moved><a href=/gone>".to_owned()),
        "/a" => (200, "text/html", "<a href=/gone><a href=/worse>".to_owned()),
        "/moved" => (301, "/lost", String::new()),
        "/worse" => (503, "text/html", String::new()),
        _ => (404, "text/html", String::new()),
    });
    let site = walked(scenario, &Limits { rate: 1_000.0, ..Limits::default() }).unwrap();
    let broken: Vec<String> = site.broken_links().map(|link| link.to_string()).collect();
    let expected = [
        "404\thttp://a.test/gone\thttp://a.test/",
        "503\thttp://a.test/worse\thttp://a.test/a",
        "404\thttp://a.test/lost\thttp://a.test/moved",
    ];
    assert_eq!(broken, expected);
}

#[test]
fn a_page_that_does_not_answer_is_a_broken_link_and_one_never_requested_is_not() {
    let server = Server::new(|request: &Request<'_>| match request.target {
        "/" => Reply::raw(
            "HTTP/1.1 200 X\r\nContent-Type: text/html\r\nContent-Length: 24\r\n\r\n<a href=/half><a href=/x>",
        ),
        "/half" => Reply::raw("HTTP/1.1 200 X\r\nContent-Length: 24\r\n\r\n").then(Then::Close),
        _ => Reply::raw("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n"),
    });
    let start = Url::parse("http://a.test/").unwrap();
    let limits = Limits { rate: 1.0, ..Limits::default() };
    let mut watch = |progress: Progress| progress.asked < 3;
    let site =
        Walk::run(SimDriver::new(Scenario::new(1, server)), &place(), &start, &limits, &mut watch).unwrap();
    let broken: Vec<String> = site.broken_links().map(|link| link.to_string()).collect();
    assert!(
        matches!(broken.as_slice(), [half] if half.contains("\thttp://a.test/half\thttp://a.test/")),
        "{broken:?}"
    );
}
