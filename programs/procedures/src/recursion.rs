//! Recursive searches on a whole machine: contexts come from system memory into local memory, lanes solve them, and what they found goes
//! back.

use crate::host::pages::{Chain, Command, Page};
use crate::host::walks::{get_dealt, put_dealt};
use crate::host::{Call, Host};
use cp2_emu::MachineConfig;
use cp2_emu::state::Quad;
use cp2_isa::{Bytes, SECTIONS, WordAddress};
use cp2_kernels::recursion::{HostSearch, LaneSearch, SearchOutcome};
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

/// Cycles of the transfers of searches on a machine, from trials of a kernel that does nothing.
pub struct Moves {
    /// Cycles of a call that moves next to nothing.
    call: f64,
    /// Cycles for a word of every section loaded, and stored.
    word: [f64; 2],
}

/// Words of the trials.
const FEW: usize = 2;
const MANY: usize = 1026;

impl Moves {
    /// Makes the trials on machines with the configuration `config`.
    ///
    /// # Errors
    /// A trial fails.
    pub fn new(config: MachineConfig, execution: &Execution) -> Result<Self, KernelError> {
        let host = Host::new(config, execution);
        let trial = |words: [usize; 2]| -> Result<f64, KernelError> {
            let mut host = host.trial();
            let nothing = || Ok("        .kernel search\n        stopi   0\n".to_owned());
            let entry = host.install("nothing to search", nothing)?;
            let [from, to] = [
                host.allocate(Bytes(8) * (SECTIONS * words[0]))?,
                host.allocate(Bytes(8) * (SECTIONS * words[1]))?,
            ];
            let page = Page {
                prepare: Vec::new(),
                load: vec![get_dealt(from, words[0], WordAddress(0))?],
                commands: vec![Command::Run(Call::new(entry, Vec::new()))],
                unload: vec![put_dealt(WordAddress(0), words[1], to)?],
            };
            Chain::of(&mut host, vec![page])?.run(&mut host, &mut |_| ())?;
            Ok(host.cost(0, (1, 1), 0.0).cycles() as f64)
        };
        let few = trial([FEW, FEW])?;
        let rate = |many: f64| (many - few) / (MANY - FEW) as f64;
        let word = [rate(trial([MANY, FEW])?), rate(trial([FEW, MANY])?)];
        Ok(Self { call: few - FEW as f64 * (word[0] + word[1]), word })
    }

    /// Returns the cycles of transfers of so many words of every section loaded and stored.
    pub fn cycles(&self, [loaded, stored]: [usize; 2]) -> f64 {
        self.call + self.word[0] * loaded as f64 + self.word[1] * stored as f64
    }
}

/// Solves a task on a simulated machine (CP2, its DMA channel and system memory) with the configuration `config`, and on the host beside it.
/// The calls above the depth of the plan are made outside of the machine. The rate counts nodes. `listener` is told the contexts that lanes
/// have begun with, and all.
///
/// # Errors
/// A stack overflows, or a kernel or a transfer does not end.
pub fn solve<T: Task + Sync>(
    config: MachineConfig,
    search: &LaneSearch<'_, T>,
    execution: &Execution,
    listener: &mut dyn Listener,
) -> Result<(SearchOutcome, HostSearch, Cost), KernelError> {
    let mut host = Host::new(config, execution);
    let (words, right) = search.beside_host(|| on_machine(&mut host, search, listener))?;
    let outcome = search.outcome(&words)?;
    let cost = host.cost(right.nodes, (1, 1), 0.0);
    Ok((outcome, right, cost))
}

/// Solves a task on a machine, call by call of the kernel; returns the words of local memory that have the results.
fn on_machine<T: Task>(
    host: &mut Host,
    search: &LaneSearch<'_, T>,
    listener: &mut dyn Listener,
) -> Result<Vec<Quad>, KernelError> {
    let entry = host.install("search", || Ok(search.source().to_owned()))?;
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
    let mut load = vec![get_dealt(from, memory.len(), WordAddress(0))?];
    let (mut calls, mut words) = (0, Vec::new());
    while calls == 0 || !search.has_ended(calls, &words) {
        let page = Page {
            prepare: Vec::new(),
            load: std::mem::take(&mut load),
            commands: vec![Command::Run(Call::new(entry, search.call_arguments(calls)))],
            unload: vec![put_dealt(WordAddress(0), results, to)?],
        };
        let mark = host.allocated();
        Chain::of(host, vec![page])?.run(host, &mut |_| ())?;
        host.free_from(mark);
        words = collected(&host.read_words(to, SECTIONS * results)?);
        search.check_guards(&words)?;
        calls += 1;
        let all = search.contexts();
        host.tell(search.begun(calls, &words), &mut |begun| listener.progress(begun, all));
    }
    Ok(words)
}
