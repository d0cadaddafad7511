//! The options of the server, on the command line or as a value.

use std::convert::Infallible;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::behaviour::{Behaviour, Expectation, Framing, StatusMix, USUAL_CHUNK, Upload};
use crate::delay::Delay;
use crate::fault::Fault;
use crate::grammar::{Field, Pace, bytes, count, duration, rate};
use crate::plant::Plant;
use crate::stall::Stall;

/// Parameters and paths of requests, for the end of `--help`.
pub const GRAMMAR: &str = "\
A request can override most options with parameters in its query string, separated by `&`:
  delay=DELAY          before the response                    delay=exp:10ms
  body-delay=DELAY     between head and body
  size=BYTES           of the body                            size=75k
  status=STATUS        one status or a weighted mix           status=200:99,500:1
  header=NAME:VALUE    an additional header                   header=Location:/elsewhere
  chunked=1|BYTES      chunked, with chunks of 4k or of this size; 0: not chunked
  extensions=1         an extension on every chunk
  trailers=1           trailers after the last chunk
  until-close=1        the end of the connection ends the body
  interim=N            N responses with status 103 before the final one
  slow=BYTES/TIME      this many bytes per interval           slow=1/s
  fault=KIND[:P],...   see below; none: ignore --fault
  close=1              close the connection after the response
  http10=1             HTTP/1.0
  early=1|close        respond before the upload is complete; close: do not read the rest of it
  continue=send|ignore|refuse   the response to `Expect: 100-continue`
Other parameters are ignored, so that `?user=7` is a distinct URL.

Delays:  10ms   uniform:A,B   exponential:MEAN (or exp:)   lognormal:MEDIAN,SIGMA   bimodal:P,A,B (A with probability P, else B)

Faults of a response, always or with `:PROBABILITY`:
  reset      reset instead of a response          close      close instead of a response
  reset-body reset in the middle of the body      short      close in the middle of the body
  short-head close in the middle of the head      garbage    bytes that are not HTTP
  badstatus  badheader  badlength  badchunk       a malformed status, header, length, chunk size
  conflict   two different lengths                smuggle    a length and chunked coding
  excess     more body than the length announces  longhead   a head of 1 MiB
  hang       no response, connection kept open    hang-body  half a body, connection kept open
Faults of a connection (--fault only):
  drop       reset immediately                    deaf       accepted, never read
  noaccept   never accepted

Paths (all other paths return the normal response):
  /echo  /headers  /upload    the received request, its head, or its body
  /count                      the number of bytes in the body of the request
  /redirect/N                 N redirects, then the normal response
  /cookies                    sets a cookie; returns `new`, `known`, or 400 for a cookie that it did not set
  /auth/USER/PASSWORD         401 without these basic credentials";

/// An address to listen on: `HOST:PORT` or `unix:/path`. Port 0 selects a free port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// A name or address with a port, such as `127.0.0.1:8080`, `[::1]:0` or `localhost:8080`.
    Tcp(String),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

impl FromStr for Listen {
    type Err = Infallible;

