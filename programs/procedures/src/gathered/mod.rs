//! Products of a sparse matrix and a vector as dot products: the channel gathers the elements of the vector that the
//! rows multiply (extension `dma-words`), so the vector stays in system memory and may have any length.

pub mod kernel;

pub use kernel::source;

use super::sparse::Statistics;
use crate::host::pages::{Chain, Command, Page};
use crate::host::walks::run_of;
use crate::host::{Call, Host, pages};
use cp2_emu::MachineConfig;
use cp2_emu::dma::{
    Descriptor, DescriptorAction, Gather, LocalStride, LocalWalk, MemoryWalk, NextDescriptor,
    Pattern, Stride,
};
use cp2_emu::machine::Key;
use cp2_isa::{BundleAddress, Bytes, Core, MemoryAddress, SECTIONS, WordAddress};
use cp2_session::cost::Cost;
use cp2_session::error::{KernelError, RequestError};
use cp2_session::execution::Execution;
use cp2_session::sparse::Csr;
use cp2_session::workload::Listener;
use std::time::Instant;

/// Rows of a slice in each section: two sums share a word, and there are as many words of sums as the latency of an addition.
const SECTION_ROWS: usize = 16;
/// Rows of a slice, of all sections.
const SLICE: usize = SECTION_ROWS * SECTIONS;
/// Words of local memory for one element of each row of a section.
const STEP: usize = SECTION_ROWS / 2;
/// Most elements of a row of the matrix that [`multiply`] takes: the values, elements of the vector and sums of a slice
/// (a number of rows that are computed together) share half of local memory.
pub const MOST: usize = (pages::BANK_WORDS - STEP) / (2 * STEP);
/// Fewest elements of a row: the passes that the loop of the kernel makes at least.
const LEAST: usize = 2;
/// Entries of a list in a burst.
const BURST: usize = 32;
/// Bytes of a number in system memory.
const NUMBER: Bytes = Bytes(4);

/// Result and cost of a product of a sparse matrix and a vector by [`multiply`], on CP2 with its DMA channel and system
/// memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The product, one number for each row of the matrix.
    pub y: Vec<f32>,
    /// Sizes of the matrix as it is stored, in slices of rows that are filled up to one length.
    pub statistics: Statistics,
    /// Cost of the run: its cycles, transfers, operations and activities. The kernel is sent to instruction memory in
    /// it; the matrix and the vector are in system memory before.
    pub cost: Cost,
}

impl AsRef<Cost> for Report {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}

/// A slice in system memory: rows that are filled up to the length of the longest.
struct Slice {
    /// Elements of a row.
    length: usize,
    /// Address of the values, by section, then element, then row.
    values: MemoryAddress,
    /// Address of the list, by section, then row, then element.
    list: MemoryAddress,
}

impl Slice {
    /// Writes the rows of a slice to memory; the vector is at `x`.
    fn new(
        host: &mut Host,
        rows: &[&[(usize, f32)]],
        x: MemoryAddress,
    ) -> Result<Self, KernelError> {
        let longest = rows.iter().map(|row| row.len()).max().unwrap_or(0);
        let length = longest.max(LEAST);
        let limit =
            format!("at most {MOST}, which is what fits into a bank for a slice of {SLICE} rows");
        if length > MOST {
            let what = "entries of the longest row";
            return Err(KernelError::Parameter { what, value: length, limit });
        }
        let mut values = vec![0.0; SLICE * length];
        let mut list = vec![entry_of(x); SLICE * length];
        for (r, row) in rows.iter().enumerate() {
            let (section, place) = (r / SECTION_ROWS, r % SECTION_ROWS);
            for k in 0..length {
                // Padding names the last element of the row again, which needs no transaction of its own.
                let Some(&(column, value)) = row.get(k).or(row.last()) else { continue };
                list[r * length + k] = entry_of(x) + column as u32;
                if k < row.len() {
                    values[(section * length + k) * SECTION_ROWS + place] = value;
                }
            }
        }
        let at = host.allocate(NUMBER * values.len())?;
        host.write_floats(at, &values)?;
        let words: Vec<u64> = list
            .chunks_exact(2)
            .map(|pair| u64::from(pair[0]) << 32 | u64::from(pair[1]))
            .collect();
        let list = host.allocate(NUMBER * list.len())?;
        host.write_words(list, &words)?;
        Ok(Self { length, values: at, list })
    }

