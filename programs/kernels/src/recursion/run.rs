//! Runs of searches on CP2 alone.

use super::bits::Steps;
use super::frame::{ALL, FrameWords, frame_of};
use super::kernel::LaneKernel;
use super::layout::LaneLayout;
use super::stacks::{LanePlan, Stacks};
use cp2_emu::state::Quad;
use cp2_isa::{Extensions, SECTIONS};
use cp2_recursion::{
    HandedOver, MOST_FIELDS, NativeWords, StepOperation, Task, TaskArray, TaskFrame, combine,
    hand_over,
};
use cp2_session::error::KernelError;
use cp2_session::execution::{Execution, KernelRunner};

/// Value of a search on CP2, and its work.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchOutcome {
    /// Value of the task; if lanes stop at the first value, one that was found, or 0.
    pub value: u32,
    /// Contexts that the lanes solved.
    pub contexts: usize,
    /// Calls that the host made, the first one of each context included if values are sums.
    pub host_calls: u64,
    /// Cycles of the kernel.
    pub cycles: u64,
    /// Searches that CP2 does at a time.
    pub lanes: usize,
    /// Passes that each lane did, busy or idle.
    pub passes: u64,
    /// Arrays of the lane that found the value at which all stopped, if one did.
    pub arrays: Option<Vec<Vec<u32>>>,
}

/// Frames below a stack, if a task has idle ones; else where idle lanes are, and where they return to.
const IDLES: [usize; 2] = [4, 2];
/// Passes between two looks at who is idle, if idle frames do not limit them.
const PASSES: usize = 100;
/// Contents of the words that show an overflow; no frame has them.
const GUARD: u64 = 0x5afe_c0de_0fac_ade5;

/// A search that is prepared: its kernel, and what the memory of the sections holds.
struct Prepared {
    layout: LaneLayout,
    plan: LanePlan,
    /// Contexts as words of frames, behind which arrays follow.
    contexts: Vec<Vec<u64>>,
    /// Sum of what the host did.
    sum: u32,
    /// Calls that the host made.
    host_calls: u64,
    source: String,
    constants: Vec<u64>,
    passes: usize,
}

/// Contexts with a frame each, their arrays beside it, and the sum of what the host has done.
fn entered<T: Task>(task: &T, handed: &HandedOver) -> (Vec<([u32; ALL], Vec<Vec<u32>>)>, u32) {
    let (mut frames, mut sum) = (Vec::new(), handed.sum);
    for context in &handed.contexts {
        let mut fields = [0; MOST_FIELDS];
        fields[..context.parameters.len()].copy_from_slice(&context.parameters);
        let mut words = NativeWords { arrays: context.arrays.clone() };
        if !task.is_sum() {
            frames.push((frame_of(0, &fields), words.arrays));
            continue;
        }
        // Where values are sums the host does the first step.
        let next = task.step(&mut words, TaskFrame { state: 0, returned: 0, fields });
        sum = sum.wrapping_add(next.value);
        if next.is_done == 0 {
            frames.push((frame_of(next.state, &next.fields), words.arrays));
        }
    }
    (frames, sum)
}

fn twice(word: u32) -> u64 {
    u64::from(word) << 32 | u64::from(word)
}

fn words_of(arrays: &[TaskArray], is_own: bool) -> usize {
    arrays.iter().filter(|array| array.is_own == is_own).map(|array| array.words.len()).sum()
}

