//! `torture`: looks for requests that make a server answer wrongly or fall over.

use crate::complaint::Complaint;
use crate::exit::{Exit, Failure};
use crate::files::{reason, seed_of_now};
use crate::place::{Trust, addresses, driver, place};
use crate::progress::Manner;
use crate::{results, signals, streams};
use clap::{Args, ValueEnum};
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;
use warwolf_driver::{Address, host};
use warwolf_engine::Control;
use warwolf_exchange::{Ending, Message, Step, Target};
use warwolf_plan::quantity::{parse_count, parse_duration, parse_rate, parse_size, print_rate};
use warwolf_plan::words::parse_header;
use warwolf_plan::{PlanError, Request};
use warwolf_torture::{
    Base, Campaign, CampaignError, Finding, Format, Generator, Options, Outcome, Progress, Subject,
    from_json, is_private, render, replay, spelling,
};

/// What to torture, and how.
#[derive(Debug, Args)]
pub(crate) struct Words {
    /// URL to test; requests are variations of a GET of this URL
    #[arg(value_name = "URL", required_unless_present = "replay")]
    url: Option<String>,

    /// Number of requests
    #[arg(short = 'n', long, value_name = "N", default_value = "10k")]
    requests: String,

    /// Requests per second
    #[arg(short, long, value_name = "RATE", default_value = "500/s", short_alias = 'q')]
    rate: String,

    /// Maximum number of concurrent requests
    #[arg(short, long, value_name = "N", default_value = "32")]
    connections: String,

    /// Seed of the generated requests; by default a seed is chosen and printed
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Number of the first request
    #[arg(long, value_name = "N", default_value = "0")]
    first: u64,

    /// Maximum length of a generated part of a request, in bytes: 64k
    #[arg(long, value_name = "BYTES", default_value = "64k")]
    longest: String,

    /// Header field for every request, such as 'Authorization: …'; may be repeated
    #[arg(short = 'H', long, value_name = "FIELD", value_delimiter = '\n')]
    header: Vec<String>,

    /// Report a hang when a complete request gets no response byte for this long
    #[arg(long, value_name = "TIME", default_value = "2s")]
    patience: String,

    /// Maximum time that the server may need to recover after a failure
    #[arg(long, value_name = "TIME", default_value = "10s")]
    recovery: String,

    /// Maximum requests spent shrinking one finding
    #[arg(long, value_name = "N", default_value = "3k")]
    tries: String,

    /// Stop after this number of findings
    #[arg(long, value_name = "N", default_value = "50")]
    findings: String,

    /// Send one request alone: as printed after `--replay` in a report, or FILE.json#2 for the second finding in a file
    ///
    /// Without a URL the argument is a file written by `-o FILE.json`, and selects its first finding unless #N follows.
    #[arg(long, value_name = "FINDING")]
    replay: Option<String>,

    /// Number of times --replay sends the request
    #[arg(long, value_name = "N", default_value = "1", requires = "replay")]
    times: u32,

    /// Also test this host, whose address is neither local nor private; may be repeated
    ///
    /// Use it only with the permission of the operator of the server.
    #[arg(long, value_name = "HOST", value_delimiter = '\n')]
    i_may_test: Vec<String>,

    #[command(flatten)]
    trust: Trust,

    /// Format of the result on stdout
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Result")]
    format: FormatWord,

    /// Write the result to a file; the extension selects the format: .json, .sarif, .xml (JUnit) or .txt; may be repeated
    #[arg(short, long, value_name = "FILE", value_delimiter = '\n', help_heading = "Result")]
    output: Vec<PathBuf>,

    /// Print only errors on stderr
    #[arg(long, help_heading = "Result")]
    quiet: bool,
}

/// How a result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatWord {
    /// Plain text
    Text,
    /// All data as JSON
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// JUnit XML
    Junit,
}

pub(crate) const AFTER_LONG: &str = "\
Exit codes:
  0 no finding; 1 the test could not run; 2 usage error; 99 there are findings; 130 interrupted; the result was printed

