//! The translating engine behind the interface of all engines: translated code runs ahead of the DMA
//! channel, an epoch at a time, and the channel follows through the same cycles; the portable engine
//! where they meet.

use super::kept::Store;
use super::pace::{Pace, TranslatedSpan};
use crate::back_end::encoding::NativeIsa;
use crate::runtime::dispatch::{Channel, Dispatcher};
use crate::runtime::epoch::Epoch;
use cp2_emu::cp2::Fault;
use cp2_emu::dma::{Accesses, Dma, Ports};
use cp2_emu::memory::SystemMemory;
use cp2_emu::state::State;
use cp2_emu::trace::Observer;
use cp2_emu::{Engine, Goal, Machine, Pause};
use cp2_isa::{Bytes, Core, Cycle};
use cp2_portable::Portable;

/// The fast engine: translates kernels to machine code of the native machine. It gives the results of the reference
/// engine, faster.
///
/// Translated code runs ahead of the DMA channel, some cycles (an epoch) at a time, and notes its accesses to local
/// memory. Then the channel goes through the same cycles: it yields to the kernel where both need a bank in the same
/// cycle, and stops before it would move a word that the kernel has accessed in the epoch, or read an index register.
/// In that case the epoch is undone and repeated up to that cycle, which the portable engine executes. An epoch begins
/// with a `check_dma` and ends with a `start_dma`, so that the channel is in the same cycle as the kernel there.
///
/// On a native machine without AVX2 or BMI1 everything runs on the portable engine. Calls with an observer that wants
/// to be told something also go to the portable engine, which passes them on to the reference engine. The portable
/// engine also does short stretches if many follow each other.
#[derive(Debug)]
pub struct Translator {
    dispatcher: Option<Dispatcher>,
    /// Portable engine, which does everything that is not translated.
    rest: Portable,
    /// Accesses of the kernel at hand to local memory.
    accesses: Accesses,
    /// Core for which `accesses` was made.
    core: Core,
    /// Whether the channel of a machine has been busy, so that accesses are noted.
    notes: bool,
    pace: Pace,
    /// Number of short stretches since the last one that was not short.
    n_short: u32,
}

/// Number of cycles of the longest short stretch.
const SHORT: u64 = 255;
/// Number of short stretches in a row that are translated. If there are more, something looks at the machine all the time,
/// such as the control processor. Each of them begins at another bundle, whose translation would serve once: the portable
/// engine does them.
const ROW: u32 = 32;

impl Default for Translator {
    fn default() -> Self {
        Self::with_native(NativeIsa::detect())
    }
}

impl Translator {
    /// Creates an engine whose machine code uses `native_isa`, or the largest instruction set of the native machine if
    /// that is smaller. With `None`, or on a native machine without these instruction sets, nothing is translated, and
    /// the portable engine does everything.
    pub fn with_native(native_isa: Option<NativeIsa>) -> Self {
        let core = Core::default();
        Self {
            dispatcher: native_isa
                .min(NativeIsa::detect())
                .map(|native_isa| Dispatcher::new(native_isa, &core)),
            rest: Portable::default(),
            accesses: Accesses::new(&core),
            core,
            notes: false,
            pace: Pace::default(),
            n_short: 0,
        }
    }

    /// Sets a store in which the engine keeps its translated blocks from process to process and from which it takes
    /// them instead of translating. Results are the same. The code is executed as it is in the store: only this build
    /// of the program may have put it there.
    pub fn keeping(mut self, store: Box<dyn Store>) -> Self {
        if let Some(dispatcher) = &mut self.dispatcher {
            dispatcher.keep_in(store);
        }
        self
    }

    /// Returns the number of cycles of CP2, of the current or the latest run of a kernel, that translated code has
    /// executed; other engines have executed the rest.
    pub fn translated_cycles(&self) -> u64 {
        self.pace.translated
    }

    /// Returns the number of times that the engine has tried to translate a block to machine code, successful or not. A
    /// block is a run of bundles that goes on through jumps, hardware loops and calls as far as their ways are known.
    /// A block that is translated again counts again; one that is taken from
    /// a store does not. 0 on a native machine that runs no translated code.
    pub fn translations(&self) -> u64 {
        self.dispatcher.as_ref().map_or(0, Dispatcher::n_translated)
    }

    /// Creates an engine for another thread. Both find what either has translated.
    pub(crate) fn beside(&self) -> Self {
        let mut another = Self::with_native(self.dispatcher.as_ref().map(Dispatcher::native_isa));
        if let (Some(new), Some(this)) = (&mut another.dispatcher, &self.dispatcher) {
            new.share_with(this);
        }
        another
    }

    /// Returns the number of blocks that are kept.
    #[cfg(test)]
    pub(crate) fn n_blocks(&self) -> usize {
        self.dispatcher.as_ref().map_or(0, Dispatcher::n_blocks)
    }

    /// Returns about how often translated code was run.
    #[cfg(test)]
    pub(crate) fn n_calls(&self) -> u64 {
        self.dispatcher.as_ref().map_or(0, Dispatcher::n_calls)
    }

