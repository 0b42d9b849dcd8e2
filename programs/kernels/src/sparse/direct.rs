//! Code made for one sparse matrix: the addresses of the vector are immediates, the order of the values is that of the
//! operations, and the result registers are chosen by row group. Bundles are in their final order, which `coder` finds.
//! The host code that loads and runs them page by page is here too.

mod coder;
mod plan;

pub use plan::Merging;

use super::RowLayout;
use super::pages::{longest_vector, page_words};
use super::placement::{LANES, Placement};
use super::run::{Machine, Report, SPREAD, pair};
use coder::Coder;
use cp2_isa::Core;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::sparse::{Csr, SparseError};
use plan::{Column, Plan, ValueGroup};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Page of code and data.
#[derive(Clone, Debug, PartialEq)]
struct Page {
    /// The text of the kernel.
    text: String,
    /// Number of bundles.
    bundles: usize,
    /// Value words in the order of their use.
    values: Vec<[f32; LANES]>,
    /// Operations `psmadd`.
    multiplications: usize,
    /// Loads of the vector, and operations that merge.
    columns: usize,
    slab: usize,
}

/// A sparse matrix as code: assembly texts that were made for this one matrix and multiply a vector by it, in pages,
/// each with the bundles and values that instruction memory and local memory hold at once. [`Self::new`] and
/// [`Self::merged`] make it; [`multiply_direct`](super::multiply_direct) runs it.
#[derive(Clone, Debug, PartialEq)]
pub struct Direct {
    /// Rows of the matrix.
    pub(super) rows: usize,
    /// Entries of the matrix.
    pub(super) nonzeros: usize,
    /// Placement of the rows and of the vector.
    pub(super) placement: Placement,
    /// The pages in the order of their runs.
    pages: Vec<Page>,
    plan: Plan,
}

impl Direct {
    /// Makes the code for a matrix on a core, in which every column of a row group of eight rows has a multiplication
    /// of its own; `layout` tells which rows share a row group.
    ///
    /// # Errors
    /// The vector leaves no room for a page in local memory.
    pub fn new(core: &Core, matrix: &Csr, layout: RowLayout) -> Result<Self, SparseError> {
        Self::merged(core, matrix, layout, Merging::None)
    }

    /// Makes the code for a matrix on a core as [`Self::new`] does, but with columns that share a multiplication in the
    /// way `merging`. [`Merging::Loaded`] needs a core with the extension `conditional-memory` when the code runs.
    ///
    /// # Errors
    /// The vector leaves no room for a page in local memory.
    pub fn merged(
        core: &Core,
        matrix: &Csr,
        layout: RowLayout,
        merging: Merging,
    ) -> Result<Self, SparseError> {
        let plan = Plan::new(core, merging);
        let sums = plan.sums;
        let placement = Placement::new(matrix, layout, 1, 2);
        let capacity = page_words(core, placement.words()).saturating_sub(sums + 2);
        if capacity < 2 * sums {
            let limit = longest_vector(core, 3 * sums + 2);
            return Err(SparseError::TooLong { words: placement.words(), limit });
        }
        let mut direct = Self {
            rows: matrix.rows(),
            nonzeros: matrix.nonzeros(),
            placement,
            pages: Vec::new(),
            plan,
        };
        for slab in 0..placement.groups().div_ceil(sums) {
            let columns = columns_of(matrix, &placement, slab, sums);
            let mut rest = &columns[..];
            while !rest.is_empty() {
                let mut count = fitting(rest, capacity);
                let mut page = direct.page(slab, &rest[..count]);
                while page.bundles > plan.code && count > 1 {
                    count = count.div_ceil(2);
                    page = direct.page(slab, &rest[..count]);
                }
                direct.pages.push(page);
                rest = &rest[count..];
            }
        }
        Ok(direct)
    }

    /// Returns the address of the results of a page.
    fn results(&self) -> usize {
        self.placement.words()
    }

    fn values(&self) -> usize {
        self.results() + self.plan.sums
    }

    fn page(&self, slab: usize, columns: &[Column]) -> Page {
        let groups = (self.placement.groups() - slab * self.plan.sums).min(self.plan.sums);
        let mut coder = Coder::new(self.plan, columns, groups);
        coder.begin(self.results(), self.values());
        coder.multiply();
        coder.finish(self.results());
        let mut text = String::new();
        if self.plan.merging == Merging::Loaded {
            text.push_str("        .requires conditional-memory\n");
        }
        text.push_str("        .kernel spmv_direct\n");
        for (arithmetic, exchange) in &coder.lines {
            let _ = writeln!(text, "        {arithmetic} | {exchange}");
        }
        text.push_str("        stopi 0\n");
        Page {
            text,
            bundles: coder.lines.len() + 1,
            multiplications: coder.values.len(),
            columns: columns.len() + coder.merges,
            values: coder.values,
            slab,
        }
    }

