//! Counts the calls of one worker by siege's rules, and prints siege's output about each.

use super::counts::{Call, CallCounter, Counts, End};
use super::exchange::{CHALLENGES, Exchange, connecting, exchange, not_connected, unanswerable};
use super::ftp::{Transfer, ftp_line};
use super::jars::{Given, Jars, Until};
use super::lines::{Line, line, trouble};
use super::notices::{Level, notice};
use super::report::Finish;
use super::settings::Era;
use super::style::{Shown, Style};
use super::time::Moment;
use crate::console::{Buffer, Console};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_measure::{Cause, Outcome, Reason, Run, Summary, ViolationKind, judge};
use warwolf_observe::{CallRecord, Event, Observer};
use warwolf_plan::{HttpVersion, Plan, Request, Scheme};
use warwolf_workload::{GivenCookie, Interest, Page};

/// The maximum number of body bytes that are printed.
const BODY_MAX: usize = 1 << 20;

/// The status that siege shows for a reply that is not HTTP.
const NOT_HTTP: u16 = 418;
/// The minimum duration of a run with a verdict.
const INSTANT: Duration = Duration::from_secs(1);

/// The services that siege needs from the program during a run.
pub trait Host: Console {
    /// Returns the local time.
    fn now(&self) -> Moment;

    /// Returns the seconds since 1970.
    fn unix_seconds(&self) -> u64;

    /// Ends the run; calls in flight may finish.
    fn stop(&self);
}

/// The state shared by the workers of a run.
pub struct Siege<'a> {
    style: &'a Style,
    host: &'a dyn Host,
    has_ftp: bool,
    /// Failures of all workers, for the limit `failures`.
    failed: AtomicU64,
    /// The outcomes of malformed replies that a notice was printed about, as bits.
    malformed: AtomicU64,
    aborted: AtomicBool,
}

impl<'a> Siege<'a> {
    /// Creates the state of a run of `plan` before its start.
    #[must_use]
    pub fn new(style: &'a Style, plan: &Plan, host: &'a dyn Host) -> Self {
        let (failed, malformed, aborted) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
        Self { style, host, has_ftp: plan.has_ftp(), failed, malformed, aborted }
    }

    /// Returns the notice of the first reply of the run that is malformed in this way. The original reads more of these, and
    /// without a notice such a failure has neither a line nor a reason.
    fn malformed(&self, outcome: Outcome) -> Option<String> {
        const { assert!(Outcome::COUNT <= u64::BITS as usize) };
        let (Outcome::Violation(kind), bit) = (outcome, 1_u64 << outcome.index()) else { return None };
        let is_first = self.malformed.fetch_or(bit, Ordering::Relaxed) & bit == 0;
        // Data that is no HTTP at all counts as a reply with status 418.
        (is_first && kind != ViolationKind::BadStatusLine)
            .then(|| notice(Level::Error, &format!("socket: cannot read a reply: {}", outcome.text())))
    }

    /// Creates the observer of one worker.
    #[must_use]
    pub fn observer(&self) -> Counter<'_> {
        Counter {
            siege: self,
            calls: CallCounter::default(),
            jars: Jars::default(),
            reported_failures: 0,
            lines: Buffer::new(self.host),
        }
    }

    /// Returns how the run ended.
    #[must_use]
    pub fn finish(&self, interrupted: bool) -> Finish {
        if self.aborted.load(Ordering::Relaxed) {
            Finish::Aborted
        } else if self.style.time.is_some() || interrupted {
            Finish::Lifted
        } else {
            Finish::Done
        }
    }
}

/// Merges the counters of all workers into the sums of `run` and the cookies that its users received.
#[must_use]
pub fn merge(counters: Vec<Counter<'_>>, run: &Run) -> (Counts, Jars) {
    let (mut calls, mut jars) = (CallCounter::default(), Jars::default());
    for counter in counters {
        calls.merge(&counter.calls);
        jars.merge(counter.jars);
    }
    let head_bytes = run.timeline.whole().tally.counters().header_bytes;
    (calls.counts(run.wall, head_bytes), jars)
}

/// Counts the calls of one worker, and prints a line or a notice about each.
pub struct Counter<'a> {
    siege: &'a Siege<'a>,
    calls: CallCounter,
    /// The cookies that users received.
    jars: Jars,
    /// Failures already added to the total of all workers.
    reported_failures: u64,
    lines: Buffer<'a>,
}

