//! The choice of a plan: the one with the fewest predicted cycles of host, transfers and lanes among those that registers and local
//! memory hold.
//!
//! The blocks of a plan follow from the work of its contexts. A block takes as many cycles whatever the lanes have in it, so that those of a kernel
//! follow from one block that is run. Scheduling takes most of the time, so a kernel is scheduled only if a bound of its cycles, which begins with
//! kernels of one stack, is below those of all that were scheduled.

mod trials;

use super::bits::Steps;
use super::predict::DepthWork;
use super::registers::{check_registers, has_registers};
use super::search::{
    Fit, LaneSearch, MOST_CALLS, NO_REGISTER, Prepared, fits, is_too_large, registers_of,
};
use super::stacks::{BetterPlan, Chosen, LanePlan, PlanWishes, Stacks, check, too_few_registers};
use cp2_emu::state::Quad;
use cp2_isa::{Core, SECTIONS};
use cp2_recursion::{OutlineLevel, OutlineLimits, Task, hand_over_within, outline};
use cp2_session::Environment;
use cp2_session::cost::{ChosenPlan, OtherPlan};
use cp2_session::error::KernelError;
use std::collections::BTreeMap;
use trials::{OneStack, Trial};

/// Steps of the host in which the work of contexts is counted, or else estimated: about a quarter of a second each.
const OUTLINE_STEPS: u64 = 1 << 23;
/// Most stacks in turn that are looked at; more gain nothing.
const MOST_SLOTS: usize = 8;
/// The part of all calls that the host may make, if no depth is given: lanes are there to search.
const HOST_PART: u64 = 8;
/// Part of the cycles by which a kernel has to be faster to be scheduled at all.
const GAIN: f64 = 0.005;
/// Registers that passes need beside frames and stack pointers, at least: the sum, and some constants.
const BESIDE: usize = 4;
/// Cycles of a call of a kernel behind which nothing of the host's is beside it any more.
const LONG: f64 = 100_000.0;
/// Plans that a report names at most, of those that take more cycles, and of those that do not fit.
const NAMED: usize = 3;

/// Transfers that a search takes on a machine, in cycles.
pub trait Transfers {
    /// Returns about what a first call takes beside its kernel, with so many words of local memory loaded, and so many stored.
    fn about(&self, words: [usize; 2]) -> f64;

    /// Returns what any further call takes beside its kernel, with so many words stored.
    fn again(&self, stored: usize) -> f64;

    /// Returns what a first call of a kernel takes beside the kernel, and what any further call does; none if nothing is moved.
    ///
    /// # Errors
    /// The call does not end.
    fn cycles_beside(&self, call: &ShortCall<'_>) -> Result<Option<[f64; 2]>, KernelError>;
}

/// A call of a kernel that soon ends, and stands for one that takes longer.
#[derive(Clone, Copy, Debug)]
pub struct ShortCall<'a> {
    /// Text of the kernel.
    pub source: &'a str,
    /// Arguments of the call.
    pub arguments: &'a [u16],
    /// Contents of local memory before it.
    pub memory: &'a [Quad],
    /// Words of local memory that are stored behind it.
    pub stored: usize,
    /// Cycles for which the kernel counts as running, no fewer than it takes.
    pub cycles: u64,
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

    fn cycles_beside(&self, _: &ShortCall<'_>) -> Result<Option<[f64; 2]>, KernelError> {
        Ok(None)
    }
}

/// A plan that fits local memory, as far as its cycles are known.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    plan: LanePlan,
    /// Number of the depth among those that are looked at.
    at: usize,
    /// Blocks of passes, or where frames are in registers passes; calls of the kernel; groups of contexts with a common depth.
    blocks: u64,
    calls: u64,
    groups: usize,
    /// Cycles of the host, and of transfers with the first call and with each further one.
    host: f64,
    first: f64,
    again: f64,
    /// Cycles of the kernel, by bounds or by a trial.
    kernel: Trial,
    /// Whether the kernel of the plan itself was scheduled.
    is_scheduled: bool,
    /// Whether it is what is wished.
    is_wished: bool,
}

impl Candidate {
    /// Cycles of lanes and transfers.
    fn run(&self) -> f64 {
        let moved = self.first + (self.calls - 1) as f64 * self.again;
        let beside = self.calls as f64 * self.kernel.call + self.groups as f64 * self.kernel.group;
        moved + beside + self.blocks as f64 * self.kernel.block
    }

