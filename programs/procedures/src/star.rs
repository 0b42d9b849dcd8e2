//! Transitive closure on a whole machine: the matrix comes from system memory, is closed in local memory, and goes back. Shortest paths
//! are in `paths`.

pub mod paths;

use crate::host::pages::{Chain, Command, Group, Page};
use crate::host::walks::{get_dealt, put_dealt};
use crate::host::{Call, Host};
use cp2_emu::MachineConfig;
use cp2_isa::{BundleAddress, Bytes, MemoryAddress, SECTIONS, WordAddress};
use cp2_kernels::star::{ClosureForm, PagedClosure, SliceLayout};
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::workload::Listener;

/// Closure of a matrix, and its cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Columns of the closure, as words of 64 rows.
    pub columns: Vec<Vec<u64>>,
    /// Cost of the run: its cycles, transfers, operations and activities.
    pub cost: Cost,
}

impl AsRef<Cost> for Report {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}

/// Returns the words of columns in the order in which the channel deals them: two of each section in turn.
fn dealt(layout: SliceLayout, columns: &[Vec<u64>]) -> Vec<u64> {
    let w = layout.words();
    let word = |column: &[u64], section: usize, word: usize| {
        column.get(section * w + word).copied().unwrap_or(0)
    };
    let pairs = columns.iter().flat_map(|column| (0..w).step_by(2).map(move |at| (column, at)));
    let beats = pairs.flat_map(|(column, at)| (0..SECTIONS).map(move |s| (column, s, at)));
    beats.flat_map(|(column, s, at)| [word(column, s, at), word(column, s, at + 1)]).collect()
}

/// Returns the columns of words that the channel stored.
fn collected(layout: SliceLayout, words: &[u64]) -> Vec<Vec<u64>> {
    let w = layout.words();
    let column = |words: &[u64]| {
        let word = |g: usize| words[(g % w / 2 * SECTIONS + g / w) * 2 + g % 2];
        (0..layout.rows().div_ceil(64)).map(word).collect()
    };
    words.chunks_exact(w * SECTIONS).map(column).collect()
}

/// Closes a matrix, given as its columns, on a simulated machine (CP2, its DMA channel and system memory) with the configuration
/// `config`. `listener` is told the number of predicted cycles done so far and of all.
///
/// # Errors
/// Local memory does not hold the matrix with all that the form takes, or a kernel or a transfer does not end.
pub fn close(
    config: MachineConfig,
    form: ClosureForm,
    columns: &[Vec<u64>],
    execution: &Execution,
    listener: &mut dyn Listener,
) -> Result<Report, KernelError> {
    let layout = SliceLayout::new(columns.len());
    form.check(layout, config.core())?;
    let mut host = Host::new(config, &form.execution(layout, execution));
    let entries = host
        .install_all("closure", || Ok(form.source(layout)))
        .map_err(|error| form.explained(layout, error))?;
    let entry = entries.first().copied().unwrap_or_default();
    let words = dealt(layout, columns);
    let bytes = Bytes(8) * words.len();
    let [from, to] = [host.allocate(bytes)?, host.allocate(bytes)?];
    host.write_words(from, &words)?;
    let of_section = words.len() / SECTIONS;
    let page = Page {
        prepare: Vec::new(),
        load: vec![get_dealt(from, of_section, WordAddress(0))?],
        commands: vec![Command::Run(Call::new(entry, Vec::new()))],
        unload: vec![put_dealt(WordAddress(0), of_section, to)?],
    };
    let chain = Chain::of(&mut host, vec![page])?;
    chain.run(&mut host, &mut |done| listener.progress(done, chain.predicted_cycles))?;
    let words = host.read_words(to, words.len())?;
    let n = columns.len();
    let least_cycles = form.bound(layout) * (n * n) as f64;
    let cost = host.cost(operations(n), (1, 1), least_cycles);
    Ok(Report { columns: collected(layout, &words), cost })
}

/// Returns the bitwise operations of a closure: two for a pivot, a column and a row.
fn operations(n: usize) -> u64 {
    2 * (n as u64).pow(3)
}

