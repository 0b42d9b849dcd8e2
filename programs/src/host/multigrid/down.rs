//! The residual of a grid and its projection in one go: every page moves two planes of u and v to each section, and a
//! coarse plane of the projected residual back; or two of the residual itself. What the kernels of a page do is in
//! `crate::multigrid::down`.

use super::columns::{Beside, Place, get_constants};
use super::grid::Grid;
use super::whole::Residual;
use crate::error::KernelError;
use crate::host::pages::{Command, Page, Turn};
use crate::multigrid::down::{
    CONSTANTS, DEPTH, POINTS, RESULT_ROW, U_ROW, U_ROWS, V_ROW, V_ROWS, least_cycles, plane,
};
use crate::multigrid::staged::first_record;
use cp2_emu::dma::Descriptor;
use cp2_isa::BundleAddress;

/// The kernels in instruction memory, for pages with the residual alone and with its projection, and their constants in
/// system memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Down {
    pub(super) entries: [BundleAddress; DEPTH],
    /// Address and words of the constants, a whole number of beats.
    pub(super) constants: (usize, usize),
}

/// The grids that are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct DownGrids {
    pub(super) u: Grid,
    pub(super) v: Grid,
}

/// How grids of n points along an axis are cut into columns.
pub(super) const fn beside(n: usize) -> Option<Beside> {
    Beside::of(n, POINTS)
}

impl Down {
    /// All pages, and fewest cycles of the kernels of each. The first page of a column, -1, only makes the residual of plane 0.
    ///
    /// # Errors
    /// Grids that cannot be cut into columns.
    pub(super) fn pages(
        &self,
        grids: &DownGrids,
        residual: Residual,
    ) -> Result<(Vec<Page>, Vec<f64>), KernelError> {
        let n = grids.u.n;
        let beside = beside(n).ok_or_else(|| Beside::refused(n))?;
        let projects = matches!(residual, Residual::Projected(_));
        let (mut pages, mut least, mut number) = (Vec::new(), Vec::new(), 0);
        for [x, y] in beside.begins(n, POINTS) {
            // The first page of a column needs the places of two.
            number += 1;
            for page in -1..(beside.planes(n) / POINTS.n3) as isize {
                let place = Place { x, y, page, number };
                let projects = projects && page >= 0;
                let entry = self.entries[usize::from(projects)];
                let [first, next] = [0, 1].map(|on| first_record(number + on));
                pages.push(Page {
                    prepare: Vec::new(),
                    load: self.load(grids, (beside, place), residual, pages.is_empty())?,
                    commands: vec![Command::Turn(Turn { entry, first, next })],
                    unload: unload(residual, beside, place),
                });
                least.push(least_cycles(projects) as f64);
                number += 1;
            }
        }
        Ok((pages, least))
    }

    fn load(
        &self,
        grids: &DownGrids,
        (beside, place): (Beside, Place),
        residual: Residual,
        is_first: bool,
    ) -> Result<Vec<Descriptor>, KernelError> {
        let (Place { x, y, page, number }, z) = (place, place.z());
        let mut load = Vec::new();
        if is_first {
            load.push(get_constants(self.constants, CONSTANTS)?);
        }
        // The projection reads a row and a point behind those of the page; a residual that is kept has no such reader.
        let (u_rows, v_beats, v_rows) = match residual {
            Residual::Projected(_) => (U_ROWS, V_ROW / 2, V_ROWS),
            Residual::Stored(_) => (U_ROWS - 1, POINTS.n1 / 4, POINTS.n2),
        };
        for behind in if page < 0 { 0..4 } else { 2..4 } {
            let ([to, ..], corner) = (plane(number, behind), [x - 4, y - 1, z + behind as isize]);
            load.push(beside.get(&grids.u, corner, (U_ROW, u_rows), to));
        }
        for behind in 1..3 {
            let ([_, to, _], corner) = (plane(number, behind), [x, y, z + behind as isize]);
            load.push(beside.get_part(&grids.v, corner, (v_beats, v_rows), (to, V_ROW)));
        }
        Ok(load)
    }
}

fn unload(residual: Residual, beside: Beside, place: Place) -> Vec<Descriptor> {
    let (Place { x, y, page, number }, z) = (place, place.z());
    match residual {
        Residual::Stored(grid) => {
            let column = 0..beside.planes(grid.n) as isize;
            let of = |behind: isize| {
                let [_, at, _] = plane(number, behind as usize);
                let size = (POINTS.n1 / 4, POINTS.n2);
                beside.put(&grid, [x, y, z + behind], (at, V_ROW), size)
            };
            (1..3).filter(|behind| column.contains(&(z + behind))).map(of).collect()
        }
        Residual::Projected(grid) if page >= 0 => {
            let [.., at] = plane(number, 0);
            let size = (POINTS.n1 / 8, POINTS.n2 / 2);
            beside.put_with_faces(&grid, [x / 2, y / 2, page], (at, RESULT_ROW), size)
        }
        Residual::Projected(_) => Vec::new(),
    }
}
