//! FFTs in place, as routines that a kernel calls: each transforms all vectors of a page, which is the part of local
//! memory that is worked on at once. They are the passes of transforms of several dimensions. Their results lie in
//! orders that walks of the channel undo.

use super::generate;
use cp2_isa::Core;
use cp2_session::error::KernelError;

pub use super::generate::{InPlace, Order};

/// Lengths, in points, of the rows (vectors of contiguous words) for which there is a routine.
pub const ROWS: [usize; 4] = [32, 64, 128, 256];
/// Lengths, in points, of the columns (interleaved vectors) for which there is a routine.
pub const COLUMNS: [usize; 6] = [8, 16, 32, 64, 128, 256];

impl InPlace {
    /// Returns the assembly text of the routine that does the transform, with the label `name`, for a kernel to call.
    /// The routine takes the word address of the first vector in local memory in both `g0` and `g1`, and in `g2` the
    /// number of units less 1, where a unit is [`InPlace::vectors_per_unit`] vectors. It uses `r0` to `r3`, the general
    /// registers and the index registers.
    ///
    /// # Errors
    /// No routine transforms such vectors with results in such an order, or the core has too few registers.
    pub fn routine(&self, core: &Core, name: &str) -> Result<String, KernelError> {
        let none = || KernelError::Length {
            points: self.points,
            allowed: "8 to 256 in columns, 32 to 256 in rows".to_owned(),
        };
        generate::routine(core, name, self)?.ok_or_else(none)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use crate::fft::{reference, relative_rms_error};
    use cp2_isa::SECTIONS;
    use cp2_session::execution::Execution;
    use cp2_session::execution::KernelRunner;
    use cp2_session::load::{complex, word};
    use cp2_session::random;

    /// Returns the error of a transform of all vectors that `words` words hold, and the cycles of the transform.
    fn error(transform: InPlace, words: usize, inverse: bool) -> (f64, u64) {
        let on = Execution::default();
        let routine = transform.routine(&on.core, "transform").unwrap();
        let text = format!(
            "        .kernel alone\n        | calli transform\n        nop\n        stopi 0\n{routine}"
        );
        let (mut cp2, entry) = KernelRunner::with("alone.s", &text, &on).unwrap();
        let numbers = random::complex(7, words);
        for (quad, &x) in cp2.state().lmem.iter_mut().zip(&numbers) {
            *quad = [word(x); SECTIONS];
        }
        if inverse {
            cp2.state().control |= cp2_emu::state::CONTROL_INVERSE;
        }
        let (points, vectors) = (transform.points, words / transform.points);
        let units = vectors / transform.vectors_per_unit();
        let cycles = cp2.call(entry, &[0, 0, units - 1]).unwrap().cycles;
        let word_of = |v: usize, k: usize| match transform.columns {
            Some(stride) => k * stride + v,
            None => v * points + k,
        };
        let (mut results, mut exact) = (Vec::new(), Vec::new());
        for v in 0..vectors {
            let input: Vec<_> = (0..points).map(|k| numbers[word_of(v, k)]).collect();
            exact.extend(reference(&input, inverse));
            let lmem = &cp2.state().lmem;
            let at = |k| lmem[word_of(v, transform.place(k))][3];
            results.extend((0..points).map(|k| complex(at(k))));
        }
        (relative_rms_error(&results, &exact), cycles)
    }

    #[test]
    fn columns_are_transformed_in_place() {
        for points in COLUMNS {
            let orders: &[Order] =
                if points <= 32 { &[Order::Natural, Order::Reversed] } else { &[Order::Reversed] };
            for &order in orders {
                let columns = Some(2048 / points);
                let (error, cycles) = error(InPlace { points, columns, order }, 2048, false);
                assert!(error < 3e-7, "{points} {order:?}: {error:e}");
                let bound = 1024 * u64::from(points.trailing_zeros());
                assert!(cycles < bound * 5 / 4 + 300, "{points} {order:?}: {cycles} of {bound}");
            }
        }
    }

    #[test]
    fn rows_are_transformed_in_place() {
        for (points, order) in ROWS
            .map(|points| (points, Order::Reversed))
            .into_iter()
            .chain([(128, Order::ReversedInHalves)])
        {
            let transform = InPlace { points, columns: None, order };
            let (error, cycles) = error(transform, 2048, true);
            assert!(error < 3e-7, "{points} {order:?}: {error:e}");
            let bound = 1024 * u64::from(points.trailing_zeros());
            assert!(cycles < bound * 5 / 4 + 300, "{points} {order:?}: {cycles} of {bound}");
        }
    }
}
