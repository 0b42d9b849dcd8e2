//! The choice of a plan: the one with the fewest predicted cycles of host, transfers and lanes among those that registers and local
//! memory hold.
//!
//! The blocks of a plan follow from the work of its contexts. A block takes as many cycles whatever the lanes have in it, so that those of a kernel
//! follow from one block that is run. Scheduling takes most of the time, so a kernel is scheduled only if a bound of its cycles, which begins with
//! kernels of one stack, is below those of all that were scheduled.

use super::bits::Steps;
use super::predict::DepthWork;
use super::search::{Fit, LaneSearch, MOST_CALLS, NO_REGISTER, fits, is_too_large, twice};
use super::stacks::{Chosen, LanePlan, PlanWishes, Stacks, check, too_few_registers};
use cp2_emu::state::Quad;
use cp2_isa::{Core, SECTIONS};
use cp2_recursion::{OutlineLimits, Task, hand_over_within, outline};
use cp2_session::Environment;
use cp2_session::cost::{ChosenPlan, OtherPlan};
use cp2_session::error::KernelError;
use cp2_session::execution::KernelRunner;
use std::collections::BTreeMap;

/// Steps of the host that learn the work of contexts: about a quarter of a second.
const OUTLINE_STEPS: u64 = 1 << 23;
/// Most stacks in turn that are looked at; more gain nothing.
const MOST_SLOTS: usize = 8;
/// Cycles of a call of a kernel beside its blocks: the jump to the first one, and the stop.
const CALL_CYCLES: f64 = 3.0;
/// Passes of blocks of which the cycles of a pass and of what is around passes follow.
const TRIALS: [usize; 2] = [16, 64];
/// The part of all calls that the host may make, if no depth is given: lanes are there to search.
const HOST_PART: u64 = 8;
/// Part of the operations of a text that surely takes a cycle each: some of the fuller slot of bundles become others of the other slot.
const SURE: f64 = 0.92;
/// Part of the cycles by which a kernel has to be faster to be scheduled at all.
const GAIN: f64 = 0.005;
/// Registers that passes need beside frames and stack pointers, at least: the sum, and some constants.
const BESIDE: usize = 4;
/// Plans that a report names at most, of those that take more cycles, and of those that do not fit.
const NAMED: usize = 3;

/// Transfers that a search takes on a machine, in cycles.
pub trait Transfers {
    /// Returns about what a first call takes beside its kernel, with so many words of local memory loaded, and so many stored.
    fn about(&self, words: [usize; 2]) -> f64;

    /// Returns what any further call takes beside its kernel, with so many words stored.
    fn again(&self, stored: usize) -> f64;

    /// Returns what a call of a kernel takes, its own cycles included, with this contents of local memory before it; none if nothing is moved.
    ///
    /// # Errors
    /// The call does not end.
    fn first(
        &self,
        source: &str,
        memory: &[Quad],
        stored: usize,
    ) -> Result<Option<f64>, KernelError>;
}

/// CP2 alone: contexts are in local memory before the kernel begins.
pub struct NoTransfers;

impl Transfers for NoTransfers {
    fn about(&self, _: [usize; 2]) -> f64 {
        0.0
    }

    fn again(&self, _: usize) -> f64 {
        0.0
    }

    fn first(&self, _: &str, _: &[Quad], _: usize) -> Result<Option<f64>, KernelError> {
        Ok(None)
    }
}

/// Kernels of one stack with so many searches of a register: what bounds those of more.
#[derive(Clone, Copy, Debug)]
struct OneStack {
    /// Cycles of a pass.
    pass: f64,
    /// Cycles of a block beside its passes.
    around: f64,
    /// Operations of a pass in the fuller slot of bundles.
    operations: f64,
    /// Operations of a block beside its passes.
    operations_around: f64,
}

