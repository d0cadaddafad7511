//! Experiments of many runs, against targets whose behaviour is known.

use std::path::Path;
use std::time::{Duration, Instant};

use warwolf_e2e::process::Ending;
use warwolf_e2e::target::delayed;
use warwolf_e2e::{Warwolf, path, target};

#[test]
fn run_files_are_compared_when_they_are_of_one_load() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = delayed("2ms");
    let url = target::url(&server, "/");
    let keep = |name: &str, users: &str| {
        let file = path(folder.path(), name);
        let told = Warwolf::new(&["run", "-d", "3s", "--quiet", "-c", users, "-o", &file, &url]).told();
        assert_eq!(told.code, 0, "{told:#?}");
        file
    };
    let (a, b, other) = (keep("a.wwr", "2"), keep("b.wwr", "2"), keep("other.wwr", "3"));
    let told = Warwolf::new(&["compare", &a, &b]).told();
    assert!(told.stdout.contains("Two runs, each in blocks of its own"), "{told:#?}");
    let told = Warwolf::new(&["compare", &a, &other]).told();
    assert_eq!(told.code, 2, "{told:#?}");
    assert!(
        told.stderr.contains("`connections.limit` differs; to compare them all the same, add --different"),
        "{told:#?}"
    );
    let told = Warwolf::new(&["compare", "--different", &a, &other]).told();
    assert!(matches!(told.code, 0 | 97), "{told:#?}");
    let told = Warwolf::new(&["compare", &a, &url]).told();
    assert!(told.code == 2 && told.stderr.contains("are of two kinds"), "{told:#?}");
    std::fs::write(&b, b"WWR1 and then nothing").expect("a file");
    let told = Warwolf::new(&["compare", &a, &b]).told();
    assert!(told.code == 2 && told.stderr.contains("cut short"), "{told:#?}");
}

#[test]
fn a_sweep_has_every_point_and_goes_on_where_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, two) = (delayed("1ms"), delayed("3ms"));
    let targets = format!("target=one:{},two:{}", target::url(&one, "/"), target::url(&two, "/"));
    let between = format!("echo $SWEEP_TARGET $SWEEP_CONNECTIONS >> {}", path(folder.path(), "between"));
    let runs = path(folder.path(), "runs");
    let words = [
        "sweep",
        "--vary",
        &targets,
        "--vary",
        "connections=1,4",
        "-d",
        "300ms",
        "--folder",
        &runs,
        "--between",
        &between,
    ];
    let told = Warwolf::new(&words).and(&["--repeats", "2", "--format", "csv"]).told();
    assert_eq!(told.code, 0, "{told:#?}");
    assert_eq!(told.stdout.lines().count(), 5, "{told:#?}");
    let settings = || std::fs::read_to_string(folder.path().join("between")).expect("the command has run");
    assert_eq!(settings().lines().take(4).collect::<Vec<_>>(), ["one 1", "one 4", "two 1", "two 4"]);
    assert_eq!(settings().lines().nth(4), Some("two 4"), "every second repeat goes backwards");
    // Two runs are lost; only these are made again.
    for lost in ["point-0002-run-001.wwr", "point-0003-run-002.wwr"] {
        std::fs::remove_file(Path::new(&runs).join(lost)).expect("a run");
    }
    let told = Warwolf::new(&words).and(&["--repeats", "2", "--format", "json"]).told();
    assert_eq!(told.code, 0, "{told:#?}");
    assert_eq!(settings().lines().count(), 10);
    assert!(told.stdout.contains("\"finished\": true"), "{told:#?}");
    let told =
        Warwolf::new(&["sweep", "--vary", "connections=1,2", "--folder", &runs, &target::url(&one, "/")])
            .told();
    assert!(told.code == 2 && told.stderr.contains("it holds another sweep"), "{told:#?}");
}

#[test]
fn a_sweep_over_what_is_not_there_is_refused_before_anything_runs() {
    let told = Warwolf::new(&["sweep", "--vary", "colour=red", "http://127.0.0.1:1/"]).told();
    assert!(told.code == 2 && told.stderr.contains("`colour`: no such parameter"), "{told:#?}");
    let told = Warwolf::new(&["sweep", "--vary", "connections=1,no", "http://127.0.0.1:1/"]).told();
    assert!(told.code == 2 && told.stderr.contains("--connections: `no`"), "{told:#?}");
}

/// Waits for what the program does in a folder, ten seconds at the most.
fn await_that(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(10);
    while !is_so() {
        assert!(Instant::now() < until, "{what}: not within ten seconds");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_sweep_that_was_interrupted_measures_only_what_is_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = delayed("1ms");
    let (runs, between) = (folder.path().join("runs"), folder.path().join("between"));
    let note = format!("echo $SWEEP_CONNECTIONS/$SWEEP_THINK/$SWEEP_TIMEOUTS_CALL >> {}", between.display());
    // Three parameters, eight points.
    let sweep =
        |format: &str| {
            let words = ["sweep", "-d", "400ms", "--vary", "connections=1,2", "--vary", "think=0s,1ms"];
            Warwolf::new(&words)
                .and(&["--vary", "timeouts.call=2s,3s", "--between", &note, "--folder"])
                .and(&[runs.to_str().expect("a path"), "--format", format, &target::url(&server, "/")])
        };
    let lines = || std::fs::read_to_string(&between).unwrap_or_default().lines().count();
    let kept = || {
        let files = std::fs::read_dir(&runs).into_iter().flatten().flatten();
        let mut files: Vec<_> = files
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "wwr"))
            .map(|path| (std::fs::read(&path).expect("a run"), path))
            .collect();
        files.sort();
        files
    };
    let running = sweep("json").start();
    await_that("three points are kept and a fourth is on", || kept().len() >= 3 && lines() > kept().len());
    running.signal(Ending::Interrupt);
    let told = running.told().exits(130);
    assert!(told.stdout.contains("\"finished\": false"), "{told:#?}");
    let (before, begun) = (kept(), lines());
    assert!(
        (3..8).contains(&before.len()) && begun == before.len() + 1,
        "{begun} begun, {} kept",
        before.len()
    );
    let told = sweep("json").told().exits(0);
    assert!(told.stdout.contains("\"finished\": true"), "{told:#?}");
    assert_eq!(
        lines(),
        begun + 8 - before.len(),
        "only what was missing is run, the interrupted one among it"
    );
    let after = kept();
    assert!(after.len() == 8 && before.iter().all(|run| after.contains(run)), "what was kept is as it was");
    assert_eq!(told.stderr.matches("kept from before").count(), before.len());
    // All there now: nothing is run, and the table has a column for each parameter.
    let told = sweep("csv").told().exits(0);
    assert_eq!(lines(), begun + 8 - before.len());
    assert!(told.stdout.starts_with("connections,think,timeouts.call,runs,verdict,"), "{told:#?}");
}
