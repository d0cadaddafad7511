//! When sessions start, and which requests they send.
//!
//! [`Arrivals`] are the intended starts of one shard; a [`Session`] is one user's remaining steps. Both are values that
//! receive events as arguments. They use no socket, clock or file, and [`seed`] derives all randomness from the plan's seed.
//! The engine calls them; the requests they would send can be tested as a list.
#![forbid(unsafe_code)]

mod arrivals;
mod cookies;
mod cursor;
mod data;
mod feed;
mod fields;
mod interceptors;
mod interest;
mod page;
mod program;
pub mod seed;
mod session;
mod steps;
mod think;

pub use arrivals::{Arrival, Arrivals};
pub use cookies::{COOKIE_BYTES_MAX, COOKIES_BYTES_MAX, COOKIES_MAX, GivenCookie};
pub use feed::{FedRequest, Feed, Feeder, Taken};
pub use fields::AddField;
pub use interest::{BodyHash, Captured, Interest};
pub use page::Page;
pub use session::{CallRequest, Reply, Sequel, Session, Step, Token, Workload};
pub use steps::{Checked, GroupRecord, Names, PartText, RequestPart, RequestTexts};
