//! A recording opened for reading: a machine that can be set to any cycle of the recorded run, forward and back.

mod code;
mod costs;
mod cursor;
mod memory;
mod parallel;
mod pieces;
mod profile;

pub use code::CodePeriod;
pub(crate) use costs::ContentCosts;
use costs::{ContentCycles, RunCosts};
pub(crate) use cursor::{Interval, RunCursor};
pub use pieces::{KernelPiece, RunPiece};

use crate::counts::Pyramid;
use crate::error::RecordingError;
use crate::file::format::{
    Checkpoint, ChunkKind, Header, Index, Input, LoadedProgram, Stored, Version,
};
use crate::file::packing::unpacked;
use crate::file::page::{self, PageId, Space};
use crate::meter::{Meter, Metered};
use crate::progress::{Progress, Told};
use crate::steps::{self, RunStep};
use crate::system::PAGES;
use cp2_emu::machine::{Act, Action, MachineSnapshot};
use cp2_emu::memory::{OutsideMemory, PAGE, PIECE, SystemMemory};
use cp2_emu::state::State;
use cp2_emu::{Cp2, Engine, Goal, Machine, MachineConfig};
use cp2_isa::{BundleBits, Core, Cycle};
use std::fmt;
use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range, RangeInclusive};
use std::sync::{Arc, OnceLock};

pub use crate::file::format::ByteSource;

/// Distance, in cycles, from a cycle that was gone to to the place kept before it, from which it is easy to go back.
const NEAR: u64 = 1 << 13;
/// Name of a checkpoint, for messages about damage.
const CHECKPOINT: &str = "a checkpoint";
const ACTS: &str = "what the host did";

/// Conditions at a checkpoint that matter for a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begin {
    /// Whether the host has changed the state directly.
    pub(crate) is_cut: bool,
    /// Whether something that the host has sent waits for its turn in the FIFO.
    pub(crate) has_queue: bool,
}

/// Content of the file of a recording, shared by all who expand it.
pub(crate) struct Content {
    header: Header,
    index: Index,
    is_whole: bool,
    /// Periods by what instruction memory holds, once they have been asked for.
    periods: OnceLock<Arc<[CodePeriod]>>,
    /// The periods with numbers of their contents, once somebody has needed them.
    numbered: OnceLock<Vec<ContentCycles>>,
    /// Costs of bundles in the whole run, once a verification has counted them.
    costs: OnceLock<RunCosts>,
    /// Counts of the whole run, once they have been asked for.
    pyramid: OnceLock<Pyramid>,
}

/// Recording of a run, opened for reading: a machine that can be set to any cycle of the run.
///
/// A recording is always in one cycle of the run, the current one, whose registers and memories can be read: the cycles
/// before it are over, and the actions of the host before it are done. After [`Recording::open`] it is in the first
/// cycle.
pub struct Recording {
    pub(crate) input: Input,
    content: Arc<Content>,
    pub(crate) engine: Box<dyn Engine>,
    pub(crate) told: Told,
    core: Core,
    /// Machine as after reset.
    pub(crate) blank: Machine,
    pub(crate) here: RunCursor,
    /// Number of the checkpoint before the current cycle, and the interval behind it.
    number: usize,
    pub(crate) interval: Interval,
    /// Place of the interval a little before the current cycle.
    near: Option<RunCursor>,
    /// Number of threads that expand a long range.
    n_threads: NonZeroUsize,
    /// System memory at some checkpoints, as far as it was written since the one before.
    computed: Vec<(usize, SystemMemory)>,
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Recording");
        out.field("cycles", &self.cycles()).field("cycle", &self.cycle()).finish_non_exhaustive()
    }
}

fn machine(header: &Header) -> Result<Machine, RecordingError> {
    let refused = |e: String| RecordingError::Machine(e);
    match &header.machine {
        Some(text) => {
            let config = MachineConfig::parse(text).map_err(|e| refused(e.to_string()))?;
            Ok(Machine::new(&config))
        }
        None => {
            let core = Core::new(header.core).map_err(|e| refused(e.join("; ")))?;
            Ok(Machine::alone(Cp2::new(core)))
        }
    }
}

