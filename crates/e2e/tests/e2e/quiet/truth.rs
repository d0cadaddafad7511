//! What the program reports beside what the target did, by the target's own log.
//!
//! These run one at a time, and where another process of this machine may have disturbed the measurement, up to three
//! times: a tool that tells the truth does so in one of three, a tool that does not, in none. Runs that the report itself
//! does not call valid prove nothing, and are not counted among the three. What noise cannot cause (a latency shorter
//! than the server took) must hold every time. `cargo test -p warwolf-e2e quiet::truth -- --nocapture`
//! prints the figures side by side.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use warwolf_e2e::{Told, Warwolf, chance, target};
use warwolf_target::{Entry, Options, Stall};

/// Held by each test: two of them at once would be each other's noise.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What scheduling and the loopback may add to a time measured at the server, in an undisturbed run.
const ALLOWANCE_NS: u64 = 4_000_000;
/// Relative width of a histogram's bucket, generously.
const BUCKET: f64 = 0.02;

/// Valid runs that may come out wrong.
const VALID_RUNS: u32 = 3;
/// Runs altogether: a machine whose cores are taken away all the time is no place for this.
const RUNS: u32 = 8;

/// Loads a target of its own and judges what was told by the target's log, again until it comes out right.
fn within_three(options: &Options, words: &[&str], judge: impl Fn(&Told, &[Entry]) -> Result<(), String>) {
    let (mut valid, mut wrong) = (0, Vec::new());
    for _ in 0..RUNS {
        let target = target::start(options.clone());
        let url = target::url(&target, "/");
        let told = Warwolf::run(&[words, &[&url]].concat()).exits(0);
        let Err(said) = judge(&told, &target.log()) else { return };
        println!("{}: {said}", told.verdict());
        wrong.push(format!("{}: {said}", told.verdict()));
        valid += u32::from(told.verdict() == "VALID");
        if valid == VALID_RUNS {
            break;
        }
    }
    panic!("not once: {wrong:#?}");
}

/// What must hold in every run that the report calls valid; in others it is a complaint.
fn must_when_valid(told: &Told, holds: bool, otherwise: &str) -> Result<(), String> {
    assert!(holds || told.verdict() != "VALID", "{otherwise}: {told:#?}");
    right(holds, || otherwise.to_owned())
}

fn right(is: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if is { Ok(()) } else { Err(otherwise()) }
}

/// Compares percentiles of the report with those of the target's log, and prints both.
fn agrees(case: &str, told: &Told, log: &[Entry]) -> Result<(), String> {
    let truth: Vec<u64> = log.iter().map(|entry| entry.left_ns - entry.arrived_ns).collect();
    assert_eq!(truth.len() as u64, told.completed(), "the target's log has what the report has");
    for (name, share) in [("p50", 0.5), ("p75", 0.75), ("p90", 0.9), ("p95", 0.95)] {
        let (reported, happened) = (told.nanoseconds("service", name), chance::quantile(&truth, share));
        let [reported_ms, happened_ms] = [reported, happened].map(|ns| ns as f64 / 1e6);
        println!("{case:<20} {name}  reported {reported_ms:>8.3} ms  at the target {happened_ms:>8.3} ms");
        let low = (happened as f64 * (1.0 - BUCKET)) as u64;
        assert!(reported >= low, "service {name} is {reported} ns, but the server took {happened} ns");
        let high = (happened as f64 * (1.0 + BUCKET)) as u64 + ALLOWANCE_NS;
        if reported > high {
            return Err(format!("service {name} is {reported} ns, but the server took only {happened} ns"));
        }
        assert!(told.nanoseconds("latency", name) >= low, "latency is never shorter than service");
    }
    Ok(())
}

#[test]
fn percentiles_agree_with_the_targets_log() {
    let _alone = alone();
    for delay in ["10ms", "uniform:5ms,50ms", "exp:15ms", "lognormal:10ms,0.7", "bimodal:0.8,5ms,60ms"] {
        let options = Options { delay: delay.parse().unwrap(), ..Options::default() };
        within_three(&options, &["-n", "1500", "-c", "25"], |told, log| {
            let counts = (told.account("planned"), told.completed(), told.status(200));
            assert_eq!(counts, (1500, 1500, 1500), "{told:#?}");
            agrees(delay, told, log).map_err(|said| format!("{delay}: {said}"))
        });
    }
}

#[test]
fn open_loop_percentiles_agree_too() {
    let _alone = alone();
    let options = Options { delay: "uniform:2ms,40ms".parse().unwrap(), ..Options::default() };
    let words = ["-r", "400/s", "--arrivals", "poisson", "-d", "3s", "--grace", "2s"];
    within_three(&options, &words, |told, log| agrees("poisson, 400/s", told, log));
}

