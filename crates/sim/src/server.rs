//! A scripted HTTP/1 server that logs what really happened.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use warwolf_clock::Timestamp;

use crate::{Actions, ConnectionId, Peer};

/// A request, including its body unless the server responds [early](Server::early).
#[derive(Debug)]
pub struct Request<'a> {
    /// Its number from 0 across all connections, in the order of arrival.
    pub number: u64,
    /// The connection it came on.
    pub connection: ConnectionId,
    /// Its number on that connection, from 0.
    pub on_connection: u64,
    /// When its last byte arrived.
    pub at: Timestamp,
    /// The method.
    pub method: &'a str,
    /// The target, as written in the request line.
    pub target: &'a str,
    /// The whole head with its final empty line.
    pub head: &'a [u8],
    /// The body without transfer coding.
    pub body: &'a [u8],
}

impl Request<'_> {
    /// Returns the value of the first header `name`, ignoring case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        header(self.head, name)
    }
}

/// The response to one request. The default is an immediate empty 200 that keeps the connection.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// Time from the arrival of the request (or from when a worker is free) to the first byte of the response.
    pub delay: Duration,
    /// Statuses of preceding interim responses, such as 100.
    pub interim: Vec<u16>,
    /// The status; 0 means 200.
    pub status: u16,
    /// Additional headers, as pairs of name and value.
    pub headers: Vec<(String, String)>,
    /// The length of the body in bytes.
    pub body: usize,
    /// The framing of the body.
    pub framing: Framing,
    /// What happens to the connection afterwards.
    pub ending: Ending,
    /// Raw bytes that replace everything above.
    pub raw: Option<Vec<u8>>,
    /// Truncates the response to this number of bytes; the ending follows.
    pub cut: Option<usize>,
    /// Sends this number of bytes at a time, with pauses between.
    pub pace: Option<(usize, Duration)>,
}

/// The framing of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// By `Content-Length`.
    #[default]
    Length,
    /// By chunks of at most this number of bytes.
    Chunked(usize),
    /// By the end of the connection; needs an [`Ending`] that closes.
    UntilClose,
}

/// What happens to the connection after a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// Kept, unless the request demands a close.
    #[default]
    Keep,
    /// Closed, and the head announces it.
    Close,
    /// Closed without announcement.
    CloseSilently,
    /// Reset.
    Reset,
    /// Left open, without further responses.
    Silence,
}

impl Reply {
    /// Creates a 200 with a body of `body` bytes.
    #[must_use]
    pub fn ok(body: usize) -> Self {
        Self { body, ..Self::default() }
    }

    /// Creates an empty response with `status`.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    /// Creates a response of exactly these bytes.
    #[must_use]
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { raw: Some(bytes.into()), ..Self::default() }
    }

    /// Sends no response; the connection stays open.
    #[must_use]
    pub fn never() -> Self {
        Self { cut: Some(0), ending: Ending::Silence, ..Self::default() }
    }

    /// Adds a delay.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay += delay;
        self
    }

    /// Sets what happens to the connection afterwards.
    #[must_use]
    pub fn then(mut self, ending: Ending) -> Self {
        self.ending = ending;
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Encodes the response. `is_head`: the method is HEAD; `closes`: the connection is closed afterwards.
    fn encode(&self, is_head: bool, closes: bool) -> Vec<u8> {
        let mut out = self.raw.clone().unwrap_or_else(|| self.message(is_head, closes));
        out.truncate(self.cut.unwrap_or(usize::MAX));
        out
    }

    fn message(&self, is_head: bool, closes: bool) -> Vec<u8> {
        let mut head = String::new();
        for status in &self.interim {
            head.push_str(&format!("HTTP/1.1 {status} Interim\r\n\r\n"));
        }
        let status = if self.status == 0 { 200 } else { self.status };
        let has_body = !matches!(status, 204 | 304);
        head.push_str(&format!("HTTP/1.1 {status} Simulated\r\n"));
        match self.framing {
            Framing::Length if has_body => head.push_str(&format!("Content-Length: {}\r\n", self.body)),
            Framing::Chunked(_) if has_body => head.push_str("Transfer-Encoding: chunked\r\n"),
            _ => {}
        }
        if closes {
            head.push_str("Connection: close\r\n");
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let mut out = head.into_bytes();
        if has_body && !is_head {
            self.write_body(&mut out);
        }
        out
    }

    fn write_body(&self, out: &mut Vec<u8>) {
        let Framing::Chunked(most) = self.framing else {
            out.resize(out.len() + self.body, b'x');
            return;
        };
        let mut left = self.body;
        while left > 0 {
            let len = left.min(most.max(1));
            out.extend_from_slice(format!("{len:x}\r\n").as_bytes());
            out.resize(out.len() + len, b'x');
            out.extend_from_slice(b"\r\n");
            left -= len;
        }
        out.extend_from_slice(b"0\r\n\r\n");
    }
}

/// A logged request with its response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The number of the request, and its index in the log.
    pub number: u64,
    /// The connection it came on.
    pub connection: ConnectionId,
    /// Its number on that connection, from 0.
    pub on_connection: u64,
    /// The method.
    pub method: String,
    /// The target.
    pub target: String,
    /// When the request's last byte arrived.
    pub arrived: Timestamp,
    /// When the last byte of the response was sent; `None` if it was not.
    pub left: Option<Timestamp>,
    /// The status sent, 0 for raw responses.
    pub status: u16,
    /// Bytes of the response, including its head.
    pub reply_bytes: usize,
    /// Bytes of the request's body.
    pub request_body: usize,
}

