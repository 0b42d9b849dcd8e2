//! The FT benchmark of NPB: its classes, its data, its checksums.

use super::plan::Sizes;
use cp2_kernels::npb::NpbRandom;
use num_complex::{Complex32, Complex64};
use std::fmt;

/// Class of problems of NPB FT, which fixes the size of the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// 64 x 64 x 64 points; a small problem for tests.
    S,
    /// 128 x 128 x 32 points along x, y and z.
    W,
}

/// Number of iterations of a run of NPB FT, the same in all supported classes.
pub const ITERATIONS: usize = 6;

/// Number of elements that a checksum adds.
const SUMMED: usize = 1024;

/// The checksums of NPB in double precision, class by class.
const CHECKSUMS: [[(f64, f64); ITERATIONS]; 2] = [
    [
        (554.6087004964, 484.5363331978),
        (554.6385409189, 486.5304269511),
        (554.6148406171, 488.3910722336),
        (554.5423607415, 490.1273169046),
        (554.4255039624, 491.7475857993),
        (554.2683411902, 493.2597244941),
    ],
    [
        (567.3612178944, 529.3246849175),
        (563.1436885271, 528.2149986629),
        (559.4024089970, 527.0996558037),
        (556.0698047020, 526.0027904925),
        (553.0898991250, 524.9400845633),
        (550.4159734538, 523.9212247086),
    ],
];

impl Class {
    /// All classes of NPB FT that are supported, smallest first.
    pub const ALL: [Self; 2] = [Self::S, Self::W];

    /// Returns the letter of the class, such as `S`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::S => "S",
            Self::W => "W",
        }
    }

    /// Returns the class with this letter, `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }

    /// Returns the numbers of points of the array along x, y and z.
    pub const fn sizes(self) -> Sizes {
        match self {
            Self::S => Sizes([64, 64, 64]),
            Self::W => Sizes([128, 128, 32]),
        }
    }

    /// Returns the published checksums by which NPB verifies a run, in double precision, one for each iteration in
    /// order: sums of 1024 elements of the field.
    pub fn checksums(self) -> [Complex64; ITERATIONS] {
        CHECKSUMS[self as usize].map(|(re, im)| Complex64::new(re, im))
    }

    /// Returns the number of floating-point operations of a whole run by the formula of NPB, from which it reckons
    /// rates.
    pub fn operations_of_npb(self) -> f64 {
        let points = self.sizes().points() as f64;
        let of_iteration = 5.23518 + 7.21113 * points.ln();
        points * (14.8157 + 7.19641 * points.ln() + of_iteration * ITERATIONS as f64)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the field with which a run of NPB FT begins, the elements of an array of these sizes, x fastest: complex
/// random numbers of NPB, both parts from 0 to below 1, the real part drawn first.
pub fn field(sizes: &Sizes) -> Vec<Complex64> {
    let mut numbers = NpbRandom::default();
    (0..sizes.points()).map(|_| Complex64::new(numbers.fraction(), numbers.fraction())).collect()
}

/// Returns the indices \[x, y, z\], from 0, of the 1024 elements of a field of these sizes whose sum is its checksum in
/// NPB FT.
pub fn summed(sizes: &Sizes) -> impl Iterator<Item = [usize; 3]> + use<> {
    let [x, y, z] = sizes.0;
    (1..=SUMMED).map(move |j| [j % x, 3 * j % y, 5 * j % z])
}

/// Returns the real factors of iteration `t` of NPB FT, counted from 1, for each index along x, then along y, then
/// along z: an element of the spectrum is multiplied by the three factors of its indices, which are exp(-4 * 10^-6 pi^2
/// k^2 t) for wave number k.
pub fn factors(sizes: &Sizes, t: usize) -> [Vec<f64>; 3] {
    const ALPHA: f64 = 1e-6;
    let rate = 4.0 * ALPHA * std::f64::consts::PI.powi(2) * t as f64;
    sizes.0.map(|n| {
        let folded = |k: usize| if k >= n / 2 { k as f64 - n as f64 } else { k as f64 };
        (0..n).map(|k| (-rate * folded(k).powi(2)).exp()).collect()
    })
}

/// Returns a complex number in single precision.
pub(super) fn single(x: &Complex64) -> Complex32 {
    Complex32::new(x.re as f32, x.im as f32)
}
