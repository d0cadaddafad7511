use super::*;
use crate::siege::testing::Paper;

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

fn world() -> Paper {
    Paper::default().with_variable("HOME", "/home/jeff")
}

fn classic(line: &str, world: &Paper) -> Classic {
    parse(&words(line), world).unwrap_or_else(|ending| panic!("{line}: {ending:?}"))
}

fn config(line: &str, world: &Paper, label: &str) -> String {
    let text = parse(&words(line), world).unwrap_err().output.stdout;
    let row =
        text.lines().find_map(|row| row.strip_prefix(label)).unwrap_or_else(|| panic!("{label}: {text}"));
    row.trim().to_owned()
}

#[test]
fn one_rc_file_counts() {
    let world = world().with_file("a", "").with_file("b", "").with_file("c", "");
    let with_variable = world.clone().with_variable("SIEGERC", "a");
    let own = world.clone().with_file("/home/jeff/.siege/siege.conf", "timeout = 9");
    let old = world.clone().with_file("/home/jeff/.siegerc", "timeout = 8");
    let rows = [
        ("siege -R b -C", &with_variable, "b"),
        ("siege -C -R b", &with_variable, "b"),
        ("siege -C", &with_variable, "a"),
        ("siege -C", &own, "/home/jeff/.siege/siege.conf"),
        ("siege -C", &old, "/home/jeff/.siegerc"),
        ("siege -C", &world, "/home/jeff/.siege/siege.conf"),
    ];
    for (line, world, expected) in rows {
        assert_eq!(config(line, world, "resource file:"), expected, "{line}");
    }
    assert_eq!(config("siege -C", &own, "socket timeout:"), "9");
    assert_eq!(config("siege -C", &own, "concurrent users:"), "1", "one file counts, and no other");
    assert_eq!(config("siege -C", &world, "concurrent users:"), "25", "as shipped");
}

#[test]
fn options_beat_the_rc_file() {
    let world = world().with_file("rc", "concurrent = 7\nverbose = false\nuser-agent = x\n");
    let classic = classic("siege -R rc -v -c3 http://a.test/", &world);
    assert!(classic.style.verbose);
    assert_eq!(classic.style.users, 3);
}

#[test]
fn the_last_word_is_the_url() {
    let world = world().with_file("list", "http://list.test/").with_file("rc", "url = http://rc.test/");
    let rows = [
        ("siege http://one.test/ http://two.test/", "http://two.test/"),
        ("siege -f list http://one.test/", "http://one.test/"),
        ("siege -f list", "http://list.test/"),
        ("siege -R rc -f list", "http://rc.test/"),
        ("siege -R rc http://one.test/", "http://one.test/"),
    ];
    for (line, url) in rows {
        let classic = classic(line, &world);
        assert_eq!(classic.plan.unwrap().requests[0].url(), url, "{line}");
        assert_eq!(classic.style.shown[0].url, url, "{line}");
    }
}

#[test]
fn what_cannot_be_requested_is_in_the_plan_and_fails() {
    let world = world().with_file("list", "gopher://a/\na.test/\nNAME = x\n");
    let classic = classic("siege -v -f list", &world);
    assert_eq!(classic.before.stderr, "");
    let found: Vec<(&str, bool)> =
        classic.style.shown.iter().map(|shown| (shown.path.as_str(), shown.unsupported)).collect();
    assert_eq!(found, [("gopher://a/", true), ("/", false), ("NAME = x", false)]);
    assert_eq!(classic.plan.unwrap().requests.len(), 3);
}

#[test]
fn version_1_00_has_its_own_options_and_no_rc_file() {
    let world = world().with_file("/home/jeff/.siege/siege.conf", "concurrent = 99\nverbose = true\n");
    let classic = classic("siege -u shemp.whoohoo.com/howto/Admin.html -d1 -t10 -c25", &world);
    let plan = classic.plan.unwrap();
    assert_eq!(classic.style.era, Era::V100);
    assert_eq!((classic.style.users, plan.stop.calls, plan.stop.duration), (25, Some(250), None));
    assert_eq!(plan.requests[0].url(), "http://shemp.whoohoo.com/howto/Admin.html");
    assert!(!classic.style.verbose);
    let default = parse(&words("siege -u shemp"), &world).unwrap().plan.unwrap();
    let second = std::time::Duration::from_secs(1);
    assert_eq!(
        default.session.think,
        warwolf_plan::Think::Uniform { min: second, max: second * 3, granularity: std::time::Duration::ZERO }
    );
}

