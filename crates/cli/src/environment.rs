//! Where and with what a run is made, so that its report can be understood next year.

use std::fs::read_to_string;
use std::time::{SystemTime, UNIX_EPOCH};
use warwolf_driver::host::available_cores;
use warwolf_measure::Environment;

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
        command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
        host: line("/proc/sys/kernel/hostname"),
        system: format!("{} {}", line("/proc/sys/kernel/ostype"), line("/proc/sys/kernel/osrelease")),
        cpu: model(&line("/proc/cpuinfo")),
        cores: available_cores().len() as u32,
        started_unix_ns: u64::try_from(since.as_nanos()).unwrap_or(0),
    }
}

/// The processor's name in what Linux says about it; other architectures than x86 may have none.
fn model(cpuinfo: &str) -> String {
    let named = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    named.map(|(_, name)| name.trim().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_processors_name_is_found_or_left_empty() {
        let said = "processor\t: 0\nmodel name\t: Some CPU @ 2.0GHz\nmodel name\t: Other\n";
        assert_eq!(super::model(said), "Some CPU @ 2.0GHz");
        assert_eq!(super::model("processor : 0\n"), "");
    }
}
