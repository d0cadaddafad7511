//! The words of the command line, as clap reads them. Nothing is interpreted here: values stay text until
//! `words::plan` makes a plan of them, so that every message about them comes from one place.

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "warwolf",
    bin_name = "warwolf",
    version,
    about = "Loads HTTP servers, accounts for every request, and says whether its own numbers can be believed",
    override_help = crate::screen::TEXT,
    disable_help_subcommand = true,
    subcommand_required = true
)]
pub(crate) struct Program {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Load a server; a bare `warwolf URL…` means the same
    #[command(after_help = AFTER, after_long_help = AFTER_LONG)]
    Run(Box<Run>),
    /// Print the plan that these words mean, and run nothing
    ///
    /// The plan goes to stdout; `warwolf run --plan FILE` runs it. A description in words goes to stderr.
    Explain(Box<Explain>),
    /// Report a kept run again, in any format
    ///
    /// The file is one that `warwolf run -o FILE.wwr` wrote ("-" is stdin). Exit codes are those of `run`.
    Report(Box<Report>),
    /// Add up the parts of a run that several machines made with --shard
    Merge(Merge),
    /// Say whether B is slower than A, by how much, and how sure that is
    ///
    /// `warwolf compare A B`: two URLs, or two plans, which are measured in turns A B B A; or two run files. Options of `run`
    /// say with which load. --duration is the time for both together, 2m unless given. Exit code 97: B is worse than allowed.
    Compare(Box<crate::experiment::words::Compare>),
    /// Run a load over a grid of settings, into one table and its plots
    Sweep(Box<crate::experiment::words::Sweep>),
    /// Search for the highest rate at which promises (--slo) hold
    ///
    /// --duration is the time for each rate, 10s unless given, a fifth of it warm-up. Exit code 99: they hold at no rate.
    Capacity(Box<crate::experiment::words::Capacity>),
    /// Send the requests of an access log again, at the log's own times, at a rate, or by users
    ///
    /// `warwolf replay access.log.gz --to http://127.0.0.1:8080/`; `-` is stdin. Common, combined, Squid's native format, JSON by
    /// lines and HAR, packed with gzip or not. With --rate the times are --rate's, with --closed there are users (-c).
    Replay(Box<crate::replay::words::Replay>),
    /// Runs that were kept with `run --keep NAME`: list, show, trend, compare, tag, prune
    History(Box<crate::history::words::History>),
    /// Serve HTTP, with known delays and faults: the built-in server under test
    ///
    /// Prints where it listens on stdout, and serves until it is interrupted. Every option has the same meaning for all
    /// requests that its word in a query string has for one: `--delay exp:10ms` and `/?delay=exp:10ms`.
    #[command(after_long_help = warwolf_target::GRAMMAR)]
    Target(Box<warwolf_target::Options>),
    /// Look for requests that make a server answer wrongly or fall over
    ///
    /// Sends seeded requests with traps in them under load: odd queries, paths, headers and bodies, broken framing, lengths
    /// where buffers end. What looks like trouble is sent again alone, made as small as it goes, and printed with a line that
    /// shows it again. Trouble is a status of 500 or more (not 501 and 505), no answer, half an answer, an answer that is not
    /// HTTP, a dropped connection, a TLS alert, a server that is gone or stays slow. Addresses that are neither this machine's
    /// nor private are refused.
    #[command(after_long_help = crate::torture::AFTER_LONG)]
    Torture(Box<crate::torture::Words>),
    /// Walk the links of a site: a list of its URLs, and which page leads to which
    ///
    /// Follows links as a user would, breadth first, within one scheme, host and port, keeps to robots.txt and to a rate, and
    /// leaves forms alone. The list is for `warwolf run --urls`, siege and http_load; the click model for `warwolf run --clicks`.
    #[command(after_long_help = crate::crawl::AFTER_LONG)]
    Crawl(Box<crate::crawl::Words>),
    /// Write the completion script of a shell to stdout
    Completions(Completions),
    /// Write the manual page to stdout, in roff
    Man(Man),
}

