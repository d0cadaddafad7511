//! Output of a classic during its run.

/// The two output streams of the program. The implementation handles write errors.
pub trait Console: Sync {
    /// Writes to standard output.
    fn stdout(&self, bytes: &[u8]);

    /// Writes to standard error.
    fn stderr(&self, text: &str);
}

/// Buffered output of one worker. Flushes when dropped.
pub(crate) struct Buffer<'a> {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    console: &'a dyn Console,
}

/// A buffer is flushed once it holds this many bytes.
const FULL: usize = 65_536;

impl<'a> Buffer<'a> {
    pub(crate) fn new(console: &'a dyn Console) -> Self {
        Self { stdout: Vec::new(), stderr: String::new(), console }
    }

    /// Flushes the buffer if it is full.
    pub(crate) fn flush_if_full(&mut self) {
        if self.stdout.len() + self.stderr.len() >= FULL {
            self.flush();
        }
    }

    pub(crate) fn flush(&mut self) {
        if !self.stdout.is_empty() {
            self.console.stdout(&self.stdout);
            self.stdout.clear();
        }
        if !self.stderr.is_empty() {
            self.console.stderr(&self.stderr);
            self.stderr.clear();
        }
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        self.flush();
    }
}
