//! However a body is cut into pieces, the result is the same, and it is that of serde_json.

use proptest::prelude::*;
use serde_json::Value;
use std::time::Duration;
use warwolf_plan::query::{Capture, Check, Query};
use warwolf_plan::template::Template;
use warwolf_scan::{End, Found, Scan, Scanner, Values};

struct Nothing;

impl Values for Nothing {
    fn write(&self, _: &Template, _: &mut Vec<u8>) -> bool {
        false
    }

    fn variable(&self, _: &str, _: &mut Vec<u8>) -> bool {
        false
    }
}

fn run<'a>(
    scanner: &Scanner,
    scan: &mut Scan,
    fields: &[(&str, &str)],
    pieces: impl Iterator<Item = &'a [u8]>,
) {
    scan.begin(scanner, &Nothing);
    let mut fields = fields.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
    scan.head(scanner, 200, "HTTP/1.1", &mut fields);
    let mut body_bytes = 0;
    for piece in pieces {
        body_bytes += piece.len() as u64;
        scan.body(scanner, piece);
    }
    scan.end(scanner, &End { latency: Duration::ZERO, url: "http://a.test/", body_bytes }, &Nothing);
}

/// All that a scan has found.
fn results(scan: &Scan, captures: usize, checks: usize) -> Vec<String> {
    let captures = (0..captures).map(|index| match scan.capture(index) {
        Found::Value(value) => String::from_utf8_lossy(value).into_owned(),
        other => format!("{other:?}"),
    });
    captures.chain((0..checks).map(|index| format!("{} {}", scan.holds(index), scan.found(index)))).collect()
}

fn captures(texts: &[&str]) -> Vec<Capture> {
    let mut captures: Vec<Capture> =
        texts.iter().map(|text| Capture::parse("capture", "c", text).expect("a capture")).collect();
    captures.iter_mut().for_each(|capture| capture.max = 4096);
    captures
}

fn checks(texts: &[&str]) -> Vec<Check> {
    texts.iter().map(|text| Check::parse("check", text).expect("a check")).collect()
}

/// Gives the body in two pieces, cut everywhere, and in pieces of one byte.
fn assert_cut_anywhere(scanner: &Scanner, fields: &[(&str, &str)], body: &[u8], counts: (usize, usize)) {
    let mut scan = scanner.scan();
    run(scanner, &mut scan, fields, [body].into_iter());
    let whole = results(&scan, counts.0, counts.1);
    for cut in 0..=body.len() {
        run(scanner, &mut scan, fields, [&body[..cut], &body[cut..]].into_iter());
        assert_eq!(
            results(&scan, counts.0, counts.1),
            whole,
            "cut at {cut}: {:?}",
            String::from_utf8_lossy(body)
        );
    }
    run(scanner, &mut scan, fields, body.chunks(1));
    assert_eq!(results(&scan, counts.0, counts.1), whole, "in bytes: {:?}", String::from_utf8_lossy(body));
}

const CAPTURES: [&str; 17] = [
    "json $",
    "json $.a",
    "json $.a.b",
    "json $.a[0]",
    "json $.a[*]",
    "json $.a[*].b",
    "json $.a | count",
    "json $.a | last",
    "json $.a[*].b | nth 1",
    "json $.*",
    "json $..b",
    "regex 'b\": *(\\w+)'",
    "regex 'b\".*'",
    "regex '(a|b\"|1)*[}\\]]$'",
    "body | regex '^[^a]*a(.)' | url_encode",
    "body",
    "sha256",
];

const CHECKS: [&str; 14] = [
    "json $.a exists",
    "json $.a is_list",
    "json $.a is_empty",
    "json $.a[*].b contains 2",
    "body contains \"b\\\":\"",
    "body contains ab",
    "body starts_with \"{\\\"a\\\"\"",
    "body ends_with \"]}\"",
    "body matches \"[0-9]+\\]\"",
    "body matches \"^\\{.a\"",
    "body matches \"\\}$\"",
    "body == \"{\\\"a\\\":1}\"",
    "bytes | count == 7",
    "md5 exists",
];

