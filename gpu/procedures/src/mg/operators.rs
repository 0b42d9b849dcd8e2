//! Operators of MG on the levels that a device has.

use super::shape::GroupShapes;
use crate::kernels::{BuiltKernels, FUSED, NORM, STENCIL, TRANSFER};
use cp2_gpu::GpuArgument::{Double, Doubles, Int};
use cp2_gpu::{Gpu, GpuArgument, GpuBuffer, GpuError, GpuEvent, GpuKernel};
use cp2_reference::multigrid::Operator;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// Layers of a level that a device has: all, or a part with a layer of the neighbours at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelPart {
    /// Points along each axis of the whole level.
    pub n: usize,
    /// Layers of the device.
    pub layers: usize,
}

impl LevelPart {
    /// Returns whether the device has the whole level.
    pub fn is_whole(&self) -> bool {
        self.n == self.layers
    }

    /// Returns the layers in front of the device's own in memory: one of a neighbour, or none.
    pub fn ghost(&self) -> usize {
        usize::from(!self.is_whole())
    }

    /// Returns the points that an array of the level has in memory.
    pub fn points(&self) -> usize {
        self.n * self.n * (self.layers + 2 * self.ghost())
    }

    /// Returns by what the number of a layer is masked: a whole level wraps around.
    fn wrap(&self) -> i32 {
        if self.is_whole() { self.n as i32 - 1 } else { -1 }
    }
}

/// Level of a device with its solution u and its right side or residual r.
pub struct GridLevel {
    /// Layers of the level that the device has.
    pub part: LevelPart,
    /// Solution, or the correction of one.
    pub u: GpuBuffer<f64>,
    /// Residual; on levels below the finest the right side too.
    pub r: GpuBuffer<f64>,
}

impl GridLevel {
    /// Returns a level with memory for its arrays.
    ///
    /// # Errors
    /// The device has no room for it.
    pub fn new(gpu: &Gpu, part: LevelPart) -> Result<Self, GpuError> {
        Ok(Self { part, u: gpu.buffer(part.points())?, r: gpu.buffer(part.points())? })
    }
}

/// Number of work-groups and of work-items of kernels that sum.
const SUM_GROUPS: usize = 512;
const SUM_ITEMS: usize = 256;

/// Operators of MG on a device.
pub struct GridOperators {
    /// Kernels of the device.
    pub kernels: BuiltKernels,
    /// Shapes of the work-groups.
    pub shapes: GroupShapes,
    partial: GpuBuffer<f64>,
    /// Events that the next kernel waits for.
    after: RefCell<Vec<Rc<GpuEvent>>>,
}

impl GridOperators {
    /// Returns the operators on a device.
    ///
    /// # Errors
    /// The device has no room for partial sums.
    pub fn new(gpu: Gpu, shapes: GroupShapes) -> Result<Self, GpuError> {
        let partial = gpu.buffer(SUM_GROUPS)?;
        Ok(Self { kernels: BuiltKernels::new(gpu), shapes, partial, after: RefCell::default() })
    }

    /// Lets the next kernel begin only after these events.
    pub fn wait_for(&self, events: impl IntoIterator<Item = Rc<GpuEvent>>) {
        self.after.borrow_mut().extend(events);
    }

