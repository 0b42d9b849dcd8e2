//! The FT benchmark of NPB: its classes, its data, its checksums.

use super::plan::Sizes;
use cp2_kernels::npb::NpbRandom;
use num_complex::{Complex32, Complex64};
use rayon::prelude::*;
use std::fmt;
use std::ops::Range;

/// Class of problems of NPB FT, which fixes the size of the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// 64 x 64 x 64 points; a small problem for tests.
    S,
    /// 128 x 128 x 32 points along x, y and z.
    W,
    /// 256 x 256 x 128 points along x, y and z.
    A,
    /// 512 x 256 x 256 points along x, y and z, 20 iterations.
    B,
    /// 512 points along each axis, 20 iterations.
    C,
    /// 2048 x 1024 x 1024 points along x, y and z, 25 iterations.
    D,
}

/// Number of iterations of a run of NPB FT, the same in all classes of [`Class::ALL`].
pub const ITERATIONS: usize = 6;

/// Number of elements that a checksum adds.
const SUMMED: usize = 1024;

/// Checksums of class S in NPB, iteration by iteration.
const CHECKSUMS_S: [(f64, f64); 6] = [
    (554.6087004964, 484.5363331978),
    (554.6385409189, 486.5304269511),
    (554.6148406171, 488.3910722336),
    (554.5423607415, 490.1273169046),
    (554.4255039624, 491.7475857993),
    (554.2683411902, 493.2597244941),
];

/// Checksums of class W in NPB, iteration by iteration.
const CHECKSUMS_W: [(f64, f64); 6] = [
    (567.3612178944, 529.3246849175),
    (563.1436885271, 528.2149986629),
    (559.4024089970, 527.0996558037),
    (556.0698047020, 526.0027904925),
    (553.0898991250, 524.9400845633),
    (550.4159734538, 523.9212247086),
];

/// Checksums of class A in NPB, iteration by iteration.
const CHECKSUMS_A: [(f64, f64); 6] = [
    (504.6735008193, 511.4047905510),
    (505.9412319734, 509.8809666433),
    (506.9376896287, 509.8144042213),
    (507.7892868474, 510.1336130759),
    (508.5233095391, 510.4914655194),
    (509.1487099959, 510.7917842803),
];

/// Checksums of class B in NPB, iteration by iteration.
const CHECKSUMS_B: [(f64, f64); 20] = [
    (517.7643571579, 507.7803458597),
    (515.4521291263, 508.8249431599),
    (514.6409228649, 509.6208912659),
    (514.2378756213, 510.1023387619),
    (513.9626667737, 510.3976610617),
    (513.7423460082, 510.5948019802),
    (513.5547056878, 510.7404165783),
    (513.3910925466, 510.8576573661),
    (513.2470705390, 510.9577278523),
    (513.1197729984, 511.0460304483),
    (513.0070319283, 511.1252433800),
    (512.9070537032, 511.1968077718),
    (512.8182883502, 511.2616233064),
    (512.7393733383, 511.3203605551),
    (512.6691062020, 511.3735928093),
    (512.6064276004, 511.4218460548),
    (512.5504076570, 511.4656139760),
    (512.5002331720, 511.5053595966),
    (512.4551951846, 511.5415130407),
    (512.4146770029, 511.5744692211),
];

/// Checksums of class C in NPB, iteration by iteration.
const CHECKSUMS_C: [(f64, f64); 20] = [
    (519.5078707457, 514.9019699238),
    (515.5422171134, 512.7578201997),
    (514.4678022222, 512.2251847514),
    (514.0150594328, 512.1090289018),
    (513.7550426810, 512.1143685824),
    (513.5811056728, 512.1496764568),
    (513.4569343165, 512.1870921893),
    (513.3651975661, 512.2193250322),
    (513.2955192805, 512.2454735794),
    (513.2410471738, 512.2663649603),
    (513.1971141679, 512.2830879827),
    (513.1605205716, 512.2965869718),
    (513.1290734194, 512.3075927445),
    (513.1012720314, 512.3166486553),
    (513.0760908195, 512.3241541685),
    (513.0528295923, 512.3304037599),
    (513.0310107773, 512.3356167976),
    (513.0103090133, 512.3399592211),
    (512.9905029333, 512.3435588985),
    (512.9714421109, 512.3465164008),
];