/// `run`: a load, and what is made of it.
#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) load: Load,
    #[command(flatten)]
    pub(crate) output: Output,
    /// Plain lines of progress even on a terminal
    #[arg(long, help_heading = "Result")]
    pub(crate) no_tui: bool,
    /// Keep the run in the history under this name, for `warwolf history`
    #[arg(long, value_name = "NAME", help_heading = "Result")]
    pub(crate) keep: Option<String>,
    #[command(flatten)]
    pub(crate) database: crate::history::words::Database,
    /// Do only part I of N of the load; `warwolf merge` adds the parts up
    #[arg(long, value_name = "I/N", help_heading = "Machine")]
    pub(crate) shard: Option<String>,
}

/// `report`: a run file, and what is made of it.
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The run file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) output: Output,
    /// One chart of the page, as SVG on stdout: percentiles, histogram, latency, rate, errors, phases, lag, in-flight
    #[arg(long, value_name = "NAME", help_heading = "Result", conflicts_with = "format")]
    pub(crate) chart: Option<String>,
    /// A promise to judge instead of the plan's: p99<200ms; can be given several times
    #[arg(long, value_name = "SLO", help_heading = "Result", value_delimiter = '\n')]
    pub(crate) slo: Vec<String>,
}

/// `merge`: run files, and where their sum goes.
#[derive(Debug, Args)]
pub(crate) struct Merge {
    /// The run files
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Where their sum goes: a run file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// `explain`: a load, printed.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) load: Load,
    /// How the plan is written
    #[arg(long, value_name = "FORMAT", default_value = "toml")]
    pub(crate) format: PlanFormat,
    /// Leave out the description on stderr
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// How a plan is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlanFormat {
    /// TOML
    Toml,
    /// JSON
    Json,
}

/// `completions`: which shell.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// `man`: of which command.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// A command, such as `run`; without one, the page of the whole program
    pub(crate) command: Option<String>,
}

/// Everything that ends up in the plan.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Load")]
pub(crate) struct Load {
    /// What to load: http:// and https:// URLs; one without a scheme is http
    #[arg(value_name = "URL", help_heading = "Target")]
    pub(crate) url: Vec<String>,

    /// Read URLs from a file, one a line, as well ("-" is stdin)
    ///
    /// One request a line: URL, METHOD URL BODY or URL METHOD BODY. Empty lines and lines that begin with # are left out.
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    pub(crate) urls: Option<PathBuf>,

    /// Users who follow links, by a click model that `warwolf crawl --clicks` wrote ("-" is stdin)
    ///
    /// A visit begins at the first page. From each page a user takes one of its links, all alike, after a think time
    /// (exponential:3s unless --think says another); from a page without links he begins again. With --rate, each arrival is a
    /// visit.
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    pub(crate) clicks: Option<PathBuf>,

    /// Pages of a visit: on average in a closed loop, exactly with --rate [default: 10]
    #[arg(long, value_name = "N", help_heading = "Target")]
    pub(crate) visit: Option<String>,

    /// Which URL comes next
    #[arg(long, value_name = "ORDER", help_heading = "Target")]
    pub(crate) order: Option<OrderWord>,

    /// Run a plan written by `warwolf explain`, instead of flags ("-" is stdin)
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    pub(crate) plan: Option<PathBuf>,

    /// Users in a closed loop, each with a connection [default: 50]; with --rate, connections at the most
    ///
    /// Each user sends the next request when the reply to the last has come. With --rate and without this option,
    /// connections grow as needed, up to 10,000 or what the descriptor limit allows.
    #[arg(short, long, value_name = "N")]
    pub(crate) connections: Option<String>,