/// The log of a server; the handle stays valid after the run.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Record>>);

#[derive(Debug, Default)]
struct Record {
    exchanges: Vec<Exchange>,
    connections: u64,
    ended: u64,
    resets: u64,
}

impl Log {
    fn lock(&self) -> MutexGuard<'_, Record> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns all requests with their responses, in the order of arrival.
    #[must_use]
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.lock().exchanges.clone()
    }

    /// Returns the number of accepted connections.
    #[must_use]
    pub fn connections(&self) -> u64 {
        self.lock().connections
    }

    /// Returns the number of connections that the other side closed.
    #[must_use]
    pub fn ended(&self) -> u64 {
        self.lock().ended
    }

    /// Returns the number of connections that the other side reset.
    #[must_use]
    pub fn resets(&self) -> u64 {
        self.lock().resets
    }
}

/// A server for any number of connections, with pipelining: responses are sent in the order of the requests.
pub struct Server {
    script: Box<dyn FnMut(&Request<'_>) -> Reply + Send>,
    stalls: Vec<Range<Timestamp>>,
    /// When each worker is free again; empty means an unlimited number of workers.
    workers: Option<Vec<Timestamp>>,
    requests_max: Option<u64>,
    is_early: bool,
    conversations: BTreeMap<ConnectionId, Conversation>,
    log: Log,
}

/// The state of one connection.
#[derive(Default)]
struct Conversation {
    input: Vec<u8>,
    requests: u64,
    /// The next response must not be sent before this.
    busy_until: Timestamp,
    /// No further request is answered.
    is_over: bool,
    /// The first request was answered early; its body is still arriving.
    is_answered: bool,
}

impl Server {
    /// Creates a server that responds with the result of `script`.
    pub fn new(script: impl FnMut(&Request<'_>) -> Reply + Send + 'static) -> Self {
        Self {
            script: Box::new(script),
            stalls: Vec::new(),
            workers: None,
            requests_max: None,
            is_early: false,
            conversations: BTreeMap::new(),
            log: Log::default(),
        }
    }

    /// Creates a server that sends the same response to every request.
    #[must_use]
    pub fn constant(reply: Reply) -> Self {
        Self::new(move |_| reply.clone())
    }

    /// Sends nothing during `window`; responses that are due in it are sent at its end.
    #[must_use]
    pub fn stalling(mut self, window: Range<Timestamp>) -> Self {
        self.stalls.push(window);
        self
    }

    /// Processes `workers` requests concurrently, each for the delay of its response; others queue in the order of arrival.
    #[must_use]
    pub fn with_workers(mut self, workers: usize) -> Self {
        self.workers = Some(vec![Timestamp::ZERO; workers.max(1)]);
        self
    }

    /// Closes each connection after `requests` responses, and announces it in the last.
    #[must_use]
    pub fn with_requests_max(mut self, requests: u64) -> Self {
        self.requests_max = Some(requests);
        self
    }

    /// Responds when the head is complete, before the body.
    #[must_use]
    pub fn early(mut self) -> Self {
        self.is_early = true;
        self
    }

    /// Returns the log, which can be read during or after the run.
    #[must_use]
    pub fn log(&self) -> Log {
        self.log.clone()
    }

    /// Returns when a response with this `delay` is sent, not before `not_before`.
    fn due(&mut self, now: Timestamp, delay: Duration, not_before: Timestamp) -> Timestamp {
        let mut due = now + delay;
        if let Some(workers) = &mut self.workers
            && let Some(free_at) = workers.iter_mut().min()
        {
            due = now.max(*free_at) + delay;
            *free_at = due;
        }
        due = due.max(not_before);
        self.stalls.iter().filter(|stall| stall.contains(&due)).map(|stall| stall.end).max().unwrap_or(due)
    }

    /// Answers one request.
    fn answer(&mut self, request: &Request<'_>, actions: &mut Actions) {
        let reply = (self.script)(request);
        let (connection, number) = (request.connection, request.number);
        let is_last = self.requests_max.is_some_and(|most| request.on_connection + 1 >= most);
        let ending = match reply.ending {
            Ending::Keep if is_last || wants_close(request.head) => Ending::Close,
            ending => ending,
        };
        let bytes = reply.encode(request.method == "HEAD", ending == Ending::Close);
        let conversation = self.conversations.entry(connection).or_default();
        conversation.requests += 1;
        conversation.is_over = ending != Ending::Keep;
        let not_before = conversation.busy_until;
        let due = self.due(request.at, reply.delay, not_before);
        let reply_bytes = bytes.len();
        let end = send(bytes, reply.pace, due, actions);
        if reply_bytes > 0 {
            actions.report(end, number);
        }
        match ending {
            Ending::Keep | Ending::Silence => {}
            Ending::Close | Ending::CloseSilently => actions.close(end),
            Ending::Reset => actions.reset(end),
        }
        self.conversations.entry(connection).or_default().busy_until = end;
        let status = if reply.raw.is_some() { 0 } else { reply.status.max(200) };
        self.log.lock().exchanges.push(Exchange {
            number,
            connection,
            on_connection: request.on_connection,
            method: request.method.to_owned(),
            target: request.target.to_owned(),
            arrived: request.at,
            left: None,
            status,
            reply_bytes,
            request_body: request.body.len(),
        });
    }
}

/// Sends `bytes` from `at` on, at once or throttled; returns when the last byte is sent.
fn send(
    mut bytes: Vec<u8>,
    pace: Option<(usize, Duration)>,
    at: Timestamp,
    actions: &mut Actions,
) -> Timestamp {
    let mut at = at;
    if let Some((most, pause)) = pace {
        while bytes.len() > most.max(1) {
            let rest = bytes.split_off(most.max(1));
            actions.send(at, std::mem::replace(&mut bytes, rest));
            at += pause;
        }
    }
    if !bytes.is_empty() {
        actions.send(at, bytes);
    }
    at
}

impl Peer for Server {
    fn opened(&mut self, connection: ConnectionId, _now: Timestamp, _actions: &mut Actions) {
        self.conversations.insert(connection, Conversation::default());
        self.log.lock().connections += 1;
    }

