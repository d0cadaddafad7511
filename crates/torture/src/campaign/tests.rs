//! Campaigns on a simulated network in virtual time, with functions as servers.

use super::*;
use crate::generate::Base;
use warwolf_driver::Address;
use warwolf_sim::{Actions, ConnectionId, Peer, Reply as Answer, Scenario, Server, SimDriver};

fn base() -> Base {
    Base { authority: "a.test".to_owned(), target: "/".to_owned(), longest: 20_000, fields: Vec::new() }
}

fn subject(seed: u64) -> Subject {
    Subject {
        url: "http://a.test/".to_owned(),
        origin: "http://a.test".to_owned(),
        authority: "a.test".to_owned(),
        seed,
        extra: String::new(),
        seeded: String::new(),
    }
}

fn run_campaign(seed: u64, peer: impl Peer + 'static, options: Options) -> Result<Outcome, CampaignError> {
    let server = Target { address: Address::Ip(([127, 0, 0, 1], 80).into()), tls: None };
    let generator = Generator::new(seed, base());
    let driver = SimDriver::new(Scenario::new(seed, peer));
    Campaign::run(driver, &server, &generator, subject(seed), options, None, &mut |_| true)
}

/// A server whose behavior is a function of the bytes received so far.
struct Raw<F>(F, BTreeMap<ConnectionId, Vec<u8>>);

