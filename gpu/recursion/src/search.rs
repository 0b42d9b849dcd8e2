//! A search on a device: contexts go there, work-items solve them, and the host combines the values.

use crate::contexts::{ContextList, ContextRoom, HostArrays};
use crate::error::SearchError;
use crate::plan::{SearchPlan, StackPlace};
use crate::text::{Layout, text};
use cp2_gpu::GpuArgument::{Int, Ints, Words};
use cp2_gpu::{Gpu, GpuBuffer, GpuKernel};
use cp2_recursion::{Dealing, Task, combine};
use std::cell::RefCell;
use std::time::Instant;

/// Words that a search and its kernel share, in the order of `kernels/common.cl`.
const CONTROL: usize = 9;
/// Place of the context behind which none is needed.
const STOP: usize = 1;
/// Place of the number of stacks that overflowed; work-item, group and depth of one of them follow.
const OVERFLOWS: usize = 2;
/// Place of the number of work-items that found a solution.
const CLAIMED: usize = 6;
/// Place of the number of frames that were given back.
const GIVEN: usize = 8;
/// Most bytes of contexts that work-items give back.
const MOST_GIVEN: usize = 1 << 27;
/// Words of a group's work: sum, nodes, most passes of a work-item, all passes.
const WORK: usize = 4;
/// Most bytes of contexts, which the host holds too.
const MOST_BYTES: u64 = 1 << 29;

/// Value of a search, and its work and time.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// Value of the task, of the contexts that were solved. Where values are sums it is the sum of all words that steps gave, which a
    /// task whose values are modulo 2^32 has to cut.
    pub value: u64,
    /// Whether no other context can change the value.
    pub is_whole: bool,
    /// Contexts.
    pub contexts: usize,
    /// Depth of the contexts.
    pub depth: usize,
    /// Calls that the host made.
    pub host_calls: u64,
    /// State behind the last context that was solved.
    pub state: SearchState,
    /// Calls of work-items before the search was resumed; 0 if it was not.
    pub calls_before: u64,
    /// Work-items.
    pub lanes: usize,
    /// Arrays of the lane that ended a search early, if one did.
    pub arrays: Option<Vec<Vec<u32>>>,
    /// Seconds of the host for its calls, of the device with transfers, and of combining.
    pub seconds: [f64; 3],
}

impl SearchResult {
    /// Returns nodes of the tree: the calls of host and work-items.
    pub fn nodes(&self) -> u64 {
        self.host_calls + self.state.calls
    }

    /// Returns the nodes for a second of this run, host and combining included; none if it was resumed when no context was left.
    pub fn rate(&self) -> Option<f64> {
        let made = self.host_calls + self.state.calls - self.calls_before;
        let has_ended = self.calls_before > 0 && self.calls_before == self.state.calls;
        (!has_ended).then(|| made as f64 / self.seconds.iter().sum::<f64>())
    }

    /// Returns the share of the lanes that did work, 0 to 1: all passes over those of the lane with most, times lanes.
    pub fn efficiency(&self) -> f64 {
        self.state.passes as f64 / (self.lanes as f64 * self.state.longest.max(1) as f64)
    }
}

/// State of a search between two launches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchState {
    /// Contexts that are solved, from the first one on.
    pub done: usize,
    /// Sum of the values of contexts, where values are sums.
    pub sum: u64,
    /// Values of contexts, where they are not.
    pub values: Vec<u32>,
    /// Calls of all work-items.
    pub calls: u64,
    /// Passes of the loop of all work-items.
    pub passes: u64,
    /// Passes of the work-item with most of them, added over launches.
    pub longest: u64,
    /// Launches.
    pub launches: u64,
    /// Whether the search ended before its last context.
    pub is_stopped: bool,
    /// Words of the arrays of the lane that ended it.
    pub solution: Option<Vec<i32>>,
}

/// A search whose kernel is built and whose memory is taken.
pub struct DeviceSearch<'t, T> {
    gpu: Gpu,
    task: &'t T,
    plan: SearchPlan,
    layout: Layout,
    /// Arrays of the task, for the calls of the host.
    arrays: RefCell<HostArrays>,
    kernel: GpuKernel,
    depth: usize,
    room: ContextRoom,
    buffers: Buffers,
    /// Contexts.
    count: usize,
}

