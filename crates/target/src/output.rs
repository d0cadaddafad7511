//! Bytes to be written in one go, and the log entries of the replies they belong to.

use crate::log::Open;

/// What waits to be written. Replies to pipelined requests gather here and leave together.
#[derive(Debug, Default)]
pub(crate) struct Output {
    bytes: Vec<u8>,
    /// Entries of replies that are here as a whole.
    whole: Vec<Open>,
    /// The entry of the reply that is being put here.
    current: Option<Open>,
}

impl Output {
    /// A reply begins, with its entry when there is a log.
    pub(crate) fn begin(&mut self, entry: Option<Open>) {
        self.current = entry;
    }

    /// The next bytes of the present reply.
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if let Some(open) = &mut self.current {
            open.entry.bytes += bytes.len() as u64;
        }
    }

    /// The present reply is whole.
    pub(crate) fn end(&mut self) {
        self.whole.extend(self.current.take());
    }

    /// Notes in the present entry how much upload came.
    pub(crate) fn received(&mut self, bytes: u64) {
        // An early reply may have left, and its entry with it.
        for open in self.current.iter_mut().chain(self.whole.last_mut()) {
            open.entry.received = bytes;
        }
    }

    /// Whether it is time to write before more is put here.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes.len() >= FULL
    }

    /// Whether there is nothing to write and nothing to log.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.whole.is_empty()
    }

    /// Whether anybody wants to know when what left.
    pub(crate) fn is_logged(&self) -> bool {
        self.current.is_some() || !self.whole.is_empty()
    }

    /// The bytes to write.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The write begins at `now_ns`.
    pub(crate) fn leaving(&mut self, now_ns: u64) {
        for open in self.whole.iter_mut().chain(&mut self.current) {
            if open.entry.first_byte_ns == 0 && open.entry.bytes > 0 {
                open.entry.first_byte_ns = now_ns;
            }
        }
    }

    /// All bytes were written by `now_ns`; the replies that are whole go to the log.
    pub(crate) fn left(&mut self, now_ns: u64) {
        for open in &mut self.whole {
            open.entry.left_ns = now_ns;
        }
        self.whole.clear();
        self.bytes.clear();
        // Ten thousand idle connections must not each keep what their largest reply needed.
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
    fn replies_that_leave_together_are_stamped_together() {
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
        assert_eq!(log.kept().len(), 1, "the second is not whole yet");
        output.put(b"o");
        output.end();
        output.leaving(20);
        output.left(21);
        let stamps: Vec<_> =
            log.kept().iter().map(|e| (e.request, e.first_byte_ns, e.left_ns, e.bytes)).collect();
        assert_eq!(stamps, [(1, 10, 11, 3), (2, 10, 21, 3)]);
    }

    #[test]
    fn a_reply_that_never_left_says_so() {
        let log = Log::open(None, true).unwrap().unwrap();
        let mut output = Output::default();
        output.begin(Some(Open::new(&log, Entry::default())));
        output.put(b"half");
        drop(output);
        assert_eq!((log.kept()[0].first_byte_ns, log.kept()[0].left_ns), (0, 0));
    }
}
