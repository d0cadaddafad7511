use super::*;
use crate::{Endpoint, Scheme};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn pauses() {
    let cases = [
        ("500ms", Think::Constant { time: ms(500) }),
        ("2", Think::Constant { time: ms(2_000) }),
        ("0", Think::None),
        ("uniform:100ms,2s", Think::Uniform { min: ms(100), max: ms(2_000), granularity: Duration::ZERO }),
        ("exponential:1s", Think::Exponential { mean: ms(1_000) }),
    ];
    for (text, think) in cases {
        assert_eq!(Think::parse(text), Ok(think), "{text}");
    }
    for wrong in ["", "fast", "uniform:1s", "uniform:2s,1s", "exponential:", "normal:1s"] {
        assert_eq!(Think::parse(wrong).unwrap_err().field, "think", "{wrong}");
    }
    assert_eq!(
        Think::parse("soon").unwrap_err().to_string(),
        "think: `soon`: use a time such as 500ms, uniform:100ms,2s or exponential:1s"
    );
}

#[test]
fn arrival_processes() {
    let process = |text: &str, rate, trace| ArrivalWords::parse(text)?.process(rate, trace);
    assert_eq!(process("constant", Some(5.0), None), Ok(ArrivalProcess::Constant { rate: 5.0 }));
    assert_eq!(process("poisson", Some(5.0), None), Ok(ArrivalProcess::Poisson { rate: 5.0 }));
    assert_eq!(
        process("uniform:5ms,15ms", None, None),
        Ok(ArrivalProcess::Uniform { min: ms(5), max: ms(15) })
    );
    assert_eq!(
        process("trace:times.txt", None, Some("0\n1ms")),
        Ok(ArrivalProcess::Trace { at_ns: vec![0, 1_000_000] })
    );
    for (text, rate, trace, field) in [
        ("constant", None, None, "arrivals"),
        ("poisson", None, None, "arrivals"),
        ("uniform:5ms,15ms", Some(1.0), None, "rate"),
        ("trace:x", Some(1.0), Some("0"), "rate"),
        ("trace:x", None, None, "arrivals"),
        ("trace:", None, Some("0"), "arrivals"),
        ("uniform:2ms,1ms", None, None, "arrivals"),
        ("uniform:0,0", None, None, "arrivals"),
        ("uniform:5ms", None, None, "arrivals"),
        ("normal", Some(1.0), None, "arrivals"),
    ] {
        assert_eq!(process(text, rate, trace).unwrap_err().field, field, "{text}");
    }
}

#[test]
fn traces_take_seconds_units_and_comments() {
    let text = "# recorded on Monday\n0\n0.25\n250ms # twice\n\n1.5s\r\n1m\n";
    assert_eq!(parse_trace(text), Ok(vec![0, 250_000_000, 250_000_000, 1_500_000_000, 60_000_000_000]));
    for (text, field) in [("1\n0.5", "trace, line 2"), ("0\n\nnow", "trace, line 3"), ("# none", "trace")] {
        assert_eq!(parse_trace(text).unwrap_err().field, field, "{text}");
    }
}

#[test]
fn ramps_and_steps() {
    assert_eq!(
        ArrivalProcess::parse_ramp("0:30/m:1m"),
        Ok(ArrivalProcess::Ramp { from: 0.0, to: 0.5, over: ms(60_000) })
    );
    assert_eq!(
        ArrivalProcess::parse_steps("100/sx10s,0x5s,1kx500ms"),
        Ok(ArrivalProcess::Steps {
            steps: vec![
                RateStep { rate: 100.0, lasts: ms(10_000) },
                RateStep { rate: 0.0, lasts: ms(5_000) },
                RateStep { rate: 1_000.0, lasts: ms(500) },
            ]
        })
    );
    for wrong in ["", "10:20", "10:20:30:40", "0:0:10s", "10:20:0", "-1:20:10s", "a:b:c"] {
        assert_eq!(ArrivalProcess::parse_ramp(wrong).unwrap_err().field, "ramp", "{wrong}");
    }
    for wrong in ["", "10", "0x10s", "10x0", "10x10s,", "10x10s;20x10s", "x"] {
        assert_eq!(ArrivalProcess::parse_steps(wrong).unwrap_err().field, "steps", "{wrong}");
    }
}

