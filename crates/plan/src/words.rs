//! Parts of a plan as people write them on a command line or in a list: the counterpart of [`crate::quantity`] for what is
//! more than a number. Every error names the field, what it says, and what would be right. No file is opened here: what
//! a file says is handed in as text.

use crate::connections::PROXY_SCHEME;
use crate::quantity::{parse_duration, parse_rate_or_zero};
use crate::{ArrivalProcess, Body, PlanError, Proxy, RateStep, Request, Resolve, Scheme, Shapes, Think};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An arrival process by name, before its rate and its times are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArrivalWords {
    /// `constant`.
    Constant,
    /// `poisson`.
    Poisson,
    /// `uniform:A,B`, which has its rate in itself.
    Uniform {
        /// Shortest gap.
        min: Duration,
        /// Longest gap.
        max: Duration,
    },
    /// `trace:FILE`.
    Trace {
        /// The file with the times; its text is for [`ArrivalWords::process`].
        file: PathBuf,
    },
}

impl ArrivalWords {
    /// Reads `constant`, `poisson`, `uniform:A,B` or `trace:FILE`.
    ///
    /// # Errors
    /// On any other word, and gaps that are no durations or in the wrong order.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let wrong = || {
            PlanError::new(
                "arrivals",
                text,
                "use constant, poisson, uniform:5ms,15ms or trace:FILE with one time a line",
            )
        };
        match text.split_once(':') {
            None if text == "constant" => Ok(Self::Constant),
            None if text == "poisson" => Ok(Self::Poisson),
            Some(("uniform", gaps)) => {
                let (min, max) = pair(gaps, "arrivals").ok_or_else(wrong)??;
                if max < min || max.is_zero() {
                    return Err(wrong());
                }
                Ok(Self::Uniform { min, max })
            }
            Some(("trace", file)) if !file.is_empty() => Ok(Self::Trace { file: file.into() }),
            _ => Err(wrong()),
        }
    }

    /// The process, given the rate asked for and the text of the trace file.
    ///
    /// # Errors
    /// When a process that needs a rate has none, one that has its own is given another, or the trace is wrong or was not
    /// handed in.
    pub fn process(&self, rate: Option<f64>, trace: Option<&str>) -> Result<ArrivalProcess, PlanError> {
        let needs = |name: &str| {
            rate.ok_or_else(|| PlanError::new("arrivals", name, "give a rate as well, such as --rate 500/s"))
        };
        let alone = |name: &str| match rate {
            Some(rate) => Err(PlanError::new(
                "rate",
                crate::quantity::print_rate(rate),
                format!("leave it out: {name} arrivals say by themselves when they come"),
            )),
            None => Ok(()),
        };
        match self {
            Self::Constant => Ok(ArrivalProcess::Constant { rate: needs("constant")? }),
            Self::Poisson => Ok(ArrivalProcess::Poisson { rate: needs("poisson")? }),
            Self::Uniform { min, max } => {
                alone("uniform")?;
                Ok(ArrivalProcess::Uniform { min: *min, max: *max })
            }
            Self::Trace { file } => {
                alone("trace")?;
                let text = trace.ok_or_else(|| {
                    PlanError::new("arrivals", file.display().to_string(), "the trace file was not read")
                })?;
                Ok(ArrivalProcess::Trace { at_ns: parse_trace(text)? })
            }
        }
    }
}

/// Reads the times of a trace: one a line, in seconds or with a unit, from the start of the run and in order. Blank lines
/// and what follows `#` are passed over.
///
/// # Errors
/// The first line that is no time or goes back, by number, and a text without times.
pub fn parse_trace(text: &str) -> Result<Vec<u64>, PlanError> {
    let mut at_ns = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let time = line.split('#').next().unwrap_or_default().trim();
        if time.is_empty() {
            continue;
        }
        let field = || format!("trace, line {number}");
        let at = parse_duration(&field(), time)
            .map_err(|_| {
                PlanError::new(field(), time, "use a time from the start of the run, such as 0.25 or 250ms")
            })?
            .as_nanos() as u64;
        if at_ns.last().is_some_and(|last| at < *last) {
            return Err(PlanError::new(field(), time, "the times must be in order; sort the file"));
        }
        at_ns.push(at);
    }
    if at_ns.is_empty() {
        return Err(PlanError::new("trace", "no times", "give one time a line, such as 0.25 or 250ms"));
    }
    Ok(at_ns)
}

