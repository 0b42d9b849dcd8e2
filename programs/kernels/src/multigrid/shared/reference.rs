//! The sequences by their definition, in double precision, and how far rounding may lead away from it.

use super::layout::{COARSE, N, operators, points};
use super::sequence::OperatorSequence;
use crate::multigrid::Operator;
use cp2_session::workload::largest;

/// Returns what an operator gives on a periodic grid of n x n x n points.
fn applied(operator: Operator, n: usize, of: &[f64]) -> Vec<f64> {
    let at = |[x, y, z]: [usize; 3], d: [usize; 3]| {
        let [x, y, z] = [x + d[0], y + d[1], z + d[2]].map(|k| (k + n - 1) % n);
        of[(z * n + y) * n + x]
    };
    let term = |p, d: [usize; 3]| operator.0[d.iter().filter(|&&d| d != 1).count()] * at(p, d);
    let sum = |p| (0..27).map(|k| term(p, [k % 3, k / 3 % 3, k / 9])).sum();
    points(n).map(sum).collect()
}

/// Returns P r: what P gives on the fine points that lie on coarse ones.
fn projected(r: &[f64]) -> Vec<f64> {
    let fine = applied(Operator::P, N, r);
    let at = |[x, y, z]: [usize; 3]| fine[((2 * z + 1) * N + 2 * y + 1) * N + 2 * x + 1];
    points(COARSE).map(at).collect()
}

/// Returns Q z: a fine point that lies between coarse points along some axes takes the mean of its neighbours there.
fn interpolated(z: &[f64]) -> Vec<f64> {
    let corner = |fine: [usize; 3], i: usize| {
        let [x, y, z] = [0, 1, 2].map(|axis| (fine[axis] + N - (i >> axis & 1)) / 2 % COARSE);
        (z * COARSE + y) * COARSE + x
    };
    let at = |fine| (0..8).map(|i| z[corner(fine, i)]).sum::<f64>() / 8.0;
    points(N).map(at).collect()
}

fn sum(a: &[f64], b: &[f64], sign: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + sign * b).collect()
}

/// Returns u and r at the end of a sequence.
fn reference(sequence: OperatorSequence, u: &[f32], v: &[f32]) -> [Vec<f64>; 2] {
    let [u, v] = [u, v].map(|of| of.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
    let [a, s] = operators();
    let residual = |u: &[f64]| sum(&v, &applied(a, N, u), -1.0);
    let corrected = match sequence {
        OperatorSequence::Smoother => u,
        OperatorSequence::Cycle => {
            let z = applied(s, COARSE, &projected(&residual(&u)));
            sum(&u, &interpolated(&z), 1.0)
        }
    };
    let u = sum(&corrected, &applied(s, N, &residual(&corrected)), 1.0);
    let r = residual(&u);
    [u, r]
}

/// Largest magnitude of a number, and its error.
#[derive(Clone, Copy)]
struct Size {
    most: f64,
    error: f64,
}

impl Size {
    /// Returns the size of the sum of `self` and of `other` times weights whose magnitudes add up to `weights`: the sum is
    /// rounded at most 16 times, each time by 2^-24 of the magnitudes.
    fn plus(self, weights: f64, other: Self) -> Self {
        let most = self.most + weights * other.most;
        let rounding = 16.0 * f64::from(f32::EPSILON) / 2.0;
        Self { most, error: self.error + weights * other.error + rounding * most }
    }
}

/// Returns the errors of u and of r that rounding explains.
fn limits(sequence: OperatorSequence, u: &[f32], v: &[f32]) -> [f64; 2] {
    let given = |of: &[f32]| Size {
        most: of.iter().fold(0.0, |m, &x| f64::max(m, f64::from(x).abs())),
        error: 0.0,
    };
    let nothing = Size { most: 0.0, error: 0.0 };
    let ([u, v], [a, s]) = ([given(u), given(v)], operators().map(|of| of.magnitude()));
    let corrected = match sequence {
        OperatorSequence::Smoother => u,
        OperatorSequence::Cycle => {
            let projected = nothing.plus(Operator::P.magnitude(), v.plus(a, u));
            u.plus(1.0, nothing.plus(s, projected))
        }
    };
    let u = corrected.plus(s, v.plus(a, corrected));
    [u.error, v.plus(a, u).error]
}

/// Returns the largest distance of the new u and of its residual from the reference, in parts of what rounding allows.
pub(super) fn error(sequence: OperatorSequence, [u, v]: [&[f32]; 2], found: [&[f32]; 2]) -> f64 {
    let (exact, limits) = (reference(sequence, u, v), limits(sequence, u, v));
    let distance = |k: usize| {
        let pairs = found[k].iter().zip(&exact[k]);
        largest(pairs.map(|(&found, exact)| (f64::from(found) - exact).abs() / limits[k]))
    };
    distance(0).max(distance(1))
}
