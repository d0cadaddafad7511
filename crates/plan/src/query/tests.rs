use super::*;

fn check(text: &str) -> Check {
    Check::parse("check", text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_check_reads_back_as_it_is_printed() {
    for text in [
        "status == 200",
        "status in [200, 201]",
        "header X-Id exists",
        "header X-Id not exists",
        "cookie \"SID[Path]\" == \"/\"",
        "json $.ok == true",
        "json $.items | count >= 3",
        "json \"$.items[?(@.n > 1)]\" | nth -1 | json $.name == \"a \\\"b\\\" \\\\\"",
        "body contains \"a, b\"",
        "body not matches \"\\d+\\s\"",
        "body | split \",\" | first == \"x\"",
        "latency < 800ms",
        "size >= 1000",
        "{{token}} != null",
        "regex \"id=(\\w+)\" starts_with \"ab\"",
        "bytes == hex:00ff",
        "json $.n == 1.0",
        "json $ is_object",
        "json $.n === 1",
        "json $.a[*] | unwrap == 1",
        "header Via includes \"1.1 a\"",
    ] {
        let parsed = check(text);
        assert_eq!(parsed.to_string(), text);
        assert_eq!(check(&parsed.to_string()), parsed);
    }
}

#[test]
fn values_have_the_kinds_that_they_are_written_as() {
    let value = |text: &str| match check(text).predicate {
        Predicate::Equal(value) => value,
        other => panic!("{other:?}"),
    };
    assert_eq!(value("json $.a == 7"), Literal::Integer(7));
    assert_eq!(value("json $.a == '7'"), Literal::Text("7".to_owned()));
    assert_eq!(value("json $.a == yes"), Literal::Text("yes".to_owned()));
    assert_eq!(value("json $.a == -2.5"), Literal::Float(-2.5));
    assert_eq!(value("json $.a == {{user.name}}"), Literal::Text("{{user.name}}".to_owned()));
    assert_eq!(value("latency == 1.5ms"), Literal::Integer(1_500_000));
    assert_eq!(value("size == 2k"), Literal::Integer(2_048));
    assert_eq!(check("status in 200, 201").predicate, check("status in [200,201]").predicate);
    assert_eq!(check("{{token}}").predicate, Predicate::Exists);
}

#[test]
fn what_is_wrong_is_named_with_what_would_be_right() {
    for (text, remedy) in [
        ("", "begin with one of status"),
        ("statsu == 200", "did you mean `status`?"),
        ("status", "continue with one of =="),
        ("status = 200", "did you mean"),
        ("status == 200 201", "leave out what follows: 201"),
        ("header", "give a value after `header`"),
        ("body contains \"a", "close the quote"),
        ("json $.a | coun == 1", "did you mean `count`?"),
        ("latency < soon", "250ms"),
        ("json $.a in [1 2]", "commas"),
    ] {
        let error = Check::parse("step.0.check", text).unwrap_err();
        assert!(error.remedy.contains(remedy), "{text}: {error}");
        assert_eq!(error.field, "step.0.check");
    }
}

#[test]
fn a_capture_is_a_query_without_a_condition() {
    let capture = Capture::parse("capture", "id", "header Location | url_param id").unwrap();
    let expected = Capture {
        filters: vec![Filter::UrlParam("id".to_owned())],
        ..Capture::new("id", Query::Header("Location".to_owned()))
    };
    assert_eq!(capture, expected);
    assert!(Capture::parse("capture", "id", "status == 200").is_err());
}
