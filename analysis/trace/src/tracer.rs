//! The tracer, which follows a run and sends its cycles to an exporter.

use crate::error::TraceError;
use crate::select::Selection;
use crate::step::{
    BeatRecord, CycleUse, Exporter, TracedCycle, TracedOperation, TracedVisit, WindowBegin,
    WindowEnd,
};
use cp2_emu::Machine;
use cp2_emu::dma::{Beat, Visit};
use cp2_emu::machine::Act;
use cp2_emu::stats::Cause;
use cp2_emu::trace::{Event, Observer, PastCycle, Wants};
use cp2_ir::sites::{NamesByCycle, Site};
use cp2_isa::{BundleAddress, Cycle};
use cp2_recording::Follower;
use std::ops::ControlFlow;

/// The position of the trace in the run: bundles, visits of the channel, cycles.
struct At {
    /// Address of the bundle that issues next, if one does.
    next: BundleAddress,
    /// Address of the bundle that the last cycle was counted for, if it was for one.
    latest: Option<BundleAddress>,
    /// Number of visits of the channel that are over.
    n_over: u64,
    /// Cycle behind the last that was told.
    now: Cycle,
    full_at: Option<Cycle>,
}

/// A tracer: follows a run, or a window of a recording, as a [`Follower`], and sends every cycle to an [`Exporter`],
/// which writes the trace to an output of type `W`.
pub struct Tracer<'a, W> {
    exporter: Box<dyn Exporter<W> + 'a>,
    names: NamesByCycle<'a>,
    selection: Selection,
    /// Cycle from which on nothing is told, such as beats of a drain that goes on.
    end: Cycle,
    /// Acts of the host in the cycle that is under way.
    acts: Vec<Act>,
    /// Events of the cycle that is under way, as the observer was told them.
    seen: Seen,
    at: At,
    failure: Option<TraceError>,
    /// Visit that the channel was at in the end, and its number.
    at_end: Option<(u64, Visit)>,
}

/// The events of a cycle that the observer was told.
#[derive(Debug, Default)]
struct Seen {
    operations: Vec<Event>,
    usage: Option<(Cycle, CycleUse)>,
}

impl Observer for Seen {
    fn wants(&self) -> Wants {
        Wants::all()
    }

    fn operation(&mut self, event: &Event) {
        self.operations.push(event.clone());
    }

    fn cycle(
        &mut self,
        &PastCycle { number, cause, banks, .. }: &PastCycle<'_>,
    ) -> ControlFlow<()> {
        self.usage = Some((number, CycleUse { cause, banks }));
        ControlFlow::Continue(())
    }
}

impl<'a, W> Tracer<'a, W> {
    /// Creates a tracer that sends the cycles before `end`, counted from reset, to `exporter`. `names` finds the
    /// source places of the programs that run; `selection` tells which operations the trace has.
    pub fn new(
        exporter: Box<dyn Exporter<W> + 'a>,
        names: impl Into<NamesByCycle<'a>>,
        selection: Selection,
        end: Cycle,
    ) -> Self {
        Self {
            exporter,
            names: names.into(),
            selection,
            end,
            acts: Vec::new(),
            seen: Seen::default(),
            failure: None,
            at_end: None,
            at: At {
                next: BundleAddress::default(),
                latest: None,
                n_over: 0,
                now: Cycle::RESET,
                full_at: None,
            },
        }
    }

    /// Returns true if nothing more will be written, because the trace has reached its limit or an error occurred.
    pub fn is_over(&self) -> bool {
        self.at.full_at.is_some() || self.failure.is_some()
    }

