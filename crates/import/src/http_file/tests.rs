use super::*;
use crate::recorded::{Body, Source};
use std::collections::BTreeMap;

fn import(text: &str) -> Result<Recording, ImportError> {
    let read =
        |path: &str| if path == "./part.txt" { Ok(b"in {{host}}".to_vec()) } else { Err("no file".into()) };
    read_with(text, &read)
}

fn read_with(text: &str, file: crate::ReadFile<'_>) -> Result<Recording, ImportError> {
    read(
        text,
        &Options { third_parties: false, variables: &BTreeMap::new(), server: None, folder: "", read: file },
    )
}

const SESSION: &str = r#"@host = https://shop.test
@id = 7

### Log in
# @name login
POST {{host}}/login HTTP/1.1
Content-Type: application/json

{"user": "ann", "at": "{{$timestamp}}"}

> {%
client.test("ok", function() {
  client.assert(response.status === 200, "not 200");
});
client.global.set("token", response.body.auth.token);
client.log("done");
%}

###
GET {{host}}/items
    ?page=1
    &id={{id}}
Authorization: Bearer {{token}}
X-Id: {{login.response.body.$.user.id}}

<> 2026-01-01.json

### Buy
// @no-redirect
POST {{host}}/cart
Content-Type: application/x-www-form-urlencoded

a=1
&b={{ id }}
"#;

#[test]
fn a_session_keeps_names_captures_and_checks() {
    let recording = import(SESSION).unwrap();
    let [login, items, buy] = recording.requests.as_slice() else { panic!("{recording:?}") };
    assert_eq!((login.name.as_str(), login.method.as_str()), ("login", "POST"));
    assert_eq!(login.url.plain(), Some("https://shop.test/login"));
    let Body::Text(body) = &login.body else { panic!("{login:?}") };
    assert_eq!(body.to_string(), r#"{"user": "ann", "at": "{{now:unix}}"}"#);
    assert_eq!(login.checks, ["status == 200"]);
    let captures: Vec<(&str, &Source)> =
        login.captures.iter().map(|capture| (capture.name.as_str(), &capture.from)).collect();
    let json = |path: &str| Source::Json(path.to_owned());
    assert_eq!(
        captures,
        [("login_response_body___user_id", &json("$.user.id")), ("token", &json("$.auth.token"))]
    );
    assert_eq!(items.url.to_string(), "https://shop.test/items?page=1&id={{id}}");
    assert_eq!(items.header("authorization").unwrap().to_string(), "Bearer {{token}}");
    assert_eq!((buy.name.as_str(), buy.redirects), ("Buy", Some(0)));
    assert_eq!(buy.body, Body::Text(Text::literal("a=1&b=").and(&Text::value("id"))));
    assert_eq!(recording.variables, [("id".to_owned(), Text::literal("7"))]);
    let dropped: Vec<String> = recording.dropped.iter().map(ToString::to_string).collect();
    assert_eq!(dropped.len(), 2, "{dropped:#?}");
    assert!(dropped[0].contains("client.log"), "{dropped:#?}");
    let plan = crate::plan(&recording).unwrap();
    assert_eq!(plan.scenarios[0].steps[0].captures.len(), 2);
}

#[test]
fn bodies_are_text_files_or_forms_in_parts() {
    let recording = import(
        "POST http://a.test/f\n\n< ./big.bin\n###\nPOST http://a.test/\n\n<@ ./part.txt\nx\n###\nPOST http://a.test/m\n\
         Content-Type: multipart/form-data; boundary=B\n\n--B\nContent-Disposition: form-data; name=\"f\"\n\n< ./part.txt\n--B--\n",
    );
    let recording = recording.unwrap();
    assert_eq!(recording.requests[0].body, Body::File("./big.bin".into()));
    let text = |index: usize| match &recording.requests[index].body {
        Body::Text(text) => text.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(text(1), "in {{env:host}}\nx");
    assert_eq!(text(2), "--B\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nin {{host}}\r\n--B--\r\n");
}

#[test]
fn short_forms_are_known() {
    let recording = import(
        "http://a.test\n###\nGET /p\nHost: b.test\nAuthorization: Basic ann s3cret\n### c\n\n# only a comment\n###\n\
         GRPC a.test/x\n###\nGET c.test:81/ HTTP/2\n# @timeout 5\n",
    );
    let recording = recording.unwrap();
    let urls: Vec<String> = recording.requests.iter().map(|request| request.url.to_string()).collect();
    assert_eq!(urls, ["http://a.test/", "http://b.test/p", "http://c.test:81/"]);
    assert_eq!(recording.requests[1].basic_auth, Some(Text::literal("ann:s3cret")));
    assert_eq!(recording.requests[1].headers, []);
    assert_eq!(recording.requests[2].timeout, Some(Duration::from_secs(5)));
    assert_eq!(recording.dropped.len(), 2, "{:?}", recording.dropped);
}

#[test]
fn bad_files_are_named_by_line() {
    for (text, expected) in [
        ("", "no request"),
        ("###\n# x\n", "no request"),
        ("GET http://a.test/\nhello\n", "line 2: `hello` is no header field"),
        ("\nGET {{base}}/\n", "line 2: `{{env:base}}/`: the scheme and host"),
        ("GET ftp://a/\n", "line 1: `ftp`"),
        ("POST http://a/\n\na\n< ./none\n", "line 4: the file `./none` cannot be read: no file"),
    ] {
        let error = import(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text:?}: {error}");
    }
}
