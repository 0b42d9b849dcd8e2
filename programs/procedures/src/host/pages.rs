//! The page scheme that every procedure uses. A page is what is in one part of local memory at once. While CP2 computes
//! a page, the channel unloads the one before and loads the next. What a page contains, and where it lies, is up to the
//! procedure.

mod known;

pub use super::banks::BANK_WORDS;
pub(crate) use super::banks::{bank, check, in_quarters, overlap};
use super::names::{StageNames, page_name};
use super::session::{Call, Host, Queue};
use super::steps::StepMinimum;
use cp2_emu::dma::{Descriptor, JumpKind};
use cp2_isa::{BundleAddress, Core};
use cp2_recording::StepLevel;
use cp2_session::cost::passes::DataPass;
use cp2_session::error::KernelError;
pub(crate) use known::{ChainMoment, KnownTimes};
use std::ops::Range;

/// Returns pages that lie where [`bank`] says, as a core takes them: where local memory holds one page only, each is loaded
/// when the one before is unloaded, while no kernel runs.
pub(crate) fn in_banks(core: &Core, mut pages: Vec<Page>) -> Vec<Page> {
    if !overlap(core) {
        for page in &mut pages {
            page.prepare.append(&mut page.load);
        }
    }
    pages
}

/// Most device-driven pages in one run of a kernel: few enough that progress is seen, and that a run stays far below
/// the limit of cycles.
pub(crate) const PAGES_OF_RUN: usize = 128;

/// Command of the host to CP2 for a [`Page`], one of those that compute it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Runs a kernel and waits for its end.
    Run(Call),
    /// Chooses the inverse transform (`true`) or the forward one for the kernels that follow.
    SetInverse(bool),
    /// Lets a kernel of CP2 go on to the page and compute it without the host. A page with this command has no other,
    /// and neighbouring pages with it go in one run of their kernel. Only chains of pages within this crate take the
    /// command; [`run`] refuses it.
    DeviceDriven(DeviceDrivenPage),
}

/// Description of a page that a kernel of CP2 goes on to by itself: the kernel waits for the DMA channel, releases it,
/// computes the page, and goes on to the next one without the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceDrivenPage {
    /// Address of the first bundle of the kernel that goes through the page.
    pub entry: BundleAddress,
    /// Number of pages that one pass of the kernel's loop goes through; a run has a multiple of it.
    pub pages: usize,
    /// Word address in local memory at which the page begins.
    pub first: usize,
    /// Word address in local memory of the page with which the kernel would go on after this one; a page elsewhere
    /// needs a run of its own.
    pub next: usize,
}

impl DeviceDrivenPage {
    /// Returns the call that runs this number of pages, from this one on.
    fn call(self, pages: usize) -> Call {
        let arguments = vec![(pages / self.pages) as u16, self.first as u16];
        Call::new(self.entry, arguments)
    }
}

/// A page: the data that lie in one part of local memory at once, as the transfers that bring them, the commands that
/// work on them, and the transfers that store them. A procedure makes the pages, and [`run`] goes through them.
///
/// A page is unloaded while the next one is computed, and then the page after that is loaded. So page k + 1 may be
/// loaded over what page k - 1 unloads, but over nothing that page k uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Transfers to local memory before the page's commands during which no kernel runs, because they write to words
    /// that kernels of earlier pages use.
    pub prepare: Vec<Descriptor>,
    /// Transfers from system memory to local memory, which run beside the kernels of the page before.
    pub load: Vec<Descriptor>,
    /// Commands that compute the page, in order.
    pub commands: Vec<Command>,
    /// Transfers from local memory to system memory, which run beside the kernels of the next page.
    pub unload: Vec<Descriptor>,
}

/// A kernel page and the transfers that run beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PageStep {
    /// Number of the page whose commands are run.
    pub(crate) kernel: Option<usize>,
    /// Transfers that run meanwhile.
    pub(crate) transfers: Vec<Descriptor>,
}

/// Returns a descriptor that moves nothing: it goes on to the next one whatever the index.
pub(crate) fn nothing() -> Descriptor {
    Descriptor::jump(JumpKind::Compare { value: 0, equal: 1, other: 1 }, 0)
}

