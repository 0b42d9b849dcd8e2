//! Fourier coefficients as a function of the angle in RIND. Engines step RIND.

use super::float::SIGN;
use super::word::join;
use std::f64::consts::PI;
use std::sync::LazyLock;

/// Steps of an eighth of the circle.
const OCTANT: u16 = 8192;

/// (cos a, sin a) for a = 2 pi t / 65536, t = 0..=8192, as bits of the nearest singles. None of
/// the values lies so near to a tie that double precision could round it wrongly (tested).
static FIRST_OCTANT: LazyLock<Vec<(u32, u32)>> = LazyLock::new(|| {
    (0..=OCTANT)
        .map(|t| {
            let angle = f64::from(t) * (PI / 32768.0);
            ((libm::cos(angle) as f32).to_bits(), (libm::sin(angle) as f32).to_bits())
        })
        .collect()
});

/// Returns the Fourier coefficient for angle 2 pi `rind` / 65536: the cosine in the high half, the sine in the low
/// half, each the nearest single-precision number. `inverse` (bit I of CONTROL) negates the sine.
#[inline]
pub fn coefficient(rind: u16, inverse: bool) -> u64 {
    // [L] 4.3; there t is taken modulo 8192 but for the one angle at which that matters.
    let bit = |n: u16| rind >> n & 1 == 1;
    let low = rind % OCTANT;
    let t = if bit(13) { OCTANT - low } else { low };
    let (cos, sin) = FIRST_OCTANT[usize::from(t)];
    let (hi, lo) = if bit(13) ^ bit(14) { (sin, cos) } else { (cos, sin) };
    let sign = |negative: bool| if negative { SIGN } else { 0 };
    join(hi ^ sign(bit(14) ^ bit(15)), lo ^ sign(bit(15) ^ inverse))
}
