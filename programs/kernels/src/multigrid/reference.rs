//! The operators of multigrid by their definition, in double precision, on one block: the reference of the kernels.

use super::{GridBlock, GridKernel, Operator};

/// Returns the weight of a neighbour by the number of axes along which it is off the centre.
fn weight(operator: &Operator, offset: [i64; 3]) -> f64 {
    operator.0[offset.iter().filter(|&&d| d != 0).count()]
}

/// Returns every offset from -1 to 1 along three axes.
fn offsets() -> impl Iterator<Item = [i64; 3]> {
    (0..27).map(|i| [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1])
}

/// A block with faces, as numbers that can be indexed from -1.
struct Faced<'a> {
    block: GridBlock,
    points: &'a [f32],
}

impl Faced<'_> {
    fn at(&self, [x, y, z]: [i64; 3]) -> f64 {
        let (row, plane) = (self.block.n1 as i64 + 2, self.block.n2 as i64 + 2);
        f64::from(self.points[(((z + 1) * plane + y + 1) * row + x + 1) as usize])
    }

    fn apply(&self, operator: &Operator, centre: [i64; 3]) -> f64 {
        let term = |d: [i64; 3]| {
            weight(operator, d) * self.at([centre[0] + d[0], centre[1] + d[1], centre[2] + d[2]])
        };
        offsets().map(term).sum()
    }

    /// Returns the coarse function at a fine point: fine point 2c + 1 lies on coarse point c. A point between coarse points
    /// along some axes takes all of their neighbours with the weight of so many axes.
    fn interpolate(&self, operator: &Operator, fine: [i64; 3]) -> f64 {
        let between = fine.iter().filter(|&&x| x.rem_euclid(2) == 0).count();
        let corner = |i: i64| {
            let [x, y, z] = [0, 1, 2].map(|axis| (fine[axis] - (i >> axis & 1)).div_euclid(2));
            self.at([x, y, z])
        };
        // Along the other axes both corners are the same point.
        let times = f64::from(1 << (3 - between));
        operator.0[between] * (0..8).map(corner).sum::<f64>() / times
    }
}

fn points(block: GridBlock) -> impl Iterator<Item = [i64; 3]> {
    let [n1, n2, n3] = [block.n1, block.n2, block.n3].map(|n| n as i64);
    (0..n1 * n2 * n3).map(move |i| [i % n1, i / n1 % n2, i / (n1 * n2)])
}

/// Returns the exact result of a kernel on one block of the size `block`, by the definition of its operator in double
/// precision, with x fastest. `faced` has the points of the operand with faces, one layer of points more on every side;
/// `plain` has those of the operand without faces. Both have x fastest; one that the kernel does not take is empty.
///
/// For `norm` the result is the sum of the squares and the largest magnitude.
pub fn reference(
    kernel: GridKernel,
    block: GridBlock,
    operator: &Operator,
    faced: &[f32],
    plain: &[f32],
) -> Vec<f64> {
    let first = Faced { block, points: faced };
    let second = plain.iter().map(|&x| f64::from(x));
    let applied = points(block).map(|p| first.apply(operator, p));
    match kernel.special() {
        GridKernel::Resid => second.zip(applied).map(|(v, au)| v - au).collect(),
        GridKernel::Smooth => second.zip(applied).map(|(u, sr)| u + sr).collect(),
        GridKernel::Smooth0 => applied.collect(),
        GridKernel::Proj => points(block.halved())
            .map(|[x, y, z]| first.apply(operator, [2 * x + 1, 2 * y + 1, 2 * z + 1]))
            .collect(),
        GridKernel::Interp => {
            let fine = points(block.doubled()).map(|p| first.interpolate(operator, p));
            second.zip(fine).map(|(u, qz)| u + qz).collect()
        }
        GridKernel::Interp0 => {
            points(block.doubled()).map(|p| first.interpolate(operator, p)).collect()
        }
        _ => {
            let sum = second.clone().map(|x| x * x).sum();
            vec![sum, second.map(f64::abs).fold(0.0, f64::max)]
        }
    }
}
