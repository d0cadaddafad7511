use super::*;
use proptest::prelude::*;

impl Cookies {
    fn set_for(&mut self, request: &Request, field: &[u8], date: Option<&[u8]>) {
        self.set(&request.endpoint, &request.path, field, date);
    }

    fn write_for(&self, request: &Request, add: AddField<'_>) {
        self.write(&request.endpoint, &request.path, add);
    }
}

fn request(url: &str) -> Request {
    Request::get(url).unwrap()
}

/// The `Cookie` line for `url` after `fields` were set in a reply from `from`, without its name and line end.
fn sent(from: &str, fields: &[&str], url: &str) -> String {
    let mut cookies = Cookies::default();
    fields.iter().for_each(|field| cookies.set_for(&request(from), field.as_bytes(), None));
    line(&cookies, url)
}

fn line(cookies: &Cookies, url: &str) -> String {
    let out = crate::fields::lines(|add| cookies.write_for(&request(url), add));
    let line = String::from_utf8(out).unwrap();
    match line.strip_prefix("Cookie: ") {
        Some(rest) => rest.strip_suffix("\r\n").unwrap().to_owned(),
        None => line,
    }
}

#[test]
fn a_plain_reply_does_not_replace_a_secure_cookie() {
    let after = |plain: &str| {
        let mut cookies = Cookies::default();
        cookies.set_for(&request("https://a.test/in/"), b"x=tls; Secure; Path=/in", None);
        cookies.set_for(&request("http://a.test/in/"), plain.as_bytes(), None);
        line(&cookies, "https://a.test/in/")
    };
    for forged in ["x=forged; Path=/in", "x=; Max-Age=0; Path=/in", "x=forged; Path=/in/deep; Domain=a.test"]
    {
        assert_eq!(after(forged), "x=tls", "{forged}");
    }
    assert_eq!(after("y=other; Path=/in"), "x=tls; y=other");
    assert_eq!(after("x=wide; Path=/"), "x=tls; x=wide", "one of another path stands beside it");
}

#[test]
fn which_requests_carry_a_cookie() {
    // (set by, the field, for, whether it goes there, why)
    let cases = [
        ("a.test/", "x=1", "a.test/any", true, "without a path it is for the directory"),
        ("a.test/", "x=1", "A.TEST/", true, "hosts have no case"),
        ("a.test/", "x=1", "a.test:8080/", true, "ports do not part cookies (RFC 6265 section 8.5)"),
        ("a.test/", "x=1", "www.a.test/", false, "without a domain it is for the host alone"),
        ("a.test/", "x=1", "b.test/", false, "another host"),
        ("a.test/", "x=1; Domain=a.test", "www.a.test/", true, "a domain is for all below it"),
        ("a.test/", "x=1; Domain=.a.test", "www.a.test/", true, "a leading dot means nothing"),
        ("a.test/", "x=1; Domain=A.Test", "www.a.test/", true, "domains have no case"),
        ("a.test/", "x=1; Domain=", "www.a.test/", false, "an empty domain is none"),
        ("www.a.test/", "x=1; Domain=a.test", "a.test/", true, "a host may set one for its parent"),
        ("www.a.test/", "x=1; Domain=a.test", "other.a.test/", true, "and so for its sisters"),
        ("a.test/", "x=1; Domain=www.a.test", "www.a.test/", false, "but not for its children alone"),
        ("a.test/", "x=1; Domain=b.test", "b.test/", false, "nor for a stranger"),
        ("evila.test/", "x=1; Domain=a.test", "a.test/", false, "nor for what its name only ends with"),
        ("a.test/", "x=1; Domain=test", "b.test/", false, "nor for a whole top level"),
        ("localhost/", "x=1; Domain=localhost", "localhost/", true, "a name without a dot may name itself"),
        ("localhost/", "x=1; Domain=localhost", "x.localhost/", false, "and no more"),
        ("127.0.0.1/", "x=1", "127.0.0.1/", true, "an address is a host"),
        ("127.0.0.1/", "x=1; Domain=127.0.0.1", "127.0.0.1/", true, "and may name itself"),
        ("127.0.0.1/", "x=1; Domain=0.0.1", "127.0.0.1/", false, "but has no domain"),
        ("[::1]/", "x=1", "[::1]:81/", true, "IPv6 as well"),
        ("a.test/dir/page", "x=1", "a.test/dir/other", true, "the directory of the page"),
        ("a.test/dir/page", "x=1", "a.test/dir", true, "is that path itself"),
        ("a.test/dir/page", "x=1", "a.test/", false, "and not what is above"),
        ("a.test/dir/page?a/b", "x=1", "a.test/dir/", true, "a query has no directories"),
        ("a.test/", "x=1; Path=/dir", "a.test/dir/page", true, "below the path"),
        ("a.test/", "x=1; Path=/dir", "a.test/dir?query", true, "the path itself"),
        ("a.test/", "x=1; Path=/dir", "a.test/directory", false, "not what begins with its letters"),
        ("a.test/", "x=1; Path=/dir/", "a.test/dir/page", true, "a slash at the end"),
        ("a.test/", "x=1; Path=/dir/", "a.test/dir", false, "is part of the path"),
        ("a.test/x/y", "x=1; Path=relative", "a.test/x/", true, "a path without slash is none"),
        ("a.test/", "x=1; path=/a; PATH=/b", "a.test/b", true, "the last path counts"),
        ("https://a.test/", "x=1; Secure", "https://a.test/", true, "secure over TLS"),
        ("https://a.test/", "x=1; Secure", "http://a.test/", false, "and only over TLS"),
        ("http://a.test/", "x=1; Secure", "https://a.test/", false, "a plain reply sets no secure one"),
        (
            "a.test/",
            "x=1; HttpOnly; SameSite=Lax; Priority=High",
            "a.test/",
            true,
            "others mean nothing here",
        ),
        (
            "a.test/",
            "x=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
            "a.test/",
            true,
            "Max-Age wins",
        ),
        ("a.test/", "x=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT", "a.test/", true, "a date to come"),
        ("a.test/", "x=1; Expires=soon", "a.test/", true, "no date"),
        ("a.test/", "x=1; Max-Age=soon", "a.test/", true, "no age"),
    ];
    for (from, field, url, goes, why) in cases {
        assert_eq!(sent(from, &[field], url), if goes { "x=1" } else { "" }, "{from} {field} {url}: {why}");
    }
}

