//! Rows of a matrix on several devices, and NPB CG with the products there and the vectors on the host: the scheme of the source.

use super::product::{DeviceProduct, ProductChoice};
use super::solver::{STEPS, named};
use crate::kernels::BuiltKernels;
use cp2_gpu::{Gpu, GpuBuffer, GpuError, PinnedMemory};
use cp2_kernels::sparse::matrices::{CgClass, DoubleRows};
use rayon::prelude::*;
use std::ops::Range;
use std::time::Instant;

/// Rows of a device with their product.
pub(super) struct RowPart {
    pub(super) kernels: BuiltKernels,
    pub(super) rows: Range<usize>,
    pub(super) product: DeviceProduct,
    /// Vector that the rows are multiplied by, as a whole.
    pub(super) x: GpuBuffer<f64>,
    /// Products of the rows.
    pub(super) y: GpuBuffer<f64>,
}

impl RowPart {
    /// Deals the rows of a matrix out to devices that were opened together, as evenly as they come.
    ///
    /// # Errors
    /// A device has no room for its rows.
    pub(super) fn deal(
        gpus: &[Gpu],
        class: CgClass,
        matrix: &DoubleRows,
        choice: ProductChoice,
    ) -> Result<Vec<Self>, GpuError> {
        let n = class.order;
        let each = n.div_ceil(gpus.len());
        let first = BuiltKernels::new(gpus[0].clone());
        let part = |(d, gpu): (usize, &Gpu)| {
            let rows = (d * each).min(n)..((d + 1) * each).min(n);
            let entries = matrix.starts[rows.start]..matrix.starts[rows.end];
            let starts = &matrix.starts[rows.start..=rows.end];
            let own = DoubleRows {
                starts: starts.iter().map(|start| start - entries.start).collect(),
                columns: matrix.columns[entries.clone()].to_vec(),
                values: matrix.values[entries].to_vec(),
            };
            let what = format!("a part of {}", named(class));
            let (product, _) = DeviceProduct::new(gpu, &what, &own, choice)?;
            let (x, y) = (gpu.buffer(n)?, gpu.buffer(rows.len().max(1))?);
            Ok(Self { kernels: first.on(gpu), product, x, y, rows })
        };
        gpus.iter().enumerate().map(part).collect()
    }
}

/// Run of CG of a class on several devices.
pub struct CgParts {
    class: CgClass,
    parts: Vec<RowPart>,
    x: PinnedMemory<f64>,
    y: PinnedMemory<f64>,
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.par_iter().zip(y).with_min_len(1 << 12).map(|(x, y)| x * y).sum()
}

impl CgParts {
    /// Deals the rows of a matrix out to devices that were opened together.
    ///
    /// # Errors
    /// A device has no room for its rows.
    pub fn new(
        gpus: &[Gpu],
        class: CgClass,
        matrix: &DoubleRows,
        choice: impl Into<ProductChoice>,
    ) -> Result<Self, GpuError> {
        let parts = RowPart::deal(gpus, class, matrix, choice.into())?;
        let vector = || gpus[0].pinned(class.order);
        Ok(Self { class, parts, x: vector()?, y: vector()? })
    }

    /// Returns the rows of the matrix.
    pub fn order(&self) -> usize {
        self.class.order
    }

    /// Computes y = A x: x goes to every device, parts of y come back.
    ///
    /// # Errors
    /// A device is lost.
    pub fn multiply(&mut self, x: &[f64]) -> Result<&[f64], GpuError> {
        self.x
            .numbers_mut()?
            .par_iter_mut()
            .zip(x)
            .with_min_len(1 << 12)
            .for_each(|(to, x)| *to = *x);
        self.multiply_pinned()?;
        self.y.numbers()
    }

    /// Computes y = A x of the vectors in pinned memory.
    fn multiply_pinned(&self) -> Result<(), GpuError> {
        for part in &self.parts {
            let gpu = &part.kernels.gpu;
            gpu.load(&part.x, 0, &self.x, 0..self.class.order, &[])?;
            gpu.flush()?;
        }
        self.finish()?;
        for part in &self.parts {
            part.product.multiply(&part.kernels, [&part.x, &part.y])?;
            part.kernels.gpu.flush()?;
        }
        self.finish()?;
        for part in &self.parts {
            part.kernels.gpu.unload(&part.y, 0, &self.y, part.rows.clone(), &[])?;
            part.kernels.gpu.flush()?;
        }
        self.finish()
    }

    fn finish(&self) -> Result<(), GpuError> {
        self.parts.iter().try_for_each(|part| part.kernels.gpu.finish())
    }

    /// Returns the seconds of one product with its transfers.
    ///
    /// # Errors
    /// A device is lost.
    pub fn product_seconds(&self) -> Result<f64, GpuError> {
        let gpu = &self.parts[0].kernels.gpu;
        crate::timing::seconds(gpu, [10, 5], &mut || self.multiply_pinned())
    }

    /// Solves A z = x by the steps of NPB, and returns z.
    fn solve(&mut self, x: &[f64]) -> Result<Vec<f64>, GpuError> {
        let mut z = vec![0.0; x.len()];
        let (mut r, mut p) = (x.to_vec(), x.to_vec());
        let mut rho = dot(&r, &r);
        for _ in 0..STEPS {
            let q = self.multiply(&p)?;
            let a = if rho == 0.0 { 0.0 } else { rho / dot(&p, q) };
            z.par_iter_mut().zip(&p).with_min_len(1 << 12).for_each(|(z, p)| *z += a * p);
            r.par_iter_mut().zip(q).with_min_len(1 << 12).for_each(|(r, q)| *r -= a * q);
            let next = dot(&r, &r);
            let b = if next == 0.0 { 0.0 } else { next / rho };
            p.par_iter_mut().zip(&r).with_min_len(1 << 12).for_each(|(p, r)| *p = r + b * *p);
            rho = next;
        }
        Ok(z)
    }

    /// Runs the class from x = 1 and returns zeta of the last outer iteration, the norm of its residual and the seconds that
    /// all outer iterations took, without packing and loading the matrix.
    ///
    /// # Errors
    /// A device is lost.
    pub fn run(&mut self) -> Result<(f64, f64, f64), GpuError> {
        let mut x = vec![1.0; self.class.order];
        self.solve(&x)?;
        let begin = Instant::now();
        let (mut zeta, mut rest) = (f64::NAN, f64::NAN);
        for _ in 0..self.class.iterations {
            let z = self.solve(&x)?;
            let product = self.multiply(&z)?;
            rest = product.iter().zip(&x).map(|(y, x)| (x - y) * (x - y)).sum::<f64>().sqrt();
            zeta = self.class.shift + 1.0 / dot(&x, &z);
            let size = 1.0 / dot(&z, &z).sqrt();
            x.par_iter_mut().zip(&z).with_min_len(1 << 12).for_each(|(x, z)| *x = size * z);
        }
        Ok((zeta, rest, begin.elapsed().as_secs_f64()))
    }
}
