//! Tests of [`super::Log`].

use super::*;
use crate::StatusRange;
use std::io::Write;

fn all() -> Filter {
    Filter { methods: None, ..Filter::of_methods(&[]) }
}

fn read(bytes: Vec<u8>, filter: Filter, to: Option<&str>) -> Result<Log, LogError> {
    Log::new(Box::new(io::Cursor::new(bytes)), None, filter, Destinations::new(to).unwrap())
}

fn log(text: &str, filter: Filter) -> Log {
    read(text.as_bytes().to_vec(), filter, Some("http://to.test/")).unwrap()
}

fn line(second: u32, request: &str, status: u16) -> String {
    format!(
        "1.2.3.4 - - [10/Oct/2000:13:{:02}:{:02} +0000] \"{request}\" {status} 5\n",
        second / 60,
        second % 60
    )
}

fn paths(log: &mut Log) -> Vec<Vec<String>> {
    let paths = |part: Vec<Call>| part.into_iter().map(|call| call.path).collect();
    std::iter::from_fn(|| log.part().map(paths)).collect()
}

#[test]
fn every_line_is_sent_filtered_or_counted_with_its_reason() {
    let text = [
        line(0, "GET /a HTTP/1.1", 200),
        line(0, "POST /b HTTP/1.1", 200),
        line(1, "-", 408),
        "\n".into(),
        "nonsense\n".into(),
        line(2, "GET /c HTTP/1.1", 503),
    ];
    let statuses = vec![StatusRange::parse("2xx").unwrap()];
    let mut log = log(&text.concat(), Filter { statuses, ..Filter::of_methods(&["get".to_owned()]) });
    assert_eq!(paths(&mut log), [["/a"]]);
    let counts = log.counts();
    assert_eq!((counts.lines, counts.blank, counts.filtered, counts.skipped()), (6, 1, 2, 2));
    assert_eq!(counts.to_send(), 1);
    let skipped: Vec<_> = counts.skipped.iter().map(|(why, count)| (why.to_string(), *count)).collect();
    assert_eq!(skipped, [("unknown format".into(), (1, 5)), ("no valid request".into(), (1, 3))]);
}

#[test]
fn a_line_that_cannot_be_sent_does_not_end_the_replay() {
    let odd = ["http://[", "?x", "http:///%zz", "http://%/", "http://h:0/", "file:///x", "ftp://x/", "*"];
    let lines: String = odd.iter().map(|target| line(1, &format!("GET {target} HTTP/1.1"), 400)).collect();
    let text = [line(0, "GET /a HTTP/1.1", 200), lines, line(2, "GET /b HTTP/1.1", 200)].concat();
    let mut log = log(&text, all());
    assert_eq!(paths(&mut log), [["/a", "/b"]]);
    let skipped = &log.counts().skipped;
    assert_eq!(skipped[&Skipped::Unreadable(Unreadable::Request)], (odd.len() as u64, 2));
}

#[test]
fn a_request_without_a_server_is_counted_and_the_first_is_named() {
    let text = [line(0, "GET /a HTTP/1.1", 200), line(0, "GET http://b.test/b HTTP/1.1", 200)].concat();
    let mut log = read(text.into_bytes(), all(), None).unwrap();
    assert_eq!(paths(&mut log), [["/b"]]);
    assert_eq!(log.counts().skipped[&Skipped::NoServer], (1, 1));
    assert_eq!(log.counts().without_server.as_deref(), Some("/a"));
}

#[test]
fn a_part_spans_half_a_minute_and_is_in_order() {
    let text = [
        line(50, "GET /b HTTP/1.1", 200),
        line(49, "GET /a HTTP/1.1", 200),
        line(100, "GET /c HTTP/1.1", 200),
    ];
    assert_eq!(paths(&mut log(&text.concat(), all())), [vec!["/a", "/b"], vec!["/c"]]);
}

