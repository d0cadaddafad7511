//! Replies of real servers, counted: every call is accounted for, every byte of every body.

use std::collections::BTreeSet;

use warwolf_e2e::Warwolf;
use warwolf_e2e::certificate::{Authority, Validity};
use warwolf_e2e::server::{Apache, HUGE, Nginx, Node, OpenSsl, PAGE, Python, SMALL};

#[test]
fn nginx_keeps_connections_and_its_log_agrees() {
    let server = Nginx::start("");
    let told = Warwolf::run(&["-n", "2000", "-c", "20", &server.url("/small")]).all_well(2000);
    assert_eq!(told.number("/bytes/body"), 2000 * SMALL);
    assert_eq!(told.number("/connections/opened"), 20);
    let hits = server.hits();
    assert_eq!(hits.len(), 2000);
    assert!(hits.iter().all(|hit| hit.version == "HTTP/1.1" && hit.status == 200 && hit.body_bytes == SMALL));
}

#[test]
fn without_keepalive_every_call_has_a_connection_of_its_own() {
    let server = Nginx::start("");
    let told =
        Warwolf::run(&["-n", "500", "-c", "10", "--disable-keepalive", &server.url("/small")]).all_well(500);
    assert_eq!(told.number("/connections/opened"), 500);
    assert!(server.hits().iter().all(|hit| hit.connection.1 == 1));
}

#[test]
fn http_1_0_with_and_without_keepalive() {
    let server = Nginx::start("");
    let told = Warwolf::run(&["-n", "200", "-c", "4", "--http1.0", &server.url("/small")]).all_well(200);
    assert_eq!(told.number("/connections/opened"), 4);
    assert!(server.hits().iter().all(|hit| hit.version == "HTTP/1.0"));

    let words = ["-n", "200", "-c", "4", "--http1.0", "--disable-keepalive", &server.url("/small")];
    assert_eq!(Warwolf::run(&words).all_well(200).number("/connections/opened"), 200);
}

#[test]
fn a_reply_to_head_has_no_body_whatever_its_length_says() {
    let server = Nginx::start("");
    let told = Warwolf::run(&["-n", "300", "-c", "3", "-m", "HEAD", &server.url("/page")]).all_well(300);
    assert_eq!(told.number("/bytes/body"), 0);
    assert_eq!(told.number("/connections/opened"), 3);
}

#[test]
fn pipelined_calls_are_all_answered_on_few_connections() {
    let server = Nginx::start("");
    let told =
        Warwolf::run(&["-n", "3200", "-c", "4", "--pipeline", "16", &server.url("/small")]).all_well(3200);
    assert_eq!(told.number("/bytes/body"), 3200 * SMALL);
    assert_eq!(told.number("/connections/opened"), 4);
    assert_eq!(server.hits().len(), 3200);
}

#[test]
fn bodies_larger_than_any_buffer_are_counted_to_the_byte() {
    let server = Nginx::start("");
    let told = Warwolf::run(&["-n", "400", "-c", "8", &server.url("/page")]).all_well(400);
    assert_eq!(told.number("/bytes/body"), 400 * PAGE);
    let told = Warwolf::run(&["-n", "4", "-c", "2", &server.url("/huge")]).all_well(4);
    assert_eq!(told.number("/bytes/body"), 4 * HUGE);
    let told = Warwolf::run(&["-n", "50", "-c", "2", &server.url("/empty")]).all_well(50);
    assert_eq!(told.number("/bytes/body"), 0);
}

#[test]
fn a_limit_on_calls_per_connection_costs_reconnects_and_no_failures() {
    let server = Nginx::start("keepalive_requests 3;");
    let told = Warwolf::run(&["-n", "300", "-c", "5", &server.url("/small")]).all_well(300);
    let opened = told.number("/connections/opened");
    assert!((100..=105).contains(&opened), "{opened} connections for 300 calls, 3 on each");
    assert_eq!(server.hits().len(), 300);
}

#[test]
fn a_limit_on_calls_per_connection_loses_no_pipelined_call() {
    let server = Nginx::start("keepalive_requests 10;");
    let told =
        Warwolf::run(&["-n", "400", "-c", "2", "--pipeline", "8", &server.url("/small")]).all_well(400);
    assert_eq!(told.number("/bytes/body"), 400 * SMALL);
}

#[test]
fn a_connection_closed_while_idle_costs_a_reconnect() {
    let server = Nginx::start("keepalive_timeout 1s;");
    let words = ["-n", "6", "-c", "2", "--think", "1400ms", &server.url("/small")];
    assert_eq!(Warwolf::run(&words).all_well(6).number("/connections/opened"), 6);
}