    /// Stop after this many requests: 200, 10k, 1.5m
    ///
    /// With --duration as well, at whichever comes first.
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) requests: Option<String>,

    /// Stop after this time, warm-up included [default: 10s, unless something else ends the run]
    #[arg(short, long, value_name = "TIME", short_alias = 'z')]
    pub(crate) duration: Option<String>,

    /// Open loop: requests a second in all, whatever the server does: 500/s, 10/ms, 30/m
    ///
    /// Latency is counted from when each request was due, so that a slow server cannot hide behind requests that it kept
    /// from being sent. The rate is the total, not per connection or thread.
    #[arg(short, long, value_name = "RATE", short_alias = 'q')]
    pub(crate) rate: Option<String>,

    /// How requests follow each other in an open loop: constant, poisson, uniform:A,B, trace:FILE [default: constant]
    ///
    /// constant is evenly; poisson independently of each other, with --rate as the mean; uniform:A,B with gaps drawn evenly
    /// from A to B, instead of --rate; trace:FILE at the times in a file, one a line from the start of the run, instead of
    /// --rate.
    #[arg(long, value_name = "HOW")]
    pub(crate) arrivals: Option<String>,

    /// Change the rate evenly: FROM:TO:TIME; or TIME alone, over which the users of a closed loop start
    ///
    /// FROM:TO:TIME, such as 100/s:2k/s:30s, is an open loop; after the time given its rate stays.
    #[arg(long, value_name = "RAMP")]
    pub(crate) ramp: Option<String>,

    /// Rates one after the other: 500x10s,1000x10s
    #[arg(long, value_name = "STEPS")]
    pub(crate) steps: Option<String>,

    /// In an open loop, requests come in groups of this many at the same instant; the rate stays
    #[arg(long, value_name = "N")]
    pub(crate) burst: Option<String>,

    /// Pause between a user's requests: 1s, uniform:1s,3s, exponential:2s
    #[arg(long, value_name = "TIME")]
    pub(crate) think: Option<String>,

    /// Time at the start of the duration that is kept in the timeline but not in the figures
    ///
    /// It is part of --duration: `-d 30s --warmup 5s` runs for 30 s and measures the last 25.
    #[arg(long, value_name = "TIME")]
    pub(crate) warmup: Option<String>,

    /// At the end, let requests in flight go on for this long before they are cut [default: 0s]
    #[arg(long, value_name = "TIME")]
    pub(crate) grace: Option<String>,

    /// Number from which every random choice is made; without it one is chosen and printed
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<String>,

    #[command(flatten)]
    pub(crate) request: RequestWords,
    #[command(flatten)]
    pub(crate) connection: ConnectionWords,
    #[command(flatten)]
    pub(crate) tls: TlsWords,
    #[command(flatten)]
    pub(crate) machine: MachineWords,

    /// A promise to hold: p99<200ms, errors<0.1%, rps>=4900; can be given several times
    ///
    /// Also in the words of other tools: p(95)<200 is milliseconds. When one does not hold, the exit code is 99.
    #[arg(long, value_name = "SLO", help_heading = "Result", value_delimiter = '\n')]
    pub(crate) slo: Vec<String>,
}

/// What each request says.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Request")]
pub(crate) struct RequestWords {
    /// Method [default: GET, or POST with --body]
    #[arg(short, long, value_name = "METHOD")]
    pub(crate) method: Option<String>,

    /// Header field, such as 'Accept: text/html'; can be given several times
    #[arg(short = 'H', long, value_name = "FIELD", value_delimiter = '\n')]
    pub(crate) header: Vec<String>,

    /// Body, or @FILE for the content of a file
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) body: Option<String>,

    /// Content-Type of the body
    #[arg(short = 'T', long, value_name = "TYPE")]
    pub(crate) content_type: Option<String>,

    /// Accept header
    #[arg(short = 'A', long, value_name = "TYPES")]
    pub(crate) accept: Option<String>,

    /// Name and password for basic authentication
    #[arg(short, long, value_name = "NAME:PASSWORD")]
    pub(crate) auth: Option<String>,

    /// Keep cookies, each user or session its own
    #[arg(long)]
    pub(crate) cookies: bool,

    /// Follow redirects, at most this many in a row; each is a request of its own [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) follow: Option<String>,
}