/// Refuses a plan that the task or the core does not allow.
fn check<T: Task>(
    task: &T,
    plan: &LanePlan,
    (on, steps): (&Execution, &Steps),
) -> Result<(), KernelError> {
    let has = |extension| on.core.extensions().contains(extension);
    let refuse = |what, value, limit: &str| {
        Err(KernelError::Parameter { what, value, limit: limit.to_owned() })
    };
    let needs_own = !task.is_sum() || task.arrays().iter().any(|array| array.is_own);
    let calls_at_once =
        steps.enter.operations[steps.enter.next.calls] != StepOperation::Constant(0);
    match plan.stacks {
        Stacks::Own if !has(Extensions::SECTION_ADDRESSING) => refuse(
            "stacks of their own of the lanes",
            1,
            "none without --enable section-addressing",
        ),
        Stacks::CommonDepth if needs_own || !task.arrays().is_empty() => refuse(
            "arrays or returned values of the task",
            1,
            "none where lanes share their depth: an index of each lane takes --enable section-addressing",
        ),
        _ if task.is_sum() && calls_at_once => {
            refuse("calls in the first step of the task", 1, "none where values are sums")
        }
        _ if plan.halves == 2 && needs_own => refuse(
            "searches of a register",
            2,
            "1 where the task has arrays of its own or returns values",
        ),
        _ if plan.slots == 0 || plan.slots > 16 => refuse("stacks in turn", plan.slots, "1 to 16"),
        _ if plan.halves == 0 || plan.halves > 2 => {
            refuse("searches of a register", plan.halves, "1 or 2")
        }
        _ => Ok(()),
    }
}

/// Makes the calls of the host, and the kernel.
fn prepare<T: Task>(task: &T, plan: LanePlan, on: &Execution) -> Result<Prepared, KernelError> {
    let steps = Steps::of(task);
    check(task, &plan, (on, &steps))?;
    let too_deep = |_| KernelError::Parameter {
        what: "depth",
        value: plan.depth,
        limit: format!("at most {}", task.deepest()),
    };
    let handed = hand_over(task, plan.depth).map_err(too_deep)?;
    let (frames, sum) = entered(task, &handed);
    let host_calls = match task.is_sum() {
        true => handed.host_calls + handed.contexts.len() as u64,
        false => handed.host_calls,
    };
    let frame = FrameWords::of(task, &steps, (plan.stacks, plan.halves));
    let arrays = task.arrays();
    let is_own = plan.stacks == Stacks::Own;
    let contexts = frames.iter().map(|(words, values)| {
        let mut all = frame.contents(words);
        let own = arrays.iter().zip(values).filter(|(array, _)| array.is_own);
        all.extend(own.flat_map(|(_, words)| words).map(|&word| twice(word)));
        all
    });
    let contexts: Vec<Vec<u64>> = contexts.collect();
    let count = contexts.len();
    let idle = task.idle().filter(|_| is_own);
    let needed = task.deepest().saturating_sub(plan.depth).max(1);
    let groups = count.div_ceil(SECTIONS * plan.halves).div_ceil(plan.slots);
    let layout = LaneLayout {
        slots: plan.slots,
        halves: if is_own { plan.halves } else { 1 },
        frame: frame.words.len(),
        stride: frame.stride,
        idles: IDLES[usize::from(idle.is_none())],
        room: plan.room.unwrap_or(needed) + if is_own { 0 } else { groups },
        spill: usize::from(!steps.always_calls()),
        shared: words_of(&arrays, false),
        own: words_of(&arrays, true),
        contexts: match (is_own, plan.halves) {
            (false, _) => [0, 0],
            (true, 1) => [count, 0],
            (true, _) => [count.div_ceil(2), count / 2],
        },
    };
    if layout.words() > on.core.lmem_words() {
        let limit = format!(
            "at most {}: {count} contexts of {} words and {} stacks of {} frames are too many; hand over at a lesser depth, or take fewer stacks",
            on.core.lmem_words(),
            layout.context(),
            plan.slots * layout.halves,
            layout.room
        );
        return Err(KernelError::Parameter {
            what: "words of local memory",
            value: layout.words(),
            limit,
        });
    }
    let passes = idle.map_or(PASSES, |idle| IDLES[0] * idle.steps as usize);
    let kernel = LaneKernel {
        name: "search",
        steps: &steps,
        parameters: task.fields().parameters.len(),
        idle,
        arrays: &arrays,
        stacks: plan.stacks,
        halves: plan.halves,
        frame: &frame,
        layout: &layout,
        passes,
        finds_largest: on.core.extensions().contains(Extensions::SECTION_COUNTERS),
        stops: plan.stops,
    };
    let (source, constants) = kernel.source();
    if constants.len() > LaneLayout::most_constants() {
        let limit = format!("at most {}; take fewer stacks", LaneLayout::most_constants());
        return Err(KernelError::Parameter { what: "constants", value: constants.len(), limit });
    }
    Ok(Prepared {
        layout,
        plan,
        contexts,
        sum,
        host_calls,
        source,
        constants,
        passes,
    })
}

