//! What the server is asked to do, as options of a command line or as a value.

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

/// What requests can ask for by themselves, for the end of `--help`.
pub const GRAMMAR: &str = "\
Requests can ask for what the options ask of all, in their query string, joined by `&`:
  delay=DELAY          before the reply                       delay=exp:10ms
  body-delay=DELAY     between head and body
  size=BYTES           of the body                            size=75k
  status=STATUS        one, or a mix                          status=200:99,500:1
  header=NAME:VALUE    one more header                        header=Location:/elsewhere
  chunked=1|BYTES      chunks of 4k, or of that size; 0: not chunked
  extensions=1         on every chunk
  trailers=1           after the last chunk
  until-close=1        the close tells the end of the body
  interim=N            103 replies before the final one
  slow=BYTES/TIME      so many bytes, then a rest             slow=1/s
  fault=KIND[:P],...   see below; none: what --fault says does not apply
  close=1              after the reply
  http10=1             HTTP/1.0
  early=1|close        reply before the upload has come; close: and do not read it
  continue=send|ignore|refuse   what `Expect: 100-continue` gets
Other keys mean nothing, so `?user=7` is a URL of its own like any other.

Delays:  10ms   uniform:A,B   exponential:MEAN (or exp:)   lognormal:MEDIAN,SIGMA   bimodal:P,A,B (A with probability P, else B)

Faults of a reply, each with `:PROBABILITY` or always:
  reset      reset instead of a reply             close      close instead of a reply
  reset-body reset in the middle of the body      short      close in the middle of the body
  short-head close in the middle of the head      garbage    bytes that are no HTTP
  badstatus  badheader  badlength  badchunk       a malformed status, header, length, chunk size
  conflict   two lengths that differ              smuggle    a length and chunks
  excess     more body than the length says       longhead   a head of 1 MiB
  hang       no reply, connection held            hang-body  half a body, connection held
Faults of a connection (--fault only):
  drop       reset at once                        deaf       accepted, never read
  noaccept   never accepted

Paths (all others get the plain reply):
  /echo  /headers  /upload    the request as it came, its head, its body
  /count                      how many bytes of body the request had
  /redirect/N                 N redirects, then the plain reply
  /cookies                    sets a cookie, and says `new`, `known`, or 400 to a cookie it did not set
  /auth/USER/PASSWORD         401 without these basic credentials";

/// Where to listen: `HOST:PORT` or `unix:/path`. Port 0 takes a free one.
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

/// How the server behaves. [`Options::default`] listens on a free port of the loopback and answers every request at once
/// with `200` and 13 bytes of body.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = GRAMMAR)]
pub struct Options {
    /// Where to listen: HOST:PORT (port 0 takes a free one) or unix:/path; can be given several times [default: 127.0.0.1:8080]
    #[arg(long, value_name = "WHERE")]
    pub listen: Vec<Listen>,

    /// Where to listen for TLS, with a certificate made at the start unless --cert and --key are given; as --listen
    #[arg(long, value_name = "WHERE")]
    pub listen_tls: Vec<Listen>,

    /// Threads that serve
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: usize,

    /// Delay before each reply: 10ms, uniform:A,B, exponential:MEAN, lognormal:MEDIAN,SIGMA, bimodal:P,A,B (A with probability P)
    #[arg(long, value_name = "DELAY", default_value = "0s")]
    pub delay: Delay,

    /// Delay between the head of a reply and its body, written as for --delay
    #[arg(long, value_name = "DELAY", default_value = "0s")]
    pub body_delay: Delay,

    /// Finish at most this many requests a second, each after an exponential service time; the others queue. 5000/s, 5/ms
    #[arg(long, value_name = "RATE", value_parser = rate)]
    pub capacity: Option<f64>,

    /// Serve this many requests at a time, the others queue. The service time is --capacity's (which the workers share, 1 unless said here), else --delay
    #[arg(long, value_name = "N", value_parser = count::<NonZeroUsize>)]
    pub workers: Option<NonZeroUsize>,

    /// Places to wait for a worker; whoever finds none gets 503
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub queue: usize,

    /// Answer nothing from AT on for a while, counted from the first request: --stall 5s+1s; can be given several times
    #[arg(long = "stall", value_name = "AT+FOR")]
    pub stalls: Vec<Stall>,

    /// Count --stall from the start of the server, not from its first request
    #[arg(long)]
    pub stall_from_start: bool,

