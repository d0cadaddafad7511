use super::*;

const AT: i64 = 971_211_336_000_000_000;

#[test]
fn lines_of_all_formats_are_parsed() {
    let rows = [
        (
            Format::Common,
            r#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326"#,
            "GET",
            "/apache_pb.gif",
            None,
            Some(200),
            AT,
        ),
        (
            Format::Common,
            r#"::1 - - [10/Oct/2000:20:55:36 +0000] "POST /a?b=\"c\" HTTP/1.1" 404 - "http://x/" "Mozilla \"5\"""#,
            "POST",
            r#"/a?b=\"c\""#,
            None,
            Some(404),
            AT,
        ),
        (
            Format::Common,
            r#"a.test:80 1.2.3.4 - - [10/Oct/2000:20:55:36 +0000] "HEAD / HTTP/2.0" 304 0 "-" "-""#,
            "HEAD",
            "/",
            Some("a.test:80"),
            Some(304),
            AT,
        ),
        (
            Format::Squid,
            "971211336.310    310 192.168.0.227 TCP_MISS/200 1540 GET http://a.test/x - DIRECT/1.2.3.4 text/html",
            "GET",
            "http://a.test/x",
            None,
            Some(200),
            AT,
        ),
        (
            Format::Squid,
            "971211336.000 0 10.0.0.1 NONE/000 0 GET http://a.test/ - HIER_NONE/- -",
            "GET",
            "http://a.test/",
            None,
            None,
            AT,
        ),
        (
            Format::Json,
            r#"{"time_iso8601":"2000-10-10T20:55:36+00:00","request":"GET /x?y HTTP/1.1","status":"200","host":"a.test"}"#,
            "GET",
            "/x?y",
            Some("a.test"),
            Some(200),
            AT,
        ),
        (
            Format::Json,
            r#"{"ts":971211336.0,"request":{"method":"GET","host":"b.test","uri":"/z"},"status":500}"#,
            "GET",
            "/z",
            Some("b.test"),
            Some(500),
            AT,
        ),
        (
            Format::Json,
            r#"{"msec":"971211336.000","request_method":"PUT","request_uri":"/u","status":201}"#,
            "PUT",
            "/u",
            None,
            Some(201),
            AT,
        ),
    ];
    for (format, line, method, target, host, status, at_ns) in rows {
        assert_eq!(Format::of(line), Some(format), "{line}");
        let entry = format.read(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(
            (entry.method.as_str(), entry.target.as_str(), entry.host.as_deref()),
            (method, target, host),
            "{line}"
        );
        assert_eq!((entry.status, entry.at_ns), (status, at_ns), "{line}");
    }
}

#[test]
fn an_invalid_line_yields_the_reason() {
    let rows = [
        (Format::Common, "", Unreadable::Format),
        (Format::Common, r#"1.2.3.4 - - [yesterday] "GET / HTTP/1.0" 200 1"#, Unreadable::Time),
        (Format::Common, r#"1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "-" 408 -"#, Unreadable::Request),
        (
            Format::Common,
            r#"1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "\x16\x03\x01" 400 -"#,
            Unreadable::Request,
        ),
        (Format::Common, r#"1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0"#, Unreadable::Format),
        (
            Format::Squid,
            "971211336.310 310 1.2.3.4 TCP_TUNNEL/200 39 CONNECT a.test:443 - HIER/1 -",
            Unreadable::Request,
        ),
        (Format::Squid, "971211336.310 310 1.2.3.4", Unreadable::Format),
        (Format::Json, "[1]", Unreadable::Format),
        (Format::Json, r#"{"request":"GET / HTTP/1.1"}"#, Unreadable::Time),
        (Format::Json, r#"{"time":"2000-10-10T20:55:36Z"}"#, Unreadable::Request),
    ];
    for (format, line, expected) in rows {
        assert_eq!(format.read(line), Err(expected), "{line}");
    }
}

#[test]
fn an_archive_is_parsed_as_a_whole() {
    let text = r#"{"log":{"version":"1.2","entries":[
        {"startedDateTime":"2000-10-10T20:55:36.250Z","request":{"method":"GET","url":"http://a.test/x"},"response":{"status":200}},
        {"startedDateTime":"soon","request":{"method":"GET","url":"http://a.test/y"},"response":{"status":0}}]}}"#;
    assert_eq!(Format::of(text.lines().next().unwrap()), Some(Format::Har));
    let entries = har(text).unwrap();
    assert_eq!(entries[0].as_ref().unwrap().at_ns, AT + 250_000_000);
    assert_eq!(entries[1], Err(Unreadable::Time));
    assert_eq!(har("{}"), Err(Unreadable::Format));
}

#[test]
fn the_usual_time_formats_are_parsed() {
    for text in [
        "10/Oct/2000:13:55:36 -0700",
        "2000-10-10T20:55:36Z",
        "2000-10-10T20:55:36",
        "2000-10-10 20:55:36",
        "971211336",
        "971211336000",
    ] {
        assert_eq!(parse_time(text), Some(AT), "{text}");
    }
    for text in ["", "10/Okt/2000:13:55:36 -0700", "32/Oct/2000:13:55:36 -0700", "-5", "1.2.3"] {
        assert_eq!(parse_time(text), None, "{text}");
    }
}

#[test]
fn truncated_lines_do_not_panic() {
    let line = r#"a.test 1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 1 "é""#;
    for format in [Format::Common, Format::Squid, Format::Json] {
        for end in (0..=line.len()).filter(|end| line.is_char_boundary(*end)) {
            let _ = format.read(&line[..end]);
            let _ = format.read(&line[end..]);
        }
        let _ = format.read("1 1 é [1/Jan/é] \"é");
    }
}

#[test]
fn a_duration_beyond_all_times_does_not_overflow() {
    let line = format!("1066036250.603 {} 10.0.0.1 TCP_MISS/200 1 GET http://a.test/ - DIRECT/- -", i64::MAX);
    assert!(Format::Squid.read(&line).is_ok_and(|entry| entry.at_ns < 0));
}