impl Counter<'_> {
    /// Counts an exchange over HTTP.
    fn exchange(&mut self, record: &CallRecord<'_>) {
        let style = self.siege.style;
        let unanswerable =
            unanswerable(style, record.sample.status, &record.kept.headers).filter(|_| !record.is_continued);
        let call = Call { gives_up: unanswerable.is_some(), ..call(record) };
        if style.shows_exchanges() {
            self.show_exchange(record, &call);
        }
        match self.calls.take(style, &call) {
            Some(status) if style.shows_lines() => {
                let line = self.line(record, &call, status);
                self.lines.stdout.extend_from_slice(line.as_bytes());
            }
            Some(_) => {}
            None if !style.debug => self.lines.stderr.push_str(&troubled(style, record)),
            None => {}
        }
        self.lines.stderr.extend(self.siege.malformed(record.sample.outcome));
        let keeps_cookies = style.cookies.is_some() && record.sample.outcome == Outcome::Completed;
        if keeps_cookies {
            self.take_cookies(record);
        }
        self.lines.stderr.extend(unanswerable);
    }

    /// Prints the bytes sent and received by a call, for `-g`, `-p` and `-D`.
    fn show_exchange(&mut self, record: &CallRecord<'_>, call: &Call) {
        let style = self.siege.style;
        let endpoint = &record.request.endpoint;
        let place = format!("{}:{}", endpoint.host, endpoint.port);
        let kept = record.kept;
        let body = Page { body: &kept.body, encoding: kept.headers.get("content-encoding") }.plain();
        let shown = Exchange {
            place: &place,
            opened: record.connected.is_reached(),
            request: &kept.request,
            head: &kept.head,
            body: &body,
        };
        self.lines.stdout.extend_from_slice(&exchange(style, &shown));
        if !style.debug {
            return;
        }
        let is_call = planned(style, record).is_none_or(|shown| !shown.unsupported);
        let stderr = &mut self.lines.stderr;
        if is_call {
            stderr.push_str(&connecting(style, &shown));
        }
        if call.end == End::Nothing {
            stderr.push_str(&troubled(style, record));
            if is_call {
                stderr.push_str(&not_connected(style, &shown, record.sample.outcome));
            }
        }
    }

    /// Formats the line about a reply.
    fn line(&self, record: &CallRecord<'_>, call: &Call, status: u16) -> String {
        let style = self.siege.style;
        let unlisted;
        let shown = match planned(style, record) {
            Some(shown) => shown,
            // The target of a redirect is not in the list.
            None => {
                unlisted = shown(record.request);
                &unlisted
            }
        };
        let reply = Line {
            user: call.user,
            protocol: if record.version == HttpVersion::Http10 { "HTTP/1.0" } else { "HTTP/1.1" },
            status,
            time: call.time,
            bytes: call.bytes,
            shown,
            cached: false,
        };
        line(style, &reply, &self.moment())
    }

    /// Returns the local time if lines show it.
    fn moment(&self) -> Moment {
        let style = self.siege.style;
        if style.csv || style.timestamp { self.siege.host.now() } else { Moment::default() }
    }

    /// Stores the cookies of a reply.
    fn take_cookies(&mut self, record: &CallRecord<'_>) {
        let now = self.siege.host.unix_seconds();
        for field in record.kept.headers.all("set-cookie") {
            let Some(cookie) = GivenCookie::read(record.request, field) else { continue };
            let until = Until::of(&cookie);
            let GivenCookie { name, value, domain, host_only, path, secure, .. } = cookie;
            let given = Given { name, value, domain, host_only, path, secure, until };
            self.jars.give(&self.siege.style.jars, record.session, &given, now);
        }
    }

    /// Counts a transfer over FTP.
    fn transfer(&mut self, record: &CallRecord<'_>) {
        let style = self.siege.style;
        let CallRecord { request, sample, kept, .. } = *record;
        let (previous, text) = (kept.previous_status, &kept.reason[..]);
        let transfer = Transfer { request, outcome: sample.outcome, status: sample.status, previous, text };
        let (end, status) = transfer.end();
        let bytes = sample.body_bytes + u64::from(sample.sent_bytes);
        let call = Call { end, status, bytes, ..call(record) };
        self.calls.take(style, &call);
        self.lines.stdout.extend_from_slice(transfer.refusal(style).as_bytes());
        if let End::Ftp(ftp) = end {
            if style.verbose {
                let unlisted = shown(request);
                let shown = planned(style, record).unwrap_or(&unlisted);
                let line = ftp_line(style, shown, status, call.time, bytes, ftp);
                self.lines.stdout.extend_from_slice(line.as_bytes());
            }
        } else {
            self.lines.stderr.push_str(&troubled(style, record));
            self.lines.stderr.push_str(&transfer.unreachable());
        }
    }

    /// Ends the run if there are too many failures.
    fn check_failures(&mut self) {
        let new = self.calls.failed() - self.reported_failures;
        if new == 0 {
            return;
        }
        self.reported_failures += new;
        let failed = self.siege.failed.fetch_add(new, Ordering::Relaxed) + new;
        if self.siege.style.failures.is_some_and(|most| failed >= most) {
            self.siege.aborted.store(true, Ordering::Relaxed);
            self.siege.host.stop();
        }
    }
}

