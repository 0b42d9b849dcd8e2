//! The results of kernels on whole periodic grids by the reference in plain Rust.

use cp2_kernels::multigrid::GridKernel;
use cp2_reference::multigrid::{Periodic, Real, grid};

pub use cp2_reference::multigrid::{Solved, norm, solve};

/// Returns the result of a kernel other than `norm` with its usual operator on periodic grids, x fastest, computed on
/// plain arrays in precision `T`. `faced` is the grid that the kernel reads with faces (the points around each block,
/// so that neighbours count), with n points along each axis; `plain` is the operand without faces, if the kernel has
/// one.
pub fn applied<T: Real>(kernel: GridKernel, n: usize, faced: &[f32], plain: &[f32]) -> Vec<T> {
    let (faced, kernel) = (grid(faced, n), kernel.special());
    let operator = kernel.operator();
    let mut result = match kernel {
        GridKernel::Proj => return faced.projected().values,
        GridKernel::Interp => grid(plain, 2 * n),
        GridKernel::Interp0 => Periodic::zeros(2 * n),
        GridKernel::Smooth0 => Periodic::zeros(n),
        _ => grid(plain, n),
    };
    match kernel {
        GridKernel::Interp | GridKernel::Interp0 => result.add_interpolated(&faced),
        GridKernel::Resid => result.add(-1.0, operator, &faced),
        _ => result.add(1.0, operator, &faced),
    }
    result.values
}

#[cfg(test)]
mod tests {
    use super::super::npb::{Class, right_side};
    use super::*;
    use cp2_kernels::multigrid::Operator;

    #[test]
    fn double_precision_gives_the_norm_of_npb() {
        let class = Class::S;
        let n = class.points();
        let solved: Solved<f64> = solve(
            &right_side(&cp2_session::Environment::new(), n),
            n,
            Operator::S_SMALL,
            class.iterations(),
        );
        let deviation = norm(&solved.r) / class.norm() - 1.0;
        assert!(deviation.abs() < 1e-8, "{deviation}");
    }
}
