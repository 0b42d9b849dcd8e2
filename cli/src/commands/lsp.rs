//! `cp2 lsp`.

use crate::args::Lsp;
use crate::input::machine;
use crate::process::exit::{Exit, Outcome, bad_input, complain};
use cp2_lsp::ServerError;

pub(crate) fn lsp(arguments: &Lsp) -> Outcome {
    let core = machine::core(&arguments.core)?;
    match cp2_lsp::serve_standard(core) {
        Ok(()) => Ok(Exit::Success),
        // The protocol has 1 for an end that was not asked for.
        Err(error @ (ServerError::Exit | ServerError::Gone)) => {
            complain(format!("cp2: {error}"));
            Ok(Exit::Check)
        }
        Err(error) => Err(bad_input(error)),
    }
}
