//! `cp2 asm` and `cp2 dis`.

use crate::args::{Asm, Dis, Emit};
use crate::exit::{Exit, Outcome, bad_input};
use crate::{files, machine, program};

pub(crate) fn assemble(arguments: &Asm) -> Outcome {
    let inputs: Vec<_> = arguments.sources.iter().map(|p| Some(p.as_path())).collect();
    files::check_distinct(&inputs, &[])?;
    let core = machine::core(&arguments.core)?;
    let loaded = program::assemble_files(&core, &arguments.sources, arguments.cache)?;
    let bytes = match arguments.emit {
        Emit::Object => cp2_asm::object_file::write(&loaded.image).map_err(bad_input)?,
        Emit::Hex if !loaded.image.data.is_empty() => {
            return Err(bad_input(
                "the program has data for local memory, which `.hex` cannot hold; write an object, or move the data to --init",
            ));
        }
        Emit::Hex => cp2_asm::hex::write(&loaded.image).into_bytes(),
    };
    files::write(&arguments.output, &bytes)?;
    Ok(Exit::Success)
}

pub(crate) fn disassemble(arguments: &Dis) -> Outcome {
    let core = machine::core(&arguments.core)?;
    let loaded = program::load(&arguments.program, &core)?;
    let text = cp2_asm::disassemble(&loaded.image, &core);
    match &arguments.output {
        Some(path) => files::write(path, text.as_bytes())?,
        None => files::print(text.as_bytes())?,
    }
    Ok(Exit::Success)
}