#[test]
fn what_deletes_a_cookie() {
    for field in [
        "x=; Max-Age=0",
        "x=2; Max-Age=-1",
        "x=; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        "x=; expires=Thu, 01-Jan-70 00:00:01 GMT",
        "x=; Expires=Sunday, 06-Nov-94 08:49:37 GMT",
        "x=; Expires=Sun Nov  6 08:49:37 1994",
        "x=; Max-Age=000; Expires=Thu, 01 Jan 2099 00:00:00 GMT",
    ] {
        assert_eq!(sent("a.test/", &["x=1", "y=2", field], "a.test/"), "y=2", "{field}");
        assert_eq!(sent("a.test/", &[field], "a.test/"), "", "{field}");
    }
    assert_eq!(sent("a.test/", &["x=1; Path=/a", "x=; Max-Age=0"], "a.test/a"), "x=1", "another path's");
}

#[test]
fn cookies_are_sent_longest_path_first_and_then_in_order() {
    let fields = ["a=1", "b=2; Path=/x", "c=3", "a=4", "d=5; Path=/x"];
    assert_eq!(sent("a.test/", &fields, "a.test/x"), "b=2; d=5; a=4; c=3");
    assert_eq!(sent("a.test/", &["v= a = b "], "a.test/"), "v=a = b", "only outer blanks are taken off");
    assert_eq!(sent("a.test/", &["v="], "a.test/"), "v=");
}

#[test]
fn what_is_no_cookie_is_ignored() {
    for field in
        ["", ";", "=", "=x", "x", "x; Path=/", " =1", "a=1\r\nSet-Cookie: b=2", "a\0=1", "a=\x7f", "a=\n"]
    {
        assert_eq!(sent("a.test/", &[field], "a.test/"), "", "{field:?}");
    }
}

#[test]
fn a_server_cannot_fill_the_memory() {
    let from = request("a.test/");
    let mut cookies = Cookies::default();
    for i in 0..1_000 {
        cookies.set_for(&from, format!("n{i}=v").as_bytes(), None);
    }
    assert_eq!(cookies.list.len(), COOKIES_MAX);
    let kept = line(&cookies, "a.test/");
    assert!(kept.starts_with("n950=v; ") && kept.ends_with("; n999=v"), "the newest stay: {kept}");
    let large = "v".repeat(COOKIE_BYTES_MAX - 40);
    for i in 0..10 {
        cookies.set_for(&from, format!("large{i}={large}").as_bytes(), None);
    }
    assert_eq!(cookies.list.len(), 4);
    let too_large = "v".repeat(COOKIE_BYTES_MAX);
    cookies.set_for(&from, format!("more={too_large}").as_bytes(), None);
    cookies.set_for(&from, format!("large9={too_large}").as_bytes(), None);
    assert!(!line(&cookies, "a.test/").contains(&too_large));
    cookies.set_for(&from, b"small=1", None);
    let growing = "v".repeat(COOKIE_BYTES_MAX - 20);
    cookies.set_for(&from, format!("small={growing}").as_bytes(), None);
    assert!(cookies.list.iter().map(Cookie::bytes).sum::<usize>() <= COOKIES_BYTES_MAX);
}

