//! siege's own output, captured, beside ours: endings without a run, requests as sent, lines, reports and logs.
//!
//! The captures in `tests/data/siege` are of Debian's 4.0.7 and of 4.1.7: for each run its command line, both streams, and for
//! some the requests as a server received them.

mod captures;
mod endings;
mod lines;
mod logs;
mod reports;
mod wire;
