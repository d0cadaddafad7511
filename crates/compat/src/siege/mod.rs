//! `siege`, from 1.00 to 4.1 (Fulmer).
//!
//! [`parse`] turns a command line into a [`Classic`]: the plan of the run and the [`Style`] of its output. It reads files
//! (rc file, URL list, data of POSTs) through a [`World`]. `cli` calls it, runs the plan, and prints the report.

mod counts;
mod csv;
mod dialect;
mod exchange;
mod ftp;
mod getopt;
mod jars;
mod lines;
mod list;
mod log;
mod notices;
mod number;
mod observer;
mod options;
mod planning;
mod rc;
mod report;
mod settings;
mod style;
mod texts;
mod time;
mod url;
mod variables;
mod world;

pub use counts::{Call, CallCounter, Counts, End};
pub use csv::csv;
pub use dialect::parse;
pub use exchange::{Exchange, connecting, exchange, not_connected, unanswerable};
pub use ftp::{Ftp, Transfer, ftp_line};
pub use jars::{Given, Jars, Until};
pub use lines::{Line, line, trouble};
pub use log::{log_header, log_notice, log_rows, log_trouble};
pub use notices::{Ending, Output, fatal};
pub use observer::{Counter, Host, Siege, doubt, merge, time_of_the_original};
pub use report::{Finish, banner, report};
pub use settings::{Era, Login, template};
pub use style::{Classic, Log, Shown, Style};
pub use time::Moment;
pub use world::World;

#[cfg(test)]
use world::testing;