struct Buffers {
    contexts: GpuBuffer<i32>,
    shared: GpuBuffer<i32>,
    control: GpuBuffer<i32>,
    values: GpuBuffer<i32>,
    solution: GpuBuffer<i32>,
    work: GpuBuffer<u64>,
    /// Frames that a launch begins with, and those that it gives back, in turn.
    frames: [GpuBuffer<i32>; 2],
}

/// A search that goes on launch by launch.
pub struct RunningSearch<'s, 't, T> {
    search: &'s DeviceSearch<'t, T>,
    list: ContextList,
    state: SearchState,
    /// Calls of work-items before the search was resumed.
    calls_before: u64,
    host_seconds: f64,
    device_seconds: f64,
}

impl<'t, T: Task + Sync> DeviceSearch<'t, T> {
    /// Makes the calls above the depth to see how many contexts there are, and builds the kernel.
    ///
    /// # Errors
    /// The plan cannot serve the task; the device has no room for contexts or stacks, or is lost; a stack of the host overflows.
    pub fn new(gpu: &Gpu, task: &'t T, plan: SearchPlan) -> Result<Self, SearchError> {
        plan.check(task, gpu.info().items)?;
        let layout = Layout::of(&task.arrays());
        let each = task.fields().parameters.len() + layout.own;
        let room = ContextRoom { each, bytes: gpu.info().largest.min(MOST_BYTES) };
        let mut arrays = HostArrays::of(task);
        let list = ContextList::of(task, &mut arrays, plan.depth, (plan.wanted(), room))?;
        let frames = plan.room(task, list.depth);
        let (kernel, frame) = Self::kernel(gpu, task, (&plan, frames), &layout)?;
        let given = match plan.unwinds(task.is_sum(), layout.own) {
            true => given_room(each) * each,
            false if plan.gives_back() => plan.lanes() * frames * frame,
            false => 1,
        };
        let shared: Vec<i32> = layout.shared.iter().map(|&word| word as i32).collect();
        let values = if task.is_sum() { 1 } else { list.count };
        let bytes = 4 * (list.words.len() + shared.len() + values + 2 * given) as u64;
        let largest = list.words.len().max(shared.len()).max(values).max(given);
        gpu.require("contexts and frames of the search", bytes, 4 * largest as u64)?;
        let buffers = Buffers {
            contexts: gpu.buffer(list.words.len().max(1))?,
            shared: gpu.buffer_of(if shared.is_empty() { &[0] } else { &shared })?,
            control: gpu.buffer(CONTROL)?,
            values: gpu.buffer(values.max(1))?,
            solution: gpu.buffer(layout.own.max(1))?,
            work: gpu.buffer(WORK * plan.groups)?,
            frames: [gpu.buffer(given)?, gpu.buffer(given)?],
        };
        let (gpu, depth, count) = (gpu.clone(), list.depth, list.count);
        let arrays = RefCell::new(arrays);
        let search = Self { gpu, task, plan, layout, arrays, kernel, depth, room, buffers, count };
        // Some drivers build a kernel when it is launched first.
        search.launch_once([0, 0], None, &mut SearchState::default())?;
        Ok(search)
    }

    /// Builds the kernel, and returns it with the words of a frame.
    fn kernel(
        gpu: &Gpu,
        task: &T,
        (plan, frames): (&SearchPlan, usize),
        layout: &Layout,
    ) -> Result<(GpuKernel, usize), SearchError> {
        let text = text(task, layout, plan);
        let in_local = plan.stack != StackPlace::Private;
        let kept = if in_local { frames.saturating_sub(1).max(1) * text.frame } else { 0 };
        let bytes = 4 * (kept * plan.items) as u64 + 8 * (WORK * plan.items) as u64 + 512;
        let limit = gpu.info().local;
        if bytes > limit {
            return Err(SearchError::Stack { bytes, limit, items: plan.items, room: frames });
        }
        let defined = [
            ("ROOM", frames as i64),
            ("ITEMS", plan.items as i64),
            ("QUEUE", plan.is_queue().into()),
            ("BLOCKS", (plan.dealing == Dealing::Block).into()),
            ("IN_LOCAL", in_local.into()),
            ("GIVEN_ROOM", given_room(task.fields().parameters.len() + layout.own) as i64),
        ];
        let kernel = gpu.program(&text.text, &defined)?.kernel("search")?;
        if plan.items > kernel.items() {
            return Err(SearchError::Items { items: plan.items, limit: kernel.items() });
        }
        Ok((kernel, text.frame))
    }