/// A plan that fits local memory, as far as its cycles are known.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    plan: LanePlan,
    /// Number of the depth among those that are looked at.
    at: usize,
    blocks: u64,
    calls: u64,
    /// Cycles of host and transfers.
    host: f64,
    moved: f64,
    /// Cycles of a block, by bounds or by the kernel.
    block: f64,
    /// Whether the kernel of the plan itself was scheduled.
    is_scheduled: bool,
    /// Whether it is what is wished.
    is_wished: bool,
}

impl Candidate {
    /// Cycles of lanes and transfers.
    fn run(&self) -> f64 {
        self.moved + CALL_CYCLES * self.calls as f64 + self.blocks as f64 * self.block
    }

    fn sum(&self) -> f64 {
        self.host + self.run()
    }

    fn shape(&self) -> (usize, usize) {
        (self.plan.halves, self.plan.slots)
    }

    fn name(&self) -> String {
        let LanePlan { depth, slots, halves, .. } = self.plan;
        let [stacks, searches] = [plural(slots, "stack"), plural(halves, "search")];
        format!("depth {depth}, {stacks} in turn, {searches} of a register, host {:.0}", self.host)
    }
}

fn plural(count: usize, what: &str) -> String {
    let ending = match (count, what.ends_with('h')) {
        (1, _) => "",
        (_, true) => "es",
        _ => "s",
    };
    format!("{count} {what}{ending}")
}

/// The choice of a plan for a task.
pub(super) struct Choice<'t, 'a, T> {
    pub task: &'t T,
    pub wishes: PlanWishes,
    pub of: (&'a Environment, &'a Core),
    pub moved: &'a dyn Transfers,
    depths: Vec<DepthWork>,
    ones: [Option<OneStack>; 2],
    /// Cycles of a block over their bound, of scheduled kernels by halves and slots.
    factors: BTreeMap<(usize, usize), f64>,
    candidates: Vec<Candidate>,
    /// Plans that do not fit, with their bounds.
    forbidden: Vec<(f64, OtherPlan)>,
    /// Whether registers do not hold a plan that is wished.
    lacks_registers: bool,
}

