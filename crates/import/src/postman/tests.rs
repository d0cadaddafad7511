use super::*;
use crate::recorded::{Body, Content, Recorded, Source};
use serde_json::json;
use std::collections::BTreeMap;

fn import(collection: &Value) -> Result<Recording, ImportError> {
    let options = Options {
        third_parties: false,
        variables: &BTreeMap::new(),
        server: None,
        folder: "",
        read: &|_| Err("none".into()),
    };
    read(&collection.to_string(), &options)
}

fn shop() -> Value {
    json!({
        "info": {"name": "Shop", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
        "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{token}}"}]},
        "variable": [{"key": "baseUrl", "value": "https://shop.test/v1"}, {"key": "size", "value": 20}, {"key": "token", "value": ""}],
        "item": [
            {"name": "Log in", "event": [
                {"listen": "prerequest", "script": {"exec": ["console.log('x');"]}},
                {"listen": "test", "script": {"exec": [
                    "pm.test(\"ok\", function () {", "    pm.response.to.have.status(200);", "});",
                    "const body = pm.response.json();", "pm.environment.set(\"token\", body.auth.token);",
                    "pm.expect(body.items).to.have.length(3);"
                ]}}
            ], "request": {"method": "POST", "auth": {"type": "noauth"}, "url": {"raw": "{{baseUrl}}/login"},
                "header": [{"key": "X-Off", "value": "1", "disabled": true}, {"key": "X-On", "value": "{{$guid}}"}],
                "body": {"mode": "raw", "raw": "{\"u\": \"{{user}}\"}", "options": {"raw": {"language": "json"}}}}},
            {"name": "Items", "item": [
                {"name": "List", "request": {"method": "GET", "url": {"raw": "{{baseUrl}}/shops/:shop/items?n={{size}}",
                    "variable": [{"key": "shop", "value": "7"}]}}},
                {"name": "Photo", "item": [{"name": "Add", "request": {"method": "POST",
                    "url": {"protocol": "https", "host": ["shop", "test"], "path": ["v1", "photo"],
                        "query": [{"key": "a", "value": "1"}, {"key": "b", "value": "2", "disabled": true}]},
                    "body": {"mode": "formdata", "formdata": [
                        {"key": "t", "value": "x", "type": "text"}, {"key": "f", "type": "file", "src": "/tmp/p.png"},
                        {"key": "g", "type": "file", "src": []}]}}}]}
            ]},
            {"name": "Buy", "protocolProfileBehavior": {"followRedirects": false}, "request": {
                "method": "POST", "url": "{{baseUrl}}/buy",
                "auth": {"type": "apikey", "apikey": [{"key": "key", "value": "api key"}, {"key": "value", "value": "{{API_KEY}}"}, {"key": "in", "value": "query"}]},
                "body": {"mode": "urlencoded", "urlencoded": [{"key": "a b", "value": "c&d"}]}}}
        ]
    })
}

#[test]
fn a_collection_keeps_folders_variables_and_scripts_that_can_be_expressed() {
    let recording = import(&shop()).unwrap();
    let [login, items, photo, buy] = recording.requests.as_slice() else { panic!("{recording:?}") };
    let line = |request: &Recorded| format!("{}|{} {}", request.group, request.method, request.url);
    assert_eq!(line(login), "|POST https://shop.test/v1/login");
    assert_eq!(line(items), "Items|GET https://shop.test/v1/shops/7/items?n={{size}}");
    assert_eq!(line(photo), "Items / Photo|POST https://shop.test/v1/photo?a=1");
    assert_eq!(line(buy), "|POST https://shop.test/v1/buy?api%20key={{env:API_KEY}}");
    assert_eq!(login.header("authorization"), None);
    assert_eq!(items.header("authorization").unwrap().to_string(), "Bearer {{token}}");
    assert_eq!((login.headers.len(), login.checks.as_slice()), (2, &["status == 200".to_owned()][..]));
    assert_eq!(login.captures[0].from, Source::Json("$.auth.token".into()));
    assert!(matches!(&login.body, Body::Text(text) if text.to_string() == "{\"u\": \"{{env:user}}\"}"));
    assert!(
        matches!(&photo.body, Body::Multipart(parts) if parts.len() == 2 && parts[1].content == Content::File("/tmp/p.png".into()))
    );
    assert_eq!(buy.body, Body::Form(vec![("a b".into(), "c&d".into())]));
    assert_eq!(buy.redirects, Some(0));
    assert_eq!(recording.variables, [("size".to_owned(), "20".into())]);
    let dropped: Vec<String> = recording.dropped.iter().map(ToString::to_string).collect();
    assert_eq!(
        dropped,
        [
            "`Log in`: the script `console.log('x');` and 1 more lines: a plan runs no scripts",
            "`Add`: the part `g`: the collection names no file",
        ]
    );
    let plan = crate::plan(&recording).unwrap();
    let groups: Vec<Option<&str>> =
        plan.scenarios[0].steps.iter().map(|step| step.group.as_deref()).collect();
    assert_eq!(groups, [None, Some("Items"), Some("Items / Photo"), None]);
    assert_eq!(plan.variables.len(), 1);
}

#[test]
fn what_is_no_collection_is_refused() {
    for (collection, expected) in [
        (json!({"requests": []}), "this is a collection of version 1"),
        (json!({"item": []}), "the collection has no request"),
        (
            json!({"item": [{"name": "a", "request": {"url": "{{base}}/x"}}]}),
            "`a`: `{{env:base}}/x`: the scheme and host",
        ),
        (json!({"item": [{"name": "a", "request": {"url": "ftp://x/"}}]}), "`a`: `ftp`"),
    ] {
        let error = import(&collection).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{collection}: {error}");
    }
    let folders = (0..100).fold(json!({"item": []}), |inside, _| json!({"item": [inside]}));
    assert!(import(&folders).is_err());
}