/// Closes a matrix as [`close`] does, with pages of its columns in local memory: all of them for each block of pivots, the next page
/// coming and the last one going while CP2 works on one.
///
/// # Errors
/// Local memory does not hold two pages with all that a block takes, system memory does not hold the matrix, or a kernel or a transfer
/// does not end.
pub fn close_paged(
    config: MachineConfig,
    columns: &[Vec<u64>],
    execution: &Execution,
    listener: &mut dyn Listener,
) -> Result<Report, KernelError> {
    let plan = PagedClosure::new(SliceLayout::new(columns.len()), config.core())?;
    let mut host = Host::new(config, execution);
    let entries = host.install_all("closure by pages", || Ok(plan.source()))?;
    let all = plan.pages() * plan.page_columns();
    let mut padded = columns.to_vec();
    padded.resize(all, Vec::new());
    let words = dealt(plan.layout(), &padded);
    let matrix = host.allocate(Bytes(8) * words.len())?;
    host.write_words(matrix, &words)?;
    let pages = PagesOfClosure { plan: &plan, entries: &entries, matrix }.all()?;
    let (blocks, n_pages) = (plan.blocks(), pages.len());
    let of_page = (plan.page_columns() * plan.column_bound()) as f64;
    let least_cycles = pages.iter().map(|page| match page.commands.len() {
        1 => of_page,
        _ => of_page + plan.block_bound() as f64,
    });
    let group = Group { least_cycles: least_cycles.collect(), pages, ..Group::default() };
    let least: f64 = group.least_cycles.iter().sum();
    let chain = Chain::new(&mut host, &[group])?;
    chain.run(&mut host, &mut |done| listener.progress(done, chain.predicted_cycles))?;
    let words = host.read_words(matrix, words.len())?;
    let cost = host.cost(operations(columns.len()), (blocks, n_pages), least);
    let mut columns_of = collected(plan.layout(), &words);
    columns_of.truncate(columns.len());
    Ok(Report { columns: columns_of, cost })
}

/// Maker of the pages of a closure.
struct PagesOfClosure<'p> {
    plan: &'p PagedClosure,
    entries: &'p [BundleAddress],
    /// Address of the matrix in system memory.
    matrix: MemoryAddress,
}

impl PagesOfClosure<'_> {
    /// Returns the pages in their order. Each block begins with the page that holds the pivots of the next one, so that this page is back
    /// in system memory when they are loaded; the first page of a block is never the last one of the block before.
    fn all(&self) -> Result<Vec<Page>, KernelError> {
        let (plan, mut pages) = (self.plan, Vec::new());
        for block in 0..plan.blocks() {
            let first = plan.pivots(block + 1).start / plan.page_columns();
            for at in 0..plan.pages() {
                let number = (first + at) % plan.pages();
                pages.push(self.page((block, at == 0), number, pages.len())?);
            }
        }
        Ok(pages)
    }

    /// Returns the page of a block with this number in the matrix; `at` counts all pages.
    fn page(
        &self,
        (block, is_first): (usize, bool),
        number: usize,
        at: usize,
    ) -> Result<Page, KernelError> {
        let (plan, w) = (self.plan, self.plan.layout().words());
        let (side, word) = plan.side(block);
        let address = plan.page_address(at);
        let entry = |number: usize| self.entries.get(number).copied().unwrap_or_default();
        let gather = entry(2 + side).0;
        let (mut load, mut commands) = (Vec::new(), Vec::new());
        if is_first {
            let pivots = plan.pivots(block);
            let at = WordAddress(plan.pivots_address() as u16);
            load.push(get_dealt(self.column(pivots.start), pivots.len() * w, at)?);
            let first = (plan.pivots_address() + word) as u16;
            commands.push(Command::Run(Call::new(entry(0), vec![first, 0, 0, gather])));
        }
        let (columns, local) = (plan.page_columns() * w, WordAddress(address as u16));
        let place = self.column(number * plan.page_columns());
        load.push(get_dealt(place, columns, local)?);
        let arguments = vec![address as u16, (address + word) as u16, 0, gather];
        commands.push(Command::Run(Call::new(entry(1), arguments)));
        let unload = vec![put_dealt(local, columns, place)?];
        Ok(Page { prepare: Vec::new(), load, commands, unload })
    }

    /// Returns the address of a column in system memory.
    fn column(&self, number: usize) -> MemoryAddress {
        self.matrix + Bytes(8) * (number * self.plan.layout().words() * SECTIONS)
    }
}
