use super::fit;
use crate::{Format, Report, fixture};
use serde_json::{Value, json};
use warwolf_measure::{RowLabel, RowLabels, Run, Slo};

fn render(run: &Run, format: Format) -> String {
    Report::of(run).render(format, false)
}

fn part<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let start = text.find(from).unwrap_or_else(|| panic!("no `{from}` in {text}"));
    let length = text[start..].find(to).unwrap_or_else(|| panic!("no `{to}` in {text}"));
    &text[start..start + length]
}

#[test]
fn steps_and_checks_in_full_as_text() {
    let text = render(&fixture::shop(), Format::Text);
    assert_eq!(part(&text, "accounting", "Summary"), include_str!("golden/shop.txt"));
    assert!(text.contains("\nErrors:\n  [30] check failed, status below 400 (target)\n"), "{text}");
    assert!(!text.contains("Targets:"), "steps are the rows");
}

#[test]
fn steps_and_checks_in_full_as_markdown() {
    let text = render(&fixture::shop(), Format::Markdown);
    assert_eq!(part(&text, "| planned", "| open loop"), include_str!("golden/shop.md"));
}

#[test]
fn steps_and_checks_in_full_as_csv() {
    let text = render(&fixture::shop(), Format::Csv);
    assert_eq!(&text[text.find("\nkind").unwrap()..], include_str!("golden/shop.csv"));
}

#[test]
fn checks_and_slos_of_steps_are_test_cases() {
    let run = fixture::shop();
    let slos = ["buy: errors<1%", "checkout: p50<8ms"].map(|text| Slo::parse(text).unwrap());
    let text = Report::with_slos(&run, &slos).render(Format::Junit, false);
    for expected in [
        "tests=\"7\" failures=\"2\" errors=\"0\" skipped=\"1\"",
        "name=\"buy: errors&lt;1%\">\n      <failure message=\"30.0 %\"/>",
        "name=\"checkout: p50&lt;8ms\">\n      <system-out>7.00 ms</system-out>",
        "name=\"buyer: login: status == 200\">\n      <system-out>100 replies passed</system-out>",
        "name=\"buyer: buy: json $.ok == true\">\n      <failure message=\"30 of 100 replies failed\"/>",
        "after 27.0 ms (5 alike): POST http://a.test/cart?a=&lt;b&gt;&amp;c\n  status 200, found false\n  {&quot;ok",
        "body contains &quot;|&lt;b&gt;&quot;\">\n      <skipped/>\n      <system-out>not evaluated<",
    ] {
        assert!(text.contains(expected), "no `{expected}` in {text}");
    }
}

#[test]
fn programs_find_steps_groups_scenarios_and_checks() {
    let report: Value = serde_json::from_str(&render(&fixture::shop(), Format::Json)).unwrap();
    let buy = &report["steps"][1];
    assert_eq!(
        [&buy["name"], &buy["group"], &buy["scenario"]],
        [&json!("buy"), &json!("checkout"), &json!("buyer")]
    );
    assert_eq!([&buy["completed"], &buy["check_failed"], &buy["failed"]], [100, 30, 0]);
    assert_eq!(buy["latency_ns"]["p50"], 2_000_000);
    let check = &buy["checks"][1];
    assert_eq!((&check["passed"], &check["failed"]), (&json!(70), &json!(30)));
    let example = &check["examples"][0];
    assert_eq!(example["body"].as_str().unwrap().find('\n'), Some(13), "bodies are as they were received");
    assert_eq!((check["examples"].as_array().unwrap().len(), &example["at_ns"]), (5, &json!(27_000_000)));
    assert_eq!(report["groups"][0]["wall_ns"]["p50"], 7_000_000);
    assert_eq!(report["scenarios"][1]["completed"], 200);
    assert_eq!((&report["accounting"]["check_failed"], &report["rate_steps"]), (&json!(30), &json!([])));
    let plain: Value = serde_json::from_str(&render(&fixture::steady(), Format::Json)).unwrap();
    assert_eq!((&plain["steps"], &plain["groups"]), (&json!([]), &json!([])));
}

#[test]
fn texts_of_servers_are_text_in_every_format() {
    let run = fixture::shop();
    for format in [Format::Text, Format::Markdown, Format::Csv, Format::Junit, Format::Html, Format::Json] {
        let text = render(&run, format);
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{format:?}");
        assert!(!text.contains("\n \"why"), "a line of the body is no line of the report: {format:?}");
    }
    let page = render(&run, Format::Html);
    let body = part(&page, "id=\"checks\"", "id=\"charts\"");
    assert!(body.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && !body.contains("<script"), "{body}");
    let markdown = render(&run, Format::Markdown);
    assert!(markdown.contains("body `` {\"ok\": false, \"why\": \"<script>alert(1)</script> | `sold` out"));
}

#[test]
fn a_page_has_steps_groups_and_checks() {
    let page = render(&fixture::shop(), Format::Html);
    let mut from = page.find("<body>").unwrap();
    for part in [
        "completed, check failed</th>",
        "id=\"plan-steps\"",
        "<td class=\"text\">\u{a0}\u{a0}\u{a0}look at &lt;items&gt;</td>",
        "id=\"groups\"",
        "id=\"checks\"",
        "<summary>buyer: buy: json $.ok == true: the first 5 that failed</summary>",
        "id=\"charts\"",
    ] {
        from += page[from..].find(part).unwrap_or_else(|| panic!("no `{part}`, or not in its place"));
    }
    assert!(!page.contains("id=\"targets\""), "steps are the rows");
}

#[test]
fn tables_of_long_names_fit_into_80_columns() {
    let mut run = fixture::shop();
    let long =
        |name: &str| format!("{name} with a name that is much longer than a terminal has room for, {name}");
    run.labels = RowLabels {
        rows: run.labels.rows.iter().map(|row| RowLabel { name: long(&row.name), ..row.clone() }).collect(),
        groups: vec![long("checkout")],
        ..run.labels
    };
    run.labels.checks.iter_mut().for_each(|check| check.text = long(&check.text));
    let text = render(&run, Format::Text);
    for line in part(&text, "\nSteps", "Failed checks").lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(text.contains("\n    login with a name") && text.contains("…\n"), "{text}");
}

#[test]
fn wide_columns_are_narrowed_before_short_ones() {
    let mut rows = vec![vec!["short".to_owned(), "1".to_owned(), "x".repeat(50)]];
    fit(&["<a", "b", "<c"], &mut rows, 40);
    assert_eq!((rows[0][0].as_str(), rows[0][2].chars().count()), ("short", 30));
}

#[test]
fn a_step_without_checks_has_none_and_one_scenario_has_no_row() {
    let mut run = fixture::shop();
    run.labels.checks.clear();
    run.labels.rows.iter_mut().for_each(|row| row.scenario = Some("all".into()));
    let text = render(&run, Format::Text);
    assert!(text.contains("\n  login             ") && !text.contains("(scenario)"), "{text}");
    assert!(!text.contains("\nChecks:") && text.contains("completed, check failed 30"), "{text}");
}
