//! The conformance suite of all drivers, run against the simulator, epoll and io_uring.
//!
//! A [`Fixture`] provides the driver and peers of known [`Behaviour`]; [`conformance!`](crate::conformance!) defines one test for
//! each case.

use std::time::Duration;

use warwolf_clock::{Clock, Timestamp};
use warwolf_driver::{Address, Completion, Driver, Idle, SocketError, SocketId, SocketOptions};

/// The behavior of a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Behaviour {
    /// Echoes received bytes.
    Echo,
    /// Reads and sends nothing.
    Silent,
    /// Never reads, so that buffers fill.
    Deaf,
    /// Immediately sends [`FAREWELL`] and closes its side, then continues to read.
    Farewell,
    /// Resets the connection when the first byte arrives.
    Resets,
    /// Sends [`FLOOD_BYTES`] bytes when the first byte arrives, the i-th being [`flood_byte`]`(i)`, and closes.
    Flood,
    /// Refuses connections.
    Nobody,
}

/// The bytes that [`Behaviour::Farewell`] sends.
pub const FAREWELL: &[u8] = b"bye";
/// The number of bytes that [`Behaviour::Flood`] sends; more than the buffer of any driver.
pub const FLOOD_BYTES: usize = 3 << 20;

/// Returns the byte at `position` of a flood.
#[must_use]
pub const fn flood_byte(position: usize) -> u8 {
    (position % 251) as u8
}

/// Events counted so far by all peers of one behavior.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Connections accepted.
    pub connections: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Connections that ended without a reset.
    pub ended: u64,
    /// Connections that were reset.
    pub resets: u64,
}

/// A driver under test with its peers.
pub trait Fixture {
    /// The driver.
    type Driver: Driver;

    /// Creates a driver for about `sockets` sockets.
    fn driver(&self, idle: Idle, sockets: usize) -> Self::Driver;

    /// Returns the address of a peer of this behavior.
    fn address(&self, behaviour: Behaviour) -> Address;

    /// Returns the events counted by the peers of this behavior.
    fn seen(&self, behaviour: Behaviour) -> Seen;

    /// Returns a function that ends the waits of the driver.
    fn waker(&self, driver: &Self::Driver) -> Box<dyn Fn() + Send>;

    /// Returns whether a socket can be closed with a reset; Unix sockets cannot.
    fn has_resets(&self) -> bool {
        true
    }
}

/// Defines a test for each case: `conformance!(make)`, where `make` is a function that returns a new [`Fixture`].
#[macro_export]
macro_rules! conformance {
    ($make:path) => {
        $crate::conformance!(
            $make:
            connects_and_echoes refuses large_buffers_arrive_whole short_writes_do_not_block_others half_close
            reset_by_the_peer reset_while_sending close_with_a_send_in_flight receive_before_connected receive_late receive_after_close pauses
            an_id_can_be_used_again close_while_connecting closing_is_seen_by_the_peer reset_on_close_is_seen_by_the_peer
            a_flood_arrives_in_order wait_ends_on_time wait_with_a_past_deadline polling_ends_on_time
            a_waker_ends_the_wait sending_now many_sockets churn
        );
    };
    ($make:path: $($case:ident)*) => {
        $(
            #[test]
            fn $case() {
                $crate::conformance::$case(&$make());
            }
        )*
    };
}

/// A driver with its completions so far, and time limits.
struct Session<'a, F: Fixture> {
    fixture: &'a F,
    driver: F::Driver,
    fresh: Vec<Completion>,
}

/// A completion with its bytes copied out.
#[derive(Debug, PartialEq, Eq)]
enum Event {
    Connected(SocketId, Result<(), SocketError>),
    Received(SocketId, Vec<u8>),
    Sent(SocketId, Result<(), SocketError>),
    Ended(SocketId, Result<(), SocketError>),
}

impl<'a, F: Fixture> Session<'a, F> {
    fn new(fixture: &'a F, sockets: usize) -> Self {
        Self { fixture, driver: fixture.driver(Idle::Block, sockets), fresh: Vec::new() }
    }

    fn connect(&mut self, id: SocketId, behaviour: Behaviour) {
        self.connect_with(id, behaviour, &SocketOptions::default());
    }

    fn connect_with(&mut self, id: SocketId, behaviour: Behaviour, options: &SocketOptions) {
        self.driver.connect(id, &self.fixture.address(behaviour), options);
    }

