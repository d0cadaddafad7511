//! Where and with what a run is made, so that its report can be understood next year.

use std::fs::read_to_string;
use std::time::{SystemTime, UNIX_EPOCH};
use warwolf_driver::host::available_cores;
use warwolf_measure::Environment;
use warwolf_plan::secrets::{MASK, masked_line};

/// A variable of the environment, if it is set.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The environment as it is now: to be asked for when the run begins. What cannot be learnt is left empty.
pub(crate) fn observe() -> Environment {
    let line = |path: &str| read_to_string(path).unwrap_or_default().trim().to_owned();
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Environment {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: masked(std::env::args_os().map(|word| word.to_string_lossy().into_owned())),
        host: line("/proc/sys/kernel/hostname"),
        system: format!("{} {}", line("/proc/sys/kernel/ostype"), line("/proc/sys/kernel/osrelease")),
        cpu: model(&line("/proc/cpuinfo")),
        cores: available_cores().len() as u32,
        started_unix_ns: u64::try_from(since.as_nanos()).unwrap_or(0),
    }
}

/// The words of a command line without passwords, cookies and tokens.
fn masked(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut is_secret = false;
    let mask = |word: String| {
        if std::mem::take(&mut is_secret) {
            return MASK.to_owned();
        }
        match word.as_str() {
            "-a" | "--auth" => is_secret = true,
            _ if word.starts_with("--auth=") => return format!("--auth={MASK}"),
            _ if word.starts_with("-a") && word.contains(':') => return format!("-a{MASK}"),
            _ => {}
        }
        let word = match word.split_once("://") {
            Some((scheme, rest)) if rest.split(['/', '?']).next().is_some_and(|host| host.contains('@')) => {
                format!("{scheme}://{MASK}@{}", rest.split_once('@').map_or("", |(_, host)| host))
            }
            _ => word,
        };
        match word.split_once('=') {
            Some((option, line)) if option.starts_with("--") => format!("{option}={}", masked_line(line)),
            _ if word.starts_with("-H") => format!("-H{}", masked_line(&word[2..])),
            _ => masked_line(&word),
        }
    };
    words.map(mask).collect()
}

/// The processor's name in what Linux says about it; other architectures than x86 may have none.
fn model(cpuinfo: &str) -> String {
    let named = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    named.map(|(_, name)| name.trim().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_command_is_recorded_without_secrets() {
        let rows = [
            ("run -a bob:hunter2 http://a.test/", "run -a *** http://a.test/"),
            ("--auth=bob:hunter2 -abob:hunter2", "--auth=*** -a***"),
            ("-HCookie:hunter2 --header=X-Api-Key:hunter2", "-HCookie: *** --header=X-Api-Key: ***"),
            ("-H Authorization:hunter2 -H Accept:b", "-H Authorization: *** -H Accept:b"),
            ("http://u:hunter2@a.test/x?y=http://b/", "http://***@a.test/x?y=http://b/"),
            ("-x http://p:hunter2@b.test:1 --cacert ca.pem", "-x http://***@b.test:1 --cacert ca.pem"),
            ("http://a.test/@x -d 10s", "http://a.test/@x -d 10s"),
        ];
        for (given, expected) in rows {
            let words = super::masked(given.split(' ').map(str::to_owned));
            assert_eq!(words.join(" "), expected, "{given}");
        }
    }

    #[test]
    fn the_processors_name_is_found_or_left_empty() {
        let said = "processor\t: 0\nmodel name\t: Some CPU @ 2.0GHz\nmodel name\t: Other\n";
        assert_eq!(super::model(said), "Some CPU @ 2.0GHz");
        assert_eq!(super::model("processor : 0\n"), "");
    }
}
