use super::*;
use crate::siege::testing::Paper;
use crate::siege::{Call, CallCounter, Classic, parse};
use warwolf_plan::{Hole, HoleValue};

fn siege(rc: &str, words: &str) -> Classic {
    let world = Paper::default().with_file("rc", rc).with_file("up.txt", "what is stored\n");
    let argv: Vec<String> =
        ["siege", "-R", "rc"].into_iter().chain(words.split('|')).map(str::to_owned).collect();
    parse(&argv, &world).unwrap()
}

fn request(rc: &str, words: &str) -> Request {
    let Classic { plan, .. } = siege(rc, words);
    let plan = plan.unwrap();
    plan.clone().check().unwrap();
    plan.requests[0].clone()
}

#[test]
fn a_url_becomes_a_transfer() {
    let got = request("", "ftp://me:se%20cret@a.test/dir/file;type=a");
    assert_eq!(got.url(), "ftp://a.test/dir/file;type=a");
    assert_eq!((got.endpoint.port, got.method.as_str()), (21, "GET"));
    assert_eq!(got.basic_auth.as_deref(), Some("me:se cret"));
    assert!(got.headers.is_empty() && got.holes.is_empty());
    let put = request("unique = true\n", "FTP://a.test:2121/dir/up.txt PUT <up.txt");
    assert_eq!((put.endpoint.port, &*put.path), (2121, "/dir/up-.txt"));
    assert_eq!(put.holes, [Hole { at: 8, value: HoleValue::Session }]);
    assert_eq!(put.body, warwolf_plan::Body::Text("what is stored".to_owned()));
    assert_eq!(request("unique = false\n", "ftp://a.test/up.txt PUT <up.txt").holes, []);
    assert_eq!(request("", "-g|ftp://a.test/x").method, "GET", "there is no HEAD");
    let nowhere = request("", "ftp://a.test/x%0d%0aDELE%20y");
    assert_eq!(nowhere.endpoint.scheme, Scheme::Http, "two commands are no URL");
}

#[test]
fn a_number_goes_before_the_extension_of_the_last_name() {
    let rows = [
        ("/up.txt", "/up-7.txt"),
        ("/dir.d/up", "/dir.d/up-7"),
        ("/a.b.c", "/a.b-7.c"),
        ("/.hidden", "/.hidden-7"),
        ("/up.txt;type=a", "/up-7.txt;type=a"),
        ("/", "/-7"),
    ];
    for (path, expected) in rows {
        let (mut path, holes) = crate::siege::planning::numbered(path);
        path.insert(holes[0].at as usize, '7');
        assert_eq!(path, expected);
    }
}

#[test]
fn the_login_is_that_of_the_url_or_of_the_host_or_any() {
    let rc = "ftp-login = all:any\nftp-login = some:one:a.test\n";
    let rows = [
        (rc, "ftp://me:my@a.test/", "me:my"),
        (rc, "ftp://me@a.test/", "me:one"),
        (rc, "ftp://A.test/", "some:one"),
        (rc, "ftp://b.test/", "all:any"),
        ("", "ftp://b.test/", "anonymous:siege@joedog.org"),
        ("ftp-login = some:one:a.test\n", "ftp://b.test/", "anonymous:siege@joedog.org"),
    ];
    for (rc, url, login) in rows {
        assert_eq!(request(rc, url).basic_auth.as_deref(), Some(login), "{url}");
    }
    assert_eq!(request(rc, "http://me:my@a.test/").basic_auth, None, "no business of HTTP");
}

fn transfer<'a>(request: &'a Request, outcome: Outcome, status: u16, previous: u16) -> Transfer<'a> {
    Transfer { request, outcome, status, previous, text: b"550 no such file" }
}

/// Counts: transactions, successful, failed.
type Found = (u64, u64, u64);

fn found(words: &str, outcome: Outcome, status: u16, previous: u16, bytes: u64) -> (Found, u16) {
    let Classic { plan, style, .. } = siege("", words);
    let request = plan.unwrap().requests[0].clone();
    let (end, status) = transfer(&request, outcome, status, previous).end();
    let mut counter = CallCounter::default();
    let time = Duration::from_millis(5);
    let call = Call { user: 0, end, status, bytes, time, goes_on: false, gives_up: false, opening: false };
    counter.take(&style, &call);
    let counts = counter.counts(Duration::ZERO, 0);
    ((counts.hits, counts.successful, counts.failed), status)
}

