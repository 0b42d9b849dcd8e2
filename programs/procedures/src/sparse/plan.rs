//! The choice of a form for a matrix: the cost of each form is predicted from the counts of its kernel and the rates of
//! the channel.

use super::partition::{COLUMNS, MatrixFormat, Partition, Preparation};
use super::stored::{LocalLayout, Sums, runs};
use cp2_emu::MachineConfig;
use cp2_emu::machine::{Key, Rows, dma_rate};
use cp2_emu::memory::{BEAT_BYTES, Direction};
use cp2_isa::{Bytes, Core, SECTIONS};
use cp2_kernels::sparse::{HEIGHTS, RowOrder, SHAPES, WINDOW, order_of};
use cp2_session::cost::channel_rates;
use cp2_session::error::KernelError;
use cp2_session::sparse::{Csr, SparseError};
use rayon::prelude::*;
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::ops::{AddAssign, Range};

/// Plan for products of a sparse matrix and vectors, by [`Self::all`] or [`Self::best`]: the form in which the matrix
/// is stored, and the width of the blocks into which its columns are cut, so that the part of the vector for a block
/// fits local memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProductPlan {
    /// Form in which the matrix is stored.
    pub form: MatrixFormat,
    /// Number of columns of a block of columns; the last block may have fewer.
    pub width: usize,
    /// Predicted cycles of one product on the machine for which the plan was made, by the counts of the kernel and the
    /// rates of the channel.
    pub cycles: u64,
}

/// Sizes of a sparse matrix in the form in which it is stored for products: entries, padding, bytes, and blocks of
/// columns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Number of rows of the matrix, then of its columns.
    pub shape: [usize; 2],
    /// Number of stored entries of the matrix, padding not counted.
    pub nonzeros: usize,
    /// Number of entries among [`Self::nonzeros`] whose value is 0.
    pub zeros: usize,
    /// Number of elements that the form stores: the entries of the matrix and the padding.
    pub elements: usize,
    /// Bytes of values, columns and counters (the numbers that tell a kernel how far to go) that the channel moves from
    /// system memory for one product.
    pub bytes: usize,
    /// Number of blocks into which the columns are cut.
    pub blocks: usize,
}

impl Statistics {
    /// Returns the number of entries of the matrix in percent of the elements that the form stores; the rest is
    /// padding.
    pub fn filled_percent(&self) -> f64 {
        100.0 * self.nonzeros as f64 / self.elements.max(1) as f64
    }
}

/// Traffic of the channel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct TransferCost {
    /// Bytes from memory.
    get: usize,
    /// Bytes to memory.
    put: usize,
    descriptors: usize,
}

impl TransferCost {
    /// Creates the traffic of a transfer from memory.
    fn get(bytes: usize) -> Self {
        Self { get: bytes, put: 0, descriptors: 1 }
    }

    /// Creates the traffic of a transfer to memory.
    fn put(bytes: usize) -> Self {
        Self { get: 0, put: bytes, descriptors: 1 }
    }
}

impl AddAssign for TransferCost {
    fn add_assign(&mut self, other: Self) {
        self.get += other.get;
        self.put += other.put;
        self.descriptors += other.descriptors;
    }
}

/// Forecast of a page as `stored` will make it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Outlined {
    prepare: TransferCost,
    load: TransferCost,
    unload: TransferCost,
    /// Number of calls of kernels.
    calls: usize,
    /// Cycles of the kernels.
    kernels: f64,
    /// Accesses of the kernels in a cycle to the bank that the channel uses at the same time.
    meeting: f64,
    /// Number of pages for which this one stands.
    weight: f64,
    /// Bytes of system memory that the page takes, for pages of the first block.
    stored: usize,
}

/// Prices of a machine, in cycles.
struct Prices {
    /// Price of a call of a kernel.
    call: f64,
    /// Price of the host's work for a page.
    page: f64,
    /// Price of a release of the channel and of reading its STATUS, with half a reading that passes in vain.
    reading: f64,
    /// Price of a byte from memory.
    get: f64,
    /// Price of a byte to memory.
    put: f64,
    /// Price of a transfer: the fetch of its descriptor, and a window of requests that fills and drains.
    descriptor: f64,
}

/// Exponent by which the rates of memory and local memory are joined, larger for rates that are more even: with this one the
/// waits of matrices of blocks on VM7 come out, of 0.08 cycles a beat.
const EVENNESS: i32 = 8;

/// Bytes of a transfer by which the price of its beginning is measured.
const SHORT_BYTES: u32 = 1024;

