//! Checked runs. A shadow beside the machine tells which bits nothing has written, and finds where such a bit reaches a
//! store, a predicate, an address, a count or a result. Stores outside of arrays, double accesses at odd addresses, and
//! broken promises of linear code (`promises`) are found, too. The rules are in `specs/src/checks.md`.

mod access;
mod body;
mod declared;
mod exchange;
mod findings;
mod leap;
mod mask;
mod propagate;
mod shadow;
mod step;
#[cfg(test)]
mod tests;

pub use declared::Element;
pub use findings::Finding;

use crate::arrays::Ready;
use crate::promises::{Broken, Watch};
use cp2_asm::image::Image;
use cp2_asm::interface::Half;
use cp2_emu::state::State;
use cp2_emu::stats::Cause;
use cp2_emu::trace::{Observer, PastCycle, Wants};
use cp2_emu::{End, Engine, Machine, RunResult};
use cp2_isa::{Bundle, BundleAddress, Core, Halves, RunCycle, SECTIONS, Storage, decode};
use declared::Declared;
use findings::{Findings, MessageContext};
use leap::Leaps;
use shadow::Shadow;
use std::ops::ControlFlow;
use step::{Before, Hit, IssuedBundle};

/// The code of the finding that a run breaks a promise of linear code; the run ends there.
pub const BROKEN_PROMISE: &str = "C0808";

/// The check of a run, bundle by bundle: looks for uses of values that nothing has written, stores outside of arrays,
/// double accesses at odd addresses, and broken promises of linear code. It observes an engine; [`Sanitizer::advance`]
/// lets the engine run ahead unobserved where nothing can be found.
#[derive(Debug)]
pub struct Sanitizer<'a> {
    image: &'a Image,
    core: Core,
    shadow: Shadow,
    declared: Declared,
    findings: Findings,
    watch: Watch<'a>,
    before: Before,
    /// Bundles of the program, decoded as far as the run has come to them.
    decoded: Vec<Option<Bundle>>,
    hits: Vec<Hit>,
    /// Number of cycles of the run that are over.
    cycles: u64,
    /// The bundle that issued last.
    last: BundleAddress,
    leaps: Leaps,
}

impl<'a> Sanitizer<'a> {
    /// Creates the check of a run of the program `image`, which has been loaded on a core. Only the data of the program
    /// count as written; [`Sanitizer::take`] and [`Sanitizer::give`] add what was set.
    pub fn new(image: &'a Image, core: &Core) -> Self {
        let mut shadow = Shadow::new(core);
        let declared = Declared::new(image, core.lmem_words(), &mut shadow);
        Self {
            image,
            core: *core,
            shadow,
            declared,
            findings: Findings::default(),
            watch: Watch::new(image, core),
            before: Before::new(&State::new(core)),
            decoded: vec![None; core.iram_bundles()],
            hits: Vec::new(),
            cycles: 0,
            last: BundleAddress::default(),
            leaps: Leaps::default(),
        }
    }

    /// Takes over the arrays and arguments that were set before the run, whose words and registers count as written,
    /// and the arrays to which stores of the kernel may go.
    pub fn take(&mut self, ready: &Ready) {
        self.declared.take(self.image, ready, &mut self.shadow);
    }

    /// Marks a register or a word of local memory as written before the run. The pair is its kind and its number, from
    /// 0; a number that the core does not have changes nothing. `section` is `None` for all sections, and taken modulo
    /// 4; `half` is `None` for the whole register or word.
    pub fn give(
        &mut self,
        (storage, number): (Storage, usize),
        section: Option<usize>,
        half: Option<Half>,
    ) {
        let sections = section.map_or(mask::EVERYWHERE, |s| 1 << (s % SECTIONS));
        let halves = match half {
            None => Halves::BOTH,
            Some(Half::High) => Halves::HI,
            Some(Half::Low) => Halves::LO,
        };
        let quarters = mask::of_halves(halves);
        if storage == Storage::Lmem {
            let quarters = quarters & mask::of_sections(sections);
            self.declared.give_word(number, quarters, &mut self.shadow);
        } else {
            self.shadow.define(storage, number, sections, quarters);
        }
    }

    /// Marks all registers or words of one kind, in all sections, as written before the run.
    pub fn give_all(&mut self, storage: Storage) {
        for number in 0..(storage.info().count)(&self.core) {
            self.give((storage, number), None, None);
        }
    }

    /// Marks the first `count` registers or words of one kind, in all sections, as written before the run, as those that
    /// an earlier run left. Unlike [`Sanitizer::give`] it makes no word of local memory part of the program. Numbers
    /// that the core does not have change nothing.
    pub(crate) fn carry(&mut self, storage: Storage, count: usize) {
        if storage == Storage::Lmem {
            let count = count.min(self.core.lmem_words());
            (0..count).for_each(|word| self.shadow.define_word(word, mask::ALL));
        } else {
            let quarters = mask::of_halves(Halves::BOTH);
            let all = 0..count;
            all.for_each(|n| self.shadow.define(storage, n, mask::EVERYWHERE, quarters));
        }
    }

