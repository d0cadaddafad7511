//! The program against real servers: starts both, reads what the program says, ends both.
//!
//! For tests only. It sees the program as a user does: words in, text and an exit code out.
#![forbid(unsafe_code)]
