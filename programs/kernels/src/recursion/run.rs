//! Runs of searches on CP2 alone.

use super::bits::Steps;
use super::frame::FrameWords;
use super::own_layout::OwnLayout;
use super::own_stacks::OwnStacks;
use cp2_isa::SECTIONS;
use cp2_recursion::{
    HandedOver, MOST_FIELDS, NativeWords, StepOperation, Task, TaskFrame, hand_over,
};
use cp2_session::error::KernelError;
use cp2_session::execution::{Execution, KernelRunner};

/// Shape of searches with a stack of its own in each section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnPlan {
    /// Depth at which the host hands contexts over.
    pub depth: usize,
    /// Searches that a section does in turn.
    pub slots: usize,
    /// Searches of a slot, one for each half of a register in use, 1 or 2.
    pub halves: usize,
    /// Frames of a stack, at least 1.
    pub room: usize,
}

/// Value of a search on CP2, and its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOutcome {
    /// Value of the task.
    pub value: u32,
    /// Contexts that the lanes solved.
    pub contexts: usize,
    /// Calls that the host made.
    pub host_calls: u64,
    /// Cycles of the kernel.
    pub cycles: u64,
    /// Lanes: searches that CP2 does at a time.
    pub lanes: usize,
}

/// Idle frames below a stack.
const IDLES: usize = 4;
/// Passes between two looks at who is idle, if idle frames do not limit them.
const PASSES: usize = 100;

/// Contexts whose first step the host has done.
struct Entered {
    /// State and fields of frames with work left.
    frames: Vec<(u32, [u32; MOST_FIELDS])>,
    /// Sum of what the first steps gave.
    value: u32,
}

fn entered<T: Task>(task: &T, handed: &HandedOver) -> Entered {
    let mut all = Entered { frames: Vec::new(), value: 0 };
    for context in &handed.contexts {
        let mut words = NativeWords { arrays: context.arrays.clone() };
        let mut fields = [0; MOST_FIELDS];
        fields[..context.parameters.len()].copy_from_slice(&context.parameters);
        let next = task.step(&mut words, TaskFrame { state: 0, returned: 0, fields });
        all.value = all.value.wrapping_add(next.value);
        if next.is_done == 0 {
            all.frames.push((next.state, next.fields));
        }
    }
    all
}

/// Solves a task whose values are sums on CP2, with a stack of its own in each section.
///
/// # Errors
/// A stack overflows, contexts and stacks do not fit local memory, or the run does not end.
pub fn solve_with_own_stacks<T: Task>(
    task: &T,
    plan: OwnPlan,
    on: &Execution,
) -> Result<SearchOutcome, KernelError> {
    let steps = Steps::of(task);
    let handed = hand_over(task, plan.depth).map_err(|_| KernelError::Parameter {
        what: "depth",
        value: plan.depth,
        limit: "less".into(),
    })?;
    let begun = entered(task, &handed);
    let frame = FrameWords::of(task, &steps, plan.halves);
    let mut shared = Vec::new();
    let mut arrays = Vec::new();
    for array in task.arrays() {
        arrays.push(shared.len());
        shared.extend(array.words);
    }
    let count = begun.frames.len();
    let contexts = if plan.halves == 1 { [count, 0] } else { [count.div_ceil(2), count / 2] };
    let idle = task.idle();
    let layout = OwnLayout {
        slots: plan.slots,
        halves: plan.halves,
        frame: frame.words.len(),
        stride: frame.stride,
        idles: if idle.is_some() { IDLES } else { 1 },
        room: plan.room,
        arrays: shared.len(),
        contexts,
    };
    if layout.words() > on.core.lmem_words() {
        return Err(KernelError::Parameter {
            what: "words",
            value: layout.words(),
            limit: on.core.lmem_words().to_string(),
        });
    }
    assert_eq!(steps.enter.operations[steps.enter.next.calls], StepOperation::Constant(0));
    let passes = idle.map_or(PASSES, |idle| IDLES * idle.steps as usize);
    let kernel = OwnStacks {
        steps: &steps,
        parameters: task.fields().parameters.len(),
        idle,
        frame: &frame,
        layout: &layout,
        arrays: &arrays,
        passes,
        finds_largest: false,
    };
    let (text, constants) = kernel.source("search");
    if let Ok(path) = std::env::var("DUMP") {
        std::fs::write(path, &text).unwrap();
    }
    let (mut cp2, entry) = KernelRunner::with("search", &text, on)?;
    let lmem = &mut cp2.state().lmem;
    for slot in 0..plan.slots {
        let high = if plan.halves == 2 { 1 } else { 0 };
        let [low, high] = [0, high].map(|half| (layout.base(slot, half) - layout.stride) as u64);
        lmem[layout.pointer(slot)] = [high << 32 | low; SECTIONS];
    }
    for section in 0..SECTIONS - 1 {
        lmem[layout.before(section)] =
            std::array::from_fn(|own| if own > section { u64::MAX } else { 0 });
    }
    for (at, constant) in constants.iter().enumerate() {
        lmem[layout.pool() + at] = [*constant; SECTIONS];
    }
    for (at, word) in shared.iter().enumerate() {
        lmem[layout.arrays() + at] = [u64::from(*word) << 32 | u64::from(*word); SECTIONS];
    }
    let mut places = [0, 1].map(|half| layout.list(half));
    for (at, (state, fields)) in begun.frames.iter().enumerate() {
        let place = &mut places[at % plan.halves];
        for word in frame.contents(*state, fields) {
            lmem[*place] = [word; SECTIONS];
            *place += 1;
        }
    }
    let stats = cp2.call(entry, &[])?;
    let sums = cp2.state().lmem[layout.sum()];
    let value = sums.iter().fold(begun.value, |all, &sum| {
        let high = if plan.halves == 2 { (sum >> 32) as u32 } else { 0 };
        all.wrapping_add(sum as u32).wrapping_add(high)
    });
    Ok(SearchOutcome {
        value: value.wrapping_add(handed.sum),
        contexts: count,
        host_calls: handed.host_calls,
        cycles: stats.cycles,
        lanes: SECTIONS * plan.slots * plan.halves,
    })
}
