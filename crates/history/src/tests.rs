use super::*;
use std::path::PathBuf;
use warwolf_measure::Tally;

fn run(calls: u64) -> Run {
    let mut run = Run::new(Duration::from_secs(1));
    let mut tally = Tally::new();
    tally.planned(calls);
    tally.unstarted(calls);
    run.timeline.add(0, &tally);
    run.wall = Duration::from_secs(1);
    run.targets = vec!["http://a.test/".into()];
    run
}

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.db");
    (folder, path)
}

fn names(history: &History, filter: &Filter) -> Vec<(i64, String)> {
    history.list(filter).unwrap().into_iter().map(|entry| (entry.id, entry.name)).collect()
}

#[test]
fn what_is_kept_comes_back_whole() {
    let (_folder, path) = place();
    let id = History::open(&path).unwrap().keep("shop", &run(7)).unwrap();
    let (entry, kept) = History::open(&path).unwrap().run(id).unwrap();
    assert_eq!(
        (entry.name.as_str(), entry.verdict.as_str(), entry.target.as_str()),
        ("shop", "INVALID", "http://a.test/")
    );
    assert_eq!(Summary::of(&kept).accounting.planned, 7);
    assert!(matches!(History::open(&path).unwrap().run(99), Err(HistoryError::NoRun(99))));
}

#[test]
fn lists_are_by_name_tag_and_number() {
    let (_folder, path) = place();
    let mut history = History::open(&path).unwrap();
    for name in ["a", "b", "a", "a"] {
        history.keep(name, &run(1)).unwrap();
    }
    history.tag(1, "release").unwrap();
    let a = Filter { name: Some("a".into()), ..Filter::default() };
    assert_eq!(names(&history, &a).len(), 3);
    assert_eq!(names(&history, &Filter { latest: Some(2), ..a }), [(3, "a".into()), (4, "a".into())]);
    assert_eq!(
        names(&history, &Filter { tag: Some("release".into()), ..Filter::default() }),
        [(1, "a".into())]
    );
    assert!(history.untag(1, "release").unwrap() && !history.untag(1, "release").unwrap());
}

#[test]
fn a_name_has_one_baseline() {
    let (_folder, path) = place();
    let mut history = History::open(&path).unwrap();
    for name in ["a", "a", "b"] {
        history.keep(name, &run(1)).unwrap();
    }
    for id in [1, 3, 2] {
        history.tag(id, BASELINE).unwrap();
    }
    let baselines = Filter { tag: Some(BASELINE.into()), ..Filter::default() };
    assert_eq!(names(&history, &baselines), [(2, "a".into()), (3, "b".into())]);
    assert!(matches!(history.tag(9, "x"), Err(HistoryError::NoRun(9))));
}

#[test]
fn pruning_leaves_the_latest_and_the_tagged() {
    let (_folder, path) = place();
    let mut history = History::open(&path).unwrap();
    for name in ["a", "a", "a", "b", "a"] {
        history.keep(name, &run(1)).unwrap();
    }
    history.tag(1, "release").unwrap();
    assert_eq!(history.prune(None, 1).unwrap(), 2);
    assert_eq!(names(&history, &Filter::default()).iter().map(|(id, _)| *id).collect::<Vec<_>>(), [1, 4, 5]);
    assert_eq!(history.prune(Some("b"), 0).unwrap(), 1);
    // Numbers are not given again.
    assert_eq!(history.keep("a", &run(1)).unwrap(), 6);
}

#[test]
fn a_history_of_the_first_version_is_brought_up_to_date() {
    let (_folder, path) = place();
    let old = Connection::open(&path).unwrap();
    old.execute_batch(schema::FIRST).unwrap();
    old.pragma_update(None, "user_version", 1).unwrap();
    old.execute(
        "INSERT INTO runs (name, started_unix_ns, verdict, target, rate_per_s, completed, run) VALUES ('old', 5, 'VALID', 't', 1.5, 2, ?1)",
        [run(3).encode()],
    )
    .unwrap();
    drop(old);
    let mut history = History::open(&path).unwrap();
    history.tag(1, "x").unwrap();
    let (entry, kept) = history.run(1).unwrap();
    assert_eq!((entry.name.as_str(), entry.tags), ("old", vec!["x".to_owned()]));
    assert_eq!(Summary::of(&kept).accounting.planned, 3);
}