#[test]
fn transfers_count_as_in_the_original_but_for_its_successes() {
    let (get, put) = ("ftp://a.test/x", "ftp://a.test/x PUT y");
    let done = Outcome::Completed;
    // command line, outcome, status, the status before it, bytes, counts, counts with --quirks, status shown
    let rows = [
        (get, done, 226, 125, 9, (1, 1, 0), (1, 1, 0), 125),
        (get, done, 226, 213, 9, (1, 1, 0), (1, 1, 0), 226),
        (get, done, 550, 200, 0, (1, 0, 0), (1, 1, 0), 550),
        (get, done, 426, 150, 3, (1, 0, 0), (1, 0, 0), 426),
        (get, Outcome::ClosedMidReply, 226, 150, 3, (1, 0, 0), (1, 0, 0), 150),
        (get, done, 530, 331, 0, (0, 0, 1), (0, 0, 1), 530),
        (get, done, 421, 0, 0, (0, 0, 1), (0, 0, 1), 421),
        (get, Outcome::Refused, 0, 0, 0, (0, 0, 1), (0, 0, 1), 0),
        (get, Outcome::Refused, 0, 227, 0, (0, 0, 1), (0, 0, 1), 0),
        (get, Outcome::ResponseTimeout, 0, 150, 5, (0, 0, 1), (0, 0, 1), 0),
        (put, done, 226, 150, 9, (1, 1, 0), (1, 0, 0), 150),
        (put, done, 226, 150, 0, (1, 1, 0), (1, 1, 0), 150),
        (put, done, 550, 200, 0, (1, 0, 0), (1, 1, 0), 550),
    ];
    for (words, outcome, status, previous, bytes, counts, quirks, shown) in rows {
        let case = format!("{words} {outcome:?} {status} {previous}");
        assert_eq!(found(words, outcome, status, previous, bytes), (counts, shown), "{case}");
        let quirky = format!("--quirks|{words}");
        assert_eq!(found(&quirky, outcome, status, previous, bytes), (quirks, shown), "{case}");
    }
}

#[test]
fn lines_and_notices_are_those_of_the_original() {
    let Classic { plan, style, .. } =
        siege("color = off\ncsv = true\ndisplay-id = true\n", "ftp://a.test:21/x PUT y");
    let request = plan.unwrap().requests[0].clone();
    let ftp = Ftp { is_in: true, is_whole: true, is_stored: true };
    let line = |style: &Style| ftp_line(style, &style.shown[0], 150, Duration::from_millis(12), 9, ftp);
    assert_eq!(line(&style), "FTP/150   0.01 secs:       9 bytes ==> PUT    /x\n");
    let colours = Style { color: true, ..style.clone() };
    assert_eq!(line(&colours), "\u{1b}[0;34mFTP/150   0.01 secs:       9 bytes ==> PUT    /x\u{1b}[0m\n");
    let refused = transfer(&request, Outcome::Completed, 550, 200);
    assert_eq!(refused.refusal(&style), "550 no such file\r\n");
    let hostile = Transfer { text: b"550 \x1b[2Jno\x07 \xc2\x9b1m\r\n", ..refused };
    assert_eq!(hostile.refusal(&style), "550 \\u{1b}[2Jno\\u{7} \\u{9b}1m\r\n");
    assert_eq!(refused.refusal(&Style { quiet: true, ..style.clone() }), "");
    assert_eq!(transfer(&request, Outcome::Completed, 425, 230).refusal(&style), "");
    let gone = transfer(&request, Outcome::Refused, 0, 0);
    let notice =
        "[\u{1b}[1;33merror\u{1b}[0m] browser.c:751 connection failed a.test:21: Connection refused\n";
    assert_eq!(gone.unreachable(), notice);
    assert_eq!(transfer(&request, Outcome::Refused, 0, 227).unreachable(), "", "not of a data connection");
}
