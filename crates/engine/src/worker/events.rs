//! Reports connections, requests and sessions to the observer.

use super::{Live, Worker};
use crate::call::NONE;
use warwolf_driver::Driver;
use warwolf_http::Template;
use warwolf_observe::Observer;

impl<D: Driver> Worker<'_, D> {
    pub(super) fn notify_connecting(&mut self, index: u32) {
        let owner = self.connections[index as usize].owner;
        if let Some(observer) = &mut self.observer
            && owner != NONE
        {
            let session = self.sessions[owner as usize].session.number();
            observer.connecting(index, session, self.now);
        }
    }

    pub(super) fn notify_connected(&mut self, index: u32) {
        if let Some(observer) = &mut self.observer {
            observer.connected(index, self.now);
        }
    }

    /// Reports closed connections, after the calls that ended with them.
    pub(super) fn notify_gone(&mut self) {
        let Some(observer) = &mut self.observer else { return };
        for index in self.gone.drain(..) {
            observer.disconnected(index, self.now, self.connections[index as usize].why);
        }
    }

    pub(super) fn notify_written(&mut self, call: u32, connection: u32) {
        if let Some(observer) = &mut self.observer {
            let call = &self.calls[call as usize];
            observer.written(call.serial, connection, call.sent_bytes);
        }
    }

    pub(super) fn notify_session_over(&mut self, live: &Live) {
        if let Some(observer) = &mut self.observer {
            observer.session_over(live.session.number(), live.session.is_failed(), live.began, self.now);
        }
    }
}

/// Shows the observer a request as it is sent.
pub(super) fn notify_request(
    observer: &mut Option<Box<dyn Observer>>,
    call: u64,
    encoded: &[u8],
    template: &Template,
) {
    if let Some(observer) = observer {
        let (head, body) = encoded.split_at(encoded.len() - template.body_bytes());
        observer.request(call, head, body);
    }
}
