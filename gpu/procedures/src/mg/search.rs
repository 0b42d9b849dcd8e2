//! Search for the shapes of the work-groups of grid kernels on a device.

use super::block::LevelPart;
use super::operators::{GridLevel, GridOperators};
use super::shape::{GroupShape, GroupShapes};
use crate::kernels::BuiltKernels;
use crate::timing::seconds;
use cp2_gpu::{Gpu, GpuBuffer, GpuError};
use cp2_reference::multigrid::Operator;

/// Kernels whose shapes are searched.
pub const SEARCHED: [&str; 6] = ["resid", "smooth", "proj", "interp", "rise", "descend"];

/// Most points along an axis of a rectangle, and least and most work-items of a group.
const WIDEST: usize = 256;
const ITEMS: [usize; 2] = [64, 1024];

/// Grid on which kernels are timed, with all that they read and write.
pub struct GridTrial {
    level: GridLevel,
    coarse: GridLevel,
    v: GpuBuffer<f64>,
    operators: GridOperators,
}

impl GridTrial {
    /// Makes a grid of `n` points along each axis, at least 4.
    ///
    /// # Errors
    /// The device has no room for it.
    pub fn new(gpu: &Gpu, n: usize) -> Result<Self, GpuError> {
        let level = |n| GridLevel::new(gpu, LevelPart::whole(n));
        let kernels = BuiltKernels::new(gpu.clone());
        let operators = GridOperators::new(kernels, GroupShapes::default())?;
        let (level, coarse, v) = (level(n)?, level(n / 2)?, gpu.buffer(n * n * n)?);
        for array in [&level.u, &level.r, &coarse.u, &coarse.r, &v] {
            operators.fill(1e-3, array)?;
        }
        Ok(Self { level, coarse, v, operators })
    }

    /// Returns the points along an axis by which shapes of a kernel are found: those of the grid that it writes or of the
    /// coarser one.
    pub fn key(&self, kernel: &str) -> usize {
        if matches!(kernel, "resid" | "smooth" | "rise") {
            self.level.part.sizes[0]
        } else {
            self.coarse.part.sizes[0]
        }
    }

    /// Returns the bytes that a kernel moves at least: every number that it reads or writes once.
    pub fn bytes(&self, kernel: &str) -> f64 {
        let words = match kernel {
            "rise" => 3.125,
            "descend" => 2.125,
            "proj" => 1.125,
            "interp" => 2.125,
            _ => 3.0,
        };
        8.0 * words * (self.level.part.sizes[0] as f64).powi(3)
    }

    /// Returns the shapes to be tried for a kernel.
    pub fn candidates(&self, kernel: &str) -> Vec<GroupShape> {
        let n = self.key(kernel);
        let powers = |from: usize, to: usize| {
            (0..16).map(|k| 1 << k).filter(move |x| (from..=to).contains(x))
        };
        let rows = if matches!(kernel, "proj" | "interp") { 1 } else { 8 };
        let local = self.operators.kernels.gpu.info().local as usize;
        let most = self.operators.kernels.gpu.info().items.min(ITEMS[1]);
        let mut found = Vec::new();
        for m1 in powers(8.min(n), WIDEST.min(n)) {
            for m2 in powers(2.min(n), 32.min(n)) {
                for r in powers(1, rows.min(m2)) {
                    for depth in powers(8.min(n), n).filter(|depth| 8 * depth >= n) {
                        let shape = GroupShape { m1, m2, r, depth };
                        let fits = (ITEMS[0].min(n * n)..=most).contains(&shape.items());
                        let bytes = match kernel {
                            "proj" => 16 * (2 * m1 + 1) * (2 * m2 + 1),
                            "descend" => 24 * (2 * m1 + 3) * (2 * m2 + 3),
                            _ => 20 * (m1 + 4) * (m2 + 4),
                        };
                        if fits && bytes <= local && m1 * m2 * depth >= 256.min(n * n * n) {
                            found.push(shape);
                        }
                    }
                }
            }
        }
        found
    }

    /// Returns the seconds that a kernel takes with a shape.
    ///
    /// # Errors
    /// The kernel fails.
    pub fn time(
        &mut self,
        kernel: &str,
        shape: GroupShape,
        counts: [usize; 2],
    ) -> Result<f64, GpuError> {
        let key = (kernel.to_owned(), self.key(kernel));
        self.operators.shapes.0.insert(key, shape);
        let Self { level, coarse, v, operators: ops } = self;
        let part = level.part;
        let (n, all, few) = (part.sizes[0], part.region(), coarse.part.region());
        let smoother = Operator::S_LARGE;
        let launch = || match kernel {
            "resid" => ops.resid(part, all, [&level.u, v, &level.r]),
            "smooth" => ops.smooth(part, all, smoother, [&level.r, &level.u], false),
            "proj" => ops.proj(part, few, [&level.r, &coarse.r]),
            "interp" => ops.interp(part, few, [&coarse.u, &level.u], false),
            "rise" => ops.rise(n, smoother, [&coarse.u, &level.u, v, &level.r], false),
            _ => ops.descend(n, [&level.u, v, &coarse.r]),
        };
        seconds(&ops.kernels.gpu, counts, &mut || launch().map(drop))
    }

    /// Returns the fastest shape for a kernel with its seconds: all candidates once, then the best of them more often. Shapes
    /// that the device refuses are passed over.
    ///
    /// # Errors
    /// The device is lost, or takes no shape at all.
    pub fn search(&mut self, kernel: &str, limit: usize) -> Result<(GroupShape, f64), GpuError> {
        let mut found = Vec::new();
        let all = self.candidates(kernel);
        let step = all.len().div_ceil(limit.max(1));
        for shape in all.into_iter().step_by(step) {
            match self.time(kernel, shape, [1, 2]) {
                Ok(time) => found.push((time, shape)),
                Err(GpuError::Call { .. } | GpuError::TooLarge { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found.truncate(5);
        for (time, shape) in &mut found {
            *time = self.time(kernel, *shape, [5, 5])?;
        }
        let best = found.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
        best.map(|(time, shape)| (shape, time)).ok_or_else(|| GpuError::Call {
            call: "a search",
            error: format!("no shape of the work-groups of {kernel} works"),
        })
    }
}
