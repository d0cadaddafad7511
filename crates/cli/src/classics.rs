//! The classics: programs of old that this one can stand in for, as `warwolf NAME …` and under their own names.

use crate::{http_load, httperf, siege, siege_tools, torture_pl};
use std::ffi::OsString;
use std::path::Path;

/// Runs one of the classics; gives its exit code. The first word is the name it was called by.
type Classic = fn(&[String]) -> u8;

/// By the names people know them by.
const CLASSICS: [(&str, Classic); 7] = [
    ("bombardment", siege_tools::bombardment),
    ("http_load", http_load::run),
    ("httperf", httperf::run),
    ("siege", siege::run),
    ("siege.config", siege_tools::config),
    ("siege2csv", siege_tools::siege2csv),
    ("torture.pl", torture_pl::run),
];

/// The classic that the words ask for, by the name of the program itself or by the first word, and its own words.
pub(crate) fn asked_for(words: &[OsString]) -> Option<(Classic, Vec<String>)> {
    let named = |name: &str| CLASSICS.iter().find(|(known, _)| *known == name).map(|(_, classic)| *classic);
    let program = Path::new(words.first()?).file_name()?.to_str()?;
    let (classic, words) = match named(program) {
        Some(classic) => (classic, words),
        None => (named(words.get(1)?.to_str()?)?, &words[1..]),
    };
    Some((classic, words.iter().map(|word| word.to_string_lossy().into_owned()).collect()))
}

#[cfg(test)]
mod tests {
    use super::asked_for;
    use std::ffi::OsString;

    fn own_words(words: &[&str]) -> Option<Vec<String>> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        asked_for(&words).map(|(_, words)| words)
    }

    #[test]
    fn a_classic_is_asked_for_by_a_link_or_by_the_first_word() {
        let rows: [(&[&str], Option<&[&str]>); 6] = [
            (&["/usr/bin/warwolf", "http_load", "-p", "1"], Some(&["http_load", "-p", "1"])),
            (&["./http_load", "-p", "1"], Some(&["./http_load", "-p", "1"])),
            (&["/opt/torture.pl", "u"], Some(&["/opt/torture.pl", "u"])),
            (&["http_load", "torture.pl"], Some(&["http_load", "torture.pl"])),
            (&["warwolf", "run", "http_load"], None),
            (&["warwolf"], None),
        ];
        for (words, expected) in rows {
            let found = own_words(words);
            assert_eq!(
                found.as_deref().map(|w| w.iter().map(String::as_str).collect::<Vec<_>>()),
                expected.map(<[_]>::to_vec)
            );
        }
    }
}
