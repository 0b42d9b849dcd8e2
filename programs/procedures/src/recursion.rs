//! Recursive searches on a whole machine: contexts come from system memory into local memory, lanes solve them, and what they found goes
//! back.

use crate::host::pages::{Chain, Command, Page};
use crate::host::walks::{get_dealt, put_dealt};
use crate::host::{Call, Host};
use cp2_emu::MachineConfig;
use cp2_emu::state::Quad;
use cp2_isa::{Bytes, SECTIONS, WordAddress};
use cp2_kernels::recursion::{HostSearch, LaneSearch, SearchOutcome, ShortCall, Transfers};
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

/// Transfers of searches on a machine, by trials.
pub struct Moves {
    /// Host of a machine after reset.
    host: Host,
    /// Cycles of a first call that moves next to nothing, and of any further call.
    calls: [f64; 2],
    /// Cycles for a word of every section loaded, and stored.
    word: [f64; 2],
}

/// Words of every section in a row of a transfer: longer rows are moved in fewer turns of the memory.
const ROW: usize = 32;
/// Most words of the trials.
const MANY: usize = 32 * ROW;

/// Returns the words that are moved for so many: whole rows, if local memory has them, or else whole beats.
fn in_rows(words: usize, available: usize) -> usize {
    let rows = words.next_multiple_of(ROW);
    if rows <= available { rows } else { words.next_multiple_of(2) }
}

/// Kernel that does nothing.
const NOTHING: &str = "        .kernel nothing\n        stopi   0\n";

impl Moves {
    /// Makes trials on machines with the configuration `config`.
    ///
    /// # Errors
    /// A trial fails.
    pub fn new(config: MachineConfig, execution: &Execution) -> Result<Self, KernelError> {
        // No trial is recorded or kept.
        let on = execution.unrecorded(*config.core());
        let host = Host::new(config, &on);
        let available = host.config().core().lmem_words();
        let many = in_rows(MANY.min(available / 2), available).max(2 * ROW);
        let of = |[loaded, stored]: [usize; 2], calls: usize| {
            let memory = vec![[0; SECTIONS]; loaded];
            let call =
                ShortCall { source: NOTHING, arguments: &[], memory: &memory, stored, cycles: 0 };
            trial(&host, &call, calls)
        };
        let [few, twice] = [of([ROW, ROW], 1)?, of([ROW, ROW], 2)?];
        let rate = |cycles: f64| (cycles - few) / (many - ROW) as f64;
        let word = [rate(of([many, ROW], 1)?), rate(of([ROW, many], 1)?)];
        let of_words = word.map(|word| ROW as f64 * word);
        let calls = [few - of_words[0] - of_words[1], twice - few - of_words[1]];
        Ok(Self { host, calls, word })
    }
}

/// Returns the cycles of so many calls of a kernel on a machine like that of a host, local memory loaded before the first one.
fn trial(host: &Host, call: &ShortCall<'_>, calls: usize) -> Result<f64, KernelError> {
    let ShortCall { source, arguments, memory, stored, cycles } = *call;
    let mut host = host.trial();
    let entry = host.install("search", || Ok(source.to_owned()))?;
    let [from, to] = [
        host.allocate(Bytes(8) * (SECTIONS * memory.len()))?,
        host.allocate(Bytes(8) * (SECTIONS * stored))?,
    ];
    host.write_words(from, &dealt(memory))?;
    let mut load = vec![get_dealt(from, memory.len(), WordAddress(0))?];
    for _ in 0..calls {
        let page = Page {
            prepare: Vec::new(),
            load: std::mem::take(&mut load),
            commands: vec![Command::Run(Call {
                least_cycles: cycles,
                ..Call::new(entry, arguments.to_vec())
            })],
            unload: vec![put_dealt(WordAddress(0), stored, to)?],
        };
        Chain::of(&mut host, vec![page])?.run(&mut host, &mut |_| ())?;
    }
    Ok(host.cost(0, (1, 1), 0.0).cycles() as f64)
}

impl Transfers for Moves {
    fn about(&self, words: [usize; 2]) -> f64 {
        let available = self.host.config().core().lmem_words();
        let [loaded, stored] = words.map(|words| in_rows(words, available) as f64);
        self.calls[0] + self.word[0] * loaded + self.word[1] * stored
    }

    fn again(&self, stored: usize) -> f64 {
        self.calls[1] + self.word[1] * stored as f64
    }

