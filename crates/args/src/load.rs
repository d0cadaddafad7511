//! The load: everything that ends up in the plan. Values stay text until [`crate::plan()`] reads them, so that every message
//! about them comes from one place.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Everything that ends up in the plan.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Load")]
pub struct Load {
    /// http:// and https:// URLs to request; the default scheme is http. Or Hurl files: each is a scenario of the sessions
    #[arg(value_name = "URL", help_heading = "Target")]
    pub url: Vec<String>,

    /// Variable of Hurl files: NAME=VALUE; may be repeated
    #[arg(long, value_name = "VARIABLE", help_heading = "Target", value_delimiter = '\n')]
    pub variable: Vec<String>,

    /// Also read variables of Hurl files from a file: NAME=VALUE, one per line
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    pub variables_file: Option<PathBuf>,

    /// Folder of the files that Hurl files name [default: that of each Hurl file]
    #[arg(long, value_name = "FOLDER", help_heading = "Target")]
    pub file_root: Option<PathBuf>,

    /// Also read URLs from a file, one per line ("-" means stdin)
    ///
    /// One request per line: URL, METHOD URL BODY or URL METHOD BODY. Empty lines and lines that start with # are ignored.
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    pub urls: Option<PathBuf>,

    /// Simulate users who follow links, with a click model written by `warwolf crawl --clicks` ("-" means stdin)
    ///
    /// A visit starts at the first page. After a think time (--think, default exponential:3s) the user follows a random link of
    /// the page; from a page without links the user starts again. With --rate, each arrival is a visit.
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    pub clicks: Option<PathBuf>,

    /// Number of pages per visit: the average in a closed loop, the exact number with --rate [default: 10]
    #[arg(long, value_name = "N", help_heading = "Target")]
    pub visit: Option<String>,

    /// Fill {{column}} in URLs, header fields and the body with the rows of a CSV file or JSON lines: FILE or FILE:TAKE
    ///
    /// Each request takes a row. TAKE: in_order (the default), random, shuffled, or unique: no row twice, and the run ends when the
    /// rows are used up. Without a file: {{int:1,1000}} is a random number, {{seq}} the number of the request, {{uuid}}, {{now}},
    /// {{env:NAME}}; \\{{ is two braces as they are.
    #[arg(long, value_name = "FILE", help_heading = "Target", value_delimiter = '\n')]
    pub data: Vec<String>,

    /// Count requests whose path matches in one row of this name: '/item/*=item'; may be repeated
    #[arg(long, value_name = "PATH=NAME", help_heading = "Target", value_delimiter = '\n')]
    pub label: Vec<String>,

    /// Order of the URLs
    #[arg(long, value_name = "ORDER", help_heading = "Target")]
    pub order: Option<OrderWord>,

    /// Run a plan written by `warwolf explain`, instead of options ("-" means stdin)
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    pub plan: Option<PathBuf>,

    /// Number of users in a closed loop, each with a connection [default: 50]; with --rate, maximum number of connections
    ///
    /// Each user sends the next request when the previous response is complete. With --rate and without this option,
    /// connections are opened as needed, up to 10,000 or the descriptor limit.
    #[arg(short, long, value_name = "N")]
    pub connections: Option<String>,

    /// Stop after this number of requests: 200, 10k, 1.5m
    ///
    /// With --duration, the first limit that is reached ends the run.
    #[arg(short = 'n', long, value_name = "N")]
    pub requests: Option<String>,

    /// Stop after this time, including warm-up [default: 10s, unless another option ends the run]
    #[arg(short, long, value_name = "TIME", short_alias = 'z')]
    pub duration: Option<String>,

    /// Open loop: total rate of requests, independent of the server: 500/s, 10/ms, 30/m
    ///
    /// Latency is measured from the scheduled time of each request, so that a slow server cannot hide the requests that it
    /// delayed. The rate is the total, not per connection or thread.
    #[arg(short, long, value_name = "RATE", short_alias = 'q')]
    pub rate: Option<String>,

