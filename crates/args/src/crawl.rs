//! Arguments of `crawl`.

use crate::tls::Trust;
use clap::Args;
use std::path::PathBuf;

/// What to walk, how far and how fast.
#[derive(Debug, Args)]
pub struct Crawl {
    /// URL to start at; only its scheme, host and port are crawled
    #[arg(value_name = "URL")]
    pub url: String,

    /// Maximum number of pages
    #[arg(short = 'n', long, value_name = "N", default_value = "10k")]
    pub pages: String,

    /// Maximum distance from the start in clicks
    #[arg(long, value_name = "N", default_value = "20")]
    pub depth: String,

    /// Maximum rate of requests; a longer Crawl-delay in robots.txt has precedence
    #[arg(short, long, value_name = "RATE", default_value = "50/s", short_alias = 'q')]
    pub rate: String,

    /// Maximum number of concurrent requests
    #[arg(short, long, value_name = "N", default_value = "8")]
    pub connections: String,

    /// Only URLs whose path starts with this prefix: /docs/
    #[arg(long, value_name = "PATH", default_value = "/")]
    pub under: String,

    /// Ignore robots.txt; for your own server
    #[arg(long)]
    pub ignore_robots: bool,

    /// Also list the resources of pages: images, scripts, style sheets
    #[arg(long)]
    pub resources: bool,

    /// Header field for every request, such as 'Cookie: …'; may be repeated
    #[arg(short = 'H', long, value_name = "FIELD", value_delimiter = '\n')]
    pub header: Vec<String>,

    /// Timeout for connecting and for the next byte of a page
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub timeout: String,

    /// Maximum bytes of a page that are searched for links
    #[arg(long, value_name = "BYTES", default_value = "1m")]
    pub page_size: String,

    #[command(flatten)]
    pub trust: Trust,

    /// Write the list of URLs to this file instead of stdout, one per line: for `warwolf run --urls`, siege, http_load
    #[arg(short, long, value_name = "FILE", help_heading = "Result")]
    pub output: Option<PathBuf>,

    /// Write the click model to this file, for `warwolf run --clicks`
    #[arg(long, value_name = "FILE.json", help_heading = "Result")]
    pub clicks: Option<PathBuf>,

    /// Write the broken links to this file, one per line: status or failure, URL and referrer, separated by tabs
    #[arg(long, value_name = "FILE", help_heading = "Result")]
    pub broken: Option<PathBuf>,

    /// Print only errors on stderr
    #[arg(long, help_heading = "Result")]
    pub quiet: bool,
}

pub(crate) const AFTER_LONG: &str = "\
Exit codes:
  0 success; 1 the crawl failed, or no page had status 200; 2 usage error; 130 interrupted; the result was written

Examples:
  warwolf crawl http://127.0.0.1:8080/ -o urls.txt --clicks site.json
  warwolf run --urls urls.txt --order random
  warwolf run --clicks site.json -c 100 --think exponential:3s
  warwolf crawl http://127.0.0.1:8080/ | warwolf run --urls -";
