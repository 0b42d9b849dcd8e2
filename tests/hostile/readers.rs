//! How each kind of input is read, and what has to hold of what the reader says.

use super::kinds::{Judgement, Verdict};
use cp2_asm::diagnostic::{Diagnostic, Sources};
use cp2_asm::expansion::Expansions;
use cp2_asm::{Image, Options, assemble_regions, codes};
use cp2_descriptors::{self as chain, ChainSource};
use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, End, Engine as _, Machine, MachineConfig, ReferenceEngine, State};
use cp2_isa::{BundleAddress, Core};
use cp2_session::npy;
use cp2_session::sparse;

/// Returns a text as the only source, and its number; `None` if the bytes are no text.
pub(super) fn text_of(bytes: &[u8]) -> Option<(Sources, u32)> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut sources = Sources::default();
    let root = sources.add("hostile", text);
    Some((sources, root))
}

/// Checks that errors say what they have to: at least one, each with a code that can be explained and a place in a text.
pub(super) fn told(diagnostics: &[Diagnostic], sources: &Sources) -> Judgement {
    if diagnostics.is_empty() {
        return Err("refused without an error".to_owned());
    }
    for diagnostic in diagnostics {
        if codes::find(diagnostic.code).is_none() {
            return Err(format!("the code {} is not in the table", diagnostic.code));
        }
        if diagnostic.message.is_empty() {
            return Err(format!("{} has no message", diagnostic.code));
        }
        let Some(span) = &diagnostic.span else {
            return Err(format!("{} has no place: {}", diagnostic.code, diagnostic.message));
        };
        let text = sources.text(span.file);
        if text.get(span.range.clone()).is_none() {
            return Err(format!("{} at {:?}: no place in the text", diagnostic.code, span.range));
        }
    }
    // The errors can be printed.
    let style = cp2_asm::render::Style::Plain;
    match cp2_asm::render::render_all(diagnostics, sources, style).is_empty() {
        true => Err("errors that print nothing".to_owned()),
        false => Ok(Verdict::Refused),
    }
}

/// Checks the message of an error, which is for people.
pub(super) fn message(error: impl std::fmt::Display) -> Judgement {
    match error.to_string() {
        text if text.trim().is_empty() => Err("an error without a message".to_owned()),
        text if text.len() > 20_000 => Err(format!("a message of {} bytes", text.len())),
        _ => Ok(Verdict::Refused),
    }
}

/// Checks that an image is good for linting, disassembling to the same words, and a short run on both engines.
fn usable(image: &Image) -> Judgement {
    let core = Core::CP2;
    let findings = cp2_lint::lint_for(image, &cp2_lint::Options { core, undefined: true });
    drop(cp2_lint::to_json(&findings, image, &Expansions::new()));
    let text = cp2_asm::disassemble(image, &core);
    let again = cp2_asm::assemble_str("again.s", &text)
        .map_err(|e| format!("what was disassembled does not assemble: {e}\n{text}"))?;
    let words = |image: &Image| -> Vec<(BundleAddress, Vec<cp2_isa::BundleBits>)> {
        let kernels = image.kernels.iter().filter(|k| !k.words.is_empty());
        kernels.map(|k| (k.start, k.words.clone())).collect()
    };
    if words(&again) != words(image) {
        return Err(format!("disassembled and assembled it has other bundles:\n{text}"));
    }
    let mut cp2 = Cp2::default();
    cp2_session::load::load(image, &mut cp2);
    let entry = image.kernels.first().map_or(BundleAddress::default(), |kernel| kernel.start);
    cp2_fast::compare(&cp2, entry, 300).map_err(|divergence| divergence.to_string())?;
    Ok(Verdict::Accepted)
}

pub(super) fn source(bytes: &[u8]) -> Judgement {
    let Some((mut sources, root)) = text_of(bytes) else { return Ok(Verdict::NoText) };
    // A file that includes itself, and one that is not there.
    let text = sources.text(root).to_owned();
    let mut loader = |_: &str, path: &str| match path.len() % 2 {
        0 => Ok((path.to_owned(), text.clone())),
        _ => Err("there is no such file".to_owned()),
    };
    match assemble_regions(&mut sources, &[root], &mut loader, Options::default()) {
        Err(diagnostics) => told(&diagnostics, &sources),
        Ok(assembled) => {
            let object = cp2_asm::object_file::write(&assembled.image)
                .map_err(|e| format!("an image that is no object: {e}"))?;
            let again = cp2_asm::object_file::read(&object, &Core::CP2)
                .map_err(|e| format!("an object that cannot be read: {e}"))?;
            match again.kernels == assembled.image.kernels && again.data == assembled.image.data {
                true => Ok(Verdict::Accepted),
                false => Err("the object holds another program".to_owned()),
            }
        }
    }
}

pub(super) fn hex(bytes: &[u8]) -> Judgement {
    let Some((sources, file)) = text_of(bytes) else { return Ok(Verdict::NoText) };
    match cp2_asm::hex::read(&sources, file, &Core::CP2) {
        Err(diagnostics) => told(&diagnostics, &sources),
        Ok(image) => usable(&image),
    }
}

