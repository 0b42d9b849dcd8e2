//! Verification: simulates a run again, from each checkpoint to the next, and compares the result with the recording.
//!
//! Registers, memories, counts, FIFO and channel are compared as they are. Results in flight are compared by their
//! effects, since each engine writes them in its own way: one gives two condition codes as one result or as two, fills
//! halves and sections that are not written with anything, orders results that do not meet as it likes, and forgets old
//! values of general registers as soon as no operation can see them.

use crate::error::RecordingError;
use crate::file::page::{self, Space};
use crate::meter::{Meter, Metered};
use crate::recording::{ContentCosts, Recording};
use cp2_emu::arith::Flags;
use cp2_emu::cp2::seam::{InFlight, Landing};
use cp2_emu::memory::PAGE;
use cp2_emu::{Difference, Goal, Machine};
use cp2_isa::{Cycle, Halves, SECTIONS};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Part of the state that a result writes in one section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    /// A half of a register, by its bits, and whether a load writes it.
    Fpr(u8, u8, bool),
    Condition(u8),
    Flags,
    /// Control registers and bits of STATUS.
    Rest,
}

/// The values that are written: the last value, or everything that is written one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Effect {
    Value(u64),
    Raised(Vec<Flags>),
    InTurn(Vec<Landing>),
}

/// Effects of what is under way, by cycle, section and target; with each the number of writes, of which all but the first are
/// collisions.
type Effects = BTreeMap<(Cycle, usize, Target), (usize, Effect)>;

/// Returns what is under way in a machine by what it will do.
fn under_way(machine: &Machine) -> Effects {
    let mut all = Effects::new();
    for InFlight { visible, enabled, landing } in machine.cp2.flight().landings {
        for s in (0..SECTIONS).filter(|s| enabled >> s & 1 == 1) {
            let mut value = |target, value| {
                let (n, last) =
                    all.entry((visible, s, target)).or_insert((0, Effect::Value(value)));
                (*n, *last) = (*n + 1, Effect::Value(value));
            };
            match &landing {
                Landing::Fpr { reg, halves, value: quad, from_load } => {
                    for half in [Halves::LO, Halves::HI].into_iter().filter(|h| halves.contains(*h))
                    {
                        let target = Target::Fpr(*reg, half.bits(), *from_load);
                        value(target, quad[s] & half.mask());
                    }
                }
                Landing::Conditions { first, count, value: holds } => {
                    // The first code is always 1.
                    for (cc, holds) in (*first..first + count).zip(holds[s]).filter(|c| c.0 != 0) {
                        value(Target::Condition(cc), holds.into());
                    }
                }
                Landing::Exceptions(raised) => {
                    let raised_here = || (0, Effect::Raised(Vec::new()));
                    let (_, effect) =
                        all.entry((visible, s, Target::Flags)).or_insert_with(raised_here);
                    if let Effect::Raised(flags) = effect {
                        flags.push(raised[s]);
                    }
                }
                Landing::Creg { .. } | Landing::StatusFlags(_) | Landing::Mailbox { .. } => {
                    let (_, effect) = all
                        .entry((visible, s, Target::Rest))
                        .or_insert_with(|| (0, Effect::InTurn(Vec::new())));
                    if let Effect::InTurn(landings) = effect {
                        landings.push(landing.clone());
                    }
                }
            }
        }
    }
    all
}

/// Returns the old values of general registers that an operation can still see.
fn old_scalars(machine: &Machine) -> Vec<(Cycle, u8, u64)> {
    let latencies = machine.cp2.core().latencies();
    let seen = latencies.gpr_to_loop.max(latencies.gpr_to_stop).max(1);
    let (cycle, mut old) = (machine.cycle(), machine.cp2.flight().scalars);
    old.retain(|&(written, ..)| written + u64::from(seen) > cycle);
    old
}

/// Encodes a value as it would be kept.
fn encoded(value: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).unwrap_or_default()
}

/// Returns the first thing that differs between two machines, but for system memory.
fn difference(kept: &Machine, run: &Machine) -> Option<String> {
    if let Some(difference) = Difference::first(&kept.cp2.state, &run.cp2.state) {
        return Some(difference.to_string());
    }
    let (a, b) = (kept.cp2.flight(), run.cp2.flight());
    let differs = |is_alike: bool, what: &str| (!is_alike).then(|| format!("{what} differs"));
    differs(
        (a.position, a.hold, a.starts_later) == (b.position, b.hold, b.starts_later),
        "the flow of bundles",
    )
    .or_else(|| differs(under_way(kept) == under_way(run), "what is under way"))
    .or_else(|| {
        differs(old_scalars(kept) == old_scalars(run), "an old value of a general register")
    })
    .or_else(|| differs(encoded(&kept.cp2.fifo) == encoded(&run.cp2.fifo), "the host FIFO"))
    .or_else(|| differs(kept.cp2.status() == run.cp2.status(), "STATUS"))
    .or_else(|| differs(kept.cp2.stats() == run.cp2.stats(), "the counts"))
    .or_else(|| differs(encoded(&kept.dma) == encoded(&run.dma), "the DMA channel"))
}

/// Extent of a verification of a recording ([`Recording::verify_beside`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verification {
    /// States and counts are compared.
    States,
    /// States and counts are compared, and the costs of all bundles are counted on the way, for
    /// [`Recording::profiles`].
    StatesAndCosts,
}

