//! V-cycles of MG on one device, which has all levels.

use super::block::LevelPart;
use super::operators::{GridLevel, GridOperators};
use super::shape::GroupShapes;
use crate::kernels::BuiltKernels;
use cp2_gpu::{Gpu, GpuBuffer, GpuError};
use cp2_procedures::multigrid::npb::{Class, charged_points};
use cp2_reference::multigrid::Operator;
use cp2_session::Environment;
use std::time::Instant;

/// Form of the V-cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MgForm {
    /// A kernel for each operator, as in the source.
    #[default]
    Plain,
    /// Kernels of two operators on the finest level, so that their results pass through memory once.
    Fused,
}

/// Levels of a grid that a device has as a whole, from 2 points along an axis on, each with twice as many as the one before.
pub(super) struct WholeLevels {
    pub(super) operators: GridOperators,
    pub(super) levels: Vec<GridLevel>,
    smoother: Operator,
}

impl WholeLevels {
    /// Makes the levels up to one of `n` points along each axis.
    pub(super) fn new(
        kernels: BuiltKernels,
        n: usize,
        class: Class,
        shapes: GroupShapes,
    ) -> Result<Self, GpuError> {
        let gpu = kernels.gpu.clone();
        let operators = GridOperators::new(kernels, shapes)?;
        let sizes = (1..=n.trailing_zeros()).map(|k| 1 << k);
        let level = |n| GridLevel::new(&gpu, LevelPart::whole(n));
        let levels = sizes.map(level).collect::<Result<_, _>>()?;
        Ok(Self { operators, levels, smoother: smoother(class) })
    }

    /// Projects the residual of a level down to the coarsest.
    fn down(&self, from: usize) -> Result<(), GpuError> {
        for k in (1..=from).rev() {
            let (coarse, fine) = (&self.levels[k - 1], &self.levels[k]);
            self.operators.proj(fine.part, coarse.part.region(), [&fine.r, &coarse.r])?;
        }
        Ok(())
    }

    /// Corrects the levels below `to`, from the coarsest on.
    fn up(&self, to: usize, form: MgForm) -> Result<(), GpuError> {
        let (ops, last) = (&self.operators, &self.levels[0]);
        ops.smooth(last.part, last.part.region(), self.smoother, [&last.r, &last.u], true)?;
        for k in 1..to {
            let (coarse, fine) = (&self.levels[k - 1], &self.levels[k]);
            if form == MgForm::Fused {
                let arrays = [&coarse.u, &fine.r, &fine.r, &fine.u];
                ops.rise(fine.part.sizes[0], self.smoother, arrays, true)?;
            } else {
                self.correct(k, &fine.r, true)?;
            }
        }
        Ok(())
    }

    /// Corrects a level from the one below: interpolates, computes the residual of the right side `v`, and smooths.
    fn correct(&self, k: usize, v: &GpuBuffer<f64>, is_first: bool) -> Result<(), GpuError> {
        let (coarse, fine, ops) = (&self.levels[k - 1], &self.levels[k], &self.operators);
        let all = fine.part.region();
        ops.interp(fine.part, coarse.part.region(), [&coarse.u, &fine.u], is_first)?;
        ops.resid(fine.part, all, [&fine.u, v, &fine.r])?;
        ops.smooth(fine.part, all, self.smoother, [&fine.r, &fine.u], false)?;
        Ok(())
    }

    /// Finds the correction of the finest level for its right side r.
    pub(super) fn solve(&self) -> Result<(), GpuError> {
        self.down(self.levels.len() - 1)?;
        self.up(self.levels.len(), MgForm::Plain)
    }
}

/// Returns the smoother of a class.
pub(super) fn smoother(class: Class) -> Operator {
    match class {
        Class::S | Class::W | Class::A => Operator::S_SMALL,
        _ => Operator::S_LARGE,
    }
}