#[test]
fn a_cookie_set_again_keeps_its_place_and_memory() {
    let from = request("a.test/");
    let mut cookies = Cookies::default();
    cookies.set_for(&from, b"session=0000", None);
    cookies.set_for(&from, b"other=1", None);
    let memory = cookies.list[0].pair.as_ptr();
    cookies.set_for(&from, b"session=1111", None);
    assert_eq!(line(&cookies, "a.test/"), "session=1111; other=1");
    assert_eq!(cookies.list[0].pair.as_ptr(), memory);
}

#[test]
fn what_a_server_gave_can_be_read() {
    let from = request("https://www.a.test/dir/page");
    let read = |field: &'static str| GivenCookie::read(&from, field.as_bytes());
    let bare = GivenCookie {
        name: b"a",
        value: b"b=c",
        domain: b"www.a.test",
        host_only: true,
        path: b"/dir",
        secure: false,
        max_age: None,
        expires: None,
    };
    assert_eq!(read("a=b=c"), Some(bare));
    let date = "Thu, 01-Jan-2032 00:00:00 GMT";
    let full = GivenCookie {
        domain: b"a.test",
        host_only: false,
        path: b"/",
        secure: true,
        max_age: Some(90),
        expires: Some(date.as_bytes()),
        ..bare
    };
    assert_eq!(
        read("a=b=c; Domain=.a.test; Path=/; Secure; Max-Age=90; Expires=Thu, 01-Jan-2032 00:00:00 GMT"),
        Some(full)
    );
    let rows = [
        ("a=b=c; Max-Age=0", Some(0)),
        ("a=b=c; Max-Age=-7", Some(0)),
        ("a=b=c; Max-Age=99999999999999999999999", Some(u64::MAX)),
        ("a=b=c; Max-Age=soon", None),
    ];
    for (field, max_age) in rows {
        assert_eq!(read(field), Some(GivenCookie { max_age, ..bare }), "{field}");
    }
    assert_eq!(read("a=b; Domain=b.test"), None, "not its to set");
    assert_eq!(read("=b"), None);
}

/// A field made of parts of valid fields in a wrong combination.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"=".to_vec()),
        Just(b";".to_vec()),
        Just(b"; Domain=.a.test".to_vec()),
        Just(b"; Path=/".to_vec()),
        Just(b"; Max-Age=-".to_vec()),
        Just(b"; Expires=".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"99999999999".to_vec()),
        Just(b"; Secure".to_vec()),
        prop::collection::vec(any::<u8>(), 0..20),
        prop::collection::vec(b'!'..b'~', 0..3_000),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn whatever_a_server_sets_stays_in_its_space_and_on_one_line(fields in prop::collection::vec(hostile(), 0..80)) {
        let mut cookies = Cookies::default();
        let from = request("https://www.a.test/x/y?z");
        for field in &fields {
            cookies.set_for(&from, field, None);
            prop_assert!(cookies.list.len() <= COOKIES_MAX);
            prop_assert!(cookies.list.iter().map(Cookie::bytes).sum::<usize>() <= COOKIES_BYTES_MAX);
        }
        let out = crate::fields::lines(|add| cookies.write_for(&from, add));
        let breaks = out.iter().filter(|byte| matches!(byte, b'\r' | b'\n' | 0)).count();
        prop_assert!(out.is_empty() || (out.starts_with(b"Cookie: ") && out.ends_with(b"\r\n") && breaks == 2));
    }
}

#[test]
fn a_date_before_that_of_the_reply_deletes() {
    let date = Some(&b"Sun, 06 Nov 2033 08:49:37 GMT"[..]);
    let rows = [
        ("Sun, 06 Nov 2033 07:49:37 GMT", false, "an hour ago"),
        ("Sunday, 06-Nov-33 07:49:37 GMT", false, "an hour ago, in the old form"),
        ("Sun, 06 Nov 2033 09:49:37 GMT", true, "in an hour"),
        ("Sat, 06-Nov-32 08:49:37 GMT", false, "last year, in a form of its own"),
        ("Mon, 06-Nov-34 08:49:37 GMT", true, "next year, in a form of its own"),
    ];
    for (expires, is_kept, why) in rows {
        let mut cookies = Cookies::default();
        cookies.set_for(&request("a.test/"), format!("x=1; Expires={expires}").as_bytes(), date);
        assert_eq!(!cookies.is_empty(), is_kept, "{why}");
    }
}
