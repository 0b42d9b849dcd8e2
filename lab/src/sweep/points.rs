//! Points of a sweep, which are combinations of values of its axes: all of them, random ones, or a Latin hypercube, in
//! which each axis is cut into as many strata as there are points and every stratum has one.

use super::axis::{Axis, Choice};
use crate::inputs::LabError;
use toml::{Table, Value};

/// Most points that a sweep has: all are checked before the first runs.
pub(super) const MOST_POINTS: u64 = 1_000_000;

/// Method by which combinations of values on the axes are chosen as the points (runs) of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sample {
    /// All combinations of values; the values of the last axis change fastest from point to point.
    Grid,
    /// Random combinations: the value on each axis of each point is chosen by chance. A combination may come twice.
    Random {
        /// Number of points that the sweep has.
        points: u64,
        /// Seed of the generator of random numbers: the same seed gives the same points.
        seed: u64,
    },
    /// Latin hypercube: the values of each axis come equally often, as far as possible, and are combined by chance.
    LatinHypercube {
        /// Number of points that the sweep has.
        points: u64,
        /// Seed of the generator of random numbers: the same seed gives the same points.
        seed: u64,
        /// Numbers of the strata, from 0, for each axis and in it for each point: the part of the axis in which the
        /// value of the point lies.
        strata: Vec<Vec<u32>>,
    },
}