impl Prices {
    fn new(config: &MachineConfig) -> Self {
        let value = |key| f64::from(config.value(key));
        let rates = channel_rates(config);
        let [get, put] = [rates.get, rates.put].map(|rate| value(Key::CpuClock) / rate);
        let rows = Rows {
            direction: Direction::Get,
            row_bytes: SHORT_BYTES,
            pitch_bytes: SHORT_BYTES,
            total_bytes: SHORT_BYTES,
        };
        let short = dma_rate(config, &rows).unwrap_or(rates.get);
        let bytes = f64::from(SHORT_BYTES);
        Self {
            call: value(Key::HostCall) + 6.0 * value(Key::HostBundle) + value(Key::HostStatus),
            page: value(Key::HostPage),
            reading: value(Key::HostBundle) + 1.5 * value(Key::HostRegister),
            get,
            put,
            descriptor: bytes * (value(Key::CpuClock) / short - get),
        }
    }

    /// Returns the cycles of the channel without kernels beside it.
    fn alone(&self, moved: TransferCost) -> f64 {
        let bytes = moved.get as f64 * self.get + moved.put as f64 * self.put;
        bytes + moved.descriptors as f64 * self.descriptor
    }

    /// Returns the cycles of the channel beside kernels, which delay beats by their accesses to its bank. Memory gives a beat
    /// in a number of cycles, and local memory takes it in another; the slower of the two decides, with a little more where
    /// they are near each other, since neither is even.
    fn cycles_beside_kernels(
        &self,
        moved: TransferCost,
        Outlined { kernels, meeting, .. }: &Outlined,
    ) -> f64 {
        let alone = self.alone(moved);
        let beats = ((moved.get + moved.put) / BEAT_BYTES as usize) as f64;
        let given = alone / beats.max(1.0);
        let taken = |meeting: f64| {
            let cycles = 1.0 / (1.0 - meeting).max(0.1);
            (given.powi(EVENNESS) + cycles.powi(EVENNESS)).powf(1.0 / f64::from(EVENNESS))
        };
        let waits = beats * (taken(*meeting) - taken(0.0));
        let with_all = alone + waits;
        // After the end of the kernels the rest moves without delay.
        if with_all <= *kernels { with_all } else { kernels + alone * (1.0 - kernels / with_all) }
    }

    /// Returns the cycles of all pages, by the steps of the page scheme.
    fn of_pages(&self, pages: &[Outlined]) -> f64 {
        let (mut total, mut unload) = (0.0, TransferCost::default());
        for (k, page) in pages.iter().enumerate() {
            let Outlined { mut prepare, load, calls, kernels, weight, .. } = *page;
            let mut cycles = 0.0;
            if k == 0 {
                prepare += load;
            }
            if prepare.descriptors > 0 {
                prepare += std::mem::take(&mut unload);
                cycles += self.alone(prepare).max(self.page) + self.reading;
            }
            let mut moved = std::mem::replace(&mut unload, page.unload);
            if let Some(next) = pages.get(k + 1) {
                moved += next.load;
            }
            // The host does its own work for a page beside the first kernel.
            let host = calls as f64 * self.call + kernels.max(self.page);
            cycles += host.max(self.call + self.cycles_beside_kernels(moved, page)) + self.reading;
            total += weight * cycles;
        }
        total + self.alone(unload)
    }
}

/// Cycles of turning or spreading an element of the vector, about.
const ELEMENT_CYCLES: f64 = 0.75;

/// Bytes of one word of each section.
const QUAD_BYTES: usize = 8 * SECTIONS;
/// Bytes of an element of a vector.
const ELEMENT_BYTES: usize = 4;

/// Most blocks of columns that are examined to choose a form; if there are more, the examined ones lie evenly among them.
const SAMPLED: usize = 8;
/// Fewest blocks that are examined: the first one, whose results are written where there is nothing yet, and one that adds to
/// them.
const FEWEST_SAMPLED: usize = 2;
/// Most rows of the examined blocks for a form. So choosing takes some seconds at most, however many rows are empty.
const MOST_SAMPLED_ROWS: usize = 1 << 24;
/// Most rows of all blocks together with which the chosen form is predicted from all of its blocks.
const MOST_ROWS: usize = 1 << 28;

/// Most rows of all blocks of columns together: converting them takes some minutes.
const MOST_CONVERTED_ROWS: usize = 1 << 32;

/// Refuses a matrix by its size, before any work is done for it.
fn check_sizes(
    config: &MachineConfig,
    matrix: &Csr,
    takes: impl Fn(&str) -> bool,
) -> Result<(), KernelError> {
    let forms = forms().filter(|form| takes(form.name()));
    let Some(widest) = forms.map(|form| form.widest(config.core())).max() else { return Ok(()) };
    let rows = matrix.columns().div_ceil(widest.max(1)).saturating_mul(matrix.rows());
    if rows <= MOST_CONVERTED_ROWS {
        return Ok(());
    }
    let limit = format!("at most {MOST_CONVERTED_ROWS}; split the matrix by columns or by rows");
    Err(KernelError::Parameter {
        what: "rows of the matrix, once for each block of columns that local memory holds:",
        value: rows,
        limit,
    })
}

