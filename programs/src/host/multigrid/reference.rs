//! The same V-cycles on plain arrays: in single precision as what results are compared with, in double
//! precision to be compared with NPB.

use crate::multigrid::{Kernel, Operator};
use rayon::prelude::*;
use std::ops::{Add, Mul};

/// Numbers that one core of the host writes at least.
const LEAST: usize = 1 << 14;

/// Numbers that the reference computes with.
pub trait Number:
    Copy + Default + Send + Sync + Add<Output = Self> + Mul<Output = Self> + Into<f64>
{
    /// The nearest number.
    fn of(x: f64) -> Self;
}

impl Number for f32 {
    fn of(x: f64) -> Self {
        x as Self
    }
}

impl Number for f64 {
    fn of(x: f64) -> Self {
        x
    }
}

/// A periodic grid of n x n x n numbers, x fastest.
#[derive(Clone, Debug)]
struct Periodic<T> {
    n: usize,
    values: Vec<T>,
}

impl<T: Number> Periodic<T> {
    fn zeros(n: usize) -> Self {
        // Written at once: what is only read first comes from the host a second time when it is written.
        let zeros = rayon::iter::repeat_n(T::default(), n * n * n).with_min_len(LEAST);
        Self { n, values: zeros.collect() }
    }

    fn row(&self, [y, z]: [usize; 2]) -> &[T] {
        &self.values[(z * self.n + y) * self.n..][..self.n]
    }

    /// Every row with its place, on all cores of the host.
    fn rows(&mut self) -> impl ParallelIterator<Item = ([usize; 2], &mut [T])> {
        let n = self.n;
        self.values.par_chunks_mut(n).enumerate().map(move |(k, row)| ([k % n, k / n], row))
    }

    /// Adds `sign` times what an operator makes of a grid with these rows.
    fn add<'a>(&mut self, sign: f64, operator: Operator, of: impl Fn([usize; 2]) -> &'a [T] + Sync)
    where
        T: 'a,
    {
        let sign = T::of(sign);
        self.rows().for_each(|(at, row)| {
            let new = applied_to(&of, operator, at);
            row.iter_mut().zip(new).for_each(|(x, new)| *x = *x + sign * new);
        });
    }

    /// The projection to half as many points.
    fn projected(&self) -> Self {
        let mut coarse = Self::zeros(self.n / 2);
        coarse.rows().for_each(|([y, z], row)| {
            let fine = applied_to(&|at| self.row(at), Operator::P, [2 * y + 1, 2 * z + 1]);
            row.iter_mut().zip(fine.iter().skip(1).step_by(2)).for_each(|(x, new)| *x = *new);
        });
        coarse
    }

    /// Adds the interpolation of a grid with half as many points.
    fn add_interpolated(&mut self, coarse: &Self) {
        // The rows of the fine grid that coarse points lie on, and all others.
        let n = self.n;
        let mut spread = vec![T::default(); 2 * coarse.values.len()];
        spread.par_chunks_mut(n).zip(coarse.values.par_chunks(coarse.n)).for_each(|(row, from)| {
            row.iter_mut().skip(1).step_by(2).zip(from).for_each(|(x, new)| *x = *new);
        });
        let zeros = vec![T::default(); n];
        self.add(1.0, Operator::Q, |[y, z]| match (y % 2, z % 2) {
            (1, 1) => &spread[(z / 2 * coarse.n + y / 2) * n..][..n],
            _ => &zeros,
        });
    }
}

/// What an operator makes of a row of a periodic grid with these rows.
fn applied_to<'a, T: Number + 'a>(
    row: &impl Fn([usize; 2]) -> &'a [T],
    operator: Operator,
    [y, z]: [usize; 2],
) -> Vec<T> {
    let n = row([y, z]).len();
    let around = |k: usize| [(k + n - 1) % n, (k + 1) % n];
    let ([before, after], [below, above]) = (around(y), around(z));
    // In the plane across x: the point itself, those beside it, those at the corners.
    let own = wrapped(row([y, z]).iter().copied());
    let near = sum([[before, z], [after, z], [y, below], [y, above]].map(row));
    let far = sum([[before, below], [after, below], [before, above], [after, above]].map(row));
    let [w0, w1, w2, w3] = operator.0.map(T::of);
    let planes = own.windows(3).zip(near.windows(3)).zip(far.windows(3));
    planes
        .map(|((own, near), far)| {
            let faces = near[1] + own[0] + own[2];
            let edges = far[1] + near[0] + near[2];
            w0 * own[1] + w1 * faces + w2 * edges + w3 * (far[0] + far[2])
        })
        .collect()
}