#[test]
fn requests_of_one_second_are_spread_over_it() {
    let text: String = (0..4).map(|_| line(5, "GET / HTTP/1.1", 200)).collect();
    let part = log(&text, all()).part().unwrap();
    let gaps: Vec<i64> = part.windows(2).map(|pair| pair[1].at_ns - pair[0].at_ns).collect();
    assert_eq!(gaps, [250_000_000; 3]);
}

#[test]
fn a_long_log_is_read_in_parts() {
    let text: String = (0..50_000).map(|number| line(number / 5_000, "GET / HTTP/1.1", 200)).collect();
    let sizes: Vec<usize> = paths(&mut log(&text, all())).iter().map(Vec::len).collect();
    assert_eq!(sizes, [20_000, 20_000, 10_000]);
}

#[test]
fn a_packed_log_is_unpacked_and_one_that_is_cut_short_says_so() {
    let text: String = (0..1_000).map(|number| line(0, &format!("GET /{number} HTTP/1.1"), 200)).collect();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(text.as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    let whole = |bytes: &[u8]| {
        let mut log = read(bytes.to_vec(), all(), Some("http://to.test/")).unwrap();
        let sent: usize = paths(&mut log).iter().map(Vec::len).sum();
        (sent, log.counts().broken.is_some())
    };
    assert_eq!(whole(&packed), (1_000, false));
    let (sent, is_broken) = whole(&packed[..packed.len() / 2]);
    assert!(is_broken && sent < 1_000, "{sent}");
}

fn entry(number: usize, padding: &str) -> String {
    format!(
        r#"{{"startedDateTime":"2000-10-10T20:55:36Z","request":{{"method":"POST","url":"http://a.test/{number}",
        "postData":{{"mimeType":"x/y","text":"body {number}"}}}},"response":{{"content":{{"text":"{padding}"}}}}}}"#
    )
}

#[test]
fn an_archive_of_any_length_is_sent_whole() {
    let padding = "x".repeat(100_000);
    let entries: Vec<String> = (0..300).map(|number| entry(number, &padding)).collect();
    let text = format!("{{\"log\":{{\"entries\":[{}]}}}}\n", entries.join(","));
    let mut log = log(&text, all());
    let calls: Vec<Call> = std::iter::from_fn(|| log.part()).flatten().collect();
    assert_eq!((calls.len(), log.counts().lines, log.counts().broken.is_some()), (300, 300, false));
    assert_eq!((calls[7].path.as_str(), calls[7].body.as_slice()), ("/7", &b"body 7"[..]));
    assert!(calls.iter().map(Call::size_bytes).sum::<usize>() < 1 << 20, "responses are not kept");
}

#[test]
fn a_part_is_bounded_by_the_bytes_of_its_bodies() {
    let body = "x".repeat(PART_BYTES / 10);
    let entry = |number: usize| entry(number, "").replace("body", &body);
    let entries: Vec<String> = (0..25).map(entry).collect();
    let mut log = log(&format!("{{\"log\":{{\"entries\":[{}]}}}}", entries.join(",")), all());
    let sizes: Vec<usize> = paths(&mut log).iter().map(Vec::len).collect();
    assert_eq!(sizes, [9, 9, 7]);
}

#[test]
fn a_line_beyond_the_limit_is_one_line() {
    let long = "x".repeat(3 * LINE_BYTES as usize);
    let text = [line(0, "GET /a HTTP/1.1", 200), long + "\n", line(1, "GET /b HTTP/1.1", 200), " \n".into()]
        .concat();
    let mut log = log(&text, all());
    assert_eq!(paths(&mut log), [["/a", "/b"]]);
    assert_eq!((log.counts().lines, log.counts().skipped(), log.counts().blank), (4, 1, 1));
}

#[test]
fn an_empty_log_is_refused() {
    assert!(matches!(read(Vec::new(), all(), None), Err(LogError::Empty)));
}
