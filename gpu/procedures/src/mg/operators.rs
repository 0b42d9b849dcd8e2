//! Operators of MG on the levels that a device has.

use super::block::{GridRegion, LevelPart};
use super::shape::{GroupShape, GroupShapes};
use crate::kernels::{BuiltKernels, FACES, FUSED, KernelText, NORM, STENCIL, TRANSFER};
use cp2_gpu::GpuArgument::{Double, Doubles, Int};
use cp2_gpu::{Gpu, GpuArgument, GpuBuffer, GpuError, GpuEvent, GpuKernel};
use cp2_reference::multigrid::Operator;
use std::cell::RefCell;
use std::rc::Rc;

/// Level of a device with its solution u and its right side or residual r.
pub struct GridLevel {
    /// Part of the level that the device has.
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
    /// Returns the operators on the device of these kernels.
    ///
    /// # Errors
    /// The device has no room for partial sums.
    pub fn new(kernels: BuiltKernels, shapes: GroupShapes) -> Result<Self, GpuError> {
        let partial = kernels.gpu.buffer(SUM_GROUPS)?;
        Ok(Self { kernels, shapes, partial, after: RefCell::default() })
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

    /// Launches a kernel that walks the layers of a region. `part` has the sizes that the kernel is told, `rest` the arguments
    /// behind those that all such kernels have.
    fn walk(
        &self,
        (text, name): (KernelText, &'static str),
        (part, region): (LevelPart, GridRegion),
        shape: GroupShape,
        rest: &[GpuArgument<'_>],
    ) -> Result<GpuEvent, GpuError> {
        let GroupShape { m1, m2, r, depth } = shape;
        let [nx, ny, nz] = region.sizes();
        let is_ragged = nx % m1 != 0 || ny % m2 != 0;
        let of_shape = [("M1", m1), ("M2", m2), ("R", r), ("RAGGED", usize::from(is_ragged))];
        let kernel = self.kernels.get(text, name, &[&of_shape[..], &part.defined()].concat())?;
        let sizes = [part.sizes, region.first, region.end].concat();
        let sizes = sizes.iter().chain([&depth]).map(|&n| Int(n as i32));
        let arguments: Vec<GpuArgument<'_>> = sizes.chain(rest.iter().copied()).collect();
        let groups = [nx.div_ceil(m1), ny.div_ceil(m2), nz.div_ceil(depth)];
        let global = [groups[0] * m1, groups[1] * (m2 / r), groups[2]];
        self.launch(&kernel, [&global, &[m1, m2 / r, 1]], &arguments)
    }

    /// Computes `out = base + sign A in` on a region; without `base` it is zero.
    fn stencil(
        &self,
        name: &'static str,
        (part, region): (LevelPart, GridRegion),
        (sign, operator): (f64, Operator),
        [input, base, out]: [&GpuBuffer<f64>; 3],
        of_base: bool,
    ) -> Result<GpuEvent, GpuError> {
        let shape = self.shapes.on(name, part, region);
        let [w0, w1, w2, w3] = operator.0.map(|w| Double(sign * w));
        let arrays = [Doubles(input), Doubles(base), Doubles(out)];
        let rest = [&[w0, w1, w2, w3, Int(of_base.into())][..], &arrays].concat();
        self.walk((STENCIL, "stencil"), (part, region), shape, &rest)
    }

    /// Computes the residual `r = v - A u` on a region; `v` may be `r`.
    ///
    /// # Errors
    /// The device is lost.
    pub fn resid(
        &self,
        part: LevelPart,
        region: GridRegion,
        [u, v, r]: [&GpuBuffer<f64>; 3],
    ) -> Result<GpuEvent, GpuError> {
        self.stencil("resid", (part, region), (-1.0, Operator::A), [u, v, r], true)
    }

    /// Smooths: `u = u + S r` on a region, or `u = S r` if `is_first` is set.
    ///
    /// # Errors
    /// The device is lost.
    pub fn smooth(
        &self,
        part: LevelPart,
        region: GridRegion,
        smoother: Operator,
        [r, u]: [&GpuBuffer<f64>; 2],
        is_first: bool,
    ) -> Result<GpuEvent, GpuError> {
        self.stencil("smooth", (part, region), (1.0, smoother), [r, u, u], !is_first)
    }

    /// Projects a residual to the coarser level on a region of that. `fine` is the part of the finer level.
    ///
    /// # Errors
    /// The device is lost.
    pub fn proj(
        &self,
        fine: LevelPart,
        region: GridRegion,
        [from, to]: [&GpuBuffer<f64>; 2],
    ) -> Result<GpuEvent, GpuError> {
        let shape = GroupShape { r: 1, ..self.shapes.on("proj", fine.coarser(), region) };
        let arrays = [Doubles(from), Doubles(to)];
        self.walk((TRANSFER, "proj"), (fine, region), shape, &arrays)
    }

    /// Interpolates: `fine = fine + Q coarse` for a region of the coarse level, or `fine = Q coarse` if `is_first` is set.
    ///
    /// # Errors
    /// The device is lost.
    pub fn interp(
        &self,
        fine: LevelPart,
        region: GridRegion,
        [from, to]: [&GpuBuffer<f64>; 2],
        is_first: bool,
    ) -> Result<GpuEvent, GpuError> {
        let shape = GroupShape { r: 1, ..self.shapes.on("interp", fine.coarser(), region) };
        let rest = [Int((!is_first).into()), Doubles(from), Doubles(to)];
        self.walk((TRANSFER, "interp"), (fine, region), shape, &rest)
    }

    /// Launches a kernel of work-items that share `count` numbers out. It is told the sizes of `part`, the count and `rest`.
    pub fn share_out(
        &self,
        (text, name): (KernelText, &'static str),
        part: LevelPart,
        (defined, count): (&[(&'static str, usize)], usize),
        rest: &[GpuArgument<'_>],
    ) -> Result<GpuEvent, GpuError> {
        let all = [&[("ITEMS", SUM_ITEMS)][..], defined, &part.defined()].concat();
        let kernel = self.kernels.get(text, name, &all)?;
        let sizes = part.sizes.iter().chain([&count]).map(|&n| Int(n as i32));
        let arguments: Vec<GpuArgument<'_>> = sizes.chain(rest.iter().copied()).collect();
        let groups = count.div_ceil(SUM_ITEMS).clamp(1, SUM_GROUPS);
        self.launch(&kernel, [&[groups * SUM_ITEMS], &[SUM_ITEMS]], &arguments)
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
        let count = part.sizes.iter().product();
        self.fill(0.0, &self.partial)?;
        if part.is_whole() {
            let kernel = self.kernels.get(NORM, "squares", &[("ITEMS", SUM_ITEMS)])?;
            let sizes: [&[usize]; 2] = [&[SUM_GROUPS * SUM_ITEMS], &[SUM_ITEMS]];
            let arguments = [Int(0), Int(count as i32), Doubles(of), Doubles(&self.partial)];
            self.launch(&kernel, sizes, &arguments)?;
        } else {
            let arrays = [Doubles(of), Doubles(&self.partial)];
            let defined = (&[("SQUARES", 1)][..], count);
            self.share_out((FACES, "block_squares"), part, defined, &arrays)?;
        }
        let mut partial = [0.0; SUM_GROUPS];
        self.kernels.gpu.read(&self.partial, 0, &mut partial)?;
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
