//! Searches on CP2: the kernel of a task by a plan, what local memory holds before it runs, and how its results are read.

use super::bits::Steps;
use super::frame::{ALL, FrameWords, frame_of};
use super::kernel::LaneKernel;
use super::layout::LaneLayout;
use super::portions::{IDLES, Portions, host_calls};
use super::registers::{check_registers, kept_registers};
use super::stacks::{BetterPlan, Chosen, LanePlan, Stacks, check};
use cp2_emu::state::Quad;
use cp2_isa::{Core, Extensions, SECTIONS};
use cp2_recursion::{
    Dealing, HandedOver, MOST_FIELDS, NativeWords, SearchContext, Task, TaskArray, TaskFrame,
    hand_over_within,
};
use cp2_session::cost::ChosenPlan;
use cp2_session::error::KernelError;
use std::sync::Arc;

/// Most calls of the host above the contexts, contexts included: far more than local memory holds contexts.
pub(super) const MOST_CALLS: u64 = 1 << 18;
/// A search that is prepared: its kernel, and what the memory of the sections holds before it.
pub struct LaneSearch<'t, T> {
    pub(super) task: &'t T,
    pub(super) plan: LanePlan,
    pub(super) layout: LaneLayout,
    pub(super) arrays: Vec<TaskArray>,
    /// Contexts as words of frames, behind which arrays follow.
    pub(super) contexts: Vec<Vec<u64>>,
    /// Sum of what the host did.
    pub(super) sum: u32,
    /// Contexts as the host has handed them over, and its work above them.
    pub(super) handed: Arc<HandedOver>,
    /// Contents of the words of constants.
    pub(super) constants: Vec<u64>,
    /// Passes of a block, and what a call of the kernel does.
    pub(super) portions: Portions,
    /// Report on the choice of the plan.
    pub(super) chosen: Chosen,
    source: String,
}

/// A context that lanes get: where values are sums, behind its first step.
struct EnteredContext {
    /// Number among the contexts that the host has handed over.
    number: usize,
    /// Words of its frame.
    frame: [u32; ALL],
    /// Arrays of the lane that gets it.
    arrays: Vec<Vec<u32>>,
}

/// Contexts of a depth, which are the same for all plans from there.
#[derive(Clone)]
pub(super) struct Prepared {
    /// Contexts as the host has handed them over, and its work above them.
    pub handed: Arc<HandedOver>,
    /// Passes of a block, and what a call of the kernel does.
    pub portions: Portions,
    /// Contexts that lanes get.
    entered: Arc<Vec<EnteredContext>>,
    /// Sum of what the host did.
    sum: u32,
}

impl Prepared {
    /// Prepares contexts that the host has handed over.
    pub(super) fn of<T: Task>(
        task: &T,
        handed: HandedOver,
        stacks: Stacks,
    ) -> Result<Self, KernelError> {
        let idle = task.idle().filter(|_| stacks == Stacks::Own);
        let portions = Portions::of(task, &handed, (stacks, idle))?;
        let (entered, sum) = entered(task, &handed);
        Ok(Self { handed: Arc::new(handed), portions, entered: Arc::new(entered), sum })
    }

    /// Returns the contexts that lanes get.
    pub(super) fn given(&self) -> impl Iterator<Item = &SearchContext> {
        self.entered.iter().map(|context| &self.handed.contexts[context.number])
    }
}

/// Returns the contexts that are not solved by their first step, and the sum of what the host has done.
fn entered<T: Task>(task: &T, handed: &HandedOver) -> (Vec<EnteredContext>, u32) {
    let (mut all, mut sum) = (Vec::new(), handed.sum);
    for (number, context) in handed.contexts.iter().enumerate() {
        let mut fields = [0; MOST_FIELDS];
        fields[..context.parameters.len()].copy_from_slice(&context.parameters);
        let mut words = NativeWords { arrays: context.arrays.clone() };
        if !task.is_sum() {
            all.push(EnteredContext { number, frame: frame_of(0, &fields), arrays: words.arrays });
            continue;
        }
        // Where values are sums the host does the first step.
        let next = task.step(&mut words, TaskFrame { state: 0, returned: 0, fields });
        sum = sum.wrapping_add(next.value);
        if next.is_done == 0 {
            let frame = frame_of(next.state, &next.fields);
            all.push(EnteredContext { number, frame, arrays: words.arrays });
        }
    }
    (all, sum)
}

/// Makes the calls above a depth on the host.
fn handed_over<T: Task>(task: &T, depth: usize) -> Result<HandedOver, KernelError> {
    let too_deep = |_| KernelError::Parameter {
        what: "depth at which the host hands over",
        value: depth,
        limit: format!("at most {}", task.deepest()),
    };
    let handed = hand_over_within(task, depth, MOST_CALLS).map_err(too_deep)?;
    handed.ok_or_else(|| KernelError::Parameter {
        what: "depth at which the host hands over",
        value: depth,
        limit: format!("less: the host has more than {MOST_CALLS} calls and contexts there"),
    })
}

