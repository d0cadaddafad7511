//! A minimal load generator: sends one request repeatedly on each connection and counts bytes.
//!
//! Measures the cost of the driver without a protocol above it:
//! `cargo run --release -p warwolf-driver --example bare -- 127.0.0.1:8080 64 5 uring [block|spin] [keep|close]`.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use warwolf_clock::Timestamp;
use warwolf_driver::{
    Address, Completion, Driver, Epoll, Idle, Monotonic, SocketId, SocketOptions, Uring, host,
};

const KEEP: &[u8] = b"GET / HTTP/1.1\r\nHost: bare\r\n\r\n";
const CLOSE: &[u8] = b"GET / HTTP/1.1\r\nHost: bare\r\nConnection: close\r\n\r\n";

/// The state of one connection.
#[derive(Clone, Default)]
struct Connection {
    received: usize,
    buffer: Option<Vec<u8>>,
}

/// Work done and CPU time used after the warm-up.
#[derive(Default)]
struct Counts {
    requests: u64,
    waits: u64,
    failures: u64,
    user: Duration,
    system: Duration,
}

/// Connecting and the first requests are not measured.
const WARM_UP: Duration = Duration::from_secs(1);

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, connections, seconds, driver, rest @ ..] = &arguments[..] else {
        eprintln!("usage: bare ADDRESS CONNECTIONS SECONDS uring|epoll [block|spin] [keep|close]");
        std::process::exit(2);
    };
    let target: SocketAddr = target.parse().expect("an address and a port");
    let connections: usize = connections.parse().expect("a number of connections");
    let seconds: f64 = seconds.parse().expect("a number of seconds");
    let idle = if rest.iter().any(|word| word == "spin") { Idle::Spin } else { Idle::Block };
    let request = if rest.iter().any(|word| word == "close") { CLOSE } else { KEEP };
    let reply_bytes = measure_reply(target)?;

    let clock = Monotonic::start_at(Duration::ZERO);
    let job = Job { target, connections, request, reply_bytes, seconds };
    let counts = match driver.as_str() {
        "uring" => job.run(Uring::new(clock, idle, connections)?),
        _ => job.run(Epoll::new(clock, idle, connections)?),
    }?;
    let share = |time: Duration| time.as_secs_f64() * 1e6 / counts.requests as f64;
    println!(
        "{driver:<6} {:>9.0} requests/s  {:>6.3} us CPU per request ({:.3} user, {:.3} system)  {:.2} requests per wait  {} failures",
        counts.requests as f64 / seconds,
        share(counts.user + counts.system),
        share(counts.user),
        share(counts.system),
        counts.requests as f64 / counts.waits as f64,
        counts.failures,
    );
    Ok(())
}

/// Returns the size of one response on a persistent connection.
fn measure_reply(target: SocketAddr) -> std::io::Result<usize> {
    let mut stream = TcpStream::connect(target)?;
    stream.write_all(KEEP)?;
    stream.set_read_timeout(Some(Duration::from_millis(200)))?;
    let (mut total, mut room) = (0, vec![0; 1 << 20]);
    while let Ok(len @ 1..) = stream.read(&mut room) {
        total += len;
    }
    Ok(total)
}

/// A load of one request in flight per connection for some seconds.
struct Job<'a> {
    target: SocketAddr,
    connections: usize,
    request: &'a [u8],
    reply_bytes: usize,
    seconds: f64,
}

impl Job<'_> {
    /// Warms up, then measures.
    fn run<D: Driver>(&self, mut driver: D) -> std::io::Result<Counts> {
        let fresh = Connection { received: 0, buffer: Some(Vec::with_capacity(256)) };
        let mut table = vec![fresh; self.connections];
        for index in 0..self.connections {
            self.connect(&mut driver, SocketId(index as u32));
        }
        let start = driver.now() + WARM_UP;
        self.load(&mut driver, &mut table, start)?;
        let before = host::process_cpu();
        let mut counts = self.load(&mut driver, &mut table, start + Duration::from_secs_f64(self.seconds))?;
        let after = host::process_cpu();
        counts.user = after.0 - before.0;
        counts.system = after.1 - before.1;
        Ok(counts)
    }

    fn connect<D: Driver>(&self, driver: &mut D, id: SocketId) {
        let options = SocketOptions { nodelay: true, ..SocketOptions::default() };
        driver.connect(id, &Address::Ip(self.target), &options);
    }

    /// Sends the next request after every response until `until`.
    fn load<D: Driver>(
        &self,
        driver: &mut D,
        table: &mut [Connection],
        until: Timestamp,
    ) -> std::io::Result<Counts> {
        let is_keeping = self.request == KEEP;
        let mut counts = Counts::default();
        let mut completions = Vec::with_capacity(4 * self.connections);
        while driver.now() < until {
            driver.wait(until, &mut completions)?;
            counts.waits += 1;
            for completion in completions.drain(..) {
                let id = completion.socket();
                let connection = &mut table[id.0 as usize];
                let mut is_due = false;
                match completion {
                    Completion::Connected { result: Ok(()), .. } => {
                        driver.receive(id);
                        is_due = true;
                    }
                    Completion::Sent { buffer, .. } => connection.buffer = Some(buffer),
                    Completion::Received { bytes, .. } => {
                        connection.received += std::hint::black_box(driver.bytes(&bytes)).len();
                        if is_keeping && connection.received >= self.reply_bytes {
                            connection.received = 0;
                            counts.requests += 1;
                            is_due = true;
                        }
                    }
                    Completion::Ended { result: Ok(()), .. } if !is_keeping => {
                        counts.requests += 1;
                        driver.close(id);
                        self.connect(driver, id);
                    }
                    Completion::Ended { .. } | Completion::Connected { .. } => {
                        counts.failures += 1;
                        driver.close(id);
                        self.connect(driver, id);
                    }
                }
                if is_due {
                    let mut buffer = connection.buffer.take().unwrap_or_default();
                    buffer.extend_from_slice(self.request);
                    connection.buffer = driver.send_now(id, buffer);
                }
            }
        }
        Ok(counts)
    }
}
