//! Transfers over FTP: a control connection and a data connection for each, in virtual time.

use super::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use warwolf_driver::Address;
use warwolf_measure::Sample;
use warwolf_plan::{Body, Endpoint, Hole, HoleValue, RequestShape, Scheme};
use warwolf_sim::{Actions, ConnectionId, Peer};
use warwolf_workload::Interest;

/// Ports of the data connections, in turn.
const PORTS: std::ops::Range<u16> = 2_000..2_016;
const LENGTH: usize = 100_000;

/// What a server does when it is not in good order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Trouble {
    #[default]
    None,
    /// This command is answered with this.
    Says(&'static str, &'static str),
    /// After this command nothing is said any more.
    SilentAfter(&'static str),
    /// It hangs up on this command.
    HangsUpOn(&'static str),
    /// The data stops half-way and its connection is closed.
    Short,
    /// The data stops half-way.
    Stalls,
}

/// What client and tests know of the server.
#[derive(Default)]
struct Seen {
    commands: Vec<String>,
    stored: usize,
}

#[derive(Clone, Default)]
struct Ftp {
    trouble: Trouble,
    seen: Arc<Mutex<Seen>>,
    /// By which the end of a transfer is confirmed late.
    late: Duration,
}

impl Ftp {
    fn reply(&self, command: &str, connection: ConnectionId) -> String {
        let verb = command.split(' ').next().unwrap();
        match verb {
            "USER" => "331 who\r\n".to_owned(),
            "PASS" => "230-welcome\r\n230 in\r\n".to_owned(),
            "PASV" => {
                let port = PORTS.start + (connection.0 % PORTS.len() as u64) as u16;
                format!("227 (127,0,0,1,{},{}).\r\n", port / 256, port % 256)
            }
            "TYPE" => "200 as you like\r\n".to_owned(),
            "SIZE" => format!("213 {LENGTH}\r\n"),
            "RETR" | "STOR" | "NLST" => "150 go\r\n".to_owned(),
            "QUIT" => "221 bye\r\n".to_owned(),
            _ => "500 what\r\n".to_owned(),
        }
    }
}

/// The side of the control connections.
struct Talk(Ftp, HashMap<ConnectionId, Vec<u8>>);

impl Peer for Talk {
    fn opened(&mut self, _: ConnectionId, now: Timestamp, actions: &mut Actions) {
        actions.send(now, b"220 ready\r\n".to_vec());
    }

    fn received(&mut self, connection: ConnectionId, bytes: &[u8], now: Timestamp, actions: &mut Actions) {
        let begun = self.1.entry(connection).or_default();
        begun.extend_from_slice(bytes);
        while let Some(end) = begun.windows(2).position(|end| end == b"\r\n") {
            let command = String::from_utf8(begun.drain(..end + 2).take(end).collect()).unwrap();
            self.0.seen.lock().unwrap().commands.push(command.clone());
            let verb = command.split(' ').next().unwrap();
            match self.0.trouble {
                Trouble::Says(when, what) if when == verb => {
                    actions.send(now, what.into());
                    continue;
                }
                Trouble::HangsUpOn(when) if when == verb => {
                    actions.close(now);
                    return;
                }
                Trouble::SilentAfter(when) if when == verb => return,
                _ => actions.send(now, self.0.reply(&command, connection).into()),
            }
            if matches!(verb, "RETR" | "STOR" | "NLST") {
                actions.send(now + millis(10) + self.0.late, b"226 done\r\n".to_vec());
            }
        }
    }
}

/// The side of the data connections: sends what it has ten milliseconds after they open, unless something comes.
struct Data(Ftp, bool);

impl Peer for Data {
    fn opened(&mut self, _: ConnectionId, now: Timestamp, actions: &mut Actions) {
        let length = match self.0.trouble {
            Trouble::Short | Trouble::Stalls => LENGTH / 2,
            _ => LENGTH,
        };
        if self.1 {
            actions.send(now + millis(10), vec![b'x'; length]);
            if self.0.trouble != Trouble::Stalls {
                actions.close(now + millis(10));
            }
        }
    }

    fn received(&mut self, _: ConnectionId, bytes: &[u8], _: Timestamp, _: &mut Actions) {
        self.0.seen.lock().unwrap().stored += bytes.len();
    }
}

fn address(port: u16) -> Address {
    Address::Ip(([10, 0, 0, 1], port).into())
}

fn network(ftp: &Ftp, sends: bool) -> Scenario {
    let scenario = Scenario::new(1, Talk(ftp.clone(), HashMap::new()));
    PORTS.fold(scenario, |scenario, port| scenario.with_peer(address(port), Data(ftp.clone(), sends)))
}

fn transfer(body: Body) -> Request {
    let endpoint = Endpoint { scheme: Scheme::Ftp, host: "10.0.0.1".to_owned(), port: 21 };
    let shape = RequestShape {
        basic_auth: Some("me:secret".to_owned()),
        holes: if body == Body::None { vec![] } else { vec![Hole { at: 10, value: HoleValue::Session }] },
        body,
        ..RequestShape::get(endpoint)
    };
    Request::new(if shape.body == Body::None { "/dir/file.bin" } else { "/dir/file-.bin" }, shape)
}

fn transfers(users: u32, calls: u64, body: Body) -> Plan {
    let mut plan = closed(users, calls);
    plan.requests = vec![transfer(body)];
    plan.connections.limit = users;
    plan
}

fn statuses(tally: &Tally) -> Vec<(u16, u64)> {
    tally.statuses().filter(|(status, _)| *status > 0).collect()
}

/// What came of calls, and which statuses they had.
type Counted = (Vec<(Outcome, u64)>, Vec<(u16, u64)>);

/// One call with a server in this trouble.
fn troubled(trouble: Trouble) -> Counted {
    let mut plan = transfers(1, 1, Body::None);
    plan.timeouts =
        Timeouts { connect: Some(millis(500)), call: None, idle: Some(millis(700)), ..plan.timeouts };
    let tally = run(&plan, network(&Ftp { trouble, ..Ftp::default() }, true));
    (outcomes(&tally), statuses(&tally))
}

#[test]
fn files_are_fetched_on_connections_of_their_own() {
    for late in [Duration::ZERO, millis(100)] {
        let ftp = Ftp { late, ..Ftp::default() };
        let tally = run(&transfers(3, 12, Body::None), network(&ftp, true));
        assert_eq!(outcomes(&tally), [(Outcome::Completed, 12)]);
        assert_eq!(statuses(&tally), [(226, 12)]);
        assert_eq!(tally.counters().body_bytes, 12 * LENGTH as u64);
        assert_eq!(tally.counters().connections_opened, 24, "the limit is three, without data connections");
        let said = ftp.seen.lock().unwrap().commands.clone();
        let each =
            ["USER me", "PASS secret", "PASV", "TYPE I", "SIZE /dir/file.bin", "RETR /dir/file.bin", "QUIT"];
        for command in each {
            assert_eq!(said.iter().filter(|&said| said == command).count(), 12, "{command}");
        }
        assert_eq!(said.len(), 12 * each.len());
        // One round trip for each command and for the data connection, and what the server takes for the transfer.
        assert_near(quantile(&tally, Phase::Service, 0.5), ROUND_TRIP * 8 + millis(10) + late);
    }
}

/// Parts of a call record: the sample, when the connection opened, the status before the final one, and the reason.
type Record = (Sample, Timestamp, u16, Vec<u8>);

/// Keeps the record of the last call.
struct Last(Rc<RefCell<Option<Record>>>);

impl Observer for Last {
    fn call(&mut self, record: &CallRecord<'_>) {
        let kept = record.kept;
        let (previous, reason) = (kept.previous_status, kept.reason.clone());
        *self.0.borrow_mut() = Some((*record.sample, record.connected, previous, reason));
    }

    fn add_interest(&self, interest: &mut Interest) {
        interest.reason = true;
    }
}

#[test]
fn an_observer_receives_the_instants_and_replies_of_a_transfer() {
    let plan = transfers(1, 1, Body::None).check().unwrap();
    let prepared = Prepared::new(&plan, &Arc::default()).unwrap();
    let (last, control) = (Rc::default(), Control::new());
    let scenario = network(&Ftp::default(), true);
    let mut bench = Bench::new(&plan, &prepared, Shard::WHOLE, scenario, millis(100), &control);
    bench.worker.watch(Box::new(Last(Rc::clone(&last))));
    while bench.turn() == Turn::More {}
    let Some((sample, connected, previous, reason)) = last.take() else { panic!("no call ended") };
    assert_eq!((sample.outcome, sample.status, previous), (Outcome::Completed, 226, 150));
    assert_eq!(reason, b"226 done");
    let replies = "220 ready\r\n331 who\r\n230-welcome\r\n230 in\r\n227 (127,0,0,1,7,208).\r\n200 as you like\r\n\
                   213 100000\r\n150 go\r\n226 done\r\n221 bye\r\n";
    assert_eq!((sample.header_bytes as usize, sample.body_bytes), (replies.len(), LENGTH as u64));
    assert_eq!(sample.sent_bytes, 0, "commands are counted on the wire only");
    assert_near(connected.since(sample.started), ROUND_TRIP);
    // The greeting follows the handshake, the first command the greeting, the first byte six commands and a connection later.
    assert_near(sample.sent.since(sample.started), ROUND_TRIP * 2);
    assert_near(sample.first_byte.since(sample.sent), ROUND_TRIP * 7);
    assert_near(sample.finished.since(sample.sent), ROUND_TRIP * 8 + millis(10));
}

#[test]
fn files_are_stored_under_the_names_of_their_sessions() {
    let ftp = Ftp::default();
    let tally = run(&transfers(2, 6, Body::Bytes(vec![7; LENGTH])), network(&ftp, false));
    assert_eq!((outcomes(&tally), statuses(&tally)), (vec![(Outcome::Completed, 6)], vec![(226, 6)]));
    let counters = tally.counters();
    assert_eq!((counters.body_bytes, counters.request_bytes), (0, 6 * LENGTH as u64));
    let seen = ftp.seen.lock().unwrap();
    assert_eq!(seen.stored, 6 * LENGTH);
    let stored =
        |name: &str| seen.commands.iter().filter(|said| **said == format!("STOR /dir/{name}")).count();
    assert_eq!((stored("file-0.bin"), stored("file-1.bin")), (3, 3));
}

#[test]
fn an_empty_file_is_stored() {
    let tally = run(&transfers(1, 2, Body::Text(String::new())), network(&Ftp::default(), false));
    assert_eq!(statuses(&tally), [(226, 2)]);
}

#[test]
fn what_the_server_refuses_is_a_reply() {
    let rows = [("USER", 530), ("PASS", 530), ("PASV", 425), ("TYPE", 504), ("SIZE", 550), ("RETR", 451)];
    for (command, status) in rows {
        let text: &'static str = match status {
            530 => "530-go\r\n530 away\r\n",
            425 => "425 no port\r\n",
            504 => "504 no\r\n",
            550 => "550 no such file\r\n",
            _ => "451 error\r\n",
        };
        let expected = (vec![(Outcome::Completed, 1)], vec![(status, 1)]);
        assert_eq!(troubled(Trouble::Says(command, text)), expected, "{command}");
    }
    let hung_up = troubled(Trouble::Says("USER", "421 too many\r\n"));
    assert_eq!(hung_up, (vec![(Outcome::Completed, 1)], vec![(421, 1)]));
}

