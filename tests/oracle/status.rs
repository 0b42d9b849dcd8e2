//! STATUS: its events in the order in which they land, and what a reader at an instant makes of them.
//! It has a history of its own because a `mtc` to FCSR, when it lands, asks what came since its issue.

use super::history::Moment;
use super::rules::{Met, Rule};

/// Field FPE of STATUS.
const FPE: u64 = 0x3f << FPE_SHIFT;
const FPE_SHIFT: u32 = 16;
/// Fields of STATUS that a `move` writes: FPE, POE, PUE, LOE, LUE.
const WRITABLE: u64 = 0x07bf_0000;
/// Fields COMMCP2 and COMMK64 of STATUS.
const COMM: u64 = 3 << 3;

/// Effect of an event on STATUS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// An operation raises flags (I U O Z V E from bit 0).
    Flags(u64),
    /// A `mtc` writes these flags to the FCSRs of its enabled sections.
    Mtc(u64),
    /// A `move` writes a value.
    Move(u64),
    Set(u64),
    Clear(u64),
}

#[derive(Clone, Copy, Debug)]
struct Event {
    lands: i64,
    moment: Moment,
    order: u64,
    effect: Effect,
}

impl Event {
    fn key(&self) -> (i64, Moment, u64) {
        (self.lands, self.moment, self.order)
    }

    /// Returns the number of the bundle that the event comes from.
    fn bundle(&self) -> u64 {
        self.order / 3
    }
}

/// The history of STATUS, but for the bits that follow the machine.
#[derive(Clone, Debug)]
pub(super) struct Status {
    initial: u64,
    events: Vec<Event>,
}

impl Status {
    pub(super) fn new(initial: u64) -> Self {
        Self { initial, events: Vec::new() }
    }

    /// Adds an event of the operation at `order`. Flags rise in the course of a cycle, the rest at its end.
    pub(super) fn push(&mut self, lands: i64, order: u64, effect: Effect) {
        let moment = if matches!(effect, Effect::Flags(_)) { Moment::Within } else { Moment::End };
        let event = Event { lands, moment, order, effect };
        let at = self.events.partition_point(|e| e.key() < event.key());
        self.events.insert(at, event);
    }

    /// Returns the value that stage 1 of an exchange operation reads in a cycle.
    pub(super) fn within(&self, cycle: i64) -> u64 {
        self.after(self.landed(cycle))
    }

    pub(super) fn settled(&self) -> u64 {
        self.after(self.events.len())
    }

    /// Notes the rules that decide a reading in this cycle.
    pub(super) fn note_reading(&self, cycle: i64, met: &mut Met) {
        let start = self.events.partition_point(|e| e.lands < cycle);
        met.note(Rule::FlagsInBundle, self.after(start) != self.within(cycle));
        let under_way =
            |e: &Event| matches!(e.effect, Effect::Set(b) | Effect::Clear(b) if b & COMM != 0);
        met.note(Rule::CommLate, self.events[start..].iter().any(under_way));
    }

    /// Notes what the landings were.
    pub(super) fn note_landings(&self, met: &mut Met) {
        for (k, event) in self.events.iter().enumerate() {
            match event.effect {
                Effect::Mtc(flags) => {
                    let before = self.after(k) & FPE;
                    let kept = self.raised_behind(k) & !flags;
                    met.note(Rule::FlagsDropped, before & !((flags | kept) << FPE_SHIFT) != 0);
                    met.note(Rule::FlagsKept, kept != 0);
                }
                Effect::Move(_) => {
                    let same = |e: &Event| e.bundle() == event.bundle();
                    met.note(
                        Rule::MoveOverFlags,
                        self.events[..k]
                            .iter()
                            .any(|e| same(e) && matches!(e.effect, Effect::Flags(1..))),
                    );
                    self.note_distance_to_mtc(event, met);
                }
                _ => {}
            }
        }
    }

    fn note_distance_to_mtc(&self, event: &Event, met: &mut Met) {
        let mtc = |behind| {
            let at = |e: &Event| e.bundle() + behind == event.bundle();
            self.events.iter().any(|e| at(e) && matches!(e.effect, Effect::Mtc(_)))
        };
        met.note(Rule::MoveOverwritten, (1..6).any(mtc));
        met.note(Rule::MoveBesideMtc, mtc(6));
    }

    /// Returns the number of events that a reading in the course of a cycle sees.
    fn landed(&self, cycle: i64) -> usize {
        self.events.partition_point(|e| (e.lands, e.moment) < (cycle, Moment::End))
    }

    /// Returns the flags that operations issued behind the `mtc` of event `k` have raised when it lands.
    fn raised_behind(&self, k: usize) -> u64 {
        let behind = self.events[..k].iter().filter(|e| e.order > self.events[k].order);
        behind.fold(
            0,
            |raised, e| if let Effect::Flags(flags) = e.effect { raised | flags } else { raised },
        )
    }

    fn after(&self, landed: usize) -> u64 {
        (0..landed).fold(self.initial, |value, k| match self.events[k].effect {
            Effect::Flags(flags) => value | flags << FPE_SHIFT,
            Effect::Mtc(flags) => value & !FPE | (flags | self.raised_behind(k)) << FPE_SHIFT,
            Effect::Move(new) => value & !WRITABLE | new & WRITABLE,
            Effect::Set(bits) => value | bits,
            Effect::Clear(bits) => value & !bits,
        })
    }
}
