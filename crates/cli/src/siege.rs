//! `siege …`: its words become a plan, the engine runs it, and its report is printed.

use crate::date::Zone;
use crate::files::{reason, seed_of_now};
use crate::{environment, results, streams};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs::OpenOptions;
use std::io::{self, Read as _, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use warwolf_compat::siege::{
    Call, Classic, Counts, End, Era, Exchange, Finish, Given, Jars, Ledger, Line, Log, Moment, Output, Shown,
    Style, Transfer, Until, World, banner, connecting, exchange, fatal, ftp_line, line, log_header,
    log_notice, log_rows, log_trouble, not_connected, parse, report, trouble, unanswerable,
};
use warwolf_engine::{Control, SetupError};
use warwolf_measure::{Cause, Grade, Outcome, Run, Summary, ViolationKind, judge};
use warwolf_observe::{CallRecord, Observer};
use warwolf_plan::{HttpVersion, Plan, Request, Scheme, Shard};
use warwolf_workload::{GivenCookie, Page};

/// Lines are written out when so many bytes of them wait.
const PAGE: usize = 65_536;
/// The status under which siege shows what is no HTTP.
const NOT_HTTP: u16 = 418;
/// Nobody draws conclusions from a shorter run.
const INSTANT: Duration = Duration::from_secs(1);

/// Does what the words say; gives the exit code, which is 0 for every run that took place.
pub(crate) fn run(argv: &[String]) -> u8 {
    let zone = Zone::here();
    let Classic { plan, style, before } = match parse(argv, &Disk) {
        Ok(classic) => classic,
        Err(ending) => {
            put(&ending.output);
            return ending.code;
        }
    };
    put(&before);
    put(&banner(&style, &moment(zone)));
    let has_ftp = plan.as_ref().is_some_and(Plan::has_ftp);
    let siege = Arc::new(Siege::new(style, zone, has_ftp));
    let run = match plan.map(|plan| attack(plan, &siege)).transpose() {
        Ok(run) => run,
        Err(error) => {
            streams::say(&format!("\n{}", fatal(&error.to_string())));
            return 1;
        }
    };
    finish(&siege, run.as_ref())
}

/// Prints the report, notes the run down, and keeps it where that was asked for.
fn finish(siege: &Siege, run: Option<&Run>) -> u8 {
    let style = &siege.style;
    let counts = siege.counts(run);
    let end = siege.end();
    put(&report(style, &counts, end));
    if let Some(log) = style.log.as_ref().filter(|_| !style.get) {
        put(&log_notice(style, log));
        if let Err(error) = note_down(style, log, &counts, end, &moment(siege.zone)) {
            let text = error.to_string();
            streams::say(&log_trouble(log, text.split(" (os error").next().unwrap_or(&text)));
        }
    }
    let Some(run) = run else { return 0 };
    keep_cookies(siege);
    if style.verdict && !style.quiet {
        say_verdict(run);
    }
    match style.full_report.as_deref().map(|path| (path, results::keep(path, run))) {
        Some((path, Err(error))) => {
            streams::say(&format!("warwolf: {}: cannot be written: {}\n", path.display(), reason(&error)));
            1
        }
        _ => 0,
    }
}

/// Keeps the cookies that are still good for the next run, where siege has a folder of its own. A file that is not there is not
/// made for nothing.
fn keep_cookies(siege: &Siege) {
    let style = &siege.style;
    let Some(path) = &style.cookies else { return };
    let mut jars = style.jars.clone();
    jars.merge(std::mem::take(&mut *siege.jars.lock().unwrap_or_else(PoisonError::into_inner)));
    let has_folder = path.parent().is_some_and(Path::is_dir);
    if !has_folder || (jars.is_empty() && !path.exists()) {
        return;
    }
    let text = jars.text(seconds_since_1970(), style.quirks);
    // Whoever can read it is logged in.
    let opened = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
    if opened.and_then(|mut file| file.write_all(text.as_bytes())).is_err() {
        streams::say(&format!("ERROR: Unable to open cookies file: {}\n", path.display()));
    }
}

fn put(output: &Output) {
    if !output.stdout.is_empty() {
        // Nobody who has gone away can be told that.
        let _ = streams::print(output.stdout.as_bytes());
    }
    streams::say(&output.stderr);
}

/// Files and the environment, as they are.
struct Disk;

impl World for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == Path::new("-") {
            // A list of URLs that another program makes.
            let mut content = Vec::new();
            return io::stdin().read_to_end(&mut content).map(|_| content);
        }
        std::fs::read(path)
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn seconds(&self) -> u64 {
        seconds_since_1970()
    }
}

fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn moment(zone: Zone) -> Moment {
    let date = zone.date();
    let (hour, minute, second) = date.to_hms();
    Moment {
        year: date.year(),
        month: date.month().into(),
        day: date.day(),
        weekday: date.weekday().number_days_from_sunday(),
        hour,
        minute,
        second,
    }
}

/// What the workers of a run share.
struct Siege {
    style: Style,
    zone: Zone,
    has_ftp: bool,
    ledger: Mutex<Ledger>,
    /// The cookies that users were given.
    jars: Mutex<Jars>,
    /// Failures of all workers, for the threshold.
    failed: AtomicU64,
    aborted: AtomicBool,
    interrupted: AtomicBool,
}

impl Siege {
    fn new(style: Style, zone: Zone, has_ftp: bool) -> Self {
        Self {
            style,
            zone,
            has_ftp,
            ledger: Mutex::new(Ledger::default()),
            jars: Mutex::new(Jars::default()),
            failed: AtomicU64::new(0),
            aborted: AtomicBool::new(false),
            interrupted: AtomicBool::new(false),
        }
    }

    fn counts(&self, run: Option<&Run>) -> Counts {
        let ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        let wall = run.map_or(Duration::ZERO, |run| run.wall);
        let head_bytes = run.map_or(0, |run| run.timeline.whole().tally.counters().header_bytes);
        ledger.counts(wall, head_bytes)
    }

    fn end(&self) -> Finish {
        if self.aborted.load(Ordering::Relaxed) {
            Finish::Aborted
        } else if self.style.time.is_some() || self.interrupted.load(Ordering::Relaxed) {
            Finish::Lifted
        } else {
            Finish::Done
        }
    }
}

fn attack(mut plan: Plan, siege: &Arc<Siege>) -> Result<Run, SetupError> {
    plan.seed = seed_of_now();
    if siege.style.quirks {
        plan.stop.duration = plan.stop.duration.map(|time| by_the_clock(time, siege.style.era));
    }
    let control = Control::new();
    listen(&control, siege).map_err(|error| SetupError::Thread(error.to_string()))?;
    let environment = environment::observe();
    let run = warwolf_engine::run_observed(
        &plan,
        Shard::WHOLE,
        &control,
        &mut |_| {},
        Some(&|_| Box::new(Watcher::new(siege, &control))),
    )?;
    Ok(Run { environment, ..run })
}

/// How long `-t` lasts in the original, whose alarm is set by whole seconds of the clock: up to one less than asked for, or
/// from 4.1.4 on up to one more.
fn by_the_clock(time: Duration, era: Era) -> Duration {
    let into = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().subsec_nanos();
    let more = Duration::from_secs(u64::from(era == Era::V417));
    (time + more).saturating_sub(Duration::from_nanos(into.into())).max(Duration::from_millis(1))
}

/// A signal lifts the siege; the third kills.
fn listen(control: &Control, siege: &Arc<Siege>) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let (control, siege) = (control.clone(), Arc::clone(siege));
    let wait = move || {
        for (before, signal) in signals.forever().enumerate() {
            siege.interrupted.store(true, Ordering::Relaxed);
            control.abort();
            if before == 2 {
                signal_hook::low_level::exit(128 + signal);
            }
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop)
}

/// Counts a worker's calls by siege's rules, and says what siege says about each.
struct Watcher {
    siege: Arc<Siege>,
    control: Control,
    ledger: Ledger,
    jars: Jars,
    failed: u64,
    stdout: Vec<u8>,
    stderr: String,
}

