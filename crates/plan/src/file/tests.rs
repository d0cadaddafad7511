use crate::*;
use std::time::Duration;

/// The plan that the language was designed for.
const SHOP: &str = include_str!("shop.toml");

#[test]
fn a_page_of_toml_is_a_plan() {
    let plan = Plan::from(text::parse(SHOP).unwrap_or_else(|error| panic!("{error}")));
    println!("{}", text::to_toml(&plan));
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
