use crate::*;
use std::time::Duration;

/// Reads a plan that is wrong.
fn wrong(text: &str) -> String {
    match text::parse(text) {
        Ok(plan) => panic!("it was read: {}", text::to_toml(&plan)),
        Err(error) => error.in_file("plan.toml"),
    }
}

/// The plan that the language was designed for.
const SHOP: &str = include_str!("shop.toml");

#[test]
fn a_page_of_toml_is_a_plan() {
    let plan = Plan::from(text::parse(SHOP).unwrap_or_else(|error| panic!("{error}")));
    let [scenario] = plan.scenarios.as_slice() else { panic!("one scenario") };
    let [login, browse, buy] = scenario.steps.as_slice() else { panic!("three steps") };
    let names: Vec<String> =
        plan.requests.iter().map(|request| format!("{} {}", request.method, request.url())).collect();
    assert_eq!(
        names,
        [
            "POST https://shop.test/login",
            "GET https://shop.test/item/{{int:1,100000}}",
            "POST https://shop.test/cart"
        ]
    );
    assert_eq!(login.captures.iter().map(|capture| capture.max).collect::<Vec<_>>(), [256, 64]);
    assert_eq!((login.checks.len(), login.slos.len()), (3, 1));
    assert!(plan.requests[0].is_template && !plan.requests[2].is_template);
    assert_eq!(browse.repeat, Repeat::Times { min: 1, max: 5 });
    assert_eq!(browse.think, Think::Exponential { mean: Duration::from_secs(2) });
    assert_eq!((buy.share, buy.on_fail, buy.group.as_deref()), (0.3, OnFail::EndSession, Some("checkout")));
    assert_eq!(plan.data[0].take, Take::Unique);
    assert_eq!(plan.schedule, Schedule::Open { arrivals: ArrivalProcess::Constant { rate: 50.0 }, burst: 1 });
    let toml = text::to_toml(&plan);
    assert_eq!(text::parse(&toml).map(Plan::from), Ok(plan.clone()), "{toml}");
    assert_eq!(text::parse(&text::to_json(&plan)).map(Plan::from), Ok(plan));
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let step = "[[step]]\nname = \"login\"\nrequest = \"GET http://a.test/\"\n";
    for (rest, expected) in [
        ("chek = [\"status == 200\"]", "4:1: step.login: `chek`: not known; did you mean `check`?"),
        ("check = [\"status = 200\"]", "4:10: step.login.check.0: `status = 200`: "),
        (
            "capture = { t = \"jsn $.a\" }",
            "4:17: step.login.capture.t: `jsn $.a`: the query `jsn` is not known",
        ),
        (
            "capture = { t = { json = \"$.a\", mx = 4 } }",
            "4:33: step.login.capture.t: `mx`: not known; did you mean `max`?",
        ),
        ("repeat = \"twice\"", "4:10: step.login.repeat: `twice`: use a number of times"),
        ("share = \"130%\"", "4:1: step.login.share: `1.3`: use more than 0%"),
        ("think = 5\ntimeout = \"soon\"", "5:11: step.login.timeout: `soon`: use a number with a unit"),
        ("on_fail = \"end\"", "4:11: step.login.on_fail: `end`: not known; use one of go_on, end_session"),
        ("limit = 3", "4:1: step.login.limit: `3`: it is for while and until"),
        ("when = \"status == 200\"", "4:1: step.login.when: `status == 200`: the step is not sent yet"),
        (
            "headers = { A = \"{{tokn}}\" }\n[variables]\ntoken = \"1\"",
            "4:13: step.login.headers.A: `{{tokn}}`: no capture or variable has this name; did you mean `token`?",
        ),
        ("headers = { A = \"{{ints:1}}\" }", "3:1: step.login.request: `{{ints:1}}`: `ints` is not known"),
        (
            "json = { a = \"{{b}}\" }\n[[step]]\nrequest = \"/\"\ncapture = { b = \"status\" }",
            "4:1: step.login.json: `{{b}}`: it is captured later, or elsewhere, by the step `GET /`",
        ),
        (
            "query = { a = \"{{user.id}}\" }\n[[data]]\nname = \"users\"\nfile = \"u.csv\"",
            "4:11: step.login.query.a: `{{user.id}}`: no table has this name; did you mean `users`?",
        ),
        (
            "[[step]]\nname = \"login\"\nrequest = \"/b\"",
            "5:1: step.login.name: `login`: another step has this name",
        ),
        ("[variables]\na = \"{{b}}\"\nb = \"{{a}}\"", "6:1: variables.b: `{{a}}`: it needs itself: a, b, a"),
        (
            "group = \"g\"\n[[step]]\nrequest = \"/b\"\n[[step]]\nname = \"c\"\ngroup = \"g\"\nrequest = \"/c\"",
            "9:1: step.c.group: `g`: put the steps of a group one after the other",
        ),
        (
            "branch = \"b\"\nshare = \"60%\"\n[[step]]\nname = \"c\"\nbranch = \"b\"\nshare = 0.5\nrequest = \"/c\"",
            "9:1: step.c.share: the shares of branch `b` add up to 110",
        ),
        (
            "body = \"a\"\njson = { b = 1 }",
            "3:1: step.login.request: use one of body, file, form, json and multipart",
        ),
        ("[load]\nusers = 5\nrate = 3", "5:1: load.users: `5`: use either users or a rate"),
        ("[load]\nrat = 3", "5:1: load: `rat`: not known; did you mean `rate`?"),
        (
            "[session]\nthink = \"1s\"",
            "5:1: session.think: it is for plans with a list of requests; with steps, use think of each step",
        ),
        (
            "[schedule.open.arrivals.constant]\nrate = 5",
            "4:25: schedule.open.arrivals.constant: use [load] rate",
        ),
        ("= 5", "4:1: "),
    ] {
        let error = wrong(&format!("{step}{rest}\n"));
        assert!(error.starts_with(&format!("plan.toml:{expected}")), "{rest}\n{error}\n{expected}");
    }
    assert_eq!(
        wrong("{\n  \"load\": { \"user\": 5 }\n}"),
        "plan.toml:2:13: load: `user`: not known; did you mean `users`?"
    );
    assert!(wrong("{\"seed\": 1,}").starts_with("plan.toml:1:12: give a key in double quotes"));
    assert!(wrong("requests = [\"/a\"]").contains("requests.0: `/a`: begin the URL with scheme and host"));
}