#[test]
fn what_breaks_is_counted_for_what_it_is() {
    let failed = |trouble| troubled(trouble).0;
    assert_eq!(failed(Trouble::HangsUpOn("PASS")), [(Outcome::Closed, 1)]);
    assert_eq!(failed(Trouble::HangsUpOn("RETR")), [(Outcome::Closed, 1)]);
    assert_eq!(troubled(Trouble::HangsUpOn("QUIT")).1, [(226, 1)], "nobody needs the goodbye");
    assert_eq!(failed(Trouble::Short), [(Outcome::ClosedMidReply, 1)]);
    assert_eq!(failed(Trouble::SilentAfter("PASV")), [(Outcome::ResponseTimeout, 1)]);
    assert_eq!(failed(Trouble::SilentAfter("RETR")), [(Outcome::ResponseTimeout, 1)]);
    assert_eq!(failed(Trouble::Stalls), [(Outcome::ResponseTimeout, 1)]);
    let kind = ViolationKind::BadStatusLine;
    assert_eq!(failed(Trouble::Says("PASS", "hello\r\n")), [(Outcome::Violation(kind), 1)]);
}

#[test]
fn a_data_connection_that_does_not_open_fails_its_call() {
    let mut plan = transfers(2, 4, Body::None);
    plan.timeouts.connect = Some(millis(500));
    for (fate, outcome) in [(Fate::Refused, Outcome::Refused), (Fate::Unanswered, Outcome::ConnectTimeout)] {
        let choose = move |_: u64, to: &Address| if *to == address(21) { Fate::Accepted } else { fate };
        let tally = run(&plan, network(&Ftp::default(), true).with_fate(choose));
        assert_eq!(outcomes(&tally), [(outcome, 4)]);
        assert_eq!(tally.counters().connections_opened, 4);
    }
    let tally = run(&plan, network(&Ftp::default(), true).with_fate(|_, _| Fate::Refused));
    assert_eq!(outcomes(&tally), [(Outcome::Refused, 4)], "nor does one of a control connection");
}

