//! NPB FT with the array in memory of the host, which goes through the devices page by page: in the first stage planes, which
//! are transformed along two axes, in the second one columns along the third. While a page is computed the next one is
//! loaded and the last one unloaded.

use super::transform::{LineShapes, Transforms};
use crate::host::require_host;
use cp2_gpu::{Gpu, GpuBuffer, GpuError, GpuEvent, PinnedMemory, PinnedRows};
use cp2_procedures::spatial::npb::{Class, factors, field, summed};
use num_complex::Complex64;
use std::time::Instant;

/// Pages that a device holds at once: one that is loaded, one computed, one unloaded.
const HELD: usize = 3;

/// Least pages of a stage for each device, where the array has so many planes and columns.
const PAGES: usize = 64;

/// Device with its pages.
struct Pager {
    transforms: Transforms,
    pages: Vec<GpuBuffer<[f64; 2]>>,
    /// Factors of each iteration, along the three axes.
    factors: Vec<[GpuBuffer<f64>; 3]>,
}

/// Work on pages, all of it or a part for timings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PagedWork {
    /// Whether pages are loaded and unloaded.
    pub moves: bool,
    /// Whether pages are computed.
    pub computes: bool,
}

/// Run of FT of a class by pages, on one or several devices.
pub struct PagedFt {
    class: Class,
    pagers: Vec<Pager>,
    spectrum: PinnedMemory<[f64; 2]>,
    field: PinnedMemory<[f64; 2]>,
    /// Planes, and columns, of a page.
    planes: usize,
    columns: usize,
}

impl PagedFt {
    /// Makes the arrays of a class in memory of the host, and pages on devices that were opened together; all pages of a
    /// device together take at most `memory` bytes.
    ///
    /// # Errors
    /// Not even a plane and a row of columns fit, or there is no memory.
    pub fn new(
        gpus: &[Gpu],
        class: Class,
        shapes: LineShapes,
        memory: u64,
    ) -> Result<Self, GpuError> {
        let sizes = class.sizes();
        let ([n1, n2, n3], points) = (sizes.0, sizes.points());
        // Spectrum and field, and the field once more while it is made.
        require_host(&format!("FT class {class} by pages"), 3 * 16 * points as u64)?;
        let most = memory as usize / HELD / size_of::<[f64; 2]>();
        let least = (n1 * n2).max(8 * n3);
        if most < least {
            let bytes = HELD * least * size_of::<[f64; 2]>();
            let why = format!(
                "{HELD} pages take at least {bytes} bytes, and {memory} were given for them (--pages); give more"
            );
            return Err(GpuError::Refused { what: format!("FT class {class}"), why });
        }
        // Powers of two, and many pages a device: its first load and its last unload have nothing beside them.
        let fitted = |count: usize, unit: usize| {
            let each = (most / unit).min(count / (PAGES * gpus.len())).max(1);
            1 << each.ilog2()
        };
        let (planes, columns) = (fitted(n3, n1 * n2), fitted(n1 * n2, n3));
        let page = (planes * n1 * n2).max(columns * n3);
        let pager = |gpu: &Gpu| {
            let tables = (1..=class.all_checksums().len()).map(|t| {
                let [x, y, z] = factors(&sizes, t);
                Ok([gpu.buffer_of(&x)?, gpu.buffer_of(&y)?, gpu.buffer_of(&z)?])
            });
            Ok(Pager {
                transforms: Transforms::new(gpu, sizes.0, shapes)?,
                pages: (0..HELD).map(|_| gpu.buffer(page)).collect::<Result<_, _>>()?,
                factors: tables.collect::<Result<_, GpuError>>()?,
            })
        };
        Ok(Self {
            class,
            pagers: gpus.iter().map(pager).collect::<Result<_, GpuError>>()?,
            spectrum: gpus[0].pinned(points)?,
            field: gpus[0].pinned(points)?,
            planes,
            columns,
        })
    }

    /// Returns the planes, and the columns, of a page.
    pub fn page(&self) -> [usize; 2] {
        [self.planes, self.columns]
    }

