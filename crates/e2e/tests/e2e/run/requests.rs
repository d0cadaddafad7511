//! What is sent: bodies, cookies, redirects, credentials.

use std::path::PathBuf;

use tempfile::TempDir;
use warwolf_e2e::server::{Nginx, Node};
use warwolf_e2e::{Warwolf, target};
use warwolf_target::{Handle, Options};

/// A file of this many bytes, and the folder that holds it.
fn file(bytes: u64) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("body");
    std::fs::File::create(&path).unwrap().set_len(bytes).unwrap();
    (folder, path)
}

fn target() -> Handle {
    target::start(Options::default())
}

#[test]
fn a_file_of_twenty_megabytes_is_uploaded_whole() {
    let (_folder, path) = file(20_000_000);
    let body = format!("@{}", path.display());
    let server = Nginx::start("");
    let told = Warwolf::run(&["-n", "5", "-c", "2", "-b", &body, &server.url("/upload")]).all_well(5);
    assert!(told.number("/bytes/sent") >= 100_000_000, "{told:#?}");
    let hits = server.hits();
    assert_eq!(hits.len(), 5);
    assert!(hits.iter().all(|hit| hit.method == "POST" && hit.request_bytes > 20_000_000), "{hits:?}");
}

#[test]
fn node_gets_every_byte_of_an_upload() {
    let (_folder, path) = file(3_000_000);
    let body = format!("@{}", path.display());
    let server = Node::start();
    Warwolf::run(&["-n", "10", "-c", "2", "-m", "PUT", "-b", &body, &server.url("/upload")]).all_well(10);
    Warwolf::run(&["-n", "100", "-c", "2", "-b", "a=b", &server.url("/upload")]).all_well(100);
}

#[test]
fn a_reply_that_comes_before_the_upload_is_over_counts() {
    let (_folder, path) = file(5_000_000);
    let body = format!("@{}", path.display());
    let target = target();
    Warwolf::run(&["-n", "10", "-c", "2", "-b", &body, &target::url(&target, "/?early=1")]).all_well(10);
    let told = Warwolf::run(&["-n", "10", "-c", "2", "-b", &body, &target::url(&target, "/?early=close")]);
    assert_eq!(told.account("planned"), 10);
    assert_eq!(told.completed(), 10, "{told:#?}");
}

#[test]
fn a_redirect_is_followed_as_a_call_of_its_own() {
    let server = Nginx::start("");
    let told = Warwolf::run(&["-d", "1s", "-c", "2", "--follow", "1", &server.url("/moved")]).exits(0);
    assert_eq!(told.account("failed"), 0, "{told:#?}");
    let (moved, followed) = (told.status(302), told.status(200));
    assert!(followed > 0 && moved.abs_diff(followed) <= 4, "{told:#?}");
}

#[test]
fn redirects_are_counted_and_not_followed_unless_asked() {
    let server = Nginx::start("");
    let told = Warwolf::run(&["-n", "50", "-c", "2", &server.url("/moved")]);
    assert_eq!((told.completed(), told.status(302)), (50, 50), "{told:#?}");
    assert!(server.hits().iter().all(|hit| hit.target == "/moved"));
}

#[test]
fn every_user_keeps_its_own_cookies() {
    let target = target();
    let url = target::url(&target, "/cookies");
    Warwolf::run(&["-n", "200", "-c", "10", "--cookies", &url]).all_well(200);
    let server = Nginx::start("");
    let told =
        Warwolf::run(&["-d", "1s", "-c", "3", "--cookies", "--follow", "1", &server.url("/set")]).exits(0);
    assert_eq!((told.status(403), told.account("failed")), (0, 0), "{told:#?}");
    assert!(told.status(200) > 0);
}

#[test]
fn credentials_open_the_door() {
    let target = target();
    let url = target::url(&target, "/auth/user/secret");
    Warwolf::run(&["-n", "50", "-c", "2", "-a", "user:secret", &url]).all_well(50);
    let told = Warwolf::run(&["-n", "50", "-c", "2", "-a", "user:wrong", &url]);
    assert_eq!(told.status(401), 50, "{told:#?}");
}

#[test]
fn the_targets_log_agrees_with_the_report() {
    let target = target();
    let url = target::url(&target, "/?size=1000&chunked=100&extensions=1&trailers=1&interim=2");
    let told = Warwolf::run(&["-n", "500", "-c", "5", &url]).all_well(500);
    assert_eq!(told.number("/bytes/body"), 500_000);
    let log = target.log();
    assert_eq!(log.len(), 500);
    assert!(log.iter().all(|record| record.status == 200 && record.left_ns > record.arrived_ns));
}