impl Observer for Counter<'_> {
    fn call(&mut self, record: &CallRecord<'_>) {
        if record.sample.outcome == Outcome::Unfinished {
            return;
        }
        if record.request.endpoint.scheme == Scheme::Ftp {
            self.transfer(record);
        } else {
            self.exchange(record);
        }
        self.check_failures();
        self.lines.flush_if_full();
    }

    fn event(&mut self, event: &Event<'_>, _now: Timestamp) {
        let style = self.siege.style;
        let Event::Cached { session, request } = *event else { return };
        if style.shows_lines() {
            let shown = shown(request);
            let (protocol, time, bytes) = ("HTTP/1.1", Duration::ZERO, 0);
            let reply =
                Line { user: session, protocol, status: 200, time, bytes, shown: &shown, cached: true };
            let line = line(style, &reply, &self.moment());
            self.lines.stdout.extend_from_slice(line.as_bytes());
        }
    }

    fn pause(&mut self) {
        self.lines.flush();
    }

    fn add_interest(&self, interest: &mut Interest) {
        CHALLENGES.iter().for_each(|name| interest.add_header(name));
        if self.siege.style.cookies.is_some() {
            interest.add_header("set-cookie");
        }
        interest.reason = self.siege.has_ftp;
        if self.siege.style.shows_exchanges() {
            interest.exchange = true;
            interest.add_header("content-encoding");
            interest.add_body(BODY_MAX);
        }
    }
}

/// Converts a record into a call as siege counts it: if the head was received, it is a reply, even with a truncated body.
fn call(record: &CallRecord<'_>) -> Call {
    let sample = record.sample;
    let end = match sample.outcome {
        // The original confuses this status with its own 418, and stops reading.
        Outcome::Completed if sample.status == NOT_HTTP => End::NotHttp,
        Outcome::Completed => End::Reply,
        Outcome::ResponseTimeout => End::Nothing,
        Outcome::Violation(ViolationKind::BadStatusLine) => End::NotHttp,
        Outcome::ClosedMidReply | Outcome::Reset | Outcome::Violation(_) if sample.status > 0 => End::Reply,
        _ => End::Nothing,
    };
    Call {
        user: record.session,
        end,
        status: sample.status,
        bytes: if end == End::Reply { sample.body_bytes } else { 0 },
        time: sample.finished.since(sample.started),
        goes_on: record.is_continued,
        gives_up: false,
        opening: record.is_setup,
    }
}

/// Formats the notice of a call without a reply.
fn troubled(style: &Style, record: &CallRecord<'_>) -> String {
    trouble(style, planned(style, record), record.sample.outcome)
}

/// Returns the shown form of a request from the list.
fn planned<'a>(style: &'a Style, record: &CallRecord<'_>) -> Option<&'a Shown> {
    record.planned.and_then(|request| style.shown.get(request.0 as usize))
}

/// Returns the shown form of a request that is not in the list.
fn shown(request: &Request) -> Shown {
    let (method, path, url) = (request.method.clone(), request.path.to_string(), request.url());
    Shown { method, path, url, place: 0, unsupported: false }
}

/// Returns the duration of `-t` in the original. Its alarm is set by whole seconds of the clock: it lasts up to one second
/// less than requested, or from 4.1.4 on up to one more. `fraction` is the elapsed part of the current second.
#[must_use]
pub fn time_of_the_original(style: &Style, time: Duration, fraction: Duration) -> Duration {
    if !style.quirks {
        return time;
    }
    let more = Duration::from_secs(u64::from(style.era == Era::V417));
    (time + more).saturating_sub(fraction).max(Duration::from_millis(1))
}

/// Returns the reason to print about a run with unreliable results. siege prints no percentiles, so causes that only affect
/// those are left out; so are causes that its own report shows. A run shorter than a second has no reason. Scripts read
/// stderr, so the reason is printed only on a terminal or on request.
#[must_use]
pub fn doubt(style: &Style, run: &Run, is_terminal: bool) -> Option<Reason> {
    if !style.verdict.unwrap_or(is_terminal) || style.quiet || run.wall < INSTANT {
        return None;
    }
    let verdict = judge(&Summary::of(run));
    let matters = |cause: Cause| {
        !matches!(
            cause,
            Cause::NothingMeasured
                | Cause::FewSamples
                | Cause::Trend
                | Cause::Interrupted
                | Cause::Unfinished
        )
    };
    verdict.doubts().find(|reason| matters(reason.cause)).cloned()
}
