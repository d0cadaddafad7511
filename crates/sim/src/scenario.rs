//! The conditions of a simulated run.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use warwolf_clock::Timestamp;
use warwolf_driver::{Address, SocketError};

use crate::Peer;

/// Everything that a simulated run depends on. The fields inject faults into the network; methods add servers.
pub struct Scenario {
    /// The seed of all randomness.
    pub seed: u64,
    /// One-way delay between the driver and every peer. Connecting takes twice this time.
    pub latency: Duration,
    /// Maximum additional delay of a segment, uniformly distributed; segments of a connection never overtake each other.
    pub jitter: Duration,
    /// Probability that a segment is lost, in 0..=1. As with TCP, it arrives late and delays those behind it.
    pub loss: f64,
    /// Delay of a lost segment.
    pub retransmission: Duration,
    /// Probability that a segment to the driver is replaced by a reset, in 0..=1.
    pub reset_rate: f64,
    /// Splits data into segments of a random size from 1 to this number of bytes, in both directions; `None` keeps it whole.
    pub segment_max: Option<usize>,
    /// Maximum bytes in flight to a peer before the simulated kernel accepts no more, at least 1.
    pub send_window: usize,
    /// The simulated kernel accepts a random number of bytes from 1 to this at a time; `None` accepts all that fit.
    pub write_max: Option<usize>,
    /// During each of these intervals nothing arrives on either side; everything arrives at its end.
    pub stalls: Vec<Range<Timestamp>>,
    /// CPU time of the owner of the driver between two waits. Zero makes every decision instant.
    pub turn_cost: Duration,
    /// CPU time of the owner of the driver per completion.
    pub completion_cost: Duration,
    pub(crate) peers: Vec<(Option<Address>, Box<dyn Peer>)>,
    pub(crate) fate: Box<Chooser>,
}

/// Chooses the fate of a connect by its number and address.
pub(crate) type Chooser = dyn FnMut(u64, &Address) -> Fate + Send;

/// The result of an attempt to connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The peer accepts it.
    Accepted,
    /// Refused after one round trip.
    Refused,
    /// Never answered.
    Unanswered,
    /// Fails immediately with this error.
    Failed(SocketError),
}

impl Scenario {
    /// Creates a network without faults: 100 us one way, nothing lost, split or stalled, and `server` at every address.
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

    /// Adds a peer at `address`.
    #[must_use]
    pub fn with_peer(mut self, address: Address, peer: impl Peer + 'static) -> Self {
        self.peers.insert(0, (Some(address), Box::new(peer)));
        self
    }

    /// Sets a function that chooses the fate of each attempt to connect by its number from 0 and its address.
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
