//! Decides the response to a request and when it is due. Receives the time as an argument and uses no sockets.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rand_distr::{Distribution, Exp1};

use crate::behaviour::{Behaviour, Expectation, StatusMix, Upload};
use crate::delay::Delay;
use crate::fault::{FaultKind, fallen_on};
use crate::grammar::{Field, Pace};
use crate::log::{Entry, LONGEST_PATH, Log, Open};
use crate::options::Options;
use crate::plant;
use crate::queue::Queue;
use crate::random::{Purpose, stream, unit};
use crate::reply::{Body, Reply};
use crate::request::{BadRequest, Limits, Method, Request};
use crate::route::{Route, Visitor, cookie, is_authorized, location, route, split, visitor};
use crate::stall::held_until;

/// The application behind the sockets: its options and its state across requests.
#[derive(Debug)]
pub(crate) struct Application {
    pub(crate) options: Options,
    pub(crate) log: Option<Arc<Log>>,
    behaviour: Behaviour,
    workers: Option<Mutex<Queue>>,
    /// The zero of the stalls.
    stalls_from_ns: OnceLock<u64>,
    requests: AtomicU64,
    connections: AtomicU64,
}

/// The response to a request.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Number of the request, from 1.
    pub(crate) number: u64,
    /// When the response may be sent.
    pub(crate) due_ns: u64,
    /// The response; its body is empty until the upload is complete if `source` is the upload.
    pub(crate) reply: Reply,
    pub(crate) source: Source,
    pub(crate) upload: Upload,
    pub(crate) expectation: Expectation,
    pub(crate) slow: Option<Pace>,
}

/// The source of a response body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Already part of the response.
    Reply,
    /// The head of the request, its body, or both.
    Request { head: bool, body: bool },
    /// The length of the upload.
    Count,
    /// None: the connection becomes a tunnel.
    Tunnel,
}

/// The position of a request in its connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    /// Number of the connection.
    pub(crate) connection: u64,
    /// Requests that were served on it before.
    pub(crate) served: u64,
}

impl Application {
    /// Creates the application; `now_ns` is its start.
    pub(crate) fn new(options: Options, log: Option<Arc<Log>>, now_ns: u64) -> Self {
        let stalls_from_ns = OnceLock::new();
        if options.stall_from_start {
            stalls_from_ns.get_or_init(|| now_ns);
        }
        let is_queue = options.capacity.is_some() || options.workers.is_some();
        let workers = options.workers.map_or(1, usize::from);
        Self {
            behaviour: options.behaviour(),
            workers: is_queue.then(|| Mutex::new(Queue::new(workers, options.queue))),
            stalls_from_ns,
            requests: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            options,
            log,
        }
    }

    /// Returns the limits of the head of a request.
    pub(crate) fn limits(&self) -> Limits {
        let limit = |bytes| usize::try_from(bytes).unwrap_or(usize::MAX);
        Limits { head: limit(self.options.max_head), uri: limit(self.options.max_uri) }
    }

    /// Returns the number of a new connection, and its injected fault.
    pub(crate) fn accept(&self) -> (u64, Option<FaultKind>) {
        let number = self.connections.fetch_add(1, Ordering::Relaxed) + 1;
        let faults: Vec<_> =
            self.options.faults.iter().filter(|fault| fault.kind.is_of_connection()).copied().collect();
        if faults.is_empty() {
            return (number, None);
        }
        (number, fallen_on(&faults, unit(&mut stream(self.options.seed, number, Purpose::Connection))))
    }