impl Prepared {
    /// Fills the local memory.
    fn fill(&self, arrays: &[TaskArray], lmem: &mut [Quad]) {
        let layout = &self.layout;
        for slot in 0..layout.slots {
            let high = layout.halves - 1;
            let [low, high] =
                [0, high].map(|half| (layout.base(slot, half) - layout.stride) as u64);
            lmem[layout.pointer(slot)] = [high << 32 | low; SECTIONS];
            lmem[layout.result(slot)] = [layout.trash() as u64; SECTIONS];
            for half in 0..layout.halves {
                lmem[layout.guard(slot, half)] = [GUARD; SECTIONS];
            }
        }
        for section in 0..SECTIONS - 1 {
            lmem[layout.before(section)] =
                std::array::from_fn(|own| if own > section { u64::MAX } else { 0 });
        }
        for (at, constant) in self.constants.iter().enumerate() {
            lmem[layout.pool() + at] = [*constant; SECTIONS];
        }
        let shared = arrays.iter().filter(|array| !array.is_own).flat_map(|array| &array.words);
        for (at, word) in shared.enumerate() {
            lmem[layout.shared_arrays() + at] = [twice(*word); SECTIONS];
        }
        match self.plan.stacks {
            Stacks::Own => self.fill_lists(lmem),
            Stacks::CommonDepth => self.fill_stacks(lmem),
        }
    }

    /// Lists of contexts, one for each half, the same in all sections.
    fn fill_lists(&self, lmem: &mut [Quad]) {
        let mut places = [0, 1].map(|half| self.layout.list(half));
        for (at, context) in self.contexts.iter().enumerate() {
            let place = &mut places[at % self.layout.halves];
            for word in context {
                lmem[*place] = [*word; SECTIONS];
                *place += 1;
            }
        }
    }

    /// Stacks with groups of contexts, the first group of each slot on top.
    fn fill_stacks(&self, lmem: &mut [Quad]) {
        let (layout, halves) = (&self.layout, self.plan.halves);
        let groups: Vec<_> = self.contexts.chunks(SECTIONS * halves).collect();
        for slot in 0..layout.slots {
            let own: Vec<_> = groups.iter().skip(slot).step_by(layout.slots).rev().collect();
            for (depth, group) in own.iter().enumerate() {
                let first = layout.base(slot, 0) + depth * layout.stride;
                for word in 0..layout.frame {
                    lmem[first + word] = std::array::from_fn(|section| {
                        let of = |half: usize| {
                            let context = group.get(section + SECTIONS * half);
                            context.map_or(0, |context| context[word] & 0xffff_ffff)
                        };
                        of(halves - 1) << 32 | of(0)
                    });
                }
            }
            if let Some(top) = own.len().checked_sub(1) {
                let top = (layout.base(slot, 0) + top * layout.stride) as u64;
                lmem[layout.pointer(slot)] = [top << 32 | top; SECTIONS];
            }
        }
    }

    /// Refuses a run in which a stack overflowed: section, slot and half, and frames.
    fn check_guards(&self, lmem: &[Quad]) -> Result<(), KernelError> {
        for slot in 0..self.layout.slots {
            for half in 0..self.layout.halves {
                let words = lmem[self.layout.guard(slot, half)];
                if let Some(section) = words.iter().position(|&word| word != GUARD) {
                    let stack = slot * self.layout.halves + half;
                    let room = self.layout.room;
                    return Err(KernelError::Parameter {
                        what: "depth of the stack",
                        value: room,
                        limit: format!(
                            "less than {room} frames: stack {stack} of section {section} overflowed; give stacks more room"
                        ),
                    });
                }
            }
        }
        Ok(())
    }

