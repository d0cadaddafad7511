//! Runs that are kept: listed, compared, forgotten, and whole whatever happens to the programs that keep them.

use std::path::Path;
use std::time::{Duration, Instant};

use warwolf_e2e::process::Ending;
use warwolf_e2e::target::delayed;
use warwolf_e2e::warwolf::Running;
use warwolf_e2e::{Told, Warwolf, path, target};
use warwolf_target::Handle;

#[test]
fn runs_are_kept_listed_compared_and_forgotten() {
    let folder = tempfile::tempdir().expect("a folder");
    let (quick, slow) = (delayed("1ms"), delayed("60ms"));
    let database = path(folder.path(), "history.db");
    let keep = |server: &Handle| {
        let words = ["run", "-c", "4", "-d", "2s", "--keep", "shop", "--database", &database];
        Warwolf::new(&words).and(&[target::url(server, "/")]).told().exits(0)
    };
    assert!(keep(&quick).stderr.contains("kept as run 1 of `shop`"));
    keep(&slow);
    let history =
        |words: &[&str]| Warwolf::new(&["history"]).and(words).and(&["--database", &database]).told();
    history(&["tag", "1", "baseline"]).exits(0);
    assert!(history(&["list", "shop"]).exits(0).stdout.lines().count() == 3);
    assert!(history(&["trend", "shop", "--format", "svg"]).exits(0).stdout.contains("<svg"));
    let told = history(&["compare", "shop"]);
    assert!(told.code == 97 && told.stdout.contains("shop 1 (baseline)"), "{told:#?}");
    let exported = path(folder.path(), "one.wwr");
    history(&["show", "1", "-o", &exported]).exits(0);
    history(&["import", "copy", &exported]).exits(0);
    history(&["prune", "--keep", "0"]).exits(0);
    assert_eq!(history(&["list"]).exits(0).stdout.lines().count(), 2, "the baseline stays");
    assert!(history(&["show", "2"]).exits(2).stderr.contains("there is no run 2"));
}

#[test]
fn a_file_that_is_no_history_is_refused_before_the_run_and_left_alone() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), delayed("1ms"));
    let (database, url) = (path(folder.path(), "history.db"), target::url(&server, "/"));
    let keep = ["run", "-n", "300", "-c", "1", "--keep", "x", "--database", &database, &url];
    Warwolf::new(&keep).told().exits(0);
    let whole = std::fs::read(&database).expect("a history");
    let mut scribbled = whole.clone();
    scribbled[4096..8192].fill(0x5a);
    let rows = [
        ("no database", b"this is no database ".repeat(100)),
        ("cut short", whole[..whole.len() - 4096].to_vec()),
        ("scribbled over", scribbled),
    ];
    for (what, bytes) in rows {
        std::fs::write(&database, &bytes).expect("a file");
        let began = server.log().len();
        for words in [&keep[..], &["history", "list", "--database", &database]] {
            let told = Warwolf::new(words).told();
            assert!(
                told.code == 2 && told.stderr.contains("it is not a history, or it is damaged"),
                "{what}: {told:#?}"
            );
            assert!(told.stderr.contains(&database), "{what}: it is named: {told:#?}");
        }
        assert_eq!(server.log().len(), began, "{what}: no load was made for nothing");
        assert!(std::fs::read(&database).expect("a file") == bytes, "{what}: the file was changed");
    }
}

/// The number of the run that a program says it has kept.
fn reported(told: &Told) -> Option<u64> {
    let (_, rest) = told.stderr.split_once("kept as run ")?;
    rest.split_once(" of `")?.0.parse().ok()
}

/// Returns when this much is written ahead of the history, and looks as often as it can, because a write is short. What was
/// written ahead is put in its place when nobody has the history open, so it may never come to that: two seconds at the most.
fn written_ahead(log: &Path, length: u64) {
    let until = Instant::now() + Duration::from_secs(2);
    while std::fs::metadata(log).map_or(0, |data| data.len()) < length && Instant::now() < until {
        std::hint::spin_loop();
    }
}