    /// Arrival process of an open loop: constant, poisson, uniform:A,B, trace:FILE [default: constant]
    ///
    /// constant: equal gaps; poisson: random, independent arrivals with --rate as the mean; uniform:A,B: random gaps from A to B,
    /// instead of --rate; trace:FILE: the times in a file, one per line, relative to the start of the run, instead of --rate.
    #[arg(long, value_name = "HOW")]
    pub arrivals: Option<String>,

    /// Change the rate linearly: FROM:TO:TIME; in a closed loop TIME alone: start the users over this time
    ///
    /// FROM:TO:TIME, such as 100/s:2k/s:30s, is an open loop; afterwards the rate stays at TO.
    #[arg(long, value_name = "RAMP")]
    pub ramp: Option<String>,

    /// Sequence of rates: 500x10s,1000x10s
    #[arg(long, value_name = "STEPS")]
    pub steps: Option<String>,

    /// In an open loop, send this number of requests at the same instant; the total rate stays the same
    #[arg(long, value_name = "N")]
    pub burst: Option<String>,

    /// Pause between the requests of a user: 1s, uniform:1s,3s, exponential:2s
    #[arg(long, value_name = "TIME")]
    pub think: Option<String>,

    /// Time at the start that is excluded from the figures, but not from the timeline
    ///
    /// It is part of --duration: `-d 30s --warmup 5s` runs for 30 s and measures the last 25 s.
    #[arg(long, value_name = "TIME")]
    pub warmup: Option<String>,

    /// At the end, wait this long for requests in flight [default: 0s]
    #[arg(long, value_name = "TIME")]
    pub grace: Option<String>,

    /// Seed of all random choices; by default a seed is chosen and printed
    #[arg(long, value_name = "N")]
    pub seed: Option<String>,

    #[command(flatten)]
    pub request: RequestWords,
    #[command(flatten)]
    pub connection: ConnectionWords,
    #[command(flatten)]
    pub tls: TlsWords,
    #[command(flatten)]
    pub machine: MachineWords,

    /// Check each response: 'status == 200', 'body contains "ok"', 'json $.n >= 3', 'header ETag exists'; may be repeated
    ///
    /// A response that fails a check counts as completed, check failed. docs/plan.md has all conditions.
    #[arg(long, value_name = "CHECK", help_heading = "Result", value_delimiter = '\n')]
    pub check: Vec<String>,

    /// SLO: p99<200ms, errors<0.1%, rps>=4900; may be repeated
    ///
    /// The name of a step, group or scenario, or a URL, may come first: item: p99<200ms. The syntax of other tools is accepted, too:
    /// p(95)<200 is in milliseconds. If an SLO is not met, the exit code is 99.
    #[arg(long, value_name = "SLO", help_heading = "Result", value_delimiter = '\n')]
    pub slo: Vec<String>,
}

/// Content of the requests.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Request")]
pub struct RequestWords {
    /// Method [default: GET, or POST with --body]
    #[arg(short, long, value_name = "METHOD")]
    pub method: Option<String>,

    /// Header field, such as 'Accept: text/html'; may be repeated
    #[arg(short = 'H', long, value_name = "FIELD", value_delimiter = '\n')]
    pub header: Vec<String>,

    /// Body, or @FILE for the content of a file
    #[arg(short, long, value_name = "TEXT")]
    pub body: Option<String>,

    /// Content-Type of the body
    #[arg(short = 'T', long, value_name = "TYPE")]
    pub content_type: Option<String>,

    /// Accept header
    #[arg(short = 'A', long, value_name = "TYPES")]
    pub accept: Option<String>,

    /// Name and password for basic authentication
    #[arg(short, long, value_name = "NAME:PASSWORD")]
    pub auth: Option<String>,

    /// Store cookies, separately for each user or session
    #[arg(long)]
    pub cookies: bool,

    /// Follow at most this number of consecutive redirects; each counts as a request, besides those of -n [default: 0]
    #[arg(long, value_name = "N")]
    pub follow: Option<String>,
}

/// How connections are made and used.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Connection")]
pub struct ConnectionWords {
    /// Timeout of a request, from its start to the last byte, connecting included; 0 means no limit [default: 30s]
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,

    /// Timeout of connecting, including TLS; 0 means no limit [default: 10s]
    #[arg(long, value_name = "TIME")]
    pub connect_timeout: Option<String>,

