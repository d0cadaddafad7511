//! Renders an outcome as text, JSON, SARIF or JUnit XML.

use crate::finding::{Finding, Outcome};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Plain text.
    Text,
    /// All data as JSON.
    Json,
    /// SARIF 2.1.0, for tools that collect findings.
    Sarif,
    /// JUnit XML, for continuous integration.
    Junit,
}

/// Maximum length of a spelling in the text report.
const SHOWN_MAX: usize = 2_000;

/// Renders the outcome in this format, with a final line end.
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
    // Values of strings and numbers can always be serialized.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

fn text(outcome: &Outcome) -> String {
    let mut out = String::new();
    for (index, finding) in outcome.findings.iter().enumerate() {
        let _ = writeln!(out, "finding {}: {}", index + 1, finding.failure);
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
    let Outcome { requests, alone, seconds, baseline_ms: (before, after), .. } = outcome;
    let _ = writeln!(
        out,
        "requests    {requests} under load, {alone} alone, in {seconds:.1} s; seed {}",
        outcome.subject.seed
    );
    let _ = writeln!(out, "statuses    {}", statuses.join(", "));
    let _ = writeln!(out, "baseline    {before} ms before, {after} ms after");
    for unconfirmed in &outcome.unconfirmed {
        let _ = writeln!(
            out,
            "under load  {}: {} times, first with request {}; not reproduced alone",
            unconfirmed.failure, unconfirmed.times, unconfirmed.number
        );
    }
    if outcome.reset_refusals > 0 {
        let _ = writeln!(
            out,
            "note        {} refusals ended with a reset, because the server closed with bytes of the request unread",
            outcome.reset_refusals
        );
    }
    if outcome.restarts > 0 {
        let _ = writeln!(out, "restarts    {}", outcome.restarts);
    }
    let how = if outcome.is_complete { "" } else { "; ended early" };
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
            1 => "; 1 similar request".to_owned(),
            also => format!("; {also} similar requests"),
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
        line("replay", "store the result with `-o FILE.json`, then run `warwolf torture --replay FILE.json`");
    }
    if let Some(curl) = finding.curl(&outcome.subject).filter(|curl| curl.len() <= SHOWN_MAX) {
        line("curl", &curl);
    }
    out.push('\n');
}

/// Truncates a long spelling; spellings are ASCII.
fn shown(spelling: &str) -> String {
    match spelling.get(..SHOWN_MAX) {
        Some(beginning) if spelling.len() > SHOWN_MAX => format!("{beginning}…"),
        _ => spelling.to_owned(),
    }
}

fn message(outcome: &Outcome, finding: &Finding) -> String {
    format!("{}; replay: warwolf {}", finding.failure, finding.replay(&outcome.subject))
}

fn sarif(outcome: &Outcome, version: &str) -> Value {
    let rules: BTreeSet<&str> = outcome.findings.iter().map(|finding| finding.failure.name()).collect();
    let rules: Vec<Value> = rules
        .into_iter()
        .map(|name| json!({ "id": name, "shortDescription": { "text": describe(name) } }))
        .collect();
    let results: Vec<Value> = outcome
        .findings
        .iter()
        .map(|finding| {
            json!({
                "ruleId": finding.failure.name(),
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
        "server-error" => "The server responds with a status of 500 or more",
        "hang" => "The server does not respond to a complete request",
        "dropped" => "The server closes the connection without a response to a complete request",
        "half-reply" => "The server does not finish a response",
        "malformed-reply" => "The response is not valid HTTP",
        "tls" => "TLS ends with an alert",
        "down" => "The server does not accept connections",
        _ => "The server becomes slow and remains slow",
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
            finding.failure.name(),
            index + 1,
            escaped(&finding.failure.to_string()),
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
    use crate::failure::Failure;
    use crate::finding::{Subject, Unconfirmed, from_json};

    fn outcome() -> Outcome {
        let finding = Finding {
            failure: Failure::ServerError(500),
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
            failure: Failure::Slower,
            request: String::new(),
            suspects: Some((5, 9)),
            ..finding.clone()
        };
        Outcome {
            reset_refusals: 0,
            restarts: 0,
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
            baseline_ms: (0.2, 0.3),
            findings: vec![finding, slow],
            unconfirmed: vec![Unconfirmed { failure: Failure::Hang, times: 2, number: 8 }],
            is_complete: true,
        }
    }

    #[test]
    fn text_contains_replay_commands() {
        let text = render(&outcome(), Format::Text, "1");
        for expected in [
            "finding 1: status 500\n",
            "  replay    warwolf torture 'http://a.test/' --replay 'GET /?\\{a*8193}&< HTTP/1.0\\r\\n\\r\\n'\n",
            "  curl      curl -sSig ",
            "  replay    warwolf torture 'http://a.test/' --seed 4 --first 5 -n 5\n",
            "under load  no response: 2 times, first with request 8; not reproduced alone\n",
            "statuses    none 3, 200 97\n",
            "result      2 findings\n",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }

    #[test]
    fn printed_commands_are_quoted_and_notes_are_no_findings() {
        let mut odd = outcome();
        odd.subject.url = "http://a.test/';touch$IFS/tmp/x;'".to_owned();
        (odd.reset_refusals, odd.restarts) = (3, 2);
        let quoted = r"torture 'http://a.test/'\'';touch$IFS/tmp/x;'\''' --replay";
        for format in [Format::Text, Format::Sarif, Format::Junit] {
            let text = render(&odd, format, "1").replace(r"\\", r"\");
            assert!(text.contains(quoted), "{text}");
        }
        let text = render(&odd, Format::Text, "1");
        assert!(
            text.contains("note        3 refusals ended with a reset") && text.contains("restarts    2\n")
        );
    }

    #[test]
    fn json_round_trips() {
        let outcome = outcome();
        assert_eq!(from_json(&render(&outcome, Format::Json, "1")), Ok(outcome));
        assert!(from_json("{}").is_err());
    }

    #[test]
    fn sarif_contains_rules_and_results() {
        let sarif: Value = serde_json::from_str(&render(&outcome(), Format::Sarif, "1")).unwrap();
        let run = &sarif["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 2);
        assert_eq!(run["results"][0]["ruleId"], "server-error");
        assert_eq!(run["results"][0]["occurrenceCount"], 3);
    }

    #[test]
    fn junit_has_a_failed_case_per_finding_or_one_passed_case() {
        let xml = render(&outcome(), Format::Junit, "1");
        assert!(xml.contains("tests=\"2\" failures=\"2\"") && xml.contains("&amp;&lt; HTTP"), "{xml}");
        let clean = Outcome { findings: Vec::new(), ..outcome() };
        assert!(render(&clean, Format::Junit, "1").contains("tests=\"1\" failures=\"0\""));
    }
}
