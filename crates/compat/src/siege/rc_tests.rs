use super::*;
use crate::siege::settings::SHIPPED_RC;
use crate::siege::testing::Paper;

fn read(text: &str) -> Settings {
    let mut settings = Settings::shipped();
    apply(text, &mut settings, &Paper::default().with_variable("HOME", "/home/jeff"));
    settings
}

fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

#[test]
fn every_directive_sets_what_it_says() {
    let none = Settings::shipped;
    let login = |text| vec![Login::parse(text)];
    let rows: Vec<(&str, Settings)> = vec![
        ("verbose = true", Settings { verbose: true, ..none() }),
        ("color = off", Settings { color: false, ..none() }),
        ("color = false", Settings { color: false, ..none() }),
        ("color = no", none()),
        ("quiet = true", Settings { quiet: true, ..none() }),
        ("json_output = true", Settings { json: true, ..none() }),
        ("show-logfile = true", Settings { show_logfile: true, ..none() }),
        ("logging = true", Settings { logging: true, ..none() }),
        ("logfile = /tmp/l", Settings { logfile: text("/tmp/l"), ..none() }),
        ("gmethod = GET", Settings { get_method: text("GET"), ..none() }),
        ("gmethod = POST", Settings { get_method: text("HEAD"), ..none() }),
        ("parser = true", Settings { parser: true, ..none() }),
        ("nofollow = a.b", Settings { nofollow: vec!["a.b".to_owned()], ..none() }),
        ("csv = true", Settings { csv: true, ..none() }),
        ("timestamp = true", Settings { timestamp: true, ..none() }),
        ("fullurl = true", Settings { full_url: true, ..none() }),
        ("display-id = true", Settings { display_id: true, ..none() }),
        ("debug = true", Settings { debug: true, ..none() }),
        ("limit = 70", Settings { limit: 70, ..none() }),
        ("protocol = HTTP/1.1", Settings { http11: true, ..none() }),
        ("protocol = HTTP/2", none()),
        ("chunked = true", Settings { chunked: true, ..none() }),
        ("cache = true", Settings { cache: true, ..none() }),
        ("connection = keep-alive", Settings { keep_alive: true, ..none() }),
        ("connection = close", none()),
        ("concurrent = 7", Settings { concurrent: 7, ..none() }),
        ("reps = 4", Settings { reps: Reps::Times(4), ..none() }),
        ("reps = once", Settings { reps: Reps::Times(0), ..none() }),
        ("time = 5S", Settings { time: Some(5), ..none() }),
        ("time = 5", Settings { time: Some(300), ..none() }),
        ("file = list", Settings { file: text("list"), ..none() }),
        ("url = http://a:80/b", Settings { url: text("http://a:80/b"), ..none() }),
        ("delay = 2.5", Settings { delay: 2.5, ..none() }),
        ("timeout = 9", Settings { timeout: 9, ..none() }),
        ("expire-session = true", Settings { expire_session: true, ..none() }),
        ("failures = 3", Settings { failures: 3, ..none() }),
        ("internet = true", Settings { internet: true, ..none() }),
        ("benchmark = true", Settings { benchmark: true, ..none() }),
        ("user-agent = My Browser", Settings { user_agent: text("My Browser"), ..none() }),
        ("accept-encoding = gzip, x", Settings { accept_encoding: "gzip, x".to_owned(), ..none() }),
        ("accept-encoding =", Settings { accept_encoding: "*".to_owned(), ..none() }),
        ("url-escaping = false", Settings { url_escaping: false, ..none() }),
        ("url-escaping = no", none()),
        ("login = jeff:secret:Admin", Settings { logins: login("jeff:secret:Admin"), ..none() }),
        ("login2 = jeff:se#cret", Settings { logins: login("jeff:se#cret"), ..none() }),
        (
            "login-url = http://a/ POST b=c",
            Settings { login_urls: vec!["http://a/ POST b=c".to_owned()], ..none() },
        ),
        ("proxy-host = p", Settings { proxy_host: text("p"), ..none() }),
        ("proxy-port = 81", Settings { proxy_port: 81, ..none() }),
        ("proxy-login = a:b", Settings { proxy_logins: login("a:b"), ..none() }),
        ("unique = false", Settings { unique: false, ..none() }),
        ("attempts = 2", Settings { attempts: 2, ..none() }),
        ("header = X-A: 1", Settings { headers: vec![("X-A".to_owned(), "1".to_owned())], ..none() }),
        ("follow-location = false", Settings { follow: false, ..none() }),
        ("zero-data-ok = false", Settings { zero_data_ok: false, ..none() }),
        ("ssl-cert = c.pem", Settings { ssl_cert: text("c.pem"), ..none() }),
        ("ssl-key = k.pem", Settings { ssl_key: text("k.pem"), ..none() }),
        ("ssl-ciphers = X", Settings { ssl_ciphers: text("X"), ..none() }),
        ("ssl-timeout = 3", Settings { ssl_timeout: 3, ..none() }),
        ("ftp-login = a:b#c:h", Settings { ftp_logins: login("a:b#c:h"), ..none() }),
        ("auth-url = http://a/", Settings { auth_urls: vec!["http://a/".to_owned()], ..none() }),
        ("verdict = true", Settings { verdict: Some(true), ..none() }),
        ("verdict = false", Settings { verdict: Some(false), ..none() }),
        ("spinner = true", none()),
        ("cookies = false", none()),
    ];
    for (line, expected) in rows {
        assert_eq!(read(line), expected, "{line}");
    }
}

#[test]
fn lines_are_read_as_siege_reads_them() {
    let settings = read(
        "# a comment\n  \t\nVERBOSE = TRUEish\nDELAY: 2\nconcurrent   7\r\nfailures==5 # five\nquiet = yes\n\
         user-agent = a#b\n",
    );
    assert!(settings.verbose && !settings.quiet);
    assert_eq!((settings.delay, settings.concurrent, settings.failures), (2.0, 7, 5));
    assert_eq!(settings.user_agent.as_deref(), Some("a"));
}

#[test]
fn what_is_no_directive_is_a_variable() {
    let settings = read(
        "VAR = 7\ntimeout = $(VAR)\nlogfile = ${HOME}/x.log\nuser-agent = $(VAR)-agent\nfailures = $(timeout)\n\
         key = limit\n$(key) = 9\n",
    );
    assert_eq!((settings.timeout, settings.limit), (7, 9));
    assert_eq!(settings.logfile.as_deref(), Some("/home/jeff/x.log"));
    assert_eq!(settings.user_agent.as_deref(), Some("7-agent"));
    assert_eq!(settings.failures, 0, "a directive is no variable");
}

#[test]
fn the_shipped_file_asks_for_25_users_and_lines() {
    let settings = read(SHIPPED_RC);
    assert_eq!((settings.concurrent, settings.limit), (25, 255));
    assert!(settings.verbose && settings.parser && settings.http11 && settings.chunked && !settings.json);
    assert_eq!(settings.nofollow.len(), 4);
}
