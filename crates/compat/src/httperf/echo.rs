//! Formats the first line of the output: the parsed options in a fixed order.

use super::number::general;
use super::options::{Options, Parts, Sessions};
use std::fmt::Write as _;

/// Returns the echo line with its line end. As in the original, it lacks some options, and not every argument in it can
/// be reused.
pub(super) fn echo(options: &Options) -> String {
    let mut line = options.program.clone();
    // Writing to a string cannot fail.
    let _ = say(options, &mut line);
    line.push('\n');
    line
}

fn say(o: &Options, line: &mut String) -> std::fmt::Result {
    flag(line, "verbose", o.verbose > 0);
    print(line, "print-reply", o.print_reply);
    print(line, "print-request", o.print_request);
    flag(line, "hog", o.hog);
    flag(line, "close-with-reset", o.close_with_reset);
    if o.think_timeout > 0.0 {
        write!(line, " --think-timeout={}", general(o.think_timeout))?;
    }
    if o.timeout > 0.0 {
        write!(line, " --timeout={}", general(o.timeout))?;
    }
    if let Some(runtime) = o.runtime {
        write!(line, " --runtime={}", general(runtime))?;
    }
    write!(line, " --client={}/{}", o.client.0, o.client.1)?;
    if o.servers.is_none() {
        write!(line, " --server={}", o.server)?;
    }
    value(line, "server_name", o.server_name.as_ref());
    value(line, "servers", o.servers.as_ref());
    if o.port > 0 {
        write!(line, " --port={}", o.port)?;
    }
    write!(line, " --uri={}", o.uri)?;
    number(line, "failure-status", o.failure_status);
    if o.http_version != (1, 1) {
        write!(line, " --http-version={}.{}", o.http_version.0, o.http_version.1)?;
    }
    number(line, "max-connections", o.max_connections);
    number(line, "max-piped-calls", o.max_piped_calls);
    if !o.period.is_sequential() {
        line.push_str(&o.period.echo());
    }
    write!(line, " --send-buffer={}", o.send_buffer)?;
    flag(line, "retry-on-failure", o.retry);
    write!(line, " --recv-buffer={}", o.recv_buffer)?;
    flag(line, "session-cookies", o.cookies);
    flag(line, "ssl", o.tls);
    value(line, "ssl-ciphers", o.ciphers.as_ref());
    value(line, "tls-server-name", o.tls_server_name.as_ref());
    flag(line, "ssl-no-reuse", o.no_reuse);
    value(line, "ssl-cert", o.certificate.as_ref());
    value(line, "ssl-key", o.key.as_ref());
    value(line, "ssl-ca-file", o.ca_file.as_ref());
    value(line, "ssl-ca-path", o.ca_path.as_ref());
    flag(line, "ssl-verify", o.verify);
    quoted(line, "add-header", o.add_header.as_ref());
    quoted(line, "add-header-file", o.header_file.as_ref());
    value(line, "method", o.method.as_ref());
    flag(line, "use-timer-cache", o.timer_cache);
    workload(o, line)?;
    flag(line, "periodic-stats", o.periodic_stats);
    Ok(())
}

fn workload(o: &Options, line: &mut String) -> std::fmt::Result {
    // Zero sessions are echoed like no sessions.
    match o.sessions.as_ref().filter(|sessions| sessions.count() > 0) {
        Some(Sessions::Log { sessions, think, file }) => {
            return write!(line, " --wsesslog={sessions},{},{file}", thousandths(*think));
        }
        Some(Sessions::Pages { sessions, pages, think }) => {
            return write!(line, " --wsesspage={sessions},{pages},{}", thousandths(*think));
        }
        Some(Sessions::Calls { sessions, calls, think }) => {
            write!(line, " --wsess={sessions},{calls},{}", thousandths(*think))?;
        }
        None => {
            if o.conns != 0 {
                write!(line, " --num-conns={}", o.conns as i32)?;
            }
            if o.calls != 0 {
                write!(line, " --num-calls={}", o.calls as i32)?;
            }
        }
    }
    if o.burst != 1 {
        write!(line, " --burst-length={}", o.burst as i32)?;
    }
    match o.wset {
        Some((files, rate)) => write!(line, " --wset={files},{}", thousandths(rate)),
        None => Ok(()),
    }
}

/// Formats like C's `%.3f`.
fn thousandths(value: f64) -> String {
    if value.is_finite() { format!("{value:.3}") } else { general(value) }
}

fn flag(line: &mut String, name: &str, is_on: bool) {
    if is_on {
        line.push_str(" --");
        line.push_str(name);
    }
}

fn print(line: &mut String, name: &str, parts: Option<Parts>) {
    flag(line, name, parts.is_some());
    line.push_str(match parts {
        Some(Parts::Header) => "=header",
        Some(Parts::Body) => "=body",
        Some(Parts::All) | None => "",
    });
}

fn number(line: &mut String, name: &str, number: u32) {
    if number != 0 {
        value(line, name, Some(&number.to_string()));
    }
}

fn value(line: &mut String, name: &str, value: Option<&String>) {
    if let Some(value) = value {
        line.extend([" --", name, "=", value]);
    }
}

fn quoted(line: &mut String, name: &str, value: Option<&String>) {
    if let Some(value) = value {
        line.extend([" --", name, "='", value, "'"]);
    }
}