const BODIES: [&str; 16] = [
    "",
    "{\"a\":1}",
    "{\"a\":[1,{\"b\":2},{\"b\":\"x\\u00e9\\ud83d\\ude00\"}]}",
    " {\"a\" : {\"b\" : \"\\\"\\n\\/\" } , \"\\u0061\": {\"c\": null}} ",
    "{\"a\":[{\"b\":1,\"b\":2},{\"b\":3}]}",
    "{\"a\":{\"b\":1},\"a\":{\"c\":2}}",
    "{\"a\":[[{\"b\":[]}],{}],\"aa\":true,\"\":false}",
    "[{\"a\":-1.5e+10},0]",
    "-0.0",
    "\"ab\"",
    "{\"a\":\"é😀ab\"}",
    "{\"a\":1",
    "{\"a\":[1,]}",
    "{\"a\":tru}",
    "{\"a\":\"\\ud83d\"}",
    "{\"a\":\"\u{7f}\u{1}\"}",
];

#[test]
fn cuts_change_nothing() {
    let scanner = Scanner::new(&captures(&CAPTURES), &checks(&CHECKS)).unwrap();
    for body in BODIES {
        assert_cut_anywhere(&scanner, &[], body.as_bytes(), (CAPTURES.len(), CHECKS.len()));
    }
    assert_cut_anywhere(&scanner, &[], b"{\"a\":\"\xff\"}", (CAPTURES.len(), CHECKS.len()));
}

#[test]
fn compressed_bodies_are_looked_at_as_they_were() {
    use flate2::{Compression, GzBuilder, write::ZlibEncoder};
    use std::io::Write as _;
    let body = BODIES[2].as_bytes();
    let scanner = Scanner::new(&captures(&CAPTURES), &[]).unwrap();
    let mut scan = scanner.scan();
    run(&scanner, &mut scan, &[], [body].into_iter());
    let plain = results(&scan, CAPTURES.len(), 0);
    let builder = GzBuilder::new().filename("name").comment("comment").extra(vec![1, 2, 3]);
    let mut gzip = builder.write(Vec::new(), Compression::default());
    gzip.write_all(body).unwrap();
    let gzip = gzip.finish().unwrap();
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
    zlib.write_all(body).unwrap();
    let zlib = zlib.finish().unwrap();
    let raw = &zlib[2..zlib.len() - 4];
    for (coding, sent) in [("gzip", &gzip[..]), ("X-GZIP", &gzip), ("deflate", &zlib), ("deflate", raw)] {
        let fields = [("Content-Encoding", coding)];
        run(&scanner, &mut scan, &fields, [sent].into_iter());
        assert_eq!(results(&scan, CAPTURES.len(), 0), plain, "{coding}");
        assert_cut_anywhere(&scanner, &fields, sent, (CAPTURES.len(), 0));
    }
    for (coding, sent, why) in [
        ("br", &gzip[..], "neither gzip nor deflate"),
        ("gzip", body, "corrupt"),
        ("gzip", &gzip[..gzip.len() - 12], "too early"),
        ("deflate", &zlib[..zlib.len() - 6], "too early"),
    ] {
        run(&scanner, &mut scan, &[("Content-Encoding", coding)], [sent].into_iter());
        let results = results(&scan, 1, 0);
        assert!(results[0].contains(why), "{coding}: {results:?}");
    }
}

#[test]
fn a_body_in_another_charset_is_not_read_as_utf8() {
    let scanner = Scanner::new(&[], &checks(&["body contains b", "bytes contains b"])).unwrap();
    let mut scan = scanner.scan();
    let fields = [("Content-Type", "text/plain; charset=\"ISO-8859-1\"")];
    run(&scanner, &mut scan, &fields, [&b"abc"[..]].into_iter());
    assert!(scan.holds(0) && scan.holds(1));
    run(&scanner, &mut scan, &fields, [&b"ab\xe9"[..]].into_iter());
    assert!(!scan.holds(0) && scan.holds(1));
    assert!(scan.found(0).contains("charset"), "{}", scan.found(0));
}

