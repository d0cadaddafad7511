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
            r#"/a?b="c""#,
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
        assert_eq!(Format::of(line.as_bytes()), Some(format), "{line}");
        let entry = format.read(line.as_bytes()).unwrap_or_else(|error| panic!("{error}: {line}"));
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
        assert_eq!(format.read(line.as_bytes()), Err(expected), "{line}");
    }
}

/// All entries of an archive, read in pieces of so many bytes.
fn entries(text: &str, piece: usize) -> std::io::Result<Vec<Result<Entry, Unreadable>>> {
    let mut input = std::io::BufReader::with_capacity(piece, text.as_bytes());
    let mut archive = Archive::default();
    std::iter::from_fn(|| archive.next(&mut input).transpose()).collect()
}

#[test]
fn an_archive_is_read_entry_by_entry() {
    let text = r#"{"log":{"version":"1.2","pages":[{"entries":[1]}],"creator":{"entries":[{}]},"entries":[
        {"startedDateTime":"2000-10-10T20:55:36.250Z","request":{"method":"GET","url":"http://a.test/x]},["},"response":{"status":200,"content":{"text":"\"}]"}}},
        {"startedDateTime":"soon","request":{"method":"GET","url":"http://a.test/y"},"response":{"status":0}}, 7 ,
        {"startedDateTime":"2000-10-10T20:55:37Z","request":{"method":"GET","url":"data:,x"}}],"comment":"]"}}"#;
    assert_eq!(Format::of(text.lines().next().unwrap().as_bytes()), Some(Format::Har));
    for piece in [1, 7, 8_192] {
        let entries = entries(text, piece).unwrap();
        let first = entries[0].as_ref().unwrap();
        assert_eq!((first.at_ns, first.target.as_str()), (AT + 250_000_000, "http://a.test/x]},["));
        assert_eq!(
            entries[1..],
            [Err(Unreadable::Time), Err(Unreadable::Format), Err(Unreadable::Request)],
            "in pieces of {piece}"
        );
    }
}