#[test]
fn header_fields() {
    for (text, name, value) in [
        ("Accept: text/html", "Accept", "text/html"),
        ("X-Empty:", "X-Empty", ""),
        ("a:b:c", "a", "b:c"),
        ("X: \t café \t", "X", "café"),
    ] {
        assert_eq!(parse_header(text), Ok((name.to_owned(), value.to_owned())), "{text}");
    }
    for wrong in
        ["", "Accept", ": x", "A b: c", "A : c", "A: b\r\nEvil: c", "A: b\nc", "A\r\n: b", "A: \0", "Ä: b"]
    {
        assert_eq!(parse_header(wrong).unwrap_err().field, "header", "{wrong:?}");
    }
    assert_eq!(
        parse_header("A: b\r\nC: d").unwrap_err().to_string(),
        r"header: `A: b\r\nC: d`: leave out line breaks and control characters; give each field by itself"
    );
}

#[test]
fn addresses_given_by_hand() {
    for (text, host, port, address) in [
        ("a.test:443:127.0.0.1", "a.test", 443, "127.0.0.1"),
        ("A.test:80:[::1]", "a.test", 80, "::1"),
        ("a.test:80:::1", "a.test", 80, "::1"),
        ("[fe80::1]:80:10.0.0.1", "fe80::1", 80, "10.0.0.1"),
    ] {
        let resolve = Resolve { host: host.into(), port, address: address.parse().unwrap() };
        assert_eq!(Resolve::parse(text), Ok(resolve), "{text}");
    }
    for wrong in ["", "a", "a:80", ":80:::1", "a:0:::1", "a:x:::1", "a:80:b", "a:99999:::1", "[::1:80:::1"] {
        assert_eq!(Resolve::parse(wrong).unwrap_err().field, "resolve", "{wrong}");
    }
}

#[test]
fn proxies() {
    let proxy = Proxy::parse("http://me:secret@proxy.test:3128").unwrap();
    assert_eq!(proxy.endpoint, Endpoint { scheme: Scheme::Http, host: "proxy.test".into(), port: 3128 });
    assert_eq!(proxy.basic_auth.as_deref(), Some("me:secret"));
    assert_eq!(Proxy::parse("[::1]:8080").unwrap().endpoint.host, "::1");
    for wrong in ["", "socks5://a:1", "http://a/path", "https://me:secret@a:1", "ftp://a:21"] {
        assert_eq!(Proxy::parse(wrong).unwrap_err().field, "proxy", "{wrong}");
    }
}

#[test]
fn lists_of_urls() {
    let text = "# a comment\n\nhttp://a.test/#top\nPOST a.test/form x=1&y=2 z\nhttps://a.test/up PUT <data.bin\n\
                LOCALHOST GET\nDELETE a.test/old\na.test/json POST {\"a\": 1}\n";
    let requests = parse_urls(text).unwrap();
    let said: Vec<_> = requests.iter().map(|r| (r.method.as_str(), r.url(), r.body.clone())).collect();
    assert_eq!(
        said,
        [
            ("GET", "http://a.test/".to_owned(), Body::None),
            ("POST", "http://a.test/form".to_owned(), Body::Text("x=1&y=2 z".to_owned())),
            ("PUT", "https://a.test/up".to_owned(), Body::File("data.bin".into())),
            ("GET", "http://localhost/".to_owned(), Body::None),
            ("DELETE", "http://a.test/old".to_owned(), Body::None),
            ("POST", "http://a.test/json".to_owned(), Body::Text("{\"a\": 1}".to_owned())),
        ]
    );
    for (text, field) in [
        ("a.test\n\nftp://b.test/", "urls, line 3"),
        ("a.test b.test", "urls, line 1"),
        ("# nothing", "urls"),
        ("", "urls"),
    ] {
        assert_eq!(parse_urls(text).unwrap_err().field, field, "{text}");
    }
}
