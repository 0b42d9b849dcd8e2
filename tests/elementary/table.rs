//! The seven tables by the rule of the reference (elementary, section 2): the best quadratic of each
//! piece by Chebyshev coefficients in double precision, rounded to integers.

use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::LazyLock;

/// Rows of a table.
pub(crate) const ROWS: usize = 128;
/// Nodes of the Chebyshev expansion.
const NODES: usize = 12;
/// Places at which the extremes are looked for.
const PLACES: usize = 513;

/// Coefficients (c0, c1, c2) of a piece: 2^26 f ~ c0 + 8 c1 h + 4 c2 h^2.
pub(crate) type Row = [i32; 3];

/// Table of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Recip,
    Sqrt,
    Sqrt2,
    Log2c,
    Exp2,
    Sinc,
    Atanc,
}

impl Table {
    pub(crate) const ALL: [Self; 7] =
        [Self::Recip, Self::Sqrt, Self::Sqrt2, Self::Log2c, Self::Exp2, Self::Sinc, Self::Atanc];

    /// Returns the rows of the table.
    pub(crate) fn rows(self) -> &'static [Row; ROWS] {
        static ROWS_OF_ALL: LazyLock<[[Row; ROWS]; 7]> = LazyLock::new(|| {
            Table::ALL.map(|table| std::array::from_fn(|i| row(|t| table.function(t), i)))
        });
        &ROWS_OF_ALL[self as usize]
    }

    /// Returns the value at `t`, 0 < t < 1, of the function that the table approximates.
    fn function(self, t: f64) -> f64 {
        match self {
            Self::Recip => 1.0 / (1.0 + t),
            Self::Sqrt => (1.0 + t).sqrt(),
            Self::Sqrt2 => (2.0 + 2.0 * t).sqrt(),
            Self::Log2c => t.ln_1p() / std::f64::consts::LN_2 / t,
            Self::Exp2 => t.exp2(),
            Self::Sinc => (FRAC_PI_2 * t).sin() / t,
            Self::Atanc => t.atan() / (FRAC_PI_2 * t),
        }
    }
}

/// Rounds to an integer, a half to the next one up, as the rule has it.
fn rounded(v: f64) -> f64 {
    (v + 0.5).floor()
}

/// Returns row `i` of the table of `f`.
fn row(f: impl Fn(f64) -> f64, i: usize) -> Row {
    let b = chebyshev(|h| f((i as f64 + h) / ROWS as f64) * f64::from(1u32 << 26));
    let (a1, a2) = (2.0 * b[1] - 8.0 * b[2], 8.0 * b[2]);
    let c1 = rounded(a1 / 8.0);
    let c2 = rounded((a2 + a1 - 8.0 * c1) / 4.0);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for place in 0..PLACES {
        let h = place as f64 / (PLACES - 1) as f64;
        let rest = expansion(&b, 2.0 * h - 1.0) - 8.0 * c1 * h - 4.0 * c2 * h * h;
        (low, high) = (low.min(rest), high.max(rest));
    }
    [rounded((low + high) / 2.0), c1, c2].map(|c| c as i32)
}

/// Returns the coefficients of a function on [0, 1] in Chebyshev polynomials of 2h - 1, that of degree 0 halved.
fn chebyshev(f: impl Fn(f64) -> f64) -> [f64; NODES] {
    let angle = |j: usize| PI * (j as f64 + 0.5) / NODES as f64;
    let values: [f64; NODES] = std::array::from_fn(|j| f((1.0 + angle(j).cos()) / 2.0));
    std::array::from_fn(|k| {
        let sum: f64 = (0..NODES).map(|j| values[j] * (k as f64 * angle(j)).cos()).sum();
        sum / if k == 0 { 12.0 } else { 6.0 }
    })
}

/// Returns the value of a Chebyshev expansion, by Clenshaw's recurrence.
fn expansion(b: &[f64; NODES], x: f64) -> f64 {
    let (mut later, mut last) = (0.0, 0.0);
    for &coefficient in b[1..].iter().rev() {
        (later, last) = (last, coefficient + 2.0 * x * last - later);
    }
    b[0] + x * last - later
}
