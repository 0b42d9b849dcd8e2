//! From assembled programs to a machine that is ready to run them.

use crate::error::KernelError;
use cp2_asm::image::Image;
use cp2_emu::Cp2;
use cp2_isa::SECTIONS;
use num_complex::Complex32;

/// Copies the bundles and the data of an image into a machine.
pub fn load(image: &Image, cp2: &mut Cp2) {
    for kernel in &image.kernels {
        let start = usize::from(kernel.start);
        cp2.state.iram[start..start + kernel.words.len()].copy_from_slice(&kernel.words);
    }
    for chunk in &image.data {
        let start = usize::from(chunk.start);
        for (quad, &word) in cp2.state.lmem[start..].iter_mut().zip(&chunk.words) {
            match chunk.section {
                Some(s) => quad[usize::from(s)] = word,
                None => *quad = [word; SECTIONS],
            }
        }
    }
}

/// A complex number as CP2 holds it: the real part in the high half.
pub fn word(x: Complex32) -> u64 {
    u64::from(x.re.to_bits()) << 32 | u64::from(x.im.to_bits())
}

/// The complex number of a word.
pub fn complex(word: u64) -> Complex32 {
    Complex32::new(f32::from_bits((word >> 32) as u32), f32::from_bits(word as u32))
}

/// A machine that holds an assembled text, and the address of its first kernel.
pub fn machine_with(name: &str, text: &str) -> Result<(Cp2, u16), KernelError> {
    let image =
        cp2_asm::assemble_str(name, text).map_err(|e| KernelError::Assembly(e.to_string()))?;
    let entry = image.kernels.first().map_or(0, |k| k.start);
    let mut cp2 = Cp2::default();
    load(&image, &mut cp2);
    Ok((cp2, entry))
}