    /// Connects and waits for the completion.
    fn open(&mut self, id: SocketId, behaviour: Behaviour) {
        self.connect(id, behaviour);
        assert_eq!(self.next(), Event::Connected(id, Ok(())));
    }

    /// Waits once, at most until `until`.
    fn wait_once(&mut self, until: Timestamp) -> Vec<Event> {
        self.driver.wait(until, &mut self.fresh).expect("the driver waits");
        let driver = &self.driver;
        let say = |completion| match completion {
            Completion::Connected { socket, result } => Event::Connected(socket, result),
            Completion::Received { socket, bytes } => Event::Received(socket, driver.bytes(&bytes).to_vec()),
            Completion::Sent { socket, buffer, result } => {
                assert!(buffer.is_empty(), "a buffer comes back emptied");
                Event::Sent(socket, result)
            }
            Completion::Ended { socket, result } => Event::Ended(socket, result),
        };
        self.fresh.drain(..).map(say).collect()
    }

    /// Waits until there is a completion.
    fn wait_for_any(&mut self) -> Vec<Event> {
        let limit = self.driver.now() + TIME_LIMIT;
        loop {
            let events = self.wait_once(limit);
            if !events.is_empty() {
                return events;
            }
            assert!(self.driver.now() < limit, "no completion for {TIME_LIMIT:?}");
        }
    }

    /// Waits for exactly one completion.
    fn next(&mut self) -> Event {
        let mut events = self.wait_for_any();
        assert_eq!(events.len(), 1, "{events:?}");
        events.remove(0)
    }

    /// Collects completions until `is_enough`.
    fn collect(&mut self, is_enough: impl Fn(&[Event]) -> bool) -> Vec<Event> {
        let mut all = Vec::new();
        while !is_enough(&all) {
            all.extend(self.wait_for_any());
        }
        all
    }

    /// Collects completions for a given time.
    fn collect_for(&mut self, while_: Duration) -> Vec<Event> {
        let until = self.driver.now() + while_;
        let mut all = Vec::new();
        while self.driver.now() < until {
            all.extend(self.wait_once(until));
        }
        all
    }

    /// Waits until the peers have counted enough. They must notice actions of the driver without a further call to it.
    fn until_seen(&mut self, behaviour: Behaviour, is_enough: impl Fn(Seen) -> bool) {
        let limit = self.driver.now() + TIME_LIMIT;
        while !is_enough(self.fixture.seen(behaviour)) {
            let seen = self.fixture.seen(behaviour);
            assert!(self.driver.now() < limit, "{behaviour:?} has only counted {seen:?}");
            let until = self.driver.now() + A_MOMENT;
            let events = self.wait_once(until);
            assert!(events.is_empty(), "{events:?}");
        }
    }
}

/// Returns all bytes received on `id`.
fn received(events: &[Event], id: SocketId) -> Vec<u8> {
    let bytes = events.iter().filter_map(|one| match one {
        Event::Received(socket, bytes) if *socket == id => Some(bytes.as_slice()),
        _ => None,
    });
    bytes.collect::<Vec<_>>().concat()
}

fn ended(events: &[Event], id: SocketId) -> Option<Result<(), SocketError>> {
    events.iter().find_map(|one| match one {
        Event::Ended(socket, result) if *socket == id => Some(*result),
        _ => None,
    })
}

/// A connection is established, and bytes are echoed in several rounds.
pub fn connects_and_echoes<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.open(A, Behaviour::Echo);
    session.driver.receive(A);
    for round in 0..10u8 {
        session.driver.send(A, vec![round; 100]);
        let events = session.collect(|events| received(events, A).len() >= 100);
        assert_eq!(received(&events, A), vec![round; 100]);
        assert!(events.contains(&Event::Sent(A, Ok(()))));
    }
    session.driver.close(A);
}

/// A refused connect fails, and the id is free again.
pub fn refuses<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.connect(A, Behaviour::Nobody);
    assert_eq!(session.next(), Event::Connected(A, Err(SocketError::Refused)));
    session.driver.close(A);
    session.open(A, Behaviour::Echo);
}