/// Checksums of class D in NPB, iteration by iteration.
const CHECKSUMS_D: [(f64, f64); 25] = [
    (512.2230065252, 511.8534037109),
    (512.0463975765, 511.7061181082),
    (511.9865766760, 511.7096364601),
    (511.9518799488, 511.7373863950),
    (511.9269088223, 511.7680347632),
    (511.9082416858, 511.7967875532),
    (511.8943814638, 511.8225281841),
    (511.8842385057, 511.8451629348),
    (511.8769435632, 511.8649119387),
    (511.8718203448, 511.8820803844),
    (511.8683569061, 511.8969781011),
    (511.8661708593, 511.9098918835),
    (511.8649768950, 511.9210777066),
    (511.8645605626, 511.9307604484),
    (511.8647586618, 511.9391362671),
    (511.8654451572, 511.9463757241),
    (511.8665212451, 511.9526269238),
    (511.8679083821, 511.9580184108),
    (511.8695433664, 511.9626617538),
    (511.8713748264, 511.9666538138),
    (511.8733606701, 511.9700787219),
    (511.8754661974, 511.9730095953),
    (511.8776626738, 511.9755100241),
    (511.8799262314, 511.9776353561),
    (511.8822370068, 511.9794338060),
];

impl Class {
    /// All classes of NPB FT that procedures of CP2 take, smallest first.
    pub const ALL: [Self; 2] = [Self::S, Self::W];

    /// All classes of NPB FT that are known here, smallest first.
    pub const NPB: [Self; 6] = [Self::S, Self::W, Self::A, Self::B, Self::C, Self::D];

    /// Returns the letter of the class, such as `S`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::S => "S",
            Self::W => "W",
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
        }
    }

    /// Returns the class of [`Self::ALL`] with this letter, `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }

    /// Returns the numbers of points of the array along x, y and z.
    pub const fn sizes(self) -> Sizes {
        match self {
            Self::S => Sizes([64, 64, 64]),
            Self::W => Sizes([128, 128, 32]),
            Self::A => Sizes([256, 256, 128]),
            Self::B => Sizes([512, 256, 256]),
            Self::C => Sizes([512, 512, 512]),
            Self::D => Sizes([2048, 1024, 1024]),
        }
    }

    /// Returns the published checksums by which NPB verifies a run, in double precision, one for each iteration in
    /// order: sums of 1024 elements of the field.
    pub fn all_checksums(self) -> Vec<Complex64> {
        let all: &[(f64, f64)] = match self {
            Self::S => &CHECKSUMS_S,
            Self::W => &CHECKSUMS_W,
            Self::A => &CHECKSUMS_A,
            Self::B => &CHECKSUMS_B,
            Self::C => &CHECKSUMS_C,
            Self::D => &CHECKSUMS_D,
        };
        all.iter().map(|&(re, im)| Complex64::new(re, im)).collect()
    }

    /// Returns the first checksums of [`Self::all_checksums`], all of them in the classes of [`Self::ALL`].
    pub fn checksums(self) -> [Complex64; ITERATIONS] {
        let all = self.all_checksums();
        std::array::from_fn(|k| all[k])
    }

    /// Returns the number of floating-point operations of a whole run by the formula of NPB, from which it reckons
    /// rates.
    pub fn operations_of_npb(self) -> f64 {
        let points = self.sizes().points() as f64;
        let of_iteration = 5.23518 + 7.21113 * points.ln();
        points
            * (14.8157 + 7.19641 * points.ln() + of_iteration * self.all_checksums().len() as f64)
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
    field_within(0..sizes.points())
}

/// Returns a part of what [`field`] returns, the elements at these places of the array.
pub fn field_within(places: Range<usize>) -> Vec<Complex64> {
    const TOGETHER: usize = 1 << 16;
    let mut found = vec![Complex64::ZERO; places.len()];
    found.par_chunks_mut(TOGETHER).enumerate().for_each(|(chunk, elements)| {
        let mut numbers = NpbRandom::default().behind(2 * (places.start + chunk * TOGETHER));
        elements.fill_with(|| Complex64::new(numbers.fraction(), numbers.fraction()));
    });
    found
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_field_is_what_is_drawn_one_by_one() {
        let mut numbers = NpbRandom::default();
        let draw = |_| Complex64::new(numbers.fraction(), numbers.fraction());
        let one_by_one: Vec<Complex64> = (0..200_000).map(draw).collect();
        for places in [0..200_000, 70_001..140_002, 65_536..65_537, 9..9] {
            assert_eq!(field_within(places.clone()), one_by_one[places]);
        }
    }
}
