//! Which form a matrix gets: what each would cost, from the counts of its kernel and the rates of the channel.

use super::partition::{COLUMNS, Form, Partition, Preparation};
use super::stored::LocalLayout;
use crate::error::KernelError;
use crate::host::bounds::channel_rates;
use crate::sparse::{Csr, HEIGHTS, RowOrder, SHAPES, SparseError, WINDOW, order_of};
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_isa::Core;
use rayon::prelude::*;
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::ops::Range;

/// A form for a matrix, and how wide blocks of columns are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The form.
    pub form: Form,
    /// Columns of a block.
    pub width: usize,
    /// Cycles of a product that were predicted.
    pub cycles: u64,
}

/// What a form makes of a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Rows and columns.
    pub shape: [usize; 2],
    /// Entries of the matrix.
    pub nonzeros: usize,
    /// Those of them that are 0.
    pub zeros: usize,
    /// Elements with their padding.
    pub elements: usize,
    /// Bytes of values, columns and counters that a product moves.
    pub bytes: usize,
    /// Blocks of columns.
    pub blocks: usize,
}

impl Statistics {
    /// Entries of the matrix in a hundred elements.
    pub fn filled_percent(&self) -> f64 {
        100.0 * self.nonzeros as f64 / self.elements.max(1) as f64
    }
}

/// Prices of a machine, in cycles.
struct Prices {
    call: f64,
    page: f64,
    /// Of a byte from memory.
    byte: f64,
}

impl Prices {
    fn new(config: &MachineConfig) -> Self {
        let value = |key| f64::from(config.value(key));
        Self {
            call: value(Key::HostCall) + 8.0 * value(Key::HostBundle) + value(Key::HostStatus),
            page: value(Key::HostPage) + 2.0 * value(Key::HostRegister),
            byte: value(Key::CpuClock) / channel_rates(config).get,
        }
    }

    fn of_page(&self, kernel: usize, bytes: usize) -> f64 {
        // The host does its own work for a page beside the kernel.
        (self.call + self.page.max(kernel as f64)).max(bytes as f64 * self.byte)
    }
}

/// Cycles of turning an element of the vector, about.
const TURN_CYCLES: f64 = 0.75;

/// Blocks of this many columns.
pub(super) fn ranges(columns: usize, width: usize) -> impl ExactSizeIterator<Item = Range<usize>> {
    (0..columns).step_by(width).map(move |first| first..(first + width).min(columns))
}

/// The columns of each block, cut for a form.
pub(super) fn partitions(
    core: &Core,
    matrix: &Csr,
    (form, width): (Form, usize),
    order: &[usize],
) -> Result<Vec<(Range<usize>, Csr, Partition)>, SparseError> {
    let of = |range: Range<usize>| {
        let part = matrix.columns_of(&range);
        let partition = Partition::new(core, form, &part, order, range.start == 0)?;
        Ok((range, part, partition))
    };
    ranges(matrix.columns(), width).map(of).collect()
}

/// Blocks of columns that are looked at to choose a form; of more, these lie evenly among them.
const SAMPLED: usize = 8;

/// Some columns of a matrix.
type Block = (Range<usize>, Csr);

/// The blocks of this width that are looked at, at most so many: the first, which has a price of its own, and others.
fn blocks(matrix: &Csr, width: usize, most: usize) -> impl ExactSizeIterator<Item = Block> {
    let count = matrix.columns().div_ceil(width);
    let step = count.div_ceil(most);
    let sampled = ranges(matrix.columns(), width).step_by(step);
    sampled.map(|range| (range.clone(), matrix.columns_of(&range)))
}

