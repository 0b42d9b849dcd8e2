//! What instruction memory holds in the course of a run. A host may load one kernel over another, so an address is that of
//! a bundle only together with a cycle.

use super::Recording;
use crate::error::RecordingError;
use crate::file::page::Space;
use cp2_emu::cp2::FifoEntry;
use cp2_emu::machine::{Act, Action};
use cp2_isa::{BundleBits, Core, Cycle, Exch, decode};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Cycles of a recorded run in which every kernel finds the same bundles in instruction memory. Between kernels, bundles
/// may have been loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodePeriod {
    /// Cycles of the period, counted from reset; those of all periods of a run are all its cycles.
    pub cycles: Range<Cycle>,
    /// Content of instruction memory whenever a kernel runs. Periods with the same content share it.
    pub bundles: Arc<[BundleBits]>,
}

/// Act of the host that has to do with kernels, by its cycle.
enum CodeAct {
    /// Bundles are loaded.
    Load(Cycle),
    /// A kernel may be started.
    Start(Cycle),
}

/// Change of instruction memory: the cycle from which on kernels find the new content, and that.
struct CodeChange {
    cycle: Cycle,
    content: Arc<[BundleBits]>,
}

/// Number of parts of all loadings for each thread: enough that threads end at about the same time.
const PARTS: usize = 4;

/// Loading of bundles: the cycle of the first act that does, and that of the start of a kernel behind it, or the end of
/// the run.
type Loading = Range<Cycle>;

/// Cycles from the start of a kernel on in which an entry of the FIFO can still be taken, and a few more.
const START: u64 = 8;

fn is_start(entry: &FifoEntry, core: &Core) -> bool {
    let FifoEntry::Execute(bits) = *entry else { return false };
    decode(bits, core).is_ok_and(|bundle| matches!(bundle.exch.op, Exch::Run | Exch::Runi))
}

/// Whether an act may start a kernel.
fn starts(act: &Act, core: &Core) -> bool {
    match &act.action {
        Action::Send(entry) => is_start(entry, core),
        Action::Start(_) => true,
        _ => false,
    }
}

fn loads(act: &Act) -> bool {
    matches!(act.action, Action::Send(FifoEntry::Store(_)) | Action::WriteBundles(..))
}

impl Recording {
    /// Returns the periods of the run by what instruction memory holds while kernels run, in the order of time. The first
    /// call goes through what the host did, and runs the cycles in which it loads bundles. The recording stays in its
    /// current cycle.
    ///
    /// # Errors
    /// A part of the recording is damaged, or the listener to the progress has cancelled the operation.
    pub fn code_periods(&mut self) -> Result<Arc<[CodePeriod]>, RecordingError> {
        if let Some(periods) = self.content.periods.get() {
            return Ok(periods.clone());
        }
        let periods: Arc<[CodePeriod]> = self.aside(Self::find_periods)?.into();
        Ok(self.content.periods.get_or_init(|| periods).clone())
    }

    /// Finds the periods, by several threads that have a part of the loadings each.
    fn find_periods(&mut self) -> Result<Vec<CodePeriod>, RecordingError> {
        let (begin, end) = (*self.cycles().start(), *self.cycles().end());
        let loadings = self.loadings()?;
        let n_parts = if self.n_threads.get() > 1 { PARTS * self.n_threads.get() } else { 1 };
        let mut parts: Vec<_> = loadings.chunks(loadings.len().div_ceil(n_parts).max(1)).collect();
        if !parts
            .windows(2)
            .all(|pair| pair[0].last().map(|l| l.end) < pair[1].first().map(|l| l.start))
        {
            // What one part begins with comes about in the cycle in which the other ends.
            parts = vec![&loadings];
        }
        let cycles = |part: &&[Loading]| part[0].start..part[part.len() - 1].end;
        let pieces: Vec<_> = parts.iter().map(cycles).collect();
        type Found = BTreeMap<usize, Option<Vec<CodeChange>>>;
        let found = self.in_parallel(&pieces, |recording, number, found: &mut Found| {
            found.insert(number, recording.changes(parts[number], number == 0)?);
            Ok(())
        })?;
        let found: Found = found.into_iter().flatten().collect();
        let changes = match found.into_values().collect::<Option<Vec<_>>>() {
            Some(parts) => parts.into_iter().flatten().collect(),
            None => self.changes(&loadings, true)?.unwrap_or_default(),
        };
        self.restore(0)?;
        let mut held: Arc<[BundleBits]> = self.state().iram[..].into();
        let mut seen = BTreeSet::from([held.clone()]);
        let (mut periods, mut from) = (Vec::new(), begin);
        for change in changes {
            if from < change.cycle {
                periods.push(CodePeriod { cycles: from..change.cycle, bundles: held });
                from = change.cycle;
            }
            held = seen.get(&change.content).cloned().unwrap_or(change.content);
            seen.insert(held.clone());
        }
        periods.push(CodePeriod { cycles: from..end, bundles: held });
        Ok(periods)
    }