#[test]
fn a_debian_rc_file_does_not_keep_lines_away() {
    let world = world().with_file("rc", "json_output = true\n");
    assert!(classic("siege -R rc a.test", &world).style.json);
    let asked = classic("siege -R rc -v a.test", &world).style;
    assert!(asked.verbose && !asked.json && !asked.quiet);
    let quirks = classic("siege -R rc -v --quirks a.test", &world).style;
    assert!(!quirks.verbose && quirks.json);
}

#[test]
fn the_cap_is_said_where_it_holds() {
    let world = world().with_file("fifty", "limit = 50");
    let free = classic("siege -c300 a.test", &world);
    assert_eq!((free.style.users, free.before.stdout.as_str()), (300, ""));
    let capped = classic("siege -R fifty -c300 a.test", &world);
    assert_eq!(capped.style.users, 50);
    assert!(capped.before.stdout.contains("capped at 50."), "{}", capped.before.stdout);
}

#[test]
fn the_verdict_is_for_a_terminal_unless_asked_for() {
    let world = world().with_file("on", "verdict = true\n").with_file("off", "verdict = false\n");
    let off = world.clone().with_variable("WARWOLF_VERDICT", "0");
    let on = world.clone().with_variable("WARWOLF_VERDICT", "1");
    let rows = [
        ("siege a.test", &world, None),
        ("siege -R on a.test", &world, Some(true)),
        ("siege -R off a.test", &world, Some(false)),
        ("siege -R on a.test", &off, Some(false)),
        ("siege -R off a.test", &on, Some(true)),
        ("siege --verdict a.test", &off, Some(true)),
        ("siege --no-verdict -R on a.test", &on, Some(false)),
        ("siege --no-verdict -u a.test", &world, Some(false)),
    ];
    for (line, world, expected) in rows {
        assert_eq!(classic(line, world).style.verdict, expected, "{line}");
    }
}

#[test]
fn users_begin_with_the_cookies_that_were_kept() {
    let kept = "# none\nsiege-1 | a=1; domain=.test; path=/; expires=1988150399\n\
                siege-2 | b=2; domain=c.test; path=/; expires=1988150399\n";
    let world = world().with_file("/home/jeff/.siege/cookies.txt", kept).with_file("rc", "");
    let jar = |line: &str| {
        let classic = classic(line, &world);
        let found = classic.plan.expect("a run").session.initial_cookies;
        (
            found.iter().map(|cookie| format!("{}@{}", cookie.name, cookie.domain)).collect::<Vec<_>>(),
            classic.style,
        )
    };
    let rows: [(&str, &[&str]); 6] = [
        ("siege -R rc -c2 -r1 a.test", &["a@a.test", "b@c.test"]),
        ("siege -R rc -c1 -r1 a.test", &["a@a.test"]),
        ("siege -R rc -c2 -r1 other.example", &["b@c.test"]),
        ("siege --quirks -R rc -c2 -r1 a.test", &[]),
        ("siege --quirks --as 4.1.7 -R rc -c2 -r1 a.test", &["a@a.test", "b@c.test"]),
        ("siege --as 1.00 -t1 -u a.test", &[]),
    ];
    for (line, expected) in rows {
        let (found, style) = jar(line);
        assert_eq!(found, expected, "{line}");
        let path = style.cookies.map(|path| path.display().to_string());
        let keeps =
            if line.contains("1.00") { None } else { Some("/home/jeff/.siege/cookies.txt".to_owned()) };
        assert_eq!(path, keeps, "{line}");
    }
}

#[test]
fn ways_in_are_asked_for_in_order() {
    let world = world().with_file(
        "rc",
        "auth-url = http://a.test/in POST user=jeff&pass=$(HOME)\nauth-url = https://b.test/in\n",
    );
    let ways = |line: &str| -> Vec<String> {
        let plan = classic(line, &world).plan.expect("a run");
        plan.session
            .recovery_requests()
            .map(|request| format!("{} {}", request.method, request.url()))
            .collect()
    };
    assert_eq!(ways("siege -R rc -r1 a.test"), ["POST http://a.test/in", "GET https://b.test/in"]);
    assert_eq!(ways("siege --as 4.1.7 --quirks -R rc -r1 a.test").len(), 2);
    assert!(ways("siege --quirks -R rc -r1 a.test").is_empty(), "4.0.7 does not know the word");
}