/// The reaction of a server.
enum Does {
    Waits,
    Answers(&'static str),
    AnswersLate(Duration),
    Drops,
    Hangs,
}

impl<F: FnMut(&[u8]) -> Does + Send> Raw<F> {
    fn new(look: F) -> Self {
        Self(look, BTreeMap::new())
    }
}

impl<F: FnMut(&[u8]) -> Does + Send> Peer for Raw<F> {
    fn received(&mut self, connection: ConnectionId, bytes: &[u8], now: Timestamp, actions: &mut Actions) {
        let input = self.1.entry(connection).or_default();
        input.extend_from_slice(bytes);
        match (self.0)(input) {
            Does::Waits | Does::Hangs => {}
            Does::Answers(status) => {
                actions.send(now, format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").into_bytes());
                actions.close(now);
            }
            Does::AnswersLate(delay) => {
                actions.send(now + delay, b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec());
                actions.close(now + delay);
            }
            Does::Drops => actions.reset(now),
        }
    }

    fn ended(&mut self, connection: ConnectionId, _was_reset: bool, _now: Timestamp) {
        self.1.remove(&connection);
    }
}

/// A server that behaves correctly unless `fault` returns a reaction.
fn with_fault(fault: impl Fn(&[u8]) -> Option<Does> + Send + 'static) -> impl Peer {
    Raw::new(move |input: &[u8]| match fault(input) {
        Some(does) => does,
        None if requires_response(input) => {
            let is_valid = input.starts_with(b"GET / HTTP/1.");
            Does::Answers(if is_valid { "200 OK" } else { "400 Bad" })
        }
        None => Does::Waits,
    })
}

const FEW: Options = Options {
    rate: 500.0,
    first: 0,
    requests: 400,
    at_once: 16,
    timeout: Duration::from_secs(2),
    recovery: Duration::from_secs(2),
    tries: 3_000,
    findings: 50,
};

#[test]
fn a_correct_server_yields_no_finding() {
    let outcome = run_campaign(1, with_fault(|_| None), FEW).unwrap();
    assert_eq!((outcome.findings.as_slice(), outcome.unconfirmed.as_slice()), (&[][..], &[][..]));
    assert!(outcome.is_complete && outcome.requests == 400);
    assert_eq!(outcome.statuses.iter().map(|(_, times)| times).sum::<u64>(), 400);
}

#[test]
fn the_same_seed_yields_the_same_findings() {
    let fault = |input: &[u8]| input.contains(&0).then_some(Does::Drops);
    let found = |seed| run_campaign(seed, with_fault(fault), FEW).unwrap().findings;
    assert_eq!(found(3), found(3));
}

#[test]
fn a_crash_a_hang_and_an_error_are_found_and_shrunk() {
    let line_end = |input: &[u8]| input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let fault = move |input: &[u8]| {
        let head = &input[..crate::completeness::find(input, b"\r\n\r\n").unwrap_or(input.len())];
        if requires_response(input) && head.contains(&0) {
            return Some(Does::Drops);
        }
        let is_negative =
            crate::completeness::find(&input.to_ascii_lowercase(), b"content-length: -").is_some();
        if requires_response(input) && is_negative {
            return Some(Does::Hangs);
        }
        (requires_response(input) && line_end(input) >= 4_096).then_some(Does::Answers("500 Oh"))
    };
    let outcome = run_campaign(2, with_fault(fault), FEW).unwrap();
    let of = |name: &str| outcome.findings.iter().find(|finding| finding.failure.name() == name).unwrap();
    assert_eq!(of("dropped").request, r"GET / HTTP/1.0\r\n\x00\r\n\r\n");
    assert_eq!(of("hang").request, r"GET / HTTP/1.0\r\nContent-Length: -\r\n\r\n");
    let long = of("server-error").message().unwrap().bytes();
    assert_eq!(line_end(&long), 4_096, "{}", of("server-error").request);
    assert!(outcome.findings.len() < 12, "{:#?}", outcome.findings);
}

#[test]
fn failures_only_under_load_are_unconfirmed() {
    let mut number = 0;
    let server = Raw::new(move |input: &[u8]| {
        if !requires_response(input) {
            return Does::Waits;
        }
        number += 1;
        Does::Answers(if number % 40 == 39 { "503 Busy" } else { "200 OK" })
    });
    let outcome = run_campaign(1, server, Options { requests: 100, ..FEW }).unwrap();
    assert_eq!(outcome.findings, []);
    assert_eq!(outcome.unconfirmed.len(), 1, "{:?}", outcome.unconfirmed);
}

#[test]
fn a_server_that_stays_down_ends_the_campaign() {
    let mut is_down = false;
    let server = Raw::new(move |input: &[u8]| {
        is_down |= input.contains(&0);
        if is_down {
            Does::Drops
        } else if requires_response(input) {
            Does::Answers("200 OK")
        } else {
            Does::Waits
        }
    });
    let outcome = run_campaign(1, server, FEW).unwrap();
    assert_eq!(outcome.findings.len(), 1);
    assert_eq!(outcome.findings[0].failure, Failure::Down);
    assert!(!outcome.is_complete && outcome.findings[0].suspects.is_some());
}

/// Runs a campaign against a server that stays down once `crashes` accepts what it received, until it is restarted.
fn run_with_restarts(
    seed: u64,
    crashes: impl Fn(&[u8]) -> bool + Send + 'static,
    answers_first: bool,
    options: Options,
) -> Outcome {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    let is_down = Arc::new(AtomicBool::new(false));
    let down = Arc::clone(&is_down);
    let peer = Raw::new(move |input: &[u8]| {
        if down.load(Ordering::Relaxed) {
            return Does::Drops;
        }
        if !requires_response(input) {
            return Does::Waits;
        }
        if crashes(input) {
            down.store(true, Ordering::Relaxed);
            if !answers_first {
                return Does::Drops;
            }
        }
        Does::Answers("200 OK")
    });
    let server = Target { address: Address::Ip(([127, 0, 0, 1], 80).into()), tls: None };
    let mut restart = || {
        is_down.store(false, Ordering::Relaxed);
        true
    };
    let driver = SimDriver::new(Scenario::new(seed, peer));
    let generator = Generator::new(seed, base());
    Campaign::run(driver, &server, &generator, subject(seed), options, Some(&mut restart), &mut |_| true)
        .unwrap()
}

#[test]
fn with_restarts_the_request_that_stopped_the_server_is_found_and_shrunk() {
    let options = Options { requests: 100, ..FEW };
    let outcome = run_with_restarts(1, |input| input.contains(&0), false, options);
    assert!(outcome.is_complete && outcome.restarts > 0, "{}", outcome.restarts);
    let [finding] = outcome.findings.as_slice() else { panic!("{:?}", outcome.findings) };
    assert_eq!((&finding.failure, finding.suspects), (&Failure::Dropped, None));
    assert!(finding.message().unwrap().bytes().contains(&0) && finding.size_bytes < 40, "{finding:?}");
}

#[test]
fn a_request_after_whose_response_the_server_stops_is_found() {
    let outcome = run_with_restarts(1, |input| input.contains(&0), true, Options { findings: 1, ..FEW });
    let finding = &outcome.findings[0];
    assert_eq!((&finding.failure, finding.suspects), (&Failure::Down, None), "{finding:?}");
    assert!(finding.message().unwrap().bytes().contains(&0));
}

#[test]
fn refusals_that_end_with_a_reset_are_counted_and_no_finding() {
    struct Refuses;
    impl Peer for Refuses {
        fn received(&mut self, _: ConnectionId, bytes: &[u8], now: Timestamp, actions: &mut Actions) {
            if bytes.starts_with(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n") || bytes.len() < 200 {
                actions.send(now, b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec());
                actions.close(now);
            } else {
                actions.send(now, b"HTTP/1.1 431 X\r\nConnection: close\r\n\r\n".to_vec());
                actions.reset(now + Duration::from_millis(1));
            }
        }

        fn ended(&mut self, _: ConnectionId, _: bool, _: Timestamp) {}
    }
    let outcome = run_campaign(1, Refuses, FEW).unwrap();
    assert_eq!(outcome.findings, []);
    assert!(outcome.reset_refusals > 10, "{}", outcome.reset_refusals);
}

#[test]
fn a_server_that_dies_during_shrinking_ends_the_campaign() {
    let mut crashes = 0;
    let server = Raw::new(move |input: &[u8]| {
        if crashes > 5 {
            return Does::Drops;
        }
        if requires_response(input) && input.contains(&0) {
            crashes += 1;
            return Does::Drops;
        }
        if requires_response(input) { Does::Answers("200 OK") } else { Does::Waits }
    });
    let outcome = run_campaign(1, server, FEW).unwrap();
    let names: Vec<&str> = outcome.findings.iter().map(|finding| finding.failure.name()).collect();
    assert_eq!(names, ["dropped", "down"]);
    assert!(outcome.seconds < 30.0, "{}", outcome.seconds);
}

#[test]
fn a_server_that_remains_slow_is_found() {
    let mut requests = 0;
    let server = Raw::new(move |input: &[u8]| {
        if !requires_response(input) {
            return Does::Waits;
        }
        requests += 1;
        Does::AnswersLate(Duration::from_millis(if requests > 200 { 400 } else { 1 }))
    });
    let outcome = run_campaign(1, server, FEW).unwrap();
    let names: Vec<&str> = outcome.findings.iter().map(|finding| finding.failure.name()).collect();
    assert!(names.contains(&"slower"), "{names:?}");
}

#[test]
fn a_server_that_fails_at_the_start_is_an_error() {
    let outcome = run_campaign(1, Server::constant(Answer::status(500)), FEW);
    assert!(matches!(outcome, Err(CampaignError::Failing(what)) if what == "status 500"));
}

#[test]
fn a_replay_returns_each_failure() {
    let server = Target { address: Address::Ip(([127, 0, 0, 1], 80).into()), tls: None };
    let driver = SimDriver::new(Scenario::new(1, with_fault(|_| Some(Does::Drops))));
    let message = Message::of(*b"GET / HTTP/1.0\r\n\r\n");
    let seen = replay(driver, &server, &message, Duration::from_secs(1), 3).unwrap();
    assert_eq!(seen.len(), 3);
    assert!(seen.iter().all(|(_, failure)| *failure == Some(Failure::Dropped)));
}

#[test]
fn a_stop_while_shrinking_reports_the_finding_as_it_was_found() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use warwolf_exchange::Interruptible;
    let failures = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&failures);
    let peer = with_fault(move |input| {
        (requires_response(input) && input.len() > 8_000).then(|| {
            seen.fetch_add(1, Ordering::Relaxed);
            Does::Answers("500 Oh")
        })
    });
    // Under load, alone, and the second while it is shrunk.
    let is_stopped = move || failures.load(Ordering::Relaxed) > 3;
    let driver = Interruptible::new(SimDriver::new(Scenario::new(1, peer)), is_stopped);
    let server = Target { address: Address::Ip(([127, 0, 0, 1], 80).into()), tls: None };
    let options = Options { at_once: 1, ..FEW };
    let outcome =
        Campaign::run(driver, &server, &Generator::new(1, base()), subject(1), options, None, &mut |_| true)
            .unwrap();
    assert!(!outcome.is_complete);
    let [finding] = outcome.findings.as_slice() else { panic!("{:?}", outcome.findings) };
    assert_eq!(finding.request, finding.original);
}