/// Returns the bytes of system memory that a machine has for a matrix beside a vector, the results, and room to put these
/// back into their order; an error if it has none.
fn room(config: &MachineConfig, matrix: &Csr) -> Result<Bytes, KernelError> {
    let (size, needed) = (config.memory_size(), other_bytes(matrix));
    let left = size.0.checked_sub(needed.0).map(Bytes);
    left.ok_or(KernelError::Memory { needed, size })
}

/// Returns the bytes of a vector, the results, and room to put these back into their order.
fn other_bytes(matrix: &Csr) -> Bytes {
    Bytes::from(ELEMENT_BYTES * (matrix.columns() + 2 * matrix.rows()))
}

/// A block of columns of a matrix: their numbers and their entries.
type ColumnEntries = (Range<usize>, Csr);

/// Returns forecasts of the pages of a form, from sampled blocks that stand for all of them.
fn outlined(
    core: &Core,
    matrix: &Csr,
    (form, width): (MatrixFormat, usize),
    order: &[usize],
    blocks: impl ExactSizeIterator<Item = impl Borrow<ColumnEntries>>,
) -> Result<Vec<Outlined>, KernelError> {
    let layout = LocalLayout::new(core, form, width.min(matrix.columns()));
    let all = matrix.columns().div_ceil(width);
    // The first block stands for itself, each of the others for an equal part of the rest.
    let of_others = (all - 1) as f64 / blocks.len().saturating_sub(1).max(1) as f64;
    let (mut pages, mut written) = (Vec::new(), Vec::new());
    for block in blocks {
        let (columns, part) = block.borrow();
        let is_first = columns.start == 0;
        let partition = Partition::outline(core, form, part, order, is_first)?;
        written.resize(partition.slices(), None);
        let weight = if is_first { 1.0 } else { of_others };
        let vector = TransferCost::get(columns.len().next_multiple_of(COLUMNS) * ELEMENT_BYTES);
        let meeting = layout.meeting(core, partition.accesses(core));
        let (mut prepare, mut turn) = (vector, 0.0);
        match form.preparation(core) {
            Preparation::None => {}
            Preparation::Turn => turn = ELEMENT_CYCLES * columns.len() as f64,
            Preparation::Spread => {
                let kernels = ELEMENT_CYCLES * columns.len() as f64;
                let prepare = std::mem::take(&mut prepare);
                pages.push(Outlined { prepare, kernels, calls: 1, weight, ..Outlined::default() });
            }
        }
        for page in partition.pages(core, layout.reserved_words())? {
            let units: usize = page.iter().map(|part| part.units).sum();
            let parts = [8 * partition.common_words(&page), partition.bytes_of(units)];
            let stored = if is_first { parts.iter().sum() } else { 0 };
            let mut load = TransferCost::default();
            parts.into_iter().for_each(|bytes| load += TransferCost::get(bytes));
            let (mut prepare, mut unload) = (std::mem::take(&mut prepare), TransferCost::default());
            for (parts, sums) in runs(&page, pages.len(), &mut written) {
                let bytes = parts.len() * partition.result_words() * QUAD_BYTES;
                match sums {
                    Sums::None => {}
                    Sums::Loaded => load += TransferCost::get(bytes),
                    Sums::Prepared => prepare += TransferCost::get(bytes),
                }
                unload += TransferCost::put(bytes);
            }
            let turn = std::mem::take(&mut turn);
            let (calls, kernels) =
                (1 + usize::from(turn > 0.0), turn + partition.cycles(core, &page) as f64);
            let page = Outlined { prepare, load, unload, calls, kernels, meeting, weight, stored };
            pages.push(page);
        }
    }
    if form.is_permuted() {
        let windows = order.chunks(WINDOW).enumerate();
        pages.extend(windows.map(|(k, window)| back(core, window.len(), k == 0)));
    }
    Ok(pages)
}

/// Returns the forecast of the page that puts `rows` rows back. Its list is loaded while CP2 stands still, except for the
/// first such page.
fn back(core: &Core, rows: usize, is_first: bool) -> Outlined {
    let bytes = rows * ELEMENT_BYTES;
    let (mut prepare, list) = (TransferCost::get(bytes), TransferCost::get(bytes / 2));
    let load = if is_first { list } else { TransferCost::default() };
    if !is_first {
        prepare += list;
    }
    let kernels = MatrixFormat::back_cycles(core, rows) as f64;
    let unload = TransferCost::put(bytes);
    Outlined { prepare, load, unload, calls: 1, kernels, weight: 1.0, ..Outlined::default() }
}

