//! What every driver must do, written once and run against the simulator and both kernels' drivers.
//!
//! A [`Fixture`] provides the driver and peers of known [`Behaviour`]; [`conformance!`](crate::conformance!) makes one test of
//! each case.

use std::time::Duration;

use warwolf_clock::{Clock, Timestamp};
use warwolf_driver::{Address, Completion, Driver, Idle, SocketError, SocketId, SocketOptions};

/// How a peer behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Behaviour {
    /// Sends back what it receives.
    Echo,
    /// Reads and says nothing.
    Silent,
    /// Never reads, so that buffers fill.
    Deaf,
    /// Says [`FAREWELL`] at once and ends its side, then reads on.
    Farewell,
    /// Resets the connection when the first byte comes.
    Resets,
    /// Sends [`FLOOD_BYTES`] bytes when the first byte comes, the i-th being [`flood_byte`]`(i)`, and closes.
    Flood,
    /// Does not listen.
    Nobody,
}

/// What a [`Behaviour::Farewell`] says.
pub const FAREWELL: &[u8] = b"bye";
/// How much a [`Behaviour::Flood`] sends; more than any driver's buffer.
pub const FLOOD_BYTES: usize = 3 << 20;

/// The byte at `position` of a flood.
#[must_use]
pub const fn flood_byte(position: usize) -> u8 {
    (position % 251) as u8
}

/// What all peers of one behaviour have seen so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Connections accepted.
    pub connections: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Connections that ended in order.
    pub ended: u64,
    /// Connections that were reset.
    pub resets: u64,
}

/// A driver under test and the peers it talks to.
pub trait Fixture {
    /// The driver.
    type Driver: Driver;

    /// A new driver for about `sockets` sockets.
    fn driver(&self, idle: Idle, sockets: usize) -> Self::Driver;

    /// Where a peer of this behaviour listens (or does not).
    fn address(&self, behaviour: Behaviour) -> Address;

    /// What the peers of this behaviour have seen.
    fn seen(&self, behaviour: Behaviour) -> Seen;

    /// Something that ends the driver's waits.
    fn waker(&self, driver: &Self::Driver) -> Box<dyn Fn() + Send>;

    /// Whether a socket can be closed with a reset; Unix sockets cannot.
    fn has_resets(&self) -> bool {
        true
    }
}

