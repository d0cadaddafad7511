//! Plans with steps, and the examples that show them, against the shop of the examples.

use std::path::{Path, PathBuf};

use serde_json::Value;
use warwolf_e2e::process::{Process, free_port};
use warwolf_e2e::{Told, Warwolf};

/// The folder of the example.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/005-shop")
}

fn file(name: &str) -> String {
    warwolf_e2e::path(&folder(), name)
}

/// The shop, and its URL.
fn shop() -> (Process, String) {
    let port = free_port();
    let server = Process::start("/usr/bin/python3", |command| {
        command.args([&file("server.py"), &port.to_string()]);
    });
    (server.ready_at(([127, 0, 0, 1], port).into()), format!("http://127.0.0.1:{port}"))
}

/// The steps of a report by name: completed, failed, passed and failed checks.
fn steps(told: &Told) -> Vec<(String, [u64; 4])> {
    let number = |value: &Value, name: &str| value[name].as_u64().unwrap_or_default();
    let of = |step: &Value| {
        let checks = step["checks"].as_array().cloned().unwrap_or_default();
        let sum = |name| checks.iter().map(|check| number(check, name)).sum();
        let figures = [number(step, "completed"), number(step, "failed"), sum("passed"), sum("failed")];
        (step["name"].as_str().unwrap_or_default().to_owned(), figures)
    };
    told.report()["steps"].as_array().unwrap_or_else(|| panic!("{told:#?}")).iter().map(of).collect()
}

fn assert_all_passed(told: &Told) {
    assert_eq!(told.account("check_failed"), 0, "{told:#?}");
    for (name, [completed, failed, passed, check_failed]) in steps(told) {
        assert!(completed > 0 && passed > 0, "{name}: {told:#?}");
        assert_eq!((failed, check_failed), (0, 0), "{name}: {told:#?}");
    }
}

#[test]
fn sessions_log_in_browse_and_buy() {
    let (_shop, url) = shop();
    let told = Warwolf::run(&[&file("shop.toml"), &url, "-d", "1s", "-c", "4", "--seed", "3"]).exits(0);
    assert_all_passed(&told);
    let steps = steps(&told);
    let names: Vec<&str> = steps.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["login", "browse", "cart", "pay"]);
    let completed = |at: usize| steps[at].1[0];
    assert!(completed(0) <= completed(1) && completed(2) < completed(0), "{told:#?}");
    assert!(completed(3).abs_diff(completed(2)) <= 4, "who fills a cart pays: {told:#?}");
    let group = &told.report()["groups"][0];
    assert_eq!(group["name"], "checkout", "{told:#?}");
    assert_eq!(group["completed"].as_u64(), Some(completed(3)), "{told:#?}");
}

#[test]
fn an_api_is_polled_until_it_is_done() {
    let (_shop, url) = shop();
    let told = Warwolf::run(&[&file("report.toml"), &url, "-d", "1s"]).exits(0);
    assert_all_passed(&told);
    let steps = steps(&told);
    assert_eq!(steps[0].1[0], 20, "{told:#?}");
    assert!(steps[1].1[0] >= 3 * 20, "each report is asked for several times: {told:#?}");
}

#[test]
fn a_hurl_file_is_a_scenario() {
    let (_shop, url) = shop();
    let host = format!("host={url}");
    let told = Warwolf::run(&[&file("shop.hurl"), "--variable", &host, "-n", "20", "-c", "4"]).exits(0);
    assert_all_passed(&told);
    assert_eq!(told.completed(), 60, "{told:#?}");
}

#[test]
fn check_shows_what_a_plan_does_and_what_fails() {
    let (_shop, url) = shop();
    let told = Warwolf::new(&["check", &file("shop.toml"), &url]).told().exits(0);
    for line in
        ["> POST /login HTTP/1.1", "< HTTP/1.1 200 OK", "token = ann-1", "passed: status == 200", "0 failed"]
    {
        assert!(told.stdout.contains(line), "{line} not in {}", told.stdout);
    }
    let told = Warwolf::new(&["check", &file("shop.toml"), &url, "--check", "body contains nothing"])
        .told()
        .exits(99);
    assert!(told.stdout.contains("FAILED: body contains \"nothing\": found"), "{}", told.stdout);
}

#[test]
fn a_request_needs_no_plan_to_be_filled_and_checked() {
    let (_shop, url) = shop();
    let item = format!("{url}/item/{{{{int:1,9}}}}");
    let told = Warwolf::run(&[
        "-n",
        "50",
        "-c",
        "5",
        "--data",
        &file("users.csv"),
        "-H",
        "X-User: {{name}}",
        "--check",
        "status == 200",
        "--check",
        "json $.id <= 9",
        "--check",
        "body contains {{name}}",
        "--label",
        "/item/*=item",
        "--slo",
        "item: p90<5s",
        &item,
    ])
    .exits(0);
    assert_eq!(steps(&told), [("item".to_owned(), [50, 0, 100, 50])], "{told:#?}");
    assert_eq!(told.account("check_failed"), 50, "completed, check failed: {told:#?}");
    let missing =
        Warwolf::run(&["-n", "1", "-H", "X-User: {{nam}}", "--data", &file("users.csv"), &url]).exits(2);
    assert!(missing.stderr.contains("did you mean {{name}}?"), "{}", missing.stderr);
}

#[test]
fn a_session_takes_a_row_that_no_other_has() {
    let (_shop, url) = shop();
    let data = format!("{}:unique", file("users.csv"));
    let told = Warwolf::run(&[
        "-d",
        "5s",
        "-c",
        "2",
        "--data",
        &data,
        "-H",
        "X: {{name}}",
        &format!("{url}/item/1"),
    ]);
    assert_eq!(told.completed(), 3, "the run ends with the rows: {told:#?}");
}

#[test]
fn what_comes_once_is_done_before_the_run_and_after_it() {
    let (_shop, url) = shop();
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.toml");
    let text = format!(
        r#"
        url = "{url}"
        [load]
        users = 3
        sessions = 12
        [[setup]]
        once = "run"
        name = "log in"
        request = "POST /login"
        form = {{ user = "ann", password = "apple" }}
        capture = {{ token = "json $.token" }}
        check = ["status == 200"]
        [[step]]
        name = "fill"
        request = "POST /cart"
        headers = {{ Authorization = "Bearer {{{{token}}}}" }}
        json = {{ item = "{{{{seq}}}}" }}
        check = ["status == 201"]
        [[teardown]]
        once = "run"
        name = "pay"
        request = "POST /checkout"
        headers = {{ Authorization = "Bearer {{{{token}}}}" }}
        check = ["json $.paid == 12"]
        "#
    );
    std::fs::write(&plan, &text).unwrap();
    let path = plan.to_str().unwrap();
    let told = Warwolf::run(&[path]).exits(0);
    assert_eq!(steps(&told), [("fill".to_owned(), [12, 0, 12, 0])], "{told:#?}");
    assert!(!told.stdout.contains("ann-1"), "a token of the setup is in no report: {told:#?}");
    assert_eq!(told.stderr, "", "the cart of the one token has all items");
    std::fs::write(&plan, text.replace("apple", "pear")).unwrap();
    let told = Warwolf::run(&[path]).exits(1);
    assert!(
        told.stderr.contains("the setup of the run failed") && told.stderr.contains("status 403"),
        "{told:#?}"
    );
}