/// What a product in this form would take, by blocks that stand for all of them.
fn predict(
    config: &MachineConfig,
    matrix: &Csr,
    (form, width): (Form, usize),
    order: &[usize],
    blocks: impl ExactSizeIterator<Item = impl Borrow<Block>>,
) -> Result<u64, KernelError> {
    let (core, prices) = (config.core(), Prices::new(config));
    let layout = LocalLayout::new(core, form, width.min(matrix.columns()));
    let all = matrix.columns().div_ceil(width);
    // The first stands for itself, each of the others for as many as there are to one.
    let weight = (all - 1) as f64 / blocks.len().saturating_sub(1).max(1) as f64;
    let mut total = 0.0;
    for block in blocks {
        let (columns, part) = block.borrow();
        let mut cycles = 0.0;
        let partition = Partition::outline(core, form, part, order, columns.start == 0)?;
        let vector = 4 * columns.len();
        cycles += prices.page.max(vector as f64 * prices.byte);
        match form.preparation(core) {
            Preparation::None => {}
            Preparation::Turn => cycles += prices.call + TURN_CYCLES * columns.len() as f64,
            Preparation::Spread => cycles += prices.of_page(columns.len(), 0),
        }
        for (k, page) in partition.pages(core, layout.beside())?.iter().enumerate() {
            let units: usize = page.iter().map(|part| part.units).sum();
            let bytes = partition.bytes_of(units) + 64 * page.len() * partition.result_words();
            let bytes_first = if k == 0 { bytes as f64 * prices.byte } else { 0.0 };
            cycles += bytes_first + prices.of_page(partition.cycles(core, page), bytes);
        }
        total += if columns.start == 0 { cycles } else { weight * cycles };
    }
    if form.is_permuted() {
        for window in order.chunks(WINDOW) {
            total += prices.page + prices.of_page(Form::back_cycles(core, window.len()), 0);
        }
    }
    Ok(total as u64)
}

/// The forms that are tried.
pub(super) fn forms() -> impl Iterator<Item = Form> {
    let orders = [RowOrder::Given, RowOrder::Sorted];
    let sliced =
        orders.into_iter().flat_map(|order| HEIGHTS.map(|height| Form::Sliced { height, order }));
    let whole = SHAPES.into_iter().filter(|shape| shape.groups.is_multiple_of(2));
    sliced.chain(whole.map(Form::Blocks))
}

impl Plan {
    /// The forms of these names with the widths that come into question.
    fn candidates(
        config: &MachineConfig,
        matrix: &Csr,
        takes: impl Fn(&str) -> bool,
    ) -> BTreeMap<usize, Vec<Form>> {
        let mut candidates: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for form in forms().filter(|form| takes(form.name())) {
            let most = form.widest(config.core()) / COLUMNS * COLUMNS;
            let least = matrix.columns().div_ceil(most);
            for blocks in least..=least + 1 {
                let width = matrix.columns().div_ceil(blocks).next_multiple_of(COLUMNS).min(most);
                candidates.entry(width).or_default().push(form);
            }
        }
        candidates
    }

    /// All forms of these names with every width, the fastest first. Of many blocks of columns some are looked at.
    ///
    /// # Errors
    /// A matrix for which there is none.
    pub fn all(
        config: &MachineConfig,
        matrix: &Csr,
        takes: impl Fn(&str) -> bool,
    ) -> Result<Vec<Self>, KernelError> {
        let orders =
            [RowOrder::Given, RowOrder::Sorted].map(|order| (order, order_of(matrix, order)));
        let order = |form: Form| orders.iter().find(|(of, _)| *of == form.row_order());
        let mut plans = Vec::new();
        for (width, forms) in Self::candidates(config, matrix, takes) {
            let blocks: Vec<_> = blocks(matrix, width, SAMPLED).collect();
            let of = |form: Form| {
                let order = order(form).map_or(&[][..], |(_, order)| order);
                let cycles = predict(config, matrix, (form, width), order, blocks.iter())?;
                Ok(Self { form, width, cycles })
            };
            let found = forms.into_par_iter().map(of).collect::<Result<Vec<_>, KernelError>>();
            plans.extend(found?);
        }
        plans.sort_by_key(|plan| plan.cycles);
        Ok(plans)
    }

    /// The fastest of the forms of these names, by prediction.
    ///
    /// # Errors
    /// A matrix for which there is none.
    pub fn best(
        config: &MachineConfig,
        matrix: &Csr,
        takes: impl Fn(&str) -> bool,
    ) -> Result<Self, KernelError> {
        let plans = Self::all(config, matrix, takes)?;
        let none = || KernelError::Array("the matrix has no form of these names".to_owned());
        let best = plans.first().copied().ok_or_else(none)?;
        if matrix.columns().div_ceil(best.width) <= SAMPLED {
            return Ok(best);
        }
        // What is told of the one that is taken comes from all of its blocks.
        let all = blocks(matrix, best.width, usize::MAX);
        let (form, order) = (best.form, best.form.order(matrix));
        let cycles = predict(config, matrix, (form, best.width), &order, all)?;
        Ok(Self { cycles, ..best })
    }
}
