use super::*;
use proptest::prelude::*;

fn follow(request: &Request, status: u16, location: Option<&[u8]>, with_get: bool) -> Option<Request> {
    super::follow(request, &request.path, status, location, with_get)
}

/// A POST with a body, a password and some fields.
fn post() -> Request {
    let mut request = Request::get("http://a.test/dir/page?old=1").unwrap();
    request.method = "POST".to_owned();
    request.body = Body::Text("x=1".to_owned());
    request.basic_auth = Some("me:secret".to_owned());
    request.headers = [
        ("Accept", "text/html"),
        ("Content-Type", "text/plain"),
        ("AUTHORIZATION", "Bearer secret"),
        ("Cookie", "a=b"),
        ("Host", "other.test"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec();
    request
}

#[test]
fn where_a_location_leads() {
    let cases = [
        ("/new", "http://a.test/new"),
        ("new", "http://a.test/dir/new"),
        ("../new?x=1", "http://a.test/new?x=1"),
        ("?x=2", "http://a.test/dir/page?x=2"),
        ("#part", "http://a.test/dir/page?old=1"),
        ("/new#part", "http://a.test/new"),
        ("//b.test/new", "http://b.test/new"),
        ("https://b.test", "https://b.test/"),
        ("HTTP://A.TEST:80/new", "http://a.test/new"),
        ("http://a.test:8080/", "http://a.test:8080/"),
        ("http://[::1]:81/x", "http://[::1]:81/x"),
        (" /new ", "http://a.test/new"),
        ("/a b\r\nc", "http://a.test/a%20bc"),
        ("/é", "http://a.test/%C3%A9"),
    ];
    for (location, url) in cases {
        let followed = follow(&post(), 302, Some(location.as_bytes()), false).map(|request| request.url());
        assert_eq!(followed.as_deref(), Some(url), "{location:?}");
    }
    for nowhere in [
        "",
        " ",
        "ftp://a.test/",
        "mailto:me@a.test",
        "javascript:alert(1)",
        "http://",
        "http://a.test:99999/",
        "http://a.test:0/",
    ] {
        assert_eq!(follow(&post(), 302, Some(nowhere.as_bytes()), false), None, "{nowhere}");
    }
    assert_eq!(follow(&post(), 302, Some(b"/\xff"), false), None, "no text");
    assert_eq!(follow(&post(), 302, None, false), None, "no location");
}

#[test]
fn which_method_follows() {
    let cases = [
        ("POST", 301, Some("GET")),
        ("POST", 302, Some("GET")),
        ("POST", 303, Some("GET")),
        ("POST", 307, Some("POST")),
        ("POST", 308, Some("POST")),
        ("GET", 301, Some("GET")),
        ("GET", 303, Some("GET")),
        ("HEAD", 302, Some("HEAD")),
        ("HEAD", 303, Some("HEAD")),
        ("PUT", 302, Some("PUT")),
        ("PUT", 303, Some("GET")),
        ("DELETE", 308, Some("DELETE")),
        ("GET", 200, None),
        ("GET", 201, Some("GET")),
        ("POST", 201, Some("GET")),
        ("GET", 300, None),
        ("GET", 304, None),
        ("GET", 305, None),
        ("GET", 404, None),
    ];
    for (method, status, expected) in cases {
        let mut request = post();
        request.method = method.to_owned();
        let followed = follow(&request, status, Some(b"/new"), false).map(|request| request.method.clone());
        assert_eq!(followed.as_deref(), expected, "{method} {status}");
        let with_get = follow(&request, status, Some(b"/new"), true).map(|request| request.method.clone());
        let expected = if (301..=303).contains(&status) { Some("GET") } else { expected };
        assert_eq!(with_get.as_deref(), expected, "{method} {status} with GET");
    }
}

#[test]
fn a_body_goes_along_with_its_method() {
    let kept = follow(&post(), 307, Some(b"/new"), false).unwrap();
    assert_eq!((&kept.body, &kept.headers), (&post().body, &post().headers));
    let dropped = follow(&post(), 303, Some(b"/new"), false).unwrap();
    assert_eq!(dropped.body, Body::None);
    assert!(!dropped.headers.iter().any(|(name, _)| name == "Content-Type"));
    assert_eq!(dropped.headers.len(), 4);
}

#[test]
fn credentials_stay_with_their_origin() {
    let same = follow(&post(), 307, Some(b"/new"), false).unwrap();
    assert_eq!(same.basic_auth.as_deref(), Some("me:secret"));
    for elsewhere in ["http://b.test/", "https://a.test/", "http://a.test:81/", "http://www.a.test/"] {
        let followed = follow(&post(), 307, Some(elsewhere.as_bytes()), false).unwrap();
        let names: Vec<&str> = followed.headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            (followed.basic_auth.clone(), names),
            (None, vec!["Accept", "Content-Type"]),
            "{elsewhere}"
        );
    }
    let named = follow(&post(), 307, Some(b"http://you:too@b.test/"), false).unwrap();
    assert_eq!(named.basic_auth.as_deref(), Some("you:too"), "a location may bring its own");
}

proptest! {
    #[test]
    fn any_location_gives_a_request_that_can_be_sent_or_none(location in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Some(request) = follow(&post(), 302, Some(&location), false) {
            prop_assert!(request.path.starts_with('/'));
            prop_assert!(request.path.bytes().all(|byte| byte.is_ascii_graphic()));
            prop_assert!(request.endpoint.port != 0 && !request.endpoint.host.is_empty());
        }
    }
}

#[test]
fn a_head_of_the_plans_own_goes_along() {
    let mut request = Request::get("http://a.test/dir/page").unwrap();
    request.head = Some("GET /dir/page HTTP/1.0\r\nHost: w\r\n".to_owned());
    let lead = |location: &str| follow(&request, 302, Some(location.as_bytes()), false).unwrap();
    assert_eq!(lead("new?x=1").head.as_deref(), Some("GET /dir/new?x=1 HTTP/1.0\r\nHost: w\r\n"));
    assert_eq!(lead("http://b.test/").head, None, "it may be meant for one server only");
    request.method = "POST".to_owned();
    request.head = Some("POST /dir/page HTTP/1.1\r\nContent-length: 3\r\n".to_owned());
    let kept = |status| follow(&request, status, Some(b"/new"), false).unwrap().head.clone();
    assert_eq!(kept(302), None, "a GET has another head");
    assert_eq!(kept(307).as_deref(), Some("POST /new HTTP/1.1\r\nContent-length: 3\r\n"));
}
