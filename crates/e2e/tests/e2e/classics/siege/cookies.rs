//! `cookies.txt`, and users who are let in by a cookie.

use super::{Home, Said, Scripted};

fn kept(home: &Home) -> Option<String> {
    std::fs::read_to_string(home.path().join(".siege/cookies.txt")).ok()
}

/// The lines of a file without the IDs, which are those of threads in the original, and in no order of its making.
fn without_ids(text: &str) -> Vec<String> {
    let line = |line: &str| line.split_once(" | ").map_or(line, |(_, cookie)| cookie).to_owned();
    let mut lines: Vec<String> = text.lines().map(line).collect();
    lines.sort();
    lines
}

fn figures(said: &Said) -> (u64, u64, u64) {
    let figure = |label: &str| {
        let rest = said.stderr.split_once(label).unwrap_or_else(|| panic!("{label}: {said:#?}")).1;
        rest.split_whitespace().next().expect("a figure").parse().expect("a whole number")
    };
    (figure("\nTransactions:"), figure("Successful transactions:"), figure("Failed transactions:"))
}

#[test]
fn the_file_is_the_same_and_either_reads_it() {
    let server = Scripted::start();
    let (theirs, ours) = (Home::new("", &[]), Home::new("", &[]));
    let url = server.url("/keeps");
    theirs.theirs(&["-c1", "-r2", &url]);
    ours.ours(&["--quirks", "-c1", "-r2", &url]);
    let (their_file, our_file) = (kept(&theirs).expect("a file"), kept(&ours).expect("a file"));
    assert_eq!(without_ids(&our_file), without_ids(&their_file), "{our_file}\n{their_file}");
    server.asked();
    for (home, file) in [(&ours, "our own"), (&theirs, "the original's")] {
        home.ours(&["-c2", "-r1", &server.url("/sub/x")]);
        let asked = server.asked();
        let cookies = asked.iter().filter(|request| request.contains("\r\nCookie: b=3;a=1\r\n")).count();
        assert_eq!((asked.len(), cookies), (2, 1), "the first of two users has it, from {file}: {asked:#?}");
        assert_eq!(without_ids(&kept(home).expect("a file")).len(), 7, "and it is still kept");
    }
    // What we keep for the very host is nothing that the original stumbles over.
    ours.ours(&["-c1", "-r1", &url]);
    let text = kept(&ours).expect("a file");
    assert!(text.ends_with("\nsiege-1 | b=3; domain=127.0.0.1; path=/sub; expires=1988236800\n"), "{text}");
    let said = ours.theirs(&["-c1", "-r1", &server.url("/ok")]);
    assert_eq!(figures(&said), (1, 1, 0));
    assert_eq!(without_ids(&kept(&ours).expect("a file")), without_ids(&text), "{said:#?}");
}

#[test]
fn a_cookie_of_the_command_line_goes_beside_those_of_the_session() {
    let server = Scripted::start();
    let (theirs, ours) = (Home::new("", &[]), Home::new("", &[]));
    let url = server.url("/setck");
    let words = ["-H", "Cookie: lang=en", "-c1", "-r2", &url];
    let cookies = |_said: Said| -> Vec<String> {
        let fields = |request: &String| {
            let lines = request.lines().filter(|line| line.starts_with("Cookie: "));
            lines.map(|line| line.replace("; ", ";")).collect::<Vec<_>>().join(" + ")
        };
        server.asked().iter().map(fields).collect()
    };
    server.asked();
    let (their_cookies, our_cookies) = (cookies(theirs.theirs(&words)), cookies(ours.ours(&words)));
    assert!(our_cookies[1].contains(" + Cookie: lang=en"), "{our_cookies:?}");
    assert_eq!(our_cookies, their_cookies);
}

#[test]
fn no_file_is_made_for_nothing() {
    let server = Scripted::start();
    let home = Home::new("", &[]);
    home.ours(&["-c1", "-r2", &server.url("/setck")]);
    assert_eq!(kept(&home), None, "a session's cookies are not kept");
    home.ours(&["--as", "1.00", "-c1", "-t1", "-u", &server.url("/keeps")]);
    assert_eq!(kept(&home), None, "1.00 knows no cookies");
    std::fs::remove_dir_all(home.path().join(".siege")).expect("a folder");
    let said = home.ours(&["-c1", "-r2", &server.url("/keeps")]);
    assert_eq!((kept(&home), said.stderr.contains("cookies")), (None, false), "{said:#?}");
    std::fs::create_dir_all(home.path().join(".siege/cookies.txt"))
        .expect("a folder where the file should be");
    let said = home.ours(&["-c1", "-r2", &server.url("/keeps")]);
    assert!(said.stderr.contains("ERROR: Unable to open cookies file: "), "{said:#?}");
    assert_eq!(said.code, Some(0));
}

#[test]
fn users_ask_to_be_let_in() {
    let server = Scripted::start();
    let rc = |ways: &[&str]| {
        let line = |way: &&str| format!("auth-url = {}\n", server.url(way));
        ways.iter().map(line).collect::<String>()
    };
    let lines = |said: &Said| -> Vec<String> {
        let word = |line: &str| {
            let path = line.rsplit(' ').next().unwrap_or_default();
            format!("{} {path}", line.split(' ').nth(1).unwrap_or_default())
        };
        said.stdout.lines().map(word).collect()
    };
    let url = server.url("/members");
    let said = Home::new(&rc(&["/s500", "/in"]), &[]).ours(&["-c1", "-r2", &url]);
    assert_eq!(lines(&said), ["403 /members", "500 /s500", "200 /in", "200 /members", "200 /members"]);
    assert_eq!(figures(&said), (3, 3, 0), "a 403 that is answered is none: {said:#?}");
    let said = Home::new(&rc(&["/s500"]), &[]).ours(&["-c1", "-r1", &url]);
    assert_eq!((lines(&said).len(), figures(&said)), (2, (0, 0, 1)), "{said:#?}");
    let said = Home::new(&rc(&["/s302"]), &[]).ours(&["-c1", "-r1", &url]);
    assert_eq!(
        (lines(&said).len(), figures(&said)),
        (3, (0, 1, 1)),
        "still forbidden, and then it is: {said:#?}"
    );
    let said = Home::new("", &[]).ours(&["--as", "4.1.7", "-c1", "-r1", &url]);
    assert_eq!(
        (lines(&said).len(), figures(&said)),
        (1, (0, 0, 1)),
        "4.1.7 takes it for a failure: {said:#?}"
    );
    let said = Home::new("", &[]).ours(&["--as", "4.1.7", "-c1", "-r1", &server.url("/made POST x")]);
    assert_eq!(
        lines(&said).last().map(String::as_str),
        Some("200 /there"),
        "and goes to what was made: {said:#?}"
    );
}
