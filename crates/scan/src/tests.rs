//! Captures and checks by their text, over whole replies.

use super::*;
use warwolf_plan::query::{Capture, Check};
use warwolf_plan::template::{Piece, ValueSource};

/// Variables by name.
pub(crate) struct Named(pub(crate) &'static [(&'static str, &'static str)]);

impl Values for Named {
    fn write(&self, template: &Template, out: &mut Vec<u8>) -> bool {
        template.pieces.iter().all(|piece| match piece {
            Piece::Text(text) => {
                out.extend_from_slice(text.as_bytes());
                true
            }
            Piece::Value(ValueSource::Name(name)) => self.variable(name, out),
            Piece::Value(_) => false,
        })
    }

    fn variable(&self, name: &str, out: &mut Vec<u8>) -> bool {
        let value = self.0.iter().find(|(known, _)| *known == name);
        out.extend_from_slice(value.map_or("", |(_, value)| value).as_bytes());
        value.is_some()
    }
}

/// A reply to look at.
#[derive(Clone)]
pub(crate) struct Reply<'a> {
    pub(crate) status: u16,
    pub(crate) fields: &'a [(&'a str, &'a str)],
    pub(crate) body: &'a [u8],
    /// Where the body is cut into pieces.
    pub(crate) cuts: &'a [usize],
}

pub(crate) const VALUES: Named = Named(&[("id", "7"), ("name", "Ann"), ("flag", "true"), ("csv", "a,b")]);

pub(crate) fn reply(body: &(impl AsRef<[u8]> + ?Sized)) -> Reply<'_> {
    Reply { status: 200, fields: &[], body: body.as_ref(), cuts: &[] }
}

pub(crate) fn run(scanner: &Scanner, scan: &mut Scan, reply: &Reply<'_>) {
    scan.begin(scanner, &VALUES);
    let fields = reply.fields.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
    scan.head(scanner, reply.status, "HTTP/1.1", &mut { fields });
    let mut from = 0;
    for &cut in reply.cuts.iter().chain([&reply.body.len()]) {
        scan.body(scanner, &reply.body[from..cut]);
        from = cut;
    }
    let body_bytes = reply.body.len() as u64;
    let end = End { latency: Duration::from_millis(5), url: "http://a.test/x?id=9&q=a%20b", body_bytes };
    scan.end(scanner, &end, &VALUES);
}

/// Whether a check holds for a reply, and what it found.
pub(crate) fn check(text: &str, reply: &Reply<'_>) -> (bool, String) {
    let check = Check::parse("check", text).unwrap_or_else(|error| panic!("{error}"));
    let scanner = Scanner::new(&[], &[check]).unwrap_or_else(|error| panic!("{error}"));
    let mut scan = scanner.scan();
    run(&scanner, &mut scan, reply);
    (scan.holds(0), scan.found(0))
}

/// What a capture of at most `max` bytes finds.
pub(crate) fn capture(text: &str, max: u32, reply: &Reply<'_>) -> Result<String, String> {
    let mut capture = Capture::parse("capture", "c", text).unwrap_or_else(|error| panic!("{error}"));
    capture.max = max;
    let scanner = Scanner::new(&[capture], &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut scan = scanner.scan();
    run(&scanner, &mut scan, reply);
    match scan.capture(0) {
        Found::Value(value) => Ok(String::from_utf8_lossy(value).into_owned()),
        other => Err(format!("{other:?}")),
    }
}

fn assert_all(reply: &Reply<'_>, hold: &[&str], fail: &[&str]) {
    for (texts, expected) in [(hold, true), (fail, false)] {
        for text in texts {
            let (holds, found) = check(text, reply);
            assert_eq!(holds, expected, "{text}: found {found}");
        }
    }
}

const BODY: &str = r#" {"n": 3, "f": 1.50, "big": 123456789012345678901, "s": "a\"b\u00e9\ud83d\ude00", "t": true, "z": null,
 "d": "3", "e": "", "l": [1, "two", {"three": 3}, []], "o": {"a": 1, "b": {"c": "deep"}}, "el": [], "eo": {},
 "items": [{"id": 7, "name": "Ann"}, {"id": 8, "name": "Bob"}, {"id": 9}], "one": [{"id": "x\ny"}]} "#;

