//! The collector of a segment: the operations that issue, the cycles, and the registers that the host changes.

use super::super::issued::{self, Angle, Issued};
use super::{HostChange, SegmentCycle};
use crate::location::Location;
use cp2_emu::state::State;
use cp2_emu::stats::Cause;
use cp2_emu::trace::{Event, Observer, PastCycle as Passed, Wants};
use cp2_isa::{BundleAddress, Cycle, Resource, Section, Storage, StorageCell};
use std::ops::ControlFlow;

/// An observer that collects operations, cycles and changes by the host.
pub(super) struct Collector {
    angle: Angle,
    /// Bundle that issues first.
    first: BundleAddress,
    issued: Vec<Issued>,
    pub(super) operations: Vec<Issued>,
    pub(super) cycles: Vec<SegmentCycle>,
    /// Registers behind the cycle before, while no kernel runs.
    shadow: Option<Shadow>,
    pub(super) changes: Vec<HostChange>,
}

impl Collector {
    /// Creates a collector that begins in a state of the machine.
    pub(super) fn new(state: &State) -> Self {
        Self {
            angle: Angle { rind: state.rind, control: state.control },
            first: state.pc,
            issued: Vec::new(),
            operations: Vec::new(),
            cycles: Vec::new(),
            shadow: None,
            changes: Vec::new(),
        }
    }
}

/// Registers that the host can change by what it sends.
struct Shadow {
    fpr: Box<[[u64; 4]]>,
    scalars: [[u64; 16]; 5],
}

/// The kinds of registers in a shadow that the sections share.
pub(super) const SHARED: [Storage; 5] =
    [Storage::Gpr, Storage::A, Storage::N, Storage::M, Storage::Ireg];

impl Shadow {
    fn of(state: &State) -> Self {
        let wide = |narrow: &[u16; 16]| narrow.map(u64::from);
        Self {
            fpr: state.fpr.clone(),
            scalars: [
                state.gpr,
                state.a.map(u64::from),
                wide(&state.n),
                wide(&state.m),
                state.ireg,
            ],
        }
    }

    /// Adds a change for every register whose value in `now` is another.
    fn changes(&self, now: &Self, cycle: Cycle, changes: &mut Vec<HostChange>) {
        for (k, (before, now)) in self.scalars.iter().zip(&now.scalars).enumerate() {
            for (number, (&a, &value)) in before.iter().zip(now).enumerate() {
                if a != value {
                    let place = StorageCell { storage: SHARED[k], number, section: Section::FIRST };
                    // A value that is written at once is seen in the next cycle, one that lands in its own.
                    changes.push(HostChange { cycle: cycle + 1, place, value });
                }
            }
        }
        if self.fpr != now.fpr {
            for (number, (before, now)) in self.fpr.iter().zip(&*now.fpr).enumerate() {
                for section in Section::ALL {
                    let value = now[section.index()];
                    if before[section.index()] != value {
                        let place = StorageCell { storage: Storage::Fpr, number, section };
                        changes.push(HostChange { cycle, place, value });
                    }
                }
            }
        }
    }
}

/// Returns the value of a register that the sections share.
fn shared_value(state: &State, resource: Resource) -> Option<u64> {
    let place = Location::Register(resource, Section::FIRST).cell()?;
    state.get(place)
}

impl Observer for Collector {
    fn wants(&self) -> Wants {
        Wants::all()
    }

    fn operation(&mut self, event: &Event) {
        // The cycle of the operation is known when the cycle is over.
        self.issued.push(Issued::new(event, Cycle::RESET, self.angle));
    }

    fn cycle(&mut self, past: &Passed<'_>) -> ControlFlow<()> {
        let &Passed { number, cause, banks, state } = past;
        let last = self.cycles.last();
        let address = match cause {
            None => None,
            Some(Cause::SyncHold) => last.and_then(|last| last.address),
            // An empty bundle has no operation that tells its address.
            Some(_) => {
                let next = last.map_or(self.first, |last| last.next);
                Some(self.issued.first().map_or(next, |issued| issued.address))
            }
        };
        for mut issued in self.issued.drain(..) {
            issued.cycle = number;
            let mut shared = Vec::new();
            issued.footprint(&mut |access| {
                if let Some(resource) = access.changed()
                    && issued::is_scalar(resource)
                    && let Some(value) = shared_value(state, resource)
                {
                    shared.push((resource, value));
                }
            });
            issued.shared = shared;
            self.operations.push(issued);
        }
        match (cause, &self.shadow) {
            (None, before) => {
                let now = Shadow::of(state);
                if let Some(before) = before {
                    before.changes(&now, number, &mut self.changes);
                }
                self.shadow = Some(now);
            }
            (Some(_), _) => self.shadow = None,
        }
        self.angle = Angle { rind: state.rind, control: state.control };
        self.cycles.push(SegmentCycle { number, cause, banks, address, next: state.pc });
        ControlFlow::Continue(())
    }
}
