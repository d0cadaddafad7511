//! Peers of known behavior on the simulated network.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use warwolf_clock::Timestamp;
use warwolf_driver::{Address, Idle};
use warwolf_sim::conformance::{Behaviour, FAREWELL, FLOOD_BYTES, Fixture, Seen, flood_byte};
use warwolf_sim::{Actions, ConnectionId, Peer, Scenario, SimDriver};

/// Events counted by the peers of each behavior.
type Sights = Arc<Mutex<BTreeMap<Behaviour, Seen>>>;

/// A fixture whose network is created by a function.
pub(crate) struct Simulated {
    sights: Sights,
    faults: fn(&mut Scenario),
}

/// A network with delays and no faults.
pub(crate) fn without_faults() -> Simulated {
    Simulated { sights: Sights::default(), faults: |_| () }
}

/// A network with small segments, jitter and short writes.
pub(crate) fn with_faults() -> Simulated {
    let faults = |scenario: &mut Scenario| {
        scenario.jitter = Duration::from_micros(300);
        scenario.loss = 0.01;
        scenario.retransmission = Duration::from_millis(2);
        scenario.segment_max = Some(3000);
        scenario.write_max = Some(20_000);
        scenario.send_window = 50_000;
    };
    Simulated { sights: Sights::default(), faults }
}

const LISTENING: [Behaviour; 6] = [
    Behaviour::Echo,
    Behaviour::Silent,
    Behaviour::Deaf,
    Behaviour::Farewell,
    Behaviour::Resets,
    Behaviour::Flood,
];

impl Fixture for Simulated {
    type Driver = SimDriver;

    fn driver(&self, _idle: Idle, _sockets: usize) -> SimDriver {
        let mut scenario =
            Scenario::new(11, self.peer(Behaviour::Silent)).refusing(vec![address(Behaviour::Nobody)]);
        for behaviour in LISTENING {
            scenario = scenario.with_peer(address(behaviour), self.peer(behaviour));
        }
        (self.faults)(&mut scenario);
        SimDriver::new(scenario)
    }

    fn address(&self, behaviour: Behaviour) -> Address {
        address(behaviour)
    }

    fn seen(&self, behaviour: Behaviour) -> Seen {
        self.sights.lock().unwrap().get(&behaviour).copied().unwrap_or_default()
    }

    fn waker(&self, driver: &SimDriver) -> Box<dyn Fn() + Send> {
        let waker = driver.waker();
        Box::new(move || waker.wake())
    }
}

impl Simulated {
    fn peer(&self, behaviour: Behaviour) -> impl Peer + 'static {
        Actor { behaviour, sights: Arc::clone(&self.sights) }
    }
}

fn address(behaviour: Behaviour) -> Address {
    Address::Ip(([192, 0, 2, 1], 1000 + behaviour as u16).into())
}

/// A peer with a behavior.
struct Actor {
    behaviour: Behaviour,
    sights: Sights,
}

impl Actor {
    fn note(&self, change: impl FnOnce(&mut Seen)) {
        change(self.sights.lock().unwrap().entry(self.behaviour).or_default());
    }
}

impl Peer for Actor {
    fn opened(&mut self, _connection: ConnectionId, now: Timestamp, actions: &mut Actions) {
        self.note(|seen| seen.connections += 1);
        if self.behaviour == Behaviour::Farewell {
            actions.send(now, FAREWELL.to_vec());
            actions.end(now);
        }
    }

    fn received(&mut self, _connection: ConnectionId, bytes: &[u8], now: Timestamp, actions: &mut Actions) {
        self.note(|seen| seen.bytes += bytes.len() as u64);
        match self.behaviour {
            Behaviour::Echo => actions.send(now, bytes.to_vec()),
            Behaviour::Resets => actions.reset(now),
            Behaviour::Flood => {
                actions.send(now, (0..FLOOD_BYTES).map(flood_byte).collect());
                actions.close(now);
            }
            _ => {}
        }
    }

    fn ended(&mut self, _connection: ConnectionId, was_reset: bool, _now: Timestamp) {
        self.note(|seen| if was_reset { seen.resets += 1 } else { seen.ended += 1 });
    }

    fn is_reading(&self) -> bool {
        self.behaviour != Behaviour::Deaf
    }
}