    fn sum(&self) -> f64 {
        self.host + self.run()
    }

    fn shape(&self) -> (usize, usize) {
        (self.plan.halves, self.plan.slots)
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
    pub(super) fn best(mut self) -> Result<Option<(LanePlan, Prepared, Chosen)>, KernelError> {
        let plain = self.wishes.plan(self.of.1);
        let steps = Steps::of(self.task);
        check(self.task, &plain, self.of.1, &steps)?;
        self.find_depths(&plain, &steps)?;
        for halves in self.halves(&plain) {
            self.ones[halves - 1] =
                self.one_stack(LanePlan { halves, slots: 1, ..plain }, &steps)?;
        }
        self.find_candidates(&plain, &steps)?;
        let Some(best) = self.search(true)? else { return self.refuse(&plain, &steps) };
        let chosen = self.candidates[best];
        // What was wished may leave out a better plan.
        let is_wished = self.wishes.slots.is_some() || self.wishes.halves.is_some();
        let better = if is_wished { self.search(false)? } else { None };
        let better =
            better.map(|at| self.candidates[at]).filter(|other| other.sum() < chosen.sum());
        let better = better.map(|other| BetterPlan { name: self.name(&other), whole: other.sum() });
        let (plan, whole) = (chosen.plan, Some(chosen.sum()));
        let prepared = self.depths[chosen.at].prepared.clone();
        Ok(Some((plan, prepared, Chosen { choice: self.report(&chosen), whole, better })))
    }

    /// Refuses what registers do not hold; none if local memory does not hold a plan.
    fn refuse<R>(&self, plain: &LanePlan, steps: &Steps) -> Result<Option<R>, KernelError> {
        if plain.stacks == Stacks::Registers {
            let kept = self.depths.iter().map(|work| {
                registers_of(self.task, (LanePlan { depth: work.depth, ..*plain }, steps))
            });
            check_registers(kept.min().unwrap_or(0), self.of.1.fprs())?;
        }
        let wished = self.wishes.slots.filter(|_| self.lacks_registers);
        let refused = |slots| too_few_registers(&LanePlan { slots, ..*plain }, self.of.1);
        wished.map_or(Ok(None), |slots| Err(refused(slots)))
    }

    /// Returns the name of a plan, which says what it rests on.
    fn name(&self, of: &Candidate) -> String {
        let LanePlan { depth, slots, halves, .. } = of.plan;
        let [stacks, searches] = [plural(slots, "stack"), plural(halves, "search")];
        let is_exact = self.depths[of.at].is_exact(&of.plan);
        let estimated = if is_exact { "" } else { ", work of contexts estimated" };
        format!(
            "depth {depth}, {stacks} in turn, {searches} of a register, host {:.0}{estimated}",
            of.host
        )
    }

    /// Returns the numbers of searches of a register that the task allows.
    fn halves(&self, plain: &LanePlan) -> Vec<usize> {
        // A conditional store of a sum is of both halves.
        let is_one = plain.masks && plain.stacks != Stacks::Own;
        if PlanWishes::allows_two(self.task) && !is_one || plain.halves == 2 {
            vec![1, 2]
        } else {
            vec![1]
        }
    }

    /// Finds the work from each depth that comes into question.
    fn find_depths(&mut self, plain: &LanePlan, steps: &Steps) -> Result<(), KernelError> {
        let overflow = |_| KernelError::Internal("a task has more frames than it says");
        // On stacks a group has a frame of one word for each section at least.
        let calls = 2 * SECTIONS * self.of.1.lmem_words();
        let depth = self.wishes.depth.unwrap_or(self.task.deepest());
        let limits = OutlineLimits { calls, depth, steps: OUTLINE_STEPS };
        let levels = outline(self.task, limits).map_err(overflow)?;
        let halves = self.halves(plain);
        for depth in self.depths_of(&levels, (plain, steps)) {
            let handed = hand_over_within(self.task, depth, MOST_CALLS).map_err(overflow)?;
            let Some(handed) = handed else { continue };
            let prepared = Prepared::of(self.task, handed, plain.stacks)?;
            let of = (depth, &levels[depth], prepared);
            let work = DepthWork::new(self.task, of, (plain.stacks, &halves)).map_err(overflow)?;
            if depth == 0 || self.wishes.depth.is_some() || !work.contexts.is_empty() {
                self.depths.push(work);
            }
        }
        Ok(())
    }

    /// Returns the depths that come into question, the deepest first: without a wish those at which the host makes a small part of the calls. If frames are
    /// to be in registers, and those of none of these are, depths at which they are.
    fn depths_of(
        &self,
        levels: &[OutlineLevel],
        (plain, steps): (&LanePlan, &Steps),
    ) -> Vec<usize> {
        if let Some(wished) = self.wishes.depth {
            return (0..levels.len()).filter(|&depth| depth == wished).collect();
        }
        let all = levels.first().and_then(|level| level.work.first()).map_or(0, |work| work.calls);
        let is_small = |depth: &usize| *depth == 0 || levels[*depth].calls_above * HOST_PART <= all;
        let is_held = |depth: &usize| {
            let plan = LanePlan { depth: *depth, ..*plain };
            has_registers(registers_of(self.task, (plan, steps)), self.of.1.fprs())
        };
        let depths = (0..levels.len()).rev();
        let small: Vec<usize> = depths.clone().filter(is_small).collect();
        if plain.stacks != Stacks::Registers {
            return small;
        }
        let held: Vec<usize> = small.iter().copied().filter(is_held).collect();
        if held.is_empty() { depths.collect() } else { held }
    }

    /// Returns the least that the kernel of a plan takes by kernels of one stack, or about what it takes by a scheduled one of as many stacks.
    fn bound(&self, plan: &LanePlan, at: usize) -> Option<Trial> {
        let one = self.ones[plan.halves - 1]?;
        let factor = self.factors.get(&(plan.halves, plan.slots)).unwrap_or(&1.0);
        Some(one.bound(plan.slots, self.depths[at].prepared.portions.passes, *factor))
    }

    /// Lists the plans that local memory holds.
    fn find_candidates(&mut self, plain: &LanePlan, steps: &Steps) -> Result<(), KernelError> {
        let most = if plain.stacks == Stacks::Registers { 1 } else { MOST_SLOTS };
        let slots: Vec<usize> = (1..=most).chain(self.wishes.slots).collect();
        let mut registers = Vec::new();
        for (at, work) in self.depths.iter().enumerate() {
            for halves in self.halves(plain) {
                for (number, &slots) in slots.iter().enumerate() {
                    if number >= most && slots <= most {
                        continue;
                    }
                    let plan = LanePlan { depth: work.depth, slots, halves, ..*plain };
                    let blocks = work.blocks(&plan);
                    let Some(kernel) = self.bound(&plan, at) else { continue };
                    let layout = fits(self.task, (plan, steps), work.contexts.len(), self.of.1);
                    let mut candidate = Candidate {
                        plan,
                        at,
                        blocks,
                        calls: work.calls(&plan, blocks),
                        groups: work.groups[halves - 1].passes.len(),
                        host: work.host_cycles,
                        first: 0.0,
                        again: 0.0,
                        kernel,
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
                            candidate.first = self.moved.about(moved);
                            candidate.again = self.moved.again(moved[1]);
                            self.candidates.push(candidate);
                        }
                        Err(lack) => {
                            let name = self.name(&candidate);
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

    /// Whether registers hold frames: those that are kept in registers, or those of stacks in turn, which are all loaded before the first store where
    /// stacks have pointers of their own.
    fn holds(&self, plan: &LanePlan, fit: &Fit) -> bool {
        let registers = self.of.1.fprs();
        match plan.stacks {
            Stacks::CommonDepth => true,
            Stacks::Registers => has_registers(fit.registers, registers),
            Stacks::Own => plan.slots * (plan.halves * fit.frame + 1) + BESIDE <= registers,
        }
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
            if self.counts_groups(&candidate)? {
                continue;
            }
            match self.trial(&candidate) {
                Ok((kernel, moved)) => {
                    if let Some([first, again]) = moved {
                        let candidate = &mut self.candidates[at];
                        (candidate.first, candidate.again) = (first, again);
                    }
                    self.scheduled(at, kernel);
                }
                Err(error) if is_too_large(&error) => {
                    let reason = self.lack_of(&candidate, Some(&error));
                    self.forbid(&candidate, reason);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Counts the passes of groups of contexts on which a candidate rests, if they were estimated and can be counted; returns whether it did.
    fn counts_groups(&mut self, candidate: &Candidate) -> Result<bool, KernelError> {
        if candidate.plan.stacks == Stacks::Own {
            return Ok(false);
        }
        let overflow = |_| KernelError::Internal("a task has more frames than it says");
        let (at, halves) = (candidate.at, candidate.plan.halves);
        let counts = self.depths[at].count_groups(self.task, halves).map_err(overflow)?;
        for other in self.candidates.iter_mut().filter(|_| counts) {
            if (other.at, other.plan.halves) == (at, halves) {
                other.blocks = self.depths[at].blocks(&other.plan);
                other.calls = self.depths[at].calls(&other.plan, other.blocks);
            }
        }
        Ok(counts)
    }

    /// Schedules the kernel of a candidate and tries it; returns what it takes, and what a first call and a further one take beside it, if something is moved.
    fn trial(&self, candidate: &Candidate) -> Result<(Trial, Option<[f64; 2]>), KernelError> {
        let work = &self.depths[candidate.at];
        let search =
            LaneSearch::of_prepared((self.task, &work.prepared), candidate.plan, self.of.1)?;
        let groups = &work.groups[candidate.plan.halves - 1];
        let kernel = trials::trial(&search, self.of, groups.shortest())?;
        let (arguments, memory) = trials::short_call(&search);
        // A call of the kernel has the host's own work beside it, which no longer shows behind some time.
        let lasts = candidate.blocks as f64 * kernel.block / candidate.calls as f64;
        let call = ShortCall {
            source: search.source(),
            arguments: &arguments,
            memory: &memory,
            stored: search.result_words(),
            cycles: (kernel.call + lasts.max(kernel.block)).min(LONG) as u64,
        };
        Ok((kernel, self.moved.cycles_beside(&call)?))
    }

    /// Notes what a scheduled kernel takes, and what follows for kernels of as many stacks from other depths.
    fn scheduled(&mut self, at: usize, kernel: Trial) {
        let candidate = &mut self.candidates[at];
        let shape = candidate.shape();
        *self.factors.entry(shape).or_insert(1.0) *= kernel.block / candidate.kernel.block;
        (candidate.kernel, candidate.is_scheduled) = (kernel, true);
        let mut all = std::mem::take(&mut self.candidates);
        for other in all.iter_mut().filter(|other| other.shape() == shape && !other.is_scheduled) {
            other.kernel = self.bound(&other.plan, other.at).unwrap_or(other.kernel);
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
            None | Some(KernelError::Assembly(_)) if lacking.plan.stacks == Stacks::Registers => {
                format!("{} registers do not hold the frames of its depths", self.of.1.fprs())
            }
            None | Some(KernelError::Assembly(_)) => {
                let (registers, slots) = (self.of.1.fprs(), lacking.plan.slots);
                format!("{registers} registers do not hold {slots} stacks in turn")
            }
            Some(error) => error.to_string(),
        }
    }

    /// Takes kernels of so many stacks and more away, since one of so many does not fit; where frames are in registers, kernels with as many depths.
    fn forbid(&mut self, lacking: &Candidate, reason: String) {
        let LanePlan { halves, slots, depth, stacks, .. } = lacking.plan;
        let name = self.name(lacking);
        self.forbidden.push((lacking.sum(), OtherPlan { name, outcome: Err(reason) }));
        self.candidates.retain(|Candidate { plan: other, .. }| {
            let is_less = match stacks {
                Stacks::Registers => other.depth > depth,
                Stacks::CommonDepth | Stacks::Own => other.slots < slots,
            };
            other.halves != halves || is_less
        });
    }

    /// Returns the report on a chosen plan: others that were predicted to take more cycles, and those that would take fewer but do not fit.
    fn report(mut self, chosen: &Candidate) -> ChosenPlan {
        let is_known = |other: &&Candidate| {
            // What is better than the chosen plan was not wished.
            self.factors.contains_key(&other.shape())
                && other.plan != chosen.plan
                && other.sum() >= chosen.sum()
        };
        let mut known: Vec<Candidate> = self.candidates.iter().filter(is_known).copied().collect();
        known.sort_by(|one, other| one.sum().total_cmp(&other.sum()));
        let known = known.iter().take(NAMED);
        let known =
            known.map(|other| OtherPlan { name: self.name(other), outcome: Ok(other.run()) });
        let mut others: Vec<_> = known.collect();
        let name = self.name(chosen);
        self.forbidden.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let better = self.forbidden.into_iter().filter(|(sum, _)| *sum < chosen.sum());
        others.extend(better.take(NAMED).map(|(_, other)| other));
        ChosenPlan { name, predicted_cycles: Some(chosen.run()), others }
    }
}
