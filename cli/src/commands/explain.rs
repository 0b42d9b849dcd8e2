//! `cp2 explain`.

use crate::args::{Changes, CoreChoice, Explain};
use crate::exit::{Exit, Outcome, bad_input, usage};
use crate::{files, machine};
use cp2_asm::codes::{self, Example};
use cp2_isa::Core;

pub(crate) fn explain(arguments: &Explain) -> Outcome {
    let CoreChoice { machine, changes: Changes { enable, set } } = &arguments.core;
    let is_changed = machine.is_some() || !enable.is_empty() || !set.is_empty();
    if arguments.code.is_none() && is_changed {
        return Err(usage(
            "--machine, --enable and --set change the page of a code; the list has no numbers",
        ));
    }
    let text = match &arguments.code {
        Some(code) => page(&machine::core(&arguments.core)?, &code.to_uppercase())?,
        None => codes::all().map(|e| format!("{}  {}\n", e.code, e.title)).collect(),
    };
    files::print(text.as_bytes())?;
    Ok(Exit::Success)
}

fn page(core: &Core, code: &str) -> Outcome<String> {
    let Some(e) = codes::find(code) else {
        return Err(bad_input(format!("there is no code `{code}`; `cp2 explain` lists all codes")));
    };
    let example = |heading: &str, text: &str| {
        let lines: Vec<String> = text.trim_end().lines().map(|l| format!("    {l}")).collect();
        format!("\n{heading}:\n\n{}\n", lines.join("\n"))
    };
    let examples = match e.example {
        Example::Source { wrong, right }
        | Example::Hex { wrong, right }
        | Example::Toml { wrong, right } => example("Wrong", wrong) + &example("Right", right),
        Example::None(why) => format!("\nNo example: {why}.\n"),
    };
    Ok(format!("{}: {}\n\n{}\n{examples}", e.code, e.title, e.text_for(core)))
}
