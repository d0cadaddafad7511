use crate::{Format, Report, fixture};
use warwolf_measure::Slo;

#[test]
fn a_steady_open_loop_in_full() {
    let run = fixture::steady();
    let slos = ["p99<200ms", "errors<0.1%", "p99.99<1s"].map(|text| Slo::parse(text).unwrap());
    let text = Report::with_slos(&run, &slos).render(Format::Markdown, false);
    assert_eq!(text, include_str!("golden/steady.md"));
}

#[test]
fn a_server_that_is_not_there_in_full() {
    let text = Report::of(&fixture::unreachable()).render(Format::Markdown, false);
    let expected = "\
## Measurement INVALID: http://a.test/

- **because**: nothing was measured: 2 requests started, 2 failed, 0 in flight at the stop, mostly: connection refused; check with one request that the server answers under this URL

0.00/s (closed loop), 2 errors (100.0 %)

| planned | started | completed | failed | timed out | unfinished | never started |
|---:|---:|---:|---:|---:|---:|---:|
| 2 | 2 | 0 | 2 | 0 | 0 | 0 |

| errors | what | whose |
|---:|---|---|
| 2 | connection refused | target |
";
    assert_eq!(text, expected);
}

#[test]
fn marks_in_a_url_are_text() {
    assert_eq!(super::escape("http://a/*_b_*|<c>[d]`e`"), "http://a/\\*\\_b\\_\\*\\|\\<c>\\[d\\]\\`e\\`");
}
