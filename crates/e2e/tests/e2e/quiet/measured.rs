//! Experiments whose result is a measurement: with other tests beside them they would measure those, too.

use warwolf_e2e::target::delayed;
use warwolf_e2e::{Warwolf, target};
use warwolf_target::Options;

#[test]
fn a_slower_server_is_found_and_the_exit_code_says_so() {
    let (a, b) = (delayed("5ms"), delayed("10ms"));
    let words = ["compare", "-c", "4", "-d", "6s", "--slice", "250ms", "--quiet", "--format", "json"];
    let told = Warwolf::new(&words).and(&[target::url(&a, "/"), target::url(&b, "/")]).told();
    assert_eq!(told.code, 97, "{told:#?}");
    let told = Warwolf::new(&words).and(&[target::url(&b, "/"), target::url(&a, "/")]).told();
    assert_eq!(told.code, 0, "a faster B is no regression: {told:#?}");
    assert!(told.stdout.contains("\"finding\": \"better\""), "{told:#?}");
}

#[test]
fn a_search_for_capacity_ends_and_says_what_it_found() {
    let server = target::start(Options { capacity: Some(400.0), ..Options::default() });
    let words = [
        "capacity",
        "--start",
        "200/s",
        "--arrivals",
        "poisson",
        "--slo",
        "p99<100ms",
        "-d",
        "1s",
        "--precision",
        "20%",
        "--retests",
        "0",
    ];
    let told = Warwolf::new(&words).and(&["--format", "json", &target::url(&server, "/")]).told();
    assert_eq!(told.code, 0, "{told:#?}");
    assert!(told.stdout.contains("\"held_per_s\""), "{told:#?}");
    let told = Warwolf::new(&["capacity", &target::url(&server, "/")]).told();
    assert!(told.code == 2 && told.stderr.contains("no SLO is given"), "{told:#?}");
    let told = Warwolf::new(&["capacity", "--slo", "p99<1s", "-r", "5/s", &target::url(&server, "/")]).told();
    assert!(told.code == 2 && told.stderr.contains("--rate: capacity chooses"), "{told:#?}");
}
