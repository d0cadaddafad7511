//! The hunt: requests under load, and a closer look at what comes of them.
//!
//! While load is on, everything is suspicious: a crash takes the connections of innocent requests with it, and a busy
//! server is slow. So trouble under load only makes a candidate. The load is let run out, the server is given time to come back,
//! and the candidate is sent alone. What does it again is a finding and is shrunk; what does not is a doubt.

mod inquiry;

use crate::finding::{Doubt, Finding, Outcome, Subject};
use crate::generate::Generator;
use crate::sense::owes_reply;
use crate::trouble::{Trouble, is_slower, judge};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_driver::Driver;
use warwolf_exchange::{BodyLimits, Ending, Exchange, Exchanges, Message, Target, Timeouts};

/// How a hunt is to go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Requests a second while load is on, more than zero.
    pub rate: f64,
    /// Number of the first request.
    pub first: u64,
    /// How many requests.
    pub requests: u64,
    /// How many at once, at least 1.
    pub at_once: u32,
    /// After so long without a byte a request hangs.
    pub patience: Duration,
    /// How long the server may take to come back after trouble.
    pub recovery: Duration,
    /// Tries to make one finding small.
    pub tries: u32,
    /// The hunt ends after so many findings, at least 1.
    pub findings: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            rate: 500.0,
            first: 0,
            requests: 10_000,
            at_once: 32,
            patience: Duration::from_secs(2),
            recovery: Duration::from_secs(10),
            tries: 3_000,
            findings: 50,
        }
    }
}

/// Why there was no hunt.
#[derive(Debug)]
pub enum HuntError {
    /// The server is not well to begin with: what came for a sound request.
    Unwell(String),
    /// The kernel refuses to wait.
    Machine(io::Error),
}

impl From<io::Error> for HuntError {
    fn from(error: io::Error) -> Self {
        Self::Machine(error)
    }
}

/// How far a hunt is.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// Requests sent under load.
    pub requests: u64,
    /// Of so many.
    pub of: u64,
    /// What was found so far.
    pub findings: &'a [Finding],
    /// What was found just now.
    pub new: Option<&'a Finding>,
}

/// The tag of a health probe; far beyond any request's number.
const PROBE: u64 = u64::MAX - 1;
/// Between two probes under load.
const PROBE_EVERY: Duration = Duration::from_millis(250);
/// Requests between two looks at whether the server has become slow.
const LOOK_EVERY: u64 = 2_000;
/// Requests remembered as possibly to blame for what a probe finds.
const RECENT_MAX: usize = 512;
/// The timeout under load is at least this, or fifty times what a sound request takes.
const HURRIED_MIN: Duration = Duration::from_millis(500);
/// The timeout of a request that no answer is owed to.
const SHORT: Duration = Duration::from_millis(100);
/// How much of an answer matters.
const BODY: BodyLimits = BodyLimits { kept: 0, awaited: 1 << 20 };

/// A hunt under way.
pub struct Hunt<'a, D> {
    exchanges: Exchanges<D>,
    place: &'a Target,
    generator: &'a Generator,
    options: Options,
    outcome: Outcome,
    statuses: BTreeMap<u16, u64>,
    /// Time of a sound request when all began.
    sound: Duration,
    sound_status: u16,
    /// What looked like trouble, or did not come to an end, and was not looked at more closely yet.
    candidates: Vec<(u64, Option<Trouble>)>,
    /// How many requests with this trap and no other came down to the finding of this number.
    blamed: BTreeMap<(u64, String), u32>,
    /// Requests that ended since the last good probe.
    recent: VecDeque<u64>,
    is_probing: bool,
    is_unwell: bool,
    /// The server did not come back while a finding was made small.
    is_gone: bool,
    is_stopped: bool,
    watch: &'a mut dyn FnMut(&Progress<'_>) -> bool,
}

impl<D> std::fmt::Debug for Hunt<'_, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hunt").field("outcome", &self.outcome).finish_non_exhaustive()
    }
}

