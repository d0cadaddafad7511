use super::*;
use crate::siege::settings::Login;
use crate::siege::testing::Paper;
use crate::siege::url::{Manner, read};

fn targets(urls: &[&str]) -> Vec<Target> {
    let manner = Manner { escapes: true, quirks: false };
    let target = |url: &&str| read(url, manner, &Paper::default(), &mut String::new());
    urls.iter().map(target).collect()
}

fn list(count: usize) -> Vec<Target> {
    let urls: Vec<String> = (0..count).map(|n| format!("a.test/{n}")).collect();
    targets(&urls.iter().map(String::as_str).collect::<Vec<_>>())
}

fn shipped() -> Settings {
    Settings { http11: true, accept_encoding: "gzip, deflate".to_owned(), ..Settings::shipped() }
}

fn planned(settings: &Settings, urls: &[Target]) -> Plan {
    let plan = plan(settings, urls, Besides::default()).expect("something is sent").0;
    plan.clone().check().expect("the plan holds");
    plan
}

/// Returns the scripts of the users as list indexes.
fn scripts(settings: &Settings, urls: usize) -> Vec<Vec<u32>> {
    match planned(settings, &list(urls)).session.work {
        Work::Scripts { scripts } => {
            scripts.iter().map(|script| script.bursts.iter().map(|burst| burst.first.0).collect()).collect()
        }
        Work::Draw { .. } => panic!("no scripts"),
    }
}

fn head(settings: &Settings, url: &str) -> Vec<String> {
    let plan = planned(settings, &targets(&[url]));
    let fields = plan.requests[0].headers.iter().filter(|(_, value)| !value.is_empty());
    fields.map(|(name, value)| format!("{name}: {value}")).collect()
}

