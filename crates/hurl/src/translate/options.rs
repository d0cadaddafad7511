//! `[Options]` of an entry.

use super::values::{Constant, Values};
use super::{Refused, refuse};
use crate::ast::{EntryOption, Expr, OptionValue, Template, Unit};
use std::time::Duration;

/// Redirects that are followed in a row unless the file says how many.
const REDIRECTS: u32 = 50;

/// What the options of an entry ask for.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// The entry is left out.
    pub(super) skip: bool,
    pub(super) repeat: u32,
    pub(super) delay: Duration,
    /// Attempts after the first, if there may be any.
    pub(super) retry: Option<u32>,
    pub(super) retry_interval: Duration,
    pub(super) location: bool,
    pub(super) max_redirs: u32,
    pub(super) timeout: Option<Duration>,
    pub(super) insecure: bool,
    pub(super) http10: bool,
    pub(super) compressed: bool,
    pub(super) fail_with_body: bool,
    pub(super) path_as_is: bool,
    pub(super) headers: Vec<Template>,
    pub(super) user: Option<Template>,
    /// Options without a meaning under load that change nothing.
    pub(super) without_effect: Vec<EntryOption>,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            skip: false,
            repeat: 1,
            delay: Duration::ZERO,
            retry: None,
            retry_interval: Duration::from_secs(1),
            location: false,
            max_redirs: REDIRECTS,
            timeout: None,
            insecure: false,
            http10: false,
            compressed: false,
            fail_with_body: false,
            path_as_is: false,
            headers: Vec::new(),
            user: None,
            without_effect: Vec::new(),
        }
    }
}

/// Why an option is refused; `None` for one that is not.
fn refusal(name: &str) -> Option<&'static str> {
    Some(match name {
        "aws-sigv4" => "requests are not signed for AWS",
        "cacert" => "certificates are checked in the same way in the whole run: use --cacert",
        "cert" | "key" => "the client certificate is one for the whole run: use --cert",
        "connect-timeout" => "connections are shared: use --connect-timeout for the whole run",
        "connect-to" => "addresses are chosen for the whole run: use --resolve",
        "digest" | "negotiate" | "ntlm" => "only basic authentication is supported: use [BasicAuth]",
        "http2" | "http2-prior-knowledge" | "http3" => "requests are sent over HTTP/1.1",
        "ipv4" | "ipv6" => "addresses are chosen for the whole run: use -4 or -6",
        "limit-rate" => "a limit on the rate of bytes would limit the load",
        "location-trusted" => "credentials are not sent to other hosts: use location",
        "netrc" | "netrc-file" | "netrc-optional" => "no file of passwords is read: use [BasicAuth]",
        "no-header" => "a header field cannot be left out; one with another value can be given",
        "no-jsonpath-coercion" => "a path with one match yields its value, not a list",
        "output" => "load writes no files",
        "pinnedpubkey" => "keys of servers are not pinned",
        "proxy" => "the proxy is one for the whole run: use --proxy",
        "resolve" => "addresses are chosen for the whole run: use --resolve",
        "tls-max" | "tls-min" => "versions of TLS are chosen for the whole run: use --tls-min and --tls-max",
        "unix-socket" => "the socket is one for the whole run: use --unix-socket",
        _ => return None,
    })
}

/// Options that are only about what Hurl prints.
fn is_output(name: &str) -> bool {
    matches!(name, "verbose" | "very-verbose" | "verbosity")
}

impl Choices {
    /// Reads the options of an entry in their order. Variables are defined on the way.
    pub(super) fn read(options: &[EntryOption], values: &mut Values, problems: &mut Vec<Refused>) -> Self {
        let mut choices = Self::default();
        for option in options {
            if let Err(problem) = choices.take(option, values) {
                problems.push(problem);
            }
        }
        choices
    }