#[test]
fn a_body_of_100_mb_needs_no_more_memory() {
    let scanner = Scanner::new(
        &captures(&["json $.items[*].id | last", "json $.end", "json $.items | count", "json $.items"]),
        &checks(&["body contains \"\\\"end\\\"\"", "body ends_with \"true}\"", "json $..x exists"]),
    )
    .unwrap();
    let mut scan = scanner.scan();
    let item = b"{\"id\":123,\"name\":\"a name that is rather long\",\"tags\":[\"a\",\"b\"],\"price\":12.5},";
    let mut block = Vec::new();
    while block.len() < 1 << 16 {
        block.extend_from_slice(item);
    }
    let items = block.len() / item.len() * 1600;
    let pieces = [&b"{\"items\":["[..]].into_iter().chain(std::iter::repeat_n(&block[..], 1600));
    run(&scanner, &mut scan, &[], pieces.chain([&b"{\"id\":\"last\"}],\"end\": true}"[..]]));
    assert_eq!(scan.capture(0), Found::Value(b"last"));
    assert_eq!(scan.capture(1), Found::Value(b"true"));
    assert_eq!(scan.capture(2), Found::Value((items + 1).to_string().as_bytes()));
    assert!(matches!(scan.capture(3), Found::TooLong { length, max: 4096 } if length > 100_000_000));
    assert!(scan.holds(0) && scan.holds(1));
    assert!(!scan.holds(2) && scan.found(2).contains("more than 65536"), "{}", scan.found(2));
}

#[test]
fn deep_nesting_is_refused() {
    let scanner = Scanner::new(&captures(&["json $"]), &[]).unwrap();
    let mut scan = scanner.scan();
    for (depth, is_fine) in [(127, true), (128, true), (129, false), (1_000_000, false)] {
        let body = ["[".repeat(depth), "]".repeat(depth)].concat();
        run(&scanner, &mut scan, &[], [body.as_bytes()].into_iter());
        assert_eq!(matches!(scan.capture(0), Found::Value(_)), is_fine, "{depth}");
    }
}

fn document() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["[a-c]{0,3}", "[a-e\"\\\\/\u{0}-\u{1f}é😀]{0,6}", ".{0,10}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec(("[a-c]", inner), 0..4).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// Steps: names a to c, indices, and the wildcard.
fn path() -> impl Strategy<Value = Vec<String>> {
    let step = prop_oneof![
        "[a-c]".prop_map(|name| format!(".{name}")),
        (0..4).prop_map(|index| format!("[{index}]")),
        Just("[*]".to_owned()),
    ];
    prop::collection::vec(step, 0..4)
}

/// What the path finds, by serde_json.
fn select<'a>(node: &'a Value, steps: &[String], found: &mut Vec<&'a Value>) {
    let Some((step, rest)) = steps.split_first() else { return found.push(node) };
    let inside = step.trim_matches(['.', '[', ']']);
    match inside.parse::<usize>() {
        _ if inside == "*" => {
            let elements = node.as_array().into_iter().flatten();
            let members = node.as_object().into_iter().flat_map(|object| object.values());
            elements.chain(members).for_each(|child| select(child, rest, found));
        }
        Ok(index) => node.get(index).into_iter().for_each(|child| select(child, rest, found)),
        Err(_) => node.get(inside).into_iter().for_each(|child| select(child, rest, found)),
    }
}