/// Returns the steps of all pages; the first and the last move data only.
fn steps(pages: &[Page]) -> Vec<PageStep> {
    let mut steps = Vec::new();
    let mut n_unloaded = 0;
    let mut unload = |step: &mut PageStep, until: usize| {
        for page in &pages[n_unloaded..until] {
            step.transfers.extend(page.unload.iter().cloned());
        }
        n_unloaded = until;
    };
    for (k, page) in pages.iter().enumerate() {
        if k == 0 || !page.prepare.is_empty() {
            let mut still = PageStep::default();
            unload(&mut still, k);
            still.transfers.extend(page.prepare.iter().cloned());
            if k == 0 {
                still.transfers.extend(page.load.iter().cloned());
            }
            steps.push(still);
        }
        let mut step = PageStep { kernel: Some(k), transfers: Vec::new() };
        unload(&mut step, k);
        if let Some(next) = pages.get(k + 1) {
            step.transfers.extend(next.load.iter().cloned());
        }
        steps.push(step);
    }
    let mut last = PageStep::default();
    unload(&mut last, pages.len());
    steps.push(last);
    steps
}

/// Returns the steps of all pages, whose transfers are one queue for the channel.
pub(crate) fn linked_steps(pages: &[Page]) -> Vec<PageStep> {
    let mut steps = steps(pages);
    link(&mut steps);
    steps
}

/// Returns the pass of these pages with what they load and store, before any kernel ran.
fn describe(pages: &[Page]) -> DataPass {
    DataPass::of(pages.iter().map(|page| [&page.prepare[..], &page.load, &page.unload]))
}

/// Returns the addresses of the kernels that the commands call.
fn calls(commands: &[Command]) -> impl Iterator<Item = BundleAddress> + '_ {
    commands.iter().filter_map(|command| match command {
        Command::Run(Call { entry, .. })
        | Command::DeviceDriven(DeviceDrivenPage { entry, .. }) => Some(*entry),
        Command::SetInverse(_) => None,
    })
}

/// Goes through all pages in order, with the host turning from one to the next, and records in the host what they moved
/// and computed. `progress` is called at the begin and after the commands of each page with the number of pages
/// computed so far, except for what was done before a checkpoint from which the run goes on.
///
/// # Errors
/// A kernel or a transfer has a fault or runs longer than the limit of cycles, system memory does not hold the
/// descriptors, or a page is device-driven.
pub fn run(
    host: &mut Host,
    pages: &[Page],
    progress: &mut dyn FnMut(usize),
) -> Result<(), KernelError> {
    host.begin_passes(&[describe(pages)]);
    host.begin_part();
    let all_calls = || pages.iter().flat_map(|page| calls(&page.commands));
    let names = StageNames::of_one(host, || all_calls().collect());
    go_through(host, pages, progress)?;
    names.end(host);
    host.end_part(0, all_calls());
    host.end_passes();
    Ok(())
}

fn go_through(
    host: &mut Host,
    pages: &[Page],
    progress: &mut dyn FnMut(usize),
) -> Result<(), KernelError> {
    let steps = linked_steps(pages);
    host.set_queue(queue(&steps))?;
    host.tell(0, progress);
    for (i, step) in steps.iter().enumerate() {
        host.begin_step(StepLevel::Page, || page_name(step.kernel, 1, i == 0));
        if i == 0 {
            host.start_queue()?;
        } else if !step.transfers.is_empty() {
            host.release_dma()?;
        }
        if let Some(page) = step.kernel {
            run_commands(host, &pages[page].commands, &mut |_| Ok(()))?;
            host.tell(page + 1, progress);
        }
        host.wait_for_dma()?;
        if i + 1 < steps.len() {
            host.turn_page()?;
        }
    }
    Ok(())
}

/// Makes the transfers of all steps a queue: the channel waits before those of every step but the first. That one has a
/// transfer at least, for the channel starts with it.
fn link(steps: &mut [PageStep]) {
    if let Some(first) = steps.first_mut().filter(|first| first.transfers.is_empty()) {
        first.transfers.push(nothing());
    }
    let mut is_behind_others = false;
    for step in &mut *steps {
        if let Some(first) = step.transfers.first_mut() {
            first.sync_before |= is_behind_others;
            is_behind_others = true;
        }
    }
    if let Some(last) = steps.iter_mut().rev().find_map(|step| step.transfers.last_mut()) {
        last.stop = true;
    }
}

/// Returns the transfers of all steps.
fn queue(steps: &[PageStep]) -> impl Iterator<Item = &Descriptor> {
    steps.iter().flat_map(|step| &step.transfers)
}

/// Returns the device-driven page, if the commands are those of one.
fn device_driven(commands: &[Command]) -> Option<DeviceDrivenPage> {
    match commands {
        [Command::DeviceDriven(page)] => Some(*page),
        _ => None,
    }
}