impl Watcher {
    /// What went over the connection, for those who asked to see it.
    fn show_exchange(&mut self, record: &CallRecord<'_>, call: &Call) {
        let style = &self.siege.style;
        let endpoint = &record.request.endpoint;
        let place = format!("{}:{}", endpoint.host, endpoint.port);
        let went = record.exchange;
        let encoding = went.and_then(|went| went.encoding.as_deref());
        let body = Page { body: went.map_or(&[][..], |went| &went.body), encoding }.plain();
        let shown = Exchange {
            place: &place,
            opened: record.connected.is_reached(),
            request: went.map_or(&[][..], |went| &went.request),
            head: went.map_or(&[][..], |went| &went.head),
            body: &body,
        };
        self.stdout.extend_from_slice(&exchange(style, &shown));
        if !style.debug {
            return;
        }
        let is_call = planned(style, record).is_none_or(|shown| !shown.unsupported);
        if is_call {
            self.stderr.push_str(&connecting(style, &shown));
        }
        if call.end == End::Nothing {
            self.stderr.push_str(&troubled(style, record));
            if is_call {
                self.stderr.push_str(&not_connected(style, &shown, record.sample.outcome));
            }
        }
    }

    fn new(siege: &Arc<Siege>, control: &Control) -> Self {
        Self {
            siege: Arc::clone(siege),
            control: control.clone(),
            ledger: Ledger::default(),
            jars: Jars::default(),
            failed: 0,
            stdout: Vec::new(),
            stderr: String::new(),
        }
    }

    /// Remembers the cookies of a reply.
    fn take_cookies(&mut self, record: &CallRecord<'_>) {
        let now = seconds_since_1970();
        for field in record.cookies {
            let Some(cookie) = GivenCookie::read(record.request, field) else { continue };
            let until = match (cookie.deletes, cookie.max_age, cookie.expires) {
                (true, ..) => Until::Gone,
                (_, Some(seconds), _) => Until::Seconds(seconds),
                (_, None, Some(date)) => Until::Date(date),
                (_, None, None) => Until::Session,
            };
            let GivenCookie { name, value, domain, host_only, path, secure, .. } = cookie;
            let given = Given { name, value, domain, host_only, path, secure, until };
            self.jars.give(&self.siege.style.jars, record.session, &given, now);
        }
    }

    /// Writes out what was gathered.
    fn write(&mut self) {
        if !self.stdout.is_empty() {
            let _ = streams::print(&self.stdout);
            self.stdout.clear();
        }
        if !self.stderr.is_empty() {
            streams::say(&self.stderr);
            self.stderr.clear();
        }
    }

    /// Counts an exchange over HTTP, and says what siege says about it.
    fn exchange(&mut self, siege: &Siege, record: &CallRecord<'_>) {
        let style = &siege.style;
        let unanswerable =
            unanswerable(style, record.sample.status, record.challenges).filter(|_| !record.is_continued);
        let call = Call { gives_up: unanswerable.is_some(), ..call(record) };
        if style.shows_exchanges() {
            self.show_exchange(record, &call);
        }
        match self.ledger.take(style, &call) {
            Some(status) if style.shows_lines() => {
                self.stdout.extend_from_slice(told(siege, record, &call, status).as_bytes());
            }
            Some(_) => {}
            None if !style.debug => self.stderr.push_str(&troubled(style, record)),
            None => {}
        }
        let keeps_cookies = style.cookies.is_some() && record.sample.outcome == Outcome::Completed;
        if keeps_cookies && !record.cookies.is_empty() {
            self.take_cookies(record);
        }
        self.stderr.extend(unanswerable);
    }

    /// Counts a transfer over FTP, and says what siege says about it.
    fn transfer(&mut self, style: &Style, record: &CallRecord<'_>) {
        let CallRecord { request, sample, previous_status: previous, reason: text, .. } = *record;
        let transfer = Transfer { request, outcome: sample.outcome, status: sample.status, previous, text };
        let (end, status) = transfer.end();
        let bytes = sample.body_bytes + u64::from(sample.sent_bytes);
        let call = Call { end, status, bytes, ..call(record) };
        self.ledger.take(style, &call);
        self.stdout.extend_from_slice(transfer.refusal(style).as_bytes());
        if let End::Ftp(ftp) = end {
            if style.verbose {
                let own = shown(request);
                let shown = planned(style, record).unwrap_or(&own);
                self.stdout
                    .extend_from_slice(ftp_line(style, shown, status, call.time, bytes, ftp).as_bytes());
            }
        } else {
            self.stderr.push_str(&troubled(style, record));
            self.stderr.push_str(&transfer.unreachable());
        }
    }

    /// Gives the run up when there are too many failures.
    fn watch_failures(&mut self) {
        let new = self.ledger.failed() - self.failed;
        if new == 0 {
            return;
        }
        self.failed += new;
        let failed = self.siege.failed.fetch_add(new, Ordering::Relaxed) + new;
        if self.siege.style.failures.is_some_and(|most| failed >= most) {
            self.siege.aborted.store(true, Ordering::Relaxed);
            self.control.stop();
        }
    }
}

