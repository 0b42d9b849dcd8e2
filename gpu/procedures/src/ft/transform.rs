//! Fourier transforms along the axes of an array on a device.

use crate::kernels::{BuiltKernels, FOURIER};
use cp2_gpu::GpuArgument::{self, Int, Pairs};
use cp2_gpu::{Gpu, GpuBuffer, GpuError, GpuEvent, GpuKernel};
use num_complex::Complex64;
use std::rc::Rc;

/// Lines of a work-group, for each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineShapes(pub [usize; 3]);

impl Default for LineShapes {
    fn default() -> Self {
        Self([4, 4, 4])
    }
}

/// Transforms along the axes of an array of three dimensions, with the roots that they need on the device.
pub struct Transforms {
    /// Kernels of the device.
    pub kernels: BuiltKernels,
    /// Points along the three axes, first axis fastest.
    pub sizes: [usize; 3],
    /// Lines of a work-group, for each axis.
    pub shapes: LineShapes,
    roots: Vec<GpuBuffer<[f64; 2]>>,
}

/// Returns exp(-2 pi i k / n) for k below n.
fn roots(n: usize) -> Vec<[f64; 2]> {
    let root = |k| Complex64::from_polar(1.0, -std::f64::consts::TAU * k as f64 / n as f64);
    (0..n).map(root).map(|w| [w.re, w.im]).collect()
}

impl Transforms {
    /// Makes the transforms of an array of these sizes, powers of two from 8 on.
    ///
    /// # Errors
    /// The device has no room for the roots.
    pub fn new(gpu: &Gpu, sizes: [usize; 3], shapes: LineShapes) -> Result<Self, GpuError> {
        let roots =
            sizes.into_iter().map(|n| gpu.buffer_of(&roots(n))).collect::<Result<_, _>>()?;
        Ok(Self { kernels: BuiltKernels::new(gpu.clone()), sizes, shapes, roots })
    }

    /// Transforms `lines` lines along an axis from one array to another, which may be the same; `inner` is the distance of
    /// elements of a line. `factors`, for lines along the first axis, are multiplied in before; the number beside them is that of
    /// the first plane. The kernel begins after these events.
    ///
    /// # Errors
    /// The device is lost.
    pub fn along(
        &self,
        (axis, is_inverse): (usize, bool),
        [lines, inner]: [usize; 2],
        [from, to]: [&GpuBuffer<[f64; 2]>; 2],
        factors: Option<(usize, [&GpuBuffer<f64>; 3])>,
        after: &[&GpuEvent],
    ) -> Result<GpuEvent, GpuError> {
        let (kernel, columns) =
            self.kernel((axis, is_inverse), [lines, inner], factors.is_some())?;
        let mut arguments =
            vec![Int(inner as i32), Pairs(&self.roots[axis]), Pairs(from), Pairs(to)];
        if let Some((plane, factors)) = factors {
            arguments.extend([Int(self.sizes[1] as i32), Int(plane as i32)]);
            arguments.extend(factors.map(GpuArgument::Doubles));
        }
        let local = self.sizes[axis] / 8 * columns;
        let sizes: [&[usize]; 2] = [&[lines / columns * local], &[local]];
        self.kernels.gpu.launch(&kernel, sizes, &arguments, after)
    }

    /// Returns the kernel of lines along an axis, and the lines of a work-group: those that were chosen, or as many as the device
    /// and the registers of the kernel allow. `evolves` says whether factors are multiplied in before.
    fn kernel(
        &self,
        (axis, is_inverse): (usize, bool),
        [lines, inner]: [usize; 2],
        evolves: bool,
    ) -> Result<(Rc<GpuKernel>, usize), GpuError> {
        let n = self.sizes[axis];
        let items = self.kernels.gpu.info().items;
        let mut columns = self.shapes.0[axis].min(lines).min(8 * items / n);
        while axis > 0 && inner % columns != 0 {
            columns /= 2;
        }
        loop {
            let defined = [
                ("N", n),
                ("COLUMNS", columns),
                ("STRIDED", usize::from(axis > 0)),
                ("INVERSE", is_inverse.into()),
                ("EVOLVE", evolves.into()),
            ];
            let kernel = self.kernels.get(FOURIER, "transform", &defined)?;
            if columns == 1 || n / 8 * columns <= kernel.items() {
                return Ok((kernel, columns));
            }
            columns /= 2;
        }
    }

    /// Transforms a whole array along all axes, from one array to another, which may be the same; `factors` are multiplied in
    /// before.
    ///
    /// # Errors
    /// The device is lost.
    pub fn whole(
        &self,
        [from, to]: [&GpuBuffer<[f64; 2]>; 2],
        is_inverse: bool,
        factors: Option<[&GpuBuffer<f64>; 3]>,
    ) -> Result<(), GpuError> {
        let [n1, n2, n3] = self.sizes;
        let factors = factors.map(|all| (0, all));
        self.along((0, is_inverse), [n2 * n3, 1], [from, to], factors, &[])?;
        self.along((1, is_inverse), [n1 * n3, n1], [to, to], None, &[])?;
        self.along((2, is_inverse), [n1 * n2, n1 * n2], [to, to], None, &[]).map(drop)
    }
}
