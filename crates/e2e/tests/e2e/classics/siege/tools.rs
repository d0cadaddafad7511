//! What comes with siege, and our own options beside its own.

use warwolf_e2e::process::command;

use super::{Home, Scripted, program};

fn tool(home: &Home, name: &str, words: &[&str]) -> super::Said {
    let mut command = command("timeout");
    command.arg("60").arg(program()).arg(name);
    home.say(command, words)
}

/// Reports of the original, collected as people do it.
fn collected(home: &Home, server: &Scripted) -> String {
    let url = server.url("/ok");
    let runs = [["-c2", "-r3", &url], ["-c3", "-r10", &url]];
    runs.map(|words| home.theirs(&words).stderr).concat()
}

#[test]
fn siege2csv_makes_the_same_table() {
    let server = Scripted::start();
    let home = Home::new("verbose = false\n", &[]);
    let reports = collected(&home, &server);
    let table = |name: &str, run: &dyn Fn(&str)| {
        std::fs::write(home.path().join(name), &reports).expect("a new file");
        run(name);
        std::fs::read_to_string(home.path().join(format!("{name}.csv"))).expect("a table")
    };
    let theirs = table("theirs", &|name| {
        home.say(command("siege2csv"), &[name]);
    });
    let ours = table("ours", &|name| assert_eq!(tool(&home, "siege2csv", &[name]).code, Some(0)));
    let columns = |text: &str| {
        let rows = text.lines().skip(1).map(|row| row.rsplit_once(", ").expect("a last column"));
        rows.map(|(others, last)| (others.to_owned(), last.to_owned())).collect::<Vec<_>>()
    };
    let (theirs, ours) = (columns(&theirs), columns(&ours));
    assert_eq!(ours.len(), 2);
    for ((our_columns, our_last), (their_columns, _)) in ours.iter().zip(&theirs) {
        assert_eq!(our_columns, their_columns);
        // The original loses digits of the last column: 30 becomes 3.
        assert!(["6", "30"].contains(&our_last.as_str()), "{our_last}");
    }
    let missing = tool(&home, "siege2csv", &[]);
    let original = home.say(command("siege2csv"), &[]);
    assert_eq!((missing.stderr, missing.code), (original.stderr, original.code));
}

#[test]
fn bombardment_comes_with_more_and_more_users() {
    let server = Scripted::start();
    let list = format!("# four\n{}\n{}\n", server.url("/a"), server.url("/b"));
    let home = Home::new("verbose = false\n", &[("list", list)]);
    let said = tool(&home, "bombardment", &["list", "2", "3", "3", "0"]);
    assert_eq!((said.code, said.stdout.lines().count()), (Some(0), 3), "{said:#?}");
    assert!(said.stdout.starts_with("Starting run number 1\n"), "{said:#?}");
    let names =
        std::fs::read_dir(home.path()).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let table = names.filter_map(|name| name.into_string().ok()).find(|name| name.ends_with(".csv"));
    let table = std::fs::read_to_string(home.path().join(table.expect("a table"))).expect("a table");
    let users_and_hits: Vec<Vec<&str>> =
        table.lines().skip(1).map(|row| row.split(',').take(2).map(str::trim).collect()).collect();
    assert_eq!(users_and_hits, [["2", "4"], ["5", "10"], ["8", "16"]], "{table}");
    assert_eq!(server.asked().len(), 30);
    let usage = home.say(command("bombardment"), &[]);
    assert_eq!(tool(&home, "bombardment", &[]).stdout, usage.stdout);
}

#[test]
fn siege_config_writes_what_siege_reads() {
    let home = Home::new("", &[]);
    let first = tool(&home, "siege.config", &[]);
    assert!(first.stdout.starts_with("New configuration template added to "), "{first:#?}");
    let path = home.path().join(".siege/siege.conf");
    assert!(std::fs::read_to_string(&path).is_ok_and(|text| text.contains("gmethod = HEAD\n")));
    std::fs::write(&path, "concurrent = 7\n").expect("a file");
    let again = tool(&home, "siege.config", &[]);
    assert!(again.stdout.contains("Resource file already install as "), "{again:#?}");
    assert_eq!(
        std::fs::read_to_string(&path).expect("a file"),
        "concurrent = 7\n",
        "nobody's settings are lost"
    );
}

#[test]
fn the_whole_run_is_kept_for_those_who_ask() {
    let server = Scripted::start();
    let home = Home::new("verbose = false\n", &[]);
    let url = server.url("/ok");
    let plain = home.ours(&["-c2", "-r3", &url]);
    let kept = home.ours(&["-c2", "-r3", "--warwolf-report", "run.wwr", &url]);
    assert_eq!(super::masked(&kept.stderr), super::masked(&plain.stderr), "siege's report is the same");
    let again = tool(&home, "report", &["--format", "json", "run.wwr"]);
    assert!(
        again.stdout.contains("\"completed\": 6") || again.stdout.contains("\"completed\":6"),
        "{again:#?}"
    );
    home.ours(&["-c2", "-r3", "--warwolf-report", "run.json", &url]);
    let json = std::fs::read_to_string(home.path().join("run.json")).expect("a report");
    assert!(json.trim_start().starts_with('{') && json.contains("completed"), "{json}");
    let nowhere = home.ours(&["-c2", "-r3", "--warwolf-report", "no/such/folder", &url]);
    assert_eq!(nowhere.code, Some(1), "{nowhere:#?}");
}
