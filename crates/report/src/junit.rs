//! Renders the verdict, the SLOs and the checks as test cases, in the format of build servers.
//!
//! The verdict fails if it is `INVALID`. `DEGRADED` passes with its reasons, so that a noisy build machine alone fails no
//! build. Use `--strict` to fail then as well.

use crate::chart::escape;
use crate::wording;
use crate::{Report, steps};
use std::fmt::Write;
use warwolf_measure::{Grade, SloState};

struct Case {
    name: String,
    /// The message, if it failed.
    failure: Option<String>,
    /// Whether there was nothing to test.
    is_skipped: bool,
    output: String,
}

pub(crate) fn render(report: &Report<'_>) -> String {
    let cases: Vec<Case> = [verdict(report)].into_iter().chain(slos(report)).chain(checks(report)).collect();
    let failures = cases.iter().filter(|case| case.failure.is_some()).count();
    let seconds = report.summary.wall.as_secs_f64();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let skipped = match cases.iter().filter(|case| case.is_skipped).count() {
        0 => String::new(),
        skipped => format!(" skipped=\"{skipped}\""),
    };
    let totals = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"0\"{skipped} time=\"{seconds:.3}\"",
        cases.len()
    );
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<testsuites {totals}>\n  <testsuite name=\"warwolf\" {totals}>");
    for case in &cases {
        let _ = write(&mut out, case);
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn verdict(report: &Report<'_>) -> Case {
    let reasons: Vec<_> = report.verdict.reasons.iter().map(wording::sentence).collect();
    let invalid = report.verdict.grade == Grade::Invalid;
    Case {
        name: "verdict".to_owned(),
        failure: invalid.then(|| reasons.first().cloned().unwrap_or_default()),
        is_skipped: false,
        output: format!("{}\n{}", report.verdict.grade.name(), reasons.join("\n")),
    }
}

fn slos<'r>(report: &'r Report<'_>) -> impl Iterator<Item = Case> + 'r {
    report.slos.iter().map(|result| {
        let actual = wording::actual(result);
        Case {
            name: result.slo.text.clone(),
            failure: (result.state != SloState::Held).then(|| actual.clone()),
            is_skipped: false,
            output: actual,
        }
    })
}

/// Returns a case for each check, which failed if a single reply did not pass. A check without replies is skipped.
fn checks<'r>(report: &'r Report<'_>) -> impl Iterator<Item = Case> + 'r {
    steps::checks(&report.summary).map(|(step, check)| {
        let result = steps::check_result(check);
        let examples = steps::examples(check).into_iter().map(|example| example.lines().join("\n  "));
        Case {
            name: format!("{}: {}", steps::full_name(&report.summary, step), check.text),
            failure: (check.failed > 0).then(|| result.clone()),
            is_skipped: check.passed + check.failed == 0,
            output: std::iter::once(result).chain(examples).collect::<Vec<_>>().join("\n"),
        }
    })
}

fn write(out: &mut String, case: &Case) -> std::fmt::Result {
    writeln!(out, "    <testcase classname=\"warwolf\" name=\"{}\">", escape(&case.name))?;
    if let Some(message) = &case.failure {
        writeln!(out, "      <failure message=\"{}\"/>", escape(message))?;
    }
    if case.is_skipped {
        writeln!(out, "      <skipped/>")?;
    }
    writeln!(out, "      <system-out>{}</system-out>\n    </testcase>", escape(case.output.trim_end()))
}

#[cfg(test)]
mod tests {
    use crate::{Format, Report, fixture};
    use warwolf_measure::Slo;

    #[test]
    fn slos_are_test_cases() {
        let run = fixture::steady();
        let slos = ["p99<200ms", "errors<0.1%"].map(|text| Slo::parse(text).unwrap());
        let text = Report::with_slos(&run, &slos).render(Format::Junit, false);
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1" errors="0" time="10.000">
  <testsuite name="warwolf" tests="3" failures="1" errors="0" time="10.000">
    <testcase classname="warwolf" name="verdict">
      <system-out>VALID</system-out>
    </testcase>
    <testcase classname="warwolf" name="p99&lt;200ms">
      <system-out>2.00 ms</system-out>
    </testcase>
    <testcase classname="warwolf" name="errors&lt;0.1%">
      <failure message="1.30 %"/>
      <system-out>1.30 %</system-out>
    </testcase>
  </testsuite>
</testsuites>
"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn an_invalid_run_fails() {
        let run = fixture::unreachable();
        let text = Report::of(&run).render(Format::Junit, false);
        assert!(
            text.contains("<failure message=\"INVALID: nothing was measured: 2 requests started, 2 failed"),
            "{text}"
        );
    }

    #[test]
    fn marks_and_control_characters_do_no_harm() {
        assert_eq!(super::escape("a<b>&\"\u{7}\n"), "a&lt;b&gt;&amp;&quot;?\n");
    }
}
