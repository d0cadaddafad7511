//! `torture`: looks for requests that make a server answer wrongly or fall over.

use crate::endpoint::{addresses, driver, place};
use crate::exit::{Exit, Failure};
use crate::files::seed_of_now;
use crate::output::{Outputs, unknown_extension};
use crate::progress::Manner;
use crate::{signals, streams};
use std::time::Duration;
use warwolf_args::UsageError;
use warwolf_args::reason;
use warwolf_args::torture::{FormatWord, Torture};
use warwolf_driver::{Address, host};
use warwolf_engine::Control;
use warwolf_exchange::{Ending, Message, Step, Target};
use warwolf_plan::Request;
use warwolf_plan::quantity::{parse_count, parse_duration, parse_rate, parse_size, print_rate};
use warwolf_plan::words::parse_header;
use warwolf_torture::{
    Base, Campaign, CampaignError, Finding, Format, Generator, Options, Outcome, Progress, Subject,
    from_json, is_private, render, replay, spelling,
};

/// Tortures, or replays.
///
/// # Errors
/// When the words are wrong, the address may not be tortured, or it could not begin.
pub(crate) fn torture(args: &Torture) -> Result<Exit, Failure> {
    if let Some(finding) = &args.replay {
        return again(args, finding);
    }
    let url = args.url.as_deref().unwrap_or_default();
    let request = Request::get(url).map_err(UsageError::of_option)?;
    let options = options(args)?;
    let base = Base {
        authority: request.endpoint.host_header(),
        target: request.path.clone(),
        longest: longest(args)?,
        fields: fields(args, &request)?,
    };
    let seed = args.seed.unwrap_or_else(seed_of_now);
    let subject = subject(args, &request, seed);
    let stdout = match args.format {
        FormatWord::Text => Format::Text,
        FormatWord::Json => Format::Json,
        FormatWord::Sarif => Format::Sarif,
        FormatWord::Junit => Format::Junit,
    };
    let outputs = Outputs::open(&args.output, stdout, format_of)?;
    let place = permitted(&request, args)?;
    let outcome = hunt(args, &place, &Generator::new(seed, base), subject, options)?;
    deliver(&outcome, &outputs)
}

fn options(args: &Torture) -> Result<Options, UsageError> {
    let count = |field: &str, text: &str| parse_count(field, text).map_err(UsageError::of_option);
    let at_least_1 = |field: &str, text: &str| match count(field, text)? {
        0 => Err(UsageError::new(format!("--{field}: `{text}`: use 1 or more"))),
        number => Ok(u32::try_from(number).unwrap_or(u32::MAX)),
    };
    let time = |field: &str, text: &str| match parse_duration(field, text).map_err(UsageError::of_option)? {
        Duration::ZERO => {
            Err(UsageError::new(format!("--{field}: `{text}`: use a time above zero, such as 2s")))
        }
        time => Ok(time),
    };
    Ok(Options {
        rate: parse_rate("rate", &args.rate).map_err(UsageError::of_option)?,
        first: args.first,
        requests: count("requests", &args.requests)?,
        at_once: at_least_1("connections", &args.connections)?.min(AT_ONCE_MAX),
        timeout: time("patience", &args.patience)?,
        recovery: time("recovery", &args.recovery)?,
        tries: at_least_1("tries", &args.tries)?,
        findings: at_least_1("findings", &args.findings)? as usize,
    })
}

/// More at once would be another kind of test.
const AT_ONCE_MAX: u32 = 10_000;

fn longest(args: &Torture) -> Result<usize, UsageError> {
    let size = parse_size("longest", &args.longest).map_err(UsageError::of_option)?;
    match usize::try_from(size) {
        Ok(size @ 16..=LONGEST_MAX) => Ok(size),
        _ => Err(UsageError::new(format!("--longest: `{}`: use 16 to 16m", args.longest))),
    }
}