#[test]
fn json_values_keep_their_kinds() {
    assert_all(
        &reply(BODY),
        &[
            "json $.n == 3",
            "json $.n == 3.0",
            "json $.n != \"3\"",
            "json $.n > 2",
            "json $.n === 3",
            "json $.n === 3.0",
            "json $.n not === \"3\"",
            "json $.d === \"3\"",
            "json $.items[*].name includes Ann",
            "json $.n includes 3",
            "json $.n <= 3",
            "json $.n in [1, 3]",
            "json $.f == 1.5",
            "json $.f < 2",
            "json $.big > 1000",
            "json $.s == \"a\\\"bé😀\"",
            "json $.s contains é",
            "json $.s starts_with a",
            "json $.s ends_with 😀",
            "json $.s matches \"^a.b\"",
            "json $.t == true",
            "json $.t == {{flag}}",
            "json $.t != false",
            "json $.z == null",
            "json $.d == \"3\"",
            "json $.d != 3",
            "json $.e is_empty",
            "json $.el is_empty",
            "json $.eo is_empty",
            "json $.l not is_empty",
            "json $.l contains \"two\"",
            "json $.l contains 1",
            "json $.items[*].id == [7, 8, 9]",
            "json $.items[*].id contains {{id}}",
        ],
        &["json $.n == \"3\"", "json $.n == 4", "json $.t == \"true\"", "json $.z == 0", "json $.x == 1"],
    );
}

#[test]
fn what_is_missing_satisfies_nothing_but_opposites() {
    assert_all(
        &reply(BODY),
        &["json $.x not exists", "json $.x not == 1", "json $.x[0].y not exists", "header X not exists"],
        &["json $.x exists", "json $.x == null", "json $.x != 1", "json $.x is_empty", "header X == \"\""],
    );
}

#[test]
fn a_predicate_that_does_not_fit_the_kind_fails_both_ways() {
    assert_all(
        &reply(BODY),
        &[],
        &[
            "json $.n contains 3",
            "json $.n not contains 3",
            "json $.t is_empty",
            "json $.t not is_empty",
            "json $.s < 3",
            "json $.s not < 3",
            "json $.n is_uuid",
            "json $.n not is_uuid",
        ],
    );
}

#[test]
fn json_that_is_not_json_fails_every_check() {
    for body in
        ["", "{", "[1,]", "{\"a\":1}}", "nul", "\"\\x\"", "\"\\ud800\"", "01", "1.", "\u{1}", "{\"a\" 1}"]
    {
        for text in ["json $.a exists", "json $.a not exists", "json $..a count == 0"] {
            let text = text.replace("a count", "a | count");
            let (holds, found) = check(&text, &reply(body));
            assert!(!holds && found.contains("not JSON"), "{body:?} {text}: {found}");
        }
    }
}

