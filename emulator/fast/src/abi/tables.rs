//! Tables that translated code reads: coefficients by angle, reversed addresses, rows of elementary functions. They are made
//! when they are first asked for.

use cp2_emu::arith::coefficient;
use cp2_emu::arith::tables::{ATANC, EXP2, LOG2C, RECIP, SINC, SQRT, SQRT2, TableRow};
use cp2_isa::Core;
use cp2_isa::rules::address;
use std::sync::{LazyLock, OnceLock};

const SIGN: u64 = 1 << 31;

fn pairs(inverse: bool) -> Vec<[u64; 2]> {
    let both = |half: u64| half << 32 | half;
    (0..=u16::MAX)
        .map(|rind| {
            let w = coefficient(rind, inverse);
            [both(w >> 32), both(w & 0xffff_ffff) ^ SIGN << 32]
        })
        .collect()
}

static FORWARD: LazyLock<Vec<[u64; 2]>> = LazyLock::new(|| pairs(false));
static INVERSE: LazyLock<Vec<[u64; 2]>> = LazyLock::new(|| pairs(true));

/// Returns the coefficients by angle: the real part in both halves, and the imaginary part in both halves, negated in the
/// high one.
pub(crate) fn coefficients(inverse: bool) -> &'static [[u64; 2]] {
    if inverse { &INVERSE } else { &FORWARD }
}

/// Tables of reversed addresses, by the number of bits that an address has.
static REVERSED: [OnceLock<Vec<u16>>; 17] = [const { OnceLock::new() }; 17];

/// Returns the addresses of a core with their bits reversed, and one more: code reads two at once.
pub(crate) fn reversed(core: &Core) -> &'static [u16] {
    let mask = core.address_mask();
    let make = || (0..=mask + 1).map(|a| address::reversed(core, a & mask)).collect();
    REVERSED[core.address_bits() as usize].get_or_init(make)
}

/// Function whose rows stand in a table. A square root has two kinds of rows, those for even exponents first, so that the
/// last bit of the exponent and the fraction make the number of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Curve {
    Recip,
    Sqrt,
    Log2c,
    Exp2,
    Sinc,
    Atanc,
}

/// Number of rows that a curve has place for: one more than an argument below 1 reaches, or those of both square roots.
const CURVE_ROWS: usize = 256;
const CURVES: usize = 6;

/// Position of the lowest bit of c1 in the word of a row; c2 stands below it, and c0 is the high half.
pub(crate) const C1_AT: u8 = 14;
/// Number of bits of c2, which ends the word of a row.
pub(crate) const C2_BITS: u8 = 11;

/// Returns a row packed into one word.
fn packed([c0, c1, c2]: TableRow) -> u64 {
    let low = (c1 as u32) << C1_AT | c2 as u32 & ((1 << C2_BITS) - 1);
    u64::from(c0 as u32) << 32 | u64::from(low)
}

impl Curve {
    /// Returns the distance in bytes of the curve's rows from the beginning of the table of all curves.
    pub(crate) fn displacement(self) -> i32 {
        (self as usize * CURVE_ROWS * size_of::<u64>()) as i32
    }

    /// Returns the rows of the curve. Behind the last one of the even functions stands their value at 1, which is exact.
    fn rows(self) -> Vec<TableRow> {
        match self {
            Self::Recip => RECIP.to_vec(),
            Self::Sqrt => [SQRT2, SQRT].concat(),
            Self::Log2c => LOG2C.to_vec(),
            Self::Exp2 => EXP2.to_vec(),
            Self::Sinc => [&SINC[..], &[[1 << 26, 0, 0]]].concat(),
            Self::Atanc => [&ATANC[..], &[[1 << 25, 0, 0]]].concat(),
        }
    }
}

static FUNCTIONS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let all = [Curve::Recip, Curve::Sqrt, Curve::Log2c, Curve::Exp2, Curve::Sinc, Curve::Atanc];
    let mut words = vec![0; CURVES * CURVE_ROWS];
    for curve in all {
        for (k, row) in curve.rows().into_iter().enumerate() {
            words[curve as usize * CURVE_ROWS + k] = packed(row);
        }
    }
    words
});

/// Returns the table of all curves: their rows, each packed into one word.
pub(crate) fn functions() -> &'static [u64] {
    &FUNCTIONS
}