    fn from_str(word: &str) -> Result<Self, Infallible> {
        Ok(match word.strip_prefix("unix:") {
            Some(path) => Self::Unix(path.into()),
            None => Self::Tcp(word.to_owned()),
        })
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => f.write_str(address),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// The behavior of the server. [`Options::default`] listens on a free loopback port and immediately responds to every request with
/// `200` and a body of 13 bytes.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = GRAMMAR)]
pub struct Options {
    /// Address to listen on: HOST:PORT (port 0 selects a free port) or unix:/path; may be repeated [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Vec<Listen>,

    /// Address to listen on for TLS, written as for --listen; generates a certificate unless --cert and --key are given
    #[arg(long, value_name = "ADDRESS")]
    pub listen_tls: Vec<Listen>,

    /// Number of server threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: usize,

    /// Delay before each response: 10ms, uniform:A,B, exponential:MEAN, lognormal:MEDIAN,SIGMA, bimodal:P,A,B (A with probability P)
    #[arg(long, value_name = "DELAY", default_value = "0s")]
    pub delay: Delay,

    /// Delay between the head and the body of a response, written as for --delay
    #[arg(long, value_name = "DELAY", default_value = "0s")]
    pub body_delay: Delay,

    /// Simulate a server with this capacity: exponential service times, other requests wait in a queue. 5000/s, 5/ms
    #[arg(long, value_name = "RATE", value_parser = rate)]
    pub capacity: Option<f64>,

    /// Number of workers behind the queue (1 with --capacity). The service time is derived from --capacity, else it is --delay
    #[arg(long, value_name = "N", value_parser = count::<NonZeroUsize>)]
    pub workers: Option<NonZeroUsize>,

    /// Length of the queue; requests that find it full get 503
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub queue: usize,

    /// Send no response for the time FOR, starting at AT after the first request: --stall 5s+1s; may be repeated
    #[arg(long = "stall", value_name = "AT+FOR")]
    pub stalls: Vec<Stall>,

    /// Measure --stall from the start of the server, not from its first request
    #[arg(long)]
    pub stall_from_start: bool,

    /// Body size in bytes: 512, 75k, 100m
    #[arg(long, value_name = "BYTES", default_value = "13", value_parser = bytes)]
    pub size: u64,

    /// Status of the responses, or several with weights: 200:9,503:1
    #[arg(long, value_name = "STATUS", default_value = "200")]
    pub status: StatusMix,

    /// Header of every response, such as Cache-Control:no-store; may be repeated
    #[arg(long = "header", value_name = "NAME:VALUE")]
    pub headers: Vec<Field>,

    /// Send bodies chunked, in chunks of this size
    #[arg(long, value_name = "BYTES", num_args = 0..=1, default_missing_value = "4k", require_equals = true, value_parser = bytes)]
    pub chunked: Option<u64>,

    /// Put an extension on every chunk
    #[arg(long)]
    pub extensions: bool,

    /// Send trailers after a chunked body
    #[arg(long)]
    pub trailers: bool,

    /// End a body by closing the connection
    #[arg(long, conflicts_with = "chunked")]
    pub until_close: bool,

    /// Send this many 103 responses before each final one
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub interim: u32,

    /// Send this many bytes per interval: 1/s, 10/100ms, 64k/s
    #[arg(long, value_name = "BYTES/TIME")]
    pub slow: Option<Pace>,

    /// Inject a fault, always or with a probability: --fault reset:0.01; may be repeated
    #[arg(long = "fault", value_name = "KIND[:P]")]
    pub faults: Vec<Fault>,

    /// Close every connection after this many requests
    #[arg(long, value_name = "N", value_parser = count::<u64>)]
    pub max_requests: Option<u64>,

    /// Close the connection after every response
    #[arg(long)]
    pub no_keepalive: bool,

    /// Do not announce the close in the last response
    #[arg(long)]
    pub unannounced: bool,

    /// Close a connection after this idle time
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub idle_timeout: Option<Duration>,

    /// Use HTTP/1.0
    #[arg(long)]
    pub http10: bool,

    /// Respond to uploads before they are complete
    #[arg(long)]
    pub early: bool,

    /// Response to `Expect: 100-continue`: send, ignore, refuse
    #[arg(long = "continue", value_name = "WHAT", default_value = "send")]
    pub expectation: Expectation,

    /// Also act as a proxy: CONNECT opens a tunnel, to loopback addresses only
    #[arg(long)]
    pub proxy: bool,

    /// Reject request targets longer than this with 414
    #[arg(long, value_name = "BYTES", default_value = "16k", value_parser = bytes)]
    pub max_uri: u64,

    /// Reject request heads longer than this with 431
    #[arg(long, value_name = "BYTES", default_value = "64k", value_parser = bytes)]
    pub max_head: u64,

    /// Simulate a bug: query-overflow:BYTES (returns 500), line-overflow:BYTES, nul-header, negative-length (crash), bad-chunk (hangs)
    #[arg(long = "plant", value_name = "BUG")]
    pub plants: Vec<Plant>,

    /// Certificate chain, PEM
    #[arg(long, value_name = "FILE", requires = "key", requires = "listen_tls")]
    pub cert: Option<PathBuf>,

    /// Private key of --cert, PEM
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,

    /// Write the root certificate to this PEM file, for a client's --cacert
    #[arg(long, value_name = "FILE", requires = "listen_tls")]
    pub cert_out: Option<PathBuf>,

    /// Require client certificates signed by one of these authorities, PEM
    #[arg(long, value_name = "FILE", requires = "listen_tls")]
    pub client_ca: Option<PathBuf>,

    /// Highest TLS version: 1.2 or 1.3
    #[arg(long, value_name = "VERSION", default_value = "1.3", value_parser = ["1.2", "1.3"])]
    pub tls_max: String,

    /// Do not resume TLS sessions
    #[arg(long)]
    pub no_resumption: bool,

    /// Log every request to this CSV file, with times of CLOCK_MONOTONIC
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,

    /// Seed of all randomness
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Also keep the log in memory, for [`crate::Handle::log`]
    #[arg(skip)]
    pub keep_log: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: vec![Listen::Tcp("127.0.0.1:0".to_owned())],
            listen_tls: Vec::new(),
            threads: 1,
            delay: Delay::NONE,
            body_delay: Delay::NONE,
            capacity: None,
            workers: None,
            queue: 1_000_000,
            stalls: Vec::new(),
            stall_from_start: false,
            size: 13,
            status: StatusMix::always(200),
            headers: Vec::new(),
            chunked: None,
            extensions: false,
            trailers: false,
            until_close: false,
            interim: 0,
            slow: None,
            faults: Vec::new(),
            max_requests: None,
            no_keepalive: false,
            unannounced: false,
            idle_timeout: None,
            http10: false,
            early: false,
            expectation: Expectation::Send,
            proxy: false,
            max_uri: 16 << 10,
            max_head: 64 << 10,
            plants: Vec::new(),
            cert: None,
            key: None,
            cert_out: None,
            client_ca: None,
            tls_max: "1.3".to_owned(),
            no_resumption: false,
            log: None,
            seed: 1,
            keep_log: false,
        }
    }
}

