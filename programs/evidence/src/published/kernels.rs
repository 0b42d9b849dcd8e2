//! Cycles of the published kernels for one vector in a section: those that \[D\] gives, and those that
//! follow from other figures of \[D\].

/// Cycles for 4096 points. Table B.4 has 86 % of the theory for 2048 points on both processors.
/// If that theory computes and moves one after the other, two transforms and 16 bytes a point (the
/// vector with its zeros, the result), it holds at 36756 to 37271 cycles, in the middle of which this
/// lies: a transform in place, like those of 2048 points, and 2 cycles a word to bring it into order.
pub const FFT_4096_CYCLES: u64 = 37014;

/// Cycles of a transform. Table B.2 has 64, 128 and 256 points. Up to 2048 points the theory of table
/// B.4 is two transforms and nothing else, so that its efficiencies tell the counts of 512, 1024
/// and 2048 points; these are in the middle of what the percentages of both processors leave.
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
    use crate::measured::{Row, Theory, table};
    use cp2_procedures::host::Procedure;

    /// Microseconds of a vector by the source's theory, for the rounding of the efficiency.
    fn theory_us(row: &Row) -> [f64; 2] {
        let Theory::Efficiency(percent) = row.theory else { panic!("no efficiency") };
        [percent - 0.5, percent + 0.5]
            .map(|percent| row.procedure.operations() as f64 * percent / 100.0 / row.mops)
    }

    fn rows(points: usize) -> [&'static Row; 2] {
        let procedure = Procedure::Convolution { transform: points };
        ["B.4-VM7", "B.4-VM9"].map(|name| {
            table(name).unwrap().rows.iter().find(|r| r.procedure == procedure).unwrap()
        })
    }

    /// Two transforms of a vector, in one of four sections.
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
