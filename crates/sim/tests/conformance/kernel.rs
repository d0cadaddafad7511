//! Peers of known behavior on real sockets, all on one thread.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use mio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use mio::{Events, Interest, Poll, Token};
use warwolf_clock::Timestamp;
use warwolf_driver::{
    Address, Completion, Driver, Epoll, Idle, Monotonic, SocketId, SocketOptions, Uring, Waker, host,
};
use warwolf_sim::alloc;
use warwolf_sim::conformance::{Behaviour, FAREWELL, FLOOD_BYTES, Fixture, Seen, flood_byte};

/// Functions that create and wake a driver.
type Make<D> = fn(Idle, usize) -> io::Result<D>;
type Wake<D> = fn(&D) -> io::Result<Waker>;

/// A fixture over the loopback interface or Unix sockets.
pub(crate) struct Kernel<D> {
    make: Make<D>,
    wake: Wake<D>,
    has_resets: bool,
    addresses: BTreeMap<Behaviour, Address>,
    sights: Sights,
    stop: mio::Waker,
    actors: Option<JoinHandle<()>>,
    /// Paths to remove at the end.
    paths: Vec<PathBuf>,
}

type Sights = Arc<Mutex<BTreeMap<Behaviour, Seen>>>;

pub(crate) fn epoll() -> Kernel<Epoll> {
    start(false, |idle, sockets| Epoll::new(clock(), idle, sockets), Epoll::waker)
}

pub(crate) fn uring() -> Kernel<Uring> {
    start(false, |idle, sockets| Uring::new(clock(), idle, sockets), Uring::waker)
}

/// As on kernels before 6.12.
pub(crate) fn uring_whole() -> Kernel<Uring> {
    start(false, |idle, sockets| Uring::with_whole_buffers(clock(), idle, sockets), Uring::waker)
}

pub(crate) fn epoll_unix() -> Kernel<Epoll> {
    start(true, |idle, sockets| Epoll::new(clock(), idle, sockets), Epoll::waker)
}

pub(crate) fn uring_unix() -> Kernel<Uring> {
    start(true, |idle, sockets| Uring::new(clock(), idle, sockets), Uring::waker)
}

fn clock() -> Monotonic {
    Monotonic::start_at(Duration::ZERO)
}

impl<D: Driver> Fixture for Kernel<D> {
    type Driver = D;

    fn driver(&self, idle: Idle, sockets: usize) -> D {
        (self.make)(idle, sockets).unwrap()
    }

    fn address(&self, behaviour: Behaviour) -> Address {
        self.addresses[&behaviour].clone()
    }

    fn seen(&self, behaviour: Behaviour) -> Seen {
        self.sights.lock().unwrap().get(&behaviour).copied().unwrap_or_default()
    }

    fn waker(&self, driver: &D) -> Box<dyn Fn() + Send> {
        let waker = (self.wake)(driver).unwrap();
        Box::new(move || waker.wake())
    }

    fn has_resets(&self) -> bool {
        self.has_resets
    }
}

impl<D> Drop for Kernel<D> {
    fn drop(&mut self) {
        self.stop.wake().unwrap();
        if let Some(actors) = self.actors.take()
            && actors.join().is_err()
            && !std::thread::panicking()
        {
            panic!("the peers failed");
        }
        for path in &self.paths {
            let _ = std::fs::remove_file(path);
        }
    }
}

const LISTENING: [Behaviour; 6] = [
    Behaviour::Echo,
    Behaviour::Silent,
    Behaviour::Deaf,
    Behaviour::Farewell,
    Behaviour::Resets,
    Behaviour::Flood,
];

/// Binds all addresses and starts the peers.
fn start<D>(is_unix: bool, make: Make<D>, wake: Wake<D>) -> Kernel<D> {
    host::raise_descriptor_limit().unwrap();
    let poll = Poll::new().unwrap();
    let stop = mio::Waker::new(poll.registry(), STOP).unwrap();
    let (mut addresses, mut paths, mut listeners) = (BTreeMap::new(), Vec::new(), Vec::new());
    for behaviour in LISTENING {
        let (listener, address) = listen(is_unix);
        addresses.insert(behaviour, address);
        listeners.push((listener, behaviour));
    }
    // Bound and closed again, so that connections are refused.
    addresses.insert(Behaviour::Nobody, listen(is_unix).1);
    paths.extend(addresses.values().filter_map(|address| match address {
        Address::Unix(path) => Some(path.clone()),
        Address::Ip(_) => None,
    }));
    let sights = Sights::default();
    let mut stage = Stage { poll, listeners, connections: Vec::new(), sights: Arc::clone(&sights) };
    let actors = Some(std::thread::spawn(move || stage.play()));
    Kernel { make, wake, has_resets: !is_unix, addresses, sights, stop, actors, paths }
}

enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

fn listen(is_unix: bool) -> (Listener, Address) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    if is_unix {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("warwolf-conformance-{}-{number}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        (Listener::Unix(UnixListener::bind(&path).unwrap()), Address::Unix(path))
    } else {
        // mio uses the largest backlog of the system; that of std is too small for thousands of concurrent connects.
        let listener = TcpListener::bind(([127, 0, 0, 1], 0).into()).unwrap();
        let address = listener.local_addr().unwrap();
        (Listener::Tcp(listener), Address::Ip(address))
    }
}

enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(into),
            Self::Unix(stream) => stream.read(into),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn end(&mut self) {
        let _ = match self {
            Self::Tcp(stream) => stream.shutdown(Shutdown::Write),
            Self::Unix(stream) => stream.shutdown(Shutdown::Write),
        };
    }
}

/// All peers and their connections.
struct Stage {
    poll: Poll,
    listeners: Vec<(Listener, Behaviour)>,
    connections: Vec<Option<Conversation>>,
    sights: Sights,
}

struct Conversation {
    stream: Stream,
    behaviour: Behaviour,
    out: Vec<u8>,
    written: usize,
}

const STOP: Token = Token(0);
const FIRST_LISTENER: usize = 1;
const FIRST_CONNECTION: usize = 100;