    /// Launches a kernel after the events that it has to wait for.
    fn launch(
        &self,
        kernel: &GpuKernel,
        sizes: [&[usize]; 2],
        arguments: &[GpuArgument<'_>],
    ) -> Result<GpuEvent, GpuError> {
        let after = self.after.take();
        let after: Vec<&GpuEvent> = after.iter().map(Rc::as_ref).collect();
        self.kernels.gpu.launch(kernel, sizes, arguments, &after)
    }

    /// Computes `out = base + sign A in` on some layers; without `base` it is zero.
    fn stencil(
        &self,
        name: &str,
        (part, layers): (LevelPart, Range<usize>),
        (sign, operator): (f64, Operator),
        [input, base, out]: [&GpuBuffer<f64>; 3],
        of_base: bool,
    ) -> Result<GpuEvent, GpuError> {
        let shape = self.shapes.of(name, part.n);
        let defined = [("M1", shape.m1), ("M2", shape.m2), ("R", shape.r)];
        let kernel = self.kernels.get(STENCIL, "stencil", &defined)?;
        let w = operator.0.map(|w| Double(sign * w));
        let [n, first, count] = [part.n, layers.start, layers.len()].map(|n| Int(n as i32));
        let depth = Int(shape.depth as i32);
        let (wrap, ghost) = (Int(part.wrap()), Int(part.ghost() as i32));
        let arguments = [
            n,
            first,
            count,
            depth,
            wrap,
            ghost,
            w[0],
            w[1],
            w[2],
            w[3],
            Int(of_base.into()),
            Doubles(input),
            Doubles(base),
            Doubles(out),
        ];
        let local = [shape.m1, shape.m2 / shape.r, 1];
        let global = [part.n, part.n / shape.r, layers.len().div_ceil(shape.depth)];
        self.launch(&kernel, [&global, &local], &arguments)
    }

    /// Computes the residual `r = v - A u` on some layers; `v` may be `r`.
    ///
    /// # Errors
    /// The device is lost.
    pub fn resid(
        &self,
        part: LevelPart,
        layers: Range<usize>,
        [u, v, r]: [&GpuBuffer<f64>; 3],
    ) -> Result<GpuEvent, GpuError> {
        self.stencil("resid", (part, layers), (-1.0, Operator::A), [u, v, r], true)
    }

    /// Smooths: `u = u + S r` on some layers, or `u = S r` if `is_first` is set.
    ///
    /// # Errors
    /// The device is lost.
    pub fn smooth(
        &self,
        part: LevelPart,
        layers: Range<usize>,
        smoother: Operator,
        [r, u]: [&GpuBuffer<f64>; 2],
        is_first: bool,
    ) -> Result<GpuEvent, GpuError> {
        self.stencil("smooth", (part, layers), (1.0, smoother), [r, u, u], !is_first)
    }

    /// Projects a residual to the coarser level on some layers of that.
    ///
    /// # Errors
    /// The device is lost.
    pub fn proj(
        &self,
        [fine, coarse]: [LevelPart; 2],
        layers: Range<usize>,
        [from, to]: [&GpuBuffer<f64>; 2],
    ) -> Result<GpuEvent, GpuError> {
        self.transfer("proj", [fine, coarse], layers, [from, to], &[])
    }

    /// Interpolates: `fine = fine + Q coarse` for some layers of the coarse level, or `fine = Q coarse` if `is_first` is
    /// set.
    ///
    /// # Errors
    /// The device is lost.
    pub fn interp(
        &self,
        [fine, coarse]: [LevelPart; 2],
        layers: Range<usize>,
        [from, to]: [&GpuBuffer<f64>; 2],
        is_first: bool,
    ) -> Result<GpuEvent, GpuError> {
        let of_fine = [Int((!is_first).into())];
        self.transfer("interp", [fine, coarse], layers, [from, to], &of_fine)
    }

    fn transfer(
        &self,
        name: &'static str,
        [fine, coarse]: [LevelPart; 2],
        layers: Range<usize>,
        [from, to]: [&GpuBuffer<f64>; 2],
        more: &[GpuArgument<'_>],
    ) -> Result<GpuEvent, GpuError> {
        let shape = self.shapes.of(name, coarse.n);
        let kernel = self.kernels.get(TRANSFER, name, &[("M1", shape.m1), ("M2", shape.m2)])?;
        let [n, first, count] = [fine.n, layers.start, layers.len()].map(|n| Int(n as i32));
        // The grid that is read wraps around.
        let read = if name == "proj" { [fine, coarse] } else { [coarse, fine] };
        let depth = Int(shape.depth as i32);
        let [of_read, of_written] = read.map(|part| Int(part.ghost() as i32));
        let mut arguments = vec![n, first, count, depth, Int(read[0].wrap()), of_read, of_written];
        arguments.extend_from_slice(more);
        arguments.extend([Doubles(from), Doubles(to)]);
        let local = [shape.m1, shape.m2, 1];
        let global = [coarse.n, coarse.n, layers.len().div_ceil(shape.depth)];
        self.launch(&kernel, [&global, &local], &arguments)
    }

    /// Computes `coarse = P (v - A u)` on a whole level of `n` points along each axis.
    ///
    /// # Errors
    /// The device is lost.
    pub fn descend(
        &self,
        n: usize,
        [u, v, coarse]: [&GpuBuffer<f64>; 3],
    ) -> Result<GpuEvent, GpuError> {
        let shape = self.shapes.of("descend", n / 2);
        let items = shape.items();
        let defined = [("DESCEND", 1), ("M1", shape.m1), ("M2", shape.m2), ("ITEMS", items)];
        let kernel = self.kernels.get(FUSED, "descend", &defined)?;
        let a = Operator::A.0.map(Double);
        let sizes = [Int(n as i32), Int(shape.depth as i32)];
        let arrays = [Doubles(u), Doubles(v), Doubles(coarse)];
        let arguments = [&sizes[..], &a, &arrays].concat();
        let groups = [n / 2 / shape.m1 * items, n / 2 / shape.m2, n / 2 / shape.depth];
        self.launch(&kernel, [&groups, &[items, 1, 1]], &arguments)
    }

    /// Computes `w = u + Q coarse` and `out = w + S (v - A w)` on a whole level of `n` points along each axis, at least 4;
    /// u counts as 0 if `is_first` is set.
    ///
    /// # Errors
    /// The device is lost.
    pub fn rise(
        &self,
        n: usize,
        smoother: Operator,
        [coarse, u, v, out]: [&GpuBuffer<f64>; 4],
        is_first: bool,
    ) -> Result<GpuEvent, GpuError> {
        let shape = self.shapes.of("rise", n);
        let items = shape.items();
        let defined = [("M1", shape.m1), ("M2", shape.m2), ("ITEMS", items)];
        let kernel = self.kernels.get(FUSED, "rise", &defined)?;
        let sizes = [Int(n as i32), Int(shape.depth as i32)];
        let arrays =
            [Int((!is_first).into()), Doubles(coarse), Doubles(u), Doubles(v), Doubles(out)];
        let weights = [Operator::A.0.map(Double), smoother.0.map(Double)].concat();
        let arguments = [&sizes[..], &weights, &arrays].concat();
        let groups = [n / shape.m1 * items, n / shape.m2, n / shape.depth];
        self.launch(&kernel, [&groups, &[items, 1, 1]], &arguments)
    }

    /// Returns the sum of the squares of the device's own points of an array.
    ///
    /// # Errors
    /// The device is lost.
    pub fn squares(&self, part: LevelPart, of: &GpuBuffer<f64>) -> Result<f64, GpuError> {
        let kernel = self.kernels.get(NORM, "squares", &[("ITEMS", SUM_ITEMS)])?;
        let layer = part.n * part.n;
        let [from, count] = [part.ghost() * layer, part.layers * layer].map(|n| Int(n as i32));
        let sizes: [&[usize]; 2] = [&[SUM_GROUPS * SUM_ITEMS], &[SUM_ITEMS]];
        let gpu = &self.kernels.gpu;
        self.launch(&kernel, sizes, &[from, count, Doubles(of), Doubles(&self.partial)])?;
        let mut partial = [0.0; SUM_GROUPS];
        gpu.read(&self.partial, 0, &mut partial)?;
        Ok(partial.iter().sum())
    }

    /// Fills an array with a number.
    ///
    /// # Errors
    /// The device is lost.
    pub fn fill(&self, value: f64, of: &GpuBuffer<f64>) -> Result<GpuEvent, GpuError> {
        let kernel = self.kernels.get(NORM, "fill", &[("ITEMS", SUM_ITEMS)])?;
        let arguments = [Double(value), Int(of.count() as i32), Doubles(of)];
        let sizes: [&[usize]; 2] = [&[SUM_GROUPS * SUM_ITEMS], &[SUM_ITEMS]];
        self.launch(&kernel, sizes, &arguments)
    }
}
