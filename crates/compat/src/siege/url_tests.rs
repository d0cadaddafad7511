use super::*;
use crate::siege::testing::Paper;

const SANE: Manner = Manner { escapes: true, quirks: false };
const OF_OLD: Manner = Manner { escapes: true, quirks: true };

fn target(text: &str, manner: Manner) -> Target {
    let mut said = String::new();
    let target = read(text, manner, &Paper::default(), &mut said);
    assert_eq!(said, "", "{text}");
    target
}

/// Formats method, endpoint and path.
fn found(text: &str) -> String {
    let target = target(text, SANE);
    format!("{} {} {}", target.method, target.endpoint, target.path)
}

#[test]
fn urls_may_leave_out_most_of_themselves() {
    let rows = [
        ("shemp", "GET http://shemp /"),
        ("shemp/x", "GET http://shemp /x"),
        ("www.x.org:8080", "GET http://www.x.org:8080 /"),
        ("127.0.0.1:8080/a?b=c", "GET http://127.0.0.1:8080 /a?b=c"),
        ("http://a.test", "GET http://a.test /"),
        ("http://a.test:/x", "GET http://a.test /x"),
        ("HTTP://LocalHost:81/A", "GET http://LocalHost:81 /A"),
        ("https://a.test/", "GET https://a.test /"),
        ("https://a.test:443/", "GET https://a.test /"),
        ("https://a.test:80/", "GET https://a.test:80 /"),
        ("http://u:p@a.test/z", "GET http://a.test /z"),
        ("http://[::1]:8080/x", "GET http://[::1]:8080 /x"),
        ("[::1]", "GET http://[::1] /"),
        ("http://a.test/six#frag", "GET http://a.test /six"),
        ("a.test?q=1", "GET http://a.test /?q=1"),
        ("a.test/p;x=1?q#f", "GET http://a.test /p;x=1?q"),
        ("a.test/a?b=http://c/d e", "GET http://a.test /a?b=http://c/d%20e"),
        ("  a.test/x ", "GET http://a.test /x%20"),
        ("http://a.test//five", "GET http://a.test //five"),
    ];
    for (text, expected) in rows {
        assert_eq!(found(text), expected, "{text}");
    }
}

#[test]
fn a_word_before_a_colon_is_a_scheme_unless_a_port_follows() {
    for text in ["gopher://a.test/x", "mailto:x", "shemp:"] {
        let target = target(text, SANE);
        assert!(target.unsupported && target.endpoint.host == NOWHERE, "{text}");
    }
    for text in ["localhost:8080/x/y?z", "shemp:8080"] {
        assert!(!target(text, SANE).unsupported, "{text}");
        assert!(target(text, OF_OLD).unsupported, "{text}");
    }
}

#[test]
fn what_no_host_can_be_called_goes_nowhere() {
    let rows = [
        "PATHX = hello",
        "\"http://a.test/quoted\"",
        "http://",
        "http:///x",
        "a.test:99999/",
        "a.test:x/",
        "[::1",
    ];
    for text in rows {
        let target = target(text, SANE);
        assert!(target.endpoint.host == NOWHERE && !target.unsupported, "{text}: {target:?}");
    }
    assert!(NOWHERE.len() > 63 && !NOWHERE.contains('.'));
}

#[test]
fn a_word_in_capitals_behind_the_url_is_its_method() {
    let rows = [
        ("a.test/ok POST a=1&b=two words", "POST", "/ok", "a=1&b=two words"),
        ("a.test/ok POST {\"a\": 1}", "POST", "/ok", "{\"a\": 1}"),
        ("a.test/ok PUT  d", "PUT", "/ok", "d"),
        ("a.test/ok PATCH d", "PATCH", "/ok", "d"),
        ("a.test/ok OPTIONS", "OPTIONS", "/ok", ""),
        ("a.test/ok DELETE", "DELETE", "/ok", ""),
        ("a.test/ok POST ", "POST", "/ok", ""),
        ("a.test/ok POSTx", "POST", "/ok", "x"),
        ("a.test/a PUT q POST z", "POST", "/a%20PUT%20q", "z"),
        ("a.test/a b POST x", "POST", "/a%20b", "x"),
    ];
    for (text, method, path, data) in rows {
        let target = target(text, SANE);
        assert_eq!((target.method, target.path.as_str()), (method, path), "{text}");
        assert_eq!(target.payload, Payload::Text(data.to_owned()), "{text}");
    }
}