/// Returns the words of a context as the list has them: its frame, and the arrays of a lane.
fn words_of_context(
    context: &EnteredContext,
    (frame, arrays): (&FrameWords, &[TaskArray]),
) -> Vec<u64> {
    let mut all = frame.contents(&context.frame);
    let own = arrays.iter().zip(&context.arrays).filter(|(array, _)| array.is_own);
    all.extend(own.flat_map(|(_, words)| words).map(|&word| twice(word)));
    all
}

/// Codes of diagnostics: no register is left for a value, and a loop is beyond the bundles that can be named.
pub(super) const NO_REGISTER: &str = "C0605";
const TOO_FAR: &str = "C0609";

/// Whether a search was refused since registers do not hold its values, local memory its stacks, or instruction memory its kernel; fewer
/// stacks take less of each.
pub(super) fn is_too_large(error: &KernelError) -> bool {
    match error {
        KernelError::Assembly(error) => {
            error.diagnostics.iter().any(|found| [NO_REGISTER, TOO_FAR].contains(&found.code))
        }
        KernelError::Missing { .. } | KernelError::TooLong { .. } => true,
        _ => false,
    }
}

/// Resource that contexts and stacks take.
const WORDS: &str = "words of local memory";

/// Returns a word of both halves.
pub(super) fn twice(word: u32) -> u64 {
    u64::from(word) << 32 | u64::from(word)
}

fn words_of(arrays: &[TaskArray], is_own: bool) -> usize {
    arrays.iter().filter(|array| array.is_own == is_own).map(|array| array.words.len()).sum()
}

impl<'t, T: Task> LaneSearch<'t, T> {
    /// Makes the calls above the depth of the plan on the host, and the kernel of a core.
    ///
    /// # Errors
    /// The core lacks an extension, the task does not allow the plan, or contexts and stacks do not fit local memory.
    pub fn new(task: &'t T, plan: LanePlan, core: &Core) -> Result<Self, KernelError> {
        check(task, &plan, core, &Steps::of(task))?;
        let prepared = Prepared::of(task, handed_over(task, plan.depth)?, plan.stacks)?;
        Self::of_prepared((task, &prepared), plan, core)
    }

