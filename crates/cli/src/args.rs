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
    about = "Load tester for HTTP servers that accounts for every request and reports whether its results are reliable",
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
    /// Load a server; `warwolf URL…` means the same
    #[command(after_help = AFTER, after_long_help = AFTER_LONG)]
    Run(Box<Run>),
    /// Print the plan of a command line without running it
    ///
    /// Prints the plan to stdout, and a description to stderr. `warwolf run --plan FILE` runs a plan.
    Explain(Box<Explain>),
    /// Print the report of a run file in any format
    ///
    /// `warwolf run -o FILE.wwr` writes run files ("-" means stdin). Exit codes are those of `run`.
    Report(Box<Report>),
    /// Merge the run files of several machines that used --shard
    Merge(Merge),
    /// Compare A and B: is B slower, by how much, and is the difference significant
    ///
    /// `warwolf compare A B`: two URLs or two plans, which are measured alternately (A B B A), or two run files. The options of
    /// `run` define the load. --duration is the total time of both (default 2m). Exit code 97: B is worse by more than allowed.
    Compare(Box<crate::experiment::words::Compare>),
    /// Run a load for every combination of settings; prints a table and plots
    Sweep(Box<crate::experiment::words::Sweep>),
    /// Search for the highest rate that meets all SLOs (--slo)
    ///
    /// --duration is the time per rate (default 10s); a fifth of it is warm-up. Exit code 99: no rate meets the SLOs.
    Capacity(Box<crate::experiment::words::Capacity>),
    /// Replay the requests of an access log at the original times, at a rate, or by users
    ///
    /// `warwolf replay access.log.gz --to http://127.0.0.1:8080/`; `-` means stdin. Formats: common, combined, Squid native, JSON
    /// lines and HAR, optionally compressed with gzip. --rate replaces the original times, --closed uses a closed loop of users
    /// (-c).
    Replay(Box<crate::replay::words::Replay>),
    /// Manage runs saved with `run --keep NAME`: list, show, trend, compare, tag, prune
    History(Box<crate::history::words::History>),
    /// Start the built-in test server with configurable delays and faults
    ///
    /// Prints its addresses to stdout and serves until it is interrupted. Options apply to all requests; parameters of the same
    /// names in a query string apply to one request: `--delay exp:10ms` and `/?delay=exp:10ms`.
    #[command(after_long_help = warwolf_target::GRAMMAR)]
    Target(Box<warwolf_target::Options>),
    /// Fuzz a server: find requests that it answers incorrectly or that make it fail
    ///
    /// Sends generated requests under load: unusual queries, paths, headers and bodies, invalid framing, lengths close to buffer
    /// sizes. A request that fails is sent again alone, shrunk to the smallest request with the same failure, and printed with a
    /// command that reproduces it. Failures are a status of 500 or more (except 501 and 505), a missing, incomplete or malformed
    /// response, a dropped connection, a TLS alert, and a server that is down or remains slow. Only local and private addresses
    /// are allowed by default.
    #[command(after_long_help = crate::torture::AFTER_LONG)]
    Torture(Box<crate::torture::Words>),
    /// Crawl a site: list its URLs and the links between its pages
    ///
    /// Follows links breadth-first within one scheme, host and port, obeys robots.txt and a rate limit, and ignores forms. The
    /// list of URLs is for `warwolf run --urls`, siege and http_load; the click model for `warwolf run --clicks`.
    #[command(after_long_help = crate::crawl::AFTER_LONG)]
    Crawl(Box<crate::crawl::Words>),
    /// Print the completion script of a shell
    Completions(Completions),
    /// Print the manual page in roff format
    Man(Man),
}