impl Recording {
    /// Simulates the whole run again, from each checkpoint to the next, and compares states and counts with those of
    /// the recording, on several threads ([`Recording::set_threads`]). Beside them one thread finds what
    /// [`Recording::code_periods`] returns, which is kept for later. The recording stays in its current cycle.
    ///
    /// # Errors
    /// The run goes another way than was recorded, a part of the recording is damaged, or the listener to the progress
    /// has cancelled the operation.
    pub fn verify(&mut self) -> Result<(), RecordingError> {
        self.verify_pieces(|_| (), Verification::States).map(|_| ())
    }

    /// Verifies the recording as [`Recording::verify`] does. Beside it, one of the threads calls `work` with a recording over the same
    /// file, which knows [`Recording::code_periods`]; its result is returned. `extent` says whether costs of bundles are counted
    /// on the way.
    ///
    /// # Errors
    /// The same as of [`Recording::verify`].
    pub fn verify_beside<T: Send>(
        &mut self,
        work: impl FnOnce(&mut Self) -> T + Send,
        extent: Verification,
    ) -> Result<T, RecordingError> {
        // Costs are counted by period. What is damaged is told by whoever asks for the periods.
        let with_costs = extent == Verification::StatesAndCosts;
        if with_costs && let Err(e @ RecordingError::Cancelled) = self.code_periods() {
            return Err(e);
        }
        let (result, costs) = self.verify_pieces(work, extent)?;
        if with_costs {
            self.keep_costs(costs)?;
        }
        Ok(result)
    }

    /// Verifies all pieces between checkpoints, and does `work` beside; returns its result, and the costs of bundles if they
    /// are wanted.
    fn verify_pieces<T: Send>(
        &mut self,
        work: impl FnOnce(&mut Self) -> T + Send,
        extent: Verification,
    ) -> Result<(T, ContentCosts), RecordingError> {
        let begin = *self.cycles().start();
        let checkpoints = self.checkpoints().len();
        let runs = (1..checkpoints).map(|number| self.span(number - 1));
        let pieces: Vec<_> = std::iter::once(begin..begin).chain(runs).collect();
        let work = Mutex::new(Some(work));
        let with_costs = extent == Verification::StatesAndCosts;
        type Part<T> = (Option<T>, ContentCosts);
        let parts = self.in_parallel(&pieces, |recording, number, part: &mut Part<T>| {
            let (result, costs) = part;
            if number > 0 {
                return recording.verify_one(number, with_costs.then_some(costs));
            }
            // What is damaged is told by whoever asks for the periods.
            if let Err(e @ RecordingError::Cancelled) = recording.code_periods() {
                return Err(e);
            }
            let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
            *result = work.map(|work| work(recording));
            Ok(())
        })?;
        let (mut result, mut costs) = (None, ContentCosts::default());
        for (own, counted) in parts {
            result = result.or(own);
            costs.join(counted);
        }
        // The first piece is always there.
        result.map(|result| (result, costs)).ok_or(RecordingError::Cancelled)
    }

    /// Runs to a checkpoint from the one before, and adds the costs of bundles if they are wanted.
    fn verify_one(
        &mut self,
        number: usize,
        costs: Option<&mut ContentCosts>,
    ) -> Result<(), RecordingError> {
        let cycle = self.cycle_of(number);
        let differs = |how: String| Err(RecordingError::Diverged(cycle, how));
        self.restore(number - 1)?;
        let mut meter = Meter::begin(&mut self.here.machine);
        if let Some(costs) = costs {
            self.count_costs(cycle, costs, |recording, end| {
                recording.metered(Goal::cycle(end), &mut meter)
            })?;
        }
        let Self { engine, here, interval, .. } = self;
        let mut engine = Metered { engine: &mut **engine, meter: &mut meter };
        here.finish(cycle, &interval.acts, &mut engine)?;
        let counted = meter.end(&mut self.here.machine).unwrap_or_default();
        let span = self.span(number - 1);
        if span.start < span.end && !counted.counts.is_same(&self.counted(span)?.counts) {
            return differs("the counts for the summary differ".to_owned());
        }
        let checkpoint = self.checkpoint(number)?;
        if checkpoint.is_cut {
            return Ok(());
        }
        let kept = self.machine_at(self.blank.clone(), &checkpoint, (number, &[]))?;
        match difference(&kept, &self.here.machine) {
            Some(how) => differs(how),
            None => self.verify_pages(number),
        }
    }

    /// Compares the pages of system memory that were written before a checkpoint and are kept with those of the run to it.
    fn verify_pages(&mut self, number: usize) -> Result<(), RecordingError> {
        let pages = self.new_pages(number, Space::System).into_iter();
        let mut pages: Vec<_> = pages.filter_map(|(page, stored)| Some((page, stored?))).collect();
        let (cycle, run) = (self.cycle_of(number), &self.here.machine.memory);
        let (mut room, mut bytes) = ([0; PAGE], [0; PAGE]);
        self.input.stored(&mut pages, |page, packed| {
            let kept = page::unpack(packed, &mut room)?;
            let address = page::address(page.number);
            let there = run.available(address, PAGE);
            run.read(address, &mut bytes[..there]).map_err(RecordingError::Memory)?;
            if bytes[..there] != kept[..there] {
                let how = format!("system memory differs at {address:#x} or soon after");
                return Err(RecordingError::Diverged(cycle, how));
            }
            Ok(())
        })
    }
}