    /// Returns the transfers that load the values and the elements of the vector that go with them.
    fn load(&self, bank: usize) -> Result<Vec<Descriptor>, KernelError> {
        let (words, beats) = (STEP * self.length, (STEP / 2 * self.length) as u16);
        let local = LocalWalk::linear(WordAddress::from_index(bank), beats);
        let memory = run_of(self.values, words * SECTIONS)?;
        let values = Descriptor::get(memory, local, Pattern::dealt(beats));
        let (first, rows) = (2 * (bank + words), SECTION_ROWS);
        let stride = |step: usize, count: usize| LocalStride {
            step: step as u16,
            count: count as u16,
            reversed: false,
        };
        let local = LocalWalk {
            base: WordAddress::from_index(first),
            index: None,
            x: stride(SECTION_ROWS, self.length),
            y: stride(1, rows),
        };
        let share = Pattern::dealt_words((rows * self.length) as u16);
        Ok(vec![values, gather(self.list, SLICE * self.length, local, share)])
    }
}

/// Returns the entry of a list that names the number at an address: the channel multiplies it by the bytes of a number.
fn entry_of(address: MemoryAddress) -> u32 {
    (address.0 / NUMBER.0) as u32
}

/// Returns the transfer that gathers the words that a list names; `words` is the length of the list.
fn gather(
    list: MemoryAddress,
    words: usize,
    local: LocalWalk,
    sections: [Pattern; SECTIONS],
) -> Descriptor {
    let x = Stride { step: (NUMBER * BURST).0 as i32, count: (words / BURST) as u32 };
    let list = MemoryWalk { base: list, burst: BURST as u8, x, ..MemoryWalk::default() };
    let next = NextDescriptor::By(1);
    Descriptor::new(DescriptorAction::Gather(Gather { list, base: None, local, sections, next }))
}

/// Returns the page of a slice, which stores its sums at `sums`.
fn page(
    core: &Core,
    slice: &Slice,
    (number, entry): (usize, BundleAddress),
    sums: MemoryAddress,
) -> Result<Page, KernelError> {
    let bank = pages::bank(core, number);
    let words = STEP * slice.length;
    let (x, y) = (bank + words, bank + 2 * words);
    let local = LocalWalk::linear(WordAddress::from_index(y), (STEP / 2) as u16);
    let unload = Descriptor::put(run_of(sums, STEP * SECTIONS)?, local, 0);
    let arguments = [bank, x, y, slice.length].map(|n| n as u16).to_vec();
    Ok(Page {
        prepare: Vec::new(),
        load: slice.load(bank)?,
        commands: vec![Command::Run(Call::new(entry, arguments))],
        unload: vec![unload],
    })
}

/// Returns the pages that put sums into the order of the rows: they gather the numbers that the list names and store them at
/// `y`.
fn back(list: MemoryAddress, rows: usize, y: MemoryAddress) -> Result<Vec<Page>, KernelError> {
    const MOST: usize = 2 * pages::BANK_WORDS;
    let page = |first: usize| {
        let rows = (rows - first).min(MOST);
        let x = LocalStride { step: 1, count: rows as u16, reversed: false };
        let local = LocalWalk { x, ..LocalWalk::default() };
        let list = list + NUMBER * first;
        let to = run_of(y + NUMBER * first, rows / 2)?;
        let places = LocalWalk::linear(WordAddress(0), (rows / 4) as u16);
        Ok(Page {
            prepare: vec![gather(list, rows, local, Pattern::only_words(0))],
            load: Vec::new(),
            commands: Vec::new(),
            unload: vec![Descriptor::put(to, places, 0)],
        })
    };
    (0..rows).step_by(MOST).map(page).collect()
}

