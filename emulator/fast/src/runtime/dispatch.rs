//! Dispatcher, which runs blocks one after the other, in epochs that can be taken back as a whole. Which block comes next is
//! chosen in `choice`, the position in the program is in `flow`, what an epoch shows to others in `epoch`.

mod channel;
mod choice;
mod epochs;
mod handover;

pub(crate) use channel::Channel;

use super::block::{BlockId, TranslatedBlock};
use super::cache::Cache;
use super::checkpoint::{Checkpoint, DoneAgain};
use super::epoch::{Epoch, Passes};
use super::executor::{Executor, VectorRegisters};
use super::flow::{Choice, Flow};
use super::kept::Store;
use super::pace::TranslatedSpan;
use super::replay::NextPasses;
use super::transfer::{self};
use super::waiting::{Waiting, is_quiet};
use crate::abi::context::{PENDING, Vector, mxcsr};
use crate::back_end::encoding::NativeIsa;
use crate::front_end::environment::Environment;
use crate::front_end::region::{BlockStart, ChannelUse, LONG_TURNS, LONGEST};
use cp2_emu::Cp2;
use cp2_emu::state::{Quad, State};
use cp2_isa::{Core, Cycle, SECTIONS};

/// Number of cycles of an epoch, roughly.
const EPOCH: u64 = 32768;
/// Number of cycles of an epoch, roughly, if accesses are noted: when a kernel and the channel meet, the epoch is done again.
const NOTED_EPOCH: u64 = 8192;
/// Number of accesses that an epoch can note; a bundle has at most one in each section.
const NOTED: usize = SECTIONS * 16384;
/// Number of vectors that one block keeps at most: all bundles of the longest block with five operands, a coefficient's two
/// parts, and a mask.
const LONGEST_TAIL: usize = 8 * LONGEST;

// A block that is begun has room for what it writes: an epoch is over with the block that reaches its
// end, and a block has at most `LONGEST` bundles, an unrolled one too.
const _: () =
    assert!(NOTED >= SECTIONS * (NOTED_EPOCH as usize + LONGEST) && 2 * LONG_TURNS <= LONGEST);

/// Block whose operations' flags may still be asked for.
#[derive(Clone, Copy, Debug)]
struct Tail {
    block: BlockId,
    first: usize,
    end_cycle: Cycle,
}

/// Dispatcher: runs blocks on a machine.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    executor: Executor,
    checkpoint: Checkpoint,
    cache: Cache,
    /// Whether blocks note their accesses, for [`Epoch::note`].
    notes: bool,
    /// Whether blocks tell what each bundle costs.
    profiled: bool,
    log: Vec<Tail>,
    /// Passes of the epoch at hand.
    passes: Vec<Passes>,
    /// Addresses of the pointers of the epoch's passes when each began.
    addresses: Vec<u32>,
    /// Number of passes of each block while they are counted, else 0.
    totals: Vec<u64>,
    waiting: Waiting,
    /// Room for the results under way before they are turned into those that a block expects.
    before: Box<[Vector; PENDING]>,
}

/// Outcome of an epoch.
enum Outcome {
    /// The epoch is long enough, or the channel has to follow to its end first.
    Full,
    /// The last bundle lets the channel go on.
    Released,
    /// The next bundle has to be left to the portable engine.
    Stuck,
    /// The call that began in this cycle met something unusual; the epoch does not count.
    Unusual(Cycle),
}

/// Length of epochs.
#[derive(Clone, Copy, Debug)]
enum Pace {
    /// Epochs of this number of cycles.
    Long(u64),
    /// An epoch up to this cycle as before; from there on one pass of a block, because the next call is known to meet
    /// something unusual. So little is left to the portable engine.
    Short(Cycle),
}

impl Pace {
    /// Returns the cycle at which an epoch is over that begins now.
    fn until(self, now: Cycle) -> Cycle {
        match self {
            Self::Short(call) if now < call => call,
            Self::Short(_) => now + 1,
            Self::Long(cycles) => now + cycles,
        }
    }

    /// Returns the number of cycles that a pass has at most in an epoch that begins now: where something unusual is near, those
    /// of a block without loops of its own.
    fn longest_pass(self, now: Cycle) -> u64 {
        match self {
            Self::Short(call) if now >= call => LONGEST as u64,
            _ => u64::MAX,
        }
    }
}

