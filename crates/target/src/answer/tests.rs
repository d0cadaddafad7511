use super::*;
use crate::request::parse;

const MS: u64 = 1_000_000;
const FIRST: Position = Position { connection: 1, served: 0 };

fn application(change: impl FnOnce(&mut Options)) -> Application {
    let mut options = Options::default();
    change(&mut options);
    Application::new(options, None, 0)
}

fn ask(application: &Application, input: &str, arrived_ns: u64) -> Answer {
    let request = parse(input.as_bytes(), application.limits()).unwrap().unwrap();
    application.answer(&request, input.as_bytes(), arrived_ns, FIRST)
}

fn get(application: &Application, target: &str, arrived_ns: u64) -> Answer {
    ask(application, &format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n"), arrived_ns)
}

#[test]
fn a_query_string_affects_only_its_request() {
    let application = application(|options| options.size = 5);
    let asked = get(&application, "/?delay=10ms&size=7&status=404", 1);
    assert_eq!((asked.due_ns, asked.reply.status, asked.reply.body), (1 + 10 * MS, 404, Body::Pattern(7)));
    let plain = get(&application, "/", 2);
    assert_eq!((plain.due_ns, plain.reply.status, plain.reply.body), (2, 200, Body::Pattern(5)));
    assert_eq!((asked.number, plain.number), (1, 2));
}

#[test]
fn an_invalid_query_string_gets_400_with_the_reason() {
    let answer = get(&application(|_| ()), "/?delay=soon", 0);
    assert_eq!(answer.reply.status, 400);
    let Body::Text(text) = answer.reply.body else { panic!("a text") };
    assert!(text.starts_with(b"`soon` is not a delay"), "{}", text.escape_ascii());
}

#[test]
fn stalls_are_relative_to_the_first_request() {
    let application = application(|options| options.stalls = vec!["1s+1s".parse().unwrap()]);
    let start = 77;
    for (at_ms, due_ms) in [(0, 0), (999, 999), (1000, 2000), (1999, 2000), (2000, 2000)] {
        let answer = get(&application, "/", start + at_ms * MS);
        assert_eq!(answer.due_ns, start + due_ms * MS, "at {at_ms} ms");
    }
}

#[test]
fn a_delay_of_the_first_request_does_not_move_the_stalls() {
    let application = application(|options| {
        options.stalls = vec!["1s+1s".parse().unwrap()];
        options.delay = "500ms".parse().unwrap();
    });
    assert_eq!(get(&application, "/", 0).due_ns, 500 * MS);
    assert_eq!(get(&application, "/", 499 * MS).due_ns, 999 * MS);
    assert_eq!(get(&application, "/", 500 * MS).due_ns, 2000 * MS);
}

#[test]
fn requests_beyond_the_number_of_workers_queue() {
    let application = application(|options| {
        options.workers = std::num::NonZeroUsize::new(2);
        options.delay = "10ms".parse().unwrap();
        options.queue = 1;
    });
    let due: Vec<_> = (0..3).map(|_| get(&application, "/", 0).due_ns / MS).collect();
    assert_eq!(due, [10, 10, 20]);
    let turned_away = get(&application, "/", 0);
    assert_eq!((turned_away.reply.status, turned_away.due_ns), (503, 0));
}

#[test]
fn capacity_is_the_mean_rate_of_a_busy_server() {
    for workers in [1, 4] {
        let application = application(|options| {
            options.workers = std::num::NonZeroUsize::new(workers);
            options.capacity = Some(1000.0);
        });
        let last_ns = (0..20_000).map(|_| get(&application, "/", 0).due_ns).max().unwrap();
        let per_second = 20_000.0 / (last_ns as f64 / 1e9);
        assert!((per_second / 1000.0 - 1.0).abs() < 0.03, "seed 1, {workers} workers: {per_second}/s");
    }
}

#[test]
fn the_last_request_of_a_connection_closes_it() {
    let application = application(|options| options.max_requests = Some(2));
    let input = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    let request = parse(input.as_bytes(), application.limits()).unwrap().unwrap();
    for (served, keeps) in [(0, true), (1, false)] {
        let position = Position { connection: 1, served };
        let answer = application.answer(&request, input.as_bytes(), 0, position);
        assert_eq!(answer.reply.keep_alive, keeps, "{served}");
    }
}

#[test]
fn documented_paths_have_special_responses() {
    let application = application(|_| ());
    let hop = get(&application, "/redirect/2?size=1", 0);
    assert_eq!(hop.reply.status, 302);
    assert_eq!(hop.reply.headers, "Location: /redirect/1?size=1\r\n");
    assert_eq!(get(&application, "/redirect/0", 0).reply.status, 200);
    let refused = get(&application, "/auth/a/b", 0);
    assert_eq!(refused.reply.status, 401);
    assert_eq!(refused.reply.headers, "WWW-Authenticate: Basic realm=\"warwolf\"\r\n");
    let welcome = "GET /auth/a/b HTTP/1.1\r\nHost: x\r\nAuthorization: Basic YTpi\r\n\r\n";
    assert_eq!(ask(&application, welcome, 0).reply.status, 200);
    assert_eq!(get(&application, "/echo", 0).source, Source::Request { head: true, body: true });
    assert_eq!(get(&application, "/count?early=1", 0).upload, Upload::Whole);
}

#[test]
fn a_returned_cookie_is_known() {
    let application = application(|_| ());
    let first = get(&application, "/cookies", 0).reply;
    let cookie = first.headers.strip_prefix("Set-Cookie: ").unwrap();
    let second = format!("GET /cookies HTTP/1.1\r\nHost: x\r\nCookie: {cookie}\r\n");
    assert_eq!(ask(&application, &second, 0).reply.body, Body::Text(b"known\n".to_vec()));
}

#[test]
fn an_expectation_can_be_rejected() {
    let application = application(|options| options.expectation = Expectation::Refuse);
    let input = "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n";
    let answer = ask(&application, input, 0);
    assert_eq!((answer.reply.status, answer.reply.keep_alive), (417, false));
    assert_eq!(answer.upload, Upload::EarlyClose);
}

#[test]
fn the_same_seed_yields_the_same_statuses_and_faults() {
    let outcomes = |seed| {
        let application = application(|options| {
            options.seed = seed;
            options.status = "200:9,503:1".parse().unwrap();
            options.faults = vec!["reset:0.1".parse().unwrap()];
            options.delay = "exp:10ms".parse().unwrap();
        });
        let outcome = |answer: Answer| (answer.due_ns, answer.reply.status, answer.reply.fault);
        (0..200).map(|_| outcome(get(&application, "/", 0))).collect::<Vec<_>>()
    };
    assert_eq!(outcomes(1), outcomes(1));
    assert_ne!(outcomes(1), outcomes(2));
    let share = outcomes(1).iter().filter(|(_, status, _)| *status == 503).count();
    assert!((8..40).contains(&share), "{share} of 200 at 10 %");
}

#[test]
fn a_simulated_overflow_returns_500_from_its_length_on() {
    let application = application(|options| options.plants = vec!["query-overflow:10".parse().unwrap()]);
    assert_eq!(get(&application, "/?123456789", 0).reply.status, 200);
    assert_eq!(get(&application, "/?1234567890", 0).reply.status, 500);
}
