//! Products of a packed matrix and a vector on a device.

use super::formats::{FramedEll, SlicedEll};
use crate::kernels::{BuiltKernels, SPARSE};
use cp2_gpu::GpuArgument::{Doubles, Int, Ints};
use cp2_gpu::{Gpu, GpuBuffer, GpuError};

/// Shares of a product: slices of `h` rows, `r` work-items a row, and what goes beyond the published format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductShape {
    /// Rows of a slice.
    pub h: usize,
    /// Work-items of a row.
    pub r: usize,
    /// Slices of a work-group.
    pub slices: usize,
    /// Elements that a work-item has under way at once.
    pub unroll: usize,
    /// Rows within which the longest come first; 1 leaves rows in their order.
    pub window: usize,
}

impl Default for ProductShape {
    fn default() -> Self {
        Self { h: 32, r: 1, slices: 4, unroll: 4, window: 1 }
    }
}

/// Returns the shapes that a search tries for a matrix of `n` rows.
pub fn candidates(gpu: &Gpu, n: usize, windows: &[usize]) -> Vec<ProductShape> {
    let most = gpu.info().items.min(1024);
    let mut found = Vec::new();
    for h in (0..=7).map(|k| 1 << k) {
        for r in (0..=4).map(|k| 1 << k) {
            for items in [64, 128, 256, 512] {
                let is_possible = h * r <= items && items <= most && items >= 64 && n >= h;
                for unroll in [1, 4, 8].into_iter().filter(|_| is_possible) {
                    let shape =
                        |&window| ProductShape { h, r, slices: items / (h * r), unroll, window };
                    found.extend(windows.iter().map(shape));
                }
            }
        }
    }
    found
}

/// Matrix in Sliced ELLpack on a device.
pub struct SlicedProduct {
    shape: ProductShape,
    slices: usize,
    starts: GpuBuffer<i32>,
    columns: GpuBuffer<i32>,
    values: GpuBuffer<f64>,
    rows: GpuBuffer<i32>,
    partial: GpuBuffer<f64>,
}

impl SlicedProduct {
    /// Puts a packed matrix onto a device.
    ///
    /// # Errors
    /// The device has no room for it.
    pub fn new(gpu: &Gpu, packed: &SlicedEll, shape: ProductShape) -> Result<Self, GpuError> {
        let slices = packed.starts.len() - 1;
        Ok(Self {
            shape,
            slices,
            starts: gpu.buffer_of(&packed.starts)?,
            columns: gpu.buffer_of(&packed.columns)?,
            values: gpu.buffer_of(&packed.values)?,
            rows: gpu.buffer_of(&packed.rows)?,
            partial: gpu.buffer(slices.div_ceil(shape.slices))?,
        })
    }

    /// Computes the product with other numbers of slices in a group and of elements under way.
    pub fn reshape(&mut self, gpu: &Gpu, shape: ProductShape) -> Result<(), GpuError> {
        self.partial = gpu.buffer(self.slices.div_ceil(shape.slices))?;
        self.shape = shape;
        Ok(())
    }

    /// Returns the partial sums of [`Self::multiply_dot`] and [`Self::distance`].
    pub fn partial(&self) -> &GpuBuffer<f64> {
        &self.partial
    }

    fn launch(
        &self,
        kernels: &BuiltKernels,
        mode: usize,
        [x, b, y]: [&GpuBuffer<f64>; 3],
    ) -> Result<(), GpuError> {
        let ProductShape { h, r, slices, unroll, .. } = self.shape;
        let defined = [
            ("SLICED", 1),
            ("H", h),
            ("R", r),
            ("SLICES", slices),
            ("UNROLL", unroll),
            ("MODE", mode),
        ];
        let kernel = kernels.get(SPARSE, "sliced", &defined)?;
        let arguments = [
            Int(self.slices as i32),
            Ints(&self.starts),
            Ints(&self.columns),
            Doubles(&self.values),
            Ints(&self.rows),
            Doubles(x),
            Doubles(b),
            Doubles(y),
            Doubles(&self.partial),
        ];
        let items = h * r * slices;
        let global = self.slices.div_ceil(slices) * items;
        kernels.gpu.launch(&kernel, [&[global], &[items]], &arguments, &[]).map(drop)
    }

    /// Computes y = A x.
    ///
    /// # Errors
    /// The device is lost.
    pub fn multiply(
        &self,
        kernels: &BuiltKernels,
        [x, y]: [&GpuBuffer<f64>; 2],
    ) -> Result<(), GpuError> {
        self.launch(kernels, 0, [x, x, y])
    }

    /// Computes y = A x and partial sums of x y.
    ///
    /// # Errors
    /// The device is lost.
    pub fn multiply_dot(
        &self,
        kernels: &BuiltKernels,
        [x, y]: [&GpuBuffer<f64>; 2],
    ) -> Result<(), GpuError> {
        self.launch(kernels, 1, [x, x, y])
    }

    /// Computes partial sums of (b - A x)^2.
    ///
    /// # Errors
    /// The device is lost.
    pub fn distance(
        &self,
        kernels: &BuiltKernels,
        [x, b]: [&GpuBuffer<f64>; 2],
    ) -> Result<(), GpuError> {
        self.launch(kernels, 2, [x, b, b])
    }
}

/// Matrix in Framed ELLpack on a device, `r` work-items a row.
pub struct FramedProduct {
    h: usize,
    w: usize,
    r: usize,
    groups: usize,
    bands: GpuBuffer<i32>,
    frames: GpuBuffer<i32>,
    starts: GpuBuffer<i32>,
    columns: GpuBuffer<i32>,
    values: GpuBuffer<f64>,
    rows: GpuBuffer<i32>,
}

impl FramedProduct {
    /// Puts a packed matrix onto a device.
    ///
    /// # Errors
    /// The device has no room for it.
    pub fn new(gpu: &Gpu, packed: &FramedEll, r: usize) -> Result<Self, GpuError> {
        Ok(Self {
            h: packed.h,
            w: packed.w,
            r,
            groups: packed.bands.len() - 1,
            bands: gpu.buffer_of(&packed.bands)?,
            frames: gpu.buffer_of(&packed.frames)?,
            starts: gpu.buffer_of(&packed.starts)?,
            columns: gpu.buffer_of(&packed.columns)?,
            values: gpu.buffer_of(&packed.values)?,
            rows: gpu.buffer_of(&packed.rows)?,
        })
    }

    /// Computes y = A x.
    ///
    /// # Errors
    /// The device is lost.
    pub fn multiply(
        &self,
        kernels: &BuiltKernels,
        [x, y]: [&GpuBuffer<f64>; 2],
    ) -> Result<(), GpuError> {
        let defined = [("FRAMED", 1), ("H", self.h), ("W", self.w), ("R", self.r)];
        let kernel = kernels.get(SPARSE, "framed", &defined)?;
        let arguments = [
            Int(x.count() as i32),
            Ints(&self.bands),
            Ints(&self.frames),
            Ints(&self.starts),
            Ints(&self.columns),
            Doubles(&self.values),
            Ints(&self.rows),
            Doubles(x),
            Doubles(y),
        ];
        let items = self.h * self.r;
        kernels.gpu.launch(&kernel, [&[self.groups * items], &[items]], &arguments, &[]).map(drop)
    }
}
