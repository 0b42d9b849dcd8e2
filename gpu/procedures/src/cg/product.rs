//! Products of a packed matrix and a vector on a device.

use super::formats::{FramedEll, SlicedEll};
use crate::kernels::{BuiltKernels, SPARSE};
use cp2_gpu::GpuArgument::{Doubles, Int, Ints};
use cp2_gpu::{Gpu, GpuBuffer, GpuError, GpuEvent};
use cp2_kernels::sparse::matrices::DoubleRows;
use std::fmt;

/// Use that a kernel makes of the product of each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProductMode {
    /// y = A x.
    Plain,
    /// y = A x, and partial sums of b y.
    Dot,
    /// Partial sums of (b - A x)^2.
    Distance,
}

/// Shares of a product in either format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProductChoice {
    /// Sliced ELLpack.
    Sliced(ProductShape),
    /// Framed ELLpack.
    Framed(FramedShape),
}

/// Shares of a product in Framed ELLpack: bands of `h` rows, frames of `w` columns, `r` work-items a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramedShape {
    /// Rows of a band.
    pub h: usize,
    /// Columns of a frame.
    pub w: usize,
    /// Work-items of a row.
    pub r: usize,
}

impl Default for FramedShape {
    fn default() -> Self {
        Self { h: 32, w: 1024, r: 4 }
    }
}

impl From<ProductShape> for ProductChoice {
    fn from(shape: ProductShape) -> Self {
        Self::Sliced(shape)
    }
}

impl From<FramedShape> for ProductChoice {
    fn from(shape: FramedShape) -> Self {
        Self::Framed(shape)
    }
}

impl fmt::Display for ProductChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sliced(ProductShape { h, r, window: 1, .. }) => {
                write!(f, "sliced, H {h}, r {r}, rows in their order")
            }
            Self::Sliced(ProductShape { h, r, window, .. }) => {
                write!(f, "sliced, H {h}, r {r}, longest rows first within {window}")
            }
            Self::Framed(FramedShape { h, w, r }) => write!(f, "framed, {h} x {w}, r {r}"),
        }
    }
}

/// Returns the shapes in Framed ELLpack that a search tries for a matrix of `n` rows on a device.
pub fn framed_candidates(gpu: &Gpu, n: usize) -> Vec<FramedShape> {
    let (most, local) = (gpu.info().items.min(1024), gpu.info().local as usize);
    let mut found = Vec::new();
    for h in [8, 32, 64, 128, 256] {
        for w in [512, 1024, 2048, 4096] {
            for r in [1, 2, 4, 8] {
                let is_possible = (64..=most).contains(&(h * r)) && n >= h;
                if is_possible && 8 * (w + h * r) <= local {
                    found.push(FramedShape { h, w, r });
                }
            }
        }
    }
    found
}

/// Matrix on a device, packed in either format.
pub enum DeviceProduct {
    /// Sliced ELLpack.
    Sliced(SlicedProduct),
    /// Framed ELLpack.
    Framed(FramedProduct),
}

impl DeviceProduct {
    /// Packs a matrix and puts it onto a device. `what` names it in errors. With the product comes the length of the arrays.
    ///
    /// # Errors
    /// The device has no room for it, or places in it are not numbered with 32 bits.
    pub fn new(
        gpu: &Gpu,
        what: &str,
        matrix: &DoubleRows,
        choice: ProductChoice,
    ) -> Result<(Self, usize), GpuError> {
        let refused = |length: usize| GpuError::TooLarge {
            what: format!("{what}, {choice},"),
            bytes: 12 * length as u64,
            limit: 12 * i32::MAX as u64,
            device: gpu.info().name.clone(),
        };
        let fits = |length: usize| gpu.require(what, 12 * length as u64, 8 * length as u64);
        match choice {
            ProductChoice::Sliced(shape) => {
                let packed = SlicedEll::new(matrix, shape.h, shape.window).map_err(refused)?;
                fits(packed.values.len())?;
                let product = SlicedProduct::new(gpu, &packed, shape)?;
                Ok((Self::Sliced(product), packed.values.len()))
            }
            ProductChoice::Framed(FramedShape { h, w, r }) => {
                let packed = FramedEll::new(matrix, h, w).map_err(refused)?;
                fits(packed.values.len())?;
                let product = FramedProduct::new(gpu, &packed, r)?;
                Ok((Self::Framed(product), packed.values.len()))
            }
        }
    }

