//! Experiments of many runs, against targets whose behaviour is known.
#![forbid(unsafe_code)]

use std::path::Path;

use warwolf_target::{Handle, Options};
use warwolf_trials::{Warwolf, target};

fn slow(delay: &str) -> Handle {
    target::start(Options { delay: delay.parse().expect("a delay"), ..Options::default() })
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().expect("a path without odd bytes").to_owned()
}

#[test]
fn a_slower_server_is_found_and_the_exit_code_says_so() {
    let (a, b) = (slow("5ms"), slow("10ms"));
    let words = ["compare", "-c", "4", "-d", "6s", "--slice", "250ms", "--quiet", "--format", "json"];
    let told = Warwolf::new(&words).and(&[target::url(&a, "/"), target::url(&b, "/")]).told();
    assert_eq!(told.code, 97, "{told:#?}");
    let told = Warwolf::new(&words).and(&[target::url(&b, "/"), target::url(&a, "/")]).told();
    assert_eq!(told.code, 0, "a faster B is no regression: {told:#?}");
    assert!(told.stdout.contains("\"finding\": \"better\""), "{told:#?}");
}

#[test]
fn run_files_are_compared_when_they_are_of_one_load() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = slow("2ms");
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
    let (one, two) = (slow("1ms"), slow("3ms"));
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

#[test]
fn a_search_for_capacity_ends_and_says_what_it_found() {
    let server = target::start(Options { capacity: Some(400.0), ..Options::default() });
    let words = [
        "capacity",
        "--start",
        "200/s",
        "--arrivals",
        "poisson",
        "--slo",
        "p99<100ms",
        "-d",
        "1s",
        "--precision",
        "20%",
        "--retests",
        "0",
    ];
    let told = Warwolf::new(&words).and(&["--format", "json", &target::url(&server, "/")]).told();
    assert_eq!(told.code, 0, "{told:#?}");
    assert!(told.stdout.contains("\"held_per_s\""), "{told:#?}");
    let told = Warwolf::new(&["capacity", &target::url(&server, "/")]).told();
    assert!(told.code == 2 && told.stderr.contains("no promise is given"), "{told:#?}");
    let told = Warwolf::new(&["capacity", "--slo", "p99<1s", "-r", "5/s", &target::url(&server, "/")]).told();
    assert!(told.code == 2 && told.stderr.contains("--rate: capacity chooses"), "{told:#?}");
}

#[test]
fn runs_are_kept_listed_compared_and_forgotten() {
    let folder = tempfile::tempdir().expect("a folder");
    let (quick, slow) = (slow("1ms"), slow("4ms"));
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
    std::fs::write(&database, "this is no database ".repeat(100)).expect("a file");
    let told =
        Warwolf::new(&["run", "-n", "1", "--keep", "x", "--database", &database, &target::url(&quick, "/")])
            .told();
    assert!(told.code == 1 && told.stderr.contains("it is not a history, or it is damaged"), "{told:#?}");
}
