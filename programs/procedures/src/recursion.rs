//! Recursive searches on a whole machine: contexts come from system memory into local memory, lanes solve them, and what they found goes
//! back.

use crate::host::pages::{Chain, Command, Page};
use crate::host::walks::{get_dealt, put_dealt};
use crate::host::{Call, Host};
use cp2_emu::MachineConfig;
use cp2_emu::state::Quad;
use cp2_isa::{Bytes, SECTIONS, WordAddress};
use cp2_kernels::recursion::{LaneSearch, SearchOutcome};
use cp2_recursion::Task;
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::workload::Listener;

/// Returns words of all sections in the order in which the channel deals them: two of each section in turn.
fn dealt(words: &[Quad]) -> Vec<u64> {
    let pairs = words.chunks_exact(2);
    pairs.flat_map(|pair| (0..SECTIONS).flat_map(|s| [pair[0][s], pair[1][s]])).collect()
}

/// Returns the words of all sections that the channel stored.
fn collected(words: &[u64]) -> Vec<Quad> {
    let pairs = words.chunks_exact(2 * SECTIONS);
    let word = |pair: &[u64], at: usize| std::array::from_fn(|section| pair[2 * section + at]);
    pairs.flat_map(|pair| [word(pair, 0), word(pair, 1)]).collect()
}

/// Solves a task on a simulated machine (CP2, its DMA channel and system memory) with the configuration `config`. The calls above the
/// depth of the plan are made outside of it. `operations` are those that the rate counts. `listener` is told the number of predicted
/// cycles done so far and of all.
///
/// # Errors
/// A stack overflows, or a kernel or a transfer does not end.
pub fn solve<T: Task>(
    config: MachineConfig,
    (search, nodes): (&LaneSearch<'_, T>, u64),
    execution: &Execution,
    listener: &mut dyn Listener,
) -> Result<(SearchOutcome, Cost), KernelError> {
    let mut host = Host::new(config, execution);
    let entries = host.install_all("search", || Ok(search.source().to_owned()))?;
    let entry = entries.first().copied().unwrap_or_default();
    let mut memory = search.memory();
    if !memory.len().is_multiple_of(2) {
        memory.push([0; SECTIONS]);
    }
    let results = search.result_words().next_multiple_of(2);
    let [from, to] = [
        host.allocate(Bytes(8) * (SECTIONS * memory.len()))?,
        host.allocate(Bytes(8) * (SECTIONS * results))?,
    ];
    host.write_words(from, &dealt(&memory))?;
    let page = Page {
        prepare: Vec::new(),
        load: vec![get_dealt(from, memory.len(), WordAddress(0))?],
        commands: vec![Command::Run(Call::new(entry, Vec::new()))],
        unload: vec![put_dealt(WordAddress(0), results, to)?],
    };
    let chain = Chain::of(&mut host, vec![page])?;
    chain.run(&mut host, &mut |done| listener.progress(done, chain.predicted_cycles))?;
    let words = host.read_words(to, SECTIONS * results)?;
    let outcome = search.outcome(&collected(&words))?;
    let cost = host.cost(nodes, (1, 1), 0.0);
    Ok((outcome, cost))
}