impl Recording {
    /// Opens a recording. Reads its header, its index and the first checkpoint; of a recording that was cut off, all of
    /// it. `engine` will simulate its cycles; every engine gives the same results.
    ///
    /// # Errors
    /// The bytes are not a recording, have another version of the format, or are damaged in these parts.
    pub fn open(
        source: impl ByteSource + 'static,
        engine: Box<dyn Engine>,
    ) -> Result<Self, RecordingError> {
        let (mut input, header) = Input::open(Box::new(source))?;
        let blank = machine(&header)?;
        input.memory = blank.memory.size().0;
        let (index, is_whole) = input.index(&header)?;
        index.check()?;
        let mut recording = Self {
            input,
            engine,
            told: Told::default(),
            core: *blank.cp2.core(),
            here: RunCursor { machine: blank.clone(), next_act: 0 },
            blank,
            number: usize::MAX,
            interval: Interval::default(),
            near: None,
            n_threads: NonZeroUsize::MIN,
            computed: Vec::new(),
            content: Arc::new(Content {
                header,
                index,
                is_whole,
                periods: OnceLock::new(),
                numbered: OnceLock::new(),
                costs: OnceLock::new(),
                pyramid: OnceLock::new(),
            }),
        };
        let (begin, end) = recording.cycles().into_inner();
        recording.n_threads = parallel::threads_for(end.saturating_since(begin));
        recording.restore(0)?;
        Ok(recording)
    }

    /// Sets a listener to the progress of searches, windows, counts and verification. It is called every few hundredths
    /// of a second or more often. If it returns `Break`, the operation ends with [`RecordingError::Cancelled`] and the
    /// recording stays in its current cycle.
    pub fn on_progress(&mut self, told: impl FnMut(Progress) -> ControlFlow<()> + Send + 'static) {
        self.told = Told::to(told);
    }

    /// Returns the header of the recording: the command that was run, its inputs, and the machine.
    pub fn header(&self) -> &Header {
        &self.content.header
    }

    /// Returns the programs of CP2 that were loaded before and during the run, in the order of loading.
    ///
    /// # Errors
    /// A program is damaged or cannot be read.
    pub fn programs(&mut self) -> Result<Vec<LoadedProgram>, RecordingError> {
        let places = &self.content.index.programs;
        places.iter().map(|&place| self.input.value(place, ChunkKind::Program)).collect()
    }

    /// Returns the steps of the run that its host named while it was recorded, in the order of time, outer ones before those
    /// in them; none if it named none.
    ///
    /// # Errors
    /// The steps are damaged or cannot be read.
    pub fn steps(&mut self) -> Result<Vec<RunStep>, RecordingError> {
        let damaged = || RecordingError::Damaged(ChunkKind::Steps.what());
        let places = &self.content.index.steps;
        if !places.is_sorted_by(|one, next| one < next) {
            return Err(damaged());
        }
        let (begin, end) = self.cycles().into_inner();
        let mut all: Vec<RunStep> = Vec::new();
        for &place in places {
            all.append(&mut self.input.value(place, ChunkKind::Steps)?);
        }
        steps::sorted(all, begin..end).ok_or_else(damaged)
    }

    /// Returns whether the recording was finished ([`Recorder::finish`](crate::Recorder::finish)). One that was cut off
    /// ends at its last checkpoint.
    pub fn is_whole(&self) -> bool {
        self.content.is_whole
    }

    /// Returns the digest by which reports name the recording: 16 hexadecimal digits of machine, program and recorded
    /// run. Two recordings of the same run have the same digest, even if the commands that made them differ.
    pub fn digest(&self) -> String {
        format!("{:016x}", self.content.index.digest)
    }

    /// Returns the cycles to which the recording can be set, counted from reset. The last of them is the first cycle
    /// after the run.
    pub fn cycles(&self) -> RangeInclusive<Cycle> {
        let cycle =
            |k: usize| self.content.index.entries.get(k).map_or(Cycle::RESET, |entry| entry.cycle);
        cycle(0)..=cycle(self.content.index.entries.len().saturating_sub(1))
    }