    /// Passes all pages of a stage through the devices.
    fn stage(
        &self,
        [from, to]: [&PinnedMemory<[f64; 2]>; 2],
        (is_second, is_inverse, iteration): (bool, bool, Option<usize>),
        work: PagedWork,
    ) -> Result<(), GpuError> {
        let [n1, n2, n3] = self.class.sizes().0;
        let (all, each) = if is_second { (n1 * n2, self.columns) } else { (n3, self.planes) };
        let mut unloaded: Vec<Vec<GpuEvent>> = self.pagers.iter().map(|_| Vec::new()).collect();
        for (j, first) in (0..all).step_by(each).enumerate() {
            let d = j % self.pagers.len();
            let Pager { transforms, pages, factors } = &self.pagers[d];
            let (gpu, turn) = (&transforms.kernels.gpu, j / self.pagers.len());
            let page = &pages[turn % HELD];
            let free: Vec<&GpuEvent> =
                turn.checked_sub(HELD).and_then(|k| unloaded[d].get(k)).into_iter().collect();
            let rows = if is_second {
                PinnedRows { first, pitch: n1 * n2, rows: n3, length: each }
            } else {
                PinnedRows { first: first * n1 * n2, pitch: n1 * n2, rows: each, length: n1 * n2 }
            };
            let loaded = work.moves.then(|| gpu.load_rows(page, from, rows, &free)).transpose()?;
            let loaded: Vec<&GpuEvent> = loaded.iter().collect();
            let mut done = None;
            if work.computes && is_second {
                done = Some(transforms.along(
                    (2, is_inverse),
                    [each, each],
                    [page, page],
                    None,
                    &loaded,
                )?);
            } else if work.computes {
                let factors = iteration.map(|t| (first, factors[t].each_ref()));
                transforms.along(
                    (0, is_inverse),
                    [n2 * each, 1],
                    [page, page],
                    factors,
                    &loaded,
                )?;
                done = Some(transforms.along(
                    (1, is_inverse),
                    [n1 * each, n1],
                    [page, page],
                    None,
                    &[],
                )?);
            }
            let after: Vec<&GpuEvent> = done.iter().chain(loaded).collect();
            if work.moves {
                unloaded[d].push(gpu.unload_rows(page, to, rows, &after)?);
            }
            gpu.flush()?;
        }
        self.pagers.iter().try_for_each(|pager| pager.transforms.kernels.gpu.finish())
    }

    /// Evolves the spectrum to an iteration, from 0, and transforms it back into the field.
    ///
    /// # Errors
    /// A device is lost.
    pub fn iteration(&self, t: usize, work: PagedWork) -> Result<(), GpuError> {
        self.stage([&self.spectrum, &self.field], (false, true, Some(t)), work)?;
        self.stage([&self.field, &self.field], (true, true, None), work)
    }

    /// Runs the class and returns the checksums and the seconds that the transforms took, the forward one and those of all
    /// iterations.
    ///
    /// # Errors
    /// A device is lost.
    pub fn run(&mut self) -> Result<(Vec<Complex64>, f64), GpuError> {
        let sizes = self.class.sizes();
        let start = field(&sizes);
        self.field.numbers_mut()?.iter_mut().zip(&start).for_each(|(x, f)| *x = [f.re, f.im]);
        drop(start);
        let work = PagedWork { moves: true, computes: true };
        let begin = Instant::now();
        self.stage([&self.field, &self.field], (false, false, None), work)?;
        self.stage([&self.field, &self.spectrum], (true, false, None), work)?;
        let mut sums = Vec::new();
        for t in 0..self.class.all_checksums().len() {
            self.iteration(t, work)?;
            let values = self.field.numbers()?;
            let [n1, n2, _] = sizes.0;
            let at = |[x, y, z]: [usize; 3]| values[(z * n2 + y) * n1 + x];
            let sum =
                summed(&sizes).map(at).fold([0.0; 2], |sum, x| [sum[0] + x[0], sum[1] + x[1]]);
            let scale = 1.0 / sizes.points() as f64;
            sums.push(Complex64::new(sum[0] * scale, sum[1] * scale));
        }
        Ok((sums, begin.elapsed().as_secs_f64()))
    }
}
