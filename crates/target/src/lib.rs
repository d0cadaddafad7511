//! The test server behind `warwolf target`: behaves as configured and logs every request.
//!
//! It is not a general-purpose server, and it shares no code with the load generator that it tests. The program calls [`serve`];
//! tests that need a server in their own process call [`start`].
//!
//! An option sets the behavior for all requests; the parameter of the same name in a query string sets it for one request:
//! `--delay exp:10ms` and `/?delay=exp:10ms`. [`GRAMMAR`] lists the parameters and the paths.
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
pub use listener::{Endpoint, ListenAddress, Listening};
pub use log::{CSV_HEADER, Entry};
pub use monotonic::now_ns;
pub use options::{GRAMMAR, Listen, Options};
pub use plant::Plant;
pub use serving::{Handle, StartError, interrupted, serve, start};
pub use stall::Stall;