    /// Returns how some loadings change instruction memory, in the order of time: of the first ones of the run, or of
    /// others. `None` if loadings before them are not over when they begin.
    fn changes(
        &mut self,
        loadings: &[Loading],
        is_first: bool,
    ) -> Result<Option<Vec<CodeChange>>, RecordingError> {
        let end = *self.cycles().end();
        let mut changes = Vec::new();
        let Some(first) = loadings.first() else { return Ok(Some(changes)) };
        if is_first {
            self.restore(0)?;
        } else {
            self.seek(first.start - 1)?;
            if self.is_loading() {
                return Ok(None);
            }
        }
        let mut held: Arc<[BundleBits]> = self.state().iram[..].into();
        for loading in loadings {
            let mut cycle = self.end_of_kernel(loading.start, &held)?;
            // A store right behind a start is taken before the first bundle of the kernel issues.
            while self.is_running_or_starting() && cycle < end && self.state().iram[..] != held[..]
            {
                held = self.state().iram[..].into();
                changes.push(CodeChange { cycle, content: held.clone() });
                cycle = self.end_of_kernel(cycle, &held)?;
            }
            self.seek(loading.end.max(cycle).min(end))?;
            while self.is_loading() && self.cycle() < end {
                self.seek(self.cycle() + 1)?;
            }
            if self.state().iram[..] != held[..] {
                held = self.state().iram[..].into();
                changes.push(CodeChange { cycle, content: held.clone() });
            }
        }
        Ok(Some(changes))
    }

    /// Returns where the host loads bundles, in the order of time.
    fn loadings(&mut self) -> Result<Vec<Loading>, RecordingError> {
        let end = *self.cycles().end();
        let pieces: Vec<_> =
            (0..self.checkpoints().len()).map(|number| self.span(number)).collect();
        type Found = BTreeMap<usize, Vec<CodeAct>>;
        let found = self.in_parallel(&pieces, |recording, number, found: &mut Found| {
            found.insert(number, recording.code_acts(number)?);
            Ok(())
        })?;
        let found: Found = found.into_iter().flatten().collect();
        let (mut all, mut open) = (Vec::new(), None);
        for act in found.into_values().flatten() {
            match act {
                CodeAct::Load(cycle) => _ = open.get_or_insert(cycle),
                CodeAct::Start(cycle) => all.extend(open.take().map(|first| first..cycle)),
            }
        }
        all.extend(open.map(|first| first..end));
        Ok(all)
    }

    /// Returns what the host does with kernels in the interval behind a checkpoint, in the order of time.
    fn code_acts(&mut self, number: usize) -> Result<Vec<CodeAct>, RecordingError> {
        let (core, acts) = (self.core, self.acts_behind(number)?);
        // What neither the acts before a checkpoint nor a kernel can have written, the host has written directly.
        let is_written = number > 0 && !self.new_pages(number, Space::Instructions).is_empty();
        let written = is_written.then(|| CodeAct::Load(self.cycle_of(number)));
        let act = |act: &Act| match () {
            () if loads(act) => Some(CodeAct::Load(act.cycle)),
            () if starts(act, &core) => Some(CodeAct::Start(act.cycle)),
            () => None,
        };
        Ok(written.into_iter().chain(acts.iter().filter_map(act)).collect())
    }

    /// Goes to a cycle in which bundles are sent, and on until no kernel runs that finds `held` in instruction memory.
    /// Returns the cycle that is reached.
    fn end_of_kernel(&mut self, sent: Cycle, held: &[BundleBits]) -> Result<Cycle, RecordingError> {
        let mut reached = self.seek(sent)?;
        let end = *self.cycles().end();
        let mut n_running = 0;
        while self.is_running_or_starting() && reached < end {
            n_running = if self.cp2().is_running() { n_running + 1 } else { 0 };
            // While a kernel runs nothing is taken from the FIFO.
            if n_running <= START && self.state().iram[..] != *held {
                break;
            }
            let left = if n_running > START { self.leave_kernel()? } else { reached };
            reached = if left > reached { left } else { self.seek(reached + 1)? };
        }
        Ok(reached)
    }

    /// Goes on until the kernel that runs is over, at most to the next checkpoint. Returns the cycle that is reached.
    fn leave_kernel(&mut self) -> Result<Cycle, RecordingError> {
        let border = self.span(self.number).end;
        let Self { engine, here, interval, .. } = self;
        here.leave_kernel(border, &interval.acts, &mut **engine)?;
        self.seek(self.cycle())
    }

    fn is_running_or_starting(&self) -> bool {
        let cp2 = self.cp2();
        cp2.is_running() || cp2.fifo.entries().any(|entry| is_start(entry, &self.core))
    }

    /// Whether bundles wait in the FIFO that are loaded before the next kernel starts.
    fn is_loading(&self) -> bool {
        let mut entries =
            self.cp2().fifo.entries().take_while(|entry| !is_start(entry, &self.core));
        entries.any(|entry| matches!(entry, FifoEntry::Store(_)))
    }
}