/// Makes a test of each case: `conformance!(make)`, where `make` is a function that returns a new [`Fixture`].
#[macro_export]
macro_rules! conformance {
    ($make:path) => {
        $crate::conformance!(
            $make:
            connects_and_echoes refuses large_buffers_arrive_whole short_writes_do_not_block_others half_close
            reset_by_the_peer close_with_a_send_in_flight receive_before_connected receive_late receive_after_close pauses
            an_id_can_be_used_again close_while_connecting closing_is_seen_by_the_peer reset_on_close_is_seen_by_the_peer
            a_flood_arrives_in_order wait_ends_on_time wait_with_a_past_deadline_looks spinning_ends_on_time
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

/// A driver with what it has said so far, and patience.
struct Session<'a, F: Fixture> {
    fixture: &'a F,
    driver: F::Driver,
    fresh: Vec<Completion>,
}

/// A completion with its bytes copied out.
#[derive(Debug, PartialEq, Eq)]
enum Said {
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

    /// Connects, and waits until that is done.
    fn open(&mut self, id: SocketId, behaviour: Behaviour) {
        self.connect(id, behaviour);
        assert_eq!(self.next(), Said::Connected(id, Ok(())));
    }

    /// Waits once, at most until `until`.
    fn turn(&mut self, until: Timestamp) -> Vec<Said> {
        self.driver.wait(until, &mut self.fresh).expect("the driver waits");
        let driver = &self.driver;
        let say = |completion| match completion {
            Completion::Connected { socket, result } => Said::Connected(socket, result),
            Completion::Received { socket, bytes } => Said::Received(socket, driver.bytes(&bytes).to_vec()),
            Completion::Sent { socket, buffer, result } => {
                assert!(buffer.is_empty(), "a buffer comes back emptied");
                Said::Sent(socket, result)
            }
            Completion::Ended { socket, result } => Said::Ended(socket, result),
        };
        self.fresh.drain(..).map(say).collect()
    }

    /// Waits until something is said.
    fn turn_patiently(&mut self) -> Vec<Said> {
        let limit = self.driver.now() + PATIENCE;
        loop {
            let said = self.turn(limit);
            if !said.is_empty() {
                return said;
            }
            assert!(self.driver.now() < limit, "nothing was said for {PATIENCE:?}");
        }
    }

    /// Waits for the one thing that must be said next.
    fn next(&mut self) -> Said {
        let mut said = self.turn_patiently();
        assert_eq!(said.len(), 1, "{said:?}");
        said.remove(0)
    }

    /// Collects what is said until `is_enough`.
    fn collect(&mut self, is_enough: impl Fn(&[Said]) -> bool) -> Vec<Said> {
        let mut all = Vec::new();
        while !is_enough(&all) {
            all.extend(self.turn_patiently());
        }
        all
    }

    /// Collects all that is said for a while.
    fn collect_for(&mut self, while_: Duration) -> Vec<Said> {
        let until = self.driver.now() + while_;
        let mut all = Vec::new();
        while self.driver.now() < until {
            all.extend(self.turn(until));
        }
        all
    }

    /// Waits until the peers have seen something. They hear of what the driver does without any further call to it.
    fn until_seen(&mut self, behaviour: Behaviour, is_enough: impl Fn(Seen) -> bool) {
        let limit = self.driver.now() + PATIENCE;
        while !is_enough(self.fixture.seen(behaviour)) {
            let seen = self.fixture.seen(behaviour);
            assert!(self.driver.now() < limit, "{behaviour:?} has only seen {seen:?}");
            let until = self.driver.now() + A_MOMENT;
            let said = self.turn(until);
            assert!(said.is_empty(), "{said:?}");
        }
    }
}

/// The bytes received on `id`, joined.
fn received(said: &[Said], id: SocketId) -> Vec<u8> {
    let bytes = said.iter().filter_map(|one| match one {
        Said::Received(socket, bytes) if *socket == id => Some(bytes.as_slice()),
        _ => None,
    });
    bytes.collect::<Vec<_>>().concat()
}

fn ended(said: &[Said], id: SocketId) -> Option<Result<(), SocketError>> {
    said.iter().find_map(|one| match one {
        Said::Ended(socket, result) if *socket == id => Some(*result),
        _ => None,
    })
}

/// A connection is made, bytes go there and come back, in several rounds.
pub fn connects_and_echoes<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.open(A, Behaviour::Echo);
    session.driver.receive(A);
    for round in 0..10u8 {
        session.driver.send(A, vec![round; 100]);
        let said = session.collect(|said| received(said, A).len() >= 100);
        assert_eq!(received(&said, A), vec![round; 100]);
        assert!(said.contains(&Said::Sent(A, Ok(()))));
    }
    session.driver.close(A);
}

/// Nobody listens: the connect fails, and the id is free again.
pub fn refuses<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.connect(A, Behaviour::Nobody);
    assert_eq!(session.next(), Said::Connected(A, Err(SocketError::Refused)));
    session.driver.close(A);
    session.open(A, Behaviour::Echo);
}

/// A buffer far larger than any socket's goes through whole while what comes back is read.
pub fn large_buffers_arrive_whole<F: Fixture>(fixture: &F) {
    let bytes: Vec<u8> = (0..LARGE_BYTES).map(flood_byte).collect();
    let mut session = Session::new(fixture, 1);
    session.open(A, Behaviour::Echo);
    session.driver.receive(A);
    session.driver.send(A, bytes.clone());
    let said = session.collect(|said| received(said, A).len() >= bytes.len());
    assert!(received(&said, A) == bytes, "what came back is what was sent");
    assert_eq!(said.iter().filter(|one| matches!(one, Said::Sent(..))).count(), 1);
}

/// A peer that does not read holds up its own connection only.
pub fn short_writes_do_not_block_others<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 2);
    session.open(A, Behaviour::Deaf);
    session.open(B, Behaviour::Echo);
    session.driver.receive(B);
    session.driver.send(A, vec![0; 4 * LARGE_BYTES]);
    session.driver.send(B, b"hello".to_vec());
    let said = session.collect(|said| received(said, B).len() >= 5);
    assert_eq!(received(&said, B), b"hello");
    assert!(!said.iter().any(|one| matches!(one, Said::Sent(A, _))), "the large buffer is still in flight");
    session.driver.close(A);
    assert_eq!(session.collect_for(A_MOMENT), []);
}