/// `run`: a load, and what is made of it.
#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) load: Load,
    #[command(flatten)]
    pub(crate) output: Output,
    /// Print progress as plain lines, even on a terminal
    #[arg(long, help_heading = "Result")]
    pub(crate) no_tui: bool,
    /// Save the run in the history under this name, for `warwolf history`
    #[arg(long, value_name = "NAME", help_heading = "Result")]
    pub(crate) keep: Option<String>,
    #[command(flatten)]
    pub(crate) database: crate::history::words::Database,
    /// Generate only part I of N of the load; `warwolf merge` combines the parts
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
    /// Print one chart of the HTML report as SVG: percentiles, histogram, latency, rate, errors, phases, lag, in-flight
    #[arg(long, value_name = "NAME", help_heading = "Result", conflicts_with = "format")]
    pub(crate) chart: Option<String>,
    /// SLO to check instead of those of the plan: p99<200ms; may be repeated
    #[arg(long, value_name = "SLO", help_heading = "Result", value_delimiter = '\n')]
    pub(crate) slo: Vec<String>,
}

/// `merge`: run files, and where their sum goes.
#[derive(Debug, Args)]
pub(crate) struct Merge {
    /// The run files
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Run file to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// `explain`: a load, printed.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) load: Load,
    /// Format of the plan
    #[arg(long, value_name = "FORMAT", default_value = "toml")]
    pub(crate) format: PlanFormat,
    /// Print no description on stderr
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
    /// A command, such as `run`; by default the page of the whole program
    pub(crate) command: Option<String>,
}

/// Everything that ends up in the plan.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Load")]
pub(crate) struct Load {
    /// http:// and https:// URLs to request; the default scheme is http
    #[arg(value_name = "URL", help_heading = "Target")]
    pub(crate) url: Vec<String>,

    /// Also read URLs from a file, one per line ("-" means stdin)
    ///
    /// One request per line: URL, METHOD URL BODY or URL METHOD BODY. Empty lines and lines that start with # are ignored.
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    pub(crate) urls: Option<PathBuf>,

    /// Simulate users who follow links, with a click model written by `warwolf crawl --clicks` ("-" means stdin)
    ///
    /// A visit starts at the first page. After a think time (--think, default exponential:3s) the user follows a random link of
    /// the page; from a page without links the user starts again. With --rate, each arrival is a visit.
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    pub(crate) clicks: Option<PathBuf>,

    /// Number of pages per visit: the average in a closed loop, the exact number with --rate [default: 10]
    #[arg(long, value_name = "N", help_heading = "Target")]
    pub(crate) visit: Option<String>,

    /// Order of the URLs
    #[arg(long, value_name = "ORDER", help_heading = "Target")]
    pub(crate) order: Option<OrderWord>,

    /// Run a plan written by `warwolf explain`, instead of options ("-" means stdin)
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    pub(crate) plan: Option<PathBuf>,

    /// Number of users in a closed loop, each with a connection [default: 50]; with --rate, maximum number of connections
    ///
    /// Each user sends the next request when the previous response is complete. With --rate and without this option,
    /// connections are opened as needed, up to 10,000 or the descriptor limit.
    #[arg(short, long, value_name = "N")]
    pub(crate) connections: Option<String>,