    /// Returns the cycles of the checkpoints (snapshots from which the run is simulated again), counted from reset, in
    /// rising order.
    pub fn checkpoints(&self) -> impl ExactSizeIterator<Item = Cycle> {
        self.content.index.entries.iter().map(|entry| entry.cycle)
    }

    /// Returns the core of the recorded CP2: its sizes and latencies.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Returns the current cycle, counted from reset: it has not begun, and all before it are over.
    pub fn cycle(&self) -> Cycle {
        self.here.machine.cycle()
    }

    /// Returns the registers, local memory and instruction memory of CP2 in the current cycle.
    pub fn state(&self) -> &State {
        &self.here.machine.cp2.state
    }

    /// Returns CP2 in the current cycle, with the counts of its run and the results in flight.
    pub fn cp2(&self) -> &Cp2 {
        &self.here.machine.cp2
    }

    /// Returns the DMA channel in the current cycle.
    pub fn dma(&self) -> &cp2_emu::dma::Dma {
        &self.here.machine.dma
    }

    /// Returns the counts of the whole run at all resolutions (cycles by cause, operations, accesses to local memory,
    /// and what the DMA channel did), which are read from the file at the first call.
    ///
    /// # Errors
    /// The counts are damaged or cannot be read.
    pub fn summary(&mut self) -> Result<&Pyramid, RecordingError> {
        if self.content.pyramid.get().is_none() {
            let mut leaves = Vec::new();
            for entry in &self.content.index.entries {
                leaves.append(&mut self.input.value(entry.leaves, ChunkKind::Leaves)?);
            }
            // Another thread may have been faster with the same.
            let _ = self.content.pyramid.set(Pyramid::over(leaves));
        }
        Ok(self.content.pyramid.get_or_init(Pyramid::default))
    }

    /// Makes a cycle the current one and returns the cycle that is reached. The drain after a run that the host has
    /// ended is one step: a cycle within it leads to its end.
    ///
    /// # Errors
    /// The recording does not have this cycle, or a part of it is damaged.
    pub fn seek(&mut self, cycle: Cycle) -> Result<Cycle, RecordingError> {
        if !self.cycles().contains(&cycle) {
            return Err(RecordingError::NoSuchCycle(cycle, self.cycles()));
        }
        let number = self.content.index.entries.partition_point(|entry| entry.cycle <= cycle) - 1;
        if number != self.number || self.cycle() > cycle {
            match &self.near {
                Some(near) if number == self.number && near.machine.cycle() <= cycle => {
                    self.here = near.clone();
                }
                _ => self.restore(number)?,
            }
        }
        if cycle.saturating_since(self.cycle()) > NEAR {
            // Anywhere that suits the engine, which need not cut a block there.
            self.go_on_to(Goal::cycle(cycle).or_from(cycle - NEAR))?;
            self.near = Some(self.here.clone());
        }
        self.advance_to(cycle)?;
        Ok(self.cycle())
    }

    /// Goes forward by `cycles`, at most to the end of the recording, and returns the cycle that is reached.
    ///
    /// # Errors
    /// The same as of [`Self::seek`].
    pub fn forward(&mut self, cycles: u64) -> Result<Cycle, RecordingError> {
        self.seek(self.cycle().saturating_add(cycles).min(*self.cycles().end()))
    }

    /// Goes back by `cycles`, at most to the first cycle, and returns the cycle that is reached.
    ///
    /// # Errors
    /// The same as of [`Self::seek`].
    pub fn back(&mut self, cycles: u64) -> Result<Cycle, RecordingError> {
        let (here, begin) = (self.cycle(), *self.cycles().start());
        let target = begin + here.saturating_since(begin).saturating_sub(cycles);
        let reached = self.seek(target)?;
        if reached < here || target == here {
            return Ok(reached);
        }
        // The target lies in a drain, which leads to its end again: the cycle before the drain is that in which the host
        // ended the run.
        let is_end = |act: &&Act| matches!(act.action, Action::Finish) && act.cycle <= target;
        let end = self.interval.acts.iter().rev().find(is_end).map(|act| act.cycle);
        end.map_or(Ok(reached), |end| self.seek(end))
    }