/// A buffer that is larger than any socket buffer is sent completely while its echo is read.
pub fn large_buffers_arrive_whole<F: Fixture>(fixture: &F) {
    let bytes: Vec<u8> = (0..LARGE_BYTES).map(flood_byte).collect();
    let mut session = Session::new(fixture, 1);
    session.open(A, Behaviour::Echo);
    session.driver.receive(A);
    session.driver.send(A, bytes.clone());
    let events = session.collect(|events| received(events, A).len() >= bytes.len());
    assert!(received(&events, A) == bytes, "the echo equals the sent bytes");
    assert_eq!(events.iter().filter(|one| matches!(one, Event::Sent(..))).count(), 1);
}

/// A peer that does not read blocks only its own connection.
pub fn short_writes_do_not_block_others<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 2);
    session.open(A, Behaviour::Deaf);
    session.open(B, Behaviour::Echo);
    session.driver.receive(B);
    session.driver.send(A, vec![0; 4 * LARGE_BYTES]);
    session.driver.send(B, b"hello".to_vec());
    let events = session.collect(|events| received(events, B).len() >= 5);
    assert_eq!(received(&events, B), b"hello");
    assert!(
        !events.iter().any(|one| matches!(one, Event::Sent(A, _))),
        "the large buffer is still in flight"
    );
    session.driver.close(A);
    assert_eq!(session.collect_for(A_MOMENT), []);
}

/// The peer closes its side: its data arrives first, then the end, and sending still works.
pub fn half_close<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.open(A, Behaviour::Farewell);
    session.driver.receive(A);
    let events = session.collect(|events| ended(events, A).is_some());
    assert_eq!(received(&events, A), FAREWELL);
    assert_eq!(ended(&events, A), Some(Ok(())));
    session.driver.send(A, vec![1; 1000]);
    assert_eq!(session.next(), Event::Sent(A, Ok(())));
    session.until_seen(Behaviour::Farewell, |seen| seen.bytes == 1000);
    session.driver.close(A);
    session.until_seen(Behaviour::Farewell, |seen| seen.ended == 1);
}

/// A reset ends the receiving side with an error, and later sends fail.
pub fn reset_by_the_peer<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.open(A, Behaviour::Resets);
    session.driver.receive(A);
    session.driver.send(A, b"xyz".to_vec());
    let events = session.collect(|events| ended(events, A).is_some());
    assert_eq!(ended(&events, A), Some(Err(SocketError::Reset)));
    session.driver.send(A, b"w".to_vec());
    assert_eq!(session.next(), Event::Sent(A, Err(SocketError::Reset)));
    session.driver.close(A);
}

/// A reset that a send reports is the end of the receiving side as well, although the kernel reports it once.
pub fn reset_while_sending<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.open(A, Behaviour::Resets);
    session.driver.send(A, vec![0; 4 * LARGE_BYTES]);
    assert_eq!(session.next(), Event::Sent(A, Err(SocketError::Reset)));
    session.driver.receive(A);
    let events = session.collect(|events| ended(events, A).is_some());
    assert_eq!(ended(&events, A), Some(Err(SocketError::Reset)));
    session.driver.close(A);
}

/// After a close with a send in flight there is no completion, and the driver continues to work.
pub fn close_with_a_send_in_flight<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 2);
    session.open(A, Behaviour::Deaf);
    session.driver.receive(A);
    session.driver.send(A, vec![0; 4 * LARGE_BYTES]);
    assert_eq!(session.collect_for(A_MOMENT), []);
    session.driver.close(A);
    session.open(A, Behaviour::Echo);
    session.driver.receive(A);
    // Closed with a send that is not submitted yet.
    session.driver.send(A, b"lost".to_vec());
    session.driver.close(A);
    session.open(A, Behaviour::Echo);
    session.driver.receive(A);
    session.driver.send(A, b"found".to_vec());
    let events = session.collect(|events| received(events, A).len() >= 5);
    assert_eq!(received(&events, A), b"found");
}

/// `receive` may be called before the connection is established.
pub fn receive_before_connected<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.connect(A, Behaviour::Farewell);
    session.driver.receive(A);
    let events = session.collect(|events| ended(events, A).is_some());
    assert_eq!(events[0], Event::Connected(A, Ok(())));
    assert_eq!(received(&events, A), FAREWELL);
}

/// Data and end that arrive before `receive` is called are not lost.
pub fn receive_late<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.open(A, Behaviour::Farewell);
    assert_eq!(session.collect_for(A_MOMENT), []);
    session.driver.receive(A);
    let events = session.collect(|events| ended(events, A).is_some());
    assert_eq!(received(&events, A), FAREWELL);
}