/// Predicts the cycles of a product in a form, from sampled blocks that stand for all of them, and the bytes that the first
/// block takes.
fn predict(
    config: &MachineConfig,
    matrix: &Csr,
    of: (MatrixFormat, usize),
    order: &[usize],
    blocks: impl ExactSizeIterator<Item = impl Borrow<ColumnEntries>>,
) -> Result<(u64, Bytes), KernelError> {
    let pages = outlined(config.core(), matrix, of, order, blocks)?;
    let stored = pages.iter().map(|page| Bytes::from(page.stored)).sum();
    Ok((Prices::new(config).of_pages(&pages) as u64, stored))
}

/// Returns all forms among which one is chosen.
pub(super) fn forms() -> impl Iterator<Item = MatrixFormat> {
    let orders = [RowOrder::Given, RowOrder::Sorted];
    let sliced = orders
        .into_iter()
        .flat_map(|order| HEIGHTS.map(|height| MatrixFormat::Sliced { height, order }));
    let whole = SHAPES.into_iter().filter(|shape| shape.groups.is_multiple_of(2));
    sliced.chain(whole.map(MatrixFormat::Blocks))
}

impl ProductPlan {
    /// Returns the forms of these names by the widths of blocks that come into question.
    fn candidates(
        config: &MachineConfig,
        matrix: &Csr,
        takes: impl Fn(&str) -> bool,
    ) -> BTreeMap<usize, Vec<MatrixFormat>> {
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

    /// Returns the plans for products by a matrix on a machine, by predicted cycles, fewest first: one for each form
    /// whose [name](MatrixFormat::name) `takes` accepts and for each of its two widths of blocks. Plans whose matrix
    /// the memory of the machine does not hold are left out. If there are many blocks of columns, the prediction
    /// examines only some of them. The list is empty if `takes` accepts no form.
    ///
    /// # Errors
    /// The matrix has too many rows for its number of columns, or the memory of the machine does not hold it in any
    /// accepted form.
    pub fn all(
        config: &MachineConfig,
        matrix: &Csr,
        takes: impl Fn(&str) -> bool,
    ) -> Result<Vec<Self>, KernelError> {
        let orders =
            [RowOrder::Given, RowOrder::Sorted].map(|order| (order, order_of(matrix, order)));
        let order = |form: MatrixFormat| orders.iter().find(|(of, _)| *of == form.row_order());
        check_sizes(config, matrix, &takes)?;
        let room = room(config, matrix)?;
        let (mut plans, mut least) = (Vec::new(), None::<Bytes>);
        for (width, forms) in Self::candidates(config, matrix, takes) {
            let sampled = MOST_SAMPLED_ROWS / matrix.rows();
            let sampled = sampled.clamp(FEWEST_SAMPLED, SAMPLED);
            let step = matrix.columns().div_ceil(width).div_ceil(sampled);
            let blocks: Vec<_> = matrix.blocks_of_columns(width, step).collect();
            let of = |form: MatrixFormat| {
                let order = order(form).map_or(&[][..], |(_, order)| order);
                let (cycles, stored) =
                    predict(config, matrix, (form, width), order, blocks.iter())?;
                Ok((Self { form, width, cycles }, stored))
            };
            let found = forms.into_par_iter().map(of).collect::<Result<Vec<_>, KernelError>>()?;
            least = found.iter().map(|&(_, stored)| stored).chain(least).min();
            plans.extend(found.into_iter().filter(|(_, stored)| *stored <= room).map(|(p, _)| p));
        }
        if let (true, Some(least)) = (plans.is_empty(), least) {
            let beside = other_bytes(matrix);
            return Err(KernelError::Memory { needed: beside + least, size: beside + room });
        }
        plans.sort_by_key(|plan| plan.cycles);
        Ok(plans)
    }

    /// Returns the plan with the fewest predicted cycles of those that [`Self::all`] returns.
    ///
    /// # Errors
    /// The errors are those of [`Self::all`]; or `takes` accepts no form.
    pub fn best(
        config: &MachineConfig,
        matrix: &Csr,
        takes: impl Fn(&str) -> bool,
    ) -> Result<Self, KernelError> {
        let plans = Self::all(config, matrix, takes)?;
        let best = plans.first().copied().ok_or(SparseError::NoForm)?;
        let blocks = matrix.columns().div_ceil(best.width);
        if blocks <= SAMPLED || blocks.saturating_mul(matrix.rows()) > MOST_ROWS {
            return Ok(best);
        }
        // The prediction for the form that is taken comes from all of its blocks.
        let all = matrix.blocks_of_columns(best.width, 1);
        let (form, order) = (best.form, best.form.order(matrix));
        let (cycles, _) = predict(config, matrix, (form, best.width), &order, all)?;
        Ok(Self { cycles, ..best })
    }
}