    /// Returns the values that contexts returned, 0 where one was not solved, and the slot and section of a search that found one.
    fn returned(&self, lmem: &[Quad]) -> (Vec<u32>, Option<(usize, usize)>) {
        let layout = &self.layout;
        let mut values: Vec<u32> = (0..self.contexts.len())
            .map(|at| {
                let words = lmem[layout.list(0) + at * layout.context()];
                words.iter().find(|&&word| word >> 32 == 1).map_or(0, |&word| word as u32)
            })
            .collect();
        // Values that nobody has taken from the lanes yet.
        let mut found = None;
        for (slot, section) in
            (0..layout.slots).flat_map(|slot| (0..SECTIONS).map(move |s| (slot, s)))
        {
            let pointer = lmem[layout.pointer(slot)][section] as u32;
            let place = lmem[layout.result(slot)][section] as u32 as usize;
            let is_idle = (pointer as usize) < layout.base(slot, 0);
            let value = lmem[layout.base(slot, 0) - layout.stride][section] as u32;
            if is_idle && place >= layout.list(0) {
                values[(place - layout.list(0)) / layout.context()] = value;
                if value != 0 {
                    found = Some((slot, section));
                }
            }
        }
        (values, found)
    }
}

/// Solves a task on CP2.
///
/// # Errors
/// The core lacks an extension, the task does not allow the plan, a stack overflows, contexts and stacks do not fit local memory, or the
/// run does not end.
pub fn solve<T: Task>(
    task: &T,
    plan: LanePlan,
    on: &Execution,
) -> Result<SearchOutcome, KernelError> {
    let prepared = prepare(task, plan, on)?;
    let arrays = task.arrays();
    let layout = &prepared.layout;
    if let Ok(path) = std::env::var("DUMP") {
        std::fs::write(path, &prepared.source).unwrap();
    }
    let (mut cp2, entry) = KernelRunner::with("search", &prepared.source, on)?;
    prepared.fill(&arrays, &mut cp2.state().lmem);
    let stats = cp2.call(entry, &[]);
    let lmem = &cp2.state().lmem;
    prepared.check_guards(lmem)?;
    let cycles = stats?.cycles;
    let passes = lmem[layout.blocks()][0] as u32 as u64 * prepared.passes as u64;
    let mut outcome = SearchOutcome {
        value: 0,
        contexts: prepared.contexts.len(),
        host_calls: prepared.host_calls,
        cycles,
        lanes: SECTIONS * plan.slots * plan.halves,
        passes,
        arrays: None,
    };
    if task.is_sum() {
        outcome.value = lmem[layout.sum()].iter().fold(prepared.sum, |all, &sum| {
            let high = if plan.halves == 2 { (sum >> 32) as u32 } else { 0 };
            all.wrapping_add(sum as u32).wrapping_add(high)
        });
        return Ok(outcome);
    }
    let (values, found) = prepared.returned(lmem);
    outcome.value = match plan.stops {
        true => values.iter().copied().find(|&value| value != 0).unwrap_or(0),
        false => combine(task, plan.depth, &values)
            .map_err(|_| KernelError::Internal("the host's calls overflow their stack"))?,
    };
    outcome.arrays = found.map(|(slot, section)| {
        let mut at = layout.own_arrays(slot);
        let all = arrays.iter().map(|array| {
            if !array.is_own {
                return array.words.clone();
            }
            let words = lmem[at..at + array.words.len()].iter().map(|quad| quad[section] as u32);
            at += array.words.len();
            words.collect()
        });
        all.collect()
    });
    Ok(outcome)
}
