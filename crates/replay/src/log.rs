//! An access log as parts of some seconds: unpacked, filtered, counted; never all of it in memory.

use crate::{Call, Destinations, Filter};
use flate2::read::MultiGzDecoder;
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::time::Duration;
use warwolf_accesslog::{Archive, Entry, Format, Unreadable};
use warwolf_measure::{LogReplay, NotUnderstood};

/// Limits of a part: its requests, their size in memory, and the time it spans.
const PART_REQUESTS: usize = 20_000;
const PART_BYTES: usize = 32 << 20;
const PART_SPAN: Duration = Duration::from_secs(30);
/// Limit of a line in bytes; the rest of a longer line is ignored.
const LINE_BYTES: u64 = 1 << 20;
/// Read at once, in bytes.
const BUFFER_BYTES: usize = 1 << 18;

/// Why a line of the log is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Skipped {
    /// The line does not yield a request.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// Neither the log nor the arguments name a server.
    #[error("no server, use --to URL")]
    NoServer,
}

/// Why a log cannot be replayed at all.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// Reading failed.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// It has no bytes.
    #[error("the log is empty")]
    Empty,
}

/// What became of the lines read so far.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Lines, or entries of an archive. Each is sent, or in exactly one of the other counts.
    pub lines: u64,
    /// Lines without text.
    pub blank: u64,
    /// Requests that the filter left out.
    pub filtered: u64,
    /// Lines that are not sent for a reason: how many, and the number of the first.
    pub skipped: BTreeMap<Skipped, (u64, u64)>,
    /// The target of the first request without a server.
    pub without_server: Option<String>,
    /// The error that kept the rest of the log from being read.
    pub broken: Option<Arc<io::Error>>,
}

impl Counts {
    /// Lines that are sent.
    #[must_use]
    pub fn to_send(&self) -> u64 {
        self.lines - self.blank - self.filtered - self.skipped()
    }

    /// Lines that are not sent for a reason.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped.values().map(|(number, _)| number).sum()
    }

    /// What is reported of these lines. `sent` requests were taken by sessions, and `left_out` have no server with an address.
    #[must_use]
    pub fn report(&self, name: &str, sent: u64, left_out: u64) -> LogReplay {
        let reason = |(why, (lines, first)): (&Skipped, &(u64, u64))| NotUnderstood {
            reason: why.to_string(),
            lines: *lines,
            first: *first,
        };
        LogReplay {
            name: name.to_owned(),
            lines: self.lines,
            sent,
            filtered: self.filtered,
            blank: self.blank,
            without_address: left_out,
            not_sent: self.to_send().saturating_sub(sent + left_out),
            not_understood: self.skipped.iter().map(reason).collect(),
            broken: self.broken.as_ref().map(ToString::to_string),
            timing: None,
        }
    }

    fn skip(&mut self, why: Skipped) {
        let number = self.lines;
        self.skipped.entry(why).or_insert((0, number)).0 += 1;
    }
}

/// An access log that is being read.
pub struct Log {
    lines: Box<dyn BufRead + Send>,
    format: Option<Format>,
    filter: Filter,
    destinations: Destinations,
    /// Read, and part of the next part.
    next: Option<Call>,
    archive: Option<Archive>,
    counts: Counts,
}

