//! The dispatcher: runs blocks one after the other, in epochs that can be taken back as a whole. Which
//! block comes next is chosen here, where it stands is in `flow`, what an epoch shows to others in `epoch`.

use super::block::{BlockId, Room, Wanted};
use super::cache::Cache;
use super::checkpoint::Checkpoint;
use super::epoch::{Epoch, Passes};
use super::executor::{Admission, Executor, VectorRegisters};
use super::flow::{Choice, Flow};
use super::kept::Store;
use super::pace::Stretch;
use super::transfer::{self, DeferredRecord, Taken, enabled};
use super::waiting::{Waiting, is_quiet};
use crate::abi::context::mxcsr;
use crate::back_end::encoding::Host;
use crate::front_end::environment::Environment;
use crate::front_end::region::{ChannelUse, Depth, Ending, LONG_TURNS, LONGEST, Place, UNROLLED};
use crate::lowering::translation::Facts;
use cp2_emu::Cp2;
use cp2_emu::cp2::seam::Position;
use cp2_emu::state::State;
use cp2_isa::{BundleBits, Core, Cycle, SECTIONS};

/// Cycles of an epoch, roughly.
const EPOCH: u64 = 16384;
/// The same if accesses are noted: when a kernel and the channel meet, the epoch is done again.
const NOTED_EPOCH: u64 = 8192;
/// All sections, one bit each.
const ALL: u8 = (1 << SECTIONS) - 1;
/// Accesses that an epoch can note; a bundle has at most one in each section.
const NOTED: usize = SECTIONS * 16384;
/// Most vectors that one block keeps: all bundles of the longest block with five operands, a
/// coefficient's two parts, and a mask.
const LONGEST_TAIL: usize = 8 * LONGEST;

// A block that is begun has room for what it writes: an epoch is over with the block that reaches its
// end, and a block has at most `LONGEST` bundles, an unrolled one too.
const _: () =
    assert!(NOTED >= SECTIONS * (NOTED_EPOCH as usize + LONGEST) && 2 * LONG_TURNS <= LONGEST);

/// A block whose operations' flags may still be asked for.
#[derive(Clone, Copy, Debug)]
struct Tail {
    block: BlockId,
    first: usize,
    end_cycle: Cycle,
}

/// The DMA channel beside translated code, which runs ahead of it.
pub(crate) trait Channel {
    /// Follows through the cycles of an epoch, and those before it in which the kernel did nothing; an error is the cycle
    /// before which the epoch would have had to end.
    fn follow(&mut self, state: &mut State, epoch: &Epoch<'_>) -> Result<(), Cycle>;
    /// Whether nobody waits for what it does, so that it may follow later.
    fn may_follow_later(&self) -> bool;
    /// Goes on to a cycle, through cycles in which the kernel did nothing that concerns it.
    fn catch_up(&mut self, until: Cycle, state: &mut State);
    /// What `check_dma` reads where the channel is.
    fn answer(&self) -> u64;
    /// What `start_dma` does.
    fn release(&mut self, state: &mut State);
    /// Goes on while the answer is the same, to a cycle at most, beside a kernel that does nothing but ask. Returns the
    /// cycle that it has come to.
    fn pass_unchanged(&mut self, until: Cycle, state: &mut State) -> Cycle;
}

/// Runs blocks on a machine.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    executor: Executor,
    checkpoint: Checkpoint,
    cache: Cache,
    /// Blocks note their accesses, for [`Epoch::note`].
    notes: bool,
    /// Blocks tell what each bundle costs.
    profiled: bool,
    log: Vec<Tail>,
    /// Passes of this epoch.
    passes: Vec<Passes>,
    /// Addresses of their pointers when they began.
    addresses: Vec<u32>,
    /// Passes of each block while they are counted, else 0.
    totals: Vec<u64>,
    waiting: Waiting,
}

/// How an epoch ended.
enum Outcome {
    /// It is long enough, or the channel has to follow to its end first.
    Full,
    /// The last bundle lets the channel go on.
    Released,
    /// The next bundle has to be left to the portable engine.
    Stuck,
    /// Something unusual happened in the call that began in this cycle; the epoch does not count.
    Unusual(Cycle),
}

/// How long epochs are.
#[derive(Clone, Copy, Debug)]
enum Pace {
    /// So many cycles.
    Long(u64),
    /// Up to this cycle as before; from there on one pass of a block, because the next call is known to
    /// meet something unusual. So little is left to the portable engine.
    Short(Cycle),
}

impl Pace {
    /// The cycle at which an epoch is over that begins now.
    fn until(self, now: Cycle) -> Cycle {
        match self {
            Self::Short(call) if now < call => call,
            Self::Short(_) => now + 1,
            Self::Long(cycles) => now + cycles,
        }
    }
}