#[test]
fn statuses_are_counted_as_they_come() {
    let server = Nginx::start("");
    let told = Warwolf::run(&["-n", "40", "-c", "2", &server.url("/error")]);
    assert_eq!((told.completed(), told.status(500)), (40, 40), "{told:#?}");
    let told = Warwolf::run(&["-n", "40", "-c", "2", &server.url("/none")]);
    assert_eq!(
        (told.completed(), told.status(204), told.number("/connections/opened")),
        (40, 40, 2),
        "{told:#?}"
    );
    let told = Warwolf::run(&["-n", "40", "-c", "2", &server.url("/absent")]);
    assert_eq!((told.completed(), told.status(404)), (40, 40), "{told:#?}");
}

#[test]
fn several_addresses_share_the_calls_in_turn() {
    let server = Nginx::start("");
    let told =
        Warwolf::run(&["-n", "200", "-c", "5", &server.url("/small"), &server.url("/empty")]).all_well(200);
    assert_eq!(told.number("/bytes/body"), 100 * SMALL);
    assert_eq!(server.hits().iter().filter(|hit| hit.target == "/empty").count(), 100);
}

#[test]
fn an_open_loop_starts_what_was_planned() {
    let server = Nginx::start("");
    let told = Warwolf::run(&["-r", "500/s", "-d", "2s", &server.url("/small")]).exits(0);
    assert_eq!(told.account("planned"), 1000, "{told:#?}");
    assert_eq!(told.account("failed") + told.account("timed_out"), 0, "{told:#?}");
    let started = told.account("started");
    assert!(started >= 990, "{told:#?}");
    assert!(server.hits().len() as u64 <= started);
    assert!(server.hits().len() as u64 >= told.completed());
}

#[test]
fn two_drivers_and_any_number_of_threads_do_the_same() {
    let server = Nginx::start("");
    for driver in ["uring", "epoll"] {
        for threads in ["1", "2"] {
            let words =
                ["-n", "1000", "-c", "10", "--driver", driver, "--threads", threads, &server.url("/page")];
            assert_eq!(Warwolf::run(&words).all_well(1000).number("/bytes/body"), 1000 * PAGE);
        }
    }
    assert_eq!(server.hits().len(), 4000);
}

#[test]
fn apache_with_and_without_keepalive() {
    let server = Apache::start("");
    let told = Warwolf::run(&["-n", "1000", "-c", "10", &server.url("/page")]).all_well(1000);
    assert_eq!(told.number("/bytes/body"), 1000 * PAGE);
    Warwolf::run(&["-n", "300", "-c", "10", "--disable-keepalive", &server.url("/small")]).all_well(300);
    assert_eq!(server.log().len(), 1300);
}

#[test]
fn python_speaks_http_1_0_and_closes_after_every_reply() {
    let server = Python::start();
    let told = Warwolf::run(&["-n", "200", "-c", "2", &server.url("/page")]).all_well(200);
    assert_eq!(told.number("/bytes/body"), 200 * PAGE);
    assert_eq!(told.number("/connections/opened"), 200);
}

#[test]
fn node_sends_chunks_trailers_and_early_hints() {
    let server = Node::start();
    let told = Warwolf::run(&["-n", "500", "-c", "5", &server.url("/chunks")]).all_well(500);
    assert_eq!(told.number("/bytes/body"), 500 * 10_000);
    assert_eq!(told.number("/connections/opened"), 5);
    let told = Warwolf::run(&["-n", "200", "-c", "5", &server.url("/hints")]).all_well(200);
    assert_eq!(told.number("/bytes/body"), 200 * 11);
    let told = Warwolf::run(&["-n", "500", "-c", "5", "--pipeline", "4", &server.url("/")]).all_well(500);
    assert_eq!(told.number("/bytes/body"), 500 * 5);
}

#[test]
fn openssl_serves_one_connection_at_a_time() {
    let authority = Authority::new();
    let pair = authority.issue("localhost", Validity::Now);
    let server = OpenSsl::start(&pair.certificate, &pair.key, &[]);
    let folder = tempfile::tempdir().unwrap();
    let trust = folder.path().join("ca.pem");
    std::fs::write(&trust, authority.pem()).unwrap();
    let words = ["-n", "10", "-c", "1", "-4", "--cacert", trust.to_str().unwrap(), &server.https("/page")];
    let told = Warwolf::run(&words).all_well(10);
    assert_eq!(told.number("/bytes/body"), 10 * PAGE);
}

#[test]
fn users_keep_to_their_connections() {
    let server = Nginx::start("");
    Warwolf::run(&["-d", "1s", "-c", "7", &server.url("/small")]).exits(0);
    let connections: BTreeSet<u64> = server.hits().iter().map(|hit| hit.connection.0).collect();
    // One more: the harness's own knock at the door is a connection without a request, and is not in the log.
    assert_eq!(connections.len(), 7);
}
