//! Interpolation, residual and smoother of a grid in one go: every page moves two planes of u, v and the coarse function
//! to each section, and two planes of the new u back. What the kernels of a page do is in `crate::multigrid::fused`.

use super::columns::{Beside, Place, get_constants};
use super::grid::Grid;
use crate::error::KernelError;
use crate::host::pages::{Command, Page, Turn};
use crate::multigrid::fused::{
    COARSE_PLANES, COARSE_ROW, COARSE_ROWS, CONSTANTS, DEPTH, LEAD, POINTS, ROW, Stage, U_ROWS,
    V_ROWS, given, least_cycles, loaded,
};
use crate::multigrid::staged::first_record;
use cp2_emu::dma::Descriptor;
use cp2_isa::BundleAddress;

/// The kernels in instruction memory, for pages with one stage to all of them, with either interpolation, and their
/// constants in system memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fused {
    pub(super) entries: [BundleAddress; 2 * DEPTH],
    /// Address and words of the constants, a whole number of beats.
    pub(super) constants: (usize, usize),
}

/// The grids that are worked on; `result` is not `u` where that is read, since other columns still do.
#[derive(Clone, Copy, Debug)]
pub(super) struct FusedGrids {
    pub(super) coarse: Grid,
    pub(super) u: Grid,
    pub(super) v: Grid,
    pub(super) result: Grid,
}

/// What the interpolation is added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Onto {
    /// u.
    Old,
    /// Nothing: u is not read.
    Nothing,
}

impl Onto {
    const fn stage(self) -> Stage {
        match self {
            Self::Old => Stage::Interp,
            Self::Nothing => Stage::Interp0,
        }
    }
}

/// How grids of n points along an axis are cut into columns.
pub(super) const fn beside(n: usize) -> Option<Beside> {
    Beside::of(n, POINTS)
}

impl Fused {
    /// All pages, and fewest cycles of the kernels of each.
    ///
    /// # Errors
    /// Grids that cannot be cut into columns.
    pub(super) fn pages(
        &self,
        grids: &FusedGrids,
        onto: Onto,
    ) -> Result<(Vec<Page>, Vec<f64>), KernelError> {
        let n = grids.result.n;
        let beside = beside(n).ok_or_else(|| Beside::refused(n))?;
        let (mut pages, mut least) = (Vec::new(), Vec::new());
        for [x, y] in beside.begins(n, POINTS) {
            for page in -(LEAD as isize)..(beside.planes(n) / POINTS.n3) as isize {
                let place = Place { x, y, page, number: pages.len() };
                let stages = [onto.stage(), Stage::Resid, Stage::Smooth];
                let stages = stages.into_iter().filter(|stage| stage.is_in(page)).count();
                let kernel = if onto == Onto::Old { stages - 1 } else { DEPTH + stages - 1 };
                let entry = self.entries[kernel];
                let [first, next] = [0, 1].map(|on| first_record(place.number + on));
                pages.push(Page {
                    prepare: Vec::new(),
                    load: self.load_ahead((grids, onto), beside, place)?,
                    commands: vec![Command::Turn(Turn { entry, first, next })],
                    unload: unload(&grids.result, beside, place),
                });
                least.push(least_cycles(page, onto.stage()) as f64);
            }
        }
        Ok((pages, least))
    }

    /// What comes before a page. The first page of a column has a short kernel and the page before it a long one, so that
    /// what the second page needs comes with the first one; its records are free by then.
    fn load_ahead(
        &self,
        grids: (&FusedGrids, Onto),
        beside: Beside,
        place: Place,
    ) -> Result<Vec<Descriptor>, KernelError> {
        let first = -(LEAD as isize);
        if place.page == first + 1 {
            return Ok(Vec::new());
        }
        let mut load = self.load(grids, beside, place)?;
        if place.page == first {
            let second = Place { page: place.page + 1, number: place.number + 1, ..place };
            load.extend(self.load(grids, beside, second)?);
        }
        Ok(load)
    }

    fn load(
        &self,
        (grids, onto): (&FusedGrids, Onto),
        beside: Beside,
        place: Place,
    ) -> Result<Vec<Descriptor>, KernelError> {
        let Place { x, y, page, number } = place;
        let mut load = Vec::new();
        if number == 0 {
            load.push(get_constants(self.constants, CONSTANTS)?);
        }
        for plane in 0..COARSE_PLANES {
            let of = |first: isize| first + plane as isize;
            let [u, v, coarse] = loaded(number, plane);
            if onto == Onto::Old {
                let corner = [x - 4, y - 2, of(place.z() + 2)];
                load.push(beside.get(&grids.u, corner, (ROW, U_ROWS), u));
            }
            if Stage::Resid.is_in(page) {
                let corner = [x - 4, y - 1, of(place.z() + 1)];
                load.push(beside.get(&grids.v, corner, (ROW, V_ROWS), v));
            }
            let corner = [x / 2 - 4, y / 2 - 2, of(page)];
            load.push(beside.get(&grids.coarse, corner, (COARSE_ROW, COARSE_ROWS), coarse));
        }
        Ok(load)
    }
}

fn unload(grid: &Grid, beside: Beside, place: Place) -> Vec<Descriptor> {
    if !Stage::Smooth.is_in(place.page) {
        return Vec::new();
    }
    let of = |plane: usize| {
        let corner = [place.x, place.y, place.z() + plane as isize];
        let at = given(place.number, plane);
        beside.put_with_faces(grid, corner, (at, ROW), (POINTS.n1 / 4, POINTS.n2))
    };
    (0..POINTS.n3).flat_map(of).collect()
}