/// What ends an epoch.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// The cycle in which it is long enough.
    until: Cycle,
    /// The cycle in which the run is over, and the one from which on it may be.
    limit: Cycle,
    enough: Cycle,
    /// Exceptions of the host that are unusual.
    watched: u32,
}

/// What is left for a block: cycles of the epoch and of the run.
#[derive(Clone, Copy, Debug)]
struct Left {
    epoch: u64,
    run: u64,
}

impl Dispatcher {
    /// A dispatcher for a host, and at first a core.
    pub(crate) fn new(host: Host, core: &Core) -> Self {
        Self {
            executor: Executor::new(host),
            checkpoint: Checkpoint::default(),
            cache: Cache::new(host, core),
            notes: false,
            profiled: false,
            log: Vec::new(),
            passes: Vec::new(),
            addresses: Vec::new(),
            totals: Vec::new(),
            waiting: Waiting::default(),
        }
    }

    /// Keeps translations in a store.
    pub(crate) fn keep_in(&mut self, store: Box<dyn Store>) {
        self.cache.keep_in(store);
    }

    /// Whether blocks note their accesses from now on.
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

    /// Blocks that are kept.
    #[cfg(test)]
    pub(crate) fn n_blocks(&self) -> usize {
        self.cache.blocks.len()
    }

    /// How often code was run, about.
    #[cfg(test)]
    pub(crate) fn n_calls(&self) -> u64 {
        self.executor.n_states()
    }

    /// Blocks that were translated so far, or were found to be impossible.
    pub(crate) fn n_translated(&self) -> u64 {
        self.cache.n_translated
    }

    /// How many bundles to leave to the portable engine before translated code goes on.
    pub(crate) fn left_to_portable(&mut self, cp2: &Cp2) -> u64 {
        if !self.notes {
            return 0;
        }
        self.cache.left_to_portable(&Place::new(cp2.state.pc, cp2.state.loops.last(), false)) as u64
    }

