//! A fuzzer for HTTP servers: sends generated requests under load and reports those that make the server fail.
//!
//! A [`Generator`] generates request `k` of a seed. A [`Campaign`] sends the requests, classifies the responses ([`classify`]),
//! repeats each failing request alone, shrinks it ([`shrink()`]) and groups the findings. Requests are exact bytes, so that one
//! line of text describes a finding ([`spelling`]).
#![forbid(unsafe_code)]

mod campaign;
mod completeness;
pub mod curl;
mod failure;
mod finding;
mod generate;
mod report;
mod rng;
mod scope;
mod shrink;
pub mod spelling;

pub use campaign::{Campaign, CampaignError, Options, Progress, Restart, replay};
pub use completeness::{is_versioned, requires_response};
pub use failure::{Failure, classify, is_reset_refusal, is_slower};
pub use finding::{Finding, Outcome, Subject, Unconfirmed, from_json};
pub use generate::{Base, Generated, Generator, Trap, traps};
pub use report::{Format, render};
pub use scope::may_test;
pub use shrink::{Oracle, shrink};
