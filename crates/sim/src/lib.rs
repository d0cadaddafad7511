//! A virtual network and its servers, for tests: whole runs in virtual time, the same for the same seed.
//!
//! [`SimDriver`] is a [`Driver`](warwolf_driver::Driver) whose waits jump from event to event; [`Server`] answers HTTP/1 by a
//! script and keeps a log of what really happened; [`mod@conformance`] is what every driver must do; [`alloc`] counts allocations.
//! Only `[dev-dependencies]` name this crate.
#![forbid(unsafe_code)]

pub mod alloc;
pub mod conformance;
mod network;
mod peer;
mod random;
mod scenario;
mod server;

pub use network::{SimDriver, SimWaker};
pub use peer::{Actions, ConnectionId, Peer};
pub use scenario::{Fate, Scenario};
pub use server::{Ending, Exchange, Framing, Log, Reply, Request, Server};