/// The peer ends its side: what it said comes first, then the end, and sending still works.
pub fn half_close<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.open(A, Behaviour::Farewell);
    session.driver.receive(A);
    let said = session.collect(|said| ended(said, A).is_some());
    assert_eq!(received(&said, A), FAREWELL);
    assert_eq!(ended(&said, A), Some(Ok(())));
    session.driver.send(A, vec![1; 1000]);
    assert_eq!(session.next(), Said::Sent(A, Ok(())));
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
    let said = session.collect(|said| ended(said, A).is_some());
    assert_eq!(ended(&said, A), Some(Err(SocketError::Reset)));
    session.driver.send(A, b"w".to_vec());
    assert_eq!(session.next(), Said::Sent(A, Err(SocketError::Reset)));
    session.driver.close(A);
}

/// After a close with a send in flight nothing more is heard, and the driver works on.
pub fn close_with_a_send_in_flight<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 2);
    session.open(A, Behaviour::Deaf);
    session.driver.receive(A);
    session.driver.send(A, vec![0; 4 * LARGE_BYTES]);
    assert_eq!(session.collect_for(A_MOMENT), []);
    session.driver.close(A);
    session.open(A, Behaviour::Echo);
    session.driver.receive(A);
    // Closed with a send that the kernel has not even seen.
    session.driver.send(A, b"lost".to_vec());
    session.driver.close(A);
    session.open(A, Behaviour::Echo);
    session.driver.receive(A);
    session.driver.send(A, b"found".to_vec());
    let said = session.collect(|said| received(said, A).len() >= 5);
    assert_eq!(received(&said, A), b"found");
}

/// Asking to receive before the connection stands is as good as afterwards.
pub fn receive_before_connected<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.connect(A, Behaviour::Farewell);
    session.driver.receive(A);
    let said = session.collect(|said| ended(said, A).is_some());
    assert_eq!(said[0], Said::Connected(A, Ok(())));
    assert_eq!(received(&said, A), FAREWELL);
}

/// What came before anybody asked is not lost, nor is the end.
pub fn receive_late<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.open(A, Behaviour::Farewell);
    assert_eq!(session.collect_for(A_MOMENT), []);
    session.driver.receive(A);
    let said = session.collect(|said| ended(said, A).is_some());
    assert_eq!(received(&said, A), FAREWELL);
}

/// A socket that pauses hears nothing until it receives again, then everything, and no more at once than it said.
pub fn pauses<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    let options = SocketOptions { receive_max: Some(100), ..SocketOptions::default() };
    session.connect_with(A, Behaviour::Echo, &options);
    assert_eq!(session.next(), Said::Connected(A, Ok(())));
    session.driver.receive(A);
    if !session.driver.pause(A) {
        return;
    }
    session.driver.send(A, (0..250).collect());
    session.collect(|said| said.contains(&Said::Sent(A, Ok(()))));
    assert_eq!(session.collect_for(A_MOMENT), []);
    session.driver.receive(A);
    let said = session.collect(|said| received(said, A).len() == 250);
    assert_eq!(received(&said, A), (0..250).collect::<Vec<u8>>());
    let longest =
        said.iter().map(|said| if let Said::Received(_, bytes) = said { bytes.len() } else { 0 }).max();
    assert!(longest <= Some(100), "{said:?}");
    // Paused between two pieces, it keeps the rest.
    session.driver.send(A, vec![7; 250]);
    let first = session.collect(|said| !received(said, A).is_empty());
    assert!(session.driver.pause(A));
    assert_eq!(received(&session.collect_for(A_MOMENT), A), []);
    session.driver.receive(A);
    let heard = received(&first, A).len();
    session.collect(|said| received(said, A).len() + heard == 250);
}

/// What arrives for a socket that was closed is not heard.
pub fn receive_after_close<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 2);
    session.open(A, Behaviour::Echo);
    session.open(B, Behaviour::Echo);
    session.driver.receive(A);
    session.driver.receive(B);
    session.driver.send(A, vec![1; 1000]);
    assert!(session.turn_patiently().contains(&Said::Sent(A, Ok(()))));
    session.driver.close(A);
    session.driver.send(B, b"b".to_vec());
    let said = session.collect(|said| received(said, B).len() == 1);
    let of_a = |one: &Said| matches!(one, Said::Received(A, _) | Said::Ended(A, _) | Said::Sent(A, _));
    assert!(!said.iter().any(of_a), "{said:?}");
}