    fn cycles_beside(&self, call: &ShortCall<'_>) -> Result<Option<[f64; 2]>, KernelError> {
        let available = self.host.config().core().lmem_words();
        let mut memory = call.memory.to_vec();
        memory.resize(in_rows(memory.len(), available), [0; SECTIONS]);
        let stored = in_rows(call.stored, available);
        let first = ShortCall { memory: &memory, stored, ..*call };
        // A second call of the kernel would go on and not soon end, so one that does nothing stands for it.
        let nothing = ShortCall { source: NOTHING, arguments: &[], ..first };
        let [once, twice] = [trial(&self.host, &nothing, 1)?, trial(&self.host, &nothing, 2)?];
        let kernel = call.cycles as f64;
        Ok(Some([trial(&self.host, &first, 1)? - kernel, twice - once - kernel]))
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

/// Returns the error of a call of the kernel that somebody stopped with how far the search was behind the calls before, which left these words.
fn reached<T: Task>(
    error: KernelError,
    search: &LaneSearch<'_, T>,
    (calls, words): (usize, &[Quad]),
) -> KernelError {
    let KernelError::Stopped { cycles, keeps, .. } = error else { return error };
    let begun = if calls == 0 { 0 } else { search.begun(calls, words) };
    let text = format!("lanes had begun with {begun} of {} contexts", search.contexts());
    KernelError::Stopped { cycles, keeps, reached: Some(text) }
}

/// Solves a task on a machine, call by call of the kernel; returns the words of local memory that have the results.
fn on_machine<T: Task>(
    host: &mut Host,
    search: &LaneSearch<'_, T>,
    listener: &mut dyn Listener,
) -> Result<Vec<Quad>, KernelError> {
    let entry = host.install("search", || Ok(search.source().to_owned()))?;
    let mut memory = search.memory();
    let available = host.config().core().lmem_words();
    memory.resize(in_rows(memory.len(), available), [0; SECTIONS]);
    let results = in_rows(search.result_words(), available);
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
        let ended = Chain::of(host, vec![page])?.run(host, &mut |_| ());
        ended.map_err(|error| reached(error, search, (calls, &words)))?;
        host.free_from(mark);
        words = collected(&host.read_words(to, SECTIONS * results)?);
        search.check_guards(&words)?;
        calls += 1;
        let all = search.contexts();
        host.tell(search.begun(calls, &words), &mut |begun| listener.progress(begun, all));
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cp2_kernels::recursion::{PlanWishes, Stacks};
    use cp2_recursion::tasks::{ComputedTree, Fibonacci, Queens, TreeGoal, TreeShape};
    use cp2_session::Environment;
    use std::sync::Arc;

    /// Cycles by which predictions may be off.
    const OFF: f64 = 16.0;

    /// Runs a task by the plan that is chosen, and compares what was predicted for it.
    fn is_predicted<T: Task + Sync>(task: &T, wishes: PlanWishes, enabled: &[&str]) {
        let mut config = MachineConfig::preset("vm9").unwrap();
        enabled.iter().for_each(|name| config.switch_on(name.parse().unwrap()).unwrap());
        let reusing = Environment::new().reusing(&Arc::default());
        let on = Execution { max_cycles: Some(1 << 40), ..reusing.execution(*config.core()) };
        let moves = Moves::new(config.clone(), &on).unwrap();
        let of = ((&on.environment, config.core()), &moves as &dyn Transfers);
        let search = LaneSearch::chosen_beside(task, wishes, of).unwrap();
        let (outcome, right, cost) = solve(config, &search, &on, &mut |_, _| ()).unwrap();
        assert_eq!(outcome.value, right.value);
        let (predicted, cycles) = (search.choice().predicted_cycles.unwrap(), cost.cycles());
        println!("{}: {}", search.choice().name, predicted - cycles as f64);
        assert!(
            (predicted - cycles as f64).abs() < OFF,
            "{predicted} {cycles}: {:?}",
            search.plan()
        );
    }

    #[test]
    fn cycles_with_transfers_are_as_predicted() {
        let own: &[&str] = &["section-addressing"];
        let free = PlanWishes::default();
        // Runs so short that the host's own work shows, and one of several calls of the kernel.
        for (board, queens) in [(6, 6), (4, 2), (8, 8), (9, 7)] {
            is_predicted(&Queens::new(board, queens).unwrap(), free, own);
        }
        let several = PlanWishes { depth: Some(1), slots: Some(1), ..free };
        is_predicted(&Queens::new(9, 7).unwrap(), several, own);
        is_predicted(&Fibonacci(12), free, own);
        let shape = TreeShape::new(4, 4, 2).unwrap();
        is_predicted(&ComputedTree { shape, goal: TreeGoal::Sum }, free, own);
        is_predicted(&ComputedTree { shape, goal: TreeGoal::Search(99) }, free, own);
        is_predicted(&Queens::new(8, 6).unwrap(), free, &[]);
        let registers = PlanWishes { stacks: Some(Stacks::Registers), ..free };
        is_predicted(&Queens::new(8, 6).unwrap(), registers, &["more-fprs=128"]);
    }
}