/// A paused socket delivers nothing until `receive` is called again, then everything, with at most `receive_max` at once.
pub fn pauses<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    let options = SocketOptions { receive_max: Some(100), ..SocketOptions::default() };
    session.connect_with(A, Behaviour::Echo, &options);
    assert_eq!(session.next(), Event::Connected(A, Ok(())));
    session.driver.receive(A);
    if !session.driver.pause(A) {
        return;
    }
    session.driver.send(A, (0..250).collect());
    session.collect(|events| events.contains(&Event::Sent(A, Ok(()))));
    assert_eq!(session.collect_for(A_MOMENT), []);
    session.driver.receive(A);
    let events = session.collect(|events| received(events, A).len() == 250);
    assert_eq!(received(&events, A), (0..250).collect::<Vec<u8>>());
    let longest = events
        .iter()
        .map(|events| if let Event::Received(_, bytes) = events { bytes.len() } else { 0 })
        .max();
    assert!(longest <= Some(100), "{events:?}");
    // Paused between two pieces, the rest is kept.
    session.driver.send(A, vec![7; 250]);
    let first = session.collect(|events| !received(events, A).is_empty());
    assert!(session.driver.pause(A));
    assert_eq!(received(&session.collect_for(A_MOMENT), A), []);
    session.driver.receive(A);
    let heard = received(&first, A).len();
    session.collect(|events| received(events, A).len() + heard == 250);
}

/// Data for a closed socket is not delivered.
pub fn receive_after_close<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 2);
    session.open(A, Behaviour::Echo);
    session.open(B, Behaviour::Echo);
    session.driver.receive(A);
    session.driver.receive(B);
    session.driver.send(A, vec![1; 1000]);
    assert!(session.wait_for_any().contains(&Event::Sent(A, Ok(()))));
    session.driver.close(A);
    session.driver.send(B, b"b".to_vec());
    let events = session.collect(|events| received(events, B).len() == 1);
    let of_a = |one: &Event| matches!(one, Event::Received(A, _) | Event::Ended(A, _) | Event::Sent(A, _));
    assert!(!events.iter().any(of_a), "{events:?}");
}

/// An id that is reused immediately has no completions of its earlier sockets.
pub fn an_id_can_be_used_again<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    for life in 0..50u8 {
        session.open(A, Behaviour::Echo);
        session.driver.receive(A);
        // The echo of this arrives when the id is already reused.
        session.driver.send(A, vec![life; 300]);
        if life % 2 == 0 {
            session.wait_once(Timestamp::ZERO);
        }
        session.driver.close(A);
    }
    session.open(A, Behaviour::Echo);
    session.driver.receive(A);
    session.driver.send(A, vec![255; 300]);
    let events = session.collect(|events| received(events, A).len() >= 300);
    assert_eq!(received(&events, A), vec![255; 300]);
    session.driver.close(A);
    session.until_seen(Behaviour::Echo, |seen| seen.ended + seen.resets == seen.connections);
}

/// A socket may be closed before its connection is established; there is no completion.
pub fn close_while_connecting<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.connect(A, Behaviour::Echo);
    session.driver.close(A);
    session.connect(A, Behaviour::Nobody);
    session.driver.close(A);
    assert_eq!(session.collect_for(A_MOMENT), []);
    session.open(A, Behaviour::Echo);
}

/// The peer soon notices a close with an armed receive, without a further call except a wait.
pub fn closing_is_seen_by_the_peer<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 2);
    session.open(A, Behaviour::Silent);
    session.open(B, Behaviour::Silent);
    session.driver.receive(A);
    session.driver.send(A, b"abc".to_vec());
    assert_eq!(session.next(), Event::Sent(A, Ok(())));
    session.driver.close(A);
    session.driver.close(B);
    session.until_seen(Behaviour::Silent, |seen| seen.ended == 2 && seen.bytes == 3);
}