    /// Goes to a checkpoint.
    pub(crate) fn restore(&mut self, number: usize) -> Result<(), RecordingError> {
        self.near = None;
        // If this fails, nothing is where it should be.
        self.number = usize::MAX;
        self.interval = self.interval_behind(number)?;
        let checkpoint = self.checkpoint(number)?;
        let mut blank = self.blank.clone();
        std::mem::swap(&mut blank.memory, &mut self.here.machine.memory);
        blank.memory.clear();
        let used = self.interval.used.clone();
        let machine = self.machine_at(blank, &checkpoint, (number, &used))?;
        self.here = RunCursor { machine, next_act: 0 };
        self.number = number;
        Ok(())
    }

    pub(crate) fn checkpoint(&mut self, number: usize) -> Result<Checkpoint, RecordingError> {
        let offset = self.content.index.entries[number].offset;
        self.input.value(offset, ChunkKind::Checkpoint)
    }

    /// Returns the interval between a checkpoint and the next one; nothing behind the last.
    fn interval_behind(&mut self, number: usize) -> Result<Interval, RecordingError> {
        if number + 1 >= self.content.index.entries.len() {
            return Ok(Interval::default());
        }
        let next = self.checkpoint(number + 1)?;
        let mut page = 0_u32;
        let mut sum = |distance: u32| {
            page = page.saturating_add(distance);
            page
        };
        Ok(Interval {
            acts: unpacked::<Vec<Act>>(&next.acts, self.blank.memory.size().0, ACTS)?.into(),
            used: next.used.into_iter().map(&mut sum).collect(),
        })
    }

    /// Returns a machine, which is as after reset, at a checkpoint with its number: with these pages of system memory, and 0 in
    /// all others.
    pub(crate) fn machine_at(
        &mut self,
        mut machine: Machine,
        checkpoint: &Checkpoint,
        (number, pages): (usize, &[u32]),
    ) -> Result<Machine, RecordingError> {
        let snapshot: MachineSnapshot<'static> = unpacked(&checkpoint.snapshot, 0, CHECKPOINT)?;
        machine.restore(snapshot).map_err(|_| RecordingError::Damaged(CHECKPOINT))?;
        if machine.cycle() != self.content.index.entries[number].cycle {
            return Err(RecordingError::Damaged(CHECKPOINT));
        }
        let system = pages.iter().map(|&number| PageId { space: Space::System, number });
        let stored = |page: PageId| {
            let version = self.content.index.version(page, number)?;
            Some((page, version.stored?))
        };
        let pages = page::pages_of(&machine.cp2.state).chain(system);
        let mut pages: Vec<_> = pages.filter_map(stored).collect();
        let mut room = [0; PAGE];
        self.input.stored(&mut pages, |page, packed| {
            let bytes = page::unpack(packed, &mut room)?;
            if page.space != Space::System {
                page::restore(&mut machine.cp2.state, page, bytes);
                return Ok(());
            }
            let damaged = |_: OutsideMemory| RecordingError::Damaged("a page of memory");
            let address = page::address(page.number);
            let there = machine.memory.available(address, PAGE);
            machine.memory.write(address, &bytes[..there]).map_err(damaged)
        })?;
        Ok(machine)
    }

    /// Goes on within the interval to a cycle that is not before.
    pub(crate) fn advance_to(&mut self, cycle: Cycle) -> Result<(), RecordingError> {
        self.go_on_to(Goal::cycle(cycle))
    }

    fn go_on_to(&mut self, goal: Goal) -> Result<(), RecordingError> {
        let Self { engine, here, interval, .. } = self;
        here.go_on_to(goal, &interval.acts, &mut **engine)
    }

