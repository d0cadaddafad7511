//! `torture` against servers with planted faults, and against sound ones.

use std::ops::RangeInclusive;

use serde_json::Value;
use warwolf_e2e::process::command;
use warwolf_e2e::server::{Apache, Nginx};
use warwolf_e2e::{Told, Warwolf, target};
use warwolf_target::Options;

/// Requests within which a planted fault must be found.
const BUDGET: &str = "4k";

fn torture(url: &str, words: &[&str]) -> Told {
    Warwolf::new(&["torture", "--quiet", "--format", "json", url]).and(words).told()
}

fn planted(plants: &[&str]) -> warwolf_target::Handle {
    let plants = plants.iter().map(|plant| plant.parse().expect("a planted bug")).collect();
    target::start(Options { plants, ..Options::default() })
}

/// How long the requests are that the findings come down to.
fn sizes(told: &Told) -> Vec<u64> {
    let findings = told.report()["findings"].as_array().expect("a list of findings").clone();
    findings.iter().map(|finding| finding["size_bytes"].as_u64().expect("a size")).collect()
}

/// The planted faults with the length of the smallest request that sets each off, of which there may be several:
/// `GET /?` and 8,193 letters and ` HTTP/1.0`; a header line of one NUL; `Content-Length:-`; over HTTP/1.1 with `Host:`
/// and `Transfer-Encoding:chunked`, two bytes that are no chunk.
static FAULTS: [(&str, u64); 4] =
    [("query-overflow:8193", 8_212), ("nul-header", 21), ("negative-length", 36), ("bad-chunk", 54)];

/// What a hunt with one seed came to: the request that was found, counted from one, and the length of the smallest that does
/// the same. None when there is not exactly one finding.
fn hunted(url: &str, seed: u64) -> Option<(u64, u64)> {
    let words = ["-n", BUDGET, "-r", "2k/s", "--patience", "500ms", "--seed", &seed.to_string()];
    let told = torture(url, &words);
    match told.report()["findings"].as_array().map(Vec::as_slice) {
        Some([finding]) if told.code == 99 => {
            Some((finding["number"].as_u64()? + 1, finding["size_bytes"].as_u64()?))
        }
        _ => {
            println!("{url}, seed {seed}: {}", told.stdout);
            None
        }
    }
}

/// What each seed came to. Hunts mostly wait, so several run at the same time, each with a server of its own: a crash
/// ends the connections of all who ask that server.
fn row(plant: &str, seeds: RangeInclusive<u64>) -> Vec<Option<(u64, u64)>> {
    std::thread::scope(|scope| {
        let hunt = |seed| {
            scope.spawn(move || {
                let target = planted(&[plant]);
                hunted(&target::url(&target, "/"), seed)
            })
        };
        let hunts: Vec<_> = seeds.map(hunt).collect();
        hunts.into_iter().map(|hunt| hunt.join().expect("a hunt ends")).collect()
    })
}

/// How many of these came down to the smallest request there is.
fn shrunk(row: &[Option<(u64, u64)>], least: u64) -> usize {
    row.iter().flatten().filter(|(_, size)| *size == least).count()
}

/// Two of three seeds find the fault and shrink it to the least.
fn is_found(fault: usize) {
    let (plant, least) = FAULTS[fault];
    let row = row(plant, 1..=3);
    assert!(shrunk(&row, least) >= 2, "{plant}: {row:?}");
}

/// The table of docs/torture.md: `cargo test -p warwolf-e2e torture::planted -- --ignored --nocapture` prints it.
#[test]
#[ignore = "nightly: 40 hunts"]
fn planted_faults_are_found_by_nine_seeds_of_ten_and_shrunk_to_the_least() {
    let rows: Vec<_> =
        FAULTS.iter().map(|(plant, _)| [row(plant, 1..=5), row(plant, 6..=10)].concat()).collect();
    println!("| planted | least | seed 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 |\n|{}", "---|".repeat(12));
    for ((plant, least), row) in FAULTS.iter().zip(&rows) {
        let cells: Vec<String> = row
            .iter()
            .map(|found| found.map_or("none".to_owned(), |(requests, size)| format!("{requests} ({size})")))
            .collect();
        println!("| `{plant}` | {least} | {} |", cells.join(" | "));
    }
    for ((plant, least), row) in FAULTS.iter().zip(rows) {
        let found = shrunk(&row, *least);
        assert!(found >= 9, "{plant}: {found} of 10 seeds");
    }
}

