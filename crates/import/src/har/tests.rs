use super::*;
use crate::recorded::Source;
use serde_json::json;

fn import(entries: Vec<Value>, third_parties: bool) -> Recording {
    let archive =
        json!({"log": {"version": "1.2", "pages": [{"id": "p1", "title": "Shop"}], "entries": entries}});
    let options = Options {
        third_parties,
        variables: &BTreeMap::new(),
        server: None,
        folder: "",
        read: &|_| Err("none".into()),
    };
    read(&archive.to_string(), &options).unwrap()
}

/// An entry that began so many milliseconds after the first, and took 50 ms.
fn entry(at_ms: u64, method: &str, url: &str, response: Value) -> Value {
    let (seconds, ms) = (at_ms / 1_000, at_ms % 1_000);
    json!({
        "startedDateTime": format!("2026-01-02T03:04:{:02}.{ms:03}Z", seconds),
        "time": 50,
        "request": {"method": method, "url": url, "headers": [{"name": ":authority", "value": "a"}]},
        "response": response
    })
}

fn with(mut entry: Value, pointer: &str, value: Value) -> Value {
    entry.pointer_mut(pointer).unwrap().as_object_mut().unwrap().extend(value.as_object().unwrap().clone());
    entry
}

fn ok() -> Value {
    json!({"status": 200, "headers": [], "content": {"mimeType": "text/plain", "text": ""}})
}

fn json_reply(text: &str) -> Value {
    json!({"status": 200, "headers": [], "content": {"mimeType": "application/json", "text": text}})
}

#[test]
fn pauses_third_parties_and_failed_requests() {
    let entries = vec![
        entry(3_060, "GET", "https://api.shop.test/b", ok()),
        entry(0, "GET", "https://www.shop.test/", ok()),
        entry(1_000, "GET", "https://cdn.other.test/x.js", ok()),
        entry(1_010, "GET", "https://www.shop.test/a?x={{y}}", ok()),
        entry(1_100, "GET", "https://www.shop.test/blocked", json!({"status": 0})),
        entry(1_200, "GET", "data:text/plain,x", ok()),
    ];
    let recording = import(entries.clone(), false);
    let steps: Vec<(String, u128)> = recording
        .requests
        .iter()
        .map(|request| (request.url.to_string(), request.think.as_millis()))
        .collect();
    let expected = [
        ("https://www.shop.test/", 0),
        ("https://www.shop.test/a?x={{y}}", 960),
        ("https://api.shop.test/b", 2_000),
    ];
    assert_eq!(steps, expected.map(|(url, think)| (url.to_owned(), think)));
    let dropped: Vec<String> = recording.dropped.iter().map(ToString::to_string).collect();
    assert_eq!(dropped.len(), 3, "{dropped:?}");
    assert_eq!(dropped[2], "1 request to cdn.other.test: third party; --third-parties keeps them");
    assert_eq!(import(entries, true).requests.len(), 4);
    let plan = crate::plan(&recording).unwrap();
    assert!(plan.requests.iter().all(|request| !request.is_template), "recorded braces are no template");
}

