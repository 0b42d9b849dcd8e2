//! `cp2 asm` and `cp2 dis`.

use crate::args::{Asm, Dis, Emit};
use crate::exit::{Exit, Outcome, bad_input, usage};
use crate::{files, machine, program};
use std::path::Path;

pub(crate) fn assemble(arguments: &Asm) -> Outcome {
    let output = &arguments.output;
    let emit = emitted(output, arguments.emit)?;
    let inputs: Vec<_> = arguments.sources.iter().map(|p| Some(p.as_path())).collect();
    files::check(&inputs, &[Some(output)])?;
    let core = machine::core(&arguments.core)?;
    let loaded = program::assemble_files(&core, &arguments.sources, arguments.cache)?;
    // Files that were included are inputs too.
    files::check_apart(loaded.sources.names().map(Path::new), output)?;
    let bytes = match emit {
        Emit::Object => cp2_asm::object_file::write(&loaded.image).map_err(bad_input)?,
        Emit::Hex if !loaded.image.data.is_empty() => {
            return Err(bad_input(
                "the program has data for local memory, which `.hex` cannot hold; write an object, or move the data to --init",
            ));
        }
        Emit::Hex => cp2_asm::hex::write(&loaded.image).into_bytes(),
    };
    files::write(output, &bytes)?;
    Ok(Exit::Success)
}

/// What a file of this name shall hold, beside what `--emit` says.
fn emitted(output: &Path, asked: Option<Emit>) -> Outcome<Emit> {
    let ending = output.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let named = match ending {
        "hex" => Some(Emit::Hex),
        "o" | "elf" => Some(Emit::Object),
        _ => None,
    };
    match (named, asked) {
        (Some(named), Some(asked)) if named != asked => Err(usage(format!(
            "{}: a file ending in `.{ending}` would not hold what --emit asks for; leave one of them out",
            output.display()
        ))),
        (named, asked) => Ok(asked.or(named).unwrap_or(Emit::Object)),
    }
}

pub(crate) fn disassemble(arguments: &Dis) -> Outcome {
    files::check(&[Some(&arguments.program.program)], &[arguments.output.as_deref()])?;
    let core = machine::core(&arguments.core)?;
    let loaded = program::load(&arguments.program, &core)?;
    let text = cp2_asm::disassemble(&loaded.image, &core);
    match &arguments.output {
        Some(path) => files::write(path, text.as_bytes())?,
        None => files::print(text.as_bytes())?,
    }
    Ok(Exit::Success)
}
