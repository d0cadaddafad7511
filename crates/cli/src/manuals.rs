//! Pages made from the definition of the command line: shell completions and the manual.

use crate::exit::Failure;
use warwolf_args::UsageError;
use warwolf_args::{Completions, Man};

/// The completion script of a shell.
pub(crate) fn completions(args: &Completions) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::command(), "warwolf", &mut script);
    script
}

/// The manual page of the program or of one command, in roff.
///
/// # Errors
/// When there is no such command, or the page cannot be made.
pub(crate) fn manual(args: &Man) -> Result<Vec<u8>, Failure> {
    let mut program = crate::command();
    program.build();
    let page = match &args.command {
        None => program,
        Some(name) => {
            let known = program.find_subcommand(name).ok_or_else(|| {
                let names: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
                UsageError::of("man", format!("`{name}`: no such command; use one of {}", names.join(", ")))
            })?;
            known.clone().name(format!("warwolf-{name}"))
        }
    };
    let mut roff = Vec::new();
    clap_mangen::Man::new(page)
        .render(&mut roff)
        .map_err(|_| Failure::Us("the manual page cannot be rendered"))?;
    Ok(roff)
}
