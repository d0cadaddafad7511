//! What calls keep of their requests and replies.

use std::time::Duration;
use warwolf_observe::Exchange;

/// What of its reply a call keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keeps {
    /// `Location`, `Set-Cookie` and challenges.
    pub(crate) fields: bool,
    /// The body, when it is a page.
    pub(crate) pages: bool,
    /// How long it is good.
    pub(crate) lifetimes: bool,
    /// All that goes over the connection.
    pub(crate) exchange: bool,
    /// A checksum of the body.
    pub(crate) checksum: bool,
    /// The reason phrase.
    pub(crate) reason: bool,
    /// What random data it carries, and how long making that took.
    pub(crate) data: bool,
    /// The status before the final one.
    pub(crate) previous: bool,
}

/// What somebody asked for of a call and its reply.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) keeps: Keeps,
    pub(crate) location: Option<Vec<u8>>,
    pub(crate) cookies: Vec<Vec<u8>>,
    /// The `Date` of a reply with cookies.
    pub(crate) date: Option<Vec<u8>>,
    pub(crate) challenges: Vec<Vec<u8>>,
    /// The body so far, and its coding.
    pub(crate) page: Option<(Vec<u8>, Option<Vec<u8>>)>,
    /// How long the reply is good.
    pub(crate) good_for: Option<Duration>,
    pub(crate) exchange: Option<Exchange>,
    /// Of the body so far.
    pub(crate) checksum: u16,
    pub(crate) reason: Vec<u8>,
    pub(crate) previous_status: u16,
    pub(crate) drawn_bytes: u64,
    pub(crate) preparing: Duration,
}

impl Kept {
    /// None when nothing is to be kept.
    pub(crate) fn new(keeps: Keeps) -> Option<Box<Self>> {
        let exchange = keeps.exchange.then(Exchange::default);
        (keeps != Keeps::default()).then(|| Box::new(Self { keeps, exchange, ..Self::default() }))
    }
}
