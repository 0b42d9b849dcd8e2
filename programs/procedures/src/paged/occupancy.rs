//! From which page to which a part of an array is in local memory: it is loaded for the first page that has it, and
//! stored behind the last, so that a part that several pages have one after the other moves once.

use super::kernels::{Kernels, PassUse};
use super::{ArrayPart, PagedProcedure, wrong};
use cp2_session::error::KernelError;

/// A page among all pages of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageNumber {
    /// Number of its pass.
    pub(super) pass: usize,
    /// Number of the page in its pass.
    pub(super) page: usize,
}

/// The stay of a part in local memory, over pages that follow each other as far as they take the array.
#[derive(Clone, Debug)]
pub(super) struct Occupancy {
    pub(super) local: usize,
    pub(super) part: ArrayPart,
    /// Number of the first and of the last page among all.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Number of the stay among those of its local array.
    pub(super) turn: usize,
    /// Whether the part is loaded for its first page.
    pub(super) is_loaded: bool,
    /// Whether the part is stored behind its last page.
    pub(super) is_stored: bool,
}

/// The stays of all parts, and the pages.
pub(super) struct Occupancies {
    /// All pages of all passes, in order.
    pub(super) pages: Vec<PageNumber>,
    /// Stays, in the order of their first pages.
    pub(super) all: Vec<Occupancy>,
    /// Numbers of the stays of each local array, in order.
    of_local: Vec<Vec<usize>>,
    /// Uses of local arrays by the kernels of each pass.
    pub(super) uses: Vec<Vec<PassUse>>,
    /// Whether each local array is one that is only in local memory and is written anew by every page.
    pub(super) is_fresh: Vec<bool>,
}

impl Occupancies {
    /// Finds the stays of all parts.
    ///
    /// # Errors
    /// A kernel reads an array that is only in local memory and that nothing has written.
    pub(super) fn new(
        procedure: &PagedProcedure,
        kernels: &Kernels<'_>,
    ) -> Result<Self, KernelError> {
        let uses: Vec<Vec<PassUse>> =
            (0..procedure.passes.len()).map(|pass| kernels.uses_of_pass(pass)).collect();
        let is_fresh = fresh(procedure, &uses)?;
        let (mut pages, mut all) = (Vec::new(), Vec::<Occupancy>::new());
        let mut of_local: Vec<Vec<usize>> = vec![Vec::new(); procedure.locals.len()];
        for (pass, of_pass) in procedure.passes.iter().enumerate() {
            for (page, of_page) in of_pass.pages.iter().enumerate() {
                let number = pages.len();
                pages.push(PageNumber { pass, page });
                for of_use in &uses[pass] {
                    let local = of_use.local;
                    let Some(array) = procedure.locals[local].array else { continue };
                    let given = of_page.parts.iter().find(|(of, _)| *of == local);
                    let part = match given {
                        Some((_, part)) => part.clone(),
                        None => ArrayPart::whole(&procedure.arrays[array].shape),
                    };
                    match of_local[local].last().map(|&k| &mut all[k]) {
                        Some(stay) if stay.part == part => {
                            stay.last = number;
                            stay.is_stored |= of_use.is_written;
                        }
                        _ => {
                            let turn = of_local[local].len();
                            of_local[local].push(all.len());
                            let (is_loaded, is_stored) = (of_use.is_read_first, of_use.is_written);
                            let (first, last) = (number, number);
                            all.push(Occupancy {
                                local,
                                part,
                                first,
                                last,
                                turn,
                                is_loaded,
                                is_stored,
                            });
                        }
                    }
                }
            }
        }
        Ok(Self { pages, all, of_local, uses, is_fresh })
    }

    /// Returns the stay of a local array at a page; `None` if it has none there.
    pub(super) fn at(&self, local: usize, number: usize) -> Option<&Occupancy> {
        let of_local = &self.of_local[local];
        let behind = of_local.partition_point(|&k| self.all[k].first <= number);
        let stay = &self.all[of_local[behind.checked_sub(1)?]];
        (number <= stay.last).then_some(stay)
    }

    /// Returns the stays of a local array that have a page from `first` to `last`, or that one of `first` - 1 goes on to.
    pub(super) fn between(&self, local: usize, first: usize, last: usize) -> Vec<&Occupancy> {
        let of_local = &self.of_local[local];
        let end = of_local.partition_point(|&k| self.all[k].first <= last.max(first - 1));
        let stays = of_local[..end].iter().rev().map(|&k| &self.all[k]);
        stays.take_while(|stay| stay.last >= first).collect()
    }

    /// Returns the number of stays of a local array.
    pub(super) fn count(&self, local: usize) -> usize {
        self.of_local[local].len()
    }
}

/// Returns for each local array whether it is only in local memory and every page writes it before it reads it.
fn fresh(procedure: &PagedProcedure, uses: &[Vec<PassUse>]) -> Result<Vec<bool>, KernelError> {
    let of = |local: usize| {
        if procedure.locals[local].array.is_some() {
            return Ok(false);
        }
        let mut passes = uses.iter().enumerate().filter_map(|(pass, uses)| {
            uses.iter().find(|of| of.local == local).map(|of_use| (pass, of_use))
        });
        match passes.next() {
            Some((pass, first)) if first.is_read_first => {
                let message = "a kernel reads it, and nothing has written it: it is no array of the \
                               file, and no kernel before has it as `out`";
                Err(wrong(procedure.place(pass, 0, local), message))
            }
            _ => Ok(passes.next().is_none()),
        }
    };
    (0..procedure.locals.len()).map(of).collect()
}