Examples:
  warwolf torture http://127.0.0.1:8080/
  warwolf torture -n 100k -r 2k/s --seed 7 -o found.json http://127.0.0.1:8080/search?q=x
  warwolf torture --replay found.json#2
  warwolf torture http://127.0.0.1:8080/ --replay 'GET /?\\{a*8193} HTTP/1.0\\r\\n\\r\\n'";

/// Tortures, or replays.
///
/// # Errors
/// When the words are wrong, the address may not be tortured, or it could not begin.
pub(crate) fn torture(words: &Words) -> Result<Exit, Failure> {
    if let Some(finding) = &words.replay {
        return again(words, finding);
    }
    let url = words.url.as_deref().unwrap_or_default();
    let request = Request::get(url).map_err(complaint)?;
    let options = options(words)?;
    let base = Base {
        authority: request.endpoint.host_header(),
        target: request.path.clone(),
        longest: longest(words)?,
        fields: fields(words, &request)?,
    };
    let seed = words.seed.unwrap_or_else(seed_of_now);
    let subject = subject(words, &request, seed);
    let files = words.output.iter().map(|path| open(path)).collect::<Result<Vec<_>, _>>()?;
    let place = permitted(&request, words)?;
    let outcome = hunt(words, &place, &Generator::new(seed, base), subject, options)?;
    deliver(words, &outcome, &files)
}

fn complaint(error: PlanError) -> Complaint {
    let PlanError { field, value, remedy } = error;
    let field = if field == "url" { field } else { format!("--{field}") };
    Complaint::new(format!("{field}: `{value}`: {remedy}"))
}

fn options(words: &Words) -> Result<Options, Complaint> {
    let count = |field: &str, text: &str| parse_count(field, text).map_err(complaint);
    let at_least_1 = |field: &str, text: &str| match count(field, text)? {
        0 => Err(Complaint::new(format!("--{field}: `{text}`: use 1 or more"))),
        number => Ok(u32::try_from(number).unwrap_or(u32::MAX)),
    };
    let time = |field: &str, text: &str| match parse_duration(field, text).map_err(complaint)? {
        Duration::ZERO => {
            Err(Complaint::new(format!("--{field}: `{text}`: use a time above zero, such as 2s")))
        }
        time => Ok(time),
    };
    Ok(Options {
        rate: parse_rate("rate", &words.rate).map_err(complaint)?,
        first: words.first,
        requests: count("requests", &words.requests)?,
        at_once: at_least_1("connections", &words.connections)?.min(AT_ONCE_MAX),
        timeout: time("patience", &words.patience)?,
        recovery: time("recovery", &words.recovery)?,
        tries: at_least_1("tries", &words.tries)?,
        findings: at_least_1("findings", &words.findings)? as usize,
    })
}

/// More at once would be another kind of test.
const AT_ONCE_MAX: u32 = 10_000;

fn longest(words: &Words) -> Result<usize, Complaint> {
    let size = parse_size("longest", &words.longest).map_err(complaint)?;
    match usize::try_from(size) {
        Ok(size @ 16..=LONGEST_MAX) => Ok(size),
        _ => Err(Complaint::new(format!("--longest: `{}`: use 16 to 16m", words.longest))),
    }
}

const LONGEST_MAX: usize = 16 << 20;

fn fields(words: &Words, request: &Request) -> Result<Vec<String>, Complaint> {
    if request.basic_auth.is_some() {
        return Err(Complaint::new("url: it has a name and a password; use -H 'Authorization: …' instead"));
    }
    let line = |line: &String| {
        let (name, value) = parse_header(line).map_err(complaint)?;
        Ok(format!("{name}: {value}"))
    };
    words.header.iter().map(line).collect()
}