/// How connections are made and used.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct ConnectionWords {
    /// Time for a whole request, from when it has a connection to the last byte; 0 is no limit [default: 30s]
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,

    /// Time for TCP and TLS to connect; 0 is no limit [default: 10s]
    #[arg(long, value_name = "TIME")]
    pub(crate) connect_timeout: Option<String>,

    /// Speak HTTP/1.0
    #[arg(long = "http1.0")]
    pub(crate) http10: bool,

    /// Speak HTTP/1.1 (the default)
    #[arg(long)]
    pub(crate) http1: bool,

    /// Speak HTTP/2 (not built yet)
    #[arg(long, hide = true)]
    pub(crate) http2: bool,

    /// Speak HTTP/3 (not built yet)
    #[arg(long, hide = true)]
    pub(crate) http3: bool,

    /// Streams at once on a connection, with HTTP/2 and HTTP/3 (not built yet)
    #[arg(short = 'p', long, value_name = "N", hide = true)]
    pub(crate) streams: Option<String>,

    /// A new connection for every request
    #[arg(long)]
    pub(crate) disable_keepalive: bool,

    /// Requests each user sends on its connection before it waits for the replies [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) pipeline: Option<String>,

    /// HTTP proxy: HOST:PORT or NAME:PASSWORD@HOST:PORT
    #[arg(short = 'x', long, value_name = "PROXY")]
    pub(crate) proxy: Option<String>,

    /// Use this address for a host and port: HOST:PORT:ADDRESS; can be given several times
    #[arg(long, value_name = "WHAT", value_delimiter = '\n')]
    pub(crate) resolve: Vec<String>,

    /// Connect to this Unix socket, whatever the URL's host says
    #[arg(long, value_name = "PATH")]
    pub(crate) unix_socket: Option<PathBuf>,

    /// Source addresses, taken in turn: more of them pass the limit of some 28,000 ports; commas between them
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
    pub(crate) bind: Vec<String>,

    /// Use only IPv4 addresses
    #[arg(short = '4', long)]
    pub(crate) ipv4: bool,

    /// Use only IPv6 addresses
    #[arg(short = '6', long)]
    pub(crate) ipv6: bool,

    /// Let the kernel hold back small packets (no TCP_NODELAY)
    #[arg(long)]
    pub(crate) nagle: bool,

    /// Kernel send buffer of each connection: 64k
    #[arg(long, value_name = "BYTES")]
    pub(crate) send_buffer: Option<String>,

    /// Kernel receive buffer of each connection: 64k
    #[arg(long, value_name = "BYTES")]
    pub(crate) receive_buffer: Option<String>,

    /// Close with a reset, which leaves no port in TIME_WAIT
    #[arg(long)]
    pub(crate) close_with_reset: bool,
}

/// How https is spoken.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "TLS")]
pub(crate) struct TlsWords {
    /// Accept any certificate
    #[arg(short = 'k', long)]
    pub(crate) insecure: bool,

    /// Trust the certificates in this PEM file, instead of the system's
    #[arg(long, value_name = "FILE")]
    pub(crate) cacert: Option<PathBuf>,

    /// Our certificate chain, PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) cert: Option<PathBuf>,

    /// The key of --cert, PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,

    /// Lowest TLS version: 1.2 or 1.3 [default: 1.2]
    #[arg(long, value_name = "VERSION")]
    pub(crate) tls_min: Option<String>,

    /// Highest TLS version: 1.2 or 1.3 [default: 1.3]
    #[arg(long, value_name = "VERSION")]
    pub(crate) tls_max: Option<String>,

    /// Cipher suites to offer, by IANA or OpenSSL name; commas between them
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) ciphers: Vec<String>,

    /// Make a full handshake every time
    #[arg(long)]
    pub(crate) no_resumption: bool,

    /// Name to send and to find in the certificate, instead of the URL's host
    #[arg(long, value_name = "NAME")]
    pub(crate) server_name: Option<String>,
}

/// How this machine makes the load.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Machine")]
pub(crate) struct MachineWords {
    /// Worker threads [default: as suits the machine and the load]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<String>,

    /// Kernel interface [default: uring where the kernel allows it, else epoll]
    #[arg(long, value_name = "DRIVER")]
    pub(crate) driver: Option<DriverWord>,

    /// What a thread does while nothing is due: block (sleep) or spin (a busy core, for lag in microseconds) [default: block]
    #[arg(long, value_name = "HOW", hide_possible_values = true)]
    pub(crate) idle: Option<IdleWord>,
}

/// Which URL comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OrderWord {
    /// One after the other, over all users (the default)
    Sequential,
    /// Drawn evenly
    Random,
}

/// Kernel interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DriverWord {
    /// io_uring, or an error where it cannot be had
    Uring,
    /// epoll
    Epoll,
}

/// What a thread does while nothing is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IdleWord {
    /// Sleep in the kernel
    Block,
    /// Poll without sleeping
    Spin,
}

