//! `cp2 asm` and `cp2 dis`.

use crate::args::{Asm, Dis, Emit};
use crate::input::{certificates, machine, program};
use crate::process::exit::{Exit, Outcome, bad_input, usage};
use crate::storage::files;
use cp2_asm::c_header;
use cp2_asm::image::SymbolKind;
use cp2_asm::listing::{SymbolEntry, SymbolMap};
use cp2_session::Program;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(crate) fn assemble(arguments: &Asm) -> Outcome {
    let output = &arguments.output;
    let emit = emitted(output, arguments.emit)?;
    let inputs: Vec<_> = arguments.sources.iter().map(|p| Some(p.as_path())).collect();
    let (listing, map) = (arguments.listing.as_deref(), arguments.map.as_deref());
    files::check(&inputs, &[Some(output), listing, map])?;
    let core = machine::core(&arguments.core)?;
    let known = certificates::known(&arguments.known)?;
    let loaded = program::assemble_files(&core, &arguments.sources, (arguments.cache, &known))?;
    certificates::warn_of_unused(&core, loaded.regions(), &known)?;
    // Files that were included are inputs too.
    for output in [Some(output.as_path()), listing, map].into_iter().flatten() {
        files::check_apart(loaded.sources().names().map(Path::new), output)?;
    }
    let bytes = match emit {
        Emit::Object => cp2_asm::object_file::write(loaded.image()).map_err(bad_input)?,
        Emit::Hex if !loaded.image().data.is_empty() => {
            return Err(bad_input(
                "the program has data for local memory, which `.hex` cannot hold; write an object, or move the data to --init",
            ));
        }
        Emit::Hex => cp2_asm::hex::write(loaded.image()).into_bytes(),
        Emit::C => {
            let (sources, choices) = (&arguments.sources, (arguments.cache, &known));
            let moved = program::assemble_moved(&loaded, &core, sources, choices);
            let name = name_in_c(output, &arguments.sources)?;
            c_header::write(&name, loaded.image(), moved.as_ref().map(Program::image), &core)
                .map_err(bad_input)?
                .into_bytes()
        }
    };
    files::write(output, &bytes)?;
    if let Some(path) = listing {
        let (regions, sources) = (loaded.regions(), loaded.sources());
        let text = cp2_asm::listing::program(loaded.image(), &core, regions, sources);
        files::write(path, text.as_bytes())?;
    }
    if let Some(path) = map {
        let map = SymbolMap::of(loaded.image(), &core);
        let text = match path.extension().is_some_and(|e| e == "json") {
            true => format!("{:#}\n", map_json(&map)),
            false => map.to_string(),
        };
        files::write(path, text.as_bytes())?;
    }
    Ok(Exit::Success)
}

fn map_json(map: &SymbolMap) -> Value {
    let symbol = |e: &SymbolEntry| {
        let kind = match e.kind {
            SymbolKind::Bundle if e.is_kernel => "kernel",
            SymbolKind::Bundle => "bundle",
            SymbolKind::Word => "word",
            SymbolKind::Constant => "constant",
        };
        json!({ "name": e.name, "kind": kind, "value": e.value, "size": e.size, "global": e.global })
    };
    json!({
        "schema": "cp2-map-1",
        "bundles": { "used": map.bundles[0], "available": map.bundles[1] },
        "words": { "used": map.words[0], "available": map.words[1] },
        "symbols": map.entries.iter().map(symbol).collect::<Vec<_>>(),
    })
}

/// Returns the form that a file of this name shall hold; refuses one that differs from that of `--emit`.
fn emitted(output: &Path, asked: Option<Emit>) -> Outcome<Emit> {
    let ending = output.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let named = match ending {
        "hex" => Some(Emit::Hex),
        "o" | "elf" => Some(Emit::Object),
        "h" => Some(Emit::C),
        _ => None,
    };
    match (named, asked) {
        (Some(named), Some(asked)) if named != asked => Err(usage(format!(
            "{}: the ending `.{ending}` does not fit --emit; change the name or --emit",
            output.display()
        ))),
        (named, asked) => Ok(asked.or(named).unwrap_or(Emit::Object)),
    }
}

/// Returns the name that begins the names of a header of C: that of the file without its ending, or of the first source if
/// the header goes to standard output.
fn name_in_c(output: &Path, sources: &[PathBuf]) -> Outcome<String> {
    let file =
        if output == Path::new("-") { sources.first().map(PathBuf::as_path) } else { Some(output) };
    let name = file.and_then(Path::file_stem).and_then(|stem| stem.to_str()).unwrap_or_default();
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return Ok(name.to_owned());
    }
    let message = format!(
        "names of C begin with that of the header, or of the first source if the header goes to standard output, which has to begin with a letter of a to z; write it to a file such as kernel.h: {}",
        file.unwrap_or(output).display()
    );
    Err(usage(message))
}

pub(crate) fn disassemble(arguments: &Dis) -> Outcome {
    files::check(&[Some(&arguments.program.program)], &[arguments.output.as_deref()])?;
    let core = machine::core(&arguments.core)?;
    let loaded = program::load(&arguments.program, &core)?;
    let text = cp2_asm::disassemble(loaded.image(), &core);
    match &arguments.output {
        Some(path) => files::write(path, text.as_bytes())?,
        None => files::print(text.as_bytes())?,
    }
    Ok(Exit::Success)
}
