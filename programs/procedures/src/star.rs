//! Transitive closure on a whole machine: the matrix comes from system memory, is closed in local memory, and goes back.

use crate::host::pages::{Chain, Command, Page};
use crate::host::walks::{get_dealt, put_dealt};
use crate::host::{Call, Host};
use cp2_emu::MachineConfig;
use cp2_isa::{Bytes, SECTIONS, WordAddress};
use cp2_kernels::star::{ClosureForm, SliceLayout};
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
    let mut host = Host::new(config, execution);
    let entries = host.install_all("closure", || Ok(form.source(layout)))?;
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
    // Two bitwise operations for a pivot, a column and a row.
    let operations = 2 * (n * n * n) as u64;
    let least_cycles = form.bound(layout) * (n * n) as f64;
    let cost = host.cost(operations, (1, 1), least_cycles);
    Ok(Report { columns: collected(layout, &words), cost })
}
