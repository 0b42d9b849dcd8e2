//! From assembled programs to a machine that is ready to run them.

use crate::error::KernelError;
use crate::reuse;
use crate::store::{self, Kept};
use cp2_asm::image::Image;
use cp2_asm::interface::Interface;
use cp2_asm::sched::Store;
use cp2_asm::{Options, Sources};
use cp2_emu::Cp2;
use cp2_emu::machine::Action;
use cp2_isa::{BundleAddress, Core, CoreNumbers, SECTIONS};
use num_complex::Complex32;
use std::collections::BTreeMap;

/// Copies the bundles and the data of an image into a machine.
pub fn load(image: &Image, cp2: &mut Cp2) {
    for kernel in &image.kernels {
        cp2.state.iram[kernel.range()].copy_from_slice(&kernel.words);
    }
    for chunk in &image.data {
        let start = chunk.start.index();
        for (quad, &word) in cp2.state.lmem[start..].iter_mut().zip(&chunk.words) {
            match chunk.section {
                Some(s) => quad[usize::from(s)] = word,
                None => *quad = [word; SECTIONS],
            }
        }
    }
}

/// What a host does to load an image, with the machine's interface for hosts.
pub fn actions(image: &Image) -> impl Iterator<Item = Action> + '_ {
    let bundles = image.kernels.iter().map(|kernel| {
        let words = kernel.words.clone().into();
        Action::WriteBundles(kernel.start, words)
    });
    let data = image.data.iter().map(|chunk| {
        let words = chunk.words.clone().into();
        Action::WriteWords(chunk.start, chunk.section, words)
    });
    bundles.chain(data)
}

/// A complex number as CP2 holds it: the real part in the high half.
pub fn word(x: Complex32) -> u64 {
    u64::from(x.re.to_bits()) << 32 | u64::from(x.im.to_bits())
}

/// The complex number of a word.
pub fn complex(word: u64) -> Complex32 {
    Complex32::new(f32::from_bits((word >> 32) as u32), f32::from_bits(word as u32))
}

/// A CP2 after reset.
pub fn cp2(core: &Core) -> Cp2 {
    Cp2::new(*core)
}

/// Assembles the text of a kernel for a core.
///
/// # Errors
/// The text does not assemble, or has more bundles than the core has places for.
pub fn assemble(core: &Core, name: &str, text: &str) -> Result<Image, KernelError> {
    Ok(assemble_with_sources(core, name, text)?.0)
}

/// The same, with what its lines are of.
///
/// # Errors
/// See [`assemble`].
pub fn assemble_with_sources(
    core: &Core,
    name: &str,
    text: &str,
) -> Result<(Image, Sources), KernelError> {
    reuse::program(core, name, text, || assemble_anew(core, name, text))
}

/// Assembles a text that a generator makes, for a name that tells all that it depends on beside the core. No text is made
/// where the program is kept.
///
/// # Errors
/// See [`assemble`].
pub fn assemble_named(
    core: &Core,
    name: &str,
    text: impl FnOnce() -> Result<String, KernelError>,
) -> Result<Image, KernelError> {
    if reuse::is_on() {
        return assemble(core, name, &reuse::text(core, name, text)?);
    }
    store::program(core, (name, None), || image_of(core, name, &text()?))
}

fn assemble_anew(core: &Core, name: &str, text: &str) -> Result<(Image, Sources), KernelError> {
    let image = store::program(core, (name, Some(text)), || image_of(core, name, text))?;
    let mut sources = Sources::default();
    sources.add(name, text);
    Ok((image, sources))
}

fn image_of(core: &Core, name: &str, text: &str) -> Result<Image, KernelError> {
    let mut sources = Sources::default();
    let root = sources.add(name, text);
    let mut none = |_: &str, path: &str| Err(format!("there are no files here, nor `{path}`"));
    // With all bundles that the encoding reaches, so that the refusal can tell how many it takes.
    let all = Core::WIDEST.numbers().instruction_memory_bundles;
    let numbers = CoreNumbers { instruction_memory_bundles: all, ..*core.numbers() };
    let roomy = Core::new(numbers).unwrap_or(*core);
    let mut kept = Kept::get();
    let store = kept.as_mut().map(|kept| kept as &mut dyn Store);
    let options = Options { core: roomy, store };
    let image = match cp2_asm::assemble_regions(&mut sources, &[root], &mut none, options) {
        Ok(assembled) => assembled.image,
        Err(diagnostics) => {
            let failure = cp2_asm::Failure { sources, diagnostics };
            return Err(KernelError::Assembly(failure.to_string()));
        }
    };
    let kernel = name.trim_end_matches(".s");
    let end = image.kernels.iter().map(|k| k.range().end).max();
    KernelError::require(
        kernel,
        "bundles of instruction memory",
        end.unwrap_or(0),
        core.iram_bundles(),
    )?;
    Ok(image)
}

/// What the kernels of a text declare, by name. Linear code, which declares nothing, is passed over, so that
/// nothing is scheduled.
///
/// # Errors
/// The rest does not assemble.
pub fn interfaces(core: &Core, text: &str) -> Result<BTreeMap<String, Interface>, KernelError> {
    let mut is_linear = false;
    let mut rest = String::new();
    for line in text.lines() {
        let word = line.split_whitespace().next().unwrap_or_default();
        is_linear |= word == ".linear";
        rest += if is_linear { "" } else { line };
        rest.push('\n');
        is_linear &= word != ".endlinear";
    }
    Ok(assemble(core, "interface.s", &rest)?.interfaces)
}

/// A machine that holds an assembled text, and the address of its first kernel.
pub fn machine_with(
    core: &Core,
    name: &str,
    text: &str,
) -> Result<(Cp2, BundleAddress), KernelError> {
    let image = assemble(core, name, text)?;
    let entry = image.kernels.first().map_or(BundleAddress::default(), |k| k.start);
    let mut cp2 = cp2(core);
    load(&image, &mut cp2);
    Ok((cp2, entry))
}