/// Runs the commands of a page; `beside` is called while the first kernel runs.
fn run_commands(
    host: &mut Host,
    commands: &[Command],
    beside: &mut dyn FnMut(&mut Host) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    let mut is_first = true;
    for command in commands {
        let call = match command {
            Command::Run(call) => call,
            Command::DeviceDriven(_) => {
                let why = "a page that CP2 turns has one command and is one of a chain";
                return Err(KernelError::Internal(why));
            }
            Command::SetInverse(inverse) => {
                host.change_direction(*inverse)?;
                continue;
            }
        };
        run_call(host, call, &mut |host| if is_first { beside(host) } else { Ok(()) })?;
        is_first = false;
    }
    Ok(())
}

/// Runs a kernel; `beside` is called meanwhile.
fn run_call(
    host: &mut Host,
    call: &Call,
    beside: &mut dyn FnMut(&mut Host) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    host.start_kernel(call)?;
    beside(host)?;
    host.wait_for_cp2()
}

/// Pages, and the transfers after the last of them, which need no kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    /// Name of the group as a stage of the procedure; empty for the names of its kernels.
    pub(crate) name: String,
    /// Pages of the group.
    pub(crate) pages: Vec<Page>,
    /// Transfers that follow when all pages are unloaded.
    pub(crate) tail: Vec<Descriptor>,
    /// Fewest cycles of the kernels of each page, as far as they are known.
    pub(crate) least_cycles: Vec<f64>,
}

/// Groups of pages as one queue of the channel, which is written to memory before the work begins and can be run again and
/// again. The host does its own work for a page while CP2 and the channel are busy with the page before: this work is a
/// program, as its cycles tell, which are the same on both processors (`specs/src/procedures.md`).
#[derive(Debug)]
pub(crate) struct Chain {
    queue: Queue,
    steps: Vec<ChainStep>,
    /// Pass of each group, with what it loads and stores.
    passes: Vec<DataPass>,
    /// Name of each group as a stage.
    stages: Vec<String>,
    /// Number of pages of all groups.
    pub(crate) pages: usize,
    /// Number of device-driven pages (CP2 goes on to them itself).
    pub(crate) device_driven: usize,
    /// Lower bounds of each step: fewest cycles, rows and descriptors.
    pub(crate) least: Vec<StepMinimum>,
    /// Predicted cycles of all steps together.
    pub(crate) predicted_cycles: usize,
}

#[derive(Debug)]
struct ChainStep {
    commands: Vec<Command>,
    /// Numbers of the step's descriptors in the queue.
    descriptors: Range<usize>,
    /// Number of the group to which the step belongs.
    group: usize,
    /// Pages that are computed in the step: one or none, more if they are device-driven.
    pages: usize,
    /// Predicted cycles of the step.
    predicted_cycles: usize,
}

/// Joins steps of device-driven pages that follow one another into one step.
fn joined(steps: Vec<ChainStep>) -> Vec<ChainStep> {
    let mut joined: Vec<ChainStep> = Vec::new();
    let mut before: Option<DeviceDrivenPage> = None;
    for step in steps {
        let page = device_driven(&step.commands);
        let goes_on = match (before, page) {
            (Some(a), Some(b)) => a.entry == b.entry && a.next == b.first,
            _ => false,
        };
        match joined.last_mut() {
            Some(run) if goes_on && run.group == step.group && run.pages < PAGES_OF_RUN => {
                run.pages += step.pages;
                run.descriptors.end = step.descriptors.end;
                run.predicted_cycles += step.predicted_cycles;
            }
            _ => joined.push(step),
        }
        before = page;
    }
    joined
}

/// Tells steps the numbers of their transfers in the queue of all.
fn number_descriptors(all: &[PageStep], steps: &mut [ChainStep]) {
    let mut first = 0;
    for (step, of) in all.iter().zip(steps) {
        of.descriptors = first..first + step.transfers.len();
        first = of.descriptors.end;
    }
}

impl ChainStep {
    fn has_transfers(&self) -> bool {
        !self.descriptors.is_empty()
    }
}

impl Chain {
    /// Creates the chain of one group without a tail.
    ///
    /// # Errors
    /// A memory that does not hold the queue.
    pub(crate) fn of(host: &mut Host, pages: Vec<Page>) -> Result<Self, KernelError> {
        Self::new(host, &[Group { pages, ..Group::default() }])
    }

