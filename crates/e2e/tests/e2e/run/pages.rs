//! Pages in a real browser: they load without errors and without asking for anything, and fit a telephone.

use std::path::Path;

use warwolf_e2e::process::command;
use warwolf_e2e::{Warwolf, target};
use warwolf_target::Options;

/// What a probe sees of a page in Chromium at this width: how much sticks out, the charts, the requests made. Bounded: the
/// browser is ended after 40 s by `timeout`.
fn seen(page: &Path, width: u32) -> String {
    let profile = tempfile::tempdir().expect("a folder");
    // Content-Security-Policy forbids scripts in the page itself, so the probe sits in a page of its own around it.
    let probe = profile.path().join("probe.html");
    let text = std::fs::read_to_string(page).expect("a page");
    let policy = text.find("<meta http-equiv").expect("a policy");
    let end = policy + text[policy..].find('>').expect("its end") + 1;
    let looked = "<script>addEventListener('load',()=>{const wide=[...document.querySelectorAll('body *')].filter(e=>\
        e.getBoundingClientRect().right>innerWidth+1&&!e.closest('.wide')&&!e.closest('pre')).length;\
        document.title='probe wide='+wide+' charts='+document.querySelectorAll('svg.chart').length+\
        ' drawn='+[...document.querySelectorAll('svg.chart')].filter(e=>e.getBoundingClientRect().height>80).length+\
        ' requests='+performance.getEntriesByType('resource').length+' verdict='+document.querySelector('.verdict').getBoundingClientRect().top})</script>";
    std::fs::write(&probe, format!("{}{looked}{}", &text[..policy], &text[end..])).expect("a page");
    let output = command("timeout")
        .args([
            "40",
            "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--dump-dom",
            "--enable-logging=stderr",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--window-size={width},900"))
        .arg(format!("file://{}", probe.display()))
        .output()
        .expect("chromium starts");
    let errors: Vec<String> = String::from_utf8_lossy(&output.stderr)
        .lines()
        .filter(|line| line.contains(":CONSOLE"))
        .map(str::to_owned)
        .collect();
    assert!(errors.is_empty(), "the page complains: {errors:?}");
    let dom = String::from_utf8_lossy(&output.stdout);
    let title =
        dom.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>")).map(|(title, _)| title);
    title.unwrap_or_default().to_owned()
}

#[test]
fn a_report_is_whole_in_a_browser_wide_and_narrow() {
    let folder = tempfile::tempdir().expect("a folder");
    let server =
        target::start(Options { delay: "lognormal:3ms,0.4".parse().expect("a delay"), ..Options::default() });
    let page = folder.path().join("report.html");
    let words = ["run", "-c", "5", "-d", "2s", "--quiet", "-o", page.to_str().expect("a path")];
    let told = Warwolf::new(&words)
        .and(&[target::url(&server, "/a"), target::url(&server, &format!("/{}", "long".repeat(60)))])
        .told();
    assert_eq!(told.code, 0, "{told:#?}");
    // Headless Chromium makes no window narrower than 500.
    for width in [1200, 500] {
        let dom = seen(&page, width);
        assert!(
            dom.contains("probe wide=0 charts=8 drawn=8 requests=0 verdict="),
            "{width}: {}",
            &dom[..dom.len().min(600)]
        );
    }
}

#[test]
fn a_sweep_is_whole_in_a_browser() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = target::start(Options::default());
    let page = folder.path().join("sweep.html");
    let words = [
        "sweep",
        "--vary",
        "connections=1,3",
        "-d",
        "200ms",
        "--quiet",
        "-o",
        page.to_str().expect("a path"),
    ];
    let told = Warwolf::new(&words).and(&[target::url(&server, "/")]).told();
    assert_eq!(told.code, 0, "{told:#?}");
    let dom = seen(&page, 1200);
    assert!(dom.starts_with("probe wide=0 charts=4 drawn=4 requests=0"), "{dom}");
}
