//! A driver whose waits end early when the user stops the program.

use std::io;
use std::time::Duration;
use warwolf_clock::{Clock, Timestamp};
use warwolf_driver::{Address, Completion, Driver, ReceivedBytes, SocketId, SocketOptions};

/// Longest wait between two looks at the stop signal.
const LOOK: Duration = Duration::from_millis(100);

/// Passes everything on to another driver. [`Driver::wait`] fails with [`io::ErrorKind::Interrupted`] within a tenth of a second
/// after `is_stopped` returns true, so that whatever waits ends, however deep.
pub struct Interruptible<D, S> {
    driver: D,
    is_stopped: S,
}

impl<D, S: Fn() -> bool> Interruptible<D, S> {
    /// Adds the stop signal to a driver.
    pub const fn new(driver: D, is_stopped: S) -> Self {
        Self { driver, is_stopped }
    }
}

impl<D: Clock, S> Clock for Interruptible<D, S> {
    fn now(&self) -> Timestamp {
        self.driver.now()
    }
}

impl<D: Driver, S: Fn() -> bool> Driver for Interruptible<D, S> {
    fn connect(&mut self, socket: SocketId, to: &Address, options: &SocketOptions) {
        self.driver.connect(socket, to, options);
    }

    fn receive(&mut self, socket: SocketId) {
        self.driver.receive(socket);
    }

    fn pause(&mut self, socket: SocketId) -> bool {
        self.driver.pause(socket)
    }

    fn send(&mut self, socket: SocketId, buffer: Vec<u8>) {
        self.driver.send(socket, buffer);
    }

    fn send_now(&mut self, socket: SocketId, buffer: Vec<u8>) -> Option<Vec<u8>> {
        self.driver.send_now(socket, buffer)
    }

    fn close(&mut self, socket: SocketId) {
        self.driver.close(socket);
    }

    fn wait(&mut self, until: Timestamp, into: &mut Vec<Completion>) -> io::Result<()> {
        let before = into.len();
        loop {
            if (self.is_stopped)() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            self.driver.wait(until.min(self.driver.now() + LOOK), into)?;
            if into.len() > before || self.driver.now() >= until {
                return Ok(());
            }
        }
    }

    fn bytes(&self, bytes: &ReceivedBytes) -> &[u8] {
        self.driver.bytes(bytes)
    }

    fn name(&self) -> &'static str {
        self.driver.name()
    }
}
