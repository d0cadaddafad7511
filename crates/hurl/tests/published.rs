//! The published test files of the original, from a checkout that `WARWOLF_HURL_TESTS` names (`integration/hurl` of its
//! repository): how many are translated and refused.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use warwolf_hurl::{HurlError, Options, Translation, parse, scenario};

/// The Hurl files in a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files = Vec::new();
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.extension().is_some_and(|extension| extension == "hurl") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Translates a file without variables.
fn translate(path: &Path, text: &str) -> Result<Translation, HurlError> {
    let read = |path: &Path| std::fs::read(path).map_err(|error| error.to_string());
    scenario(&path.display().to_string(), text, &Options::new(path, &read))
}

#[test]
#[ignore = "needs a checkout of the original, named by WARWOLF_HURL_TESTS"]
fn published_files_are_translated_or_refused() {
    let Some(folder) = std::env::var_os("WARWOLF_HURL_TESTS").map(PathBuf::from) else {
        println!("skipped: WARWOLF_HURL_TESTS names no checkout");
        return;
    };
    let (mut translated, mut refused, mut reasons) = (0, 0, BTreeMap::<String, u32>::new());
    let mut wrong = Vec::new();
    for path in ["tests_ok", "tests_failed", "tests_error"].iter().flat_map(|name| files(&folder.join(name)))
    {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        match translate(&path, &text) {
            Ok(_) => translated += 1,
            Err(HurlError::Parse { error, .. }) => wrong.push(format!("{}:{error}", path.display())),
            Err(HurlError::Refused { refusals, .. }) => {
                refused += 1;
                println!("{}:{}", path.display(), refusals[0]);
                *reasons.entry(refusals[0].feature.clone()).or_default() += 1;
            }
        }
    }
    for path in files(&folder.join("tests_error_parser")) {
        if std::fs::read_to_string(&path).is_ok_and(|text| parse(&text).is_ok()) {
            wrong.push(format!("{}: it is parsed", path.display()));
        }
    }
    println!("{translated} translated, {refused} refused: {reasons:#?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