impl<'a, D: Driver> Hunt<'a, D> {
    /// Hunts with the requests of `generator`. The driver needs room for `options.at_once` and two more sockets. `watch` is told how
    /// it goes, several times a second, and ends it early by saying false.
    ///
    /// # Errors
    /// When sound requests fail to begin with, or this machine cannot go on.
    pub fn run(
        driver: D,
        place: &'a Target,
        generator: &'a Generator,
        subject: Subject,
        options: Options,
        watch: &'a mut dyn FnMut(&Progress<'_>) -> bool,
    ) -> Result<Outcome, HuntError> {
        let exchanges = Exchanges::new(driver, options.at_once + 2, BODY);
        let outcome = Outcome {
            subject,
            requests: 0,
            statuses: Vec::new(),
            alone: 0,
            seconds: 0.0,
            sound_ms: (0.0, 0.0),
            findings: Vec::new(),
            doubts: Vec::new(),
            is_complete: false,
        };
        let mut hunt = Self {
            exchanges,
            place,
            generator,
            options,
            outcome,
            statuses: BTreeMap::new(),
            sound: Duration::ZERO,
            sound_status: 0,
            candidates: Vec::new(),
            blamed: BTreeMap::new(),
            recent: VecDeque::new(),
            is_probing: false,
            is_unwell: false,
            is_gone: false,
            is_stopped: false,
            watch,
        };
        hunt.begin()?;
        hunt.load()?;
        Ok(hunt.end())
    }

    /// Sees that the server is well, and how long a sound request takes.
    fn begin(&mut self) -> Result<(), HuntError> {
        for _ in 0..5 {
            let exchange = self.alone(self.generator.sound(), self.options.patience)?;
            if exchange.ending != Ending::Complete || exchange.reply.status >= 500 {
                let what = match exchange.ending {
                    Ending::Complete => format!("status {}", exchange.reply.status),
                    ending => ending.to_string(),
                };
                return Err(HuntError::Unwell(what));
            }
            self.sound_status = exchange.reply.status;
        }
        self.sound = self.sound_time()?;
        self.outcome.sound_ms = (ms(self.sound), ms(self.sound));
        Ok(())
    }

    /// The median time of five sound requests.
    fn sound_time(&mut self) -> io::Result<Duration> {
        let mut times = Vec::new();
        for _ in 0..5 {
            times.push(self.alone(self.generator.sound(), self.options.patience)?.took());
        }
        times.sort_unstable();
        Ok(times[2])
    }

    /// All requests, with breaks for a closer look.
    fn load(&mut self) -> Result<(), HuntError> {
        let (first, end) = (self.options.first, self.options.first.saturating_add(self.options.requests));
        let mut number = first;
        let mut done = Vec::new();
        while number < end && !self.is_over() {
            number = self.stretch(number, end, &mut done)?;
            let settled = self.exchanges.now() + (self.sound * 20).max(SHORT);
            let cut = self.exchanges.settle(settled, &mut done)?;
            self.is_probing = false;
            self.take(&mut done);
            self.take_cut(cut);
            self.inquire()?;
            let sent = number - first;
            if sent / LOOK_EVERY != self.outcome.requests / LOOK_EVERY || number == end {
                self.look_at_speed(number)?;
            }
            self.outcome.requests = sent;
        }
        self.outcome.is_complete = number == end && !self.is_stopped;
        Ok(())
    }

    /// Load from request `number` on, until something looks like trouble, a look at the speed is due, or all is sent; the
    /// number that comes next.
    fn stretch(&mut self, number: u64, end: u64, done: &mut Vec<Exchange>) -> io::Result<u64> {
        let begun = self.exchanges.now();
        let begun_at = number;
        let mut number = number;
        let mut probe_at = begun + PROBE_EVERY;
        let due = |number: u64, rate: f64| begun + Duration::from_secs_f64((number - begun_at) as f64 / rate);
        while number < end && self.candidates.is_empty() && !self.is_unwell && !self.is_over() {
            if number > begun_at && (number - self.options.first).is_multiple_of(LOOK_EVERY) {
                break;
            }
            let now = self.exchanges.now();
            if now >= probe_at {
                probe_at = now + PROBE_EVERY;
                self.probe();
                self.report(number - self.options.first, None);
            }
            // Two slots are kept for probes and questions.
            let has_room = self.exchanges.room() > 2;
            if has_room && now >= due(number, self.options.rate) {
                let message = self.generator.request(number).message;
                let patience = self.patience(&message, self.hurried());
                self.exchanges.start(number, message, self.place, patience);
                number += 1;
                continue;
            }
            let next = if has_room { due(number, self.options.rate) } else { Timestamp::NEVER };
            self.exchanges.wait(next.min(probe_at), done)?;
            self.take(done);
        }
        Ok(number)
    }

    fn is_over(&self) -> bool {
        self.is_stopped || self.outcome.findings.len() >= self.options.findings
    }

    fn probe(&mut self) {
        if !self.is_probing && self.exchanges.room() > 0 {
            self.is_probing = true;
            let message = self.generator.sound();
            let patience = self.patience(&message, self.options.patience);
            self.exchanges.start(PROBE, message, self.place, patience);
            self.outcome.alone += 1;
        }
    }

    /// The timeout under load: what is only late is given its time when it is sent alone.
    fn hurried(&self) -> Duration {
        (self.sound * 50).max(HURRIED_MIN).min(self.options.patience)
    }

    fn patience(&self, message: &Message, idle: Duration) -> Timeouts {
        let idle = if owes_reply(&message.bytes()) { idle } else { SHORT.min(idle) };
        Timeouts { connect: self.options.patience, idle, total: idle * 10 }
    }

    /// Looks at what came back under load.
    fn take(&mut self, done: &mut Vec<Exchange>) {
        for exchange in done.drain(..) {
            if exchange.tag == PROBE {
                self.is_probing = false;
                if self.is_well(&exchange) {
                    self.recent.clear()
                } else {
                    self.is_unwell = true
                }
                continue;
            }
            *self.statuses.entry(exchange.reply.status).or_default() += 1;
            if self.recent.len() == RECENT_MAX {
                self.recent.pop_front();
            }
            self.recent.push_back(exchange.tag);
            if matches!(exchange.ending, Ending::Refused | Ending::ConnectTimeout) {
                self.is_unwell = true;
            }
            let message = self.generator.request(exchange.tag).message;
            if let Some(trouble) = judge(&message, &exchange) {
                self.candidates.push((exchange.tag, Some(trouble)));
            }
        }
    }

    /// What was still under way when the load had run out may hang; it is given its time alone.
    fn take_cut(&mut self, cut: Vec<u64>) {
        for number in cut.into_iter().filter(|tag| *tag != PROBE) {
            *self.statuses.entry(0).or_default() += 1;
            if owes_reply(&self.generator.request(number).message.bytes()) {
                self.candidates.push((number, None));
            }
        }
    }

    /// Whether a sound request was answered as in the beginning.
    fn is_well(&self, exchange: &Exchange) -> bool {
        exchange.ending == Ending::Complete && exchange.reply.status == self.sound_status
    }

    /// One request and nothing else.
    fn alone(&mut self, message: Message, idle: Duration) -> io::Result<Exchange> {
        self.outcome.alone += 1;
        let patience = self.patience(&message, idle);
        self.exchanges.alone(message, self.place, patience)
    }

    /// Waits until sound requests are answered as in the beginning; false when that does not come in time.
    fn recovers(&mut self) -> io::Result<bool> {
        let until = self.exchanges.now() + self.options.recovery;
        loop {
            let probe = self.alone(self.generator.sound(), self.options.patience)?;
            if self.is_well(&probe) {
                return Ok(true);
            }
            if self.exchanges.now() >= until {
                return Ok(false);
            }
            self.exchanges.pause(Duration::from_millis(50), &mut Vec::new())?;
        }
    }

    /// Whether the server has become slow, and stays so when it is left alone. All since the last look may be to blame.
    fn look_at_speed(&mut self, number: u64) -> io::Result<()> {
        if self.is_over() || !is_slower(self.sound, self.sound_time()?) {
            return Ok(());
        }
        self.exchanges.pause(Duration::from_secs(1), &mut Vec::new())?;
        let now = self.sound_time()?;
        if is_slower(self.sound, now) {
            let first = self.options.first + self.outcome.requests / LOOK_EVERY * LOOK_EVERY;
            self.accuse(Trouble::Slower, first, number.saturating_sub(1).max(first));
            // Found once; from here on this is what it takes.
            self.sound = now;
        }
        Ok(())
    }

    /// A finding for which no single request can be blamed.
    fn accuse(&mut self, trouble: Trouble, first: u64, last: u64) {
        self.found(Finding {
            trouble,
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

    /// Adds a finding, or counts it with its like.
    fn found(&mut self, finding: Finding) {
        match self.outcome.findings.iter_mut().find(|known| known.is_like(&finding)) {
            Some(known) => {
                known.also += 1;
                if let [trap] = finding.traps.as_slice() {
                    *self.blamed.entry((known.number, trap.clone())).or_default() += 1;
                }
                if finding.rank() < known.rank() {
                    known.request = finding.request;
                    known.size_bytes = finding.size_bytes;
                    known.answer = finding.answer;
                }
            }
            None => {
                if let [trap] = finding.traps.as_slice() {
                    self.blamed.insert((finding.number, trap.clone()), 1);
                }
                self.outcome.findings.push(finding.clone());
                self.report(finding.number - self.options.first, Some(&finding));
            }
        }
    }

    fn doubt(&mut self, number: u64, trouble: Trouble) {
        match self.outcome.doubts.iter_mut().find(|known| known.trouble == trouble) {
            Some(known) => known.times += 1,
            None => self.outcome.doubts.push(Doubt { trouble, times: 1, number }),
        }
    }

    fn report(&mut self, requests: u64, new: Option<&Finding>) {
        let progress =
            Progress { requests, of: self.options.requests, findings: &self.outcome.findings, new };
        self.is_stopped |= !(self.watch)(&progress);
    }

    fn end(mut self) -> Outcome {
        if let Ok(time) = self.sound_time() {
            self.outcome.sound_ms.1 = ms(time);
        }
        self.outcome.seconds = self.exchanges.now().as_secs_f64();
        self.outcome.statuses = self.statuses.into_iter().collect();
        self.outcome
    }
}

fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// Sends a request alone, as often as `times`, and says what came each time and what is wrong with it.
///
/// # Errors
/// When this machine cannot go on.
pub fn replay<D: Driver>(
    driver: D,
    place: &Target,
    message: &Message,
    idle: Duration,
    times: u32,
) -> io::Result<Vec<(Exchange, Option<Trouble>)>> {
    let mut exchanges = Exchanges::new(driver, 1, BODY);
    let patience = Timeouts { connect: idle, idle, total: idle * 10 };
    let mut seen = Vec::new();
    for _ in 0..times {
        let exchange = exchanges.alone(message.clone(), place, patience)?;
        let trouble = match exchange.ending {
            Ending::Refused | Ending::ConnectTimeout => Some(Trouble::Down),
            _ => judge(message, &exchange),
        };
        seen.push((exchange, trouble));
    }
    Ok(seen)
}

#[cfg(test)]
mod tests;