impl Options {
    /// Returns the part of the options that a query string can change.
    pub(crate) fn behaviour(&self) -> Behaviour {
        let framing = match self.chunked {
            Some(0) => Framing::Chunked(USUAL_CHUNK),
            Some(size) => Framing::Chunked(size),
            None if self.until_close => Framing::UntilClose,
            None => Framing::Length,
        };
        Behaviour {
            delay: self.delay,
            body_delay: self.body_delay,
            size: self.size,
            status: self.status.clone(),
            framing,
            headers: self.headers.clone(),
            extensions: self.extensions,
            trailers: self.trailers,
            interim: self.interim,
            slow: self.slow,
            faults: self.faults.iter().filter(|fault| !fault.kind.is_of_connection()).copied().collect(),
            close: self.no_keepalive,
            http10: self.http10,
            upload: if self.early { Upload::Early } else { Upload::Whole },
            expectation: self.expectation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    /// Introduction of the program.
    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    fn parse(line: &str) -> Result<Options, clap::Error> {
        let words = std::iter::once("target").chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.options)
    }

    #[test]
    fn the_command_line_and_the_default_value_agree() {
        let parsed = parse("--listen 127.0.0.1:0").unwrap();
        assert_eq!(format!("{parsed:?}"), format!("{:?}", Options::default()));
    }

    #[test]
    fn options_and_query_strings_share_their_grammar() {
        let options = parse(
            "--listen unix:/tmp/x --delay exp:10ms --size 75k --status 200:9,503:1 --chunked --stall 1s+1s --stall 5s+1s \
             --fault reset:0.01 --fault drop:0.5 --slow 1/s --capacity 100/s --workers 4 --plant line-overflow:8193",
        )
        .unwrap();
        assert_eq!(options.listen, [Listen::Unix("/tmp/x".into())]);
        assert_eq!(options.stalls.len(), 2);
        let behaviour = options.behaviour();
        assert_eq!(behaviour.framing, Framing::Chunked(4096));
        assert_eq!(behaviour.size, 76_800);
        assert_eq!(behaviour.faults.len(), 1, "faults of connections are not faults of replies");
    }

    #[test]
    fn help_ends_with_the_grammar_and_starts_with_the_introduction_of_the_program() {
        let help = <Line as clap::CommandFactory>::command().render_help().to_string();
        assert!(help.starts_with("Introduction of the program\n"), "{help}");
        // Lines are wrapped to the width of the terminal, so only the words are compared.
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert!(words(&help).ends_with(&words(GRAMMAR)), "{help}");
    }

    #[test]
    fn the_grammar_lists_every_fault() {
        for (word, _) in crate::FaultKind::ALL {
            assert!(GRAMMAR.split_whitespace().any(|known| known == word), "{word}");
        }
    }

    #[test]
    fn conflicting_options_are_errors() {
        for line in [
            "--chunked --until-close",
            "--workers 0",
            "--cert a --listen-tls x:1",
            "--cert-out a",
            "--delay soon",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