/// Run of MG of a class on one device, with all arrays.
pub struct MgRun {
    class: Class,
    form: MgForm,
    grid: WholeLevels,
    v: GpuBuffer<f64>,
    /// Second array for the solution of the finest level, which the fused form needs.
    spare: Option<GpuBuffer<f64>>,
}

impl MgRun {
    /// Makes the arrays of a class on a device, with the right side of NPB.
    ///
    /// # Errors
    /// The device has no room for them.
    pub fn new(
        gpu: &Gpu,
        class: Class,
        form: MgForm,
        shapes: GroupShapes,
        environment: &Environment,
    ) -> Result<Self, GpuError> {
        let n = class.points();
        let points = (n * n * n) as u64;
        // Three or four arrays of the finest level, and two of a seventh of its size for those below.
        let bytes = points * 8 * if form == MgForm::Fused { 4 } else { 3 } + points * 16 / 7;
        gpu.require(&format!("MG class {class}"), bytes, points * 8)?;
        let grid = WholeLevels::new(BuiltKernels::new(gpu.clone()), n, class, shapes)?;
        let v = gpu.buffer(n * n * n)?;
        grid.operators.fill(0.0, &v)?;
        for (place, charge) in charged_points(environment, n) {
            gpu.write(&v, place, &[charge])?;
        }
        let spare = (form == MgForm::Fused).then(|| gpu.buffer(n * n * n)).transpose()?;
        Ok(Self { class, form, grid, v, spare })
    }

    fn finest(&self) -> &GridLevel {
        &self.grid.levels[self.grid.levels.len() - 1]
    }

    /// Runs the class from u = 0 and returns the norm of the last residual and the seconds that it took, without making
    /// the arrays, which are on the device.
    ///
    /// # Errors
    /// The device is lost.
    pub fn run(&mut self) -> Result<(f64, f64), GpuError> {
        self.grid.operators.fill(0.0, &self.finest().u)?;
        self.grid.operators.kernels.gpu.finish()?;
        let begin = Instant::now();
        match self.form {
            MgForm::Plain => self.plain()?,
            MgForm::Fused => self.fused()?,
        }
        let GridLevel { part, r, .. } = self.finest();
        let squares = self.grid.operators.squares(*part, r)?;
        let seconds = begin.elapsed().as_secs_f64();
        Ok((norm(squares, self.class), seconds))
    }

    /// Computes the residual of the finest level.
    fn residual(&self) -> Result<(), GpuError> {
        let GridLevel { part, u, r } = self.finest();
        self.grid.operators.resid(*part, part.region(), [u, &self.v, r]).map(drop)
    }

    fn plain(&self) -> Result<(), GpuError> {
        let top = self.grid.levels.len() - 1;
        self.residual()?;
        for _ in 0..self.class.iterations() {
            self.grid.down(top)?;
            self.grid.up(top, MgForm::Plain)?;
            self.grid.correct(top, &self.v, false)?;
            self.residual()?;
        }
        Ok(())
    }

    /// Does all V-cycles by kernels of two and three operators, and the last residual.
    fn fused(&mut self) -> Result<(), GpuError> {
        let Some(mut spare) = self.spare.take() else { return Ok(()) };
        let top = self.grid.levels.len() - 1;
        for _ in 0..self.class.iterations() {
            let (grid, finest) = (&self.grid, self.finest());
            let below = &grid.levels[top - 1];
            grid.operators.descend(finest.part.sizes[0], [&finest.u, &self.v, &below.r])?;
            grid.down(top - 1)?;
            grid.up(top, MgForm::Fused)?;
            let arrays = [&below.u, &finest.u, &self.v, &spare];
            grid.operators.rise(finest.part.sizes[0], grid.smoother, arrays, false)?;
            std::mem::swap(&mut self.grid.levels[top].u, &mut spare);
        }
        self.spare = Some(spare);
        self.residual()
    }
}

/// Returns the norm of NPB from the sum of the squares of the finest level.
pub(super) fn norm(squares: f64, class: Class) -> f64 {
    (squares / (class.points() as f64).powi(3)).sqrt()
}