/// Bounds of an epoch: the cycles and exceptions that end it.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// Cycle in which the epoch is long enough.
    until: Cycle,
    /// Cycle in which the run is over.
    limit: Cycle,
    /// Cycle from which on the run may be over.
    enough: Cycle,
    /// Number of cycles of a pass at most.
    pass: u64,
    /// Exceptions of the native machine that are unusual.
    watched: u32,
    /// Whether an epoch is taken back for exceptions only, never for the channel.
    is_alone: bool,
}

impl Bounds {
    /// Returns when cycles up to this one are done again if their epoch is taken back.
    fn done_again(&self, end: Cycle) -> DoneAgain {
        match self.is_alone {
            false => DoneAgain::Never,
            true if end <= self.enough.min(self.limit) => DoneAgain::BeforeAnybodyLooks,
            true => DoneAgain::Later,
        }
    }
}

/// Numbers of cycles that are left for a block: of the epoch and of the run, and for one pass of the block.
#[derive(Clone, Copy, Debug)]
struct Left {
    epoch: u64,
    run: u64,
    pass: u64,
}

impl Dispatcher {
    /// Creates a dispatcher for an instruction set, and at first for a core.
    pub(crate) fn new(native_isa: NativeIsa, core: &Core) -> Self {
        Self {
            executor: Executor::new(native_isa),
            checkpoint: Checkpoint::default(),
            cache: Cache::new(native_isa, core),
            notes: false,
            profiled: false,
            log: Vec::new(),
            passes: Vec::new(),
            addresses: Vec::new(),
            totals: Vec::new(),
            waiting: Waiting::default(),
            before: Box::new([Vector::default(); PENDING]),
        }
    }

    /// Shares translations with the dispatcher of another thread, for the same instruction set.
    pub(crate) fn share_with(&mut self, other: &Self) {
        self.cache.share_with(&other.cache);
    }

    /// Keeps translations in a store.
    pub(crate) fn keep_in(&mut self, store: Box<dyn Store>) {
        self.cache.keep_in(store);
    }

    /// Sets whether blocks note their accesses from now on.
    pub(crate) fn set_notes(&mut self, notes: bool) {
        if notes {
            self.executor.reserve_notes(NOTED);
        }
        self.notes = notes;
    }

    /// Forgets translations of code that has changed.
    pub(crate) fn refresh(&mut self, cp2: &Cp2) {
        self.cache.refresh(cp2.core(), &cp2.state.iram);
    }

    /// Returns the instruction set of translated code.
    pub(crate) fn native_isa(&self) -> NativeIsa {
        self.cache.native_isa()
    }

    /// Returns the number of blocks that are kept.
    #[cfg(test)]
    pub(crate) fn n_blocks(&self) -> usize {
        self.cache.blocks.len()
    }

    /// Returns about how often code was run.
    #[cfg(test)]
    pub(crate) fn n_calls(&self) -> u64 {
        self.executor.n_states()
    }

    /// Returns the number of blocks that were translated so far, or were found to be impossible.
    pub(crate) fn n_translated(&self) -> u64 {
        self.cache.n_translated
    }

    /// Returns the number of bundles to leave to the portable engine before translated code goes on.
    pub(crate) fn left_to_portable(&mut self, cp2: &Cp2) -> u64 {
        if !self.notes {
            return 0;
        }
        self.cache.left_to_portable(&BlockStart::new(cp2.state.pc, cp2.state.loops.last(), false))
            as u64
    }

