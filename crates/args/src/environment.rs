//! Environment variables that stand for options.

use clap::ArgAction;
use clap::builder::BoolishValueParser;

/// Lets every option of `command` be set by its environment variable.
pub(crate) fn with_environment(command: clap::Command) -> clap::Command {
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
