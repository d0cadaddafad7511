//! The classics: older load testers that this program can replace, as `warwolf NAME …` or under their own names.

mod http_load;
mod httperf;
mod siege;
mod siege_tools;
mod torture_pl;

use crate::streams;
use std::ffi::OsString;
use std::path::Path;
use warwolf_compat::Console;

/// Runs one of the classics and returns its exit code. The first argument is the name it was called by.
type Classic = fn(&[String]) -> u8;

const CLASSICS: [(&str, Classic); 7] = [
    ("bombardment", siege_tools::bombardment),
    ("http_load", http_load::run),
    ("httperf", httperf::run),
    ("siege", siege::run),
    ("siege.config", siege_tools::config),
    ("siege2csv", siege_tools::siege2csv),
    ("torture.pl", torture_pl::run),
];

/// The classic that is asked for by the program's own name or by the first argument, with its own arguments.
pub(crate) fn asked_for(args: &[OsString]) -> Option<(Classic, Vec<String>)> {
    let named = |name: &str| CLASSICS.iter().find(|(known, _)| *known == name).map(|(_, classic)| *classic);
    let program = Path::new(args.first()?).file_name()?.to_str()?;
    let (classic, args) = match named(program) {
        Some(classic) => (classic, args),
        None => (named(args.get(1)?.to_str()?)?, &args[1..]),
    };
    Some((classic, args.iter().map(|word| word.to_string_lossy().into_owned()).collect()))
}

/// This program's standard output and standard error.
struct Terminal;

impl Console for Terminal {
    fn stdout(&self, bytes: &[u8]) {
        streams::print_or_ignore(bytes);
    }

    fn stderr(&self, text: &str) {
        streams::say(text);
    }
}

#[cfg(test)]
mod tests {
    use super::asked_for;
    use std::ffi::OsString;

    fn own_words(args: &[&str]) -> Option<Vec<String>> {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        asked_for(&args).map(|(_, args)| args)
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
        for (args, expected) in rows {
            let found = own_words(args);
            assert_eq!(
                found.as_deref().map(|w| w.iter().map(String::as_str).collect::<Vec<_>>()),
                expected.map(<[_]>::to_vec)
            );
        }
    }
}
