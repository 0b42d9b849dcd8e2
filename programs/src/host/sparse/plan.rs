//! Which form a matrix gets: what each would cost, from the counts of its kernel and the rates of the channel.

use super::cut::{Cut, Form};
use super::stored::{COLUMNS, Room};
use crate::error::KernelError;
use crate::host::bounds::channel_rates;
use crate::sparse::{BACK_CYCLES, Csr, HEIGHTS, RowOrder, SHAPES, SparseError, WINDOW};
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
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
        self.page + (self.call + kernel as f64).max(bytes as f64 * self.byte)
    }
}

/// Blocks of this many columns.
pub(super) fn ranges(columns: usize, width: usize) -> impl Iterator<Item = Range<usize>> {
    (0..columns).step_by(width).map(move |first| first..(first + width).min(columns))
}

/// The columns of each block, cut for a form.
pub(super) fn cut(
    matrix: &Csr,
    form: Form,
    width: usize,
    order: &[usize],
) -> Result<Vec<(Range<usize>, Csr, Cut)>, SparseError> {
    let of = |range: Range<usize>| {
        let part = matrix.columns_of(&range);
        let cut = Cut::new(form, &part, order, range.start == 0)?;
        Ok((range, part, cut))
    };
    ranges(matrix.columns(), width).map(of).collect()
}

/// What a product in this form would take.
fn predict(
    config: &MachineConfig,
    matrix: &Csr,
    form: Form,
    width: usize,
) -> Result<u64, KernelError> {
    let (core, prices) = (config.core(), Prices::new(config));
    let order = form.order(matrix);
    let room = Room::new(core, form, width.min(matrix.columns()));
    let mut cycles = 0.0;
    for (columns, _, cut) in cut(matrix, form, width, &order)? {
        let vector = 4 * columns.len();
        cycles += prices.page + vector as f64 * prices.byte;
        if form.is_spread() {
            cycles += prices.of_page(columns.len(), 0);
        }
        for (k, page) in cut.pages(core, room.beside())?.iter().enumerate() {
            let units: usize = page.iter().map(|part| part.units).sum();
            let bytes = cut.bytes_of(units) + 64 * page.len() * cut.result_words();
            let bytes_first = if k == 0 { bytes as f64 * prices.byte } else { 0.0 };
            cycles += bytes_first + prices.of_page(cut.cycles(page), bytes);
        }
    }
    if form.is_permuted() {
        for window in order.chunks(WINDOW) {
            let kernel = window.len() * BACK_CYCLES / 32;
            cycles += 2.0 * prices.page + prices.call + kernel as f64;
        }
    }
    Ok((cycles + 2.0 * prices.page) as u64)
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
    /// All forms of these names, each with the width that it is fastest with, the fastest first.
    ///
    /// # Errors
    /// A matrix for which there is none.
    pub fn all(
        config: &MachineConfig,
        matrix: &Csr,
        takes: impl Fn(&str) -> bool,
    ) -> Result<Vec<Self>, KernelError> {
        let mut plans = Vec::new();
        for form in forms().filter(|form| takes(form.name())) {
            let most = form.widest(config.core()) / COLUMNS * COLUMNS;
            let least = matrix.columns().div_ceil(most);
            for blocks in least..=least + 1 {
                let width = matrix.columns().div_ceil(blocks).next_multiple_of(COLUMNS).min(most);
                let cycles = predict(config, matrix, form, width)?;
                plans.push(Self { form, width, cycles });
            }
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
        plans.first().copied().ok_or_else(none)
    }
}