#[test]
fn programs_killed_while_they_keep_runs_leave_nothing_half_there() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), delayed("0ms"));
    let (database, url) = (path(folder.path(), "history.db"), target::url(&server, "/"));
    let log = folder.path().join("history.db-wal");
    let (mut kept, mut killed) = (Vec::new(), 0);
    for round in 0..8 {
        let one = |number: u32| {
            let name = format!("race-{round}-{number}");
            let words = ["run", "-n", "20", "-c", "2", "--no-tui", "--keep", &name, "--database", &database];
            (name.clone(), Warwolf::new(&words).and(&[&url]).start())
        };
        let running: Vec<(String, Running)> = (0..8).map(one).collect();
        // In the first round while the history is made; then while the first run is written, or one of those after it.
        written_ahead(&log, 1 + round * 8_192);
        for (_, victim) in running.iter().skip(1).step_by(2) {
            victim.signal(Ending::Kill);
        }
        for (place, (name, running)) in running.into_iter().enumerate() {
            let told = running.told();
            assert!(told.code == 0 || (told.code == 137 && place % 2 == 1), "{told:#?}");
            killed += usize::from(told.code == 137);
            assert!(told.code == 137 || reported(&told).is_some(), "{told:#?}");
            kept.extend(reported(&told).map(|id| (id, name)));
        }
    }
    // To list is to look through the whole database for damage.
    let history =
        |words: &[&str]| Warwolf::new(&["history"]).and(words).and(&["--database", &database]).told();
    let listed = history(&["list", "--format", "json"]).exits(0);
    let runs = listed.report()["runs"].as_array().expect("a list").clone();
    let found: Vec<(u64, String)> = runs
        .iter()
        .map(|run| (run["run"].as_u64().expect("a number"), run["name"].as_str().expect("a name").to_owned()))
        .collect();
    for one in &kept {
        assert!(found.contains(one), "{one:?} was reported as kept and is gone");
    }
    for (id, name) in &found {
        let told = history(&["show", &id.to_string(), "--format", "json", "--quiet"]).exits(0);
        assert_eq!(told.completed(), 20, "run {id} of {name} is whole: {told:#?}");
    }
    println!("{} programs: {killed} killed; {} runs reported as kept, {} found", 64, kept.len(), found.len());
    assert!(killed >= 4 && kept.len() >= 32, "{killed} killed, {} kept: nothing was tried", kept.len());
}

#[test]
fn a_history_of_the_first_version_is_upgraded_and_of_a_later_one_refused() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), delayed("1ms"));
    let database = path(folder.path(), "history.db");
    let keep = ["run", "-n", "300", "-c", "1", "--keep", "shop", "--database", &database];
    Warwolf::new(&keep).and(&[target::url(&server, "/")]).told().exits(0);
    let history =
        |words: &[&str]| Warwolf::new(&["history"]).and(words).and(&["--database", &database]).told();
    // The first version had no tags, and `user_version` (four bytes at 60 in the head of the file) was 1.
    let old = rusqlite::Connection::open(&database).expect("a database");
    old.execute_batch("DROP TABLE tags; PRAGMA user_version = 1").expect("as it was");
    drop(old);
    history(&["tag", "1", "baseline"]).exits(0);
    assert!(history(&["list"]).exits(0).stdout.contains("baseline"));
    let later = rusqlite::Connection::open(&database).expect("a database");
    later.execute_batch("PRAGMA user_version = 7").expect("a later one");
    drop(later);
    let before = std::fs::read(&database).expect("a file");
    let told = history(&["list"]).exits(2);
    assert!(
        told.stderr.contains(
            "it is of schema 7, and this version knows schemas up to 2; use the version that wrote it"
        ),
        "{told:#?}"
    );
    assert!(std::fs::read(&database).expect("a file") == before, "it was changed");
}
