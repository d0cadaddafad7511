//! The baseline: our io_uring driver with a loop that sends requests and counts bytes, without parsing.
//!
//! The difference to warwolf is the cost of parsing, clocks, histograms and deadlines.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use warwolf_clock::Timestamp;
use warwolf_driver::{Address, Completion, Driver, Idle, Monotonic, SocketId, SocketOptions, Uring};

/// Loads `address` with `connections` persistent connections and `pipeline` requests at once on each, and prints the number of
/// responses.
pub(crate) fn run(address: SocketAddr, lasts: Duration, connections: u32, pipeline: usize) -> Result<()> {
    let request = format!("GET / HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes();
    let reply_bytes = reply_bytes(address, &request)? * pipeline;
    let ring = Uring::new(Monotonic::start_at(Duration::ZERO), Idle::Block, connections as usize)?;
    let requests = request.repeat(pipeline);
    let rounds = turn(ring, address, &requests, reply_bytes, Timestamp::ZERO + lasts, connections)?;
    println!("{} requests", rounds * pipeline as u64);
    Ok(())
}

/// Returns the size of a response; all responses are identical.
fn reply_bytes(address: SocketAddr, request: &[u8]) -> Result<usize> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_millis(500)))?;
    stream.write_all(request)?;
    let mut reply = [0; 4096];
    match stream.read(&mut reply).context("no reply")? {
        0 => bail!("the server closed the connection without a response"),
        // Small responses arrive in one piece; with a longer one every count and ratio would be wrong.
        bytes => Ok(bytes),
    }
}

/// One connection: sends again when the response is complete and the buffer has been returned.
struct Connection {
    missing: usize,
    buffer: Option<Vec<u8>>,
    is_due: bool,
}

impl Connection {
    /// Sends the request if both conditions hold; a response can arrive before the completion of the send.
    fn send(&mut self, driver: &mut impl Driver, socket: SocketId, request: &[u8]) {
        if !self.is_due {
            return;
        }
        if let Some(mut buffer) = self.buffer.take() {
            buffer.extend_from_slice(request);
            self.is_due = false;
            driver.send(socket, buffer);
        }
    }
}

/// Loads `address` until `until`; returns the number of responses of `reply_bytes`.
fn turn<D: Driver>(
    mut driver: D,
    address: SocketAddr,
    request: &[u8],
    reply_bytes: usize,
    until: Timestamp,
    connections: u32,
) -> Result<u64> {
    let options = SocketOptions { nodelay: true, ..SocketOptions::default() };
    let mut all = Vec::new();
    for id in 0..connections {
        all.push(Connection { missing: reply_bytes, buffer: Some(Vec::new()), is_due: true });
        driver.connect(SocketId(id), &Address::Ip(address), &options);
    }
    let (mut replies, mut completions) = (0, Vec::new());
    while driver.now() < until {
        driver.wait(until, &mut completions)?;
        for completion in completions.drain(..) {
            let connection = &mut all[completion.socket().0 as usize];
            match completion {
                Completion::Connected { socket, result } => {
                    if let Err(error) = result {
                        bail!("cannot connect to {address}: {error:?}");
                    }
                    driver.receive(socket);
                    connection.send(&mut driver, socket, request);
                }
                Completion::Received { socket, bytes } => {
                    // Accessing the bytes is part of receiving them.
                    std::hint::black_box(driver.bytes(&bytes).first());
                    connection.missing = connection.missing.saturating_sub(bytes.len());
                    if connection.missing == 0 {
                        replies += 1;
                        connection.missing = reply_bytes;
                        connection.is_due = true;
                        connection.send(&mut driver, socket, request);
                    }
                }
                Completion::Sent { socket, buffer, .. } => {
                    connection.buffer = Some(buffer);
                    connection.send(&mut driver, socket, request);
                }
                Completion::Ended { .. } => bail!("the server closed a connection"),
            }
        }
    }
    Ok(replies)
}