#[test]
fn requests_are_written_in_many_ways() {
    let text = r#"
        url = "https://a.test:8443"
        [[setup]]
        once = "run"
        name = "token"
        request = "POST /token"
        json = { grant = "x", list = [1, 2.5, true], deep = { a = "{{key}}" } }
        capture = { token = "json $.token" }
        [variables]
        key = { env = "API_KEY" }
        [[scenario]]
        name = "reader"
        weight = 3
        [[scenario.step]]
        requests = ["/a", "HEAD /b", "http://b.test/c d?x=ä"]
        order = "random"
        headers = [["Authorization", "Bearer {{token}}"], ["A", "1"], ["A", "2"]]
        while = "status == 202"
        limit = 5
        [[scenario]]
        name = "writer"
        [[scenario.step]]
        name = "put"
        request = "PUT http://bob:p%40w@b.test/{{int:1,9}}"
        multipart = [{ name = "f", file = "a.png", type = "image/png" }, { name = "t", text = "x" }]
        until = "checks"
        [[scenario.step]]
        name = "raw"
        request = "POST /"
        json = '''{"n": {{seq}}}'''
        query = { q = "a b", n = 5 }
    "#;
    let plan = Plan::from(text::parse(text).unwrap_or_else(|error| panic!("{error}")));
    let urls: Vec<String> =
        plan.requests.iter().map(|request| format!("{} {}", request.method, request.url())).collect();
    assert_eq!(
        urls,
        [
            "POST https://a.test:8443/token",
            "GET https://a.test:8443/a",
            "HEAD https://a.test:8443/b",
            "GET http://b.test/c%20d?x=%C3%A4",
            "PUT http://b.test/{{int:1,9}}",
            "POST http://b.test/"
        ]
    );
    let json = r#"{"grant":"x","list":[1,2.5,true],"deep":{"a":"{{key}}"}}"#;
    assert_eq!(plan.requests[0].body, Body::Json(json.to_owned()));
    assert_eq!(plan.requests[4].basic_auth.as_deref(), Some("bob:p@w"));
    let reader = &plan.scenarios[0].steps[0];
    assert_eq!((reader.choices, reader.order), (3, Order::Random));
    assert_eq!(plan.schedule, Schedule::Turns { users: 50 });
    let toml = text::to_toml(&plan);
    assert_eq!(text::parse(&toml).map(Plan::from), Ok(plan.clone()), "{toml}");
    assert_eq!(text::parse(&text::to_json(&plan)).map(Plan::from), Ok(plan));
}

#[test]
fn a_printed_plan_is_short() {
    let plan = text::parse("requests = [\"http://a.test/\"]\n[load]\nrate = 5\n").unwrap();
    assert_eq!(
        text::to_toml(&plan),
        "requests = [\"GET http://a.test/\"]\n\n# When sessions start, and when the run ends.\n[load]\n\
         rate = \"5/s\"\nduration = \"10s\"\n"
    );
}

#[test]
fn braces_that_are_no_values_are_sent_as_they_are() {
    let mut request = Request::get("http://a.test/").unwrap();
    request.path = "/{{x}}".into();
    request.body = Body::Json("{\"a\":\"{{y}}\"}".to_owned());
    let plan = Plan::new(vec![request]);
    let toml = text::to_toml(&plan);
    assert!(toml.contains("/\\{{x}}"), "{toml}");
    assert_eq!(text::parse(&toml).map(Plan::from), Ok(plan), "{toml}");
}

#[test]
fn the_published_schema_is_that_of_the_types() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/plan.schema.json");
    if std::env::var_os("WARWOLF_WRITE_SCHEMA").is_some() {
        std::fs::write(path, text::schema()).unwrap();
    }
    let published = std::fs::read_to_string(path).unwrap_or_default();
    let is_same = published == text::schema();
    assert!(is_same, "write it with WARWOLF_WRITE_SCHEMA=1 cargo test -p warwolf-plan schema");
}

#[test]
fn a_plan_has_as_many_checks_and_groups_as_are_counted() {
    let plan = |steps: usize, checks: usize| {
        let checks = vec!["\"status == 200\""; checks].join(", ");
        let step = |number| {
            format!(
                "[[step]]\nname = \"s{number}\"\ngroup = \"g{number}\"\nrequest = \"http://a.test/\"\ncheck = [{checks}]\n"
            )
        };
        let text: String = (0..steps).map(step).collect();
        text::parse(&text).map_err(|error| error.to_string())
    };
    assert!(plan(5, 51).is_ok());
    assert!(plan(5, 52).unwrap_err().contains("use at most 256"));
    assert!(plan(64, 1).is_ok());
    assert!(plan(65, 1).unwrap_err().contains("use at most 64 groups"));
}
