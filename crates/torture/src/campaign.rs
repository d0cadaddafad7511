//! A fuzzing campaign: sends requests under load and confirms suspicious ones.
//!
//! Failures under load are unreliable: a crash also closes the connections of innocent requests, and a busy server is slow. A
//! failing request is therefore only a candidate. The campaign drains the load, waits for the server to recover, and sends the
//! candidate alone. If the failure recurs, the request is shrunk and becomes a finding; otherwise the failure is counted as
//! unconfirmed.

mod recovery;
mod triage;

use crate::completeness::requires_response;
use crate::failure::{Failure, classify, is_reset_refusal, is_slower};
use crate::finding::{Finding, Outcome, Subject, Unconfirmed};
use crate::generate::Generator;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_driver::Driver;
use warwolf_exchange::{BodyLimits, Ending, Exchange, Exchanges, Message, Target, Timeouts};

/// Options of a campaign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Requests per second under load, greater than zero.
    pub rate: f64,
    /// Number of the first request.
    pub first: u64,
    /// Number of requests.
    pub requests: u64,
    /// Maximum concurrent requests, at least 1.
    pub at_once: u32,
    /// A request hangs if no byte arrives within this time.
    pub timeout: Duration,
    /// Maximum time that the server may need to recover after a failure.
    pub recovery: Duration,
    /// Maximum requests to shrink one finding.
    pub tries: u32,
    /// The campaign ends after this number of findings, at least 1.
    pub findings: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            rate: 500.0,
            first: 0,
            requests: 10_000,
            at_once: 32,
            timeout: Duration::from_secs(2),
            recovery: Duration::from_secs(10),
            tries: 3_000,
            findings: 50,
        }
    }
}

/// Why a campaign failed.
#[derive(Debug)]
pub enum CampaignError {
    /// The server failed before the campaign; describes its response to a valid request.
    Failing(String),
    /// Waiting for events failed in the kernel.
    Machine(io::Error),
}

impl From<io::Error> for CampaignError {
    fn from(error: io::Error) -> Self {
        Self::Machine(error)
    }
}

/// The progress of a campaign.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// Requests sent under load.
    pub requests: u64,
    /// Total number of requests.
    pub of: u64,
    /// Findings so far.
    pub findings: &'a [Finding],
    /// A new finding.
    pub new: Option<&'a Finding>,
}

/// The tag of a health probe, larger than any request number.
const PROBE: u64 = u64::MAX - 1;
/// Time between two probes under load.
const PROBE_EVERY: Duration = Duration::from_millis(250);
/// Requests between two checks for a slow server.
const SPEED_CHECK_EVERY: u64 = 2_000;
/// Maximum number of recent requests that may have caused the failure of a probe.
const RECENT_MAX: usize = 512;
/// Minimum timeout under load; the timeout is fifty times the baseline.
const LOAD_TIMEOUT_MIN: Duration = Duration::from_millis(500);
/// The timeout of a request that does not require a response.
const SHORT: Duration = Duration::from_millis(100);
/// The body of a response is not needed.
const BODY: BodyLimits = BodyLimits { kept: 0, awaited: 1 << 20 };

/// Restarts the server, and returns whether that succeeded.
pub type Restart<'a> = &'a mut dyn FnMut() -> bool;

/// A campaign in progress.
pub struct Campaign<'a, D> {
    exchanges: Exchanges<D>,
    server: &'a Target,
    generator: &'a Generator,
    options: Options,
    outcome: Outcome,
    statuses: BTreeMap<u16, u64>,
    /// Time of a valid request at the start.
    baseline: Duration,
    baseline_status: u16,
    /// Requests that failed or did not finish, and have to be confirmed.
    candidates: Vec<(u64, Option<Failure>)>,
    /// By finding and trap: number of requests with this single trap that led to the finding.
    known_traps: BTreeMap<(u64, String), u32>,
    /// Requests that ended since the last successful probe.
    recent: VecDeque<u64>,
    is_probing: bool,
    is_failing: bool,
    /// The server did not recover while a finding was shrunk.
    is_lost: bool,
    is_stopped: bool,
    restart: Option<Restart<'a>>,
    watch: &'a mut dyn FnMut(&Progress<'_>) -> bool,
}

