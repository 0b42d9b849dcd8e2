//! Interpolation, residual and smoother of a grid in one go: every page moves four planes of u and v and two of
//! the coarse function to each section, and four planes of the new u back. What the kernels of a page do is in
//! `crate::multigrid::fused`.

use super::faces;
use super::grid::Grid;
use super::operator::{rows_at, walk};
use crate::error::KernelError;
use crate::host::pages::{Command, Page};
use crate::host::session::Call;
use crate::host::walks::run_of;
use crate::multigrid::fused::{
    COARSE_PLANES, COARSE_ROW, COARSE_ROWS, POINTS, RECORD, RESULT_AT, ROW, TAIL_AT, U_ROWS, V_AT,
    V_ROWS, calls, least_cycles, tails, word,
};
use cp2_emu::dma::{Descriptor, LocalWalk, Pattern};
use cp2_isa::{BundleAddress, Core, SECTIONS, WordAddress};

/// The kernels in instruction memory and their constants in system memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fused {
    pub(super) entries: [BundleAddress; 3],
    /// Address and words of the constants, a whole number of beats.
    pub(super) constants: (usize, usize),
}

/// The grids that are worked on; `result` is not `u`, which other columns still read.
#[derive(Clone, Copy, Debug)]
pub(super) struct FusedGrids {
    pub(super) coarse: Grid,
    pub(super) u: Grid,
    pub(super) v: Grid,
    pub(super) result: Grid,
}

/// Whether grids of n points along an axis are cut into columns, a quarter of which each section has.
pub(super) const fn takes(n: usize) -> bool {
    n.is_multiple_of(POINTS.n1) && n.is_multiple_of(SECTIONS * POINTS.n2)
}

/// Pages after which places in local memory repeat.
const REPEATED: usize = 4;

/// A page of a column: where it begins in the first section, its first plane, its number. The columns of the
/// other sections lie a quarter of the grid further along y each.
#[derive(Clone, Copy, Debug)]
struct Place {
    x: isize,
    y: isize,
    /// Negative for the page that only makes ready what the next one needs.
    z: isize,
    number: usize,
}

impl Fused {
    /// All pages, and fewest cycles of their kernels.
    pub(super) fn pages(
        &self,
        core: &Core,
        grids: &FusedGrids,
    ) -> Result<(Vec<Page>, f64), KernelError> {
        let n = grids.u.n;
        let (mut pages, mut least) = (Vec::new(), 0);
        let along = |step: usize| (0..n).step_by(step);
        let first_rows = (0..n / SECTIONS).step_by(POINTS.n2);
        for (y, x) in first_rows.flat_map(|y| along(POINTS.n1).map(move |x| (y, x))) {
            for k in 0..=n / POINTS.n3 {
                // Records before the first one are asked for, so numbers begin behind them.
                let number = REPEATED + pages.len();
                let z = ((k * POINTS.n3) as isize) - POINTS.n3 as isize;
                let place = Place { x: x as isize, y: y as isize, z, number };
                pages.push(self.page(core, grids, place)?);
                least += least_cycles(k == 0);
            }
        }
        Ok((pages, least as f64))
    }

    fn page(&self, core: &Core, grids: &FusedGrids, place: Place) -> Result<Page, KernelError> {
        let is_first = place.z < 0;
        let call = |(stage, arguments): (usize, [u64; 9])| {
            let arguments = arguments.iter().map(|&value| value as u16).collect();
            Command::Run(Call { entry: self.entries[stage], arguments, least_cycles: 0 })
        };
        let calls = calls(core, place.number, is_first).into_iter();
        Ok(Page {
            prepare: Vec::new(),
            load: self.load(core, grids, place)?,
            commands: calls.map(|(stage, arguments)| call((stage as usize, arguments))).collect(),
            unload: if is_first { Vec::new() } else { unload(core, &grids.result, place) },
        })
    }