#[test]
fn values_of_replies_become_captures() {
    let token = "eyJhbGciOi.J9-x_1.abc==";
    let login = entry(
        0,
        "POST",
        "https://a.test/login",
        json_reply(&format!(
            r#"{{"auth": {{"token": "{token}"}}, "user": {{"id": 4711}}, "items": [{{"sku": "sku-77"}}]}}"#
        )),
    );
    let login = with(
        login,
        "/request",
        json!({"postData": {"mimeType": "application/json", "text": "{\"u\":\"ann-2000\"}"}}),
    );
    let page = json!({"status": 200, "headers": [{"name": "X-Trace", "value": "trace-123456"}], "content": {
        "mimeType": "text/html", "text": "<input type=\"hidden\" name=\"csrf\" value=\"a/b+c=12\"><p>sku-77</p>"}});
    let entries = vec![
        login,
        with(
            entry(100, "GET", "https://a.test/users/4711/items?ref=sku-77&own=ann-2000", page),
            "/request",
            json!({"headers": [{"name": "Authorization", "value": format!("Bearer {token}")}]}),
        ),
        with(
            entry(200, "POST", "https://a.test/buy/147110", ok()),
            "/request",
            json!({"headers": [{"name": "X-Trace", "value": "trace-123456"}], "postData":
                {"mimeType": "application/x-www-form-urlencoded", "text": "csrf=a%2Fb%2Bc%3D12&n=1"}}),
        ),
    ];
    let recording = import(entries, false);
    let [login, items, buy] = recording.requests.as_slice() else { panic!() };
    let captures = |request: &Recorded| -> Vec<(String, Source)> {
        request.captures.iter().map(|capture| (capture.name.clone(), capture.from.clone())).collect()
    };
    let mut of_login = captures(login);
    of_login.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(
        of_login,
        [
            ("id".to_owned(), Source::Json("$.user.id".into())),
            ("sku".to_owned(), Source::Json("$.items[0].sku".into())),
            ("token".to_owned(), Source::Json("$.auth.token".into())),
        ]
    );
    assert_eq!(items.url.to_string(), "https://a.test/users/{{id}}/items?ref={{sku}}&own=ann-2000");
    assert_eq!(items.header("authorization").unwrap().to_string(), "Bearer {{token}}");
    let Body::Text(body) = &buy.body else { panic!("{buy:?}") };
    assert_eq!(body.to_string(), "csrf={{csrf_encoded}}&n=1");
    assert_eq!(buy.url.to_string(), "https://a.test/buy/147110", "a value is replaced as a whole only");
    assert_eq!(buy.header("x-trace").unwrap().to_string(), "{{x-trace}}");
    assert!(
        items.captures.iter().any(|capture| capture.is_encoded && matches!(capture.from, Source::Regex(_)))
    );
    let plan = crate::plan(&recording).unwrap();
    assert_eq!(plan.scenarios[0].steps[1].captures.len(), 2);
    assert!(plan.requests[1].is_template && !plan.requests[0].is_template);
}

#[test]
fn cookies_of_replies_are_left_to_the_session() {
    let set = json!({"status": 200, "headers": [{"name": "Set-Cookie", "value": "sid=abc123; Path=/\nl=en"}],
        "content": {"mimeType": "text/html", "text": ""}});
    let cookie = |text: &str| json!({"headers": [{"name": "Cookie", "value": text}]});
    let entries = vec![
        with(entry(0, "GET", "https://a.test/", set), "/request", cookie("old=1")),
        with(entry(100, "GET", "https://a.test/b", ok()), "/request", cookie("old=1; sid=abc123; l=en")),
        with(entry(200, "GET", "https://a.test/c", ok()), "/request", cookie("sid=abc123")),
    ];
    let recording = import(entries, false);
    assert!(recording.settings.cookies);
    let cookies = |index: usize| -> Vec<String> {
        let headers = recording.requests[index].headers.iter();
        headers.filter(|(name, _)| name == "Cookie").map(|(_, value)| value.to_string()).collect()
    };
    assert_eq!(
        (cookies(0), cookies(1), cookies(2)),
        (vec!["old=1".into(), String::new()], vec!["old=1".into(), String::new()], vec![])
    );
    assert!(recording.requests.iter().all(|request| request.captures.is_empty()));
}

#[test]
fn redirects_are_followed_by_their_step() {
    let redirect = json!({"status": 302, "headers": [{"name": "Location", "value": "/home?s=1"}],
        "cookies": [{"name": "sid", "value": "x"}], "content": {}});
    let entries = vec![
        entry(0, "POST", "https://a.test/login", redirect),
        entry(60, "GET", "https://a.test/home?s=1", ok()),
        entry(500, "GET", "https://a.test/next", ok()),
    ];
    let recording = import(entries, false);
    assert_eq!(recording.requests.len(), 2);
    assert_eq!(
        (recording.requests[0].redirects, recording.requests[0].checks.as_slice()),
        (Some(5), &["status == 200".to_owned()][..])
    );
    assert_eq!(recording.requests[1].think.as_millis(), 390);
}

#[test]
fn what_is_no_archive_is_refused() {
    let options = Options {
        third_parties: false,
        variables: &BTreeMap::new(),
        server: None,
        folder: "",
        read: &|_| Err("none".into()),
    };
    for (text, expected) in [
        ("{", "line 1, column 1: invalid JSON: EOF"),
        ("{\"log\": {}}", "log.entries: an HTTP archive"),
        ("{\"log\": {\"entries\": [1]}}", "the archive has no request"),
    ] {
        let error = read(text, &options).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
    let deep = format!("{}1{}", "[".repeat(1_000), "]".repeat(1_000));
    assert!(read(&deep, &options).unwrap_err().to_string().contains("recursion limit"));
}