fn as_inserted(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn paths_find_what_serde_json_finds(
        document in document(),
        path in path(),
        is_pretty in any::<bool>(),
        size in 1_usize..20,
    ) {
        let body = if is_pretty { serde_json::to_string_pretty(&document) } else { serde_json::to_string(&document) };
        let body = body.unwrap();
        let text = format!("json ${}", path.concat());
        let kept = format!("body | utf8_encode | utf8_decode | {text}");
        let texts = [&text[..], &kept, &format!("{text} | count"), &format!("{text} | first"), &format!("{text} | last")];
        let scanner = Scanner::new(&captures(&texts), &[]).unwrap();
        let mut scan = scanner.scan();
        run(&scanner, &mut scan, &[], body.as_bytes().chunks(size));
        let results = results(&scan, texts.len(), 0);
        prop_assert_eq!(&results[0], &results[1], "streaming and buffered: {} {}", text, body);
        let mut found = Vec::new();
        select(&document, &path, &mut found);
        let is_list = path.iter().any(|step| step == "[*]");
        let parsed = |text: &str| serde_json::from_str::<Value>(text).ok();
        match &found[..] {
            [] if !is_list => prop_assert_eq!(&results[0], "Missing"),
            [one] if one.is_string() => prop_assert_eq!(&results[0], &as_inserted(one)),
            [one] => prop_assert_eq!(parsed(&results[0]), Some((*one).clone())),
            all => prop_assert_eq!(parsed(&results[0]), Some(all.iter().map(|value| (*value).clone()).collect())),
        }
        let elements: Option<Vec<&Value>> = match &found[..] {
            all if is_list => Some(all.to_vec()),
            [Value::Array(elements)] => Some(elements.iter().collect()),
            _ => None,
        };
        if let Some(elements) = elements {
            prop_assert_eq!(&results[2], &elements.len().to_string());
            for (result, element) in [(&results[3], elements.first()), (&results[4], elements.last())] {
                match element {
                    Some(element) if element.is_string() => prop_assert_eq!(result, &as_inserted(element)),
                    Some(element) => prop_assert_eq!(parsed(result), Some((*element).clone())),
                    None => prop_assert!(result.starts_with("Unreadable"), "{}", result),
                }
            }
        }
    }

    #[test]
    fn what_serde_json_refuses_is_refused(
        document in document(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), "[\\[\\]{},:\"0-9eE.+\\-tfn\\\\ua \n]{0,2}"), 0..4),
        size in 1_usize..20,
    ) {
        let mut body = document.to_string();
        for (at, text) in edits {
            let at = at.index(body.len() + 1);
            if body.is_char_boundary(at) && body.is_char_boundary(at + 1) && at < body.len() {
                body.replace_range(at..=at, &text);
            }
        }
        let scanner = Scanner::new(&captures(&["json $"]), &[]).unwrap();
        let mut scan = scanner.scan();
        run(&scanner, &mut scan, &[], body.as_bytes().chunks(size));
        let expected = serde_json::from_str::<Value>(&body);
        let is_too_large = |error: &serde_json::Error| error.to_string().starts_with("number out of range");
        prop_assume!(!expected.as_ref().is_err_and(is_too_large));
        let is_valid = !matches!(scan.capture(0), Found::Unreadable(_));
        prop_assert_eq!(is_valid, expected.is_ok(), "{} {:?}", body, expected);
    }

    #[test]
    fn texts_are_found_wherever_they_are_cut(
        body in "[ab]{0,40}",
        needle in "[ab]{1,5}",
        size in 1_usize..7,
    ) {
        let texts = ["contains", "starts_with", "ends_with", "==", "matches"].map(|word| format!("body {word} {needle}"));
        let scanner = Scanner::new(&[], &checks(&texts.each_ref().map(String::as_str))).unwrap();
        prop_assert_eq!(scanner.buffered(), 0);
        let mut scan = scanner.scan();
        run(&scanner, &mut scan, &[], body.as_bytes().chunks(size));
        let contains = body.contains(&needle);
        let expected = [contains, body.starts_with(&needle), body.ends_with(&needle), body == needle, contains];
        for (index, expected) in expected.into_iter().enumerate() {
            prop_assert_eq!(scan.holds(index), expected, "{} in {}", texts[index], body);
        }
    }
    #[test]
    fn regular_expressions_find_what_they_find_in_a_whole_text(
        body in "[ab\n]{0,60}",
        pattern in "(a|b|a\\+|b\\*|\\(a\\)|\\(a\\|ab\\)|\\(b\\*\\)|\\^|\\$|\\.\\+|\\.\\*\\?|\\\\b){1,5}",
        size in 1_usize..20,
    ) {
        let Ok(regex) = regex_automata::meta::Regex::new(&pattern) else { return Ok(()) };
        let capture = Capture::new("c", Query::Regex(pattern.clone()));
        let scanner = Scanner::new(&[capture], &[]).unwrap();
        let mut scan = scanner.scan();
        run(&scanner, &mut scan, &[], body.as_bytes().chunks(size));
        let mut found = regex.create_captures();
        regex.search_captures(&regex_automata::Input::new(&body), &mut found);
        let group = usize::from(regex.captures_len() > 1);
        let expected = match found.get_group(group) {
            Some(span) => body[span.range()].to_owned(),
            None => "Missing".to_owned(),
        };
        prop_assert_eq!(&results(&scan, 1, 0)[0], &expected, "{} in {:?}", pattern, body);
    }
}

#[test]
fn a_match_in_a_long_body_is_found() {
    let scanner = Scanner::new(&captures(&["regex 'id=(\\d+);'", "regex 'x.*y'"]), &[]).unwrap();
    assert_eq!(scanner.buffered(), 0);
    let mut scan = scanner.scan();
    let filling = [b'-'; 100_000];
    for size in [1, 1000, 100_000] {
        let body = [&filling[..], b"id=42;\nx", &filling, b"y\n", &filling].concat();
        run(&scanner, &mut scan, &[], body.chunks(size));
        assert_eq!(scan.capture(0), Found::Value(b"42"));
        assert!(matches!(scan.capture(1), Found::Unreadable(why) if why.contains("longer than")));
    }
}