impl ArrivalProcess {
    /// Reads a ramp, `FROM:TO:TIME`: two rates and a duration. A rate of zero may be at one end.
    ///
    /// # Errors
    /// When there are not three parts, or one is no rate or duration.
    pub fn parse_ramp(text: &str) -> Result<Self, PlanError> {
        let wrong = || PlanError::new("ramp", text, "use FROM:TO:TIME, such as 10/s:500/s:60s");
        let mut parts = text.split(':');
        let (Some(from), Some(to), Some(over), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(wrong());
        };
        let (from, to) = (parse_rate_or_zero("ramp", from)?, parse_rate_or_zero("ramp", to)?);
        let over = parse_duration("ramp", over)?;
        if over.is_zero() || from.max(to) <= 0.0 {
            return Err(wrong());
        }
        Ok(Self::Ramp { from, to, over })
    }

    /// Reads steps, `RATExTIME,RATExTIME,…`. A rate of zero is a pause.
    ///
    /// # Errors
    /// When a step is not a rate and a duration, or no step has arrivals.
    pub fn parse_steps(text: &str) -> Result<Self, PlanError> {
        let wrong = || PlanError::new("steps", text, "use RATExTIME,…, such as 100/sx10s,500/sx1m");
        let mut steps = Vec::new();
        for step in text.split(',') {
            let (rate, lasts) = step.split_once('x').ok_or_else(wrong)?;
            let (rate, lasts) = (parse_rate_or_zero("steps", rate)?, parse_duration("steps", lasts)?);
            steps.push(RateStep { rate, lasts });
        }
        if steps.iter().all(|step| step.rate <= 0.0 || step.lasts.is_zero()) {
            return Err(wrong());
        }
        Ok(Self::Steps { steps })
    }
}

impl Think {
    /// Reads a pause: `500ms`, `uniform:A,B` or `exponential:MEAN`. `uniform:A,B,STEP` is rounded to a whole multiple of `STEP`.
    ///
    /// # Errors
    /// When it is none of these, or `A` is longer than `B`.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let wrong =
            || PlanError::new("think", text, "use a time such as 500ms, uniform:100ms,2s or exponential:1s");
        let think = match text.split_once(':') {
            None => Self::Constant { time: parse_duration("think", text).map_err(|_| wrong())? },
            Some(("uniform", times)) => {
                let (times, step) = match times.match_indices(',').nth(1) {
                    Some((at, _)) => (&times[..at], &times[at + 1..]),
                    None => (times, "0"),
                };
                let (min, max) = pair(times, "think").ok_or_else(wrong)??;
                if max < min {
                    return Err(PlanError::new("think", text, "give the shorter time first"));
                }
                let granularity = parse_duration("think", step).map_err(|_| wrong())?;
                Self::Uniform { min, max, granularity }
            }
            Some(("exponential", mean)) => {
                Self::Exponential { mean: parse_duration("think", mean).map_err(|_| wrong())? }
            }
            Some(_) => return Err(wrong()),
        };
        Ok(if think == (Self::Constant { time: Duration::ZERO }) { Self::None } else { think })
    }
}

/// Two durations with a comma between; none when there is no comma.
fn pair(text: &str, field: &str) -> Option<Result<(Duration, Duration), PlanError>> {
    let (first, second) = text.split_once(',')?;
    let both = parse_duration(field, first).and_then(|first| Ok((first, parse_duration(field, second)?)));
    Some(both)
}

/// Reads a header field, `Name: value`. The value may be empty.
///
/// # Errors
/// When there is no colon, the name is no token (RFC 9110 section 5.1), or the value holds a line break or another control
/// character, which would make it more than one field.
pub fn parse_header(text: &str) -> Result<(String, String), PlanError> {
    let wrong = |why: &str| PlanError::new("header", text.escape_debug().to_string(), why);
    let (name, value) = text.split_once(':').ok_or_else(|| wrong(HEADER_REMEDY))?;
    let value = value.trim_matches([' ', '\t']);
    check_header(name, value).map_err(wrong)?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Whether a header field can be sent as it is; if not, what to do.
pub(crate) fn check_header(name: &str, value: &str) -> Result<(), &'static str> {
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(HEADER_REMEDY);
    }
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return Err("leave out line breaks and control characters; give each field by itself");
    }
    Ok(())
}

