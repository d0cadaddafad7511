//! The ways to a server: addresses, sockets, proxies, many connections, signals.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use warwolf_e2e::certificate::{Authority, Validity};
use warwolf_e2e::peer::{self, Peer};
use warwolf_e2e::process::{Ending, free_port};
use warwolf_e2e::server::{Apache, Nginx, PAGE};
use warwolf_e2e::{Told, Warwolf, target};
use warwolf_target::{Options, Stall};

#[test]
fn a_unix_socket_replaces_the_address_and_not_the_host() {
    let server = Nginx::start("");
    let socket = server.socket();
    let words = ["-n", "200", "-c", "4", "--unix-socket", socket.to_str().unwrap(), "http://trial.test/page"];
    assert_eq!(Warwolf::run(&words).all_well(200).number("/bytes/body"), 200 * PAGE);
    assert!(server.hits().iter().all(|hit| hit.host == "trial.test" && hit.remote == "unix:"));
}

#[test]
fn ipv6_by_number_and_by_choice() {
    let server = Nginx::start("");
    Warwolf::run(&["-n", "100", "-c", "2", &format!("http://[::1]:{}/small", server.port())]).all_well(100);
    assert!(server.hits().iter().all(|hit| hit.remote == "::1"));
}

#[test]
fn resolve_gives_a_name_an_address_and_the_host_field_keeps_the_name() {
    let server = Nginx::start("");
    let (rule, url) = (
        format!("trial.test:{0}:127.0.0.1", server.port()),
        format!("http://trial.test:{}/small", server.port()),
    );
    Warwolf::run(&["-n", "100", "-c", "2", "--resolve", &rule, &url]).all_well(100);
    let host = format!("trial.test:{}", server.port());
    assert!(server.hits().iter().all(|hit| hit.host == host && hit.remote == "127.0.0.1"));
}

#[test]
fn a_name_that_does_not_resolve_is_said_before_the_run() {
    let told = Warwolf::run(&["-n", "1", "http://no-such-name.invalid/"]).exits(1);
    assert!(told.stderr.contains("no-such-name.invalid"), "{told:#?}");
}

#[test]
fn source_addresses_are_taken_in_turn() {
    let server = Nginx::start("");
    let words = ["-n", "100", "-c", "4", "--bind", "127.0.0.2,127.0.0.3", &server.url("/small")];
    Warwolf::run(&words).all_well(100);
    let sources: BTreeSet<String> = server.hits().into_iter().map(|hit| hit.remote).collect();
    assert_eq!(sources, ["127.0.0.2", "127.0.0.3"].map(str::to_owned).into());
}

#[test]
fn a_source_address_that_is_not_ours_is_said_before_the_run() {
    // Of the network for documentation (RFC 5737), which no machine has.
    let told = Warwolf::run(&["-n", "1", "--bind", "127.0.0.1,192.0.2.7", "http://127.0.0.1:9/"]).exits(2);
    assert!(told.stderr.contains("--bind: `192.0.2.7`: this machine has no such address"), "{told:#?}");
}

#[test]
fn five_thousand_users_are_held_at_once() {
    let server = Nginx::start("");
    let told = Warwolf::run(&["-n", "20000", "-c", "5000", &server.url("/small")]).all_well(20_000);
    assert_eq!(told.number("/connections/opened"), 5000);
}

#[test]
fn too_few_descriptors_are_said_with_their_number_and_a_remedy() {
    let server = Nginx::start("");
    let words = ["run", "--format", "json", "--quiet", "-d", "1s", "-c", "500", &server.url("/small")];
    let told = Warwolf::new(&words).with_descriptors(100).told().exits(1);
    assert!(told.stderr.contains("100") && told.stderr.contains("descriptor"), "{told:#?}");
}