/// Where the result goes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Result")]
pub(crate) struct Output {
    /// Keep the result in a file, as its extension says; can be given several times
    ///
    /// .wwr is the whole run, for `warwolf report`; .html, .json, .csv (intervals), .md, .xml (JUnit) and .txt are reports. The
    /// file is opened before the run starts, so that nothing is lost to a mistyped path.
    #[arg(short, long, value_name = "FILE", value_delimiter = '\n')]
    pub(crate) output: Vec<PathBuf>,

    /// What goes to stdout [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<FormatWord>,

    /// Exit with 96 when the verdict is not VALID
    #[arg(long)]
    pub(crate) strict: bool,

    /// Nothing on stderr but errors
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// How a result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatWord {
    /// The report as text
    Text,
    /// The report as JSON
    Json,
    /// The intervals as CSV
    Csv,
    /// The report as one HTML page, with charts
    Html,
    /// The report as Markdown
    Markdown,
    /// The verdict and the SLOs as JUnit XML
    Junit,
}

const AFTER: &str = "Every option is also an environment variable: --connect-timeout is WARWOLF_CONNECT_TIMEOUT.\n\
                     --help says more, and has examples.";

const AFTER_LONG: &str = "\
Times, rates, sizes:
  Times carry a unit (250ms, 10s, 5m); a bare number is seconds. Rates are per second unless they say otherwise.
  Counts take k and m for thousands and millions, sizes take k, m and g for powers of 1,024.

Environment:
  Every option is also an environment variable: --connect-timeout is WARWOLF_CONNECT_TIMEOUT, --quiet is
  WARWOLF_QUIET=1. Options that can be given several times take one value a line. The command line wins.
  NO_COLOR turns colours off, CLICOLOR_FORCE=1 turns them on.

Signals:
  Ctrl-C (or SIGTERM) stops the run and reports; a second one does not wait for requests in flight.

Exit codes:
  0 well; 1 could not run, or no request succeeded; 2 usage; 96 not trustworthy, with --strict;
  97 B is worse than A (compare); 99 an SLO failed; 130 interrupted, after reporting

Examples:
  warwolf run http://127.0.0.1:8080/
  warwolf run -c 200 -d 1m --warmup 10s https://example.test/ https://example.test/about
  warwolf run -r 500/s --arrivals poisson -d 1m --slo 'p99<200ms' --slo 'errors<0.1%' https://example.test/
  warwolf run -n 10k -m PUT -b @order.json -T application/json -o result.json https://example.test/orders";

/// The command line as clap has it, every option with its environment variable.
pub(crate) fn command() -> clap::Command {
    Program::command().mut_subcommands(|command| match command.get_name() {
        "run" | "explain" | "report" | "compare" | "sweep" | "capacity" | "replay" => {
            with_environment(command)
        }
        _ => command,
    })
}

fn with_environment(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| {
        let Some(variable) = arg.get_long().map(variable) else { return arg };
        let arg = match arg.get_action() {
            ArgAction::SetTrue => arg.value_parser(BoolishValueParser::new()),
            ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version => return arg,
            _ => arg,
        };
        arg.env(variable).hide_env(true)
    })
}

/// The environment variable that means the same as `--long`.
pub(crate) fn variable(long: &str) -> String {
    format!("WARWOLF_{}", long.to_uppercase().replace(['-', '.'], "_"))
}

/// Puts `run` before words that begin with no command, so that a bare `warwolf URL…` means run. A first word that could
/// be a mistyped command is left for clap to name. `help COMMAND` is `COMMAND --help`.
pub(crate) fn with_command<T: Into<std::ffi::OsString>>(
    words: impl IntoIterator<Item = T>,
) -> Vec<std::ffi::OsString> {
    let mut words: Vec<std::ffi::OsString> = words.into_iter().map(Into::into).collect();
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        words.push("--help".into());
    }
    let Some(first) = words.get(1).and_then(|word| word.to_str()) else { return words };
    let means_run = match first {
        "-h" | "--help" | "-V" | "--version" => false,
        "localhost" => true,
        word => word.starts_with('-') || word.contains([':', '/', '.']),
    };
    if means_run {
        words.insert(1, "run".into());
    }
    words
}