#[test]
fn every_setting_reaches_the_plan() {
    type Look = fn(&Plan) -> String;
    let users: Look = |plan| format!("{:?}", plan.schedule);
    let stop: Look = |plan| format!("{:?} {:?}", plan.stop.duration, plan.stop.calls);
    let think: Look = |plan| format!("{:?}", plan.session.think);
    let connections: Look = |plan| format!("{:?} {}", plan.connections.version, plan.connections.keep_alive);
    let timeout: Look = |plan| format!("{:?}", plan.timeouts.connect);
    let handshake: Look = |plan| format!("{:?} {:?}", plan.timeouts.tls, plan.timeouts.idle);
    let base = Settings { concurrent: 2, ..shipped() };
    let rows: Vec<(Settings, Look, &str)> = vec![
        (base.clone(), users, "Closed { users: 2, ramp: 0ns }"),
        (base.clone(), stop, "None None"),
        (Settings { reps: Reps::Times(3), ..base.clone() }, stop, "None Some(6)"),
        (Settings { reps: Reps::Once, ..base.clone() }, stop, "None Some(2)"),
        (Settings { time: Some(5), ..base.clone() }, stop, "Some(5s) None"),
        (Settings { time: Some(5), reps: Reps::Times(3), ..base.clone() }, stop, "Some(5s) None"),
        (base.clone(), think, "None"),
        (
            Settings { delay: 0.5, ..base.clone() },
            think,
            "Uniform { min: 0ns, max: 500ms, granularity: 0ns }",
        ),
        (Settings { delay: 2.5, ..base.clone() }, think, "Uniform { min: 0ns, max: 2.5s, granularity: 1s }"),
        (base.clone(), |plan| format!("{:?}", plan.session.think_at), "After"),
        (
            Settings { era: Era::V100, ..base.clone() },
            |plan| format!("{:?}", plan.session.think_at),
            "Before",
        ),
        (base.clone(), |plan| format!("{:?}", plan.session.redirects.statuses), "[301, 302, 303, 307]"),
        (
            Settings { era: Era::V417, ..base.clone() },
            |plan| format!("{:?}", plan.session.redirects.statuses),
            "[201, 301, 302, 303, 307]",
        ),
        (base.clone(), |plan| format!("{:?}", plan.network.unresolved), "Count"),
        (base.clone(), |plan| format!("{:?}", plan.session.forget_cookies_after), "None"),
        (
            Settings { expire_session: true, ..base.clone() },
            |plan| format!("{:?}", plan.session.forget_cookies_after),
            "Some(1)",
        ),
        (
            base.clone(),
            |plan| format!("{:?}", plan.session.work),
            "Draw { calls: None, burst: 1, first_alone: false, order: PerSession }",
        ),
        (Settings { delay: 0.0005, ..base.clone() }, think, "None"),
        (
            Settings { delay: 3.0, era: Era::V100, ..base.clone() },
            think,
            "Uniform { min: 1s, max: 3s, granularity: 0ns }",
        ),
        (
            Settings { delay: 1.0, era: Era::V100, ..base.clone() },
            think,
            "Uniform { min: 1s, max: 1s, granularity: 0ns }",
        ),
        (base.clone(), connections, "Http11 false"),
        (Settings { keep_alive: true, ..base.clone() }, connections, "Http11 true"),
        (Settings { http11: false, ..base.clone() }, connections, "Http10 false"),
        (base.clone(), timeout, "Some(30s)"),
        (Settings { timeout: 2, ..base.clone() }, timeout, "Some(2s)"),
        (Settings { timeout: 0, ..base.clone() }, timeout, "None"),
        (base.clone(), handshake, "Some(300s) Some(300s)"),
        (Settings { ssl_timeout: 5, timeout: 400, ..base.clone() }, handshake, "Some(5s) Some(400s)"),
        (Settings { ssl_timeout: 900, ..base.clone() }, handshake, "Some(900s) Some(900s)"),
        (Settings { ssl_timeout: 0, ..base.clone() }, handshake, "Some(300s) Some(300s)"),
        (base.clone(), |plan| plan.connections.max_head.to_string(), "262144"),
        (base.clone(), |plan| plan.session.redirects.limit.to_string(), "20"),
        (Settings { follow: false, ..base.clone() }, |plan| plan.session.redirects.limit.to_string(), "0"),
        (base.clone(), |plan| format!("{:?}", plan.tls.verify), "Off"),
        (
            Settings { ssl_cert: Some("c".to_owned()), ..base.clone() },
            |plan| format!("{:?}", plan.tls.client_certificate),
            r#"Some(("c", "c"))"#,
        ),
        (
            Settings { ssl_ciphers: Some("A:B".to_owned()), ..base.clone() },
            |plan| format!("{:?}", plan.tls.ciphers),
            r#"["A", "B"]"#,
        ),
        (
            Settings { proxy_host: Some("p".to_owned()), proxy_port: 81, ..base.clone() },
            |plan| plan.network.proxy.as_ref().map(|proxy| proxy.endpoint.to_string()).unwrap_or_default(),
            "http://p:81",
        ),
        (
            Settings {
                proxy_host: Some("p".to_owned()),
                proxy_logins: vec![Login::parse("a:b:realm")],
                ..base.clone()
            },
            |plan| plan.session.auth.as_ref().map(|auth| auth.proxy[0].name.clone()).unwrap_or_default(),
            "a",
        ),
        (
            Settings { logins: vec![Login::parse("jeff:secret:Admin")], attempts: 2, ..base.clone() },
            |plan| format!("{:?}", plan.session.auth),
            "Some(Auth { server: [Credentials { name: \"jeff\", password: \"secret\", realm: Some(\"Admin\") }], \
             proxy: [], attempts: 2, retry_without_credentials: true })",
        ),
        (Settings { era: Era::V100, ..base.clone() }, |plan| format!("{:?}", plan.session.auth), "None"),
        (
            Settings { internet: true, ..base.clone() },
            |plan| format!("{:?}", plan.session.work),
            "Draw { calls: None, burst: 1, first_alone: false, order: Random }",
        ),
    ];
    for (settings, look, expected) in rows {
        assert_eq!(look(&planned(&settings, &list(1))), expected);
    }
}

#[test]
fn without_repetitions_nothing_is_sent() {
    for times in [0, -5] {
        let settings = Settings { reps: Reps::Times(times), ..shipped() };
        assert_eq!(plan(&settings, &list(1), Besides::default()), None, "{times}");
    }
    assert_eq!(plan(&shipped(), &[], Besides::default()), None, "no URL");
}

#[test]
fn once_is_the_whole_list_for_each_user_and_in_4_1_7_a_share_of_it() {
    let once = |concurrent, era| Settings { concurrent, era, reps: Reps::Once, ..shipped() };
    let none: Vec<u32> = Vec::new();
    assert_eq!(scripts(&once(2, Era::V407), 4), [vec![0, 1, 2, 3]]);
    assert_eq!(scripts(&once(3, Era::V417), 4), [vec![0, 1], vec![2], vec![3]]);
    assert_eq!(scripts(&once(2, Era::V417), 4), [vec![0, 1], vec![2, 3]]);
    assert_eq!(scripts(&once(3, Era::V417), 2), [vec![0], vec![1], none]);
    assert_eq!(planned(&once(5, Era::V407), &list(3)).stop.calls, Some(15));
    assert_eq!(planned(&once(3, Era::V417), &list(4)).stop.calls, Some(4));
}

