//! The original's texts by version, on which scripts and users rely.

use super::settings::{Era, Login, Reps, Settings};
use std::fmt::Write as _;

/// `-V`, on standard error.
pub(super) fn version(era: Era) -> String {
    if era == Era::V100 {
        return "Siege 1.00\n\nCopyright (C) 2000 Jeffrey Fulmer <jdfulmer@armstrong.com>\n".to_owned();
    }
    format!("SIEGE {}\n\n{}\n", era.version(), copyright(era))
}

fn copyright(era: Era) -> String {
    let year = if era == Era::V417 { 2024 } else { 2018 };
    format!(
        "Copyright (C) {year} by Jeffrey Fulmer, et al.\n\
         This is free software; see the source for copying conditions.\n\
         There is NO warranty; not even for MERCHANTABILITY or FITNESS\n\
         FOR A PARTICULAR PURPOSE.\n"
    )
}

/// The replacement of the banner's first line for `-D`.
pub(super) fn debugging(era: Era) -> String {
    format!("** SIEGE {}: debugging enabled\n\n{}\n", era.version(), copyright(era))
}

/// `-h`, on standard output; its first line goes to standard error.
pub(super) fn help(era: Era) -> String {
    match era {
        Era::V100 => HELP_100.to_owned(),
        Era::V407 | Era::V417 => format!("{HELP}\n{}\n", copyright(era)),
    }
}

const HELP: &str = r#"Usage: siege [options]
       siege [options] URL
       siege -g URL
Options:
  -V, --version             VERSION, prints the version number.
  -h, --help                HELP, prints this section.
  -C, --config              CONFIGURATION, show the current config.
  -v, --verbose             VERBOSE, prints notification to screen.
  -q, --quiet               QUIET turns verbose off and suppresses output.
  -g, --get                 GET, pull down HTTP headers and display the
                            transaction. Great for application debugging.
  -p, --print               PRINT, like GET only it prints the entire page.
  -c, --concurrent=NUM      CONCURRENT users, default is 10
  -r, --reps=NUM            REPS, number of times to run the test.
  -t, --time=NUMm           TIMED testing where "m" is modifier S, M, or H
                            ex: --time=1H, one hour test.
  -d, --delay=NUM           Time DELAY, random delay before each request
  -b, --benchmark           BENCHMARK: no delays between requests.
  -i, --internet            INTERNET user simulation, hits URLs randomly.
  -f, --file=FILE           FILE, select a specific URLS FILE.
  -R, --rc=FILE             RC, specify an siegerc file
  -l, --log[=FILE]          LOG to FILE. If FILE is not specified, the
                            default is used: /var/log/siege.log
  -m, --mark="text"         MARK, mark the log file with a string.
                            between .001 and NUM. (NOT COUNTED IN STATS)
  -H, --header="text"       Add a header to request (can be many)
  -A, --user-agent="text"   Sets User-Agent in request
  -T, --content-type="text" Sets Content-Type in request
  -j, --json-output         JSON OUTPUT, print final stats to stdout as JSON
      --no-parser           NO PARSER, turn off the HTML page parser
      --no-follow           NO FOLLOW, do not follow HTTP redirects
"#;

/// The options of 1.00, in the manual's order; the program's original text is not preserved.
const HELP_100: &str = "\
Usage: siege [options]
Options:
  -V, --version             prints the version number
  -h, --help                prints this section
  -v, --verbose             prints each transaction
  -c, --concurrent=NUM      concurrent users
  -u, --url=URL             stresses this URL alone
  -i, --internet            each user hits the URLs of the file randomly
  -t, --times=NUM           every user repeats its activity so often
  -f, --file=FILE           reads URLs from this file
  -l, --log                 logs the statistics
  -m, --mark=MESSAGE        logs them after a line with this message
  -d, --delay=NUM           random delay of 1 to NUM seconds, default is 3
";