    /// Runs translated code until the run has lasted `until` cycles at most, or `enough` cycles at a place
    /// between two epochs. The channel follows through every epoch before it counts, but for a bundle that asks it and
    /// does nothing else; where it finds a cycle before which the epoch has to end, that does not count and the call
    /// ends.
    pub(crate) fn run(
        &mut self,
        cp2: &mut Cp2,
        (until, enough): (u64, u64),
        channel: &mut impl Channel,
    ) -> Stretch {
        let flight = cp2.flight();
        if !transfer::is_plain(&flight) {
            return Stretch::default();
        }
        let Some(taken) = transfer::take(cp2, &flight, &mut self.executor) else {
            return Stretch::default();
        };
        self.cache.forget_if_full();
        self.profiled = cp2.profile().is_some();
        let begin = flight.cycle;
        let limit = begin + (until - cp2.stats().cycles);
        let enough = begin.saturating_add(enough.saturating_sub(cp2.stats().cycles));
        let mut flow = Flow {
            pc: cp2.state.pc,
            follows_exit: flight.position == Position::LoopExit,
            nullified: None,
            cycle: begin,
            shape: self.cache.shape_id(&taken.shape),
            loops: std::mem::take(&mut cp2.state.loops),
            calls: std::mem::take(&mut cp2.state.calls),
            environment: self.environment(cp2.state.control),
        };
        self.log.clear();
        self.waiting.forget();
        let watched = mxcsr::UNUSUAL | if taken.inexact_is_known { 0 } else { mxcsr::INEXACT };
        let (mut again, mut met) = (0, None);
        let usual = if self.notes { NOTED_EPOCH } else { EPOCH };
        let mut pace = Pace::Long(usual);
        loop {
            self.begin_epoch(&flow);
            let until = pace.until(flow.cycle).min(enough);
            let bounds = Bounds { until, limit, enough, watched };
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
            let shown = self.shown(flow.cycle);
            met = channel.follow(&mut cp2.state, &shown).err();
            if let Some(at) = met {
                self.take_back(cp2, &mut flow);
                if at < flow.cycle {
                    self.catch_up(flow.cycle, cp2, channel);
                    met = Some(flow.cycle);
                }
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
            // What is too much can only be forgotten between runs.
            let is_enough = flow.cycle >= enough;
            if matches!(outcome, Outcome::Stuck) || self.cache.is_full() || is_enough {
                break;
            }
        }
        let cycles = flow.cycle - begin;
        self.give(cp2, flow, &taken);
        Stretch { cycles, again, met }
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

    /// Lets the channel come to a cycle, from the last one in which the kernel did anything that concerns it.
    fn catch_up(&self, now: Cycle, cp2: &mut Cp2, channel: &mut impl Channel) {
        cp2.state.ireg = self.executor.live().ireg;
        channel.catch_up(now, &mut cp2.state);
    }

    /// Keeps what can be taken back from now on; drops operands that nobody can ask for.
    fn begin_epoch(&mut self, flow: &Flow) {
        self.checkpoint.take(&self.executor, flow, self.cache.shape(flow.shape).slots());
        self.drop_superseded(flow.cycle);
        let mut free = 0;
        for tail in &mut self.log {
            let n = self.cache.block(tail.block).code.contract().tail_slots;
            self.executor.move_operands(tail.first..tail.first + n, free);
            tail.first = free;
            free += n;
        }
        self.executor.begin_epoch();
        self.passes.clear();
        self.addresses.clear();
    }

    /// Drops operands of operations whose flags later ones have replaced in every section in which they took part.
    fn drop_superseded(&mut self, cycle: Cycle) {
        let condition = u64::from(self.cache.core().latencies().condition);
        let (mut replaced, mut needed) = (0, Vec::new());
        for tail in self.log.iter().rev() {
            let mut is_needed = false;
            if replaced != ALL {
                for op in self.cache.block(tail.block).facts.tail.iter().rev() {
                    let on = op.mask.map_or(ALL, |mask| {
                        let place = tail.first + mask;
                        enabled(&self.executor.operands(place..place + 1)[0].0)
                    });
                    is_needed |= on & !replaced != 0;
                    let has_landed = tail.end_cycle - u64::from(op.age) + condition < cycle;
                    replaced |= if has_landed { on } else { 0 };
                }
            }
            needed.push(is_needed);
        }
        self.log.retain(|_| needed.pop().unwrap_or(true));
    }

    fn first_free(&self) -> usize {
        let end =
            |tail: &Tail| tail.first + self.cache.block(tail.block).code.contract().tail_slots;
        self.log.last().map_or(0, end)
    }

    /// Runs blocks. What asks the channel first and does nothing else counts at once: the epoch begins anew behind it, and
    /// the channel follows through that cycle with those of the epoch.
    fn epoch(
        &mut self,
        flow: &mut Flow,
        bounds: Bounds,
        cp2: &mut Cp2,
        channel: &mut impl Channel,
    ) -> Outcome {
        let Bounds { until, limit, watched, .. } = bounds;
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
            let left = Left { epoch: until - flow.cycle, run: limit - flow.cycle };
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
            let block = self.cache.block(id);
            let (facts, contract) = (&block.facts, block.code.contract());
            let (live, shape) = (self.executor.live(), self.cache.shape(flow.shape));
            let core = self.cache.core();
            let Some(target) = flow.prepared(core, facts.ending, live, shape) else {
                return Outcome::Stuck;
            };
            if let Some(adapter) = choice.entrance.adapter {
                let VectorRegisters { fpr, cc, pending } = self.executor.vectors();
                self.cache.adapter(adapter).apply((fpr, cc), pending);
            }
            let live = self.executor.live();
            for pointer in &contract.guards.pointers {
                self.addresses.push(pointer.address(&live.a));
                self.checkpoint.keep(&self.executor, &cp2.state.lmem, pointer, choice.passes);
            }
            let raised = self.executor.run(&block.code, admission, &mut cp2.state.lmem, free);
            let call = flow.cycle;
            flow.cycle += u64::from(facts.cycles) * choice.passes;
            if raised & watched != 0 {
                return Outcome::Unusual(call);
            }
            if !facts.tail.is_empty() {
                self.log.push(Tail { block: id, first: free, end_cycle: flow.cycle });
                free += contract.tail_slots;
            }
            self.passes.push(Passes { block: id, n: choice.passes });
            flow.shape = block.shape;
            if !facts.stable {
                flow.environment = self.environment(cp2.state.control);
            }
            let shape = self.cache.shape(block.shape);
            flow.pass(facts.ending, choice, target, self.executor.live(), shape);
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
    /// channel goes on until the answer is another one or the run is over, and the turns that are whole are passes of
    /// this epoch. False if that ends it.
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

    /// The next block, and how often it may run.
    fn choose(
        &mut self,
        flow: &Flow,
        left: Left,
        before: Option<BlockId>,
        iram: &[BundleBits],
    ) -> Option<(Choice, Admission)> {
        let innermost = flow.loops.last();
        let nullified = flow.nullified;
        let place = Place { nullified, ..Place::new(flow.pc, innermost, flow.follows_exit) };
        let (shape, environment) = (flow.shape, flow.environment);
        let mut wanted = Wanted { place, shape, environment, turns: 1, is_rest: false };
        let (mut iterations, mut cut) = (1, false);
        if let Some(l) = innermost
            && l.end >= flow.pc
        {
            let around = flow.loops.len().checked_sub(2).map(|k| flow.loops[k]);
            // Where two loops end one behind the other, the last bundle of the inner one is
            // the last but one of the outer one, which decides on it.
            let is_nested = around.is_some_and(|outer| outer.end == l.body().last());
            if is_nested && l.count <= 1 {
                cut = true;
                wanted.place.last = Some(l.end);
            } else if l.count > 1 {
                iterations = u64::from(l.count) - u64::from(is_nested);
                let body = l.body().after().index().saturating_sub(l.start.index()).max(1);
                if l.start == flow.pc
                    && body < UNROLLED
                    && !flow.follows_exit
                    && nullified.is_none()
                {
                    let most = UNROLLED.div_ceil(body);
                    wanted.is_rest = (2..most as u64).contains(&iterations);
                    wanted.turns = most.min(iterations as usize);
                }
            }
        }
        let core = self.cache.core();
        let depth = Depth {
            loops: core.loop_depth() - flow.loops.len().min(core.loop_depth()),
            calls: core.call_depth() - flow.calls.len().min(core.call_depth()),
        };
        let room = Room { iterations, cycles: left.run, depth };
        let source = (iram, &self.executor);
        let (entrance, fit) = self.cache.find(&wanted, before, source, &room)?;
        let block = self.cache.block(entrance.id);
        let Facts { ending, times, cycles, .. } = block.facts;
        let turns = if ending == Ending::Loop { iterations / times as u64 } else { u64::MAX };
        let most = (left.epoch.min(left.run) / u64::from(cycles)).min(turns);
        let admission = self.executor.admit(&block.code, fit, most);
        let passes = admission.passes();
        Some((Choice { entrance, times: times as u32, passes, cut }, admission))
    }

    /// Counts the passes of an epoch, those of a block all at once.
    fn commit(&mut self, cp2: &mut Cp2) {
        if let Some(profile) = cp2.profile_mut() {
            for pass in &self.passes {
                profile.add(&self.cache.block(pass.block).facts.costs, pass.n);
            }
        }
        let stats = cp2.stats_mut();
        let mut addresses = self.addresses.iter();
        self.totals.resize(self.cache.blocks.len(), 0);
        for &pass in &self.passes {
            let (block, n) = (self.cache.block(pass.block), pass.n);
            self.waiting.pass(block, pass);
            self.totals[pass.block as usize] += n;
            let pointers = &block.code.contract().guards.pointers;
            for (pointer, &address) in pointers.iter().zip(addresses.by_ref()) {
                stats.bank_accesses[pointer.bank(address).index()] += n * pointer.near.n;
            }
        }
        for &pass in &self.passes {
            let n = std::mem::take(&mut self.totals[pass.block as usize]);
            if n > 0 {
                self.cache.block(pass.block).facts.counts.add_to(stats, n);
            }
        }
    }

    /// Restores everything that the epoch changed.
    fn take_back(&mut self, cp2: &mut Cp2, flow: &mut Flow) {
        self.checkpoint.restore(&mut self.executor, &mut cp2.state.lmem);
        flow.clone_from(self.checkpoint.flow());
        self.log.retain(|tail| tail.end_cycle <= flow.cycle);
        self.waiting.forget();
    }

    fn give(&mut self, cp2: &mut Cp2, flow: Flow, taken: &Taken) {
        let live = self.executor.live();
        let stats = cp2.stats_mut();
        for turn in &live.banks {
            for (total, new) in stats.bank_accesses.iter_mut().zip(turn) {
                *total += new;
            }
        }
        for (total, new) in stats.flops.iter_mut().zip(live.flops.0) {
            *total += new;
        }
        let tails: Vec<DeferredRecord<'_>> = self
            .log
            .iter()
            .map(|tail| {
                let block = self.cache.block(tail.block);
                let end = tail.first + block.code.contract().tail_slots;
                DeferredRecord {
                    end_cycle: tail.end_cycle,
                    ops: &block.facts.tail,
                    slots: self.executor.operands(tail.first..end),
                }
            })
            .collect();
        let position = match flow.nullified {
            Some(to) => Position::Nullified(to),
            None if flow.follows_exit => Position::LoopExit,
            None => Position::Plain,
        };
        cp2.state.pc = flow.pc;
        cp2.state.loops = flow.loops;
        cp2.state.calls = flow.calls;
        let shape = self.cache.shape(flow.shape);
        let now = (flow.cycle, position);
        transfer::give(&self.executor, cp2, shape, &taken.unseen, &tails, now);
    }
}