    /// Makes a search as [`Self::new`] does, of contexts from the depth of the plan that are prepared.
    pub(super) fn of_prepared(
        (task, prepared): (&'t T, &Prepared),
        plan: LanePlan,
        core: &Core,
    ) -> Result<Self, KernelError> {
        let steps = Steps::of(task);
        check(task, &plan, core, &steps)?;
        let Prepared { handed, portions, entered, sum } = prepared.clone();
        let (arrays, frame) = (task.arrays(), FrameWords::of(task, &steps, plan));
        let contexts: Vec<Vec<u64>> =
            entered.iter().map(|context| words_of_context(context, (&frame, &arrays))).collect();
        let idle = task.idle().filter(|_| plan.stacks == Stacks::Own);
        let layout = layout(task, (plan, &steps), &frame, contexts.len());
        check_room(&layout, (contexts.len(), plan), core)?;
        let kernel = LaneKernel {
            steps: &steps,
            parameters: task.fields().parameters.len(),
            idle,
            arrays: &arrays,
            plan,
            frame: &frame,
            layout: &layout,
            portions,
            finds_largest: core.extensions().contains(Extensions::SECTION_COUNTERS),
        };
        if plan.stacks == Stacks::Registers {
            check_registers(kept_registers(&layout), core.fprs())?;
        }
        let (source, constants) = kernel.source();
        if constants.len() > LaneLayout::MOST_CONSTANTS {
            let limit = format!("at most {}; take fewer stacks", LaneLayout::MOST_CONSTANTS);
            return Err(KernelError::Parameter {
                what: "constants",
                value: constants.len(),
                limit,
            });
        }
        Ok(Self {
            task,
            plan,
            layout,
            arrays,
            contexts,
            sum,
            handed,
            constants,
            portions,
            chosen: Chosen::default(),
            source,
        })
    }

    /// Returns how the plan was chosen; without a name where it was given whole.
    pub fn choice(&self) -> &ChosenPlan {
        &self.chosen.choice
    }

    /// Returns the predicted cycles of the host's calls, transfers and lanes together, the fewest of which were chosen; none if the plan was given whole.
    pub fn whole_cycles(&self) -> Option<f64> {
        self.chosen.whole
    }

    /// Returns the plan that would take fewer cycles, if numbers of stacks or searches were wished that leave it out.
    pub fn better(&self) -> Option<&BetterPlan> {
        self.chosen.better.as_ref()
    }

    /// Returns the passes between two looks at who is idle.
    pub fn block_passes(&self) -> u64 {
        self.portions.passes as u64
    }

    /// Returns the calls that the host makes: those above the contexts, and, where values are sums, the first step of each context too.
    pub fn host_calls(&self) -> u64 {
        host_calls(self.task, &self.handed)
    }

    /// Returns the passes of each lane so far.
    pub fn passes(&self, lmem: &[Quad]) -> u64 {
        let blocks = lmem[self.layout.blocks()][0] as u32;
        u64::from(blocks) * self.portions.passes as u64
    }

    /// Returns the groups of contexts, one for each search that works at a time in a slot.
    pub(super) fn groups(&self) -> usize {
        self.contexts.len().div_ceil(SECTIONS * self.plan.halves)
    }

    /// Returns the text of the kernel.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the plan.
    pub fn plan(&self) -> LanePlan {
        self.plan
    }

    /// Returns the number of contexts that the lanes solve.
    pub fn contexts(&self) -> usize {
        self.contexts.len()
    }

    /// Returns the number of searches that CP2 does at a time.
    pub fn lanes(&self) -> usize {
        SECTIONS * self.plan.slots * self.plan.halves
    }
}

/// Returns the places of a plan with so many contexts.
fn layout<T: Task>(
    task: &T,
    (plan, steps): (LanePlan, &Steps),
    frame: &FrameWords,
    count: usize,
) -> LaneLayout {
    let is_own = plan.stacks == Stacks::Own;
    let needed = task.deepest().saturating_sub(plan.depth).max(1);
    let groups = count.div_ceil(SECTIONS * plan.halves).div_ceil(plan.slots);
    let idle = task.idle().filter(|_| is_own);
    let arrays = task.arrays();
    LaneLayout {
        slots: plan.slots,
        halves: if is_own { plan.halves } else { 1 },
        frame: frame.words.len(),
        stride: frame.stride,
        idles: IDLES[usize::from(idle.is_none())],
        room: plan.room.unwrap_or(needed),
        groups: if is_own { 0 } else { groups },
        spill: usize::from(!steps.always_calls()),
        has_shares: is_own && plan.dealing != Dealing::Queue,
        shared: words_of(&arrays, false),
        own: words_of(&arrays, true),
        contexts: match (is_own, plan.halves) {
            (false, _) => [0, 0],
            (true, 1) => [count, 0],
            (true, _) => [count.div_ceil(2), count / 2],
        },
    }
}

/// Words of a plan that local memory holds.
pub(super) struct Fit {
    /// Words of local memory that it loads, and that it stores behind each call.
    pub moved: [usize; 2],
    /// Words of a frame.
    pub frame: usize,
    /// Registers that frames take which are in registers.
    pub registers: usize,
}

/// Returns what a plan with so many contexts takes.
///
/// # Errors
/// Local memory does not hold it.
pub(super) fn fits<T: Task>(
    task: &T,
    (plan, steps): (LanePlan, &Steps),
    count: usize,
    core: &Core,
) -> Result<Fit, KernelError> {
    let frame = FrameWords::of(task, steps, plan);
    let layout = layout(task, (plan, steps), &frame, count);
    check_room(&layout, (count, plan), core)?;
    let moved = [layout.words(), stored(task, &layout)];
    Ok(Fit { moved, frame: layout.frame, registers: kept_registers(&layout) })
}

/// Returns the registers that the frames of a plan take which are in registers.
pub(super) fn registers_of<T: Task>(task: &T, (plan, steps): (LanePlan, &Steps)) -> usize {
    kept_registers(&layout(task, (plan, steps), &FrameWords::of(task, steps, plan), 0))
}

/// Returns how many words of local memory have results, from the first one on: stacks, and the list if values return to it.
pub(super) fn stored<T: Task>(task: &T, layout: &LaneLayout) -> usize {
    if task.is_sum() { layout.shared_arrays() } else { layout.words() }
}

/// Returns the ending of a word of which there are so many.
fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Refuses what takes more words of a section than local memory has.
fn check_room(
    layout: &LaneLayout,
    (contexts, plan): (usize, LanePlan),
    core: &Core,
) -> Result<(), KernelError> {
    let (needed, available) = (layout.words(), core.lmem_words());
    if needed <= available {
        return Ok(());
    }
    // In lists each has its words; on stacks a group has those of one.
    let of_contexts = match plan.stacks {
        Stacks::Own => contexts * layout.context(),
        Stacks::CommonDepth | Stacks::Registers => layout.groups * layout.slots * layout.stride,
    };
    let stacks = match plan.stacks {
        Stacks::Registers => "frames in registers".to_owned(),
        Stacks::Own | Stacks::CommonDepth => {
            let stacks = plan.slots * layout.halves;
            format!(
                "{stacks} stack{} of {} frame{}, arrays of {} words for all lanes and {} for each",
                plural(stacks),
                layout.room,
                plural(layout.room),
                layout.shared,
                layout.own,
            )
        }
    };
    let kernel = format!(
        "a search with {contexts} context{} ({of_contexts} words of a section), {stacks}",
        plural(contexts)
    );
    Err(KernelError::Missing { kernel, resource: WORDS, needed, available })
}
