//! Trials of kernels: cycles of a block of passes, and of what is beside blocks. Where frames are in registers a pass is a block, and groups of
//! contexts take something beside their passes.

use super::super::search::{LaneSearch, fits, is_too_large, twice};
use super::super::stacks::{LanePlan, Stacks};
use super::{Choice, Steps};
use cp2_emu::state::Quad;
use cp2_isa::{Core, Exch, SECTIONS};
use cp2_recursion::Task;
use cp2_session::Environment;
use cp2_session::error::KernelError;
use cp2_session::execution::KernelRunner;

/// Cycles of a call of a kernel beside its blocks, where stacks are in memory: the jump to the first one, and the stop.
const CALL_CYCLES: f64 = 3.0;
/// Passes of blocks of which the cycles of a pass and of what is around passes follow.
const PASSES: [usize; 2] = [16, 64];
/// Part of the operations of a text that surely takes a cycle each: some of the fuller slot of bundles become others of the other slot.
const SURE: f64 = 0.92;

/// Cycles of a kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    /// A block of passes, or where frames are in registers a pass.
    pub block: f64,
    /// A call, beside its blocks.
    pub call: f64,
    /// A group of contexts, beside its passes, where frames are in registers.
    pub group: f64,
}

/// Kernels of one stack with so many searches of a register: what bounds those of more.
#[derive(Clone, Copy, Debug)]
pub(super) struct OneStack {
    /// Cycles of a pass, and of a call and a group of contexts.
    pass: Trial,
    /// Cycles of a block beside its passes.
    around: f64,
    /// Operations of a pass in the fuller slot of bundles.
    operations: f64,
    /// Operations of a block beside its passes.
    operations_around: f64,
}

impl OneStack {
    /// Returns the least that a kernel of so many stacks in turn takes with blocks of so many passes, times a factor.
    pub(super) fn bound(&self, slots: usize, passes: usize, factor: f64) -> Trial {
        let slots = slots as f64;
        let pass = self.pass.block.max(slots * self.operations);
        let around = self.around.max(slots * self.operations_around);
        Trial { block: factor * (passes as f64 * pass + around), ..self.pass }
    }
}