#[test]
fn users_of_1_00_begin_at_the_first_url() {
    let settings = Settings { era: Era::V100, concurrent: 2, reps: Reps::Times(5), ..shipped() };
    assert_eq!(scripts(&settings, 3), [vec![0, 1, 2]], "and begin again after the last");
    assert_eq!(planned(&settings, &list(3)).stop.calls, Some(10));
}

#[test]
fn the_skewed_draw_is_there_for_those_who_want_it() {
    let internet = |quirks| Settings { internet: true, quirks, ..shipped() };
    let places =
        |quirks, urls| plan(&internet(quirks), &list(urls), Besides::default()).map(|(_, places)| places);
    assert_eq!(places(true, 4), Some(vec![0, 1, 1, 2, 2, 3, 3, 3]));
    assert_eq!(places(false, 4), Some(vec![0, 1, 2, 3]));
    assert_eq!(places(true, 1), Some(vec![0]));
}

#[test]
fn header_fields_are_in_the_originals_order() {
    let agent = "User-Agent: Mozilla/5.0 (pc-x86_64-linux-gnu) Siege/4.0.7";
    let extra = |fields: &[(&str, &str)]| Settings {
        headers: fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        ..shipped()
    };
    assert_eq!(
        head(&shipped(), "127.0.0.1:18090/ok"),
        [
            "Host: 127.0.0.1:18090",
            "Accept: */*",
            "Accept-Encoding: gzip, deflate",
            agent,
            "Connection: close"
        ]
    );
    assert_eq!(
        head(&extra(&[("X-A", "1"), ("X-B", "2")]), "a.test/")[3..],
        [agent, "X-A: 1", "X-B: 2", "Connection: close"]
    );
    assert_eq!(
        head(&extra(&[("Host", "example.test"), ("Cookie", "z=9")]), "a.test/")[..2],
        ["Accept: */*", "Accept-Encoding: gzip, deflate"]
    );
    assert_eq!(
        head(
            &extra(&[("Accept", "text/html"), ("User-Agent", "foo"), ("Content-Type", "a/b")]),
            "a.test/ POST x"
        ),
        [
            "Host: a.test",
            "Accept-Encoding: gzip, deflate",
            agent,
            "Accept: text/html",
            "User-Agent: foo",
            "Content-Type: a/b",
            "Connection: close",
            "Content-Type: application/x-www-form-urlencoded"
        ]
    );
    let typed = Settings { content_type: Some("application/json".to_owned()), ..shipped() };
    assert_eq!(head(&typed, "a.test/ POST {}").last().unwrap(), "Content-Type: application/json");
    let kept = Settings { keep_alive: true, ..shipped() };
    assert_eq!(head(&kept, "a.test/").last().unwrap(), "Connection: keep-alive");
}

#[test]
fn cookies_stand_behind_the_host() {
    let plan = planned(&shipped(), &list(1));
    let names: Vec<&str> = plan.requests[0].headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names[..3], ["Host", "Cookie", "Accept"]);
    assert_eq!(plan.requests[0].headers[1].1, "");
}

#[test]
fn a_tunnel_is_asked_for_with_the_login() {
    let settings = Settings {
        proxy_host: Some("p".to_owned()),
        proxy_logins: vec![Login::parse("a:b:realm")],
        ..shipped()
    };
    for (url, login) in [("http://a.test/", None), ("https://a.test/", Some("a:b"))] {
        let proxy = planned(&settings, &targets(&[url])).network.proxy.unwrap();
        assert_eq!(proxy.basic_auth.as_deref(), login, "{url}");
    }
}

#[test]
fn data_becomes_the_body() {
    let body = |url: &str| planned(&shipped(), &targets(&[url])).requests[0].body.clone();
    assert_eq!(body("a.test/"), Body::None);
    assert_eq!(body("a.test/ POST a=1&b=two words"), Body::Text("a=1&b=two words".to_owned()));
    assert_eq!(body("a.test/ DELETE"), Body::Text(String::new()));
}

#[test]
fn heads_are_asked_for_with_the_method_of_the_rc_file() {
    let get = |method: Option<&str>, url: &str| {
        let settings = Settings { get: true, get_method: method.map(str::to_owned), ..shipped() };
        planned(&settings, &targets(&[url])).requests[0].method.clone()
    };
    assert_eq!(get(Some("HEAD"), "a.test/"), "HEAD");
    assert_eq!(get(Some("GET"), "a.test/"), "GET");
    assert_eq!(get(None, "a.test/"), "GET", "no directive at all");
    assert_eq!(get(Some("HEAD"), "a.test/ POST x"), "POST");
}
