//! All operators of a grid in one go: every page moves two planes of u, v and the coarse function to each section, and
//! two planes of the new u and a coarse one of its projected residual back; or two of the residual itself. What the
//! kernels of a page do is in `crate::multigrid::whole`.

use super::columns::{Beside, Place, get_constants};
use super::fused::FusedGrids;
use super::grid::Grid;
use crate::error::KernelError;
use crate::host::pages::{Command, Page, Turn};
use crate::multigrid::staged::{RECORD, first_record};
use crate::multigrid::whole::{
    COARSE_PLANES, COARSE_ROW, COARSE_ROWS, CONSTANTS, DEPTH, LEAD, POINTS, RESULT_ROW, ROW,
    STAGES, Stage, U_ROWS, V_ROWS, given, least_cycles, loaded,
};
use cp2_emu::dma::Descriptor;
use cp2_isa::BundleAddress;

/// The kernels in instruction memory, for pages with one stage to all of them, and their constants in system memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    pub(super) entries: [BundleAddress; DEPTH],
    /// Address and words of the constants, a whole number of beats.
    pub(super) constants: (usize, usize),
}

/// What is made of the residual of the new u.
#[derive(Clone, Copy, Debug)]
pub(super) enum Residual {
    /// It is projected to this grid.
    Projected(Grid),
    /// It goes to this grid.
    Stored(Grid),
}

/// How its columns lie; in a quarter of the planes too many pages would only make ready what others need.
const BESIDE: Beside = Beside::Y;

/// Whether grids of n points along an axis are cut into columns.
pub(super) fn takes(n: usize) -> bool {
    Beside::of(n, POINTS) == Some(BESIDE)
}

impl Whole {
    /// All pages, and fewest cycles of the kernels of each.
    pub(super) fn pages(
        &self,
        grids: &FusedGrids,
        residual: Residual,
    ) -> Result<(Vec<Page>, Vec<f64>), KernelError> {
        let n = grids.u.n;
        let projects = matches!(residual, Residual::Projected(_));
        let (mut pages, mut least) = (Vec::new(), Vec::new());
        for [x, y] in BESIDE.begins(n, POINTS) {
            for page in -(LEAD as isize)..(n / 2) as isize {
                let place = Place { x, y, page, number: pages.len() };
                let stages = STAGES.into_iter().filter(|stage| stage.is_in(page));
                let stages = stages.filter(|&stage| projects || stage != Stage::Proj).count();
                let entry = self.entries[stages - 1];
                let [first, next] = [0, 1].map(|on| first_record(place.number + on));
                pages.push(Page {
                    prepare: Vec::new(),
                    load: self.load(grids, place)?,
                    commands: vec![Command::Turn(Turn { entry, first, next })],
                    unload: unload(grids, residual, place),
                });
                least.push(least_cycles(page, projects) as f64);
            }
        }
        Ok((pages, least))
    }

    fn load(&self, grids: &FusedGrids, place: Place) -> Result<Vec<Descriptor>, KernelError> {
        let Place { x, y, page, number } = place;
        let (z, [u_at, v_at, coarse_at]) = (place.z(), loaded(number));
        let mut load = Vec::new();
        if number == 0 {
            load.push(get_constants(self.constants, CONSTANTS)?);
        }
        for plane in 0..COARSE_PLANES {
            let of = |first: isize| first + plane as isize;
            let corner = [x - 4, y - U_ROWS.1 as isize, of(z + 4)];
            load.push(BESIDE.get(&grids.u, corner, (ROW, U_ROWS.0), around(u_at, plane)));
            if Stage::Resid.is_in(page) {
                let corner = [x - 4, y - V_ROWS.1 as isize, of(z + 3)];
                load.push(BESIDE.get(&grids.v, corner, (ROW, V_ROWS.0), around(v_at, plane)));
            }
            let corner = [x / 2 - 4, y / 2 - COARSE_ROWS.1 as isize, of(z / 2 + 1)];
            let at = coarse_at + plane * COARSE_ROWS.0 * COARSE_ROW;
            load.push(BESIDE.get(&grids.coarse, corner, (COARSE_ROW, COARSE_ROWS.0), at));
        }
        Ok(load)
    }
}

fn unload(grids: &FusedGrids, residual: Residual, place: Place) -> Vec<Descriptor> {
    let Place { x, y, page, number } = place;
    let (z, n) = (place.z(), grids.u.n as isize);
    let [u_at, r_at, coarse_at] = given(number);
    let fine = |grid: &Grid, first: isize, at: usize| -> Vec<Descriptor> {
        let planes = (0..POINTS.n3).filter(|&k| (0..n).contains(&(first + k as isize)));
        let size = (POINTS.n1 / 4, POINTS.n2);
        let of = |k: usize| {
            BESIDE.put_with_faces(grid, [x, y, first + k as isize], (around(at, k), ROW), size)
        };
        planes.flat_map(of).collect()
    };
    let mut unload = Vec::new();
    if Stage::Smooth.is_in(page) {
        unload.extend(fine(&grids.result, z + 2, u_at));
    }
    match residual {
        Residual::Stored(grid) if Stage::Again.is_in(page) => {
            unload.extend(fine(&grid, z + 1, r_at));
        }
        Residual::Projected(grid) if Stage::Proj.is_in(page) => {
            let size = (POINTS.n1 / 8, POINTS.n2 / 2);
            unload.extend(BESIDE.put_with_faces(
                &grid,
                [x / 2, y / 2, z / 2],
                (coarse_at, RESULT_ROW),
                size,
            ));
        }
        _ => {}
    }
    unload
}

/// The place of a plane so many behind one: planes follow each other around local memory.
const fn around(at: usize, planes: usize) -> usize {
    (at + planes * RECORD) % LOCAL_WORDS
}

/// Words around which records lie.
const LOCAL_WORDS: usize = 8 * RECORD;
