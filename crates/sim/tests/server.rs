//! The scripted server over the simulated network: its log agrees with what the client observes.

use std::time::Duration;

use warwolf_clock::{Clock, Timestamp};
use warwolf_driver::{Address, Completion, Driver, SocketError, SocketId, SocketOptions};
use warwolf_sim::{Ending, Fate, Framing, Log, Reply, Scenario, Server, SimDriver};

const LATENCY: Duration = Duration::from_micros(100);
const GET: &[u8] = b"GET /a HTTP/1.1\r\nHost: a.test\r\n\r\n";
const A: SocketId = SocketId(0);

fn at(micros: u64) -> Timestamp {
    Timestamp::from_nanos(micros * 1000)
}

fn micros(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

/// An open connection with all its input.
struct Client {
    driver: SimDriver,
    input: Vec<u8>,
    /// When the last bytes arrived.
    latest: Timestamp,
    end: Option<Result<(), SocketError>>,
}

impl Client {
    fn open(scenario: Scenario) -> Self {
        let mut driver = SimDriver::new(scenario);
        driver.connect(A, &Address::Ip(([192, 0, 2, 1], 80).into()), &SocketOptions::default());
        driver.receive(A);
        let mut client = Self { driver, input: Vec::new(), latest: Timestamp::ZERO, end: None };
        client.wait_once(Timestamp::NEVER);
        client
    }

    fn send(&mut self, bytes: &[u8]) {
        self.driver.send(A, bytes.to_vec());
    }

    fn wait_once(&mut self, until: Timestamp) {
        let mut found = Vec::new();
        self.driver.wait(until, &mut found).unwrap();
        for completion in found {
            match completion {
                Completion::Received { bytes, .. } => {
                    self.input.extend_from_slice(self.driver.bytes(&bytes));
                    self.latest = self.driver.now();
                }
                Completion::Ended { result, .. } => self.end = Some(result),
                Completion::Connected { result, .. } => assert_eq!(result, Ok(())),
                Completion::Sent { .. } => {}
            }
        }
    }

    /// Runs the simulation until `until`.
    fn run(&mut self, until: Timestamp) {
        while self.driver.now() < until {
            self.wait_once(until);
        }
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.input).unwrap()
    }
}

/// Connects, sends `input` and runs for a second.
fn exchange(server: Server, input: &[u8]) -> (Client, Log) {
    let log = server.log();
    let mut client = Client::open(Scenario::new(1, server));
    client.send(input);
    client.run(at(1_000_000));
    (client, log)
}

#[test]
fn the_log_contains_the_times_of_requests_and_responses() {
    let (client, log) = exchange(Server::constant(Reply::ok(5).after(micros(700))), GET);
    assert_eq!(client.text(), "HTTP/1.1 200 Simulated\r\nContent-Length: 5\r\n\r\nxxxxx");
    let exchanges = log.exchanges();
    assert_eq!(exchanges.len(), 1);
    // Connecting takes a round trip, the request one way.
    assert_eq!(exchanges[0].arrived, at(300));
    assert_eq!(exchanges[0].left, Some(at(1000)));
    assert_eq!(client.latest, at(1000) + LATENCY);
    assert_eq!((exchanges[0].method.as_str(), exchanges[0].target.as_str()), ("GET", "/a"));
    assert_eq!((exchanges[0].status, exchanges[0].reply_bytes), (200, client.input.len()));
    assert_eq!((log.connections(), client.end), (1, None));
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let server =
        Server::new(|request| Reply::ok(request.number as usize).after(micros(900 - 300 * request.number)));
    let (client, log) = exchange(server, &GET.repeat(3));
    let lengths: Vec<&str> = client.text().split("Content-Length: ").skip(1).map(|rest| &rest[..1]).collect();
    assert_eq!(lengths, ["0", "1", "2"]);
    let left: Vec<_> = log.exchanges().iter().map(|exchange| exchange.left).collect();
    assert_eq!(left, [Some(at(1200)); 3]);
}