#[test]
fn connections_that_the_descriptor_limit_caps_are_noted() {
    let stall = Stall { at: Duration::from_millis(500), length: Duration::from_secs(1) };
    for (limit, expected) in [(160, Some(160)), (4_000, None)] {
        let server = target::start(Options { stalls: vec![stall], ..Options::default() });
        let words = ["run", "--format", "json", "--quiet", "-r", "300/s", "-d", "2s", "--grace", "3s"];
        let program = Warwolf::new(&words).and(&[target::url(&server, "/")]).with_descriptors(limit);
        let told = program.told().exits(0);
        let notes = told.report().pointer("/health/reasons").and_then(|notes| notes.as_array()).unwrap();
        let note = notes.iter().find(|note| note["cause"] == "slots_full");
        let found = note.and_then(|note| note["figures"]["descriptors_limit"].as_u64());
        assert_eq!(found, expected, "{told:#?}");
    }
}

#[test]
fn a_refused_connection_fails_its_call() {
    let port = free_port();
    let told = Warwolf::run(&["-n", "20", "-c", "2", &format!("http://127.0.0.1:{port}/")]).exits(1);
    assert_eq!((told.account("failed"), told.outcome("refused")), (20, 20), "{told:#?}");
}

/// One run of many seconds, ended by a signal after about one.
fn interrupted(ending: Ending) -> Told {
    let server = Nginx::start("");
    let words = ["run", "--format", "json", "--quiet", "-d", "60s", "-c", "5", &server.url("/small")];
    let began = Instant::now();
    let running = Warwolf::new(&words).start();
    std::thread::sleep(Duration::from_millis(1500));
    running.signal(ending);
    let told = running.told().exits(130);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert!(told.completed() > 0, "{told:#?}");
    told
}

#[test]
fn ctrl_c_stops_and_reports() {
    interrupted(Ending::Interrupt);
}

#[test]
fn a_service_managers_signal_stops_and_reports() {
    interrupted(Ending::Terminate);
}

#[test]
fn a_second_ctrl_c_does_not_wait_for_calls_in_flight() {
    let silent = Peer::start(|_, mut connection| peer::drain(&mut connection));
    let words =
        ["run", "--format", "json", "--quiet", "-d", "60s", "-c", "3", "--grace", "50s", &silent.url("/")];
    let began = Instant::now();
    let running = Warwolf::new(&words).start();
    std::thread::sleep(Duration::from_millis(1000));
    running.signal(Ending::Interrupt);
    std::thread::sleep(Duration::from_millis(500));
    running.signal(Ending::Interrupt);
    let told = running.told();
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(told.code, 130, "{told:#?}");
}

#[test]
fn plain_http_through_a_forward_proxy_is_asked_for_in_absolute_form() {
    let server = Nginx::start("");
    let proxy = Apache::start_proxy(server.port());
    let told =
        Warwolf::run(&["-n", "200", "-c", "4", "-x", &proxy.url(""), &server.url("/page")]).all_well(200);
    assert_eq!(told.number("/bytes/body"), 200 * PAGE);
    assert_eq!(server.hits().len(), 200);
    let log = proxy.log();
    assert!(log.iter().all(|line| line.starts_with("GET http://127.0.0.1:")), "{:?}", log.first());
}

#[test]
fn https_through_a_proxy_goes_through_a_tunnel() {
    let authority = Authority::new();
    let pair = authority.issue("localhost", Validity::Now);
    let server = Nginx::start_tls(&pair.certificate, &pair.key, "");
    let folder = tempfile::tempdir().unwrap();
    let trust = folder.path().join("ca.pem");
    std::fs::write(&trust, authority.pem()).unwrap();
    let own = peer::tunnel();
    let apache = Apache::start_proxy(server.port());
    for proxy in [own.url(""), apache.url("")] {
        let words = [
            "-n",
            "200",
            "-c",
            "4",
            "-x",
            &proxy,
            "--cacert",
            trust.to_str().unwrap(),
            &server.https("/page"),
        ];
        assert_eq!(Warwolf::run(&words).all_well(200).number("/bytes/body"), 200 * PAGE);
    }
    assert_eq!(own.accepted(), 4);
    assert_eq!(server.hits().len(), 400);
}

#[test]
fn closing_with_a_reset_works_as_well() {
    let server = Nginx::start("");
    let words = ["-n", "300", "-c", "3", "--disable-keepalive", "--close-with-reset", &server.url("/small")];
    Warwolf::run(&words).all_well(300);
}
