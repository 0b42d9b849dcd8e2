//! Loading of assembled programs into a CP2 that is to run them, and complex numbers in words of CP2.

use crate::environment::Environment;
use crate::error::KernelError;
use cp2_asm::image::Image;
use cp2_asm::interface::Interface;
use cp2_emu::Cp2;
use cp2_emu::machine::Action;
use cp2_isa::{BundleAddress, Core, SECTIONS};
use num_complex::Complex32;
use std::collections::BTreeMap;

/// Copies the bundles and the data of an image into the instruction memory and the local memory of a CP2. Panics if the
/// CP2 is too small for them.
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

/// Returns the actions of a host that loads an image into a machine: writes of bundles, kernel by kernel, then writes
/// of data. Unlike [`load`], they are part of a recording when the machine does them.
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

/// Returns a complex number as a word of CP2: the real part in the high half, the imaginary part in the low half.
pub fn word(x: Complex32) -> u64 {
    u64::from(x.re.to_bits()) << 32 | u64::from(x.im.to_bits())
}

/// Returns the complex number that a word of CP2 holds: the real part in the high half, the imaginary part in the low
/// half.
pub fn complex(word: u64) -> Complex32 {
    Complex32::new(f32::from_bits((word >> 32) as u32), f32::from_bits(word as u32))
}

/// Creates a CP2 with this core, its sizes and latencies, as it is after reset.
pub fn cp2(core: &Core) -> Cp2 {
    Cp2::new(*core)
}

/// Returns the interfaces that the kernels of an assembly text declare, their arguments and arrays, by the name of the
/// kernel. Regions of linear code are left out, so that nothing is scheduled.
///
/// # Errors
/// [`KernelError::Assembly`] if the rest of the text does not assemble for the core.
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
    Ok(Environment::new().assemble(core, "interface.s", &rest)?.interfaces.clone())
}

/// Assembles a text, and returns a CP2 after reset that holds the program, with the address of its first kernel; 0 if
/// the text has no kernel. `name` names the text in messages.
///
/// # Errors
/// The same errors as of [`Environment::assemble`].
pub fn machine_with(
    environment: &Environment,
    core: &Core,
    name: &str,
    text: &str,
) -> Result<(Cp2, BundleAddress), KernelError> {
    let image = environment.assemble(core, name, text)?;
    let entry = image.kernels.first().map_or(BundleAddress::default(), |k| k.start);
    let mut cp2 = cp2(core);
    load(&image, &mut cp2);
    Ok((cp2, entry))
}
