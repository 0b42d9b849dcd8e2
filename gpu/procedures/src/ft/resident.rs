//! NPB FT with the array in the memory of one device for the whole run.

use super::transform::{LineShapes, Transforms};
use crate::kernels::CHECKSUM;
use cp2_gpu::GpuArgument::{Double, Int, Pairs};
use cp2_gpu::{Gpu, GpuBuffer, GpuError};
use cp2_procedures::spatial::npb::{Class, factors, field_within};
use num_complex::Complex64;
use std::time::Instant;

/// Work-items of the group that sums.
const ITEMS: usize = 256;

/// Run of FT of a class on a device: field, spectrum, tables.
pub struct FtRun {
    class: Class,
    /// Transforms of the array.
    pub transforms: Transforms,
    /// Spectrum, which stays; at first the field.
    spectrum: GpuBuffer<[f64; 2]>,
    field: GpuBuffer<[f64; 2]>,
    /// Factors of each iteration, along the three axes.
    factors: Vec<[GpuBuffer<f64>; 3]>,
    sums: GpuBuffer<[f64; 2]>,
}

impl FtRun {
    /// Checks that a class fits: spectrum and field on the device.
    ///
    /// # Errors
    /// It does not; the error has the numbers.
    pub fn require(gpu: &Gpu, class: Class) -> Result<(), GpuError> {
        let bytes = 16 * class.sizes().points() as u64;
        gpu.require(&format!("FT class {class}"), 2 * bytes, bytes)
    }

    /// Makes the arrays of a class on a device.
    ///
    /// # Errors
    /// The device has no room for them.
    pub fn new(gpu: &Gpu, class: Class, shapes: LineShapes) -> Result<Self, GpuError> {
        let sizes = class.sizes();
        let points = sizes.points();
        let iterations = class.all_checksums().len();
        Self::require(gpu, class)?;
        let tables = (1..=iterations).map(|t| {
            let [x, y, z] = factors(&sizes, t);
            Ok([gpu.buffer_of(&x)?, gpu.buffer_of(&y)?, gpu.buffer_of(&z)?])
        });
        Ok(Self {
            class,
            transforms: Transforms::new(gpu, sizes.0, shapes)?,
            spectrum: gpu.buffer(points)?,
            field: gpu.buffer(points)?,
            factors: tables.collect::<Result<_, GpuError>>()?,
            sums: gpu.buffer(iterations)?,
        })
    }

    /// Writes the field with which a run begins.
    ///
    /// # Errors
    /// The device is lost.
    pub fn start(&self) -> Result<(), GpuError> {
        const TOGETHER: usize = 1 << 24;
        let points = self.class.sizes().points();
        for first in (0..points).step_by(TOGETHER) {
            let part = field_within(first..points.min(first + TOGETHER));
            let numbers: Vec<[f64; 2]> = part.iter().map(|x| [x.re, x.im]).collect();
            self.transforms.kernels.gpu.write(&self.field, first, &numbers)?;
        }
        Ok(())
    }

    /// Does the iteration of this number, from 0: evolves the spectrum, transforms it back, and sums.
    ///
    /// # Errors
    /// The device is lost.
    pub fn iteration(&self, t: usize) -> Result<(), GpuError> {
        let [x, y, z] = &self.factors[t];
        self.transforms.whole([&self.spectrum, &self.field], true, Some([x, y, z]))?;
        let [n1, n2, n3] = self.transforms.sizes;
        let kernel = self.transforms.kernels.get(CHECKSUM, "checksum", &[("ITEMS", ITEMS)])?;
        let scale = 1.0 / (n1 * n2 * n3) as f64;
        let [a, b, c, at] = [n1, n2, n3, t].map(|n| Int(n as i32));
        let arguments = [a, b, c, Double(scale), at, Pairs(&self.field), Pairs(&self.sums)];
        self.transforms.kernels.gpu.launch(&kernel, [&[ITEMS], &[ITEMS]], &arguments, &[]).map(drop)
    }

    /// Runs the class from the field that [`Self::start`] wrote, and returns the checksums and the seconds that the transforms
    /// took: the forward one and all iterations.
    ///
    /// # Errors
    /// The device is lost.
    pub fn run(&self) -> Result<(Vec<Complex64>, f64), GpuError> {
        let gpu = &self.transforms.kernels.gpu;
        gpu.finish()?;
        let begin = Instant::now();
        self.transforms.whole([&self.field, &self.spectrum], false, None)?;
        (0..self.factors.len()).try_for_each(|t| self.iteration(t))?;
        let mut sums = vec![[0.0; 2]; self.factors.len()];
        gpu.read(&self.sums, 0, &mut sums)?;
        let seconds = begin.elapsed().as_secs_f64();
        Ok((sums.iter().map(|s| Complex64::new(s[0], s[1])).collect(), seconds))
    }
}

/// Returns the largest relative deviation of checksums, of their real and imaginary parts, from those that NPB published.
pub fn deviation(class: Class, sums: &[Complex64]) -> f64 {
    let of = |a: f64, b: f64| (a / b - 1.0).abs();
    let pairs = sums.iter().zip(class.all_checksums());
    pairs.map(|(s, p)| of(s.re, p.re).max(of(s.im, p.im))).fold(0.0, f64::max)
}