    /// Begins the check of a run, with registers and memories as they are before the first bundle. Returns false if a
    /// promise of linear code is broken already, so that the run must not start.
    pub fn begin(&mut self, state: &State) -> bool {
        self.before = Before::new(state);
        self.watch.observe(state).is_continue()
    }

    /// Returns the promise of linear code that was broken, at which the run has to end; `None` if none was.
    pub fn broken(&self) -> Option<&Broken> {
        self.watch.broken()
    }

    /// Whether no promise was broken and nothing was found, apart from what the source allows.
    pub fn is_clean(&self) -> bool {
        self.broken().is_none() && self.findings.all().is_empty()
    }

    /// Returns the findings, each place of the program once, in the order of bundle addresses.
    pub fn findings(&self) -> Vec<Finding> {
        self.findings.all()
    }

    /// Returns the number of further findings that the source allows (`@allow`), and that are not listed.
    pub fn allowed(&self) -> u64 {
        self.findings.allowed
    }

    /// Ends the check of a run, of which `end` is the reason of its end. If the kernel stopped by itself, the arrays
    /// that the caller gets are looked at for undefined elements, which become findings.
    pub fn end(&mut self, end: &End) {
        if !matches!(end, End::Stopped(_)) || self.broken().is_some() {
            return;
        }
        let undefined = self.declared.undefined_results(&self.shadow);
        let words =
            MessageContext { image: self.image, core: &self.core, declared: &self.declared };
        self.findings.results(
            &words,
            (self.last, RunCycle(self.cycles.saturating_sub(1))),
            undefined,
        );
    }

    /// Runs a kernel on an engine from its first bundle to its end, and checks the run. The pair is the address of the
    /// first bundle and the limit of cycles. A broken promise ends the run as interrupted.
    pub fn run(
        &mut self,
        engine: &mut dyn Engine,
        machine: &mut Machine,
        (entry, limit): (BundleAddress, u64),
    ) -> RunResult {
        machine.start_kernel(entry);
        let mut end = None;
        if self.begin(&machine.cp2.state) {
            end = self.advance(engine, machine, limit);
        }
        let end = match end {
            Some(end) => end,
            None if self.broken().is_some() => End::Interrupted,
            None => End::CycleLimit(limit),
        };
        let run = machine.finish_kernel(end);
        self.end(&run.end);
        run
    }

    /// Goes on with a checked run that no other observer watches, until it has lasted `until` cycles. Returns the end
    /// if the run ends before by a `stop` or a fault; `None` if `until` is reached or a promise is broken
    /// ([`Sanitizer::broken`]).
    pub fn advance(
        &mut self,
        engine: &mut dyn Engine,
        machine: &mut Machine,
        until: u64,
    ) -> Option<End> {
        loop {
            self.leaps.are_wanted = true;
            let mut end = engine.advance_kernel(machine, until, self);
            self.leaps.are_wanted = false;
            if end.is_none() && self.broken().is_none() {
                // The engine was stopped in between, where turns of a loop can be leapt over.
                end = self.leap(engine, machine, until);
            }
            let is_there = machine.cp2.stats().cycles >= until;
            if end.is_some() || self.broken().is_some() || is_there {
                return end;
            }
        }
    }

    /// Does the bundle that has issued on the shadow.
    fn issue(&mut self, past: &PastCycle<'_>) {
        let pc = self.before.pc;
        self.last = pc;
        let Some(place) = self.decoded.get_mut(pc.index()) else { return };
        if place.is_none() {
            let word = past.state.iram.get(pc.index());
            *place = word.and_then(|&word| decode(word, &self.core).ok());
        }
        let Some(bundle) = place else { return };
        let mut step = IssuedBundle {
            shadow: &mut self.shadow,
            state: past.state,
            before: &self.before,
            declared: &self.declared,
            core: &self.core,
            cycle: past.number,
            allowed: findings::allowed(self.image, pc),
            hits: &mut self.hits,
            is_predicated: false,
            is_opaque: false,
        };
        step.bundle(bundle);
        if step.is_opaque {
            self.leaps.note_opaque();
        }
        if !self.hits.is_empty() {
            let words =
                MessageContext { image: self.image, core: &self.core, declared: &self.declared };
            for hit in self.hits.drain(..) {
                self.findings.note(&words, (pc, RunCycle(self.cycles)), &hit);
            }
        }
    }
}

impl Observer for Sanitizer<'_> {
    fn wants(&self) -> Wants {
        Wants::CYCLES
    }

    fn cycle(&mut self, past: &PastCycle<'_>) -> ControlFlow<()> {
        self.shadow.land(past.number);
        match past.cause {
            Some(Cause::Both | Cause::Arithmetic | Cause::Exchange | Cause::Empty) => {
                self.issue(past);
                self.before.take(past.state);
            }
            Some(Cause::Nullified) => self.before.take(past.state),
            Some(Cause::SyncHold) | None => {}
        }
        self.cycles += u64::from(past.cause.is_some());
        self.watch.observe(past.state)?;
        if self.leaps.are_wanted { self.consider(past) } else { ControlFlow::Continue(()) }
    }
}