    /// Returns the number of requests so far, including invalid ones.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Returns the number of connections so far.
    pub(crate) fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }

    /// Returns the response to `request`, whose head `head` arrived at `arrived_ns`.
    pub(crate) fn answer(
        &self,
        request: &Request,
        head: &[u8],
        arrived_ns: u64,
        position: Position,
    ) -> Answer {
        let number = self.next_request(arrived_ns);
        let target = str::from_utf8(&head[request.target.clone()]).unwrap_or("/");
        let (path, query) = split(target);
        let asked = if query.is_empty() {
            Ok(Cow::Borrowed(&self.behaviour))
        } else {
            self.behaviour.asked_for(query).map(Cow::Owned)
        };
        let (behaviour, refusal) = match asked {
            Ok(behaviour) => (behaviour, None),
            Err(error) => (Cow::Borrowed(&self.behaviour), Some(error)),
        };
        let mut answer = self.plain(number, request, &behaviour, position);
        if let Some(error) = refusal {
            answer.replace(400, &format!("{error}\n"));
        } else if plant::overflows(&self.options.plants, query) {
            answer.replace(500, "buffer overflow\n");
        } else if request.method == Method::Connect {
            if self.options.proxy {
                answer.source = Source::Tunnel;
            } else {
                answer.replace(405, "");
            }
        } else {
            self.take_route(&mut answer, route(path), query, request, head);
        }
        if request.expects_continue && answer.expectation == Expectation::Refuse {
            answer.replace(417, "");
            answer.reply.keep_alive = false;
            answer.upload = Upload::EarlyClose;
        }
        match self.due(number, arrived_ns, &behaviour) {
            Some(due_ns) => answer.due_ns = due_ns,
            None => {
                answer.due_ns = self.held(arrived_ns);
                answer.replace(503, "the queue is full\n");
            }
        }
        answer
    }

    /// Returns the error response to an invalid head; the connection is closed afterwards.
    pub(crate) fn refusal(&self, bad: BadRequest, arrived_ns: u64) -> Answer {
        let number = self.next_request(arrived_ns);
        let behaviour = Behaviour { status: StatusMix::always(bad.status()), ..Behaviour::default() };
        Answer {
            number,
            due_ns: self.held(arrived_ns),
            reply: Reply { keep_alive: false, ..reply_of(&behaviour, bad.status()) },
            source: Source::Reply,
            upload: Upload::EarlyClose,
            expectation: Expectation::Ignore,
            slow: None,
        }
    }

    fn next_request(&self, arrived_ns: u64) -> u64 {
        self.stalls_from_ns.get_or_init(|| arrived_ns);
        self.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn plain(&self, number: u64, request: &Request, behaviour: &Behaviour, position: Position) -> Answer {
        let seed = self.options.seed;
        let status = behaviour
            .status
            .only()
            .unwrap_or_else(|| behaviour.status.pick(unit(&mut stream(seed, number, Purpose::Status))));
        let fault = if behaviour.faults.is_empty() {
            None
        } else {
            fallen_on(&behaviour.faults, unit(&mut stream(seed, number, Purpose::Fault)))
        };
        let is_last = self.options.max_requests.is_some_and(|most| position.served + 1 >= most);
        let upload = if request.has_upload() { behaviour.upload } else { Upload::Whole };
        let keep_alive = request.keeps_alive(behaviour.http10)
            && !behaviour.close
            && !is_last
            && upload != Upload::EarlyClose;
        let reply = Reply {
            client10: request.minor == 0,
            head_only: request.method == Method::Head,
            body_delay: sample(behaviour.body_delay, seed, number, Purpose::BodyDelay),
            keep_alive,
            announce_close: !self.options.unannounced,
            fault,
            ..reply_of(behaviour, status)
        };
        Answer {
            number,
            due_ns: 0,
            reply,
            source: Source::Reply,
            upload,
            expectation: behaviour.expectation,
            slow: behaviour.slow,
        }
    }

    fn take_route(&self, answer: &mut Answer, route: Route<'_>, query: &str, request: &Request, head: &[u8]) {
        let field = |range: &Option<Range<usize>>| range.clone().map(|range| &head[range]);
        match route {
            Route::Plain | Route::Redirect(0) => {}
            Route::Redirect(hops) => {
                answer.replace(302, "");
                answer.put_header("Location", &location(hops, query));
            }
            Route::Cookies => match visitor(self.options.seed, field(&request.cookie)) {
                Visitor::New => {
                    answer.put_header("Set-Cookie", &cookie(self.options.seed, answer.number));
                    answer.reply.body = Body::Text(b"new\n".to_vec());
                }
                Visitor::Known => answer.reply.body = Body::Text(b"known\n".to_vec()),
                Visitor::Forged => answer.replace(400, "not a cookie that was set here\n"),
            },
            Route::Auth { user, password } => {
                if !is_authorized(field(&request.authorization), user, password) {
                    answer.replace(401, "");
                    answer.put_header("WWW-Authenticate", "Basic realm=\"warwolf\"");
                }
            }
            Route::Echo => answer.source_is(Source::Request { head: true, body: true }),
            Route::Headers => answer.source_is(Source::Request { head: true, body: false }),
            Route::Upload => answer.source_is(Source::Request { head: false, body: true }),
            Route::Count => answer.source_is(Source::Count),
        }
    }

    /// Returns when the response is due, or `None` if the queue is full.
    fn due(&self, number: u64, arrived_ns: u64, behaviour: &Behaviour) -> Option<u64> {
        let delay_ns = nanos(sample(behaviour.delay, self.options.seed, number, Purpose::Delay));
        let Some(workers) = &self.workers else {
            return Some(self.held(arrived_ns + delay_ns));
        };
        let (service_ns, after_ns) = match self.options.capacity {
            Some(per_second) => (self.service_ns(number, per_second), delay_ns),
            None => (delay_ns, 0),
        };
        let mut queue = workers.lock().unwrap_or_else(PoisonError::into_inner);
        let done_ns = queue.enter(arrived_ns, service_ns, |at_ns| self.held(at_ns))?;
        Some(self.held(done_ns + after_ns))
    }

    fn service_ns(&self, number: u64, per_second: f64) -> u64 {
        let workers = self.options.workers.map_or(1, usize::from) as f64;
        let share: f64 = Exp1.sample(&mut stream(self.options.seed, number, Purpose::Service));
        (share * workers / per_second * 1e9) as u64
    }

    /// Returns when an event that is due at `at_ns` may happen, after all stalls.
    fn held(&self, at_ns: u64) -> u64 {
        if self.options.stalls.is_empty() {
            return at_ns;
        }
        let from_ns = self.stalls_from_ns.get().copied().unwrap_or(at_ns);
        from_ns + held_until(&self.options.stalls, at_ns.saturating_sub(from_ns))
    }

    /// Returns a log entry for this response, if there is a log.
    pub(crate) fn entry(
        &self,
        answer: &Answer,
        of: Option<(&Request, &[u8])>,
        arrived_ns: u64,
        position: Position,
    ) -> Option<Open> {
        let log = self.log.as_ref()?;
        let target = of.map_or(&b""[..], |(request, head)| &head[request.target.clone()]);
        let shown = &target[..target.len().min(LONGEST_PATH)];
        let entry = Entry {
            request: answer.number,
            connection: position.connection,
            method: of.map_or("OTHER", |(request, _)| request.method.name()),
            path: String::from_utf8_lossy(shown).into(),
            arrived_ns,
            status: if answer.reply.has_status() { answer.reply.status } else { 0 },
            fault: answer.reply.fault.map_or("", FaultKind::word),
            ..Entry::default()
        };
        Some(Open::new(log, entry))
    }
}