#[test]
fn an_archive_that_is_cut_short_or_is_none_says_so() {
    let text = r#"{"log":{"entries":[{"startedDateTime":"2000-10-10T20:55:36Z","request":{"method":"GET","url":"http://a/"}},{"#;
    assert_eq!(entries(text, 16).unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
    assert_eq!(entries("{\"log\":{}}", 16).unwrap(), [Err(Unreadable::Format)]);
    assert_eq!(entries("{\"log\":{\"entries\":[]}}", 16).unwrap(), []);
}

#[test]
fn an_entry_beyond_the_limit_is_skipped_and_the_next_is_read() {
    let next = r#"{"startedDateTime":"2000-10-10T20:55:36Z","request":{"method":"GET","url":"http://a/"}}"#;
    let text = format!("{{\"log\":{{\"entries\":[{{\"x\":\"{}\"}},{next}]}}}}", "a".repeat(ENTRY_BYTES_MAX));
    let entries = entries(&text, 8_192).unwrap();
    assert_eq!(entries[0], Err(Unreadable::Format));
    assert!(entries[1].is_ok() && entries.len() == 2);
}

fn archived(request: &str) -> Entry {
    let text = format!(
        r#"{{"startedDateTime":"2000-10-10T20:55:36Z","request":{{"url":"http://a.test/",{request}}}}}"#
    );
    har::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn an_archive_contains_fields_cookies_and_bodies() {
    let field = |entry: &Entry, name: &str| {
        let found = entry.headers.iter().find(|(field, _)| field.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.clone())
    };
    let entry = archived(
        r#""method":"POST","headers":[{"name":":path","value":"/"},{"name":"Host","value":"a"},
           {"name":"content-length","value":"9"},{"name":"X-Id","value":"7"},{"name":"bad name","value":""},
           {"name":"X-Line","value":"a\r\nb"}],"cookies":[{"name":"a","value":"1"},{"name":"b","value":"2"}],
           "postData":{"mimeType":"application/json","text":"{\"é\":1}"}"#,
    );
    let names: Vec<&str> = entry.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["X-Id", "Cookie", "Content-Type"]);
    assert_eq!(field(&entry, "cookie").as_deref(), Some("a=1; b=2"));
    assert_eq!(entry.body, "{\"é\":1}".as_bytes());

    let entry = archived(r#""method":"PUT","postData":{"mimeType":"x/y","text":"AP8=","encoding":"base64"}"#);
    assert_eq!(entry.body, [0, 255]);

    let params = r#"[{"name":"a b","value":"ü&="},{"name":"c","value":null}]"#;
    let post = |kind: &str| {
        archived(&format!(r#""method":"POST","postData":{{"mimeType":"{kind}","params":{params}}}"#))
    };
    let entry = post("application/x-www-form-urlencoded");
    assert_eq!(entry.body, b"a%20b=%C3%BC%26%3D&c=");
    let entry = post("multipart/form-data; boundary=B");
    let text = "--B\r\nContent-Disposition: form-data; name=\"a b\"\r\n\r\nü&=\r\n\
                --B\r\nContent-Disposition: form-data; name=\"c\"\r\n\r\n\r\n--B--\r\n";
    assert_eq!(String::from_utf8_lossy(&entry.body), text);
    let entry = post("multipart/form-data");
    assert_eq!(
        field(&entry, "content-type").as_deref(),
        Some("multipart/form-data; boundary=warwolf-form-boundary")
    );
}

#[test]
fn escapes_are_undone_and_what_cannot_be_sent_is_encoded() {
    let clf = |request: &str| {
        format!(
            r#"1.2.3.4 - - [10/Oct/2000:20:55:36 +0000] "{request}" 200 5 "http://r/\"x" "A\x22\xC3\xA9""#
        )
    };
    let json = |request: &str| format!(r#"{{"time":"2000-10-10T20:55:36Z","request":"{request}"}}"#);
    let rows = [
        (clf(r"GET /a\x22\xC3\xA9?b HTTP/1.1"), "GET", r#"/a"%C3%A9?b"#),
        (clf(r#"GET /a\"b\\c\td HTTP/1.1"#), "GET", r#"/a"b\c%09d"#),
        (clf("GET /a b  c HTTP/1.1"), "GET", "/a%20b%20%20c"),
        (clf("GET /é HTTP/1.1"), "GET", "/%C3%A9"),
        (clf("GET /old"), "GET", "/old"),
        (clf(r"GET /\q\x4 HTTP/1.1"), "GET", r"/\q\x4"),
        (clf("OPTIONS * HTTP/1.1"), "OPTIONS", "*"),
        (json(r#"GET /a\"\u00e9 HTTP/1.1"#), "GET", r#"/a"%C3%A9"#),
        (json(r"GET /a\x22b HTTP/1.1"), "GET", r#"/a"b"#),
        (json(r"GET /a\\x22\\b HTTP/1.1"), "GET", r#"/a"\b"#),
        (json("GET /a b HTTP/1.1"), "GET", "/a%20b"),
    ];
    for (line, method, target) in rows {
        let format = Format::of(line.as_bytes()).unwrap_or_else(|| panic!("{line}"));
        let entry = format.read(line.as_bytes()).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!((entry.method.as_str(), entry.target.as_str()), (method, target), "{line}");
        if format == Format::Common {
            let fields: Vec<&str> = entry.headers.iter().map(|(_, value)| value.as_str()).collect();
            assert_eq!(fields, [r#"http://r/"x"#, "A\"é"]);
        }
    }
    let raw = b"1.2.3.4 - - [10/Oct/2000:20:55:36 +0000] \"GET /\xff HTTP/1.1\" 200 5";
    assert_eq!(Format::Common.read(raw).unwrap().target, "/%FF");
    for request in ["GET * HTTP/1.1", "GET  HTTP/1.1", "GET", "CONNECT a:443 HTTP/1.1"] {
        assert_eq!(Format::Common.read(clf(request).as_bytes()), Err(Unreadable::Request), "{request}");
    }
}

#[test]
fn times_are_the_starts_of_requests() {
    let rows = [
        (
            r#""StartUTC":"2000-10-10T20:55:36.5Z","time":"2000-10-10T20:55:40Z","Duration":3500000"#,
            500,
            false,
        ),
        (r#""ts":971211336.75,"duration":0.25"#, 500, false),
        (r#""msec":"971211337.500","request_time":"1.000""#, 500, false),
        (r#""time_iso8601":"2000-10-10T20:55:38+00:00","request_time":2.900"#, 0, true),
        (r#""ts":971211336.5,"duration":"long""#, 500, false),
        (r#""ts":971211336.5,"duration":-1e300"#, 500, false),
    ];
    for (fields, millis, whole_second) in rows {
        let line = format!(r#"{{{fields},"request":{{"method":"GET","uri":"/"}}}}"#);
        let entry = Format::Json.read(line.as_bytes()).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!((entry.at_ns, entry.whole_second), (AT + millis * 1_000_000, whole_second), "{line}");
    }
}

#[test]
fn a_virtual_host_is_told_from_a_name_with_blanks() {
    let host = |before: &str| {
        let line = format!(r#"{before} [10/Oct/2000:20:55:36 +0000] "GET / HTTP/1.1" 200 5"#);
        Format::Common.read(line.as_bytes()).unwrap().host
    };
    assert_eq!(host("a.test:80 1.2.3.4 - -").as_deref(), Some("a.test:80"));
    assert_eq!(host("a.test 1.2.3.4 - ann lee").as_deref(), Some("a.test"));
    assert_eq!(host("1.2.3.4 - ann lee"), None);
    assert_eq!(host("1.2.3.4 - [odd]"), None);
}

#[test]
fn the_format_is_known_by_a_line_without_a_valid_request() {
    let line = r#"1.2.3.4 - - [10/Oct/2000:20:55:36 +0000] "-" 408 5"#;
    assert_eq!(Format::of(line.as_bytes()), Some(Format::Common));
    assert_eq!(Format::of(br#"{"time":"x","request":"GET /\x22 HTTP/1.1"}"#), Some(Format::Json));
    assert_eq!(Format::of(b"{"), Some(Format::Har));
    assert_eq!(Format::of(br#"{ "log": {"#), Some(Format::Har));
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
        for end in 0..=line.len() {
            let _ = format.read(&line.as_bytes()[..end]);
            let _ = format.read(&line.as_bytes()[end..]);
        }
        let _ = format.read("1 1 é [1/Jan/é] \"é".as_bytes());
    }
}

#[test]
fn a_duration_beyond_all_times_does_not_overflow() {
    let line = format!("1066036250.603 {} 10.0.0.1 TCP_MISS/200 1 GET http://a.test/ - DIRECT/- -", i64::MAX);
    assert!(Format::Squid.read(line.as_bytes()).is_ok_and(|entry| entry.at_ns < 0));
}