    /// Runs translated code until the run has lasted `until` cycles at most, or `enough` cycles at a place between two
    /// epochs. The channel follows through every epoch before it counts, but for a bundle that asks it and does nothing else;
    /// where it finds a cycle before which the epoch has to end, that epoch does not count and the call ends.
    pub(crate) fn run(
        &mut self,
        cp2: &mut Cp2,
        (until, enough): (u64, u64),
        channel: &mut impl Channel,
    ) -> TranslatedSpan {
        let flight = cp2.flight();
        if !transfer::is_plain(&flight) {
            let is_inside = transfer::is_inside_change(&flight);
            return TranslatedSpan { is_inside, ..TranslatedSpan::default() };
        }
        let Some(taken) = transfer::take(cp2, &flight, &mut self.executor) else {
            return TranslatedSpan::default();
        };
        self.cache.forget_if_full();
        self.profiled = cp2.profile().is_some();
        let begin = flight.cycle;
        let limit = begin + (until - cp2.stats().cycles);
        let enough = begin.saturating_add(enough.saturating_sub(cp2.stats().cycles));
        let mut flow = self.begin_flow(cp2, &flight, &taken);
        self.log.clear();
        self.waiting.forget();
        let watched = mxcsr::UNUSUAL | if taken.inexact_is_known { 0 } else { mxcsr::INEXACT };
        // A channel that has nothing to do, and waits for nothing, follows any epoch.
        let is_alone = !self.notes && channel.may_follow_later();
        let (mut again, mut met) = (0, None);
        let usual = if self.notes { NOTED_EPOCH } else { EPOCH };
        let mut pace = Pace::Long(usual);
        loop {
            self.begin_epoch(&flow);
            let until = pace.until(flow.cycle).min(enough);
            let pass = pace.longest_pass(flow.cycle);
            let bounds = Bounds { until, limit, enough, pass, watched, is_alone };
            let outcome = self.epoch(&mut flow, bounds, cp2, channel);
            if let Outcome::Unusual(call) = outcome {
                let cycles = flow.cycle - self.checkpoint.flow().cycle;
                self.take_back(cp2, &mut flow);
                self.catch_up(flow.cycle, cp2, channel);
                if let Pace::Short(_) = pace {
                    again = cycles;
                    break;
                }
                pace = Pace::Short(call);
                continue;
            }
            met = self.follow(&mut flow, cp2, channel);
            if met.is_some() {
                break;
            }
            self.commit(cp2);
            if matches!(outcome, Outcome::Released) {
                cp2.state.ireg = self.executor.live().ireg;
                channel.release(&mut cp2.state);
                if !self.notes {
                    // From now on the channel may be busy, so accesses are to be noted.
                    break;
                }
            }
            // Blocks that are too many can only be forgotten between runs.
            let is_enough = flow.cycle >= enough;
            if matches!(outcome, Outcome::Stuck) || self.cache.is_full() || is_enough {
                break;
            }
        }
        let cycles = flow.cycle - begin;
        self.give(cp2, flow, &taken);
        TranslatedSpan { cycles, again, met, is_inside: false }
    }

    fn environment(&self, control: u64) -> Environment {
        let Self { cache, executor, notes, profiled, .. } = self;
        let of_registers = Environment::of(cache.core(), executor.live(), control, *notes);
        Environment { profiled: *profiled, ..of_registers }
    }