    /// Stop after this number of requests: 200, 10k, 1.5m
    ///
    /// With --duration, the first limit that is reached ends the run.
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) requests: Option<String>,

    /// Stop after this time, including warm-up [default: 10s, unless another option ends the run]
    #[arg(short, long, value_name = "TIME", short_alias = 'z')]
    pub(crate) duration: Option<String>,

    /// Open loop: total rate of requests, independent of the server: 500/s, 10/ms, 30/m
    ///
    /// Latency is measured from the scheduled time of each request, so that a slow server cannot hide the requests that it
    /// delayed. The rate is the total, not per connection or thread.
    #[arg(short, long, value_name = "RATE", short_alias = 'q')]
    pub(crate) rate: Option<String>,

    /// Arrival process of an open loop: constant, poisson, uniform:A,B, trace:FILE [default: constant]
    ///
    /// constant: equal gaps; poisson: random, independent arrivals with --rate as the mean; uniform:A,B: random gaps from A to B,
    /// instead of --rate; trace:FILE: the times in a file, one per line, relative to the start of the run, instead of --rate.
    #[arg(long, value_name = "HOW")]
    pub(crate) arrivals: Option<String>,

    /// Change the rate linearly: FROM:TO:TIME; in a closed loop TIME alone: start the users over this time
    ///
    /// FROM:TO:TIME, such as 100/s:2k/s:30s, is an open loop; afterwards the rate stays at TO.
    #[arg(long, value_name = "RAMP")]
    pub(crate) ramp: Option<String>,

    /// Sequence of rates: 500x10s,1000x10s
    #[arg(long, value_name = "STEPS")]
    pub(crate) steps: Option<String>,

    /// In an open loop, send this number of requests at the same instant; the total rate stays the same
    #[arg(long, value_name = "N")]
    pub(crate) burst: Option<String>,

    /// Pause between the requests of a user: 1s, uniform:1s,3s, exponential:2s
    #[arg(long, value_name = "TIME")]
    pub(crate) think: Option<String>,

    /// Time at the start that is excluded from the figures, but not from the timeline
    ///
    /// It is part of --duration: `-d 30s --warmup 5s` runs for 30 s and measures the last 25 s.
    #[arg(long, value_name = "TIME")]
    pub(crate) warmup: Option<String>,

    /// At the end, wait this long for requests in flight [default: 0s]
    #[arg(long, value_name = "TIME")]
    pub(crate) grace: Option<String>,

    /// Seed of all random choices; by default a seed is chosen and printed
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

    /// Service level objective: p99<200ms, errors<0.1%, rps>=4900; may be repeated
    ///
    /// The syntax of other tools is accepted, too: p(95)<200 is in milliseconds. If an SLO is not met, the exit code is 99.
    #[arg(long, value_name = "SLO", help_heading = "Result", value_delimiter = '\n')]
    pub(crate) slo: Vec<String>,
}

/// Content of the requests.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Request")]
pub(crate) struct RequestWords {
    /// Method [default: GET, or POST with --body]
    #[arg(short, long, value_name = "METHOD")]
    pub(crate) method: Option<String>,

    /// Header field, such as 'Accept: text/html'; may be repeated
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

    /// Store cookies, separately for each user or session
    #[arg(long)]
    pub(crate) cookies: bool,

    /// Follow at most this number of consecutive redirects; each counts as a request [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) follow: Option<String>,
}

/// How connections are made and used.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct ConnectionWords {
    /// Timeout of a request, from when it has a connection to the last byte; 0 means no limit [default: 30s]
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,

    /// Timeout of connecting, including TLS; 0 means no limit [default: 10s]
    #[arg(long, value_name = "TIME")]
    pub(crate) connect_timeout: Option<String>,

    /// Use HTTP/1.0
    #[arg(long = "http1.0")]
    pub(crate) http10: bool,

    /// Use HTTP/1.1 (the default)
    #[arg(long)]
    pub(crate) http1: bool,

    /// Use HTTP/2 (not available yet)
    #[arg(long, hide = true)]
    pub(crate) http2: bool,

    /// Use HTTP/3 (not available yet)
    #[arg(long, hide = true)]
    pub(crate) http3: bool,

    /// Concurrent streams per connection with HTTP/2 and HTTP/3 (not available yet)
    #[arg(short = 'p', long, value_name = "N", hide = true)]
    pub(crate) streams: Option<String>,

    /// Open a new connection for every request
    #[arg(long)]
    pub(crate) disable_keepalive: bool,

    /// Number of pipelined requests per connection [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) pipeline: Option<String>,

    /// HTTP proxy: HOST:PORT or NAME:PASSWORD@HOST:PORT
    #[arg(short = 'x', long, value_name = "PROXY")]
    pub(crate) proxy: Option<String>,

    /// Use this address for a host and port: HOST:PORT:ADDRESS; may be repeated
    #[arg(long, value_name = "WHAT", value_delimiter = '\n')]
    pub(crate) resolve: Vec<String>,

    /// Connect to this Unix socket instead of the host of the URL
    #[arg(long, value_name = "PATH")]
    pub(crate) unix_socket: Option<PathBuf>,

    /// Source addresses, comma-separated, used in turn; each provides about 28,000 ports
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
    pub(crate) bind: Vec<String>,

    /// Use only IPv4 addresses
    #[arg(short = '4', long)]
    pub(crate) ipv4: bool,

    /// Use only IPv6 addresses
    #[arg(short = '6', long)]
    pub(crate) ipv6: bool,

    /// Let the kernel delay small packets (no TCP_NODELAY)
    #[arg(long)]
    pub(crate) nagle: bool,

    /// Size of the kernel's send buffer per connection: 64k
    #[arg(long, value_name = "BYTES")]
    pub(crate) send_buffer: Option<String>,

    /// Size of the kernel's receive buffer per connection: 64k
    #[arg(long, value_name = "BYTES")]
    pub(crate) receive_buffer: Option<String>,

    /// Close connections with a reset, so that no port stays in TIME_WAIT
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

    /// Trust the certificates in this PEM file instead of those of the system
    #[arg(long, value_name = "FILE")]
    pub(crate) cacert: Option<PathBuf>,

    /// Client certificate chain, PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) cert: Option<PathBuf>,

    /// Private key of --cert, PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,

    /// Lowest TLS version: 1.2 or 1.3 [default: 1.2]
    #[arg(long, value_name = "VERSION")]
    pub(crate) tls_min: Option<String>,

    /// Highest TLS version: 1.2 or 1.3 [default: 1.3]
    #[arg(long, value_name = "VERSION")]
    pub(crate) tls_max: Option<String>,

    /// Cipher suites to offer, comma-separated IANA or OpenSSL names
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) ciphers: Vec<String>,

    /// Never resume TLS sessions
    #[arg(long)]
    pub(crate) no_resumption: bool,

    /// Server name to send and to verify instead of the host of the URL
    #[arg(long, value_name = "NAME")]
    pub(crate) server_name: Option<String>,
}

