//! Reports connections, requests and sessions to the observer.

use super::Worker;
use crate::sessions::ActiveSession;
use warwolf_clock::Timestamp;
use warwolf_driver::Driver;
use warwolf_http::Template;
use warwolf_observe::{Event, Observer};

impl<D: Driver> Worker<'_, D> {
    /// Reports that a connection is being opened for a call of `session`.
    pub(super) fn notify_connecting(&mut self, index: u32, session: u32) {
        if let Some(observer) = &mut self.observation.observer {
            let session = self.sessions[session as usize].session.number();
            observer.event(&Event::Connecting { connection: index, session }, self.now);
        }
    }

    pub(super) fn notify_connected(&mut self, index: u32) {
        if let Some(observer) = &mut self.observation.observer {
            observer.event(&Event::Connected { connection: index }, self.now);
        }
    }

    /// Reports closed connections, after the calls that ended with them.
    pub(super) fn notify_gone(&mut self) {
        let Some(observer) = &mut self.observation.observer else { return };
        for index in self.network.gone.drain(..) {
            let why = self.network.connections[index as usize].why;
            observer.event(&Event::Disconnected { connection: index, why }, self.now);
        }
    }

    pub(super) fn notify_written(&mut self, call: u32, connection: u32) {
        if let Some(observer) = &mut self.observation.observer {
            let call = &self.calls[call as usize];
            let written = Event::Written { call: call.serial, connection, bytes: call.sent_bytes };
            observer.event(&written, self.now);
        }
    }

    pub(super) fn notify_session_over(&mut self, active: &ActiveSession) {
        if let Some(observer) = &mut self.observation.observer {
            let (session, is_failed) = (active.session.number(), active.session.is_failed());
            observer.event(&Event::SessionOver { session, is_failed, began: active.began }, self.now);
        }
    }
}

/// Passes a request to the observer as it is sent.
pub(super) fn notify_request(
    observer: &mut Option<Box<dyn Observer + '_>>,
    now: Timestamp,
    call: u64,
    encoded: &[u8],
    template: &Template,
) {
    if let Some(observer) = observer {
        let (head, body) = encoded.split_at(encoded.len() - template.body_bytes());
        observer.event(&Event::Request { call, head, body }, now);
    }
}
