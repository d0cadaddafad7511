//! Arguments of `torture`.

use crate::tls::Trust;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What to torture, and how.
#[derive(Debug, Args)]
pub struct Torture {
    /// URL to test; requests are variations of a GET of this URL
    #[arg(value_name = "URL", required_unless_present = "replay")]
    pub url: Option<String>,

    /// Number of requests
    #[arg(short = 'n', long, value_name = "N", default_value = "10k")]
    pub requests: String,

    /// Requests per second
    #[arg(short, long, value_name = "RATE", default_value = "500/s", short_alias = 'q')]
    pub rate: String,

    /// Maximum number of concurrent requests
    #[arg(short, long, value_name = "N", default_value = "32")]
    pub connections: String,

    /// Seed of the generated requests; by default a seed is chosen and printed
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Number of the first request
    #[arg(long, value_name = "N", default_value = "0")]
    pub first: u64,

    /// Maximum length of a generated part of a request, in bytes: 64k
    #[arg(long, value_name = "BYTES", default_value = "64k")]
    pub longest: String,

    /// Header field for every request, such as 'Authorization: …'; may be repeated
    #[arg(short = 'H', long, value_name = "FIELD", value_delimiter = '\n')]
    pub header: Vec<String>,

    /// Report a hang when a complete request gets no response byte for this long
    #[arg(long, value_name = "TIME", default_value = "2s")]
    pub patience: String,

    /// Maximum time that the server may need to recover after a failure
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub recovery: String,

    /// Command that restarts the server when it does not recover, run by `sh -c`; it must return, so start a server with &
    ///
    /// The requests that may have stopped the server are then sent alone, one after the other, until the one is found.
    #[arg(long, value_name = "COMMAND")]
    pub restart: Option<String>,

    /// Maximum requests spent shrinking one finding
    #[arg(long, value_name = "N", default_value = "3k")]
    pub tries: String,

    /// Stop after this number of findings
    #[arg(long, value_name = "N", default_value = "50")]
    pub findings: String,

    /// Send one request alone: as printed after `--replay` in a report, or FILE.json#2 for the second finding in a file
    ///
    /// A file is one written by `-o FILE.json`; without #N its first finding is sent. With a URL it is sent there.
    #[arg(long, value_name = "FINDING")]
    pub replay: Option<String>,

    /// Number of times --replay sends the request
    #[arg(long, value_name = "N", default_value = "1", requires = "replay")]
    pub times: u32,

    /// Also test this host, whose address is neither local nor private; may be repeated
    ///
    /// Use it only with the permission of the operator of the server.
    #[arg(long, value_name = "HOST", value_delimiter = '\n')]
    pub i_may_test: Vec<String>,

    #[command(flatten)]
    pub trust: Trust,

    /// Format of the result on stdout
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Result")]
    pub format: FormatWord,

    /// Write the result to a file; the extension selects the format: .json, .sarif, .xml (JUnit) or .txt; may be repeated
    #[arg(short, long, value_name = "FILE", value_delimiter = '\n', help_heading = "Result")]
    pub output: Vec<PathBuf>,

    /// Print only errors on stderr
    #[arg(long, help_heading = "Result")]
    pub quiet: bool,
}

/// How a result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatWord {
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
