//! Operands for the tests, and functions that run operations on them.

use cp2_emu::arith::{Flags, Lane, LaneResult, Rounding, execute};
use cp2_isa::{Arith, Inst};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

pub(crate) const MODES: [Rounding; 4] =
    [Rounding::Nearest, Rounding::Zero, Rounding::Up, Rounding::Down];

/// Magnitudes at the edges of the format and of its rules.
const MAGNITUDES: [u32; 38] = [
    0x0000_0000, // zero
    0x0000_0001, // denormals
    0x0040_0000,
    0x007f_ffff,
    0x0080_0000, // smallest normal and neighbours
    0x0080_0001,
    0x00ff_ffff,
    0x0100_0000,
    0x0100_0001,
    0x0c00_0000, // 2^-103, 2^-63, 2^-24
    0x2000_0000,
    0x3380_0000,
    0x3eff_ffff, // around 0.5
    0x3f00_0000,
    0x3f00_0001,
    0x3f7f_ffff, // around 1
    0x3f80_0000,
    0x3f80_0001,
    0x3fb5_04f3, // sqrt 2
    0x3fc0_0000, // 1.5, 2, 2.5, 3
    0x4000_0000,
    0x4020_0000,
    0x4040_0000,
    0x4b00_0000, // 2^23, 2^24 - 1, 2^24
    0x4b7f_ffff,
    0x4b80_0000,
    0x4eff_ffff, // around 2^31
    0x4f00_0000,
    0x4f00_0001,
    0x5f00_0000, // 2^63, 2^64
    0x5f80_0000,
    0x7f00_0000, // largest numbers
    0x7f7f_fffe,
    0x7f7f_ffff,
    0x7f80_0000, // infinity
    0x7f80_0001, // NaNs
    0x7fc0_0000,
    0x7fff_ffff,
];

/// Returns the edge values with both signs.
pub(crate) fn specials() -> impl Iterator<Item = u32> + Clone {
    MAGNITUDES.into_iter().flat_map(|m| [m, m | 1 << 31])
}

/// Returns a float of one of the kinds that matter, from random bits.
pub(crate) fn float_from_seed(seed: u64) -> u32 {
    let (bits, choice) = (seed as u32, (seed >> 32) as u32);
    let (kind, pick) = (choice & 7, choice >> 3);
    let with_exponent = |exponent: u32| bits & 0x807f_ffff | exponent << 23;
    match kind {
        0 => MAGNITUDES[pick as usize % MAGNITUDES.len()] | bits & 1 << 31,
        1 | 2 => bits,
        3 => with_exponent(126 + pick % 4),
        4 => with_exponent(1 + pick % 30),
        5 => with_exponent(225 + pick % 30),
        // Near a power of two, and with few significant bits, for ties.
        6 => (bits & 0xff80_0000).wrapping_add(pick % 5).wrapping_sub(2),
        _ => with_exponent(110 + pick % 40) & !(0x7f_ffff >> ((pick >> 8) % 24)),
    }
}

pub(crate) fn float() -> impl Strategy<Value = u32> {
    any::<u64>().prop_map(float_from_seed)
}

pub(crate) fn word() -> impl Strategy<Value = u64> {
    (float(), float()).prop_map(|(hi, lo)| join(hi, lo))
}

/// Returns lanes of which every register is a pair of floats.
pub(crate) fn lane() -> impl Strategy<Value = Lane> {
    (word(), word(), word(), word(), word(), word()).prop_map(
        |(d, s, t, s_next, t_next, coefficient)| Lane {
            d,
            s,
            t,
            s_next,
            t_next,
            coefficient,
            ..Lane::default()
        },
    )
}

/// Returns a configuration with the same cases in every run.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20_240_817),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

pub(crate) fn join(hi: u32, lo: u32) -> u64 {
    u64::from(hi) << 32 | u64::from(lo)
}

/// Returns the halves (hi, lo) of a word.
pub(crate) fn halves(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}

pub(crate) fn both(x: u32) -> u64 {
    join(x, x)
}

/// Runs an operation without immediates.
pub(crate) fn run(op: Arith, x: &Lane) -> LaneResult {
    run_with(op, &[], x)
}

/// Runs an operation with its packed operands.
pub(crate) fn run_with(op: Arith, operands: &[i32], x: &Lane) -> LaneResult {
    execute(&Inst::new(op, operands), x)
}

/// Runs an operation of S and T in a rounding mode.
pub(crate) fn run_st(op: Arith, s: u64, t: u64, rounding: Rounding) -> LaneResult {
    run(op, &Lane { s, t, rounding, ..Lane::default() })
}

/// Reads exceptions by their letters, as [L] writes them.
pub(crate) fn flags(letters: &str) -> Flags {
    letters.chars().fold(Flags::empty(), |all, letter| {
        all | Flags::from_name(&letter.to_string()).expect("one of I U O Z V E")
    })
}