/// An id used again at once hears nothing of its earlier lives.
pub fn an_id_can_be_used_again<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    for life in 0..50u8 {
        session.open(A, Behaviour::Echo);
        session.driver.receive(A);
        // The echo of this comes when the id has a new life.
        session.driver.send(A, vec![life; 300]);
        if life % 2 == 0 {
            session.turn(Timestamp::ZERO);
        }
        session.driver.close(A);
    }
    session.open(A, Behaviour::Echo);
    session.driver.receive(A);
    session.driver.send(A, vec![255; 300]);
    let said = session.collect(|said| received(said, A).len() >= 300);
    assert_eq!(received(&said, A), vec![255; 300]);
    session.driver.close(A);
    session.until_seen(Behaviour::Echo, |seen| seen.ended + seen.resets == seen.connections);
}

/// A socket may be closed before its connection stands, without a word about it.
pub fn close_while_connecting<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.connect(A, Behaviour::Echo);
    session.driver.close(A);
    session.connect(A, Behaviour::Nobody);
    session.driver.close(A);
    assert_eq!(session.collect_for(A_MOMENT), []);
    session.open(A, Behaviour::Echo);
}

/// The peer sees a close soon, with a receive armed and no further call than a wait.
pub fn closing_is_seen_by_the_peer<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 2);
    session.open(A, Behaviour::Silent);
    session.open(B, Behaviour::Silent);
    session.driver.receive(A);
    session.driver.send(A, b"abc".to_vec());
    assert_eq!(session.next(), Said::Sent(A, Ok(())));
    session.driver.close(A);
    session.driver.close(B);
    session.until_seen(Behaviour::Silent, |seen| seen.ended == 2 && seen.bytes == 3);
}

/// With `reset_on_close` the peer sees a reset, where there is such a thing.
pub fn reset_on_close_is_seen_by_the_peer<F: Fixture>(fixture: &F) {
    let options = SocketOptions { reset_on_close: true, ..SocketOptions::default() };
    let mut session = Session::new(fixture, 1);
    session.connect_with(A, Behaviour::Silent, &options);
    assert_eq!(session.next(), Said::Connected(A, Ok(())));
    session.driver.receive(A);
    session.until_seen(Behaviour::Silent, |seen| seen.connections == 1);
    session.driver.close(A);
    let is_reset = fixture.has_resets();
    session.until_seen(Behaviour::Silent, |seen| if is_reset { seen.resets == 1 } else { seen.ended == 1 });
}

/// More than the driver's receive memory arrives whole and in order from several peers at once, then their ends.
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
    let said = session.collect(|said| ids.iter().all(|id| ended(said, *id).is_some()));
    for id in ids {
        let bytes = received(&said, id);
        assert_eq!(bytes.len(), FLOOD_BYTES);
        assert!(bytes.iter().enumerate().all(|(position, byte)| *byte == flood_byte(position)));
        assert_eq!(ended(&said, id), Some(Ok(())));
    }
}

/// A wait without news ends at its deadline: never before, and within 300 us after it on a machine that lets it.
pub fn wait_ends_on_time<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.open(A, Behaviour::Silent);
    for micros in [50, 100, 500, 1000, 2500, 10_000, 40_000] {
        let mut late = Vec::new();
        // A busy machine holds up any single wake-up; a driver that is late by itself is late every time.
        while late.iter().all(|late| *late > Duration::from_micros(300)) {
            assert!(late.len() < 50, "{micros} us: late by {late:?}");
            let until = session.driver.now() + Duration::from_micros(micros);
            assert_eq!(session.turn(until), []);
            let now = session.driver.now();
            assert!(now >= until, "{micros} us: woken {:?} early", until.since(now));
            late.push(now.since(until));
        }
    }
}

/// A deadline that is past does not sleep, and still looks.
pub fn wait_with_a_past_deadline_looks<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    session.open(A, Behaviour::Farewell);
    session.driver.receive(A);
    let limit = session.driver.now() + PATIENCE;
    let mut said = session.turn(Timestamp::ZERO);
    while ended(&said, A).is_none() && session.driver.now() < limit {
        // Virtual time moves only while it is waited for.
        let soon = session.driver.now() + Duration::from_micros(20);
        said.extend(session.turn(soon));
        said.extend(session.turn(Timestamp::ZERO));
    }
    assert_eq!(received(&said, A), FAREWELL);
}

