//! Cuts a recorded run into pieces, kernels and the time between them, and tells which pieces ran the same bundles
//! equally often.

use super::{Interval, Recording, RunCursor};
use crate::error::RecordingError;
use cp2_emu::dma::DmaStats;
use cp2_emu::machine::{Act, Action};
use cp2_emu::trace::NoObserver;
use cp2_emu::{Engine, Goal, Machine, Pause, Profile};
use cp2_isa::{BundleAddress, Cycle};
use std::ops::Range;

/// A piece of a recorded run: cycles in which one kernel ran all the time, or in which none did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPiece {
    /// Cycles of the piece, counted from reset.
    pub cycles: Range<Cycle>,
    /// Bundles that ran in the piece; `None` if no kernel ran.
    pub kernel: Option<KernelPiece>,
    /// Cycles of the DMA channel in the piece by cause, in the order of
    /// [`ChannelCause::ALL`](cp2_emu::dma::ChannelCause::ALL).
    pub channel: [u64; 7],
}

/// The bundles that ran in a piece of a run, as a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelPiece {
    /// Digest of the address of the first bundle, of all bundles that ran, and of their costs. Pieces with the same
    /// digest ran the same bundles equally often, from the same one on.
    pub digest: u64,
    /// Address of the first bundle.
    pub first: BundleAddress,
    /// Whether the kernel begins with the piece.
    pub is_start: bool,
}

/// Parts of a cursor and an engine that go through a run piece by piece.
struct Cutter<'a> {
    place: &'a mut RunCursor,
    acts: &'a [Act],
    engine: &'a mut dyn Engine,
    /// First cycle that is not gone to.
    border: Cycle,
}

fn diverged(cycle: Cycle, e: impl std::fmt::Display) -> RecordingError {
    RecordingError::Diverged(cycle, e.to_string())
}

