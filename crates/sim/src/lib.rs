//! A simulated network with simulated servers, for tests: complete runs in virtual time, reproducible by seed.
//!
//! [`SimDriver`] is a [`Driver`](warwolf_driver::Driver) whose waits jump from event to event. [`Server`] is a scripted HTTP/1
//! server that logs what really happened. [`mod@conformance`] is the test suite for all drivers. [`alloc`] counts allocations.
//! This crate is used only as a dev-dependency.
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
