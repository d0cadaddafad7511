//! One connection at a time: what a server says, and what comes of the calls.

use crate::diary::{Diary, asked, heard, heard_within, start, template};
use warwolf_http::{
    CallId, Cause, Http1, Limits, ReplyEnd, RequestBody, TemplateBuilder, Version, Violation,
};

/// What is heard of one `GET`, without the fields of its head.
fn outline(reply: &[u8]) -> String {
    outline_of("GET", reply)
}

fn outline_of(method: &str, reply: &[u8]) -> String {
    let heard = heard(&[method], [reply]);
    heard.lines().filter(|line| !line.starts_with("  ")).flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn a_reply_ends_where_its_framing_says() {
    let table: [(&str, &[u8], &str); 12] = [
        ("a length", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "body hi|end Length|kept"),
        ("a length of zero", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "end Length|kept"),
        ("equal lengths", b"HTTP/1.1 200 OK\r\nContent-Length: 2,2\r\ncontent-length: 2\r\n\r\nhi", "body hi|end Length|kept"),
        ("chunks", b"HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n1\r\nh\r\n1\r\ni\r\n0\r\n\r\n", "body hi|end Chunked|kept"),
        ("chunks beat a length", b"HTTP/1.1 200 OK\r\nContent-Length: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "body hi|end Chunked|kept"),
        ("a coding under chunks", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "body hi|end Chunked|kept"),
        ("the connection", b"HTTP/1.1 200 OK\r\n\r\nhi", "body hi|not kept|end Closed"),
        ("another coding", b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: gzip\r\n\r\nhi", "body hi|not kept|end Closed"),
        ("identity is no coding", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: identity\r\n\r\nhi", "body hi|end Length|kept"),
        ("no content", b"HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n", "end NoBody|kept"),
        ("not modified", b"HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", "end NoBody|kept"),
        ("another protocol", b"HTTP/1.1 101 Switching Protocols\r\n\r\n", "end NoBody|not kept"),
    ];
    for (what, reply, expected) in table {
        let heard = outline(reply);
        let rest: Vec<&str> =
            heard.lines().skip(2).map(|line| line.strip_prefix("0 ").unwrap_or(line)).collect();
        assert_eq!(rest.join("|"), expected, "{what}");
    }
}

#[test]
fn the_reply_to_head_has_no_body_and_a_tunnel_is_not_http_any_more() {
    let reply = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    assert_eq!(outline_of("HEAD", reply), "0 first byte\n0 head HTTP/1.1 200 38\n0 end NoBody\nkept\n");
    assert_eq!(
        outline_of("CONNECT", reply),
        "0 first byte\n0 head HTTP/1.1 200 38\n0 end NoBody\nnot kept\n"
    );
    assert_eq!(
        outline_of("CONNECT", b"HTTP/1.1 407 x\r\nContent-Length: 2\r\n\r\nno"),
        "0 first byte\n0 head HTTP/1.1 407 37\n0 body no\n0 end Length\nnot kept\n"
    );
}

#[test]
fn whether_the_connection_is_kept_depends_on_version_and_field() {
    let table = [
        ("1.1", "", "kept"),
        ("1.1", "Connection: close\r\n", "not kept"),
        ("1.1", "Connection: Keep-Alive, Close\r\n", "not kept"),
        ("1.1", "Connection: x\r\nConnection: ,close\r\n", "not kept"),
        ("1.1", "Connection: closed\r\n", "kept"),
        ("1.0", "", "not kept"),
        ("1.0", "Connection: keep-alive\r\n", "kept"),
        ("1.0", "Connection: keep-alive, close\r\n", "not kept"),
    ];
    for (version, fields, expected) in table {
        let reply = format!("HTTP/{version} 200 OK\r\n{fields}Content-Length: 0\r\n\r\n");
        assert_eq!(outline(reply.as_bytes()).lines().last(), Some(expected), "{version} {fields}");
    }
}

#[test]
fn a_request_that_says_close_ends_the_connection_whatever_the_reply_says() {
    let template =
        TemplateBuilder::new("GET", "/", Version::Http11).header("Connection", "close").build().unwrap();
    let mut http = Http1::new(Limits::default(), 2);
    start(&mut http, 0, &template);
    assert_eq!((http.room(), http.reusable()), (0, false));
    let mut diary = Diary::default();
    http.receive(b"HTTP/1.1 204 x\r\n\r\n", &mut diary).unwrap();
    assert_eq!(diary.read(), "0 first byte\n0 head HTTP/1.1 204 18\n0 end NoBody\n");
    assert_eq!((http.in_flight(), http.reusable()), (0, false));
}

#[test]
fn a_breach_is_named_for_what_it_is() {
    let long = [b"HTTP/1.1 200 OK\r\nA: ".as_slice(), &[b'a'; 65_536]].concat();
    let many = [b"HTTP/1.1 200 OK\r\n".as_slice(), &b"A: b\r\n".repeat(1_001), b"\r\n"].concat();
    let extension =
        [b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n1;".as_slice(), &[b'a'; 5000]].concat();
    let trailers = [
        b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n".as_slice(),
        &b"A: b\r\n".repeat(20_000),
    ]
    .concat();
    let table: [(&[u8], Violation); 27] = [
        (b"HTTP/2 200\r\n\r\n", Violation::BadStatusLine),
        (b"HTTP/1.1 20\r\n\r\n", Violation::BadStatusLine),
        (b"HTTP/1.1 2000\r\n\r\n", Violation::BadStatusLine),
        (b"HTTP/1.1 099 low\r\n\r\n", Violation::BadStatusLine),
        (b"<html>hello</html>", Violation::BadStatusLine),
        (b"HTTP/1.1 200 OK\r\n: x\r\n\r\n", Violation::BadHeader),
        (b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", Violation::BadHeader),
        (b"HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n", Violation::BadHeader),
        (b"HTTP/1.1 200 OK\r\n\rX", Violation::BadHeader),
        (&long, Violation::HeadTooLong),
        (&many, Violation::TooManyHeaders),
        (b"HTTP/1.1 200 x\r\nContent-Length:\r\n\r\n", Violation::BadContentLength),
        (b"HTTP/1.1 200 x\r\nContent-Length: -1\r\n\r\n", Violation::BadContentLength),
        (b"HTTP/1.1 200 x\r\nContent-Length: 9223372036854775808\r\n\r\n", Violation::BadContentLength),
        (b"HTTP/1.1 200 x\r\nContent-Length: 1, 2\r\n\r\n", Violation::ConflictingLengths),
        (b"HTTP/1.1 200 x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", Violation::ConflictingLengths),
        (b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", Violation::UnsupportedTransferCoding),
        (b"HTTP/1.1 200 x\r\nTransfer-Encoding: a b\r\n\r\n", Violation::UnsupportedTransferCoding),
        (b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", Violation::BadChunkSize),
        (
            b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n8000000000000000\r\n",
            Violation::BadChunkSize,
        ),
        (
            b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000000\r\n",
            Violation::BadChunkSize,
        ),
        (b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n1x\r\n", Violation::BadChunkSize),
        (&extension, Violation::BadChunkSize),
        (b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab", Violation::BadChunkEnd),
        (
            b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nHTTP/1.1 200 OK\r\n",
            Violation::BadHeader,
        ),
        (&trailers, Violation::HeadTooLong),
        (b"\rHTTP/1.1 200 OK\r\n\r\n", Violation::BadStatusLine),
    ];
    for (reply, violation) in table {
        let heard = heard(&["GET", "GET"], [reply]);
        let expected = format!("0 failed Violation({violation:?})\n1 failed Retired\nviolation\n");
        assert!(heard.ends_with(&expected), "{}: {heard}", reply[..reply.len().min(80)].escape_ascii());
    }
}

#[test]
fn the_largest_length_and_chunk_are_taken_for_what_they_say() {
    for head in [
        "Content-Length: 9223372036854775807\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n",
    ] {
        let reply = format!("HTTP/1.1 200 OK\r\n{head}some");
        assert!(
            outline(reply.as_bytes()).ends_with("0 body some\nkept\n0 failed ClosedMidReply\n"),
            "{head}"
        );
    }
}

#[test]
fn a_reason_is_what_stands_behind_the_status() {
    let rows = [
        ("HTTP/1.1 503 Service Temporarily Unavailable\r\n", "Service Temporarily Unavailable"),
        ("HTTP/1.1 200\r\n", ""),
        ("HTTP/1.1 200 \r\n", ""),
        ("HTTP/1.0  404  Not Found\n", "Not Found"),
        ("\r\nHTTP/1.1 200 OK\r\n", "OK"),
    ];
    for (line, reason) in rows {
        let mut http = asked(&["GET"], Limits::default());
        let mut diary = Diary::default();
        http.receive(format!("{line}Content-Length: 0\r\n\r\n").as_bytes(), &mut diary).unwrap();
        assert_eq!(diary.reasons, [reason], "{line:?}");
    }
}

#[test]
fn limits_are_met_exactly() {
    let reply = b"HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 0\r\n\r\n";
    let limits = Limits { max_head: reply.len(), max_headers: 2, ..Limits::default() };
    assert!(heard_within(&["GET"], [&reply[..]], limits).ends_with("0 end Length\nkept\n"));
    let shorter = Limits { max_head: reply.len() - 1, ..limits };
    assert!(heard_within(&["GET"], [&reply[..]], shorter).ends_with("Violation(HeadTooLong)\nviolation\n"));
    let fewer = Limits { max_headers: 1, ..limits };
    assert!(heard_within(&["GET"], [&reply[..]], fewer).ends_with("Violation(TooManyHeaders)\nviolation\n"));
}

#[test]
fn a_thousand_fields_fit_and_no_more() {
    for (fields, end) in [(128, "kept\n"), (129, "kept\n"), (1_000, "kept\n"), (1_001, "violation\n")] {
        let more = "Set-Cookie: a=b\r\n".repeat(fields - 1);
        let reply = format!("HTTP/1.1 200 OK\r\n{more}Content-Length: 0\r\n\r\n");
        let heard = heard_within(&["GET"], [reply.as_bytes()], Limits::default());
        assert!(heard.ends_with(end), "{fields}");
    }
}

#[test]
fn a_client_may_know_less_of_where_replies_end() {
    let chunked: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n";
    let short: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab";
    let long: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab";
    let odd: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nab";
    let none: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\nab";
    let framing = "body 1\\r\\na\\r\\n0\\r\\n\\r\\n|not kept|0 end Closed";
    let all = "body ab|not kept|0 end Closed";
    let rows = [
        (ReplyEnd::Length, chunked, framing),
        (ReplyEnd::Length, short, "body ab|kept|0 failed ClosedMidReply"),
        (ReplyEnd::Length, long, "body a|0 end Length|violation"),
        (ReplyEnd::Length, odd, all),
        (ReplyEnd::Length, none, "0 end NoBody|violation"),
        (ReplyEnd::Close, chunked, framing),
        (ReplyEnd::Close, short, all),
        (ReplyEnd::Close, long, all),
        (ReplyEnd::Close, odd, all),
        (ReplyEnd::Close, none, all),
    ];
    for (reply_end, reply, expected) in rows {
        let limits = Limits { reply_end, ..Limits::default() };
        let text = heard_within(&["GET"], [reply], limits);
        let expected = expected.replace('|', "\n") + "\n";
        assert!(text.ends_with(&expected), "{reply_end:?}, {}: {text}", reply.escape_ascii());
        assert_eq!(heard_within(&["GET"], reply.chunks(1), limits), text, "in whatever pieces it comes");
    }
    let limits = Limits { reply_end: ReplyEnd::Close, ..Limits::default() };
    let head = heard_within(&["HEAD"], [&b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"[..]], limits);
    assert!(head.ends_with("0 end NoBody\nkept\n"), "a reply to HEAD has no body to wait for: {head}");
}

#[test]
fn bytes_that_belong_to_no_call_are_a_violation_that_blames_none() {
    let mut http = Http1::new(Limits::default(), 1);
    let mut diary = Diary::default();
    assert_eq!(
        http.receive(b"HTTP/1.1 408 Request Timeout\r\n\r\n", &mut diary),
        Err(Violation::UnexpectedBytes)
    );
    assert_eq!(diary.read(), "");
    assert_eq!((http.room(), http.reusable()), (0, false));
    let extra = heard(&["GET"], [&b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab"[..]]);
    assert!(extra.ends_with("0 body a\n0 end Length\nviolation\n"), "{extra}");
}

#[test]
fn interim_replies_are_told_and_the_final_one_follows() {
    let reply =
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 204 x\r\n\r\n";
    assert_eq!(
        outline(reply),
        "0 first byte\n0 interim HTTP/1.1 100 25\n0 interim HTTP/1.1 103 37\n0 head HTTP/1.1 204 18\n0 end NoBody\nkept\n"
    );
}

#[test]
fn a_close_tells_calls_apart_by_how_far_they_had_come() {
    assert_eq!(heard(&["GET", "GET"], []), "kept\n0 failed ClosedBeforeReply\n1 failed ClosedBeforeReply\n");
    assert_eq!(
        heard(&["GET", "GET"], [&b"HTTP/1.1"[..]]),
        "0 first byte\nkept\n0 failed ClosedMidReply\n1 failed ClosedBeforeReply\n"
    );
    let interim_only = heard(&["GET"], [&b"HTTP/1.1 100 Continue\r\n\r\n"[..]]);
    assert!(interim_only.ends_with("kept\n0 failed ClosedMidReply\n"));
}

#[test]
fn pipelined_calls_behind_a_close_are_retired() {
    let reply = b"HTTP/1.1 204 x\r\n\r\nHTTP/1.1 204 x\r\nConnection: close\r\n\r\n";
    assert_eq!(
        heard(&["GET"; 4], [&reply[..]]),
        "0 first byte\n0 head HTTP/1.1 204 18\n0 end NoBody\n\
         1 first byte\n1 head HTTP/1.1 204 37\n  Connection: close\n1 end NoBody\n\
         2 failed Retired\n3 failed Retired\nnot kept\n"
    );
}

#[test]
fn room_is_what_the_pipeline_leaves() {
    let get = template("GET");
    let mut http = Http1::new(Limits::default(), 3);
    assert_eq!(http.room(), 3);
    start(&mut http, 0, &get);
    start(&mut http, 1, &get);
    assert_eq!((http.room(), http.in_flight()), (1, 2));
    let mut diary = Diary::default();
    http.receive(b"HTTP/1.1 204 x\r\n\r\n", &mut diary).unwrap();
    assert_eq!((http.room(), http.in_flight()), (2, 1));
    http.receive(b"HTTP/1.1 200 x\r\nConnection: close\r\nContent-Length: 4\r\n\r\n", &mut diary).unwrap();
    assert_eq!((http.room(), http.in_flight(), http.reusable()), (0, 1, false), "the server has said close");
    assert_eq!(
        Http1::new(Limits::default(), 0).room(),
        1,
        "a connection without any room would be of no use"
    );
}

#[test]
fn a_reply_before_the_request_was_sent_ends_the_upload_and_the_connection() {
    let template = TemplateBuilder::new("POST", "/", Version::Http11)
        .body(RequestBody::Streamed { length: 100 })
        .build()
        .unwrap();
    let mut http = Http1::new(Limits::default(), 1);
    start(&mut http, 0, &template);
    let mut diary = Diary::default();
    http.receive(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n", &mut diary).unwrap();
    assert_eq!(http.next_body(), Some(CallId(0)), "the reply is not complete, so the body is still wanted");
    http.receive(b"no", &mut diary).unwrap();
    assert_eq!((http.next_body(), http.reusable(), http.in_flight()), (None, false, 0));
    assert!(diary.read().ends_with("0 body no\n0 end Length\n"));
}

#[test]
fn an_abandoned_call_is_not_heard_of_and_those_around_it_are() {
    let mut http = asked(&["GET"; 3], Limits::default());
    http.abandon(CallId(1));
    http.abandon(CallId(1));
    assert_eq!((http.in_flight(), http.room(), http.reusable()), (2, 0, false));
    let mut diary = Diary::default();
    http.receive(&b"HTTP/1.1 200 x\r\nContent-Length: 1\r\n\r\na".repeat(3), &mut diary).unwrap();
    let calls: Vec<&str> = diary.read().lines().filter(|line| line.contains("end")).collect();
    assert_eq!(calls, ["0 end Length", "2 end Length"]);
    assert_eq!((http.in_flight(), http.reusable()), (0, false));
}

#[test]
fn an_upload_that_is_abandoned_is_not_pumped_on() {
    let template = TemplateBuilder::new("POST", "/", Version::Http11)
        .body(RequestBody::Streamed { length: 100 })
        .build()
        .unwrap();
    let mut http = Http1::new(Limits::default(), 1);
    start(&mut http, 0, &template);
    http.abandon(CallId(0));
    assert_eq!((http.next_body(), http.in_flight(), http.room()), (None, 0, 0));
}

#[test]
fn a_drain_names_the_calls_in_order() {
    let mut http = asked(&["GET"; 3], Limits::default());
    http.abandon(CallId(1));
    let mut drained = Vec::new();
    http.drain(|call| drained.push(call.0));
    assert_eq!(drained, [0, 2]);
    assert_eq!((http.in_flight(), http.room(), http.reusable()), (0, 0, false));
}

#[test]
fn trailers_come_as_fields_in_whatever_pieces_they_are_sent() {
    let reply: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
        2\r\nhi\r\n0\r\ngrpc-status: 7\r\nNote:  folded\n  twice \r\n\r\n";
    for size in [reply.len(), 7, 1] {
        let mut http = asked(&["GET"], Limits::default());
        let mut diary = Diary::default();
        for piece in reply.chunks(size) {
            http.receive(piece, &mut diary).unwrap();
        }
        assert_eq!(diary.trailers, ["0 grpc-status: 7 (42)", "0 Note: folded\\n  twice (42)"], "{size}");
    }
}

#[test]
fn a_known_head_means_what_it_meant_unless_the_method_differs() {
    let reply = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n";
    let mut http = asked(&["HEAD", "GET", "GET", "HEAD"], Limits::default());
    let mut diary = Diary::default();
    for body in [&b""[..], b"x", b"y", b""] {
        http.receive(&[&reply[..], body].concat(), &mut diary).unwrap();
    }
    let ends: Vec<&str> = diary.read().lines().filter(|line| line.contains("end")).collect();
    assert_eq!(ends, ["0 end NoBody", "1 end Length", "2 end Length", "3 end NoBody"]);
}

#[test]
fn a_cause_can_be_said_in_words() {
    assert_eq!(Violation::BadChunkSize.to_string(), "a chunk size is malformed");
    assert_ne!(Cause::Retired, Cause::ClosedBeforeReply);
}