#[test]
fn bodies_are_chunked_or_end_with_the_connection() {
    let chunked = Reply { framing: Framing::Chunked(4), ..Reply::ok(6) };
    let (client, _) = exchange(Server::constant(chunked), GET);
    assert!(client.text().ends_with("Transfer-Encoding: chunked\r\n\r\n4\r\nxxxx\r\n2\r\nxx\r\n0\r\n\r\n"));
    let until_close = Reply { framing: Framing::UntilClose, ..Reply::ok(3) }.then(Ending::Close);
    let (client, _) = exchange(Server::constant(until_close), GET);
    assert_eq!(client.text(), "HTTP/1.1 200 Simulated\r\nConnection: close\r\n\r\nxxx");
    assert_eq!(client.end, Some(Ok(())));
}

#[test]
fn statuses_and_methods_without_a_body_have_none() {
    let (client, _) = exchange(Server::constant(Reply::ok(9)), b"HEAD / HTTP/1.1\r\n\r\n");
    assert!(client.text().ends_with("Content-Length: 9\r\n\r\n"));
    let (client, _) = exchange(Server::constant(Reply::status(204)), GET);
    assert_eq!(client.text(), "HTTP/1.1 204 Simulated\r\n\r\n");
}

#[test]
fn a_request_decides_whether_its_connection_is_kept() {
    let (client, _) = exchange(Server::constant(Reply::ok(0)), b"GET / HTTP/1.0\r\n\r\n");
    assert_eq!(client.end, Some(Ok(())));
    let (client, _) =
        exchange(Server::constant(Reply::ok(0)), b"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
    assert_eq!(client.end, None);
    let (client, log) = exchange(Server::constant(Reply::ok(0)).with_requests_max(2), &GET.repeat(3));
    assert_eq!((client.end, log.exchanges().len()), (Some(Ok(())), 2));
}

#[test]
fn request_bodies_are_read_completely() {
    let server = Server::new(|request| Reply::ok(request.body.len()));
    let input = b"PUT / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcPUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n5\r\ncdefg\r\n0\r\n\r\n";
    let (_, log) = exchange(server, input);
    let bodies: Vec<usize> = log.exchanges().iter().map(|exchange| exchange.request_body).collect();
    assert_eq!(bodies, [3, 7]);
}

#[test]
fn a_huge_announced_body_is_never_complete() {
    for size in ["ffffffffffffffff", "fffffffffffffffe", "10000000000000000"] {
        let request = format!("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{size}\r\nab");
        let (client, log) = exchange(Server::constant(Reply::ok(0)), request.as_bytes());
        assert_eq!((log.exchanges().len(), client.end), (0, None), "{size}: the server waits for the rest");
    }
}

#[test]
fn an_early_server_responds_before_the_body() {
    let server = Server::constant(Reply::ok(1)).early();
    let log = server.log();
    let mut client = Client::open(Scenario::new(1, server));
    client.send(b"PUT / HTTP/1.1\r\nContent-Length: 6\r\n\r\nabc");
    client.run(at(10_000));
    assert!(client.text().ends_with("\r\n\r\nx"));
    client.send(b"defGET / HTTP/1.1\r\n\r\n");
    client.run(at(20_000));
    assert_eq!(log.exchanges().len(), 2);
}

#[test]
fn endings_follow_the_script() {
    let (client, _) = exchange(Server::constant(Reply::ok(1).then(Ending::CloseSilently)), GET);
    assert!(!client.text().contains("Connection") && client.end == Some(Ok(())));
    let (client, log) = exchange(Server::constant(Reply::never()), GET);
    assert_eq!((client.text(), client.end), ("", None));
    assert_eq!(log.exchanges()[0].left, None);
    let cut = Reply { cut: Some(7), ..Reply::ok(1) }.then(Ending::Reset);
    let (client, _) = exchange(Server::constant(cut), GET);
    assert_eq!((client.text(), client.end), ("HTTP/1.", Some(Err(SocketError::Reset))));
    let (client, _) = exchange(Server::constant(Reply::raw("rubbish")), GET);
    assert_eq!((client.text(), client.end), ("rubbish", None));
}

#[test]
fn a_stalled_server_responds_after_the_stall() {
    let server = Server::constant(Reply::ok(0).after(micros(200))).stalling(at(400)..at(9000));
    let (_, log) = exchange(server, GET);
    assert_eq!(log.exchanges()[0].left, Some(at(9000)));
}

#[test]
fn a_server_with_one_worker_processes_requests_in_turn() {
    let server = Server::constant(Reply::ok(0).after(micros(200))).with_workers(1);
    let (_, log) = exchange(server, &GET.repeat(3));
    let left: Vec<_> = log.exchanges().iter().map(|exchange| exchange.left).collect();
    assert_eq!(left, [Some(at(500)), Some(at(700)), Some(at(900))]);
}

#[test]
fn a_throttled_response_arrives_in_pieces() {
    let slow = Reply { pace: Some((10, micros(1000))), ..Reply::raw(vec![b'x'; 35]) };
    let (client, log) = exchange(Server::constant(slow), GET);
    assert_eq!((client.input.len(), log.exchanges()[0].left), (35, Some(at(3300))));
}

#[test]
fn the_seed_determines_the_run() {
    let run = |seed| {
        let mut scenario = Scenario::new(seed, Server::constant(Reply::ok(5000)));
        scenario.jitter = micros(500);
        scenario.loss = 0.05;
        scenario.segment_max = Some(700);
        let mut client = Client::open(scenario);
        client.send(GET);
        client.run(at(2_000_000));
        assert_eq!(client.input.len(), "HTTP/1.1 200 Simulated\r\nContent-Length: 5000\r\n\r\n".len() + 5000);
        client.latest
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6));
}