impl<'t, 'a, T: Task> Choice<'t, 'a, T> {
    /// Begins a choice; nothing is looked at yet.
    pub(super) fn new(
        task: &'t T,
        wishes: PlanWishes,
        (of, moved): ((&'a Environment, &'a Core), &'a dyn Transfers),
    ) -> Self {
        Self {
            task,
            wishes,
            of,
            moved,
            depths: Vec::new(),
            ones: [None; 2],
            factors: BTreeMap::new(),
            candidates: Vec::new(),
            forbidden: Vec::new(),
            lacks_registers: false,
        }
    }

    /// Returns the plan with the fewest predicted cycles of those that are wished, and the report on it; none if none fits.
    ///
    /// # Errors
    /// The core lacks an extension, or the task does not allow what is wished.
    pub(super) fn best(mut self) -> Result<Option<(LanePlan, Chosen)>, KernelError> {
        let plain = self.wishes.plan(self.of.1);
        let steps = Steps::of(self.task);
        check(self.task, &plain, self.of.1, &steps)?;
        self.find_depths(&plain)?;
        for halves in self.halves(&plain) {
            self.ones[halves - 1] = self.one_stack(LanePlan { halves, slots: 1, ..plain })?;
        }
        self.find_candidates(&plain, &steps)?;
        let Some(best) = self.search(true)? else {
            let wished = self.wishes.slots.filter(|_| self.lacks_registers);
            let refused = |slots| too_few_registers(&LanePlan { slots, ..plain }, self.of.1);
            return wished.map_or(Ok(None), |slots| Err(refused(slots)));
        };
        let chosen = self.candidates[best];
        // What was wished may leave out a better plan.
        let is_wished = self.wishes.slots.is_some() || self.wishes.halves.is_some();
        let better = if is_wished { self.search(false)? } else { None };
        let better =
            better.map(|at| self.candidates[at]).filter(|other| other.sum() < chosen.sum());
        let better = better.map(|other| OtherPlan { name: other.name(), outcome: Ok(other.run()) });
        let (plan, whole) = (chosen.plan, Some(chosen.sum()));
        Ok(Some((plan, Chosen { choice: self.report(&chosen), whole, better })))
    }

    /// Returns the numbers of searches of a register that the task allows.
    fn halves(&self, plain: &LanePlan) -> Vec<usize> {
        let two = PlanWishes::allows_two(self.task) && plain.stacks != Stacks::Registers;
        if two || plain.halves == 2 { vec![1, 2] } else { vec![1] }
    }

    /// Finds the work from each depth that comes into question.
    fn find_depths(&mut self, plain: &LanePlan) -> Result<(), KernelError> {
        let overflow = |_| KernelError::Internal("a task has more frames than it says");
        let wished = self.wishes.depth;
        // On stacks a group has a frame of one word for each section at least.
        let calls = 2 * SECTIONS * self.of.1.lmem_words();
        let depth = wished.unwrap_or(self.task.deepest());
        let limits = OutlineLimits { calls, depth, steps: OUTLINE_STEPS };
        let levels = outline(self.task, limits).map_err(overflow)?;
        let all = levels.first().and_then(|level| level.work.first()).map_or(0, |work| work.calls);
        let mut share = [None; 2];
        for (depth, level) in levels.iter().enumerate().rev() {
            let is_host_small = depth == 0 || level.calls_above * HOST_PART <= all;
            let is_wished = wished.map_or(is_host_small, |wished| depth == wished);
            let handed = match is_wished {
                true => hand_over_within(self.task, depth, MOST_CALLS).map_err(overflow)?,
                false => None,
            };
            let Some(handed) = handed else { continue };
            let idle = self.task.idle().filter(|_| plain.stacks == Stacks::Own);
            let portions = super::portions::Portions::of(self.task, &handed, (plain.stacks, idle))?;
            let of = (depth, level, &handed);
            let work = DepthWork::new(self.task, of, (portions, plain.stacks), &mut share);
            let work = work.map_err(overflow)?;
            if depth == 0 || wished.is_some() || !work.contexts.is_empty() {
                self.depths.push(work);
            }
        }
        Ok(())
    }

    /// Returns what kernels of one stack take, from two with blocks of different lengths; none if registers or memory do not hold one.
    fn one_stack(&self, plan: LanePlan) -> Result<Option<OneStack>, KernelError> {
        let mut cycles = [0.0; 2];
        let mut operations = [0.0; 2];
        for (cycles, passes) in cycles.iter_mut().zip(TRIALS) {
            let search = LaneSearch::with_passes(self.task, plan, self.of.1, Some(passes));
            let block = search.and_then(|search| {
                operations = operations_of(search.source());
                self.block_cycles(&search)
            });
            match block {
                Ok(found) => *cycles = found,
                Err(error) if is_too_large(&error) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        let pass = (cycles[1] - cycles[0]) / (TRIALS[1] - TRIALS[0]) as f64;
        Ok(Some(OneStack {
            pass,
            around: cycles[0] - pass * TRIALS[0] as f64,
            operations: SURE * operations[0],
            operations_around: SURE * operations[1],
        }))
    }

    /// Returns the cycles of a block of the kernel of a search, which is run once.
    fn block_cycles(&self, search: &LaneSearch<'_, T>) -> Result<f64, KernelError> {
        let (environment, core) = self.of;
        let key = format!("cycles of a block {:?}\n{}", core.numbers(), search.source());
        let cycles = environment.numbers_of(&key, 1, || {
            let on = environment.execution(*core);
            let (mut cp2, entry) = KernelRunner::with("search", search.source(), &on)?;
            let memory = memory_of_one_block(search);
            cp2.state().lmem[..memory.len()].copy_from_slice(&memory);
            Ok(vec![cp2.call(entry, &[])?.cycles as f64 - CALL_CYCLES])
        });
        cycles.map(|cycles| cycles.iter().sum())
    }

    /// Returns the least that a block of a plan takes by its kernels of one stack, or about what it takes by a scheduled one of as many stacks.
    fn block(&self, plan: &LanePlan, passes: usize) -> Option<f64> {
        let one = self.ones[plan.halves - 1]?;
        let slots = plan.slots as f64;
        let pass = one.pass.max(slots * one.operations);
        let around = one.around.max(slots * one.operations_around);
        let factor = self.factors.get(&(plan.halves, plan.slots)).unwrap_or(&1.0);
        Some(factor * (passes as f64 * pass + around))
    }

    /// Lists the plans that local memory holds.
    fn find_candidates(&mut self, plain: &LanePlan, steps: &Steps) -> Result<(), KernelError> {
        let slots: Vec<usize> = (1..=MOST_SLOTS).chain(self.wishes.slots).collect();
        let mut registers = Vec::new();
        for (at, work) in self.depths.iter().enumerate() {
            for halves in self.halves(plain) {
                for (number, &slots) in slots.iter().enumerate() {
                    if number >= MOST_SLOTS && slots <= MOST_SLOTS {
                        continue;
                    }
                    let plan = LanePlan { depth: work.depth, slots, halves, ..*plain };
                    let Some(block) = self.block(&plan, work.portions.passes) else { continue };
                    let blocks = work.blocks(&plan);
                    let calls = work.calls(blocks);
                    let layout = fits(self.task, (plan, steps), work.contexts.len(), self.of.1);
                    let mut candidate = Candidate {
                        plan,
                        at,
                        blocks,
                        calls,
                        host: work.host_cycles,
                        moved: 0.0,
                        block,
                        is_scheduled: false,
                        is_wished: self.wishes.slots.is_none_or(|wished| wished == slots)
                            && self.wishes.halves.is_none_or(|wished| wished == halves),
                    };
                    if layout.as_ref().is_ok_and(|fit| !self.holds(&plan, fit)) {
                        registers.push(candidate);
                        continue;
                    }
                    match layout.map(|fit| fit.moved) {
                        Ok(moved) => {
                            let again = (calls - 1) as f64 * self.moved.again(moved[1]);
                            candidate.moved = self.moved.about(moved) + again;
                            self.candidates.push(candidate);
                        }
                        Err(lack) => {
                            let name = candidate.name();
                            let other = OtherPlan { name, outcome: Err(lack.to_string()) };
                            self.forbidden.push((candidate.sum(), other));
                        }
                    }
                }
            }
        }
        self.lacks_registers = registers.iter().any(|lacking| lacking.is_wished);
        for lacking in registers {
            let reason = self.lack_of(&lacking, None);
            self.forbid(&lacking, reason);
        }
        Ok(())
    }

    /// Whether registers hold the frames of stacks in turn, which are all loaded before the first store where stacks have pointers of their own.
    fn holds(&self, plan: &LanePlan, fit: &Fit) -> bool {
        let needed = plan.slots * (plan.halves * fit.frame + 1) + BESIDE;
        plan.stacks != Stacks::Own || needed <= self.of.1.fprs()
    }

    /// Returns the number of the candidate with the fewest cycles, of those that are wished or of all; kernels are scheduled until it is one of these.
    fn search(&mut self, of_wished: bool) -> Result<Option<usize>, KernelError> {
        loop {
            let all = self.candidates.iter().enumerate();
            let all = all.filter(|(_, candidate)| candidate.is_wished || !of_wished);
            let least = all.min_by(|(_, one), (_, other)| one.sum().total_cmp(&other.sum()));
            let Some((at, &candidate)) = least else { return Ok(None) };
            let best = self
                .candidates
                .iter()
                .enumerate()
                .filter(|(_, other)| other.is_scheduled && (other.is_wished || !of_wished));
            let best = best.min_by(|(_, one), (_, other)| one.sum().total_cmp(&other.sum()));
            if let Some((at, best)) = best
                && best.sum() <= (1.0 + GAIN) * candidate.sum()
            {
                return Ok(Some(at));
            }
            let search = LaneSearch::new(self.task, candidate.plan, self.of.1);
            let cycles = search.and_then(|search| {
                let block = self.block_cycles(&search)?;
                let (memory, stored) = (memory_of_one_block(&search), search.result_words());
                let whole = self.moved.first(search.source(), &memory, stored)?;
                Ok((block, whole.map(|whole| (whole - block - CALL_CYCLES, stored))))
            });
            match cycles {
                Ok((block, moved)) => {
                    if let Some((first, stored)) = moved {
                        let again = (candidate.calls - 1) as f64 * self.moved.again(stored);
                        self.candidates[at].moved = first + again;
                    }
                    self.scheduled(at, block);
                }
                Err(error) if is_too_large(&error) => {
                    let reason = self.lack_of(&candidate, Some(&error));
                    self.forbid(&candidate, reason);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Notes the cycles of a block of a scheduled kernel, and what follows for kernels of as many stacks from other depths.
    fn scheduled(&mut self, at: usize, cycles: f64) {
        let candidate = &mut self.candidates[at];
        let shape = candidate.shape();
        *self.factors.entry(shape).or_insert(1.0) *= cycles / candidate.block;
        (candidate.block, candidate.is_scheduled) = (cycles, true);
        let mut all = std::mem::take(&mut self.candidates);
        for other in all.iter_mut().filter(|other| other.shape() == shape && !other.is_scheduled) {
            let passes = self.depths[other.at].portions.passes;
            other.block = self.block(&other.plan, passes).unwrap_or(other.block);
        }
        self.candidates = all;
    }

    /// Returns the sentence that says why a kernel does not fit; without an error it is for want of registers.
    fn lack_of(&self, lacking: &Candidate, error: Option<&KernelError>) -> String {
        match error {
            Some(KernelError::Assembly(error))
                if error.diagnostics.iter().all(|found| found.code != NO_REGISTER) =>
            {
                "instruction memory does not hold its kernel".to_owned()
            }
            None | Some(KernelError::Assembly(_)) => {
                let (registers, slots) = (self.of.1.fprs(), lacking.plan.slots);
                format!("{registers} registers do not hold {slots} stacks in turn")
            }
            Some(error) => error.to_string(),
        }
    }

    /// Takes kernels of so many stacks and more away, since one of so many does not fit.
    fn forbid(&mut self, lacking: &Candidate, reason: String) {
        let (halves, slots) = lacking.shape();
        self.forbidden
            .push((lacking.sum(), OtherPlan { name: lacking.name(), outcome: Err(reason) }));
        self.candidates.retain(|other| other.plan.halves != halves || other.plan.slots < slots);
    }

    /// Returns the report on a chosen plan: others that were predicted to take more cycles, and those that would take fewer but do not fit.
    fn report(mut self, chosen: &Candidate) -> ChosenPlan {
        let is_known = |other: &&Candidate| {
            self.factors.contains_key(&other.shape()) && other.plan != chosen.plan
        };
        let mut known: Vec<Candidate> = self.candidates.iter().filter(is_known).copied().collect();
        known.sort_by(|one, other| one.sum().total_cmp(&other.sum()));
        let known = known.iter().take(NAMED);
        let known = known.map(|other| OtherPlan { name: other.name(), outcome: Ok(other.run()) });
        self.forbidden.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let better = self.forbidden.into_iter().filter(|(sum, _)| *sum < chosen.sum());
        let others = known.chain(better.take(NAMED).map(|(_, other)| other)).collect();
        ChosenPlan { name: chosen.name(), predicted_cycles: Some(chosen.run()), others }
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
            _ => counts[usize::from(!is_pass)][usize::from(is_exchange(word))] += 1,
        }
    }
    counts.map(|slots| slots[0].max(slots[1]) as f64)
}

/// Whether an operation of a kernel is one of the exchange slot.
fn is_exchange(mnemonic: &str) -> bool {
    let is_access = |prefix: &&str| mnemonic.starts_with(*prefix);
    ["lw", "sw", "mt", "mf", "mx", "move"].iter().any(is_access) && !mnemonic.starts_with("swap")
}
