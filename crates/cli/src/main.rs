//! The program. Everything is in the library, so that chores can read the command line's definition.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    warwolf_cli::main()
}
