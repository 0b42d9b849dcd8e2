//! Cycles of the published kernels: those that \[D\] gives for kernels that ours are compared with, by the names of
//! ours, and those of transforms that follow from other figures of \[D\].

use crate::measured::sparse;
use cp2_session::workload::Bound;

/// Cycles that a kernel of the published source \[D\] takes for a unit of its work, such as one vector in each section.
/// The function that returns it, such as [`count`], tells the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedCycles {
    /// Cycles for one unit of work.
    pub cycles: u64,
    /// Source of the number, such as `[D] table B.2`.
    pub source: &'static str,
}

const TRANSFORMS: &str = "[D] table B.2";
const BLOCKS: &str = "[D] table B.6";
const PRODUCTS: &str = "[D] table B.8";

/// Returns the cycles of the kernel of \[D\] that our kernel with this name is compared with; `None` if there is none.
/// Units: one vector in each section for `fft64`, `fft128` and `fft256`; a fine block of 32 x 8 x 8 points for
/// multigrid operators, a coarse one of 32 x 4 x 4 for the interpolations; ten operations `psmadd` for `spmv_sliced`,
/// whose number has one decimal. Variants of our kernels with `_general` or `_single` after the name are compared with
/// the same cycles.
pub fn count(kernel: &str) -> Option<PublishedCycles> {
    let name = kernel.strip_suffix("_general").or(kernel.strip_suffix("_single")).unwrap_or(kernel);
    let (cycles, source) = match name {
        "fft64" => (247, TRANSFORMS),
        "fft128" => (579, TRANSFORMS),
        "fft256" => (1218, TRANSFORMS),
        "resid" | "smooth" => (28394, BLOCKS),
        "smooth0" => (28392, BLOCKS),
        "proj" => (5176, BLOCKS),
        "interp" => (6287, BLOCKS),
        "interp0" => (5733, BLOCKS),
        "spmv_sliced" => (278, PRODUCTS),
        _ => return None,
    };
    Some(PublishedCycles { cycles, source })
}

/// Returns the cycles of the published sliced kernel for a whole product by a random square matrix with this number of
/// rows and one entry in 16 elements. `None` if \[D\] does not tell them: its table has whole products only for
/// matrices in one slice.
pub fn product_count(rows: usize) -> Option<PublishedCycles> {
    let row = sparse::ROWS.iter().find(|row| row.rows() == rows && row.height == rows)?;
    Some(PublishedCycles { cycles: row.kernel[0], source: PRODUCTS })
}

/// Returns the cycles of the published kernel for transforms of this number of points, one vector in each section. They
/// are from table B.2 of \[D\] for 64, 128 and 256 points, and derived from efficiencies in table B.4 for other numbers
/// up to 4096; `None` below 64 and above 4096.
pub fn transform_count(points: usize) -> Option<PublishedCycles> {
    let source = "from the efficiencies of [D] table B.4";
    let derived = || {
        (64..=4096)
            .contains(&points)
            .then(|| PublishedCycles { cycles: fft_cycles(points), source })
    };
    count(&format!("fft{points}")).or_else(derived)
}

/// Returns `bound`, the fewest cycles of one of our kernels, with the published cycles set beside it; unchanged if
/// `published` is `None`. `sides` says in words what the two compared kernels do.
pub fn bound_with_published(
    bound: Bound,
    published: Option<PublishedCycles>,
    sides: &'static str,
) -> Bound {
    match published {
        Some(PublishedCycles { cycles, source }) => {
            bound.with_published(Some(cycles), source, sides)
        }
        None => bound,
    }
}

/// Cycles of the published kernel for a transform of 4096 points, one vector in each section; an estimate. Table B.4 of
/// \[D\] has 86 % of the theory for convolutions by transforms of 4096 points (2048 points of data) on both processors.
/// If that theory computes and moves one after the other, two transforms and 16 bytes a point (the vector with its
/// zeros, the result), it holds at 36756 to 37271 cycles. This number lies in the middle: a transform in place, like
/// those of 2048 points, and 2 cycles a word to bring the result into order.
pub const FFT_4096_CYCLES: u64 = 37014;

/// Returns the cycles of the published kernel for a transform of this number of points, one vector in each section. A
/// number of points between two powers of two counts as the higher one, below 64 as 64, above 4096 as 4096. Table B.2
/// of \[D\] has 64, 128 and 256 points. Up to 2048 points the theory of table B.4 is two transforms and nothing else,
/// so the efficiencies there tell the cycles for 512, 1024 and 2048 points; these are in the middle of what the
/// percentages of both processors leave.
pub fn fft_cycles(points: usize) -> u64 {
    match points {
        ..=64 => 247,
        65..=128 => 579,
        129..=256 => 1218,
        257..=512 => 2673,
        513..=1024 => 5798,
        1025..=2048 => 13516,
        _ => FFT_4096_CYCLES,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use crate::measured::{MeasuredRow, Theory, table};
    use cp2_procedures::host::Procedure;

    /// Returns the microseconds of a vector by the source's theory, at both ends of the rounding of the efficiency.
    fn theory_us(row: &MeasuredRow) -> [f64; 2] {
        let Theory::Efficiency(percent) = row.theory else { panic!("no efficiency") };
        [percent - 0.5, percent + 0.5]
            .map(|percent| row.procedure.operations() as f64 * percent / 100.0 / row.mops)
    }

    fn rows(points: usize) -> [&'static MeasuredRow; 2] {
        let procedure = Procedure::Convolution { transform: points };
        ["B.4-VM7", "B.4-VM9"].map(|name| {
            table(name).unwrap().rows.iter().find(|r| r.procedure == procedure).unwrap()
        })
    }

    /// Checks the theory of two transforms of a vector, in one of four sections.
    #[test]
    fn efficiencies_of_table_b4_allow_the_counts() {
        for points in [64, 128, 256, 512, 1024, 2048] {
            for (row, clock) in rows(points).into_iter().zip([200.0, 1000.0]) {
                let [low, high] = theory_us(row).map(|us| 2.0 * us * clock);
                let cycles = fft_cycles(points) as f64;
                assert!((low..=high).contains(&cycles), "{points}: {low:.0} to {high:.0}");
            }
        }
    }

    #[test]
    fn the_count_of_4096_points_is_what_computing_and_moving_in_turn_leave() {
        for (row, clock, rate) in rows(4096)
            .into_iter()
            .zip([(200.0, 2700.0), (1000.0, 8400.0)])
            .map(|(r, (c, b))| (r, c, b))
        {
            let [low, high] = theory_us(row).map(|us| 2.0 * clock * (us - 16.0 * 4096.0 / rate));
            let cycles = FFT_4096_CYCLES as f64;
            assert!((low..=high).contains(&cycles), "{low:.0} to {high:.0}");
            // Neither vectors that are loaded without their zeros nor tables that come along.
            for bytes in [12.0, 20.0] {
                let [low, high] =
                    theory_us(row).map(|us| 2.0 * clock * (us - bytes * 4096.0 / rate));
                assert!(!(low..=high).contains(&cycles), "{bytes}: {low:.0} to {high:.0}");
            }
        }
    }
}
