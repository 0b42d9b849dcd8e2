//! A search on a device: contexts go there, work-items solve them, and the host combines the values.

use crate::error::SearchError;
use crate::text::{Layout, text};
use cp2_gpu::GpuArgument::{Int, Ints, Words};
use cp2_gpu::{Gpu, GpuBuffer, GpuKernel};
use cp2_recursion::{HandedOver, Task, combine, hand_over};
use std::time::Instant;

/// Memory in which the stacks of work-items are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackPlace {
    /// Private memory, which the caches hold.
    Private,
    /// Local memory of the work-group.
    Local,
}

/// Shape of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchPlan {
    /// Depth at which the host hands contexts over.
    pub depth: usize,
    /// Memory of the stacks.
    pub stack: StackPlace,
    /// Whether a work-item takes the next context of a common queue when it has solved one; else contexts are dealt out in turn.
    pub is_queue: bool,
    /// Work-items of a group.
    pub items: usize,
    /// Groups.
    pub groups: usize,
}

/// Value of a search, and its work and time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchResult {
    /// Value of the task.
    pub value: u32,
    /// Contexts.
    pub contexts: usize,
    /// Calls that the host made.
    pub host_calls: u64,
    /// Calls of all work-items.
    pub calls: u64,
    /// Steps of all work-items.
    pub steps: u64,
    /// Steps of the work-item with most of them.
    pub longest: u64,
    /// Seconds of the host for its calls, of the device with transfers, and of combining.
    pub seconds: [f64; 3],
}

impl SearchResult {
    /// Returns nodes of the tree: the calls of host and work-items.
    pub fn nodes(&self) -> u64 {
        self.host_calls + self.calls
    }
}

/// A search whose kernel is built and whose contexts are made.
pub struct DeviceSearch<'t, T> {
    gpu: Gpu,
    task: &'t T,
    plan: SearchPlan,
    kernel: GpuKernel,
    handed: HandedOver,
    /// Seconds of the host for the calls above the depth.
    host_seconds: f64,
    contexts: Vec<i32>,
    buffers: Buffers,
}

struct Buffers {
    contexts: GpuBuffer<i32>,
    shared: GpuBuffer<i32>,
    taken: GpuBuffer<i32>,
    values: GpuBuffer<i32>,
    work: GpuBuffer<u64>,
}

impl<'t, T: Task> DeviceSearch<'t, T> {
    /// Makes the calls above the depth, and builds the kernel.
    ///
    /// # Errors
    /// The device has no room for contexts or stacks, or is lost; a stack of the host overflows.
    pub fn new(gpu: &Gpu, task: &'t T, plan: SearchPlan) -> Result<Self, SearchError> {
        let begin = Instant::now();
        let handed = hand_over(task, plan.depth)?;
        let host_seconds = begin.elapsed().as_secs_f64();
        let arrays = task.arrays();
        let layout = Layout::of(&arrays);
        let mut contexts: Vec<i32> = Vec::new();
        for context in &handed.contexts {
            let own = arrays.iter().zip(&context.arrays).filter(|(array, _)| array.is_own);
            let words = context.parameters.iter().chain(own.flat_map(|(_, words)| words));
            contexts.extend(words.map(|&word| word as i32));
        }
        let room = task.deepest().saturating_sub(plan.depth).max(1);
        let frame = 4 * (task.fields().count() + 1) * room * plan.items;
        if plan.stack == StackPlace::Local && frame as u64 > gpu.info().local {
            return Err(SearchError::Stack {
                bytes: frame as u64,
                limit: gpu.info().local,
                items: plan.items,
                room,
            });
        }
        let defined = [
            ("ROOM", room as i64),
            ("ITEMS", plan.items as i64),
            ("QUEUE", plan.is_queue.into()),
            ("IN_LOCAL", (plan.stack == StackPlace::Local).into()),
        ];
        let kernel = gpu.program(&text(task, &layout), &defined)?.kernel("search")?;
        let shared: Vec<i32> = layout.shared.iter().map(|&word| word as i32).collect();
        let bytes = 4 * (contexts.len() + shared.len() + handed.contexts.len()) as u64;
        gpu.require("contexts of the search", bytes, 4 * contexts.len().max(shared.len()) as u64)?;
        let buffers = Buffers {
            contexts: gpu.buffer(contexts.len().max(1))?,
            shared: gpu.buffer_of(if shared.is_empty() { &[0] } else { &shared })?,
            taken: gpu.buffer(2)?,
            values: gpu.buffer(handed.contexts.len().max(1))?,
            work: gpu.buffer(2 * plan.items * plan.groups)?,
        };
        let gpu = gpu.clone();
        Ok(Self { gpu, task, plan, kernel, handed, host_seconds, contexts, buffers })
    }

    /// Runs the search.
    ///
    /// # Errors
    /// A stack overflows, or the device is lost.
    pub fn run(&self) -> Result<SearchResult, SearchError> {
        let (gpu, buffers) = (&self.gpu, &self.buffers);
        let count = self.handed.contexts.len();
        let begin = Instant::now();
        gpu.write(&buffers.contexts, 0, &self.contexts)?;
        gpu.write(&buffers.taken, 0, &[0, 0])?;
        let arguments = [
            Int(count as i32),
            Ints(&buffers.contexts),
            Ints(&buffers.shared),
            Ints(&buffers.taken),
            Ints(&buffers.values),
            Words(&buffers.work),
        ];
        let global = self.plan.items * self.plan.groups;
        gpu.launch_in_order(&self.kernel, [&[global], &[self.plan.items]], &arguments)?;
        let mut values = vec![0; count];
        gpu.read(&buffers.values, 0, &mut values)?;
        let on_device = begin.elapsed().as_secs_f64();
        let (mut taken, mut work) = ([0; 2], vec![0; 2 * global]);
        gpu.read(&buffers.taken, 0, &mut taken)?;
        gpu.read(&buffers.work, 0, &mut work)?;
        if taken[1] != 0 {
            let room = self.task.deepest().saturating_sub(self.plan.depth).max(1);
            return Err(SearchError::Overflow { stacks: taken[1] as usize, room });
        }
        let begin = Instant::now();
        let values: Vec<u32> = values.iter().map(|&value| value as u32).collect();
        let value = combine(self.task, self.plan.depth, &values)?;
        let combining = begin.elapsed().as_secs_f64();
        let steps = work.iter().skip(1).step_by(2);
        Ok(SearchResult {
            value,
            contexts: count,
            host_calls: self.handed.host_calls,
            calls: work.iter().step_by(2).sum(),
            steps: steps.clone().sum(),
            longest: steps.max().copied().unwrap_or(0),
            seconds: [self.host_seconds, on_device, combining],
        })
    }
}
