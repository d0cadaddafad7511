use super::*;

fn plan(urls: &[&str]) -> Plan {
    Plan::new(urls.iter().map(|url| Request::get(url).unwrap()).collect())
}

#[test]
fn a_session_is_one_cache_line() {
    assert_eq!(size_of::<Session>(), 64);
}

#[test]
fn a_user_of_a_closed_loop_goes_on_until_the_calls_are_used_up() {
    let plan = Plan {
        schedule: Schedule::Closed { users: 2, ramp: Duration::ZERO },
        stop: warwolf_plan::Stop::after_calls(5),
        ..plan(&["a.test/0", "a.test/1", "a.test/2"])
    };
    let workload = Workload::new(&plan);
    let mut calls = Vec::new();
    for user in 0..2 {
        let mut session = workload.session(user);
        while let Step::Send { request } = session.next(&workload) {
            calls.push((user, request.0));
            assert_eq!(session.next(&workload), Step::Wait);
            session.reply(&workload, &Reply::failed(&plan.requests[0]));
        }
        assert_eq!(session.next(&workload), Step::Done);
    }
    assert_eq!(calls, [(0, 0), (0, 2), (0, 1), (1, 1), (1, 0)]);
}
