//! Files of any bytes that are imported.

use std::collections::BTreeMap;
use warwolf_import::{Format, Options, Place};

/// Files of any bytes: they become a plan that passes its check, or are refused at a position that is in the text.
fn import(format: Format, bytes: &[u8]) {
    let variables = BTreeMap::from([("base".to_owned(), "http://a.test".to_owned())]);
    let options = Options {
        third_parties: bytes.len().is_multiple_of(2),
        variables: &variables,
        server: Some("http://a.test/v1"),
        folder: "folder",
        read: &|path| {
            if path.len() % 2 == 0 { Ok(path.as_bytes().to_vec()) } else { Err("no file".to_owned()) }
        },
    };
    let lines = bytes.split(|byte| *byte == b'\n').count();
    match warwolf_import::read(format, bytes, &options) {
        Ok(recording) => {
            assert!(!recording.requests.is_empty(), "a recording has requests");
            if let Ok(plan) = warwolf_import::plan(&recording) {
                assert_eq!(plan.requests.len(), recording.requests.len());
                assert!(plan.check().is_ok(), "a plan passes its check");
            }
        }
        Err(error) => {
            assert!(!error.message.is_empty());
            if let Place::Line(line) | Place::Column(line, _) = error.place {
                assert!((1..=lines + 1).contains(&line), "{error}");
            }
        }
    }
    let _ = Format::of("file", bytes);
}

macro_rules! formats {
    ($($name:ident: $format:ident),*) => {
        $(#[doc = concat!("Any bytes as the format ", stringify!($format), ".")]
        pub fn $name(bytes: &[u8]) {
            import(Format::$format, bytes);
        })*
    };
}

formats!(import_curl: Curl, import_har: Har, import_http: HttpFile, import_openapi: OpenApi, import_postman: Postman, import_vegeta: Vegeta);