impl Cutter<'_> {
    fn machine(&mut self) -> &mut Machine {
        &mut self.place.machine
    }

    /// Returns the action of the host that is due.
    fn due(&self) -> Option<&Act> {
        let due = |act: &&Act| act.cycle <= self.place.machine.cycle();
        self.acts.get(self.place.next_act()).filter(due)
    }

    /// Does what the host does now, but does not end a kernel if `is_kept`. Returns whether the kernel goes on.
    fn act(&mut self, is_kept: bool) -> Result<bool, RecordingError> {
        while let Some(act) = self.due().cloned() {
            if is_kept && matches!(act.action, Action::Finish) {
                return Ok(false);
            }
            self.place.act(&act)?;
        }
        Ok(self.place.machine.cp2.is_running())
    }

    fn advance(&mut self, goal: Goal) -> Result<Pause, RecordingError> {
        let next = self.acts.get(self.place.next_act()).map_or(goal.cycle, |act| act.cycle);
        let goal = Goal { cycle: next.min(goal.cycle).max(self.place.machine.cycle()), ..goal };
        let now = self.place.machine.cycle();
        let pause = self.engine.advance(&mut self.place.machine, goal, &mut NoObserver);
        pause.map_err(|e| diverged(now, e))
    }

    /// Goes on while no kernel runs.
    fn pass_over(&mut self) -> Result<(), RecordingError> {
        loop {
            if self.act(false)? || self.place.machine.cycle() >= self.border {
                return Ok(());
            }
            self.advance(Goal::cycle(self.border))?;
        }
    }

    /// Goes on while the kernel runs, for about `most` cycles at most.
    fn run(&mut self, most: u64) -> Result<(), RecordingError> {
        let begin = self.place.machine.cycle();
        let until = (begin + most).min(self.border);
        let enough = (begin + most / 2).min(until);
        while self.act(true)? && self.place.machine.cycle() < enough {
            if self.advance(Goal::cycle(until).or_from(enough))? == Pause::Kernel {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Returns the digest of what ran: a hash by multiplication, over numbers that nobody chooses.
fn digest(machine: &Machine, first: BundleAddress, profile: &Profile) -> u64 {
    let mut sum = first.index() as u64;
    let mut add = |number: u64| {
        sum = (sum.rotate_left(5) ^ number).wrapping_mul(0x517c_c1b7_2722_0a95);
    };
    for (address, cost) in profile.bundles().iter().enumerate() {
        if cost.causes != [0; 6] {
            add(address as u64);
            cost.causes.into_iter().for_each(&mut add);
            let bits = machine.cp2.state.iram.get(address).copied().unwrap_or_default();
            add(bits as u64);
            add((bits >> 64) as u64);
        }
    }
    sum ^ (sum >> 32)
}

/// Parts that a piece hands on to the next one.
#[derive(Debug)]
struct Handed {
    /// Profile, which counts the bundles of a piece.
    profile: Option<Profile>,
    /// Whether a kernel ran in the piece before.
    was_kernel: bool,
    /// First bundle of a kernel that issued in the last cycle of a pause.
    early: Option<BundleAddress>,
}

impl Recording {
    /// Returns the pieces of the run in the order of time, which are all its cycles together: between two kernels one or
    /// more, of a kernel one for about `most` cycles each. The run is simulated once. The recording stays in its current
    /// cycle.
    ///
    /// # Errors
    /// A part of the recording is damaged, or the listener to the progress has cancelled the operation.
    pub fn run_pieces(&mut self, most: u64) -> Result<Vec<RunPiece>, RecordingError> {
        self.aside(|recording| recording.pieces_of_run(most.max(2)))
    }

    fn pieces_of_run(&mut self, most: u64) -> Result<Vec<RunPiece>, RecordingError> {
        let (begin, end) = (*self.cycles().start(), *self.cycles().end());
        let mut pieces = Vec::new();
        let mut handed = Handed { profile: None, was_kernel: false, early: None };
        let count = self.checkpoints().len().saturating_sub(1);
        for number in 0..count {
            self.restore(number)?;
            let border = self.span(number).end;
            while self.cycle() < border {
                self.told.tell(self.cycle() - begin, end - begin)?;
                let Some(piece) = self.piece(border, most, &mut handed)? else { continue };
                handed.was_kernel = piece.kernel.is_some();
                pieces.push(piece);
            }
            // What was counted before a checkpoint is not counted behind it.
            if let Some(first) = handed.early.take() {
                pieces.push(RunPiece {
                    cycles: border - 1..border,
                    kernel: Some(KernelPiece { digest: 0, first, is_start: true }),
                    channel: [0; 7],
                });
                handed.was_kernel = true;
            }
        }
        Ok(pieces)
    }

    /// Goes on by a piece; returns none if it has no cycles.
    fn piece(
        &mut self,
        border: Cycle,
        most: u64,
        handed: &mut Handed,
    ) -> Result<Option<RunPiece>, RecordingError> {
        let Self { engine, here, interval, core, .. } = self;
        let Interval { acts, .. } = interval;
        let mut cutter = Cutter { place: here, acts, engine: &mut **engine, border };
        let early = handed.early.take();
        let begin = cutter.machine().cycle() - u64::from(early.is_some());
        let before = cutter.machine().dma.stats().clone();
        let ends_now = cutter.due().is_some_and(|act| matches!(act.action, Action::Finish));
        let is_kernel = cutter.machine().cp2.is_running() && !ends_now;
        let mut profile = handed.profile.take().unwrap_or_else(|| Profile::of_all_runs(core));
        // That of the first bundle has been counted.
        if early.is_none() {
            profile.clear();
        }
        let first = early.unwrap_or(cutter.machine().cp2.state.pc);
        cutter.machine().cp2.go_on_with_profile(profile);
        let result = if is_kernel { cutter.run(most) } else { cutter.pass_over() };
        let counted = cutter.machine().cp2.take_profile();
        result?;
        let profile = handed.profile.insert(counted.unwrap_or_else(|| Profile::of_all_runs(core)));
        let mut end = cutter.machine().cycle();
        let kernel = if is_kernel || early.is_some() {
            let digest = digest(cutter.machine(), first, profile);
            Some(KernelPiece { digest, first, is_start: !handed.was_kernel })
        } else {
            // The host starts a kernel by a bundle, behind which the first one of the kernel issues in the same cycle.
            if cutter.machine().cp2.is_running() && profile.total().cycles() > 0 {
                handed.early = Some(profile.latest());
                end = end - 1;
            }
            None
        };
        let channel = grown(cutter.machine().dma.stats(), &before);
        Ok((begin < end).then_some(RunPiece { cycles: begin..end, kernel, channel }))
    }
}

fn grown(now: &DmaStats, before: &DmaStats) -> [u64; 7] {
    let mut causes = now.causes;
    causes.iter_mut().zip(before.causes).for_each(|(total, old)| *total -= old);
    causes
}
