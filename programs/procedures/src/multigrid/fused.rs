//! Interpolation, residual and smoother of a grid in one go: every page loads a plane of u and of v into each section, every
//! second page a coarse plane, and stores a plane of the new u. The kernels of a page are in `cp2_kernels::multigrid::fused`.

use super::columns::{ColumnArrangement, ColumnPage, get_constants};
use super::grid::PaddedGrid;
use crate::host::pages::{Command, DeviceDrivenPage, Page};
use cp2_emu::dma::Descriptor;
use cp2_isa::{BundleAddress, MemoryAddress};
use cp2_kernels::multigrid::fused::{InterpolationMode, LEAD, Layout, LeastCycles, stages};
use cp2_session::error::KernelError;

/// The kernels of interpolation, residual and smoother in instruction memory, each for two pages, from one with one stage to
/// one with all of them, and their constants in system memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fused {
    pub(super) layout: Layout,
    pub(super) mode: InterpolationMode,
    pub(super) entries: [BundleAddress; LEAD.len()],
    /// Address and words of the constants, a whole number of beats.
    pub(super) constants: (MemoryAddress, usize),
    pub(super) least_cycles: LeastCycles,
}

/// The grids of the operators; `result` is another grid than `u` where `u` is read, since other columns still read it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FusedGrids {
    pub(super) coarse: PaddedGrid,
    pub(super) u: PaddedGrid,
    pub(super) v: PaddedGrid,
    pub(super) result: PaddedGrid,
}

impl Fused {
    /// Returns all pages, and the fewest cycles of the kernels of each. A page stores the plane of its number.
    ///
    /// # Errors
    /// Grids that cannot be cut into columns.
    pub(super) fn pages(&self, grids: &FusedGrids) -> Result<(Vec<Page>, Vec<f64>), KernelError> {
        let (n, points) = (grids.result.edge(), self.layout.columns.points());
        let beside = ColumnArrangement::of(n, points)
            .ok_or_else(|| ColumnArrangement::refused(n, self.layout.columns))?;
        let (mut pages, mut least) = (Vec::new(), Vec::new());
        for [x, y] in beside.begins(n, points) {
            for page in -(LEAD[0] as isize)..beside.planes(n) as isize {
                let place = ColumnPage { x, y, page, number: pages.len() };
                let entry = self.entries[stages(page) - 1];
                let [first, next] = [0, 1].map(|on| self.layout.records.first(place.number + on));
                let (prepare, load) = self.load(grids, beside, place)?;
                pages.push(Page {
                    prepare,
                    load,
                    commands: vec![Command::DeviceDriven(DeviceDrivenPage {
                        entry,
                        pages: 2,
                        first,
                        next,
                    })],
                    unload: self.unload(&grids.result, beside, place),
                });
                least.push(self.least_cycles.of(page) as f64);
            }
        }
        Ok((pages, least))
    }

    /// Returns the transfers that load a page: those for which CP2 stands still, since the page before uses their place, and
    /// the others.
    fn load(
        &self,
        grids: &FusedGrids,
        beside: ColumnArrangement,
        place: ColumnPage,
    ) -> Result<(Vec<Descriptor>, Vec<Descriptor>), KernelError> {
        let (ColumnPage { x, y, page, number }, layout) = (place, self.layout);
        let (mut prepare, mut load) = (Vec::new(), Vec::new());
        if number == 0 {
            prepare.push(get_constants(self.constants, layout.constants())?);
        }
        let [below, above] = layout.coarse(number);
        let coarse = |z: isize, at: usize| {
            let corner = [x / 2 - 4, y / 2 - 2, z];
            beside.get(&grids.coarse, corner, (layout.coarse_row(), layout.coarse_rows()), at)
        };
        if page == -(LEAD[0] as isize) {
            prepare.push(coarse(page / 2, below));
        }
        if page % 2 == 0 {
            load.push(coarse(page / 2 + 1, above));
        }
        if self.mode == InterpolationMode::Add {
            let corner = [x - 4, y - 2, page + 2];
            load.push(beside.get(
                &grids.u,
                corner,
                (layout.columns.row(), layout.u_rows()),
                layout.u(number),
            ));
        }
        if stages(page) > 1 {
            let corner = [x - 4, y - 1, page + 1];
            load.push(beside.get(
                &grids.v,
                corner,
                (layout.columns.row(), layout.v_rows()),
                layout.v(number),
            ));
        }
        Ok((prepare, load))
    }

    fn unload(
        &self,
        grid: &PaddedGrid,
        beside: ColumnArrangement,
        place: ColumnPage,
    ) -> Vec<Descriptor> {
        let (ColumnPage { x, y, page, number }, layout) = (place, self.layout);
        if stages(page) < LEAD.len() {
            return Vec::new();
        }
        let size = (layout.columns.n1 / 4, layout.columns.n2);
        beside.put_with_faces(
            grid,
            [x, y, page],
            (layout.result(number), layout.columns.row()),
            size,
        )
    }
}