    /// Creates the chain of these groups, and writes its queue to memory.
    pub(crate) fn new(host: &mut Host, groups: &[Group]) -> Result<Self, KernelError> {
        let mut all: Vec<PageStep> = Vec::new();
        let mut steps_of: Vec<ChainStep> = Vec::new();
        let (mut passes, mut kernels) = (Vec::new(), Vec::new());
        for (group, Group { pages, tail, least_cycles, .. }) in groups.iter().enumerate() {
            let mut pass = describe(pages);
            pass.moved.add([tail, &[], &[]]);
            passes.push(pass);
            let mut steps = steps(pages);
            if let Some(last) = steps.last_mut() {
                last.transfers.extend(tail.iter().cloned());
            }
            for step in steps {
                let commands = step.kernel.map_or(Vec::new(), |k| pages[k].commands.clone());
                match all.last_mut() {
                    // The last page of a group is unloaded and the first of the next one loaded in one step.
                    Some(last) if last.kernel.is_none() && step.kernel.is_none() => {
                        last.transfers.extend(step.transfers);
                    }
                    _ => {
                        let pages = usize::from(step.kernel.is_some());
                        let kernel = step.kernel.and_then(|k| least_cycles.get(k));
                        kernels.push(kernel.copied().unwrap_or(0.0));
                        all.push(step);
                        let (descriptors, predicted_cycles) = (0..0, 0);
                        steps_of.push(ChainStep {
                            commands,
                            descriptors,
                            group,
                            pages,
                            predicted_cycles,
                        });
                    }
                }
            }
        }
        for (step, of) in all.iter_mut().zip(&steps_of) {
            if step.transfers.is_empty() && device_driven(&of.commands).is_some() {
                // CP2 releases some transfer for every device-driven page.
                step.transfers.push(nothing());
            }
        }
        link(&mut all);
        number_descriptors(&all, &mut steps_of);
        let queue = host.write_queue(queue(&all))?;
        let (rates, memory) = (host.rates(), &host.machine().memory);
        rates.find(queue.traffic());
        let least = |(step, kernel_cycles): (&PageStep, f64)| StepMinimum {
            kernel_cycles,
            rows_us: rates.of_rows(&step.transfers, memory),
            descriptors: step.transfers.len(),
        };
        let least: Vec<StepMinimum> = all.iter().zip(kernels).map(least).collect();
        for (step, least) in steps_of.iter_mut().zip(&least) {
            step.predicted_cycles = least.predicted_cycles(host.config(), step.pages);
        }
        let pages = || groups.iter().flat_map(|group| &group.pages);
        let device_driven = pages().filter(|page| device_driven(&page.commands).is_some()).count();
        let predicted_cycles = steps_of.iter().map(|step| step.predicted_cycles).sum();
        let (steps, pages) = (joined(steps_of), pages().count());
        let stages = groups.iter().map(|group| group.name.clone()).collect();
        Ok(Self { queue, steps, passes, stages, pages, device_driven, least, predicted_cycles })
    }

    /// Runs all pages; `progress` is told at the begin and after each step how many of the predicted cycles are done, except
    /// for what was done before a checkpoint.
    pub(crate) fn run(
        &self,
        host: &mut Host,
        progress: &mut dyn FnMut(usize),
    ) -> Result<(), KernelError> {
        host.choose_queue(&self.queue);
        host.begin_passes(&self.passes);
        let (mut done, mut names) = (0, StageNames::new(host, &self.stages));
        host.tell(done, progress);
        for (i, step) in self.steps.iter().enumerate() {
            host.begin_part();
            names.begin(host, (step.group, step.pages), || {
                let of_group = self.steps[i..].iter().take_while(|next| next.group == step.group);
                of_group.flat_map(|next| calls(&next.commands)).collect()
            });
            self.run_step(host, i)?;
            done += step.predicted_cycles;
            host.tell(done, progress);
            host.end_part(step.group, calls(&step.commands));
        }
        names.end(host);
        host.end_passes();
        Ok(())
    }

    /// Runs a step: its commands, the transfers beside them, and the work of the host for the next page.
    fn run_step(&self, host: &mut Host, number: usize) -> Result<(), KernelError> {
        let Some(step) = self.steps.get(number) else { return Ok(()) };
        let page = device_driven(&step.commands);
        if number == 0 {
            host.start_queue()?;
        } else if step.has_transfers() && page.is_none() {
            host.release_dma()?;
        }
        let is_last = number + 1 == self.steps.len();
        let beside = &mut |host: &mut Host| if is_last { Ok(()) } else { host.turn_page() };
        match page {
            Some(page) => run_call(host, &page.call(step.pages), beside)?,
            None if step.commands.is_empty() => beside(host)?,
            None => run_commands(host, &step.commands, beside)?,
        }
        host.wait_for_dma()
    }
}

#[cfg(test)]
mod tests;