    /// Runs translated code and the channel behind it.
    fn run(&mut self, machine: &mut Machine, goal: Goal) -> TranslatedSpan {
        let Machine { cp2, dma, memory, .. } = machine;
        let Some(dispatcher) = &mut self.dispatcher else { return TranslatedSpan::default() };
        self.notes |= dma.next_event().is_some();
        dispatcher.set_notes(self.notes);
        let from_now =
            |cycle: Cycle| cp2.stats().cycles.saturating_add(cycle.saturating_since(cp2.cycle()));
        let (until, enough) = (from_now(goal.cycle), from_now(goal.enough));
        let given = (memory.size() == Bytes::NONE).then_some(cp2.dma_state);
        let accesses = &mut self.accesses;
        let mut behind = Behind { dma, memory, accesses, until_still: goal.until_still, given };
        dispatcher.run(cp2, (until, enough), &mut behind)
    }

    /// Runs translated code, and again up to where CP2 and the channel meet. Returns the cycle up to which the portable
    /// engine has to go on.
    fn run_to_meeting(&mut self, machine: &mut Machine, goal: Goal) -> Cycle {
        // A kernel begins in the same place again; the host may start it with its first bundle.
        if machine.cp2.stats().cycles > 1
            && let Some(dispatcher) = &mut self.dispatcher
            && let bundles @ 1.. = dispatcher.left_to_portable(&machine.cp2)
        {
            return machine.cycle() + bundles;
        }
        let mut stretch = self.run(machine, goal);
        let mut on = Cycle::RESET;
        if let Some(met) = stretch.met.filter(|&met| met >= machine.cycle()) {
            // The portable engine does the cycle in which they meet.
            if met > machine.cycle() {
                let goal = Goal { cycle: met.min(goal.cycle), ..goal };
                stretch.cycles += self.run(machine, goal).cycles;
            }
            on = met + 1;
        }
        (machine.cycle() + self.pace.after(&stretch)).max(on)
    }
}

impl Engine for Translator {
    fn name(&self) -> &'static str {
        "fast"
    }

    fn another(&self) -> Option<Box<dyn Engine>> {
        Some(Box::new(self.beside()))
    }

    fn run_kernel_to(
        &mut self,
        machine: &mut Machine,
        goal: Goal,
        observer: &mut dyn Observer,
    ) -> Result<Pause, Fault> {
        if machine.cp2.stats().cycles == 0 {
            self.pace = Pace::default();
        }
        let core = machine.cp2.core();
        if self.core != *core {
            (self.core, self.accesses) = (*core, Accesses::new(core));
        }
        let is_short = goal.least().saturating_since(machine.cycle()) <= SHORT;
        self.n_short = if is_short { self.n_short.saturating_add(1) } else { 0 };
        match &mut self.dispatcher {
            Some(dispatcher) if observer.wants().is_empty() && self.n_short <= ROW => {
                dispatcher.refresh(&machine.cp2);
            }
            _ => return self.rest.run_kernel_to(machine, goal, observer),
        }
        while machine.cp2.is_running() && machine.cycle() < goal.least() {
            let on = self.run_to_meeting(machine, goal);
            // Where CP2 and the channel meet, the channel is ahead, and the kernel has to come there first.
            if machine.cycle() >= goal.enough.max(machine.dma.now()) {
                break;
            }
            let mut part = Goal { cycle: on.min(goal.cycle), enough: Cycle::NEVER, ..goal };
            if goal.until_still && machine.dma.next_event().is_none() {
                // The channel is where the kernel has to come to.
                part = Goal::cycle(machine.dma.now().min(goal.cycle));
            }
            let pause = self.rest.advance(machine, part, observer)?;
            if pause == Pause::Kernel {
                return Ok(pause);
            }
            if goal.until_still && machine.dma.next_event().is_none() {
                return Ok(Pause::Still);
            }
        }
        Ok(Pause::Cycle)
    }
}

/// Channel of a machine, behind translated code.
struct Behind<'a> {
    dma: &'a mut Dma,
    memory: &'a mut SystemMemory,
    accesses: &'a mut Accesses,
    until_still: bool,
    /// Value that `check_dma` reads on a CP2 alone.
    given: Option<u64>,
}

impl Channel for Behind<'_> {
    fn follow(&mut self, state: &mut State, epoch: &Epoch<'_>) -> Result<(), Cycle> {
        // If nothing is due, nobody asks what the kernel has accessed.
        if self.dma.next_event().is_some_and(|cycle| cycle < epoch.end) {
            epoch.note(self.accesses);
        }
        let mut ports = Ports { memory: self.memory, lmem: &mut state.lmem, ireg: &state.ireg };
        if self.dma.follow(epoch.end, &mut ports, self.accesses, self.until_still) {
            Ok(())
        } else {
            Err(self.dma.now())
        }
    }

    fn may_follow_later(&self) -> bool {
        !self.until_still
    }

    fn catch_up(&mut self, until: Cycle, state: &mut State) {
        let mut ports = Ports { memory: self.memory, lmem: &mut state.lmem, ireg: &state.ireg };
        self.dma.advance_alone(until, &mut ports, false);
    }

    fn answer(&self) -> u64 {
        self.given.unwrap_or_else(|| self.dma.check())
    }

    fn release(&mut self, state: &mut State) {
        let ireg = &state.ireg;
        self.dma.release(&mut Ports { memory: self.memory, lmem: &mut state.lmem, ireg });
    }

    fn pass_unchanged(&mut self, until: Cycle, state: &mut State) -> Cycle {
        let mut ports = Ports { memory: self.memory, lmem: &mut state.lmem, ireg: &state.ireg };
        self.dma.advance_unchanged(until, &mut ports)
    }
}
