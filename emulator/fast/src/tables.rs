//! Tables that translated code reads: coefficients by angle, reversed addresses. Made when first
//! asked for.

use cp2_emu::arith::coefficient;
use cp2_emu::state::ADDRESS_MASK;
use std::sync::LazyLock;

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

/// For every angle the real part in both halves, and the imaginary part in both halves, negated in
/// the high one.
pub(crate) fn coefficients(inverse: bool) -> &'static [[u64; 2]] {
    if inverse { &INVERSE } else { &FORWARD }
}

// One more than there are addresses: two are read at once.
static REVERSED: LazyLock<Vec<u16>> = LazyLock::new(|| {
    (0..=ADDRESS_MASK + 1).map(|a| (a & ADDRESS_MASK).reverse_bits() >> 3).collect()
});

/// Addresses with their 13 bits reversed.
pub(crate) fn reversed() -> &'static [u16] {
    &REVERSED
}