#[test]
fn proper_refusals_are_no_findings() {
    // The target answers 414 and 431 to what is too long for it.
    let target = planted(&[]);
    let told = torture(&target::url(&target, "/"), &["-n", "4k", "-r", "2k/s", "--seed", "1"]).exits(0);
    assert_eq!(told.report()["findings"], Value::Array(Vec::new()));
    let statuses = told.report()["statuses"].to_string();
    assert!(statuses.contains("[414,") && statuses.contains("[431,"), "{statuses}");
}

#[test]
fn healthy_servers_give_no_finding() {
    let (nginx, apache) = (Nginx::start(""), Apache::start(""));
    for url in [nginx.url("/small"), apache.url("/small")] {
        for seed in ["1", "2"] {
            let told = torture(&url, &["-n", "3k", "-r", "1k/s", "--seed", seed]);
            assert_eq!(
                (told.code, &told.report()["findings"]),
                (0, &Value::Array(Vec::new())),
                "{url}: {told:#?}"
            );
        }
    }
}

#[test]
fn a_finding_is_shown_again_by_its_line_its_file_and_curl() {
    let target = planted(&["query-overflow:8193"]);
    let folder = tempfile::tempdir().expect("a new folder");
    let file = folder.path().join("found.json");
    let file = file.to_str().expect("a plain path");
    let sarif = folder.path().join("found.sarif");
    let url = target::url(&target, "/");
    let words = ["torture", "--quiet", "-n", BUDGET, "-r", "2k/s", "--seed", "2", "-o", file, "-o"];
    let told = Warwolf::new(&words).and(&[sarif.to_str().expect("a plain path"), &url]).told().exits(99);

    let line = |name: &str| {
        let found = told.stdout.lines().find_map(|line| line.trim_start().strip_prefix(name));
        found.unwrap_or_else(|| panic!("no `{name}` in {told:#?}")).trim().to_owned()
    };
    let replay = line("replay").replace("warwolf ", "");
    let words: Vec<String> = replay.split('\'').enumerate().flat_map(unquoted).collect();
    let again = Warwolf::new(&words).told().exits(99);
    assert!(again.stdout.starts_with("trouble: status 500"), "{again:#?}");
    Warwolf::new(&["torture", "--replay", &format!("{file}#1")]).told().exits(99);
    let told = Warwolf::new(&["torture", &url, "--replay", &format!("{file}#1")]).told().exits(99);
    assert!(told.stderr.contains(" bytes to http://127.0.0.1:"), "{told:#?}");
    Warwolf::new(&["torture", "--replay", &format!("{file}#9")]).told().exits(2);

    let curl = command("sh").arg("-c").arg(line("curl")).output().expect("a shell");
    assert!(String::from_utf8_lossy(&curl.stdout).starts_with("HTTP/1.1 500"), "{curl:?}");
    let sarif: Value = serde_json::from_slice(&std::fs::read(sarif).expect("a file")).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "server-error");
}

/// The words of a piece of a line split at single quotes.
fn unquoted((index, piece): (usize, &str)) -> Vec<String> {
    if index % 2 == 1 {
        return vec![piece.to_owned()];
    }
    piece.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn others_servers_are_refused() {
    // An address of documentation (RFC 5737): nothing is sent.
    let told = Warwolf::new(&["torture", "http://192.0.2.1/"]).told().exits(2);
    assert!(told.stderr.contains("--i-may-test 192.0.2.1"), "{told:#?}");
    let told = Warwolf::new(&["torture", "http://192.0.2.1/", "--replay", "x"]).told().exits(2);
    assert!(told.stderr.contains("--i-may-test"), "{told:#?}");
}

/// Hunts, which take a server that replies late for one that hangs: they run alone.
mod quiet {
    use super::*;

    #[test]
    fn a_long_query_is_found_and_shrunk() {
        is_found(0);
    }

    #[test]
    fn a_nul_in_a_header_is_found_and_shrunk() {
        is_found(1);
    }

    #[test]
    fn a_negative_length_is_found_and_shrunk() {
        is_found(2);
    }

    #[test]
    fn a_bad_chunk_is_found_and_shrunk() {
        is_found(3);
    }

    #[test]
    fn all_faults_of_one_server_are_told_apart() {
        let target = planted(&FAULTS.map(|(plant, _)| plant));
        let told = torture(
            &target::url(&target, "/"),
            &["-n", BUDGET, "-r", "2k/s", "--patience", "500ms", "--seed", "3"],
        );
        let told = told.exits(99);
        let found = sizes(&told);
        for (plant, least) in FAULTS {
            assert!(found.contains(&least), "{plant}: {found:?}");
        }
        assert!(found.len() < 9, "alike ones are together: {found:#?}");
    }
}
