//! A scan allocates nothing after its construction.

use std::time::Duration;
use warwolf_plan::query::{Capture, Check};
use warwolf_plan::template::{Piece, Template};
use warwolf_scan::{End, Found, Scanner, Values};

/// Every value is `x`.
struct Letter;

impl Values for Letter {
    fn write(&self, template: &Template, out: &mut Vec<u8>) -> bool {
        for piece in &template.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Value(_) => out.push(b'x'),
            }
        }
        true
    }

    fn variable(&self, _: &str, out: &mut Vec<u8>) -> bool {
        out.push(b'x');
        true
    }
}

#[test]
fn a_reply_is_scanned_without_allocations() {
    let captures: Vec<Capture> = [
        "json $.token",
        "json $.items[*].id",
        "json $.items | count",
        "json $.items[*].name | last",
        "json $.user",
        "header X-Csrf",
        "header Location | url_param id",
        "cookie sid",
        "status",
        "{{letter}} | base64_encode",
        "json $.token | replace t T",
        "regex 'born\":\"(\\d+)-'",
    ]
    .iter()
    .map(|text| Capture::parse("capture", "c", text).unwrap())
    .collect();
    let checks: Vec<Check> = [
        "status == 200",
        "status in [200, 201]",
        "json $.ok == true",
        "json $.user.name == {{letter}}",
        "json $.user.name contains \"{{letter}}\"",
        "json $.items[*].id contains 2",
        "body contains \"\\\"ok\\\"\"",
        "body contains \"{{letter}}\"",
        "body matches \"items.*name\"",
        "header X-Csrf exists",
        "header Vary contains b",
        "latency < 800ms",
        "size < 1000",
        "sha256 exists",
        "{{letter}} == x",
        "json $.user.born is_date",
    ]
    .iter()
    .map(|text| Check::parse("check", text).unwrap())
    .collect();
    let scanner = Scanner::new(&captures, &checks).unwrap();
    assert_eq!(scanner.buffered(), 0);
    let mut scan = scanner.scan();
    let fields = [
        (&b"Content-Type"[..], &b"application/json"[..]),
        (b"X-Csrf", b"abc"),
        (b"Vary", b"a"),
        (b"Vary", b"b"),
        (b"Location", b"/next?id=a%20b"),
        (b"Set-Cookie", b"sid=12; Path=/"),
    ];
    let body = br#"{"token":"t\u00e9","ok":true,"user":{"name":"x","born":"2026-01-02T03:04:05Z"},
        "items":[{"id":1,"name":"a"},{"id":2,"name":"b"}]}"#;
    let info = allocation_counter::measure(|| {
        for _ in 0..3 {
            scan.begin(&scanner, &Letter);
            scan.head(&scanner, 200, "HTTP/1.1", &mut fields.iter().copied());
            body.chunks(50).for_each(|piece| scan.body(&scanner, piece));
            let end = End {
                latency: Duration::from_millis(3),
                url: "http://a.test/",
                body_bytes: body.len() as u64,
            };
            scan.end(&scanner, &end, &Letter);
            for index in 0..captures.len() {
                assert!(matches!(scan.capture(index), Found::Value(_)));
            }
            for index in 0..checks.len() {
                assert!(scan.holds(index));
            }
        }
    });
    assert_eq!(info.count_total, 0);
    let values: Vec<String> = (0..captures.len())
        .map(|index| match scan.capture(index) {
            Found::Value(value) => String::from_utf8_lossy(value).into_owned(),
            other => format!("{other:?}"),
        })
        .collect();
    let user = "{\"name\":\"x\",\"born\":\"2026-01-02T03:04:05Z\"}";
    assert_eq!(values, ["té", "[1,2]", "2", "b", user, "abc", "a b", "12", "200", "eA==", "Té", "2026"]);
}