pub(super) fn object(bytes: &[u8]) -> Judgement {
    match cp2_asm::object_file::read(bytes, &Core::CP2) {
        Err(e) => message(e),
        Ok(image) => usable(&image),
    }
}

pub(super) fn state(bytes: &[u8]) -> Judgement {
    let value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(e) => return message(e),
    };
    let mut state = State::new(&Core::CP2);
    match state.load_json(&Core::CP2, &value) {
        Err(e) => message(e),
        Ok(()) => {
            let dump = state.to_json(state.status, 0);
            let mut again = State::new(&Core::CP2);
            again.load_json(&Core::CP2, &dump).map_err(|e| format!("its dump is refused: {e}"))?;
            match cp2_emu::Difference::first(&state, &again) {
                None => Ok(Verdict::Accepted),
                Some(difference) => Err(format!("its dump is another state: {difference}")),
            }
        }
    }
}

pub(super) fn machine(bytes: &[u8]) -> Judgement {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(Verdict::NoText) };
    match MachineConfig::parse(text) {
        Err(e) if e.problems.is_empty() => Err("refused without a problem".to_owned()),
        Err(e) => message(e.problems.join("\n")),
        Ok(config) => works(&config),
    }
}

/// Checks that a machine that was accepted can be written, read, built and run.
fn works(config: &MachineConfig) -> Judgement {
    let again = MachineConfig::parse(&config.dump()).map_err(|e| format!("its dump: {e}"))?;
    if again.dump() != config.dump() {
        return Err("its dump is another machine".to_owned());
    }
    drop(config.to_json());
    let mut machine = Machine::new(config);
    let run = ReferenceEngine.run_kernel(&mut machine, BundleAddress(0), 50, &mut NoObserver);
    match run.end {
        End::Interrupted => Err("a run that nobody interrupted".to_owned()),
        _ => Ok(Verdict::Accepted),
    }
}

pub(super) fn setting(bytes: &[u8]) -> Judgement {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(Verdict::NoText) };
    let Some(mut config) = MachineConfig::preset("vm9") else {
        return Err("vm9 is gone".to_owned());
    };
    match config.apply_set(text) {
        Err(e) => message(e.problems.join("\n")),
        Ok(()) => works(&config),
    }
}

pub(super) fn array(bytes: &[u8]) -> Judgement {
    if let Ok(array) = npy::Array::read(bytes) {
        let again = npy::Array::read(&array.write()).map_err(|e| format!("written: {e}"))?;
        if (again.shape_text(), again.bytes()) != (array.shape_text(), array.bytes()) {
            return Err("written and read it is another array".to_owned());
        }
    }
    let raw = npy::big_endian_bytes(bytes);
    if let Ok(any) = npy::Array::read(bytes)
        && npy::Array::read(&any.write()) != Ok(any)
    {
        return Err("written and read it is another array of its type".to_owned());
    }
    match npy::read_complex64(bytes) {
        Err(e) => message(e).and_then(|verdict| match raw {
            Err(e) => message(e),
            Ok(_) => Ok(verdict),
        }),
        Ok(array) => {
            let mut written = npy::header_complex64(array.shape())
                .map_err(|e| format!("cannot be written: {e}"))?;
            written.extend(npy::bytes_complex64(&array.values));
            let again =
                npy::read_complex64(&written).map_err(|e| format!("cannot be read: {e}"))?;
            let bits = |array: &npy::ComplexMatrix| -> Vec<[u32; 2]> {
                array.values.iter().map(|z| [z.re.to_bits(), z.im.to_bits()]).collect()
            };
            match (again.rows, again.columns) == (array.rows, array.columns)
                && bits(&again) == bits(&array)
            {
                true => Ok(Verdict::Accepted),
                false => Err("written and read it is another array".to_owned()),
            }
        }
    }
}

pub(super) fn matrix(bytes: &[u8]) -> Judgement {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(Verdict::NoText) };
    match sparse::market::read(text) {
        Err(e) => message(e),
        Ok(_) => Ok(Verdict::Accepted),
    }
}

pub(super) fn chain_of(
    bytes: &[u8],
    read: fn(&Sources, u32) -> Result<ChainSource, Vec<Diagnostic>>,
) -> Judgement {
    let Some((sources, file)) = text_of(bytes) else { return Ok(Verdict::NoText) };
    match read(&sources, file) {
        Err(diagnostics) => told(&diagnostics, &sources),
        Ok(source) => {
            let text = chain::write_toml(&source.chain);
            let mut sources = Sources::default();
            let file = sources.add("again.toml", text.clone());
            match chain::read_toml(&sources, file) {
                Ok(again) if again.chain == source.chain => Ok(Verdict::Accepted),
                Ok(_) => Err(format!("written as TOML it is another chain:\n{text}")),
                Err(e) => Err(format!("written as TOML it is refused: {}\n{text}", e.len())),
            }
        }
    }
}