/// Spinning hears and wakes like sleeping.
pub fn spinning_ends_on_time<F: Fixture>(fixture: &F) {
    let mut session = Session { fixture, driver: fixture.driver(Idle::Spin, 1), fresh: Vec::new() };
    session.open(A, Behaviour::Echo);
    session.driver.receive(A);
    session.driver.send(A, b"spin".to_vec());
    let said = session.collect(|said| received(said, A).len() >= 4);
    assert_eq!(received(&said, A), b"spin");
    for _ in 0..5 {
        let until = session.driver.now() + Duration::from_micros(300);
        assert_eq!(session.turn(until), []);
        assert!(session.driver.now() >= until);
    }
}

/// A waker ends the wait it is called in, or the next one; and waits work as before afterwards.
pub fn a_waker_ends_the_wait<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 1);
    let wake = fixture.waker(&session.driver);
    for _ in 0..3 {
        wake();
        let before = session.driver.now();
        assert_eq!(session.turn(before + PATIENCE), []);
        assert!(session.driver.now().since(before) < PATIENCE / 2);
        let until = session.driver.now() + A_MOMENT;
        assert_eq!(session.collect_for(A_MOMENT), []);
        assert!(session.driver.now() >= until);
    }
}

/// A buffer that is taken at once comes back at once and never again; one that is not comes back like any other.
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
        let is_enough = |said: &[Said]| {
            received(said, A).len() >= 100 && (is_back || said.contains(&Said::Sent(A, Ok(()))))
        };
        let said = session.collect(is_enough);
        assert_eq!(received(&said, A), vec![round; 100]);
        assert_eq!(said.contains(&Said::Sent(A, Ok(()))), !is_back);
    }
    session.open(B, Behaviour::Deaf);
    assert_eq!(session.driver.send_now(B, vec![0; 4 * LARGE_BYTES]), None);
    assert_eq!(session.collect_for(A_MOMENT), []);
    session.driver.close(B);
    session.open(B, Behaviour::Resets);
    session.driver.receive(B);
    session.driver.send(B, b"xyz".to_vec());
    session.collect(|said| ended(said, B).is_some());
    assert_eq!(session.driver.send_now(B, b"w".to_vec()), None);
    assert_eq!(session.next(), Said::Sent(B, Err(SocketError::Reset)));
}

/// Thousands of connections at once, each with its own conversation.
pub fn many_sockets<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, MANY as usize);
    // In waves, because a peer's backlog may be small, and the kernel then makes connects wait for a second.
    for wave in 0..MANY / WAVE {
        for id in (wave * WAVE..(wave + 1) * WAVE).map(SocketId) {
            session.connect(id, Behaviour::Echo);
            session.driver.receive(id);
        }
        let said = session.collect(|said| said.len() == WAVE as usize);
        assert!(said.iter().all(|one| matches!(one, Said::Connected(_, Ok(())))), "all are connected");
        session.until_seen(Behaviour::Echo, |seen| seen.connections == u64::from((wave + 1) * WAVE));
    }
    for round in 0..2u32 {
        for id in 0..MANY {
            session.driver.send(SocketId(id), (id + round).to_ne_bytes().to_vec());
        }
        let mut answers = vec![Vec::new(); MANY as usize];
        let mut sent = 0;
        while sent < MANY || answers.iter().any(|answer| answer.len() < 4) {
            for one in session.turn_patiently() {
                match one {
                    Said::Received(id, bytes) => answers[id.0 as usize].extend(bytes),
                    Said::Sent(_, Ok(())) => sent += 1,
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

/// Connecting, talking and closing over and over leaves nothing behind.
pub fn churn<F: Fixture>(fixture: &F) {
    let mut session = Session::new(fixture, 16);
    let options = SocketOptions { reset_on_close: true, ..SocketOptions::default() };
    let mut finished = 0;
    for id in 0..16 {
        session.connect_with(SocketId(id), Behaviour::Echo, &options);
    }
    while finished < 1000 {
        for one in session.turn_patiently() {
            match one {
                Said::Connected(id, result) => {
                    assert_eq!(result, Ok(()));
                    session.driver.receive(id);
                    session.driver.send(id, vec![7]);
                }
                Said::Received(id, bytes) => {
                    assert_eq!(bytes, [7]);
                    session.driver.close(id);
                    session.connect_with(id, Behaviour::Echo, &options);
                    finished += 1;
                }
                Said::Sent(_, result) => assert_eq!(result, Ok(())),
                Said::Ended(..) => panic!("{one:?}"),
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
/// How long a case waits for what must come.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a case waits for what must not come.
const A_MOMENT: Duration = Duration::from_millis(20);