    /// Looks at other cycles and comes back to this one, whatever was found.
    pub(crate) fn aside<T>(
        &mut self,
        look: impl FnOnce(&mut Self) -> Result<T, RecordingError>,
    ) -> Result<T, RecordingError> {
        let (here, number) = (self.here.clone(), self.number);
        let (near, interval) = (self.near.clone(), self.interval.clone());
        let result = look(self);
        (self.here, self.number) = (here, number);
        (self.near, self.interval) = (near, interval);
        result
    }

    /// Goes on within the interval to a goal, and counts the cycles in `meter`.
    pub(crate) fn metered(&mut self, goal: Goal, meter: &mut Meter) -> Result<(), RecordingError> {
        let Self { engine, here, interval, .. } = self;
        here.go_on_to(goal, &interval.acts, &mut Metered { engine: &mut **engine, meter })
    }

    /// Returns the actions of the host behind a checkpoint, before the next one.
    pub(crate) fn acts_behind(&mut self, number: usize) -> Result<Arc<[Act]>, RecordingError> {
        if number == self.number {
            return Ok(self.interval.acts.clone());
        }
        Ok(self.interval_behind(number)?.acts)
    }

    /// Returns the state of the machine at a checkpoint.
    pub(crate) fn begin_of(&mut self, number: usize) -> Result<Begin, RecordingError> {
        let Checkpoint { is_cut, snapshot, .. } = self.checkpoint(number)?;
        let mut machine = self.blank.clone();
        let snapshot = unpacked::<MachineSnapshot<'static>>(&snapshot, 0, CHECKPOINT)?;
        machine.restore(snapshot).map_err(|_| RecordingError::Damaged(CHECKPOINT))?;
        Ok(Begin { is_cut, has_queue: !machine.cp2.fifo.is_empty() })
    }

    /// Calls `visit` with every bundle that instruction memory has held at a checkpoint, and its address.
    pub(crate) fn instructions(
        &mut self,
        mut visit: impl FnMut(usize, BundleBits),
    ) -> Result<(), RecordingError> {
        let versions = self.content.index.versions.iter();
        let of_instructions = versions.filter(|v| v.page.space == Space::Instructions);
        let mut pages: Vec<_> = of_instructions.filter_map(|v| Some((v.page, v.stored?))).collect();
        let mut room = [0; PAGE];
        let width = page::words_of_bundle(&self.blank.cp2.state);
        self.input.stored(&mut pages, |page, packed| {
            let bytes = page::unpack(packed, &mut room)?;
            let first = page.number as usize * PAGE / (8 * width);
            for (k, bits) in page::bundles_in(bytes, width).enumerate() {
                visit(first + k, bits);
            }
            Ok(())
        })
    }

    /// Returns the numbers of the checkpoints behind which there are cycles of a range before the next one.
    pub(crate) fn intervals(&self, range: &Range<Cycle>) -> impl Iterator<Item = usize> + use<> {
        let entries = &self.content.index.entries;
        let first = entries.partition_point(|entry| entry.cycle <= range.start).saturating_sub(1);
        let behind = entries.partition_point(|entry| entry.cycle < range.end);
        first..behind.min(entries.len() - 1).max(first)
    }

    /// Returns the cycles behind a checkpoint and before the next one; none behind the last.
    pub(crate) fn span(&self, number: usize) -> Range<Cycle> {
        let cycle = |number: usize| self.content.index.entries[number].cycle;
        cycle(number)..cycle((number + 1).min(self.content.index.entries.len() - 1))
    }

    /// Returns the pages of a memory that are new with a checkpoint, and where they stand in the file if they are kept.
    pub(crate) fn new_pages(&self, number: usize, space: Space) -> Vec<(PageId, Option<Stored>)> {
        let is_new = |v: &&Version| v.page.space == space && v.since as usize == number;
        let versions = self.content.index.versions.iter();
        versions.filter(is_new).map(|v| (v.page, v.stored)).collect()
    }

    /// Returns the number of the checkpoint before the current cycle.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Returns the cycle of a checkpoint.
    pub(crate) fn cycle_of(&self, number: usize) -> Cycle {
        self.content.index.entries[number].cycle
    }
}

// A piece of memory is a whole number of pages.
const _: () = assert!(PIECE == PAGES * PAGE);