/// How this machine makes the load.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Machine")]
pub(crate) struct MachineWords {
    /// Number of worker threads [default: depends on the machine and the load]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<String>,

    /// Kernel interface [default: uring if the kernel allows it, else epoll]
    #[arg(long, value_name = "DRIVER")]
    pub(crate) driver: Option<DriverWord>,

    /// How an idle thread waits: block (sleep) or spin (poll continuously, for a lag of microseconds) [default: block]
    #[arg(long, value_name = "HOW", hide_possible_values = true)]
    pub(crate) idle: Option<IdleWord>,
}

/// Which URL comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OrderWord {
    /// In turn, across all users (the default)
    Sequential,
    /// At random
    Random,
}

/// Kernel interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DriverWord {
    /// io_uring, or an error if it is not available
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
    /// Write the result to a file; the extension selects the format; may be repeated
    ///
    /// .wwr is a run file with all data, for `warwolf report`; .html, .json, .csv (intervals), .md, .xml (JUnit) and .txt are
    /// reports. The file is opened before the run starts, so that a mistyped path loses no result.
    #[arg(short, long, value_name = "FILE", value_delimiter = '\n')]
    pub(crate) output: Vec<PathBuf>,

    /// Format of the report on stdout [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<FormatWord>,

    /// Exit with 96 if the verdict is not VALID
    #[arg(long)]
    pub(crate) strict: bool,

    /// Print only errors on stderr
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

const AFTER: &str = "Every option can be set by an environment variable: --connect-timeout by WARWOLF_CONNECT_TIMEOUT.\n\
                     --help prints details and examples.";

const AFTER_LONG: &str = "\
Times, rates, sizes:
  Times have a unit (250ms, 10s, 5m); a bare number is in seconds. Rates are per second unless a unit is given.
  In counts, k and m mean thousands and millions; in sizes, k, m and g are powers of 1,024.

Environment:
  Every option can be set by an environment variable: --connect-timeout by WARWOLF_CONNECT_TIMEOUT, --quiet by
  WARWOLF_QUIET=1. Options that may be repeated take one value per line. The command line has precedence.
  NO_COLOR disables colors, CLICOLOR_FORCE=1 enables them.

Signals:
  Ctrl-C (or SIGTERM) stops the run and prints the report; a second one does not wait for requests in flight.

Exit codes:
  0 success; 1 the run failed, or no request succeeded; 2 usage error; 96 the verdict is not VALID (with --strict);
  97 B is worse than A (compare); 99 an SLO is not met; 130 interrupted; the report was printed

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