/// With `reset_on_close` the peer sees a reset, if the socket type supports it.
pub fn reset_on_close_is_seen_by_the_peer<F: Fixture>(fixture: &F) {
    let options = SocketOptions { reset_on_close: true, ..SocketOptions::default() };
    let mut session = Session::new(fixture, 1);
    session.connect_with(A, Behaviour::Silent, &options);
    assert_eq!(session.next(), Event::Connected(A, Ok(())));
    session.driver.receive(A);
    session.until_seen(Behaviour::Silent, |seen| seen.connections == 1);
    session.driver.close(A);
    let is_reset = fixture.has_resets();
    session.until_seen(Behaviour::Silent, |seen| if is_reset { seen.resets == 1 } else { seen.ended == 1 });
}

/// More data than the receive memory of the driver arrives complete and in order from several peers, followed by their ends.
pub fn a_flood_arrives_in_order<F: Fixture>(fixture: &F) {
    let ids = [A, B, SocketId(2), SocketId(3)];
    let mut session = Session::new(fixture, ids.len());
    for id in ids {
        session.open(id, Behaviour::Flood);
        session.driver.receive(id);
    }
    for id in ids {
        session.driver.send(id, b"go".to_vec());
    }
    let events = session.collect(|events| ids.iter().all(|id| ended(events, *id).is_some()));
    for id in ids {
        let bytes = received(&events, id);
        assert_eq!(bytes.len(), FLOOD_BYTES);
        assert!(bytes.iter().enumerate().all(|(position, byte)| *byte == flood_byte(position)));
        assert_eq!(ended(&events, id), Some(Ok(())));
    }
}

/// A wait without events ends at its deadline, never before and within 300 us after it on a quiet machine.
pub fn wait_ends_on_time<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.open(A, Behaviour::Silent);
    for micros in [50, 100, 500, 1000, 2500, 10_000, 40_000] {
        let mut late = Vec::new();
        // A busy machine may delay single wake-ups; a faulty driver is late every time.
        while late.iter().all(|late| *late > Duration::from_micros(300)) {
            assert!(late.len() < 50, "{micros} us: late by {late:?}");
            let until = session.driver.now() + Duration::from_micros(micros);
            assert_eq!(session.wait_once(until), []);
            let now = session.driver.now();
            assert!(now >= until, "{micros} us: woken {:?} early", until.since(now));
            late.push(now.since(until));
        }
    }
}

/// A wait with a deadline in the past does not sleep, but returns completions.
pub fn wait_with_a_past_deadline<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.open(A, Behaviour::Farewell);
    session.driver.receive(A);
    let limit = session.driver.now() + TIME_LIMIT;
    let mut events = session.wait_once(Timestamp::ZERO);
    while ended(&events, A).is_none() && session.driver.now() < limit {
        // Virtual time advances only during waits.
        let soon = session.driver.now() + Duration::from_micros(20);
        events.extend(session.wait_once(soon));
        events.extend(session.wait_once(Timestamp::ZERO));
    }
    assert_eq!(received(&events, A), FAREWELL);
}

/// With continuous polling, completions and deadlines work as with sleeping.
pub fn polling_ends_on_time<F: Fixture>(fixture: &F) {
    let mut session = Session { fixture, driver: fixture.driver(Idle::Spin, 1), fresh: Vec::new() };
    session.open(A, Behaviour::Echo);
    session.driver.receive(A);
    session.driver.send(A, b"spin".to_vec());
    let events = session.collect(|events| received(events, A).len() >= 4);
    assert_eq!(received(&events, A), b"spin");
    for _ in 0..5 {
        let until = session.driver.now() + Duration::from_micros(300);
        assert_eq!(session.wait_once(until), []);
        assert!(session.driver.now() >= until);
    }
}

/// A waker ends the current or the next wait; later waits are not affected.
pub fn a_waker_ends_the_wait<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    let wake = fixture.waker(&session.driver);
    for _ in 0..3 {
        wake();
        let before = session.driver.now();
        assert_eq!(session.wait_once(before + TIME_LIMIT), []);
        assert!(session.driver.now().since(before) < TIME_LIMIT / 2);
        let until = session.driver.now() + A_MOMENT;
        assert_eq!(session.collect_for(A_MOMENT), []);
        assert!(session.driver.now() >= until);
    }
}