/// Opens a file that is no history, and gives why it was refused. The file must be as it was, and nothing beside it.
fn refused(path: &Path) -> HistoryError {
    let before = std::fs::read(path).unwrap();
    let error = History::open(path).map(|_| ()).unwrap_err();
    assert!(std::fs::read(path).unwrap() == before, "{error}: the file was changed");
    let beside: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(beside.len(), 1, "{error}: {beside:?}");
    error
}

#[test]
fn what_is_no_history_is_refused_and_left_alone() {
    let (_folder, path) = place();
    std::fs::write(
        &path,
        "Dear diary, this is no database at all, but it is long enough to be one. ".repeat(30),
    )
    .unwrap();
    assert!(matches!(refused(&path), HistoryError::NotAHistory));
}

#[test]
fn a_database_of_another_program_is_refused_and_left_alone() {
    for version in [0, 1, 2] {
        let (_folder, path) = place();
        let other = Connection::open(&path).unwrap();
        other.execute_batch("CREATE TABLE runs (id INTEGER, route TEXT); CREATE TABLE shoes (size)").unwrap();
        other.pragma_update(None, "user_version", version).unwrap();
        drop(other);
        assert!(matches!(refused(&path), HistoryError::NotAHistory), "user_version {version}");
    }
}

#[test]
fn a_history_of_a_later_version_is_refused_and_left_alone() {
    let (_folder, path) = place();
    History::open(&path).unwrap().keep("a", &run(1)).unwrap();
    let later = Connection::open(&path).unwrap();
    later.pragma_update(None, "user_version", 99).unwrap();
    drop(later);
    let error = refused(&path);
    assert!(matches!(error, HistoryError::Newer { found: 99, known: 2 }));
    assert_eq!(
        error.to_string(),
        "it is of schema 99, and this version knows schemas up to 2; use the version that wrote it"
    );
}

#[test]
fn a_history_that_was_cut_short_or_scribbled_over_is_refused_and_left_alone() {
    let (_folder, path) = place();
    let mut history = History::open(&path).unwrap();
    let ids: Vec<i64> = (0..40).map(|_| history.keep("a", &run(1)).unwrap()).collect();
    assert_eq!(ids.len(), 40);
    drop(history);
    let whole = std::fs::read(&path).unwrap();
    assert!(whole.len() > 8 * 4096, "{} bytes are too few to cut", whole.len());
    // A file cut within its last page looks whole to the database; the checksum of the run in it does not match.
    for length in [100, 4096, 4097, whole.len() / 2, whole.len() - 4096] {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(matches!(refused(&path), HistoryError::NotAHistory), "cut after {length} bytes");
    }
    for page in 1..4 {
        let mut scribbled = whole.clone();
        scribbled[page * 4096..(page + 1) * 4096].fill(0x5a);
        std::fs::write(&path, &scribbled).unwrap();
        assert!(matches!(refused(&path), HistoryError::NotAHistory), "page {page} scribbled over");
    }
    std::fs::write(&path, &whole).unwrap();
    assert_eq!(names(&History::open(&path).unwrap(), &Filter::default()).len(), 40);
}

#[test]
fn an_upgrade_that_cannot_be_done_leaves_the_old_history() {
    let (_folder, path) = place();
    let old = Connection::open(&path).unwrap();
    old.execute_batch(schema::FIRST).unwrap();
    // Somebody made a table that stands in the way of the second step.
    old.execute_batch("CREATE TABLE tags (x)").unwrap();
    old.pragma_update(None, "user_version", 1).unwrap();
    drop(old);
    assert!(History::open(&path).is_err());
    let old = Connection::open(&path).unwrap();
    assert_eq!(old.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0)).unwrap(), 1);
    assert_eq!(old.query_row("SELECT count(*) FROM runs", [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

#[test]
fn several_write_at_once_and_nothing_is_lost() {
    let (_folder, path) = place();
    std::thread::scope(|scope| {
        for name in ["a", "b", "c", "d"] {
            let path = &path;
            scope.spawn(move || {
                let mut history = History::open(path).unwrap();
                let ids: Vec<i64> = (0..5).map(|_| history.keep(name, &run(1)).unwrap()).collect();
                assert!(ids.is_sorted());
            });
        }
    });
    assert_eq!(names(&History::open(&path).unwrap(), &Filter::default()).len(), 20);
}

#[test]
fn several_make_it_at_once_and_none_is_turned_away() {
    for _ in 0..20 {
        let (_folder, path) = place();
        let together = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    together.wait();
                    History::open(&path).unwrap();
                });
            }
        });
    }
}