#[test]
fn captures_are_the_text_that_is_inserted() {
    let reply = reply(BODY);
    for (text, expected) in [
        ("json $.n", "3"),
        ("json $.f", "1.50"),
        ("json $.s", "a\"bé😀"),
        ("json $.t", "true"),
        ("json $.z", "null"),
        ("json $.o", "{\"a\": 1, \"b\": {\"c\": \"deep\"}}"),
        ("json $.o.b.c", "deep"),
        ("json $.l[2].three", "3"),
        ("json $.items[*].id", "[7,8,9]"),
        ("json $.items[*].name", "[\"Ann\",\"Bob\"]"),
        ("json $.items | count", "3"),
        ("json $.items[*].name | count", "2"),
        ("json $.items[*].name | last", "Bob"),
        ("json $.items[*].id | last", "9"),
        ("json $.items[*].name | nth 1", "Bob"),
        ("json $.items | first | json $.id", "7"),
        ("json $.items | last", "{\"id\": 9}"),
        ("json $.items[-1].id", "9"),
        ("json $.one[*].id", "x\ny"),
        ("json $.none[*].id", "[]"),
        ("json $..name", "[\"Ann\",\"Bob\"]"),
        ("json '$.items[?(@.id>7)].id'", "[8,9]"),
        ("json '$.items[?@.name==\"Bob\"].id'", "8"),
        ("json $.items[0:2].id", "[7,8]"),
        ("regex '\"id\": (\\d+), \"name\": \"B'", "8"),
        ("body | regex 'An.'", "Ann"),
        ("regex '\\bAnn\\b'", "Ann"),
        ("status", "200"),
        ("version", "HTTP/1.1"),
        ("url | url_param q", "a b"),
        ("latency", "5000000"),
        ("{{name}}", "Ann"),
        ("{{csv}} | split ',' | last", "b"),
        ("{{name}} | base64_encode", "QW5u"),
        ("{{name}} | replace n x", "Axx"),
    ] {
        assert_eq!(capture(text, 256, &reply).as_deref(), Ok(expected), "{text}");
    }
    assert_eq!(capture("json $.x", 256, &reply).unwrap_err(), "Missing");
    assert_eq!(capture("json $.o", 8, &reply).unwrap_err(), "TooLong { length: 28, max: 8 }");
}

#[test]
fn heads_and_bodies_are_checked() {
    let fields = [
        ("Content-Type", "text/html; charset=utf-8"),
        ("X-Id", "42"),
        ("Vary", "a"),
        ("vary", "b"),
        ("Set-Cookie", "sid=abc; Path=/; Max-Age=60; Secure"),
    ];
    let reply = Reply { fields: &fields, ..reply("<p>Hello, world</p>") };
    assert_all(
        &reply,
        &[
            "status == 200",
            "status in [200, 201]",
            "status >= 200",
            "header X-Id == 42",
            "header x-id == \"42\"",
            "header X-Id > 41",
            "header X-Id is_text",
            "header Vary == [\"a\", \"b\"]",
            "header Vary | count == 2",
            "header Vary contains b",
            "header Vary includes b",
            "header X-Id includes \"42\"",
            "header X-Id not === 42",
            "cookie sid == abc",
            "cookie sid[Path] == /",
            "cookie sid[max-age] == 60",
            "cookie sid[Secure] exists",
            "cookie sid[HttpOnly] not exists",
            "body contains \"Hello, world\"",
            "body starts_with <p>",
            "body ends_with </p>",
            "body == \"<p>Hello, world</p>\"",
            "body matches \"H\\w+, w\"",
            "body not contains nothing",
            "body not is_empty",
            "body exists",
            "bytes contains hex:48656c6c6f",
            "bytes | count == 19",
            "size == 19",
            "latency < 6ms",
            "url contains a.test",
            "sha256 matches \"^[0-9a-f]{64}$\"",
        ],
        &["status == 201", "body contains nothing", "body starts_with p", "body == \"<p>\"", "latency < 5ms"],
    );
}

#[test]
fn a_list_of_one_element_is_unwrapped() {
    let reply = reply(br#"{"a": [{"n": 1, "t": "x"}, {"n": 2}], "b": 5}"#);
    let hold = [
        "json '$.a[?(@.n == 1)].t' | unwrap === x",
        "json '$.a[?(@.n == 2)].n' | unwrap === 2",
        "json $.a[*].n | unwrap | count == 2",
        "json $.a[*].t | unwrap is_text",
        "json $.b | unwrap === 5",
        "json '$.a[?(@.n == 3)]' | unwrap not exists",
    ];
    assert_all(&reply, &hold, &["json '$.a[?(@.n == 3)]' | unwrap exists", "json $.a[*].t | unwrap is_list"]);
    assert_eq!(capture("json '$.a[?(@.n == 1)].t' | unwrap", 9, &reply), Ok("x".to_owned()));
}
