//! Arguments of `import`.

use clap::Args;
use clap::builder::PossibleValuesParser;
use std::path::PathBuf;

/// Names of the formats.
const FORMATS: [&str; 6] = ["curl", "har", "http", "openapi", "postman", "vegeta"];

/// What is imported, and where the plan goes.
#[derive(Debug, Args)]
pub struct Import {
    /// File to import; "-" means stdin; a text that begins with "curl " is a command line itself
    #[arg(value_name = "FILE")]
    pub file: String,

    /// Write the plan to this file instead of stdout
    #[arg(short, long, value_name = "FILE", help_heading = "Result")]
    pub output: Option<PathBuf>,

    /// Format of the file; by default it is detected
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(FORMATS))]
    pub from: Option<String>,

    /// Also import requests to other sites than that of the first request (HAR)
    #[arg(long)]
    pub third_parties: bool,

    /// Value of a variable, which replaces that of the file; may be repeated
    #[arg(long = "var", value_name = "NAME=VALUE", value_delimiter = '\n')]
    pub variables: Vec<String>,

    /// URL that operations are below, instead of the server that the document names (OpenAPI)
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,

    /// Print only errors on stderr
    #[arg(long, help_heading = "Result")]
    pub quiet: bool,
}

pub(crate) const AFTER_LONG: &str = "\
Formats:
  curl     command lines, such as a browser copies (\"Copy as cURL (bash)\"), one or many
  har      an HTTP archive of a browser or proxy: pauses are kept, values of replies that are sent back become captures
  http     .http and .rest files of JetBrains IDEs and VS Code
  openapi  OpenAPI 3.0 and 3.1, JSON or YAML: a step for each operation, with values from examples and schemas
  postman  Postman collections 2.0 and 2.1: folders are groups
  vegeta   targets of vegeta, text or JSON

What the plan does not contain is printed on stderr, one line for each. Credentials are written to the plan as they are in the
file; a new file can be read only by its owner.

Exit codes:
  0 success; 2 the file or an option is wrong

Examples:
  warwolf import 'curl -H \"Accept: text/html\" https://example.test/' -o plan.toml
  warwolf import session.har -o plan.toml && warwolf run --plan plan.toml
  warwolf import api.yaml --server http://127.0.0.1:8080 -o plan.toml
  warwolf import shop.http --var host=http://127.0.0.1:8080 -o plan.toml";
