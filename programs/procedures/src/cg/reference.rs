//! Conjugate gradients on plain arrays in double precision, with the matrix entries that single precision has: the
//! reference of the procedure.

use super::solver::STEPS;
use cp2_kernels::sparse::matrices::CgClass;
use cp2_session::numbers::read;
use cp2_session::sparse::Csr;

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Returns the matrix times the vector `x` in double precision, with the entries as CP2 reads them (denormals as
/// zeros).
pub fn product(matrix: &Csr, x: &[f64]) -> Vec<f64> {
    let row = |r: usize| matrix.row(r).iter().map(|&(c, v)| f64::from(read(v)) * x[c]).sum();
    (0..matrix.rows()).map(row).collect()
}

/// Returns the number zeta of NPB CG after each outer iteration, computed in double precision on plain arrays: shift +
/// 1 / (x . z), where x is the vector of the iteration and z the solution of A z = x after 25 steps of conjugate
/// gradients, with A the matrix `matrix`.
pub fn zetas(matrix: &Csr, class: &CgClass) -> Vec<f64> {
    let mut x = vec![1.0; class.order];
    let mut zetas = Vec::new();
    for _ in 0..class.iterations {
        let z = solve(matrix, &x);
        zetas.push(class.shift + 1.0 / dot(&x, &z));
        let norm = dot(&z, &z).sqrt();
        x = z.iter().map(|z| z / norm).collect();
    }
    zetas
}

fn solve(matrix: &Csr, b: &[f64]) -> Vec<f64> {
    let mut z = vec![0.0; b.len()];
    let (mut r, mut p) = (b.to_vec(), b.to_vec());
    let mut rho = dot(&r, &r);
    for _ in 0..STEPS {
        let q = product(matrix, &p);
        let a = rho / dot(&p, &q);
        for (k, q) in q.iter().enumerate() {
            z[k] += a * p[k];
            r[k] -= a * q;
        }
        let next = dot(&r, &r);
        let turn = next / rho;
        p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + turn * *p);
        rho = next;
    }
    z
}
