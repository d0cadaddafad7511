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

#[test]
fn what_is_no_history_is_refused_and_left_alone() {
    let (_folder, path) = place();
    std::fs::write(
        &path,
        "Dear diary, this is no database at all, but it is long enough to be one. ".repeat(30),
    )
    .unwrap();
    assert!(matches!(History::open(&path), Err(HistoryError::NotAHistory)));
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("Dear diary"));
    let (_folder, path) = place();
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(History::open(&path), Err(HistoryError::Newer { found: 99, .. })));
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