    /// Returns the partial sums of [`Self::multiply_dot`] and [`Self::distance`].
    pub fn partial(&self) -> &GpuBuffer<f64> {
        match self {
            Self::Sliced(product) => &product.partial,
            Self::Framed(product) => &product.partial,
        }
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
        self.launch(kernels, (ProductMode::Plain, 0), [x, x, y]).map(drop)
    }

    /// Computes y = A x and partial sums of x y, where row 0 of the matrix has place `first` of x.
    ///
    /// # Errors
    /// The device is lost.
    pub fn multiply_dot(
        &self,
        kernels: &BuiltKernels,
        first: usize,
        [x, y]: [&GpuBuffer<f64>; 2],
    ) -> Result<GpuEvent, GpuError> {
        self.launch(kernels, (ProductMode::Dot, first), [x, x, y])
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
        self.launch(kernels, (ProductMode::Distance, 0), [x, b, b]).map(drop)
    }

    fn launch(
        &self,
        kernels: &BuiltKernels,
        mode: (ProductMode, usize),
        arrays: [&GpuBuffer<f64>; 3],
    ) -> Result<GpuEvent, GpuError> {
        match self {
            Self::Sliced(product) => product.launch(kernels, mode, arrays),
            Self::Framed(product) => product.launch(kernels, mode, arrays),
        }
    }
}

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

    fn launch(
        &self,
        kernels: &BuiltKernels,
        (mode, first): (ProductMode, usize),
        [x, b, y]: [&GpuBuffer<f64>; 3],
    ) -> Result<GpuEvent, GpuError> {
        let ProductShape { h, r, slices, unroll, .. } = self.shape;
        let defined = [
            ("SLICED", 1),
            ("H", h),
            ("R", r),
            ("SLICES", slices),
            ("UNROLL", unroll),
            ("MODE", mode as usize),
        ];
        let kernel = kernels.get(SPARSE, "sliced", &defined)?;
        let arguments = [
            Int(self.slices as i32),
            Int(first as i32),
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
        kernels.gpu.launch(&kernel, [&[global], &[items]], &arguments, &[])
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
        self.launch(kernels, (ProductMode::Plain, 0), [x, x, y]).map(drop)
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
    partial: GpuBuffer<f64>,
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
            partial: gpu.buffer(packed.bands.len() - 1)?,
        })
    }

    /// Computes the product with another number of work-items a row.
    pub fn reshape(&mut self, r: usize) {
        self.r = r;
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
        self.launch(kernels, (ProductMode::Plain, 0), [x, x, y]).map(drop)
    }

    fn launch(
        &self,
        kernels: &BuiltKernels,
        (mode, first): (ProductMode, usize),
        [x, b, y]: [&GpuBuffer<f64>; 3],
    ) -> Result<GpuEvent, GpuError> {
        let sizes = [("FRAMED", 1), ("H", self.h), ("W", self.w), ("R", self.r)];
        let defined = [&sizes[..], &[("MODE", mode as usize)]].concat();
        let kernel = kernels.get(SPARSE, "framed", &defined)?;
        let arguments = [
            Int(x.count() as i32),
            Int(first as i32),
            Ints(&self.bands),
            Ints(&self.frames),
            Ints(&self.starts),
            Ints(&self.columns),
            Doubles(&self.values),
            Ints(&self.rows),
            Doubles(x),
            Doubles(b),
            Doubles(y),
            Doubles(&self.partial),
        ];
        let items = self.h * self.r;
        kernels.gpu.launch(&kernel, [&[self.groups * items], &[items]], &arguments, &[])
    }
}