#[test]
fn deadlines_end_a_transfer_wherever_it_is() {
    for microseconds in (100..14_000).step_by(450) {
        let mut plan = transfers(2, 4, Body::None);
        let limit = Duration::from_micros(microseconds);
        plan.timeouts.call = Some(limit);
        let tally = run(&plan, network(&Ftp::default(), true));
        assert_eq!(tally.completed() + tally.timed_out(), 4, "{limit:?}");
        assert_eq!(tally.completed() > 0, limit > millis(11) + millis(1), "{limit:?}");
        if tally.timed_out() > 0 {
            assert_near(Duration::from_nanos(tally.moments(Phase::Latency).max_ns().unwrap()), limit);
        }
    }
    let mut plan = transfers(1, 1, Body::None);
    plan.timeouts.reply = Some(millis(5));
    let tally = run(&plan, network(&Ftp { trouble: Trouble::SilentAfter("PASS"), ..Ftp::default() }, true));
    assert_eq!(outcomes(&tally), [(Outcome::ResponseTimeout, 1)]);
}

#[test]
fn bad_weather_loses_no_call_and_leaves_no_connection() {
    for seed in 0..30 {
        let sends = seed % 2 == 0;
        let body = if sends { Body::None } else { Body::Bytes(vec![1; 3_000]) };
        let plan = transfers(5, 60, body);
        let plan = plan.check().unwrap();
        let prepared = Prepared::new(&plan, &Arc::default()).unwrap();
        // Long enough for what is lost on its way to be there.
        let ftp = Ftp { late: millis(1_000), ..Ftp::default() };
        let mut scenario = network(&ftp, sends);
        scenario.seed = seed;
        scenario.jitter = millis(3);
        scenario.loss = 0.02;
        scenario.reset_rate = if seed % 3 == 0 { 0.0 } else { 0.004 };
        scenario.segment_max = (seed % 5 == 0).then_some(200);
        scenario.write_max = (seed % 2 == 1).then_some(700);
        let never = Duration::from_secs(1_000_000);
        let mut bench = Bench::new(&plan, &prepared, Shard::WHOLE, scenario, never, &Control::new());
        while bench.turn() == Turn::More {}
        assert_eq!(bench.worker.driver.open_sockets(), 0, "seed {seed}");
        assert_eq!(
            (
                bench.worker.network.connections.len() - bench.worker.network.closed.len(),
                bench.worker.network.companions
            ),
            (0, 0)
        );
        let tally = &bench.worker.recorder.tally;
        assert_sums(tally);
        assert_eq!(tally.counters().started, 60);
        if seed % 3 == 0 {
            assert_eq!((outcomes(tally), statuses(tally)), (vec![(Outcome::Completed, 60)], vec![(226, 60)]));
        }
    }
}

#[test]
fn what_is_still_under_way_at_the_end_is_counted_so() {
    let mut plan = transfers(4, 4, Body::None);
    plan.stop = Stop { grace: Duration::ZERO, ..Stop::after(millis(8)) };
    let tally = run(&plan, network(&Ftp::default(), true));
    assert_eq!(outcomes(&tally), [(Outcome::Unfinished, 4)]);
}