impl Answer {
    /// Replaces the response by an error with a text body.
    pub(crate) fn replace(&mut self, status: u16, text: &str) {
        self.reply.status = status;
        self.reply.body = Body::Text(text.as_bytes().to_vec());
        self.source = Source::Reply;
    }

    fn source_is(&mut self, source: Source) {
        self.source = source;
        // A body made from the upload has to wait for it.
        self.upload = Upload::Whole;
    }

    fn put_header(&mut self, name: &str, value: &str) {
        for part in [name, ": ", value, "\r\n"] {
            self.reply.headers.push_str(part);
        }
    }
}

fn reply_of(behaviour: &Behaviour, status: u16) -> Reply {
    Reply {
        http10: behaviour.http10,
        client10: false,
        status,
        framing: behaviour.framing,
        body: Body::Pattern(behaviour.size),
        headers: behaviour.headers.iter().map(Field::line).collect(),
        extensions: behaviour.extensions,
        trailers: behaviour.trailers,
        interim: behaviour.interim,
        body_delay: Duration::ZERO,
        head_only: false,
        keep_alive: true,
        announce_close: true,
        fault: None,
    }
}

fn sample(delay: Delay, seed: u64, number: u64, purpose: Purpose) -> Duration {
    match delay {
        Delay::Constant(always) => always,
        _ => delay.sample(&mut stream(seed, number, purpose)),
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
