//! What real servers said, in every split. `NAME.reply` is what came over the wire; `NAME.heard` is the methods asked and
//! what is to be heard.

use crate::diary::heard;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/recorded")
}

/// Name, methods asked, bytes, what is to be heard.
pub(crate) fn recordings() -> Vec<(String, Vec<String>, Vec<u8>, String)> {
    let mut recordings: Vec<_> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "reply"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let text = fs::read_to_string(path.with_extension("heard"))
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            let (methods, heard) = text.split_once('\n').unwrap();
            let methods = methods.split(' ').map(str::to_owned).collect();
            (name, methods, fs::read(path).unwrap(), heard.to_owned())
        })
        .collect();
    recordings.sort();
    assert!(recordings.len() >= 30, "the recordings are missing");
    recordings
}

#[test]
fn recorded_replies_are_heard_as_they_were_meant_in_every_split() {
    for (name, methods, bytes, expected) in recordings() {
        let methods: Vec<&str> = methods.iter().map(String::as_str).collect();
        assert_eq!(heard(&methods, [bytes.as_slice()]), expected, "{name}");
        assert_eq!(heard(&methods, bytes.chunks(1)), expected, "{name} in single bytes");
        for at in 0..=bytes.len() {
            let (first, second) = bytes.split_at(at);
            assert_eq!(heard(&methods, [first, second]), expected, "{name} split at {at}");
        }
    }
}
