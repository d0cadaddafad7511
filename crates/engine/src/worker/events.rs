//! What the witness is told besides calls.

use super::{Live, Worker};
use crate::call::NONE;
use crate::witness::Witness;
use warwolf_driver::Driver;
use warwolf_http::Template;

impl<D: Driver> Worker<'_, D> {
    pub(super) fn tell_connecting(&mut self, index: u32) {
        let owner = self.connections[index as usize].owner;
        if let Some(witness) = &mut self.witness
            && owner != NONE
        {
            let session = self.sessions[owner as usize].session.number();
            witness.connecting(index, session, self.now);
        }
    }

    pub(super) fn tell_connected(&mut self, index: u32) {
        if let Some(witness) = &mut self.witness {
            witness.connected(index, self.now);
        }
    }

    /// Tells of connections that are gone, after the calls they ended with.
    pub(super) fn tell_gone(&mut self) {
        let Some(witness) = &mut self.witness else { return };
        for index in self.gone.drain(..) {
            witness.disconnected(index, self.now, self.connections[index as usize].why);
        }
    }

    pub(super) fn tell_written(&mut self, call: u32, connection: u32) {
        if let Some(witness) = &mut self.witness {
            let call = &self.calls[call as usize];
            witness.written(call.serial, connection, call.sent_bytes);
        }
    }

    pub(super) fn tell_session_over(&mut self, live: &Live) {
        if let Some(witness) = &mut self.witness {
            witness.session_over(live.session.number(), live.session.is_failed(), live.began, self.now);
        }
    }
}

/// Shows the witness a request as it was encoded.
pub(super) fn tell_request(
    witness: &mut Option<Box<dyn Witness>>,
    call: u64,
    encoded: &[u8],
    template: &Template,
) {
    if let Some(witness) = witness {
        let (head, body) = encoded.split_at(encoded.len() - template.body_bytes());
        witness.request(call, head, body);
    }
}
