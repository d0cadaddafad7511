use crate::{Format, Report, fixture};
use warwolf_measure::{Run, Slo, SloState};

fn render(run: &Run, slos: &[&str], colour: bool) -> String {
    let slos: Vec<Slo> = slos.iter().map(|text| Slo::parse(text).unwrap()).collect();
    Report::with_slos(run, &slos).render(Format::Text, colour)
}

#[test]
fn a_steady_open_loop_in_full() {
    let text = render(&fixture::steady(), &["p99<200ms", "errors<0.1%", "p99.99<1s"], false);
    assert_eq!(text, include_str!("golden/steady.txt"));
}

#[test]
fn a_call_of_each_account_in_full() {
    assert_eq!(render(&fixture::small(), &[], false), include_str!("golden/small.txt"));
}

#[test]
fn a_server_that_is_not_there_in_full() {
    assert_eq!(render(&fixture::unreachable(), &["rps>1"], false), include_str!("golden/unreachable.txt"));
}

#[test]
fn requests_without_an_end_count_in_percentiles_and_slos() {
    let run = fixture::stalled();
    let slos = ["p99<200ms", "p99<5s", "p50>1s", "max<1s"].map(|text| Slo::parse(text).unwrap());
    let report = Report::with_slos(&run, &slos);
    let text = report.render(Format::Text, false);
    for line in [
        "  Slowest:       >3.00 s\n",
        "      50 %  >3.00 s                           900 us    0 ns\n",
        "      99 %  >3.00 s                           900 us    0 ns\n",
        "  >: greater, because 600 had no end by then and 0 never started\n",
    ] {
        assert!(text.contains(line), "no `{line}` in {text}");
    }
    let states: Vec<_> = report.slos.iter().map(|result| result.state).collect();
    assert_eq!(states, [SloState::Broken, SloState::Unknown, SloState::Held, SloState::Broken], "{text}");
    let json = report.render(Format::Json, false);
    assert!(json.contains("\"at_least\": [\n"), "{json}");
}

#[test]
fn the_warm_up_is_named() {
    let mut run = fixture::steady();
    run.warmup = std::time::Duration::from_secs(2);
    let text = render(&run, &[], false);
    assert!(text.contains("Summary (open loop; after 2.00 s of warm-up, which is in the accounting only)\n  Total:         8.00 s\n"), "{text}");
    assert!(text.contains("accounting  planned 1,000 = started 1,000"), "{text}");
}

#[test]
fn the_last_lines_repeat_verdict_slos_and_three_figures() {
    let text = render(&fixture::steady(), &["p50<1ms", "errors<5%"], false);
    let last: Vec<&str> = text.lines().rev().take(2).collect();
    assert_eq!(last, ["SLOs NOT PASSED: p50<1ms (1.50 ms)", "VALID: 99.7/s, p50 1.50 ms, p99 2.00 ms"]);
    let text = render(&fixture::steady(), &["errors<5%"], false);
    assert!(text.ends_with("\nSLOs PASSED: 1 of 1\n"), "{text}");
}

#[test]
fn colour_is_an_addition() {
    let coloured = render(&fixture::steady(), &["errors<0.1%"], true);
    assert!(coloured.contains("\n\x1b[1;31mSLOs NOT PASSED\x1b[0m: errors<0.1%"), "{coloured}");
    assert!(coloured.starts_with("\x1b[1;32mVALID\x1b[0m: "), "{coloured}");
    let codes = ["\x1b[1;32m", "\x1b[1;31m", "\x1b[1m", "\x1b[31m", "\x1b[0m"];
    let stripped = codes.iter().fold(coloured, |text, code| text.replace(code, ""));
    assert_eq!(stripped, render(&fixture::steady(), &["errors<0.1%"], false));
}

#[test]
fn the_slos_of_the_plan_are_judged() {
    let mut run = fixture::steady();
    run.plan_text = format!("slo = [\"p50<1ms\"]\n{}", run.plan_text);
    let report = Report::of(&run);
    assert_eq!((report.slos.len(), report.all_held()), (1, false));
    assert!(report.render(Format::Text, false).contains("  BROKEN  p50<1ms  (1.50 ms)\n"));
}

#[test]
fn no_line_ends_in_blanks_or_is_too_long() {
    for run in [fixture::steady(), fixture::small(), fixture::unreachable()] {
        for line in render(&run, &["p99<200ms"], false).lines() {
            assert_eq!(line, line.trim_end());
            assert!(line.chars().count() <= 132, "{line}");
        }
    }
}

#[test]
fn a_missing_interval_has_its_reason() {
    let text = render(&fixture::one_stall(), &[], false);
    let expected = "\
      99 %  1.00 s                            1.00 s    0 ns
    99.9 %  1.00 s                            1.00 s    0 ns
";
    assert!(text.contains(expected), "{text}");
    let reason =
        "  no interval: neighbouring requests were slow together, so there are too few independent samples\n";
    assert!(text.contains(reason), "{text}");
}