/// The message about a requested configuration that cannot be read.
pub(super) fn no_rc(path: &str) -> String {
    let stars = "*".repeat(50);
    format!(
        "{stars}\nsiege: could not open {path}\nrun 'siege.config' to generate a new config file\n{stars}\n"
    )
}

/// The message on standard output when there are more users than the limit.
pub(super) fn capped(era: Era, limit: u32) -> String {
    let line = "=".repeat(64);
    let advice = match era {
        Era::V417 => format!(
            "         limit, search your siege.conf file for 'limit' and change\n         \
             its value. Make sure you read the instructions there.\n         \
             Siege will soon proceed with {limit} users (unless you abort...)\n"
        ),
        _ => "         limit, search your .siegerc file for 'limit' and change\n         \
              its value. Make sure you read the instructions there...\n"
            .to_owned(),
    };
    format!(
        "\n{line}\nWARNING: The number of users is capped at {limit}.  To increase this\n{advice}{line}\n"
    )
}

/// `-C`, on standard output.
pub(super) fn config(settings: &Settings) -> String {
    let mut out = format!(
        "CURRENT  SIEGE  CONFIGURATION\n{}\nEdit the resource file to change the settings.\n{}\n",
        settings.agent(),
        "-".repeat(46)
    );
    let mut row = |label: &str, value: &str| {
        let label = format!("{label}:");
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{label:<32}{value}");
    };
    let truth = |value: bool| if value { "true" } else { "false" };
    row("version", settings.era.version());
    row("verbose", truth(settings.verbose));
    row("color", truth(settings.color));
    row("quiet", truth(settings.quiet));
    row("debug", truth(settings.debug));
    row("protocol", if settings.http11 { "HTTP/1.1" } else { "HTTP/1.0" });
    row("HTML parser", if settings.parser { "enabled" } else { "disabled" });
    row("get method", settings.get_method.as_deref().unwrap_or("HEAD"));
    if let Some(host) = &settings.proxy_host {
        row("proxy-host", host);
        row("proxy-port", &settings.proxy_port.to_string());
    }
    row("connection", if settings.keep_alive { "keep-alive" } else { "close" });
    row("concurrent users", &settings.concurrent.max(1).to_string());
    row("time to run", &settings.time.map_or("n/a".to_owned(), |time| format!("{time} seconds")));
    let reps = match settings.reps {
        Reps::Times(times) if times > 0 && settings.time.is_none() => times.to_string(),
        _ => "n/a".to_owned(),
    };
    row("repetitions", &reps);
    row("socket timeout", &settings.timeout.to_string());
    row("cache enabled", truth(settings.cache));
    row("accept-encoding", &settings.accept_encoding);
    let unit = if settings.delay > 1.0 { "secs" } else { "sec" };
    row("delay", &format!("{:.3} {unit}", settings.delay));
    row("internet simulation", truth(settings.internet));
    row("benchmark mode", truth(settings.benchmark));
    row("failures until abort", &settings.failures.to_string());
    row("named URL", settings.url.as_deref().unwrap_or("none"));
    row("URLs file", settings.urls_path());
    row("thread limit", &settings.limit.to_string());
    row("logging", truth(settings.logging));
    row("log file", settings.log_path());
    row("resource file", &settings.rc);
    row("timestamped output", truth(settings.timestamp));
    row("comma separated output", truth(settings.csv));
    row("allow redirects", truth(settings.follow));
    row("allow zero byte data", truth(settings.zero_data_ok));
    row("allow chunked encoding", truth(settings.chunked));
    row("upload unique files", truth(settings.unique));
    row("json output", truth(settings.json));
    if settings.parser {
        out.push_str("no-follow:\n");
        settings.nofollow.iter().for_each(|host| out.extend([" - ", host, "\n"]));
    }
    out + &credentials("proxy auth", &settings.proxy_logins) + &credentials("www auth", &settings.logins)
}

fn credentials(label: &str, logins: &[Login]) -> String {
    let rows: String = logins.iter().map(|login| format!("credentials:  {}\n", login.shown())).collect();
    format!("{:<32}{rows}\n", format!("{label}:"))
}
