//! An outcome as text, JSON, SARIF and JUnit XML.

use crate::finding::{Finding, Outcome};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// How an outcome is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// Everything, as JSON.
    Json,
    /// SARIF 2.1.0, for tools that collect findings.
    Sarif,
    /// JUnit XML, for continuous integration.
    Junit,
}

/// The longest spelling that a report for people shows whole.
const SHOWN_MAX: usize = 2_000;

/// The outcome in this format, with a line end at its end.
#[must_use]
pub fn render(outcome: &Outcome, format: Format, version: &str) -> String {
    match format {
        Format::Text => text(outcome),
        Format::Json => pretty(&serde_json::to_value(outcome).unwrap_or_default()),
        Format::Sarif => pretty(&sarif(outcome, version)),
        Format::Junit => junit(outcome),
    }
}

fn pretty(value: &Value) -> String {
    // What was made of strings and numbers can be written.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

fn text(outcome: &Outcome) -> String {
    let mut out = String::new();
    for (index, finding) in outcome.findings.iter().enumerate() {
        let _ = writeln!(out, "finding {}: {}", index + 1, finding.trouble);
        add_details(&mut out, outcome, finding);
    }
    let statuses: Vec<String> = outcome
        .statuses
        .iter()
        .map(
            |(status, times)| {
                if *status == 0 { format!("none {times}") } else { format!("{status} {times}") }
            },
        )
        .collect();
    let Outcome { requests, alone, seconds, sound_ms: (before, after), .. } = outcome;
    let _ = writeln!(
        out,
        "requests    {requests} under load, {alone} alone, in {seconds:.1} s; seed {}",
        outcome.subject.seed
    );
    let _ = writeln!(out, "statuses    {}", statuses.join(", "));
    let _ = writeln!(out, "sound       {before} ms before, {after} ms after");
    for doubt in &outcome.doubts {
        let _ = writeln!(
            out,
            "under load  {}: {} times, first with request {}; not when sent alone",
            doubt.trouble, doubt.times, doubt.number
        );
    }
    let how = if outcome.is_complete { "" } else { "; it ended early" };
    let _ = match outcome.findings.len() {
        0 => writeln!(out, "result      nothing found{how}"),
        1 => writeln!(out, "result      1 finding{how}"),
        many => writeln!(out, "result      {many} findings{how}"),
    };
    out
}

fn add_details(out: &mut String, outcome: &Outcome, finding: &Finding) {
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(out, "  {name:<8}  {value}");
    };
    if let Some((first, last)) = finding.suspects {
        line("suspects", &format!("requests {first} to {last}"));
    } else {
        let others = match finding.also {
            0 => String::new(),
            also => format!("; {also} more like it"),
        };
        line("from", &format!("request {} ({}){others}", finding.number, finding.traps.join(", ")));
        line("bytes", &format!("{}, after {} tries", finding.size_bytes, finding.tries));
        line("request", &shown(&finding.request));
        if !finding.answer.is_empty() {
            line("answer", &shown(&finding.answer));
        }
    }
    if finding.request.len() <= SHOWN_MAX {
        line("replay", &format!("warwolf {}", finding.replay(&outcome.subject)));
    } else {
        line("replay", "keep it with `-o FILE.json`, then `warwolf torture --replay FILE.json`");
    }
    if let Some(curl) = finding.curl(&outcome.subject).filter(|curl| curl.len() <= SHOWN_MAX) {
        line("curl", &curl);
    }
    out.push('\n');
}

/// A spelling, or its beginning; spellings are ASCII.
fn shown(spelling: &str) -> String {
    match spelling.get(..SHOWN_MAX) {
        Some(beginning) if spelling.len() > SHOWN_MAX => format!("{beginning}…"),
        _ => spelling.to_owned(),
    }
}

fn message(outcome: &Outcome, finding: &Finding) -> String {
    format!("{}; replay: warwolf {}", finding.trouble, finding.replay(&outcome.subject))
}

fn sarif(outcome: &Outcome, version: &str) -> Value {
    let rules: BTreeSet<&str> = outcome.findings.iter().map(|finding| finding.trouble.name()).collect();
    let rules: Vec<Value> = rules
        .into_iter()
        .map(|name| json!({ "id": name, "shortDescription": { "text": describe(name) } }))
        .collect();
    let results: Vec<Value> = outcome
        .findings
        .iter()
        .map(|finding| {
            json!({
                "ruleId": finding.trouble.name(),
                "level": "error",
                "message": { "text": message(outcome, finding) },
                "locations": [{ "physicalLocation": { "artifactLocation": { "uri": outcome.subject.url } } }],
                "occurrenceCount": finding.also + 1,
                "properties": {
                    "request": finding.request,
                    "original": finding.original,
                    "curl": finding.curl(&outcome.subject),
                    "seed": outcome.subject.seed,
                    "number": finding.number,
                },
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "warwolf torture", "version": version, "rules": rules } },
            "results": results,
        }],
    })
}

