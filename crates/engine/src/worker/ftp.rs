//! Calls to FTP servers: a control connection for each, and a data connection beside it (RFC 959 section 2.3).
//!
//! The call counts as waiting for its control connection until it ends, so that whatever holds for connections that are being
//! opened holds here: limits, timeouts, observers. It is `sent` with the first command, its first byte is that of the data
//! or of the reply that decides about it, and it is finished when the server has said goodbye. Bytes of the body are those of
//! the data connection, in `sent_bytes` those of a file that was stored; commands are counted on the wire only.

use super::Worker;
use crate::call::NONE;
use crate::connection::{Connection, Ftp, Phase};
use crate::filling::Filling;
use crate::sink::{Ended, Ending};
use crate::timers::Timer;
use crate::translate;
use warwolf_driver::{Address, Driver, ReceivedBytes, SocketError, SocketId};
use warwolf_ftp::{Action, Conversation, Ending as FtpEnding, Event, Violation};
use warwolf_http::{CallId, Cause, Http1, Protocol};
use warwolf_measure::Outcome;

impl<D: Driver> Worker<'_, D> {
    /// A connection to an FTP server is open: the greeting is awaited, or the transfer is asked for.
    pub(super) fn ftp_connected(&mut self, index: u32) {
        if let Ftp::Data(control) = self.network.connections[index as usize].ftp {
            self.opened_as(index, Phase::Data, false);
            self.say(control, |conversation, out| conversation.connected(out));
            return;
        }
        let connection = &mut self.network.connections[index as usize];
        let call = connection.waiting.first();
        let order = |call: u32| {
            Some((call, self.prepared.request(&self.calls[call as usize].request).order.clone()?))
        };
        let Some((call, order)) = call.and_then(order) else {
            unreachable!("a control connection is opened for a call that has an order")
        };
        let address = &self.network.endpoints.addresses(connection.endpoint)[connection.address as usize];
        let is_extended = matches!(address, Address::Ip(address) if address.is_ipv6());
        let entry = &mut self.calls[call as usize];
        entry.connected = connection.connected;
        let number = self.sessions[entry.session as usize].session.number();
        let conversation = Conversation::new(order, number, is_extended);
        connection.ftp = Ftp::Control(Box::new(conversation), NONE);
        self.opened_as(index, Phase::Control, false);
        self.notify_connected(index);
    }

    /// Lets something be said on a control connection.
    fn say<T>(&mut self, control: u32, what: impl FnOnce(&mut Conversation, &mut Vec<u8>) -> T) -> T {
        let connection = &mut self.network.connections[control as usize];
        let Ftp::Control(conversation, _) = &mut connection.ftp else {
            unreachable!("a data connection knows its control connection")
        };
        let said = what(conversation, &mut connection.out);
        if !connection.out.is_empty() {
            self.network.mark(control);
        }
        self.restart_idle_timer(control);
        said
    }

    /// The call that a control connection is for, while it has not ended.
    fn call_of(&self, control: u32) -> Option<u32> {
        self.network.connections[control as usize].waiting.first()
    }

    /// The control connection of either.
    fn control_of(&self, index: u32) -> u32 {
        match self.network.connections[index as usize].ftp {
            Ftp::Data(control) => control,
            _ => index,
        }
    }

    pub(super) fn ftp_received(&mut self, index: u32, bytes: &ReceivedBytes) {
        if let Ftp::Data(control) = self.network.connections[index as usize].ftp {
            self.data_received(control, self.driver.bytes(bytes).len());
            return;
        }
        let mut taken = 0;
        while self.network.is_alive(index) {
            let input = &self.driver.bytes(bytes)[taken..];
            if input.is_empty() {
                return;
            }
            let Connection { ftp: Ftp::Control(conversation, _), out, .. } =
                &mut self.network.connections[index as usize]
            else {
                return;
            };
            let mut rest = input;
            let event = conversation.receive(&mut rest, out);
            taken += input.len() - rest.len();
            self.heard(index, event);
        }
    }

    /// Bytes of a file or list. What comes where a file is to be stored is nobody's.
    fn data_received(&mut self, control: u32, bytes: usize) {
        let is_wanted = self.say(control, |conversation, _| {
            conversation.received(bytes);
            conversation.action() != Action::Store
        });
        if let Some(call) = self.call_of(control).filter(|_| is_wanted) {
            self.calls[call as usize].body_bytes += bytes as u64;
            self.begin_reply(control);
        }
    }

    /// Does what a reply asks for.
    fn heard(&mut self, control: u32, event: Result<Event, Violation>) {
        if !self.network.connections[control as usize].out.is_empty() {
            self.network.mark(control);
            self.begin_request(control);
        }
        match event {
            Err(violation) => self.break_ftp(control, translate::ftp_violation(violation)),
            Ok(Event::Quiet) => {}
            Ok(Event::Connect(port)) => self.open_data(control, port),
            Ok(Event::Begun) => {
                self.begin_reply(control);
                self.upload(control);
            }
            Ok(Event::Settled) => {
                self.begin_reply(control);
                self.close_data(control);
            }
            Ok(Event::Over) => self.finish_ftp(control),
        }
    }

    /// The first command goes out.
    fn begin_request(&mut self, control: u32) {
        let Some(call) = self.call_of(control) else { return };
        let entry = &mut self.calls[call as usize];
        if !entry.sent.is_reached() {
            entry.sent = self.now.max(entry.started);
            if let Some(limit) = self.prepared.timeouts.reply {
                self.timers.set(Timer::Reply, call, self.now + limit);
            }
        }
    }

    /// The first of what was asked for came, or word that it will not.
    fn begin_reply(&mut self, control: u32) {
        let Some(call) = self.call_of(control) else { return };
        let entry = &mut self.calls[call as usize];
        if !entry.first_byte.is_reached() {
            // A server may refuse before it is asked.
            entry.sent = entry.sent.min(self.now);
            entry.first_byte = self.now;
            if let Some(limit) = self.prepared.timeouts.reply {
                self.timers.set(Timer::Reply, call, self.now + limit);
            }
        }
    }

    /// Opens the data connection, to the address that the control connection goes to: what `PASV` says of it may be that of a
    /// network behind the server's.
    fn open_data(&mut self, control: u32, port: u16) {
        let Connection { endpoint, address, .. } = self.network.connections[control as usize];
        let Address::Ip(mut to) = self.network.endpoints.addresses(endpoint)[address as usize].clone() else {
            unreachable!("a plan with ftp has no unix sockets")
        };
        to.set_port(port);
        let to = Address::Ip(to);
        self.network.opened += 1;
        self.network.data += 1;
        let protocol = Http1::sharing(self.prepared.limits, 1, &self.network.heads);
        let mut connection = Connection::new(endpoint, address, self.now);
        connection.protocol = Some(Protocol::Http1(protocol));
        // It goes there or nowhere.
        (connection.tried, connection.ports_tried) = (u32::MAX, u32::MAX);
        connection.ftp = Ftp::Data(control);
        let index = self.network.connections.insert(connection) as u32;
        if let Ftp::Control(_, data) = &mut self.network.connections[control as usize].ftp {
            *data = index;
        }
        if let Some(limit) = self.prepared.timeouts.connect {
            self.timers.set(Timer::Connect, index, self.now + limit);
        }
        let mut options = self.prepared.socket_options(self.network.opened, &to);
        // A reset would take with it what has not arrived.
        options.reset_on_close = false;
        self.driver.connect(SocketId(index), &to, &options);
    }

    /// Begins to send what is to be stored.
    fn upload(&mut self, control: u32) {
        let Ftp::Control(conversation, data) = &self.network.connections[control as usize].ftp else {
            return;
        };
        let (action, data) = (conversation.action(), *data);
        let Some(call) = self.call_of(control).filter(|_| action == Action::Store && data != NONE) else {
            return;
        };
        let template = &self.prepared.request(&self.calls[call as usize].request).template;
        let connection = &mut self.network.connections[data as usize];
        if let Some(protocol) = &mut connection.protocol {
            protocol.start(CallId(call), template, &mut Filling::nothing(), &mut connection.out);
        }
        self.calls[call as usize].sent_bytes = connection.out.len() as u64;
        self.network.mark(data);
        self.ftp_delivered(data);
    }

    /// The kernel has what was handed over; when that was all, the end of the data connection says so.
    pub(super) fn ftp_delivered(&mut self, data: u32) {
        let connection = &self.network.connections[data as usize];
        let control = self.control_of(data);
        let is_sending = connection.next_body().is_some() || !connection.out.is_empty();
        if is_sending || connection.in_flight() == 0 {
            self.restart_idle_timer(control);
            return;
        }
        self.close_data(control);
        let event = self.say(control, |conversation, out| conversation.data_ended(true, out));
        self.heard(control, Ok(event));
    }

    /// The server closed one of the two.
    pub(super) fn ftp_ended(&mut self, index: u32, result: Result<(), SocketError>) {
        match (&self.network.connections[index as usize].ftp, result) {
            (&Ftp::Data(control), result) => {
                self.close_data(control);
                let is_stored = self.say(control, |conversation, _| conversation.action() == Action::Store);
                let is_whole = result.is_ok() && !is_stored;
                let event = self.say(control, |conversation, out| conversation.data_ended(is_whole, out));
                self.heard(control, Ok(event));
            }
            (_, Ok(())) => self.finish_ftp(index),
            (_, Err(_)) => self.break_ftp(index, Outcome::Reset),
        }
    }

    /// Nothing more will be said on a control connection.
    fn finish_ftp(&mut self, control: u32) {
        let Ftp::Control(conversation, _) = &self.network.connections[control as usize].ftp else { return };
        let ending = match conversation.ending() {
            FtpEnding::Answered => Ending::Complete,
            FtpEnding::Unanswered => Ending::Cause(Cause::ClosedBeforeReply),
            FtpEnding::Cut => Ending::Cause(Cause::ClosedMidReply),
        };
        if conversation.status() > 0 {
            self.begin_reply(control);
        }
        self.end_ftp(control, ending);
    }

    /// One of the two broke, or took too long.
    pub(super) fn break_ftp(&mut self, index: u32, outcome: Outcome) {
        let control = self.control_of(index);
        self.network.connections[control as usize].why = Some(outcome);
        self.end_ftp(control, Ending::Broken { outcome, begun: true });
    }

    /// Ends a call, and both its connections with it.
    pub(super) fn end_ftp(&mut self, control: u32, ending: Ending) {
        self.close_data(control);
        let connection = &mut self.network.connections[control as usize];
        if let Some(call) = connection.waiting.pop(&self.calls) {
            let entry = &mut self.calls[call as usize];
            if let Ftp::Control(conversation, _) = &connection.ftp {
                entry.status = conversation.status();
                entry.header_bytes = u32::try_from(conversation.reply_bytes()).unwrap_or(u32::MAX);
                if let Some(kept) = &mut entry.kept {
                    kept.previous_status = conversation.previous();
                    kept.reason.extend_from_slice(conversation.text());
                }
            }
            self.ended.push(Ended { call, ending });
        }
        // It closes in peace: a session does not end with it.
        let owner = std::mem::replace(&mut connection.owner, NONE);
        if owner != NONE {
            self.sessions[owner as usize].connection = NONE;
        }
        self.close(control);
    }

    fn close_data(&mut self, control: u32) {
        if let Ftp::Control(_, data) = &mut self.network.connections[control as usize].ftp
            && *data != NONE
        {
            let data = std::mem::replace(data, NONE);
            self.close(data);
        }
    }
}
