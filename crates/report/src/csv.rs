//! Renders one line per interval, warm-up included, and of plans with steps tables of these. Times and latencies are in whole
//! nanoseconds.

use crate::Report;
use crate::layout::accounting;
use std::fmt::Write;
use warwolf_measure::IntervalFigures;

const HEADER: &str = "start_ns,end_ns,measured,planned,started,completed,failed,timed_out,unfinished,unstarted,errors,\
                      rate_per_s,reply_bytes,max_in_flight,latency_mean_ns,latency_p50_ns,latency_p90_ns,latency_p99_ns,\
                      latency_max_ns,lag_p99_ns\n";

pub(crate) fn render(report: &Report<'_>) -> String {
    let mut out = HEADER.to_owned();
    report.summary.intervals.iter().for_each(|interval| row(&mut out, interval));
    // Writing to a string cannot fail.
    let _ = crate::steps::write_csv(&mut out, &report.summary);
    out
}

fn row(out: &mut String, interval: &IntervalFigures) {
    let span = [interval.start.as_nanos(), interval.end.as_nanos(), u64::from(interval.measured)];
    let numbers = span.into_iter().chain(accounting(&interval.accounting)).chain([interval.errors]);
    let known = |number: Option<u64>| number.map_or_else(String::new, |number| number.to_string());
    let mut fields: Vec<String> = numbers.map(|number| number.to_string()).collect();
    fields.push(format!("{:.3}", interval.rate_per_s));
    fields.push(interval.reply_bytes.to_string());
    fields.push(interval.max_in_flight.to_string());
    fields.push(known(interval.latency_mean_ns.map(|mean| mean.round() as u64)));
    fields.extend((0..4).map(|place| known(interval.latency_ns.map(|latency| latency[place]))));
    fields.push(known(interval.lag_p99_ns));
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{}", fields.join(","));
}

#[cfg(test)]
mod tests {
    use crate::{Format, Report, fixture};

    #[test]
    fn a_line_for_each_interval() {
        let run = fixture::small();
        let text = Report::of(&run).render(Format::Csv, false);
        let expected = "\
start_ns,end_ns,measured,planned,started,completed,failed,timed_out,unfinished,unstarted,errors,rate_per_s,reply_bytes,max_in_flight,latency_mean_ns,latency_p50_ns,latency_p90_ns,latency_p99_ns,latency_max_ns,lag_p99_ns
0,1000000000,1,4,3,1,1,0,1,1,1,1.000,110,3,1000000,1000000,1000000,1000000,1000000,0
1000000000,2000000000,1,0,0,0,0,0,0,0,0,0.000,0,0,,,,,,
";
        assert_eq!(text, expected);
    }
}
