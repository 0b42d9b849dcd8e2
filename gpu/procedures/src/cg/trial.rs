//! Products of a matrix in all formats, each timed: the table of products.

use super::formats::{FramedEll, SlicedEll};
use super::matrix::NamedMatrix;
use super::product::{
    FramedProduct, FramedShape, ProductChoice, ProductShape, SlicedProduct, candidates,
    framed_candidates,
};
use crate::kernels::BuiltKernels;
use crate::timing::seconds;
use cp2_gpu::{Gpu, GpuBuffer, GpuError};

/// Format in which a matrix is packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProductFormat {
    /// Sliced ELLpack.
    #[default]
    Sliced,
    /// Framed ELLpack.
    Framed,
}

/// Vectors and kernels with which products are timed.
pub struct ProductTrial<'m> {
    gpu: Gpu,
    matrix: &'m NamedMatrix,
    kernels: BuiltKernels,
    x: GpuBuffer<f64>,
    y: GpuBuffer<f64>,
}

/// Time of a product in seconds, with how it is shared out; none of a shape that the device does not take.
pub type TimedProduct = Option<(f64, ProductChoice)>;

fn better(best: TimedProduct, time: f64, choice: ProductChoice) -> TimedProduct {
    best.filter(|best| best.0 <= time).or(Some((time, choice)))
}

impl<'m> ProductTrial<'m> {
    /// Makes the vectors for a matrix on a device.
    ///
    /// # Errors
    /// The device has no room for them.
    pub fn new(gpu: &Gpu, matrix: &'m NamedMatrix) -> Result<Self, GpuError> {
        Ok(Self {
            gpu: gpu.clone(),
            matrix,
            kernels: BuiltKernels::new(gpu.clone()),
            x: gpu.buffer_of(&vec![1.0; matrix.columns])?,
            y: gpu.buffer(matrix.rows.starts.len() - 1)?,
        })
    }

    /// Returns the fastest product in slices of `h` rows, the longest rows first within windows of `window`; every `step`-th
    /// shape is tried.
    ///
    /// # Errors
    /// The device is lost, or has no room.
    pub fn sliced(&self, h: usize, window: usize, step: usize) -> Result<TimedProduct, GpuError> {
        let Ok(packed) = SlicedEll::new(&self.matrix.rows, h, window) else { return Ok(None) };
        let n = self.matrix.rows.starts.len() - 1;
        let all = candidates(&self.gpu, n, &[window]).into_iter().filter(|shape| shape.h == h);
        let mut product: Option<SlicedProduct> = None;
        let mut best = None;
        for shape in all.step_by(step.max(1)) {
            let product = match &mut product {
                None => product.insert(SlicedProduct::new(&self.gpu, &packed, shape)?),
                Some(product) => {
                    product.reshape(&self.gpu, shape)?;
                    product
                }
            };
            let mut launch = || product.multiply(&self.kernels, [&self.x, &self.y]);
            if let Some(time) = self.time(&mut launch)? {
                best = better(best, time, shape.into());
            }
        }
        Ok(best)
    }

    /// Returns the fastest product in blocks of `h` rows and `w` columns.
    ///
    /// # Errors
    /// The device is lost, or has no room.
    pub fn framed(&self, h: usize, w: usize) -> Result<TimedProduct, GpuError> {
        let n = self.matrix.rows.starts.len() - 1;
        let all = framed_candidates(&self.gpu, n).into_iter();
        let all: Vec<FramedShape> = all.filter(|shape| (shape.h, shape.w) == (h, w)).collect();
        if all.is_empty() {
            return Ok(None);
        }
        let Ok(packed) = FramedEll::new(&self.matrix.rows, h, w) else { return Ok(None) };
        let mut product = FramedProduct::new(&self.gpu, &packed, 1)?;
        let mut best = None;
        for shape in all {
            product.reshape(shape.r);
            let mut launch = || product.multiply(&self.kernels, [&self.x, &self.y]);
            if let Some(time) = self.time(&mut launch)? {
                best = better(best, time, shape.into());
            }
        }
        Ok(best)
    }

    fn time(
        &self,
        launch: &mut dyn FnMut() -> Result<(), GpuError>,
    ) -> Result<Option<f64>, GpuError> {
        match seconds(&self.gpu, [5, 3], launch) {
            Ok(time) => Ok(Some(time)),
            Err(GpuError::Call { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the fastest product in a format.
    ///
    /// # Errors
    /// The device is lost, or has no room.
    pub fn search(&self, format: ProductFormat) -> Result<TimedProduct, GpuError> {
        let n = self.matrix.rows.starts.len() - 1;
        let mut best = None;
        let mut take = |found: TimedProduct| {
            if let Some((time, choice)) = found {
                best = better(best, time, choice);
            }
        };
        match format {
            ProductFormat::Sliced => {
                for window in [1, n.min(WIDEST)] {
                    for h in (0..=7).map(|k| 1 << k).filter(|&h| h <= n) {
                        take(self.sliced(h, window, 3)?);
                    }
                }
            }
            ProductFormat::Framed => {
                for (h, w) in blocks(&self.gpu, n) {
                    take(self.framed(h, w)?);
                }
            }
        }
        Ok(best)
    }

    /// Takes the fastest product of each slice and block as it is found: rows in their order, longest rows first, framed.
    ///
    /// # Errors
    /// The device is lost, or has no room.
    pub fn table(&self, take: &mut dyn FnMut(f64, ProductChoice)) -> Result<(), GpuError> {
        let n = self.matrix.rows.starts.len() - 1;
        for window in [1, n.min(WIDEST)] {
            for h in (0..=7).map(|k| 1 << k).filter(|&h| h <= n) {
                if let Some((time, choice)) = self.sliced(h, window, 3)? {
                    take(time, choice);
                }
            }
        }
        for (h, w) in blocks(&self.gpu, n) {
            if let Some((time, choice)) = self.framed(h, w)? {
                take(time, choice);
            }
        }
        Ok(())
    }
}

/// Widest window within which the longest rows come first.
const WIDEST: usize = 1 << 24;

/// Rows and columns of the blocks that are tried.
fn blocks(gpu: &Gpu, n: usize) -> Vec<(usize, usize)> {
    let mut all: Vec<_> = framed_candidates(gpu, n).iter().map(|s| (s.h, s.w)).collect();
    all.dedup();
    all
}

/// Returns how the table of products calls a choice.
pub fn product_name(choice: ProductChoice) -> String {
    match choice {
        ProductChoice::Sliced(ProductShape { h, r, window: 1, .. }) => {
            format!("sliced in order H {h} r {r}")
        }
        ProductChoice::Sliced(ProductShape { h, r, .. }) => format!("sliced sorted H {h} r {r}"),
        ProductChoice::Framed(FramedShape { h, w, r }) => format!("framed {h} x {w} r {r}"),
    }
}
