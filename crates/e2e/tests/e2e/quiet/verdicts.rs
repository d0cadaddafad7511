//! The verdict: a fault of this machine is named, a fault of the server is not blamed on this machine.
//!
//! Other processes of this machine are faults, too: a thread that only sleeps tells whether there were any.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use warwolf_e2e::process::Process;
use warwolf_e2e::quiet::Watch;
use warwolf_e2e::{Told, Warwolf, target};
use warwolf_target::{Options, Stall};

fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What lowered the grade; notes that leave a run valid are left out.
fn causes(told: &Told) -> Vec<&str> {
    let reasons = told.report().pointer("/health/reasons").and_then(|value| value.as_array());
    let lowering = reasons.into_iter().flatten().filter(|reason| reason["grade"] != "VALID");
    lowering.filter_map(|reason| reason["cause"].as_str()).collect()
}

/// Runs that may be disturbed: on a machine that is never quiet nothing can be concluded.
const RUNS: u32 = 12;

/// Demands a valid run. An alarm is excused only when a thread that merely sleeps was kept from running, too: then
/// something else took the cores, and the run is repeated.
fn raises_no_alarm(words: &[&str], options: &Options) {
    let mut disturbed = Vec::new();
    for _ in 0..RUNS {
        let target = target::start(options.clone());
        let url = target::url(&target, "/");
        let watches = Watch::start_all();
        let told = Warwolf::run(&[words, &[&url]].concat()).exits(0);
        let quiet: Vec<bool> = watches.into_iter().map(Watch::was_quiet).collect();
        if told.verdict() == "VALID" {
            return;
        }
        assert!(quiet.contains(&false), "a false alarm on a quiet machine: {told:#?}");
        disturbed.push(format!("{}: {:?}", told.verdict(), causes(&told)));
    }
    panic!("the machine was disturbed in each of {RUNS} runs: {disturbed:#?}");
}

#[test]
fn a_quiet_run_is_valid() {
    let _alone = alone();
    raises_no_alarm(&["-r", "500/s", "-d", "2s"], &Options::default());
    raises_no_alarm(&["-c", "10", "--think", "10ms", "-d", "2s"], &Options::default());
}

#[test]
fn a_stalled_server_is_the_servers_fault() {
    let _alone = alone();
    let stall = Stall { at: Duration::from_secs(1), length: Duration::from_secs(1) };
    let options = Options { stalls: vec![stall], ..Options::default() };
    raises_no_alarm(&["-r", "500/s", "-d", "4s", "--grace", "2s"], &options);
}

#[test]
fn failures_of_the_server_leave_the_run_valid() {
    let _alone = alone();
    let options = Options { faults: vec!["reset:0.2".parse().unwrap()], ..Options::default() };
    raises_no_alarm(&["-r", "500/s", "-d", "2s"], &options);
}

#[test]
fn hogs_on_the_same_core_are_named() {
    let _alone = alone();
    let hog = || {
        Process::start("taskset", |command| {
            command.args(["-c", "0", "sh", "-c", "while :; do :; done"]);
        })
    };
    let _hogs = [hog(), hog(), hog()];
    let target = target::start(Options::default());
    let url = target::url(&target, "/");
    let words = ["run", "--format", "json", "--quiet", "--threads", "1", "-r", "2000/s", "-d", "3s", &url];
    let told = Warwolf::new(&words).on_core(0).told().exits(0);
    assert_ne!(told.verdict(), "VALID", "{told:#?}");
    assert!(causes(&told).contains(&"cpu_contention"), "{told:#?}");
    let strict = Warwolf::new(&words).and(&["--strict"]).on_core(0).told();
    assert_eq!(strict.code, 96, "{strict:#?}");
}
