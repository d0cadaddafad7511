//! The server under test that `warwolf target` runs: it does what it is told, and logs what it did.
//!
//! Not a server for anything else, and on purpose none of the load generator's own code: the judge shares nothing with the
//! judged. The program calls [`serve`]; tests that want one in their own process call [`start`].
//!
//! Every option has the same meaning for all requests that its word in a query string has for one: `--delay exp:10ms` and
//! `/?delay=exp:10ms`. [`GRAMMAR`] lists the words and the paths.
#![forbid(unsafe_code)]

mod answer;
mod behaviour;
mod connection;
mod delay;
mod fault;
mod grammar;
mod input;
mod listener;
mod log;
mod monotonic;
mod options;
mod output;
mod pattern;
mod plant;
mod queue;
mod random;
mod reply;
mod request;
mod route;
mod serving;
mod stall;
mod timer;
mod tls;
mod tunnel;
mod upload;
mod wire;

pub use behaviour::{Expectation, StatusMix};
pub use delay::{Delay, LONGEST};
pub use fault::{Fault, FaultKind};
pub use grammar::{Field, GrammarError, Pace};
pub use listener::{Endpoint, Listening, Place};
pub use log::{CSV_HEADER, Entry};
pub use monotonic::now_ns;
pub use options::{GRAMMAR, Listen, Options};
pub use plant::Plant;
pub use serving::{Handle, StartError, interrupted, serve, start};
pub use stall::Stall;