fn describe(name: &str) -> &'static str {
    match name {
        "server-error" => "A request is answered with a status of 500 or more",
        "hang" => "A complete request is not answered",
        "dropped" => "The connection is closed before a complete request is answered",
        "half-reply" => "An answer is not finished",
        "malformed-reply" => "What comes back is not HTTP",
        "tls" => "TLS ends in an alert",
        "down" => "The server takes no more connections",
        _ => "The server becomes slow and stays so",
    }
}

fn junit(outcome: &Outcome) -> String {
    let failures = outcome.findings.len();
    let tests = failures.max(1);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuite name=\"warwolf torture {}\" tests=\"{tests}\" failures=\"{failures}\" time=\"{:.3}\">",
        escaped(&outcome.subject.url),
        outcome.seconds
    );
    for (index, finding) in outcome.findings.iter().enumerate() {
        let _ = writeln!(
            out,
            "  <testcase classname=\"torture\" name=\"{} {}\">\n    <failure message=\"{}\">{}</failure>\n  </testcase>",
            finding.trouble.name(),
            index + 1,
            escaped(&finding.trouble.to_string()),
            escaped(&message(outcome, finding))
        );
    }
    if outcome.findings.is_empty() {
        out.push_str("  <testcase classname=\"torture\" name=\"nothing found\"/>\n");
    }
    out + "</testsuite>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Doubt, Subject, from_json};
    use crate::trouble::Trouble;

    fn outcome() -> Outcome {
        let finding = Finding {
            trouble: Trouble::ServerError(500),
            number: 17,
            traps: vec!["long-query".to_owned()],
            request: r"GET /?\{a*8193}&< HTTP/1.0\r\n\r\n".to_owned(),
            original: "GET /".to_owned(),
            size_bytes: 8_212,
            tries: 31,
            also: 2,
            suspects: None,
            answer: r"HTTP/1.1 500 Oh".to_owned(),
        };
        let slow = Finding {
            trouble: Trouble::Slower,
            request: String::new(),
            suspects: Some((5, 9)),
            ..finding.clone()
        };
        Outcome {
            subject: Subject {
                url: "http://a.test/".to_owned(),
                origin: "http://a.test".to_owned(),
                authority: "a.test".to_owned(),
                seed: 4,
                extra: String::new(),
                seeded: String::new(),
            },
            requests: 100,
            statuses: vec![(0, 3), (200, 97)],
            alone: 40,
            seconds: 1.25,
            sound_ms: (0.2, 0.3),
            findings: vec![finding, slow],
            doubts: vec![Doubt { trouble: Trouble::Hang, times: 2, number: 8 }],
            is_complete: true,
        }
    }

    #[test]
    fn text_has_one_line_that_reproduces() {
        let text = render(&outcome(), Format::Text, "1");
        for expected in [
            "finding 1: status 500\n",
            "  replay    warwolf torture 'http://a.test/' --replay 'GET /?\\{a*8193}&< HTTP/1.0\\r\\n\\r\\n'\n",
            "  curl      curl -sSig ",
            "  replay    warwolf torture 'http://a.test/' --seed 4 --first 5 -n 5\n",
            "under load  no answer: 2 times, first with request 8; not when sent alone\n",
            "statuses    none 3, 200 97\n",
            "result      2 findings\n",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }

    #[test]
    fn json_is_read_back() {
        let outcome = outcome();
        assert_eq!(from_json(&render(&outcome, Format::Json, "1")), Ok(outcome));
        assert!(from_json("{}").is_err());
    }

    #[test]
    fn sarif_names_rules_and_results() {
        let sarif: Value = serde_json::from_str(&render(&outcome(), Format::Sarif, "1")).unwrap();
        let run = &sarif["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 2);
        assert_eq!(run["results"][0]["ruleId"], "server-error");
        assert_eq!(run["results"][0]["occurrenceCount"], 3);
    }

    #[test]
    fn junit_fails_a_case_for_each_finding_and_passes_one_for_none() {
        let xml = render(&outcome(), Format::Junit, "1");
        assert!(xml.contains("tests=\"2\" failures=\"2\"") && xml.contains("&amp;&lt; HTTP"), "{xml}");
        let clean = Outcome { findings: Vec::new(), ..outcome() };
        assert!(render(&clean, Format::Junit, "1").contains("tests=\"1\" failures=\"0\""));
    }
}
