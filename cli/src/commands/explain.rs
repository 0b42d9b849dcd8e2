//! `cp2 explain`.

use crate::args::Explain;
use crate::exit::{Exit, Outcome, bad_input};
use crate::{files, machine};
use cp2_asm::codes;
use cp2_isa::Core;

pub(crate) fn explain(arguments: &Explain) -> Outcome {
    let text = match &arguments.code {
        Some(code) => page(&machine::core(&arguments.core)?, &code.to_uppercase())?,
        None => codes::all().map(|e| format!("{}  {}\n", e.code, e.title)).collect(),
    };
    files::print(text.as_bytes())?;
    Ok(Exit::Success)
}

fn page(core: &Core, code: &str) -> Outcome<String> {
    let Some(e) = codes::explain(code) else {
        return Err(bad_input(format!("there is no code `{code}`; `cp2 explain` lists all codes")));
    };
    let example = |heading: &str, text: &str| match text {
        "" => String::new(),
        text => {
            let lines: Vec<String> = text.trim_end().lines().map(|l| format!("    {l}")).collect();
            format!("\n{heading}:\n\n{}\n", lines.join("\n"))
        }
    };
    Ok(format!(
        "{}: {}\n\n{}\n{}{}",
        e.code,
        e.title,
        e.text_for(core),
        example("Wrong", e.wrong),
        example("Right", e.right)
    ))
}
