//! The lines of a replayed log, and how closely its times were kept.

use crate::layout::printable;
use crate::unit::{count, counted, duration};
use serde_json::{Value, json};
use warwolf_measure::LogReplay;

/// The counts of lines in one sentence.
#[must_use]
pub fn lines(replay: &LogReplay) -> String {
    let mut text = format!(
        "{}: {} sent, {} filtered out, {} not understood",
        counted(replay.lines, "line"),
        count(replay.sent),
        count(replay.filtered),
        count(replay.not_understood())
    );
    for (number, what) in [
        (replay.blank, "blank"),
        (replay.without_address, "to servers without an address"),
        (replay.not_sent, "not sent before the stop"),
    ] {
        if number > 0 {
            text += &format!(", {} {what}", count(number));
        }
    }
    text
}

/// What else is to be known about the lines, one sentence each.
#[must_use]
pub fn notes(replay: &LogReplay) -> Vec<String> {
    let reason = |reason: &warwolf_measure::NotUnderstood| {
        format!(
            "{}: {}, first in line {}",
            printable(&reason.reason),
            count(reason.lines),
            count(reason.first)
        )
    };
    let mut notes: Vec<String> = replay.not_understood.iter().map(reason).collect();
    notes.extend(replay.broken.iter().map(|why| format!("the rest could not be read: {}", printable(why))));
    if let Some(timing) = &replay.timing {
        let time = |ns: u64| duration(ns as f64);
        notes.push(format!(
            "timing: half of the starts within {} of the log's times, 99 % within {}, all within {}",
            time(timing.half_ns),
            time(timing.most_ns),
            time(timing.all_ns)
        ));
    }
    notes
}

/// The part of a JSON report.
pub(crate) fn json(replay: &LogReplay) -> Value {
    let reasons = replay.not_understood.iter();
    let reasons: Vec<Value> = reasons
        .map(|reason| json!({ "reason": reason.reason, "lines": reason.lines, "first": reason.first }))
        .collect();
    json!({
        "log": replay.name,
        "lines": replay.lines,
        "sent": replay.sent,
        "filtered": replay.filtered,
        "blank": replay.blank,
        "without_address": replay.without_address,
        "not_sent": replay.not_sent,
        "not_understood": replay.not_understood(),
        "reasons": reasons,
        "broken": replay.broken,
        "timing": replay.timing.map(|timing| {
            json!({ "p50_ns": timing.half_ns, "p99_ns": timing.most_ns, "max_ns": timing.all_ns })
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Report, fixture};
    use warwolf_measure::{LogTiming, NotUnderstood, Run};

    #[test]
    fn every_report_contains_the_lines_and_the_timing() {
        let replay = LogReplay {
            name: "access.log".to_owned(),
            lines: 1_010,
            sent: 1_000,
            filtered: 4,
            blank: 3,
            not_sent: 1,
            not_understood: vec![NotUnderstood { reason: "no <time>".to_owned(), lines: 2, first: 7 }],
            timing: Some(LogTiming { half_ns: 60_000, most_ns: 1_200_000, all_ns: 40_000_000 }),
            ..LogReplay::default()
        };
        assert!(replay.adds_up());
        let run = Run { replay: Some(replay), ..fixture::steady() };
        let report = Report::of(&run);
        for (format, reason) in
            [(Format::Text, "no <time>: 2"), (Format::Markdown, "time"), (Format::Html, "no &lt;time&gt;: 2")]
        {
            let text = report.render(format, false);
            for part in [reason, "access.log", "1,010", "99 % within 1.20 ms", "not sent before the stop"] {
                assert!(text.contains(part), "{part}: {text}");
            }
        }
        let page = report.render(Format::Html, false);
        assert!(!page.contains("warwolf run --plan") && !page.contains("The whole plan"));
        let schema = serde_json::from_str(include_str!("../schema/report-1.json")).unwrap();
        let json: Value = serde_json::from_str(&report.render(Format::Json, false)).unwrap();
        let errors: Vec<_> =
            jsonschema::validator_for(&schema).unwrap().iter_errors(&json).map(|e| e.to_string()).collect();
        assert_eq!((errors, &json["replay"]["timing"]["p50_ns"]), (Vec::<String>::new(), &60_000.into()));
    }
}