const LONGEST_MAX: usize = 16 << 20;

fn fields(args: &Torture, request: &Request) -> Result<Vec<String>, UsageError> {
    if request.basic_auth.is_some() {
        return Err(UsageError::new("url: it has a name and a password; use -H 'Authorization: …' instead"));
    }
    let line = |line: &String| {
        let (name, value) = parse_header(line).map_err(UsageError::of_option)?;
        Ok(format!("{name}: {value}"))
    };
    args.header.iter().map(line).collect()
}

fn subject(args: &Torture, request: &Request, seed: u64) -> Subject {
    let mut extra = String::new();
    if args.trust.insecure {
        extra += " -k";
    }
    if let Some(path) = &args.trust.cacert {
        extra += &format!(" --cacert '{}'", path.display());
    }
    for host in &args.i_may_test {
        extra += &format!(" --i-may-test '{host}'");
    }
    let mut seeded = String::new();
    for header in &args.header {
        seeded += &format!(" -H '{header}'");
    }
    if args.longest != "64k" {
        seeded += &format!(" --longest {}", args.longest);
    }
    Subject {
        url: request.url(),
        origin: request.endpoint.to_string(),
        authority: request.endpoint.host_header(),
        seed,
        extra,
        seeded,
    }
}

/// The place of a request, if it may be tortured: every address it has is this machine's or private, or its name was given
/// by somebody who says he may.
fn permitted(request: &Request, args: &Torture) -> Result<Target, Failure> {
    let endpoint = &request.endpoint;
    let addresses = addresses(endpoint)?;
    let is_own = |address: &Address| match address {
        Address::Ip(address) => is_private(address.ip()),
        Address::Unix(_) => true,
    };
    let is_named = args.i_may_test.iter().any(|host| host.eq_ignore_ascii_case(&endpoint.host));
    if !is_named && !addresses.iter().all(is_own) {
        return Err(UsageError::new(format!(
            "url: `{0}`: neither a local nor a private address; if you have permission to test it, add `--i-may-test {0}`",
            endpoint.host
        ))
        .into());
    }
    let Some(address) = addresses.into_iter().next() else {
        return Err(Failure::new(format!("`{}`: has no address", endpoint.host)));
    };
    place(endpoint, address, &args.trust)
}

fn hunt(
    args: &Torture,
    place: &Target,
    generator: &Generator,
    subject: Subject,
    options: Options,
) -> Result<Outcome, Failure> {
    let _ = host::raise_descriptor_limit();
    let control = Control::new();
    signals::listen(&control, if args.quiet { Manner::Quiet } else { Manner::Lines })?;
    if !args.quiet {
        let Options { rate, requests, first, .. } = options;
        let rate = print_rate(rate);
        let last = first.saturating_add(requests).saturating_sub(1);
        streams::say(&format!(
            "warwolf: torturing {}: requests {first} to {last} at {rate}, seed {}\n",
            subject.url, subject.seed
        ));
    }
    let mut said = Said { tenth: 0 };
    let mut watch = |progress: &Progress<'_>| {
        if !args.quiet {
            said.say(progress);
        }
        !control.is_stopped()
    };
    let driver = driver(options.at_once + 2)?;
    Campaign::run(driver, place, generator, subject, options, &mut watch).map_err(|error| match error {
        CampaignError::Failing(what) => Failure::new(format!(
            "the server fails before the test: a valid request gets `{what}`; test a server that works"
        )),
        CampaignError::Machine(error) => {
            Failure::new(format!("the kernel refuses to wait: {}", reason(&error)))
        }
    })
}

/// What was said of a hunt so far.
struct Said {
    /// Tenths of the requests.
    tenth: u64,
}

