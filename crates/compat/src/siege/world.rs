//! Access to files and the environment through a trait, so that translating a command line opens no files.

use std::io;
use std::path::Path;

/// Files, environment and clock.
pub trait World {
    /// Reads a file.
    ///
    /// # Errors
    /// The error of the system; its text appears in siege's notices.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Returns an environment variable.
    fn variable(&self, name: &str) -> Option<String>;

    /// Seconds since 1970.
    fn seconds(&self) -> u64;
}

/// Returns the C library's text of an error: the system's message without its number.
pub(super) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

#[cfg(test)]
pub(super) mod testing {
    use super::World;
    use std::collections::HashMap;
    use std::io;
    use std::path::{Path, PathBuf};

    /// A world in memory.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct Paper {
        files: HashMap<PathBuf, Vec<u8>>,
        variables: HashMap<String, String>,
    }

    impl Paper {
        pub(crate) fn with_file(mut self, path: &str, content: &str) -> Self {
            self.files.insert(path.into(), content.into());
            self
        }

        pub(crate) fn with_variable(mut self, name: &str, value: &str) -> Self {
            self.variables.insert(name.to_owned(), value.to_owned());
            self
        }
    }

    impl World for Paper {
        fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
            self.files.get(path).cloned().ok_or_else(|| io::Error::other("No such file or directory"))
        }

        fn variable(&self, name: &str) -> Option<String> {
            self.variables.get(name).cloned()
        }

        fn seconds(&self) -> u64 {
            // 2026-11-21.
            1_795_225_438
        }
    }
}