    /// Use HTTP/1.0
    #[arg(long = "http1.0")]
    pub http10: bool,

    /// Use HTTP/1.1 (the default)
    #[arg(long)]
    pub http1: bool,

    /// Use HTTP/2 or HTTP/3 (not available yet)
    #[arg(long, hide = true, alias = "http3")]
    pub http2: bool,

    /// Open a new connection for every request
    #[arg(long)]
    pub disable_keepalive: bool,

    /// Number of pipelined requests per connection [default: 1]
    #[arg(long, value_name = "N")]
    pub pipeline: Option<String>,

    /// HTTP proxy: HOST:PORT or NAME:PASSWORD@HOST:PORT
    #[arg(short = 'x', long, value_name = "PROXY")]
    pub proxy: Option<String>,

    /// Use this address for a host and port: HOST:PORT:ADDRESS; may be repeated
    #[arg(long, value_name = "WHAT", value_delimiter = '\n')]
    pub resolve: Vec<String>,

    /// Connect to this Unix socket instead of the host of the URL
    #[arg(long, value_name = "PATH")]
    pub unix_socket: Option<PathBuf>,

    /// Source addresses, comma-separated, used in turn; each provides about 28,000 ports
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
    pub bind: Vec<String>,

    /// Use only IPv4 addresses
    #[arg(short = '4', long)]
    pub ipv4: bool,

    /// Use only IPv6 addresses
    #[arg(short = '6', long)]
    pub ipv6: bool,

    /// Let the kernel delay small packets (no TCP_NODELAY)
    #[arg(long)]
    pub nagle: bool,

    /// Size of the kernel's send buffer per connection: 64k
    #[arg(long, value_name = "BYTES")]
    pub send_buffer: Option<String>,

    /// Size of the kernel's receive buffer per connection: 64k
    #[arg(long, value_name = "BYTES")]
    pub receive_buffer: Option<String>,

    /// Close connections with a reset, so that no port stays in TIME_WAIT
    #[arg(long)]
    pub close_with_reset: bool,
}

/// How https is spoken.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "TLS")]
pub struct TlsWords {
    /// Accept any certificate
    #[arg(short = 'k', long)]
    pub insecure: bool,

    /// Trust the certificates in this PEM file instead of those of the system
    #[arg(long, value_name = "FILE")]
    pub cacert: Option<PathBuf>,

    /// Client certificate chain, PEM
    #[arg(long, value_name = "FILE")]
    pub cert: Option<PathBuf>,

    /// Private key of --cert, PEM
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,

    /// Lowest TLS version: 1.2 or 1.3 [default: 1.2]
    #[arg(long, value_name = "VERSION")]
    pub tls_min: Option<String>,

    /// Highest TLS version: 1.2 or 1.3 [default: 1.3]
    #[arg(long, value_name = "VERSION")]
    pub tls_max: Option<String>,

    /// Cipher suites to offer, comma-separated IANA or OpenSSL names
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub ciphers: Vec<String>,

    /// Never resume TLS sessions
    #[arg(long)]
    pub no_resumption: bool,

    /// Server name to send and to verify instead of the host of the URL
    #[arg(long, value_name = "NAME")]
    pub server_name: Option<String>,
}

/// How this machine makes the load.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Machine")]
pub struct MachineWords {
    /// Number of worker threads [default: depends on the machine and the load]
    #[arg(long, value_name = "N")]
    pub threads: Option<String>,

    /// Kernel interface [default: uring if the kernel allows it, else epoll]
    #[arg(long, value_name = "DRIVER")]
    pub driver: Option<DriverWord>,

    /// How an idle thread waits: block (sleep) or spin (poll continuously, for a lag of microseconds) [default: block]
    #[arg(long, value_name = "HOW", hide_possible_values = true)]
    pub idle: Option<IdleWord>,
}

/// Which URL comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OrderWord {
    /// In turn, across all users (the default)
    Sequential,
    /// At random
    Random,
}

/// Kernel interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DriverWord {
    /// io_uring, or an error if it is not available
    Uring,
    /// epoll
    Epoll,
}

/// What a thread does while nothing is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IdleWord {
    /// Sleep in the kernel
    Block,
    /// Poll without sleeping
    Spin,
}