impl Said {
    fn say(&mut self, progress: &Progress<'_>) {
        if let Some(finding) = progress.new {
            streams::say(&format!("warwolf: found: {} (request {})\n", finding.failure, finding.number));
        }
        let tenth = progress.requests * 10 / progress.of.max(1);
        if tenth > self.tenth {
            self.tenth = tenth;
            streams::say(&format!(
                "warwolf: {} of {} requests, findings: {}\n",
                progress.requests,
                progress.of,
                progress.findings.len()
            ));
        }
    }
}

/// The format of a file extension.
fn format_of(extension: &str) -> Result<Format, String> {
    Ok(match extension {
        "json" => Format::Json,
        "sarif" => Format::Sarif,
        "xml" => Format::Junit,
        "txt" => Format::Text,
        _ => return Err(unknown_extension(".json, .sarif, .xml (JUnit) or .txt")),
    })
}

fn deliver(outcome: &Outcome, outputs: &Outputs<Format>) -> Result<Exit, Failure> {
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    outputs.deliver(|format, _| render(outcome, format, VERSION).into_bytes())?;
    Ok(match outcome {
        _ if !outcome.findings.is_empty() => Exit::Broken,
        // A server that does not come back is a finding; what else ends a campaign early is the user.
        _ if !outcome.is_complete => Exit::Interrupted,
        _ => Exit::Well,
    })
}

/// Sends one request alone, and says what came.
fn again(args: &Torture, finding: &str) -> Result<Exit, Failure> {
    let (url, message) = match &args.url {
        Some(url) => {
            let message = spelling::read(finding);
            (url.clone(), message.map_err(|why| UsageError::new(format!("--replay: {why}")))?)
        }
        None => kept(finding)?,
    };
    let request = Request::get(&url).map_err(UsageError::of_option)?;
    let timeout = options(args)?.timeout;
    let place = permitted(&request, args)?;
    let seen = replay(driver(1)?, &place, &message, timeout, args.times);
    let seen =
        seen.map_err(|error| Failure::new(format!("the kernel refuses to wait: {}", reason(&error))))?;
    let mut text = String::new();
    for (exchange, trouble) in &seen {
        let what = match (trouble, exchange.ending) {
            (Some(trouble), _) => trouble.to_string(),
            (None, Ending::Complete) => format!("status {}", exchange.reply.status),
            (None, ending) => ending.to_string(),
        };
        let verdict = if trouble.is_some() { "trouble" } else { "well" };
        text += &format!("{verdict}: {what}, in {:.1} ms\n", exchange.took().as_secs_f64() * 1e3);
        if !exchange.reply.start.is_empty() {
            let start = Message { steps: vec![Step::Bytes(exchange.reply.start.clone())] };
            text += &format!("  {}\n", spelling::spell(&start));
        }
    }
    streams::print(text.as_bytes())?;
    Ok(if seen.iter().any(|(_, trouble)| trouble.is_some()) { Exit::Broken } else { Exit::Well })
}

/// The address and the request of a finding in a file, `FILE` or `FILE#N`.
fn kept(args: &str) -> Result<(String, Message), UsageError> {
    let wrong = |why: &str| UsageError::new(format!("--replay: `{args}`: {why}"));
    let (path, number) = match args.rsplit_once('#') {
        Some((path, number)) => (path, number.parse::<usize>().map_err(|_| wrong("use FILE.json#2"))?),
        None => (args, 1),
    };
    let text = std::fs::read_to_string(path).map_err(|error| {
        wrong(&format!("cannot be read: {}; with a URL it is a request in one line", reason(&error)))
    })?;
    let outcome =
        from_json(&text).map_err(|_| wrong("it is no file that `warwolf torture -o FILE.json` wrote"))?;
    let finding: Option<&Finding> = number.checked_sub(1).and_then(|index| outcome.findings.get(index));
    let finding = finding.ok_or_else(|| wrong(&format!("it has {} findings", outcome.findings.len())))?;
    let message = finding.message().ok_or_else(|| wrong("no single request is to blame for this finding"))?;
    Ok((outcome.subject.url, message))
}