/// A thousand requests a second for six seconds, with a stall of one second in the third.
fn stalled(connections: &str, judge: impl Fn(&Told) -> Result<(), String>) {
    let stall = Stall { at: Duration::from_secs(3), length: Duration::from_secs(1) };
    let options = Options { stalls: vec![stall], ..Options::default() };
    let words = ["-r", "1000/s", "-d", "6s", "--grace", "3s", "-c", connections];
    within_three(&options, &words, |told, log| {
        assert_eq!(told.account("planned"), 6000, "{told:#?}");
        assert_eq!(log.len() as u64, told.completed());
        must_when_valid(told, told.completed() == 6000, "calls of 6,000 are missing")?;
        judge(told)
    });
}

/// Of 6,000 arrivals the 1,000 that came in the stalled second waited for its end, 1 s at most: the k-th slowest
/// request waited 1 s - k ms. So 5 % waited longer than 0.7 s, 1 % longer than 0.94 s.
#[test]
fn a_stall_shows_in_latency_and_not_in_service_alone() {
    let _alone = alone();
    stalled("20", |told| {
        let [p95, p99] = ["p95", "p99"].map(|name| told.nanoseconds("latency", name) as f64 / 1e9);
        assert!(p95 > 0.67 && p99 > 0.91, "a stall cannot be shorter than it was: {p95} {p99}");
        // Twenty calls were in flight and saw it; the other 980 waited on the schedule.
        let service = told.nanoseconds("service", "p99") as f64 / 1e9;
        println!(
            "stall, 20 connections    latency p95 {p95:.3} s, p99 {p99:.3} s; service p99 {service:.3} s"
        );
        right(p95 < 0.95 && p99 < 1.15 && service < 0.2, || {
            format!("latency p95 {p95} s, p99 {p99} s, service p99 {service} s")
        })
    });
}

#[test]
fn with_connections_enough_a_stall_shows_in_both() {
    let _alone = alone();
    stalled("2000", |told| {
        let [latency, service] =
            ["latency", "service"].map(|name| told.nanoseconds(name, "p99") as f64 / 1e9);
        println!("stall, 2000 connections  latency p99 {latency:.3} s; service p99 {service:.3} s");
        assert!(latency > 0.91, "{latency}");
        right((0.85..1.15).contains(&service) && latency < 1.15, || {
            format!("latency p99 {latency} s, service p99 {service} s")
        })
    });
}

/// Judges the gaps between arrivals at the target, in seconds.
fn arriving(words: &[&str], judge: impl Fn(&Told, &[f64]) -> Result<(), String>) {
    let words = [&["-d", "8s", "--grace", "1s"], words].concat();
    within_three(&Options::default(), &words, |told, log| {
        let mut arrived: Vec<u64> = log.iter().map(|entry| entry.arrived_ns).collect();
        assert_eq!(arrived.len() as u64, told.completed());
        arrived.sort_unstable();
        let gaps: Vec<f64> = arrived.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e9).collect();
        judge(told, &gaps)
    });
}

/// Gaps must follow a distribution, up to chance and what the way to the target adds.
fn follow(case: &str, gaps: &[f64], expected: impl Fn(f64) -> f64) -> Result<(), String> {
    let distance = chance::distance(gaps, expected);
    // Wake-ups late by some 100 us move gaps of some milliseconds.
    let most = chance::critical(gaps.len()) + 0.03;
    let said = format!("distance {distance:.4} of {} gaps, at most {most:.4}", gaps.len());
    println!("{case:<20} Kolmogorov-Smirnov {said}");
    right(distance < most, || said)
}

#[test]
fn poisson_arrivals_have_exponential_gaps() {
    let _alone = alone();
    arriving(&["-r", "200/s", "--arrivals", "poisson"], |_, gaps| {
        let count = gaps.len() as f64;
        assert!(
            (1600.0 - 4.0 * 40.0..1600.0 + 4.0 * 40.0).contains(&count),
            "{count} arrivals, 1600 expected"
        );
        follow("poisson arrivals", gaps, |gap| 1.0 - (-200.0 * gap).exp())
    });
}

#[test]
fn uniform_arrivals_have_uniform_gaps() {
    let _alone = alone();
    arriving(&["--arrivals", "uniform:2ms,10ms"], |_, gaps| {
        follow("uniform arrivals", gaps, |gap| ((gap - 0.002) / 0.008).clamp(0.0, 1.0))
    });
}

#[test]
fn constant_arrivals_have_equal_gaps() {
    let _alone = alone();
    arriving(&["-r", "250/s"], |told, gaps| {
        must_when_valid(told, gaps.len() == 1999, "calls of 2,000 are missing")?;
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let far = gaps.iter().filter(|gap| (**gap - 0.004).abs() > 0.001).count();
        println!(
            "constant arrivals    mean gap {:.6} ms, {far} of {} off by more than 1 ms",
            mean * 1e3,
            gaps.len()
        );
        right((mean - 0.004).abs() < 0.000_01 && far < gaps.len() / 8, || {
            format!("mean gap {mean} s, {far} gaps off by more than 1 ms")
        })
    });
}