    /// Returns the depth of the contexts.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns how many contexts there are.
    pub fn contexts(&self) -> usize {
        self.count
    }

    /// Runs the search in one launch.
    ///
    /// # Errors
    /// A stack overflows, or the device is lost.
    pub fn run(&self) -> Result<SearchResult, SearchError> {
        let mut running = self.begin(SearchState::default())?;
        running.advance(usize::MAX)?;
        running.finish()
    }

    /// Makes the contexts and brings them to the device. The search goes on from a state, the default one at the begin.
    ///
    /// # Errors
    /// The state is that of another search, or the device is lost.
    pub fn begin(&self, state: SearchState) -> Result<RunningSearch<'_, 't, T>, SearchError> {
        let begin = Instant::now();
        let mut arrays = self.arrays.borrow_mut();
        let list = ContextList::of(self.task, &mut arrays, Some(self.depth), (0, self.room))?;
        let host_seconds = begin.elapsed().as_secs_f64();
        let known = if self.task.is_sum() { 0 } else { state.done };
        let numbers = [
            ("contexts that are solved, beyond all", list.count, state.done.max(list.count)),
            ("values", known, state.values.len()),
        ];
        for (what, here, there) in numbers {
            if here != there {
                let (here, there) = (here as u64, there as u64);
                return Err(SearchError::State { what, here, there });
            }
        }
        let begin = Instant::now();
        self.gpu.write(&self.buffers.contexts, 0, &list.words)?;
        let device_seconds = begin.elapsed().as_secs_f64();
        let calls_before = state.calls;
        Ok(RunningSearch { search: self, list, state, calls_before, host_seconds, device_seconds })
    }

    /// Solves the contexts from `first` up to `last` and adds what comes of it to the state. Frames that are given back are dealt out anew
    /// until none is.
    fn launch(
        &self,
        [first, last]: [usize; 2],
        state: &mut SearchState,
    ) -> Result<(), SearchError> {
        let (gpu, buffers, is_sum) = (&self.gpu, &self.buffers, self.task.is_sum());
        let mut values = vec![0; if is_sum { 0 } else { last - first }];
        if self.plan.stop.is_some() {
            gpu.write(&buffers.values, first, &values)?;
        }
        // The first launch gives frames into the first buffer.
        let [one, other] = &buffers.frames;
        let mut control = self.launch_once([first, last], None, state)?;
        let mut turn = [other, one];
        while control[GIVEN] > 0 {
            turn.swap(0, 1);
            let mut given = control[GIVEN] as usize;
            if self.plan.unwinds(is_sum, self.layout.own) {
                given = given.min(given_room(self.room.each));
            }
            control = self.launch_once([0, given], Some(turn), state)?;
        }
        if !is_sum {
            gpu.read(&buffers.values, first, &mut values)?;
            state.values.extend(values.iter().map(|&value| value as u32));
        }
        if control[CLAIMED] != 0 {
            let mut own = vec![0; self.layout.own];
            gpu.read(&buffers.solution, 0, &mut own)?;
            state.solution = Some(own);
        }
        state.is_stopped = control[STOP] != i32::MAX;
        state.done = last;
        Ok(())
    }

