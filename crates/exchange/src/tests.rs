//! Exchanges over a simulated network in virtual time.

use super::*;
use warwolf_sim::{Ending as Then, Fate, Reply as Answer, Scenario, Server, SimDriver};

const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(1),
    idle: Duration::from_secs(2),
    total: Duration::from_secs(60),
};
const LIMITS: BodyLimits = BodyLimits { kept: 1_000, awaited: 10_000 };

fn target() -> Target {
    Target { address: Address::Ip(([127, 0, 0, 1], 80).into()), tls: None }
}

fn over(scenario: Scenario) -> Exchanges<SimDriver> {
    Exchanges::new(SimDriver::new(scenario), 4, LIMITS)
}

fn asked(answer: Answer, message: Message) -> Exchange {
    let mut exchanges = over(Scenario::new(1, Server::constant(answer)));
    exchanges.alone(message, &target(), TIMEOUTS).unwrap()
}

fn get() -> Message {
    Message::of(*b"GET / HTTP/1.1\r\n\r\n")
}

#[test]
fn each_way_to_end_is_reported() {
    let garbage = Answer::raw(*b"\0\0\0");
    let half = Answer { cut: Some(20), ..Answer::ok(10) };
    let rows = [
        (Answer::ok(10), Ending::Complete),
        (Answer::never(), Ending::NoResponse),
        (half.clone().then(Then::Silence), Ending::Stalled),
        (half.clone().then(Then::CloseSilently), Ending::ClosedMidReply),
        (half.then(Then::Reset), Ending::ResetMidReply),
        (Answer { cut: Some(0), ..Answer::default() }.then(Then::CloseSilently), Ending::Closed),
        (Answer { cut: Some(0), ..Answer::default() }.then(Then::Reset), Ending::Reset),
        (garbage, Ending::Malformed(Violation::BadStatusLine)),
    ];
    for (answer, expected) in rows {
        let said = format!("{answer:?}");
        assert_eq!(asked(answer, get()).ending, expected, "{said}");
    }
}

#[test]
fn each_connect_error_is_reported() {
    let rows = [
        (Fate::Refused, Ending::Refused),
        (Fate::Unanswered, Ending::ConnectTimeout),
        (Fate::Failed(SocketError::NoFiles), Ending::Local(SocketError::NoFiles)),
    ];
    for (fate, expected) in rows {
        let scenario = Scenario::new(1, Server::constant(Answer::ok(0))).with_fate(move |_, _| fate);
        let exchange = over(scenario).alone(get(), &target(), TIMEOUTS).unwrap();
        assert_eq!(exchange.ending, expected);
        assert!(!exchange.sent.is_reached());
    }
}

#[test]
fn pauses_are_kept_and_timeouts_start_after_the_last_byte() {
    let pause = Duration::from_secs(5);
    let steps =
        vec![Step::Bytes(b"GET / HT".to_vec()), Step::Pause(pause), Step::Bytes(b"TP/1.1\r\n\r\n".to_vec())];
    let exchange = asked(Answer::ok(0), Message { steps: steps.clone() });
    assert_eq!(exchange.ending, Ending::Complete);
    assert!(exchange.took() >= pause && exchange.took() < pause + Duration::from_millis(2), "{exchange:?}");
    let silent = asked(Answer::never(), Message { steps });
    assert!(silent.took() >= pause + TIMEOUTS.idle, "{silent:?}");
}

#[test]
fn exchanges_run_concurrently_and_return_with_their_tags() {
    let server = Server::new(|request| {
        Answer::ok(request.target.len()).after(Duration::from_millis(10 * request.target.len() as u64))
    });
    let mut exchanges = over(Scenario::new(1, server));
    for tag in [3_u64, 1, 2] {
        let message = Message::of(format!("GET {} HTTP/1.1\r\n\r\n", "/".repeat(tag as usize)));
        exchanges.start(tag, message, &target(), TIMEOUTS);
    }
    assert_eq!((exchanges.room(), exchanges.in_flight()), (1, 3));
    let mut done = Vec::new();
    let cut = exchanges.settle(Timestamp::from_nanos(25_000_000), &mut done).unwrap();
    let tags: Vec<u64> = done.iter().map(|exchange| exchange.tag).collect();
    assert_eq!((tags.as_slice(), cut.as_slice()), (&[1, 2][..], &[3][..]));
    assert_eq!(exchanges.room(), 4);
}

#[test]
fn segmentation_does_not_change_the_response() {
    let mut scenario = Scenario::new(7, Server::constant(Answer::ok(500)));
    scenario.segment_max = Some(1);
    let exchange = over(scenario).alone(get(), &target(), TIMEOUTS).unwrap();
    assert_eq!((exchange.ending, exchange.reply.body_bytes), (Ending::Complete, 500));
}

#[test]
fn a_stop_ends_a_wait_within_a_tenth_of_a_second() {
    use std::cell::Cell;
    let looks = Cell::new(0);
    let is_stopped = || {
        looks.set(looks.get() + 1);
        looks.get() > 3
    };
    let silent = SimDriver::new(Scenario::new(1, Server::constant(Answer::never())));
    let mut exchanges = Exchanges::new(Interruptible::new(silent, is_stopped), 4, LIMITS);
    let error = exchanges.alone(get(), &target(), TIMEOUTS).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::Interrupted);
    assert!(exchanges.now() <= Timestamp::ZERO + Duration::from_millis(300), "{:?}", exchanges.now());
}
