//! `crawl` over sites that a test serves, and users who follow what it found.

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use warwolf_e2e::peer::{Peer, read_head};
use warwolf_e2e::process::command;
use warwolf_e2e::{Told, Warwolf};

/// A site, and what it was asked for, with when.
struct Site {
    peer: Peer,
    asked: Arc<Mutex<Vec<(Instant, String)>>>,
}

impl Site {
    /// Serves what `answer` makes of each target: a status and a page, or nothing for 404.
    fn start(answer: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&asked);
        let peer = Peer::start(move |_, mut connection| {
            while let Some(head) = read_head(&mut connection) {
                let text = String::from_utf8_lossy(&head).into_owned();
                let target = text.split(' ').nth(1).unwrap_or_default();
                list.lock().expect("nobody panicked").push((Instant::now(), target.to_owned()));
                let (status, page) = match answer(target) {
                    Some(page) => (200, page),
                    None => (404, String::new()),
                };
                let length = page.len();
                let head = format!(
                    "HTTP/1.1 {status} X\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n"
                );
                if connection.write_all((head + &page).as_bytes()).is_err() {
                    return;
                }
            }
        });
        Self { peer, asked }
    }

    /// What it was asked for since the last time, in order.
    fn asked(&self) -> Vec<String> {
        self.times().into_iter().map(|(_, target)| target).collect()
    }

    fn times(&self) -> Vec<(Instant, String)> {
        std::mem::take(&mut self.asked.lock().expect("nobody panicked"))
    }
}

const PAGES: u32 = 1_000;

/// The number of a page of the tree.
fn number(target: &str) -> Option<u32> {
    if target == "/" { Some(0) } else { target.strip_prefix("/p")?.parse().ok() }.filter(|n| *n < PAGES)
}

fn address(number: u32) -> String {
    if number == 0 { "/".to_owned() } else { format!("/p{number}") }
}

/// Where page `number` leads: to two others further down, and home.
fn leads(number: u32) -> Vec<String> {
    let down = [2 * number + 1, 2 * number + 2].into_iter().filter(|next| *next < PAGES);
    down.map(address).chain(["/".to_owned()]).collect()
}

/// A thousand pages, each with `padding` bytes of text; what is not to be followed stands on the first.
fn tree(padding: usize) -> Site {
    let padding = "word ".repeat(padding / 5);
    Site::start(move |target| {
        if target == "/robots.txt" {
            return Some("User-agent: *\nDisallow: /private\n".to_owned());
        }
        let number = number(target)?;
        let links: String = leads(number).iter().map(|to| format!("<a href='{to}#x'>on</a>")).collect();
        let traps = "<a href=/private/1>no</a><a href=http://192.0.2.1/>away</a><form action=/buy><button></form>\
            <a rel=nofollow href=/nofollow>no</a><a href=mailto:a@a.test>mail</a>";
        Some(format!("<title>{number}</title>{}{links}<p>{padding}", if number == 0 { traps } else { "" }))
    })
}

fn crawl(site: &Site, words: &[&str]) -> Told {
    Warwolf::new(&["crawl", "--quiet", "--rate", "2k/s", &site.peer.url("/")]).and(words).told()
}

#[test]
fn a_site_of_a_thousand_pages_is_walked_once_in_little_memory() {
    // 200 MB in all, and 100 MiB of memory to do it in.
    let site = tree(200_000);
    let program = warwolf_e2e::warwolf::program();
    let output = command("prlimit")
        .arg(format!("--data={}", 100 << 20))
        .args(["timeout", "80"])
        .arg(program)
        .args(["crawl", "--quiet", "--rate", "2k/s", &site.peer.url("/")])
        .output()
        .expect("prlimit starts");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let list = String::from_utf8(output.stdout).expect("text");
    let listed: HashSet<&str> = list.lines().collect();
    let expected: HashSet<String> = (0..PAGES).map(|number| site.peer.url(&address(number))).collect();
    assert_eq!(listed, expected.iter().map(String::as_str).collect());
    assert_eq!(list.lines().count(), PAGES as usize, "each once");
    let asked = site.asked();
    assert_eq!(asked[0], "/robots.txt");
    assert_eq!(asked.len(), PAGES as usize + 1, "each page is asked for once, and nothing else is");
    assert!(asked[1..].iter().all(|target| number(target).is_some()));
}

#[test]
fn limits_and_scope_are_kept() {
    let site = tree(0);
    let found = |words: &[&str]| crawl(&site, words).exits(0).stdout.lines().count();
    assert_eq!(found(&["--depth", "0"]), 1);
    assert_eq!(found(&["--depth", "3"]), 15, "one, two, four and eight");
    assert_eq!(found(&["-n", "100"]), 100);
    assert_eq!(found(&["--under", "/p1"]), 2, "the start, and what is within reach of it");
    site.asked();
    crawl(&site, &["--depth", "1", "--ignore-robots"]).exits(0);
    let asked = site.asked();
    assert!(
        !asked.contains(&"/robots.txt".to_owned()) && asked.contains(&"/private/1".to_owned()),
        "{asked:?}"
    );
    // Half a second's worth at twenty a second.
    let began = Instant::now();
    Warwolf::new(&["crawl", "--quiet", "--rate", "20/s", "-n", "11", &site.peer.url("/")]).told().exits(0);
    assert!(began.elapsed() > Duration::from_millis(450), "{:?}", began.elapsed());
}

#[test]
fn robots_that_forbid_the_start_end_the_walk() {
    let site = Site::start(|target| match target {
        "/robots.txt" => Some("User-agent: warwolf\nDisallow: /\n\nUser-agent: *\nDisallow:\n".to_owned()),
        _ => Some(String::new()),
    });
    let told = crawl(&site, &[]).exits(1);
    assert!(told.stderr.contains("robots.txt"), "{told:#?}");
    assert_eq!(site.asked(), ["/robots.txt"]);
}