    fn received(&mut self, connection: ConnectionId, bytes: &[u8], now: Timestamp, actions: &mut Actions) {
        let conversation = self.conversations.entry(connection).or_default();
        conversation.input.extend_from_slice(bytes);
        loop {
            let conversation = self.conversations.entry(connection).or_default();
            if conversation.is_over && !conversation.is_answered {
                return;
            }
            let Some(head_len) = find(&conversation.input, b"\r\n\r\n").map(|at| at + 4) else { return };
            let body = body(&conversation.input[..head_len], &conversation.input[head_len..]);
            let is_answered = conversation.is_answered;
            if body.is_none() && (!self.is_early || is_answered) {
                return;
            }
            let on_connection = conversation.requests;
            let head = conversation.input[..head_len].to_vec();
            match &body {
                Some((_, used)) => {
                    conversation.input.drain(..head_len + used);
                    conversation.is_answered = false;
                }
                None => conversation.is_answered = true,
            }
            if is_answered {
                continue;
            }
            let line = String::from_utf8_lossy(&head).into_owned();
            let mut words = line.split_ascii_whitespace();
            let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
            let number = self.log.lock().exchanges.len() as u64;
            let body = body.map(|(body, _)| body).unwrap_or_default();
            let request = Request {
                number,
                connection,
                on_connection,
                at: now,
                method,
                target,
                head: &head,
                body: &body,
            };
            self.answer(&request, actions);
        }
    }

    fn ended(&mut self, connection: ConnectionId, was_reset: bool, _now: Timestamp) {
        self.conversations.remove(&connection);
        let mut record = self.log.lock();
        if was_reset {
            record.resets += 1;
        } else {
            record.ended += 1;
        }
    }

    fn left(&mut self, _connection: ConnectionId, tag: u64, now: Timestamp) {
        if let Some(exchange) = self.log.lock().exchanges.get_mut(tag as usize) {
            exchange.left = Some(now);
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("log", &self.log).finish_non_exhaustive()
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn header<'a>(head: &'a [u8], name: &str) -> Option<&'a str> {
    let lines = std::str::from_utf8(head).ok()?.split("\r\n").skip(1);
    lines
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.eq_ignore_ascii_case(name))
        .map(|(_, v)| v.trim())
}

/// Returns whether the connection ends after the response, by version and `Connection` (RFC 9112, section 9.3).
fn wants_close(head: &[u8]) -> bool {
    let says = |what: &str| header(head, "connection").is_some_and(|value| value.eq_ignore_ascii_case(what));
    let is_old = find(head, b" HTTP/1.0\r\n").is_some();
    says("close") || is_old && !says("keep-alive")
}

/// Parses the body; returns it with its length in `input`, or `None` if it is incomplete.
fn body(head: &[u8], input: &[u8]) -> Option<(Vec<u8>, usize)> {
    if header(head, "transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
        return chunked(input);
    }
    let len = header(head, "content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
    (input.len() >= len).then(|| (input[..len].to_vec(), len))
}

/// Parses a chunked body (RFC 9112, section 7.1). Extensions and trailers are not supported, because no test uses them.
fn chunked(input: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (mut body, mut at) = (Vec::new(), 0);
    loop {
        let line = find(&input[at..], b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&input[at..at + line]).ok()?, 16).ok()?;
        let start = at + line + 2;
        // A size may be the largest integer; then the body is never complete.
        let end = start.checked_add(size)?;
        if input.len() < end.checked_add(2)? {
            return None;
        }
        body.extend_from_slice(&input[start..end]);
        at = end + 2;
        if size == 0 {
            return Some((body, at));
        }
    }
}
