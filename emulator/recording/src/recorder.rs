//! The recorder: an engine around another one. It stops the other one where a stretch of the summary or a checkpoint is
//! due, and writes what is to be kept; everything else it passes on.

use crate::counts::Leaf;
use crate::file::format::{Checkpoint, CheckpointEntry, Header, Index, LoadedProgram, Output};
use crate::file::packing::packed;
use crate::file::page::{PageId, Shadow, Space};
use crate::meter::Meter;
use crate::steps::{StepLevel, Steps};
use crate::system::{self, Fate, System};
use cp2_emu::machine::{Act, Action};
use cp2_emu::memory::Marks;
use cp2_emu::trace::Observer;
use cp2_emu::{Engine, Fault, Goal, Machine, Pause};
use cp2_isa::Cycle;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Binary logarithm of the number of cycles of a run behind which leaves double whenever the run does.
const LONG_RUN_BITS: u32 = 30;
/// Largest number of bytes that the channel moves between checkpoints, about: they are read to go on from one.
const MOST_MOVED: u64 = 6 << 20;
/// Number of cycles between checkpoints for a byte of the one before: small ones are made more often.
const CYCLES_PER_BYTE: u64 = 20;

/// Distances of stretches (cycles counted as a whole, for the summary) and of checkpoints in a recording, for
/// [`Recorder::spaced`]. Shorter ones make searches faster and the file longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spacing {
    /// Binary logarithm of the number of cycles of a stretch of the summary. From cycle 2^30 on stretches become
    /// longer, so that a long run does not have too many.
    pub leaf_bits: u32,
    /// Smallest number of cycles from a checkpoint to the next, unless much data moves or the host starts a kernel
    /// directly.
    pub nearest: u64,
    /// Largest number of cycles from a checkpoint to the next, plus at most a stretch.
    pub farthest: u64,
}

impl Default for Spacing {
    /// Returns the usual spacing. Its largest distance of checkpoints is what the fast engine does in a few hundredths of a
    /// second, and what limits the recording of a loop over all of local memory to 52 KB for a million cycles.
    fn default() -> Self {
        Self { leaf_bits: 16, nearest: 1 << 20, farthest: 5_000_000 }
    }
}

/// Size and contents of a recording that has been written: its bytes, checkpoints and cycles. [`Recorder::finish`]
/// returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordingSummary {
    /// Number of bytes of the file of the recording.
    pub bytes: u64,
    /// Number of checkpoints, snapshots from each of which the run can be simulated again.
    pub checkpoints: usize,
    /// Number of recorded cycles, from the first checkpoint to the last.
    pub cycles: u64,
}

/// Writer of the recording of a run of a machine. [`Recorder::around`] makes the engine that records what it runs.
/// Clones of a recorder write the same recording.
#[derive(Clone, Debug)]
pub struct Recorder(Arc<Mutex<Tape>>);

impl Recorder {
    /// Begins a recording with the usual spacing of stretches and checkpoints ([`Spacing::default`]) and writes its
    /// header to `to`. Each checkpoint is written before the run goes on, so that a recording that is cut off can be
    /// read up to its last checkpoint.
    ///
    /// # Errors
    /// The header cannot be written.
    pub fn new(to: Box<dyn Write + Send>, header: &Header) -> io::Result<Self> {
        Self::spaced(to, header, Spacing::default())
    }

    /// Begins a recording as [`Recorder::new`] does, with another spacing of stretches and checkpoints.
    ///
    /// # Errors
    /// The header cannot be written.
    pub fn spaced(
        to: Box<dyn Write + Send>,
        header: &Header,
        spacing: Spacing,
    ) -> io::Result<Self> {
        Ok(Self(Arc::new(Mutex::new(Tape::new(Output::begin(to, header)?, spacing)))))
    }

    /// Returns an engine that runs machines as `engine` does and writes the recording of one of them. The recording
    /// begins with the machine as it is at the first call. After that the host acts through [`Machine::act`] and the
    /// other methods of [`Machine`] only, or changes the machine directly before it starts a kernel with
    /// [`Machine::start_kernel`].
    pub fn around(&self, engine: Box<dyn Engine>) -> Box<dyn Engine> {
        Box::new(Recording { engine, tape: self.0.clone() })
    }

    /// Adds a program to the recording, which the host has just loaded. Errors are returned by [`Recorder::finish`].
    pub fn program(&self, program: &LoadedProgram) {
        lock(&self.0).program(program);
    }

    /// Notes that a step of the run begins in cycle `now` of its machine, and that the steps of its level and of deeper ones
    /// end. A recording keeps what the steps of a procedure are called; they change nothing else of it. `name` is cut
    /// to 200 bytes, and its control characters become spaces.
    pub fn begin_step(&self, level: StepLevel, name: String, now: Cycle) {
        lock(&self.0).host.steps.begin(level, name, now);
    }