#[test]
fn fates_are_chosen_by_number() {
    let scenario = Scenario::new(1, Server::constant(Reply::ok(0))).with_fate(|number, _| match number {
        0 => Fate::Refused,
        1 => Fate::Failed(SocketError::NoPorts),
        2 => Fate::Unanswered,
        _ => Fate::Accepted,
    });
    let mut driver = SimDriver::new(scenario);
    let to = Address::Ip(([192, 0, 2, 1], 80).into());
    for id in (0..4).map(SocketId) {
        driver.connect(id, &to, &SocketOptions::default());
    }
    let mut found = Vec::new();
    while driver.now() < at(1_000_000) {
        driver.wait(at(1_000_000), &mut found).unwrap();
    }
    let mut results: Vec<_> = found
        .iter()
        .map(|completion| match completion {
            Completion::Connected { socket, result } => (socket.0, *result),
            other => panic!("{other:?}"),
        })
        .collect();
    results.sort_by_key(|(id, _)| *id);
    assert_eq!(results, [(0, Err(SocketError::Refused)), (1, Err(SocketError::NoPorts)), (3, Ok(()))]);
}

#[test]
fn a_network_stall_delays_everything() {
    let server = Server::constant(Reply::ok(0));
    let log = server.log();
    let mut scenario = Scenario::new(1, server);
    scenario.stalls.push(at(250)..at(5000));
    let mut client = Client::open(scenario);
    client.send(GET);
    client.run(at(10_000));
    assert_eq!((log.exchanges()[0].arrived, client.latest), (at(5000), at(5000) + LATENCY));
}

#[test]
fn waits_and_completions_cost_cpu_time() {
    let mut scenario = Scenario::new(1, Server::constant(Reply::ok(0)));
    scenario.turn_cost = micros(10);
    scenario.completion_cost = micros(3);
    let mut client = Client::open(scenario);
    assert_eq!(client.driver.now(), at(200));
    // One wait and the completion before it.
    client.wait_once(Timestamp::ZERO);
    assert_eq!(client.driver.now(), at(213));
}

#[test]
fn a_wait_without_events_and_deadline_is_an_error() {
    let mut driver = SimDriver::new(Scenario::new(1, Server::constant(Reply::ok(0))));
    let error = driver.wait(Timestamp::NEVER, &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "the simulation is stuck: there are no events and no deadline");
}

#[test]
fn data_after_a_close_by_the_server_causes_a_reset() {
    let server = Server::constant(Reply::ok(0).then(Ending::CloseSilently));
    let mut client = Client::open(Scenario::new(1, server));
    client.send(GET);
    client.run(at(10_000));
    assert_eq!(client.end, Some(Ok(())));
    client.send(GET);
    client.run(at(20_000));
    client.send(GET);
    let mut found = Vec::new();
    client.driver.wait(at(30_000), &mut found).unwrap();
    assert!(matches!(found[..], [Completion::Sent { result: Err(SocketError::Reset), .. }]), "{found:?}");
}
