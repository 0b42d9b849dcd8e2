//! The multigrid benchmark of NPB 3.3: its classes, its data, its norms.

use crate::npb::Numbers;
use rayon::prelude::*;
use std::fmt;

/// A class of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// 32 points along an axis, for a first try.
    S,
    /// 128.
    W,
    /// 256, 4 iterations.
    A,
    /// 256, 20 iterations.
    B,
}

impl Class {
    /// All that run here: class C needs 4 GB in single precision.
    pub const ALL: [Self; 4] = [Self::S, Self::W, Self::A, Self::B];

    /// Its letter.
    pub const fn name(self) -> &'static str {
        match self {
            Self::S => "S",
            Self::W => "W",
            Self::A => "A",
            Self::B => "B",
        }
    }

    /// The class with this letter.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }

    /// Points along an axis of the finest grid.
    pub const fn points(self) -> usize {
        match self {
            Self::S => 32,
            Self::W => 128,
            Self::A | Self::B => 256,
        }
    }

    /// V-cycles.
    pub const fn iterations(self) -> usize {
        match self {
            Self::B => 20,
            _ => 4,
        }
    }

    /// The norm of the last residual in double precision, as NPB verifies it.
    pub const fn norm(self) -> f64 {
        match self {
            Self::S => 0.530_770_700_573_4e-4,
            Self::W => 0.646_732_937_533_9e-5,
            Self::A => 0.243_336_530_906_9e-5,
            Self::B => 0.180_056_440_135_5e-5,
        }
    }

    /// Operations as NPB counts them: 58 for a point and iteration.
    pub const fn operations(self) -> u64 {
        58 * self.points().pow(3) as u64 * self.iterations() as u64
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Points with a charge of each sign.
const CHARGES: usize = 10;

/// The right side v on n x n x n points: +1 at the ten places where the random field is largest, -1 at
/// the ten where it is least, x fastest.
pub fn charges(n: usize) -> Vec<f32> {
    let planes = (0..n).into_par_iter().map(|z| {
        let mut numbers = Numbers::default().behind(z * n * n);
        let mut extremes = [Vec::new(), Vec::new()];
        for place in z * n * n..(z + 1) * n * n {
            let value = numbers.next();
            let both = [value, u64::MAX - value];
            extremes.iter_mut().zip(both).for_each(|(kept, value)| keep(kept, (value, place)));
        }
        extremes
    });
    let [least, largest] = planes.reduce(Default::default, |mut all, more| {
        let pairs = all.iter_mut().zip(more);
        pairs.for_each(|(kept, more)| more.into_iter().for_each(|new| keep(kept, new)));
        all
    });
    let mut charges = vec![0.0; n * n * n];
    least.into_iter().for_each(|(_, place)| charges[place] = -1.0);
    largest.into_iter().for_each(|(_, place)| charges[place] = 1.0);
    charges
}

/// Keeps the least of what it is given.
fn keep(kept: &mut Vec<(u64, usize)>, new: (u64, usize)) {
    if kept.len() < CHARGES || kept.last().is_some_and(|last| new < *last) {
        let at = kept.partition_point(|old| *old < new);
        kept.insert(at, new);
        kept.truncate(CHARGES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_ten_charges_of_each_sign() {
        let charges = charges(32);
        let count = |sign: f32| charges.iter().filter(|&&v| v == sign).count();
        assert_eq!([count(1.0), count(-1.0), count(0.0)], [10, 10, 32768 - 20]);
    }
}
