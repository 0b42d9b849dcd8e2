//! NPB CG on one device, which has the matrix and all vectors.

use super::product::{DeviceProduct, ProductChoice};
use crate::kernels::{BuiltKernels, SPARSE};
use cp2_gpu::GpuArgument::{self, Double, Doubles, Int};
use cp2_gpu::{Gpu, GpuBuffer, GpuError, GpuEvent};
use cp2_kernels::sparse::matrices::{CgClass, DoubleRows};
use std::time::Instant;

/// Steps of conjugate gradients in each outer iteration.
pub(super) const STEPS: usize = 25;
/// Work-groups and work-items of the kernels on vectors.
pub(super) const GROUPS: usize = 132;
const ITEMS: usize = 256;

/// Returns the operations of a run as NPB counts them.
pub fn operations(class: &CgClass) -> f64 {
    let row = (class.nonzer * (class.nonzer + 1)) as f64;
    let of_iteration = 3.0 + row + STEPS as f64 * (5.0 + row) + 3.0;
    2.0 * class.iterations as f64 * class.order as f64 * of_iteration
}

/// Returns what errors call the matrix of a class; one that is no class of NPB is a user's.
pub(super) fn named(class: CgClass) -> String {
    match class.name() {
        "" => format!("the matrix of {} rows", class.order),
        name => format!("CG class {name}"),
    }
}

/// Launches a kernel on vectors, to begin after these events.
pub(super) fn launch_vectors(
    kernels: &BuiltKernels,
    name: &'static str,
    arguments: &[GpuArgument<'_>],
    after: &[&GpuEvent],
) -> Result<GpuEvent, GpuError> {
    let kernel = kernels.get(SPARSE, name, &[("VECTORS", 1), ("ITEMS", ITEMS)])?;
    kernels.gpu.launch(&kernel, [&[GROUPS * ITEMS], &[ITEMS]], arguments, after)
}

/// Run of CG of a class on a device: matrix and vectors.
pub struct CgRun {
    class: CgClass,
    /// Kernels of the device.
    pub kernels: BuiltKernels,
    /// Matrix on the device.
    pub product: DeviceProduct,
    /// Length of its arrays.
    pub length: usize,
    x: GpuBuffer<f64>,
    z: GpuBuffer<f64>,
    r: GpuBuffer<f64>,
    p: GpuBuffer<f64>,
    q: GpuBuffer<f64>,
    /// Partial sums of r r, of one step and of the next.
    squares: [GpuBuffer<f64>; 2],
    ends: GpuBuffer<f64>,
    zetas: GpuBuffer<f64>,
}

impl CgRun {
    /// Puts a class onto a device, its matrix packed as a choice says.
    ///
    /// # Errors
    /// The device has no room for it.
    pub fn new(
        gpu: &Gpu,
        class: CgClass,
        matrix: &DoubleRows,
        choice: impl Into<ProductChoice>,
    ) -> Result<Self, GpuError> {
        let (product, length) = DeviceProduct::new(gpu, &named(class), matrix, choice.into())?;
        let vector = || gpu.buffer(class.order);
        Ok(Self {
            class,
            kernels: BuiltKernels::new(gpu.clone()),
            product,
            length,
            x: vector()?,
            z: vector()?,
            r: vector()?,
            p: vector()?,
            q: vector()?,
            squares: [gpu.buffer(GROUPS)?, gpu.buffer(GROUPS)?],
            ends: gpu.buffer(2 * GROUPS)?,
            zetas: gpu.buffer(2 * class.iterations)?,
        })
    }

    /// Returns the product of the matrix and a vector.
    ///
    /// # Errors
    /// The device is lost, or the vector has not as many numbers as the matrix columns.
    pub fn product_of(&self, x: &[f64]) -> Result<Vec<f64>, GpuError> {
        let gpu = &self.kernels.gpu;
        gpu.write(&self.x, 0, x)?;
        self.multiply()?;
        let mut y = vec![0.0; x.len()];
        gpu.read(&self.q, 0, &mut y)?;
        Ok(y)
    }

    /// Returns the solution z of the last outer iteration.
    ///
    /// # Errors
    /// The device is lost.
    pub fn solution(&self) -> Result<Vec<f64>, GpuError> {
        let mut z = vec![0.0; self.class.order];
        self.kernels.gpu.read(&self.z, 0, &mut z)?;
        Ok(z)
    }

    fn vectors(&self, name: &'static str, arguments: &[GpuArgument<'_>]) -> Result<(), GpuError> {
        launch_vectors(&self.kernels, name, arguments, &[]).map(drop)
    }

    /// Computes y = A x once, for timings.
    ///
    /// # Errors
    /// The device is lost.
    pub fn multiply(&self) -> Result<(), GpuError> {
        self.product.multiply(&self.kernels, [&self.x, &self.q])
    }

    /// Does one outer iteration.
    fn iteration(&self, place: usize) -> Result<(), GpuError> {
        let n = Int(self.class.order as i32);
        let Self { x, z, r, p, q, squares: [even, odd], ends, zetas, .. } = self;
        let partial = self.product.partial();
        let count = Int(partial.count() as i32);
        self.vectors("begin", &[n, Doubles(x), Doubles(z), Doubles(r), Doubles(p), Doubles(even)])?;
        for step in 0..STEPS {
            let [old, new] = if step % 2 == 0 { [even, odd] } else { [odd, even] };
            self.product.multiply_dot(&self.kernels, 0, [p, q])?;
            let of_step = [
                n,
                Int(0),
                count,
                Int(1),
                Doubles(partial),
                Doubles(old),
                Doubles(p),
                Doubles(q),
                Doubles(z),
                Doubles(r),
                Doubles(new),
            ];
            self.vectors("advance", &of_step)?;
            self.vectors("turn", &[n, Int(1), Doubles(old), Doubles(new), Doubles(r), Doubles(p)])?;
        }
        self.product.distance(&self.kernels, [z, x])?;
        self.vectors("products", &[n, Doubles(x), Doubles(z), Doubles(ends)])?;
        let (at, shift) = (Int(place as i32), Double(self.class.shift));
        let last = [
            n,
            at,
            shift,
            count,
            Int(GROUPS as i32),
            Doubles(partial),
            Doubles(ends),
            Doubles(z),
            Doubles(x),
            Doubles(zetas),
        ];
        self.vectors("follow", &last)
    }

    /// Runs the class from x = 1 and returns zeta of the last outer iteration, the norm of its residual and the seconds that all
    /// outer iterations took, without packing and loading the matrix.
    ///
    /// # Errors
    /// The device is lost.
    pub fn run(&self) -> Result<(f64, f64, f64), GpuError> {
        let gpu = &self.kernels.gpu;
        let ones = vec![1.0; self.class.order];
        // One iteration that does not count, as in NPB.
        gpu.write(&self.x, 0, &ones)?;
        self.iteration(0)?;
        gpu.write(&self.x, 0, &ones)?;
        gpu.finish()?;
        let begin = Instant::now();
        (0..self.class.iterations).try_for_each(|place| self.iteration(place))?;
        let mut last = [0.0; 2];
        gpu.read(&self.zetas, 2 * (self.class.iterations - 1), &mut last)?;
        Ok((last[0], last[1], begin.elapsed().as_secs_f64()))
    }
}