    /// Returns true if writing the trace has failed; [`Tracer::finish`] returns the error.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Completes the trace. Returns the output, and the first cycle for which the limit left no room, before which the
    /// trace ends; `None` if the trace is whole.
    ///
    /// # Errors
    /// Returns an error if the trace could not be written, now or at an earlier cycle.
    pub fn finish(self) -> Result<(W, Option<Cycle>), TraceError> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let visit = self.at_end.as_ref().map(|(index, visit)| TracedVisit { index: *index, visit });
        let end = WindowEnd { cycle: self.at.now, visit };
        let (out, fits) = self.exporter.finish(self.at.full_at.is_none().then_some(&end))?;
        Ok((out, self.at.full_at.or((!fits).then_some(self.at.now))))
    }

    /// Returns the beats of this window that moved since the last call, and the visits to descriptors that are over.
    fn channel(&mut self, machine: &mut Machine) -> (Vec<BeatRecord>, Vec<Visit>) {
        let (beats, over) = (machine.dma.take_beats(), machine.dma.take_visits());
        let number = |beat: &Beat| {
            let k = beat.visit.saturating_sub(self.at.n_over) as usize;
            over.get(k).or(machine.dma.visit()).map_or(0, |visit| visit.number)
        };
        let beats = beats.into_iter().filter(|beat| beat.cycle < self.end);
        let moved = beats.map(|beat| BeatRecord { beat, descriptor: number(&beat) }).collect();
        (moved, over)
    }

    /// Tells the exporter of a cycle, or of what came behind the last one.
    fn tell(&mut self, machine: &mut Machine, cycle: Cycle, usage: Option<CycleUse>) {
        let (beats, over) = self.channel(machine);
        let acts = std::mem::take(&mut self.acts);
        let events: Vec<Event<Cycle>> = std::mem::take(&mut self.seen.operations)
            .into_iter()
            .map(|event| event.since_reset(cycle))
            .collect();
        let address = match usage.and_then(|usage| usage.cause) {
            // An operation that the host sends is in no kernel.
            None => events.first().map(|event| event.address),
            Some(Cause::SyncHold) => self.at.latest,
            Some(_) => Some(self.at.next),
        };
        // The two operations of a bundle may come from two lines.
        let operations: Vec<TracedOperation<'_>> = events
            .iter()
            .filter(|event| self.selection.takes(event))
            .map(|event| TracedOperation {
                event,
                site: self.names.site_of(cycle, event.address, event.slot),
            })
            .filter(|operation| self.selection.takes_site(&operation.site))
            .collect();
        let site: Option<Site<'_>> = address.map(|address| self.names.site(cycle, address));
        let site = site.filter(|site| !operations.is_empty() || self.selection.takes_site(site));
        let traced = |(k, visit)| TracedVisit { index: self.at.n_over + k as u64, visit };
        let ended: Vec<TracedVisit<'_>> = over.iter().enumerate().map(traced).collect();
        let is_empty = acts.is_empty() && beats.is_empty() && ended.is_empty();
        if usage.is_some() || !is_empty {
            let step = TracedCycle {
                cycle,
                usage,
                address,
                site,
                operations: &operations,
                beats: &beats,
                ended_visits: &ended,
                acts: &acts,
                machine,
            };
            match self.exporter.step(&step) {
                Ok(true) => {}
                Ok(false) => self.at.full_at = Some(cycle),
                Err(e) => self.failure = Some(e),
            }
        }
        self.at.n_over += over.len() as u64;
        (self.at.next, self.at.latest) = (machine.cp2.state.pc, address);
        self.at.now = cycle + 1;
    }
}

impl<W> Follower for Tracer<'_, W> {
    fn begin(&mut self, machine: &Machine) {
        let cycle = machine.cycle();
        (self.at.now, self.at.next) = (cycle, machine.cp2.state.pc);
        if let Err(e) = self.exporter.begin(&WindowBegin { cycle, machine }) {
            self.failure = Some(e);
        }
    }

    fn act(&mut self, act: &Act) {
        self.acts.push(act.clone());
    }

    fn observer(&mut self) -> &mut dyn Observer {
        &mut self.seen
    }

    fn cycle(&mut self, machine: &mut Machine) -> ControlFlow<()> {
        // A fault is no cycle.
        if let Some((cycle, usage)) = self.seen.usage.take() {
            self.tell(machine, cycle, Some(usage));
        }
        if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn end(&mut self, machine: &mut Machine) {
        if !self.is_over() {
            let last = machine.cycle().min(self.end).max(self.at.now + 1) - 1;
            let before = self.at.now;
            self.tell(machine, last, None);
            self.at.now = before.max(machine.cycle().min(self.end));
            self.at_end = machine.dma.visit().map(|visit| (self.at.n_over, visit.clone()));
        }
    }
}
