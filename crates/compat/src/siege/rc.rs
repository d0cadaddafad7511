//! Parses the rc file: one `key = value` a line. An unknown key defines a variable.

use super::World;
use super::number;
use super::settings::{Login, Reps, Settings};
use super::variables::Variables;

/// Applies the directives in `text` to `settings`.
pub(super) fn apply(text: &str, settings: &mut Settings, world: &dyn World) {
    let mut variables = Variables::default();
    for line in text.lines() {
        let line = line.trim();
        // Passwords may contain a `#`, as from 4.1.0 on.
        let begins = |key: &str| line.get(..key.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(key));
        let is_login = begins("login") || begins("ftp-login");
        let line = if is_login { line } else { line.split('#').next().unwrap_or_default() };
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = variables.expand(line, world, settings.quirks);
        let (key, value) = split(&line);
        if !key.is_empty() && !set(settings, &key.to_ascii_lowercase(), value) {
            variables.define(key, value);
        }
    }
}

/// Splits key and value at any run of blanks, `=` and `:`.
fn split(line: &str) -> (&str, &str) {
    let is_between = |c: char| c.is_ascii_whitespace() || c == '=' || c == ':';
    let line = line.trim();
    let end = line.find(is_between).unwrap_or(line.len());
    (&line[..end], line[end..].trim_start_matches(is_between))
}

/// Parses a truth value: only a text that begins with `true` is true.
fn truth(value: &str) -> bool {
    value.get(..4).is_some_and(|beginning| beginning.eq_ignore_ascii_case("true"))
}

/// Sets a directive; returns whether it exists.
fn set(settings: &mut Settings, key: &str, value: &str) -> bool {
    let text = || Some(value.to_owned()).filter(|value| !value.is_empty());
    match key {
        "verbose" => settings.verbose = truth(value),
        "color" => settings.color = !matches!(value.to_ascii_lowercase().as_str(), "false" | "off"),
        "quiet" => settings.quiet = truth(value),
        "json_output" => settings.json = truth(value),
        "show-logfile" => settings.show_logfile = truth(value),
        "logging" => settings.logging = truth(value),
        "logfile" => settings.logfile = text(),
        "gmethod" => {
            let method = if value.eq_ignore_ascii_case("get") { "GET" } else { "HEAD" };
            settings.get_method = Some(method.to_owned());
        }
        "parser" => settings.parser = truth(value),
        "nofollow" => settings.nofollow.extend(text()),
        "csv" => settings.csv = truth(value),
        "timestamp" => settings.timestamp = truth(value),
        "fullurl" => settings.full_url = truth(value),
        "display-id" => settings.display_id = truth(value),
        "debug" => settings.debug = truth(value),
        "limit" => settings.limit = number::whole(value),
        "protocol" => {
            settings.http11 = value.get(..8).is_some_and(|name| name.eq_ignore_ascii_case("HTTP/1.1"));
        }
        "chunked" => settings.chunked = truth(value),
        "cache" => settings.cache = truth(value),
        "connection" => {
            settings.keep_alive = value.get(..10).is_some_and(|word| word.eq_ignore_ascii_case("keep-alive"));
        }
        "concurrent" => settings.concurrent = number::whole(value),
        "reps" => settings.reps = Reps::number(value),
        "time" => settings.time = number::time(value),
        "file" => settings.file = text(),
        "url" => settings.url = text(),
        "delay" => settings.delay = number::decimal(value).max(0.0),
        "timeout" => settings.timeout = number::whole(value),
        "expire-session" => settings.expire_session = truth(value),
        "failures" => settings.failures = number::whole(value),
        "internet" => settings.internet = truth(value),
        "benchmark" => settings.benchmark = truth(value),
        // Added by warwolf; the original treats it as a variable.
        "verdict" => settings.verdict = Some(truth(value)),
        // Accepted without effect, as in the original.
        "spinner" => {}
        _ => return set_request(settings, key, value),
    }
    true
}

/// Sets a directive about requests and their targets.
fn set_request(settings: &mut Settings, key: &str, value: &str) -> bool {
    let text = || Some(value.to_owned()).filter(|value| !value.is_empty());
    match key {
        "user-agent" => settings.user_agent = text(),
        "accept-encoding" => settings.accept_encoding = text().unwrap_or_else(|| "*".to_owned()),
        "url-escaping" => {
            let off = value.get(..5).is_some_and(|beginning| beginning.eq_ignore_ascii_case("false"));
            settings.url_escaping = !off;
        }
        "ftp-login" => settings.ftp_logins.push(Login::parse(value)),
        "login-url" => settings.login_urls.extend(text()),
        "auth-url" => settings.auth_urls.extend(text()),
        "proxy-host" => settings.proxy_host = text(),
        "proxy-port" => settings.proxy_port = number::whole(value),
        "proxy-login" => settings.proxy_logins.push(Login::parse(value)),
        "unique" => settings.unique = truth(value),
        "attempts" => settings.attempts = number::whole(value),
        "header" => {
            if let Some((name, value)) = value.split_once(':') {
                settings.headers.push((name.trim().to_owned(), value.trim().to_owned()));
            }
        }
        "follow-location" => settings.follow = truth(value),
        "zero-data-ok" => settings.zero_data_ok = truth(value),
        "ssl-cert" => settings.ssl_cert = text(),
        "ssl-key" => settings.ssl_key = text(),
        "ssl-timeout" => settings.ssl_timeout = number::whole(value),
        "ssl-ciphers" => settings.ssl_ciphers = text(),
        key if key.starts_with("login") => settings.logins.push(Login::parse(value)),
        _ => return false,
    }
    true
}

#[cfg(test)]
#[path = "rc_tests.rs"]
mod tests;
