//! The log file: a header when it is new, and a row for each run.

use super::counts::Counts;
use super::notices::{Level, Output, notice};
use super::report::{Figures, Finish, ratio};
use super::settings::Era;
use super::style::{Log, Style};
use super::time::Moment;

const HEADER: &str = "      Date & Time,  Trans,  Elap Time,  Data Trans,  Resp Time,  Trans Rate,  Throughput,  \
                      Concurrent,    OKAY,   Failed\n";

/// The two header rows of 1.00: the text of its manual above the columns of [`ancient`].
const HEADER_100: &str = "                           Elap         Data     Resp   Trans\n      \
                          Date & Time,  Trans,    Time,       Trans,   Time,    Rate,    Thruput,  Concur,  OKAY\n";

/// The maximum length of a mark's row.
const ROW: usize = 511;

/// Returns the header of a new log.
#[must_use]
pub fn log_header(style: &Style) -> &'static str {
    if style.era == Era::V100 { HEADER_100 } else { HEADER }
}

/// Returns the rows appended to the log after a run, at `now` local time.
#[must_use]
pub fn log_rows(style: &Style, counts: &Counts, finish: Finish, now: &Moment) -> String {
    let mark =
        style.log.as_ref().and_then(|log| log.mark.as_ref()).map(|mark| marked(mark)).unwrap_or_default();
    let row = match style.era {
        Era::V100 => ancient(counts, now),
        _ => modern(style.quirks, counts, now),
    };
    let abort = match finish {
        Finish::Aborted => marked("siege aborted due to excessive socket failure."),
        Finish::Done | Finish::Lifted => String::new(),
    };
    mark + &row + &abort
}

fn marked(text: &str) -> String {
    let room = ROW - "**** ".len() * 2 - 1;
    let mut end = text.len().min(room);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("**** {} ****\n", &text[..end])
}

fn modern(quirks: bool, counts: &Counts, now: &Moment) -> String {
    let figures = Figures::of(counts);
    // Whole megabytes, as in all versions.
    let megabytes = figures.megabytes.trunc();
    let (response, rate, throughput, concurrency) = if quirks {
        // The original divides whole megabytes, and divides by zero.
        let total = counts.total.as_secs_f64();
        let hits = figures.hits as f64;
        (total / hits, hits / figures.elapsed, megabytes / figures.elapsed, total / figures.elapsed)
    } else {
        (figures.response, figures.rate, figures.throughput, figures.concurrency)
    };
    format!(
        "{},{:7},{:11.2},{megabytes:12},{:>11},{:>12},{:>12},{:>12},{:8},{:8}\n",
        now.dashed(),
        figures.hits,
        figures.elapsed,
        as_in_c(response),
        as_in_c(rate),
        as_in_c(throughput),
        as_in_c(concurrency),
        figures.successful,
        figures.failed
    )
}

/// Formats two decimals, and NaN as the C library does.
fn as_in_c(value: f64) -> String {
    if value.is_nan() { "-nan".to_owned() } else { format!("{value:.2}") }
}

fn ancient(counts: &Counts, now: &Moment) -> String {
    let figures = Figures::of(counts);
    let bytes = counts.bytes + counts.head_bytes;
    let throughput = ratio(bytes as f64, figures.seconds);
    format!(
        "{}, {:6}, {:7.2}, {bytes:11}, {:6.2}, {:7.2}, {throughput:10.2}, {:7.2}, {:5}\n",
        now.short(),
        figures.hits,
        figures.elapsed,
        figures.response,
        figures.rate,
        figures.concurrency,
        figures.ok
    )
}

/// Returns the notice after the run about the location of the log, unless it is turned off.
#[must_use]
pub fn log_notice(style: &Style, log: &Log) -> Output {
    if !log.announced || style.era == Era::V100 {
        return Output::default();
    }
    let text = format!(
        "LOG FILE: {}\nYou can disable this log file notification by editing\n\
         {} and changing 'show-logfile' to false.\n",
        log.path.display(),
        style.rc
    );
    match style.era {
        Era::V417 => Output { stderr: text, ..Output::default() },
        _ => Output { stdout: text, ..Output::default() },
    }
}

/// Formats the error that the log cannot be written. The run is still successful.
#[must_use]
pub fn log_trouble(log: &Log, reason: &str) -> String {
    notice(Level::Error, &format!("unable to create log file: {}: {reason}", log.path.display()))
}
