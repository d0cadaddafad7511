//! The reports and messages of `http_load` as they were captured from the original, from the same words and numbers.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use warwolf_compat::http_load::{Check, Classic, Count, Ending, Fetch, Machine, Style, Totals, Usage};
use warwolf_compat::http_load::{parse, progress, report, unresolved};
use warwolf_measure::Outcome;

fn captured(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests/data/http_load", name].iter().collect();
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn style(fetches: u64, urls: usize, check: Check) -> Style {
    Style {
        name: "./http_load".to_owned(),
        check,
        verbose: false,
        fetches: Some(fetches),
        urls: (0..urls).map(|number| format!("http://127.0.0.1/{number}")).collect(),
    }
}

/// As many microseconds as asked for, of which the sum, the greatest and the least are given.
fn spread(count: usize, [sum, max, min]: [u64; 3]) -> Vec<u64> {
    let mut values = vec![min; count];
    values[0] = max;
    if count == 1 {
        assert_eq!([sum, min], [max, max]);
        return values;
    }
    let mut left = sum - min * (count as u64 - 1) - max;
    for value in &mut values[1..count - 1] {
        let more = left.min(max - min);
        *value += more;
        left -= more;
    }
    assert_eq!(left, 0, "no {count} values have these figures");
    values
}

/// Figures of one captured run; durations in microseconds, the elapsed time in nanoseconds.
struct Row {
    name: &'static str,
    fetches: u64,
    parallel: u64,
    bytes: u64,
    elapsed_ns: u64,
    connect: Option<[u64; 3]>,
    answer: Option<[u64; 3]>,
    codes: &'static [(u16, u64)],
}

const fn row(
    name: &'static str,
    (fetches, parallel, bytes): (u64, u64, u64),
    elapsed_ns: u64,
    connect: Option<[u64; 3]>,
    answer: Option<[u64; 3]>,
    codes: &'static [(u16, u64)],
) -> Row {
    Row { name, fetches, parallel, bytes, elapsed_ns, connect, answer, codes }
}

const ROWS: [Row; 37] = [
    row(
        "02-fetches",
        (100, 5, 1_024_000),
        3_220_000,
        Some([3_240, 265, 11]),
        Some([10_929, 383, 49]),
        &[(200, 100)],
    ),
    row(
        "03-seconds",
        (57_674, 3, 216_514_733),
        2_000_016_000,
        Some([1_974_694, 1_300, 9]),
        Some([3_634_073, 2_575, 22]),
        &[(200, 57_674)],
    ),
    row(
        "04-rate",
        (59, 1, 210_572),
        3_000_155_000,
        Some([22_619, 670, 150]),
        Some([11_652, 387, 118]),
        &[(200, 59)],
    ),
    row(
        "05-rate-jitter",
        (59, 1, 237_320),
        3_000_310_000,
        Some([26_494, 770, 237]),
        Some([12_400, 390, 145]),
        &[(200, 59)],
    ),
    row(
        "06-rate-fetches",
        (30, 1, 137_592),
        600_409_000,
        Some([8_650, 574, 199]),
        Some([5_713, 314, 136]),
        &[(200, 30)],
    ),
    row(
        "07-codes",
        (200, 4, 12_490),
        6_399_000,
        Some([7_117, 179, 10]),
        Some([14_706, 307, 31]),
        &[(200, 47), (302, 52), (404, 53), (500, 48)],
    ),
    row(
        "08-checksum",
        (50, 4, 124_880),
        2_632_000,
        Some([2_989, 204, 17]),
        Some([5_319, 306, 47]),
        &[(200, 50)],
    ),
    row(
        "11-nobadsum",
        (14, 1, 280),
        3_000_053_000,
        Some([5_742, 580, 199]),
        Some([3_289, 377, 145]),
        &[(200, 14)],
    ),
    row("20-refused", (6, 2, 0), 211_000, None, None, &[]),
    row("21-timeout", (4, 2, 0), 4_004_630_000, Some([444, 261, 22]), None, &[]),
    row("22-stall", (2, 1, 100), 4_005_619_000, Some([331, 233, 98]), Some([1_158, 653, 505]), &[(200, 2)]),
    row("23-close", (3, 1, 0), 1_391_000, Some([288, 143, 46]), Some([1_103, 575, 211]), &[]),
    row("24-garbage", (3, 1, 0), 1_199_000, Some([380, 264, 27]), Some([769, 369, 169]), &[]),
    row("25-partial", (3, 1, 150), 1_058_000, Some([159, 95, 26]), Some([864, 483, 155]), &[(200, 3)]),
    row("26-chunked", (3, 1, 96), 1_139_000, Some([163, 87, 28]), Some([932, 561, 178]), &[(200, 3)]),
    row("27-cl0", (3, 1, 0), 1_344_000, Some([264, 138, 30]), Some([920, 480, 152]), &[(200, 3)]),
    row(
        "28-throttle",
        (24_965, 2, 2_556_416_000),
        4_000_000_000,
        Some([860_122, 356, 14]),
        Some([1_083_289, 2_493, 18]),
        &[(200, 24_965)],
    ),
    row("29-throttle10k", (4, 2, 40_960), 685_000, Some([263, 148, 27]), Some([891, 319, 140]), &[(200, 4)]),
    row("30-Throttle", (4, 2, 40_960), 641_000, Some([267, 153, 29]), Some([794, 285, 141]), &[(200, 4)]),
    row("31-req", (8, 1, 62), 2_758_000, Some([399, 114, 28]), Some([2_359, 625, 205]), &[(200, 8)]),
    row("32-proxy", (1, 1, 34), 718_000, Some([143, 143, 143]), Some([575, 575, 575]), &[(200, 1)]),
    row(
        "34-ssl",
        (10, 2, 1_000),
        31_140_000,
        Some([5_734, 2_572, 28]),
        Some([54_017, 11_290, 2_403]),
        &[(200, 10)],
    ),
    row("48-1100", (1, 1, 10_240), 348_000, Some([140, 140, 140]), Some([208, 208, 208]), &[(200, 1)]),
    row(
        "60-verbose-1s-variant",
        (39, 1, 180_000),
        4_000_030_000,
        Some([10_655, 481, 136]),
        Some([8_549, 2_212, 98]),
        &[(200, 39)],
    ),
    row(
        "61-rate400",
        (999, 2, 10_229_760),
        2_000_043_000,
        Some([120_956, 664, 79]),
        Some([116_752, 2_370, 70]),
        &[(200, 999)],
    ),
    row(
        "62-rate600",
        (1_999, 4, 20_469_760),
        2_000_067_000,
        Some([212_388, 268, 74]),
        Some([201_717, 3_082, 67]),
        &[(200, 1_999)],
    ),
    row(
        "63-rate3",
        (12, 1, 122_880),
        4_000_010_000,
        Some([5_106, 691, 174]),
        Some([2_291, 236, 137]),
        &[(200, 12)],
    ),
    row(
        "64-throttle-1m",
        (5_364, 1, 5_624_561_664),
        6_000_000_000,
        Some([133_686, 121, 16]),
        Some([481_307, 2_421, 52]),
        &[(200, 5_364)],
    ),
    row("66-2014", (10, 2, 102_400), 748_000, Some([515, 163, 27]), Some([804, 224, 35]), &[(200, 10)]),
    row("67-2014-sip", (4, 2, 40_960), 546_000, Some([203, 112, 17]), Some([752, 359, 42]), &[(200, 4)]),
    row("70-Throttle-400", (0, 1, 0), 5_001_450_000, None, None, &[]),
    row("71-abbrev-t", (1, 1, 10_240), 314_000, Some([90, 90, 90]), Some([205, 205, 205]), &[(200, 1)]),
    row(
        "72-abbrev-timeout",
        (1, 1, 10_240),
        276_000,
        Some([122, 122, 122]),
        Some([154, 154, 154]),
        &[(200, 1)],
    ),
    row(
        "73-last-wins",
        (9, 1, 92_160),
        1_000_314_900,
        Some([3_642, 503, 196]),
        Some([1_372, 170, 133]),
        &[(200, 9)],
    ),
    row("77-parallel-seconds", (0, 20, 0), 2_002_460_000, None, None, &[]),
    row("78-outofslots", (0, 59, 0), 5_000_220_000, None, None, &[]),
    row("79-fdsetsize", (0, 550, 0), 2_002_250_000, None, None, &[]),
];

impl Row {
    /// The fetches that make these figures, each of a URL of its own.
    fn fetches(&self) -> Vec<Fetch> {
        let count = self.fetches as usize;
        let spans = |figures: Option<[u64; 3]>| figures.filter(|_| count > 0).map(|f| spread(count, f));
        let (connects, answers) = (spans(self.connect), spans(self.answer));
        let mut statuses: Vec<u16> = Vec::new();
        for &(status, number) in self.codes {
            statuses.extend((0..number).map(|_| status));
        }
        let ending = match self.name {
            "20-refused" => Ending::NoConnection(Outcome::Refused),
            "21-timeout" | "22-stall" => Ending::TimedOut,
            "23-close" | "24-garbage" | "25-partial" => Ending::Cut,
            _ => Ending::Whole,
        };
        (0..count)
            .map(|at| {
                let connected = connects.as_ref().map(|spans| spans[at] * 1_000);
                Fetch {
                    url: at,
                    started_ns: 0,
                    connected_ns: connected,
                    answered_ns: answers.as_ref().map(|spans| connected.unwrap_or(0) + spans[at] * 1_000),
                    finished_ns: self.elapsed_ns,
                    body_bytes: if at == 0 { self.bytes } else { 0 },
                    status: statuses.get(at).copied().unwrap_or(0),
                    checksum: 0,
                    ending,
                }
            })
            .collect()
    }

    fn texts(&self) -> (String, String, String) {
        let style = style(u64::MAX, self.fetches as usize, Check::Bytes);
        let mut count = Count::new(&style);
        let mut live = String::new();
        self.fetches().iter().for_each(|fetch| count.add(fetch, &mut live));
        let totals = Totals { elapsed: Duration::from_nanos(self.elapsed_ns), max_parallel: self.parallel };
        let (report, last) = report(&style, &count, totals);
        (report, live, last)
    }
}

#[test]
fn every_captured_report_comes_out_byte_for_byte() {
    for row in &ROWS {
        assert_eq!(row.texts().0, captured(&format!("{}.stdout.txt", row.name)), "{}", row.name);
    }
}

#[test]
fn refused_and_timed_out_fetches_are_said_at_once_and_refused_ones_summed_up() {
    let lines = |name: &str, what: &str| {
        let row = ROWS.iter().find(|row| row.name == name).unwrap();
        let (_, live, last) = row.texts();
        assert_eq!(live.lines().count(), captured(&format!("{name}.stderr.txt")).lines().count(), "{name}");
        assert!(live.lines().all(|line| line.ends_with(what)), "{live}");
        last
    };
    let last = lines("20-refused", ": Connection refused");
    assert_eq!(last, "./http_load: 6 of 6 fetches had no connection: 6 connection refused\n");
    assert_eq!(lines("21-timeout", ": timed out"), "");
    assert_eq!(lines("22-stall", ": timed out"), "");
}

/// One URL, fetched again and again.
fn of_one_url(url: &str, check: Check, fetches: impl IntoIterator<Item = Fetch>) -> (Count, Style, String) {
    let style = Style { urls: vec![url.to_owned()], ..style(u64::MAX, 0, check) };
    let mut count = Count::new(&style);
    let mut live = String::new();
    for fetch in fetches {
        count.add(&fetch, &mut live);
    }
    (count, style, live)
}

fn timed(spans: ([u64; 3], [u64; 3]), fetches: Vec<Fetch>) -> Vec<Fetch> {
    let connects = spread(fetches.len(), spans.0);
    let answers = spread(fetches.len(), spans.1);
    let with = |(fetch, (connect, answer)): (Fetch, (u64, u64))| Fetch {
        connected_ns: Some(connect * 1_000),
        answered_ns: Some((connect + answer) * 1_000),
        ..fetch
    };
    fetches.into_iter().zip(connects.into_iter().zip(answers)).map(with).collect()
}

fn whole(body_bytes: u64, checksum: u16) -> Fetch {
    Fetch {
        url: 0,
        started_ns: 0,
        connected_ns: None,
        answered_ns: None,
        finished_ns: 0,
        body_bytes,
        status: 200,
        checksum,
        ending: Ending::Whole,
    }
}

#[test]
fn a_page_that_grows_is_wrong_for_ever_after() {
    let sizes = (0..14).map(|at| whole(if at < 4 { 20 } else { 30 }, 0)).collect();
    let fetches = timed(([5_835, 645, 196], [2_816, 269, 159]), sizes);
    let (count, style, live) = of_one_url("http://127.0.0.1:18080/var.txt", Check::Bytes, fetches);
    let totals = Totals { elapsed: Duration::from_micros(3_000_030), max_parallel: 1 };
    assert_eq!(report(&style, &count, totals).0, captured("09-badbytes.stdout.txt"));
    assert_eq!(live, captured("09-badbytes.stderr.txt"));
}

#[test]
fn a_page_that_changes_and_keeps_its_length_is_wrong_by_checksum_only() {
    let pages = || (0..14).map(|at| whole(20, if at < 4 { 7 } else { 8 })).collect();
    let fetches = timed(([5_825, 829, 188], [2_507, 238, 124]), pages());
    let (count, style, live) = of_one_url("http://127.0.0.1:18080/var.txt", Check::Checksum, fetches);
    let totals = Totals { elapsed: Duration::from_micros(3_000_061), max_parallel: 1 };
    assert_eq!(report(&style, &count, totals).0, captured("10-badsum.stdout.txt"));
    assert_eq!(live, captured("10-badsum.stderr.txt"));

    for check in [Check::Bytes, Check::Nothing] {
        let (_, _, live) = of_one_url("http://127.0.0.1:18080/var.txt", check, pages());
        assert_eq!(live, "", "{check:?}");
    }
}

/// The original took the first fetch, which failed, as what all others had to be like, and called four good ones wrong.
#[test]
fn a_first_fetch_that_fails_poisons_nothing() {
    let cut = Fetch { status: 0, ending: Ending::Cut, ..whole(0, 0) };
    let fetches = [cut, whole(5, 0), whole(5, 0), whole(5, 0), whole(5, 0)];
    let fetches = timed(([239, 107, 21], [388, 211, 22]), fetches.to_vec());
    let (count, style, live) = of_one_url("http://127.0.0.1:18092/", Check::Bytes, fetches);
    let totals = Totals { elapsed: Duration::from_micros(641), max_parallel: 1 };
    let theirs = captured("76-firstfail.stdout.txt");
    assert_eq!(report(&style, &count, totals).0, theirs.replace("4 bad byte counts\n", ""));
    assert_eq!(live, "");
}

#[test]
fn minutes_are_told_as_captured() {
    let told = [(1_000_040, 10, 9), (2_000_020, 20, 19), (3_000_070, 30, 29), (4_000_030, 40, 39)];
    let text: String =
        told.map(|(at, started, over)| progress(Duration::from_micros(at), started, over)).concat();
    assert_eq!(text, captured("60-verbose-1s-variant.stderr.txt"));
}

fn given(words: &[&str]) -> Result<Classic, Usage> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let read = |path: &Path| match path.to_str() {
        Some("one.txt" | "three.txt") => Ok(b"http://127.0.0.1:18080/10k.bin\n".to_vec()),
        Some("ftp.txt") => Ok(b"ftp://x/\n".to_vec()),
        Some("blank.txt") => Ok(b"http://127.0.0.1/\n\nhttp://127.0.0.1/\n".to_vec()),
        Some("com.txt") => Ok(b"# c\nhttp://127.0.0.1/\n".to_vec()),
        _ => Err(io::Error::from_raw_os_error(2)),
    };
    parse(&words, Machine { connections: 19_997, seed: 1 }, &read)
}

