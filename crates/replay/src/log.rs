//! An access log as parts of some seconds: unpacked, filtered, counted; never all of it in memory.

use crate::{Call, Destinations, Filter};
use flate2::read::MultiGzDecoder;
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::time::Duration;
use warwolf_accesslog::{Entry, Format, Unreadable, har};

/// Limits of a part: its requests, and the time it spans.
const PART_REQUESTS: usize = 20_000;
const PART_SPAN: Duration = Duration::from_secs(30);
/// Limit of a line in bytes; a longer line is not a request.
const LINE_BYTES: u64 = 1 << 20;
/// Limit of an HTTP archive in bytes. It is one JSON value, which takes about 36 times its size in memory.
const ARCHIVE_BYTES: u64 = 64 << 20;
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
    /// Lines, or entries of an archive.
    pub lines: u64,
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
    /// Lines that are not sent for a reason.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped.values().map(|(number, _)| number).sum()
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
    archive: std::vec::IntoIter<Result<Entry, Unreadable>>,
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
        Ok(Self {
            lines,
            format,
            filter,
            destinations,
            next: None,
            archive: Vec::new().into_iter(),
            counts: Counts::default(),
        })
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
        let mut part = vec![first];
        while let Some(call) = self.call() {
            let ends =
                part.len() >= PART_REQUESTS && part.last().is_some_and(|last| last.at_ns != call.at_ns);
            if ends || part.len() >= 2 * PART_REQUESTS || call.at_ns > until {
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

    fn entry(&mut self) -> Option<Result<Entry, Unreadable>> {
        if let Some(entry) = self.archive.next() {
            self.counts.lines += 1;
            return Some(entry);
        }
        let line = self.line()?;
        if self.format.is_none() {
            self.format = Format::of(&line);
        }
        match self.format {
            Some(Format::Har) => self.archive(line),
            format => {
                self.counts.lines += 1;
                Some(format.map_or(Err(Unreadable::Format), |format| format.read(&line)))
            }
        }
    }

    /// Reads the archive that begins with `text`; returns its first entry.
    fn archive(&mut self, mut text: String) -> Option<Result<Entry, Unreadable>> {
        if let Err(error) = self.lines.by_ref().take(ARCHIVE_BYTES).read_to_string(&mut text) {
            self.counts.broken = Some(Arc::new(error));
        }
        if text.len() as u64 >= ARCHIVE_BYTES {
            let limit = format!("an HTTP archive of more than {} MiB", ARCHIVE_BYTES >> 20);
            self.counts.broken = Some(Arc::new(io::Error::other(limit)));
            // The rest of the value would be taken for another archive.
            self.lines = Box::new(io::empty());
        }
        self.counts.lines += 1;
        match har(&text) {
            Ok(entries) => {
                self.archive = entries.into_iter();
                self.archive.next()
            }
            Err(why) => Some(Err(why)),
        }
    }

    /// The next line that is not blank.
    fn line(&mut self) -> Option<String> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            match self.lines.by_ref().take(LINE_BYTES).read_until(b'\n', &mut bytes) {
                Ok(0) => return None,
                Ok(_) if bytes.iter().all(u8::is_ascii_whitespace) => {}
                Ok(_) => {
                    return Some(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned());
                }
                Err(error) => {
                    self.counts.broken = Some(Arc::new(error));
                    return None;
                }
            }
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