#[test]
fn other_words_stay_in_the_path() {
    // URL, path shown, path sent. The original breaks its request line with the blanks.
    let rows = [
        ("a.test/ok GET d=GET", "/ok%20GET%20d=GET", "/ok%20GET%20d=GET"),
        ("a.test/j post x=1", "/j%20post%20x=1", "/j%20post%20x=1"),
        ("a.test/ok HEAD d=HEAD", "/ok HEAD d=HEAD", "/ok%20HEAD%20d=HEAD"),
        ("a.test/ok TRACE d", "/ok TRACE d", "/ok%20TRACE%20d"),
        ("a.test/ok CONNECT d", "/ok CONNECT d", "/ok%20CONNECT%20d"),
    ];
    for (text, shown, path) in rows {
        let target = target(text, SANE);
        assert_eq!((target.method, target.shown_path.as_str(), target.path.as_str()), ("GET", shown, path));
        assert_eq!(target.payload, Payload::None, "{text}");
    }
}

#[test]
fn lines_show_the_url_as_it_was_given() {
    let rows = [
        ("a.test/ok POST x", "http://a.test/ok"),
        ("http://u:p@a.test:80/z", "http://u:p@a.test:80/z"),
        ("a.test", "http://a.test/"),
        ("a.test/p#f POST x", "http://a.test/p#f"),
    ];
    for (text, shown) in rows {
        assert_eq!(target(text, SANE).shown_url, shown, "{text}");
    }
}

#[test]
fn unsafe_bytes_are_escaped_and_needless_escapes_undone() {
    let rows = [
        ("a.test/a b|c%41%20%zz{}[]<>é~", "/a%20b%7CcA%20%25zz%7B%7D[]%3C%3E%C3%A9%7E"),
        ("a.test/%7Euser/%2f%41%zz%", "/%7Euser/%2fA%25zz%25"),
        ("a.test/a:;/?@=&+", "/a:;/?@=&+"),
        ("a.test/!$'()*,-._", "/!$'()*,-._"),
        ("a.test/\"\\^`", "/%22%5C%5E%60"),
    ];
    for (text, path) in rows {
        assert_eq!(target(text, SANE).path, path, "{text}");
    }
    let raw = Manner { escapes: false, ..SANE };
    assert_eq!(target("a.test/a b|c%41", raw).shown_path, "/a b|c%41");
    assert_eq!(target("a.test/a b|c%41", raw).path, "/a%20b|c%41", "a blank would end the request target");
}

#[test]
fn data_may_come_from_a_file() {
    let world = Paper::default()
        .with_file("d.txt", "\n x=1&y=2 \n")
        .with_file("d.json", "{\"a\":1}\n")
        .with_file("d", " z ");
    let mut said = String::new();
    let rows = [
        ("a.test/ok POST <d.txt", Payload::Text("x=1&y=2".to_owned())),
        ("a.test/ok PUT  <  d.txt", Payload::Text("x=1&y=2".to_owned())),
        ("a.test/ok POST <d", Payload::Text("z".to_owned())),
        ("a.test/ok POST <d.json", Payload::File("d.json".into())),
    ];
    for (text, payload) in rows {
        assert_eq!(read(text, SANE, &world, &mut said).payload, payload, "{text}");
    }
    assert_eq!(said, "");
    let missing = read("a.test/ok POST </nonexistent", SANE, &world, &mut said);
    assert_eq!(missing.payload, Payload::Text(String::new()));
    assert_eq!(
        said,
        "[\u{1b}[1;33merror\u{1b}[0m] unable to open file: /nonexistent: No such file or directory\n"
    );
}

#[test]
fn a_url_may_bring_the_type_of_its_data() {
    let rows = [
        ("a.test/x POST -T application/json; {\"a\": 1}", Some("application/json"), "{\"a\": 1}"),
        ("a.test/x POST -T text/plain a b", Some("text/plain"), "a b"),
        ("a.test/x PUT -T a/b;-T c/d; e", Some("c/d"), "e"),
        ("a.test/x POST -T", None, "-T"),
        ("a.test/x POST -Temperature=3", None, "-Temperature=3"),
        ("a.test/x POST a=-T b/c", None, "a=-T b/c"),
        ("a.test/x DELETE -T a/b;", Some("a/b"), ""),
    ];
    for (text, content_type, data) in rows {
        let target = target(text, SANE);
        assert_eq!(target.content_type.as_deref(), content_type, "{text}");
        assert_eq!(target.payload, Payload::Text(data.to_owned()), "{text}");
    }
    let of_old = target("a.test/x POST -T a/b; c", OF_OLD);
    assert_eq!((of_old.content_type, of_old.payload), (None, Payload::Text("-T a/b; c".to_owned())));
}