    /// Bytes of body: 512, 75k, 100m
    #[arg(long, value_name = "BYTES", default_value = "13", value_parser = bytes)]
    pub size: u64,

    /// Status of the replies, or several with weights: 200:9,503:1
    #[arg(long, value_name = "STATUS", default_value = "200")]
    pub status: StatusMix,

    /// A header for every reply, such as Cache-Control:no-store; can be given several times
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

    /// Tell the end of a body by closing the connection
    #[arg(long, conflicts_with = "chunked")]
    pub until_close: bool,

    /// Send this many 103 replies before each final one
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub interim: u32,

    /// Send so many bytes, rest so long, send the next: 1/s, 10/100ms, 64k/s
    #[arg(long, value_name = "BYTES/TIME")]
    pub slow: Option<Pace>,

    /// Go wrong, always or with a probability: --fault reset:0.01; can be given several times
    #[arg(long = "fault", value_name = "KIND[:P]")]
    pub faults: Vec<Fault>,

    /// Close every connection after this many requests
    #[arg(long, value_name = "N", value_parser = count::<u64>)]
    pub max_requests: Option<u64>,

    /// Close after every reply
    #[arg(long)]
    pub no_keepalive: bool,

    /// Close without saying so in the last reply
    #[arg(long)]
    pub unannounced: bool,

    /// Close a connection that has been idle this long
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub idle_timeout: Option<Duration>,

    /// Speak HTTP/1.0
    #[arg(long)]
    pub http10: bool,

    /// Reply to uploads before they have come
    #[arg(long)]
    pub early: bool,

    /// What `Expect: 100-continue` gets: send, ignore, refuse
    #[arg(long = "continue", value_name = "WHAT", default_value = "send")]
    pub expectation: Expectation,

    /// Serve as a proxy too: CONNECT opens a tunnel to a loopback address, and to no other
    #[arg(long)]
    pub proxy: bool,

    /// Refuse request targets longer than this with 414
    #[arg(long, value_name = "BYTES", default_value = "16k", value_parser = bytes)]
    pub max_uri: u64,

    /// Refuse request heads longer than this with 431
    #[arg(long, value_name = "BYTES", default_value = "64k", value_parser = bytes)]
    pub max_head: u64,

    /// Plant a bug: query-overflow:BYTES (answers 500), line-overflow:BYTES, nul-header, negative-length (these crash), bad-chunk (hangs)
    #[arg(long = "plant", value_name = "BUG")]
    pub plants: Vec<Plant>,

    /// Certificate chain, PEM
    #[arg(long, value_name = "FILE", requires = "key", requires = "listen_tls")]
    pub cert: Option<PathBuf>,

    /// Private key of --cert, PEM
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,

    /// Write the certificate to trust here as PEM, for a client's --cacert
    #[arg(long, value_name = "FILE", requires = "listen_tls")]
    pub cert_out: Option<PathBuf>,

    /// Demand client certificates signed by one of these, PEM
    #[arg(long, value_name = "FILE", requires = "listen_tls")]
    pub client_ca: Option<PathBuf>,

    /// Highest TLS version: 1.2 or 1.3
    #[arg(long, value_name = "VERSION", default_value = "1.3", value_parser = ["1.2", "1.3"])]
    pub tls_max: String,

    /// Do not resume TLS sessions
    #[arg(long)]
    pub no_resumption: bool,

    /// Write a line per request to this file, CSV with times on CLOCK_MONOTONIC
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,

    /// Seed of all randomness
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Keep the log in memory as well, for [`crate::Handle::log`]
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
    /// The part of the options that a query string can change.
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

    /// What the program says of itself.
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
    fn options_speak_the_grammar_of_the_query_string() {
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
    fn help_teaches_the_grammar_and_leaves_the_introduction_to_the_program() {
        let help = <Line as clap::CommandFactory>::command().render_help().to_string();
        assert!(help.starts_with("What the program says of itself\n"), "{help}");
        // Lines are wrapped to the terminal's width, so words are what can be compared.
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert!(words(&help).ends_with(&words(GRAMMAR)), "{help}");
    }

    #[test]
    fn the_grammar_names_every_fault() {
        for (word, _) in crate::FaultKind::ALL {
            assert!(GRAMMAR.split_whitespace().any(|known| known == word), "{word}");
        }
    }

    #[test]
    fn options_that_make_no_sense_together_are_refused() {
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