    /// Notes that the step of a level that is under way, if there is one, and those of deeper levels end in cycle `now`.
    pub fn end_step(&self, level: StepLevel, now: Cycle) {
        lock(&self.0).host.steps.end(level, now);
    }

    /// Returns whether a step of this level is under way.
    pub fn is_in_step(&self, level: StepLevel) -> bool {
        lock(&self.0).host.steps.is_in(level)
    }

    /// Ends the recording and returns the numbers of its bytes, checkpoints and cycles. [`Engine::release`] of the
    /// recording engine has to be called before.
    ///
    /// # Errors
    /// Something could not be written, now or before.
    pub fn finish(&self) -> io::Result<RecordingSummary> {
        lock(&self.0).finish()
    }
}

/// Recorders are equal if they write the same recording.
impl PartialEq for Recorder {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Recorder {}

fn lock(tape: &Mutex<Tape>) -> MutexGuard<'_, Tape> {
    tape.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
struct Recording {
    engine: Box<dyn Engine>,
    tape: Arc<Mutex<Tape>>,
}

impl Engine for Recording {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn run_kernel_to(
        &mut self,
        machine: &mut Machine,
        goal: Goal,
        observer: &mut dyn Observer,
    ) -> Result<Pause, Fault> {
        self.advance(machine, goal, observer)
    }

    fn advance(
        &mut self,
        machine: &mut Machine,
        goal: Goal,
        observer: &mut dyn Observer,
    ) -> Result<Pause, Fault> {
        let mut tape = lock(&self.tape);
        tape.enter(machine);
        loop {
            let part = goal.or_from(tape.due);
            let result = self.engine.advance(machine, part, observer);
            tape.sample(machine);
            match result {
                Ok(Pause::Cycle) if machine.cycle() < goal.least() => {}
                result => return result,
            }
        }
    }

    fn release(&mut self, machine: &mut Machine) {
        lock(&self.tape).close(machine);
        self.engine.release(machine);
    }
}

/// Doings of the host that are not written yet.
#[derive(Debug, Default)]
struct HostNotes {
    /// Actions since the last checkpoint.
    acts: Vec<Act>,
    /// Steps that the host has named.
    steps: Steps,
}

/// State of a recording between two calls.
struct Tape {
    output: Output,
    spacing: Spacing,
    index: Index,
    /// First error; nothing is written behind it.
    failure: Option<io::Error>,
    /// Content of the memories as it was written last.
    shadow: Shadow,
    system: System,
    host: HostNotes,
    /// Leaves since the last checkpoint, what counts the one that is under way, and the cycle in which the
    /// next one is due.
    leaves: Vec<Leaf>,
    meter: Meter,
    due: Cycle,
    /// Least cycle for the next checkpoint.
    next_checkpoint: Cycle,
    /// Number of bytes moved by the channel at which the next checkpoint is due whatever the cycle.
    next_bytes: u64,
}

impl fmt::Debug for Tape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tape").field("cycle", &self.meter.cycle()).finish_non_exhaustive()
    }
}

/// Returns the cycle behind the leaf that begins in `cycle`.
fn leaf_end(Cycle(cycle): Cycle, leaf_bits: u32) -> Cycle {
    let length = (u64::BITS - cycle.leading_zeros()).saturating_sub(LONG_RUN_BITS) + leaf_bits;
    Cycle((cycle >> length).saturating_add(1).saturating_mul(1 << length))
}

impl Tape {
    fn new(output: Output, spacing: Spacing) -> Self {
        Self {
            output,
            spacing,
            index: Index::default(),
            failure: None,
            shadow: Shadow::default(),
            system: System::default(),
            host: HostNotes::default(),
            leaves: Vec::new(),
            meter: Meter::default(),
            due: Cycle::NEVER,
            next_checkpoint: Cycle::RESET,
            next_bytes: 0,
        }
    }

    /// Looks at a machine before an engine goes on with it, to find what the host has done.
    fn enter(&mut self, machine: &mut Machine) {
        if self.index.entries.is_empty() {
            return self.begin(machine);
        }
        let acts = machine.take_acts();
        let starts = acts.iter().any(|act| matches!(act.action, Action::Start(_)));
        self.host.acts.extend(acts);
        if machine.cycle() < self.meter.cycle() {
            let message = "the run continued on another machine, but a recording is of one machine";
            self.failure.get_or_insert_with(|| io::Error::other(message));
        }
        if starts {
            // A host that starts a kernel without the FIFO may have changed the state as directly.
            self.checkpoint(machine, true);
        }
    }

    /// Writes the first checkpoint.
    fn begin(&mut self, machine: &mut Machine) {
        machine.keep_acts();
        machine.memory.keep_marks();
        self.meter = Meter::begin(machine);
        self.output.memory = machine.memory.size().0;
        self.checkpoint(machine, true);
    }

    /// Looks at a machine behind a call of an engine.
    fn sample(&mut self, machine: &mut Machine) {
        self.meter.sample(machine);
        if machine.cycle() >= self.due {
            self.end_leaf(machine);
            let dma = machine.dma.stats();
            let moved = dma.bytes_get + dma.bytes_put;
            if machine.cycle() >= self.next_checkpoint || moved >= self.next_bytes {
                self.checkpoint(machine, false);
            }
        }
    }

