//! Where a classic prints while its run is going on.

/// The two output streams, as the program has them. Errors are the program's to handle.
pub trait Console: Sync {
    /// Writes to standard output.
    fn stdout(&self, bytes: &[u8]);

    /// Writes to standard error.
    fn stderr(&self, text: &str);
}

/// What one worker has printed since it last wrote it out. Writes out the rest when it is dropped.
pub(crate) struct Buffer<'a> {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    console: &'a dyn Console,
}

/// A buffer is written out as soon as it holds this many bytes.
const FULL: usize = 65_536;

impl<'a> Buffer<'a> {
    pub(crate) fn new(console: &'a dyn Console) -> Self {
        Self { stdout: Vec::new(), stderr: String::new(), console }
    }

    /// Writes everything out if there is a lot of it.
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
