use super::*;

fn plain() -> Reply {
    Reply {
        http10: false,
        client10: false,
        status: 200,
        framing: Framing::Length,
        body: Body::Text(b"hello".to_vec()),
        headers: String::new(),
        extensions: false,
        trailers: false,
        interim: 0,
        body_delay: Duration::ZERO,
        head_only: false,
        keep_alive: true,
        announce_close: true,
        fault: None,
    }
}

/// Returns the script as text, with the pattern as `<n>` and chunks as `<total/size>`.
fn written(reply: Reply) -> (String, Ending) {
    let script = reply.script();
    let text = script
        .pieces
        .iter()
        .map(|piece| match piece {
            Piece::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Piece::Pattern(length) => format!("<{length}>"),
            Piece::Chunks { total, size, .. } => format!("<{total}/{size}>"),
            Piece::Pause(pause) => format!("<{pause:?}>"),
        })
        .collect();
    (text, script.ending)
}

const HEAD: &str = "HTTP/1.1 200 OK\r\nServer: warwolf-target\r\nContent-Type: text/plain\r\n";

#[test]
fn a_normal_response_has_a_length_and_keeps_the_connection() {
    assert_eq!(written(plain()), (format!("{HEAD}Content-Length: 5\r\n\r\nhello"), Ending::Keep));
}

#[test]
fn a_close_is_announced_unless_disabled() {
    let (text, ending) = written(Reply { keep_alive: false, ..plain() });
    assert!(text.contains("\r\nConnection: close\r\n"));
    assert_eq!(ending, Ending::Close);
    let (text, ending) = written(Reply { keep_alive: false, announce_close: false, ..plain() });
    assert!(!text.contains("Connection"));
    assert_eq!(ending, Ending::Close);
}

#[test]
fn chunked_coding_is_used_only_with_http_11() {
    let chunked = Reply { framing: Framing::Chunked(2), trailers: true, ..plain() };
    let (text, ending) = written(chunked.clone());
    assert_eq!(
        text,
        format!(
            "{HEAD}Transfer-Encoding: chunked\r\nTrailer: X-Checksum, X-Done\r\n\r\n2\r\nhe\r\n2\r\nll\r\n1\r\no\r\n\
             0\r\nX-Checksum: 0\r\nX-Done: yes\r\n\r\n"
        )
    );
    assert_eq!(ending, Ending::Keep);
    let (text, ending) = written(Reply { client10: true, ..chunked });
    assert_eq!(text, format!("{HEAD}Connection: close\r\n\r\nhello"));
    assert_eq!(ending, Ending::Close);
}

#[test]
fn http_10_announces_keep_alive() {
    let (text, ending) = written(Reply { client10: true, http10: true, ..plain() });
    assert!(text.starts_with("HTTP/1.0 200 OK\r\n"));
    assert!(text.contains("\r\nConnection: keep-alive\r\n"));
    assert_eq!(ending, Ending::Keep);
}

#[test]
fn some_responses_have_no_body() {
    let (text, _) = written(Reply { head_only: true, ..plain() });
    assert_eq!(text, format!("{HEAD}Content-Length: 5\r\n\r\n"));
    let (text, _) = written(Reply { status: 304, ..plain() });
    assert!(text.ends_with("Content-Length: 5\r\n\r\n"));
    let (text, _) = written(Reply { status: 204, framing: Framing::UntilClose, ..plain() });
    assert!(text.ends_with("Content-Type: text/plain\r\n\r\n"));
    assert!(!text.contains("close"));
}

#[test]
fn interim_responses_come_first_and_a_pause_follows_the_head() {
    let (text, _) = written(Reply { interim: 2, body_delay: Duration::from_millis(5), ..plain() });
    assert_eq!(text.matches("HTTP/1.1 103 Early Hints\r\n").count(), 2);
    assert!(text.ends_with("\r\n\r\n<5ms>hello"));
    let (text, _) = written(Reply { interim: 2, client10: true, ..plain() });
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"));
}

#[test]
fn every_fault_changes_the_response() {
    for (word, contains, ends_with, ending) in [
        ("reset", "", "", Ending::Reset),
        ("close", "", "", Ending::Close),
        ("hang", "", "", Ending::Hang),
        ("garbage", "lorem", "", Ending::Close),
        ("short-head", "HTTP/1.1 200 OK", "Con", Ending::Close),
        ("short", "Content-Length: 5\r\n", "\r\n\r\nhe", Ending::Close),
        ("reset-body", "Content-Length: 5\r\n", "\r\n\r\nhe", Ending::Reset),
        ("hang-body", "Content-Length: 5\r\n", "\r\n\r\nhe", Ending::Hang),
        ("badstatus", "HTTP/1.1 2xx ", "hello", Ending::Close),
        ("badheader", "\r\na line without a colon\r\n", "hello", Ending::Close),
        ("badlength", "Content-Length: many\r\n", "hello", Ending::Close),
        ("badchunk", "\r\n5\r\nhello\r\nxyz\r\n", "no such size\r\n", Ending::Close),
        ("conflict", "Content-Length: 5\r\nContent-Length: 6\r\n", "hello", Ending::Close),
        ("smuggle", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n", Ending::Close),
        ("excess", "Content-Length: 5\r\n", "hello<16>", Ending::Keep),
        ("longhead", "X-Long: xxxxxxxx", "\r\n\r\nhello", Ending::Keep),
    ] {
        let fault: crate::Fault = word.parse().unwrap();
        let (text, ended) = written(Reply { fault: Some(fault.kind), ..plain() });
        assert!(text.contains(contains), "{word}: {}", text.escape_debug());
        assert!(text.ends_with(ends_with), "{word}: {}", text.escape_debug());
        assert_eq!(ended, ending, "{word}");
    }
}

#[test]
fn a_truncated_body_is_detectable_with_every_framing() {
    for framing in [Framing::Length, Framing::Chunked(100), Framing::UntilClose] {
        for body in [Body::Pattern(0), Body::Pattern(1000)] {
            let reply = Reply { framing, body: body.clone(), fault: Some(FaultKind::Short), ..plain() };
            let (text, _) = written(reply);
            assert!(text.contains("Content-Length") || text.contains("chunked"), "{framing:?} {body:?}");
            assert!(!text.contains("Content-Length: 0"), "{framing:?} {body:?}");
            assert!(!text.ends_with("0\r\n\r\n"), "{framing:?} {body:?}");
        }
    }
}
