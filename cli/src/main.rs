//! The command line of cp2: argument types, printing, files, exit codes. Everything else is in the
//! libraries.

mod args;
mod commands;
mod input;
mod process;
mod storage;

use clap::{CommandFactory as _, FromArgMatches as _};
use process::exit::complain;
use std::process::ExitCode;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!(" at {}:{}", l.file(), l.line()));
        let message = info.payload_as_str().unwrap_or("no message");
        complain(format!(
            "cp2: internal error{}: {message}\nThis is a bug of cp2, not of your program; please report it with the input.",
            place.unwrap_or_default()
        ));
    }));
    process::signals::watch();
    let arguments = parse();
    process::colour::choose(arguments.color);
    match std::panic::catch_unwind(|| commands::dispatch(arguments)) {
        Ok(Ok(code)) => code.into(),
        Ok(Err(failure)) => {
            if !failure.message.is_empty() {
                complain(failure.message);
            }
            failure.exit.into()
        }
        Err(_) => process::exit::Exit::Internal.into(),
    }
}

/// Parses the arguments; wrong ones end the process with a message.
fn parse() -> args::Arguments {
    let command = args::Arguments::command().color(process::colour::of_arguments());
    let words = args::guest::divide(std::env::args_os().collect(), &command);
    let matches = command.get_matches_from(words);
    args::Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}