    /// Returns the assembly texts of the kernels, one for each page of the code, in the order in which they run.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.pages.iter().map(|p| p.text.as_str())
    }

    /// Returns the number of operations `psmadd` that CP2 issues for the whole product.
    pub fn multiplications(&self) -> usize {
        self.pages.iter().map(|p| p.multiplications).sum()
    }

    /// Returns the number of bundles of the code, those of all pages, which a product has to load to instruction
    /// memory.
    pub fn bundles(&self) -> usize {
        self.pages.iter().map(|p| p.bundles).sum()
    }

    /// Returns the fewest cycles of the whole product. They are in each page of the code an arithmetic operation for
    /// each group of eight values, or, if these are more, half an exchange operation for each such group, one for each
    /// two neighbouring words of the vector that are used, and one for each operation that merges.
    pub fn bound(&self) -> usize {
        self.pages
            .iter()
            .map(|p| p.multiplications.max(p.multiplications.div_ceil(2) + p.columns))
            .sum()
    }

    /// Returns the size in bytes of the values, 4 each with their padding, and of the code, 8 for each bundle.
    pub fn bytes(&self) -> usize {
        4 * LANES * self.multiplications() + 8 * self.bundles()
    }
}

/// Returns the number of columns that one page holds.
fn fitting(columns: &[Column], capacity: usize) -> usize {
    let mut words = 0;
    let fits = columns.iter().take_while(|c| {
        words += c.blocks.len();
        words <= capacity
    });
    fits.count().max(1)
}

/// Returns the blocks of a slab by address. A column has at most two blocks for each group.
fn columns_of(matrix: &Csr, placement: &Placement, slab: usize, sums: usize) -> Vec<Column> {
    let mut blocks: BTreeMap<(usize, usize), [f32; LANES]> = BTreeMap::new();
    for group in 0..sums {
        for lane in 0..LANES {
            let Some(row) = placement.row(slab * sums + group, lane) else { continue };
            for &(column, value) in matrix.row(row) {
                let key = (placement.address(lane, column), group);
                blocks.entry(key).or_insert([0.0; LANES])[lane] = value;
            }
        }
    }
    let mut columns: Vec<Column> = Vec::new();
    for ((address, group), lanes) in blocks {
        let block = ValueGroup { word: address % 2, group, lanes };
        match columns.last_mut() {
            Some(column) if column.address == address & !1 => column.blocks.push(block),
            _ => columns.push(Column { address: address & !1, blocks: vec![block] }),
        }
    }
    columns
}

/// Multiplies a matrix by the vector `x` on CP2 alone, page by page, on the core for which the code was made. The
/// report counts the runs of all pages and the spreading of the vector. The loading of code is counted apart, as
/// [`Report::loaded_bundles`].
///
/// # Errors
/// `x` has not one finite element for each column, or a run does not end.
pub fn multiply(matrix: &Direct, x: &[f32], on: &Execution) -> Result<Report, KernelError> {
    let idle = format!("        .kernel idle\n        stopi 0\n{SPREAD}");
    let on = Execution { core: matrix.plan.core, ..on.clone() };
    let mut machine = Machine::new("spread.s", &idle, &on)?;
    let mut product = Report::new(matrix.rows);
    product.multiplications = matrix.multiplications() as u64;
    product.nonzeros = matrix.nonzeros;
    product.bytes = matrix.bytes();
    product.loaded_bundles = matrix.bundles();
    product.spread_cycles = matrix.placement.prepare(x, &mut machine)?;
    for page in &matrix.pages {
        machine.replace("spmv_direct.s", &page.text)?;
        let groups = page.slab * matrix.plan.sums..(page.slab + 1) * matrix.plan.sums;
        let lmem = machine.lmem();
        for (quad, group) in lmem[matrix.results()..].iter_mut().zip(groups.clone()) {
            *quad = matrix.placement.results(&product.y, group);
        }
        for (quad, v) in lmem[matrix.values()..].iter_mut().zip(&page.values) {
            *quad = std::array::from_fn(|s| pair(v[2 * s].to_bits(), v[2 * s + 1].to_bits()));
        }
        product.add_run(&machine.run(0, &[])?);
        for (quad, group) in machine.lmem()[matrix.results()..].iter().zip(groups) {
            matrix.placement.collect(quad, group, &mut product.y);
        }
    }
    Ok(product)
}