/// Multiplies a sparse matrix by the vector `x`, whose elements the DMA channel gathers by the column numbers of the
/// entries, on a simulated machine (CP2, its DMA channel and system memory) with the configuration `config`. `listener`
/// is told the number of predicted cycles done so far and of all.
///
/// # Errors
/// The machine lacks the extension `dma-words`, its memory does not hold the matrix, `x` has not one finite element for
/// each column, a row has more than [`MOST`] elements, or a kernel or a transfer does not end.
pub fn multiply(
    config: MachineConfig,
    matrix: &Csr,
    x: &[f32],
    execution: &Execution,
    listener: &mut dyn Listener,
) -> Result<Report, KernelError> {
    if config.value(Key::DmaWords) == 0 {
        let lacking = RequestError::Extension {
            workload: "spmv_gathered".to_owned(),
            needed: "dma-words".to_owned(),
            on: config.name().to_owned(),
            advice: String::new(),
        };
        return Err(lacking.into());
    }
    pages::check(config.core())?;
    matrix.check_vector(x)?;
    let mut host = Host::new(config, execution);
    let entries = host.install_all("spmv gathered", || Ok(kernel::source()))?;
    let entry = entries.first().copied().unwrap_or_default();
    let core = *host.config().core();
    let since = Instant::now();
    let vector = host.allocate(NUMBER * x.len())?;
    host.write_floats(vector, x)?;
    let mut order: Vec<usize> = (0..matrix.rows()).collect();
    order.sort_by_key(|&row| matrix.row(row).len());
    let rows = order.len().next_multiple_of(SLICE);
    let [sums, y] = [host.allocate(NUMBER * rows)?, host.allocate(NUMBER * rows)?];
    let (mut all, mut elements) = (Vec::new(), 0);
    for (k, of_slice) in order.chunks(SLICE).enumerate() {
        let of_slice: Vec<_> = of_slice.iter().map(|&row| matrix.row(row)).collect();
        let slice = Slice::new(&mut host, &of_slice, vector)?;
        elements += SLICE * slice.length;
        all.push(page(&core, &slice, (k, entry), sums + NUMBER * (SLICE * k))?);
    }
    let list = places(&mut host, &order, rows, sums)?;
    let mut all = pages::in_banks(&core, all);
    all.extend(back(list, rows, y)?);
    listener.prepared("converting the matrix", since.elapsed());
    let n = all.len();
    let chain = Chain::of(&mut host, all)?;
    chain.run(&mut host, &mut |done| listener.progress(done, chain.predicted_cycles))?;
    let y = host.read_floats(y, matrix.rows())?;
    let statistics = Statistics {
        shape: [matrix.rows(), matrix.columns()],
        nonzeros: matrix.nonzeros(),
        zeros: matrix.zeros(),
        elements,
        bytes: (NUMBER * (2 * elements)).index(),
        blocks: 1,
    };
    // One psmadd does two elements of each section; the exchange slot loads two words for it.
    let least_cycles = elements as f64 / (2 * SECTIONS) as f64;
    let operations = 2 * matrix.nonzeros() as u64;
    Ok(Report { y, statistics, cost: host.cost(operations, (1, n), least_cycles) })
}

/// Writes the list of the places of the sums, in the order of the rows, and returns its address.
fn places(
    host: &mut Host,
    order: &[usize],
    rows: usize,
    sums: MemoryAddress,
) -> Result<MemoryAddress, KernelError> {
    let mut list = vec![entry_of(sums); rows];
    for (k, &row) in order.iter().enumerate() {
        list[row] += k as u32;
    }
    let words: Vec<u64> =
        list.chunks_exact(2).map(|pair| u64::from(pair[0]) << 32 | u64::from(pair[1])).collect();
    let at = host.allocate(NUMBER * rows)?;
    host.write_words(at, &words)?;
    Ok(at)
}
