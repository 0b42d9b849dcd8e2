//! The command line of cp2: argument types, printing, files, exit codes. Everything else is in the
//! libraries.

mod args;
mod beat_file;
mod cache;
mod commands;
mod exit;
mod files;
mod machine;
mod options;
mod program;
mod progress;
mod recording;
mod signals;
mod table_file;
mod trace_file;

use clap::Parser;
use exit::complain;
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
    signals::watch();
    let arguments = args::Arguments::parse();
    match std::panic::catch_unwind(|| commands::dispatch(arguments)) {
        Ok(Ok(code)) => code.into(),
        Ok(Err(failure)) => {
            complain(failure.message);
            failure.exit.into()
        }
        Err(_) => exit::Exit::Internal.into(),
    }
}
