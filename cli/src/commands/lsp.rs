//! `cp2 lsp`.

use crate::args::Lsp;
use crate::input::machine;
use crate::process::exit::{Exit, Outcome, bad_input};

pub(crate) fn lsp(arguments: &Lsp) -> Outcome {
    let core = machine::core(&arguments.core)?;
    cp2_lsp::serve_standard(core).map_err(bad_input)?;
    Ok(Exit::Success)
}
