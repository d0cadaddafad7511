//! FTP behind the interface of a connection: one transfer, with a companion connection for the data (RFC 959 section 2.3).
//!
//! ```text
//!           start                 port known            companion open            150          226           221
//! transfer: ─────► login ───────► Companion::Open ────► TYPE, SIZE, RETR ───────► data ──────► QUIT ───────► end
//! ```

use crate::protocol::{Companion, CompanionEvent, Needs};
use crate::sink::{Cause, End, Head, ResponseSink};
use crate::template::{Fill, RequestBody, Template};
use crate::{CallId, Violation};
use std::sync::Arc;
use warwolf_clock::Timestamp;
use warwolf_ftp::{Action, Conversation, Ending, Event, Order};

/// A transfer as a template holds it.
#[derive(Debug)]
pub(crate) struct Transfer {
    pub(crate) order: Arc<Order>,
    /// The hole for the number in the name of the file.
    pub(crate) hole: u16,
    /// The content of a file to be stored.
    pub(crate) content: RequestBody,
}

impl Transfer {
    /// Length of the content in bytes.
    fn length(&self) -> u64 {
        match &self.content {
            RequestBody::None => 0,
            RequestBody::Inline(bytes) => bytes.len() as u64,
            RequestBody::Streamed { length } => *length,
        }
    }

    /// Appends `size` bytes of the content from `offset` on.
    fn write(&self, offset: u64, size: usize, fill: &mut (impl Fill + ?Sized), out: &mut Vec<u8>) {
        match &self.content {
            RequestBody::None => {}
            // `offset` is within the bytes, so it fits.
            RequestBody::Inline(bytes) => out.extend_from_slice(&bytes[offset as usize..][..size]),
            RequestBody::Streamed { .. } => fill.body(offset, size, out),
        }
    }
}

/// The control connection of one transfer.
#[derive(Debug)]
pub struct Ftp {
    /// The server has an IPv6 address: `PASV` cannot name its port.
    is_ipv6: bool,
    /// The only call was started.
    is_used: bool,
    active: Option<Active>,
    /// Not yet taken by [`needs`](Self::needs).
    companion: Companion,
}

/// The call that is outstanding.
#[derive(Debug)]
struct Active {
    call: CallId,
    transfer: Arc<Transfer>,
    conversation: Conversation,
    /// The companion is open.
    has_companion: bool,
    /// How much of the content was appended for the companion, from the reply that asks for it until all is sent.
    sending: Option<u64>,
    /// The first byte was reported.
    is_begun: bool,
    /// The final reply was reported.
    is_answered: bool,
    /// Bytes of replies that were reported.
    reported: u64,
}

impl Ftp {
    /// A control connection that is open and on which nothing was received.
    #[must_use]
    pub(crate) fn new(is_ipv6: bool) -> Self {
        Self { is_ipv6, is_used: false, active: None, companion: Companion::Keep }
    }

    pub(crate) fn room(&self) -> usize {
        usize::from(!self.is_used)
    }

    pub(crate) fn in_flight(&self) -> usize {
        usize::from(self.active.is_some())
    }

    pub(crate) fn reusable(&self) -> bool {
        !self.is_used
    }

    /// Starts the only call. Nothing is sent before the greeting.
    pub(crate) fn start(&mut self, call: CallId, template: &Template, fill: &mut (impl Fill + ?Sized)) {
        assert!(self.room() > 0, "a call may start only where there is room");
        let Some(transfer) = &template.transfer else {
            unreachable!("the template of a call to an FTP server holds a transfer")
        };
        let mut number = Vec::new();
        if transfer.order.is_numbered() {
            fill.value(transfer.hole, &mut number);
        }
        self.is_used = true;
        self.active = Some(Active {
            call,
            transfer: Arc::clone(transfer),
            conversation: Conversation::new(Arc::clone(&transfer.order), number, self.is_ipv6),
            has_companion: false,
            sending: None,
            is_begun: false,
            is_answered: false,
            reported: 0,
        });
    }

    /// Takes bytes of the control connection.
    pub(crate) fn receive(
        &mut self,
        mut input: &[u8],
        out: &mut Vec<u8>,
        sink: &mut impl ResponseSink,
    ) -> Result<(), Violation> {
        if !self.is_used && !input.is_empty() {
            return Err(Violation::UnexpectedBytes);
        }
        while !input.is_empty() {
            // Bytes behind the goodbye belong to nothing.
            let Some(active) = &mut self.active else { break };
            let event = active.conversation.receive(&mut input, out);
            active.report(sink);
            match event {
                Ok(event) => self.follow(event, out, sink),
                Err(violation) => {
                    let violation = translate(violation);
                    sink.failed(active.call, Cause::Violation(violation));
                    self.active = None;
                    return Err(violation);
                }
            }
        }
        Ok(())
    }

    /// Does what follows from a reply, or from the end of the data.
    fn follow(&mut self, event: Event, out: &mut Vec<u8>, sink: &mut impl ResponseSink) {
        let Some(active) = &mut self.active else { return };
        match event {
            Event::Quiet => {}
            Event::Connect(port) => self.companion = Companion::Open { port },
            Event::Begun => {
                active.begin(sink);
                if active.is_stored() && active.has_companion {
                    active.sending = Some(0);
                    self.companion = Companion::Pump;
                    self.end_content(out, sink);
                }
            }
            Event::Settled => self.companion = Companion::Close,
            Event::Over => self.finish(sink),
        }
    }