    fn shown(&self, end: Cycle) -> Epoch<'_> {
        let Self { passes, addresses, cache, executor, checkpoint, .. } = self;
        let begin = checkpoint.flow().cycle;
        Epoch { begin, end, passes, addresses, cache, noted: executor.notes() }
    }

    /// Lets the channel follow through the epoch. Where it finds a cycle before which the epoch has to end, the epoch is
    /// taken back.
    fn follow(
        &mut self,
        flow: &mut Flow,
        cp2: &mut Cp2,
        channel: &mut impl Channel,
    ) -> Option<Cycle> {
        let at = channel.follow(&mut cp2.state, &self.shown(flow.cycle)).err()?;
        self.take_back(cp2, flow);
        if at < flow.cycle {
            self.catch_up(flow.cycle, cp2, channel);
            return Some(flow.cycle);
        }
        Some(at)
    }

    /// Lets the channel come to a cycle, from the last one in which the kernel did anything that concerns the channel.
    fn catch_up(&self, now: Cycle, cp2: &mut Cp2, channel: &mut impl Channel) {
        cp2.state.ireg = self.executor.live().ireg;
        channel.catch_up(now, &mut cp2.state);
    }

    /// Runs blocks of an epoch. A bundle that asks the channel first and does nothing else counts at once: the epoch begins
    /// anew behind it, and the channel follows through that cycle with those of the epoch.
    fn epoch(
        &mut self,
        flow: &mut Flow,
        bounds: Bounds,
        cp2: &mut Cp2,
        channel: &mut impl Channel,
    ) -> Outcome {
        let Bounds { until, limit, pass, watched, .. } = bounds;
        let last_free = self.executor.operand_places() - LONGEST_TAIL;
        let mut free = self.first_free();
        if free > last_free {
            return Outcome::Stuck;
        }
        let mut before = None;
        // The channel has come here with the epoch before.
        let mut is_level = true;
        loop {
            let is_full = self.cache.is_full() && !self.passes.is_empty();
            let is_over = flow.cycle >= until || is_full;
            if is_over || free > last_free || self.executor.undo_room() < SECTIONS * LONGEST {
                return Outcome::Full;
            }
            let run = limit - flow.cycle;
            let left = Left { epoch: until - flow.cycle, run, pass: run.min(pass) };
            let Some((choice, admission)) = self.choose(flow, left, before, &cp2.state.iram) else {
                return Outcome::Stuck;
            };
            let id = choice.entrance.id;
            let channel_use = self.cache.block(id).facts.channel_use;
            if channel_use == Some(ChannelUse::Asks) {
                is_level &= self.passes.is_empty();
                if !is_level || !self.ask(flow, bounds, &mut cp2.state, channel) {
                    return Outcome::Full;
                }
            }
            let facts = &self.cache.block(id).facts;
            let (live, shape) = (self.executor.live(), self.cache.shape(flow.shape));
            let core = self.cache.core();
            let Some(target) = flow.prepared(core, facts.ending, live, shape) else {
                return Outcome::Stuck;
            };
            let cycles = u64::from(facts.pass.cycles) * choice.passes;
            self.enter(&choice, &cp2.state.lmem, bounds.done_again(flow.cycle + cycles));
            let block = self.cache.block(id);
            let raised = self.executor.run(&block.code, admission, &mut cp2.state.lmem, free);
            let call = flow.cycle;
            flow.cycle += cycles;
            if raised & watched != 0 {
                return Outcome::Unusual(call);
            }
            free += self.note_exit(flow, &choice, free, cp2.state.control);
            let block = self.cache.block(id);
            let shape = self.cache.shape(block.shape);
            flow.move_past(block.facts.ending, choice, target, self.executor.live(), shape);
            before = Some(id);
            match channel_use {
                None => {}
                Some(ChannelUse::Asks) if is_quiet(block) && channel.may_follow_later() => {
                    self.commit(cp2);
                    self.begin_epoch(flow);
                    (free, is_level) = (self.first_free(), false);
                }
                Some(ChannelUse::Asks) => return Outcome::Full,
                Some(ChannelUse::Releases) => return Outcome::Released,
            }
        }
    }

    /// Lets the next block read what `check_dma` tells, at the beginning of an epoch. If the kernel asks again and again, the
    /// channel goes on until the answer is another one or the run is over, and the turns that are whole are passes of this
    /// epoch. Returns false if that ends the epoch.
    fn ask(
        &mut self,
        flow: &mut Flow,
        bounds: Bounds,
        state: &mut State,
        channel: &mut impl Channel,
    ) -> bool {
        let answer = channel.answer();
        self.executor.set_answer(answer);
        let n_pending = self.cache.shape(flow.shape).slots();
        let here = (&*flow, n_pending);
        let Some((turn, cycles)) = self.waiting.visit(here, &self.executor, answer) else {
            return true;
        };
        state.ireg = self.executor.live().ireg;
        let changes = channel.pass_unchanged(bounds.limit.min(bounds.enough), state);
        let turns = (changes - flow.cycle) / cycles;
        let turn = turn.iter().map(|pass| Passes { n: pass.n * turns, ..*pass });
        self.passes.extend(turn.filter(|pass| pass.n > 0));
        flow.cycle += turns * cycles;
        // In the last turn, which is not whole, the channel is ahead.
        flow.cycle < changes
    }

    /// Brings registers into the form that a block expects, and keeps the words that it may overwrite.
    #[inline(always)]
    fn enter(&mut self, choice: &Choice, lmem: &[Quad], again: DoneAgain) {
        if let Some(adapter) = choice.entrance.adapter {
            let VectorRegisters { fpr, cc, pending } = self.executor.vectors();
            self.cache.adapter(adapter).apply((fpr, cc), pending, &mut self.before);
        }
        let TranslatedBlock { facts, code, .. } = self.cache.block(choice.entrance.id);
        let pointers = &code.contract().guards.pointers;
        let (sets, passes) = (&self.executor.live().a, choice.passes);
        self.addresses.extend(pointers.iter().map(|pointer| pointer.address(sets)));
        let next = NextPasses { pointers, footprint: &facts.footprint, sets, passes };
        self.checkpoint.keep(&self.executor, lmem, &next, again);
    }

    /// Notes what a block leaves when it has run: its passes, operands from place `first` on, and the shape and the
    /// environment of the next one. Returns how many places the operands take.
    #[inline(always)]
    fn note_exit(&mut self, flow: &mut Flow, choice: &Choice, first: usize, control: u64) -> usize {
        let id = choice.entrance.id;
        self.passes.push(Passes { block: id, n: choice.passes });
        let block = self.cache.block(id);
        flow.shape = block.shape;
        let mut places = 0;
        if !block.facts.tail.is_empty() {
            self.log.push(Tail { block: id, first, end_cycle: flow.cycle });
            places = block.code.contract().tail_slots;
        }
        if !block.facts.stable {
            flow.environment = self.environment(control);
        }
        places
    }
}