fn subject(words: &Words, request: &Request, seed: u64) -> Subject {
    let mut extra = String::new();
    if words.trust.insecure {
        extra += " -k";
    }
    if let Some(path) = &words.trust.cacert {
        extra += &format!(" --cacert '{}'", path.display());
    }
    for host in &words.i_may_test {
        extra += &format!(" --i-may-test '{host}'");
    }
    let mut seeded = String::new();
    for header in &words.header {
        seeded += &format!(" -H '{header}'");
    }
    if words.longest != "64k" {
        seeded += &format!(" --longest {}", words.longest);
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
fn permitted(request: &Request, words: &Words) -> Result<Target, Failure> {
    let endpoint = &request.endpoint;
    let addresses = addresses(endpoint)?;
    let is_own = |address: &Address| match address {
        Address::Ip(address) => is_private(address.ip()),
        Address::Unix(_) => true,
    };
    let is_named = words.i_may_test.iter().any(|host| host.eq_ignore_ascii_case(&endpoint.host));
    if !is_named && !addresses.iter().all(is_own) {
        return Err(Complaint::new(format!(
            "url: `{0}`: neither a local nor a private address; if you have permission to test it, add `--i-may-test {0}`",
            endpoint.host
        ))
        .into());
    }
    let Some(address) = addresses.into_iter().next() else {
        return Err(Failure::new(format!("`{}`: has no address", endpoint.host)));
    };
    place(endpoint, address, &words.trust)
}

fn hunt(
    words: &Words,
    place: &Target,
    generator: &Generator,
    subject: Subject,
    options: Options,
) -> Result<Outcome, Failure> {
    let _ = host::raise_descriptor_limit();
    let control = Control::new();
    signals::listen(&control, if words.quiet { Manner::Quiet } else { Manner::Lines })?;
    if !words.quiet {
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
        if !words.quiet {
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

fn open(path: &Path) -> Result<(File, &Path, Format), Complaint> {
    let wrong = |why: &str| Complaint::new(format!("--output: `{}`: {why}", path.display()));
    let format = match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => Format::Json,
        Some("sarif") => Format::Sarif,
        Some("xml") => Format::Junit,
        Some("txt") => Format::Text,
        _ => return Err(wrong("use an extension that says what it is: .json, .sarif, .xml (JUnit) or .txt")),
    };
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    let file = file.map_err(|error| wrong(&format!("cannot be written: {}", reason(&error))))?;
    Ok((file, path, format))
}

fn deliver(words: &Words, outcome: &Outcome, files: &[(File, &Path, Format)]) -> Result<Exit, Failure> {
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    let format = match words.format {
        FormatWord::Text => Format::Text,
        FormatWord::Json => Format::Json,
        FormatWord::Sarif => Format::Sarif,
        FormatWord::Junit => Format::Junit,
    };
    let mut failure = streams::print(render(outcome, format, VERSION).as_bytes()).err();
    for (file, path, format) in files {
        if let Err(error) = results::write(file, render(outcome, *format, VERSION).as_bytes()) {
            failure =
                Some(Failure::new(format!("{}: cannot be written: {}", path.display(), reason(&error))));
        }
    }
    match failure {
        Some(failure) => Err(failure),
        None if !outcome.findings.is_empty() => Ok(Exit::Broken),
        // A server that is gone is a finding; what else ends a hunt early is the user.
        None if !outcome.is_complete => Ok(Exit::Interrupted),
        None => Ok(Exit::Well),
    }
}

/// Sends one request alone, and says what came.
fn again(words: &Words, finding: &str) -> Result<Exit, Failure> {
    let (url, message) = match &words.url {
        Some(url) => {
            let message = spelling::read(finding);
            (url.clone(), message.map_err(|why| Complaint::new(format!("--replay: {why}")))?)
        }
        None => kept(finding)?,
    };
    let request = Request::get(&url).map_err(complaint)?;
    let timeout = options(words)?.timeout;
    let place = permitted(&request, words)?;
    let seen = replay(driver(1)?, &place, &message, timeout, words.times);
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
fn kept(words: &str) -> Result<(String, Message), Complaint> {
    let wrong = |why: &str| Complaint::new(format!("--replay: `{words}`: {why}"));
    let (path, number) = match words.rsplit_once('#') {
        Some((path, number)) => (path, number.parse::<usize>().map_err(|_| wrong("use FILE.json#2"))?),
        None => (words, 1),
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
