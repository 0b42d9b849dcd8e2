//! `cp2 explain`: codes of diagnostics, and operations.

use super::isa;
use crate::args::{Changes, CoreChoice, Explain};
use crate::input::machine;
use crate::process::exit::{Exit, Failure, Outcome, bad_input, usage};
use crate::storage::files;
use cp2_asm::codes::{self, CodeExample};
use cp2_isa::Core;

pub(crate) fn explain(arguments: &Explain) -> Outcome {
    let CoreChoice { machine, changes: Changes { enable, set } } = &arguments.core;
    let is_changed = machine.is_some() || !enable.is_empty() || !set.is_empty();
    if arguments.code.is_none() && is_changed {
        return Err(usage(
            "--machine, --enable and --set need a code or an operation; the list of codes does not depend on them",
        ));
    }
    let text = match &arguments.code {
        Some(name) => page(&machine::core(&arguments.core)?, name)?,
        None => codes::all().map(|e| format!("{}  {}\n", e.code, e.title)).collect(),
    };
    files::print(text.as_bytes())?;
    Ok(Exit::Success)
}

/// Returns the page of a code or of an operation.
fn page(core: &Core, name: &str) -> Outcome<String> {
    let Some(e) = codes::find(&name.to_uppercase()) else {
        let rows = cp2_isa::doc::matching(name);
        return if rows.is_empty() { Err(unknown(name)) } else { Ok(isa::entries(&rows, core)) };
    };
    let example = |heading: &str, text: &str| {
        let lines: Vec<String> = text.trim_end().lines().map(|l| format!("    {l}")).collect();
        format!("\n{heading}:\n\n{}\n", lines.join("\n"))
    };
    let examples = match e.example {
        CodeExample::Source { wrong, right }
        | CodeExample::Hex { wrong, right }
        | CodeExample::Toml { wrong, right }
        | CodeExample::Star { wrong, right }
        | CodeExample::Nest { wrong, right } => example("Wrong", wrong) + &example("Right", right),
        CodeExample::None(why) => format!("\nNo example: {why}.\n"),
    };
    Ok(format!("{}: {}\n\n{}\n{examples}", e.code, e.title, e.text_for(core)))
}

fn unknown(name: &str) -> Failure {
    let names = codes::all().map(|e| e.code).chain(isa::mnemonics());
    let near = cp2_asm::nearest(name, names);
    let hint = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    bad_input(format!(
        "there is neither a code nor an operation `{name}`; {hint}`cp2 explain` lists all codes, `cp2 isa` all operations"
    ))
}