/// `send_now` returns an accepted buffer immediately and without a completion; other buffers return with a completion.
pub fn sending_now<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 2);
    session.open(A, Behaviour::Echo);
    session.driver.receive(A);
    for round in 0..20u8 {
        let mut buffer = Vec::with_capacity(500);
        buffer.resize(100, round);
        let returned = session.driver.send_now(A, buffer);
        let is_back = returned.is_some();
        assert!(returned.is_none_or(|buffer| buffer.is_empty() && buffer.capacity() >= 500));
        let is_enough = |events: &[Event]| {
            received(events, A).len() >= 100 && (is_back || events.contains(&Event::Sent(A, Ok(()))))
        };
        let events = session.collect(is_enough);
        assert_eq!(received(&events, A), vec![round; 100]);
        assert_eq!(events.contains(&Event::Sent(A, Ok(()))), !is_back);
    }
    session.open(B, Behaviour::Deaf);
    assert_eq!(session.driver.send_now(B, vec![0; 4 * LARGE_BYTES]), None);
    assert_eq!(session.collect_for(A_MOMENT), []);
    session.driver.close(B);
    session.open(B, Behaviour::Resets);
    session.driver.receive(B);
    session.driver.send(B, b"xyz".to_vec());
    session.collect(|events| ended(events, B).is_some());
    assert_eq!(session.driver.send_now(B, b"w".to_vec()), None);
    assert_eq!(session.next(), Event::Sent(B, Err(SocketError::Reset)));
}

/// Thousands of concurrent connections, each with its own exchange.
pub fn many_sockets<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, MANY as usize);
    // In batches, because the backlog of a peer may be small, and the kernel then delays connects by a second.
    for wave in 0..MANY / WAVE {
        for id in (wave * WAVE..(wave + 1) * WAVE).map(SocketId) {
            session.connect(id, Behaviour::Echo);
            session.driver.receive(id);
        }
        let events = session.collect(|events| events.len() == WAVE as usize);
        assert!(events.iter().all(|one| matches!(one, Event::Connected(_, Ok(())))), "all are connected");
        session.until_seen(Behaviour::Echo, |seen| seen.connections == u64::from((wave + 1) * WAVE));
    }
    for round in 0..2u32 {
        for id in 0..MANY {
            session.driver.send(SocketId(id), (id + round).to_ne_bytes().to_vec());
        }
        let mut answers = vec![Vec::new(); MANY as usize];
        let mut sent = 0;
        while sent < MANY || answers.iter().any(|answer| answer.len() < 4) {
            for one in session.wait_for_any() {
                match one {
                    Event::Received(id, bytes) => answers[id.0 as usize].extend(bytes),
                    Event::Sent(_, Ok(())) => sent += 1,
                    other => panic!("{other:?}"),
                }
            }
        }
        let wrong = (0..MANY).filter(|id| answers[*id as usize] != (id + round).to_ne_bytes()).count();
        assert_eq!(wrong, 0);
    }
    for id in 0..MANY {
        session.driver.close(SocketId(id));
    }
    session.until_seen(Behaviour::Echo, |seen| seen.ended == u64::from(MANY));
}

/// Repeated connecting, exchanging and closing leaks nothing.
pub fn churn<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 16);
    let options = SocketOptions { reset_on_close: true, ..SocketOptions::default() };
    let mut finished = 0;
    for id in 0..16 {
        session.connect_with(SocketId(id), Behaviour::Echo, &options);
    }
    while finished < 1000 {
        for one in session.wait_for_any() {
            match one {
                Event::Connected(id, result) => {
                    assert_eq!(result, Ok(()));
                    session.driver.receive(id);
                    session.driver.send(id, vec![7]);
                }
                Event::Received(id, bytes) => {
                    assert_eq!(bytes, [7]);
                    session.driver.close(id);
                    session.connect_with(id, Behaviour::Echo, &options);
                    finished += 1;
                }
                Event::Sent(_, result) => assert_eq!(result, Ok(())),
                Event::Ended(..) => panic!("{one:?}"),
            }
        }
    }
    for id in 0..16 {
        session.driver.close(SocketId(id));
    }
    session.until_seen(Behaviour::Echo, |seen| seen.resets + seen.ended == seen.connections);
}

const A: SocketId = SocketId(0);
const B: SocketId = SocketId(1);
const MANY: u32 = 2000;
const WAVE: u32 = 100;
const LARGE_BYTES: usize = 4 << 20;
/// Time limit for expected completions.
const TIME_LIMIT: Duration = Duration::from_secs(20);
/// Observation time for completions that must not occur.
const A_MOMENT: Duration = Duration::from_millis(20);