impl<D> std::fmt::Debug for Campaign<'_, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Campaign").field("outcome", &self.outcome).finish_non_exhaustive()
    }
}

impl<'a, D: Driver> Campaign<'a, D> {
    /// Runs a campaign with the requests of `generator`. The driver needs room for `options.at_once` + 2 sockets. `watch` receives the
    /// progress several times a second and returns false to end the campaign early. If waiting is interrupted, the outcome is
    /// incomplete. `restart` is called when the server does not recover; without it, that ends the campaign.
    ///
    /// # Errors
    /// When valid requests fail at the start, or waiting fails in the kernel.
    pub fn run(
        driver: D,
        server: &'a Target,
        generator: &'a Generator,
        subject: Subject,
        options: Options,
        restart: Option<Restart<'a>>,
        watch: &'a mut dyn FnMut(&Progress<'_>) -> bool,
    ) -> Result<Outcome, CampaignError> {
        let exchanges = Exchanges::new(driver, options.at_once + 2, BODY);
        let outcome = Outcome {
            subject,
            requests: 0,
            statuses: Vec::new(),
            alone: 0,
            seconds: 0.0,
            baseline_ms: (0.0, 0.0),
            findings: Vec::new(),
            unconfirmed: Vec::new(),
            reset_refusals: 0,
            restarts: 0,
            is_complete: false,
        };
        let mut campaign = Self {
            exchanges,
            server,
            generator,
            options,
            outcome,
            statuses: BTreeMap::new(),
            baseline: Duration::ZERO,
            baseline_status: 0,
            candidates: Vec::new(),
            known_traps: BTreeMap::new(),
            recent: VecDeque::new(),
            is_probing: false,
            is_failing: false,
            is_lost: false,
            is_stopped: false,
            restart,
            watch,
        };
        match campaign.begin().and_then(|()| campaign.load()) {
            Err(CampaignError::Machine(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            result => result?,
        }
        Ok(campaign.end())
    }

    /// Checks that the server works, and measures the time of a valid request.
    fn begin(&mut self) -> Result<(), CampaignError> {
        for _ in 0..5 {
            let exchange = self.alone(self.generator.baseline(), self.options.timeout)?;
            if exchange.ending != Ending::Complete || exchange.reply.status >= 500 {
                let what = match exchange.ending {
                    Ending::Complete => format!("status {}", exchange.reply.status),
                    ending => ending.to_string(),
                };
                return Err(CampaignError::Failing(what));
            }
            self.baseline_status = exchange.reply.status;
        }
        self.baseline = self.measure_baseline()?;
        self.outcome.baseline_ms = (ms(self.baseline), ms(self.baseline));
        Ok(())
    }

    /// Returns the median time of five valid requests.
    fn measure_baseline(&mut self) -> io::Result<Duration> {
        let mut times = Vec::new();
        for _ in 0..5 {
            times.push(self.alone(self.generator.baseline(), self.options.timeout)?.took());
        }
        times.sort_unstable();
        Ok(times[2])
    }

    /// Sends all requests, with interruptions to confirm failures.
    fn load(&mut self) -> Result<(), CampaignError> {
        let (first, end) = (self.options.first, self.options.first.saturating_add(self.options.requests));
        let mut number = first;
        let mut done = Vec::new();
        while number < end && !self.is_over() {
            number = self.send_requests(number, end, &mut done)?;
            let settled = self.exchanges.now() + (self.baseline * 20).max(SHORT);
            let cut = self.exchanges.settle(settled, &mut done)?;
            self.is_probing = false;
            self.handle_responses(&mut done);
            self.handle_aborted(cut);
            self.triage()?;
            let sent = number - first;
            if sent / SPEED_CHECK_EVERY != self.outcome.requests / SPEED_CHECK_EVERY || number == end {
                self.check_speed(number)?;
            }
            self.outcome.requests = sent;
        }
        self.outcome.is_complete = number == end && !self.is_stopped;
        Ok(())
    }

    /// Sends requests from `number` until a request fails, a speed check is due, or all are sent. Returns the next number.
    fn send_requests(&mut self, number: u64, end: u64, done: &mut Vec<Exchange>) -> io::Result<u64> {
        let begun = self.exchanges.now();
        let begun_at = number;
        let mut number = number;
        let mut probe_at = begun + PROBE_EVERY;
        let due = |number: u64, rate: f64| begun + Duration::from_secs_f64((number - begun_at) as f64 / rate);
        while number < end && self.candidates.is_empty() && !self.is_failing && !self.is_over() {
            if number > begun_at && (number - self.options.first).is_multiple_of(SPEED_CHECK_EVERY) {
                break;
            }
            let now = self.exchanges.now();
            if now >= probe_at {
                probe_at = now + PROBE_EVERY;
                self.probe();
                self.report(number - self.options.first, None);
            }
            // Two slots are reserved for probes and confirmations.
            let has_room = self.exchanges.room() > 2;
            if has_room && now >= due(number, self.options.rate) {
                let message = self.generator.request(number).message;
                let timeout = self.timeout(&message, self.timeout_under_load());
                self.exchanges.start(number, message, self.server, timeout);
                number += 1;
                continue;
            }
            let next = if has_room { due(number, self.options.rate) } else { Timestamp::NEVER };
            self.exchanges.wait(next.min(probe_at), done)?;
            self.handle_responses(done);
        }
        Ok(number)
    }

    fn is_over(&self) -> bool {
        self.is_stopped || self.outcome.findings.len() >= self.options.findings
    }

    fn probe(&mut self) {
        if !self.is_probing && self.exchanges.room() > 0 {
            self.is_probing = true;
            let message = self.generator.baseline();
            let timeout = self.timeout(&message, self.options.timeout);
            self.exchanges.start(PROBE, message, self.server, timeout);
            self.outcome.alone += 1;
        }
    }

    /// Returns the timeout under load. Requests that are only slow get the full timeout when they are sent alone.
    fn timeout_under_load(&self) -> Duration {
        (self.baseline * 50).max(LOAD_TIMEOUT_MIN).min(self.options.timeout)
    }

    fn timeout(&self, message: &Message, idle: Duration) -> Timeouts {
        let idle = if requires_response(&message.bytes()) { idle } else { SHORT.min(idle) };
        Timeouts { connect: self.options.timeout, idle, total: idle * 10 }
    }

    /// Handles the responses under load.
    fn handle_responses(&mut self, done: &mut Vec<Exchange>) {
        for exchange in done.drain(..) {
            if exchange.tag == PROBE {
                self.is_probing = false;
                if self.is_well(&exchange) {
                    self.recent.clear()
                } else {
                    self.is_failing = true
                }
                continue;
            }
            *self.statuses.entry(exchange.reply.status).or_default() += 1;
            if self.recent.len() == RECENT_MAX {
                self.recent.pop_front();
            }
            self.recent.push_back(exchange.tag);
            if matches!(exchange.ending, Ending::Refused | Ending::ConnectTimeout) {
                self.is_failing = true;
            }
            self.outcome.reset_refusals += u64::from(is_reset_refusal(&exchange));
            let message = self.generator.request(exchange.tag).message;
            if let Some(failure) = classify(&message, &exchange) {
                self.candidates.push((exchange.tag, Some(failure)));
            }
        }
    }

    /// Handles requests that were aborted at the end of the load: they may hang and are sent again alone.
    fn handle_aborted(&mut self, cut: Vec<u64>) {
        for number in cut.into_iter().filter(|tag| *tag != PROBE) {
            *self.statuses.entry(0).or_default() += 1;
            if requires_response(&self.generator.request(number).message.bytes()) {
                self.candidates.push((number, None));
            }
        }
    }

    /// Returns whether a valid request got the same status as at the start.
    fn is_well(&self, exchange: &Exchange) -> bool {
        exchange.ending == Ending::Complete && exchange.reply.status == self.baseline_status
    }

    /// Sends one request alone.
    fn alone(&mut self, message: Message, idle: Duration) -> io::Result<Exchange> {
        self.outcome.alone += 1;
        let timeout = self.timeout(&message, idle);
        self.exchanges.alone(message, self.server, timeout)
    }

    /// Checks whether the server has become slow and remains slow without load. Any request since the last check may be the cause.
    fn check_speed(&mut self, number: u64) -> io::Result<()> {
        if self.is_over() || !is_slower(self.baseline, self.measure_baseline()?) {
            return Ok(());
        }
        self.exchanges.pause(Duration::from_secs(1), &mut Vec::new())?;
        let now = self.measure_baseline()?;
        if is_slower(self.baseline, now) {
            let first = self.options.first + self.outcome.requests / SPEED_CHECK_EVERY * SPEED_CHECK_EVERY;
            self.add_range(Failure::Slower, first, number.saturating_sub(1).max(first));
            // Reported once; this time is the new baseline.
            self.baseline = now;
        }
        Ok(())
    }

    /// Reports a failure that a range of requests may have caused.
    fn add_range(&mut self, failure: Failure, first: u64, last: u64) {
        self.add_finding(Finding {
            failure,
            number: last,
            traps: Vec::new(),
            request: String::new(),
            original: String::new(),
            size_bytes: 0,
            tries: 0,
            also: 0,
            suspects: Some((first, last)),
            answer: String::new(),
        });
    }

    /// Adds a finding, or counts it with a similar one.
    fn add_finding(&mut self, finding: Finding) {
        match self.outcome.findings.iter_mut().find(|known| known.is_like(&finding)) {
            Some(known) => {
                known.also += 1;
                if let [trap] = finding.traps.as_slice() {
                    *self.known_traps.entry((known.number, trap.clone())).or_default() += 1;
                }
                if finding.rank() < known.rank() {
                    known.request = finding.request;
                    known.size_bytes = finding.size_bytes;
                    known.answer = finding.answer;
                }
            }
            None => {
                if let [trap] = finding.traps.as_slice() {
                    self.known_traps.insert((finding.number, trap.clone()), 1);
                }
                self.outcome.findings.push(finding.clone());
                self.report(finding.number - self.options.first, Some(&finding));
            }
        }
    }

    fn add_unconfirmed(&mut self, number: u64, failure: Failure) {
        match self.outcome.unconfirmed.iter_mut().find(|known| known.failure == failure) {
            Some(known) => known.times += 1,
            None => self.outcome.unconfirmed.push(Unconfirmed { failure, times: 1, number }),
        }
    }

    fn report(&mut self, requests: u64, new: Option<&Finding>) {
        let progress =
            Progress { requests, of: self.options.requests, findings: &self.outcome.findings, new };
        self.is_stopped |= !(self.watch)(&progress);
    }

    fn end(mut self) -> Outcome {
        if let Ok(time) = self.measure_baseline() {
            self.outcome.baseline_ms.1 = ms(time);
        }
        self.outcome.seconds = self.exchanges.now().as_secs_f64();
        self.outcome.statuses = self.statuses.into_iter().collect();
        self.outcome
    }
}

fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// Sends a request alone `times` times and returns each exchange with its failure, if any.
///
/// # Errors
/// When waiting fails in the kernel.
pub fn replay<D: Driver>(
    driver: D,
    server: &Target,
    message: &Message,
    idle: Duration,
    times: u32,
) -> io::Result<Vec<(Exchange, Option<Failure>)>> {
    let mut exchanges = Exchanges::new(driver, 1, BODY);
    let timeout = Timeouts { connect: idle, idle, total: idle * 10 };
    let mut seen = Vec::new();
    for _ in 0..times {
        let exchange = exchanges.alone(message.clone(), server, timeout)?;
        let failure = match exchange.ending {
            Ending::Refused | Ending::ConnectTimeout => Some(Failure::Down),
            _ => classify(message, &exchange),
        };
        seen.push((exchange, failure));
    }
    Ok(seen)
}

#[cfg(test)]
mod tests;
