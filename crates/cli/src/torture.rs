//! `torture`: looks for requests that make a server answer wrongly or fall over.

use crate::endpoint::{addresses, driver, place};
use crate::exit::{Exit, Failure, MachineFailure, NetworkFailure, TargetFailure};
use crate::files::seed_of_now;
use crate::output::{Outputs, unknown_extension};
use crate::progress::Manner;
use crate::{signals, streams};
use std::net::IpAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use warwolf_args::torture::{FormatWord, Torture};
use warwolf_args::{FileError, UsageError, values};
use warwolf_driver::{Address, host};
use warwolf_engine::Control;
use warwolf_exchange::{Ending, Interruptible, Message, Step, Target};
use warwolf_plan::Request;
use warwolf_plan::quantity::{parse_rate, parse_size, print_rate};
use warwolf_plan::secrets::is_secret_field;
use warwolf_torture::curl::quote;
use warwolf_torture::{
    Base, Campaign, CampaignError, Finding, Format, Generator, Options, Outcome, Progress, Restart, Subject,
    from_json, may_test, render, replay, spelling,
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
    let request = values::plain_url(url)?;
    let options = options(args)?;
    let base = Base {
        authority: request.endpoint.host_header(),
        target: request.path.to_string(),
        longest: longest(args)?,
        fields: values::header_lines(&args.header)?,
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
    Ok(Options {
        rate: parse_rate("rate", &args.rate).map_err(UsageError::of_option)?,
        first: args.first,
        requests: values::count("requests", &args.requests)?,
        at_once: values::at_least_1("connections", &args.connections)?.min(AT_ONCE_MAX),
        timeout: values::time_above_zero("patience", &args.patience)?,
        recovery: values::time_above_zero("recovery", &args.recovery)?,
        tries: values::at_least_1("tries", &args.tries)?,
        findings: values::at_least_1("findings", &args.findings)? as usize,
    })
}

/// More at once would be another kind of test.
const AT_ONCE_MAX: u32 = 10_000;

fn longest(args: &Torture) -> Result<usize, UsageError> {
    let size = parse_size("longest", &args.longest).map_err(UsageError::of_option)?;
    match usize::try_from(size) {
        Ok(size @ 16..=LONGEST_MAX) => Ok(size),
        _ => Err(UsageError::value("longest", &args.longest, "use 16 to 16m")),
    }
}

const LONGEST_MAX: usize = 16 << 20;

fn subject(args: &Torture, request: &Request, seed: u64) -> Subject {
    let mut extra = String::new();
    if args.trust.insecure {
        extra += " -k";
    }
    if let Some(path) = &args.trust.cacert {
        extra += &format!(" --cacert {}", quote(&path.display().to_string()));
    }
    for host in &args.i_may_test {
        extra += &format!(" --i-may-test {}", quote(host));
    }
    let mut seeded = String::new();
    for header in &args.header {
        seeded += &format!(" -H {}", shown_header(header));
    }
    if args.longest != "64k" {
        seeded += &format!(" --longest {}", quote(&args.longest));
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

/// A header field in a command that is printed. A secret is left to a variable of the shell, which is named after the field.
fn shown_header(header: &str) -> String {
    match header.split_once(':') {
        Some((name, _)) if is_secret_field(name) => {
            let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
            let variable: String = name.trim().to_ascii_uppercase().chars().map(letter).collect();
            format!("{}\"${variable}\"", quote(&format!("{}: ", name.trim())))
        }
        _ => quote(header),
    }
}

/// The place of a request, if it may be tortured: every address it has is this machine's or private, or its name was given
/// by somebody who says he may.
fn permitted(request: &Request, args: &Torture) -> Result<Target, Failure> {
    let endpoint = &request.endpoint;
    let addresses = addresses(endpoint)?;
    let ips: Vec<Option<IpAddr>> = addresses.iter().map(ip).collect();
    if !may_test(&endpoint.host, &ips, &args.i_may_test) {
        let remedy = format!(
            "neither a local nor a private address; if you have permission to test it, add `--i-may-test {}`",
            endpoint.host
        );
        return Err(UsageError::value("url", &endpoint.host, remedy).into());
    }
    let Some(address) = addresses.into_iter().next() else {
        return Err(NetworkFailure::NoAddress(endpoint.host.clone(), None).into());
    };
    place(endpoint, address, &args.trust)
}

fn ip(address: &Address) -> Option<IpAddr> {
    match address {
        Address::Ip(address) => Some(address.ip()),
        Address::Unix(_) => None,
    }
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
    let driver = Interruptible::new(driver(options.at_once + 2)?, || control.is_stopped());
    let mut run_command = || {
        let command = args.restart.as_deref().unwrap_or_default();
        if !args.quiet {
            streams::say(&format!("warwolf: the server does not recover: `{command}`\n"));
        }
        !control.is_stopped() && restart(command)
    };
    let restart = args.restart.is_some().then_some(&mut run_command as Restart<'_>);
    Campaign::run(driver, place, generator, subject, options, restart, &mut watch).map_err(
        |error| match error {
            CampaignError::Failing(what) => TargetFailure::Failing(what.to_string()).into(),
            CampaignError::Machine(error) => MachineFailure::Wait(error).into(),
        },
    )
}

/// Runs a command of the user, and returns whether it succeeded. What it prints goes to stderr.
fn restart(command: &str) -> bool {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).stdin(Stdio::null()).stdout(std::io::stderr());
    shell.status().is_ok_and(|status| status.success())
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
    let (url, message) = if args.url.is_none() || is_file(finding) {
        let (url, message) = kept(finding)?;
        (args.url.clone().unwrap_or(url), message)
    } else {
        let message = spelling::read(finding).map_err(|why| UsageError::option("replay", why))?;
        (args.url.clone().unwrap_or_default(), message)
    };
    let request = Request::get(&url).map_err(UsageError::of_option)?;
    let timeout = options(args)?.timeout;
    let place = permitted(&request, args)?;
    if !args.quiet {
        streams::say(&format!("warwolf: sending {} bytes to {}\n", message.size_bytes(), request.endpoint));
    }
    let seen = replay(driver(1)?, &place, &message, timeout, args.times);
    let seen = seen.map_err(MachineFailure::Wait)?;
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

/// Whether `FILE` or `FILE#N` names a file that exists.
fn is_file(args: &str) -> bool {
    let path = args.rsplit_once('#').map_or(args, |(path, _)| path);
    Path::new(path).is_file() || Path::new(args).is_file()
}

/// The address and the request of a finding in a file, `FILE` or `FILE#N`.
fn kept(args: &str) -> Result<(String, Message), UsageError> {
    let wrong = |why: &str| UsageError::value("replay", args, why);
    let (path, number) = match args.rsplit_once('#') {
        Some((path, number)) => (path, number.parse::<usize>().map_err(|_| wrong("use FILE.json#2"))?),
        None => (args, 1),
    };
    let text = std::fs::read_to_string(path).map_err(|error| {
        let remedy = "with a URL, the argument is a request in one line";
        FileError::reading(Path::new(path), &error).of_option("replay").with_remedy(remedy)
    })?;
    let outcome =
        from_json(&text).map_err(|_| wrong("it is no file that `warwolf torture -o FILE.json` wrote"))?;
    let finding: Option<&Finding> = number.checked_sub(1).and_then(|index| outcome.findings.get(index));
    let finding = finding.ok_or_else(|| wrong(&format!("it has {} findings", outcome.findings.len())))?;
    let message = finding.message().ok_or_else(|| wrong("no single request is to blame for this finding"))?;
    Ok((outcome.subject.url, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_commands_contain_variables_instead_of_credentials() {
        assert_eq!(shown_header("Accept: a'b"), quote("Accept: a'b"));
        assert_eq!(shown_header("X-Api-Key: hunter2"), "'X-Api-Key: '\"$X_API_KEY\"");
    }
}
