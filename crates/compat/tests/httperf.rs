//! The original's captured runs: what it was told, what it said, and what ours says to the same.
//!
//! Each capture is a command line, both streams and an exit code. The command line must be understood as the original
//! understood it, and its report must be printed again, byte for byte, from its own numbers.

mod httperf {
    pub(crate) mod capture;
    mod commands;
    mod reports;
}
