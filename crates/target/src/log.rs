//! The log of all requests with their times: the reference for the measurements of a client.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One request. Times are nanoseconds of `CLOCK_MONOTONIC`; 0 means that the event did not occur.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Number of the request, from 1, in order of arrival.
    pub request: u64,
    /// Number of its connection, from 1, in order of acceptance.
    pub connection: u64,
    /// `GET`, `HEAD`, `POST`, `PUT`, `CONNECT`, or `OTHER`.
    pub method: &'static str,
    /// The request target as sent, truncated to 1024 bytes.
    pub path: Box<str>,
    /// Time after the read that completed the head.
    pub arrived_ns: u64,
    /// Time before the write of the first byte of the response.
    pub first_byte_ns: u64,
    /// Time after the write of the last byte that was to be sent (with a fault, of the part that the fault left); 0 if it was not
    /// written.
    pub left_ns: u64,
    /// Status of the response, 0 without one.
    pub status: u16,
    /// Bytes of the response passed to the socket, including head and framing.
    pub bytes: u64,
    /// Bytes of the upload received, without framing.
    pub received: u64,
    /// The injected fault, or empty.
    pub fault: &'static str,
}

/// The header line of the CSV.
pub const CSV_HEADER: &str =
    "request,connection,method,path,arrived_ns,first_byte_ns,left_ns,status,bytes,received,fault";

impl Entry {
    fn write_csv(&self, out: &mut impl Write) -> io::Result<()> {
        write!(out, "{},{},{},", self.request, self.connection, self.method)?;
        // RFC 4180: a field with a comma or a quote is quoted, and a quote in it doubled.
        if self.path.contains([',', '"']) {
            write!(out, "\"{}\"", self.path.replace('"', "\"\""))?;
        } else {
            out.write_all(self.path.as_bytes())?;
        }
        writeln!(
            out,
            ",{},{},{},{},{},{},{}",
            self.arrived_ns,
            self.first_byte_ns,
            self.left_ns,
            self.status,
            self.bytes,
            self.received,
            self.fault
        )
    }
}

/// Writes entries to a file, to memory, or both.
#[derive(Debug)]
pub(crate) struct Log {
    file: Option<Mutex<BufWriter<File>>>,
    memory: Option<Mutex<VecDeque<Entry>>>,
}

impl Log {
    /// Opens a log to `file`, and to memory if `keep` is set; `None` if neither is requested.
    pub(crate) fn open(file: Option<&Path>, keep: bool) -> io::Result<Option<Arc<Self>>> {
        if file.is_none() && !keep {
            return Ok(None);
        }
        let file = match file {
            Some(path) => {
                let mut writer = BufWriter::with_capacity(BUFFER_BYTES, File::create(path)?);
                writeln!(writer, "{CSV_HEADER}")?;
                Some(Mutex::new(writer))
            }
            None => None,
        };
        Ok(Some(Arc::new(Self { file, memory: keep.then(Mutex::default) })))
    }

    /// Returns the entries in memory, in the order of completion.
    pub(crate) fn kept(&self) -> Vec<Entry> {
        self.memory.as_ref().map(|memory| lock(memory).iter().cloned().collect()).unwrap_or_default()
    }

    /// Flushes buffered entries to the file.
    pub(crate) fn flush(&self) -> io::Result<()> {
        self.file.as_ref().map_or(Ok(()), |file| lock(file).flush())
    }

    fn write(&self, entry: Entry) {
        if let Some(file) = &self.file {
            // A full disk must not stop the server; the final flush reports the error.
            drop(entry.write_csv(&mut *lock(file)));
        }
        if let Some(memory) = &self.memory {
            let mut entries = lock(memory);
            if entries.len() == MOST_KEPT {
                entries.pop_front();
            }
            entries.push_back(entry);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

const BUFFER_BYTES: usize = 256 << 10;
/// A few hundred mebibytes of entries; the oldest are dropped beyond that.
const MOST_KEPT: usize = 2_000_000;

/// An incomplete entry. It is logged when it is dropped, regardless of how the request ended.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) entry: Entry,
    log: Arc<Log>,
}

impl Open {
    pub(crate) fn new(log: &Arc<Log>, entry: Entry) -> Self {
        Self { entry, log: Arc::clone(log) }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.log.write(std::mem::take(&mut self.entry));
    }
}

/// Maximum logged length of a request target.
pub(crate) const LONGEST_PATH: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_line_of_csv() {
        let entry = Entry {
            request: 1,
            connection: 2,
            method: "GET",
            path: "/a,\"b\"".into(),
            arrived_ns: 3,
            first_byte_ns: 4,
            left_ns: 5,
            status: 200,
            bytes: 6,
            received: 7,
            fault: "short",
        };
        let mut line = Vec::new();
        entry.write_csv(&mut line).unwrap();
        assert_eq!(String::from_utf8(line).unwrap(), "1,2,GET,\"/a,\"\"b\"\"\",3,4,5,200,6,7,short\n");
        assert_eq!(CSV_HEADER.split(',').count(), 11);
    }

    #[test]
    fn an_entry_is_logged_regardless_of_how_the_request_ends() {
        let log = Log::open(None, true).unwrap().unwrap();
        drop(Open::new(&log, Entry { request: 9, ..Entry::default() }));
        assert_eq!(log.kept()[0].request, 9);
    }
}
