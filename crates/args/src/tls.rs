//! How certificates of servers are checked, for commands that send single requests.

use clap::Args;
use std::path::PathBuf;

/// How https is spoken to a place.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "TLS")]
pub struct Trust {
    /// Accept any certificate
    #[arg(short = 'k', long)]
    pub insecure: bool,

    /// Trust the certificates in this PEM file instead of those of the system
    #[arg(long, value_name = "FILE")]
    pub cacert: Option<PathBuf>,
}