    fn end_leaf(&mut self, machine: &mut Machine) {
        self.leaves.extend(self.meter.end(machine));
        self.due = leaf_end(machine.cycle(), self.spacing.leaf_bits);
    }

    /// Writes the last checkpoint, for the machine will not go on.
    fn close(&mut self, machine: &mut Machine) {
        if self.index.entries.is_empty() {
            return self.begin(machine);
        }
        self.enter(machine);
        self.host.steps.end(StepLevel::Iteration, machine.cycle());
        let last = self.index.entries.last().map(|entry| entry.cycle);
        if last != Some(machine.cycle()) || !self.host.acts.is_empty() {
            self.checkpoint(machine, false);
        }
    }

    fn checkpoint(&mut self, machine: &mut Machine, is_cut: bool) {
        self.end_leaf(machine);
        if self.failure.is_some() {
            return;
        }
        let before = self.output.offset;
        if let Err(e) = self.write(machine, is_cut) {
            self.failure = Some(e);
        }
        let bytes = self.output.offset - before;
        let Spacing { nearest, farthest, .. } = self.spacing;
        let distance = bytes.saturating_mul(CYCLES_PER_BYTE).clamp(nearest, farthest);
        self.next_checkpoint = machine.cycle() + distance;
        let dma = machine.dma.stats();
        self.next_bytes = dma.bytes_get + dma.bytes_put + MOST_MOVED;
    }

    /// Writes pages, leaves and the checkpoint, which makes them count.
    fn write(&mut self, machine: &mut Machine, is_cut: bool) -> io::Result<()> {
        let marks = machine.memory.take_marks();
        self.pages(machine, &marks, is_cut);
        self.write_steps(machine.cycle())?;
        let mut last = 0;
        let used = system::touched(&marks).map(|page| page - std::mem::replace(&mut last, page));
        let mut checkpoint = Checkpoint {
            cycle: machine.cycle(),
            is_cut,
            snapshot: packed(&machine.snapshot(), 0)?,
            acts: packed(&std::mem::take(&mut self.host.acts), self.output.memory)?,
            used: used.collect(),
            versions: Vec::new(),
        };
        let leaves = std::mem::take(&mut self.leaves);
        let (entry, versions) = self.output.checkpoint(&leaves, &mut checkpoint)?;
        self.index.entries.push(entry);
        self.index.versions.extend(versions);
        Ok(())
    }

    /// Writes the steps that are over, and those that are under way in cycle `now`.
    fn write_steps(&mut self, now: Cycle) -> io::Result<()> {
        let steps = self.host.steps.take(now);
        if !steps.is_empty() {
            self.index.steps.push(self.output.steps(&steps)?);
        }
        Ok(())
    }

    /// Keeps the pages that belong to the next checkpoint.
    fn pages(&mut self, machine: &Machine, marks: &[(usize, Marks)], is_cut: bool) {
        let now = self.index.entries.len() as u32;
        let output = &mut self.output;
        self.shadow.changed(&machine.cp2.state, |page, bytes| output.page(page, now, bytes));
        let system = |number| PageId { space: Space::System, number };
        let mut decide = |fate: Fate<'_>| match fate {
            Fate::Kept(number, since, bytes) => output.page(system(number), since, bytes),
            Fate::Computed(number) => output.computed(system(number), now),
        };
        if now == 0 {
            System::begin(&machine.memory, &mut decide);
        } else {
            self.system.checkpoint(&machine.memory, marks, (now, is_cut), &mut decide);
        }
    }

    fn program(&mut self, program: &LoadedProgram) {
        if self.failure.is_none() {
            match self.output.program(program) {
                Ok(place) => self.index.programs.push(place),
                Err(e) => self.failure = Some(e),
            }
        }
    }

    fn finish(&mut self) -> io::Result<RecordingSummary> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        self.write_steps(self.meter.cycle())?;
        self.output.end(&mut self.index)?;
        let cycle =
            |entry: Option<&CheckpointEntry>| entry.map_or(Cycle::RESET, |entry| entry.cycle);
        let entries = &self.index.entries;
        Ok(RecordingSummary {
            bytes: self.output.offset,
            checkpoints: entries.len(),
            cycles: cycle(entries.last()) - cycle(entries.first()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_end_at_powers_of_two_and_grow_with_the_run() {
        let end = |cycle| leaf_end(Cycle(cycle), 16).0;
        assert_eq!(end(0), 1 << 16);
        assert_eq!(end(65_535), 1 << 16);
        assert_eq!(end(65_536), 2 << 16);
        assert_eq!(end((1 << 30) - 1), 1 << 30);
        assert_eq!(end(1 << 30), (1 << 30) + (1 << 17));
        assert_eq!(end(u64::MAX - 1), u64::MAX);
    }
}