/// Returns a generator for one purpose: an axis, or a point.
fn generator(seed: u64, purpose: u64) -> fastrand::Rng {
    let mut of_seed = fastrand::Rng::with_seed(seed);
    fastrand::Rng::with_seed(of_seed.u64(..) ^ purpose.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

impl Sample {
    /// Reads the section `[sample]` of a file; without it the points are a grid.
    ///
    /// # Errors
    /// What is wrong with the section.
    pub(super) fn read(table: Option<&Value>, axes: &[Axis]) -> Result<Self, LabError> {
        const METHODS: [&str; 3] = ["grid", "random", "latin-hypercube"];
        const KEYS: [&str; 3] = ["method", "points", "seed"];
        let empty = Table::new();
        let table = match table {
            None => &empty,
            Some(Value::Table(table)) => table,
            Some(other) => {
                return LabError::of(format!(
                    "sample is {other}; it has to be a section, [sample]"
                ));
            }
        };
        if let Some(stranger) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let near = crate::key::nearest(stranger, KEYS.into_iter());
            return LabError::of(format!(
                "sample.{stranger} is not a key of a sample; the nearest is {near}"
            ));
        }
        let number = |key: &str| match table.get(key) {
            None => Ok(None),
            Some(Value::Integer(n)) if *n >= 0 => Ok(Some(*n as u64)),
            Some(other) => {
                LabError::of(format!("sample.{key} is {other}; it has to be a whole number from 0"))
            }
        };
        let method = table.get("method").map_or(Some(METHODS[0]), Value::as_str).unwrap_or("");
        let (points, seed) = (number("points")?, number("seed")?.unwrap_or(1));
        let sample = match (method, points) {
            ("grid", None) => Self::Grid,
            ("grid", Some(_)) => {
                return LabError::of(
                    "sample.points: the axes of a grid give the number of its points; leave `points` out, or take random or latin-hypercube",
                );
            }
            ("random" | "latin-hypercube", None | Some(0)) => {
                return LabError::of(format!(
                    "sample.points is missing or 0; method {method} needs the number of points, at least 1"
                ));
            }
            ("random", Some(points)) => Self::Random { points, seed },
            ("latin-hypercube", Some(points)) => {
                let strata =
                    if points <= MOST_POINTS { strata(axes, points, seed) } else { vec![] };
                Self::LatinHypercube { points, seed, strata }
            }
            _ => {
                let near = crate::key::nearest(method, METHODS.into_iter());
                return LabError::of(format!(
                    "sample.method: there is no method `{method}`; the nearest is {near}; the methods are {}",
                    METHODS.join(", ")
                ));
            }
        };
        sample.limited(axes)
    }

    /// Refuses a sample of more points than a sweep may have.
    fn limited(self, axes: &[Axis]) -> Result<Self, LabError> {
        let points = self.count(axes);
        if points.is_none_or(|points| points > MOST_POINTS) {
            let points = points.map_or("more than 2^64".to_owned(), |n| n.to_string());
            return LabError::of(format!(
                "the sweep has {points} points; at most {MOST_POINTS} are possible; give fewer values, or take a sample of them"
            ));
        }
        Ok(self)
    }

    /// Returns the number of points; none if there are too many to count.
    pub(super) fn count(&self, axes: &[Axis]) -> Option<u64> {
        match self {
            Self::Grid => axes.iter().try_fold(1u64, |n, axis| n.checked_mul(axis.count())),
            Self::Random { points, .. } | Self::LatinHypercube { points, .. } => Some(*points),
        }
    }

    /// Returns the values of a point, one for each axis.
    pub(super) fn point(&self, axes: &[Axis], index: u64) -> Vec<Choice> {
        match self {
            Self::Grid => {
                let mut rest = index;
                let mut values: Vec<_> = axes
                    .iter()
                    .rev()
                    .map(|axis| {
                        let k = rest % axis.count();
                        rest /= axis.count();
                        axis.value(k)
                    })
                    .collect();
                values.reverse();
                values
            }
            Self::Random { seed, .. } => {
                let mut random = generator(*seed, index);
                axes.iter().map(|axis| axis.value(random.u64(..axis.count()))).collect()
            }
            Self::LatinHypercube { points, seed, strata } => {
                let mut random = generator(*seed, index);
                let place = |(axis, strata): (&Axis, &Vec<u32>)| {
                    let stratum = f64::from(strata[index as usize]);
                    let share = (stratum + random.f64()) / *points as f64;
                    axis.value(((share * axis.count() as f64) as u64).min(axis.count() - 1))
                };
                axes.iter().zip(strata).map(place).collect()
            }
        }
    }
}

fn strata(axes: &[Axis], points: u64, seed: u64) -> Vec<Vec<u32>> {
    let shuffled = |(k, _)| {
        let mut strata: Vec<u32> = (0..points as u32).collect();
        generator(seed, !(k as u64)).shuffle(&mut strata);
        strata
    };
    axes.iter().enumerate().map(shuffled).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::super::axis::AxisTarget;
    use super::*;
    use std::collections::BTreeSet;

    fn axes(counts: &[u64]) -> Vec<Axis> {
        let axis = |&count: &u64| {
            let values = (0..count).map(Choice::Number).collect();
            Axis::list("x", AxisTarget::Option("x"), values).unwrap()
        };
        counts.iter().map(axis).collect()
    }

    fn sample(text: &str, axes: &[Axis]) -> Result<Sample, String> {
        let table: Table = text.parse().unwrap();
        Sample::read(Some(&Value::Table(table)), axes).map_err(|e| e.to_string())
    }

    #[test]
    fn a_grid_has_every_combination_once() {
        let axes = axes(&[2, 3, 4]);
        let all: BTreeSet<_> = (0..24).map(|k| Sample::Grid.point(&axes, k)).collect();
        assert_eq!((all.len(), Sample::Grid.count(&axes)), (24, Some(24)));
        assert_eq!(Sample::Grid.point(&axes, 1)[2], Choice::Number(1));
    }

    #[test]
    fn a_latin_hypercube_has_every_stratum_of_every_axis_once() {
        let axes = axes(&[100, 10, 25]);
        let sample = sample("method = 'latin-hypercube'\npoints = 100\nseed = 3", &axes).unwrap();
        let all: Vec<_> = (0..100).map(|k| sample.point(&axes, k)).collect();
        for (k, each) in [(0, 1), (1, 10), (2, 4)] {
            let mut counts = std::collections::BTreeMap::new();
            all.iter().for_each(|point| *counts.entry(&point[k]).or_insert(0) += 1);
            assert!(counts.values().all(|count| *count == each), "axis {k}: {counts:?}");
        }
        assert_ne!(all[0][0], Choice::Number(0));
    }

    #[test]
    fn a_seed_gives_the_same_points_and_another_one_others() {
        let axes = axes(&[1000, 1000]);
        let points = |seed: u64| -> Vec<_> {
            let sample = sample(&format!("method = 'random'\npoints = 50\nseed = {seed}"), &axes);
            let sample = sample.unwrap();
            (0..50).map(|k| sample.point(&axes, k)).collect()
        };
        assert_eq!(points(4), points(4));
        assert_ne!(points(4), points(5));
    }

    #[test]
    fn what_is_no_sample_is_refused() {
        let axes = axes(&[1000, 1000, 1000]);
        for (text, why) in [
            ("method = 'grit'", "the nearest is grid"),
            ("metod = 'grid'", "the nearest is method"),
            ("method = 'random'", "needs the number of points"),
            ("method = 'random'\npoints = 0", "needs the number of points"),
            ("points = 7", "take random"),
            ("", "has 1000000000 points; at most 1000000"),
        ] {
            let message = sample(text, &axes).unwrap_err();
            assert!(message.contains(why), "{text}: {message}");
        }
    }
}