impl<T: Task> Choice<'_, '_, T> {
    /// Returns what kernels of one stack take, from the deepest hand-over that leaves room for one; none if registers or memory hold none.
    pub(super) fn one_stack(
        &self,
        plan: LanePlan,
        steps: &Steps,
    ) -> Result<Option<OneStack>, KernelError> {
        let found = self.depths.iter().find_map(|work| {
            let plan = LanePlan { depth: work.depth, ..plan };
            let fit = fits(self.task, (plan, steps), work.contexts.len(), self.of.1).ok()?;
            self.holds(&plan, &fit).then_some((work, plan))
        });
        let Some((work, plan)) = found else { return Ok(None) };
        let (mut cycles, mut operations) = (Vec::new(), [0.0; 2]);
        for passes in PASSES {
            let mut prepared = work.prepared.clone();
            if plan.stacks != Stacks::Registers {
                prepared.portions.passes = passes;
            }
            let search = LaneSearch::of_prepared((self.task, &prepared), plan, self.of.1);
            let kernel = search.and_then(|search| {
                operations = operations_of(search.source());
                trial(&search, self.of, work.groups[plan.halves - 1].shortest())
            });
            match kernel {
                Ok(kernel) => cycles.push(kernel),
                Err(error) if is_too_large(&error) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        let (few, many) = (cycles[0], cycles[1]);
        if plan.stacks == Stacks::Registers {
            let (around, operations, operations_around) = (0.0, 0.0, 0.0);
            return Ok(Some(OneStack { pass: few, around, operations, operations_around }));
        }
        let pass = (many.block - few.block) / (PASSES[1] - PASSES[0]) as f64;
        Ok(Some(OneStack {
            pass: Trial { block: pass, ..few },
            around: few.block - pass * PASSES[0] as f64,
            operations: SURE * operations[0],
            operations_around: SURE * operations[1],
        }))
    }
}

/// Returns what the kernel of a search takes: a block of it is run once, or, where frames are in registers, a group of contexts of this number.
pub(super) fn trial<T: Task>(
    search: &LaneSearch<'_, T>,
    of: (&Environment, &Core),
    group: Option<usize>,
) -> Result<Trial, KernelError> {
    if search.plan.stacks == Stacks::Registers {
        return trial_in_registers(search, of, group);
    }
    let (environment, core) = of;
    let key = format!("cycles of a block {:?}\n{}", core.numbers(), search.source());
    let cycles = environment.numbers_of(&key, 1, || {
        let memory = memory_of_one_block(search);
        Ok::<_, KernelError>(vec![cycles_of(search, of, (&[], &memory))?.0 - CALL_CYCLES])
    })?;
    Ok(Trial { block: cycles.iter().sum(), call: CALL_CYCLES, group: 0.0 })
}

/// Returns what a kernel with frames in registers takes: by a call without a group, one with a group that nobody is in, which takes one pass,
/// and one with a group of contexts.
fn trial_in_registers<T: Task>(
    search: &LaneSearch<'_, T>,
    of: (&Environment, &Core),
    group: Option<usize>,
) -> Result<Trial, KernelError> {
    let layout = &search.layout;
    // Groups stand below each other, the last one first.
    let at = group.map_or(0, |group| search.groups() - 1 - group);
    let place = layout.base(0, 0) + at * layout.stride;
    let memory = search.memory();
    let mut empty = memory.clone();
    empty[place..place + layout.frame].fill([0; SECTIONS]);
    let words = &memory[place..place + layout.frame];
    let key = format!(
        "cycles of a group of contexts {:?} {words:?}\n{}",
        of.1.numbers(),
        search.source()
    );
    let numbers = of.0.numbers_of(&key, 3, || {
        let none = cycles_of(search, of, (&[place as u16, 0], &memory))?.0;
        let one_pass = cycles_of(search, of, (&[place as u16, 1], &empty))?.0;
        let (whole, passes) = cycles_of(search, of, (&[place as u16, 1], &memory))?;
        let pass = if passes > 1 { (whole - one_pass) / (passes - 1) as f64 } else { 1.0 };
        Ok::<_, KernelError>(vec![none, one_pass - none - pass, pass])
    })?;
    Ok(Trial { block: numbers[2], call: numbers[0], group: numbers[1] })
}

/// Returns the cycles of a call of the kernel of a search with this contents of local memory before it, and its passes.
fn cycles_of<T: Task>(
    search: &LaneSearch<'_, T>,
    (environment, core): (&Environment, &Core),
    (arguments, memory): (&[u16], &[Quad]),
) -> Result<(f64, u64), KernelError> {
    let on = environment.execution(*core);
    let (mut cp2, entry) = KernelRunner::with("search", search.source(), &on)?;
    cp2.state().lmem[..memory.len()].copy_from_slice(memory);
    let arguments: Vec<usize> = arguments.iter().map(|&argument| argument.into()).collect();
    let cycles = cp2.call(entry, &arguments)?.cycles as f64;
    Ok((cycles, search.passes(&cp2.state().lmem)))
}

/// Returns the arguments of a call of the kernel of a search that soon ends, behind one block or without a group, and local memory before it.
pub(super) fn short_call<T: Task>(search: &LaneSearch<'_, T>) -> (Vec<u16>, Vec<Quad>) {
    match search.plan.stacks {
        Stacks::Registers => (vec![search.layout.base(0, 0) as u16, 0], search.memory()),
        Stacks::CommonDepth | Stacks::Own => (Vec::new(), memory_of_one_block(search)),
    }
}

/// Returns the contents of local memory of a search with which a call of its kernel ends behind one block.
fn memory_of_one_block<T: Task>(search: &LaneSearch<'_, T>) -> Vec<Quad> {
    let mut memory = search.memory();
    let last = (1u64 << search.portions.blocks) - 1;
    memory[search.layout.blocks()] = [twice(last as u32); SECTIONS];
    memory
}

/// Returns the operations of a text in a pass and outside of passes, of the fuller slot of bundles.
fn operations_of(source: &str) -> [f64; 2] {
    let mut counts = [[0usize; 2]; 2];
    let (mut is_pass, mut is_linear) = (false, false);
    for line in source.lines() {
        let word = line.split_whitespace().next().unwrap_or("");
        match word {
            ".loop" => is_pass = true,
            ".endloop" => is_pass = false,
            ".linear" => is_linear = true,
            ".endlinear" => is_linear = false,
            _ if !is_linear || word.is_empty() || word.starts_with(['.', ';']) => {}
            _ => counts[usize::from(!is_pass)][usize::from(is_exchange(line))] += 1,
        }
    }
    counts.map(|slots| slots[0].max(slots[1]) as f64)
}

/// Whether an operation of a kernel is one of the exchange slot; before it there may be a predicate.
fn is_exchange(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let word = words.find(|word| !word.starts_with("if("));
    word.is_some_and(|word| Exch::from_name(word).is_some())
}