impl Log {
    /// Begins to read a log. Data in gzip format is unpacked. Without a format, the first line decides.
    ///
    /// # Errors
    /// When it cannot be read or is empty.
    pub fn new(
        input: Box<dyn Read + Send>,
        format: Option<Format>,
        filter: Filter,
        destinations: Destinations,
    ) -> Result<Self, LogError> {
        let mut lines: Box<dyn BufRead + Send> = Box::new(BufReader::with_capacity(BUFFER_BYTES, input));
        if lines.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
            lines = Box::new(BufReader::with_capacity(BUFFER_BYTES, MultiGzDecoder::new(lines)));
        }
        if lines.fill_buf()?.is_empty() {
            return Err(LogError::Empty);
        }
        Ok(Self { lines, format, filter, destinations, next: None, archive: None, counts: Counts::default() })
    }

    /// What became of the lines read so far.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The requests of the next part of the log, ordered by time; `None` at its end.
    pub fn part(&mut self) -> Option<Vec<Call>> {
        let first = self.next.take().or_else(|| self.call())?;
        let until = first.at_ns.saturating_add(PART_SPAN.as_nanos() as i64);
        let mut bytes = first.size_bytes();
        let mut part = vec![first];
        while let Some(call) = self.call() {
            bytes += call.size_bytes();
            let ends =
                part.len() >= PART_REQUESTS && part.last().is_some_and(|last| last.at_ns != call.at_ns);
            let is_full = part.len() >= 2 * PART_REQUESTS || bytes > PART_BYTES;
            if ends || is_full || call.at_ns > until {
                self.next = Some(call);
                break;
            }
            part.push(call);
        }
        part.sort_by_key(|call| call.at_ns);
        spread(&mut part);
        Some(part)
    }

    /// The next request that is sent.
    fn call(&mut self) -> Option<Call> {
        loop {
            let entry = match self.entry()? {
                Ok(entry) if self.filter.passes(&entry) => entry,
                Ok(_) => {
                    self.counts.filtered += 1;
                    continue;
                }
                Err(why) => {
                    self.counts.skip(why.into());
                    continue;
                }
            };
            let target = entry.target.clone();
            match self.destinations.call(entry) {
                Ok(call) => return Some(call),
                Err(why) => {
                    self.counts.skip(why);
                    if why == Skipped::NoServer && self.counts.without_server.is_none() {
                        self.counts.without_server = Some(target);
                    }
                }
            }
        }
    }

    /// The next entry, which is counted as a line; `None` at the end of the log.
    fn entry(&mut self) -> Option<Result<Entry, Unreadable>> {
        if self.archive.is_some() {
            return self.archived();
        }
        let line = self.line()?;
        if self.format.is_none() {
            self.format = Format::of(&line);
        }
        if self.format == Some(Format::Har) {
            let rest = std::mem::replace(&mut self.lines, Box::new(io::empty()));
            self.lines = Box::new(io::Cursor::new(line).chain(rest));
            self.archive = Some(Archive::default());
            return self.archived();
        }
        if line.len() as u64 >= LINE_BYTES && !line.ends_with(b"\n") {
            self.skip_line();
        }
        self.counts.lines += 1;
        Some(self.format.map_or(Err(Unreadable::Format), |format| format.read(line.trim_ascii_end())))
    }

    /// The next entry of the archive.
    fn archived(&mut self) -> Option<Result<Entry, Unreadable>> {
        match self.archive.as_mut()?.next(&mut self.lines) {
            Ok(entry) => {
                self.counts.lines += u64::from(entry.is_some());
                entry
            }
            Err(error) => {
                self.counts.broken = Some(Arc::new(error));
                None
            }
        }
    }

    /// The next line that is not blank; blank ones are counted.
    fn line(&mut self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            match self.lines.by_ref().take(LINE_BYTES).read_until(b'\n', &mut bytes) {
                Ok(0) => return None,
                Ok(_) if bytes.iter().all(u8::is_ascii_whitespace) => {
                    self.counts.lines += 1;
                    self.counts.blank += 1;
                }
                Ok(_) => return Some(bytes),
                Err(error) => {
                    self.counts.broken = Some(Arc::new(error));
                    return None;
                }
            }
        }
    }

    /// Skips the rest of a line.
    fn skip_line(&mut self) {
        if let Err(error) = self.lines.skip_until(b'\n') {
            self.counts.broken = Some(Arc::new(error));
        }
    }
}

/// Spreads the requests of one second evenly over it, where the log has a resolution of one second: they were not all sent at
/// its beginning.
fn spread(part: &mut [Call]) {
    for second in part.chunk_by_mut(|a, b| a.at_ns == b.at_ns) {
        let each = 1_000_000_000 / second.len() as i64;
        for (number, call) in (0..).zip(second) {
            if call.whole_second {
                call.at_ns += number * each;
            }
        }
    }
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