    fn load(
        &self,
        core: &Core,
        grids: &FusedGrids,
        Place { x, y, z, number }: Place,
    ) -> Result<Vec<Descriptor>, KernelError> {
        let is_first = z < 0;
        let base = |record: usize, at: usize| WordAddress::from_index(word(core, record, at));
        let (at, [coarse, weights]) = (number * POINTS.n3, tails(number));
        let mut load = Vec::new();
        if number < 2 * REPEATED {
            let (address, words) = self.constants;
            let local = LocalWalk::linear(base(weights.0, weights.1), (words / 2) as u16);
            load.push(Descriptor::get(run_of(address, words)?, local, [Pattern::ALL; SECTIONS]));
        }
        // The planes behind those that the page before has loaded.
        let (v_plane, v_planes) = if is_first { (3, 2) } else { (1, 4) };
        for section in 0..SECTIONS {
            let (plane, y) = (z, y + (section * grids.u.n / SECTIONS) as isize);
            let get = |grid: &Grid, corner, (words, rows): (usize, usize), planes, local| {
                let memory =
                    walk(grid, corner, words / 2, (rows, grid.row()), (planes, grid.plane()));
                Descriptor::get(memory, local, Pattern::only(section))
            };
            let planes_at =
                |first, words: usize, step, planes| planes_at(first, words, step, planes);
            load.push(get(
                &grids.u,
                [x - 4, y - 2, plane + 2],
                (ROW, U_ROWS),
                POINTS.n3,
                planes_at(base(at + 2, 0), V_AT, RECORD, POINTS.n3),
            ));
            load.push(get(
                &grids.v,
                [x - 4, y - 1, plane + v_plane as isize],
                (ROW, V_ROWS),
                v_planes,
                planes_at(base(at + v_plane, V_AT), TAIL_AT - V_AT, RECORD, v_planes),
            ));
            // Row after row of all planes.
            let (rows, planes) =
                ((COARSE_PLANES, grids.coarse.plane()), (COARSE_ROWS, grids.coarse.row()));
            let corner = [x / 2 - 4, y / 2 - 2, plane / 2];
            let memory = walk(&grids.coarse, corner, COARSE_ROW / 2, rows, planes);
            let words = COARSE_PLANES * COARSE_ROW;
            let local = planes_at(base(coarse.0, coarse.1), words, RECORD, COARSE_ROWS);
            load.push(Descriptor::get(memory, local, Pattern::only(section)));
        }
        Ok(load)
    }
}

/// Planes without gaps in local memory, so many words apart.
pub(super) fn planes_at(base: WordAddress, words: usize, step: usize, planes: usize) -> LocalWalk {
    let mut walk = rows_at(0, words / 2, step, planes);
    walk.base = base;
    walk
}

/// The results of all sections, plane by plane, and the faces along x that they are too.
fn unload(core: &Core, grid: &Grid, Place { x, y, z, number }: Place) -> Vec<Descriptor> {
    let beats = POINTS.n1 / 4;
    let put = |plane: usize, to: isize, first: usize, beats: usize| {
        let sections = (SECTIONS, grid.n / SECTIONS * grid.row());
        let corner = [to, y, z + plane as isize];
        let memory = walk(grid, corner, beats, (POINTS.n2, grid.row()), sections);
        let from = word(core, number * POINTS.n3 + plane, RESULT_AT + 2 * first);
        Descriptor::put(memory, rows_at(from, beats, ROW, POINTS.n2), 0)
    };
    let planes = |to: isize, first: usize, beats: usize| {
        (0..POINTS.n3).map(move |plane| (plane, to, first, beats))
    };
    let n = grid.n as isize;
    let mut parts: Vec<_> = planes(x, 0, beats).collect();
    if faces::go_with_pages(grid) && x == 0 {
        parts.extend(planes(n, 0, 1));
    }
    if faces::go_with_pages(grid) && x + POINTS.n1 as isize == n {
        parts.extend(planes(-4, beats - 1, 1));
    }
    parts.into_iter().map(|(plane, to, first, beats)| put(plane, to, first, beats)).collect()
}