#[test]
fn every_captured_refusal_comes_out_byte_for_byte() {
    let refused = [
        "35-ssl-usage",
        "36-badparallel",
        "37-maxparallel",
        "38-badrate",
        "39-rate0",
        "40-f0",
        "41-s0",
        "43-nofile",
        "44-proto",
        "46-blank",
        "50-comment",
        "75-negative",
    ];
    for name in refused {
        let command = captured(&format!("{name}.cmd.txt"));
        let (words, exit) = command.trim_start_matches("$ ").trim_end().split_once('\n').unwrap();
        assert_eq!(exit, "exit=1");
        let usage = given(&words.split(' ').collect::<Vec<_>>()).unwrap_err();
        assert_eq!(usage.stderr, captured(&format!("{name}.stderr.txt")), "{name}");
    }
}

#[test]
fn what_the_original_takes_for_wrong_words_is_answered_with_the_usage() {
    for name in ["01-usage", "42-jitterparallel", "49-V", "74-args-after"] {
        let command = captured(&format!("{name}.cmd.txt"));
        let words = command.trim_start_matches("$ ").lines().next().unwrap();
        let usage = given(&words.split(' ').collect::<Vec<_>>()).unwrap_err();
        // These were captured from a build without TLS, which ours never is.
        let theirs = captured(&format!("{name}.stderr.txt"));
        assert_eq!(usage.stderr.replace("            [-cipher str]\n", ""), theirs, "{name}");
    }
}

#[test]
fn a_name_without_an_address_is_said_as_the_resolver_says_it() {
    let text = unresolved("./http_load", "nosuch.invalid", "Name or service not known");
    assert_eq!(text, captured("45-noresolve.stderr.txt"));
}
