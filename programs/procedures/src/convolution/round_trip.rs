//! The kernel that transforms vectors, multiplies the results by the transform of the filter and transforms the
//! products back, in one call. It changes the direction of the transform itself, which needs the extension
//! `fft-direction`.

use super::product;
use cp2_isa::Core;
use cp2_isa::bits::CONTROL_INVERSE;
use cp2_kernels::fft;
use cp2_session::error::KernelError;

/// Returns the assembly text of two kernels for vectors of `points` points on a core: `transform_once...`, which
/// transforms vectors alone, with the arguments of the kernel of `cp2_kernels::fft`, and `round_trip...`, which
/// transforms vectors, multiplies the transforms by that of a filter and transforms the products back, `words` words of
/// each section in all. The second one takes in `g0` the word address of the vectors, where the results go too, in `g1`
/// that of the transforms between, in `g2` the number of vectors less 1, and in `g3` the word address of the filter's
/// transform. It begins forward and rounds to nearest, whatever the register CONTROL says, and leaves CONTROL so.
///
/// # Errors
/// No kernel transforms this number of points, or the core has too few registers for it.
pub fn source(core: &Core, points: usize, words: usize) -> Result<String, KernelError> {
    let routine = fft::routine(core, points, "transform")?;
    let product = product::shared_body(core, points, words);
    // Transforms and product leave Nn of the first address sets alone, but overwrite most An.
    Ok(format!(
        "        .kernel transform_once{points}
        | calli transform
        nop
        | stopi 0
        .kernel round_trip{points}
        .requires fft-direction
        | move n0, g0
        | move n1, g1
        | move n2, g2
        | move n3, g3
        | seti g4, 0
        | move control, g4
        | calli transform
        nop
        | move g0, n1
        | move g1, n3
{product}        | seti g4, {CONTROL_INVERSE:#x}
        | move control, g4
        | move g0, n1
        | move g1, n0
        | move g2, n2
        | calli transform
        nop
        | seti g4, 0
        | move control, g4
        | stopi 0
{routine}"
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use cp2_emu::End;
    use cp2_isa::{CoreNumbers, Extensions, SECTIONS};
    use cp2_kernels::fft::relative_rms_error;
    use cp2_session::Environment;
    use cp2_session::load::{complex, machine_with, word};
    use cp2_session::random;
    use num_complex::{Complex32, Complex64};

    /// Returns the circular convolution in double precision.
    fn reference(x: &[Complex32], h: &[Complex32]) -> Vec<Complex64> {
        let wide = |z: &Complex32| Complex64::new(z.re.into(), z.im.into());
        let n = x.len();
        let term = |k: usize, j: usize| wide(&x[j]) * wide(&h[(k + n - j) % n]);
        (0..n).map(|k| (0..n).map(|j| term(k, j)).sum()).collect()
    }

    #[test]
    fn a_kernel_convolves_in_one_call() {
        let numbers = CoreNumbers { extensions: Extensions::FFT_DIRECTION, ..*Core::CP2.numbers() };
        let core = Core::new(numbers).unwrap();
        for points in [64, 256, 1024] {
            let words = 1024;
            let text = source(&core, points, words).unwrap();
            let (mut cp2, transform) =
                machine_with(&Environment::new(), &core, "round_trip.s", &text).unwrap();
            let inputs = random::complex(3, words + points);
            for (k, &x) in inputs.iter().enumerate() {
                let at = if k < words { k } else { 3072 + k - words };
                cp2.state.lmem[at] = [word(x); SECTIONS];
            }
            let image = Environment::new().assemble(&core, "round_trip.s", &text).unwrap();
            let there_and_back = image.kernels[1].start;
            let vectors = (words / points - 1) as u64;
            for (entry, arguments) in
                [(transform, [3072, 2048, 0, 0]), (there_and_back, [0, 1024, vectors, 2048])]
            {
                cp2.state.gpr[..4].copy_from_slice(&arguments);
                assert_eq!(cp2.run_untraced(entry, 1_000_000).end, End::Stopped(0));
            }
            for v in 0..words / points {
                let x = &inputs[v * points..][..points];
                let exact = reference(x, &inputs[words..]);
                let found: Vec<Complex32> =
                    (0..points).map(|k| complex(cp2.state.lmem[v * points + k][2])).collect();
                let scaled: Vec<Complex32> = found.iter().map(|z| z / points as f32).collect();
                assert!(relative_rms_error(&scaled, &exact) < 1e-6, "{points}");
            }
        }
    }
}
