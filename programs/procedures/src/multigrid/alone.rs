//! The kernels by which an operator alone is applied to a grid, and the choice among them: the one for blocks of any size, the same with its
//! accesses apart, and for residuals the one that computes two groups of rows in one pass.

use super::grid::PaddedGrid;
use super::installed::Installed;
use super::levels::Task;
use super::operator::{Grids, frame_alone};
use super::program;
use crate::host::{Host, predict_cycles};
use crate::plan::{Plan, choose};
use cp2_isa::Core;
use cp2_kernels::multigrid::{GridBlock, GridKernel, Paired};
use cp2_session::error::KernelError;

/// Kernel by which an operator is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KernelAlone {
    /// The kernel for blocks of any size within its frame.
    Sized(GridKernel),
    /// The kernel for blocks of any size with its accesses apart, for a local memory of one bank.
    Spaced(GridKernel),
    /// `resid_paired`, for blocks of one size.
    Paired,
}

/// Rows of a block of `resid_paired`, points of its rows at least and at most, and its most planes.
const ROWS: usize = 8;
const POINTS: [usize; 2] = [8, 32];
const PLANES: usize = 8;

/// Returns the block of `resid_paired` by which a grid of n points along each axis is cut.
fn paired_block(core: &Core, n: usize) -> Result<GridBlock, KernelError> {
    let largest = |most: usize| (1..=most).rev().find(|k| n.is_multiple_of(*k)).unwrap_or(1);
    let block = GridBlock::new(largest(POINTS[1]), ROWS, largest(PLANES));
    let is_aligned = block.n1.is_multiple_of(4) && block.n1 >= POINTS[0];
    if !n.is_multiple_of(ROWS) || !is_aligned {
        return Err(KernelError::Block {
            kernel: Paired::<false>::NAME,
            given: format!("a grid of {n} points along an axis"),
            allowed: format!(
                "multiples of {ROWS} that a multiple of 4 from {} to {} divides",
                POINTS[0], POINTS[1]
            ),
        });
    }
    // Local memory may hold no such block.
    Paired::<false>::operations(core, block).map(|_| block)
}

impl KernelAlone {
    /// Chooses the kernel of an operator for a grid of n points along each axis, and notes the plan in the host.
    ///
    /// # Errors
    /// The machine lacks what each kernel needs.
    pub(super) fn choose(
        host: &mut Host,
        kernel: GridKernel,
        n: usize,
    ) -> Result<Self, KernelError> {
        let mut plans = vec![Self::Sized(kernel)];
        if host.config().core().numbers().banks == 1 {
            plans.push(Self::Spaced(kernel));
        }
        if kernel == GridKernel::Resid {
            plans.push(Self::Paired);
        }
        let (plan, chosen) = choose((host, &format!("{}, {n} points", kernel.name())), &plans, n)?;
        host.set_plan(chosen);
        Ok(plan)
    }

    /// Assembles the kernel and writes its constants to memory.
    ///
    /// # Errors
    /// The kernel does not fit instruction memory, or takes no block of such a grid.
    pub(super) fn install(self, host: &mut Host, n: usize) -> Result<Installed, KernelError> {
        match self {
            Self::Sized(kernel) => {
                let frames = [(kernel, frame_alone(kernel))];
                Installed::new(host, &frames, &[], GridKernel::operator)
            }
            Self::Spaced(kernel) => Installed::spaced(host, kernel, frame_alone(kernel)),
            Self::Paired => {
                let block = paired_block(host.config().core(), n)?;
                Installed::paired(host, block)
            }
        }
    }

    const fn kernel(self) -> GridKernel {
        match self {
            Self::Sized(kernel) | Self::Spaced(kernel) => kernel,
            Self::Paired => GridKernel::Resid,
        }
    }
}

/// Makes the grids of an operator whose operand with faces has n points along each axis.
pub(super) fn grids(host: &mut Host, kernel: GridKernel, n: usize) -> Result<Grids, KernelError> {
    let outer = kernel.outer(GridBlock::new(n, n, n)).n1;
    let faced = PaddedGrid::cube(host, n)?;
    let (plain, result) = (PaddedGrid::cube(host, outer)?, PaddedGrid::cube(host, outer)?);
    Ok(Grids { faced, plain, result, periodic: [false; 3] })
}

impl Plan for KernelAlone {
    /// Points along each axis of the grid.
    type Work = usize;

    fn name(self) -> String {
        match self {
            Self::Sized(kernel) => kernel.name().to_owned(),
            Self::Spaced(kernel) => format!("{}, accesses apart", kernel.name()),
            Self::Paired => Paired::<false>::NAME.to_owned(),
        }
    }

    fn check(self, core: &Core, n: usize) -> Result<(), KernelError> {
        match self {
            Self::Sized(_) | Self::Spaced(_) => Ok(()),
            Self::Paired => paired_block(core, n).map(|_| ()),
        }
    }

    /// Predicts the cycles by trials with fewer pages, those in which the kernel is sent included.
    fn predicted(self, host: &Host, n: usize) -> Result<f64, KernelError> {
        let mut trial = host.trial();
        let task = Task::One(self.kernel(), grids(&mut trial, self.kernel(), n)?);
        let installed = self.install(&mut trial, n)?;
        let sending = trial.sending_cycles(&installed.image);
        trial.send_bundles(&installed.image)?;
        let groups = program::Plan::new(&installed, &[task])?.groups;
        Ok(sending as f64 + predict_cycles(&mut trial, &groups)?)
    }
}