    /// Takes an event of the companion.
    pub(crate) fn companion(
        &mut self,
        event: CompanionEvent<'_>,
        out: &mut Vec<u8>,
        sink: &mut impl ResponseSink,
    ) {
        let Some(active) = &mut self.active else { return };
        let event = match event {
            CompanionEvent::Opened => {
                active.has_companion = true;
                active.conversation.connected(out);
                Event::Quiet
            }
            CompanionEvent::Received(bytes) => {
                active.conversation.received(bytes.len());
                // Bytes received while a file is stored belong to nothing.
                if !active.is_stored() && !bytes.is_empty() {
                    active.begin(sink);
                    sink.body(active.call, bytes);
                }
                Event::Quiet
            }
            CompanionEvent::Delivered => return self.end_content(out, sink),
            CompanionEvent::Ended { is_whole } => {
                active.has_companion = false;
                active.sending = None;
                active.conversation.data_ended(is_whole && !active.is_stored(), out)
            }
        };
        self.follow(event, out, sink);
    }

    /// Closes the companion once all of the content was sent: its close marks the end of the file.
    fn end_content(&mut self, out: &mut Vec<u8>, sink: &mut impl ResponseSink) {
        let Some(active) = self.active.as_mut().filter(|active| active.left() == 0) else { return };
        if active.sending.take().is_some() {
            self.companion = Companion::Close;
            let event = active.conversation.data_ended(true, out);
            self.follow(event, out, sink);
        }
    }

    /// The call whose content should be sent to the companion next.
    pub(crate) fn companion_body(&self) -> Option<CallId> {
        self.active.as_ref().filter(|active| active.left() > 0).map(|active| active.call)
    }

    /// How much of a call's content may be sent to the companion now.
    pub(crate) fn body_room(&self, call: CallId) -> usize {
        let active = self.active.as_ref().filter(|active| active.call == call);
        active.map_or(0, |active| usize::try_from(active.left()).unwrap_or(usize::MAX))
    }

    /// Appends up to `max` bytes of a call's content.
    pub(crate) fn pump(
        &mut self,
        call: CallId,
        fill: &mut (impl Fill + ?Sized),
        max: usize,
        out: &mut Vec<u8>,
    ) {
        let size = self.body_room(call).min(max);
        let Some(active) = &mut self.active else { return };
        let Some(offset) = &mut active.sending else { return };
        let before = out.len();
        active.transfer.write(*offset, size, fill, out);
        assert_eq!(out.len() - before, size, "a body must be filled to the length that was promised");
        *offset += size as u64;
    }

    /// What the owner has to do besides sending.
    pub(crate) fn needs(&mut self) -> Option<Needs> {
        match std::mem::take(&mut self.companion) {
            Companion::Keep => None,
            companion => Some(Needs { wake: Timestamp::NEVER, companion }),
        }
    }

    pub(crate) fn abandon(&mut self, call: CallId) {
        if self.active.as_ref().is_some_and(|active| active.call == call) {
            self.active = None;
        }
    }

    /// Ends the call: the server sent its goodbye, or closed the connection.
    pub(crate) fn finish(&mut self, sink: &mut impl ResponseSink) {
        let Some(Active { call, conversation, .. }) = self.active.take() else { return };
        match conversation.ending() {
            Ending::Answered => sink.end(call, End::Reply),
            Ending::Unanswered => sink.failed(call, Cause::ClosedBeforeReply),
            Ending::Cut => sink.failed(call, Cause::ClosedMidReply),
        }
    }

    pub(crate) fn drain(&mut self, mut each: impl FnMut(CallId)) {
        if let Some(active) = self.active.take() {
            each(active.call);
        }
    }
}

impl Active {
    /// Whether the content of a file goes to the server.
    fn is_stored(&self) -> bool {
        self.transfer.order.action() == Action::Store
    }

    /// Bytes of the content that may be appended now.
    fn left(&self) -> u64 {
        self.sending.map_or(0, |offset| self.transfer.length() - offset)
    }

    /// Reports the first byte, once.
    fn begin(&mut self, sink: &mut impl ResponseSink) {
        if !std::mem::replace(&mut self.is_begun, true) {
            sink.first_byte(self.call);
        }
    }

    /// Reports the reply that was just completed, if one was.
    fn report(&mut self, sink: &mut impl ResponseSink) {
        let Some((status, text)) = self.conversation.reply() else { return };
        let total = self.conversation.reply_bytes();
        // A reply is shorter than 64 KiB.
        let bytes = (total - std::mem::replace(&mut self.reported, total)) as usize;
        let head = Head { status, version: None, bytes, text };
        if self.conversation.status() == 0 || self.is_answered {
            sink.interim(self.call, &head);
            return;
        }
        self.is_answered = true;
        if !std::mem::replace(&mut self.is_begun, true) {
            sink.first_byte(self.call);
        }
        sink.head(self.call, &head);
    }
}

/// What a breach of FTP is counted as.
fn translate(violation: warwolf_ftp::Violation) -> Violation {
    use warwolf_ftp::Violation as Breach;
    match violation {
        Breach::BadReply => Violation::BadStatusLine,
        Breach::ReplyTooLong => Violation::HeadTooLong,
        Breach::BadPort => Violation::BadHeader,
        Breach::UnexpectedReply => Violation::UnexpectedBytes,
    }
}
