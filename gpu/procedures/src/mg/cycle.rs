//! V-cycles of MG on one device, which has all levels.

use super::operators::{GridLevel, GridOperators, LevelPart};
use super::shape::GroupShapes;
use cp2_gpu::{Gpu, GpuBuffer, GpuError};
use cp2_procedures::multigrid::npb::Class;
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

/// Run of MG of a class on one device: all arrays, and what was found.
pub struct MgRun {
    class: Class,
    form: MgForm,
    operators: GridOperators,
    /// Levels from 2 points along an axis to the finest.
    levels: Vec<GridLevel>,
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
        let operators = GridOperators::new(gpu.clone(), shapes)?;
        let n = class.points();
        let sizes = (1..=n.trailing_zeros()).map(|k| 1 << k);
        let level = |n| GridLevel::new(gpu, LevelPart { n, layers: n });
        let levels = sizes.map(level).collect::<Result<_, _>>()?;
        let v = gpu.buffer(n * n * n)?;
        operators.fill(0.0, &v)?;
        for (place, sign) in charges(environment, n) {
            gpu.write(&v, place, &[sign])?;
        }
        let spare = (form == MgForm::Fused).then(|| gpu.buffer(n * n * n)).transpose()?;
        Ok(Self { class, form, operators, levels, v, spare })
    }

    fn finest(&self) -> &GridLevel {
        &self.levels[self.levels.len() - 1]
    }

    /// Runs the class from u = 0 and returns the norm of the last residual and the seconds that it took, without making
    /// the arrays, which are on the device.
    ///
    /// # Errors
    /// The device is lost.
    pub fn run(&mut self) -> Result<(f64, f64), GpuError> {
        self.operators.fill(0.0, &self.finest().u)?;
        self.operators.kernels.gpu.finish()?;
        let begin = Instant::now();
        match self.form {
            MgForm::Plain => self.plain()?,
            MgForm::Fused => self.fused()?,
        }
        let GridLevel { part, r, .. } = self.finest();
        let squares = self.operators.squares(*part, r)?;
        let seconds = begin.elapsed().as_secs_f64();
        Ok(((squares / (part.n as f64).powi(3)).sqrt(), seconds))
    }

    /// Computes the residual of the finest level.
    fn residual(&self) -> Result<(), GpuError> {
        let GridLevel { part, u, r } = self.finest();
        self.operators.resid(*part, 0..part.n, [u, &self.v, r])
    }

    fn plain(&self) -> Result<(), GpuError> {
        self.residual()?;
        for _ in 0..self.class.iterations() {
            self.cycle()?;
            self.residual()?;
        }
        Ok(())
    }

    /// Does all V-cycles by kernels of two and three operators, and the last residual.
    fn fused(&mut self) -> Result<(), GpuError> {
        let smoother = self.smoother();
        let Some(mut spare) = self.spare.take() else { return Ok(()) };
        let top = self.levels.len() - 1;
        for _ in 0..self.class.iterations() {
            let ops = &self.operators;
            let (finest, below) = (self.finest(), &self.levels[top - 1]);
            ops.descend(finest.part.n, [&finest.u, &self.v, &below.r])?;
            self.down(top - 1)?;
            for k in 1..top {
                let (coarse, fine) = (&self.levels[k - 1], &self.levels[k]);
                ops.rise(fine.part.n, smoother, [&coarse.u, &fine.r, &fine.r, &fine.u], true)?;
            }
            ops.rise(finest.part.n, smoother, [&below.u, &finest.u, &self.v, &spare], false)?;
            std::mem::swap(&mut self.levels[top].u, &mut spare);
        }
        self.spare = Some(spare);
        self.residual()
    }

    /// Projects the residual of a level down to the coarsest, and smooths there.
    fn down(&self, from: usize) -> Result<(), GpuError> {
        let all = |part: LevelPart| 0..part.layers;
        let ops = &self.operators;
        for k in (1..=from).rev() {
            let (coarse, fine) = (&self.levels[k - 1], &self.levels[k]);
            ops.proj([fine.part, coarse.part], all(coarse.part), [&fine.r, &coarse.r])?;
        }
        let last = &self.levels[0];
        ops.smooth(last.part, all(last.part), self.smoother(), [&last.r, &last.u], true)
    }

    /// Returns the smoother of the class.
    fn smoother(&self) -> Operator {
        match self.class {
            Class::S | Class::W | Class::A => Operator::S_SMALL,
            _ => Operator::S_LARGE,
        }
    }

    /// Does one V-cycle.
    fn cycle(&self) -> Result<(), GpuError> {
        let smoother = self.smoother();
        let all = |part: LevelPart| 0..part.layers;
        let ops = &self.operators;
        self.down(self.levels.len() - 1)?;
        for k in 1..self.levels.len() {
            let (coarse, fine) = (&self.levels[k - 1], &self.levels[k]);
            let is_finest = k + 1 == self.levels.len();
            let parts = [fine.part, coarse.part];
            ops.interp(parts, all(coarse.part), [&coarse.u, &fine.u], !is_finest)?;
            let v = if is_finest { &self.v } else { &fine.r };
            ops.resid(fine.part, all(fine.part), [&fine.u, v, &fine.r])?;
            ops.smooth(fine.part, all(fine.part), smoother, [&fine.r, &fine.u], false)?;
        }
        Ok(())
    }
}

/// Returns the places of the right side of NPB that are not zero, each with its value.
fn charges(environment: &Environment, n: usize) -> impl Iterator<Item = (usize, f64)> {
    cp2_procedures::multigrid::npb::charges(environment, n)
}
