//! Buffered output, and the log entries of the responses in it.

use crate::log::Open;

/// The output buffer. Responses to pipelined requests are collected and written together.
#[derive(Debug, Default)]
pub(crate) struct Output {
    bytes: Vec<u8>,
    /// Entries of complete responses in the buffer.
    whole: Vec<Open>,
    /// The entry of the response that is being added.
    current: Option<Open>,
}

impl Output {
    /// Starts a response, with its entry if there is a log.
    pub(crate) fn begin(&mut self, entry: Option<Open>) {
        self.current = entry;
    }

    /// Adds bytes of the current response.
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if let Some(open) = &mut self.current {
            open.entry.bytes += bytes.len() as u64;
        }
    }

    /// Completes the current response.
    pub(crate) fn end(&mut self) {
        self.whole.extend(self.current.take());
    }

    /// Records the size of the upload in the current entry.
    pub(crate) fn received(&mut self, bytes: u64) {
        // An early response may have been written already, with its entry.
        for open in self.current.iter_mut().chain(self.whole.last_mut()) {
            open.entry.received = bytes;
        }
    }

    /// Returns whether the buffer should be written before more is added.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes.len() >= FULL
    }

    /// Returns whether there is nothing to write and nothing to log.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.whole.is_empty()
    }

    /// Returns whether the times of the writes are needed for the log.
    pub(crate) fn is_logged(&self) -> bool {
        self.current.is_some() || !self.whole.is_empty()
    }

    /// Returns the bytes to write.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Records the start of a write.
    pub(crate) fn leaving(&mut self, now_ns: u64) {
        for open in self.whole.iter_mut().chain(&mut self.current) {
            if open.entry.first_byte_ns == 0 && open.entry.bytes > 0 {
                open.entry.first_byte_ns = now_ns;
            }
        }
    }

    /// Records the end of a write at `now_ns` and logs the complete responses.
    pub(crate) fn left(&mut self, now_ns: u64) {
        for open in &mut self.whole {
            open.entry.left_ns = now_ns;
        }
        self.whole.clear();
        self.bytes.clear();
        // Ten thousand idle connections must not keep the memory of their largest response.
        if self.bytes.capacity() > KEPT {
            self.bytes = Vec::new();
        }
    }
}

const FULL: usize = 64 << 10;
const KEPT: usize = 16 << 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{Entry, Log};

    #[test]
    fn responses_in_one_write_have_the_same_times() {
        let log = Log::open(None, true).unwrap().unwrap();
        let open = |request| Some(Open::new(&log, Entry { request, ..Entry::default() }));
        let mut output = Output::default();
        output.begin(open(1));
        output.put(b"one");
        output.end();
        output.begin(open(2));
        output.put(b"tw");
        output.leaving(10);
        output.left(11);
        assert_eq!(log.kept().len(), 1, "the second is not complete");
        output.put(b"o");
        output.end();
        output.leaving(20);
        output.left(21);
        let stamps: Vec<_> =
            log.kept().iter().map(|e| (e.request, e.first_byte_ns, e.left_ns, e.bytes)).collect();
        assert_eq!(stamps, [(1, 10, 11, 3), (2, 10, 21, 3)]);
    }

    #[test]
    fn an_unsent_response_is_logged_as_such() {
        let log = Log::open(None, true).unwrap().unwrap();
        let mut output = Output::default();
        output.begin(Some(Open::new(&log, Entry::default())));
        output.put(b"half");
        drop(output);
        assert_eq!((log.kept()[0].first_byte_ns, log.kept()[0].left_ns), (0, 0));
    }
}
