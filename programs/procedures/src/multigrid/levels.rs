//! The grids of all levels, and the tasks that are done on them one after the other.

use super::down::{DownGrids, Residual};
use super::form::{OperatorForm, is_cut};
use super::fused::FusedGrids;
use super::grid::PaddedGrid;
use super::operator::Grids;
use crate::host::Host;
use cp2_kernels::multigrid::GridKernel;
use cp2_kernels::multigrid::columns::Columns;
use cp2_session::error::KernelError;

/// The grids of all levels, coarsest first.
pub(super) struct Levels {
    form: OperatorForm,
    pub(super) u: Vec<PaddedGrid>,
    /// Grid of the finest level to which the new u goes when several operators go at once; it takes turns with the u of that
    /// level.
    turned: Option<PaddedGrid>,
    pub(super) r: Vec<PaddedGrid>,
    pub(super) v: PaddedGrid,
}

/// A task: one operator on grids, or several in one go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Task {
    One(GridKernel, Grids),
    Fused(FusedGrids),
    Down(DownGrids, Residual),
}

impl Task {
    /// Returns the name of the task as a stage of the procedure: what it does, and the edge of the grid of its results.
    pub(super) fn name(&self) -> String {
        match self {
            Self::One(kernel, grids) => format!("{} {}", kernel.name(), grids.result.edge()),
            Self::Fused(grids) => format!("interp, resid, smooth {}", grids.result.edge()),
            Self::Down(grids, Residual::Projected(to)) => match grids.u {
                Some(_) => format!("resid, proj {} to {}", grids.v.edge(), to.edge()),
                None => format!("proj {} to {}", grids.v.edge(), to.edge()),
            },
            Self::Down(grids, Residual::Stored(_)) => format!("resid {}", grids.v.edge()),
        }
    }

    /// Returns the task with grids at no place: tasks of one form take as long.
    pub(super) fn form(&self) -> Self {
        match *self {
            Self::One(kernel, Grids { faced, plain, result, periodic }) => {
                let [faced, plain, result] = [faced, plain, result].map(|grid| grid.form());
                Self::One(kernel, Grids { faced, plain, result, periodic })
            }
            Self::Fused(FusedGrids { coarse, u, v, result }) => {
                let [coarse, u, v, result] = [coarse, u, v, result].map(|grid| grid.form());
                Self::Fused(FusedGrids { coarse, u, v, result })
            }
            Self::Down(DownGrids { u, v }, residual) => {
                let grids = DownGrids { u: u.map(|grid| grid.form()), v: v.form() };
                let residual = match residual {
                    Residual::Projected(grid) => Residual::Projected(grid.form()),
                    Residual::Stored(grid) => Residual::Stored(grid.form()),
                };
                Self::Down(grids, residual)
            }
        }
    }
}

fn step(kernel: GridKernel, [faced, plain, result]: [PaddedGrid; 3]) -> Task {
    Task::One(kernel, Grids { faced, plain, result, periodic: [true; 3] })
}

impl Levels {
    pub(super) fn new(host: &mut Host, n: usize, form: OperatorForm) -> Result<Self, KernelError> {
        let sizes = || (1..=n.trailing_zeros()).map(|k| 1 << k);
        let u = sizes().map(|n| PaddedGrid::cube(host, n)).collect::<Result<_, _>>()?;
        let r = sizes().map(|n| PaddedGrid::cube(host, n)).collect::<Result<_, _>>()?;
        let turned =
            if form == OperatorForm::Plain { None } else { Some(PaddedGrid::cube(host, n)?) };
        Ok(Self { form, u, turned, r, v: PaddedGrid::cube(host, n)? })
    }

    pub(super) fn finest(&self) -> usize {
        self.u.len() - 1
    }

    /// Returns the levels with the two places of the finest u exchanged.
    pub(super) fn turned(&self) -> Self {
        let Self { form, u, turned, r, v } = self;
        let (mut u, mut turned) = (u.clone(), *turned);
        if let (Some(own), Some(other)) = (u.last_mut(), &mut turned) {
            std::mem::swap(own, other);
        }
        Self { form: *form, u, turned, r: r.clone(), v: *v }
    }

    /// Returns the tasks that make the residual of the finest grid and its projection, or the last residual, which is kept.
    pub(super) fn descent(&self, is_last: bool) -> Vec<Task> {
        let (Self { u, r, v, form, .. }, k) = (self, self.finest());
        if *form != OperatorForm::Plain {
            return vec![Task::Down(
                DownGrids { u: Some(u[k]), v: *v },
                self.residual_kind(is_last),
            )];
        }
        let mut tasks = vec![step(GridKernel::Resid, [u[k], *v, r[k]])];
        if !is_last {
            tasks.push(step(GridKernel::Proj, [r[k], r[k], r[k - 1]]));
        }
        tasks
    }

    /// Returns the tasks of a V-cycle below the finest grid.
    pub(super) fn below(&self) -> Vec<Task> {
        let (Self { u, r, form, .. }, finest) = (self, self.finest());
        let down = (1..finest).rev().map(|k| {
            if *form != OperatorForm::Plain && is_cut(r[k].edge(), Columns::WIDE) {
                let grids = DownGrids { u: None, v: r[k] };
                return Task::Down(grids, Residual::Projected(r[k - 1]));
            }
            step(GridKernel::Proj, [r[k], r[k], r[k - 1]])
        });
        let coarsest = step(GridKernel::Smooth0, [r[0], r[0], u[0]]);
        let up = (1..finest).flat_map(|k| {
            if *form != OperatorForm::Plain && is_cut(u[k].edge(), Columns::SQUARE) {
                let grids = FusedGrids { coarse: u[k - 1], u: u[k], v: r[k], result: u[k] };
                return vec![Task::Fused(grids)];
            }
            vec![
                step(GridKernel::Interp0, [u[k - 1], u[k], u[k]]),
                step(GridKernel::Resid, [u[k], r[k], r[k]]),
                step(GridKernel::Smooth, [r[k], u[k], u[k]]),
            ]
        });
        down.chain([coarsest]).chain(up).collect()
    }

    /// Returns the tasks of a V-cycle on the finest grid after those of [`Self::below`], up to the projected residual of the
    /// next V-cycle or to the last residual. The new u is in the other place of the finest u if there is one.
    pub(super) fn on_finest(&self, is_last: bool) -> Vec<Task> {
        let (Self { u, r, v, .. }, k) = (self, self.finest());
        let mut tasks = match self.turned {
            Some(result) => {
                vec![Task::Fused(FusedGrids { coarse: u[k - 1], u: u[k], v: *v, result })]
            }
            None => vec![
                step(GridKernel::Interp, [u[k - 1], u[k], u[k]]),
                step(GridKernel::Resid, [u[k], *v, r[k]]),
                step(GridKernel::Smooth, [r[k], u[k], u[k]]),
            ],
        };
        tasks.extend(self.turned().descent(is_last));
        tasks
    }

    /// Returns the tasks of a V-cycle from the projected residual on, and of the residual after it.
    pub(super) fn cycle(&self, is_last: bool) -> Vec<Task> {
        [self.below(), self.on_finest(is_last)].concat()
    }

    fn residual_kind(&self, is_last: bool) -> Residual {
        let (r, finest) = (&self.r, self.finest());
        if is_last { Residual::Stored(r[finest]) } else { Residual::Projected(r[finest - 1]) }
    }
}
