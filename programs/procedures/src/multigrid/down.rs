//! The residual of a grid and its projection in one go: every page loads a plane of u and of v into each section; every
//! second page stores a coarse plane of the projected residual, or every page a plane of the residual itself. The kernels of
//! a page are in `cp2_kernels::multigrid::down`.

use super::columns::{ColumnArrangement, ColumnPage, get_constants};
use super::grid::PaddedGrid;
use crate::host::pages::{Command, DeviceDrivenPage, Page};
use cp2_emu::dma::Descriptor;
use cp2_isa::{BundleAddress, MemoryAddress};
use cp2_kernels::multigrid::down::Layout;
use cp2_kernels::multigrid::staged::RECORDS;
use cp2_session::error::KernelError;

/// The kernels of residual and projection in instruction memory, and their constants in system memory: one kernel for a page
/// with the residual alone, and one for two pages of which the second one projects it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Down {
    pub(super) layout: Layout,
    pub(super) entries: [BundleAddress; 2],
    /// Address and words of the constants, a whole number of beats.
    pub(super) constants: (MemoryAddress, usize),
    /// Fewest cycles of the residual, and of its projection.
    pub(super) least_cycles: [usize; 2],
}

/// The grids that are read; without u, v is the residual already.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DownGrids {
    pub(super) u: Option<PaddedGrid>,
    pub(super) v: PaddedGrid,
}

/// Use of the residual: it is projected or stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Residual {
    /// The residual is projected to this grid.
    Projected(PaddedGrid),
    /// The residual is stored in this grid.
    Stored(PaddedGrid),
}

impl Down {
    /// Returns all pages, and the fewest cycles of the kernels of each. A page makes the residual of its plane; one with an
    /// even number projects it with those of the two planes before.
    ///
    /// # Errors
    /// Grids that cannot be cut into columns.
    pub(super) fn pages(
        &self,
        grids: &DownGrids,
        residual: Residual,
    ) -> Result<(Vec<Page>, Vec<f64>), KernelError> {
        let (n, points) = (grids.v.edge(), self.layout.columns.points());
        let beside = ColumnArrangement::of(n, points)
            .ok_or_else(|| ColumnArrangement::refused(n, self.layout.columns))?;
        let planes = beside.planes(n) as isize;
        let last = if matches!(residual, Residual::Projected(_)) { planes } else { planes - 1 };
        let [resid_cycles, proj_cycles] = self.least_cycles;
        let resid_cycles = if grids.u.is_some() { resid_cycles } else { 0 };
        let (mut pages, mut least) = (Vec::new(), Vec::new());
        for [x, y] in beside.begins(n, points) {
            for page in 0..=last {
                let place = ColumnPage { x, y, page, number: pages.len() };
                let is_pair = matches!(residual, Residual::Projected(_)) && page > 0;
                let projects = is_pair && page % 2 == 0;
                let [first, next] = [0, 1].map(|on| self.layout.records.first(place.number + on));
                let driven = DeviceDrivenPage {
                    entry: self.entries[usize::from(is_pair)],
                    pages: 1 + usize::from(is_pair),
                    first,
                    next,
                };
                let (prepare, load) = self.load(grids, (beside, place), residual)?;
                pages.push(Page {
                    prepare,
                    load,
                    commands: vec![Command::DeviceDriven(driven)],
                    unload: self.unload(residual, (beside, place), page == last),
                });
                least.push((resid_cycles + if projects { proj_cycles } else { 0 }) as f64);
            }
        }
        Ok((pages, least))
    }

    /// Returns the transfers that load a page: those for which CP2 stands still, since pages of the column before use their
    /// place, and the others.
    fn load(
        &self,
        grids: &DownGrids,
        (beside, place): (ColumnArrangement, ColumnPage),
        residual: Residual,
    ) -> Result<(Vec<Descriptor>, Vec<Descriptor>), KernelError> {
        let (ColumnPage { x, y, page, number }, layout) = (place, self.layout);
        // The projection reads a row and a point behind those of the page; a residual that is kept has no such reader.
        let columns = layout.columns;
        let (u_rows, v_beats, v_rows) = match residual {
            Residual::Projected(_) => (layout.u_rows(), layout.v_row() / 2, layout.v_rows()),
            Residual::Stored(_) => (layout.u_rows() - 1, columns.n1 / 4, columns.n2),
        };
        let u = |ahead: isize| {
            let to = layout.u((number as isize + RECORDS as isize + ahead) as usize);
            let corner = [x - 4, y - 1, page + 1 + ahead];
            grids.u.map(|u| beside.get(&u, corner, (layout.columns.row(), u_rows), to))
        };
        let mut prepare = Vec::new();
        if page == 0 {
            prepare.extend([u(-2), u(-1)].into_iter().flatten());
        }
        if number == 0 {
            prepare.push(get_constants(self.constants, layout.constants())?);
        }
        let at = (layout.v(number), layout.v_row());
        let v = beside.get_part(&grids.v, [x, y, page], (v_beats, v_rows), at);
        Ok((prepare, u(0).into_iter().chain([v]).collect()))
    }

    /// Returns the transfers that store the results of a page. A residual that is kept leaves its place two pages later, when
    /// nobody uses the words around it.
    fn unload(
        &self,
        residual: Residual,
        (beside, place): (ColumnArrangement, ColumnPage),
        is_last: bool,
    ) -> Vec<Descriptor> {
        let (ColumnPage { x, y, page, number }, layout) = (place, self.layout);
        let columns = layout.columns;
        match residual {
            Residual::Stored(grid) => {
                let ready = if is_last { -2..=0 } else { -2..=-2 };
                let of = |ahead: isize| {
                    let at = layout.v((number as isize + ahead) as usize);
                    let size = (columns.n1 / 4, columns.n2);
                    beside.put(&grid, [x, y, page + ahead], (at, layout.v_row()), size)
                };
                ready.filter(|ahead| page + ahead >= 0).map(of).collect()
            }
            Residual::Projected(grid) if page > 0 && page % 2 == 0 => {
                let size = (columns.n1 / 8, columns.n2 / 2);
                let (corner, at) = ([x / 2, y / 2, page / 2 - 1], layout.result(number));
                beside.put_with_faces(&grid, corner, (at, layout.result_row()), size)
            }
            Residual::Projected(_) => Vec::new(),
        }
    }
}