impl Stage {
    /// Runs until stopped.
    fn play(&mut self) {
        for (index, (listener, _)) in self.listeners.iter_mut().enumerate() {
            let token = Token(FIRST_LISTENER + index);
            match listener {
                Listener::Tcp(tcp) => self.poll.registry().register(tcp, token, Interest::READABLE),
                Listener::Unix(unix) => self.poll.registry().register(unix, token, Interest::READABLE),
            }
            .unwrap();
        }
        let mut events = Events::with_capacity(1024);
        loop {
            match self.poll.poll(&mut events, None) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                result => result.unwrap(),
            }
            for event in &events {
                match event.token() {
                    STOP => return,
                    Token(token @ FIRST_CONNECTION..) => self.converse(token - FIRST_CONNECTION),
                    Token(token) => self.accept(token - FIRST_LISTENER),
                }
            }
        }
    }

    fn note(&self, behaviour: Behaviour, change: impl FnOnce(&mut Seen)) {
        change(self.sights.lock().unwrap().entry(behaviour).or_default());
    }

    fn accept(&mut self, index: usize) {
        loop {
            let (listener, behaviour) = &self.listeners[index];
            let behaviour = *behaviour;
            let accepted = match listener {
                Listener::Tcp(tcp) => tcp.accept().map(|(stream, _)| Stream::Tcp(stream)),
                Listener::Unix(unix) => unix.accept().map(|(stream, _)| Stream::Unix(stream)),
            };
            let mut stream = match accepted {
                Ok(stream) => stream,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // Closed before it was accepted.
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => continue,
                Err(error) => panic!("accept: {error}"),
            };
            self.note(behaviour, |seen| seen.connections += 1);
            let token = Token(FIRST_CONNECTION + self.connections.len());
            let interest = Interest::READABLE | Interest::WRITABLE;
            match &mut stream {
                Stream::Tcp(tcp) => self.poll.registry().register(tcp, token, interest),
                Stream::Unix(unix) => self.poll.registry().register(unix, token, interest),
            }
            .unwrap();
            if behaviour == Behaviour::Farewell {
                assert_eq!(stream.write(FAREWELL).unwrap(), FAREWELL.len());
                stream.end();
            }
            self.connections.push(Some(Conversation { stream, behaviour, out: Vec::new(), written: 0 }));
        }
    }

    /// Handles input and output of a connection.
    fn converse(&mut self, index: usize) {
        let Some(mut conversation) = self.connections[index].take() else { return };
        let behaviour = conversation.behaviour;
        if behaviour == Behaviour::Deaf {
            self.connections[index] = Some(conversation);
            return;
        }
        let mut room = [0; 65536];
        // Closing with unread bytes causes a reset, on TCP and on Unix sockets.
        let room = if behaviour == Behaviour::Resets { &mut room[..1] } else { &mut room[..] };
        loop {
            match conversation.stream.read(room) {
                Ok(0) => return self.note(behaviour, |seen| seen.ended += 1),
                Ok(len) => {
                    self.note(behaviour, |seen| seen.bytes += len as u64);
                    match behaviour {
                        Behaviour::Echo => conversation.out.extend_from_slice(&room[..len]),
                        Behaviour::Flood => conversation.out = (0..FLOOD_BYTES).map(flood_byte).collect(),
                        Behaviour::Resets => return,
                        _ => {}
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => return self.note(behaviour, |seen| seen.resets += 1),
            }
        }
        while conversation.written < conversation.out.len() {
            match conversation.stream.write(&conversation.out[conversation.written..]) {
                Ok(len) => conversation.written += len,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => return self.note(behaviour, |seen| seen.resets += 1),
            }
        }
        if conversation.written == conversation.out.len() {
            if behaviour == Behaviour::Flood && conversation.written > 0 {
                return;
            }
            conversation.out.clear();
            conversation.written = 0;
        }
        self.connections[index] = Some(conversation);
    }
}

/// Dropping the driver closes its sockets, including those closed just before.
fn dropping_closes_all_sockets<D: Driver>(fixture: &Kernel<D>) {
    let mut driver = fixture.driver(Idle::Block, 3);
    let mut found = Vec::new();
    for id in (0..3).map(SocketId) {
        driver.connect(id, &fixture.address(Behaviour::Silent), &SocketOptions::default());
        driver.receive(id);
    }
    while found.len() < 3 {
        driver.wait(Timestamp::NEVER, &mut found).unwrap();
    }
    driver.close(SocketId(0));
    driver.send(SocketId(1), b"last words".to_vec());
    drop(driver);
    // A second driver, used only to wait.
    let mut timer = fixture.driver(Idle::Block, 1);
    let is_over = |seen: Seen| seen.ended == 3 && seen.bytes == 10;
    while !is_over(fixture.seen(Behaviour::Silent)) {
        let now = timer.now();
        assert!(now < Timestamp::ZERO + Duration::from_secs(20), "{:?}", fixture.seen(Behaviour::Silent));
        timer.wait(now + Duration::from_millis(5), &mut found).unwrap();
    }
}

/// One request and response on an established connection.
fn exchange<D: Driver>(driver: &mut D, found: &mut Vec<Completion>, buffer: &mut Option<Vec<u8>>) {
    let mut request = buffer.take().unwrap();
    request.extend_from_slice(&[7; 100]);
    *buffer = driver.send_now(SocketId(0), request);
    let mut left = 100;
    while left > 0 || buffer.is_none() {
        driver.wait(Timestamp::NEVER, found).unwrap();
        for completion in found.drain(..) {
            match completion {
                Completion::Received { bytes, .. } => left -= driver.bytes(&bytes).len(),
                Completion::Sent { buffer: returned, .. } => *buffer = Some(returned),
                other => panic!("{other:?}"),
            }
        }
    }
}

fn requests_allocate_nothing<D: Driver>(fixture: &Kernel<D>) {
    let mut driver = fixture.driver(Idle::Block, 1);
    let (mut found, mut buffer) = (Vec::with_capacity(16), Some(Vec::with_capacity(100)));
    driver.connect(SocketId(0), &fixture.address(Behaviour::Echo), &SocketOptions::default());
    driver.receive(SocketId(0));
    driver.wait(Timestamp::NEVER, &mut found).unwrap();
    assert!(matches!(found[..], [Completion::Connected { result: Ok(()), .. }]));
    found.clear();
    // Enough to use every receive buffer several times.
    let mut run =
        |rounds| alloc::count(|| (0..rounds).for_each(|_| exchange(&mut driver, &mut found, &mut buffer)));
    run(10);
    assert_eq!(run(40_000), 0);
}

#[test]
fn requests_over_epoll_allocate_nothing() {
    requests_allocate_nothing(&epoll());
}

#[test]
fn requests_over_uring_allocate_nothing() {
    requests_allocate_nothing(&uring());
}

#[test]
fn requests_over_uring_with_whole_buffers_allocate_nothing() {
    requests_allocate_nothing(&uring_whole());
}

#[test]
fn dropping_an_epoll_driver_closes_all_sockets() {
    dropping_closes_all_sockets(&epoll());
}

#[test]
fn dropping_a_uring_driver_closes_all_sockets() {
    dropping_closes_all_sockets(&uring());
}

#[test]
fn a_driver_can_move_to_another_thread_before_its_first_wait() {
    let fixture = uring();
    let mut driver = fixture.driver(Idle::Block, 1);
    driver.connect(SocketId(0), &fixture.address(Behaviour::Echo), &SocketOptions::default());
    let waker = driver.waker().unwrap();
    let (say, hear) = std::sync::mpsc::channel();
    let worker = std::thread::spawn(move || {
        let mut found = Vec::new();
        driver.wait(Timestamp::NEVER, &mut found).unwrap();
        assert!(matches!(found[..], [Completion::Connected { result: Ok(()), .. }]));
        say.send(()).unwrap();
        driver.wait(Timestamp::NEVER, &mut found).unwrap();
        assert_eq!(found.len(), 1, "only the waker was called");
    });
    hear.recv().unwrap();
    waker.wake();
    worker.join().unwrap();
}

#[test]
fn this_kernel_supports_the_required_io_uring() {
    warwolf_driver::uring_supported().unwrap();
}
