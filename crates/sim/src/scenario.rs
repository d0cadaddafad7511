//! The conditions of a simulated run.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use warwolf_clock::Timestamp;
use warwolf_driver::{Address, SocketError};

use crate::Peer;

/// Everything a simulated run depends on. The fields are the network's weather; servers are added with the methods.
pub struct Scenario {
    /// Where all chance comes from.
    pub seed: u64,
    /// Time one way between the driver and every peer. Connecting takes two of these.
    pub latency: Duration,
    /// Up to so much is added to each segment's way, evenly; segments of a connection never overtake each other.
    pub jitter: Duration,
    /// Share of segments that are lost, in 0..=1. They come late, as they do over TCP, and hold up those behind them.
    pub loss: f64,
    /// How late a lost segment comes.
    pub retransmission: Duration,
    /// Share of segments to the driver that arrive as a reset instead, in 0..=1.
    pub reset_rate: f64,
    /// Segments are cut at random into 1 to so many bytes, in both directions; none leaves them whole.
    pub segment_max: Option<usize>,
    /// Bytes that are on their way to a peer before the driver's kernel takes no more, at least 1.
    pub send_window: usize,
    /// The driver's kernel takes 1 to so many bytes at a time, by chance; none takes all that fits.
    pub write_max: Option<usize>,
    /// While one of these lasts nothing arrives on either side; it all arrives at the end.
    pub stalls: Vec<Range<Timestamp>>,
    /// CPU time of the driver's owner between two waits. Zero makes every decision instant.
    pub turn_cost: Duration,
    /// CPU time of the driver's owner for each completion it was given.
    pub completion_cost: Duration,
    pub(crate) peers: Vec<(Option<Address>, Box<dyn Peer>)>,
    pub(crate) fate: Box<Chooser>,
}

/// Chooses what becomes of a connect by its number and address.
pub(crate) type Chooser = dyn FnMut(u64, &Address) -> Fate + Send;

/// What becomes of an attempt to connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The peer accepts it.
    Accepted,
    /// Nobody listens: the refusal comes back after one round trip.
    Refused,
    /// Nothing comes back, ever.
    Unanswered,
    /// Fails on this machine at once, or on the way.
    Failed(SocketError),
}

impl Scenario {
    /// A calm network: 100 us one way, nothing lost, cut or stalled, and `server` behind every address.
    pub fn new(seed: u64, server: impl Peer + 'static) -> Self {
        Self {
            seed,
            latency: Duration::from_micros(100),
            jitter: Duration::ZERO,
            loss: 0.0,
            retransmission: Duration::from_millis(200),
            reset_rate: 0.0,
            segment_max: None,
            send_window: 256 << 10,
            write_max: None,
            stalls: Vec::new(),
            turn_cost: Duration::ZERO,
            completion_cost: Duration::ZERO,
            peers: vec![(None, Box::new(server))],
            fate: Box::new(|_, _| Fate::Accepted),
        }
    }

    /// Puts another peer behind `address`.
    #[must_use]
    pub fn with_peer(mut self, address: Address, peer: impl Peer + 'static) -> Self {
        self.peers.insert(0, (Some(address), Box::new(peer)));
        self
    }

    /// Lets `choose` decide what becomes of each attempt to connect, by its number from 0 and its address.
    #[must_use]
    pub fn with_fate(mut self, choose: impl FnMut(u64, &Address) -> Fate + Send + 'static) -> Self {
        self.fate = Box::new(choose);
        self
    }

    /// Refuses every attempt to connect to one of `addresses`.
    #[must_use]
    pub fn refusing(self, addresses: Vec<Address>) -> Self {
        self.with_fate(
            move |_, address| if addresses.contains(address) { Fate::Refused } else { Fate::Accepted },
        )
    }
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario")
            .field("seed", &self.seed)
            .field("latency", &self.latency)
            .finish_non_exhaustive()
    }
}