/// Whether a file's name can be written down; the plan's text is Unicode.
pub(crate) fn check_path(field: &str, path: &Path) -> Result<(), PlanError> {
    match path.to_str() {
        Some(_) => Ok(()),
        None => {
            Err(PlanError::new(field, path.display().to_string(), "use a file whose name is Unicode text"))
        }
    }
}

const HEADER_REMEDY: &str = "use `Name: value`, such as `Accept: text/html`";

/// Whether a byte may be part of a token (RFC 9110 section 5.6.2).
pub(crate) const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}

impl Resolve {
    /// Reads `HOST:PORT:ADDRESS`. An IPv6 address may stand in brackets, on either side.
    ///
    /// # Errors
    /// When a part is missing, the port is none, or the address is no address.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let wrong = || {
            PlanError::new(
                "resolve",
                text,
                "use HOST:PORT:ADDRESS, such as a.test:443:127.0.0.1 or a.test:443:[::1]",
            )
        };
        let (host, rest) = match text.strip_prefix('[') {
            Some(bracketed) => bracketed.split_once("]:"),
            None => text.split_once(':'),
        }
        .ok_or_else(wrong)?;
        let (port, address) = rest.split_once(':').ok_or_else(wrong)?;
        let address = address.strip_prefix('[').and_then(|bare| bare.strip_suffix(']')).unwrap_or(address);
        let port = port.parse().ok().filter(|port| *port != 0).ok_or_else(wrong)?;
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        if host.is_empty() {
            return Err(wrong());
        }
        Ok(Self { host: host.to_ascii_lowercase(), port, address })
    }
}

impl Proxy {
    /// Reads `http://name:password@host:port`; scheme, name and password may be left out.
    ///
    /// # Errors
    /// When it is no such URL, or has a path.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let wrong =
            || PlanError::new("proxy", text, "use http://host:port or http://name:password@host:port");
        let request = Request::get(text).map_err(|_| wrong())?;
        if *request.path != *"/" {
            return Err(wrong());
        }
        if request.endpoint.scheme != Scheme::Http {
            return Err(PlanError::new("proxy", text, PROXY_SCHEME));
        }
        Ok(Self { endpoint: request.endpoint.clone(), basic_auth: request.basic_auth.clone() })
    }
}

/// Reads a list of requests, one a line: `URL`, `METHOD URL [BODY]`, or `URL METHOD [BODY]`. A body
/// that begins with `<` or `@` is the content of the file named after it. Blank lines and lines that begin with `#` are
/// passed over.
///
/// # Errors
/// The first line that is no request, by number, and a text without requests.
pub fn parse_urls(text: &str) -> Result<Vec<Request>, PlanError> {
    let (mut requests, mut shapes) = (Vec::new(), Shapes::default());
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut request = parse_request(line)
            .map_err(|error| PlanError { field: format!("urls, line {number}"), ..error })?;
        shapes.share(&mut request);
        requests.push(request);
    }
    if requests.is_empty() {
        return Err(PlanError::new("urls", "no URL", "give one URL a line, such as http://127.0.0.1:8080/"));
    }
    Ok(requests)
}

fn parse_request(line: &str) -> Result<Request, PlanError> {
    let (first, rest) = word(line);
    let (second, body) = word(rest);
    let (method, url, body) = if METHODS.contains(&second) {
        (second, first, body)
    } else if !second.is_empty() && first.bytes().all(|byte| byte.is_ascii_uppercase()) {
        (first, second, body)
    } else if second.is_empty() {
        ("GET", first, "")
    } else {
        return Err(PlanError::new("urls", line, "use `URL`, `METHOD URL BODY` or `URL METHOD BODY`"));
    };
    let mut request = Request::get(url)?;
    request.method = method.to_owned();
    request.body = parse_body(body);
    Ok(request)
}

/// Reads a body: `@FILE` or `<FILE` is a file's content, nothing is none, anything else is itself.
#[must_use]
pub fn parse_body(text: &str) -> Body {
    match text.strip_prefix(['@', '<']).map(str::trim) {
        Some(file) if !file.is_empty() => Body::File(file.into()),
        _ if text.is_empty() => Body::None,
        _ => Body::Text(text.to_owned()),
    }
}

/// The first word, and the rest without the blanks between.
fn word(text: &str) -> (&str, &str) {
    match text.split_once(char::is_whitespace) {
        Some((first, rest)) => (first, rest.trim_start()),
        None => (text, ""),
    }
}

/// Methods that may stand after the URL.
const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"];

#[cfg(test)]
mod tests;