/// A row with the last number before it and the first one behind it.
fn wrapped<T: Number>(row: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut padded = Vec::with_capacity(row.len() + 2);
    padded.push(T::default());
    padded.extend(row);
    if let [_, first, ..] = padded[..] {
        padded[0] = padded[padded.len() - 1];
        padded.push(first);
    }
    padded
}

/// The sum of four rows, wrapped.
fn sum<T: Number>([a, b, c, d]: [&[T]; 4]) -> Vec<T> {
    let pairs = a.iter().zip(b).zip(c.iter().zip(d));
    wrapped(pairs.map(|((&a, &b), (&c, &d))| a + b + c + d))
}

/// What a kernel makes of periodic grids, n points along an axis of the first one.
pub fn applied<T: Number>(kernel: Kernel, n: usize, faced: &[f32], plain: &[f32]) -> Vec<T> {
    let grid = |values: &[f32], n: usize| Periodic {
        n,
        values: values.iter().map(|&x| T::of(x.into())).collect::<Vec<T>>(),
    };
    let (faced, kernel) = (grid(faced, n), kernel.special());
    let operator = kernel.operator();
    let mut result = match kernel {
        Kernel::Proj => return faced.projected().values,
        Kernel::Interp => grid(plain, 2 * n),
        Kernel::Interp0 => Periodic::zeros(2 * n),
        Kernel::Smooth0 => Periodic::zeros(n),
        _ => grid(plain, n),
    };
    match kernel {
        Kernel::Interp | Kernel::Interp0 => result.add_interpolated(&faced),
        Kernel::Resid => result.add(-1.0, operator, |at| faced.row(at)),
        _ => result.add(1.0, operator, |at| faced.row(at)),
    }
    result.values
}

/// u and r of a problem after some iterations.
pub struct Solved<T> {
    /// The solution.
    pub u: Vec<T>,
    /// The residual v - A u.
    pub r: Vec<T>,
}

/// Does V-cycles from u = 0.
pub fn solve<T: Number>(v: &[f32], n: usize, smoother: Operator, iterations: usize) -> Solved<T> {
    let values = v.iter().map(|&x| T::of(x.into())).collect();
    let v = Periodic { n, values };
    let mut u = Periodic::zeros(n);
    let mut r = v.clone();
    for _ in 0..iterations {
        u.add_interpolated(&correction(&r.projected(), smoother));
        r.values.copy_from_slice(&v.values);
        r.add(-1.0, Operator::A, |at| u.row(at));
        u.add(1.0, smoother, |at| r.row(at));
        r.values.copy_from_slice(&v.values);
        r.add(-1.0, Operator::A, |at| u.row(at));
    }
    Solved { u: u.values, r: r.values }
}

/// The correction of a grid below the finest.
fn correction<T: Number>(r: &Periodic<T>, smoother: Operator) -> Periodic<T> {
    let mut u = Periodic::zeros(r.n);
    if r.n > 2 {
        u.add_interpolated(&correction(&r.projected(), smoother));
        let mut left = r.clone();
        left.add(-1.0, Operator::A, |at| u.row(at));
        u.add(1.0, smoother, |at| left.row(at));
    } else {
        u.add(1.0, smoother, |at| r.row(at));
    }
    u
}

/// The root of the mean square.
pub fn norm<T: Number>(of: &[T]) -> f64 {
    let squares: f64 = of.iter().map(|&x| x.into() * x.into()).sum();
    (squares / of.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::npb::{Class, charges};
    use super::*;

    #[test]
    fn double_precision_gives_the_norm_of_npb() {
        let class = Class::S;
        let n = class.points();
        let solved: Solved<f64> = solve(&charges(n), n, Operator::S_SMALL, class.iterations());
        let deviation = norm(&solved.r) / class.norm() - 1.0;
        assert!(deviation.abs() < 1e-8, "{deviation}");
    }
}
