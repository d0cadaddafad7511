//! What is sent: templates with holes, bodies in the head's buffer and behind it.

use crate::diary::{Numbers, start};
use warwolf_http::{CallId, Hole, Http1, Limits, RequestBody, Template, TemplateBuilder, Version};

#[test]
fn a_request_is_appended_with_its_holes_filled() {
    let template = TemplateBuilder::new("GET", "/", Version::Http11)
        .hole(7)
        .header("Host", "x")
        .hole(8)
        .raw(b"raw: line\n")
        .build()
        .unwrap();
    let mut http = Http1::new(Limits::default(), 1);
    let mut out = b"before".to_vec();
    http.start(CallId(0), &template, &mut Numbers, &mut out);
    assert_eq!(out, b"beforeGET / HTTP/1.1\r\nHole: 7\r\nHost: x\r\nHole: 8\r\nraw: line\n\r\n");
}

#[test]
fn a_streamed_body_is_pumped_in_pieces_until_its_length() {
    let template = TemplateBuilder::new("PUT", "/", Version::Http11)
        .body(RequestBody::Streamed { length: 7 })
        .build()
        .unwrap();
    let mut http = Http1::new(Limits::default(), 4);
    assert_eq!(start(&mut http, 5, &template), b"PUT / HTTP/1.1\r\nContent-Length: 7\r\n\r\n");
    assert_eq!(http.room(), 0, "nothing may come between a head and its body");
    let mut out = Vec::new();
    let mut sizes = Vec::new();
    while let Some(call) = http.next_body() {
        assert_eq!((call, http.body_room(call)), (CallId(5), 7 - out.len()));
        http.pump(call, &mut Numbers, 3, &mut out);
        sizes.push(out.len());
    }
    assert_eq!(sizes, [3, 6, 7]);
    assert_eq!(out, [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(http.room(), 3);
    http.pump(CallId(5), &mut Numbers, 3, &mut out);
    assert_eq!(out.len(), 7, "there is nothing more to pump");
}

#[test]
fn a_streamed_body_of_no_length_is_not_pumped() {
    let template = TemplateBuilder::new("PUT", "/", Version::Http11)
        .body(RequestBody::Streamed { length: 0 })
        .build()
        .unwrap();
    let mut http = Http1::new(Limits::default(), 1);
    start(&mut http, 0, &template);
    assert_eq!(http.next_body(), None);
}

#[test]
fn holes_may_be_anywhere_in_a_request_that_is_given_byte_for_byte() {
    let bytes = b"GET /? HTTP/1.0\r\n\r\n".to_vec();
    let end = bytes.len();
    let template = Template::exact("GET", bytes, vec![(6, Hole::Value(4)), (end, Hole::Fields(5))], true);
    let mut http = Http1::new(Limits::default(), 1);
    let sent = start(&mut http, 0, &template);
    assert_eq!(String::from_utf8_lossy(&sent), "GET /?(4) HTTP/1.0\r\n\r\nHole: 5\r\n");
    assert!(!http.reusable() && template.is_repeatable());
}