    fn take(&mut self, option: &EntryOption, values: &mut Values) -> Result<(), Refused> {
        let name = option.name;
        match &option.value {
            OptionValue::Variable(name, value) => return values.define(name, value, option.pos),
            OptionValue::Text(text) if name == "header" => {
                self.headers.push(text.clone());
                return Ok(());
            }
            OptionValue::Text(text) if name == "user" => {
                self.user = Some(text.clone());
                return Ok(());
            }
            OptionValue::Word(_) => {
                self.without_effect.push(option.clone());
                return Ok(());
            }
            _ => {}
        }
        let refused = |reason: &str| refuse(option.pos, format!("option {name}"), reason);
        let reason = refusal(name);
        if let (Some(reason), OptionValue::Text(_) | OptionValue::Count(_) | OptionValue::Duration(..)) =
            (reason, &option.value)
        {
            return Err(refused(reason));
        }
        match self.known(option, values)? {
            Plain::Bool(false) if name == "http1.1" => self.http10 = true,
            Plain::Bool(value) => match name {
                "skip" => self.skip = value,
                "location" => self.location = value,
                "insecure" => self.insecure = value,
                "http1.0" => self.http10 = value,
                "compressed" => self.compressed = value,
                "fail-with-body" => self.fail_with_body = value,
                "path-as-is" => self.path_as_is = value,
                "http1.1" => {}
                _ if is_output(name) => self.without_effect.push(option.clone()),
                // Switched off, these change nothing, but for the address family.
                _ if !value && !matches!(name, "ipv4" | "ipv6") => {}
                _ => return Err(refused(reason.unwrap_or("it is not supported"))),
            },
            Plain::Count(count) => self.count(option, count)?,
            Plain::Time(time) => match name {
                "delay" => self.delay = time,
                "retry-interval" => self.retry_interval = time,
                "max-time" => self.timeout = Some(time).filter(|time| !time.is_zero()),
                _ => return Err(refused(reason.unwrap_or("it is not supported"))),
            },
        }
        Ok(())
    }

    fn count(&mut self, option: &EntryOption, count: Option<u32>) -> Result<(), Refused> {
        let refused = |reason: &str| refuse(option.pos, format!("option {}", option.name), reason);
        match (option.name, count) {
            ("repeat", Some(count)) => self.repeat = count,
            ("repeat", None) => return Err(refused("what follows would never be reached")),
            ("retry", Some(count)) => self.retry = Some(count).filter(|count| *count > 0),
            ("retry", None) => {
                return Err(refused("a session that never gives up hides a failing server: give a number"));
            }
            ("max-redirs", Some(count)) => self.max_redirs = count,
            ("max-redirs", None) => {
                return Err(refused("redirects without end are not followed: give a number"));
            }
            _ => return Err(refused(refusal(option.name).unwrap_or("it is not supported"))),
        }
        Ok(())
    }

    /// The value of an option that is known before the run.
    fn known(&self, option: &EntryOption, values: &Values) -> Result<Plain, Refused> {
        let wrong = |reason: &str| refuse(option.pos, format!("option {}", option.name), reason);
        let time = |count: u64, unit: Option<Unit>| {
            Duration::from_millis(match unit {
                None | Some(Unit::Milliseconds) => count,
                Some(Unit::Seconds) => count.saturating_mul(1_000),
                Some(Unit::Minutes) => count.saturating_mul(60_000),
                Some(Unit::Hours) => count.saturating_mul(3_600_000),
            })
        };
        let small = |count: u64| u32::try_from(count).map_err(|_| wrong("use a smaller number"));
        Ok(match &option.value {
            OptionValue::Bool(value) => Plain::Bool(*value),
            OptionValue::Count(None) => Plain::Count(None),
            OptionValue::Count(Some(count)) => Plain::Count(Some(small(*count)?)),
            OptionValue::Duration(count, unit) => Plain::Time(time(*count, *unit)),
            OptionValue::Value(value) => {
                let constant = match &value.expr {
                    Expr::Variable(name) => values.constant(name),
                    Expr::NewDate | Expr::NewUuid => None,
                };
                let is_time =
                    matches!(option.name, "delay" | "retry-interval" | "max-time" | "connect-timeout");
                match constant {
                    Some(Constant::Bool(value)) => Plain::Bool(*value),
                    Some(Constant::Number(text)) if text == "-1" && !is_time => Plain::Count(None),
                    Some(Constant::Number(text)) => {
                        let count: u64 = text.parse().map_err(|_| wrong("use a whole number"))?;
                        if is_time {
                            Plain::Time(time(count, None))
                        } else {
                            Plain::Count(Some(small(count)?))
                        }
                    }
                    Some(_) => return Err(wrong("its variable is no truth value and no number")),
                    None => {
                        return Err(wrong("its value must be known before the run: give it with --variable"));
                    }
                }
            }
            OptionValue::Text(_) | OptionValue::Variable(..) | OptionValue::Word(_) => {
                return Err(wrong("it is not supported"));
            }
        })
    }
}

/// A value of an option.
enum Plain {
    Bool(bool),
    Count(Option<u32>),
    Time(Duration),
}