/// The program with a list on its standard input, through a pipe.
fn piped(words: &[&str], input: &str) -> std::process::Output {
    let mut child = command("timeout")
        .arg("60")
        .arg(warwolf_e2e::warwolf::program())
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .env("HOME", "/nonexistent")
        .spawn()
        .expect("it starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

#[test]
fn run_siege_and_http_load_read_the_list_from_a_file_and_from_a_pipe() {
    let site = tree(0);
    let folder = tempfile::tempdir().expect("a new folder");
    let file = folder.path().join("urls.txt");
    let file = file.to_str().expect("a plain path");
    crawl(&site, &["--depth", "4", "-o", file]).exits(0);
    let list = std::fs::read_to_string(file).expect("a list");
    assert_eq!(list.lines().count(), 31);
    let tools: [&[&str]; 3] = [
        &["run", "--quiet", "-c", "2", "-n", "200", "--order", "random", "--urls"],
        &["siege", "-i", "-b", "-q", "-c", "2", "-r", "100", "-f"],
        &["http_load", "-p", "2", "-f", "200"],
    ];
    for words in tools {
        let tool = words[0];
        site.asked();
        for (name, input) in [(file, ""), ("-", list.as_str()), ("/dev/stdin", list.as_str())] {
            let output = piped(&[words, &[name]].concat(), input);
            assert!(output.status.success(), "{tool} {name}: {}", String::from_utf8_lossy(&output.stderr));
            let asked = site.asked();
            assert_eq!(asked.len(), 200, "{tool} {name}");
            let different: HashSet<&String> = asked.iter().collect();
            assert!(
                different.len() > 25 && asked.iter().all(|target| number(target) < Some(31)),
                "{tool}: {different:?}"
            );
        }
    }
}

fn model(site: &Site, folder: &TempDir) -> String {
    let file = folder.path().join("site.json");
    crawl(site, &["--depth", "3", "--clicks", file.to_str().expect("a plain path")]).exits(0);
    site.asked();
    file.to_str().expect("a plain path").to_owned()
}

fn links(file: &str) -> HashMap<String, HashSet<String>> {
    let model: Value =
        serde_json::from_slice(&std::fs::read(Path::new(file)).expect("a model")).expect("JSON");
    let pages = model["pages"].as_array().expect("pages").clone();
    let path = |page: &Value| {
        let url = page["url"].as_str().expect("an address");
        format!("/{}", url.splitn(4, '/').nth(3).unwrap_or_default())
    };
    let to = |page: &Value| page["links"].as_array().map_or(&[][..], Vec::as_slice).to_vec();
    pages
        .iter()
        .map(|page| {
            let leads =
                to(page).iter().map(|link| path(&pages[link.as_u64().expect("a place") as usize])).collect();
            (path(page), leads)
        })
        .collect()
}

#[test]
fn users_follow_links_and_think_in_between() {
    let site = tree(0);
    let folder = tempfile::tempdir().expect("a new folder");
    let file = model(&site, &folder);
    let links = links(&file);
    assert_eq!(links.len(), 15);
    let words = ["--clicks", &file, "-c", "1", "-n", "40", "--think", "40ms", "--seed", "9"];
    let told = Warwolf::run(&words).all_well(40);
    let visit = site.times();
    assert_eq!((visit.len(), visit[0].1.as_str()), (40, "/"), "{told:#?}");
    let mut clicks = 0;
    for pair in visit.windows(2) {
        let [(before, from), (after, to)] = pair else { unreachable!("pairs") };
        let is_link = links[from].contains(to);
        assert!(is_link || to == "/", "{from} does not lead to {to}");
        clicks += usize::from(is_link && to != "/");
        assert!(after.duration_since(*before) >= Duration::from_millis(38), "{from} to {to}");
    }
    assert!(clicks > 15, "{clicks} clicks of 39 went further");
    let targets = |visit: &[(Instant, String)]| visit.iter().map(|(_, to)| to.clone()).collect::<Vec<_>>();
    Warwolf::run(&words).all_well(40);
    assert_eq!(targets(&site.times()), targets(&visit), "the same seed, the same clicks");
}

#[test]
fn a_visit_at_a_rate_has_so_many_pages() {
    let site = tree(0);
    let folder = tempfile::tempdir().expect("a new folder");
    let file = model(&site, &folder);
    let words = ["--clicks", &file, "--rate", "20/s", "-d", "2s", "--visit", "4", "--think", "10ms"];
    let told = Warwolf::run(&words).exits(0);
    let asked = site.asked();
    let starts = told.number("/accounting/planned");
    assert!((150..=160).contains(&asked.len()), "forty visits of four pages: {}", asked.len());
    assert!(starts >= asked.len() as u64);
}

#[test]
fn what_is_no_click_model_is_a_mistake_of_usage() {
    let folder = tempfile::tempdir().expect("a new folder");
    let missing = folder.path().join("none.json");
    let broken = folder.path().join("broken.json");
    std::fs::write(
        &broken,
        "{\"warwolf_clicks\":1,\"pages\":[{\"url\":\"http://127.0.0.1:1/\",\"links\":[7]}]}",
    )
    .expect("a new file");
    for file in [missing, broken] {
        let told = Warwolf::new(&["run", "--clicks", file.to_str().expect("a plain path")]).told().exits(2);
        assert!(told.stderr.contains("clicks") && told.stderr.lines().count() == 1, "{told:#?}");
    }
    let told = Warwolf::new(&["run", "--visit", "3", "http://127.0.0.1:1/"]).told().exits(2);
    assert!(told.stderr.contains("--clicks"), "{told:#?}");
}
