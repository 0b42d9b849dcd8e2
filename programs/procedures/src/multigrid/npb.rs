//! The multigrid benchmark MG of NPB 3.3: its classes, its data, its norms.

use cp2_kernels::npb::NpbRandom;
use cp2_session::Environment;
use rayon::prelude::*;
use std::convert::Infallible;
use std::fmt;

/// Class of problems of NPB MG, which fixes the size of the finest grid and the number of V-cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// 32 points along each axis, 4 V-cycles; a small problem for tests.
    S,
    /// 128 points along each axis, 4 V-cycles.
    W,
    /// 256 points along each axis, 4 V-cycles.
    A,
    /// 256 points along each axis, 20 V-cycles.
    B,
    /// 512 points along each axis, 20 V-cycles.
    C,
    /// 1024 points along each axis, 50 V-cycles.
    D,
}

impl Class {
    /// All classes that procedures of CP2 take, smallest first. Class C is not among them, as it needs 4 GB in single
    /// precision.
    pub const ALL: [Self; 4] = [Self::S, Self::W, Self::A, Self::B];

    /// All classes of NPB whose norms are known here, smallest first.
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

    /// Returns the number of points along each axis of the finest grid.
    pub const fn points(self) -> usize {
        match self {
            Self::S => 32,
            Self::W => 128,
            Self::A | Self::B => 256,
            Self::C => 512,
            Self::D => 1024,
        }
    }

    /// Returns the number of V-cycles of a run.
    pub const fn iterations(self) -> usize {
        match self {
            Self::B | Self::C => 20,
            Self::D => 50,
            _ => 4,
        }
    }

    /// Whether the smoother has the weights of the larger classes, from B on.
    pub(super) const fn has_large_smoother(self) -> bool {
        matches!(self, Self::B | Self::C | Self::D)
    }

    /// Returns the published norm by which NPB verifies a run: the root of the mean square of the residual after the
    /// last V-cycle, in double precision.
    pub const fn norm(self) -> f64 {
        match self {
            Self::S => 0.530_770_700_573_4e-4,
            Self::W => 0.646_732_937_533_9e-5,
            Self::A => 0.243_336_530_906_9e-5,
            Self::B => 0.180_056_440_135_5e-5,
            Self::C => 0.570_673_228_574_0e-6,
            Self::D => 0.158_327_506_044_0e-9,
        }
    }

    /// Returns the number of floating-point operations of a whole run as NPB counts them: 58 for each point of the
    /// finest grid in each V-cycle.
    pub const fn operations(self) -> u64 {
        58 * self.points().pow(3) as u64 * self.iterations() as u64
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Number of points of the right side that are +1, and of those that are -1.
const NONZERO: usize = 10;

/// Number of planes that are drawn at once: a random number waits for the one before it in its own plane alone.
const PLANES: usize = 4;

/// Returns the right side v of NPB MG on n x n x n points, x fastest, n a multiple of 4: +1 at the ten points where the
/// random field of NPB is largest, -1 at the ten where it is least, else 0.
pub fn right_side(environment: &Environment, n: usize) -> Vec<f32> {
    let mut v = vec![0.0; n * n * n];
    for (place, charge) in charged_points(environment, n) {
        v.get_mut(place).into_iter().for_each(|point| *point = charge as f32);
    }
    v
}

/// Returns the points of the right side of NPB MG that are not 0, by their places in it, each with its value. The
/// environment keeps them from run to run.
pub fn charged_points(
    environment: &Environment,
    n: usize,
) -> impl Iterator<Item = (usize, f64)> + use<> {
    let key = format!("places of charges on {n} points along an axis");
    let found = || Ok::<_, Infallible>(places(n).map(|place| place as f64).to_vec());
    let Ok(places) = environment.numbers_of(&key, 2 * NONZERO, found);
    let places: Vec<f64> = places.to_vec();
    (0..).zip(places).map(|(k, place)| (place as usize, if k < NONZERO { -1.0 } else { 1.0 }))
}

/// Returns the places where the random field is least, then those where it is largest.
fn places(n: usize) -> [usize; 2 * NONZERO] {
    let plane = n * n;
    let planes = (0..n / PLANES).into_par_iter().map(|group| {
        let firsts: [usize; PLANES] = std::array::from_fn(|k| (group * PLANES + k) * plane);
        let mut numbers = firsts.map(|first| NpbRandom::default().behind(first));
        let mut extremes = [Extremes::default(); 2];
        for at in 0..plane {
            for (numbers, first) in numbers.iter_mut().zip(firsts) {
                let value = numbers.scaled();
                if value <= extremes[0].last() || u64::MAX - value <= extremes[1].last() {
                    extremes[0].keep((value, first + at));
                    extremes[1].keep((u64::MAX - value, first + at));
                }
            }
        }
        extremes
    });
    let [least, largest] = planes.reduce(Default::default, |mut all, more| {
        let pairs = all.iter_mut().zip(more);
        pairs.for_each(|(kept, more)| more.0.into_iter().for_each(|new| kept.keep(new)));
        all
    });
    let both = [least.0, largest.0];
    std::array::from_fn(|k| both[k / NONZERO][k % NONZERO].1)
}

/// The least values so far with their places, in order.
#[derive(Clone, Copy, Debug)]
struct Extremes([(u64, usize); NONZERO]);

impl Default for Extremes {
    fn default() -> Self {
        Self([(u64::MAX, usize::MAX); NONZERO])
    }
}

impl Extremes {
    /// Returns the largest value that is kept.
    fn last(&self) -> u64 {
        self.0[NONZERO - 1].0
    }

    /// Keeps a value with its place if it is one of the least.
    fn keep(&mut self, new: (u64, usize)) {
        if new < self.0[NONZERO - 1] {
            let at = self.0.partition_point(|old| *old < new);
            self.0[at..].rotate_right(1);
            self.0[at] = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_ten_points_of_each_sign() {
        let v = right_side(&Environment::new(), 32);
        let count = |sign: f32| v.iter().filter(|&&x| x == sign).count();
        assert_eq!([count(1.0), count(-1.0), count(0.0)], [10, 10, 32768 - 20]);
    }
}
