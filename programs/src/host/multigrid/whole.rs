//! All operators of a grid in one go: every page moves two planes of u, v and the coarse function to each section, and
//! two planes of the new u and a coarse one of its projected residual back; or two of the residual itself. What the
//! kernels of a page do is in `crate::multigrid::whole`.

use super::faces;
use super::fused::{FusedGrids, planes_at};
use super::grid::Grid;
use super::operator::{rows_at, walk};
use crate::error::KernelError;
use crate::host::pages::{Command, Page};
use crate::host::session::Call;
use crate::host::walks::run_of;
use crate::multigrid::whole::{
    COARSE_PLANES, COARSE_ROW, COARSE_ROWS, CONSTANTS, LEAD, POINTS, RECORD, RESULT_ROW, ROW,
    STAGES, Stage, U_ROWS, V_ROWS, call, given, least_cycles, loaded,
};
use cp2_emu::dma::{Descriptor, LocalWalk, Pattern};
use cp2_isa::{BundleAddress, SECTIONS, WordAddress};

/// The kernels in instruction memory and their constants in system memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    pub(super) entries: [BundleAddress; STAGES.len()],
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

/// Whether grids of n points along an axis are cut into columns, a quarter of which each section has.
pub(super) const fn takes(n: usize) -> bool {
    n.is_multiple_of(POINTS.n1) && n.is_multiple_of(SECTIONS * POINTS.n2)
}

/// A page of a column: where the column begins in the first section, the number of the page in it, and of all pages.
/// The columns of the other sections lie a quarter of the grid further along y each.
#[derive(Clone, Copy, Debug)]
struct Place {
    x: isize,
    y: isize,
    page: isize,
    number: usize,
}

impl Place {
    /// The first plane of those that the page projects.
    fn z(self) -> isize {
        2 * self.page
    }
}

impl Whole {
    /// All pages, and fewest cycles of their kernels.
    pub(super) fn pages(
        &self,
        grids: &FusedGrids,
        residual: Residual,
    ) -> Result<(Vec<Page>, f64), KernelError> {
        let n = grids.u.n;
        let projects = matches!(residual, Residual::Projected(_));
        let (mut pages, mut least) = (Vec::new(), 0);
        let along = |step: usize| (0..n).step_by(step);
        let first_rows = (0..n / SECTIONS).step_by(POINTS.n2);
        for (y, x) in first_rows.flat_map(|y| along(POINTS.n1).map(move |x| (y, x))) {
            for page in -(LEAD as isize)..(n / 2) as isize {
                let place = Place { x: x as isize, y: y as isize, page, number: pages.len() };
                let stages = STAGES.into_iter().filter(|stage| stage.is_in(page));
                let stages = stages.filter(|&stage| projects || stage != Stage::Proj);
                pages.push(Page {
                    prepare: Vec::new(),
                    load: self.load(grids, place)?,
                    commands: stages.map(|stage| self.command(stage, place.number)).collect(),
                    unload: unload(grids, residual, place),
                });
                least += least_cycles(page, projects);
            }
        }
        Ok((pages, least as f64))
    }

    fn command(&self, stage: Stage, number: usize) -> Command {
        let arguments = call(stage, number).iter().map(|&value| value as u16).collect();
        Command::Run(Call { entry: self.entries[stage as usize], arguments, least_cycles: 0 })
    }

    fn load(&self, grids: &FusedGrids, place: Place) -> Result<Vec<Descriptor>, KernelError> {
        let Place { x, y, page, number } = place;
        let (z, [u_at, v_at, coarse_at]) = (place.z(), loaded(number));
        let mut load = Vec::new();
        if number == 0 {
            let (address, words) = self.constants;
            let local = LocalWalk::linear(WordAddress::from_index(CONSTANTS), (words / 2) as u16);
            load.push(Descriptor::get(run_of(address, words)?, local, [Pattern::ALL; SECTIONS]));
        }
        for section in 0..SECTIONS {
            let y = y + (section * grids.u.n / SECTIONS) as isize;
            let get =
                |grid: &Grid, corner, words: usize, rows: usize, (at, step): (usize, usize)| {
                    let planes = (COARSE_PLANES, grid.plane());
                    let memory = walk(grid, corner, words / 2, (rows, grid.row()), planes);
                    let local =
                        planes_at(WordAddress::from_index(at), words * rows, step, COARSE_PLANES);
                    Descriptor::get(memory, local, Pattern::only(section))
                };
            let corner = [x - 4, y - U_ROWS.1 as isize, z + 4];
            load.push(get(&grids.u, corner, ROW, U_ROWS.0, (u_at, RECORD)));
            if Stage::Resid.is_in(page) {
                let corner = [x - 4, y - V_ROWS.1 as isize, z + 3];
                load.push(get(&grids.v, corner, ROW, V_ROWS.0, (v_at, RECORD)));
            }
            let corner = [x / 2 - 4, y / 2 - COARSE_ROWS.1 as isize, z / 2 + 1];
            let step = COARSE_ROWS.0 * COARSE_ROW;
            load.push(get(&grids.coarse, corner, COARSE_ROW, COARSE_ROWS.0, (coarse_at, step)));
        }
        Ok(load)
    }
}

/// What a page gives, of all sections: of a plane of results so many rows of `words` words in local memory, which
/// lie at a point of a grid, `beats` of each row; and the faces along x that they are too.
fn put(
    grid: &Grid,
    corner: [isize; 3],
    (at, words): (usize, usize),
    (beats, rows): (usize, usize),
) -> Vec<Descriptor> {
    let [x, y, z] = corner;
    let n = grid.n as isize;
    let part = |to: isize, first: usize, beats: usize| {
        let sections = (SECTIONS, grid.n / SECTIONS * grid.row());
        let memory = walk(grid, [to, y, z], beats, (rows, grid.row()), sections);
        Descriptor::put(memory, rows_at(at + 2 * first, beats, words, rows), 0)
    };
    let mut parts = vec![part(x, 0, beats)];
    if faces::go_with_pages(grid) && x == 0 {
        parts.push(part(n, 0, 1));
    }
    if faces::go_with_pages(grid) && x + 4 * beats as isize == n {
        parts.push(part(-4, beats - 1, 1));
    }
    parts
}

fn unload(grids: &FusedGrids, residual: Residual, place: Place) -> Vec<Descriptor> {
    let Place { x, y, page, number } = place;
    let (z, n) = (place.z(), grids.u.n as isize);
    let [u_at, r_at, coarse_at] = given(number);
    let fine = |grid: &Grid, first: isize, at: usize| -> Vec<Descriptor> {
        let planes = (0..POINTS.n3).filter(|&k| (0..n).contains(&(first + k as isize)));
        let size = (POINTS.n1 / 4, POINTS.n2);
        // Planes follow each other around local memory.
        let at = |k: usize| (at + k * RECORD) % LOCAL_WORDS;
        let of = |k: usize| put(grid, [x, y, first + k as isize], (at(k), ROW), size);
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
            unload.extend(put(&grid, [x / 2, y / 2, z / 2], (coarse_at, RESULT_ROW), size));
        }
        _ => {}
    }
    unload
}

/// Words around which records lie.
const LOCAL_WORDS: usize = 8 * RECORD;
