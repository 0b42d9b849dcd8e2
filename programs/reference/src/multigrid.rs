//! Reference for NPB MG (the multigrid benchmark of the NAS Parallel Benchmarks): its V-cycles on plain arrays. In
//! single precision they are what results of CP2 are compared with, in double precision they are compared with the
//! figures that NPB prints.

use rayon::prelude::*;
use std::ops::{Add, Mul};

/// Least number of numbers that one core of the native machine writes.
const LEAST: usize = 1 << 14;

/// Floating-point type in which the reference computes: `f32` or `f64`.
pub trait Real:
    Copy + Default + Send + Sync + Add<Output = Self> + Mul<Output = Self> + Into<f64>
{
    /// Converts `x` to this type, rounded to nearest.
    fn of(x: f64) -> Self;

    /// Adds to `to`, a row of numbers along x, the values of `stencil` at the points of that row. `scratch` is working
    /// memory; its contents are overwritten, and it is resized to three rows with a margin. Every type has this method
    /// of its own, not by default, so that it is compiled in this crate, as one unit with what it calls.
    fn add_row(stencil: &Stencil<'_, Self>, to: &mut [Self], scratch: &mut Vec<Self>);
}

impl Real for f32 {
    fn of(x: f64) -> Self {
        x as Self
    }

    fn add_row(stencil: &Stencil<'_, Self>, to: &mut [Self], scratch: &mut Vec<Self>) {
        stencil.add(to, scratch);
    }
}

impl Real for f64 {
    fn of(x: f64) -> Self {
        x
    }

    fn add_row(stencil: &Stencil<'_, Self>, to: &mut [Self], scratch: &mut Vec<Self>) {
        stencil.add(to, scratch);
    }
}

/// A 27-point operator of NPB MG, which makes each point of a grid the weighted sum of its 3 x 3 x 3 neighbourhood: the
/// weights of the centre, of each of the 6 face neighbours, of each of the 12 edge neighbours and of each of the 8
/// corner neighbours, in this order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operator(pub [f64; 4]);

impl Operator {
    /// Operator A of NPB MG, the discrete Laplacian: the residual is r = v - A u.
    pub const A: Self = Self([-8.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 12.0]);
    /// Operator P of NPB MG, the projection: the weights by which points of a fine grid are averaged to a point of a
    /// grid with half as many points along each axis.
    pub const P: Self = Self([0.5, 0.25, 0.125, 0.0625]);
    /// Operator Q of NPB MG, the trilinear interpolation: the weights by which a point of a coarse grid counts in the
    /// points around it of a grid with twice as many points along each axis.
    pub const Q: Self = Self([1.0, 0.5, 0.25, 0.125]);
    /// Operator S of NPB MG, the smoother (u is replaced by u + S r), with the weights of the problem classes S, W and
    /// A.
    pub const S_SMALL: Self = Self([-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0.0]);
    /// Operator S of NPB MG, the smoother (u is replaced by u + S r), with the weights of the problem classes from B
    /// on.
    pub const S_LARGE: Self = Self([-3.0 / 17.0, 1.0 / 33.0, -1.0 / 61.0, 0.0]);

    /// Returns the sum of the absolute values of all 27 weights.
    pub fn magnitude(&self) -> f64 {
        let [centre, faces, edges, corners] = self.0.map(f64::abs);
        centre + 6.0 * faces + 12.0 * edges + 8.0 * corners
    }
}

/// A periodic grid of n x n x n numbers: the neighbour of the last point along an axis is the first one.
#[derive(Clone, Debug)]
pub struct Periodic<T> {
    n: usize,
    /// The n^3 numbers of the grid: x goes fastest, then y, then z.
    pub values: Vec<T>,
}

impl<T: Real> Periodic<T> {
    /// Creates a grid of zeros with `n` points along each axis.
    pub fn zeros(n: usize) -> Self {
        // Written at once: what is only read first comes from the native machine a second time when it is
        // written.
        let zeros = rayon::iter::repeat_n(T::default(), n * n * n).with_min_len(LEAST);
        Self { n, values: zeros.collect() }
    }

    fn row(&self, [y, z]: [usize; 2]) -> &[T] {
        &self.values[(z * self.n + y) * self.n..][..self.n]
    }

    /// Returns every row with its place, on all cores of the native machine.
    fn rows(&mut self) -> impl ParallelIterator<Item = ([usize; 2], &mut [T])> {
        let n = self.n;
        self.values.par_chunks_mut(n).enumerate().map(move |(k, row)| ([k % n, k / n], row))
    }

    /// Applies `operator` to the grid `of`, which has the same number of points, and adds `sign` times the result to
    /// this grid, point by point. `sign` may be any factor.
    pub fn add(&mut self, sign: f64, operator: Operator, of: &Self) {
        self.add_rows(sign, operator, |at| of.row(at));
    }

    /// Adds `sign` times what an operator makes of a grid with these rows.
    fn add_rows<'a>(
        &mut self,
        sign: f64,
        operator: Operator,
        of: impl Fn([usize; 2]) -> &'a [T] + Sync,
    ) where
        T: 'a,
    {
        self.rows().for_each_init(Vec::new, |scratch, (at, row)| {
            T::add_row(&Stencil::new(sign, operator, &of, at), row, scratch);
        });
    }

    /// Returns the projection of this grid (operator P) to a grid with half as many points along each axis: point k of
    /// an axis of the result is averaged around point 2 k + 1 of this grid. The number of points along an axis has to
    /// be even.
    pub fn projected(&self) -> Self {
        let n = self.n;
        let mut coarse = Self::zeros(n / 2);
        let scratch = || (vec![T::default(); n], Vec::new());
        coarse.rows().for_each_init(scratch, |(fine, scratch), ([y, z], row)| {
            fine.fill(T::default());
            let at = [2 * y + 1, 2 * z + 1];
            T::add_row(&Stencil::new(1.0, Operator::P, &|at| self.row(at), at), fine, scratch);
            for (x, new) in row.iter_mut().zip(fine.iter().skip(1).step_by(2)) {
                *x = *new;
            }
        });
        coarse
    }

    /// Adds to this grid the trilinear interpolation (operator Q) of `coarse`, which has half as many points along each
    /// axis: point k of an axis of `coarse` lies at point 2 k + 1 of this grid.
    pub fn add_interpolated(&mut self, coarse: &Self) {
        // The rows of the fine grid that coarse points lie on, and all others.
        let n = self.n;
        let mut spread = vec![T::default(); 2 * coarse.values.len()];
        spread.par_chunks_mut(n).zip(coarse.values.par_chunks(coarse.n)).for_each(|(row, from)| {
            row.iter_mut().skip(1).step_by(2).zip(from).for_each(|(x, new)| *x = *new);
        });
        let zeros = vec![T::default(); n];
        self.add_rows(1.0, Operator::Q, |[y, z]| match (y % 2, z % 2) {
            (1, 1) => &spread[(z / 2 * coarse.n + y / 2) * n..][..n],
            _ => &zeros,
        });
    }
}