    /// Solves contexts, or frames that were given back: those to take, and where others are given. Returns the words of `control`.
    fn launch_once(
        &self,
        [first, last]: [usize; 2],
        given: Option<[&GpuBuffer<i32>; 2]>,
        state: &mut SearchState,
    ) -> Result<[i32; CONTROL], SearchError> {
        let (gpu, buffers, lanes) = (&self.gpu, &self.buffers, self.plan.lanes());
        let mut control = [0; CONTROL];
        (control[0], control[STOP]) = ((first + lanes) as i32, i32::MAX);
        gpu.write(&buffers.control, 0, &control)?;
        let [one, other] = &buffers.frames;
        let [take, give] = given.unwrap_or([other, one]);
        // What is given back are contexts where lanes have arrays.
        let is_contexts = given.is_some() && self.plan.unwinds(self.task.is_sum(), self.layout.own);
        let contexts = if is_contexts { take } else { &buffers.contexts };
        let arguments = [
            Int(first as i32),
            Int(last as i32),
            Ints(contexts),
            Ints(&buffers.shared),
            Ints(&buffers.control),
            Ints(&buffers.values),
            Ints(&buffers.solution),
            Words(&buffers.work),
            Int(given.is_some().into()),
            Ints(take),
            Ints(give),
        ];
        gpu.launch_in_order(&self.kernel, [&[lanes], &[self.plan.items]], &arguments)?;
        let mut work = vec![0; WORK * self.plan.groups];
        gpu.read(&buffers.work, 0, &mut work)?;
        gpu.read(&buffers.control, 0, &mut control)?;
        if control[OVERFLOWS] != 0 {
            let [stacks, lane, group, depth] =
                std::array::from_fn(|at| control[OVERFLOWS + at] as usize);
            let room = self.plan.room(self.task, self.depth);
            return Err(SearchError::Overflow { stacks, lane, group, depth, room });
        }
        for group in work.chunks_exact(WORK) {
            state.sum += group[0];
            state.calls += group[1];
            state.passes += group[3];
        }
        state.longest += work.iter().skip(2).step_by(WORK).max().copied().unwrap_or(0);
        state.launches += 1;
        Ok(control)
    }
}

/// Returns how many contexts of so many words work-items can give back.
fn given_room(each: usize) -> usize {
    MOST_GIVEN / 4 / each.max(1)
}

impl<T: Task + Sync> RunningSearch<'_, '_, T> {
    /// Solves the next contexts, so many at most, and returns whether the search has ended.
    ///
    /// # Errors
    /// A stack overflows, or the device is lost.
    pub fn advance(&mut self, contexts: usize) -> Result<bool, SearchError> {
        let begin = Instant::now();
        let first = self.state.done;
        let last = first.saturating_add(contexts).min(self.list.count);
        if first < last && !self.state.is_stopped {
            self.search.launch([first, last], &mut self.state)?;
        }
        self.device_seconds += begin.elapsed().as_secs_f64();
        Ok(self.is_whole())
    }

    /// Returns a number that stands for the contexts of the search; that of another search is another one, but for a chance of 2^-64.
    pub fn fingerprint(&self) -> u64 {
        let arrays = self.search.arrays.borrow();
        let shared = arrays.words.arrays.iter().flatten().map(|&word| word as i32);
        // FNV-1a, a word at a time.
        shared.chain(self.list.words.iter().copied()).fold(0xcbf2_9ce4_8422_2325, |hash, word| {
            (hash ^ u64::from(word as u32)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// Returns the state, with which the search can go on later.
    pub fn state(&self) -> &SearchState {
        &self.state
    }

    fn is_whole(&self) -> bool {
        self.state.is_stopped || self.state.done == self.list.count
    }

    /// Combines the values of the contexts that were solved; others count as 0.
    ///
    /// # Errors
    /// A stack of the host overflows.
    pub fn finish(self) -> Result<SearchResult, SearchError> {
        let begin = Instant::now();
        let Self { search, list, state, calls_before, host_seconds, device_seconds } = &self;
        let DeviceSearch { task, layout, plan, .. } = search;
        let value = match task.is_sum() {
            true => list.host_value + state.sum,
            false => combine(*task, list.depth, &state.values)?.into(),
        };
        let solution = state.solution.as_ref();
        let arrays = solution.map(|own| layout.arrays(&task.arrays(), own));
        Ok(SearchResult {
            value,
            is_whole: self.is_whole(),
            contexts: list.count,
            depth: list.depth,
            host_calls: list.host_calls,
            lanes: plan.lanes(),
            arrays,
            calls_before: *calls_before,
            seconds: [*host_seconds, *device_seconds, begin.elapsed().as_secs_f64()],
            state: self.state,
        })
    }
}
