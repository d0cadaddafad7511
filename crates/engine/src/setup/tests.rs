use super::*;
use crate::SetupError;
use std::path::PathBuf;
use warwolf_plan::{Body, Plan, Request};

fn error(change: impl FnOnce(&mut Request)) -> SetupError {
    let mut request = Request::get("http://10.0.0.1/a").unwrap();
    change(&mut request);
    Prepared::new(&Plan::new(vec![request]), &Arc::default()).err().expect("this cannot be prepared")
}

#[test]
fn a_request_that_cannot_be_encoded_is_named_once() {
    let error = error(|request| request.method = "G T".to_owned());
    assert_eq!(error.to_string(), "http://10.0.0.1/a: method `G T`: use letters, as in `GET`");
}

#[test]
fn a_body_file_that_is_missing_is_a_problem_of_the_file_and_not_of_the_request() {
    let path = PathBuf::from("/no/such/file");
    let error = error(|request| request.body = Body::File(path.clone()));
    assert!(matches!(&error, SetupError::File { path: named, .. } if *named == path), "{error:?}");
}

#[test]
fn a_connection_sends_once_if_it_carries_one_request_that_is_not_streamed() {
    let sends_once = |change: &dyn Fn(&mut Plan)| {
        let mut plan = Plan::new(vec![Request::get("http://10.0.0.1/a").unwrap()]);
        plan.connections.keep_alive = false;
        change(&mut plan);
        Prepared::new(&plan, &Arc::default()).unwrap().sends_once
    };
    assert!(sends_once(&|_| {}));
    assert!(!sends_once(&|plan| plan.connections.keep_alive = true));
    assert!(!sends_once(&|plan| plan.requests[0].body = Body::File("/dev/null".into())));
}