impl Observer for Watcher {
    fn call(&mut self, record: &CallRecord<'_>) {
        if record.sample.outcome == Outcome::Unfinished {
            return;
        }
        let siege = Arc::clone(&self.siege);
        if record.request.endpoint.scheme == Scheme::Ftp {
            self.transfer(&siege.style, record);
        } else {
            self.exchange(&siege, record);
        }
        self.watch_failures();
        if self.stdout.len() + self.stderr.len() > PAGE {
            self.write();
        }
    }

    fn cached(&mut self, session: u64, request: &Request) {
        let style = &self.siege.style;
        if style.shows_lines() {
            let shown = shown(request);
            let (protocol, time, bytes) = ("HTTP/1.1", Duration::ZERO, 0);
            let reply =
                Line { user: session, protocol, status: 200, time, bytes, shown: &shown, cached: true };
            let dated = style.csv || style.timestamp;
            let now = if dated { moment(self.siege.zone) } else { Moment::default() };
            self.stdout.extend_from_slice(line(style, &reply, &now).as_bytes());
        }
    }

    fn wants_exchange(&self) -> bool {
        self.siege.style.shows_exchanges()
    }

    fn wants_reasons(&self) -> bool {
        self.siege.has_ftp
    }

    fn pause(&mut self) {
        self.write();
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.write();
        self.siege.ledger.lock().unwrap_or_else(PoisonError::into_inner).merge(&self.ledger);
        let jars = std::mem::take(&mut self.jars);
        self.siege.jars.lock().unwrap_or_else(PoisonError::into_inner).merge(jars);
    }
}

/// A call as siege sees it: a reply whose head has come is one, however its body ended.
fn call(record: &CallRecord<'_>) -> Call {
    let sample = record.sample;
    let end = match sample.outcome {
        // The original takes its own status for its own, and reads no further.
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
        opening: record.is_opening,
    }
}

/// The notice of a call without a reply.
fn troubled(style: &Style, record: &CallRecord<'_>) -> String {
    trouble(style, planned(style, record), record.sample.outcome)
}

/// How a request of the list is shown.
fn planned<'a>(style: &'a Style, record: &CallRecord<'_>) -> Option<&'a Shown> {
    record.planned.and_then(|request| style.shown.get(request.0 as usize))
}

/// How a request is shown that is in no list.
fn shown(request: &Request) -> Shown {
    let (method, path, url) = (request.method.clone(), request.path.clone(), request.url());
    Shown { method, path, url, place: 0, unsupported: false }
}

/// The line about a reply.
fn told(siege: &Siege, record: &CallRecord<'_>, call: &Call, status: u16) -> String {
    let style = &siege.style;
    let own;
    let shown = match planned(style, record) {
        Some(shown) => shown,
        // Where a redirect led to: it is in no list.
        None => {
            own = shown(record.request);
            &own
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
    let dated = style.csv || style.timestamp;
    line(style, &reply, &if dated { moment(siege.zone) } else { Moment::default() })
}

fn note_down(style: &Style, log: &Log, counts: &Counts, end: Finish, now: &Moment) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(&log.path)?;
    let mut text = log_rows(style, counts, end, now);
    if file.metadata()?.len() == 0 {
        text.insert_str(0, log_header(style));
    }
    file.write_all(text.as_bytes())
}

/// One line about figures that are not to be trusted. siege prints no percentiles, so what only spoils those is passed over,
/// and so is what its own report says. A run of an instant proves nothing either way.
fn say_verdict(run: &Run) {
    if run.wall < INSTANT {
        return;
    }
    let verdict = judge(&Summary::of(run));
    let spoils = |cause: Cause| {
        !matches!(
            cause,
            Cause::NothingMeasured
                | Cause::FewSamples
                | Cause::Trend
                | Cause::Interrupted
                | Cause::Unfinished
        )
    };
    let doubt = verdict.doubts().find(|reason| reason.grade != Grade::Valid && spoils(reason.cause));
    if let Some(doubt) = doubt {
        let (grade, cause) = (doubt.grade.name(), doubt.cause.text());
        streams::say(&format!("warwolf: {grade}: {cause}: {}; {}\n", doubt.evidence, doubt.remedy));
    }
}