/// An [`Operator`] times a factor, applied to one row along x of a periodic grid: it refers to that row and to its 8
/// neighbours in y and z. [`Real::add_row`] adds its values to a row of another grid.
pub struct Stencil<'a, T> {
    /// Factor of the result.
    sign: f64,
    operator: Operator,
    /// Row on which the operator is centred.
    own: &'a [T],
    /// Rows beside the own row, in y and in z.
    near: [&'a [T]; 4],
    /// Rows beside the own row in both y and z.
    far: [&'a [T]; 4],
}

impl<'a, T: Real> Stencil<'a, T> {
    /// Creates the operator on the row at y and z of the grid with these rows.
    fn new(
        sign: f64,
        operator: Operator,
        row: &impl Fn([usize; 2]) -> &'a [T],
        [y, z]: [usize; 2],
    ) -> Self {
        let own = row([y, z]);
        let around = |k: usize| [(k + own.len() - 1) % own.len(), (k + 1) % own.len()];
        let ([before, after], [below, above]) = (around(y), around(z));
        let [near, far] = [
            [[before, z], [after, z], [y, below], [y, above]],
            [[before, below], [after, below], [before, above], [after, above]],
        ]
        .map(|[a, b, c, d]| [row(a), row(b), row(c), row(d)]);
        Self { sign, operator, own, near, far }
    }

    /// Adds the result to a row of as many numbers. What `scratch` holds is overwritten; it grows if it is too small.
    fn add(&self, to: &mut [T], scratch: &mut Vec<T>) {
        let n = to.len();
        scratch.resize(3 * (n + 2), T::default());
        let (own, planes) = scratch.split_at_mut(n + 2);
        let (near, far) = planes.split_at_mut(n + 2);
        own[1..=n].copy_from_slice(self.own);
        sum(&mut near[1..=n], self.near);
        sum(&mut far[1..=n], self.far);
        for row in [&mut *own, &mut *near, &mut *far] {
            // The grid is periodic: the last number stands before the row too, the first one behind it.
            row[0] = row[n];
            row[n + 1] = row[1];
        }
        let weights = self.operator.0.map(T::of);
        combine(to, T::of(self.sign), weights, own, near, far);
    }
}

/// Adds `sign` times the weighted sums of three rows, each with a number before and one behind it. Each row is an
/// argument of its own and the function is not inlined: so the compiler knows that `to` overlaps none, and computes
/// several points at once.
#[inline(never)]
fn combine<T: Real>(to: &mut [T], sign: T, weights: [T; 4], own: &[T], near: &[T], far: &[T]) {
    let n = to.len();
    let [own, near, far] = [&own[..n + 2], &near[..n + 2], &far[..n + 2]];
    let [w0, w1, w2, w3] = weights;
    for (x, to) in to.iter_mut().enumerate() {
        let faces = near[x + 1] + own[x] + own[x + 2];
        let edges = far[x + 1] + near[x] + near[x + 2];
        let new = w0 * own[x + 1] + w1 * faces + w2 * edges + w3 * (far[x] + far[x + 2]);
        *to = *to + sign * new;
    }
}

/// Makes a row the sum of four.
fn sum<T: Real>(to: &mut [T], rows: [&[T]; 4]) {
    let n = to.len();
    let [a, b, c, d] = [&rows[0][..n], &rows[1][..n], &rows[2][..n], &rows[3][..n]];
    for (x, to) in to.iter_mut().enumerate() {
        *to = a[x] + b[x] + c[x] + d[x];
    }
}

/// Creates the periodic grid with `n` points along each axis from its `n`^3 numbers, given in single precision: x goes
/// fastest, then y, then z.
///
/// # Panics
/// The function panics if `values` has not exactly `n`^3 numbers.
pub fn grid<T: Real>(values: &[f32], n: usize) -> Periodic<T> {
    assert_eq!(values.len(), n * n * n, "numbers of a grid");
    Periodic { n, values: values.iter().map(|&x| T::of(x.into())).collect() }
}

/// Result of [`solve`]: the approximate solution of A u = v after some V-cycles, and its residual.
pub struct Solved<T> {
    /// Solution u: n^3 numbers, x fastest, then y, then z.
    pub u: Vec<T>,
    /// Residual v - A u, in the order of `u`.
    pub r: Vec<T>,
}

/// Solves A u = v approximately on a periodic grid with `n` points along each axis, by so many V-cycles of multigrid as
/// `iterations` says, from u = 0. A is [`Operator::A`], `v` has n^3 numbers, x fastest, and `smoother` is the operator
/// S of every level. `n` is a power of two, at least 2.
///
/// # Panics
/// The function panics if `v` has not exactly `n`^3 numbers.
pub fn solve<T: Real>(v: &[f32], n: usize, smoother: Operator, iterations: usize) -> Solved<T> {
    let v: Periodic<T> = grid(v, n);
    let mut u = Periodic::zeros(n);
    let mut r = v.clone();
    for _ in 0..iterations {
        u.add_interpolated(&correction(&r.projected(), smoother));
        r.values.copy_from_slice(&v.values);
        r.add(-1.0, Operator::A, &u);
        u.add(1.0, smoother, &r);
        r.values.copy_from_slice(&v.values);
        r.add(-1.0, Operator::A, &u);
    }
    Solved { u: u.values, r: r.values }
}

/// Returns the correction of a grid below the finest.
fn correction<T: Real>(r: &Periodic<T>, smoother: Operator) -> Periodic<T> {
    let mut u = Periodic::zeros(r.n);
    if r.n > 2 {
        u.add_interpolated(&correction(&r.projected(), smoother));
        let mut left = r.clone();
        left.add(-1.0, Operator::A, &u);
        u.add(1.0, smoother, &left);
    } else {
        u.add(1.0, smoother, r);
    }
    u
}

/// Returns the root mean square of the numbers `of`: the square root of the mean of their squares. Without numbers the
/// result is NaN.
pub fn norm<T: Real>(of: &[T]) -> f64 {
    let squares: f64 = of.iter().map(|&x| x.into() * x.into()).sum();
    (squares / of.len() as f64).sqrt()
}
