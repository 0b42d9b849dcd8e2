//! `cp2 explain`.

use crate::args::Explain;
use crate::exit::{Exit, Outcome, bad_input};
use crate::files;

pub(crate) fn explain(arguments: &Explain) -> Outcome {
    let text = match &arguments.code {
        Some(code) => cp2_asm::codes::explain(code).ok_or_else(|| {
            bad_input(format!("there is no code `{code}`; `cp2 explain` lists all codes"))
        })?,
        None => cp2_asm::codes::list(),
    };
    files::print(text.as_bytes())?;
    Ok(Exit::Success)
}
